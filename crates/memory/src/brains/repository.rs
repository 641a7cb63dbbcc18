//! `init` and `eject`: a project's memory moves into its repository, and back.

use crate::brains::bootstrap::{BootstrapRequest, RootWish, never};
use crate::brains::error::BrainError;
use crate::error::MemoryError;
use crate::service::Memory;
use crate::writing::outside::{self, ProsePaths};
use crate::writing::resolve::doubtful;
use brainstem_base::next::{self, Shell, calls};
use brainstem_base::{Advice, advice};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_claims::ClaimSlug;
use brainstem_claims::act::{Act, ActId};
use brainstem_vault::home::{AtRoot, NotServedReason};
use brainstem_vault::missing_from_checkout::{BroughtBack, Missing};
use brainstem_vault::relocate::{self, RelocationOutcome, RelocationStep};
use brainstem_vault::repo::{self, Exposed, GitSharing};
use brainstem_vault::{Brain, Store, StoreError, StorePlace};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// How often an eject looks for claims that git put back while they moved.
const COMES_BACK_MAX: u32 = 20;
/// How much room a move wants in each folder under the home before it moves anything.
const ROOM_LEN: usize = 4096;

/// Whether a call moves claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moving {
    /// It does.
    #[default]
    Real,
    /// The answer names what would happen, and nothing changes.
    DryRun,
}

impl Moving {
    /// What the flag `dry_run` says.
    pub fn of_flag(dry_run: bool) -> Self {
        match dry_run {
            true => Self::DryRun,
            false => Self::Real,
        }
    }
}

/// What a caller wants of git.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GitWish {
    /// It stays as it is; the memory of a new project can be committed.
    #[default]
    AsItIs,
    /// The memory stays out of git.
    Private,
    /// The memory can be committed, even if it was private.
    Shared,
}

impl GitWish {
    /// Returns what the flags `private` and `shared` mean; both at once are refused.
    pub fn of_flags(private: bool, shared: bool) -> Result<Self, MemoryError> {
        match (private, shared) {
            (true, true) => Err(BrainError::PrivateAndShared.into()),
            (true, false) => Ok(Self::Private),
            (false, true) => Ok(Self::Shared),
            (false, false) => Ok(Self::AsItIs),
        }
    }
}

/// What to bring into the repository.
#[derive(Clone, Debug, Default)]
pub struct InitRequest {
    /// The project's folder; `None` means the caller's own.
    pub path: Option<PathBuf>,
    /// Whether git may commit the memory.
    pub git: GitWish,
    /// Whether claims move, or the answer only names what would.
    pub moving: Moving,
    /// This program, for git to call when it merges claims.
    pub program: Option<PathBuf>,
}

/// What was brought into the repository, or would be.
#[derive(Clone, Debug)]
pub struct Initialised {
    /// The project's root.
    pub root: PathBuf,
    /// The brain; `None` when a dry run would make it.
    pub brain: Option<Brain>,
    /// The repository was its place already.
    pub existed: bool,
    /// What happens to each claim that was under the home.
    pub moves: Vec<RelocationStep>,
    /// Labels that were written here, are not in this checkout, and come back.
    pub restored: Vec<String>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

/// What to take out of the repository.
#[derive(Clone, Debug, Default)]
pub struct EjectRequest {
    /// The project's folder; `None` means the caller's own.
    pub path: Option<PathBuf>,
    /// Whether claims move, or the answer only names what would.
    pub moving: Moving,
}

/// What was taken out of the repository, or would be.
#[derive(Clone, Debug)]
pub struct Ejected {
    /// The project's root.
    pub root: PathBuf,
    /// The brain.
    pub brain: Brain,
    /// The home was its place already.
    pub existed: bool,
    /// What happens to each claim that was in the repository.
    pub moves: Vec<RelocationStep>,
    /// Labels that were written here, were not in this checkout, and come home too.
    pub restored: Vec<String>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

/// How many labels are named when a private project becomes one that is committed.
const LABELS_NAMED_MAX: usize = 20;

impl Memory {
    /// Makes the repository the place of a project's memory. A repeat completes a call that was cut off, and brings
    /// back what a clean or a checkout took away.
    pub fn init(&self, caller: &Caller, request: &InitRequest) -> Result<Initialised, MemoryError> {
        caller.moved_by(|| self.bring_in(caller, request))
    }

    fn bring_in(&self, caller: &Caller, request: &InitRequest) -> Result<Initialised, MemoryError> {
        let (root, git_dir) = self.init_place(caller, request.path.as_deref())?;
        let asked = request.git;
        if request.moving == Moving::DryRun {
            return self.plan_init(root, asked);
        }
        self.home.check_writable()?;
        self.check_not_replaced(&root)?;
        // Before anything is made, and once more with the locks held.
        self.check_movable(self.home.brain_at(&root).as_ref())?;
        let target = caller.at(caller.hints().clone(), Some(root.clone()));
        let brain = self
            .bootstrap(
                &target,
                &BootstrapRequest {
                    path: Some(root.clone()),
                    root: RootWish::ExactFolder,
                    ..Default::default()
                },
            )?
            .brain;
        let owner = self.home.store_at(&brain, StorePlace::Owner);
        let mut fitted = Vec::new();
        let is_open = self.sharing_wanted(asked, Some(&brain), &root)? == GitSharing::Committed;
        if is_open && brain.place == StorePlace::Owner {
            fitted = self.keep_paths_out(&owner, &root).map_err(MemoryError::stopped_half_way)?;
        }
        // No call writes while the claims move; a writer that waited looks again for their place.
        let held = owner.lock_all()?;
        // Another call may have moved the claims, or made the project private, before the locks were taken.
        let brain = self.home.look_again(&brain)?;
        let existed = brain.place == StorePlace::Repo;
        let sharing = self.sharing_wanted(asked, Some(&brain), &root)?;
        let leaves_private = brain.sharing == GitSharing::Private && sharing == GitSharing::Committed;
        // A full disk refuses before anything moves.
        drop(owner.reserve(ROOM_LEN)?);
        self.check_movable(Some(&brain))?;
        if leaves_private {
            for stored in self.home.store_at(&brain, StorePlace::Repo).scan()?.claims {
                self.floor().check_committable(&stored.path, &stored.claim)?;
            }
        }
        if !existed {
            owner.note_history()?;
        }
        if sharing == GitSharing::Private
            && !relocate::plan(&owner, &self.home.store_at(&brain, StorePlace::Repo))?.is_empty()
        {
            self.home.check_untracked(&root)?;
        }
        // From here on claims are in both places until the repeat, so that a failure is not a refusal.
        let settled = self.home.place_in_repo(&brain, sharing);
        let (brain, changed) = settled.map_err(StoreError::stopped_half_way)?;
        let store = self.store_of(&brain);
        let moves = relocate::run(&owner, &store, &held).map_err(StoreError::stopped_half_way)?;
        let acts_back = store.acts().bring_back().map_err(StoreError::stopped_half_way)?;
        drop(held);
        let back = bring_back(&store, |slug| store.bring_back(slug));
        let (restored, apart) = back.map_err(MemoryError::stopped_half_way)?;
        if sharing == GitSharing::Committed {
            // What came back, or was written here by an earlier version.
            fitted.extend(self.keep_paths_out(&store, &root).map_err(MemoryError::stopped_half_way)?);
            store.acts().keep_paths_out().map_err(StoreError::stopped_half_way)?;
        }
        // For a private project each answer says what becomes of its memory.
        let changes = !existed || !moves.is_empty() || !restored.is_empty() || leaves_private;
        let mut notes = match changes || sharing == GitSharing::Private {
            true => self.sharing_notes(sharing, asked, &root),
            false => Vec::new(),
        };
        if leaves_private {
            notes.insert(0, self.committable(&brain, Vec::new())?.into());
        }
        notes.extend(outside::fitted_note(&fitted).map(Advice::from));
        if changes || acts_back > 0 {
            let is_new = |label: &str| {
                let is_moved = moves.iter().any(|moving| moving.label == label);
                !existed || leaves_private || is_moved || restored.iter().any(|back| back == label)
            };
            let are_acts_new = !existed || leaves_private || acts_back > 0;
            notes.extend(paths_in_words(&store, is_new, are_acts_new)?.into_iter().map(Advice::from));
        }
        notes.extend(
            changed
                .iter()
                .map(|path| format!("`{}` was changed by hand and left as it is", path.display()).into()),
        );
        let driver = driver_command(request.program.as_deref());
        let settings = git_layout::common_dir(&*self.disk, &git_dir);
        let attributes = repo::set_attributes(&*self.disk, &*self.ids, &settings);
        if let Err(error) = attributes.and_then(|()| repo::set_driver(&*self.disk, &settings, &driver)) {
            notes.push(
                format!("{error}, so git merges claims as plain text here; resolve reads its conflicts too")
                    .into(),
            );
        }
        if existed && acts_back > 0 {
            let (acts, were) = if acts_back == 1 { ("act", "was") } else { ("acts", "were") };
            notes.push(
                format!("{acts_back} {acts} recorded here {were} not in this checkout and came back").into(),
            );
        }
        notes.extend(apart_note(&apart));
        Ok(Initialised { root, brain: Some(brain), existed, moves, restored, notes })
    }

    /// Refuses a folder into whose repository no memory can be brought, as `init` does before it looks at anything else.
    pub fn check_init_place(&self, caller: &Caller, path: Option<&Path>) -> Result<(), MemoryError> {
        self.init_place(caller, path).map(drop)
    }

    /// Returns the root of the repository that memory is brought into, and its git folder.
    fn init_place(&self, caller: &Caller, path: Option<&Path>) -> Result<(PathBuf, PathBuf), MemoryError> {
        let root = self.repository_root(caller, path)?;
        let git_dir = git_layout::git_dir(&*self.disk, &root);
        if let Some(what) = never(&self.home, &self.never, &root, git_dir.is_some()) {
            return Err(MemoryError::NeverAProject { path: root, what });
        }
        if git_layout::is_bare(&*self.disk, git_dir.as_ref().unwrap_or(&root)) {
            return Err(BrainError::BareRepository(root).into());
        }
        let Some(git_dir) = git_dir else {
            return Err(BrainError::NotARepository(root).into());
        };
        self.check_repo_folder(&root)?;
        Ok((root, git_dir))
    }

    /// Refuses a folder that is another one than before: the caller first says whether its memory is taken up or set
    /// apart. A worktree that lost a repository without a brain is refused too, because its mail and its letters are
    /// in the repository.
    pub fn check_not_replaced(&self, root: &Path) -> Result<(), MemoryError> {
        match git_layout::look_at(&self.home, root) {
            AtRoot::Replaced(before) => Err(self.replaced(root, &before)),
            AtRoot::Nothing => match self.router.lost_worktree(root).filter(|(top, _)| top == root) {
                Some((top, main)) => Err(self.router.lost_fault(&top, &main).into()),
                None => Ok(()),
            },
            AtRoot::Brain(_) | AtRoot::Broken(_) => Ok(()),
        }
    }

    /// Refuses, before anything is written, a repository whose folder is no place for claims.
    fn check_repo_folder(&self, root: &Path) -> Result<(), MemoryError> {
        let folder = repo::folder(root);
        if self.home.path().starts_with(&folder) {
            return Err(BrainError::HomeInRepository(self.home.path().to_owned()).into());
        }
        for dir in [folder.clone(), folder.join("agent-memory")] {
            repo::check_folder(&*self.disk, &dir)?;
        }
        Ok(())
    }

    /// Refuses claims that git must not commit: a file that was put into the store by hand passed no floor.
    fn check_movable(&self, brain: Option<&Brain>) -> Result<(), MemoryError> {
        let Some(brain) = brain else { return Ok(()) };
        let store = self.home.store_at(brain, StorePlace::Repo);
        let missing = store.missing_among(&doubtful(&store, &store.scan()?)?)?;
        let coming = missing.into_iter().filter(|missing| store.comes_back(missing));
        let coming =
            coming.filter_map(|mut missing| missing.versions.pop()).map(|copy| (copy.path, copy.claim));
        let scan = self.home.store_at(brain, StorePlace::Owner).scan()?;
        let moving = scan.claims.into_iter().map(|stored| (stored.path, stored.claim));
        // A brain that is in its repository has nothing under the home but what was left there.
        for (path, claim) in moving.chain(coming) {
            self.floor().check_committable(&path, &claim)?;
        }
        Ok(())
    }

    /// Whether the memory at a root is kept out of git from now on. If the caller says nothing, a file that keeps the
    /// folder out of git, as `init --private` writes it, decides: a copy of a private project may have lost everything
    /// else.
    fn sharing_wanted(
        &self,
        asked: GitWish,
        brain: Option<&Brain>,
        root: &Path,
    ) -> Result<GitSharing, MemoryError> {
        let sharing = brain.map_or_else(|| asked.without_brain(), |brain| asked.sharing(brain));
        let is_open = asked == GitWish::AsItIs && sharing == GitSharing::Committed;
        let is_kept_out = || repo::is_kept_out(&*self.disk, &repo::folder(root));
        Ok(if is_open && is_kept_out()? { GitSharing::Private } else { sharing })
    }

    fn plan_init(&self, root: PathBuf, asked: GitWish) -> Result<Initialised, MemoryError> {
        self.check_not_replaced(&root)?;
        let brain = self.home.brain_to_take_up(&root)?;
        self.check_movable(brain.as_ref())?;
        let (mut moves, mut restored, mut apart, mut existed) = (Vec::new(), Vec::new(), Vec::new(), false);
        let sharing = self.sharing_wanted(asked, brain.as_ref(), &root)?;
        let mut notes = Vec::new();
        if let Some(brain) = &brain {
            self.home.check_sharing(brain)?;
            let store = self.home.store_at(brain, StorePlace::Repo);
            moves = relocate::plan(&self.home.store_at(brain, StorePlace::Owner), &store)?;
            let missing = store.missing_among(&doubtful(&store, &store.scan()?)?)?;
            let (coming, staying): (Vec<_>, Vec<_>) =
                missing.into_iter().partition(|missing| store.comes_back(missing));
            if brain.sharing == GitSharing::Private && sharing == GitSharing::Committed {
                let moved = moves.iter().filter(|moving| moving.outcome != RelocationOutcome::Left);
                let moved = moved.map(|moving| (moving.id.clone(), moving.label.clone()));
                let back = coming.iter().map(|it| (it.slug.to_string(), it.youngest().label.clone()));
                notes.push(self.committable(brain, moved.chain(back).collect())?.into());
            }
            let label = |missing: Missing| missing.youngest().label.clone();
            restored = coming.into_iter().map(label).collect();
            apart = staying.into_iter().map(label).collect();
            existed = brain.place == StorePlace::Repo;
        }
        notes.extend(self.sharing_notes(sharing, asked, &root));
        notes.extend(apart_note(&apart));
        Ok(Initialised { root, brain, existed, moves, restored, notes })
    }

    /// What can be committed once a private project is private no more: the claims in the repository, and those that are
    /// still to come there, each by its id and its label.
    fn committable(&self, brain: &Brain, to_come: Vec<(String, String)>) -> Result<String, MemoryError> {
        let scan = self.home.store_at(brain, StorePlace::Repo).scan()?;
        let there = scan.claims.into_iter().map(|stored| (stored.id, stored.claim.label));
        let claims: BTreeSet<(String, String)> = there.chain(to_come).collect();
        let labels: Vec<String> =
            claims.iter().take(LABELS_NAMED_MAX).map(|(_, label)| format!("{label:?}")).collect();
        let more = if claims.len() > labels.len() { ", …" } else { "" };
        let claims = match claims.len() {
            0 => "no claim".to_owned(),
            1 => format!("1 claim ({})", labels.join("")),
            count => format!("{count} claims ({}{more})", labels.join(", ")),
        };
        let was = match self.is_tracked(&brain.root) {
            true => "it was to be private, and git tracks .brainstem all the same",
            false => "it was private",
        };
        Ok(format!(
            "{was}: {claims}, the acts upon them, letters and cases in .brainstem can be committed from now on"
        ))
    }

    /// Brings a project's memory back under the home. Boxes, batteries and settings beside it in the repository stay.
    pub fn eject(&self, caller: &Caller, request: &EjectRequest) -> Result<Ejected, MemoryError> {
        caller.moved_by(|| self.bring_home(caller, request))
    }

    fn bring_home(&self, caller: &Caller, request: &EjectRequest) -> Result<Ejected, MemoryError> {
        let root = self.repository_root(caller, request.path.as_deref())?;
        let target = caller.at(caller.hints().clone(), Some(root.clone()));
        let brain = self.bound(&target)?;
        let existed = brain.place == StorePlace::Owner;
        let (store, owner) =
            (self.home.store_at(&brain, StorePlace::Repo), self.home.store_at(&brain, StorePlace::Owner));
        self.home.check_writable()?;
        // No reader looks at the kept copies afterwards: what cannot be read now would be lost from sight.
        if let Some(bad) = store.unreadable_copies()?.into_iter().next() {
            return Err(MemoryError::Unreadable(bad));
        }
        let mut moves = whole(relocate::plan(&store, &owner)?)?;
        if request.moving == Moving::DryRun {
            let missing = store.missing_among(&doubtful(&store, &store.scan()?)?)?;
            let restored = missing.iter().filter(|missing| store.comes_back(missing));
            let restored: Vec<String> = restored.map(|missing| missing.youngest().label.clone()).collect();
            moves.retain(|moving| !restored.contains(&moving.label));
            let notes = self.left_in(&root).into_iter().map(Advice::from).collect();
            return Ok(Ejected { root, brain, existed, moves, restored, notes });
        }
        self.home.remember_root(&brain)?;
        let held = owner.lock_all()?;
        // A folder that cannot be written refuses before anything is moved there.
        drop(owner.reserve(ROOM_LEN)?);
        // What git took away comes home as well: no reader looks into the repository afterwards. It goes there by itself,
        // and not through the checkout, where git would see it.
        let mut coming: Vec<(ClaimSlug, String, Vec<u8>)> = Vec::new();
        for label in doubtful(&store, &store.scan()?)? {
            let file = store.coming_back(&label.slug, &held)?;
            coming.extend(file.map(|(name, file)| (label.slug, name, file)));
        }
        let restored: Vec<String> = coming.iter().map(|(_, label, _)| label.clone()).collect();
        store.note_history()?;
        // Once more, with the locks held: a claim that cannot be read now would stay behind without a brain.
        let planned = whole(relocate::plan(&store, &owner)?)?;
        // From here on claims are in both places until the repeat, so that a failure is not a refusal.
        let moved = || -> Result<(Vec<RelocationStep>, Vec<String>, Brain), StoreError> {
            let mut moves = relocate::run_planned(&store, &owner, planned, &held)?;
            // What git put back meanwhile goes home too.
            for _ in 0..COMES_BACK_MAX {
                let again = relocate::run(&store, &owner, &held)?;
                if again.iter().all(|moving| moving.outcome == RelocationOutcome::Left) {
                    break;
                }
                moves.extend(again.into_iter().filter(|moving| moving.outcome != RelocationOutcome::Left));
            }
            for (slug, _, file) in &coming {
                relocate::move_into_home(&store, &owner, slug, file, &held)?;
            }
            let apart = store.archive_all_copies(&held)?;
            let at_home = owner.acts().read()?.acts;
            let known: HashSet<&ActId> = at_home.iter().map(Act::id).collect();
            let mut acts = store.acts().read()?.acts;
            acts.retain(|act| !known.contains(act.id()));
            owner.acts().record_all(&acts)?;
            Ok((moves, apart, self.home.place_at_home(&brain)?))
        };
        let (mut moves, apart, brain) = moved().map_err(StoreError::stopped_half_way)?;
        moves.retain(|moving| !restored.contains(&moving.label));
        // Every act is under the home now.
        let _ = self.disk.unlink(&store.paths().acts);
        repo::remove_files(&*self.disk, &root).map_err(StoreError::stopped_half_way)?;
        drop(held);
        let mut notes: Vec<Advice> = self.left_in(&root).into_iter().map(Advice::from).collect();
        let git_dir = git_layout::git_dir(&*self.disk, &root);
        // What the worktrees of a bare repository share stays: the memory of another one may need it.
        if let Some(git_dir) = git_dir.filter(|dir| git_layout::common_dir(&*self.disk, dir) == *dir) {
            let attributes = repo::unset_attributes(&*self.disk, &*self.ids, &git_dir);
            let driver = repo::unset_driver(&*self.disk, &git_dir).map(drop);
            notes.extend(
                [attributes, driver]
                    .into_iter()
                    .filter_map(|done| done.err().map(|error| error.to_string().into())),
            );
        }
        if !existed && self.is_tracked(&root) {
            notes.push(
                "git still has what was committed; commit the removal if you want it gone from there".into(),
            );
        }
        if !apart.is_empty() {
            notes.push(format!(
                "git had put other versions in the place of some that were written here ({}): these are in history now",
                quoted(&apart)
            ).into());
        }
        Ok(Ejected { root, brain, existed, moves, restored, notes })
    }

    /// What an eject leaves in the repository's folder, and why; `None` if nothing stays there.
    fn left_in(&self, root: &Path) -> Option<String> {
        let folder = repo::folder(root);
        let names_in = |dir: &Path| {
            let entries = self.disk.list(dir).unwrap_or_default().into_iter();
            let names = entries.map(|entry| entry.name.to_string_lossy().into_owned());
            names.filter(|name| !repo::is_leftover(name)).collect::<Vec<_>>()
        };
        let others = names_in(&folder).into_iter().filter(|name| !repo::moves_with_memory(name));
        let (git, mut own): (Vec<String>, Vec<String>) = others.partition(|name| repo::is_for_git(name));
        let beside_claims = names_in(&folder.join("agent-memory")).into_iter();
        own.extend(
            beside_claims
                .filter(|name| !name.ends_with(".light.md"))
                .map(|name| format!("agent-memory/{name}")),
        );
        own.sort();
        let git: Vec<String> =
            git.into_iter().filter(|name| !repo::is_removed(&*self.disk, root, name)).collect();
        let why = match own.is_empty() || git.is_empty() {
            true => "",
            false => "; the rules for git stay as long as the rest does, and a later eject removes them",
        };
        own.extend(git);
        let list = own.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        (!own.is_empty()).then(|| format!("left in `.brainstem`, because it is no memory: {list}{why}"))
    }

    /// Returns the root of the repository that is meant, or of the project if there is no repository.
    fn repository_root(&self, caller: &Caller, path: Option<&Path>) -> Result<PathBuf, MemoryError> {
        let (repository, stood) = self.meant_root(caller, path)?;
        let below = stood.ancestors().take_while(|dir| *dir != repository && dir.starts_with(&repository));
        // A package whose own brain was set aside belongs to the repository again.
        let is_apart = |dir: &&Path| match self.home.look_at(dir) {
            AtRoot::Nothing => false,
            AtRoot::Brain(_) | AtRoot::Broken(_) => true,
            AtRoot::Replaced(before) => before.iter().any(|one| one.apart != NotServedReason::SetAside),
        };
        match below.into_iter().find(is_apart) {
            Some(package) => {
                Err(BrainError::PartOfRepository { package: package.to_owned(), repository }.into())
            }
            None => Ok(repository),
        }
    }

    /// Returns the repository around the folder that the caller means, or the folder if there is no repository; and
    /// the folder itself.
    pub fn meant_root(
        &self,
        caller: &Caller,
        path: Option<&Path>,
    ) -> Result<(PathBuf, PathBuf), MemoryError> {
        let given = match (path, caller.place().deciding()) {
            (Some(path), _) => {
                caller.hints().cwd.as_ref().map_or_else(|| path.to_owned(), |cwd| cwd.join(path))
            }
            (None, Some((_, path))) => {
                self.check_not_left(caller)?;
                path
            }
            (None, None) => {
                return Err(MemoryError::Missing {
                    field: "path",
                    give: "the project's folder".into(),
                    rule: "MEM-2",
                });
            }
        };
        let path = git_layout::canonical(&*self.disk, &given);
        if self.disk.stat(&path).is_err() {
            return Err(MemoryError::RootMissing(given));
        }
        Ok((git_layout::repository_of(&self.home, &self.never, &path).unwrap_or_else(|| path.clone()), path))
    }

    /// Whether git tracks a file in the repository's folder of memory.
    fn is_tracked(&self, root: &Path) -> bool {
        repo::exposed(&*self.disk, &repo::folder(root)) == Some(Exposed::Tracked)
    }

    /// What the memory of a repository becomes: private, committed, or not private yet because git tracks it.
    fn sharing_notes(&self, sharing: GitSharing, asked: GitWish, root: &Path) -> Vec<Advice> {
        if sharing == GitSharing::Private && self.is_tracked(root) {
            return vec![advice![
                "git tracks .brainstem already, so it is not private yet: ",
                Shell::line("git rm -r --cached .brainstem"),
                ", then commit; from then on it stays out of git, and what was committed before stays in its history; \
                 where everyone who pulls is to keep it, ",
                calls::init_shared(),
                " instead"
            ]];
        }
        sharing_notes(sharing, asked, root, self.is_ignored(root))
    }

    /// Whether the repository's own ignore file names the folder.
    fn is_ignored(&self, root: &Path) -> bool {
        let text = self.disk.read(&root.join(".gitignore"), 1 << 20).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).into_owned();
        text.lines()
            .map(|line| line.trim().trim_matches('/'))
            .any(|line| [".brainstem", ".*", "*"].contains(&line))
    }
}

/// Names the paths of this machine in what can be committed from now on: in prose, which stays as it was written, and in the
/// lines of files that no version could be written of.
fn paths_in_words(
    store: &Store,
    is_new: impl Fn(&str) -> bool,
    are_acts_new: bool,
) -> Result<Vec<String>, MemoryError> {
    let mut words = ProsePaths::into_store(store);
    let mut unfit: Vec<String> = Vec::new();
    for stored in store.scan()?.claims.iter().filter(|stored| is_new(&stored.claim.label)) {
        words.look_at(&stored.claim);
        let label = format!("{:?}", stored.claim.label);
        if outside::fit_file(store, &stored.claim.file) != stored.claim.file && !unfit.contains(&label) {
            unfit.push(label);
        }
    }
    if are_acts_new {
        store.acts().read()?.acts.iter().for_each(|act| words.look_at_act(act));
    }
    let more = if unfit.len() > LABELS_NAMED_MAX { ", …" } else { "" };
    let count = unfit.len().min(LABELS_NAMED_MAX);
    let unfit = (count > 0).then(|| {
        format!(
            "evidence, tags or origins of {}{more} name places of this machine, and the file is undecided or misnamed: resolve or \
             rename it, then repeat init before you commit",
            unfit[..count].join(", ")
        )
    });
    Ok(words.note("this project's memory").into_iter().chain(unfit).collect())
}

/// Returns the plan of a move if every claim can move, or else the refusal that names the first one that cannot.
fn whole(planned: Vec<RelocationStep>) -> Result<Vec<RelocationStep>, MemoryError> {
    let Some(left) = planned.iter().find(|moving| moving.outcome == RelocationOutcome::Left) else {
        return Ok(planned);
    };
    Err(BrainError::CannotMove { label: left.label.clone() }.into())
}

/// Brings back what git took away, if nothing has to be decided. Returns the labels of which a version is live again,
/// and those of which versions grew apart.
fn bring_back(
    store: &Store,
    bring: impl Fn(&ClaimSlug) -> Result<BroughtBack, StoreError>,
) -> Result<(Vec<String>, Vec<String>), MemoryError> {
    let (mut restored, mut apart) = (Vec::new(), Vec::new());
    for label in doubtful(store, &store.scan()?)? {
        match bring(&label.slug)? {
            BroughtBack::Live { label } => restored.push(label),
            BroughtBack::Apart => {
                let missing = store.missing_of(&label.slug)?;
                apart.extend(missing.map(|missing| missing.youngest().label.clone()));
            }
            BroughtBack::Nothing => {}
        }
    }
    Ok((restored, apart))
}

/// What a person has to decide, because git put another version in the place of one that was written here.
fn apart_note(labels: &[String]) -> Option<Advice> {
    let note = advice![
        "git put other versions in the place of some that were written here (",
        quoted(labels),
        "): ",
        calls::resolve(),
        " lists them, ",
        calls::resolve_take(calls::LABEL, calls::SIDE),
        " decides"
    ];
    (!labels.is_empty()).then_some(note)
}

/// The first of these labels, for a sentence.
fn quoted(labels: &[String]) -> String {
    let first: Vec<String> = labels.iter().take(3).map(|label| format!("{label:?}")).collect();
    let more = if labels.len() > first.len() { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

impl GitWish {
    /// Returns how the memory of this brain is shared from now on.
    fn sharing(self, brain: &Brain) -> GitSharing {
        if self == Self::AsItIs { brain.sharing } else { self.without_brain() }
    }

    /// Returns how the memory of a project is shared that has no brain yet.
    fn without_brain(self) -> GitSharing {
        match self {
            Self::Private => GitSharing::Private,
            Self::Shared | Self::AsItIs => GitSharing::Committed,
        }
    }
}

fn sharing_notes(sharing: GitSharing, asked: GitWish, root: &Path, ignored: bool) -> Vec<Advice> {
    let folder = repo::folder(root);
    match sharing {
        GitSharing::Private if asked == GitWish::AsItIs => vec![advice![
            "this project is private, as it was: `",
            folder.display().to_string(),
            "` stays out of git; ",
            calls::init_shared(),
            " lets it be committed"
        ]],
        GitSharing::Private => {
            vec![format!("private: `{}` stays out of git", folder.display()).into()]
        }
        // Refused before.
        GitSharing::Unread => Vec::new(),
        GitSharing::Committed if ignored => vec![
            "the repository's .gitignore keeps .brainstem out of git; remove that line if it should travel"
                .into(),
        ],
        GitSharing::Committed => vec![
            advice![
                "MEMORY AND LETTERS ARE COMMITTED BY DEFAULT: what lies in .brainstem is for everyone who can read the \
                 repository, and stays in its history once it is committed (",
                next::field("private").set(),
                " keeps it out of git)"
            ],
            advice!["to share it: ", Shell::line("git add .brainstem && git commit")],
        ],
    }
}

/// Returns the command that git runs to merge a claim. If this program is gone, git's own merge does it.
fn driver_command(program: Option<&Path>) -> String {
    let program = program.and_then(Path::to_str).unwrap_or("brainstem");
    let quoted = format!("'{}'", program.replace('\'', "'\\''"));
    format!(
        "if command -v {quoted} >/dev/null; then {quoted} merge-driver %O %A %B; else git merge-file -q %A %O %B; fi"
    )
}

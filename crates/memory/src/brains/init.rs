//! Bringing the memory of a project into its repository.

use crate::brains::bootstrap::{BootstrapRequest, RootWish, never};
use crate::brains::committable_record::CommittableRecord;
use crate::brains::error::BrainError;
use crate::brains::git_sharing::{GitWish, LABELS_NAMED_MAX};
use crate::brains::repository::{Moving, ROOM_LEN, apart_note, bring_back};
use crate::error::MemoryError;
use crate::reading::missing_cache::acts_missing_from_checkout;
use crate::service::Memory;
use crate::writing::outside::{self, ProsePaths};
use crate::writing::resolve::doubtful;
use brainstem_base::Advice;
use brainstem_caller::git_layout::CoveringProject;
use brainstem_caller::{Caller, git_layout};
use brainstem_claims::act::Act;
use brainstem_vault::acts;
use brainstem_vault::missing_from_checkout::Missing;
use brainstem_vault::relocate::{self, RelocationOutcome, RelocationStep};
use brainstem_vault::repo::{self, GitSharing};
use brainstem_vault::{Brain, Store, StoreError, StorePlace};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

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
    /// The record of acts that git can commit from now on; `None` if it could before, or never.
    pub record: Option<CommittableRecord>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

impl Memory {
    /// Makes the repository the place of a project's memory. A repeat completes a call that was cut off, and brings
    /// back what a clean or a checkout took away.
    pub fn init(&self, caller: &Caller, request: &InitRequest) -> Result<Initialised, MemoryError> {
        caller.moved_by(|| self.at(caller).bring_in(caller, request))
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
        if let Some(brain) = self.brain_of_bare(&root) {
            self.check_movable(Some(&brain))?;
            self.home.root_in_worktree(&brain, &root, &caller.principal.agent)?;
        }
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
        let settings = git_layout::common_dir(&*self.disk, &git_dir);
        self.exclude(sharing, &root, &settings).map_err(StoreError::stopped_half_way)?;
        let store = self.store_of(&brain);
        let moves = relocate::run(&owner, &store, &held).map_err(StoreError::stopped_half_way)?;
        let coming = acts_missing_from_checkout(&store).map_err(StoreError::stopped_half_way)?;
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
            false => self.left_out_of_git(&root).into_iter().map(Advice::from).collect(),
        };
        let opens = sharing == GitSharing::Committed && (!existed || leaves_private);
        let record = if opens { record_of(&store)? } else { None };
        notes.extend(record.as_ref().and_then(CommittableRecord::note));
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
        let attributes = repo::set_attributes(&*self.disk, &*self.ids, &settings);
        if let Err(error) = attributes.and_then(|()| repo::set_driver(&*self.disk, &settings, &driver)) {
            notes.push(
                format!("{error}, so git merges claims as plain text here; resolve reads its conflicts too")
                    .into(),
            );
        }
        if existed {
            notes.extend(acts_note(&coming, sharing, Moving::Real));
        }
        notes.extend(apart_note(&apart));
        Ok(Initialised { root, brain: Some(brain), existed, moves, restored, record, notes })
    }

    /// Refuses a folder into whose repository no memory can be brought, as `init` does before it looks at anything else.
    pub fn check_init_place(&self, caller: &Caller, path: Option<&Path>) -> Result<(), MemoryError> {
        self.init_place(caller, path).map(drop)
    }

    /// Returns the root of the repository that memory is brought into, and its git folder.
    fn init_place(&self, caller: &Caller, path: Option<&Path>) -> Result<(PathBuf, PathBuf), MemoryError> {
        let root = self.repository_root(caller, path)?;
        let root = self.worktree_to_hold(caller, path, &root)?.unwrap_or(root);
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

    /// The worktree of a bare repository at `root` that the caller is in: nothing is checked out in the repository itself.
    fn worktree_to_hold(
        &self,
        caller: &Caller,
        path: Option<&Path>,
        root: &Path,
    ) -> Result<Option<PathBuf>, MemoryError> {
        let git_dir = git_layout::git_dir(&*self.disk, root);
        if !git_layout::is_bare(&*self.disk, git_dir.as_deref().unwrap_or(root)) {
            return Ok(None);
        }
        let (_, stood) = self.meant_root(caller, path)?;
        Ok(git_layout::worktree_of_bare_at(&*self.disk, &stood))
    }

    /// The brain that a worktree has from its bare repository.
    fn brain_of_bare(&self, worktree: &Path) -> Option<Brain> {
        git_layout::worktree_of_bare_at(&*self.disk, worktree).filter(|top| top == worktree)?;
        if self.home.brain_at(worktree).is_some() {
            return None;
        }
        match git_layout::survey(&self.home, &self.never, worktree) {
            CoveringProject::Brain(brain) => Some(*brain),
            _ => None,
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

    fn plan_init(&self, root: PathBuf, asked: GitWish) -> Result<Initialised, MemoryError> {
        self.check_not_replaced(&root)?;
        let of_bare = self.brain_of_bare(&root).map(|brain| Brain { root: root.clone(), ..brain });
        let brain = match of_bare {
            Some(brain) => Some(brain),
            None => self.home.brain_to_take_up(&root)?,
        };
        self.check_movable(brain.as_ref())?;
        let (mut moves, mut restored, mut apart, mut existed) = (Vec::new(), Vec::new(), Vec::new(), false);
        let sharing = self.sharing_wanted(asked, brain.as_ref(), &root)?;
        let (mut notes, mut record) = (Vec::new(), None);
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
            let leaves_private = brain.sharing == GitSharing::Private;
            if sharing == GitSharing::Committed && (!existed || leaves_private) {
                record = record_of(&self.home.store_at(brain, brain.place))?;
            }
            if existed {
                notes.extend(acts_note(&acts_missing_from_checkout(&store)?, sharing, Moving::DryRun));
            }
        }
        notes.extend(self.sharing_notes(sharing, asked, &root));
        notes.extend(record.as_ref().and_then(CommittableRecord::note));
        notes.extend(apart_note(&apart));
        Ok(Initialised { root, brain, existed, moves, restored, record, notes })
    }
}

/// The record of a store whose memory git can commit from now on.
fn record_of(store: &Store) -> Result<Option<CommittableRecord>, MemoryError> {
    let live: BTreeSet<String> = store.scan()?.claims.into_iter().map(|stored| stored.id).collect();
    Ok(CommittableRecord::of(&store.acts().read()?.acts, &live))
}

/// Names the acts that were recorded here and that the log in the repository gets, with the words of people in them that can
/// be committed then: they may be about memory that was never in the repository.
fn acts_note(acts: &[Act], sharing: GitSharing, moving: Moving) -> Option<Advice> {
    let named = |texts: Vec<String>| {
        let more = if texts.len() > LABELS_NAMED_MAX { ", …" } else { "" };
        format!("{}{more}", texts[..texts.len().min(LABELS_NAMED_MAX)].join(", "))
    };
    let what = acts.iter().map(|act| match act.deed().slug() {
        Some(slug) => format!("{} of {slug}", act.deed().name()),
        None => act.deed().name().to_owned(),
    });
    let words: Vec<String> = acts.iter().flat_map(acts::prose).map(|text| format!("{text:?}")).collect();
    let (count, are_there) = match (acts.len(), moving) {
        (0, _) => return None,
        (1, Moving::Real) => ("1 act recorded here was".to_owned(), "is there now"),
        (1, Moving::DryRun) => ("1 act recorded here is".to_owned(), "comes there"),
        (count, Moving::Real) => (format!("{count} acts recorded here were"), "are there now"),
        (count, Moving::DryRun) => (format!("{count} acts recorded here are"), "come there"),
    };
    let committed = match sharing == GitSharing::Committed && !words.is_empty() {
        true => format!("; git can commit what was said with them: {}", named(words)),
        false => String::new(),
    };
    let what = named(what.collect());
    Some(format!("{count} not in the log of this checkout and {are_there} ({what}){committed}").into())
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

/// Returns the command that git runs to merge a claim. If this program is gone, git's own merge does it.
fn driver_command(program: Option<&Path>) -> String {
    let program = program.and_then(Path::to_str).unwrap_or("brainstem");
    let quoted = format!("'{}'", program.replace('\'', "'\\''"));
    format!(
        "if command -v {quoted} >/dev/null; then {quoted} merge-driver %O %A %B; else git merge-file -q %A %O %B; fi"
    )
}

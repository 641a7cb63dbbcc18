//! Bringing the memory of a project back under the home.

use crate::brains::repository::{Moving, ROOM_LEN, quoted, whole};
use crate::error::MemoryError;
use crate::service::Memory;
use crate::writing::resolve::doubtful;
use brainstem_base::Advice;
use brainstem_caller::{Caller, git_layout};
use brainstem_claims::ClaimSlug;
use brainstem_claims::act::{Act, ActId};
use brainstem_vault::relocate::{self, RelocationOutcome, RelocationStep};
use brainstem_vault::repo;
use brainstem_vault::{Brain, StoreError, StorePlace};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// How often an eject looks for claims that git put back while they moved.
const COMES_BACK_MAX: u32 = 20;
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

impl Memory {
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
            let apart = store.archive_all_copies(&owner, &held)?;
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
            // What is left of a private project stays out of git.
            let exclude = match self.disk.stat(&repo::folder(&root)) {
                Ok(_) => Ok(()),
                Err(_) => repo::unset_exclude(&*self.disk, &*self.ids, &git_dir),
            };
            notes.extend(
                [attributes, driver, exclude]
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
}

//! The folders of the home that hold brains.

use super::finding::{Findings, Trouble};
use crate::brains::unserved::Replacement;
use crate::service::Memory;
use brainstem_base::disk::FileKind;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{Coded as _, DiskFault};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_vault::error::CLAIMS_GONE;
use brainstem_vault::home::DisplacedBrain;
use brainstem_vault::set_aside_brains::ReturningBrain;
use brainstem_vault::{Brain, RootRecord, StoreError, StorePlace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const RECORD_LEN_MAX: u64 = 64 * 1024;

impl Memory {
    /// Looks at every folder of a brain; returns the brains, the caller's own among them.
    pub(super) fn examine_brains(&self, here: Option<&Brain>, found: &mut Findings) -> Vec<Brain> {
        let dir = self.home.path().join("project-brains");
        let roster = match self.home.roster() {
            Ok(roster) => roster,
            Err(error) => {
                found.add(Trouble::StoreUnreadable, dir, error.to_string(), error.fix().unwrap_or_default());
                return here.cloned().into_iter().collect();
            }
        };
        let mut brains = roster.brains;
        // A repository that came with its brain and was never written to has no folder here yet.
        if let Some(here) = here
            && !brains.iter().any(|known| known.root == here.root)
        {
            brains.push(here.clone());
        }
        for brain in &brains {
            if self.disk.stat(&brain.root).is_err_and(|error| error.fault() == DiskFault::NotFound) {
                let detail = format!("its root `{}` is gone; its memory is kept", brain.root.display());
                // Two clones have one name and one id.
                let is_alone = brains.iter().filter(|other| other.origin() == brain.origin()).count() == 1;
                let word = if is_alone { brain.origin() } else { brain.fingerprint.clone() };
                let moved = advice![
                    "if the project lies elsewhere now, take its memory up there: ",
                    calls::take_up(calls::PATH, self.home.was_inside_repository(brain), word)
                ];
                let is_empty = brain.place == StorePlace::Owner
                    && self.store_of(brain).count().is_ok_and(|claims| claims == 0)
                    && !self.has_boot_keys(brain);
                let fix = match is_empty {
                    true => advice![moved, "; else ", calls::migrate_apply(), " sets it aside"],
                    false => moved,
                };
                found.add(Trouble::RootGone, &brain.folder, detail, fix);
            }
        }
        for brain in &brains {
            let own = git_layout::brain_of_worktree(&self.home, &self.never, &brain.root);
            if own.is_some_and(|own| own.fingerprint == brain.fingerprint) {
                let detail = format!(
                    "its root `{}` is a worktree, which is served from the brain of its repository; this one was made \
                     while the repository was away, and is not shown there",
                    brain.root.display()
                );
                let fix = advice![
                    calls::seek_in(calls::QUESTION, "all-brains"),
                    " finds what it holds; ",
                    calls::set_aside(&brain.fingerprint),
                    " sets it aside, which deletes nothing"
                ];
                found.add(Trouble::WorktreeBrain, &brain.folder, detail, fix);
            }
        }
        for displaced in &roster.displaced {
            let Replacement { kept, .. } =
                self.replacement(&displaced.brain.root, std::slice::from_ref(displaced));
            let root = displaced.brain.root.display();
            let detail = format!("another folder is at its root `{root}` now; its memory is kept ({kept})");
            found.add(Trouble::RootReplaced, &displaced.brain.folder, detail, self.way_on(displaced));
        }
        for broken in roster.broken {
            let place = broken.path;
            match self.root_of(&place) {
                Some(_) if broken.why == CLAIMS_GONE => {
                    let error =
                        StoreError::BrokenBrain { folder: place.display().to_string(), why: broken.why };
                    let fix = error.fix().unwrap_or_default();
                    found.add(Trouble::ClaimsGone, place, CLAIMS_GONE, fix);
                }
                Some(_) => {
                    let (folder, why) = (place.display().to_string(), broken.why.clone());
                    // What each call in the project is refused with.
                    let fix = StoreError::BrokenBrain { folder, why }.fix().unwrap_or_default();
                    found.add(Trouble::BrainBroken, place, broken.why, fix);
                }
                None => {
                    let detail = format!("{}, so nobody finds its memory", broken.why);
                    let fix = advice![calls::bootstrap(), " in the project that it belongs to"];
                    found.add(Trouble::RootUnknown, place, detail, fix);
                }
            }
        }
        self.examine_roots(&dir, &roster.displaced, found);
        brains
    }

    /// What to do about a brain whose root is another folder now.
    fn way_on(&self, displaced: &DisplacedBrain) -> Advice {
        let brain = &displaced.brain;
        let elsewhere = calls::take_up(calls::PATH, false, &brain.fingerprint);
        match self.home.brain_at(&brain.root) {
            // The path belongs to another brain by now.
            Some(_) => advice![
                "if the project lies elsewhere now, take its memory up there: ",
                elsewhere,
                "; else ",
                calls::set_aside(&brain.fingerprint)
            ],
            None => advice![
                "if this is the same project: ",
                calls::take_up(&brain.root, false, &brain.fingerprint),
                "; if it lies elsewhere now: ",
                elsewhere,
                "; if this is another one: ",
                calls::bootstrap_at(&brain.root)
            ],
        }
    }

    /// Brains that a migration set aside while their root was away.
    pub(super) fn examine_aside(&self, caller: &Caller, found: &mut Findings) {
        let place = caller.place().deciding();
        let path = place.map(|(_, path)| git_layout::canonical(&*self.disk, &path));
        let root = path.map(|path| git_layout::repository_of(&self.home, &self.never, &path).unwrap_or(path));
        let here = root.filter(|root| self.home.brain_at(root).is_none());
        let mut returned = self.home.returned();
        if let Some(here) = here.and_then(|root| self.home.set_aside_of(&root))
            && !returned.contains(&here)
        {
            returned.push(here);
        }
        for ReturningBrain { folder, root } in returned {
            let detail = format!("its root was away when it was set aside, and is at `{}`", root.display());
            let fix = calls::bootstrap_at(&root);
            found.add(Trouble::BrainSetAside, folder, detail, fix);
        }
    }

    fn examine_roots(&self, dir: &Path, displaced: &[DisplacedBrain], found: &mut Findings) {
        let mut folders: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
        for entry in self.disk.list(dir).unwrap_or_default() {
            let is_brain = entry.kind == FileKind::Dir && !entry.name.as_encoded_bytes().starts_with(b".");
            let folder = dir.join(entry.name);
            if let Some(root) = self.root_of(&folder).filter(|_| is_brain) {
                folders.entry(root).or_default().push(folder);
            }
        }
        let displaced: Vec<PathBuf> =
            displaced.iter().map(|displaced| displaced.brain.folder.clone()).collect();
        for folders in folders.values_mut() {
            // A brain that another folder took the path from has its own finding.
            folders.retain(|folder| !displaced.contains(folder));
        }
        for (root, mut folders) in folders.into_iter().filter(|(_, folders)| folders.len() > 1) {
            folders.sort();
            let names: Vec<_> = folders.iter().map(|folder| format!("`{}`", folder.display())).collect();
            let detail = format!("{} say that they belong to `{}`", names.join(" and "), root.display());
            let empty = folders.iter().filter(|folder| !self.home.holds_memory(folder));
            let empty: Vec<_> = empty.map(|folder| format!("`{}`", folder.display())).collect();
            let fix = match empty.is_empty() || empty.len() == folders.len() {
                true => "if the older project moved, run brainstem once in its new folder; else move none of them aside before \
                         what lies below its agent-memory, .history and .kept included, is copied into the other one"
                    .to_owned(),
                false => format!("move {} aside: no claim, no version and no copy is in it", empty.join(" and ")),
            };
            found.add(Trouble::RootTwice, dir, detail, fix);
        }
    }

    fn root_of(&self, folder: &Path) -> Option<PathBuf> {
        let bytes = self.disk.read(&folder.join("root.json"), RECORD_LEN_MAX).ok()?;
        serde_json::from_slice::<RootRecord>(&bytes).ok().map(|record| PathBuf::from(record.root))
    }
}

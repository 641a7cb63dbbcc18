//! Temporary files that interrupted writes have left, and sweeping them.

use super::examined_store::{ExaminedStore, age_ms};
use super::finding::{Findings, Trouble, word};
use crate::limits::LEFTOVER_MS_MIN;
use crate::reading::row::label_of;
use crate::service::Memory;
use brainstem_base::disk::LockGuard;
use brainstem_base::next::calls;
use brainstem_claims::limits::CLAIM_LEN_READ_MAX;
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::brain::REPO_FOLDER;
use brainstem_vault::kept_copies::KEPT;
use brainstem_vault::left_behind::LeftBehind;
use brainstem_vault::{Brain, LiveFile, Store, StorePlace, checkup};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What becomes of leftovers that hold nothing that is not elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Leftovers {
    /// They are named, and stay.
    #[default]
    Named,
    /// They are removed.
    Swept,
}

impl Memory {
    /// Names the leftovers, or removes those that hold nothing that is not elsewhere; answers what it
    /// removed.
    pub(super) fn examine_leftovers(
        &self,
        brains: &[Brain],
        examined_stores: &[ExaminedStore],
        leftovers: Leftovers,
        found: &mut Findings,
    ) -> Vec<PathBuf> {
        let sweep = leftovers == Leftovers::Swept;
        let mut swept = Vec::new();
        // Every store is swept with its locks held, so that no write is running in it.
        for examined in examined_stores {
            let paths = examined.store.paths();
            let mut inside = Findings::default();
            let locks = if sweep { self.locks_of(&paths.locks) } else { None };
            // Also if the claims are under the home by now.
            let kept = paths.history.with_file_name(KEPT);
            for path in [&paths.claims, &kept].into_iter().flat_map(|dir| self.leftovers_in(dir)) {
                if self.holds_words(&path, &examined.store) {
                    let fix = format!("read {}, memorize what still holds, then remove it", word(&path));
                    inside.add(
                        Trouble::LeftoverWords,
                        path,
                        "an interrupted write left a text that is nowhere else",
                        fix,
                    );
                } else {
                    self.leave_or_sweep(path, locks.is_some(), &mut swept, &mut inside);
                }
            }
            for path in self.leftovers_in(&paths.history) {
                self.leave_or_sweep(path, locks.is_some(), &mut swept, &mut inside);
            }
            swept.extend(self.examine_left(&examined.store, locks.is_some(), &mut inside));
            found.add_store(inside, &paths.claims, true);
        }
        let mut folders: BTreeSet<PathBuf> = [self.home.path().to_owned()].into();
        folders.extend(brains.iter().map(|brain| brain.folder.clone()));
        let in_repo = brains.iter().filter(|brain| brain.place == StorePlace::Repo);
        folders.extend(in_repo.map(|brain| brain.root.join(REPO_FOLDER)));
        for path in folders.iter().flat_map(|dir| self.leftovers_in(dir)) {
            self.leave_or_sweep(path, sweep, &mut swept, found);
        }
        swept.extend(self.examine_copies(sweep, found));
        swept
    }

    /// Names what renamings left under old names, in history or as kept copies, or removes it; returns what it removed.
    fn examine_left(&self, store: &Store, sweep: bool, found: &mut Findings) -> Vec<PathBuf> {
        // A history that cannot be read is a finding of its own, and so are copies that cannot be listed.
        let mut left = store.left_in_history(None).unwrap_or_default();
        left.extend(store.left_in_copies(None).unwrap_or_default());
        // If the claim is live under both names, that finding names the call which completes the renaming.
        let cut_off = if left.is_empty() { Vec::new() } else { store.cut_off_renames().unwrap_or_default() };
        let is_told =
            |it: &LeftBehind| cut_off.iter().any(|pair| (&pair.from, &pair.to) == (&it.from, &it.to));
        let mut swept = Vec::new();
        for it in left.into_iter().filter(|it| !is_told(it)) {
            if sweep && self.disk.unlink(&it.path).is_ok() {
                swept.push(it.path);
                continue;
            }
            let detail = format!(
                "a renaming of {:?} to {:?} left this version under the old name too",
                it.from.as_str(),
                label_of(store, &it.to)
            );
            found.add(Trouble::RenameInterrupted, it.path, detail, calls::doctor_sweep());
        }
        let folders: BTreeSet<&Path> = swept.iter().filter_map(|path| path.parent()).collect();
        for folder in folders {
            // A name that a power cut brings back is found by the next look.
            let _ = self.disk.sync_dir(folder);
        }
        swept
    }

    /// Names the copies of claims that a killed run of the battery has left, or removes them.
    fn examine_copies(&self, sweep: bool, found: &mut Findings) -> Vec<PathBuf> {
        let worlds = self.home.worlds();
        let left = worlds.left();
        let stayed = match sweep && !left.is_empty() {
            true => {
                worlds.hold(Duration::ZERO).and_then(|held| held.clear()).unwrap_or_else(|_| left.clone())
            }
            false => left.clone(),
        };
        if !stayed.is_empty() {
            let detail = "a run of the battery was killed and left copies of claims; forget removes them too";
            found.add(Trouble::LeftoverCopies, worlds.dir(), detail, calls::doctor_sweep());
        }
        left.into_iter().filter(|world| !stayed.contains(world)).collect()
    }

    fn leave_or_sweep(&self, path: PathBuf, sweep: bool, swept: &mut Vec<PathBuf>, found: &mut Findings) {
        if sweep && self.disk.unlink(&path).is_ok() {
            swept.push(path);
        } else {
            let detail = "an interrupted write left it; nothing reads it";
            found.add(Trouble::LeftoverFile, path, detail, calls::doctor_sweep());
        }
    }

    /// The temporary files of a folder that no write can still be using.
    fn leftovers_in(&self, dir: &Path) -> Vec<PathBuf> {
        let is_old = |path: &PathBuf| {
            let Ok(stat) = self.disk.stat(path) else { return false };
            // A second name of an old file has an old time of its content, and a new one of its names.
            let changed = self.disk.facts(path).changed_ns.unwrap_or(stat.modified_ns).max(stat.modified_ns);
            age_ms(self.clock.now(), changed) > LEFTOVER_MS_MIN
        };
        checkup::temporary_files(&*self.disk, dir).into_iter().filter(is_old).collect()
    }

    /// Takes the locks that a store has; `None` when one of them is in use.
    fn locks_of(&self, dir: &Path) -> Option<Vec<Box<dyn LockGuard>>> {
        let mut names: Vec<_> =
            self.disk.list(dir).unwrap_or_default().into_iter().map(|entry| entry.name).collect();
        names.sort();
        names.into_iter().map(|name| self.disk.lock(&dir.join(name), Duration::ZERO).ok()).collect()
    }

    /// Whether a temporary file of a store holds a text that neither the live claim nor history has: what
    /// another program wrote at the very moment in which a claim was replaced, or a version that never
    /// became one.
    fn holds_words(&self, path: &Path, store: &Store) -> bool {
        let Ok(bytes) = self.disk.read(path, CLAIM_LEN_READ_MAX) else { return true };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return false;
        }
        let Ok(claim) = Claim::parse(&bytes) else { return true };
        let Ok(label) = Label::parse(&claim.label) else { return true };
        let slug = ClaimSlug::of(&label);
        let is_live = matches!(store.live(&slug), LiveFile::Claim(live) if live.file == claim.file);
        let outdated = claim.outdated();
        let in_history = || {
            store.history(&slug).is_ok_and(|(versions, _)| {
                versions
                    .iter()
                    .any(|version| version.claim.file == claim.file || version.claim.file == outdated)
            })
        };
        !is_live && !in_history()
    }
}

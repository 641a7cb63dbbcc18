//! Another label for a claim: its history follows, and the old name goes.

use crate::acts::Act;
use crate::history;
use crate::scan::Unreadable;
use crate::store::{Live, RACES_MAX, Store, stripe};
use crate::{StoreError, durable};
use brainstem_base::DiskFault;
use brainstem_base::disk::LockGuard;
use brainstem_claims::light::keys;
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::path::PathBuf;

/// The name of the act.
pub const RENAME: &str = "rename";

/// A claim under its new label.
#[derive(Clone, Debug)]
pub struct Renamed {
    /// Its live file.
    pub path: PathBuf,
    /// What it says.
    pub claim: Claim,
    /// How many versions of its history have its new name.
    pub versions: usize,
    /// It was called so before.
    pub unchanged: bool,
}

/// Why a claim keeps its label.
#[derive(Debug)]
pub enum RenameFault {
    /// There is no such claim.
    Absent,
    /// Something else has the new name.
    Taken {
        /// Its label.
        holder: String,
    },
    /// A file is no readable claim.
    Unreadable(Unreadable),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for RenameFault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What is renamed.
pub struct Renaming<'a> {
    /// The slug it has.
    pub from: &'a ClaimSlug,
    /// Whether a live claim of that slug is the one that is meant.
    pub is_it: &'a dyn Fn(&Claim) -> bool,
    /// The label it gets.
    pub to: &'a Label,
    /// The record of it, for the claim as it was; `returns` counts how often it came back to this name.
    pub act: &'a dyn Fn(&Claim, usize) -> Act,
    /// Whether an act of the log is this very renaming, done before.
    pub is_done_by: &'a dyn Fn(&Act) -> bool,
}

impl Store {
    /// Gives the live claim another label. What it says, its birth and its author stay.
    ///
    /// Order: the history under its new name beside the old, the live file under its new name, the
    /// act, then the old live name goes, then the old names of the history. Cut off anywhere, the
    /// claim is there under its old name or under both, and the repeat completes it.
    pub fn rename(&self, renaming: &Renaming<'_>) -> Result<Renamed, RenameFault> {
        let to = ClaimSlug::of(renaming.to);
        let _guards = self.lock_both(renaming.from, &to)?;
        for _ in 0..RACES_MAX {
            let old = match self.settled(renaming.from)? {
                Live::Claim(claim) if (renaming.is_it)(&claim) => *claim,
                Live::Claim(_) | Live::Absent => return self.renamed_before(renaming, &to),
                Live::Unreadable(bad) => return Err(RenameFault::Unreadable(bad)),
            };
            let new = relabelled(&old, renaming.from, renaming.to, &to);
            let done = if *renaming.from == to {
                self.respell(renaming, &old, &new)?
            } else {
                self.move_over(renaming, &to, &old, &new)?
            };
            if let Some(renamed) = done {
                return Ok(renamed);
            }
        }
        Err(RenameFault::Unreadable(self.keeps_changing(renaming.from)))
    }

    /// Another spelling with the same slug: one file, replaced whole.
    fn respell(
        &self,
        renaming: &Renaming<'_>,
        old: &Claim,
        new: &Claim,
    ) -> Result<Option<Renamed>, RenameFault> {
        let path = self.live_path(renaming.from);
        let versions = self.version_names(renaming.from)?.len();
        if old.label == new.label {
            return Ok(Some(Renamed { path, claim: new.clone(), versions, unchanged: true }));
        }
        let fault = || StoreError::disk("cannot rename the claim");
        let bytes = new.file.render();
        let staged =
            durable::Staged::new(&*self.disk, &*self.ids, &path, bytes.as_bytes()).map_err(fault())?;
        self.drop_kept(renaming.from)?;
        self.keep_copy(renaming.from, &new.file)?;
        self.record_rename(renaming, old)?;
        if !self.is_still(&path, old) {
            return Ok(None);
        }
        staged.put().map_err(fault())?;
        Ok(Some(Renamed { path, claim: new.clone(), versions, unchanged: false }))
    }

    /// `None` when another program changed the claim meanwhile.
    fn move_over(
        &self,
        renaming: &Renaming<'_>,
        to: &ClaimSlug,
        old: &Claim,
        new: &Claim,
    ) -> Result<Option<Renamed>, RenameFault> {
        let fault = || StoreError::disk("cannot rename the claim");
        let path = self.live_path(to);
        // A live file that says exactly this was left by a run that was cut off.
        let resumes = match self.live(to) {
            Live::Absent => false,
            Live::Claim(there) if there.file == new.file => true,
            Live::Claim(there) => return Err(RenameFault::Taken { holder: there.label }),
            Live::Unreadable(bad) => return Err(RenameFault::Unreadable(bad)),
        };
        let moved = self.link_history(renaming.from, to)?;
        self.keep_copy(to, &new.file)?;
        if !resumes {
            let bytes = new.file.render();
            match durable::create(&*self.disk, &*self.ids, &path, bytes.as_bytes()).map_err(fault())? {
                durable::Named::New => {}
                durable::Named::Taken => return Ok(None),
            }
        } else {
            self.disk.sync_dir(&self.paths.claims).map_err(fault())?;
        }
        let undo = || {
            // Best effort: two names of one claim lose nothing, and the repeat goes on from there.
            let _ = self.disk.unlink(&path).and_then(|()| self.disk.sync_dir(&self.paths.claims));
            let _ = self.unlink_history(to, renaming.from);
        };
        if let Err(error) = self.record_rename(renaming, old) {
            undo();
            return Err(error.into());
        }
        if !self.remove_live(renaming.from, old)? {
            undo();
            return Ok(None);
        }
        self.unlink_history(renaming.from, to)?;
        self.drop_kept(renaming.from)?;
        Ok(Some(Renamed { path, claim: new.clone(), versions: moved, unchanged: false }))
    }

    /// The claim has the new label already: what a run that was cut off left undone is done.
    fn renamed_before(&self, renaming: &Renaming<'_>, to: &ClaimSlug) -> Result<Renamed, RenameFault> {
        let there = match self.live(to) {
            Live::Claim(there) if there.label == renaming.to.as_str() => *there,
            Live::Claim(_) | Live::Absent | Live::Unreadable(_) => return Err(RenameFault::Absent),
        };
        if !self.acts().read()?.acts.iter().any(renaming.is_done_by) {
            return Err(RenameFault::Absent);
        }
        self.sync()?;
        if renaming.from != to {
            self.unlink_history(renaming.from, to)?;
            self.drop_kept(renaming.from)?;
        }
        let versions = self.version_names(to)?.len();
        Ok(Renamed { path: self.live_path(to), claim: there, versions, unchanged: true })
    }

    fn record_rename(&self, renaming: &Renaming<'_>, old: &Claim) -> Result<(), StoreError> {
        let acts = self.acts();
        let back = |act: &&Act| {
            act.act == RENAME
                && act.data["to_slug"] == renaming.from.as_str()
                && act.data["created"].as_i64() == old.created.map(|at| at.ms())
        };
        let returns = acts.read()?.acts.iter().filter(back).count();
        acts.record(&(renaming.act)(old, returns))
    }

    /// Gives every version of `from` a second name under `to`; refused when another version has one.
    fn link_history(&self, from: &ClaimSlug, to: &ClaimSlug) -> Result<usize, RenameFault> {
        let fault = || StoreError::disk("cannot move the history");
        let dir = &self.paths.history;
        let names = self.version_names(from)?;
        let targets: Vec<String> = names.iter().map(|name| under(name, from, to)).collect();
        for name in self.version_names(to)? {
            let is_ours = targets
                .iter()
                .position(|target| *target == name)
                .is_some_and(|at| self.is_same_file(&names[at], &name));
            if !is_ours {
                let holder =
                    self.disk.read(&dir.join(&name), u64::MAX).ok().and_then(|b| Claim::parse(&b).ok());
                return Err(RenameFault::Taken { holder: holder.map_or(name, |claim| claim.label) });
            }
        }
        for (name, target) in names.iter().zip(&targets) {
            match self.disk.link(&dir.join(name), &dir.join(target)) {
                Err(error) if error.fault() != DiskFault::Exists => return Err(fault()(error).into()),
                Ok(()) | Err(_) => {}
            }
        }
        if !names.is_empty() {
            self.disk.sync_dir(dir).map_err(fault())?;
        }
        Ok(names.len())
    }

    /// Takes away the names under `from` of versions that have one under `to`.
    fn unlink_history(&self, from: &ClaimSlug, to: &ClaimSlug) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot move the history");
        let dir = &self.paths.history;
        for name in self.version_names(from)? {
            if self.is_same_file(&name, &under(&name, from, to)) {
                self.disk.unlink(&dir.join(name)).map_err(fault())?;
            }
        }
        match self.disk.sync_dir(dir) {
            Err(error) if error.fault() != DiskFault::NotFound => Err(fault()(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn is_same_file(&self, one: &str, other: &str) -> bool {
        let read = |name: &str| self.disk.read(&self.paths.history.join(name), u64::MAX);
        matches!((read(one), read(other)), (Ok(one), Ok(other)) if one == other)
    }

    /// The files of a slug's versions, readable or not, by name.
    pub(crate) fn version_names(&self, slug: &ClaimSlug) -> Result<Vec<String>, StoreError> {
        let entries = match self.disk.list(&self.paths.history) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot list the history")(error)),
        };
        let mut names: Vec<String> = entries
            .into_iter()
            .filter_map(|entry| entry.name.into_string().ok())
            .filter(|name| history::parse_version_name(name).is_some_and(|(found, _)| found == *slug))
            .collect();
        names.sort();
        Ok(names)
    }

    /// Both labels' locks, always in the same order, so that two renamings never wait for each other.
    fn lock_both(&self, a: &ClaimSlug, b: &ClaimSlug) -> Result<Vec<Box<dyn LockGuard>>, StoreError> {
        self.lock_each(&[a.clone(), b.clone()])
    }

    /// The locks of several labels, in the one order.
    pub(crate) fn lock_each(&self, slugs: &[ClaimSlug]) -> Result<Vec<Box<dyn LockGuard>>, StoreError> {
        let mut slugs: Vec<&ClaimSlug> = slugs.iter().collect();
        slugs.sort_by_key(|slug| stripe(slug));
        slugs.dedup_by_key(|slug| stripe(slug));
        slugs.into_iter().map(|slug| self.lock(slug)).collect()
    }
}

/// A version's file name under another slug.
fn under(name: &str, from: &ClaimSlug, to: &ClaimSlug) -> String {
    format!("{to}{}", &name[from.as_str().len()..])
}

fn relabelled(old: &Claim, from: &ClaimSlug, label: &Label, to: &ClaimSlug) -> Claim {
    let mut file = old.file.clone();
    file.relabel(label.as_str());
    let before = old.supersedes.as_deref().and_then(|before| before.strip_prefix(from.as_str()));
    if let Some(stamp) = before.filter(|stamp| stamp.is_empty() || stamp.starts_with('@')) {
        file.set(keys::SUPERSEDES, &format!("{to}{stamp}"));
    }
    Claim::from(file)
}

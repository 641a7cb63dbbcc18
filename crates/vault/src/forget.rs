//! Deletion for good: the only trace left is a tombstone.

use crate::acts::ActsLog;
use crate::scan::UnreadableClaim;
use crate::store::{RACES_MAX, Store};
use crate::traces::{Forgetting, Traces, named_slug, redacted};
use crate::{StoreError, durable};
use brainstem_base::{DiskError, DiskFault};
use brainstem_claims::ClaimSlug;
use brainstem_claims::act::{Act, Deed, DeedKind, TombstoneRef, tombstone_name};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// The message if the disk fails after the claim is forgotten and before all files are removed.
const LEFT: &str = "the claim is forgotten, and what is left of it cannot be deleted";
/// The same if the disk does not confirm the deletion.
const LEFT_UNCONFIRMED: &str =
    "the claim is forgotten, and the disk did not confirm that all of it is deleted; the repeat completes it";

impl Store {
    /// Deletes a claim for good: the tombstone, then the files, then what the acts say about it. Interrupted anywhere,
    /// a repeat completes it, with the same tombstone.
    ///
    /// Each file gets a temporary name first, which can be taken back: if one of them cannot be removed, all of them
    /// stay and there is no tombstone.
    ///
    /// `acts` makes the acts to record from the deed of the tombstone, which is the last of them.
    pub fn forget(
        &self,
        forgetting: &Forgetting<'_>,
        acts: impl FnOnce(Deed) -> Vec<Act>,
    ) -> Result<Result<Traces, UnreadableClaim>, StoreError> {
        // The lock of a file under another name is the lock of that name.
        let mut slugs = vec![forgetting.slug.clone()];
        let mut tries = 0..RACES_MAX;
        let (_guards, traces) = loop {
            let guards = self.lock_each(&slugs)?;
            // Read as the caller read them: a line that only one way of reading takes for a renaming would refuse each try.
            let mut renames = self.acts().read()?.acts;
            renames.retain(|act| act.kind() == Some(DeedKind::Rename));
            let ids = |acts: &[Act]| acts.iter().map(|act| act.id().clone()).collect::<HashSet<_>>();
            if ids(&renames) != ids(forgetting.renames) {
                return Err(StoreError::Moved);
            }
            let traces = match self.traces(forgetting)? {
                Ok(traces) => traces,
                Err(bad) => return Ok(Err(bad)),
            };
            let before = slugs.len();
            slugs.extend(traces.strays.iter().filter_map(|path| named_slug(path)));
            slugs.sort();
            slugs.dedup();
            if slugs.len() == before {
                break (guards, traces);
            }
            if tries.next().is_none() {
                return Ok(Err(self.keeps_changing(forgetting.slug)));
            }
        };
        if traces.is_empty() {
            self.sync()?;
            return Ok(Ok(traces));
        }
        let name = tombstone_name(forgetting.slug);
        let covers = |act: &Act| match act.deed() {
            Deed::Forget { tombstone, sha256, secret, .. } => {
                let listed: HashSet<&String> = sha256.iter().chain(secret).collect();
                tombstone.as_str().starts_with(&name)
                    && traces.sha256.iter().chain(&traces.secret).all(|named| listed.contains(named))
            }
            _ => false,
        };
        // A full disk refuses now, and not after the files are gone.
        let rooms = self.logs().iter().map(ActsLog::reserve_rewrite).collect::<Result<Vec<_>, _>>()?;
        let known: Vec<Act> = self.acts().read()?.acts.into_iter().filter(covers).collect();
        let recorded = if known.is_empty() {
            let deleted = traces.sha256.iter().chain(&traces.secret);
            let tombstone = TombstoneRef::new(forgetting.slug, deleted);
            let count = traces.live.iter().chain(&traces.strays).count() + traces.versions();
            let mut covers = traces.covers();
            if !traces.left.is_empty() || !traces.others.is_empty() {
                // A stamp that covers everything older would reach the versions that stay.
                covers = covers.by_id_alone();
            }
            let earlier = forgetting.earlier.iter().map(ClaimSlug::of).chain(traces.slugs.iter().cloned());
            let earlier = earlier.filter(|slug| slug != forgetting.slug);
            let names: BTreeSet<String> = earlier.map(|slug| tombstone_name(&slug)).collect();
            acts(Deed::Forget {
                tombstone,
                versions: Some(count as u64),
                sha256: traces.sha256.iter().cloned().collect(),
                covers: Some(covers),
                gone: Some(traces.gone()),
                names: names.into_iter().collect(),
                secret: traces.secret.iter().cloned().collect(),
            })
        } else {
            known
        };
        let gone = self.acts().record_for(&recorded, || {
            // The log in the repository can change with git, so the home's log must mark the claim too.
            let before = self.logs().into_iter().nth(1);
            let is_tombstone = |act: &&Act| matches!(act.deed(), Deed::Forget { .. });
            let tombstones: Vec<Act> = recorded.iter().filter(is_tombstone).cloned().collect();
            match before {
                Some(before) => {
                    before.record_for(&tombstones, || self.set_aside_all(forgetting.slug, &traces))
                }
                None => self.set_aside_all(forgetting.slug, &traces),
            }
        })?;
        // From here on it is forgotten. An error from now on says so, and a repeat completes it.
        let cleared = (|| {
            for path in gone {
                self.disk.unlink(&path).map_err(StoreError::disk(LEFT))?;
            }
            // If the disk does not confirm the removal of the files, the acts can still lose their words.
            let synced = self.sync_traces(forgetting.slug, &traces);
            drop(rooms);
            let redact = |log: &ActsLog| log.rewrite(|line| redacted(line, forgetting, &traces));
            let rewritten = self.logs().iter().try_for_each(redact);
            synced.and(rewritten)
        })();
        cleared.map_err(|error| match error {
            StoreError::Disk { source, .. } => StoreError::Disk { doing: LEFT, source },
            StoreError::Unconfirmed { source, .. } => {
                StoreError::Unconfirmed { told: LEFT_UNCONFIRMED, source }
            }
            other => other,
        })?;
        Ok(Ok(traces))
    }

    /// Gives every file that is to go a temporary name; either all of them or none.
    fn set_aside_all(&self, slug: &ClaimSlug, traces: &Traces) -> Result<Vec<PathBuf>, StoreError> {
        let kept = self.copies_dir();
        let mut aside: Vec<(&Path, PathBuf)> = Vec::new();
        let replaced = traces.live.as_deref().filter(|_| traces.rest.is_some());
        if let Some((path, rest)) = replaced.zip(traces.rest.as_ref()) {
            let changed = || DiskError::new("replace", path, DiskFault::Busy);
            let temp = self.put_rest(slug, rest)?;
            aside.push((path, temp.ok_or_else(|| StoreError::disk("cannot delete the claim")(changed()))?));
        }
        for path in traces.files().filter(|path| Some(path.as_path()) != replaced) {
            let folder = path.parent().unwrap_or(path);
            // Leftovers of copies are searched in one folder, not in each of theirs.
            let folder = if folder.starts_with(&kept) { &kept } else { folder };
            let temp = durable::temp_in(folder, &*self.ids);
            match self.disk.rename(path, &temp) {
                Ok(()) => aside.push((path, temp)),
                Err(error) if error.fault() == DiskFault::NotFound => {}
                Err(error) => {
                    // A repeat finds a file under its temporary name.
                    let back: Vec<_> = aside
                        .into_iter()
                        .map(|(path, temp)| match Some(path) == replaced {
                            true => self.disk.rename(&temp, path),
                            false => self.disk.rename_new(&temp, path),
                        })
                        .collect();
                    let undone = back.into_iter().collect::<Result<(), _>>();
                    return Err(StoreError::disk("cannot delete the claim")(error).after_undo(undone));
                }
            }
        }
        Ok(aside.into_iter().map(|(_, temp)| temp).collect())
    }

    fn sync_traces(&self, slug: &ClaimSlug, traces: &Traces) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot delete the claim");
        let acts_dir = self.paths.acts.parent().unwrap_or(&self.paths.acts);
        let kept = self.copies_dir();
        let copies = traces.leftovers.iter().filter_map(|path| path.parent());
        let emptied: BTreeSet<&Path> = copies.filter(|dir| dir.starts_with(&kept) && *dir != kept).collect();
        let sync = |dir: &Path| match self.disk.sync_dir(dir) {
            Err(error) if error.fault() != DiskFault::NotFound => Err(fault()(error)),
            Ok(()) | Err(_) => Ok(()),
        };
        emptied.iter().try_for_each(|dir| sync(dir))?;
        // The folder that an older program made for this slug stays if it still holds something else.
        let _ = self.disk.remove_dir(&kept.join(slug.as_str()));
        let dirs = BTreeSet::from([self.paths.claims.as_path(), &self.paths.history, acts_dir, &kept]);
        dirs.into_iter().chain(self.owner_claims()).try_for_each(sync)
    }
}

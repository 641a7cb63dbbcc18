//! An export as a plain copy of the folders.

use super::exported_store::{BRAINS, ExportedStore, unreadable_in};
use super::gaps::as_it_is;
use super::new_name::{is_place, no_place, taken};
use super::outside_stores::FileOutsideStores;
use super::request::{ExportScope, Exported};
use crate::limits::PIECE_LEN;
use crate::service::Transfer;
use brainstem_base::disk::FileKind;
use brainstem_base::{DiskError, DiskFault};
use brainstem_memory::MemoryError;
use brainstem_vault::acts::{LOG_LEN_MAX, codec};
use brainstem_vault::carried_files::CarriedFile;
use brainstem_vault::durable::TEMP_PREFIX;
use brainstem_vault::{StoreError, durable};
use std::path::{Path, PathBuf};

impl Transfer {
    /// Copies the folders: built beside `out`, and given its name when whole. What fails leaves nothing behind.
    pub(super) fn copy_out(
        &self,
        copied: (ExportScope, &[FileOutsideStores]),
        sources: &[ExportedStore],
        out: &Path,
        exported: &mut Exported,
        progress: &dyn Fn(usize, usize),
    ) -> Result<(), MemoryError> {
        if self.disk().stat(out).is_ok() {
            return Err(taken(out));
        }
        let beside = out.parent().unwrap_or(Path::new("/"));
        let temp = beside.join(format!("{TEMP_PREFIX}{}", self.ids().temp_suffix()));
        let copied = self.copy_into(&temp, copied, sources, out, exported, progress);
        if copied.is_err() {
            self.clear_away(&temp);
            return copied;
        }
        let fault = |error: DiskError| match error.fault() {
            DiskFault::Exists => taken(out),
            _ => StoreError::disk("cannot write the export")(error).into(),
        };
        if let Err(error) = self.disk().rename(&temp, out) {
            self.clear_away(&temp);
            return Err(fault(error));
        }
        // Named, and not certain: it goes again, so that the repeat finds the name free.
        self.disk().sync_dir(beside).map_err(|error| {
            self.clear_away(out);
            fault(error)
        })
    }

    /// Removes a folder that this export made, as far as it can.
    fn clear_away(&self, dir: &Path) {
        for entry in self.disk().list(dir).unwrap_or_default() {
            let path = dir.join(&entry.name);
            match entry.kind {
                FileKind::Dir => self.clear_away(&path),
                FileKind::File | FileKind::Link | FileKind::Other => drop(self.disk().unlink(&path)),
            }
        }
        let _ = self.disk().remove_dir(dir);
    }

    /// Copies a file of any size; false where there is none. A file of at most `whole_len_max` bytes is copied as it is at
    /// one moment; a larger one piece by piece, as far as it went when the copy began.
    fn copy_file(&self, from: &Path, to: &Path, whole_len_max: u64) -> Result<bool, MemoryError> {
        let fault = || StoreError::disk("cannot write the export");
        let len = match self.disk().read(from, whole_len_max) {
            Ok(bytes) => return self.put_new(to, &bytes).map(|()| true),
            Err(error) => match error.fault() {
                DiskFault::NotFound => return Ok(false),
                DiskFault::TooLarge { len } => len,
                _ => return Err(fault()(error).into()),
            },
        };
        self.put_new(to, &[])?;
        let mut offset = 0;
        while offset < len {
            let piece = self.disk().read_part(from, offset, PIECE_LEN.min(len - offset)).map_err(fault())?;
            if piece.is_empty() {
                break;
            }
            offset += piece.len() as u64;
            self.disk().append(to, &piece).map_err(fault())?;
        }
        Ok(true)
    }

    fn copy_into(
        &self,
        temp: &Path,
        (scope, beside): (ExportScope, &[FileOutsideStores]),
        sources: &[ExportedStore],
        out: &Path,
        exported: &mut Exported,
        progress: &dyn Fn(usize, usize),
    ) -> Result<(), MemoryError> {
        durable::make_dirs(self.disk(), temp).map_err(|error| match error {
            StoreError::Disk { source, .. } if is_place(source.fault()) => no_place(out, &source),
            other => other.into(),
        })?;
        let copy = |from: &Path, to: &Path| self.copy_file(from, to, PIECE_LEN);
        for (at, ExportedStore { name: of, brain, store }) in sources.iter().enumerate() {
            let (dir, files): (PathBuf, &[&str]) = match (scope, brain) {
                (ExportScope::All, Some(brain)) => {
                    (temp.join(BRAINS).join(&brain.fingerprint), &["brain.json", "boot_memory_state.json"])
                }
                (_, Some(_)) => (temp.to_owned(), &["brain.json", "boot_memory_state.json"]),
                (_, None) => (temp.to_owned(), &["boot_memory_state.json"]),
            };
            let folder =
                brain.as_ref().map_or_else(|| self.home().path().to_owned(), |brain| brain.folder.clone());
            let (claims, history) = (dir.join("agent-memory"), dir.join("agent-memory/.history"));
            store.check_real_folders()?;
            let carried = store.carried()?;
            durable::make_dirs(self.disk(), &history)?;
            let bad = unreadable_in(store)?;
            for name in self.names_in(&store.paths().claims)? {
                let is_copied = copy(&store.paths().claims.join(&name), &claims.join(&name))?;
                match (is_copied, bad.get(&name)) {
                    (true, Some(why)) => exported.gaps.push(as_it_is(of, &name, why)),
                    (true, None) => exported.claims += 1,
                    (false, _) => {}
                }
            }
            for name in self.names_in(&store.paths().history)? {
                exported.versions +=
                    usize::from(copy(&store.paths().history.join(&name), &history.join(&name))?);
            }
            exported.versions = exported.versions.saturating_sub(self.stamp_count(store)?);
            for CarriedFile { name, exit, bytes } in carried {
                let (folder, count) = match exit {
                    None => (&claims, &mut exported.claims),
                    Some(_) => (&history, &mut exported.versions),
                };
                let path = folder.join(name);
                // It came back into the checkout, and was copied from there.
                if self.disk().stat(&path).is_err() {
                    self.put_new(&path, &bytes)?;
                    *count += 1;
                }
            }
            // `forget` writes it anew, so that pieces may be of two logs.
            let log = dir.join("acts.jsonl");
            let is_there = self.copy_file(&store.paths().acts, &log, LOG_LEN_MAX)?;
            let mut away = Vec::new();
            for act in store.acts().taken_away()? {
                // A line of its own, also behind one that a crash tore.
                away.push(b'\n');
                away.extend_from_slice(codec::line(&act).as_bytes());
            }
            match (away.is_empty(), is_there) {
                (true, _) => {}
                (false, true) => {
                    away.push(b'\n');
                    self.disk().append(&log, &away).map_err(StoreError::disk("cannot write the export"))?;
                }
                (false, false) => self.put_new(&log, &away)?,
            }
            exported.acts += store.acts().read()?.acts.len();
            for file in files {
                let in_repo = brain.as_ref().and_then(|brain| {
                    let path = brain.root.join(".brainstem").join(file);
                    (brain.place == brainstem_vault::StorePlace::Repo && self.disk().stat(&path).is_ok())
                        .then_some(path)
                });
                copy(&in_repo.unwrap_or_else(|| folder.join(file)), &dir.join(file))?;
            }
            progress(at + 1, sources.len());
        }
        // Behind the claims, so that the record of what was written here has a line for each of them.
        for FileOutsideStores { from, to } in beside {
            let to = temp.join(to);
            if self.disk().stat(&to).is_err() {
                durable::make_dirs(self.disk(), to.parent().unwrap_or(temp))?;
                let gap = self.is_ledger(from).then(|| self.copy_ledger(from, &to));
                if gap.as_ref().is_none_or(Option::is_some) {
                    copy(from, &to)?;
                }
                exported.gaps.extend(gap.flatten());
            }
        }
        Ok(())
    }
}

//! The files of a project as a host finds them. They are read whole and written whole, and never outside the project.

use super::record::Record;
use crate::limits::HOST_FILE_LEN_MAX;
use brainstem_base::disk::FileKind;
use brainstem_base::{Coded as _, Disk, DiskError, DiskFault, ErrorCode, Fault, Ids, codes};
use brainstem_hosts::UnfitFile;
use brainstem_memory::MemoryError;
use brainstem_vault::{StoreError, durable};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The prefix of the temporary names of these files. It distinguishes them from those of other tools in a person's repository.
const TEMP_NAMES: &str = ".tmp-brainstem-";

/// Draws temporary names with that prefix.
struct HostTempNames<'a>(&'a dyn Ids);

impl Ids for HostTempNames<'_> {
    fn random(&self) -> [u8; 10] {
        self.0.random()
    }

    fn temp_suffix(&self) -> String {
        let prefix = TEMP_NAMES.strip_prefix(durable::TEMP_PREFIX).unwrap_or(TEMP_NAMES);
        format!("{prefix}{}", self.0.temp_suffix())
    }
}

pub(super) struct ProjectFiles<'a> {
    pub(super) disk: &'a dyn Disk,
    pub(super) root: &'a Path,
}

/// A file with its text, or a path without a file yet.
pub(super) struct File {
    /// As hosts name it, below the root.
    pub(super) name: String,
    /// Its path, links resolved.
    pub(super) path: PathBuf,
    pub(super) text: Option<String>,
}

impl ProjectFiles<'_> {
    /// The text of a file, if it exists and can be read.
    pub(super) fn look(&self, name: &str) -> Option<String> {
        self.open(name).ok()?.text
    }

    /// Finds and reads a file. A link is followed as long as it stays in the project.
    pub(super) fn open(&self, name: &str) -> Result<File, MemoryError> {
        let path = self.place(name)?;
        let text = match self.disk.read(&path, HOST_FILE_LEN_MAX) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| {
                let fix = "save it as UTF-8, then repeat".into();
                refused(codes::HOST_FILE_UNFIT, format!("`{}` is not valid UTF-8", path.display()), fix)
            })?),
            Err(error) if error.fault() == DiskFault::NotFound => None,
            Err(error) => {
                let fix = "make it a plain file that can be read, or move it aside".into();
                let message = format!("`{}` cannot be read: {}", path.display(), error.fault());
                return Err(refused(codes::HOST_FILE_UNFIT, message, fix));
            }
        };
        Ok(File { name: name.to_owned(), path, text })
    }

    /// The path of a file, whether or not it exists.
    fn place(&self, name: &str) -> Result<PathBuf, MemoryError> {
        let path = self.root.join(name);
        let is_link = self.disk.stat(&path).is_ok_and(|stat| stat.kind == FileKind::Link);
        let place = if is_link {
            self.disk.canonical(&path).ok()
        } else {
            // The lowest existing folder, with every link resolved, and then the rest as it is named.
            path.ancestors().skip(1).find_map(|dir| {
                let rest = path.strip_prefix(dir).ok()?;
                Some(self.disk.canonical(dir).ok()?.join(rest))
            })
        };
        let inside = place.filter(|place| place.starts_with(self.root));
        inside.ok_or_else(|| {
            let message = format!("`{}` leads out of the project, or nowhere", path.display());
            let fix = "replace the link by a file or a folder of the project, then repeat".into();
            refused(codes::HOST_FILE_OUTSIDE, message, fix)
        })
    }

    pub(super) fn unfit(&self, file: &File, unfit: &UnfitFile) -> MemoryError {
        let message = format!("`{}` is left alone: {}", file.path.display(), unfit.what);
        refused(codes::HOST_FILE_UNFIT, message, format!("{}, then repeat", unfit.fix))
    }

    /// The folders that have to be made for a file, the outermost first.
    pub(super) fn missing_dirs(&self, file: &File) -> Vec<String> {
        let above = file.path.ancestors().skip(1).take_while(|dir| *dir != self.root);
        let missing = above.filter(|dir| self.disk.stat(dir).is_err());
        let named = missing.filter_map(|dir| dir.strip_prefix(self.root).ok()?.to_str().map(str::to_owned));
        let mut dirs: Vec<String> = named.collect();
        dirs.reverse();
        dirs
    }

    /// Writes a file's new text, or removes the file. Refuses if it is no longer what was read.
    pub(super) fn write(&self, file: &File, text: Option<&str>, ids: &dyn Ids) -> Result<(), MemoryError> {
        let ids = &HostTempNames(ids);
        let failed = |error: DiskError| self.not_written(file, error);
        let there = match self.disk.read(&file.path, HOST_FILE_LEN_MAX) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.fault() == DiskFault::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        if there.as_deref() != file.text.as_ref().map(|text| text.as_bytes()) {
            return Err(changed_meanwhile(&file.path));
        }
        let dir = file.path.parent().unwrap_or(self.root);
        match (&file.text, text) {
            (None, Some(text)) => {
                // A project that was moved away meanwhile is not made anew.
                let made = match dir.starts_with(self.root) && dir != self.root {
                    true => durable::make_shared_dirs_below(self.disk, self.root, dir),
                    false if dir == self.root => Ok(()),
                    false => durable::make_shared_dirs(self.disk, dir),
                };
                made.map_err(|error| match error {
                    StoreError::Disk { source, .. } => self.not_written(file, source),
                    error => error.into(),
                })?;
                let named = durable::create(self.disk, ids, &file.path, text.as_bytes()).map_err(failed)?;
                if named == durable::NewName::Taken {
                    return Err(changed_meanwhile(&file.path));
                }
            }
            (Some(_), Some(text)) => {
                durable::replace_like(self.disk, ids, &file.path, text.as_bytes()).map_err(failed)?;
            }
            (_, None) => {
                self.disk.unlink(&file.path).and_then(|()| self.disk.sync_dir(dir)).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// The refusal when a file of the project was not written. It has the file's own name instead of a temporary one, and no
    /// advice about the home, which has no part in it.
    fn not_written(&self, file: &File, error: DiskError) -> MemoryError {
        if error.is_unconfirmed() {
            return StoreError::unconfirmed(error).into();
        }
        let (path, fault) = (file.path.display(), error.fault());
        let code = StoreError::disk("cannot write a file of the host")(error).code();
        let dir = file.path.parent().unwrap_or(self.root).display();
        let fix = match fault {
            DiskFault::NoSpace => "free some space on that disk, then repeat".to_owned(),
            DiskFault::ReadOnly => format!("make `{dir}` readable and writable for this user, then repeat"),
            _ => format!("look at `{dir}`, then repeat"),
        };
        refused(code, format!("`{path}` cannot be written: {fault}"), fix)
    }

    /// Removes files that a killed run left beside these under a temporary name. No other program has such
    /// names, and the caller holds the lock.
    pub(super) fn sweep<'f>(&self, files: impl Iterator<Item = &'f File>, record: &Record) {
        let recorded = record.files.keys().filter_map(|name| self.place(name).ok());
        let paths = recorded.chain(files.map(|file| file.path.clone()));
        let dirs: BTreeSet<PathBuf> = paths.filter_map(|path| Some(path.parent()?.to_owned())).collect();
        for dir in dirs {
            let left = self.disk.list(&dir).unwrap_or_default().into_iter().filter(|entry| {
                entry.kind == FileKind::File
                    && entry.name.to_str().is_some_and(|name| name.starts_with(TEMP_NAMES))
            });
            for entry in left {
                // A file that stays is harmless.
                let _ = self.disk.unlink(&dir.join(entry.name));
            }
        }
    }

    /// Removes the folders that were made for a file and are empty now. If it is not known which were made, tries all above it.
    pub(super) fn remove_dirs(&self, file: &File, made: Option<&[String]>) {
        for dir in file.path.ancestors().skip(1).take_while(|dir| *dir != self.root) {
            let is_made = |made: &[String]| {
                dir.strip_prefix(self.root).is_ok_and(|name| made.iter().any(|made| Path::new(made) == name))
            };
            // A folder with other files stays.
            if !made.is_none_or(is_made) || self.disk.remove_dir(dir).is_err() {
                return;
            }
        }
    }
}

/// A refusal about one file.
pub(super) fn refused(code: ErrorCode, message: String, fix: String) -> MemoryError {
    Fault::new(code, message).fix(fix).field("host").rule("IF-15").into()
}

/// The refusal when a file is no longer what was read a moment ago.
fn changed_meanwhile(path: &Path) -> MemoryError {
    refused(
        codes::HOST_FILE_CHANGED,
        format!("`{}` was changed meanwhile", path.display()),
        "repeat the call; what was written before is kept".into(),
    )
}

//! Reading a folder: a store, or what another tool keeps around one.

use super::answer::{ImportRequest, Imported, NotTaken};
use super::parcel::{At, EXPORT_LEN_MAX, ImportFile, MEND, Parcel};
use crate::service::Transfer;
use brainstem_base::advice;
use brainstem_base::disk::FileKind;
use brainstem_base::next::{calls, field};
use brainstem_base::{DiskFault, Fault, codes};
use brainstem_memory::{Gap, MemoryError};
use brainstem_vault::StoreError;
use brainstem_vault::acts::codec;
use brainstem_vault::history::parse_version_name;
use brainstem_vault::scan::{CLAIM_SUFFIX, read_file};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folders in which homes keep the stores of projects, and other tools their homes.
const BRAINS: &str = "project-brains";
const RUNTIMES: &str = "runtimes";
/// The names of files that hold letters: a spool, and a box.
const LETTERS: &[&str] = &["field-reports.jsonl", "inbox.jsonl"];
const MANIFEST_LEN_MAX: u64 = 64 * 1024;

/// One store of what is imported.
pub(super) struct ImportStore {
    pub(super) claims: PathBuf,
    acts: Option<PathBuf>,
    /// The root of its project, for the store of one.
    pub(super) root: Option<PathBuf>,
}

/// Whether a file has the name of a spool or a box.
pub(super) fn holds_letters(path: &Path) -> bool {
    path.file_name().is_some_and(|name| LETTERS.iter().any(|known| name == *known))
}

impl Transfer {
    /// The claim files of a folder: a store, the folder of a brain that holds one, or what another tool keeps
    /// around several.
    pub(super) fn read_folder(
        &self,
        dir: &Path,
        request: &ImportRequest,
        imported: &mut Imported,
    ) -> Result<Vec<(ImportStore, Parcel)>, MemoryError> {
        if !request.sort && self.disk().stat(&dir.join(BRAINS)).is_ok() {
            let message = format!("`{}` is a whole home, not the memory of one project", dir.display());
            let home = self.home().path().display();
            let fix = advice![
                "to restore it whole, copy it to `{home}` while nothing is there; or name one of its folders (agent-memory, or one below project-brains), import it with ",
                field("sort").set(),
                ", or use it as it is with ",
                calls::home()
            ];
            return Err(Fault::new(codes::INPUT_BAD_VALUE, message)
                .fix(fix)
                .field("path")
                .rule("MEM-42")
                .into());
        }
        let mut filled = Vec::new();
        for shelf in self.shelves(dir, request, imported)? {
            let mut parcel = Parcel::default();
            for (name, bytes) in self.files_in(&shelf.claims, imported)? {
                parcel.items.push(ImportFile { name, at: At::Live, bytes, is_stamp: false });
            }
            for (name, bytes) in self.files_in(&shelf.claims.join(".history"), imported)? {
                if let Some((_, exit)) = parse_version_name(&name) {
                    parcel.items.push(ImportFile { name, at: At::Past(exit), bytes, is_stamp: false });
                }
            }
            if let Some(log) = &shelf.acts
                && let Ok(bytes) = self.disk().read(log, EXPORT_LEN_MAX)
            {
                let lines = bytes.split(|b| *b == b'\n');
                parcel.acts = lines.filter_map(codec::read).collect();
            }
            filled.push((shelf, parcel));
        }
        if imported.letter_files.is_empty() && filled.iter().all(|(_, parcel)| parcel.items.is_empty()) {
            imported.gaps.push(Gap::new("empty", format!("`{}` holds no *.light.md files", dir.display())));
        }
        Ok(filled)
    }

    /// The stores of a folder: its own, those of its runtimes and, where claims are sorted, those of the
    /// projects beside them.
    fn shelves(
        &self,
        dir: &Path,
        request: &ImportRequest,
        imported: &mut Imported,
    ) -> Result<Vec<ImportStore>, MemoryError> {
        let mut bases = vec![dir.to_owned()];
        bases.extend(self.folders_in(&dir.join(RUNTIMES)));
        let mut shelves = Vec::new();
        let mut passed = 0;
        for base in &bases {
            self.find_letters(base, imported);
            let claims = base.join("agent-memory");
            if self.disk().stat(&claims).is_ok() {
                shelves.push(ImportStore { claims, acts: Some(base.join("acts.jsonl")), root: None });
            }
            for brain in self.folders_in(&base.join(BRAINS)) {
                let claims = brain.join("agent-memory");
                if self.disk().stat(&claims).is_err() {
                    continue;
                }
                match request.sort {
                    // A store that does not say whose it is is of a root that no brain has.
                    true => {
                        let root = Some(self.root_named_in(&brain).unwrap_or_else(|| brain.clone()));
                        shelves.push(ImportStore { claims, acts: Some(brain.join("acts.jsonl")), root });
                    }
                    false => passed += 1,
                }
            }
        }
        if passed > 0 {
            let detail = advice![
                "{passed} stores of projects lie there too: import each from within its project, or all with ",
                field("sort").set()
            ];
            imported.gaps.push(Gap::new("brains_passed_over", detail));
        }
        if shelves.is_empty() {
            if let Some(above) = dir.parent().filter(|_| dir.ends_with("agent-memory")) {
                self.find_letters(above, imported);
            }
            shelves.push(ImportStore { claims: dir.to_owned(), acts: None, root: None });
        }
        Ok(shelves)
    }

    /// Finds the field reports of another tool.
    fn find_letters(&self, base: &Path, imported: &mut Imported) {
        let files = LETTERS.iter().map(|name| base.join(name));
        let there = |path: &PathBuf| self.disk().stat(path).is_ok_and(|stat| stat.kind == FileKind::File);
        imported.letter_files.extend(files.filter(there));
    }

    /// The root that the manifest of another tool's store names.
    fn root_named_in(&self, folder: &Path) -> Option<PathBuf> {
        ["root.json", "project_brain.json", "brain.json"].iter().find_map(|name| {
            let bytes = self.disk().read(&folder.join(name), MANIFEST_LEN_MAX).ok()?;
            let manifest: Value = serde_json::from_slice(&bytes).ok()?;
            let named = ["root", "project_root", "path"].iter().find_map(|key| manifest[*key].as_str())?;
            Some(PathBuf::from(named)).filter(|root| root.is_absolute())
        })
    }

    fn folders_in(&self, dir: &Path) -> Vec<PathBuf> {
        let entries = self.disk().list(dir).unwrap_or_default().into_iter();
        let folders = entries.filter(|entry| entry.kind == FileKind::Dir);
        let mut folders: Vec<PathBuf> = folders.map(|entry| dir.join(entry.name)).collect();
        folders.sort();
        folders
    }

    fn files_in(&self, dir: &Path, imported: &mut Imported) -> Result<Vec<(String, Vec<u8>)>, MemoryError> {
        let entries = match self.disk().list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot list what is to be imported")(error).into()),
        };
        let mut names: Vec<String> = entries
            .into_iter()
            .filter(|entry| entry.kind != FileKind::Dir)
            .map(|entry| entry.name.to_string_lossy().into_owned())
            .filter(|name| name.ends_with(CLAIM_SUFFIX) && !name.starts_with('.'))
            .collect();
        names.sort();
        let mut files = Vec::new();
        for name in names {
            match read_file(self.disk(), &dir.join(&name)) {
                Ok(bytes) => files.push((name, bytes)),
                Err(error) => {
                    let why = error.fault().to_string();
                    imported.not_taken.push(NotTaken {
                        label: None,
                        name,
                        code: codes::CLAIM_UNREADABLE,
                        why,
                        fix: Some(MEND.into()),
                    });
                }
            }
        }
        Ok(files)
    }
}

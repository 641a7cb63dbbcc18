//! `export`: everything there is of a brain, of the medulla or of the whole home, in a form that
//! needs no program of ours: JSON lines, or a plain copy of the folders.

use crate::service::Transfer;
use brainstem_base::advice;
use brainstem_base::disk::{FileKind, verbs};
use brainstem_base::next::field;
use brainstem_base::{DiskError, DiskFault, Fault, codes};
use brainstem_caller::Caller;
use brainstem_ledger_sqlite::SqliteLedger;
use brainstem_memory::store_work::{self, path_of, stamps_in};
use brainstem_memory::{FailedReads, Floor, Gap, MemoryError};
use brainstem_vault::acts::{LOG_LEN_MAX, codec};
use brainstem_vault::boot::BootValue;
use brainstem_vault::carried_files::CarriedFile;
use brainstem_vault::durable::{self, TEMP_PREFIX};
use brainstem_vault::history::{ExitReason, parse_version_name};
use brainstem_vault::scan::{CLAIM_SUFFIX, UnreadableClaim, read_file};
use brainstem_vault::{Brain, Store, StoreError, census, checkup};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The format of the first line, and what may change with it.
pub(crate) const FORMAT: &str = "brainstem-export";
pub(crate) const VERSION: u64 = 1;
/// How the medulla is named in an export.
pub(crate) const MEDULLA: &str = "medulla";
/// The folder of the brains in a home.
const BRAINS: &str = "project-brains";
/// The folder of the ledger in a home, and its file there.
const LEDGER: &str = "ledger";
const LEDGER_FILE: &str = "ledger.sqlite";
/// The longest secret that is found across the pieces in which a large file is read.
const SECRET_LEN_MAX: u64 = 64 * 1024;
/// How much of a large file is held at once while it is copied.
const PIECE_LEN: u64 = 4 * 1024 * 1024;

/// What to export.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// Of what.
    pub scope: ExportScope,
    /// In which form.
    pub format: Format,
    /// To where; absent means into the answer.
    pub out: Option<PathBuf>,
}

/// Of what an export is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportScope {
    /// The caller's own brain.
    Project,
    /// The medulla.
    Medulla,
    /// Every brain of the home, and the medulla.
    All,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON lines.
    JsonLines,
    /// A plain copy of the folders.
    Folder,
}

/// What was exported.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// The lines, where they go into the answer.
    pub lines: Option<Vec<Value>>,
    /// Where they went otherwise.
    pub path: Option<PathBuf>,
    /// Stores.
    pub stores: usize,
    /// Live claims.
    pub claims: usize,
    /// Versions of history.
    pub versions: usize,
    /// Recorded acts.
    pub acts: usize,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One store with the name it has in the export.
struct ExportedStore {
    name: String,
    brain: Option<Brain>,
    store: Store,
}

/// A file of a home that lies in no store.
struct FileOutsideStores {
    from: PathBuf,
    /// Its place in the export.
    to: PathBuf,
}

/// The gap of an export that carries a secret.
pub const SECRET_EXPORTED: &str = "secret_exported";

impl Transfer {
    /// Exports. Live claims are read before history: a version that is superseded meanwhile is in one
    /// of them at least. After each store `progress` gets how many are done, of how many.
    pub fn export(
        &self,
        caller: &Caller,
        request: &ExportRequest,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Exported, MemoryError> {
        request.out.as_ref().map_or(Ok(()), |out| self.floor().check_path("out", out))?;
        let (memory, reads) = self.memory().noting_reads();
        Self::new(&memory).export_noted(caller, request, &reads, progress)
    }

    fn export_noted(
        &self,
        caller: &Caller,
        request: &ExportRequest,
        reads: &FailedReads,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Exported, MemoryError> {
        let (sources, gaps) = self.sources(caller, request.scope)?;
        let mut exported = Exported { gaps, stores: sources.len(), ..Exported::default() };
        let is_whole = (request.scope, request.format) == (ExportScope::All, Format::Folder);
        let beside = if is_whole { self.beside_the_stores(&sources)? } else { Vec::new() };
        exported.gaps.extend(self.secrets_exported(&sources, &beside)?);
        let out = request.out.as_ref().map(|out| self.place_of(caller, out)).transpose()?;
        match (request.format, out) {
            (Format::JsonLines, out) => {
                let lines = self.lines(&sources, &mut exported, reads, progress)?;
                match out {
                    None => exported.lines = Some(lines),
                    Some(out) => {
                        let mut bytes = Vec::new();
                        for line in &lines {
                            serde_json::to_writer(&mut bytes, line).expect("plain data");
                            bytes.push(b'\n');
                        }
                        self.put_new(&out, &bytes)?;
                        exported.path = Some(out);
                    }
                }
            }
            (Format::Folder, Some(out)) => {
                self.copy_out((request.scope, &beside), &sources, &out, &mut exported, progress)?;
                exported.gaps.extend(read_badly(reads, &exported.gaps));
                exported.path = Some(out);
            }
            (Format::Folder, None) => {
                return Err(MemoryError::Missing {
                    field: "out",
                    give: advice!["the folder to make as `", field("out"), "`"],
                    rule: "MEM-47",
                });
            }
        }
        Ok(exported)
    }

    /// Says that an export holds secrets: it carries every file as it is.
    fn secrets_exported(
        &self,
        sources: &[ExportedStore],
        beside: &[FileOutsideStores],
    ) -> Result<Option<Gap>, MemoryError> {
        let floor = self.floor();
        let mut count = beside.iter().filter(|beside| self.has_secret(&floor, &beside.from)).count();
        for ExportedStore { brain, store, .. } in sources {
            let mut look = |path: &Path| {
                let bytes = read_file(self.disk(), path).unwrap_or_default();
                count += usize::from(floor.has_secret(&String::from_utf8_lossy(&bytes)));
            };
            for dir in [&store.paths().claims, &store.paths().history] {
                self.names_in(dir)?.iter().for_each(|name| look(&dir.join(name)));
            }
            count += usize::from(self.has_secret(&floor, &store.paths().acts));
            let folder = brain.as_ref().map_or(self.home().path(), |brain| &brain.folder);
            let boot_keys = store_work::boot_file(self.memory(), folder, store);
            count += usize::from(self.has_secret(&floor, boot_keys.path()));
            for CarriedFile { bytes, .. } in store.carried()? {
                count += usize::from(floor.has_secret(&String::from_utf8_lossy(&bytes)));
            }
        }
        let (files, carry) = if count == 1 { ("file", "carries") } else { ("files", "carry") };
        let detail = format!(
            "{count} {files} of this export {carry} a secret, which is in it as it is: no export is masked"
        );
        Ok((count > 0).then(|| Gap::new(SECRET_EXPORTED, detail)))
    }

    /// Whether a file of any size carries a secret.
    fn has_secret(&self, floor: &Floor, path: &Path) -> bool {
        let mut offset = 0;
        loop {
            let piece = self.disk().read_part(path, offset, PIECE_LEN).unwrap_or_default();
            if floor.has_secret(&String::from_utf8_lossy(&piece)) {
                return true;
            }
            if (piece.len() as u64) < PIECE_LEN {
                return false;
            }
            // A secret that lies across the end of this piece is whole in the next one.
            offset += PIECE_LEN - SECRET_LEN_MAX;
        }
    }

    /// The ground files of the home that lie in no store that is exported by itself: settings, letters, battery cases and
    /// the like, what each brain has beside its claims, and the brains that were set aside. The census has the list.
    fn beside_the_stores(&self, sources: &[ExportedStore]) -> Result<Vec<FileOutsideStores>, MemoryError> {
        let fault = || StoreError::disk("cannot list the home");
        let home = self.home().path();
        let mut all = Vec::new();
        let mut add = |base: &Path, census, enters: &dyn Fn(&Path) -> bool, to: &Path| {
            let files = census::ground_files(self.disk(), base, census, enters).map_err(fault())?;
            all.extend(
                files.into_iter().map(|file| FileOutsideStores { from: base.join(&file), to: to.join(file) }),
            );
            Ok::<(), MemoryError>(())
        };
        let brains = Path::new(BRAINS);
        let is_no_store = |below: &Path| below != Path::new("agent-memory") && below != brains;
        add(home, census::HOME, &is_no_store, Path::new(""))?;
        for brain in sources.iter().filter_map(|source| source.brain.as_ref()) {
            add(&brain.folder, census::BRAIN, &is_no_store, &brains.join(&brain.fingerprint))?;
        }
        for aside in self.home().all_set_aside() {
            if let Some(name) = aside.folder.file_name() {
                add(&aside.folder, census::BRAIN, &|_| true, &brains.join(name))?;
            }
        }
        // The logs of acts are exported with their stores, and the log of a ledger is in the copy of its file.
        all.retain(|beside| {
            beside.to.parent().is_some_and(is_of_aside) || !beside.to.ends_with("acts.jsonl")
        });
        all.retain(|beside| {
            beside.to.parent() != Some(Path::new(LEDGER)) || !is_beside_ledger(beside.to.as_path())
        });
        Ok(all)
    }

    fn sources(
        &self,
        caller: &Caller,
        scope: ExportScope,
    ) -> Result<(Vec<ExportedStore>, Vec<Gap>), MemoryError> {
        let of_brain = |brain: Brain| ExportedStore {
            name: brain.origin(),
            store: self.store_of(&brain),
            brain: Some(brain),
        };
        let medulla = || ExportedStore { name: MEDULLA.into(), brain: None, store: self.home().medulla() };
        match scope {
            ExportScope::Project => {
                Ok((vec![of_brain(store_work::bound(self.memory(), caller)?)], Vec::new()))
            }
            ExportScope::Medulla => Ok((vec![medulla()], Vec::new())),
            ExportScope::All => {
                let roster = self.home().roster()?;
                let gaps = roster.broken.iter().map(|broken| {
                    let name = broken.path.file_name().unwrap_or_default().to_string_lossy();
                    Gap::new(
                        "unreadable_brain",
                        format!("the brain in `{name}` is not in the export: {}", broken.why),
                    )
                });
                let source = |(brain, store): (Brain, Store)| ExportedStore {
                    name: brain.origin(),
                    store,
                    brain: Some(brain),
                };
                let mut sources: Vec<ExportedStore> =
                    store_work::stores_in(self.memory(), &roster).into_iter().map(source).collect();
                // A repository that came with its brain and was never written to has no folder here yet.
                if let Some(here) = self.memory().route(caller).brain()
                    && !roster.brains.iter().any(|known| known.root == here.root)
                {
                    sources.push(of_brain(here.clone()));
                }
                sources.push(medulla());
                Ok((sources, gaps.collect()))
            }
        }
    }

    fn lines(
        &self,
        sources: &[ExportedStore],
        exported: &mut Exported,
        reads: &FailedReads,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<Value>, MemoryError> {
        let at = self.clock().now().to_rfc3339();
        let mut lines =
            vec![json!({ "type": "export", "format": FORMAT, "version": VERSION, "exported_at": at })];
        for (at, ExportedStore { name, brain, store }) in sources.iter().enumerate() {
            let first_of_source = lines.len();
            if let Some(brain) = brain {
                let manifest = &brain.manifest;
                lines.push(json!({
                    "type": "brain", "brain": name, "id": manifest.id.to_string(),
                    "name": manifest.name, "created": manifest.created,
                }));
            }
            // Before the files: what comes back into the checkout meanwhile is in one of them at least.
            let carried = store.carried()?;
            let bad = unreadable_in(store)?;
            let mut claims = 0;
            let mut claim = |dir: &Path, file: String, place: &str| -> Result<bool, MemoryError> {
                let bytes = match read_file(self.disk(), &dir.join(&file)) {
                    Ok(bytes) => bytes,
                    Err(error) if error.fault() == DiskFault::NotFound => return Ok(false),
                    Err(error) => {
                        exported.gaps.push(left_out(name, &file, &error.fault().to_string()));
                        return Ok(false);
                    }
                };
                let Ok(text) = String::from_utf8(bytes) else {
                    exported.gaps.push(left_out(name, &file, "it is not valid UTF-8"));
                    return Ok(false);
                };
                lines.push(
                    json!({ "type": "claim", "brain": name, "place": place, "name": file, "file": text }),
                );
                Ok(true)
            };
            let mut unreadable = Vec::new();
            for file in self.names_in(&store.paths().claims)? {
                let why = bad.get(&file);
                match (claim(&store.paths().claims, file.clone(), "live")?, why) {
                    (true, Some(why)) => unreadable.push(as_it_is(name, &file, why)),
                    (true, None) => claims += 1,
                    (false, _) => {}
                }
            }
            for file in self.names_in(&store.paths().history)? {
                let Some((_, exit)) = parse_version_name(&file) else { continue };
                exported.versions += usize::from(claim(&store.paths().history, file, place_word(exit))?);
            }
            exported.claims += claims;
            exported.versions = exported.versions.saturating_sub(self.stamp_count(store)?);
            exported.gaps.extend(unreadable);
            for CarriedFile { name: file, exit, bytes } in carried {
                let Ok(text) = String::from_utf8(bytes) else {
                    exported.gaps.push(left_out(name, &file, "it is not valid UTF-8"));
                    continue;
                };
                let place = exit.map_or("live", place_word);
                lines.push(
                    json!({ "type": "claim", "brain": name, "place": place, "name": file, "file": text }),
                );
                match exit {
                    None => exported.claims += 1,
                    Some(_) => exported.versions += 1,
                }
            }
            let read = store.acts().read()?;
            if read.damaged_lines > 0 {
                let detail = format!("{} lines of the acts of {name} are no acts", read.damaged_lines);
                exported.gaps.push(Gap::new("damaged_acts", detail));
            }
            exported.acts += read.acts.len();
            for act in read.acts {
                lines.push(json!({ "type": "act", "brain": name, "act": codec::value(&act) }));
            }
            let folder = brain.as_ref().map_or(self.home().path(), |brain| &brain.folder);
            match store_work::boot_file(self.memory(), folder, store).read() {
                Ok(keys) => lines.extend(keys.into_iter().map(|(key, value)| boot_line(name, &key, &value))),
                Err(_) => {
                    let detail = format!("the boot keys of {name} cannot be read and are not in the export");
                    exported.gaps.push(Gap::new("boot_left_out", detail));
                }
            }
            // The clones of one repository have one brain, and each has memory of its own.
            if let Some(brain) = brain {
                for line in &mut lines[first_of_source..] {
                    line["root"] = brain.fingerprint.clone().into();
                }
            }
            progress(at + 1, sources.len());
        }
        exported.gaps.extend(read_badly(reads, &exported.gaps));
        // A reader of the lines alone sees it too.
        let told = exported.gaps.iter();
        lines.extend(
            told.map(|gap| json!({ "type": "gap", "name": gap.name, "detail": gap.detail.to_string() })),
        );
        Ok(lines)
    }

    /// How many files of a history are carried and are no versions: those from before the stamp of a promotion.
    fn stamp_count(&self, store: &Store) -> Result<usize, MemoryError> {
        let history = checkup::history(self.disk(), &store.paths().history)?;
        Ok(stamps_in(&store.scan()?, &history).len())
    }

    /// The claim files of a folder, by name.
    fn names_in(&self, dir: &Path) -> Result<Vec<String>, MemoryError> {
        let entries = match self.disk().list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot list the store")(error).into()),
        };
        let mut names: Vec<String> = entries
            .into_iter()
            .filter(|entry| entry.kind != FileKind::Dir)
            .filter_map(|entry| entry.name.into_string().ok())
            .filter(|name| name.ends_with(CLAIM_SUFFIX) && !name.starts_with('.'))
            .collect();
        names.sort();
        Ok(names)
    }

    /// Where an export goes: a new name in a folder that is there, whatever links lead to it.
    fn place_of(&self, caller: &Caller, out: &Path) -> Result<PathBuf, MemoryError> {
        let out = path_of(caller, "out", out)?;
        let nowhere = |out: &Path| no_place(out, &DiskError::new(verbs::CANONICAL, out, DiskFault::NotFound));
        let (Some(beside), Some(name)) = (out.parent(), out.file_name()) else { return Err(nowhere(&out)) };
        match self.disk().canonical(beside) {
            Ok(beside) => Ok(beside.join(name)),
            Err(error) => Err(no_place(&out, &error)),
        }
    }

    /// Writes a file that its owner alone can read, whole or not at all.
    fn put_new(&self, path: &Path, bytes: &[u8]) -> Result<(), MemoryError> {
        match durable::create_private(self.disk(), self.ids(), path, bytes) {
            Ok(durable::NewName::New) => Ok(()),
            Ok(durable::NewName::Taken) => Err(taken(path)),
            Err(error) if is_place(error.fault()) && !error.is_unconfirmed() => Err(no_place(path, &error)),
            Err(error) => Err(StoreError::disk("cannot write the export")(error).into()),
        }
    }

    /// Copies the folders: built beside `out`, and given its name when whole. What fails leaves nothing behind.
    fn copy_out(
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
                if *from == self.home().path().join(LEDGER).join(LEDGER_FILE) {
                    exported.gaps.extend(self.copy_ledger(from, &to)?);
                } else {
                    copy(from, &to)?;
                }
            }
        }
        Ok(())
    }

    /// Copies the ledger as it is at one moment, while others append to it. One that cannot be read so is copied byte for byte,
    /// and the gap names it.
    fn copy_ledger(&self, from: &Path, to: &Path) -> Result<Option<Gap>, MemoryError> {
        let folder = from.parent().unwrap_or(from);
        let (disk, clock) = (self.memory().disk().clone(), self.memory().clock().clone());
        let ledger = SqliteLedger::in_folder(folder, disk, clock);
        let why = match ledger.size() {
            // A file without tables, of a first send that was cut off.
            Ok(0) => return Ok(None),
            Ok(_) => match ledger.back_up_to(to) {
                Ok(_) => return Ok(None),
                Err(error) => error,
            },
            Err(error) => error,
        };
        self.copy_file(from, to, PIECE_LEN)?;
        let detail = format!("the ledger is in the export as its file is, which may not be whole: {why}");
        Ok(Some(Gap::new("unreadable_ledger", detail)))
    }
}

/// Whether a file is one that SQLite and the line of writers keep beside a ledger.
fn is_beside_ledger(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with("-wal") || name.ends_with("-shm") || name.ends_with(".lock")
}

/// Whether a folder of an export is that of a brain which was set aside.
fn is_of_aside(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// The place of a version of history, as an export names it.
fn place_word(exit: ExitReason) -> &'static str {
    match exit {
        ExitReason::Superseded => "superseded",
        ExitReason::Retracted => "retracted",
        ExitReason::Moved => "moved",
    }
}

/// The live files of a store that cannot be read as claims, each with what is wrong with it.
fn unreadable_in(store: &Store) -> Result<HashMap<String, String>, MemoryError> {
    let named = |bad: UnreadableClaim| Some((bad.path.file_name()?.to_str()?.to_owned(), bad.why));
    Ok(store.scan()?.unreadable.into_iter().filter_map(named).collect())
}

/// Says that a file is exported and is not counted as a claim.
fn as_it_is(brain: &str, file: &str, why: &str) -> Gap {
    let detail =
        format!("`{file}` of {brain} is in the export as it is, and cannot be read as a claim: {why}");
    Gap::new("unreadable_claim", detail)
}

/// Names the files that the disk did not give at some moment of an export, and that no gap names: a count may leave them
/// out, and nobody looked whether they carry a secret. By their file alone, as an export names them.
fn read_badly(reads: &FailedReads, gaps: &[Gap]) -> Vec<Gap> {
    let told = |bad: UnreadableClaim| {
        let file = format!("`{}`", bad.path.file_name()?.to_string_lossy());
        let is_named = gaps.iter().any(|gap| gap.detail.contains(&file));
        let detail =
            format!("{file} could not be read at some moment of this export: {}; export again", bad.why);
        (!is_named).then(|| Gap::new("unreadable_claim", detail))
    };
    reads.claims().into_iter().filter_map(told).collect()
}

/// Named by its brain and its file: an export goes elsewhere, and paths of this machine do not.
fn left_out(brain: &str, file: &str, why: &str) -> Gap {
    let detail = format!("`{file}` of {brain} is not in the export: {why}; a copy of the folder has it");
    Gap::new("left_out", detail)
}

/// The line of one boot key.
fn boot_line(brain: &str, key: &str, BootValue { value, source_agent, updated }: &BootValue) -> Value {
    let mut line = json!({ "type": "boot", "brain": brain, "key": key, "value": value });
    if let Some(agent) = source_agent {
        line["source_agent"] = agent.clone().into();
    }
    if let Some(updated) = updated {
        line["updated"] = (*updated).into();
    }
    line
}

/// Whether the place that the caller named is to blame, and not the disk.
fn is_place(fault: DiskFault) -> bool {
    matches!(fault, DiskFault::NotFound | DiskFault::NotAFile | DiskFault::Other)
}

fn no_place(path: &Path, error: &DiskError) -> MemoryError {
    let message = format!("nothing can be written to `{}`: {}", path.display(), error.fault());
    Fault::new(codes::INPUT_BAD_VALUE, message)
        .fix("name a file or folder that does not exist yet, in a folder that does")
        .field("out")
        .rule("MEM-47")
        .into()
}

fn taken(path: &Path) -> MemoryError {
    Fault::new(codes::EXPORT_TAKEN, format!("`{}` exists already, and nothing is replaced", path.display()))
        .fix("name a file or folder that does not exist yet")
        .field("out")
        .rule("MEM-47")
        .into()
}

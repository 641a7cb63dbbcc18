//! `init --host` and `eject --host`: the files of a project through which a host finds this program.
//!
//! Memory does not move here. All files are planned first, then written.

mod connected;
mod project;
mod record;

use crate::limits::HOSTS_LOCK_WAIT;
use crate::service::Connect;
use brainstem_base::hash::sha256_hex;
use brainstem_base::{Fault, codes};
use brainstem_caller::Caller;
use brainstem_hosts::{Host, RemovedPart, WantedContent, diff, steps};
use brainstem_memory::{BootstrapRequest, MemoryError, without_secrets};
use brainstem_vault::mail::folder_stamp_of;
use brainstem_vault::{Brain, StoreError, durable};
use project::{File, ProjectFiles, refused};
use record::{FileRecord, Record, digest};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The hosts to connect or take out, and the project.
#[derive(Clone, Debug, Default)]
pub struct HostsRequest {
    /// The project's folder; by default the caller's place.
    pub path: Option<PathBuf>,
    /// The hosts.
    pub hosts: Vec<Host>,
    /// The section of instructions.
    pub section: String,
    /// Returns what would happen, and changes nothing.
    pub dry_run: bool,
}

/// What was written for hosts or taken back, or would be.
#[derive(Clone, Debug)]
pub struct HostsDone {
    /// The folder that holds the files.
    pub root: PathBuf,
    /// The brain of the project; `None` if there is none, or a dry run would make it.
    pub brain: Option<Brain>,
    /// The hosts that were connected, or taken out.
    pub hosts: Vec<Host>,
    /// Every file that was looked at.
    pub files: Vec<HostFile>,
    /// Notes for the caller.
    pub notes: Vec<String>,
}

/// One file of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostFile {
    /// The path below the root.
    pub file: String,
    /// What happens to it.
    pub fate: FileFate,
    /// What our part of it is for.
    pub purpose: &'static str,
    /// The difference, in the unified form.
    pub diff: String,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFate {
    /// It is made.
    Made,
    /// It is changed.
    Changed,
    /// It stays as it is.
    Unchanged,
    /// It contained nothing else, and is removed.
    Removed,
}

impl FileFate {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
        }
    }
}

/// A planned change of one file.
struct Change {
    file: File,
    after: Option<String>,
    record: Option<FileRecord>,
    purpose: &'static str,
}

impl Change {
    fn fate(&self) -> FileFate {
        match (&self.file.text, &self.after) {
            (before, after) if before == after => FileFate::Unchanged,
            (None, Some(_)) => FileFate::Made,
            (_, None) => FileFate::Removed,
            (Some(_), Some(_)) => FileFate::Changed,
        }
    }

    /// Returns the file with its fate and its difference, as an answer has it.
    fn as_host_file(&self) -> HostFile {
        let (before, after) = (self.file.text.as_deref(), self.after.as_deref());
        let diff = diff::unified(&self.file.name, before, after, &|line| without_secrets(line));
        HostFile { file: self.file.name.clone(), fate: self.fate(), purpose: self.purpose, diff }
    }
}

impl Connect {
    /// Writes what the hosts need into a project, and gives it a brain if it has none. A repeat changes
    /// nothing; what people wrote stays byte for byte.
    pub fn init_hosts(&self, caller: &Caller, request: &HostsRequest) -> Result<HostsDone, MemoryError> {
        caller.moved_by(|| self.connect_hosts(caller, request))
    }

    fn connect_hosts(&self, caller: &Caller, request: &HostsRequest) -> Result<HostsDone, MemoryError> {
        let (root, path) = self.hosts_root(caller, request.path.as_deref())?;
        let project = ProjectFiles { disk: self.disk(), root: &root };
        let mut notes = Vec::new();
        let hosts = connectable(&project, &request.hosts, &mut notes)?;
        let plan = |record: &Record, notes: &mut Vec<String>| {
            plan_in(&project, record, &hosts, &request.section, notes)
        };
        if request.dry_run {
            let changes = plan(&self.hosts_record(&root)?, &mut notes)?;
            let files = changes.iter().map(Change::as_host_file).collect();
            return Ok(HostsDone { brain: self.home().brain_at(&path), root, hosts, files, notes });
        }
        self.home().check_writable()?;
        self.memory().check_not_replaced(&path)?;
        // A brain is made only if the files can be written.
        plan(&self.hosts_record(&root)?, &mut Vec::new())?;
        let target = caller.at(caller.hints().clone(), None);
        let brain = self
            .memory()
            .bootstrap(&target, &BootstrapRequest { path: Some(path), ..Default::default() })?
            .brain;
        let _held = self.hold_hosts(&root)?;
        let mut record = self.hosts_record(&root)?;
        let changes = plan(&record, &mut notes)?;
        for change in &changes {
            let name = &change.file.name;
            if let Some(file) = &change.record {
                record.files.insert(name.clone(), file.clone());
                record.found.remove(name);
            } else if !is_recorded(&project, &record, &change.file) {
                record.found.insert(name.clone());
            }
        }
        record.hosts.extend(hosts.iter().map(|host| host.as_str().to_owned()));
        // The record of how to take it back is written before the change.
        self.keep_hosts_record(&root, &record)?;
        project.sweep(changes.iter().map(|change| &change.file), &record);
        self.write_changes(&project, &changes, |_| ())?;
        let files = changes.iter().map(Change::as_host_file).collect();
        Ok(HostsDone { root, brain: Some(brain), hosts, files, notes })
    }

    /// Removes what `init_hosts` wrote for these hosts, and nothing else.
    pub fn eject_hosts(&self, caller: &Caller, request: &HostsRequest) -> Result<HostsDone, MemoryError> {
        let (root, path) = self.hosts_root(caller, request.path.as_deref())?;
        let project = ProjectFiles { disk: self.disk(), root: &root };
        let _held = if request.dry_run { None } else { self.hold_hosts(&root)? };
        let mut record = self.hosts_record(&root)?;
        let (mut notes, mut left) = (Vec::new(), Vec::new());
        let changes = plan_out(&project, &record, request, &mut notes, &mut left)?;
        if !request.dry_run {
            project.sweep(changes.iter().map(|change| &change.file), &record);
            self.write_changes(&project, &changes, |change| {
                let known = record.files.remove(&change.file.name);
                if change.after.is_none() {
                    project.remove_dirs(&change.file, known.map(|known| known.dirs).as_deref());
                }
            })?;
            // A later eject must not take these files for ours either.
            record.found.extend(left);
            record.hosts.retain(|known| !request.hosts.iter().any(|host| host.as_str() == known));
            self.keep_hosts_record(&root, &record)?;
        }
        if changes.iter().all(|change| change.fate() == FileFate::Unchanged) && notes.is_empty() {
            let hosts: Vec<&str> = request.hosts.iter().map(|host| host.as_str()).collect();
            let is = if hosts.len() == 1 { "is" } else { "are" };
            notes
                .push(format!("{} {is} not connected here: there was nothing to take out", hosts.join(", ")));
        }
        let files = changes.iter().map(Change::as_host_file).collect();
        let hosts = request.hosts.clone();
        Ok(HostsDone { brain: self.home().brain_at(&path), root, hosts, files, notes })
    }

    /// Writes the files that change, and calls `after` for each. An error names the files that were written before it.
    fn write_changes(
        &self,
        project: &ProjectFiles<'_>,
        changes: &[Change],
        mut after: impl FnMut(&Change),
    ) -> Result<(), MemoryError> {
        let mut written = Vec::new();
        for change in changes.iter().filter(|change| change.fate() != FileFate::Unchanged) {
            let done = project.write(&change.file, change.after.as_deref(), self.ids());
            done.map_err(|error| half_done(error, &written))?;
            written.push(change.file.name.as_str());
            after(change);
        }
        Ok(())
    }

    /// The folder whose files a host reads, which is the top of the working tree or the folder itself; and the
    /// place whose brain is meant.
    fn hosts_root(&self, caller: &Caller, path: Option<&Path>) -> Result<(PathBuf, PathBuf), MemoryError> {
        let (repository, stood) = self.memory().meant_root(caller, path)?;
        let is_repository = brainstem_caller::git_layout::git_dir(self.disk(), &repository).is_some();
        self.memory().check_can_be_project(&repository, is_repository)?;
        // A worktree has files of its own, though it has the repository's memory.
        let tops = stood.ancestors().find(|dir| self.disk().stat(&dir.join(".git")).is_ok());
        let root = tops.filter(|_| is_repository).map_or_else(|| repository.clone(), Path::to_owned);
        Ok((root, repository))
    }

    /// Whether a host is connected to the project at a root: one of its files has the entry of this program. The files
    /// move with the project; the record of the home does not.
    pub fn has_hosts(&self, root: &Path) -> bool {
        let project = ProjectFiles { disk: self.disk(), root };
        let is_connected = |host: &Host| {
            let parts = host.wiring("", &|file| project.look(file)).parts;
            let mut entries =
                parts.iter().filter(|part| !matches!(part.content, WantedContent::Section { .. }));
            entries.any(|part| project.look(part.file).is_some_and(|text| part.content.is_in(&text)))
        };
        Host::ALL.iter().any(is_connected)
    }

    /// The record of a project, also one that was made where the project was before. One that cannot be read stops the
    /// call: only the record says what was in the files before.
    fn hosts_record(&self, root: &Path) -> Result<Record, MemoryError> {
        let path = self.record_path(root);
        let own = self.record_at(&path)?;
        let moved = || self.records_of_folder(root).into_iter().find(|(at, _)| *at != path);
        Ok(if own.is_empty() { moved().map_or(own, |(_, moved)| moved) } else { own })
    }

    /// The records of the folder that is at a root now, wherever it was.
    fn records_of_folder(&self, root: &Path) -> Vec<(PathBuf, Record)> {
        let Some(here) = folder_stamp_of(self.disk(), root) else { return Vec::new() };
        let dir = self.home().path().join(record::FOLDER);
        let paths = self.disk().list(&dir).unwrap_or_default().into_iter().map(|entry| dir.join(entry.name));
        let paths = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
        let records = paths.filter_map(|path| Some((path.clone(), Record::read(self.disk(), &path).ok()?)));
        records.filter(|(_, record)| record.folder.as_ref() == Some(&here)).collect()
    }

    fn record_at(&self, path: &Path) -> Result<Record, MemoryError> {
        Record::read(self.disk(), path).map_err(|why| {
            let path = path.display();
            let message = format!(
                "the record of what was there before a host was connected cannot be read, so nothing was changed: `{path}`: {why}"
            );
            let fix = format!(
                "make `{path}` readable for this user or restore it from a backup, then repeat; without it, take the \
                 entries of brainstem out by hand, then remove it"
            );
            refused(codes::STORE_UNREADABLE, message, fix)
        })
    }

    fn record_path(&self, root: &Path) -> PathBuf {
        let name = brainstem_vault::brain::fingerprint(root);
        self.home().path().join(record::FOLDER).join(format!("{name}.json"))
    }

    fn keep_hosts_record(&self, root: &Path, record: &Record) -> Result<(), MemoryError> {
        let path = self.record_path(root);
        let folder = folder_stamp_of(self.disk(), root);
        // The record of a project that was moved away from this path stays for that project.
        if let Some(other) = self.record_at(&path)?.folder.filter(|other| Some(other) != folder.as_ref()) {
            let aside = path.with_file_name(format!("{}.json", sha256_hex(other.as_bytes(), 16)));
            self.disk()
                .rename(&path, &aside)
                .map_err(StoreError::disk("cannot keep the record of a project that was moved"))?;
        }
        self.write_hosts_record(&path, &Record { folder, ..record.clone() })?;
        // This record has taken the place of the one that was made where the project was before.
        for (former, _) in self.records_of_folder(root).into_iter().filter(|(at, _)| *at != path) {
            let _ = self.disk().unlink(&former);
        }
        Ok(())
    }

    fn write_hosts_record(&self, path: &Path, record: &Record) -> Result<(), MemoryError> {
        let bytes = record.bytes();
        if self.disk().read(path, record::LEN_MAX).is_ok_and(|there| there == bytes) {
            return Ok(());
        }
        let failed = StoreError::disk("cannot write the record of the change");
        if record.is_empty() {
            // A missing record is as good as an empty one.
            let _ = self.disk().unlink(path);
            return Ok(());
        }
        durable::make_dirs(self.disk(), path.parent().unwrap_or(Path::new("/")))?;
        Ok(durable::replace(self.disk(), self.ids(), path, &bytes).map_err(failed)?)
    }

    /// Locks a project's host files, so that one call at a time changes them. Without a home there is no other
    /// call to wait for.
    fn hold_hosts(
        &self,
        root: &Path,
    ) -> Result<Option<Box<dyn brainstem_base::disk::LockGuard>>, MemoryError> {
        if self.disk().stat(self.home().path()).is_err() {
            return Ok(None);
        }
        let path = self.record_path(root).with_extension("lock");
        durable::make_dirs(self.disk(), path.parent().unwrap_or(Path::new("/")))?;
        let held = self.disk().lock(&path, HOSTS_LOCK_WAIT);
        Ok(Some(held.map_err(StoreError::disk("cannot lock the files of the hosts"))?))
    }
}

/// The hosts that can be connected with the files as they are. A host that cannot be is an error if the caller named it; if the
/// caller asked for all, it is left out with a note.
fn connectable(
    project: &ProjectFiles<'_>,
    hosts: &[Host],
    notes: &mut Vec<String>,
) -> Result<Vec<Host>, MemoryError> {
    let mut connectable = Vec::new();
    for host in hosts {
        match host.obstacle(&|file| project.look(file)) {
            None => connectable.push(*host),
            Some(obstacle) if hosts.len() == Host::ALL.len() => {
                notes.push(format!("{}. {}", obstacle.message, obstacle.fix));
            }
            Some(obstacle) => {
                return Err(refused(codes::HOST_VERSION_UNKNOWN, obstacle.message, obstacle.fix));
            }
        }
    }
    Ok(connectable)
}

/// The changes that connect the hosts.
fn plan_in(
    project: &ProjectFiles<'_>,
    record: &Record,
    hosts: &[Host],
    section: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<Change>, MemoryError> {
    let mut changes: Vec<Change> = Vec::new();
    for host in hosts {
        let wiring = host.wiring(section, &|file| project.look(file));
        let mut is_news =
            wiring.parts.iter().all(|part| matches!(part.content, WantedContent::Section { .. }));
        for part in wiring.parts {
            let file = project.open(part.file)?;
            // Two names of one file, or one section for two hosts.
            if changes.iter().any(|change| change.file.path == file.path) {
                continue;
            }
            let change = insertion(project, file, &part.content, record, notes)?;
            is_news |= change.fate() != FileFate::Unchanged;
            changes.push(change);
        }
        if is_news {
            notes.extend(wiring.notes);
        }
    }
    Ok(changes)
}

fn insertion(
    project: &ProjectFiles<'_>,
    file: File,
    content: &WantedContent,
    record: &Record,
    notes: &mut Vec<String>,
) -> Result<Change, MemoryError> {
    let known = record_of(project, record, &file);
    let current = file.text.clone().unwrap_or_default();
    // If no person changed what we wrote, a newer form of it replaces the older one.
    let bare = known.and_then(|known| known.undo(file.text.as_deref()?));
    let created = file.text.is_none() || bare.is_some() && known.is_some_and(|known| known.created);
    let base = bare.as_deref().unwrap_or(&current);
    let inserted = content.insert(base).map_err(|unfit| project.unfit(&file, &unfit))?;
    notes.extend(inserted.notes.iter().map(|note| format!("{}: {note}", file.name)));
    if file.text.as_deref() == Some(&inserted.text) {
        return Ok(Change { after: file.text.clone(), file, record: None, purpose: content.purpose() });
    }
    let mut made = inserted.made;
    if !inserted.exact {
        made.extend(known.into_iter().flat_map(|known| known.made.iter().cloned()));
    }
    let dirs = match known {
        Some(known) if file.text.is_some() => known.dirs.clone(),
        _ => project.missing_dirs(&file),
    };
    // If this program has not written into the text before, the steps are all that is ours in it.
    let is_first = known.is_none() || bare.is_some();
    let exact = inserted.exact || is_first && !inserted.steps.is_empty();
    let before = match known.filter(|_| !is_first) {
        Some(known) => known.before.clone(),
        None => inserted.there,
    };
    let kept = FileRecord {
        after: digest(&inserted.text),
        created: created || !inserted.exact && known.is_some_and(|known| known.created),
        exact,
        before,
        steps: inserted.steps.into_iter().map(record::Inserted::from).collect(),
        made,
        dirs,
    };
    Ok(Change { file, after: Some(inserted.text), record: Some(kept), purpose: content.purpose() })
}

/// The changes that take the hosts out. `left` gets the files that stay because they had what a host needs before.
fn plan_out(
    project: &ProjectFiles<'_>,
    record: &Record,
    request: &HostsRequest,
    notes: &mut Vec<String>,
    left: &mut Vec<String>,
) -> Result<Vec<Change>, MemoryError> {
    let kept = sections_of_others(project, record, request);
    let mut changes: Vec<Change> = Vec::new();
    for host in &request.hosts {
        let wiring = host.wiring(&request.section, &|file| project.look(file));
        // The host's own file too, even if its section would be written to another file now.
        let section = WantedContent::Section { text: request.section.clone() };
        let own = host.own_file().map(|file| (file, section));
        let parts = wiring.parts.into_iter().map(|part| (part.file, part.content));
        for (name, content) in parts.chain(own) {
            // A host that was never connected from here is left alone.
            let is_ours = record.hosts.contains(host.as_str()) || record.files.contains_key(name);
            let file = match project.open(name) {
                Err(error) if !is_ours => {
                    notes.push(format!("{name} is left alone: {error}"));
                    continue;
                }
                file => file?,
            };
            let Some(text) = &file.text else { continue };
            if changes.iter().any(|change| change.file.path == file.path) {
                continue;
            }
            let is_section = matches!(content, WantedContent::Section { .. });
            if is_section && kept.contains(&file.path) {
                if content.is_in(text) {
                    notes.push(format!("{name}: the section stays, because another host reads it"));
                }
                continue;
            }
            // For a host that was connected here, the record says what was written. Otherwise it was connected elsewhere or the
            // record is lost, and what is ours is found by its content.
            let has_record = record.hosts.contains(host.as_str()) || record.found.contains(&file.name);
            if has_record && !is_recorded(project, record, &file) {
                if content.is_in(text) {
                    notes.push(format!(
                        "{name} stays as it is: what {} needs was in it before the host was connected; take it out by hand",
                        host.as_str()
                    ));
                    left.push(file.name.clone());
                }
                continue;
            }
            let known = record_of(project, record, &file);
            let keep = known.map(|known| known.before.as_slice()).unwrap_or_default();
            if !keep.is_empty() {
                let keep: Vec<String> = keep.iter().map(|keys| format!("`{keys}`")).collect();
                notes.push(format!(
                    "{name}: {} stays: it was there before the host was connected; take it out by hand",
                    keep.join(" and ")
                ));
                left.push(file.name.clone());
            }
            let after = match known.and_then(|known| known.undo(text)) {
                Some(bare) => Some(bare).filter(|_| known.is_some_and(|known| !known.created)),
                None => {
                    let made = known.map(|known| known.made.as_slice());
                    let removed =
                        content.remove(text, made, keep).map_err(|unfit| project.unfit(&file, &unfit));
                    let removed = match removed {
                        Err(error) if !is_ours => {
                            notes.push(error.to_string());
                            continue;
                        }
                        removed => removed?,
                    };
                    let RemovedPart { text: left, notes: said, .. } = removed;
                    notes.extend(said.iter().map(|note| format!("{name}: {note}")));
                    // A file that was empty before stays as an empty file.
                    left.or_else(|| known.filter(|known| !known.created).map(|_| String::new()))
                }
            };
            changes.push(Change { file, after, record: None, purpose: content.purpose() });
        }
    }
    Ok(changes)
}

/// Whether this program wrote into a file, under this name or another one of it.
fn is_recorded(project: &ProjectFiles<'_>, record: &Record, file: &File) -> bool {
    record_of(project, record, file).is_some()
}

/// What this program wrote into a file, under this name or another one of it.
fn record_of<'a>(project: &ProjectFiles<'_>, record: &'a Record, file: &File) -> Option<&'a FileRecord> {
    let is_it = |name: &String| project.open(name).is_ok_and(|other| other.path == file.path);
    let under_another = || record.files.iter().find(|(name, _)| is_it(name)).map(|(_, known)| known);
    record.files.get(&file.name).or_else(under_another)
}

/// The files whose section is read by hosts that stay.
fn sections_of_others(
    project: &ProjectFiles<'_>,
    record: &Record,
    request: &HostsRequest,
) -> BTreeSet<PathBuf> {
    let mut kept = BTreeSet::new();
    for host in Host::ALL.iter().filter(|host| !request.hosts.contains(host)) {
        let wiring = host.wiring(&request.section, &|file| project.look(file));
        let (sections, values): (Vec<_>, Vec<_>) =
            wiring.parts.iter().partition(|part| matches!(part.content, WantedContent::Section { .. }));
        let is_in = |part: &&brainstem_hosts::WantedFile| {
            project.look(part.file).is_some_and(|text| part.content.is_in(&text))
        };
        // An entry that was there before this program connected the host says nothing about the section.
        let is_found = |part: &&brainstem_hosts::WantedFile| record.found.contains(part.file);
        let is_entered = values.iter().any(|part| is_in(part) && !is_found(part));
        if record.hosts.contains(host.as_str()) || is_entered {
            kept.extend(sections.iter().filter_map(|part| Some(project.open(part.file).ok()?.path)));
        }
    }
    kept
}

impl FileRecord {
    /// The text as it was before, if nothing else has changed since.
    fn undo(&self, text: &str) -> Option<String> {
        if !self.exact || digest(text) != self.after {
            return None;
        }
        let steps: Vec<steps::Step> = self.steps.iter().map(steps::Step::from).collect();
        steps::undo(text, &steps)
    }
}

/// A refusal after some of the files were written. It names them.
fn half_done(error: MemoryError, written: &[&str]) -> MemoryError {
    if written.is_empty() {
        return error;
    }
    let mut fault = Fault::from(error);
    fault.message = format!("{}; written before that, and kept: {}", fault.message, written.join(", "));
    fault.into()
}

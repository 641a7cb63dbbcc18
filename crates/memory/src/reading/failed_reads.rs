//! What the disk did not give while an answer was read. Many reads on the way from files to rows have no word of their own
//! for a disk that fails; here each of them becomes a gap, so that nothing is missing without one.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::limits::RETRIES;
use crate::service::Memory;
use crate::upkeep::doctor::{Finding, Trouble};
use brainstem_base::advice;
use brainstem_base::disk::{NotingDisk, UnreadPath};
use brainstem_base::next::calls;
use brainstem_base::{Coded as _, DiskFault, codes};
use brainstem_vault::acts::ACTS;
use brainstem_vault::scan::{CLAIM_SUFFIX, UnreadableClaim};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the gap of a log of acts that could not be read.
pub(crate) const ACTS_UNREADABLE: &str = "acts_unreadable";
/// The name of the gap of any other file or folder that could not be read.
pub const NOT_READ: &str = "not_read";
/// How often an answer is asked for at most while the disk fails.
pub const READ_ROUNDS: usize = RETRIES;
/// How many files and folders are named at most that no other gap names.
const NAMED_MAX: usize = 20;

/// Folders of a home that hold derived files: an answer that cannot read one is made from the files it was derived from.
const DERIVED: [&str; 3] = [brainstem_index::FOLDER, "local/letters-open", "local/mail-links"];
/// Folders that hold claims and their versions.
const CLAIM_FOLDERS: [&str; 3] = ["agent-memory", ".history", ".kept"];
/// The endings of the files that this program keeps beside claims and messages.
const RECORDS: [&str; 4] = ["json", "jsonl", "txt", "toml"];

/// The files and folders that could not be read while one answer was made.
pub struct FailedReads {
    disk: Arc<NotingDisk>,
    home: PathBuf,
}

impl FailedReads {
    /// Whether everything that was asked for could be read.
    pub fn is_none(&self) -> bool {
        self.lost().is_empty()
    }

    /// The claim files that could not be read, versions in history among them. A folder that cannot be listed is named
    /// instead of the files that were looked for in it, because it may have them.
    pub fn claims(&self) -> Vec<UnreadableClaim> {
        let claims = self.lost().into_iter().filter(|(path, _)| is_of_claims(path));
        claims.map(|(path, unread)| UnreadableClaim { path, why: unread.fault.to_string() }).collect()
    }

    /// A gap for each file or folder that could not be read and that none of these gaps names, by name and detail.
    pub fn unnamed<'a>(&self, told: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Gap> {
        let told: Vec<(&str, &str)> = told.into_iter().collect();
        let is_told = |path: &Path| told.iter().any(|(_, detail)| names(detail, path));
        let lost = self.lost().into_iter().filter(|(path, _)| !is_told(path));
        let mut gaps: Vec<Gap> = lost.map(|(path, unread)| gap(&path, unread)).collect();
        // The gap of a log names the brain, and not always the file.
        let logs = gaps.iter().filter(|gap| gap.name == ACTS_UNREADABLE).count();
        if told.iter().filter(|(name, _)| *name == ACTS_UNREADABLE).count() >= logs {
            gaps.retain(|gap| gap.name != ACTS_UNREADABLE);
        }
        if gaps.len() > NAMED_MAX {
            let more = gaps.len() - NAMED_MAX;
            gaps.truncate(NAMED_MAX);
            let detail = advice![
                "{more} more files and folders cannot be read; ",
                calls::doctor(),
                " says what is wrong"
            ];
            gaps.push(Gap::new(NOT_READ, detail));
        }
        gaps
    }

    /// A finding for each file or folder that could not be read and that none of these findings names.
    pub fn findings(&self, found: &[Finding]) -> Vec<Finding> {
        let is_told =
            |path: &Path| found.iter().any(|finding| finding.place == path || names(&finding.detail, path));
        let finding = |(place, unread): (PathBuf, UnreadPath)| {
            let what = if unread.is_folder { "listed" } else { "read" };
            let detail =
                format!("it cannot be {what}: {}; what it holds may be missing from answers", unread.fault);
            let fix = advice!["make it readable for you, then run ", calls::doctor(), " again"];
            Finding { trouble: Trouble::NotRead, place, detail, fix }
        };
        let lost = self.lost().into_iter().filter(|(path, _)| !is_told(path));
        lost.take(NAMED_MAX).map(finding).collect()
    }

    /// As [`unnamed`](Self::unnamed), beside the gaps of an answer.
    pub(crate) fn unnamed_by(&self, gaps: &[Gap]) -> Vec<Gap> {
        let told: Vec<_> = gaps.iter().map(|gap| (gap.name, gap.detail.to_string())).collect();
        self.unnamed(told.iter().map(|(name, detail)| (*name, detail.as_str())))
    }

    /// What could not be read and no other gap names, each once. A folder that cannot be listed is named instead of
    /// all that was looked for in it.
    pub(crate) fn lost(&self) -> BTreeMap<PathBuf, UnreadPath> {
        let mut closed: BTreeMap<PathBuf, Option<PathBuf>> = BTreeMap::new();
        let mut lost = BTreeMap::new();
        for (path, unread) in self.disk.unread() {
            let is_derived = DERIVED.iter().any(|folder| path.starts_with(self.home.join(folder)));
            if is_derived || !self.is_failure(&path, unread.fault) {
                continue;
            }
            let Some(parent) = path.parent() else { continue };
            let folder = closed.entry(parent.to_owned()).or_insert_with(|| self.closed(parent));
            match folder.clone() {
                Some(folder) => {
                    lost.entry(folder).or_insert(UnreadPath { fault: unread.fault, is_folder: true });
                }
                None => {
                    lost.insert(path, unread);
                }
            }
        }
        lost
    }

    /// The folder that keeps every name below this one from being looked at; `None` if this one can be listed.
    fn closed(&self, folder: &Path) -> Option<PathBuf> {
        let disk = self.disk.inner();
        let is_closed = |dir: &&Path| disk.list(dir).is_err_and(|error| error.fault() != DiskFault::NotFound);
        let above: Vec<&Path> = folder.ancestors().take_while(is_closed).collect();
        let nearest = above.iter().find(|dir| disk.stat(dir).is_ok()).or(above.last());
        nearest.map(|dir| dir.to_path_buf())
    }

    /// Whether an answer may lack something because of this fault. A claim or a message that is no regular file or too large
    /// is named as unreadable by its reader; a record of this program would be read as an empty one.
    fn is_failure(&self, path: &Path, fault: DiskFault) -> bool {
        match fault {
            DiskFault::NotFound => false,
            DiskFault::NotAFile | DiskFault::TooLarge { .. } => {
                let is_record =
                    path.extension().is_some_and(|end| RECORDS.iter().any(|record| end == *record));
                is_record && (path.starts_with(&self.home) || path.iter().any(|part| part == ".brainstem"))
            }
            DiskFault::Exists
            | DiskFault::ReadOnly
            | DiskFault::NoSpace
            | DiskFault::Busy
            | DiskFault::CrossesDevices
            | DiskFault::PowerLost
            | DiskFault::Other => true,
        }
    }
}

fn is_of_claims(path: &Path) -> bool {
    let is_claim = path.to_str().is_some_and(|path| path.ends_with(CLAIM_SUFFIX));
    is_claim || path.file_name().is_some_and(|name| CLAIM_FOLDERS.iter().any(|folder| name == *folder))
}

fn gap(path: &Path, UnreadPath { fault, is_folder }: UnreadPath) -> Gap {
    let shown = path.display();
    if is_folder {
        let name = if is_of_claims(path) { "unreadable_claim" } else { NOT_READ };
        let detail =
            format!("`{shown}` cannot be listed: {fault}; what lies in it may be missing from this answer");
        Gap::new(name, detail)
    } else if is_of_claims(path) {
        Gap::unreadable(&UnreadableClaim { path: path.to_owned(), why: fault.to_string() })
    } else if path.ends_with(ACTS) {
        Gap::new(ACTS_UNREADABLE, format!("`{shown}`: {fault}; what it says is not in this answer"))
    } else {
        let detail =
            format!("`{shown}` cannot be read: {fault}; what it says may be missing from this answer");
        Gap::new(NOT_READ, detail)
    }
}

/// Whether a text names a path, and not only one below it.
fn names(text: &str, path: &Path) -> bool {
    let path = path.display().to_string();
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || "/._-".contains(next));
    text.match_indices(&path).any(|(at, _)| ends(&text[at + path.len()..]))
}

impl Memory {
    /// The same service, and what its disk does not give it from now on.
    pub fn noting_reads(&self) -> (Self, FailedReads) {
        let disk = Arc::new(NotingDisk::new(self.disk.clone()));
        (self.through(disk.clone()), FailedReads { disk, home: self.home.path().to_owned() })
    }

    /// Asks for an answer, and asks again if something could not be read and either no gap says so or the answer was a
    /// refusal. What cannot be read at the last attempt either is added to the gaps, and a claim that is not found
    /// then is refused as unreadable.
    pub(crate) fn read_whole<T>(
        &self,
        gaps: impl Fn(&mut T) -> &mut Vec<Gap>,
        ask: impl Fn(&Self) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        for round in 1.. {
            let (memory, reads) = self.noting_reads();
            match ask(&memory) {
                Ok(mut answer) => {
                    let named = gaps(&mut answer);
                    let unnamed = reads.unnamed_by(named);
                    if unnamed.is_empty() || round == READ_ROUNDS {
                        named.extend(unnamed);
                        return Ok(answer);
                    }
                }
                Err(_) if round < READ_ROUNDS && !reads.is_none() => {}
                Err(error) => match reads.claims().pop() {
                    Some(bad) if error.code() == codes::CLAIM_NOT_FOUND => {
                        return Err(MemoryError::Unreadable(bad));
                    }
                    Some(_) | None => return Err(error),
                },
            }
        }
        unreachable!("the last round answers")
    }
}

//! What the disk did not give while an answer was read. Many reads on the way from files to rows have no word of their own
//! for a disk that fails; here each of them becomes a gap, so that no row is missing without one.

use crate::recall::{Gap, RETRIES};
use crate::refusal::MemoryError;
use crate::service::Memory;
use brainstem_base::disk::{Disk as _, NotingDisk};
use brainstem_base::{Coded as _, DiskFault, codes};
use brainstem_vault::acts::ACTS;
use brainstem_vault::scan::{CLAIM_SUFFIX, Unreadable};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the gap of a log of acts that could not be read.
pub(crate) const ACTS_UNREADABLE: &str = "acts_unreadable";

/// The files that could not be read while one answer was made.
pub(crate) struct FailedReads(Arc<NotingDisk>);

impl FailedReads {
    /// The claim files that could not be read, versions in history among them. A folder that cannot be listed stands for
    /// what was looked for in it: whether such a file is there cannot be seen.
    pub(crate) fn claims(&self) -> Vec<Unreadable> {
        let files = self.all(|path| path.to_str().is_some_and(|path| path.ends_with(CLAIM_SUFFIX)));
        let mut closed: BTreeMap<PathBuf, bool> = BTreeMap::new();
        let mut unread = BTreeMap::new();
        for (path, fault) in files {
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            let is_closed = *closed.entry(folder.clone()).or_insert_with(|| self.0.list(&folder).is_err());
            unread.entry(if is_closed { folder } else { path }).or_insert_with(|| fault.to_string());
        }
        unread.into_iter().map(|(path, why)| Unreadable { path, why }).collect()
    }

    /// A gap for each file that could not be read and that none of these gaps is about.
    pub(crate) fn unnamed(&self, gaps: &[Gap]) -> Vec<Gap> {
        let is_named = |path: &Path| {
            let path = path.display().to_string();
            gaps.iter().any(|gap| gap.detail.contains(&path))
        };
        let claims = self.claims().into_iter().filter(|bad| !is_named(&bad.path));
        // The gap of a log names the brain, and not always the file.
        let logs = self
            .all(|path| path.ends_with(ACTS))
            .filter(|(path, _)| !gaps.iter().any(|gap| gap.name == ACTS_UNREADABLE) && !is_named(path));
        let logs = logs.map(|(path, fault)| {
            let detail = format!("`{}`: {fault}; what it says is not in this answer", path.display());
            Gap::new(ACTS_UNREADABLE, detail)
        });
        claims.map(|bad| Gap::unreadable(&bad)).chain(logs.collect::<Vec<_>>()).collect()
    }

    fn all(&self, is_it: impl Fn(&Path) -> bool) -> impl Iterator<Item = (PathBuf, DiskFault)> {
        self.0.unread().into_iter().filter(move |(path, _)| is_it(path))
    }
}

impl Memory {
    /// The same service, and what its disk does not give it from now on.
    pub(crate) fn noting_reads(&self) -> (Self, FailedReads) {
        let disk = Arc::new(NotingDisk::new(self.disk.clone()));
        (self.through(disk.clone()), FailedReads(disk))
    }

    /// Asks for an answer, again where a file could not be read and no gap says so or the answer was refused. What cannot be read at the last attempt
    /// either is added to the gaps, and a claim that is not found then is refused as unreadable.
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
                    let unnamed = reads.unnamed(named);
                    if unnamed.is_empty() || round == RETRIES {
                        named.extend(unnamed);
                        return Ok(answer);
                    }
                }
                Err(error) => match reads.claims().pop() {
                    Some(_) if round < RETRIES => {}
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

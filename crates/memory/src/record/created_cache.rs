//! When the claims of a store were born, for a reader that looks at all stores again and again: a file that has not
//! changed is not read again.

use brainstem_base::disk::{FileKind, FileStamp};
use brainstem_base::{Disk, DiskFault, Timestamp};
use brainstem_claims::{Claim, age};
use brainstem_vault::scan::{self, CLAIM_SUFFIX, ClaimFileContent, UnreadableClaim};
use brainstem_vault::{Store, StoreError};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// How many files of all stores together are remembered.
const FILES_MAX: usize = 200_000;
/// A file that changed so lately may change again without a trace in its print.
const UNSETTLED_NS: i64 = 2_000_000_000;

/// One claim, as far as its age goes.
#[derive(Clone, Copy, Debug)]
struct Birth {
    /// When this version was born.
    created: Option<Timestamp>,
    /// When what it says was first said.
    since: Option<Timestamp>,
}

/// The births of the files of one store, each with the print of what was read.
type Files = HashMap<OsString, (FileStamp, Vec<Birth>)>;

/// The births of the stores that were looked at. Derived: dropped, it is read anew.
#[derive(Debug, Default)]
pub(crate) struct Births(Mutex<HashMap<PathBuf, Files>>);

/// What a card shows of a store's claims.
pub(crate) struct Tally {
    /// Files that hold a claim, or versions of one that wait for a decision.
    pub(crate) claims: usize,
    /// Files that are no readable claims.
    pub(crate) unreadable: usize,
    /// Claims that are stale.
    pub(crate) stale: usize,
    /// When the youngest was born.
    pub(crate) last_written: Option<i64>,
    /// Files that the disk did not give: how old their claims are is not known.
    pub(crate) unread: Vec<UnreadableClaim>,
}

impl Births {
    /// Counts a store: one look at its folder, and a read of every file that is new or changed.
    pub(crate) fn tally(&self, disk: &dyn Disk, now: Timestamp, store: &Store) -> Result<Tally, StoreError> {
        store.check_real_folders()?;
        let dir = &store.paths().claims;
        let listed = match disk.stamps(dir) {
            Ok(listed) => listed,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot list the store")(error)),
        };
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken out while it is used: a reader that looks at the same moment reads the files itself.
        let mut before = known().remove(dir).unwrap_or_default();
        let mut files = Files::new();
        let mut unread = Vec::new();
        for (entry, print) in listed {
            let bytes = entry.name.as_encoded_bytes();
            let is_claim = bytes.ends_with(CLAIM_SUFFIX.as_bytes()) && !bytes.starts_with(b".");
            if !is_claim || entry.kind == FileKind::Dir {
                continue;
            }
            let births = match before.remove(&entry.name) {
                Some((read, births)) if read == print => Some(births),
                _ => match scan::read_content(disk, &dir.join(&entry.name)) {
                    ClaimFileContent::Unread(bad) => {
                        unread.push(bad);
                        continue;
                    }
                    held => births_in(held),
                },
            };
            if let Some(births) = births {
                files.insert(entry.name, (print, births));
            }
        }
        let settled_ns = now.ms().saturating_mul(1_000_000).saturating_sub(UNSETTLED_NS);
        let all = || files.values().flat_map(|(_, births)| births);
        let is_stale = |birth: &&Birth| birth.since.is_some_and(|since| age::is_stale(since, now));
        let tally = Tally {
            claims: files.values().filter(|(_, births)| !births.is_empty()).count(),
            unreadable: files.values().filter(|(_, births)| births.is_empty()).count(),
            stale: all().filter(is_stale).count(),
            last_written: all().filter_map(|birth| birth.created).map(|at| at.ms()).max(),
            unread,
        };
        files.retain(|_, (print, _)| print.changed_ns < settled_ns);
        let mut known = known();
        if known.values().map(HashMap::len).sum::<usize>() + files.len() <= FILES_MAX {
            known.insert(dir.clone(), files);
        }
        Ok(tally)
    }
}

/// The births of the claims that a file holds; `None` if it is gone.
fn births_in(held: ClaimFileContent) -> Option<Vec<Birth>> {
    let birth = |claim: &Claim| Birth { created: claim.created, since: age::since(claim) };
    match held {
        ClaimFileContent::Claim(claim) => Some(vec![birth(&claim)]),
        ClaimFileContent::Sides(sides) => Some(sides.iter().map(birth).collect()),
        ClaimFileContent::Unreadable(_) | ClaimFileContent::Unread(_) => Some(Vec::new()),
        ClaimFileContent::Nothing => None,
    }
}

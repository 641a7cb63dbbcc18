//! Reading a folder of claims file by file: every claim, and every file that cannot be read as one.

use crate::StoreError;
use crate::half_merged::{self, HALF_MERGED};
use brainstem_base::disk::{FileKind, FolderEntry};
use brainstem_base::{Disk, DiskError, DiskFault};
use brainstem_claims::Claim;
use brainstem_claims::light::ParseFault;
use brainstem_claims::limits::{CLAIM_LEN_READ_MAX, UNDECIDED_LEN_READ_MAX};
use brainstem_claims::undecided_file::{self, UndecidedSide};
use std::path::{Path, PathBuf};

/// What is wrong with a file whose conflict markers have other texts than claims between them.
const NO_CLAIMS: &str = "it has git conflict markers, and the texts between them are not whole claims";

/// The ending of a claim file.
pub const CLAIM_SUFFIX: &str = ".light.md";

/// A live claim and where it is.
#[derive(Clone, Debug)]
pub struct StoredClaim {
    /// The file's stem: its slug, unless the file was named by hand.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// What it says.
    pub claim: Claim,
    /// Which version of an undecided file it is; the file then holds several.
    pub side: Option<UndecidedSide>,
}

/// A file with a claim's name that cannot be read as a claim. It is reported and left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableClaim {
    /// Its file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

/// Everything in a store.
#[derive(Clone, Debug, Default)]
pub struct StoreScan {
    /// The claims, by file name.
    pub claims: Vec<StoredClaim>,
    /// What could not be read, by file name.
    pub unreadable: Vec<UnreadableClaim>,
    /// Folders that have a claim's name: reported, and not counted as memory.
    pub folders: Vec<UnreadableClaim>,
    /// How many claim files there are, readable or not.
    pub files: usize,
}

/// Counts the claim files of a folder without opening one.
pub(crate) fn count(disk: &dyn Disk, dir: &Path) -> Result<usize, StoreError> {
    Ok(entries(disk, dir)?.into_iter().filter(|entry| entry.kind != FileKind::Dir).count())
}

/// Reads every claim file of a folder.
pub(crate) fn scan(disk: &dyn Disk, dir: &Path) -> Result<StoreScan, StoreError> {
    let mut scan = StoreScan::default();
    for FolderEntry { name, kind } in entries(disk, dir)? {
        let path = dir.join(&name);
        let name = name.to_string_lossy();
        let id = name.strip_suffix(CLAIM_SUFFIX).unwrap_or(&name).to_owned();
        match read_content(disk, &path) {
            ClaimFileContent::Unreadable(bad) | ClaimFileContent::Unread(bad) if kind == FileKind::Dir => {
                scan.folders.push(bad);
                continue;
            }
            ClaimFileContent::Claim(claim) => {
                scan.claims.push(StoredClaim { id, path, claim: *claim, side: None })
            }
            ClaimFileContent::Sides(sides) => scan.claims.extend(stored_sides(&id, &path, sides)),
            ClaimFileContent::Unreadable(bad) | ClaimFileContent::Unread(bad) => scan.unreadable.push(bad),
            ClaimFileContent::Nothing => continue,
        }
        scan.files += 1;
    }
    Ok(scan)
}

/// The entries with a claim's name, by name.
pub(crate) fn entries(disk: &dyn Disk, dir: &Path) -> Result<Vec<FolderEntry>, StoreError> {
    let entries = match disk.list(dir) {
        Ok(entries) => entries,
        Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
        Err(error) => return Err(StoreError::disk("cannot list the store")(error)),
    };
    let is_claim = |name: &std::ffi::OsStr| {
        let bytes = name.as_encoded_bytes();
        bytes.ends_with(CLAIM_SUFFIX.as_bytes()) && !bytes.starts_with(b".")
    };
    let mut named: Vec<_> = entries.into_iter().filter(|entry| is_claim(&entry.name)).collect();
    named.sort();
    Ok(named)
}

/// What a file with a claim's name holds.
#[derive(Clone, Debug)]
pub enum ClaimFileContent {
    /// One claim.
    Claim(Box<Claim>),
    /// Several versions that wait for a decision, ours first.
    Sides(Vec<Claim>),
    /// Content that cannot be read as a claim.
    Unreadable(UnreadableClaim),
    /// The disk failed to read the file this time: its content is unknown, and the next attempt may succeed.
    Unread(UnreadableClaim),
    /// The file is gone.
    Nothing,
}

/// Reads one file that has a claim's name.
pub fn read_content(disk: &dyn Disk, path: &Path) -> ClaimFileContent {
    match read_bytes(disk, path) {
        Ok(bytes) => match parsed(disk, path, &bytes) {
            Ok(claim) => ClaimFileContent::Claim(Box::new(claim)),
            Err(bad) => half_merged::waiting(disk, path, &bytes)
                .map_or(ClaimFileContent::Unreadable(bad), ClaimFileContent::Sides),
        },
        Err(content) => content,
    }
}

/// Each version of an undecided file.
pub(crate) fn stored_sides(id: &str, path: &Path, sides: Vec<Claim>) -> impl Iterator<Item = StoredClaim> {
    sides.into_iter().enumerate().map(move |(place, claim)| StoredClaim {
        id: id.to_owned(),
        path: path.to_owned(),
        claim,
        side: UndecidedSide::at(place),
    })
}

/// Reads the versions of a file with an unfinished merge.
pub fn read_sides(disk: &dyn Disk, path: &Path) -> Option<Vec<Claim>> {
    half_merged::waiting(disk, path, &read_file(disk, path).ok()?)
}

/// Reads one claim file; `None` when it is gone.
pub(crate) fn read_claim(disk: &dyn Disk, path: &Path) -> Option<Result<Claim, UnreadableClaim>> {
    match read_bytes(disk, path) {
        Ok(bytes) => Some(parsed(disk, path, &bytes)),
        Err(ClaimFileContent::Unreadable(bad) | ClaimFileContent::Unread(bad)) => Some(Err(bad)),
        Err(ClaimFileContent::Nothing | ClaimFileContent::Claim(_) | ClaimFileContent::Sides(_)) => None,
    }
}

/// Reads one claim file for a change that relies on it; `None` if it is gone or is not a claim. If the disk fails to
/// read it, that is an error, because it may hold a claim.
pub(crate) fn claim_given(disk: &dyn Disk, path: &Path) -> Result<Option<Claim>, StoreError> {
    match read_file(disk, path) {
        Ok(bytes) => Ok(Claim::parse(&bytes).ok()),
        Err(error) => match error.fault() {
            DiskFault::NotFound | DiskFault::TooLarge { .. } | DiskFault::NotAFile => Ok(None),
            _ => Err(StoreError::disk("cannot read a version of the claim")(error)),
        },
    }
}

/// Reads the bytes of a file that may hold a claim, or several that wait for a decision. Only such an undecided file
/// may be larger than a claim; of any other large file only the end is read.
pub fn read_file(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>, DiskError> {
    let too_large = match disk.read(path, CLAIM_LEN_READ_MAX) {
        Err(error) if matches!(error.fault(), DiskFault::TooLarge { .. }) => error,
        read => return read,
    };
    if disk.read_end(path, undecided_file::CLOSE.len() as u64)? != undecided_file::CLOSE.as_bytes() {
        return Err(too_large);
    }
    let bytes = disk.read(path, UNDECIDED_LEN_READ_MAX)?;
    if undecided_file::sides(&bytes).is_some() { Ok(bytes) } else { Err(too_large) }
}

/// The bytes of a file with a claim's name, or the reason why they cannot be parsed.
fn read_bytes(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>, ClaimFileContent> {
    let bad = |why: String| UnreadableClaim { path: path.to_owned(), why };
    read_file(disk, path).map_err(|error| match error.fault() {
        DiskFault::NotFound => ClaimFileContent::Nothing,
        DiskFault::TooLarge { len } => ClaimFileContent::Unreadable(bad(too_large(len))),
        fault @ DiskFault::NotAFile => ClaimFileContent::Unreadable(bad(fault.to_string())),
        fault => ClaimFileContent::Unread(bad(fault.to_string())),
    })
}

fn too_large(len: u64) -> String {
    format!(
        "it has {len} bytes; claims of at most {CLAIM_LEN_READ_MAX} bytes are read, and undecided files of at most \
         {UNDECIDED_LEN_READ_MAX}"
    )
}

/// The claim in the bytes of a file.
fn parsed(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<Claim, UnreadableClaim> {
    Claim::parse(bytes).map_err(|fault| {
        let why = match fault {
            // `resolve` cannot name these sides, so a person with an editor has to decide.
            ParseFault::ConflictMarkers if half_merged::waiting(disk, path, bytes).is_none() => {
                if undecided_file::is_merged_by_lines(bytes) {
                    HALF_MERGED.into()
                } else {
                    NO_CLAIMS.into()
                }
            }
            fault => fault.to_string(),
        };
        UnreadableClaim { path: path.to_owned(), why }
    })
}

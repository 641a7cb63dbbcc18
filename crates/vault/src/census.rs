//! The census: every kind of file and folder that this program keeps in a home, in a brain's folder, in a repository and in a
//! mail root, each with what it must be. `doctor` walks it. A file kind that is added anywhere gets an entry here.
//!
//! Only existing paths are checked. Whether a path is missing is for the code that owns it to say.

use crate::scan::read_claim;
use crate::written_here;
use crate::{BrainManifest, RootRecord};
use brainstem_base::disk::FileKind;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{Disk, DiskError, DiskFault};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const KIB: u64 = 1024;
const SMALL: u64 = 64 * KIB;
const MEDIUM: u64 = 1024 * 1024;
const LARGE: u64 = 64 * 1024 * 1024;

/// One kind of file or folder.
#[derive(Debug)]
pub struct CensusEntry {
    /// Its place below the base, with at most one `*` in each part. A bare `*` is any name that does not begin
    /// with a dot.
    pub place: &'static str,
    /// What it must be.
    pub is: ExpectedKind,
    /// What is lost while it cannot be used.
    pub weight: LossWhenUnfit,
    /// What to do once it was moved aside.
    pub then: fn() -> Advice,
}

/// What a path must be.
#[derive(Clone, Copy, Debug)]
pub enum ExpectedKind {
    /// A folder that this user can list, and write to.
    Folder,
    /// A regular file of at most so many bytes that this user can read, and that the check takes.
    File(u64, ContentCheck),
    /// A regular file. Its content is checked elsewhere, or has no meaning.
    Plain,
    /// Anything of this name is checked elsewhere; the entries below it have rules of their own.
    Passage,
}

/// How the content of a file is checked.
#[derive(Clone, Copy, Debug)]
pub enum ContentCheck {
    /// Any content, or content that is checked elsewhere.
    Any,
    /// The whole file, and a description of what it must be.
    Whole(fn(&[u8]) -> bool, &'static str),
    /// Each line that is not empty, and a description of what a line must be.
    Lines(fn(&str) -> bool, &'static str),
    /// A claim.
    Claim,
}

/// What is lost while a path cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossWhenUnfit {
    /// Memory or mail, or the way to it.
    Ground,
    /// State of this machine that may be lost.
    Local,
}

/// A path that is not what it must be.
#[derive(Debug)]
pub struct UnfitPath {
    /// The path.
    pub path: PathBuf,
    /// Its entry in the census.
    pub kind: &'static CensusEntry,
    /// What is wrong with it.
    pub fault: PathFault,
}

/// What is wrong with a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// It is a symbolic link.
    Link,
    /// It is a folder where a file belongs.
    FolderForFile,
    /// It is a file where a folder belongs.
    FileForFolder,
    /// It is neither a file nor a folder.
    Neither,
    /// It has so many bytes, and no more than so many are read.
    TooLarge(u64, u64),
    /// This user cannot read or list it.
    Unreadable(DiskFault),
    /// This user cannot write to the folder.
    Unwritable,
    /// It is not what it must be.
    Garbled(&'static str),
    /// So many of its lines are not what they must be.
    GarbledLines(usize, &'static str),
}

const fn folder(place: &'static str, weight: LossWhenUnfit) -> CensusEntry {
    CensusEntry { place, is: ExpectedKind::Folder, weight, then: Advice::default }
}

const fn plain(place: &'static str, weight: LossWhenUnfit) -> CensusEntry {
    CensusEntry { place, is: ExpectedKind::Plain, weight, then: Advice::default }
}

const fn file(
    place: &'static str,
    len_max: u64,
    form: ContentCheck,
    weight: LossWhenUnfit,
    then: fn() -> Advice,
) -> CensusEntry {
    CensusEntry { place, is: ExpectedKind::File(len_max, form), weight, then }
}

const JSON: ContentCheck = ContentCheck::Whole(is_object, "a JSON object");
const RESTORE: fn() -> Advice = || "restore it from a backup".into();
const ANEW: fn() -> Advice = || "it is made anew when it is needed".into();
const BOOTSTRAP: fn() -> Advice =
    || advice!["restore it from a backup, or run ", calls::bootstrap(), " in the project"];
const INIT: fn() -> Advice = || {
    advice![
        "run ",
        calls::init(),
        " in the project, which writes it anew; then commit it where git tracks it"
    ]
};
const WRITE: fn() -> Advice = || "write it anew".into();

use LossWhenUnfit::{Ground, Local};

/// What is in a home, but for the folders of brains.
pub const HOME: &[CensusEntry] = &[
    file(
        "home.json",
        SMALL,
        ContentCheck::Whole(has_schema, "a JSON object with its `schema`"),
        Ground,
        || "restore it from a backup; without one, the next write makes it anew".into(),
    ),
    file("principals.json", MEDIUM, ContentCheck::Any, Ground, WRITE),
    file("config.toml", MEDIUM, ContentCheck::Any, Ground, WRITE),
    file("acts.jsonl", u64::MAX, ContentCheck::Any, Ground, RESTORE),
    file("boot_memory_state.json", MEDIUM, JSON, Ground, RESTORE),
    file(
        "written-here.txt",
        LARGE,
        ContentCheck::Lines(
            written_here::is_line,
            "`here` or `file`, a sha256, a state, and perhaps the brain that it was written for",
        ),
        Ground,
        || {
            "restore it from a backup; without one, what people wrote into repositories is shown as what the files say".into()
        },
    ),
    file("battery-words.txt", 16 * MEDIUM, ContentCheck::Lines(is_sha256, "a sha256"), Ground, RESTORE),
    folder("mail-tracked", Ground),
    file("mail-tracked/*", LARGE, ContentCheck::Lines(is_box_and_file, "`box/file`"), Ground, RESTORE),
    file("field-reports.jsonl", u64::MAX, ContentCheck::Any, Ground, RESTORE),
    file("inbox.jsonl", u64::MAX, ContentCheck::Any, Ground, RESTORE),
    file("letter-references.jsonl", LARGE, ContentCheck::Any, Ground, RESTORE),
    file("projects.toml", MEDIUM, ContentCheck::Any, Ground, WRITE),
    folder("battery", Ground),
    file("battery/*", MEDIUM, ContentCheck::Any, Ground, RESTORE),
    folder("agent-memory", Ground),
    plain("agent-memory/*.light.md", Ground),
    folder("agent-memory/.history", Ground),
    plain("agent-memory/.history/*.light.md", Ground),
    folder("agent-memory/.locks", Ground),
    plain("agent-memory/.locks/*", Ground),
    folder("project-brains", Ground),
    folder("project-brains/*", Ground),
    folder("local", Local),
    plain("local/battery.lock", Local),
    folder("local/*", Local),
    plain("local/writes/*", Local),
    plain("local/beats/*", Local),
    plain("local/calls/*", Local),
    plain("local/sessions/*", Local),
    plain("local/sessions-moved/*", Local),
    file("local/hooks/*", SMALL, ContentCheck::Any, Local, ANEW),
    plain("local/hosts/*.lock", Local),
    file("local/hosts/*.json", MEDIUM, JSON, Local, || {
        advice![calls::eject_host(calls::HOST), " then finds its own entries by what they say"]
    }),
    file("local/tasks/*", SMALL, ContentCheck::Any, Local, || {
        "the audit shows the task without its first line".into()
    }),
    file("local/roots/*", 4 * KIB, ContentCheck::Any, Local, ANEW),
    file("local/mail-committed/*", SMALL, ContentCheck::Any, Local, || {
        advice![calls::mail_init_commit(), " says it again"]
    }),
    folder("local/sessions-register/*", Local),
    plain("local/sessions-register/*/.lock", Local),
    plain("local/sessions-register/*/.indexed", Local),
    file(
        "local/sessions-register/*/*.json",
        SMALL,
        ContentCheck::Whole(crate::mail::is_session_record, "the record of a session"),
        Local,
        || {
            let call = calls::session_register(calls::NAME, calls::TAG);
            advice![
                "the session's name, which stays taken until then, is free, and the session gives it and its tags again: ",
                call
            ]
        },
    ),
    folder("local/sessions-register/*/readers", Local),
    folder("local/sessions-register/*/readers/*", Local),
    plain("local/sessions-register/*/readers/*/*", Local),
    file("local/letters-open/*.json", 8 * MEDIUM, JSON, Local, ANEW),
    folder("local/mail-links/*", Local),
    file("local/mail-links/*/*.jsonl", 4 * LARGE, ContentCheck::Any, Local, ANEW),
    CensusEntry { place: "local/battery/*", is: ExpectedKind::Passage, weight: Local, then: Advice::default },
    folder("daemon", Local),
    plain("daemon/lock", Local),
    file("daemon/daemon.json", 16 * KIB, JSON, Local, || {
        advice![calls::down(), ", then ", calls::up(), " writes it anew"]
    }),
    file("daemon/token", KIB, ContentCheck::Any, Local, || {
        advice![calls::down(), ", then ", calls::up(), " makes another"]
    }),
    plain("daemon/daemon.log", Local),
    plain("daemon/daemon.log.*", Local),
    folder("index", Local),
    plain("index/*", Local),
    folder("ledger", Ground),
    plain("ledger/*", Ground),
    folder("inbox", Local),
    plain("inbox/*", Local),
];

/// What is in the folder of a brain, below `project-brains` of a home.
pub const BRAIN: &[CensusEntry] = &[
    file(
        "brain.json",
        SMALL,
        ContentCheck::Whole(is_manifest, "the manifest of a project"),
        Ground,
        BOOTSTRAP,
    ),
    file("root.json", SMALL, ContentCheck::Whole(is_root_record, "the record of a root"), Ground, BOOTSTRAP),
    file(
        "sharing.json",
        SMALL,
        ContentCheck::Whole(says_sharing, "a JSON object whose `sharing` is `private` or `committed`"),
        Ground,
        || advice!["run ", calls::init_private(), " or ", calls::init_shared(), " in the project"],
    ),
    file("boot_memory_state.json", MEDIUM, JSON, Ground, RESTORE),
    file("acts.jsonl", u64::MAX, ContentCheck::Any, Ground, RESTORE),
    folder("agent-memory", Ground),
    plain("agent-memory/*.light.md", Ground),
    folder("agent-memory/.history", Ground),
    plain("agent-memory/.history/*.light.md", Ground),
    folder("agent-memory/.kept", Ground),
    folder("agent-memory/.kept/*", Ground),
    file("agent-memory/.kept/*/*.light.md", u64::MAX, ContentCheck::Claim, Ground, || {
        "restore it from a backup; without one, git alone has that version".into()
    }),
    folder("agent-memory/.locks", Ground),
    plain("agent-memory/.locks/*", Ground),
];

/// What is in the `.brainstem` of a repository.
pub const REPOSITORY: &[CensusEntry] = &[
    file("brain.json", SMALL, ContentCheck::Whole(is_manifest, "the manifest of a project"), Ground, INIT),
    file("acts.jsonl", u64::MAX, ContentCheck::Any, Ground, INIT),
    file(".gitattributes", SMALL, ContentCheck::Any, Ground, INIT),
    file(".gitignore", SMALL, ContentCheck::Any, Ground, INIT),
    file("config.toml", MEDIUM, ContentCheck::Any, Ground, WRITE),
    file("inbox.jsonl", u64::MAX, ContentCheck::Any, Ground, || {
        "restore it with git, or from a backup".into()
    }),
    folder("battery", Ground),
    file("battery/*", MEDIUM, ContentCheck::Any, Ground, || "restore it with git, or from a backup".into()),
    folder("agent-memory", Ground),
    plain("agent-memory/*.light.md", Ground),
];

/// What is in a mail root.
pub const MAIL: &[CensusEntry] = &[
    file(".gitignore", SMALL, ContentCheck::Any, Ground, || {
        advice!["run ", calls::mail_init(), ", which writes it anew"]
    }),
    file(".forced.jsonl", u64::MAX, ContentCheck::Any, Ground, RESTORE),
    folder(".names", Ground),
    file(".names/.gitignore", SMALL, ContentCheck::Any, Ground, || {
        "it is made anew with the next message".into()
    }),
    plain(".names/boxes.lock", Ground),
    folder(".names/*", Ground),
    plain(".names/*/*", Ground),
    CensusEntry { place: "*", is: ExpectedKind::Passage, weight: Ground, then: Advice::default },
    folder("*/read", Ground),
    plain("*/read/*.md", Ground),
    folder("*/archive", Ground),
    plain("*/archive/*.md", Ground),
    folder("*/.claimed", Ground),
    plain("*/.claimed/*", Ground),
    folder("*/.seen", Ground),
    folder("*/.seen/*", Ground),
    plain("*/.seen/*/*", Ground),
    folder("*/.keys", Ground),
    plain("*/.keys/*", Ground),
    // A person's note beside the messages is not checked.
    plain("*/*.md", Ground),
];

impl CensusEntry {
    /// Whether it is a lock file, which has no content of its own.
    pub fn is_lock(&self) -> bool {
        self.place.split('/').any(|part| part == ".locks" || part.ends_with(".lock"))
    }
}

/// The ground files below `base` without locks, each as its path below `base`, sorted. A folder that `enters` rejects
/// is left out with everything in it.
pub fn ground_files(
    disk: &dyn Disk,
    base: &Path,
    census: &'static [CensusEntry],
    enters: &dyn Fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, DiskError> {
    let mut files = Vec::new();
    let mut ahead = vec![PathBuf::new()];
    while let Some(below) = ahead.pop() {
        let entries = match disk.list(&base.join(&below)) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => continue,
            Err(error) => return Err(error),
        };
        for entry in entries {
            let name = below.join(&entry.name);
            let Some(kind) = kind_of(census, &name).filter(|kind| kind.weight == Ground && !kind.is_lock())
            else {
                continue;
            };
            match (entry.kind, kind.is) {
                (FileKind::Dir, ExpectedKind::Folder | ExpectedKind::Passage) if enters(&name) => {
                    ahead.push(name)
                }
                (FileKind::Dir, _) | (_, ExpectedKind::Folder | ExpectedKind::Passage) => {}
                (
                    FileKind::File | FileKind::Link | FileKind::Other,
                    ExpectedKind::File(..) | ExpectedKind::Plain,
                ) => files.push(name),
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The entry of a path below a base; `None` if the census has none.
pub fn kind_of(census: &'static [CensusEntry], below: &Path) -> Option<&'static CensusEntry> {
    let parts: Vec<&OsStr> = below.iter().collect();
    census.iter().find(|kind| {
        let wanted: Vec<&str> = kind.place.split('/').collect();
        wanted.len() == parts.len() && wanted.iter().zip(&parts).all(|(wanted, part)| fits(wanted, part))
    })
}

/// Looks at every path below `base` that has an entry, and returns those that are not what they must be, sorted.
pub fn find_unfit(disk: &dyn Disk, base: &Path, census: &'static [CensusEntry]) -> Vec<UnfitPath> {
    let mut unfit = Vec::new();
    walk(disk, base, Path::new(""), census, &mut unfit);
    unfit
}

fn walk(
    disk: &dyn Disk,
    base: &Path,
    below: &Path,
    census: &'static [CensusEntry],
    unfit: &mut Vec<UnfitPath>,
) {
    // A folder that cannot be listed has a finding of its own, from the level above.
    let mut entries = disk.list(&base.join(below)).unwrap_or_default();
    entries.sort();
    for entry in entries {
        let name = below.join(&entry.name);
        let Some(kind) = kind_of(census, &name) else { continue };
        let path = base.join(&name);
        if let Some(fault) = fault_of(disk, &path, entry.kind, kind.is) {
            unfit.push(UnfitPath { path, kind, fault });
        }
        if entry.kind == FileKind::Dir {
            walk(disk, base, &name, census, unfit);
        }
    }
}

fn fault_of(disk: &dyn Disk, path: &Path, found: FileKind, is: ExpectedKind) -> Option<PathFault> {
    match (is, found) {
        (ExpectedKind::Passage, _) => None,
        (_, FileKind::Link) => Some(PathFault::Link),
        (_, FileKind::Other) => Some(PathFault::Neither),
        (ExpectedKind::Folder, FileKind::Dir) => match disk.list(path) {
            Err(error) if error.fault() != DiskFault::NotFound => Some(PathFault::Unreadable(error.fault())),
            _ => (disk.facts(path).writable == Some(false)).then_some(PathFault::Unwritable),
        },
        (ExpectedKind::Folder, FileKind::File) => Some(PathFault::FileForFolder),
        (ExpectedKind::Plain | ExpectedKind::File(..), FileKind::Dir) => Some(PathFault::FolderForFile),
        (ExpectedKind::Plain, FileKind::File) => None,
        (ExpectedKind::File(len_max, form), FileKind::File) => content_fault(disk, path, len_max, form),
    }
}

fn content_fault(disk: &dyn Disk, path: &Path, len_max: u64, form: ContentCheck) -> Option<PathFault> {
    let len = disk.stat(path).ok()?.len;
    if len > len_max {
        return Some(PathFault::TooLarge(len, len_max));
    }
    let unreadable = |error: brainstem_base::DiskError| match error.fault() {
        // It was removed during the check.
        DiskFault::NotFound => None,
        fault => Some(PathFault::Unreadable(fault)),
    };
    let read = match form {
        ContentCheck::Any => disk.read_part(path, 0, 1),
        ContentCheck::Claim => {
            return match read_claim(disk, path)? {
                Ok(_) => None,
                Err(_) => match disk.read_part(path, 0, 1) {
                    Ok(_) => Some(PathFault::Garbled("a readable claim")),
                    Err(error) => unreadable(error),
                },
            };
        }
        ContentCheck::Whole(..) | ContentCheck::Lines(..) => disk.read(path, len_max),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => return unreadable(error),
    };
    match form {
        ContentCheck::Any | ContentCheck::Claim => None,
        ContentCheck::Whole(is_right, words) => (!is_right(&bytes)).then_some(PathFault::Garbled(words)),
        ContentCheck::Lines(is_right, words) => {
            let text = String::from_utf8_lossy(&bytes);
            let bad = text.lines().filter(|line| !line.is_empty() && !is_right(line)).count();
            (bad > 0).then_some(PathFault::GarbledLines(bad, words))
        }
    }
}

/// Whether a name fits a part of a place.
fn fits(wanted: &str, name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    match wanted.split_once('*') {
        None => name == wanted.as_bytes(),
        // Any name that is not ours, also that of a box, may have a dot anywhere but at its start.
        Some(("", after)) => !name.starts_with(b".") && name.ends_with(after.as_bytes()),
        Some((before, after)) => {
            name.len() >= before.len() + after.len()
                && name.starts_with(before.as_bytes())
                && name.ends_with(after.as_bytes())
        }
    }
}

fn is_object(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Value>(bytes).is_ok_and(|value| value.is_object())
}

fn has_schema(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Value>(bytes).is_ok_and(|value| value["schema"].is_u64())
}

fn is_manifest(bytes: &[u8]) -> bool {
    BrainManifest::parse(bytes).is_some()
}

fn is_root_record(bytes: &[u8]) -> bool {
    serde_json::from_slice::<RootRecord>(bytes).is_ok()
}

fn says_sharing(bytes: &[u8]) -> bool {
    let said = serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    matches!(said["sharing"].as_str(), Some("private" | "committed"))
}

fn is_sha256(line: &str) -> bool {
    line.len() == 64 && line.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_box_and_file(line: &str) -> bool {
    line.split_once('/').is_some_and(|(of, file)| !of.is_empty() && !file.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test] // spec: MEM-43
    fn every_place_of_the_census_is_there_once() {
        for census in [HOME, BRAIN, REPOSITORY, MAIL] {
            let places: BTreeSet<&str> = census.iter().map(|kind| kind.place).collect();
            assert_eq!(places.len(), census.len());
            assert!(
                census.iter().all(|kind| kind.place.split('/').all(|part| part.matches('*').count() < 2))
            );
        }
        assert_eq!(
            kind_of(BRAIN, Path::new("agent-memory/a.light.md")).unwrap().place,
            "agent-memory/*.light.md"
        );
        assert!(kind_of(BRAIN, Path::new("agent-memory/.a.light.md")).is_none());
        assert!(kind_of(MAIL, Path::new(".names/2026")).is_some());
    }
}

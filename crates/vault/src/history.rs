//! History: the versions that are no longer live, each in a file of its own, never rewritten.

use crate::scan::{UnreadableClaim, read_claim};
use crate::{StoreError, durable};
use brainstem_base::{Disk, DiskError, DiskFault, Ids, Timestamp};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::{Claim, ClaimSlug};
use std::path::{Path, PathBuf};

/// The most versions with one birth stamp that one label may have.
pub(crate) const SAME_STAMP_MAX: u32 = 1_000;

/// Why a version left the live store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// A later version took its place.
    Superseded,
    /// It was taken back.
    Retracted,
    /// It went to another store of the home.
    Moved,
}

impl ExitReason {
    /// Every way out.
    pub(crate) const ALL: [Self; 3] = [Self::Superseded, Self::Retracted, Self::Moved];

    fn infix(self) -> &'static str {
        match self {
            Self::Superseded => "",
            Self::Retracted => ".retracted",
            Self::Moved => ".moved",
        }
    }

    /// The place from which its lifecycle is read.
    pub fn place(self) -> FilePlace {
        match self {
            Self::Superseded => FilePlace::HistorySuperseded,
            Self::Retracted => FilePlace::HistoryRetracted,
            Self::Moved => FilePlace::HistoryMoved,
        }
    }
}

/// A version found in history.
#[derive(Clone, Debug)]
pub struct PastVersion {
    /// Its file.
    pub path: PathBuf,
    /// Why it left.
    pub exit: ExitReason,
    /// What it said.
    pub claim: Claim,
    /// It was written here, and git replaced it by a version that was not written over it.
    pub is_missing: bool,
}

/// The name of a version: `<slug>.<ms>[-n][.retracted|.moved].light.md`.
pub fn version_name(slug: &ClaimSlug, created: Option<Timestamp>, n: u32, exit: ExitReason) -> String {
    let ms = created.map_or(0, Timestamp::ms);
    let nth = if n == 0 { String::new() } else { format!("-{n}") };
    format!("{slug}.{ms}{nth}{}.light.md", exit.infix())
}

/// The parts of the name of a version's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionName {
    /// The label's slug.
    pub slug: ClaimSlug,
    /// Its birth stamp in milliseconds; 0 where it has none.
    pub born_ms: i64,
    /// Why it left.
    pub exit: ExitReason,
}

impl VersionName {
    /// Reads a name; `None` if it is not the name of a version.
    pub fn parse(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(".light.md")?;
        let marked = [ExitReason::Retracted, ExitReason::Moved].into_iter();
        let mut marked = marked.filter_map(|exit| Some((stem.strip_suffix(exit.infix())?, exit)));
        let (stem, exit) = marked.next().unwrap_or((stem, ExitReason::Superseded));
        let (slug, stamp) = stem.split_once('.')?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let ms = match stamp.split_once('-') {
            Some((ms, n)) if digits(n) => ms,
            Some(_) => return None,
            None => stamp,
        };
        let born_ms = ms.parse().ok().filter(|_| digits(ms))?;
        Some(Self { slug: ClaimSlug::parse(slug)?, born_ms, exit })
    }
}

/// Reads a version's name: its slug and why it left.
pub fn parse_version_name(name: &str) -> Option<(ClaimSlug, ExitReason)> {
    VersionName::parse(name).map(|version| (version.slug, version.exit))
}

/// Puts a version into history, durably. If the same bytes are there already, nothing is written: a repeated change
/// finds its own copy.
pub(crate) fn archive(
    disk: &dyn Disk,
    ids: &dyn Ids,
    dir: &Path,
    slug: &ClaimSlug,
    created: Option<Timestamp>,
    exit: ExitReason,
    bytes: &[u8],
) -> Result<PathBuf, DiskError> {
    for n in 0..SAME_STAMP_MAX {
        let path = dir.join(version_name(slug, created, n, exit));
        match durable::create(disk, ids, &path, bytes)? {
            durable::NewName::New => return Ok(path),
            durable::NewName::Taken if is_copy(disk, &path, bytes) => {
                // An interrupted run made it, perhaps without a sync.
                disk.sync_dir(dir)?;
                return Ok(path);
            }
            durable::NewName::Taken => {}
        }
    }
    Err(DiskError::new("archive", dir, DiskFault::Exists))
}

/// The copy of a version that an interrupted change left in history; `None` if there is none.
pub(crate) fn find_copy(
    disk: &dyn Disk,
    dir: &Path,
    slug: &ClaimSlug,
    created: Option<Timestamp>,
    exit: ExitReason,
    bytes: &[u8],
) -> Option<PathBuf> {
    (0..SAME_STAMP_MAX)
        .map(|n| dir.join(version_name(slug, created, n, exit)))
        .take_while(|path| disk.stat(path).is_ok())
        .find(|path| is_copy(disk, path, bytes))
}

fn is_copy(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> bool {
    disk.read(path, bytes.len() as u64).is_ok_and(|there| there == bytes)
}

/// The versions of one label, youngest first, and the files among them that are not claims.
pub(crate) fn versions(
    disk: &dyn Disk,
    dir: &Path,
    slug: &ClaimSlug,
) -> Result<(Vec<PastVersion>, Vec<UnreadableClaim>), StoreError> {
    let entries = match disk.list(dir) {
        Ok(entries) => entries,
        Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
        Err(error) => return Err(StoreError::disk("cannot list the history")(error)),
    };
    let mut versions = Vec::new();
    let mut unreadable = Vec::new();
    for entry in entries {
        let Some(name) = entry.name.to_str() else { continue };
        let Some(VersionName { slug: found, exit, .. }) = VersionName::parse(name) else { continue };
        if found != *slug {
            continue;
        }
        match read_claim(disk, &dir.join(name)) {
            Some(Ok(claim)) => {
                versions.push(PastVersion { path: dir.join(name), exit, claim, is_missing: false })
            }
            Some(Err(bad)) => unreadable.push(bad),
            None => {}
        }
    }
    versions.sort_by(|a, b| b.claim.created.cmp(&a.claim.created).then_with(|| b.path.cmp(&a.path)));
    Ok((versions, unreadable))
}

/// Every version in a folder of history that can be read.
pub(crate) fn all(disk: &dyn Disk, dir: &Path) -> Result<Vec<Claim>, StoreError> {
    let entries = match disk.list(dir) {
        Ok(entries) => entries,
        Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
        Err(error) => return Err(StoreError::disk("cannot list the history")(error)),
    };
    let names = entries.iter().filter_map(|entry| entry.name.to_str());
    let versions = names.filter(|name| VersionName::parse(name).is_some());
    Ok(versions.filter_map(|name| read_claim(disk, &dir.join(name))?.ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_claims::Label;

    #[test] // spec: MEM-11, MEM-12
    fn version_names_are_read_back() {
        let slug = ClaimSlug::of(&Label::parse("Retry policy").expect("valid"));
        let at = Some(Timestamp::from_ms(1_783_209_431_408));
        assert_eq!(version_name(&slug, at, 0, ExitReason::Superseded), "retry-policy.1783209431408.light.md");
        assert_eq!(
            version_name(&slug, at, 2, ExitReason::Retracted),
            "retry-policy.1783209431408-2.retracted.light.md"
        );
        for exit in ExitReason::ALL {
            for n in [0, 3] {
                let read = VersionName { slug: slug.clone(), born_ms: 1_783_209_431_408, exit };
                assert_eq!(VersionName::parse(&version_name(&slug, at, n, exit)), Some(read));
            }
        }
        for other in
            ["retry-policy.light.md", "x.y.light.md", "x.1.md", ".tmp-1", "x.1-.light.md", "X.1.light.md"]
        {
            assert_eq!(VersionName::parse(other), None, "{other}");
        }
    }
}

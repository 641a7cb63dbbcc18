//! Which commits a repository has, looked up in its files.

use super::{common_dir, git_dir, hash_in, head_of, is_bare, line_of};
use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, hash};
use std::path::{Path, PathBuf};

/// The largest log, list of references or settings file that is read.
const TEXT_LEN_MAX: u64 = 16 * 1024 * 1024;
/// The largest list of tracked files that is read.
const INDEX_LEN_MAX: u64 = 256 * 1024 * 1024;
/// How many packs are looked into.
const PACKS_MAX: usize = 4_096;
/// How much of the names of one pack is read at once: the names that share their first byte.
const BUCKET_LEN_MAX: u64 = 64 * 1024 * 1024;
/// How many hex digits of the hash of an address are kept.
const ORIGIN_DIGITS: usize = 16;

/// A repository, read from its files.
pub struct Repository<'a> {
    disk: &'a dyn Disk,
    /// Where git keeps the state of this checkout.
    dir: PathBuf,
    /// Where it keeps the state that all worktrees share.
    common: PathBuf,
}

impl<'a> Repository<'a> {
    /// The repository whose top is this folder.
    pub fn at(disk: &'a dyn Disk, root: &Path) -> Option<Self> {
        let dir = git_dir(disk, root).or_else(|| is_bare(disk, root).then(|| root.to_owned()))?;
        let common = common_dir(disk, &dir);
        Some(Self { disk, dir, common })
    }

    /// The commit that is checked out.
    pub fn head(&self) -> Option<String> {
        head_of(self.disk, &self.dir)
    }

    /// The oldest commit that was ever checked out here: the first in the log of this checkout.
    pub fn first(&self) -> Option<String> {
        let log = line_of(self.disk, &self.dir.join("logs/HEAD"))?;
        let mut words = log.split(' ');
        let (before, after) = (words.next()?, words.next()?);
        // The log of a repository that was made here begins with a hash of zeros.
        [before, after].into_iter().filter_map(hash_in).find(|commit| commit.bytes().any(|b| b != b'0'))
    }

    /// Whether a commit is here: among its own objects, or named by a reference. Objects that it borrows from another
    /// repository do not count, because they belong to that one.
    pub fn has(&self, commit: &str) -> bool {
        let Some(commit) = hash_in(commit) else { return false };
        self.is_loose(&commit) || self.is_packed(&commit) || self.is_named(&commit)
    }

    fn is_loose(&self, commit: &str) -> bool {
        let (first, rest) = commit.split_at(2);
        self.disk.stat(&self.common.join("objects").join(first).join(rest)).is_ok()
    }

    fn is_packed(&self, commit: &str) -> bool {
        let dir = self.common.join("objects/pack");
        let Some(name) = unhexed(commit) else { return false };
        let entries = self.disk.list(&dir).unwrap_or_default().into_iter();
        let lists = entries
            .filter(|entry| entry.kind == FileKind::File && entry.name.as_encoded_bytes().ends_with(b".idx"));
        lists.take(PACKS_MAX).any(|entry| self.lists(&dir.join(entry.name), &name).unwrap_or(false))
    }

    /// Whether the list of a pack (version 2: a mark, 256 running counts, then the sorted names) has a name.
    fn lists(&self, list: &Path, name: &[u8]) -> Option<bool> {
        const HEAD: u64 = 8;
        const COUNTS: u64 = 256 * 4;
        let head = self.disk.read_part(list, 0, HEAD + COUNTS).ok()?;
        if head.get(..8)? != b"\xfftOc\0\0\0\x02" {
            return None;
        }
        let count = |first: u8| -> Option<u64> {
            let at = 8 + usize::from(first) * 4;
            Some(u64::from(u32::from_be_bytes(head.get(at..at + 4)?.try_into().ok()?)))
        };
        let first = *name.first()?;
        let from = if first == 0 { 0 } else { count(first - 1)? };
        let (len, until) = (name.len() as u64, count(first)?);
        let bucket_len = until.checked_sub(from)?.checked_mul(len)?.min(BUCKET_LEN_MAX);
        let bucket = self.disk.read_part(list, HEAD + COUNTS + from.checked_mul(len)?, bucket_len).ok()?;
        Some(bucket.chunks_exact(name.len()).any(|listed| listed == name))
    }

    /// Whether the checkout, a branch, a tag or the log of the checkout names a commit.
    fn is_named(&self, commit: &str) -> bool {
        let says = |path: PathBuf| {
            let text = self.disk.read(&path, TEXT_LEN_MAX).unwrap_or_default();
            text.windows(commit.len()).any(|window| window == commit.as_bytes())
        };
        self.head().as_deref() == Some(commit)
            || says(self.common.join("packed-refs"))
            || says(self.dir.join("logs/HEAD"))
    }

    /// Whether it was cloned without its history.
    pub fn is_shallow(&self) -> bool {
        self.disk.stat(&self.common.join("shallow")).is_ok_and(|stat| stat.len > 0)
    }

    /// A hash of the address that it was cloned from, without the login.
    pub fn origin(&self) -> Option<String> {
        self.address().map(|address| hashed(&address))
    }

    /// The hashes of every address of the repository that it was cloned from: one repository of a host is reached over
    /// HTTPS and over SSH.
    pub fn origins(&self) -> Vec<String> {
        let address = self.address();
        address.iter().flat_map(|address| spellings(address)).map(|address| hashed(&address)).collect()
    }

    fn address(&self) -> Option<String> {
        let text = self.disk.read(&self.common.join("config"), TEXT_LEN_MAX).ok()?;
        let text = String::from_utf8(text).ok()?;
        let mut is_origin = false;
        let mut url = None;
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                is_origin = line == r#"[remote "origin"]"#;
            } else if is_origin && let Some((key, value)) = line.split_once('=') {
                url =
                    url.or_else(|| (key.trim() == "url").then(|| value.trim().trim_matches('"').to_owned()));
            }
        }
        let url = plain_address(&url?);
        (!url.is_empty()).then_some(url)
    }

    /// Whether the list of tracked files names one below a folder, given from the repository's top.
    pub fn tracks_below(&self, folder: &Path) -> bool {
        let Some(folder) = folder.to_str().filter(|folder| !folder.is_empty()) else { return false };
        let prefix = format!("{folder}/");
        let index = self.disk.read(&self.dir.join("index"), INDEX_LEN_MAX).unwrap_or_default();
        index.windows(prefix.len()).any(|window| window == prefix.as_bytes())
    }
}

/// An address without the login, and without endings that have no meaning.
fn plain_address(url: &str) -> String {
    let url = match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            format!("{scheme}://{host}/{path}")
        }
        None => url.to_owned(),
    };
    let url = url.trim_end_matches('/');
    url.strip_suffix(".git").unwrap_or(url).to_owned()
}

fn hashed(address: &str) -> String {
    hash::sha256_hex(address.as_bytes(), ORIGIN_DIGITS)
}

/// A plain address, and the others under which its host has the same repository.
fn spellings(address: &str) -> Vec<String> {
    let mut all = vec![address.to_owned()];
    let parts = match address.split_once("://") {
        Some(("https" | "http" | "ssh" | "git", rest)) => rest.split_once('/'),
        Some(_) => None,
        // `git@host:path`; a path on this machine has a slash before any colon.
        None => address.split_once(':').filter(|(host, _)| !host.contains('/')),
    };
    if let Some((host, path)) = parts {
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let path = path.trim_start_matches('/');
        all.extend(["https", "http", "ssh", "git"].map(|scheme| format!("{scheme}://{host}/{path}")));
        all.extend([format!("{host}:{path}"), format!("git@{host}:{path}")]);
    }
    all
}

fn unhexed(digits: &str) -> Option<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;

    const FIRST: &str = "1111111111111111111111111111111111111111";
    const SECOND: &str = "22222222222222222222222222222222222222ab";
    const OTHER: &str = "3333333333333333333333333333333333333333";

    fn repository() -> SimDisk {
        let disk = SimDisk::new();
        disk.write_raw("/r/.git/HEAD", b"ref: refs/heads/main\n");
        disk
    }

    /// The list of a pack that has these objects.
    fn pack_list(commits: &[&str]) -> Vec<u8> {
        let mut names: Vec<Vec<u8>> = commits.iter().map(|commit| unhexed(commit).expect("hex")).collect();
        names.sort();
        let mut bytes = b"\xfftOc\0\0\0\x02".to_vec();
        for first in 0..=255u8 {
            let count = names.iter().filter(|name| name[0] <= first).count();
            bytes.extend(u32::try_from(count).expect("a few").to_be_bytes());
        }
        bytes.extend(names.concat());
        bytes.extend([7; 40]);
        bytes
    }

    #[test] // spec: MEM-1
    fn a_commit_is_found_loose_packed_and_by_name_and_no_other_is() {
        let places: [(&str, Vec<u8>); 5] = [
            ("/r/.git/objects/22/222222222222222222222222222222222222ab", b"x".to_vec()),
            (
                "/r/.git/objects/pack/pack-1.idx",
                pack_list(&[FIRST, SECOND, OTHER.replace('3', "f").as_str()]),
            ),
            ("/r/.git/refs/heads/main", format!("{SECOND}\n").into_bytes()),
            ("/r/.git/packed-refs", format!("# pack-refs\n{SECOND} refs/remotes/origin/main\n").into_bytes()),
            ("/r/.git/logs/HEAD", format!("{} {SECOND} ana 1 +0000\tclone\n", "0".repeat(40)).into_bytes()),
        ];
        for (path, bytes) in places {
            let disk = repository();
            let found = |disk: &SimDisk| Repository::at(disk, Path::new("/r")).expect("one").has(SECOND);
            assert!(!found(&disk), "{path}");
            disk.write_raw(path, &bytes);
            assert!(found(&disk), "{path}");
            assert!(!Repository::at(&disk, Path::new("/r")).expect("one").has(OTHER), "{path}");
        }
    }

    #[test] // spec: MEM-1
    fn what_a_repository_borrows_from_another_is_not_its_own() {
        let disk = repository();
        disk.write_raw("/r/.git/objects/info/alternates", b"/pool/objects\n");
        disk.write_raw("/pool/objects/22/222222222222222222222222222222222222ab", b"x");
        assert!(!Repository::at(&disk, Path::new("/r")).expect("one").has(SECOND));
    }

    #[test] // spec: MEM-1
    fn damaged_lists_and_words_that_are_no_commit_find_nothing() {
        let disk = repository();
        for bytes in [&b""[..], b"\xfftOc\0\0\0\x02", b"\xfftOc\0\0\0\x01", &[0xff; 2_000]] {
            disk.write_raw("/r/.git/objects/pack/pack-1.idx", bytes);
            assert!(!Repository::at(&disk, Path::new("/r")).expect("one").has(SECOND), "{bytes:?}");
        }
        for word in ["", "..", "2", "../../../etc/passwd", &"g".repeat(40), &"é".repeat(20)] {
            assert!(!Repository::at(&disk, Path::new("/r")).expect("one").has(word), "{word}");
        }
    }

    #[test] // spec: MEM-1
    fn the_first_commit_is_where_the_log_of_the_checkout_begins() {
        let first = |line: &str| {
            let disk = repository();
            disk.write_raw("/r/.git/logs/HEAD", line.as_bytes());
            Repository::at(&disk, Path::new("/r")).expect("one").first()
        };
        let zeros = "0".repeat(40);
        assert_eq!(
            first(&format!("{zeros} {FIRST} ana 1 +0000\tcommit (initial): x\nmore")),
            Some(FIRST.into())
        );
        assert_eq!(first(&format!("{FIRST} {SECOND} ana 1 +0000\tpull")), Some(FIRST.into()));
        assert_eq!(first("nonsense"), None);
        assert_eq!(first(""), None);
    }

    #[test] // spec: MEM-1
    fn an_origin_is_told_by_its_address_without_the_login() {
        let cloned = |url: &str| {
            let disk = repository();
            let text = format!(
                "[core]\n\turl = no\n[remote \"up\"]\n\turl = x\n[remote \"origin\"]\n\turl = {url}\n"
            );
            disk.write_raw("/r/.git/config", text.as_bytes());
            disk
        };
        let origin = |url: &str| Repository::at(&cloned(url), Path::new("/r")).expect("one").origin();
        let origins = |url: &str| Repository::at(&cloned(url), Path::new("/r")).expect("one").origins();
        let plain = origin("https://example.org/ana/cherry.git");
        assert!(plain.as_ref().is_some_and(|hash| hash.len() == ORIGIN_DIGITS));
        assert_eq!(origin("https://ana:secret@example.org/ana/cherry/"), plain);
        assert_ne!(origin("https://example.org/bob/cherry.git"), plain);
        let plain = plain.expect("an address");
        for (url, is_same) in [
            ("git@example.org:ana/cherry.git", true),
            ("ssh://git@example.org/ana/cherry", true),
            ("git@example.org:bob/cherry.git", false),
            ("https://example.com/ana/cherry.git", false),
            ("/srv/example.org:ana/cherry", false),
        ] {
            assert_eq!(origins(url).contains(&plain), is_same, "{url}");
        }
        assert_eq!(Repository::at(&repository(), Path::new("/r")).expect("one").origin(), None);
    }
}

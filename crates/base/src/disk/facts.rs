//! What only a diagnosis needs: permissions, the file system, its space, and which process holds a lock.

use std::path::PathBuf;

/// Facts about a path and its file system. A fact that the system does not have is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathFacts {
    /// Whether this user owns it: the owner alone may change its permissions.
    pub owned: Option<bool>,
    /// The permission bits.
    pub mode: Option<u32>,
    /// The last change of the name, its links or its content, in nanoseconds since the epoch.
    pub changed_ns: Option<i128>,
    /// The name of its network file system.
    pub network: Option<&'static str>,
    /// The bytes that this user may still write.
    pub free_len: Option<u64>,
    /// Whether this user may write there: neither permissions nor a read-only file system forbid it.
    pub writable: Option<bool>,
}

/// A lock that stays taken until its stopped process continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedLock {
    /// The lock file.
    pub path: PathBuf,
    /// The process that holds it.
    pub pid: u32,
}

/// The file systems of Linux whose locks another machine may not see, by the number `statfs` gives.
#[cfg(target_os = "linux")]
pub(super) fn network_name(magic: u32) -> Option<&'static str> {
    const NAMES: &[(u32, &str)] = &[
        (0x6969, "nfs"),
        (0x517B, "smb"),
        (0xFF53_4D42, "cifs"),
        (0xFE53_4D42, "smb"),
        (0x564C, "ncp"),
        (0x5346_414F, "afs"),
        (0x6B41_4653, "afs"),
        (0x7375_7245, "coda"),
        (0x0102_1997, "9p"),
        (0x00C3_6400, "ceph"),
        (0x0BD0_0BD0, "lustre"),
    ];
    NAMES.iter().find(|(known, _)| *known == magic).map(|(_, name)| *name)
}

/// Reads `/proc/locks`: the process and the inode of every lock that `flock` took.
#[cfg(target_os = "linux")]
pub(super) fn flocks(text: &str) -> Vec<(u32, u64)> {
    let read = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        if words.next()? != "FLOCK" {
            return None;
        }
        let pid = words.nth(2)?.parse().ok()?;
        let inode = words.next()?.rsplit(':').next()?.parse().ok()?;
        Some((pid, inode))
    };
    text.lines().filter_map(read).collect()
}

/// Whether `/proc/<pid>/stat` describes a process that was stopped.
#[cfg(target_os = "linux")]
pub(super) fn is_stopped(stat: &str) -> bool {
    // The name of the program is in brackets and may contain brackets too.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().next());
    matches!(state, Some("T" | "t"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{flocks, is_stopped, network_name};

    #[test]
    fn the_locks_of_the_system_are_read() {
        let text = "1: POSIX  ADVISORY  WRITE 77 08:01:5 0 EOF\n\
                    2: FLOCK  ADVISORY  WRITE 4711 00:2f:1234567 0 EOF\n\
                    2: -> FLOCK  ADVISORY  WRITE 4712 00:2f:1234567 0 EOF\nnoise\n";
        assert_eq!(flocks(text), [(4711, 1_234_567)]);
        assert!(flocks("").is_empty());
    }

    #[test]
    fn a_stopped_process_is_known_by_its_state() {
        assert!(is_stopped("42 (a) R (b)) T 1 42"));
        assert!(!is_stopped("42 (T T) S 1 42"));
        assert!(!is_stopped(""));
    }

    #[test] // spec: IF-27
    fn network_file_systems_are_known_by_their_number() {
        assert_eq!(network_name(0x6969), Some("nfs"));
        assert_eq!(network_name(0xEF53), None, "ext4");
    }
}

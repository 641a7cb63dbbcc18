//! Reads files of any size piece by piece: no file in a store costs more than a bounded amount of memory.

use brainstem_base::{Disk, DiskError};
use std::path::Path;

/// How much of a file is in memory at once.
const PIECE_LEN: u64 = 256 * 1024;

/// Whether two paths hold the same bytes; false if one of them cannot be read.
pub(crate) fn are_same(disk: &dyn Disk, one: &Path, other: &Path) -> bool {
    let (Ok(first), Ok(second)) = (disk.stat(one), disk.stat(other)) else { return false };
    if first.len != second.len {
        return false;
    }
    if first.identity.is_some() && first.identity == second.identity {
        return true;
    }
    let mut offset = 0;
    while offset < first.len {
        let piece = |path: &Path| disk.read_part(path, offset, PIECE_LEN);
        match (piece(one), piece(other)) {
            (Ok(a), Ok(b)) if a == b && !a.is_empty() => offset += a.len() as u64,
            _ => return false,
        }
    }
    true
}

/// Whether the first `len_max` bytes of a file contain one of these, also across the end of a piece.
pub(crate) fn holds(
    disk: &dyn Disk,
    path: &Path,
    needles: &[Vec<u8>],
    len_max: u64,
) -> Result<bool, DiskError> {
    let overlap = needles.iter().map(Vec::len).max().unwrap_or(0).saturating_sub(1);
    let mut held: Vec<u8> = Vec::new();
    let mut offset = 0;
    while offset < len_max {
        let piece = disk.read_part(path, offset, PIECE_LEN.min(len_max - offset))?;
        if piece.is_empty() {
            break;
        }
        offset += piece.len() as u64;
        held.drain(..held.len().saturating_sub(overlap));
        held.extend_from_slice(&piece);
        let has =
            |needle: &Vec<u8>| held.windows(needle.len().max(1)).any(|window| window == needle.as_slice());
        if needles.iter().any(has) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;

    #[test] // spec: MEM-48
    fn what_lies_across_the_end_of_a_piece_is_found() {
        let disk = SimDisk::new();
        let path = Path::new("/large");
        let needle = b"needle".to_vec();
        let len = PIECE_LEN as usize;
        for at in [0, 1, len - 6, len - 3, len - 1, len, 2 * len - 2] {
            let mut bytes = vec![b'.'; 2 * len + 10];
            bytes[at..at + needle.len()].copy_from_slice(&needle);
            disk.write_raw(path, &bytes);
            let find = |len_max| holds(&disk, path, std::slice::from_ref(&needle), len_max).expect("a file");
            assert!(find(u64::MAX), "{at}");
            assert!(!find((at + needle.len() - 1) as u64), "{at}");
        }
        assert!(holds(&disk, Path::new("/none"), &[needle], 1).is_err());
    }

    #[test] // spec: MEM-48
    fn files_are_the_same_to_the_last_byte() {
        let disk = SimDisk::new();
        let (one, other) = (Path::new("/one"), Path::new("/other"));
        let bytes = vec![7; PIECE_LEN as usize + 5];
        disk.write_raw(one, &bytes);
        disk.write_raw(other, &bytes);
        assert!(are_same(&disk, one, other));
        let mut changed = bytes.clone();
        *changed.last_mut().expect("bytes") = 8;
        disk.write_raw(other, &changed);
        assert!(!are_same(&disk, one, other));
        disk.write_raw(other, &bytes[1..]);
        assert!(!are_same(&disk, one, other) && !are_same(&disk, one, Path::new("/none")));
    }
}

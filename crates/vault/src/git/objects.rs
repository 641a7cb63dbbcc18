//! Reads one object of a repository, a blob or a tree, by its name: from a file of its own, from a pack, or from a
//! repository whose objects this one borrows.

use super::inflate::inflate;
use brainstem_base::Disk;
use std::path::{Path, PathBuf};

/// The largest blob that is read.
const BLOB_LEN_MAX: usize = 16 * 1024 * 1024;
/// The most names that one part of a pack's index is read for.
const NAMES_MAX: u64 = 4 * 1024 * 1024;
/// How many deltas are followed to a whole object, and how many folders of objects are looked into.
const DELTAS_MAX: usize = 512;
const FOLDERS_MAX: usize = 8;
/// The largest list of borrowed folders.
const ALTERNATES_LEN_MAX: u64 = 64 * 1024;
const TREE: (usize, &[u8]) = (2, b"tree ");
const BLOB: (usize, &[u8]) = (3, b"blob ");
const DELTA_BY_OFFSET: usize = 6;
const DELTA_BY_NAME: usize = 7;

/// The bytes of a blob; `None` if the repository does not have it in a form that this module reads. `common` is the folder
/// that all worktrees share.
pub(crate) fn blob(disk: &dyn Disk, common: &Path, name: &[u8]) -> Option<Vec<u8>> {
    object(disk, common, name, BLOB)
}

/// The names of the files and folders in a tree; `None` if the repository does not have it in a form that this module reads.
pub(crate) fn names_in_tree(disk: &dyn Disk, common: &Path, name: &[u8]) -> Option<Vec<Vec<u8>>> {
    let tree = object(disk, common, name, TREE)?;
    let (mut names, mut rest) = (Vec::new(), tree.as_slice());
    while !rest.is_empty() {
        // The mode, a blank, the name, a zero, and the name of its object.
        let (blank, end) =
            (rest.iter().position(|byte| *byte == b' ')?, rest.iter().position(|byte| *byte == 0)?);
        names.push(rest.get(blank + 1..end)?.to_vec());
        rest = rest.get(end + 1 + name.len()..)?;
    }
    Some(names)
}

fn object(disk: &dyn Disk, common: &Path, name: &[u8], (number, word): (usize, &[u8])) -> Option<Vec<u8>> {
    let folders = folders(disk, common);
    folders.iter().find_map(|dir| loose(disk, dir, name, word)).or_else(|| {
        folders.iter().find_map(|dir| {
            let (kind, bytes) = packed(disk, dir, name, &mut 0)?;
            (kind == number).then_some(bytes)
        })
    })
}

/// The folders of objects: the repository's own, and those it borrows from.
fn folders(disk: &dyn Disk, common: &Path) -> Vec<PathBuf> {
    let mut all = vec![common.join("objects")];
    let mut at = 0;
    while at < all.len() && all.len() < FOLDERS_MAX {
        let list = disk.read(&all[at].join("info/alternates"), ALTERNATES_LEN_MAX).unwrap_or_default();
        for line in String::from_utf8_lossy(&list).lines().filter(|line| !line.is_empty()) {
            let dir = all[at].join(line);
            if all.len() < FOLDERS_MAX && !all.contains(&dir) {
                all.push(dir);
            }
        }
        at += 1;
    }
    all
}

/// An object with a file of its own. Its kind is the word at its start.
fn loose(disk: &dyn Disk, objects: &Path, name: &[u8], kind: &[u8]) -> Option<Vec<u8>> {
    let hex: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = objects.join(&hex[..2]).join(&hex[2..]);
    let object = inflate(&disk.read(&path, BLOB_LEN_MAX as u64).ok()?, BLOB_LEN_MAX)?;
    let rest = object.strip_prefix(kind)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    let len: usize = std::str::from_utf8(&rest[..end]).ok()?.parse().ok()?;
    let bytes = &rest[end + 1..];
    (bytes.len() == len).then(|| bytes.to_vec())
}

/// An object in one of the packs, and its kind.
fn packed(disk: &dyn Disk, objects: &Path, name: &[u8], deltas: &mut usize) -> Option<(usize, Vec<u8>)> {
    let folder = objects.join("pack");
    let mut indexes: Vec<PathBuf> =
        disk.list(&folder).ok()?.into_iter().map(|entry| folder.join(entry.name)).collect();
    indexes.retain(|path| path.extension().is_some_and(|ending| ending == "idx"));
    indexes.sort();
    indexes.iter().find_map(|index| {
        let offset = offset_in(disk, index, name)?;
        object_at(disk, objects, &index.with_extension("pack"), offset, name.len(), deltas)
    })
}

/// Where an object begins in the pack of this index (`gitformat-pack`, version 2).
fn offset_in(disk: &dyn Disk, index: &Path, name: &[u8]) -> Option<u64> {
    const HEAD: u64 = 8;
    const NAMES: u64 = HEAD + 256 * 4;
    let head = disk.read_part(index, 0, NAMES).ok()?;
    if head.get(..8)? != b"\xfftOc\0\0\0\x02" {
        return None;
    }
    let up_to = |place: usize| number(&head, 8 + place * 4);
    let first = usize::from(*name.first()?);
    let (from, to, all) = (if first == 0 { 0 } else { up_to(first - 1)? }, up_to(first)?, up_to(255)?);
    if to.checked_sub(from)? > NAMES_MAX {
        return None;
    }
    let len = name.len() as u64;
    let names = disk.read_part(index, NAMES + from * len, (to - from) * len).ok()?;
    let place = from + names.chunks_exact(name.len()).position(|known| known == name)? as u64;
    // Behind the names: four bytes of a checksum for each, then four bytes of its offset, then the long offsets.
    let offsets = NAMES + all * (len + 4);
    let short = number(&disk.read_part(index, offsets + place * 4, 4).ok()?, 0)?;
    if short & 0x8000_0000 == 0 {
        return Some(short);
    }
    let long = disk.read_part(index, offsets + all * 4 + (short & 0x7fff_ffff) * 8, 8).ok()?;
    Some(number(&long, 0)? << 32 | number(&long, 4)?)
}

/// The object at an offset of a pack, made whole if it is a delta.
fn object_at(
    disk: &dyn Disk,
    objects: &Path,
    pack: &Path,
    offset: u64,
    name_len: usize,
    deltas: &mut usize,
) -> Option<(usize, Vec<u8>)> {
    // The changes on the way to a whole object, the last one first.
    let mut changes: Vec<Vec<u8>> = Vec::new();
    let mut offset = offset;
    let (kind, mut bytes) = loop {
        let head = disk.read_part(pack, offset, 64).ok()?;
        let (kind, len, mut at) = entry_head(&head)?;
        let base = match kind {
            DELTA_BY_OFFSET => {
                let (back, used) = back_offset(head.get(at..)?)?;
                at += used;
                Base::At(offset.checked_sub(back)?)
            }
            DELTA_BY_NAME => {
                let name = head.get(at..at + name_len)?.to_vec();
                at += name_len;
                Base::Named(name)
            }
            _ => Base::None,
        };
        // Deflate makes data longer by a few bytes for each block at most.
        let data = disk.read_part(pack, offset + at as u64, (len + len / 512 + 1024) as u64).ok()?;
        let data = inflate(&data, len).filter(|data| data.len() == len)?;
        *deltas += 1;
        if *deltas > DELTAS_MAX {
            return None;
        }
        match base {
            Base::None => break (kind, data),
            Base::At(before) => {
                changes.push(data);
                offset = before;
            }
            Base::Named(name) => {
                changes.push(data);
                break packed(disk, objects, &name, deltas)?;
            }
        }
    };
    while let Some(change) = changes.pop() {
        bytes = apply(&bytes, &change)?;
    }
    Some((kind, bytes))
}

/// What an entry of a pack is a change of.
enum Base {
    None,
    At(u64),
    Named(Vec<u8>),
}

/// The kind of an entry, the length of its content, and the length of this head.
fn entry_head(bytes: &[u8]) -> Option<(usize, usize, usize)> {
    let first = usize::from(*bytes.first()?);
    let (mut len, mut shift, mut at, mut byte) = (first & 0x0f, 4, 1, first);
    while byte & 0x80 != 0 {
        byte = usize::from(*bytes.get(at)?);
        at += 1;
        len |= (byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if shift > 32 {
            return None;
        }
    }
    (len <= BLOB_LEN_MAX).then_some((first >> 4 & 7, len, at))
}

/// How far back the base of a delta begins, and how many bytes say so.
fn back_offset(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (place, byte) in bytes.iter().take(9).enumerate() {
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, place + 1));
        }
        value += 1;
    }
    None
}

/// The object that a delta makes of its base.
fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut at = 0;
    let mut next = || {
        let byte = *delta.get(at)?;
        at += 1;
        Some(byte)
    };
    let size = |next: &mut dyn FnMut() -> Option<u8>| {
        let (mut len, mut shift) = (0_usize, 0);
        loop {
            let byte = usize::from(next()?);
            len |= (byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return (len <= BLOB_LEN_MAX).then_some(len);
            }
            if shift > 32 {
                return None;
            }
        }
    };
    if size(&mut next)? != base.len() {
        return None;
    }
    let len = size(&mut next)?;
    let mut out = Vec::with_capacity(len);
    while out.len() < len {
        let code = next()?;
        if code & 0x80 == 0 {
            for _ in 0..code {
                out.push(next()?);
            }
            if code == 0 {
                return None;
            }
            continue;
        }
        let mut value = |bits: std::ops::Range<u32>| {
            let mut value = 0_usize;
            for (place, bit) in bits.enumerate() {
                if code & 1 << bit != 0 {
                    value |= usize::from(next()?) << (8 * place);
                }
            }
            Some(value)
        };
        let (from, count) = (value(0..4)?, value(4..7)?);
        let count = if count == 0 { 0x10000 } else { count };
        out.extend_from_slice(base.get(from..from.checked_add(count)?)?);
    }
    (out.len() == len).then_some(out)
}

/// The number in four bytes, the highest first.
fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?).into())
}

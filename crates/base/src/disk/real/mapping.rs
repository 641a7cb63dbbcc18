//! A file in memory, shared with every process that maps it.

use super::guard::MappingGuard;
use super::stat::stamp_of;
use crate::disk::{FileStamp, Mapped};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::fs::File;
use std::io;
use std::ptr;

/// A read-only mapping of a file.
pub(super) struct Mapping {
    file: File,
    stamp: FileStamp,
    /// When its content last changed.
    written: (i64, i64),
    start: *const u8,
    len: usize,
    /// Protects the mapped pages; `None` for an empty file.
    guard: Option<MappingGuard>,
}

// SAFETY: the mapping is read-only and belongs to this value alone; the pointer is never given away.
#[expect(unsafe_code, reason = "a raw pointer is neither by itself")]
unsafe impl Send for Mapping {}
// SAFETY: as above; reading from several threads at once is sound.
#[expect(unsafe_code, reason = "a raw pointer is neither by itself")]
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a file. `None` if too many files are mapped.
    pub(super) fn of(file: File) -> io::Result<Option<Self>> {
        let stat = rustix::fs::fstat(&file)?;
        let (stamp, written) = (stamp_of(&stat), written(&stat));
        let len = usize::try_from(stamp.len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if len == 0 {
            return Ok(Some(Self { file, stamp, written, start: ptr::null(), len, guard: None }));
        }
        // SAFETY: a fresh mapping at an address of the system's choice aliases nothing of ours.
        #[expect(unsafe_code, reason = "mapping a file cannot be done otherwise")]
        let start = unsafe { mmap(ptr::null_mut(), len, ProtFlags::READ, MapFlags::SHARED, &file, 0)? };
        let start = start.cast_const().cast();
        let mapping = Self { file, stamp, written, start, len, guard: MappingGuard::over(start, len) };
        Ok(Some(mapping).filter(|mapping| mapping.guard.is_some()))
    }
}

impl Mapped for Mapping {
    fn bytes(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: the mapping has this length and lives as long as `self`. Files that are mapped are replaced and never
        // written in place; `is_intact` detects a program that did so all the same, and pages that were cut off read as
        // zeros.
        #[expect(unsafe_code, reason = "mapping a file cannot be done otherwise")]
        unsafe {
            std::slice::from_raw_parts(self.start, self.len)
        }
    }

    fn is_intact(&self) -> bool {
        // The change time also moves when the name is removed: a replaced file can be used to its end, unless a program
        // wrote into it before or since.
        let is_hurt = self.guard.as_ref().is_some_and(MappingGuard::is_hurt);
        !is_hurt
            && rustix::fs::fstat(&self.file).is_ok_and(|stat| {
                let now = stamp_of(&stat);
                let is_only_replaced = || stat.st_nlink == 0 && written(&stat) == self.written;
                now.len == self.stamp.len && (now.changed_ns == self.stamp.changed_ns || is_only_replaced())
            })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.len > 0 {
            // Another mapping may take this address as soon as this one is unmapped.
            drop(self.guard.take());
            // SAFETY: the mapping was made with this address and length, and no borrow of it is left.
            #[expect(unsafe_code, reason = "mapping a file cannot be done otherwise")]
            let _ = unsafe { munmap(self.start.cast_mut().cast(), self.len) };
        }
    }
}

#[expect(clippy::unnecessary_cast, reason = "systems differ in these types")]
fn written(stat: &rustix::fs::Stat) -> (i64, i64) {
    (stat.st_mtime as i64, stat.st_mtime_nsec as i64)
}

//! Whether a process has a file open for writing.
//!
//! The kernel grants a read lease on a file only if no process has it open for writing, so the answer to a request for
//! a lease is the answer. A process that opens the file for writing in between waits until the lease is given back.

#![expect(unsafe_code, reason = "leases are to be had by fcntl alone")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// The `fcntl` command that sets the signal of a wanted lease; not all headers of C libraries have it.
const F_SETSIG: libc::c_int = 10;

/// Whether a file that was opened for reading is open for writing elsewhere; `None` where the file system grants no
/// leases, or the file is another user's.
pub(super) fn has_writer(file: &File) -> Option<bool> {
    let fd = file.as_raw_fd();
    // The kernel says by a signal that a lease is wanted back. The usual one would end this process; this one is
    // ignored unless the process asked for it. SAFETY: these calls take integers, and the descriptor is open.
    let leased = unsafe {
        libc::fcntl(fd, F_SETSIG, libc::SIGURG) == 0 && libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK) == 0
    };
    if leased {
        // SAFETY: as above. Closing the file gives it back as well.
        unsafe { libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK) };
        return Some(false);
    }
    (io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN)).then_some(true)
}

//! A mapped file that another process cuts short must not end this process.
//!
//! Reading a page of a mapping that is no longer in its file raises `SIGBUS`. Inside one of our mappings, the handler
//! puts empty pages in the place of the missing ones and marks the mapping as hurt: readers see zeros and must call
//! `is_hurt` afterwards. Other faults go to the previous handler.
#![expect(unsafe_code, reason = "a signal handler and fixed mappings cannot be had otherwise")]

use libc::{c_int, c_void, siginfo_t};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many files may be mapped at once; past this they are read instead.
const MAPPED_MAX: usize = 2048;

const FREE: usize = 0;
/// Taken, and not yet in use.
const TAKEN: usize = 1;

/// One mapping. A handler may look at any time, so every change is one store.
struct MappingSlot {
    start: AtomicUsize,
    end: AtomicUsize,
    is_hurt: AtomicBool,
}

static SLOTS: [MappingSlot; MAPPED_MAX] = [const {
    MappingSlot { start: AtomicUsize::new(FREE), end: AtomicUsize::new(0), is_hurt: AtomicBool::new(false) }
}; MAPPED_MAX];

/// The previous action for `SIGBUS`, and the size of a page.
static BEFORE: OnceLock<(libc::sigaction, usize)> = OnceLock::new();

/// A mapping that the handler protects.
pub(super) struct MappingGuard(&'static MappingSlot);

impl MappingGuard {
    /// Protects a mapping that begins at a page and stays mapped until the guard is dropped. `None` if too many are
    /// protected already.
    pub(super) fn over(start: *const u8, len: usize) -> Option<Self> {
        BEFORE.get_or_init(install);
        let take = |slot: &&MappingSlot| {
            slot.start.compare_exchange(FREE, TAKEN, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let slot = SLOTS.iter().find(take)?;
        slot.is_hurt.store(false, Ordering::Release);
        slot.end.store(start.addr() + len, Ordering::Release);
        slot.start.store(start.addr(), Ordering::Release);
        Some(Self(slot))
    }

    /// Whether a part of it was missing when it was read.
    pub(super) fn is_hurt(&self) -> bool {
        self.0.is_hurt.load(Ordering::Acquire)
    }
}

impl Drop for MappingGuard {
    fn drop(&mut self) {
        self.0.start.store(FREE, Ordering::Release);
    }
}

fn install() -> (libc::sigaction, usize) {
    // SAFETY: both structures are plain data; the handler only does what a handler may do.
    unsafe {
        let mut ours: libc::sigaction = std::mem::zeroed();
        ours.sa_sigaction = on_bus as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut ours.sa_mask);
        let mut before: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGBUS, &raw const ours, &raw mut before);
        (before, usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).unwrap_or(4096))
    }
}

/// Turns a file that grows past the limit of this process into a write error, as a full disk is; otherwise the system
/// ends the process.
pub(super) fn ignore_file_size_signal() {
    // SAFETY: a signal is ignored; nothing is called.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

extern "C" fn on_bus(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system hands the handler a valid `info`.
    let address = unsafe { (*info).si_addr() }.addr();
    // The previous action is not stored yet: return, and the fault comes again.
    let Some((before, page)) = BEFORE.get() else { return };
    for slot in &SLOTS {
        let (start, end) = (slot.start.load(Ordering::Acquire), slot.end.load(Ordering::Acquire));
        if start > TAKEN && (start..end).contains(&address) && empty_from(address & !(page - 1), end) {
            slot.is_hurt.store(true, Ordering::Release);
            return;
        }
    }
    // SAFETY: `before` is what the system gave, and is called in the way its flags ask for.
    unsafe {
        match before.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                // Return to the fault under the previous action, which ends the process as it would have without us.
                libc::sigaction(signal, before, ptr::null_mut());
            }
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = std::mem::transmute(handler);
                handler(signal, info, context);
            }
            handler => {
                let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
                handler(signal);
            }
        }
    }
}

/// Puts empty pages in the place of those that a mapping lost.
fn empty_from(page: usize, end: usize) -> bool {
    let flags = libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANON;
    // SAFETY: the range is inside a mapping of ours, which is not unmapped while it is read.
    let put = unsafe {
        let errno = errno();
        let before = *errno;
        let at = ptr::without_provenance_mut(page);
        let put = libc::mmap(at, end - page, libc::PROT_READ, flags, -1, 0);
        *errno = before;
        put
    };
    put != libc::MAP_FAILED
}

fn errno() -> *mut c_int {
    // SAFETY: each thread has its own `errno`, for as long as it lives.
    unsafe {
        #[cfg(any(target_os = "macos", target_os = "ios"))]
        return libc::__error();
        #[cfg(not(any(target_os = "macos", target_os = "ios")))]
        libc::__errno_location()
    }
}

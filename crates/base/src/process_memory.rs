//! The memory of this process.

#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the allocator is asked by a function of C")
)]

/// Gives freed memory back to the system, where the allocator would keep it for itself.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function takes a number and may be called at any time, from any thread.
    unsafe {
        libc::malloc_trim(0);
    }
}

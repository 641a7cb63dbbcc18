//! How much is tried: little in every check, much in `cargo xtask soak`.

#![allow(clippy::disallowed_methods, reason = "the size of a test run comes from the environment")]

/// What the full size tries for each case of the small one.
const FULL: u32 = 20;

/// How many random cases a property is tried with.
pub fn cases(small: u32) -> u32 {
    let is_full = std::env::var("BRAINSTEM_SOAK").is_ok_and(|size| size == "full");
    if is_full { small * FULL } else { small }
}

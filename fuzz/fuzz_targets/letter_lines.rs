//! Any bytes: no panic, and every letter is read once, as its line has it.

#![no_main]

#[path = "../../crates/letters/tests/fuzzed/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::check(bytes);
});

//! Any bytes: no panic, and a change changes one setting.

#![no_main]

#[path = "../../crates/caller/tests/fuzzed/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::check(bytes);
});

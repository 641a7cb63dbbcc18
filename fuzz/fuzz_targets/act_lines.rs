//! Any bytes: no panic, and an act is written as it was read.

#![no_main]

#[path = "../../crates/vault/tests/it/fuzzed/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::check(bytes);
});

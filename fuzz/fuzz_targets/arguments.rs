//! Any arguments of any verb: no panic, and a refusal names its field.

#![no_main]

#[path = "../../crates/api/tests/it/fuzzed/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::check(bytes);
});

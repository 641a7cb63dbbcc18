//! Any bytes: no panic, and what is a receipt or a record has one spelling.

#![no_main]

#[path = "../../crates/ledger/tests/fuzzed/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::check(bytes);
});

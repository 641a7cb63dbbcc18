//! Any bytes: no panic, and what is a message keeps every byte.

#![no_main]

#[path = "../../crates/mail/tests/fuzzed/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::check(bytes);
});

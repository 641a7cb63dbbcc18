//! Any bytes: no panic, and what is a claim keeps every byte.

#![no_main]

#[path = "../../crates/claims/tests/formats/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::check(bytes);
});

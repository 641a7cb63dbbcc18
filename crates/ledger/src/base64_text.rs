//! Bytes as base64, as the public forms of a ledger write them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// These bytes as standard base64.
pub fn base64_of(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

//! Where a line is over for a reader of settings.

use crate::bytes::TextScan;

/// Whether only a sign that closes a line is behind `at`.
pub(super) fn ends_line(scan: &TextScan<'_>, at: usize) -> bool {
    let rest = scan.line_from(at, 48).trim_ascii();
    matches!(rest, b"" | b"," | b"\\" | b"`" | b"\"" | b"'" | b"\"," | b"',") || rest.starts_with(b"#")
}

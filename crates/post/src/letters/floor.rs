//! The hygiene floor of letters: what must not be committed is filed nowhere.

use super::limits::SPELLED_CHARS_MAX;
use brainstem_hygiene::{Kind, inspect};
use brainstem_letters::letter::texts;

/// What keeps a line out of every file that can be committed. The line is looked at as it lies there, and
/// each of its texts as it reads without escapes.
pub(crate) fn caught(line: &[u8]) -> Option<&'static Kind> {
    let raw = String::from_utf8_lossy(line);
    let found = inspect(&raw).or_else(|| texts(line).iter().find_map(|text| inspect(text)));
    found.map(|finding| finding.kind)
}

/// The name of a project as a letter spells it: without secrets, and no longer than anybody reads.
pub(crate) fn spelled(text: &str) -> String {
    let text = brainstem_memory::without_secrets(text);
    match text.char_indices().nth(SPELLED_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

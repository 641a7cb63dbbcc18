//! The hygiene floor of letters: what must not be committed is filed nowhere.

use brainstem_hygiene::{Kind, inspect};
use brainstem_letters::letter::texts;

/// What keeps a line out of every file that can be committed. The line is looked at as it lies there, and
/// each of its texts as it reads without escapes.
pub(crate) fn caught(line: &[u8]) -> Option<&'static Kind> {
    let raw = String::from_utf8_lossy(line);
    let found = inspect(&raw).or_else(|| texts(line).iter().find_map(|text| inspect(text)));
    found.map(|finding| finding.kind)
}

/// A text that may be shown.
pub(crate) fn shown(text: &Option<String>) -> Option<String> {
    text.as_deref().map(brainstem_memory::without_secrets)
}

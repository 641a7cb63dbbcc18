//! The hygiene floor of letters: what must not be committed is filed nowhere.

use super::limits::SPELLED_CHARS_MAX;
use brainstem_hygiene::Kind;
use brainstem_letters::letter::texts;
use brainstem_memory::Floor;

/// What keeps a line out of every file that can be committed. The line is looked at as it lies there, and
/// each of its texts as it reads without escapes.
pub(crate) fn caught(floor: &Floor, line: &[u8]) -> Option<&'static Kind> {
    let raw = String::from_utf8_lossy(line);
    let found = floor.inspect(&raw).or_else(|| texts(line).iter().find_map(|text| floor.inspect(text)));
    found.map(|finding| finding.kind)
}

/// The name of a project as a letter spells it: without secrets, and no longer than anybody reads.
pub(crate) fn spelled(floor: &Floor, text: &str) -> String {
    let text = floor.mask(text);
    match text.char_indices().nth(SPELLED_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into_owned(),
    }
}

//! The hygiene floor of letters: what must not be committed is filed nowhere.

use super::limits::SPELLED_CHARS_MAX;
use brainstem_hygiene::SecretKind;
use brainstem_letters::LetterId;
use brainstem_letters::letter::left_without;
use brainstem_letters::texts::texts;
use brainstem_memory::Floor;

/// What keeps a line out of every file that can be committed. The line is looked at as it lies there, and
/// each of its texts as it reads without escapes.
pub(crate) fn caught(floor: &Floor, line: &[u8]) -> Option<&'static SecretKind> {
    let raw = String::from_utf8_lossy(line);
    let found = floor.inspect(&raw).or_else(|| texts(line).iter().find_map(|text| floor.inspect(text)));
    found.map(|finding| finding.kind)
}

/// What is left of a line without its secrets, where it holds some; an unfinished merge is none.
pub(crate) fn left_of(floor: &Floor, line: &[u8]) -> Option<String> {
    let has_secret = |text: &str| floor.has_secret(text);
    let raw = String::from_utf8_lossy(line);
    if !has_secret(&raw) && !texts(line).iter().any(|text| has_secret(text)) {
        return None;
    }
    // A value may be a secret for the name before it alone.
    let left = left_without(line, &has_secret);
    let left = floor.mask(&left);
    Some(if has_secret(&left) { String::new() } else { left.into_owned() })
}

/// The id that a line is known by, seen alone.
pub(crate) fn id_of(floor: &Floor, line: &[u8]) -> LetterId {
    left_of(floor, line).map_or_else(|| LetterId::of_line(line), |left| LetterId::of_masked(&left, 1))
}

/// The name of a project as a letter spells it: without secrets, and no longer than anybody reads.
pub(crate) fn spelled(floor: &Floor, text: &str) -> String {
    let text = floor.mask(text);
    match text.char_indices().nth(SPELLED_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into_owned(),
    }
}

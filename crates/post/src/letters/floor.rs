//! The hygiene floor of letters: a line that must not be committed is filed in no box.

use super::limits::SPELLED_CHARS_MAX;
use brainstem_hygiene::SecretKind;
use brainstem_letters::LetterId;
use brainstem_letters::letter::left_without;
use brainstem_letters::texts::texts;
use brainstem_memory::Floor;

/// The rule that keeps a line out of every file that can be committed. Checks the line as it is written, and
/// each of its texts without escapes.
pub(crate) fn forbidden_by(floor: &Floor, line: &[u8]) -> Option<&'static SecretKind> {
    let raw = String::from_utf8_lossy(line);
    let found = floor.inspect(&raw).or_else(|| texts(line).iter().find_map(|text| floor.inspect(text)));
    found.map(|finding| finding.kind)
}

/// The text of a line without its secrets. `None` if it holds none; an unfinished merge is not a secret.
pub(crate) fn without_secrets(floor: &Floor, line: &[u8]) -> Option<String> {
    let has_secret = |text: &str| floor.has_secret(text);
    let raw = String::from_utf8_lossy(line);
    if !has_secret(&raw) && !texts(line).iter().any(|text| has_secret(text)) {
        return None;
    }
    // A value may be a secret only because of the name before it.
    let left = left_without(line, &has_secret);
    let left = floor.mask(&left);
    Some(if has_secret(&left) { String::new() } else { left.into_owned() })
}

/// The id of a line on its own, without the other letters.
pub(crate) fn id_of(floor: &Floor, line: &[u8]) -> LetterId {
    without_secrets(floor, line).map_or_else(|| LetterId::of_line(line), |left| LetterId::of_masked(&left, 1))
}

/// The name of a project as a letter spells it, without secrets, cut to `SPELLED_CHARS_MAX`.
pub(crate) fn spelled(floor: &Floor, text: &str) -> String {
    let text = floor.mask(text);
    match text.char_indices().nth(SPELLED_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.into_owned(),
    }
}

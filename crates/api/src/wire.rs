//! What travels: JSON and addresses in which nothing hides, and the exit status of the command line.

use brainstem_base::Fault;
use brainstem_claims::invisible_chars::{is_invisible, visible};
use brainstem_memory::{Floor, masked};
use std::fmt::Write as _;

/// Returns JSON text in which every character that a reader does not see is a JSON escape: the same document, in which
/// nothing is hidden. Takes text that serde_json wrote: such a character can only be inside a string.
pub fn escaped(json: &str) -> String {
    written_out(json, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// JSON text in which every such character became the text `\u{202e}`: another document, for a reader that is handed
/// the strings themselves. What JSON escapes anyway stays an escape.
pub(crate) fn spelled_out(json: &str) -> String {
    written_out(json, |c, out| {
        let _ = write!(out, "\\\\u{{{:x}}}", u32::from(c));
    })
}

fn written_out(json: &str, write: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_invisible(c) {
            write(c, &mut out);
        } else {
            out.push(c);
        }
    }
    out
}

/// A text as a part of an address. The file name of a claim need not be a slug: the writer of the file chose it.
pub(crate) fn percent_encoded(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    id.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Returns a fault as every door shows it: without secrets, and with each character that a reader does not see written
/// out.
pub fn shown(fault: &Fault) -> Fault {
    let Fault { code, message, fix, field, rule } = masked(fault);
    let (fix, field) = (fix.map(|fix| fix.map_texts(visible)), field.as_deref().map(visible));
    Fault { code, message: visible(&message), fix, field, rule }
}

/// Returns a caller's own word for an answer: without secrets, with each character that a reader does not see written
/// out, and cut.
pub fn echo(word: &str, floor: &Floor) -> String {
    visible(&floor.mask(word)).chars().take(ECHO_CHARS_MAX).collect()
}

/// The longest word of a caller that an answer repeats, in characters.
const ECHO_CHARS_MAX: usize = 400;

/// How a command line ended (IF-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Done,
    /// It refused or failed.
    Refused,
    /// It could not be parsed.
    Unparsable,
}

impl Exit {
    /// Every status, for the reference.
    pub const ALL: &[Self] = &[Self::Done, Self::Refused, Self::Unparsable];

    /// The number the shell sees.
    pub fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Unparsable => 2,
        }
    }

    /// What it means, for the reference.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Refused => {
                "refused or failed, and the error says why and what to do; or doctor found a problem"
            }
            Self::Unparsable => "the command line could not be parsed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test] // spec: MEM-51
    fn nothing_hides_in_json() {
        let hidden = "a\u{202e}b\u{e0041}\u{7f}\u{1b}\\ \"é\" 👩\u{200d}👧\nend";
        let json = json!({ "text": hidden }).to_string();
        let told = escaped(&json);
        assert!(!told.contains(is_invisible), "{told:?}");
        assert!(told.contains(r"a\u202eb\udb40\udc41\u007f\u001b"), "{told}");
        let back: Value = serde_json::from_str(&told).expect("JSON");
        assert_eq!(back["text"], hidden, "the same document");
        let spelled: Value = serde_json::from_str(&spelled_out(&json)).expect("JSON");
        assert_eq!(
            spelled["text"], "a\\u{202e}b\\u{e0041}\\u{7f}\u{1b}\\ \"é\" 👩\\u{200d}👧\nend",
            "what every JSON text escapes is left to it"
        );
    }
}

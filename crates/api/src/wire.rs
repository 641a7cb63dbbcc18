//! What travels: JSON in which nothing hides, a refusal as one document on every door, and the exit status of the
//! command line.

use crate::{Door, Said};
use brainstem_base::next::NextCall;
use brainstem_base::{Advice, Fault};
use brainstem_claims::invisible_chars::{is_invisible, visible};
use brainstem_memory::{Floor, masked, without_secrets};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// JSON text in which every character that a reader does not see is a JSON escape: the same document, and nothing
/// hides in its text. Takes text that serde_json wrote, where such a character stands inside a string.
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

/// A fault as every door tells it: without secrets, and with each character that a reader does not see written out.
pub fn shown(fault: &Fault) -> Fault {
    let Fault { code, message, fix, field, rule } = masked(fault);
    let (fix, field) = (fix.map(|fix| fix.map_texts(visible)), field.as_deref().map(visible));
    Fault { code, message: visible(&message), fix, field, rule }
}

/// A caller's own word, said back: without secrets, with each character that a reader does not see written out, and cut.
pub fn echo(word: &str, floor: &Floor) -> String {
    visible(&floor.mask(word)).chars().take(ECHO_CHARS_MAX).collect()
}

/// The longest word of a caller that is said back, in characters.
const ECHO_CHARS_MAX: usize = 400;

/// `{"error":{"code","message","fix","next","field","rule"}}` in the words of a door, without what does not apply, as
/// [`shown`]. `next` has the calls of the fix as a client sends them.
pub fn error_document(fault: &Fault, door: Door) -> Value {
    error_document_after(fault, door, &Said::default())
}

/// As [`error_document`], of a call that said this of its caller and its place: what it is to call next says the same.
pub fn error_document_after(fault: &Fault, door: Door, said: &Said) -> Value {
    let said = said.without(fault.field.as_deref());
    let next = fault.fix.as_ref().filter(|_| said.is_tellable());
    let next = next.map(|fix| next_calls(fix, door, &said)).unwrap_or_default();
    let fault = shown(fault);
    let mut error = Map::new();
    error.insert("code".into(), fault.code.name().into());
    error.insert("message".into(), fault.message.clone().into());
    if let Some(fix) = &fault.fix {
        // A secret may only show where the parts stand side by side.
        error.insert("fix".into(), without_secrets(&door.tell(fix)).into());
        if !next.is_empty() {
            error.insert("next".into(), next.into());
        }
    }
    if let Some(field) = &fault.field {
        error.insert("field".into(), field.clone().into());
    }
    if let Some(rule) = fault.rule {
        error.insert("rule".into(), rule.into());
    }
    json!({ "error": error })
}

/// The calls of a fix as a client sends them, without those that a secret or a hidden character keeps from being told.
fn next_calls(fix: &Advice, door: Door, said: &Said) -> Vec<Value> {
    let is_told = |call: &&NextCall| {
        let line = call.to_string();
        line == without_secrets(&line) && !line.contains(MASK) && !line.contains(is_invisible)
    };
    fix.calls().filter(is_told).flat_map(|call| door.next_after(&call.clone().into(), said)).collect()
}

/// The word in the place of a secret.
const MASK: &str = "[secret]";

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
    use brainstem_base::codes;
    use brainstem_base::next::calls;

    #[test] // spec: MEM-51
    fn nothing_hides_in_a_refusal() {
        let fault = Fault::new(codes::INTERNAL_BUG, "a\u{202e}b").fix("c\u{200b}d").field("e\u{ad}f");
        let told = error_document(&fault, Door::Rest);
        assert!(!told.to_string().contains(is_invisible), "{told}");
        assert_eq!(told["error"]["message"], "a\\u{202e}b");
        assert_eq!(told["error"]["fix"], "c\\u{200b}d");
    }

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

    #[test] // spec: IF-4, MEM-14, MEM-51
    fn an_error_has_the_calls_of_its_fix_without_those_that_cannot_be_told() {
        let next = |label: &str, door| {
            let fault = Fault::new(codes::CLAIM_NOT_FOUND, "oh").fix(calls::show(label));
            error_document(&fault, door)["error"]["next"].clone()
        };
        let mcp = Door::Mcp(crate::Offered::ALL);
        assert_eq!(next("a b", mcp), json!([{ "tool": "show", "arguments": { "label": "a b" } }]));
        assert_eq!(next("a b", Door::Rest), json!([{ "method": "GET", "path": "/api/show?label=a%20b" }]));
        let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
        for hidden in [token.as_str(), "a [secret]", "a\u{202e}b"] {
            assert_eq!(next(hidden, mcp), Value::Null, "{hidden:?}");
        }
        assert_eq!(next("a b", Door::CommandLine(&[])), Value::Null);
    }

    #[test] // spec: IF-4
    fn an_error_carries_only_what_applies() {
        let bare = Fault::new(codes::INTERNAL_BUG, "oh");
        assert_eq!(
            error_document(&bare, Door::CommandLine(&[])),
            json!({"error": {"code": "internal.bug", "message": "oh"}})
        );
        let full = bare.fix("report it").field("label").rule("IF-4");
        assert_eq!(
            error_document(&full, Door::Mcp(crate::Offered::ALL)).to_string(),
            r#"{"error":{"code":"internal.bug","message":"oh","fix":"report it","field":"label","rule":"IF-4"}}"#
        );
    }
}

//! A refusal as one document, the same on every door.

use crate::wire::shown;
use crate::{CallerWords, Door};
use brainstem_base::next::NextCall;
use brainstem_base::{Advice, Fault};
use brainstem_claims::invisible_chars::is_invisible;
use brainstem_memory::without_secrets;
use serde_json::{Map, Value, json};

/// `{"error":{"code","message","fix","next","field","rule"}}` in the words of a door, without what does not apply, as
/// [`shown`]. `next` has the calls of the fix as a client sends them.
pub fn error_document(fault: &Fault, door: Door) -> Value {
    error_document_after(fault, door, &CallerWords::default())
}

/// As [`error_document`], of a call that said this of its caller and its place: what it is to call next says the same.
pub fn error_document_after(fault: &Fault, door: Door, said: &CallerWords) -> Value {
    let said = said.without(fault.field.as_deref());
    let next = fault.fix.as_ref().filter(|_| said.is_tellable());
    let next = next.map(|fix| next_calls(fix, door, &said)).unwrap_or_default();
    let fault = shown(fault);
    let mut error = Map::new();
    error.insert("code".into(), fault.code.name().into());
    error.insert("message".into(), fault.message.clone().into());
    if let Some(fix) = &fault.fix {
        // The parts are joined first: a secret may only show when they are side by side.
        error.insert("fix".into(), without_secrets(&door.render(fix)).into());
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

/// Returns the calls of a fix as a client sends them, without those that have a secret or a hidden character.
fn next_calls(fix: &Advice, door: Door, said: &CallerWords) -> Vec<Value> {
    let is_told = |call: &&NextCall| {
        let line = call.to_string();
        line == without_secrets(&line) && !line.contains(MASK) && !line.contains(is_invisible)
    };
    fix.calls().filter(is_told).flat_map(|call| door.next_after(&call.clone().into(), said)).collect()
}

/// The word in the place of a secret.
const MASK: &str = "[secret]";

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::codes;
    use brainstem_base::next::calls;

    #[test] // spec: MEM-51
    fn nothing_hides_in_a_refusal() {
        let fault = Fault::new(codes::INTERNAL_BUG, "a\u{202e}b").fix("c\u{200b}d").field("e\u{ad}f");
        let told = error_document(&fault, Door::rest());
        assert!(!told.to_string().contains(is_invisible), "{told}");
        assert_eq!(told["error"]["message"], "a\\u{202e}b");
        assert_eq!(told["error"]["fix"], "c\\u{200b}d");
    }

    #[test] // spec: IF-4, MEM-14, MEM-51
    fn an_error_has_the_calls_of_its_fix_without_those_that_cannot_be_told() {
        let next = |label: &str, door| {
            let fault = Fault::new(codes::CLAIM_NOT_FOUND, "oh").fix(calls::show(label));
            error_document(&fault, door)["error"]["next"].clone()
        };
        let mcp = Door::mcp(crate::Offered::ALL);
        assert_eq!(next("a b", mcp), json!([{ "tool": "show", "arguments": { "label": "a b" } }]));
        assert_eq!(next("a b", Door::rest()), json!([{ "method": "GET", "path": "/api/show?label=a%20b" }]));
        let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
        for hidden in [token.as_str(), "a [secret]", "a\u{202e}b"] {
            assert_eq!(next(hidden, mcp), Value::Null, "{hidden:?}");
        }
        assert_eq!(next("a b", Door::command_line(&[])), Value::Null);
    }

    #[test] // spec: IF-4
    fn an_error_carries_only_what_applies() {
        let bare = Fault::new(codes::INTERNAL_BUG, "oh");
        assert_eq!(
            error_document(&bare, Door::command_line(&[])),
            json!({"error": {"code": "internal.bug", "message": "oh"}})
        );
        let full = bare.fix("report it").field("label").rule("IF-4");
        assert_eq!(
            error_document(&full, Door::mcp(crate::Offered::ALL)).to_string(),
            r#"{"error":{"code":"internal.bug","message":"oh","fix":"report it","field":"label","rule":"IF-4"}}"#
        );
    }
}

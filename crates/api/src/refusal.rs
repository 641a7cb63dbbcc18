//! A refusal as one document, the same on every door.

use crate::wire::shown;
use crate::{CallerWords, Door, DoorKind};
use brainstem_base::next::{AdvicePart, NextCall, Shell};
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

/// The key of the parts of a fix.
const FIX_PARTS: &str = "fix_parts";
/// The keys of a part: a command of this program, or any other text.
const COMMAND: &str = "command";
const TEXT: &str = "text";

/// As [`error_document_after`], for another process that asks on behalf of its caller. A command line gets the fix in
/// parts as well, so that each command in it can repeat the options that the caller typed.
pub fn error_document_for_process(fault: &Fault, door: Door, said: &CallerWords) -> Value {
    let mut document = error_document_after(fault, door, said);
    let DoorKind::CommandLine(_) = door.way() else { return document };
    let Some(fix) = shown(fault).fix else { return document };
    // A secret may only show where the parts are side by side; then they stay together.
    if document["error"]["fix"].as_str() != Some(door.render(&fix).as_str()) {
        return document;
    }
    document["error"][FIX_PARTS] = parts_for_process(&fix).into();
    document
}

/// The parts of an advice, for a command line that another process answers for: each command in it can repeat the options
/// that the caller typed.
pub(crate) fn parts_for_process(advice: &Advice) -> Vec<Value> {
    let parts = advice.parts().iter().map(|part| {
        let key = match part {
            AdvicePart::Call(_) | AdvicePart::Verb(_) | AdvicePart::Shell(_) | AdvicePart::AnyCallAt(_) => {
                COMMAND
            }
            AdvicePart::Text(_)
            | AdvicePart::Field(_)
            | AdvicePart::Root(_)
            | AdvicePart::MailRoot
            | AdvicePart::OnCommandLine(_) => TEXT,
        };
        json!({ key: Advice::of(part.clone()).to_string() })
    });
    parts.collect()
}

/// The fix of an error that another process of this program sent, see [`error_document_for_process`].
pub fn fix_from_process(error: &Value) -> Option<Advice> {
    let Some(parts) = error[FIX_PARTS].as_array() else { return error["fix"].as_str().map(Advice::from) };
    Some(advice_from_process(parts))
}

/// The advice whose parts another process of this program sent, see [`parts_for_process`].
pub(crate) fn advice_from_process(parts: &[Value]) -> Advice {
    let mut advice = Advice::default();
    for part in parts {
        match part[COMMAND].as_str() {
            Some(command) => advice.push(Shell::line(command)),
            None => advice.push(part[TEXT].as_str().unwrap_or_default()),
        }
    }
    advice
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
    use brainstem_base::advice;
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

    #[test] // spec: IF-4, IF-10
    fn a_fix_that_another_process_sent_repeats_the_options_that_were_typed() {
        use brainstem_base::next::{TypedOption, VerbId};
        let fix = advice!["wait again with ", VerbId::LivePoll, ", or see ", calls::doctor()];
        let fault = Fault::new(codes::MEMORY_ROOT_REPLACED, "x").fix(fix.clone()).rule("MAIL-17");
        let document = error_document_for_process(&fault, Door::command_line(&[]), &CallerWords::default());
        let back = fix_from_process(&document["error"]).expect("a fix");
        let one = |option, value: &str, groups| TypedOption { option, value: value.into(), groups };
        let typed = [one("--as", "a:x", &[][..]), one("--session", "s1", &["live"])];
        assert_eq!(back.line_with(&typed), fix.line_with(&typed));
        let line =
            "wait again with brainstem --as a:x --session s1 live poll, or see brainstem --as a:x doctor";
        assert_eq!(back.line_with(&typed), line);
        // The other doors have the calls in `next`.
        let rest = error_document_for_process(&fault, Door::rest(), &CallerWords::default());
        assert_eq!(rest["error"].get(FIX_PARTS), None);
        assert_eq!(fix_from_process(&json!({"fix": "x"})), Some("x".into()));
        assert_eq!(fix_from_process(&json!({})), None);
        let secret = format!("ghp_{}", "k3Jd8sLq0ZpXw7Vb2NcR5tYhA9uEoGm1FiTx");
        let apart = Fault::new(codes::MEMORY_ROOT_REPLACED, "x")
            .fix(advice![secret[..20].to_owned(), Shell::line(&secret[20..])]);
        let told = error_document_for_process(&apart, Door::command_line(&[]), &CallerWords::default());
        assert!(!told.to_string().contains(&secret[20..]), "{told}");
    }
}

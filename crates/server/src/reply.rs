//! A verb's reply as text, with `served_brain` added. It is written once, and only a bounded part of it is in memory at a time.

use crate::budget::{ByteBudget, HeldBytes};
use crate::limits::{ANSWER_LEN_MAX, ANSWER_WAIT};
use brainstem_api::openapi::{BRAIN, SERVED_BRAIN};
use brainstem_api::{Answer, Context, Effect, Entry, Form, Object, table};
use brainstem_base::next::{NextCall, Placeholder, Shell, VerbId, calls, field};
use brainstem_base::{Advice, Fault, advice, codes};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::LazyLock;

/// How many items of a list are shown if it is shown in part.
const SHOWN_MAX: usize = 100;

/// The field that names a conversation.
const THREAD: &str = "thread";

/// The verbs whose answers have the field already.
static SAY_IT_THEMSELVES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let has_it = |entry: &&Entry| {
        let schema = entry.output_schema();
        schema.get("properties").is_some_and(|fields| fields.get(SERVED_BRAIN).is_some())
    };
    table().iter().filter(has_it).map(|entry| entry.spec().id()).collect()
});

/// A verb's reply.
#[derive(Debug)]
pub(crate) struct VerbReply {
    /// The reply as a page for a model, if the call asked for one and the verb has one.
    pub(crate) page: Option<String>,
    /// The reply as a JSON object; empty if only the page is sent.
    pub(crate) text: String,
    /// Its part of the budget until it is sent; `None` if it is light, or there is no budget.
    pub(crate) held: Option<HeldBytes>,
}

/// Runs a verb to its end and writes its reply. `copies` says how many copies of the text the door holds until it is sent.
pub(crate) fn run_and_write(
    entry: &Entry,
    arguments: Object,
    cx: &Context,
    answers: Option<&ByteBudget>,
    copies: usize,
) -> Result<VerbReply, Fault> {
    // Other verbs have a field of that name for what they are about, not for the memory that they change.
    let named = arguments.get(BRAIN).filter(|_| entry.spec().verb == VerbId::Promote);
    let named = named.and_then(Value::as_str).map(str::to_owned);
    let thread = arguments.get(THREAD).and_then(Value::as_str).map(str::to_owned);
    let named = NamedInCall { brain: named.as_deref(), thread: thread.as_deref() };
    write(entry, entry.call(arguments, cx)?, named, cx, answers, copies)
}

/// What the call itself named.
#[derive(Clone, Copy, Default)]
pub(crate) struct NamedInCall<'a> {
    /// The brain.
    pub(crate) brain: Option<&'a str>,
    /// The conversation: a file name, with or without its box.
    pub(crate) thread: Option<&'a str>,
}

/// Writes a verb's reply.
pub(crate) fn write(
    entry: &Entry,
    answer: Box<dyn Answer>,
    named: NamedInCall<'_>,
    cx: &Context,
    answers: Option<&ByteBudget>,
    copies: usize,
) -> Result<VerbReply, Fault> {
    // A message may be named with its box; the conversation has the name of the file.
    let thread = named.thread.and_then(|text| text.rsplit('/').next());
    let is_read = entry.spec().effect == Effect::Read;
    // Without a budget, the client has this process for itself.
    let len_max = if answers.is_some() { ANSWER_LEN_MAX } else { usize::MAX };
    let (mut page, mut text) = written(entry, &*answer, thread, cx, len_max)?;
    // The answer is dropped before the wait, so that only its text is held.
    drop(answer);
    if !SAY_IT_THEMSELVES.contains(entry.spec().id()) {
        match &mut page {
            // The beat names it in its first line.
            Some(_) if entry.spec().verb == VerbId::North => {}
            Some(page) => {
                page.push_str(&format!("\n{SERVED_BRAIN}: {}\n", served_brain(&text, entry, None, cx)))
            }
            None => {}
        }
        if !text.is_empty() {
            add_brain(&mut text, entry, named.brain, cx);
        }
    }
    text.shrink_to_fit();
    let len = page.as_ref().map_or(0, String::len).saturating_add(text.len()).saturating_mul(copies);
    match answers.map_or(Ok(None), |answers| answers.hold_blocking(len, ANSWER_WAIT)) {
        Ok(held) => Ok(VerbReply { page, text, held }),
        // A reply about a change is sent, however long the wait was.
        Err(()) if !is_read => Ok(VerbReply { page, text, held: None }),
        Err(()) => Err(Fault::new(
            codes::DAEMON_BUSY,
            "too many long answers wait to be read; this one was thrown away",
        )
        .fix(advice![in_parts(entry, thread), "; or try again in a moment"])
        .rule("IF-14")),
    }
}

/// A reply as a page and as text, in the form that the call asked for.
fn written(
    entry: &Entry,
    answer: &dyn Answer,
    thread: Option<&str>,
    cx: &Context,
    len_max: usize,
) -> Result<(Option<String>, String), Fault> {
    let page = match cx.offers.form {
        Form::Page | Form::PageAndDocument => answer.page(),
        Form::Json | Form::Text => None,
    };
    if let (Some(page), Form::Page) = (&page, cx.offers.form) {
        return if page.len() <= len_max {
            answer.after_shown(cx)?;
            Ok((Some(page.clone()), String::new()))
        } else {
            Err(too_large(entry, thread))
        };
    }
    let text = match answer.text(len_max) {
        Err(fault) if fault.code == codes::OUTPUT_TOO_LARGE && entry.spec().effect != Effect::Read => {
            answer.json().map(|whole| shown_in_part(whole).to_string())
        }
        Err(fault) if fault.code == codes::OUTPUT_TOO_LARGE => Err(fault.fix(in_parts(entry, thread))),
        written => written,
    };
    let text = text?;
    // From here on the reply of a call that changes something is never dropped.
    answer.after_shown(cx)?;
    Ok((page, text))
}

/// Advice on how a caller gets a reply that is too long for one call.
fn in_parts(entry: &Entry, thread: Option<&str>) -> Advice {
    let schema = entry.input_schema();
    let has = |name: &str| schema.get("properties").is_some_and(|fields| fields.get(name).is_some());
    let spec = entry.spec();
    match (has("limit"), has("cursor")) {
        (true, true) => {
            advice!["ask for less at a time, with `", field("limit"), "` and `", field("cursor"), "`"]
        }
        (true, false) => advice!["ask for less at a time, with a smaller `", field("limit"), "`"],
        (false, _) if spec.verb == VerbId::MailThread => advice![
            "read its messages one by one: ",
            of_thread(thread, "unread"),
            ", ",
            of_thread(thread, "claimed"),
            ", ",
            of_thread(thread, "read"),
            " and ",
            of_thread(thread, "archive"),
            " name them, and ",
            VerbId::MailRead,
            " gives one by its name"
        ],
        (false, _) => {
            let command = format!("brainstem {}", spec.cli().join(" "));
            advice![
                "ask with a narrower question, or on the command line, which has no such limit: ",
                Shell::line(command)
            ]
        }
    }
}

/// The call that lists the messages of a conversation in one folder.
fn of_thread(thread: Option<&str>, folder: &'static str) -> NextCall {
    match thread {
        Some(thread) => calls::mail_list_thread(thread, folder),
        None => calls::mail_list_thread(Placeholder("THREAD"), folder),
    }
}

/// The reply of a write that is too long: the first items of every list, and the length of each list. The counts include what
/// is not shown.
fn shown_in_part(mut answer: Value) -> Value {
    let mut counts = serde_json::Map::new();
    for (name, field) in answer.as_object_mut().into_iter().flatten() {
        if let Value::Array(items) = field
            && items.len() > SHOWN_MAX
        {
            counts.insert(name.clone(), items.len().into());
            items.truncate(SHOWN_MAX);
        }
    }
    if let Value::Object(fields) = &mut answer {
        let note =
            format!("this answer is too long: of each list named in `cut` the first {SHOWN_MAX} are shown");
        fields.insert("cut".into(), json!({ "counts": counts, "note": note }));
    }
    answer
}

fn too_large(entry: &Entry, thread: Option<&str>) -> Fault {
    Fault::new(codes::OUTPUT_TOO_LARGE, format!("the answer is longer than {ANSWER_LEN_MAX} bytes"))
        .fix(in_parts(entry, thread))
        .rule("IF-14a")
}

/// Adds the brain that was served, as the last field.
fn add_brain(text: &mut String, entry: &Entry, named: Option<&str>, cx: &Context) {
    let brain = served_brain(text, entry, named, cx);
    // A reply is an object on the wire, and this is its last field.
    if text.pop() == Some('}') {
        let comma = if text.ends_with('{') { "" } else { "," };
        text.push_str(&format!("{comma}\"{SERVED_BRAIN}\":{brain}}}"));
    }
}

/// The brain that was served, as JSON: the medulla if a verb wrote there, the brain that the verb itself named or made, else
/// the caller's. The reply has passed the gate already, so the brain's name may be in it.
fn served_brain(text: &str, entry: &Entry, named: Option<&str>, cx: &Context) -> String {
    let own = || {
        let caller = cx.reader().ok()?;
        cx.memory.route(&caller).brain().map(|brain| brain.origin())
    };
    let made = |text: &str| {
        let answer: Value = serde_json::from_str(text).ok()?;
        answer["brain"].as_str().map(str::to_owned)
    };
    let brain = match named {
        _ if entry.spec().verb == VerbId::Bootstrap => made(text),
        _ if entry.spec().effect == Effect::Write && is_of_medulla(text) => Some("medulla".to_owned()),
        Some(word) if word.contains('@') && !word.contains('/') => Some(word.to_owned()),
        Some(word) => cx.brain_at(word).map(|brain| brain.origin()),
        None => own(),
    };
    brain.map_or_else(|| "null".to_owned(), |name| cx.door.json_string(&cx.memory.floor().mask(&name)))
}

/// Whether the reply of a write is about a claim of the medulla.
fn is_of_medulla(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|answer| answer["tier"] == "medulla")
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_api::Door;

    #[test] // spec: IF-7
    fn a_write_to_the_medulla_is_served_by_the_medulla() {
        assert!(is_of_medulla(r#"{"label":"Rule","tier":"medulla"}"#));
        assert!(!is_of_medulla(r#"{"label":"Rule","tier":"project","note":"medulla"}"#));
        assert!(
            !is_of_medulla(r#"{"rows":[{"tier":"medulla"}]}"#),
            "one row of several says nothing of the call"
        );
    }

    #[test] // spec: IF-14a
    fn a_write_that_has_too_much_to_tell_counts_what_it_does_not_show() {
        let rows: Vec<usize> = (0..250).collect();
        let reply = shown_in_part(json!({ "born": 250, "rows": rows, "notes": ["one"] }));
        assert_eq!(reply["born"], 250);
        assert_eq!(
            (reply["rows"].as_array().map(Vec::len), &reply["cut"]["counts"]),
            (Some(100), &json!({"rows": 250}))
        );
        assert_eq!(reply["notes"], json!(["one"]));
    }

    #[test] // spec: IF-14a
    fn what_is_too_long_is_asked_for_with_fields_that_the_verb_has() {
        for entry in table() {
            let schema = entry.input_schema();
            let (fix, fields) = (Door::rest().render(&in_parts(entry, Some("BIG"))), &schema["properties"]);
            for name in ["limit", "cursor"] {
                let is_named = fix.contains(&format!("`{name}`"));
                assert!(!is_named || fields.get(name).is_some(), "{}: {fix}", entry.spec().id());
            }
            if entry.spec().verb == VerbId::MailThread {
                // The read folder is named too: most messages of a long conversation are there.
                let next = Door::rest().next(&in_parts(entry, Some("BIG")));
                let paths: Vec<&str> = next.iter().filter_map(|call| call["path"].as_str()).collect();
                let of = |folder: &str| format!("/api/mail/list?all=true&thread=BIG&folder={folder}");
                assert_eq!(paths, ["unread", "claimed", "read", "archive"].map(of), "{fix}");
                assert!(fix.contains("POST /api/mail/read"), "{fix}");
            }
        }
    }
}

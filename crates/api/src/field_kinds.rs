//! The kinds of values that fields take beyond their types, for the schemas that programs read.
//!
//! A verb checks its fields itself, with refusals that say more than a schema can. It names the kind of each field beside
//! the field, `#[schemars(extend("x-takes" = field_kinds::label()))]`, and which fields go together beside its struct. The OpenAPI
//! document publishes both, so a program that writes requests by it knows what will be refused: least and greatest
//! lengths, patterns, words. A list of tools publishes the words alone, because every byte of it sits in a context window
//! (IF-28).

use crate::schema::{Object, TAKES, TOGETHER, TOOL_NOTE, mark};
use serde_json::{Value, json};

/// A name in mail: of a box, a session or a tag (MAIL-2).
const NAME: &str = "[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}";
/// Names of that form that nothing in mail can have: folders of every box, devices, and two dots in a row.
const NO_NAME: &str = "\\.\\.|^([Rr][Ee][Aa][Dd]|[Aa][Rr][Cc][Hh][Ii][Vv][Ee]|__[Bb][Rr][Oo][Aa][Dd][Cc][Aa][Ss][Tt]|[Ss][Yy][Ss][Tt][Ee][Mm]|\
                       ([Cc][Oo][Nn]|[Pp][Rr][Nn]|[Aa][Uu][Xx]|[Nn][Uu][Ll]|([Cc][Oo][Mm]|[Ll][Pp][Tt])[0-9])(\\..*)?)$";
/// A part of an agent id (IF-3).
const PART: &str = "[A-Za-z0-9_][A-Za-z0-9._@-]*";
/// A day of RFC 3339, without the leap days.
const DAY: &str =
    "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))";
/// A time of day in UTC.
const TIME_OF_DAY: &str = "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?Z";
/// How long ago or from now.
const SPAN: &str = "[1-9][0-9]{0,5} ?(s|m|min|h|d|w)";
/// At least one character that is no white space for any reader, and no null byte.
const SAYS_SOMETHING: &str = "^[^\\u0000]*[^\\s\\u0000\\u0085\\u00a0][^\\u0000]*$";
/// No null byte, which ends a path for the system; a query with one is refused whole.
const NO_NULL: &str = "^[^\\u0000]*$";
/// A path from the root of the file system.
const ABSOLUTE: &str = "^/[^\\u0000]*$";
/// The greatest whole number that every reader of JSON reads without a change, even when it is written as 5.0.
pub(crate) const WHOLE_MAX: u64 = 1 << 52;

/// A text that matches this pattern.
pub(crate) fn pattern(pattern: &str) -> Value {
    json!({ "pattern": pattern })
}

/// One of these words.
pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({ "enum": words })
}

/// A text of at most this many characters.
pub(crate) fn at_most(len_max: usize) -> Value {
    json!({ "maxLength": len_max })
}

/// A text that is not blank.
pub(crate) fn text() -> Value {
    json!({ "minLength": 1, "pattern": SAYS_SOMETHING })
}

/// A text that is not blank, of at most this many characters.
pub(crate) fn text_at_most(len_max: usize) -> Value {
    extended(text(), at_most(len_max))
}

/// A list of at most this many items.
pub(crate) fn list(count_max: usize) -> Value {
    json!({ "maxItems": count_max })
}

/// A list of at most this many items, each of this kind.
pub(crate) fn list_of(count_max: usize, each: Value) -> Value {
    extended(list(count_max), each_of(each))
}

/// A list whose items are of this kind.
pub(crate) fn each_of(each: Value) -> Value {
    json!({ "items": each })
}

/// A claim's label.
pub(crate) fn label() -> Value {
    text_at_most(512)
}

/// Why something was done.
pub(crate) fn reason() -> Value {
    text_at_most(4096)
}

/// The state of a claim.
pub(crate) fn claim_state() -> Value {
    one_of(&["authored", "verified", "outdated"])
}

/// A store of the caller's project.
pub(crate) fn tier() -> Value {
    one_of(&["project", "medulla"])
}

/// A store of the caller's project, or all brains.
pub(crate) fn tier_or_all() -> Value {
    one_of(&["project", "medulla", "all-brains"])
}

/// A time that has passed: RFC 3339, a day, how long ago, or milliseconds since 1970 (MEM-48).
pub(crate) fn past() -> Value {
    pattern(&format!("^({})$", past_forms()))
}

/// A time that has passed, or a time of the ledger: seconds and nanoseconds since 1970.
pub(crate) fn past_or_consensus_time() -> Value {
    pattern(&format!("^({}|[1-9][0-9]{{0,9}}\\.[0-9]{{9}})$", past_forms()))
}

fn past_forms() -> String {
    let year = "(19[7-9][0-9]|20[0-9]{2})";
    format!("{year}-{DAY}({TIME_OF_DAY})?|yesterday|{SPAN}|[1-9][0-9]{{12}}")
}

/// A time to come. A pattern knows no clock, so of RFC 3339 it names years that stay ahead.
pub(crate) fn future() -> Value {
    pattern(&format!("^(20(2[89]|[3-9][0-9])-{DAY}{TIME_OF_DAY}|{SPAN})$"))
}

/// An agent.
pub(crate) fn agent() -> Value {
    json!({ "pattern": format!("^{PART}(:{PART})?$"), "maxLength": 64 })
}

/// An agent; an empty text names none.
pub(crate) fn agent_or_none() -> Value {
    json!({ "pattern": format!("^({PART}(:{PART})?)?$"), "maxLength": 64 })
}

/// The name of a box, a session or a tag.
pub(crate) fn mail_name() -> Value {
    json!({ "pattern": format!("^{NAME}$"), "not": { "pattern": NO_NAME } })
}

/// The name of a session; an empty text names none.
pub(crate) fn session_or_none() -> Value {
    pattern(&format!("^({NAME})?$"))
}

/// The tags of a session in one text, with commas.
pub(crate) fn tags_in_one_text() -> Value {
    pattern(&format!("^({NAME})?(, ?({NAME})?){{0,31}}$"))
}

/// One recipient of a message, or several.
pub(crate) fn recipients() -> Value {
    let one = extended(json!({ "type": "string", "not": { "pattern": NO_NAME } }), agent());
    let several = json!({ "type": "array", "items": one.clone(), "minItems": 1, "maxItems": 64 });
    json!({ "anyOf": [one, several] })
}

/// The sessions that a live message goes to: a text, or an object with one key.
pub(crate) fn live_target() -> Value {
    let yes = json!({ "type": "boolean", "enum": [true] });
    let kinds = json!({
        "session": string(mail_name()), "tag": string(mail_name()), "agent": string(agent()),
        "worktree": string(pattern("^/.+$")), "everyone": yes, "parent": yes
    });
    let object = json!({
        "type": "object", "properties": kinds, "additionalProperties": false,
        "minProperties": 1, "maxProperties": 1
    });
    let text = pattern(&format!("^(everyone|parent|((session|tag):)?{NAME}|worktree:/.+)$"));
    json!({ "anyOf": [string(text), object] })
}

/// A message by its name, by its box and its name, or by a part of its name (MAIL-7).
pub(crate) fn message_file() -> Value {
    pattern("^([A-Za-z0-9_]{1,40}/)?[A-Za-z0-9][A-Za-z0-9._@~-]{2,150}$")
}

/// The key of a message or of its thread.
pub(crate) fn message_key() -> Value {
    pattern("^[A-Za-z0-9._@~-]{1,200}$")
}

/// The type of a message.
pub(crate) fn message_type() -> Value {
    one_of(&["status", "alert", "task", "question", "response", "report", "handoff"])
}

/// How urgent a message is.
pub(crate) fn priority() -> Value {
    one_of(&["urgent", "normal", "low"])
}

/// A recipient of the inbox: a slug, an agent id, a role, or ALL.
pub(crate) fn inbox_recipient() -> Value {
    agent()
}

/// A reader of a note: a slug, an agent id or a role.
pub(crate) fn inbox_reader() -> Value {
    extended(agent(), json!({ "not": { "pattern": "^[Aa][Ll][Ll]$" } }))
}

/// The type of a message of the inbox.
pub(crate) fn inbox_type() -> Value {
    json!({ "pattern": "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*$", "maxLength": 64 })
}

/// The id of a message of the inbox, or its first digits.
pub(crate) fn inbox_id() -> Value {
    pattern("^[0-9a-f]{4,8}(-[0-9a-f-]{0,27})?$")
}

/// Several ids of messages of the inbox, or their first digits.
pub(crate) fn inbox_ids(count_max: usize) -> Value {
    extended(json!({ "minItems": 1 }), list_of(count_max, inbox_id()))
}

/// The key of a send to an inbox: one line of 128 bytes, whichever characters it has.
pub(crate) fn inbox_key() -> Value {
    let other = "[^\\u0000-\\u001f\\u007f-\\u009f]";
    pattern(&format!(
        "^([ -~]{{0,64}}[!-~][ -~]{{0,63}}|{other}{{0,15}}[^\\s\\u0000-\\u001f\\u007f-\\u00a0]{other}{{0,16}})$"
    ))
}

/// A text that is not blank, of at most this many bytes, whichever characters it has.
pub(crate) fn text_of_bytes(len_max: usize) -> Value {
    // A character has four bytes at most.
    let around = |len_max: usize| ((len_max - 1) / 2, len_max / 2);
    let ((before, after), (start, end)) = (around(len_max), around(len_max / 4));
    let kind = pattern(&format!(
        "^([ -~]{{0,{before}}}[!-~][ -~]{{0,{after}}}|[^\\u0000]{{0,{start}}}[^\\s\\u0000\\u0085\\u00a0][^\\u0000]{{0,{end}}})$"
    ));
    extended(json!({ "minLength": 1, "maxLength": len_max }), kind)
}

/// A text of at most this many bytes, which may be blank.
pub(crate) fn blank_or_text_of_bytes(len_max: usize) -> Value {
    extended(at_most(len_max), pattern(&format!("^([ -~]{{0,{len_max}}}|[^\\u0000]{{0,{}}})$", len_max / 4)))
}

/// The entity or agent that a message is about.
pub(crate) fn ref_id() -> Value {
    pattern("^[A-Za-z0-9._@:-]{1,64}$")
}

/// The kind of thing that a message is about.
pub(crate) fn ref_type() -> Value {
    one_of(&["task", "phase", "stage", "project", "agent"])
}

/// The kind of an entity.
pub(crate) fn entity_type() -> Value {
    one_of(&["project", "stage", "phase", "task"])
}

/// The id of a topic or of an account of the ledger.
pub(crate) fn ledger_id() -> Value {
    pattern("^(0|[1-9][0-9]{0,17})\\.(0|[1-9][0-9]{0,17})\\.(0|[1-9][0-9]{0,17})$")
}

/// A folder of a box.
pub(crate) fn folder() -> Value {
    one_of(&["unread", "claimed", "read", "archive"])
}

/// The subject of a message: one line of 300 bytes, whichever characters it has.
pub(crate) fn subject() -> Value {
    let one_line = "^([ -~]{0,300}|[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{0,75})$";
    extended(at_most(300), pattern(one_line))
}

/// One line of 64 bytes, whichever characters it has.
pub(crate) fn short_line() -> Value {
    pattern("^([ -~]{0,64}|[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{0,16})$")
}

/// The identity of a thread or of its first message.
pub(crate) fn thread() -> Value {
    extended(json!({ "minLength": 1, "maxLength": 200 }), no_null())
}

/// A text without a null byte.
pub(crate) fn no_null() -> Value {
    pattern(NO_NULL)
}

/// A path.
pub(crate) fn path() -> Value {
    extended(json!({ "minLength": 1 }), no_null())
}

/// A path from the root of the file system.
pub(crate) fn absolute_path() -> Value {
    extended(json!({ "minLength": 1 }), pattern(ABSOLUTE))
}

/// A path from the root of the file system, in a header: one that is empty does not arrive.
pub(crate) fn path_in_header() -> Value {
    pattern(ABSOLUTE)
}

/// A whole number from zero.
pub(crate) fn whole_number() -> Value {
    json!({ "minimum": 0, "maximum": WHOLE_MAX })
}

/// A text that is not blank, beside what its field takes already.
pub(crate) fn not_blank() -> Value {
    pattern(SAYS_SOMETHING)
}

/// That this field is given and not blank, for [`TOGETHER`].
pub(crate) fn says(field: &str) -> Value {
    json!({ "required": [field], "properties": { field: not_blank() } })
}

/// A text, taken as this kind.
pub(crate) fn string(kind: Value) -> Value {
    extended(json!({ "type": "string" }), kind)
}

/// The schema of a verb's fields with what they take, as the marks of `raw` say. In a query no text has a null byte.
pub(crate) fn with_takes(raw: &Object, mut schema: Object, is_query: bool) -> Object {
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        for (name, field) in fields.iter_mut() {
            match mark(raw, name, TAKES) {
                Some(takes) => *field = extended(field.take(), takes.clone()),
                None if is_query && field["type"] == "string" => *field = extended(field.take(), no_null()),
                None => {}
            }
        }
    }
    if let Some(Value::Object(together)) = raw.get(TOGETHER) {
        schema.extend(together.clone());
    }
    schema
}

/// Returns the schema of a verb's fields in a list of tools. A field that takes only certain words has these words in
/// place of its description.
pub(crate) fn with_words(raw: &Object, mut schema: Object) -> Object {
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return schema };
    for (name, field) in fields.iter_mut().filter(|(_, field)| field["type"] == "string") {
        let words = mark(raw, name, TAKES).and_then(|takes| takes.get("enum"));
        if let (Some(words), Value::Object(field)) = (words, field) {
            field.shift_remove("description");
            field.insert("enum".into(), words.clone());
            field.extend(mark(raw, name, TOOL_NOTE).map(|note| ("description".to_owned(), note.clone())));
        }
    }
    schema
}

/// A schema with more keywords. Those of items go to the items.
fn extended(mut schema: Value, more: Value) -> Value {
    let (Value::Object(of), Value::Object(mut more)) = (&mut schema, more) else { return schema };
    // Several kinds of values take the place of one type.
    if more.contains_key("anyOf") {
        of.shift_remove("type");
        of.shift_remove("items");
    }
    if let Some(items) = of.get_mut("items")
        && let Some(more) = more.shift_remove("items")
    {
        *items = extended(items.take(), more);
    }
    of.extend(more);
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test] // spec: IF-12, IF-28
    fn schemas_for_programs_say_more_than_those_in_a_list_of_tools() {
        let entry = crate::verbs::find("memorize").expect("a verb");
        let whole = Value::Object(entry.program_schema());
        assert_eq!(whole["properties"]["label"]["minLength"], 1);
        assert_eq!(whole["properties"]["evidence"]["maxItems"], 64);
        assert!(whole["oneOf"].is_array());
        let listed = Value::Object(entry.listed_schema());
        assert!(listed["properties"]["label"].get("minLength").is_none() && listed.get("oneOf").is_none());
        assert_eq!(listed["properties"]["kind"]["enum"], json!(["entity", "state", "event"]));
    }

    #[test] // spec: INB-14, IF-12
    fn what_the_verbs_of_inbox_and_ledger_refuse_is_in_their_schemas() {
        let field = |verb: &str, field: &str| {
            let schema = crate::verbs::find(verb).expect("a verb").program_schema();
            schema["properties"][field].clone()
        };
        for (verb, name) in [("inbox_list", "ref_id"), ("inbox_search", "ref_id"), ("note", "entity_id")] {
            assert_eq!(field(verb, name)["pattern"], "^[A-Za-z0-9._@:-]{1,64}$", "{verb}");
        }
        assert_eq!(field("inbox_events", "after")["maximum"], WHOLE_MAX);
        assert_eq!(field("inbox_done", "ids")["minItems"], 1);
        assert_eq!(field("inbox_send", "subject")["maxLength"], 500);
        assert_eq!(field("inbox_decide", "decision")["enum"], json!(["accept", "deny", "block", "close"]));
        assert_eq!(field("ledger_topics", "after")["pattern"], field("ledger_show", "topic")["pattern"]);
        assert!(crate::verbs::find("note").expect("a verb").program_schema()["oneOf"].is_array());
    }

    #[test] // spec: IF-12
    fn no_mark_of_ours_is_published() {
        for entry in table() {
            for schema in
                [entry.input_schema(), entry.tool_schema(), entry.listed_schema(), entry.program_schema()]
            {
                let text = Value::Object(schema).to_string();
                assert!(!text.contains("\"x-"), "{}: {text}", entry.spec().id());
            }
        }
    }
}

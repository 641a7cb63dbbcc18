//! What the fields of verbs take beyond their types, for the schemas that programs read.
//!
//! A verb itself checks its fields, with refusals that say more than a schema can. A program that writes requests by the
//! OpenAPI document knows from here what will be refused: least and greatest lengths, patterns, words, and which fields
//! go together. A list of tools does without, because every byte of it sits in a context window (IF-28).

use crate::schema::Object;
use serde_json::{Value, json};

/// A name in mail: of a box, a session or a tag (MAIL-2).
const NAME: &str = "[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}";
/// Names of that form that nothing in mail can have: folders of every box, devices, and two dots in a row.
const NO_NAME: &str = "\\.\\.|^([Rr][Ee][Aa][Dd]|[Aa][Rr][Cc][Hh][Ii][Vv][Ee]|__[Bb][Rr][Oo][Aa][Dd][Cc][Aa][Ss][Tt]|[Ss][Yy][Ss][Tt][Ee][Mm]|\
                       ([Cc][Oo][Nn]|[Pp][Rr][Nn]|[Aa][Uu][Xx]|[Nn][Uu][Ll]|([Cc][Oo][Mm]|[Ll][Pp][Tt])[0-9])(\\..*)?)$";
/// A part of an agent id (IF-3).
const PART: &str = "[A-Za-z0-9_][A-Za-z0-9._@-]*";
/// A message by its name, by its box and its name, or by a part of its name (MAIL-7).
const FILE: &str = "^([A-Za-z0-9_]{1,40}/)?[A-Za-z0-9][A-Za-z0-9._@~-]{2,150}$";
/// A day of RFC 3339, without the leap days.
const DAY: &str =
    "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))";
/// A time of day in UTC.
const TIME_OF_DAY: &str = "T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?Z";
/// How long ago or from now.
const SPAN: &str = "[1-9][0-9]{0,5} ?(s|m|min|h|d|w)";
/// Something that is no white space, whichever of it a reader knows, and no null byte.
const SAYS_SOMETHING: &str = "^[^\\u0000]*[^\\s\\u0000\\u0085\\u00a0][^\\u0000]*$";
/// One line of 64 bytes, whichever characters it has.
const SHORT_WORD: &str = "^([ -~]{0,64}|[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{0,16})$";
/// One line of 300 bytes, whichever characters it has.
const SUBJECT: &str = "^([ -~]{0,300}|[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{0,75})$";
/// What can have happened to memory that went to the wrong place (LTR-15).
const MISDELIVERIES: [&str; 5] = ["leak", "false_absence", "wrong_store_write", "misattribution", "vanished"];
/// No null byte, which ends a path for the system; a query with one is refused whole.
const NO_NULL: &str = "^[^\\u0000]*$";
/// A whole number that every reader of JSON reads as it is, also where it was written as 5.0.
const WHOLE_MAX: i64 = 1 << 52;

/// The schema of a verb's fields with what they take. `is_query` says that they stand in a query.
pub(crate) fn with_takes(verb: &str, mut schema: Object, is_query: bool) -> Object {
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        for (name, field) in fields.iter_mut() {
            add(verb, name, field, is_query);
        }
    }
    if let Value::Object(whole) = together(verb) {
        schema.extend(whole);
    }
    schema
}

/// The schema of a verb's fields in a list of tools, with the words that a field takes where those are all it takes. What
/// its description says of them is in the words.
pub(crate) fn with_words(verb: &str, mut schema: Object) -> Object {
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return schema };
    for (name, field) in fields.iter_mut().filter(|(_, field)| field["type"] == "string") {
        if let (Some(words), Value::Object(field)) = (takes(verb, name).get("enum"), field) {
            field.shift_remove("description");
            field.insert("enum".into(), words.clone());
            field.extend(beside_words(verb, name).map(|said| ("description".to_owned(), said.into())));
        }
    }
    schema
}

/// What a list of tools says of a field beside the words that it takes.
fn beside_words(verb: &str, name: &str) -> Option<&'static str> {
    match (verb, name) {
        ("seek", "tier") => Some("Default: project and medulla."),
        ("list" | "verify", "tier") => Some("Default: both."),
        ("show", "tier") => Some("Default: project, then medulla."),
        ("boot", "tier") => Some("Default: both to read, project to write."),
        ("memorize", "tier") => Some("medulla: doctrine for every project. Default: project."),
        ("retract" | "learn", "tier") => Some("Default: project."),
        ("memorize", "state") => Some("Default: authored. verified: you checked it."),
        ("memorize", "kind") => Some("Default: entity."),
        ("debrief", "outcome") => Some("A report may say it."),
        (_, "priority") => Some("Default: normal."),
        (_, "folder") => Some("Default: unread."),
        _ => None,
    }
}

/// What a header or a query field of REST takes.
pub(crate) fn header(name: &str) -> Value {
    let path = json!({ "type": "string", "pattern": "^/[^\\u0000]*$" });
    match name {
        "agent" => extended(json!({ "type": "string" }), agent_or_none()),
        "session" => json!({ "type": "string", "pattern": format!("^({NAME})?$") }),
        "tags" => json!({ "type": "string", "pattern": format!("^({NAME})?(, ?({NAME})?){{0,31}}$") }),
        "root" | "mail_root" => path,
        _ => json!({ "type": "string", "pattern": NO_NULL }),
    }
}

/// `agent_id`; an empty one says nothing.
fn agent_or_none() -> Value {
    json!({ "pattern": format!("^({PART}(:{PART})?)?$"), "maxLength": 64 })
}

fn add(verb: &str, name: &str, field: &mut Value, is_query: bool) {
    if let Some(count) = items_max(verb, name) {
        field["maxItems"] = count.into();
    }
    let takes = takes(verb, name);
    let is_list = field["type"] == "array";
    if takes.is_null() && is_query && field["type"] == "string" {
        field["pattern"] = NO_NULL.into();
    } else if is_list && !takes.is_null() {
        let items = field.get("items").cloned().unwrap_or_else(|| json!({}));
        field["items"] = extended(items, takes);
    } else if !takes.is_null() {
        *field = extended(field.take(), takes);
    }
}

fn extended(mut schema: Value, more: Value) -> Value {
    if let (Value::Object(schema), Value::Object(more)) = (&mut schema, more) {
        // Several kinds of values take the place of one type.
        if more.contains_key("anyOf") {
            schema.shift_remove("type");
            schema.shift_remove("items");
        }
        schema.extend(more);
    }
    schema
}

/// What one field takes; of a list, each of its items. Null where its type says all.
fn takes(verb: &str, name: &str) -> Value {
    let word = || json!({ "minLength": 1, "pattern": SAYS_SOMETHING });
    let long_word = |len_max: usize| extended(word(), json!({ "maxLength": len_max }));
    let agent = || json!({ "pattern": format!("^{PART}(:{PART})?$"), "maxLength": 64 });
    let pattern = |pattern: &str| json!({ "pattern": pattern });
    let one_of = |words: &[&str]| json!({ "enum": words });
    let name_of_mail = || json!({ "pattern": format!("^{NAME}$"), "not": { "pattern": NO_NAME } });
    let at_most = |len_max: usize| json!({ "maxLength": len_max });
    let states = ["authored", "verified", "outdated"];
    let kinds = ["status", "alert", "task", "question", "response", "report", "handoff"];
    let whole_path = || json!({ "minLength": 1, "pattern": "^/[^\\u0000]*$" });
    match (verb, name) {
        (_, "agent_id") => agent_or_none(),
        (_, "label") | ("rename", "to") | ("delegate", "seeds") => long_word(512),
        // RFC 3339, a day, how long ago, or milliseconds since 1970 (MEM-48).
        (_, "since" | "until" | "at") => pattern(&format!(
            "^((19[7-9][0-9]|20[0-9]{{2}})-{DAY}({TIME_OF_DAY})?|yesterday|{SPAN}|[1-9][0-9]{{12}})$"
        )),
        // A pattern knows no clock, so of RFC 3339 it names years that stay ahead.
        (_, "expires") => pattern(&format!("^(20(2[89]|[3-9][0-9])-{DAY}{TIME_OF_DAY}|{SPAN})$")),
        (_, "box") | ("session_register", _) | ("mail_send", "tag") | ("live_status", "parent") => {
            name_of_mail()
        }
        (_, "file" | "reply_to") => pattern(FILE),
        ("seek" | "boot", "tier") => one_of(&["project", "medulla", "all-brains"]),
        (_, "tier") => one_of(&["project", "medulla"]),
        (_, "priority") => one_of(&["urgent", "normal", "low"]),
        (_, "folder") => one_of(&["unread", "claimed", "read", "archive"]),
        (_, "reason") => long_word(4096),
        ("seek" | "list" | "memorize", "state") => one_of(&states),
        ("seek", "by") => one_of(&["words", "meaning", "all"]),
        ("list", "cursor") => pattern("^[mp]\\.([0-9]{1,14})?\\.([2-7][0-9a-f])*\\.([2-7][0-9a-f])*$"),
        ("memorize", "doctrine") => one_of(&["absolute"]),
        ("memorize", "kind") => one_of(&["entity", "state", "event"]),
        ("memorize", "confidence") => {
            let words = ["high", "medium", "low"];
            json!({ "anyOf": [{ "type": "number", "minimum": 0, "maximum": 1 }, { "enum": words }] })
        }
        ("memorize", "title") => at_most(1024),
        ("memorize", "tags") => pattern("^[^,\\s\\u0000-\\u001f\\u007f-\\u009f]{1,64}$"),
        ("learn", "verdict") => one_of(&["correct", "wrong", "partial"]),
        ("learn", "note") | ("boot", "value") => at_most(4096),
        ("audit", "what") => one_of(&["promotions", "delegations"]),
        ("export", "format") => one_of(&["jsonl", "dir"]),
        ("export", "out") | ("import", "path") => json!({ "minLength": 1, "pattern": NO_NULL }),
        ("boot", "action") => one_of(&["get", "set", "list", "delete"]),
        ("letter_all", "state") => {
            one_of(&["open", "closed", "wet_ink", "in_flight", "fired_clay", "external"])
        }
        ("letter_write", "class") => pattern("^[A-Za-z0-9_-]{1,64}$"),
        ("letter_write", "what") | ("mail_search" | "seek", "query") => word(),
        ("letter_write", "kind" | "tool") => pattern(SHORT_WORD),
        ("letter_write", "answers") => pattern("^[0-9a-f]{12}$"),
        ("letter_write", "verdict") => one_of(&["confirmed", "dismissed", "duplicate"]),
        ("delegate", "task") => long_word(16 * 1024),
        ("delegate", "scope") => long_word(1024),
        ("delegate", "to") | ("debrief", "child") | ("resolve", "take") => agent(),
        ("mail_send", "to") => {
            let one = extended(json!({ "type": "string", "not": { "pattern": NO_NAME } }), agent());
            let several = json!({ "type": "array", "items": one.clone(), "minItems": 1, "maxItems": 64 });
            json!({ "anyOf": [one, several] })
        }
        ("debrief", "delegation_id") => pattern("^dlg_[0-9a-f]{20}$"),
        ("debrief", "outcome") => one_of(&["success", "failure", "partial"]),
        ("debrief", "findings" | "deviations" | "report") => word(),
        ("mail_thread", "thread") => json!({ "minLength": 1, "maxLength": 200, "pattern": NO_NULL }),
        ("mail_send" | "mail_reply" | "mail_list", "type") | ("live_send", "type") => one_of(&kinds),
        (_, "subject") => {
            json!({ "maxLength": 300, "pattern": SUBJECT })
        }
        ("mail_send", "thread_id" | "key") | ("mail_reply", "key") => pattern("^[A-Za-z0-9._@~-]{1,200}$"),
        ("live_send", "target") => {
            let text = format!("^(everyone|parent|((session|tag):)?{NAME}|worktree:/.+)$");
            let text = extended(json!({ "type": "string" }), pattern(&text));
            let name = extended(json!({ "type": "string" }), name_of_mail());
            let yes = json!({ "type": "boolean", "enum": [true] });
            let path = json!({ "type": "string", "pattern": "^/.+$" });
            let agent = extended(json!({ "type": "string" }), agent());
            let kinds = json!({
                "session": name, "tag": name, "agent": agent, "worktree": path, "everyone": yes, "parent": yes
            });
            let object = json!({
                "type": "object", "properties": kinds, "additionalProperties": false,
                "minProperties": 1, "maxProperties": 1
            });
            json!({ "anyOf": [text, object] })
        }
        ("live_status", "status") => {
            one_of(&["idle", "working", "waiting_for_input", "blocked", "complete", "error"])
        }
        ("live_poll", "cursor" | "ack") => json!({ "minimum": 0, "maximum": WHOLE_MAX }),
        // Over REST there is no session for which others could be switched on.
        ("tools", "on") => one_of(&["memory", "mail", "default"]),
        ("promote", "because") => pattern("^(doctrine|telemetry|observed-in:/[^\\u0000]*)$"),
        ("handshake", "expect_root") | ("bootstrap", "path") => whole_path(),
        _ => Value::Null,
    }
}

/// How many items a list takes, where that is fewer than any list may have.
fn items_max(verb: &str, name: &str) -> Option<usize> {
    match (verb, name) {
        ("memorize", "tags") | ("mail_send" | "session_register", "tag") => Some(32),
        ("delegate", "scope" | "seeds") => Some(32),
        ("memorize", "evidence" | "depends_on") => Some(64),
        ("debrief", "deviations") => Some(50),
        ("debrief", "findings" | "touched_paths") | ("letter_write", "answers") => Some(200),
        _ => None,
    }
}

/// Which fields of a verb go together; null where each stands for itself.
fn together(verb: &str) -> Value {
    let says =
        |field: &str| json!({ "required": [field], "properties": { field: { "pattern": SAYS_SOMETHING } } });
    let both = |one: &str, other: &str| json!({ "required": [one, other], "properties": { one: { "const": true }, other: { "const": true } } });
    // Beside a batch there is a tier for all of it, and no field of one claim.
    let of_one = [
        "label",
        "title",
        "text",
        "confidence",
        "state",
        "kind",
        "evidence",
        "depends_on",
        "tags",
        "group",
        "reaffirm",
    ];
    let alone: Object = of_one.iter().map(|field| ((*field).to_owned(), false.into())).collect();
    let boot_key = json!({ "pattern": "^[A-Za-z0-9._-]{1,64}$" });
    let written = json!({ "enum": ["project", "medulla"] });
    match verb {
        "bootstrap" => {
            json!({ "not": { "required": ["take_up", "anew"], "properties": { "anew": { "const": true } } } })
        }
        "memorize" => json!({ "oneOf": [
            {
                "required": ["label", "text"],
                "properties": { "batch": false, "text": { "pattern": SAYS_SOMETHING } },
                "if": { "required": ["doctrine"] },
                "then": { "required": ["tier"], "properties": { "tier": { "const": "medulla" } } },
            },
            { "required": ["batch"], "properties": alone },
        ] }),
        "boot" => json!({ "anyOf": [
            { "properties": { "action": { "const": "list" } } },
            { "required": ["key"], "properties": { "action": { "const": "get" } } },
            { "required": ["key"], "properties": { "action": { "const": "delete" }, "key": boot_key, "tier": written } },
            { "required": ["key", "value"], "properties": { "action": { "const": "set" }, "key": boot_key, "tier": written } },
        ] }),
        "debrief" => json!({ "anyOf": [
            { "required": ["delegation_id", "outcome"], "properties": { "report": false } },
            { "required": ["report"], "properties": { "delegation_id": false, "outcome": false } },
        ] }),
        "resolve" => json!({ "anyOf": [
            { "properties": { "label": false, "take": false, "text": false } },
            { "required": ["label", "take"], "properties": { "text": false } },
            { "required": ["label", "text"], "properties": { "take": false } },
        ] }),
        "promote" => json!({ "not": { "anyOf": [
            both("propose", "decline"), both("propose", "withdraw"), both("decline", "withdraw"),
        ] } }),
        "export" => json!({ "allOf": [
            { "anyOf": [{ "properties": { "all": { "const": false } } }, { "properties": { "tier": false } }] },
            { "anyOf": [{ "properties": { "format": { "const": "jsonl" } } }, { "required": ["out"] }] },
        ] }),
        "letter_write" => {
            let answers = json!({ "required": ["answers"], "properties": { "answers": { "minItems": 1 } } });
            let is = |class: &str| json!({ "properties": { "class": { "const": class } } });
            json!({ "allOf": [
                { "if": { "required": ["verdict"] }, "then": is("triage") },
                { "if": { "anyOf": [is("triage"), is("receipt")] }, "then": answers },
                { "if": is("memory_misdelivery"), "then": { "required": ["kind"], "properties": { "kind": { "enum": MISDELIVERIES } } } },
            ] })
        }
        "mail_send" | "live_send" => json!({ "anyOf": [says("subject"), says("body")] }),
        "mail_reply" => json!({ "allOf": [says("body")] }),
        "live_status" => json!({ "dependentRequired": { "note": ["status"], "parent": ["status"] } }),
        _ => Value::Null,
    }
}

/// The field of a query that a verb needs, though a field beside it can take its place elsewhere.
pub(crate) fn is_needed_in_query(verb: &str, name: &str) -> bool {
    (verb, name) == ("seek", "query")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table;

    #[test] // spec: IF-12
    fn what_fields_take_is_said_of_fields_that_are_there() {
        let fields: Vec<(&str, String)> = table()
            .iter()
            .flat_map(|entry| {
                let schema = entry.input_schema();
                let names: Vec<String> = schema["properties"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name.clone())
                    .collect();
                names.into_iter().map(|name| (entry.spec().id(), name))
            })
            .collect();
        // Each name is told once with its verb above; one that is gone would be told of nothing.
        for (verb, name) in [
            ("seek", "by"),
            ("list", "cursor"),
            ("memorize", "confidence"),
            ("learn", "verdict"),
            ("audit", "what"),
            ("export", "format"),
            ("boot", "action"),
            ("letter_all", "state"),
            ("letter_write", "class"),
            ("delegate", "task"),
            ("debrief", "outcome"),
            ("mail_thread", "thread"),
            ("mail_send", "type"),
            ("live_send", "target"),
            ("live_status", "status"),
            ("live_poll", "ack"),
            ("promote", "because"),
            ("handshake", "expect_root"),
            ("session_register", "name"),
            ("resolve", "take"),
            ("rename", "to"),
        ] {
            assert!(fields.contains(&(verb, name.to_owned())), "{verb} has no field {name}");
            assert!(!takes(verb, name).is_null(), "{verb} {name}");
        }
    }

    #[test] // spec: IF-12, IF-28
    fn schemas_for_programs_say_more_than_those_in_a_list_of_tools() {
        let entry = crate::verbs::find("memorize").expect("a verb");
        let whole = Value::Object(with_takes("memorize", entry.input_schema(), false));
        assert_eq!(whole["properties"]["label"]["minLength"], 1);
        assert_eq!(whole["properties"]["evidence"]["maxItems"], 64);
        assert!(whole["oneOf"].is_array());
        let listed = Value::Object(entry.tool_schema());
        assert!(listed["properties"]["label"].get("minLength").is_none() && listed.get("oneOf").is_none());
    }
}

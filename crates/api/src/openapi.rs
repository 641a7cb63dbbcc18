//! The OpenAPI 3.1 document of REST, made from the table of verbs and their schemas (IF-12).

use crate::caller::{AGENT_ID, with_agent_id};
use crate::field_kinds;
use crate::schema::Object;
use crate::{Entry, Method, Toolset, instances, table};
use brainstem_base::codes;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The path at which the daemon serves the document.
pub const PATH: &str = "/api/openapi.json";
/// The stream of events.
pub const EVENTS: &str = "/api/events";
/// The query field that selects a brain.
pub const BRAIN: &str = "brain";
/// The field of every answer that says which brain it is of.
pub const SERVED_BRAIN: &str = "served_brain";

/// The document.
pub fn document() -> Value {
    let mut paths = Object::new();
    for entry in table().iter().filter(|entry| entry.spec().doors.has_path()) {
        let (method, path) = (entry.spec().method(), entry.spec().path());
        let item = paths.entry(path).or_insert_with(|| json!({}));
        item[method.as_str().to_ascii_lowercase()] = operation(entry);
    }
    paths.insert(instances::PATH.to_owned(), json!({ "get": instances_operation() }));
    paths.insert(EVENTS.to_owned(), json!({ "get": events_operation() }));
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Brainstem",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Memory shared by all your agents. One verb, the same fields and checks on every door.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        // Relative to the address that serves this document.
        "servers": [{ "url": "/", "description": "The daemon; http://127.0.0.1:7733 unless --bind says otherwise." }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "The text of daemon/token in the home." },
            },
            "parameters": parameters(),
            "schemas": { "Error": error_schema() },
            "responses": refusals(),
        },
    })
}

/// Whether a field takes several values.
pub fn is_list(schema: &Object, field: &str) -> bool {
    schema
        .get("properties")
        .and_then(|fields| fields.get(field))
        .is_some_and(|field| field["type"] == "array")
}

fn operation(entry: &Entry) -> Value {
    let spec = entry.spec();
    let method = spec.method();
    let mut input = with_agent_id(entry.program_schema());
    input["properties"][AGENT_ID] = field_kinds::string(field_kinds::agent_or_none());
    let mut operation = json!({
        "operationId": spec.id(),
        "summary": spec.title,
        "description": spec.when_to_use,
        "tags": [spec.toolset.as_str()],
    });
    let mut parameters: Vec<Value> = Vec::new();
    match method {
        Method::Get => parameters.extend(fields(entry, &input)),
        Method::Post => {
            operation["requestBody"] = json!({ "required": needs_a_field(&input), "content": { "application/json": { "schema": input } } });
        }
    }
    let by_mail = ["session", "tags", "mail_root"];
    for name in ["brain", "root", "agent"].into_iter().chain(by_mail) {
        let is_of_mail = [Toolset::Mail, Toolset::Live].contains(&spec.toolset);
        if (name != BRAIN || !has_own_brain(entry)) && (is_of_mail || !by_mail.contains(&name)) {
            parameters.push(json!({ "$ref": format!("#/components/parameters/{name}") }));
        }
    }
    operation["parameters"] = parameters.into();
    operation["responses"] = responses(json!({ "application/json": { "schema": answer_schema(entry) } }));
    operation
}

/// Whether an empty object lacks something: a field, or one of those that each choice requires.
fn needs_a_field(input: &Object) -> bool {
    let each_requires = |choices: &Value| {
        choices
            .as_array()
            .is_some_and(|choices| choices.iter().all(|choice| choice.get("required").is_some()))
    };
    input.contains_key("required")
        || ["anyOf", "oneOf"].iter().any(|key| input.get(*key).is_some_and(each_requires))
}

/// The schema of a verb's answer over REST, which says which brain it is of.
pub(crate) fn answer_schema(entry: &Entry) -> Object {
    with_served_brain(entry.output_schema())
}

/// The schema of an answer with the field that doors for agents add.
pub fn with_served_brain(mut output: Object) -> Object {
    if let Some(Value::Object(fields)) = output.get_mut("properties")
        && !fields.contains_key(SERVED_BRAIN)
    {
        let about = "The brain that was served, name@id; null without one.";
        fields.insert(SERVED_BRAIN.into(), json!({ "type": ["string", "null"], "description": about }));
    }
    output
}

/// Whether `brain` in the query of a GET is a field of the verb, which then chooses by itself.
pub fn has_own_brain(entry: &Entry) -> bool {
    let input = entry.input_schema();
    let has_field = input.get("properties").is_some_and(|fields| fields.get(BRAIN).is_some());
    entry.spec().method() == Method::Get && has_field
}

/// The fields of a verb as parameters.
fn fields(entry: &Entry, input: &Object) -> Vec<Value> {
    let required = input.get("required").and_then(Value::as_array);
    let named = input.get("properties").and_then(Value::as_object).into_iter().flatten();
    named
        .map(|(name, schema)| {
            let is_required = required.is_some_and(|names| names.iter().any(|one| one == name));
            let must = is_required || entry.needs_in_query(name);
            let mut schema = schema.clone();
            let about = schema.as_object_mut().and_then(|schema| schema.shift_remove("description"));
            let mut parameter = json!({
                "name": name, "in": "query", "required": must, "schema": schema,
            });
            if let Some(about) = about {
                parameter["description"] = about;
            }
            if is_list(input, name) {
                parameter["style"] = "form".into();
                parameter["explode"] = true.into();
            }
            parameter
        })
        .collect()
}

fn instances_operation() -> Value {
    json!({
        "operationId": "instances",
        "summary": "Every brain, for people",
        "description": "The cards of all brains, cold ones included, and the medulla apart.",
        "tags": ["page"],
        "parameters": [],
        "responses": responses(json!({ "application/json": { "schema": instances::output_schema() } })),
    })
}

fn events_operation() -> Value {
    let last = "Go on after this event; for what is no longer kept there is an event `gap`.";
    json!({
        "operationId": "events",
        "summary": "What happens in the stores",
        "description": "Server-sent events: claim.written, claim.gone, claim.retracted, claim.promoted, act, mail.arrived, mail.gone, wake, letter.written, letter.filed, gap. Of your brain, your mail root and the medulla, unless tier is all-brains. Of mail sender, type and subject; never the text of a message or a letter.",
        "tags": ["page"],
        "parameters": [
            { "name": "tier", "in": "query", "required": false, "schema": { "type": "string", "enum": ["all-brains"] } },
            { "name": "Last-Event-ID", "in": "header", "required": false, "description": last, "schema": { "type": "string" } },
            { "$ref": "#/components/parameters/brain" },
            { "$ref": "#/components/parameters/root" },
            { "$ref": "#/components/parameters/mail_root" },
        ],
        "responses": responses(json!({ "text/event-stream": { "schema": { "type": "string" } } })),
    })
}

fn parameters() -> Value {
    json!({
        "brain": {
            "name": BRAIN, "in": "query", "required": false, "schema": field_kinds::string(field_kinds::no_null()),
            "description": "A brain of this home by root, fingerprint, name@id, id, or its name if no other has it; the answer says it as served_brain.",
        },
        "root": {
            "name": "Brainstem-Caller-Root", "in": "header", "required": false, "schema": field_kinds::string(field_kinds::path_in_header()),
            "description": "The absolute path of the folder you stand in, percent-encoded where it is not ASCII.",
        },
        "agent": {
            "name": "Brainstem-Agent", "in": "header", "required": false, "schema": field_kinds::string(field_kinds::agent_or_none()),
            "description": "Who is calling, when agent_id does not say it: host:role, human:name or one bare name.",
        },
        "session": {
            "name": "Brainstem-Session", "in": "header", "required": false, "schema": field_kinds::string(field_kinds::session_or_none()),
            "description": "The name of your session in mail and at the live channel.",
        },
        "tags": {
            "name": "Brainstem-Tags", "in": "header", "required": false, "schema": field_kinds::string(field_kinds::tags_in_one_text()),
            "description": "The tags your session carries, with commas.",
        },
        "mail_root": {
            "name": "Brainstem-Mail-Root", "in": "header", "required": false, "schema": field_kinds::string(field_kinds::path_in_header()),
            "description": "The absolute path of a mail root other than your project's.",
        },
    })
}

fn responses(content: Value) -> Value {
    let mut all = json!({ "200": { "description": "Done.", "content": content } });
    for status in statuses().keys() {
        all[status.to_string()] = json!({ "$ref": format!("#/components/responses/{status}") });
    }
    all
}

fn refusals() -> Value {
    let mut all = json!({});
    for (status, names) in statuses() {
        let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
        all[status.to_string()] =
            json!({ "description": format!("Refused: {}.", names.join(", ")), "content": content });
    }
    all
}

/// The codes of every status.
fn statuses() -> BTreeMap<u16, Vec<&'static str>> {
    let mut statuses: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in codes::ALL {
        statuses.entry(code.http_status()).or_default().push(code.name());
    }
    statuses
}

fn error_schema() -> Value {
    let names: Vec<&str> = codes::ALL.iter().map(|code| code.name()).collect();
    json!({
        "type": "object",
        "required": ["error"],
        "additionalProperties": false,
        "properties": { "error": {
            "type": "object",
            "required": ["code", "message"],
            "additionalProperties": false,
            "properties": {
                "code": { "type": "string", "enum": names },
                "message": { "type": "string", "description": "What happened." },
                "fix": { "type": "string", "description": "What to do now." },
                "next": {
                    "type": "array",
                    "description": "The calls that the fix names and that can be made as they stand.",
                    "items": {
                        "type": "object",
                        "required": ["method", "path"],
                        "additionalProperties": false,
                        "properties": {
                            "method": { "type": "string" },
                            "path": { "type": "string", "description": "With its query." },
                            "body": { "type": "object" },
                        },
                    },
                },
                "field": { "type": "string", "description": "The field that is to blame." },
                "rule": { "type": "string", "description": "The rule of the specification." },
            },
        } },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-12
    fn every_verb_of_all_doors_has_one_path_and_the_same_fields() {
        let document = document();
        for entry in table().iter().filter(|entry| entry.spec().doors.has_path()) {
            let spec = entry.spec();
            let (method, path) = (spec.method(), spec.path());
            assert!(path.starts_with("/api/"), "{path}");
            let found = &document["paths"][path][method.as_str().to_ascii_lowercase()];
            assert_eq!(found["operationId"], spec.id(), "{path} is of one verb alone");
            let input = entry.input_schema();
            let fields: Vec<&String> = input["properties"].as_object().expect("fields").keys().collect();
            let named: Vec<&str> = match method {
                Method::Get => {
                    let parameters = found["parameters"].as_array().expect("parameters");
                    parameters.iter().filter_map(|parameter| parameter["name"].as_str()).collect()
                }
                Method::Post => {
                    let schema = &found["requestBody"]["content"]["application/json"]["schema"];
                    schema["properties"].as_object().expect("fields").keys().map(String::as_str).collect()
                }
            };
            for field in fields {
                assert!(named.contains(&field.as_str()), "{} lacks {field} over REST", spec.id());
                assert_ne!(field, "agent_id", "{}", spec.id());
                let brains = named.iter().filter(|name| **name == BRAIN).count();
                assert!(brains <= 1, "{}: {named:?}", spec.id());
            }
            assert!(named.contains(&"agent_id"), "{}", spec.id());
            let answer = &found["responses"]["200"]["content"]["application/json"]["schema"]["properties"];
            for field in entry.output_schema()["properties"].as_object().expect("fields").keys() {
                assert!(answer.get(field).is_some(), "{}: {field}", spec.id());
                assert!(
                    field != SERVED_BRAIN || has_own_brain(entry),
                    "{}: who serves another says so",
                    spec.id()
                );
            }
        }
    }

    #[test] // spec: IF-12
    fn what_reads_is_asked_with_get_and_what_writes_is_not() {
        for entry in table().iter().filter(|entry| entry.spec().doors.has_path()) {
            let spec = entry.spec();
            let is_get = spec.method() == Method::Get;
            assert_eq!(is_get, spec.effect == crate::Effect::Read, "{}", spec.id());
        }
    }
}

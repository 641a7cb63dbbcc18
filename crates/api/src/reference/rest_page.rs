//! The reference of REST: every path, and the OpenAPI document.

use super::mcp_page::{rows, type_name};
use super::wording::{GENERATED, cell};
use crate::caller::{AGENT_ID, with_agent_id};
use crate::openapi::{self, BRAIN, EVENTS, PATH, SERVED_BRAIN};
use crate::{Entry, Method, Object, instances, table};
use serde_json::Value;
use std::fmt::Write as _;

/// The OpenAPI document, laid out for a diff.
pub(super) fn openapi() -> String {
    let mut text = serde_json::to_string_pretty(&openapi::document()).unwrap_or_default();
    text.push('\n');
    text
}

pub(super) fn render() -> String {
    let mut page = format!("# REST\n\n{GENERATED}\n");
    let _ = write!(
        page,
        "`brainstem up` serves these paths; [openapi.json](openapi.json) says the same for programs and is served at \
         `{PATH}`. Every request carries `Authorization: Bearer` with the token of the home. The fields of a GET stand in \
         the query, a list as one field several times; those of a POST in a JSON object. `{AGENT_ID}` is a field of every \
         verb, and the header `Brainstem-Agent` stands in for it. `?{BRAIN}=` selects a brain of this home by root, \
         fingerprint, name@id, id, or its name if no other has it; else the header `Brainstem-Caller-Root` says where the caller stands; else it stands \
         nowhere. In mail and at the live channel, `Brainstem-Session`, `Brainstem-Tags` and `Brainstem-Mail-Root` say which session calls. \
         Every answer says as `{SERVED_BRAIN}` which brain was served. A refusal is the document \
         `{{\"error\":{{\"code\",\"message\",\"fix\",\"next\",\"field\",\"rule\"}}}}` with the status that [errors.md](errors.md) gives its \
         code; `rule` is the id of the rule that refused, as the pages of [docs/spec](../spec) number them. \
         A field of an answer that is optional is left out where there is nothing to say.\n\n| method | path | verb | what for |\n| --- | --- | --- | --- |\n"
    );
    let entries = || table().iter().filter(|entry| entry.spec().doors.has_path());
    for spec in entries().map(Entry::spec) {
        let (method, path) = (spec.method(), spec.path());
        let _ =
            writeln!(page, "| {} | `{path}` | {} | {} |", method.as_str(), spec.id(), cell(spec.when_to_use));
    }
    let _ = writeln!(page, "| GET | `{}` | | every brain as a card, for people |", instances::PATH);
    let _ = writeln!(page, "| GET | `{EVENTS}` | | server-sent events, resumable by `Last-Event-ID` |");
    let _ = writeln!(page, "| GET | `{PATH}` | | the OpenAPI document |");
    for entry in entries() {
        let spec = entry.spec();
        let (method, path) = (spec.method(), spec.path());
        let place = match method {
            Method::Get => "query",
            Method::Post => "body",
        };
        let _ = write!(
            page,
            "\n## {} `{path}`\n\n{}\n\n| field ({place}) | type | required | meaning |\n| --- | --- | --- | --- |\n",
            method.as_str(),
            spec.when_to_use
        );
        let fields = with_agent_id(entry.input_schema());
        rows(&fields, &mut page, Some(&fields));
        page.push_str(ANSWER);
        answer("", &openapi::answer_schema(entry), &mut page);
    }
    let _ = write!(
        page,
        "\n## GET `{}`\n\nThe cards of all brains, cold ones included, and the medulla apart. It has no fields.\n{ANSWER}",
        instances::PATH
    );
    answer("", &instances::output_schema(), &mut page);
    page
}

const ANSWER: &str = "\n| answer | type | meaning |\n| --- | --- | --- |\n";

/// The fields of an answer, those of its rows and parts below them.
fn answer(of: &str, schema: &Object, page: &mut String) {
    let required = schema.get("required").and_then(Value::as_array);
    // The door adds which brain was served to every answer.
    let is_required = |name: &str| {
        name == SERVED_BRAIN || required.is_some_and(|names| names.iter().any(|known| known == name))
    };
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let about = cell(field.get("description").and_then(Value::as_str).unwrap_or_default());
        let optional = if is_required(name) { "" } else { ", optional" };
        let _ = writeln!(page, "| `{of}{name}` | {}{optional} | {about} |", type_name(field));
        // One step is enough to read an answer by; the document has the rest.
        if of.is_empty() {
            let (part, mark) = match field.get("items") {
                Some(items) => (items, "[]"),
                None => (field, ""),
            };
            let part = part.get("anyOf").and_then(|parts| parts.get(0)).unwrap_or(part);
            if let Some(part) = part.as_object() {
                answer(&format!("{name}{mark} → "), part, page);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_described_with_its_fields_and_its_answer() {
        let page = render();
        let sections: Vec<&str> = page.split("\n## ").collect();
        for entry in table().iter().filter(|entry| entry.spec().doors.has_path()) {
            let (method, path) = (entry.spec().method(), entry.spec().path());
            let head = format!("{} `{path}`\n", method.as_str());
            let section = sections.iter().find(|section| section.starts_with(&head)).expect("a section");
            let (fields, answer) = section.split_once(ANSWER).expect("an answer");
            for (name, field) in entry.input_schema()["properties"].as_object().expect("fields") {
                let row =
                    fields.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).expect("a row");
                let default =
                    field.get("default").map(|default| format!("default {default}")).unwrap_or_default();
                assert!(row.contains(&default), "{path}: {row}");
            }
            for name in openapi::answer_schema(entry)["properties"].as_object().expect("fields").keys() {
                let row =
                    answer.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).expect("a row");
                let schema = openapi::answer_schema(entry);
                let required = schema.get("required").and_then(Value::as_array);
                let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
                let is_required = is_required || name == SERVED_BRAIN;
                assert_eq!(row.contains(", optional |"), !is_required, "{path}: {row}");
            }
            assert!(answer.contains(SERVED_BRAIN), "{path}");
        }
        assert!(
            page.contains("| `mail` | object or null, optional |"),
            "a beat without mail has no such field"
        );
        assert!(page.contains("`rule` is the id of the rule that refused"));
    }
}

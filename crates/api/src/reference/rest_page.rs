//! The reference of REST: every path, and the OpenAPI document.

use super::mcp_page::rows;
use super::{GENERATED, cell};
use crate::caller::{AGENT_ID, with_agent_id};
use crate::openapi::{self, BRAIN, EVENTS, PATH, SERVED_BRAIN};
use crate::{Entry, Method, instances, table};
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
         fingerprint, name@id or id; else the header `Brainstem-Caller-Root` says where the caller stands; else it stands \
         nowhere. In mail and at the live channel, `Brainstem-Session`, `Brainstem-Tags` and `Brainstem-Mail-Root` say which session calls. \
         Every answer says as `{SERVED_BRAIN}` which brain was served. A refusal is the document \
         `{{\"error\":{{\"code\",\"message\",\"fix\",\"field\",\"rule\"}}}}` with the status that [errors.md](errors.md) gives its \
         code.\n\n| method | path | verb | what for |\n| --- | --- | --- | --- |\n"
    );
    let entries = || table().iter().filter(|entry| entry.spec().doors.has_path());
    for spec in entries().map(Entry::spec) {
        let (method, path) = spec.rest;
        let _ =
            writeln!(page, "| {} | `{path}` | {} | {} |", method.as_str(), spec.id, cell(spec.when_to_use));
    }
    let _ = writeln!(page, "| GET | `{}` | | every brain as a card, for people |", instances::PATH);
    let _ = writeln!(page, "| GET | `{EVENTS}` | | server-sent events, resumable by `Last-Event-ID` |");
    let _ = writeln!(page, "| GET | `{PATH}` | | the OpenAPI document |");
    for entry in entries() {
        let spec = entry.spec();
        let (method, path) = spec.rest;
        let place = match method {
            Method::Get => "query or path",
            Method::Post | Method::Delete => "body",
        };
        let _ = write!(
            page,
            "\n## {} `{path}`\n\n{}\n\n| field ({place}) | type | required | meaning |\n| --- | --- | --- | --- |\n",
            method.as_str(),
            spec.when_to_use
        );
        let fields = with_agent_id(entry.input_schema());
        rows(&fields, &mut page, Some(&fields));
    }
    page
}

//! The reference of the MCP server: the instructions and every tool.

use super::{GENERATED, cell};
use crate::caller::{AGENT_ID, with_agent_id};
use crate::instructions::INSTRUCTIONS;
use crate::schema::Object;
use crate::{Effect, Entry, Toolset, VerbSpec, table};
use serde_json::Value;
use std::fmt::Write as _;

pub(super) fn render() -> String {
    let mut page = format!("# MCP\n\n{GENERATED}\n");
    let _ = write!(
        page,
        "`brainstem mcp` serves these tools on standard input and output. Every tool takes `{AGENT_ID}` too. A text \
         where the schema wants an object, an array, a number or a boolean is parsed once as JSON. Answers come as \
         structured content, with the same JSON as text. A refusal is a result with `isError` and the document \
         `{{\"error\":{{\"code\",\"message\",\"fix\",\"field\",\"rule\"}}}}`.\n\n## Instructions\n\n```text\n{}\n```\n",
        INSTRUCTIONS.trim_end()
    );
    for set in Toolset::ALL {
        let _ = write!(page, "\n## Tool set `{}`\n", set.as_str());
        let is_offered = |spec: &VerbSpec| spec.doors.has_tool() && spec.toolset == *set;
        for entry in table().iter().filter(|entry| is_offered(entry.spec())) {
            describe(entry, &mut page);
        }
    }
    page
}

fn describe(entry: &Entry, page: &mut String) {
    let spec = entry.spec();
    let _ = write!(page, "\n### `{}`\n\n{}\n\n", spec.id, spec.when_to_use);
    let effect = match spec.effect {
        Effect::Read => "read-only",
        Effect::Write => "writes, keeps what it replaces",
        Effect::Destructive => "destructive",
    };
    let again = if spec.idempotent { "idempotent" } else { "not idempotent" };
    let _ = write!(page, "{effect} · {again}\n\n");
    page.push_str("| argument | type | required | meaning |\n| --- | --- | --- | --- |\n");
    rows(&with_agent_id(entry.input_schema()), page, true);
    page.push_str("\n| answer | type | meaning |\n| --- | --- | --- |\n");
    rows(&entry.output_schema(), page, false);
}

pub(super) fn rows(schema: &Object, page: &mut String, with_required: bool) {
    let required = schema.get("required").and_then(Value::as_array);
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let about = cell(field.get("description").and_then(Value::as_str).unwrap_or_default());
        let _ = write!(page, "| `{name}` | {} |", type_name(field));
        if with_required {
            let must = required.is_some_and(|names| names.iter().any(|one| one == name));
            page.push_str(if must { " yes |" } else { " no |" });
        }
        let _ = writeln!(page, " {about} |");
    }
}

fn type_name(schema: &Value) -> String {
    let several = |parts: &[Value]| -> String {
        let mut names: Vec<_> = parts.iter().map(type_name).collect();
        names.dedup();
        names.join(" or ")
    };
    match (schema.get("type"), schema.get("anyOf").or(schema.get("oneOf"))) {
        (Some(Value::String(name)), _) if name == "array" => match schema.get("items") {
            Some(items) => format!("array of {}", type_name(items)),
            None => "array".into(),
        },
        (Some(Value::String(name)), _) => name.clone(),
        (Some(Value::Array(names)), _) => {
            names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        (_, Some(Value::Array(parts))) => several(parts),
        _ => "any".into(),
    }
}

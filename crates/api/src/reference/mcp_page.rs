//! The reference of the MCP server: the instructions and every tool.

use super::wording::{GENERATED, cell, tool};
use crate::caller::{AGENT_ID, DOCUMENT, with_agent_id};
use crate::instructions::INSTRUCTIONS;
use crate::limits::{RESOURCES_LISTED_MAX, RESOURCES_PAGE};
use crate::openapi::SERVED_BRAIN;
use crate::prompts::PROMPTS;
use crate::resources::{BEAT, CLAIM_TEMPLATE, MAIL_TEMPLATE};
use crate::schema::Object;
use crate::{Effect, Entry, Toolset, VerbSpec, table};
use brainstem_base::next::OP;
use serde_json::Value;
use std::fmt::Write as _;

pub(super) fn render() -> String {
    let mut page = format!("# MCP\n\n{GENERATED}\n");
    let _ = write!(
        page,
        "`brainstem mcp` serves these tools on standard input and output. Every tool takes `{AGENT_ID}` too. A text \
         where the schema wants an object, an array, a number or a boolean is parsed once as JSON. A lone \
         text where a list of texts is wanted is a list of one. Answers come as structured content, with the same JSON as text, \
         and say as `{SERVED_BRAIN}` which brain was served. `north` and `seek` answer with a page that a model reads, each \
         recalled text in a fence; `{DOCUMENT}: true` asks for the structured content beside it. A refusal is a result with `isError` and the document \
         `{{\"error\":{{\"code\",\"message\",\"fix\",\"next\",\"field\",\"rule\"}}}}`.\n\n## Instructions\n\n```text\n{}\n```\n",
        INSTRUCTIONS.trim_end()
    );
    let _ = write!(
        page,
        "\n## Tool sets\n\nA client is offered the default sets; `--toolsets` and the setting `mcp.toolsets` choose \
         others, by name, `default` or `all`. Inside a session the tool `tools` shows them, and switches \
         more on. Verbs whose commands begin with the same word are one tool, and its field `{OP}` says which is meant; a call \
         by the whole name (`mail_send`), or by a name of before (`cross_verify`), is taken too. A list of tools leaves out the \
         arguments that are marked rare below, and `{AGENT_ID}` of tools that only read; every call takes them.\n\n| set | default | holds |\n| --- | --- | --- |\n",
    );
    for set in Toolset::ALL {
        let default = if Toolset::DEFAULT.contains(set) { "yes" } else { "no" };
        let _ = writeln!(page, "| `{}` | {default} | {} |", set.as_str(), set.about());
    }
    for set in Toolset::ALL {
        let _ = write!(page, "\n## Tool set `{}`\n", set.as_str());
        let is_offered = |spec: &VerbSpec| spec.doors.has_tool() && spec.toolset == *set;
        for entry in table().iter().filter(|entry| is_offered(entry.spec())) {
            describe(entry, &mut page);
        }
    }
    let _ = write!(
        page,
        "\n## Resources\n\nOf the set `memory`, as Markdown; what was recalled stands in fences. A list has {RESOURCES_PAGE} on a \
         page, `nextCursor` leads to the next. Of each store the youngest {RESOURCES_LISTED_MAX} are listed, every claim can be read; \
         `_meta` counts the others as `brainstem/left_out`, and names what could not be looked at as `brainstem/gaps`. \
         A refusal is an error of the protocol with the same document as data.\n\n\
         | address | what |\n| --- | --- |\n\
         | `{BEAT}` | the beat, as `north` gives it without a task |\n\
         | `{CLAIM_TEMPLATE}` | one claim, as `show` gives it; `slug` is the id of a row |\n\
         | `{MAIL_TEMPLATE}` | what is unread in a mailbox, without bodies |\n\n\
         ## Prompts\n\nOf the set `memory`; they read and change nothing.\n\n\
         | prompt | argument | what |\n| --- | --- | --- |\n"
    );
    for prompt in PROMPTS {
        let _ = writeln!(page, "| `{}` | | {} |", prompt.name, cell(prompt.about));
        for argument in prompt.arguments {
            let _ = writeln!(page, "| | `{}` | {} |", argument.name, cell(argument.about));
        }
    }
    page.push_str(
        "\n## Progress and cancelling\n\nA call with a progress token gets at most a hundred notices of how far it is: `import`, \
         `export`, `doctor`, and the batches of `memorize` and `seek`. A call that is cancelled while it waits for its turn is \
         never run, an import or a batch stops after the claim it is at, and its repeat completes it; anything else is run to its \
         end.\n",
    );
    page
}

fn describe(entry: &Entry, page: &mut String) {
    let spec = entry.spec();
    let _ = write!(page, "\n### {}\n\n{}\n\n", tool(spec.verb), spec.when_to_use);
    let effect = match spec.effect {
        Effect::Read => "read-only",
        Effect::Write => "writes, keeps what it replaces",
        Effect::Destructive => "destructive",
    };
    let again = if spec.idempotent { "idempotent" } else { "not idempotent" };
    let _ = write!(page, "{effect} · {again}\n\n");
    page.push_str("| argument | type | required | meaning |\n| --- | --- | --- | --- |\n");
    rows(&with_agent_id(entry.input_schema()), page, Some(&with_agent_id(entry.tool_schema())));
    page.push_str("\n| answer | type | meaning |\n| --- | --- | --- |\n");
    rows(&entry.output_schema(), page, None);
}

/// The rows of a table; of arguments, with what a list of tools shows.
pub(super) fn rows(schema: &Object, page: &mut String, listed: Option<&Object>) {
    let required = schema.get("required").and_then(Value::as_array);
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let about = cell(field.get("description").and_then(Value::as_str).unwrap_or_default());
        let _ = write!(page, "| `{name}` | {}{} |", type_name(field), bounds(field));
        if let Some(listed) = listed {
            let must = required.is_some_and(|names| names.iter().any(|one| one == name));
            let is_listed = listed.get("properties").is_some_and(|fields| fields.get(name).is_some());
            page.push_str(match (must, is_listed) {
                (true, _) => " yes |",
                (false, true) => " no |",
                (false, false) => " rare |",
            });
        }
        let _ = writeln!(page, " {about} |");
    }
}

/// Returns what a field takes beside its type: choices, numbers, and its default.
fn bounds(schema: &Value) -> String {
    let mut told = String::new();
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        let _ = write!(told, ": {}", choices.join(", "));
    }
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(low), Some(high)) => drop(write!(told, ", {low} to {high}")),
        (Some(low), None) => drop(write!(told, ", from {low}")),
        (None, Some(high)) => drop(write!(told, ", to {high}")),
        (None, None) => {}
    }
    if let Some(default) = schema.get("default") {
        let _ = write!(told, ", default {default}");
    }
    told
}

pub(super) fn type_name(schema: &Value) -> String {
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

//! The list of tools: the entries of the chosen sets as MCP describes them.

use crate::limits::TOOL_LIST_LEN_MAX;
use brainstem_api::caller::with_agent_id;
use brainstem_api::openapi;
use brainstem_api::{Effect, Entry, Object, VerbSpec};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// Describes every entry. Titles, output schemas and arguments that are rarely needed are left out of the
/// whole list when it would not fit [`TOOL_LIST_LEN_MAX`] with them; every call takes the arguments all the same.
pub(crate) fn list(entries: &[&'static Entry]) -> Vec<Tool> {
    let full: Vec<_> = entries.iter().map(|entry| describe_whole(entry)).collect();
    if list_len(&full) <= TOOL_LIST_LEN_MAX {
        full
    } else {
        entries.iter().map(|entry| describe(entry, entry.tool_schema())).collect()
    }
}

fn describe(entry: &Entry, mut input: Object) -> Tool {
    let spec = entry.spec();
    // A field that there is not is refused, and the refusal says so.
    input.shift_remove("additionalProperties");
    Tool::new(spec.id(), spec.when_to_use, Arc::new(with_agent_id(input))).with_annotations(annotations(spec))
}

fn describe_whole(entry: &Entry) -> Tool {
    describe(entry, entry.input_schema())
        .with_title(entry.spec().title)
        .with_raw_output_schema(Arc::new(answer_or_error(openapi::with_served_brain(entry.output_schema()))))
}

/// What a verb does, as far as the protocol does not assume it: a tool is no reader and repeats its effect
/// unless it says otherwise, and what a reader would destroy or repeat is nothing.
fn annotations(spec: &VerbSpec) -> ToolAnnotations {
    let hints = ToolAnnotations::new();
    if spec.effect == Effect::Read {
        return hints.read_only(true);
    }
    let hints = hints.destructive(spec.effect == Effect::Destructive);
    if spec.idempotent { hints.idempotent(true) } else { hints }
}

/// Lets a refusal match as well: clients check the structured content of errors against the output
/// schema too, and drop the error when it does not fit.
fn answer_or_error(mut schema: Object) -> Object {
    if let Some(required) = schema.shift_remove("required") {
        schema.insert("anyOf".into(), json!([{ "required": required }, { "required": ["error"] }]));
    }
    schema
}

fn list_len(tools: &[Tool]) -> usize {
    serde_json::to_value(tools).map_or(usize::MAX, |list: Value| list.to_string().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{MAIL_LIST_LEN_MAX, MAIL_TOOLS_LEN_MAX, MEMORY_LIST_LEN_MAX};
    use brainstem_api::{Toolset, table};

    fn entries_of(sets: &[Toolset]) -> Vec<&'static Entry> {
        let offered = |spec: &VerbSpec| spec.doors.has_tool() && sets.contains(&spec.toolset);
        table().iter().filter(|entry| offered(entry.spec())).collect()
    }

    fn default_entries() -> Vec<&'static Entry> {
        entries_of(Toolset::DEFAULT)
    }

    #[test] // spec: IF-28
    fn the_default_list_fits_a_context_window() {
        let len = list_len(&list(&default_entries()));
        assert!(len <= TOOL_LIST_LEN_MAX, "the default list takes {len} bytes");
        let memory = entries_of(&[Toolset::Memory]);
        let memory: Vec<_> = memory.iter().map(|entry| describe(entry, entry.tool_schema())).collect();
        let len = list_len(&memory);
        assert!(len <= MEMORY_LIST_LEN_MAX, "the set memory takes {len} bytes");
        let mail = entries_of(&[Toolset::Mail]);
        let mail: Vec<_> = mail.iter().map(|entry| describe(entry, entry.tool_schema())).collect();
        let len = list_len(&mail);
        assert!(len <= MAIL_LIST_LEN_MAX, "the set mail takes {len} bytes");
    }

    #[test] // spec: MAIL-16
    fn the_tools_of_mail_take_at_most_four_kilobytes() {
        let of_mail = |entry: &&&'static Entry| {
            let id = entry.spec().id();
            id.starts_with("mail_") || ["session_register", "session_list"].contains(&id)
        };
        let entries = entries_of(&[Toolset::Mail]);
        let tools: Vec<_> =
            entries.iter().filter(of_mail).map(|entry| describe(entry, entry.tool_schema())).collect();
        let len = list_len(&tools);
        assert!(tools.len() == 11 && len <= MAIL_TOOLS_LEN_MAX, "{} tools take {len} bytes", tools.len());
    }

    #[test] // spec: IF-28
    fn output_schemas_give_way_when_the_list_is_too_long() {
        let many = default_entries();
        for tool in list(&many[..1]) {
            let output = tool.output_schema.as_ref().expect("a schema");
            assert!(
                output["properties"].get("served_brain").is_some() && tool.title.is_some(),
                "{}",
                tool.name
            );
        }
        for tool in list(&many) {
            assert!(tool.output_schema.is_none() && tool.title.is_none(), "{}", tool.name);
        }
    }

    #[test] // spec: IF-8
    fn what_a_list_leaves_out_is_never_required() {
        for entry in entries_of(Toolset::ALL) {
            let (whole, listed) = (entry.input_schema(), entry.tool_schema());
            let names = |schema: &Object| {
                let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
                required.iter().map(|name| name.as_str().expect("a name").to_owned()).collect::<Vec<_>>()
            };
            // One claim needs a label; the list leaves out `batch`, which stands for it.
            let needed =
                if entry.spec().id() == "memorize" { vec!["label".to_owned()] } else { names(&whole) };
            assert_eq!(names(&listed), needed, "{}", entry.spec().id());
            for field in listed.get("required").and_then(Value::as_array).into_iter().flatten() {
                assert!(listed["properties"].get(field.as_str().expect("a name")).is_some(), "{field}");
            }
        }
    }

    #[test] // spec: IF-7
    fn annotations_say_what_a_verb_does() {
        for tool in list(&default_entries()) {
            let entry = brainstem_api::verbs::find(&tool.name).expect("a verb");
            let hints = tool.annotations.expect("annotations");
            let spec = entry.spec();
            assert_eq!(hints.read_only_hint.unwrap_or(false), spec.effect == Effect::Read, "{}", spec.id());
            if spec.effect != Effect::Read {
                assert_eq!(hints.destructive_hint, Some(spec.effect == Effect::Destructive), "{}", spec.id());
                assert_eq!(hints.idempotent_hint.unwrap_or(false), spec.idempotent, "{}", spec.id());
            }
            assert!(tool.input_schema["properties"].get("agent_id").is_some());
            assert!(!tool.input_schema.contains_key("$schema"));
        }
    }

    #[test]
    fn an_error_document_fits_the_output_schema() {
        let Value::Object(schema) = json!({"type": "object", "required": ["slug"]}) else {
            panic!("an object")
        };
        let expected = json!({"type": "object", "anyOf": [{"required": ["slug"]}, {"required": ["error"]}]});
        assert_eq!(Value::Object(answer_or_error(schema)), expected);
    }
}

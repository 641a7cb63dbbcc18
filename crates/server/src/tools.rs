//! The list of tools: those of the offered sets as MCP describes them.

use brainstem_api::caller::with_agent_id;
use brainstem_api::{Effect, Entry, Offered};
use brainstem_base::next::VerbId;
use rmcp::model::{Tool, ToolAnnotations};
use std::sync::Arc;

/// Describes every offered tool. Leaves out titles, output schemas and rare arguments: every byte of the list is in a context
/// window, every call accepts the arguments, and the reference has all of them.
pub(crate) fn list(table: &'static [Entry], offered: Offered) -> Vec<Tool> {
    let entries = table.iter().filter(|entry| offered.has_verb(entry.spec()));
    brainstem_api::tools::of(entries).iter().map(describe).collect()
}

fn describe(tool: &brainstem_api::tools::Tool) -> Tool {
    // Every call accepts it. The list shows it only for verbs that sign something or that return the caller's name.
    let is_signed =
        tool.effect() != Effect::Read || tool.verbs.iter().any(|it| it.spec().verb == VerbId::Whoami);
    let input = if is_signed { with_agent_id(tool.schema()) } else { tool.schema() };
    Tool::new(tool.name, tool.description(), Arc::new(input)).with_annotations(annotations(tool))
}

/// The annotations of a verb that differ from the protocol's defaults: by default a tool is not a reader and
/// repeats its effect; for a reader, the other two mean nothing.
fn annotations(tool: &brainstem_api::tools::Tool) -> ToolAnnotations {
    let hints = ToolAnnotations::new();
    if tool.effect() == Effect::Read {
        return hints.read_only(true);
    }
    let hints = hints.destructive(tool.effect() == Effect::Destructive);
    if tool.is_idempotent() { hints.idempotent(true) } else { hints }
}

#[cfg(test)]
fn list_len(tools: &[Tool]) -> usize {
    serde_json::to_string(tools).map_or(usize::MAX, |list| list.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{DEFAULT_TOOLS_MAX, MAIL_TOOLS_LEN_MAX, MEMORY_LIST_LEN_MAX, TOOL_LIST_LEN_MAX};
    use brainstem_api::{Object, Toolset, table};
    use serde_json::{Value, json};

    fn listed(sets: &[Toolset]) -> Vec<Tool> {
        list(table(), Offered::of(sets))
    }

    #[test] // spec: IF-28
    fn the_default_list_fits_a_context_window_with_the_inbox_in_it() {
        let default = listed(Toolset::DEFAULT);
        let len = list_len(&default);
        assert!(len <= TOOL_LIST_LEN_MAX, "the default list takes {len} bytes");
        assert!(default.len() <= DEFAULT_TOOLS_MAX, "{} tools", default.len());
        for name in ["inbox", "note"] {
            assert!(default.iter().any(|tool| tool.name == name), "{name}");
        }
        let len = list_len(&listed(&[Toolset::Memory]));
        assert!(len <= MEMORY_LIST_LEN_MAX, "the set memory takes {len} bytes");
    }

    #[test] // spec: MAIL-16
    fn the_tools_of_mail_take_at_most_four_kilobytes() {
        let of_mail = |tool: &Tool| ["mail", "session"].contains(&&*tool.name);
        let tools: Vec<_> = listed(&[Toolset::Mail]).into_iter().filter(of_mail).collect();
        let len = list_len(&tools);
        assert!(tools.len() == 2 && len <= MAIL_TOOLS_LEN_MAX, "{} tools take {len} bytes", tools.len());
    }

    #[test] // spec: IF-8, IF-28
    fn what_a_list_says_is_required_is_in_it_and_what_it_leaves_out_is_never_required() {
        for entry in table().iter().filter(|entry| entry.spec().doors.has_tool()) {
            let (whole, listed) = (entry.input_schema(), entry.tool_schema());
            let names = |schema: &Object| {
                let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
                required.iter().map(|name| name.as_str().expect("a name").to_owned()).collect::<Vec<_>>()
            };
            // The list leaves out `batch`, which replaces them: one claim has a label and a text, one question a query.
            let needed: Vec<String> = match entry.spec().verb {
                VerbId::Memorize => ["label", "text"].map(str::to_owned).to_vec(),
                VerbId::Seek => vec!["query".to_owned()],
                _ => names(&whole),
            };
            assert_eq!(names(&listed), needed, "{}", entry.spec().id());
            for field in listed.get("required").and_then(Value::as_array).into_iter().flatten() {
                assert!(listed["properties"].get(field.as_str().expect("a name")).is_some(), "{field}");
            }
        }
    }

    #[test] // spec: IF-8
    fn a_tool_of_several_verbs_has_the_fields_of_each_and_says_what_each_needs() {
        for tool in listed(Toolset::ALL) {
            let schema = &tool.input_schema;
            assert!(!schema.contains_key("$schema"));
            let Some(op) = schema["properties"].get("op") else { continue };
            assert_eq!(schema["required"], json!(["op"]), "{}", tool.name);
            for word in op["enum"].as_array().expect("operations") {
                let id = format!("{}_{}", tool.name, word.as_str().expect("a word"));
                let entry = brainstem_api::verbs::find(&id).expect("a verb");
                let listed = entry.tool_schema();
                for (name, field) in listed["properties"].as_object().expect("fields") {
                    let here = &schema["properties"][name];
                    assert_eq!(here["type"], field["type"], "{id} and its siblings mean another {name}");
                }
                let said = op["description"].as_str().unwrap_or_default();
                for needed in listed.get("required").and_then(Value::as_array).into_iter().flatten() {
                    let needed = needed.as_str().expect("a name");
                    let is_of_it = |part: &&str| {
                        let ops = part.split(" need").next().unwrap_or_default();
                        ops.split(", ").any(|op| op == word.as_str().expect("a word"))
                    };
                    let of_it = said.split("; ").find(is_of_it);
                    assert!(of_it.is_some_and(|part| part.contains(needed)), "{id}: {said}");
                }
            }
        }
    }

    #[test] // spec: IF-7
    fn annotations_say_the_most_that_a_tool_may_do() {
        let hints = |name: &str| {
            let tool = listed(Toolset::ALL).into_iter().find(|tool| tool.name == name).expect("a tool");
            let hints = tool.annotations.expect("annotations");
            (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint)
        };
        assert_eq!(hints("seek"), (Some(true), None, None));
        assert_eq!(hints("memorize"), (None, Some(false), Some(true)));
        assert_eq!(hints("retract"), (None, Some(true), None));
        assert_eq!(hints("mail"), (None, Some(false), None));
    }
}

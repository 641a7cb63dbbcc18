//! `agent_id`, the argument that MCP and REST add to every verb: the id of the calling agent (IF-25).
//!
//! The command line says it with `--as`.

use crate::schema::Object;
use brainstem_base::{Fault, codes};
use serde_json::{Value, json};

pub use crate::arguments::object_of;

/// The name of the argument.
pub const AGENT_ID: &str = "agent_id";

/// The input schema of a verb with `agent_id` added.
pub fn with_agent_id(mut schema: Object) -> Object {
    // The server's instructions explain it once; a description here would be repeated for every tool.
    let about = json!({ "type": "string" });
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.insert(AGENT_ID.into(), about);
    }
    schema
}

/// Takes `agent_id` out of the arguments; what is left belongs to the verb.
pub fn take_agent_id(arguments: &mut Object) -> Result<Option<String>, Fault> {
    match arguments.shift_remove(AGENT_ID) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(agent)) => Ok(Some(agent)),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Err(Fault::new(codes::INPUT_BAD_VALUE, "`agent_id` must be a text")
                .fix("use host:role, human:name or one bare name, for example codex:maker")
                .field(AGENT_ID)
                .rule("IF-25"))
        }
    }
}

/// The form in which an answer is sent. An answer with a budget is measured in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// One JSON document.
    #[default]
    Json,
    /// Text, as a terminal shows it.
    Text,
    /// A page that a model reads, if the verb writes one; else one JSON document.
    Page,
    /// The same, with the document beside it.
    PageAndDocument,
}

/// The argument by which a client asks for the document beside the page, of a tool that gives a page.
pub const DOCUMENT: &str = "document";

/// Takes `document` out of the arguments of a tool that gives a page: the form in which the answer is sent.
pub fn take_form(arguments: &mut Object) -> Result<Form, Fault> {
    match arguments.shift_remove(DOCUMENT) {
        None | Some(Value::Null | Value::Bool(false)) => Ok(Form::Page),
        Some(Value::Bool(true)) => Ok(Form::PageAndDocument),
        Some(_) => Err(Fault::new(codes::INPUT_BAD_VALUE, format!("`{DOCUMENT}` must be true or false"))
            .fix(format!("give `{DOCUMENT}` as true to get the answer as JSON too, or leave it out"))
            .field(DOCUMENT)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-25
    fn agent_id_is_the_doors_and_not_the_verbs() {
        let Value::Object(mut arguments) = json!({"agent_id": "codex:maker", "label": "a"}) else {
            panic!("an object")
        };
        assert_eq!(take_agent_id(&mut arguments), Ok(Some("codex:maker".into())));
        assert_eq!(Value::Object(arguments.clone()), json!({"label": "a"}));
        assert_eq!(take_agent_id(&mut arguments), Ok(None));
        arguments.insert(AGENT_ID.into(), json!(5));
        assert_eq!(take_agent_id(&mut arguments).map_err(|fault| fault.code), Err(codes::INPUT_BAD_VALUE));
    }
}

//! Fields that may be written in more than one form, read into one.

use brainstem_base::{Fault, codes};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::Value;

/// Returns the refusal of arguments that no verb can be read from. An error of this file names a field and what it
/// takes; its refusal has both.
pub(crate) fn refused(error: &serde_json::Error) -> Fault {
    let told = error.to_string();
    let of_form = told.strip_prefix('`').and_then(|rest| rest.split_once("` is "));
    let Some((field, form)) = of_form else { return Fault::new(codes::INPUT_BAD_VALUE, told) };
    Fault::new(codes::INPUT_BAD_VALUE, format!("`{field}` has a form that it does not take"))
        .fix(format!("give `{field}` as {form}"))
        .field(field)
        .rule("IF-7")
}

/// Reads one text or a list of them.
pub(crate) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        One(String),
        Several(Vec<String>),
    }
    let refused = |_| D::Error::custom("`to` is one text, or a list of texts");
    Ok(match Form::deserialize(from).map_err(refused)? {
        Form::One(text) => vec![text],
        Form::Several(texts) => texts,
    })
}

/// The schema of one text or a list of them.
pub(crate) fn texts_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
}

/// Reads the recipients of a live message: a text, or an object such as `{"tag": "worker"}`.
pub(crate) fn target<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let refused = || {
        D::Error::custom(
            "`target` is a text, or an object with one of session, tag, agent and worktree (each with a name) or everyone and parent (true)",
        )
    };
    let members = match Value::deserialize(from)? {
        Value::String(text) => return Ok(text),
        Value::Object(members) if members.len() == 1 => members,
        _ => return Err(refused()),
    };
    let (kind, value) = members.into_iter().next().ok_or_else(refused)?;
    match (kind.as_str(), value) {
        (kind @ ("session" | "tag" | "worktree"), Value::String(name)) => Ok(format!("{kind}:{name}")),
        ("agent", Value::String(name)) => Ok(name),
        (kind @ ("everyone" | "parent"), Value::Bool(true)) => Ok(kind.to_owned()),
        _ => Err(refused()),
    }
}

/// The schema of [`target`].
pub(crate) fn target_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "object"] })
}

/// Reads a value of JSON as its text; a text stays as it is.
pub(crate) fn json_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        value => Some(value.to_string()),
    })
}

/// The schema of [`json_text`].
pub(crate) fn json_text_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "object", "array"] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test] // spec: MAIL-3, IF-7
    fn one_recipient_and_several_are_read_alike() {
        assert_eq!(texts(json!("w1")).unwrap(), ["w1"]);
        assert_eq!(texts(json!(["w1", "w2"])).unwrap(), ["w1", "w2"]);
        assert!(texts(json!({"w1": true})).is_err() && texts(json!([1])).is_err());
    }

    #[test] // spec: MAIL-17
    fn a_target_may_be_an_object() {
        for (given, read) in [
            (json!("tag:worker"), "tag:worker"),
            (json!({"tag": "worker"}), "tag:worker"),
            (json!({"session": "w1"}), "session:w1"),
            (json!({"agent": "codex:maker"}), "codex:maker"),
            (json!({"worktree": "/src/x"}), "worktree:/src/x"),
            (json!({"everyone": true}), "everyone"),
            (json!({"parent": true}), "parent"),
        ] {
            assert_eq!(target(given).unwrap(), read);
        }
        #[derive(Debug, Deserialize)]
        struct Given {
            #[serde(deserialize_with = "target")]
            #[expect(dead_code, reason = "only its refusal is looked at")]
            target: String,
        }
        let error = serde_json::from_value::<Given>(json!({ "target": { "bogus": 1 } })).unwrap_err();
        let fault = refused(&error);
        assert_eq!(fault.field.as_deref(), Some("target"), "{fault}");
        assert!(fault.fix.is_some_and(|fix| fix.contains("give `target` as a text, or an object")));
        for bad in [
            json!({}),
            json!({"tag": 1}),
            json!({"tag": "a", "session": "b"}),
            json!({"all": true}),
            json!(7),
        ] {
            assert!(target(bad.clone()).is_err(), "{bad}");
        }
    }
}

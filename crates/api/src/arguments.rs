//! Arguments as they arrive: checked against the schema, and converted a little if the intent is clear.
//!
//! Models write `"5"` for 5 and send objects as JSON text; the command line has texts only. If the schema wants
//! something else, a text is parsed once as JSON (IF-7). What still does not fit is refused here, naming the field,
//! before any type of ours is built.

use crate::caller::AGENT_ID;
use crate::json::{self, JsonFault};
use crate::limits::{ECHO_LEN_MAX, LIST_ITEMS_MAX};
use crate::message_words;
use crate::schema::Object;
use brainstem_base::near_names::is_near;
use brainstem_base::{Fault, codes};
use serde_json::{Number, Value};

/// Makes the arguments fit the schema of an object, or says what is wrong with which field.
pub(crate) fn fit(arguments: Object, schema: &Object) -> Result<Object, Fault> {
    let mut arguments = arguments;
    if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
        message_words::translate(&mut arguments, fields);
    }
    let mut value = Value::Object(arguments);
    fit_object(&mut value, schema, "")?;
    match value {
        Value::Object(fitted) => Ok(fitted),
        _ => Err(Fault::new(codes::INTERNAL_BUG, "arguments stopped being an object")),
    }
}

/// Takes the arguments of a call in whichever form they came: an object, its JSON text, or nothing.
pub fn object_of(arguments: Value) -> Result<Object, Fault> {
    let parsed = match arguments {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => match json::parse(&text) {
            Ok(parsed) => parsed,
            Err(JsonFault::NotJson(_)) => Value::String(text),
            Err(fault @ (JsonFault::KeyTwice | JsonFault::TooMany)) => {
                return Err(fault.into_fault("arguments"));
            }
        },
        other => other,
    };
    match parsed {
        Value::Object(object) => Ok(object),
        Value::Null => Ok(Object::new()),
        other => Err(Fault::new(
            codes::INPUT_BAD_VALUE,
            format!("the arguments must be an object, not {}", describe(&other)),
        )
        .fix("send a JSON object with the fields of the schema")
        .field("arguments")),
    }
}

fn fit_object(value: &mut Value, schema: &Object, path: &str) -> Result<(), Fault> {
    let Value::Object(given) = value else { return Ok(()) };
    let no_fields = Object::new();
    let fields = schema.get("properties").and_then(Value::as_object).unwrap_or(&no_fields);
    let open = schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
    if let Some(unknown) = given.keys().find(|key| !open && !fields.contains_key(*key)) {
        return Err(unknown_field(unknown, fields, path));
    }
    let required = schema.get("required").and_then(Value::as_array);
    let required = |field: &str| required.is_some_and(|names| names.iter().any(|name| name == field));
    given.retain(|field, value| !value.is_null() || !fields.contains_key(field));
    if let Some(missing) = fields.keys().find(|field| required(field) && !given.contains_key(*field)) {
        let field = join(path, missing);
        let about = fields[missing].get("description").and_then(Value::as_str);
        let about = about.and_then(|text| text.lines().next()).unwrap_or("it is required");
        return Err(Fault::new(codes::INPUT_MISSING, format!("the field `{field}` is missing"))
            .fix(format!("give `{field}`: {}", about.trim_end_matches('.')))
            .field(field));
    }
    for (field, value) in given.iter_mut() {
        if let Some(schema) = fields.get(field) {
            fit_value(value, schema, &join(path, field))?;
        }
    }
    Ok(())
}

fn fit_value(value: &mut Value, schema: &Value, path: &str) -> Result<(), Fault> {
    let Value::Object(schema) = schema else { return Ok(()) };
    let wanted = AllowedTypes::of(schema);
    if let Value::String(text) = value
        && !wanted.allows(&Value::String(String::new()))
    {
        match json::parse(text.trim()).map(whole_number) {
            Ok(parsed) if wanted.allows(&parsed) => *value = parsed,
            // Said below, as a value of another kind.
            Ok(_) | Err(JsonFault::NotJson(_)) => {}
            Err(fault @ (JsonFault::KeyTwice | JsonFault::TooMany)) => return Err(fault.into_fault(path)),
        }
    }
    // One text becomes a list of one if the field takes a list of texts.
    if value.is_string() && wanted.is_list() && takes_texts(schema) {
        *value = Value::Array(vec![value.take()]);
    }
    if value.is_f64() && !wanted.allows(value) {
        *value = whole_number(value.take());
    }
    if !wanted.allows(value) {
        return Err(bad_value(path, &wanted.to_string(), value));
    }
    if let Some(choices) = choices(schema)
        && !choices.contains(&&*value)
    {
        let choices: Vec<_> = choices.iter().map(|choice| plain(choice)).collect();
        return Err(bad_value(path, &format!("one of {}", choices.join(", ")), value));
    }
    if let Some((low, high)) = bounds(schema)
        && let Some(number) = value.as_f64()
        && !(low..=high).contains(&number)
    {
        let range = match (low.is_finite(), high.is_finite()) {
            (true, false) => format!("at least {low}"),
            (false, true) => format!("at most {high}"),
            (true, true) | (false, false) => format!("between {low} and {high}"),
        };
        return Err(bad_value(path, &range, value));
    }
    match value {
        Value::Array(items) => {
            if let Some(each) = schema.get("items") {
                check_count(items.len(), path)?;
                for (n, item) in items.iter_mut().enumerate() {
                    fit_value(item, each, &format!("{path}[{n}]"))?;
                }
            }
            Ok(())
        }
        Value::Object(_) if schema.contains_key("properties") => fit_object(value, schema, path),
        _ => Ok(()),
    }
}

/// Whether the items of a list are texts.
fn takes_texts(schema: &Object) -> bool {
    let items = schema.get("items").and_then(Value::as_object);
    items.is_some_and(|items| AllowedTypes::of(items).allows(&Value::String(String::new())))
}

fn check_count(count: usize, path: &str) -> Result<(), Fault> {
    if count <= LIST_ITEMS_MAX {
        return Ok(());
    }
    Err(Fault::new(codes::INPUT_TOO_LARGE, format!("`{path}` has {count} items, and takes {LIST_ITEMS_MAX}"))
        .fix(format!("give {LIST_ITEMS_MAX} items at most"))
        .field(path)
        .rule("IF-14"))
}

/// The types of JSON a schema allows; none listed means all.
struct AllowedTypes<'a>(Vec<&'a str>);

impl<'a> AllowedTypes<'a> {
    fn of(schema: &'a Object) -> Self {
        let mut types = Vec::new();
        match schema.get("type") {
            Some(Value::String(one)) => types.push(one.as_str()),
            Some(Value::Array(several)) => types.extend(several.iter().filter_map(Value::as_str)),
            _ => {}
        }
        for key in ["anyOf", "oneOf"] {
            for part in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                match part {
                    Value::Object(part) => {
                        let inner = Self::of(part);
                        if inner.0.is_empty() {
                            return Self(Vec::new());
                        }
                        types.extend(inner.0);
                    }
                    _ => return Self(Vec::new()),
                }
            }
        }
        Self(types)
    }

    /// Whether a list is wanted, and no text.
    fn is_list(&self) -> bool {
        self.0.contains(&"array") && !self.0.contains(&"string")
    }

    fn allows(&self, value: &Value) -> bool {
        self.0.is_empty()
            || self.0.iter().any(|name| match *name {
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                "array" => value.is_array(),
                "object" => value.is_object(),
                "null" => value.is_null(),
                _ => true,
            })
    }
}

impl std::fmt::Display for AllowedTypes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.0.iter().filter(|name| **name != "null").map(|name| article(name)).collect();
        f.write_str(&names.join(" or "))
    }
}

fn article(name: &str) -> String {
    if name == "boolean" {
        return "true or false".to_owned();
    }
    let vowel = name.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {name}", if vowel { "an" } else { "a" })
}

/// 5.0 is an integer, as JSON Schema sees it.
fn whole_number(value: Value) -> Value {
    match value.as_f64() {
        Some(float) if value.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 =>
        {
            #[allow(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
            Value::Number(Number::from(float as i64))
        }
        _ => value,
    }
}

fn choices(schema: &Object) -> Option<Vec<&Value>> {
    if let Some(Value::Array(values)) = schema.get("enum") {
        return Some(values.iter().collect());
    }
    let Some(Value::Array(parts)) = schema.get("oneOf") else { return None };
    parts.iter().map(|part| part.get("const")).collect()
}

/// The range of a number: written in the schema, or implied by the width of our integer.
fn bounds(schema: &Object) -> Option<(f64, f64)> {
    let implied = match schema.get("format").and_then(Value::as_str) {
        Some("uint8") => Some((0.0, f64::from(u8::MAX))),
        Some("uint16") => Some((0.0, f64::from(u16::MAX))),
        Some("uint32") => Some((0.0, f64::from(u32::MAX))),
        Some("int32") => Some((f64::from(i32::MIN), f64::from(i32::MAX))),
        _ => None,
    };
    let low = schema.get("minimum").and_then(Value::as_f64).or(implied.map(|(low, _)| low));
    let high = schema.get("maximum").and_then(Value::as_f64).or(implied.map(|(_, high)| high));
    (low.is_some() || high.is_some())
        .then(|| (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)))
}

fn bad_value(path: &str, wanted: &str, value: &Value) -> Fault {
    Fault::new(codes::INPUT_BAD_VALUE, format!("`{path}` must be {wanted}, not {}", describe(value)))
        .fix(format!("give `{path}` as {wanted}"))
        .field(path)
}

/// What clients call a field, each with the fields that it may be.
const MEANT: &[(&[&str], &[&str])] = &[
    (&["content", "body", "message", "value", "claim", "description"], &["text", "body", "what"]),
    (&["text", "msg", "content"], &["body", "what"]),
    (&["key", "name", "id", "slug", "title"], &["label"]),
    (&["q", "question", "search", "text"], &["query"]),
    (&["top_k", "k", "n", "max", "count", "max_results"], &["limit"]),
    (&["query", "prompt", "goal"], &["task"]),
    (&["recipient", "target"], &["to"]),
    (&["op", "operation"], &["action"]),
    (&["project", "root", "repo", "cwd", "workspace"], &["brain", "path", "expect_root"]),
    (&["agent", "author", "user"], &["agent_id"]),
];

/// Whether a word is one that clients use for a field.
fn means(word: &str, field: &str) -> bool {
    let word = word.to_lowercase();
    MEANT.iter().any(|(words, fields)| words.contains(&word.as_str()) && fields.contains(&field))
}

fn unknown_field(name: &str, fields: &Object, path: &str) -> Fault {
    let field = join(path, name);
    // Doors take this one beside the fields of every verb.
    let own = path.is_empty().then_some(AGENT_ID);
    let names = || fields.keys().map(String::as_str).chain(own);
    let is_meant = |known: &&str| is_near(name, known) || means(name, known);
    let near: Vec<_> = names().filter(is_meant).map(|n| format!("`{n}`")).collect();
    let all: Vec<_> = names().map(|known| format!("`{known}`")).collect();
    let fix = match (near.as_slice(), all.as_slice()) {
        ([], []) => "leave it out: there are no fields here".to_owned(),
        ([], _) if path.is_empty() => {
            format!("the fields are {}", all.join(", "))
        }
        ([], _) => format!("the fields are {}", all.join(", ")),
        (_, _) => format!("did you mean {}?", near.join(" or ")),
    };
    let shown: String = field.chars().take(ECHO_LEN_MAX).collect();
    Fault::new(codes::INPUT_BAD_VALUE, format!("there is no field `{shown}`")).fix(fix).field(shown)
}

fn join(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}

/// A value for a message: short ones as they are, the rest by kind, so that no body is repeated.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() <= ECHO_LEN_MAX => format!("the text {text:?}"),
        Value::String(_) => "a long text".into(),
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;

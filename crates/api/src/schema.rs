//! JSON schemas of a verb's fields and of its answer.
//!
//! The raw schema, as schemars derives it, checks arguments; the published one is the same without
//! what a model does not need, because every byte of it sits in a context window (IF-28).

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::ops::RangeInclusive;

/// An object of JSON.
pub type Object = Map<String, Value>;

/// The schema of what `T` is read from, with every part in its place. A field that may be absent is
/// simply not required: `null` is left out.
pub(crate) fn raw_input<T: JsonSchema>() -> Object {
    let mut schema = Value::Object(generate::<T>(SchemaSettings::draft2020_12().for_deserialize()));
    absent_not_null(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => Object::new(),
    }
}

/// The schema of what `T` is written as.
pub(crate) fn raw_output<T: JsonSchema>() -> Object {
    generate::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Object {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    std::mem::take(schema.ensure_object())
}

/// Marks a field that a list of tools leaves out and every call takes: rarely needed, and in the reference.
const RARE: &str = "x-rare";

/// Marks a field with the numbers that it takes, and its default. The verb checks them with a refusal that says more
/// than a schema can, so they are for readers, and a list of tools leaves them out.
const RANGE: &str = "x-range";

/// The numbers that a field takes, for [`RANGE`].
pub(crate) fn range(takes: RangeInclusive<usize>, default: usize) -> Value {
    json!([takes.start(), takes.end(), default])
}

/// Marks a field whose name says enough in a list of tools.
const PLAIN: &str = "x-plain";

/// Marks a field that is required unless a rare field replaces it. A list of tools leaves the rare field out, and
/// lists this one as required.
const NEEDED: &str = "x-needed";

/// Marks a field that a query needs, though elsewhere a field beside it can take its place.
const NEEDED_IN_QUERY: &str = "x-needed-in-query";

/// Marks a field with what it takes beyond its type ([`crate::field_kinds`]): keywords of JSON Schema, those under `items` for each
/// item of a list.
pub(crate) const TAKES: &str = "x-takes";

/// Marks a field with what a list of tools says of it beside the words that it takes.
pub(crate) const TOOL_NOTE: &str = "x-tool-note";

/// Marks the struct of a verb with what its fields take together: keywords of JSON Schema for the whole object.
pub(crate) const TOGETHER: &str = "x-together";

/// What [`tidy`] takes out as it is.
const MARKS: [&str; 7] = [RARE, PLAIN, NEEDED, NEEDED_IN_QUERY, TAKES, TOOL_NOTE, TOGETHER];

/// A mark of a field.
pub(crate) fn mark<'a>(raw: &'a Object, field: &str, mark: &str) -> Option<&'a Value> {
    raw.get("properties")?.get(field)?.get(mark)
}

/// Whether a query must have this field.
pub(crate) fn is_needed_in_query(raw: &Object, field: &str) -> bool {
    mark(raw, field, NEEDED_IN_QUERY).is_some()
}

/// The input schema in a list of tools, which sits in a context window from the first word to the last:
/// fields that are rarely needed, and descriptions of what is plain, are left out.
pub(crate) fn publish_tool(raw: &Object) -> Object {
    let mut raw = raw.clone();
    if let Some(Value::Object(fields)) = raw.get_mut("properties") {
        fields.retain(|_, field| field.get(RARE).is_none());
        for field in fields.values_mut().filter_map(Value::as_object_mut) {
            field.shift_remove(RANGE);
            if field.contains_key(PLAIN) {
                field.shift_remove("description");
            }
        }
    }
    let mut needed: Vec<String> = Vec::new();
    if let Some(Value::Object(fields)) = raw.get("properties") {
        needed.extend(
            fields.iter().filter(|(_, field)| field.get(NEEDED).is_some()).map(|(name, _)| name.clone()),
        );
    }
    let mut schema = publish_output(&raw);
    schema.entry("properties").or_insert_with(|| json!({}));
    if !needed.is_empty() {
        let required = schema.entry("required").or_insert_with(|| json!([]));
        required.as_array_mut().expect("a list of names").extend(needed.into_iter().map(Value::from));
    }
    schema
}

/// The input schema as doors publish it: names that are not listed are refused.
pub(crate) fn publish_input(raw: &Object) -> Object {
    let mut schema = publish_output(raw);
    schema.entry("properties").or_insert_with(|| json!({}));
    schema.insert("additionalProperties".into(), false.into());
    schema
}

/// The output schema as doors publish it.
pub(crate) fn publish_output(raw: &Object) -> Object {
    let mut schema = Value::Object(raw.clone());
    tidy(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            schema.shift_remove("description");
            schema
        }
        _ => Object::new(),
    }
}

/// Takes out titles, number formats and empty defaults, and joins the lines of descriptions. That a flag is
/// off and a list is empty unless they are given goes without saying.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            for key in ["$schema", "title", "format"] {
                if object.get(key).is_some_and(Value::is_string) {
                    object.shift_remove(key);
                }
            }
            if let Some(Value::Array(range)) = object.shift_remove(RANGE) {
                let keys = ["minimum", "maximum", "default"].map(str::to_owned);
                object.extend(keys.into_iter().zip(range));
            }
            for mark in MARKS {
                object.shift_remove(mark);
            }
            if object.get("default").is_some_and(says_nothing) {
                object.shift_remove("default");
            }
            if object.get("minimum") == Some(&json!(0)) && object.get("maximum").is_none() {
                object.shift_remove("minimum");
            }
            if let Some(Value::String(text)) = object.get_mut("description") {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            for (key, value) in object.iter_mut() {
                match key.as_str() {
                    // The keys below these are names of fields, which may read like keywords.
                    "properties" | "$defs" => {
                        if let Value::Object(fields) = value {
                            fields.values_mut().for_each(tidy);
                        }
                    }
                    "default" | "const" | "enum" | "examples" | "required" => {}
                    _ => tidy(value),
                }
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(tidy),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a reader would assume this default for an absent field: nothing, an empty list, no.
fn says_nothing(default: &Value) -> bool {
    default.is_null() || *default == json!([]) || *default == json!(false)
}

fn absent_not_null(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    if let Some(Value::Object(fields)) = object.get_mut("properties") {
        for field in fields.values_mut() {
            drop_null(field);
            absent_not_null(field);
        }
    }
    if let Some(items) = object.get_mut("items") {
        absent_not_null(items);
    }
}

/// Turns "this or null" into "this".
fn drop_null(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if let Some(Value::Array(parts)) = object.get_mut("anyOf") {
        parts.retain(|part| part.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = parts.as_slice() {
            let only = only.clone();
            object.shift_remove("anyOf");
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, serde::Serialize, JsonSchema)]
    #[allow(dead_code, reason = "only the schema is looked at")]
    struct Fields {
        /// A label,
        /// on two lines.
        label: String,
        /// How many.
        limit: Option<u32>,
        #[serde(default)]
        title: Vec<String>,
        inner: Option<Inner>,
        /// Rarely needed.
        #[schemars(extend("x-rare" = true))]
        rare: Option<String>,
        /// What the name says.
        #[schemars(extend("x-plain" = true))]
        key: String,
    }

    #[derive(serde::Deserialize, serde::Serialize, JsonSchema)]
    struct Inner {
        at: i64,
    }

    #[test] // spec: IF-28
    fn published_schemas_are_small_and_whole() {
        let expected = json!({
            "type": "object",
            "properties": {
                "label": {"description": "A label, on two lines.", "type": "string"},
                "limit": {"description": "How many.", "type": "integer"},
                "title": {"type": "array", "items": {"type": "string"}},
                "inner": {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]},
                "rare": {"description": "Rarely needed.", "type": "string"},
                "key": {"description": "What the name says.", "type": "string"}
            },
            "required": ["label", "key"],
            "additionalProperties": false
        });
        assert_eq!(Value::Object(publish_input(&raw_input::<Fields>())), expected);
        let listed = Value::Object(publish_tool(&raw_input::<Fields>()));
        assert_eq!(listed["properties"]["key"], json!({"type": "string"}));
        assert!(listed["properties"].get("rare").is_none());
        assert_eq!(listed["properties"]["label"], expected["properties"]["label"]);
    }
}

//! Values of fields that need more than their type.

use crate::json::{self, JsonFault};
use crate::schema::Object;
use brainstem_base::{Fault, codes};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A text, or a number taken as one: `"high"`, `0.9`, `"0.9"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextOrNumber(pub String);

impl FromStr for TextOrNumber {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for TextOrNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = TextOrNumber;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a number")
            }
            fn visit_str<E>(self, text: &str) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(text.to_owned()))
            }
            fn visit_f64<E>(self, number: f64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
            fn visit_u64<E>(self, number: u64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for TextOrNumber {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TextOrNumber".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number"] })
    }
}

/// Many documents: over MCP an array of objects, on the command line the lines of a file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct JsonLines(pub Vec<Value>);

impl FromStr for JsonLines {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.lines().map(Value::from).collect()))
    }
}

impl JsonSchema for JsonLines {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "JsonLines".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array" })
    }
}

impl JsonLines {
    /// How many lines there are, blank ones too.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The documents with their line numbers, from 1; blank lines are passed over.
    pub(crate) fn documents(self) -> impl Iterator<Item = (usize, Result<Object, Fault>)> {
        let is_blank = |value: &Value| value.as_str().is_some_and(|text| text.trim().is_empty());
        let lines = self.0.into_iter().enumerate().filter(move |(_, value)| !is_blank(value));
        lines.map(|(at, value)| (at + 1, object(value)))
    }
}

fn object(value: Value) -> Result<Object, Fault> {
    let parsed = match value {
        Value::String(text) => json::parse(&text).map_err(|fault| match fault {
            JsonFault::NotJson(error) => {
                Fault::new(codes::INPUT_BAD_VALUE, format!("the line is not JSON: {error}"))
            }
            fault @ (JsonFault::KeyTwice | JsonFault::TooMany) => fault.into_fault("line"),
        })?,
        other => other,
    };
    match parsed {
        Value::Object(object) => Ok(object),
        _ => Err(Fault::new(codes::INPUT_BAD_VALUE, "the line is no object of JSON")
            .fix("write one object on each line, in UTF-8")),
    }
}

/// Returns a count that is inside its limits; the default if the caller gave none.
pub(crate) fn within(
    field: &'static str,
    given: Option<i64>,
    default: usize,
    range: RangeInclusive<usize>,
) -> Result<usize, Fault> {
    let Some(given) = given else { return Ok(default) };
    usize::try_from(given).ok().filter(|count| range.contains(count)).ok_or_else(|| {
        let (low, high) = (range.start(), range.end());
        Fault::new(codes::INPUT_BAD_VALUE, format!("`{field}` is {given}, outside {low} to {high}"))
            .fix(format!("give a number from {low} to {high}"))
            .field(field)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test] // spec: MEM-9
    fn a_confidence_may_be_a_word_or_a_number() {
        let read = |json: &str| serde_json::from_str::<TextOrNumber>(json).map(|value| value.0).ok();
        assert_eq!(read("\"high\"").as_deref(), Some("high"));
        assert_eq!(read("0.9").as_deref(), Some("0.9"));
        assert_eq!(read("1").as_deref(), Some("1"));
        assert_eq!(read("-3").as_deref(), Some("-3"));
        assert_eq!(read("true"), None);
    }

    #[test] // spec: IF-12, MEM-47
    fn a_line_with_one_key_twice_is_refused_and_the_others_are_read() {
        let lines =
            JsonLines(vec![json!(r#"{"label":"a","label":"c"}"#), json!({"label": "b"}), json!("no")]);
        let read: Vec<_> = lines.documents().map(|(_, line)| line.map_err(|fault| fault.message)).collect();
        assert!(read[0].as_ref().is_err_and(|why| why.contains("one key twice")), "{read:?}");
        assert!(read[1].is_ok() && read[2].as_ref().is_err_and(|why| why.contains("not JSON")), "{read:?}");
    }

    #[test]
    fn a_count_outside_its_limits_is_refused_with_them() {
        assert_eq!(within("limit", None, 10, 1..=200), Ok(10));
        assert_eq!(within("limit", Some(200), 10, 1..=200), Ok(200));
        let fault = within("limit", Some(0), 10, 1..=200).expect_err("outside");
        assert_eq!((fault.code, fault.field.as_deref()), (codes::INPUT_BAD_VALUE, Some("limit")));
    }
}

//! Reading the fields of a JSON object that another program may have written.

use serde_json::{Map, Value};

/// What is wrong with a record: which field, and which rule it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {why}")]
pub struct FieldFault {
    /// The field; empty for the whole record.
    pub field: &'static str,
    /// Which rule it breaks, as the end of a sentence.
    pub why: String,
}

impl FieldFault {
    pub(crate) fn new(field: &'static str, why: impl Into<String>) -> Self {
        Self { field, why: why.into() }
    }
}

/// The fields of one object.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// The fields of a value that must be an object.
    pub(crate) fn of(field: &'static str, value: &'a Value) -> Result<Self, FieldFault> {
        value.as_object().map(Self).ok_or_else(|| FieldFault::new(field, "is no JSON object"))
    }

    /// The value; `None` if it is absent or null.
    pub(crate) fn get(self, field: &'static str) -> Option<&'a Value> {
        self.0.get(field).filter(|value| !value.is_null())
    }

    /// A text; `None` if it is absent or null.
    pub(crate) fn optional_text(self, field: &'static str) -> Result<Option<&'a str>, FieldFault> {
        match self.get(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(FieldFault::new(field, "is no text")),
        }
    }

    /// A text that must be there.
    pub(crate) fn text(self, field: &'static str) -> Result<&'a str, FieldFault> {
        self.optional_text(field)?.ok_or_else(|| FieldFault::new(field, "is missing"))
    }

    /// A text that must be there and that `parse` takes.
    pub(crate) fn parsed<T, E: std::fmt::Display>(
        self,
        field: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, FieldFault> {
        parse(self.text(field)?).map_err(|error| FieldFault::new(field, format!("is refused: {error}")))
    }

    /// A text that `parse` takes; `None` if it is absent or null.
    pub(crate) fn optional_parsed<T, E: std::fmt::Display>(
        self,
        field: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, FieldFault> {
        let parsed = self.optional_text(field)?.map(parse).transpose();
        parsed.map_err(|error| FieldFault::new(field, format!("is refused: {error}")))
    }

    /// A whole number that is not negative and must be there. Some programs write it as a text.
    pub(crate) fn number(self, field: &'static str) -> Result<u64, FieldFault> {
        let number = match self.get(field) {
            None => return Err(FieldFault::new(field, "is missing")),
            Some(Value::String(text)) => text.parse().ok(),
            Some(value) => value.as_u64(),
        };
        number.ok_or_else(|| FieldFault::new(field, "is no whole number"))
    }
}

/// Parses bytes as a JSON object.
pub(crate) fn parse_object(bytes: &[u8]) -> Result<Map<String, Value>, FieldFault> {
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(FieldFault::new("message", "is no JSON object")),
        Err(_) => Err(FieldFault::new("message", "is no JSON")),
    }
}

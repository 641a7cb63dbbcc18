//! JSON as callers send it, looked at before anything is built from it.
//!
//! An object with one key twice has two meanings, and is refused. So is a document of very many values: each of them
//! takes a hundred bytes and more once it is built, however few it was written with.

use crate::limits::JSON_VALUES_MAX;
use brainstem_base::{Fault, codes};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Why a document is not read.
#[derive(Debug)]
pub enum JsonFault {
    /// It is no JSON.
    NotJson(serde_json::Error),
    /// An object in it has one key twice.
    KeyTwice,
    /// It has more than [`JSON_VALUES_MAX`] values.
    TooMany,
}

impl JsonFault {
    /// The refusal, about a field. A text that is no JSON is described by line and column, and never repeated.
    pub fn into_fault(self, field: &str) -> Fault {
        match self {
            Self::NotJson(error) => {
                Fault::new(codes::INPUT_UNPARSABLE, format!("`{field}` is not JSON: {error}"))
                    .fix("send one JSON document, in UTF-8")
            }
            Self::KeyTwice => {
                Fault::new(codes::INPUT_BAD_VALUE, format!("an object in `{field}` has one key twice"))
                    .fix("give every key once: which of the two values is meant cannot be told")
                    .rule("IF-12")
            }
            Self::TooMany => {
                let message = format!("`{field}` has more than {JSON_VALUES_MAX} JSON values");
                Fault::new(codes::INPUT_TOO_LARGE, message).fix("send less at a time").rule("IF-14")
            }
        }
        .field(field)
    }
}

/// Looks through a document without building it.
pub fn check(bytes: &[u8]) -> Result<(), JsonFault> {
    let mut scan = Scan { values_left: JSON_VALUES_MAX, fault: None };
    let mut from = serde_json::Deserializer::from_slice(bytes);
    let scanned = scan.deserialize(&mut from).and_then(|()| from.end());
    match (scan.fault, scanned) {
        (Some(fault), _) => Err(fault),
        (None, Err(error)) => Err(JsonFault::NotJson(error)),
        (None, Ok(())) => Ok(()),
    }
}

/// Reads a text as one document.
pub fn parse(text: &str) -> Result<Value, JsonFault> {
    check(text.as_bytes())?;
    serde_json::from_str(text).map_err(JsonFault::NotJson)
}

struct Scan {
    values_left: usize,
    fault: Option<JsonFault>,
}

impl Scan {
    fn stop<E: Error>(&mut self, fault: JsonFault) -> E {
        self.fault = Some(fault);
        E::custom("refused")
    }
}

/// A key, borrowed if it has no escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> DeserializeSeed<'de> for &mut Scan {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        match self.values_left.checked_sub(1) {
            Some(left) => self.values_left = left,
            None => return Err(self.stop(JsonFault::TooMany)),
        }
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Scan {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(Key(key)) = map.next_key()? {
            if !seen.insert(key) {
                return Err(self.stop(JsonFault::KeyTwice));
            }
            map.next_value_seed(&mut *self)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(&mut *self)?.is_some() {}
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> &'static str {
        match check(text.as_bytes()) {
            Ok(()) => "fine",
            Err(JsonFault::NotJson(_)) => "no JSON",
            Err(JsonFault::KeyTwice) => "twice",
            Err(JsonFault::TooMany) => "too many",
        }
    }

    #[test] // spec: IF-12
    fn a_key_that_stands_twice_is_found_wherever_it_is() {
        for twice in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"\u0061":1}"#,
            r#"[{"b":{"a":[{"x":1,"y":2,"x":null}]}}]"#,
            r#"{"a":{"b":1.5},"c":true,"a":{"b":"x"}}"#,
        ] {
            assert_eq!(found(twice), "twice", "{twice}");
        }
        for once in [r#"{"a":{"a":1},"b":[{"a":1},{"a":-1}]}"#, "[]", "null", "1e5", " {} "] {
            assert_eq!(found(once), "fine", "{once}");
        }
        for other in [r#"{"a":"#, "no", "", "{} {}"] {
            assert_eq!(found(other), "no JSON", "{other}");
        }
        assert_eq!(found(&"[".repeat(100_000)), "no JSON", "it ends at some depth");
    }

    #[test] // spec: IF-14a
    fn a_document_of_too_many_values_is_refused_before_it_is_built() {
        let list = |count: usize| format!("[{}]", vec!["0"; count].join(","));
        assert_eq!(found(&list(JSON_VALUES_MAX - 1)), "fine", "the list counts too");
        assert_eq!(found(&list(JSON_VALUES_MAX)), "too many");
        let inner = list(JSON_VALUES_MAX / 2);
        assert_eq!(found(&format!("{{\"a\":{inner},\"b\":{inner}}}")), "too many", "over the whole document");
        let fault = parse(&list(JSON_VALUES_MAX)).expect_err("too many").into_fault("batch");
        assert_eq!((fault.code, fault.field.as_deref()), (codes::INPUT_TOO_LARGE, Some("batch")));
    }
}

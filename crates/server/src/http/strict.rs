//! Refuses JSON that two readers would see differently: an object with one key twice.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Whether some object of a document has a key twice. What is no JSON is another's to say.
pub(crate) fn has_key_twice(bytes: &[u8]) -> bool {
    // Of a document in memory only the keys below can be wrong in their data.
    serde_json::from_slice::<Once>(bytes).is_err_and(|error| error.is_data())
}

/// A document that was looked at, and not kept.
struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Look)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Once;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Once, A::Error> {
        let mut seen = HashSet::new();
        while let Some(Key(key)) = map.next_key()? {
            if !seen.insert(key) {
                return Err(A::Error::custom("a key stands twice"));
            }
            map.next_value::<Once>()?;
        }
        Ok(Once)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Once, A::Error> {
        while seq.next_element::<Once>()?.is_some() {}
        Ok(Once)
    }

    fn visit_unit<E>(self) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_str<E>(self, _: &str) -> Result<Once, E> {
        Ok(Once)
    }
}

#[cfg(test)]
mod tests {
    use super::has_key_twice;

    #[test] // spec: IF-12
    fn a_key_that_stands_twice_is_found_wherever_it_is() {
        for twice in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"\u0061":1}"#,
            r#"[{"b":{"a":[{"x":1,"y":2,"x":null}]}}]"#,
            r#"{"a":{"b":1.5},"c":true,"a":{"b":"x"}}"#,
        ] {
            assert!(has_key_twice(twice.as_bytes()), "{twice}");
        }
        for once in [r#"{"a":{"a":1},"b":[{"a":1},{"a":-1}]}"#, "[]", "null", "1e5", r#"{"a":"#, "no", ""] {
            assert!(!has_key_twice(once.as_bytes()), "{once}");
        }
        assert!(!has_key_twice("[".repeat(100_000).as_bytes()));
    }
}

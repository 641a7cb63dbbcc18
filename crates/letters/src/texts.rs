//! Every text of a line.

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Every text of a line, names of fields included, without escapes; a repeated field counts twice. For the secrets
/// check.
pub fn texts(line: &[u8]) -> Vec<String> {
    let mut reader = serde_json::Deserializer::from_slice(line);
    let mut found = Vec::new();
    // A line that cannot be read to its end is not a letter, and goes nowhere.
    let _ = reader.deserialize_any(Collect(&mut found));
    found
}

/// Takes every text of a value into a list.
pub(crate) struct Collect<'a>(pub(crate) &'a mut Vec<String>);

impl<'de> serde::de::DeserializeSeed<'de> for Collect<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Collect<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.push(text.to_owned());
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

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Collect(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_key_seed(Collect(self.0))?.is_some() {
            fields.next_value_seed(Collect(self.0))?;
        }
        Ok(())
    }
}

//! A changed entity, as far as a predicate looks at it.

use std::collections::{BTreeMap, BTreeSet};

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue {
    /// A text; a time is the text of RFC 3339.
    Text(String),
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// Several texts, such as labels.
    Texts(Vec<String>),
}

/// The fields and links of an entity, as they are after the change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntitySnapshot {
    /// Its fields by their names.
    pub fields: BTreeMap<String, FieldValue>,
    /// What it is linked to: type and id of the other end.
    pub links: BTreeSet<(String, String)>,
}

impl EntitySnapshot {
    /// With a field.
    pub fn with(mut self, name: &str, value: FieldValue) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// With a field that has a text.
    pub fn with_text(self, name: &str, text: &str) -> Self {
        self.with(name, FieldValue::Text(text.to_owned()))
    }

    /// With a link.
    pub fn with_link(mut self, kind: &str, id: &str) -> Self {
        self.links.insert((kind.to_owned(), id.to_owned()));
        self
    }
}

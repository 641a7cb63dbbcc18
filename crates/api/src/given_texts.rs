//! The texts that a caller gave: no refusal repeats a secret of them.

use crate::schema::Object;
use brainstem_base::Fault;
use brainstem_memory::{Floor, without_secrets};
use serde_json::Value;

/// The field that holds a batch.
pub(crate) const BATCH: &str = "batch";

/// The texts that a caller gave, each with its field.
#[derive(Default)]
pub(crate) struct GivenTexts(Vec<(String, String)>);

impl GivenTexts {
    /// The texts of a call's arguments.
    pub(crate) fn of(arguments: &Object) -> Self {
        // The documents of a batch are checked one by one when they are read.
        Self(texts(arguments.iter().filter(|(field, _)| *field != BATCH)))
    }

    /// The texts of one document: a line of a batch, the arguments of a prompt.
    pub(crate) fn of_document(document: &Object) -> Self {
        Self(texts(document.iter()))
    }

    /// These texts and one more.
    pub(crate) fn and(mut self, field: &str, text: &str) -> Self {
        self.0.push((field.to_owned(), text.to_owned()));
        self
    }

    /// A refusal that repeats no secret of them.
    pub(crate) fn unrepeated(&self, fault: Fault, floor: &Floor) -> Fault {
        floor.unrepeated(fault, self.0.iter().map(|(field, text)| (&**field, &**text)))
    }
}

/// Every text of some fields, and the names of the fields, each with the field it belongs to.
fn texts<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> Vec<(String, String)> {
    fn collect(field: &str, value: &Value, found: &mut Vec<(String, String)>) {
        match value {
            Value::String(text) => found.push((field.to_owned(), text.clone())),
            Value::Array(items) => items.iter().for_each(|item| collect(field, item, found)),
            Value::Object(inner) => inner.iter().for_each(|(name, value)| {
                found.push((field.to_owned(), name.clone()));
                collect(field, value, found);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    for (field, value) in fields {
        found.push(("arguments".to_owned(), field.clone()));
        // A field's name may be a secret itself, and is masked too.
        let field = without_secrets(field);
        collect(&field, value, &mut found);
    }
    found
}

//! A value that a file of JSON should have.

use crate::program::PROGRAM;
use serde_json::Value;

/// One value in a file of JSON.
#[derive(Clone, Debug)]
pub struct WantedValue {
    pub(crate) path: &'static [&'static str],
    pub(crate) item: Value,
    /// An item of the list at the path, instead of the value there.
    pub(crate) is_item: bool,
    /// Only set if nothing is there; any value will do.
    pub(crate) is_default: bool,
    /// The values of earlier versions of this program.
    pub(crate) before: Vec<Value>,
}

impl WantedValue {
    /// The value at a path.
    pub(crate) fn value_at(path: &'static [&'static str], value: Value) -> Self {
        Self { path, item: value, is_item: false, is_default: false, before: Vec::new() }
    }

    /// An item of the list at a path.
    pub(crate) fn item_of(path: &'static [&'static str], item: Value) -> Self {
        Self { path, item, is_item: true, is_default: false, before: Vec::new() }
    }

    /// A value that must be there, whatever it is.
    pub(crate) fn some_at(path: &'static [&'static str], value: Value) -> Self {
        Self { path, item: value, is_item: false, is_default: true, before: Vec::new() }
    }

    /// The same, where an earlier version of this program put another value.
    pub(crate) fn before(mut self, value: Value) -> Self {
        self.before.push(value);
        self
    }

    pub(crate) fn value(&self) -> Value {
        if self.is_item { Value::Array(vec![self.item.clone()]) } else { self.item.clone() }
    }

    /// Whether an item calls this program, whatever else was changed about it.
    pub(crate) fn is_ours(&self, item: &Value) -> bool {
        match item {
            Value::String(text) => {
                let mut words = text.split_whitespace();
                let program = words.next().unwrap_or_default();
                let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
                program.trim_end_matches(".exe") == PROGRAM && words.next() == Some("hook")
            }
            Value::Array(items) => items.iter().any(|item| self.is_ours(item)),
            Value::Object(members) => members.values().any(|value| self.is_ours(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

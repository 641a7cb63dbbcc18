//! Extension maps: fields that have no type yet.
//!
//! They are empty unless a key was registered here. No merge and no decision looks at what they hold: a field that
//! matters gets a type first.

use crate::canonical_json::{CanonicalFault, CanonicalJson};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The keys that extension maps may have.
#[derive(Clone, Copy, Debug)]
pub struct ExtensionRegistry(pub &'static [&'static str]);

impl ExtensionRegistry {
    /// The keys of this program: none so far.
    pub const PROGRAM: Self = Self(&[]);
}

/// Fields that have no type yet, by their registered keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct ExtensionMap(BTreeMap<String, CanonicalJson>);

/// Why an extension map was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtensionFault {
    /// The key has no namespace.
    #[error("the extension key {0:?} has no namespace: write it `namespace:name`")]
    NoNamespace(String),
    /// The key is not registered.
    #[error("the extension key {0:?} is not registered")]
    Unregistered(String),
    /// The value has no canonical form.
    #[error("the extension {key:?} is refused: {fault}")]
    Value {
        /// The key.
        key: String,
        /// What is wrong with its value.
        fault: CanonicalFault,
    },
}

impl ExtensionMap {
    /// Takes fields whose keys are registered.
    pub fn parse(fields: &Map<String, Value>, registry: ExtensionRegistry) -> Result<Self, ExtensionFault> {
        let mut taken = BTreeMap::new();
        for (key, value) in fields {
            let is_namespaced = key.split_once(':').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
            if !is_namespaced {
                return Err(ExtensionFault::NoNamespace(key.clone()));
            }
            if !registry.0.contains(&key.as_str()) {
                return Err(ExtensionFault::Unregistered(key.clone()));
            }
            let json = CanonicalJson::of(value);
            let json = json.map_err(|fault| ExtensionFault::Value { key: key.clone(), fault })?;
            taken.insert(key.clone(), json);
        }
        Ok(Self(taken))
    }

    /// Whether it has no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<Map<String, Value>> for ExtensionMap {
    type Error = ExtensionFault;

    fn try_from(fields: Map<String, Value>) -> Result<Self, ExtensionFault> {
        Self::parse(&fields, ExtensionRegistry::PROGRAM)
    }
}

impl From<ExtensionMap> for Map<String, Value> {
    fn from(extension: ExtensionMap) -> Self {
        extension.0.into_iter().map(|(key, json)| (key, json.to_value())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test] // spec: A-61
    fn an_extension_is_empty_unless_its_key_is_registered() {
        let fields = |value: Value| value.as_object().expect("an object").clone();
        let registry = ExtensionRegistry(&["acme:colour", "colour"]);
        assert!(ExtensionMap::default().is_empty());
        assert_eq!(ExtensionMap::parse(&fields(json!({})), registry), Ok(ExtensionMap::default()));
        let kept = ExtensionMap::parse(&fields(json!({ "acme:colour": [1] })), registry).expect("registered");
        assert_eq!(Map::from(kept), fields(json!({ "acme:colour": [1] })));
        let check = |given: Value, expected| {
            assert_eq!(ExtensionMap::parse(&fields(given), registry), Err(expected));
        };
        check(json!({ "acme:size": 1 }), ExtensionFault::Unregistered("acme:size".to_owned()));
        check(json!({ "colour": 1 }), ExtensionFault::NoNamespace("colour".to_owned()));
        check(json!({ ":colour": 1 }), ExtensionFault::NoNamespace(":colour".to_owned()));
        // The stored forms take the keys of this program alone, which are none.
        let stored = serde_json::from_value::<ExtensionMap>(json!({ "acme:colour": 1 }));
        assert!(stored.expect_err("refused").to_string().contains("is not registered"));
    }
}

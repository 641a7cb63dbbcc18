//! The stored forms of what rows hold beside plain columns: JSON with a version.
//!
//! A form of a newer version is refused, never guessed at; an unknown field is refused too. A step that brings an older
//! version forward is added to its form and never changed.

use crate::canonical_json::{CanonicalFault, CanonicalJson};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A value that rows hold as one JSON object.
pub trait StoredForm: Serialize + DeserializeOwned {
    /// What it is called in refusals.
    const NAME: &'static str;
    /// What brings an object of version 1, 2, … to the next version. The newest version is one more than there are steps.
    const STEPS: &'static [fn(&mut Map<String, Value>)];

    /// The text of its column.
    fn to_stored(&self) -> Result<String, StoredFault> {
        let refused = |why: String| StoredFault::Unfit { name: Self::NAME, why };
        let mut value = serde_json::to_value(self).map_err(|error| refused(error.to_string()))?;
        let fields = value.as_object_mut().ok_or_else(|| refused("it is no object".to_owned()))?;
        fields.insert(VERSION.to_owned(), Value::from(newest_version::<Self>()));
        let spelled = CanonicalJson::of(&value);
        Ok(spelled.map_err(|fault| StoredFault::Number { name: Self::NAME, fault })?.to_string())
    }

    /// Reads the text of its column.
    fn from_stored(text: &str) -> Result<Self, StoredFault> {
        let unfit = |why: String| StoredFault::Unfit { name: Self::NAME, why };
        let mut fields: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| unfit(error.to_string()))?;
        let version = fields.remove(VERSION).as_ref().and_then(Value::as_u64);
        let version =
            version.filter(|version| *version > 0).ok_or_else(|| unfit("it has no version".into()))?;
        let newest = newest_version::<Self>();
        if version > newest {
            return Err(StoredFault::Newer { name: Self::NAME, found: version, known: newest });
        }
        let done = usize::try_from(version - 1).expect("it is at most the number of steps");
        for step in &Self::STEPS[done..] {
            step(&mut fields);
        }
        serde_json::from_value(Value::Object(fields)).map_err(|error| unfit(error.to_string()))
    }
}

/// The field that has the version.
const VERSION: &str = "schemaVersion";

fn newest_version<T: StoredForm>() -> u64 {
    T::STEPS.len() as u64 + 1
}

/// Why a stored form was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoredFault {
    /// A newer version of this program wrote it.
    #[error("{name} has version {found}, and this program knows up to {known}")]
    Newer {
        /// What it is.
        name: &'static str,
        /// Its version.
        found: u64,
        /// The newest version that is known.
        known: u64,
    },
    /// It has no such form.
    #[error("{name} is refused: {why}")]
    Unfit {
        /// What it is.
        name: &'static str,
        /// Which rule it breaks.
        why: String,
    },
    /// A value of it has no canonical form.
    #[error("{name} is refused: {fault}")]
    Number {
        /// What it is.
        name: &'static str,
        /// What is wrong.
        fault: CanonicalFault,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::AgentConfig;
    use crate::message::AgentMessageMetadata;
    use crate::slots::AgentSlots;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        name: String,
        size: u64,
    }

    impl StoredForm for Sample {
        const NAME: &'static str = "a sample";
        const STEPS: &'static [fn(&mut Map<String, Value>)] = &[
            |fields| {
                let name = fields.remove("title").unwrap_or_default();
                fields.insert("name".to_owned(), name);
            },
            |fields| {
                fields.insert("size".to_owned(), Value::from(1));
            },
        ];
    }

    #[test]
    fn every_older_version_is_brought_forward_and_a_newer_one_is_refused() {
        let sample = Sample { name: "x".to_owned(), size: 1 };
        let stored = sample.to_stored().unwrap();
        assert_eq!(stored, r#"{"name":"x","schemaVersion":3,"size":1}"#);
        for text in
            [stored.as_str(), r#"{"schemaVersion":1,"title":"x"}"#, r#"{"schemaVersion":2,"name":"x"}"#]
        {
            assert_eq!(Sample::from_stored(text).as_ref(), Ok(&sample), "{text}");
        }
        let newer = StoredFault::Newer { name: "a sample", found: 4, known: 3 };
        assert_eq!(Sample::from_stored(r#"{"schemaVersion":4}"#), Err(newer));
        for bad in
            ["", "[]", "{}", r#"{"schemaVersion":0}"#, r#"{"schemaVersion":3,"name":"x","size":1,"y":2}"#]
        {
            assert!(matches!(Sample::from_stored(bad), Err(StoredFault::Unfit { .. })), "{bad}");
        }
    }

    /// A value is stored as this text, and the text is read as this value. The texts are of version 1 and stay, so that
    /// every later version reads them.
    fn check<T: StoredForm + PartialEq + std::fmt::Debug>(value: &T, text: &str) {
        assert_eq!(value.to_stored().as_deref(), Ok(text));
        assert_eq!(T::from_stored(text).as_ref(), Ok(value));
        let extended = text.replace(r#""extension":{}"#, r#""extension":{"acme:x":1}"#);
        let fault = T::from_stored(&extended).expect_err("no key is registered");
        assert!(fault.to_string().contains("not registered"), "{fault}");
    }

    #[test]
    fn the_three_wrappers_are_read_back_as_they_were_written() {
        let config = AgentConfig { model_id: Some("m".to_owned()), ..AgentConfig::default() };
        check(&config, r#"{"extension":{},"modelId":"m","schemaVersion":1}"#);
        let operation = "0".repeat(64);
        let metadata = AgentMessageMetadata {
            action_ref_id: Some("m1".parse().unwrap()),
            operation_id: Some(operation.parse().unwrap()),
            changed_tokens: vec!["k:TASK".to_owned()],
            status: Some("success".to_owned()),
            ..AgentMessageMetadata::default()
        };
        check(
            &metadata,
            &format!(
                r#"{{"actionRefId":"m1","changedTokens":["k:TASK"],"extension":{{}},"operationId":"{operation}","schemaVersion":1,"status":"success"}}"#
            ),
        );
        let mut slots = AgentSlots::default();
        slots.primary_goal.set(Some("lift".to_owned()), &"a".parse().unwrap());
        let stored = slots.to_stored().unwrap();
        assert_eq!(AgentSlots::from_stored(&stored), Ok(slots));
        assert!(stored.contains(r#""primaryGoal":{"host":"a","value":"lift","version":1}"#), "{stored}");
    }
}

//! What holds for the arguments of a call whatever they are. The fuzz target uses this file too.

use brainstem_api::caller::object_of;
use brainstem_api::table;
use serde_json::Value;

/// The longest refusal, in bytes: of what was given, little is said back.
const MESSAGE_LEN_MAX: usize = 4_000;

/// Takes the first line as the id of a verb and the rest as the arguments of a call of it. `false`: they do not fit.
pub(crate) fn check(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Some((id, arguments)) = text.split_once('\n') else { return false };
    let Some(entry) = table().iter().find(|entry| entry.spec().id() == id) else { return false };
    let given = match object_of(Value::String(arguments.to_owned())) {
        Ok(given) => given,
        Err(fault) => {
            assert!(fault.message.len() < MESSAGE_LEN_MAX && fault.fix.is_some(), "{fault:?}");
            return false;
        }
    };
    match entry.fitted(given) {
        Ok(fitted) => {
            assert_eq!(entry.fitted(fitted.clone()).as_ref(), Ok(&fitted), "what fits, fits as it is");
            true
        }
        Err(fault) => {
            assert!(fault.message.len() < MESSAGE_LEN_MAX, "{} bytes", fault.message.len());
            assert!(fault.fix.is_some() && fault.field.is_some(), "{fault:?}");
            false
        }
    }
}

//! What a verb answered, without its type.

use crate::wire::Exit;
use crate::{Context, Screen};
use brainstem_base::{Fault, codes};
use serde_json::Value;

/// An answer without its type.
pub trait Answer: Send {
    /// The document on the wire.
    fn json(&self) -> Result<Value, Fault>;

    /// The document as text, written without a copy in between; refused as soon as it is longer than `len_max`.
    fn text(&self, len_max: usize) -> Result<String, Fault>;

    /// The text for a person.
    fn present(&self, out: &mut Screen);

    /// The page that a model reads, for an answer that has one in the form that was asked for.
    fn page(&self) -> Option<String>;

    /// Notes what holds once the caller has the answer, for the door to call then.
    fn after_shown(&self, cx: &Context) -> Result<(), Fault>;

    /// How the command line ends after it.
    fn exit(&self) -> Exit;

    /// The JSON lines that the command line prints instead of either, for an answer that has them.
    fn lines(&self) -> Option<Vec<Value>>;
}

/// The refusal of an answer that cannot be written.
pub(crate) fn no_json(error: &serde_json::Error) -> Fault {
    Fault::new(codes::INTERNAL_BUG, format!("the answer is not JSON: {error}"))
}

//! A job: long work that reports how far it is, and can end between two of its steps.

use crate::{AnswerGaps, Carries, Context, Present, Steps, VerbSpec};
use brainstem_base::Fault;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A verb that may work for longer than a caller likes to wait without news. The implementing struct holds the fields, as
/// with a [`Verb`](crate::Verb).
///
/// The door decides which thread runs a job and which client sees its progress. A daemon gives jobs places of their
/// own and more time, so that no number of them keeps a short call waiting.
pub trait Job: clap::Args + DeserializeOwned + JsonSchema + Send + 'static {
    /// How the doors name and describe it.
    const SPEC: VerbSpec;

    /// Whether its answer passes the gate.
    const CARRIES: Carries = Carries::Words;

    /// The answer: an object on the wire.
    type Output: Serialize + JsonSchema + Present + Send + 'static;

    /// Returns the place for gaps in its answer. A job whose effect is to read must name what could not be read.
    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        let _ = answer;
        AnswerGaps::Nowhere
    }

    /// Does the work, and reports each step. If a repeat would go on from what is done, it ends as soon as the steps
    /// say so.
    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<Self::Output, Fault>;
}

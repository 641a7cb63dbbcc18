//! A job: long work that reports how far it is, and can end between two of its steps.

use crate::{AnswerGaps, Carries, Context, Present, Steps, VerbSpec};
use brainstem_base::Fault;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A verb that may work for longer than a caller likes to wait without news. The implementing struct holds the fields, as
/// with a [`Verb`](crate::Verb).
///
/// The door decides where a job runs and where its progress goes. A daemon gives jobs places of their own and more time, so
/// that no number of them keeps a short call waiting.
pub trait Job: clap::Args + DeserializeOwned + JsonSchema + Send + 'static {
    /// How the doors name and describe it.
    const SPEC: VerbSpec;

    /// Whether its answer passes the gate.
    const CARRIES: Carries = Carries::Words;

    /// The answer: an object on the wire.
    type Output: Serialize + JsonSchema + Present + Send + 'static;

    /// Where its answer has its gaps. A job whose effect is to read must name what could not be read.
    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        let _ = answer;
        AnswerGaps::Nowhere
    }

    /// Does the work. It reports each step, and where its repeat goes on from what is done it ends when the steps say so.
    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<Self::Output, Fault>;
}

//! What a verb is: its fields and its one service call.

use crate::spec::{Carries, Effect, VerbSpec};
use crate::{AnswerGaps, Context, Present, answer_gaps};
use brainstem_base::Fault;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// One capability, defined once for every door. The implementing struct holds the fields.
///
/// It answers soon. Long work is a [`Job`](crate::Job), and waiting is for a [`Feed`](crate::Feed).
///
/// Doc comments on the struct and its fields are the `--help` and the schema's descriptions alike. On every door the
/// fields arrive as a JSON object and go through the same checks: clap only splits the command line into names and
/// texts. So a field's default is serde's, a field that may be absent is an `Option` or has `#[serde(default)]`, and
/// [`run`](Verb::run) parses a value that needs more than its type, because its refusal has a code.
pub trait Verb: clap::Args + DeserializeOwned + JsonSchema + Send + 'static {
    /// How the doors name and describe it.
    const SPEC: VerbSpec;

    /// Whether its answer passes the gate.
    const CARRIES: Carries = Carries::Words;

    /// Whether MCP gives its answer as a page that a model reads ([`Present::page`]), and the document to a client that
    /// asks for it.
    const HAS_PAGE: bool = false;

    /// The answer: an object on the wire.
    type Output: Serialize + JsonSchema + Present + Send + 'static;

    /// Whether this call changes nothing, and its answer must name what could not be read ([`gaps`](Verb::gaps)).
    fn only_reads(&self) -> bool {
        matches!(Self::SPEC.effect, Effect::Read)
    }

    /// Returns the place for gaps in its answer.
    fn gaps(answer: &mut Self::Output) -> AnswerGaps<'_> {
        let _ = answer;
        AnswerGaps::Nowhere
    }

    /// Notes what holds once the caller has the answer. The command line calls it when the answer is printed; the
    /// other doors when it is written for the transport. If the answer is lost before, nothing is noted.
    fn after_shown(answer: &Self::Output, cx: &Context) -> Result<(), Fault> {
        let _ = (answer, cx);
        Ok(())
    }

    /// Calls the service. Synchronous; a door that must not block runs it on another thread.
    fn run(self, cx: &Context) -> Result<Self::Output, Fault>;
}

/// Runs a verb; one that only reads is asked again while the disk fails, and names what it could not read.
pub(crate) fn run_with_gaps<V: Verb>(
    make: impl Fn() -> Result<V, Fault>,
    cx: &Context,
) -> Result<V::Output, Fault> {
    let verb = make()?;
    if !verb.only_reads() {
        return verb.run(cx);
    }
    answer_gaps::read_with_gaps(cx, V::gaps, |cx| make()?.run(cx))
}

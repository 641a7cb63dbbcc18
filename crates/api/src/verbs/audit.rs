//! `audit`: what was done, by whom, counted from the acts. One file for each subject.

mod delegations;

pub use delegations::{DelegationRow, DelegationsAnswer};

use crate::{Context, Doors, Effect, Method, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::{Fault, codes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Look over what was done here: delegations and what came of them.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Audit {
    /// delegations.
    pub what: String,
}

/// What was done, by subject.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditAnswer {
    /// For delegations.
    #[serde(flatten)]
    pub delegations: Option<DelegationsAnswer>,
}

impl Verb for Audit {
    const SPEC: VerbSpec = VerbSpec {
        id: "audit",
        cli: &["audit"],
        rest: (Method::Get, "/api/audit/{what}"),
        doors: Doors::All,
        toolset: Toolset::Memory,
        effect: Effect::Read,
        idempotent: true,
        long: false,
        title: "Look over what was done",
        when_to_use: "To compare delegations and see which are open.",
        long_text: &[],
        examples: &["brainstem audit delegations", "brainstem audit delegations --json"],
    };
    type Output = AuditAnswer;

    fn run(self, cx: &Context) -> Result<AuditAnswer, Fault> {
        match self.what.as_str() {
            "delegations" => Ok(AuditAnswer { delegations: Some(delegations::run(cx)?) }),
            _ => Err(Fault::new(codes::INPUT_BAD_VALUE, "there is no such audit")
                .fix("give `what`: delegations")
                .field("what")),
        }
    }
}

impl Present for AuditAnswer {
    fn present(&self, out: &mut Screen) {
        if let Some(delegations) = &self.delegations {
            delegations.present(out);
        }
    }
}

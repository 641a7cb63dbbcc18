//! `audit WHAT`: what is on record, with the agent and the reason. Each subject is in a file of its own.

mod delegations;
mod promotions;

pub use delegations::{DelegationRow, DelegationsAnswer};
pub use promotions::{AuditEntry, AuditPromotions, UnaccountedRow};

use crate::field_kinds;
use crate::{AnswerGaps, Context, Present, Screen, Toolset, Verb, VerbSpec, within};
use brainstem_base::next::VerbId;
use brainstem_base::next::{calls, field};
use brainstem_base::{Advice, advice};
use brainstem_base::{Fault, codes};
use brainstem_memory::{BrainScope, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// See what is on record: what was done, by which agent, when and why.
///
/// `audit promotions`: what was promoted to the medulla, proposed, and taken out again, on what ground, where
/// etiquette was passed over, and which claims of the medulla no recorded act explains. `audit delegations`: which
/// work this project gave to other agents, and what came of it, in counts.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Audit {
    /// promotions or delegations.
    #[arg(value_name = "promotions|delegations")]
    #[schemars(extend("x-takes" = field_kinds::one_of(&["promotions", "delegations"])))]
    pub what: String,
    /// Of promotions: what other projects proposed, too.
    #[arg(long)]
    #[serde(default)]
    pub all_brains: bool,
    /// At most this many entries; default 50.
    #[arg(long)]
    #[schemars(extend("x-range" = crate::schema::range(limits::AUDIT_ROWS, limits::AUDIT_ROWS_DEFAULT)))]
    pub limit: Option<i64>,
}

/// What is on record.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditAnswer {
    /// What was asked for.
    pub what: String,
    /// What crossed into the medulla and out of it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub promotions: Option<AuditPromotions>,
    /// What was given to other agents.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub delegations: Option<DelegationsAnswer>,
}

impl Verb for Audit {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        title: "See what is on record",
        when_to_use: "To see who promoted, proposed or demoted what, and what came of delegations.",
        examples: &[
            "brainstem audit promotions",
            "brainstem audit promotions --all-brains --limit 200",
            "brainstem audit delegations",
        ],
        ..VerbSpec::of(VerbId::Audit)
    };
    type Output = AuditAnswer;

    fn gaps(answer: &mut AuditAnswer) -> AnswerGaps<'_> {
        let promotions = answer.promotions.iter_mut().map(|audit| &mut audit.gaps);
        AnswerGaps::Lists(
            promotions.chain(answer.delegations.iter_mut().map(|audit| &mut audit.gaps)).collect(),
        )
    }

    fn run(self, cx: &Context) -> Result<AuditAnswer, Fault> {
        let limit = within("limit", self.limit, limits::AUDIT_ROWS_DEFAULT, limits::AUDIT_ROWS)?;
        let mut answer = AuditAnswer { what: self.what, promotions: None, delegations: None };
        match answer.what.as_str() {
            "promotions" => {
                answer.promotions = Some(promotions::run(cx, BrainScope::of_flag(self.all_brains), limit)?)
            }
            "delegations" if self.all_brains => {
                return Err(Fault::new(codes::INPUT_BAD_VALUE, "delegations are each project's own")
                    .fix(advice![
                        "leave `",
                        field("all_brains"),
                        "` out, or stand in the other project (",
                        Advice::root(),
                        ")"
                    ])
                    .field("all_brains")
                    .rule("MEM-41"));
            }
            "delegations" => answer.delegations = Some(delegations::run(cx, limit)?),
            other => {
                let shown: String = other.chars().take(40).collect();
                return Err(Fault::new(codes::INPUT_BAD_VALUE, format!("there is no audit of {shown:?}"))
                    .fix(advice![calls::audit_promotions(), ", or ", calls::audit_delegations()])
                    .field("what")
                    .rule("MEM-35"));
            }
        }
        Ok(answer)
    }
}

impl Present for AuditAnswer {
    fn present(&self, out: &mut Screen) {
        if let Some(promotions) = &self.promotions {
            promotions.present(out);
        }
        if let Some(delegations) = &self.delegations {
            delegations.present(out);
        }
    }
}

//! `inbox decide`.

use super::send::refused;
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_ledger::AccountId;
use brainstem_post::inbox::{ConnectionAnswer, ConnectionStep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Decide about an outsider that asked to write to you: accept, deny, block or close.
///
/// accept makes a topic for the two of you, and what it says there is in your inbox; what it said before stays out. deny answers
/// its request, and it may ask again. block hides its further requests until you accept. close ends an accepted connection. The
/// decision is on the ledger; a repeat changes nothing.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct InboxDecide {
    /// The outsider's account, such as 0.0.4711.
    #[schemars(extend("x-takes" = field_kinds::ledger_id()))]
    pub account: String,
    /// accept, deny, block or close.
    #[schemars(extend("x-takes" = field_kinds::one_of(&DECISIONS)))]
    pub decision: String,
}

const DECISIONS: [&str; 4] = ["accept", "deny", "block", "close"];

/// What was decided.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InboxDecideAnswer {
    /// The outsider's account.
    pub account: String,
    /// The agent or person that decided.
    pub to_agent: String,
    /// The state of its connection with you: accepted, denied, blocked or closed.
    pub state: String,
    /// The topic of an accepted connection: what the outsider says there is in your inbox.
    pub connection_topic_id: Option<String>,
    /// You had decided so before.
    pub unchanged: bool,
}

impl From<ConnectionAnswer> for InboxDecideAnswer {
    fn from(answer: ConnectionAnswer) -> Self {
        Self {
            account: answer.account.to_string(),
            to_agent: answer.to.to_string(),
            state: answer.state.to_string(),
            connection_topic_id: answer.topic.map(|topic| topic.to_string()),
            unchanged: answer.unchanged,
        }
    }
}

fn step(decision: &str) -> Result<ConnectionStep, Fault> {
    match decision {
        "accept" => Ok(ConnectionStep::Accept),
        "deny" => Ok(ConnectionStep::Deny),
        "block" => Ok(ConnectionStep::Block),
        "close" => Ok(ConnectionStep::Close),
        _ => Err(refused("decision", "it is none of accept, deny, block and close")),
    }
}

impl Verb for InboxDecide {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        title: "Decide about an outsider",
        when_to_use: "To let an outsider write to you, or not.",
        examples: &["brainstem inbox decide 0.0.4711 accept", "brainstem inbox decide 0.0.4711 block"],
        ..VerbSpec::of(VerbId::InboxDecide)
    };
    type Output = InboxDecideAnswer;

    fn run(self, cx: &Context) -> Result<InboxDecideAnswer, Fault> {
        let step = step(&self.decision)?;
        let account: AccountId = self.account.parse().map_err(|error| refused("account", error))?;
        let (post, caller) = (cx.post(), cx.caller()?);
        Ok(post.decide_connection(&caller, account, step)?.into())
    }
}

impl Present for InboxDecideAnswer {
    fn present(&self, out: &mut Screen) {
        let before = if self.unchanged { ", as before" } else { "" };
        let rest = format!(" by {}{before}", self.to_agent);
        out.flow(
            0,
            2,
            [bold(self.account.as_str()), " is ".into(), styled(Look::Good, self.state.as_str()), dim(rest)],
        );
        if let Some(topic) = &self.connection_topic_id {
            out.line([dim(format!("  what it says on topic {topic} is in your inbox"))]);
        }
    }
}

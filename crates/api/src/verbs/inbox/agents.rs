//! `agent topics`.

use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::next::VerbId;
use brainstem_base::{AgentId, Fault};
use brainstem_post::inbox::MadeTopics;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Make the topics of agents: of the owner of this home, of yourself, and of the agents that you name. A repeat changes nothing.
///
/// A topic is made by the first send too; this makes them before, so that others can send to an agent that never sent anything.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct AgentTopics {
    /// Agents that have no topics yet.
    #[serde(default)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::list_of(64, field_kinds::agent())))]
    pub agents: Vec<String>,
}

/// Every agent of the home and its topics.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentTopicsAnswer {
    /// The agents, by slug.
    pub agents: Vec<AgentTopicRow>,
}

/// An agent or a person with its topics.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AgentTopicRow {
    /// Its slug.
    pub slug: String,
    /// The name that people know it by.
    pub name: String,
    /// Its id in memory and mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// agent or person.
    pub kind: String,
    /// Its account on the ledger.
    pub account_id: String,
    /// The topic on which it gets messages.
    pub inbound_topic_id: String,
    /// The topic on which it speaks in public.
    pub outbound_topic_id: String,
    /// Whether its topics were made, or its profile published, just now.
    pub created: bool,
}

impl Verb for AgentTopics {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        title: "Make the topics of agents",
        when_to_use: "To give agents their inboxes before their first message, and to see which have one.",
        examples: &["brainstem agent topics", "brainstem agent topics codex gemini builder"],
        ..VerbSpec::of(VerbId::AgentTopics)
    };
    type Output = AgentTopicsAnswer;

    fn run(self, cx: &Context) -> Result<AgentTopicsAnswer, Fault> {
        let caller = cx.caller()?;
        let named = self.agents.iter().map(|agent| AgentId::parse(agent)).collect::<Result<Vec<_>, _>>()?;
        let made = cx.post().make_agent_topics(&caller, &named)?;
        let row = |made: brainstem_post::inbox::AgentTopics| AgentTopicRow {
            slug: made.definition.slug.to_string(),
            name: made.definition.name,
            agent_id: made.definition.agent.map(|agent| agent.to_string()),
            kind: made.definition.kind.as_str().to_owned(),
            account_id: made.definition.account.to_string(),
            inbound_topic_id: made.definition.inbound.to_string(),
            outbound_topic_id: made.definition.outbound.to_string(),
            created: made.made == MadeTopics::Now,
        };
        Ok(AgentTopicsAnswer { agents: made.into_iter().map(row).collect() })
    }
}

impl Present for AgentTopicsAnswer {
    fn present(&self, out: &mut Screen) {
        for agent in &self.agents {
            let rest =
                format!("  {}  in {}  out {}", agent.kind, agent.inbound_topic_id, agent.outbound_topic_id);
            let new = if agent.created { styled(Look::Good, "  new") } else { "".into() };
            out.flow(0, 2, [bold(agent.slug.as_str()), dim(rest), new]);
        }
    }
}

//! `whoami`: who this program takes the caller for.

use crate::screen::dim;
use crate::{Context, Effect, Method, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::{AgentId, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Say who you are here, and where that comes from.
///
/// The first of these that is set decides: the argument `agent_id` (MCP), `--as`, the environment
/// variable `BRAINSTEM_AGENT`, the name of the MCP client, your login name.
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Whoami {}

/// Who is calling.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Identity {
    /// The id that claims are signed with; absent when nobody is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Where it comes from: argument, flag, env, client, login or none.
    pub source: String,
    /// human, agent or system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl Verb for Whoami {
    const SPEC: VerbSpec = VerbSpec {
        id: "whoami",
        cli: &["whoami"],
        rest: (Method::Get, "/api/whoami"),
        toolset: Toolset::Memory,
        effect: Effect::Read,
        idempotent: true,
        long: false,
        title: "Who am I",
        when_to_use: "To see under which agent id your claims are signed, and where that id comes from.",
        long_text: &[],
        examples: &["brainstem whoami", "brainstem whoami --as codex:maker --json"],
    };
    type Output = Identity;

    fn run(self, cx: &Context) -> Result<Identity, Fault> {
        let declared = &cx.declared;
        let explicit = [(&declared.argument, "argument"), (&declared.flag, "flag"), (&declared.env, "env")];
        for (text, source) in explicit {
            if let Some(text) = text {
                return Ok(Identity::of(&AgentId::parse(text)?, source));
            }
        }
        let client = declared.client.as_deref().and_then(|name| AgentId::from_display(None, name));
        let login = declared.login.as_deref().and_then(|name| AgentId::from_display(Some("human"), name));
        Ok(match (client, login) {
            (Some(id), _) => Identity::of(&id, "client"),
            (None, Some(id)) => Identity::of(&id, "login"),
            (None, None) => Identity { agent_id: None, source: "none".into(), kind: None },
        })
    }
}

impl Identity {
    fn of(id: &AgentId, source: &str) -> Self {
        Self {
            agent_id: Some(id.to_string()),
            source: source.to_owned(),
            kind: Some(id.kind().as_str().to_owned()),
        }
    }
}

impl Present for Identity {
    fn present(&self, out: &mut Screen) {
        match &self.agent_id {
            Some(id) => out.field("agent", id.as_str()),
            None => out.field("agent", dim("unknown")),
        }
        if let Some(kind) = &self.kind {
            out.field("kind", kind.as_str());
        }
        out.field("source", self.source.as_str());
    }
}

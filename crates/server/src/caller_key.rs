//! The share that a call counts against.
//!
//! Callers of one home are distinguished by their own declarations alone: they all have the token. A program that invents names
//! gets a share for each of them. Shares protect callers from an agent in a loop; they are not a security boundary.

use brainstem_base::AgentId;
use brainstem_memory::Declared;
use std::sync::Arc;

/// The share that a call counts against: an agent and one of its sessions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallerKey {
    /// The agent.
    pub(crate) agent: AgentKey,
    /// The MCP session, or the session that a request names; empty if it names none.
    pub(crate) session: Arc<str>,
}

/// A caller with all of its sessions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AgentKey {
    /// The agent that a request names, or the name of its MCP client; empty if it names neither.
    Named(Arc<str>),
    /// A browser, by its cookie, whatever else the request declares.
    Browser(Arc<str>),
}

impl CallerKey {
    /// The key of a request with the token.
    pub(crate) fn of(declared: &Declared, mcp_session: Option<&str>) -> Self {
        let agent = declared.argument.as_deref().or(declared.client.as_deref()).unwrap_or_default();
        let session = mcp_session.or(declared.session.as_deref()).unwrap_or_default();
        Self { agent: AgentKey::Named(agent.into()), session: session.into() }
    }

    /// The kind of caller, for the log, which does not contain names of callers.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.agent {
            AgentKey::Browser(_) => "browser",
            AgentKey::Named(name) if name.is_empty() => "unnamed",
            AgentKey::Named(name) => AgentId::parse(name).map_or("client", |id| id.kind().as_str()),
        }
    }

    /// The key of a browser.
    pub(crate) fn browser(cookie: &str) -> Self {
        Self { agent: AgentKey::Browser(cookie.into()), session: Arc::default() }
    }
}

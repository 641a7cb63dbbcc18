//! Agent ids and the mail name each has.

use crate::{Coded, ErrorCode, codes};
use std::fmt;

/// The longest agent id, in bytes.
pub const AGENT_ID_LEN_MAX: usize = 64;

/// The id of an agent or a person: `host:role` (`codex:maker`), `human:name`, `system`, or a bare name without a role.
///
/// Invariant: each part matches `[A-Za-z0-9_][A-Za-z0-9._@-]*`, there is at most one `:`, and the whole has at most
/// [`AGENT_ID_LEN_MAX`] bytes. So the [`mail_name`](AgentId::mail_name) is always one safe path component, and the id
/// can be written into a header line as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentId(String);

/// What sort of principal an id names; decided by its spelling alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentKind {
    /// `human:name`.
    Human,
    /// `system`: this program itself.
    System,
    /// Everything else.
    Agent,
}

impl AgentKind {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::System => "system",
            Self::Agent => "agent",
        }
    }
}

/// Why a text cannot be parsed as an agent id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an agent id: {why}")]
pub struct AgentIdFault {
    text: String,
    why: &'static str,
}

impl AgentIdFault {
    /// The refusal of the id under which this program itself acts.
    pub fn reserved(agent: &AgentId) -> Self {
        Self { text: agent.0.clone(), why: "this program itself goes by that name" }
    }
}

impl Coded for AgentIdFault {
    fn code(&self) -> ErrorCode {
        codes::IDENTITY_BAD_AGENT
    }
    fn fix(&self) -> Option<crate::Advice> {
        Some("use host:role, human:name or one bare name, for example codex:maker or human:ana".into())
    }
    fn rule(&self) -> Option<&'static str> {
        Some("IF-3")
    }
}

impl AgentId {
    /// Parses an id, or says which rule it breaks.
    pub fn parse(text: &str) -> Result<Self, AgentIdFault> {
        let refuse = |why| Err(AgentIdFault { text: text.chars().take(80).collect(), why });
        if text.is_empty() {
            return refuse("it is empty");
        }
        if text.len() > AGENT_ID_LEN_MAX {
            return refuse("it is longer than 64 bytes");
        }
        if text.matches(':').count() > 1 {
            return refuse("it has more than one ':'");
        }
        for part in text.split(':') {
            let mut bytes = part.bytes();
            match bytes.next() {
                None => return refuse("a part beside ':' is empty"),
                Some(b) if b.is_ascii_alphanumeric() || b == b'_' => {}
                Some(_) => return refuse("a part starts with something other than a letter, a digit or '_'"),
            }
            if !bytes.all(|b| b.is_ascii_alphanumeric() || b"._@-".contains(&b)) {
                return refuse("only ASCII letters, digits and . _ @ - are allowed");
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// Makes an id from a name that was never meant to be one, such as an MCP client's or a login's.
    pub fn from_display(prefix: Option<&str>, name: &str) -> Option<Self> {
        let mut clean = String::new();
        for c in name.chars() {
            match c {
                c if c.is_ascii_alphanumeric() || c == '_' => clean.push(c),
                c if ".@".contains(c) && !clean.is_empty() => clean.push(c),
                _ if clean.is_empty() || clean.ends_with('-') => {}
                _ => clean.push('-'),
            }
        }
        let text = match prefix {
            Some(prefix) => format!("{prefix}:{clean}"),
            None => clean,
        };
        let end = text.len().min(AGENT_ID_LEN_MAX);
        Self::parse(text[..end].trim_end_matches('-')).ok()
    }

    /// The id as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The role behind the colon, if there is one.
    pub fn role(&self) -> Option<&str> {
        self.0.split_once(':').map(|(_, role)| role)
    }

    /// Human, system or agent.
    pub fn kind(&self) -> AgentKind {
        match self.0.split_once(':') {
            Some(("human", _)) => AgentKind::Human,
            None if self.0 == "system" => AgentKind::System,
            Some(_) | None => AgentKind::Agent,
        }
    }

    /// Whether etiquette lets it write doctrine and promote: `*:orchestrator` and `human:*`.
    pub fn may_write_doctrine(&self) -> bool {
        self.role() == Some("orchestrator") || self.kind() == AgentKind::Human
    }

    /// The mailbox name of this id: the id with `:` written `.`.
    pub fn mail_name(&self) -> String {
        self.0.replace(':', ".")
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-3, IF-25
    fn ids_follow_one_grammar() {
        for good in ["codex:maker", "human:ana", "system", "fable-seat", "a", "_x", "claude:medulla.probe@2"]
        {
            assert_eq!(AgentId::parse(good).map(|id| id.to_string()), Ok(good.to_owned()));
        }
        for bad in [
            "",
            ":",
            "a:",
            ":b",
            "a:b:c",
            "a b",
            "../x",
            "-a",
            "a/b",
            "é",
            "a\nb",
            ".hidden",
            &"x".repeat(65),
        ] {
            assert!(AgentId::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test] // spec: MAIL-3a
    fn the_mail_name_writes_the_colon_as_a_dot() {
        assert_eq!(AgentId::parse("codex:maker").expect("valid").mail_name(), "codex.maker");
        assert_eq!(AgentId::parse("worker").expect("valid").mail_name(), "worker");
    }

    #[test] // spec: MEM-10
    fn doctrine_is_for_orchestrators_and_people() {
        let may = |text| AgentId::parse(text).expect("valid").may_write_doctrine();
        assert!(may("claude:orchestrator") && may("human:ana"));
        assert!(!may("codex:maker") && !may("orchestrator") && !may("humane:x") && !may("system"));
    }

    #[test]
    fn a_client_name_becomes_a_valid_id() {
        let made = |name| AgentId::from_display(None, name).map(|id| id.to_string());
        assert_eq!(made("Visual Studio Code - Insiders").as_deref(), Some("Visual-Studio-Code-Insiders"));
        assert_eq!(made("claude-code").as_deref(), Some("claude-code"));
        assert_eq!(made("日本"), None);
        assert_eq!(
            AgentId::from_display(Some("human"), "ana.b").map(|id| id.to_string()).as_deref(),
            Some("human:ana.b")
        );
        assert!(made(&"y".repeat(300)).is_some_and(|id| id.len() == 64));
    }
}

//! The ids of what an agent has, a type each, so that no two can be swapped.
//!
//! An agent itself goes by its `AgentId` of `brainstem-base`: the name that its mail is sent to is the name that wakes it.
//! A name whose agent was destroyed is never given to another one.

use crate::canonical::{CanonicalDigest, DigestFault};
use crate::limits::ID_LEN_MAX;
use brainstem_base::AgentId;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Why a text is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an id: it has 1 to {ID_LEN_MAX} of A-Z a-z 0-9 . _ -")]
pub struct IdFault {
    text: String,
}

/// The conversions that serde asks for: an id is its text in every stored form.
macro_rules! text_form {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = <Self as FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }
    };
}

/// Defines an id that another part of the program drew or derived: one word of [`ID_LEN_MAX`] bytes at most.
macro_rules! word_ids {
    ($($(#[$about:meta])* $name:ident;)*) => {$(
        $(#[$about])*
        ///
        /// Invariant: 1 to [`ID_LEN_MAX`] letters, digits, `.`, `_` and `-`, so that it can be a part of a longer id.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Box<str>);

        impl $name {
            /// Parses an id, or says what is wrong with it.
            pub fn parse(text: &str) -> Result<Self, IdFault> {
                checked_word(text).map(Self)
            }

            /// The id as it is written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<CanonicalDigest> for $name {
            /// An id that follows from what it names.
            fn from(digest: CanonicalDigest) -> Self {
                Self(digest.to_string().into())
            }
        }

        text_form!($name);

        impl FromStr for $name {
            type Err = IdFault;

            fn from_str(text: &str) -> Result<Self, IdFault> {
                Self::parse(text)
            }
        }
    )*};
}

word_ids! {
    /// The id of a device: the installation of this program that wrote a row.
    HostId;
    /// The id of a message in the log of an agent.
    AgentMessageId;
    /// The id of what a message says at length.
    AgentPayloadId;
    /// The id of a report of an agent.
    AgentReportId;
    /// The id of a pointer to the newest report of an agent and scope.
    ReportHeadId;
    /// The id of a snapshot of an agent's state.
    StateSnapshotId;
    /// The id of a rule that wakes an agent on a change.
    SubscriptionId;
    /// The id of a schedule that wakes an agent.
    TimerId;
    /// The id of a conversation with an agent.
    InteractiveSessionId;
    /// The id of a row whose id follows from other fields of it (C-10).
    DerivedRowId;
    /// The name of a kind of agents.
    AgentKindName;
    /// The id of an edge between two records of an agent.
    AgentLinkId;
}

fn checked_word(text: &str) -> Result<Box<str>, IdFault> {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    if text.is_empty() || text.len() > ID_LEN_MAX || !text.bytes().all(is_part) {
        return Err(IdFault { text: text.chars().take(80).collect() });
    }
    Ok(text.into())
}

/// Defines an id that is the digest of what it names.
macro_rules! digest_ids {
    ($($(#[$about:meta])* $name:ident;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(CanonicalDigest);

        text_form!($name);

        impl From<CanonicalDigest> for $name {
            fn from(digest: CanonicalDigest) -> Self {
                Self(digest)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = DigestFault;

            fn from_str(text: &str) -> Result<Self, DigestFault> {
                text.parse().map(Self)
            }
        }
    )*};
}

digest_ids! {
    /// What a wake is known by on every device: the digest of its agent and its cause (C-02).
    RunKey;
    /// What one effect of a run is known by: the digest of its run key and its action (C-21).
    OperationId;
}

/// The thread of messages that a run belongs to: `{agentId}:run:{runKey}` or `{agentId}:session:{sessionId}` (C-03).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId {
    agent: AgentId,
    part: ThreadPart,
}

/// What a thread is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreadPart {
    /// One run that no person takes part in.
    Run(RunKey),
    /// A conversation.
    Session(InteractiveSessionId),
}

/// A text is not the id of a thread.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the id of a thread")]
pub struct ThreadIdFault(String);

impl ThreadId {
    /// The thread of a run.
    pub fn of_run(agent: AgentId, run: RunKey) -> Self {
        Self { agent, part: ThreadPart::Run(run) }
    }

    /// The thread of a conversation.
    pub fn of_session(agent: AgentId, session: InteractiveSessionId) -> Self {
        Self { agent, part: ThreadPart::Session(session) }
    }

    /// The agent whose messages it has.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// The run or the conversation that it is of.
    pub fn part(&self) -> &ThreadPart {
        &self.part
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.part {
            ThreadPart::Run(run) => write!(f, "{}:run:{run}", self.agent),
            ThreadPart::Session(session) => write!(f, "{}:session:{session}", self.agent),
        }
    }
}

impl FromStr for ThreadId {
    type Err = ThreadIdFault;

    fn from_str(text: &str) -> Result<Self, ThreadIdFault> {
        let parsed = || {
            // The last two parts have no colon, and an agent id may have one.
            let mut parts = text.rsplitn(3, ':');
            let (last, kind, agent) = (parts.next()?, parts.next()?, parts.next()?);
            let agent = AgentId::parse(agent).ok()?;
            let part = match kind {
                "run" => ThreadPart::Run(last.parse().ok()?),
                "session" => ThreadPart::Session(last.parse().ok()?),
                _ => return None,
            };
            Some(Self { agent, part })
        };
        parsed().ok_or_else(|| ThreadIdFault(text.chars().take(80).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::HashInput;

    #[test]
    fn an_id_is_one_word() {
        for good in ["a", "0198-x", "A.b_c", &"x".repeat(ID_LEN_MAX)] {
            assert_eq!(HostId::parse(good).map(|id| id.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "a:b", "a b", "é", "a/b", "a\n", &"x".repeat(ID_LEN_MAX + 1)] {
            assert!(HostId::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_thread_is_named_by_its_agent_and_its_run_or_session() {
        let run = RunKey::from(HashInput::new("test.1").digest());
        let session = InteractiveSessionId::parse("s-1").unwrap();
        for name in ["reviewer", "codex:reviewer", "a:run", "session:session"] {
            let agent = AgentId::parse(name).unwrap();
            let threads = [
                (ThreadId::of_run(agent.clone(), run), format!("{name}:run:{run}")),
                (ThreadId::of_session(agent, session.clone()), format!("{name}:session:s-1")),
            ];
            for (thread, text) in threads {
                assert_eq!(thread.to_string(), text);
                assert_eq!(text.parse(), Ok(thread));
            }
        }
        for bad in ["", "a", "a:run:x", "a:session:", "a:walk:s-1", ":session:s-1", "a:b:c:session:s"] {
            assert!(bad.parse::<ThreadId>().is_err(), "{bad:?}");
        }
    }
}

//! Why a caller cannot speak under a name in mail.

use brainstem_base::{AgentId, Refusal, coded_by_refusal, codes};
use brainstem_mail::name::MailboxName;
use brainstem_vault::mail::UnreadableSession;

/// Why a caller cannot speak under a name.
#[derive(Debug, thiserror::Error)]
pub enum NameTaken {
    /// A live session of another agent has it.
    #[error("{agent} has a live session called {name}, so nothing was done under that name")]
    BySession {
        /// The name.
        name: MailboxName,
        /// The agent.
        agent: String,
        /// The caller says which agent it is.
        caller_is_known: bool,
    },
    /// A live session of another agent has it as a tag. Mail for a tag is for several sessions, and mail for a session is for
    /// that one alone.
    #[error(
        "{session} of {agent} carries {name} as a tag, so that no session of another agent can have that name"
    )]
    AsTag {
        /// The name.
        name: MailboxName,
        /// The session.
        session: String,
        /// The agent.
        agent: String,
    },
    /// It is an address of another agent, whether or not that agent is here.
    #[error("{name} is an address of another agent, so nothing was done under that name")]
    OfAgent {
        /// The name.
        name: MailboxName,
    },
    /// It is the box of a person.
    #[error("{name} is the box of a person, and you are {agent}")]
    OfPerson {
        /// The name.
        name: MailboxName,
        /// The caller.
        agent: AgentId,
    },
    /// This program signs as it.
    #[error("{name} is the name under which this program itself speaks")]
    OfProgram {
        /// The name.
        name: MailboxName,
    },
    /// No connection of the caller's agent was given it.
    #[error("{name} is the name of no connection of {agent}")]
    NoConnection {
        /// The name.
        name: MailboxName,
        /// The caller.
        agent: AgentId,
    },
    /// A record that may say whose name it is cannot be read.
    #[error("{}, so it is not certain whose name {name} is; nothing was done", unreadable.sentence())]
    Uncertain {
        /// The name.
        name: MailboxName,
        /// The record.
        unreadable: UnreadableSession,
    },
}

impl NameTaken {
    fn refusal(&self) -> Refusal {
        let fix = match self {
            Self::BySession { name, caller_is_known, .. } => {
                let other = format!(
                    "give your session or tag another name; {name} is free once that session has ended, or 30 minutes after its last call"
                );
                match caller_is_known {
                    true => other,
                    false => format!(
                        "if the session is yours, say which agent you are (`agent_id`, or over HTTP the header Brainstem-Agent); else {other}"
                    ),
                }
            }
            Self::AsTag { name, .. } => {
                format!("give your session another name; with the tag `{name}` it reads that box as well")
            }
            Self::OfAgent { .. } => {
                "give your session or tag a name of its own, for example worker-feat-104 or orchestrator"
                    .into()
            }
            Self::OfPerson { .. } => {
                "take a name that does not begin with `human.` and is neither `human` nor `owner`, for example worker-feat-104"
                    .into()
            }
            Self::OfProgram { .. } => "take another name, for example worker-feat-104".into(),
            Self::NoConnection { .. } => {
                "leave the header Brainstem-Connection out; Brainstem-Session gives your session a name"
                    .into()
            }
            Self::Uncertain { unreadable, .. } => format!(
                "repeat; if it stays so, make `{}` readable for this user, or remove it once no session is called {}; \
                 until then give your session another name",
                unreadable.path.display(),
                unreadable.name
            ),
        };
        let refusal = Refusal::new(codes::MAIL_NAME_TAKEN, fix).rule("MAIL-4");
        match self {
            Self::NoConnection { .. } => refusal.field("connection"),
            _ => refusal,
        }
    }
}

coded_by_refusal!(NameTaken);

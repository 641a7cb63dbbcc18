//! Why a use case of the live channel is refused.

use crate::mail::MailError;
use brainstem_base::next::{VerbId, calls, field};
use brainstem_base::{Advice, Refusal, advice, coded_by_refusal, codes};
use brainstem_hygiene::HygieneFault;
use brainstem_mail::live::channel::NOTE_LEN_MAX;
use brainstem_mail::live::{LiveTarget, SessionStatus, TargetReach};
use brainstem_mail::name::NameFault;

/// A refusal of a use case of the live channel.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// Only a daemon has a live channel, and this call reaches none.
    #[error("no daemon carries a live channel here, so nobody is online")]
    NoDaemon,
    /// No session is online at a target that has no box.
    #[error("nobody is online at {given:?}, and it names no box")]
    NobodyThere {
        /// What was given.
        given: String,
        /// What that means.
        target: LiveTarget,
        /// Whether it was looked for in one project or in all.
        scope: TargetReach,
    },
    /// A text that is no target.
    #[error("{given:?} is no target")]
    NoTarget {
        /// What was given.
        given: String,
    },
    /// A word that is no status.
    #[error("{given:?} is no status")]
    NoStatus {
        /// What was given.
        given: String,
    },
    /// A note or a parent came without a status.
    #[error("a note or a parent needs a status")]
    StatusMissing,
    /// A text that is too long to wait in memory.
    #[error("`{field}` has {len} bytes")]
    TooLong {
        /// The field.
        field: &'static str,
        /// Its length.
        len: usize,
    },
    /// A text that would be shown on several lines.
    #[error("`{field}` has a line break or a control character")]
    NotOneLine {
        /// The field.
        field: &'static str,
    },
    /// A text that is not a name of a session or a tag.
    #[error("{fault}")]
    Name {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        fault: NameFault,
    },
    /// Another folder took the place of the one in which the caller began to wait.
    #[error(
        "another folder is at `{root}` than when this call began to wait: the messages there belong to another project"
    )]
    OtherFolder {
        /// The mail root.
        root: String,
    },
    /// The folder in which the caller began to wait was moved or deleted, and nothing has its path.
    #[error(
        "nothing is at `{root}` now: the folder of the project in which this call began to wait was moved or deleted"
    )]
    FolderGone {
        /// The mail root.
        root: String,
    },
    /// A text that carries what must not be sent.
    #[error(transparent)]
    Hygiene(#[from] HygieneFault),
    /// Mail refused.
    #[error(transparent)]
    Mail(#[from] MailError),
}

impl LiveError {
    fn refusal(&self) -> Refusal {
        let bad =
            |fix: Advice, field: &str| Refusal::new(codes::INPUT_BAD_VALUE, fix).field(field).rule("MAIL-17");
        match self {
            Self::NoDaemon => Refusal::new(
                codes::LIVE_NO_DAEMON,
                advice![
                    "start one with `",
                    calls::up(),
                    "`, or use mail: ",
                    VerbId::MailSend,
                    ", ",
                    calls::mail_list()
                ],
            )
            .rule("IF-10"),
            Self::OtherFolder { .. } | Self::FolderGone { .. } => Refusal::new(
                codes::MEMORY_ROOT_REPLACED,
                advice!["wait again in the folder of the project that you mean, with ", VerbId::LivePoll],
            )
            .rule("MAIL-17"),
            Self::NobodyThere { target, scope, .. } => {
                let fix = match (target, scope) {
                    (LiveTarget::Worktree(_), TargetReach::Project) => advice![
                        "add ",
                        field("everywhere").set(),
                        " if the folder is not of this project, or send it to a session or a tag: then it waits as mail"
                    ],
                    _ => "send it to a session or a tag: then it waits as mail".into(),
                };
                Refusal::new(codes::LIVE_NOBODY, fix).field("target").rule("MAIL-17")
            }
            Self::NoTarget { .. } => bad(
                "use a name, an agent id, session:NAME, tag:NAME, everyone, worktree:PATH or parent".into(),
                "target",
            ),
            Self::NoStatus { .. } => {
                let known: Vec<&str> = SessionStatus::ALL.iter().map(|status| status.as_str()).collect();
                bad(format!("use one of: {}", known.join(", ")).into(), "status")
            }
            Self::StatusMissing => bad(
                advice!["give `", field("status"), "` too, or nothing to see which sessions are online"],
                "status",
            ),
            Self::TooLong { field, .. } => Refusal::new(
                codes::INPUT_TOO_LARGE,
                advice!["say it live in at most {NOTE_LEN_MAX} bytes, or as mail, with ", VerbId::MailSend],
            )
            .field(*field)
            .rule("MAIL-17"),
            Self::NotOneLine { field } => bad("say it in one line".into(), field),
            Self::Name { field, fault } => Refusal::of(fault).field(*field),
            Self::Hygiene(fault) => Refusal::of(fault),
            Self::Mail(error) => Refusal::of(error),
        }
    }
}

coded_by_refusal!(LiveError);

//! Why a use case of mail is refused.

use super::name_taken::NameTaken;
use brainstem_base::agent::AgentIdFault;
use brainstem_base::fault::message_with_causes;
use brainstem_base::next::{VerbId, calls, field};
use brainstem_base::{Advice, DiskFault, Fault, Refusal, Timestamp, advice, coded_by_refusal, codes};
use brainstem_hygiene::HygieneFault;
use brainstem_mail::file_name::FileNameFault;
use brainstem_mail::name::{MailboxName, NameFault};
use brainstem_mail::{DraftFault, FileName, MessageKind};
use brainstem_memory::MemoryError;
use brainstem_vault::StoreError;
use brainstem_vault::mail::{MailFault, MailFolder};
use std::path::PathBuf;

/// How many recipients one send may have.
pub(super) const RECIPIENTS_MAX: usize = 64;

/// Where a caller can name the box of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxNaming {
    /// In a field of its own.
    Field,
    /// Only before the name of the message, as box/file.
    Name,
}

/// A refusal of a use case of mail.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// A word that is not a type of message.
    #[error("{given:?} is no type of message")]
    NoKind {
        /// What was given.
        given: String,
    },
    /// A word that is not a priority.
    #[error("{given:?} is no priority")]
    NoPriority {
        /// What was given.
        given: String,
    },
    /// A word that is not a folder.
    #[error("{given:?} is no folder of a box")]
    NoFolder {
        /// What was given.
        given: String,
    },
    /// A lease that is too short or too long.
    #[error("`lease_s` is outside 1 to 86400")]
    NoLease,
    /// A key that is blank or over its limit.
    #[error("`key` is empty or longer than 200 bytes")]
    NoKey,
    /// The name of a conversation that is blank or over its limit.
    #[error("`thread` is empty or longer than 200 bytes")]
    NoThread,
    /// A search without words.
    #[error("`query` is empty")]
    NoQuery,
    /// A prune before a time in the future.
    #[error("{} is in the future, so every message is older", at.to_words())]
    PruneAhead {
        /// The time.
        at: Timestamp,
    },
    /// A send without a recipient.
    #[error("`to` names nobody")]
    NoRecipient,
    /// More recipients than one send may have.
    #[error("`to` names {count} recipients, and one send has at most {RECIPIENTS_MAX}")]
    TooManyRecipients {
        /// How many.
        count: usize,
    },
    /// A target of the live channel that has no box.
    #[error("{why}")]
    HasNoBox {
        /// Why it has none.
        why: &'static str,
    },
    /// A message without a subject and without a body.
    #[error("a message needs a subject or a body")]
    EmptyMessage,
    /// A reply without a body.
    #[error("a reply needs a body")]
    EmptyReply,
    /// The name of the message's sender cannot be answered.
    #[error("{}", message_with_causes(.fault))]
    NoSender {
        /// What is wrong with the name.
        fault: NameFault,
        /// The message, as box/file.
        message: String,
    },
    /// A later copy of a message was refused.
    #[error("{}; sent before that, and kept: {}", message_with_causes(.error), .copies.join(", "))]
    HalfSent {
        /// Why.
        error: Box<MailError>,
        /// The copies that were sent, as box/file.
        copies: Vec<String>,
        /// The recipients that have no copy, if a call can be made for them alone.
        left: Vec<MailboxName>,
        /// The call has a key, so its repeat sends no copy twice.
        has_key: bool,
    },
    /// `box` names one box, and `file` another.
    #[error("`file` names one box, and `box` another")]
    TwoBoxes,
    /// No message has this name.
    #[error("{sentence}")]
    NoMessage {
        /// Where it was looked for.
        sentence: String,
        /// The box that it was looked for in, if the call names one.
        in_box: Option<String>,
        /// How another box can be named.
        other_box: BoxNaming,
    },
    /// A message that is to be taken was read or archived before.
    #[error("{mailbox}/{file} lies in `{}`: it is done, and only a message that waits is taken", folder.as_str())]
    Finished {
        /// The message.
        file: FileName,
        /// Its box.
        mailbox: MailboxName,
        /// Its path.
        folder: MailFolder,
    },
    /// Several messages have this name.
    #[error("{sentence}")]
    Ambiguous {
        /// What was given, and the messages.
        sentence: String,
    },
    /// No conversation has this name.
    #[error("no conversation is called {given:?}, and no message has that in its name")]
    NoConversation {
        /// What was given.
        given: String,
    },
    /// Nothing is unread.
    #[error("{sentence}")]
    NothingUnread {
        /// Which boxes, and what could not be looked at.
        sentence: String,
        /// The box, if the caller named one.
        named: Option<String>,
    },
    /// No message can be taken.
    #[error("{}", [&[format!("nothing waits to be taken by {me}")], gaps.as_slice()].concat().join("; "))]
    NothingToTake {
        /// The caller's name.
        me: MailboxName,
        /// What could not be looked at.
        gaps: Vec<String>,
    },
    /// A broadcast cannot be taken.
    #[error("a broadcast is for everybody, so nobody can take it")]
    TakesBroadcast,
    /// Another agent sent this broadcast.
    #[error("{from} sent this broadcast, and no other agent can archive it")]
    BroadcastOfAnother {
        /// Its sender.
        from: String,
    },
    /// Only a person can remove broadcasts.
    #[error("broadcasts belong to all readers, also in the archive")]
    PrunesBroadcasts,
    /// Nothing was removed, for this reason.
    #[error("{}", .0.message)]
    NothingPruned(Box<Fault>),
    /// No box has this name.
    #[error("{sentence}")]
    NoBox {
        /// The name, and similar ones.
        sentence: String,
    },
    /// The box belongs to another caller.
    #[error("the box {mailbox} is not yours: you are {me}")]
    BoxOfAnother {
        /// The box.
        mailbox: MailboxName,
        /// The caller's name.
        me: MailboxName,
        /// The caller tried to force it.
        is_forced: bool,
    },
    /// The caller's agent sent the message, under another name than the caller's.
    #[error("the message was sent as {from}, and you are {me}")]
    SentUnderAnotherName {
        /// The name that it was sent under.
        from: String,
        /// The caller's name.
        me: MailboxName,
    },
    /// The caller speaks under a name that is not its own.
    #[error(transparent)]
    NameTaken(Box<NameTaken>),
    /// The mail root that the caller names is missing.
    #[error("the mail root `{}` does not exist", .0.display())]
    RootMissing(PathBuf),
    /// The caller is outside projects.
    #[error("you are outside projects, so there is no mail here")]
    NoRoot,
    /// No mail can be in this folder.
    #[error("`{}` is {what}: no mail can be there", path.display())]
    RootRefused {
        /// The folder.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The top folder of a repository holds the project's files.
    #[error("`{}` is the top folder of a repository: mail there would be among its files", .0.display())]
    TopOfRepository(PathBuf),
    /// A mail root that the caller names is in a folder of git's own.
    #[error("`{}` is in git's own folder, where a message would pass for one of git's files", .0.display())]
    InsideGit(PathBuf),
    /// Only some of the caller's own boxes are known.
    #[error("{0}")]
    BoxesMissing(String),
    /// Messages moved while the mail was looked through.
    #[error("messages moved during the check, so not all of the mail was checked")]
    MailMoves,
    /// A file of the mail cannot be looked through before git may commit it.
    #[error("`{shown}` cannot be checked: {why}")]
    NotLookedThrough {
        /// The path, without secrets.
        shown: String,
        /// What is wrong.
        why: String,
    },
    /// A file of the mail must not be committed.
    #[error("`{shown}` must not be committed: {}", message_with_causes(.fault))]
    NotCommittable {
        /// The path, without secrets.
        shown: String,
        /// What it carries.
        fault: HygieneFault,
        /// What to do about it.
        fix: &'static str,
    },
    /// The same refusal, with the field that it is about.
    #[error("{}", message_with_causes(.error))]
    OfField {
        /// The field.
        field: &'static str,
        /// The refusal.
        error: Box<MailError>,
    },
    /// A text that is over its limits.
    #[error(transparent)]
    Draft(#[from] DraftFault),
    /// A text that is not a name of a box.
    #[error(transparent)]
    Name(#[from] NameFault),
    /// A text that is not an agent id.
    #[error(transparent)]
    Agent(#[from] AgentIdFault),
    /// A text that is not a name of a message.
    #[error(transparent)]
    File(#[from] FileNameFault),
    /// A text that carries what must not be sent.
    #[error(transparent)]
    Hygiene(#[from] HygieneFault),
    /// Mail could not be delivered, found or moved.
    #[error(transparent)]
    Files(#[from] MailFault),
    /// The disk refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Memory, which knows the caller's place, refused.
    #[error(transparent)]
    Memory(Box<MemoryError>),
}

impl MailError {
    /// Whether a folder that it was about is gone.
    pub(super) fn is_of_missing_folder(&self) -> bool {
        match self {
            Self::Store(error) | Self::Files(MailFault::Store(error)) => match error {
                StoreError::Moved => true,
                StoreError::Disk { source, .. } => source.fault() == DiskFault::NotFound,
                _ => false,
            },
            Self::OfField { error, .. } => error.is_of_missing_folder(),
            _ => false,
        }
    }

    /// The same refusal, with the field that it is about.
    pub(crate) fn of_field(self, field: &'static str) -> Self {
        Self::OfField { field, error: Box::new(self) }
    }

    /// The same refusal, for a call that sent these copies before.
    pub(crate) fn after_copies(self, copies: Vec<String>, left: Vec<MailboxName>, has_key: bool) -> Self {
        match copies.is_empty() {
            true => self,
            false => Self::HalfSent { error: Box::new(self), copies, left, has_key },
        }
    }

    /// The message with its causes.
    pub(crate) fn whole(&self) -> String {
        message_with_causes(self)
    }

    fn refusal(&self) -> Refusal {
        let bad = |fix: Advice| Refusal::new(codes::INPUT_BAD_VALUE, fix);
        let missing = |fix: Advice| Refusal::new(codes::INPUT_MISSING, fix);
        match self {
            Self::NoKind { .. } => {
                let known: Vec<&str> = MessageKind::SENT.iter().map(MessageKind::as_str).collect();
                Refusal::new(codes::MAIL_BAD_TYPE, format!("use one of: {}", known.join(", ")))
                    .field("type")
                    .rule("MAIL-6")
            }
            Self::NoPriority { .. } => {
                bad("use urgent, normal or low".into()).field("priority").rule("MAIL-5")
            }
            Self::NoFolder { .. } => {
                bad("use unread, claimed, read or archive".into()).field("folder").rule("MAIL-10")
            }
            Self::NoLease => bad("give seconds, at most a day".into()).field("lease_s").rule("MAIL-11"),
            Self::NoKey => bad("use a short text that is the same when you send it again".into())
                .field("key")
                .rule("MAIL-7"),
            Self::NoThread => {
                bad("give a thread id or the name of a message".into()).field("thread").rule("MAIL-14")
            }
            Self::NoQuery => missing("give one or more words".into()).field("query").rule("MAIL-15"),
            Self::PruneAhead { .. } => {
                bad("give a day that is past (2026-07-04), or how long ago (90d)".into())
                    .field("older_than")
                    .rule("MAIL-13")
            }
            Self::NoRecipient => {
                Refusal::new(codes::MAIL_BAD_NAME, "give a session, a tag, an agent id or __broadcast")
                    .field("to")
                    .rule("MAIL-3")
            }
            Self::TooManyRecipients { .. } => {
                bad("send to a tag, or to __broadcast".into()).field("to").rule("MAIL-3")
            }
            Self::HasNoBox { .. } => Refusal::new(
                codes::MAIL_BAD_NAME,
                advice![
                    "name the session, a tag or an agent; ",
                    VerbId::LiveSend,
                    " takes worktree:PATH and parent, and session:NAME is that very name"
                ],
            )
            .field("to")
            .rule("MAIL-3"),
            Self::EmptyMessage => {
                missing(advice!["give `", field("subject"), "`, `", field("body"), "` or both"])
                    .field("body")
                    .rule("MAIL-5")
            }
            Self::EmptyReply => missing(advice!["give `", field("body"), "`"]).field("body").rule("MAIL-14"),
            Self::NoSender { fault, message } => Refusal {
                fix: Some(advice!["name whom you answer: ", calls::mail_answer(calls::NAME, message)]),
                ..Refusal::of(fault)
            }
            .field("file"),
            Self::HalfSent { error, left, has_key, .. } => {
                let refusal = error.refusal();
                match refusal.code {
                    // Some copies were sent, and a plain repeat would send them twice.
                    codes::STORE_NO_SPACE | codes::STORE_READ_ONLY => {
                        Refusal::new(codes::STORE_UNCONFIRMED, rest_alone(left, *has_key)).rule("MAIL-7")
                    }
                    _ => refusal,
                }
            }
            Self::TwoBoxes => bad("name the box once".into()).field("box").rule("MAIL-2"),
            Self::Finished { file, mailbox, .. } => Refusal::new(
                codes::MAIL_NOT_FOUND,
                advice!["read it with ", calls::mail_read_file(format!("{mailbox}/{file}"))],
            )
            .field("file")
            .rule("MAIL-11"),
            Self::NoMessage { other_box, in_box, .. } => {
                let list = match in_box {
                    Some(name) => calls::mail_list_box(name, None::<&str>),
                    None => calls::mail_list(),
                };
                let fix = match other_box {
                    BoxNaming::Field => advice![
                        "see `",
                        list,
                        "` for the messages that are there, or name another box with `",
                        field("box"),
                        "`"
                    ],
                    BoxNaming::Name => advice![
                        "see `",
                        list,
                        "` for the messages that are there; name one of another box as box/file"
                    ],
                };
                Refusal::new(codes::MAIL_NOT_FOUND, fix).field("file").rule("MAIL-10")
            }
            Self::Ambiguous { .. } => Refusal::new(codes::MAIL_AMBIGUOUS, "name one of them as box/file")
                .field("file")
                .rule("MAIL-2"),
            Self::NoConversation { .. } => Refusal::new(
                codes::MAIL_NOT_FOUND,
                advice!["give the thread id or the file of a message that `", calls::mail_list(), "` shows"],
            )
            .field("thread")
            .rule("MAIL-14"),
            Self::NothingUnread { named, .. } => {
                let before = match named {
                    Some(name) => calls::mail_list_box(name, "read"),
                    None => calls::mail_list_of("read"),
                };
                Refusal::new(
                    codes::MAIL_NOTHING,
                    advice!["look again later; `", before, "` shows what was read before"],
                )
                .rule("MAIL-15")
            }
            Self::NothingToTake { .. } => Refusal::new(
                codes::MAIL_NOTHING,
                advice![
                    "look again later; `",
                    calls::mail_list(),
                    "` shows what waits, and `",
                    calls::mail_list_of("claimed"),
                    "` which session holds what"
                ],
            )
            .rule("MAIL-11"),
            Self::TakesBroadcast => {
                bad("read it; it stays for the others".into()).field("box").rule("MAIL-12")
            }
            Self::BroadcastOfAnother { .. } => Refusal::new(
                codes::MAIL_NOT_YOURS,
                advice![
                    "mark it read: then it is gone for you; a person may add ",
                    field("force").set(),
                    ", which is recorded"
                ],
            )
            .field("file")
            .rule("MAIL-12"),
            Self::PrunesBroadcasts => Refusal::new(
                codes::MAIL_NOT_YOURS,
                advice!["leave them there; a person may add ", field("force").set(), ", which is recorded"],
            )
            .field("box")
            .rule("MAIL-12"),
            Self::NothingPruned(fault) => Refusal {
                code: fault.code,
                fix: fault.fix.clone(),
                field: fault.field.clone(),
                rule: fault.rule,
            },
            Self::NoBox { .. } => Refusal::new(
                codes::MAIL_NOT_FOUND,
                advice!["see `", calls::mail_list_all(), "` for the boxes that are there"],
            )
            .field("box")
            .rule("MAIL-10"),
            Self::SentUnderAnotherName { from, .. } => {
                let fix = advice![
                    "take it back in a session that is called {from}; a person may add ",
                    field("force").set()
                ];
                Refusal::new(codes::MAIL_NOT_YOURS, fix).field("file").rule("MAIL-10")
            }
            Self::BoxOfAnother { is_forced, .. } => {
                let fix = match is_forced {
                    true => "only a person may force it; ask one, or write to that session".into(),
                    false => advice![
                        "leave it to the session that it is for, or write to that session",
                        "; a session that works from it carries its name as a tag; a person may add ",
                        field("force").set()
                    ],
                };
                Refusal::new(codes::MAIL_NOT_YOURS, fix).field("box").rule("MAIL-15")
            }
            Self::NameTaken(taken) => Refusal::of(&**taken),
            Self::RootMissing(_) => Refusal::new(
                codes::MAIL_NO_ROOT,
                advice![
                    "name a mail root that exists with ",
                    Advice::mail_root(),
                    "; the first message that is sent to a new one makes it"
                ],
            )
            .field("mail_root")
            .rule("MAIL-1a"),
            Self::NoRoot => Refusal::new(
                codes::MAIL_NO_ROOT,
                advice![
                    "name a project with ",
                    Advice::root(),
                    ", or a mail root with ",
                    Advice::mail_root()
                ],
            )
            .rule("MAIL-1a"),
            Self::RootRefused { .. } => {
                Refusal::new(codes::MAIL_ROOT_REFUSED, "name a folder of your own as the mail root")
                    .field("mail_root")
                    .rule("MAIL-1")
            }
            Self::InsideGit(_) => Refusal::new(
                codes::MAIL_ROOT_REFUSED,
                "name a folder outside `.git`, or leave the mail root out",
            )
            .field("mail_root")
            .rule("MAIL-1"),
            Self::TopOfRepository(path) => Refusal::new(
                codes::MAIL_ROOT_REFUSED,
                format!(
                    "name the folder for mail in it, `{}`, or leave the mail root out",
                    path.join(".mail").display()
                ),
            )
            .field("mail_root")
            .rule("MAIL-1"),
            Self::BoxesMissing(_) => {
                Refusal { code: codes::STORE_UNREADABLE, fix: None, field: None, rule: Some("MAIL-4") }
            }
            Self::MailMoves => Refusal::new(codes::STORE_BUSY, "repeat in a moment").rule("MAIL-1a"),
            Self::NotLookedThrough { .. } => Refusal::new(
                codes::MAIL_UNREADABLE,
                "repair it, remove it or move it out of the mail, then repeat",
            )
            .rule("MAIL-1a"),
            Self::NotCommittable { fault, fix, .. } => {
                Refusal { fix: Some((*fix).into()), ..Refusal::of(fault) }
            }
            Self::OfField { field, error } => error.refusal().field(*field),
            Self::Draft(fault) => Refusal::of(fault),
            Self::Name(fault) => Refusal::of(fault),
            Self::Agent(fault) => Refusal::of(fault),
            Self::File(fault) => Refusal::of(fault),
            Self::Hygiene(fault) => Refusal::of(fault),
            Self::Files(fault) => Refusal::of(fault),
            Self::Store(error) => Refusal::of(error),
            Self::Memory(error) => Refusal::of(&**error),
        }
    }
}

coded_by_refusal!(MailError);

impl From<MemoryError> for MailError {
    fn from(error: MemoryError) -> Self {
        Self::Memory(Box::new(error))
    }
}

impl From<NameTaken> for MailError {
    fn from(taken: NameTaken) -> Self {
        Self::NameTaken(Box::new(taken))
    }
}

/// Advice on how to complete a send that the disk stopped half way.
fn rest_alone(left: &[MailboxName], has_key: bool) -> Advice {
    let names: Vec<&str> = left.iter().map(MailboxName::as_str).collect();
    match (has_key, names.is_empty()) {
        (true, _) => "free some space or make the folder writable, then repeat it with the same key: no copy is sent twice".into(),
        (false, true) => {
            "free some space or make the folder writable, then send it only to those that have no copy".into()
        }
        (false, false) => advice![
            "free some space or make the folder writable, then send it only to those that have no copy: ",
            field("to").is(names.join(","))
        ],
    }
}

//! The mail of one caller: the root, its boxes, the time, and what it may do to which box.

use super::error::MailError;
use super::whose::{OwnBoxes, terminal_person};
use super::words::OthersBoxes;
use crate::Post;
use brainstem_base::agent::AgentKind;
use brainstem_base::near_names::{is_near, slips};
use brainstem_base::{AgentId, Timestamp};
use brainstem_caller::addresses::{box_of_alias, boxes_of_agent, is_of_caller, names_of_hosts};
use brainstem_caller::person::{TerminalPerson, may_be_persons};
use brainstem_mail::name::{MailboxName, NameFault};
use brainstem_mail::resolve::{KnownUnderName, ResolveRule, resolve};
use brainstem_mail::thread::{FROM_AGENT, FROM_SESSION, SESSION_AGENT};
use brainstem_mail::{FileName, Lease, LeaseOwner, MessageHead};
use brainstem_memory::{Caller, Floor, Memory};
use brainstem_vault::StoreError;
use brainstem_vault::mail::{
    MailFault, MailRoot, Mailbox, NotTouched, ReadersOfName, SessionRecord, SessionRecords, SessionsCounted,
    TrackedMessages,
};
use serde_json::json;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// How many similar names an answer shows.
const NEAR_MAX: usize = 5;

/// The mail of the caller, opened for one call.
pub(crate) struct CallerMail<'a> {
    pub(crate) root: MailRoot,
    pub(crate) sessions: SessionRecords,
    pub(crate) own: OwnBoxes,
    pub(crate) now: Timestamp,
    /// Masks the names of messages, and refuses a question with a secret in it.
    pub(crate) floor: Floor,
    caller: &'a Caller,
    memory: Memory,
    /// The person at the terminal of this home, looked up when a name may be that person's.
    person: OnceCell<TerminalPerson>,
    tracked: OnceCell<Arc<TrackedMessages>>,
    /// The caller changes nothing, not even the leases that every look gives back.
    only_looks: bool,
    /// The record of the caller's session; `None` if it is not on record.
    pub(super) record: Option<SessionRecord>,
    /// Why the session that the caller names is not on record. `None` if it is, or the caller names none.
    pub(super) unrecorded: Option<String>,
}

/// Why a caller may change a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoxRight {
    /// The box is its own.
    Own,
    /// The caller is a person and forces it.
    Forced,
    /// The caller sent the message, which is unread.
    Sender,
}

impl Post {
    /// Opens a caller's mail under a name of its own, and records its session as live.
    pub(crate) fn open_mail<'a>(&self, caller: &'a Caller) -> Result<CallerMail<'a>, MailError> {
        let mut caller_mail = self.open_mail_unrecorded(caller)?;
        let mail = &caller.principal.mail;
        let is_named = mail.session.is_some() || !mail.tags.is_empty();
        let home = self.memory().home();
        let unrecorded = |holder: &MailboxName, error: &StoreError| {
            let why = format!(
                "{holder} could not be registered, so no other session sees that it is here: {error}"
            );
            is_named.then_some(why)
        };
        // Looking makes no home.
        let is_noted = !caller_mail.only_looks && (is_named || self.disk().stat(home.path()).is_ok());
        let home_fault = is_noted.then(|| home.ensure().err()).flatten();
        if !is_noted || home_fault.is_some() {
            caller_mail.check_own_name()?;
            caller_mail.unrecorded = home_fault.and_then(|error| unrecorded(&caller_mail.own.holder, &error));
            return Ok(caller_mail);
        }
        let (agent, check) = (caller.principal.agent.as_str(), || caller_mail.check_own_name());
        match caller_mail.sessions.touch(
            &caller_mail.own.holder,
            &mail.tags,
            Some(agent),
            &check,
            caller_mail.now,
        ) {
            Ok(record) => caller_mail.record = Some(record),
            Err(NotTouched::Refused(error)) => return Err(error),
            // A caller that cannot be registered gets its mail all the same, under a name that is its own.
            Err(NotTouched::Store(error)) => {
                caller_mail.check_own_name()?;
                caller_mail.unrecorded = unrecorded(&caller_mail.own.holder, &error);
            }
        }
        Ok(caller_mail)
    }

    /// As [`open_mail`](Self::open_mail), for a call that sends nothing. Refuses a mail root that the caller names and that
    /// does not exist: an empty answer would read as "there is no mail".
    pub(crate) fn open_mail_to_read<'a>(&self, caller: &'a Caller) -> Result<CallerMail<'a>, MailError> {
        if caller.principal.mail.root.is_some() {
            let root = self.open_mail_unrecorded(caller)?.root;
            if !root.exists()? {
                return Err(MailError::RootMissing(root.path().to_owned()));
            }
        }
        self.open_mail(caller)
    }

    /// Opens a caller's mail without recording its session.
    pub(super) fn open_mail_unrecorded<'a>(&self, caller: &'a Caller) -> Result<CallerMail<'a>, MailError> {
        // If the folder was replaced, the mail there belongs to another project.
        self.open_mail_at(caller, self.checked_mail_root(caller)?.ok_or(MailError::NoRoot)?)
    }

    /// The same for a mail root that was found already.
    pub(super) fn open_mail_at<'a>(
        &self,
        caller: &'a Caller,
        root: MailRoot,
    ) -> Result<CallerMail<'a>, MailError> {
        if let Some(what) = self.memory().never_a_project(root.path()) {
            return Err(MailError::RootRefused { path: root.path().to_owned(), what });
        }
        // The folder `.mail` of a project may be a repository of its own.
        if caller.principal.mail.root.is_some()
            && !root.path().ends_with(".mail")
            && self.is_top_of_repository(&root)
        {
            return Err(MailError::TopOfRepository(root.path().to_owned()));
        }
        if caller.principal.mail.root.is_some() && is_inside_git(root.path()) {
            return Err(MailError::InsideGit(root.path().to_owned()));
        }
        let now = self.clock().now();
        let connection = caller.principal.mail.connection_id.clone();
        let sessions = self.mail_sessions(&root).over_connection(connection);
        let own = self.own_boxes(caller, &root);
        let only_looks = self.memory().only_looks();
        let (memory, floor) = (self.memory().clone(), self.memory().floor());
        let (person, tracked) = (OnceCell::new(), OnceCell::new());
        let (record, unrecorded) = (None, None);
        Ok(CallerMail {
            root,
            sessions,
            own,
            now,
            floor,
            caller,
            memory,
            person,
            tracked,
            only_looks,
            record,
            unrecorded,
        })
    }
}

impl CallerMail<'_> {
    /// The caller.
    pub(super) fn caller(&self) -> &Caller {
        self.caller
    }

    /// The person at the terminal of this home.
    pub(super) fn person(&self) -> &TerminalPerson {
        self.person.get_or_init(|| terminal_person(&self.memory, self.caller))
    }

    /// Whether a name is a box of the person at the terminal.
    pub(super) fn is_persons(&self, name: &MailboxName) -> bool {
        may_be_persons(name) && self.person().has_box(name)
    }

    /// Which messages git tracks, as of this call.
    pub(crate) fn tracked(&self) -> &TrackedMessages {
        self.tracked.get_or_init(|| self.root.tracked())
    }

    /// The sessions, tags and agents that are known under the name of a box, including the other names of the same agent.
    pub(crate) fn readers_of(&self, name: &MailboxName) -> ReadersOfName {
        let names = match box_of_alias(name) {
            _ if self.is_persons(name) => self.person().boxes(),
            Some(of_agent) if of_agent == *name => AgentId::parse(&name.as_str().replacen('.', ":", 1))
                .map_or_else(|_| vec![name.clone()], |agent| boxes_of_agent(&agent)),
            Some(_) | None => vec![name.clone()],
        };
        self.sessions.readers_of_name(&names, self.now)
    }

    /// By which rule a name is resolved, given what is known under it.
    pub(crate) fn rule_of(&self, name: &MailboxName, known: KnownUnderName) -> ResolveRule {
        match resolve(name, known) {
            ResolveRule::Agent | ResolveRule::Future | ResolveRule::Session if self.is_persons(name) => {
                ResolveRule::Person
            }
            rule => rule,
        }
    }

    /// The box that a message for a name goes to. Refuses a name that differs only by case from a session, a tag or an agent on
    /// record, or from a box of this machine. A name that is on record itself is accepted.
    pub(crate) fn open_box(&self, name: &MailboxName) -> Result<Mailbox<'_>, MailError> {
        if self.is_own(name) || self.readers_of(name).known != KnownUnderName::default() {
            return Ok(self.root.listed(name)?);
        }
        match self.sessions.other_spelling(name, SessionsCounted::OnRecord, self.now) {
            Some(known) => Err(NameFault::on_record_in_another_spelling(name, &known).into()),
            None => Ok(self.root.mailbox(name)?),
        }
    }

    /// Refuses a name that differs only by case from a box of this machine, unless the name is on record itself.
    pub(super) fn check_box_spelling(&self, name: &MailboxName) -> Result<(), MailError> {
        if self.is_own(name) || self.readers_of(name).known != KnownUnderName::default() {
            return Ok(());
        }
        Ok(self.root.mailbox(name).map(drop)?)
    }

    /// The sentence that a box does not exist and that no session has its name, with similar names. `None` if
    /// the box or such a session exists.
    pub(crate) fn missing_box_sentence(&self, name: &MailboxName) -> Result<Option<String>, MailError> {
        // A listing asks this for each box, and most of them are the caller's own: those cost nothing. The register is large,
        // so it is read last.
        if self.is_own(name) {
            return Ok(None);
        }
        let boxes = self.root.boxes()?;
        if boxes.contains(name) {
            return Ok(None);
        }
        if self.rule_of(name, self.readers_of(name).known) != ResolveRule::Future {
            return Ok(None);
        }
        let known = self.sessions.names(self.now);
        let names: BTreeSet<&MailboxName> = boxes.iter().chain(&known).chain(&self.own.boxes).collect();
        // A name that is a secret is never shown as similar: that would confirm a guess.
        let names = names.into_iter().filter(|known| self.floor.check_secret("box", known.as_str()).is_ok());
        let near = names.filter(|known| is_near(name.as_str(), known.as_str()));
        let near: Vec<String> = near.take(NEAR_MAX).map(|known| format!("`{known}`")).collect();
        let near =
            if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
        Ok(Some(format!("there is no box `{name}` here{near}")))
    }

    /// The names of sessions, tags and agents that this name may be a slip of, the nearest first. Empty if the name is known
    /// here. Names that differ by a number are two of a series, not a slip.
    pub(crate) fn near_names(&self, name: &MailboxName) -> Vec<MailboxName> {
        // An agent of a host has its address even if it was never seen here.
        if box_of_alias(name).is_some() {
            return Vec::new();
        }
        let word = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        let slips = |known: &str| slips(name.as_str(), known).filter(|_| word(name.as_str()) != word(known));
        let on_record = self.sessions.names_like(&|known| slips(known).is_some(), self.now);
        let of_hosts = names_of_hosts().into_iter().filter(|known| slips(known.as_str()).is_some());
        let is_slip = |known: &str| slips(known).is_some();
        let person = self.person().is_word_for(name, &is_slip).then(|| self.person().mailbox());
        let mut near: Vec<MailboxName> = on_record.into_iter().chain(of_hosts).chain(person).collect();
        // A name that is a secret is never shown as similar: that would confirm a guess.
        near.retain(|known| known != name && self.floor.check_secret("to", known.as_str()).is_ok());
        near.sort_by_key(|known| (slips(known.as_str()), known.clone()));
        near.dedup();
        near.truncate(NEAR_MAX);
        near
    }

    /// Whether a box is the caller's own.
    pub(crate) fn is_own(&self, mailbox: &MailboxName) -> bool {
        self.own.boxes.contains(mailbox)
    }

    /// Whether a name is the caller's own now, or was before on the same connection.
    pub(crate) fn is_me(&self, name: &MailboxName) -> bool {
        self.own.holder == *name || self.own.earlier.contains(name)
    }

    /// Whether the caller holds a message: under a name of its own, and no other agent took it under that name.
    pub(crate) fn is_my_lease(&self, lease: &Lease) -> bool {
        self.is_me(&lease.owner) && lease.is_of_agent(Some(&self.own.agent))
    }

    /// The caller, as it holds a message that it takes.
    pub(crate) fn lease_owner(&self) -> LeaseOwner {
        let agent = Some(&self.own.agent).filter(|agent| **agent != self.own.holder);
        LeaseOwner { name: self.own.holder.clone(), agent: agent.cloned() }
    }

    /// The name under which the caller moves a message: the one that it holds the message by, which may be an earlier one.
    /// Refuses a message that another session holds.
    pub(crate) fn holder_name(
        &self,
        mailbox: &Mailbox<'_>,
        file: &FileName,
    ) -> Result<MailboxName, MailFault> {
        match mailbox.find(file).ok().and_then(|(place, _)| place.lease) {
            Some(lease) if self.is_my_lease(&lease) => Ok(lease.owner),
            Some(lease) => Err(MailFault::Held(Box::new(lease))),
            None => Ok(self.own.holder.clone()),
        }
    }

    /// Whether the caller or another session of its agent sent a message.
    pub(crate) fn has_sent(&self, head: &MessageHead) -> bool {
        (head.from == self.own.me.as_str() || self.has_name_of_sender(head)) && self.is_agent_of_sender(head)
    }

    /// Whether the caller sent a message itself, under its present name or an earlier one.
    pub(crate) fn has_sent_itself(&self, head: &MessageHead) -> bool {
        self.has_name_of_sender(head) && self.is_agent_of_sender(head)
    }

    /// The name that the caller's agent sent a message under, if that is not the caller's.
    pub(super) fn other_name_of_sender(&self, head: &MessageHead) -> Option<String> {
        let is_its = head.extra(FROM_AGENT).is_some() && self.is_agent_of_sender(head);
        (is_its && !self.has_name_of_sender(head)).then(|| head.from.clone())
    }

    fn has_name_of_sender(&self, head: &MessageHead) -> bool {
        let sender = head.extra(FROM_SESSION).unwrap_or(&head.from);
        MailboxName::parse(sender).is_ok_and(|sender| self.is_me(&sender))
    }

    /// Whether the agent that a message names as its sender's may be the caller's: another agent may have the name of a session
    /// that has ended. A message that names none was sent under the agent's own name. A shell in an agent's session sends as the
    /// person that is logged in: then the message names the agent of that session too, and it is that agent's and the person's.
    fn is_agent_of_sender(&self, head: &MessageHead) -> bool {
        let Some(id) = head.extra(FROM_AGENT) else { return true };
        let is_speaking = |id: &str| {
            AgentId::parse(id).is_ok_and(|agent| {
                let name = MailboxName::of_agent(&agent);
                box_of_alias(&name).unwrap_or(name) == self.own.agent
            })
        };
        let is_person = AgentId::parse(id).is_ok_and(|agent| agent.kind() == AgentKind::Human);
        // A person that the settings gave another name since is the same person.
        let is_same_person = |id: &str| {
            self.caller.principal.kind == AgentKind::Human
                && self.person().is_caller(&self.caller.principal)
                && AgentId::parse(id).is_ok_and(|id| self.is_persons(&MailboxName::of_agent(&id)))
        };
        is_speaking(id)
            || is_same_person(id)
            || head.extra(SESSION_AGENT).is_some_and(is_speaking)
            || !is_person && is_of_caller(self.caller, id)
    }

    /// Whether a message is a broadcast that the caller has seen, under any of its names.
    pub(crate) fn has_seen(&self, mailbox: &Mailbox<'_>, file: &FileName) -> bool {
        mailbox.is_seen_by(file, &self.own.reader)
    }

    /// Notes that the caller has seen a broadcast. Returns whether that is new for all of its names.
    pub(crate) fn mark_seen(&self, mailbox: &Mailbox<'_>, file: &FileName) -> Result<bool, MailError> {
        let was_seen = mailbox.seen_by(&self.own.reader).map_err(MailFault::from)?.contains(file.as_str());
        for name in self.own.noted_as.iter().filter(|_| !was_seen) {
            mailbox.mark_seen(file, name).map_err(MailFault::from)?;
        }
        Ok(!was_seen)
    }

    /// Refuses to change a box that is not the caller's; a person may force it. Record a forced change with
    /// [`record_forced`](Self::record_forced) before it is done.
    pub(crate) fn may_change(
        &self,
        mailbox: &MailboxName,
        force: OthersBoxes,
    ) -> Result<BoxRight, MailError> {
        if self.is_own(mailbox) {
            return Ok(BoxRight::Own);
        }
        if let Some(none) = self.missing_box_sentence(mailbox)? {
            return Err(MailError::NoBox { sentence: none });
        }
        if self.may_force(force) {
            return Ok(BoxRight::Forced);
        }
        let (mailbox, me) = (mailbox.clone(), self.own.me.clone());
        Err(MailError::BoxOfAnother { mailbox, me, is_forced: force == OthersBoxes::Forced })
    }

    /// Whether the caller is a person and forces the call.
    pub(crate) fn may_force(&self, force: OthersBoxes) -> bool {
        force == OthersBoxes::Forced && self.caller.principal.kind == AgentKind::Human
    }

    /// Records what a person is about to force, a line for each message. Call it after every check has passed.
    pub(crate) fn record_forced<'f>(
        &self,
        right: BoxRight,
        mailbox: &MailboxName,
        doing: &'static str,
        files: impl IntoIterator<Item = &'f str>,
    ) -> Result<(), MailError> {
        let line = |file: &str| {
            json!({
                "at": self.now.to_rfc3339(), "who": self.caller.principal.agent.as_str(),
                "did": doing, "box": mailbox.as_str(), "file": file,
            })
        };
        let lines: Vec<String> = files.into_iter().map(|file| line(file).to_string()).collect();
        if right != BoxRight::Forced || lines.is_empty() {
            return Ok(());
        }
        Ok(self.root.record_forced(&lines.join("\n")).map_err(MailFault::from)?)
    }

    /// Puts messages whose lease is over back into the box, as every look does. Returns what could not be put back.
    pub(crate) fn give_back(&self, mailbox: &Mailbox<'_>) -> Vec<String> {
        if self.only_looks {
            return Vec::new();
        }
        match mailbox.give_back(self.now) {
            Ok(done) => done
                .stuck
                .into_iter()
                .map(|(lease, why)| format!("{} could not come back: {why}", lease.file))
                .collect(),
            Err(error) => vec![error.to_string()],
        }
    }
}

/// Whether a folder is one of git's own: git takes what is in some of them for its refs and objects.
fn is_inside_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

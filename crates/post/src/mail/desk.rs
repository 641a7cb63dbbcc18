//! One caller at its mail: the root, its boxes, the time, and what it may do to which box.

use super::error::MailError;
use super::whose::OwnBoxes;
use super::words::OthersBoxes;
use crate::Post;
use brainstem_base::agent::AgentKind;
use brainstem_base::near_names::{is_near, slips};
use brainstem_base::{AgentId, Timestamp};
use brainstem_caller::addresses::{box_of_alias, boxes_of_agent, names_of_hosts};
use brainstem_mail::name::{MailboxName, NameFault};
use brainstem_mail::resolve::{KnownUnderName, ResolveRule, resolve};
use brainstem_mail::thread::FROM_SESSION;
use brainstem_mail::{FileName, MessageHead};
use brainstem_memory::{Caller, Floor};
use brainstem_vault::mail::{
    MailFault, MailRoot, Mailbox, NotTouched, ReadersOfName, SessionRecords, SessionsCounted, TrackedMessages,
};
use serde_json::json;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many names are told that are near one.
const NEAR_MAX: usize = 5;

/// What a call of mail works with.
pub(crate) struct Desk<'a> {
    pub(crate) root: MailRoot,
    pub(crate) sessions: SessionRecords,
    pub(crate) own: OwnBoxes,
    pub(crate) now: Timestamp,
    /// What masks the names of messages, and refuses a question with a secret in it.
    pub(crate) floor: Floor,
    caller: &'a Caller,
    tracked: OnceCell<Arc<TrackedMessages>>,
    /// The caller changes nothing, not even what everybody does who looks.
    only_looks: bool,
}

/// Why a caller may change a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// It is its own.
    Own,
    /// A person forces it.
    Forced,
}

impl Post {
    /// Opens a caller's mail under a name that is its own, and notes in the register that it is here.
    pub(crate) fn desk<'a>(&self, caller: &'a Caller) -> Result<Desk<'a>, MailError> {
        let desk = self.open(caller)?;
        let mail = &caller.principal.mail;
        let is_named = mail.session.is_some() || !mail.tags.is_empty();
        let home = self.memory().home();
        // Looking makes no home.
        let is_noted =
            !desk.only_looks && (is_named || self.disk().stat(home.path()).is_ok()) && home.ensure().is_ok();
        if !is_noted {
            desk.check_own_name()?;
            return Ok(desk);
        }
        let (agent, check) = (caller.principal.agent.as_str(), || desk.check_own_name());
        match desk.sessions.touch(&desk.own.holder, &mail.tags, Some(agent), &check, desk.now) {
            Ok(_) => {}
            Err(NotTouched::Refused(error)) => return Err(error),
            // A caller that cannot be registered gets its mail all the same, under a name that is its own.
            Err(NotTouched::Store(_)) => desk.check_own_name()?,
        }
        Ok(desk)
    }

    /// As [`desk`](Self::desk), for a call that sends nothing. Refuses a mail root that the caller names and that does not
    /// exist: nothing found there would read as "there is nothing".
    pub(crate) fn desk_to_read<'a>(&self, caller: &'a Caller) -> Result<Desk<'a>, MailError> {
        if caller.principal.mail.root.is_some() {
            let root = self.open(caller)?.root;
            if !root.exists()? {
                return Err(MailError::RootMissing(root.path().to_owned()));
            }
        }
        self.desk(caller)
    }

    /// Opens a caller's mail, and notes nothing.
    pub(super) fn open<'a>(&self, caller: &'a Caller) -> Result<Desk<'a>, MailError> {
        // The mail there is of another project. One that names a mail root means that folder.
        if caller.principal.mail.root.is_none() {
            self.memory().check_ground(caller)?;
        }
        let root = self.mail_root(caller).ok_or(MailError::NoRoot)?;
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
        let now = self.clock().now();
        let connection = caller.principal.mail.connection_id.clone();
        let sessions = self.mail_sessions(&root).over_connection(connection);
        let own = self.own_boxes(caller, &root);
        let only_looks = self.memory().only_looks();
        let (floor, tracked) = (self.memory().floor(), OnceCell::new());
        Ok(Desk { root, sessions, own, now, floor, caller, tracked, only_looks })
    }
}

impl Desk<'_> {
    /// The caller.
    pub(super) fn caller(&self) -> &Caller {
        self.caller
    }

    /// Which messages git tracks, as of this call.
    pub(crate) fn tracked(&self) -> &TrackedMessages {
        self.tracked.get_or_init(|| self.root.tracked())
    }

    /// Who is known under the name of a box, whichever of the agent's names that is.
    pub(crate) fn standing(&self, name: &MailboxName) -> ReadersOfName {
        let names = match box_of_alias(name) {
            Some(of_agent) if of_agent == *name => AgentId::parse(&name.as_str().replacen('.', ":", 1))
                .map_or_else(|_| vec![name.clone()], |agent| boxes_of_agent(&agent)),
            Some(_) | None => vec![name.clone()],
        };
        self.sessions.readers_of_name(&names, self.now)
    }

    /// The box that a message for a name goes to. A name that differs only by case from that of a session, a tag or an
    /// agent on record, or of a box of this machine, is refused; one that is on record itself is not.
    pub(crate) fn open_box(&self, name: &MailboxName) -> Result<Mailbox<'_>, MailError> {
        if self.is_own(name) || self.standing(name).known != KnownUnderName::default() {
            return Ok(self.root.listed(name)?);
        }
        match self.sessions.other_spelling(name, SessionsCounted::OnRecord, self.now) {
            Some(known) => Err(NameFault::on_record_in_another_spelling(name, &known).into()),
            None => Ok(self.root.mailbox(name)?),
        }
    }

    /// Refuses a name that a box of this machine has in another spelling, unless the name is on record itself.
    pub(super) fn check_box_spelling(&self, name: &MailboxName) -> Result<(), MailError> {
        if self.is_own(name) || self.standing(name).known != KnownUnderName::default() {
            return Ok(());
        }
        Ok(self.root.mailbox(name).map(drop)?)
    }

    /// What is told of a box that is neither there nor anybody's: that there is none, with the names near it.
    pub(crate) fn no_such(&self, name: &MailboxName) -> Result<Option<String>, MailError> {
        // Asked for each box of a listing, and most of them are the caller's own: those cost nothing. The register is
        // large, so it is asked last.
        if self.is_own(name) {
            return Ok(None);
        }
        let boxes = self.root.boxes()?;
        if boxes.contains(name) {
            return Ok(None);
        }
        if resolve(name, self.standing(name).known) != ResolveRule::Future {
            return Ok(None);
        }
        let known = self.sessions.names(self.now);
        let names: BTreeSet<&MailboxName> = boxes.iter().chain(&known).chain(&self.own.boxes).collect();
        // A name that is a secret is near to nothing: a hint at it would confirm a guess.
        let names = names.into_iter().filter(|known| self.floor.check_secret("box", known.as_str()).is_ok());
        let near = names.filter(|known| is_near(name.as_str(), known.as_str()));
        let near: Vec<String> = near.take(NEAR_MAX).map(|known| format!("`{known}`")).collect();
        let near =
            if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
        Ok(Some(format!("there is no box `{name}` here{near}")))
    }

    /// The names of sessions, tags and agents that are a slip away from one that nobody here has, the nearest first. Names
    /// that differ by a number are two of a series, and no slip.
    pub(crate) fn near_names(&self, name: &MailboxName) -> Vec<MailboxName> {
        // An agent of a host has its address wherever it was seen.
        if box_of_alias(name).is_some() {
            return Vec::new();
        }
        let word = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
        let slips = |known: &str| slips(name.as_str(), known).filter(|_| word(name.as_str()) != word(known));
        let on_record = self.sessions.names_like(&|known| slips(known).is_some(), self.now);
        let of_hosts = names_of_hosts().into_iter().filter(|known| slips(known.as_str()).is_some());
        let mut near: Vec<MailboxName> = on_record.into_iter().chain(of_hosts).collect();
        // A name that is a secret is near to nothing: a hint at it would confirm a guess.
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

    /// Whether a name is the caller's own, now or before on the same connection.
    pub(crate) fn is_me(&self, name: &MailboxName) -> bool {
        self.own.holder == *name || self.own.earlier.contains(name)
    }

    /// The name under which the caller moves a message: the one that it holds it by, perhaps one that it had before.
    pub(crate) fn holds_as(&self, mailbox: &Mailbox<'_>, file: &FileName) -> MailboxName {
        let lease = mailbox.find(file).ok().and_then(|(place, _)| place.lease);
        let owner = lease.map(|lease| lease.owner).filter(|owner| self.is_me(owner));
        owner.unwrap_or_else(|| self.own.holder.clone())
    }

    /// Whether the caller sent a message, or another session of its agent did.
    pub(crate) fn has_sent(&self, head: &MessageHead) -> bool {
        head.from == self.own.me.as_str() || self.has_sent_itself(head)
    }

    /// Whether the caller sent a message itself, under the name that it has or one that it had.
    pub(crate) fn has_sent_itself(&self, head: &MessageHead) -> bool {
        let sender = head.extra(FROM_SESSION).unwrap_or(&head.from);
        MailboxName::parse(sender).is_ok_and(|sender| self.is_me(&sender))
    }

    /// Whether a message is a broadcast that the caller has seen, under any of its names.
    pub(crate) fn has_seen(&self, mailbox: &Mailbox<'_>, file: &FileName) -> bool {
        mailbox.is_seen_by(file, &self.own.reader)
    }

    /// Notes that the caller has seen a broadcast; answers whether it had not before, under any of its names.
    pub(crate) fn mark_seen(&self, mailbox: &Mailbox<'_>, file: &FileName) -> Result<bool, MailError> {
        let was_seen = mailbox.seen_by(&self.own.reader).map_err(MailFault::from)?.contains(file.as_str());
        for name in self.own.noted_as.iter().filter(|_| !was_seen) {
            mailbox.mark_seen(file, name).map_err(MailFault::from)?;
        }
        Ok(!was_seen)
    }

    /// Refuses to change a box that is somebody else's; a person may force it. What is forced is to be recorded before it
    /// is done, with [`record_forced`](Self::record_forced).
    pub(crate) fn may_change(&self, mailbox: &MailboxName, force: OthersBoxes) -> Result<Right, MailError> {
        if self.is_own(mailbox) {
            return Ok(Right::Own);
        }
        if let Some(none) = self.no_such(mailbox)? {
            return Err(MailError::NoBox { told: none });
        }
        if self.may_force(force) {
            return Ok(Right::Forced);
        }
        let (mailbox, me) = (mailbox.clone(), self.own.me.clone());
        Err(MailError::BoxOfAnother { mailbox, me, is_forced: force == OthersBoxes::Forced })
    }

    /// Whether the caller is a person who forces something.
    pub(crate) fn may_force(&self, force: OthersBoxes) -> bool {
        force == OthersBoxes::Forced && self.caller.principal.kind == AgentKind::Human
    }

    /// Records what a person is about to force, a line for each message. To be called once nothing refuses it any more.
    pub(crate) fn record_forced<'f>(
        &self,
        right: Right,
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
        if right == Right::Own || lines.is_empty() {
            return Ok(());
        }
        Ok(self.root.record_forced(&lines.join("\n")).map_err(MailFault::from)?)
    }

    /// Gives back what is held too long, as everybody who looks does, and says what could not be.
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

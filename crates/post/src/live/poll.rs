//! Saying what one does, and getting what waits.

use super::error::LiveError;
use super::hub::Hub;
use super::limits::check_len;
use super::place::{check_still, place_of};
use crate::Post;
use crate::mail::Boxes;
use crate::mail::desk::Desk;
use brainstem_mail::live::{
    Address, LiveNote, LiveTarget, Polled, Presence, Project, SessionStatus, SessionView, TargetReach,
};
use brainstem_mail::name::MailboxName;
use brainstem_mail::{FileName, MessageHead, Priority};
use brainstem_memory::Caller;
use brainstem_vault::mail::{MailRoot, UnreadView};

/// The tag of those who hear what everybody does.
pub(super) const ORCHESTRATOR: &str = "orchestrator";
/// How many messages one poll answers.
const POLL_MAX: usize = 100;
/// How many messages of a box somebody who comes is told of: the oldest.
const GREETED_MAX: usize = 100;

/// What a session does.
#[derive(Clone, Debug)]
pub struct StatusRequest {
    /// What it does.
    pub status: SessionStatus,
    /// In its own words; may be empty.
    pub note: String,
    /// The session that started it.
    pub parent: Option<MailboxName>,
}

impl StatusRequest {
    /// Reads the words of a call.
    pub fn parse(status: &str, note: Option<String>, parent: Option<&str>) -> Result<Self, LiveError> {
        let given = || status.chars().take(40).collect();
        let status =
            SessionStatus::find(status.trim()).ok_or_else(|| LiveError::NoStatus { given: given() })?;
        let parent = parent.map(MailboxName::parse).transpose();
        let parent = parent.map_err(|fault| LiveError::Name { field: "parent", fault })?;
        Ok(Self { status, note: note.unwrap_or_default(), parent })
    }
}

/// Who heard it.
#[derive(Clone, Debug)]
pub struct Told {
    /// Who said it.
    pub me: MailboxName,
    /// What it does.
    pub status: SessionStatus,
    /// The sessions that were told, by name.
    pub recipients: Vec<Address>,
}

/// What is to be got.
#[derive(Clone, Debug, Default)]
pub struct PollRequest {
    /// Where the last poll ended. Everything up to it that was handed out counts as got.
    pub cursor: Option<u64>,
    /// What was got, where that is less than the cursor.
    pub ack: Option<u64>,
    /// The project where the poll began to wait: it ends where another folder is at that path.
    pub begun_at: Option<Project>,
}

/// What was got, and by whom.
#[derive(Clone, Debug)]
pub struct Got {
    /// The session that asked: whoever waits for its news knows it by this.
    pub who: Address,
    /// What it got.
    pub polled: Polled,
}

impl Post {
    /// Tells what the caller does; orchestrators of the project hear it.
    pub fn live_status(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
        request: &StatusRequest,
    ) -> Result<Told, LiveError> {
        let hub = hub.ok_or(LiveError::NoDaemon)?;
        let desk = self.desk(caller)?;
        let StatusRequest { status, note: text, parent } = request;
        let status = *status;
        let presence = self.presence(caller, &desk, parent.clone());
        let me = presence.address.clone();
        check_len("note", text)?;
        let note = LiveNote {
            from: Some(desk.own.me.to_string()),
            kind: "status".to_owned(),
            subject: status.as_str().to_owned(),
            body: text.clone(),
            ..LiveNote::default()
        };
        let orchestrators = LiveTarget::Tag(MailboxName::parse(ORCHESTRATOR).expect("it is a name"));
        let recipients = hub.with(|channel| {
            channel.hear(presence, desk.now);
            channel.report(&me, status, text);
            let recipients = channel.recipients(&me, &orchestrators, TargetReach::Project, desk.now);
            for to in &recipients {
                channel.push(to, note.clone(), desk.now);
            }
            recipients
        });
        Ok(Told { me: me.name, status, recipients })
    }

    /// Who is online in the caller's project, and what they do. Who only looks does not come online by it.
    pub fn live_standings(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
    ) -> Result<(MailboxName, Vec<SessionView>), LiveError> {
        let hub = hub.ok_or(LiveError::NoDaemon)?;
        let desk = self.desk(caller)?;
        let project = place_of(&desk.root);
        let mut standings = hub.standings(desk.now);
        standings.retain(|one| one.presence.address.project == project);
        Ok((desk.own.holder.clone(), standings))
    }

    /// Gets what waits for the caller now. What was got before, by cursor or acknowledgement, is done with; where it
    /// was mail too, that is marked read and shown no second time. Who has just come is told of the mail that waits.
    /// A number that was never handed out to the caller counts as none, and that is said: nothing unseen is done with.
    pub fn live_poll(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
        request: &PollRequest,
    ) -> Result<Got, LiveError> {
        let hub = hub.ok_or(LiveError::NoDaemon)?;
        let desk = self.desk(caller)?;
        let presence = self.presence(caller, &desk, None);
        let who = presence.address.clone();
        check_still(request.begun_at.as_ref(), &who.project)?;
        let handed = hub.with(|channel| {
            channel.hear(presence, desk.now);
            channel.handed(&who)
        });
        let known = |number: u64| if number > handed { 0 } else { number };
        let cursor = known(request.cursor.unwrap_or(0));
        let up_to = known(request.ack.unwrap_or(cursor));
        let is_gap = [request.cursor, request.ack].into_iter().flatten().any(|number| number > handed);
        let got = hub.with(|channel| channel.got(&who, up_to));
        // Copies first: a watcher that finds one unread must find its live message waiting as well.
        for note in got.iter().map(|message| &message.note).filter(|note| note.is_copy) {
            if let Some((mailbox, file)) = &note.about {
                self.close_copy(&desk, mailbox, file);
            }
        }
        for message in hub.with(|channel| channel.acknowledge(&who, up_to)) {
            if let Some((mailbox, file)) = message.note.about {
                hub.acknowledge_wake(&who, mailbox, file);
            }
        }
        if hub.with(|channel| channel.take_greeting(&who)) {
            self.greet(&desk, hub, &who);
        }
        let mut missed = 0;
        loop {
            let mut polled = hub.with(|channel| channel.poll(&who, cursor, POLL_MAX));
            missed += polled.missed;
            let over: Vec<u64> = polled
                .messages
                .iter()
                .filter(|message| is_over(&desk.root, &desk.own.reader, &message.note))
                .map(|message| message.id)
                .collect();
            if over.is_empty() {
                (polled.missed, polled.is_gap) = (missed, is_gap);
                return Ok(Got { who, polled });
            }
            hub.with(|channel| channel.forget(&who, &over));
        }
    }

    /// Tells a session that has just come what is unread in its boxes.
    fn greet(&self, desk: &Desk<'_>, hub: &Hub, who: &Address) {
        for mailbox in desk.boxes(&Boxes::Own).unwrap_or_default().0 {
            let mut waiting = UnreadView::default();
            // A box that cannot be looked at now is the watcher's next.
            if mailbox.look_again(&mut waiting).is_err() {
                continue;
            }
            let is_own = |head: &MessageHead| mailbox.name().is_broadcast() && desk.has_sent_itself(head);
            let unread = waiting.messages().filter(|(file, head)| {
                !head.is_expired(desk.now) && !is_own(head) && mailbox.waits_for(file, &desk.own.reader)
            });
            let notes: Vec<LiveNote> = unread
                .take(GREETED_MAX)
                .map(|(file, head)| {
                    let is_tracked = mailbox.is_tracked(desk.tracked(), file);
                    notice(mailbox.name(), file, head, is_tracked)
                })
                .collect();
            hub.with(|channel| {
                for note in notes {
                    channel.push(who, note, desk.now);
                }
            });
        }
    }

    /// What the channel hears about a caller.
    pub(super) fn presence(&self, caller: &Caller, desk: &Desk<'_>, parent: Option<MailboxName>) -> Presence {
        let at = caller.place().deciding().map(|(_, path)| path);
        let at = at.map(|path| self.disk().canonical(&path).unwrap_or(path));
        let tags = desk.own.boxes.iter().filter(|name| **name != desk.own.holder && !name.is_broadcast());
        Presence {
            address: Address { project: place_of(&desk.root), name: desk.own.holder.clone() },
            reader: desk.own.reader.clone(),
            mailbox: desk.own.me.clone(),
            tags: tags.cloned().collect(),
            worktree: at.map(|path| path.display().to_string()),
            parent,
        }
    }

    /// The mail copy of what a session got live. It stays unread where it cannot be moved, which is harmless.
    fn close_copy(&self, desk: &Desk<'_>, mailbox: &MailboxName, file: &str) {
        if let (Ok(file), Ok(mailbox)) = (FileName::parse(file), desk.root.listed(mailbox)) {
            let _ = mailbox.mark_read(&file, &desk.holds_as(&mailbox, &file), desk.now);
        }
    }
}

/// What a session is told of a message in a box: where it lies and what it is about, never what it says. What git
/// tracks is told as that, and is urgent to nobody.
pub(super) fn notice(
    mailbox: &MailboxName,
    file: &FileName,
    head: &MessageHead,
    is_tracked: bool,
) -> LiveNote {
    LiveNote {
        from: Some(head.from.clone()),
        kind: "mail".to_owned(),
        subject: head.subject.clone(),
        body: format!("{mailbox}/{file}"),
        urgent: head.priority == Priority::Urgent && !is_tracked,
        about: Some((mailbox.clone(), file.to_string())),
        is_copy: false,
        is_tracked,
    }
}

/// Whether what is said about a message is no longer true: it was read, taken or moved meanwhile.
fn is_over(root: &MailRoot, reader: &[MailboxName], note: &LiveNote) -> bool {
    let Some((mailbox, file)) = &note.about else { return false };
    if !note.is_copy && !["mail", "nobody_home"].contains(&note.kind.as_str()) {
        return false;
    }
    let (Ok(file), Ok(mailbox)) = (FileName::parse(file), root.listed(mailbox)) else { return false };
    !mailbox.waits_for(&file, reader)
}

//! Statuses of sessions, and polling for messages.

use super::error::LiveError;
use super::hub::Hub;
use super::inbox_notice::row_of;
use super::limits::check_len;
use super::project::{check_same_project, project_of_root};
use crate::Post;
use crate::mail::Boxes;
use crate::mail::caller_mail::CallerMail;
use brainstem_mail::live::{
    Address, LiveNote, LiveTarget, Polled, Presence, Project, SessionStatus, SessionView, TargetReach,
};
use brainstem_mail::name::MailboxName;
use brainstem_mail::{FileName, MessageHead, Priority};
use brainstem_memory::Caller;
use brainstem_vault::mail::{MailRoot, UnreadView};

/// The tag of the sessions that hear every status.
pub(super) const ORCHESTRATOR: &str = "orchestrator";
/// How many messages one poll returns.
const POLL_MAX: usize = 100;
/// For how many unread messages of a box a session gets notices when it comes online: the oldest.
const GREETED_MAX: usize = 100;

/// What a session says about its work.
#[derive(Clone, Debug)]
pub struct StatusRequest {
    /// What it does.
    pub status: SessionStatus,
    /// Details in its own words; may be empty.
    pub note: String,
    /// The session that started it.
    pub parent: Option<MailboxName>,
}

impl StatusRequest {
    /// Reads the fields of a call.
    pub fn parse(status: &str, note: Option<String>, parent: Option<&str>) -> Result<Self, LiveError> {
        let given = || status.chars().take(40).collect();
        let status =
            SessionStatus::find(status.trim()).ok_or_else(|| LiveError::NoStatus { given: given() })?;
        let parent = parent.map(MailboxName::parse).transpose();
        let parent = parent.map_err(|fault| LiveError::Name { field: "parent", fault })?;
        Ok(Self { status, note: note.unwrap_or_default(), parent })
    }
}

/// A status that was announced, and the sessions that heard it.
#[derive(Clone, Debug)]
pub struct AnnouncedStatus {
    /// The session that announced it.
    pub me: MailboxName,
    /// Its status.
    pub status: SessionStatus,
    /// The sessions that heard it, by name.
    pub recipients: Vec<Address>,
}

/// What a poll asks for.
#[derive(Clone, Debug, Default)]
pub struct PollRequest {
    /// Where the last poll ended. The caller has got every message up to it that was handed out.
    pub cursor: Option<u64>,
    /// The last message that the caller has got, if that is before the cursor.
    pub ack: Option<u64>,
    /// The project where the poll began to wait. The poll ends if another folder is at that path.
    pub begun_at: Option<Project>,
}

/// A session and the messages that its poll returned.
#[derive(Clone, Debug)]
pub struct PollAnswer {
    /// The session that polled. The door waits for its news under this address.
    pub who: Address,
    /// The messages.
    pub polled: Polled,
}

impl Post {
    /// Announces the caller's status; the orchestrators of the project hear it.
    pub fn live_status(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
        request: &StatusRequest,
    ) -> Result<AnnouncedStatus, LiveError> {
        let hub = hub.ok_or(LiveError::NoDaemon)?;
        let caller_mail = self.open_mail(caller)?;
        let StatusRequest { status, note: text, parent } = request;
        let status = *status;
        let presence = self.presence(caller, &caller_mail, parent.clone());
        let me = presence.address.clone();
        check_len("note", text)?;
        let note = LiveNote {
            from: Some(caller_mail.own.me.to_string()),
            kind: "status".to_owned(),
            subject: status.as_str().to_owned(),
            body: text.clone(),
            ..LiveNote::default()
        };
        let orchestrators = LiveTarget::Tag(MailboxName::parse(ORCHESTRATOR).expect("it is a name"));
        let recipients = hub.with(|channel| {
            channel.hear(presence, caller_mail.now);
            channel.report(&me, status, text);
            let recipients = channel.recipients(&me, &orchestrators, TargetReach::Project, caller_mail.now);
            for to in &recipients {
                channel.push(to, note.clone(), caller_mail.now);
            }
            recipients
        });
        Ok(AnnouncedStatus { me: me.name, status, recipients })
    }

    /// The sessions that are online in the caller's project, with their statuses. This call does not bring the caller online.
    pub fn live_sessions(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
    ) -> Result<(MailboxName, Vec<SessionView>), LiveError> {
        let hub = hub.ok_or(LiveError::NoDaemon)?;
        let caller_mail = self.open_mail(caller)?;
        let project = project_of_root(&caller_mail.root);
        let mut online_sessions = hub.online_sessions(caller_mail.now);
        online_sessions.retain(|one| one.presence.address.project == project);
        Ok((caller_mail.own.holder.clone(), online_sessions))
    }

    /// Returns the messages that wait for the caller. Those that it got before, by cursor or acknowledgement, are dropped; if
    /// such a message has a mail copy, the copy is marked read. A session that has just come online gets notices of its unread
    /// mail. A cursor that was never handed out to the caller counts as none, and the answer says so: no unseen message is
    /// dropped.
    pub fn live_poll(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
        request: &PollRequest,
    ) -> Result<PollAnswer, LiveError> {
        let hub = hub.ok_or(LiveError::NoDaemon)?;
        // The check comes first: opening the mail records the session, and another project may be at the path.
        self.check_live_project(caller, request.begun_at.as_ref())?;
        let caller_mail = self.open_mail(caller)?;
        let presence = self.presence(caller, &caller_mail, None);
        let who = presence.address.clone();
        check_same_project(request.begun_at.as_ref(), &who.project)?;
        let handed = hub.with(|channel| {
            channel.hear(presence, caller_mail.now);
            channel.handed(&who)
        });
        let known = |number: u64| if number > handed { 0 } else { number };
        let cursor = known(request.cursor.unwrap_or(0));
        let up_to = known(request.ack.unwrap_or(cursor));
        let is_gap = [request.cursor, request.ack].into_iter().flatten().any(|number| number > handed);
        let got = hub.with(|channel| channel.got(&who, up_to));
        // Copies first: a watcher that finds a copy unread must find its live message waiting too.
        for note in got.iter().map(|message| &message.note).filter(|note| note.is_copy) {
            if let Some((mailbox, file)) = &note.about {
                self.close_copy(&caller_mail, mailbox, file);
            }
        }
        for message in hub.with(|channel| channel.acknowledge(&who, up_to)) {
            if let Some((mailbox, file)) = message.note.about {
                hub.acknowledge_wake(&who, mailbox, file);
            }
        }
        if hub.with(|channel| channel.take_greeting(&who)) {
            self.greet(&caller_mail, hub, &who);
        }
        let mut missed = 0;
        loop {
            let mut polled = hub.with(|channel| channel.poll(&who, cursor, POLL_MAX));
            missed += polled.missed;
            let settled =
                self.settled_rows(polled.messages.iter().filter_map(|message| row_of(&message.note)));
            let over: Vec<u64> = polled
                .messages
                .iter()
                .filter(|message| {
                    is_over(&caller_mail.root, &caller_mail.own.reader, &message.note)
                        || row_of(&message.note).is_some_and(|row| settled.contains(&row))
                })
                .map(|message| message.id)
                .collect();
            if over.is_empty() {
                (polled.missed, polled.is_gap) = (missed, is_gap);
                return Ok(PollAnswer { who, polled });
            }
            hub.with(|channel| channel.forget(&who, &over));
        }
    }

    /// Queues notices of the unread mail in its boxes for a session that has just come online.
    fn greet(&self, caller_mail: &CallerMail<'_>, hub: &Hub, who: &Address) {
        for mailbox in caller_mail.boxes(&Boxes::Own).unwrap_or_default().0 {
            let mut waiting = UnreadView::default();
            // The watcher looks at this box next.
            if mailbox.look_again(&mut waiting).is_err() {
                continue;
            }
            let is_own =
                |head: &MessageHead| mailbox.name().is_broadcast() && caller_mail.has_sent_itself(head);
            let unread = waiting.messages().filter(|(file, head)| {
                !head.is_expired(caller_mail.now)
                    && !is_own(head)
                    && mailbox.waits_for(file, &caller_mail.own.reader)
            });
            let notes: Vec<LiveNote> = unread
                .take(GREETED_MAX)
                .map(|(file, head)| {
                    let is_tracked = mailbox.is_tracked(caller_mail.tracked(), file);
                    notice(mailbox.name(), file, head, is_tracked)
                })
                .collect();
            hub.with(|channel| {
                for note in notes {
                    channel.push(who, note, caller_mail.now);
                }
            });
        }
    }

    /// What the channel records about a caller.
    pub(super) fn presence(
        &self,
        caller: &Caller,
        caller_mail: &CallerMail<'_>,
        parent: Option<MailboxName>,
    ) -> Presence {
        let at = caller.place().deciding().map(|(_, path)| path);
        let at = at.map(|path| self.disk().canonical(&path).unwrap_or(path));
        let tags = caller_mail
            .own
            .boxes
            .iter()
            .filter(|name| **name != caller_mail.own.holder && !name.is_broadcast());
        Presence {
            address: Address {
                project: project_of_root(&caller_mail.root),
                name: caller_mail.own.holder.clone(),
            },
            reader: caller_mail.own.reader.clone(),
            mailbox: caller_mail.own.me.clone(),
            tags: tags.cloned().collect(),
            inboxes: self.inboxes_of(caller),
            worktree: at.map(|path| path.display().to_string()),
            parent,
        }
    }

    /// The slugs whose inboxes are a caller's. Without the ledger it gets no notice about one.
    fn inboxes_of(&self, caller: &Caller) -> Vec<MailboxName> {
        let own = self.own_inbox(caller).map_or_else(|_| Vec::new(), |own| own.slugs);
        own.iter().filter_map(|slug| MailboxName::parse(slug.as_str()).ok()).collect()
    }

    /// Marks the mail copy of a live message read. If it cannot be moved it stays unread, which is harmless.
    fn close_copy(&self, caller_mail: &CallerMail<'_>, mailbox: &MailboxName, file: &str) {
        if let (Ok(file), Ok(mailbox)) = (FileName::parse(file), caller_mail.root.listed(mailbox))
            && let Ok(holder) = caller_mail.holder_name(&mailbox, &file)
        {
            let _ = mailbox.mark_read(&file, &holder, caller_mail.now);
        }
    }
}

/// The notice about a message in a box: where it is and what it is about, without its text. The notice of a message that git
/// tracks says so and is never urgent.
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

/// Whether a notice is no longer true because its message was read, taken or moved.
fn is_over(root: &MailRoot, reader: &[MailboxName], note: &LiveNote) -> bool {
    let Some((mailbox, file)) = &note.about else { return false };
    if !note.is_copy && !["mail", "nobody_home"].contains(&note.kind.as_str()) {
        return false;
    }
    let (Ok(file), Ok(mailbox)) = (FileName::parse(file), root.listed(mailbox)) else { return false };
    !mailbox.waits_for(&file, reader)
}

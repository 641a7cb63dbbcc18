//! Saying what one does, and getting what waits.

use super::hub::Hub;
use super::send::no_daemon;
use crate::Post;
use crate::mail::desk::Desk;
use brainstem_base::{Fault, codes};
use brainstem_mail::FileName;
use brainstem_mail::live::{Address, Note, Polled, Presence, Scope, Status, Target};
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use std::time::Duration;

/// The tag of those who hear what everybody does.
pub(super) const ORCHESTRATOR: &str = "orchestrator";
/// The longest wait of one poll.
const WAIT_MAX: Duration = Duration::from_secs(600);
/// How many messages one poll answers.
const POLL_MAX: usize = 100;

/// What a session does.
#[derive(Clone, Debug, Default)]
pub struct StatusRequest {
    /// idle, working, waiting_for_input, blocked, complete or error.
    pub status: String,
    /// In its own words.
    pub note: Option<String>,
    /// The session that started it.
    pub parent: Option<String>,
}

/// Who heard it.
#[derive(Clone, Debug)]
pub struct Told {
    /// Who said it.
    pub me: MailboxName,
    /// What it does.
    pub status: Status,
    /// The sessions that were told, by name.
    pub recipients: Vec<Address>,
}

/// What is to be got.
#[derive(Clone, Debug, Default)]
pub struct PollRequest {
    /// Where the last poll ended. Everything up to it counts as got.
    pub cursor: Option<u64>,
    /// What was got, where that is less than the cursor.
    pub ack: Option<u64>,
    /// How long to wait for the first message.
    pub wait: Duration,
}

impl Post {
    /// Tells what the caller does; orchestrators of the project hear it.
    pub fn live_status(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
        request: &StatusRequest,
    ) -> Result<Told, Fault> {
        let hub = hub.ok_or_else(no_daemon)?;
        let desk = self.desk(caller)?;
        let status = Status::find(request.status.trim()).ok_or_else(|| {
            let shown: String = request.status.chars().take(40).collect();
            let known: Vec<&str> = Status::ALL.iter().map(|status| status.as_str()).collect();
            Fault::new(codes::INPUT_BAD_VALUE, format!("{shown:?} is no status"))
                .fix(format!("use one of: {}", known.join(", ")))
                .field("status")
                .rule("MAIL-17")
        })?;
        let parent = request.parent.as_deref().map(MailboxName::parse).transpose();
        let parent = parent.map_err(|fault| Fault::from(fault).field("parent"))?;
        let presence = self.presence(caller, &desk, parent);
        let me = presence.address.clone();
        let text = request.note.clone().unwrap_or_default();
        let note = Note {
            from: me.name.to_string(),
            kind: "status".to_owned(),
            subject: status.as_str().to_owned(),
            body: text.clone(),
            ..Note::default()
        };
        let orchestrators = Target::Tag(MailboxName::parse(ORCHESTRATOR).expect("it is a name"));
        let recipients = hub.with(|channel| {
            channel.hear(presence, desk.now);
            channel.report(&me, status, &text);
            let recipients = channel.recipients(&me, &orchestrators, Scope::Project, desk.now);
            for to in &recipients {
                channel.push(to, note.clone(), desk.now);
            }
            recipients
        });
        Ok(Told { me: me.name, status, recipients })
    }

    /// Gets what waits for the caller, and waits for it if nothing does. What was got before, by cursor or
    /// acknowledgement, is done with; where it was mail too, that is marked read and shown no second time.
    pub fn live_poll(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
        request: &PollRequest,
    ) -> Result<Polled, Fault> {
        let hub = hub.ok_or_else(no_daemon)?;
        let desk = self.desk(caller)?;
        let presence = self.presence(caller, &desk, None);
        let me = presence.address.clone();
        let cursor = request.cursor.unwrap_or(0);
        let got = hub.with(|channel| {
            channel.hear(presence.clone(), desk.now);
            channel.acknowledge(&me, request.ack.unwrap_or(cursor))
        });
        for message in got {
            let Some((mailbox, file)) = message.note.about else { continue };
            if message.note.is_copy {
                self.close_copy(&desk, &mailbox, &file);
            }
            hub.acknowledge_wake(&me, mailbox, file);
        }
        let found = hub.wait(
            request.wait.min(WAIT_MAX),
            |channel| {
                // Whoever waits is here for as long as it waits.
                channel.hear(presence.clone(), self.clock().now());
                channel.poll(&me, cursor, POLL_MAX)
            },
            |polled| !polled.messages.is_empty() || polled.missed > 0,
        );
        Ok(found)
    }

    /// What the channel hears about a caller.
    pub(super) fn presence(&self, caller: &Caller, desk: &Desk<'_>, parent: Option<MailboxName>) -> Presence {
        let at = caller.hints.deciding(caller.session.as_deref()).map(|(_, path)| path);
        let at = at.map(|path| self.disk().canonical(&path).unwrap_or(path));
        let tags = desk.own.boxes.iter().filter(|name| **name != desk.own.me && !name.is_broadcast());
        Presence {
            address: Address { project: desk.root.path().display().to_string(), name: desk.own.me.clone() },
            tags: tags.cloned().collect(),
            worktree: at.map(|path| path.display().to_string()),
            parent,
        }
    }

    /// The mail copy of what a session got live. It stays unread where it cannot be moved, which is harmless.
    fn close_copy(&self, desk: &Desk<'_>, mailbox: &MailboxName, file: &str) {
        if let (Ok(file), Ok(mailbox)) = (FileName::parse(file), desk.root.mailbox(mailbox)) {
            let _ = mailbox.mark_read(&file, &desk.own.me, desk.now);
        }
    }
}

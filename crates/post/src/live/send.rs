//! Sending to sessions that are online, and as mail to those that are not.

use super::error::LiveError;
use super::hub::Hub;
use super::limits::{check_len, check_one_line};
use super::project::project_of_root;
use super::target::NamedTarget;
use crate::Post;
use crate::mail::{MailError, NamedBox, SendRequest, SentMessage};
use brainstem_base::Advice;
use brainstem_mail::live::{Address, LiveNote, TargetReach};
use brainstem_mail::name::MailboxName;
use brainstem_mail::resolve::ResolveRule;
use brainstem_mail::{MessageKind, Priority};
use brainstem_memory::Caller;

/// A live message to send.
#[derive(Clone, Debug)]
pub struct LiveRequest {
    /// The target.
    pub target: NamedTarget,
    /// The type, as mail has it.
    pub kind: MessageKind,
    /// What it is about; may be empty.
    pub subject: String,
    /// What it says.
    pub body: String,
    /// How urgent it is.
    pub priority: Priority,
    /// When it is mail too.
    pub mail: MailCopyRule,
    /// Whether the target is looked for in one project or in all.
    pub scope: TargetReach,
}

/// When a live message is mail too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MailCopyRule {
    /// When no session is online at its target.
    #[default]
    IfNobodyIsOnline,
    /// In any case.
    Always,
}

impl LiveRequest {
    /// A request that gives a task to a target.
    pub fn new(target: NamedTarget, body: String) -> Self {
        let (kind, subject, priority) = (MessageKind::Task, String::new(), Priority::Normal);
        Self {
            target,
            kind,
            subject,
            body,
            priority,
            mail: MailCopyRule::default(),
            scope: TargetReach::default(),
        }
    }
}

/// The mail copy of a live message.
#[derive(Clone, Debug)]
pub struct LiveMailCopy {
    /// The box.
    pub mailbox: MailboxName,
    /// The file.
    pub file: String,
    /// The rule by which the box was found.
    pub rule: ResolveRule,
    /// A note for the sender: no session here has the name of the box.
    pub note: Option<Advice>,
}

/// What a live send did.
#[derive(Clone, Debug)]
pub struct LiveDelivery {
    /// The sender's name.
    pub from: MailboxName,
    /// The sessions that are online and have the message waiting, by name.
    pub recipients: Vec<Address>,
    /// The mail files that were written.
    pub mailed: Vec<LiveMailCopy>,
    /// A daemon carries the channel to this call. Without one, no session can be online.
    pub has_daemon: bool,
}

impl Post {
    /// Sends to the sessions that the target reaches now. If there are none, or the request asks for it, the
    /// message is mail too, and the mail is durable before any session sees the message.
    pub fn live_send(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
        request: &LiveRequest,
    ) -> Result<LiveDelivery, LiveError> {
        let caller_mail = self.open_mail(caller)?;
        let (now, from) = (caller_mail.now, caller_mail.own.me.clone());
        let me =
            Address { project: project_of_root(&caller_mail.root), name: caller_mail.own.holder.clone() };
        let scope = request.scope;
        let targets = request.target.targets(&|name| caller_mail.is_session_or_tag(name));
        let presence = self.presence(caller, &caller_mail, None);
        let recipients = hub.map_or_else(Vec::new, |hub| {
            hub.with(|channel| {
                channel.hear(presence, now);
                let reached = targets.iter().map(|target| channel.recipients(&me, target, scope, now));
                // A bare name means the session if it is online, else the tag.
                reached.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
            })
        });
        // A reader never sees a secret, so a message with one would not arrive as it was sent.
        let floor = self.memory().floor();
        floor.check_name("target", request.target.text())?;
        floor.check_secret("body", &request.body)?;
        floor.check_secret("subject", &request.subject)?;
        check_len("body", &request.body)?;
        check_len("subject", &request.subject)?;
        check_one_line("subject", &request.subject)?;
        let mut mailed = Vec::new();
        if recipients.is_empty() {
            let nobody = || match hub {
                None => LiveError::NoDaemon,
                Some(_) => {
                    let (given, target) = (request.target.shown(), targets[0].clone());
                    LiveError::NobodyThere { given, target, scope }
                }
            };
            let to = request.target.mailbox(&floor, &targets[0])?.ok_or_else(nobody)?;
            mailed.push(self.copy(caller, to, request)?);
        }
        for recipient in &recipients {
            let is_near = recipient.project == me.project;
            let send = |hub: &Hub| -> Result<Option<LiveMailCopy>, LiveError> {
                // No reader opens the box of a connection after it has ended, so the copy goes to the box of its agent.
                let to = hub.with(|channel| channel.box_of(recipient));
                let copy = (request.mail == MailCopyRule::Always && is_near)
                    .then(|| self.copy(caller, NamedBox::of_name(&floor, to)?, request))
                    .transpose()?;
                let note = LiveNote {
                    from: Some(from.to_string()),
                    kind: request.kind.as_str().to_owned(),
                    subject: request.subject.clone(),
                    body: request.body.clone(),
                    urgent: request.priority == Priority::Urgent,
                    is_copy: copy.is_some(),
                    about: copy.as_ref().map(|copy| (copy.mailbox.clone(), copy.file.clone())),
                    is_tracked: false,
                };
                hub.with(|channel| channel.push(recipient, note, now));
                Ok(copy)
            };
            if let Some(hub) = hub {
                let copies: Vec<String> = mailed
                    .iter()
                    .map(|copy: &LiveMailCopy| format!("{}/{}", copy.mailbox, copy.file))
                    .collect();
                let sent = hub.sending(|| send(hub)).map_err(|error| match error {
                    LiveError::Mail(error) => LiveError::Mail(error.after_copies(copies, Vec::new(), false)),
                    error => error,
                })?;
                mailed.extend(sent);
            }
        }
        Ok(LiveDelivery { from, recipients, mailed, has_daemon: hub.is_some() })
    }

    fn copy(&self, caller: &Caller, to: NamedBox, request: &LiveRequest) -> Result<LiveMailCopy, MailError> {
        let request = SendRequest {
            subject: request.subject.clone(),
            body: request.body.clone(),
            priority: request.priority,
            ..SendRequest::new(to, request.kind.clone())
        };
        let mut sent = self.send(caller, &request)?;
        let sent = sent.swap_remove(0);
        let note = sent.note();
        let SentMessage { mailbox, file, rule, .. } = sent;
        Ok(LiveMailCopy { mailbox, file: file.to_string(), rule, note })
    }
}

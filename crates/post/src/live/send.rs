//! Sending to who is online, and as mail to who is not.

use super::error::LiveError;
use super::hub::Hub;
use super::limits::{check_len, check_one_line};
use super::place::place_of;
use super::target::NamedTarget;
use crate::Post;
use crate::mail::{MailError, NamedBox, SendRequest, Sent};
use brainstem_mail::live::{Address, LiveNote, TargetReach};
use brainstem_mail::name::MailboxName;
use brainstem_mail::resolve::ResolveRule;
use brainstem_mail::{MessageKind, Priority};
use brainstem_memory::Caller;

/// What is to be sent.
#[derive(Clone, Debug)]
pub struct LiveRequest {
    /// Whom it is for.
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
    pub mail: MailToo,
    /// How far the target reaches.
    pub scope: TargetReach,
}

/// When a live message is mail too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MailToo {
    /// When nobody is online at its target.
    #[default]
    IfNobodyIsOnline,
    /// In any case.
    Always,
}

impl LiveRequest {
    /// A task for a target.
    pub fn new(target: NamedTarget, body: String) -> Self {
        let (kind, subject, priority) = (MessageKind::Task, String::new(), Priority::Normal);
        Self {
            target,
            kind,
            subject,
            body,
            priority,
            mail: MailToo::default(),
            scope: TargetReach::default(),
        }
    }
}

/// A mail file that was written beside.
#[derive(Clone, Debug)]
pub struct MailedCopy {
    /// The box.
    pub mailbox: MailboxName,
    /// The file.
    pub file: String,
    /// By which rule the box was found.
    pub rule: ResolveRule,
    /// What the sender should know of the box: nobody here has its name.
    pub note: Option<String>,
}

/// Whom it reached.
#[derive(Clone, Debug)]
pub struct LiveSent {
    /// Who it is from.
    pub from: MailboxName,
    /// The sessions that are online and have it waiting, by name.
    pub recipients: Vec<Address>,
    /// The mail files that were written.
    pub mailed: Vec<MailedCopy>,
    /// A daemon carries the channel to this call; without one, nobody can be online.
    pub has_daemon: bool,
}

impl Post {
    /// Sends to whoever the target reaches now. Where that is nobody, or persistence is asked for, the
    /// message is mail too, and the mail is durable before anybody sees it.
    pub fn live_send(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
        request: &LiveRequest,
    ) -> Result<LiveSent, LiveError> {
        let desk = self.desk(caller)?;
        let (now, from) = (desk.now, desk.own.me.clone());
        let me = Address { project: place_of(&desk.root), name: desk.own.holder.clone() };
        let scope = request.scope;
        let targets = request.target.targets(&|name| desk.is_session_or_tag(name));
        let presence = self.presence(caller, &desk, None);
        let recipients = hub.map_or_else(Vec::new, |hub| {
            hub.with(|channel| {
                channel.hear(presence, now);
                let reached = targets.iter().map(|target| channel.recipients(&me, target, scope, now));
                // A bare name is the session, where one is online, else the tag.
                reached.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
            })
        });
        // No reader is shown a secret, so that a message with one would not arrive as it was sent.
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
            let send = |hub: &Hub| -> Result<Option<MailedCopy>, LiveError> {
                // A connection has no box that anybody reads after it: its copy lies in its agent's.
                let to = hub.with(|channel| channel.box_of(recipient));
                let copy = (request.mail == MailToo::Always && is_near)
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
                    .map(|copy: &MailedCopy| format!("{}/{}", copy.mailbox, copy.file))
                    .collect();
                let sent = hub.sending(|| send(hub)).map_err(|error| match error {
                    LiveError::Mail(error) => LiveError::Mail(error.after_copies(copies, Vec::new(), false)),
                    error => error,
                })?;
                mailed.extend(sent);
            }
        }
        Ok(LiveSent { from, recipients, mailed, has_daemon: hub.is_some() })
    }

    fn copy(&self, caller: &Caller, to: NamedBox, request: &LiveRequest) -> Result<MailedCopy, MailError> {
        let request = SendRequest {
            subject: request.subject.clone(),
            body: request.body.clone(),
            priority: request.priority,
            ..SendRequest::new(to, request.kind.clone())
        };
        let mut sent = self.send(caller, &request)?;
        let sent = sent.swap_remove(0);
        let note = sent.note();
        let Sent { mailbox, file, rule, .. } = sent;
        Ok(MailedCopy { mailbox, file: file.to_string(), rule, note })
    }
}

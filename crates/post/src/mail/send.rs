//! Sending, and replying.

use super::desk::Desk;
use super::error::{BoxIn, MailError};
use super::meant::{Meant, ambiguous};
use super::message_ref::{MessageName, MessageRef};
use super::named_box::{NamedBox, Recipients};
use super::words::SendKey;
use crate::Post;
use brainstem_base::next::calls;
use brainstem_hygiene::HygieneFault;
use brainstem_mail::limits::TAGS_MAX;
use brainstem_mail::name::MailboxName;
use brainstem_mail::resolve::{ResolveRule, resolve};
use brainstem_mail::thread::{FROM_AGENT, FROM_SESSION, REPLY_BOX, Reply, inherited_thread, reply_to};
use brainstem_mail::{FileName, MessageDraft, MessageKind, Priority, is_word};
use brainstem_memory::{Caller, TimeAhead};
use brainstem_vault::mail::{Delivered, UnreadableSession};
use std::path::PathBuf;

/// What is to be sent.
#[derive(Clone, Debug)]
pub struct SendRequest {
    /// Sessions, tags, agents, or everybody.
    pub to: Recipients,
    /// The type; never [`MessageKind::Other`].
    pub kind: MessageKind,
    /// What it is about; empty where the body says all.
    pub subject: String,
    /// What it says; empty where the subject says all.
    pub body: String,
    /// How urgent it is.
    pub priority: Priority,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The sender waits for a reply.
    pub needs_response: bool,
    /// When it no longer matters.
    pub expires: Option<TimeAhead>,
    /// The message it answers.
    pub reply_to: Option<MessageRef>,
    /// The conversation it belongs to.
    pub thread_id: Option<String>,
    /// Sent again with the same key, it is sent once.
    pub key: Option<SendKey>,
}

impl SendRequest {
    /// A message of a type that says nothing yet.
    pub fn new(to: impl Into<Recipients>, kind: MessageKind) -> Self {
        Self {
            to: to.into(),
            kind,
            subject: String::new(),
            body: String::new(),
            priority: Priority::default(),
            tags: Vec::new(),
            needs_response: false,
            expires: None,
            reply_to: None,
            thread_id: None,
            key: None,
        }
    }
}

/// A reply: most of it follows from the message it answers.
#[derive(Clone, Debug)]
pub struct ReplyRequest {
    /// The message.
    pub file: MessageRef,
    /// Its box; the caller's own where none is named.
    pub mailbox: Option<NamedBox>,
    /// What the reply says.
    pub body: String,
    /// The type.
    pub kind: MessageKind,
    /// How urgent it is; as the message where none is named.
    pub priority: Option<Priority>,
    /// The replier waits for a reply.
    pub needs_response: bool,
    /// Sent again with the same key, it is sent once.
    pub key: Option<SendKey>,
}

impl ReplyRequest {
    /// A response to a message.
    pub fn new(file: MessageRef, body: String) -> Self {
        let (mailbox, priority, key) = (None, None, None);
        Self { file, mailbox, body, kind: MessageKind::Response, priority, needs_response: false, key }
    }
}

/// What a send did.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Who it is from.
    pub from: MailboxName,
    /// The box.
    pub mailbox: MailboxName,
    /// The message's name.
    pub file: FileName,
    /// Where it lies.
    pub path: PathBuf,
    /// By which rule the box was found.
    pub rule: ResolveRule,
    /// Somebody who reads the box was here a moment ago.
    pub somebody_home: bool,
    /// A session that reads the box and whose record cannot be read: whether it is here is not known.
    pub unreadable: Option<UnreadableSession>,
    /// The box was made for it.
    pub box_made: bool,
    /// It had been sent before, with the same key.
    pub repeated: bool,
    /// It had been sent before and is not in the mail root any more.
    pub gone: bool,
    /// The conversation.
    pub thread_id: Option<String>,
    /// Where nobody here has the name: those of sessions, tags and agents that it may be a slip of.
    pub near: Vec<MailboxName>,
    /// The conversation of the message that it answers has an id which no message can be sent with, so that it begins
    /// another one.
    pub thread_left: bool,
    /// From this message on this clone of the repository excludes the mail: the repository itself would let git commit it.
    pub kept_out: bool,
}

impl Sent {
    /// What the sender should know: of a box that nobody reads yet, of a conversation that could not go on, and of mail that
    /// this clone keeps out of git.
    pub fn note(&self) -> Option<String> {
        let left = self.thread_left.then(|| {
            let told = "the `thread_id` of the message that this answers is blank or longer than 200 bytes, so that the \
                        answer begins a conversation of its own";
            told.to_owned()
        });
        let kept_out = self.kept_out.then(|| {
            format!(
                "the repository lets git commit mail, and no person said so here: from now on this clone keeps the mail out of \
                 git (`.git/info/exclude`); {} shares it",
                calls::mail_init_commit()
            )
        });
        let notes: Vec<String> = self.nobody_called_so().into_iter().chain(left).chain(kept_out).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    fn nobody_called_so(&self) -> Option<String> {
        let name = &self.mailbox;
        let waits =
            format!("no session, tag or agent here is called {name}: the message waits for one that is");
        (self.rule == ResolveRule::Future).then(|| match self.did_you_mean() {
            Some(near) => format!("{waits}; {near}"),
            None => waits,
        })
    }

    /// The question about the names that were perhaps meant.
    pub fn did_you_mean(&self) -> Option<String> {
        let near: Vec<String> = self.near.iter().map(|name| format!("`{name}`")).collect();
        (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
    }
}

impl Post {
    /// Sends a message, a copy to each recipient: once it is answered, all of them are durable.
    pub fn send(&self, caller: &Caller, request: &SendRequest) -> Result<Vec<Sent>, MailError> {
        let desk = self.desk(caller)?;
        let recipients = desk.boxes_of(&request.to)?;
        let reply = request.reply_to.as_ref().map(|message| self.answered(&desk, message)).transpose()?;
        let thread_left =
            request.thread_id.is_none() && reply.as_ref().is_some_and(|reply| reply.thread_left);
        let thread_id = request.thread_id.clone().or(reply.as_ref().map(|reply| reply.thread.clone()));
        let draft = MessageDraft {
            from: desk.own.me.clone(),
            to: recipients[0].clone(),
            kind: request.kind.clone(),
            timestamp: desk.now,
            needs_response: request.needs_response,
            priority: request.priority,
            tags: request.tags.clone(),
            in_reply_to: reply.as_ref().map(|reply| reply.in_reply_to.clone()),
            thread_id,
            expires: request.expires.map(TimeAhead::at),
            subject: request.subject.clone(),
            extras: extras(caller, &desk, reply.and_then(|reply| reply.mailbox).as_ref()),
            body: request.body.clone(),
        };
        if draft.subject.trim().is_empty() && draft.body.trim().is_empty() {
            return Err(MailError::EmptyMessage);
        }
        // What one of the copies is refused for stops all of them before the first is sent.
        for to in &recipients {
            self.check(&desk, &MessageDraft { to: to.clone(), ..draft.clone() }, request.key.as_ref())?;
        }
        let mut sent: Vec<Sent> = Vec::new();
        for (at, to) in recipients.iter().enumerate() {
            let copy = MessageDraft { to: to.clone(), ..draft.clone() };
            let done = self.deliver(&desk, &copy, request.key.as_ref());
            let mut done = done.map_err(|error| {
                let copies = sent.iter().map(|sent| format!("{}/{}", sent.mailbox, sent.file)).collect();
                error.after_copies(copies, recipients[at..].to_vec(), request.key.is_some())
            })?;
            done.thread_left = thread_left;
            if done.rule == ResolveRule::Future {
                done.near = desk.near_names(&done.mailbox);
            }
            sent.push(done);
        }
        Ok(sent)
    }

    /// Replies to a message: it goes to the sender, in the same conversation.
    pub fn reply(&self, caller: &Caller, request: &ReplyRequest) -> Result<Sent, MailError> {
        let desk = self.desk(caller)?;
        let Meant { file, mailbox } = desk.meant(&request.file, request.mailbox.as_ref())?;
        let (place, original) = mailbox.find(&file)?;
        let original = original.head;
        let is_tracked = desk.tracked().has(mailbox.name(), &file, &place.path);
        let Reply { in_reply_to, thread_id, subject, to, thread_left } = reply_to(file.as_str(), &original)
            .map_err(|fault| {
            MailError::NoSender { fault, message: format!("{}/{file}", mailbox.name()) }
        })?;
        let to = desk.answered_at(to)?;
        if request.body.trim().is_empty() {
            return Err(MailError::EmptyReply);
        }
        // What a reply takes over is not its writer's to change, so that a secret in it stops no reply.
        let floor = self.memory().floor();
        let subject = floor.mask(&shortened(subject)).into_owned();
        let has_no_secret = |text: &String| !floor.has_secret(text);
        let draft = MessageDraft {
            from: desk.own.me.clone(),
            to,
            kind: request.kind.clone(),
            timestamp: desk.now,
            needs_response: request.needs_response,
            // An urgent question gets its answer as fast; one that came with a repository is never urgent.
            priority: request.priority.unwrap_or(match is_tracked {
                true => original.priority.max(Priority::Normal),
                false => original.priority,
            }),
            tags: inherited_tags(&original.tags, &has_no_secret),
            in_reply_to: Some(in_reply_to),
            thread_id: Some(thread_id).filter(has_no_secret),
            expires: None,
            subject: Some(subject).filter(has_no_secret).unwrap_or_default(),
            extras: extras(caller, &desk, Some(mailbox.name())),
            body: request.body.clone(),
        };
        let sent = self.deliver(&desk, &draft, request.key.as_ref())?;
        Ok(Sent { thread_left, ..sent })
    }

    /// Refuses a message that cannot be sent, and changes nothing.
    fn check(&self, desk: &Desk<'_>, draft: &MessageDraft, key: Option<&SendKey>) -> Result<(), MailError> {
        draft.check()?;
        let floor = self.memory().floor();
        // Mail that may be committed carries no unfinished merge either.
        let may_be_committed = desk.root.exists()? && !desk.root.is_private();
        let check = |field: &'static str, text: &str| match may_be_committed {
            true => floor.check(field, text),
            false => floor.check_secret(field, text),
        };
        // No reader is shown a secret, so that a message with one would not arrive as it was sent.
        check("to", draft.to.as_str())?;
        check("session", draft.from.as_str())?;
        check("body", &draft.body)?;
        check("subject", &draft.subject)?;
        draft.tags.iter().try_for_each(|tag| check("tag", tag))?;
        check("body", &draft.render()).map_err(|fault| HygieneFault { at: None, ..fault })?;
        check("key", key.map(SendKey::as_str).unwrap_or_default())?;
        let mailbox = desk.open_box(&draft.to).map_err(|error| error.of_field("to"))?;
        match key {
            None => Ok(()),
            Some(key) => Ok(mailbox.check_key(draft, key.as_str())?),
        }
    }

    fn deliver(
        &self,
        desk: &Desk<'_>,
        draft: &MessageDraft,
        key: Option<&SendKey>,
    ) -> Result<Sent, MailError> {
        self.check(desk, draft, key)?;
        let mailbox = desk.open_box(&draft.to).map_err(|error| error.of_field("to"))?;
        // As it was before: the message makes nobody known.
        let standing = desk.standing(&draft.to);
        let Delivered { file, path, box_made, repeated, gone, kept_out } = match key {
            None => mailbox.deliver(draft)?,
            Some(key) => mailbox.deliver_once(draft, key.as_str())?,
        };
        if draft.to.is_broadcast() && !gone {
            // Who says something to everybody need not be told it.
            let _ = desk.mark_seen(&mailbox, &file);
        }
        let somebody_home = match draft.to.is_broadcast() {
            true => desk.sessions.is_anybody_here(&desk.own.holder, desk.now),
            false => standing.is_live,
        };
        let unreadable = match draft.to.is_broadcast() {
            _ if somebody_home => None,
            true => desk.sessions.unreadable().into_iter().next(),
            false => standing.unreadable,
        };
        Ok(Sent {
            from: draft.from.clone(),
            mailbox: draft.to.clone(),
            rule: resolve(&draft.to, standing.known),
            somebody_home,
            unreadable,
            thread_id: draft.thread_id.clone(),
            file,
            path,
            box_made,
            repeated,
            gone,
            near: Vec::new(),
            thread_left: false,
            kept_out,
        })
    }

    /// The message that a send answers. One of the caller's own boxes counts before one of another; a name that
    /// nobody has here begins a conversation of its own.
    fn answered(&self, desk: &Desk<'_>, message: &MessageRef) -> Result<Answered, MailError> {
        let (file, found_in) = match &message.name {
            MessageName::Whole(file) => (file.clone(), None),
            MessageName::Part(_) => {
                let meant = desk.meant(message, None).map_err(|error| match error {
                    // A send has no field for the box of what it answers.
                    MailError::NoMessage { told, .. } => {
                        MailError::NoMessage { told, other_box: BoxIn::Name }
                    }
                    error => error,
                });
                let meant = meant.map_err(|error| error.of_field("reply_to"))?;
                (meant.file, Some(meant.mailbox.name().clone()))
            }
            MessageName::Neither(_, fault) => {
                return Err(MailError::from(fault.clone()).of_field("reply_to"));
            }
        };
        let before_name = message.in_box.as_ref().map(|named| desk.named("reply_to", named)).transpose()?;
        let named = found_in.or_else(|| before_name.map(|mailbox| mailbox.name().clone()));
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for name in desk.root.boxes()? {
            if named.as_ref().is_some_and(|named| *named != name) {
                continue;
            }
            if let Ok((_, message)) = desk.root.mailbox(&name)?.find(&file) {
                let found = if desk.is_own(&name) { &mut own } else { &mut others };
                found.push((name, message.head));
            }
        }
        let mut found = if own.is_empty() { others } else { own };
        if found.len() > 1 {
            let several = found.iter().map(|(mailbox, _)| format!("{mailbox}/{file}")).collect();
            return Err(ambiguous(message.name.text(), several).of_field("reply_to"));
        }
        let Some((mailbox, head)) = found.pop() else {
            let thread = file.to_string();
            return Ok(Answered { in_reply_to: file.to_string(), mailbox: None, thread, thread_left: false });
        };
        let (thread, thread_left) = inherited_thread(file.as_str(), &head);
        Ok(Answered { in_reply_to: file.to_string(), mailbox: Some(mailbox), thread, thread_left })
    }
}

/// A message that is answered.
struct Answered {
    in_reply_to: String,
    mailbox: Option<MailboxName>,
    thread: String,
    thread_left: bool,
}

/// The tags that a reply takes over: as many as a message carries, without those that none can be sent with.
fn inherited_tags(tags: &[String], has_no_secret: &dyn Fn(&String) -> bool) -> Vec<String> {
    let is_sendable = |tag: &&String| has_no_secret(tag) && is_word(tag);
    tags.iter().filter(is_sendable).take(TAGS_MAX).cloned().collect()
}

/// The id of the agent, where the sender's name does not tell it, the connection that it used, and of a reply the box of
/// what it answers.
fn extras(caller: &Caller, desk: &Desk<'_>, reply_box: Option<&MailboxName>) -> Vec<(&'static str, String)> {
    let agent = caller.principal.agent.as_str();
    let agent = (agent != desk.own.me.as_str()).then(|| (FROM_AGENT, agent.to_owned()));
    let session = (desk.own.holder != desk.own.me).then(|| (FROM_SESSION, desk.own.holder.to_string()));
    let reply_box = reply_box.map(|name| (REPLY_BOX, name.to_string()));
    agent.into_iter().chain(session).chain(reply_box).collect()
}

/// A subject that grew by "Re: " stays within its limit.
fn shortened(subject: String) -> String {
    let mut end = subject.len().min(brainstem_mail::limits::SUBJECT_LEN_MAX);
    while !subject.is_char_boundary(end) {
        end -= 1;
    }
    subject[..end].chars().filter(|c| !c.is_control()).collect()
}

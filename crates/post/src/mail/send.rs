//! Sending, and replying.

use super::caller_mail::CallerMail;
use super::error::{BoxNaming, MailError};
use super::message_lookup::{MessageInBox, ambiguous};
use super::message_ref::{MessageName, MessageRef};
use super::named_box::{NamedBox, Recipients};
use super::words::SendKey;
use crate::Post;
use brainstem_base::agent::AgentKind;
use brainstem_base::next::{CallValue, calls};
use brainstem_base::{Advice, Timestamp, advice};
use brainstem_caller::addresses::is_address;
use brainstem_hygiene::HygieneFault;
use brainstem_mail::limits::TAGS_MAX;
use brainstem_mail::name::MailboxName;
use brainstem_mail::resolve::ResolveRule;
use brainstem_mail::thread::{
    FROM_AGENT, FROM_SESSION, REPLY_BOX, Reply, SESSION_AGENT, inherited_thread, reply_to,
};
use brainstem_mail::{FileName, MessageDraft, MessageKind, Priority, is_word};
use brainstem_memory::{Caller, ProjectAt, TimeAhead};
use brainstem_vault::Brain;
use brainstem_vault::mail::{Delivered, MailRoot, UnreadableSession};
use std::path::PathBuf;

/// How many projects of one name a note names.
const PROJECTS_NAMED_MAX: usize = 3;

/// A message to send.
#[derive(Clone, Debug)]
pub struct SendRequest {
    /// Sessions, tags, agents, or all.
    pub to: Recipients,
    /// The type; never [`MessageKind::Other`].
    pub kind: MessageKind,
    /// Its subject; may be empty if it has a body.
    pub subject: String,
    /// Its text; may be empty if it has a subject.
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
    /// A repeat with the same key sends it once.
    pub key: Option<SendKey>,
}

impl SendRequest {
    /// An empty message of a type.
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

/// A reply. Its recipient, subject and conversation follow from the message that it answers.
#[derive(Clone, Debug)]
pub struct ReplyRequest {
    /// The message.
    pub file: MessageRef,
    /// Its box; the caller's own if none is named.
    pub mailbox: Option<NamedBox>,
    /// What the reply says.
    pub body: String,
    /// The type.
    pub kind: MessageKind,
    /// How urgent it is; by default as urgent as the message.
    pub priority: Option<Priority>,
    /// The replier waits for a reply.
    pub needs_response: bool,
    /// A repeat with the same key sends it once.
    pub key: Option<SendKey>,
}

impl ReplyRequest {
    /// A response to a message.
    pub fn new(file: MessageRef, body: String) -> Self {
        let (mailbox, priority, key) = (None, None, None);
        Self { file, mailbox, body, kind: MessageKind::Response, priority, needs_response: false, key }
    }
}

/// What a send did for one recipient.
#[derive(Clone, Debug)]
pub struct SentMessage {
    /// The sender's name.
    pub from: MailboxName,
    /// The box.
    pub mailbox: MailboxName,
    /// The message's name.
    pub file: FileName,
    /// Its path.
    pub path: PathBuf,
    /// The rule by which the box was found.
    pub rule: ResolveRule,
    /// A live session reads the box.
    pub somebody_home: bool,
    /// A session that reads the box and whose record cannot be read: it may be live or not.
    pub unreadable: Option<UnreadableSession>,
    /// How long ago one of its readers was last seen, in ms; `None` for a broadcast and for a name that no session has.
    pub seen_ms_ago: Option<i64>,
    /// No session here has the name, and it is a name of a known host's agent.
    pub is_of_host: bool,
    /// No session here has the name, and it names another project of this home: the call that sends there.
    pub elsewhere: Option<Advice>,
    /// If the caller is in another project: where its replies will be.
    pub replies_at: Option<PathBuf>,
    /// The box was made for it.
    pub box_made: bool,
    /// It had been sent before, with the same key.
    pub repeated: bool,
    /// It had been sent before and is not in the mail root any more.
    pub gone: bool,
    /// The conversation.
    pub thread_id: Option<String>,
    /// If no session here has the name: names of sessions, tags and agents that it may be a slip of.
    pub near: Vec<MailboxName>,
    /// It begins a new conversation: no message can be sent with the conversation id of the message that it answers.
    pub thread_left: bool,
    /// From this message on this clone of the repository excludes the mail: the repository itself would let git commit it.
    pub kept_out: bool,
    /// Why the sender's session is not on record. `None` if it is, or the sender named none.
    pub unrecorded: Option<String>,
}

impl SentMessage {
    /// A note for the sender, about a box that no session reads yet, replies that will be in another project, a conversation
    /// that could not go on, or mail that this clone keeps out of git.
    pub fn note(&self) -> Option<Advice> {
        let notes = self.nobody_called_so().into_iter().chain(self.further_notes());
        let note = Advice::joined(notes, "; ");
        (!note.is_empty()).then_some(note)
    }

    /// The same without the sentence that no session has the name.
    pub fn further_note(&self) -> Option<Advice> {
        let note = Advice::joined(self.further_notes(), "; ");
        (!note.is_empty()).then_some(note)
    }

    fn further_notes(&self) -> Vec<Advice> {
        let is_unknown = self.rule == ResolveRule::Future && !self.is_of_host;
        let taken_back = (is_unknown && !self.gone).then(|| {
            let message = format!("{}/{}", self.mailbox, self.file);
            advice![calls::mail_archive(message), " takes it back while it is unread"]
        });
        let replies = self.replies_at.as_ref().map(|root| {
            let root = root.display().to_string();
            advice![
                "you stand in another project: a reply will be in the mail of `{root}`: ",
                calls::mail_list().at(&root)
            ]
        });
        let left = self.thread_left.then(|| {
            "the `thread_id` of the message that this answers is blank or longer than 200 bytes, so that the answer begins a \
             conversation of its own"
                .into()
        });
        let kept_out = self.kept_out.then(|| {
            advice![
                "the repository lets git commit mail, and no person said so here: from now on this clone keeps the mail out of \
                 git (`.git/info/exclude`); ",
                calls::mail_init_commit(),
                " shares it"
            ]
        });
        let near = self.did_you_mean().map(Advice::from);
        let unrecorded = self.unrecorded.clone().map(Advice::from);
        [self.elsewhere.clone(), taken_back, replies, left, kept_out, unrecorded, near]
            .into_iter()
            .flatten()
            .collect()
    }

    fn nobody_called_so(&self) -> Option<Advice> {
        let name = &self.mailbox;
        (self.rule == ResolveRule::Future).then(|| match self.is_of_host {
            true => {
                advice!["{name} is an agent of a known host that was not here yet: the message waits for it"]
            }
            false => {
                advice!["no session, tag or agent here is called {name}: the message waits for one that is"]
            }
        })
    }

    /// A question with the names that the sender may have meant.
    pub fn did_you_mean(&self) -> Option<String> {
        let near: Vec<String> = self.near.iter().map(|name| format!("`{name}`")).collect();
        (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
    }
}

impl Post {
    /// Sends a message, a copy to each recipient. When it returns, all copies are durable.
    pub fn send(&self, caller: &Caller, request: &SendRequest) -> Result<Vec<SentMessage>, MailError> {
        self.send_copies(caller, request).map_err(|error| self.unless_moved_away(caller, error))
    }

    fn send_copies(&self, caller: &Caller, request: &SendRequest) -> Result<Vec<SentMessage>, MailError> {
        let caller_mail = self.open_mail(caller)?;
        let recipients = caller_mail.boxes_of(&request.to)?;
        let reply =
            request.reply_to.as_ref().map(|message| self.answered(&caller_mail, message)).transpose()?;
        let thread_left =
            request.thread_id.is_none() && reply.as_ref().is_some_and(|reply| reply.thread_left);
        let thread_id = request.thread_id.clone().or(reply.as_ref().map(|reply| reply.thread.clone()));
        let draft = MessageDraft {
            from: caller_mail.own.me.clone(),
            to: recipients[0].clone(),
            kind: request.kind.clone(),
            timestamp: caller_mail.now,
            needs_response: request.needs_response,
            priority: request.priority,
            tags: request.tags.clone(),
            in_reply_to: reply.as_ref().map(|reply| reply.in_reply_to.clone()),
            thread_id,
            expires: request.expires.map(TimeAhead::at),
            subject: request.subject.clone(),
            extras: extras(caller, &caller_mail, reply.and_then(|reply| reply.mailbox).as_ref()),
            body: request.body.clone(),
        };
        if draft.subject.trim().is_empty() && draft.body.trim().is_empty() {
            return Err(MailError::EmptyMessage);
        }
        // All copies are checked before the first one is sent.
        for to in &recipients {
            self.check(
                &caller_mail,
                &MessageDraft { to: to.clone(), ..draft.clone() },
                request.key.as_ref(),
            )?;
        }
        let mut sent: Vec<SentMessage> = Vec::new();
        for (at, to) in recipients.iter().enumerate() {
            let copy = MessageDraft { to: to.clone(), ..draft.clone() };
            let done = self.deliver(&caller_mail, &copy, request.key.as_ref());
            let mut done = done.map_err(|error| {
                let copies = sent.iter().map(|sent| format!("{}/{}", sent.mailbox, sent.file)).collect();
                error.after_copies(copies, recipients[at..].to_vec(), request.key.is_some())
            })?;
            done.thread_left = thread_left;
            sent.push(done);
        }
        Ok(sent)
    }

    /// Replies to a message, to its sender and in the same conversation.
    pub fn reply(&self, caller: &Caller, request: &ReplyRequest) -> Result<SentMessage, MailError> {
        self.send_reply(caller, request).map_err(|error| self.unless_moved_away(caller, error))
    }

    fn send_reply(&self, caller: &Caller, request: &ReplyRequest) -> Result<SentMessage, MailError> {
        let caller_mail = self.open_mail(caller)?;
        let MessageInBox { file, mailbox } =
            caller_mail.find_message(&request.file, request.mailbox.as_ref())?;
        let (place, original) = mailbox.find(&file)?;
        let original = original.head;
        let is_tracked = caller_mail.tracked().has(mailbox.name(), &file, &place.path);
        let Reply { in_reply_to, thread_id, subject, to, thread_left } = reply_to(file.as_str(), &original)
            .map_err(|fault| {
            MailError::NoSender { fault, message: format!("{}/{file}", mailbox.name()) }
        })?;
        let to = caller_mail.answered_at(to)?;
        if request.body.trim().is_empty() {
            return Err(MailError::EmptyReply);
        }
        // The writer of a reply cannot change what the reply takes over, so a secret in it does not stop the reply.
        let floor = self.memory().floor();
        let subject = floor.mask(&shortened(subject)).into_owned();
        let has_no_secret = |text: &String| !floor.has_secret(text);
        let draft = MessageDraft {
            from: caller_mail.own.me.clone(),
            to,
            kind: request.kind.clone(),
            timestamp: caller_mail.now,
            needs_response: request.needs_response,
            // An urgent question gets an urgent answer. A message that git tracks is never urgent.
            priority: request.priority.unwrap_or(match is_tracked {
                true => original.priority.max(Priority::Normal),
                false => original.priority,
            }),
            tags: inherited_tags(&original.tags, &has_no_secret),
            in_reply_to: Some(in_reply_to),
            thread_id: Some(thread_id).filter(has_no_secret),
            expires: None,
            subject: Some(subject).filter(has_no_secret).unwrap_or_default(),
            extras: extras(caller, &caller_mail, Some(mailbox.name())),
            body: request.body.clone(),
        };
        let sent = self.deliver(&caller_mail, &draft, request.key.as_ref())?;
        Ok(SentMessage { thread_left, near: Vec::new(), ..sent })
    }

    /// Refuses a message that cannot be sent, and changes nothing.
    fn check(
        &self,
        caller_mail: &CallerMail<'_>,
        draft: &MessageDraft,
        key: Option<&SendKey>,
    ) -> Result<(), MailError> {
        draft.check()?;
        let floor = self.memory().floor();
        // Mail that may be committed carries no unfinished merge either.
        let may_be_committed = caller_mail.root.exists()? && !caller_mail.root.is_private();
        let check = |field: &'static str, text: &str| match may_be_committed {
            true => floor.check(field, text),
            false => floor.check_secret(field, text),
        };
        // A reader never sees a secret, so a message with one would not arrive as it was sent.
        check("to", draft.to.as_str())?;
        check("session", draft.from.as_str())?;
        check("body", &draft.body)?;
        check("subject", &draft.subject)?;
        draft.tags.iter().try_for_each(|tag| check("tag", tag))?;
        check("body", &draft.render()).map_err(|fault| HygieneFault { at: None, ..fault })?;
        check("key", key.map(SendKey::as_str).unwrap_or_default())?;
        let mailbox = caller_mail.open_box(&draft.to).map_err(|error| error.of_field("to"))?;
        match key {
            None => Ok(()),
            Some(key) => Ok(mailbox.check_key(draft, key.as_str())?),
        }
    }

    fn deliver(
        &self,
        caller_mail: &CallerMail<'_>,
        draft: &MessageDraft,
        key: Option<&SendKey>,
    ) -> Result<SentMessage, MailError> {
        self.check(caller_mail, draft, key)?;
        let mailbox = caller_mail.open_box(&draft.to).map_err(|error| error.of_field("to"))?;
        // The readers as they were before the delivery.
        let readers = caller_mail.readers_of(&draft.to);
        let Delivered { file, path, box_made, repeated, gone, kept_out } = match key {
            None => mailbox.deliver(draft)?,
            Some(key) => mailbox.deliver_once(draft, key.as_str())?,
        };
        if draft.to.is_broadcast() && !gone {
            // A sender need not read its own broadcast.
            let _ = caller_mail.mark_seen(&mailbox, &file);
        }
        let somebody_home = match draft.to.is_broadcast() {
            true => caller_mail.sessions.is_anybody_here(&caller_mail.own.holder, caller_mail.now),
            false => readers.is_live,
        };
        let unreadable = match draft.to.is_broadcast() {
            _ if somebody_home => None,
            true => caller_mail.sessions.unreadable().into_iter().next(),
            false => readers.unreadable,
        };
        let rule = caller_mail.rule_of(&draft.to, readers.known);
        let is_unknown = rule == ResolveRule::Future;
        let near = if is_unknown { caller_mail.near_names(&draft.to) } else { Vec::new() };
        let elsewhere =
            if is_unknown { self.other_project(caller_mail, &draft.to, &draft.kind) } else { None };
        // What comes behind an `@` is no agent's name.
        let is_address = is_address(&draft.to) && !draft.to.as_str().contains('@');
        let is_of_host = is_unknown && elsewhere.is_none() && near.is_empty() && is_address;
        let seen_ms_ago = readers.last_seen.map(|seen| caller_mail.now.ms_since(Timestamp::from_ms(seen)));
        Ok(SentMessage {
            seen_ms_ago: seen_ms_ago.filter(|_| !draft.to.is_broadcast()),
            is_of_host,
            elsewhere,
            replies_at: self.replies_elsewhere(caller_mail.caller()),
            near,
            from: draft.from.clone(),
            mailbox: draft.to.clone(),
            rule,
            somebody_home,
            unreadable,
            thread_id: draft.thread_id.clone(),
            file,
            path,
            box_made,
            repeated,
            gone,
            thread_left: false,
            kept_out,
            unrecorded: caller_mail.unrecorded.clone(),
        })
    }

    /// The refusal of a caller whose project was moved away since it was looked for, if an error says that a folder is gone.
    fn unless_moved_away(&self, caller: &Caller, error: MailError) -> MailError {
        if caller.principal.mail.root.is_some() || !error.is_of_missing_folder() {
            return error;
        }
        caller.look_again();
        self.memory().check_mail_ground(caller).map_or_else(MailError::from, |_| error)
    }

    /// The call that sends to another project of this home, if a name is that project's, or is followed by `@` and it.
    fn other_project(
        &self,
        caller_mail: &CallerMail<'_>,
        name: &MailboxName,
        kind: &MessageKind,
    ) -> Option<Advice> {
        let (memory, own) = (self.memory(), self.memory().project_root(caller_mail.caller()));
        let (agent, behind) = match name.as_str().split_once('@') {
            Some((agent, behind)) => (Some(agent), behind),
            None => (None, name.as_str()),
        };
        let is_it =
            |brain: &&Brain, word: &str| brain.manifest.name.as_str() == word || brain.origin() == word;
        let brains = memory.home().roster().ok()?.brains;
        let others: Vec<&Brain> = brains
            .iter()
            .filter(|brain| is_it(brain, behind) || is_it(brain, name.as_str()))
            .filter(|brain| Some(&brain.root) != own.as_ref() && !memory.home().is_gone(&brain.root))
            .collect();
        // An option, a variable or a header names a mail root, and would win over the project.
        let is_elsewhere = caller_mail.caller().principal.mail.root.is_some();
        let calls_of = others.iter().take(PROJECTS_NAMED_MAX).map(|brain| {
            let to = agent.filter(|_| !is_it(brain, name.as_str()));
            let to = to.map_or_else(|| calls::AGENT.into(), CallValue::from);
            let send = calls::mail_send(to, kind.as_str(), calls::TEXT).at(brain.root.display().to_string());
            let send = match is_elsewhere {
                true => send.in_mail_root(MailRoot::folder_in(&brain.root).display().to_string()),
                false => send,
            };
            advice![brain.origin(), " is another project, whose mail is its own: ", send, " writes there"]
        });
        Some(Advice::joined(calls_of, "; ")).filter(|advice| !advice.is_empty())
    }

    /// The project whose mail gets the replies, if the caller names that one and is in another.
    fn replies_elsewhere(&self, caller: &Caller) -> Option<PathBuf> {
        let hints = caller.hints();
        let is_named = caller.principal.mail.root.is_none() && hints.explicit.is_some();
        let stands = hints.cwd.as_ref().filter(|_| is_named).map(|cwd| self.memory().project_at(cwd));
        match (stands, self.memory().project_root(caller)) {
            (Some(ProjectAt::Root(stands)), Some(root)) if stands != root => Some(root),
            _ => None,
        }
    }

    /// The message that a send answers. A message in the caller's own boxes counts before one in another box.
    /// If no message has the name, the send begins a conversation of its own.
    fn answered(
        &self,
        caller_mail: &CallerMail<'_>,
        message: &MessageRef,
    ) -> Result<AnsweredMessage, MailError> {
        let (file, found_in) = match &message.name {
            MessageName::Whole(file) => (file.clone(), None),
            MessageName::Part(_) => {
                let found_message = caller_mail.find_message(message, None).map_err(|error| match error {
                    // A send has no field for the box of the answered message.
                    MailError::NoMessage { sentence, in_box, .. } => {
                        MailError::NoMessage { sentence, in_box, other_box: BoxNaming::Name }
                    }
                    error => error,
                });
                let found_message = found_message.map_err(|error| error.of_field("reply_to"))?;
                (found_message.file, Some(found_message.mailbox.name().clone()))
            }
            MessageName::Neither(_, fault) => {
                return Err(MailError::from(fault.clone()).of_field("reply_to"));
            }
        };
        let before_name =
            message.in_box.as_ref().map(|named| caller_mail.named("reply_to", named)).transpose()?;
        let named = found_in.or_else(|| before_name.map(|mailbox| mailbox.name().clone()));
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for name in caller_mail.root.boxes()? {
            if named.as_ref().is_some_and(|named| *named != name) {
                continue;
            }
            if let Ok((_, message)) = caller_mail.root.mailbox(&name)?.find(&file) {
                let found = if caller_mail.is_own(&name) { &mut own } else { &mut others };
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
            return Ok(AnsweredMessage {
                in_reply_to: file.to_string(),
                mailbox: None,
                thread,
                thread_left: false,
            });
        };
        let (thread, thread_left) = inherited_thread(file.as_str(), &head);
        Ok(AnsweredMessage { in_reply_to: file.to_string(), mailbox: Some(mailbox), thread, thread_left })
    }
}

/// A message that a send answers.
struct AnsweredMessage {
    in_reply_to: String,
    mailbox: Option<MailboxName>,
    thread: String,
    thread_left: bool,
}

/// The tags that a reply takes over: as many as a message may have, and only those that can be sent.
fn inherited_tags(tags: &[String], has_no_secret: &dyn Fn(&String) -> bool) -> Vec<String> {
    let is_sendable = |tag: &&String| has_no_secret(tag) && is_word(tag);
    tags.iter().filter(is_sendable).take(TAGS_MAX).cloned().collect()
}

/// Further fields of the head: the agent id if the sender's name does not contain it, the agent of the session whose shell a
/// person's id is used in, the connection, and for a reply the box of the answered message.
fn extras(
    caller: &Caller,
    caller_mail: &CallerMail<'_>,
    reply_box: Option<&MailboxName>,
) -> Vec<(&'static str, String)> {
    let agent = caller.principal.agent.as_str();
    let agent = (agent != caller_mail.own.me.as_str()).then(|| (FROM_AGENT, agent.to_owned()));
    // A shell in an agent's session sends as the person that is logged in.
    let is_persons = caller.principal.agent.kind() == AgentKind::Human;
    let shared = caller_mail.own.session_agent.as_ref().filter(|_| is_persons);
    let shared = shared.map(|agent| (SESSION_AGENT, agent.to_string()));
    let session = (caller_mail.own.holder != caller_mail.own.me)
        .then(|| (FROM_SESSION, caller_mail.own.holder.to_string()));
    let reply_box = reply_box.map(|name| (REPLY_BOX, name.to_string()));
    agent.into_iter().chain(shared).chain(session).chain(reply_box).collect()
}

/// A subject within its limit: "Re: " may have made it too long.
fn shortened(subject: String) -> String {
    let mut end = subject.len().min(brainstem_mail::limits::SUBJECT_LEN_MAX);
    while !subject.is_char_boundary(end) {
        end -= 1;
    }
    subject[..end].chars().filter(|c| !c.is_control()).collect()
}

//! Which message a reply answers, and what belongs to one conversation.
//!
//! A reply names the file of its original, and a name that this program gives out belongs to one message of a mail
//! root. A file of a script or an older program may share its name with a message in another box: then the box, the
//! sender and the recipient decide which one is meant.

use crate::draft::is_word;
use crate::head::MessageHead;
use crate::name::{MailboxName, NameFault};
use brainstem_base::AgentId;
use std::collections::{BTreeSet, HashMap};

/// The key in the frontmatter of a reply that names the box of its original.
pub const REPLY_BOX: &str = "in_reply_to_box";
/// The key in the frontmatter that says which agent sent a message.
pub const FROM_AGENT: &str = "from_agent";

/// The key in the frontmatter that says which connection of the agent sent a message.
pub const FROM_SESSION: &str = "from_session";

/// The key in the frontmatter that says which agent runs the session in whose shell a person's id sent a message.
pub const SESSION_AGENT: &str = "session_agent";

/// What a reply takes from the message it answers (MAIL-14).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The recipient: the sender of the original.
    pub to: MailboxName,
    /// The original's file name.
    pub in_reply_to: String,
    /// The conversation.
    pub thread_id: String,
    /// The original's conversation has an id that no message can be sent with, so the reply begins another one.
    pub thread_left: bool,
    /// A subject, for a reply that has none of its own.
    pub subject: String,
}

/// Returns the conversation of an answer to a message, and whether it is another one than the message's: an id that no
/// message can be sent with is replaced by the message's name.
pub fn inherited_thread(file: &str, original: &MessageHead) -> (String, bool) {
    let thread = original.thread(file);
    if is_word(&thread) { (thread, false) } else { (file.to_owned(), true) }
}

/// Returns how a message is replied to. A message from the broadcast box has no sender to answer.
pub fn reply_to(file: &str, original: &MessageHead) -> Result<Reply, NameFault> {
    let subject = match original.subject.as_str() {
        "" => String::new(),
        known if known.starts_with("Re: ") => known.to_owned(),
        other => format!("Re: {other}"),
    };
    let to = MailboxName::parse(&original.from)?;
    if to.is_broadcast() {
        return Err(NameFault::everybodys(&to));
    }
    let (thread_id, thread_left) = inherited_thread(file, original);
    Ok(Reply { to, in_reply_to: file.to_owned(), thread_id, thread_left, subject })
}

/// How a message is connected with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The sender.
    pub from: String,
    /// The agent that sent it, if the file says so.
    pub from_agent: Option<String>,
    /// The file name of the message it replies to.
    pub in_reply_to: Option<String>,
    /// The box of that message, if the file says so.
    pub reply_box: Option<String>,
    /// The conversation it says that it belongs to.
    pub thread_id: Option<String>,
    /// Whether its sender waits for a reply.
    pub needs_response: bool,
}

impl Link {
    /// The link in a message's head. A person may write the original as `box/file`.
    pub fn of(head: &MessageHead) -> Self {
        let original = head.in_reply_to.as_deref().map(|text| match text.split_once('/') {
            Some((mailbox, file)) => (Some(mailbox), file),
            None => (None, text),
        });
        Self {
            from: head.from.clone(),
            from_agent: head.extra(FROM_AGENT).map(str::to_owned),
            in_reply_to: original.map(|(_, file)| file.to_owned()),
            reply_box: original
                .and_then(|(mailbox, _)| mailbox.or_else(|| head.extra(REPLY_BOX)))
                .map(str::to_owned),
            thread_id: head.thread_id.clone(),
            needs_response: head.needs_response,
        }
    }

    /// The conversation it belongs to, given its file name.
    pub fn thread<'a>(&'a self, file: &'a str) -> &'a str {
        self.thread_id.as_deref().or(self.in_reply_to.as_deref()).unwrap_or(file)
    }

    /// The boxes of its sender: the session's, and the agent's.
    pub fn writers(&self) -> impl Iterator<Item = MailboxName> {
        let agent = self.from_agent.as_deref().and_then(|id| AgentId::parse(id).ok());
        let agent = agent.map(|id| MailboxName::of_agent(&id));
        MailboxName::parse(&self.from).ok().into_iter().chain(agent)
    }

    /// Whether it answers the message of that name in that box. `lies_in` says whether a message of that name is in
    /// another box: a reply that names no box answers the message in its writer's own box, if there is one.
    pub fn answers(&self, file: &str, mailbox: &MailboxName, lies_in: &dyn Fn(&MailboxName) -> bool) -> bool {
        if self.in_reply_to.as_deref() != Some(file) {
            return false;
        }
        match &self.reply_box {
            Some(named) => named == mailbox.as_str(),
            None => {
                self.writers().any(|writer| writer == *mailbox) || !self.writers().any(|own| lies_in(&own))
            }
        }
    }
}

/// A message of a mail root, with what conversations need.
#[derive(Clone, Copy, Debug)]
pub struct ThreadMember<'a> {
    /// The box it is in.
    pub mailbox: &'a MailboxName,
    /// Its file name.
    pub file: &'a str,
    /// Its file name as readers see it: a secret in it is masked.
    pub shown: &'a str,
    /// How it is connected with others.
    pub link: &'a Link,
}

/// Several conversations that a name fits: one message of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmbiguousConversation(pub Vec<usize>);

/// Which of all messages belong to a conversation. It is named by a message (in that box, if one is named), by a thread
/// id, or by a part of the names of its messages, as readers see them. It has the messages of the thread, and every
/// reply to one of them, however deep, also if a reply leaves the thread out.
pub fn conversation(
    thread: &str,
    mailbox: Option<&MailboxName>,
    all: &[ThreadMember<'_>],
) -> Result<BTreeSet<usize>, AmbiguousConversation> {
    let mut groups = ConversationGroups::of(all);
    let is_named =
        |at: &usize| all[*at].file == thread && mailbox.is_none_or(|mailbox| mailbox == all[*at].mailbox);
    let mut starts: Vec<usize> = (0..all.len()).filter(is_named).collect();
    if starts.is_empty() && mailbox.is_none() {
        starts = (0..all.len()).filter(|at| all[*at].link.thread(all[*at].file) == thread).collect();
        let found: BTreeSet<usize> = starts.into_iter().map(|at| groups.find(at)).collect();
        if !found.is_empty() {
            return Ok((0..all.len()).filter(|at| found.contains(&groups.find(*at))).collect());
        }
        starts = Vec::new();
    }
    if starts.is_empty() {
        let has_part = |at: &usize| {
            all[*at].shown.contains(thread) && mailbox.is_none_or(|mailbox| mailbox == all[*at].mailbox)
        };
        starts = (0..all.len()).filter(has_part).collect();
    }
    let mut seen = BTreeSet::new();
    let apart: Vec<usize> = starts.into_iter().filter(|at| seen.insert(groups.find(*at))).collect();
    match apart.as_slice() {
        [] => Ok(BTreeSet::new()),
        [one] => {
            let group = groups.find(*one);
            Ok((0..all.len()).filter(|at| groups.find(*at) == group).collect())
        }
        _ => Err(AmbiguousConversation(apart)),
    }
}

/// Messages joined to conversations.
struct ConversationGroups(Vec<usize>);

impl ConversationGroups {
    fn of<'a>(all: &[ThreadMember<'a>]) -> Self {
        let mut groups = Self((0..all.len()).collect());
        let mut named: HashMap<&'a str, Vec<usize>> = HashMap::new();
        let mut threads: HashMap<&'a str, usize> = HashMap::new();
        let mut places: HashMap<(&'a MailboxName, &'a str), usize> = HashMap::new();
        for (at, member) in all.iter().enumerate() {
            named.entry(member.file).or_default().push(at);
            // A power cut in the middle of a move leaves one message in two folders.
            let first = *places.entry((member.mailbox, member.file)).or_insert(at);
            groups.join(first, at);
        }
        let candidates = |name: &str| named.get(name).map_or(&[][..], Vec::as_slice);
        for (at, member) in all.iter().enumerate() {
            let originals =
                member.link.in_reply_to.as_deref().map(|file| originals(all, at, candidates(file)));
            let originals = originals.unwrap_or_default();
            for original in &originals {
                groups.join(at, *original);
            }
            let Some(thread) = member.link.thread_id.as_deref() else { continue };
            match candidates(thread) {
                [] => {
                    let first = *threads.entry(thread).or_insert(at);
                    groups.join(first, at);
                }
                [first] => groups.join(at, *first),
                // The message that it replies to decides which of them began it.
                _ if !originals.is_empty() => {}
                several => {
                    let of_the_same = |first: &&usize| speak_together(member, &all[**first]);
                    for first in several.iter().filter(of_the_same) {
                        groups.join(at, *first);
                    }
                }
            }
        }
        groups
    }

    fn find(&mut self, at: usize) -> usize {
        let mut root = at;
        while self.0[root] != root {
            root = self.0[root];
        }
        let mut next = at;
        while self.0[next] != root {
            next = std::mem::replace(&mut self.0[next], root);
        }
        root
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other);
    }
}

/// Which of the messages of a name a reply answers: the one in the box it names; else the one in its writer's own box,
/// among those whose sender it went to; else all that fit.
fn originals(all: &[ThreadMember<'_>], at: usize, named: &[usize]) -> Vec<usize> {
    let reply = &all[at];
    let narrowed = |from: Vec<usize>, is_meant: &dyn Fn(&ThreadMember<'_>) -> bool| {
        let meant: Vec<usize> = from.iter().copied().filter(|original| is_meant(&all[*original])).collect();
        if meant.is_empty() { from } else { meant }
    };
    let others: Vec<usize> = named.iter().copied().filter(|original| *original != at).collect();
    if let Some(mailbox) = &reply.link.reply_box {
        return others.into_iter().filter(|original| all[*original].mailbox.as_str() == mailbox).collect();
    }
    if others.len() < 2 {
        return others;
    }
    let others = narrowed(others, &|original| original.link.writers().any(|sender| sender == *reply.mailbox));
    narrowed(others, &|original| reply.link.writers().any(|writer| writer == *original.mailbox))
}

/// Whether two messages have the same sender and recipient, in either direction.
fn speak_together(one: &ThreadMember<'_>, other: &ThreadMember<'_>) -> bool {
    let is_from =
        |member: &ThreadMember<'_>, name: &MailboxName| member.link.writers().any(|writer| writer == *name);
    let is_answer = is_from(one, other.mailbox) && is_from(other, one.mailbox);
    is_answer || one.mailbox == other.mailbox && one.link.from == other.link.from
}

#[cfg(test)]
#[path = "thread_tests.rs"]
mod tests;

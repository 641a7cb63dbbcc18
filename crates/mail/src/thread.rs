//! What belongs to one conversation.

use crate::head::Head;
use crate::name::{MailboxName, NameFault};
use std::collections::{BTreeSet, HashMap};

/// What a reply takes from the message it answers (MAIL-14).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Whom it goes to: the sender of the original.
    pub to: MailboxName,
    /// The original's file name.
    pub in_reply_to: String,
    /// The conversation.
    pub thread_id: String,
    /// A subject, for a reply that has none of its own.
    pub subject: String,
}

/// Says how a message is replied to.
pub fn reply_to(file: &str, original: &Head) -> Result<Reply, NameFault> {
    let subject = match original.subject.as_str() {
        "" => String::new(),
        known if known.starts_with("Re: ") => known.to_owned(),
        other => format!("Re: {other}"),
    };
    Ok(Reply {
        to: MailboxName::parse(&original.from)?,
        in_reply_to: file.to_owned(),
        thread_id: original.thread(file),
        subject,
    })
}

/// How a message hangs together with others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The file name of the message it replies to.
    pub in_reply_to: Option<String>,
    /// The conversation it says that it belongs to.
    pub thread_id: Option<String>,
    /// Whether its sender waits for a reply.
    pub needs_response: bool,
}

impl Link {
    /// What a message says about it.
    pub fn of(head: &Head) -> Self {
        Self {
            in_reply_to: head.in_reply_to.clone(),
            thread_id: head.thread_id.clone(),
            needs_response: head.needs_response,
        }
    }

    /// The conversation it belongs to, given its file name.
    pub fn thread<'a>(&'a self, file: &'a str) -> &'a str {
        self.thread_id.as_deref().or(self.in_reply_to.as_deref()).unwrap_or(file)
    }
}

/// The files of a conversation, found among all messages: those of its thread, and whatever replies to one
/// of them, however deep, also where somebody left the thread out.
pub fn members<'a>(thread: &'a str, all: impl IntoIterator<Item = (&'a str, &'a Link)>) -> BTreeSet<String> {
    let (mut of_thread, mut replies) = (HashMap::new(), HashMap::new());
    for (file, link) in all {
        // A message that was named itself stands for its conversation.
        of_thread.entry(file).or_insert_with(Vec::new).push((file, link));
        if link.thread(file) != file {
            of_thread.entry(link.thread(file)).or_insert_with(Vec::new).push((file, link));
        }
        if let Some(original) = &link.in_reply_to {
            replies.entry(original.as_str()).or_insert_with(Vec::new).push((file, link));
        }
    }
    let mut files = BTreeSet::new();
    let mut next: Vec<(&str, &Link)> = of_thread.remove(thread).unwrap_or_default();
    while let Some((file, link)) = next.pop() {
        files.insert(file.to_owned());
        // Taken out once they are followed, so that each message is looked at a few times and no more.
        next.extend(of_thread.remove(link.thread(file)).unwrap_or_default());
        next.extend(replies.remove(file).unwrap_or_default());
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;

    fn head(from: &str, keys: &str) -> Head {
        let text =
            format!("---\nfrom: {from}\nto: b\ntype: question\ntimestamp: 2026-01-28T15:30:00Z\n{keys}---\n");
        Message::parse(text.into_bytes()).expect("a message").head
    }

    #[test] // spec: MAIL-14
    fn a_reply_goes_to_the_sender_and_inherits_the_thread() {
        let first = "20260128T153000Z_ana_question.md";
        let reply = reply_to(first, &head("ana", "subject: Lunch\n")).unwrap();
        assert_eq!((reply.to.as_str(), reply.in_reply_to.as_str()), ("ana", first));
        assert_eq!((reply.thread_id.as_str(), reply.subject.as_str()), (first, "Re: Lunch"));
        let later = reply_to("x.md", &head("ana", "thread_id: lunch\nsubject: \"Re: Lunch\"\n")).unwrap();
        assert_eq!((later.thread_id.as_str(), later.subject.as_str()), ("lunch", "Re: Lunch"));
        assert!(reply_to("x.md", &head("Ana Smith", "")).is_err(), "nobody has that box");
    }

    #[test] // spec: MAIL-14
    fn a_conversation_is_found_also_where_the_thread_was_left_out() {
        let all = [
            ("1.md", head("a", "")),
            ("2.md", head("b", "in_reply_to: 1.md\nthread_id: 1.md\n")),
            ("3.md", head("a", "in_reply_to: 2.md\n")),
            ("4.md", head("b", "in_reply_to: 3.md\n")),
            ("5.md", head("c", "")),
        ];
        let all = all.map(|(file, head)| (file, Link::of(&head)));
        let found = |thread| members(thread, all.iter().map(|(file, link)| (*file, link)));
        let whole: BTreeSet<String> = ["1.md", "2.md", "3.md", "4.md"].map(str::to_owned).into();
        for thread in ["1.md", "2.md", "3.md", "4.md"] {
            assert_eq!(found(thread), whole, "{thread}");
        }
        assert_eq!(found("5.md"), BTreeSet::from(["5.md".to_owned()]));
        assert!(found("9.md").is_empty());
    }
}

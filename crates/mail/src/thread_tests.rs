//! Replies and conversations, also where names were given twice.

use super::*;
use crate::message::Message;

fn head(from: &str, keys: &str) -> MessageHead {
    let text =
        format!("---\nfrom: {from}\nto: b\ntype: question\ntimestamp: 2026-01-28T15:30:00Z\n{keys}---\n");
    Message::parse(text.into_bytes()).expect("a message").head
}

fn name(text: &str) -> MailboxName {
    MailboxName::parse(text).expect("a name")
}

/// A mail root: box, file, sender, and the other keys of each message.
struct Tree(Vec<(MailboxName, &'static str, Link)>);

impl Tree {
    fn new(messages: &[(&str, &'static str, &str, &str)]) -> Self {
        let link = |from: &str, keys: &str| Link::of(&head(from, keys));
        Self(messages.iter().map(|(at, file, from, keys)| (name(at), *file, link(from, keys))).collect())
    }

    /// The conversation, as indexes of messages; or those that the name fits equally.
    fn conversation(&self, thread: &str, mailbox: Option<&str>) -> Result<Vec<usize>, Vec<usize>> {
        let members: Vec<ThreadMember<'_>> = self
            .0
            .iter()
            .map(|(mailbox, file, link)| ThreadMember { mailbox, file, shown: file, link })
            .collect();
        conversation(thread, mailbox.map(name).as_ref(), &members)
            .map(|found| found.into_iter().collect())
            .map_err(|several| several.0)
    }
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
    assert!(reply_to("x.md", &head("__broadcast", "")).is_err(), "a forged sender reaches nobody");
}

#[test] // spec: MAIL-14
fn a_conversation_is_found_also_where_the_thread_was_left_out() {
    let tree = Tree::new(&[
        ("b", "1.md", "a", ""),
        ("a", "2.md", "b", "in_reply_to: 1.md\nthread_id: 1.md\n"),
        ("b", "3.md", "a", "in_reply_to: 2.md\n"),
        ("a", "4.md", "b", "in_reply_to: 3.md\n"),
        ("b", "5.md", "c", ""),
        ("b", "6.md", "c", "thread_id: lunch\n"),
        ("c", "7.md", "b", "thread_id: lunch\n"),
    ]);
    for thread in ["1.md", "2.md", "3.md", "4.md"] {
        assert_eq!(tree.conversation(thread, None), Ok(vec![0, 1, 2, 3]), "{thread}");
    }
    assert_eq!(tree.conversation("5.md", None), Ok(vec![4]));
    for thread in ["lunch", "6.md", "7.md"] {
        assert_eq!(tree.conversation(thread, None), Ok(vec![5, 6]), "{thread}");
    }
    assert_eq!(tree.conversation("9.md", None), Ok(vec![]));
    assert_eq!(tree.conversation("1.md", Some("a")), Ok(vec![]), "no such message lies there");
}

#[test] // spec: MAIL-2, MAIL-14
fn a_part_of_a_name_means_the_conversation_of_the_messages_that_have_it() {
    let tree = Tree::new(&[
        ("b", "0715_a_question.md", "a", ""),
        ("a", "0716_b_response.md", "b", "in_reply_to: 0715_a_question.md\n"),
        ("b", "0830_c_question.md", "c", "thread_id: lunch\n"),
    ]);
    assert_eq!(tree.conversation("0716", None), Ok(vec![0, 1]));
    assert_eq!(tree.conversation("071", None), Ok(vec![0, 1]), "two messages of one conversation");
    assert_eq!(tree.conversation("question", None), Err(vec![0, 2]), "one of each conversation");
    assert_eq!(tree.conversation("response", Some("a")), Ok(vec![0, 1]));
    assert_eq!(tree.conversation("response", Some("b")), Ok(vec![]));
    assert_eq!(tree.conversation("lunch", None), Ok(vec![2]), "a thread id counts first");
}

#[test] // spec: MAIL-14
fn conversations_whose_first_messages_have_one_name_stay_apart() {
    let tree = Tree::new(&[
        ("alice", "q.md", "orch", ""),
        ("bob", "q.md", "orch", ""),
        ("pool", "q.md", "orch", ""),
        // As the program before this one wrote them.
        ("orch", "r1.md", "alice", "in_reply_to: q.md\nthread_id: q.md\n"),
        ("orch", "r2.md", "bob", "in_reply_to: q.md\nthread_id: q.md\n"),
        // As this one does: the worker that took it out of the pool names the box.
        ("orch", "r3.md", "w7", "in_reply_to: q.md\nthread_id: q.md\nin_reply_to_box: pool\n"),
        ("alice", "a1.md", "orch", "in_reply_to: r1.md\nthread_id: q.md\n"),
        // Its original was pruned, and its sender and recipient say where it belongs.
        ("bob", "a2.md", "orch", "in_reply_to: gone.md\nthread_id: q.md\n"),
    ]);
    let whole = [("alice", vec![0, 3, 6]), ("bob", vec![1, 4, 7]), ("pool", vec![2, 5])];
    for (mailbox, expected) in whole {
        assert_eq!(tree.conversation("q.md", Some(mailbox)), Ok(expected), "{mailbox}");
    }
    assert_eq!(tree.conversation("r1.md", None), Ok(vec![0, 3, 6]));
    assert_eq!(tree.conversation("q.md", None), Err(vec![0, 1, 2]), "one name, three messages");
}

#[test] // spec: MAIL-14
fn an_answer_closes_its_own_question_alone() {
    let said = |from: &str, keys: &str| Link::of(&head(from, &format!("in_reply_to: q.md\n{keys}")));
    let in_boxes = |boxes: &'static [&'static str]| move |own: &MailboxName| boxes.contains(&own.as_str());
    let alice = said("alice", "");
    assert!(alice.answers("q.md", &name("alice"), &in_boxes(&["alice", "bob"])));
    assert!(!alice.answers("q.md", &name("bob"), &in_boxes(&["alice", "bob"])));
    assert!(!alice.answers("other.md", &name("alice"), &in_boxes(&[])));
    // A worker that took the question out of a shared box.
    let worker = said("w7", "");
    assert!(worker.answers("q.md", &name("pool"), &in_boxes(&["pool", "bob"])));
    assert!(!said("w7", "in_reply_to_box: bob\n").answers(
        "q.md",
        &name("pool"),
        &in_boxes(&["pool", "bob"])
    ));
    assert!(said("w7", "in_reply_to_box: pool\n").answers("q.md", &name("pool"), &in_boxes(&["w7", "pool"])));
    // A session answers a message in its agent's box.
    let session = said("w7", "from_agent: \"codex:maker\"\n");
    assert!(session.answers("q.md", &name("codex.maker"), &in_boxes(&["codex.maker", "pool"])));
    assert!(!session.answers("q.md", &name("pool"), &in_boxes(&["codex.maker", "pool"])));
    let by_hand = Link::of(&head("alice", "in_reply_to: alice/q.md\n"));
    assert_eq!((by_hand.in_reply_to.as_deref(), by_hand.reply_box.as_deref()), (Some("q.md"), Some("alice")));
}

//! A send with a key is made once.

use super::{draft, later, name, now, subjects, world};
use brainstem_base::Coded as _;
use brainstem_base::disk::Disk;
use brainstem_mail::{MessageDraft, MessageKind, Priority};
use brainstem_vault::mail::{MailFolder, Pruning};

#[test] // spec: MAIL-7
fn a_key_that_is_used_for_another_message_is_refused() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let first = draft("ana", "w", "one");
    let sent = w.deliver_once(&first, "k").unwrap();
    let others = [
        brainstem_mail::MessageDraft { body: "two".into(), ..first.clone() },
        brainstem_mail::MessageDraft { subject: "two".into(), ..first.clone() },
        brainstem_mail::MessageDraft { kind: MessageKind::Alert, ..first.clone() },
        brainstem_mail::MessageDraft { priority: Priority::Urgent, ..first.clone() },
        brainstem_mail::MessageDraft { needs_response: true, ..first.clone() },
        brainstem_mail::MessageDraft { tags: vec!["x".into()], ..first.clone() },
        brainstem_mail::MessageDraft { thread_id: Some("x".into()), ..first.clone() },
        brainstem_mail::MessageDraft { expires: Some(later(3_600_000)), ..first.clone() },
    ];
    let before = disk.dump();
    for other in &others {
        let refused = w.deliver_once(other, "k").unwrap_err();
        assert_eq!(refused.code().name(), "mail.key_reused");
        assert!(refused.to_string().contains(sent.file.as_str()), "{refused}");
    }
    assert_eq!(disk.dump(), before);
    // The same message later, in any folder, is the one that was sent.
    w.mark_read(&sent.file, &name("w"), now()).unwrap();
    let later = brainstem_mail::MessageDraft { timestamp: later(60_000), ..first.clone() };
    assert!(w.deliver_once(&later, "k").unwrap().repeated);
    assert!(!w.deliver_once(&others[0], "k2").unwrap().repeated);
    assert!(
        !w.deliver_once(&draft("bob", "w", "two"), "k").unwrap().repeated,
        "another sender's key is another"
    );
}

#[test] // spec: MAIL-7
fn a_send_with_a_key_has_one_end() {
    let (_, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let first = MessageDraft { expires: Some(later(3_600_000)), ..draft("ana", "w", "x") };
    w.deliver_once(&first, "k").unwrap();
    // The same day, or as long from the repeat as from the send.
    for (at, expires) in [(90_000, 3_600_000), (90_000, 3_690_000)] {
        let again = MessageDraft { timestamp: later(at), expires: Some(later(expires)), ..first.clone() };
        assert!(w.deliver_once(&again, "k").unwrap().repeated, "{expires}");
    }
    for expires in [None, Some(later(7_200_000)), Some(later(1_800_000))] {
        let other = MessageDraft { timestamp: later(90_000), expires, ..first.clone() };
        assert_eq!(w.deliver_once(&other, "k").unwrap_err().code().name(), "mail.key_reused", "{expires:?}");
    }
}

#[test] // spec: MAIL-7
fn a_send_with_a_key_is_made_once() {
    let (_, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let first = w.deliver_once(&draft("ana", "w", "x"), "k1").unwrap();
    let moment = MessageDraft { timestamp: later(90_000), ..draft("ana", "w", "x") };
    let again = w.deliver_once(&moment, "k1").unwrap();
    assert_eq!((again.file.clone(), again.repeated), (first.file.clone(), true));
    w.archive(&first.file, &name("w")).unwrap();
    assert!(w.deliver_once(&moment, "k1").unwrap().repeated, "also when it has been archived");
    assert!(!w.deliver_once(&moment, "k2").unwrap().repeated);
    assert!(!w.deliver_once(&MessageDraft { from: name("bo"), ..moment.clone() }, "k1").unwrap().repeated);
    assert!(!w.deliver(&moment).unwrap().repeated, "without a key, two equal messages are two");
    assert_eq!(subjects(&root, "w", MailFolder::Unread).len(), 3);
}

#[test] // spec: MAIL-7
fn a_send_with_a_key_is_made_once_also_when_its_message_is_gone() {
    let (disk, root) = world();
    let w = root.mailbox(&name("w")).unwrap();
    let (pruned, removed) = (draft("ana", "w", "pruned"), draft("ana", "w", "removed"));
    let file = w.deliver_once(&pruned, "k1").unwrap().file;
    w.archive(&file, &name("w")).unwrap();
    assert_eq!(w.prune(later(1000), Pruning::Real).files.len(), 1);
    let path = w.deliver_once(&removed, "k2").unwrap().path;
    disk.unlink(&path).unwrap();
    for (draft, key) in [(&pruned, "k1"), (&removed, "k2")] {
        let moment = MessageDraft { timestamp: later(90_000), ..draft.clone() };
        let again = w.deliver_once(&moment, key).unwrap();
        assert_eq!((again.repeated, again.gone), (true, true), "{key}");
        // Another message under the key is refused, as it is while the first one is there.
        let other = MessageDraft { body: "other".into(), ..moment };
        assert_eq!(w.deliver_once(&other, key).unwrap_err().code().name(), "mail.key_reused", "{key}");
    }
    assert!(subjects(&root, "w", MailFolder::Unread).is_empty());
}

use super::*;
use crate::limits::HEAD_LEN_MAX;
use crate::{MailboxName, MessageDraft, MessageKind, Priority};
use brainstem_base::Coded as _;

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).expect("a time")
}

fn message(text: &str) -> Result<Message, Malformed> {
    Message::parse(text.as_bytes().to_vec())
}

fn draft() -> MessageDraft {
    MessageDraft {
        from: MailboxName::parse("worker-bug-069").unwrap(),
        to: MailboxName::parse("orchestrator").unwrap(),
        kind: MessageKind::Status,
        timestamp: at("2026-01-28T15:30:00Z"),
        needs_response: false,
        priority: Priority::Normal,
        tags: vec!["BUG-069".into(), "mail".into()],
        in_reply_to: None,
        thread_id: None,
        expires: None,
        subject: String::new(),
        extras: Vec::new(),
        body: "## Done\n\nThe wrong session got it.\n".into(),
    }
}

#[test] // spec: MAIL-5, MAIL-7a
fn a_message_is_written_in_this_order() {
    let written = MessageDraft {
        in_reply_to: Some("20260128T152900Z_orchestrator_task.md".into()),
        thread_id: Some("20260128T152900Z_orchestrator_task.md".into()),
        expires: Some(at("2026-02-28T00:00:00Z")),
        subject: "no".into(),
        extras: vec![("from_agent", "codex:maker".into())],
        ..draft()
    };
    let text = "---\nfrom: worker-bug-069\nto: orchestrator\ntype: status\ntimestamp: 2026-01-28T15:30:00.000Z\n\
                needs_response: false\npriority: normal\ntags: [BUG-069, mail]\n\
                in_reply_to: \"20260128T152900Z_orchestrator_task.md\"\n\
                thread_id: \"20260128T152900Z_orchestrator_task.md\"\nexpires: 2026-02-28T00:00:00.000Z\n\
                subject: \"no\"\nfrom_agent: \"codex:maker\"\n---\n\n## Done\n\nThe wrong session got it.\n";
    assert_eq!(written.render(), text);
    let read = message(text).unwrap();
    assert_eq!(read.head.extra("from_agent"), Some("codex:maker"));
    assert_eq!((read.head.subject.as_str(), read.body()), ("no", written.body.as_str()));
    assert!(read.head.warnings.is_empty());
}

#[test] // spec: MAIL-5, MAIL-6
fn what_others_write_is_read() {
    let read = message(
        "---\nfrom: nexus\nto: __broadcast\ntype: announcement\ntimestamp: 2026-01-28T16:00:00Z\n---\nHello\n",
    )
    .unwrap();
    assert_eq!(read.head.kind, MessageKind::Other("announcement".into()));
    assert_eq!(read.head.warnings.len(), 1, "{:?}", read.head.warnings);
    let read = message(
        "\u{feff}---\r\n# by hand\r\nfrom: 'ana'\r\nto: orchestrator\r\ntype: task\r\ntimestamp: 2026-01-28 16:00:00+01:00\r\n\
         needs_response: yes\r\npriority: soon\r\ntags:\r\n- a\r\n- b\r\nmeta:\r\n  deep: {x: 1}\r\n---\r\n\r\nHello\r\n",
    )
    .unwrap();
    assert_eq!(read.head.timestamp, at("2026-01-28T15:00:00Z"));
    assert_eq!((read.head.needs_response, read.head.priority), (true, Priority::Normal));
    assert_eq!(
        (read.head.tags.as_slice(), read.body()),
        (&["a".to_owned(), "b".to_owned()][..], "Hello\r\n")
    );
    assert_eq!(read.head.warnings.len(), 1, "{:?}", read.head.warnings);
}

#[test] // spec: MAIL-7a
fn three_dashes_elsewhere_split_nothing() {
    let text = "---\nfrom: a\nto: b\ntype: report\ntimestamp: 2026-01-28T16:00:00Z\nsubject: a --- b\nnote: |\n  ---\n---\n\n---\nbody\n---\n";
    let read = message(text).unwrap();
    assert_eq!((read.head.subject.as_str(), read.body()), ("a --- b", "---\nbody\n---\n"));
    assert_eq!(read.head.extra("note"), Some("---"));
}

#[test] // spec: MAIL-9
fn what_is_no_message_says_why() {
    let head = "from: a\nto: b\ntype: task\ntimestamp: 2026-01-28T16:00:00Z\n";
    let check = |text: &str, why: &str| {
        let refused = message(text).expect_err(text);
        assert!(refused.0.contains(why), "{text:?}: {refused}");
    };
    check("", "begin with a line");
    check("Hello\n", "begin with a line");
    check(&format!(" ---\n{head}---\n"), "begin with a line");
    check(&format!("---\n{head}"), "no closing line");
    check(&format!("---\n{head}----\n"), "no closing line");
    check(&format!("---\n{head}from: c\n---\n"), "twice");
    check(&format!("---\n{head}what is this\n---\n"), "line 5");
    check(&format!("---\n{head}subject: \"open\n---\n"), "`subject` cannot be read");
    check(&format!("---\n{head}tags: {{a: b}}\n---\n"), "`tags` cannot be read");
    for key in ["from", "to", "type", "timestamp"] {
        let without: String =
            head.lines().filter(|line| !line.starts_with(key)).map(|l| format!("{l}\n")).collect();
        check(&format!("---\n{without}---\n"), &format!("`{key}` is missing"));
    }
    check("---\nfrom: a\nto: b\ntype: task\ntimestamp: tomorrow\n---\n", "`timestamp` is not a time");
    check(&format!("---\n{head}x: {}\n---\n", "y".repeat(40_000)), "larger than");
    assert!(Message::parse(b"---\nfrom: \xff\n---\n".to_vec()).expect_err("bytes").0.contains("UTF-8"));
    let large = format!("---\n{head}---\n{}", "x".repeat(1028 * 1024));
    check(&large, "at most");
}

#[test] // spec: MAIL-5, MAIL-10
fn a_stamp_changes_one_line() {
    let head = "from: a\nto: b\ntype: task\ntimestamp: 2026-01-28T16:00:00Z\n";
    let stamp = "read_at: 2026-01-28T17:00:00.000Z\n";
    let check = |before: &str, after: &str| {
        assert_eq!(message(before).unwrap().stamped(at("2026-01-28T17:00:00Z")).as_deref(), Ok(after));
        let read = message(after).unwrap();
        assert_eq!(read.head.read_at, Some(at("2026-01-28T17:00:00Z")));
    };
    let odd = "# why\nx-odd:   {deep: [1,\n  2]}   # kept\n";
    check(
        &format!("---\n{head}{odd}\nsubject: s\n---\n\nread_at: no\n---\n"),
        &format!("---\n{head}{odd}\n{stamp}subject: s\n---\n\nread_at: no\n---\n"),
    );
    check(&format!("---\n{head}{odd}---\nbody"), &format!("---\n{head}{odd}{stamp}---\nbody"));
    check(
        &format!("---\nread_at: 2020-01-01T00:00:00Z\n{head}{odd}---\n"),
        &format!("---\n{stamp}{head}{odd}---\n"),
    );
    let windows = format!("---\n{head}---\nbody\n").replace('\n', "\r\n");
    let stamped = format!("---\n{head}{stamp}---\nbody\n").replace('\n', "\r\n");
    check(&windows, &stamped);
}

#[test] // spec: MAIL-5
fn drafts_that_nobody_could_read_are_refused() {
    let check = |draft: MessageDraft, field: &str| {
        let fault = draft.check().expect_err(field);
        assert_eq!(fault.field().as_deref(), Some(field));
    };
    assert_eq!(draft().check(), Ok(()));
    check(MessageDraft { subject: "two\nlines".into(), ..draft() }, "subject");
    check(MessageDraft { subject: "x".repeat(301), ..draft() }, "subject");
    check(MessageDraft { tags: vec!["x".into(); 33], ..draft() }, "tag");
    check(MessageDraft { tags: vec![" ".into()], ..draft() }, "tag");
    check(MessageDraft { thread_id: Some("x".repeat(201)), ..draft() }, "thread_id");
    check(MessageDraft { body: "x".repeat(1024 * 1024), ..draft() }, "body");
}

#[test] // spec: MAIL-9, MAIL-10
fn whatever_is_sent_is_read_after_every_stamp() {
    // Every escape at its longest: a control character takes four bytes.
    let word = "\u{1}".repeat(200);
    let largest = MessageDraft {
        tags: vec![word.clone(); 32],
        thread_id: Some(word.clone()),
        in_reply_to: Some(word.clone()),
        subject: "\"".repeat(300),
        expires: Some(at("2026-02-28T00:00:00Z")),
        body: String::new(),
        ..draft()
    };
    let room = 1024 * 1024 - largest.render().len() - 1;
    let largest = MessageDraft { body: "x".repeat(room), ..largest };
    assert_eq!(largest.check(), Ok(()), "exactly 1 MiB is sent");
    // What delivery adds, and then the reader.
    let delivered =
        MessageDraft { extras: vec![("key", word.clone()), ("in_reply_to_box", word)], ..largest };
    let read = message(&delivered.render()).unwrap();
    let stamped = message(&read.stamped(at("2026-01-28T17:00:00Z")).unwrap()).unwrap();
    assert_eq!(stamped.head.read_at, Some(at("2026-01-28T17:00:00Z")));
}

#[test] // spec: MAIL-9, MAIL-10
fn a_stamp_that_would_make_a_message_unreadable_is_refused() {
    let head = "from: a\nto: b\ntype: task\ntimestamp: 2026-01-28T16:00:00Z\n";
    let long_head = |len: usize| format!("---\n{head}x: {}\n---\n", "y".repeat(len - head.len() - 4));
    let long_body = |len: usize| format!("---\n{head}---\n{}", "y".repeat(len - head.len() - 8));
    let stamp = |text: &str| message(text).unwrap().stamped(at("2026-01-28T17:00:00Z"));
    let stamp_len = "read_at: 2026-01-28T17:00:00.000Z\n".len();
    for (at_most, text) in [
        (HEAD_LEN_MAX, &long_head as &dyn Fn(usize) -> String),
        (usize::try_from(MESSAGE_LEN_MAX).unwrap(), &long_body),
    ] {
        let fits = stamp(&text(at_most - stamp_len)).unwrap();
        assert!(message(&fits).unwrap().head.read_at.is_some());
        assert!(stamp(&text(at_most - stamp_len + 1)).is_err(), "{at_most}");
        assert!(message(&text(at_most)).is_ok() && message(&text(at_most + 1)).is_err(), "{at_most}");
    }
}

proptest::proptest! {
    #[test] // spec: MAIL-5, MAIL-7a
    fn what_is_written_reads_as_it_was_meant(
        subject in "\\PC{0,40}",
        tags in proptest::collection::vec("\\PC{1,20}", 0..4),
        thread in proptest::option::of("\\PC{1,20}"),
        extra in "\\PC{0,30}",
        body in "(---\\n|\\PC|\\n){0,60}",
        ms in 0i64..4_000_000_000_000,
        flags in 0u8..12,
    ) {
        let written = MessageDraft {
            subject, tags,
            thread_id: thread.filter(|thread| !thread.trim().is_empty()),
            extras: vec![("x-note", extra)],
            timestamp: Timestamp::from_ms(ms),
            needs_response: flags % 2 == 1,
            priority: Priority::ALL[usize::from(flags) % 3],
            kind: MessageKind::SENT[usize::from(flags) % 7].clone(),
            body,
            ..draft()
        };
        let read = Message::parse(written.render().into_bytes()).map_err(|why| proptest::test_runner::TestCaseError::fail(why.0))?;
        let head = &read.head;
        proptest::prop_assert_eq!((&head.subject, &head.tags, &head.thread_id), (&written.subject, &written.tags, &written.thread_id));
        proptest::prop_assert_eq!((head.timestamp, head.needs_response, head.priority, &head.kind),
            (written.timestamp, written.needs_response, written.priority, &written.kind));
        proptest::prop_assert_eq!(head.extra("x-note"), Some(written.extras[0].1.as_str()));
        proptest::prop_assert_eq!(read.body().trim_end_matches('\n'), written.body.trim_end_matches('\n'));
        // A stamp keeps everything else.
        let stamped = read.stamped(Timestamp::from_ms(ms)).expect("it is short");
        let stamp = format!("read_at: {}\n", Timestamp::from_ms(ms).to_rfc3339());
        proptest::prop_assert_eq!(stamped.replacen(&stamp, "", 1), read.text());
    }

    #[test] // spec: MAIL-9
    fn no_bytes_stop_the_reader(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), lines in "(---|from: |to|type: task|timestamp: 2026|  - |:|\\n|\\PC){0,40}") {
        let _ = Message::parse(bytes);
        if let Ok(read) = Message::parse(format!("---\n{lines}\n---\n{lines}").into_bytes()) {
            let _ = read.stamped(Timestamp::from_ms(5));
        }
    }
}

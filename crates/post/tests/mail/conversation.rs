//! Conversations, filters, search, what expires and what is swept.

use crate::world::{CHERRY, World, caller, code, named, subjects};
use brainstem_memory::Caller;
use brainstem_post::mail::{ListRequest, PruneRequest, ReplyRequest, SearchRequest, SendRequest};

fn orch() -> Caller {
    caller("claude:orchestrator", "orch", CHERRY)
}

fn worker() -> Caller {
    caller("codex:maker", "w1+worker", CHERRY)
}

fn question(to: &str, subject: &str) -> SendRequest {
    SendRequest {
        to: to.into(),
        kind: "question".into(),
        subject: Some(subject.into()),
        needs_response: true,
        ..SendRequest::default()
    }
}

#[test] // spec: MAIL-14
fn a_conversation_is_shown_whole_across_boxes_and_folders() {
    let world = World::new();
    let first = world.send_with(&orch(), question("w1", "Which port?"));
    let second = world.reply(&worker(), first.file.as_str(), "Which daemon?\n---\n");
    assert_eq!((second.mailbox.as_str(), second.thread_id.as_deref()), ("orch", Some(first.file.as_str())));
    world.post.mark_read(&worker(), &named(&first.file)).unwrap();
    let third = world.reply(&orch(), second.file.as_str(), "The first.");
    world.post.archive(&orch(), &named(&second.file)).unwrap();
    world.send(&orch(), "w1", "something else");
    // Somebody answers by hand and leaves the thread out.
    let by_hand = format!(
        "---\nfrom: ana\nto: w1\ntype: response\ntimestamp: 2026-07-05T00:59:00Z\nin_reply_to: {}\n---\n7733, I think.\n",
        third.file
    );
    world.disk.write_raw("/src/cherry/.mail/w1/20260705T005900Z_ana_response.md", by_hand.as_bytes());
    for thread in [first.file.as_str(), second.file.as_str(), "20260705T005900Z_ana_response.md"] {
        let told = world.post.thread(&orch(), thread).unwrap();
        let said: Vec<(&str, &str, &str)> = told
            .messages
            .iter()
            .map(|spoken| (spoken.row.mailbox.as_str(), spoken.row.folder.as_str(), spoken.body.trim()))
            .collect();
        assert_eq!(
            said,
            [
                ("w1", "read", ""),
                ("orch", "archive", "Which daemon?\n---"),
                ("w1", "unread", "The first."),
                ("w1", "unread", "7733, I think.")
            ],
            "{thread}"
        );
    }
    assert_eq!(code(world.post.thread(&orch(), "20200101T000000Z_x_task.md")), "mail.not_found");
}

#[test] // spec: MAIL-14
fn what_waits_for_a_reply_is_listed_oldest_first_until_it_has_one() {
    let world = World::new();
    let one = world.send_with(&orch(), question("w1", "one"));
    let two = world.send_with(&orch(), question("worker", "two"));
    world.send(&orch(), "w1", "no question");
    world.post.mark_read(&worker(), &named(&one.file)).unwrap();
    let open =
        || subjects(&world.list(&worker(), ListRequest { needs_response: true, ..ListRequest::default() }));
    assert_eq!(open(), ["one", "two"], "read, and not answered");
    let reply = world.reply(&worker(), one.file.as_str(), "Yes.");
    assert_eq!(open(), ["two"]);
    world.post.archive(&orch(), &named(&reply.file)).unwrap();
    assert_eq!(open(), ["two"], "the reply counts wherever it lies");
    world.reply(&worker(), two.file.as_str(), "No.");
    assert_eq!(open(), [""; 0]);
}

#[test] // spec: MAIL-14
fn a_reply_needs_a_message_a_body_and_a_sender_with_a_box() {
    let world = World::new();
    let sent = world.send(&orch(), "w1", "x");
    let reply = |file: &str, body: &str| {
        code(world.post.reply(
            &worker(),
            &ReplyRequest { file: file.into(), body: Some(body.into()), ..ReplyRequest::default() },
        ))
    };
    assert_eq!(reply("20200101T000000Z_x_task.md", "hello"), "mail.not_found");
    assert_eq!(reply("../../etc/passwd", "hello"), "mail.bad_name");
    assert_eq!(reply(sent.file.as_str(), " \n"), "input.missing");
    world.disk.write_raw(
        "/src/cherry/.mail/w1/20260705T000000Z_x_task.md",
        b"---\nfrom: Ana Smith\nto: w1\ntype: task\ntimestamp: 2026-07-05T00:00:00Z\n---\n",
    );
    assert_eq!(reply("20260705T000000Z_x_task.md", "hello"), "mail.bad_name");
}

#[test] // spec: MAIL-15
fn a_listing_is_filtered_by_what_messages_say() {
    let world = World::new();
    let say = |subject: &str, kind: &str, priority: &str, tag: &str| {
        world.send_with(
            &orch(),
            SendRequest {
                to: "w1".into(),
                kind: kind.into(),
                subject: Some(subject.into()),
                priority: Some(priority.into()),
                tags: vec![tag.into()],
                ..SendRequest::default()
            },
        )
    };
    say("a", "task", "low", "BUG-1");
    say("b", "alert", "urgent", "BUG-2");
    let middle = say("c", "task", "normal", "BUG-2");
    world.send(&caller("gemini:maker", "w2", CHERRY), "w1", "d");
    let get = |request: ListRequest| subjects(&world.list(&worker(), request));
    assert_eq!(get(ListRequest::default()), ["a", "b", "c", "d"]);
    assert_eq!(get(ListRequest { urgent_first: true, ..ListRequest::default() }), ["b", "c", "d", "a"]);
    assert_eq!(get(ListRequest { kind: Some("alert".into()), ..ListRequest::default() }), ["b"]);
    assert_eq!(get(ListRequest { from: Some("w2".into()), ..ListRequest::default() }), ["d"]);
    assert_eq!(get(ListRequest { tag: Some("BUG-2".into()), ..ListRequest::default() }), ["b", "c"]);
    assert_eq!(get(ListRequest { priority: Some("low".into()), ..ListRequest::default() }), ["a"]);
    assert_eq!(get(ListRequest { thread: Some(middle.file.to_string()), ..ListRequest::default() }), ["c"]);
    assert_eq!(get(ListRequest { since: Some("2s".into()), ..ListRequest::default() }), ["b", "c", "d"]);
    assert_eq!(get(ListRequest { until: Some("2s".into()), ..ListRequest::default() }), ["a"]);
    let cut = world.post.list_mail(&worker(), &ListRequest { limit: 3, ..ListRequest::default() }).unwrap();
    assert_eq!((cut.rows.len(), cut.left_out), (3, 1));
    for (request, expected) in [
        (ListRequest { folder: Some("trash".into()), ..ListRequest::default() }, "input.bad_value"),
        (ListRequest { priority: Some("high".into()), ..ListRequest::default() }, "input.bad_value"),
        (ListRequest { since: Some("soon".into()), ..ListRequest::default() }, "input.bad_value"),
        (ListRequest { mailbox: Some("../w1".into()), ..ListRequest::default() }, "mail.bad_name"),
    ] {
        assert_eq!(code(world.post.list_mail(&worker(), &request)), expected);
    }
}

#[test] // spec: MAIL-15
fn a_search_finds_words_of_subjects_and_bodies() {
    let world = World::new();
    let say = |subject: &str, body: &str| {
        world.send_with(
            &orch(),
            SendRequest {
                to: "w1".into(),
                subject: Some(subject.into()),
                body: Some(body.into()),
                ..SendRequest::default()
            },
        )
    };
    let old = say("Retry loop", "It never ends.");
    say("Lunch", "The RETRY of the loop\nwas long.");
    world.post.archive(&worker(), &named(&old.file)).unwrap();
    let find = |query: &str, folder: Option<&str>| {
        let request = SearchRequest {
            query: query.into(),
            folder: folder.map(str::to_owned),
            limit: 10,
            ..SearchRequest::default()
        };
        let found = world.post.search_mail(&worker(), &request).unwrap();
        found.hits.into_iter().map(|hit| (hit.row.head.subject, hit.snippet)).collect::<Vec<_>>()
    };
    assert_eq!(
        find("retry LOOP", None),
        [
            ("Lunch".to_owned(), "The RETRY of the loop".to_owned()),
            ("Retry loop".to_owned(), "Retry loop".to_owned())
        ]
    );
    assert_eq!(find("ends", Some("archive")).len(), 1);
    assert_eq!(find("retry ends", Some("unread")).len(), 0);
    assert_eq!(code(world.post.search_mail(&worker(), &SearchRequest::default())), "input.missing");
}

#[test] // spec: MAIL-13
fn what_expires_is_archived_by_the_sweep_and_pruned_by_hand() {
    let world = World::new();
    world.send_with(
        &orch(),
        SendRequest {
            to: "w1".into(),
            subject: Some("short".into()),
            expires: Some("2h".into()),
            ..SendRequest::default()
        },
    );
    world.send(&orch(), "w1", "long");
    assert_eq!(world.waiting(&worker()).len(), 2);
    world.clock.advance(2 * 3_600_000);
    assert_eq!(world.waiting(&worker()), ["long"]);
    let swept = world.post.sweep_mail(&worker()).unwrap();
    assert_eq!((swept.boxes.len(), swept.boxes[0].swept.expired.len()), (1, 1));
    let archived = || {
        subjects(
            &world.list(&worker(), ListRequest { folder: Some("archive".into()), ..ListRequest::default() }),
        )
    };
    assert_eq!(archived(), ["short"]);
    let prune = |older_than: &str, dry_run| {
        let request = PruneRequest { older_than: older_than.into(), dry_run, ..PruneRequest::default() };
        world
            .post
            .prune_mail(&worker(), &request)
            .unwrap()
            .boxes
            .into_iter()
            .flat_map(|one| one.pruned.files)
            .count()
    };
    assert_eq!((prune("7d", false), prune("1h", true)), (0, 1));
    assert_eq!(archived(), ["short"]);
    assert_eq!(prune("1h", false), 1);
    assert_eq!(archived(), [""; 0]);
}

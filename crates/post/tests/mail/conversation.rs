//! Conversations, filters, search, what expires and what is swept.

use crate::world::{
    CHERRY, MAIL, World, asking, boxed, caller, code, key, message, named, refusal, replying, sending,
    subjects,
};
use brainstem_memory::Caller;
use brainstem_post::mail::{
    Boxes, ListOrder, MailFolder, MailListRequest, MessageFilter, MessageKind, OthersBoxes, Priority,
    PruneRequest, Pruning, ReadRequest, ReplyRequest, SearchRequest, SendRequest, TakeRequest, words,
};
use std::path::Path;

fn orch() -> Caller {
    caller("claude:orchestrator", "orch", CHERRY)
}

fn worker() -> Caller {
    caller("codex:maker", "w1+worker", CHERRY)
}

fn question(to: &str, subject: &str) -> SendRequest {
    SendRequest { subject: subject.into(), needs_response: true, ..sending(to, MessageKind::Question) }
}

/// Removes what is that old from the boxes of the caller.
fn pruning_own(world: &World, older_than: &str) -> PruneRequest {
    PruneRequest {
        older_than: world.post.mail_words().older_than(older_than).unwrap(),
        mailbox: None,
        pruning: Pruning::Real,
        others: OthersBoxes::LeftAlone,
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
    let open = || {
        subjects(&world.list(&worker(), MailListRequest { filter: asking(), ..MailListRequest::default() }))
    };
    assert_eq!(open(), ["one", "two"], "read, and not answered");
    let reply = world.reply(&worker(), one.file.as_str(), "Yes.");
    assert_eq!(open(), ["two"]);
    world.post.archive(&orch(), &named(&reply.file)).unwrap();
    assert_eq!(open(), ["two"], "the reply counts wherever it lies");
    world.reply(&worker(), two.file.as_str(), "No.");
    assert_eq!(open(), [""; 0]);
}

/// A question that the program before this one asked in several boxes within a second, under one name.
const SHARED: &str = "20260704T120000Z_orch_question.md";

fn asked_under_one_name(world: &World, boxes: &[&str]) {
    for to in boxes {
        let text = format!(
            "---\nfrom: orch\nto: {to}\ntype: question\ntimestamp: 2026-07-04T12:00:00.000Z\nneeds_response: true\n\
             subject: for {to}\n---\n\n?\n"
        );
        world.disk.write_raw(format!("{MAIL}/{to}/{SHARED}"), text.as_bytes());
    }
}

#[test] // spec: MAIL-14
fn an_answer_to_one_of_several_messages_of_one_name_closes_that_one() {
    let world = World::new();
    asked_under_one_name(&world, &["alice", "bob", "carol", "pool"]);
    let who = |name: &str| caller("codex:maker", name, CHERRY);
    let open = |name: &str| {
        subjects(&world.list(&who(name), MailListRequest { filter: asking(), ..MailListRequest::default() }))
    };
    world.reply(&who("alice"), SHARED, "Mine.");
    // As the program before this one replied: without a word about the box.
    let by_hand = format!(
        "---\nfrom: bob\nto: orch\ntype: response\ntimestamp: 2026-07-05T00:01:00Z\nin_reply_to: {SHARED}\n\
         thread_id: {SHARED}\n---\nBob's.\n"
    );
    world.disk.write_raw(format!("{MAIL}/orch/20260705T000100Z_bob_response.md"), by_hand.as_bytes());
    assert_eq!((open("alice"), open("bob")), (Vec::new(), Vec::new()));
    assert_eq!((open("carol"), open("w7+pool")), (vec!["for carol".to_owned()], vec!["for pool".to_owned()]));
    world.reply(&who("w7+pool"), &format!("pool/{SHARED}"), "Taken from the pool.");
    assert_eq!((open("carol"), open("w7+pool")), (vec!["for carol".to_owned()], Vec::new()));
    let bodies = |thread: &str| {
        let told = world.post.thread(&who("carol"), thread).unwrap();
        told.messages.into_iter().map(|spoken| spoken.body.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(bodies(&format!("alice/{SHARED}")), ["?", "Mine."]);
    assert_eq!(bodies("20260705T000100Z_bob_response.md"), ["?", "Bob's."]);
    assert_eq!(bodies(&format!("carol/{SHARED}")), ["?"]);
    let refused = refusal(world.post.thread(&who("carol"), SHARED));
    assert_eq!(refused.code.name(), "mail.ambiguous");
    assert!(refused.message.contains(&format!("bob/{SHARED}")), "{refused}");
}

#[test] // spec: MAIL-2, MAIL-10
fn a_name_that_several_messages_have_is_refused_until_the_box_is_named() {
    let world = World::new();
    asked_under_one_name(&world, &["w1", "worker", "__broadcast"]);
    let me = worker();
    let read = |file: &str, mailbox: Option<&str>| {
        let file = Some(world.post.mail_words().message(file)?);
        let request = ReadRequest { file, mailbox: mailbox.map(boxed) };
        world.post.read_mail(&me, &request).map(|shown| shown.row.head.subject)
    };
    let refused = refusal(read(SHARED, None));
    assert_eq!(refused.code.name(), "mail.ambiguous");
    for mailbox in ["w1", "worker", "__broadcast"] {
        assert!(refused.message.contains(&format!("{mailbox}/{SHARED}")), "{refused}");
        assert_eq!(read(&format!("{mailbox}/{SHARED}"), None).unwrap(), format!("for {mailbox}"));
        assert_eq!(read(SHARED, Some(mailbox)).unwrap(), format!("for {mailbox}"));
    }
    for refused in [
        code(world.post.mark_read(&me, &named(&SHARED))),
        code(world.post.archive(&me, &named(&SHARED))),
        code(world.post.take(&me, &TakeRequest { file: Some(message(SHARED)), ..TakeRequest::default() })),
        code(world.post.reply(&me, &replying(SHARED, "x"))),
        code(
            world
                .post
                .send(&me, &SendRequest { reply_to: Some(message(SHARED)), ..question("orch", "back") }),
        ),
    ] {
        assert_eq!(refused, "mail.ambiguous");
    }
    assert!(!world.post.mark_read(&me, &named(&format!("worker/{SHARED}"))).unwrap().unchanged);
    assert_eq!(code(read(&format!("w1/{SHARED}"), Some("worker"))), "input.bad_value", "two boxes");
    for bad in ["../w1/x", "w1/../worker/x", "/etc/passwd", "a/b/c"] {
        assert_eq!(code(read(bad, None)), "mail.bad_name", "{bad}");
    }
}

#[test] // spec: MAIL-9, MAIL-14
fn a_thread_of_a_file_that_is_no_readable_message_is_not_called_absent() {
    let world = World::new();
    let file = world.send(&orch(), "w1", "first").file;
    let path = format!("{CHERRY}/.mail/w1/{file}");
    world.disk.write_raw(&path, b"---\nfrom orch\n---\n");
    for asked in [file.to_string(), format!("w1/{file}")] {
        let refused = refusal(world.post.thread(&worker(), &asked));
        assert_eq!(refused.code.name(), "mail.unreadable", "{asked}: {}", refused.message);
    }
    assert_eq!(code(world.post.thread(&worker(), &format!("w2/{file}"))), "mail.not_found");
}

#[test] // spec: MAIL-15
fn nothing_to_read_in_a_box_that_is_named_speaks_of_that_box() {
    let world = World::new();
    world.send(&orch(), "w1", "first");
    let read = |mailbox: Option<&str>| {
        let request = ReadRequest { mailbox: mailbox.map(boxed), ..ReadRequest::default() };
        refusal(world.post.read_mail(&caller("gemini:maker", "helper", CHERRY), &request)).message
    };
    assert_eq!(read(None), "nothing is unread for helper");
    world.disk.write_raw(format!("{CHERRY}/.mail/helper/20260705T000000Z_x_task.md"), b"no message");
    assert_eq!(read(None), "nothing is unread for helper; 1 file there cannot be read as a message");
    assert_eq!(
        read(Some("w2")),
        "nothing is unread in the box `w2`; there is no box `w2` here; did you mean `w1`?"
    );
}

#[test] // spec: MAIL-2
fn a_part_of_a_name_is_enough_where_no_other_message_has_it() {
    let world = World::new();
    let first = world.send(&orch(), "w1", "first");
    let second = world.send(&caller("gemini:maker", "helper", CHERRY), "w1", "second");
    let me = worker();
    let read = |part: &str| {
        let request = ReadRequest { file: Some(message(part)), ..ReadRequest::default() };
        world.post.read_mail(&me, &request).map(|shown| shown.row.head.subject)
    };
    assert_eq!(read("helper").unwrap(), "second");
    assert_eq!(read("w1/orch").unwrap(), "first");
    let refused = refusal(read("task"));
    assert_eq!(refused.code.name(), "mail.ambiguous");
    assert!(refused.message.contains(&format!("w1/{}", first.file)), "{refused}");
    let missing = refusal(read("nothing-like-that"));
    assert_eq!(missing.code.name(), "mail.not_found");
    assert_eq!(
        missing.message,
        "no message in the boxes of w1 has \"nothing-like-that\" in its name or its subject"
    );
    let told = world.post.thread(&orch(), "helper").unwrap();
    assert_eq!(told.messages.len(), 1, "a conversation is named by a part of a message's name too");
    let answer = SendRequest { reply_to: Some(message("helper")), ..question("helper", "why?") };
    assert_eq!(world.send_with(&me, answer).thread_id.as_deref(), Some(second.file.as_str()));
    assert_eq!(world.post.thread(&orch(), "helper").unwrap().messages.len(), 2);
    // What waits counts before what is done.
    world.post.mark_read(&me, &named(&second.file)).unwrap();
    assert_eq!(read("task").unwrap(), "first");
    assert_eq!(read("helper").unwrap(), "second");
}

#[test] // spec: MAIL-15
fn whoever_names_no_message_reads_the_next_one() {
    let world = World::new();
    let me = worker();
    let next = || world.post.read_mail(&me, &ReadRequest::default()).map(|shown| shown.row);
    assert_eq!(code(next()), "mail.nothing");
    world.send(&orch(), "worker", "later");
    world.send(&orch(), "__broadcast", "to all");
    let urgent = SendRequest { priority: Priority::Urgent, ..question("w1", "now") };
    world.send_with(&orch(), urgent);
    for expected in ["now", "later", "to all"] {
        let row = next().unwrap();
        assert_eq!(row.head.subject, expected);
        match expected {
            "to all" => world.post.note_seen(&me, &row.file).unwrap(),
            _ => drop(world.post.mark_read(&me, &named(&row.file)).unwrap()),
        }
    }
    assert_eq!(code(next()), "mail.nothing", "a broadcast that was shown is seen");
    let of_box = ReadRequest { mailbox: Some(boxed("worker")), ..ReadRequest::default() };
    assert_eq!(code(world.post.read_mail(&me, &of_box)), "mail.nothing");
}

#[test] // spec: MAIL-14
fn what_was_answered_wants_no_reply_any_more_wherever_it_is_shown() {
    let world = World::new();
    let asked = world.send_with(&orch(), question("w1", "Which port?"));
    let other = world.send_with(&orch(), question("w1", "Which host?"));
    let me = worker();
    let marks = || {
        let listed = world.list(&me, MailListRequest::default());
        listed.rows.into_iter().map(|row| row.answered).collect::<Vec<_>>()
    };
    assert_eq!(marks(), [false, false]);
    let reply = world.reply(&me, asked.file.as_str(), "7733.");
    assert_eq!(marks(), [true, false]);
    let read = |file: &str| {
        let request = ReadRequest { file: Some(message(file)), ..ReadRequest::default() };
        world.post.read_mail(&me, &request).unwrap().row.answered
    };
    assert_eq!((read(asked.file.as_str()), read(other.file.as_str())), (true, false));
    let told = world.post.thread(&me, asked.file.as_str()).unwrap();
    assert!(told.messages[0].row.answered && !told.messages[1].row.answered);
    // Wherever whoever asked has put the reply meanwhile.
    world.post.mark_read(&orch(), &named(&reply.file)).unwrap();
    assert_eq!(marks(), [true, false]);
    world.post.archive(&orch(), &named(&reply.file)).unwrap();
    assert_eq!(marks(), [true, false]);
}

#[test] // spec: MAIL-15
fn a_search_and_a_listing_say_where_they_looked_and_look_everywhere_when_asked() {
    let world = World::new();
    world.send(&orch(), "w1", "mine");
    world.send(&orch(), "elsewhere", "refunds are late");
    let me = worker();
    let search = |boxes| {
        let request = SearchRequest { query: "refunds".into(), boxes, limit: 10, ..SearchRequest::default() };
        let found = world.post.search_mail(&me, &request).unwrap();
        (found.hits.len(), found.boxes.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(
        search(Boxes::Own),
        (0, ["w1", "codex.maker", "worker", "__broadcast"].map(str::to_owned).to_vec())
    );
    let (hits, boxes) = search(Boxes::All);
    assert!(hits == 1 && boxes.contains(&"elsewhere".to_owned()), "{boxes:?}");
    let listed = world.list(&me, MailListRequest { boxes: Boxes::All, ..MailListRequest::default() });
    assert_eq!(subjects(&listed), ["mine", "refunds are late"]);
    assert!(listed.not_yours);
}

#[test] // spec: MAIL-14
fn a_message_that_says_it_is_from_everybody_is_answered_to_nobody() {
    let world = World::new();
    world.disk.write_raw(
        format!("{MAIL}/w1/20260705T000000Z_x_task.md"),
        b"---\nfrom: __broadcast\nto: w1\ntype: task\ntimestamp: 2026-07-05T00:00:00Z\n---\n",
    );
    let request = replying("20260705T000000Z_x_task.md", "secret");
    let refused = refusal(world.post.reply(&worker(), &request));
    assert_eq!(refused.code.name(), "mail.bad_name");
    assert!(
        refused.fix.unwrap().contains(
            "brainstem mail send --to NAME --type response --reply-to w1/20260705T000000Z_x_task.md"
        )
    );
    assert!(!world.disk.dump().keys().any(|path| path.starts_with(format!("{MAIL}/__broadcast"))));
}

#[test] // spec: MAIL-14
fn a_reply_needs_a_message_a_body_and_a_sender_with_a_box() {
    let world = World::new();
    let sent = world.send(&orch(), "w1", "x");
    let reply = |file: &str, body: &str| {
        let file = world.post.mail_words().message(file);
        let request = file.map(|file| ReplyRequest::new(file, body.to_owned()));
        code(request.and_then(|request| world.post.reply(&worker(), &request)))
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
                subject: subject.into(),
                priority: words::priority(Some(priority)).unwrap().unwrap(),
                tags: vec![tag.into()],
                ..sending("w1", words::kind(kind).unwrap())
            },
        )
    };
    say("a", "task", "low", "BUG-1");
    say("b", "alert", "urgent", "BUG-2");
    let middle = say("c", "task", "normal", "BUG-2");
    world.send(&caller("gemini:maker", "w2", CHERRY), "w1", "d");
    let get = |request: MailListRequest| subjects(&world.list(&worker(), request));
    assert_eq!(get(MailListRequest::default()), ["a", "b", "c", "d"]);
    assert_eq!(
        get(MailListRequest { order: ListOrder::UrgentFirst, ..MailListRequest::default() }),
        ["b", "c", "d", "a"]
    );
    assert_eq!(
        get(MailListRequest {
            filter: MessageFilter { kind: Some("alert".into()), ..MessageFilter::default() },
            ..MailListRequest::default()
        }),
        ["b"]
    );
    let bogus = MailListRequest {
        filter: MessageFilter { kind: Some("bogus".into()), ..MessageFilter::default() },
        limit: 9,
        ..MailListRequest::default()
    };
    assert_eq!(code(world.post.list_mail(&worker(), &bogus)), "mail.bad_type", "a slip is no empty box");
    assert_eq!(
        get(MailListRequest {
            filter: MessageFilter { from: Some("w2".into()), ..MessageFilter::default() },
            ..MailListRequest::default()
        }),
        ["d"]
    );
    assert_eq!(
        get(MailListRequest {
            filter: MessageFilter { tag: Some("BUG-2".into()), ..MessageFilter::default() },
            ..MailListRequest::default()
        }),
        ["b", "c"]
    );
    assert_eq!(
        get(MailListRequest {
            filter: MessageFilter { priority: Some(Priority::Low), ..MessageFilter::default() },
            ..MailListRequest::default()
        }),
        ["a"]
    );
    assert_eq!(
        get(MailListRequest {
            filter: MessageFilter { thread: Some(middle.file.to_string()), ..MessageFilter::default() },
            ..MailListRequest::default()
        }),
        ["c"]
    );
    let words = world.post.mail_words();
    let before = words.past("since", Some("2s")).unwrap();
    let since = MessageFilter { since: before, ..MessageFilter::default() };
    assert_eq!(get(MailListRequest { filter: since, ..MailListRequest::default() }), ["b", "c", "d"]);
    let until = MessageFilter { until: before, ..MessageFilter::default() };
    assert_eq!(get(MailListRequest { filter: until, ..MailListRequest::default() }), ["a"]);
    let cut =
        world.post.list_mail(&worker(), &MailListRequest { limit: 3, ..MailListRequest::default() }).unwrap();
    assert_eq!((cut.rows.len(), cut.left_out), (3, 1));
    assert_eq!(code(words::folder(Some("trash"))), "input.bad_value");
    assert_eq!(code(words::priority(Some("high"))), "input.bad_value");
    assert_eq!(code(words.past("since", Some("soon"))), "input.bad_value");
    assert_eq!(code(words.mailbox(Some("../w1"))), "mail.bad_name");
}

#[test] // spec: MAIL-15
fn a_search_finds_words_of_subjects_and_bodies() {
    let world = World::new();
    let say = |subject: &str, body: &str| {
        world.send_with(
            &orch(),
            SendRequest { subject: subject.into(), body: body.into(), ..sending("w1", MessageKind::Task) },
        )
    };
    let old = say("Retry loop", "It never ends.");
    say("Lunch", "The RETRY of the loop\nwas long.");
    world.post.archive(&worker(), &named(&old.file)).unwrap();
    let find = |query: &str, folder: Option<&str>| {
        let request = SearchRequest {
            query: query.into(),
            folder: words::folder(folder).unwrap(),
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

#[test] // spec: MAIL-13, MEM-48
fn an_expiry_lies_ahead_and_an_age_does_not() {
    let world = World::new();
    let send = |expires: &str| {
        let expires_at = world.post.mail_words().expires(Some(expires))?;
        world.post.send(&orch(), &SendRequest { expires: expires_at, ..question("w1", expires) })
    };
    send("2099-12-01").unwrap();
    let heads = world.list(&worker(), MailListRequest::default()).rows.into_iter();
    let expires: Vec<_> = heads.filter_map(|row| row.head.expires).map(|at| at.to_rfc3339()).collect();
    assert_eq!(expires, ["2099-12-01T23:59:59.999Z"]);
    for past in ["2020-01-01", "yesterday", "2020-01-01T00:00:00Z", "5", "2 days ago"] {
        assert_eq!(code(send(past)), "input.bad_value", "{past}");
    }
    assert_eq!(world.waiting(&worker()), ["2099-12-01"], "what is refused is not sent");
    let older = world.post.mail_words().older_than("2099-12-01");
    assert_eq!(code(older), "input.bad_value", "all would be older");
}

#[test] // spec: MAIL-13
fn what_expires_is_archived_by_the_sweep_and_pruned_by_hand() {
    let world = World::new();
    world.clock.advance(1_000);
    let expires = world.post.mail_words().expires(Some("2h")).unwrap();
    let short = SendRequest { subject: "short".into(), expires, ..sending("w1", MessageKind::Task) };
    world.post.send(&orch(), &short).unwrap();
    world.send(&orch(), "w1", "long");
    assert_eq!(world.waiting(&worker()).len(), 2);
    world.clock.advance(2 * 3_600_000);
    assert_eq!(world.waiting(&worker()), ["long"]);
    let swept = world.post.sweep_mail(&worker()).unwrap();
    assert_eq!((swept.boxes.len(), swept.boxes[0].swept.expired.len()), (1, 1));
    let archived = || {
        subjects(&world.list(
            &worker(),
            MailListRequest { folder: Some(MailFolder::Archive), ..MailListRequest::default() },
        ))
    };
    assert_eq!(archived(), ["short"]);
    let prune = |older_than: &str, pruning| {
        let request = PruneRequest { pruning, ..pruning_own(&world, older_than) };
        world
            .post
            .prune_mail(&worker(), &request)
            .unwrap()
            .boxes
            .into_iter()
            .flat_map(|one| one.pruned.files)
            .count()
    };
    assert_eq!((prune("7d", Pruning::Real), prune("1h", Pruning::DryRun)), (0, 1));
    assert_eq!(archived(), ["short"]);
    assert_eq!(prune("1h", Pruning::Real), 1);
    assert_eq!(archived(), [""; 0]);
}

#[test] // spec: MAIL-13, MAIL-15
fn a_prune_that_stops_at_one_box_names_what_it_removed_from_the_others() {
    let world = World::new();
    let ana = caller("human:ana", "w1", CHERRY);
    let sent = world.send(&orch(), "w1", "old");
    world.post.archive(&ana, &named(&sent.file)).unwrap();
    world.disk.make_dirs(format!("{MAIL}/human.ana"));
    world.disk.make_link("/elsewhere", format!("{MAIL}/human.ana/archive"));
    world.clock.advance(1_000);
    let prune = || world.post.prune_mail(&ana, &pruning_own(&world, "0s"));
    let told = prune().unwrap();
    let removed: Vec<_> = told.boxes.iter().flat_map(|one| &one.pruned.files).collect();
    let stuck = told.boxes.iter().flat_map(|one| &one.pruned.stuck).chain(&told.stuck).count();
    assert_eq!((removed, stuck), (vec![&sent.file], 1));
    assert_eq!(code(prune()), "store.unreadable", "where nothing went, that is the answer");
}

#[test] // spec: MAIL-12, MAIL-15
fn archived_broadcasts_are_deleted_by_a_person_alone_and_on_record() {
    let world = World::new();
    let sent = world.send(&orch(), "__broadcast", "to all");
    world.post.archive(&orch(), &named(&sent.file)).unwrap();
    world.clock.advance(1_000);
    let prune = |who: &Caller, mailbox: Option<&str>, force: bool| {
        let (mailbox, others) = (mailbox.map(boxed), OthersBoxes::forced_if(force));
        let request = PruneRequest { mailbox, others, ..pruning_own(&world, "0s") };
        world.post.prune_mail(who, &request)
    };
    let is_there = || {
        let files = world.disk.dump();
        files.keys().any(|path| path.ends_with(format!("__broadcast/archive/{}", sent.file)))
    };
    let ana = caller("human:ana", "", CHERRY);
    for who in [&orch(), &worker(), &ana] {
        let told = prune(who, None, true).unwrap();
        assert!(told.boxes.is_empty() && told.notes[0].contains("--box __broadcast --force"), "{told:?}");
    }
    let all = Some("__broadcast");
    for (who, force) in [(&orch(), false), (&worker(), true), (&ana, false)] {
        assert_eq!(code(prune(who, all, force)), "mail.not_yours");
    }
    let log = Path::new(MAIL).join(".forced.jsonl");
    assert!(is_there() && !world.disk.dump().contains_key(&log));
    assert_eq!(prune(&ana, all, true).unwrap().boxes[0].pruned.files, std::slice::from_ref(&sent.file));
    assert!(!is_there() && String::from_utf8_lossy(&world.disk.dump()[&log]).contains("prune"));
}

#[test] // spec: MAIL-15
fn reading_the_next_says_how_many_others_wait_and_what_to_mark_read() {
    use brainstem_post::mail::{ReadMessage, ReadRequest};
    let world = World::new();
    let (orch, w1) = (caller("claude:maker", "orch", CHERRY), caller("codex:maker", "w1", CHERRY));
    for (to, subject) in [("w1", "first"), ("__broadcast", "to all"), ("w1", "third")] {
        world.send(&orch, to, subject);
    }
    let next = || world.post.read_mail(&w1, &ReadRequest::default());
    let told =
        |shown: &ReadMessage| (shown.row.head.subject.clone(), shown.waiting, shown.to_mark_read.is_some());
    for _ in 0..2 {
        assert_eq!(told(&next().unwrap()), ("first".into(), Some(2), true), "until it is marked read");
    }
    let first = next().unwrap().to_mark_read.unwrap();
    world.post.mark_read(&w1, &named(&first)).unwrap();
    let read = ReadRequest { file: Some(message(&first)), ..ReadRequest::default() };
    let again = world.post.read_mail(&w1, &read).unwrap();
    assert_eq!(told(&again), ("first".into(), None, false), "it was marked read");
    assert_eq!(
        told(&next().unwrap()),
        ("to all".into(), Some(1), false),
        "a broadcast needs no mark of the reader"
    );
    world.post.note_seen(&w1, &next().unwrap().row.file).unwrap();
    assert_eq!(told(&next().unwrap()), ("third".into(), Some(0), true));
    let third = next().unwrap().to_mark_read.unwrap();
    let read = ReadRequest { file: Some(message(&third)), ..ReadRequest::default() };
    assert_eq!(world.post.read_mail(&orch, &read).unwrap().to_mark_read, None, "the box of another session");
    world.post.mark_read(&w1, &named(&third)).unwrap();
    assert_eq!(code(next()), "mail.nothing");
}

#[test] // spec: MAIL-7, MAIL-3
fn a_key_that_one_recipient_refuses_stops_the_copies_of_all() {
    let world = World::new();
    let send = |to: &str, body: &str| {
        let request = SendRequest { body: body.into(), key: key("k"), ..sending(to, MessageKind::Task) };
        world.post.send(&orch(), &request)
    };
    let first = send("w1", "a").unwrap().remove(0);
    let refused = refusal(send("w5,w1", "b"));
    assert_eq!(refused.code.name(), "mail.key_reused");
    let told = format!("this key was used in that box for {}, which says something else", first.file);
    assert_eq!(refused.message, told);
    assert!(!world.disk.dump().keys().any(|path| path.starts_with("/src/cherry/.mail/w5")));
    // What was sent under the key is sent once, and the others get theirs.
    let sent = send("w5,w1", "a").unwrap();
    assert_eq!(sent.iter().map(|copy| copy.repeated).collect::<Vec<_>>(), [false, true]);
}

#[test] // spec: MAIL-14
fn a_message_with_a_thread_id_that_none_can_be_sent_with_is_answered() {
    let world = World::new();
    let (thread, tags) = ("t".repeat(300), vec!["x".to_owned(); 40]);
    let file = "20260705T000000Z_evil_task.md";
    let text = format!(
        "---\nfrom: evil\nto: w1\ntype: task\ntimestamp: 2026-07-05T00:00:00Z\nthread_id: \"{thread}\"\n\
         tags: [{}, \"{thread}\"]\n---\nhi\n",
        tags.join(", ")
    );
    world.disk.write_raw(format!("/src/cherry/.mail/w1/{file}"), text.as_bytes());
    world.clock.advance(3_600_000);
    let sent = world.reply(&worker(), file, "yes");
    assert_eq!((sent.thread_id.as_deref(), sent.thread_left), (Some(file), true));
    assert!(sent.note().unwrap().contains("begins a conversation of its own"), "{:?}", sent.note());
    let request = SendRequest { reply_to: Some(message(file)), ..question("evil", "and?") };
    let sent = world.send_with(&worker(), request);
    assert_eq!((sent.thread_id.as_deref(), sent.thread_left), (Some(file), true));
    // The conversation is found by the name of the message.
    assert_eq!(world.post.thread(&worker(), file).unwrap().messages.len(), 3);
    let plain = world.send(&orch(), "w1", "plain");
    let sent = world.reply(&worker(), plain.file.as_str(), "yes");
    assert!(!sent.thread_left && sent.note().is_none());
}

#[test] // spec: MAIL-2, IF-4
fn a_send_that_answers_a_message_which_is_not_there_is_told_of_no_field_that_it_has_not() {
    let world = World::new();
    let request = SendRequest { reply_to: Some(message("nosuch")), ..question("w1", "x") };
    let request = SendRequest { kind: MessageKind::Task, ..request };
    let refused = refusal(world.post.send(&orch(), &request));
    assert_eq!((refused.code.name(), refused.field.as_deref()), ("mail.not_found", Some("reply_to")));
    let fix = refused.fix.unwrap().to_string();
    assert!(fix.contains("box/file") && !fix.contains("`box`"), "{fix}");
}

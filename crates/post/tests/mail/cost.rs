//! What looking costs in file operations, beside a hundred thousand messages that nobody needs any more.

use crate::world::{CHERRY, MAIL, World, asking, boxed, caller, message, named, sending, subjects};
use brainstem_base::disk::{ObservedDisk, verbs};
use brainstem_memory::Caller;
use brainstem_post::mail::{Boxes, MailListRequest, MessageKind, SendRequest};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

type Counts = BTreeMap<&'static str, u64>;

fn orch() -> Caller {
    caller("claude:orchestrator", "orch", CHERRY)
}

fn worker() -> Caller {
    caller("codex:maker", "w1", CHERRY)
}

fn question(subject: &str) -> SendRequest {
    SendRequest { subject: subject.into(), needs_response: true, ..sending("w1", MessageKind::Question) }
}

/// Two questions, of which one has an answer, beside so many old messages in the boxes of both.
fn world(archived: usize) -> (World, String) {
    let world = World::new();
    let first = world.send_with(&orch(), question("answered"));
    world.reply(&worker(), first.file.as_str(), "So it is.");
    let open = world.send_with(&orch(), question("open"));
    for file in [&first.file, &open.file] {
        world.post.mark_read(&worker(), &named(file)).unwrap();
    }
    for n in 0..archived {
        let place = if n % 2 == 0 { "orch/archive" } else { "w1/read" };
        let file = format!("20260128T1530{:02}Z_a~{:04}_status.md", n / 9_000, n % 9_000 + 1);
        let text = "---\nfrom: a\nto: b\ntype: status\ntimestamp: 2026-01-28T15:30:00Z\n---\n";
        world.disk.write_raw(format!("{MAIL}/{place}/{file}"), text.as_bytes());
    }
    (world, first.file.to_string())
}

#[test] // spec: MAIL-14, MAIL-20
fn a_thread_and_what_waits_for_a_reply_cost_what_is_new() {
    let cost = |archived: usize| -> (Counts, Counts) {
        let (world, thread) = world(archived);
        let observed = Arc::new(ObservedDisk::counting(Arc::new(world.disk.clone())));
        let post = world.post_on(observed.clone());
        let counted = |run: &dyn Fn()| {
            observed.reset();
            run();
            observed.counts()
        };
        let follow = || assert_eq!(post.thread(&orch(), &thread).unwrap().messages.len(), 2);
        let waiting = || {
            let request = MailListRequest { filter: asking(), limit: 10, ..MailListRequest::default() };
            let listed = post.list_mail(&worker(), &request).unwrap();
            assert_eq!((subjects(&listed), listed.gaps), (vec!["open".to_owned()], Vec::new()));
        };
        // Whatever is there is read once.
        follow();
        (counted(&follow), counted(&waiting))
    };
    let (few, many) = (cost(400), cost(100_000));
    assert_eq!(few, many, "a hundred thousand cost no operation more than four hundred");
    for counts in [&many.0, &many.1] {
        // Four of them for each box: whether a repository begins at it or inside it (MAIL-21). Some for each name and tag of
        // the caller: whether it is another's (MAIL-4). Some for what the caller's sessions have taken (MAIL-15a), and for the
        // names of the person (MAIL-3b).
        assert!(counts.values().sum::<u64>() <= 155, "{counts:?}");
    }
}

#[test] // spec: MAIL-20
fn looking_into_every_box_costs_no_listing_of_all_boxes_for_each() {
    let listings = |boxes: usize| {
        let world = World::new();
        for n in 0..boxes {
            world.send(&orch(), &format!("b{n}"), "one of many");
        }
        let count = Arc::new(AtomicUsize::new(0));
        let counter = count.clone();
        let observed = ObservedDisk::new(Arc::new(world.disk.clone()), move |step| {
            let is_it = step.verb == verbs::LIST && step.path == Path::new(MAIL);
            counter.fetch_add(usize::from(is_it), Ordering::SeqCst);
        });
        let post = world.post_on(Arc::new(observed));
        let list = MailListRequest { boxes: Boxes::All, limit: 1, ..MailListRequest::default() };
        assert_eq!(post.list_mail(&worker(), &list).unwrap().left_out, boxes - 1);
        let find = brainstem_post::mail::SearchRequest {
            query: "many".into(),
            boxes: Boxes::All,
            limit: 1,
            ..Default::default()
        };
        assert_eq!(post.search_mail(&worker(), &find).unwrap().left_out, boxes - 1);
        count.load(Ordering::SeqCst)
    };
    assert_eq!(listings(10), listings(40));
}

#[test] // spec: MAIL-9, MAIL-14, MAIL-15
fn one_box_that_cannot_be_looked_at_stops_no_other() {
    let (world, thread) = world(0);
    world.send(&orch(), "w1", "new");
    world.disk.make_link("/etc", format!("{MAIL}/orch/.claimed"));
    world.disk.make_dirs(format!("{MAIL}/zz"));
    world.disk.write_raw(format!("{MAIL}/zz/.claimed"), b"no folder");
    world.disk.write_raw(format!("{MAIL}/night"), b"no folder");
    let post = &world.post;
    let told = post.thread(&orch(), &thread).unwrap();
    assert_eq!(told.messages.len(), 2);
    assert!(told.gaps.len() == 2 && told.gaps[0].contains("orch/.claimed"), "{:?}", told.gaps);
    let request = MailListRequest { filter: asking(), limit: 10, ..MailListRequest::default() };
    let listed = post.list_mail(&worker(), &request).unwrap();
    assert_eq!(subjects(&listed), ["open"]);
    assert!(
        listed.gaps.iter().any(|gap| gap.contains("orch/.claimed")),
        "a reply may lie there: {:?}",
        listed.gaps
    );
    // Of one's own boxes, those that can be listed are.
    let tagged = caller("codex:maker", "w1+night", CHERRY);
    let listed = world.list(&tagged, MailListRequest::default());
    assert_eq!(subjects(&listed), ["new"]);
    assert!(listed.gaps.iter().any(|gap| gap.contains("night")), "{:?}", listed.gaps);
    let named = MailListRequest { boxes: Boxes::One(boxed("night")), ..MailListRequest::default() };
    assert_eq!(crate::world::code(post.list_mail(&tagged, &named)), "store.unreadable", "it was asked for");
    let request =
        brainstem_post::mail::SearchRequest { query: "new".into(), limit: 10, ..Default::default() };
    let found = post.search_mail(&tagged, &request).unwrap();
    assert_eq!((found.hits.len(), found.gaps.len()), (1, 1));
    let taken = post.take(&tagged, &Default::default()).unwrap();
    assert!(taken.head.subject == "new" && taken.gaps.iter().any(|gap| gap.contains("night")), "{taken:?}");
    assert_eq!(
        crate::world::code(post.take(&tagged, &Default::default())),
        "store.unreadable",
        "it may hold one"
    );
    let swept = post.sweep_mail(&orch()).unwrap();
    let stuck: Vec<String> = swept
        .boxes
        .iter()
        .filter(|swept| !swept.swept.stuck.is_empty())
        .map(|swept| swept.mailbox.to_string())
        .collect();
    assert_eq!(stuck, ["orch", "zz"]);
}

#[test] // spec: MAIL-15
fn a_box_that_cannot_be_looked_into_makes_no_message_ambiguous_or_absent() {
    let world = World::new();
    let sent = world.send(&orch(), "w1", "new");
    world.send(&orch(), "__broadcast", "all");
    // Nobody can say whether this box holds anything of a name that does not lie in its top folder.
    world.disk.make_link("/etc", format!("{MAIL}/__broadcast/.claimed"));
    world.disk.make_dirs(format!("{MAIL}/night"));
    world.disk.make_link("/etc", format!("{MAIL}/night/.claimed"));
    let me = caller("codex:maker", "w1+night", CHERRY);
    let read = |file: &str| {
        let request = brainstem_post::mail::ReadRequest { file: Some(message(file)), ..Default::default() };
        world.post.read_mail(&me, &request).map(|shown| shown.row.head.subject)
    };
    assert_eq!(read(sent.file.as_str()).unwrap(), "new");
    assert_eq!(read(&sent.file.as_str()[9..]).unwrap(), "new", "by a part of its name");
    // A message that is nowhere else may lie there.
    let absent = "20260101T000000Z_orch_task.md";
    for code in [
        crate::world::code(read(absent)),
        crate::world::code(read("0101T000000Z")),
        crate::world::code(world.post.thread(&me, absent)),
    ] {
        assert_eq!(code, "store.unreadable");
    }
    assert_eq!(world.post.mark_read(&me, &named(&sent.file)).unwrap().file, sent.file);
}

#[test] // spec: MAIL-13, MAIL-15
fn a_sweep_that_cannot_do_one_thing_names_what_it_did() {
    let world = World::new();
    let expires = brainstem_base::Timestamp::from_ms(1_783_209_431_408 + 5_000).to_rfc3339();
    let expires = world.post.mail_words().expires(Some(&expires)).unwrap();
    let request = SendRequest { expires, ..question("short lived") };
    let sent = world.send_with(&orch(), request);
    world.clock.advance(10_000);
    let names = format!("{MAIL}/.names");
    brainstem_base::Disk::rename(&world.disk, names.as_ref(), format!("{names}-before").as_ref()).unwrap();
    world.disk.write_raw(&names, b"no folder");
    let swept = world.post.sweep_mail(&orch()).unwrap();
    assert_eq!(swept.boxes[0].swept.expired, [sent.file]);
    assert!(swept.stuck.len() == 1 && swept.stuck[0].contains(".names"), "{:?}", swept.stuck);
}

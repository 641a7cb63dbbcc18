//! Whose box is whose, and which box a name means.

use crate::world::{
    CHERRY, MAIL, WORKTREE, World, asking, boxed, caller, code, message, named, of_box, refusal, sending,
    subjects,
};
use brainstem_base::disk::ObservedDisk;
use brainstem_memory::{Caller, Correspondent, Declared, Trouble};
use brainstem_post::mail::{
    Boxes, FinishRequest, LeaseTime, ListOrder, MailFolder, MailListRequest, MessageFilter, MessageKind,
    OthersBoxes, Priority, PruneRequest, Pruning, ReadRequest, SendRequest, TakeRequest,
};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

fn orch() -> Caller {
    caller("claude:orchestrator", "", CHERRY)
}

#[test] // spec: MAIL-1, MAIL-19
fn every_worktree_shares_the_mail_of_its_repository() {
    let world = World::new();
    let sent = world.send(&orch(), "w1", "do it");
    assert!(sent.path.starts_with(MAIL), "{}", sent.path.display());
    let there = caller("codex:maker", "w1", &format!("{WORKTREE}/src"));
    assert_eq!(world.waiting(&there), ["do it"]);
    assert_eq!(
        world.waiting(&caller("codex:maker", "w1", "/src/plum")),
        [""; 0],
        "another project has its own"
    );
    assert!(
        !world
            .disk
            .dump()
            .keys()
            .any(|path| path.starts_with(WORKTREE) && path.to_string_lossy().contains(".mail"))
    );
}

#[test] // spec: MAIL-1a
fn who_stands_in_no_project_has_mail_only_where_it_names_a_root() {
    let world = World::new();
    let mut lost = caller("codex:maker", "w1", "/home/ana");
    assert_eq!(code(world.post.list_mail(&lost, &MailListRequest::default())), "mail.no_root");
    lost.principal.mail.root = Some("/home/ana/letters".into());
    let sent = world.send(&lost, "w2", "here");
    assert_eq!(sent.path.parent(), Some(Path::new("/home/ana/letters/w2")));
}

#[test] // spec: MAIL-3, MAIL-3a, MAIL-4
fn the_answer_says_by_which_rule_the_box_was_found() {
    let world = World::new();
    let worker = caller("codex:maker", "w1+worker", CHERRY);
    assert_eq!(world.waiting(&worker), [""; 0]);
    let both = caller("codex:maker", "both", CHERRY);
    world.waiting(&both);
    world.waiting(&caller("codex:maker", "w3+both", CHERRY));
    let rule = |to: &str| world.send(&orch(), to, "x").rule.as_str();
    assert_eq!(rule("w1"), "session");
    assert_eq!(rule("worker"), "tag");
    assert_eq!(rule("both"), "session_not_tag");
    assert_eq!(rule("__broadcast"), "broadcast");
    assert_eq!(rule("tomorrow"), "future");
    assert_eq!(rule("claude:orchestrator"), "session", "an agent id is its mail name");
    // The one who sends is known by its agent, where it has no session.
    let sent = world.send(&orch(), "w1", "x");
    let text = String::from_utf8(world.disk.dump()[&sent.path].clone()).unwrap();
    assert!(
        text.contains("from: claude.orchestrator\n")
            && text.contains("from_agent: \"claude:orchestrator\"\n"),
        "{text}"
    );
    // A session that has not been seen for long still gets its mail, and is said to exist.
    world.clock.advance(2 * 3_600_000);
    assert_eq!(rule("w1"), "session");
    let gone = world.post.sessions(&orch(), 10).unwrap();
    let live: Vec<(String, bool)> = gone.rows.into_iter().map(|row| (row.record.name, row.live)).collect();
    assert!(
        live.contains(&("w1".into(), false)) && live.contains(&("claude.orchestrator".into(), true)),
        "{live:?}"
    );
}

#[test] // spec: MAIL-12, MAIL-15
fn what_is_listed_is_what_is_ones_own() {
    let world = World::new();
    for (to, subject) in [
        ("w1", "mine"),
        ("w2", "not mine"),
        ("worker", "ours"),
        ("__broadcast", "everybody's"),
        ("codex.maker", "my agent's"),
    ] {
        world.send(&orch(), to, subject);
    }
    let w1 = caller("codex:maker", "w1+worker", CHERRY);
    assert_eq!(world.waiting(&w1), ["mine", "ours", "everybody's", "my agent's"]);
    let looked =
        world.list(&w1, MailListRequest { boxes: Boxes::One(boxed("w2")), ..MailListRequest::default() });
    assert!(looked.not_yours && subjects(&looked) == ["not mine"], "another box may be looked at");
    // What is counted is what is listed.
    let (counted, _) = world.post.mail_standing(&w1);
    assert_eq!(counted.map(|mail| (mail.unread, mail.urgent)), Some((4, 0)));
    let nobody = caller("gemini:maker", "", "/src/plum");
    assert_eq!(world.post.mail_standing(&nobody).0, None, "a project without mail has nothing to count");
}

#[test] // spec: MAIL-15
fn what_is_not_ones_own_is_not_moved_unless_a_person_forces_it() {
    let world = World::new();
    let sent = world.send(&orch(), "w2", "not yours");
    let theirs = FinishRequest { mailbox: Some(boxed("w2")), ..named(&sent.file) };
    let w1 = caller("codex:maker", "w1", CHERRY);
    assert_eq!(code(world.post.take(&w1, &of_box("w2"))), "mail.not_yours");
    assert_eq!(code(world.post.mark_read(&w1, &theirs)), "mail.not_yours");
    assert_eq!(code(world.post.archive(&w1, &theirs)), "mail.not_yours");
    let forced = FinishRequest { others: OthersBoxes::Forced, ..theirs };
    assert_eq!(code(world.post.archive(&w1, &forced)), "mail.not_yours", "an agent forces nothing");
    let person = caller("human:ana", "", CHERRY);
    assert_eq!(code(world.post.archive(&person, &forced)), "ok");
    let log =
        String::from_utf8(world.disk.dump()[Path::new("/src/cherry/.mail/.forced.jsonl")].clone()).unwrap();
    let record: serde_json::Value = serde_json::from_str(log.trim()).unwrap();
    assert_eq!(
        (record["who"].as_str(), record["did"].as_str(), record["box"].as_str()),
        (Some("human:ana"), Some("archive"), Some("w2"))
    );
    assert_eq!(record["file"], sent.file.as_str());
}

#[test] // spec: MAIL-12
fn a_broadcast_is_for_everybody_once_and_ends_with_its_sender() {
    let world = World::new();
    let (w1, w2) = (caller("codex:maker", "w1", CHERRY), caller("codex:maker", "w2", CHERRY));
    let sent = world.send(&orch(), "__broadcast", "hello");
    let read = ReadRequest { file: Some(message(sent.file.as_str())), mailbox: None };
    let shown = world.post.read_mail(&w1, &read).unwrap().row;
    assert_eq!((shown.head.subject.as_str(), shown.seen), ("hello", false));
    assert_eq!(world.waiting(&w1), ["hello"], "until the door has shown it");
    world.post.note_seen(&w1, &shown.file).unwrap();
    assert_eq!((world.waiting(&w1), world.waiting(&w2)), (vec![], vec!["hello".to_owned()]));
    assert!(world.post.read_mail(&w1, &read).unwrap().row.seen);
    assert_eq!(world.waiting(&orch()), [""; 0], "the sender knows it");
    world.post.mark_read(&w2, &named(&sent.file)).unwrap();
    assert_eq!(world.waiting(&w2), [""; 0]);
    assert_eq!(
        code(
            world
                .post
                .take(&w2, &TakeRequest { file: Some(message(sent.file.as_str())), ..of_box("__broadcast") })
        ),
        "input.bad_value"
    );
    assert_eq!(code(world.post.archive(&w2, &named(&sent.file))), "mail.not_yours");
    assert_eq!(world.waiting(&caller("codex:maker", "w3", CHERRY)), ["hello"]);
    world.post.archive(&orch(), &named(&sent.file)).unwrap();
    assert_eq!(world.waiting(&caller("codex:maker", "w3", CHERRY)), [""; 0]);
}

#[test] // spec: MAIL-12, MAIL-15
fn a_broadcast_that_was_seen_is_listed_with_what_was_read() {
    let world = World::new();
    let (w1, w2) = (caller("codex:maker", "w1", CHERRY), caller("codex:maker", "w2", CHERRY));
    let question = SendRequest { needs_response: true, ..sending("all", MessageKind::Task) };
    let sent = world.send_with(&orch(), SendRequest { subject: "ready?".into(), ..question });
    world.post.note_seen(&w1, sent.file.as_str()).unwrap();
    let listed = |who: &Caller, request: MailListRequest| {
        let rows = world.list(who, request).rows.into_iter();
        rows.map(|row| (row.head.subject, row.seen)).collect::<Vec<_>>()
    };
    let read = || MailListRequest { folder: Some(MailFolder::Read), ..MailListRequest::default() };
    let all = || MailListRequest { boxes: Boxes::All, ..MailListRequest::default() };
    let of_box = || MailListRequest { boxes: Boxes::One(boxed("__broadcast")), ..MailListRequest::default() };
    let asked = || MailListRequest { filter: asking(), ..MailListRequest::default() };
    let (seen, unseen) = ([("ready?".to_owned(), true)], [("ready?".to_owned(), false)]);
    assert_eq!(listed(&w1, MailListRequest::default()), []);
    for request in [read(), all(), MailListRequest { boxes: Boxes::All, ..read() }, asked()] {
        assert_eq!(listed(&w1, request.clone()), seen, "{request:?}");
    }
    assert_eq!(listed(&w1, MailListRequest { folder: Some(MailFolder::Read), ..of_box() }), seen);
    assert_eq!(listed(&w1, MailListRequest { boxes: Boxes::All, ..asked() }), seen, "once");
    assert_eq!(listed(&w1, of_box()), []);
    assert_eq!(
        listed(
            &w1,
            MailListRequest {
                filter: MessageFilter { kind: Some("alert".into()), ..MessageFilter::default() },
                ..read()
            }
        ),
        []
    );
    for request in [MailListRequest::default(), all(), of_box(), asked()] {
        assert_eq!(listed(&w2, request.clone()), unseen, "{request:?}");
    }
    assert_eq!(listed(&w2, read()), []);
}

#[test] // spec: MAIL-11
fn a_taken_message_comes_back_when_nobody_finishes_it() {
    let world = World::new();
    world.send(&orch(), "worker", "later");
    world.send_with(
        &orch(),
        SendRequest {
            subject: "now".into(),
            priority: Priority::Urgent,
            ..sending("worker", MessageKind::Task)
        },
    );
    let (w1, w2) = (caller("codex:maker", "w1+worker", CHERRY), caller("codex:maker", "w2+worker", CHERRY));
    let first = world
        .post
        .take(&w1, &TakeRequest { lease: LeaseTime::seconds(60).unwrap(), ..TakeRequest::default() })
        .unwrap();
    assert_eq!((first.head.subject.as_str(), first.lease.owner.as_str()), ("now", "w1"));
    let refused = refusal(world.post.take(
        &w2,
        &TakeRequest { file: Some(message(first.lease.file.as_str())), ..TakeRequest::default() },
    ));
    assert_eq!(refused.code.name(), "mail.claimed");
    assert!(refused.message.starts_with("w1 holds"), "{refused}");
    let held =
        world.list(&w2, MailListRequest { folder: Some(MailFolder::Held), ..MailListRequest::default() });
    assert_eq!(held.rows[0].lease.as_ref().map(|lease| lease.owner.as_str()), Some("w1"));
    // w1 dies. Whoever looks after the lease finds it again, and how often that happened.
    world.clock.advance(60_000);
    let listed =
        world.list(&w2, MailListRequest { order: ListOrder::UrgentFirst, ..MailListRequest::default() });
    assert_eq!((subjects(&listed), listed.rows[0].returned), (vec!["now".into(), "later".into()], 1));
    let second = world.post.take(&w2, &TakeRequest::default()).unwrap();
    assert_eq!((second.lease.returned, second.head.subject.as_str()), (1, "now"));
    assert_eq!(
        code(world.post.mark_read(&w1, &named(&first.lease.file))),
        "mail.claimed",
        "w1 came too late"
    );
    assert_eq!(world.post.mark_read(&w2, &named(&first.lease.file)).unwrap().folder.as_str(), "read");
    world.post.take(&w2, &TakeRequest::default()).unwrap();
    assert_eq!(code(world.post.take(&w1, &TakeRequest::default())), "mail.nothing");
    for bad in [0, -1, 86_401, i64::MAX] {
        assert_eq!(code(LeaseTime::seconds(bad)), "input.bad_value");
    }
}

#[test] // spec: MAIL-11
fn two_callers_under_one_name_never_get_one_message_whenever_the_second_comes() {
    for at in 0.. {
        let world = World::new();
        world.send(&orch(), "worker", "one");
        world.send(&orch(), "worker", "two");
        let twin = caller("codex:maker", "w1+worker", CHERRY);
        // It is on record already: a call that stopped while it holds the lock of the register would hold up the other.
        world.waiting(&twin);
        let others: Arc<Mutex<Vec<String>>> = Arc::default();
        let (count, post, me, taken) = (AtomicU64::new(0), world.post.clone(), twin.clone(), others.clone());
        let disk = ObservedDisk::new(Arc::new(world.disk.clone()), move |_| {
            if count.fetch_add(1, Ordering::SeqCst) == at {
                let got = post.take(&me, &TakeRequest::default()).unwrap();
                taken.lock().unwrap().push(got.lease.file.to_string());
            }
        });
        let mine = world.post_on(Arc::new(disk)).take(&twin, &TakeRequest::default()).unwrap();
        let others = others.lock().unwrap().clone();
        assert!(!others.contains(&mine.lease.file.to_string()), "step {at}: both got {}", mine.lease.file);
        // Whoever names what it holds holds it longer.
        let named = TakeRequest { file: Some(message(mine.lease.file.as_str())), ..TakeRequest::default() };
        assert!(world.post.take(&twin, &named).unwrap().renewed);
        if others.is_empty() {
            assert!(at > 5, "the second came at every step");
            return;
        }
    }
}

#[test] // spec: MAIL-12, MAIL-15
fn a_broadcast_is_taken_away_by_its_sender_or_by_a_person_on_record() {
    let world = World::new();
    let sender = caller("codex:maker", "o", CHERRY);
    let sent = world.send(&sender, "__broadcast", "hello");
    let archive = |who: &Caller, force| {
        let request = FinishRequest {
            mailbox: Some(boxed("__broadcast")),
            others: OthersBoxes::forced_if(force),
            ..named(&sent.file)
        };
        code(world.post.archive(who, &request))
    };
    let evil = caller("codex:evil", "evil", CHERRY);
    assert_eq!((archive(&evil, false), archive(&evil, true)), ("mail.not_yours", "mail.not_yours"));
    let ana = caller("human:ana", "", CHERRY);
    assert_eq!(archive(&ana, false), "mail.not_yours");
    let log = || world.disk.dump().get(Path::new(&format!("{MAIL}/.forced.jsonl"))).cloned();
    assert_eq!(log(), None, "nothing was forced yet");
    assert_eq!(archive(&ana, true), "ok");
    let line = String::from_utf8(log().unwrap()).unwrap();
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&line["who"], &line["did"], &line["box"]),
        (&"human:ana".into(), &"archive".into(), &"__broadcast".into())
    );
    assert_eq!(line["file"], sent.file.as_str());
    let own = world.send(&sender, "__broadcast", "mine");
    assert_eq!(code(world.post.archive(&sender, &named(&own.file))), "ok", "its sender needs no force");
}

#[test] // spec: MAIL-2, MAIL-15
fn a_refusal_says_what_helps() {
    let world = World::new();
    world.send(&orch(), "pool", "x");
    let send = |to: &str| {
        let request = SendRequest { body: "x".into(), ..sending(to, MessageKind::Task) };
        refusal(world.post.send(&orch(), &request))
    };
    assert_eq!(send("Pool").fix.as_ref().map(ToString::to_string).as_deref(), Some("write `pool`"));
    world.disk.set_read_only(true);
    let refused = send("w9");
    assert_eq!(refused.code.name(), "store.read_only");
    let fix = refused.fix.unwrap();
    assert!(fix.contains("--mail-root") && !fix.contains("--home"), "{fix}");
}

#[test] // spec: MAIL-4
fn more_tags_than_a_session_carries_are_refused() {
    let world = World::new();
    let tags: Vec<String> = (0..33).map(|n| format!("t{n}")).collect();
    let plain = caller("codex:maker", "", CHERRY);
    let refused = refusal(world.post.register_session(&plain, Some("w1"), Some(&tags)));
    assert!(refused.message.contains("33 tags") && refused.fix.unwrap().contains("at most 32"));
    world.post.register_session(&plain, Some("w1"), Some(&tags[..32])).unwrap();
    // A tag of this very call counts before one of long ago.
    let mail = Correspondent::parse(&Declared {
        session: Some("w1".into()),
        tags: vec!["new".into()],
        ..Declared::default()
    });
    let mut again = caller("codex:maker", "w1", CHERRY);
    again.principal.mail = mail.unwrap();
    world.waiting(&again);
    assert!(world.send(&orch(), "new", "x").somebody_home);
    let many = Declared { tags, ..Declared::default() };
    assert!(Correspondent::parse(&many).is_err(), "on every door");
}

#[test] // spec: MAIL-4
fn a_session_that_registers_gets_its_tags_back_later() {
    let world = World::new();
    world.send(&orch(), "worker", "ours");
    let plain = caller("codex:maker", "", CHERRY);
    let (row, name, _) =
        world.post.register_session(&plain, Some("w1"), Some(&["worker, night".into()])).unwrap();
    assert_eq!((name.as_str(), row.record.tags.join("+")), ("w1", "worker+night".to_owned()));
    assert_eq!(world.waiting(&caller("codex:maker", "w1", CHERRY)), ["ours"], "its name is enough");
    for bad in ["../x", "__broadcast", "read", "a b", ""] {
        assert_eq!(
            code(world.post.register_session(&plain, Some(bad), Some(&[]))),
            "mail.bad_name",
            "{bad:?}"
        );
        let tag = if bad.is_empty() { "~" } else { bad };
        assert_eq!(
            code(world.post.register_session(&plain, Some("w2"), Some(&[tag.to_owned()]))),
            "mail.bad_name",
            "{tag:?}"
        );
    }
}

#[test] // spec: MAIL-1a
fn no_mail_lies_in_a_folder_that_can_never_be_a_project() {
    let world = World::new();
    world.disk.make_dirs("/etc");
    world.disk.make_dirs("/srv/office/mail");
    let before = world.disk.dump();
    let at = |root: &str| {
        let mut who = caller("codex:maker", "w", CHERRY);
        who.principal.mail.root = Some(root.into());
        let request =
            SendRequest { subject: "x".into(), body: "y".into(), ..sending("w", MessageKind::Task) };
        code(world.post.send(&who, &request))
    };
    for root in ["/", "/etc", "/proc/self", "/home/ana", "/home/ana/.brainstem", "/home/ana/.brainstem/local"]
    {
        assert_eq!(at(root), "mail.root_refused", "{root}");
    }
    assert_eq!(world.disk.dump(), before);
    assert_eq!(at("/srv/office/mail"), "ok");
}

#[test] // spec: MEM-43, MAIL-15
fn the_doctor_names_what_has_the_name_of_a_box_and_is_no_folder() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1+worker", CHERRY);
    let places = || -> Vec<String> {
        let mut found = world.post.mail_health(&w1);
        found.retain(|finding| finding.trouble != Trouble::MailNeverRead);
        assert!(found.iter().all(|finding| finding.trouble == Trouble::MailUnreachable), "{found:?}");
        found.into_iter().map(|finding| finding.place.display().to_string()).collect()
    };
    world.send(&w1, "w2", "hello");
    world.disk.write_raw(format!("{MAIL}/README.md"), b"what this folder is");
    assert_eq!(places(), [""; 0], "a note is no box");
    world.disk.write_raw(format!("{MAIL}/worker"), b"");
    world.disk.write_raw(format!("{MAIL}/__broadcast"), b"");
    world.disk.make_link("/elsewhere", format!("{MAIL}/anybody"));
    assert_eq!(places(), ["__broadcast", "anybody", "worker"].map(|name| format!("{MAIL}/{name}")));
}

#[test] // spec: MAIL-9
fn a_list_says_how_many_messages_are_not_what_was_asked_for() {
    let world = World::new();
    let (one, two) = (caller("codex:maker", "w1", CHERRY), caller("claude:maker", "w2", CHERRY));
    world.send(&two, "w1", "a task");
    let listed = world.list(
        &one,
        MailListRequest {
            filter: MessageFilter { kind: Some("question".into()), ..MessageFilter::default() },
            ..MailListRequest::default()
        },
    );
    assert_eq!((listed.rows.len(), listed.filtered_out), (0, 1));
    let listed = world.list(&one, MailListRequest::default());
    assert_eq!((listed.rows.len(), listed.filtered_out), (1, 0));
}

#[test] // spec: MAIL-15
fn what_a_person_forces_is_on_record_with_its_message_and_what_is_refused_is_not() {
    let world = World::new();
    let (ana, w1) = (caller("human:ana", "", CHERRY), caller("codex:maker", "w1", CHERRY));
    let log = || {
        let bytes = world.disk.dump().get(Path::new(&format!("{MAIL}/.forced.jsonl"))).cloned();
        String::from_utf8(bytes.unwrap_or_default()).unwrap()
    };
    let sent = world.send(&caller("claude:maker", "w2", CHERRY), "w1", "one");
    let forced = |file: Option<String>, mailbox: &str| TakeRequest {
        file: file.map(message),
        mailbox: Some(boxed(mailbox)),
        others: OthersBoxes::Forced,
        ..TakeRequest::default()
    };
    let prune = |mailbox: &str, others, pruning| PruneRequest {
        older_than: world.post.mail_words().older_than("0s").unwrap(),
        mailbox: Some(boxed(mailbox)),
        others,
        pruning,
    };
    // A box that is not there is nobody's.
    assert_eq!(code(world.post.take(&ana, &forced(None, "nope"))), "mail.not_found");
    assert_eq!(
        code(world.post.prune_mail(&ana, &prune("nope", OthersBoxes::Forced, Pruning::Real))),
        "mail.not_found"
    );
    // Nothing waits, it is held, or the caller is no person: nothing was forced.
    let file = sent.file.to_string();
    world.post.take(&w1, &TakeRequest { file: Some(message(&file)), ..TakeRequest::default() }).unwrap();
    assert_eq!(code(world.post.take(&ana, &forced(None, "w1"))), "mail.nothing");
    assert_eq!(code(world.post.take(&ana, &forced(Some(file.clone()), "w1"))), "mail.claimed");
    let finish = FinishRequest { mailbox: Some(boxed("w1")), others: OthersBoxes::Forced, ..named(&file) };
    assert_eq!(code(world.post.archive(&ana, &finish)), "mail.claimed");
    // What would be refused is refused in a dry run, which records nothing.
    assert_eq!(
        code(world.post.prune_mail(&ana, &prune("w1", OthersBoxes::LeftAlone, Pruning::DryRun))),
        "mail.not_yours"
    );
    assert_eq!(code(world.post.prune_mail(&ana, &prune("w1", OthersBoxes::Forced, Pruning::DryRun))), "ok");
    assert_eq!(log(), "");
    world.post.archive(&w1, &named(&file)).unwrap();
    world.clock.advance(1_000);
    assert_eq!(code(world.post.prune_mail(&ana, &prune("w1", OthersBoxes::Forced, Pruning::Real))), "ok");
    assert_eq!(log().lines().count(), 1);
    assert!(log().contains(r#""did":"prune""#) && log().contains(&file), "{}", log());
    let next = world.send(&caller("claude:maker", "w2", CHERRY), "w1", "two").file.to_string();
    world.post.take(&ana, &forced(None, "w1")).unwrap();
    assert_eq!(log().lines().count(), 2);
    assert!(log().lines().last().unwrap().contains(&next), "the message that was taken: {}", log());
}

#[test] // spec: MAIL-1a, IF-3
fn a_mail_root_that_was_named_and_does_not_exist_is_refused_to_a_reader() {
    let world = World::new();
    let mut me = caller("codex:maker", "w1", CHERRY);
    me.principal.mail.root = Some("/src/cherry/.mial".into());
    let read = ReadRequest::default();
    assert_eq!(code(world.post.list_mail(&me, &MailListRequest::default())), "mail.no_root");
    assert_eq!(code(world.post.read_mail(&me, &read)), "mail.no_root");
    assert_eq!(code(world.post.take(&me, &TakeRequest::default())), "mail.no_root");
    assert_eq!(code(world.post.sessions(&me, 10)), "mail.no_root");
    assert_eq!(code(world.post.sweep_mail(&me)), "mail.no_root");
    let (_, gap) = world.post.mail_standing(&me);
    assert!(gap.as_ref().is_some_and(|gap| gap.detail.contains(".mial` does not exist")), "{gap:?}");
    // The first message makes it.
    world.send(&me, "w1", "hello");
    assert_eq!(world.waiting(&me), ["hello"]);
    // The project's own may not be there yet.
    assert_eq!(world.waiting(&caller("codex:maker", "w1", CHERRY)), [""; 0]);
}

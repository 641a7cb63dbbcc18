//! Whom a name reaches: one agent under all of its names, each of its sessions, and the words that are no names.

use crate::world::{
    CHERRY, MAIL, World, boxed, caller, code, key, message, named, refusal, sending, subjects,
};
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use brainstem_post::mail::{Boxes, MailListRequest, MessageKind, SendRequest, SessionReach, TakeRequest};

fn orch() -> Caller {
    caller("claude:orchestrator", "orch", CHERRY)
}

/// Somebody whose connection was given a name.
fn connected(agent: &str, connection: &str) -> Caller {
    let mut caller = caller(agent, "", CHERRY);
    caller.principal.mail.connection = Some(MailboxName::parse(connection).unwrap());
    caller
}

fn to(to: &str) -> SendRequest {
    SendRequest { subject: to.into(), ..sending(to, MessageKind::Task) }
}

#[test] // spec: IF-25a, MAIL-3
fn every_name_of_an_agent_reaches_it() {
    let world = World::new();
    let codex = connected("codex:maker", "codex.maker-1");
    // As a script or an older program wrote it.
    let text = b"---\nfrom: ana\nto: codex-mcp-client\ntype: task\ntimestamp: 2026-07-04T12:00:00Z\nsubject: old\n---\n";
    world.disk.write_raw(format!("{MAIL}/codex-mcp-client/20260704T120000Z_ana_task.md"), text);
    for name in ["codex", "codex:maker", "codex.maker", "codex-mcp-client", "Codex"] {
        let sent = world.send_with(&orch(), to(name));
        assert_eq!((sent.mailbox.as_str(), sent.rule.as_str()), ("codex.maker", "future"), "{name}");
    }
    assert_eq!(
        world.waiting(&codex),
        ["old", "codex", "codex:maker", "codex.maker", "codex-mcp-client", "Codex"]
    );
    // Whoever signs with the bare name is the same agent, and a listing by any of its names finds the box.
    assert_eq!(world.waiting(&caller("codex", "", CHERRY)).len(), 6);
    let of_box =
        |name: &str| {
            subjects(&world.list(
                &orch(),
                MailListRequest { boxes: Boxes::One(boxed(name)), ..MailListRequest::default() },
            ))
            .len()
        };
    assert_eq!((of_box("codex"), of_box("codex:maker"), of_box("codex-mcp-client")), (5, 5, 1));
    assert_eq!(
        world.send(&orch(), "codex:orchestrator", "x").mailbox.as_str(),
        "codex.orchestrator",
        "another role"
    );
}

#[test] // spec: IF-25a, MAIL-3, MAIL-18
fn a_sender_to_an_agent_hears_that_a_session_of_it_is_here() {
    let world = World::new();
    world.waiting(&caller("codex:maker", "worker-feat-104", CHERRY));
    for name in ["codex:maker", "codex", "codex-mcp-client"] {
        let sent = world.send_with(&orch(), to(name));
        assert_eq!((sent.rule.as_str(), sent.somebody_home), ("agent", true), "{name}");
    }
    world.clock.advance(31 * 60_000);
    let sent = world.send_with(&orch(), to("codex:maker"));
    assert_eq!((sent.rule.as_str(), sent.somebody_home), ("agent", false), "gone, and still known");
    // No session of another agent has such a name.
    let taking = caller("human:ana", "codex", CHERRY);
    assert_eq!(code(world.post.take(&taking, &TakeRequest::default())), "mail.name_taken");
    assert_eq!(world.send_with(&orch(), to("codex")).mailbox.as_str(), "codex.maker");
}

#[test] // spec: IF-25a, MAIL-11
fn two_sessions_of_one_agent_share_its_box_and_hold_each_its_own() {
    let world = World::new();
    let (one, two) = (connected("codex:maker", "codex.maker-1"), connected("codex:maker", "codex.maker-2"));
    world.send(&orch(), "codex", "first");
    world.send(&orch(), "codex", "second");
    assert_eq!((world.waiting(&one), world.waiting(&two)), (world.waiting(&two), world.waiting(&one)));
    let take = |who: &Caller| world.post.take(who, &TakeRequest::default()).unwrap();
    let (first, second) = (take(&one), take(&two));
    assert_eq!((first.lease.owner.as_str(), second.lease.owner.as_str()), ("codex.maker-1", "codex.maker-2"));
    assert_ne!(first.lease.file, second.lease.file);
    let of_one = TakeRequest { file: Some(message(first.lease.file.as_str())), ..TakeRequest::default() };
    assert_eq!(code(world.post.take(&two, &of_one)), "mail.claimed");
    assert_eq!(code(world.post.mark_read(&two, &named(&first.lease.file))), "mail.claimed");
    assert_eq!(code(world.post.mark_read(&one, &named(&first.lease.file))), "ok");
    // What it sends is its agent's: the reply reaches the agent when this session is long gone.
    let asked = world.send(&one, "orch", "question");
    assert_eq!(asked.from.as_str(), "codex.maker");
    world.reply(&orch(), asked.file.as_str(), "answer");
    let three = connected("codex:maker", "codex.maker-3");
    assert_eq!(world.waiting(&three), ["Re: question"]);
    // Each is on record, and may be written to by its own name.
    let names: Vec<String> =
        world.post.sessions_of(&one, SessionReach::Here).into_iter().map(|row| row.record.name).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(world.send(&orch(), "codex.maker-2", "you alone").rule.as_str(), "session");
    assert!(world.waiting(&two).contains(&"you alone".to_owned()));
    assert!(!world.waiting(&one).contains(&"you alone".to_owned()));
}

#[test] // spec: IF-25
fn the_sessions_of_other_projects_are_shown_to_whoever_asks_for_them() {
    let world = World::new();
    let here = caller("codex:maker", "here", CHERRY);
    world.waiting(&here);
    let there = caller("codex:maker", "there", "/src/plum");
    world.post.list_mail(&there, &MailListRequest::default()).unwrap();
    let names = |who: &Caller, reach| {
        let rows = world.post.sessions_of(who, reach).into_iter();
        let mut names: Vec<String> = rows.map(|row| row.record.name).collect();
        names.sort();
        names
    };
    assert_eq!(names(&here, SessionReach::Here), ["here"]);
    assert_eq!(names(&there, SessionReach::Here), ["there"]);
    assert_eq!(names(&here, SessionReach::Everywhere), ["here", "there"]);
    assert_eq!(names(&caller("codex:maker", "", "/elsewhere"), SessionReach::Here), [""; 0]);
}

#[test] // spec: MAIL-3, MAIL-17
fn the_words_of_the_live_channel_mean_the_same_in_mail() {
    let world = World::new();
    world.waiting(&caller("codex:maker", "w1+worker", CHERRY));
    let sent = world.send_with(&orch(), to("tag:worker"));
    assert_eq!((sent.mailbox.as_str(), sent.rule.as_str(), sent.somebody_home), ("worker", "tag", true));
    assert_eq!(world.send_with(&orch(), to("session:w1")).mailbox.as_str(), "w1");
    assert_eq!(world.send_with(&orch(), to("everyone")).mailbox.as_str(), "__broadcast");
    assert_eq!(
        world.send_with(&orch(), to("session:everyone")).mailbox.as_str(),
        "everyone",
        "a session of that name"
    );
    for none in ["parent", "worktree:/src/cherry", "tag:", "tag:../x", "session:a b"] {
        let recipients = world.post.mail_words().recipients(&[none.to_owned()]);
        assert_eq!(code(recipients), "mail.bad_name", "{none}");
    }
    assert!(!world.disk.dump().keys().any(|path| path.to_string_lossy().contains("tag.worker")));
}

#[test] // spec: MAIL-3, MAIL-7
fn each_of_several_recipients_gets_a_copy_once() {
    let world = World::new();
    let request = SendRequest { key: key("k"), ..to("alice, bob,codex,alice,codex:maker") };
    let sent = world.post.send(&orch(), &request).unwrap();
    let boxes: Vec<&str> = sent.iter().map(|sent| sent.mailbox.as_str()).collect();
    assert_eq!(boxes, ["alice", "bob", "codex.maker"]);
    let names: std::collections::BTreeSet<_> = sent.iter().map(|sent| sent.file.clone()).collect();
    assert_eq!(names.len(), 3);
    let again = world.post.send(&orch(), &request).unwrap();
    assert!(again.iter().all(|sent| sent.repeated));
    assert_eq!(world.waiting(&caller("gemini:maker", "bob", CHERRY)).len(), 1);
    // A name that no box can have stops all of it, before the first copy.
    let before = world.disk.dump();
    assert_eq!(code(world.post.mail_words().recipients(&["dora,../x".to_owned()])), "mail.bad_name");
    assert_eq!(code(world.post.send(&orch(), &to("dora,Alice"))), "mail.other_spelling", "by case alone");
    let many = (0..65).map(|n| format!("w{n}")).collect::<Vec<_>>().join(",");
    assert_eq!(code(world.post.send(&orch(), &to(&many))), "input.bad_value");
    assert_eq!(world.disk.dump(), before);
    // A disk that fails in the middle says what was sent.
    world.disk.set_space_left(Some(700));
    let long = SendRequest { body: "x".repeat(300), ..to("dora,eve,finn") };
    let refused = refusal(world.post.send(&orch(), &long));
    assert!(refused.message.contains("sent before that, and kept: dora/"), "{refused}");
}

#[test] // spec: MAIL-3
fn each_word_for_everybody_means_everybody_unless_a_session_or_a_tag_has_it_as_a_name() {
    let world = World::new();
    let w1 = caller("codex:maker", "w1", CHERRY);
    world.waiting(&w1);
    for word in ["everyone", "all", "broadcast", "All", "Broadcast", "__broadcast"] {
        let sent = world.send_with(&orch(), to(word));
        assert_eq!((sent.mailbox.as_str(), sent.rule.as_str()), ("__broadcast", "broadcast"), "{word}");
    }
    assert_eq!(world.waiting(&w1).len(), 6);
    let of_box = |name: &str| {
        world
            .list(&w1, MailListRequest { boxes: Boxes::One(boxed(name)), ..MailListRequest::default() })
            .boxes
    };
    assert_eq!(of_box("all"), [MailboxName::broadcast()]);
    // As earlier programs made it: what waits there can be looked at.
    assert_eq!(world.send_with(&orch(), to("session:all")).mailbox.as_str(), "all");
    assert_eq!(of_box("all"), [MailboxName::parse("all").unwrap()]);
    world.waiting(&caller("gemini:maker", "g1+all", CHERRY));
    let sent = world.send_with(&orch(), to("all"));
    assert_eq!((sent.mailbox.as_str(), sent.rule.as_str()), ("all", "tag"), "one that is carried here");
}

#[test] // spec: MAIL-3
fn a_send_to_a_name_that_nobody_has_says_so_and_names_those_it_may_be_a_slip_of() {
    let world = World::new();
    world.waiting(&caller("codex:maker", "build-42+worker", CHERRY));
    world.waiting(&caller("claude:maker", "", CHERRY));
    let near = |name: &str| {
        let sent = world.send_with(&orch(), to(name));
        assert_eq!(sent.rule.as_str(), "future", "{name}");
        let near: Vec<String> = sent.near.iter().map(ToString::to_string).collect();
        (near, sent.note().unwrap().to_string())
    };
    for (slip, meant) in
        [("wrker", "worker"), ("codx", "codex"), ("claude:mkaer", "claude.maker"), ("biuld-42", "build-42")]
    {
        let (near, note) = near(slip);
        assert!(near.contains(&meant.to_owned()), "{slip}: {near:?}");
        assert!(note.contains(&format!("did you mean `{meant}`")), "{note}");
    }
    for other in ["build-43", "reviewer"] {
        let (near, note) = near(other);
        assert_eq!(near, [""; 0], "{other}");
        assert!(note.starts_with("no session, tag or agent here is called"), "{note}");
    }
    let (near, note) = near("gemini");
    assert_eq!(near, [""; 0]);
    assert_eq!(
        note,
        "gemini.maker is an agent of a known host that was not here yet: the message waits for it"
    );
    assert_eq!(world.send_with(&orch(), to("worker")).note(), None);
}

#[test] // spec: IF-4
fn a_folder_that_cannot_be_written_is_named_and_no_temporary_file_in_it() {
    let world = World::new();
    world.post.send(&orch(), &to("bob")).unwrap();
    world.disk.freeze(format!("{MAIL}/bob"));
    let refused = refusal(world.post.send(&orch(), &to("bob")));
    assert_eq!(refused.code.name(), "store.read_only");
    let fix = refused.fix.unwrap().to_string();
    assert!(fix.contains(&format!("`{MAIL}/bob`")) && !fix.contains(".tmp"), "{fix}");
}

#[test] // spec: MAIL-7, MAIL-8a
fn a_send_that_the_disk_stops_half_way_is_repeated_for_the_others_alone() {
    let world = World::new();
    world.post.send(&orch(), &to("dora,eve,finn")).unwrap();
    let before = world.waiting(&caller("gemini:maker", "dora", CHERRY)).len();
    world.disk.set_space_left(Some(700));
    let long = SendRequest { body: "x".repeat(300), ..to("dora,eve,finn") };
    let refused = refusal(world.post.send(&orch(), &long));
    assert!(refused.message.contains("sent before that, and kept: dora/"), "{refused}");
    assert_eq!(refused.code.name(), "store.unconfirmed", "something was changed");
    let fix = refused.fix.unwrap().to_string();
    assert!(fix.contains("eve,finn") && !fix.contains("dora"), "{fix}");
    world.disk.set_space_left(None);
    world.post.send(&orch(), &to("eve,finn")).unwrap();
    assert_eq!(world.waiting(&caller("gemini:maker", "dora", CHERRY)).len(), before + 1, "once");
}

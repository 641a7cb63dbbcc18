//! One session, one name: nobody takes it while the session is here, and a connection keeps what is its own when its
//! session gets another one.

use crate::world::{CHERRY, MAIL, World, caller, code, live_to, message, named, refusal, sending};
use brainstem_base::Clock as _;
use brainstem_base::disk::{ObservedDisk, verbs};
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use brainstem_post::mail::{MessageKind, ReadRequest, SendRequest, SessionReach, TakeRequest};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn name(text: &str) -> MailboxName {
    MailboxName::parse(text).unwrap()
}

/// An MCP client whose session has no name of its own.
fn connected(agent: &str, suffix: &str) -> Caller {
    let mut caller = caller(agent, "", CHERRY);
    let agent = MailboxName::of_agent(&caller.principal.agent);
    caller.principal.mail.connection = Some(name(&format!("{agent}-{suffix}")));
    caller
}

/// The same connection after it has registered its session under a name.
fn registered(world: &World, before: &Caller, as_name: &str) -> Caller {
    world.post.register_session(before, Some(as_name), Some(&[])).unwrap();
    world.post.go_on_as(before, &name(as_name)).unwrap();
    let mut caller = before.clone();
    let mail = &mut caller.principal.mail;
    mail.earlier.extend(mail.session.replace(name(as_name)));
    mail.named_by = Some(before.principal.agent.clone());
    caller
}

fn read(world: &World, who: &Caller, file: &impl ToString) {
    world
        .post
        .read_mail(who, &ReadRequest { file: Some(message(file.to_string())), ..ReadRequest::default() })
        .unwrap();
    world.post.note_seen(who, &file.to_string()).unwrap();
}

fn hello() -> SendRequest {
    SendRequest { body: "hello".into(), ..sending("boss", MessageKind::Status) }
}

#[test] // spec: MAIL-4
fn of_two_agents_that_come_at_once_under_one_name_one_gets_it() {
    let world = World::new();
    let (first, second) = (caller("codex:maker", "same", CHERRY), caller("claude:maker", "same", CHERRY));
    let (post, came) = (world.post.clone(), AtomicBool::new(false));
    let disk = ObservedDisk::new(Arc::new(world.disk.clone()), move |step| {
        // The second has found the name free, and is about to register it.
        let is_at_it =
            step.verb == verbs::LOCK || step.path.ends_with("same.json") && step.verb != verbs::READ;
        if is_at_it && !came.swap(true, Ordering::SeqCst) {
            post.send(&first, &hello()).unwrap();
        }
    });
    let refused = world.post_on(Arc::new(disk)).send(&second, &hello());
    assert_eq!(code(refused), "mail.name_taken");
    let boss = caller("human:ana", "boss", CHERRY);
    assert_eq!(world.waiting(&boss).len(), 1, "only the first has sent");
    assert_eq!(code(world.post.send(&second, &hello())), "mail.name_taken");
}

#[test] // spec: MAIL-4
fn an_agent_whose_id_is_the_name_of_anothers_live_session_is_refused() {
    let world = World::new();
    for (id, session) in [("worker1", "worker1"), ("qux:maker", "qux.maker")] {
        let codex = caller("codex:maker", session, CHERRY);
        world.post.register_session(&codex, Some(session), Some(&[])).unwrap();
        world.send(&caller("boss:o", "", CHERRY), session, "for codex alone");
        for stranger in [caller(id, "", CHERRY), connected(id, "aaaaaa")] {
            let listed = world.post.list_mail(&stranger, &brainstem_post::mail::MailListRequest::default());
            assert_eq!(code(listed), "mail.name_taken");
            assert_eq!(code(world.post.take(&stranger, &TakeRequest::default())), "mail.name_taken");
            let refused = refusal(world.post.send(&stranger, &hello()));
            assert_eq!(refused.code.name(), "mail.name_taken");
            assert!(refused.message.contains("codex:maker has a live session called"), "{refused}");
            let own = world.post.own_boxes(&stranger, &world.post.mail_root(&stranger).unwrap());
            assert!(!own.boxes.contains(&name(session)), "{own:?}");
        }
        // Under a name of its own it has mail, and not that of the session.
        let apart = caller(id, "apart", CHERRY);
        assert!(world.waiting(&apart).is_empty());
        world.post.depart(&apart).unwrap();
        // The session keeps its name.
        assert_eq!(world.waiting(&codex), ["for codex alone"]);
        world.post.register_session(&codex, Some(session), Some(&[])).unwrap();
        // Once it has ended, the name is free.
        world.post.depart(&codex).unwrap();
        assert_eq!(world.waiting(&caller(id, "", CHERRY)).len(), 1);
    }
}

#[test] // spec: MAIL-4
fn a_session_goes_on_while_one_of_its_connections_is_open() {
    let world = World::new();
    let over = |id: &str| {
        let mut caller = caller("codex:maker", "alpha", CHERRY);
        caller.principal.mail.connection_id = Some(id.to_owned());
        caller
    };
    let (one, two, claude) = (over("one"), over("two"), connected("claude:maker", "bbbbbb"));
    let take = || code(world.post.register_session(&claude, Some("alpha"), Some(&[])));
    world.waiting(&one);
    world.waiting(&two);
    world.post.depart(&two).unwrap();
    assert!(world.send(&claude, "alpha", "for codex alone").somebody_home);
    assert_eq!(take(), "mail.name_taken");
    assert_eq!(world.waiting(&one), ["for codex alone"]);
    // One that goes on under another name leaves the other where it is.
    world.post.register_session(&two, None, Some(&[])).unwrap();
    registered(&world, &two, "gamma");
    assert_eq!(take(), "mail.name_taken");
    // With the last connection the session has ended.
    world.post.depart(&one).unwrap();
    assert!(!world.send(&claude, "alpha", "later").somebody_home);
    assert_eq!(take(), "ok");
}

#[test] // spec: MAIL-4
fn a_connection_whose_process_ended_without_a_word_holds_no_name_for_long() {
    let world = World::new();
    let over = |id: &str| {
        let mut caller = caller("codex:maker", "alpha", CHERRY);
        caller.principal.mail.connection_id = Some(id.to_owned());
        caller
    };
    let (killed, open) = (over("killed"), over("open"));
    world.waiting(&killed);
    world.clock.advance(20 * 60_000);
    world.waiting(&open);
    world.clock.advance(11 * 60_000);
    world.post.depart(&open).unwrap();
    let rows = world.post.sessions(&caller("claude:maker", "", CHERRY), 50).unwrap().rows;
    assert!(rows.iter().any(|row| row.record.name == "alpha" && !row.live), "{rows:?}");
}

#[test] // spec: MAIL-4
fn the_name_of_a_live_session_is_not_given_to_another_agent() {
    let world = World::new();
    let (codex, claude) = (connected("codex:maker", "aaaaaa"), connected("claude:maker", "bbbbbb"));
    let codex = registered(&world, &codex, "w9");
    world.send(&claude, "w9", "for codex");
    let refused = refusal(world.post.register_session(&claude, Some("w9"), Some(&[])));
    assert_eq!(refused.code.name(), "mail.name_taken");
    assert!(refused.message.contains("codex:maker has a live session called w9"), "{refused}");
    assert!(refused.fix.clone().unwrap().contains("once that session has ended"), "{refused:?}");
    // Nor does a call under that name take it.
    let taking = caller("claude:maker", "w9", CHERRY);
    assert_eq!(
        code(world.post.list_mail(&taking, &brainstem_post::mail::MailListRequest::default())),
        "mail.name_taken"
    );
    // The box of an agent that is here is that agent's, whatever its sessions are called.
    let as_agent = world.post.register_session(&claude, Some("codex.maker"), Some(&[]));
    assert_eq!(code(as_agent), "mail.name_taken");
    // What is said of it stays true.
    let claude = registered(&world, &claude, "zz");
    assert!(world.send(&claude, "w9", "again").somebody_home);
    let rows = world.post.sessions(&claude, 50).unwrap().rows;
    let w9 = rows.iter().find(|row| row.record.name == "w9").unwrap();
    assert_eq!((w9.record.agent.as_deref(), w9.live), (Some("codex:maker"), true));
    let own = world.post.sessions_of(&codex, SessionReach::Here);
    assert!(own.iter().any(|row| row.record.name == "w9" && row.live), "{own:?}");
    assert_eq!(world.waiting(&codex), ["for codex", "again"]);
    // It is free once the session has ended, and after half an hour of silence.
    world.post.depart(&codex).unwrap();
    let claude = registered(&world, &claude, "w9");
    world.clock.advance(31 * 60_000);
    world.post.register_session(&connected("gemini:maker", "cccccc"), Some("w9"), Some(&[])).unwrap();
    // One that has lost its name hears that, may take another, and its end does not end the session that has it now.
    assert_eq!(
        code(world.post.list_mail(&claude, &brainstem_post::mail::MailListRequest::default())),
        "mail.name_taken"
    );
    world.post.register_session(&claude, Some("w10"), Some(&[])).unwrap();
    world.post.depart(&claude).unwrap();
    assert!(world.send(&connected("codex:maker", "dddddd"), "w9", "still here?").somebody_home);
}

#[test] // spec: MAIL-4, IF-25a
fn an_agent_of_many_names_may_register_again_and_a_shell_shares_the_session_it_was_started_in() {
    let world = World::new();
    registered(&world, &connected("codex:maker", "aaaaaa"), "w9");
    // The same agent by another of its names, after a restart.
    world.post.register_session(&connected("codex", "bbbbbb"), Some("w9"), Some(&[])).unwrap();
    // A shell inside the session has its name from a variable and the person's login.
    let mut shell = caller("human:ana", "w9", CHERRY);
    shell.principal.source = brainstem_memory::identity::IdentitySource::Login;
    world.waiting(&shell);
    world.post.register_session(&shell, None, Some(&[])).unwrap();
    let rows = world.post.sessions(&shell, 50).unwrap().rows;
    let w9 = rows.iter().find(|row| row.record.name == "w9").unwrap();
    assert_eq!((w9.record.agent.as_deref(), w9.live), (Some("codex:maker"), true));
    assert_eq!(code(world.post.register_session(&shell, Some("w9"), Some(&[]))), "mail.name_taken");
}

#[test] // spec: MAIL-4, MAIL-3a
fn no_agent_speaks_under_the_name_of_a_person() {
    let world = World::new();
    let claude = connected("claude:maker", "aaaaaa");
    for taken in ["human.ana", "Human.ana", "human.x"] {
        let refused = refusal(world.post.register_session(&claude, Some(taken), Some(&[])));
        assert_eq!(refused.code.name(), "mail.name_taken", "{taken}");
        assert!(refused.fix.unwrap().contains("does not begin with `human.`"));
        let request = crate::world::of_box("x");
        assert_eq!(
            code(world.post.take(&caller("claude:maker", taken, CHERRY), &request)),
            "mail.name_taken"
        );
        assert_eq!(
            code(world.post.take(&caller(taken, "", CHERRY), &request)),
            "mail.name_taken",
            "as an id"
        );
    }
    let tags = ["human.ana".to_owned()];
    assert_eq!(code(world.post.register_session(&claude, Some("w"), Some(&tags))), "mail.name_taken");
    assert!(!world.disk.dump().keys().any(|path| path.to_string_lossy().contains("uman.ana")));
    // A person may, under the name that is theirs.
    world.post.register_session(&caller("human:ana", "", CHERRY), Some("human.ana"), Some(&[])).unwrap();
    let other = world.post.register_session(&caller("human:bob", "", CHERRY), Some("human.ana"), Some(&[]));
    assert_eq!(code(other), "mail.name_taken");
}

#[test] // spec: MAIL-12, IF-25a
fn each_session_of_one_agent_sees_every_broadcast_once() {
    let world = World::new();
    let (one, two) = (connected("claude:maker", "aaaaaa"), connected("claude:maker", "bbbbbb"));
    let shell = caller("claude:maker", "", CHERRY);
    let hello = world.send(&caller("codex:maker", "orch", CHERRY), "__broadcast", "hello");
    read(&world, &one, &hello.file);
    assert_eq!(world.waiting(&one), [""; 0]);
    assert_eq!(world.waiting(&two), ["hello"], "another session of the agent has not read it");
    assert_eq!(world.waiting(&connected("claude:maker", "cccccc")), ["hello"], "nor one that comes later");
    // A caller without a session is its agent: what a session of it read is no news.
    assert_eq!(world.waiting(&shell), [""; 0]);
    // What one of them says to everybody reaches the others.
    world.send(&two, "__broadcast", "from two");
    assert_eq!((world.waiting(&one), world.waiting(&two)), (vec!["from two".into()], vec!["hello".into()]));
    assert_eq!(world.waiting(&shell), [""; 0], "its own");
}

#[test] // spec: MAIL-12
fn what_an_agent_without_a_session_read_stays_read_for_it() {
    let world = World::new();
    let hello = world.send(&caller("codex:maker", "orch", CHERRY), "__broadcast", "hello");
    // As every earlier program noted it.
    world.disk.write_raw(format!("{MAIL}/__broadcast/.seen/claude.maker/{}", hello.file), b"");
    assert_eq!(world.waiting(&caller("claude:maker", "", CHERRY)), [""; 0]);
    assert_eq!(world.waiting(&connected("claude:maker", "aaaaaa")), ["hello"]);
}

#[test] // spec: MAIL-11, MAIL-12
fn a_connection_keeps_what_it_took_read_and_sent_under_another_name() {
    let world = World::new();
    let orch = caller("claude:orchestrator", "orch", CHERRY);
    let before = connected("codex:maker", "aaaaaa");
    let handoff = world.send(&orch, "codex:maker", "handoff");
    let task = world.send(&orch, "codex:maker", "task");
    let hello = world.send(&orch, "__broadcast", "hello");
    let own = world.send(&before, "__broadcast", "mine");
    let alone = world.send(&orch, "codex.maker-aaaaaa", "you alone");
    let take = |who: &Caller, file: &dyn ToString| {
        world.post.take(who, &TakeRequest { file: Some(message(file.to_string())), ..TakeRequest::default() })
    };
    take(&before, &handoff.file).unwrap();
    take(&before, &task.file).unwrap();
    read(&world, &before, &hello.file);
    let now = registered(&world, &before, "w3");
    assert_eq!(world.waiting(&now), ["you alone"], "what it read and sent is no news to it");
    let longer = take(&now, &handoff.file).unwrap();
    assert_eq!((longer.renewed, longer.lease.owner.as_str()), (true, "w3"));
    let now = registered(&world, &now, "w4");
    assert_eq!(code(world.post.mark_read(&now, &named(&handoff.file))), "ok", "taken as w3");
    assert_eq!(code(world.post.mark_read(&now, &named(&task.file))), "ok", "taken before it had a name");
    assert_eq!(code(world.post.archive(&now, &named(&own.file))), "ok");
    assert_eq!(code(world.post.mark_read(&now, &named(&alone.file))), "ok");
    // Another session of the agent holds nothing of that.
    let other = connected("codex:maker", "bbbbbb");
    let third = world.send(&orch, "codex:maker", "third");
    take(&now, &third.file).unwrap();
    assert_eq!(code(world.post.mark_read(&other, &named(&third.file))), "mail.claimed");
}

#[test] // spec: MAIL-4, MAIL-11
fn a_name_that_somebody_else_has_by_now_is_no_earlier_name() {
    let world = World::new();
    let orch = caller("claude:orchestrator", "orch", CHERRY);
    let first = registered(&world, &connected("codex:maker", "aaaaaa"), "w9");
    let first = registered(&world, &first, "zz");
    let second = registered(&world, &connected("codex:maker", "bbbbbb"), "w9");
    let task = world.send(&orch, "codex:maker", "task");
    let take = TakeRequest { file: Some(message(task.file.as_str())), ..TakeRequest::default() };
    world.post.take(&second, &take).unwrap();
    assert_eq!(code(world.post.mark_read(&first, &named(&task.file))), "mail.claimed");
}

#[test] // spec: MAIL-4, MAIL-15
fn a_tag_opens_no_box_that_is_another_agents_alone() {
    let world = World::new();
    let codex = caller("codex:maker", "beta", CHERRY);
    world.post.register_session(&codex, Some("beta"), Some(&[])).unwrap();
    let (orch, claude) = (caller("o:x", "o", CHERRY), caller("claude:maker", "", CHERRY));
    world.send(&orch, "beta", "for beta alone");
    world.send(&orch, "claude:maker", "for claude");
    world.send(&orch, "gemini:reviewer", "for a role that was never here");
    world.waiting(&caller("acme:bot", "a1", CHERRY));
    let ev = caller("evil:x", "ev", CHERRY);
    for tag in ["beta", "claude.maker", "Claude.maker", "claude", "codex", "gemini.reviewer", "acme.bot"] {
        let tagged = caller("evil:x", &format!("ev+{tag}"), CHERRY);
        assert_eq!(code(world.post.take(&tagged, &TakeRequest::default())), "mail.name_taken", "{tag}");
        let request = brainstem_post::mail::MailListRequest::default();
        assert_eq!(code(world.post.list_mail(&tagged, &request)), "mail.name_taken", "{tag}");
        let refused = refusal(world.post.register_session(&ev, Some("ev"), Some(&[tag.to_owned()])));
        assert_eq!(refused.code.name(), "mail.name_taken", "{tag}");
        assert_eq!(refused.field.as_deref(), Some("tag"), "{tag}");
    }
    // A session's name opens the box of an agent no more than a tag does, whether or not that agent is here.
    for name in ["claude.maker", "acme.bot"] {
        assert_eq!(
            code(world.post.register_session(&ev, Some(name), Some(&[]))),
            "mail.name_taken",
            "{name}"
        );
    }
    assert_eq!(
        (world.waiting(&codex), world.waiting(&claude)),
        (vec!["for beta alone".into()], vec!["for claude".into()])
    );
    // Another session of the same agent may share the box, and every agent may carry its own names.
    world.waiting(&caller("codex:maker", "other+beta+codex", CHERRY));
    // Once the session has ended, its name is free.
    world.post.depart(&codex).unwrap();
    world.post.depart(&caller("codex:maker", "other", CHERRY)).unwrap();
    assert_eq!(world.waiting(&caller("evil:x", "ev+beta", CHERRY)), ["for beta alone"]);
}

/// Every name under which mail reaches the agent of a host, and the boxes of its roles.
const ADDRESSES: &[(&str, &str)] = &[
    ("claude:maker", "claude"),
    ("claude:maker", "claude-code"),
    ("claude:maker", "Claude-Code"),
    ("claude:maker", "claude.maker"),
    ("claude:reviewer", "claude.reviewer"),
    ("cursor:maker", "cursor-vscode"),
    ("gemini:maker", "gemini-cli"),
    ("gemini:maker", "gemini-cli-mcp-client"),
    ("vscode:maker", "Visual-Studio-Code"),
    ("opencode:maker", "opencode"),
];

#[test] // spec: MAIL-4, IF-25a
fn an_address_of_an_agent_is_a_sessions_name_of_that_agent_alone() {
    for (agent, address) in ADDRESSES {
        let world = World::new();
        let (codex, orch) = (caller("codex:maker", "", CHERRY), caller("o:x", "o", CHERRY));
        let refused = refusal(world.post.register_session(&codex, Some(address), Some(&[])));
        assert_eq!(refused.code.name(), "mail.name_taken", "{address}");
        assert_eq!(refused.field.as_deref(), Some("name"), "{address}");
        let mut shell = caller("human:ana", address, CHERRY);
        shell.principal.source = brainstem_memory::identity::IdentitySource::Login;
        let mut nobody = caller("unknown", address, CHERRY);
        nobody.principal.source = brainstem_memory::identity::IdentitySource::Nobody;
        for other in [&caller("codex:maker", address, CHERRY), &shell, &nobody] {
            world.send(&orch, address, "for the agent");
            assert_eq!(code(world.post.take(other, &TakeRequest::default())), "mail.name_taken", "{address}");
            let request = brainstem_post::mail::MailListRequest::default();
            assert_eq!(code(world.post.list_mail(other, &request)), "mail.name_taken", "{address}");
            let read = world.post.read_mail(other, &ReadRequest::default());
            assert_eq!(code(read), "mail.name_taken", "{address}");
        }
        let own = caller(agent, address, CHERRY);
        world.post.register_session(&own, Some(address), Some(&[])).unwrap();
        assert_eq!(world.waiting(&own).len(), 3, "{address}");
        assert_eq!(code(world.post.take(&own, &TakeRequest::default())), "ok", "{address}");
    }
}

#[test] // spec: MAIL-4, IF-25a
fn a_session_that_an_earlier_program_let_take_an_agents_address_gets_none_of_its_mail() {
    let world = World::new();
    let (codex, claude) = (caller("codex:maker", "", CHERRY), caller("claude:maker", "", CHERRY));
    let orch = caller("o:x", "o", CHERRY);
    world.post.register_session(&codex, Some("w1"), Some(&[])).unwrap();
    let path = world.disk.dump().into_keys().find(|path| path.ends_with("w1.json")).unwrap();
    let text = String::from_utf8(world.disk.dump()[&path].clone()).unwrap();
    let taken = path.with_file_name("claude-code.json");
    world.disk.write_raw(&taken, text.replace("\"w1\"", "\"claude-code\"").as_bytes());
    let sent = world.send(&orch, "claude-code", "for claude");
    assert_eq!(sent.mailbox.as_str(), "claude.maker");
    assert!(!sent.somebody_home, "the session that took the name does not count");
    let thief = caller("codex:maker", "claude-code", CHERRY);
    assert_eq!(code(world.post.take(&thief, &TakeRequest::default())), "mail.name_taken");
    let root = world.post.mail_root(&thief).unwrap();
    assert!(!world.post.own_boxes(&thief, &root).boxes.contains(&name("claude-code")), "nor is it counted");
    assert_eq!(world.waiting(&claude), ["for claude"]);
    let rows = world.post.sessions(&claude, 50).unwrap().rows;
    assert!(rows.iter().all(|row| row.record.name != "claude-code"), "{rows:?}");
    let own = world.post.sessions_of(&codex, SessionReach::Everywhere);
    assert!(own.iter().all(|row| row.record.name != "claude-code"), "{own:?}");
    let found = world.post.mail_health(&claude);
    let found = found.iter().find(|finding| finding.place == taken).expect("the doctor names it");
    assert_eq!(found.trouble, brainstem_memory::Trouble::SessionNameTaken);
    assert!(found.detail.contains("codex:maker") && found.detail.contains("claude-code"), "{}", found.detail);
    // The agent whose name it is takes its place.
    world.post.register_session(&claude, Some("claude-code"), Some(&[])).unwrap();
    let rows = world.post.sessions(&claude, 50).unwrap().rows;
    let row = rows.iter().find(|row| row.record.name == "claude-code").unwrap();
    assert_eq!(row.record.agent.as_deref(), Some("claude:maker"));
    assert!(world.post.mail_health(&claude).iter().all(|finding| finding.place != taken));
}

#[test] // spec: MAIL-4
fn a_caller_that_says_nothing_of_itself_shares_no_session() {
    use brainstem_memory::identity::IdentitySource;
    let world = World::new();
    let claude = caller("claude:maker", "w1", CHERRY);
    world.post.register_session(&claude, None, Some(&["worker".into()])).unwrap();
    let sent = world.send(&caller("o:x", "o", CHERRY), "w1", "for w1");
    let mut nobody = caller("unknown", "w1", CHERRY);
    nobody.principal.source = IdentitySource::Nobody;
    let file = sent.file.to_string();
    let read = ReadRequest { file: Some(message(&file)), ..ReadRequest::default() };
    let hub = brainstem_post::live::Hub::new(world.clock.now());
    let poll = brainstem_post::live::PollRequest::default();
    let say = live_to("o", "x");
    let status = brainstem_post::live::StatusRequest::parse("working", None, None).unwrap();
    let list = brainstem_post::mail::MailListRequest::default();
    let send = brainstem_post::mail::SendRequest { body: "x".into(), ..sending("o", MessageKind::Status) };
    for (call, code) in [
        ("list", code(world.post.list_mail(&nobody, &list))),
        ("read", code(world.post.read_mail(&nobody, &read))),
        ("take", code(world.post.take(&nobody, &TakeRequest::default()))),
        ("mark_read", code(world.post.mark_read(&nobody, &named(&file)))),
        ("archive", code(world.post.archive(&nobody, &named(&file)))),
        ("send", code(world.post.send(&nobody, &send))),
        ("sessions", code(world.post.sessions(&nobody, 5))),
        ("register", code(world.post.register_session(&nobody, None, Some(&[])))),
        ("register as", code(world.post.register_session(&nobody, Some("w1"), Some(&[])))),
        ("poll", code(world.post.live_poll(&nobody, Some(&hub), &poll))),
        ("live send", code(world.post.live_send(&nobody, Some(&hub), &say))),
        ("status", code(world.post.live_status(&nobody, Some(&hub), &status))),
        ("standings", code(world.post.live_sessions(&nobody, Some(&hub)))),
    ] {
        assert_eq!(code, "mail.name_taken", "{call}");
    }
    let refused = refusal(world.post.list_mail(&nobody, &list));
    assert!(refused.fix.unwrap().contains("say which agent you are"), "the fix of one that is its owner");
    assert_eq!(world.waiting(&claude), ["for w1"]);
    let w1 = world.post.sessions(&claude, 50).unwrap().rows;
    assert_eq!(w1.iter().find(|row| row.record.name == "w1").unwrap().record.tags, ["worker"]);
    // It has sessions of its own.
    nobody.principal.mail.session = Some(name("mine"));
    assert_eq!(world.waiting(&nobody), [""; 0]);
}

#[test] // spec: MAIL-4, IF-25a
fn the_name_of_a_connection_is_one_of_the_callers_agent() {
    let world = World::new();
    let claude = caller("claude:maker", "w1", CHERRY);
    world.waiting(&claude);
    world.send(&caller("o:x", "o", CHERRY), "w1", "for w1");
    for taken in ["w1", "claude.maker", "claude.maker-aaaaaa", "codex-1", "c-aaaaaa"] {
        let mut codex = caller("codex:maker", "", CHERRY);
        codex.principal.mail.connection = Some(name(taken));
        assert_eq!(code(world.post.take(&codex, &TakeRequest::default())), "mail.name_taken", "{taken}");
    }
    assert_eq!(world.waiting(&connected("codex:maker", "aaaaaa")), [""; 0]);
    let long = format!("{}:{}", "h".repeat(20), "r".repeat(40));
    let mut cut = caller(&long, "", CHERRY);
    let base = MailboxName::of_agent(&cut.principal.agent).to_string()[..57].to_owned();
    cut.principal.mail.connection = Some(name(&format!("{base}-aaaaaa")));
    assert_eq!(world.waiting(&cut), [""; 0]);
}

#[test] // spec: MAIL-4
fn a_name_is_a_tag_or_a_session_among_the_agents_that_are_here() {
    let world = World::new();
    let (ev, codex) = (caller("evil:x", "ev", CHERRY), caller("codex:maker", "gamma", CHERRY));
    world.post.register_session(&ev, Some("ev"), Some(&["gamma".to_owned()])).unwrap();
    let refused = refusal(world.post.register_session(&codex, Some("gamma"), Some(&[])));
    assert_eq!(refused.code.name(), "mail.name_taken");
    assert!(refused.message.contains("ev of evil:x carries gamma as a tag"), "{refused}");
    let request = brainstem_post::mail::MailListRequest::default();
    assert_eq!(code(world.post.list_mail(&codex, &request)), "mail.name_taken");
    // A tag that is still on record opens nothing while a session of another agent has the name.
    world.clock.advance(31 * 60_000);
    world.post.register_session(&codex, Some("gamma"), Some(&[])).unwrap();
    let sent = world.send(&caller("o:x", "o", CHERRY), "gamma", "for gamma alone");
    assert_eq!(world.waiting(&ev), [""; 0]);
    assert_eq!(code(world.post.take(&ev, &crate::world::of_box("gamma"))), "mail.not_yours");
    assert_eq!(code(world.post.mark_read(&ev, &named(&format!("gamma/{}", sent.file)))), "mail.not_yours");
    assert_eq!(world.waiting(&codex), ["for gamma alone"]);
}

#[test] // spec: MAIL-4
fn a_record_that_cannot_be_read_keeps_its_name_taken_and_is_never_replaced() {
    for is_torn in [false, true] {
        let world = World::new();
        let (codex, gemini) = (caller("codex:maker", "w1", CHERRY), caller("gemini:maker", "", CHERRY));
        world.post.register_session(&codex, None, Some(&["worker".into()])).unwrap();
        world.send(&gemini, "worker", "for the workers");
        let path = world.disk.dump().into_keys().find(|path| path.ends_with("w1.json")).unwrap();
        let text = world.disk.dump()[&path].clone();
        let torn = &text[..text.len() / 2];
        if is_torn {
            world.disk.write_raw(&path, torn);
        } else {
            world.disk.fail_reads_of(&path, brainstem_base::DiskFault::Other);
        }
        let sessions = world.post.sessions(&gemini, 50).unwrap();
        assert!(sessions.rows.iter().all(|row| row.record.name != "w1"));
        assert_eq!(sessions.unreadable.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["w1"]);
        // What is sent to it, or to its tag, arrives, and the answer says what is not known.
        for (to, rule) in [("w1", "session"), ("worker", "tag"), ("worker", "tag")] {
            let sent = world.send(&gemini, to, "more");
            assert_eq!((sent.rule.as_str(), sent.somebody_home), (rule, false), "{to}");
            assert!(sent.unreadable.is_some_and(|it| it.name.as_str() == "w1"), "{to}");
        }
        assert!(world.send(&gemini, "nobody", "x").unreadable.is_none());
        // No call takes the name: not another agent's, and not one that only seems to be its owner's.
        let claude = caller("claude:maker", "", CHERRY);
        for who in [&claude, &codex] {
            let refused = refusal(world.post.register_session(who, Some("w1"), Some(&[])));
            assert_eq!(refused.code.name(), "mail.name_taken");
            assert!(refused.fix.unwrap().contains(&path.display().to_string()));
        }
        // Nor the name of its tag, or its name as a tag or in another spelling.
        assert_eq!(code(world.post.register_session(&claude, Some("worker"), Some(&[]))), "mail.name_taken");
        assert_eq!(code(world.post.register_session(&claude, None, Some(&["w1".into()]))), "mail.name_taken");
        assert_ne!(code(world.post.register_session(&claude, Some("W1"), Some(&[]))), "ok");
        for agent in ["claude:maker", "codex:maker"] {
            let as_w1 = caller(agent, "w1", CHERRY);
            let listed = world.post.list_mail(&as_w1, &brainstem_post::mail::MailListRequest::default());
            assert_eq!(code(listed), "mail.name_taken", "{agent}");
        }
        let gaps = world.post.unreadable_session_gaps(&codex);
        assert!(gaps.iter().any(|gap| gap.name == "session_unreadable"), "{gaps:?}");
        let (_, gap) = world.post.mail_standing(&codex);
        assert!(gap.is_some_and(|gap| gap.detail.contains("mail to its tags is not counted")));
        assert!(world.post.mail_standing(&gemini).1.is_none());
        // It is as it was, so that its tags are known again once it can be read.
        world.disk.mend_reads();
        assert_eq!(world.disk.dump()[&path], if is_torn { torn } else { &text });
        world.disk.write_raw(&path, &text);
        assert_eq!(world.waiting(&codex).first().map(String::as_str), Some("for the workers"));
    }
}

#[test] // spec: MAIL-4
fn a_caller_under_its_agents_own_name_reads_its_mail_and_may_register_again() {
    let world = World::new();
    let codex = caller("codex:maker", "", CHERRY);
    world.post.register_session(&codex, None, Some(&["worker".into()])).unwrap();
    let path = world.disk.dump().into_keys().find(|path| path.ends_with("codex.maker.json")).unwrap();
    world.disk.write_raw(&path, b"{");
    let gemini = caller("gemini:maker", "", CHERRY);
    world.send(&gemini, "codex:maker", "for the agent");
    let listed = world.list(&codex, brainstem_post::mail::MailListRequest::default());
    assert_eq!(crate::world::subjects(&listed), ["for the agent"]);
    assert!(listed.gaps.iter().any(|gap| gap.contains("mail to its tags")), "{:?}", listed.gaps);
    assert_eq!(world.disk.dump()[&path], b"{", "a look does not replace it");
    world.post.register_session(&codex, None, Some(&["worker".into()])).unwrap();
    assert!(world.list(&codex, brainstem_post::mail::MailListRequest::default()).gaps.is_empty());
}

#[test] // spec: MAIL-4
fn a_session_that_registers_without_tags_keeps_those_it_has() {
    let world = World::new();
    let codex = caller("codex:maker", "w1", CHERRY);
    let tags = |who: &Caller, tags: Option<&[String]>| {
        let (row, ..) = world.post.register_session(who, None, tags).unwrap();
        row.record.tags
    };
    assert_eq!(tags(&codex, Some(&["worker".into()])), ["worker"]);
    assert_eq!(tags(&codex, None), ["worker"], "they are on record");
    assert_eq!(
        tags(&caller("codex:maker", "w1+night", CHERRY), None),
        ["night", "worker"],
        "and those of the call"
    );
    assert_eq!(tags(&codex, Some(&["day".into()])), ["day"], "others take their place");
    assert!(tags(&codex, Some(&[])).is_empty());
    // What another agent's session had is not handed on with its name.
    assert_eq!(tags(&codex, Some(&["worker".into()])), ["worker"]);
    world.clock.advance(31 * 60_000);
    assert!(tags(&caller("claude:maker", "w1", CHERRY), None).is_empty());
}

#[test] // spec: MAIL-4
fn no_session_and_no_tag_is_called_as_this_program_signs() {
    let world = World::new();
    let codex = connected("codex:maker", "aaaaaa");
    for name in ["system", "System"] {
        let refused = refusal(world.post.register_session(&codex, Some(name), Some(&[])));
        assert_eq!(
            (refused.code.name(), refused.field.as_deref()),
            ("mail.name_taken", Some("name")),
            "{refused}"
        );
        assert_eq!(
            code(world.post.register_session(&codex, Some("w1"), Some(&[name.to_owned()]))),
            "mail.name_taken"
        );
        let speaking = caller("codex:maker", name, CHERRY);
        assert_eq!(
            code(world.post.list_mail(&speaking, &brainstem_post::mail::MailListRequest::default())),
            "mail.name_taken"
        );
    }
}

//! The live channel without a transport.

use crate::world::{CHERRY, MAIL, World, caller, code, live_to, refusal};
use brainstem_base::Clock as _;
use brainstem_mail::live::{Pace, Polled};
use brainstem_memory::Caller;
use brainstem_post::live::{
    Hub, LiveRequest, MailCopyRule, NamedTarget, PollRequest, StatusRequest, TargetReach, Wake, Watcher,
};
use brainstem_post::mail::{MailListRequest, MessageKind, words};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) fn orch() -> Caller {
    caller("claude:orchestrator", "orch+orchestrator", CHERRY)
}

pub(crate) fn worker(n: u32) -> Caller {
    caller("codex:maker", &format!("w{n}+worker"), CHERRY)
}

/// A world with a daemon's hub in it.
pub(crate) struct Office {
    pub(crate) world: World,
    pub(crate) hub: Hub,
    pub(crate) watcher: Watcher,
}

impl Office {
    pub(crate) fn new() -> Self {
        let world = World::new();
        let hub = Hub::new(world.clock.now());
        let root = world.post.mail_root(&orch()).unwrap();
        let pace = Pace { first_ms: 5_000, longest_ms: 20_000, response_ms: 600_000 };
        let watcher = Watcher::new(Arc::new(world.disk.clone()), root, pace);
        Self { world, hub, watcher }
    }

    pub(crate) fn poll(&self, who: &Caller, cursor: u64) -> Polled {
        let request = PollRequest { cursor: Some(cursor), ..PollRequest::default() };
        self.world.post.live_poll(who, Some(&self.hub), &request).unwrap().polled
    }

    pub(crate) fn send(&self, who: &Caller, target: &str, persist: bool) -> (Vec<String>, usize) {
        let request = LiveRequest {
            mail: if persist { MailCopyRule::Always } else { MailCopyRule::IfNobodyIsOnline },
            ..live_to(target, "look")
        };
        let sent = self.world.post.live_send(who, Some(&self.hub), &request).unwrap();
        (sent.recipients.iter().map(|to| to.name.to_string()).collect(), sent.mailed.len())
    }

    pub(crate) fn step(&mut self, ms: i64) -> Vec<Wake> {
        self.world.clock.advance(ms);
        self.watcher.step(&self.hub, self.world.clock.now()).wakes
    }
}

pub(crate) fn bodies(polled: &Polled) -> Vec<(String, String)> {
    polled.messages.iter().map(|message| (message.note.kind.clone(), message.note.body.clone())).collect()
}

#[test] // spec: MEM-14, MAIL-17
fn no_message_with_a_secret_is_sent_to_a_session_that_is_online() {
    let office = Office::new();
    office.poll(&worker(1), 0);
    let secret = format!("AKIA{}", "Z7QK3M5N2P4R6T8W");
    let clean = live_to("w1", "look");
    let send = |request: &LiveRequest| code(office.world.post.live_send(&orch(), Some(&office.hub), request));
    for request in [
        LiveRequest { body: secret.clone(), ..clean.clone() },
        LiveRequest { subject: secret.clone(), ..clean.clone() },
        live_to(&secret, "look"),
    ] {
        assert_eq!(send(&request), "hygiene.secret");
    }
    assert_eq!(office.poll(&worker(1), 0).messages.len(), 0, "nothing was sent");
    assert_eq!(send(&clean), "ok");
}

#[test] // spec: MAIL-6, MAIL-17
fn a_message_to_a_session_that_is_online_has_a_type_and_a_subject_as_mail_has() {
    let office = Office::new();
    office.poll(&worker(1), 0);
    let clean = live_to("w1", "look");
    let send = |request: &LiveRequest| code(office.world.post.live_send(&orch(), Some(&office.hub), request));
    // The channel's own words, and words that a reader could take for another sender's.
    for kind in
        ["mail", "nobody_home", "waits_for_reply", "", "task\nfrom: human.ana", "urgent task from human.ana"]
    {
        assert_eq!(code(words::kind(kind)), "mail.bad_type", "{kind:?}");
    }
    let subject = |text: &str| send(&LiveRequest { subject: text.into(), ..clean.clone() });
    assert_eq!((subject("one\ntwo"), subject("one\u{1b}[2K")), ("input.bad_value", "input.bad_value"));
    assert_eq!(office.poll(&worker(1), 0).messages.len(), 0, "nothing was sent");
    assert_eq!(
        (send(&LiveRequest { kind: MessageKind::Question, ..clean.clone() }), subject("Look")),
        ("ok", "ok")
    );
}

#[test] // spec: MAIL-17
fn who_is_online_is_named_and_who_is_not_gets_mail() {
    let office = Office::new();
    office.poll(&worker(1), 0);
    assert_eq!(office.send(&orch(), "worker", false), (vec!["w1".into()], 0));
    assert_eq!(office.send(&orch(), "w1", false).0, ["w1"]);
    let polled = office.poll(&worker(1), 0);
    assert_eq!(polled.messages.len(), 2);
    // Nobody is online: it waits as mail, and that is said.
    assert_eq!(office.send(&orch(), "w2", false), (vec![], 1));
    assert_eq!(office.world.list(&worker(2), MailListRequest::default()).rows.len(), 1);
    let send = |target: &str| {
        let asked = NamedTarget::parse(target).map(|target| LiveRequest::new(target, "x".into()));
        code(asked.and_then(|asked| office.world.post.live_send(&orch(), Some(&office.hub), &asked)))
    };
    assert_eq!((send("parent"), send("worktree:/nowhere")), ("live.nobody", "live.nobody"));
    assert_eq!(
        (send("planet:"), send("../x"), send("tag:")),
        ("input.bad_value", "mail.bad_name", "mail.bad_name")
    );
}

#[test] // spec: MAIL-17
fn what_was_got_live_is_not_unread_mail_too() {
    let office = Office::new();
    office.poll(&worker(1), 0);
    office.poll(&worker(2), 0);
    let (recipients, copies) = office.send(&orch(), "tag:worker", true);
    assert_eq!((recipients, copies), (vec!["w1".into(), "w2".into()], 2), "each has a copy of its own");
    assert_eq!(office.world.waiting(&worker(1)).len(), 1, "it may have been lost on the way");
    let polled = office.poll(&worker(1), 0);
    office.poll(&worker(1), polled.cursor);
    assert_eq!(office.world.waiting(&worker(1)), [""; 0], "got, so it is read");
    assert_eq!(office.world.waiting(&worker(2)).len(), 1, "the other has not got it yet");
    // The daemon restarts: what was live is lost, what was mail is not.
    let office = Office { hub: Hub::new(office.world.clock.now()), ..office };
    let told = bodies(&office.poll(&worker(2), 0));
    assert!(
        matches!(told.as_slice(), [(kind, body)] if kind == "mail" && body.starts_with("w2/")),
        "{told:?}"
    );
    assert_eq!(office.world.waiting(&worker(2)).len(), 1);
}

#[test] // spec: MAIL-17
fn a_cursor_that_was_never_given_marks_nothing_read_and_loses_nothing() {
    let office = Office::new();
    assert!(!office.poll(&worker(1), 0).is_gap);
    office.poll(&worker(2), 0);
    office.send(&orch(), "w1", true);
    office.send(&orch(), "w1", false);
    office.send(&orch(), "w2", false);
    let others = office.poll(&worker(2), 0).cursor;
    let future = 1_797_152_400_000_001;
    for number in [others, future, u64::MAX] {
        for (cursor, ack) in [(Some(number), None), (None, Some(number)), (Some(number), Some(number))] {
            // Each in an office where nothing was shown yet.
            let fresh = Office::new();
            fresh.poll(&worker(1), 0);
            fresh.send(&orch(), "w1", true);
            fresh.send(&orch(), "w1", false);
            let request = PollRequest { cursor, ack, begun_at: None };
            let polled = fresh.world.post.live_poll(&worker(1), Some(&fresh.hub), &request).unwrap().polled;
            assert!(polled.is_gap, "{request:?}");
            assert_eq!(polled.messages.len(), 2, "{request:?}");
            assert_eq!(fresh.world.waiting(&worker(1)).len(), 1, "{request:?}: it is unread");
        }
    }
    // Of what was shown, all is acknowledged by its own cursor, and nothing by a higher one.
    let polled = office.poll(&worker(1), 0);
    assert_eq!((polled.messages.len(), polled.is_gap), (2, false));
    office.send(&orch(), "w1", true);
    let wrong = office.poll(&worker(1), future);
    assert_eq!((wrong.messages.len(), wrong.is_gap), (3, true), "shown again rather than lost");
    assert_eq!(office.world.waiting(&worker(1)).len(), 2);
    let rest = office.poll(&worker(1), wrong.cursor);
    assert_eq!((rest.messages.len(), rest.is_gap), (0, false));
    assert_eq!(office.world.waiting(&worker(1)), [""; 0]);
    // Another life of the daemon knows none of these numbers.
    let office = Office { hub: Hub::new(office.world.clock.now()), ..office };
    let again = office.poll(&worker(1), wrong.cursor);
    assert_eq!((again.is_gap, again.cursor), (true, 0));
    assert!(!office.poll(&worker(1), again.cursor).is_gap, "it is said once");
}

#[test] // spec: MAIL-17, IF-10
fn without_a_daemon_there_is_mail() {
    let world = World::new();
    let status = StatusRequest::parse("working", None, None).unwrap();
    assert_eq!(code(world.post.live_status(&worker(1), None, &status)), "live.no_daemon");
    assert_eq!(code(world.post.live_poll(&worker(1), None, &PollRequest::default())), "live.no_daemon");
    let request = |target: &str| live_to(target, "x");
    let sent = world.post.live_send(&orch(), None, &request("w1")).unwrap();
    assert!(!sent.has_daemon && sent.recipients.is_empty() && sent.mailed.len() == 1);
    assert_eq!(world.list(&worker(1), MailListRequest::default()).rows.len(), 1);
    assert_eq!(code(world.post.live_send(&orch(), None, &request("parent"))), "live.no_daemon");
    world.post.live_send(&orch(), None, &request("everyone")).unwrap();
    assert!(world.disk.dump().keys().any(|path| path.starts_with(format!("{MAIL}/__broadcast"))));
}

#[test] // spec: MAIL-17
fn orchestrators_hear_what_others_do_and_children_reach_their_parent() {
    let office = Office::new();
    office.poll(&orch(), 0);
    let report = |status: &str, parent: Option<&str>| {
        let request = StatusRequest::parse(status, Some("no key".into()), parent)?;
        office.world.post.live_status(&worker(1), Some(&office.hub), &request)
    };
    let told = report("blocked", Some("orch")).unwrap();
    assert_eq!(told.recipients.iter().map(|to| to.name.as_str()).collect::<Vec<_>>(), ["orch"]);
    let heard = office.poll(&orch(), 0);
    assert_eq!(
        (heard.messages[0].note.subject.as_str(), heard.messages[0].note.body.as_str()),
        ("blocked", "no key")
    );
    assert_eq!(office.send(&worker(1), "parent", false).0, ["orch"]);
    assert_eq!(code(report("busy", None)), "input.bad_value");
    assert_eq!(code(report("idle", Some("../x"))), "mail.bad_name");
    let online = office.hub.online_sessions(office.world.clock.now());
    assert!(online.iter().any(|one| one.status.as_str() == "blocked" && one.note == "no key"));
}

#[test] // spec: MAIL-17
fn who_waits_is_told_of_what_is_for_it_alone() {
    let office = Office::new();
    let request = PollRequest::default();
    let who = office.world.post.live_poll(&worker(1), Some(&office.hub), &request).unwrap().who;
    let told = Arc::new(AtomicUsize::new(0));
    let count = told.clone();
    let _listening = office.hub.news().listen(move || {
        count.fetch_add(1, Ordering::Relaxed);
    });
    office.poll(&worker(2), 0);
    assert_eq!(told.load(Ordering::Relaxed), 0, "somebody who comes is no news");
    office.send(&orch(), "w2", false);
    assert_eq!((told.load(Ordering::Relaxed), office.hub.has_news(&who, 0)), (1, false));
    office.send(&orch(), "w1", false);
    assert_eq!((told.load(Ordering::Relaxed), office.hub.has_news(&who, 0)), (2, true));
    let cursor = office.poll(&worker(1), 0).cursor;
    assert!(!office.hub.has_news(&who, cursor));
}

#[test] // spec: MAIL-17, MAIL-3
fn mail_for_a_name_that_nobody_has_is_told_as_such() {
    let office = Office::new();
    let rule = |target: &str| {
        let request = live_to(target, "look");
        let sent = office.world.post.live_send(&orch(), Some(&office.hub), &request).unwrap();
        (sent.mailed[0].rule.as_str(), sent.mailed[0].note.clone().unwrap_or_default().to_string())
    };
    for target in ["everywhere", "agent:codex", "w8"] {
        let (rule, note) = rule(target);
        assert_eq!(rule, "future", "{target}");
        assert!(note.starts_with("no session, tag or agent here is called"), "{note}");
    }
    for everybody in ["everyone", "all", "broadcast"] {
        assert_eq!(rule(everybody), ("broadcast", String::new()), "{everybody}");
    }
    office.world.waiting(&caller("gemini:maker", "all", CHERRY));
    assert_eq!(rule("all").0, "session", "one that has the name");
}

#[test] // spec: MAIL-3, MAIL-17
fn what_is_named_as_a_session_or_a_tag_is_that_very_name() {
    let office = Office::new();
    for (target, to) in [("session:codex", "codex"), ("tag:codex", "codex"), ("codex", "codex.maker")] {
        let request = live_to(target, "look");
        let sent = office.world.post.live_send(&orch(), Some(&office.hub), &request).unwrap();
        assert_eq!(sent.mailed[0].mailbox.as_str(), to, "{target}");
    }
}

#[test] // spec: MAIL-17
fn a_worktree_where_nobody_is_online_may_be_of_another_project() {
    let office = Office::new();
    let ask = |target: &str, everywhere| {
        let request = LiveRequest {
            scope: if everywhere { TargetReach::Everywhere } else { TargetReach::Project },
            ..live_to(target, "look")
        };
        let refused = refusal(office.world.post.live_send(&orch(), Some(&office.hub), &request));
        (refused.code.name(), refused.fix.unwrap().contains("--everywhere"))
    };
    assert_eq!(ask("worktree:/src/plum", false), ("live.nobody", true));
    assert_eq!(ask("worktree:/src/plum", true), ("live.nobody", false));
    assert_eq!(ask("parent", false), ("live.nobody", false));
}

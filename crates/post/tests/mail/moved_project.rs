//! A project with a brain that was moved or deleted: a call that still names its old path writes nothing there.

use crate::live::{Office, orch, worker};
use crate::world::{CHERRY, World, caller, code, refusal, sending};
use brainstem_base::disk::Disk as _;
use brainstem_memory::{Caller, CallerPlace, RootHints, Session};
use brainstem_post::live::PollRequest;
use brainstem_post::mail::{MailListRequest, MailSharing, MessageKind, ReadRequest, TakeRequest};
use std::path::Path;

const MOVED: &str = "/src/moved";

fn has_nothing_at_the_old_path(world: &World) -> bool {
    world.disk.stat(Path::new(CHERRY)).is_err()
}

/// Callers at the old path: one that stands there, one that names it, and one whose session is bound there.
fn callers() -> Vec<Caller> {
    let one = caller("codex:maker", "w1+worker", CHERRY);
    let named = one.at(RootHints { explicit: Some(CHERRY.into()), ..RootHints::default() }, None);
    let bound = one.at(RootHints::default(), Some(CHERRY.into()));
    vec![one, named, bound]
}

#[test] // spec: MAIL-4, IF-3, MEM-17
fn mail_at_the_old_path_of_a_project_with_a_brain_is_refused_and_makes_nothing() {
    let office = Office::new();
    let world = &office.world;
    world.memory.bootstrap(&orch(), &Default::default()).unwrap();
    world.send(&orch(), "worker", "waits in the real project");
    world.disk.rename(Path::new(CHERRY), Path::new(MOVED)).unwrap();
    for me in callers() {
        let post = &world.post;
        let codes = [
            code(post.send(&me, &sending("w1", MessageKind::Task))),
            code(post.list_mail(&me, &MailListRequest::default())),
            code(post.read_mail(&me, &ReadRequest::default())),
            code(post.take(&me, &TakeRequest::default())),
            code(post.init_mail(&me, MailSharing::AsItIs)),
            code(post.init_mail(&me, MailSharing::Committed)),
            code(post.sessions(&me, 50)),
            code(post.register_session(&me, Some("w9"), None)),
            code(post.live_poll(&me, Some(&office.hub), &PollRequest::default())),
            code(post.live_sessions(&me, Some(&office.hub))),
        ];
        assert_eq!(codes, ["memory.root_missing"; 10]);
        assert!(has_nothing_at_the_old_path(world));
        let (standing, gap) = post.mail_standing(&me);
        assert!(standing.is_none() && gap.is_some_and(|gap| gap.detail.to_string().contains(CHERRY)));
    }
}

#[test] // spec: MAIL-4, IF-3
fn a_running_session_hears_where_its_project_is_now() {
    let world = World::new();
    world.memory.bootstrap(&orch(), &Default::default()).unwrap();
    let session = Session::default();
    let me = || {
        let caller = caller("codex:maker", "w1+worker", CHERRY);
        Caller::new(caller.principal.clone(), CallerPlace::of_call(caller.hints().clone(), Some(&session)))
    };
    world.memory.bind_session(me().place(), &session);
    world.send(&orch(), "worker", "waits");
    assert_eq!(world.waiting(&me()), ["waits"]);

    world.disk.rename(Path::new(CHERRY), Path::new(MOVED)).unwrap();
    let refused = refusal(world.post.send(&me(), &sending("w1", MessageKind::Task)));
    assert_eq!(refused.code.name(), "memory.root_missing", "{refused}");
    assert!(has_nothing_at_the_old_path(&world));
    // Another caller has used the brain where it is now.
    let there = caller("gemini:maker", "w2+worker", MOVED);
    assert_eq!(world.waiting(&there), ["waits"]);
    world.memory.bootstrap(&there, &Default::default()).unwrap();
    let refused = refusal(world.post.list_mail(&me(), &MailListRequest::default()));
    assert_eq!(refused.code.name(), "memory.root_missing", "{refused}");
    assert!(format!("{:?}", refused.fix).contains(MOVED), "{refused}");
    assert!(has_nothing_at_the_old_path(&world));
}

#[test] // spec: MAIL-4, MAIL-17
fn a_poll_that_ends_because_the_folder_was_replaced_registers_nobody_in_the_new_one() {
    let office = Office::new();
    let world = &office.world;
    let begun = world.post.live_poll(&worker(7), Some(&office.hub), &PollRequest::default()).unwrap();
    world.disk.rename(Path::new(CHERRY), Path::new(MOVED)).unwrap();
    world.disk.write_raw(format!("{CHERRY}/.git/HEAD"), b"ref: refs/heads/main\n");
    let request = PollRequest { begun_at: Some(begun.who.project), ..PollRequest::default() };
    assert_eq!(code(world.post.live_poll(&worker(7), Some(&office.hub), &request)), "memory.root_replaced");
    let rows = world.post.sessions(&orch(), 50).unwrap().rows;
    assert!(!rows.iter().any(|row| row.record.name == "w7"), "{rows:?}");
}

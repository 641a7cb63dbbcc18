//! Mail that was meant for another project, or for nobody: what the sender is told, and how it takes the message back.

use crate::world::{CHERRY, World, caller, code, named, sending};
use brainstem_memory::{BootstrapRequest, Caller, RootHints};
use brainstem_post::mail::{MessageKind, SendRequest};

const PLUM: &str = "/src/plum";

fn orch() -> Caller {
    caller("claude:orchestrator", "orch", CHERRY)
}

fn to(name: &str) -> SendRequest {
    SendRequest { subject: name.into(), ..sending(name, MessageKind::Task) }
}

fn two_brains() -> World {
    let world = World::new();
    for root in [CHERRY, PLUM] {
        let maker = caller("codex:maker", "", root);
        world.memory.bootstrap(&maker, &BootstrapRequest::default()).unwrap();
    }
    world
}

#[test] // spec: MAIL-3
fn a_name_that_is_another_project_is_answered_with_the_call_that_sends_there() {
    let world = two_brains();
    let note = |name: &str| world.send_with(&orch(), to(name)).note().map(|note| note.to_string()).unwrap();
    let told = note("plum");
    assert!(told.contains(" is another project, whose mail is its own: "), "{told}");
    assert!(
        told.contains("brainstem mail send --to AGENT --type task --body TEXT --root /src/plum"),
        "{told}"
    );
    let told = note("codex:maker@plum");
    assert!(
        told.contains("brainstem mail send --to codex.maker --type task --body TEXT --root /src/plum"),
        "{told}"
    );
    // A mail root that an option, a variable or a header names wins over the project, unless the call names another.
    let mut named = orch();
    named.principal.mail.root = Some("/elsewhere/boxes".into());
    let told = world.send_with(&named, to("bob@plum")).note().map(|note| note.to_string()).unwrap();
    let line =
        "brainstem mail send --to bob --type task --body TEXT --root /src/plum --mail-root /src/plum/.mail";
    assert!(told.contains(line), "{told}");
    // The project itself, and a name that no brain has, are no other project.
    for name in ["cherry", "codex:maker@cherry", "grape"] {
        let told = note(name);
        assert!(!told.contains("another project"), "{name}: {told}");
        assert!(told.starts_with("no session, tag or agent here is called"), "{name}: {told}");
    }
}

#[test] // spec: MAIL-3
fn a_send_into_another_project_says_where_a_reply_will_be() {
    let world = two_brains();
    let mut sender = caller("codex:maker", "", CHERRY);
    let hints = RootHints { explicit: Some(PLUM.into()), ..sender.hints().clone() };
    sender = sender.at(hints, None);
    let sent = world.send_with(&sender, to("claude"));
    assert!(sent.path.starts_with("/src/plum/.mail"), "{}", sent.path.display());
    let told = sent.note().unwrap().to_string();
    assert!(
        told.contains("a reply will be in the mail of `/src/plum`: brainstem mail list --root /src/plum"),
        "{told}"
    );
    let at_home = world.send_with(&caller("codex:maker", "", CHERRY), to("claude")).note().unwrap();
    assert!(!at_home.contains("a reply will be"), "{at_home}");
}

#[test] // spec: MAIL-10, MAIL-15
fn a_sender_takes_back_what_is_unread_and_nothing_else() {
    let world = World::new();
    let sent = world.send_with(&orch(), to("codx"));
    let message = format!("codx/{}", sent.file);
    let note = sent.note().unwrap().to_string();
    assert!(note.contains(&format!("brainstem mail archive {message} takes it back")), "{note}");
    // Only its sender.
    assert_eq!(
        code(world.post.archive(&caller("gemini:maker", "", CHERRY), &named(&message))),
        "mail.not_yours"
    );
    let back = world.post.archive(&orch(), &named(&message)).unwrap();
    assert_eq!((back.folder.as_str(), back.unchanged), ("archive", false));
    assert!(world.post.archive(&orch(), &named(&message)).unwrap().unchanged, "twice is once");
    // What its reader has read is the reader's.
    let reader = caller("claude:maker", "w1", CHERRY);
    let read = world.send_with(&orch(), to("w1"));
    world.post.mark_read(&reader, &named(&read.file)).unwrap();
    let message = format!("w1/{}", read.file);
    assert_eq!(code(world.post.archive(&orch(), &named(&message))), "mail.not_yours");
    let unread = format!("w1/{}", world.send_with(&orch(), to("w1")).file);
    assert_eq!(code(world.post.mark_read(&orch(), &named(&unread))), "mail.not_yours", "the reader marks it");
}

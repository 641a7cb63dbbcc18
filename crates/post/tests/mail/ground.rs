//! The folder that a project's mail lies in: another folder at its path, a path with nothing at it, and a worktree without
//! its repository are not that project.

use crate::live::{Office, orch, worker};
use crate::world::{CHERRY, WORKTREE, World, caller, code, refusal, sending};
use brainstem_base::disk::Disk as _;
use brainstem_memory::{Caller, CallerPlace, NorthRequest, RootHints, Session};
use brainstem_post::letters::{Filing, LetterDraft};
use brainstem_post::live::{PollRequest, PostNews, Rounds};
use brainstem_post::mail::{MailListRequest, MessageKind, SendRequest, TakeRequest};
use std::path::Path;

/// Another project is made where one was.
fn replace(world: &World, root: &str) {
    world.disk.rename(Path::new(root), Path::new(&format!("{root}.old"))).unwrap();
    world.disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
}

fn draft() -> LetterDraft {
    LetterDraft { class: "bug".into(), what: "about it".into(), ..LetterDraft::default() }
}

/// As the door of MCP makes a caller for each call of a session.
fn in_session(session: &Session, cwd: &str) -> Caller {
    let caller = caller("codex:maker", "w1+worker", cwd);
    Caller::new(caller.principal.clone(), CallerPlace::of_call(caller.hints().clone(), Some(session)))
}

#[test] // spec: MAIL-4, MAIL-17, MEM-22
fn the_live_channel_of_a_folder_is_not_that_of_another_folder_at_its_path() {
    let office = Office::new();
    let begun = office.world.post.live_poll(&worker(1), Some(&office.hub), &PollRequest::default()).unwrap();
    assert_eq!(office.send(&orch(), "w1", false).0, ["w1"]);
    let told = office.poll(&worker(1), 0);
    assert_eq!(told.messages.len(), 1);

    replace(&office.world, CHERRY);
    let (_, online) = office.world.post.live_sessions(&orch(), Some(&office.hub)).unwrap();
    assert_eq!(online.len(), 0, "the sessions of the folder before are not here: {online:?}");
    let (recipients, mailed) = office.send(&orch(), "w1", true);
    assert_eq!((recipients.len(), mailed), (0, 1), "it waits as mail for a session of this folder");
    // A poll that began to wait in the folder before ends, and closes nothing of this one.
    let request = PollRequest {
        cursor: Some(told.cursor),
        begun_at: Some(begun.who.project.clone()),
        ..PollRequest::default()
    };
    let waited = office.world.post.live_poll(&worker(1), Some(&office.hub), &request);
    assert_eq!(code(waited), "memory.root_replaced");
    assert_eq!(
        code(office.world.post.check_live_project(&worker(1), Some(&begun.who.project))),
        "memory.root_replaced"
    );
    let unread = office.world.list(&worker(1), MailListRequest::default());
    assert_eq!(unread.rows.len(), 1, "nothing unseen is marked read");
    let got = office.poll(&worker(1), 0);
    assert!(got.messages.iter().all(|message| message.note.kind == "mail"), "{got:?}");
}

#[test] // spec: MAIL-17
fn whoever_waits_in_a_folder_has_news_once_another_one_is_at_its_path() {
    let office = Office::new();
    let (post, hub) = (&office.world.post, &office.hub);
    let mut rounds = Rounds::default();
    let got = post.live_poll(&worker(1), Some(hub), &PollRequest::default()).unwrap();
    let (who, cursor) = (got.who, got.polled.cursor);
    rounds.look(post, hub, false);
    assert!(!hub.has_news(&who, cursor));
    office.world.disk.rename(Path::new(CHERRY), Path::new("/src/away")).unwrap();
    rounds.look(post, hub, false);
    assert!(!hub.has_news(&who, cursor), "a folder that is gone may come back");
    office.world.disk.write_raw(format!("{CHERRY}/.git/HEAD"), b"ref: refs/heads/main\n");
    rounds.look(post, hub, false);
    assert!(hub.has_news(&who, cursor), "the wait looks again, and is refused");
    let request = PollRequest { begun_at: Some(who.project), ..PollRequest::default() };
    assert_eq!(code(post.live_poll(&worker(1), Some(hub), &request)), "memory.root_replaced");
}

#[test] // spec: MAIL-18, MEM-22
fn what_is_told_of_mail_says_of_which_folder_it_is() {
    let office = Office::new();
    let (world, hub) = (&office.world, &office.hub);
    let mut rounds = Rounds::default();
    world.send(&orch(), "w1", "first");
    let arrived = |news: Vec<PostNews>| {
        let of = |news| match news {
            PostNews::Arrived(project, seen) => Some((project, seen.head.subject)),
            PostNews::Gone(..) | PostNews::Woke(..) | PostNews::Written(_) | PostNews::Filed(..) => None,
        };
        news.into_iter().filter_map(of).collect::<Vec<_>>()
    };
    rounds.look(&world.post, hub, true);
    world.send(&orch(), "w1", "second");
    world.clock.advance(20_000);
    let before = arrived(rounds.look(&world.post, hub, true));
    assert_eq!(before.iter().map(|(_, subject)| subject.as_str()).collect::<Vec<_>>(), ["second"]);

    replace(world, CHERRY);
    world.send(&orch(), "w1", "of another project");
    world.clock.advance(20_000);
    let mut after = Vec::new();
    for thorough in [false, true] {
        after.extend(arrived(rounds.look(&world.post, hub, thorough)));
    }
    assert_eq!(after.len(), 1, "{after:?}");
    assert_eq!(after[0].0.root, before[0].0.root);
    assert_ne!(after[0].0, before[0].0, "a stream that began before hears nothing of it");
}

#[test] // spec: MAIL-4, MEM-17, MEM-22, LTR-6
fn a_session_of_a_project_without_a_brain_is_not_served_from_another_folder_at_its_path() {
    let world = World::new();
    let session = Session::default();
    world.memory.bind_session(in_session(&session, CHERRY).place(), &session);
    world.send(&orch(), "worker", "ours");
    let me = || in_session(&session, CHERRY);
    assert_eq!(world.waiting(&me()), ["ours"]);

    replace(&world, CHERRY);
    world.send(&orch(), "worker", "of another project");
    for _ in 0..2 {
        assert_eq!(code(world.post.list_mail(&me(), &MailListRequest::default())), "memory.root_replaced");
        assert_eq!(code(world.post.take(&me(), &TakeRequest::default())), "memory.root_replaced");
        assert_eq!(code(world.post.write_letter(&me(), draft())), "memory.root_replaced");
        let filter = Default::default();
        assert_eq!(code(world.post.mailbox(&me(), None, &filter)), "memory.root_replaced");
        world.memory.north(&me(), &NorthRequest { task: String::new(), budget_tokens: 400 }).unwrap();
        let (_, gap) = world.post.mail_standing(&me());
        assert!(gap.as_ref().is_some_and(|gap| gap.name == "mail"), "{gap:?}");
        world.memory.bind_session(me().place(), &session);
    }
    assert_eq!(world.waiting(&worker(1)), ["of another project"], "another caller is served");
    // It goes on by its own word.
    session.bind(CHERRY.into());
    assert_eq!(world.waiting(&me()), ["of another project"]);
}

#[test] // spec: MAIL-1, MAIL-15, MEM-17, MEM-23, LTR-2
fn mail_in_a_worktree_without_its_repository_is_refused_and_nothing_is_lost() {
    for has_brain in [false, true] {
        let world = World::new();
        if has_brain {
            world.memory.bootstrap(&orch(), &Default::default()).unwrap();
        }
        let here = caller("codex:maker", "w1+worker", WORKTREE);
        world.send(&orch(), "worker", "waits");
        assert_eq!(world.waiting(&here), ["waits"]);

        world.disk.rename(Path::new(CHERRY), Path::new("/src/away")).unwrap();
        let before = world.disk.dump();
        let refused = refusal(world.post.list_mail(&here, &MailListRequest::default()));
        assert_eq!(refused.code.name(), "memory.root_gone", "{refused}");
        assert!(refused.message.contains(CHERRY), "{refused}");
        assert_eq!(code(world.post.take(&here, &TakeRequest::default())), "memory.root_gone");
        let request = SendRequest { body: "x".into(), ..sending("worker", MessageKind::Task) };
        assert_eq!(code(world.post.send(&here, &request)), "memory.root_gone");
        assert_eq!(code(world.post.mailbox(&here, None, &Default::default())), "memory.root_gone");
        assert_eq!(world.disk.dump(), before, "nothing was made in the worktree");
        // A brain here would split the mail: it takes a word that this is a project of its own.
        let bootstrapped = refusal(world.memory.bootstrap(&here, &Default::default()));
        assert!(
            bootstrapped.fix.as_ref().is_some_and(|fix| fix.to_string().contains("anew")),
            "{bootstrapped}"
        );
        if !has_brain {
            assert_eq!(bootstrapped.code.name(), "memory.root_gone", "{bootstrapped}");
            let north =
                world.memory.north(&here, &NorthRequest { task: String::new(), budget_tokens: 400 }).unwrap();
            let moves: Vec<String> = north.next_moves.iter().map(ToString::to_string).collect();
            assert!(!moves.iter().any(|line| line.contains("bootstrap")), "{moves:?}");
            assert!(moves.iter().any(|line| line.contains("git worktree repair")), "{moves:?}");
        }
        // A letter waits for the brain of the repository. Of one without a brain only the path is known, and another
        // project may be there later.
        let before = world.disk.dump();
        let letter = world.post.write_letter(&here, draft());
        match has_brain {
            true => drop(letter.unwrap()),
            false => {
                assert_eq!(code(letter), "memory.root_gone");
                assert_eq!(world.disk.dump(), before, "nothing was written");
            }
        }

        world.disk.rename(Path::new("/src/away"), Path::new(CHERRY)).unwrap();
        assert_eq!(world.waiting(&here), ["waits"]);
        if !has_brain {
            world.post.write_letter(&here, draft()).unwrap();
        }
        world.post.distribute(&here, Filing::Real, &|_, _| ()).unwrap();
        let filed = world.disk.dump();
        assert!(
            filed.contains_key(Path::new("/src/cherry/.brainstem/inbox.jsonl")),
            "has a brain: {has_brain}"
        );
        assert!(!filed.contains_key(Path::new(&format!("{WORKTREE}/.brainstem/inbox.jsonl"))));
    }
}

#[test] // spec: MEM-17, IF-3, LTR-6
fn a_root_that_somebody_names_and_that_does_not_exist_is_refused() {
    let world = World::new();
    let mut named = caller("codex:maker", "w1", CHERRY);
    for (hints, session) in [
        (RootHints { explicit: Some("/src/chery".into()), ..RootHints::default() }, None),
        (RootHints::default(), Some("/src/chery")),
    ] {
        named = named.at(hints, session.map(Into::into));
        assert_eq!(code(world.post.list_mail(&named, &MailListRequest::default())), "memory.root_missing");
        assert_eq!(code(world.post.write_letter(&named, draft())), "memory.root_missing");
        assert_eq!(code(world.post.mailbox(&named, None, &Default::default())), "memory.root_missing");
    }
    assert!(!world.disk.dump().keys().any(|path| path.ends_with("inbox.jsonl")));
    // A letter that says what it is about needs no place.
    let about = LetterDraft { repo: Some("cherry".into()), ..draft() };
    world.post.write_letter(&named, about).unwrap();
}

#[test] // spec: MAIL-1, MAIL-1a, IF-4
fn the_top_folder_of_a_repository_is_no_mail_root() {
    let world = World::new();
    let mut named = orch();
    let request = SendRequest { body: "for bob alone".into(), ..sending("bob", MessageKind::Status) };
    named.principal.mail.root = Some(CHERRY.into());
    let before = world.disk.dump();
    let refused = refusal(world.post.send(&named, &request));
    assert_eq!(refused.code.name(), "mail.root_refused");
    assert!(format!("{:?}", refused.fix).contains("/src/cherry/.mail"), "{refused}");
    assert_eq!(world.disk.dump(), before);
    named.principal.mail.root = Some("/src/cherry/.mail".into());
    world.post.send(&named, &request).unwrap();
    // One that is a mail root already, as of a repository that holds nothing else, stays one.
    world.disk.write_raw("/src/letters/.git/HEAD", b"ref: refs/heads/main\n");
    world.disk.make_dirs("/src/letters/.names");
    named.principal.mail.root = Some("/src/letters".into());
    world.post.send(&named, &request).unwrap();
}

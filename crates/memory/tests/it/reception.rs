//! Reception, the handshake, and the numbers of each brain.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, clock, code, doctrine, principal, service,
    two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::SimDisk;
use brainstem_memory::{
    Caller, CallerPlace, Handshake, HandshakeRequest, Hint, InitRequest, Memory, RootHints, Served, Session,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn with_two_brains() -> (SimDisk, Memory) {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
    }
    (disk, memory)
}

fn expects(root: &str) -> HandshakeRequest {
    HandshakeRequest { expect_root: root.into(), expect_fingerprint: None }
}

/// Who was started with an environment, somewhere.
fn started(env: &str, cwd: &str) -> Caller {
    let hints = RootHints { env: Some(env.into()), cwd: Some(cwd.into()), explicit: None };
    caller(MAKER, cwd).at(hints, None)
}

#[test] // spec: MEM-18, MEM-27
fn reception_is_silent_on_a_match_and_speaks_on_first_contact() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.begin(&caller(MAKER, PLUM)).unwrap();
    memory.tell(&caller(MAKER, PLUM), "Retry policy", "a secret of plum's").unwrap();
    memory.memorize(&caller(PERSON, PLUM), &doctrine("Tabs", "use tabs")).unwrap();
    assert_eq!(memory.beat(&caller(MAKER, PLUM), "retry").reception, None);

    let first = memory.beat(&caller(MAKER, CHERRY), "retry").reception.unwrap();
    assert!(
        first.where_you_are.contains(CHERRY) && first.where_you_are.contains("no brain yet"),
        "{first:?}"
    );
    assert_eq!(first.suggested, format!("brainstem bootstrap {CHERRY}"));
    assert_eq!(first.options[0].call, first.suggested);
    assert!(
        first.options.iter().any(|choice| choice.call.contains(&format!("--expect-root {PLUM}"))),
        "{first:?}"
    );
    assert!(first.options.iter().all(|choice| !choice.consequence.is_empty()));
    assert!(first.what_exists[0].contains(PLUM) && first.what_exists[0].contains("1 claim"), "{first:?}");
    assert!(first.what_exists[1].contains("the medulla, 1 claim"), "{first:?}");
    assert!(!format!("{first:?}").contains("secret of plum"), "no word of another brain's claims");
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    assert_eq!(memory.beat(&caller(MAKER, CHERRY), "retry").reception, None, "and is silent then");

    disk.make_dirs("/tmp/nowhere");
    let lost = memory.beat(&caller(MAKER, "/tmp/nowhere"), "retry").reception.unwrap();
    assert_eq!(lost.suggested, "brainstem bootstrap PATH");
    for stranger in ["/tmp/nowhere", "/src"] {
        let refused = memory.tell(&caller(MAKER, stranger), "x", "y").unwrap_err();
        let fix = refused.fix().unwrap();
        assert!(!fix.contains("/src/"), "nobody is sent into a stranger's project: {fix}");
    }
    let nobody = caller(MAKER, CHERRY).at(RootHints::default(), None);
    let fix = memory.tell(&nobody, "x", "y").unwrap_err().fix().unwrap();
    // Each door spells it as it says where somebody stands.
    assert!(fix.contains("with --root") && !fix.contains("/src/"), "{fix}");
    let explicit = Some(format!("{CHERRY}/not/there").into());
    let missing = caller(MAKER, CHERRY);
    let missing = missing.at(RootHints { explicit, ..missing.hints().clone() }, None);
    let fix = memory.tell(&missing, "x", "y").unwrap_err().fix().unwrap();
    assert!(fix.contains(&format!("the nearest that has a brain is {CHERRY}")), "{fix}");
    let brain = memory.route(&caller(MAKER, CHERRY)).brain().unwrap().clone();
    disk.write_raw(brain.folder.join("brain.json"), b"\0");
    let broken = memory.beat(&caller(MAKER, CHERRY), "retry").reception.unwrap();
    assert_eq!(broken.suggested, "brainstem doctor", "{broken:?}");
}

#[test] // spec: MEM-18
fn reception_names_the_nearest_brains_and_counts_the_rest() {
    let (disk, memory) = with_two_brains();
    for n in 0..6 {
        let root = format!("/far/p{n}");
        disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
        memory.begin(&caller(MAKER, &root)).unwrap();
    }
    disk.write_raw("/src/pear/.git/HEAD", b"ref: refs/heads/main\n");
    let told = memory.beat(&caller(MAKER, "/src/pear"), "x").reception.unwrap();
    assert!(told.what_exists[0].contains(CHERRY) && told.what_exists[1].contains(PLUM), "{told:?}");
    assert_eq!(told.what_exists.len(), 5 + 2);
    assert!(told.what_exists[5].to_string().starts_with("3 more brains"), "{told:?}");
}

#[test] // spec: MEM-18, MEM-40
fn an_environment_that_leads_elsewhere_is_told_and_a_childs_is_not() {
    let (disk, memory) = with_two_brains();
    disk.make_dirs("/tmp/scratch");
    disk.write_raw("/wt/fix/.git", b"gitdir: /src/cherry/.git/worktrees/fix\n");
    disk.write_raw("/src/cherry/.git/worktrees/fix/commondir", b"../..\n");
    disk.write_raw("/src/cherry/.git/worktrees/fix/gitdir", b"/wt/fix/.git\n");
    disk.write_raw("/src/cherry/.git/worktrees/fix/HEAD", b"ref: refs/heads/fix\n");
    disk.write_raw("/src/pear/.git/HEAD", b"ref: refs/heads/main\n");
    for cwd in [CHERRY, "/wt/fix", "/tmp/scratch", "/src/pear"] {
        let child = started(CHERRY, cwd);
        assert_eq!(memory.route(&child).brain().unwrap().root, Path::new(CHERRY), "{cwd}");
        assert_eq!(memory.beat(&child, "x").reception, None, "{cwd}");
    }
    let told = memory.beat(&started(CHERRY, PLUM), "x").reception.unwrap();
    assert!(told.where_you_are.contains(CHERRY) && told.where_you_are.contains(PLUM), "{told:?}");
    assert!(told.where_you_are.contains("BRAINSTEM_WORKSPACE_ROOT"), "{told:?}");
    assert!(told.suggested.contains(PLUM), "{told:?}");
}

fn shake(
    memory: &Memory,
    caller: &Caller,
    session: Option<&Session>,
    request: &HandshakeRequest,
) -> Handshake {
    let caller = caller.at(caller.hints().clone(), session.and_then(Session::root));
    memory.handshake(&caller, session, request).unwrap()
}

#[test] // spec: MEM-18, IF-26
fn a_handshake_tells_match_or_mismatch() {
    let (disk, memory) = with_two_brains();
    disk.make_dirs(format!("{CHERRY}/src"));
    let cherry = caller(MAKER, CHERRY);
    let brain = memory.route(&cherry).brain().unwrap().clone();
    for root in [CHERRY, "/src/cherry/src", ".", "../cherry"] {
        let told = shake(&memory, &cherry, None, &expects(root));
        assert!(told.matched && told.reception.is_none() && !told.rebound, "{root}: {told:?}");
        assert_eq!(told.expected_root, PathBuf::from(CHERRY));
        assert_eq!(told.actual.by, Some(Hint::WorkingDirectory));
    }
    let known = HandshakeRequest { expect_fingerprint: Some(brain.fingerprint.clone()), ..expects(CHERRY) };
    assert!(shake(&memory, &cherry, None, &known).matched);
    let other =
        HandshakeRequest { expect_fingerprint: Some("cherry-000000000000".into()), ..expects(CHERRY) };
    let told = shake(&memory, &cherry, None, &other);
    assert!(!told.matched && told.reception.unwrap().where_you_are.contains(&brain.fingerprint));

    let told = shake(&memory, &caller(MAKER, PLUM), None, &expects(CHERRY));
    let reception = told.reception.unwrap();
    assert!(!told.matched && told.actual.root == Some(PLUM.into()));
    assert!(
        reception.where_you_are.contains(PLUM) && reception.where_you_are.contains(CHERRY),
        "{reception:?}"
    );
    assert_eq!(reception.suggested, format!("brainstem --root {CHERRY} …"));
    disk.write_raw("/src/pear/.git/HEAD", b"ref: refs/heads/main\n");
    for (root, suggested) in
        [("/src/pear", "brainstem bootstrap /src/pear"), ("/nowhere", "brainstem brains")]
    {
        let told = shake(&memory, &cherry, None, &expects(root));
        assert!(!told.matched, "{root}");
        assert_eq!(told.reception.unwrap().suggested, suggested);
        // Standing in a project without a brain is no match with it either.
        assert!(!shake(&memory, &caller(MAKER, "/src/pear"), None, &expects("/src/pear")).matched);
    }
}

#[test] // spec: MEM-17, MEM-18
fn a_handshake_moves_a_session_to_the_brain_it_expects_and_nowhere_else() {
    let (disk, memory) = with_two_brains();
    let (session, plum) = (Session::default(), caller(MAKER, PLUM));
    let told = shake(&memory, &plum, Some(&session), &expects(CHERRY));
    assert!(told.matched && told.rebound && told.reception.is_none(), "{told:?}");
    assert_eq!((told.actual.root, told.before.unwrap().root), (Some(CHERRY.into()), Some(PLUM.into())));
    let there = plum.at(plum.hints().clone(), session.root());
    memory.tell(&there, "Retry policy", "three times").unwrap();
    assert_eq!(memory.all(&caller(MAKER, CHERRY)).rows.len(), 1);
    assert_eq!(memory.beat(&there, "retry").reception, None);
    let told = shake(&memory, &plum, Some(&session), &expects(CHERRY));
    assert!(told.matched && !told.rebound && told.actual.by == Some(Hint::Session));
    // A root without a brain, or with another one, leaves the session where it is.
    disk.write_raw("/src/pear/.git/HEAD", b"ref: refs/heads/main\n");
    let other = HandshakeRequest { expect_fingerprint: Some("plum-000000000000".into()), ..expects(PLUM) };
    for request in [expects("/src/pear"), expects("/nowhere"), other] {
        let told = shake(&memory, &plum, Some(&session), &request);
        assert!(!told.matched && !told.rebound && told.reception.is_some(), "{told:?}");
        assert_eq!(session.root(), Some(CHERRY.into()));
    }
}

#[test] // spec: MEM-17, MEM-18, MEM-21
fn a_session_is_not_served_from_another_brain_that_took_the_place_of_its_own() {
    let (disk, memory) = with_two_brains();
    memory.tell(&caller(MAKER, CHERRY), "Salary", "of the first").unwrap();
    let session = Session::default();
    let hints = caller(MAKER, CHERRY).hints().clone();
    // As a door makes it for each call.
    let here = || CallerPlace::of_call(hints.clone(), Some(&session));
    let now = || Caller::new(principal(MAKER), here());
    let texts = || memory.all(&now()).rows.into_iter().map(|row| row.text).collect::<Vec<_>>();
    assert!(memory.bind_session(&here(), &session).brain().is_some());
    assert_eq!(texts(), ["of the first"]);

    brainstem_base::Disk::rename(&disk, Path::new(CHERRY), Path::new("/src/moved")).unwrap();
    memory.count_call(caller(MAKER, "/src/moved").place(), None);
    disk.write_raw(format!("{CHERRY}/.git/HEAD"), b"ref: refs/heads/main\n");
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    memory.tell(&caller(MAKER, CHERRY), "Salary", "of the second").unwrap();
    for _ in 0..2 {
        assert_eq!(texts(), [] as [String; 0]);
        assert!(memory.all(&now()).gaps.iter().any(|gap| gap.name == "root_replaced"));
        let told = memory.beat(&now(), "salary").reception.unwrap();
        assert!(told.suggested.contains("/src/moved"), "{told:?}");
        assert_eq!(code(memory.tell(&now(), "Bonus", "of the session")), "memory.root_replaced");
        assert_eq!(code(memory.init(&now(), &InitRequest::default())), "memory.root_replaced");
        memory.count_call(&here(), Some(&session));
    }
    assert_eq!(memory.all(&caller(MAKER, CHERRY)).rows.len(), 1, "another caller is served as before");

    // It goes back, or on, by its own word.
    let told = memory.handshake(&now(), Some(&session), &expects("/src/moved")).unwrap();
    assert!(told.rebound, "{told:?}");
    assert_eq!(texts(), ["of the first"]);
    let told = memory.handshake(&now(), Some(&session), &expects(CHERRY)).unwrap();
    assert!(told.rebound, "{told:?}");
    memory.count_call(&here(), Some(&session));
    assert_eq!(texts(), ["of the second"]);
}

#[test] // spec: MEM-17, MEM-18, MEM-21
fn a_session_is_not_served_from_a_folder_without_a_brain_that_took_the_place_of_its_own() {
    for is_found_again in [true, false] {
        let (disk, memory) = with_two_brains();
        memory.tell(&caller(MAKER, CHERRY), "Salary", "of the first").unwrap();
        let session = Session::default();
        let hints = caller(MAKER, CHERRY).hints().clone();
        let here = || CallerPlace::of_call(hints.clone(), Some(&session));
        let now = || Caller::new(principal(MAKER), here());
        assert!(memory.bind_session(&here(), &session).brain().is_some());
        memory.check_not_left(&now()).unwrap();

        brainstem_base::Disk::rename(&disk, Path::new(CHERRY), Path::new("/src/moved")).unwrap();
        if is_found_again {
            memory.count_call(caller(MAKER, "/src/moved").place(), None);
        }
        disk.write_raw(format!("{CHERRY}/.git/HEAD"), b"ref: refs/heads/main\n");
        let listed = memory.all(&now());
        assert!(listed.rows.is_empty());
        assert!(listed.gaps.iter().any(|gap| gap.name == "root_replaced"), "{:?}", listed.gaps);
        let beat = memory.beat(&now(), "salary");
        assert!(!format!("{beat:?}").contains("No durable memory yet"));
        let told = beat.reception.unwrap();
        assert!(!is_found_again || told.suggested.contains("/src/moved"), "{told:?}");
        assert_eq!(
            code(memory.check_not_left(&now())),
            "memory.root_replaced",
            "its mail and letters are another's"
        );
        assert_eq!(code(memory.tell(&now(), "Bonus", "of the session")), "memory.root_replaced");
        assert_eq!(code(memory.init(&now(), &InitRequest::default())), "memory.root_replaced");
        memory.check_not_left(&caller(MAKER, CHERRY)).unwrap();

        // It goes on by its own word.
        let made = memory.begin(&caller(MAKER, CHERRY)).unwrap();
        session.bind(made.brain.root);
        memory.tell(&now(), "Bonus", "of the second").unwrap();
        memory.check_not_left(&now()).unwrap();
    }
}

fn served(memory: &Memory, root: &str) -> (Served, Served) {
    let brains = memory.brains(&caller(MAKER, root)).unwrap();
    let here = brains.brains.iter().find(|row| row.brain.root == Path::new(root)).map(|row| row.served);
    (here.unwrap_or_default(), brains.medulla_served)
}

#[test] // spec: MEM-19
fn calls_and_sessions_are_counted_for_the_brain_they_are_bound_to() {
    let (disk, memory) = with_two_brains();
    let at = |root: &str, session: Option<&Session>| {
        CallerPlace::of_call(RootHints { cwd: Some(root.into()), ..RootHints::default() }, session)
    };
    let session = Session::default();
    for _ in 0..3 {
        memory.count_call(&at(CHERRY, None), None);
    }
    memory.count_call(&at(PLUM, Some(&session)), Some(&session));
    session.bind(CHERRY.into());
    memory.count_call(&at(PLUM, Some(&session)), Some(&session));
    memory.count_call(&at(PLUM, Some(&session)), Some(&session));
    disk.make_dirs("/tmp/nowhere");
    memory.count_call(&at("/tmp/nowhere", None), None);
    let counts = |beats, calls, sessions, moved| Served { beats, calls, sessions, moved };
    assert_eq!(served(&memory, CHERRY), (counts(0, 5, 1, 1), counts(0, 1, 0, 0)));
    assert_eq!(served(&memory, PLUM).0, counts(0, 1, 1, 0));
    let brains = memory.brains(&caller(MAKER, CHERRY)).unwrap();
    let all = Served::across(brains.brains.iter().map(|row| row.served).chain([brains.medulla_served]));
    assert_eq!(all, counts(0, 7, 1, 0), "one session that moved is one");
    // Where the brain it came from is not listed, and where an earlier program counted, no part exceeds the whole.
    assert_eq!(Served::across([counts(0, 5, 1, 1)].into_iter()).sessions, 1);
    assert_eq!(Served::across([counts(0, 1, 2, 0), counts(0, 1, 1, 0)].into_iter()).sessions, 3);
    // Lost, they are lost, and nothing else is.
    for path in disk.dump().into_keys().filter(|path| path.starts_with(Path::new(HOME).join("local"))) {
        brainstem_base::Disk::unlink(&disk, &path).unwrap();
    }
    assert_eq!(served(&memory, CHERRY).0, Served::default());
}

#[test] // spec: MEM-19
fn counting_makes_no_home_and_fails_no_call() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let place = CallerPlace::lasting(RootHints { cwd: Some(CHERRY.into()), ..RootHints::default() });
    memory.count_call(&place, Some(&Session::default()));
    assert!(!disk.dump().keys().any(|path| path.starts_with(HOME)), "no home is made");
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    disk.set_read_only(true);
    memory.count_call(&place, None);
    assert_eq!(served(&memory, CHERRY).0, Served::default());
    disk.set_read_only(false);
    disk.write_raw(Path::new(HOME).join("home.json"), br#"{"schema": 99, "created": 1}"#);
    memory.count_call(&place, None);
    assert_eq!(served(&memory, CHERRY).0, Served::default(), "a home of a newer program is not written");
}

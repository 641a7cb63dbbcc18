//! The battery: drafted from letters, run in a world of its own, and failing when it should.

use super::world::{CHERRY, HOME, PLUM, USER, World, caller, draft, refusal};
use brainstem_base::disk::Disk as _;
use brainstem_memory::{Caller, Finding, MemorizeRequest, Trouble};
use brainstem_post::letters::{BatteryReport, LetterDraft, MisdeliveryKind};
use std::path::Path;

fn report(world: &World, from: &str, kind: &str) -> String {
    let letter = LetterDraft {
        kind: Some(kind.into()),
        snippet: Some("Retry three times, then give up".into()),
        expected: Some("how often to retry".into()),
        ..draft("memory_misdelivery", "it went wrong")
    };
    world.write(from, letter).unwrap()
}

fn confirmed(world: &World, kind: &str) -> String {
    let id = report(world, CHERRY, kind);
    let verdict = Some("confirmed".into());
    let triage = LetterDraft { answers: vec![id.clone()], verdict, ..draft("triage", "so it is") };
    world.write(CHERRY, triage).unwrap();
    id
}

fn without_case(world: &World) -> Vec<Finding> {
    let findings = world.post().letters_health(&caller(USER)).findings.into_iter();
    findings.filter(|finding| finding.trouble == Trouble::LetterWithoutCase).collect()
}

fn run(world: &World) -> BatteryReport {
    world.post().run_battery(&caller(CHERRY), &|_, _| ()).unwrap()
}

fn remember(world: &World, label: &str, text: &str) {
    let claim = MemorizeRequest { label: label.into(), text: text.into(), ..MemorizeRequest::default() };
    world.memory().memorize(&caller(CHERRY), &claim).unwrap();
}

#[test] // spec: LTR-17, LTR-16a
fn each_kind_drafts_a_case_that_holds_and_accounts_for_nothing() {
    let world = World::new();
    remember(&world, "Cache", "Cleared on deploy");
    for kind in MisdeliveryKind::ALL {
        let id = confirmed(&world, kind.as_str());
        let added = world.post().draft_case(&caller(USER), &id, None).unwrap();
        assert!(added.path.starts_with("/home/ana/cherry/.brainstem/battery"), "{added:?}");
        assert_eq!(refusal(world.post().draft_case(&caller(USER), &id, None)).code.name(), "battery.taken");
    }
    let before = world.files();
    let run = world.post().run_battery(&caller(CHERRY), &|_, _| ()).unwrap();
    assert_eq!((run.cases.len(), run.failed(), run.drafts()), (5, 0, 5), "{run:?}");
    assert_eq!(world.files(), before, "nothing of the real stores is touched");
    let left: Vec<_> = world
        .disk
        .dump()
        .into_keys()
        .filter(|path| path.starts_with(format!("{HOME}/local/battery")))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let findings = without_case(&world);
    assert_eq!(findings.len(), 5);
    assert!(findings.iter().all(|finding| finding.detail.contains("only a draft")), "{findings:?}");
    let elsewhere = world.post().run_battery(&caller(PLUM), &|_, _| ()).unwrap();
    assert_eq!(elsewhere.cases.len(), 0, "a battery is its project's own");
}

#[test] // spec: LTR-17
fn a_letter_about_no_project_makes_a_case_of_the_medulla_and_other_letters_make_none() {
    let world = World::new();
    let id = report(&world, USER, "leak");
    let added = world.post().draft_case(&caller(CHERRY), &id, None).unwrap();
    assert_eq!(added.path, Path::new(HOME).join(format!("battery/leak-{id}.json")));
    let run = world.post().run_battery(&caller(PLUM), &|_, _| ()).unwrap();
    assert_eq!((run.cases.len(), run.failed()), (1, 0), "{run:?}");
    let win = world.write(CHERRY, draft("win", "x")).unwrap();
    assert_eq!(refusal(world.post().draft_case(&caller(CHERRY), &win, None)).code.name(), "letter.no_case");
}

#[test] // spec: LTR-17
fn a_case_that_does_not_hold_fails_and_says_what_was_wrong() {
    let world = World::new();
    remember(&world, "Deploys", "On Fridays");
    let case = |name: &str, ask: &str| {
        let text = format!(
            r#"{{"kind":"leak","given":[{{"store":"other","label":"Keys","text":"In the drawer"}}],"ask":[{ask}]}}"#
        );
        world.disk.write_raw(format!("/home/ana/cherry/.brainstem/battery/{name}.json"), text.as_bytes());
    };
    case("a", r#"{"from":"project","task":"keys","must_carry":[{"text":"In the drawer"}]}"#);
    case("b", r#"{"from":"other","task":"keys","must_not_carry":["In the drawer"]}"#);
    // The copy of the real store is there, and the world is not empty.
    case(
        "c",
        r#"{"from":"project","task":"deploys","must_carry":[{"text":"On Fridays"}],"claims_absence":false}"#,
    );
    case(
        "d",
        r#"{"from":"other/src/deep","task":"keys","must_carry":[{"text":"Keys","store":"other","by":"codex:maker"}],"lists":["other","project"]}"#,
    );
    case("e", r#"{"from":"nowhere","claims_absence":true,"must_not_carry":["drawer"]}"#);
    case("f", "not json");
    let run = world.post().run_battery(&caller(CHERRY), &|_, _| ()).unwrap();
    let failed: Vec<bool> = run.cases.iter().map(|case| !case.failures.is_empty()).collect();
    assert_eq!(failed, [true, true, false, false, false, true], "{run:#?}");
    assert!(run.cases[0].failures[0].contains("does not carry"), "{run:?}");
    assert!(run.cases[1].failures[0].contains("the beat carries"), "{run:?}");
}

#[test] // spec: LTR-17, MEM-14
fn a_case_is_committed_so_the_floor_is_asked() {
    let world = World::new();
    let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    world.raw(&format!(
        r#"{{"class":"memory_misdelivery","kind":"leak","repo":"cherry","what":"it was shown","snippet":"token {token}"}}"#
    ));
    let id = world.sweep().letters[0].letter.id.to_string();
    let fault = refusal(world.post().draft_case(&caller(CHERRY), &id, None));
    assert_eq!(fault.code.name(), "hygiene.secret");
    assert!(world.disk.dump().keys().all(|path| !path.starts_with("/home/ana/cherry/.brainstem/battery")));
}

#[test] // spec: LTR-17
fn a_battery_that_cannot_be_read_never_looks_like_one_that_held() {
    let run = |make: &dyn Fn(&World, &str)| {
        let world = World::new();
        world.disk.make_dirs(format!("{CHERRY}/.brainstem"));
        make(&world, &format!("{CHERRY}/.brainstem/battery"));
        world.post().run_battery(&caller(CHERRY), &|_, _| ()).unwrap()
    };
    assert_eq!(run(&|_, _| ()).cases.len(), 0, "none is there");
    for run in [
        run(&|world, dir| world.disk.write_raw(dir, b"a file")),
        run(&|world, dir| world.disk.make_link("/nowhere", dir)),
        run(&|world, dir| world.disk.make_dirs(format!("{dir}/case.json"))),
        run(&|world, dir| {
            world.disk.make_dirs(dir);
            world.disk.make_link("/nowhere", format!("{dir}/case.json"));
        }),
    ] {
        assert_eq!((run.cases.len(), run.failed()), (1, 1), "{run:?}");
    }
}

#[test] // spec: LTR-16a
fn a_draft_counts_after_a_run_saw_it_fail_and_not_after_it_was_changed() {
    let world = World::new();
    let id = confirmed(&world, "false_absence");
    let path = world.post().draft_case(&caller(CHERRY), &id, None).unwrap().path;
    let edit = |from: &str, to: &str| {
        let text = String::from_utf8(world.disk.dump().remove(&path).unwrap()).unwrap();
        assert!(text.contains(from), "{text}");
        world.disk.write_raw(&path, text.replace(from, to).as_bytes());
    };
    assert_eq!((run(&world).drafts(), without_case(&world).len()), (1, 1));
    // It asks for what is not there, as the fault had it.
    edit("\"claims_absence\": false", "\"claims_absence\": true");
    let failing = run(&world);
    assert_eq!((failing.failed(), failing.drafts(), failing.cases[0].is_draft), (1, 0, false), "{failing:?}");
    assert_eq!(without_case(&world), []);
    let before = world.files();
    assert_eq!(run(&world).failed(), 1);
    assert_eq!(world.files(), before, "once is enough");
    edit("\"about\": \"it went wrong\"", "\"about\": \"north was silent\"");
    assert_eq!(without_case(&world), [], "words about it change nothing");
    edit("\"claims_absence\": true", "\"claims_absence\": false");
    assert_eq!((run(&world).drafts(), without_case(&world).len()), (1, 1), "this one was not seen to fail");
}

#[test] // spec: LTR-16a
fn a_person_alone_says_that_a_case_cannot_be_seen_to_fail() {
    let world = World::new();
    let id = confirmed(&world, "leak");
    let person = |id: &str| {
        let mut person: Caller = caller(CHERRY);
        person.principal.agent = brainstem_base::AgentId::parse(id).unwrap();
        person.principal.kind = person.principal.agent.kind();
        person
    };
    let ana = person("human:ana");
    let code =
        |caller: &Caller, why: &str| refusal(world.post().draft_case(caller, &id, Some(why))).code.name();
    assert_eq!(code(&person("codex:maker"), "mended before"), "battery.not_vouched");
    assert_eq!(code(&ana, " "), "battery.not_vouched");
    assert_eq!(without_case(&world).len(), 1);
    let path = world.post().draft_case(&caller(CHERRY), &id, None).unwrap().path;
    let draft = world.disk.dump().remove(&path).unwrap();
    let added = world.post().draft_case(&ana, &id, Some("mended before")).unwrap();
    assert!(!added.is_draft && added.path == path);
    let counts = || (run(&world).drafts(), run(&world).failed(), without_case(&world).len());
    assert_eq!(counts(), (0, 0, 0));
    // Without a draft, it makes the case.
    world.disk.unlink(&path).unwrap();
    world.post().draft_case(&ana, &id, Some("mended before")).unwrap();
    assert_eq!(counts(), (0, 0, 0));
    // As the program before this one wrote it.
    world.disk.write_raw(&path, &draft);
    assert_eq!(counts(), (1, 0, 1));
}

#[test] // spec: LTR-16a
fn a_word_of_a_person_that_only_the_repository_has_accounts_for_no_letter() {
    let world = World::new();
    let id = confirmed(&world, "leak");
    let mut ana: Caller = caller(CHERRY);
    ana.principal.agent = brainstem_base::AgentId::parse("human:ana").unwrap();
    ana.principal.kind = ana.principal.agent.kind();
    let path = world.post().draft_case(&ana, &id, Some("it is fine")).unwrap().path;
    let words = format!("{HOME}/battery-words.txt");
    let own = world.disk.dump()[Path::new(&words)].clone();
    let counts = || {
        let run = run(&world);
        (run.cases[0].is_unrecorded, run.drafts(), without_case(&world).len())
    };
    assert_eq!(counts(), (false, 0, 0));
    // The same file on a machine where nobody said so.
    world.disk.unlink(Path::new(&words)).unwrap();
    assert_eq!(counts(), (true, 1, 1));
    let found = &without_case(&world)[0];
    assert!(found.detail.contains("only the repository says"), "{found:?}");
    // Nor does a word that was said here bear out another one.
    world.disk.write_raw(&words, &own);
    let text = String::from_utf8(world.disk.dump()[&path].clone()).unwrap();
    world.disk.write_raw(&path, text.replace("human:ana", "human:ben").as_bytes());
    assert_eq!(counts(), (true, 1, 1));
    // A person who says so through this home makes it count, and the medulla's battery is this home's own.
    world.post().draft_case(&ana, &id, Some("it is fine")).unwrap();
    assert_eq!(counts(), (false, 0, 0));
    let text = world.disk.dump()[&path].clone();
    world.disk.unlink(&path).unwrap();
    world.disk.unlink(Path::new(&words)).unwrap();
    world.disk.write_raw(format!("{HOME}/battery/a.json"), &text);
    assert_eq!(counts(), (false, 0, 0));
}

#[test] // spec: LTR-17
fn a_case_that_cannot_be_tried_has_failed_and_stops_no_other() {
    let world = World::new();
    let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    for (name, label, by, text) in [
        ("a", "Keys", "codex:maker", token.as_str()),
        ("b", "", "codex:maker", "in the drawer"),
        ("c", "Keys", "no agent", "in the drawer"),
        ("d", "Keys", "codex:maker", "in the drawer"),
    ] {
        let case = format!(
            r#"{{"kind":"leak","given":[{{"store":"other","label":"{label}","text":"{text}","by":"{by}"}}],
                "ask":[{{"from":"project","must_not_carry":["drawer"]}}]}}"#
        );
        world.disk.write_raw(format!("{CHERRY}/.brainstem/battery/{name}.json"), case.as_bytes());
    }
    let run = run(&world);
    let failed: Vec<bool> = run.cases.iter().map(|case| !case.failures.is_empty()).collect();
    assert_eq!(failed, [true, true, true, false], "{run:#?}");
    for case in &run.cases[..3] {
        assert!(case.failures[0].starts_with("it could not be tried: "), "{case:?}");
        assert!(!case.failures[0].contains(&token), "{case:?}");
    }
}

#[test] // spec: LTR-17
fn cases_beyond_the_bound_are_told() {
    let world = World::new();
    for n in 0..1_001 {
        world.disk.write_raw(format!("{CHERRY}/.brainstem/battery/{n}.json"), b"{}");
    }
    let run = run(&world);
    assert_eq!((run.cases.len(), run.failed()), (1_001, 1_001));
    assert!(run.cases[1_000].failures[0].contains("1001 cases"), "{:?}", run.cases[1_000]);
}

#[test] // spec: LTR-17, MEM-48
fn a_run_removes_the_worlds_that_a_killed_run_has_left() {
    let world = World::new();
    let left = format!("{HOME}/local/battery/0011/home/agent-memory/a.light.md");
    world.disk.write_raw(&left, b"a copy");
    let case = r#"{"kind":"leak","given":[],"ask":[{"from":"nowhere","claims_absence":true}]}"#;
    world.disk.write_raw(format!("{CHERRY}/.brainstem/battery/a.json"), case.as_bytes());
    assert_eq!(run(&world).failed(), 0);
    assert!(!world.disk.dump().contains_key(Path::new(&left)));
}

#[test] // spec: LTR-16a
fn a_word_that_was_said_about_one_project_counts_in_no_other() {
    let world = World::new();
    world.bootstrap(PLUM);
    let id = confirmed(&world, "leak");
    let mut ana: Caller = caller(CHERRY);
    ana.principal.agent = brainstem_base::AgentId::parse("human:ana").unwrap();
    ana.principal.kind = ana.principal.agent.kind();
    let added = world.post().draft_case(&ana, &id, Some("it is fine")).unwrap();
    assert_eq!(added.root.as_deref(), Some(Path::new(CHERRY)), "where its battery is run");
    let unrecorded = |root: &str| {
        let run = world.post().run_battery(&caller(root), &|_, _| ()).unwrap();
        run.cases.iter().map(|case| case.is_unrecorded).collect::<Vec<_>>()
    };
    assert_eq!(unrecorded(CHERRY), [false]);
    // The same file in another repository.
    let text = world.disk.dump()[&added.path].clone();
    world.disk.write_raw(format!("{PLUM}/.brainstem/battery/copied.json"), &text);
    assert_eq!(unrecorded(PLUM), [true]);
    // A line of the list that names no project says nothing about any.
    let words = format!("{HOME}/battery-words.txt");
    let lines = String::from_utf8(world.disk.dump()[Path::new(&words)].clone()).unwrap();
    let bare = lines.trim().rsplit(' ').next().unwrap().to_owned();
    world.disk.write_raw(&words, format!("\n{bare}\n").as_bytes());
    assert_eq!(unrecorded(CHERRY), [true]);
}

//! The battery: drafted from letters, run in a world of its own, and failing when it should.

use super::world::{CHERRY, HOME, PLUM, USER, World, caller, draft};
use brainstem_memory::{MemorizeRequest, Trouble};
use brainstem_post::letters::{Draft, Kind};
use std::path::Path;

fn report(world: &World, from: &str, kind: &str) -> String {
    let letter = Draft {
        kind: Some(kind.into()),
        snippet: Some("Retry three times, then give up".into()),
        expected: Some("how often to retry".into()),
        ..draft("memory_misdelivery", "it went wrong")
    };
    world.write(from, letter).unwrap()
}

fn remember(world: &World, label: &str, text: &str) {
    let claim = MemorizeRequest { label: label.into(), text: text.into(), ..MemorizeRequest::default() };
    world.memory().memorize(&caller(CHERRY), &claim).unwrap();
}

#[test] // spec: LTR-17
fn each_kind_drafts_a_case_that_holds_and_a_confirmed_letter_is_accounted_for() {
    let world = World::new();
    remember(&world, "Cache", "Cleared on deploy");
    for kind in Kind::ALL {
        let id = report(&world, CHERRY, kind.as_str());
        let triage = Draft {
            answers: vec![id.clone()],
            verdict: Some("confirmed".into()),
            ..draft("triage", "so it is")
        };
        world.write(CHERRY, triage).unwrap();
        let added = world.post().draft_case(&caller(USER), &id).unwrap();
        assert!(added.path.starts_with("/home/ana/cherry/.brainstem/battery"), "{added:?}");
        assert_eq!(world.post().draft_case(&caller(USER), &id).unwrap_err().code.name(), "battery.taken");
    }
    let before = world.files();
    let run = world.post().run_battery(&caller(CHERRY), &|_, _| ()).unwrap();
    assert_eq!((run.cases.len(), run.failed()), (5, 0), "{run:?}");
    assert_eq!(world.files(), before, "nothing of the real stores is touched");
    let left: Vec<_> = world
        .disk
        .dump()
        .into_keys()
        .filter(|path| path.starts_with(format!("{HOME}/local/battery")))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let findings = world.post().letters_health(&caller(USER)).findings;
    assert!(findings.iter().all(|finding| finding.trouble != Trouble::LetterWithoutCase), "{findings:?}");
    let elsewhere = world.post().run_battery(&caller(PLUM), &|_, _| ()).unwrap();
    assert_eq!(elsewhere.cases.len(), 0, "a battery is its project's own");
}

#[test] // spec: LTR-17
fn a_letter_about_no_project_makes_a_case_of_the_medulla_and_other_letters_make_none() {
    let world = World::new();
    let id = report(&world, USER, "leak");
    let added = world.post().draft_case(&caller(CHERRY), &id).unwrap();
    assert_eq!(added.path, Path::new(HOME).join(format!("battery/leak-{id}.json")));
    let run = world.post().run_battery(&caller(PLUM), &|_, _| ()).unwrap();
    assert_eq!((run.cases.len(), run.failed()), (1, 0), "{run:?}");
    let win = world.write(CHERRY, draft("win", "x")).unwrap();
    assert_eq!(world.post().draft_case(&caller(CHERRY), &win).unwrap_err().code.name(), "letter.no_case");
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
    let letter = Draft {
        kind: Some("leak".into()),
        snippet: Some(format!("token {token}")),
        ..draft("memory_misdelivery", "it was shown")
    };
    let id = world.write(CHERRY, letter).unwrap();
    let fault = world.post().draft_case(&caller(CHERRY), &id).unwrap_err();
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

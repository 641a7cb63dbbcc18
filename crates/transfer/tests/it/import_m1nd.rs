//! The store of another tool moves in as copies: planned first, sorted where it is mixed, and left as it is.

use crate::migrate::legacy;
use crate::world::{
    CHERRY, HOME, MAKER, PLUM, Short as _, caller, clock, code, files_below, service, two_repositories,
};
use brainstem_base::disk::SimDisk;
use brainstem_memory::{Memory, Tier};
use brainstem_transfer::{ImportRequest, Imported, Transfer};
use std::path::Path;
use std::sync::Arc;

const M1ND: &str = "/home/ana/.m1nd";

/// A home of the other tool: a mixed store, the stores of two projects, and field reports.
fn world() -> (SimDisk, Memory) {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
    }
    let runtime = Path::new(M1ND).join("runtimes/claude");
    let mixed = runtime.join("agent-memory");
    let put = |dir: &Path, name: &str, label: &str, header: &str| {
        disk.write_raw(dir.join(name), legacy(label, header, "Of another tool.").as_bytes());
    };
    put(&mixed, "hall.light.md", "Hall", &format!("Origin-Brain: {CHERRY}\n"));
    for (name, label) in [("hall", "Hall"), ("gone", "Gone")] {
        let text = legacy(label, "", "What it said before.").replace("authored", "outdated");
        disk.write_raw(mixed.join(format!(".history/{name}.1700000000000.light.md")), text.as_bytes());
    }
    put(&mixed, "press.light.md", "Press", "Tags: plum\n");
    put(&mixed, "tabs.light.md", "Tabs", "Tags: preference\n");
    put(&mixed, "whose.light.md", "Whose", "");
    disk.write_raw(mixed.join("torn.light.md"), b"no claim");
    for (name, root) in [("aaaa", PLUM), ("bbbb", "/src/nobody")] {
        let brain = runtime.join("project-brains").join(name);
        disk.write_raw(
            brain.join("project_brain.json"),
            format!("{{\"project_root\":\"{root}\"}}").as_bytes(),
        );
        put(&brain.join("agent-memory"), "pit.light.md", &format!("Pit {name}"), "");
    }
    disk.write_raw(format!("{M1ND}/field-reports.jsonl"), b"{\"what\":\"a\"}\n\n{\"what\":\"b\"}\n");
    disk.write_raw(format!("{PLUM}/.m1nd/inbox.jsonl"), b"{\"what\":\"c\"}\n");
    put(Path::new(PLUM).join(".m1nd/agent-memory").as_path(), "seed.light.md", "Seed", "");
    (disk, memory)
}

fn import(memory: &Memory, root: &str, path: &str, sort: bool, dry_run: bool) -> Imported {
    let request = ImportRequest { path: path.into(), from: None, tier: None, sort, dry_run };
    Transfer::new(memory).import(&caller(MAKER, root), &request, &|_, _| true).unwrap()
}

fn summary(imported: &Imported) -> (usize, usize, usize, usize, usize, Vec<(String, &'static str)>) {
    let left = imported.not_taken.iter().map(|left| (left.name.clone(), left.code.name())).collect();
    let Imported { born, superseded, unchanged, versions, letter_files, .. } = imported;
    (*born, *superseded, *unchanged, *versions, letter_files.len(), left)
}

#[test] // spec: MEM-42, MEM-6, MEM-42d
fn a_mixed_store_of_another_tool_is_sorted_as_copies() {
    let (disk, memory) = world();
    let theirs = files_below(&disk, M1ND);
    let before = files_below(&disk, "/");
    let plan = import(&memory, CHERRY, M1ND, true, true);
    assert_eq!(files_below(&disk, "/"), before, "a plan changes nothing");
    let outcomes: Vec<_> = plan.rows.iter().map(|row| (row.label.as_deref().unwrap(), row.outcome)).collect();
    assert!(outcomes.contains(&("Hall", "born")) && outcomes.contains(&("Hall", "version")), "{outcomes:?}");

    let done = import(&memory, CHERRY, M1ND, true, false);
    assert_eq!(summary(&done), summary(&plan), "as planned");
    assert_eq!(done.born, 5);
    let left: Vec<_> = done.not_taken.iter().map(|left| (left.name.as_str(), left.code.name())).collect();
    assert_eq!(left, [("torn.light.md", "claim.unreadable"), ("pit.light.md", "import.unsorted")]);
    assert!(done.not_taken[1].why.contains("/src/nobody"), "{:?}", done.not_taken);
    let fixes: Vec<_> = done.not_taken.iter().map(|left| left.fix.clone().unwrap()).collect();
    assert!(
        fixes[0].contains("mend the file") && fixes[1].contains("brainstem bootstrap /src/nobody"),
        "{fixes:?}"
    );
    // What nobody can place lay before all projects, and stays there, flagged with what places it.
    let flagged: Vec<_> = done.flagged.iter().map(|one| (one.label.as_str(), one.fix.to_string())).collect();
    assert_eq!(flagged, [("Whose", "brainstem migrate apply --decide 'Whose=BRAIN'".to_owned())]);
    assert!(memory.look_at(&caller(MAKER, PLUM), "Whose", Tier::Medulla).unwrap().claim.is_some());
    assert_eq!(done.letter_files, [Path::new(M1ND).join("field-reports.jsonl")]);
    let gaps: Vec<_> = done.gaps.iter().map(|gap| gap.name).collect();
    assert_eq!(gaps, ["versions_left"]);
    assert_eq!(files_below(&disk, M1ND), theirs, "copies only");

    let live = |root, label, tier| memory.look_at(&caller(MAKER, root), label, tier).unwrap();
    let hall = live(CHERRY, "Hall", Tier::Project);
    assert_eq!(hall.history.len(), 1);
    let origin = memory.begin(&caller(MAKER, CHERRY)).unwrap().brain.origin();
    assert_eq!(hall.claim.unwrap().origin_brain, Some(origin), "no path of a machine");
    for label in ["Press", "Pit aaaa"] {
        let claim = live(PLUM, label, Tier::Project).claim.unwrap();
        assert_eq!((claim.origin_brain, claim.source_agent.as_deref()), (None, Some("m1nd:scout")));
    }
    assert_eq!(live(PLUM, "Tabs", Tier::Medulla).claim.unwrap().lifecycle.as_str(), "unknown");

    let before = files_below(&disk, HOME);
    let again = import(&memory, CHERRY, M1ND, true, false);
    assert_eq!((again.born, again.superseded, again.unchanged, again.versions), (0, 0, 5, 0));
    assert_eq!(files_below(&disk, HOME), before, "a second import changes nothing");
}

#[test] // spec: MEM-42, MEM-42d
fn the_folder_of_a_repository_is_taken_into_its_own_brain() {
    let (disk, memory) = world();
    let plan = import(&memory, PLUM, ".m1nd", false, true);
    assert_eq!((plan.born, plan.rows.len(), plan.letter_files.len()), (1, 1, 1), "{plan:?}");
    assert!(plan.rows[0].to.starts_with("plum@"));
    let theirs = files_below(&disk, "/src/plum/.m1nd");
    let done = import(&memory, PLUM, ".m1nd", false, false);
    assert_eq!((done.born, done.rows.len(), done.letter_files.len()), (1, 0, 1));
    assert!(done.gaps.is_empty(), "{:?}", done.gaps);
    // Named by its innermost folder, the letters beside it are found too.
    assert_eq!(import(&memory, PLUM, ".m1nd/agent-memory", false, true).letter_files.len(), 1);
    assert_eq!(files_below(&disk, "/src/plum/.m1nd"), theirs);
    let seed = memory.look_at(&caller(MAKER, PLUM), "Seed", Tier::Project).unwrap().claim.unwrap();
    assert_eq!(seed.origin_brain, None, "unknown stays unknown");
}

#[test] // spec: MEM-42
fn a_home_of_another_tool_that_is_not_sorted_names_what_it_passes_over() {
    let (_, memory) = world();
    let plan = import(&memory, CHERRY, M1ND, false, true);
    assert_eq!(plan.born, 4, "{plan:?}");
    assert!(
        plan.gaps
            .iter()
            .any(|gap| gap.name == "brains_passed_over" && gap.detail.to_string().starts_with("2 "))
    );
    let ask = |path: &str, tier: Option<&str>| {
        let tier = tier.map(str::to_owned);
        let request = ImportRequest { path: path.into(), from: None, tier, sort: true, dry_run: false };
        Transfer::new(&memory).import(&caller(MAKER, CHERRY), &request, &|_, _| true)
    };
    assert_eq!(code(ask(M1ND, Some("medulla"))), "input.bad_value");
    assert_eq!(code(ask(&format!("{M1ND}/field-reports.jsonl"), None)), "input.bad_value");
}

#[test] // spec: MEM-42, MEM-15, MEM-42d
fn a_dry_run_makes_no_home_and_needs_a_brain_all_the_same() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    disk.write_raw(format!("{M1ND}/agent-memory/tabs.light.md"), legacy("Tabs", "", "x").as_bytes());
    let before = disk.dump();
    let request = |tier: Option<&str>| ImportRequest {
        path: M1ND.into(),
        from: None,
        tier: tier.map(str::to_owned),
        sort: false,
        dry_run: true,
    };
    let ask = |tier| Transfer::new(&memory).import(&caller(MAKER, CHERRY), &request(tier), &|_, _| true);
    assert_eq!(code(ask(None)), "memory.brainless_root");
    assert_eq!(ask(Some("medulla")).unwrap().born, 1);
    assert_eq!(disk.dump(), before);
}

#[test] // spec: MEM-14, MEM-42
fn a_claim_that_is_refused_is_not_said_to_wait_in_the_medulla() {
    let (disk, memory) = world();
    // Built from pieces, so that no scanner takes this file for a leak.
    let secret = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    disk.write_raw("/src/in/sec.light.md", legacy("Sec", "", &secret).as_bytes());
    disk.write_raw("/src/in/whose.light.md", legacy("Whose else", "", "Of nobody.").as_bytes());
    for dry_run in [true, false] {
        let done = import(&memory, CHERRY, "/src/in", true, dry_run);
        let refused: Vec<_> = done.not_taken.iter().map(|left| left.code.name()).collect();
        assert_eq!(refused, ["hygiene.secret"], "{done:?}");
        let waiting: Vec<_> = done.flagged.iter().map(|flagged| flagged.label.as_str()).collect();
        assert_eq!(waiting, ["Whose else"], "{dry_run}");
    }
}

//! What is exported comes back, and what others wrote is taken in as it is.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, START, Short as _, caller, claim, clock, code, doctrine, files_below,
    how_sure, service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk, SimDisk};
use brainstem_memory::{BootstrapRequest, MemorizeRequest, Memory, Tier};
use brainstem_transfer::{ExportRequest, ExportScope, Exported, Format, ImportRequest, Imported, Transfer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn export(memory: &Memory, scope: ExportScope, format: Format, out: &str) -> Exported {
    let request = ExportRequest { scope, format, out: Some(out.into()) };
    Transfer::new(memory).export(&caller(MAKER, CHERRY), &request, &|_, _| ()).unwrap()
}

fn import(memory: &Memory, root: &str, path: &str) -> Imported {
    let request = ImportRequest { path: path.into(), from: None, tier: None, sort: false, dry_run: false };
    Transfer::new(memory).import(&caller(MAKER, root), &request, &|_, _| true).unwrap()
}

fn filled() -> (SimDisk, Memory) {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    for text in ["one", "two", "three"] {
        memory.tell(&maker, "Cache", text).unwrap();
        clock.advance(1_000);
    }
    memory.take_back(&maker, "Cache").unwrap();
    memory.tell(&maker, "Cache", "Größe ```\n\u{1b}").unwrap();
    memory.tell(&maker, "Gone", "taken back").unwrap();
    memory.take_back(&maker, "Gone").unwrap();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    (disk, memory)
}

/// The claims and versions of the cherry brain and of the medulla, by their place in the store.
fn stores(disk: &SimDisk) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = files_below(disk, HOME).into_iter();
    files.filter(|(path, _)| path.to_string_lossy().ends_with(".light.md")).collect()
}

#[test] // spec: IF-7, MEM-47
fn an_import_that_is_taken_back_after_any_claim_is_completed_by_its_repeat() {
    let (disk, memory) = filled();
    export(&memory, ExportScope::All, Format::JsonLines, "/src/all.jsonl");
    let lines = disk.dump().remove(Path::new("/src/all.jsonl")).unwrap();
    let request =
        ImportRequest { path: "/src/all.jsonl".into(), from: None, tier: None, sort: false, dry_run: false };
    let mut stopped = 0;
    for stop_after in 1.. {
        let fresh = two_repositories();
        fresh.write_raw("/src/all.jsonl", &lines);
        let there = service(Arc::new(fresh.clone()), &clock());
        there.bootstrap(&caller(MAKER, CHERRY), &BootstrapRequest::default()).unwrap();
        let asked =
            Transfer::new(&there).import(&caller(MAKER, CHERRY), &request, &|done, _| done < stop_after);
        let done = asked.is_ok();
        if !done {
            assert_eq!(code(asked), "input.cancelled");
            assert_ne!(stores(&fresh), stores(&disk), "it stopped after {stop_after}");
            stopped += 1;
        }
        import(&there, CHERRY, "/src/all.jsonl");
        assert_eq!(stores(&fresh), stores(&disk), "stopped after {stop_after}");
        let shown = there.look_at(&caller(MAKER, CHERRY), "Gone", Tier::Project).unwrap();
        assert_eq!(shown.history[0].retracted.as_ref().unwrap().deed().reason(), Some("it was wrong"));
        if done {
            break;
        }
    }
    assert_eq!(stopped, 5, "six are taken, and who stops after the last has all");
}

#[test] // spec: MEM-47
fn an_export_comes_back_byte_for_byte_in_an_empty_home() {
    let (disk, memory) = filled();
    for out in ["/src/all.jsonl", "/src/again.jsonl"] {
        let done = export(&memory, ExportScope::All, Format::JsonLines, out);
        assert_eq!((done.stores, done.claims, done.versions), (2, 2, 4), "{done:?}");
        assert_eq!(done.gaps, []);
    }
    let lines = disk.dump().remove(Path::new("/src/all.jsonl")).unwrap();
    let text = String::from_utf8(lines.clone()).unwrap();
    assert!(!text.contains(HOME) && !text.contains(CHERRY), "no path of this machine: {text}");

    let fresh = two_repositories();
    fresh.write_raw("/src/all.jsonl", &lines);
    let there = service(Arc::new(fresh.clone()), &clock());
    there.bootstrap(&caller(MAKER, CHERRY), &BootstrapRequest::default()).unwrap();
    let first = import(&there, CHERRY, "/src/all.jsonl");
    assert_eq!((first.born, first.superseded, first.unchanged, first.versions), (2, 0, 0, 4), "{first:?}");
    assert_eq!(first.not_taken, []);
    assert_eq!(stores(&fresh), stores(&disk), "the same bytes under the same names");
    let shown = there.look_at(&caller(MAKER, CHERRY), "Gone", Tier::Project).unwrap();
    assert_eq!(shown.history[0].retracted.as_ref().unwrap().deed().reason(), Some("it was wrong"));

    let before = files_below(&fresh, HOME);
    let second = import(&there, CHERRY, "/src/all.jsonl");
    assert_eq!(
        (second.born, second.superseded, second.unchanged, second.versions, second.acts),
        (0, 0, 2, 0, 0)
    );
    assert_eq!(files_below(&fresh, HOME), before, "a second import changes nothing");
    // Nor into the brain it came from.
    let home_again = import(&memory, CHERRY, "/src/all.jsonl");
    assert_eq!((home_again.born, home_again.superseded, home_again.versions), (0, 0, 0), "{home_again:?}");
}

#[test] // spec: MEM-47
fn a_copy_of_the_folder_comes_back_too_and_a_copy_of_all_is_a_home() {
    let (disk, memory) = filled();
    export(&memory, ExportScope::Project, Format::Folder, "/src/copy");
    export(&memory, ExportScope::All, Format::Folder, "/src/home-copy");
    for (out, format) in [("/src/copy", Format::Folder), ("/src/copy", Format::JsonLines)] {
        let request = ExportRequest { scope: ExportScope::Project, format, out: Some(out.into()) };
        assert_eq!(
            code(Transfer::new(&memory).export(&caller(MAKER, CHERRY), &request, &|_, _| ())),
            "export.taken"
        );
    }
    memory.begin(&caller(MAKER, PLUM)).unwrap();
    let taken = import(&memory, PLUM, "/src/copy");
    assert_eq!((taken.born, taken.versions, taken.not_taken.len()), (1, 4, 0), "{taken:?}");
    let shown = memory.look_at(&caller(MAKER, PLUM), "Cache", Tier::Project).unwrap();
    assert_eq!((shown.claim.unwrap().text.as_str(), shown.history.len()), ("Größe ```\n\u{1b}", 3));
    let again = import(&memory, PLUM, "/src/copy");
    assert_eq!((again.born, again.superseded, again.versions, again.acts), (0, 0, 0, 0));

    let copied =
        crate::world::service_at(Arc::new(disk.clone()), &clock(), Path::new("/src/home-copy"), None);
    let both = copied.all(&caller(MAKER, CHERRY));
    let labels: Vec<_> = both.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!((labels, both.gaps), (vec!["Cache", "Tabs"], vec![]));
    let whole =
        ImportRequest { path: "/src/home-copy".into(), from: None, tier: None, sort: false, dry_run: false };
    assert_eq!(
        code(Transfer::new(&memory).import(&caller(MAKER, PLUM), &whole, &|_, _| true)),
        "input.bad_value"
    );
}

const FOREIGN: &str = "---\nProtocol: L1GHT/1.0\nNode: Cache\nState: verified\nCreated: 1700000000000\nSource-Agent: m1nd:scout\nX-Tool: kept\n---\n\n# Cache\n\nFrom elsewhere.\n";

#[test] // spec: MEM-42
fn the_store_of_another_tool_is_copied_and_the_stronger_claim_stands() {
    // Born after what is live here: an earlier one belongs into history.
    let foreign = FOREIGN.replace("1700000000000", &(START + 100).to_string());
    let disk = two_repositories();
    let store = Path::new("/home/ana/.m1nd/agent-memory");
    let weak = foreign.replace("Cache", "Retry").replace("verified", "authored");
    disk.write_raw(store.join("any-name.light.md"), foreign.as_bytes());
    disk.write_raw(store.join("retry.light.md"), weak.as_bytes());
    disk.write_raw(store.join("new.light.md"), weak.replace("Retry", "New").as_bytes());
    disk.write_raw(store.join("broken.light.md"), b"no claim");
    disk.write_raw(store.join("notes.txt"), b"not looked at");
    let theirs = files_below(&disk, "/home/ana/.m1nd");
    let memory = service(Arc::new(disk.clone()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Cache", "ours").unwrap();
    let strong = MemorizeRequest { confidence: how_sure("high"), ..claim("Retry", "ours") };
    memory.memorize(&maker, &strong).unwrap();

    let done = import(&memory, CHERRY, "/home/ana/.m1nd");
    assert_eq!((done.born, done.superseded, done.unchanged), (1, 1, 0), "{done:?}");
    let named: Vec<_> = done.not_taken.iter().map(|n| (n.name.as_str(), n.code.name())).collect();
    assert_eq!(named, [("broken.light.md", "claim.unreadable"), ("retry.light.md", "claim.would_downgrade")]);
    let new = memory.look_at(&maker, "New", Tier::Project).unwrap().claim.unwrap();
    assert_eq!((new.created.unwrap().ms(), new.source_agent.as_deref()), (START + 100, Some("m1nd:scout")));
    let bytes = disk.dump().remove(&new.path).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), weak.replace("Retry", "New"), "byte for byte");
    let cache = memory.look_at(&maker, "Cache", Tier::Project).unwrap();
    assert_eq!(cache.claim.unwrap().text, "From elsewhere.");
    assert_eq!(cache.history[0].text, "ours", "what was superseded is kept");
    assert_eq!(files_below(&disk, "/home/ana/.m1nd"), theirs, "copies only");

    let before = files_below(&disk, HOME);
    let again = import(&memory, CHERRY, "/home/ana/.m1nd");
    assert_eq!((again.born, again.superseded, again.unchanged, again.not_taken.len()), (0, 0, 2, 2));
    assert_eq!(files_below(&disk, HOME), before);
    // What was taken back here is not brought back by importing it once more.
    memory.take_back(&maker, "New").unwrap();
    import(&memory, CHERRY, "/home/ana/.m1nd");
    assert!(memory.look_at(&maker, "New", Tier::Project).unwrap().claim.is_none());
}

#[test] // spec: MEM-42, MEM-47
fn an_older_claim_of_a_folder_goes_into_history_with_its_date_and_author() {
    let disk = two_repositories();
    disk.write_raw("/src/old/cache.light.md", FOREIGN.as_bytes());
    let memory = service(Arc::new(disk.clone()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Cache", "ours").unwrap();
    let request =
        |dry_run| ImportRequest { path: "/src/old".into(), from: None, tier: None, sort: false, dry_run };
    for dry_run in [true, false] {
        let done = Transfer::new(&memory).import(&maker, &request(dry_run), &|_, _| true).unwrap();
        assert_eq!((done.born, done.superseded, done.versions), (0, 0, 1), "{done:?}");
        assert_eq!(done.gaps[0].name, "earlier_version", "{done:?}");
        assert!(done.gaps[0].detail.contains("is younger than the one that is imported"), "{done:?}");
    }
    let shown = memory.look_at(&maker, "Cache", Tier::Project).unwrap();
    assert_eq!(shown.claim.unwrap().text, "ours");
    let past = &shown.history[0];
    assert_eq!((past.text.as_str(), past.source_agent.as_deref()), ("From elsewhere.", Some("m1nd:scout")));
    assert_eq!(past.created.map(|at| at.ms()), Some(1_700_000_000_000));
    let again = Transfer::new(&memory).import(&maker, &request(false), &|_, _| true).unwrap();
    assert_eq!((again.superseded, again.versions, again.unchanged), (0, 0, 1), "{again:?}");
}

#[test] // spec: MEM-47
fn the_brains_of_an_export_go_where_they_belong() {
    let (disk, memory) = filled();
    memory.begin(&caller(MAKER, PLUM)).unwrap();
    memory.tell(&caller(MAKER, PLUM), "Plum fact", "only here").unwrap();
    export(&memory, ExportScope::All, Format::JsonLines, "/src/all.jsonl");
    // Both brains are in this home: each to its own, whoever imports.
    let done = import(&memory, PLUM, "/src/all.jsonl");
    assert_eq!((done.born, done.unchanged, done.gaps.len()), (0, 3, 0), "{done:?}");

    let fresh = two_repositories();
    fresh.write_raw("/src/all.jsonl", &disk.dump().remove(Path::new("/src/all.jsonl")).unwrap());
    let there = service(Arc::new(fresh.clone()), &clock());
    let maker = caller(MAKER, PLUM);
    there.begin(&maker).unwrap();
    let before = fresh.dump();
    let ask = |from: Option<&str>| {
        let from = from.map(str::to_owned);
        Transfer::new(&there).import(
            &maker,
            &ImportRequest { path: "/src/all.jsonl".into(), from, tier: None, sort: false, dry_run: false },
            &|_, _| true,
        )
    };
    // Neither is of this home: which one is meant is for the caller to say, and nothing is mixed.
    for refused in [ask(None), ask(Some("grape@00000000"))].map(Result::unwrap_err) {
        let fix = refused.fix().unwrap();
        assert!(
            ["--from cherry@", "--from plum@", "--from medulla"].iter().all(|one| fix.contains(one)),
            "{fix}"
        );
        assert_eq!(code(Err::<(), _>(refused)), "input.bad_value");
    }
    assert_eq!(fresh.dump(), before, "nothing was written");
    let fix = ask(None).unwrap_err().fix().unwrap().to_string();
    let origin = fix.split([' ', ',']).find(|name| name.starts_with("plum@"));
    assert_eq!(ask(Some("medulla")).unwrap().born, 1);
    let request = ImportRequest {
        path: "/src/all.jsonl".into(),
        from: origin.map(str::to_owned),
        tier: None,
        sort: false,
        dry_run: false,
    };
    let found = Transfer::new(&there).import(&maker, &request, &|_, _| true).unwrap();
    assert_eq!((found.born, found.gaps.len()), (1, 0), "{found:?}");
    assert_eq!(there.look_at(&maker, "Plum fact", Tier::Project).unwrap().claim.unwrap().text, "only here");
}

#[test] // spec: MEM-47
fn a_version_that_was_superseded_while_it_was_exported_comes_back_live() {
    let (disk, memory) = filled();
    export(&memory, ExportScope::Project, Format::JsonLines, "/src/one.jsonl");
    let lines = String::from_utf8(disk.dump().remove(Path::new("/src/one.jsonl")).unwrap()).unwrap();
    let live = lines.lines().find(|line| line.contains("\"live\"")).unwrap();
    let also = live
        .replace("\"live\"", "\"superseded\"")
        .replace("cache.light.md", "cache.1783209434408.light.md")
        .replace("State: authored", "State: outdated");
    let fresh = two_repositories();
    fresh.write_raw("/src/one.jsonl", format!("{lines}{also}\n").as_bytes());
    let there = service(Arc::new(fresh), &clock());
    there.begin(&caller(MAKER, CHERRY)).unwrap();
    assert_eq!(import(&there, CHERRY, "/src/one.jsonl").born, 1);
    let shown = there.look_at(&caller(MAKER, CHERRY), "Cache", Tier::Project).unwrap();
    assert_eq!((shown.claim.is_some(), shown.history.len()), (true, 3));
}

#[test] // spec: MEM-47
fn what_is_no_export_is_refused() {
    let (disk, memory) = filled();
    let maker = caller(MAKER, CHERRY);
    disk.write_raw("/src/lines.jsonl", b"{\"label\":\"x\",\"text\":\"y\"}\n");
    disk.write_raw(
        "/src/newer.jsonl",
        b"{\"type\":\"export\",\"format\":\"brainstem-export\",\"version\":9}\n",
    );
    disk.make_dirs("/src/empty");
    for (path, expected) in [
        ("/src/lines.jsonl", "input.bad_value"),
        ("/src/newer.jsonl", "input.bad_value"),
        ("/src/nothing", "input.unreadable"),
    ] {
        let request =
            ImportRequest { path: path.into(), from: None, tier: None, sort: false, dry_run: false };
        assert_eq!(code(Transfer::new(&memory).import(&maker, &request, &|_, _| true)), expected, "{path}");
    }
    assert_eq!(import(&memory, CHERRY, "/src/empty").gaps[0].name, "empty");
    let unread = Transfer::new(&memory).export(
        &maker,
        &ExportRequest { scope: ExportScope::Project, format: Format::Folder, out: None },
        &|_, _| (),
    );
    assert_eq!(unread.unwrap_err().code().name(), "input.missing");
    assert!(disk.list(Path::new("/src/empty")).unwrap().is_empty());
}

#[test] // spec: MEM-14, MEM-42
fn a_secret_in_an_act_is_not_imported_and_never_repeated() {
    let (disk, memory) = filled();
    export(&memory, ExportScope::Project, Format::JsonLines, "/src/all.jsonl");
    let lines = String::from_utf8(disk.dump().remove(Path::new("/src/all.jsonl")).unwrap()).unwrap();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let doctored = lines.replace("it was wrong", &format!("the token was {secret}"));
    assert_ne!(doctored, lines, "a reason is in the export");

    let (other, clock) = (two_repositories(), clock());
    other.write_raw("/src/doctored.jsonl", doctored.as_bytes());
    let memory = service(Arc::new(other.clone()), &clock);
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    let request = ImportRequest {
        path: "/src/doctored.jsonl".into(),
        from: None,
        tier: None,
        sort: false,
        dry_run: false,
    };
    let imported = Transfer::new(&memory).import(&caller(MAKER, CHERRY), &request, &|_, _| true).unwrap();
    assert!(imported.not_taken.iter().any(|left| left.code.name() == "hygiene.secret"), "{imported:?}");
    assert!(!format!("{imported:?}").contains(&secret));
    for (path, bytes) in files_below(&other, HOME) {
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "{}", path.display());
    }
}

#[test] // spec: MEM-14
fn a_beat_does_not_repeat_a_secret_of_its_task() {
    let (_, memory) = filled();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let beat = memory.beat(&caller(MAKER, CHERRY), &format!("why is {secret} refused?"));
    assert!(!beat.task.contains(&secret) && beat.task.starts_with("why is "), "{}", beat.task);
}

#[test] // spec: MEM-47, MEM-34
fn a_promoted_claim_comes_back_with_its_birth_and_what_was_taken_back_stays_so() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    for label in ["Fact", "Gone"] {
        memory.tell(&maker, label, "Zulu.").unwrap();
        clock.advance(1_000);
        crate::promoted::promote(&memory, &caller(PERSON, CHERRY), label).unwrap();
        crate::promoted::judge_wrong(&memory, &caller(PERSON, CHERRY), label);
        clock.advance(1_000);
    }
    export(&memory, ExportScope::All, Format::JsonLines, "/src/all.jsonl");
    memory.take_back(&maker, "Gone").unwrap();
    assert_eq!(import(&memory, CHERRY, "/src/all.jsonl").born, 0);
    assert!(memory.look_at(&maker, "Gone", Tier::Project).unwrap().claim.is_none(), "taken back here");

    let lines = disk.dump().remove(Path::new("/src/all.jsonl")).unwrap();
    let fresh = two_repositories();
    fresh.write_raw("/src/all.jsonl", &lines);
    let there = service(Arc::new(fresh.clone()), &clock);
    there.begin(&maker).unwrap();
    let taken = import(&there, CHERRY, "/src/all.jsonl");
    assert_eq!((taken.born, taken.unchanged, taken.not_taken.len()), (2, 0, 0), "{taken:?}");
    let (was, is) =
        (memory.look_at(&maker, "Fact", Tier::Project), there.look_at(&maker, "Fact", Tier::Project));
    let (was, is) = (was.unwrap(), is.unwrap());
    let (was_row, is_row) = (was.claim.as_ref().unwrap(), is.claim.as_ref().unwrap());
    assert_eq!((is_row.created, &is_row.text), (was_row.created, &was_row.text));
    assert_eq!(is.sharing, was.sharing);
    let before = stores(&fresh);
    let versions = before.keys().filter(|path| path.to_string_lossy().contains("fact.")).count();
    assert_eq!(versions, 3, "the claim, the file before its stamp, and the medulla's copy in history");
    assert_eq!(import(&there, CHERRY, "/src/all.jsonl").unchanged, 2);
    assert_eq!(stores(&fresh), before);
}

#[test] // spec: IF-7, MEM-47
fn what_says_the_same_and_is_another_version_is_named_with_what_differs() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Cache", "ours").unwrap();
    let (_, file) = stores(&disk).into_iter().next().unwrap();
    let file = String::from_utf8(file).unwrap();
    let request =
        |dry_run| ImportRequest { path: "/src/old".into(), from: None, tier: None, sort: false, dry_run };
    disk.write_raw("/src/old/cache.light.md", file.as_bytes());
    let same = Transfer::new(&memory).import(&maker, &request(false), &|_, _| true).unwrap();
    assert_eq!((same.unchanged, same.gaps.len()), (1, 0), "the very same version: {same:?}");
    let born = START.to_string();
    assert!(file.contains(&born), "{file}");
    let later = file.replace(&born, &(START + 1_000).to_string());
    disk.write_raw("/src/old/cache.light.md", later.as_bytes());
    for dry_run in [true, false] {
        let done = Transfer::new(&memory).import(&maker, &request(dry_run), &|_, _| true).unwrap();
        assert_eq!((done.born, done.superseded, done.versions, done.unchanged), (0, 0, 0, 1), "{done:?}");
        assert_eq!(done.gaps[0].name, "imported_alike", "{done:?}");
        assert!(done.gaps[0].detail.contains("another version by its time of birth"), "{done:?}");
    }
}

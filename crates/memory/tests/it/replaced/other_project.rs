//! Another project at the path sees nothing of the one before it.

use super::{BOTH, Kept, OURS, SECRET, apart, other_project, project, same, told};
use crate::place::Place;
use crate::world::{PERSON, Short as _, caller, doctrine};
use brainstem_base::Coded as _;
use brainstem_memory::{BootstrapRequest, BrainWish, InitRequest, Tier};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Transfer};

#[test] // spec: MEM-1, MEM-21
fn a_new_repository_where_one_was_deleted_sees_nothing_of_it_and_nothing_is_lost() {
    for kept in BOTH {
        let place = Place::new();
        project(&place, "src/cherry", kept);
        let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
        place.delete("src/cherry");
        other_project(&place, "src/cherry");
        apart(&place, "src/cherry", &origin);
        // All of it is there for who asks for all brains.
        let all = place.memory().find(&place.in_("src/cherry"), "merger", Tier::AllBrains);
        let groups: Vec<_> = all.groups.unwrap().into_iter().map(|group| group.origin_brain).collect();
        match kept {
            Kept::Home => assert_eq!(groups, [origin.as_str()]),
            // The copies are named, and no claim is live.
            Kept::Repository => {
                assert!(all.gaps.iter().any(|gap| gap.name == "absent_here"), "{:?}", all.gaps)
            }
        }

        // It gets a brain of its own, and the other one stays apart.
        let made = place.memory().begin(&place.in_("src/cherry")).unwrap();
        assert!(!made.existed && made.notes[0].contains(&origin), "{:?}", made.notes);
        assert_ne!(made.brain.manifest.id.to_string(), id);
        assert_eq!(place.found("src/cherry"), [] as [String; 0]);
        place.tell("src/cherry", "New", "of the new one");
        assert_eq!(place.found("src/cherry"), ["of the new one"]);
        if kept == Kept::Repository {
            let done = place.memory().init(&place.in_("src/cherry"), &InitRequest::default()).unwrap();
            assert_eq!(done.restored, [] as [String; 0], "nothing of the old one comes back");
            assert_eq!(place.found("src/cherry"), ["of the new one"]);
        }
        let brains = place.memory().brains(&place.in_("src/cherry")).unwrap().brains;
        let mut rows: Vec<_> = brains.iter().map(|row| (row.here, row.replaced, row.claims)).collect();
        rows.sort();
        assert_eq!(rows, [(false, true, Some(1)), (true, false, Some(1))]);
    }
}

#[test] // spec: MEM-1, MEM-21
fn another_project_that_began_with_the_same_commit_is_another_project() {
    let place = Place::new();
    place.repository("src/template");
    place.git("src", &["clone", "-q", "template", "cherry"]);
    place.begin("src/cherry");
    place.write("src/cherry/work", "for the first client");
    place.commit("src/cherry");
    place.tell("src/cherry", "Merger", OURS);
    place.memory().count_call(place.in_("src/cherry").place(), None);
    let origin = place.origin("src/cherry");
    place.delete("src/cherry");
    place.git("src", &["clone", "-q", "template", "cherry"]);
    apart(&place, "src/cherry", &origin);
}

/// Makes the record of the only brain say that it was made of the folder that is at a path now, on this device or on
/// another: as on two volumes that were made from one image.
fn record_as(place: &Place, dir: &str, on_device: bool) {
    use brainstem_base::Disk as _;
    let folders = std::fs::read_dir(place.at("home/.brainstem/project-brains")).unwrap();
    let folder = folders.map(|entry| entry.unwrap().path()).next().unwrap();
    let path = folder.join("root.json");
    let mut record: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let stat = brainstem_base::disk::RealDisk.stat(&place.at(dir)).unwrap();
    let identity = stat.identity.expect("the file system tells births");
    record["inode"] = identity.inode.into();
    record["born_ns"] = identity.born_ns.to_string().into();
    record["device"] = (identity.device + u64::from(!on_device)).into();
    std::fs::write(&path, record.to_string()).unwrap();
}

#[test] // spec: MEM-1, MEM-1a, MEM-21
fn a_folder_with_the_number_and_birth_of_a_project_sees_nothing_where_something_speaks_against_it() {
    for (has_git, on_device, is_moved) in
        [(false, true, true), (false, false, false), (true, true, false), (true, false, false)]
    {
        let place = Place::new();
        match has_git {
            true => project(&place, "src/secret", Kept::Home),
            false => {
                std::fs::create_dir(place.at("src/secret")).unwrap();
                place.begin("src/secret");
                place.tell("src/secret", "Merger", OURS);
            }
        }
        let (id, origin) = (place.id("src/secret"), place.origin("src/secret"));
        place.delete("src/secret");
        match has_git {
            true => other_project(&place, "src/public"),
            false => std::fs::create_dir(place.at("src/public")).unwrap(),
        }
        record_as(&place, "src/public", on_device);
        if is_moved {
            same(&place, "src/public", &id);
            continue;
        }
        let (memory, there) = (place.memory(), place.in_("src/public"));
        assert_eq!(place.lands("src/public"), "src/public*", "{has_git} {on_device}");
        assert_eq!(place.found("src/public"), [] as [String; 0]);
        let refused = memory.tell(&there, "New", "text").unwrap_err();
        assert_eq!(refused.code().name(), "memory.root_replaced");
        assert!(refused.to_string().contains("src/secret"), "{refused}");
        assert!(refused.fix().unwrap().contains(&format!("--take-up {origin}")), "{refused:?}");

        // Both ways on lead there.
        if on_device {
            let made = memory.begin(&there).unwrap();
            assert!(!made.existed && made.notes[0].contains(&origin), "{:?}", made.notes);
            place.tell("src/public", "New", "of the new one");
            assert_eq!(place.found("src/public"), ["of the new one"]);
        } else {
            let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
            memory.bootstrap(&there, &request).unwrap();
            same(&place, "src/public", &id);
        }
    }
}

#[test] // spec: MEM-1, MEM-21
fn a_device_that_is_numbered_anew_keeps_the_memory_and_another_volume_at_the_path_does_not() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Home);
    let (id, origin) = (place.id("src/cherry"), place.origin("src/cherry"));
    record_as(&place, "src/cherry", false);
    same(&place, "src/cherry", &id);
    place.tell("src/cherry", "Merger", OURS);
    place.move_to("src/cherry", "src/morello");
    record_as(&place, "src/morello", false);
    assert_eq!((place.id("src/morello"), place.found("src/morello")), (id, vec![OURS.to_owned()]));
    place.move_to("src/morello", "src/cherry");
    assert_eq!(place.found("src/cherry"), [OURS]);

    place.memory().count_call(place.in_("src/cherry").place(), None);
    place.delete("src/cherry");
    other_project(&place, "src/cherry");
    for on_device in [false, true] {
        record_as(&place, "src/cherry", on_device);
        apart(&place, "src/cherry", &origin);
    }
}

#[test] // spec: MEM-1a, MEM-21
fn another_project_from_the_same_template_sees_nothing_of_the_one_before_it() {
    let place = Place::new();
    place.repository("src/template");
    let begin = |url: &str| {
        place.git("src", &["clone", "-q", "template", "app"]);
        place.git("src/app", &["remote", "set-url", "origin", url]);
    };
    begin("https://example.org/acme/app.git");
    place.begin("src/app");
    place.tell("src/app", "Merger", OURS);
    let (id, origin) = (place.id("src/app"), place.origin("src/app"));
    place.delete("src/app");
    begin("https://example.org/rival/app.git");
    apart(&place, "src/app", &origin);

    place.delete("src/app");
    begin("git@example.org:acme/app.git");
    same(&place, "src/app", &id);
    place.tell("src/app", "Merger", OURS);

    // A fork that goes on with the same memory says so.
    place.delete("src/app");
    begin("https://example.org/fork/app.git");
    apart(&place, "src/app", &origin);
    let request = BootstrapRequest { brain: BrainWish::TakeUp(origin), ..Default::default() };
    place.memory().bootstrap(&place.in_("src/app"), &request).unwrap();
    same(&place, "src/app", &id);
}

#[test] // spec: MEM-1a, MEM-2, MEM-21
fn a_repository_of_another_origin_that_carries_the_brains_id_gets_what_is_committed_in_it_alone() {
    let place = Place::new();
    place.repository("src/template");
    place.begin("src/template");
    place.init("src/template");
    place.tell("src/template", "Style", "four spaces");
    place.commit_all("src/template");
    let begin = |from: &str, url: &str| {
        place.git("src", &["clone", "-q", from, "app"]);
        place.git("src/app", &["remote", "set-url", "origin", url]);
    };
    begin("template", "https://example.org/acme/app.git");
    place.tell("src/app", "Merger", OURS);
    assert_eq!(place.found("src/app"), ["four spaces", OURS]);
    place.delete("src/app");

    begin("template", "https://example.org/rival/app.git");
    let (memory, there) = (place.memory(), place.in_("src/app"));
    let text = told(&memory, &there);
    assert!(!text.to_lowercase().contains(&format!("{SECRET} is")) && !text.contains("\"Merger\""), "{text}");
    place.init("src/app");
    assert_eq!(place.found("src/app"), ["four spaces"], "no copy came back");
    place.tell("src/app", "Rival", "of the rival");
    let rows = memory.brains(&there).unwrap().brains;
    let kept: Vec<_> = rows.iter().filter(|row| row.replaced).map(|row| row.claims).collect();
    assert_eq!(kept, [Some(1)], "what came with the clone is in no copy: {rows:?}");

    // The first project finds its own again, and goes on in a mirror that has its commits.
    place.delete("src/app");
    begin("template", "git@example.org:acme/app.git");
    place.init("src/app");
    assert_eq!(place.found("src/app"), ["four spaces", OURS]);
    place.commit_all("src/app");
    place.memory().count_call(place.in_("src/app").place(), None);
    place.git("src", &["clone", "-q", "--bare", "app", "../mirror.git"]);
    place.tell("src/app", "Later", "not committed yet");
    place.delete("src/app");
    begin("../mirror.git", "https://example.org/mirror/app.git");
    place.init("src/app");
    assert_eq!(place.found("src/app"), ["four spaces", "not committed yet", OURS]);
}

#[test] // spec: MEM-1, MEM-21
fn letters_mail_news_and_migrations_take_nothing_of_the_new_folder_for_the_old_project() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Repository);
    place.delete("src/cherry");
    other_project(&place, "src/cherry");
    // Files that look like the memory of the old project, and are of the new one.
    place.write(
        "src/cherry/.brainstem/agent-memory/new.light.md",
        "---\nProtocol: L1GHT/1.0\nNode: New\n---\n# New\n",
    );
    let memory = place.memory();
    let roster = memory.home().roster().unwrap();
    assert_eq!((roster.brains.len(), roster.displaced.len(), roster.broken.len()), (0, 1, 0));
    let store = memory.home().displaced_store(&roster.displaced[0]);
    for path in [&store.paths().claims, &store.paths().acts, &store.paths().history] {
        assert!(path.starts_with(place.at("home/.brainstem")), "{}", path.display());
    }
    assert_eq!(memory.instances().brains.len(), 1);
    assert!(memory.instances().brains[0].1.replaced);
    let person = caller(PERSON, place.at("src/cherry"));
    memory.memorize(&person, &doctrine("Merger", "of the medulla")).unwrap();
    let moved = Transfer::new(&memory).migrate_plan(&Default::default()).unwrap();
    assert!(moved.rows.iter().all(|row| row.to.is_none()) && moved.ghosts.is_empty(), "{moved:?}");
}

#[test] // spec: MEM-1, MEM-47
fn an_import_says_that_a_brain_is_kept_whose_folder_was_replaced() {
    let place = Place::new();
    project(&place, "src/cherry", Kept::Repository);
    project(&place, "src/plum", Kept::Home);
    place.delete("src/cherry");
    other_project(&place, "src/cherry");
    let (memory, plum) = (place.memory(), place.in_("src/plum"));
    let out = Some(place.at("all.jsonl"));
    let request = ExportRequest { scope: ExportScope::All, format: Format::JsonLines, out };
    Transfer::new(&memory).export(&plum, &request, &|_, _| ()).unwrap();
    let path = place.at("all.jsonl");
    let request = ImportRequest { path, from: None, tier: None, sort: false, dry_run: false };
    let done = Transfer::new(&memory).import(&plum, &request, &|_, _| true).unwrap();
    let gaps: Vec<&str> = done.gaps.iter().map(|gap| gap.name).collect();
    assert_eq!((gaps, done.born), (vec!["root_replaced"], 0), "{done:?}");
    let detail = &done.gaps[0].detail;
    assert!(detail.contains("is kept in this home") && detail.contains("--take-up"), "{detail}");
}

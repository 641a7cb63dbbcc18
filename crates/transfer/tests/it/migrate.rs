//! A mixed store is sorted: one claim, one row, one destination; nothing is lost, and it can be undone.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, START, Short as _, caller, clock, code, files_below, service,
    two_repositories,
};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_base::hash;
use brainstem_memory::{
    Caller, InitRequest, LearnRequest, Memory, MemoryError, PromoteRequest, Tier, Verdict, WriteTier,
};
use brainstem_transfer::{
    ImportRequest, MigrateRequest, MigrateRow, Migration, RolledBack, RowFate, Transfer, mixed_medulla,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The medulla's store.
pub(crate) fn medulla() -> PathBuf {
    Path::new(HOME).join("agent-memory")
}

/// A claim file as it was written before origins were kept.
pub(crate) fn legacy(label: &str, header: &str, body: &str) -> String {
    let born = START - 86_400_000 - label.len() as i64;
    format!(
        "---\nProtocol: L1GHT/1.0\nNode: {label}\nState: authored\nCreated: {born}\nSource-Agent: m1nd:scout\n{header}---\n\n# {label}\n\n{body}\n"
    )
}

pub(crate) fn slug(label: &str) -> String {
    brainstem_claims::ClaimSlug::of(&brainstem_claims::Label::parse(label).unwrap()).to_string()
}

/// Puts a claim into the medulla's store, as another tool has left it.
pub(crate) fn put(disk: &SimDisk, label: &str, header: &str, body: &str) {
    let path = medulla().join(format!("{}.light.md", slug(label)));
    disk.write_raw(path, legacy(label, header, body).as_bytes());
}

/// The store of the source document: 25 claims of several projects, with doctrine among them.
///
/// Of cherry nine, of plum six, doctrine five, five in doubt.
pub(crate) fn mixed() -> (SimDisk, Memory) {
    let disk = two_repositories();
    let clock = clock();
    disk.write_raw(format!("{CHERRY}/src/hall.rs"), b"fn hall() {}\n");
    disk.write_raw(format!("{CHERRY}/README.md"), b"cherry\n");
    disk.write_raw(format!("{PLUM}/src/press.rs"), b"fn press() {}\n");
    disk.write_raw(format!("{PLUM}/README.md"), b"plum\n");
    let memory = service(Arc::new(disk.clone()), &clock);
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
    }
    let cherry = memory.begin(&caller(MAKER, CHERRY)).unwrap().brain.origin();
    let evidence = |path: &str| format!("Something.\n\n[𝔻 evidence: {path}]");
    let hashed = format!("src/press.rs sha256:{}", hash::sha256_hex(b"fn press() {}\n", 64));
    for n in 1..=3 {
        put(&disk, &format!("Slice {n} shipped"), &format!("Origin-Brain: {cherry}\n"), "It is out.");
        put(&disk, &format!("Hall fix {n}"), "", &evidence("src/hall.rs#L1"));
    }
    put(
        &disk,
        "Hall by path",
        &format!("Origin-Brain: {CHERRY}\n"),
        &evidence(&format!("{CHERRY}/src/hall.rs")),
    );
    put(&disk, "Flaky hall", "", &format!("See `{CHERRY}/src/hall.rs`, line 3."));
    put(&disk, "Cherry: naming", "", "Halls are called after trees.");
    for n in 1..=3 {
        put(&disk, &format!("Press {n}"), "Tags: plum\n", "Turn it slowly.");
    }
    put(&disk, "Press hash", "", &evidence(&hashed));
    put(&disk, "Press readme too", "", &format!("{}\n[𝔻 evidence: README.md]", evidence("src/press.rs")));
    put(&disk, "Press text", "", &format!("The file is {PLUM}/src/press.rs."));
    for n in 1..=3 {
        put(&disk, &format!("Doctrine {n}"), "Origin-Brain: medulla\n", "Say plain things plainly.");
    }
    put(&disk, "Tabs", "Tags: preference\n", "Use tabs.");
    put(&disk, "Never push", "Doctrine: absolute\n", "Pull.");
    put(&disk, "Whose is this", "", "Nobody knows.");
    put(&disk, "Both", "", &evidence("README.md"));
    put(&disk, "Elsewhere", "Origin-Brain: grape@00000000\n", "Of another machine.");
    put(&disk, "Cherry hall", "", "Named loosely.");
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    put(&disk, "Leaky", &format!("Origin-Brain: {cherry}\n"), &format!("The token is {secret}."));
    (disk, memory)
}

fn plan(memory: &Memory) -> Migration {
    Transfer::new(memory).migrate_plan(&MigrateRequest::default()).unwrap()
}

pub(crate) fn apply(memory: &Memory) -> Migration {
    Transfer::new(memory)
        .migrate_apply(&caller(PERSON, CHERRY), &MigrateRequest::default(), &|_, _| ())
        .unwrap()
}

pub(crate) fn rollback(memory: &Memory) -> Result<RolledBack, MemoryError> {
    Transfer::new(memory).migrate_rollback(&caller(PERSON, CHERRY), &|_, _| ())
}

pub(crate) fn count(rows: &[MigrateRow], fate: RowFate) -> usize {
    rows.iter().filter(|row| row.fate == fate).count()
}

pub(crate) fn row<'a>(rows: &'a [MigrateRow], label: &str) -> &'a MigrateRow {
    let mut named = rows.iter().filter(|row| row.label == label);
    let found = named.next().unwrap_or_else(|| panic!("{label} has a row"));
    assert!(named.next().is_none(), "{label} has one row");
    found
}

/// Every live claim file, by store and name.
pub(crate) fn live(disk: &SimDisk) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = files_below(disk, "/");
    files.retain(|path, _| {
        let text = path.to_string_lossy();
        text.ends_with(".light.md") && !text.contains("/.history/") && !text.contains("/.kept/")
    });
    files
}

/// Everything but the logs: what must be the same after a rollback.
pub(crate) fn without_logs(disk: &SimDisk) -> BTreeMap<PathBuf, String> {
    let is_log = |path: &Path| path.ends_with("acts.jsonl") || path.ends_with("written-here.txt");
    let files = files_below(disk, "/").into_iter().filter(|(path, _)| !is_log(path));
    files.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// The names of live claims, each in how many stores.
pub(crate) fn places(disk: &SimDisk) -> BTreeMap<String, usize> {
    let mut places = BTreeMap::new();
    for path in live(disk).into_keys() {
        *places.entry(path.file_name().unwrap().to_string_lossy().into_owned()).or_default() += 1;
    }
    places
}

#[test] // spec: MEM-42, MEM-6, MEM-14, MEM-42a
fn twenty_five_mixed_claims_are_sorted_and_none_is_lost() {
    let (disk, memory) = mixed();
    let before = live(&disk);
    assert_eq!(before.len(), 25);

    let planned = plan(&memory);
    assert_eq!(live(&disk), before, "a plan changes nothing");
    assert_eq!(planned.rows.len(), 25, "one claim, one row");
    assert_eq!(count(&planned.rows, RowFate::Moves), 15, "{:#?}", planned.rows);
    assert_eq!(count(&planned.rows, RowFate::Doctrine), 5, "{:#?}", planned.rows);
    assert_eq!(count(&planned.rows, RowFate::Flagged), 5, "{:#?}", planned.rows);
    for (label, why) in [
        ("Whose is this", "nothing says"),
        ("Both", "README.md"),
        ("Elsewhere", "grape@00000000"),
        ("Cherry hall", "names cherry"),
        ("Leaky", "GitHub"),
    ] {
        let flagged = row(&planned.rows, label);
        assert_eq!((flagged.fate, flagged.to.as_ref()), (RowFate::Flagged, None), "{flagged:?}");
        assert!(flagged.reason.contains(why) && !flagged.reason.contains("ghp_"), "{flagged:?}");
    }

    let done = apply(&memory);
    let gates = done.gates.unwrap();
    assert!(gates.hold(), "{gates:?}");
    assert_eq!((gates.before, gates.projects, gates.medulla), (25, 15, 10));
    let after = live(&disk);
    assert_eq!(after.len(), 25, "count conserved");
    assert!(places(&disk).values().all(|stores| *stores == 1), "{:?}", places(&disk));
    for root in [CHERRY, PLUM] {
        let store = memory.begin(&caller(MAKER, root)).unwrap().brain.store_paths().claims;
        let there = after.keys().filter(|path| path.starts_with(&store)).count();
        assert_eq!(there, if root == CHERRY { 9 } else { 6 });
    }
    // Doctrine and doubt are as they were, byte for byte.
    let stayed: Vec<_> = after.iter().filter(|(path, _)| path.starts_with(medulla())).collect();
    assert!(stayed.iter().all(|(path, bytes)| before[*path] == **bytes) && stayed.len() == 10);
    // History keeps every original, byte for byte.
    let history = files_below(&disk, medulla().join(".history"));
    let originals: BTreeSet<&Vec<u8>> = history.values().collect();
    let moved = before.iter().filter(|(path, _)| !after.contains_key(*path));
    assert!(moved.clone().all(|(_, bytes)| originals.contains(bytes)) && moved.count() == 15);
    // Recall finds each in its own project and in no other.
    let find = |root, text: &str| memory.find(&caller(MAKER, root), text, Tier::Both).rows.len();
    assert!(find(CHERRY, "Turn it slowly") == 0 && find(PLUM, "Turn it slowly") == 3);
}

#[test] // spec: MEM-42, MEM-5, MEM-3a, MEM-42b
fn a_moved_claim_keeps_its_birth_and_author_and_its_original_says_where_it_went() {
    let (disk, memory) = mixed();
    apply(&memory);
    let cherry = caller(MAKER, CHERRY);
    let origin = memory.begin(&cherry).unwrap().brain.origin();
    let shown = memory.look_at(&cherry, "Hall by path", Tier::Project).unwrap().claim.unwrap();
    let born = START - 86_400_000 - "Hall by path".len() as i64;
    assert_eq!((shown.created.unwrap().ms(), shown.source_agent.as_deref()), (born, Some("m1nd:scout")));
    // No path of this machine goes along.
    assert_eq!(shown.origin_brain.as_deref(), Some(origin.as_str()));
    assert_eq!(shown.evidence[0].path, "src/hall.rs");
    // What is unknown stays unknown.
    let unknown = memory.look_at(&cherry, "Hall fix 1", Tier::Project).unwrap().claim.unwrap();
    assert_eq!(unknown.origin_brain, None);
    let bytes = disk.dump().remove(&unknown.path).unwrap();
    let body = "Something.\n\n[𝔻 evidence: src/hall.rs#L1]";
    assert_eq!(String::from_utf8(bytes).unwrap(), legacy("Hall fix 1", "", body), "byte for byte");

    let original = memory.look_at(&cherry, "Hall by path", Tier::Medulla).unwrap();
    assert!(original.claim.is_none());
    assert_eq!(original.history[0].lifecycle.as_str(), "moved");
    let act = original.history[0].retracted.clone().unwrap();
    assert_eq!((act.agent(), act.deed().name()), (PERSON, "migrate"));
    let brainstem_claims::Deed::Migrate { moved_to, reason, .. } = act.deed() else {
        panic!("a move: {act:?}")
    };
    assert_eq!(moved_to.as_ref().unwrap().as_str(), format!("{origin}#hall-by-path"));
    assert_eq!(reason.as_deref().unwrap(), format!("moved_to: {origin}#hall-by-path"));
}

#[test] // spec: MEM-42, MEM-42b
fn a_second_apply_changes_nothing_and_a_rollback_restores_every_byte() {
    let (disk, memory) = mixed();
    let before = without_logs(&disk);
    assert_eq!(code(rollback(&memory)), "migrate.nothing");
    assert_eq!(apply(&memory).number, Some(1));
    let applied = files_below(&disk, "/");
    let again = apply(&memory);
    assert_eq!((again.number, count(&again.rows, RowFate::Moved), again.rows.len()), (None, 0, 10));
    assert_eq!(files_below(&disk, "/"), applied, "a second apply changes nothing");

    let back = rollback(&memory).unwrap();
    assert_eq!((back.number, back.rows.len()), (1, 15));
    assert!(back.rows.iter().any(|row| row.label == "Hall fix 1" && row.to.as_deref() == Some("medulla")));
    assert_eq!(without_logs(&disk), before, "byte for byte");
    assert_eq!(code(rollback(&memory)), "migrate.nothing");

    // And there again, and back again.
    assert_eq!(apply(&memory).number, Some(2));
    assert_eq!(live(&disk).len(), 25);
    rollback(&memory).unwrap();
    assert_eq!(without_logs(&disk), before);
    // A write of a label that came back goes on from it.
    memory.memorize(&caller(PERSON, CHERRY), &crate::world::doctrine("Press 1", "Turn it fast.")).unwrap();
    let shown = memory.look_at(&caller(PERSON, CHERRY), "Press 1", Tier::Medulla).unwrap();
    assert_eq!((shown.claim.unwrap().text.as_str(), shown.history.len()), ("Turn it fast.", 1));
}

#[test] // spec: MEM-42, MEM-8, MEM-42a
fn a_name_that_is_taken_is_flagged_and_never_overwritten() {
    let (disk, memory) = mixed();
    let plum = caller(MAKER, PLUM);
    memory.tell(&plum, "Press 1", "ours").unwrap();
    memory.tell(&plum, "Press 2", "ours").unwrap();
    memory.take_back(&plum, "Press 2").unwrap();
    let done = apply(&memory);
    let taken = row(&done.rows, "Press 1");
    assert_eq!(taken.fate, RowFate::Flagged);
    assert!(taken.reason.contains("holds another claim of that name"), "{taken:?}");
    assert_eq!(memory.look_at(&plum, "Press 1", Tier::Project).unwrap().claim.unwrap().text, "ours");
    assert_eq!(row(&done.rows, "Press 2").fate, RowFate::Moved, "another version was taken back");
    assert_eq!(live(&disk).len(), 26);
    assert!(done.gates.unwrap().hold());
}

#[test] // spec: MEM-42
fn the_same_claim_that_lay_there_before_stays_there_after_a_rollback() {
    let (disk, memory) = mixed();
    let store = memory.begin(&caller(MAKER, PLUM)).unwrap().brain.store_paths().claims;
    let bytes = live(&disk)[&medulla().join("press-1.light.md")].clone();
    disk.write_raw(store.join("press-1.light.md"), &bytes);
    let before = without_logs(&disk);
    let done = apply(&memory);
    assert_eq!(row(&done.rows, "Press 1").fate, RowFate::Moved);
    assert_eq!(places(&disk)["press-1.light.md"], 1);
    rollback(&memory).unwrap();
    assert_eq!(without_logs(&disk), before);
}

#[test] // spec: MEM-42, MEM-42a
fn a_person_decides_what_is_in_doubt() {
    let (_, memory) = mixed();
    let cherry = caller(PERSON, CHERRY);
    let decide = |texts: &[&str]| MigrateRequest { decide: texts.iter().map(|t| (*t).to_owned()).collect() };
    for bad in ["Both", "Both=", "Both=grape", "No such=cherry"] {
        assert_eq!(code(Transfer::new(&memory).migrate_plan(&decide(&[bad]))), "input.bad_value", "{bad}");
    }
    let request = decide(&["Both=plum", "Press 1=medulla", "whose-is-this=cherry"]);
    let done = Transfer::new(&memory).migrate_apply(&cherry, &request, &|_, _| ()).unwrap();
    assert_eq!(row(&done.rows, "Press 1").fate, RowFate::Doctrine);
    assert!(row(&done.rows, "Both").to.as_deref().unwrap().starts_with("plum@"));
    assert!(row(&done.rows, "Whose is this").to.as_deref().unwrap().starts_with("cherry@"));
    // The same command again, after a kill or not, finds nothing more to do.
    let again = Transfer::new(&memory).migrate_apply(&cherry, &request, &|_, _| ()).unwrap();
    assert!(again.rows.iter().all(|row| row.fate != RowFate::Moved), "{:?}", again.rows);
    let twice = decide(&["Press 1=medulla", "Press 1=cherry"]);
    assert_eq!(code(Transfer::new(&memory).migrate_plan(&twice)), "input.bad_value", "decided twice");
    // A secret moves for nobody.
    let leaky = Transfer::new(&memory).migrate_plan(&decide(&["Leaky=cherry"])).unwrap();
    assert_eq!(row(&leaky.rows, "Leaky").fate, RowFate::Flagged);
}

#[test] // spec: MEM-42a, MEM-15
fn a_project_without_a_brain_gets_none_and_the_row_says_what_would_help() {
    let (disk, memory) = mixed();
    disk.write_raw("/src/fig/.git/HEAD", b"ref: refs/heads/main\n");
    put(&disk, "Fig", "Origin-Brain: /src/fig\n", "Sweet.");
    let planned = plan(&memory);
    let fig = row(&planned.rows, "Fig");
    assert_eq!(fig.fate, RowFate::Flagged);
    assert!(fig.reason.ends_with("brainstem bootstrap /src/fig gives it one"), "{fig:?}");
    memory.begin(&caller(MAKER, "/src/fig")).unwrap();
    assert_eq!(row(&plan(&memory).rows, "Fig").fate, RowFate::Moves);
}

#[test] // spec: MEM-42a, MEM-33
fn what_was_said_of_a_claim_goes_along() {
    let (_, memory) = mixed();
    let said = LearnRequest {
        label: "Press 1".into(),
        verdict: Verdict::Correct,
        note: Some("tried it".into()),
        tier: Some(WriteTier::Medulla),
    };
    memory.learn(&caller(PERSON, PLUM), &said).unwrap();
    apply(&memory);
    let shown = memory.look_at(&caller(MAKER, PLUM), "Press 1", Tier::Project).unwrap();
    assert_eq!(shown.verdicts.len(), 1);
    assert_eq!(
        (shown.verdicts[0].agent.as_str(), shown.verdicts[0].note.as_deref()),
        (PERSON, Some("tried it"))
    );
    assert!(shown.claim.unwrap().trust.is_some());
    // And back again, with what was said meanwhile.
    let said = LearnRequest { label: "Press 1".into(), verdict: Verdict::Wrong, note: None, tier: None };
    memory.learn(&caller(MAKER, PLUM), &said).unwrap();
    rollback(&memory).unwrap();
    let shown = memory.look_at(&caller(MAKER, PLUM), "Press 1", Tier::Medulla).unwrap();
    assert_eq!(shown.verdicts.len(), 2, "{:?}", shown.verdicts);
}

#[test] // spec: MEM-42, MEM-10
fn a_maker_is_let_through_and_on_record() {
    let (disk, memory) = mixed();
    let done = Transfer::new(&memory)
        .migrate_apply(&caller(MAKER, CHERRY), &MigrateRequest::default(), &|_, _| ())
        .unwrap();
    assert!(done.notes.iter().any(|note| note.contains("etiquette")), "{:?}", done.notes);
    let log = String::from_utf8(disk.dump().remove(&Path::new(HOME).join("acts.jsonl")).unwrap()).unwrap();
    assert!(log.contains("etiquette_violation"));
}

/// The one commit of a project.
fn commit(root: &str) -> String {
    hash::sha256_hex(root.as_bytes(), 40)
}

/// A repository that carries the id of a project which is gone.
fn carrier(disk: &SimDisk, memory: &Memory, commit: &str) -> Caller {
    let ghost = memory.brains(&caller(MAKER, CHERRY)).unwrap().brains;
    let ghost = ghost.into_iter().find(|row| row.brain.manifest.name.as_str() == "grape").unwrap().brain;
    let manifest = disk.dump().remove(&ghost.folder.join("brain.json")).unwrap();
    disk.write_raw("/src/clone/.git/HEAD", format!("{commit}\n").as_bytes());
    disk.write_raw("/src/clone/.brainstem/brain.json", &manifest);
    let clone = caller(MAKER, "/src/clone");
    memory.tell(&clone, "Of the clone", "it lives").unwrap();
    clone
}

/// A brain whose root is gone, with claims, beside another that holds nothing.
pub(crate) fn ghosts() -> (SimDisk, Memory) {
    let (disk, memory) = mixed();
    for (root, label) in [("/src/grape", Some("Grape fact")), ("/src/fig", None)] {
        disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
        disk.write_raw(format!("{root}/.git/refs/heads/main"), format!("{}\n", commit(root)).as_bytes());
        let there = caller(MAKER, root);
        memory.begin(&there).unwrap();
        if let Some(label) = label {
            memory.tell(&there, label, "Of a project that is gone.").unwrap();
        }
        disk.rename(Path::new(root), Path::new(&format!("{root}-away"))).unwrap();
        disk.sync_dir(Path::new("/src")).unwrap();
    }
    (disk, memory)
}

#[test] // spec: MEM-42, MEM-1, MEM-42c
fn a_ghost_root_is_swept_when_nothing_is_live_in_it_and_loses_no_claim() {
    let (disk, memory) = ghosts();
    let before = without_logs(&disk);
    let done = apply(&memory);
    assert!(done.gates.unwrap().hold());
    assert_eq!(done.ghosts.len(), 2);
    let ghost = |name: &str| done.ghosts.iter().find(|ghost| ghost.origin.starts_with(name)).unwrap();
    assert!(ghost("fig@").swept && !ghost("grape@").swept);
    let fact = row(&done.rows, "Grape fact");
    assert_eq!(fact.fate, RowFate::Flagged);
    assert!(fact.reason.contains("/src/grape"), "{fact:?}");
    let names = |memory: &Memory| -> BTreeSet<String> {
        let brains = memory.brains(&caller(MAKER, CHERRY)).unwrap().brains.into_iter();
        brains.map(|row| row.brain.manifest.name.to_string()).collect()
    };
    assert_eq!(names(&memory), BTreeSet::from(["cherry", "grape", "plum"].map(str::to_owned)));
    assert_eq!(live(&disk).len(), 26);
    assert_eq!(apply(&memory).number, None, "a second apply changes nothing");
    let back = rollback(&memory).unwrap();
    assert_eq!(back.brains.len(), 1);
    assert_eq!(without_logs(&disk), before);
    assert_eq!(names(&memory).len(), 4);
    // The project was only moved: its brain comes back to it.
    assert!(memory.begin(&caller(MAKER, "/src/fig-away")).unwrap().existed);
}

#[test] // spec: MEM-42, MEM-42c
fn a_ghost_whose_brain_lives_on_elsewhere_sends_its_claims_there() {
    let (disk, memory) = ghosts();
    let clone = carrier(&disk, &memory, &commit("/src/grape"));
    let before = without_logs(&disk);
    let done = apply(&memory);
    let fact = row(&done.rows, "Grape fact");
    assert_eq!(fact.fate, RowFate::Moved, "{:#?}", done.rows);
    let roots = [&fact.from_root, &fact.to_root].map(|root| root.as_deref().unwrap());
    assert_eq!(roots, ["/src/grape", "/src/clone"].map(Path::new), "the row names both roots");
    assert!(done.ghosts.iter().all(|ghost| ghost.swept), "{:?}", done.ghosts);
    assert!(done.gates.unwrap().hold());
    assert_eq!(
        memory.look_at(&clone, "Grape fact", Tier::Project).unwrap().claim.unwrap().text,
        "Of a project that is gone."
    );
    rollback(&memory).unwrap();
    assert_eq!(without_logs(&disk), before);
}

#[test] // spec: MEM-42c, MEM-1a
fn claims_go_to_no_other_project_that_only_carries_the_id_of_theirs() {
    // Without a known origin, and cloned from another one.
    for origin in [None, Some("https://example.org/evil.git")] {
        let (disk, memory) = ghosts();
        let stranger = carrier(&disk, &memory, &commit("/src/evil"));
        if let Some(origin) = origin {
            let config = format!("[remote \"origin\"]\n\turl = {origin}\n");
            disk.write_raw("/src/clone/.git/config", config.as_bytes());
        }
        let brain = memory.route(&stranger).brain().unwrap().origin();
        put(&disk, "Of the medulla", &format!("Origin-Brain: {brain}\n"), "Of a project that is gone.");
        let before = live(&disk);
        for done in [plan(&memory), apply(&memory)] {
            for label in ["Grape fact", "Of the medulla"] {
                let row = row(&done.rows, label);
                assert_eq!((row.fate, &row.to), (RowFate::Flagged, &None), "{row:?}");
                assert!(row.reason.contains("/src/grape") && row.reason.contains("/src/clone"), "{row:?}");
            }
        }
        let of = |live: &BTreeMap<PathBuf, Vec<u8>>| -> Vec<PathBuf> {
            live.keys().filter(|path| path.starts_with("/src/clone")).cloned().collect()
        };
        assert_eq!(of(&live(&disk)), of(&before));
        // Nor does an import that sorts a folder by what its claims say.
        let mixed = legacy("Of a folder", &format!("Origin-Brain: {brain}\n"), "Of that project too.");
        disk.write_raw("/tmp/in/of-a-folder.light.md", mixed.as_bytes());
        let request =
            ImportRequest { path: "/tmp/in".into(), from: None, tier: None, sort: true, dry_run: false };
        let imported = Transfer::new(&memory).import(&stranger, &request, &|_, _| true).unwrap();
        assert!(imported.flagged[0].why.contains("/src/clone"), "{:?}", imported.flagged);
        assert_eq!(of(&live(&disk)), of(&before));
    }
}

#[test] // spec: MEM-42, MEM-2
fn a_claim_goes_into_a_repository_with_its_copy_and_comes_back() {
    let (disk, memory) = mixed();
    let plum = caller(MAKER, PLUM);
    memory.init(&plum, &InitRequest::default()).unwrap();
    let before = without_logs(&disk);
    apply(&memory);
    assert!(disk.dump().contains_key(Path::new("/src/plum/.brainstem/agent-memory/press-1.light.md")));
    let store = brainstem_memory::DoctorRequest::new(mixed_medulla);
    let findings = memory.doctor(&plum, &store, &|_, _| ()).unwrap().findings;
    // One claim of this home carries a secret, wherever the others go.
    let is_about_a_move = |name: &str| name.starts_with("claim_") && name != "claim_secret";
    assert!(!findings.iter().any(|finding| is_about_a_move(finding.trouble.name())), "{findings:#?}");
    rollback(&memory).unwrap();
    assert_eq!(without_logs(&disk), before);
    let findings = memory.doctor(&plum, &store, &|_, _| ()).unwrap().findings;
    assert!(!findings.iter().any(|finding| finding.trouble.name() == "claim_absent"), "{findings:#?}");
}

#[test] // spec: MEM-42a, MEM-5
fn a_version_with_the_birth_of_another_that_was_there_is_flagged() {
    let (disk, memory) = mixed();
    let plum = caller(MAKER, PLUM);
    let store = memory.begin(&plum).unwrap().brain.store_paths().claims;
    // Another claim of that name, born in the same millisecond, and superseded there since.
    disk.write_raw(store.join("press-1.light.md"), legacy("Press 1", "", "Of plum alone.").as_bytes());
    memory.tell(&plum, "Press 1", "Something else.").unwrap();
    memory.take_back(&plum, "Press 1").unwrap();
    let done = apply(&memory);
    let flagged = row(&done.rows, "Press 1");
    assert_eq!(flagged.fate, RowFate::Flagged, "{flagged:?}");
    assert!(flagged.reason.contains("with the same birth"), "{flagged:?}");
}

#[test] // spec: MEM-26, MEM-34, MEM-42
fn an_old_claim_that_moved_to_where_younger_ones_were_is_not_called_resurrected() {
    let (disk, memory) = mixed();
    let plum = caller(MAKER, PLUM);
    memory.tell(&plum, "Press 2", "Ours, and younger.").unwrap();
    memory.take_back(&plum, "Press 2").unwrap();
    assert_eq!(row(&apply(&memory).rows, "Press 2").fate, RowFate::Moved);
    let resurrected = || memory.look_at(&plum, "Press 2", Tier::Project).unwrap().claim.unwrap().resurrected;
    assert!(!resurrected());
    let before = memory.look_at(&plum, "Press 2", Tier::Project).unwrap().claim.unwrap();
    let request =
        PromoteRequest { label: "Press 2".into(), reason: "for all".into(), ..PromoteRequest::default() };
    let witness = memory.promote(&caller(PERSON, PLUM), &request).unwrap().witness_path;
    assert!(!resurrected(), "stamped, and the same version");
    // Superseded and brought back by git, with its stamp or without, it is.
    let stamped = disk.read(&witness, 1 << 20).unwrap();
    memory.tell(&plum, "Press 2", "Younger still.").unwrap();
    for bytes in [stamped, legacy("Press 2", "Tags: plum\n", &before.text).into_bytes()] {
        disk.write_raw(&witness, &bytes);
        assert!(resurrected());
    }
}

#[test] // spec: MEM-51, MEM-42a
fn a_claim_that_was_imported_says_so_after_it_moved() {
    for in_repository in [false, true] {
        let (disk, clock) = (two_repositories(), clock());
        disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n");
        let memory = service(Arc::new(disk.clone()), &clock);
        let cherry = caller(PERSON, CHERRY);
        memory.begin(&cherry).unwrap();
        if in_repository {
            memory.init(&cherry, &InitRequest::default()).unwrap();
        }
        disk.write_raw(
            "/tmp/imp/friday.light.md",
            legacy("Friday", "Tags: cherry\n", "Ship on Friday.").as_bytes(),
        );
        let request = ImportRequest {
            path: "/tmp/imp".into(),
            from: None,
            tier: Some("medulla".into()),
            sort: false,
            dry_run: false,
        };
        Transfer::new(&memory).import(&caller("codex:eve", CHERRY), &request, &|_, _| true).unwrap();
        let brought = |memory: &Memory| {
            let rows = memory.find(&cherry, "ship on friday", Tier::Both).rows;
            (rows[0].tier, rows[0].brought.clone())
        };
        let mark = Some("imported by codex:eve on 2026-07-04".to_owned());
        assert_eq!(brought(&memory), ("medulla", mark.clone()));
        let done = apply(&memory);
        assert_eq!(count(&done.rows, RowFate::Moved), 1, "{:?}", done.rows);
        assert_eq!(brought(&memory), ("project", mark.clone()), "{in_repository}");
        let shown = memory.look_at(&cherry, "Friday", Tier::Project).unwrap();
        assert_eq!(shown.claim.unwrap().brought, mark);
        rollback(&memory).unwrap();
        assert_eq!(brought(&memory), ("medulla", mark));
    }
}

//! Several clones of one repository on one machine: one brain, and each clone has memory of its own.

use crate::promote::asked;
use crate::world::{
    CHERRY, MAKER, PERSON, Short as _, caller, clock, code, doctrine, service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_claims::undecided_file::join;
use brainstem_memory::{
    Confirmation, DoctorRequest, EjectRequest, ForgetRequest, Gap, InitRequest, LearnRequest, Memory,
    RenameRequest, ResolveRequest, Tier, Verdict, WriteTier,
};
use brainstem_testkit::Chance;
use brainstem_transfer::{
    ExportRequest, ExportScope, Format, ImportRequest, Imported, Transfer, mixed_medulla,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TEAM: &str = "/src/team";
const PEAR: &str = "/src/pear";

struct World {
    disk: SimDisk,
    clock: Arc<ManualClock>,
    memory: Memory,
}

/// What `git clone` leaves at a path: the files of the repository.
fn cloned(disk: &SimDisk, to: &str) {
    for (path, bytes) in disk.dump() {
        if let Ok(below) = path.strip_prefix(CHERRY) {
            disk.write_raw(Path::new(to).join(below), &bytes);
        }
    }
}

/// Cherry with its claims in its repository, and clones of it with the same brain.
fn clones(of: &[&str]) -> World {
    clones_with(&[], of)
}

/// The same, with claims that were told before the clones were made.
fn clones_with(labels: &[&str], of: &[&str]) -> World {
    let (disk, clock) = (two_repositories(), clock());
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let memory = service(Arc::new(disk.clone()), &clock);
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    memory.init(&caller(MAKER, CHERRY), &InitRequest::default()).unwrap();
    for label in labels {
        memory.tell(&caller(MAKER, CHERRY), label, &format!("{label} text")).unwrap();
        clock.advance(1_000);
    }
    for root in of {
        cloned(&disk, root);
        memory.init(&caller(MAKER, root), &InitRequest::default()).unwrap();
    }
    World { disk, clock, memory }
}

impl World {
    fn tell(&self, agent: &str, root: &str, label: &str, text: &str) {
        self.memory.tell(&caller(agent, root), label, text).unwrap();
        self.clock.advance(1_000);
    }

    fn export(&self, scope: ExportScope, root: &str, out: &str) {
        let request = ExportRequest { scope, format: Format::JsonLines, out: Some(out.into()) };
        Transfer::new(&self.memory).export(&caller(MAKER, root), &request, &|_, _| ()).unwrap();
    }

    fn import(&self, root: &str, path: &str, dry_run: bool) -> Imported {
        let request = ImportRequest { path: path.into(), from: None, tier: None, sort: false, dry_run };
        Transfer::new(&self.memory).import(&caller(MAKER, root), &request, &|_, _| true).unwrap()
    }

    fn live(root: &str, slug: &str) -> PathBuf {
        Path::new(root).join(format!(".brainstem/agent-memory/{slug}.light.md"))
    }

    fn read(&self, path: impl AsRef<Path>) -> String {
        String::from_utf8(self.disk.read(path.as_ref(), 1 << 20).unwrap()).unwrap()
    }

    /// What git makes of the logs of two clones: each has the lines of both.
    fn merge_logs(&self, one: &str, other: &str) {
        let log = |root: &str| format!("{root}/.brainstem/acts.jsonl");
        let (mut lines, more) = (self.read(log(one)), self.read(log(other)));
        more.lines()
            .filter(|line| !lines.contains(line))
            .map(str::to_owned)
            .collect::<Vec<_>>()
            .iter()
            .for_each(|line| {
                lines.push_str(line);
                lines.push('\n');
            });
        for root in [one, other] {
            self.disk.write_raw(log(root), lines.as_bytes());
        }
    }

    fn troubles(&self, root: &str) -> Vec<(&'static str, String)> {
        let found =
            self.memory.doctor(&caller(MAKER, root), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
        found.findings.iter().map(|finding| (finding.trouble.name(), finding.detail.clone())).collect()
    }

    /// The live text at a root, and the texts before it.
    fn texts(&self, root: &str, label: &str) -> (Option<String>, Vec<String>) {
        let shown = self.memory.look_at(&caller(MAKER, root), label, Tier::Project).unwrap();
        (shown.claim.map(|row| row.text), shown.history.into_iter().map(|version| version.text).collect())
    }

    /// Every file of memory: claims, history and acts, of the home and of each clone.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        let files = self.disk.dump().into_iter();
        let is_memory = |path: &Path| {
            let name = path.to_string_lossy();
            (name.ends_with(".light.md") || name.ends_with("acts.jsonl")) && !name.contains("/local/")
        };
        files
            .filter(|(path, _)| is_memory(path))
            .map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap()))
            .collect()
    }
}

fn gaps(done: &Imported) -> Vec<&'static str> {
    done.gaps.iter().map(|gap| gap.name).collect()
}

#[test] // spec: MEM-47
fn the_clones_of_an_export_go_back_into_the_clones_they_came_from() {
    let world = clones(&[TEAM]);
    world.tell(MAKER, TEAM, "Retry policy", "Five times (team).");
    world.tell(MAKER, TEAM, "Team only", "Only the team.");
    world.tell(PERSON, CHERRY, "Retry policy", "Four times (cherry).");
    let before = world.files();
    world.export(ExportScope::All, CHERRY, "/src/all.jsonl");
    for dry_run in [true, false] {
        let done = world.import(CHERRY, "/src/all.jsonl", dry_run);
        assert_eq!((done.born, done.superseded, done.unchanged), (0, 0, 3), "{done:?}");
        assert_eq!((done.versions, done.acts, gaps(&done)), (0, 0, vec![]), "{done:?}");
        let roots: Vec<&Path> = done.rows.iter().filter_map(|row| row.root.as_deref()).collect();
        let expected = [CHERRY, TEAM, TEAM].map(Path::new);
        assert_eq!(roots, if dry_run { &expected[..] } else { &[] });
        assert_eq!(world.files(), before);
    }
}

#[test] // spec: MEM-47
fn an_export_that_says_no_root_leaves_the_younger_version_of_a_clone_live() {
    let world = clones(&[TEAM]);
    world.tell(MAKER, TEAM, "Retry policy", "Five times (team).");
    world.tell(MAKER, TEAM, "Team only", "Only the team.");
    world.tell(PERSON, CHERRY, "Retry policy", "Four times (cherry).");
    world.export(ExportScope::All, CHERRY, "/src/all.jsonl");
    let lines = String::from_utf8(world.disk.read(Path::new("/src/all.jsonl"), 1 << 20).unwrap()).unwrap();
    let without_root = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("root");
        format!("{line}\n")
    };
    let old: String = lines.lines().map(without_root).collect();
    world.disk.write_raw("/src/old.jsonl", old.as_bytes());
    for dry_run in [true, false] {
        let done = world.import(CHERRY, "/src/old.jsonl", dry_run);
        assert_eq!(gaps(&done), ["clone_chosen", "earlier_version"], "{done:?}");
        assert!(done.gaps[0].detail.contains(CHERRY) && done.gaps[1].detail.contains("\"Retry policy\""));
        assert_eq!((done.born, done.superseded, done.versions), (1, 0, 1), "{done:?}");
    }
    let (live, past) = world.texts(CHERRY, "Retry policy");
    assert_eq!(
        (live.as_deref(), past),
        (Some("Four times (cherry)."), vec!["Five times (team).".to_owned()])
    );
    // A second time nothing changes, and no act is on record twice.
    let before = world.files();
    let done = world.import(CHERRY, "/src/old.jsonl", false);
    assert_eq!((done.born, done.superseded, done.versions, done.acts), (0, 0, 0, 0), "{done:?}");
    assert_eq!(world.files(), before);
    for (path, log) in before.iter().filter(|(path, _)| path.ends_with("acts.jsonl")) {
        let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].to_string();
        let mut ids: Vec<String> = log.lines().map(id).collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count, "{path:?}");
    }
}

#[test] // spec: MEM-47
fn an_import_of_a_fresh_export_of_this_home_changes_nothing() {
    for seed in 0..24 {
        let mut chance = Chance::new(seed, 0);
        let world = clones(&[TEAM, PEAR]);
        world.memory.eject(&caller(MAKER, PEAR), &EjectRequest::default()).unwrap();
        for n in 0..30 {
            let root = [CHERRY, TEAM, PEAR][chance.below(3) as usize];
            let label = ["Retry policy", "Cache", "Port"][chance.below(3) as usize];
            let agent = [MAKER, PERSON][chance.below(2) as usize];
            let who = caller(agent, root);
            // What a state does not allow is refused, and changes nothing.
            match chance.below(8) {
                0 => drop(world.memory.take_back(&who, label)),
                1 => drop(world.memory.promote(&caller(PERSON, root), &asked(label))),
                2 => {
                    let to = format!("{label} {n}");
                    drop(world.memory.rename(&who, &RenameRequest { label: label.into(), to, tier: None }));
                }
                3 => drop(
                    world.memory.memorize(&caller(PERSON, root), &doctrine(label, &format!("doctrine {n}"))),
                ),
                _ => drop(world.memory.tell(&who, label, &format!("{root} says {n}"))),
            }
            world.clock.advance(1_000);
        }
        let before = world.files();
        world.export(ExportScope::All, CHERRY, "/src/all.jsonl");
        for root in [CHERRY, TEAM, PEAR] {
            let done = world.import(root, "/src/all.jsonl", false);
            assert_eq!(
                (done.born, done.superseded, done.versions, done.acts),
                (0, 0, 0, 0),
                "{seed}: {done:?}"
            );
            assert_eq!((done.not_taken.len(), gaps(&done)), (0, vec![]), "{seed}: {done:?}");
            assert_eq!(world.files(), before, "{seed} in {root}");
        }
    }
}

#[test] // spec: MEM-26, MEM-49
fn a_claim_that_one_clone_retracted_and_another_rewrote_carries_the_retraction() {
    for is_retracted_first in [true, false] {
        let world = clones_with(&["Cache"], &[TEAM]);
        let retract = || {
            world.memory.take_back(&caller(MAKER, CHERRY), "Cache").unwrap();
            world.clock.advance(1_000);
        };
        if is_retracted_first {
            retract();
        }
        world.tell(PERSON, TEAM, "Cache", "rewritten");
        if !is_retracted_first {
            retract();
        }
        // Git keeps the file that was changed, and asks.
        let rewritten = world.read(World::live(TEAM, "cache"));
        world.disk.write_raw(World::live(CHERRY, "cache"), rewritten.as_bytes());
        world.merge_logs(CHERRY, TEAM);
        for root in [CHERRY, TEAM] {
            let who = caller(PERSON, root);
            let row = world.memory.all(&who).rows.remove(0);
            let words: Vec<String> = row.facts().into_iter().map(|fact| fact.words).collect();
            let told = words.iter().find(|words| words.contains("retracted the version before it"));
            let told = told.unwrap_or_else(|| panic!("{root}: {words:?}"));
            // Of another clone's retraction only the repository's log tells.
            let end = if root == CHERRY { "" } else { " (only the repository's log says so)" };
            assert!(told.starts_with(MAKER) && told.ends_with(&format!("\"it was wrong\"{end}")), "{told}");
            assert!(row.resurrected);
            let shown = world.memory.look_at(&who, "Cache", Tier::Project).unwrap().claim.unwrap();
            assert_eq!(shown.retracted_apart.as_deref(), Some(told.as_str()), "{root}");
            let found = world.troubles(root);
            assert!(
                found.iter().any(|(name, detail)| *name == "claim_resurrected" && detail.contains(told)),
                "{found:?}"
            );
            // Written again by somebody who could see it, it is an ordinary claim.
            world.tell(PERSON, root, "Cache", "decided");
            let shown = world.memory.look_at(&who, "Cache", Tier::Project).unwrap().claim.unwrap();
            assert_eq!((shown.retracted_apart, shown.resurrected), (None, false), "{root}");
        }
    }
}

#[test] // spec: MEM-26
fn a_claim_that_came_back_and_was_written_over_here_carries_no_retraction() {
    let world = clones_with(&["Cache"], &[]);
    let before = world.read(World::live(CHERRY, "cache"));
    let who = caller(MAKER, CHERRY);
    world.memory.take_back(&who, "Cache").unwrap();
    world.clock.advance(1_000);
    world.disk.write_raw(World::live(CHERRY, "cache"), before.as_bytes());
    assert!(world.memory.all(&who).rows[0].resurrected);
    world.tell(MAKER, CHERRY, "Cache", "it holds after all");
    let row = world.memory.all(&who).rows.remove(0);
    assert_eq!((row.resurrected, row.retracted_apart), (false, None));
    // One that was retracted and told anew was never written over.
    world.memory.take_back(&who, "Cache").unwrap();
    world.clock.advance(1_000);
    world.tell(MAKER, CHERRY, "Cache", "anew");
    assert!(!world.memory.all(&who).rows[0].resurrected);
}

#[test] // spec: MEM-2, MEM-48
fn a_claim_that_git_merged_into_its_new_name_does_not_come_back_under_the_old_one() {
    let world = clones_with(&["Beta"], &[TEAM]);
    let request = RenameRequest { label: "Beta".into(), to: "Omega".into(), tier: None };
    world.memory.rename(&caller(MAKER, CHERRY), &request).unwrap();
    world.tell(MAKER, TEAM, "Beta", "rewritten");
    // Git follows the renaming, and merges the two files by their lines.
    let merged = world.read(World::live(TEAM, "beta")).replace("Beta", "Omega");
    world.disk.write_raw(World::live(TEAM, "omega"), merged.as_bytes());
    world.disk.unlink(&World::live(TEAM, "beta")).unwrap();
    world.merge_logs(TEAM, CHERRY);
    let listed = world.memory.all(&caller(MAKER, TEAM));
    assert_eq!(listed.gaps.iter().map(|gap| gap.name).collect::<Vec<_>>(), [""; 0]);
    let done = world.memory.init(&caller(MAKER, TEAM), &InitRequest::default()).unwrap();
    assert_eq!(done.restored, [""; 0]);
    assert_eq!(world.memory.all(&caller(MAKER, TEAM)).rows.len(), 1);
}

#[test] // spec: MEM-5a
fn what_a_person_wrote_in_one_clone_is_on_record_under_the_name_that_another_gave_the_claim() {
    let world = clones_with(&["Beta"], &[TEAM]);
    let request = RenameRequest { label: "Beta".into(), to: "Omega".into(), tier: None };
    world.memory.rename(&caller(MAKER, TEAM), &request).unwrap();
    world.tell(PERSON, CHERRY, "Beta", "rewritten");
    // Git follows the renaming, and merges the two files by their lines: the version has another file now.
    let merged = world.read(World::live(CHERRY, "beta")).replace("Beta", "Omega");
    world.disk.write_raw(World::live(TEAM, "omega"), merged.as_bytes());
    world.merge_logs(TEAM, CHERRY);
    let there = caller(PERSON, TEAM);
    let rows = || {
        let shown = world.memory.look_at(&there, "Omega", Tier::Project).unwrap().claim.unwrap();
        [shown, world.memory.all(&there).rows.remove(0)]
    };
    for row in rows() {
        assert_eq!((row.text.as_str(), row.unrecorded), ("rewritten", vec![]));
    }
    // Other words in that name are what the file says.
    world.disk.write_raw(World::live(TEAM, "omega"), merged.replace("rewritten", "forged").as_bytes());
    for row in rows() {
        assert_eq!((row.text.as_str(), row.unrecorded.len()), ("forged", 1));
    }
}

#[test] // spec: MEM-2, MEM-5a
fn a_version_that_was_edited_by_hand_before_git_renamed_it_is_named() {
    let world = clones_with(&["Beta"], &[TEAM]);
    let request = RenameRequest { label: "Beta".into(), to: "Omega".into(), tier: None };
    world.memory.rename(&caller(MAKER, CHERRY), &request).unwrap();
    world.tell(MAKER, TEAM, "Beta", "rewritten");
    // An editor changes the text and keeps birth and author; then git merges the file into its new name.
    let merged =
        world.read(World::live(TEAM, "beta")).replace("Beta", "Omega").replace("rewritten", "edited");
    world.disk.write_raw(World::live(TEAM, "omega"), merged.as_bytes());
    world.disk.unlink(&World::live(TEAM, "beta")).unwrap();
    world.merge_logs(TEAM, CHERRY);
    let listed = world.memory.all(&caller(MAKER, TEAM));
    let is_named = |gap: &Gap| ["absent_here", "version_absent"].contains(&gap.name);
    assert!(listed.gaps.iter().any(is_named), "{:?}", listed.gaps);
}

#[test] // spec: MEM-2, MEM-48
fn two_clones_that_rename_one_version_apart_are_both_on_record() {
    let world = clones_with(&["Beta"], &[TEAM]);
    let rename = |root: &str, to: &str| {
        let request = RenameRequest { label: "Beta".into(), to: to.into(), tier: None };
        world.memory.rename(&caller(MAKER, root), &request).unwrap();
        world.clock.advance(1_000);
    };
    rename(TEAM, "Gamma");
    world.tell(MAKER, TEAM, "Beta", "another claim of that name");
    rename(CHERRY, "Omega");
    // Git takes the new file for the one that the other clone renamed.
    let merged = world.read(World::live(TEAM, "beta")).replace("Beta", "Omega");
    world.disk.write_raw(World::live(TEAM, "omega"), merged.as_bytes());
    world.disk.unlink(&World::live(TEAM, "beta")).unwrap();
    world.merge_logs(TEAM, CHERRY);
    let listed = world.memory.all(&caller(MAKER, TEAM));
    assert_eq!(listed.gaps.iter().map(|gap| gap.name).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(listed.rows.len(), 2);
}

#[test] // spec: MEM-49
fn versions_of_one_author_are_told_apart_by_what_differs() {
    let world = clones_with(&["Beta"], &[]);
    let ours = world.read(World::live(CHERRY, "beta"));
    let resolve = |label: Option<&str>| {
        let take = label.map(|_| MAKER.to_owned());
        let request = ResolveRequest { label: label.map(str::to_owned), take, ..ResolveRequest::default() };
        world.memory.resolve(&caller(MAKER, CHERRY), &request)
    };
    for (from, to, differing, is_alike) in [
        ("State: authored\n", "State: authored\nSupersedes: beta@1\n", "`Supersedes`", true),
        ("Beta text", "another text", "text", false),
    ] {
        let theirs = ours.replace(from, to);
        world.disk.write_raw(World::live(CHERRY, "beta"), &join(&[ours.as_bytes(), theirs.as_bytes()]));
        let listed = resolve(None).unwrap();
        assert_eq!(listed.waiting.len(), 2);
        let told =
            listed.notes.iter().any(|note| note.contains(&format!("differ in {differing}: any of them")));
        assert_eq!(told, is_alike, "{:?}", listed.notes);
        let refused = resolve(Some("Beta")).unwrap_err();
        assert_eq!(refused.to_string(), format!("{MAKER:?} wrote 2 of the versions that wait"));
        assert_eq!(refused.fix().unwrap(), format!("give one of ours, theirs; they differ in {differing}"));
        assert_eq!(code(Err::<(), _>(refused)), "input.bad_value");
    }
}

#[test] // spec: MEM-5a, MEM-36, MEM-47, MEM-48
fn the_stamp_of_a_promotion_counts_as_no_version() {
    let world = clones_with(&["Port"], &[]);
    let who = caller(PERSON, CHERRY);
    world.memory.promote(&who, &asked("Port")).unwrap();
    let counted = || {
        let found = world.memory.doctor(&who, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
        found.stores.iter().map(|store| store.versions).sum::<usize>()
    };
    let exported = |format, out: &str| {
        let request = ExportRequest { scope: ExportScope::Project, format, out: Some(out.into()) };
        Transfer::new(&world.memory).export(&who, &request, &|_, _| ()).unwrap().versions
    };
    let forget = |label: &str, confirm| {
        world.memory.forget(
            &who,
            &ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::of_flag(confirm) },
        )
    };
    assert_eq!(counted(), 0);
    assert_eq!((exported(Format::JsonLines, "/src/a"), exported(Format::Folder, "/src/b")), (0, 0));
    assert!(forget("Port", false).unwrap_err().to_string().contains("and 0 versions of the history"));
    let request = RenameRequest { label: "Port".into(), to: "Ports".into(), tier: None };
    assert_eq!(world.memory.rename(&who, &request).unwrap().versions, 0);
    assert_eq!(world.texts(CHERRY, "Ports"), (Some("Port text".to_owned()), vec![]));
    assert_eq!(counted(), 0);
    // What is written over it is a version.
    world.clock.advance(1_000);
    world.tell(PERSON, CHERRY, "Ports", "another text");
    assert_eq!(world.texts(CHERRY, "Ports").1, ["Port text"]);
    assert_eq!((counted(), exported(Format::JsonLines, "/src/c")), (1, 1));
    // The stamp comes along with an import, and counts as little there.
    assert_eq!(exported(Format::Folder, "/src/d"), 1);
    for (path, root) in [("/src/c", PEAR), ("/src/d", "/src/quince")] {
        world.disk.write_raw(format!("{root}/.git/config"), b"[core]\n\tbare = false\n");
        let into = caller(PERSON, root);
        world.memory.begin(&into).unwrap();
        let request =
            |dry_run| ImportRequest { path: path.into(), from: None, tier: None, sort: false, dry_run };
        for dry_run in [true, false] {
            let done = Transfer::new(&world.memory).import(&into, &request(dry_run), &|_, _| true).unwrap();
            let rows = done.rows.iter().filter(|row| row.outcome == "version").count();
            assert_eq!((done.born, done.versions, done.not_taken), (1, 1, vec![]), "{path} {dry_run}");
            assert_eq!(rows, usize::from(dry_run));
        }
    }
    assert_eq!(forget("Ports", true).unwrap().versions, 1);
}

#[test] // spec: MEM-36, MEM-48
fn a_renaming_is_told_of_the_claim_that_was_renamed() {
    let world = clones_with(&["Port"], &[]);
    let who = caller(PERSON, CHERRY);
    world.memory.promote(&who, &asked("Port")).unwrap();
    let rename = |label: &str, to: &str, tier: Option<WriteTier>| {
        let request = RenameRequest { label: label.into(), to: to.into(), tier };
        world.memory.rename(&who, &request).unwrap();
        world.clock.advance(1_000);
    };
    rename("Port", "Ports", Some(WriteTier::Medulla));
    let life = world.memory.look_at(&who, "Port", Tier::Project).unwrap().life;
    let told = life.iter().find(|step| step.what == "renamed").unwrap();
    assert!(told.sentence.starts_with("the copy in the medulla renamed from \"Port\""), "{told:?}");
    rename("Port", "Door", None);
    let request = LearnRequest {
        label: "Ports".into(),
        verdict: Verdict::Wrong,
        note: Some("no".into()),
        tier: Some(WriteTier::Medulla),
    };
    let notes = world.memory.learn(&who, &request).unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("#door, stays as it is")), "{notes:?}");
}

#[test] // spec: MEM-48
fn forgetting_reaches_what_another_clone_keeps_under_the_home_and_names_what_stays_there() {
    let world = clones(&[TEAM]);
    let held = || -> Vec<PathBuf> {
        let files = world.disk.dump().into_iter().filter(|(path, _)| path.starts_with("/home"));
        let has = |bytes: &[u8]| bytes.windows(5).any(|window| window == b"zebra");
        files.filter(|(_, bytes)| has(bytes)).map(|(path, _)| path).collect()
    };
    let pull = |from: &str, to: &str| {
        let bytes = world.disk.read(&World::live(from, "port"), 1 << 20).unwrap();
        world.disk.write_raw(World::live(to, "port"), &bytes);
    };
    let forget = |root: &str| {
        let request = ForgetRequest { label: "Port".into(), tier: None, confirmation: Confirmation::Given };
        world
            .memory
            .forget(&caller(MAKER, root), &request)
            .unwrap()
            .notes
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    };
    world.tell(MAKER, CHERRY, "Port", "zebra one");
    pull(CHERRY, TEAM);
    world.tell(MAKER, TEAM, "Port", "zebra two");
    world.tell(MAKER, TEAM, "Port", "zebra three");
    pull(TEAM, CHERRY);
    let notes = forget(CHERRY);
    assert!(notes.contains("kept under the home went too"), "{notes}");
    let stays =
        format!("the clone in `{TEAM}` has a live claim of that label, 1 version that is not known here");
    assert!(notes.contains(&stays), "{notes}");
    // The headers of what went name `zebra two`; it was written there alone.
    assert_eq!(held().len(), 1, "{:?}", held());
    assert!(world.disk.stat(&World::live(TEAM, "port")).is_ok());
    let notes = forget(TEAM);
    assert!(!notes.contains("the clone in"), "{notes}");
    assert_eq!(held(), Vec::<PathBuf>::new());
    // What was written there and never came here stays, and is named.
    world.tell(MAKER, CHERRY, "Port", "zebra four");
    world.tell(MAKER, TEAM, "Port", "zebra of the team");
    let notes = forget(CHERRY);
    assert!(notes.contains("1 version that is not known here"), "{notes}");
    assert_eq!(held().len(), 1, "{:?}", held());
    // There it is forgotten by a call of its own, and nothing is left to name.
    let notes = forget(TEAM);
    assert!(!notes.contains("the clone in"), "{notes}");
    assert_eq!(held(), Vec::<PathBuf>::new());
}

#[test] // spec: MEM-48
fn forgetting_under_the_home_reaches_the_other_clones_as_it_does_in_a_repository() {
    let notes_after_ejecting = |roots: &[&str]| {
        let world = clones_with(&["Port"], &[TEAM]);
        for root in roots {
            world.memory.eject(&caller(MAKER, root), &EjectRequest::default()).unwrap();
        }
        let request = ForgetRequest { label: "Port".into(), tier: None, confirmation: Confirmation::Given };
        let done = world.memory.forget(&caller(MAKER, TEAM), &request).unwrap();
        done.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    for roots in [&[][..], &[TEAM], &[CHERRY], &[CHERRY, TEAM]] {
        let notes = notes_after_ejecting(roots);
        let stays = format!("the clone in `{CHERRY}` has a live claim of that label");
        assert!(notes.contains(&stays), "{roots:?}: {notes}");
    }
}

#[test] // spec: MEM-48
fn forgetting_names_the_words_that_another_clone_has_under_a_name_it_gave_them() {
    for is_written_over in [false, true] {
        let world = clones_with(&["Port"], &[TEAM]);
        let rename = RenameRequest { label: "Port".into(), to: "Socket".into(), tier: None };
        world.memory.rename(&caller(MAKER, TEAM), &rename).unwrap();
        if is_written_over {
            world.tell(MAKER, TEAM, "Socket", "another text");
        }
        let request = ForgetRequest { label: "Port".into(), tier: None, confirmation: Confirmation::Given };
        let done = world.memory.forget(&caller(MAKER, CHERRY), &request).unwrap();
        let notes = done.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let stays = format!("the clone in `{TEAM}` has it under the name \"socket\", which it got there");
        assert!(notes.contains(&stays), "{is_written_over}: {notes}");
    }
}

#[test] // spec: MEM-8, MEM-48
fn forgetting_one_of_two_labels_in_one_file_reaches_nothing_of_the_other_in_another_clone() {
    let world = clones(&[TEAM]);
    world.tell(PERSON, CHERRY, "Build notes", "anas words one");
    let first = world.read(World::live(CHERRY, "build-notes"));
    world.tell(PERSON, CHERRY, "Build notes", "anas words two");
    world.tell(MAKER, TEAM, "build/notes!", "something else");
    let own = world.read(World::live(TEAM, "build-notes"));
    world.disk.write_raw(World::live(TEAM, "build-notes"), &join(&[own.as_bytes(), first.as_bytes()]));
    let request =
        ForgetRequest { label: "build/notes!".into(), tier: None, confirmation: Confirmation::Given };
    let gone = world.memory.forget(&caller(MAKER, TEAM), &request).unwrap();
    assert!(!gone.notes.iter().any(|note| note.contains(CHERRY)), "{:?}", gone.notes);
    assert_eq!(world.texts(TEAM, "Build notes"), (Some("anas words one".into()), Vec::new()));
    let before = (Some("anas words two".into()), vec!["anas words one".into()]);
    assert_eq!(world.texts(CHERRY, "Build notes"), before);
}

#[test] // spec: MEM-12, MEM-48
fn a_version_that_another_clone_superseded_was_not_taken_back_with_the_later_one() {
    let place = crate::place::Place::new();
    place.repository("src/shop");
    place.begin("src/shop");
    place.init("src/shop");
    place.tell("src/shop", "Redis", "redis 7");
    place.commit_all("src/shop");
    place.git("src", &["clone", "-q", "shop", "other"]);
    place.tell("src/other", "Redis", "redis 8");
    place.commit_all("src/other");
    place.git("src/shop", &["pull", "-q", "../other", "HEAD"]);
    let past = || -> Vec<(String, String)> {
        let shown = place.memory().look_at(&place.in_("src/shop"), "Redis", Tier::Project).unwrap();
        let told = |version: &brainstem_memory::ShownVersion| {
            (version.text.clone(), version.lifecycle.as_str().to_owned())
        };
        shown.history.iter().map(told).collect()
    };
    let seven = ("redis 7".to_owned(), "superseded".to_owned());
    assert_eq!(past(), std::slice::from_ref(&seven));
    place.memory().take_back(&place.in_("src/shop"), "Redis").unwrap();
    let taken_back = [("redis 8".to_owned(), "retracted".to_owned()), seven];
    assert_eq!(past(), taken_back);
    place.commit_all("src/shop");
    place.git("src/shop", &["revert", "--no-edit", "HEAD"]);
    place.memory().take_back(&place.in_("src/shop"), "Redis").unwrap();
    assert_eq!(past(), taken_back);
}

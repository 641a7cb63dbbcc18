//! `doctor` looks at everything a home has, and names what is wrong.

mod broken_brains;
mod broken_claims;
mod broken_home;
mod broken_record;
mod counted;
mod every_finding;
mod status;
mod swept;

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, START, Short as _, caller, clock, code, doctrine, service,
    two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk as _, FileKind, PathFacts, SimDisk};
use brainstem_memory::{
    DaemonRecord, Diagnosis, DoctorRequest, InitRequest, Leftovers, Memory, Severity, Tier, Trouble,
};
use brainstem_transfer::mixed_medulla;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A home with two brains, some doctrine and some history.
struct Ward {
    disk: SimDisk,
    clock: Arc<ManualClock>,
    memory: Memory,
    /// The folder of cherry's brain.
    folder: PathBuf,
}

impl Ward {
    fn new() -> Self {
        let disk = two_repositories();
        let clock = clock();
        let memory = service(Arc::new(disk.clone()), &clock);
        let cherry = caller(MAKER, CHERRY);
        let folder = memory.begin(&cherry).unwrap().brain.folder;
        memory.begin(&caller(MAKER, PLUM)).unwrap();
        memory.tell(&cherry, "Retry policy", "three times").unwrap();
        clock.advance(5);
        memory.tell(&cherry, "Retry policy", "four times").unwrap();
        memory.tell(&cherry, "Timeouts", "ten seconds").unwrap();
        memory.take_back(&cherry, "Timeouts").unwrap();
        memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
        Self { disk, clock, memory, folder }
    }

    fn ask(&self, leftovers: Leftovers) -> Diagnosis {
        self.memory
            .doctor(
                &caller(MAKER, CHERRY),
                &DoctorRequest { leftovers, ..DoctorRequest::new(mixed_medulla) },
                &|_, _| (),
            )
            .unwrap()
    }

    fn claims(&self) -> PathBuf {
        self.folder.join("agent-memory")
    }

    /// The one copy that is kept of a label.
    fn kept(&self, slug: &str) -> PathBuf {
        let kept = self.claims().join(".kept");
        let is_its = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy();
            path.starts_with(&kept) && name.starts_with(&format!("{slug}."))
        };
        let [copy] =
            <[PathBuf; 1]>::try_from(self.disk.dump().into_keys().filter(is_its).collect::<Vec<_>>())
                .unwrap();
        copy
    }

    fn live(&self) -> PathBuf {
        self.claims().join("retry-policy.light.md")
    }

    fn read(&self, path: impl AsRef<Path>) -> String {
        String::from_utf8(self.disk.read(path.as_ref(), 1 << 20).unwrap()).unwrap()
    }

    /// Where something is put that is wrong.
    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.claims().join(name);
        self.disk.write_raw(&path, bytes);
        path
    }

    /// A daemon runs as long as this test does.
    fn hold_daemon_lock(&self) {
        let files = self.memory.daemon_files();
        self.disk.make_dirs(&files.folder);
        std::mem::forget(self.disk.lock(&files.lock, Duration::ZERO).unwrap());
    }

    fn record_daemon(&self, record: &DaemonRecord) {
        self.disk.write_raw(self.memory.daemon_files().record, &serde_json::to_vec(record).unwrap());
    }

    fn facts(&self, facts: PathFacts) -> PathBuf {
        self.disk.set_facts(HOME, facts);
        HOME.into()
    }
}

fn file(label: &str, created: i64, text: &str) -> String {
    format!(
        "---\nProtocol: L1GHT/1.0\nNode: {label}\nState: authored\nCreated: {created}\n---\n\n# {label}\n\n{text}\n"
    )
}

/// The repository becomes the place of cherry's memory.
fn settle(ward: &Ward) -> PathBuf {
    ward.memory.init(&caller(PERSON, CHERRY), &InitRequest::default()).unwrap();
    Path::new(CHERRY).join(".brainstem/agent-memory/retry-policy.light.md")
}

type Break = fn(&Ward) -> PathBuf;

#[test] // spec: MEM-43
fn a_sound_home_has_no_findings() {
    let ward = Ward::new();
    let before = ward.disk.dump();
    let diagnosis = ward.ask(Leftovers::Named);
    assert_eq!(diagnosis.findings, []);
    let counts: Vec<_> =
        diagnosis.stores.iter().map(|store| (store.claims, store.versions, store.acts)).collect();
    assert_eq!(counts, [(1, 0, 1), (1, 2, 2), (0, 0, 1)]);
    assert_eq!(ward.ask(Leftovers::Swept).swept, [] as [PathBuf; 0]);
    assert_eq!(ward.disk.dump(), before);
}

#[test] // spec: MEM-43
fn a_missing_home_says_nothing_about_memory() {
    let ward = Ward::new();
    ward.disk.rename(Path::new(HOME), Path::new("/home/ana/away")).unwrap();
    let found = ward.ask(Leftovers::Named).findings;
    assert_eq!(
        found.iter().map(|finding| finding.detail.as_str()).collect::<Vec<_>>(),
        ["there is no home on this machine yet"]
    );
}

#[test] // spec: MEM-43, MEM-49
fn a_younger_version_that_someone_decided_against_is_in_order() {
    let ward = Ward::new();
    let later = START + 1_000_000;
    ward.clock.advance(2_000_000);
    let text = file("Retry policy", later, "five times").replace("authored", "outdated");
    ward.put(&format!(".history/retry-policy.{later}.light.md"), text.as_bytes());
    let is_named =
        || ward.ask(Leftovers::Named).findings.iter().any(|finding| finding.trouble == Trouble::VersionNewer);
    assert!(is_named());
    let (ours, theirs) = (format!("retry-policy@{}", START + 5), format!("retry-policy@{later}"));
    let act = format!(
        "{{\"id\":\"1\",\"ts\":\"2026-01-01T00:00:00Z\",\"agent\":\"{PERSON}\",\"act\":\"resolve\",\
         \"subject\":\"{ours} {theirs}\",\"data\":{{\"took\":\"ours\",\"ours\":\"{ours}\",\"theirs\":\"{theirs}\"}}}}\n"
    );
    ward.disk.append(&ward.folder.join("acts.jsonl"), act.as_bytes()).unwrap();
    assert!(!is_named());
}

#[test] // spec: MEM-43
fn each_folder_log_and_lock_that_cannot_be_written_is_named() {
    let closed = || PathFacts { writable: Some(false), mode: Some(0o500), ..PathFacts::default() };
    let ward = Ward::new();
    settle(&ward);
    let lock = ward.disk.list(&ward.claims().join(".locks")).unwrap().remove(0).name;
    let places = [
        ward.folder.clone(),
        // The claims lie in the repository, and history, copies and locks here.
        ward.claims(),
        Path::new(CHERRY).join(".brainstem"),
        Path::new(CHERRY).join(".brainstem/agent-memory"),
        Path::new(CHERRY).join(".brainstem/acts.jsonl"),
        ward.claims().join(".history"),
        ward.claims().join(".kept"),
        ward.claims().join(".locks").join(lock),
        Path::new(HOME).join("project-brains"),
        Path::new(HOME).join("agent-memory/.history"),
        Path::new(HOME).join("written-here.txt"),
        Path::new(HOME).join("field-reports.jsonl"),
        Path::new(HOME).join("inbox.jsonl"),
        Path::new(CHERRY).join(".brainstem/inbox.jsonl"),
        Path::new(HOME).join("local"),
        Path::new(HOME).join("local/sessions-register"),
        Path::new(HOME).join("local/sessions-register/0123456789abcdef"),
    ];
    for log in places.iter().filter(|place| place.extension().is_some()) {
        if ward.disk.stat(log).is_err() {
            ward.disk.write_raw(log, b"");
        }
    }
    ward.disk.make_dirs(Path::new(HOME).join("local/sessions-register/0123456789abcdef"));
    for place in places {
        let is_named = |start: &str| {
            let found = ward.ask(Leftovers::Named).findings;
            found.into_iter().any(|finding| {
                finding.place == place
                    && finding.trouble.severity() == Severity::Problem
                    && finding.fix.to_string().starts_with(start)
                    && finding.fix.to_string().ends_with(&place.display().to_string())
            })
        };
        assert!(!is_named(""), "{}", place.display());
        ward.disk.set_facts(&place, closed());
        assert!(is_named("chmod u+rw"), "{}", place.display());
        // Only its owner may change the permissions of a file.
        ward.disk.set_facts(&place, PathFacts { owned: Some(false), ..closed() });
        let is_folder = ward.disk.stat(&place).unwrap().kind == FileKind::Dir;
        let start = if is_folder { "sudo chown -R \"$(id -u)\" /" } else { "sudo chown \"$(id -u)\" /" };
        assert!(is_named(start), "{}", place.display());
        ward.disk.set_facts(&place, PathFacts::default());
    }
}

#[test] // spec: MEM-43
fn what_lies_under_the_home_for_a_repository_is_looked_at_too() {
    type Damage = fn(&Ward);
    fn copies(ward: &Ward) -> Vec<PathBuf> {
        let kept = ward.claims().join(".kept");
        ward.disk.dump().into_keys().filter(|path| path.starts_with(&kept)).collect()
    }
    fn put_away(ward: &Ward, dir: &Path) {
        ward.disk.rename(dir, &dir.with_file_name(".removed")).unwrap();
    }
    let table: [(&str, Trouble, Damage); 6] = [
        ("a copy is cut", Trouble::VersionUnreadable, |ward| {
            copies(ward).iter().for_each(|path| ward.disk.write_raw(path, b"---\nProtocol: L1GHT"));
        }),
        ("a folder of copies is a file", Trouble::StoreUnreadable, |ward| {
            let shard = copies(ward)[0].parent().unwrap().to_owned();
            put_away(ward, &shard);
            ward.disk.write_raw(&shard, b"");
        }),
        ("the log is garbage", Trouble::ActsDamaged, |ward| {
            ward.disk.write_raw(ward.folder.join("acts.jsonl"), b"\xff\xfe garbage\n");
        }),
        ("history and copies are gone", Trouble::HistoryGone, |ward| put_away(ward, &ward.claims())),
        ("the boot keys are garbage", Trouble::StoreUnreadable, |ward| {
            ward.disk.write_raw(ward.folder.join("boot_memory_state.json"), b"garbage");
        }),
        ("the record of what was written here is a folder", Trouble::StoreUnreadable, |ward| {
            let path = Path::new(HOME).join("written-here.txt");
            let _ = ward.disk.unlink(&path);
            ward.disk.make_dirs(&path);
        }),
    ];
    for (what, trouble, damage) in table {
        let ward = Ward::new();
        let live = settle(&ward);
        ward.memory.tell(&caller(MAKER, CHERRY), "Gone", "only here").unwrap();
        ward.disk.unlink(&live.with_file_name("gone.light.md")).unwrap();
        let is_found =
            || ward.ask(Leftovers::Named).findings.iter().any(|finding| finding.trouble == trouble);
        assert!(!is_found(), "before: {what}");
        damage(&ward);
        assert!(is_found(), "{what}: {:?}", ward.ask(Leftovers::Named).findings);
        if trouble == Trouble::VersionUnreadable || what.starts_with("a folder of copies") {
            let fresh = service(Arc::new(ward.disk.clone()), &ward.clock);
            let gaps = fresh.all(&caller(MAKER, CHERRY)).gaps;
            assert!(gaps.iter().any(|gap| gap.name == "kept_unreadable"), "{what}: {gaps:?}");
        }
        if trouble == Trouble::VersionUnreadable {
            // A reader of the label hears that it is there and damaged, and never that no claim is called so.
            let maker = caller(MAKER, CHERRY);
            assert_eq!(code(ward.memory.look_at(&maker, "Gone", Tier::Both)), "claim.unreadable");
            assert_eq!(code(ward.memory.take_back(&maker, "Gone")), "claim.unreadable");
            // Where the medulla has one of that label, it is shown, and the damage is named beside it.
            ward.memory.memorize(&caller(PERSON, CHERRY), &doctrine("Gone", "everywhere")).unwrap();
            let gaps = ward.memory.look_at(&maker, "Gone", Tier::Both).unwrap().gaps;
            assert!(gaps.iter().any(|gap| gap.name == "unreadable_version"), "{gaps:?}");
        }
    }
}

//! Random acts over two projects and the medulla, with the power going at random: every version is in
//! exactly one state, each act is in its log once, and nothing is lost.

use crate::act_line::Act;
use crate::power_loss::found_after;
use crate::promote::ORCHESTRATOR;
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, START, Short as _, caller, claim, clock, doctrine, files_below,
    how_sure, service, two_repositories,
};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::promotion::{Provenance, copy_named};
use brainstem_claims::{Claim, ClaimSlug, Label, Lifecycle};
use brainstem_memory::{
    Caller, ConsolidateAs, ConsolidateRequest, EjectRequest, InitRequest, LearnRequest, MemorizeRequest,
    Memory, MemoryError, PromoteAs, PromoteRequest, RetractRequest, Verdict, WriteTier,
};
use brainstem_testkit::Chance;
use brainstem_transfer::{MigrateRequest, MigrateRow, RowFate, Transfer};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LABELS: [&str; 2] = ["Retry policy", "Page size"];
const SEEDS: u64 = 56;
const ACTS: u64 = 32;

/// One thing that is done.
#[derive(Clone, Debug)]
enum Deed {
    Tell(Box<MemorizeRequest>),
    TakeBack(Option<WriteTier>),
    Promote {
        propose: bool,
    },
    Learn {
        verdict: Verdict,
        tier: Option<WriteTier>,
    },
    Consolidate,
    Init,
    Eject,
    /// A file as another tool has left it, in the medulla.
    Leave {
        tag: &'static str,
        born: i64,
    },
    /// A migration, perhaps with a person's word on the label.
    Migrate {
        to: Option<&'static str>,
    },
    Rollback,
}

/// How many claims moved, came back, and stayed because of what was done to them.
#[derive(Debug, Default)]
struct Tally {
    moved: Cell<usize>,
    back: Cell<usize>,
    stay: Cell<usize>,
}

impl Tally {
    fn add(&self, count: &Cell<usize>, rows: &[MigrateRow], fate: RowFate) {
        count.set(count.get() + rows.iter().filter(|row| row.fate == fate).count());
    }
}

/// A deed, by somebody, somewhere, to a label.
#[derive(Clone, Debug)]
struct Step {
    deed: Deed,
    who: &'static str,
    root: &'static str,
    label: &'static str,
}

impl Step {
    fn draw(chance: &mut Chance, number: u64) -> Self {
        let label = LABELS[chance.below(2) as usize];
        // Words that are often the same, so that claims repeat each other.
        let text =
            format!("it is said in this way, {}", ["once", "twice", "thrice"][chance.below(3) as usize]);
        let confidence = ["low", "medium", "high"][chance.below(3) as usize];
        let tell = |request: MemorizeRequest| {
            Deed::Tell(Box::new(MemorizeRequest { confidence: how_sure(confidence), ..request }))
        };
        let tier = |chance: &mut Chance| chance.once_in(2).then_some(WriteTier::Medulla);
        let deed = match chance.below(21) {
            0..=3 => tell(claim(label, &text)),
            4 => tell(doctrine(label, &format!("{text}, {number}"))),
            5 => Deed::TakeBack(tier(chance)),
            6..=8 => Deed::Promote { propose: false },
            9 => Deed::Promote { propose: true },
            10 | 11 => Deed::Learn {
                verdict: [Verdict::Wrong, Verdict::Correct][chance.below(2) as usize],
                tier: tier(chance),
            },
            12 => Deed::Consolidate,
            13 | 14 => Deed::Leave {
                tag: ["cherry", "plum", "rule"][chance.below(3) as usize],
                born: START - 1_000 - number as i64,
            },
            15..=17 => Deed::Migrate { to: [None, Some(CHERRY), Some(PLUM), None][chance.below(4) as usize] },
            18 | 19 => Deed::Rollback,
            _ if chance.once_in(2) => Deed::Init,
            _ => Deed::Eject,
        };
        let who = [MAKER, PERSON, ORCHESTRATOR][chance.below(3) as usize];
        Self { deed, who, root: [CHERRY, PLUM][chance.below(2) as usize], label }
    }

    fn take(&self, memory: &Memory, disk: &SimDisk, tally: &Tally) -> Result<(), MemoryError> {
        let who: Caller = caller(self.who, self.root);
        let label = self.label.to_owned();
        match &self.deed {
            Deed::Tell(request) => memory.memorize(&who, request).map(drop),
            Deed::TakeBack(from) => {
                let request = RetractRequest { label, reason: "it does not hold".into(), tier: *from };
                memory.retract(&who, &request).map(drop)
            }
            Deed::Promote { propose } => {
                let request = PromoteRequest {
                    label,
                    reason: "for all".into(),
                    how: if *propose { PromoteAs::Propose } else { PromoteAs::Share },
                    ..PromoteRequest::default()
                };
                memory.promote(&who, &request).map(drop)
            }
            Deed::Learn { verdict, tier: of } => {
                let request = LearnRequest { label, verdict: *verdict, note: None, tier: *of };
                memory.learn(&who, &request).map(drop)
            }
            Deed::Consolidate => {
                memory.consolidate(&who, &ConsolidateRequest { how: ConsolidateAs::Apply }).map(drop)
            }
            Deed::Init => memory.init(&who, &InitRequest::default()).map(drop),
            Deed::Eject => memory.eject(&who, &EjectRequest::default()).map(drop),
            Deed::Leave { tag, born } => {
                let slug = ClaimSlug::of(&Label::parse(self.label).unwrap());
                let path = Path::new(HOME).join(format!("agent-memory/{slug}.light.md"));
                if disk.stat(&path).is_err() {
                    let text = format!(
                        "---\nProtocol: L1GHT/1.0\nNode: {label}\nState: authored\nCreated: {born}\nSource-Agent: m1nd:scout\nTags: {tag}\n---\n\n# {label}\n\nLeft by another tool.\n"
                    );
                    disk.write_raw(path, text.as_bytes());
                }
                Ok(())
            }
            Deed::Migrate { to } => {
                let decide = to.iter().map(|to| format!("{label}={to}")).collect();
                let done =
                    Transfer::new(memory).migrate_apply(&who, &MigrateRequest { decide }, &|_, _| ())?;
                assert!(done.gates.is_some_and(|gates| gates.hold() && gates.left == 0), "{done:?}");
                tally.add(&tally.moved, &done.rows, RowFate::Moved);
                Ok(())
            }
            Deed::Rollback => {
                let done = Transfer::new(memory).migrate_rollback(&who, &|_, _| ())?;
                for row in &done.rows {
                    assert_eq!(row.fate == RowFate::Back, row.to.is_some(), "{row:?}");
                    assert!(row.fate == RowFate::Back || row.reason.contains("brainstem"), "{row:?}");
                }
                tally.add(&tally.back, &done.rows, RowFate::Back);
                tally.add(&tally.stay, &done.rows, RowFate::Stays);
                Ok(())
            }
        }
    }
}

/// A version: its store, and its bytes without the one line that leaving changes.
type Version = (&'static str, String);

/// Everything there is.
struct Ground {
    /// Every version, with where it is.
    versions: BTreeMap<Version, Vec<(FilePlace, Claim, PathBuf)>>,
    /// The acts of each log.
    acts: BTreeMap<PathBuf, Vec<Act>>,
}

impl Ground {
    fn of(disk: &SimDisk) -> Self {
        let mut ground = Self { versions: BTreeMap::new(), acts: BTreeMap::new() };
        let mut history = Vec::new();
        for (path, bytes) in files_below(disk, "/") {
            if path.ends_with("acts.jsonl") {
                let lines = bytes.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
                ground.acts.insert(path, lines.collect());
                continue;
            }
            let Some(store) = store_of(&path) else { continue };
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let claim = Claim::parse(&bytes).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
            let place = match (path.parent().unwrap().ends_with(".history"), store) {
                (true, _) if name.contains(".retracted.") => FilePlace::HistoryRetracted,
                (true, _) if name.contains(".moved.") => FilePlace::HistoryMoved,
                (true, _) => FilePlace::HistorySuperseded,
                (false, "medulla") => FilePlace::Medulla,
                (false, _) => FilePlace::Project,
            };
            if path.parent().unwrap().ends_with(".history") {
                history.push((store, place, claim, path));
            } else {
                ground.add(store, place, claim, path);
            }
        }
        for (store, place, claim, path) in history {
            ground.add(store, place, claim, path);
        }
        ground
    }

    fn add(&mut self, store: &'static str, place: FilePlace, claim: Claim, path: PathBuf) {
        let version = (store, claim.outdated().render());
        self.versions.entry(version).or_default().push((place, claim, path));
    }

    fn medulla_acts(&self) -> &[Act] {
        self.acts.get(Path::new(HOME).join("acts.jsonl").as_path()).map_or(&[], Vec::as_slice)
    }
}

/// Which store a claim's file is of; copies that are kept are no state.
fn store_of(path: &Path) -> Option<&'static str> {
    if !path.to_string_lossy().ends_with(".light.md")
        || path.components().any(|part| part.as_os_str() == ".kept")
    {
        return None;
    }
    let brains = Path::new(HOME).join("project-brains");
    let folder = path.strip_prefix(&brains).ok().map(|path| path.to_string_lossy().into_owned());
    Some(match folder {
        Some(folder) if folder.starts_with("cherry-") => "cherry",
        Some(_) => "plum",
        None if path.starts_with(CHERRY) => "cherry",
        None if path.starts_with(PLUM) => "plum",
        None => "medulla",
    })
}

/// Whether a claim is of another tool, and nothing says how it came into the medulla.
fn was_left(claim: &Claim) -> bool {
    claim.origin_brain.is_none()
}

fn check(ground: &Ground, memory: &Memory, told: &str) {
    // Each version is in one place, and has the one state that place and header give it.
    for ((store, _), found) in &ground.versions {
        let [(place, claim, path)] = found.as_slice() else { panic!("{told}: in two places: {found:?}") };
        let lifecycle = Lifecycle::of(*place, claim);
        let state = claim.state.map(|state| state.as_str());
        match lifecycle {
            Lifecycle::ProjectPrivate => assert_ne!(*store, "medulla", "{told}"),
            Lifecycle::Promoted | Lifecycle::Doctrine => assert_eq!(*store, "medulla", "{told}"),
            Lifecycle::Superseded => assert_eq!(state, Some("outdated"), "{told}: {}", path.display()),
            Lifecycle::Retracted => assert!(path.to_string_lossy().contains(".retracted."), "{told}"),
            Lifecycle::Moved => assert_eq!(*store, "medulla", "{told}: nothing else leaves its store"),
            Lifecycle::Missing => panic!("{told}: a place alone makes nothing missing"),
            Lifecycle::Unknown => assert!(was_left(claim), "{told}: nothing explains {}", path.display()),
        }
        // A witness names a copy that was made.
        if let Some((slug, created)) = copy_named(claim) {
            let has = |((store, _), found): (&Version, &Vec<(FilePlace, Claim, PathBuf)>)| {
                *store == "medulla" && found.iter().any(|(_, copy, _)| copy.created == Some(created))
            };
            assert!(ground.versions.iter().any(has), "{told}: no copy {slug}@{}", created.ms());
        }
    }
    // What is served says the same as the files.
    for root in [CHERRY, PLUM] {
        for row in memory.all(&caller(MAKER, root)).rows {
            let expected: &[&str] = match row.tier {
                "medulla" if row.source_agent.as_deref() == Some("m1nd:scout") => &["unknown", "promoted"],
                "medulla" => &["promoted", "doctrine"],
                _ => &["project_private"],
            };
            assert!(expected.contains(&row.lifecycle.as_str()), "{told}: {row:?}");
            assert!(!row.resurrected, "{told}: {row:?}");
        }
    }
    // Each act is in its log once.
    for (path, acts) in &ground.acts {
        let ids: BTreeSet<&str> = acts.iter().map(|act| act.id.as_str()).collect();
        assert_eq!(ids.len(), acts.len(), "{told}: {}: {acts:?}", path.display());
    }
    // Each copy came by one promotion, and left by one act.
    let acts = ground.medulla_acts();
    let of = |name: &str, subject: &str| {
        acts.iter().filter(|act| act.act == name && act.subject == subject).count()
    };
    for ((store, _), found) in &ground.versions {
        let (place, claim, path) = &found[0];
        if *store != "medulla" {
            continue;
        }
        let slug = path.file_name().unwrap().to_string_lossy().split('.').next().unwrap().to_owned();
        let version = format!("{slug}@{}", claim.created.unwrap().ms());
        let is_copy = Provenance::of(claim).is_some();
        assert_eq!(of("promote", &version), usize::from(is_copy), "{told}: {version}");
        let is_doctrine = !is_copy && !was_left(claim);
        assert_eq!(of("doctrine", &version), usize::from(is_doctrine), "{told}: {version}");
        let replaced = acts.iter().filter(|act| act.data["replaces"] == version.as_str()).count();
        let row = format!("{version} migration:");
        let of_row =
            |name: &str| acts.iter().filter(|act| act.act == name && act.subject.starts_with(&row)).count();
        let moved = of_row("migrate") - of_row("migrate_back");
        let left = of("retract", &version) + of("demote", &version) + replaced + moved;
        match place {
            FilePlace::Medulla => assert_eq!(left, 0, "{told}: {version} is live"),
            FilePlace::HistoryRetracted => {
                assert_eq!((of("retract", &version), moved), (1, 0), "{told}: {version}");
            }
            FilePlace::HistoryMoved => assert_eq!((moved, left), (1, 1), "{told}: {version}"),
            _ if is_copy => assert_eq!(left, 1, "{told}: {version} left without a record"),
            _ => {}
        }
    }
}

#[test] // spec: MEM-3a, MEM-3b, MEM-3c, MEM-34, MEM-13, MEM-42, MEM-42b
fn every_version_is_in_exactly_one_state_whatever_is_done_and_wherever_power_fails() {
    let (mut done, mut cut, tally) = (0, 0, Tally::default());
    for seed in 0..SEEDS {
        let mut chance = Chance::new(seed, 7);
        let (mut disk, clock) = (two_repositories(), clock());
        for root in [CHERRY, PLUM] {
            service(Arc::new(disk.clone()), &clock).begin(&caller(MAKER, root)).unwrap();
        }
        let mut before: BTreeSet<Version> = BTreeSet::new();
        for number in 0..ACTS {
            clock.advance(chance.below(3) as i64 * 1_000);
            let step = Step::draw(&mut chance, number);
            let told = format!("seed {seed}, act {number}: {step:?}");
            if chance.once_in(2) {
                disk.lose_power_after(chance.below(40));
                let _ = step.take(&service(Arc::new(disk.clone()), &clock), &disk, &Tally::default());
                if disk.lost_power() {
                    cut += 1;
                }
                let mut found = found_after(&disk, chance.draw());
                disk = found.swap_remove(chance.below(found.len() as u64) as usize).1;
            }
            // The one who was cut off tries again; who was not, just does it.
            let memory = service(Arc::new(disk.clone()), &clock);
            done += u32::from(step.take(&memory, &disk, &tally).is_ok());
            let ground = Ground::of(&disk);
            check(&ground, &memory, &told);
            let after: BTreeSet<Version> = ground.versions.into_keys().collect();
            // What a rollback takes out of a project is back in the medulla, word for word.
            let is_back = |text: &str| after.contains(&("medulla", text.to_owned()));
            let lost = before.difference(&after).filter(|(store, text)| {
                !(matches!(step.deed, Deed::Rollback) && *store != "medulla" && is_back(text))
            });
            assert_eq!(lost.collect::<Vec<_>>(), Vec::<&Version>::new(), "{told}");
            before = after;
        }
    }
    assert!(done > 400 && cut > 100, "{done} acts were done, {cut} were cut off");
    let (moved, back, stay) = (tally.moved.get(), tally.back.get(), tally.stay.get());
    assert!(moved > 30 && back > 8 && stay > 3, "{moved} claims moved, {back} came back, {stay} stayed");
}

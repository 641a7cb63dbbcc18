//! A call that is refused because one folder, or one log, cannot be written leaves nothing that any verb takes for done;
//! and once it can be written again, the repeat does what was asked. Stores under the home and in a repository alike.

use crate::act_line::Act;
use crate::promote::promote;
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, Short as _, caller, claim, clock, code, doctrine, service, two_repositories,
};
use brainstem_base::disk::{Disk as _, FileKind, SimDisk, UnsyncedFate};
use brainstem_claims::undecided_file::join;
use brainstem_memory::{
    BatchLine, Confirmation, DoctorRequest, EjectRequest, ForgetRequest, InitRequest, LearnRequest, Memory,
    MemoryError, Moving, RenameRequest, ResolveRequest, RetractRequest, Tier, Trouble, Verdict, WriteTier,
};
use brainstem_testkit::cases;
use brainstem_transfer::mixed_medulla;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) type Ask = fn(&Memory) -> Result<(), MemoryError>;

pub(crate) const LABELS: [&str; 7] =
    ["Retry policy", "Attempts", "Cache", "Caches", "Timeouts", "Split", "Tabs"];

pub(crate) fn maker() -> brainstem_memory::Caller {
    caller(MAKER, CHERRY)
}

/// What is asked, each upon a store that has something to lose.
pub(crate) fn asks() -> Vec<(&'static str, Ask)> {
    fn rename(memory: &Memory, to: &str) -> Result<(), MemoryError> {
        let request = RenameRequest { label: "Cache".into(), to: to.into(), tier: None };
        memory.rename(&maker(), &request).map(drop)
    }
    vec![
        ("birth", |memory| memory.tell(&maker(), "Timeouts", "ten seconds").map(drop)),
        ("supersede", |memory| memory.tell(&maker(), "Retry policy", "five times").map(drop)),
        ("supersede what git took away", |memory| memory.tell(&maker(), "Attempts", "six").map(drop)),
        ("batch", |memory| {
            let line = |label: &str| Ok(BatchLine::from(claim(label, "of a batch")));
            let done = memory.memorize_batch(&maker(), None, vec![line("Timeouts")], &|_| true)?;
            match done.into_iter().next().map(|line| line.outcome) {
                Some(brainstem_memory::Outcome::Refused(error)) => Err(error),
                _ => Ok(()),
            }
        }),
        ("edit", |memory| {
            let editing = memory.begin_edit(&maker(), "Retry policy", None)?;
            let page = editing.page.replace("times", "nights");
            memory.finish_edit(&maker(), &editing, &page).map(drop)
        }),
        ("retract", |memory| memory.take_back(&maker(), "Cache").map(drop)),
        ("retract doctrine", |memory| {
            let request = RetractRequest {
                label: "Tabs".into(),
                reason: "no longer".into(),
                tier: Some(WriteTier::Medulla),
            };
            memory.retract(&maker(), &request).map(drop)
        }),
        ("rename", |memory| rename(memory, "Caches")),
        ("respell", |memory| rename(memory, "cache")),
        ("forget", |memory| {
            let request =
                ForgetRequest { label: "Cache".into(), tier: None, confirmation: Confirmation::Given };
            memory.forget(&maker(), &request).map(drop)
        }),
        ("forget doctrine", |memory| {
            let request = ForgetRequest {
                label: "Tabs".into(),
                tier: Some(WriteTier::Medulla),
                confirmation: Confirmation::Given,
            };
            memory.forget(&maker(), &request).map(drop)
        }),
        ("promote", |memory| promote(memory, &maker(), "Retry policy").map(drop)),
        ("doctrine", |memory| memory.memorize(&maker(), &doctrine("Spaces", "never")).map(drop)),
        ("learn", |memory| {
            let request = LearnRequest {
                label: "Retry policy".into(),
                verdict: Verdict::Wrong,
                note: Some("it is not".into()),
                tier: None,
            };
            memory.learn(&maker(), &request).map(drop)
        }),
        ("resolve", |memory| {
            let request = ResolveRequest {
                label: Some("Split".into()),
                take: Some("theirs".into()),
                ..ResolveRequest::default()
            };
            memory.resolve(&maker(), &request).map(drop)
        }),
        ("resolve what git took away", |memory| {
            let request = ResolveRequest {
                label: Some("Retry policy".into()),
                text: Some("all of it".into()),
                ..ResolveRequest::default()
            };
            memory.resolve(&maker(), &request).map(drop)
        }),
        ("boot set", |memory| memory.boot_set(&maker(), "test", "new", None).map(drop)),
    ]
}

/// Where the claims lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Home,
    Repository,
}

/// Claims with a past, a merge that waits and, in a repository, versions that git took away.
pub(crate) fn prepared(place: Place) -> SimDisk {
    let (disk, clock) = (two_repositories(), clock());
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let memory = service(Arc::new(disk.clone()), &clock);
    memory.begin(&maker()).unwrap();
    if place == Place::Repository {
        memory.init(&maker(), &InitRequest::default()).unwrap();
    }
    for (label, text) in [
        ("Retry policy", "three times"),
        ("Retry policy", "four times"),
        ("Cache", "a zebra"),
        ("Cache", "two zebras"),
        ("Attempts", "five"),
        ("Split", "one side"),
    ] {
        memory.tell(&maker(), label, text).unwrap();
        clock.advance(1_000);
    }
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    memory.boot_set(&maker(), "test", "old", None).unwrap();
    let claims = match place {
        Place::Home => memory.brains(&maker()).unwrap().brains.remove(0).brain.folder.join("agent-memory"),
        Place::Repository => Path::new(CHERRY).join(".brainstem/agent-memory"),
    };
    let split = claims.join("split.light.md");
    let ours = String::from_utf8(disk.read(&split, 1 << 20).unwrap()).unwrap();
    let theirs = ours.replace("one side", "the other side").replace("Created: 1", "Created: 2");
    disk.write_raw(&split, &join(&[ours.as_bytes(), theirs.as_bytes()]));
    if place == Place::Repository {
        disk.unlink(&claims.join("attempts.light.md")).unwrap();
        disk.sync_dir(&claims).unwrap();
        let retry = claims.join("retry-policy.light.md");
        let now = String::from_utf8(disk.read(&retry, 1 << 20).unwrap()).unwrap();
        // Another clone's version, of which nothing here knows.
        let other =
            now.lines().filter(|line| !line.starts_with("Follows") && !line.starts_with("Supersedes"));
        let other = other.collect::<Vec<_>>().join("\n").replace("four times", "eight times");
        let other = other.replace("codex:maker", "human:ben").replace("2408\n", "2409\n");
        assert_ne!(other.len(), other.replace("Created: 1783209432409", "").len(), "{other}");
        disk.write_raw(&retry, other.as_bytes());
    }
    disk
}

/// Everything that any verb takes for done: rows, history, acts, gaps, what waits, what would come back, findings.
pub(crate) fn view(disk: &SimDisk) -> BTreeSet<String> {
    let now = clock();
    now.advance(90_000);
    let memory = service(Arc::new(disk.clone()), &now);
    let mut seen = BTreeSet::new();
    for label in LABELS {
        for tier in [Tier::Project, Tier::Medulla] {
            let Ok(shown) = memory.look_at(&maker(), label, tier) else { continue };
            for row in shown.claim.iter().chain(&shown.sides) {
                let (text, marks) = (&row.text, (row.side, row.resurrected, row.forgotten, row.trust));
                seen.insert(format!("live {label} {} {text:?} {marks:?}", row.tier));
            }
            for past in &shown.history {
                let by = past.retracted.as_ref().map(|act| act.agent());
                seen.insert(format!(
                    "past {label} {:?} {} {} {by:?}",
                    past.text,
                    past.lifecycle.as_str(),
                    past.missing
                ));
            }
            seen.extend(shown.life.iter().map(|step| format!("life {label} {}", step.sentence)));
        }
    }
    let listed = memory.all(&maker());
    seen.extend(listed.rows.iter().map(|row| format!("row {} {:?}", row.label, row.text)));
    seen.extend(listed.gaps.iter().map(|gap| format!("gap {} {}", gap.name, gap.detail)));
    let waiting = memory.resolve(&maker(), &ResolveRequest::default()).unwrap().waiting;
    seen.extend(waiting.iter().map(|row| format!("waits {} {:?}", row.label, row.text)));
    let request = InitRequest { moving: Moving::DryRun, ..InitRequest::default() };
    seen.extend(
        memory.init(&maker(), &request).unwrap().restored.iter().map(|label| format!("comes back {label}")),
    );
    let boot = memory.boot_list(&maker(), None, Tier::Both).unwrap().rows;
    seen.extend(boot.iter().map(|row| format!("boot {} {}", row.key, row.value)));
    let found = memory.doctor(&maker(), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    // What could not be cleared away is named as such, and taken for nothing.
    let leftovers = [Trouble::LeftoverWords, Trouble::LeftoverFile, Trouble::ChangeInterrupted];
    let found = found.iter().filter(|finding| !leftovers.contains(&finding.trouble));
    seen.extend(found.map(|finding| format!("finding {} {}", finding.trouble.name(), finding.detail)));
    for (path, bytes) in disk.dump().into_iter().filter(|(path, _)| path.ends_with("acts.jsonl")) {
        let lines = bytes.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice::<Act>(line).ok());
        seen.extend(lines.map(|act| format!("act {} {} {}", path.display(), act.act, act.subject)));
    }
    seen
}

/// Every folder and every log that a call may want to change.
fn places(disk: &SimDisk, dir: &Path) -> Vec<PathBuf> {
    let mut found = vec![dir.to_owned()];
    for entry in disk.list(dir).unwrap() {
        let path = dir.join(&entry.name);
        match entry.kind {
            FileKind::Dir if ![".git", "local", "index"].iter().any(|name| entry.name == *name) => {
                found.extend(places(disk, &path))
            }
            FileKind::File if entry.name == "acts.jsonl" => found.push(path),
            FileKind::Dir | FileKind::File | FileKind::Link | FileKind::Other => {}
        }
    }
    found
}

fn disk_has(disk: &SimDisk, path: &Path) -> bool {
    disk.stat(path).is_ok()
}

/// Asks with one place frozen from a step on. Whether it was refused.
fn refused(
    name: &str,
    ask: Ask,
    before: &SimDisk,
    seen: &BTreeSet<String>,
    frozen: &Path,
    steps: u64,
) -> bool {
    let disk = before.reboot(UnsyncedFate::Kept);
    disk.freeze_after(frozen, steps);
    let told = format!("{name} with {} frozen after {steps} steps", frozen.display());
    let now = clock();
    now.advance(60_000);
    let answer = ask(&service(Arc::new(disk.clone()), &now));
    disk.thaw();
    let Err(error) = answer else { return false };
    let answer = error.to_string();
    let code = code(Err::<(), _>(error));
    assert!(["store.read_only", "store.unconfirmed"].contains(&code), "{told}: {code}");
    let after = view(&disk);
    let (more, less): (Vec<_>, Vec<_>) =
        (after.difference(seen).collect(), seen.difference(&after).collect());
    // A folder that takes the new name and then nothing more leaves both, and the answer says that the change may be in
    // place; where a folder gives up the names and then keeps something of a claim, the refusal says so.
    let is_told = less.is_empty() && code == "store.unconfirmed"
        || answer.contains("the claim is forgotten, and what is left");
    assert!(is_told || more.is_empty() && less.is_empty(), "{told}: new {more:#?}, gone {less:#?}");
    ask(&service(Arc::new(disk.clone()), &now))
        .unwrap_or_else(|error| panic!("{told}, then permitted: {error}"));
    let whole = before.reboot(UnsyncedFate::Kept);
    ask(&service(Arc::new(whole.clone()), &now)).unwrap();
    assert_eq!(view(&disk), view(&whole), "{told}, then permitted");
    true
}

#[test] // spec: MEM-13, MEM-13a
fn what_is_refused_for_want_of_rights_is_done_nowhere() {
    for place in [Place::Home, Place::Repository] {
        let before = prepared(place);
        let seen = view(&before);
        let frozen: Vec<PathBuf> =
            [HOME, CHERRY].iter().flat_map(|dir| places(&before, Path::new(dir))).collect();
        for (name, ask) in asks() {
            if place == Place::Home && name.ends_with("git took away") {
                continue;
            }
            let count = frozen.iter().filter(|path| refused(name, ask, &before, &seen, path, 0)).count();
            assert!(count > 0, "{name} in {place:?} writes somewhere");
        }
    }
}

#[test] // spec: MEM-13, MEM-13a
fn what_is_refused_in_the_middle_is_done_nowhere() {
    // Every step in the soak; in a check every few, which are others for each place.
    let stride = if cases(1) > 1 { 1 } else { 9 };
    for place in [Place::Home, Place::Repository] {
        let before = prepared(place);
        let seen = view(&before);
        let frozen: Vec<PathBuf> =
            [HOME, CHERRY].iter().flat_map(|dir| places(&before, Path::new(dir))).collect();
        for (name, ask) in asks() {
            if place == Place::Home && name.ends_with("git took away") {
                continue;
            }
            for path in &frozen {
                // The keys lie beside their log there: what takes the act and then nothing more keeps it.
                if name == "boot set" && disk_has(&before, &path.join("boot_memory_state.json")) {
                    continue;
                }
                // Until a call that was refused no longer is: then the place is not touched any more.
                let mut was_refused = true;
                for steps in (1..).step_by(stride) {
                    let is_refused = refused(name, ask, &before, &seen, path, steps);
                    if !is_refused && !was_refused {
                        break;
                    }
                    was_refused = is_refused;
                }
            }
        }
    }
}

#[test] // spec: MEM-13, MEM-2
fn a_move_that_is_refused_loses_nothing_and_the_repeat_completes_it() {
    let moves: [(&str, Place, Ask); 2] = [
        ("init", Place::Home, |memory| memory.init(&maker(), &InitRequest::default()).map(drop)),
        ("eject", Place::Repository, |memory| memory.eject(&maker(), &EjectRequest::default()).map(drop)),
    ];
    for (name, place, ask) in moves {
        let before = prepared(place);
        let texts = |disk: &SimDisk| -> BTreeSet<String> {
            let memory = service(Arc::new(disk.clone()), &clock());
            let mut texts = BTreeSet::new();
            for shown in LABELS.iter().filter_map(|label| memory.look_at(&maker(), label, Tier::Project).ok())
            {
                texts.extend(shown.claim.into_iter().chain(shown.sides).map(|row| row.text));
                texts.extend(shown.history.into_iter().map(|version| version.text));
            }
            texts
        };
        let whole = before.reboot(UnsyncedFate::Kept);
        ask(&service(Arc::new(whole.clone()), &clock())).unwrap();
        let frozen: Vec<PathBuf> =
            [HOME, CHERRY].iter().flat_map(|dir| places(&before, Path::new(dir))).collect();
        let mut refusals = 0;
        for path in &frozen {
            for steps in (0..60).step_by(3) {
                let disk = before.reboot(UnsyncedFate::Kept);
                disk.freeze_after(path, steps);
                let answer = ask(&service(Arc::new(disk.clone()), &clock()));
                disk.thaw();
                refusals += usize::from(answer.is_err());
                let told = format!("{name} with {} frozen after {steps} steps", path.display());
                assert!(texts(&disk).is_superset(&texts(&before)), "{told}: {:?}", texts(&disk));
                ask(&service(Arc::new(disk.clone()), &clock()))
                    .unwrap_or_else(|error| panic!("{told}: {error}"));
                assert_eq!(texts(&disk), texts(&whole), "{told}, then permitted");
            }
        }
        assert!(refusals > 10, "{name} writes in many places");
    }
}

//! Power is lost before every step of every verb that writes, and every fate of what was not synced
//! is tried; then the call is repeated, or another one is made instead.

use crate::act_line::Act;
use crate::power_loss::{Call, Mortal, call, crashed, found_after, later};
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, files_below,
    how_sure, service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk, SimDisk, UnsyncedFate};
use brainstem_memory::{InitRequest, MemorizeRequest, Reaffirm, RetractRequest, Tier, WriteTier};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Calls one after another, on a disk that was prepared for them.
struct Case {
    name: &'static str,
    prepared: SimDisk,
    root: &'static str,
    calls: Vec<Call>,
    /// Each reaffirmation is an act of its own: one that was done and not answered is done once more
    /// by the repeat.
    affirms: bool,
}

fn case(name: &'static str, before: Vec<Call>, calls: Vec<Call>) -> Case {
    let disk = two_repositories();
    let clock = clock();
    for call in &before {
        call(&service(Arc::new(disk.clone()), &clock)).unwrap();
        clock.advance(1_000);
    }
    Case { name, prepared: disk, root: CHERRY, calls, affirms: name.contains("affirm") }
}

fn begin() -> Call {
    call(|memory| memory.begin(&caller(MAKER, CHERRY)))
}

fn tell(request: MemorizeRequest) -> Call {
    tell_as(MAKER, request)
}

fn tell_as(agent: &'static str, request: MemorizeRequest) -> Call {
    call(move |memory| memory.memorize(&caller(agent, CHERRY), &request))
}

fn sure(text: &str) -> MemorizeRequest {
    MemorizeRequest { confidence: how_sure("high"), ..claim("Retry policy", text) }
}

fn unsure(text: &str) -> MemorizeRequest {
    MemorizeRequest { confidence: how_sure("low"), ..claim("Retry policy", text) }
}

fn again(request: MemorizeRequest) -> MemorizeRequest {
    MemorizeRequest { reaffirm: Reaffirm::Always, ..request }
}

fn take_back() -> Call {
    call(|memory| memory.take_back(&caller(MAKER, CHERRY), "Retry policy"))
}

fn take_back_doctrine(agent: &'static str) -> Call {
    let request = || RetractRequest {
        label: "Retry policy".into(),
        reason: "it was wrong".into(),
        tier: Some(WriteTier::Medulla),
    };
    call(move |memory| memory.retract(&caller(agent, CHERRY), &request()))
}

fn moved_root() -> Case {
    let mut case = case("a moved root", vec![begin(), tell(sure("three times"))], vec![]);
    case.prepared.rename(Path::new(CHERRY), Path::new("/src/moved")).unwrap();
    case.prepared.sync_dir(Path::new("/src")).unwrap();
    case.root = "/src/moved";
    let moved = || caller(MAKER, "/src/moved");
    case.calls = vec![
        call(move |memory| memory.begin(&moved())),
        call(move |memory| memory.memorize(&moved(), &sure("five times"))),
        call(move |memory| memory.take_back(&moved(), "Retry policy")),
    ];
    case
}

fn cases() -> Vec<Case> {
    let doctrine = || doctrine("Retry policy", "three times");
    let better = || MemorizeRequest { confidence: how_sure("high"), ..doctrine() };
    vec![
        case("bootstrap of a fresh home", vec![], vec![begin()]),
        case(
            "bootstrap of a second project",
            vec![begin(), tell(sure("three times"))],
            vec![call(|memory| memory.begin(&caller(MAKER, PLUM)))],
        ),
        case("bootstrap again", vec![begin()], vec![begin()]),
        case("birth", vec![begin()], vec![tell(sure("three times"))]),
        case(
            "a chain of versions",
            vec![begin()],
            vec![tell(sure("three times")), tell(sure("four times")), tell(sure("five times"))],
        ),
        case(
            "identical",
            vec![begin(), tell(sure("three times")), tell(sure("four times"))],
            vec![tell(sure("four times"))],
        ),
        case("affirm", vec![begin(), tell(sure("three times"))], vec![tell(again(sure("three times")))]),
        case(
            "affirm twice",
            vec![begin(), tell(sure("three times"))],
            vec![tell(again(sure("three times"))), tell(again(sure("three times")))],
        ),
        case("doctrine by a person in a fresh home", vec![], vec![tell_as(PERSON, doctrine())]),
        case("doctrine by a maker", vec![begin()], vec![tell_as(MAKER, doctrine())]),
        case(
            "doctrine superseded and affirmed by a maker",
            vec![begin(), tell_as(PERSON, doctrine())],
            vec![tell_as(MAKER, better()), tell_as(MAKER, again(better()))],
        ),
        case(
            "doctrine taken back by a maker",
            vec![begin(), tell_as(PERSON, doctrine())],
            vec![take_back_doctrine(MAKER)],
        ),
        case(
            "retract",
            vec![begin(), tell(sure("three times")), tell(sure("four times"))],
            vec![take_back()],
        ),
        case(
            "retract, then a weaker truth",
            vec![begin(), tell(sure("three times"))],
            vec![take_back(), tell(unsure("perhaps twice"))],
        ),
        case(
            "retract twice within one millisecond",
            vec![begin()],
            vec![tell(sure("three times")), take_back(), tell(sure("three times")), take_back()],
        ),
        moved_root(),
        case("birth in a repository", vec![begin(), init()], vec![tell(sure("three times"))]),
        case(
            "a chain of versions in a repository",
            vec![begin(), init(), tell(sure("three times"))],
            vec![tell(sure("four times")), tell(sure("five times"))],
        ),
        case(
            "affirm in a repository",
            vec![begin(), init(), tell(sure("three times"))],
            vec![tell(again(sure("three times")))],
        ),
        case(
            "retract in a repository, then a weaker truth",
            vec![begin(), init(), tell(sure("three times")), tell(sure("four times"))],
            vec![take_back(), tell(unsure("perhaps twice"))],
        ),
    ]
}

/// The claims go into the repository.
fn init() -> Call {
    call(|memory| memory.init(&caller(MAKER, CHERRY), &InitRequest::default()))
}

/// Everything a caller can see of the label's stores and of the brains.
#[derive(Clone, Debug, PartialEq, Default)]
struct View {
    /// By tier: birth, text and state.
    live: BTreeMap<&'static str, (i64, String, String)>,
    /// By tier: birth, text and lifecycle, youngest first.
    history: BTreeMap<&'static str, Vec<(i64, String, &'static str)>>,
    /// Act, subject and agent, by store.
    acts: BTreeSet<(&'static str, String, String, String)>,
    /// Root, name and count of claims.
    brains: BTreeSet<(PathBuf, String, Option<usize>)>,
    medulla_claims: Option<usize>,
}

impl View {
    fn of(disk: &SimDisk, root: &str) -> Self {
        let memory = service(Arc::new(disk.clone()), &later());
        let mut view = Self::default();
        let caller = caller(MAKER, root);
        for (name, tier) in [("project", Tier::Project), ("medulla", Tier::Medulla)] {
            let shown = match memory.look_at(&caller, "Retry policy", tier) {
                Ok(shown) => shown,
                Err(error) => {
                    let code = error.code().name();
                    assert!(["claim.not_found", "memory.brainless_root"].contains(&code), "{error}");
                    continue;
                }
            };
            assert_eq!(shown.gaps, [], "every version is whole");
            if let Some(row) = shown.claim {
                let state = row.state.unwrap().as_str().to_owned();
                view.live.insert(name, (row.created.unwrap().ms(), row.text, state));
            }
            let versions = shown.history.into_iter();
            let versions =
                versions.map(|v| (v.created.unwrap().ms(), v.text, v.lifecycle.as_str())).collect();
            view.history.insert(name, versions);
        }
        let brains = memory.brains(&caller).unwrap();
        let projects = brains.brains.iter().map(|row| row.brain.store_paths().acts);
        for path in projects.chain([PathBuf::from(HOME).join("acts.jsonl")]) {
            view.read_acts(disk, &path);
        }
        view.brains = brains
            .brains
            .into_iter()
            .map(|row| (row.brain.root, row.brain.manifest.name.to_string(), row.claims))
            .collect();
        view.medulla_claims = brains.medulla_claims;
        view
    }

    fn read_acts(&mut self, disk: &SimDisk, path: &Path) {
        let store = if path == Path::new(HOME).join("acts.jsonl") { "medulla" } else { "project" };
        let bytes = disk.dump().remove(path).unwrap_or_default();
        let mut ids = BTreeSet::new();
        for act in bytes.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice::<Act>(line).ok()) {
            assert!(ids.insert(act.id.clone()), "an act is in the log once: {act:?}");
            // A brain's id is drawn anew when its bootstrap is repeated.
            let subject = if act.act == "bootstrap" { "a brain".into() } else { act.subject };
            self.acts.insert((store, act.act, subject, act.agent));
        }
    }

    /// Every version, live or in history, by tier, birth and text; each must be there once.
    fn versions(&self) -> BTreeSet<(&'static str, i64, String)> {
        let mut all = BTreeSet::new();
        let live = self.live.iter().map(|(tier, (at, text, _))| (*tier, *at, text.clone()));
        let past = self.history.iter();
        let past = past.flat_map(|(tier, all)| all.iter().map(|(at, text, _)| (*tier, *at, text.clone())));
        for version in live.chain(past) {
            assert!(all.insert(version.clone()), "{version:?} is in two places");
        }
        all
    }
}

/// The state before the first call and after each, when nothing goes wrong.
fn undisturbed(case: &Case) -> (Vec<View>, SimDisk) {
    let disk = case.prepared.reboot(UnsyncedFate::Kept);
    let mut states = vec![View::of(&disk, case.root)];
    for call in &case.calls {
        call(&service(Arc::new(disk.clone()), &later())).unwrap();
        states.push(View::of(&disk, case.root));
    }
    (states, disk)
}

/// Makes the calls until one fails; answers how many did not.
fn run(case: &Case, disk: &Arc<dyn Disk>) -> usize {
    let done = |call: &&Call| call(&service(disk.clone(), &later())).is_ok();
    case.calls.iter().take_while(done).count()
}

/// Makes the calls from the one that failed on.
fn finish(case: &Case, from: usize, disk: &SimDisk, states: &[View]) {
    for (at, call) in case.calls.iter().enumerate().skip(from) {
        match call(&service(Arc::new(disk.clone()), &later())) {
            Ok(()) => {}
            // Taking back what was taken back already is refused, and nothing is left to do.
            Err(error) => {
                assert_eq!(error.code().name(), "claim.not_found", "{}: {error}", case.name);
                assert_eq!(View::of(disk, case.root), states[at + 1], "{}", case.name);
            }
        }
    }
}

/// The files of the home, apart from copies of versions in a repository: one that stays after a crash says nothing new.
fn names(disk: &SimDisk) -> Vec<PathBuf> {
    let is_copy = |path: &PathBuf| path.components().any(|part| part.as_os_str() == ".kept");
    files_below(disk, HOME).into_keys().filter(|path| !is_copy(path)).collect()
}

#[test] // spec: MEM-13, MEM-11, MEM-12, MEM-3a
fn a_crash_leaves_the_old_or_the_new_and_the_repeat_completes_it() {
    for case in cases() {
        let (states, whole) = undisturbed(&case);
        for steps in 0.. {
            let disk = case.prepared.reboot(UnsyncedFate::Kept);
            disk.lose_power_after(steps);
            let shared: Arc<dyn Disk> = Arc::new(disk.clone());
            let done = run(&case, &shared);
            for (fate, found) in found_after(&disk, steps) {
                let told = format!("{} after {steps} steps, {fate:?}", case.name);
                let view = View::of(&found, case.root);
                let (old, new) = (&states[done], states.get(done + 1).unwrap_or(&states[done]));
                for tier in ["project", "medulla"] {
                    let live = view.live.get(tier);
                    assert!(live == old.live.get(tier) || live == new.live.get(tier), "{told}: {view:?}");
                }
                let versions = view.versions();
                assert!(versions.is_superset(&old.versions()), "{told}: a version is lost: {view:?}");
                assert!(versions.is_subset(&new.versions()), "{told}: a version nobody wrote: {view:?}");
                assert!(view.acts.is_superset(&old.acts), "{told}: an act is lost: {view:?}");
                if !disk.lost_power() {
                    assert_eq!(view, *old, "{told}: answered, so it must be there");
                }
                if case.affirms && disk.lost_power() && view == *new {
                    continue;
                }
                finish(&case, done, &found, &states);
                assert_eq!(View::of(&found, case.root), *states.last().unwrap(), "{told}, repeated");
                assert_eq!(names(&found), names(&whole), "{told}, repeated");
            }
            if !disk.lost_power() {
                assert_eq!(done, case.calls.len());
                break; // It ran to the end: every step was covered.
            }
        }
    }
}

#[test] // spec: MEM-13
fn what_a_killed_process_left_is_certain_once_the_repeat_has_answered() {
    for case in cases() {
        let (states, whole) = undisturbed(&case);
        for operations in 0.. {
            let disk = case.prepared.reboot(UnsyncedFate::Kept);
            let mortal = Arc::new(Mortal::new(disk.clone(), operations));
            let shared: Arc<dyn Disk> = mortal.clone();
            let done = run(&case, &shared);
            let done_unanswered = states.get(done + 1) == Some(&View::of(&disk, case.root));
            finish(&case, done, &disk, &states);
            // Only now does the power go.
            let told = format!("{} killed after {operations} operations", case.name);
            let found = disk.reboot(UnsyncedFate::Lost);
            if case.affirms && done_unanswered {
                let (view, last) = (View::of(&found, case.root), states.last().unwrap());
                assert!(view.versions().is_superset(&last.versions()), "{told}");
                assert!(view.acts.is_superset(&last.acts), "{told}");
                continue;
            }
            assert_eq!(View::of(&found, case.root), *states.last().unwrap(), "{told}");
            assert_eq!(names(&found), names(&whole), "{told}");
            if mortal.has_survived() {
                break;
            }
        }
    }
}

#[test] // spec: MEM-12, MEM-13
fn a_retraction_after_a_crashed_supersession_takes_back_what_is_live() {
    let case = case("", vec![begin(), tell(sure("three times"))], vec![]);
    crashed(&case.prepared, &tell(sure("four times")), |disk, told| {
        let live = View::of(disk, CHERRY).live["project"].clone();
        take_back()(&service(Arc::new(disk.clone()), &later())).unwrap();
        let view = View::of(disk, CHERRY);
        view.versions();
        let history = &view.history["project"];
        assert_eq!(history[0], (live.0, live.1.clone(), "retracted"), "{told}: {view:?}");
        let rest: Vec<_> = history[1..].iter().map(|(_, text, why)| (text.as_str(), *why)).collect();
        let superseded = if live.1.contains("four") { vec![("three times", "superseded")] } else { vec![] };
        assert_eq!((view.live.get("project"), rest), (None, superseded), "{told}: {view:?}");
        let retractions = view.acts.iter().filter(|(_, act, ..)| act == "retract").count();
        assert_eq!(retractions, 1, "{told}");
    });
}

#[test] // spec: MEM-12, MEM-13
fn a_retraction_that_is_killed_after_a_crashed_supersession_leaves_its_version_in_one_state() {
    let case = case("", vec![begin(), tell(sure("three times"))], vec![]);
    let past = |disk: &SimDisk| -> Vec<PathBuf> {
        let is_past = |path: &PathBuf| path.to_string_lossy().contains("/.history/retry-policy.");
        disk.dump().into_keys().filter(is_past).collect()
    };
    // Killed when the version lay in history as superseded, and was live still.
    let mut cut_off = None;
    crashed(&case.prepared, &tell(sure("four times")), |disk, _| {
        let is_live = View::of(disk, CHERRY).live["project"].1.contains("three");
        if cut_off.is_none() && is_live && past(disk).len() == 1 {
            cut_off = Some(disk.clone());
        }
    });
    let cut_off = cut_off.expect("the version is put into history before its successor is live");
    let mut retracted = 0;
    crashed(&cut_off, &take_back(), |disk, told| {
        let past = past(disk);
        assert!(past.len() <= 1, "{told}: {past:?}");
        retracted += past.iter().filter(|path| path.to_string_lossy().contains(".retracted.")).count();
    });
    assert!(retracted > 0, "it was killed after the version was taken back, too");
}

#[test] // spec: MEM-12, MEM-13
fn a_claim_after_a_crashed_retraction_finds_the_label_taken_back_or_not() {
    let case = case("", vec![begin(), tell(sure("three times"))], vec![]);
    let before = View::of(&case.prepared, CHERRY);
    let mut recorded_and_live = 0;
    for request in [sure("four times"), unsure("perhaps twice"), sure("three times")] {
        crashed(&case.prepared, &take_back(), |disk, told| {
            let told = format!("{:?} {told}", request.text);
            let found = View::of(disk, CHERRY);
            let is_recorded = found.acts.iter().any(|(_, act, ..)| act == "retract");
            let was_live = found.live.contains_key("project");
            recorded_and_live += usize::from(is_recorded && was_live);
            let answer = code(tell(request.clone())(&service(Arc::new(disk.clone()), &later())));
            let view = View::of(disk, CHERRY);
            assert!(view.versions().is_superset(&before.versions()), "{told}: {view:?}");
            let why: Vec<_> = view.history["project"].iter().map(|(_, _, why)| *why).collect();
            let live = view.live["project"].1.as_str();
            let given = request.text.clone();
            if !was_live {
                assert_eq!((answer, live, why), ("ok", given.as_str(), vec!["retracted"]), "{told}");
            } else if request.confidence == how_sure("low") {
                // What is live may be what git brought back: no other call takes it away.
                assert_eq!((answer, live, why), ("claim.would_downgrade", "three times", vec![]), "{told}");
                take_back()(&service(Arc::new(disk.clone()), &later())).unwrap();
                let view = View::of(disk, CHERRY);
                let why: Vec<_> = view.history["project"].iter().map(|(_, _, why)| *why).collect();
                assert_eq!((view.live.get("project"), why), (None, vec!["retracted"]), "{told}");
                let retractions = view.acts.iter().filter(|(_, act, ..)| act == "retract").count();
                assert_eq!(retractions, 1, "{told}");
            } else {
                let history = match (given == "three times", is_recorded) {
                    (true, _) => vec![],
                    (false, true) => vec!["retracted"],
                    (false, false) => vec!["superseded"],
                };
                assert_eq!((answer, live, why), ("ok", given.as_str(), history), "{told}");
            }
        });
    }
    assert!(recorded_and_live > 0, "it was cut off between the act and the removal, too");
}

#[test] // spec: MEM-15, MEM-13
fn a_crashed_bootstrap_is_completed_by_whoever_comes_next() {
    let case = case("", vec![], vec![]);
    crashed(&case.prepared, &begin(), |disk, told| {
        let memory = service(Arc::new(disk.clone()), &later());
        let other = caller("claude:orchestrator", CHERRY);
        let first = memory.begin(&other).unwrap();
        let second = memory.begin(&other).unwrap();
        assert!(second.existed && second.brain == first.brain, "{told}");
        let view = View::of(disk, CHERRY);
        assert_eq!(view.brains.len(), 1, "{told}: {view:?}");
        assert_eq!(view.acts.len(), 1, "{told}: {view:?}");
        let gaps = memory.brains(&other).unwrap().gaps;
        assert_eq!(gaps, [], "{told}");
        memory.tell(&other, "Retry policy", "three times").unwrap();
    });
}

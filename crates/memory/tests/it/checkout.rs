//! What git does to a checkout takes no version away: each one that was acknowledged is shown, named, and brought back.

use crate::act_line::Act;
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, START, Short as _, caller, claim, clock, code, how_sure, principal,
    service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk, ObservedDisk, SimDisk, UnsyncedFate};
use brainstem_claims::undecided_file::join;
use brainstem_memory::{
    BrainScope, Caller, CallerPlace, Confirmation, CrossingOutcome, DoctorRequest, EjectRequest,
    ForgetRequest, InitRequest, LearnRequest, MemorizeRequest, Memory, MemoryError, Moving, PromoteAs,
    PromoteRequest, PromotionsRequest, RenameRequest, ResolveRequest, RetractRequest, Shown, Tier, Trouble,
    Verdict, VerifyRequest, WriteTier,
};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Transfer, mixed_medulla};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Clone {
    disk: SimDisk,
    clock: Arc<ManualClock>,
    memory: Memory,
}

/// A caller of one call, as a door makes it.
fn maker() -> Caller {
    Caller::new(principal(MAKER), CallerPlace::of_call(caller(MAKER, CHERRY).hints().clone(), None))
}

/// A project whose claims lie in its repository.
fn in_repository() -> Clone {
    let (disk, clock) = (two_repositories(), clock());
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let memory = service(Arc::new(disk.clone()), &clock);
    memory.begin(&maker()).unwrap();
    memory.init(&maker(), &InitRequest::default()).unwrap();
    Clone { disk, clock, memory }
}

fn live(slug: &str) -> PathBuf {
    Path::new(CHERRY).join(format!(".brainstem/agent-memory/{slug}.light.md"))
}

impl Clone {
    fn tell(&self, label: &str, text: &str) {
        self.memory.tell(&maker(), label, text).unwrap();
        self.clock.advance(1_000);
    }

    fn read(&self, slug: &str) -> String {
        String::from_utf8(self.disk.read(&live(slug), 1 << 20).unwrap()).unwrap()
    }

    /// What a checkout does.
    fn put(&self, slug: &str, text: &str) {
        self.disk.write_raw(live(slug), text.as_bytes());
    }

    fn show(&self, label: &str) -> Shown {
        self.memory.look_at(&maker(), label, Tier::Project).unwrap()
    }

    /// The live text, and each text before it with whether it is missing.
    fn texts(&self, label: &str) -> (Option<String>, Vec<(String, bool)>) {
        let shown = self.show(label);
        let past = shown.history.into_iter().map(|version| (version.text, version.missing));
        (shown.claim.map(|row| row.text), past.collect())
    }

    fn gaps(&self) -> Vec<&'static str> {
        self.memory.all(&maker()).gaps.iter().map(|gap| gap.name).collect()
    }

    fn rename(&self, label: &str, to: &str) {
        let request = RenameRequest { label: label.into(), to: to.into(), tier: None };
        self.memory.rename(&maker(), &request).unwrap();
    }

    fn forget(&self, label: &str) {
        let request = ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given };
        self.memory.forget(&maker(), &request).unwrap();
    }

    fn retract(&self, label: &str) {
        let request = RetractRequest { label: label.into(), reason: "it was wrong".into(), tier: None };
        self.memory.retract(&maker(), &request).unwrap();
    }

    /// Another clone of the repository, with a home that knows what this one knows so far.
    fn other(&self) -> Self {
        let disk = self.disk.reboot(UnsyncedFate::Kept);
        Self { memory: service(Arc::new(disk.clone()), &self.clock), disk, clock: self.clock.clone() }
    }

    /// Makes the checkout what the other clone's is.
    fn pull(&self, other: &Self) {
        let checkout = |clone: &Self| {
            let files = clone.disk.dump().into_iter();
            files
                .filter(|(path, _)| path.starts_with(Path::new(CHERRY).join(".brainstem")))
                .collect::<Vec<_>>()
        };
        checkout(self).iter().for_each(|(path, _)| self.disk.unlink(path).unwrap());
        checkout(other).iter().for_each(|(path, bytes)| self.disk.write_raw(path, bytes));
    }

    fn init(&self) -> Vec<String> {
        self.memory.init(&maker(), &InitRequest::default()).unwrap().restored
    }

    fn take(&self, label: &str, side: &str) {
        let request = ResolveRequest {
            label: Some(label.into()),
            take: Some(side.into()),
            ..ResolveRequest::default()
        };
        self.memory.resolve(&maker(), &request).unwrap();
    }

    fn findings(&self) -> Vec<&'static str> {
        let found =
            self.memory.doctor(&maker(), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
        found.iter().map(|finding| finding.trouble.name()).collect()
    }
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test] // spec: MEM-2, MEM-5a
fn a_version_behind_more_than_a_header_names_is_still_shown_with_its_text() {
    let cherry = in_repository();
    cherry.tell("Cache", "base");
    let other = cherry.other();
    cherry.tell("Cache", "mine");
    for n in 0..20 {
        other.tell("Cache", &format!("theirs {n}"));
    }
    cherry.pull(&other);
    let past = || cherry.texts("Cache").1;
    assert!(past().iter().any(|(text, _)| text == "mine"), "{:?}", past());
    cherry.tell("Cache", "next");
    assert!(past().contains(&("mine".into(), false)), "history has it: {:?}", past());
}

#[test] // spec: MEM-2, MEM-48, MEM-13
fn a_renaming_takes_along_what_git_took_away() {
    for to in ["Omega", "GAMMA"] {
        let cherry = in_repository();
        cherry.tell("Gamma", "version one");
        let one = cherry.read("gamma");
        cherry.tell("Gamma", "version two");
        cherry.put("gamma", &one);
        cherry.rename("Gamma", to);
        let (now, past) = cherry.texts(to);
        assert_eq!(now, some("version one"), "{to}");
        assert!(past.iter().any(|(text, _)| text == "version two"), "{to}: {past:?}");
        // Also once something was written over it.
        cherry.tell(to, "version three");
        assert!(cherry.texts(to).1.iter().any(|(text, _)| text == "version two"), "{to}");
    }
}

#[test] // spec: MEM-2, MEM-48
fn a_renaming_takes_along_what_another_clone_wrote_over() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let other = cherry.other();
    other.tell("Gamma", "version two");
    cherry.pull(&other);
    let pulled = (some("version two"), vec![("version one".to_owned(), false)]);
    assert_eq!(cherry.texts("Gamma"), pulled);
    cherry.rename("Gamma", "Omega");
    assert_eq!(cherry.texts("Omega"), pulled);
    cherry.rename("Omega", "Gamma");
    assert_eq!(cherry.texts("Gamma"), pulled);
}

#[test] // spec: MEM-2, MEM-48
fn an_eject_takes_home_what_another_clone_renamed() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let other = cherry.other();
    other.rename("Gamma", "Omega");
    other.tell("Omega", "version two");
    cherry.pull(&other);
    let pulled = (some("version two"), vec![("version one".to_owned(), false)]);
    assert_eq!(cherry.texts("Omega"), pulled);
    cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    assert_eq!(cherry.texts("Omega"), pulled);
}

#[test] // spec: MEM-2, MEM-48
fn what_was_taken_from_a_name_before_a_claim_got_it_was_another_claims() {
    for goes in [|other: &Clone| other.forget("Beta"), |other: &Clone| other.retract("Beta")] {
        let cherry = in_repository();
        // Both in one millisecond, as a batch writes them.
        cherry.memory.tell(&maker(), "Alpha", "version one").unwrap();
        cherry.tell("Beta", "another claim");
        let (third, other) = (cherry.other(), cherry.other());
        other.tell("Alpha", "version two");
        // And the renaming may be in the same millisecond.
        goes(&third);
        let acts = Path::new(CHERRY).join(".brainstem/acts.jsonl");
        other.disk.write_raw(&acts, &third.disk.read(&acts, 1 << 20).unwrap());
        other.disk.unlink(&live("beta")).unwrap();
        other.rename("Alpha", "Beta");
        cherry.pull(&other);
        let (now, past) = cherry.texts("Beta");
        assert_eq!(now, some("version two"));
        assert!(past.contains(&("version one".into(), false)), "{past:?}");
    }
}

#[test] // spec: MEM-47, MEM-2
fn forgetting_a_label_that_waits_for_a_decision_forgets_each_of_its_versions_everywhere() {
    let cherry = in_repository();
    let other = cherry.other();
    cherry.tell("Delta", "ana says");
    other.clock.advance(1);
    other.tell("Delta", "cleo says");
    let (one, two) = (cherry.read("delta"), other.read("delta"));
    other.disk.write_raw(live("delta"), &join(&[one.as_bytes(), two.as_bytes()]));
    other.forget("Delta");
    cherry.pull(&other);
    assert_eq!(cherry.gaps(), ["forgotten_elsewhere"], "it is not called missing");
    assert_eq!(cherry.init(), [""; 0]);
}

#[test] // spec: MEM-2
fn what_a_checkout_took_back_is_named_shown_and_comes_back() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let one = cherry.read("gamma");
    cherry.tell("Gamma", "version two");
    cherry.put("gamma", &one);
    assert_eq!(cherry.gaps(), ["version_absent"]);
    assert_eq!(cherry.texts("Gamma"), (some("version one"), vec![("version two".into(), true)]));
    assert_eq!(cherry.findings(), ["version_absent"]);
    assert_eq!(cherry.init(), ["Gamma"], "it was plainly written over what lies there");
    assert_eq!(cherry.texts("Gamma"), (some("version two"), vec![("version one".into(), false)]));
    assert!(cherry.gaps().is_empty() && cherry.findings().is_empty());
}

#[test] // spec: MEM-2, MEM-49
fn what_a_forced_pull_replaced_waits_for_a_decision() {
    for (side, kept, gone) in [("ours", "ben says", "maker says"), ("theirs", "maker says", "ben says")] {
        let cherry = in_repository();
        cherry.tell("Gamma", "base");
        let base = cherry.read("gamma");
        cherry.tell("Gamma", "maker says");
        let (then, later) = (format!("Created: {START}"), format!("Created: {}", START + 1_500));
        let other = base.replace("base", "ben says").replace(MAKER, "human:ben").replace(&then, &later);
        cherry.put("gamma", &other);
        assert_eq!(cherry.gaps(), ["version_absent"]);
        let (now, past) = cherry.texts("Gamma");
        assert_eq!((now, past[0].clone()), (some("ben says"), ("maker says".to_owned(), true)));
        assert_eq!(cherry.init(), Vec::<String>::new(), "nobody chooses in silence");
        assert_eq!(cherry.texts("Gamma").0, some("ben says"));
        let waiting = cherry.memory.resolve(&maker(), &ResolveRequest::default()).unwrap().waiting;
        let waiting: Vec<_> = waiting.iter().map(|row| (row.text.as_str(), row.side, row.missing)).collect();
        assert_eq!(waiting, [("ben says", Some("ours"), false), ("maker says", Some("theirs"), true)]);
        cherry.take("Gamma", side);
        let (now, past) = cherry.texts("Gamma");
        assert_eq!(now, some(kept));
        assert!(past.contains(&(gone.to_owned(), false)), "{side}: {past:?}");
        assert_eq!((cherry.gaps(), cherry.findings()), (Vec::new(), Vec::new()), "{side}");
    }
}

#[test] // spec: MEM-2
fn a_write_over_what_git_put_there_keeps_what_it_replaced() {
    let cherry = in_repository();
    cherry.tell("Gamma", "base");
    let base = cherry.read("gamma");
    cherry.tell("Gamma", "maker says");
    cherry.put("gamma", &base.replace("base", "ben says").replace(MAKER, "human:ben"));
    let done = cherry.memory.tell(&maker(), "Gamma", "all in all").unwrap();
    assert!(
        done.notes
            .iter()
            .any(|note| note.to_string().starts_with("1 version of it that this checkout did not have")),
        "{:?}",
        done.notes
    );
    let (now, past) = cherry.texts("Gamma");
    assert_eq!(now, some("all in all"));
    for text in ["maker says", "ben says"] {
        assert!(past.contains(&(text.to_owned(), false)), "{past:?}");
    }
    assert!(cherry.gaps().is_empty());
}

#[test] // spec: MEM-2
fn an_eject_from_a_checkout_without_the_claims_brings_them_home() {
    let cherry = in_repository();
    cherry.tell("Alpha", "first");
    cherry.tell("Gamma", "version one");
    let one = cherry.read("gamma");
    cherry.tell("Gamma", "version two");
    cherry.disk.unlink(&live("alpha")).unwrap();
    cherry.put("gamma", &one.replace(MAKER, "human:ben"));
    let done = cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    assert_eq!(done.restored, ["Alpha"]);
    assert!(done.notes.iter().any(|note| note.contains("\"Gamma\"")), "{:?}", done.notes);
    assert_eq!(cherry.texts("Alpha").0, some("first"));
    let (now, past) = cherry.texts("Gamma");
    assert_eq!(now, some("version one"));
    assert!(past.iter().any(|(text, _)| text == "version two"), "{past:?}");
    assert_eq!(cherry.memory.all(&maker()).rows.len(), 2);
    assert_eq!(cherry.findings(), ["version_newer"], "what lies there is older than what was written here");
}

#[test] // spec: MEM-2
fn what_an_older_program_left_behind_an_eject_is_found_and_comes_back() {
    let cherry = in_repository();
    cherry.tell("Alpha", "first");
    let alpha = cherry.read("alpha");
    let before = cherry.disk.dump();
    let kept = before.keys().find(|path| path.to_string_lossy().contains("/.kept/_")).unwrap().clone();
    cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    // As it was: nothing live, and a copy in the folder of its slug.
    let claims = kept.ancestors().nth(3).unwrap();
    cherry.disk.unlink(&claims.join("alpha.light.md")).unwrap();
    let stamp = kept.file_name().unwrap().to_str().unwrap().strip_prefix("alpha.").unwrap();
    cherry.disk.write_raw(claims.join(".kept/alpha").join(stamp), alpha.as_bytes());
    assert_eq!(cherry.findings(), ["claim_absent"]);
    assert_eq!(cherry.init(), ["Alpha"]);
    assert_eq!(cherry.texts("Alpha").0, some("first"));
}

#[test] // spec: MEM-5, MEM-2
fn versions_over_a_claim_of_the_end_of_time_are_told_apart_and_survive() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version 0");
    let near = cherry.read("gamma");
    let far = near.lines().map(|line| match line.starts_with("Created: ") {
        true => "Created: 253402207199999".to_owned(),
        false => line.to_owned(),
    });
    let far = far.collect::<Vec<_>>().join("\n") + "\n";
    cherry.put("gamma", &far);
    for n in 1..=4 {
        // Within one millisecond.
        cherry.memory.tell(&maker(), "Gamma", &format!("version {n}")).unwrap();
    }
    let shown = cherry.show("Gamma");
    let mut born: Vec<_> = shown.history.iter().map(|version| version.created).collect();
    born.push(shown.claim.unwrap().created);
    born.sort();
    born.dedup();
    assert_eq!(
        born.len(),
        6,
        "the one that was told, the one that came, and four more: each has a stamp of its own"
    );
    cherry.put("gamma", &far);
    let (now, past) = cherry.texts("Gamma");
    let all: Vec<&str> =
        now.iter().map(String::as_str).chain(past.iter().map(|(text, _)| text.as_str())).collect();
    for n in 0..=4 {
        assert!(all.contains(&format!("version {n}").as_str()), "{all:?}");
    }
    assert_eq!(cherry.gaps(), ["version_absent"]);
}

#[test] // spec: MEM-49
fn a_label_that_waits_for_a_decision_is_shown_with_its_history() {
    let cherry = in_repository();
    cherry.tell("Gamma", "base");
    cherry.tell("Gamma", "one side");
    let ours = cherry.read("gamma");
    let third = ours.replace("one side", "a third").replace("Created: 1", "Created: 3");
    let theirs = ours.replace("one side", "the other side").replace("Created: 1", "Created: 2");
    let file = join(&[ours.as_bytes(), theirs.as_bytes(), third.as_bytes()]);
    cherry.disk.write_raw(live("gamma"), &file);
    let shown = cherry.show("Gamma");
    assert!(shown.claim.is_none());
    let sides: Vec<_> = shown.sides.iter().map(|row| (row.text.as_str(), row.side.unwrap())).collect();
    assert_eq!(sides, [("one side", "ours"), ("the other side", "theirs"), ("a third", "third")]);
    assert!(shown.history.iter().any(|version| version.text == "base"));
    cherry.take("Gamma", "third");
    let (now, past) = cherry.texts("Gamma");
    assert_eq!(now, some("a third"));
    for text in ["one side", "the other side", "base"] {
        assert!(past.contains(&(text.to_owned(), false)), "{past:?}");
    }
}

#[test] // spec: MEM-48
fn forgetting_a_claim_leaves_the_story_of_one_that_had_its_name() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    memory.begin(&maker()).unwrap();
    let cherry = Clone { disk, clock, memory };
    cherry.tell("A", "the first, once");
    cherry.tell("A", "the first");
    cherry.rename("A", "B");
    cherry.rename("B", "C");
    cherry.tell("A", "the second, once");
    cherry.tell("A", "the second");
    cherry.rename("A", "B");
    cherry.rename("C", "A");
    assert_eq!(cherry.texts("B"), (some("the second"), vec![("the second, once".into(), false)]));
    cherry.forget("A");
    assert_eq!(cherry.texts("B"), (some("the second"), vec![("the second, once".into(), false)]));
    assert_eq!(code(cherry.memory.look_at(&maker(), "A", Tier::Project)), "claim.not_found");
    let log = cherry.disk.dump().into_iter().find(|(path, _)| path.ends_with("acts.jsonl")).unwrap().1;
    let log = String::from_utf8(log).unwrap();
    let renamings = log.lines().filter(|line| line.contains("\"to\":\"B\""));
    assert_eq!(renamings.count(), 1, "the renaming of the other claim stays on record: {log}");
}

#[test] // spec: MEM-13a, MEM-48, MEM-47
fn a_file_of_any_size_costs_a_bounded_amount_of_memory() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let large = [cherry.read("gamma").as_bytes(), &vec![b'x'; 9 << 20]].concat();
    cherry.disk.write_raw(live("gamma"), &large);
    let history =
        cherry.disk.dump().into_keys().find(|path| path.ends_with("acts.jsonl") && path.starts_with(HOME));
    let claims = history.unwrap().with_file_name("agent-memory");
    cherry.disk.write_raw(claims.join(".history/gamma.5.light.md"), &large);
    cherry.disk.make_dirs("/out");
    cherry.disk.set_read_len_max(4 << 20);
    let out = Some(PathBuf::from("/out/cherry"));
    let request = ExportRequest { scope: ExportScope::Project, format: Format::Folder, out };
    Transfer::new(&cherry.memory).export(&maker(), &request, &|_, _| ()).unwrap();
    for copy in
        ["/out/cherry/agent-memory/gamma.light.md", "/out/cherry/agent-memory/.history/gamma.5.light.md"]
    {
        assert_eq!(cherry.disk.stat(Path::new(copy)).unwrap().len, large.len() as u64, "{copy}");
    }
    assert!(cherry.disk.dump()[Path::new("/out/cherry/agent-memory/gamma.light.md")] == large);
    let request = ForgetRequest { label: "Gamma".into(), tier: None, confirmation: Confirmation::Given };
    cherry.memory.forget(&maker(), &request).unwrap();
    let left: Vec<_> =
        cherry.disk.dump().into_keys().filter(|path| path.to_string_lossy().contains("gamma")).collect();
    assert!(left.iter().all(|path| path.starts_with("/out")), "{left:?}");
    assert_eq!(cherry.gaps(), Vec::<&str>::new());
}

/// A disk on which something happens at the n-th call that concerns a claim or its folder.
fn interrupted(disk: &SimDisk, at: usize, happens: impl Fn() + Send + Sync + 'static) -> Arc<dyn Disk> {
    let calls = AtomicUsize::new(0);
    Arc::new(ObservedDisk::new(Arc::new(disk.clone()), move |step| {
        let concerns = step.path.to_string_lossy().contains("agent-memory");
        if concerns && calls.fetch_add(1, Ordering::SeqCst) == at {
            happens();
        }
    }))
}

#[test] // spec: MEM-23, MEM-2
fn what_moves_while_it_is_read_is_found_or_named() {
    let start = in_repository();
    start.tell("Alpha", "first");
    start.tell("Beta", "second");
    let is_told = |gaps: &[brainstem_memory::Gap]| {
        let names = ["changed_meanwhile", "absent_here", "owner_side_claims", "version_absent"];
        gaps.iter().any(|gap| names.contains(&gap.name))
    };
    type Happens = fn(&SimDisk);
    let gone: Happens = |disk| ["alpha", "beta"].iter().for_each(|slug| disk.unlink(&live(slug)).unwrap());
    let moves: [(&str, bool, Happens); 3] = [
        ("a checkout takes all away", false, gone),
        ("a checkout brings all back", true, |disk| {
            for (path, bytes) in disk.dump() {
                let name = path.to_string_lossy().into_owned();
                for slug in ["alpha", "beta"] {
                    if name.contains("/.kept/") && name.contains(&format!("/{slug}.")) {
                        disk.write_raw(live(slug), &bytes);
                    }
                }
            }
        }),
        ("an eject", false, |disk| {
            let memory = service(Arc::new(disk.clone()), &clock());
            memory.eject(&maker(), &EjectRequest::default()).unwrap();
        }),
    ];
    for (what, is_away, happens) in moves {
        for at in 0..60 {
            let disk = start.disk.reboot(brainstem_base::disk::UnsyncedFate::Kept);
            if is_away {
                gone(&disk);
            }
            let later = disk.clone();
            let memory = service(interrupted(&disk, at, move || happens(&later)), &clock());
            let told = format!("{what} at call {at}");
            match at % 3 {
                0 => {
                    let listed = memory.all(&maker());
                    assert!(listed.rows.len() == 2 || is_told(&listed.gaps), "{told}: {listed:?}");
                }
                1 => {
                    let sought = memory.find(&maker(), "first second", Tier::Project);
                    assert!(sought.rows.len() == 2 || is_told(&sought.gaps), "{told}: {sought:?}");
                    let beat = memory.beat(&maker(), "");
                    assert!(beat.memory.len() == 2 || is_told(&beat.gaps), "{told}: {beat:?}");
                }
                _ => {
                    let shown = memory.look_at(&maker(), "Alpha", Tier::Project);
                    let shown = shown.unwrap_or_else(|error| panic!("{told}: {error}"));
                    let mut texts = shown.claim.iter().map(|row| &row.text);
                    let mut past = shown.history.iter().map(|version| &version.text);
                    assert!(texts.any(|text| text == "first") || past.any(|text| text == "first"), "{told}");
                }
            }
        }
    }
}

#[test] // spec: MEM-13, MEM-13a, MEM-34
fn a_checkout_during_a_promotion_costs_no_doctrine_and_shares_no_refused_claim() {
    const DOCTRINE: &str = "the doctrine from before";
    let ana = || caller(PERSON, CHERRY);
    let told = |text: &str, confidence: &str| MemorizeRequest {
        confidence: how_sure(confidence),
        ..claim("Alpha", text)
    };
    let mut refused = 0;
    for has_doctrine in [true, false] {
        let start = in_repository();
        start.memory.memorize(&ana(), &told("weak", "0.6")).unwrap();
        let weak = start.read("alpha");
        start.clock.advance(1_000);
        start.memory.memorize(&ana(), &told("strong", "0.9")).unwrap();
        if has_doctrine {
            let doctrine = MemorizeRequest { tier: Some(WriteTier::Medulla), ..told(DOCTRINE, "0.7") };
            start.memory.memorize(&ana(), &doctrine).unwrap();
        }
        start.clock.advance(1_000);
        for at in 0..120 {
            let disk = start.disk.reboot(UnsyncedFate::Kept);
            let (later, weak) = (disk.clone(), weak.clone());
            let happens = move || later.write_raw(live("alpha"), weak.as_bytes());
            let memory = service(interrupted(&disk, at, happens), &start.clock);
            let request = PromoteRequest {
                label: "Alpha".into(),
                reason: "for all".into(),
                ..PromoteRequest::default()
            };
            let done = memory.promote(&ana(), &request);

            let memory = service(Arc::new(disk.clone()), &start.clock);
            let seen = memory.look_at(&ana(), "Alpha", Tier::Medulla);
            let now = seen.as_ref().ok().and_then(|seen| seen.claim.as_ref()).map(|row| row.text.clone());
            let past = seen.iter().flat_map(|seen| &seen.history).map(|version| version.text.as_str());
            let past: Vec<&str> = past.collect();
            match done {
                Ok(_) => {
                    assert!(!has_doctrine || past == [DOCTRINE], "call {at}: {past:?}");
                    let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
                    let promotions = memory.promotions(&ana(), &request).unwrap();
                    let count = (promotions.entries.len(), promotions.unaccounted.len());
                    assert_eq!(count, (1, 0), "call {at}: {promotions:?}");
                }
                Err(error) => {
                    refused += 1;
                    assert_eq!(now.as_deref(), has_doctrine.then_some(DOCTRINE), "call {at}: {error}");
                    assert!(past.is_empty(), "call {at}: {past:?}");
                }
            }
        }
    }
    assert!(refused > 0, "some of them meet the call between its copy and its stamp");
}

#[test] // spec: MEM-2, MEM-13
fn an_eject_beside_a_stash_and_its_pop_keeps_every_version_under_the_home() {
    let start = in_repository();
    start.tell("Alpha", "first");
    let committed = start.read("alpha");
    start.tell("Alpha", "second");
    start.tell("Beta", "third");
    let written = start.read("alpha");
    for at in 0..150 {
        for gap in [1, 2, 4, 7, 12, 20, 40] {
            let disk = start.disk.reboot(UnsyncedFate::Kept);
            let (later, calls) = (disk.clone(), AtomicUsize::new(0));
            let (committed, written) = (committed.clone(), written.clone());
            let git = move |step: brainstem_base::disk::DiskStep| {
                if !step.path.to_string_lossy().contains("agent-memory") {
                    return;
                }
                let call = calls.fetch_add(1, Ordering::SeqCst);
                match call {
                    call if call == at => later.write_raw(live("alpha"), committed.as_bytes()),
                    call if call == at + gap => later.write_raw(live("alpha"), written.as_bytes()),
                    _ => {}
                }
            };
            let observed = ObservedDisk::new(Arc::new(disk.clone()), git);
            let ejected = service(Arc::new(observed), &start.clock).eject(&maker(), &EjectRequest::default());
            ejected.unwrap_or_else(|error| panic!("calls {at} and {gap} later: {error}"));
            // What only the checkout has is gone with the next `git checkout -- .` or `git clean`.
            check_out(&disk, &[]);
            let memory = service(Arc::new(disk.clone()), &start.clock);
            let shown = memory.look_at(&maker(), "Alpha", Tier::Project).unwrap();
            let now = shown.claim.iter().map(|row| row.text.clone());
            let texts: Vec<String> = now.chain(shown.history.into_iter().map(|past| past.text)).collect();
            let has = |text: &str| texts.iter().any(|there| there == text);
            assert!(has("first") && has("second"), "calls {at} and {gap} later: {texts:?}");
        }
    }
}

/// The files of the repository's store, as a commit has them.
fn committed(disk: &SimDisk) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(CHERRY).join(".brainstem");
    disk.dump().into_iter().filter(|(path, _)| path.starts_with(&folder)).collect()
}

/// Throws away what was done since, as `git checkout -- .` and `git clean` do.
fn check_out(disk: &SimDisk, commit: &[(PathBuf, Vec<u8>)]) {
    for (path, _) in committed(disk) {
        if !commit.iter().any(|(kept, _)| *kept == path) {
            disk.unlink(&path).unwrap();
        }
    }
    for (path, bytes) in commit {
        disk.write_raw(path, bytes);
    }
}

#[test] // spec: MEM-2, MEM-12
fn a_claim_that_came_back_and_is_taken_back_again_has_both_reasons() {
    for is_log_kept in [true, false] {
        let ana = in_repository();
        ana.tell("Bad", "some text");
        let (commit, text) = (committed(&ana.disk), ana.read("bad"));
        let retract = |reason: &str| {
            ana.clock.advance(1_000);
            let request = RetractRequest { label: "Bad".into(), reason: reason.into(), tier: None };
            ana.memory.retract(&maker(), &request).unwrap();
        };
        let come_back = || match is_log_kept {
            true => ana.put("bad", &text),
            false => check_out(&ana.disk, &commit),
        };
        let reasons = || -> Vec<String> {
            let steps = ana.show("Bad").life.into_iter().filter(|step| step.what == "retracted");
            steps.map(|step| step.sentence).collect()
        };
        for (number, reason) in ["it was wrong", "still wrong", "it was wrong"].into_iter().enumerate() {
            if number > 0 {
                come_back();
            }
            retract(reason);
            let shown = ana.show("Bad");
            let told =
                shown.history[0].retracted.as_ref().and_then(|act| act.deed().reason().map(str::to_owned));
            assert_eq!(told, Some(reason.into()), "{is_log_kept} {number}");
            assert_eq!(reasons().len(), number + 1, "{is_log_kept}: {:?}", reasons());
        }
        // The same word of the same agent, where a kill may have cut it off, is the same act.
        come_back();
        retract("it was wrong");
        assert_eq!(reasons().len(), 3, "{:?}", reasons());
        come_back();
        let listed = ana.memory.all(&maker());
        let facts: Vec<String> = listed.rows[0].facts().into_iter().map(|fact| fact.words).collect();
        assert!(facts.iter().any(|fact| fact.contains("retracted here: \"it was wrong\"")), "{facts:?}");
    }
}

#[test] // spec: MEM-2, MEM-51
fn an_act_that_git_took_away_is_known_named_and_brought_back() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    for label in ["Bad", "Good"] {
        clock.advance(1_000);
        memory.tell(&cherry, label, "some text").unwrap();
    }
    let commit = committed(&disk);
    clock.advance(1_000);
    memory.take_back(&cherry, "Bad").unwrap();
    check_out(&disk, &commit);

    // A process that starts now knows what the files say alone.
    let memory = service(Arc::new(disk.clone()), &clock);
    let listed = memory.all(&cherry);
    let bad = listed.rows.iter().find(|row| row.label == "Bad").unwrap();
    let facts: Vec<String> = bad.facts().into_iter().map(|fact| fact.words).collect();
    assert!(
        facts.iter().any(|fact| fact == "came back after it was retracted here: \"it was wrong\""),
        "{facts:?}"
    );
    let gap = listed.gaps.iter().find(|gap| gap.name == "acts_absent").unwrap();
    assert!(
        gap.detail.to_string().starts_with("1 act recorded here is not in this checkout's log"),
        "{gap:?}"
    );
    assert!(gap.detail.contains("(retract)"), "{gap:?}");
    let shown = memory.look_at(&cherry, "Bad", Tier::Project).unwrap();
    assert_eq!(shown.claim.unwrap().retracted_for.as_deref(), Some("\"it was wrong\""));
    let found = memory.doctor(&cherry, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    let of = |trouble| found.iter().find(|finding| finding.trouble == trouble).unwrap();
    assert_eq!(
        of(Trouble::ClaimResurrected).detail,
        "\"Bad\" came back after it was retracted here: \"it was wrong\""
    );
    assert!(of(Trouble::ActsAbsent).detail.contains("retract"), "{found:?}");

    let done = memory.init(&cherry, &InitRequest::default()).unwrap();
    let note = "1 act recorded here was not in this checkout and came back";
    assert!(done.notes.iter().any(|told| told == note), "{:?}", done.notes);
    let log = disk.read(&Path::new(CHERRY).join(".brainstem/acts.jsonl"), 1 << 20).unwrap();
    assert!(String::from_utf8(log).unwrap().contains("it was wrong"));
    assert!(!memory.all(&cherry).gaps.iter().any(|gap| gap.name == "acts_absent"));
    // Repeated, it adds nothing.
    let before = committed(&disk);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    assert_eq!(committed(&disk), before);
}

#[test] // spec: MEM-2, MEM-47
fn what_git_took_of_the_log_is_in_an_export_and_comes_home_with_an_eject() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    memory.tell(&cherry, "Bad", "some text").unwrap();
    memory.take_back(&cherry, "Bad").unwrap();
    disk.unlink(&Path::new(CHERRY).join(".brainstem/acts.jsonl")).unwrap();
    disk.make_dirs("/out");
    for (format, out) in [(Format::JsonLines, "/out/lines"), (Format::Folder, "/out/folder")] {
        let request = ExportRequest { scope: ExportScope::Project, format, out: Some(out.into()) };
        Transfer::new(&memory).export(&cherry, &request, &|_, _| ()).unwrap();
        let files = disk.dump().into_iter().filter(|(path, _)| path.starts_with(out));
        let said: String = files.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
        assert!(said.contains("it was wrong"), "{format:?}: {said}");
    }
    memory.eject(&cherry, &EjectRequest::default()).unwrap();
    let shown = memory.look_at(&cherry, "Bad", Tier::Project).unwrap();
    assert_eq!(shown.history[0].retracted.as_ref().unwrap().deed().reason(), Some("it was wrong"));
}

#[test] // spec: MEM-2, MEM-34
fn a_proposal_whose_claim_is_on_another_branch_is_told_as_that() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    let branch = committed(&disk);
    memory.tell(&cherry, "Good", "some text").unwrap();
    let request = PromoteRequest {
        label: "Good".into(),
        reason: "for all".into(),
        how: PromoteAs::Propose,
        ..PromoteRequest::default()
    };
    memory.promote(&cherry, &request).unwrap();
    let main = committed(&disk);
    let standing = || {
        let request = PromotionsRequest { brains: BrainScope::Own, limit: 50 };
        memory.promotions(&cherry, &request).unwrap().entries[0].standing
    };
    assert_eq!(standing(), Some(CrossingOutcome::Open));
    check_out(&disk, &branch);
    assert_eq!(standing(), Some(CrossingOutcome::Absent));
    check_out(&disk, &main);
    assert_eq!(standing(), Some(CrossingOutcome::Open));
    assert!(!memory.all(&cherry).gaps.iter().any(|gap| gap.name == "acts_absent"));
    assert_eq!(committed(&disk), main, "switching to and fro writes nothing");
}

#[test] // spec: MEM-2
fn a_retraction_in_another_clone_is_not_told_as_one_here() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    let born = memory.tell(&cherry, "Bad", "some text").unwrap().claim.created.unwrap().ms();
    let commit = committed(&disk);
    clock.advance(1_000);
    memory.tell(&cherry, "Bad", "another text").unwrap();
    check_out(&disk, &commit);
    let id = Act::id_of("retract", &format!("bad@{born}"));
    let act = format!(
        r#"{{"id":"{id}","ts":"2026-01-01T00:00:00.000Z","agent":"human:eve","act":"retract","subject":"bad@{born}","data":{{"reason":"elsewhere"}}}}"#
    );
    disk.write_raw(Path::new(CHERRY).join(".brainstem/acts.jsonl"), format!("{act}\n").as_bytes());
    let row = memory.look_at(&cherry, "Bad", Tier::Project).unwrap().claim.unwrap();
    assert!(row.resurrected);
    assert_eq!(row.retracted_for, None, "it was superseded here");
}

/// A line in the log of the repository that nobody recorded here.
fn forged(act: &str, subject: &str, covers: &str) -> Vec<u8> {
    let data = serde_json::json!({ "versions": 1, "sha256": [], "covers": covers, "reason": "so it is" });
    let agent = brainstem_base::AgentId::parse("human:ana").unwrap();
    let at = brainstem_base::Timestamp::from_ms(START + 60_000);
    let line = serde_json::to_vec(&Act::once(act, subject, &agent, at, data)).unwrap();
    [line, b"\n".to_vec()].concat()
}

impl Clone {
    /// What a pull does to the log.
    fn append_to_log(&self, line: &[u8]) {
        let log = Path::new(CHERRY).join(".brainstem/acts.jsonl");
        let before = self.disk.read(&log, 1 << 20).unwrap();
        self.disk.write_raw(&log, &[before, line.to_vec()].concat());
    }
}

#[test] // spec: MEM-2, MEM-10a
fn an_act_that_only_the_repository_has_reaches_no_version_that_it_does_not_name() {
    let tombstone =
        brainstem_claims::act::tombstone_name(&brainstem_claims::ClaimSlug::parse("gamma").unwrap());
    for (act, subject) in
        [("forget", format!("{tombstone}@1")), ("retract", "gamma@9999999999998".to_owned())]
    {
        let cherry = in_repository();
        cherry.tell("Gamma", "version one");
        cherry.disk.unlink(&live("gamma")).unwrap();
        cherry.append_to_log(&forged(act, &subject, "9999999999999"));
        assert_eq!(cherry.gaps(), ["absent_here"], "{act}");
        assert_eq!(cherry.texts("Gamma"), (None, vec![("version one".into(), true)]), "{act}");
        assert_eq!(cherry.init(), ["Gamma"], "{act}");
    }
}

#[test] // spec: MEM-2, MEM-10a
fn what_another_clone_forgot_is_named_and_kept_until_it_is_forgotten_here() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let other = cherry.other();
    other.forget("Gamma");
    cherry.pull(&other);
    assert_eq!(cherry.gaps(), ["forgotten_elsewhere"]);
    assert_eq!(cherry.findings(), ["forgotten_elsewhere"]);
    assert_eq!(cherry.texts("Gamma"), (None, vec![("version one".into(), true)]));
    assert_eq!(cherry.init(), [""; 0], "no decision of another clone is undone in silence");
    let ejected = cherry.other();
    ejected.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    assert_eq!(ejected.texts("Gamma").1, [("version one".to_owned(), false)]);
    cherry.forget("Gamma");
    assert_eq!((cherry.gaps(), cherry.findings()), (vec![], vec![]));
    assert_eq!(code(cherry.memory.look_at(&maker(), "Gamma", Tier::Project)), "claim.not_found");
}

#[test] // spec: MEM-2, MEM-43
fn claims_in_a_repository_without_a_manifest_are_named_where_they_are_shown_and_where_they_are_not() {
    let ana = in_repository();
    ana.tell("Two", "said by Ana");
    let troubles = |root: &str| -> Vec<(Trouble, String)> {
        let found =
            ana.memory.doctor(&caller(MAKER, root), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
        found.findings.into_iter().map(|finding| (finding.trouble, finding.fix.to_string())).collect()
    };
    let is_named = |root: &str| {
        let is_it = |(trouble, fix): &(Trouble, String)| {
            *trouble == Trouble::ManifestMissing && fix.contains(&format!("brainstem init {root} "))
        };
        troubles(root).iter().any(is_it)
    };
    assert!(!is_named(CHERRY));
    ana.disk.unlink(&Path::new(CHERRY).join(".brainstem/brain.json")).unwrap();
    assert_eq!(ana.gaps(), ["manifest_missing"]);
    assert!(is_named(CHERRY));
    ana.memory.init(&maker(), &InitRequest::default()).unwrap();
    assert_eq!((ana.gaps(), is_named(CHERRY)), (vec![], false));

    // Another clone has the claims and no record of a brain.
    ana.disk.write_raw(format!("{PLUM}/.brainstem/agent-memory/two.light.md"), ana.read("two").as_bytes());
    let plum = caller(MAKER, PLUM);
    let gaps = || ana.memory.all(&plum).gaps.into_iter().map(|gap| gap.name).collect::<Vec<_>>();
    assert_eq!(gaps(), ["repository_claims", "unbound"]);
    for has_brain in [false, true] {
        if has_brain {
            let made = ana.memory.begin(&plum).unwrap();
            assert!(made.notes.iter().any(|note| note.contains("brainstem init")), "{:?}", made.notes);
            assert_eq!(gaps(), ["repository_claims"]);
        }
        let beat = ana.memory.beat(&plum, "two");
        assert!(beat.gaps.iter().any(|gap| gap.name == "repository_claims"), "{:?}", beat.gaps);
        assert!(!format!("{beat:?}").contains("No durable memory yet"));
        assert!(
            beat.next_moves.iter().any(|call| call.to_string().starts_with("brainstem init")),
            "{:?}",
            beat.next_moves
        );
        let status = ana.memory.status(&plum).unwrap();
        assert!(status.project_gaps.iter().any(|gap| gap.name == "repository_claims"));
        assert!(is_named(PLUM));
    }
    ana.memory.init(&plum, &InitRequest::default()).unwrap();
    assert_eq!(ana.memory.all(&plum).rows.len(), 1);
    assert_eq!((gaps(), is_named(PLUM)), (vec![], false));
}

#[test] // spec: MEM-2, MEM-10a
fn an_imported_tombstone_reaches_no_version_that_it_does_not_name() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let out = Some(PathBuf::from("/src/all.jsonl"));
    let request = ExportRequest { scope: ExportScope::Project, format: Format::JsonLines, out };
    Transfer::new(&cherry.memory).export(&maker(), &request, &|_, _| ()).unwrap();
    let lines = String::from_utf8(cherry.disk.read(Path::new("/src/all.jsonl"), 1 << 20).unwrap()).unwrap();
    let name = brainstem_claims::act::tombstone_name(&brainstem_claims::ClaimSlug::parse("gamma").unwrap());
    let act = String::from_utf8(forged("forget", &format!("{name}@1"), "9999999999999")).unwrap();
    let line = lines.lines().find(|line| line.contains("\"bootstrap\"")).expect("an act");
    let mut of_act: serde_json::Value = serde_json::from_str(line).unwrap();
    let forged: serde_json::Value = serde_json::from_str(&act).unwrap();
    for (key, value) in forged.as_object().unwrap() {
        let of_act = if of_act["act"].is_object() { &mut of_act["act"] } else { &mut of_act };
        of_act[key] = value.clone();
    }
    let head = lines.lines().next().unwrap();
    cherry.disk.write_raw("/src/forged.jsonl", format!("{head}\n{of_act}\n").as_bytes());
    let request = ImportRequest {
        path: "/src/forged.jsonl".into(),
        from: None,
        tier: None,
        sort: false,
        dry_run: false,
    };
    assert_eq!(Transfer::new(&cherry.memory).import(&maker(), &request, &|_, _| true).unwrap().acts, 1);
    cherry.disk.unlink(&live("gamma")).unwrap();
    assert_eq!(cherry.gaps(), ["absent_here"]);
    assert_eq!(cherry.init(), ["Gamma"]);
}

/// A call of some verb upon the claim "Bad".
type Verb = (&'static str, fn(&Memory) -> Result<(), MemoryError>, &'static str);

fn rated(text: &str, confidence: &str) -> MemorizeRequest {
    MemorizeRequest { confidence: how_sure(confidence), ..claim("Bad", text) }
}

#[test] // spec: MEM-12, MEM-13a, MEM-26
fn only_a_retraction_takes_back_a_claim_that_came_back() {
    let verbs: [Verb; 5] = [
        (
            "learn",
            |memory| {
                let request =
                    LearnRequest { label: "Bad".into(), verdict: Verdict::Correct, note: None, tier: None };
                memory.learn(&maker(), &request).map(drop)
            },
            "ok",
        ),
        (
            "promote --propose",
            |memory| {
                let request = PromoteRequest {
                    label: "Bad".into(),
                    reason: "for all".into(),
                    how: PromoteAs::Propose,
                    ..PromoteRequest::default()
                };
                memory.promote(&maker(), &request).map(drop)
            },
            "ok",
        ),
        (
            "a weaker word",
            |memory| memory.memorize(&maker(), &rated("perhaps", "low")).map(drop),
            "claim.would_downgrade",
        ),
        ("the same word", |memory| memory.memorize(&maker(), &rated("some text", "high")).map(drop), "ok"),
        (
            "rename to a taken name",
            |memory| {
                let request = RenameRequest { label: "Bad".into(), to: "Good".into(), tier: None };
                memory.rename(&maker(), &request).map(drop)
            },
            "claim.slug_taken",
        ),
    ];
    for in_repo in [true, false] {
        for (name, verb, answer) in &verbs {
            let told = format!("{name}, in a repository: {in_repo}");
            let cherry = if in_repo { in_repository() } else { at_home() };
            cherry.memory.memorize(&maker(), &rated("some text", "high")).unwrap();
            cherry.tell("Good", "holds");
            let is_live = |path: &PathBuf| {
                path.ends_with("agent-memory/bad.light.md") && !path.to_string_lossy().contains("/.history/")
            };
            let (path, bytes) = cherry.disk.dump().into_iter().find(|(path, _)| is_live(path)).unwrap();
            cherry.retract("Bad");
            // What `git revert` does, or a backup that is copied back.
            cherry.disk.write_raw(&path, &bytes);
            cherry.clock.advance(1_000);
            let reasons = || {
                let facts = cherry.show("Bad").claim.expect("it is live").facts();
                facts
                    .into_iter()
                    .filter(|fact| fact.words.starts_with("came back after it was retracted"))
                    .count()
            };
            assert_eq!(reasons(), 1, "{told}");
            assert_eq!(code(verb(&cherry.memory)), *answer, "{told}");
            assert_eq!(reasons(), 1, "{told}");
            assert_eq!(cherry.disk.dump().get(&path), Some(&bytes), "{told}");
            let found = cherry
                .memory
                .doctor(&maker(), &DoctorRequest::new(mixed_medulla), &|_, _| ())
                .unwrap()
                .findings;
            assert!(found.iter().any(|one| one.trouble == Trouble::ClaimResurrected), "{told}: {found:?}");

            // The same word as before takes it back, and another one is on record beside it.
            let request = RetractRequest { label: "Bad".into(), reason: "still wrong".into(), tier: None };
            cherry.memory.retract(&maker(), &request).unwrap();
            let shown = cherry.show("Bad");
            assert!(shown.claim.is_none(), "{told}");
            assert_eq!(
                shown.history[0].retracted.as_ref().unwrap().deed().reason(),
                Some("still wrong"),
                "{told}"
            );
            assert_eq!(shown.life.iter().filter(|step| step.what == "retracted").count(), 2, "{told}");
        }
    }
}

#[test] // spec: MEM-11, MEM-12
fn a_claim_that_came_back_is_written_over_as_any_other() {
    for in_repo in [true, false] {
        let cherry = if in_repo { in_repository() } else { at_home() };
        let path = cherry.memory.memorize(&maker(), &rated("some text", "high")).unwrap().path;
        let bytes = cherry.disk.read(&path, 1 << 20).unwrap();
        cherry.retract("Bad");
        cherry.disk.write_raw(&path, &bytes);
        cherry.clock.advance(1_000);
        let done = cherry.memory.memorize(&maker(), &rated("new text", "high")).unwrap();
        assert!(done.history.is_some() && done.claim.supersedes.is_some(), "{in_repo}");
        let (now, past) = cherry.texts("Bad");
        assert_eq!((now, past), (some("new text"), vec![("some text".to_owned(), false)]), "{in_repo}");
    }
}

/// A project whose claims lie under the home.
fn at_home() -> Clone {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    memory.begin(&maker()).unwrap();
    Clone { disk, clock, memory }
}

#[test] // spec: MEM-13a, MEM-2
fn a_refused_write_brings_no_claim_of_another_branch_into_the_checkout() {
    let cherry = in_repository();
    cherry.tell("Good", "holds");
    let main = committed(&cherry.disk);
    cherry.memory.memorize(&maker(), &rated("we sell to them", "high")).unwrap();
    check_out(&cherry.disk, &main);
    let refused = cherry.memory.memorize(&maker(), &rated("a guess", "low")).unwrap_err();
    assert_eq!(refused.code().name(), "claim.would_downgrade");
    assert!(refused.to_string().ends_with("(that claim is not in this checkout)"), "{refused}");
    assert!(refused.fix().unwrap().contains("brainstem init"), "{:?}", refused.fix());
    assert_eq!(committed(&cherry.disk), main);
    assert_eq!(cherry.texts("Bad"), (None, vec![("we sell to them".to_owned(), true)]));
}

/// A project that was ejected; one claim was written under the home since, and git has brought the repository's store back.
fn ejected_and_back() -> (Clone, Vec<(PathBuf, Vec<u8>)>) {
    let cherry = in_repository();
    cherry.memory.memorize(&maker(), &rated("a customer", "high")).unwrap();
    let shared = committed(&cherry.disk);
    cherry.clock.advance(1_000);
    cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    cherry.memory.memorize(&maker(), &rated("it is Initech", "high")).unwrap();
    cherry.clock.advance(1_000);
    check_out(&cherry.disk, &shared);
    (cherry, shared)
}

#[test] // spec: MEM-2, MEM-13a
fn a_write_into_a_store_that_git_brought_back_says_where_it_went() {
    let (cherry, _) = ejected_and_back();
    let done = cherry.memory.tell(&maker(), "New", "for the house").unwrap();
    assert!(done.path.starts_with(CHERRY), "{done:?}");
    let told = done.notes.iter().find(|note| note.to_string().starts_with("it lies in the repository"));
    let told = told.unwrap_or_else(|| panic!("{:?}", done.notes));
    assert!(told.contains("1 claim of this project still under the home"), "{told}");
    assert!(told.contains("brainstem init") && told.contains("brainstem eject"), "{told}");
    // Said of what was written, and not where all memory is in one place.
    assert_eq!(cherry.memory.tell(&maker(), "New", "for the house").unwrap().notes, [""; 0]);
    cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    assert_eq!(cherry.memory.tell(&maker(), "Newer", "for the house").unwrap().notes, [""; 0]);
    cherry.init();
    assert_eq!(cherry.memory.tell(&maker(), "Newest", "for all").unwrap().notes, [""; 0]);
}

#[test] // spec: MEM-2
fn an_eject_names_what_it_leaves_in_the_repository() {
    let cherry = in_repository();
    cherry.memory.tell(&maker(), "One", "claim").unwrap();
    let folder = Path::new(CHERRY).join(".brainstem");
    cherry.disk.write_raw(folder.join("inbox.jsonl"), b"{}\n");
    let eject = |dry_run| {
        let request = EjectRequest { moving: Moving::of_flag(dry_run), ..EjectRequest::default() };
        cherry.memory.eject(&maker(), &request).unwrap().notes
    };
    let told = |notes: Vec<brainstem_base::Advice>| {
        notes.into_iter().map(|note| note.to_string()).find(|note| note.starts_with("left in `.brainstem`"))
    };
    let dry = told(eject(true));
    let note = told(eject(false)).expect("letters stay");
    assert_eq!(dry.as_deref(), Some(note.as_str()));
    for name in ["`inbox.jsonl`", "`.gitignore`", "`.gitattributes`", "as long as the rest does"] {
        assert!(note.contains(name), "{name}: {note}");
    }
    for entry in cherry.disk.list(&folder).unwrap() {
        assert!(note.contains(&format!("`{}`", entry.name.to_string_lossy())), "{entry:?}: {note}");
    }
    // Without letters the next one removes the rest.
    cherry.disk.unlink(&folder.join("inbox.jsonl")).unwrap();
    assert_eq!(told(eject(false)), None);
    assert!(cherry.disk.stat(&folder).is_err());
}

#[test] // spec: MEM-2, MEM-13a
fn what_was_written_after_an_eject_comes_into_the_checkout_with_an_init_alone() {
    let is_shared = |cherry: &Clone| {
        committed(&cherry.disk).iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("Initech"))
    };
    // Refused: nothing changes.
    let (cherry, shared) = ejected_and_back();
    assert_eq!(code(cherry.memory.memorize(&maker(), &rated("a guess", "low"))), "claim.would_downgrade");
    assert_eq!(committed(&cherry.disk), shared);
    assert!(cherry.gaps().contains(&"owner_side_claims"));

    // Written over: what lay under the home goes into history there, and is named.
    let done = cherry.memory.memorize(&maker(), &rated("a client", "high")).unwrap();
    let note = "1 version of it that this checkout did not have went into its history, under the home";
    assert!(done.notes.iter().any(|told| told == note), "{:?}", done.notes);
    assert!(!is_shared(&cherry));
    let (now, mut past) = cherry.texts("Bad");
    past.sort();
    let past: Vec<&str> = past.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!((now, past), (some("a client"), vec!["a customer", "it is Initech"]));
    assert!(!cherry.gaps().contains(&"owner_side_claims"));

    // Where the checkout has no such claim, it is weighed against what lies under the home.
    let (cherry, _) = ejected_and_back();
    cherry.disk.unlink(&live("bad")).unwrap();
    let before = committed(&cherry.disk);
    assert_eq!(code(cherry.memory.memorize(&maker(), &rated("a guess", "low"))), "claim.would_downgrade");
    assert_eq!(committed(&cherry.disk), before);
    cherry.memory.memorize(&maker(), &rated("a client", "high")).unwrap();
    assert!(!is_shared(&cherry));
    assert!(cherry.texts("Bad").1.iter().any(|(text, _)| text == "it is Initech"));

    // `init` is the word that shares it.
    let (cherry, _) = ejected_and_back();
    cherry.init();
    assert!(is_shared(&cherry));
}

#[test] // spec: MEM-47
fn an_import_of_a_fresh_export_changes_nothing_where_a_claim_was_edited_by_hand_or_is_on_another_branch() {
    let cherry = in_repository();
    cherry.tell("Ports", "The port is 80.");
    cherry.put("ports", &cherry.read("ports").replace("is 80", "is 8080"));
    let main = committed(&cherry.disk);
    cherry.tell("Buyer", "only on a branch");
    check_out(&cherry.disk, &main);
    cherry.disk.make_dirs("/out");
    for (format, out) in [(Format::JsonLines, "/out/lines"), (Format::Folder, "/out/folder")] {
        let request = ExportRequest { scope: ExportScope::Project, format, out: Some(out.into()) };
        Transfer::new(&cherry.memory).export(&maker(), &request, &|_, _| ()).unwrap();
        let before = cherry.disk.dump();
        let request = ImportRequest { path: out.into(), from: None, tier: None, sort: false, dry_run: false };
        let other = caller("codex:other", CHERRY);
        let done = Transfer::new(&cherry.memory).import(&other, &request, &|_, _| true).unwrap();
        assert_eq!((done.born, done.superseded, done.versions, done.acts), (0, 0, 0, 0), "{done:?}");
        // A copy that is kept of what lies in the checkout says nothing new.
        let is_ground =
            |path: &&PathBuf| !["/local/", "/.kept/"].iter().any(|dir| path.to_string_lossy().contains(dir));
        let after = cherry.disk.dump();
        let changed: Vec<_> =
            after.keys().filter(is_ground).filter(|path| before.get(*path) != after.get(*path)).collect();
        assert_eq!(changed, Vec::<&PathBuf>::new(), "{out}");
        assert_eq!(cherry.show("Ports").claim.unwrap().brought, None, "{out}");
    }
}

#[test] // spec: MEM-23, MEM-2
fn a_claim_that_was_written_after_an_eject_is_said_to_be_under_the_home_by_every_verb() {
    let cherry = in_repository();
    cherry.tell("Deploy", "x");
    let shared = committed(&cherry.disk);
    cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    cherry.tell("HomeOnly", "written after the eject");
    check_out(&cherry.disk, &shared);
    assert_eq!(cherry.texts("HomeOnly").1, [("written after the eject".to_owned(), true)]);
    let label = || "HomeOnly".to_owned();
    let learning = LearnRequest { label: label(), verdict: Verdict::Wrong, note: None, tier: None };
    let retraction = RetractRequest { label: label(), reason: "it was wrong".into(), tier: None };
    let renaming = RenameRequest { label: label(), to: "Other".into(), tier: None };
    let promotion = PromoteRequest { label: label(), reason: "it holds".into(), ..PromoteRequest::default() };
    let proposal = PromoteRequest { how: PromoteAs::Propose, ..promotion.clone() };
    let verifying = VerifyRequest { label: Some(label()), tier: Tier::Project, limit: 5 };
    let refusals = [
        cherry.memory.learn(&maker(), &learning).map(drop),
        cherry.memory.retract(&maker(), &retraction).map(drop),
        cherry.memory.rename(&maker(), &renaming).map(drop),
        cherry.memory.promote(&maker(), &promotion).map(drop),
        cherry.memory.promote(&maker(), &proposal).map(drop),
        cherry.memory.begin_edit(&maker(), "HomeOnly", None).map(drop),
        cherry.memory.verify(&maker(), &verifying).map(drop),
    ];
    for refused in refusals {
        let refused = refused.unwrap_err();
        assert_eq!(refused.code().name(), "claim.not_found");
        let told = refused.to_string();
        assert!(
            told.starts_with("\"HomeOnly\" was written in ") && told.ends_with("is not in this checkout"),
            "{told}"
        );
        assert!(refused.fix().unwrap().contains("brainstem init"), "{:?}", refused.fix());
    }
    let unknown = RetractRequest { label: "HomeOnlyy".into(), reason: "x".into(), tier: None };
    let told = cherry.memory.retract(&maker(), &unknown).unwrap_err().to_string();
    assert!(told.starts_with("no claim is called"), "{told}");
    let gaps = cherry.memory.all(&maker()).gaps;
    let gap = gaps.iter().find(|gap| gap.name == "owner_side_claims").expect("a gap");
    assert!(gap.detail.contains("\"HomeOnly\""), "{gap:?}");
    // The labels that are named are bounded.
    for n in 0..9 {
        cherry.disk.write_raw(
            format!("{}/n{n}.light.md", owner_claims(&cherry).display()),
            cherry.read("deploy").replace("Deploy", &format!("N{n}")).as_bytes(),
        );
    }
    let gaps = cherry.memory.all(&maker()).gaps;
    let gap = gaps.iter().find(|gap| gap.name == "owner_side_claims").expect("a gap");
    assert!(gap.detail.contains(", …") && gap.detail.to_string().matches('"').count() <= 12, "{gap:?}");
}

/// The folder under the home in which the claims lay before they went into the repository.
fn owner_claims(cherry: &Clone) -> PathBuf {
    let brains = cherry.memory.route(&maker()).brain().unwrap().folder.clone();
    brains.join("agent-memory")
}

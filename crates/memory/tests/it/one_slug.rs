//! Labels that differ in punctuation alone have one slug. Each is a claim of its own, whatever becomes of the other.

use crate::power_loss::{Mortal, call, crashed, later};
use crate::whose_history::{Kept, World};
use crate::world::{CHERRY, HOME, MAKER, Short as _, caller, code, doctrine, files_below, service};
use brainstem_base::disk::{Disk as _, Failing, FailingFor, FaultyDisk, SimDisk, UnsyncedFate};
use brainstem_claims::undecided_file::join;
use brainstem_memory::{
    Caller, Confirmation, DoctorRequest, ForgetRequest, InitRequest, LearnRequest, Memory, MemoryError,
    RenameRequest, ResolveRequest, RetractRequest, Shown, Tier, Verdict, VerifyRequest, WriteTier,
};
use brainstem_transfer::mixed_medulla;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NOTES: &str = "Build notes";
const PATH: &str = "build/notes!";
const BOTH: [Kept; 2] = [Kept::UnderTheHome, Kept::InTheRepository];

fn maker() -> Caller {
    caller(MAKER, CHERRY)
}

fn live(slug: &str) -> PathBuf {
    Path::new(CHERRY).join(format!(".brainstem/agent-memory/{slug}.light.md"))
}

impl World {
    fn shown(&self, label: &str) -> Option<Shown> {
        self.memory.look_at(&maker(), label, Tier::Project).ok()
    }

    /// What is live or waits, and what was before it.
    fn told(&self, label: &str) -> Vec<String> {
        let Some(shown) = self.shown(label) else { return Vec::new() };
        let rows = shown.claim.into_iter().chain(shown.sides).map(|row| row.text);
        rows.chain(shown.history.into_iter().map(|version| version.text)).collect()
    }

    fn life(&self, label: &str) -> Vec<&'static str> {
        self.shown(label).into_iter().flat_map(|shown| shown.life).map(|step| step.what).collect()
    }

    fn forget_it(&self, label: &str, confirm: bool) -> Result<brainstem_memory::Forgotten, MemoryError> {
        self.memory.forget(
            &maker(),
            &ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::of_flag(confirm) },
        )
    }

    fn has_words(&self, text: &str) -> bool {
        [HOME, CHERRY].into_iter().any(|top| {
            let files = files_below(&self.disk, top);
            files.values().any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
        })
    }

    fn troubles(&self) -> Vec<&'static str> {
        let found = self.memory.doctor(&maker(), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
        found.findings.iter().map(|finding| finding.trouble.name()).collect()
    }

    fn file(&self, slug: &str) -> Vec<u8> {
        self.disk.read(&live(slug), 1 << 20).unwrap()
    }
}

/// A claim that was taken back, and another whose label has its slug.
fn one_after_the_other(kept: Kept) -> World {
    let world = World::new(kept);
    world.tell(PATH, "one thing");
    world.memory.take_back(&maker(), PATH).unwrap();
    world.tell(NOTES, "another thing");
    world.tell(NOTES, "another thing, said anew");
    assert_eq!(world.told(PATH), ["one thing"]);
    assert_eq!(world.told(NOTES), ["another thing, said anew", "another thing"]);
    world
}

/// What a merge leaves in a clone where one person wrote one label and another the other.
fn both_wait() -> World {
    let (ana, ben) = (World::new(Kept::InTheRepository), World::new(Kept::InTheRepository));
    ben.clock.advance(7_000);
    ben.tell(PATH, "bens claim");
    ana.tell(NOTES, "anas first");
    ana.tell(NOTES, "anas claim");
    let file = join(&[&ana.file("build-notes"), &ben.file("build-notes")]);
    ana.disk.write_raw(live("build-notes"), &file);
    ana.clock.advance(60_000);
    ana
}

/// Notes as the command line prints them, a line each.
fn said(notes: &[brainstem_base::Advice]) -> String {
    notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test] // spec: MEM-8, MEM-48
fn a_rename_takes_along_the_versions_of_its_claim_alone() {
    for kept in BOTH {
        let world = one_after_the_other(kept);
        assert_eq!(world.life(NOTES), ["learned", "rewritten"], "{kept:?}");
        world.rename(NOTES, "Compile");
        assert_eq!(world.told("Compile"), ["another thing, said anew", "another thing"], "{kept:?}");
        assert_eq!(world.told(PATH), ["one thing"], "{kept:?}");
        assert_eq!(world.life("Compile"), ["learned", "rewritten", "renamed"], "{kept:?}");
        assert_eq!(world.life(PATH), ["learned", "retracted"], "{kept:?}");
        assert_eq!(world.forget_it("Compile", true).unwrap().versions, 1, "{kept:?}");
        assert_eq!(world.told(PATH), ["one thing"], "{kept:?}");
        assert!(!world.has_words("another thing"), "{kept:?}");
        assert_eq!(world.troubles(), [""; 0], "{kept:?}");
    }
}

#[test] // spec: MEM-8, MEM-48
fn a_rename_takes_no_kept_copy_of_another_claim_along() {
    // Git took the file of the one away, and brought that of the other.
    let world = World::new(Kept::InTheRepository);
    world.tell(PATH, "one thing");
    let ben = World::new(Kept::InTheRepository);
    ben.clock.advance(60_000);
    ben.tell(NOTES, "another thing");
    world.disk.write_raw(live("build-notes"), &ben.file("build-notes"));
    world.clock.advance(90_000);
    world.rename(NOTES, "Compile");
    assert_eq!(world.told(PATH), ["one thing"]);
    assert_eq!(world.told("Compile"), ["another thing"]);
    world.forget_it("Compile", true).unwrap();
    assert_eq!(world.told(PATH), ["one thing"]);
}

#[test] // spec: MEM-8, MEM-48
fn in_the_medulla_too_a_rename_leaves_the_history_of_another_claim() {
    let world = World::new(Kept::UnderTheHome);
    let person = caller("human:ana", CHERRY);
    let tell = |label: &str, text: &str| {
        world.memory.memorize(&person, &doctrine(label, text)).unwrap();
        world.clock.advance(1_000);
    };
    tell(PATH, "one thing");
    let tier = || Some(WriteTier::Medulla);
    let take_back =
        brainstem_memory::RetractRequest { label: PATH.into(), reason: "not so".into(), tier: tier() };
    world.memory.retract(&person, &take_back).unwrap();
    tell(NOTES, "another thing");
    let rename = RenameRequest { label: NOTES.into(), to: "Compile".into(), tier: tier() };
    world.memory.rename(&person, &rename).unwrap();
    let forget = ForgetRequest { label: "Compile".into(), tier: tier(), confirmation: Confirmation::Given };
    assert_eq!(world.memory.forget(&person, &forget).unwrap().versions, 0);
    let shown = world.memory.look_at(&person, PATH, Tier::Medulla).unwrap();
    assert_eq!(shown.history.iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["one thing"]);
}

#[test] // spec: MEM-8
fn a_claim_gets_no_spelling_that_another_claim_of_its_slug_had() {
    for kept in BOTH {
        let world = one_after_the_other(kept);
        let request = RenameRequest { label: NOTES.into(), to: PATH.into(), tier: None };
        assert_eq!(code(world.memory.rename(&maker(), &request)), "claim.slug_taken", "{kept:?}");
        world.rename(NOTES, "Build: notes");
        world.rename("Build: notes", NOTES);
        assert_eq!(world.told(PATH), ["one thing"]);
        assert_eq!(world.told(NOTES), ["another thing, said anew", "another thing"]);
    }
}

#[test] // spec: MEM-8, MEM-48
fn forget_by_the_id_of_a_row_deletes_the_live_claim_and_no_other_of_its_slug() {
    for kept in BOTH {
        let world = one_after_the_other(kept);
        assert_eq!(world.told("build-notes"), ["another thing, said anew", "another thing"]);
        assert_eq!(world.forget_it("build-notes", true).unwrap().versions, 1);
        assert_eq!(world.told(PATH), ["one thing"], "{kept:?}");
    }
}

/// A claim whose label is the id of another: that one is live, and the first was taken back or is not in this checkout.
fn label_is_an_id(kept: Kept, is_missing: bool) -> World {
    let world = World::new(kept);
    world.tell("build-notes", "plain");
    world.tell("build-notes", "plainer");
    if is_missing {
        let ben = World::new(kept);
        ben.clock.advance(60_000);
        ben.tell(NOTES, "another thing");
        world.disk.write_raw(live("build-notes"), &ben.file("build-notes"));
        world.clock.advance(90_000);
    } else {
        world.memory.take_back(&maker(), "build-notes").unwrap();
        world.tell(NOTES, "another thing");
    }
    world
}

#[test] // spec: MEM-8, MEM-23
fn a_claim_is_meant_by_its_very_label_before_another_by_its_id() {
    let worlds = [(Kept::UnderTheHome, false), (Kept::InTheRepository, false), (Kept::InTheRepository, true)];
    for (kept, is_missing) in worlds {
        let at = format!("{kept:?}, missing: {is_missing}");
        let world = label_is_an_id(kept, is_missing);
        let shown = world.shown("build-notes").unwrap();
        let named: Vec<String> =
            shown.gaps.iter().filter(|gap| gap.name == "same_id").map(|gap| gap.detail.to_string()).collect();
        assert_eq!(named.len(), 1, "{at}");
        assert!(named[0].contains("brainstem show 'Build notes' shows it"), "{at}: {named:?}");
        assert_eq!(world.told("build-notes"), ["plainer", "plain"], "{at}");
        assert_eq!(world.told(NOTES), ["another thing"], "{at}");
        // No verb touches the live claim by the label of the other.
        let (to, reason) = ("Other".to_owned(), "not so".to_owned());
        let label = || "build-notes".to_owned();
        let learn = LearnRequest { label: label(), verdict: Verdict::Wrong, note: None, tier: None };
        let verify = VerifyRequest { label: Some(label()), tier: Tier::Project, limit: 10 };
        let refusals = [
            world.memory.retract(&maker(), &RetractRequest { label: label(), reason, tier: None }).map(drop),
            world.memory.rename(&maker(), &RenameRequest { label: label(), to, tier: None }).map(drop),
            world.memory.learn(&maker(), &learn).map(drop),
            world.memory.begin_edit(&maker(), "build-notes", None).map(drop),
            world.memory.verify(&maker(), &verify).map(drop),
        ];
        for (n, refusal) in refusals.into_iter().enumerate() {
            let told = refusal.expect_err(&format!("{n} of {at}")).to_string();
            let expected = if is_missing { "is not in this checkout" } else { "was taken back" };
            assert!(told.contains(expected), "{n} of {at}: {told}");
        }
        assert_eq!(world.told(NOTES), ["another thing"], "{at}");
        // The name that answers give the live row means that one.
        let id = format!("{}#build-notes", world.memory.begin(&maker()).unwrap().brain.origin());
        assert_eq!(world.told(&id), ["another thing"], "{at}");
        assert_eq!(code(world.forget_it(&id, true)), "input.bad_value", "{at}");
        let asked = world.forget_it("build-notes", false).unwrap_err().to_string();
        assert!(asked.contains("no live claim and 2 versions"), "{at}: {asked}");
        assert!(asked.contains("\"Build notes\" has this id too and stays"), "{at}: {asked}");
        assert_eq!(world.forget_it("build-notes", true).unwrap().versions, 2, "{at}");
        assert!(!world.has_words("plain"), "{at}");
        assert_eq!(world.told(NOTES), ["another thing"], "{at}");
        assert_eq!(world.told("build-notes"), ["another thing"], "{at}: it is an id alone now");
    }
}

#[test] // spec: MEM-8
fn by_an_id_the_histories_of_two_claims_are_never_shown_as_one() {
    for kept in BOTH {
        let world = label_is_an_id(kept, false);
        world.memory.take_back(&maker(), NOTES).unwrap();
        assert_eq!(world.told("build-notes"), ["plainer", "plain"], "{kept:?}");
        assert_eq!(world.life("build-notes"), ["learned", "rewritten", "retracted"], "{kept:?}");
        // Where no label is the id itself, the youngest is shown, and the other named.
        let world = one_after_the_other(kept);
        world.memory.take_back(&maker(), NOTES).unwrap();
        assert_eq!(world.told("build-notes"), ["another thing, said anew", "another thing"], "{kept:?}");
        let gaps = world.shown("build-notes").unwrap().gaps;
        let told = gaps.iter().find(|gap| gap.name == "same_id").unwrap().detail.to_string();
        assert!(told.contains("brainstem show 'build/notes!' shows it"), "{told}");
    }
}

#[test] // spec: MEM-8, MEM-49
fn the_call_that_keeps_two_claims_of_one_file_name_works_as_it_is_printed() {
    let world = label_is_an_id(Kept::InTheRepository, true);
    let notes = said(&world.waiting().notes);
    assert!(notes.contains("rename 'Build notes' NEW"), "{notes}");
    world.rename(NOTES, "Compile");
    world.memory.init(&maker(), &InitRequest::default()).unwrap();
    assert_eq!(world.told("Compile"), ["another thing"]);
    assert_eq!(world.told("build-notes"), ["plainer", "plain"]);
    assert_eq!(world.memory.all(&maker()).rows.len(), 2);
}

#[test] // spec: MEM-8, MEM-48, MEM-49
fn forget_leaves_a_claim_of_another_label_that_waits_in_the_same_file() {
    let world = both_wait();
    let asked = world.forget_it(PATH, false).unwrap_err().to_string();
    assert!(asked.contains("the live claim and 0 versions"), "{asked}");
    assert!(asked.contains("\"Build notes\" in the same file stays"), "{asked}");
    let gone = world.forget_it(PATH, true).unwrap();
    assert!(gone.live && gone.versions == 0, "{gone:?}");
    assert!(!world.has_words("bens claim"));
    assert_eq!(world.told(NOTES), ["anas claim", "anas first"]);
    assert_eq!(world.memory.all(&maker()).rows.len(), 1);
    assert_eq!(world.troubles(), [""; 0]);
    // What comes back of it is marked.
    let world = both_wait();
    let gone = world.forget_it(NOTES, true).unwrap();
    assert!(gone.live && gone.versions == 1, "{gone:?}");
    assert!(!world.has_words("anas"));
    assert_eq!(world.told(PATH), ["bens claim"]);
}

impl World {
    fn resolve(&self, label: &str, take: Option<&str>, text: Option<&str>) -> brainstem_memory::Resolved {
        let (label, take, text) = (Some(label.into()), take.map(str::to_owned), text.map(str::to_owned));
        self.memory.resolve(&maker(), &ResolveRequest { label, take, text, tier: None }).unwrap()
    }

    fn waiting(&self) -> brainstem_memory::Resolved {
        self.memory.resolve(&maker(), &ResolveRequest::default()).unwrap()
    }
}

#[test] // spec: MEM-8, MEM-49
fn two_claims_in_one_file_are_named_and_a_rename_keeps_both() {
    for (label, left, texts) in
        [(PATH, NOTES, ["anas claim", "anas first"].as_slice()), (NOTES, PATH, &["bens claim"])]
    {
        let world = both_wait();
        let told = [
            said(&world.waiting().notes),
            world.memory.all(&maker()).gaps.iter().map(|gap| gap.detail.to_string()).collect::<String>(),
        ];
        for told in told {
            let both = "\"Build notes\" and \"build/notes!\" are claims of their own";
            assert!(told.contains(both) && told.contains("rename 'build/notes!' NEW"), "{told}");
        }
        let before = world.told(label);
        world.rename(label, "Compile");
        assert_eq!(world.told("Compile"), before);
        assert_eq!(world.told(left), texts);
        assert!(world.waiting().waiting.is_empty());
        assert_eq!(world.memory.all(&maker()).rows.len(), 2);
        assert_eq!(world.troubles(), [""; 0]);
        // Nothing of the one goes with the other.
        world.forget_it("Compile", true).unwrap();
        assert_eq!(world.told(left), texts);
        assert!(before.iter().all(|text| !world.has_words(text)));
    }
}

#[test] // spec: MEM-8, MEM-49
fn a_decision_for_one_of_two_claims_makes_the_other_no_version_of_it() {
    let world = both_wait();
    let done = world.resolve(NOTES, Some("ours"), None);
    assert!(
        done.notes.iter().any(|note| note.contains("\"build/notes!\" is another claim")),
        "{:?}",
        done.notes
    );
    assert!(done.claim.unwrap().file.get("Follows").is_none_or(|follows| follows.split(' ').count() == 1));
    assert_eq!(world.told(NOTES), ["anas claim", "anas first"]);
    assert_eq!(world.told(PATH), ["bens claim"]);
    world.rename(NOTES, "Compile");
    world.forget_it("Compile", true).unwrap();
    assert_eq!(world.told(PATH), ["bens claim"]);
    // A text of one's own is for the claim that was named.
    let world = both_wait();
    world.clock.advance(1_000);
    let done = world.resolve(PATH, None, Some("bens claim, decided"));
    assert_eq!(done.claim.unwrap().label, PATH);
    assert_eq!(world.told(PATH), ["bens claim, decided", "bens claim"]);
    assert_eq!(world.told(NOTES), ["anas claim", "anas first"]);
}

#[test] // spec: MEM-8, MEM-49
fn where_the_others_claim_is_live_the_own_one_is_missing_until_it_is_decided() {
    // Ben decided for his claim; this clone pulls, and wrote the other.
    let ben = World::new(Kept::InTheRepository);
    ben.clock.advance(7_000);
    ben.tell(PATH, "bens claim");
    let world = World::new(Kept::InTheRepository);
    world.tell(NOTES, "anas claim");
    world.disk.write_raw(live("build-notes"), &ben.file("build-notes"));
    assert_eq!(world.told(NOTES), ["anas claim"]);
    let notes = said(&world.waiting().notes);
    assert!(notes.contains("are claims of their own"), "{notes}");
    world.resolve(PATH, Some("ours"), None);
    assert!(world.waiting().waiting.is_empty());
    assert_eq!(world.told(NOTES), ["anas claim"]);
    assert_eq!(world.told(PATH), ["bens claim"]);
}

#[test] // spec: MEM-8, MEM-23, MEM-48
fn a_file_that_is_not_named_by_its_label_is_refused_by_every_verb_that_changes_a_claim() {
    for copy in [true, false] {
        let world = World::new(Kept::InTheRepository);
        world.tell("L1", "words one");
        world.tell("L1", "words two");
        world.disk.write_raw(live("l2"), &world.file("l1"));
        if !copy {
            world.disk.unlink(&live("l1")).unwrap();
        }
        for label in ["L2", "l2"] {
            let (to, reason) = ("Other".to_owned(), "not so".to_owned());
            let rename = RenameRequest { label: label.into(), to, tier: None };
            let retract = brainstem_memory::RetractRequest { label: label.into(), reason, tier: None };
            let promote = brainstem_memory::PromoteRequest {
                label: label.into(),
                reason: "for all".into(),
                ..Default::default()
            };
            let refusals = [
                world.forget_it(label, true).map(drop),
                world.memory.rename(&maker(), &rename).map(drop),
                world.memory.retract(&maker(), &retract).map(drop),
                world.memory.promote(&maker(), &promote).map(drop),
                world.memory.begin_edit(&maker(), label, None).map(drop),
                world.memory.tell(&maker(), label, "new words").map(drop),
            ];
            for refusal in refusals {
                let told = refusal.unwrap_err();
                let fix = brainstem_base::Coded::fix(&told).unwrap_or_default();
                let told = format!("{told}; {fix}");
                assert!(told.contains("l2.light.md` is not named by its label: \"L1\""), "{told}");
                assert!(told.contains(if copy { "line Node of" } else { "mv " }), "{told}");
            }
        }
        assert_eq!(world.told("L1"), ["words two", "words one"], "{copy}");
        assert!(world.has_words("words two"));
    }
}

#[test] // spec: MEM-2, MEM-48
fn a_tombstone_of_a_misnamed_copy_hides_no_version_of_the_real_claim() {
    // As an older program wrote it when the copy `l1-old` of L1 was forgotten.
    let world = World::new(Kept::InTheRepository);
    world.tell("L1", "words one");
    world.tell("L1", "words two");
    let file = world.file("l1");
    let live_claim = brainstem_claims::Claim::parse(&file).unwrap();
    let covers = brainstem_claims::lineage::Lineage::up_to(&live_claim).to_string();
    let sha256 = brainstem_base::hash::sha256_hex(&file, 64);
    let name = brainstem_claims::act::tombstone_name(&brainstem_claims::ClaimSlug::of(
        &brainstem_claims::Label::parse("l1-old").unwrap(),
    ));
    let data = format!(r#"{{"versions":1,"sha256":["{sha256}"],"covers":"{covers}"}}"#);
    world.record(MAKER, "forget", &format!("{name}@0011223344556677"), &data);
    let row = world.shown("L1").unwrap().claim.unwrap();
    assert!(!row.forgotten && !row.resurrected);
    assert_eq!(world.troubles(), [""; 0]);
    world.disk.unlink(&live("l1")).unwrap();
    assert_eq!(world.told("L1"), ["words two", "words one"]);
}

#[test] // spec: MEM-10a, MEM-48
fn forgetting_a_claim_marks_no_other_that_its_header_names() {
    let world = World::new(Kept::InTheRepository);
    world.tell("Retry policy", "Three times.");
    let id = brainstem_claims::lineage::VersionId::of(
        &brainstem_claims::Claim::parse(&world.file("retry-policy")).unwrap(),
    );
    let junk = format!(
        "---\nProtocol: L1GHT/1.0\nNode: Junk\nState: authored\nCreated: 1783209440000\nSource-Agent: codex:eve\nFollows: {id}\n---\n\n# Junk\n\nBuy pills.\n"
    );
    world.disk.write_raw(live("junk"), junk.as_bytes());
    world.forget_it("Junk", true).unwrap();
    let row = world.shown("Retry policy").unwrap().claim.unwrap();
    assert!(!row.forgotten && !row.resurrected);
    assert!(!world.troubles().contains(&"claim_forgotten"));
    // Nor does a tombstone that came with the repository.
    let name = brainstem_claims::act::tombstone_name(&brainstem_claims::ClaimSlug::of(
        &brainstem_claims::Label::parse("Other").unwrap(),
    ));
    let sha256 = brainstem_base::hash::sha256_hex(&world.file("retry-policy"), 64);
    let data = format!(r#"{{"versions":1,"sha256":["{sha256}"],"covers":"{id}","gone":"{id}"}}"#);
    world.pull("human:eve", "forget", &format!("{name}@0011223344556677"), &data);
    let row = world.shown("Retry policy").unwrap().claim.unwrap();
    assert!(!row.forgotten && !row.resurrected);
    assert!(!world.troubles().contains(&"claim_forgotten"));
    world.disk.unlink(&live("retry-policy")).unwrap();
    assert_eq!(world.told("Retry policy"), ["Three times."]);
    // What was forgotten and comes back under its own name is marked all the same.
    world.disk.write_raw(live("junk"), junk.as_bytes());
    assert!(world.shown("Junk").unwrap().claim.unwrap().forgotten);
}

fn healthy(disk: &SimDisk) -> World {
    let clock = later();
    World { disk: disk.clone(), memory: service(Arc::new(disk.clone()), &clock), clock }
}

/// Calls `ask` with the process killed after each number of operations, with the power gone before each step, and with each
/// operation failing; hands what is found to `check`.
fn cut_off<T: 'static>(ask: fn(&Memory) -> Result<T, MemoryError>, check: fn(&SimDisk, &str)) {
    let prepared = both_wait().disk.reboot(UnsyncedFate::Kept);
    for operations in 0.. {
        let disk = prepared.reboot(UnsyncedFate::Kept);
        let mortal = Arc::new(Mortal::new(disk.clone(), operations));
        let _ = ask(&service(mortal.clone(), &later()));
        check(&disk, &format!("killed after {operations} operations"));
        if mortal.has_survived() {
            break;
        }
    }
    for failing in [Failing::All, Failing::Additions] {
        for passes in 0.. {
            let disk = prepared.reboot(UnsyncedFate::Kept);
            let faulty =
                Arc::new(FaultyDisk::after(Arc::new(disk.clone()), failing, FailingFor::Once, passes));
            let _ = ask(&service(faulty.clone(), &later()));
            check(&disk, &format!("{failing:?} after {passes}"));
            if faulty.failures() == 0 {
                break;
            }
        }
    }
    crashed(&prepared, &call(ask), check);
}

fn forget_path(memory: &Memory) -> Result<brainstem_memory::Forgotten, MemoryError> {
    memory.forget(
        &maker(),
        &ForgetRequest { label: PATH.into(), tier: None, confirmation: Confirmation::Given },
    )
}

fn rename_path(memory: &Memory) -> Result<brainstem_memory::Relabelled, MemoryError> {
    memory.rename(&maker(), &RenameRequest { label: PATH.into(), to: "Compile".into(), tier: None })
}

#[test] // spec: MEM-8, MEM-13, MEM-48
fn a_forget_of_one_of_two_claims_in_one_file_that_is_cut_off_anywhere_leaves_the_other() {
    cut_off(forget_path, |disk, told| {
        let found = healthy(disk);
        assert_eq!(found.told(NOTES), ["anas claim", "anas first"], "{told}");
        match forget_path(&found.memory) {
            Ok(_) => {}
            Err(error) => assert_eq!(code(Err::<(), _>(error)), "claim.not_found", "{told}"),
        }
        assert_eq!(found.told(NOTES), ["anas claim", "anas first"], "{told}, repeated");
        assert!(!found.has_words("bens claim"), "{told}, repeated");
    });
}

#[test] // spec: MEM-8, MEM-13, MEM-48
fn a_rename_of_one_of_two_claims_in_one_file_that_is_cut_off_anywhere_loses_neither() {
    cut_off(rename_path, |disk, told| {
        let found = healthy(disk);
        assert_eq!(found.told(NOTES), ["anas claim", "anas first"], "{told}");
        let shown = [found.told(PATH), found.told("Compile")].concat();
        assert!(shown.contains(&"bens claim".to_owned()), "{told}: {shown:?}");
        rename_path(&found.memory).unwrap_or_else(|error| panic!("{told}, repeated: {error}"));
        assert_eq!(found.told(NOTES), ["anas claim", "anas first"], "{told}, repeated");
        assert_eq!(found.told("Compile"), ["bens claim"], "{told}, repeated");
        assert_eq!(found.told(PATH), [""; 0], "{told}, repeated");
    });
}

/// A claim whose label was spelled anew, that was taken back, and that was told again under the first spelling.
fn spelled_anew_and_told_again(kept: Kept) -> World {
    let world = World::new(kept);
    world.tell("Retry: policy", "one");
    world.rename("Retry: policy", "Retry policy");
    world.memory.take_back(&maker(), "Retry policy").unwrap();
    world.tell("Retry: policy", "told again");
    world
}

#[test] // spec: MEM-8, MEM-48
fn both_spellings_of_a_claim_that_was_spelled_anew_are_one_claim() {
    for kept in BOTH {
        for label in ["Retry policy", "Retry: policy", "retry-policy"] {
            let world = spelled_anew_and_told_again(kept);
            assert_eq!(world.told(label), ["told again", "one"], "{kept:?} {label}");
            let asked = world.forget_it(label, false).unwrap_err().to_string();
            assert!(
                asked.contains("the live claim and 1 version of the history of \"Retry: policy\""),
                "{asked}"
            );
            let gone = world.forget_it(label, true).unwrap();
            assert_eq!((gone.live, gone.versions), (true, 1), "{kept:?} {label}");
            assert!(!world.has_words("told again"), "{kept:?} {label}");
            assert_eq!(world.told(label), [""; 0], "{kept:?} {label}");
            assert_eq!(world.troubles(), [""; 0], "{kept:?} {label}");
        }
        // There and back, and over a third spelling.
        let world = World::new(kept);
        world.tell("Retry policy", "word one");
        world.tell("Retry policy", "word two");
        world.rename("Retry policy", "Retry: policy");
        world.rename("Retry: policy", "Retry, policy");
        world.memory.take_back(&maker(), "Retry, policy").unwrap();
        world.tell("Retry: policy", "fresh");
        let all = ["fresh", "word two", "word one"];
        for label in ["Retry policy", "Retry: policy", "Retry, policy"] {
            assert_eq!(world.told(label), all, "{kept:?} {label}");
        }
        assert_eq!(world.forget_it("Retry policy", true).unwrap().versions, 2, "{kept:?}");
        assert!(["fresh", "word two", "word one"].iter().all(|text| !world.has_words(text)), "{kept:?}");
    }
}

#[test] // spec: MEM-8, MEM-48
fn a_renaming_that_git_undid_makes_no_second_claim_of_the_other_spelling() {
    let world = World::new(Kept::InTheRepository);
    world.tell("Retry: policy", "one");
    let before = world.file("retry-policy");
    world.rename("Retry: policy", "Retry policy");
    world.disk.write_raw(live("retry-policy"), &before);
    assert_eq!(world.told("Retry policy").first().map(String::as_str), Some("one"));
    world.tell("Retry: policy", "two");
    assert_eq!(world.told("Retry policy").first().map(String::as_str), Some("two"));
    let asked = world.forget_it("Retry policy", false).unwrap_err().to_string();
    assert!(asked.contains("of \"Retry: policy\""), "{asked}");
}

#[test] // spec: MEM-8, MEM-10a, MEM-48
fn a_spelling_that_only_the_repository_tells_of_reaches_no_claim() {
    let world = World::new(Kept::InTheRepository);
    world.tell("Retry: policy", "mine one");
    world.tell("Retry: policy", "mine two");
    let data =
        r#"{"from":"Retry: policy","to":"Retry policy","to_slug":"retry-policy","created":1783209432409}"#;
    world.pull("human:eve", "rename", "retry-policy@1783209432409", data);
    assert_eq!(world.told("Retry policy"), [""; 0]);
    // Nothing but the act speaks of that label.
    let gone = world.forget_it("Retry policy", true).unwrap();
    assert_eq!((gone.live, gone.versions, gone.acts), (false, 0, 1));
    assert_eq!(code(world.forget_it("Retry policy", true)), "claim.not_found");
    assert_eq!(world.told("Retry: policy"), ["mine two", "mine one"]);
}

#[test] // spec: MEM-8, MEM-34
fn a_claim_that_was_spelled_anew_is_promoted_over_its_own_copy() {
    let world = World::new(Kept::UnderTheHome);
    let person = caller("human:ana", CHERRY);
    world.tell("Retry: policy", "three times");
    let promote = |label: &str| {
        let request = brainstem_memory::PromoteRequest {
            label: label.into(),
            reason: "it holds".into(),
            ..brainstem_memory::PromoteRequest::default()
        };
        world.clock.advance(1_000);
        world.memory.promote(&person, &request)
    };
    promote("Retry: policy").unwrap();
    world.rename("Retry: policy", "Retry policy");
    world.tell("Retry policy", "four times");
    promote("Retry policy").unwrap();
    let shown = world.memory.look_at(&person, "Retry policy", Tier::Medulla).unwrap().claim.unwrap();
    assert_eq!((shown.label.as_str(), shown.text.as_str()), ("Retry policy", "four times"));
}

#[test] // spec: MEM-51, MEM-12
fn a_version_that_was_taken_back_is_marked_also_while_it_waits_beside_another_claim() {
    let world = World::new(Kept::InTheRepository);
    world.tell(PATH, "one thing");
    let taken_back = world.file("build-notes");
    world.memory.take_back(&maker(), PATH).unwrap();
    let ben = World::new(Kept::InTheRepository);
    ben.clock.advance(60_000);
    ben.tell(NOTES, "another thing");
    world.disk.write_raw(live("build-notes"), &join(&[&taken_back, &ben.file("build-notes")]));
    world.clock.advance(90_000);
    let warned = |rows: Vec<brainstem_memory::Row>| -> Vec<(String, bool)> {
        let is_warning = |row: &brainstem_memory::Row| {
            row.facts()
                .iter()
                .any(|fact| fact.words == "came back after it was retracted here: \"it was wrong\"")
        };
        rows.iter().map(|row| (row.label.clone(), is_warning(row))).collect()
    };
    let both = [(PATH.to_owned(), true), (NOTES.to_owned(), false)];
    let mut listed = warned(world.memory.all(&maker()).rows);
    listed.sort_by_key(|(_, is_warned)| !is_warned);
    assert_eq!(listed, both);
    let mut found = warned(world.memory.find(&maker(), "thing", Tier::Both).rows);
    found.sort_by_key(|(_, is_warned)| !is_warned);
    assert_eq!(found, both);
    assert_eq!(warned(world.shown(PATH).unwrap().sides), both[..1]);
    assert!(world.troubles().contains(&"claim_resurrected"), "{:?}", world.troubles());
}

//! One claim of a project has one live copy in the medulla, whatever either side was renamed to since.

use crate::power_loss::{call, crashed, later};
use crate::promote::{ORCHESTRATOR, acts, asked, promote};
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, files_below,
    service, two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk as _, SimDisk, UnsyncedFate};
use brainstem_claims::Claim;
use brainstem_claims::State;
use brainstem_memory::{
    BrainScope, Caller, MemorizeRequest, Memory, PromoteAs, PromoteRequest, PromotionsRequest, RenameRequest,
    Tier, WriteTier,
};
use std::path::Path;
use std::sync::Arc;

/// A project with a claim that was promoted.
fn shared() -> (SimDisk, Arc<ManualClock>, Memory) {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    for root in [CHERRY, PLUM] {
        memory.begin(&caller(MAKER, root)).unwrap();
    }
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "Three times.").unwrap();
    clock.advance(1_000);
    promote(&memory, &boss(), "Retry policy").unwrap();
    clock.advance(1_000);
    (disk, clock, memory)
}

fn boss() -> Caller {
    caller(ORCHESTRATOR, CHERRY)
}

fn rename(memory: &Memory, from: &str, to: &str, tier: Option<WriteTier>) {
    let request = RenameRequest { label: from.into(), to: to.into(), tier };
    memory.rename(&boss(), &request).unwrap();
}

/// What is live in the medulla: label and text.
fn medulla(disk: &SimDisk) -> Vec<(String, String)> {
    let files = files_below(disk, Path::new(HOME).join("agent-memory"));
    let live = files.iter().filter(|(path, _)| {
        path.to_string_lossy().ends_with(".light.md") && !path.to_string_lossy().contains("/.history/")
    });
    let told = |bytes: &[u8]| Claim::parse(bytes).map(|claim| (claim.label, claim.text)).unwrap();
    live.map(|(_, bytes)| told(bytes)).collect()
}

fn one(label: &str, text: &str) -> Vec<(String, String)> {
    vec![(label.to_owned(), text.to_owned())]
}

/// The promotions on record, oldest first: the slug of the copy and what became of it.
fn promotions(memory: &Memory) -> Vec<(String, &'static str)> {
    let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
    let entries = memory.promotions(&boss(), &request).unwrap().entries.into_iter().rev();
    let promoted = entries.filter(|entry| entry.what.as_str() == "promotion");
    promoted
        .map(|entry| {
            let slug = entry.version.split('@').next().unwrap().to_owned();
            (slug, entry.standing.unwrap().as_str())
        })
        .collect()
}

#[test] // spec: MEM-34, MEM-48
fn a_claim_that_was_renamed_and_is_promoted_again_has_one_copy() {
    let (disk, clock, memory) = shared();
    rename(&memory, "Retry policy", "Attempts", None);
    let done = promote(&memory, &boss(), "Attempts").unwrap();
    assert_eq!(medulla(&disk), one("Attempts", "Three times."));
    assert!(done.notes.iter().any(|note| note.contains("\"Retry policy\"")), "{:?}", done.notes);
    assert_eq!(
        promotions(&memory),
        [("retry-policy".to_owned(), "replaced"), ("attempts".to_owned(), "shared")]
    );
    let shown = memory.look_at(&boss(), "Attempts", Tier::Project).unwrap();
    assert_eq!(shown.sharing.unwrap().unshared, None);
    let before = files_below(&disk, "/");
    assert!(promote(&memory, &boss(), "Attempts").unwrap().unchanged);
    assert_eq!(files_below(&disk, "/"), before, "said once");

    // And when it was changed before and after its renaming.
    for (text, label) in [("Four times.", "Attempts, at most"), ("Five times.", "Attempts")] {
        clock.advance(1_000);
        let now = memory.all(&boss()).rows.into_iter().find(|row| row.tier == "project").unwrap().label;
        memory.tell(&caller(MAKER, CHERRY), &now, text).unwrap();
        rename(&memory, &now, label, None);
        clock.advance(1_000);
        let text = format!("{text} And again.");
        memory.tell(&caller(MAKER, CHERRY), label, &text).unwrap();
        promote(&memory, &boss(), label).unwrap();
        assert_eq!(medulla(&disk), one(label, &text));
    }
}

#[test] // spec: MEM-34, MEM-48
fn a_copy_that_was_renamed_in_the_medulla_stays_the_one_copy() {
    let (disk, clock, memory) = shared();
    rename(&memory, "Retry policy", "Attempts", Some(WriteTier::Medulla));
    clock.advance(1_000);
    let again = promote(&memory, &boss(), "Retry policy").unwrap();
    assert!(again.unchanged, "{again:?}");
    assert_eq!(medulla(&disk), one("Attempts", "Three times."));
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "Four times.").unwrap();
    clock.advance(1_000);
    let next = promote(&memory, &boss(), "Retry policy").unwrap();
    assert!(!next.unchanged && next.history.is_some(), "it follows the version before: {next:?}");
    assert!(next.notes.iter().any(|note| note.contains("\"Attempts\"")), "{:?}", next.notes);
    assert_eq!(medulla(&disk), one("Attempts", "Four times."), "under the name it was given there");
    let shown = memory.look_at(&boss(), "Retry policy", Tier::Project).unwrap();
    assert_eq!(shown.sharing.unwrap().unshared, None);
    let chain = memory.look_at(&boss(), "Attempts", Tier::Medulla).unwrap().claim.unwrap().chain.unwrap();
    assert!(chain.starts_with("learned in cherry by codex:maker"), "{chain}");
    // Renamed to the same on both sides, it is the same still.
    rename(&memory, "Retry policy", "Attempts", None);
    assert!(promote(&memory, &boss(), "Attempts").unwrap().unchanged);
    assert_eq!(medulla(&disk).len(), 1);
}

#[test] // spec: MEM-34
fn another_claim_under_the_old_name_is_not_taken_for_it() {
    let (disk, clock, memory) = shared();
    rename(&memory, "Retry policy", "Attempts", None);
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "Something else.").unwrap();
    clock.advance(1_000);
    // By its label it takes the place of what the medulla says under it.
    promote(&memory, &boss(), "Retry policy").unwrap();
    assert_eq!(medulla(&disk), one("Retry policy", "Something else."));
    promote(&memory, &boss(), "Attempts").unwrap();
    let both = [one("Attempts", "Three times."), one("Retry policy", "Something else.")].concat();
    assert_eq!(medulla(&disk), both, "two claims, two copies");
    promote(&memory, &boss(), "Retry policy").unwrap();
    assert_eq!(medulla(&disk), both);
    // Nor is what another project or nobody promoted.
    memory.tell(&caller(MAKER, PLUM), "Attempts", "Plum's.").unwrap();
    memory.memorize(&caller(PERSON, PLUM), &doctrine("Tabs", "Four.")).unwrap();
    promote(&memory, &caller(PERSON, PLUM), "Attempts").unwrap();
    assert_eq!(medulla(&disk).len(), 3);
}

#[test] // spec: MEM-34, MEM-11
fn a_renaming_is_no_way_around_the_strength_of_a_copy() {
    let (disk, clock, memory) = shared();
    let strong = MemorizeRequest { state: Some(State::Verified), ..claim("Retry policy", "Three times.") };
    memory.memorize(&caller(MAKER, CHERRY), &strong).unwrap();
    clock.advance(1_000);
    promote(&memory, &boss(), "Retry policy").unwrap();
    rename(&memory, "Retry policy", "Attempts", None);
    memory.take_back(&caller(MAKER, CHERRY), "Attempts").unwrap();
    clock.advance(1_000);
    memory.tell(&caller(MAKER, CHERRY), "Attempts", "Perhaps four.").unwrap();
    let before = files_below(&disk, "/");
    assert_eq!(code(promote(&memory, &boss(), "Attempts")), "claim.would_downgrade");
    assert_eq!(files_below(&disk, "/"), before);
}

#[test] // spec: MEM-34, MEM-13, MEM-3c
fn a_promotion_after_a_renaming_that_was_cut_off_anywhere_leaves_one_copy() {
    for tier in [None, Some(WriteTier::Medulla)] {
        let (prepared, clock, memory) = shared();
        rename(&memory, "Retry policy", "Attempts", tier);
        let label = if tier.is_none() { "Attempts" } else { "Retry policy" };
        memory.tell(&caller(MAKER, CHERRY), label, "Four times.").unwrap();
        clock.advance(1_000);
        let ask = call(move |memory: &Memory| promote(memory, &boss(), label));
        let whole = prepared.reboot(UnsyncedFate::Kept);
        ask(&service(Arc::new(whole.clone()), &later())).unwrap();
        let (files, log) = (medulla(&whole), acts(&whole));
        assert_eq!(files, one("Attempts", "Four times."));
        crashed(&prepared, &ask, |disk, told| {
            assert!(!medulla(disk).is_empty(), "{tier:?}, {told}: never none");
            ask(&service(Arc::new(disk.clone()), &later())).unwrap();
            assert_eq!(medulla(disk), files, "{tier:?}, {told}");
            assert_eq!(acts(disk), log, "{tier:?}, {told}: each act once");
            let certain = disk.reboot(UnsyncedFate::Lost);
            assert_eq!((medulla(&certain), acts(&certain)), (files.clone(), log.clone()), "{tier:?}, {told}");
        });
    }
}

#[test] // spec: MEM-1, MEM-34, MEM-35
fn of_two_clones_the_audit_says_that_one_replaced_the_copy_of_the_other() {
    let (disk, clock, memory) = shared();
    let brain = memory.begin(&boss()).unwrap().brain;
    let manifest = disk.read(&brain.folder.join("brain.json"), 1 << 20).unwrap();
    disk.write_raw("/src/clone/.git/HEAD", b"ref: refs/heads/main\n");
    disk.write_raw("/src/clone/.brainstem/brain.json", &manifest);
    let clone = caller(ORCHESTRATOR, "/src/clone");
    memory.tell(&clone, "Retry policy", "Never.").unwrap();
    clock.advance(1_000);
    memory.promote(&clone, &PromoteRequest { reason: "here".into(), ..asked("Retry policy") }).unwrap();
    assert_eq!(medulla(&disk), one("Retry policy", "Never."));
    let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
    let entries = memory.promotions(&boss(), &request).unwrap().entries;
    let [second, first] = entries.as_slice() else { panic!("two promotions: {entries:?}") };
    assert_eq!((first.standing.unwrap().as_str(), second.standing.unwrap().as_str()), ("replaced", "shared"));
    assert_eq!(first.replaced_by.as_ref(), Some(&second.version));
    let shown = memory.look_at(&boss(), "Retry policy", Tier::Project).unwrap();
    let sentence = shown.sharing.unwrap().sentence();
    assert!(sentence.contains("took its place") && sentence.contains("clone"), "{sentence}");
    // Taken out after that, it was not replaced.
    crate::promote::judge_wrong(&memory, &boss(), "Retry policy");
    let entries = memory.promotions(&boss(), &request).unwrap().entries;
    let standing: Vec<_> = entries.iter().filter_map(|entry| entry.standing).map(|it| it.as_str()).collect();
    assert_eq!(standing, ["unshared", "replaced"]);
}

#[test] // spec: MEM-34
fn two_copies_that_an_older_program_left_become_one() {
    let (disk, _clock, memory) = shared();
    let old = Path::new(HOME).join("agent-memory/retry-policy.light.md");
    let bytes = disk.read(&old, 1 << 20).unwrap();
    disk.unlink(&old).unwrap();
    rename(&memory, "Retry policy", "Attempts", None);
    promote(&memory, &boss(), "Attempts").unwrap();
    disk.write_raw(&old, &bytes);
    assert_eq!(medulla(&disk).len(), 2);
    let healed = promote(&memory, &boss(), "Attempts").unwrap();
    assert!(!healed.unchanged, "something was done");
    assert_eq!(medulla(&disk), one("Attempts", "Three times."));
    assert!(promote(&memory, &boss(), "Attempts").unwrap().unchanged);
    // What only says that it is a copy is left to people.
    let forged = String::from_utf8(bytes).unwrap().replace("Node: Retry policy", "Node: Forged");
    disk.write_raw(old.with_file_name("forged.light.md"), forged.as_bytes());
    assert!(promote(&memory, &boss(), "Attempts").unwrap().unchanged);
    assert_eq!(medulla(&disk).len(), 2);
}

#[test] // spec: MEM-34, MEM-35, MEM-48
fn a_promotion_that_is_repeated_after_its_copy_was_renamed_is_on_record_once() {
    let (disk, _clock, memory) = shared();
    rename(&memory, "Retry policy", "Attempts", Some(WriteTier::Medulla));
    let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
    let labels = || -> Vec<Option<String>> {
        memory.promotions(&boss(), &request).unwrap().entries.into_iter().map(|entry| entry.label).collect()
    };
    assert_eq!(labels(), [Some("Attempts".to_owned())], "as the medulla calls it now");
    let asked = PromoteRequest { reason: "another".into(), ..asked("Retry policy") };
    let again = memory.promote(&boss(), &asked).unwrap();
    assert!(again.unchanged);
    assert!(
        again.notes.iter().any(|note| note.contains("your reason is not on record")),
        "{:?}",
        again.notes
    );
    assert_eq!(acts(&disk).iter().filter(|act| act.act == "promote").count(), 1);
    assert_eq!(labels(), [Some("Attempts".to_owned())]);
}

#[test] // spec: MEM-36, MEM-48
fn a_label_that_another_claim_has_by_now_mixes_no_lives() {
    let (_disk, clock, memory) = shared();
    rename(&memory, "Retry policy", "Attempts", None);
    clock.advance(1_000);
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "Of another thing.").unwrap();
    clock.advance(1_000);
    let second = PromoteRequest { reason: "second".into(), ..asked("Retry policy") };
    memory.promote(&boss(), &second).unwrap();
    let life = |label: &str| -> Vec<&'static str> {
        let shown = memory.look_at(&boss(), label, Tier::Project).unwrap();
        shown.life.iter().map(|step| step.what).collect()
    };
    assert_eq!(life("Retry policy"), ["learned", "promoted"]);
    assert_eq!(life("Attempts"), ["learned", "promoted", "renamed", "unshared"]);
    let shown = memory.look_at(&boss(), "Attempts", Tier::Project).unwrap();
    let sentence = shown.sharing.unwrap().sentence();
    assert!(sentence.contains("took its place") && !sentence.contains("clone"), "{sentence}");
}

#[test] // spec: MEM-35, MEM-48
fn a_proposal_follows_its_claim_to_another_name_and_is_settled_once() {
    let (_disk, clock, memory) = shared();
    let maker = caller(MAKER, CHERRY);
    memory.tell(&maker, "Page size", "Fifty rows.").unwrap();
    let propose = |label: &str| PromoteRequest { how: PromoteAs::Propose, ..asked(label) };
    let standing = || {
        let request = PromotionsRequest { brains: BrainScope::Own, limit: 100 };
        let entries = memory.promotions(&boss(), &request).unwrap().entries.into_iter();
        let found: Vec<_> = entries
            .filter(|entry| entry.what.as_str() == "proposal")
            .map(|entry| (entry.label.unwrap(), entry.standing.unwrap().as_str(), entry.settled.is_some()))
            .collect();
        found
    };
    memory.promote(&maker, &propose("Page size")).unwrap();
    clock.advance(1_000);
    rename(&memory, "Page size", "Rows", None);
    assert_eq!(standing(), [("Rows".to_owned(), "open", false)]);
    let beat = format!("{:?}", memory.beat(&boss(), "rows"));
    assert!(beat.contains("is proposed for every project and waits"), "{beat}");
    let withdraw = PromoteRequest { how: PromoteAs::Withdraw, ..asked("Rows") };
    memory.promote(&maker, &withdraw).unwrap();
    clock.advance(1_000);
    promote(&memory, &boss(), "Rows").unwrap();
    assert_eq!(standing(), [("Rows".to_owned(), "withdrawn", true)], "it was withdrawn before");

    clock.advance(1_000);
    memory.tell(&maker, "Page size", "Sixty.").unwrap();
    memory.promote(&maker, &propose("Page size")).unwrap();
    clock.advance(1_000);
    promote(&memory, &boss(), "Page size").unwrap();
    clock.advance(1_000);
    for settle in [
        PromoteRequest { how: PromoteAs::Withdraw, ..asked("x") },
        PromoteRequest { how: PromoteAs::Decline, ..asked("x") },
    ] {
        let who = if settle.how == PromoteAs::Withdraw { &maker } else { &boss() };
        let settled = memory.promote(who, &PromoteRequest { label: "Page size".into(), ..settle });
        let error = settled.unwrap_err().to_string();
        assert!(error.contains("was promoted on 2026-07-04"), "{error}");
    }
    assert_eq!(standing()[0], ("Page size".to_owned(), "promoted", false));
}

#[test] // spec: MEM-22, MEM-35
fn a_copy_that_cannot_be_read_is_not_called_unshared() {
    let (disk, _clock, memory) = shared();
    disk.write_raw(Path::new(HOME).join("agent-memory/retry-policy.light.md"), b"x");
    assert_eq!(promotions(&memory), [("retry-policy".to_owned(), "unreadable")]);
    for tier in [Tier::Project, Tier::Both] {
        let shown = memory.look_at(&boss(), "Retry policy", tier).unwrap();
        assert_eq!((shown.tier, shown.claim.is_some()), ("project", true));
        let sentence = shown.sharing.as_ref().unwrap().sentence();
        assert!(sentence.contains("its copy in the medulla cannot be read"), "{sentence}");
        assert!(!shown.sharing.unwrap().is_shared());
        let named = shown.gaps.iter().any(|gap| gap.name == "unreadable_claim");
        assert_eq!(named, tier == Tier::Both, "{:?}", shown.gaps);
    }
    assert_eq!(code(memory.look_at(&boss(), "Retry policy", Tier::Medulla)), "claim.unreadable");
}

#[test] // spec: MEM-20
fn a_witness_and_its_copy_are_one_row_whichever_of_them_was_renamed() {
    for (tier, from, to) in
        [(None, "Retry policy", "Attempts"), (Some(WriteTier::Medulla), "Retry policy", "Attempts")]
    {
        let (_disk, _clock, memory) = shared();
        rename(&memory, from, to, tier);
        let here = boss();
        let (all, beat) = (memory.all(&here), memory.beat(&here, "three times"));
        let sought = memory.find(&here, "three times", Tier::Both);
        for (rows, exists) in [
            (&all.rows, all.memory_exists),
            (&beat.memory, beat.memory_exists),
            (&sought.rows, sought.memory_exists),
        ] {
            let told: Vec<_> = rows.iter().map(|row| (row.tier, row.also_in)).collect();
            assert_eq!((told, exists), (vec![("project", Some("medulla"))], 1), "{tier:?}: {rows:?}");
        }
    }
}

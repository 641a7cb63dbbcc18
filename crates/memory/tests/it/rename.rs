//! Another label: the history follows.

use crate::answered::{Answered, assert_answered};
use crate::promote::promote;
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, Short as _, caller, clock, code, doctrine, files_below, service,
    two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_memory::{
    LearnRequest, Memory, MemoryError, Relabelled, RenameRequest, ShowRequest, Tier, Verdict,
};
use std::sync::Arc;

fn rename(memory: &Memory, label: &str, to: &str) -> Result<Relabelled, MemoryError> {
    let request = RenameRequest { label: label.into(), to: to.into(), tier: None };
    memory.rename(&caller(MAKER, CHERRY), &request)
}

fn versions(memory: &Memory, label: &str) -> Result<(Option<String>, Vec<String>), &'static str> {
    match memory.look_at(&caller(MAKER, CHERRY), label, Tier::Project) {
        Ok(shown) => {
            Ok((shown.claim.map(|row| row.text), shown.history.into_iter().map(|v| v.text).collect()))
        }
        Err(error) => Err(code(Err::<(), _>(error))),
    }
}

#[test] // spec: MEM-33, MEM-34
fn a_verdict_and_a_promotion_under_an_old_name_are_sent_to_the_new_one() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Cache", "one").unwrap();
    rename(&memory, "Cache", "Page cache").unwrap();
    // Another claim of the medulla has the name by now; it is neither judged nor named as the one that was meant.
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Cache", "short")).unwrap();
    let verdict = LearnRequest {
        label: "Cache".into(),
        verdict: Verdict::Wrong,
        note: Some("as seen in the logs".into()),
        tier: None,
    };
    let learned = memory.learn(&maker, &verdict).unwrap_err();
    let promoted = promote(&memory, &maker, "Cache").unwrap_err();
    for refused in [learned, promoted] {
        assert_eq!(refused.code().name(), "claim.not_found");
        assert_eq!(
            refused.fix().as_ref().map(ToString::to_string).as_deref(),
            Some("give its label now: \"Page cache\""),
            "{refused:?}"
        );
    }
}

#[test] // spec: MEM-48
fn the_history_follows_and_the_old_name_goes() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    for text in ["one", "two"] {
        memory.tell(&maker, "Cache", text).unwrap();
        clock.advance(1_000);
    }
    memory.take_back(&maker, "Cache").unwrap();
    memory.tell(&maker, "Cache", "three").unwrap();
    let before = memory.look_at(&maker, "Cache", Tier::Project).unwrap().claim.unwrap();
    memory.tell(&maker, "Taken", "x").unwrap();

    assert_eq!(code(rename(&memory, "Cache", "taken!")), "claim.slug_taken");
    assert_eq!(code(rename(&memory, "Nothing", "Other")), "claim.not_found");
    let done = rename(&memory, "Cache", "Page cache").unwrap();
    assert_eq!((done.slug.as_str(), done.versions, done.unchanged), ("page-cache", 2, false));
    let all = || vec!["two".to_owned(), "one".to_owned()];
    assert_eq!(versions(&memory, "Page cache"), Ok((Some("three".into()), all())));
    assert_eq!(versions(&memory, "Cache"), Err("claim.not_found"));
    let shown = memory.look_at(&maker, "Page cache", Tier::Project).unwrap();
    let after = shown.claim.unwrap();
    assert_eq!((after.created, after.source_agent), (before.created, before.source_agent));
    let reason = shown.history[0].retracted.as_ref().expect("the retraction is on record");
    assert_eq!(reason.deed().reason(), Some("it was wrong"));
    assert!(rename(&memory, "Cache", "Page cache").unwrap().unchanged, "the repeat changes nothing");

    // Life goes on under the new label, and the old one is free.
    memory.tell(&maker, "Page cache", "four").unwrap();
    memory.tell(&maker, "Cache", "another thing").unwrap();
    assert_eq!(versions(&memory, "Page cache").unwrap().1, ["three", "two", "one"]);
    assert_eq!(versions(&memory, "Cache"), Ok((Some("another thing".into()), vec![])));
    assert_eq!(code(rename(&memory, "Cache", "Page cache")), "claim.slug_taken");

    // On to a third name, and another spelling of it.
    rename(&memory, "page-cache", "Pages").unwrap();
    rename(&memory, "Pages", "pages!").unwrap();
    assert_eq!(
        versions(&memory, "pages!"),
        Ok((Some("four".into()), vec!["three".into(), "two".into(), "one".into()]))
    );
    let names =
        files_below(&disk, HOME).into_keys().filter(|path| path.to_string_lossy().contains("page-cache"));
    assert_eq!(names.count(), 0, "nothing has the name between");
}

#[test] // spec: MEM-48
fn a_claim_that_goes_back_and_forth_is_recorded_each_time() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    let brain = memory.begin(&maker).unwrap().brain;
    memory.tell(&maker, "A", "one").unwrap();
    for (from, to) in [("A", "B"), ("B", "A"), ("A", "B"), ("B", "A")] {
        rename(&memory, from, to).unwrap();
    }
    let log = disk.dump().remove(&brain.store_paths().acts).unwrap();
    assert_eq!(String::from_utf8(log).unwrap().matches("\"act\":\"rename\"").count(), 4);
    assert_eq!(versions(&memory, "A"), Ok((Some("one".into()), vec![])));
}

#[test] // spec: MEM-48
fn a_label_that_has_a_past_is_not_given_to_another_claim() {
    let clock = clock();
    let memory = service(Arc::new(two_repositories()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Old", "gone").unwrap();
    memory.take_back(&maker, "Old").unwrap();
    memory.tell(&maker, "New", "here").unwrap();
    assert_eq!(code(rename(&memory, "New", "Old")), "claim.slug_taken");
    assert_eq!(versions(&memory, "New"), Ok((Some("here".into()), vec![])));
    assert_eq!(versions(&memory, "Old"), Ok((None, vec!["gone".into()])));
}

#[test] // spec: MEM-8, IF-4
fn a_reader_finds_a_label_by_its_letters_and_a_refusal_says_what_helps() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Refund window", "30 days").unwrap();
    memory.tell(&maker, "Cache", "none").unwrap();
    for spelled in ["refund WINDOW", "Refund  window", "refund-window"] {
        assert!(memory.look_at(&maker, spelled, Tier::Both).unwrap().claim.is_some(), "{spelled}");
        let request =
            brainstem_memory::VerifyRequest { label: Some(spelled.into()), tier: Tier::Both, limit: 9 };
        assert_eq!(memory.verify(&maker, &request).unwrap().rows.len(), 1, "{spelled}");
    }
    // A writer means the same claim: no second one can have its slug.
    assert_eq!(memory.take_back(&maker, "refund WINDOW").unwrap().label, "Refund window");
    memory.tell(&maker, "Refund window", "30 days").unwrap();
    let mut answered = Answered::default();
    answered.refusal("no such label", &memory.look_at(&maker, "Some policy", Tier::Both).unwrap_err());
    memory.take_back(&maker, "Refund window").unwrap();
    answered.refusal("taken back twice", &memory.take_back(&maker, "Refund window").unwrap_err());
    memory.tell(&maker, "Page cache", "small").unwrap();
    answered.refusal("renamed to a label in use", &rename(&memory, "Page cache", "Cache").unwrap_err());
    let request = brainstem_memory::ResolveRequest {
        label: Some("Cache".into()),
        take: Some("ours".into()),
        ..Default::default()
    };
    answered.refusal("nothing to decide", &memory.resolve(&maker, &request).unwrap_err());
    answered.notes("a long label", &memory.tell(&maker, &"long ".repeat(40), "x").unwrap().notes);
    assert_answered!(answered);
}

#[test] // spec: MEM-8, MEM-48
fn a_later_claim_of_the_label_that_was_taken_back_is_not_the_one_that_was_renamed() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "F", "one").unwrap();
    clock.advance(1_000);
    rename(&memory, "F", "Bee").unwrap();
    assert!(rename(&memory, "F", "Bee").unwrap().unchanged, "the repeat changes nothing");
    clock.advance(1_000);
    memory.tell(&maker, "F", "another").unwrap();
    memory.take_back(&maker, "F").unwrap();
    for to in ["Bee", "Other"] {
        let refused = rename(&memory, "F", to).unwrap_err();
        assert_eq!(refused.code().name(), "claim.not_found");
        assert!(refused.to_string().contains("\"F\" was taken back"), "{refused}");
    }
    assert_eq!(versions(&memory, "Bee"), Ok((Some("one".into()), vec![])));
}

#[test] // spec: MEM-23, MEM-48
fn a_label_that_is_used_anew_tells_of_the_claim_that_had_it() {
    let world = crate::whose_history::World::new(crate::whose_history::Kept::UnderTheHome);
    let maker = caller(MAKER, CHERRY);
    world.tell("Retry policy", "Three times.");
    let then = world.memory.look_at(&maker, "Retry policy", Tier::Project).unwrap().claim.unwrap().created;
    world.clock.advance(60_000);
    world.rename("Retry policy", "HTTP retries");
    world.rename("HTTP retries", "Retries");
    world.tell("Retry policy", "For the queue.");
    let request = ShowRequest { label: "Retry policy".into(), tier: Tier::Project, at: then };
    let mut answered = Answered::default();
    answered.refusal("shown at the time before", &world.memory.show(&maker, &request).unwrap_err());
    let shown = world.memory.look_at(&maker, "Retry policy", Tier::Project).unwrap();
    let gap = shown.gaps.iter().find(|gap| gap.name == "renamed_before").unwrap();
    answered.add("shown now", &gap.detail);
    assert_answered!(answered);
    // Its own renamings are told in its life.
    let shown = world.memory.look_at(&maker, "Retries", Tier::Project).unwrap();
    assert!(shown.gaps.is_empty(), "{:?}", shown.gaps);
    let request = ShowRequest { label: "Retries".into(), tier: Tier::Project, at: then };
    assert_eq!(world.memory.show(&maker, &request).unwrap().claim.unwrap().text, "Three times.");
}

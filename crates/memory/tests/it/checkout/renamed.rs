//! A claim that was renamed, in this clone or another one: its versions go with it.

use super::{Clone, in_repository, live, maker, some};
use crate::world::{CHERRY, PERSON, Short as _, caller, claim, clock, code, service, two_repositories};
use brainstem_base::disk::Disk;
use brainstem_memory::{EjectRequest, Tier};
use std::path::Path;
use std::sync::Arc;

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

#[test] // spec: MEM-26a, MEM-10a
fn a_claim_that_was_renamed_here_and_forgotten_elsewhere_says_so() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let other = cherry.other();
    other.forget("Gamma");
    cherry.rename("Gamma", "Delta");
    let renamed = cherry.read("delta");
    cherry.pull(&other);
    // The conflict of git, decided for the renamed file.
    cherry.put("delta", &renamed);
    let rows = cherry.memory.all(&maker()).rows;
    assert_eq!(rows.iter().map(|row| row.forgotten_elsewhere).collect::<Vec<_>>(), [true], "{rows:?}");
    assert!(!cherry.findings().is_empty());
    assert!(cherry.show("Delta").claim.unwrap().forgotten_elsewhere);
}

#[test] // spec: MEM-10a, MEM-48
fn what_this_home_wrote_is_on_record_where_another_clone_spelled_the_label_anew() {
    for new in ["gamma", "Delta"] {
        let cherry = in_repository();
        cherry.tell("Gamma", "version one");
        let other = cherry.other();
        other.rename("Gamma", new);
        let ana = caller(PERSON, CHERRY);
        cherry.memory.memorize(&ana, &claim("Gamma", "version two")).unwrap();
        let mine = cherry.read("gamma");
        cherry.pull(&other);
        let slug = new.to_lowercase();
        // A renaming on one side is kept with the text of the other.
        cherry.put(&slug, &mine.replace("Gamma", new));
        let shown = cherry.show(new);
        let live = shown.claim.unwrap();
        assert!(live.unrecorded.is_empty(), "{new}: {:?}", live.unrecorded);
        let steps: Vec<String> = shown.life.into_iter().map(|step| step.sentence).collect();
        assert!(!steps.iter().any(|step| step.contains("no record")), "{new}: {steps:?}");
    }
}

//! A claim that was taken back and that git put into the checkout again.

use super::{Clone, check_out, committed, in_repository, maker, rated, some};
use crate::world::{Short as _, clock, code, service, two_repositories};
use brainstem_base::disk::Disk;
use brainstem_memory::{
    DoctorRequest, LearnRequest, Memory, MemoryError, PromoteAs, PromoteRequest, RenameRequest,
    RetractRequest, Trouble, Verdict,
};
use brainstem_transfer::mixed_medulla;
use std::path::PathBuf;
use std::sync::Arc;

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

/// A call of some verb upon the claim "Bad".
type Verb = (&'static str, fn(&Memory) -> Result<(), MemoryError>, &'static str);

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

//! What the doctor says about letters: every finding, and confusion by week.

use super::world::{CHERRY, HOME, PLUM, USER, World, caller, draft};
use brainstem_memory::{NorthRequest, Trouble};
use brainstem_post::letters::{LetterDraft, LetterHealth, WeekCount};
use std::collections::BTreeSet;

fn health(world: &World) -> LetterHealth {
    let before = world.files();
    let health = world.post().letters_health(&caller(USER));
    assert_eq!(world.files(), before, "looking changes nothing");
    health
}

/// A confirmed report of a misdelivery.
fn confirmed(world: &World, ts: &str, kind: &str) -> String {
    world.raw(&format!(
        r#"{{"ts":"{ts}","class":"memory_misdelivery","kind":"{kind}","repo":"cherry","what":"{ts} {kind}"}}"#
    ));
    let swept = world.sweep();
    let what = format!("{ts} {kind}");
    let row = swept.letters.iter().find(|row| row.letter.what.as_ref() == Some(&what)).unwrap();
    let id = row.letter.id.to_string();
    judge(world, &id, "confirmed");
    id
}

fn judge(world: &World, id: &str, verdict: &str) {
    let triage = LetterDraft {
        answers: vec![id.into()],
        verdict: Some(verdict.into()),
        ..draft("triage", "looked at")
    };
    world.write(CHERRY, triage).unwrap();
}

type Break = fn(&World);

const TABLE: &[(Trouble, Break)] = &[
    (Trouble::ProjectsBroken, |world| {
        world.disk.write_raw(format!("{HOME}/projects.toml"), b"aliases = 1\n")
    }),
    (Trouble::BoxUnreadable, |world| world.disk.make_dirs("/home/ana/cherry/.brainstem/inbox.jsonl")),
    (Trouble::LetterUnreadable, |world| world.raw("no letter")),
    (Trouble::LetterPending, |world| world.raw(r#"{"repo":"quince","what":"x"}"#)),
    (Trouble::LetterRefused, |world| {
        let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
        world.raw(&format!(r#"{{"repo":"cherry","what":"{token}"}}"#));
    }),
    (Trouble::LetterWithoutCase, |world| {
        confirmed(world, "2026-07-01T00:00:00Z", "leak");
    }),
    (Trouble::LetterOtherKind, |world| {
        world.raw(r#"{"class":"memory_misdelivery","kind":"mood","repo":"cherry","what":"x"}"#);
    }),
    (Trouble::CaseUnreadable, |world| {
        world.disk.write_raw("/home/ana/cherry/.brainstem/battery/a.json", b"{}");
    }),
    (Trouble::BoxWithoutBrain, |world| {
        world.write(PLUM, draft("win", "x")).unwrap();
        world.distribute();
    }),
];

#[test] // spec: MEM-43, LTR-2, LTR-6, LTR-8, LTR-13, LTR-15, LTR-17
fn every_finding_about_letters_is_named_with_its_fix() {
    assert_eq!(health(&World::new()).findings, []);
    for (trouble, broken) in TABLE {
        let world = World::new();
        broken(&world);
        let health = health(&world);
        let [finding] = health.findings.as_slice() else {
            panic!("{trouble:?} alone was expected: {:?}", health.findings)
        };
        assert_eq!(finding.trouble, *trouble);
        assert!(!finding.detail.is_empty() && !finding.fix.is_empty(), "{finding:?}");
    }
    let covered: BTreeSet<_> = TABLE.iter().map(|(trouble, _)| *trouble).collect();
    let all: BTreeSet<_> =
        Trouble::ALL.iter().copied().filter(|trouble| trouble.is_about_letters()).collect();
    assert_eq!(covered, all, "the table has every finding");
}

#[test] // spec: LTR-16, MEM-31
fn confusion_is_counted_by_the_week_of_the_event_beside_beats_and_claims() {
    let world = World::new();
    let memory = world.memory();
    for _ in 0..3 {
        memory.north(&caller(CHERRY), &NorthRequest { task: String::new(), budget_tokens: 200 }).unwrap();
    }
    let claim = brainstem_memory::MemorizeRequest {
        label: "A".into(),
        text: "b".into(),
        ..brainstem_memory::MemorizeRequest::default()
    };
    memory.memorize(&caller(CHERRY), &claim).unwrap();
    confirmed(&world, "2026-07-04T23:55:00Z", "misattribution");
    confirmed(&world, "2026-07-05T23:59:59Z", "vanished");
    confirmed(&world, "2026-06-28T00:00:00Z", "leak");
    let dismissed = confirmed(&world, "2026-07-03T00:00:00Z", "leak");
    // The last word holds.
    world.clock.advance(1);
    judge(&world, &dismissed, "dismissed");
    world
        .raw(r#"{"ts":"2026-07-03T00:00:00Z","class":"memory_misdelivery","kind":"leak","what":"unjudged"}"#);
    let health = health(&world);
    let week = |week: &str, confusion_rate, memory_beats_served| WeekCount {
        week: week.into(),
        confusion_rate,
        memory_beats_served,
    };
    assert_eq!(health.weeks, [week("2026-W27", 2, 3), week("2026-W26", 1, 0)]);
    assert_eq!((health.live_claims, health.unjudged), (1, 1));
    let without_case = health.findings.iter().filter(|f| f.trouble == Trouble::LetterWithoutCase).count();
    assert_eq!(without_case, 3);
}

//! Of several faults in one call, the refusal names the same one as ever: a word that means nothing comes after what is
//! wrong with the place, the texts and the report.

use crate::world::{CHERRY, World};
use serde_json::{Value, json};

const PERSON: &str = "human:ana";

/// A text that carries a secret; it is put together so that no scanner of repositories finds one here.
fn secret() -> String {
    format!("ghp_{}", "q7Rk2Vw9Xz4Lm8Np1Ts6Yb3Hd5Jf0Gc2Aeuo")
}

fn code(world: &World, root: &str, verb: &str, fields: Value) -> &'static str {
    world.ask(PERSON, root, verb, fields).unwrap_err().code.name()
}

#[test] // spec: MEM-33, MEM-14
fn a_verdict_that_means_nothing_is_refused_after_a_secret() {
    let world = World::new().with_memory();
    let learn = |label: &str, verdict: &str, note: &str| {
        code(&world, CHERRY, "learn", json!({"label": label, "verdict": verdict, "note": note}))
    };
    assert_eq!(learn("x", "perhaps", &secret()), "hygiene.secret");
    assert_eq!(learn("x", &secret(), "why"), "hygiene.secret");
    assert_eq!(learn("x", "perhaps", "why"), "input.bad_value");
    assert_eq!(learn("", "perhaps", "why"), "input.bad_value");
}

#[test] // spec: MEM-41, MEM-14
fn an_outcome_that_means_nothing_is_refused_after_a_secret_a_report_and_an_id() {
    let world = World::new().with_memory();
    let debrief = |fields: Value| world.ask(PERSON, CHERRY, "debrief", fields).unwrap_err();
    let id = "dlg_0123456789abcdef0123";
    let refused = debrief(json!({"delegation_id": id, "outcome": "great", "findings": [secret()]}));
    assert_eq!(refused.code.name(), "hygiene.secret");
    let refused = debrief(json!({"report": "I am done", "outcome": "great"}));
    assert_eq!(refused.code.name(), "delegation.bad_report");
    let refused = debrief(json!({"delegation_id": "latest", "outcome": "great"}));
    assert_eq!(refused.field.as_deref(), Some("delegation_id"));
    let refused = debrief(json!({"delegation_id": id, "outcome": "great"}));
    assert_eq!(refused.field.as_deref(), Some("outcome"));
}

#[test] // spec: MEM-1b, MEM-2
fn flags_that_exclude_each_other_are_refused_after_the_place() {
    let world = World::new();
    world.disk.write_raw("/src/notes/a.txt", b"a");
    let both = json!({"private": true, "shared": true});
    assert_eq!(code(&world, "/src/notes", "init", both.clone()), "memory.not_a_repository");
    assert_eq!(code(&world, CHERRY, "init", both), "input.bad_value");
    let both = |path: &str| json!({"path": path, "take_up": "cherry@0123", "anew": true});
    assert_eq!(code(&world, CHERRY, "bootstrap", both("/src/gone")), "memory.root_missing");
    assert_eq!(code(&world, CHERRY, "bootstrap", both(CHERRY)), "input.bad_value");
}

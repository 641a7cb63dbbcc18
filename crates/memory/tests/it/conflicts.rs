//! Disagreements between the tiers, as a beat shows them.

use crate::world::{
    CHERRY, HOME, MAKER, PERSON, Short as _, caller, claim, clock, doctrine, service, two_repositories,
};
use brainstem_memory::{Beat, MemorizeRequest};
use std::path::Path;
use std::sync::Arc;

fn pairs(beat: &Beat) -> Vec<String> {
    let pair = |pair: &brainstem_memory::ConflictPair| {
        let other = pair.medulla_label.as_ref().map(|label| format!("/{label}")).unwrap_or_default();
        let wins = pair.wins.map_or("nobody", |wins| wins.as_str());
        format!("{}{other} {} {wins} {}", pair.label, pair.found_by.as_str(), pair.because.as_str())
    };
    beat.conflicts.iter().map(pair).collect()
}

#[test] // spec: MEM-29, MEM-27
fn pairs_are_labelled_ranked_and_never_resolved() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    disk.write_raw(format!("{CHERRY}/src/retry.rs"), b"const TIMES: u8 = 5;\n");
    let fact = MemorizeRequest {
        evidence: vec!["src/retry.rs".into()],
        ..claim("Attempts", "the worker retries a call 5 times")
    };
    memory.memorize(&maker, &fact).unwrap();
    memory.tell(&maker, "Indentation", "use tabs").unwrap();
    let own = MemorizeRequest { tags: vec!["rule".into()], ..claim("Commit style", "a whole story") };
    memory.memorize(&maker, &own).unwrap();
    memory.memorize(&person, &doctrine("Retry policy", "the worker retries a call three times")).unwrap();
    memory.memorize(&person, &doctrine("Indentation", "use blanks")).unwrap();
    memory.memorize(&person, &doctrine("Commit style", "one line")).unwrap();

    let before = disk.dump();
    let beat = memory.beat(&maker, "how often does the worker retry a call");
    let expected = [
        "Indentation same_slug medulla doctrine",
        "Commit style same_slug project repository_rule",
        "Attempts/Retry policy near_text project live_code",
    ];
    assert_eq!(pairs(&beat), expected, "the most certain first");
    assert_eq!(beat.conflicts[2].project_text, "the worker retries a call 5 times");
    assert_eq!(beat.conflicts[2].medulla_text, "the worker retries a call three times");
    let ground = |dump: &std::collections::BTreeMap<std::path::PathBuf, Vec<u8>>| -> Vec<_> {
        let kept = dump.iter().filter(|(path, _)| path.to_string_lossy().ends_with(".light.md"));
        kept.map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
    };
    assert_eq!(ground(&before), ground(&disk.dump()), "nothing is resolved in silence");

    // The code moves on: what it bore out is no fact any more.
    disk.write_raw(format!("{CHERRY}/src/retry.rs"), b"const TIMES: u8 = 4;\n");
    let beat = memory.beat(&maker, "how often does the worker retry a call");
    assert_eq!(pairs(&beat)[2], "Attempts/Retry policy near_text medulla doctrine");
    let absolute = b"---\nProtocol: L1GHT/1.0\nNode: Commit style\nDoctrine: absolute\n---\n# Commit style\n\none line\n";
    disk.write_raw(Path::new(HOME).join("agent-memory/commit-style.light.md"), absolute);
    let beat = memory.beat(&maker, "");
    assert_eq!(pairs(&beat)[1], "Commit style same_slug medulla absolute_doctrine");
}

#[test] // spec: MEM-29, MEM-28
fn many_pairs_are_cut_and_counted() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    for n in 0..13 {
        memory.tell(&maker, &format!("Rule {n}"), &"so ".repeat(2_000)).unwrap();
        memory.memorize(&person, &doctrine(&format!("Rule {n}"), "otherwise")).unwrap();
    }
    let beat = memory.beat(&maker, "rule");
    assert_eq!(beat.conflicts.len(), 10);
    assert!(beat.conflicts.iter().all(|pair| pair.project_text.len() <= 1_200));
    let gap = beat.gaps.iter().find(|gap| gap.name == "conflicts_left_out").unwrap();
    assert!(gap.detail.starts_with("3 more pairs"), "{}", gap.detail);
}

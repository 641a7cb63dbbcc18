//! A label of which several versions wait, and which the medulla has too: each version is shown under its own author.

use crate::world::{CHERRY, MAKER, PERSON, Short as _, caller, clock, doctrine, service, two_repositories};
use brainstem_base::{Clock as _, Disk as _};
use brainstem_claims::undecided_file::join;
use brainstem_memory::{FactKind, ShowRequest, Tier};
use std::path::Path;
use std::sync::Arc;

#[test] // spec: MEM-29, MEM-51, MEM-48
fn each_version_in_a_disagreement_has_its_own_author_and_side() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    memory.memorize(&person, &doctrine("Indentation", "use blanks")).unwrap();
    let written = memory.tell(&maker, "Indentation", "use tabs").unwrap();
    let ours = disk.read(Path::new(&written.path), 1 << 20).unwrap();
    clock.advance(5);
    memory.tell(&person, "Indentation", "use one blank").unwrap();
    let theirs = disk.read(Path::new(&written.path), 1 << 20).unwrap();
    disk.write_raw(&written.path, &join(&[&ours, &theirs]));
    let request = ShowRequest { label: "Indentation".into(), tier: Tier::Project, at: Some(clock.now()) };
    let now = memory.show(&maker, &request).unwrap();
    assert!(now.claim.is_none(), "{:?}", now.claim);
    assert_eq!(
        now.sides.iter().map(|side| side.text.as_str()).collect::<Vec<_>>(),
        ["use tabs", "use one blank"]
    );
    for task in ["", "indentation with tabs or one blank"] {
        let beat = memory.beat(&maker, task);
        let mut seen: Vec<(String, String, bool)> = Vec::new();
        for pair in &beat.conflicts {
            let words = |kind: FactKind| {
                let fact = pair.project_facts.iter().find(|fact| fact.kind == kind);
                fact.map(|fact| fact.words.clone()).unwrap_or_default()
            };
            let is_ours = words(FactKind::Undecided).contains("(ours)");
            seen.push((pair.project_text.clone(), words(FactKind::Author), is_ours));
        }
        seen.sort();
        let texts: Vec<(&str, bool, bool)> = seen
            .iter()
            .map(|(text, author, is_ours)| (text.as_str(), author.contains(PERSON), *is_ours))
            .collect();
        assert_eq!(texts, [("use one blank", true, false), ("use tabs", false, true)], "{task}: {seen:?}");
    }
}

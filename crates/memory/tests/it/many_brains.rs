//! All brains at once: every one that there is, each for itself, and those that cannot be read by name.

use crate::world::{CHERRY, MAKER, PERSON, Short as _, caller, clock, doctrine, service, two_repositories};
use brainstem_base::disk::Disk as _;
use brainstem_memory::{Memory, Tier};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const DORMANT: usize = 200;

#[test] // spec: MEM-22, MEM-4
fn two_hundred_dormant_stores_are_all_answered_for() {
    let (disk, clock) = (two_repositories(), clock());
    let writer = service(Arc::new(disk.clone()), &clock);
    let mut expected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut blocked, mut broken) = (BTreeSet::new(), BTreeSet::new());
    for number in 0..DORMANT {
        let root = format!("/src/project-{number}");
        disk.write_raw(format!("{root}/.git/HEAD"), b"ref: refs/heads/main\n");
        let here = caller(MAKER, &root);
        let brain = writer.begin(&here).unwrap().brain;
        writer.tell(&here, "Retry", &format!("retry in {number}")).unwrap();
        writer.tell(&here, "Other", "something else").unwrap();
        match number {
            17 | 118 => {
                let claims = brain.store_paths().claims;
                disk.rename(&claims, &claims.with_extension("aside")).unwrap();
                disk.write_raw(&claims, b"not a folder");
                blocked.insert(brain.origin());
            }
            60 | 199 => {
                disk.write_raw(brain.folder.join("root.json"), b"\0");
                broken.insert(brain.folder.display().to_string());
            }
            _ => drop(expected.insert(brain.origin(), vec![format!("retry in {number}")])),
        }
    }
    writer.begin(&caller(MAKER, CHERRY)).unwrap();
    writer.memorize(&caller(PERSON, CHERRY), &doctrine("Retry", "retry everywhere")).unwrap();
    expected.insert("medulla".to_owned(), vec!["retry everywhere".to_owned()]);

    let check = |memory: &Memory, what: &str| {
        let sought = memory.find(&caller(MAKER, CHERRY), "retry", Tier::AllBrains);
        assert!(sought.rows.is_empty(), "{what}");
        let groups = sought.groups.unwrap().into_iter();
        let got: BTreeMap<String, Vec<String>> = groups
            .map(|group| {
                let home = group.rows.iter().map(|row| row.path.parent().unwrap().to_owned());
                assert_eq!(home.collect::<BTreeSet<_>>().len(), 1, "one store a group");
                assert_eq!(group.memory_exists, if group.origin_brain == "medulla" { 1 } else { 2 });
                (group.origin_brain, group.rows.into_iter().map(|row| row.text).collect())
            })
            .collect();
        assert_eq!(got, expected, "{what}");
        let of = |name: &str| sought.gaps.iter().filter(|gap| gap.name == name).collect::<Vec<_>>();
        let (stores, brains) = (of("store_unreadable"), of("unreadable_brain"));
        assert_eq!((stores.len(), brains.len(), sought.gaps.len()), (2, 2, 4), "{what}: {:?}", sought.gaps);
        assert!(blocked.iter().all(|origin| stores.iter().any(|gap| gap.detail.contains(origin))));
        assert!(broken.iter().all(|folder| brains.iter().any(|gap| gap.detail.contains(folder))));
    };
    let cold = || service(Arc::new(disk.clone()), &clock);
    check(&cold(), "a process that has just started");
    let long = cold();
    check(&long, "the first question");
    let stores = long.settle(&caller(MAKER, CHERRY), Tier::AllBrains);
    assert_eq!(stores.len(), DORMANT - 4 + 2, "every store that can be read, cherry and the medulla");
    check(&long, "after settling");
    check(&cold(), "from the shared files");
    // Nobody who did not ask for it gets any of this.
    for tier in [Tier::Both, Tier::Project, Tier::Medulla] {
        let sought = long.find(&caller(MAKER, CHERRY), "retry", tier);
        assert!(
            sought.groups.is_none() && sought.rows.iter().all(|row| row.text == "retry everywhere"),
            "{tier:?}"
        );
    }
}

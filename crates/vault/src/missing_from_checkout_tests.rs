use super::*;
use crate::StorePaths;
use brainstem_base::disk::SimDisk;
use brainstem_base::ids::CountingIds;
use brainstem_claims::lineage::follow;
use std::sync::Arc;

/// A store whose live claims are in a repository.
fn store(disk: &SimDisk) -> Store {
    let owner = Path::new("/home/ana/.brainstem/project-brains/cherry-1/agent-memory");
    let paths = StorePaths {
        claims: "/src/cherry/.brainstem/agent-memory".into(),
        history: owner.join(".history"),
        locks: owner.join(".locks"),
        acts: owner.with_file_name("acts.jsonl"),
        kept: Some(owner.join(".kept")),
        placed: None,
    };
    Store::new(Arc::new(disk.clone()), Arc::new(CountingIds::from(1)), paths)
}

fn slug() -> ClaimSlug {
    ClaimSlug::parse("cache").unwrap()
}

/// A version of the claim "Cache", written over what `follows` names.
fn version(created: i64, follows: &str) -> Claim {
    let follows = if follows.is_empty() { String::new() } else { format!("Follows: {follows}\n") };
    let file = format!(
        "---\nProtocol: L1GHT/1.0\nNode: Cache\nState: authored\nCreated: {created}\nSource-Agent: human:ana\n{follows}---\n\n# Cache\n\ntext {created}\n"
    );
    Claim::parse(file.as_bytes()).unwrap()
}

fn states(store: &Store) -> Vec<(i64, CopyState)> {
    let copies = CopyLookup::at(store).copies(&slug()).unwrap();
    copies.into_iter().map(|(copy, state)| (copy.claim.created.unwrap().ms(), state)).collect()
}

#[test] // spec: MEM-2, MEM-49
fn versions_that_name_each_other_in_a_ring_are_all_missing() {
    let disk = SimDisk::new();
    let store = store(&disk);
    // Each was written over an edit of another, which kept that one's birth; the clocks differ.
    let ring = [version(3, "9-aaaaaaaaaaaa"), version(5, "3-bbbbbbbbbbbb"), version(9, "5-cccccccccccc")];
    for claim in [&ring[0], &ring[1], &ring[2], &version(2, "")] {
        store.keep_live(&slug(), &claim.file).unwrap();
    }
    use CopyState::{Followed, Missing};
    assert_eq!(
        states(&store),
        [(2, Missing), (3, Missing), (5, Missing), (9, Missing)],
        "nothing says that one of them stands for the others"
    );
    store.keep_live(&slug(), &version(12, "9-dddddddddddd 2-eeeeeeeeeeee").file).unwrap();
    assert_eq!(
        states(&store),
        [(2, Followed), (3, Followed), (5, Followed), (9, Followed), (12, Missing)],
        "a version over one of the ring was written over all of it"
    );
}

#[test] // spec: MEM-5a, MEM-49
fn a_version_that_comes_back_follows_what_the_live_one_follows_by_now() {
    let disk = SimDisk::new();
    let store = store(&disk);
    let (one, other) = (version(1, ""), version(2, ""));
    let mut later = version(3, "");
    follow(&mut later.file, &[&one]);
    store.keep_live(&slug(), &later.file).unwrap();
    // Another clone decided for `one`, and did not know what was written over it here.
    let mut decided = one.file.clone();
    follow(&mut decided, &[&other]);
    disk.write_raw(store.live_path(&slug()), decided.render().as_bytes());
    let back = store.bring_back(&slug()).unwrap();
    assert_eq!(back, BroughtBack::Live { label: "Cache".into() });
    let live = store.live_versions(&slug()).unwrap();
    assert!(live[0].is_version(&later) && live[0].follows(&one) && live[0].follows(&other));
}

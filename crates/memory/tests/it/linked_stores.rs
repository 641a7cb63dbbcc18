//! A store lies in real folders: what a link leads to is neither read nor written.

use crate::promote::promote;
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, clock, code, doctrine, service, two_repositories,
};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{InitRequest, Memory, Tier};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SECRET: &str = "the heron lands at dawn";

fn fresh(disk: &SimDisk) -> Memory {
    service(Arc::new(disk.clone()), &clock())
}

/// Plum keeps a secret in its repository, with history; cherry has a brain there too.
fn two_in_repositories() -> SimDisk {
    let disk = two_repositories();
    for root in [CHERRY, PLUM] {
        disk.write_raw(format!("{root}/.git/config"), b"[core]\n");
        fresh(&disk).begin(&caller(MAKER, root)).unwrap();
        fresh(&disk).init(&caller(MAKER, root), &InitRequest::default()).unwrap();
    }
    let plum = caller(MAKER, PLUM);
    fresh(&disk).tell(&plum, "Sentinel", "the heron sleeps").unwrap();
    fresh(&disk).tell(&plum, "Sentinel", SECRET).unwrap();
    disk
}

fn put_link(disk: &SimDisk, target: &Path, at: &Path) {
    if disk.stat(at).is_ok() {
        disk.rename(at, &at.with_file_name("aside")).unwrap();
    }
    disk.make_link(target, at);
}

fn nothing_passes(disk: &SimDisk, what: &str) {
    // What the home knows a root by is looked at anew by every caller, and holds no word of a claim.
    let files = || {
        let mut files = disk.dump();
        files.retain(|path, _| !(path.starts_with(HOME) && path.ends_with("root.json")));
        files
    };
    let before = files();
    let cherry = caller(MAKER, CHERRY);
    let memory = fresh(disk);
    let listed = memory.all(&cherry);
    assert!(listed.gaps.iter().any(|gap| gap.name == "store_unreadable"), "{what}: {:?}", listed.gaps);
    let beat = memory.beat(&cherry, "heron");
    let sought = memory.find(&cherry, "sentinel heron", Tier::Both);
    let shown = memory.look_at(&cherry, "Sentinel", Tier::Both);
    for answer in [format!("{listed:?}"), format!("{beat:?}"), format!("{sought:?}"), format!("{shown:?}")] {
        assert!(!answer.contains("lands at dawn") && !answer.contains("heron sleeps"), "{what}: {answer}");
    }
    assert!(!format!("{beat:?}").contains("No durable memory yet"), "{what}");
    assert_eq!(code(memory.tell(&cherry, "Timeouts", "ten seconds")), "store.unreadable", "{what}");
    assert_eq!(code(memory.tell(&cherry, "Sentinel", "mine")), "store.unreadable", "{what}");
    assert_eq!(code(memory.take_back(&cherry, "Sentinel")), "store.unreadable", "{what}");
    assert_eq!(code(memory.boot_set(&cherry, "key", "value", None)), "store.unreadable", "{what}");
    assert_ne!(code(promote(&memory, &cherry, "Sentinel")), "ok", "{what}");
    let mut after = files();
    // How often somebody writes is counted before anything else.
    after.retain(|path, _| before.contains_key(path) || !path.starts_with(format!("{HOME}/local")));
    assert_eq!(before, after, "{what}: nothing was written, there or here");
}

#[test] // spec: MEM-2, MEM-21
fn a_repository_whose_folders_are_links_neither_leaks_nor_writes_elsewhere() {
    for part in ["", "agent-memory"] {
        let disk = two_in_repositories();
        let target = Path::new(PLUM).join(".brainstem").join(part);
        let at: PathBuf = Path::new(CHERRY).join(".brainstem").join(part).components().collect();
        put_link(&disk, &target.components().collect::<PathBuf>(), &at);
        nothing_passes(&disk, part);
    }
}

#[test] // spec: MEM-2, MEM-21
fn links_among_the_folders_of_the_home_neither_leak_nor_write_elsewhere() {
    for part in ["agent-memory", "agent-memory/.history", "agent-memory/.locks", "agent-memory/.kept", ""] {
        let disk = two_in_repositories();
        let folder = |root| fresh(&disk).route(&caller(MAKER, root)).brain().unwrap().folder.clone();
        let (from, to) = (folder(CHERRY), folder(PLUM));
        let inner = |dir: &Path| dir.join(part).components().collect::<PathBuf>();
        if part.is_empty() {
            // The whole folder: the record behind the link is another root's, so there is no such brain.
            put_link(&disk, &inner(&to), &inner(&from));
            assert!(!format!("{:?}", fresh(&disk).all(&caller(MAKER, CHERRY))).contains("lands at dawn"));
            continue;
        }
        put_link(&disk, &inner(&to), &inner(&from));
        nothing_passes(&disk, part);
    }
}

#[test] // spec: MEM-2, MEM-21
fn a_linked_history_of_the_medulla_is_named_and_not_written() {
    let disk = two_repositories();
    let ana = caller(PERSON, CHERRY);
    fresh(&disk).begin(&ana).unwrap();
    fresh(&disk).memorize(&ana, &doctrine("Tabs", "use tabs")).unwrap();
    disk.make_dirs("/elsewhere");
    put_link(&disk, Path::new("/elsewhere"), &Path::new(HOME).join("agent-memory/.history"));
    let memory = fresh(&disk);
    assert_eq!(code(memory.memorize(&ana, &doctrine("Tabs", "use spaces"))), "store.unreadable");
    memory.tell(&ana, "Page size", "fifty").unwrap();
    assert_eq!(code(promote(&memory, &ana, "Page size")), "store.unreadable");
    let gaps = memory.all(&ana).gaps;
    assert!(gaps.iter().any(|gap| gap.detail.contains(".history")), "{gaps:?}");
    assert!(disk.list(Path::new("/elsewhere")).unwrap().is_empty());
}

#[test] // spec: MEM-2, MEM-21
fn a_repository_that_came_with_a_link_has_no_brain_and_gets_none_through_it() {
    let disk = two_in_repositories();
    disk.write_raw("/src/quince/.git/HEAD", b"ref: refs/heads/main\n");
    disk.make_link(format!("{PLUM}/.brainstem"), "/src/quince/.brainstem");
    let quince = caller(MAKER, "/src/quince");
    let before = disk.dump();
    let memory = fresh(&disk);
    assert!(memory.route(&quince).brain().is_none());
    assert!(memory.all(&quince).rows.is_empty());
    assert_eq!(code(memory.tell(&quince, "a", "b")), "memory.brainless_root");
    assert_eq!(code(memory.init(&quince, &InitRequest::default())), "store.unreadable");
    assert_eq!(before, disk.dump(), "nothing was written");
}

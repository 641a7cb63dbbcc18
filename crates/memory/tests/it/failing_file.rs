//! One file that fails: at some touch of it once, from there on, or whenever it is written. A claim that is to move is live
//! in one place afterwards, or the answer says that it may be in two.

use crate::migrate::{apply, put};
use crate::world::{CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, clock, service, two_repositories};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, DiskFault, FaultyDisk, SimDisk, UnsyncedFate, verbs};
use brainstem_memory::{EjectRequest, InitRequest, MigrateRequest, RowFate};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// When the file fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fails {
    /// At this touch of it.
    Once(u64),
    /// At this touch and at every later one.
    From(u64),
    /// Whenever it is written.
    Written,
}

/// A disk on which one file fails when it is read or written.
pub(crate) fn one_file(inner: &SimDisk, path: &Path, fails: Fails) -> Arc<FaultyDisk> {
    let (path, touches) = (path.to_owned(), AtomicU64::new(0));
    let touching = [verbs::READ, verbs::APPEND, verbs::CUT_BACK];
    Arc::new(FaultyDisk::new(Arc::new(inner.clone()), move |step| {
        if step.path != path || !touching.contains(&step.verb) {
            return None;
        }
        let touch = touches.fetch_add(1, Ordering::SeqCst);
        match fails {
            Fails::Once(at) => (touch == at).then_some(DiskFault::Other),
            Fails::From(at) => (touch >= at).then_some(DiskFault::Other),
            Fails::Written => (step.verb != verbs::READ).then_some(DiskFault::ReadOnly),
        }
    }))
}

/// Sorts a claim of the medulla on a disk on which a log fails, and answers whether that failed.
fn sorts(before: &SimDisk, log: &Path, claims: &Path, fails: Fails) -> bool {
    let disk = before.reboot(UnsyncedFate::Kept);
    let failing = one_file(&disk, log, fails);
    let memory = service(failing.clone(), &clock());
    let done = memory.migrate_apply(&caller(PERSON, PLUM), &MigrateRequest::default(), &|_, _| ());
    let is_there = |dir: &Path| disk.stat(&dir.join("slow-press.light.md")).is_ok();
    let (project, medulla) = (is_there(claims), is_there(&Path::new(HOME).join("agent-memory")));
    let told = format!("{fails:?} of {}: {done:?}", log.display());
    assert!(project || medulla, "nowhere: {told}");
    match &done {
        Ok(done) => {
            assert!(!(project && medulla), "live twice: {told}");
            let gates = done.gates.unwrap();
            assert_eq!((gates.projects, gates.medulla), (project.into(), medulla.into()), "{told}");
        }
        Err(error) if project && medulla => {
            let code = error.code().name();
            assert!(["store.unconfirmed", "migrate.miscounted"].contains(&code), "{code}: {told}");
        }
        Err(_) => assert!(medulla, "{told}"),
    }
    let again = apply(&service(Arc::new(disk.clone()), &clock()));
    assert!(again.gates.unwrap().hold() && is_there(claims), "{told}, then {again:?}");
    let is_moved = again.rows.iter().all(|row| row.fate == RowFate::Moved);
    assert!(is_moved && !is_there(&Path::new(HOME).join("agent-memory")), "{told}, then {again:?}");
    failing.failures() > 0
}

#[test] // spec: MEM-13a, MEM-13b, MEM-42
fn a_claim_whose_arrival_cannot_be_recorded_is_live_once_or_said_to_be_live_twice() {
    for is_in_repository in [false, true] {
        let disk = two_repositories();
        disk.write_raw(format!("{PLUM}/.git/config"), b"[core]\n\tbare = false\n");
        let memory = service(Arc::new(disk.clone()), &clock());
        let there = caller(PERSON, PLUM);
        let brain = memory.begin(&there).unwrap().brain;
        let claims = match is_in_repository {
            true => {
                memory.init(&there, &InitRequest::default()).unwrap();
                Path::new(PLUM).join(".brainstem/agent-memory")
            }
            false => brain.folder.join("agent-memory"),
        };
        put(&disk, "Slow press", "Tags: plum\n", "Turn it slowly.");
        let of_repository = Path::new(PLUM).join(".brainstem/acts.jsonl");
        let of_home = brain.folder.join("acts.jsonl");
        for log in [of_home, of_repository].iter().take(1 + usize::from(is_in_repository)) {
            assert!(disk.stat(log).is_ok(), "{}", log.display());
            sorts(&disk, log, &claims, Fails::Written);
            for fails in [Fails::Once as fn(u64) -> Fails, Fails::From] {
                let count = (0..).take_while(|at| sorts(&disk, log, &claims, fails(*at))).count();
                assert!(count > 1, "the log is touched");
            }
        }
    }
}

#[test] // spec: MEM-13a, MEM-2
fn an_eject_moves_every_claim_or_none_where_one_cannot_be_read() {
    let before = two_repositories();
    before.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let there = caller(MAKER, CHERRY);
    let memory = service(Arc::new(before.clone()), &clock());
    memory.begin(&there).unwrap();
    memory.init(&there, &InitRequest::default()).unwrap();
    for label in ["Alpha", "Beta"] {
        memory.tell(&there, label, "a text").unwrap();
    }
    let claims = Path::new(CHERRY).join(".brainstem/agent-memory");
    let ejects = |at: u64| {
        let disk = before.reboot(UnsyncedFate::Kept);
        let failing = one_file(&disk, &claims.join("alpha.light.md"), Fails::Once(at));
        let done = service(failing.clone(), &clock()).eject(&there, &EjectRequest::default());
        let told = format!("touch {at}: {done:?}");
        let memory = service(Arc::new(disk.clone()), &clock());
        let labels = || {
            let rows = memory.all(&there).rows.into_iter();
            rows.map(|row| row.label).collect::<BTreeSet<String>>()
        };
        let both = BTreeSet::from(["Alpha", "Beta"].map(str::to_owned));
        let in_repository =
            ["alpha", "beta"].map(|slug| disk.stat(&claims.join(format!("{slug}.light.md"))).is_ok());
        match done.map_err(|error| error.code().name()) {
            Ok(done) => assert_eq!((done.moves.len(), in_repository), (2, [false; 2]), "{told}"),
            Err("store.unconfirmed") => {
                let gaps = memory.all(&there).gaps;
                assert!(labels() == both || !gaps.is_empty(), "{told}");
                memory.eject(&there, &EjectRequest::default()).unwrap();
            }
            Err(_) => assert_eq!(in_repository, [true; 2], "{told}"),
        }
        assert_eq!(labels(), both, "{told}");
        failing.failures() > 0
    };
    let count = (0..).take_while(|at| ejects(*at)).count();
    assert!(count > 2, "the claim is read");
}

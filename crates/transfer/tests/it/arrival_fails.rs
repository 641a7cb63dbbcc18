//! The log that a claim's arrival goes into fails: at some touch of it once, from there on, or whenever it is written. A claim
//! that is to move is live in one place afterwards, or the answer says that it may be in two.

use crate::migrate::{apply, put};
use crate::one_file::{Fails, one_file};
use crate::world::{HOME, PERSON, PLUM, Short as _, caller, clock, service, two_repositories};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, SimDisk, UnsyncedFate};
use brainstem_memory::InitRequest;
use brainstem_transfer::{MigrateRequest, RowFate, Transfer};
use std::path::Path;
use std::sync::Arc;

/// Sorts a claim of the medulla on a disk on which a log fails, and answers whether that failed.
fn sorts(before: &SimDisk, log: &Path, claims: &Path, fails: Fails) -> bool {
    let disk = before.reboot(UnsyncedFate::Kept);
    let failing = one_file(&disk, log, fails);
    let memory = service(failing.clone(), &clock());
    let done =
        Transfer::new(&memory).migrate_apply(&caller(PERSON, PLUM), &MigrateRequest::default(), &|_, _| ());
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

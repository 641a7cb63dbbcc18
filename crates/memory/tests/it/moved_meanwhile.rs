//! A repository that is moved away while a call is at work in it: its old path is not made anew.

use crate::world::{CHERRY, MAKER, Short as _, caller, clock, service, two_repositories};
use brainstem_base::disk::{Disk as _, ObservedDisk};
use brainstem_memory::{InitRequest, MemorizeRequest};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const MOVED: &str = "/src/moved";

#[test] // spec: MEM-2
fn a_repository_that_is_moved_while_a_claim_is_memorized_is_not_made_anew() {
    for leaves_folders in [true, false] {
        check(leaves_folders);
    }
}

/// `leaves_folders` is false if git took the empty folder of claims away, so that the write makes it anew.
fn check(leaves_folders: bool) {
    let mut done_in_time = 0;
    for at in 0.. {
        let disk = two_repositories();
        let first = service(Arc::new(disk.clone()), &clock());
        first.begin(&caller(MAKER, CHERRY)).unwrap();
        first.init(&caller(MAKER, CHERRY), &InitRequest::default()).unwrap();
        if !leaves_folders {
            disk.remove_dir(Path::new(&format!("{CHERRY}/.brainstem/agent-memory"))).unwrap();
        }
        let (moving, steps) = (disk.clone(), Arc::new(AtomicUsize::new(0)));
        let count = steps.clone();
        let observed = ObservedDisk::new(Arc::new(disk.clone()), move |_| {
            if count.fetch_add(1, Ordering::SeqCst) == at {
                moving.rename(Path::new(CHERRY), Path::new(MOVED)).unwrap();
            }
        });
        let memory = service(Arc::new(observed), &clock());
        let request = MemorizeRequest { label: "Port".into(), text: "5432".into(), ..Default::default() };
        let done = memory.memorize(&caller(MAKER, CHERRY), &request);
        if steps.load(Ordering::SeqCst) <= at {
            break;
        }
        assert!(disk.stat(Path::new(CHERRY)).is_err(), "step {at}: made anew, {done:?}");
        if done.is_ok() {
            done_in_time += 1;
            let live = format!("{MOVED}/.brainstem/agent-memory/port.light.md");
            assert!(disk.stat(Path::new(&live)).is_ok(), "step {at}: it was answered");
        }
    }
    assert!(done_in_time > 0, "the last steps come after the claim is in its place");
}

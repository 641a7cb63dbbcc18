//! Git takes files of the checkout away, and puts them back, while the claims go home.

use crate::world::{CHERRY, MAKER, Short as _, caller, clock, service, two_repositories};
use brainstem_base::disk::{Disk as _, DiskStep, ObservedDisk, SimDisk};
use brainstem_memory::{EjectRequest, InitRequest};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many steps of the call a stash lies before it is put back.
const STEPS_STASHED: usize = 7;

fn claims() -> PathBuf {
    Path::new(CHERRY).join(".brainstem/agent-memory")
}

/// Takes the claims out of the checkout, as `git stash -u` does.
fn stash(disk: &SimDisk) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = disk.list(&claims()).unwrap_or_default();
    let names = entries.into_iter().map(|entry| claims().join(entry.name));
    let files = names.filter(|path| path.to_string_lossy().ends_with(".light.md"));
    let taken: Vec<(PathBuf, Vec<u8>)> =
        files.filter_map(|path| Some((path.clone(), disk.read(&path, 1 << 20).ok()?))).collect();
    taken.iter().for_each(|(path, _)| disk.unlink(path).unwrap());
    taken
}

#[test] // spec: MEM-2
fn what_git_takes_away_while_the_claims_go_home_is_live_under_the_home() {
    for is_put_back in [false, true] {
        for at in 0.. {
            let (disk, clock) = (two_repositories(), clock());
            let memory = service(Arc::new(disk.clone()), &clock);
            let cherry = caller(MAKER, CHERRY);
            memory.init(&cherry, &InitRequest::default()).unwrap();
            memory.tell(&cherry, "Port", "8080").unwrap();
            let (steps, stashed, git) = (Arc::new(AtomicUsize::new(0)), Mutex::new(Vec::new()), disk.clone());
            let counted = steps.clone();
            let hook = move |_: DiskStep| match counted.fetch_add(1, Ordering::SeqCst) {
                step if step == at => *stashed.lock().unwrap() = stash(&git),
                step if is_put_back && step == at + STEPS_STASHED => {
                    stashed.lock().unwrap().drain(..).for_each(|(path, bytes)| git.write_raw(path, &bytes));
                }
                _ => {}
            };
            let process = service(Arc::new(ObservedDisk::new(Arc::new(disk.clone()), hook)), &clock);
            let done = process.eject(&cherry, &EjectRequest::default());
            let steps = steps.load(Ordering::SeqCst);
            let what = format!("{is_put_back}, at step {at} of {steps}: {done:?}");
            let memory = service(Arc::new(disk.clone()), &clock);
            if done.is_err() {
                memory.eject(&cherry, &EjectRequest::default()).expect(&what);
            }
            let rows = memory.all(&cherry).rows;
            assert!(rows.iter().any(|row| row.label == "Port" && row.text == "8080"), "{what}");
            if at > steps {
                break;
            }
        }
    }
}

//! A project that is moved between two calls: what was written for a host is taken out exactly all the same.

use crate::world::{CHERRY, PERSON, caller, clock, service, two_repositories};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_connect::{Connect, HostsRequest};
use brainstem_hosts::Host;
use brainstem_memory::{BootstrapRequest, BrainWish, Memory};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MOVED: &str = "/src/moved";

fn request(host: Host) -> HostsRequest {
    HostsRequest { hosts: vec![host], section: "## Shared memory\n\nPull.".into(), ..HostsRequest::default() }
}

fn init(memory: &Memory, root: &str, host: Host) {
    Connect::new(memory).init_hosts(&caller(PERSON, root), &request(host)).unwrap();
}

fn eject(memory: &Memory, root: &str, host: Host) {
    Connect::new(memory).eject_hosts(&caller(PERSON, root), &request(host)).unwrap();
}

/// The files of a project below its root, without what git and this program keep.
fn files(disk: &SimDisk, root: &str) -> BTreeMap<PathBuf, String> {
    let below = |path: PathBuf| path.strip_prefix(root).ok().map(Path::to_owned);
    let all = disk.dump().into_iter().filter_map(|(path, bytes)| Some((below(path)?, bytes)));
    let all = all.filter(|(path, _)| !path.starts_with(".git") && !path.starts_with(".brainstem"));
    all.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

#[test] // spec: IF-15
fn a_host_is_taken_out_of_a_moved_project_exactly() {
    // The same host is connected again after the move, or another one is.
    for second in [Host::Codex, Host::Cursor] {
        let disk = two_repositories();
        disk.write_raw(format!("{CHERRY}/AGENTS.md"), b"# Mine\n");
        let before = files(&disk, CHERRY);
        let memory = service(Arc::new(disk.clone()), &clock());
        init(&memory, CHERRY, Host::Codex);
        disk.rename(Path::new(CHERRY), Path::new(MOVED)).unwrap();
        init(&memory, MOVED, second);
        eject(&memory, MOVED, Host::Codex);
        if second != Host::Codex {
            eject(&memory, MOVED, second);
        }
        assert_eq!(files(&disk, MOVED), before, "{second:?}");
    }
}

#[test] // spec: IF-15
fn another_project_at_the_old_path_keeps_a_record_of_its_own() {
    let disk = two_repositories();
    disk.write_raw(format!("{CHERRY}/AGENTS.md"), b"# Mine\n");
    let before = files(&disk, CHERRY);
    let memory = service(Arc::new(disk.clone()), &clock());
    init(&memory, CHERRY, Host::Codex);
    disk.rename(Path::new(CHERRY), Path::new(MOVED)).unwrap();
    disk.write_raw(format!("{CHERRY}/.git/HEAD"), b"ref: refs/heads/main\n");
    disk.write_raw(format!("{CHERRY}/AGENTS.md"), b"# Other\n");
    let other = files(&disk, CHERRY);
    let anew = BootstrapRequest { brain: BrainWish::Anew, ..Default::default() };
    memory.bootstrap(&caller(PERSON, CHERRY), &anew).unwrap();
    init(&memory, CHERRY, Host::Codex);
    init(&memory, MOVED, Host::Codex);
    eject(&memory, MOVED, Host::Codex);
    eject(&memory, CHERRY, Host::Codex);
    assert_eq!((files(&disk, MOVED), files(&disk, CHERRY)), (before, other));
}

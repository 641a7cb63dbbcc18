//! What git does to a checkout takes no version away: each one that was acknowledged is shown, named, and brought back.

mod acts;
mod came_back;
mod ejected;
mod meanwhile;
mod renamed;
mod replaced_versions;

use crate::world::{
    CHERRY, MAKER, Short as _, caller, claim, clock, how_sure, principal, service, two_repositories,
};
use brainstem_base::clock::ManualClock;
use brainstem_base::disk::Disk;
use brainstem_base::disk::{SimDisk, UnsyncedFate};
use brainstem_memory::{
    Caller, CallerPlace, Confirmation, DoctorRequest, ForgetRequest, InitRequest, MemorizeRequest, Memory,
    RenameRequest, ResolveRequest, RetractRequest, Shown, Tier,
};
use brainstem_transfer::mixed_medulla;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Clone {
    disk: SimDisk,
    clock: Arc<ManualClock>,
    memory: Memory,
}

/// A caller of one call, as a door makes it.
fn maker() -> Caller {
    Caller::new(principal(MAKER), CallerPlace::of_call(caller(MAKER, CHERRY).hints().clone(), None))
}

/// A project whose claims lie in its repository.
fn in_repository() -> Clone {
    let (disk, clock) = (two_repositories(), clock());
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n\tbare = false\n");
    let memory = service(Arc::new(disk.clone()), &clock);
    memory.begin(&maker()).unwrap();
    memory.init(&maker(), &InitRequest::default()).unwrap();
    Clone { disk, clock, memory }
}

fn live(slug: &str) -> PathBuf {
    Path::new(CHERRY).join(format!(".brainstem/agent-memory/{slug}.light.md"))
}

impl Clone {
    fn tell(&self, label: &str, text: &str) {
        self.memory.tell(&maker(), label, text).unwrap();
        self.clock.advance(1_000);
    }

    fn read(&self, slug: &str) -> String {
        String::from_utf8(self.disk.read(&live(slug), 1 << 20).unwrap()).unwrap()
    }

    /// What a checkout does.
    fn put(&self, slug: &str, text: &str) {
        self.disk.write_raw(live(slug), text.as_bytes());
    }

    fn show(&self, label: &str) -> Shown {
        self.memory.look_at(&maker(), label, Tier::Project).unwrap()
    }

    /// The live text, and each text before it with whether it is missing.
    fn texts(&self, label: &str) -> (Option<String>, Vec<(String, bool)>) {
        let shown = self.show(label);
        let past = shown.history.into_iter().map(|version| (version.text, version.missing));
        (shown.claim.map(|row| row.text), past.collect())
    }

    fn gaps(&self) -> Vec<&'static str> {
        self.memory.all(&maker()).gaps.iter().map(|gap| gap.name).collect()
    }

    fn rename(&self, label: &str, to: &str) {
        let request = RenameRequest { label: label.into(), to: to.into(), tier: None };
        self.memory.rename(&maker(), &request).unwrap();
    }

    fn forget(&self, label: &str) {
        let request = ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given };
        self.memory.forget(&maker(), &request).unwrap();
    }

    fn retract(&self, label: &str) {
        let request = RetractRequest { label: label.into(), reason: "it was wrong".into(), tier: None };
        self.memory.retract(&maker(), &request).unwrap();
    }

    /// Another clone of the repository, with a home that knows what this one knows so far.
    fn other(&self) -> Self {
        let disk = self.disk.reboot(UnsyncedFate::Kept);
        Self { memory: service(Arc::new(disk.clone()), &self.clock), disk, clock: self.clock.clone() }
    }

    /// Makes the checkout what the other clone's is.
    fn pull(&self, other: &Self) {
        let checkout = |clone: &Self| {
            let files = clone.disk.dump().into_iter();
            files
                .filter(|(path, _)| path.starts_with(Path::new(CHERRY).join(".brainstem")))
                .collect::<Vec<_>>()
        };
        checkout(self).iter().for_each(|(path, _)| self.disk.unlink(path).unwrap());
        checkout(other).iter().for_each(|(path, bytes)| self.disk.write_raw(path, bytes));
    }

    fn init(&self) -> Vec<String> {
        self.memory.init(&maker(), &InitRequest::default()).unwrap().restored
    }

    fn take(&self, label: &str, side: &str) {
        let request = ResolveRequest {
            label: Some(label.into()),
            take: Some(side.into()),
            ..ResolveRequest::default()
        };
        self.memory.resolve(&maker(), &request).unwrap();
    }

    fn findings(&self) -> Vec<&'static str> {
        let found =
            self.memory.doctor(&maker(), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
        found.iter().map(|finding| finding.trouble.name()).collect()
    }
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The files of the repository's store, as a commit has them.
fn committed(disk: &SimDisk) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(CHERRY).join(".brainstem");
    disk.dump().into_iter().filter(|(path, _)| path.starts_with(&folder)).collect()
}

/// Throws away what was done since, as `git checkout -- .` and `git clean` do.
fn check_out(disk: &SimDisk, commit: &[(PathBuf, Vec<u8>)]) {
    for (path, _) in committed(disk) {
        if !commit.iter().any(|(kept, _)| *kept == path) {
            disk.unlink(&path).unwrap();
        }
    }
    for (path, bytes) in commit {
        disk.write_raw(path, bytes);
    }
}

impl Clone {
    /// What a pull does to the log.
    fn append_to_log(&self, line: &[u8]) {
        let log = Path::new(CHERRY).join(".brainstem/acts.jsonl");
        let before = self.disk.read(&log, 1 << 20).unwrap();
        self.disk.write_raw(&log, &[before, line.to_vec()].concat());
    }
}

fn rated(text: &str, confidence: &str) -> MemorizeRequest {
    MemorizeRequest { confidence: how_sure(confidence), ..claim("Bad", text) }
}

//! `acts.jsonl`: what was done to a store, by whom and why. Ground state, only ever appended to.

use crate::StoreError;
use crate::durable;
use brainstem_base::{AgentId, Disk, DiskFault, Timestamp, hash};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The largest log this program loads.
const LOG_LEN_MAX: u64 = 256 * 1024 * 1024;
/// How long to wait for another process that appends.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// One recorded act: a line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Act {
    /// Derived from the act and its subject, so that a repeated act is recognised.
    pub id: String,
    /// When, in RFC 3339.
    pub ts: String,
    /// Who.
    pub agent: String,
    /// What: `bootstrap`, `retract`, `affirm`, `doctrine`, `etiquette_violation`, …
    pub act: String,
    /// To what: a version as `<slug>@<ms>`, or a brain's id.
    pub subject: String,
    /// Whatever else belongs to it, such as a reason.
    #[serde(default)]
    pub data: Value,
}

impl Act {
    /// An act upon a subject that can happen to it once.
    pub fn once(act: &str, subject: &str, agent: &AgentId, now: Timestamp, data: Value) -> Self {
        Self {
            id: Self::id_of(act, subject),
            ts: now.to_rfc3339(),
            agent: agent.to_string(),
            act: act.to_owned(),
            subject: subject.to_owned(),
            data,
        }
    }

    /// The id of an act upon a subject.
    pub fn id_of(act: &str, subject: &str) -> String {
        hash::sha256_hex(format!("{act}\n{subject}").as_bytes(), 16)
    }
}

/// The log of one store.
pub struct ActsLog {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    lock: PathBuf,
}

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActsRead {
    /// The acts, oldest first, each once.
    pub acts: Vec<Act>,
    /// How many lines are no acts: torn by a crash, or written by something else.
    pub damaged_lines: usize,
}

impl ActsLog {
    /// The log at `path`, guarded by the lock file `lock`.
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf, lock: PathBuf) -> Self {
        Self { disk, path, lock }
    }

    /// Appends an act durably, unless the log has it already.
    pub fn record(&self, act: &Act) -> Result<(), StoreError> {
        let fault = StoreError::disk("cannot record the act");
        let _guard =
            self.disk.lock(&self.lock, LOCK_WAIT).map_err(StoreError::disk("cannot lock the acts log"))?;
        let bytes = self.bytes()?;
        if holds(&bytes, &act.id) {
            return Ok(());
        }
        let mut line = Vec::new();
        // What a crash tore stays as a line of its own; the new act never grows onto it.
        if bytes.last().is_some_and(|last| *last != b'\n') {
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, act).expect("an act is plain data");
        line.push(b'\n');
        self.disk.append(&self.path, &line).map_err(fault)?;
        if bytes.is_empty() {
            let dir = self.path.parent().expect("a log lies in a folder");
            self.disk.sync_dir(dir).map_err(StoreError::disk("cannot record the act"))?;
        }
        Ok(())
    }

    /// Whether an act is in the log.
    pub fn has(&self, id: &str) -> Result<bool, StoreError> {
        Ok(holds(&self.bytes()?, id))
    }

    /// Everything in the log.
    pub fn read(&self) -> Result<ActsRead, StoreError> {
        Ok(parse(&self.bytes()?))
    }

    fn bytes(&self) -> Result<Vec<u8>, StoreError> {
        match self.disk.read(&self.path, LOG_LEN_MAX) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::disk("cannot read the acts log")(error)),
        }
    }

    /// Makes the folders the log needs.
    pub fn prepare(&self) -> Result<(), StoreError> {
        for path in [&self.path, &self.lock] {
            durable::make_dirs(&*self.disk, path.parent().expect("a log lies in a folder"))?;
        }
        Ok(())
    }
}

/// Whether a log has an act. An id is hex and stands in its line as it is, so that most logs are
/// searched and not parsed.
fn holds(bytes: &[u8], id: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(id) && parse(bytes).acts.iter().any(|known| known.id == id)
}

fn parse(bytes: &[u8]) -> ActsRead {
    let mut read = ActsRead::default();
    let mut known = HashSet::new();
    for line in bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Act>(line) {
            Ok(act) if !known.insert(act.id.clone()) => {}
            Ok(act) => read.acts.push(act),
            Err(_) => read.damaged_lines += 1,
        }
    }
    read
}

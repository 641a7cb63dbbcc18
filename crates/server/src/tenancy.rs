//! The daemon's own side of its files in the home: it takes the lock, writes its address, keeps both, and makes the token.
//!
//! Other programs only read them (`brainstem_vault::daemon_files`).

use brainstem_base::disk::LockGuard;
use brainstem_base::next::calls;
use brainstem_base::{DiskFault, Fault, advice, codes};
use brainstem_memory::{DaemonRecord, Memory, MemoryError};
use brainstem_vault::{StoreError, durable};
use std::time::Duration;

/// How long a starting daemon waits for a program that only checks whether one runs.
const LOOK_WAIT: Duration = Duration::from_secs(1);

/// Whether a daemon is still the daemon of its home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tenure {
    /// All files are as it left them, or cannot be checked now.
    Kept,
    /// It repaired this.
    Mended(&'static str),
    /// It must end, for this reason.
    Lost(&'static str),
}

/// Makes this process the daemon of the home, as long as the guard lives.
pub fn become_daemon(memory: &Memory) -> Result<Box<dyn LockGuard>, MemoryError> {
    memory.home().ensure()?;
    memory.home().check_writable()?;
    let files = memory.daemon_files();
    durable::make_dirs(&**memory.disk(), &files.folder)?;
    match memory.disk().lock(&files.lock, LOOK_WAIT) {
        Ok(guard) => Ok(guard),
        Err(error) if error.fault() == DiskFault::Busy => {
            let at = memory
                .daemon_record()
                .map(|record| format!(": process {} at http://{}", record.pid, record.address));
            let message = format!("a daemon serves this home already{}", at.unwrap_or_default());
            let fault = Fault::new(codes::DAEMON_RUNNING, message).rule("IF-14");
            Err(fault.fix(advice!["use that one, or stop it with `", calls::down(), "`"]).into())
        }
        Err(error) => Err(StoreError::disk("cannot lock the daemon's file")(error).into()),
    }
}

/// Writes the daemon's address. The caller holds the lock.
pub fn write_record(memory: &Memory, record: &DaemonRecord) -> Result<(), MemoryError> {
    let bytes = serde_json::to_vec_pretty(record).expect("a record is plain data");
    let path = memory.daemon_files().record;
    durable::replace_private(&**memory.disk(), &**memory.ids(), &path, &bytes)
        .map_err(|error| StoreError::disk("cannot write down where the daemon answers")(error).into())
}

/// Checks that the home, the lock and the record still belong to the daemon that holds this lock, and repairs
/// what can be repaired. A removed lock file keeps no second daemon out, and the next write would make a moved
/// home anew.
pub fn keep(memory: &Memory, lock: &mut Box<dyn LockGuard>, record: &DaemonRecord) -> Tenure {
    let is_own = |found: Option<DaemonRecord>| found.is_some_and(|found| found.instance == record.instance);
    match lock.is_in_place() {
        Ok(true) => {}
        Ok(false) if !is_own(memory.daemon_record()) => {
            return Tenure::Lost("its files are gone from the home, or are another daemon's");
        }
        Ok(false) => {
            return match memory.disk().lock(&memory.daemon_files().lock, LOOK_WAIT) {
                Ok(taken) => {
                    *lock = taken;
                    Tenure::Mended("the lock file was gone, and is taken anew")
                }
                Err(error) if error.fault() == DiskFault::Busy => {
                    Tenure::Lost("the lock file was replaced, and another process holds it")
                }
                Err(_) => Tenure::Kept,
            };
        }
        Err(_) => return Tenure::Kept,
    }
    if memory.daemon_record().as_ref() == Some(record) || write_record(memory, record).is_err() {
        return Tenure::Kept;
    }
    Tenure::Mended("the record was gone or not its own, and is written anew")
}

/// Removes the record of a daemon that ends, unless another daemon wrote it.
pub fn leave(memory: &Memory, record: &DaemonRecord) {
    if memory.daemon_record().is_some_and(|found| found.instance == record.instance) {
        remove_record(memory);
    }
}

/// Removes the record. If that fails, the record has no effect: no process holds the lock.
pub fn remove_record(memory: &Memory) {
    let _ = memory.disk().unlink(&memory.daemon_files().record);
}

/// Makes a new token for this home. The next daemon does not accept the former one.
pub fn renew_token(memory: &Memory) -> Result<String, MemoryError> {
    let token = memory.secret();
    durable::replace_private(
        &**memory.disk(),
        &**memory.ids(),
        &memory.daemon_files().token,
        format!("{token}\n").as_bytes(),
    )
    .map_err(StoreError::disk("cannot write the token"))?;
    Ok(token)
}

/// The token of this home. Makes one if there is none, or if other users could read it: they may have.
pub fn make_token(memory: &Memory) -> Result<String, MemoryError> {
    let path = memory.daemon_files().token;
    let is_private = memory.disk().facts(&path).mode.is_none_or(|mode| mode & 0o077 == 0);
    if let Some(token) = memory.daemon_token().filter(|_| is_private) {
        return Ok(token);
    }
    renew_token(memory)
}

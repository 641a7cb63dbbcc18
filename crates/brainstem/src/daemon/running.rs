//! Finds the running daemon, asks it, and stops it.

use crate::call;
use crate::output::Output;
use brainstem_api::Effect;
use brainstem_api::cli::Globals;
use brainstem_api::wire::Exit;
use brainstem_base::next::calls;
use brainstem_base::{Fault, advice, codes};
use brainstem_memory::{DaemonRecord, Memory};
use brainstem_server::http::knock::{Knock, knock};
use brainstem_server::tenancy;
use serde_json::json;
use std::time::{Duration, Instant};

/// How long a daemon may take to stop: longer than it waits for its calls.
const STOP_WAIT: Duration = Duration::from_secs(40);
/// How long a program at a daemon's address may take to answer, and how long to look for one that proves to be the daemon.
const KNOCK_WAIT: Duration = Duration::from_secs(2);
const PROOF_WAIT: Duration = Duration::from_secs(5);
/// How long a daemon that no longer listens may take to finish.
const CLOSED_WAIT: Duration = Duration::from_secs(30);
/// How long a daemon may take to write its record again; it checks every half second.
const RECORD_WAIT: Duration = Duration::from_secs(2);

pub(super) fn down(output: Output, globals: &Globals) -> Result<Exit, Fault> {
    let memory = call::context(globals)?.memory;
    call::check_home(globals, Effect::Read, &memory)?;
    let Some(pid) = stop(&memory)? else {
        // Removes what a killed daemon left. Under the lock, so that it is not the record of the next one.
        if memory.daemon_record().is_some()
            && let Ok(_lock) = tenancy::become_daemon(&memory)
        {
            tenancy::remove_record(&memory);
        }
        return Ok(if output.json {
            output.document(&json!({ "stopped": false, "pid": null }))
        } else {
            output.text("no daemon serves this home\n")
        });
    };
    Ok(if output.json {
        output.document(&json!({ "stopped": true, "pid": pid }))
    } else {
        output.text("the daemon has stopped\n")
    })
}

/// Stops the daemon of this home and waits until it has ended. Returns its process; `None` if none runs.
pub(super) fn stop(memory: &Memory) -> Result<Option<u32>, Fault> {
    let Some(record) = serving(memory)? else { return Ok(None) };
    let pid = tell_to_stop(memory, record)?;
    let until = Instant::now() + STOP_WAIT;
    while memory.look_for_daemon()? {
        if Instant::now() > until {
            let message = format!("process {pid} was not stopped: it is still finishing its calls");
            return Err(Fault::new(codes::DAEMON_FAILED, message)
                .fix(format!("look at that process, and end it with kill {pid}")));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(Some(pid))
}

/// Asks the daemon to stop, and returns its process. No process is signalled: a record may name another program.
fn tell_to_stop(memory: &Memory, mut record: DaemonRecord) -> Result<u32, Fault> {
    let began = Instant::now();
    loop {
        let told = knock(&record, Knock::Stop, &memory.secret(), memory.now(), KNOCK_WAIT);
        if matches!(told, Ok(true)) || !memory.look_for_daemon()? {
            return Ok(record.pid);
        }
        // A daemon that is stopping no longer listens, and holds the lock until its calls are done.
        let is_closed = told.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused);
        if began.elapsed() > if is_closed { CLOSED_WAIT } else { PROOF_WAIT } {
            let (at, pid) = (&record.address, record.pid);
            let message = format!(
                "a daemon runs, but no program at {at} proves to be it; process {pid} may be another program and was left alone"
            );
            return Err(Fault::new(codes::DAEMON_FAILED, message).fix(format!(
                "if it is stopping already, wait; else see with `ps -p {pid}` whether that is `brainstem up`, and end it yourself"
            )));
        }
        std::thread::sleep(Duration::from_millis(100));
        // A daemon repairs a record that is not its own.
        record = memory.daemon_record().unwrap_or(record);
    }
}

/// Refuses to serve beside a daemon whose lock file was removed. That daemon takes the lock again.
pub(super) fn refuse_beside_another(memory: &Memory) -> Result<(), Fault> {
    let Some(record) = memory.daemon_record() else { return Ok(()) };
    if !knock(&record, Knock::Ask, &memory.secret(), memory.now(), KNOCK_WAIT).unwrap_or(false) {
        return Ok(());
    }
    let message = format!(
        "a daemon serves this home already, though its lock file was removed: process {} at http://{}",
        record.pid, record.address
    );
    let fault = Fault::new(codes::DAEMON_RUNNING, message).rule("IF-14");
    Err(fault.fix(advice!["use that one, or stop it with `", calls::down(), "`"]))
}

/// The record of the running daemon. The lock decides: if it is held, a daemon runs, even if its record is missing.
pub(super) fn serving(memory: &Memory) -> Result<Option<DaemonRecord>, Fault> {
    let until = Instant::now() + RECORD_WAIT;
    loop {
        if !memory.look_for_daemon()? {
            return Ok(None);
        }
        if let Some(record) = memory.daemon_record() {
            return Ok(Some(record));
        }
        if Instant::now() > until {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let file = memory.daemon_files().record;
    let message =
        format!("a daemon runs, but `{}`, which says where, is gone or cannot be read", file.display());
    Err(Fault::new(codes::DAEMON_FAILED, message)
        .fix("end the process `brainstem up` by hand (pgrep -f 'brainstem.* up'), then start it anew"))
}

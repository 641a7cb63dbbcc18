//! Poking the daemon after a write, so that it looks at once. Best effort: the writer does not wait, and a
//! daemon that missed a poke looks by itself.

use brainstem_memory::{DaemonRecord, Memory};
use std::net::UdpSocket;

/// Notifies the daemon of this home, if there is one, of a write.
pub fn poke(memory: &Memory) {
    if let Some(record) = memory.daemon_record() {
        poke_daemon(&record);
    }
}

/// Notifies the daemon of this record.
pub(crate) fn poke_daemon(record: &DaemonRecord) {
    let Some(address) = &record.poke else { return };
    // A datagram on this machine is accepted or dropped without a wait.
    let _ = UdpSocket::bind(("127.0.0.1", 0)).and_then(|socket| {
        socket.set_nonblocking(true)?;
        socket.send_to(record.instance.as_bytes(), address)
    });
}

//! What the doors of the daemon share.

use crate::caller_key::CallerKey;
use crate::calls::{Calls, Room};
use crate::door::McpDoor;
use crate::http::guard::Guard;
use crate::http::look_signal::LookSignal;
use crate::http::mcp::Mcp;
use crate::http::meters::Meters;
use crate::http::page::Browsers;
use crate::http::ring::Ring;
use crate::idle::IdleSignal;
use crate::limits::HttpLimits;
use crate::shares::Shares;
use crate::turn::Turn;
use brainstem_api::Effect;
use brainstem_base::Fault;
use brainstem_memory::{DaemonRecord, Memory};
use brainstem_post::live::Hub;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How often one kind of refusal is written to the log.
const REFUSALS_LOGGED_EVERY: Duration = Duration::from_secs(10);

/// What the doors share.
pub(crate) struct DaemonParts {
    pub(crate) door: McpDoor,
    /// The services for a caller that may only read.
    pub(crate) looking: Arc<Memory>,
    pub(crate) limits: HttpLimits,
    pub(crate) room: Arc<Room>,
    pub(crate) ring: Arc<Ring>,
    /// The looks of the thread that fills the ring.
    pub(crate) looks: Arc<LookSignal>,
    pub(crate) meters: Arc<Meters>,
    pub(crate) event_streams: Arc<Shares>,
    /// The live channel.
    pub(crate) live: Arc<Hub>,
    /// No new call begins, and streams that only listen end.
    pub(crate) stop: CancellationToken,
    /// An authorized caller asked the daemon to end, or its home is gone.
    pub(crate) quit: CancellationToken,
    pub(crate) guard: Guard,
    pub(crate) mcp: Mcp,
    pub(crate) browsers: Browsers,
    pub(crate) busy: Option<IdleSignal>,
    pub(crate) token: String,
    pub(crate) record: DaemonRecord,
    pub(crate) logged: Mutex<HashMap<&'static str, (Instant, u64)>>,
}

impl DaemonParts {
    /// Runs a read on a thread that may block.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        id: &str,
        key: CallerKey,
        look: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let calls = Calls::within(self.room.clone());
        // The receiver may be gone.
        let work = move |answered: oneshot::Sender<_>| drop(answered.send(look()));
        calls.work(id, Effect::Read, 1, Turn::look(key), work).await
    }

    /// Notes that a call was answered; idle moments come after it.
    pub(crate) fn answered(&self) {
        if let Some(busy) = &self.busy {
            busy.answered();
        }
    }

    /// A nonce that permits the style of one page.
    pub(crate) fn nonce(&self) -> String {
        self.door.memory.secret().chars().take(32).collect()
    }

    /// Writes a refusal of the guard to the log, but not too often: repeats are counted.
    pub(crate) fn log_refusal(&self, fault: &Fault) {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match logged.get_mut(fault.code.name()) {
            Some((last, count)) if now.duration_since(*last) < REFUSALS_LOGGED_EVERY => *count += 1,
            entry => {
                let before = entry.as_ref().map_or(0, |(_, count)| *count);
                tracing::warn!(
                    code = fault.code.name(),
                    more_since = (before > 0).then_some(before),
                    "refused: {}",
                    fault.message
                );
                logged.insert(fault.code.name(), (now, 0));
            }
        }
    }
}

//! What the doors of the daemon share.

use crate::caller_key::CallerKey;
use crate::calls::{Calls, Room};
use crate::door::McpDoor;
use crate::http::guard::Guard;
use crate::http::mcp::Mcp;
use crate::http::meters::Meters;
use crate::http::page::Browsers;
use crate::http::ring::Ring;
use crate::idle::Busy;
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

/// How often one kind of refusal is written into the log.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// What the doors share.
pub(crate) struct Shared {
    pub(crate) door: McpDoor,
    /// The services for a caller that may only look.
    pub(crate) looking: Arc<Memory>,
    pub(crate) limits: HttpLimits,
    pub(crate) room: Arc<Room>,
    pub(crate) ring: Arc<Ring>,
    pub(crate) meters: Arc<Meters>,
    pub(crate) event_streams: Arc<Shares>,
    /// The live channel.
    pub(crate) live: Arc<Hub>,
    /// Nothing new is begun, and what only listens ends.
    pub(crate) stop: CancellationToken,
    /// A caller that may do so asked the daemon to end, or its home is gone.
    pub(crate) quit: CancellationToken,
    pub(crate) guard: Guard,
    pub(crate) mcp: Mcp,
    pub(crate) browsers: Browsers,
    pub(crate) busy: Option<Busy>,
    pub(crate) token: String,
    pub(crate) record: DaemonRecord,
    pub(crate) told: Mutex<HashMap<&'static str, (Instant, u64)>>,
}

impl Shared {
    /// Does something that only looks, on a thread that may block.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        id: &str,
        key: CallerKey,
        look: impl FnOnce() -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let calls = Calls::within(self.room.clone());
        // Nobody may listen any more.
        let work = move |answered: oneshot::Sender<_>| drop(answered.send(look()));
        calls.work(id, Effect::Read, 1, Turn::look(key), work).await
    }

    /// A call was answered; idle moments come after.
    pub(crate) fn answered(&self) {
        if let Some(busy) = &self.busy {
            busy.answered();
        }
    }

    /// What lets the style of one page in.
    pub(crate) fn nonce(&self) -> String {
        self.door.memory.secret().chars().take(32).collect()
    }

    /// Writes a refusal at the gate into the log, now and then: a caller that knocks all the time is counted.
    pub(crate) fn tell(&self, fault: &Fault) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        match told.get_mut(fault.code.name()) {
            Some((last, count)) if now.duration_since(*last) < TOLD_EVERY => *count += 1,
            entry => {
                let before = entry.as_ref().map_or(0, |(_, count)| *count);
                tracing::warn!(
                    code = fault.code.name(),
                    more_since = (before > 0).then_some(before),
                    "refused: {}",
                    fault.message
                );
                told.insert(fault.code.name(), (now, 0));
            }
        }
    }
}

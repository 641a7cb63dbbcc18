//! The limits of this crate.

use std::time::Duration;

/// Calls that run at once on one connection.
pub const RUNNING_CALLS_MAX: u32 = 8;

/// Requests of one connection that may wait for their answer; more are not read until some are answered.
pub const PENDING_REQUESTS_MAX: usize = 256;

/// The size of the default list of tools, in bytes (IF-28).
#[cfg(test)]
pub const TOOL_LIST_LEN_MAX: usize = 14_000;

/// The tools of the default list, with those of the inbox (IF-28).
#[cfg(test)]
pub const DEFAULT_TOOLS_MAX: usize = 22;

/// The most that the set `memory` may take of the list: mail and inbox need the rest.
#[cfg(test)]
pub const MEMORY_LIST_LEN_MAX: usize = 8_000;

/// The most that the tools of mail may take of it (MAIL-16).
#[cfg(test)]
pub const MAIL_TOOLS_LEN_MAX: usize = 4 * 1024;

/// The length of one message, in bytes; a longer one is refused.
pub const MESSAGE_LEN_MAX: usize = 16 << 20;

/// The length of the id of a message that cannot be parsed, in bytes.
pub const ID_LEN_MAX: usize = 256;

/// Calls that run at once in a daemon, over all callers. Each may hold all claims of a store while it works, so more of them
/// take memory and, on most machines, make nothing faster.
pub const DAEMON_CALLS_MAX: usize = 16;

/// Batches and jobs that run at once in a daemon, beside those.
pub const DAEMON_HEAVY_CALLS_MAX: usize = 4;

/// Calls of a daemon that run or wait; more are refused. As many as there are connections, so that the connections are the
/// first limit.
pub const DAEMON_PENDING_MAX: usize = 512;

/// Calls of one caller that run or wait; more are refused.
pub const CALLER_PENDING_MAX: usize = 64;

/// How long a call waits for its place.
pub const TURN_WAIT: Duration = Duration::from_secs(30);

/// How long a call may run, and how long a job. Jobs and batches check it where they can stop.
pub const CALL_TIME_MAX: Duration = Duration::from_secs(60);
/// See [`CALL_TIME_MAX`].
pub const LONG_CALL_TIME_MAX: Duration = Duration::from_secs(600);

/// How long the caller of a call that does not check its time waits beyond it.
pub const TIME_UP_GRACE: Duration = Duration::from_secs(5);

/// The bytes of all request bodies until their calls are done.
pub const BODIES_LEN_MAX: usize = 32 << 20;

/// The bytes of all answers that wait to be read.
pub const ANSWERS_LEN_MAX: usize = 64 << 20;

/// The length of one answer, in bytes.
pub const ANSWER_LEN_MAX: usize = 16 << 20;

/// Bodies and answers up to this length, in bytes, are not counted.
pub const LIGHT_LEN: usize = 64 << 10;

/// How long a long answer waits for the room it takes.
pub const ANSWER_WAIT: Duration = Duration::from_secs(20);

/// The tags that a request names in its header; the register keeps no more of a session.
pub const TAGS_MAX: usize = brainstem_memory::identity::SESSION_TAGS_MAX;

/// Polls of the live channel that wait at once, beside the calls that run; more are refused.
pub const WAITING_POLLS_MAX: usize = 256;

/// Polls of one caller that wait at once.
pub const CALLER_POLLS_MAX: usize = 32;

/// Streams of events that one caller has open.
pub const CALLER_STREAMS_MAX: usize = 16;

/// How long an MCP session must have been idle before it is closed for a new one.
pub const SESSION_IDLE_MIN: Duration = Duration::from_secs(5);

/// The messages of one batch of JSON-RPC.
pub const BATCH_MESSAGES_MAX: usize = 64;

/// Events that are kept for readers that come back.
pub const EVENTS_KEPT_MAX: usize = 1024;

/// Browsers that are let in by a one-time link at a time; the longest unseen is dropped for a new one.
pub const BROWSERS_MAX: usize = 32;

/// The size at which the log is rotated, and how many rotated files are kept.
pub const LOG_LEN_MAX: u64 = 4 << 20;
/// See [`LOG_LEN_MAX`].
pub const LOGS_KEPT: usize = 3;

/// What a daemon gives its callers, and how long it waits for them.
#[derive(Clone, Debug)]
pub struct HttpLimits {
    /// Connections that are open at once and have shown the token; more get the answer to come back.
    pub connections_max: usize,
    /// Connections that have not shown it yet; above this number the oldest is closed.
    pub strangers_max: usize,
    /// MCP sessions that are open at once.
    pub sessions_max: usize,
    /// How long a session must be unused before it is closed. Agents sleep over night and over a day.
    pub session_idle: Duration,
    /// Streams of events that are open at once.
    pub event_streams_max: usize,
    /// The length of a request's body, in bytes.
    pub body_len_max: usize,
    /// How long a body may take to arrive.
    pub body_wait: Duration,
    /// How long the head of a request may take to arrive, and how long a connection may be silent.
    pub head_wait: Duration,
    /// How long a reader may leave an answer unread.
    pub write_wait: Duration,
    /// How long the daemon waits for running calls when it stops.
    pub stop_wait: Duration,
}

/// The files that a daemon opens beside its connections: stores, watches, its log and its locks.
const OTHER_FILES_MAX: usize = 128;

impl HttpLimits {
    /// These limits for a process that may open so many files, and whether they had to be lowered. Strangers may take an eighth
    /// of them, so that a caller with the token finds a descriptor.
    pub fn within(self, open_files_max: usize) -> (Self, bool) {
        if open_files_max >= self.connections_max + 2 * self.strangers_max + OTHER_FILES_MAX {
            return (self, false);
        }
        // A connection that is being closed has its descriptor for a moment longer.
        let left = open_files_max.saturating_sub(OTHER_FILES_MAX).max(32);
        let strangers_max = (left / 8).min(self.strangers_max);
        let connections_max = (left - 2 * strangers_max).min(self.connections_max);
        (Self { connections_max, strangers_max, ..self }, true)
    }
}

impl HttpLimits {
    /// MCP sessions that one client may have open at once: the rest is left to other clients.
    pub(crate) fn sessions_of_client_max(&self) -> usize {
        self.sessions_max - self.sessions_max / 4
    }
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connections_max: 512,
            strangers_max: 256,
            sessions_max: 256,
            session_idle: Duration::from_secs(2 * 24 * 3600),
            event_streams_max: 64,
            body_len_max: 4 << 20,
            body_wait: Duration::from_secs(20),
            head_wait: Duration::from_secs(30),
            write_wait: Duration::from_secs(30),
            stop_wait: Duration::from_secs(20),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-14
    fn a_process_that_may_open_few_files_takes_fewer_connections() {
        let within = |files: usize| {
            let (limits, is_lowered) = HttpLimits::default().within(files);
            (limits.connections_max, limits.strangers_max, is_lowered)
        };
        assert_eq!(within(8192), (512, 256, false));
        assert_eq!(within(1152), (512, 256, false));
        assert_eq!(within(256), (96, 16, true));
        for files in [0, 100, 200, 512, 1000, 1151] {
            let (connections, strangers, is_lowered) = within(files);
            assert!(connections >= 8 && strangers >= 4 && is_lowered, "{files}");
            assert!(files < 200 || connections + 2 * strangers + OTHER_FILES_MAX <= files, "{files}");
        }
    }
}

//! The channel, shared by the threads of a daemon.

use brainstem_base::Timestamp;
use brainstem_mail::live::{Address, Channel, Standing};
use brainstem_mail::name::MailboxName;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The live channel of a home. In memory, and lost with the daemon.
pub struct Hub {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    channel: Channel,
    /// Mail files whose wakes were acknowledged: project, box and name. The watcher takes them.
    acknowledged: Vec<(String, MailboxName, String)>,
}

impl Hub {
    /// A channel that starts now.
    pub fn new(now: Timestamp) -> Self {
        let state = State { channel: Channel::new(now), acknowledged: Vec::new() };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Who is online, by project and name.
    pub fn standings(&self, now: Timestamp) -> Vec<Standing> {
        self.state().channel.standings(now)
    }

    /// Does something to the channel, and wakes whoever waits for news.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut Channel) -> T) -> T {
        let done = act(&mut self.state().channel);
        self.changed.notify_all();
        done
    }

    /// Asks until there is an answer, or the wait is over; then the last answer counts.
    pub(super) fn wait<T>(
        &self,
        wait: Duration,
        mut ask: impl FnMut(&mut Channel) -> T,
        is_answer: impl Fn(&T) -> bool,
    ) -> T {
        let since = Instant::now();
        let mut state = self.state();
        loop {
            let found = ask(&mut state.channel);
            let left = wait.saturating_sub(since.elapsed());
            if is_answer(&found) || left.is_zero() {
                return found;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Notes that somebody has got what was said about a file.
    pub(super) fn acknowledge_wake(&self, who: &Address, mailbox: MailboxName, file: String) {
        self.state().acknowledged.push((who.project.clone(), mailbox, file));
    }

    /// Takes what was acknowledged in a project since the last call.
    pub(super) fn take_acknowledged(&self, project: &str) -> Vec<(MailboxName, String)> {
        let mut state = self.state();
        let (mine, others) =
            std::mem::take(&mut state.acknowledged).into_iter().partition(|(of, _, _)| of == project);
        state.acknowledged = others;
        let mine: Vec<(String, MailboxName, String)> = mine;
        mine.into_iter().map(|(_, mailbox, file)| (mailbox, file)).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

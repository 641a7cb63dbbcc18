//! The channel, shared by the threads of a daemon.

use brainstem_base::{Bell, Timestamp};
use brainstem_mail::live::{Address, ChannelState, Project, SessionView};
use brainstem_mail::name::MailboxName;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// How many acknowledgements wait for the watcher; a lost one costs a repeated wake.
const ACKNOWLEDGED_MAX: usize = 10_000;

/// The live channel of a home. It is in memory and ends with the daemon.
pub struct Hub {
    state: Mutex<HubState>,
    /// Read-locked while a sender writes a copy and then sends it live, so that a watcher does not see the copy
    /// before the live message.
    sending: RwLock<()>,
    news: Bell,
}

struct HubState {
    channel: ChannelState,
    /// Mail files whose wakes were acknowledged: project, box and name. The watcher takes them.
    acknowledged: Vec<(Project, MailboxName, String)>,
}

impl Hub {
    /// A channel that starts now.
    pub fn new(now: Timestamp) -> Self {
        let state = HubState { channel: ChannelState::new(now), acknowledged: Vec::new() };
        Self { state: Mutex::new(state), sending: RwLock::new(()), news: Bell::default() }
    }

    /// The bell that rings when a message is queued for a session.
    pub fn news(&self) -> &Bell {
        &self.news
    }

    /// The sessions that are online, by project and name.
    pub fn online_sessions(&self, now: Timestamp) -> Vec<SessionView> {
        self.state().channel.online_sessions(now)
    }

    /// Whether a message after this cursor waits for a session.
    pub fn has_news(&self, who: &Address, cursor: u64) -> bool {
        self.state().channel.has_news(who, cursor)
    }

    /// Notes that a session is still online: it waits.
    pub fn keep(&self, who: &Address, now: Timestamp) {
        self.state().channel.keep(who, now);
    }

    /// Returns the mail roots of the sessions that are online, and forgets the sessions that are gone.
    pub(super) fn projects(&self, now: Timestamp) -> BTreeSet<String> {
        let mut state = self.state();
        state.channel.forget_gone(now);
        state.channel.projects().into_iter().map(|project| project.root).collect()
    }

    /// The projects of the sessions that are online.
    pub(super) fn online_projects(&self) -> BTreeSet<Project> {
        self.state().channel.projects()
    }

    /// Ends the waits of a project: another folder is at its path.
    pub(super) fn end_waits(&self, project: &Project) {
        if self.state().channel.note_replaced(project) {
            self.news.ring();
        }
    }

    /// Changes the channel, and rings the bell if a session has a new message.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut ChannelState) -> T) -> T {
        let mut state = self.state();
        let before = state.channel.count();
        let done = act(&mut state.channel);
        let is_news = state.channel.count() != before;
        drop(state);
        if is_news {
            self.news.ring();
        }
        done
    }

    /// Runs `send`, which writes a copy as mail and then sends it live.
    pub(super) fn sending<T>(&self, send: impl FnOnce() -> T) -> T {
        let _sending = self.sending.read().unwrap_or_else(PoisonError::into_inner);
        send()
    }

    /// Waits for senders whose copies may be in a box already.
    pub(super) fn settle(&self) {
        drop(self.sending.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Notes that a reader of a box has got the notice about a file in it. Notices of urgent mail go to other
    /// sessions too, and their acknowledgement does not answer the wake.
    pub(super) fn acknowledge_wake(&self, who: &Address, mailbox: MailboxName, file: String) {
        let mut state = self.state();
        if state.channel.reads(who, &mailbox) && state.acknowledged.len() < ACKNOWLEDGED_MAX {
            state.acknowledged.push((who.project.clone(), mailbox, file));
        }
    }

    /// Takes what was acknowledged in a project since the last call.
    pub(super) fn take_acknowledged(&self, project: &Project) -> Vec<(MailboxName, String)> {
        let mut state = self.state();
        let (mine, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut state.acknowledged).into_iter().partition(|(of, _, _)| of == project);
        state.acknowledged = others;
        mine.into_iter().map(|(_, mailbox, file)| (mailbox, file)).collect()
    }

    fn state(&self) -> MutexGuard<'_, HubState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

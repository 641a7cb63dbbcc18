//! The channel, shared by the threads of a daemon.

use brainstem_base::{Bell, Timestamp};
use brainstem_mail::live::{Address, ChannelState, Project, SessionView};
use brainstem_mail::name::MailboxName;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// How many acknowledgements wait for the watcher; a lost one costs a repeated wake.
const ACKNOWLEDGED_MAX: usize = 10_000;

/// The live channel of a home. In memory, and lost with the daemon.
pub struct Hub {
    state: Mutex<State>,
    /// Held by whoever writes a copy and then sends it live, so that a watcher does not see the one before the
    /// other.
    sending: RwLock<()>,
    news: Bell,
}

struct State {
    channel: ChannelState,
    /// Mail files whose wakes were acknowledged: project, box and name. The watcher takes them.
    acknowledged: Vec<(Project, MailboxName, String)>,
}

impl Hub {
    /// A channel that starts now.
    pub fn new(now: Timestamp) -> Self {
        let state = State { channel: ChannelState::new(now), acknowledged: Vec::new() };
        Self { state: Mutex::new(state), sending: RwLock::new(()), news: Bell::default() }
    }

    /// The bell that rings whenever something was put before some session.
    pub fn news(&self) -> &Bell {
        &self.news
    }

    /// Who is online, by project and name.
    pub fn standings(&self, now: Timestamp) -> Vec<SessionView> {
        self.state().channel.online_sessions(now)
    }

    /// Whether something waits for a session past a cursor.
    pub fn has_news(&self, who: &Address, cursor: u64) -> bool {
        self.state().channel.has_news(who, cursor)
    }

    /// Notes that a session is still here: it waits.
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

    /// Does something to the channel, and rings if it has news for a session.
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

    /// Runs a sending: a copy as mail first, and then live.
    pub(super) fn sending<T>(&self, send: impl FnOnce() -> T) -> T {
        let _sending = self.sending.read().unwrap_or_else(PoisonError::into_inner);
        send()
    }

    /// Waits for the sendings whose copies may lie in a box already.
    pub(super) fn settle(&self) {
        drop(self.sending.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Notes that somebody who reads a box has got what was said about a file of it. Others hear of urgent mail
    /// too, and theirs is no answer to the wake.
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

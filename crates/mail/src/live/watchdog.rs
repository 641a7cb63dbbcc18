//! When a session is woken for its mail. It reads no clock and no file: it gets the unread messages, and returns what
//! should happen.
//!
//! Wakes are level-triggered: the condition is what is unread at the moment of a look. So a wake never fires for mail
//! that was read meanwhile, and a wake that was not acknowledged is repeated, less and less often.

use crate::kind::Priority;
use brainstem_base::Timestamp;
use std::collections::{BTreeMap, HashSet};

/// How fast wakes are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The pause after the first wake; each later one is twice as long.
    pub first_ms: i64,
    /// The longest pause.
    pub longest_ms: i64,
    /// A message that needed a response and got none is raised again after this time, and then once in each such time.
    pub response_ms: i64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { first_ms: 5_000, longest_ms: 10 * 60_000, response_ms: 30 * 60_000 }
    }
}

/// A message that is unread, or read and not answered, at the moment of a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenMessage {
    /// Its name.
    pub file: String,
    /// The sender.
    pub from: String,
    /// How urgent it is.
    pub priority: Priority,
    /// It is unread.
    pub unread: bool,
    /// It needed a response and has none.
    pub unanswered: bool,
    /// When it was made.
    pub timestamp: Timestamp,
}

/// What should happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchdogEffect {
    /// The readers of the box are woken.
    Wake {
        /// The messages, oldest first.
        files: Vec<String>,
        /// One of them is urgent: the orchestrator is notified too.
        urgent: bool,
        /// Which attempt this is for the message that was tried most often, from 1.
        attempt: u32,
    },
    /// No reader of the box is online: the sender is notified, once.
    NobodyHome {
        /// The message.
        file: String,
        /// Its sender.
        from: String,
    },
    /// A message has waited too long for its response.
    RaiseAgain {
        /// The message.
        file: String,
        /// Its sender.
        from: String,
    },
}

/// Decides about the mail of one box.
#[derive(Clone, Debug, Default)]
pub struct Watchdog {
    pace: Pace,
    tracked: BTreeMap<String, WatchedMessage>,
}

#[derive(Clone, Debug)]
struct WatchedMessage {
    attempts: u32,
    next_at: Timestamp,
    is_acknowledged: bool,
    is_told: bool,
    raised_at: Option<Timestamp>,
    timestamp: Timestamp,
    unread: bool,
    unanswered: bool,
}

impl Watchdog {
    /// A watchdog with this pace.
    pub fn new(pace: Pace) -> Self {
        Self { pace, tracked: BTreeMap::new() }
    }

    /// Takes everything that waits in the box now, and whether a reader of it is online.
    pub fn look(
        &mut self,
        now: Timestamp,
        waiting: &[OpenMessage],
        is_somebody_home: bool,
    ) -> Vec<WatchdogEffect> {
        // A message that is gone from the box is no longer a condition.
        let here: HashSet<&str> = waiting.iter().map(|unseen| unseen.file.as_str()).collect();
        self.tracked.retain(|file, _| here.contains(file.as_str()));
        let (mut effects, mut files, mut urgent, mut attempt) = (Vec::new(), Vec::new(), false, 0);
        let pace = self.pace;
        for unseen in waiting {
            let tracked = self.tracked.entry(unseen.file.clone()).or_insert_with(|| WatchedMessage {
                attempts: 0,
                next_at: now,
                is_acknowledged: false,
                is_told: false,
                raised_at: None,
                timestamp: unseen.timestamp,
                unread: unseen.unread,
                unanswered: unseen.unanswered,
            });
            (tracked.unread, tracked.unanswered) = (unseen.unread, unseen.unanswered);
            if unseen.unread && !tracked.is_acknowledged && tracked.next_at <= now {
                tracked.next_at = Timestamp::from_ms(now.ms() + pace.pause_after(tracked.attempts));
                tracked.attempts = tracked.attempts.saturating_add(1);
                attempt = attempt.max(tracked.attempts);
                urgent |= unseen.priority == Priority::Urgent;
                files.push(unseen.file.clone());
            }
            if unseen.unread && !is_somebody_home && !tracked.is_told {
                tracked.is_told = true;
                effects.push(WatchdogEffect::NobodyHome {
                    file: unseen.file.clone(),
                    from: unseen.from.clone(),
                });
            }
            if tracked.raise_at(pace).is_some_and(|at| at <= now) {
                tracked.raised_at = Some(now);
                effects.push(WatchdogEffect::RaiseAgain {
                    file: unseen.file.clone(),
                    from: unseen.from.clone(),
                });
            }
        }
        if !files.is_empty() {
            effects.insert(0, WatchdogEffect::Wake { files, urgent, attempt });
        }
        effects
    }

    /// Another message has the name of one that was there a moment ago.
    pub fn forget(&mut self, file: &str) {
        self.tracked.remove(file);
    }

    /// A session has got the wake for a message.
    pub fn acknowledge(&mut self, file: &str) {
        if let Some(tracked) = self.tracked.get_mut(file) {
            tracked.is_acknowledged = true;
        }
    }

    /// Whether a look would raise a message again if it is unanswered: then it is worth finding out.
    pub fn would_raise(&self, now: Timestamp, file: &str, timestamp: Timestamp) -> bool {
        let since = self.tracked.get(file).and_then(|tracked| tracked.raised_at).unwrap_or(timestamp);
        self.pace.raise_after(since) <= now
    }

    /// When the next look is due if nothing changes before.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        let wakes = self.tracked.values().filter(|tracked| tracked.unread && !tracked.is_acknowledged);
        let wakes = wakes.map(|tracked| tracked.next_at);
        let raises = self.tracked.values().filter_map(|tracked| tracked.raise_at(self.pace));
        wakes.chain(raises).min()
    }
}

impl WatchedMessage {
    /// When it is raised again, if it waits for a response.
    fn raise_at(&self, pace: Pace) -> Option<Timestamp> {
        let since = self.raised_at.unwrap_or(self.timestamp);
        self.unanswered.then(|| pace.raise_after(since))
    }
}

impl Pace {
    fn raise_after(self, since: Timestamp) -> Timestamp {
        Timestamp::from_ms(since.ms().saturating_add(self.response_ms))
    }

    fn pause_after(self, attempts: u32) -> i64 {
        self.first_ms.saturating_mul(1 << attempts.min(20)).min(self.longest_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { first_ms: 100, longest_ms: 400, response_ms: 10_000 };

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_ms(1_783_209_431_000 + ms)
    }

    fn unseen(file: &str) -> OpenMessage {
        OpenMessage {
            file: file.into(),
            from: "orch".into(),
            priority: Priority::Normal,
            unread: true,
            unanswered: false,
            timestamp: at(0),
        }
    }

    fn wake(files: &[&str], attempt: u32) -> WatchdogEffect {
        WatchdogEffect::Wake {
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            urgent: false,
            attempt,
        }
    }

    #[test] // spec: MAIL-18
    fn an_unacknowledged_wake_is_repeated_ever_more_seldom() {
        let mut dog = Watchdog::new(PACE);
        let mail = [unseen("a")];
        let mut fired = Vec::new();
        for ms in 0..2_000 {
            if dog.look(at(ms), &mail, true) == [wake(&["a"], fired.len() as u32 + 1)] {
                fired.push(ms);
            }
        }
        assert_eq!(fired, [0, 100, 300, 700, 1_100, 1_500, 1_900]);
        assert_eq!(dog.next_deadline(), Some(at(2_300)));
    }

    #[test] // spec: MAIL-18
    fn nothing_fires_for_mail_that_was_read_or_acknowledged() {
        let mut dog = Watchdog::new(PACE);
        let mail = [unseen("a"), unseen("b")];
        assert_eq!(dog.look(at(0), &mail, true), [wake(&["a", "b"], 1)]);
        dog.acknowledge("a");
        assert_eq!(dog.look(at(500), &mail, true), [wake(&["b"], 2)]);
        assert_eq!(dog.look(at(5_000), &mail[..1], true), [], "b was read between the wake and the look");
        assert_eq!(dog.next_deadline(), None);
        assert_eq!(dog.look(at(6_000), &mail, true), [wake(&["b"], 1)], "b came back, which is news");
    }

    #[test] // spec: MAIL-18
    fn what_is_urgent_says_so_at_once() {
        let mut dog = Watchdog::new(PACE);
        let urgent = OpenMessage { priority: Priority::Urgent, ..unseen("u") };
        assert_eq!(
            dog.look(at(0), &[unseen("a"), urgent], true),
            [WatchdogEffect::Wake { files: vec!["a".into(), "u".into()], urgent: true, attempt: 1 }]
        );
    }

    #[test] // spec: MAIL-18
    fn a_sender_hears_once_that_nobody_is_home() {
        let mut dog = Watchdog::new(PACE);
        let nobody = WatchdogEffect::NobodyHome { file: "a".into(), from: "orch".into() };
        assert_eq!(dog.look(at(0), &[unseen("a")], false), [wake(&["a"], 1), nobody]);
        assert_eq!(dog.look(at(100), &[unseen("a")], false), [wake(&["a"], 2)]);
        assert_eq!(dog.look(at(150), &[unseen("a")], true), []);
    }

    #[test] // spec: MAIL-18
    fn what_waits_for_a_response_is_raised_once_in_a_period() {
        let mut dog = Watchdog::new(PACE);
        let open = [OpenMessage { unread: false, unanswered: true, ..unseen("q") }];
        let again = WatchdogEffect::RaiseAgain { file: "q".into(), from: "orch".into() };
        assert_eq!(dog.look(at(9_999), &open, true), []);
        assert_eq!(dog.next_deadline(), Some(at(10_000)), "what was read wakes nobody");
        assert_eq!(dog.look(at(10_000), &open, true), std::slice::from_ref(&again));
        assert_eq!(dog.look(at(19_999), &open, true), []);
        assert_eq!(dog.look(at(20_000), &open, true), [again]);
        let answered = [OpenMessage { unread: false, unanswered: false, ..unseen("q") }];
        assert_eq!(dog.look(at(90_000), &answered, true), []);
    }
}

//! A conversation with an agent: it is open while its person speaks, and every process that looks closes it at the same instant.

use crate::plan::WakePolicy;
use brainstem_agents::ids::InteractiveSessionId;
use brainstem_base::Timestamp;

/// Why a conversation was closed; the marker in its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionClose {
    /// Nothing was said for the time that a session lasts.
    Expired,
    /// Its person closed it.
    ByPerson,
    /// The agent was destroyed or stopped.
    ByAgent,
}

/// A conversation.
///
/// When it closes follows from when something was last said in it, so every process and every restart closes it at the
/// same instant, whenever it looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InteractiveSession {
    id: InteractiveSessionId,
    last_said_at: Timestamp,
    closed: Option<(SessionClose, Timestamp)>,
}

/// Something was said in a conversation that is closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session {session} was closed at {at}: open another one")]
pub struct SessionFault {
    /// The session.
    pub session: InteractiveSessionId,
    /// When it closed.
    pub at: Timestamp,
}

impl InteractiveSession {
    /// Opens a conversation.
    pub fn open(id: InteractiveSessionId, now: Timestamp) -> Self {
        Self { id, last_said_at: now, closed: None }
    }

    /// Its id.
    pub fn id(&self) -> &InteractiveSessionId {
        &self.id
    }

    /// When it closes if nothing more is said; when it closed if it is closed.
    pub fn closes_at(&self, policy: &WakePolicy) -> Timestamp {
        let expiry = Timestamp::from_ms(self.last_said_at.ms() + policy.session_ttl_ms);
        self.closed.map_or(expiry, |(_, at)| at)
    }

    /// Why and when it closed, if it is closed at `now`. Until then the agent is in conversation, and from then on it is
    /// what its mode says.
    pub fn close(&self, now: Timestamp, policy: &WakePolicy) -> Option<(SessionClose, Timestamp)> {
        let at = self.closes_at(policy);
        self.closed.or_else(|| (at <= now).then_some((SessionClose::Expired, at)))
    }

    /// Something is said in it, by its person or by the agent.
    pub fn say(&mut self, now: Timestamp, policy: &WakePolicy) -> Result<(), SessionFault> {
        match self.close(now, policy) {
            Some((_, at)) => Err(SessionFault { session: self.id.clone(), at }),
            None => {
                self.last_said_at = self.last_said_at.max(now);
                Ok(())
            }
        }
    }

    /// Closes it. One that is closed keeps why and when.
    pub fn end(&mut self, now: Timestamp, why: SessionClose, policy: &WakePolicy) {
        self.closed = self.close(now, policy).or(Some((why, now)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: C-41, T-55, T-93, Z-29a
    fn a_session_closes_a_quarter_of_an_hour_after_the_last_word_whenever_one_looks() {
        let policy = WakePolicy::default();
        let at = |minutes: i64| Timestamp::from_ms(minutes * 60_000);
        let mut session = InteractiveSession::open(InteractiveSessionId::parse("s").expect("an id"), at(0));
        session.say(at(10), &policy).expect("it is open");
        assert_eq!(session.close(at(24), &policy), None);
        for look in [25, 26, 9_999] {
            assert_eq!(session.close(at(look), &policy), Some((SessionClose::Expired, at(25))));
        }
        let refused = session.say(at(25), &policy).expect_err("it is closed");
        assert_eq!(refused.at, at(25));
        session.end(at(30), SessionClose::ByPerson, &policy);
        assert_eq!(session.close(at(31), &policy), Some((SessionClose::Expired, at(25))));
    }

    #[test] // spec: C-41, T-93
    fn a_session_that_is_closed_has_one_marker() {
        let policy = WakePolicy::default();
        let at = Timestamp::from_ms;
        let mut session = InteractiveSession::open(InteractiveSessionId::parse("s").expect("an id"), at(0));
        session.end(at(5), SessionClose::ByPerson, &policy);
        session.end(at(6), SessionClose::ByAgent, &policy);
        assert_eq!(session.close(at(7), &policy), Some((SessionClose::ByPerson, at(5))));
        assert!(session.say(at(7), &policy).is_err());
    }
}

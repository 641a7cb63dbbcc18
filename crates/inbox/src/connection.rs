//! The handshake with outsiders, as states.
//!
//! An outsider is an account that no definition of the home names. Nothing that it says reaches the inbox before its
//! request was accepted; what it said before stays held.

use std::fmt;

/// The state of the connection between an agent and an outsider.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConnectionState {
    /// It never asked.
    #[default]
    Unknown,
    /// It asked, and waits for an answer.
    Requested,
    /// The agent accepted.
    Accepted,
    /// The agent denied. The outsider may ask again.
    Denied,
    /// The agent blocked the account: further requests are not shown.
    Blocked,
    /// One of the two closed the connection. The outsider may ask again.
    Closed,
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionStep {
    /// The outsider asks.
    Request,
    /// The agent accepts.
    Accept,
    /// The agent denies.
    Deny,
    /// The agent blocks the account.
    Block,
    /// One of the two closes the connection.
    Close,
}

/// A step that does not fit the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionFault {
    /// The state.
    pub state: ConnectionState,
    /// The step.
    pub step: ConnectionStep,
}

impl ConnectionState {
    /// The state after a step; refuses a step that does not fit.
    pub fn after(self, step: ConnectionStep) -> Result<Self, ConnectionFault> {
        use ConnectionState::{Accepted, Blocked, Closed, Denied, Requested, Unknown};
        use ConnectionStep::{Accept, Block, Close, Deny, Request};
        Ok(match (self, step) {
            // A blocked account stays blocked however often it asks, until the agent accepts it.
            (Blocked, Request | Block) => Blocked,
            (Accepted, Request | Accept) => Accepted,
            (Unknown | Requested | Denied | Closed, Request) => Requested,
            (Requested | Denied | Closed | Blocked, Accept) => Accepted,
            (Requested | Denied, Deny) => Denied,
            (Unknown | Requested | Accepted | Denied | Closed, Block) => Blocked,
            (Accepted | Closed, Close) => Closed,
            (Unknown, Accept | Deny | Close)
            | (Requested | Denied | Blocked, Close)
            | (Accepted | Closed | Blocked, Deny) => return Err(ConnectionFault { state: self, step }),
        })
    }
}

/// As the end of a sentence about the outsider.
impl fmt::Display for ConnectionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = match (self.state, self.step) {
            (ConnectionState::Unknown, _) => return f.write_str("has not asked for a connection"),
            (ConnectionState::Closed, ConnectionStep::Accept) => {
                return f.write_str("closed its connection, and has to ask again");
            }
            (_, ConnectionStep::Request) => "asked",
            (_, ConnectionStep::Accept) => "accepted",
            (_, ConnectionStep::Deny) => "denied",
            (_, ConnectionStep::Block) => "blocked",
            (_, ConnectionStep::Close) => "closed",
        };
        write!(f, "is {}, and cannot be {done}", self.state)
    }
}

impl std::error::Error for ConnectionFault {}

impl fmt::Display for ConnectionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "unknown",
            Self::Requested => "requested",
            Self::Accepted => "accepted",
            Self::Denied => "denied",
            Self::Blocked => "blocked",
            Self::Closed => "closed",
        })
    }
}

impl fmt::Display for ConnectionStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Request => "request",
            Self::Accept => "accept",
            Self::Deny => "deny",
            Self::Block => "block",
            Self::Close => "close",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ConnectionStep::{Accept, Block, Close, Deny, Request};
    use super::*;

    fn walk(steps: &[ConnectionStep]) -> Result<ConnectionState, ConnectionFault> {
        steps.iter().try_fold(ConnectionState::Unknown, |state, step| state.after(*step))
    }

    #[test] // spec: INB-6
    fn nothing_is_accepted_that_did_not_ask() {
        assert_eq!(walk(&[Request]), Ok(ConnectionState::Requested));
        assert_eq!(walk(&[Request, Accept]), Ok(ConnectionState::Accepted));
        assert_eq!(walk(&[Request, Deny, Request]), Ok(ConnectionState::Requested));
        assert_eq!(walk(&[Request, Accept, Close, Request, Accept]), Ok(ConnectionState::Accepted));
        assert_eq!(walk(&[Request, Block, Request, Request]), Ok(ConnectionState::Blocked));
        for refused in [[Accept].as_slice(), &[Deny], &[Close], &[Request, Close], &[Request, Accept, Deny]] {
            assert!(walk(refused).is_err(), "{refused:?}");
        }
    }
}

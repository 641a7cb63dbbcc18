//! Wakes without I/O: what changed, which agent waits for it, when it runs, and under which key.
//!
//! A change becomes a [batch](change::NotificationBatch) with a key that every device derives. The
//! [index](subscription::MatchIndex) finds the subscriptions that wait for its tokens, and a [timer](timer::TimerIntent) says
//! when it fires. Each of them is a [cause](run::WakeCause) with a run key. The key goes into the [lane](plan::AgentLane) of
//! its agent, which decides what runs together and what has to wait; the [planner](plan::WakePlanner) of a process says which
//! lane to look at next.
//!
//! This crate opens no file, reads no clock and draws nothing: what it says follows from its arguments.

pub mod limits;

pub mod token;

pub mod change;

pub mod subscription;

pub mod timer;

pub mod run;

pub mod plan;

//! Handing a task to another agent, and taking its report back.

pub(crate) mod audit;
pub(crate) mod debrief;
pub(crate) mod delegate;
pub(crate) mod error;

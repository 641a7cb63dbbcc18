//! A run: the key it is known by on every device, the order of its steps, and the conversation it may be a turn of.

mod cause;
mod session;
mod worker;

pub use cause::{Ineligible, RequestId, TurnId, WakeCause};
pub use session::{InteractiveSession, SessionClose, SessionFault};
pub use worker::{RunEnd, RunMachine, WorkerAnswer, WorkerStep};

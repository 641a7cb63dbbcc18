//! Which run comes next, and when.
//!
//! An [`AgentLane`] is everything that is stored about the wakes of one agent. Its functions decide, and the store calls
//! them under the lock of the queue: so several processes never decide differently. A [`WakePlanner`] is what one process
//! keeps in memory: it says when which lane is worth a look, and never more than that.

mod lane;
mod lane_run;
mod planner;
mod policy;
mod queued;
mod switches;

pub use lane::{
    AgentLane, ClaimRefusal, ClaimedJob, EnqueueRefusal, Enqueued, HolderId, LaneView, RunningJob,
};
pub use lane_run::Fenced;
pub use planner::{PlannerEffect, PlannerEvent, WakePlanner};
pub use policy::WakePolicy;
pub use queued::{NewWake, QueuedWake, RunRow, WakeReady};
pub use switches::{KillScope, KillSwitches};

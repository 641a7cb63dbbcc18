//! The progress of long work: the reports of its steps, and the question whether to go on.

use brainstem_base::{Fault, codes};

/// A watcher of long work. Each door has its own: a line on a terminal, notices to a client of MCP.
pub trait Progress: Send + Sync {
    /// So many steps are done, of so many.
    fn done(&self, done: usize, total: usize);

    /// Why the rest should not be done, if it should not.
    fn stop(&self) -> Option<Stop> {
        None
    }
}

/// Why work that was begun is not gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The caller no longer waits for the answer.
    Gone,
    /// The call had its time.
    TimeUp,
}

/// The steps of one call's work, as the door that runs it sees them.
#[derive(Clone, Copy)]
pub struct Steps<'a>(Option<&'a dyn Progress>);

impl<'a> Steps<'a> {
    /// Returns the steps that this watcher sees; `None` means that there is no watcher.
    pub fn seen_by(watcher: Option<&'a dyn Progress>) -> Self {
        Self(watcher)
    }

    /// Reports that so many steps are done, of so many.
    pub fn report(&self, done: usize, total: usize) {
        if let Some(watcher) = self.0 {
            watcher.done(done, total);
        }
    }

    /// Whether to go on: the caller waits, and the call has time left.
    pub fn goes_on(&self) -> bool {
        self.stop().is_none()
    }

    /// Why to stop, if the work should.
    pub fn stop(&self) -> Option<Stop> {
        self.0.and_then(Progress::stop)
    }

    /// Returns the refusal of work that stopped after `done` of `total` steps. A repeat of the call goes on from
    /// there.
    pub fn stopped(&self, done: usize, total: usize) -> Fault {
        let far = format!("{done} of {total} are done and stay done");
        let fix = "repeat the call, and it goes on where it ended";
        match self.stop() {
            Some(Stop::TimeUp) => Fault::new(codes::DAEMON_TIME_UP, format!("the call had its time: {far}"))
                .fix(fix)
                .rule("IF-14"),
            Some(Stop::Gone) | None => {
                Fault::new(codes::INPUT_CANCELLED, format!("the call was taken back: {far}"))
                    .fix(fix)
                    .rule("IF-7")
            }
        }
    }
}

//! The order in which a worker does a run, as a machine: it says the next step, the worker does it and says what came of it.
//!
//! The order is C-05's. From [`WorkerStep::MarkStarted`] on, every path leads to a [`WorkerStep::Mark`]: whatever fails,
//! the run ends in the log.

use brainstem_agents::RunKey;
use brainstem_agents::vocabulary::{AgentLifecycle, WakeRunStatus};
use brainstem_base::Timestamp;

/// What the worker does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerStep {
    /// Read the log's row of the run.
    ReadLog(RunKey),
    /// Take the agent's lease.
    Lock,
    /// Write that the run is started.
    MarkStarted(RunKey),
    /// Load the agent and its state, and look whether what woke it still holds.
    Load,
    /// Put together what the agent needs to know.
    Assemble,
    /// Do the work.
    Work,
    /// Append the messages of the run, and compact the log if it is due.
    Append,
    /// Save the state that follows from them.
    Save,
    /// Write how the run ended, for every member of its job, and give the lease back.
    Mark(RunEnd),
    /// Say that the agent's state has changed.
    Notify,
    /// Nothing: the run is over.
    Done,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerAnswer {
    /// It is done.
    Ok,
    /// What the log has for the run.
    Logged(Option<WakeRunStatus>),
    /// Another worker has the agent.
    LockTaken,
    /// The agent as it is.
    Loaded {
        /// Where it is in its life.
        lifecycle: AgentLifecycle,
        /// Until when it sleeps; `None` if it does not.
        sleeps_until: Option<Timestamp>,
        /// Whether what woke it still holds: the message is still unread, the task still open.
        condition_holds: bool,
    },
    /// It failed.
    Failed {
        /// The code of the error.
        code: String,
        /// Whether another attempt may succeed.
        is_retryable: bool,
    },
    /// A switch or a person stopped the run, or its lease is another's.
    Stopped {
        /// What stopped it.
        by: String,
    },
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// It did its work.
    Completed,
    /// The agent sleeps until then.
    SkippedSleeping {
        /// The end of the sleep.
        until: Timestamp,
    },
    /// The agent is gone.
    SkippedDestroyed,
    /// It failed.
    Failed {
        /// The code of the error.
        code: String,
        /// Whether it is tried again, if attempts are left.
        is_retryable: bool,
    },
    /// It was stopped, or what woke it does not hold any more.
    Canceled {
        /// What ended it.
        by: String,
    },
}

impl RunEnd {
    /// What ended a run because nothing was left to do.
    pub const CONDITION_GONE: &str = "condition_gone";
    /// What ended a run whose agent a person has paused.
    pub const AGENT_PAUSED: &str = "agent_paused";
}

/// One run of one worker.
#[derive(Clone, Debug)]
pub struct RunMachine {
    run: RunKey,
    at: RunStage,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RunStage {
    Log,
    Lock,
    Start,
    Load,
    Assemble,
    Work,
    Append,
    Save,
    Mark(RunEnd),
    Notify,
    Done,
}

impl RunMachine {
    /// A run that has not begun.
    pub fn new(run: RunKey) -> Self {
        Self { run, at: RunStage::Log }
    }

    /// The next step.
    pub fn step(&self) -> WorkerStep {
        match &self.at {
            RunStage::Log => WorkerStep::ReadLog(self.run),
            RunStage::Lock => WorkerStep::Lock,
            RunStage::Start => WorkerStep::MarkStarted(self.run),
            RunStage::Load => WorkerStep::Load,
            RunStage::Assemble => WorkerStep::Assemble,
            RunStage::Work => WorkerStep::Work,
            RunStage::Append => WorkerStep::Append,
            RunStage::Save => WorkerStep::Save,
            RunStage::Mark(end) => WorkerStep::Mark(end.clone()),
            RunStage::Notify => WorkerStep::Notify,
            RunStage::Done => WorkerStep::Done,
        }
    }

    /// Takes what came of the step. `now` is when.
    pub fn answer(&mut self, now: Timestamp, answer: WorkerAnswer) {
        self.at = match (&self.at, answer) {
            (RunStage::Done, _) => RunStage::Done,
            (RunStage::Log, WorkerAnswer::Logged(status)) => match status {
                Some(status) if status.is_terminal() => RunStage::Done,
                Some(_) | None => RunStage::Lock,
            },
            // Nothing has been written, so the wake stays where it is in the queue.
            (
                RunStage::Log | RunStage::Lock,
                WorkerAnswer::Failed { .. } | WorkerAnswer::Stopped { .. } | WorkerAnswer::LockTaken,
            ) => RunStage::Done,
            (RunStage::Load, WorkerAnswer::Loaded { lifecycle, sleeps_until, condition_holds }) => {
                after_load(now, lifecycle, sleeps_until, condition_holds)
            }
            // The end could not be written, or was refused because the lease is another's. The lease runs out, and then its
            // next holder ends the run.
            (
                RunStage::Mark(_),
                WorkerAnswer::Failed { .. } | WorkerAnswer::Stopped { .. } | WorkerAnswer::LockTaken,
            ) => RunStage::Done,
            (RunStage::Mark(RunEnd::Completed), _) => RunStage::Notify,
            (RunStage::Mark(_) | RunStage::Notify, _) => RunStage::Done,
            (_, WorkerAnswer::Failed { code, is_retryable }) => {
                RunStage::Mark(RunEnd::Failed { code, is_retryable })
            }
            (_, WorkerAnswer::Stopped { by }) => RunStage::Mark(RunEnd::Canceled { by }),
            (RunStage::Lock, WorkerAnswer::Ok) => RunStage::Start,
            (RunStage::Start, WorkerAnswer::Ok) => RunStage::Load,
            (RunStage::Assemble, WorkerAnswer::Ok) => RunStage::Work,
            (RunStage::Work, WorkerAnswer::Ok) => RunStage::Append,
            (RunStage::Append, WorkerAnswer::Ok) => RunStage::Save,
            (RunStage::Save, WorkerAnswer::Ok) => RunStage::Mark(RunEnd::Completed),
            // An answer to another step than the one that was asked for.
            (RunStage::Log | RunStage::Lock, _) => RunStage::Done,
            (_, answer) => {
                let code = format!("worker answered {answer:?} out of turn");
                RunStage::Mark(RunEnd::Failed { code, is_retryable: true })
            }
        };
    }
}

fn after_load(
    now: Timestamp,
    lifecycle: AgentLifecycle,
    sleeps_until: Option<Timestamp>,
    condition_holds: bool,
) -> RunStage {
    match lifecycle {
        AgentLifecycle::Destroyed => RunStage::Mark(RunEnd::SkippedDestroyed),
        AgentLifecycle::Created | AgentLifecycle::Dormant => {
            RunStage::Mark(RunEnd::Canceled { by: RunEnd::AGENT_PAUSED.to_owned() })
        }
        AgentLifecycle::Active => match sleeps_until.filter(|until| *until > now) {
            Some(until) => RunStage::Mark(RunEnd::SkippedSleeping { until }),
            None if condition_holds => RunStage::Assemble,
            None => RunStage::Mark(RunEnd::Canceled { by: RunEnd::CONDITION_GONE.to_owned() }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_agents::HashInput;
    use proptest::prelude::*;

    const NOW: Timestamp = Timestamp::MIN;

    fn run() -> RunKey {
        HashInput::new("test.1").digest().into()
    }

    fn loaded(lifecycle: AgentLifecycle) -> WorkerAnswer {
        WorkerAnswer::Loaded { lifecycle, sleeps_until: None, condition_holds: true }
    }

    fn failed(is_retryable: bool) -> WorkerAnswer {
        WorkerAnswer::Failed { code: "runner.failed".into(), is_retryable }
    }

    /// The steps of a run whose worker answers `Ok`, except to the steps that `answers` names.
    fn steps(answers: impl Fn(&WorkerStep) -> Option<WorkerAnswer>) -> Vec<WorkerStep> {
        let mut machine = RunMachine::new(run());
        let mut steps = vec![machine.step()];
        while machine.step() != WorkerStep::Done {
            let usual = match machine.step() {
                WorkerStep::ReadLog(_) => WorkerAnswer::Logged(None),
                WorkerStep::Load => loaded(AgentLifecycle::Active),
                _ => WorkerAnswer::Ok,
            };
            machine.answer(NOW, answers(&machine.step()).unwrap_or(usual));
            steps.push(machine.step());
        }
        steps
    }

    #[test] // spec: C-05
    fn a_run_goes_through_its_steps_in_order() {
        let expected = [
            WorkerStep::ReadLog(run()),
            WorkerStep::Lock,
            WorkerStep::MarkStarted(run()),
            WorkerStep::Load,
            WorkerStep::Assemble,
            WorkerStep::Work,
            WorkerStep::Append,
            WorkerStep::Save,
            WorkerStep::Mark(RunEnd::Completed),
            WorkerStep::Notify,
            WorkerStep::Done,
        ];
        assert_eq!(steps(|_| None), expected);
    }

    #[test] // spec: C-04, C-05, C-07, T-48
    fn a_run_that_has_ended_is_not_run_again_and_any_other_is() {
        for status in WakeRunStatus::ALL {
            let taken = steps(|step| {
                matches!(step, WorkerStep::ReadLog(_)).then_some(WorkerAnswer::Logged(Some(*status)))
            });
            assert_eq!(taken.contains(&WorkerStep::Work), !status.is_terminal(), "{status}");
        }
    }

    #[test] // spec: C-05, C-07, Z-6
    fn an_agent_that_is_gone_sleeps_or_has_nothing_to_do_is_not_run() {
        let end = |answer: WorkerAnswer| {
            let taken = steps(|step| (*step == WorkerStep::Load).then(|| answer.clone()));
            assert!(!taken.contains(&WorkerStep::Work));
            taken[taken.len() - 2].clone()
        };
        let asleep = Timestamp::from_ms(5);
        let sleeping = |sleeps_until| WorkerAnswer::Loaded {
            lifecycle: AgentLifecycle::Active,
            sleeps_until,
            condition_holds: false,
        };
        let canceled = |by: &str| WorkerStep::Mark(RunEnd::Canceled { by: by.to_owned() });
        assert_eq!(end(loaded(AgentLifecycle::Destroyed)), WorkerStep::Mark(RunEnd::SkippedDestroyed));
        assert_eq!(end(loaded(AgentLifecycle::Dormant)), canceled("agent_paused"));
        assert_eq!(end(sleeping(Some(asleep))), WorkerStep::Mark(RunEnd::SkippedSleeping { until: asleep }));
        assert_eq!(end(sleeping(Some(NOW))), canceled("condition_gone"));
        assert_eq!(end(sleeping(None)), canceled("condition_gone"));
    }

    #[test] // spec: C-05, C-06
    fn whatever_step_fails_a_run_that_was_started_is_marked() {
        let started = [
            WorkerStep::MarkStarted(run()),
            WorkerStep::Load,
            WorkerStep::Assemble,
            WorkerStep::Work,
            WorkerStep::Append,
            WorkerStep::Save,
        ];
        for failing in started {
            for is_retryable in [true, false] {
                let taken = steps(|step| (*step == failing).then(|| failed(is_retryable)));
                let end = RunEnd::Failed { code: "runner.failed".into(), is_retryable };
                assert_eq!(taken[taken.len() - 2], WorkerStep::Mark(end), "{failing:?}");
            }
            let stopped = WorkerAnswer::Stopped { by: "switch".into() };
            let taken = steps(|step| (*step == failing).then(|| stopped.clone()));
            assert_eq!(taken[taken.len() - 2], WorkerStep::Mark(RunEnd::Canceled { by: "switch".into() }));
        }
        let refused = steps(|step| (*step == WorkerStep::Lock).then_some(WorkerAnswer::LockTaken));
        assert_eq!(refused, [WorkerStep::ReadLog(run()), WorkerStep::Lock, WorkerStep::Done]);
    }

    proptest! {
        #[test] // spec: C-06
        fn no_answers_keep_a_started_run_from_its_mark(answers in prop::collection::vec(any_answer(), 1..40)) {
            let mut machine = RunMachine::new(run());
            let (mut is_started, mut marks) = (false, 0);
            for answer in answers {
                is_started |= matches!(machine.step(), WorkerStep::MarkStarted(_));
                marks += usize::from(matches!(machine.step(), WorkerStep::Mark(_)));
                machine.answer(NOW, answer);
            }
            prop_assert!(marks <= 1);
            prop_assert!(machine.step() != WorkerStep::Done || marks == usize::from(is_started));
        }
    }

    fn any_answer() -> impl Strategy<Value = WorkerAnswer> {
        prop_oneof![
            4 => Just(WorkerAnswer::Ok),
            1 => Just(WorkerAnswer::Logged(None)),
            1 => Just(WorkerAnswer::LockTaken),
            1 => Just(loaded(AgentLifecycle::Active)),
            1 => Just(failed(true)),
            1 => Just(WorkerAnswer::Stopped { by: "switch".into() }),
        ]
    }
}

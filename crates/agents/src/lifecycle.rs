//! What may become of an agent, and what its end takes with it.

use crate::ids::{InteractiveSessionId, RunKey, SubscriptionId, TimerId};
use crate::vocabulary::AgentLifecycle;

/// What a person does to an agent as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecycleAct {
    /// Lets it begin.
    Activate,
    /// Keeps it from waking.
    Pause,
    /// Lets it wake again.
    Resume,
    /// Ends it for good.
    Destroy,
}

/// Why an act is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LifecycleFault {
    /// The agent was destroyed.
    #[error("the agent was destroyed, and nothing brings it back")]
    Destroyed,
    /// The agent has not begun.
    #[error("the agent has not begun yet, so it cannot be paused or resumed")]
    NotBegun,
}

impl AgentLifecycle {
    /// Where the agent is after an act. An act that changes nothing may be repeated.
    pub fn after(self, act: LifecycleAct) -> Result<Self, LifecycleFault> {
        match (self, act) {
            (_, LifecycleAct::Destroy) => Ok(Self::Destroyed),
            (Self::Destroyed, _) => Err(LifecycleFault::Destroyed),
            (Self::Created, LifecycleAct::Activate) => Ok(Self::Active),
            (Self::Created, LifecycleAct::Pause | LifecycleAct::Resume) => Err(LifecycleFault::NotBegun),
            (Self::Active | Self::Dormant, LifecycleAct::Pause) => Ok(Self::Dormant),
            (Self::Active | Self::Dormant, LifecycleAct::Resume) => Ok(Self::Active),
            // Activating is the first step alone; it ends no pause.
            (now @ (Self::Active | Self::Dormant), LifecycleAct::Activate) => Ok(now),
        }
    }

    /// Whether a wake may be queued and run.
    pub fn may_wake(self) -> bool {
        match self {
            Self::Active => true,
            Self::Created | Self::Dormant | Self::Destroyed => false,
        }
    }
}

/// What an agent has at the moment in which it is destroyed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentHoldings {
    /// Its subscriptions that were not taken back.
    pub subscriptions: Vec<SubscriptionId>,
    /// Its timers that were not taken back.
    pub timers: Vec<TimerId>,
    /// Its wakes that wait.
    pub queued: Vec<RunKey>,
    /// Its run that is under way.
    pub running: Option<RunKey>,
    /// Its conversations that are open.
    pub sessions: Vec<InteractiveSessionId>,
}

/// One step of the end of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DestroyStep {
    /// Mark the agent as destroyed, from which moment on no wake is queued.
    MarkDestroyed,
    /// Raise the generation of the agent's lease, from which moment on a run that is under way can write nothing.
    RaiseGeneration,
    /// Take a subscription back; its row stays as a tombstone.
    TombstoneSubscription(SubscriptionId),
    /// Take a timer back; its row stays as a tombstone.
    TombstoneTimer(TimerId),
    /// End a wake that waits as `skipped_destroyed`.
    SkipWake(RunKey),
    /// End the run that is under way as `canceled`.
    CancelRun(RunKey),
    /// Close a conversation.
    CloseSession(InteractiveSessionId),
}

/// What the end of an agent does, in its order: first nothing new can begin and nothing old can write, then the rest is
/// cleared. Messages and reports are in no step: they stay as they are. All of it is one transaction of the store; of an agent
/// that was destroyed before, the rest that is still there is cleared.
pub fn plan_destroy(holdings: AgentHoldings) -> Vec<DestroyStep> {
    let AgentHoldings { subscriptions, timers, queued, running, sessions } = holdings;
    let mut steps = vec![DestroyStep::MarkDestroyed, DestroyStep::RaiseGeneration];
    steps.extend(subscriptions.into_iter().map(DestroyStep::TombstoneSubscription));
    steps.extend(timers.into_iter().map(DestroyStep::TombstoneTimer));
    steps.extend(queued.into_iter().map(DestroyStep::SkipWake));
    steps.extend(running.map(DestroyStep::CancelRun));
    steps.extend(sessions.into_iter().map(DestroyStep::CloseSession));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::HashInput;
    use AgentLifecycle::{Active, Created, Destroyed, Dormant};
    use LifecycleAct::{Activate, Destroy, Pause, Resume};

    #[test] // spec: A-90
    fn an_agent_begins_rests_and_ends() {
        let gone = Err(LifecycleFault::Destroyed);
        let not_begun = Err(LifecycleFault::NotBegun);
        let acts = [Activate, Pause, Resume, Destroy];
        for (from, expected) in [
            (Created, [Ok(Active), not_begun, not_begun, Ok(Destroyed)]),
            (Active, [Ok(Active), Ok(Dormant), Ok(Active), Ok(Destroyed)]),
            (Dormant, [Ok(Dormant), Ok(Dormant), Ok(Active), Ok(Destroyed)]),
            (Destroyed, [gone, gone, gone, Ok(Destroyed)]),
        ] {
            assert_eq!(acts.map(|act| from.after(act)), expected, "{from}");
        }
        let waking: Vec<_> = AgentLifecycle::ALL.iter().filter(|now| now.may_wake()).collect();
        assert_eq!(waking, [&Active]);
    }

    #[test]
    fn an_end_stops_first_and_clears_then_and_can_be_repeated() {
        let run = |n| RunKey::from(HashInput::new("test.1").number(n).digest());
        let session = InteractiveSessionId::parse("s").unwrap();
        let (subscription, timer) = (SubscriptionId::parse("s1").unwrap(), TimerId::parse("t1").unwrap());
        let holdings = AgentHoldings {
            subscriptions: vec![subscription.clone()],
            timers: vec![timer.clone()],
            queued: vec![run(1), run(2)],
            running: Some(run(3)),
            sessions: vec![session.clone()],
        };
        assert_eq!(
            plan_destroy(holdings),
            [
                DestroyStep::MarkDestroyed,
                DestroyStep::RaiseGeneration,
                DestroyStep::TombstoneSubscription(subscription),
                DestroyStep::TombstoneTimer(timer),
                DestroyStep::SkipWake(run(1)),
                DestroyStep::SkipWake(run(2)),
                DestroyStep::CancelRun(run(3)),
                DestroyStep::CloseSession(session),
            ]
        );
        let again = plan_destroy(AgentHoldings::default());
        assert_eq!(again, [DestroyStep::MarkDestroyed, DestroyStep::RaiseGeneration]);
    }
}

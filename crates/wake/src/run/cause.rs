//! Why an agent wakes, and the run key that follows from it on every device.

use crate::change::LogicalChangeKey;
use brainstem_agents::ids::{InteractiveSessionId, SubscriptionId, TimerId};
use brainstem_agents::vocabulary::{AgentInteractionMode, AgentLifecycle, AgentWakeReason};
use brainstem_agents::{HashInput, RunKey, ThreadId};
use brainstem_base::{AgentId, Timestamp};

/// The id of what a person said in a session: the id of the input, drawn once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(pub String);

/// The id of a person's request for a run, drawn once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub String);

/// Why an agent wakes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WakeCause {
    /// Something changed that a subscription waits for.
    Subscription {
        /// The subscription.
        subscription: SubscriptionId,
        /// The change.
        change: LogicalChangeKey,
    },
    /// A timer fired.
    Timer {
        /// The timer.
        timer: TimerId,
        /// The occurrence: the one that was due, or the latest that was missed.
        scheduled_at: Timestamp,
        /// Whether it is late, or for several occurrences. The key is the same either way.
        is_catch_up: bool,
    },
    /// A person said something in a session.
    UserTurn {
        /// The session.
        session: InteractiveSessionId,
        /// What was said.
        turn: TurnId,
    },
    /// A person asked for a run.
    Manual {
        /// The request.
        request: RequestId,
    },
    /// The agent slept when another wake came, and its sleep is over.
    AfterSleep {
        /// The wake that was skipped.
        skipped: RunKey,
        /// The end of the sleep.
        slept_until: Timestamp,
        /// The change that was skipped, if it was one.
        change: Option<LogicalChangeKey>,
    },
}

/// Why a cause does not wake an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ineligible {
    /// It is not active.
    #[error("the agent is {0}, and only an active one is woken")]
    Lifecycle(AgentLifecycle),
    /// Its mode is for other causes.
    #[error("the agent is {mode}: {}", mode_fix(*mode))]
    Mode {
        /// The mode.
        mode: AgentInteractionMode,
    },
}

fn mode_fix(mode: AgentInteractionMode) -> &'static str {
    match mode {
        AgentInteractionMode::Autonomous => "it holds no conversation; make it hybrid or interactive",
        AgentInteractionMode::Interactive | AgentInteractionMode::Hybrid => {
            "changes and timers do not wake it; make it hybrid or autonomous"
        }
    }
}

impl WakeCause {
    /// Whether it wakes an agent of this lifecycle and mode. A person's request for a run starts every active agent.
    pub fn check(&self, lifecycle: AgentLifecycle, mode: AgentInteractionMode) -> Result<(), Ineligible> {
        match lifecycle {
            AgentLifecycle::Active => {}
            AgentLifecycle::Created | AgentLifecycle::Dormant | AgentLifecycle::Destroyed => {
                return Err(Ineligible::Lifecycle(lifecycle));
            }
        }
        match (self, mode) {
            (Self::Manual { .. }, _) | (_, AgentInteractionMode::Hybrid) => Ok(()),
            (Self::UserTurn { .. }, AgentInteractionMode::Interactive) => Ok(()),
            (
                Self::Subscription { .. } | Self::Timer { .. } | Self::AfterSleep { .. },
                AgentInteractionMode::Autonomous,
            ) => Ok(()),
            (
                Self::UserTurn { .. }
                | Self::Subscription { .. }
                | Self::Timer { .. }
                | Self::AfterSleep { .. },
                AgentInteractionMode::Autonomous | AgentInteractionMode::Interactive,
            ) => Err(Ineligible::Mode { mode }),
        }
    }

    /// The reason, as rows and traces name it.
    pub fn reason(&self) -> AgentWakeReason {
        match self {
            Self::Subscription { .. } => AgentWakeReason::Subscription,
            Self::Timer { is_catch_up: false, .. } => AgentWakeReason::Timer,
            Self::Timer { is_catch_up: true, .. } | Self::AfterSleep { .. } => {
                AgentWakeReason::RecoveryCatchup
            }
            Self::UserTurn { .. } => AgentWakeReason::UserInitiated,
            Self::Manual { .. } => AgentWakeReason::Manual,
        }
    }

    /// The key of the run for this agent: the same on every device, and after every restart.
    pub fn run_key(&self, agent: &AgentId) -> RunKey {
        let input = |domain| HashInput::new(domain).text(agent.as_str());
        let at = |time: Timestamp| u64::try_from(time.ms()).unwrap_or(0);
        let input = match self {
            Self::Subscription { subscription, change } => {
                input("runKey.subscription.1").text(subscription.as_str()).text(&change.to_string())
            }
            Self::Timer { timer, scheduled_at, is_catch_up: _ } => {
                input("runKey.timer.1").text(timer.as_str()).number(at(*scheduled_at))
            }
            Self::UserTurn { session, turn } => {
                input("runKey.userInitiated.1").text(session.as_str()).text(&turn.0)
            }
            Self::Manual { request } => input("runKey.manual.1").text(&request.0),
            Self::AfterSleep { skipped, slept_until, change: _ } => {
                input("runKey.afterSleep.1").text(&skipped.to_string()).number(at(*slept_until))
            }
        };
        input.digest().into()
    }

    /// The thread that the run's messages go to.
    pub fn thread(&self, agent: &AgentId) -> ThreadId {
        match self {
            Self::UserTurn { session, .. } => ThreadId::of_session(agent.clone(), session.clone()),
            Self::Subscription { .. }
            | Self::Timer { .. }
            | Self::Manual { .. }
            | Self::AfterSleep { .. } => ThreadId::of_run(agent.clone(), self.run_key(agent)),
        }
    }

    /// The change behind it, if it is one.
    pub fn change(&self) -> Option<LogicalChangeKey> {
        match self {
            Self::Subscription { change, .. } => Some(*change),
            Self::AfterSleep { change, .. } => *change,
            Self::Timer { .. } | Self::UserTurn { .. } | Self::Manual { .. } => None,
        }
    }

    /// Whether a person waits for it: throttles do not hold it back.
    pub fn is_prompted(&self) -> bool {
        match self {
            Self::UserTurn { .. } | Self::Manual { .. } => true,
            Self::Subscription { .. } | Self::Timer { .. } | Self::AfterSleep { .. } => false,
        }
    }

    /// What comes back when the agent's sleep is over, for a wake that was skipped because of it.
    pub fn after_sleep(&self, agent: &AgentId, slept_until: Timestamp) -> Self {
        Self::AfterSleep { skipped: self.run_key(agent), slept_until, change: self.change() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timer::{CatchUp, Schedule, TimerIntent, Zone};
    use std::collections::BTreeSet;

    fn agent(name: &str) -> AgentId {
        AgentId::parse(name).expect("an agent")
    }

    fn timer(scheduled_at: Timestamp, is_catch_up: bool) -> WakeCause {
        WakeCause::Timer { timer: TimerId::parse("morning").expect("an id"), scheduled_at, is_catch_up }
    }

    fn subscription(name: &str, digit: &str) -> WakeCause {
        let change = digit.repeat(64).parse().expect("a key");
        WakeCause::Subscription { subscription: SubscriptionId::parse(name).expect("an id"), change }
    }

    fn turn(session: &str, turn: &str) -> WakeCause {
        let session = InteractiveSessionId::parse(session).expect("an id");
        WakeCause::UserTurn { session, turn: TurnId(turn.to_owned()) }
    }

    fn manual(request: &str) -> WakeCause {
        WakeCause::Manual { request: RequestId(request.to_owned()) }
    }

    #[test] // spec: C-02, C-11, Z-4, Z-6a, Z-20
    fn every_cause_has_a_key_of_its_own() {
        let first = Timestamp::from_ms(1_000);
        let causes = [
            subscription("s", "a"),
            subscription("s", "b"),
            subscription("t", "a"),
            timer(first, false),
            timer(first.next(), false),
            turn("s", "1"),
            turn("s1", ""),
            manual("s1"),
            manual("s"),
            subscription("s", "a").after_sleep(&agent("coach"), first),
            subscription("s", "a").after_sleep(&agent("coach"), first.next()),
            subscription("s", "b").after_sleep(&agent("coach"), first),
        ];
        let agents = [agent("coach"), agent("coachs")];
        let keys: BTreeSet<RunKey> =
            causes.iter().flat_map(|cause| agents.iter().map(|agent| cause.run_key(agent))).collect();
        assert_eq!(keys.len(), causes.len() * agents.len());
    }

    #[test] // spec: Z-4, C-32, C-35
    fn a_catch_up_has_the_key_of_the_device_that_fired_on_time() {
        let at = Timestamp::from_ms(5_000);
        assert_eq!(timer(at, true).run_key(&agent("coach")), timer(at, false).run_key(&agent("coach")));
        assert_eq!(timer(at, true).reason(), AgentWakeReason::RecoveryCatchup);
        assert_eq!(timer(at, false).reason(), AgentWakeReason::Timer);

        // Two devices, one of which was off.
        let schedule = Schedule::parse("daily 07:00").expect("a schedule");
        let made_at = Timestamp::from_ms(0);
        let intent = TimerIntent { schedule, zone: Zone::utc(), catch_up: CatchUp::One, made_at };
        let key = |now_ms| {
            let (firing, _) = intent.fire(intent.armed(made_at), Timestamp::from_ms(now_ms));
            let firing = firing.expect("it fires");
            timer(firing.scheduled_at, firing.is_catch_up).run_key(&agent("coach"))
        };
        let seven = 7 * 3_600_000;
        assert_eq!(key(seven), key(seven + 10 * 3_600_000));
    }

    #[test] // spec: C-03, C-40
    fn a_turn_goes_to_the_thread_of_its_session_and_all_else_to_one_of_its_own() {
        let coach = agent("codex:coach");
        assert_eq!(turn("s-1", "1").thread(&coach).to_string(), "codex:coach:session:s-1");
        let cause = manual("r-1");
        let expected = format!("codex:coach:run:{}", cause.run_key(&coach));
        assert_eq!(cause.thread(&coach).to_string(), expected);
    }

    #[test] // spec: C-40, B-42, A-90
    fn an_active_agent_is_woken_by_what_its_mode_is_for() {
        use AgentInteractionMode::{Autonomous, Hybrid, Interactive};
        let woken_in = |cause: &WakeCause| {
            let modes = [Autonomous, Interactive, Hybrid];
            modes.map(|mode| cause.check(AgentLifecycle::Active, mode).is_ok())
        };
        let at = Timestamp::from_ms(1);
        let trigger = subscription("s", "a");
        for cause in [trigger.clone(), timer(at, false), trigger.after_sleep(&agent("coach"), at)] {
            assert_eq!(woken_in(&cause), [true, false, true]);
        }
        assert_eq!(woken_in(&turn("s", "1")), [false, true, true]);
        assert_eq!(woken_in(&manual("r")), [true, true, true]);
        for lifecycle in [AgentLifecycle::Created, AgentLifecycle::Dormant, AgentLifecycle::Destroyed] {
            assert_eq!(manual("r").check(lifecycle, Hybrid), Err(Ineligible::Lifecycle(lifecycle)));
        }
    }

    #[test] // spec: C-02, C-11, Z-1, B-29, T-47
    fn a_change_has_one_run_key_at_its_author_and_at_every_receiver() {
        use crate::change::{ChangeUnit, CommittedChange, LocalBatchId, NotificationBatch, UnitOrigin};
        use crate::change::{PayloadId, PayloadType};
        let key_at = |origin, local_id| {
            let unit = ChangeUnit {
                origin,
                host: brainstem_agents::HostId::parse("laptop").expect("a host"),
                counter: 7,
                payload_type: PayloadType::parse("claim").expect("a type"),
                payload_id: PayloadId::parse("x").expect("an id"),
            };
            let change = CommittedChange { units: vec![unit], ..CommittedChange::default() };
            let batch = NotificationBatch::new(LocalBatchId(local_id), change).expect("provenance");
            let subscription = SubscriptionId::parse("s").expect("an id");
            WakeCause::Subscription { subscription, change: batch.key() }.run_key(&agent("coach"))
        };
        assert_eq!(key_at(UnitOrigin::Local, 1), key_at(UnitOrigin::Sync, 99));
    }

    #[test] // spec: Z-6
    fn what_was_skipped_for_sleep_keeps_its_change() {
        let coach = agent("coach");
        let until = Timestamp::from_ms(9_000);
        let cause = subscription("s", "a");
        let once = cause.after_sleep(&coach, until);
        let again = once.after_sleep(&coach, until.next());
        assert_eq!((once.change(), again.change()), (cause.change(), cause.change()));
        assert_ne!(once.run_key(&coach), again.run_key(&coach));
        assert_eq!(once.reason(), AgentWakeReason::RecoveryCatchup);
    }
}

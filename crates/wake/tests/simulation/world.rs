//! The world around the processes: time and the clock, what people and files do, and what is held to be true at the end.

use super::runtime::{Claimed, Clocks, Conduct, KillPoint, Killed, POLL_MS, Process};
use super::store::Store;
use brainstem_agents::ids::{InteractiveSessionId, SubscriptionId, TimerId};
use brainstem_agents::vocabulary::{AgentLifecycle, WakeRunStatus};
use brainstem_agents::{HostId, RunKey};
use brainstem_base::{AgentId, Timestamp};
use brainstem_testkit::Chance;
use brainstem_wake::change::{
    Causation, ChangeUnit, CommittedChange, LocalBatchId, NotificationBatch, PayloadId, PayloadType,
    UnitOrigin,
};
use brainstem_wake::plan::{ClaimedJob, NewWake, WakePolicy, WakeReady};
use brainstem_wake::run::{RequestId, TurnId, WakeCause};
use brainstem_wake::subscription::{
    HomeHosts, MatchIndex, MatchMode, OriginSet, SubscriptionRule, WakePlace,
};
use brainstem_wake::timer::{CatchUp, Schedule, TimerIntent, TimerState, Zone};
use brainstem_wake::token::Token;
use std::collections::BTreeSet;

pub(crate) const MINUTE_MS: i64 = 60_000;
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;
/// When time begins.
const EPOCH_MS: i64 = 1_790_000_000_000;
/// How long everything that was begun may take to end.
const SETTLING_MS: i64 = 72 * HOUR_MS;

/// Something that happens to the world.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// A person changes something that the agents of a topic wait for.
    Change { topic: u64 },
    /// A person says something to an agent.
    Turn { agent: usize, turn: u64 },
    /// A person asks for a run.
    Manual { agent: usize, request: u64 },
    /// An agent is put to sleep.
    Sleep { agent: usize, for_ms: i64 },
    /// An agent is destroyed.
    Destroy { agent: usize },
    /// Everything is stopped.
    StopAll,
    /// The stop is released.
    Release,
    /// The clock is set.
    ClockJump { by_ms: i64 },
}

/// What a world is made of.
#[derive(Clone, Debug)]
pub(crate) struct Scenario {
    pub(crate) seed: u64,
    pub(crate) process_count: usize,
    pub(crate) agent_count: usize,
    pub(crate) happenings: Vec<(i64, Happening)>,
    /// Whether agents have timers.
    pub(crate) has_timers: bool,
    /// Whether processes are killed now and then.
    pub(crate) has_kills: bool,
    /// Where the first process is killed.
    pub(crate) kill_point: Option<KillPoint>,
    /// Whether workers fail, hang and forget their leases.
    pub(crate) has_bad_workers: bool,
    /// Whether what a run does wakes other agents.
    pub(crate) has_echoes: bool,
}

struct SimTimer {
    agent: AgentId,
    id: TimerId,
    intent: TimerIntent,
    state: TimerState,
}

pub(crate) struct World {
    scenario: Scenario,
    chance: Chance,
    pub(crate) store: Store,
    agents: Vec<AgentId>,
    subscriptions: MatchIndex<(AgentId, SubscriptionId)>,
    timers: Vec<SimTimer>,
    processes: Vec<Result<Process, i64>>,
    passed_ms: i64,
    ahead_ms: i64,
    has_jumped: bool,
    is_calm: bool,
    refused: BTreeSet<RunKey>,
    pub(crate) runs: usize,
    pub(crate) was_killed: bool,
}

impl World {
    pub(crate) fn new(scenario: Scenario) -> Self {
        let agents: Vec<AgentId> = (0..scenario.agent_count)
            .map(|at| AgentId::parse(&format!("agent{at}")).expect("an agent"))
            .collect();
        let store = Store::new(WakePolicy::default(), agents.iter().cloned());
        let mut subscriptions = MatchIndex::default();
        for (at, agent) in agents.iter().enumerate() {
            // Each agent waits for its own topic and for that of the agent before it.
            let before = (at + agents.len() - 1) % agents.len();
            let selectors = [at, before].map(|topic| topic_token(topic as u64));
            let rule = SubscriptionRule::new(selectors, MatchMode::Any, None).expect("a rule");
            subscriptions.insert((agent.clone(), SubscriptionId::parse("s").expect("an id")), rule);
        }
        let processes = (0..scenario.process_count).map(|at| {
            let kill_point = scenario.kill_point.filter(|_| at == 0);
            Ok(Process::start(at, &store, 0, kill_point))
        });
        let mut world = Self {
            chance: Chance::new(scenario.seed, 1),
            processes: processes.collect(),
            store,
            agents,
            subscriptions,
            timers: Vec::new(),
            passed_ms: 0,
            ahead_ms: 0,
            has_jumped: false,
            is_calm: false,
            refused: BTreeSet::new(),
            runs: 0,
            was_killed: false,
            scenario,
        };
        if world.scenario.has_timers {
            world.add_timers();
        }
        world
    }

    fn add_timers(&mut self) {
        let now = self.now();
        for (at, agent) in self.agents.iter().enumerate() {
            let schedule = ["every 20m", "daily 15:30", "cron */15 * * * *"][at % 3];
            let schedule = Schedule::parse(schedule).expect("a schedule");
            let intent = TimerIntent { schedule, zone: Zone::utc(), catch_up: CatchUp::One, made_at: now };
            let (id, state) = (TimerId::parse("t").expect("an id"), intent.armed(now));
            self.timers.push(SimTimer { agent: agent.clone(), id, intent, state });
        }
    }

    /// Lets everything happen, then lets what was begun come to its end, and looks at what is left.
    pub(crate) fn live(mut self) -> Self {
        let mut happenings = std::mem::take(&mut self.scenario.happenings);
        happenings.sort_by_key(|(at, _)| *at);
        for (at, happening) in happenings {
            self.advance_to(at);
            self.happen(happening);
        }
        self.calm_down();
        let end = self.passed_ms + SETTLING_MS;
        while !self.is_settled() {
            assert!(self.passed_ms < end, "seed {}: {:?}", self.scenario.seed, self.store.busy_agents());
            let next = self.next_at();
            self.advance_to(next);
        }
        self.check_end();
        self
    }

    /// No more faults, no more timers, no more sleep, and every process is up.
    fn calm_down(&mut self) {
        self.is_calm = true;
        self.store.end_sleep(self.now());
        self.timers.clear();
        self.happen(Happening::Release);
        for at in 0..self.processes.len() {
            match &mut self.processes[at] {
                Ok(process) => process.kill_point = None,
                Err(_) => self.processes[at] = Ok(Process::start(at, &self.store, self.passed_ms, None)),
            }
        }
    }

    fn is_settled(&self) -> bool {
        let have_seen_all = |process: &Result<Process, i64>| {
            process.as_ref().is_ok_and(|process| process.changes_seen == self.store.changes.len())
        };
        self.store.busy_agents().is_empty() && self.processes.iter().all(have_seen_all)
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_ms(EPOCH_MS + self.passed_ms + self.ahead_ms)
    }

    fn clocks(&self) -> Clocks {
        Clocks { passed_ms: self.passed_ms, now: self.now() }
    }

    /// When the clock will show an instant, if it is not set again.
    fn passes_at(&self, at: Timestamp) -> i64 {
        at.ms() - EPOCH_MS - self.ahead_ms
    }

    fn next_at(&self) -> i64 {
        let of_processes = self.processes.iter().flat_map(|process| match process {
            Ok(process) => {
                let deadline = process.planner.next_deadline().map(|at| self.passes_at(at));
                [Some(process.polls_at), deadline, process.worker_due_at()]
            }
            Err(starts_at) => [Some(*starts_at), None, None],
        });
        let is_any_up = self.processes.iter().any(Result::is_ok);
        let timers = self.timers.iter().filter(|_| is_any_up);
        let of_timers = timers.map(|timer| timer.state.next_run_at.map(|at| self.passes_at(at)));
        let next = of_processes.chain(of_timers).flatten().min().expect("a process polls");
        next.max(self.passed_ms)
    }

    /// Lets time pass, and everything that is due meanwhile be done.
    fn advance_to(&mut self, at: i64) {
        let mut rounds_at_one_time = 0;
        loop {
            let next = self.next_at();
            rounds_at_one_time = if next > self.passed_ms { 0 } else { rounds_at_one_time + 1 };
            assert!(rounds_at_one_time < 1_000, "seed {}: time does not pass", self.scenario.seed);
            if next > at {
                self.passed_ms = self.passed_ms.max(at);
                return;
            }
            self.passed_ms = next;
            for process in 0..self.processes.len() {
                self.run_process(process);
            }
        }
    }

    fn run_process(&mut self, at: usize) {
        match std::mem::replace(&mut self.processes[at], Err(0)) {
            Ok(mut process) => {
                let lived = self.run_live(&mut process);
                let restarts_at = self.passed_ms + 1_000 + self.chance.below(120_000) as i64;
                self.was_killed |= lived.is_err();
                self.processes[at] = lived.map(|()| process).map_err(|Killed| restarts_at);
            }
            Err(starts_at) if starts_at <= self.passed_ms => {
                let kill_point =
                    (self.scenario.has_kills && !self.is_calm && self.chance.once_in(2)).then(|| KillPoint {
                        commit: 1 + self.chance.below(40),
                        is_after: self.chance.once_in(2),
                    });
                self.processes[at] = Ok(Process::start(at, &self.store, self.passed_ms, kill_point));
            }
            Err(starts_at) => self.processes[at] = Err(starts_at),
        }
    }

    fn run_live(&mut self, process: &mut Process) -> Result<(), Killed> {
        if self.scenario.has_kills && !self.is_calm && self.chance.once_in(400) {
            return Err(Killed);
        }
        let (clocks, is_calm, bad) = (self.clocks(), self.is_calm, self.scenario.has_bad_workers);
        let mut conducts = Chance::new(self.chance.draw(), 2);
        let mut conduct = move || draw_conduct(&mut conducts, bad && !is_calm);
        self.fire_timers(process)?;
        let mut claimed = Vec::new();
        if process.polls_at <= self.passed_ms {
            self.observe(process)?;
            claimed.extend(process.poll(&mut self.store, clocks, &mut conduct)?);
        }
        let (more, done) = process.work(&mut self.store, clocks, &mut conduct)?;
        claimed.extend(more);
        let tick = brainstem_wake::plan::PlannerEvent::Tick;
        claimed.extend(process.hand_in(&mut self.store, clocks, tick, &mut conduct)?);
        for claim in claimed {
            self.check_claim(&claim);
        }
        for applied in done {
            self.echo(&applied.agent, &applied.job);
        }
        Ok(())
    }

    /// Looks at every change that this process has not seen, and queues the wakes that follow from it.
    fn observe(&mut self, process: &mut Process) -> Result<(), Killed> {
        while let Some(batch) = self.store.changes.get(process.changes_seen).cloned() {
            for (agent, wake) in self.wakes_of(&batch) {
                self.queue(process, &agent, wake)?;
            }
            process.changes_seen += 1;
        }
        Ok(())
    }

    fn queue(&mut self, process: &mut Process, agent: &AgentId, wake: NewWake) -> Result<(), Killed> {
        let (now, key) = (self.now(), wake.cause.run_key(agent));
        let refused = process.commit(&mut self.store, |store| store.enqueue(now, agent, wake).is_err())?;
        if refused {
            self.refused.insert(key);
        }
        Ok(())
    }

    fn wakes_of(&self, batch: &NotificationBatch) -> Vec<(AgentId, NewWake)> {
        let (matched, _) = self.subscriptions.match_tokens(batch.tokens()).finish(&[]);
        let policy = self.store.policy;
        let here = |(agent, subscription): (AgentId, SubscriptionId)| {
            let place = WakePlace::decide(
                batch,
                &agent,
                &OriginSet::new(brainstem_wake::change::ChangeOrigin::ALL),
                &HomeHosts::default(),
                &host(),
                policy.causation_depth_max,
            );
            let wake = NewWake {
                cause: WakeCause::Subscription { subscription, change: batch.key() },
                ready: WakeReady::After(policy.window_ms(batch.origin())),
                min_interval_ms: 0,
                causation: batch.causation(),
            };
            (place == WakePlace::Here).then_some((agent, wake))
        };
        matched.into_iter().filter_map(here).collect()
    }

    fn fire_timers(&mut self, process: &mut Process) -> Result<(), Killed> {
        let now = self.now();
        for timer in &mut self.timers {
            let (firing, state) = timer.intent.fire(timer.state, now);
            let Some(firing) = firing else {
                timer.state = state;
                continue;
            };
            let (agent, timer_id) = (timer.agent.clone(), timer.id.clone());
            let (scheduled_at, is_catch_up) = (firing.scheduled_at, firing.is_catch_up);
            let wake = NewWake::now(WakeCause::Timer { timer: timer_id, scheduled_at, is_catch_up });
            let stored = &mut timer.state;
            process.commit(&mut self.store, |store| {
                // A stop or a destroyed agent leaves the firing out, and the timer goes on.
                let _ = store.enqueue(now, &agent, wake);
                *stored = state;
            })?;
        }
        Ok(())
    }

    fn happen(&mut self, happening: Happening) {
        let now = self.now();
        match happening {
            Happening::Change { topic } => {
                let topic = topic % self.agents.len() as u64;
                self.add_change(topic, None, None);
            }
            Happening::Turn { agent, turn } => {
                let session = InteractiveSessionId::parse("s").expect("an id");
                self.ask(agent, WakeCause::UserTurn { session, turn: TurnId(turn.to_string()) });
            }
            Happening::Manual { agent, request } => {
                self.ask(agent, WakeCause::Manual { request: RequestId(request.to_string()) });
            }
            Happening::Sleep { agent, for_ms } => {
                let agent = &self.agents[agent % self.agents.len()];
                let row = self.store.agents.get_mut(agent).expect("an agent");
                row.sleeps_until = Some(Timestamp::from_ms(now.ms() + for_ms));
            }
            Happening::Destroy { agent } => {
                let agent = self.agents[agent % self.agents.len()].clone();
                self.store.destroy(now, &agent);
            }
            Happening::StopAll => self.store.stop_all(),
            Happening::Release => {
                self.store.switches.release(brainstem_wake::plan::KillScope::All);
            }
            Happening::ClockJump { by_ms } => {
                self.has_jumped = true;
                self.ahead_ms += by_ms;
            }
        }
    }

    /// A person's call is a process of its own, and is answered or not.
    fn ask(&mut self, agent: usize, cause: WakeCause) {
        let (now, agent) = (self.now(), self.agents[agent % self.agents.len()].clone());
        let key = cause.run_key(&agent);
        if self.store.enqueue(now, &agent, NewWake::now(cause)).is_err() {
            self.refused.insert(key);
        }
    }

    fn add_change(&mut self, topic: u64, agent: Option<AgentId>, causation: Option<Causation>) {
        let counter = self.store.changes.len() as u64 + 1;
        let unit = ChangeUnit {
            origin: UnitOrigin::Local,
            host: host(),
            counter,
            payload_type: PayloadType::parse("claim").expect("a type"),
            payload_id: PayloadId::parse(&format!("claim-{topic}")).expect("an id"),
        };
        let tokens = [topic_token(topic)].into();
        let change =
            CommittedChange { units: vec![unit], tokens, agent, causation, ..CommittedChange::default() };
        let batch = NotificationBatch::new(LocalBatchId(counter), change).expect("provenance");
        self.store.changes.push(batch);
    }

    /// What a run does is a change too, and may wake other agents.
    fn echo(&mut self, agent: &AgentId, job: &ClaimedJob) {
        if !self.scenario.has_echoes {
            return;
        }
        let deepest = job.members.iter().max_by_key(|member| member.wake.causation.depth).expect("a member");
        let Some(change) = deepest.wake.cause.change() else { return };
        let topic = self.agents.iter().position(|known| known == agent).expect("an agent") as u64;
        self.add_change(topic, Some(agent.clone()), Some(deepest.wake.causation.of_effects(change)));
    }

    /// No lane that may start for longer is passed over, if it was in line when the process read all lanes. The process does
    /// not know of one that came later, and reads them often.
    fn check_claim(&mut self, claimed: &Claimed) {
        self.runs += 1;
        assert!(!claimed.members.is_empty());
        if self.has_jumped {
            return;
        }
        let now = self.now();
        assert!(now.ms_since(claimed.read_at) <= POLL_MS, "a process claims by what it read long ago");
        for agent in self.store.busy_agents() {
            if let Some(startable_at) = self.store.view(now, &agent).startable_at {
                let is_known = startable_at < claimed.read_at;
                assert!(
                    !is_known || startable_at >= claimed.startable_at,
                    "seed {}: {agent} waits since {startable_at}, and {} went first",
                    self.scenario.seed,
                    claimed.agent,
                );
            }
        }
    }

    fn check_end(&self) {
        let seed = self.scenario.seed;
        for batch in &self.store.changes {
            for (agent, wake) in self.wakes_of(batch) {
                let key = wake.cause.run_key(&agent);
                let is_taken = self.store.wanted.contains_key(&key) || self.refused.contains(&key);
                assert!(is_taken, "seed {seed}: a change woke nobody");
            }
            let policy = &self.store.policy;
            assert!(batch.causation().depth <= policy.causation_depth_max, "seed {seed}: a storm");
        }
        for (key, agent) in &self.store.wanted {
            self.check_wake(*key, agent);
        }
        if !self.has_jumped {
            let most = self.store.policy.wakes_per_hour_max;
            for (agent, starts) in &self.store.starts {
                for (first, last) in starts.iter().zip(starts.iter().skip(most)) {
                    assert!(last.ms_since(*first) >= HOUR_MS, "seed {seed}: {agent} runs too often");
                }
            }
        }
    }

    /// A wake that was taken in was run for, or there is a reason on record why not.
    fn check_wake(&self, key: RunKey, agent: &AgentId) {
        let (seed, mut key) = (self.scenario.seed, key);
        loop {
            let row = self.store.log.get(&key);
            let row = row.unwrap_or_else(|| panic!("seed {seed}: the wake {key} of {agent} is lost"));
            match row.status {
                WakeRunStatus::Completed => {
                    assert!(
                        self.store.effects.contains(&key),
                        "seed {seed}: {key} ended without its effects"
                    );
                    return;
                }
                WakeRunStatus::Superseded => key = row.executed_by,
                WakeRunStatus::SkippedSleeping => {
                    let next = self.store.carried_by.get(&key);
                    key = *next.unwrap_or_else(|| panic!("seed {seed}: nothing carries {key} on"));
                }
                WakeRunStatus::SkippedDestroyed => {
                    assert_eq!(self.store.agents[agent].lifecycle, AgentLifecycle::Destroyed);
                    return;
                }
                WakeRunStatus::FailedTerminal => {
                    assert!(self.scenario.has_bad_workers || self.was_killed, "seed {seed}: {row:?}");
                    return;
                }
                WakeRunStatus::Canceled => {
                    let why = row.why.as_deref().unwrap_or_default();
                    assert!(["switch:all", "agent_destroyed"].contains(&why), "seed {seed}: {row:?}");
                    return;
                }
                WakeRunStatus::Queued | WakeRunStatus::Started | WakeRunStatus::FailedRetryable => {
                    panic!("seed {seed}: {key} of {agent} has not ended: {row:?}")
                }
            }
        }
    }
}

fn draw_conduct(chance: &mut Chance, is_bad: bool) -> Conduct {
    let works = Conduct::Works(1_000 + chance.below(60_000) as i64);
    match chance.below(20) {
        0 | 1 => Conduct::Works(2 * MINUTE_MS + chance.below(8 * MINUTE_MS as u64) as i64),
        2 if is_bad => Conduct::Hangs,
        3 if is_bad => Conduct::ForgetsLease(90_000 + chance.below(120_000) as i64),
        4 | 5 if is_bad => Conduct::Fails { is_retryable: true },
        6 if is_bad => Conduct::Fails { is_retryable: false },
        _ => works,
    }
}

fn host() -> HostId {
    HostId::parse("here").expect("a host")
}

fn topic_token(topic: u64) -> Token {
    Token::semantic(&format!("TOPIC_{topic}")).expect("a token")
}

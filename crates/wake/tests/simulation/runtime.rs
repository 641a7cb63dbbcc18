//! A process that shares the queue: a planner, its workers, and the transactions between which it may be killed.

use super::store::Store;
use brainstem_agents::RunKey;
use brainstem_agents::vocabulary::WakeRunStatus;
use brainstem_base::{AgentId, Timestamp};
use brainstem_wake::plan::{ClaimedJob, HolderId, PlannerEffect, PlannerEvent, WakePlanner};
use brainstem_wake::run::{RunMachine, WorkerAnswer, WorkerStep};

/// How often a process looks at the whole queue and at all changes.
pub(crate) const POLL_MS: i64 = 5_000;

/// The process was killed.
#[derive(Debug)]
pub(crate) struct Killed;

/// When a process is killed: at which of its transactions, and on which side of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KillPoint {
    pub(crate) commit: u64,
    pub(crate) is_after: bool,
}

/// What a worker does with a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conduct {
    /// It works so long and keeps its lease.
    Works(i64),
    /// It works so long and forgets its lease.
    ForgetsLease(i64),
    /// It never ends, and keeps its lease.
    Hangs,
    /// It fails after a second.
    Fails { is_retryable: bool },
}

#[derive(Debug)]
pub(crate) struct Worker {
    agent: AgentId,
    job: ClaimedJob,
    machine: RunMachine,
    conduct: Conduct,
    works_until: Option<i64>,
    renews_at: i64,
}

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) id: HolderId,
    pub(crate) planner: WakePlanner,
    pub(crate) workers: Vec<Worker>,
    pub(crate) polls_at: i64,
    /// When it last read all lanes.
    read_at: Timestamp,
    pub(crate) changes_seen: usize,
    pub(crate) kill_point: Option<KillPoint>,
    commits: u64,
}

/// What a process is handed by the world: the time that passes, and what the clock shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clocks {
    pub(crate) passed_ms: i64,
    pub(crate) now: Timestamp,
}

/// A job that was claimed, with when its lane might have started, and when the process that claimed it had read all lanes.
#[derive(Debug)]
pub(crate) struct Claimed {
    pub(crate) agent: AgentId,
    pub(crate) startable_at: Timestamp,
    pub(crate) read_at: Timestamp,
    pub(crate) members: Vec<RunKey>,
}

/// A job whose effects were applied for the first time.
#[derive(Debug)]
pub(crate) struct AppliedJob {
    pub(crate) agent: AgentId,
    pub(crate) job: ClaimedJob,
}

impl Process {
    /// A process that has just started and knows nothing.
    pub(crate) fn start(id: usize, store: &Store, passed_ms: i64, kill_point: Option<KillPoint>) -> Self {
        Self {
            id: HolderId(format!("process {id} since {passed_ms}")),
            planner: WakePlanner::new(store.policy),
            workers: Vec::new(),
            polls_at: passed_ms,
            read_at: Timestamp::MIN,
            changes_seen: 0,
            kill_point,
            commits: 0,
        }
    }

    /// A transaction, unless the process is killed before it; it may be killed right behind it, too.
    pub(crate) fn commit<T>(
        &mut self,
        store: &mut Store,
        act: impl FnOnce(&mut Store) -> T,
    ) -> Result<T, Killed> {
        self.commits += 1;
        let is_here =
            |point: &KillPoint, is_after| point.commit == self.commits && point.is_after == is_after;
        if self.kill_point.as_ref().is_some_and(|point| is_here(point, false)) {
            return Err(Killed);
        }
        let done = act(store);
        if self.kill_point.as_ref().is_some_and(|point| is_here(point, true)) {
            return Err(Killed);
        }
        Ok(done)
    }

    /// Reads the whole queue.
    pub(crate) fn poll(
        &mut self,
        store: &mut Store,
        clocks: Clocks,
        conduct: &mut dyn FnMut() -> Conduct,
    ) -> Result<Vec<Claimed>, Killed> {
        self.polls_at = clocks.passed_ms + POLL_MS;
        let mut claimed =
            self.hand_in(store, clocks, PlannerEvent::Switches(store.switches.clone()), conduct)?;
        claimed.extend(self.read_lanes(store, clocks, conduct)?);
        Ok(claimed)
    }

    fn read_lanes(
        &mut self,
        store: &mut Store,
        clocks: Clocks,
        conduct: &mut dyn FnMut() -> Conduct,
    ) -> Result<Vec<Claimed>, Killed> {
        let busy = store.busy_agents().into_iter();
        let lanes = busy.map(|agent| (agent.clone(), store.view(clocks.now, &agent))).collect();
        let places_taken = store.places_taken();
        self.read_at = clocks.now;
        self.hand_in(store, clocks, PlannerEvent::Lanes { lanes, places_taken }, conduct)
    }

    /// Hands a lane in as the store has it.
    pub(crate) fn look_at(
        &mut self,
        store: &mut Store,
        clocks: Clocks,
        agent: &AgentId,
        conduct: &mut dyn FnMut() -> Conduct,
    ) -> Result<Vec<Claimed>, Killed> {
        let lanes = vec![(agent.clone(), store.view(clocks.now, agent))];
        let places_taken = store.places_taken();
        self.hand_in(store, clocks, PlannerEvent::Lanes { lanes, places_taken }, conduct)
    }

    /// Hands an event to the planner, and does what it says.
    pub(crate) fn hand_in(
        &mut self,
        store: &mut Store,
        clocks: Clocks,
        event: PlannerEvent,
        conduct: &mut dyn FnMut() -> Conduct,
    ) -> Result<Vec<Claimed>, Killed> {
        let mut claimed = Vec::new();
        for effect in self.planner.handle(clocks.now, event) {
            let agent = match effect {
                PlannerEffect::Claim(agent) => {
                    claimed.extend(self.claim(store, clocks, &agent, conduct())?);
                    if store.switches.covering(&agent).is_some() {
                        let switches = PlannerEvent::Switches(store.switches.clone());
                        claimed.extend(self.hand_in(store, clocks, switches, conduct)?);
                    }
                    agent
                }
                PlannerEffect::Expire(agent) => {
                    self.commit(store, |store| store.expire(clocks.now, &agent))?;
                    agent
                }
                PlannerEffect::CountPlaces => {
                    let counted = PlannerEvent::Lanes { lanes: vec![], places_taken: store.places_taken() };
                    claimed.extend(self.hand_in(store, clocks, counted, conduct)?);
                    continue;
                }
                PlannerEffect::ReadLanes => {
                    claimed.extend(self.read_lanes(store, clocks, conduct)?);
                    continue;
                }
            };
            claimed.extend(self.look_at(store, clocks, &agent, conduct)?);
        }
        Ok(claimed)
    }

    fn claim(
        &mut self,
        store: &mut Store,
        clocks: Clocks,
        agent: &AgentId,
        conduct: Conduct,
    ) -> Result<Option<Claimed>, Killed> {
        let startable_at = store.view(clocks.now, agent).startable_at;
        let holder = self.id.clone();
        let Ok(job) = self.commit(store, |store| store.claim(clocks.now, agent, holder))? else {
            return Ok(None);
        };
        let members = job.members.iter().map(|member| member.run_key).collect();
        let machine = RunMachine::new(job.run);
        let renews_at = clocks.passed_ms + store.policy.lease_ms / 3;
        let agent = agent.clone();
        let startable_at = startable_at.expect("a lane that was claimed was startable");
        let claimed = Claimed { agent: agent.clone(), startable_at, read_at: self.read_at, members };
        self.workers.push(Worker { agent, job, machine, conduct, works_until: None, renews_at });
        Ok(Some(claimed))
    }

    /// When a worker has something to do.
    pub(crate) fn worker_due_at(&self) -> Option<i64> {
        let due = self.workers.iter().map(|worker| match (worker.works_until, worker.conduct) {
            (None, _) => i64::MIN,
            (Some(until), Conduct::ForgetsLease(_)) => until,
            (Some(until), _) => until.min(worker.renews_at),
        });
        due.min()
    }

    /// Lets every worker do what is due. Returns what it claimed, and the jobs whose effects are new.
    pub(crate) fn work(
        &mut self,
        store: &mut Store,
        clocks: Clocks,
        conduct: &mut dyn FnMut() -> Conduct,
    ) -> Result<(Vec<Claimed>, Vec<AppliedJob>), Killed> {
        let (mut claimed, mut done) = (Vec::new(), Vec::new());
        let mut workers = std::mem::take(&mut self.workers);
        let mut still_working = Vec::new();
        for mut worker in workers.drain(..) {
            if self.advance(store, clocks, &mut worker, &mut done)? {
                still_working.push(worker);
                continue;
            }
            claimed.extend(self.look_at(store, clocks, &worker.agent, conduct)?);
        }
        self.workers.append(&mut still_working);
        Ok((claimed, done))
    }

    /// Does the steps of a run that are due. Whether more will be.
    fn advance(
        &mut self,
        store: &mut Store,
        clocks: Clocks,
        worker: &mut Worker,
        done: &mut Vec<AppliedJob>,
    ) -> Result<bool, Killed> {
        let Clocks { passed_ms, now } = clocks;
        loop {
            let (agent, job) = (worker.agent.clone(), worker.job.clone());
            let answered = |result: Result<(), brainstem_wake::plan::Fenced>| match result {
                Ok(()) => WorkerAnswer::Ok,
                Err(fenced) => WorkerAnswer::Stopped { by: fenced.to_string() },
            };
            let answer = match worker.machine.step() {
                WorkerStep::Done => return Ok(false),
                WorkerStep::ReadLog(run) => {
                    let status = store.log.get(&run).map(|row| row.status);
                    assert!(
                        !status.is_some_and(WakeRunStatus::is_terminal),
                        "a job for a run that has ended"
                    );
                    WorkerAnswer::Logged(status)
                }
                WorkerStep::Lock | WorkerStep::Assemble | WorkerStep::Notify => WorkerAnswer::Ok,
                WorkerStep::MarkStarted(_) => {
                    answered(self.commit(store, |store| store.mark_started(&agent, &job))?)
                }
                WorkerStep::Load => {
                    let row = &store.agents[&agent];
                    WorkerAnswer::Loaded {
                        lifecycle: row.lifecycle,
                        sleeps_until: row.sleeps_until,
                        condition_holds: true,
                    }
                }
                WorkerStep::Work => {
                    let length = match worker.conduct {
                        Conduct::Works(ms) | Conduct::ForgetsLease(ms) => ms,
                        Conduct::Hangs => i64::MAX / 4,
                        Conduct::Fails { .. } => 1_000,
                    };
                    let until = *worker.works_until.get_or_insert(passed_ms + length);
                    let renews = !matches!(worker.conduct, Conduct::ForgetsLease(_));
                    if renews && worker.renews_at <= passed_ms {
                        worker.renews_at = passed_ms + store.policy.lease_ms / 3;
                        let renewed = self.commit(store, |store| {
                            let policy = store.policy;
                            store.lane(&agent).renew(now, job.generation, &policy).map(|_| ())
                        })?;
                        if let answer @ WorkerAnswer::Stopped { .. } = answered(renewed) {
                            worker.machine.answer(now, answer);
                            continue;
                        }
                    }
                    if until > passed_ms {
                        return Ok(true);
                    }
                    match worker.conduct {
                        Conduct::Fails { is_retryable } => {
                            WorkerAnswer::Failed { code: "runner.failed".to_owned(), is_retryable }
                        }
                        Conduct::Works(_) | Conduct::ForgetsLease(_) | Conduct::Hangs => WorkerAnswer::Ok,
                    }
                }
                WorkerStep::Append => {
                    let holder = self.id.clone();
                    let applied = self.commit(store, |store| store.apply(&agent, &job, &holder))?;
                    if matches!(applied, Ok(true)) {
                        done.push(AppliedJob { agent, job });
                    }
                    answered(applied.map(|_| ()))
                }
                WorkerStep::Save => {
                    answered(self.commit(store, |store| store.lane(&agent).check_step(job.generation))?)
                }
                WorkerStep::Mark(end) => {
                    answered(self.commit(store, |store| store.end(now, &agent, job.generation, end))?)
                }
            };
            worker.machine.answer(now, answer);
        }
    }
}

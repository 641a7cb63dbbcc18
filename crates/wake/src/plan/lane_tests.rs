//! Tests of what may happen to a lane.

use super::*;
use crate::change::Causation;
use crate::limits::{MEMBERS_PER_JOB_MAX, WAKES_PER_AGENT_MAX};
use crate::plan::{ClaimRefusal, ClaimedJob, EnqueueRefusal, Enqueued, HolderId, KillScope};
use crate::run::{RequestId, TurnId, WakeCause};
use brainstem_agents::ids::{InteractiveSessionId, SubscriptionId, TimerId};
use brainstem_base::AgentId;

const HOUR_MS: i64 = 3_600_000;

const SECOND: i64 = 1_000;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_000_000_000 + ms)
}

fn lane() -> AgentLane {
    AgentLane::new(AgentId::parse("coach").expect("an agent"))
}

fn policy() -> WakePolicy {
    WakePolicy::default()
}

fn holder() -> HolderId {
    HolderId("this process".to_owned())
}

/// A change that a subscription waits for.
fn change(digit: char) -> NewWake {
    let subscription = SubscriptionId::parse("s").expect("an id");
    let change = digit.to_string().repeat(64).parse().expect("a key");
    let ready = WakeReady::After(policy().window_local_ms);
    let cause = WakeCause::Subscription { subscription, change };
    NewWake { cause, ready, min_interval_ms: 0, causation: Causation::ROOT }
}

fn manual(request: &str) -> NewWake {
    NewWake::now(WakeCause::Manual { request: RequestId(request.to_owned()) })
}

fn turn(turn: &str) -> NewWake {
    let session = InteractiveSessionId::parse("s").expect("an id");
    NewWake::now(WakeCause::UserTurn { session, turn: TurnId(turn.to_owned()) })
}

fn timer(scheduled_at: Timestamp) -> NewWake {
    let timer = TimerId::parse("morning").expect("an id");
    NewWake::now(WakeCause::Timer { timer, scheduled_at, is_catch_up: false })
}

fn key(wake: &NewWake) -> RunKey {
    wake.cause.run_key(&lane().agent)
}

impl AgentLane {
    fn queue(&mut self, now: Timestamp, wake: NewWake) -> Enqueued {
        self.enqueue(now, wake, None, None).expect("it may be woken")
    }

    fn start(&mut self, now: Timestamp) -> Result<ClaimedJob, ClaimRefusal> {
        self.claim(now, &policy(), 0, None, holder())
    }

    fn finish(&mut self, now: Timestamp, generation: u64, end: RunEnd) -> Vec<(RunKey, WakeRunStatus)> {
        let rows = self.end(now, generation, end, &policy()).expect("it has the lease");
        rows.into_iter().map(|row| (row.run_key, row.status)).collect()
    }

    /// Runs what waits to its end, and returns the keys it was for.
    fn run_through(&mut self, now: Timestamp) -> Vec<RunKey> {
        let job = self.start(now).expect("a job");
        self.finish(now, job.generation, RunEnd::Completed);
        keys(&job)
    }
}

fn keys(job: &ClaimedJob) -> Vec<RunKey> {
    job.members.iter().map(|member| member.run_key).collect()
}

fn failed() -> RunEnd {
    RunEnd::Failed { code: "runner.failed".into(), is_retryable: true }
}

#[test] // spec: C-04, B-27, Z-3, T-01
fn changes_of_one_window_are_one_run_and_every_one_of_them_ends_in_the_log() {
    let mut lane = lane();
    let (a, b, c) = (change('a'), change('b'), change('c'));
    assert_eq!(lane.queue(at(0), a.clone()), Enqueued::Queued(key(&a)));
    assert_eq!(lane.queue(at(60), b.clone()), Enqueued::Queued(key(&b)));
    assert_eq!(lane.start(at(99)), Err(ClaimRefusal::NotBefore(at(100))));
    // The window of `c` is open, so it is left for the next run.
    lane.queue(at(120), c.clone());
    let job = lane.start(at(160)).expect("a job");
    assert_eq!(keys(&job), [key(&a), key(&b)]);
    let rows = lane.end(at(200), job.generation, RunEnd::Completed, &policy()).expect("it has the lease");
    let seen: Vec<_> = rows.iter().map(|row| (row.run_key, row.status, row.executed_by)).collect();
    let (completed, superseded) = (WakeRunStatus::Completed, WakeRunStatus::Superseded);
    assert_eq!(seen, [(key(&a), completed, key(&a)), (key(&b), superseded, key(&a))]);
    assert_eq!(lane.run_through(at(40 * SECOND)), [key(&c)]);
    assert!(lane.is_idle());
}

#[test] // spec: C-04, C-07, T-46, T-48
fn a_wake_that_waits_runs_or_has_ended_is_not_queued_again() {
    let mut lane = lane();
    let wake = change('a');
    lane.queue(at(0), wake.clone());
    let known = Enqueued::Known(key(&wake));
    assert_eq!(lane.queue(at(1), wake.clone()), known);
    let job = lane.start(at(SECOND)).expect("a job");
    assert_eq!(lane.queue(at(SECOND), wake.clone()), known);
    assert_eq!(lane.start(at(SECOND)), Err(ClaimRefusal::Running));
    lane.finish(at(SECOND), job.generation, RunEnd::Completed);
    for status in WakeRunStatus::ALL.iter().filter(|status| status.is_terminal()) {
        assert_eq!(lane.enqueue(at(SECOND), wake.clone(), Some(*status), None), Ok(known.clone()));
    }
    assert!(lane.is_idle());
}

#[test] // spec: Z-29, Z-29a, H-08
fn an_agent_pauses_between_its_runs_and_has_so_many_an_hour() {
    let mut lane = lane();
    let mut now = at(0);
    for hour_run in 0..policy().wakes_per_hour_max {
        lane.queue(now, timer(now));
        lane.run_through(now);
        lane.queue(now, timer(now.next()));
        let again = Timestamp::from_ms(now.ms() + policy().cooldown_ms);
        if hour_run + 1 < policy().wakes_per_hour_max {
            assert_eq!(lane.start(now), Err(ClaimRefusal::NotBefore(again)));
        }
        now = again;
        lane.waiting.clear();
    }
    lane.queue(now, timer(now));
    assert_eq!(lane.start(now), Err(ClaimRefusal::NotBefore(at(HOUR_MS))));
    let in_line_since = lane.view(at(2 * HOUR_MS), &policy()).startable_at;
    assert_eq!(in_line_since, Some(at(HOUR_MS)), "it was held back until then");
    assert!(lane.start(at(HOUR_MS)).is_ok());
}

#[test] // spec: C-40, C-42, Z-29
fn what_a_person_asks_for_is_not_held_back() {
    let mut lane = lane();
    lane.queue(at(0), change('a'));
    lane.run_through(at(SECOND));
    let waiting = change('b');
    lane.queue(at(2 * SECOND), waiting.clone());
    lane.queue(at(2 * SECOND), turn("one"));
    lane.queue(at(2 * SECOND), turn("two"));
    lane.queue(at(2 * SECOND), manual("now"));
    // A turn is a run of its own; a request takes along what waits.
    assert_eq!(lane.run_through(at(3 * SECOND)), [key(&turn("one"))]);
    assert_eq!(lane.run_through(at(3 * SECOND)), [key(&turn("two"))]);
    assert_eq!(lane.run_through(at(3 * SECOND)), [key(&manual("now")), key(&waiting)]);
    assert_eq!(lane.starts.len(), 1, "none of them counts");
}

#[test] // spec: H-08, T-80
fn a_lane_that_has_just_run_is_behind_those_that_waited_meanwhile() {
    let mut lane = lane();
    for text in ["one", "two", "three"] {
        lane.queue(at(0), turn(text));
    }
    assert_eq!(lane.view(at(0), &policy()).startable_at, Some(at(0)));
    let job = lane.start(at(0)).expect("a job");
    lane.finish(at(50 * SECOND), job.generation, RunEnd::Completed);
    assert_eq!(lane.view(at(51 * SECOND), &policy()).startable_at, Some(at(50 * SECOND)));
}

#[test] // spec: Z-9
fn a_subscription_with_a_least_interval_waits_for_it() {
    let mut lane = lane();
    let slow = |digit| NewWake { min_interval_ms: 600 * SECOND, ..change(digit) };
    lane.queue(at(0), slow('a'));
    lane.run_through(at(SECOND));
    lane.queue(at(2 * SECOND), slow('b'));
    assert_eq!(lane.start(at(60 * SECOND)), Err(ClaimRefusal::NotBefore(at(601 * SECOND))));
    // Another cause is not held back by it, and does not take it along.
    lane.queue(at(60 * SECOND), timer(at(60 * SECOND)));
    assert_eq!(lane.run_through(at(60 * SECOND)), [key(&timer(at(60 * SECOND)))]);
    assert_eq!(lane.run_through(at(601 * SECOND)), [key(&slow('b'))]);
}

#[test] // spec: C-08, C-50, Z-5, T-46
fn a_run_that_fails_is_tried_again_under_its_key_with_longer_and_longer_pauses() {
    let mut lane = lane();
    let wake = change('a');
    lane.queue(at(0), wake.clone());
    let mut now = at(SECOND);
    for (attempt, pause) in [(1, 30), (2, 60), (3, 120), (4, 240)] {
        let job = lane.start(now).expect("a job");
        assert_eq!((job.run, job.members[0].attempts), (key(&wake), attempt - 1));
        assert_eq!(
            lane.finish(now, job.generation, failed()),
            [(key(&wake), WakeRunStatus::FailedRetryable)]
        );
        let again = Timestamp::from_ms(now.ms() + pause * SECOND);
        assert_eq!(lane.start(now), Err(ClaimRefusal::NotBefore(again)));
        now = again;
    }
    let job = lane.start(now).expect("a job");
    assert_eq!(lane.finish(now, job.generation, failed()), [(key(&wake), WakeRunStatus::FailedTerminal)]);
    assert!(lane.is_idle());
}

#[test] // spec: Z-3, Z-3a, I-09a
fn what_came_later_outlives_the_attempts_of_what_it_rode_along_with() {
    let mut lane = lane();
    let (early, late) = (change('a'), change('b'));
    lane.queue(at(0), early.clone());
    let mut now = at(SECOND);
    for attempt in 1..=policy().attempts_max {
        if attempt == policy().attempts_max {
            lane.queue(now, NewWake { ready: WakeReady::After(0), ..late.clone() });
        }
        let job = lane.start(now).expect("a job");
        let rows = lane.finish(now, job.generation, failed());
        if attempt == policy().attempts_max {
            let expected =
                [(key(&early), WakeRunStatus::FailedTerminal), (key(&late), WakeRunStatus::FailedRetryable)];
            assert_eq!(rows, expected);
        }
        now = Timestamp::from_ms(now.ms() + HOUR_MS);
    }
    assert_eq!(lane.run_through(now), [key(&late)]);
    assert_eq!(lane.failures, 0);
}

#[test] // spec: Z-3a
fn a_failure_that_another_attempt_does_not_mend_is_final() {
    let mut lane = lane();
    let (a, b) = (change('a'), change('b'));
    lane.queue(at(0), a.clone());
    lane.queue(at(0), b.clone());
    let job = lane.start(at(SECOND)).expect("a job");
    let end = RunEnd::Failed { code: "runner.not_confirmed".into(), is_retryable: false };
    let rows = lane.finish(at(SECOND), job.generation, end);
    assert_eq!(rows, [(key(&a), WakeRunStatus::FailedTerminal), (key(&b), WakeRunStatus::Superseded)]);
    assert!(lane.is_idle());
}

#[test] // spec: Z-6, C-07
fn what_was_skipped_for_sleep_comes_back_when_the_sleep_is_over() {
    let mut lane = lane();
    let (a, b) = (change('a'), change('b'));
    lane.queue(at(0), a.clone());
    lane.queue(at(0), b.clone());
    let job = lane.start(at(SECOND)).expect("a job");
    let until = at(HOUR_MS);
    let rows = lane.finish(at(SECOND), job.generation, RunEnd::SkippedSleeping { until });
    let skipped = WakeRunStatus::SkippedSleeping;
    assert_eq!(rows, [(key(&a), skipped), (key(&b), skipped)]);
    assert!(lane.starts.is_empty(), "a skip is no run");
    assert_eq!(lane.start(at(2 * SECOND)), Err(ClaimRefusal::NotBefore(until)));
    let job = lane.start(until).expect("one catch-up");
    let changes: Vec<_> = job.members.iter().map(|member| member.wake.cause.change()).collect();
    assert_eq!(changes, [a.cause.change(), b.cause.change()]);
    // Its sleep was prolonged meanwhile: nothing is lost then either.
    lane.finish(until, job.generation, RunEnd::SkippedSleeping { until: at(2 * HOUR_MS) });
    assert_eq!(lane.run_through(at(2 * HOUR_MS)).len(), 2);
    assert!(lane.is_idle());
}

#[test] // spec: Z-6a, Z-26
fn a_sleep_that_is_ended_early_puts_nothing_off_any_longer() {
    let mut lane = lane();
    lane.queue(at(0), change('a'));
    lane.queue(at(0), timer(at(0)));
    let job = lane.start(at(SECOND)).expect("a job");
    lane.finish(at(SECOND), job.generation, RunEnd::SkippedSleeping { until: at(9_000 * HOUR_MS) });
    lane.end_sleep(at(2 * SECOND));
    assert_eq!(lane.run_through(at(2 * SECOND)).len(), 2);
}

#[test] // spec: Z-6a, H-08, T-80
fn a_lane_whose_sleep_is_ended_early_is_in_line_since_then_and_once() {
    let mut lane = lane();
    lane.queue(at(0), change('a'));
    let job = lane.start(at(SECOND)).expect("a job");
    lane.finish(at(SECOND), job.generation, RunEnd::SkippedSleeping { until: at(HOUR_MS) });
    lane.end_sleep(at(600 * SECOND));
    assert_eq!(lane.view(at(601 * SECOND), &policy()).startable_at, Some(at(600 * SECOND)));
    // Ending it again leaves the lane in its place.
    lane.end_sleep(at(700 * SECOND));
    assert_eq!(lane.view(at(700 * SECOND), &policy()).startable_at, Some(at(600 * SECOND)));
    // A clock that goes back does not put the wake off again.
    assert_eq!(lane.view(at(10 * SECOND), &policy()).startable_at, Some(at(10 * SECOND)));
}

#[test] // spec: Z-6a, H-08, T-80
fn a_sleep_that_was_over_before_it_is_ended_leaves_the_lane_in_its_place() {
    let mut lane = lane();
    lane.queue(at(0), change('a'));
    let job = lane.start(at(SECOND)).expect("a job");
    lane.finish(at(SECOND), job.generation, RunEnd::SkippedSleeping { until: at(60 * SECOND) });
    lane.end_sleep(at(90 * SECOND));
    assert_eq!(lane.view(at(90 * SECOND), &policy()).startable_at, Some(at(60 * SECOND)));
}

#[test] // spec: C-33, Z-6a
fn a_wake_whose_time_had_come_is_tried_again_soon_though_the_clock_went_back() {
    let mut lane = lane();
    lane.queue(at(0), change('a'));
    let job = lane.start(at(SECOND)).expect("a job");
    let until = at(9_000 * HOUR_MS);
    lane.finish(at(SECOND), job.generation, RunEnd::SkippedSleeping { until });
    let job = lane.start(until).expect("a catch-up");
    lane.finish(at(2 * SECOND), job.generation, failed());
    assert_eq!(lane.start(at(2 * SECOND)), Err(ClaimRefusal::NotBefore(at(32 * SECOND))));
}

#[test] // spec: Z-28
fn a_worker_that_lost_its_lease_can_write_nothing() {
    let mut lane = lane();
    lane.queue(at(0), change('a'));
    let lost = lane.start(at(SECOND)).expect("a job");
    assert_eq!(lost.lease_until, at(61 * SECOND));
    assert_eq!(lane.expire(at(60 * SECOND), &policy()), None);
    assert_eq!(lane.renew(at(30 * SECOND), lost.generation, &policy()), Ok(at(90 * SECOND)));
    assert_eq!(lane.expire(at(61 * SECOND), &policy()), None);
    let rows = lane.expire(at(90 * SECOND), &policy()).expect("its lease is over");
    assert_eq!(rows[0].status, WakeRunStatus::FailedRetryable);
    assert_eq!(rows[0].why.as_deref(), Some("lease_expired"));
    assert_eq!(lane.check_step(lost.generation), Err(Fenced::Stale));
    let next = lane.start(at(120 * SECOND)).expect("a second attempt");
    assert_eq!((next.run, next.generation > lost.generation), (lost.run, true));
    for fenced in [
        lane.check_step(lost.generation).err(),
        lane.check_record(lost.generation).err(),
        lane.renew(at(121 * SECOND), lost.generation, &policy()).err(),
        lane.end(at(121 * SECOND), lost.generation, RunEnd::Completed, &policy()).err(),
    ] {
        assert_eq!(fenced, Some(Fenced::Stale));
    }
    assert_eq!(lane.check_step(next.generation), Ok(()));
}

#[test] // spec: Z-28
fn a_run_that_renews_its_lease_for_ever_is_ended_all_the_same() {
    let mut lane = lane();
    lane.queue(at(0), change('a'));
    let job = lane.start(at(SECOND)).expect("a job");
    let mut now = at(SECOND);
    while now < job.run_until {
        assert_eq!(lane.expire(now, &policy()), None);
        lane.renew(now, job.generation, &policy()).expect("it has the lease");
        now = Timestamp::from_ms(now.ms() + 30 * SECOND);
    }
    let rows = lane.expire(job.run_until, &policy()).expect("its time is over");
    assert_eq!(rows[0].why.as_deref(), Some("run_timed_out"));
}

#[test] // spec: F-08, F-08a, T-90
fn a_switch_stops_queueing_claims_and_steps_and_lets_a_run_record_what_it_did() {
    let mut lane = lane();
    let wake = change('a');
    lane.queue(at(0), wake.clone());
    lane.queue(at(0), change('b'));
    let job = lane.start(at(SECOND)).expect("a job");
    lane.queue(at(2 * SECOND), change('c'));
    lane.stop(&KillScope::All.to_string());
    assert_eq!(lane.check_step(job.generation), Err(Fenced::Stopped("switch:all".into())));
    assert_eq!(lane.check_record(job.generation), Ok(()));
    let refused = lane.enqueue(at(3 * SECOND), change('d'), None, Some(KillScope::All));
    assert_eq!(refused, Err(EnqueueRefusal::Stopped(KillScope::All, lane.agent.clone())));
    // Whatever its worker says, it was canceled.
    let rows = lane.finish(at(3 * SECOND), job.generation, RunEnd::Completed);
    assert!(rows.iter().all(|(_, status)| *status == WakeRunStatus::Canceled));
    let later = at(HOUR_MS);
    let claim = lane.claim(later, &policy(), 0, Some(KillScope::All), holder());
    assert_eq!(claim, Err(ClaimRefusal::Stopped(KillScope::All)));
    assert_eq!(lane.run_through(later), [key(&change('c'))], "what waits is held, not lost");
}

#[test] // spec: F-08a
fn a_stopped_run_whose_worker_is_gone_ends_canceled() {
    let mut lane = lane();
    lane.queue(at(0), change('a'));
    let job = lane.start(at(SECOND)).expect("a job");
    lane.stop("switch:all");
    let rows = lane.expire(job.lease_until, &policy()).expect("its lease is over");
    assert_eq!((rows[0].status, rows[0].why.as_deref()), (WakeRunStatus::Canceled, Some("switch:all")));
}

#[test] // spec: A-91, T-56
fn a_destroyed_agent_is_not_woken_and_its_run_writes_nothing_more() {
    let mut lane = lane();
    let (a, b) = (change('a'), change('b'));
    lane.queue(at(0), a.clone());
    let job = lane.start(at(SECOND)).expect("a job");
    lane.queue(at(2 * SECOND), b.clone());
    let rows = lane.destroy(at(3 * SECOND));
    let seen: Vec<_> = rows.iter().map(|row| (row.run_key, row.status)).collect();
    assert_eq!(seen, [(key(&b), WakeRunStatus::SkippedDestroyed), (key(&a), WakeRunStatus::Canceled)]);
    assert_eq!(lane.check_record(job.generation), Err(Fenced::Destroyed));
    let ended = lane.end(at(4 * SECOND), job.generation, RunEnd::Completed, &policy());
    assert_eq!(ended, Err(Fenced::Destroyed));
    for wake in [a, turn("one"), manual("now"), timer(at(0))] {
        let refused = lane.enqueue(at(4 * SECOND), wake, None, None);
        assert_eq!(refused, Err(EnqueueRefusal::Destroyed(lane.agent.clone())));
    }
    assert!(lane.is_idle());
}

#[test] // spec: C-05, C-07
fn a_run_that_finds_its_agent_gone_is_skipped_with_everything_that_waits() {
    let mut lane = lane();
    let (a, b) = (change('a'), change('b'));
    lane.queue(at(0), a.clone());
    let job = lane.start(at(SECOND)).expect("a job");
    lane.queue(at(2 * SECOND), b.clone());
    let rows = lane.finish(at(3 * SECOND), job.generation, RunEnd::SkippedDestroyed);
    let skipped = WakeRunStatus::SkippedDestroyed;
    assert_eq!(rows, [(key(&a), skipped), (key(&b), skipped)]);
    assert!(lane.is_idle() && lane.is_destroyed);
}

#[test] // spec: C-43
fn a_person_cancels_a_wake_that_waits_or_stops_the_run_for_it() {
    let mut lane = lane();
    let (a, b) = (change('a'), change('b'));
    lane.queue(at(0), a.clone());
    let job = lane.start(at(SECOND)).expect("a job");
    lane.queue(at(SECOND), b.clone());
    let row = lane.cancel(key(&b), "human:ana").expect("it waited");
    assert_eq!((row.status, row.why.as_deref()), (WakeRunStatus::Canceled, Some("human:ana")));
    assert_eq!(lane.cancel(key(&b), "human:ana"), None);
    assert_eq!(lane.cancel(key(&a), "human:ana"), None);
    assert_eq!(lane.check_step(job.generation), Err(Fenced::Stopped("human:ana".into())));
}

#[test]
fn no_more_jobs_run_than_there_are_places() {
    let mut lane = lane();
    lane.queue(at(0), turn("one"));
    let claim = lane.claim(at(0), &policy(), policy().runs_at_once_max, None, holder());
    assert_eq!(claim, Err(ClaimRefusal::NoPlace));
    assert!(lane.claim(at(0), &policy(), policy().runs_at_once_max - 1, None, holder()).is_ok());
}

#[test] // spec: Z-3a
fn one_wake_too_many_is_settled_by_the_newest_that_waits() {
    let mut lane = lane();
    for request in 0..WAKES_PER_AGENT_MAX {
        lane.queue(at(0), timer(at(request as i64)));
    }
    let newest = key(&timer(at(WAKES_PER_AGENT_MAX as i64 - 1)));
    let Enqueued::Absorbed(row) = lane.queue(at(1), change('a')) else { panic!("it is one too many") };
    assert_eq!((row.status, row.executed_by), (WakeRunStatus::Superseded, newest));
    assert!(matches!(lane.queue(at(1), turn("one")), Enqueued::Queued(_)), "a person is not turned away");
    let job = lane.start(at(2)).expect("a job");
    assert_eq!(job.members.len(), MEMBERS_PER_JOB_MAX);
}

#[test] // spec: C-33
fn a_clock_that_was_ahead_holds_nothing_back_for_longer_than_was_meant() {
    let mut lane = lane();
    let ahead = at(10_000 * HOUR_MS);
    for request in 0..20 {
        lane.queue(ahead, timer(at(request)));
        let job = lane.start(Timestamp::from_ms(ahead.ms() + request * 31 * SECOND));
        if let Ok(job) = job {
            lane.finish(ahead, job.generation, RunEnd::Completed);
        }
    }
    lane.queue(ahead, change('a'));
    let Err(ClaimRefusal::NotBefore(again)) = lane.start(at(0)) else { panic!("it is throttled") };
    assert!(again <= at(HOUR_MS), "{again}");
    assert!(lane.start(again).is_ok());
    assert!(lane.expire(at(2 * HOUR_MS), &policy()).is_some());
}

//! Tests of the line in which lanes wait.

use super::super::switches::KillScope;
use super::*;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_000_000_000 + ms)
}

fn agent(name: &str) -> AgentId {
    AgentId::parse(name).expect("an agent")
}

fn waiting(startable_at: Timestamp) -> LaneView {
    LaneView { startable_at: Some(startable_at), expires_at: None }
}

fn running(expires_at: Timestamp) -> LaneView {
    LaneView { startable_at: None, expires_at: Some(expires_at) }
}

const IDLE: LaneView = LaneView { startable_at: None, expires_at: None };

/// What the store has of one lane, while so many jobs run.
fn lane(name: &str, view: LaneView, places_taken: usize) -> PlannerEvent {
    PlannerEvent::Lanes { lanes: vec![(agent(name), view)], places_taken }
}

fn places(places_taken: usize) -> PlannerEvent {
    PlannerEvent::Lanes { lanes: vec![], places_taken }
}

fn claim(name: &str) -> PlannerEffect {
    PlannerEffect::Claim(agent(name))
}

fn planner() -> WakePlanner {
    WakePlanner::new(WakePolicy::default())
}

#[test] // spec: C-30
fn a_lane_is_claimed_when_its_time_has_come_and_once() {
    let mut planner = planner();
    assert_eq!(planner.next_deadline(), None);
    assert_eq!(planner.handle(at(0), lane("coach", waiting(at(100)), 0)), []);
    assert_eq!(planner.next_deadline(), Some(at(100)));
    assert_eq!(planner.handle(at(99), PlannerEvent::Tick), []);
    assert_eq!(planner.handle(at(100), PlannerEvent::Tick), [claim("coach")]);
    assert_eq!(planner.handle(at(101), PlannerEvent::Tick), []);
    assert_eq!(planner.next_deadline(), None);
    assert_eq!(planner.handle(at(102), lane("coach", running(at(60_102)), 1)), []);
    assert_eq!(planner.next_deadline(), Some(at(60_102)));
    assert_eq!(planner.handle(at(5_000), lane("coach", IDLE, 0)), []);
    assert_eq!(planner.next_deadline(), None);
}

#[test] // spec: H-08, T-80
fn the_lane_that_waits_longest_is_first_and_no_more_are_claimed_than_there_are_places() {
    let mut planner = planner();
    for (name, ready) in [("d", 40), ("b", 10), ("c", 30), ("a", 20)] {
        assert_eq!(planner.handle(at(0), lane(name, waiting(at(ready)), 2)), []);
    }
    assert_eq!(planner.handle(at(50), PlannerEvent::Tick), [claim("b"), claim("a")]);
    // A claim that the store refused leaves its place to the next in line. The other one keeps its own.
    assert_eq!(planner.handle(at(51), lane("b", waiting(at(900)), 2)), [claim("c")]);
    // A lane that comes later does not overtake.
    assert_eq!(planner.handle(at(53), lane("e", waiting(at(45)), 2)), []);
    assert_eq!(planner.handle(at(54), lane("a", IDLE, 2)), [claim("d")]);
}

#[test] // spec: H-08, T-80
fn a_process_that_starts_takes_the_lane_that_waits_longest_first() {
    let mut planner = planner();
    let lanes = [("a", 30), ("b", 10), ("c", 20)].map(|(name, ready)| (agent(name), waiting(at(ready))));
    let all = PlannerEvent::Lanes { lanes: lanes.to_vec(), places_taken: 3 };
    assert_eq!(planner.handle(at(99), all), [claim("b")]);
}

#[test]
fn a_process_without_a_place_looks_from_time_to_time_whether_another_has_left_one() {
    let mut planner = planner();
    planner.handle(at(0), places(4));
    assert_eq!(planner.handle(at(10), lane("coach", waiting(at(0)), 4)), []);
    assert_eq!(planner.next_deadline(), Some(at(1_010)));
    assert_eq!(planner.handle(at(1_010), PlannerEvent::Tick), [PlannerEffect::CountPlaces]);
    planner.handle(at(1_011), places(4));
    assert_eq!(planner.next_deadline(), Some(at(2_011)));
    assert_eq!(planner.handle(at(2_011), places(3)), [claim("coach")]);
}

#[test] // spec: Z-28
fn a_lease_that_is_over_is_expired_whether_or_not_there_is_a_place() {
    let mut planner = planner();
    planner.handle(at(0), lane("coach", running(at(100)), 4));
    assert_eq!(planner.handle(at(99), PlannerEvent::Tick), []);
    assert_eq!(planner.handle(at(100), PlannerEvent::Tick), [PlannerEffect::Expire(agent("coach"))]);
    assert_eq!(planner.handle(at(101), PlannerEvent::Tick), []);
}

#[test] // spec: F-08
fn a_stopped_lane_is_not_claimed_until_its_switch_is_released() {
    let mut planner = planner();
    let mut switches = KillSwitches::default();
    switches.engage(KillScope::Agent(agent("coach")));
    planner.handle(at(0), PlannerEvent::Switches(switches.clone()));
    assert_eq!(planner.handle(at(0), lane("coach", waiting(at(0)), 0)), []);
    assert_eq!(planner.next_deadline(), None);
    assert_eq!(planner.handle(at(0), lane("planner", waiting(at(0)), 0)), [claim("planner")]);
    switches.engage(KillScope::All);
    switches.release(KillScope::Agent(agent("coach")));
    assert_eq!(planner.handle(at(1), PlannerEvent::Switches(switches.clone())), []);
    switches.release(KillScope::All);
    assert_eq!(planner.handle(at(1), PlannerEvent::Switches(switches)), [claim("coach")]);
}

#[test] // spec: C-33
fn a_clock_that_goes_back_has_all_lanes_read_anew() {
    let mut planner = planner();
    planner.handle(at(5_000), lane("coach", waiting(at(6_000)), 4));
    assert_eq!(planner.handle(at(0), PlannerEvent::Tick), [PlannerEffect::ReadLanes]);
    assert_eq!(planner.handle(at(0), lane("coach", waiting(at(0)), 4)), []);
    assert_eq!(planner.next_deadline(), Some(at(1_000)));
}

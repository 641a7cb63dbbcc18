//! Tests of the line in which lanes wait.

use super::super::switches::KillScope;
use super::*;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(1_000_000_000 + ms)
}

fn agent(name: &str) -> AgentId {
    AgentId::parse(name).expect("an agent")
}

fn waits(name: &str, startable_at: Timestamp) -> PlannerEvent {
    let view = LaneView { startable_at: Some(startable_at), expires_at: None };
    PlannerEvent::Lanes(vec![(agent(name), view)])
}

fn runs(name: &str, expires_at: Timestamp) -> PlannerEvent {
    let view = LaneView { startable_at: None, expires_at: Some(expires_at) };
    PlannerEvent::Lanes(vec![(agent(name), view)])
}

fn idle(name: &str) -> PlannerEvent {
    PlannerEvent::Lanes(vec![(agent(name), LaneView { startable_at: None, expires_at: None })])
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
    assert_eq!(planner.handle(at(0), waits("coach", at(100))), []);
    assert_eq!(planner.next_deadline(), Some(at(100)));
    assert_eq!(planner.handle(at(99), PlannerEvent::Tick), []);
    assert_eq!(planner.handle(at(100), PlannerEvent::Tick), [claim("coach")]);
    assert_eq!(planner.handle(at(101), PlannerEvent::Tick), []);
    assert_eq!(planner.next_deadline(), None);
    assert_eq!(planner.handle(at(102), runs("coach", at(60_102))), []);
    assert_eq!(planner.next_deadline(), Some(at(60_102)));
    assert_eq!(planner.handle(at(5_000), idle("coach")), []);
    assert_eq!(planner.next_deadline(), None);
}

#[test] // spec: H-08, T-80
fn the_lane_that_waits_longest_is_first_and_no_more_are_claimed_than_there_are_places() {
    let mut planner = planner();
    planner.handle(at(0), PlannerEvent::Places { taken: 2 });
    for (name, ready) in [("d", 40), ("b", 10), ("c", 30), ("a", 20)] {
        assert_eq!(planner.handle(at(0), waits(name, at(ready))), []);
    }
    assert_eq!(planner.handle(at(50), PlannerEvent::Tick), [claim("b"), claim("a")]);
    // A claim that the store refused hands its place to the next in line, once the places are counted.
    planner.handle(at(51), waits("b", at(900)));
    assert_eq!(planner.handle(at(52), PlannerEvent::Places { taken: 3 }), [claim("c")]);
    // One that comes later does not overtake.
    assert_eq!(planner.handle(at(53), waits("e", at(45))), []);
    assert_eq!(planner.handle(at(54), PlannerEvent::Places { taken: 3 }), [claim("d")]);
}

#[test] // spec: H-08, T-80
fn a_process_that_starts_takes_the_lane_that_waits_longest_first() {
    let mut planner = planner();
    planner.handle(at(99), PlannerEvent::Places { taken: 3 });
    let lane = |name, ready| (agent(name), LaneView { startable_at: Some(at(ready)), expires_at: None });
    let all = PlannerEvent::Lanes(vec![lane("a", 30), lane("b", 10), lane("c", 20)]);
    assert_eq!(planner.handle(at(99), all), [claim("b")]);
}

#[test]
fn a_process_without_a_place_looks_from_time_to_time_whether_another_has_left_one() {
    let mut planner = planner();
    planner.handle(at(0), PlannerEvent::Places { taken: 4 });
    assert_eq!(planner.handle(at(10), waits("coach", at(0))), []);
    assert_eq!(planner.next_deadline(), Some(at(1_000)));
    assert_eq!(planner.handle(at(1_000), PlannerEvent::Tick), [PlannerEffect::CountPlaces]);
    planner.handle(at(1_001), PlannerEvent::Places { taken: 4 });
    assert_eq!(planner.next_deadline(), Some(at(2_001)));
    let effects = planner.handle(at(2_001), PlannerEvent::Places { taken: 3 });
    assert_eq!(effects, [claim("coach")]);
}

#[test] // spec: Z-28
fn a_lease_that_is_over_is_expired_whether_or_not_there_is_a_place() {
    let mut planner = planner();
    planner.handle(at(0), PlannerEvent::Places { taken: 4 });
    planner.handle(at(0), runs("coach", at(100)));
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
    assert_eq!(planner.handle(at(0), waits("coach", at(0))), []);
    assert_eq!(planner.next_deadline(), None);
    assert_eq!(planner.handle(at(0), waits("planner", at(0))), [claim("planner")]);
    switches.release(KillScope::Agent(agent("coach")));
    assert_eq!(planner.handle(at(1), PlannerEvent::Switches(switches)), [claim("coach")]);
}

#[test] // spec: C-33
fn a_clock_that_goes_back_has_all_lanes_read_anew() {
    let mut planner = planner();
    planner.handle(at(5_000), PlannerEvent::Places { taken: 4 });
    planner.handle(at(5_000), waits("coach", at(6_000)));
    assert_eq!(planner.handle(at(0), PlannerEvent::Tick), [PlannerEffect::ReadLanes]);
    assert_eq!(planner.handle(at(0), waits("coach", at(0))), []);
    assert_eq!(planner.next_deadline(), Some(at(1_000)));
}

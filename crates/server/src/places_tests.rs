use super::*;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// `agent` or `agent/session`.
fn key(name: &str) -> CallerKey {
    let (agent, session) = name.split_once('/').unwrap_or((name, ""));
    CallerKey { agent: AgentKey::Named(agent.into()), session: session.into() }
}

/// Callers that wait for places, each by name. They are polled again and again without a runtime.
struct Line {
    places: Arc<CallPlaces>,
    waiting: Vec<(String, Taking)>,
}

/// Takes a place once there is one.
type Taking = Pin<Box<dyn Future<Output = RunningPlace>>>;

/// The callers that have a place.
type Served = Vec<(String, RunningPlace)>;

impl Line {
    fn new(count: usize) -> Self {
        Self { places: CallPlaces::new(count), waiting: Vec::new() }
    }

    fn enter(&mut self, name: &str) {
        let (places, key) = (self.places.clone(), key(name));
        let mut taking = Box::pin(async move { places.take(&key).await });
        // Polled once, so that it is in line.
        match taking.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(place) => self.waiting.push((name.to_owned(), Box::pin(std::future::ready(place)))),
            Poll::Pending => self.waiting.push((name.to_owned(), taking)),
        }
    }

    fn enter_often(&mut self, name: &str) {
        (0..100).for_each(|_| self.enter(name));
    }

    /// The callers that got a place since the last look.
    fn served(&mut self) -> Served {
        let mut served = Vec::new();
        for (name, mut taking) in std::mem::take(&mut self.waiting) {
            match taking.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(place) => served.push((name, place)),
                Poll::Pending => self.waiting.push((name, taking)),
            }
        }
        served
    }

    fn is_empty(&self) -> bool {
        let state = self.places.lock();
        state.agents.is_empty() && state.turns.is_empty()
    }
}

fn count(served: &Served, name: &str) -> usize {
    served.iter().filter(|(other, _)| other == name).count()
}

#[test] // spec: IF-14b
fn an_agent_in_a_loop_leaves_places_to_those_who_come_later() {
    let mut line = Line::new(16);
    for session in 0..20 {
        line.enter_often(&format!("greedy/{session}"));
    }
    let held = line.served();
    assert_eq!(held.len(), 8, "half of them, whatever the number of its sessions");
    line.enter("innocent");
    let innocent = line.served();
    assert_eq!(count(&innocent, "innocent"), 1, "served at once, though 1,992 calls were there before");
    line.enter_often("second");
    let second = line.served();
    assert!((1..=4).contains(&second.len()), "half of the rest: {}", second.len());
    line.enter("third");
    assert_eq!(count(&line.served(), "third"), 1);
}

#[test] // spec: IF-14b
fn a_session_in_a_loop_leaves_places_to_the_other_sessions_of_its_agent() {
    let mut line = Line::new(16);
    line.enter_often("claude/greedy");
    let held = line.served();
    assert_eq!(held.len(), 4);
    line.enter("claude/innocent");
    assert_eq!(count(&line.served(), "claude/innocent"), 1);
    drop(held);
}

#[test] // spec: IF-14b
fn callers_take_turns_however_many_calls_each_has_waiting() {
    let mut line = Line::new(1);
    line.enter("first");
    let mut running = line.served();
    for name in ["greedy", "greedy", "greedy", "a", "b/1", "b/1", "b/2"] {
        line.enter(name);
    }
    let mut order = Vec::new();
    while !running.is_empty() {
        running.clear();
        running = line.served();
        order.extend(running.iter().map(|(name, _)| name.clone()));
    }
    assert_eq!(order, ["greedy", "a", "b/1", "greedy", "b/2", "greedy", "b/1"]);
    assert!(line.is_empty(), "nothing is kept of callers that are gone");
}

#[test] // spec: IF-14b
fn whoever_stops_waiting_is_passed_over_and_holds_nothing() {
    let mut line = Line::new(1);
    line.enter("first");
    let running = line.served();
    line.enter("gone");
    line.enter("gone");
    line.enter("next");
    line.waiting.retain(|(name, _)| name != "gone");
    drop(running);
    let served = line.served();
    assert_eq!(count(&served, "next"), 1);
    drop(served);
    assert!(line.is_empty());
    assert_eq!(line.places.lock().free, 1);
}

#[test] // spec: IF-14b
fn a_small_number_of_places_is_used_too() {
    for places in 1..=4 {
        let mut line = Line::new(places);
        line.enter_often("only");
        let mut served = 0;
        loop {
            let now = line.served().len();
            if now == 0 {
                break;
            }
            served += now;
        }
        assert_eq!(served, 100, "{places} places");
        assert!(line.is_empty());
    }
}

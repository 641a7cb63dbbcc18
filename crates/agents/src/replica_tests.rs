use super::*;
use crate::ids::AgentMessageId;
use crate::processed::tests::processed;
use crate::slots::AgentSlots;
use crate::state::{FailureCount, MessagePointer};
use crate::vector_clock::ClockOrder;
use crate::vector_clock::tests::{clock, host};
use proptest::prelude::*;

const HOSTS: [&str; 3] = ["a", "b", "c"];

fn at(ms: i64) -> Timestamp {
    Timestamp::from_ms(ms)
}

fn unknown(_: &AgentMessageId, _: &AgentMessageId) -> bool {
    false
}

fn host_id() -> impl Strategy<Value = HostId> {
    prop::sample::select(&HOSTS[..]).prop_map(host)
}

fn time() -> impl Strategy<Value = Option<Timestamp>> {
    prop::option::of((0_i64..4).prop_map(at))
}

fn pointer() -> impl Strategy<Value = Option<MessagePointer>> {
    let message = prop::sample::select(&["m1", "m2", "m3"][..]);
    let made = (host_id(), message, clock()).prop_map(|(host, message, clock)| MessagePointer {
        host,
        message: AgentMessageId::parse(message).expect("a word"),
        clock,
    });
    prop::option::of(made)
}

fn slots() -> impl Strategy<Value = AgentSlots> {
    (prop::collection::vec((host_id(), "[xy]"), 0..3), prop::collection::vec((host_id(), "[xy]"), 0..2))
        .prop_map(|(goals, tasks)| {
            let mut slots = AgentSlots::default();
            for (host, goal) in goals {
                slots.primary_goal.set(Some(goal), &host);
            }
            for (host, task) in tasks {
                slots.active_task_id.set(Some(task), &host);
            }
            slots
        })
}

fn state() -> impl Strategy<Value = AgentState> {
    let times = (0_i64..4, time(), time(), time());
    (times, pointer(), pointer(), (0_u64..2, 0_u32..3), processed(), slots()).prop_map(
        |((updated, last, next, sleep), recent_head, latest_summary, failures, processed, slots)| {
            AgentState {
                updated_at: at(updated),
                last_wake_at: last,
                next_wake_at: next,
                sleep_until: sleep,
                recent_head,
                latest_summary,
                failures: FailureCount { success_epoch: failures.0, count: failures.1 },
                processed,
                slots,
            }
        },
    )
}

fn lifecycle() -> impl Strategy<Value = AgentLifecycle> {
    prop_oneof![
        1 => Just(AgentLifecycle::Created),
        4 => Just(AgentLifecycle::Active),
        2 => Just(AgentLifecycle::Dormant),
        1 => Just(AgentLifecycle::Destroyed),
    ]
}

fn snapshot() -> impl Strategy<Value = StateSnapshot> {
    (clock(), host_id(), lifecycle(), state()).prop_map(|(clock, host, lifecycle, state)| StateSnapshot {
        clock,
        host,
        lifecycle,
        state,
    })
}

/// Replicas of one to four snapshots: most clocks are concurrent, many dominate, some are equal.
fn replica() -> impl Strategy<Value = StateReplica> {
    prop::collection::vec(snapshot(), 1..5)
        .prop_map(|snapshots| StateReplica::of_snapshots(snapshots).expect("some"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test] // spec: G-39, T-33
    fn merges_commute_associate_and_repeat(a in replica(), b in replica(), c in replica()) {
        let merged = a.clone().merge(&b);
        prop_assert_eq!(&merged, &b.clone().merge(&a));
        prop_assert_eq!(&merged, &merged.clone().merge(&a));
        prop_assert_eq!(&a, &a.clone().merge(&a));
        let (left, right) = (merged.merge(&c), a.merge(&b.merge(&c)));
        prop_assert_eq!(left.resolve(&unknown), right.resolve(&unknown));
        prop_assert_eq!(left, right);
    }

    #[test] // spec: Z-25
    fn a_merge_counts_no_write(a in replica(), b in replica()) {
        let merged = a.clone().merge(&b);
        prop_assert_eq!(merged.clock(), &a.clock().clone().join(b.clock()));
        prop_assert!(merged.snapshots().all(|kept| a.snapshots().chain(b.snapshots()).any(|one| one == kept)));
    }

    #[test] // spec: G-30
    fn a_snapshot_that_knows_all_others_is_the_state(a in replica(), written in state(), name in host_id()) {
        prop_assume!(a.resolve(&unknown).lifecycle != AgentLifecycle::Destroyed);
        let clock = a.clock().clone().after_write_of(&name);
        let snapshot = StateSnapshot { clock, host: name, lifecycle: AgentLifecycle::Active, state: written };
        let expected = ResolvedState { lifecycle: AgentLifecycle::Active, state: snapshot.state.clone() };
        let newer = StateReplica::new(snapshot);
        prop_assert_eq!(a.clone().merge(&newer).resolve(&unknown), expected.clone());
        prop_assert_eq!(newer.merge(&a).resolve(&unknown), expected);
    }

    #[test] // spec: G-32, Z-16
    fn destroyed_absorbs_and_else_the_concurrent_precedence_holds(a in replica(), b in replica()) {
        let destroyed = |replica: &StateReplica| replica.resolve(&unknown).lifecycle == AgentLifecycle::Destroyed;
        let merged = a.clone().merge(&b);
        prop_assert_eq!(destroyed(&merged), destroyed(&a) || destroyed(&b));
        let most = merged.snapshots().map(|snapshot| snapshot.lifecycle).max();
        prop_assert_eq!(Some(merged.resolve(&unknown).lifecycle), most);
        let mut merged = merged;
        if destroyed(&merged) {
            let refused = merged.write(&host("a"), at(9), &unknown, |now| now.lifecycle = AgentLifecycle::Active);
            prop_assert_eq!(refused, Err(AgentDestroyed));
        }
    }

    #[test] // spec: G-37
    fn no_merge_looks_at_the_time_of_writing(a in snapshot(), b in snapshot(), c in snapshot(), times: [u16; 3]) {
        let resolve = |snapshots: [StateSnapshot; 3]| {
            let replica = StateReplica::of_snapshots(snapshots).expect("some");
            let mut resolved = replica.resolve(&unknown);
            resolved.state.updated_at = at(0);
            resolved
        };
        // Equal clocks are one write, and a write has one time.
        prop_assume!(a.clock != b.clock && b.clock != c.clock && a.clock != c.clock);
        let mut skewed = [a.clone(), b.clone(), c.clone()];
        for (snapshot, ms) in skewed.iter_mut().zip(times) {
            snapshot.state.updated_at = at(ms.into());
        }
        prop_assert_eq!(resolve([a, b, c]), resolve(skewed));
    }

    #[test] // spec: G-31
    fn what_any_concurrent_device_processed_is_processed(mut a in snapshot(), mut b in snapshot()) {
        (a.lifecycle, b.lifecycle) = (AgentLifecycle::Active, AgentLifecycle::Active);
        (a.clock, b.clock) = (a.clock.after_write_of(&host("x")), b.clock.after_write_of(&host("y")));
        prop_assert_eq!(a.clock.compare(&b.clock), ClockOrder::Concurrent);
        let merged = StateReplica::new(a.clone()).merge(&StateReplica::new(b.clone())).resolve(&unknown);
        let joined = a.state.processed.join(&b.state.processed);
        prop_assert_eq!(merged.state.processed, joined);
    }
}

/// What a device does in a made-up history.
#[derive(Clone, Debug)]
enum Step {
    /// It writes a goal, and fails or succeeds.
    Write { by: usize, goal: String, is_success: bool },
    /// It sends what it knows.
    Send { from: usize, to: usize },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0_usize..3, "[xyz]", any::<bool>()).prop_map(|(by, goal, is_success)| Step::Write {
            by,
            goal,
            is_success
        }),
        (0_usize..3, 0_usize..3).prop_map(|(from, to)| Step::Send { from, to }),
    ]
}

proptest! {
    #[test] // spec: G-39
    fn devices_that_exchanged_everything_agree_and_then_have_nothing_to_send(
        steps in prop::collection::vec(step(), 0..24),
    ) {
        let state = AgentState::new(at(0));
        let clock = VectorClock::default().after_write_of(&host("a"));
        let first = StateSnapshot { clock, host: host("a"), lifecycle: AgentLifecycle::Active, state };
        let mut devices = [(); 3].map(|()| StateReplica::new(first.clone()));
        let mut written = vec![first];
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Write { by, goal, is_success } => {
                    let name = host(HOSTS[by]);
                    let now = at(i64::try_from(number).expect("few"));
                    let made = devices[by].write(&name, now, &unknown, |resolved| {
                        let failures = resolved.state.failures;
                        resolved.state.failures =
                            if is_success { failures.after_success() } else { failures.after_failure() };
                        resolved.state.slots.primary_goal.set(Some(goal), &name);
                    });
                    written.push(made.expect("it is active"));
                }
                Step::Send { from, to } => devices[to] = devices[to].clone().merge(&devices[from].clone()),
            }
        }
        let [a, b, c] = &devices;
        let all = a.clone().merge(b).merge(c);
        for device in &devices {
            let merged = device.clone().merge(&all);
            prop_assert_eq!(&merged, &all);
            prop_assert_eq!(merged.resolve(&unknown), all.resolve(&unknown));
        }
        // The snapshots alone say the same, in any order; and each has an id of its own.
        written.reverse();
        let agent = AgentId::parse("coach").expect("an id");
        let ids: BTreeSet<_> = written.iter().map(|snapshot| snapshot.id(&agent)).collect();
        prop_assert_eq!(ids.len(), written.len());
        prop_assert_eq!(StateReplica::of_snapshots(written), Some(all.clone()));
        // No device wrote twice without knowing its own write, so each has one snapshot at most.
        let hosts: BTreeSet<_> = all.snapshots().map(|snapshot| &snapshot.host).collect();
        prop_assert_eq!(hosts.len(), all.snapshots().count());
    }
}

#[test] // spec: Z-35
fn a_replaced_snapshot_leaves_nothing_behind_in_any_order() {
    let snapshot = |name: &str, counters: [u64; 2], sleep: Option<i64>| {
        let clock = VectorClock::new(["a", "b"].map(host).into_iter().zip(counters));
        let state = AgentState { sleep_until: sleep.map(at), ..AgentState::new(at(0)) };
        StateReplica::new(StateSnapshot { clock, host: host(name), lifecycle: AgentLifecycle::Active, state })
    };
    // `c` is the next write of the device of `a`, which ended the sleep; `b` knows neither.
    let (a, b, c) =
        (snapshot("a", [1, 0], Some(100)), snapshot("b", [0, 1], None), snapshot("a", [2, 0], None));
    let orders = [
        a.clone().merge(&b).merge(&c),
        a.clone().merge(&b.clone().merge(&c)),
        c.clone().merge(&a).merge(&b),
        b.merge(&c).merge(&a),
    ];
    for merged in orders {
        assert_eq!(merged.resolve(&unknown).state.sleep_until, None);
        assert_eq!(merged.snapshots().count(), 2);
    }
}

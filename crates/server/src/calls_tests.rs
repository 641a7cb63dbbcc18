use super::{Calls, Room};
use crate::caller_key::CallerKey;
use crate::limits::{CALLER_PENDING_MAX, DAEMON_CALLS_MAX};
use crate::turn::Turn;
use brainstem_api::Effect;
use brainstem_base::{Fault, codes};
use brainstem_memory::Declared;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

fn key(name: &str) -> CallerKey {
    CallerKey::of(&Declared { argument: Some(name.to_owned()), ..Declared::default() }, None)
}

/// A call that runs until the other end of its channel is dropped.
async fn stuck(
    room: &Arc<Room>,
    name: &str,
    turn: Turn,
) -> (std::sync::mpsc::Sender<()>, tokio::task::JoinHandle<Result<(), Fault>>) {
    let (ends, end) = std::sync::mpsc::channel::<()>();
    let (began, begins) = tokio::sync::oneshot::channel();
    let (room, name) = (room.clone(), name.to_owned());
    let running = tokio::spawn(async move {
        let work = move |answered: tokio::sync::oneshot::Sender<_>| {
            let _ = began.send(());
            let _ = end.recv();
            let _ = answered.send(Ok(()));
        };
        Calls::within(room).work(&name, Effect::Read, 1, turn, work).await
    });
    begins.await.expect("it got a place");
    (ends, running)
}

#[test] // spec: IF-14b
fn a_caller_in_a_loop_leaves_the_others_served() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let room = Arc::new(Room::new(CancellationToken::new()));
        let mut held = Vec::new();
        for _ in 0..DAEMON_CALLS_MAX / 4 {
            held.push(stuck(&room, "greedy", Turn::look(key("greedy"))).await);
        }
        // As many as the caller may have waiting, and one more.
        let mut waiting = Vec::new();
        for _ in held.len()..CALLER_PENDING_MAX {
            let calls = Calls::within(room.clone());
            waiting.push(tokio::spawn(async move {
                let work = |answered: tokio::sync::oneshot::Sender<_>| drop(answered.send(Ok(())));
                calls.work("greedy", Effect::Read, 1, Turn::look(key("greedy")), work).await
            }));
        }
        while room.pending() < CALLER_PENDING_MAX {
            tokio::task::yield_now().await;
        }
        let ask = async |name: &str, turn: Turn| {
            let work = |answered: tokio::sync::oneshot::Sender<_>| drop(answered.send(Ok(())));
            Calls::within(room.clone()).work::<()>(name, Effect::Read, 1, turn, work).await
        };
        let refused = ask("greedy", Turn::look(key("greedy"))).await.expect_err("it has its share");
        assert!(
            refused.code == codes::DAEMON_BUSY && refused.message.contains("of your calls"),
            "{refused:?}"
        );
        assert_eq!(ask("innocent", Turn::look(key("innocent"))).await, Ok(()), "served at once");
        assert!(waiting.iter().all(|call| !call.is_finished()), "and the greedy one's still wait");
        drop(held.drain(..).map(|(ends, _)| ends).collect::<Vec<_>>());
        for call in waiting {
            assert_eq!(call.await.expect("no panic"), Ok(()));
        }
        room.finished().await;
    });
}

#[test] // spec: IF-14b, MAIL-17
fn what_is_woken_is_let_in_however_many_wait() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let room = Arc::new(Room::new(CancellationToken::new()));
        let mut held = Vec::new();
        for _ in 0..DAEMON_CALLS_MAX / 4 {
            held.push(stuck(&room, "poll", Turn::look(key("one"))).await);
        }
        let woken: Vec<_> = (0..2 * CALLER_PENDING_MAX)
            .map(|_| {
                let calls = Calls::within(room.clone());
                tokio::spawn(async move {
                    let work = |answered: tokio::sync::oneshot::Sender<_>| drop(answered.send(Ok(())));
                    calls.work("poll", Effect::Read, 1, Turn::look(key("one")).woken(), work).await
                })
            })
            .collect();
        drop(held);
        for poll in woken {
            assert_eq!(poll.await.expect("no panic"), Ok(()));
        }
    });
}

#[test] // spec: IF-14a
fn a_call_that_nobody_waits_for_any_more_is_not_begun() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let room = Arc::new(Room::new(CancellationToken::new()));
        let calls = Arc::new(Calls::within(room.clone()));
        let (ends, running) = {
            let (ends, end) = std::sync::mpsc::channel::<()>();
            let (began, begins) = tokio::sync::oneshot::channel();
            let calls = calls.clone();
            let running = tokio::spawn(async move {
                let work = move |answered: tokio::sync::oneshot::Sender<_>| {
                    let _ = began.send(());
                    let _ = end.recv();
                    let _ = answered.send(Ok(()));
                };
                calls.work("first", Effect::Write, 8, Turn::look(key("one")), work).await
            });
            begins.await.expect("it runs");
            (ends, running)
        };
        let second =
            calls.work::<()>("second", Effect::Write, 8, Turn::look(key("one")), |_| panic!("begun"));
        // Polled once, so that it is in line; then its caller hangs up.
        let mut second = Box::pin(second);
        let waits = std::future::poll_fn(|cx| std::task::Poll::Ready(second.as_mut().poll(cx).is_pending()));
        assert!(waits.await);
        drop(second);
        drop(ends);
        assert_eq!(running.await.expect("no panic"), Ok(()));
        room.finished().await;
        assert_eq!(room.pending(), 0);
    });
}

#[test] // spec: IF-14a
fn a_call_that_takes_too_long_is_not_waited_for_and_its_caller_hears_what_becomes_of_it() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(true).build().expect("a runtime").block_on(async {
        let room = Arc::new(Room::new(CancellationToken::new()));
        for (effect, reply) in [(Effect::Read, "thrown away"), (Effect::Write, "goes on")] {
            let (ends, end) = std::sync::mpsc::channel::<()>();
            let work = move |answered: tokio::sync::oneshot::Sender<_>| {
                let _ = end.recv();
                let _ = answered.send(Ok(()));
            };
            let calls = Calls::within(room.clone());
            let call =
                tokio::spawn(
                    async move { calls.work("slow", effect, 1, Turn::look(key("one")), work).await },
                );
            // The clock does not move while a thread works, so the test moves it.
            while !call.is_finished() {
                tokio::time::advance(std::time::Duration::from_secs(1)).await;
            }
            let fault = call.await.expect("no panic").expect_err("too long");
            assert!(fault.code == codes::DAEMON_TIME_UP && fault.message.contains(reply), "{fault:?}");
            drop(ends);
        }
        room.finished().await;
    });
}

//! How wakes are queued, claimed and ended, and what a run that lost its lease can do: nothing.

#![allow(clippy::disallowed_methods, reason = "SQLite needs real files, and many processes are processes")]

use crate::sample::{agent, agent_id, append, at, json_of, report, run_key, snapshot, wake};
use crate::{
    AgentStore, AgentStoreError, BatchRecord, EnqueueOutcome, RunEnding, StoredWake, WakeRequest,
    WriteAuthority,
};
use brainstem_agents::RunKey;
use brainstem_agents::vocabulary::{AgentLifecycle, WakeRunStatus};
use brainstem_base::disk::RealDisk;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

fn open(folder: &Path) -> AgentStore {
    AgentStore::in_folder(folder, Arc::new(RealDisk))
}

fn with_agents(folder: &Path, names: &[&str]) -> AgentStore {
    let store = open(folder);
    let first = snapshot("a", 1, AgentLifecycle::Active);
    store
        .write(|all| names.iter().try_for_each(|name| all.create_agent(&agent(name), &first)))
        .expect("made");
    store
}

fn first_of(ready: &[StoredWake]) -> Vec<RunKey> {
    ready.first().map(|wake| wake.request.run_key).into_iter().collect()
}

fn completed(_: &StoredWake) -> RunEnding {
    RunEnding::Over { status: WakeRunStatus::Completed, executed_by: None, why: None }
}

fn status(store: &AgentStore, number: u64) -> Option<WakeRunStatus> {
    store.read(|all| all.run(run_key(number))).unwrap().unwrap().map(|run| run.status)
}

#[test]
fn a_wake_is_queued_once_and_never_again_after_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_agents(folder.path(), &["coach"]);
    let coach = agent_id("coach");
    let enqueue = |request: &WakeRequest| store.write(|all| all.enqueue(request, at(1))).unwrap();
    let mut asked = wake("coach", 1);
    asked.seed_input = Some("hello".to_owned());
    asked.batch = Some(BatchRecord {
        local_batch_id: 4,
        logical_change_key: "k".to_owned(),
        change_unit_keys: vec!["u1".to_owned(), "u2".to_owned()],
    });
    assert_eq!(enqueue(&asked), EnqueueOutcome::Queued);
    assert_eq!(enqueue(&asked), EnqueueOutcome::Known(WakeRunStatus::Queued));
    // A restart finds it as it was asked for.
    let queue = open(folder.path()).read(|all| all.queue(&coach)).unwrap().unwrap();
    let expected =
        StoredWake { request: asked.clone(), seq: 1, queued_at: at(1), attempts: 0, generation: None };
    assert_eq!(queue, [expected]);
    let claimed =
        store.write(|all| all.claim(&coach, "p", at(1), at(9), first_of)).unwrap().expect("claimed");
    assert_eq!(enqueue(&asked), EnqueueOutcome::Known(WakeRunStatus::Started));
    store.write(|all| all.end_run(&coach, claimed.generation, at(2), completed)).unwrap();
    assert_eq!(enqueue(&asked), EnqueueOutcome::Known(WakeRunStatus::Completed));
    assert_eq!(store.read(|all| all.queue(&coach)).unwrap().unwrap(), []);
}

#[test]
fn one_run_of_an_agent_is_under_way_and_wakes_that_came_together_end_together() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_agents(folder.path(), &["coach", "other"]);
    let coach = agent_id("coach");
    let mut later = wake("coach", 3);
    later.ready_at = at(50);
    for request in [wake("coach", 1), wake("coach", 2), later, wake("other", 4)] {
        store.write(|all| all.enqueue(&request, at(0))).unwrap();
    }
    let all_ready = |ready: &[StoredWake]| ready.iter().map(|wake| wake.request.run_key).collect::<Vec<_>>();
    let claim =
        |name: &str| store.write(|all| all.claim(&agent_id(name), "p", at(1), at(9), all_ready)).unwrap();
    let claimed = claim("coach").expect("claimed");
    let keys: Vec<_> = claimed.wakes.iter().map(|wake| wake.request.run_key).collect();
    assert_eq!(keys, [run_key(1), run_key(2)]);
    assert_eq!(claim("coach"), None);
    assert!(claim("other").is_some(), "another agent is another line");
    let end_of = |wake: &StoredWake| RunEnding::Over {
        status: if wake.seq == 1 { WakeRunStatus::Completed } else { WakeRunStatus::Superseded },
        executed_by: (wake.seq > 1).then_some(run_key(1)),
        why: None,
    };
    store.write(|all| all.end_run(&coach, claimed.generation, at(2), end_of)).unwrap();
    assert_eq!(status(&store, 1), Some(WakeRunStatus::Completed));
    assert_eq!(status(&store, 2), Some(WakeRunStatus::Superseded));
    assert_eq!(status(&store, 3), Some(WakeRunStatus::Queued));
    let executed = store.read(|all| all.run(run_key(2))).unwrap().unwrap().unwrap().executed_by;
    assert_eq!(executed, Some(run_key(1)));
    assert_eq!(store.read(|all| all.next_ready_at()).unwrap().unwrap(), Some(at(50)));
    assert_eq!(claim("coach"), None, "nothing is ready before its time");
}

#[test] // spec: Z-28
fn every_write_of_a_run_that_lost_its_lease_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_agents(folder.path(), &["coach"]);
    let coach = agent_id("coach");
    store.write(|all| all.enqueue(&wake("coach", 1), at(0))).unwrap();
    let claim = || store.write(|all| all.claim(&coach, "p", at(10), at(20), first_of)).unwrap();
    let hung = claim().expect("claimed").generation;
    let retry = |_: &StoredWake| RunEnding::Retry { at: at(5), why: "lease_expired".to_owned() };
    let found = store.read(|all| all.expired_leases(at(20), 9)).unwrap().unwrap();
    let by = WriteAuthority::Run { generation: hung };
    let records = append("coach", 1, None);
    store.write(|all| all.append(&records, by)).expect("it holds the lease");
    store.write(|all| all.renew_lease(&coach, hung, at(30))).expect("it holds the lease");
    assert_eq!(store.read(|all| all.expired_leases(at(29), 9)).unwrap().unwrap(), []);
    assert_eq!(claim(), None, "a lease whose time is over is settled first");
    // Another process found its time to be over before it was renewed, and ends nothing.
    assert!(!store.write(|all| all.expire_run(&found[0], at(21), retry)).unwrap());
    assert_eq!(status(&store, 1), Some(WakeRunStatus::Started));
    let expired = store.read(|all| all.expired_leases(at(30), 9)).unwrap().unwrap();
    assert_eq!(expired.iter().map(|lease| lease.generation).collect::<Vec<_>>(), [hung]);
    assert!(store.write(|all| all.expire_run(&expired[0], at(31), retry)).unwrap());
    assert!(!store.write(|all| all.expire_run(&expired[0], at(31), retry)).unwrap());
    assert_eq!(status(&store, 1), Some(WakeRunStatus::FailedRetryable));
    let stale = |done: Result<(), AgentStoreError>| {
        assert!(matches!(done, Err(AgentStoreError::StaleGeneration { .. })), "{done:?}");
    };
    let check_all = || {
        stale(store.write(|all| all.append(&append("coach", 2, Some(&records.head)), by)));
        stale(store.write(|all| all.add_report(&report("coach", 1), by)));
        stale(store.write(|all| all.merge_snapshot(&coach, &snapshot("a", 2, AgentLifecycle::Active), by)));
        stale(store.write(|all| all.update_agent(&agent("coach"), 1, by).map(drop)));
        stale(store.write(|all| all.renew_lease(&coach, hung, at(99))));
        stale(store.write(|all| all.end_run(&coach, hung, at(32), completed)));
    };
    check_all();
    let second = claim().expect("claimed");
    assert!(second.generation > hung);
    assert_eq!(second.wakes[0].attempts, 2);
    // Also while the next run is under way.
    check_all();
    let kept = store.read(|all| all.recent_messages(&coach, 9)).unwrap().unwrap();
    assert_eq!(kept, [records.message]);
}

#[test]
fn a_wake_that_waits_can_be_ended_and_one_that_runs_or_is_gone_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_agents(folder.path(), &["coach"]);
    let coach = agent_id("coach");
    for number in [1, 2] {
        store.write(|all| all.enqueue(&wake("coach", number), at(0))).unwrap();
    }
    store.write(|all| all.claim(&coach, "p", at(0), at(9), first_of)).unwrap().expect("claimed");
    let cancel = |number| {
        let over = RunEnding::Over { status: WakeRunStatus::Canceled, executed_by: None, why: None };
        store.write(|all| all.end_waiting(run_key(number), over, at(1)))
    };
    cancel(2).unwrap();
    assert_eq!(status(&store, 2), Some(WakeRunStatus::Canceled));
    for number in [1, 2, 3] {
        assert!(matches!(cancel(number), Err(AgentStoreError::NoWake(_))), "{number}");
    }
    let open = RunEnding::Over { status: WakeRunStatus::Queued, executed_by: None, why: None };
    store.write(|all| all.enqueue(&wake("coach", 4), at(0))).unwrap();
    let refused = store.write(|all| all.end_waiting(run_key(4), open, at(1)));
    assert!(matches!(refused, Err(AgentStoreError::NotTerminal(WakeRunStatus::Queued))), "{refused:?}");
}

#[test]
fn a_damaged_row_is_an_error_and_never_an_empty_answer() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_agents(folder.path(), &["coach"]);
    let mut request = wake("coach", 1);
    request.cause = json_of("cause");
    store.write(|all| all.enqueue(&request, at(0))).unwrap();
    store
        .write(|all| all.execute("UPDATE agent_wake_runs SET reason = 'because'", ()).map(drop))
        .expect("another program wrote it");
    let asked = store.read(|all| all.queue(&agent_id("coach")));
    assert!(matches!(asked, Err(AgentStoreError::File(_))), "{asked:?}");
}

const WORKER: &str = "BRAINSTEM_TEST_WORKER";
const AGENTS: [&str; 3] = ["a", "b", "c"];

/// What a worker process does: claim the wakes of all agents until none is left, and print each before it ends it.
#[test]
fn worker_process() {
    let Ok(folder) = std::env::var(WORKER) else { return };
    let store = open(Path::new(&folder));
    // The test harness has begun a line.
    println!();
    loop {
        let ready = store.read(|all| all.ready_wakes(at(1), 9)).unwrap().unwrap();
        if ready.is_empty()
            && AGENTS
                .iter()
                .all(|name| store.read(|all| all.queue(&agent_id(name))).unwrap().unwrap().is_empty())
        {
            return;
        }
        for waiting in ready {
            let agent = waiting.request.agent;
            let claimed = store.write(|all| all.claim(&agent, "worker", at(1), at(9), first_of)).unwrap();
            let Some(claimed) = claimed else { continue };
            let key = claimed.wakes[0].request.run_key;
            let mut out = std::io::stdout().lock();
            writeln!(out, "ran {key}").expect("the parent reads");
            store.write(|all| all.end_run(&agent, claimed.generation, at(2), completed)).unwrap();
        }
    }
}

fn start_worker(folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "wake_tests::worker_process", "--nocapture", "--test-threads=1"]);
    command.env(WORKER, folder).stdout(Stdio::piped()).spawn().expect("started")
}

#[test]
fn of_many_processes_one_gets_each_wake() {
    const WAKES: u64 = 60;
    let folder = tempfile::tempdir().unwrap();
    let store = with_agents(folder.path(), &AGENTS);
    store
        .write(|all| {
            (0..WAKES).try_for_each(|number| {
                let name = AGENTS[usize::try_from(number).expect("small") % AGENTS.len()];
                all.enqueue(&wake(name, number), at(0)).map(drop)
            })
        })
        .unwrap();
    let workers: Vec<Child> = (0..4).map(|_| start_worker(folder.path())).collect();
    let mut runs: BTreeMap<String, usize> = BTreeMap::new();
    for worker in workers {
        let output = worker.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        for line in String::from_utf8(output.stdout).expect("text").lines() {
            if let Some(key) = line.strip_prefix("ran ") {
                *runs.entry(key.to_owned()).or_default() += 1;
            }
        }
    }
    let expected: BTreeMap<String, usize> =
        (0..WAKES).map(|number| (run_key(number).to_string(), 1)).collect();
    assert_eq!(runs, expected);
    let done = store.read(|all| all.runs_with(WakeRunStatus::Completed, 999)).unwrap().unwrap();
    assert!(done.len() == expected.len() && done.iter().all(|run| run.attempts == 1));
}

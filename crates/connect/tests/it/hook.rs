//! Marks of hooks: once for each session and event, whoever asks.

use crate::world::{CHERRY, HOME, MAKER, Short as _, caller, clock, service, two_repositories};
use brainstem_connect::{Connect, RepeatRule};
use brainstem_memory::{DebriefRequest, DelegateRequest, DelegationOutcome};
use std::path::Path;
use std::sync::Arc;

#[test] // spec: IF-16
fn an_event_of_a_session_is_answered_once_by_all_processes() {
    let disk = Arc::new(two_repositories());
    let clock = clock();
    let (one, two) = (service(disk.clone(), &clock), service(disk.clone(), &clock));
    one.begin(&caller(MAKER, CHERRY)).unwrap();
    assert!(Connect::new(&one).is_first("s", "session-start", RepeatRule::Never));
    for again in [RepeatRule::Never, RepeatRule::Anew] {
        assert!(!Connect::new(&two).is_first("s", "session-start", again), "the same moment");
    }
    assert!(
        Connect::new(&two).was_marked("s", "session-start")
            && !Connect::new(&two).was_marked("t", "session-start")
    );
    assert!(
        Connect::new(&two).is_first("s", "stop", RepeatRule::Never)
            && Connect::new(&two).is_first("t", "session-start", RepeatRule::Never)
    );
    clock.advance(60_000);
    assert!(!Connect::new(&one).is_first("s", "session-start", RepeatRule::Never));
    assert!(Connect::new(&one).is_first("s", "session-start", RepeatRule::Anew), "its context was cleared");
    assert!(!Connect::new(&two).is_first("s", "session-start", RepeatRule::Anew), "two hooks of one event");
}

#[test] // spec: IF-16
fn a_hook_makes_no_home_and_speaks_where_it_cannot_mark() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    assert!(Connect::new(&memory).is_first("s", "session-start", RepeatRule::Never));
    assert!(disk.dump().keys().all(|path| !path.starts_with(HOME)));
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    disk.set_read_only(true);
    assert!(
        Connect::new(&memory).is_first("s", "session-start", RepeatRule::Never)
            && Connect::new(&memory).is_first("s", "session-start", RepeatRule::Never)
    );
    disk.set_read_only(false);
    disk.set_space_left(Some(0));
    assert!(Connect::new(&memory).is_first("s", "session-start", RepeatRule::Never));
}

#[test] // spec: IF-16
fn old_marks_go() {
    let disk = two_repositories();
    let clock = clock();
    let memory = service(Arc::new(disk.clone()), &clock);
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    for n in 0..20 {
        Connect::new(&memory).is_first(&format!("session {n}"), "session-start", RepeatRule::Never);
    }
    let marks =
        || disk.dump().keys().filter(|path| path.starts_with(Path::new(HOME).join("local/hooks"))).count();
    assert_eq!(marks(), 40);
    clock.advance(15 * 24 * 3_600_000);
    Connect::new(&memory).is_first("next", "session-start", RepeatRule::Never);
    assert_eq!(marks(), 2);
}

#[test] // spec: IF-15
fn only_what_was_given_out_since_the_session_began_waits_for_it() {
    let disk = Arc::new(two_repositories());
    let clock = clock();
    let memory = service(disk, &clock);
    let mother = caller("claude:orchestrator", CHERRY);
    memory.begin(&mother).unwrap();
    let give = || {
        memory
            .delegate(
                &mother,
                &DelegateRequest { task: "bound it".into(), ..DelegateRequest::default() },
                &|packet| packet,
            )
            .unwrap()
            .id
    };
    let open = |session: &str| -> Vec<_> {
        Connect::new(&memory)
            .open_since(&mother, session)
            .unwrap()
            .into_iter()
            .map(|delegation| delegation.id)
            .collect()
    };
    give();
    clock.advance(1_000);
    Connect::new(&memory).is_first("s", "session-start", RepeatRule::Never);
    assert_eq!(open("s"), []);
    clock.advance(1_000);
    let id = give();
    assert_eq!(open("s"), std::slice::from_ref(&id));
    assert_eq!(open("unheard of"), []);
    let report = DebriefRequest {
        delegation_id: Some(id.as_str().to_owned()),
        outcome: Some(DelegationOutcome::Success),
        ..DebriefRequest::default()
    };
    memory.debrief(&mother, &report).unwrap();
    assert_eq!(open("s"), []);
}

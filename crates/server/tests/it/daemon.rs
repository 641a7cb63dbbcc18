//! The daemon's lock, record and token.

use crate::world::{HOME, clock, service, two_repositories};
use brainstem_base::disk::{Disk as _, PathFacts, SimDisk, UnsyncedFate};
use brainstem_base::{Coded as _, codes};
use brainstem_memory::{DaemonRecord, DaemonSeen, Memory};
use brainstem_server::tenancy::{self, Tenure};
use std::sync::Arc;

fn record(memory: &Memory) -> DaemonRecord {
    DaemonRecord {
        pid: 4711,
        address: "127.0.0.1:7733".into(),
        version: "1".into(),
        started: memory.now().ms(),
        instance: memory.secret(),
        poke: None,
        token_print: None,
        connections_max: None,
    }
}

#[test] // spec: IF-14
fn a_home_has_one_daemon_and_its_record_means_nothing_without_it() {
    let (disk, clock) = (Arc::new(two_repositories()), clock());
    let (one, other) = (service(disk.clone(), &clock), service(disk.clone(), &clock));
    assert_eq!((one.daemon(), one.daemon_record()), (None, None));
    assert!(!one.look_for_daemon().unwrap());
    assert!(disk.stat(std::path::Path::new(HOME)).is_err(), "looking makes no home");

    let guard = tenancy::become_daemon(&one).unwrap();
    assert_eq!(other.daemon(), None, "it has not said yet where it answers");
    let told = record(&one);
    tenancy::write_record(&one, &told).unwrap();
    assert_eq!(other.daemon().as_ref(), Some(&told));
    let refused = tenancy::become_daemon(&other).err().expect("there is one");
    assert_eq!(refused.code(), codes::DAEMON_RUNNING);
    assert!(
        refused.to_string().contains("4711") && refused.to_string().contains("127.0.0.1:7733"),
        "{refused}"
    );

    // Killed: the kernel frees the lock, and the record stays.
    drop(guard);
    assert_eq!((other.daemon(), other.daemon_record()), (None, Some(told)));
    let _guard = tenancy::become_daemon(&other).unwrap();
    tenancy::remove_record(&other);
    assert_eq!(other.daemon_record(), None);
}

#[test] // spec: IF-14
fn a_daemon_keeps_its_home_or_knows_that_it_lost_it() {
    let (disk, clock) = (Arc::new(two_repositories()), clock());
    let memory = service(disk.clone(), &clock);
    let (files, told) = (memory.daemon_files(), record(&memory));
    let mut lock = tenancy::become_daemon(&memory).unwrap();
    tenancy::write_record(&memory, &told).unwrap();
    assert_eq!(tenancy::keep(&memory, &mut lock, &told), Tenure::Kept);

    // The lock file is removed: nobody else would be kept out.
    disk.unlink(&files.lock).unwrap();
    assert!(matches!(tenancy::keep(&memory, &mut lock, &told), Tenure::Mended(_)));
    assert_eq!(tenancy::become_daemon(&memory).err().map(|error| error.code()), Some(codes::DAEMON_RUNNING));
    // The record is removed, broken or another's while the lock is held.
    let forged = DaemonRecord { pid: 1, instance: "x".into(), ..told.clone() };
    for broken in [None, Some(b"no record".to_vec()), serde_json::to_vec(&forged).ok()] {
        match broken {
            None => disk.unlink(&files.record).unwrap(),
            Some(bytes) => disk.write_raw(&files.record, &bytes),
        }
        assert!(matches!(tenancy::keep(&memory, &mut lock, &told), Tenure::Mended(_)));
        assert_eq!(memory.daemon().as_ref(), Some(&told));
    }
    // On a disk that is read-only now it goes on, and is seen.
    disk.set_read_only(true);
    assert_eq!(tenancy::keep(&memory, &mut lock, &told), Tenure::Kept);
    assert_eq!(memory.see_daemon(), DaemonSeen::Serving(told.clone()));
    disk.set_read_only(false);

    // Another took the lock file's name, and the record: this one ends, and leaves the other's record alone.
    disk.unlink(&files.lock).unwrap();
    let other = tenancy::become_daemon(&memory).unwrap();
    assert!(matches!(tenancy::keep(&memory, &mut lock, &told), Tenure::Lost(_)), "the lock is another's");
    tenancy::write_record(&memory, &forged).unwrap();
    assert!(matches!(tenancy::keep(&memory, &mut lock, &told), Tenure::Lost(_)));
    tenancy::leave(&memory, &told);
    assert_eq!(memory.daemon_record().as_ref(), Some(&forged));
    drop(other);

    // The home is moved: its next write would make another.
    let mut lock = tenancy::become_daemon(&memory).unwrap();
    tenancy::write_record(&memory, &told).unwrap();
    disk.rename(std::path::Path::new(HOME), std::path::Path::new("/home/ana/away")).unwrap();
    assert!(matches!(tenancy::keep(&memory, &mut lock, &told), Tenure::Lost(_)));
    assert!(disk.stat(std::path::Path::new(HOME)).is_err(), "looking makes no home");
}

#[test] // spec: IF-14
fn a_daemon_that_cannot_be_found_is_not_told_as_none() {
    let (disk, clock) = (Arc::new(two_repositories()), clock());
    let memory = service(disk.clone(), &clock);
    assert_eq!((memory.see_daemon(), memory.daemon_gap()), (DaemonSeen::Absent, None));
    let _lock = tenancy::become_daemon(&memory).unwrap();
    assert_eq!(memory.see_daemon(), DaemonSeen::Unfound);
    disk.set_read_only(true);
    assert_eq!(memory.see_daemon(), DaemonSeen::Unfound, "the lock is seen on a disk that is read-only");
    assert_eq!(memory.daemon_gap().map(|gap| gap.name), Some("daemon_unknown"));
}

#[test] // spec: IF-11
fn a_token_is_kept_unless_others_could_have_read_it() {
    let (disk, clock) = (Arc::new(two_repositories()), clock());
    let memory = service(disk.clone(), &clock);
    assert_eq!(memory.daemon_token(), None);
    let _guard = tenancy::become_daemon(&memory).unwrap();
    let token = tenancy::make_token(&memory).unwrap();
    assert_eq!((token.len(), memory.daemon_token()), (64, Some(token.clone())));
    assert_eq!(tenancy::make_token(&memory).unwrap(), token);
    let path = memory.daemon_files().token;
    for short in ["", "short\n", "\u{0}\u{1}"] {
        disk.write_raw(&path, short.as_bytes());
        assert_eq!(memory.daemon_token(), None, "{short:?}");
        assert_ne!(tenancy::make_token(&memory).unwrap(), token);
    }
    let kept = tenancy::make_token(&memory).unwrap();
    disk.set_facts(path.to_str().unwrap(), PathFacts { mode: Some(0o640), ..PathFacts::default() });
    assert_ne!(tenancy::make_token(&memory).unwrap(), kept, "it was open");
}

#[test] // spec: IF-11, IF-14
fn token_and_record_are_whole_or_not_there_wherever_power_fails() {
    for steps in 1.. {
        let disk = Arc::new(two_repositories());
        disk.lose_power_after(steps);
        let clock = clock();
        let memory = service(disk.clone(), &clock);
        let started = tenancy::become_daemon(&memory).and_then(|guard| {
            let token = tenancy::make_token(&memory)?;
            tenancy::write_record(&memory, &record(&memory)).map(|()| (guard, token))
        });
        let token = started.ok().map(|(_, token)| token);
        let ended = !disk.lost_power();
        for fate in [UnsyncedFate::Lost, UnsyncedFate::Kept] {
            let after: Arc<SimDisk> = Arc::new(disk.reboot(fate));
            let memory = service(after, &clock);
            assert_eq!(memory.daemon(), None, "nothing runs after a reboot");
            let _guard = tenancy::become_daemon(&memory).unwrap();
            let found = tenancy::make_token(&memory).unwrap();
            assert_eq!(found.len(), 64);
            if let Some(token) = &token {
                assert_eq!(&found, token, "it was told, so it must survive");
            }
        }
        if ended {
            break;
        }
    }
}

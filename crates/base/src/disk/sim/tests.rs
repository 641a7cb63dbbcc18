use std::path::{Path, PathBuf};
use std::time::Duration;

use super::tree::ROOT;
use super::{SimDisk, SyncFailures, UnsyncedFate};
use crate::disk::{Disk, DiskError, DiskFault};

/// Enough torn fates that each prefix of a short history is met.
const SEEDS: std::ops::Range<u64> = 0..64;

fn every_fate() -> impl Iterator<Item = UnsyncedFate> {
    UnsyncedFate::all(0).into_iter().chain(SEEDS.map(UnsyncedFate::Torn))
}

fn dump(disk: &SimDisk) -> Vec<(String, String)> {
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    disk.dump().into_iter().map(|(path, bytes)| (text(path), String::from_utf8(bytes).unwrap())).collect()
}

fn files<const N: usize>(files: [(&str, &str); N]) -> Vec<(String, String)> {
    files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec()
}

/// What each fate leaves, without repetitions.
fn outcomes(disk: &SimDisk) -> Vec<Vec<(String, String)>> {
    let mut found: Vec<_> = every_fate().map(|fate| dump(&disk.reboot(fate))).collect();
    found.sort();
    found.dedup();
    found
}

fn p(path: &str) -> &Path {
    Path::new(path)
}

#[test] // spec: MEM-13
fn what_was_synced_survives_every_fate() {
    let disk = SimDisk::new();
    disk.make_dir(p("/store")).unwrap();
    disk.sync_dir(p("/")).unwrap();
    disk.write_new(p("/store/temp"), b"hello").unwrap();
    disk.rename(p("/store/temp"), p("/store/live")).unwrap();
    disk.append(p("/store/log"), b"one\n").unwrap();
    disk.sync_dir(p("/store")).unwrap();
    assert_eq!(outcomes(&disk), [files([("/store/live", "hello"), ("/store/log", "one\n")])]);
}

#[test] // spec: MEM-13
fn an_unsynced_rename_may_be_lost_or_kept_but_never_halved() {
    let disk = SimDisk::new();
    disk.write_raw("/live", b"old");
    disk.write_raw("/temp", b"new");
    disk.rename(p("/temp"), p("/live")).unwrap();
    assert_eq!(outcomes(&disk), [files([("/live", "new")]), files([("/live", "old"), ("/temp", "new")])]);
}

#[test] // spec: MEM-13
fn names_in_a_folder_survive_in_their_order() {
    let disk = SimDisk::new();
    disk.write_raw("/a", b"x");
    disk.link(p("/a"), p("/b")).unwrap();
    disk.unlink(p("/a")).unwrap();
    assert_eq!(
        outcomes(&disk),
        [files([("/a", "x")]), files([("/a", "x"), ("/b", "x")]), files([("/b", "x")])],
        "never without a name"
    );
}

#[test] // spec: MEM-13
fn a_rename_before_the_content_was_synced_may_leave_an_empty_file() {
    let disk = SimDisk::new();
    disk.write_raw("/live", b"old");
    {
        // Every call of the port syncs, so the test changes the state directly.
        let mut state = disk.state();
        let temp = state.create(ROOT, "temp".into()).unwrap();
        state.write(temp, b"new").unwrap();
    }
    disk.rename(p("/temp"), p("/live")).unwrap();
    disk.sync_dir(p("/")).unwrap();
    assert_eq!(dump(&disk.reboot(UnsyncedFate::Kept)), files([("/live", "new")]));
    assert_eq!(dump(&disk.reboot(UnsyncedFate::NamesOnly)), files([("/live", "")]));
    assert_eq!(dump(&disk.reboot(UnsyncedFate::Lost)), files([("/live", "")]), "the name was synced");
}

#[test] // spec: MEM-13
fn a_new_file_may_be_torn_before_it_is_synced() {
    // A new file takes a step for its name and one for its content; the third would sync it.
    let disk = SimDisk::losing_power_after(2);
    assert_eq!(fault(disk.write_new(p("/note"), b"x")), Some(DiskFault::PowerLost));
    assert_eq!(outcomes(&disk), [files([]), files([("/note", "")]), files([("/note", "x")])]);
    assert_eq!(dump(&disk.reboot(UnsyncedFate::NamesOnly)), files([("/note", "")]));
    assert_eq!(dump(&disk.reboot(UnsyncedFate::DataOnly)), files([]));
}

#[test] // spec: MEM-13
fn an_append_may_be_torn_after_any_byte() {
    let disk = SimDisk::new();
    disk.write_raw("/log", b"1");
    disk.lose_power_after(1);
    assert_eq!(fault(disk.append(p("/log"), b"23")), Some(DiskFault::PowerLost));
    let expected = ["1", "12", "123"].map(|text| files([("/log", text)]));
    assert_eq!(outcomes(&disk), expected);
}

#[test] // spec: MEM-13
fn a_new_folder_needs_its_parent_synced() {
    let disk = SimDisk::new();
    disk.make_dir(p("/store")).unwrap();
    disk.write_new(p("/store/note"), b"x").unwrap();
    disk.sync_dir(p("/store")).unwrap();
    assert_eq!(dump(&disk.reboot(UnsyncedFate::Lost)), files([]));
    disk.sync_dir(p("/")).unwrap();
    assert_eq!(dump(&disk.reboot(UnsyncedFate::Lost)), files([("/store/note", "x")]));
}

/// A disk with `/a/note` and an empty `/b`, all durable.
fn two_folders() -> SimDisk {
    let disk = SimDisk::new();
    disk.write_raw("/a/note", b"x");
    disk.make_dirs("/b");
    disk
}

#[test] // spec: MEM-13
fn a_rename_across_folders_leaves_either_name_or_both() {
    let disk = two_folders();
    disk.rename(p("/a/note"), p("/b/note")).unwrap();
    let either =
        [files([("/a/note", "x")]), files([("/a/note", "x"), ("/b/note", "x")]), files([("/b/note", "x")])];
    assert_eq!(outcomes(&disk), either);

    disk.sync_dir(p("/b")).unwrap();
    assert_eq!(outcomes(&disk), either[1..], "the new name is certain");
    disk.sync_dir(p("/a")).unwrap();
    assert_eq!(outcomes(&disk), either[2..]);
}

#[test] // spec: MEM-13
fn syncing_only_the_folder_a_file_left_does_not_lose_it() {
    let disk = two_folders();
    disk.rename(p("/a/note"), p("/b/note")).unwrap();
    disk.sync_dir(p("/a")).unwrap();
    assert_eq!(outcomes(&disk), [files([("/a/note", "x")]), files([("/b/note", "x")])]);

    disk.write_new(p("/a/note"), b"y").unwrap();
    disk.sync_dir(p("/a")).unwrap();
    assert_eq!(outcomes(&disk), [files([("/a/note", "y"), ("/b/note", "x")])], "the old name is taken");
}

#[test] // spec: MEM-13
fn a_file_moved_into_a_folder_that_did_not_survive_is_back_where_it_was() {
    let disk = two_folders();
    disk.make_dir(p("/new")).unwrap();
    disk.rename(p("/a/note"), p("/new/note")).unwrap();
    disk.sync_dir(p("/new")).unwrap();
    disk.sync_dir(p("/a")).unwrap();
    assert_eq!(dump(&disk.reboot(UnsyncedFate::Lost)), files([("/a/note", "x")]));
    assert_eq!(dump(&disk.reboot(UnsyncedFate::Kept)), files([("/new/note", "x")]));
}

#[test]
fn a_file_that_was_moved_and_then_removed_stays_removed() {
    let disk = two_folders();
    disk.rename(p("/a/note"), p("/b/note")).unwrap();
    disk.unlink(p("/b/note")).unwrap();
    assert_eq!(dump(&disk.reboot(UnsyncedFate::Kept)), files([]));
    disk.sync_dir(p("/b")).unwrap();
    disk.sync_dir(p("/a")).unwrap();
    assert_eq!(outcomes(&disk), [files([])]);
}

#[test] // spec: MEM-13
fn power_goes_before_each_step_once_and_nothing_answers_afterwards() {
    for steps in 0.. {
        let disk = SimDisk::losing_power_after(steps);
        let done = (|| -> Result<(), DiskError> {
            disk.make_dir(p("/d"))?;
            disk.write_new(p("/d/temp"), b"x")?;
            disk.link(p("/d/temp"), p("/d/live"))?;
            disk.unlink(p("/d/temp"))?;
            disk.append(p("/d/log"), b"x")?;
            disk.append(p("/d/log"), b"x")?;
            disk.rename(p("/d/log"), p("/log"))?;
            disk.sync_dir(p("/d"))
        })();
        if !disk.lost_power() {
            assert!(done.is_ok());
            assert_eq!((steps, disk.steps()), (13, 13), "1 + 3 + 1 + 1 + 3 + 2 + 1 + 1");
            break;
        }
        assert_eq!(fault(done), Some(DiskFault::PowerLost));
        assert_eq!(disk.steps(), steps);
        assert_eq!(fault(disk.stat(p("/"))), Some(DiskFault::PowerLost));
        assert_eq!(fault(disk.lock(p("/lock"), Duration::ZERO)), Some(DiskFault::PowerLost));
    }
}

#[test]
fn a_rebooted_disk_has_power_free_locks_and_the_same_files() {
    let disk = SimDisk::new();
    disk.write_raw("/note", b"x");
    disk.lose_power_after(1);
    let _lock = disk.lock(p("/lock"), Duration::ZERO).unwrap();
    let before = disk.stat(p("/note")).unwrap();
    assert!(disk.unlink(p("/note")).is_err());

    let rebooted = disk.reboot(UnsyncedFate::Kept);
    assert!(!rebooted.lost_power());
    assert_eq!(rebooted.stat(p("/note")).unwrap(), before);
    assert!(rebooted.lock(p("/lock"), Duration::ZERO).is_ok());
    rebooted.unlink(p("/note")).unwrap();
}

#[test]
fn a_read_only_disk_can_be_read_but_not_changed() {
    let disk = two_folders();
    disk.write_raw("/lock", b"");
    disk.set_read_only(true);
    let refused = [
        fault(disk.make_dir(p("/c"))),
        fault(disk.write_new(p("/c"), b"")),
        fault(disk.link(p("/a/note"), p("/c"))),
        fault(disk.rename(p("/a/note"), p("/c"))),
        fault(disk.unlink(p("/a/note"))),
        fault(disk.append(p("/a/note"), b"")),
        fault(disk.lock(p("/lock"), Duration::ZERO)),
    ];
    assert_eq!(refused, [Some(DiskFault::ReadOnly); 7]);
    disk.sync_dir(p("/a")).unwrap();
    assert_eq!(disk.read(p("/a/note"), 1).unwrap(), b"x");
    disk.set_read_only(false);
    disk.unlink(p("/a/note")).unwrap();
}

#[test] // spec: MEM-13
fn a_frozen_folder_keeps_its_names_and_a_frozen_file_its_content() {
    let disk = two_folders();
    disk.write_raw("/a/below/note", b"x");
    disk.freeze("/a");
    let refused = [
        fault(disk.make_dir(p("/a/c"))),
        fault(disk.write_new(p("/a/c"), b"")),
        fault(disk.link(p("/a/note"), p("/a/c"))),
        fault(disk.rename(p("/a/note"), p("/b/note"))),
        fault(disk.rename(p("/a/note"), p("/a/c"))),
        fault(disk.unlink(p("/a/note"))),
        fault(disk.append(p("/a/log"), b"x")),
    ];
    assert_eq!(refused, [Some(DiskFault::ReadOnly); 7]);
    disk.append(p("/a/note"), b"y").unwrap();
    disk.sync_dir(p("/a")).unwrap();
    disk.unlink(p("/a/below/note")).unwrap();
    disk.link(p("/a/note"), p("/b/note")).unwrap();
    disk.freeze("/b/note");
    assert_eq!(fault(disk.append(p("/a/note"), b"z")), Some(DiskFault::ReadOnly), "one file, two names");
    disk.thaw();
    disk.freeze_after("/b", 1);
    disk.unlink(p("/b/note")).unwrap();
    assert_eq!(fault(disk.write_new(p("/b/c"), b"")), Some(DiskFault::ReadOnly));
    assert_eq!(dump(&disk), files([("/a/note", "xy")]));
}

#[test] // spec: MEM-13a
#[should_panic(expected = "one read loads 5 bytes of /a/large")]
fn a_read_of_more_than_a_test_permits_is_found() {
    let disk = two_folders();
    disk.write_raw("/a/large", b"large");
    disk.set_read_len_max(4);
    assert_eq!(disk.read_part(p("/a/large"), 2, 9).unwrap(), b"rge");
    assert_eq!(
        (disk.read_start(p("/a/large"), 2).unwrap(), disk.read_end(p("/a/large"), 2).unwrap()),
        (b"la".to_vec(), b"ge".to_vec())
    );
    let _ = disk.read(p("/a/large"), u64::MAX);
}

#[test]
fn a_full_disk_takes_no_new_file_and_perhaps_a_part_of_an_append() {
    let disk = SimDisk::new();
    disk.set_space_left(Some(2));
    assert_eq!(fault(disk.write_new(p("/note"), b"123")), Some(DiskFault::NoSpace));
    assert_eq!(dump(&disk), files([]));
    assert_eq!(fault(disk.append(p("/log"), b"123")), Some(DiskFault::NoSpace));
    assert_eq!(dump(&disk), files([("/log", "12")]));
    disk.set_space_left(None);
    disk.append(p("/log"), b"3").unwrap();
}

#[test]
fn removing_the_last_name_of_a_file_makes_room() {
    let disk = SimDisk::new();
    disk.set_space_left(Some(3));
    disk.write_new(p("/note"), b"123").unwrap();
    disk.link(p("/note"), p("/twin")).unwrap();
    disk.unlink(p("/note")).unwrap();
    assert_eq!(fault(disk.append(p("/log"), b"1")), Some(DiskFault::NoSpace));
    disk.unlink(p("/twin")).unwrap();
    disk.append(p("/log"), b"123").unwrap();
}

#[test]
fn reads_below_a_hung_folder_wait_until_it_is_released() {
    let disk = two_folders();
    disk.hang_reads_below("/a");
    assert!(disk.list(p("/b")).is_ok(), "the other store still answers");
    std::thread::scope(|scope| {
        let readers = [
            scope.spawn(|| disk.read(p("/a/note"), 1).unwrap()),
            scope.spawn(|| disk.list(p("/a")).map(|_| vec![]).unwrap()),
        ];
        while disk.hanging() < readers.len() {
            std::thread::yield_now();
        }
        disk.release();
        assert_eq!(readers.map(|reader| reader.join().unwrap()), [b"x".to_vec(), vec![]]);
    });
}

#[test]
fn times_move_with_every_change_until_they_are_set() {
    let disk = two_folders();
    let modified = || disk.stat(p("/a/note")).unwrap().modified_ns;
    let first = modified();
    disk.append(p("/a/note"), b"y").unwrap();
    assert!(modified() > first);

    disk.set_time_ns(5);
    disk.append(p("/a/note"), b"z").unwrap();
    disk.write_raw("/a/note", b"an edit in place");
    assert_eq!(modified(), 5);
}

#[test]
fn an_edit_in_place_does_not_touch_the_folder() {
    let disk = two_folders();
    let (folder, file) = (disk.stat(p("/a")).unwrap(), disk.stat(p("/a/note")).unwrap());
    disk.write_raw("/a/note", b"y");
    let edited = disk.stat(p("/a/note")).unwrap();
    assert_eq!(disk.stat(p("/a")).unwrap(), folder);
    assert_eq!(edited.identity, file.identity);
    assert!(edited.modified_ns > file.modified_ns);
}

#[test]
fn raw_files_are_durable_with_the_folders_on_the_way() {
    let disk = SimDisk::new();
    disk.make_dir(p("/a")).unwrap();
    disk.write_new(p("/a/unsynced"), b"").unwrap();
    disk.write_raw("/a/b/note", b"x");
    assert_eq!(dump(&disk.reboot(UnsyncedFate::Lost)), files([("/a/b/note", "x")]));
}

#[test]
fn clones_are_one_disk() {
    let disk = SimDisk::new();
    let other = disk.clone();
    disk.write_new(p("/note"), b"x").unwrap();
    assert_eq!(dump(&other), files([("/note", "x")]));
    let _lock = disk.lock(p("/lock"), Duration::ZERO).unwrap();
    assert_eq!(fault(other.lock(p("/lock"), Duration::ZERO)), Some(DiskFault::Busy));
}

fn fault<T>(result: Result<T, DiskError>) -> Option<DiskFault> {
    result.err().map(|error| error.fault())
}

#[test] // spec: MEM-13b
fn a_sync_that_fails_leaves_what_was_done_seen_and_uncertain() {
    let disk = two_folders();
    disk.fail_syncs_after(0, SyncFailures::One, DiskFault::NoSpace);
    let error = disk.write_new(p("/a/new"), b"x").unwrap_err();
    assert!(!error.is_unconfirmed() && disk.stat(p("/a/new")).is_err(), "what was not written whole is gone");
    disk.write_new(p("/a/new"), b"x").unwrap();

    disk.fail_syncs_after(0, SyncFailures::AllLater, DiskFault::Other);
    let error = disk.sync_dir(p("/a")).unwrap_err();
    assert!(error.is_unconfirmed() && error.fault() == DiskFault::Other);
    assert!(disk.append(p("/a/new"), b"y").unwrap_err().is_unconfirmed());
    assert_eq!(disk.read(p("/a/new"), 9).unwrap(), b"xy");
    assert!(disk.reboot(UnsyncedFate::Lost).stat(p("/a/new")).is_err());
    assert_eq!(disk.failed_syncs(), 3);

    disk.mend_syncs();
    disk.append(p("/a/new"), b"").unwrap();
    disk.sync_dir(p("/a")).unwrap();
    assert_eq!(disk.reboot(UnsyncedFate::Lost).read(p("/a/new"), 9).unwrap(), b"xy");
}

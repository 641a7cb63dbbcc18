//! The real disk, on real files.

use super::RealDisk;
use super::stat::{portable_stat_of, stat_of};
use crate::disk::{Disk, DiskFault, FileKind};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::time::Duration;

#[test]
fn both_ways_to_stat_agree() {
    let dir = tempfile::tempdir().unwrap();
    RealDisk.write_new(&dir.path().join("note"), b"four").unwrap();
    for path in [dir.path().to_owned(), dir.path().join("note")] {
        assert_eq!(stat_of(&path).unwrap(), portable_stat_of(&path).unwrap());
    }
}

#[test] // spec: IF-15
fn a_replacement_is_as_secret_as_what_it_replaces() {
    let dir = tempfile::tempdir().unwrap();
    let (model, path) = (dir.path().join("model"), dir.path().join("new"));
    for mode in [0o600, 0o644, 0o755] {
        std::fs::write(&model, "x").unwrap();
        std::fs::set_permissions(&model, std::fs::Permissions::from_mode(mode)).unwrap();
        RealDisk.write_new_like(&path, b"y", &model).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
        let again = RealDisk.write_new_like(&path, b"z", &model).unwrap_err();
        assert_eq!(again.fault(), DiskFault::Exists);
        RealDisk.unlink(&path).unwrap();
    }
}

#[test]
fn folders_are_for_their_owner_alone() {
    let dir = tempfile::tempdir().unwrap();
    let made = dir.path().join("store");
    RealDisk.make_dir(&made).unwrap();
    assert_eq!(std::fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test] // spec: MEM-2
fn a_shared_folder_is_as_the_process_makes_folders() {
    let dir = tempfile::tempdir().unwrap();
    let (made, usual) = (dir.path().join("made"), dir.path().join("usual"));
    RealDisk.make_shared_dir(&made).unwrap();
    std::fs::create_dir(&usual).unwrap();
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(made), mode(usual));
}

#[test] // spec: IF-11
fn what_is_private_is_so_from_its_first_moment() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("token");
    RealDisk.write_private(&path, b"x").unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(RealDisk.write_private(&path, b"y").is_err(), "it is never written over");
}

#[test]
fn a_pipe_or_a_socket_is_refused_without_waiting_for_its_other_end() {
    let dir = tempfile::tempdir().unwrap();
    let (pipe, socket) = (dir.path().join("pipe"), dir.path().join("socket"));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is everywhere");
    assert!(made.success());
    let _listener = UnixListener::bind(&socket).unwrap();

    for path in [&pipe, &socket] {
        assert_eq!(RealDisk.stat(path).unwrap().kind, FileKind::Other);
        let refused = [
            RealDisk.read(path, 10).unwrap_err(),
            RealDisk.append(path, b"x").unwrap_err(),
            RealDisk.lock(path, Duration::ZERO).map(|_| ()).unwrap_err(),
        ];
        assert!(refused.iter().all(|e| e.fault() == DiskFault::NotAFile), "{refused:?}");
    }
}

#[test]
fn the_system_tells_about_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let made = dir.path().join("store");
    RealDisk.make_dir(&made).unwrap();
    let facts = RealDisk.facts(&made);
    assert_eq!(facts.mode, Some(0o700));
    assert!(facts.free_len.is_some() && facts.changed_ns.is_some());
    assert_eq!(facts.writable, Some(true));
    assert_eq!(RealDisk.facts(&dir.path().join("nothing")), super::PathFacts::default());
    assert_eq!(RealDisk.stopped_locks(&made), []);
}

#[test]
fn the_end_of_a_file_is_read_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    RealDisk.write_new(&path, b"one\ntwo\n").unwrap();
    assert_eq!(RealDisk.read_end(&path, 4).unwrap(), b"two\n");
    assert_eq!(RealDisk.read_end(&path, 100).unwrap(), b"one\ntwo\n");
    assert_eq!(RealDisk.read_end(&dir.path().join("none"), 4).unwrap_err().fault(), DiskFault::NotFound);
}

#[test]
fn a_print_changes_with_its_file_even_when_its_time_is_put_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("note");
    RealDisk.write_new(&path, b"four").unwrap();
    let before = RealDisk.stamp(&path).unwrap();
    let listed = RealDisk.stamps(dir.path()).unwrap();
    assert_eq!(
        listed.iter().map(|(entry, stamp)| (entry.kind, *stamp)).collect::<Vec<_>>(),
        [(FileKind::File, before)]
    );
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    std::fs::write(&path, b"five").unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    assert_ne!(RealDisk.stamp(&path).unwrap(), before);
}

#[test]
fn a_mapped_file_that_is_cut_while_it_is_read_ends_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("segment");
    let len = 64 * 1024 + 100;
    for (kept, is_in_place) in [(0, true), (20_000, true), (len, true), (0, false)] {
        std::fs::write(&path, vec![7; len]).unwrap();
        let mapped = RealDisk.map(&path).unwrap();
        let whole = RealDisk.map(&path).unwrap();
        assert!(mapped.bytes().iter().all(|byte| *byte == 7));
        if is_in_place {
            std::fs::File::options().write(true).open(&path).unwrap().set_len(kept as u64).unwrap();
        } else {
            std::fs::remove_file(&path).unwrap();
        }
        // Several threads at once, each of which reads the missing pages.
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let bytes = mapped.bytes();
                    assert_eq!(bytes.len(), len);
                    assert_eq!(bytes[len - 1], if is_in_place && kept < len { 0 } else { 7 });
                    assert!(bytes[..kept].iter().all(|byte| *byte == 7), "what is left is as it was");
                });
            }
        });
        assert_eq!(mapped.is_intact(), !is_in_place, "{kept}");
        drop((mapped, whole));
    }
}

#[test]
fn a_mapped_file_that_was_replaced_is_used_to_its_end_unless_somebody_wrote_into_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("segment");
    for is_written in [false, true] {
        for is_replaced in [false, true] {
            std::fs::write(&path, [7; 9000]).unwrap();
            let mapped = RealDisk.map(&path).unwrap();
            // File times do not move for some milliseconds.
            std::thread::sleep(Duration::from_millis(20));
            if is_written {
                let mut file = std::fs::File::options().write(true).open(&path).unwrap();
                std::io::Write::write_all(&mut file, &[0; 9000]).unwrap();
            }
            if is_replaced {
                std::fs::write(dir.path().join("new"), [7; 9000]).unwrap();
                std::fs::rename(dir.path().join("new"), &path).unwrap();
            } else {
                std::fs::remove_file(&path).unwrap();
            }
            assert_eq!(mapped.is_intact(), !is_written, "{is_replaced}");
        }
    }
}

#[test]
fn a_fault_that_is_none_of_ours_ends_the_process_as_before() {
    const CHILD: &str = "BRAINSTEM_TEST_BUS_ERROR";
    if std::env::var_os(CHILD).is_some() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("segment");
        std::fs::write(&path, [7; 8192]).unwrap();
        // Our mapping is protected and the handler is installed; the other mapping is not ours.
        let _ours = RealDisk.map(&path).unwrap();
        let file = std::fs::File::options().read(true).write(true).open(&path).unwrap();
        #[expect(unsafe_code, reason = "a mapping that nobody watches over")]
        // SAFETY: a fresh mapping at an address of the system's choice.
        let other = unsafe {
            use rustix::mm::{MapFlags, ProtFlags, mmap};
            mmap(std::ptr::null_mut(), 8192, ProtFlags::READ, MapFlags::SHARED, &file, 0).unwrap()
        };
        file.set_len(0).unwrap();
        #[expect(unsafe_code, reason = "the fault is wanted")]
        // SAFETY: it never returns.
        let byte = unsafe { std::ptr::read_volatile(other.cast::<u8>()) };
        unreachable!("{byte}");
    }
    let name = "disk::real::tests::a_fault_that_is_none_of_ours_ends_the_process_as_before";
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let signal = std::os::unix::process::ExitStatusExt::signal(&child.status);
    assert_eq!(signal, Some(libc::SIGBUS), "{child:?}");
}

#[test]
fn a_mapped_file_tells_when_somebody_wrote_into_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("segment");
    RealDisk.write_new(&path, b"segment").unwrap();
    let mapped = RealDisk.map(&path).unwrap();
    assert_eq!(mapped.bytes(), b"segment");
    assert!(mapped.is_intact());

    // A replaced file stays whole for a reader that has mapped it.
    let other = dir.path().join("other");
    RealDisk.write_new(&other, b"longer segment").unwrap();
    RealDisk.rename(&other, &path).unwrap();
    assert!(mapped.is_intact());
    assert_eq!(mapped.bytes(), b"segment");

    let mapped = RealDisk.map(&path).unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_len(3).unwrap();
    assert!(!mapped.is_intact());
    assert_eq!(RealDisk.map(&path).unwrap().bytes(), b"lon");
    std::fs::write(&path, b"").unwrap();
    assert_eq!(RealDisk.map(&path).unwrap().bytes(), b"");
}

#[cfg(target_os = "linux")]
#[test]
fn a_watch_names_what_changed_and_knows_when_it_cannot() {
    use crate::disk::Changes;
    let dir = tempfile::tempdir().unwrap();
    let store = dir.path().join("store");
    RealDisk.make_dir(&store).unwrap();
    let mut watch = RealDisk.watch(&store).expect("Linux watches");
    assert_eq!(watch.changes(), Changes::Names(Vec::new()));
    RealDisk.write_new(&store.join("b"), b"x").unwrap();
    std::fs::write(store.join("a"), b"in place").unwrap();
    RealDisk.rename(&store.join("b"), &store.join("c")).unwrap();
    let names = ["a", "b", "c"].map(std::ffi::OsString::from).to_vec();
    assert_eq!(watch.changes(), Changes::Names(names));
    assert_eq!(watch.changes(), Changes::Names(Vec::new()));
    std::fs::remove_dir_all(&store).unwrap();
    assert_eq!(watch.changes(), Changes::Unknown);
    assert!(RealDisk.watch(&store).is_none());
}

#[test]
fn a_device_is_not_a_file() {
    assert_eq!(RealDisk.read("/dev/zero".as_ref(), 10).unwrap_err().fault(), DiskFault::NotAFile);
}

#[cfg(target_os = "linux")]
#[test] // spec: MAIL-9
fn a_file_that_is_open_for_writing_is_known_as_that() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("note");
    let writer = std::fs::File::create(&path).unwrap();
    assert_eq!(RealDisk.is_open_for_writing(&path), Some(true));
    drop(writer);
    let reader = std::fs::File::open(&path).unwrap();
    assert_eq!(RealDisk.is_open_for_writing(&path), Some(false), "a reader is none");
    drop(reader);
    assert_eq!(RealDisk.is_open_for_writing(&dir.path().join("none")), None);
    // A program that opens the file during the check does not wait, and no signal ends a process.
    let writing = path.clone();
    let writer = std::thread::spawn(move || {
        for _ in 0..5_000 {
            std::fs::File::options().append(true).open(&writing).unwrap();
        }
    });
    while !writer.is_finished() {
        assert!(RealDisk.is_open_for_writing(&path).is_some());
    }
    writer.join().unwrap();
}

#[test] // spec: IF-14a
fn a_file_that_no_memory_holds_is_too_large_whatever_is_allowed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("huge");
    // A file with a hole: it takes no room on the disk.
    std::fs::File::create(&path).unwrap().set_len(50 << 30).unwrap();
    let refused = RealDisk.read(&path, u64::MAX).unwrap_err();
    assert_eq!(refused.fault(), DiskFault::TooLarge { len: 50 << 30 });
}

/// Calls `test` with a folder whose permissions bind it: root, which they do not bind, becomes another user for it.
#[cfg(target_os = "linux")]
fn with_a_folder_of_an_ordinary_user(test: impl FnOnce(&std::path::Path) + Send) {
    use std::os::unix::fs::{MetadataExt, chown};
    const NOBODY: u32 = 65_534;
    let dir = tempfile::tempdir().unwrap();
    let is_root = std::fs::metadata(dir.path()).unwrap().uid() == 0;
    if is_root {
        chown(dir.path(), Some(NOBODY), None).unwrap();
    }
    let as_user = || {
        if is_root {
            // Of this thread alone: Linux keeps the user of each thread.
            let nobody = rustix::thread::Uid::from_raw(NOBODY);
            rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
        }
        test(dir.path());
    };
    std::thread::scope(|scope| scope.spawn(as_user).join().unwrap());
}

#[cfg(target_os = "linux")]
#[test] // spec: MEM-13a
fn a_folder_that_cannot_be_synced_takes_no_change() {
    with_a_folder_of_an_ordinary_user(|dir| {
        let store = dir.join("store");
        let at = |name: &str| store.join(name);
        let mode = |mode| std::fs::set_permissions(&store, std::fs::Permissions::from_mode(mode)).unwrap();
        std::fs::create_dir_all(at("below")).unwrap();
        std::fs::write(at("note"), "x").unwrap();
        std::fs::write(dir.join("outside"), "y").unwrap();
        // The folder may be written and cannot be opened for a sync.
        mode(0o300);
        assert!(RealDisk.sync_dir(&store).is_err_and(|error| error.is_unconfirmed()));
        let refused = [
            RealDisk.make_dir(&at("new")),
            RealDisk.write_new(&at("new"), b"x"),
            RealDisk.write_private(&at("new"), b"x"),
            RealDisk.write_new_like(&at("new"), b"x", &dir.join("outside")),
            RealDisk.link(&dir.join("outside"), &at("new")),
            RealDisk.rename(&dir.join("outside"), &at("note")),
            RealDisk.rename(&at("note"), &dir.join("moved")),
            RealDisk.rename_new(&at("note"), &at("new")),
            RealDisk.unlink(&at("note")),
            RealDisk.remove_dir(&at("below")),
            RealDisk.append(&at("note"), b"x"),
        ];
        for (number, done) in refused.into_iter().enumerate() {
            let error = done.expect_err("refused");
            assert_eq!(error.fault(), DiskFault::ReadOnly, "operation {number}");
            assert!(!error.is_unconfirmed(), "operation {number} was refused, and nothing was done");
        }
        // Operations that need no sync, and errors that need no look into the folder, stay as they were.
        assert_eq!(RealDisk.make_dir(&at("below")).unwrap_err().fault(), DiskFault::Exists);
        assert_eq!(RealDisk.unlink(&at("gone")).unwrap_err().fault(), DiskFault::NotFound);
        assert_eq!(RealDisk.read(&at("note"), 9).unwrap(), b"x");
        mode(0o700);
        let mut names: Vec<_> = RealDisk
            .list(&store)
            .unwrap()
            .into_iter()
            .map(|entry| entry.name.into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["below", "note"]);
        assert_eq!(RealDisk.read(&at("note"), 9).unwrap(), b"x");
    });
}

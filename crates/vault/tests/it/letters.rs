//! Letters on a disk that loses power, fills up or is not where it was.

use brainstem_base::clock::ManualClock;
use brainstem_base::disk::{Disk as _, DiskStep, ObservedDisk, SimDisk, UnsyncedFate, verbs};
use brainstem_base::ids::CountingIds;
use brainstem_base::{Coded as _, hash};
use brainstem_letters::LetterId;
use brainstem_vault::Home;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const HOME: &str = "/home/ana/.brainstem";
const SPOOL: &str = "/home/ana/.brainstem/field-reports.jsonl";
const CHERRY: &str = "/src/cherry";
const BOX: &str = "/src/cherry/.brainstem/inbox.jsonl";

fn home(disk: &SimDisk) -> Home {
    // Two processes never draw the same ids.
    static PROCESSES: AtomicU64 = AtomicU64::new(1);
    let ids = CountingIds::from(PROCESSES.fetch_add(1, Ordering::SeqCst) << 32);
    Home::new(Arc::new(disk.clone()), Arc::new(ids), Arc::new(ManualClock::at(5)), HOME.into())
}

/// A home that is there, and a repository.
fn world() -> SimDisk {
    let disk = SimDisk::new();
    disk.make_dirs("/home/ana");
    disk.write_raw("/src/cherry/.git/HEAD", b"ref: refs/heads/main\n");
    home(&disk).ensure().unwrap();
    disk
}

fn line(what: &str) -> Vec<u8> {
    format!(r#"{{"what":"{what}"}}"#).into_bytes()
}

fn texts(lines: &brainstem_letters::lines::LetterLines) -> Vec<&str> {
    lines.letters.iter().filter_map(|letter| letter.letter.what.as_deref()).collect()
}

#[test] // spec: LTR-1
fn a_letter_is_in_the_spool_or_not_wherever_power_fails_and_what_was_there_stays() {
    for steps in 0.. {
        let disk = world();
        disk.write_raw(SPOOL, b"{\"what\":\"a\"}\nno letter\n{\"what\":\"left without");
        let before = disk.dump()[Path::new(SPOOL)].clone();
        let spool = home(&disk).spool();
        disk.lose_power_after(steps);
        let written = spool.append(&line("b"));
        for fate in UnsyncedFate::all(steps) {
            let found = disk.reboot(fate);
            assert!(found.dump()[Path::new(SPOOL)].starts_with(&before), "never rewritten");
            let spool = home(&found).spool();
            let read = spool.read().unwrap();
            assert!(["a", "b"].starts_with(&texts(&read)), "{fate:?}: {:?}", texts(&read));
            assert!(written.is_err() || texts(&read).len() == 2, "answered, so it must survive");
            // A repeat finds it whole.
            assert_eq!(spool.append(&line("c")).unwrap(), LetterId::of_line(&line("c")));
            assert!(texts(&spool.read().unwrap()).ends_with(&["c"]), "{fate:?}");
        }
        if !disk.lost_power() {
            break;
        }
    }
}

#[test] // spec: LTR-7
fn a_box_has_each_letter_once_wherever_power_fails_and_keeps_what_git_brought() {
    for steps in 0.. {
        let disk = world();
        disk.write_raw(BOX, b"{\"what\":\"from another machine\"}\n");
        let before = disk.dump()[Path::new(BOX)].clone();
        let (one, two) = (line("one"), line("two"));
        let letter_box = home(&disk).letter_box(Some(Path::new(CHERRY)));
        disk.lose_power_after(steps);
        let filed = letter_box.file(&[&one, &two]);
        for fate in UnsyncedFate::all(steps) {
            let found = disk.reboot(fate);
            assert!(found.dump()[Path::new(BOX)].starts_with(&before), "never rewritten");
            let letter_box = home(&found).letter_box(Some(Path::new(CHERRY)));
            let all = ["from another machine", "one", "two"];
            let read = letter_box.read().unwrap();
            assert!(all.starts_with(&texts(&read)) && !read.letters.is_empty(), "{fate:?}");
            assert!(filed.is_err() || read.letters.len() == 3, "answered, so it must survive");
            letter_box.file(&[&one, &two]).unwrap();
            assert_eq!(texts(&letter_box.read().unwrap()), all, "{fate:?}");
            assert_eq!(letter_box.file(&[&one, &two]).unwrap(), [], "a second run appends nothing");
        }
        if !disk.lost_power() {
            break;
        }
    }
}

#[test] // spec: LTR-4, LTR-9
fn a_first_letter_makes_the_box_and_tells_git_how_to_merge_it_wherever_power_fails() {
    for steps in 0.. {
        let disk = world();
        let letter_box = home(&disk).letter_box(Some(Path::new(CHERRY)));
        disk.lose_power_after(steps);
        let filed = letter_box.file(&[&line("one")]);
        for fate in UnsyncedFate::all(steps) {
            let found = disk.reboot(fate);
            let files = found.dump();
            let attributes = files.get(Path::new("/src/cherry/.brainstem/.gitattributes"));
            if files.contains_key(Path::new(BOX)) {
                let attributes = String::from_utf8(attributes.expect("told before").clone()).unwrap();
                assert!(attributes.contains("inbox.jsonl merge=union"), "{attributes}");
            }
            let letter_box = home(&found).letter_box(Some(Path::new(CHERRY)));
            assert!(filed.is_err() || texts(&letter_box.read().unwrap()) == ["one"]);
            letter_box.file(&[&line("one")]).unwrap();
            assert_eq!(texts(&letter_box.read().unwrap()), ["one"], "{fate:?}");
        }
        if !disk.lost_power() {
            break;
        }
    }
}

/// A disk on which another program appends half a line right before each of the first appends to a file.
fn interrupted(disk: &SimDisk, path: &'static str, times: u64) -> Home {
    let (other, left) = (disk.clone(), AtomicU64::new(times));
    let hook = move |step: DiskStep| {
        let is_left =
            || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        if step.verb == verbs::APPEND && step.path == Path::new(path) && is_left() {
            other.append(Path::new(path), b"{\"class\":\"bug\",\"wh").unwrap();
        }
    };
    let disk = ObservedDisk::new(Arc::new(disk.clone()), hook);
    let ids = CountingIds::from(7 << 48);
    Home::new(Arc::new(disk), Arc::new(ids), Arc::new(ManualClock::at(5)), HOME.into())
}

#[test] // spec: LTR-1
fn a_letter_that_was_answered_for_is_a_line_of_its_own_whatever_another_program_writes_meanwhile() {
    for times in 0..20 {
        for before in [&b""[..], b"{\"what\":\"a\"}\n", b"{\"what\":\"half"] {
            let disk = world();
            disk.write_raw(SPOOL, before);
            let home = interrupted(&disk, SPOOL, times);
            home.spool().append(&line("b")).unwrap();
            home.spool().append_missing(&[&line("c"), &line("d")]).unwrap();
            let bytes = disk.dump()[Path::new(SPOOL)].clone();
            let alone = |what: &str| bytes.split(|byte| *byte == b'\n').any(|found| found == line(what));
            assert!(alone("b") && alone("c") && alone("d"), "{}", String::from_utf8_lossy(&bytes));
            assert!(texts(&home.spool().read().unwrap()).ends_with(&["b", "c", "d"]) || times > 0);
        }
        let disk = world();
        let home = interrupted(&disk, BOX, times);
        let letter_box = home.letter_box(Some(Path::new(CHERRY)));
        letter_box.file(&[&line("one"), &line("two")]).unwrap();
        let mut read = texts(&letter_box.read().unwrap()).into_iter().map(str::to_owned).collect::<Vec<_>>();
        read.sort();
        assert_eq!(read, ["one", "two"], "{times}");
    }
}

#[test] // spec: LTR-1
fn a_letter_that_another_program_takes_away_at_once_is_not_answered_for() {
    let disk = world();
    let other = disk.clone();
    let hook = move |step: DiskStep| {
        if step.verb == verbs::STAT && step.path == Path::new(SPOOL) {
            other.write_raw(SPOOL, b"");
        }
    };
    let observed = ObservedDisk::new(Arc::new(disk), hook);
    let home = Home::new(
        Arc::new(observed),
        Arc::new(CountingIds::from(7)),
        Arc::new(ManualClock::at(5)),
        HOME.into(),
    );
    assert_eq!(home.spool().append(&line("b")).unwrap_err().code().name(), "store.unconfirmed");
}

#[test] // spec: LTR-1
fn a_full_disk_tears_no_line() {
    for bytes in 0.. {
        let disk = world();
        disk.write_raw(SPOOL, b"{\"what\":\"a\"}\n");
        let spool = home(&disk).spool();
        disk.set_space_left(Some(bytes));
        match spool.append(&line("b")) {
            Ok(_) => break,
            Err(error) => assert_eq!(error.code().name(), "store.no_space"),
        }
        assert_eq!(disk.dump()[Path::new(SPOOL)], b"{\"what\":\"a\"}\n");
    }
}

#[test] // spec: LTR-5, LTR-12
fn a_box_behind_a_link_or_in_a_folder_that_is_gone_is_an_error_and_no_empty_box() {
    let disk = world();
    let of = |root: &str| home(&disk).letter_box(Some(Path::new(root)));
    assert_eq!(of("/src/gone").read().unwrap_err().code().name(), "store.unreadable");
    assert!(of("/src/gone").file(&[&line("x")]).is_err());
    assert!(disk.dump().keys().all(|path| !path.starts_with("/src/gone")), "no project is made");

    disk.make_dirs("/elsewhere");
    disk.make_dirs("/src/plum");
    disk.make_link("/elsewhere", "/src/plum/.brainstem");
    assert_eq!(of("/src/plum").read().unwrap_err().code().name(), "store.unreadable");
    assert!(of("/src/plum").file(&[&line("x")]).is_err());
    assert!(disk.dump().keys().all(|path| !path.starts_with("/elsewhere")));

    disk.make_dirs("/src/cherry/.brainstem");
    disk.make_link(SPOOL, BOX);
    assert!(of(CHERRY).file(&[&line("x")]).is_err(), "a link in the place of the box");
    assert_eq!(texts(&home(&disk).letter_box(None).read().unwrap()), Vec::<&str>::new());
}

#[test] // spec: LTR-11
fn references_are_kept_once_and_read_around_what_is_damaged() {
    let disk = world();
    let log = home(&disk).letter_references();
    let id = |n: u8| LetterId::of_line(&[n]);
    assert_eq!(log.append_missing(&[(id(1), vec![id(2)]), (id(3), vec![id(4)])]).unwrap(), 2);
    assert_eq!(log.append_missing(&[(id(1), vec![id(2)]), (id(5), vec![id(1)])]).unwrap(), 1);
    let path = format!("{HOME}/letter-references.jsonl");
    let mut bytes = disk.dump()[Path::new(&path)].clone();
    bytes.extend(b"{\"letter\":\"torn");
    disk.write_raw(&path, &bytes);
    let known = log.read().unwrap();
    assert_eq!((known.len(), known[&id(1)].as_slice()), (3, [id(2)].as_slice()));
}

#[test] // spec: LTR-1
fn the_beginning_of_a_spool_never_changes() {
    let disk = world();
    disk.write_raw(SPOOL, b"{\"what\":\"a\"}\n\xff\xfe\n{\"what\":\"waits\"}");
    let hash_of = |len: usize| hash::sha256_hex(&disk.dump()[Path::new(SPOOL)][..len], 64);
    let len = disk.dump()[Path::new(SPOOL)].len();
    let before = hash_of(len);
    let spool = home(&disk).spool();
    assert_eq!((texts(&spool.read().unwrap()).len(), spool.read().unwrap().waiting), (1, true));
    spool.append(&line("b")).unwrap();
    spool.append_missing(&[&line("b"), &line("c"), &line("a")]).unwrap();
    assert_eq!(hash_of(len), before);
    assert_eq!(texts(&spool.read().unwrap()), ["a", "waits", "b", "c"]);
}

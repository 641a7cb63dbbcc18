//! The acts log when a crash, a full disk or a merge has been at it.

use brainstem_base::disk::{Disk, SimDisk, UnsyncedFate};
use brainstem_base::ids::CountingIds;
use brainstem_base::{AgentId, Coded as _, Timestamp};
use brainstem_claims::act::{Act, Deed, Mention};
use brainstem_vault::ActsLog;
use brainstem_vault::acts::codec;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const LOG: &str = "/store/acts.jsonl";

fn log(disk: &SimDisk) -> ActsLog {
    disk.make_dirs("/store/.locks");
    // Two processes never draw the same ids.
    static PROCESSES: AtomicU64 = AtomicU64::new(1);
    let ids = Arc::new(CountingIds::from(PROCESSES.fetch_add(1, Ordering::SeqCst) << 32));
    ActsLog::new(Arc::new(disk.clone()), ids, LOG.into(), "/store/.locks/acts".into())
}

fn act(subject: &str) -> Act {
    let agent = AgentId::parse("codex:maker").unwrap();
    Act::new(Deed::retract(Mention::read(subject), "it was wrong"), &agent, Timestamp::from_ms(7))
}

fn line(subject: &str) -> String {
    format!("{}\n", codec::line(&act(subject)))
}

/// Reads a log of these bytes, records one act more, and reads it again.
fn check(bytes: &[u8], subjects: &[&str], damaged_lines: usize) {
    let disk = SimDisk::new();
    disk.write_raw(LOG, bytes);
    let told = String::from_utf8_lossy(bytes);
    let read = log(&disk).read().unwrap();
    let got: Vec<_> = read.acts.iter().map(|act| act.deed().subject()).collect();
    let subjects: Vec<String> = subjects.iter().map(ToString::to_string).collect();
    assert_eq!((got, read.damaged_lines), (subjects.clone(), damaged_lines), "{told}");

    log(&disk).record(&act("new@9")).unwrap();
    log(&disk).record(&act("new@9")).unwrap();
    let after = log(&disk).read().unwrap();
    let got: Vec<_> = after.acts.iter().map(|act| act.deed().subject()).collect();
    assert_eq!(
        (got, after.damaged_lines),
        ([subjects, vec!["new@9".into()]].concat(), damaged_lines),
        "{told}"
    );
    assert!(disk.dump()[Path::new(LOG)].starts_with(bytes), "what was there stays as it was: {told}");
}

#[test] // spec: MEM-3c
fn a_log_is_read_around_what_is_damaged() {
    let (a, b) = (line("a@1"), line("b@2"));
    check(b"", &[], 0);
    check(a.as_bytes(), &["a@1"], 0);
    check(a.trim_end().as_bytes(), &["a@1"], 0);
    check(format!("{a}{}", &b[..b.len() / 2]).as_bytes(), &["a@1"], 1);
    check(format!("{a}{}\n{b}", &b[..9]).as_bytes(), &["a@1", "b@2"], 1);
    check(format!("{a}\0\0\0\0").as_bytes(), &["a@1"], 1);
    check(format!("{a}\0\0\0\0\n{b}").as_bytes(), &["a@1", "b@2"], 1);
    check(format!("{a}\r\n\n{b}").as_bytes(), &["a@1", "b@2"], 1);
    check(&[a.as_bytes(), b"\xff\xfe\n"].concat(), &["a@1"], 1);
    check(b"{}\n[]\nnull\n", &[], 3);
}

#[test] // spec: MEM-3c
fn an_act_that_a_merge_brought_twice_counts_once() {
    let (a, b) = (line("a@1"), line("b@2"));
    check(format!("{a}{b}{a}{a}").as_bytes(), &["a@1", "b@2"], 0);
    // The other side recorded it at another time; the first one counts.
    let later = a.replace("1970-01-01T00:00:00.007Z", "1970-01-01T00:00:00.009Z");
    assert_ne!(a, later);
    check(format!("{a}{later}").as_bytes(), &["a@1"], 0);
}

#[test] // spec: MEM-3c, MEM-16
fn an_act_repeated_long_after_is_still_one_act() {
    let disk = SimDisk::new();
    let log = log(&disk);
    log.record(&act("a@1")).unwrap();
    let many: Vec<Act> = (0..8_000).map(|n| act(&format!("n@{n}"))).collect();
    log.record_all(&many).unwrap();
    log.record(&act("a@1")).unwrap();
    let lines = String::from_utf8(disk.dump()[Path::new(LOG)].clone()).unwrap();
    assert_eq!(lines.matches("\"a@1\"").count(), 2, "too far back to be looked for");
    let read = log.read().unwrap();
    assert_eq!(read.acts.iter().filter(|act| act.deed().subject() == "a@1").count(), 1);
    assert_eq!(read.acts.len(), 8_001);
}

#[test] // spec: MEM-3c, MEM-13
fn an_act_is_recorded_once_wherever_power_fails() {
    for steps in 0.. {
        let disk = SimDisk::new();
        disk.write_raw(LOG, line("a@1").as_bytes());
        let before = log(&disk);
        disk.lose_power_after(steps);
        let recorded = before.record_all(&[act("b@2"), act("c@3")]);
        for fate in UnsyncedFate::all(steps) {
            let found = disk.reboot(fate);
            let read = log(&found).read().unwrap();
            let got: Vec<_> = read.acts.iter().map(|act| act.deed().subject()).collect();
            let all = ["a@1", "b@2", "c@3"].map(str::to_owned);
            assert!(all.starts_with(&got) && !got.is_empty(), "{fate:?}: {got:?}");
            assert!(recorded.is_err() || got.len() == 3, "answered, so it must survive");
            log(&found).record_all(&[act("b@2"), act("c@3")]).unwrap();
            let read = log(&found).read().unwrap();
            let lines: Vec<_> = read.acts.iter().map(codec::line).collect();
            assert_eq!(lines, all.each_ref().map(|subject| codec::line(&act(subject))), "{fate:?}");
        }
        if !disk.lost_power() {
            break;
        }
    }
}

#[test] // spec: MEM-13
fn a_full_disk_tears_no_act() {
    for bytes in 0.. {
        let disk = SimDisk::new();
        disk.write_raw(LOG, line("a@1").as_bytes());
        let log = log(&disk);
        disk.set_space_left(Some(bytes));
        match log.record(&act("b@2")) {
            Ok(()) => break,
            Err(error) => assert_eq!(error.code().name(), "store.no_space"),
        }
        assert_eq!(disk.dump()[Path::new(LOG)], line("a@1").as_bytes());
    }
}

#[test] // spec: MEM-3c
fn a_long_log_is_read_in_a_moment() {
    let disk = SimDisk::new();
    let lines: String = (0..20_000).map(|n| line(&format!("claim-{n}@1"))).collect();
    disk.write_raw(LOG, lines.as_bytes());
    let since = std::time::Instant::now();
    assert_eq!(log(&disk).read().unwrap().acts.len(), 20_000);
    assert!(since.elapsed().as_secs() < 10, "{:?}", since.elapsed());
}

#[test] // spec: MEM-3c
fn a_log_that_cannot_be_read_is_an_error_and_never_an_empty_one() {
    let disk = SimDisk::new();
    disk.make_dirs(LOG);
    assert_eq!(log(&disk).read().unwrap_err().code().name(), "store.unreadable");
    assert!(log(&disk).record(&act("b@2")).is_err());
    assert!(disk.list(Path::new(LOG)).unwrap().is_empty());
}

#[test] // spec: MEM-3c
fn a_line_of_a_newer_program_goes_into_another_log_byte_for_byte() {
    let levitate = r#"{"act":"levitate","id":"0a","ts":"soon","agent":"a b","subject":"x","how":[1.50]}"#;
    let retract = r#"{ "id":"0b","ts":"t","agent":"a","act":"retract","subject":"a@1","data":{"mood":"low"},"why":{} }"#;
    let lines = format!("{levitate}\n{retract}\n");
    let (from, to) = (SimDisk::new(), SimDisk::new());
    from.write_raw(LOG, lines.as_bytes());
    let acts = log(&from).read().unwrap().acts;
    log(&to).record_all(&acts).unwrap();
    assert_eq!(String::from_utf8(to.dump()[Path::new(LOG)].clone()).unwrap(), lines);
    assert_eq!(log(&to).read().unwrap().acts, acts);
}

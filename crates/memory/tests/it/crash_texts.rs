//! Power is lost before every step of a batch, a rename, a forgetting and an import; the repeat
//! completes each.

use crate::power_loss::{Call, call, crashed, found_after, later};
use crate::world::{
    CHERRY, HOME, MAKER, Short as _, caller, claim, clock, files_below, service, two_repositories,
};
use brainstem_base::Coded as _;
use brainstem_base::disk::{SimDisk, UnsyncedFate};
use brainstem_memory::{
    BatchLine, Confirmation, ForgetRequest, InitRequest, Memory, Outcome, RenameRequest, Tier,
};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Transfer};
use std::path::PathBuf;
use std::sync::Arc;

fn prepared() -> SimDisk {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    for text in ["one zebra", "two zebras"] {
        memory.tell(&maker, "Retry policy", text).unwrap();
        clock.advance(1_000);
    }
    memory.take_back(&maker, "Retry policy").unwrap();
    memory.tell(&maker, "Retry policy", "three zebras").unwrap();
    disk
}

/// The texts of a label, live first; nothing where there is no such label.
fn texts(disk: &SimDisk, label: &str) -> (Option<String>, Vec<String>) {
    let memory = service(Arc::new(disk.clone()), &later());
    match memory.look_at(&caller(MAKER, CHERRY), label, Tier::Project) {
        Ok(shown) => (shown.claim.map(|row| row.text), shown.history.into_iter().map(|v| v.text).collect()),
        Err(error) => {
            assert_eq!(error.code().name(), "claim.not_found", "{error}");
            (None, Vec::new())
        }
    }
}

fn undisturbed(prepared: &SimDisk, ask: &Call) -> SimDisk {
    let disk = prepared.reboot(UnsyncedFate::Kept);
    ask(&service(Arc::new(disk.clone()), &later())).unwrap();
    disk
}

/// Files and folders of the home, without what changes with the time of the call.
fn names(disk: &SimDisk) -> Vec<PathBuf> {
    files_below(disk, HOME).into_keys().collect()
}

/// How many acts of a name are on record; what a crash tore is none.
fn acts(disk: &SimDisk, name: &str) -> usize {
    let files = files_below(disk, HOME).into_iter();
    let logs = files.filter(|(path, _)| path.ends_with("acts.jsonl"));
    let read =
        |line: &[u8]| serde_json::from_slice::<crate::act_line::Act>(line).is_ok_and(|act| act.act == name);
    logs.map(|(_, bytes)| bytes.split(|b| *b == b'\n').filter(|line| read(line)).count()).sum()
}

/// Crashes at every step, asks `between` about what is found, repeats, and compares with a run that
/// was not disturbed; what was answered is certain.
fn repeat_completes(prepared: &SimDisk, ask: &Call, between: impl Fn(&SimDisk, &str)) {
    let whole = undisturbed(prepared, ask);
    let check = |found: &SimDisk, told: &str| {
        between(found, told);
        let answer = ask(&service(Arc::new(found.clone()), &later()));
        if let Err(error) = answer {
            assert_eq!(error.code().name(), "claim.not_found", "{told}: {error}");
        }
        assert_eq!(names(found), names(&whole), "{told}, repeated");
        let after = found.reboot(UnsyncedFate::Lost);
        assert_eq!(names(&after), names(&whole), "{told}, repeated, and the power gone");
    };
    crashed(prepared, ask, check);
    let done = prepared.reboot(UnsyncedFate::Kept);
    ask(&service(Arc::new(done.clone()), &later())).unwrap();
    for (fate, found) in found_after(&done, 0) {
        assert_eq!(names(&found), names(&whole), "answered, so it must be there: {fate:?}");
    }
}

#[test] // spec: MEM-48, MEM-13
fn a_crashed_rename_is_completed_by_the_repeat_and_loses_no_version() {
    let prepared = prepared();
    let request = RenameRequest { label: "Retry policy".into(), to: "Attempts".into(), tier: None };
    let ask = call(move |memory: &Memory| memory.rename(&caller(MAKER, CHERRY), &request));
    let all = || (Some("three zebras".to_owned()), vec!["two zebras".to_owned(), "one zebra".to_owned()]);
    repeat_completes(&prepared, &ask, |found, told| {
        let (old, new) = (texts(found, "Retry policy"), texts(found, "Attempts"));
        assert!(old.0 == all().0 || new.0 == all().0, "{told}: live nowhere: {old:?} {new:?}");
        assert!(old.1 == all().1 || new.1 == all().1, "{told}: a version is lost: {old:?} {new:?}");
        if new.0.is_none() {
            assert_eq!(old, all(), "{told}");
        }
    });
    let whole = undisturbed(&prepared, &ask);
    assert_eq!((texts(&whole, "Attempts"), texts(&whole, "Retry policy")), (all(), (None, vec![])));
    assert_eq!(acts(&whole, "rename"), 1);
    crashed(&prepared, &ask, |found, told| {
        ask(&service(Arc::new(found.clone()), &later())).unwrap();
        assert_eq!(acts(found, "rename"), 1, "{told}");
        assert_eq!(texts(found, "Attempts"), all(), "{told}");
    });
}

#[test] // spec: MEM-48, MEM-13
fn a_crashed_forgetting_is_completed_by_the_repeat_with_one_tombstone() {
    let prepared = prepared();
    let renamed = RenameRequest { label: "Retry policy".into(), to: "Attempts".into(), tier: None };
    service(Arc::new(prepared.clone()), &later()).rename(&caller(MAKER, CHERRY), &renamed).unwrap();
    for label in ["Attempts", "attempts"] {
        let request = ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given };
        let ask = call(move |memory: &Memory| memory.forget(&caller(MAKER, CHERRY), &request));
        repeat_completes(&prepared, &ask, |_, _| ());
        crashed(&prepared, &ask, |found, told| {
            let _ = ask(&service(Arc::new(found.clone()), &later()));
            for (path, bytes) in found.dump().into_iter().filter(|(path, _)| path.starts_with(HOME)) {
                let text = String::from_utf8_lossy(&bytes).to_lowercase();
                for word in ["zebra", "attempts", "retry", "it was wrong"] {
                    let is_free = !text.contains(word) && !path.to_string_lossy().contains(word);
                    assert!(is_free, "{told}: {word} in {}: {text}", path.display());
                }
            }
            assert_eq!(acts(found, "forget"), 1, "{told}");
        });
    }
}

/// The same claims in a repository, one of them put back by git to what it said before.
fn in_repository() -> SimDisk {
    let disk = prepared();
    let memory = service(Arc::new(disk.clone()), &later());
    let maker = caller(MAKER, CHERRY);
    memory.init(&maker, &InitRequest::default()).unwrap();
    let live = PathBuf::from(CHERRY).join(".brainstem/agent-memory/retry-policy.light.md");
    let before = disk.dump().remove(&live).unwrap();
    memory.tell(&maker, "Retry policy", "four zebras").unwrap();
    disk.write_raw(&live, &before);
    disk
}

#[test] // spec: MEM-48, MEM-13, MEM-2
fn a_crashed_rename_in_a_repository_loses_no_version_and_is_completed_by_the_repeat() {
    let prepared = in_repository();
    let request = RenameRequest { label: "Retry policy".into(), to: "Attempts".into(), tier: None };
    let ask = call(move |memory: &Memory| memory.rename(&caller(MAKER, CHERRY), &request));
    let zebras = ["one zebra", "two zebras", "three zebras", "four zebras"];
    let all = |found: &SimDisk, labels: &[&str]| -> Vec<String> {
        let of = |label: &&str| {
            let (live, past) = texts(found, label);
            live.into_iter().chain(past)
        };
        labels.iter().flat_map(of).collect()
    };
    crashed(&prepared, &ask, |found, told| {
        let there = all(found, &["Retry policy", "Attempts"]);
        assert!(zebras.iter().all(|text| there.iter().any(|it| it == text)), "{told}: {there:?}");
        ask(&service(Arc::new(found.clone()), &later())).unwrap();
        let there = all(found, &["Attempts"]);
        assert!(zebras.iter().all(|text| there.iter().any(|it| it == text)), "{told}, repeated: {there:?}");
        assert_eq!(texts(found, "Attempts").0.as_deref(), Some("three zebras"), "{told}, repeated");
        assert_eq!(texts(found, "Retry policy").0, None, "{told}, repeated");
    });
}

#[test] // spec: MEM-48, MEM-13, MEM-2
fn a_crashed_forgetting_in_a_repository_leaves_no_word_once_it_is_repeated() {
    let prepared = in_repository();
    let request =
        ForgetRequest { label: "Retry policy".into(), tier: None, confirmation: Confirmation::Given };
    let ask = call(move |memory: &Memory| memory.forget(&caller(MAKER, CHERRY), &request));
    crashed(&prepared, &ask, |found, told| {
        let _ = ask(&service(Arc::new(found.clone()), &later()));
        let is_ours = |path: &PathBuf| path.starts_with(HOME) || path.starts_with(CHERRY);
        for (path, bytes) in found.dump().into_iter().filter(|(path, _)| is_ours(path)) {
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            for word in ["zebra", "retry", "it was wrong"] {
                let is_free = !text.contains(word) && !path.to_string_lossy().contains(word);
                assert!(is_free, "{told}: {word} in {}: {text}", path.display());
            }
        }
    });
}

#[test] // spec: MEM-47, MEM-13
fn a_crashed_batch_is_completed_by_the_repeat() {
    let prepared = prepared();
    let lines = || {
        let line = |label: &str, text: &str| Ok(BatchLine::from(claim(label, text)));
        let past = brainstem_base::Timestamp::from_ms(5);
        let old = BatchLine { created: Some(past), ..BatchLine::from(claim("Past", "x")) };
        vec![line("Retry policy", "four"), Ok(old), line("Cache", "a"), line("Cache", "b")]
    };
    let ask = call(move |memory: &Memory| {
        let done = memory.memorize_batch(&caller(MAKER, CHERRY), None, lines(), &|_| true)?;
        match done.into_iter().find_map(|line| match line.outcome {
            Outcome::Refused(error) => Some(error),
            Outcome::Born | Outcome::Superseded | Outcome::Unchanged => None,
        }) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    });
    repeat_completes(&prepared, &ask, |_, _| ());
    crashed(&prepared, &ask, |found, told| {
        ask(&service(Arc::new(found.clone()), &later())).unwrap();
        assert_eq!(texts(found, "Cache"), (Some("b".into()), vec!["a".into()]), "{told}");
        assert_eq!(texts(found, "Retry policy").1.len(), 3, "{told}");
    });
}

#[test] // spec: MEM-42, MEM-13
fn a_crashed_import_is_completed_by_the_repeat() {
    let source = prepared();
    let memory = service(Arc::new(source.clone()), &later());
    let out = Some("/src/all.jsonl".into());
    let request = ExportRequest { scope: ExportScope::Project, format: Format::JsonLines, out };
    Transfer::new(&memory).export(&caller(MAKER, CHERRY), &request, &|_, _| ()).unwrap();
    let prepared = two_repositories();
    prepared.write_raw("/src/all.jsonl", &source.dump().remove(&PathBuf::from("/src/all.jsonl")).unwrap());
    service(Arc::new(prepared.clone()), &later()).begin(&caller(MAKER, CHERRY)).unwrap();
    let request =
        ImportRequest { path: "/src/all.jsonl".into(), from: None, tier: None, sort: false, dry_run: false };
    let ask = call(move |memory: &Memory| {
        let done = Transfer::new(memory).import(&caller(MAKER, CHERRY), &request, &|_, _| true)?;
        match done.not_taken.first() {
            Some(named) => Err(brainstem_base::Fault::new(named.code, named.why.clone()).into()),
            None => Ok(done),
        }
    });
    repeat_completes(&prepared, &ask, |_, _| ());
    crashed(&prepared, &ask, |found, told| {
        ask(&service(Arc::new(found.clone()), &later())).unwrap();
        assert_eq!(texts(found, "Retry policy"), texts(&source, "Retry policy"), "{told}");
    });
}

#[test] // spec: IF-27, MEM-13
fn settings_are_old_or_new_wherever_power_fails() {
    use brainstem_memory::config::{ConfigFile, ConfigKey};
    let maker = caller(MAKER, CHERRY);
    for (place, file) in
        [(ConfigFile::Home, HOME.to_owned()), (ConfigFile::Repository, format!("{CHERRY}/.brainstem"))]
    {
        let file = PathBuf::from(file).join("config.toml");
        for before in [None, Some("# mine\nagent = \"codex:maker\" # who\nfuture = 1\n")] {
            let prepared = prepared();
            if let Some(before) = before {
                prepared.write_raw(&file, before.as_bytes());
            }
            let here = maker.place().clone();
            let ask = call(move |memory: &Memory| memory.set(&here, "agent", "claude:maker", place));
            let whole = undisturbed(&prepared, &ask);
            let new = String::from_utf8(whole.dump().remove(&file).unwrap()).unwrap();
            assert!(
                before.is_none() || new.starts_with("# mine\n") && new.ends_with("# who\nfuture = 1\n"),
                "{new}"
            );
            let text =
                |disk: &SimDisk| disk.dump().remove(&file).map(|bytes| String::from_utf8(bytes).unwrap());
            crashed(&prepared, &ask, |found, told| {
                let there = text(found);
                assert!(there.as_deref() == before || there.as_deref() == Some(&new), "{told}: {there:?}");
                ask(&service(Arc::new(found.clone()), &later())).unwrap();
                assert_eq!(
                    text(&found.reboot(UnsyncedFate::Lost)).as_deref(),
                    Some(new.as_str()),
                    "{told}, repeated"
                );
                let memory = service(Arc::new(found.clone()), &later());
                let config = memory.config(maker.place());
                assert_eq!(
                    config.given(ConfigKey::Agent).map(|given| given.value.as_str()),
                    Some("claude:maker")
                );
                assert_eq!(texts(found, "Retry policy").0.as_deref(), Some("three zebras"), "{told}");
            });
            for (fate, found) in found_after(&whole, 0) {
                assert_eq!(
                    text(&found).as_deref(),
                    Some(new.as_str()),
                    "answered, so it must be there: {fate:?}"
                );
            }
        }
    }
}

#[test] // spec: MEM-48, MEM-48b
fn nothing_is_left_of_a_forgotten_claim_whose_renaming_was_cut_off() {
    for is_in_repository in [false, true] {
        let prepared = prepared();
        if is_in_repository {
            let memory = service(Arc::new(prepared.clone()), &clock());
            memory.init(&caller(MAKER, CHERRY), &InitRequest::default()).unwrap();
        }
        let request = RenameRequest { label: "Retry policy".into(), to: "Backoff".into(), tier: None };
        for step in 0.. {
            let disk = prepared.reboot(UnsyncedFate::Kept);
            disk.lose_power_after(step);
            let renamed =
                service(Arc::new(disk.clone()), &later()).rename(&caller(MAKER, CHERRY), &request).is_ok();
            if renamed && !disk.lost_power() {
                break;
            }
            let disk = disk.reboot(UnsyncedFate::Kept);
            let memory = service(Arc::new(disk.clone()), &later());
            let mut notes = String::new();
            let is_gone = |label: &&str| {
                let request =
                    ForgetRequest { label: (*label).into(), tier: None, confirmation: Confirmation::Given };
                let done = memory.forget(&caller(MAKER, CHERRY), &request);
                notes = done.as_ref().map(|done| format!("{:?}", done.notes)).unwrap_or_default();
                done.is_ok()
            };
            let label = ["Retry policy", "Backoff"].into_iter().find(is_gone);
            // Where only the log of the repository says which of two names has a version, it stays and is named.
            if notes.contains("stay: ") {
                continue;
            }
            let left: Vec<PathBuf> = disk
                .dump()
                .into_iter()
                .filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains("zebra"))
                .map(|(path, _)| path)
                .collect();
            assert_eq!(left, [] as [PathBuf; 0], "{is_in_repository}, step {step}: {label:?}, {notes}");
        }
    }
}

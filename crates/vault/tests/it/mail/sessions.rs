//! Sessions on record, and the readers of a box.

use super::{ROOT, later, name, now};
use brainstem_base::Timestamp;
use brainstem_base::disk::Disk;
use brainstem_base::disk::{ObservedDisk, SimDisk, verbs};
use brainstem_base::ids::CountingIds;
use brainstem_mail::name::MailboxName;
use brainstem_mail::resolve::KnownUnderName;
use brainstem_vault::StoreError;
use brainstem_vault::mail::SessionRecords;
use std::path::Path;
use std::sync::Arc;

fn unchecked() -> Result<(), StoreError> {
    Ok(())
}

#[test] // spec: MAIL-3, MAIL-4
fn sessions_are_known_with_their_tags_until_they_age_out() {
    let disk = SimDisk::new();
    disk.make_dirs("/home/ana/.brainstem");
    let sessions = |root: &str| {
        SessionRecords::new(
            Arc::new(disk.clone()),
            Arc::new(CountingIds::from(7)),
            Path::new("/home/ana/.brainstem"),
            Path::new(root),
        )
    };
    let here = sessions(ROOT);
    here.touch(&name("w1"), &[name("worker")], Some("codex:maker"), &unchecked, now()).unwrap();
    let first = here.find(&name("w1")).and_then(|record| record.id).unwrap();
    let steps = disk.steps();
    here.touch(&name("w1"), &[name("worker")], Some("codex:maker"), &unchecked, later(30_000)).unwrap();
    assert_eq!(disk.steps(), steps, "nothing is written for somebody who was just here");
    here.touch(&name("w1"), &[name("night")], None, &unchecked, later(61_000)).unwrap();
    let record = here.find(&name("w1")).unwrap();
    assert_eq!(
        (record.tags.as_slice(), record.agent.as_deref()),
        (&["worker".to_owned(), "night".to_owned()][..], Some("codex:maker"))
    );
    assert_eq!((record.first_seen, record.last_seen), (now().ms(), later(61_000).ms()));
    assert!(record.is_live(later(60_000)) && !record.is_live(later(3_600_000)));
    let names = here.names(later(3_600_000));
    assert!(names.contains(&name("w1")) && names.contains(&name("night")), "gone, and still known");
    assert_eq!(Some(first), record.id, "it has the id of its first call");
    assert!(sessions("/src/plum/.mail").all(now()).is_empty(), "another project has its own");
    // A clock that was a year ahead, and is right again.
    let year = 365 * 86_400_000;
    here.touch(&name("w2"), &[], None, &unchecked, later(year)).unwrap();
    assert!(!here.find(&name("w2")).unwrap().is_live(now()));
    here.touch(&name("w2"), &[], None, &unchecked, now()).unwrap();
    assert_eq!(here.find(&name("w2")).unwrap().last_seen, now().ms());
    assert_eq!(here.forget_old(later(40 * 86_400_000)), 2);
    assert!(here.all(now()).is_empty());
}

#[test] // spec: MAIL-4
fn a_session_that_said_goodbye_is_not_live_until_it_calls_again() {
    let disk = SimDisk::new();
    disk.make_dirs("/home/ana/.brainstem");
    let home = Path::new("/home/ana/.brainstem");
    let here = SessionRecords::new(Arc::new(disk), Arc::new(CountingIds::from(7)), home, Path::new(ROOT));
    let is_live = |to: &str| here.readers_of_name(&[name(to)], later(2)).is_live;
    here.leave(&name("nobody"), &|_| true, now()).unwrap();
    assert!(here.find(&name("nobody")).is_none(), "only a session on record can leave");
    here.touch(&name("w1"), &[name("worker")], Some("codex:maker"), &unchecked, now()).unwrap();
    here.touch(&name("w2"), &[name("worker")], Some("codex:maker"), &unchecked, now()).unwrap();
    here.leave(&name("w2"), &|_| true, later(1)).unwrap();
    assert_eq!((is_live("w1"), is_live("w2"), is_live("worker")), (true, false, true));
    assert!(here.is_anybody_here(&name("w3"), later(2)), "who left last hides nobody");
    here.leave(&name("w1"), &|_| true, later(1)).unwrap();
    assert_eq!((is_live("w1"), is_live("worker")), (false, false));
    assert!(!here.is_anybody_here(&name("w3"), later(2)));
    assert!(here.names(later(2)).contains(&name("worker")), "gone, and still known");
    here.touch(&name("w1"), &[], None, &unchecked, later(2)).unwrap();
    assert!(is_live("w1"), "a call a moment later makes it live");
    here.leave(&name("w1"), &|_| true, later(3)).unwrap();
    here.register(&name("w1"), &[], None, &|| Ok::<_, StoreError>(()), later(4)).unwrap();
    assert!(is_live("w1"));
}

#[test] // spec: MAIL-4, MEM-21
fn sessions_that_were_seen_before_another_folder_was_made_at_the_path_are_not_on_record() {
    let disk = SimDisk::new();
    disk.make_dirs("/home/ana/.brainstem");
    let project = Path::new(ROOT).parent().unwrap();
    disk.make_dirs(project);
    let sessions = || {
        let home = Path::new("/home/ana/.brainstem");
        SessionRecords::new(Arc::new(disk.clone()), Arc::new(CountingIds::from(7)), home, Path::new(ROOT))
    };
    sessions().touch(&name("w1"), &[name("merger")], Some("codex:maker"), &unchecked, now()).unwrap();
    assert!(sessions().names(now()).contains(&name("merger")));
    disk.rename(project, &project.with_file_name("moved")).unwrap();
    disk.make_dirs(project);
    let here = sessions();
    assert!(here.names(later(1)).is_empty() && here.all(later(1)).is_empty());
    assert!(!here.readers_of_name(&[name("merger")], later(1)).known.is_tag);
    let record = here.touch(&name("w1"), &[], None, &unchecked, later(1)).unwrap();
    assert_eq!((record.tags.len(), record.agent, record.first_seen), (0, None, later(1).ms()));

    // A record of an earlier version says nothing about the folder, and counts.
    let dir = Path::new("/home/ana/.brainstem/local/sessions-register");
    let dir = dir.join(&disk.list(dir).unwrap()[0].name);
    let old = format!(r#"{{"name":"w2","root":{ROOT:?},"first_seen":{0},"last_seen":{0}}}"#, now().ms());
    disk.write_raw(dir.join("w2.json"), old.as_bytes());
    assert!(here.find(&name("w2")).is_some());
}

#[test] // spec: MAIL-3, MAIL-4, IF-25a
fn whoever_reads_a_box_is_found_without_a_look_at_everybody() {
    let disk = SimDisk::new();
    disk.make_dirs("/home/ana/.brainstem");
    let observed = Arc::new(ObservedDisk::counting(Arc::new(disk.clone())));
    let here = SessionRecords::new(
        observed.clone(),
        Arc::new(CountingIds::from(7)),
        Path::new("/home/ana/.brainstem"),
        Path::new(ROOT),
    );
    let known = |to: &[&str], at| {
        let names: Vec<MailboxName> = to.iter().map(|to| name(to)).collect();
        let standing = here.readers_of_name(&names, at);
        let KnownUnderName { is_session, is_tag, is_agent } = standing.known;
        (is_session, is_tag, is_agent, standing.is_live)
    };
    for n in 0..500 {
        here.touch(&name(&format!("old-{n}")), &[name("crowd")], Some("mcp"), &unchecked, later(-3_600_000))
            .unwrap();
    }
    here.touch(&name("w1"), &[name("worker")], Some("codex:maker"), &unchecked, now()).unwrap();
    here.readers_of_name(&[name("nobody")], now());
    observed.reset();
    assert_eq!(known(&["w1"], now()), (true, false, false, true));
    assert_eq!(known(&["worker"], now()), (false, true, false, true));
    assert_eq!(known(&["codex.maker"], now()), (false, false, true, true));
    assert!(observed.counts()[verbs::READ] <= 5, "{:?}", observed.counts());
    observed.reset();
    assert_eq!(known(&["later"], now()), (false, false, false, false));
    assert!(observed.counts().get(verbs::READ).copied().unwrap_or(0) <= 5, "{:?}", observed.counts());
    assert_eq!(known(&["worker"], later(3_600_000)), (false, true, false, false), "gone, and still known");
    assert!(here.is_anybody_here(&name("w2"), now()) && !here.is_anybody_here(&name("w1"), now()));
    // A session that an older program registers has no marks, and is still found.
    let record = |name: &str, tag: &str, seen: Timestamp| {
        format!(
            r#"{{"name":"{name}","tags":["{tag}"],"root":"{ROOT}","agent":"codex-mcp-client","first_seen":{0},"last_seen":{0}}}"#,
            seen.ms()
        )
    };
    let dir = disk.dump().into_keys().find(|path| path.ends_with("w1.json")).unwrap();
    disk.write_raw(dir.with_file_name("elder.json"), record("elder", "night", now()).as_bytes());
    assert_eq!(known(&["night"], now()), (false, true, false, true));
    assert_eq!(
        known(&["codex.elsewhere", "codex-mcp-client"], now()),
        (false, false, true, true),
        "by any name"
    );
    // A session that says other tags reads other boxes.
    here.register(&name("w1"), &[name("night")], Some("codex:maker"), &|| Ok::<_, StoreError>(()), now())
        .unwrap();
    assert_eq!(known(&["worker"], now()), (false, false, false, false));
    // A session that was not seen for a month is forgotten, with its marks.
    assert_eq!(known(&["crowd"], later(40 * 86_400_000)), (false, false, false, false));
    assert!(!disk.dump().keys().any(|path| path.to_string_lossy().contains("/crowd/")));
}

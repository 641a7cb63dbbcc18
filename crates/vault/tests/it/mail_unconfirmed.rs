//! Mail on a disk that takes a change and does not confirm it: no message is lost, no answer calls a change that is in
//! place refused, and a repeat succeeds.

use crate::mail::{draft, file, later, name, now, root_on, subjects};
use brainstem_base::Coded as _;
use brainstem_base::disk::{DiskFault, Failing, FailingFor, FaultyDisk, SimDisk, SyncFailures, UnsyncedFate};
use brainstem_vault::mail::{MailFault, MailFolder, MailRoot};
use std::sync::Arc;

const MESSAGE: &str = "20260128T153000Z_ana_task.md";

type Act = fn(&MailRoot) -> Result<(), MailFault>;

/// What is called, and where the message is afterwards.
fn acts() -> [(&'static str, Act, MailFolder); 5] {
    [
        (
            "deliver",
            |root| root.mailbox(&name("new"))?.deliver(&draft("ana", "new", "do it")).map(drop),
            MailFolder::Unread,
        ),
        (
            "deliver once",
            |root| root.mailbox(&name("new"))?.deliver_once(&draft("ana", "new", "do it"), "k").map(drop),
            MailFolder::Unread,
        ),
        (
            "take",
            |root| root.mailbox(&name("w"))?.take(&file(MESSAGE), &name("w1"), later(1000)).map(drop),
            MailFolder::Held,
        ),
        (
            "mark read",
            |root| root.mailbox(&name("w"))?.mark_read(&file(MESSAGE), &name("w"), now()).map(drop),
            MailFolder::Read,
        ),
        (
            "archive",
            |root| root.mailbox(&name("w"))?.archive(&file(MESSAGE), &name("w")).map(drop),
            MailFolder::Archive,
        ),
    ]
}

/// The folder of the message that an act is about; `None` before it was delivered.
fn place(root: &MailRoot, name: &str) -> Option<MailFolder> {
    let mailbox = if name.starts_with("deliver") { "new" } else { "w" };
    let here = |folder: &MailFolder| !subjects(root, mailbox, *folder).is_empty();
    let found: Vec<MailFolder> = MailFolder::ALL.iter().copied().filter(here).collect();
    assert!(found.len() < 2, "{name}: one message in {found:?}");
    found.first().copied()
}

fn walk(name_of: &str, act: Act, done: MailFolder, failures: SyncFailures, fault: DiskFault) {
    for count in 0.. {
        let disk = SimDisk::new();
        disk.make_dirs("/src/cherry");
        let root = root_on(Arc::new(disk.clone()));
        root.mailbox(&name("w")).unwrap().deliver(&draft("ana", "w", "do it")).unwrap();
        let before = place(&root, name_of);
        disk.fail_syncs_after(count, failures, fault);
        let answer = act(&root);
        disk.mend_syncs();
        let told = format!("{name_of}, {failures:?} sync failing after {count}");
        let after = place(&root, name_of);
        match &answer {
            Ok(()) => assert_eq!(after, Some(done), "{told}"),
            Err(error) if error.code().name() == "store.unconfirmed" => {
                assert!(after == before || after == Some(done), "{told}: {after:?}");
                assert!(error.fix().is_some_and(|fix| fix.contains("brainstem mail list")), "{told}");
            }
            Err(error) => assert_eq!(after, before, "{told}: refused with {error}"),
        }
        assert!(
            before.is_none()
                || UnsyncedFate::all(count).into_iter().all(|fate| {
                    let found = root_on(Arc::new(disk.reboot(fate)));
                    MailFolder::ALL.iter().any(|folder| !subjects(&found, "w", *folder).is_empty())
                }),
            "{told}: lost with the power"
        );
        if after != Some(done) {
            act(&root).unwrap_or_else(|error| panic!("{told}, then repeated: {error}"));
            assert_eq!(place(&root, name_of), Some(done), "{told}, then repeated");
        }
        if disk.failed_syncs() == 0 {
            assert!(count > 0, "{name_of} syncs something");
            return;
        }
    }
}

#[test] // spec: MAIL-8a
fn a_message_is_never_called_refused_where_it_is_in_place() {
    for (name, act, done) in acts() {
        walk(name, act, done, SyncFailures::One, DiskFault::NoSpace);
        walk(name, act, done, SyncFailures::AllLater, DiskFault::Other);
    }
}

/// Runs an act on a disk on which a kind of operation fails after so many. Returns whether one did.
fn fails(name_of: &str, act: Act, done: MailFolder, failing: Failing, long: FailingFor, passes: u64) -> bool {
    let disk = SimDisk::new();
    disk.make_dirs("/src/cherry");
    let root = root_on(Arc::new(disk.clone()));
    root.mailbox(&name("w")).unwrap().deliver(&draft("ana", "w", "do it")).unwrap();
    let before = place(&root, name_of);
    let faulty = Arc::new(FaultyDisk::after(Arc::new(disk.clone()), failing, long, passes));
    let answer = act(&root_on(faulty.clone()));
    let told = format!("{name_of}, {failing:?} failing for {long:?} after {passes}: {answer:?}");
    let after = place(&root, name_of);
    match &answer {
        Ok(()) => assert_eq!(after, Some(done), "{told}"),
        Err(error) if error.code().name() == "store.unconfirmed" => {
            assert!(after == before || after == Some(done), "{told}: {after:?}");
        }
        Err(_) => assert_eq!(after, before, "{told}"),
    }
    if after != Some(done) {
        act(&root).unwrap_or_else(|error| panic!("{told}, then repeated: {error}"));
        assert_eq!(place(&root, name_of), Some(done), "{told}, then repeated");
    }
    faulty.failures() > 0
}

#[test] // spec: MAIL-8a
fn what_a_failing_disk_refuses_of_a_message_is_done_nowhere() {
    for (name, act, done) in acts() {
        for (failing, long) in
            Failing::EACH.iter().flat_map(|it| [(*it, FailingFor::Once), (*it, FailingFor::Good)])
        {
            let count = (0..).take_while(|passes| fails(name, act, done, failing, long, *passes)).count();
            assert!(count > 0, "{name} asks for {failing:?}");
        }
    }
}

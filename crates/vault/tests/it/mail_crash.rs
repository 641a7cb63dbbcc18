//! Power is lost before every step of everything that moves a message, and every fate of what was not
//! synced is tried.

use crate::mail::{draft, file, later, name, now, root_on, subjects};
use brainstem_base::disk::{SimDisk, UnsyncedFate};
use brainstem_vault::mail::{MailFault, MailFolder, MailRoot};
use std::sync::Arc;

const MESSAGE: &str = "20260128T153000Z_ana_task.md";

type Prepare<'a> = &'a dyn Fn() -> SimDisk;
type Act<'a> = &'a dyn Fn(&MailRoot) -> Result<(), MailFault>;

/// A disk with a box that has one message.
fn one_message() -> SimDisk {
    let disk = SimDisk::new();
    disk.make_dirs("/src/cherry");
    let root = root_on(Arc::new(disk.clone()));
    root.mailbox(&name("w")).unwrap().deliver(&draft("ana", "w", "do it")).unwrap();
    disk
}

/// Runs an act with power for ever fewer steps, and shows what is found after each loss.
fn lose_power(prepared: Prepare<'_>, act: Act<'_>, found: &dyn Fn(&MailRoot, bool)) {
    for steps in 0.. {
        let disk = prepared();
        disk.lose_power_after(steps);
        let done = act(&root_on(Arc::new(disk.clone()))).is_ok();
        for fate in UnsyncedFate::all(steps) {
            let after = disk.reboot(fate);
            found(&root_on(Arc::new(after.clone())), done);
        }
        if !disk.lost_power() {
            assert!(done, "with power to the end it is done");
            return;
        }
    }
}

/// The folders in which a message is whole.
fn places(root: &MailRoot) -> Vec<MailFolder> {
    let here = |folder: &MailFolder| !subjects(root, "w", *folder).is_empty();
    MailFolder::ALL.iter().copied().filter(here).collect()
}

#[test] // spec: MAIL-8
fn a_delivery_is_whole_or_not_at_all_wherever_power_fails() {
    let empty = || {
        let disk = SimDisk::new();
        disk.make_dirs("/src/cherry");
        disk
    };
    let send = |root: &MailRoot| root.mailbox(&name("w"))?.deliver(&draft("ana", "w", "do it")).map(drop);
    lose_power(&empty, &send, &|root, done| {
        let found = subjects(root, "w", MailFolder::Unread);
        assert!(found == ["do it"] || (found.is_empty() && !done), "{found:?}, answered: {done}");
        assert!(root.boxes().unwrap().is_empty() || root.is_private(), "no box without what git is told");
        // A repeated send succeeds.
        send(root).unwrap();
        root.mailbox(&name("w")).unwrap().sweep(later(100 * 86_400_000));
    });
}

#[test] // spec: MAIL-7, MAIL-8
fn a_send_with_a_key_is_made_once_wherever_power_fails() {
    let empty = || {
        let disk = SimDisk::new();
        disk.make_dirs("/src/cherry");
        disk
    };
    let send =
        |root: &MailRoot| root.mailbox(&name("w"))?.deliver_once(&draft("ana", "w", "do it"), "k").map(drop);
    lose_power(&empty, &send, &|root, _| {
        for _ in 0..2 {
            send(root).unwrap();
            assert_eq!(subjects(root, "w", MailFolder::Unread), ["do it"]);
        }
    });
}

#[test] // spec: MAIL-11
fn a_message_that_is_taken_is_never_lost() {
    let take =
        |root: &MailRoot| root.mailbox(&name("w"))?.take(&file(MESSAGE), &name("w1"), later(1000)).map(drop);
    lose_power(&one_message, &take, &|root, done| {
        let found = places(root);
        assert!(!found.is_empty(), "it is somewhere");
        assert!(!done || found == [MailFolder::Held], "{found:?}");
        // After the lease it is in the box, once.
        root.mailbox(&name("w")).unwrap().give_back(later(1000)).unwrap();
        assert_eq!(places(root), [MailFolder::Unread]);
        assert_eq!(subjects(root, "w", MailFolder::Unread), ["do it"]);
    });
}

#[test] // spec: MAIL-11
fn a_message_that_comes_back_is_never_lost() {
    let held = || {
        let disk = one_message();
        let root = root_on(Arc::new(disk.clone()));
        root.mailbox(&name("w")).unwrap().take(&file(MESSAGE), &name("w1"), later(1000)).unwrap();
        disk
    };
    let back = |root: &MailRoot| {
        let done = root.mailbox(&name("w"))?.give_back(later(1000))?;
        match done.stuck.is_empty() {
            true => Ok(()),
            false => Err(MailFault::Full { mailbox: name("w") }),
        }
    };
    lose_power(&held, &back, &|root, done| {
        let found = places(root);
        assert!(!found.is_empty() && (!done || found == [MailFolder::Unread]), "{found:?}");
        back(root).unwrap();
        assert_eq!(places(root), [MailFolder::Unread]);
        assert_eq!(subjects(root, "w", MailFolder::Unread), ["do it"]);
    });
}

#[test] // spec: MAIL-10
fn a_message_that_is_marked_or_archived_is_never_lost() {
    let held = || {
        let disk = one_message();
        let root = root_on(Arc::new(disk.clone()));
        root.mailbox(&name("w")).unwrap().take(&file(MESSAGE), &name("w1"), later(1000)).unwrap();
        disk
    };
    let read = || {
        let disk = held();
        let root = root_on(Arc::new(disk.clone()));
        root.mailbox(&name("w")).unwrap().mark_read(&file(MESSAGE), &name("w1"), now()).unwrap();
        disk
    };
    let mark =
        |root: &MailRoot| root.mailbox(&name("w"))?.mark_read(&file(MESSAGE), &name("w1"), now()).map(drop);
    let archive = |root: &MailRoot| root.mailbox(&name("w"))?.archive(&file(MESSAGE), &name("w1")).map(drop);
    let cases: [(Prepare<'_>, Act<'_>, MailFolder); 5] = [
        (&one_message, &mark, MailFolder::Read),
        (&held, &mark, MailFolder::Read),
        (&one_message, &archive, MailFolder::Archive),
        (&held, &archive, MailFolder::Archive),
        (&read, &archive, MailFolder::Archive),
    ];
    for (prepared, act, to) in cases {
        lose_power(prepared, act, &|root, done| {
            let found = places(root);
            assert!(!found.is_empty(), "it is somewhere");
            assert!(!done || found == [to], "{found:?} instead of {to:?}");
            // Repeating it, and sweeping, ends with one message in one place.
            act(root).unwrap();
            let w = root.mailbox(&name("w")).unwrap();
            w.sweep(later(1000));
            let found = places(root);
            assert!(found == [to], "{found:?} instead of {to:?}");
            assert_eq!(subjects(root, "w", to), ["do it"]);
        });
    }
}

//! The file that processes share may be lost, damaged, locked or another program's: every question is still answered
//! from the claims, and the file is written anew if that is possible.

use crate::world::{Hashed, Place, claim, claim_by, said, settle};
use brainstem_base::disk::{Disk as _, ObservedDisk, RealDisk, verbs};
use brainstem_index::{Drift, Embedder, PublishUntil, StoreIndex};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const MEANINGS: Hashed = Hashed { better: false };

/// Whether the next publish repairs the damage to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repair {
    Done,
    Impossible,
}

fn filled(place: &Place) {
    for number in 0..12 {
        let key = format!("claim-{number}");
        let group = (number % 2 == 0).then_some("s");
        place.edit(&key, &claim_by(&key, "ana", group, number, &format!("retry the upload of {number}")));
    }
}

/// All that is there to share is shared.
fn share(place: &Place) -> Arc<StoreIndex> {
    let process = place.process(MEANINGS);
    process.refresh().unwrap();
    settle(&process, PublishUntil::Shared);
    assert!(!place.process(MEANINGS).refresh().unwrap().was_rebuilt(), "it is shared");
    process
}

fn is_right(place: &Place, process: &StoreIndex) -> bool {
    let embedder: Arc<dyn Embedder> = Arc::new(MEANINGS);
    said(&process.refresh().unwrap(), &MEANINGS) == place.anew(&embedder)
}

/// Hurts the file while one process has it mapped, and looks at what that one and the next say.
fn check(what: &str, repair: Repair, hurt: impl Fn(&Place, &Path)) {
    let place = Place::real();
    filled(&place);
    let live = share(&place);
    hurt(&place, &place.shared_file());
    assert!(is_right(&place, &live), "{what}: the process that had it mapped");
    let cold = place.process(MEANINGS);
    assert!(is_right(&place, &cold), "{what}: the next process");
    assert!(cold.refresh().unwrap().was_rebuilt(), "{what}: it was noticed");
    place.edit("claim-3", &claim("claim-3", "the cache was changed"));
    for process in [&live, &cold] {
        assert!(is_right(&place, process), "{what}: after a change");
    }
    settle(&cold, PublishUntil::Shared);
    let next = place.process(MEANINGS);
    for process in [&live, &cold, &next] {
        process.adopt_shared_file();
        assert!(is_right(&place, process), "{what}: after settling");
    }
    let repaired = if next.refresh().unwrap().was_rebuilt() { Repair::Impossible } else { Repair::Done };
    assert_eq!(repaired, repair, "{what}");
}

#[test] // spec: MEM-26
fn a_shared_file_that_is_lost_or_hurt_costs_no_answer() {
    check("deleted", Repair::Done, |_, file| std::fs::remove_file(file).unwrap());
    let len = {
        let place = Place::real();
        filled(&place);
        share(&place);
        std::fs::metadata(place.shared_file()).unwrap().len()
    };
    for cut in [0, 1, 8, 100, 223, 224, 300, len / 3, len / 2, len - 9, len - 8, len - 1] {
        check(&format!("cut to {cut}"), Repair::Done, |_, file| {
            std::fs::File::options().write(true).open(file).unwrap().set_len(cut).unwrap();
        });
    }
    for at in [0, 8, 13, 33, 41, 50, 230, len / 4, len / 2, len / 4 * 3, len - 3] {
        check(&format!("a bit flipped at {at}"), Repair::Done, |place, file| {
            let before = place.disk.stamp(file).unwrap().changed_ns;
            let mut bytes = std::fs::read(file).unwrap();
            bytes[at as usize] ^= 0x04;
            // Written in place until the clock of the file system has moved, as it has where it matters.
            while place.disk.stamp(file).unwrap().changed_ns == before {
                std::fs::write(file, &bytes).unwrap();
            }
        });
    }
    check("longer", Repair::Done, |_, file| {
        let bytes = std::fs::read(file).unwrap();
        std::fs::write(file, [&bytes[..], b"more"].concat()).unwrap();
    });
    check("garbage", Repair::Done, |_, file| std::fs::write(file, [0x5a; 5_000]).unwrap());
    check("a link", Repair::Done, |_, file| {
        let aside = file.with_extension("aside");
        std::fs::rename(file, &aside).unwrap();
        std::os::unix::fs::symlink(&aside, file).unwrap();
    });
    check("a folder", Repair::Impossible, |_, file| {
        std::fs::remove_file(file).unwrap();
        std::fs::create_dir(file).unwrap();
    });
    check("the file of another store", Repair::Done, |_, file| {
        let other = Place::real();
        other.edit("stranger", &claim("stranger", "retry the upload of strangers"));
        share(&other);
        std::fs::rename(file, file.with_extension("aside")).unwrap();
        std::fs::copy(other.shared_file(), file).unwrap();
    });
    check("vectors of another model", Repair::Done, |place, file| {
        let other = place.process_on(
            place.disk.clone(),
            Arc::new(brainstem_index::NoEmbedder),
            &place.folder.with_extension("other"),
        );
        other.refresh().unwrap();
        settle(&other, PublishUntil::Shared);
        std::fs::rename(file, file.with_extension("aside")).unwrap();
        std::fs::copy(place.folder.with_extension("other").join(file.file_name().unwrap()), file).unwrap();
    });
}

#[test] // spec: MEM-26
fn a_file_that_is_cut_while_it_is_mapped_is_noticed_before_the_next_question() {
    let place = Place::real();
    filled(&place);
    let live = share(&place);
    live.adopt_shared_file();
    assert!(!live.refresh().unwrap().was_rebuilt());
    std::fs::File::options().write(true).open(place.shared_file()).unwrap().set_len(64).unwrap();
    assert!(live.refresh().unwrap().was_rebuilt());
    assert!(is_right(&place, &live));
}

#[test] // spec: MEM-26
fn a_lock_that_another_process_holds_keeps_nobody_from_an_answer() {
    let place = Place::real();
    filled(&place);
    share(&place);
    let held = RealDisk.lock(&place.shared_file().with_extension("lock"), Duration::ZERO).unwrap();
    std::fs::remove_file(place.shared_file()).unwrap();
    let cold = place.process(MEANINGS);
    assert!(is_right(&place, &cold));
    settle(&cold, PublishUntil::Shared);
    assert!(is_right(&place, &cold));
    assert!(place.process(MEANINGS).refresh().unwrap().was_rebuilt(), "nothing was written past the lock");
    drop(held);
    settle(&cold, PublishUntil::Shared);
    assert!(!place.process(MEANINGS).refresh().unwrap().was_rebuilt());
}

#[test] // spec: MEM-26
fn an_index_folder_that_cannot_be_used_costs_no_answer() {
    // A file in place of the folder, a link, no parent, and a folder of another program's files.
    type Make = fn(&Path);
    let cases: [(&str, Make); 4] = [
        ("a file", |folder| std::fs::write(folder, "in the way").unwrap()),
        ("a link", |folder| std::os::unix::fs::symlink("/nowhere", folder).unwrap()),
        ("missing", |_| ()),
        ("foreign files", |folder| {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("notes.segment"), "mine").unwrap();
        }),
    ];
    for (what, make) in cases {
        let place = Place::real();
        filled(&place);
        make(&place.folder);
        let process = place.process(MEANINGS);
        assert!(is_right(&place, &process), "{what}");
        settle(&process, PublishUntil::EncodedSoon);
        process.adopt_shared_file();
        assert!(is_right(&place, &process), "{what}");
        place.edit("new", &claim("new", "retry"));
        assert!(is_right(&place, &process) && is_right(&place, &place.process(MEANINGS)), "{what}");
    }
}

#[test] // spec: MEM-26
fn a_disk_that_is_read_only_or_full_costs_no_answer_and_keeps_no_leftover() {
    let (place, disk) = Place::simulated();
    filled(&place);
    let process = place.process(MEANINGS);
    disk.set_read_only(true);
    assert!(is_right(&place, &process));
    settle(&process, PublishUntil::Shared);
    assert!(is_right(&place, &process));
    disk.set_read_only(false);
    let needed = {
        settle(&process, PublishUntil::Shared);
        let file = place.shared_file();
        let len = disk.stat(&file).unwrap().len;
        disk.unlink(&file).unwrap();
        len
    };
    for space in [0, 1, 100, needed / 2, needed - 1] {
        disk.set_space_left(Some(space));
        let process = place.process(MEANINGS);
        assert!(is_right(&place, &process));
        settle(&process, PublishUntil::Shared);
        assert!(is_right(&place, &process));
        let left: Vec<_> = disk.dump().into_keys().filter(|path| path.starts_with(&place.folder)).collect();
        assert!(left.iter().all(|path| path.extension().is_some_and(|kind| kind == "lock")), "{left:?}");
    }
    disk.set_space_left(None);
    settle(&process, PublishUntil::Shared);
    process.adopt_shared_file();
    settle(&process, PublishUntil::Shared);
    assert!(!place.process(MEANINGS).refresh().unwrap().was_rebuilt(), "repaired");
}

#[test] // spec: MEM-26
fn power_may_fail_at_any_step_of_sharing() {
    for steps in 0.. {
        let (place, disk) = Place::simulated();
        filled(&place);
        let process = place.process(MEANINGS);
        process.refresh().unwrap();
        disk.lose_power_after(steps);
        settle(&process, PublishUntil::Shared);
        let is_over = !disk.lost_power();
        for fate in brainstem_base::disk::UnsyncedFate::all(steps) {
            let rebooted = disk.reboot(fate);
            let place = Place { disk: Arc::new(rebooted.clone()), ..Place::simulated().0 };
            let next = place.process(MEANINGS);
            assert!(is_right(&place, &next), "{steps} {fate:?}");
            settle(&next, PublishUntil::Shared);
            assert!(is_right(&place, &place.process(MEANINGS)), "{steps} {fate:?}");
        }
        if is_over {
            break;
        }
    }
}

#[test] // spec: MEM-48
fn what_a_killed_process_left_goes_with_the_index() {
    let (place, disk) = Place::simulated();
    place.edit("zebra", &claim("zebra", "a quagga"));
    place.edit("other", &claim("other", "as it is"));
    // A process that dies between the writing and the renaming leaves its file.
    let killed = Arc::new(ObservedDisk::new(place.disk.clone(), |step| {
        assert!(step.verb != verbs::RENAME, "killed");
    }));
    let process = place.process_on(killed, Arc::new(MEANINGS), &place.folder);
    process.refresh().unwrap();
    let died =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| settle(&process, PublishUntil::Shared)));
    assert!(died.is_err());
    let holds = |word: &str| {
        let files = disk.dump().into_iter().filter(|(path, _)| path.starts_with(&place.folder));
        files.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(word)).count()
    };
    assert_eq!(holds("quagga"), 1);
    place.process(MEANINGS).purge().unwrap();
    assert_eq!(holds("quagga"), 0);

    // The next publish removes it too, so that leftovers do not pile up.
    let died =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| settle(&process, PublishUntil::Shared)));
    assert!(died.is_err() && holds("quagga") == 1);
    let next = place.process(MEANINGS);
    next.refresh().unwrap();
    settle(&next, PublishUntil::Shared);
    assert_eq!(holds("quagga"), 1, "the shared file alone");
}

#[test] // spec: MEM-43, MEM-26
fn an_index_that_is_none_of_its_store_is_noticed_without_touching_it() {
    let place = Place::real();
    filled(&place);
    assert_eq!(place.process(MEANINGS).drift(), None, "no index is no drift");
    share(&place);
    assert_eq!(place.process(MEANINGS).drift(), None);
    place.edit("claim-3", &claim("claim-3", "the cache was changed"));
    assert_eq!(place.process(MEANINGS).drift(), None, "a few changes are read from the claims");
    for number in 0..300 {
        place.edit(&format!("new-{number}"), &claim("new", "a pull brought many"));
    }
    assert_eq!(place.process(MEANINGS).drift(), Some(Drift::Behind { changed: 302, files: 312 }));
    let file = place.shared_file();
    let bytes = std::fs::read(&file).unwrap();
    let hurt = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let drift = place.process(MEANINGS).drift();
        assert_eq!(std::fs::read(&file).unwrap(), bytes, "looking changes nothing");
        matches!(drift, Some(Drift::Unusable(_)))
    };
    let mut flipped = bytes.clone();
    let last = flipped.len() - 1;
    flipped[last] ^= 1;
    assert!(hurt(&flipped) && hurt(&bytes[..bytes.len() / 2]) && hurt(b"") && hurt(b"not an index"));
    let other = Place::real();
    filled(&other);
    share(&other);
    assert!(hurt(&std::fs::read(other.shared_file()).unwrap()), "of another store");
}

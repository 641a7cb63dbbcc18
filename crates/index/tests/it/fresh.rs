//! A question sees every file as it is, whichever program changed it.

use crate::world::{Blind, Hashed, Place, SECRET, Sight, claim, claim_by, found, said, settle, two_sides};
use brainstem_base::clock::ManualClock;
use brainstem_index::{Embedder, NoEmbedder, PublishUntil};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

#[test] // spec: MEM-16, MEM-26
fn a_claim_is_in_the_very_next_refresh_of_every_process() {
    let place = Place::real_now();
    let (one, two) = (place.process(NoEmbedder), place.process(NoEmbedder));
    assert!(found(&one, "upload").is_empty() && found(&two, "upload").is_empty());
    for number in 0..20 {
        let key = format!("claim-{number}");
        place.replace(&key, &claim(&key, &format!("upload number{number}")));
        if number % 5 == 0 {
            settle(&one, PublishUntil::Shared);
        }
        for process in [&one, &two, &place.process(NoEmbedder)] {
            assert_eq!(found(process, &format!("number{number}")), [key.as_str()]);
            assert_eq!(found(process, "upload").len(), number + 1);
        }
    }
}

#[test] // spec: MEM-14a, MEM-26
fn a_claim_with_a_secret_is_counted_and_no_word_of_its_file_finds_it() {
    let place = Place::real();
    place.edit("open", &claim("Open", "the river is wide"));
    place.edit("shut", &claim("Shut", &format!("the river is {SECRET} falcon")));
    place.edit("both", &two_sides("Both", "the river is deep", &format!("river {SECRET}")));
    let embedder: Arc<dyn Embedder> = Arc::new(Hashed { better: true });
    let live = place.process_on(place.disk.clone(), embedder.clone(), &place.folder);
    let check = |process: &Arc<brainstem_index::StoreIndex>| {
        let snapshot = process.refresh().unwrap();
        assert_eq!(snapshot.secret(), ["both", "shut"]);
        assert_eq!((snapshot.files(), snapshot.youngest(9)), (3, vec!["open".to_owned()]));
        assert_eq!((snapshot.unreadable().len(), snapshot.undecided().len()), (0, 0));
        assert_eq!(found(process, "river"), ["open"]);
        assert!(found(process, "falcon").is_empty() && found(process, "shut").is_empty());
    };
    check(&live);
    // The file that processes share says the same, and holds none of the words.
    settle(&live, PublishUntil::Encoded);
    check(&place.process_on(place.disk.clone(), embedder.clone(), &place.folder));
    let bytes = std::fs::read(place.shared_file()).unwrap();
    assert!(!bytes.windows(6).any(|part| part == b"falcon"));
    // Without the secret it is found like any other.
    place.replace("shut", &claim("Shut", "the river has a falcon"));
    assert_eq!(found(&live, "falcon"), ["shut"]);
}

#[test] // spec: MEM-26
fn an_edit_that_keeps_size_and_time_is_seen() {
    let place = Place::real();
    place.edit("port", &claim("Port", "the port is 8080"));
    let live = place.process(NoEmbedder);
    assert_eq!(found(&live, "8080"), ["port"]);
    settle(&live, PublishUntil::Shared);
    let path = place.path("port");
    let (before, time) =
        (place.disk.stamp(&path).unwrap(), std::fs::metadata(&path).unwrap().modified().unwrap());
    // The clock of the file system moves in ticks: the edit is repeated until it has moved.
    while place.disk.stamp(&path).unwrap().changed_ns == before.changed_ns {
        std::fs::write(&path, claim("Port", "the port is 9090")).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!((after.len(), after.modified().unwrap()), (before.len, time));
    for process in [&live, &place.process(NoEmbedder)] {
        assert_eq!(found(process, "9090"), ["port"]);
        assert!(found(process, "8080").is_empty());
    }
}

#[test] // spec: MEM-26
fn an_edit_through_another_name_of_the_file_is_seen_by_a_process_that_watches() {
    let real = Place::real();
    let clock = Arc::new(ManualClock::at(real.clock.now().ms()));
    let place = Place { clock: clock.clone(), ..real };
    place.edit("port", &claim("Port", "the port is 8080"));
    let live = place.process(NoEmbedder);
    assert_eq!(found(&live, "8080"), ["port"]);
    // No watch of the folder reports a change that is made elsewhere.
    let elsewhere = place.folder.with_file_name("elsewhere");
    std::fs::hard_link(place.path("port"), &elsewhere).unwrap();
    assert_eq!(found(&live, "8080"), ["port"]);
    std::fs::write(&elsewhere, claim("Port", "the port is 9090")).unwrap();
    clock.advance(25);
    assert_eq!(found(&live, "9090"), ["port"]);
    assert!(found(&live, "8080").is_empty());
}

#[test] // spec: MEM-26
fn a_large_store_is_looked_over_within_its_bound() {
    let real = Place::real();
    let clock = Arc::new(ManualClock::at(real.clock.now().ms()));
    let place = Place { clock: clock.clone(), ..real };
    for number in 0..1_001 {
        place.edit(
            &format!("port-{number}"),
            &claim(&format!("Port {number}"), &format!("the port is p{number}")),
        );
    }
    let live = place.process(NoEmbedder);
    assert_eq!(found(&live, "p7"), ["port-7"]);
    let elsewhere = place.folder.with_file_name("elsewhere");
    std::fs::hard_link(place.path("port-7"), &elsewhere).unwrap();
    assert_eq!(found(&live, "p7"), ["port-7"]);
    std::fs::write(&elsewhere, claim("Port 7", "the port is changed")).unwrap();
    clock.advance(2_000);
    assert_eq!(found(&live, "changed"), ["port-7"]);
}

#[test] // spec: MEM-26
fn an_edit_within_one_tick_of_the_first_reading_is_seen_by_the_next_process() {
    let (place, disk) = Place::simulated();
    // The clock of the file system does not move, and is read fifty milliseconds later.
    let tick_ms = 1_783_209_431_408;
    disk.set_time_ns(i128::from(tick_ms) * 1_000_000);
    let place = Place { clock: Arc::new(ManualClock::at(tick_ms + 50)), ..place };
    for number in 8_000..8_003 {
        place.edit("port", &claim("Port", &format!("the port is {number}")));
        let process = place.process(NoEmbedder);
        assert_eq!(found(&process, &number.to_string()), ["port"]);
        settle(&process, PublishUntil::Shared);
    }
}

#[test] // spec: MEM-26
fn what_has_a_claims_name_may_turn_into_anything() {
    let place = Place::real_now();
    for key in ["one", "two", "three"] {
        place.edit(key, &claim(key, &format!("upload {key}")));
    }
    let embedder: Arc<dyn Embedder> = Arc::new(NoEmbedder);
    let (live, shared) = (place.process(NoEmbedder), place.process(NoEmbedder));
    live.refresh().unwrap();
    settle(&live, PublishUntil::Shared);
    shared.refresh().unwrap();
    let steps: [(&str, &dyn Fn()); 11] = [
        ("rename over", &|| place.replace("one", &claim("one", "download"))),
        ("file to folder", &|| {
            place.remove("one");
            place.disk.make_dir(&place.path("one")).unwrap();
        }),
        ("folder to link", &|| {
            place.remove("one");
            place.link("one");
        }),
        ("link to file", &|| {
            place.remove("one");
            place.edit("one", &claim("one", "upload again"));
        }),
        ("two sides", &|| place.edit("two", &two_sides("two", "upload ours", "upload theirs"))),
        ("one side", &|| place.edit("two", &claim("two", "upload decided"))),
        ("no claim", &|| place.edit("two", "Dear diary, retry the upload\n")),
        ("sides in place of no claim", &|| place.replace("two", &two_sides("two", "cache", "upload"))),
        ("nothing", &|| place.remove("two")),
        ("file to folder at once", &|| {
            place.remove("three");
            place.disk.make_dir(&place.path("three")).unwrap();
            place.disk.remove_dir(&place.path("three")).unwrap();
            place.edit("three", "");
        }),
        ("all gone", &|| ["one", "two", "three"].iter().for_each(|key| place.remove(key))),
    ];
    for (what, step) in steps {
        step();
        let expected = place.anew(&embedder);
        for process in [&live, &shared, &place.process(NoEmbedder)] {
            assert_eq!(said(&process.refresh().unwrap(), &NoEmbedder), expected, "{what}");
        }
    }
    assert_eq!(live.refresh().unwrap().files(), 0);
}

#[test] // spec: MEM-26, MEM-2
fn many_files_that_change_at_once_are_all_seen() {
    let place = Place::real_now();
    let embedder: Arc<dyn Embedder> = Arc::new(NoEmbedder);
    let at = |number: usize| format!("claim-{number}");
    for number in 0..400 {
        place.edit(&at(number), &claim(&at(number), &format!("upload of main {number}")));
    }
    let (live, shared) = (place.process(NoEmbedder), place.process(NoEmbedder));
    live.refresh().unwrap();
    settle(&live, PublishUntil::Shared);
    shared.refresh().unwrap();
    // What a checkout of another branch does: some files go, some come, some are replaced.
    for number in 0..400 {
        match number % 3 {
            0 => place.remove(&at(number)),
            1 => place.replace(&at(number), &claim(&at(number), &format!("cache of branch {number}"))),
            _ => place.replace(&at(number + 1_000), &claim(&at(number), &format!("deploy {number}"))),
        }
    }
    let expected = place.anew(&embedder);
    for process in [&live, &shared, &place.process(NoEmbedder)] {
        assert_eq!(said(&process.refresh().unwrap(), &NoEmbedder), expected);
    }
    settle(&live, PublishUntil::Shared);
    shared.adopt_shared_file();
    for process in [&live, &shared, &place.process(NoEmbedder)] {
        assert_eq!(said(&process.refresh().unwrap(), &NoEmbedder), expected);
    }
}

#[test] // spec: MEM-26
fn a_disk_that_watches_badly_gives_the_same_answers() {
    for sight in [Sight::None, Sight::Overflowing] {
        let place = Place::real_now();
        let embedder: Arc<dyn Embedder> = Arc::new(Hashed { better: false });
        let disk = Arc::new(Blind(place.disk.clone(), sight));
        let blind = place.process_on(disk, embedder.clone(), &place.folder);
        for number in 0..30 {
            let key = format!("claim-{}", number % 7);
            match number % 5 {
                0..=2 => {
                    place.edit(&key, &claim_by(&key, "ana", Some("s"), number, &format!("cache {number}")))
                }
                3 => place.replace(&key, &claim(&key, &format!("retry the upload {number}"))),
                _ => place.remove(&key),
            }
            if number == 12 {
                settle(&blind, PublishUntil::Shared);
            }
            let snapshot = blind.refresh().unwrap();
            assert_eq!(said(&snapshot, &*embedder), place.anew(&embedder), "{sight:?} {number}");
        }
    }
}

#[test] // spec: MEM-23, MEM-26
fn a_file_that_could_not_be_opened_is_looked_at_again_by_every_process() {
    let place = Place::real();
    for key in ["open", "shut"] {
        place.edit(key, &claim(key, &format!("the river of {key}")));
    }
    let embedder: Arc<dyn Embedder> = Arc::new(NoEmbedder);
    let disk = Arc::new(Blind(place.disk.clone(), Sight::Shut));
    let failing = place.process_on(disk, embedder, &place.folder);
    let snapshot = failing.refresh().unwrap();
    assert_eq!((snapshot.files(), snapshot.unreadable()), (2, &["shut".to_owned()][..]));
    settle(&failing, PublishUntil::Shared);
    // What the failing process shared does not decide about the file for good.
    let whole = place.process(NoEmbedder);
    assert!(whole.refresh().unwrap().unreadable().is_empty());
    assert_eq!(found(&whole, "shut"), ["shut"]);
}

#[test] // spec: MEM-23, MEM-26
fn a_store_folder_that_goes_and_comes_back_is_seen() {
    let place = Place::real_now();
    place.edit("one", &claim("one", "upload"));
    let live = place.process(NoEmbedder);
    assert_eq!(found(&live, "upload"), ["one"]);
    let aside = place.claims.with_extension("aside");
    std::fs::rename(&place.claims, &aside).unwrap();
    assert_eq!(live.refresh().unwrap().files(), 0);
    std::fs::create_dir(&place.claims).unwrap();
    place.edit("two", &claim("two", "upload"));
    assert_eq!(found(&live, "upload"), ["two"]);
    std::fs::remove_dir_all(&place.claims).unwrap();
    std::fs::rename(&aside, &place.claims).unwrap();
    assert_eq!(found(&live, "upload"), ["one"]);
}

#[test] // spec: MEM-26, MEM-2
fn a_store_whose_parent_was_replaced_is_seen() {
    let place = Place::real_now();
    let top = place.claims.parent().unwrap().to_owned();
    let repository = top.join("repository");
    let store = repository.join("store");
    std::fs::create_dir_all(&store).unwrap();
    let place = Place { claims: store.clone(), ..place };
    place.edit("one", &claim("one", "upload"));
    let live = place.process(NoEmbedder);
    assert_eq!(found(&live, "upload"), ["one"]);
    // Moved away and cloned anew: the folder that was watched is another one now.
    std::fs::rename(&repository, top.join("moved")).unwrap();
    std::fs::create_dir_all(&store).unwrap();
    place.edit("two", &claim("two", "upload"));
    assert_eq!(found(&live, "upload"), ["two"]);
}

#[test] // spec: MEM-23
fn a_file_whose_name_is_no_text_is_counted_and_named() {
    let place = Place::real_now();
    let names = [&b"caf\xe9.light.md"[..], b"caf\xe8.light.md"];
    let live = place.process(NoEmbedder);
    live.refresh().unwrap();
    for name in names {
        std::fs::write(place.claims.join(OsStr::from_bytes(name)), claim("Café", "upload")).unwrap();
    }
    place.edit("one", &claim("one", "upload"));
    for round in 0..2 {
        for process in [&live, &place.process(NoEmbedder)] {
            let snapshot = process.refresh().unwrap();
            assert_eq!((snapshot.files(), snapshot.unreadable().len()), (3, 2), "{round}");
            assert_eq!(found(process, "upload"), ["one"]);
        }
        settle(&live, PublishUntil::Shared);
    }
    for name in names {
        std::fs::remove_file(place.claims.join(OsStr::from_bytes(name))).unwrap();
    }
    for process in [&live, &place.process(NoEmbedder)] {
        let snapshot = process.refresh().unwrap();
        assert_eq!((snapshot.files(), snapshot.unreadable().len()), (1, 0));
    }
}

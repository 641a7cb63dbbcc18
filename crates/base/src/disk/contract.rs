//! What every disk promises, tested on the machine's disk and on the simulated one.

mod agreement;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Disk, DiskError, DiskFault, FileKind, RealDisk, SimDisk};

type MakeLink = Box<dyn Fn(&Path, &Path) + Sync>;

/// A disk, and an existing folder on it.
struct ContractFolder {
    disk: Box<dyn Disk>,
    root: PathBuf,
    make_link: MakeLink,
    /// Removes the folder when dropped.
    _dir: Option<tempfile::TempDir>,
}

impl ContractFolder {
    fn real() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let make_link = |target: &Path, path: &Path| std::os::unix::fs::symlink(target, path).unwrap();
        Self { disk: Box::new(RealDisk), root, make_link: Box::new(make_link), _dir: Some(dir) }
    }

    fn sim() -> Self {
        let disk = SimDisk::new();
        let root = PathBuf::from("/somewhere/here");
        disk.make_dirs(&root);
        let links = disk.clone();
        let make_link = move |target: &Path, path: &Path| links.make_link(target, path);
        Self { disk: Box::new(disk), root, make_link: Box::new(make_link), _dir: None }
    }

    fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }

    fn write(&self, path: &str, text: &str) {
        self.disk.write_new(&self.at(path), text.as_bytes()).unwrap();
    }

    fn link_to(&self, target: &str, path: &str) {
        (self.make_link)(&self.at(target), &self.at(path));
    }

    fn text(&self, path: &str) -> String {
        String::from_utf8(self.disk.read(&self.at(path), 100).unwrap()).unwrap()
    }

    /// The path from here of every file, folder and link, with the text of files.
    fn everything(&self) -> BTreeSet<(PathBuf, FileKind, Vec<u8>)> {
        let mut found = BTreeSet::new();
        let mut folders = vec![self.root.clone()];
        while let Some(dir) = folders.pop() {
            for entry in self.disk.list(&dir).unwrap() {
                let path = dir.join(entry.name);
                let bytes = match entry.kind {
                    FileKind::File => self.disk.read(&path, 10_000).unwrap(),
                    FileKind::Dir | FileKind::Link | FileKind::Other => Vec::new(),
                };
                if entry.kind == FileKind::Dir {
                    folders.push(path.clone());
                }
                found.insert((path.strip_prefix(&self.root).unwrap().to_owned(), entry.kind, bytes));
            }
        }
        found
    }
}

/// Makes a test for each disk out of each promise.
macro_rules! promises {
    ($($promise:ident),* $(,)?) => {
        mod the_real_disk {
            $(#[test] fn $promise() { super::$promise(&super::ContractFolder::real()); })*
        }
        mod the_simulated_disk {
            $(#[test] fn $promise() { super::$promise(&super::ContractFolder::sim()); })*
        }
    };
}

promises!(
    a_file_reads_as_it_was_written,
    a_read_is_bounded,
    what_is_not_there_is_not_found,
    a_folder_is_not_a_file,
    links_are_never_followed_at_the_end_of_a_path,
    links_on_the_way_are_followed,
    a_link_of_links_ends,
    canonical_resolves_every_link,
    a_list_tells_kinds,
    a_file_or_a_link_in_place_of_a_folder_does_not_look_absent,
    a_new_file_never_replaces,
    a_reservation_is_an_empty_file_and_never_replaces,
    a_new_folder_never_replaces,
    a_second_name_never_replaces,
    a_second_name_is_the_same_file,
    a_rename_replaces,
    a_rename_between_two_names_of_one_file_keeps_both,
    a_rename_keeps_the_identity,
    a_rename_can_refuse_to_replace,
    the_start_of_a_file_is_read_alone,
    files_of_one_name_differ_in_identity,
    only_an_empty_folder_is_removed,
    an_append_creates_and_adds,
    a_file_is_cut_back_unless_it_has_grown,
    a_lock_excludes_until_dropped,
    a_lock_is_waited_for,
    a_lock_is_seen_and_knows_when_its_file_went,
);

fn a_file_reads_as_it_was_written(on: &ContractFolder) {
    on.write("note", "hello");
    on.write("empty", "");
    assert_eq!((on.text("note"), on.text("empty")), ("hello".into(), String::new()));
    let stat = on.disk.stat(&on.at("note")).unwrap();
    assert_eq!((stat.kind, stat.len), (FileKind::File, 5));
    on.disk.sync_dir(&on.root).unwrap();
}

fn a_reservation_is_an_empty_file_and_never_replaces(on: &ContractFolder) {
    on.disk.reserve(&on.at("mark")).unwrap();
    assert_eq!(on.text("mark"), "");
    on.write("note", "hello");
    assert_eq!(fault(on.disk.reserve(&on.at("mark"))), Some(DiskFault::Exists));
    assert_eq!(fault(on.disk.reserve(&on.at("note"))), Some(DiskFault::Exists));
    assert_eq!(fault(on.disk.reserve(&on.at("gone/mark"))), Some(DiskFault::NotFound));
    assert_eq!(on.text("note"), "hello");
}

fn a_file_is_cut_back_unless_it_has_grown(on: &ContractFolder) {
    on.write("log", "one\ntwo\n");
    assert!(!on.disk.cut_back(&on.at("log"), 4, 0).unwrap(), "it is longer than was thought");
    assert!(!on.disk.cut_back(&on.at("log"), 8, 9).unwrap(), "nothing grows by being cut");
    assert_eq!(on.text("log"), "one\ntwo\n");
    assert!(on.disk.cut_back(&on.at("log"), 8, 4).unwrap());
    assert_eq!(on.text("log"), "one\n");
    assert_eq!(fault(on.disk.cut_back(&on.at("gone"), 1, 0)), Some(DiskFault::NotFound));
}

fn only_an_empty_folder_is_removed(on: &ContractFolder) {
    on.disk.make_dir(&on.at("d")).unwrap();
    on.write("d/a", "kept");
    assert_eq!(fault(on.disk.remove_dir(&on.at("d"))), Some(DiskFault::Other));
    assert_eq!(fault(on.disk.remove_dir(&on.at("d/a"))), Some(DiskFault::Other));
    assert_eq!(fault(on.disk.remove_dir(&on.at("none"))), Some(DiskFault::NotFound));
    on.disk.unlink(&on.at("d/a")).unwrap();
    on.disk.remove_dir(&on.at("d")).unwrap();
    assert_eq!(fault(on.disk.stat(&on.at("d"))), Some(DiskFault::NotFound));
}

fn a_read_is_bounded(on: &ContractFolder) {
    on.write("note", "hello");
    assert_eq!(on.disk.read(&on.at("note"), 5).unwrap(), b"hello");
    let refused = fault(on.disk.read(&on.at("note"), 4));
    assert_eq!(refused, Some(DiskFault::TooLarge { len: 5 }));
    assert_eq!(on.disk.read(&on.at("note"), u64::MAX).unwrap(), b"hello");
    let part = |offset, len| on.disk.read_part(&on.at("note"), offset, len).unwrap();
    assert_eq!((part(0, 2), part(2, 2), part(4, 9)), (b"he".to_vec(), b"ll".to_vec(), b"o".to_vec()));
    assert_eq!((part(5, 1), part(99, 1), part(0, 0)), (vec![], vec![], vec![]));
    assert_eq!(fault(on.disk.read_part(&on.at("none"), 0, 1)), Some(DiskFault::NotFound));
}

fn what_is_not_there_is_not_found(on: &ContractFolder) {
    on.write("file", "");
    // A name in a folder, a name in no folder, and a name in a file.
    for path in ["gone", "gone/note", "file/note"].map(|path| on.at(path)) {
        let mut faults = vec![
            fault(on.disk.read(&path, 10)),
            fault(on.disk.list(&path)),
            fault(on.disk.stat(&path)),
            fault(on.disk.canonical(&path)),
            fault(on.disk.link(&path, &on.at("other"))),
            fault(on.disk.rename(&path, &on.at("other"))),
            fault(on.disk.unlink(&path)),
            fault(on.disk.sync_dir(&path)),
        ];
        if path != on.at("gone") {
            faults.extend([
                fault(on.disk.make_dir(&path)),
                fault(on.disk.write_new(&path, b"")),
                fault(on.disk.append(&path, b"")),
                fault(on.disk.lock(&path, Duration::ZERO)),
                fault(on.disk.link(&on.at("file"), &path)),
                fault(on.disk.rename(&on.at("file"), &path)),
            ]);
        }
        assert!(faults.iter().all(|fault| *fault == Some(DiskFault::NotFound)), "{faults:?}");
    }
}

fn a_folder_is_not_a_file(on: &ContractFolder) {
    let dir = on.at("dir");
    on.disk.make_dir(&dir).unwrap();
    on.write("file", "x");
    let faults = [
        fault(on.disk.read(&dir, 10)),
        fault(on.disk.append(&dir, b"x")),
        fault(on.disk.unlink(&dir)),
        fault(on.disk.link(&dir, &on.at("other"))),
        fault(on.disk.rename(&on.at("file"), &dir)),
        fault(on.disk.lock(&dir, Duration::ZERO)),
    ];
    assert_eq!(faults, [Some(DiskFault::NotAFile); 6]);
}

fn links_are_never_followed_at_the_end_of_a_path(on: &ContractFolder) {
    on.write("file", "hello");
    on.link_to("file", "link");
    on.link_to("nowhere", "dangling");
    for link in ["link", "dangling"].map(|link| on.at(link)) {
        let refused = [
            fault(on.disk.read(&link, 10)),
            fault(on.disk.append(&link, b"x")),
            fault(on.disk.lock(&link, Duration::ZERO)),
        ];
        assert_eq!(refused, [Some(DiskFault::NotAFile); 3]);
        assert_eq!(fault(on.disk.write_new(&link, b"x")), Some(DiskFault::Exists));
        assert_eq!(on.disk.stat(&link).unwrap().kind, FileKind::Link);
    }
    assert!(on.disk.stat(&on.at("nowhere")).is_err(), "nothing was made through a link");

    // Renaming and removing are about the link itself.
    on.disk.rename(&on.at("link"), &on.at("renamed")).unwrap();
    on.disk.unlink(&on.at("renamed")).unwrap();
    on.write("new", "new");
    on.disk.rename(&on.at("new"), &on.at("dangling")).unwrap();
    assert_eq!((on.text("file"), on.text("dangling")), ("hello".into(), "new".into()));
}

fn links_on_the_way_are_followed(on: &ContractFolder) {
    on.disk.make_dir(&on.at("dir")).unwrap();
    on.link_to("dir", "link");
    on.write("link/note", "hello");
    assert_eq!(on.text("dir/note"), "hello");
}

fn a_link_of_links_ends(on: &ContractFolder) {
    on.link_to("b", "a");
    on.link_to("a", "b");
    assert_eq!(fault(on.disk.stat(&on.at("a/note"))), Some(DiskFault::NotAFile));
    assert_eq!(fault(on.disk.canonical(&on.at("a"))), Some(DiskFault::NotAFile));
}

fn canonical_resolves_every_link(on: &ContractFolder) {
    on.disk.make_dir(&on.at("dir")).unwrap();
    on.write("dir/note", "");
    on.link_to("dir", "link");
    (on.make_link)(Path::new("../dir/note"), &on.at("dir/note-link"));
    assert_eq!(on.disk.canonical(&on.at("link/note-link")).unwrap(), on.at("dir/note"));
    assert_eq!(on.disk.canonical(&on.at("link/..")).unwrap(), on.root);
}

fn a_list_tells_kinds(on: &ContractFolder) {
    on.disk.make_dir(&on.at("dir")).unwrap();
    on.write("file", "");
    on.link_to("file", "link");
    let mut entries = on.disk.list(&on.root).unwrap();
    entries.sort();
    let found: Vec<_> = entries.iter().map(|entry| (entry.name.to_str().unwrap(), entry.kind)).collect();
    assert_eq!(found, [("dir", FileKind::Dir), ("file", FileKind::File), ("link", FileKind::Link)]);
    assert_eq!(on.disk.list(&on.at("dir")).unwrap(), []);
}

fn a_file_or_a_link_in_place_of_a_folder_does_not_look_absent(on: &ContractFolder) {
    on.disk.make_dir(&on.at("dir")).unwrap();
    on.write("file", "");
    on.link_to("dir", "link");
    for path in ["file", "link"].map(|path| on.at(path)) {
        assert_eq!(fault(on.disk.list(&path)), Some(DiskFault::Other));
        assert_eq!(fault(on.disk.sync_dir(&path)), Some(DiskFault::Other));
        assert_eq!(fault(on.disk.rename(&on.at("dir"), &path)), Some(DiskFault::Other));
    }
}

fn a_new_file_never_replaces(on: &ContractFolder) {
    on.write("note", "first");
    assert_eq!(fault(on.disk.write_new(&on.at("note"), b"second")), Some(DiskFault::Exists));
    assert_eq!(on.text("note"), "first");
}

fn a_new_folder_never_replaces(on: &ContractFolder) {
    on.disk.make_dir(&on.at("dir")).unwrap();
    on.write("file", "x");
    on.link_to("nowhere", "link");
    let taken = ["dir", "file", "link"].map(|path| fault(on.disk.make_dir(&on.at(path))));
    assert_eq!(taken, [Some(DiskFault::Exists); 3]);
}

fn a_second_name_never_replaces(on: &ContractFolder) {
    on.write("temp", "new");
    on.write("live", "old");
    on.disk.make_dir(&on.at("dir")).unwrap();
    on.link_to("nowhere", "link");
    let taken = ["live", "dir", "link", "temp"].map(|to| fault(on.disk.link(&on.at("temp"), &on.at(to))));
    assert_eq!(taken, [Some(DiskFault::Exists); 4]);
    assert_eq!(on.text("live"), "old");
}

fn a_second_name_is_the_same_file(on: &ContractFolder) {
    on.write("a", "x");
    on.disk.link(&on.at("a"), &on.at("b")).unwrap();
    on.disk.append(&on.at("b"), b"y").unwrap();
    assert_eq!(on.disk.stat(&on.at("a")).unwrap(), on.disk.stat(&on.at("b")).unwrap());
    on.disk.unlink(&on.at("a")).unwrap();
    assert_eq!(on.text("b"), "xy");
}

fn a_rename_replaces(on: &ContractFolder) {
    on.write("temp", "new");
    on.write("live", "old");
    on.disk.rename(&on.at("temp"), &on.at("live")).unwrap();
    assert_eq!(on.text("live"), "new");
    assert_eq!(fault(on.disk.stat(&on.at("temp"))), Some(DiskFault::NotFound));
}

fn a_rename_between_two_names_of_one_file_keeps_both(on: &ContractFolder) {
    on.write("a", "x");
    on.disk.link(&on.at("a"), &on.at("b")).unwrap();
    on.disk.rename(&on.at("a"), &on.at("b")).unwrap();
    assert_eq!((on.text("a"), on.text("b")), ("x".into(), "x".into()));
}

fn a_rename_keeps_the_identity(on: &ContractFolder) {
    on.disk.make_dir(&on.at("dir")).unwrap();
    on.write("a", "x");
    let before = on.disk.stat(&on.at("a")).unwrap();
    on.disk.rename(&on.at("a"), &on.at("b")).unwrap();
    on.disk.rename(&on.at("b"), &on.at("dir/c")).unwrap();
    assert_eq!(on.disk.stat(&on.at("dir/c")).unwrap(), before);
    on.disk.append(&on.at("dir/c"), b"y").unwrap();
    assert_eq!(
        on.disk.stat(&on.at("dir/c")).unwrap().identity,
        before.identity,
        "nor does an edit change it"
    );
}

fn files_of_one_name_differ_in_identity(on: &ContractFolder) {
    on.write("a", "x");
    on.write("b", "x");
    let identity = |path| on.disk.stat(&on.at(path)).unwrap().identity;
    let first = identity("a");
    // Some file systems have no identity.
    assert!(first.is_none() || first != identity("b"));
}

fn a_rename_can_refuse_to_replace(on: &ContractFolder) {
    on.disk.make_dir(&on.at("d")).unwrap();
    on.write("a", "one");
    on.write("b", "two");
    assert_eq!(fault(on.disk.rename_new(&on.at("a"), &on.at("b"))), Some(DiskFault::Exists));
    assert_eq!((on.text("a"), on.text("b")), ("one".into(), "two".into()));
    on.disk.rename_new(&on.at("a"), &on.at("d/a")).unwrap();
    assert_eq!(on.text("d/a"), "one");
    assert_eq!(fault(on.disk.rename_new(&on.at("a"), &on.at("d/c"))), Some(DiskFault::NotFound));
    assert_eq!(fault(on.disk.rename_new(&on.at("b"), &on.at("none/b"))), Some(DiskFault::NotFound));
    on.disk.link(&on.at("b"), &on.at("c")).unwrap();
    assert_eq!(fault(on.disk.rename_new(&on.at("b"), &on.at("c"))), Some(DiskFault::Exists));
    assert_eq!((on.text("b"), on.text("c")), ("two".into(), "two".into()));
}

fn the_start_of_a_file_is_read_alone(on: &ContractFolder) {
    on.write("note", "hello");
    let start = |len| on.disk.read_start(&on.at("note"), len).unwrap();
    assert_eq!((start(2), start(99)), (b"he".to_vec(), b"hello".to_vec()));
    assert_eq!(fault(on.disk.read_start(&on.at("none"), 2)), Some(DiskFault::NotFound));
    let part = |start, len| on.disk.read_part(&on.at("note"), start, len).unwrap();
    assert_eq!((part(1, 3), part(4, 9), part(9, 9)), (b"ell".to_vec(), b"o".to_vec(), Vec::new()));
    assert_eq!(fault(on.disk.read_part(&on.at("none"), 1, 2)), Some(DiskFault::NotFound));
}

fn an_append_creates_and_adds(on: &ContractFolder) {
    on.disk.append(&on.at("log"), b"one\n").unwrap();
    on.disk.append(&on.at("log"), b"two\n").unwrap();
    assert_eq!(on.text("log"), "one\ntwo\n");
}

fn a_lock_excludes_until_dropped(on: &ContractFolder) {
    let take = |path, wait_ms| on.disk.lock(&on.at(path), Duration::from_millis(wait_ms));
    let held = take("lock", 0).unwrap();
    assert_eq!(fault(take("lock", 0)), Some(DiskFault::Busy));
    assert_eq!(fault(take("lock", 5)), Some(DiskFault::Busy));
    let _other = take("other", 0).unwrap();
    drop(held);
    let _held = take("lock", 0).unwrap();
    assert_eq!(on.text("lock"), "", "the file stays");
}

fn a_lock_is_waited_for(on: &ContractFolder) {
    let held = on.disk.lock(&on.at("lock"), Duration::ZERO).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| on.disk.lock(&on.at("lock"), Duration::from_secs(60)).map(drop));
        drop(held);
        waiting.join().unwrap().unwrap();
    });
}

fn a_lock_is_seen_and_knows_when_its_file_went(on: &ContractFolder) {
    let path = on.at("lock");
    let is_locked = || on.disk.is_locked(&path).unwrap();
    assert!(!is_locked());
    assert!(on.disk.stat(&path).is_err(), "looking makes nothing");
    let held = on.disk.lock(&path, Duration::ZERO).unwrap();
    assert!(is_locked() && held.is_in_place().unwrap());
    on.disk.rename(&path, &on.at("moved")).unwrap();
    assert!(!is_locked() && !held.is_in_place().unwrap());
    let other = on.disk.lock(&path, Duration::ZERO).unwrap();
    assert!(is_locked() && other.is_in_place().unwrap() && !held.is_in_place().unwrap());
    on.disk.unlink(&path).unwrap();
    on.disk.rename(&on.at("moved"), &path).unwrap();
    assert!(held.is_in_place().unwrap() && !other.is_in_place().unwrap());
    drop(held);
    assert!(!is_locked());
}

fn fault<T>(result: Result<T, DiskError>) -> Option<DiskFault> {
    result.err().map(|error| error.fault())
}

use super::*;
use brainstem_base::disk::SimDisk;
use brainstem_base::{Disk as _, Timestamp};
use serde::Deserialize;

const ROOT: &str = "/src/cherry";
const ONE: &str = "1111111111111111111111111111111111111111";
const TWO: &str = "2222222222222222222222222222222222222222";

fn now() -> Timestamp {
    Timestamp::from_ms(4_000_000_000_000)
}

fn place(disk: &SimDisk) -> CandidateFolder<'_> {
    CandidateFolder { disk, root: Path::new(ROOT), user_home: Some(Path::new("/home/ana")) }
}

fn taken(disk: &SimDisk, before: &Marks) -> Marks {
    let identity = disk.stat(Path::new(ROOT)).expect("a folder").identity;
    place(disk).marks(before, identity, now())
}

/// A folder with these files, each with its own name as its text.
fn folder(files: &[&str]) -> SimDisk {
    let disk = SimDisk::new();
    disk.make_dirs(ROOT);
    for file in files {
        disk.write_raw(format!("{ROOT}/{file}"), file.as_bytes());
    }
    disk
}

fn check_out(disk: &SimDisk, commit: &str) {
    disk.write_raw(format!("{ROOT}/.git/HEAD"), format!("{commit}\n").as_bytes());
}

#[test] // spec: MEM-1
fn files_that_were_written_in_the_project_are_remembered_and_no_others() {
    let disk = SimDisk::new();
    disk.write_raw("/elsewhere/unpacked", b"old");
    disk.make_dirs(ROOT);
    disk.rename("/elsewhere/unpacked".as_ref(), format!("{ROOT}/unpacked").as_ref()).expect("a move");
    for file in ["a", "lib/b", "lib/deep/c", "node_modules/d", ".git/HEAD", ".brainstem/e", "f"] {
        disk.write_raw(format!("{ROOT}/{file}"), b"x");
    }
    let marks = taken(&disk, &Marks::default());
    assert_eq!(marks.files.iter().map(|mark| mark.path.as_str()).collect::<Vec<_>>(), ["a", "lib/b", "f"]);
    assert!(place(&disk).is_marked(&marks));
    assert_eq!(taken(&disk, &marks), marks);
}

#[test] // spec: MEM-1, MEM-21
fn half_of_the_files_and_at_least_two_must_be_as_they_were() {
    let disk = folder(&["a", "b", "c", "d"]);
    let marks = taken(&disk, &Marks::default());
    for (changed, is_same) in [("a", true), ("b", true), ("c", false), ("d", false)] {
        disk.write_raw(format!("{ROOT}/{changed}"), b"something else");
        assert_eq!(place(&disk).is_marked(&marks), is_same, "{changed}");
    }
    let one = folder(&["a"]);
    assert!(!place(&one).is_marked(&taken(&one, &Marks::default())), "one file is too little");
    // The same names and sizes, written at another time.
    assert!(!place(&folder(&["z", "a", "b", "c", "d"])).is_marked(&marks));
}

#[test] // spec: MEM-1, MEM-21
fn a_commit_that_was_checked_out_tells_the_project() {
    let disk = folder(&[]);
    check_out(&disk, ONE);
    let marks = taken(&disk, &Marks::default());
    assert_eq!(marks.commits, [ONE]);
    let other = folder(&[]);
    assert!(!place(&other).is_marked(&marks));
    check_out(&other, TWO);
    assert!(!place(&other).is_marked(&marks));
    other.write_raw(format!("{ROOT}/.git/objects/11/{}", &ONE[2..]), b"x");
    assert!(place(&other).is_marked(&marks));

    // A template has the first commit of many projects, and none of the later ones.
    check_out(&disk, TWO);
    let marks = taken(&disk, &marks);
    assert_eq!(marks.commits, [ONE, TWO]);
    let template = folder(&[]);
    check_out(&template, ONE);
    assert!(!place(&template).is_marked(&marks));
    template.write_raw(format!("{ROOT}/.git/objects/22/{}", &TWO[2..]), b"x");
    assert!(place(&template).is_marked(&marks));
}

#[test] // spec: MEM-1
fn the_first_commit_and_the_latest_are_kept() {
    let disk = folder(&[]);
    let mut marks = Marks::default();
    let commit = |n: usize| format!("{n:040x}");
    for n in 1..=20 {
        check_out(&disk, &commit(n));
        assert!(place(&disk).is_due(&marks, now()), "{n}");
        marks = taken(&disk, &marks);
        assert!(!place(&disk).is_due(&marks, now()), "{n}");
    }
    let kept = std::iter::once(1).chain(10..=20).map(commit).collect::<Vec<_>>();
    assert_eq!(marks.commits, kept);
    check_out(&disk, &commit(12));
    assert_eq!(taken(&disk, &marks).commits.last(), Some(&commit(20)), "what is known is not counted anew");
}

#[test] // spec: MEM-1, MEM-21
fn a_folder_inside_a_repository_is_told_by_it_only_while_it_has_tracked_files() {
    let disk = folder(&[]);
    disk.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
    let marks = taken(&disk, &Marks::default());
    assert_eq!(marks.commits, [ONE]);
    assert!(!place(&disk).is_marked(&marks), "it may be ignored, and hold anything");
    track(&disk, &[("cherry/lib", "1"), ("cherry/readme", "2"), ("plum/lib", "3")]);
    assert!(!place(&disk).is_marked(&marks), "nothing that is tracked in it is remembered");
    let marks = taken(&disk, &marks);
    assert_eq!((marks.inside.as_deref(), marks.tracked.len()), (Some("cherry"), 2));
    assert!(place(&disk).is_marked(&marks));
    track(&disk, &[("cherry/lib", "4"), ("cherry/readme", "2\r\n")]);
    assert!(!place(&disk).is_marked(&marks));
    track(&disk, &[("cherry/lib", "4"), ("cherry/readme", "2")]);
    assert!(place(&disk).is_marked(&marks), "half of it is as it was");
    track(&disk, &[("cherry/lib", "3"), ("cherry/readme", "4")]);
    assert!(!place(&disk).is_marked(&marks), "another folder was put there");
    // Git still tracks what was deleted from the folder.
    track(&disk, &[("cherry/lib", "1"), ("cherry/readme", "2")]);
    assert!(place(&disk).is_marked(&marks));
    disk.write_raw(format!("{ROOT}/lib"), b"3");
    disk.unlink(format!("{ROOT}/readme").as_ref()).expect("it is there");
    assert!(!place(&disk).is_marked(&marks), "git was not told yet");
    let older = Marks { inside: None, tracked: Vec::new(), ..marks.clone() };
    assert!(place(&disk).is_marked(&older) && place(&disk).is_due(&older, now()));
    let top = CandidateFolder { root: Path::new("/src"), ..place(&disk) };
    assert!(!top.is_marked(&marks), "the repository is not a folder in it");
    assert!(!place(&disk).is_marked(&top.marks(&Marks::default(), None, now())));

    // A repository in the person's home says nothing about the folders in it.
    let at_home = SimDisk::new();
    at_home.write_raw("/home/ana/.git/HEAD", format!("{ONE}\n").as_bytes());
    at_home.make_dirs("/home/ana/notes");
    let notes = CandidateFolder { root: Path::new("/home/ana/notes"), ..place(&at_home) };
    assert_eq!(notes.marks(&Marks::default(), None, now()).commits, [] as [String; 0]);
}

#[test] // spec: MEM-1a
fn files_that_other_folders_have_too_do_not_tell_a_folder() {
    let disk = folder(&[]);
    disk.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
    track(
        &disk,
        &[
            ("cherry/lib", "1"),
            ("cherry/licence", "2"),
            ("cherry/lint", "3"),
            ("plum/licence", "2"),
            ("plum/lint", "3"),
        ],
    );
    let marks = taken(&disk, &Marks::default());
    assert_eq!(marks.tracked.iter().map(|mark| mark.path.as_str()).collect::<Vec<_>>(), ["lib"]);
    track(&disk, &[("cherry/lib", "4"), ("cherry/licence", "2"), ("cherry/lint", "3")]);
    assert!(!place(&disk).is_marked(&marks));
}

#[test] // spec: MEM-1a
fn files_of_one_size_and_date_do_not_tell_a_folder_whose_tracked_files_have_other_content() {
    let disk = folder(&[]);
    disk.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
    let files = [("cherry/lib", "of cherry"), ("cherry/readme", "for cherry")];
    track(&disk, &files);
    let marks = taken(&disk, &Marks::default());
    assert_eq!((marks.files.len(), marks.tracked.len()), (2, 2));
    // Another package whose files were written in the same tick.
    let other = folder(&[]);
    other.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
    track(
        &other,
        &files.map(|(path, text)| (path, if text == "of cherry" { "of a plum" } else { "for a plum" })),
    );
    let marks = dated_as_on(&other, &marks);
    assert!(!place(&other).is_marked(&marks));
    // Marks of an older program have no content.
    let older = marks.files.iter().map(|mark| FileMark { content: None, ..mark.clone() }).collect();
    let older = Marks { files: older, ..marks };
    assert!(place(&other).has_files(&older) && place(&other).is_due(&older, now()));
    assert!(!place(&other).is_marked(&older));
}

/// The marks with the dates that the files have on this disk, as if all had been written in one tick.
fn dated_as_on(disk: &SimDisk, marks: &Marks) -> Marks {
    let date = |mark: &FileMark| {
        let stat = disk.stat(&Path::new(ROOT).join(&mark.path)).expect("a file");
        FileMark { modified_ns: stat.modified_ns.to_string(), ..mark.clone() }
    };
    Marks { files: marks.files.iter().map(date).collect(), ..marks.clone() }
}

#[test] // spec: MEM-1a, MEM-21
fn files_of_one_size_and_date_with_other_content_are_of_another_project() {
    let disk = folder(&[]);
    let other = folder(&[]);
    for file in ["a", "b", "c"] {
        disk.write_raw(format!("{ROOT}/{file}"), format!("{file} of cherry").as_bytes());
        other.write_raw(format!("{ROOT}/{file}"), format!("{file} of a plum").as_bytes());
    }
    let marks = taken(&disk, &Marks::default());
    let long = |text: &str| [vec![b'x'; 70_000], text.into()].concat();
    assert!(place(&disk).is_marked(&marks));
    let marks = dated_as_on(&other, &marks);
    assert!(marks.files.iter().all(|mark| mark.len == 11), "one size");
    assert!(!place(&other).is_marked(&marks));

    // A long file is read at its start.
    disk.write_raw(format!("{ROOT}/a"), &long("cherry"));
    assert_eq!(taken(&disk, &Marks::default()).files.len(), 3);
}

#[test] // spec: MEM-1a, MEM-21
fn files_do_not_tell_a_repository_with_another_history() {
    let with_history = |commit: &str| {
        let disk = folder(&["a", "b", "c"]);
        check_out(&disk, commit);
        disk.write_raw(format!("{ROOT}/.git/objects/{}/{}", &commit[..2], &commit[2..]), b"x");
        disk
    };
    let marks = taken(&with_history(ONE), &Marks::default());
    let other = with_history(TWO);
    let marks = dated_as_on(&other, &marks);
    assert!(place(&other).has_files(&marks), "what one generator wrote");
    assert!(!place(&other).is_marked(&marks));
    // Without a repository, the files are all there is.
    let plain = folder(&["a", "b", "c"]);
    assert!(place(&plain).is_marked(&dated_as_on(&plain, &marks)));
}

#[test] // spec: MEM-1a
fn a_tracked_file_with_the_line_ends_of_windows_is_the_same_file() {
    let disk = folder(&[]);
    disk.write_raw("/src/.git/HEAD", format!("{ONE}\n").as_bytes());
    track(&disk, &[("cherry/lib", "a\nb\n")]);
    let marks = taken(&disk, &Marks::default());
    disk.write_raw(format!("{ROOT}/lib"), b"a\r\nb\r\n");
    assert!(place(&disk).is_marked(&marks));
    disk.write_raw(format!("{ROOT}/lib"), b"a\rb\r\n");
    assert!(!place(&disk).is_marked(&marks));
    for path in ["../lib", "/src/cherry/lib", ""] {
        let mark = TrackedMark { path: path.into(), object: git_object(b"a\rb\r\n", 40) };
        assert!(!place(&disk).has_object(&mark), "{path}");
    }
}

/// Writes these files into the repository around the folder, and lets it track them.
fn track(disk: &SimDisk, files: &[(&str, &str)]) {
    let mut index = b"DIRC\0\0\0\x02".to_vec();
    index.extend(u32::try_from(files.len()).expect("a few").to_be_bytes());
    for (path, text) in files {
        disk.write_raw(format!("/src/{path}"), text.as_bytes());
        let mut entry = vec![0; 40];
        let object = git_object(text.as_bytes(), 40);
        let digit = |at: usize| u8::from_str_radix(&object[at..at + 2], 16).expect("hex");
        entry.extend((0..40).step_by(2).map(digit));
        entry.extend(u16::try_from(path.len()).expect("short").to_be_bytes());
        entry.extend(path.bytes().chain([0]));
        entry.resize(entry.len().next_multiple_of(8), 0);
        index.extend(entry);
    }
    disk.write_raw("/src/.git/index", &index);
}

#[test] // spec: MEM-1
fn a_clone_without_its_past_is_told_by_where_it_came_from() {
    let cloned = |url: &str| cloned(ONE, url);
    let marks = taken(&cloned("https://example.org/cherry"), &Marks::default());
    let again = cloned("https://example.org/cherry.git");
    check_out(&again, TWO);
    assert!(!place(&again).is_marked(&marks), "a clone with its past has the commits");
    again.write_raw(format!("{ROOT}/.git/shallow"), TWO.as_bytes());
    assert!(place(&again).is_marked(&marks));
    let other = cloned("https://example.org/plum");
    check_out(&other, TWO);
    other.write_raw(format!("{ROOT}/.git/shallow"), TWO.as_bytes());
    assert!(!place(&other).is_marked(&marks));
}

/// A repository with this commit checked out, cloned from this address.
fn cloned(commit: &str, url: &str) -> SimDisk {
    let disk = folder(&[]);
    check_out(&disk, commit);
    let config = format!("[remote \"origin\"]\n\turl = {url}\n");
    disk.write_raw(format!("{ROOT}/.git/config"), config.as_bytes());
    disk
}

#[test] // spec: MEM-1a, MEM-21
fn an_origin_that_differs_speaks_against_whatever_is_shared() {
    let acme = cloned(ONE, "https://example.org/acme/app.git");
    let marks = taken(&acme, &Marks::default());
    let rival = cloned(ONE, "https://example.org/rival/app.git");
    assert!(!place(&rival).is_marked(&marks), "the commit of a template");
    assert!(place(&cloned(ONE, "git@example.org:acme/app.git")).is_marked(&marks));
    let unnamed = folder(&[]);
    check_out(&unnamed, ONE);
    assert!(!place(&unnamed).is_marked(&marks), "one commit, and no origin where one is known");

    // The later commits and the unchanged files make no difference.
    check_out(&acme, TWO);
    for file in ["a", "b", "c"] {
        acme.write_raw(format!("{ROOT}/{file}"), b"x");
    }
    let marks = taken(&acme, &marks);
    assert!(place(&acme).is_marked(&marks));
    acme.write_raw(
        format!("{ROOT}/.git/config"),
        b"[remote \"origin\"]\n\turl = https://example.org/rival/app\n",
    );
    assert!(!place(&acme).is_marked(&marks) && !place(&acme).agrees(&marks, true));
    assert!(place(&acme).is_due(&marks, now()), "another origin is remembered as soon as it is seen");
    check_out(&unnamed, TWO);
    assert!(place(&unnamed).is_marked(&marks), "a later commit says it without an origin");

    // A folder that carries the brain's id: a template's commit is not enough, a later one is.
    assert!(place(&rival).is_cloned_elsewhere(&marks));
    assert!(!place(&acme).is_cloned_elsewhere(&marks));
    assert!(!place(&unnamed).is_cloned_elsewhere(&marks));
}

#[test] // spec: MEM-1, MEM-21
fn another_history_is_one_that_shares_nothing_with_what_is_remembered() {
    let url = "https://example.org/acme/app";
    let marks = taken(&cloned(ONE, url), &Marks::default());
    assert!(place(&cloned(TWO, "https://example.org/rival/app")).is_another_history(&marks));
    assert!(!place(&cloned(TWO, url)).is_another_history(&marks), "the origin is the same");
    assert!(!place(&cloned(ONE, "https://example.org/rival/app")).is_another_history(&marks));
    assert!(!place(&folder(&[])).is_another_history(&marks), "no repository says nothing");
    let empty = folder(&[]);
    empty.write_raw(format!("{ROOT}/.git/HEAD"), b"ref: refs/heads/main\n");
    assert!(!place(&empty).is_another_history(&marks), "one without a commit says nothing");
    assert!(!place(&cloned(TWO, url)).is_another_history(&Marks::default()));

    // A repository that is made anew in its folder has the files.
    let disk = folder(&["a", "b"]);
    check_out(&disk, ONE);
    let marks = taken(&disk, &Marks::default());
    disk.unlink(Path::new(&format!("{ROOT}/.git/HEAD"))).expect("it is there");
    check_out(&disk, TWO);
    assert!(marks.files.len() >= FILES_MIN && !place(&disk).is_another_history(&marks));
}

#[test] // spec: MEM-1, MEM-21
fn what_is_remembered_must_be_in_a_folder_that_has_the_number_and_birth() {
    let disk = folder(&[]);
    check_out(&disk, ONE);
    let marks = taken(&disk, &Marks::default());
    for near in [true, false] {
        assert!(place(&disk).agrees(&marks, near));
        let other = folder(&[]);
        check_out(&other, TWO);
        assert!(!place(&other).agrees(&marks, near), "another history");
    }
    // Where no commit and no origin is remembered, the path or the device must be the same.
    let plain = folder(&["a", "b"]);
    for marks in [Marks::default(), taken(&plain, &Marks::default())] {
        assert!(place(&plain).agrees(&marks, true));
        assert!(!place(&plain).agrees(&marks, false));
    }
    // A folder that was taken out of its repository has the files.
    let files = taken(&plain, &Marks::default()).files;
    let marks = Marks { commits: vec![ONE.into()], files, ..Marks::default() };
    assert!(place(&plain).agrees(&marks, true) && !place(&plain).agrees(&marks, false));
    assert!(!place(&folder(&[])).agrees(&marks, true));
    // A clone of the same origin that has none of the commits.
    let url = "https://example.org/acme/app";
    let marks = taken(&cloned(ONE, url), &Marks::default());
    assert!(place(&cloned(TWO, url)).agrees(&marks, false));
}

#[test] // spec: MEM-1
fn an_archive_that_keeps_whole_seconds_keeps_the_time() {
    assert!(is_same_time(7_123_456_789, 7_123_456_789));
    assert!(is_same_time(7_123_456_789, 7_000_000_000));
    assert!(!is_same_time(7_123_456_789, 7_123_456_788));
    assert!(!is_same_time(7_123_456_789, 8_000_000_000));
}

#[test] // spec: MEM-1
fn damaged_marks_are_none_and_lead_nowhere() {
    #[derive(Deserialize)]
    struct Holder {
        #[serde(default, deserialize_with = "Marks::lenient")]
        marks: Marks,
    }
    for text in ["{}", r#"{"marks": 7}"#, r#"{"marks": {"files": [1]}}"#] {
        assert!(serde_json::from_str::<Holder>(text).expect("JSON").marks.is_empty(), "{text}");
    }
    let disk = folder(&["a"]);
    disk.write_raw("/src/x", b"x");
    let mark =
        |path: &str| FileMark { path: path.into(), len: 1, modified_ns: "nonsense".into(), content: None };
    let files = vec![mark("../x"), mark("/src/x"), mark("a"), mark("")];
    assert!(!place(&disk).is_marked(&Marks { files, commits: vec!["../..".into()], ..Marks::default() }));
}

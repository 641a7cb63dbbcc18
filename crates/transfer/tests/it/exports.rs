//! An export is whole or not there, and a relative path stays where it belongs.

use crate::world::{CHERRY, HOME, MAKER, PLUM, Short as _, caller, clock, code, service, two_repositories};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_claims::undecided_file::join;
use brainstem_memory::{Confirmation, ForgetRequest, InitRequest, Memory, MemoryError, ResolveRequest, Tier};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Imported, Transfer};
use brainstem_vault::census::{self, CensusEntry, ExpectedKind, LossWhenUnfit};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn prepared() -> SimDisk {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "three times").unwrap();
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "four times").unwrap();
    disk.make_dirs("/out");
    disk
}

fn export(memory: &Memory, format: Format, out: &str) -> Result<PathBuf, MemoryError> {
    let request = ExportRequest { scope: ExportScope::Project, format, out: Some(out.into()) };
    Transfer::new(memory).export(&caller(MAKER, CHERRY), &request, &|_, _| ()).map(|done| done.path.unwrap())
}

fn below(disk: &SimDisk, dir: &str) -> Vec<PathBuf> {
    let entries = disk.list(Path::new(dir)).unwrap().into_iter();
    entries.map(|entry| Path::new(dir).join(entry.name)).collect()
}

#[test] // spec: MEM-47
fn an_export_that_runs_out_of_space_leaves_nothing_behind() {
    for format in [Format::JsonLines, Format::Folder] {
        let mut refused = 0;
        for bytes in 0.. {
            let disk = prepared();
            disk.set_space_left(Some(bytes));
            let memory = service(Arc::new(disk.clone()), &clock());
            match export(&memory, format, "/out/cherry") {
                Ok(_) => break,
                Err(error) => assert_eq!(code(Err::<(), _>(error)), "store.no_space"),
            }
            assert_eq!(below(&disk, "/out"), [] as [PathBuf; 0], "{format:?} with {bytes} bytes");
            refused += 1;
            if bytes % 101 == 0 {
                disk.set_space_left(None);
                export(&memory, format, "/out/cherry").unwrap();
            }
        }
        assert!(refused > 100, "{format:?}: {refused}");
    }
}

#[test] // spec: MEM-14, MEM-47
fn an_export_gets_no_name_that_carries_a_secret() {
    let disk = prepared();
    let memory = service(Arc::new(disk.clone()), &clock());
    // Built from pieces, so that no scanner takes this file for a leak.
    let out = ["/out/gh", "p_q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    for format in [Format::JsonLines, Format::Folder] {
        assert_eq!(code(export(&memory, format, &out)), "hygiene.secret");
    }
    assert_eq!(below(&disk, "/out"), [] as [PathBuf; 0]);
}

#[test] // spec: MEM-47
fn an_export_goes_through_a_linked_folder_and_says_where_it_is() {
    let disk = prepared();
    disk.make_link("/out", "/src/link");
    let memory = service(Arc::new(disk.clone()), &clock());
    for (format, name) in [(Format::JsonLines, "lines"), (Format::Folder, "folder")] {
        assert_eq!(
            export(&memory, format, &format!("/src/link/{name}")).unwrap(),
            Path::new("/out").join(name)
        );
        assert_eq!(code(export(&memory, format, &format!("/src/link/{name}"))), "export.taken");
        assert_eq!(code(export(&memory, format, "/none/at/all")), "input.bad_value");
        assert_eq!(code(export(&memory, format, "/out/..")), "input.bad_value");
    }
    assert_eq!(below(&disk, "/out").len(), 2);
    // A link in the place of the export itself is a name that is taken.
    disk.make_link("/out/nothing", "/out/dangling");
    for format in [Format::JsonLines, Format::Folder] {
        assert_eq!(code(export(&memory, format, "/out/dangling")), "export.taken");
    }
    assert_eq!(below(&disk, "/out").len(), 3);
}

#[test] // spec: MEM-17
fn a_path_stays_inside_its_root_whatever_links_and_dots_say() {
    let disk = two_repositories();
    disk.make_dirs(format!("{CHERRY}/sub/deep"));
    disk.make_link(PLUM, format!("{CHERRY}/out"));
    disk.make_link(format!("{CHERRY}/sub"), format!("{CHERRY}/in"));
    disk.make_link("/nowhere", format!("{CHERRY}/dangling"));
    let memory = service(Arc::new(disk), &clock());
    let inside = |path: &str| memory.path_inside(Path::new(CHERRY), Path::new(path));
    for (path, expected) in [
        ("a", "a"),
        ("./a/b", "a/b"),
        ("sub/../a", "a"),
        ("sub/deep/../../a", "a"),
        ("new/../a", "a"),
        ("in/a", "sub/a"),
        ("in/../a", "a"),
        (".", ""),
    ] {
        assert_eq!(inside(path), Some(Path::new(CHERRY).join(expected).components().collect()), "{path}");
    }
    for path in [
        "..",
        "../plum",
        "sub/../../plum",
        "out",
        "out/a",
        "out/../cherry/a",
        "dangling",
        "dangling/a",
        "/etc",
        "/",
    ] {
        assert_eq!(inside(path), None, "{path}");
    }
    assert_eq!(memory.path_inside(Path::new("/gone"), Path::new("a")), None, "{HOME}");
}

#[test] // spec: MEM-14a, MEM-47
fn an_export_carries_every_byte_and_says_that_a_secret_is_among_them() {
    let token = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    let disk = prepared();
    let memory = service(Arc::new(disk.clone()), &clock());
    let request = ExportRequest { scope: ExportScope::Project, format: Format::JsonLines, out: None };
    let export = || {
        let done = Transfer::new(&memory).export(&caller(MAKER, CHERRY), &request, &|_, _| ()).unwrap();
        let names: Vec<String> = done.gaps.iter().map(|gap| gap.name.to_string()).collect();
        (names, format!("{:?} {:?}", done.lines, done.gaps))
    };
    assert_eq!(export().0, [""; 0]);
    let (path, bytes) =
        disk.dump().into_iter().find(|(path, _)| path.ends_with("retry-policy.light.md")).unwrap();
    let text = String::from_utf8(bytes).unwrap().replace("four times", &token);
    disk.write_raw(path, text.as_bytes());
    let (names, told) = export();
    assert_eq!(names, ["secret_exported"]);
    assert!(told.contains(&token), "a backup that changes words is none");
}

pub(crate) fn texts_of(memory: &Memory, label: &str) -> BTreeSet<String> {
    let shown = memory.look_at(&caller(MAKER, CHERRY), label, Tier::Project).unwrap();
    let rows = shown.claim.into_iter().chain(shown.sides).map(|row| row.text);
    rows.chain(shown.history.into_iter().map(|version| version.text)).collect()
}

pub(crate) fn import(memory: &Memory, path: &str, dry_run: bool) -> Imported {
    let request = ImportRequest { path: path.into(), from: None, tier: None, sort: false, dry_run };
    Transfer::new(memory).import(&caller(MAKER, CHERRY), &request, &|_, _| true).unwrap()
}

/// Another machine, whose disk has this export.
pub(crate) fn elsewhere(from: &SimDisk, out: &str) -> (SimDisk, Memory) {
    let disk = two_repositories();
    for (path, bytes) in from.dump().into_iter().filter(|(path, _)| path.starts_with(out)) {
        disk.write_raw(path, &bytes);
    }
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    (disk, memory)
}

#[test] // spec: MEM-47, MEM-2
fn an_export_carries_the_versions_that_are_not_in_the_checkout() {
    for scope in [ExportScope::Project, ExportScope::All] {
        for format in [Format::JsonLines, Format::Folder] {
            let (disk, clock) = (two_repositories(), clock());
            let memory = service(Arc::new(disk.clone()), &clock);
            let maker = caller(MAKER, CHERRY);
            memory.init(&maker, &InitRequest::default()).unwrap();
            let file = |name: &str| Path::new(CHERRY).join(".brainstem/agent-memory").join(name);
            memory.tell(&maker, "Cleaned away", "by git clean").unwrap();
            disk.unlink(&file("cleaned-away.light.md")).unwrap();
            memory.tell(&maker, "Other branch", "as it was").unwrap();
            let before = disk.read(&file("other-branch.light.md"), 1 << 20).unwrap();
            clock.advance(1_000);
            memory.tell(&maker, "Other branch", "as it is").unwrap();
            disk.write_raw(file("other-branch.light.md"), &before);
            let expected = [
                ("Cleaned away", BTreeSet::from(["by git clean".to_owned()])),
                ("Other branch", BTreeSet::from(["as it was".to_owned(), "as it is".to_owned()])),
            ];
            for (label, texts) in &expected {
                assert_eq!(texts_of(&memory, label), *texts);
            }
            disk.make_dirs("/out");
            let request = ExportRequest { scope, format, out: Some("/out/all".into()) };
            let done = Transfer::new(&memory).export(&maker, &request, &|_, _| ()).unwrap();
            assert_eq!((done.claims, done.gaps.len()), (2, 0), "{scope:?} {format:?} {done:?}");
            let path = match (scope, format) {
                (ExportScope::All, Format::Folder) => {
                    let mut brains = below(&disk, "/out/all/project-brains");
                    brains.pop().unwrap().to_string_lossy().into_owned()
                }
                _ => "/out/all".to_owned(),
            };
            let (_, there) = elsewhere(&disk, "/out");
            let taken = import(&there, &path, false);
            assert_eq!((taken.born, taken.not_taken.len()), (2, 0), "{scope:?} {format:?} {taken:?}");
            for (label, texts) in &expected {
                assert_eq!(texts_of(&there, label), *texts, "{scope:?} {format:?}");
            }
            let again = import(&there, &path, false);
            assert_eq!((again.born, again.superseded, again.versions, again.acts), (0, 0, 0, 0), "{again:?}");
        }
    }
}

#[test] // spec: MEM-47, MEM-49
fn an_undecided_claim_is_imported_as_it_was_exported() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    memory.tell(&caller(MAKER, CHERRY), "Retry policy", "four times").unwrap();
    let mut live: Vec<PathBuf> =
        disk.dump().into_keys().filter(|path| path.ends_with("retry-policy.light.md")).collect();
    let path = live.pop().unwrap();
    let ours = disk.read(&path, 1 << 20).unwrap();
    let theirs = String::from_utf8(ours.clone()).unwrap();
    let theirs = theirs.replace("four times", "six times").replace("Created: ", "Created: 1");
    let both = join(&[&ours, theirs.as_bytes()]);
    disk.write_raw(&path, &both);
    disk.make_dirs("/out");
    for format in [Format::JsonLines, Format::Folder] {
        let out = format!("/out/{format:?}");
        export(&memory, format, &out).unwrap();
        let (fresh, there) = elsewhere(&disk, &out);
        let weighed = import(&there, &out, true);
        assert_eq!((weighed.born, weighed.rows.len(), weighed.not_taken.len()), (1, 1, 0), "{weighed:?}");
        let taken = import(&there, &out, false);
        assert_eq!((taken.born, taken.not_taken.len()), (1, 0), "{taken:?}");
        let files = fresh.dump().into_iter().filter(|(path, _)| path.ends_with("retry-policy.light.md"));
        let files: Vec<Vec<u8>> =
            files.filter(|(path, _)| path.starts_with(HOME)).map(|(_, bytes)| bytes).collect();
        assert_eq!(files, std::slice::from_ref(&both), "byte for byte");
        let shown = there.look_at(&caller(MAKER, CHERRY), "Retry policy", Tier::Project).unwrap();
        assert_eq!((shown.sides.len(), shown.history.len()), (2, 0), "{shown:?}");
        let again = import(&there, &out, false);
        assert_eq!((again.born, again.superseded, again.unchanged, again.acts), (0, 0, 1, 0), "{again:?}");

        // Beside another version all of them wait, and each is shown once.
        let (_, other) = elsewhere(&disk, &out);
        other.tell(&caller(MAKER, CHERRY), "Retry policy", "eight times").unwrap();
        let taken = import(&other, &out, false);
        assert_eq!((taken.superseded, taken.not_taken.len()), (1, 0), "{taken:?}");
        let all = ["four times", "six times", "eight times"].map(str::to_owned);
        assert_eq!(texts_of(&other, "Retry policy"), BTreeSet::from(all));
        // What was decided stays decided.
        let mine = ResolveRequest {
            label: Some("Retry policy".into()),
            text: Some("nine times".into()),
            ..ResolveRequest::default()
        };
        other.resolve(&caller(MAKER, CHERRY), &mine).unwrap();
        let taken = import(&other, &out, false);
        assert_eq!((taken.superseded, taken.unchanged), (0, 1), "{taken:?}");
        let shown = other.look_at(&caller(MAKER, CHERRY), "Retry policy", Tier::Project).unwrap();
        assert_eq!((shown.claim.unwrap().text.as_str(), shown.history.len()), ("nine times", 3));
    }
}

/// A file for every kind of ground file that the census knows, locks left out. Copies of what lies in a repository
/// are exported as claims and history.
fn one_of_each(disk: &SimDisk, base: &Path, census: &'static [CensusEntry]) -> Vec<PathBuf> {
    let is_carried = |kind: &&CensusEntry| kind.weight == LossWhenUnfit::Ground && !kind.is_lock();
    let files = census
        .iter()
        .filter(is_carried)
        .filter(|kind| matches!(kind.is, ExpectedKind::File(..) | ExpectedKind::Plain));
    let files = files.filter(|kind| !kind.place.contains("/.kept/"));
    let place = |kind: &CensusEntry| match kind.place.contains("/.history/") {
        true => kind.place.replace('*', "extra.5"),
        false => kind.place.replace('*', "extra"),
    };
    let files: Vec<PathBuf> = files.map(|kind| PathBuf::from(place(kind))).collect();
    for file in &files {
        let path = base.join(file);
        if disk.stat(&path).is_err() {
            let text: &[u8] = match path.extension().and_then(|extension| extension.to_str()) {
                Some("json") if path.ends_with("principals.json") => b"[]",
                Some("json") if path.ends_with("sharing.json") => br#"{"sharing":"committed"}"#,
                Some("json") => b"{}",
                Some("md") => b"---\nProtocol: L1GHT/1.0\nNode: Extra\nCreated: 5\n---\n\n# Extra\n\nMore.\n",
                Some("toml") => b"# nothing\n",
                Some(_) | None => b"\n",
            };
            disk.make_dirs(path.parent().unwrap());
            disk.write_raw(&path, text);
        }
    }
    files
}

// A new kind of file gets an entry in the census, and by that a place in an export.
#[test] // spec: MEM-47
fn an_export_of_all_has_every_kind_of_ground_file_of_the_home() {
    let disk = prepared();
    let memory = service(Arc::new(disk.clone()), &clock());
    let (ana, plum) = (caller(MAKER, CHERRY), caller(MAKER, PLUM));
    let brain = memory.begin(&ana).unwrap().brain;
    // A brain that was set aside is memory, too.
    memory.begin(&plum).unwrap();
    memory.tell(&plum, "Apart", "kept apart").unwrap();
    let aside = memory.set_aside(&plum, PLUM, "not now").unwrap().folder;
    let mut files: Vec<PathBuf> = one_of_each(&disk, Path::new(HOME), census::HOME);
    let of_brain = Path::new("project-brains").join(brain.folder.file_name().unwrap());
    let its = one_of_each(&disk, &brain.folder, census::BRAIN);
    files.extend(its.into_iter().map(|file| of_brain.join(file)));
    let aside = aside.strip_prefix(HOME).unwrap();
    files.extend(
        ["acts.jsonl", "brain.json", "root.json", "agent-memory/apart.light.md"].map(|file| aside.join(file)),
    );
    assert!(files.len() > 25, "{files:?}");
    let request =
        ExportRequest { scope: ExportScope::All, format: Format::Folder, out: Some("/out/home".into()) };
    Transfer::new(&memory).export(&ana, &request, &|_, _| ()).unwrap();
    for file in &files {
        let (here, there) = (Path::new(HOME).join(file), Path::new("/out/home").join(file));
        assert_eq!(
            disk.read(&there, u64::MAX).ok(),
            Some(disk.read(&here, u64::MAX).unwrap()),
            "{}",
            file.display()
        );
    }
    // Nothing of this machine alone, and no lock.
    let there: Vec<PathBuf> = crate::world::files_below(&disk, "/out/home").into_keys().collect();
    let is_left_out = |path: &&PathBuf| {
        let below = path.strip_prefix("/out/home").unwrap();
        ["local", "daemon", "index"].iter().any(|dir| below.starts_with(dir))
            || below.components().any(|part| part.as_os_str() == ".locks")
    };
    assert_eq!(there.iter().find(is_left_out), None);
    // A secret in such a file is in the export as it is, and the answer names it.
    let secret = format!("owner = \"human:ana\"\n# gh{}\n", "p_q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro");
    disk.write_raw(Path::new(HOME).join("projects.toml"), secret.as_bytes());
    let request = ExportRequest { out: Some("/out/again".into()), ..request };
    let done = Transfer::new(&memory).export(&ana, &request, &|_, _| ()).unwrap();
    assert!(done.gaps.iter().any(|gap| gap.name == "secret_exported"), "{:?}", done.gaps);
    assert_eq!(disk.read(Path::new("/out/again/projects.toml"), 999).unwrap(), secret.as_bytes());
}

#[test] // spec: MEM-12, MEM-47
fn an_import_names_what_was_forgotten_here() {
    let disk = prepared();
    let memory = service(Arc::new(disk), &clock());
    let ana = caller(MAKER, CHERRY);
    memory.tell(&ana, "Page size", "fifty").unwrap();
    export(&memory, Format::JsonLines, "/out/cherry.jsonl").unwrap();
    let forget = || {
        let request =
            ForgetRequest { label: "Retry policy".into(), confirmation: Confirmation::Given, tier: None };
        memory.forget(&ana, &request).unwrap();
    };
    forget();
    let import = |dry_run| {
        let path = "/out/cherry.jsonl".into();
        let request = ImportRequest { path, from: None, tier: None, sort: false, dry_run };
        let gaps = Transfer::new(&memory).import(&ana, &request, &|_, _| true).unwrap().gaps;
        let named = gaps.into_iter().filter(|gap| gap.name == "forgotten_before");
        named.map(|gap| gap.detail).collect::<Vec<_>>()
    };
    let dry = import(true);
    assert!(dry.len() == 1 && dry[0].contains("\"Retry policy\""), "{dry:?}");
    assert!(!dry[0].contains("Page size") && dry[0].contains("forget 'Retry policy' --yes"), "{dry:?}");
    assert_eq!(import(false), dry);
    assert_eq!(import(false), [""; 0], "it is here already");
    // The call that the answer names.
    forget();
    assert_eq!(memory.all(&ana).rows.len(), 1);
}

#[test] // spec: MEM-47
fn an_export_that_git_can_commit_says_so_and_how_it_stays_out() {
    let disk = prepared();
    let memory = service(Arc::new(disk.clone()), &clock());
    let named = |format, out: &str| {
        let request = ExportRequest { scope: ExportScope::All, format, out: Some(out.into()) };
        let done = Transfer::new(&memory).export(&caller(MAKER, CHERRY), &request, &|_, _| ()).unwrap();
        done.gaps.into_iter().find(|gap| gap.name == "export_in_git").map(|gap| gap.detail.to_string())
    };
    let inside = named(Format::JsonLines, "/src/cherry/all.jsonl").unwrap();
    assert!(inside.contains("/src/cherry/.git/info/exclude"), "{inside}");
    assert!(named(Format::Folder, "/src/cherry/copy").is_some());
    assert_eq!(named(Format::JsonLines, "/out/all.jsonl"), None);
    disk.write_raw("/src/cherry/.git/info/exclude", b"/kept.jsonl\n/kept\n");
    assert_eq!(named(Format::JsonLines, "/src/cherry/kept.jsonl"), None);
    assert_eq!(named(Format::Folder, "/src/cherry/kept"), None);
}

#[test] // spec: MEM-47
fn an_export_that_was_cut_is_named_when_it_is_imported() {
    let disk = prepared();
    let memory = service(Arc::new(disk.clone()), &clock());
    export(&memory, Format::JsonLines, "/out/whole").unwrap();
    let whole = String::from_utf8(disk.read(Path::new("/out/whole"), 1 << 20).unwrap()).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    memory.begin(&caller(MAKER, PLUM)).unwrap();
    let take = |text: &str| {
        disk.write_raw("/out/file", text.as_bytes());
        let request =
            ImportRequest { path: "/out/file".into(), from: None, tier: None, sort: false, dry_run: true };
        Transfer::new(&memory).import(&caller(MAKER, PLUM), &request, &|_, _| true)
    };
    let is_cut = |text: &str| take(text).unwrap().gaps.iter().any(|gap| gap.name == "export_cut");
    assert!(!is_cut(&whole));
    for kept in 1..lines.len() {
        assert!(is_cut(&format!("{}\n", lines[..kept].join("\n"))), "{kept} lines");
    }
    // An older program does not say how many lines there are.
    let first: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
    let count = format!(",\"lines\":{}", first["lines"]);
    let old = lines[0].replace(&count, "").replace(&format!("\"lines\":{},", first["lines"]), "");
    assert!(!is_cut(&format!("{old}\n{}\n", lines[1])));
    for empty in ["", "\n", " \n\n"] {
        assert_eq!(code(take(empty).map(drop)), "input.bad_value");
    }
}

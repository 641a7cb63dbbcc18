//! An export is whole or not there, and a relative path stays where it belongs.

use crate::world::{CHERRY, HOME, MAKER, PLUM, Short as _, caller, clock, code, service, two_repositories};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::{ExportRequest, ExportScope, Format, Memory, MemoryError};
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
    memory.export(&caller(MAKER, CHERRY), &request, &|_, _| ()).map(|done| done.path.unwrap())
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
        let done = memory.export(&caller(MAKER, CHERRY), &request, &|_, _| ()).unwrap();
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

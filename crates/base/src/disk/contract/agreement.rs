//! Random operations, done on both disks: they must answer alike.

use std::path::Path;
use std::time::Duration;

use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest};

use super::super::{DiskFault, FileKind};
use super::ContractFolder;

/// An operation with its paths below the root.
#[derive(Clone, Debug)]
enum Op {
    Read(&'static str, u64),
    List(&'static str),
    Stat(&'static str),
    Canonical(&'static str),
    MakeDir(&'static str),
    WriteNew(&'static str, u8),
    Link(&'static str, &'static str),
    Rename(&'static str, &'static str),
    Unlink(&'static str),
    RemoveDir(&'static str),
    SyncDir(&'static str),
    Append(&'static str, u8),
    Lock(&'static str),
    MakeLink(&'static str, &'static str),
}

const PATHS: [&str; 11] = ["", "a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "l", "l/a", "d/.."];

fn ops() -> impl Strategy<Value = Op> {
    let path = || proptest::sample::select(PATHS.as_slice());
    prop_oneof![
        2 => (path(), 0..6u64).prop_map(|(path, len_max)| Op::Read(path, len_max)),
        1 => path().prop_map(Op::List),
        1 => path().prop_map(Op::Stat),
        1 => path().prop_map(Op::Canonical),
        4 => prop_oneof![Just("d"), Just("d/e"), path()].prop_map(Op::MakeDir),
        4 => (path(), any::<u8>()).prop_map(|(path, byte)| Op::WriteNew(path, byte)),
        3 => (path(), path()).prop_map(|(from, to)| Op::Link(from, to)),
        4 => (path(), path()).prop_map(|(from, to)| Op::Rename(from, to)),
        2 => path().prop_map(Op::Unlink),
        1 => prop_oneof![Just("d/e"), Just("d"), Just("a")].prop_map(Op::RemoveDir),
        1 => path().prop_map(Op::SyncDir),
        2 => (path(), any::<u8>()).prop_map(|(path, byte)| Op::Append(path, byte)),
        1 => path().prop_map(Op::Lock),
        1 => (prop_oneof![Just("d"), path()], prop_oneof![Just("l"), path()]).prop_map(|(to, at)| Op::MakeLink(to, at)),
    ]
}

/// Does the operation and describes its result in words that do not depend on the disk.
fn outcome(on: &ContractFolder, op: &Op) -> Result<String, DiskFault> {
    let disk = &on.disk;
    let is_dir = |path: &str| disk.stat(&on.at(path)).is_ok_and(|stat| stat.kind == FileKind::Dir);
    let done = match *op {
        Op::Read(path, len_max) => disk.read(&on.at(path), len_max).map(|bytes| format!("{bytes:?}")),
        Op::List(dir) => disk.list(&on.at(dir)).map(|mut entries| {
            entries.sort();
            format!("{entries:?}")
        }),
        // Each file system has its own idea of the size of a folder, and roots differ in length.
        Op::Stat(path) => disk.stat(&on.at(path)).map(|stat| match stat.kind {
            FileKind::File => format!("a file of {}", stat.len),
            FileKind::Dir | FileKind::Link | FileKind::Other => format!("{:?}", stat.kind),
        }),
        Op::Canonical(path) => disk
            .canonical(&on.at(path))
            .map(|path| format!("{:?}", path.strip_prefix(&on.root).unwrap_or(Path::new("above")))),
        Op::MakeDir(dir) => disk.make_dir(&on.at(dir)).map(|()| String::new()),
        Op::WriteNew(path, byte) => disk.write_new(&on.at(path), &[byte]).map(|()| String::new()),
        Op::Link(from, to) => disk.link(&on.at(from), &on.at(to)).map(|()| String::new()),
        // Folders are not moved into other folders, and `..` has its own errors for each system.
        Op::Rename(from, to) if is_dir(from) || [from, to].iter().any(|path| path.ends_with("..")) => {
            return Ok(String::new());
        }
        Op::Rename(from, to) => disk.rename(&on.at(from), &on.at(to)).map(|()| String::new()),
        Op::Unlink(path) => disk.unlink(&on.at(path)).map(|()| String::new()),
        Op::RemoveDir(path) => disk.remove_dir(&on.at(path)).map(|()| String::new()),
        Op::SyncDir(dir) => disk.sync_dir(&on.at(dir)).map(|()| String::new()),
        Op::Append(path, byte) => disk.append(&on.at(path), &[byte, byte]).map(|()| String::new()),
        Op::Lock(path) => disk.lock(&on.at(path), Duration::ZERO).map(|_| String::new()),
        Op::MakeLink(target, path) => {
            let parent_is_there = on.at(path).parent().is_some_and(|dir| disk.list(dir).is_ok());
            if parent_is_there && disk.stat(&on.at(path)).is_err() {
                on.link_to(target, path);
            }
            return Ok(String::new());
        }
    };
    done.map_err(|error| error.fault())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn both_disks_answer_alike_and_end_with_the_same_files(ops in proptest::collection::vec(ops(), 1..40)) {
        let (real, sim) = (ContractFolder::real(), ContractFolder::sim());
        for (n, op) in ops.iter().enumerate() {
            prop_assert_eq!(outcome(&real, op), outcome(&sim, op), "operation {}: {:?}", n, op);
        }
        prop_assert_eq!(real.everything(), sim.everything());
    }
}

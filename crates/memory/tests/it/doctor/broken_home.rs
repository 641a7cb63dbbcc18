//! What can be wrong with a home, its daemon and its settings.

use super::{Break, Ward};
use crate::world::{CHERRY, HOME, START};
use brainstem_base::disk::{Disk as _, PathFacts};
use brainstem_memory::{DaemonRecord, Trouble};
use std::path::{Path, PathBuf};

pub(super) const TABLE: &[(Trouble, Break)] = &[
    (Trouble::HomeUnusable, |ward| {
        ward.disk.rename(Path::new(HOME), Path::new("/home/ana/away")).unwrap();
        ward.disk.write_raw(HOME, b"a file");
        HOME.into()
    }),
    (Trouble::HomeMissing, |ward| {
        ward.disk.rename(Path::new(HOME), Path::new("/home/ana/away")).unwrap();
        HOME.into()
    }),
    (Trouble::HomeDamaged, |ward| {
        ward.disk.write_raw(format!("{HOME}/home.json"), b"{}");
        format!("{HOME}/home.json").into()
    }),
    (Trouble::HomeNewer, |ward| {
        ward.disk.write_raw(format!("{HOME}/home.json"), b"{\"schema\": 99}");
        format!("{HOME}/home.json").into()
    }),
    (Trouble::HomeOpen, |ward| ward.facts(PathFacts { mode: Some(0o755), ..PathFacts::default() })),
    (Trouble::HomeInGit, |ward| {
        ward.disk.write_raw("/home/ana/.git/HEAD", b"ref: refs/heads/main\n");
        HOME.into()
    }),
    (Trouble::HomeUnwritable, |ward| ward.facts(PathFacts { writable: Some(false), ..PathFacts::default() })),
    (Trouble::NetworkFileSystem, |ward| {
        ward.facts(PathFacts { network: Some("nfs"), ..PathFacts::default() })
    }),
    (Trouble::DiskNearlyFull, |ward| {
        ward.facts(PathFacts { free_len: Some(5 << 20), ..PathFacts::default() })
    }),
    (Trouble::TokenOpen, |ward| {
        let token = PathBuf::from(HOME).join("daemon/token");
        ward.disk.write_raw(&token, "0123456789abcdef".repeat(4).as_bytes());
        ward.disk.set_facts(token.to_str().unwrap(), PathFacts { mode: Some(0o644), ..PathFacts::default() });
        token
    }),
    (Trouble::DaemonDied, |ward| daemon(ward, env!("CARGO_PKG_VERSION"))),
    (Trouble::DaemonExposed, |ward| {
        let record = daemon_at(ward, env!("CARGO_PKG_VERSION"), "0.0.0.0:7733");
        ward.hold_daemon_lock();
        ward.disk.write_raw(ward.memory.daemon_files().token, "0123456789abcdef".repeat(4).as_bytes());
        record
    }),
    (Trouble::DaemonFewFiles, |ward| {
        let place = daemon(ward, env!("CARGO_PKG_VERSION"));
        ward.hold_daemon_lock();
        ward.disk.write_raw(ward.memory.daemon_files().token, "0123456789abcdef".repeat(4).as_bytes());
        let record = ward.memory.daemon_record().unwrap();
        ward.record_daemon(&DaemonRecord { connections_max: Some(40), ..record });
        place
    }),
    (Trouble::TokenGone, |ward| {
        daemon(ward, env!("CARGO_PKG_VERSION"));
        ward.hold_daemon_lock();
        ward.memory.daemon_files().token
    }),
    (Trouble::TokenChanged, |ward| {
        daemon(ward, env!("CARGO_PKG_VERSION"));
        ward.hold_daemon_lock();
        let token = ward.memory.daemon_files().token;
        ward.disk.write_raw(&token, "0123456789abcdef".repeat(4).as_bytes());
        let record = ward.memory.daemon_record().unwrap();
        let known = Some(brainstem_memory::token_print("another"));
        ward.record_daemon(&DaemonRecord { token_print: known, ..record });
        token
    }),
    (Trouble::DaemonUnfound, |ward| {
        ward.hold_daemon_lock();
        ward.memory.daemon_files().record
    }),
    (Trouble::DaemonOther, |ward| {
        let record = daemon(ward, "0.0.1");
        ward.disk.write_raw(ward.memory.daemon_files().token, "0123456789abcdef".repeat(4).as_bytes());
        ward.hold_daemon_lock();
        record
    }),
    (Trouble::ClockBehind, |ward| {
        ward.clock.advance(-3_600_000);
        format!("{HOME}/agent-memory").into()
    }),
    (Trouble::FileUnusable, |ward| {
        ward.disk.write_raw(format!("{HOME}/mail-tracked/0123456789abcdef/inside"), b"");
        format!("{HOME}/mail-tracked/0123456789abcdef").into()
    }),
    (Trouble::FileDamaged, |ward| {
        ward.disk.write_raw(format!("{HOME}/written-here.txt"), b"here and there\n");
        format!("{HOME}/written-here.txt").into()
    }),
    (Trouble::LocalUnusable, |ward| {
        let record = format!("{HOME}/local/sessions-register/0123456789abcdef/worker.json");
        ward.disk.write_raw(&record, b"{\"name\": \"wor");
        record.into()
    }),
    (Trouble::PrincipalsDamaged, |ward| {
        ward.disk.write_raw(format!("{HOME}/principals.json"), b"{\"agent_id\": 1}");
        format!("{HOME}/principals.json").into()
    }),
    (Trouble::ConfigBroken, |ward| {
        ward.disk.write_raw(format!("{HOME}/config.toml"), b"owner =");
        format!("{HOME}/config.toml").into()
    }),
    (Trouble::ConfigUnknownKey, |ward| {
        ward.disk.write_raw(format!("{HOME}/config.toml"), b"colour = \"red\"");
        format!("{HOME}/config.toml").into()
    }),
    (Trouble::ConfigNotHere, |ward| {
        ward.disk.write_raw(format!("{CHERRY}/.brainstem/config.toml"), b"owner = \"human:eve\"");
        format!("{CHERRY}/.brainstem/config.toml").into()
    }),
    (Trouble::DaemonOpen, |ward| {
        let dir = PathBuf::from(HOME).join("daemon");
        ward.disk.make_dirs(&dir);
        ward.disk.set_facts(&dir, PathFacts { mode: Some(0o777), ..PathFacts::default() });
        dir
    }),
];

/// What a daemon of a version writes down.
fn daemon(ward: &Ward, version: &str) -> PathBuf {
    daemon_at(ward, version, "127.0.0.1:7733")
}

fn daemon_at(ward: &Ward, version: &str, address: &str) -> PathBuf {
    ward.disk.make_dirs(format!("{HOME}/daemon"));
    let record = DaemonRecord {
        pid: 1,
        address: address.into(),
        version: version.into(),
        started: START,
        instance: "x".into(),
        poke: None,
        token_print: None,
        connections_max: None,
    };
    ward.record_daemon(&record);
    ward.memory.daemon_files().record
}

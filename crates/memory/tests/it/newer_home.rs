//! A home that a newer program wrote is read and never written.

use crate::promote::{asked, promote};
use crate::world::{
    CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller, claim, clock, code, doctrine, service,
    two_repositories,
};
use brainstem_base::disk::{Disk as _, SimDisk};
use brainstem_memory::config::ConfigFile;
use brainstem_memory::{
    ConsolidateAs, ConsolidateRequest, Declared, InitRequest, MemorizeRequest, PromoteAs, PromoteRequest,
    Reaffirm, RetractRequest, Tier, WriteTier,
};
use std::path::Path;
use std::sync::Arc;

fn newer() -> SimDisk {
    let disk = two_repositories();
    let memory = service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, CHERRY);
    memory.begin(&cherry).unwrap();
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    disk.write_raw(format!("{HOME}/home.json"), b"{\"schema\": 99, \"new\": [\"shape\"]}");
    disk
}

#[test] // spec: MEM-1
fn a_home_of_a_newer_schema_is_read_and_every_write_is_refused() {
    let disk = newer();
    let before = disk.dump();
    let memory = service(Arc::new(disk.clone()), &clock());
    let cherry = caller(MAKER, CHERRY);
    let medulla = || RetractRequest {
        label: "Tabs".into(),
        reason: "no longer".into(),
        tier: Some(WriteTier::Medulla),
    };
    let again = MemorizeRequest { reaffirm: Reaffirm::Always, ..claim("Retry policy", "three times") };
    let answers = [
        code(memory.begin(&cherry)),
        code(memory.begin(&caller(MAKER, PLUM))),
        code(memory.tell(&cherry, "Timeouts", "ten seconds")),
        code(memory.tell(&cherry, "Retry policy", "four times")),
        code(memory.tell(&cherry, "Retry policy", "three times")),
        code(memory.memorize(&cherry, &again)),
        code(memory.memorize(&caller(PERSON, CHERRY), &doctrine("Spaces", "never"))),
        code(memory.take_back(&cherry, "Retry policy")),
        code(memory.retract(&caller(PERSON, CHERRY), &medulla())),
        code(promote(&memory, &cherry, "Retry policy")),
        code(memory.promote(&cherry, &PromoteRequest { how: PromoteAs::Propose, ..asked("Retry policy") })),
        code(memory.consolidate(&cherry, &ConsolidateRequest { how: ConsolidateAs::Apply })),
    ];
    assert_eq!(answers, ["home.newer_schema"; 12]);
    assert!(
        memory.consolidate(&cherry, &ConsolidateRequest { how: ConsolidateAs::Report }).is_ok(),
        "to look is no write"
    );

    assert_eq!(memory.find(&cherry, "retry", Tier::Both).rows.len(), 1);
    assert_eq!(memory.all(&cherry).rows.len(), 2);
    assert_eq!(memory.beat(&cherry, "retry").memory_exists, 2);
    assert_eq!(
        memory.look_at(&cherry, "Retry policy", Tier::Both).unwrap().claim.unwrap().text,
        "three times"
    );
    assert_eq!(memory.brains(&cherry).unwrap().brains.len(), 1);
    assert_eq!(before, disk.dump());
}

#[test] // spec: MEM-1
fn a_moved_root_is_recognised_in_a_newer_home_and_not_written_down() {
    let disk = newer();
    disk.rename(Path::new(CHERRY), Path::new("/src/moved")).unwrap();
    let home = || crate::world::files_below(&disk, HOME);
    let before = home();
    let memory = service(Arc::new(disk.clone()), &clock());
    let moved = caller(MAKER, "/src/moved");
    assert_eq!(memory.beat(&moved, "retry").memory_exists, 2);
    assert_eq!(code(memory.begin(&moved)), "home.newer_schema");
    assert_eq!(code(memory.tell(&moved, "Retry policy", "four times")), "home.newer_schema");
    assert_eq!(before, home());
}

#[test] // spec: MEM-1, IF-27
fn settings_of_a_newer_home_are_read_and_not_set() {
    let disk = newer();
    disk.write_raw(format!("{HOME}/config.toml"), b"owner = \"human:ana\"\nshape = \"new\"\n");
    let before = disk.dump();
    let memory = service(Arc::new(disk.clone()), &clock());
    let here = caller(MAKER, CHERRY).place().clone();
    for place in [ConfigFile::Home, ConfigFile::Repository] {
        assert_eq!(code(memory.set(&here, "agent", "codex:maker", place)), "home.newer_schema");
    }
    let owner = memory.setting("owner", &Declared::default(), &here).unwrap();
    assert_eq!(owner.value.as_deref(), Some("human:ana"));
    assert_eq!(memory.config_paths(&here).home, Path::new(HOME).join("config.toml"));
    assert_eq!(before, disk.dump());
}

#[test] // spec: MEM-1
fn a_home_that_does_not_say_its_schema_is_not_written() {
    for bytes in [&b""[..], b"{}", b"\0\0\0\0", b"{\"schema\": \"one\"}", b"{\"schema\": -1}"] {
        let disk = newer();
        disk.write_raw(format!("{HOME}/home.json"), bytes);
        let before = disk.dump();
        let memory = service(Arc::new(disk.clone()), &clock());
        let cherry = caller(MAKER, CHERRY);
        assert_eq!(code(memory.tell(&cherry, "Timeouts", "ten seconds")), "store.unreadable", "{bytes:?}");
        assert_eq!(memory.all(&cherry).rows.len(), 2);
        assert_eq!(before, disk.dump());
    }
}

#[test] // spec: MEM-1
fn a_brain_of_a_newer_schema_is_read_and_every_write_is_refused() {
    let disk = two_repositories();
    disk.write_raw(format!("{CHERRY}/.git/config"), b"[core]\n");
    let cherry = caller(MAKER, CHERRY);
    let folder = service(Arc::new(disk.clone()), &clock()).begin(&cherry).unwrap().brain.folder;
    let memory = service(Arc::new(disk.clone()), &clock());
    memory.tell(&cherry, "Retry policy", "three times").unwrap();
    let manifest = folder.join("brain.json");
    let text = String::from_utf8(disk.dump()[&manifest].clone()).unwrap();
    let newer = text.replace("\"schema\": 1", "\"schema\": 99");
    assert_ne!(text, newer);
    disk.write_raw(&manifest, newer.as_bytes());
    let before = crate::world::files_below(&disk, "/");
    let again = MemorizeRequest { reaffirm: Reaffirm::Always, ..claim("Retry policy", "three times") };
    let answers = [
        code(memory.begin(&cherry)),
        code(memory.init(&cherry, &InitRequest::default())),
        code(memory.tell(&cherry, "Timeouts", "ten seconds")),
        code(memory.tell(&cherry, "Retry policy", "four times")),
        code(memory.memorize(&cherry, &again)),
        code(memory.take_back(&cherry, "Retry policy")),
        code(memory.boot_set(&cherry, "key", "value", None)),
        code(promote(&memory, &cherry, "Retry policy")),
    ];
    assert_eq!(answers, ["home.newer_schema"; 8]);
    assert_eq!(memory.all(&cherry).rows.len(), 1);
    assert_eq!(memory.find(&cherry, "retry", Tier::Both).rows.len(), 1);
    assert_eq!(memory.beat(&cherry, "retry").memory_exists, 1);
    assert_eq!(before, crate::world::files_below(&disk, "/"));
}

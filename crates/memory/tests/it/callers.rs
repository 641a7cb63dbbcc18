//! What a caller says of itself, and what a repository's settings say of it.

use crate::world::{CHERRY, caller, clock, code, service, two_repositories};
use brainstem_memory::{CallerPlace, Declared, DoctorRequest, RootHints, Trouble};
use brainstem_transfer::mixed_medulla;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SETTINGS: &str = "/src/cherry/.brainstem/config.toml";

/// Built from pieces, so that no scanner takes this file for a leak.
fn token() -> String {
    ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat()
}

fn here() -> CallerPlace {
    CallerPlace::lasting(RootHints { cwd: Some(CHERRY.into()), ..RootHints::default() })
}

fn ana() -> Declared {
    Declared { login: Some("ana".into()), ..Declared::default() }
}

#[test] // spec: MEM-14, IF-27
fn a_secret_in_the_settings_of_a_repository_stops_nobody_and_the_file_is_named() {
    let disk = two_repositories();
    disk.write_raw(SETTINGS, format!("agent = \"{}\"\n", token()).as_bytes());
    let memory = service(Arc::new(disk), &clock());
    let principal = memory.identify(&ana(), &here()).unwrap();
    assert_eq!(principal.agent.as_str(), "human:ana");
    let notes = principal.notes().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(notes.contains(SETTINGS) && notes.contains("line 1") && !notes.contains(&token()), "{notes}");
    let found =
        memory.doctor(&caller("human:ana", CHERRY), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
    let broken = found.findings.iter().find(|finding| finding.trouble == Trouble::ConfigBroken).unwrap();
    assert_eq!(broken.place, Path::new(SETTINGS));
}

#[test] // spec: IF-27, MEM-10a
fn the_settings_of_a_repository_make_nobody_a_person_by_its_mail_address() {
    let disk = two_repositories();
    disk.write_raw(SETTINGS, b"agent = \"human.root\"\n");
    let memory = service(Arc::new(disk), &clock());
    let principal = memory.identify(&ana(), &here()).unwrap();
    assert_eq!(principal.agent.as_str(), "human:ana");
}

#[test] // spec: MEM-14, MAIL-4
fn a_mail_root_that_carries_a_secret_is_refused() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let declared = Declared { mail_root: Some(PathBuf::from(format!("/tmp/{}", token()))), ..ana() };
    assert_eq!(code(memory.identify(&declared, &here())), "hygiene.secret");
    assert_eq!(code(memory.identify_reader(&declared, &here())), "hygiene.secret");
}

//! What the status says of damage.

use super::Ward;
use crate::world::{CHERRY, HOME, MAKER, PERSON, PLUM, Short as _, caller};
use std::path::PathBuf;

#[test] // spec: MEM-19, MEM-43
fn the_status_of_a_project_tells_nothing_of_the_damage_of_another() {
    let ward = Ward::new();
    ward.memory.begin(&caller(MAKER, PLUM)).unwrap();
    ward.disk.write_raw(ward.claims().join("torn.light.md"), b"---\nProtocol: L1GHT");
    let broken = PathBuf::from(HOME).join("project-brains/cherry-000000000000");
    ward.disk.make_dirs(&broken);
    ward.disk.write_raw(broken.join("brain.json"), b"{");
    let told = |root: &str| {
        let status = ward.memory.status(&caller(MAKER, root)).unwrap();
        let gaps = status.brains.gaps.into_iter().chain(status.project_gaps).chain(status.replaced_gap);
        gaps.map(|gap| gap.detail).collect::<Vec<_>>()
    };
    assert_eq!(told(PLUM), [] as [&str; 0]);
    assert!(
        told(CHERRY).iter().any(|gap| gap.to_string().starts_with("1 file in cherry@")),
        "{:?}",
        told(CHERRY)
    );
    // `brains` is about all of them.
    assert_eq!(ward.memory.brains(&caller(MAKER, PLUM)).unwrap().gaps.len(), 2);
}

#[test] // spec: MEM-43, IF-25
fn the_status_names_settings_that_cannot_be_read() {
    let ward = Ward::new();
    let mut ana = caller(PERSON, CHERRY);
    let is_named = |who: &brainstem_memory::Caller| {
        let gaps = ward.memory.status(who).unwrap().project_gaps;
        gaps.iter().any(|gap| gap.name == "config_unreadable" && gap.detail.contains("config.toml"))
    };
    assert!(!is_named(&ana));
    ward.disk.write_raw(format!("{HOME}/config.toml"), b"\xff");
    ana.principal.unread = ward.memory.config(ana.place()).broken.clone();
    assert!(is_named(&ana));
}

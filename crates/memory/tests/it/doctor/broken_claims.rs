//! What can be wrong with the claims of a store, and with their versions.

use super::{Break, file, settle};
use crate::world::{CHERRY, MAKER, START, Short as _, caller};
use brainstem_base::disk::{Disk as _, PathFacts};
use brainstem_memory::{Confirmation, ForgetRequest, RenameRequest, Trouble};

pub(super) const TABLE: &[(Trouble, Break)] = &[
    (Trouble::ClaimsOwnerSide, |ward| {
        settle(ward);
        ward.put("old.light.md", file("Old", START, "left behind").as_bytes());
        ward.claims()
    }),
    (Trouble::ClaimAbsent, |ward| {
        ward.disk.unlink(&settle(ward)).unwrap();
        ward.kept("retry-policy")
    }),
    (Trouble::RenameInterrupted, |ward| {
        let live = ward.live();
        let before = ward.read(&live);
        let request = RenameRequest { label: "Retry policy".into(), to: "Attempts".into(), tier: None };
        ward.memory.rename(&caller(MAKER, CHERRY), &request).unwrap();
        ward.disk.write_raw(&live, before.as_bytes());
        live
    }),
    (Trouble::VersionAbsent, |ward| {
        let live = settle(ward);
        let before = ward.read(&live);
        ward.clock.advance(5);
        ward.memory.tell(&caller(MAKER, CHERRY), "Retry policy", "five times").unwrap();
        // Another clone's hand.
        ward.disk.write_raw(&live, before.replace("codex:maker", "human:ben").as_bytes());
        ward.kept("retry-policy")
    }),
    (Trouble::ClaimResurrected, |ward| {
        let live = settle(ward);
        let before = ward.read(&live);
        ward.memory.take_back(&caller(MAKER, CHERRY), "Retry policy").unwrap();
        ward.disk.write_raw(&live, before.as_bytes());
        live
    }),
    (Trouble::ClaimCallsItselfDoctrine, |ward| {
        let live = settle(ward);
        let file = ward.read(&live);
        ward.disk.write_raw(&live, file.replacen("\n---\n", "\nDoctrine: absolute\n---\n", 1).as_bytes());
        live
    }),
    (Trouble::ClaimForgotten, |ward| {
        let before = ward.read(ward.live());
        let request =
            ForgetRequest { label: "Retry policy".into(), tier: None, confirmation: Confirmation::Given };
        ward.memory.forget(&caller(MAKER, CHERRY), &request).unwrap();
        ward.put("retry-policy.light.md", before.as_bytes())
    }),
    (Trouble::StoreUnreadable, |ward| {
        let moved = ward.folder.join("elsewhere");
        ward.disk.rename(&ward.claims(), &moved).unwrap();
        ward.disk.make_link(&moved, ward.claims());
        ward.claims()
    }),
    (Trouble::ClaimUnreadable, |ward| ward.put("notes.light.md", b"no claim")),
    (Trouble::ClaimLink, |ward| {
        ward.disk.make_link("/etc/passwd", ward.claims().join("away.light.md"));
        ward.claims().join("away.light.md")
    }),
    (Trouble::ClaimFolder, |ward| {
        ward.disk.make_dirs(ward.claims().join("odd.light.md"));
        ward.claims().join("odd.light.md")
    }),
    (Trouble::ClaimMisnamed, |ward| ward.put("mine.light.md", file("Cache keys", 5, "one").as_bytes())),
    (Trouble::LabelTwice, |ward| {
        let bytes = ward.read(ward.live());
        ward.put("zz.light.md", bytes.as_bytes())
    }),
    (Trouble::MergeUndecided, |ward| {
        let (ours, theirs) = (file("Cache", 1, "one"), file("Cache", 2, "two"));
        let both = brainstem_claims::undecided_file::join(&[ours.as_bytes(), theirs.as_bytes()]);
        ward.put("cache.light.md", &both)
    }),
    (Trouble::ClaimSecret, |ward| {
        let text = format!("the key is AKIA{}", "Z7QK3M5N2P4R6T8W");
        ward.put("leaky.light.md", file("Leaky", 1, &text).as_bytes())
    }),
    (Trouble::StoreUnwritable, |ward| {
        let facts = PathFacts { writable: Some(false), mode: Some(0o555), ..PathFacts::default() };
        ward.disk.set_facts(ward.claims().join(".locks"), facts);
        ward.claims().join(".locks")
    }),
    (Trouble::ClaimsGone, |ward| {
        ward.disk.rename(&ward.claims(), &ward.folder.join("agent-memory.aside")).unwrap();
        ward.folder.clone()
    }),
    (Trouble::ClaimsGone, |ward| {
        // Its history is there, and nothing says that it was taken back.
        ward.disk.unlink(&ward.live()).unwrap();
        ward.claims()
    }),
    (Trouble::HistoryGone, |ward| {
        let history = ward.claims().join(".history");
        ward.disk.rename(&history, &history.with_file_name("aside")).unwrap();
        history
    }),
    (Trouble::VersionUnreadable, |ward| ward.put(".history/retry-policy.7.light.md", b"torn")),
    (Trouble::VersionNewer, |ward| {
        let later = START + 1_000_000;
        ward.clock.advance(2_000_000);
        let text = file("Retry policy", later, "five times").replace("authored", "outdated");
        ward.put(&format!(".history/retry-policy.{later}.light.md"), text.as_bytes())
    }),
    (Trouble::ChangeInterrupted, |ward| {
        let bytes = ward.read(ward.live());
        ward.put(&format!(".history/retry-policy.{}.retracted.light.md", START + 5), bytes.as_bytes())
    }),
];

//! A version is what it says, under each name that its claim had: what is done under one name holds under the others, and
//! never for another version of the same birth.

use crate::whose_history::{Kept, World};
use crate::world::{CHERRY, HOME, MAKER, Short as _, caller, claim, files_below};
use brainstem_base::Timestamp;
use brainstem_base::disk::Disk as _;
use brainstem_claims::Claim;
use brainstem_memory::{
    BatchLine, Caller, EjectRequest, ForgetRequest, InitRequest, LearnRequest, Outcome,
    RetractRequest, Row, Shown, Tier,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FOLDER: &str = "/src/cherry/.brainstem";

fn maker() -> Caller {
    caller(MAKER, CHERRY)
}

fn live(slug: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("agent-memory/{slug}.light.md"))
}

impl World {
    fn shown_of(&self, label: &str) -> Option<Shown> {
        self.memory.look_at(&maker(), label, Tier::Project).ok()
    }

    fn row_of(&self, label: &str) -> Row {
        self.shown_of(label).unwrap().claim.unwrap()
    }

    fn init_again(&self) {
        self.memory.init(&maker(), &InitRequest::default()).unwrap();
    }

    fn forget_all(&self, label: &str) -> brainstem_memory::Forgotten {
        let request = ForgetRequest { label: label.into(), tier: None, confirm: true };
        self.memory.forget(&maker(), &request).unwrap()
    }

    fn take_back(&self, label: &str) {
        let request = RetractRequest { label: label.into(), reason: "it is wrong".into(), tier: None };
        self.memory.retract(&maker(), &request).unwrap();
    }

    /// What git has.
    fn committed(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files_below(&self.disk, FOLDER)
    }

    /// What a reset to a commit does: its files are there, and no others.
    fn check_out(&self, commit: &BTreeMap<PathBuf, Vec<u8>>) {
        self.committed().into_keys().for_each(|path| self.disk.unlink(&path).unwrap());
        commit.iter().for_each(|(path, bytes)| self.disk.write_raw(path, bytes));
        self.clock.advance(1_000);
    }
}

/// A home with two versions of `mine`. A committer copied the file under another label, with other words, and took mine away;
/// a line of the log says that this was a renaming.
fn stolen() -> World {
    let world = World::new(Kept::InTheRepository);
    world.tell("mine", "first words");
    world.tell("mine", "second words");
    let learn = LearnRequest { label: "mine".into(), verdict: "correct".into(), note: None, tier: None };
    world.memory.learn(&caller("codex:other", CHERRY), &learn).unwrap();
    let file = world.disk.read(&live("mine"), 1 << 20).unwrap();
    let born = Claim::parse(&file).unwrap().created.unwrap().ms();
    let spam = String::from_utf8(file).unwrap().replace("mine", "stolen").replace("second words", "spam");
    world.disk.write_raw(live("stolen"), spam.as_bytes());
    world.disk.unlink(&live("mine")).unwrap();
    let data = format!(r#"{{"from":"mine","to":"stolen","to_slug":"stolen","created":{born}}}"#);
    world.pull("human:boss", "rename", &format!("mine@{born}"), &data);
    world.clock.advance(7_200_000);
    world
}

#[test] // spec: MEM-2, MEM-10a, MEM-48
fn what_is_done_to_a_committers_copy_is_not_done_to_the_version_of_the_same_birth() {
    for verb in ["forget", "retract"] {
        let world = stolen();
        match verb {
            "forget" => drop(world.forget_all("stolen")),
            _ => world.take_back("stolen"),
        }
        let shown = world.shown_of("mine").unwrap_or_else(|| panic!("{verb} took the version away"));
        assert_eq!(shown.history[0].text, "second words", "{verb}");
        assert!(shown.history[0].missing, "{verb}");
        let listed = world.memory.all(&maker());
        assert!(listed.gaps.iter().any(|gap| gap.name == "absent_here"), "{verb}: {:?}", listed.gaps);
        world.init_again();
        let row = world.row_of("mine");
        assert_eq!(row.text, "second words", "{verb}");
        assert!(!row.resurrected && row.retracted_for.is_none(), "{verb}");
        assert_eq!(
            world.shown_of("mine").unwrap().verdicts.len(),
            1,
            "{verb}: what was said of it is on record"
        );
    }
}

#[test] // spec: MEM-48
fn forget_deletes_the_version_under_the_home_that_was_born_before_another_claim_left_the_label() {
    let world = World::new(Kept::InTheRepository);
    world.tell("salary", "first pay");
    let commit = world.committed();
    world.rename("salary", "wages");
    world.check_out(&commit);
    world.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    let created = Some(Timestamp::from_ms(1_700_000_000_000));
    let line = BatchLine { request: claim("salary", "second pay"), agent: None, created };
    let done = world.memory.memorize_batch(&maker(), None, vec![Ok(line)], &|_| true).unwrap();
    assert!(matches!(done[0].outcome, Outcome::Superseded), "{done:?}");
    world.clock.advance(1_000);
    world.check_out(&commit);
    let shown = world.shown_of("salary").unwrap();
    assert_eq!(shown.history[0].text, "second pay");
    world.forget_all("salary");
    assert!(world.shown_of("salary").is_none());
    for top in [HOME, CHERRY] {
        for (path, bytes) in files_below(&world.disk, top) {
            assert!(!String::from_utf8_lossy(&bytes).contains("second pay"), "{}", path.display());
        }
    }
}

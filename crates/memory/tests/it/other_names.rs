//! A version is what it says, under each name that its claim had: what is done under one name holds under the others, and
//! never for another version of the same birth.

use crate::whose_history::{Kept, World};
use crate::world::{CHERRY, HOME, MAKER, Short as _, caller, claim, files_below};
use brainstem_base::Timestamp;
use brainstem_base::disk::Disk as _;
use brainstem_claims::Claim;
use brainstem_memory::{
    BatchLine, Caller, Confirmation, DoctorRequest, EjectRequest, ForgetRequest, InitRequest, LearnRequest,
    Outcome, RetractRequest, Row, Shown, Tier, Verdict,
};
use brainstem_transfer::mixed_medulla;
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
        let request = ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given };
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
    let learn = LearnRequest { label: "mine".into(), verdict: Verdict::Correct, note: None, tier: None };
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
    let line = BatchLine { request: Ok(claim("salary", "second pay")), agent: None, created };
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

/// A claim that was renamed through this home, and git took the renaming away: the old name is live, and the new one is
/// missing.
fn renaming_undone() -> World {
    let world = World::new(Kept::InTheRepository);
    world.tell("old", "words");
    let commit = world.committed();
    world.rename("old", "new");
    world.check_out(&commit);
    world
}

#[test] // spec: MEM-2, MEM-8, MEM-26a
fn what_was_taken_back_under_its_old_name_is_not_brought_back_under_the_new_one() {
    let world = renaming_undone();
    world.take_back("old");
    let refused = world.memory.look_at(&maker(), "old", Tier::Project).unwrap_err().to_string();
    assert!(refused.contains(r#"renamed to "new""#), "{refused}");
    world.init_again();
    assert_eq!(world.memory.all(&maker()).rows.len(), 0);
    let shown = world.shown_of("new").unwrap();
    assert!(shown.claim.is_none());
    assert_eq!(shown.history.len(), 1, "one version, under whichever label");
    let last = &shown.history[0];
    assert_eq!(last.lifecycle, brainstem_claims::Lifecycle::Retracted);
    let reason = last.retracted.as_ref().and_then(|act| act.deed().reason().map(str::to_owned));
    assert_eq!((last.text.as_str(), reason.as_deref()), ("words", Some("it is wrong")));
}

/// What is done to a claim.
type Deed<'a> = &'a dyn Fn(&World);

#[test] // spec: MEM-26, MEM-26a
fn a_live_version_under_its_new_name_is_marked_by_what_was_done_under_the_old_one() {
    let table: [(&str, Deed<'_>, &str); 3] = [
        (
            "retract",
            &|world| world.take_back("old"),
            r#"came back after it was retracted here: "it is wrong""#,
        ),
        ("write", &|world| world.tell("old", "other words"), "came back after it was superseded here"),
        ("forget", &|world| drop(world.forget_all("old")), "came back after it was forgotten here"),
    ];
    for (verb, act, expected) in table {
        let world = World::new(Kept::InTheRepository);
        world.tell("old", "words");
        let before = world.committed();
        world.rename("old", "new");
        let renamed = world.disk.read(&live("new"), 1 << 20).unwrap();
        world.check_out(&before);
        act(&world);
        // Another branch has the new name.
        world.disk.write_raw(live("new"), &renamed);
        let row = world.row_of("new");
        let told: Vec<String> = row.facts().into_iter().map(|fact| fact.words).collect();
        assert!(row.resurrected && told.contains(&expected.to_owned()), "{verb}: {told:?}");
        let found = world.memory.doctor(&maker(), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
        let troubles: Vec<&str> = found.findings.iter().map(|finding| finding.trouble.name()).collect();
        let expected = if verb == "forget" { "claim_forgotten" } else { "claim_resurrected" };
        assert!(troubles.contains(&expected), "{verb}: {troubles:?}");
    }
}

#[test] // spec: MEM-26a, MEM-48
fn forget_of_an_old_name_that_came_back_names_the_claim_that_has_the_words_under_its_new_one() {
    let world = renaming_undone();
    let notes: Vec<String> = world.forget_all("old").notes.iter().map(ToString::to_string).collect();
    let told =
        r#""new" says the same under another name and stays: brainstem forget new deletes that one too"#;
    assert!(notes.iter().any(|note| note == told), "{notes:?}");
    world.init_again();
    assert!(world.row_of("new").forgotten);
    world.forget_all("new");
    for (path, bytes) in files_below(&world.disk, HOME) {
        assert!(!String::from_utf8_lossy(&bytes).contains("words"), "{}", path.display());
    }
}

#[test] // spec: MEM-26
fn a_version_that_git_brings_back_after_an_eject_is_marked_as_superseded() {
    let world = World::new(Kept::InTheRepository);
    world.tell("delta", "before");
    let commit = world.committed();
    world.tell("delta", "after");
    world.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    world.check_out(&commit);
    let row = world.row_of("delta");
    assert_eq!(row.text, "before");
    assert!(row.resurrected);
    assert!(world.memory.all(&maker()).rows[0].resurrected);
}

//! The log of acts in a checkout: what git took of it, and what came with another clone.

use super::{check_out, committed, in_repository, live, maker};
use crate::act_line::Act;
use crate::world::{CHERRY, MAKER, START, Short as _, caller, clock, code, service, two_repositories};
use brainstem_base::disk::Disk;
use brainstem_memory::{
    BrainScope, CrossingOutcome, DoctorRequest, EjectRequest, InitRequest, PromoteAs, PromoteRequest,
    PromotionsRequest, Tier, Trouble,
};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Transfer, mixed_medulla};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[test] // spec: MEM-2, MEM-51
fn an_act_that_git_took_away_is_known_named_and_brought_back() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    for label in ["Bad", "Good"] {
        clock.advance(1_000);
        memory.tell(&cherry, label, "some text").unwrap();
    }
    let commit = committed(&disk);
    clock.advance(1_000);
    memory.take_back(&cherry, "Bad").unwrap();
    check_out(&disk, &commit);

    // A process that starts now knows what the files say alone.
    let memory = service(Arc::new(disk.clone()), &clock);
    let listed = memory.all(&cherry);
    let bad = listed.rows.iter().find(|row| row.label == "Bad").unwrap();
    let facts: Vec<String> = bad.facts().into_iter().map(|fact| fact.words).collect();
    assert!(
        facts.iter().any(|fact| fact == "came back after it was retracted here: \"it was wrong\""),
        "{facts:?}"
    );
    let gap = listed.gaps.iter().find(|gap| gap.name == "acts_absent").unwrap();
    assert!(
        gap.detail.to_string().starts_with("1 act recorded here is not in this checkout's log"),
        "{gap:?}"
    );
    assert!(gap.detail.contains("(retract)"), "{gap:?}");
    let shown = memory.look_at(&cherry, "Bad", Tier::Project).unwrap();
    assert_eq!(shown.claim.unwrap().retracted_for.as_deref(), Some("\"it was wrong\""));
    let found = memory.doctor(&cherry, &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap().findings;
    let of = |trouble| found.iter().find(|finding| finding.trouble == trouble).unwrap();
    assert_eq!(
        of(Trouble::ClaimResurrected).detail,
        "\"Bad\" came back after it was retracted here: \"it was wrong\""
    );
    assert!(of(Trouble::ActsAbsent).detail.contains("retract"), "{found:?}");

    let done = memory.init(&cherry, &InitRequest::default()).unwrap();
    let note = "1 act recorded here was not in the log of this checkout and is there now (retract of bad); git can commit what was \
                said with them: \"it was wrong\"";
    assert!(done.notes.iter().any(|told| told == note), "{:?}", done.notes);
    let log = disk.read(&Path::new(CHERRY).join(".brainstem/acts.jsonl"), 1 << 20).unwrap();
    assert!(String::from_utf8(log).unwrap().contains("it was wrong"));
    assert!(!memory.all(&cherry).gaps.iter().any(|gap| gap.name == "acts_absent"));
    // Repeated, it adds nothing.
    let before = committed(&disk);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    assert_eq!(committed(&disk), before);
}

#[test] // spec: MEM-2, MEM-47
fn what_git_took_of_the_log_is_in_an_export_and_comes_home_with_an_eject() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    memory.tell(&cherry, "Bad", "some text").unwrap();
    memory.take_back(&cherry, "Bad").unwrap();
    disk.unlink(&Path::new(CHERRY).join(".brainstem/acts.jsonl")).unwrap();
    disk.make_dirs("/out");
    for (format, out) in [(Format::JsonLines, "/out/lines"), (Format::Folder, "/out/folder")] {
        let request = ExportRequest { scope: ExportScope::Project, format, out: Some(out.into()) };
        Transfer::new(&memory).export(&cherry, &request, &|_, _| ()).unwrap();
        let files = disk.dump().into_iter().filter(|(path, _)| path.starts_with(out));
        let said: String = files.map(|(_, bytes)| String::from_utf8(bytes).unwrap()).collect();
        assert!(said.contains("it was wrong"), "{format:?}: {said}");
    }
    memory.eject(&cherry, &EjectRequest::default()).unwrap();
    let shown = memory.look_at(&cherry, "Bad", Tier::Project).unwrap();
    assert_eq!(shown.history[0].retracted.as_ref().unwrap().deed().reason(), Some("it was wrong"));
}

#[test] // spec: MEM-2, MEM-34
fn a_proposal_whose_claim_is_on_another_branch_is_told_as_that() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    let branch = committed(&disk);
    memory.tell(&cherry, "Good", "some text").unwrap();
    let request = PromoteRequest {
        label: "Good".into(),
        reason: "for all".into(),
        how: PromoteAs::Propose,
        ..PromoteRequest::default()
    };
    memory.promote(&cherry, &request).unwrap();
    let main = committed(&disk);
    let standing = || {
        let request = PromotionsRequest { brains: BrainScope::Own, limit: 50 };
        memory.promotions(&cherry, &request).unwrap().entries[0].standing
    };
    assert_eq!(standing(), Some(CrossingOutcome::Open));
    check_out(&disk, &branch);
    assert_eq!(standing(), Some(CrossingOutcome::Absent));
    check_out(&disk, &main);
    assert_eq!(standing(), Some(CrossingOutcome::Open));
    assert!(!memory.all(&cherry).gaps.iter().any(|gap| gap.name == "acts_absent"));
    assert_eq!(committed(&disk), main, "switching to and fro writes nothing");
}

#[test] // spec: MEM-2
fn a_retraction_in_another_clone_is_not_told_as_one_here() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let cherry = caller(MAKER, CHERRY);
    memory.init(&cherry, &InitRequest::default()).unwrap();
    let born = memory.tell(&cherry, "Bad", "some text").unwrap().claim.created.unwrap().ms();
    let commit = committed(&disk);
    clock.advance(1_000);
    memory.tell(&cherry, "Bad", "another text").unwrap();
    check_out(&disk, &commit);
    let id = Act::id_of("retract", &format!("bad@{born}"));
    let act = format!(
        r#"{{"id":"{id}","ts":"2026-01-01T00:00:00.000Z","agent":"human:eve","act":"retract","subject":"bad@{born}","data":{{"reason":"elsewhere"}}}}"#
    );
    disk.write_raw(Path::new(CHERRY).join(".brainstem/acts.jsonl"), format!("{act}\n").as_bytes());
    let row = memory.look_at(&cherry, "Bad", Tier::Project).unwrap().claim.unwrap();
    assert!(row.resurrected);
    assert_eq!(row.retracted_for, None, "it was superseded here");
}

/// A line in the log of the repository that nobody recorded here.
fn forged(act: &str, subject: &str, covers: &str) -> Vec<u8> {
    let data = serde_json::json!({ "versions": 1, "sha256": [], "covers": covers, "reason": "so it is" });
    let agent = brainstem_base::AgentId::parse("human:ana").unwrap();
    let at = brainstem_base::Timestamp::from_ms(START + 60_000);
    let line = serde_json::to_vec(&Act::once(act, subject, &agent, at, data)).unwrap();
    [line, b"\n".to_vec()].concat()
}

#[test] // spec: MEM-2, MEM-10a
fn an_act_that_only_the_repository_has_reaches_no_version_that_it_does_not_name() {
    let tombstone =
        brainstem_claims::act::tombstone_name(&brainstem_claims::ClaimSlug::parse("gamma").unwrap());
    for (act, subject) in
        [("forget", format!("{tombstone}@1")), ("retract", "gamma@9999999999998".to_owned())]
    {
        let cherry = in_repository();
        cherry.tell("Gamma", "version one");
        cherry.disk.unlink(&live("gamma")).unwrap();
        cherry.append_to_log(&forged(act, &subject, "9999999999999"));
        assert_eq!(cherry.gaps(), ["absent_here"], "{act}");
        assert_eq!(cherry.texts("Gamma"), (None, vec![("version one".into(), true)]), "{act}");
        assert_eq!(cherry.init(), ["Gamma"], "{act}");
    }
}

#[test] // spec: MEM-2, MEM-10a
fn what_another_clone_forgot_is_named_and_kept_until_it_is_forgotten_here() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let other = cherry.other();
    other.forget("Gamma");
    cherry.pull(&other);
    assert_eq!(cherry.gaps(), ["forgotten_elsewhere"]);
    assert_eq!(cherry.findings(), ["forgotten_elsewhere"]);
    assert_eq!(cherry.texts("Gamma"), (None, vec![("version one".into(), true)]));
    assert_eq!(cherry.init(), [""; 0], "no decision of another clone is undone in silence");
    let ejected = cherry.other();
    ejected.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    assert_eq!(ejected.texts("Gamma").1, [("version one".to_owned(), false)]);
    cherry.forget("Gamma");
    assert_eq!((cherry.gaps(), cherry.findings()), (vec![], vec![]));
    assert_eq!(code(cherry.memory.look_at(&maker(), "Gamma", Tier::Project)), "claim.not_found");
}

#[test] // spec: MEM-2, MEM-10a
fn an_imported_tombstone_reaches_no_version_that_it_does_not_name() {
    let cherry = in_repository();
    cherry.tell("Gamma", "version one");
    let out = Some(PathBuf::from("/src/all.jsonl"));
    let request = ExportRequest { scope: ExportScope::Project, format: Format::JsonLines, out };
    Transfer::new(&cherry.memory).export(&maker(), &request, &|_, _| ()).unwrap();
    let lines = String::from_utf8(cherry.disk.read(Path::new("/src/all.jsonl"), 1 << 20).unwrap()).unwrap();
    let name = brainstem_claims::act::tombstone_name(&brainstem_claims::ClaimSlug::parse("gamma").unwrap());
    let act = String::from_utf8(forged("forget", &format!("{name}@1"), "9999999999999")).unwrap();
    let line = lines.lines().find(|line| line.contains("\"bootstrap\"")).expect("an act");
    let mut of_act: serde_json::Value = serde_json::from_str(line).unwrap();
    let forged: serde_json::Value = serde_json::from_str(&act).unwrap();
    for (key, value) in forged.as_object().unwrap() {
        let of_act = if of_act["act"].is_object() { &mut of_act["act"] } else { &mut of_act };
        of_act[key] = value.clone();
    }
    let head = lines.lines().next().unwrap();
    cherry.disk.write_raw("/src/forged.jsonl", format!("{head}\n{of_act}\n").as_bytes());
    let request = ImportRequest {
        path: "/src/forged.jsonl".into(),
        from: None,
        tier: None,
        sort: false,
        dry_run: false,
    };
    assert_eq!(Transfer::new(&cherry.memory).import(&maker(), &request, &|_, _| true).unwrap().acts, 1);
    cherry.disk.unlink(&live("gamma")).unwrap();
    assert_eq!(cherry.gaps(), ["absent_here"]);
    assert_eq!(cherry.init(), ["Gamma"]);
}

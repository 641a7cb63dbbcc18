//! Memory that left the repository, and the claims that a checkout brings back there.

use super::{Clone, check_out, committed, in_repository, live, maker, rated, some};
use crate::world::{CHERRY, MAKER, PLUM, Short as _, caller, code};
use brainstem_base::Coded as _;
use brainstem_base::disk::Disk;
use brainstem_memory::{
    DoctorRequest, EjectRequest, InitRequest, LearnRequest, Moving, PromoteAs, PromoteRequest, RenameRequest,
    RetractRequest, Tier, Trouble, Verdict, VerifyRequest,
};
use brainstem_transfer::{ExportRequest, ExportScope, Format, ImportRequest, Transfer, mixed_medulla};
use std::path::{Path, PathBuf};

#[test] // spec: MEM-2
fn an_eject_from_a_checkout_without_the_claims_brings_them_home() {
    let cherry = in_repository();
    cherry.tell("Alpha", "first");
    cherry.tell("Gamma", "version one");
    let one = cherry.read("gamma");
    cherry.tell("Gamma", "version two");
    cherry.disk.unlink(&live("alpha")).unwrap();
    cherry.put("gamma", &one.replace(MAKER, "human:ben"));
    let done = cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    assert_eq!(done.restored, ["Alpha"]);
    assert!(done.notes.iter().any(|note| note.contains("\"Gamma\"")), "{:?}", done.notes);
    assert_eq!(cherry.texts("Alpha").0, some("first"));
    let (now, past) = cherry.texts("Gamma");
    assert_eq!(now, some("version one"));
    assert!(past.iter().any(|(text, _)| text == "version two"), "{past:?}");
    assert_eq!(cherry.memory.all(&maker()).rows.len(), 2);
    assert_eq!(cherry.findings(), ["version_newer"], "what lies there is older than what was written here");
}

#[test] // spec: MEM-2
fn what_an_older_program_left_behind_an_eject_is_found_and_comes_back() {
    let cherry = in_repository();
    cherry.tell("Alpha", "first");
    let alpha = cherry.read("alpha");
    let before = cherry.disk.dump();
    let kept = before.keys().find(|path| path.to_string_lossy().contains("/.kept/_")).unwrap().clone();
    cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    // As it was: nothing live, and a copy in the folder of its slug.
    let claims = kept.ancestors().nth(3).unwrap();
    cherry.disk.unlink(&claims.join("alpha.light.md")).unwrap();
    let stamp = kept.file_name().unwrap().to_str().unwrap().strip_prefix("alpha.").unwrap();
    cherry.disk.write_raw(claims.join(".kept/alpha").join(stamp), alpha.as_bytes());
    assert_eq!(cherry.findings(), ["claim_absent"]);
    assert_eq!(cherry.init(), ["Alpha"]);
    assert_eq!(cherry.texts("Alpha").0, some("first"));
}

#[test] // spec: MEM-2, MEM-43
fn claims_in_a_repository_without_a_manifest_are_named_where_they_are_shown_and_where_they_are_not() {
    let ana = in_repository();
    ana.tell("Two", "said by Ana");
    let troubles = |root: &str| -> Vec<(Trouble, String)> {
        let found =
            ana.memory.doctor(&caller(MAKER, root), &DoctorRequest::new(mixed_medulla), &|_, _| ()).unwrap();
        found.findings.into_iter().map(|finding| (finding.trouble, finding.fix.to_string())).collect()
    };
    let is_named = |root: &str| {
        let is_it = |(trouble, fix): &(Trouble, String)| {
            *trouble == Trouble::ManifestMissing && fix.contains(&format!("brainstem init {root} "))
        };
        troubles(root).iter().any(is_it)
    };
    assert!(!is_named(CHERRY));
    ana.disk.unlink(&Path::new(CHERRY).join(".brainstem/brain.json")).unwrap();
    assert_eq!(ana.gaps(), ["manifest_missing"]);
    assert!(is_named(CHERRY));
    ana.memory.init(&maker(), &InitRequest::default()).unwrap();
    assert_eq!((ana.gaps(), is_named(CHERRY)), (vec![], false));

    // Another clone has the claims and no record of a brain.
    ana.disk.write_raw(format!("{PLUM}/.brainstem/agent-memory/two.light.md"), ana.read("two").as_bytes());
    let plum = caller(MAKER, PLUM);
    let gaps = || ana.memory.all(&plum).gaps.into_iter().map(|gap| gap.name).collect::<Vec<_>>();
    assert_eq!(gaps(), ["repository_claims", "unbound"]);
    for has_brain in [false, true] {
        if has_brain {
            let made = ana.memory.begin(&plum).unwrap();
            assert!(made.notes.iter().any(|note| note.contains("brainstem init")), "{:?}", made.notes);
            assert_eq!(gaps(), ["repository_claims"]);
        }
        let beat = ana.memory.beat(&plum, "two");
        assert!(beat.gaps.iter().any(|gap| gap.name == "repository_claims"), "{:?}", beat.gaps);
        assert!(!format!("{beat:?}").contains("No durable memory yet"));
        assert!(
            beat.next_moves.iter().any(|call| call.to_string().starts_with("brainstem init")),
            "{:?}",
            beat.next_moves
        );
        let status = ana.memory.status(&plum).unwrap();
        assert!(status.project_gaps.iter().any(|gap| gap.name == "repository_claims"));
        assert!(is_named(PLUM));
    }
    ana.memory.init(&plum, &InitRequest::default()).unwrap();
    assert_eq!(ana.memory.all(&plum).rows.len(), 1);
    assert_eq!((gaps(), is_named(PLUM)), (vec![], false));
}

#[test] // spec: MEM-13a, MEM-2
fn a_refused_write_brings_no_claim_of_another_branch_into_the_checkout() {
    let cherry = in_repository();
    cherry.tell("Good", "holds");
    let main = committed(&cherry.disk);
    cherry.memory.memorize(&maker(), &rated("we sell to them", "high")).unwrap();
    check_out(&cherry.disk, &main);
    let refused = cherry.memory.memorize(&maker(), &rated("a guess", "low")).unwrap_err();
    assert_eq!(refused.code().name(), "claim.would_downgrade");
    assert!(refused.to_string().ends_with("(that claim is not in this checkout)"), "{refused}");
    assert!(refused.fix().unwrap().contains("brainstem init"), "{:?}", refused.fix());
    assert_eq!(committed(&cherry.disk), main);
    assert_eq!(cherry.texts("Bad"), (None, vec![("we sell to them".to_owned(), true)]));
}

/// A project that was ejected; one claim was written under the home since, and git has brought the repository's store back.
fn ejected_and_back() -> (Clone, Vec<(PathBuf, Vec<u8>)>) {
    let cherry = in_repository();
    cherry.memory.memorize(&maker(), &rated("a customer", "high")).unwrap();
    let shared = committed(&cherry.disk);
    cherry.clock.advance(1_000);
    cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    cherry.memory.memorize(&maker(), &rated("it is Initech", "high")).unwrap();
    cherry.clock.advance(1_000);
    check_out(&cherry.disk, &shared);
    (cherry, shared)
}

#[test] // spec: MEM-2, MEM-13a
fn a_write_into_a_store_that_git_brought_back_says_where_it_went() {
    let (cherry, _) = ejected_and_back();
    let done = cherry.memory.tell(&maker(), "New", "for the house").unwrap();
    assert!(done.path.starts_with(CHERRY), "{done:?}");
    let told = done.notes.iter().find(|note| note.to_string().starts_with("it lies in the repository"));
    let told = told.unwrap_or_else(|| panic!("{:?}", done.notes));
    assert!(told.contains("1 claim of this project still under the home"), "{told}");
    assert!(told.contains("brainstem init") && told.contains("brainstem eject"), "{told}");
    // Said of what was written, and not where all memory is in one place.
    assert_eq!(cherry.memory.tell(&maker(), "New", "for the house").unwrap().notes, [""; 0]);
    cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    assert_eq!(cherry.memory.tell(&maker(), "Newer", "for the house").unwrap().notes, [""; 0]);
    cherry.init();
    assert_eq!(cherry.memory.tell(&maker(), "Newest", "for all").unwrap().notes, [""; 0]);
}

#[test] // spec: MEM-2
fn an_eject_names_what_it_leaves_in_the_repository() {
    let cherry = in_repository();
    cherry.memory.tell(&maker(), "One", "claim").unwrap();
    let folder = Path::new(CHERRY).join(".brainstem");
    cherry.disk.write_raw(folder.join("inbox.jsonl"), b"{}\n");
    let eject = |dry_run| {
        let request = EjectRequest { moving: Moving::of_flag(dry_run), ..EjectRequest::default() };
        cherry.memory.eject(&maker(), &request).unwrap().notes
    };
    let told = |notes: Vec<brainstem_base::Advice>| {
        notes.into_iter().map(|note| note.to_string()).find(|note| note.starts_with("left in `.brainstem`"))
    };
    let dry = told(eject(true));
    let note = told(eject(false)).expect("letters stay");
    assert_eq!(dry.as_deref(), Some(note.as_str()));
    for name in ["`inbox.jsonl`", "`.gitignore`", "`.gitattributes`", "as long as the rest does"] {
        assert!(note.contains(name), "{name}: {note}");
    }
    for entry in cherry.disk.list(&folder).unwrap() {
        assert!(note.contains(&format!("`{}`", entry.name.to_string_lossy())), "{entry:?}: {note}");
    }
    // Without letters the next one removes the rest.
    cherry.disk.unlink(&folder.join("inbox.jsonl")).unwrap();
    assert_eq!(told(eject(false)), None);
    assert!(cherry.disk.stat(&folder).is_err());
}

#[test] // spec: MEM-2, MEM-13a
fn what_was_written_after_an_eject_comes_into_the_checkout_with_an_init_alone() {
    let is_shared = |cherry: &Clone| {
        committed(&cherry.disk).iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("Initech"))
    };
    // Refused: nothing changes.
    let (cherry, shared) = ejected_and_back();
    assert_eq!(code(cherry.memory.memorize(&maker(), &rated("a guess", "low"))), "claim.would_downgrade");
    assert_eq!(committed(&cherry.disk), shared);
    assert!(cherry.gaps().contains(&"owner_side_claims"));

    // Written over: what lay under the home goes into history there, and is named.
    let done = cherry.memory.memorize(&maker(), &rated("a client", "high")).unwrap();
    let note = "1 version of it that this checkout did not have went into its history, under the home";
    assert!(done.notes.iter().any(|told| told == note), "{:?}", done.notes);
    assert!(!is_shared(&cherry));
    let (now, mut past) = cherry.texts("Bad");
    past.sort();
    let past: Vec<&str> = past.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!((now, past), (some("a client"), vec!["a customer", "it is Initech"]));
    assert!(!cherry.gaps().contains(&"owner_side_claims"));

    // Where the checkout has no such claim, it is weighed against what lies under the home.
    let (cherry, _) = ejected_and_back();
    cherry.disk.unlink(&live("bad")).unwrap();
    let before = committed(&cherry.disk);
    assert_eq!(code(cherry.memory.memorize(&maker(), &rated("a guess", "low"))), "claim.would_downgrade");
    assert_eq!(committed(&cherry.disk), before);
    cherry.memory.memorize(&maker(), &rated("a client", "high")).unwrap();
    assert!(!is_shared(&cherry));
    assert!(cherry.texts("Bad").1.iter().any(|(text, _)| text == "it is Initech"));

    // `init` is the word that shares it.
    let (cherry, _) = ejected_and_back();
    cherry.init();
    assert!(is_shared(&cherry));
}

#[test] // spec: MEM-47
fn an_import_of_a_fresh_export_changes_nothing_where_a_claim_was_edited_by_hand_or_is_on_another_branch() {
    let cherry = in_repository();
    cherry.tell("Ports", "The port is 80.");
    cherry.put("ports", &cherry.read("ports").replace("is 80", "is 8080"));
    let main = committed(&cherry.disk);
    cherry.tell("Buyer", "only on a branch");
    check_out(&cherry.disk, &main);
    cherry.disk.make_dirs("/out");
    for (format, out) in [(Format::JsonLines, "/out/lines"), (Format::Folder, "/out/folder")] {
        let request = ExportRequest { scope: ExportScope::Project, format, out: Some(out.into()) };
        Transfer::new(&cherry.memory).export(&maker(), &request, &|_, _| ()).unwrap();
        let before = cherry.disk.dump();
        let request = ImportRequest { path: out.into(), from: None, tier: None, sort: false, dry_run: false };
        let other = caller("codex:other", CHERRY);
        let done = Transfer::new(&cherry.memory).import(&other, &request, &|_, _| true).unwrap();
        assert_eq!((done.born, done.superseded, done.versions, done.acts), (0, 0, 0, 0), "{done:?}");
        // A copy that is kept of what lies in the checkout says nothing new.
        let is_ground =
            |path: &&PathBuf| !["/local/", "/.kept/"].iter().any(|dir| path.to_string_lossy().contains(dir));
        let after = cherry.disk.dump();
        let changed: Vec<_> =
            after.keys().filter(is_ground).filter(|path| before.get(*path) != after.get(*path)).collect();
        assert_eq!(changed, Vec::<&PathBuf>::new(), "{out}");
        assert_eq!(cherry.show("Ports").claim.unwrap().brought, None, "{out}");
    }
}

#[test] // spec: MEM-23, MEM-2
fn a_claim_that_was_written_after_an_eject_is_said_to_be_under_the_home_by_every_verb() {
    let cherry = in_repository();
    cherry.tell("Deploy", "x");
    let shared = committed(&cherry.disk);
    cherry.memory.eject(&maker(), &EjectRequest::default()).unwrap();
    cherry.tell("HomeOnly", "written after the eject");
    check_out(&cherry.disk, &shared);
    assert_eq!(cherry.texts("HomeOnly").1, [("written after the eject".to_owned(), true)]);
    let label = || "HomeOnly".to_owned();
    let learning = LearnRequest { label: label(), verdict: Verdict::Wrong, note: None, tier: None };
    let retraction = RetractRequest { label: label(), reason: "it was wrong".into(), tier: None };
    let renaming = RenameRequest { label: label(), to: "Other".into(), tier: None };
    let promotion = PromoteRequest { label: label(), reason: "it holds".into(), ..PromoteRequest::default() };
    let proposal = PromoteRequest { how: PromoteAs::Propose, ..promotion.clone() };
    let verifying = VerifyRequest { label: Some(label()), tier: Tier::Project, limit: 5 };
    let refusals = [
        cherry.memory.learn(&maker(), &learning).map(drop),
        cherry.memory.retract(&maker(), &retraction).map(drop),
        cherry.memory.rename(&maker(), &renaming).map(drop),
        cherry.memory.promote(&maker(), &promotion).map(drop),
        cherry.memory.promote(&maker(), &proposal).map(drop),
        cherry.memory.begin_edit(&maker(), "HomeOnly", None).map(drop),
        cherry.memory.verify(&maker(), &verifying).map(drop),
    ];
    for refused in refusals {
        let refused = refused.unwrap_err();
        assert_eq!(refused.code().name(), "claim.not_found");
        let told = refused.to_string();
        assert!(
            told.starts_with("\"HomeOnly\" was written in ") && told.ends_with("is not in this checkout"),
            "{told}"
        );
        assert!(refused.fix().unwrap().contains("brainstem init"), "{:?}", refused.fix());
    }
    let unknown = RetractRequest { label: "HomeOnlyy".into(), reason: "x".into(), tier: None };
    let told = cherry.memory.retract(&maker(), &unknown).unwrap_err().to_string();
    assert!(told.starts_with("no claim is called"), "{told}");
    let gaps = cherry.memory.all(&maker()).gaps;
    let gap = gaps.iter().find(|gap| gap.name == "owner_side_claims").expect("a gap");
    assert!(gap.detail.contains("\"HomeOnly\""), "{gap:?}");
    // The labels that are named are bounded.
    for n in 0..9 {
        cherry.disk.write_raw(
            format!("{}/n{n}.light.md", owner_claims(&cherry).display()),
            cherry.read("deploy").replace("Deploy", &format!("N{n}")).as_bytes(),
        );
    }
    let gaps = cherry.memory.all(&maker()).gaps;
    let gap = gaps.iter().find(|gap| gap.name == "owner_side_claims").expect("a gap");
    assert!(gap.detail.contains(", …") && gap.detail.to_string().matches('"').count() <= 12, "{gap:?}");
}

/// The folder under the home in which the claims lay before they went into the repository.
fn owner_claims(cherry: &Clone) -> PathBuf {
    let brains = cherry.memory.route(&maker()).brain().unwrap().folder.clone();
    brains.join("agent-memory")
}

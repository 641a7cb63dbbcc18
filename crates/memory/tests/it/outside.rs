//! Evidence outside a project: where memory is committed, no path of this machine gets into it.

use crate::place::Place;
use crate::world::{MAKER, Short as _, caller, claim};
use brainstem_base::Coded as _;
use brainstem_claims::undecided_file::join;
use brainstem_memory::{
    DebriefRequest, DelegateRequest, Freshness, GitWish, InitRequest, LearnRequest, MemorizeRequest, Memory,
    PromoteAs, PromoteRequest, RenameRequest, ResolveRequest, RetractRequest, Tier, Verdict, VerifyRequest,
};
use brainstem_transfer::{
    ExportRequest, ExportScope, Format, ImportRequest, Imported, MigrateRequest, Transfer,
};
use std::path::Path;

/// Every file below `.brainstem` of the project, with its text.
fn committed(place: &Place) -> String {
    fn read(dir: &Path, text: &mut String) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => read(&path, text),
                false => text.push_str(&std::fs::read_to_string(path).unwrap()),
            }
        }
    }
    let mut text = String::new();
    read(&place.at("src/cherry/.brainstem"), &mut text);
    text
}

fn with_evidence(place: &Place, label: &str) -> MemorizeRequest {
    let outside = place.at("elsewhere/out.txt").display().to_string();
    let gone = place.at("src/cherry/src/gone.rs").display().to_string();
    let evidence = vec![outside, "../plum/plan.md#L3".into(), gone, "lib/readme".into()];
    MemorizeRequest { evidence, ..claim(label, "three times") }
}

fn world() -> Place {
    let place = Place::new();
    place.repository("src/cherry");
    place.write("elsewhere/out.txt", "out");
    place.write("src/plum/plan.md", "a\nb\nc\n");
    place.begin("src/cherry");
    place
}

fn assert_no_paths(place: &Place) {
    let text = committed(place);
    let machine = place.at("").display().to_string();
    assert!(!text.contains(machine.trim_end_matches('/')) && !text.contains("plum"), "{text}");
    for evidence in
        ["outside://out.txt", "outside://plan.md#L3", "evidence: src/gone.rs", "evidence: lib/readme"]
    {
        assert!(text.contains(evidence), "{evidence} in {text}");
    }
}

#[test] // spec: MEM-2, MEM-32
fn evidence_outside_a_project_whose_memory_is_committed_keeps_its_name_alone() {
    let place = world();
    place.init("src/cherry");
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let told = memory.memorize(&cherry, &with_evidence(&place, "Retry")).unwrap();
    assert_eq!(told.notes.iter().filter(|note| note.contains("outside://")).count(), 2, "{:?}", told.notes);
    assert!(!told.notes.iter().any(|note| note.contains("kept as given")), "{:?}", told.notes);
    assert_no_paths(&place);
    assert!(memory.memorize(&cherry, &with_evidence(&place, "Retry")).unwrap().unchanged, "twice is once");
    let request = VerifyRequest { label: Some("Retry".into()), tier: Tier::Project, limit: 10 };
    let rows = memory.verify(&cherry, &request).unwrap().rows;
    let found: Vec<Freshness> = rows[0].evidence.iter().map(|(_, found)| *found).collect();
    assert_eq!(
        found,
        [Freshness::Unverifiable, Freshness::Unverifiable, Freshness::Missing, Freshness::Fresh],
        "an address is nothing that is missing"
    );
}

#[test] // spec: MEM-2
fn claims_that_move_into_the_repository_leave_the_paths_of_this_machine_behind() {
    let place = world();
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let told = memory.memorize(&cherry, &with_evidence(&place, "Retry")).unwrap();
    let outside = place.at("elsewhere/out.txt").display().to_string();
    assert!(
        told.claim.evidence.iter().any(|one| one.path == outside),
        "under the home it is as it was given"
    );
    let done = memory.init(&cherry, &InitRequest::default()).unwrap();
    assert!(
        done.notes.iter().any(|note| note.contains("outside://") && note.contains("Retry")),
        "{:?}",
        done.notes
    );
    assert_no_paths(&place);
    let shown = place.memory().look_at(&cherry, "Retry", Tier::Project).unwrap();
    let live = shown.claim.unwrap();
    assert_eq!(
        (live.source_agent.as_deref(), live.resurrected, shown.history.len()),
        (Some(MAKER), false, 1)
    );
    let past = std::fs::read_to_string(&shown.history[0].path).unwrap();
    assert!(past.contains(&outside), "the version before is kept whole: {past}");
}

#[test] // spec: MEM-2
fn a_private_project_keeps_evidence_as_it_was_given_until_it_is_shared() {
    let place = world();
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    memory.init(&cherry, &InitRequest { git: GitWish::Private, ..InitRequest::default() }).unwrap();
    memory.memorize(&cherry, &with_evidence(&place, "Retry")).unwrap();
    assert!(committed(&place).contains(&place.at("elsewhere/out.txt").display().to_string()));
    memory.init(&cherry, &InitRequest { git: GitWish::Shared, ..InitRequest::default() }).unwrap();
    assert_no_paths(&place);
}

#[test] // spec: MEM-2, MEM-47
fn what_is_imported_into_a_committed_store_brings_no_path_of_another_machine() {
    let place = world();
    place.repository("src/other");
    place.begin("src/other");
    let (memory, cherry, other) =
        (place.memory(), place.in_("src/cherry"), caller(MAKER, place.at("src/other")));
    memory.memorize(&other, &with_evidence(&place, "Retry")).unwrap();
    let store = memory.route(&other).brain().unwrap().store_paths().claims;
    place.init("src/cherry");
    for round in 0..2 {
        let request =
            ImportRequest { path: store.clone(), from: None, tier: None, sort: false, dry_run: false };
        let done = Transfer::new(&memory).import(&cherry, &request, &|_, _| true).unwrap();
        assert_eq!((done.born, done.unchanged), if round == 0 { (1, 0) } else { (0, 1) }, "{done:?}");
    }
    assert_no_paths(&place);
}

#[test] // spec: MEM-2, MEM-32
fn a_path_of_this_machine_hides_in_no_part_of_evidence() {
    let place = world();
    place.init("src/cherry");
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let secret = place.at("elsewhere/secret").display().to_string();
    let evidence =
        vec![format!("lib/readme#{secret}"), format!("./{secret}"), format!("see {secret}, line 3")];
    let told = memory.memorize(&cherry, &MemorizeRequest { evidence, ..claim("Retry", "twice") }).unwrap();
    let kept: Vec<String> = told.claim.evidence.iter().map(|one| one.clone().bare().to_string()).collect();
    assert_eq!(kept, ["lib/readme#outside://secret", "outside://secret", "see outside://secret, line 3"]);
    assert_eq!(told.notes.iter().filter(|note| note.contains("outside://")).count(), 3, "{:?}", told.notes);
    assert!(!committed(&place).contains(&secret));
}

#[test] // spec: MEM-2
fn a_group_and_a_label_that_is_rested_on_are_no_paths() {
    let place = world();
    place.init("src/cherry");
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let path = place.at("elsewhere").display().to_string();
    let (group, depends_on) = (Some(path.clone()), vec!["Cache".into(), path.clone()]);
    for (field, request) in [
        ("group", MemorizeRequest { group, ..claim("Retry", "twice") }),
        ("depends_on", MemorizeRequest { depends_on, ..claim("Retry", "twice") }),
    ] {
        let refused = memory.memorize(&cherry, &request).unwrap_err();
        assert_eq!((refused.code().name(), refused.field().as_deref()), ("input.bad_value", Some(field)));
        assert!(refused.fix().is_some(), "{refused}");
    }
    assert!(!committed(&place).contains(&path));
    let route = vec!["/api/users".into()];
    memory.memorize(&cherry, &MemorizeRequest { depends_on: route, ..claim("Retry", "twice") }).unwrap();
}

#[test] // spec: MEM-2
fn a_group_that_is_a_path_stays_behind_when_claims_move_into_the_repository() {
    let place = world();
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let store = memory.route(&cherry).brain().unwrap().store_paths().claims;
    memory
        .memorize(&cherry, &MemorizeRequest { group: Some("GROUP".into()), ..claim("Retry", "twice") })
        .unwrap();
    let (file, path) = (store.join("retry.light.md"), place.at("elsewhere/x").display().to_string());
    let text = std::fs::read_to_string(&file).unwrap().replace("GROUP", &path);
    std::fs::write(&file, text).unwrap();
    place.init("src/cherry");
    let text = committed(&place);
    assert!(text.contains("Group: outside://x") && !text.contains(&path), "{text}");
}

#[test] // spec: MEM-2
fn prose_stays_as_it_was_written_and_a_note_names_the_paths_in_it() {
    let place = world();
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let secret = place.at("elsewhere/secret").display().to_string();
    let text = format!("the key lies in {secret}, see /api/users");
    let names = |notes: &[brainstem_base::Advice]| {
        notes.iter().filter(|note| note.contains(&format!("(`{secret}`)"))).count()
    };
    let told = memory.memorize(&cherry, &claim("Before", &text)).unwrap();
    assert_eq!(names(&told.notes), 0, "nothing of it is committed: {:?}", told.notes);
    place.init("src/cherry");
    let told = memory.memorize(&cherry, &claim("Retry", &text)).unwrap();
    assert_eq!((names(&told.notes), told.claim.text), (1, text), "{:?}", told.notes);
    let request = LearnRequest {
        label: "Retry".into(),
        verdict: Verdict::Partial,
        note: Some(format!("not in {secret}")),
        tier: None,
    };
    let told = memory.learn(&cherry, &request).unwrap();
    assert_eq!(names(&told.notes), 1, "{:?}", told.notes);
    let request = RetractRequest { label: "Retry".into(), reason: format!("{secret} is gone"), tier: None };
    let told = memory.retract(&cherry, &request).unwrap();
    assert_eq!(names(&told.notes), 1, "{:?}", told.notes);
}

#[test] // spec: MEM-41, MEM-2
fn the_paths_that_a_report_lists_are_recorded_from_the_root_or_counted() {
    let place = world();
    place.init("src/cherry");
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let request = DelegateRequest { task: "mend".into(), budget_tokens: 100, ..DelegateRequest::default() };
    let packet = memory.delegate(&cherry, &request, &|packet| packet).unwrap();
    let (secret, readme) = (place.at("elsewhere/secret"), place.at("src/cherry/lib/readme"));
    let (secret, readme) = (secret.display().to_string(), readme.display().to_string());
    let touched =
        format!("TOUCHED\n- {readme}\n- {secret}\n- new: {secret}.2\n- .//{secret}.3\n- src/x.rs\n");
    let report = format!(
        "[brainstem {}] success\nDEVIATIONS\n- none\nFINDINGS\n- The loop ends.\n\n{touched}",
        packet.id
    );
    let done = memory
        .debrief(&cherry, &DebriefRequest { report: Some(report), ..DebriefRequest::default() })
        .unwrap();
    assert_eq!(done.memorized.len(), 1, "a path is no finding: {:?}", done.memorized);
    assert!(
        done.notes.iter().any(|note| note.to_string().starts_with("3 paths lie outside")),
        "{:?}",
        done.notes
    );
    let text = committed(&place);
    assert!(text.contains(r#""touched_paths":["lib/readme","src/x.rs"]"#), "{text}");
    assert!(!text.contains("elsewhere"), "{text}");
}

fn proposal(because: &str, reason: &str) -> PromoteRequest {
    PromoteRequest {
        label: "Deploy".into(),
        reason: reason.into(),
        because: Some(because.into()),
        how: PromoteAs::Propose,
        ..PromoteRequest::default()
    }
}

/// The ground of the one proposal in the log of the repository.
fn ground_on_record(place: &Place) -> String {
    let log = std::fs::read_to_string(place.at("src/cherry/.brainstem/acts.jsonl")).unwrap();
    let line = log.lines().find(|line| line.contains("\"propose\"")).expect("a proposal");
    let act: serde_json::Value = serde_json::from_str(line).unwrap();
    act["data"]["ground"].as_str().expect("a ground").to_owned()
}

#[test] // spec: MEM-2, MEM-34
fn the_ground_of_a_proposal_names_no_folder_of_this_machine() {
    for when in ["after", "before", "private"] {
        let place = world();
        std::fs::create_dir_all(place.at("clients/secret")).unwrap();
        let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
        match when {
            "after" => place.init("src/cherry"),
            "private" => {
                let private = InitRequest { git: GitWish::Private, ..InitRequest::default() };
                memory.init(&cherry, &private).unwrap();
            }
            _ => {}
        }
        memory.tell(&cherry, "Deploy", "on Friday").unwrap();
        let request = proposal("observed-in:../../clients/secret", "it holds there");
        memory.promote(&cherry, &request).unwrap();
        match when {
            "before" => place.init("src/cherry"),
            "private" => {
                let shared = InitRequest { git: GitWish::Shared, ..InitRequest::default() };
                memory.init(&cherry, &shared).unwrap();
            }
            _ => {}
        }
        assert_eq!(ground_on_record(&place), "observed-in:outside://secret", "{when}");
        let text = committed(&place);
        assert!(!text.contains(&place.at("").display().to_string()), "{when}: {text}");
        // The same proposal again is the one that waits.
        let again = place.memory().promote(&cherry, &request).unwrap();
        assert!(again.unchanged && !again.notes.iter().any(|note| note.contains("withdraw")), "{again:?}");
    }
}

#[test] // spec: MEM-2
fn the_reasons_of_proposals_and_of_what_settles_them_are_prose() {
    let place = world();
    place.init("src/cherry");
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    memory.tell(&cherry, "Deploy", "on Friday").unwrap();
    let secret = place.at("elsewhere/secret").display().to_string();
    let names = |notes: &[brainstem_base::Advice]| {
        notes.iter().filter(|note| note.contains(&format!("`{secret}`"))).count()
    };
    let told = memory.promote(&cherry, &proposal("doctrine", &format!("see {secret}"))).unwrap();
    assert_eq!(names(&told.notes), 1, "{:?}", told.notes);
    let withdrawal = PromoteRequest {
        label: "Deploy".into(),
        reason: format!("not as {secret}"),
        how: PromoteAs::Withdraw,
        ..PromoteRequest::default()
    };
    let told = memory.promote(&cherry, &withdrawal).unwrap();
    assert_eq!(names(&told.notes), 1, "{:?}", told.notes);
}

/// A claim of another tool that names a folder of its machine wherever it can.
fn of_another_tool(secret: &str) -> String {
    format!(
        "---\nProtocol: L1GHT/1.0\nNode: Imported\nState: authored\nCreated: 1783209431408\nSource-Agent: codex:maker\n\
         Origin-Brain: {secret}\nTags: x, {secret}\nGroup: {secret}\nPromotion-Ground: observed-in:{secret}\nCwd: {secret}\n---\n\n\
         # Imported\n\nwords\n\n[⍂ entity: Imported]\n[𝔻 ambiguity: {secret}]\n[𝔻 evidence: {secret}/x.c]\n[⟁ depends_on: {secret}]\n"
    )
}

fn import(memory: &Memory, place: &Place) -> Imported {
    let request =
        ImportRequest { path: place.at("imp"), from: None, tier: None, sort: false, dry_run: false };
    Transfer::new(memory).import(&place.in_("src/cherry"), &request, &|_, _| true).unwrap()
}

#[test] // spec: MEM-2, MEM-42
fn no_line_of_a_foreign_claim_brings_a_path_into_the_repository() {
    for (secret, when) in [
        ("/home/ana/secret", "into the repository"),
        ("/home/ana/secret", "under the home, then init"),
        ("C:\\Users\\ana\\secret", "into the repository"),
    ] {
        let place = world();
        place.write("imp/imported.light.md", &of_another_tool(secret));
        let memory = place.memory();
        if when == "into the repository" {
            place.init("src/cherry");
        }
        let told = import(&memory, &place);
        match when {
            "into the repository" => {
                let named = told.gaps.iter().any(|gap| gap.detail.contains("\"Imported\""));
                assert!(named && told.gaps[0].detail.contains("outside://"), "{:?}", told.gaps);
            }
            _ => place.init("src/cherry"),
        }
        let text = committed(&place);
        assert!(!text.contains("ana") && text.contains("Origin-Brain: outside://secret"), "{when}: {text}");
        assert!(text.contains("Tags: x, outside://secret"), "{when}: {text}");
        assert!(text.contains("[⟁ depends_on: outside://secret]"), "{when}: {text}");
        assert!(text.contains("[⍂ entity: Imported]"), "{when}: {text}");
        let again = import(&place.memory(), &place);
        assert_eq!((again.born, again.superseded), (0, 0), "{when}: {again:?}");
    }
}

#[test] // spec: MEM-2, MEM-42
fn an_act_that_is_imported_brings_no_path_into_the_repository() {
    let place = world();
    place.repository("src/other");
    place.begin("src/other");
    std::fs::create_dir_all(place.at("clients/secret")).unwrap();
    let (memory, other) = (place.memory(), place.in_("src/other"));
    memory.tell(&other, "Deploy", "on Friday").unwrap();
    memory.promote(&other, &proposal("observed-in:../../clients/secret", "it holds there")).unwrap();
    let export = ExportRequest {
        scope: ExportScope::Project,
        format: Format::JsonLines,
        out: Some(place.at("other.jsonl")),
    };
    Transfer::new(&memory).export(&other, &export, &|_, _| ()).unwrap();
    // Another home, which does not know where that brain lies.
    place.delete("home/.brainstem");
    place.delete("src/other");
    place.begin("src/cherry");
    place.init("src/cherry");
    let request =
        ImportRequest { path: place.at("other.jsonl"), from: None, tier: None, sort: false, dry_run: false };
    let cherry = place.in_("src/cherry");
    let from = ImportRequest { from: Some("other".into()), ..request.clone() };
    let done = Transfer::new(&place.memory()).import(&cherry, &request, &|_, _| true);
    let done = done.or_else(|_| Transfer::new(&place.memory()).import(&cherry, &from, &|_, _| true)).unwrap();
    assert!(done.acts > 0, "{done:?}");
    assert_eq!(ground_on_record(&place), "observed-in:outside://secret");
}

#[test] // spec: MEM-2
fn a_tag_is_a_name_and_no_path() {
    let place = world();
    place.init("src/cherry");
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let path = place.at("elsewhere").display().to_string();
    let request = MemorizeRequest { tags: vec!["x".into(), path], ..claim("Retry", "twice") };
    let refused = memory.memorize(&cherry, &request).unwrap_err();
    assert_eq!((refused.code().name(), refused.field().as_deref()), ("input.bad_value", Some("tags")));
    let request = MemorizeRequest { tags: vec!["/api/users".into()], ..claim("Retry", "twice") };
    memory.memorize(&cherry, &request).unwrap();
}

#[test] // spec: MEM-2, MEM-48
fn a_label_that_is_a_path_is_named_by_rename_as_by_memorize() {
    let place = world();
    place.init("src/cherry");
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    memory.tell(&cherry, "Retry", "twice").unwrap();
    let secret = place.at("elsewhere/secret").display().to_string();
    let request = RenameRequest { label: "Retry".into(), to: secret.clone(), tier: None };
    let told = memory.rename(&cherry, &request).unwrap();
    assert!(told.notes.iter().any(|note| note.contains(&format!("`{secret}`"))), "{:?}", told.notes);
}

#[test] // spec: MEM-2
fn prose_that_moves_into_a_repository_is_named_by_what_brings_it() {
    let place = world();
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let secret = place.at("elsewhere/secret").display().to_string();
    memory.tell(&cherry, "Before", &format!("the key lies in {secret}")).unwrap();
    memory.tell(&cherry, "Plain", "nothing to see").unwrap();
    memory.tell(&cherry, "Deploy", "on Friday").unwrap();
    memory.promote(&cherry, &proposal("doctrine", &format!("as in {secret}2"))).unwrap();
    let told = memory.init(&cherry, &InitRequest::default()).unwrap();
    let naming = |text: &str| told.notes.iter().filter(|note| note.contains(text)).count();
    assert_eq!((naming(&format!("`{secret}`")), naming("\"Before\"")), (1, 1), "{:?}", told.notes);
    assert_eq!((naming(&format!("`{secret}2`")), naming("\"Plain\"")), (1, 0), "{:?}", told.notes);
    let again = memory.init(&cherry, &InitRequest::default()).unwrap();
    assert!(!again.notes.iter().any(|note| note.contains(&secret)), "nothing came: {:?}", again.notes);

    let claim = "---\nProtocol: L1GHT/1.0\nNode: I\nState: authored\nCreated: 1783209431408\nSource-Agent: codex:x\n---\n\n# I\n\n";
    place.write("imp/i.light.md", &format!("{claim}see {secret}\n"));
    let told = import(&memory, &place);
    let named = told.gaps.iter().any(|gap| gap.detail.contains(&format!("`{secret}`")));
    assert!(named, "{:?}", told.gaps);
}

#[test] // spec: MEM-2, MEM-42
fn prose_that_a_migration_brings_into_a_repository_is_named() {
    let place = world();
    place.init("src/cherry");
    let (memory, ana) = (place.memory(), caller("human:ana", place.at("src/cherry")));
    let secret = place.at("elsewhere/secret").display().to_string();
    let claim = "---\nProtocol: L1GHT/1.0\nNode: Friday\nState: authored\nCreated: 1783209431408\nSource-Agent: codex:x\nTags: cherry\n---\n\n# Friday\n\n";
    place.write("home/.brainstem/agent-memory/friday.light.md", &format!("{claim}see {secret}\n"));
    let told = Transfer::new(&memory).migrate_apply(&ana, &MigrateRequest::default(), &|_, _| ()).unwrap();
    assert!(committed(&place).contains(&secret), "{told:?}");
    assert!(told.notes.iter().any(|note| note.contains(&format!("`{secret}`"))), "{:?}", told.notes);
}

#[test] // spec: MEM-2, MEM-49
fn lines_of_an_undecided_file_that_name_this_machine_are_named_until_somebody_decides() {
    let place = world();
    let (memory, cherry) = (place.memory(), place.in_("src/cherry"));
    let store = memory.route(&cherry).brain().unwrap().store_paths().claims;
    let secret = place.at("elsewhere/secret").display().to_string();
    let version = |born: i64, word: &str| {
        format!(
            "---\nProtocol: L1GHT/1.0\nNode: D\nState: authored\nCreated: {born}\nSource-Agent: {MAKER}\nTags: {secret}\n---\n\n# D\n\n{word}\n"
        )
    };
    let (one, two) = (version(1_783_209_431_408, "one"), version(1_783_209_431_409, "two"));
    std::fs::write(store.join("d.light.md"), join(&[one.as_bytes(), two.as_bytes()])).unwrap();
    let init = || place.memory().init(&cherry, &InitRequest::default()).unwrap();
    let told = init();
    assert!(told.notes.iter().any(|note| note.contains("\"D\"") && note.contains("undecided")), "{told:?}");
    let request =
        ResolveRequest { label: Some("D".into()), take: Some("theirs".into()), ..ResolveRequest::default() };
    memory.resolve(&cherry, &request).unwrap();
    let told = init();
    assert!(told.notes.iter().any(|note| note.contains("outside://")), "{told:?}");
    let text = committed(&place);
    assert!(text.contains("Tags: outside://secret") && !text.contains(&secret), "{text}");
}

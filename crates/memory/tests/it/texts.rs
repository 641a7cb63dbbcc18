//! Many claims at once, the past, filters, and a claim in an editor.

use crate::world::{
    CHERRY, MAKER, PERSON, START, Short as _, caller, claim, clock, code, doctrine, how_sure, service,
    two_repositories,
};
use brainstem_base::{Coded as _, Timestamp};
use brainstem_claims::State;
use brainstem_claims::light::ClaimKind;
use brainstem_memory::{
    BatchLine, Confirmation, Filter, ForgetRequest, ListRequest, MemorizeRequest, MemorizeWords, Memory,
    MemoryError, Outcome, Question, RankBy, RefusedRequest, RenameRequest, SeekRequest, ShowRequest, Tier,
};
use std::sync::Arc;

fn line(label: &str, text: &str) -> BatchLine {
    BatchLine::from(claim(label, text))
}

fn at(line: BatchLine, ms: i64) -> Result<BatchLine, MemoryError> {
    Ok(BatchLine { created: Some(Timestamp::from_ms(ms)), ..line })
}

fn outcomes(memory: &Memory, lines: Vec<Result<BatchLine, MemoryError>>) -> Vec<&'static str> {
    let done = memory.memorize_batch(&caller(MAKER, CHERRY), None, lines, &|_| true).unwrap();
    let word = |outcome| match outcome {
        Outcome::Born => "born",
        Outcome::Superseded => "superseded",
        Outcome::Unchanged => "unchanged",
        Outcome::Refused(error) => error.code().name(),
    };
    done.into_iter().map(|line| word(line.outcome)).collect()
}

fn begun() -> (Memory, Arc<brainstem_base::clock::ManualClock>) {
    let clock = clock();
    let memory = service(Arc::new(two_repositories()), &clock);
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    (memory, clock)
}

#[test] // spec: MEM-14, MEM-5
fn a_word_that_means_nothing_is_refused_behind_a_secret_in_any_field() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let floor = memory.floor();
    let secret = ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat();
    let words = |kind: &str, state: &str, confidence: &str| MemorizeWords {
        kind: Some(kind.into()),
        state: Some(state.into()),
        confidence: Some(confidence.into()),
        doctrine: None,
    };
    let refused = |request: MemorizeRequest, words: &MemorizeWords| {
        let refusal = request.with_words(&floor, words).unwrap_err();
        assert!(!format!("{refusal} {:?}", refusal.fix()).contains(&secret[4..]), "{refusal}");
        (refusal.code().name(), refusal.field().unwrap())
    };
    let plain = || claim("Retry", "three times");
    let bad = words("thing", "sure", "very");
    assert_eq!(refused(plain(), &bad), ("input.bad_value", "kind".into()));
    assert_eq!(refused(plain(), &words("event", "sure", "very")), ("claim.bad_state", "state".into()));
    let sure = words("event", "verified", "very");
    assert_eq!(refused(plain(), &sure), ("claim.bad_confidence", "confidence".into()));
    assert_eq!(refused(claim("", "three times"), &bad).1, "kind");
    assert_eq!(refused(claim("", "three times"), &sure).1, "label");
    for (kind, state, confidence, field) in [
        (&*secret, "verified", "high", "kind"),
        ("event", &secret, "high", "state"),
        ("event", "verified", &secret, "confidence"),
        (&secret, &secret, "high", "state"),
    ] {
        assert_eq!(refused(plain(), &words(kind, state, confidence)), ("hygiene.secret", field.into()));
    }
    let told = MemorizeRequest { text: format!("use {secret}"), ..plain() };
    assert_eq!(refused(told, &words(&secret, "sure", "high")), ("hygiene.secret", "text".into()));
    let tagged = MemorizeRequest { tags: vec![secret.clone()], ..plain() };
    assert_eq!(refused(tagged, &bad), ("hygiene.secret", "tags".into()));
    let request = plain().with_words(&floor, &words("event", "verified", "high")).unwrap();
    assert_eq!((request.kind, request.state), (Some(ClaimKind::Event), Some(State::Verified)));
    assert_eq!(request.confidence, how_sure("high"));
}

#[test] // spec: MEM-47
fn a_line_with_a_word_that_means_nothing_is_refused_under_its_slug() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    let words = MemorizeWords { state: Some("sure".into()), ..MemorizeWords::default() };
    let bad = |agent: Option<&str>| {
        let why = claim("Cache", "cleared").with_words(&memory.floor(), &words).unwrap_err();
        let request = Err(RefusedRequest { label: "Cache".into(), why });
        Ok(BatchLine { request, agent: agent.map(str::to_owned), created: None })
    };
    let lines = vec![bad(None), bad(Some("a b")), Ok(line("Cache", "warm"))];
    let done = memory.memorize_batch(&maker, None, lines, &|_| true).unwrap();
    let slugs: Vec<&str> = done.iter().filter_map(|line| Some(line.slug.as_ref()?.as_str())).collect();
    assert_eq!(slugs, ["cache"; 3]);
    let code = |outcome: &Outcome| match outcome {
        Outcome::Refused(refusal) => refusal.code().name(),
        Outcome::Born => "born",
        Outcome::Superseded | Outcome::Unchanged => "not new",
    };
    let codes: Vec<&str> = done.iter().map(|line| code(&line.outcome)).collect();
    assert_eq!(codes, ["claim.bad_state", "identity.bad_agent", "born"]);
}

#[test] // spec: MEM-47
fn one_bad_line_does_not_stop_the_others_and_the_past_keeps_its_date() {
    let (memory, _) = begun();
    let lines = || {
        vec![
            at(line("Retry policy", "three times"), 1_000),
            Ok(line("", "no label")),
            Err(MemoryError::Missing { field: "label", give: "a label".into(), rule: "MEM-47" }),
            Ok(BatchLine { agent: Some("claude:maker".into()), ..line("Cache", "cleared by a deploy") }),
            Ok(BatchLine { agent: Some("a b".into()), ..line("Nobody", "x") }),
            at(line("Retry policy", "four times"), 2_000),
            at(line("Tomorrow", "not yet"), START + 1),
            at(line("Just now", "it is so"), START),
        ]
    };
    let first = outcomes(&memory, lines());
    let refused = ["claim.bad_label", "input.missing", "identity.bad_agent", "input.bad_value"];
    let expected = ["born", refused[0], refused[1], "born", refused[2], "superseded", refused[3], "born"];
    assert_eq!(first, expected);
    let shown = memory.look_at(&caller(MAKER, CHERRY), "Retry policy", Tier::Project).unwrap();
    assert_eq!(shown.claim.unwrap().created, Some(Timestamp::from_ms(2_000)));
    assert_eq!(shown.history[0].created, Some(Timestamp::from_ms(1_000)));
    let cache = memory.look_at(&caller(MAKER, CHERRY), "Cache", Tier::Project).unwrap().claim.unwrap();
    assert_eq!(cache.source_agent.as_deref(), Some("claude:maker"));
    // Repeated, nothing changes: neither what is live nor what was superseded by a later line.
    let again = outcomes(&memory, lines());
    assert!(again.iter().all(|word| *word == "unchanged" || refused.contains(word)), "{again:?}");
}

#[test] // spec: MEM-47
fn a_batch_that_says_a_label_twice_is_safe_to_repeat_from_anywhere() {
    let lines = |count: usize| -> Vec<_> {
        ["one", "two", "three"][..count].iter().map(|text| Ok(line("Cache", text))).collect()
    };
    for reached in 0..=3 {
        let (memory, clock) = begun();
        outcomes(&memory, lines(reached));
        clock.advance(5_000);
        let words = outcomes(&memory, lines(3));
        assert_eq!(words.iter().filter(|word| **word == "unchanged").count(), reached, "{words:?}");
        let shown = memory.look_at(&caller(MAKER, CHERRY), "Cache", Tier::Project).unwrap();
        assert_eq!((shown.claim.unwrap().text.as_str(), shown.history.len()), ("three", 2), "{reached}");
    }
}

#[test] // spec: MEM-47
fn a_batch_never_drops_a_line_because_a_later_one_is_said_already() {
    let versions = |memory: &Memory| {
        let shown = memory.look_at(&caller(MAKER, CHERRY), "Cache", Tier::Project).unwrap();
        let before = shown.history.into_iter().rev().map(|version| version.text);
        before.chain([shown.claim.unwrap().text]).collect::<Vec<_>>()
    };
    let today = |texts: &[&str]| texts.iter().map(|text| Ok(line("Cache", text))).collect::<Vec<_>>();
    let dated = |lines: &[(&str, i64)]| {
        lines.iter().map(|(text, ms)| at(line("Cache", text), *ms)).collect::<Vec<_>>()
    };
    type Lines<'a> = &'a dyn Fn() -> Vec<Result<BatchLine, MemoryError>>;
    let table: [(&[&str], Lines<'_>, &[&str]); 7] = [
        (&["old"], &|| today(&["new", "old"]), &["old", "new", "old"]),
        (&[], &|| today(&["a", "b", "a"]), &["a", "b", "a"]),
        (&["a"], &|| today(&["a", "b", "a"]), &["a", "b", "a"]),
        (&["b", "a"], &|| today(&["a", "b"]), &["b", "a", "b"]),
        (&[], &|| dated(&[("a", 1_000), ("b", 2_000), ("a", 3_000)]), &["a", "b", "a"]),
        (&["old"], &|| dated(&[("new", 1_000), ("old", 2_000)]), &["old", "new", "old"]),
        (&[], &|| dated(&[("a", 3_000), ("b", 2_000), ("c", 1_000)]), &["a", "b", "c"]),
    ];
    for (n, (before, lines, expected)) in table.into_iter().enumerate() {
        let (memory, clock) = begun();
        for text in before {
            memory.tell(&caller(MAKER, CHERRY), "Cache", text).unwrap();
            clock.advance(1_000);
        }
        outcomes(&memory, lines());
        assert_eq!(versions(&memory), expected, "case {n}");
        clock.advance(5_000);
        assert!(outcomes(&memory, lines()).iter().all(|word| *word == "unchanged"), "case {n}");
        assert_eq!(versions(&memory), expected, "case {n}, repeated");
    }
}

#[test] // spec: MEM-47
fn a_version_of_the_past_that_was_taken_back_is_not_born_again() {
    let (memory, _) = begun();
    let lines = || vec![at(line("Cache", "cleared"), 1_000)];
    outcomes(&memory, lines());
    memory.take_back(&caller(MAKER, CHERRY), "Cache").unwrap();
    assert_eq!(outcomes(&memory, lines()), ["unchanged"]);
    assert_eq!(memory.all(&caller(MAKER, CHERRY)).rows.len(), 0);
    assert_eq!(
        outcomes(&memory, vec![Ok(line("Cache", "cleared"))]),
        ["born"],
        "said today, it is said anew"
    );
}

#[test] // spec: MEM-48
fn a_claim_is_shown_as_it_was_at_a_time() {
    let (memory, clock) = begun();
    let maker = caller(MAKER, CHERRY);
    let steps: [&dyn Fn(); 4] = [
        &|| drop(memory.tell(&maker, "Cache", "one").unwrap()),
        &|| drop(memory.tell(&maker, "Cache", "two").unwrap()),
        &|| drop(memory.take_back(&maker, "Cache").unwrap()),
        &|| drop(memory.tell(&maker, "Cache", "three").unwrap()),
    ];
    for step in steps {
        step();
        clock.advance(1_000);
    }
    let text = |ms: i64| {
        let request =
            ShowRequest { label: "Cache".into(), tier: Tier::Both, at: Some(Timestamp::from_ms(START + ms)) };
        memory.show(&maker, &request).map(|shown| {
            let row = shown.claim.unwrap();
            assert_ne!(row.state, Some(brainstem_claims::State::Outdated), "it was live then");
            (row.text, row.age_ms.unwrap(), row.lifecycle.as_str(), shown.history.len())
        })
    };
    let told = |ms| text(ms).map_err(|error| error.to_string());
    assert_eq!(told(0), Ok(("one".into(), 0, "project_private", 0)));
    assert_eq!(told(999), Ok(("one".into(), 999, "project_private", 0)));
    assert_eq!(told(1_000), Ok(("two".into(), 0, "project_private", 1)));
    assert_eq!(told(1_999), Ok(("two".into(), 999, "project_private", 1)));
    assert!(told(2_000).unwrap_err().contains("taken back"));
    assert!(told(-1).unwrap_err().contains("not yet born"));
    assert_eq!(code(text(2_500)), "claim.not_found");
    assert_eq!(told(3_000), Ok(("three".into(), 0, "project_private", 2)));
}

#[test] // spec: MEM-48
fn filters_leave_what_they_name_and_many_questions_are_answered_as_one() {
    let (memory, clock) = begun();
    let verified = MemorizeRequest {
        state: Some(State::Verified),
        tags: vec!["net".into()],
        ..claim("Retry one", "retry three times")
    };
    memory.memorize(&caller(MAKER, CHERRY), &verified).unwrap();
    clock.advance(10_000);
    memory.tell(&caller(PERSON, CHERRY), "Retry two", "retry four times").unwrap();
    let maker = caller(MAKER, CHERRY);
    let since = Some(Timestamp::from_ms(START + 1));
    let table = [
        (Filter::default(), vec!["Retry one", "Retry two"]),
        (Filter { since, ..Filter::default() }, vec!["Retry two"]),
        (Filter { agent: Some(MAKER.into()), ..Filter::default() }, vec!["Retry one"]),
        (Filter { state: Some(State::Verified), ..Filter::default() }, vec!["Retry one"]),
        (Filter { tag: Some("net".into()), ..Filter::default() }, vec!["Retry one"]),
        (Filter { tag: Some("net".into()), since, ..Filter::default() }, vec![]),
    ];
    for (filter, expected) in table {
        let list = ListRequest { tier: Tier::Both, limit: 10, filter: filter.clone(), cursor: None };
        let mut listed: Vec<_> =
            memory.list(&maker, &list).unwrap().rows.into_iter().map(|r| r.label).collect();
        listed.sort();
        assert_eq!(listed, expected, "{filter:?}");
        let query = "how often do we retry?".to_owned();
        let seek = SeekRequest {
            query: query.clone(),
            tier: Tier::Both,
            scope: None,
            limit: 10,
            filter: filter.clone(),
            by: RankBy::All,
        };
        let sought = memory.seek(&maker, &seek).unwrap();
        let mut labels: Vec<_> = sought.rows.iter().map(|row| row.label.clone()).collect();
        labels.sort();
        assert_eq!(labels, expected, "{filter:?}");
        assert_eq!(sought.gaps.iter().any(|gap| gap.name == "no_match"), expected.is_empty());
        let ids: Vec<_> = sought.rows.into_iter().map(|row| row.id).collect();
        let question = |tier| Question { query: query.clone(), tier, limit: 10, by: RankBy::All };
        let (answers, _) = memory
            .seek_many(&maker, &[question(Tier::Both), question(Tier::Medulla)], &filter, &|_, _| (), &|| {
                true
            })
            .unwrap();
        assert_eq!(answers, [ids, vec![]], "{filter:?}");
    }
}

#[test] // spec: MEM-20, MEM-23
fn a_search_that_a_scope_or_a_filter_empties_names_them_and_promises_nothing() {
    let (memory, _) = begun();
    let maker = caller(MAKER, CHERRY);
    memory.tell(&maker, "Retry one", "retry three times").unwrap();
    let told = |scope: Option<&str>, agent: Option<&str>| {
        let request = SeekRequest {
            query: "how often do we retry?".into(),
            tier: Tier::Project,
            scope: scope.map(str::to_owned),
            limit: 10,
            filter: Filter { agent: agent.map(str::to_owned), ..Filter::default() },
            by: RankBy::All,
        };
        let sought = memory.seek(&maker, &request).unwrap();
        assert!(sought.rows.is_empty(), "{sought:?}");
        let gap = sought.gaps.into_iter().find(|gap| gap.name == "no_match").expect("a gap");
        // Nothing computes it by itself where no process runs behind the caller's back.
        assert!(!gap.detail.contains("moment") && !gap.detail.contains("seconds"), "{}", gap.detail);
        assert!(
            !gap.detail.contains("not computed") || gap.detail.contains("brainstem index"),
            "{}",
            gap.detail
        );
        gap.detail
    };
    assert!(told(Some("billing"), None).contains("none is inside the scope \"billing\""));
    assert!(told(None, Some(PERSON)).contains("the filters let none through"));
    assert!(
        told(Some("retry"), Some(PERSON)).contains("the filters let none inside the scope \"retry\" through")
    );
}

#[test] // spec: MEM-48
fn an_edited_claim_is_a_version_by_who_edited_it_with_the_same_strength() {
    let disk = two_repositories();
    disk.write_raw("/src/cherry/retry.rs", b"3");
    let clock = clock();
    let memory = service(Arc::new(disk.clone()), &clock);
    let (maker, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    memory.begin(&maker).unwrap();
    let told = MemorizeRequest {
        title: Some("How often".into()),
        confidence: how_sure("high"),
        state: Some(State::Verified),
        evidence: vec!["retry.rs#L1".into(), "gone.rs sha256:".to_owned() + &"a".repeat(64)],
        tags: vec!["net".into()],
        depends_on: vec!["Cache".into()],
        ..claim("Retry policy", "three times\n\n# not the label")
    };
    let before = memory.memorize(&maker, &told).unwrap().claim;
    disk.write_raw("/src/cherry/retry.rs", b"4");

    let editing = memory.begin_edit(&person, "retry-policy", None).unwrap();
    assert_eq!(editing.page, "# Retry policy\n\n## How often\n\nthree times\n\n# not the label\n");
    assert!(memory.finish_edit(&person, &editing, &editing.page).unwrap().is_none(), "nothing changed");
    let done =
        memory.finish_edit(&person, &editing, &editing.page.replace("three", "four")).unwrap().unwrap();
    let after = done.claim;
    assert_eq!(after.text, "four times\n\n# not the label");
    assert_eq!(after.source_agent.as_deref(), Some(PERSON));
    assert_eq!(
        (after.strength(), &after.title, &after.tags),
        (before.strength(), &before.title, &before.tags)
    );
    assert_eq!((&after.depends_on, after.kind), (&before.depends_on, before.kind));
    assert_ne!(after.evidence[0].hash, before.evidence[0].hash, "the hash is taken anew");
    assert_eq!(after.evidence[1], before.evidence[1], "what cannot be read keeps its hash");

    // Lines that went elsewhere in their file go along.
    disk.write_raw("/src/cherry/retry.rs", b"\n\nfn four() {}\n");
    let lines = MemorizeRequest { evidence: vec!["retry.rs#L3".into()], ..claim("Lines", "one") };
    memory.memorize(&maker, &lines).unwrap();
    disk.write_raw("/src/cherry/retry.rs", b"\n\n\n\nfn four() {}\n");
    let moved = memory.begin_edit(&person, "Lines", None).unwrap();
    let moved = memory.finish_edit(&person, &moved, &moved.page.replace("one", "two")).unwrap().unwrap();
    assert_eq!(moved.claim.evidence[0].place(), "retry.rs#L5");

    // Somebody else was faster: nothing is written over what was not seen.
    let stale = memory.finish_edit(&maker, &editing, "# Retry policy\n\nnever\n");
    assert_eq!(code(stale), "claim.changed");
    assert_eq!(code(memory.begin_edit(&maker, "Nothing", None)), "claim.not_found");
}

#[test] // spec: IF-4, MEM-12, MEM-48
fn a_label_that_only_the_medulla_has_is_said_to_be_there() {
    let disk = two_repositories();
    let memory = service(Arc::new(disk), &clock());
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.memorize(&caller(PERSON, CHERRY), &doctrine("Tabs", "use tabs")).unwrap();
    memory.tell(&maker, "Über alles", "a title").unwrap();
    memory.tell(&maker, "Retry policy", "three times").unwrap();
    let rename = |label: &str| {
        let request = RenameRequest { label: label.into(), to: "Other".into(), tier: None };
        memory.rename(&maker, &request).map(drop)
    };
    let forget = |label: &str| {
        let request = ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given };
        memory.forget(&maker, &request).map(drop)
    };
    type Ask<'a> = &'a dyn Fn(&str) -> Result<(), MemoryError>;
    let asks: [(&str, Ask<'_>); 5] = [
        ("retract", &|label| memory.take_back(&maker, label).map(drop)),
        ("edit", &|label| memory.begin_edit(&maker, label, None).map(drop)),
        ("show", &|label| memory.look_at(&maker, label, Tier::Project).map(drop)),
        ("rename", &rename),
        ("forget", &forget),
    ];
    for (name, ask) in asks {
        let fix = |label: &str| {
            let refused = ask(label).unwrap_err();
            assert_eq!(refused.code().name(), "claim.not_found", "{name}");
            refused.fix().unwrap()
        };
        assert!(fix("Tabs").contains("--tier medulla"), "{name}: {}", fix("Tabs"));
        // Another case is another label, and the nearest name.
        assert!(
            fix("über Alles").to_string().starts_with("did you mean \"Über alles\""),
            "{name}: {}",
            fix("über Alles")
        );
        // Of one slug at most one label is live, so that a reader means that one; for writers see `names`.
        if name == "show" {
            assert!(ask("retry POLICY").is_ok());
        }
        assert!(!fix("Nothing like it").contains("medulla"), "{name}");
    }
}

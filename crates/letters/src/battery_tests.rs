//! Cases are read strictly, and judged plainly.

use super::*;
use crate::Letter;

fn row(label: &str, by: &str, store: &str) -> SeenRow {
    SeenRow { label: label.into(), text: format!("{label} in full"), by: by.into(), store: store.into() }
}

fn letter(kind: &str) -> Letter {
    let line = format!(
        r#"{{"class":"memory_misdelivery","kind":"{kind}","what":"it was not there","snippet":"Retry three times"}}"#
    );
    Letter::parse(line.as_bytes()).expect("a letter")
}

#[test] // spec: LTR-17
fn each_kind_drafts_a_case_that_is_one_and_the_letter_is_named() {
    for kind in MisdeliveryKind::ALL {
        let letter = letter(kind.as_str());
        let case = drafted(&letter).expect("a case");
        assert_eq!(CaseDefinition::parse(&case.render()).as_ref(), Ok(&case), "{kind}");
        assert_eq!((case.kind.as_str(), case.letter()), (kind.as_str(), Some(letter.id)));
    }
    assert_eq!(drafted(&letter("mood")), Err(NotACase));
    let win = Letter::parse(br#"{"class":"win","kind":"leak","what":"x"}"#).expect("a letter");
    assert_eq!(drafted(&win), Err(NotACase));
}

#[test] // spec: LTR-17
fn a_draft_fails_on_the_world_its_letter_describes() {
    let judged = |kind: &str, seen: &SeenAnswer| {
        let case = drafted(&letter(kind)).expect("a case");
        case.ask.iter().map(|ask| judge(ask, seen).len()).collect::<Vec<_>>()
    };
    let carried = SeenAnswer {
        rows: vec![row("Retry three times", "someone:else", "medulla")],
        ..SeenAnswer::default()
    };
    let nothing = SeenAnswer { claims_absence: true, ..SeenAnswer::default() };
    assert_eq!(judged("leak", &carried), [1, 0]);
    assert_eq!(judged("false_absence", &nothing), [2]);
    assert_eq!(judged("wrong_store_write", &carried), [0, 1]);
    assert_eq!(judged("misattribution", &carried), [1]);
    assert_eq!(judged("vanished", &nothing), [1, 2]);
}

#[test] // spec: LTR-17
fn a_case_that_could_not_fail_or_would_leave_its_world_is_refused() {
    let case = |given: &str, ask: &str| {
        CaseDefinition::parse(format!(r#"{{"kind":"leak","given":[{given}],"ask":[{ask}]}}"#).as_bytes())
    };
    let fine = r#"{"from":"project","claims_absence":true}"#;
    assert!(case("", fine).is_ok());
    for ask in [
        "",
        r#"{"from":"project"}"#,
        r#"{"from":"../x","claims_absence":true}"#,
        r#"{"from":"/etc","claims_absence":true}"#,
        r#"{"from":"project/","claims_absence":true}"#,
        r#"{"from":"medulla/x","claims_absence":true}"#,
        r#"{"from":"project","must_not_carry":[" "]}"#,
        r#"{"from":"project","claim_absence":true}"#,
    ] {
        assert!(case("", ask).is_err(), "{ask}");
    }
    assert!(case(r#"{"store":"nowhere","label":"a","text":"b"}"#, fine).is_err());
    assert!(CaseDefinition::parse(br#"{"kind":"mood","given":[],"ask":[]}"#).is_err());
}

#[test] // spec: LTR-17
fn what_is_said_of_a_row_counts_where_the_case_asks_for_it() {
    let seen = SeenAnswer {
        rows: vec![row("a", "x:y", "project"), row("a", "z:y", "other")],
        ..SeenAnswer::default()
    };
    let check = |by: Option<&str>, store: Option<&str>, wrong: usize| {
        let carry =
            RequiredRow { text: "a".into(), by: by.map(str::to_owned), store: store.map(str::to_owned) };
        let ask = CaseQuestion { from: PROJECT.into(), must_carry: vec![carry], ..CaseQuestion::default() };
        assert_eq!(judge(&ask, &seen).len(), wrong, "{by:?} {store:?}");
    };
    check(None, None, 0);
    check(Some("z:y"), Some("other"), 0);
    check(Some("z:y"), Some("project"), 1);
    check(Some("nobody"), None, 1);
}

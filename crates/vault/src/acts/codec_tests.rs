//! The codec: an act that is read is written the same, and a new one is written as it always was.

use super::*;
use brainstem_base::AgentId;
use brainstem_claims::act::VersionRef;
use proptest::prelude::*;
use std::collections::HashSet;

/// Lines of every act as this version writes them, with the marks of imports and of what is foreign.
const GOLDEN: &str = include_str!("../../tests/formats/v1/acts.jsonl");

/// An act with the content of its line, and without the line.
fn afresh(act: &Act) -> Act {
    let agent = AgentId::parse(act.agent()).expect("an agent id");
    let at = act.time().expect("a time");
    let mut new = Act::new(act.deed().clone(), &agent, at).under(act.id().clone());
    for ImportMark { by, at } in act.imports() {
        let by = AgentId::parse(by.as_deref().expect("an importer")).expect("an agent id");
        let at = at.as_deref().and_then(Timestamp::parse_rfc3339).expect("a time");
        new = new.imported(&by, at);
    }
    if act.is_foreign() {
        new.set_foreign();
    }
    new
}

fn read_line(text: &str) -> Act {
    read(text.as_bytes()).unwrap_or_else(|| panic!("an act: {text}"))
}

#[test] // spec: MEM-3c
fn every_act_is_read_and_written_byte_for_byte() {
    let mut kinds = HashSet::new();
    for text in GOLDEN.lines() {
        let act = read_line(text);
        kinds.insert(act.kind().unwrap_or_else(|| panic!("a known deed: {text}")));
        assert_eq!(line(&act), text, "from its line");
        // A forgotten act has no words left to write.
        if !(text.contains("\"forgotten-") && text.contains("\"data\":{}")) {
            assert_eq!(line(&afresh(&act)), text, "from its fields alone");
        }
    }
    let missing: Vec<_> = DeedKind::ALL.into_iter().filter(|kind| !kinds.contains(kind)).collect();
    assert!(missing.is_empty(), "no line for {missing:?}");
}

#[test] // spec: MEM-3c
fn the_id_of_an_act_follows_from_what_was_done() {
    for text in GOLDEN.lines() {
        let act = read_line(text);
        // A retraction of a version that came back is an act of its own.
        if !text.contains("wrong again") {
            assert_eq!(*act.id(), act.deed().id(), "{text}");
        }
    }
}

#[test] // spec: MEM-3c
fn what_this_program_does_not_know_stays_and_is_shown_as_it_stands() {
    let table = [
        // A newer program's act, a key of its own, and another order.
        (
            r#"{"act":"levitate","id":"x","ts":"yesterday","agent":"A B","subject":"cache@5 up","how":[1.50]}"#,
            "levitate",
            "cache@5 up",
        ),
        (r#" {"id":"x","ts":"","agent":"","act":"retract","subject":"What?","data":7} "#, "retract", "What?"),
        (
            r#"{"id":"x","ts":"t","agent":"a","act":"migrate_begin","subject":"migration:one"}"#,
            "migrate_begin",
            "migration:one",
        ),
        (
            r#"{"id":"x","ts":"t","agent":"a","act":"delegate","subject":"dlg_1","data":{"to":null}}"#,
            "delegate",
            "dlg_1",
        ),
        (r#"{"id":"x","ts":"t","agent":"a","act":"boot_set","subject":"k","data":{}}"#, "boot_set", "k"),
        (
            r#"{"id":"x","ts":"t","agent":"a","act":"sweep_root","subject":"b","data":null,"foreign":false}"#,
            "sweep_root",
            "b",
        ),
        (
            r#"{"id":"x","ts":"t","agent":"a","act":"rename","subject":"a@1","data":{"to_slug":"No slug","created":"5"}}"#,
            "rename",
            "a@1",
        ),
    ];
    for (text, name, subject) in table {
        let act = read_line(text);
        assert_eq!((act.deed().name(), act.deed().subject().as_str()), (name, subject));
        assert_eq!(line(&act), text);
    }
}

#[test] // spec: MEM-3c
fn an_act_that_becomes_foreign_keeps_every_other_byte() {
    let text = r#"{ "id":"x", "ts":"t","agent":"a","act":"levitate","subject":"s","n":1.0e2,"big":123456789012345678901234 }"#;
    let mut act = read_line(text);
    act.set_foreign();
    let foreign = r#"{ "id":"x", "ts":"t","agent":"a","act":"levitate","subject":"s","n":1.0e2,"big":123456789012345678901234,"foreign":true}"#;
    assert_eq!(line(&act), foreign);
    assert_eq!(line(&read_line(foreign)), foreign);
    let mut said = read_line(r#"{"id":"x","ts":"t","agent":"a","act":"s","subject":"s","foreign":false}"#);
    said.set_foreign();
    assert_eq!(line(&said), r#"{"id":"x","ts":"t","agent":"a","act":"s","subject":"s","foreign":true}"#);
}

#[test] // spec: MEM-47
fn an_import_is_marked_inside_what_the_act_says() {
    let ana = AgentId::parse("human:ana").expect("an id");
    let check = |data: &str, expected: &str| {
        let text = |data: &str| {
            format!(r#"{{"id":"x","ts":"t","agent":"a","act":"levitate","subject":"s"{data},"how":"up"}}"#)
        };
        let act = read_line(&text(data)).imported(&ana, Timestamp::from_ms(0));
        assert_eq!(line(&act), text(&format!(r#","data":{expected}"#)));
        assert_eq!(act.brought_by(), Some("human:ana"));
        assert_eq!(read_line(&line(&act)).imports(), act.imports());
    };
    let mark = r#""imported":{"by":"human:ana","at":"1970-01-01T00:00:00.000Z""#;
    check(r#","data":null"#, &format!("{{{mark}}}}}"));
    check(r#","data":[1]"#, &format!(r#"{{"value":[1],{mark}}}}}"#));
    check(r#","data":{"z":1,"a":2}"#, &format!(r#"{{"z":1,"a":2,{mark}}}}}"#));
    let before = r#"{"by":"codex:maker","at":"then"}"#;
    check(
        &format!(r#","data":{{"imported":{before},"z":1}}"#),
        &format!(r#"{{{mark},"before":{before}}},"z":1}}"#),
    );
    // An odd mark says that it was imported, and not by which agent.
    let odd =
        read_line(r#"{"id":"x","ts":"t","agent":"a","act":"doctrine","subject":"s","data":{"imported":5}}"#);
    assert_eq!((odd.imports().len(), odd.brought_by(), odd.counts()), (1, None, false));
}

#[test] // spec: MEM-48
fn a_forgotten_act_says_what_was_done_by_whom_and_when_and_nothing_else() {
    let text = r#"{"id":"x","ts":"t","agent":"a","act":"levitate","subject":"cache@5","data":{"reason":"secret"},"why":"secret","foreign":true}"#;
    let id = ActId::of("levitate", "forgotten-1@5");
    let expected = format!(
        r#"{{"id":"{id}","ts":"t","agent":"a","act":"levitate","subject":"forgotten-1@5","data":{{}},"foreign":true}}"#
    );
    assert_eq!(redacted(&read_line(text), "forgotten-1@5"), expected);
}

#[test] // spec: MEM-42, MEM-48
fn an_act_upon_an_earlier_name_of_its_version_becomes_one_upon_the_name_it_has_now() {
    let text = |id: &ActId, slug: &str| {
        format!(
            r#"{{"id":"{id}","ts":"t","agent":"a","act":"learn","subject":"{slug}@5 by:human:ana:9","data":{{"verdict":"wrong","why":[1.5]}},"how":"up"}}"#
        )
    };
    let id = |slug: &str| ActId::of("learn", &format!("{slug}@5 by:human:ana:9"));
    let act = read_line(&text(&id("cache"), "cache"));
    let mention = act.deed().upon().expect("a version").clone();
    assert_eq!(upon(&act, &mention), act);
    let store = VersionRef::parse("store@5").expect("a version");
    let now = upon(&act, &mention.of_version(store));
    assert_eq!(line(&now), text(&id("store"), "store"));
}

#[test] // spec: MEM-3c
fn what_is_no_act_is_not_read_as_one() {
    let whole = r#"{"id":"x","ts":"t","agent":"a","act":"retract","subject":"s"}"#;
    assert!(read(whole.as_bytes()).is_some());
    for at in 0..whole.len() {
        assert!(read(&whole.as_bytes()[..at]).is_none(), "torn behind {at} bytes");
    }
    for text in ["", "{}", "[]", "null", r#"{"id":1,"ts":"t","agent":"a","act":"b","subject":"s"}"#] {
        assert!(read(text.as_bytes()).is_none(), "{text}");
    }
    assert!(read(b"\xff").is_none());
}

/// JSON that can be anywhere in a line.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z@:#0-9 ]{0,12}".prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any_key(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// The keys that acts have, and others.
fn any_key() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &[
        "reason",
        "by",
        "covers",
        "successor",
        "to_slug",
        "created",
        "sides",
        "took",
        "ours",
        "imported",
        "before",
        "sha256",
        "secret",
        "gone",
        "names",
        "rows",
        "project",
        "migration",
        "verdict",
        "origin_claim",
        "expires_at",
        "at",
    ];
    prop_oneof![prop::sample::select(KNOWN).prop_map(str::to_owned), "[a-z]{0,4}"]
}

proptest! {
    #[test] // spec: MEM-3c
    fn whatever_line_is_read_is_written_the_same(
        name in prop_oneof![prop::sample::select(&DeedKind::ALL[..]).prop_map(|kind| kind.as_str().to_owned()), ".{0,8}"],
        subject in prop_oneof!["[a-z]{1,4}@[0-9]{1,6}( by:[a-z]{1,3}:[0-9]{1,3})?", "migration:[0-9]{1,3}", ".{0,12}"],
        data in prop::option::of(any_json()),
        more in prop::collection::vec(("[a-z]{1,7}", any_json()), 0..3),
        space in "[ \t]{0,2}",
        is_foreign in prop::option::of(any::<bool>()),
    ) {
        let mut keys = serde_json::Map::new();
        for (key, value) in more {
            keys.insert(format!("x-{key}"), value);
        }
        for (key, value) in [("act", name.clone()), ("id", "0a".into()), ("ts", "t".into()), ("agent", "a".into())] {
            keys.insert(key.to_owned(), value.into());
        }
        keys.insert("subject".to_owned(), subject.clone().into());
        keys.extend(data.map(|data| ("data".to_owned(), data)));
        keys.extend(is_foreign.map(|is_foreign| ("foreign".to_owned(), is_foreign.into())));
        let text = format!("{space}{}{space}", Value::Object(keys));
        let act = read(text.as_bytes()).expect("an act");
        prop_assert_eq!(line(&act), text);
        prop_assert_eq!(act.deed().name(), name);
        prop_assert_eq!(act.deed().subject(), subject);
        // Marked by an import, it says the same and is read with the mark.
        let ana = AgentId::parse("human:ana").expect("an id");
        let imports = act.imports().len();
        let marked = read(line(&act.imported(&ana, Timestamp::from_ms(0))).as_bytes()).expect("an act");
        prop_assert_eq!(marked.imports().len(), imports + 1);
    }

    #[test] // spec: MEM-3c
    fn whatever_bytes_are_read_as_an_act_are_written_the_same(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Some(act) = read(&bytes) {
            prop_assert_eq!(line(&act).into_bytes(), bytes);
        }
    }
}

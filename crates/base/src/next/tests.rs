use super::{Advice, AdvicePart, CallValue, Shell, VerbId, calls, field, shell_word};
use crate::advice;
use std::collections::BTreeSet;

#[test] // spec: IF-4
fn an_advice_is_text_with_calls_as_parts() {
    let (count, label) = (2, "cache ttl");
    let fix = advice!["{count} claims ", "wait: ", calls::show(label), " shows them"];
    let expected = [
        AdvicePart::Text("2 claims wait: ".into()),
        AdvicePart::Call(calls::show("cache ttl")),
        AdvicePart::Text(" shows them".into()),
    ];
    assert_eq!(fix.parts(), expected, "texts that stand side by side are one");
    assert_eq!(fix, "2 claims wait: brainstem show 'cache ttl' shows them");
    assert_eq!(fix.calls().count(), 1);
    let both = Advice::joined([fix.clone(), "or not".into()], "; ");
    assert_eq!(both, "2 claims wait: brainstem show 'cache ttl' shows them; or not");
    assert!(advice![].is_empty() && Advice::from("").is_empty());
}

#[test] // spec: IF-4
fn a_field_that_is_left_out_is_not_told() {
    assert_eq!(calls::show_in("a", None::<&str>), calls::show("a"));
    assert_eq!(calls::bootstrap_place("/a", false).to_string(), "brainstem bootstrap /a");
    assert_eq!(calls::bootstrap_place("/a", true).to_string(), "brainstem bootstrap /a --exact");
    assert_eq!(calls::forget_for_good("a", "medulla").to_string(), "brainstem forget a --tier medulla --yes");
    assert_eq!(calls::index_rebuild().at("/a b").to_string(), "brainstem index --rebuild --root '/a b'");
    assert_eq!(calls::init_host(calls::HOST).to_string(), "brainstem init --host HOST");
}

#[test]
fn a_call_with_a_word_in_the_place_of_a_value_is_not_whole() {
    assert!(calls::show("LABEL").is_whole() && calls::init_host("codex").is_whole());
    assert!(!calls::show(calls::LABEL).is_whole() && !calls::init_host(calls::HOST).is_whole());
}

#[test] // spec: MEM-14
fn every_text_of_an_advice_is_reached_and_no_name_is_changed() {
    let masked = |text: &str| text.replace("s3cret", "[secret]");
    let fix = advice![
        "s3cret ",
        calls::migrate_decide("s3cret=cherry"),
        " ",
        Shell::line("mv s3cret"),
        " ",
        Advice::root_at("/s3cret"),
        " ",
        field("tier").is("medulla")
    ];
    let told = fix.map_texts(masked).to_string();
    assert_eq!(
        told,
        "[secret] brainstem migrate apply --decide '[secret]=cherry' mv [secret] --root '/[secret]' --tier medulla"
    );
}

#[test] // spec: IF-8a
fn every_verb_has_a_name_and_words_of_its_own() {
    let ids: BTreeSet<&str> = VerbId::ALL.iter().map(|verb| verb.id()).collect();
    let words: BTreeSet<&[&str]> = VerbId::ALL.iter().map(|verb| verb.words()).collect();
    assert_eq!((ids.len(), words.len()), (VerbId::ALL.len(), VerbId::ALL.len()));
    assert_eq!(VerbId::Forget.on_command_line("confirm"), "--yes");
    assert_eq!(VerbId::Learn.on_command_line("verdict"), "VERDICT");
    assert_eq!(CallValue::from(false), CallValue::Absent);
}

#[test] // spec: IF-4
fn a_word_is_quoted_where_a_shell_would_change_it() {
    for (text, word) in [
        ("codx/20261117T190237Z_o~0001_task.md", "codx/20261117T190237Z_o~0001_task.md"),
        ("~ana/notes", "'~ana/notes'"),
        ("a:~ana", "'a:~ana'"),
        ("two words", "'two words'"),
        ("it's", "'it'\\''s'"),
        ("", "''"),
    ] {
        assert_eq!(shell_word(text), word);
    }
}

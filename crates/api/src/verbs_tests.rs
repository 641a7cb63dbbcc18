//! What holds for every verb, whichever is added.

use super::{find, table};
use crate::{caller, cli, terminal};
use serde_json::Value;
use std::collections::BTreeSet;

#[test] // spec: LTR-10, IF-2
fn every_command_is_a_tool_of_this_system() {
    let own = crate::Door::rest().verbs().own_tools();
    let command = cli::command();
    let named =
        command.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name);
    for name in named.chain(["daemon", "mail_send", "mail send", "mail", "cross_verify", "mailbox"]) {
        assert!(own.iter().any(|tool| tool == name), "{name}");
    }
}

#[test] // spec: IF-8a
fn names_and_routes_are_unique_and_well_formed() {
    let mut ids = BTreeSet::new();
    let mut paths = BTreeSet::new();
    let mut routes = BTreeSet::new();
    for entry in table() {
        let spec = entry.spec();
        assert!(ids.insert(spec.id()), "{} is listed twice", spec.id());
        assert!(!spec.cli().is_empty() && paths.insert(spec.cli()), "{} shares its command", spec.id());
        let (method, path) = (spec.method(), spec.path());
        assert!(routes.insert((method.as_str(), path)), "{} shares its route", spec.id());
        assert!(path.starts_with("/api/"), "{}", spec.id());
        assert!(spec.id().bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{}", spec.id());
        assert!(
            !spec.title.is_empty() && !spec.when_to_use.is_empty() && !spec.examples.is_empty(),
            "{}",
            spec.id()
        );
        assert!(find(spec.id()).is_some());
    }
}

#[test] // spec: IF-8a
fn the_command_line_and_the_schema_have_the_same_fields() {
    for entry in table() {
        let id = entry.spec().id();
        let sugar: BTreeSet<&str> = entry
            .spec()
            .long_text
            .iter()
            .filter(|text| text.file != text.field)
            .map(|t| t.file)
            .chain(["-"])
            .collect();
        let command = terminal::command(entry);
        let words: BTreeSet<&str> = command
            .get_arguments()
            .map(|arg| arg.get_id().as_str())
            .filter(|arg| !sugar.contains(arg))
            .collect();
        let schema = entry.input_schema();
        let fields: BTreeSet<&str> = match schema.get("properties") {
            Some(Value::Object(fields)) => fields.keys().map(String::as_str).collect(),
            _ => panic!("{id}: the schema has no properties"),
        };
        assert_eq!(words, fields, "{id}");
        assert!(!fields.contains(caller::AGENT_ID), "{id}: agent_id is added by the doors");
        for text in entry.spec().long_text {
            assert!(fields.contains(text.field), "{id}: {} is not a field", text.field);
        }
    }
}

#[test]
fn what_must_be_given_and_what_is_assumed_comes_from_the_schema() {
    for entry in table() {
        let id = entry.spec().id();
        let schema = entry.input_schema();
        let required: BTreeSet<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for arg in terminal::command(entry).get_arguments() {
            let name = arg.get_id().as_str();
            let long_text = entry.spec().long_text.iter().any(|text| text.field == name);
            assert!(
                long_text || arg.is_required_set() == required.contains(name),
                "{id}: {name} is required on one door only: use Option or #[serde(default)]"
            );
            let assumed = arg.get_action().takes_values() && !arg.get_default_values().is_empty();
            assert!(!assumed, "{id}: {name} has a default in clap, which other doors do not see");
        }
    }
}

#[test] // spec: IF-6
fn every_field_and_every_answer_is_described() {
    for entry in table() {
        let id = entry.spec().id();
        let about = terminal::command(entry).get_about().map(ToString::to_string).unwrap_or_default();
        assert!(!about.is_empty(), "{id} has no help");
        let schema = entry.input_schema();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            assert!(field["description"].is_string(), "{id}: {name} has no doc comment");
        }
        let output = entry.output_schema();
        assert_eq!(output["type"], "object", "{id}: an answer is an object on the wire");
    }
}

#[test]
fn every_example_parses() {
    for entry in table() {
        for example in entry.spec().examples {
            let line = example.rsplit(" | ").next().unwrap_or(example);
            let words = shell_words(line);
            cli::command().try_get_matches_from(&words).unwrap_or_else(|error| panic!("{example}: {error}"));
        }
    }
}

#[test]
fn the_verb_of_the_bare_command_has_no_fields() {
    let bare = find("status").expect("a verb for `brainstem` alone");
    assert_eq!(terminal::command(bare).get_arguments().count(), 0);
}

/// Splits at blanks outside quotes; enough for our own examples.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ') => words.push(String::new()),
            (_, c) => words.last_mut().expect("never empty").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

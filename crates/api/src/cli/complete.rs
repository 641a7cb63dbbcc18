//! What a shell offers for a value: the words of a closed set, files for a path, and otherwise nothing.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};

/// The closed sets that values are of, larger ones before their parts. An argument whose help names every word of one
/// takes these words.
const SETS: &[&[&str]] = &[
    &["status", "alert", "task", "question", "response", "report", "handoff"],
    &["promotions", "delegations"],
    &["urgent", "normal", "low"],
    &["unread", "claimed", "read", "archive"],
    &["authored", "verified", "outdated"],
    &["entity", "state", "event"],
    &["project", "medulla", "all-brains"],
    &["project", "medulla"],
    &["high", "medium", "low"],
    &["words", "meaning"],
    &["leak", "false_absence", "wrong_store_write", "misattribution", "vanished"],
    &["confirmed", "dismissed", "duplicate"],
    &["claude-code", "codex", "cursor", "gemini", "vscode", "antigravity", "opencode", "all"],
    &[
        "owner",
        "agent",
        "other_names",
        "writes_per_minute",
        "mcp.toolsets",
        "inbox.orchestrator",
        "inbox.engine",
        "inbox.routes",
    ],
    &["auto", "always", "never"],
    super::SHELLS,
];
/// The arguments whose help names a set.
const NAMED: &[&str] = &[
    "priority",
    "folder",
    "state",
    "kind",
    "tier",
    "confidence",
    "by",
    "verdict",
    "host",
    "key",
    "color",
    "shell",
];
/// The names of values that are paths, and how the names of arguments end that take one.
const PATHS: &[&str] = &["PATH", "FILE", "ROOT", "DIR"];

/// The command line as a generator of completions reads it.
pub fn for_completions(command: Command) -> Command {
    command.mut_args(hinted).mut_subcommands(for_completions)
}

fn hinted(arg: Arg) -> Arg {
    if !arg.get_action().takes_values() {
        return arg;
    }
    if let Some(words) = words(&arg) {
        return arg.value_parser(PossibleValuesParser::new(words.iter().copied()));
    }
    let names = arg.get_value_names().unwrap_or_default();
    let id = arg.get_id().as_str();
    let is_path = names.iter().any(|name| PATHS.contains(&name.as_str()))
        || ["file", "root", "home", "path", "out"].iter().any(|end| id.ends_with(end));
    if is_path { arg } else { arg.value_hint(ValueHint::Other) }
}

/// Returns the words that an argument takes. `None` if it takes others too.
fn words(arg: &Arg) -> Option<&'static [&'static str]> {
    let named = arg.get_value_names().unwrap_or_default();
    if let [name] = named
        && name.contains('|')
    {
        return SETS.iter().find(|set| name.split('|').eq(set.iter().copied())).copied();
    }
    let help = arg.get_help().filter(|_| NAMED.contains(&arg.get_id().as_str()))?.to_string();
    let said: Vec<&str> = help.split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).collect();
    let said = |word: &&str| said.iter().any(|other| other.trim_end_matches('.') == *word);
    SETS.iter().find(|set| set.iter().all(said)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(command: &'a Command, words: &[&str], id: &str) -> &'a Arg {
        let at = words.iter().fold(command, |at, word| at.find_subcommand(word).unwrap());
        at.get_arguments().find(|arg| arg.get_id() == id).unwrap()
    }

    #[test] // spec: IF-6
    fn a_value_of_a_closed_set_is_completed_with_its_words_and_files_are_offered_for_paths_alone() {
        let command = for_completions(super::super::command());
        let check = |words: &[&str], id: &str, expected: &[&str]| {
            let values = of(&command, words, id).get_possible_values();
            let values: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
            assert_eq!(values, expected, "{words:?} {id}");
        };
        check(&["mail", "send"], "priority", &["urgent", "normal", "low"]);
        check(&["mail", "list"], "folder", &["unread", "claimed", "read", "archive"]);
        check(
            &["mail", "send"],
            "type",
            &["status", "alert", "task", "question", "response", "report", "handoff"],
        );
        check(&["memorize"], "state", &["authored", "verified", "outdated"]);
        check(&["seek"], "tier", &["project", "medulla", "all-brains"]);
        check(&["letter", "write"], "verdict", &["confirmed", "dismissed", "duplicate"]);
        check(&["completions"], "shell", super::super::SHELLS);
        check(&["mail", "send"], "to", &[]);
        assert_eq!(of(&command, &["mail", "send"], "to").get_value_hint(), ValueHint::Other);
        assert_ne!(of(&command, &["mail", "send"], "body-file").get_value_hint(), ValueHint::Other);
    }
}

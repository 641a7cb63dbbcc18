//! The commands that a caller probably meant by a name that does not exist.
//!
//! Meaning comes first: `remember` is `memorize`, whatever it is spelled like. A name is suggested for its spelling
//! only when it is a slip of the fingers away, and one that takes something away only for a single slip.

use crate::{Effect, Entry, VerbSpec, cli, table};
use brainstem_base::near_names;
use brainstem_base::next::VerbId;

/// What people and models call things, each with the commands that do it, the most likely first.
/// The words before the last of a command are its group: inside a group, only its own rows are read. Options may follow
/// the words.
const MEANINGS: &[(&str, &[&str], &[&str])] = &[
    (
        "",
        &["remember", "save", "add", "store", "write", "record", "put", "create", "new", "insert"],
        &["memorize"],
    ),
    ("", &["search", "find", "recall", "query", "ask", "grep", "lookup"], &["seek"]),
    ("", &["delete", "remove", "rm", "del", "erase", "drop", "purge"], &["retract", "forget"]),
    ("", &["start", "serve", "server", "daemon", "run"], &["up"]),
    ("", &["stop", "shutdown", "halt", "kill", "quit"], &["down"]),
    ("", &["info", "state", "stat", "stats", "st", "where"], &["status"]),
    ("", &["get", "read", "cat", "view", "open", "history"], &["show"]),
    ("", &["ls", "all", "claims", "memories", "labels"], &["list"]),
    ("", &["tag", "topics", "categories", "untag", "retag"], &["tags"]),
    ("", &["update", "change", "modify"], &["edit", "memorize"]),
    ("", &["mv", "move"], &["rename"]),
    ("", &["connect", "setup", "install"], &["init --host HOST", "bootstrap"]),
    ("", &["disconnect", "uninstall"], &["eject"]),
    ("", &["check", "health", "diagnose", "repair", "fix"], &["doctor"]),
    ("", &["task", "context", "begin", "brief", "prime"], &["north"]),
    ("", &["who", "me", "identity"], &["whoami"]),
    ("", &["version"], &["--version"]),
    ("", &["share", "publish"], &["promote"]),
    ("", &["reject", "decline"], &["promote"]),
    ("", &["vote", "rate", "confirm"], &["learn"]),
    ("", &["log", "logs", "acts"], &["audit"]),
    ("", &["send", "message", "msg", "tell", "post"], &["mail send"]),
    ("", &["messages", "unread"], &["inbox list", "mail list"]),
    ("", &["reply", "answer", "respond"], &["mail reply"]),
    ("", &["report", "feedback", "bug", "issue"], &["letter write"]),
    ("", &["letters"], &["letter list"]),
    ("", &["projects", "repos", "stores"], &["brains"]),
    ("", &["settings", "set", "options"], &["config list", "config set"]),
    ("", &["backup", "dump"], &["export"]),
    ("", &["restore", "load"], &["import"]),
    ("", &["reindex", "rebuild"], &["index"]),
    ("", &["sessions"], &["session list"]),
    ("", &["ui", "web", "dashboard", "browser"], &["page"]),
    ("", &["demo", "tutorial", "guide"], &["tour"]),
    ("mail", &["write", "new", "compose", "post"], &["mail send"]),
    ("mail", &["show", "get", "open", "view", "cat"], &["mail read"]),
    ("mail", &["ls", "inbox", "unread", "all"], &["mail list"]),
    ("mail", &["answer", "respond"], &["mail reply"]),
    ("mail", &["find", "query", "grep", "seek"], &["mail search"]),
    ("mail", &["take", "accept", "assign"], &["mail claim"]),
    ("mail", &["done", "seen", "ack"], &["mail mark-read"]),
    ("mail", &["delete", "remove", "rm", "del"], &["mail archive"]),
    ("inbox", &["show", "get", "open", "view", "cat"], &["inbox read"]),
    ("inbox", &["ls", "unread", "all"], &["inbox list"]),
    ("inbox", &["take", "claim", "next"], &["inbox fetch"]),
    ("inbox", &["answer", "respond"], &["inbox reply"]),
    ("inbox", &["ack", "finish", "archive", "mark-read", "delete"], &["inbox done"]),
    ("inbox", &["write", "new", "post", "message"], &["inbox send"]),
    ("inbox", &["find", "query", "grep", "seek"], &["inbox search"]),
    ("inbox", &["poll", "feed", "follow"], &["inbox events", "inbox watch"]),
    ("letter", &["add", "new", "send", "create", "report"], &["letter write"]),
    ("letter", &["ls"], &["letter list"]),
    ("letter", &["mailbox", "inbox"], &["letter box"]),
    ("letter", &["sweep", "triage", "search"], &["letter all"]),
    ("letter", &["deliver", "file"], &["letter distribute"]),
    ("letter", &["answer", "close", "resolve", "reply"], &["letter write"]),
    ("letter", &["read", "get", "open", "view", "cat"], &["letter show"]),
    ("session", &["start", "new", "add", "join", "name"], &["session register"]),
    ("session", &["ls", "all", "show"], &["session list"]),
    ("live", &["tell", "say", "message", "write"], &["live send"]),
    ("live", &["read", "receive", "get"], &["live poll"]),
    ("live", &["follow", "listen", "tail"], &["live watch"]),
    ("live", &["list", "ls", "who"], &["live status"]),
    ("config", &["ls", "all", "show"], &["config list"]),
    ("config", &["read", "print"], &["config get"]),
    ("config", &["write", "change", "add", "put"], &["config set"]),
    ("config", &["where", "file", "location"], &["config path"]),
    ("migrate", &["show", "preview", "status"], &["migrate plan"]),
    ("migrate", &["run", "start", "go"], &["migrate apply"]),
    ("migrate", &["undo", "revert", "back"], &["migrate rollback"]),
];

/// The commands that were probably meant by `given`, a name that `group` does not have, the likeliest first.
///
/// `group` holds the words before the name, `""` for a first word. Returns the words of each command, without
/// `brainstem`, and nothing when no command comes near.
pub fn commands(group: &str, given: &str) -> Vec<String> {
    let given = given.to_lowercase();
    let mut rows = MEANINGS.iter().filter(|(of, _, _)| *of == group);
    let owned = |commands: &[&str]| commands.iter().map(|&command| command.to_owned()).collect();
    if let Some((_, _, commands)) = rows.clone().find(|(_, words, _)| words.contains(&given.as_str())) {
        return owned(commands);
    }
    let spelled = names(group)
        .into_iter()
        .filter(|name| !is_contrary(&given, name))
        .filter_map(|name| {
            let command = if group.is_empty() { name.clone() } else { format!("{group} {name}") };
            let slips = near_names::slips(&given, &name)?;
            (slips <= 1 || !takes_away(&command)).then_some((slips, command))
        })
        .min_by_key(|(slips, _)| *slips);
    if let Some((_, command)) = spelled {
        return vec![command];
    }
    // A slip in a word for something else: `serach` is `search`, which is `seek`.
    // In a shorter word, one slip makes another word.
    let is_slip =
        |word: &&&str| word.len() > 4 && near_names::slips(&given, word).is_some_and(|slips| slips <= 1);
    rows.find(|(_, words, _)| words.iter().find(is_slip).is_some())
        .map_or_else(Vec::new, |(_, _, commands)| owned(commands))
}

/// Whether a word is the contrary of a command's name, as `unclaim` is of `claim`. What takes something back is never
/// answered with what does it.
pub fn is_contrary(given: &str, name: &str) -> bool {
    ["un", "de", "dis"].iter().any(|not| given.strip_prefix(not) == Some(name))
}

/// The verbs that were probably meant by a name that is no verb's: `remember`, `mail_write`.
pub fn verbs(name: &str) -> Vec<&'static Entry> {
    let parts: Vec<&str> = name.split(['_', '-', '.', '/', ' ']).filter(|part| !part.is_empty()).collect();
    let told: Vec<&str> = parts.iter().copied().filter(|part| !SAYS_NOTHING.contains(part)).collect();
    // `memory` alone is a name that somebody gave; in `memory_search` it says nothing.
    [parts, told.clone(), told.into_iter().rev().collect()]
        .iter()
        .filter_map(|parts| parts.split_last())
        .map(|(last, groups)| named(&groups.join(" "), last))
        .find(|entries| !entries.is_empty())
        .unwrap_or_default()
}

/// Words that tell nothing apart in the name of a tool: `mcp__brainstem__seek`, `memory_search`, `memorize_claim`.
const SAYS_NOTHING: &[&str] =
    &["brainstem", "mcp", "memory", "memories", "claim", "claims", "brain", "tool", "a", "the", "to"];

/// The verbs of the commands that a name in a group is, or is meant as.
fn named(group: &str, name: &str) -> Vec<&'static Entry> {
    let command = format!("{group} {name}").trim_start().to_owned();
    let is_it = |command: &str| {
        let words = words_of(command);
        table().iter().find(|entry| entry.spec().cli() == words)
    };
    let own = is_it(&command).map(|entry| vec![entry]);
    own.unwrap_or_else(|| commands(group, name).iter().filter_map(|command| is_it(command)).collect())
}

/// The words of a command without the options that follow them.
fn words_of(command: &str) -> Vec<&str> {
    command.split(' ').take_while(|word| !word.starts_with('-')).collect()
}

/// The names of the commands in a group.
fn names(group: &str) -> Vec<String> {
    let root = cli::command();
    let at =
        group.split(' ').filter(|word| !word.is_empty()).try_fold(&root, |at, word| at.find_subcommand(word));
    at.map_or_else(Vec::new, |at| at.get_subcommands().map(|one| one.get_name().to_owned()).collect())
}

/// Whether a command takes something out of memory, out of a project or out of service.
fn takes_away(command: &str) -> bool {
    let takes_away = |spec: &VerbSpec| {
        spec.effect == Effect::Destructive || [VerbId::Eject, VerbId::SetAside].contains(&spec.verb)
    };
    ["down", "service remove"].contains(&command)
        || table().iter().map(Entry::spec).any(|spec| spec.cli().join(" ") == command && takes_away(spec))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(group: &str, given: &str, expected: &[&str]) {
        assert_eq!(commands(group, given), expected, "{group} {given}");
    }

    #[test] // spec: IF-6
    fn the_contrary_of_a_command_is_not_taken_for_it() {
        check("mail", "unclaim", &[]);
        check("mail", "unarchive", &[]);
        check("session", "unregister", &[]);
        check("mail", "clam", &["mail claim"]);
    }

    #[test] // spec: IF-6
    fn a_name_is_taken_for_what_it_means() {
        check("", "remember", &["memorize"]);
        check("", "save", &["memorize"]);
        check("", "add", &["memorize"]);
        check("", "search", &["seek"]);
        check("", "find", &["seek"]);
        check("", "Recall", &["seek"]);
        check("", "delete", &["retract", "forget"]);
        check("", "remove", &["retract", "forget"]);
        check("", "start", &["up"]);
        check("", "stop", &["down"]);
        check("mail", "delete", &["mail archive"]);
        check("letter", "read", &["letter show"]);
        check("", "labels", &["list"]);
        check("", "topics", &["tags"]);
        check("", "untag", &["tags"]);
    }

    #[test] // spec: IF-6
    fn a_slip_of_the_fingers_is_seen_and_nothing_further_away() {
        check("", "whoamy", &["whoami"]);
        check("", "memorise", &["memorize"]);
        check("", "lsit", &["list"]);
        check("", "serach", &["seek"]);
        check("", "forgt", &["forget"]);
        check("mail", "sned", &["mail send"]);
        check("", "nonsense", &[]);
        check("", "xy", &[]);
        check("nowhere", "send", &[]);
    }

    #[test] // spec: IF-6
    fn what_takes_something_away_is_suggested_for_one_slip_alone() {
        check("", "retrat", &["retract"]);
        check("", "retraxx", &[]);
        check("", "distract", &[]);
        check("", "forgery", &[]);
    }

    #[test] // spec: IF-6
    fn every_suggestion_is_a_command_and_no_word_of_the_table_is_one() {
        let root = cli::command();
        let find = |command: &str| {
            let mut words = words_of(command).into_iter().filter(|word| !word.is_empty());
            let at = words.try_fold(&root, |at, word| at.find_subcommand(word));
            let option = command.split(' ').find_map(|word| word.strip_prefix("--"));
            let has =
                |at: &clap::Command, option| at.get_arguments().any(|arg| arg.get_long() == Some(option));
            at.is_some_and(|at| option.is_none_or(|option| option == "version" || has(at, option)))
        };
        for (group, words, meant) in MEANINGS {
            for command in *meant {
                assert!(find(command), "{command}");
            }
            for word in *words {
                assert!(!find(&format!("{group} {word}")), "{group} {word} exists");
                let rows = MEANINGS.iter().filter(|(of, words, _)| of == group && words.contains(word));
                assert_eq!(rows.count(), 1, "{group} {word}");
            }
        }
    }

    #[test] // spec: IF-8
    fn verbs_are_found_by_the_names_that_tools_would_have() {
        let ids = |name| verbs(name).iter().map(|entry| entry.spec().id()).collect::<Vec<_>>();
        assert_eq!(ids("remember"), ["memorize"]);
        assert_eq!(ids("delete"), ["retract", "forget"]);
        assert_eq!(ids("mail_write"), ["mail_send"]);
        for search in
            ["search_memory", "memory_search", "brainstem_seek", "mcp__brainstem__seek", "seek.memory"]
        {
            assert_eq!(ids(search), ["seek"], "{search}");
        }
        for write in ["add_memory", "store_memory", "memorize_claim", "brainstem.remember"] {
            assert_eq!(ids(write), ["memorize"], "{write}");
        }
        assert_eq!(ids("send_mail"), ["mail_send"]);
        assert_eq!(ids("connect"), ["init", "bootstrap"]);
        assert_eq!(ids("memory"), [] as [&str; 0]);
        assert_eq!(ids("start"), [] as [&str; 0], "the daemon is no verb");
        assert_eq!(ids(""), [] as [&str; 0]);
    }
}

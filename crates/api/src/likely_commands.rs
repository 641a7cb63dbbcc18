//! The commands that a caller probably meant by a name that does not exist.
//!
//! Meaning comes first: `remember` is `memorize`, whatever it is spelled like. A name is suggested for its spelling
//! only when it is a slip of the fingers away, and one that takes something away only for a single slip.

use crate::command_name::CommandName;
use crate::{Effect, Entry, VerbSpec, cli, table};
use brainstem_base::near_names;
use brainstem_base::next::VerbId;
use std::fmt;

/// A command that is suggested.
#[derive(Clone, Copy)]
enum Suggestion {
    Command(CommandName),
    /// A command with an option behind its words.
    WithOption(CommandName, &'static str),
    /// The option of the program that prints its version.
    Version,
}

const fn verb(verb: VerbId) -> Suggestion {
    Suggestion::Command(CommandName::Verb(verb))
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => f.write_str(&command.words().join(" ")),
            Self::WithOption(command, option) => write!(f, "{} {option}", command.words().join(" ")),
            Self::Version => f.write_str("--version"),
        }
    }
}

/// The group of the first words.
const TOP: &str = "";
const MAIL: &str = VerbId::MailSend.group();
const INBOX: &str = VerbId::InboxList.group();
const LETTER: &str = VerbId::LetterWrite.group();
const SESSION: &str = VerbId::SessionList.group();
const LIVE: &str = VerbId::LiveSend.group();
const CONFIG: &str = VerbId::ConfigList.group();
const MIGRATE: &str = VerbId::MigratePlan.group();

/// What people and models call things, each with the commands that do it, the most likely first. The first column is the
/// group in which a caller tries the words: only its own rows are read there.
const MEANINGS: &[(&str, &[&str], &[Suggestion])] = &[
    (
        TOP,
        &["remember", "save", "add", "store", "write", "record", "put", "create", "new", "insert"],
        &[verb(VerbId::Memorize)],
    ),
    (TOP, &["search", "find", "recall", "query", "ask", "grep", "lookup"], &[verb(VerbId::Seek)]),
    (
        TOP,
        &["delete", "remove", "rm", "del", "erase", "drop", "purge"],
        &[verb(VerbId::Retract), verb(VerbId::Forget)],
    ),
    (TOP, &["start", "serve", "server", "daemon", "run"], &[Suggestion::Command(CommandName::Up)]),
    (TOP, &["stop", "shutdown", "halt", "kill", "quit"], &[Suggestion::Command(CommandName::Down)]),
    (TOP, &["info", "state", "stat", "stats", "st", "where"], &[verb(VerbId::Status)]),
    (TOP, &["get", "cat", "view", "open", "history"], &[verb(VerbId::Show)]),
    (TOP, &["read"], &[verb(VerbId::Show), verb(VerbId::MailRead), verb(VerbId::InboxList)]),
    (TOP, &["ls", "all", "claims", "memories", "labels"], &[verb(VerbId::List)]),
    (TOP, &["topics", "categories"], &[verb(VerbId::Tags)]),
    (
        TOP,
        &["tag", "untag", "retag"],
        &[Suggestion::WithOption(CommandName::Verb(VerbId::Edit), "--tags TAGS LABEL"), verb(VerbId::Tags)],
    ),
    (TOP, &["update", "change", "modify"], &[verb(VerbId::Edit), verb(VerbId::Memorize)]),
    (TOP, &["mv", "move"], &[verb(VerbId::Rename)]),
    (
        TOP,
        &["connect", "setup", "install"],
        &[Suggestion::WithOption(CommandName::Verb(VerbId::Init), "--host HOST"), verb(VerbId::Bootstrap)],
    ),
    (TOP, &["disconnect", "uninstall"], &[verb(VerbId::Eject)]),
    (TOP, &["check", "health", "diagnose", "repair", "fix"], &[verb(VerbId::Doctor)]),
    (TOP, &["task", "context", "begin", "brief", "prime"], &[verb(VerbId::North)]),
    (TOP, &["who", "me", "identity"], &[verb(VerbId::Whoami)]),
    (TOP, &["version"], &[Suggestion::Version]),
    (TOP, &["share", "publish"], &[verb(VerbId::Init), verb(VerbId::Promote)]),
    (TOP, &["sync", "pull", "push"], &[verb(VerbId::Init), verb(VerbId::Resolve)]),
    (TOP, &["undo", "revert"], &[verb(VerbId::Retract), verb(VerbId::Show), verb(VerbId::Memorize)]),
    (TOP, &["restore", "undelete"], &[verb(VerbId::Show), verb(VerbId::Memorize), verb(VerbId::Import)]),
    (TOP, &["reject", "decline"], &[verb(VerbId::Promote)]),
    (TOP, &["vote", "rate", "confirm"], &[verb(VerbId::Learn)]),
    (
        TOP,
        &["log", "logs", "acts"],
        &[
            Suggestion::WithOption(CommandName::Verb(VerbId::List), "--since yesterday"),
            verb(VerbId::Show),
            verb(VerbId::Audit),
        ],
    ),
    (TOP, &["send", "message", "msg", "tell", "post"], &[verb(VerbId::MailSend)]),
    (TOP, &["messages", "unread"], &[verb(VerbId::InboxList), verb(VerbId::MailList)]),
    (TOP, &["reply", "answer", "respond"], &[verb(VerbId::MailReply)]),
    (TOP, &["report", "feedback", "bug", "issue"], &[verb(VerbId::LetterWrite)]),
    (TOP, &["letters"], &[verb(VerbId::LetterList)]),
    (TOP, &["projects", "repos", "stores"], &[verb(VerbId::Brains)]),
    (TOP, &["settings", "set", "options"], &[verb(VerbId::ConfigList), verb(VerbId::ConfigSet)]),
    (
        TOP,
        &["backup", "dump", "snapshot"],
        &[
            Suggestion::WithOption(CommandName::Verb(VerbId::Export), "--all --format dir --out FOLDER"),
            verb(VerbId::Export),
        ],
    ),
    (TOP, &["load"], &[verb(VerbId::Import)]),
    (TOP, &["reindex", "rebuild"], &[verb(VerbId::Index)]),
    (TOP, &["sessions"], &[verb(VerbId::SessionList)]),
    (TOP, &["ui", "web", "dashboard", "browser"], &[Suggestion::Command(CommandName::Page)]),
    (TOP, &["demo", "tutorial", "guide"], &[Suggestion::Command(CommandName::Tour)]),
    (MAIL, &["write", "new", "compose", "post"], &[verb(VerbId::MailSend)]),
    (MAIL, &["show", "get", "open", "view", "cat"], &[verb(VerbId::MailRead)]),
    (MAIL, &["ls", "inbox", "unread", "all"], &[verb(VerbId::MailList)]),
    (MAIL, &["answer", "respond"], &[verb(VerbId::MailReply)]),
    (MAIL, &["find", "query", "grep", "seek"], &[verb(VerbId::MailSearch)]),
    (MAIL, &["take", "accept", "assign"], &[verb(VerbId::MailClaim)]),
    (MAIL, &["done", "seen", "ack"], &[verb(VerbId::MailMarkRead)]),
    (MAIL, &["delete", "remove", "rm", "del"], &[verb(VerbId::MailArchive)]),
    (INBOX, &["show", "get", "open", "view", "cat"], &[verb(VerbId::InboxRead)]),
    (INBOX, &["ls", "unread", "all"], &[verb(VerbId::InboxList)]),
    (INBOX, &["take", "claim", "next"], &[verb(VerbId::InboxFetch)]),
    (INBOX, &["answer", "respond"], &[verb(VerbId::InboxReply)]),
    (INBOX, &["ack", "finish", "archive", "mark-read", "delete"], &[verb(VerbId::InboxDone)]),
    (INBOX, &["write", "new", "post", "message"], &[verb(VerbId::InboxSend)]),
    (INBOX, &["find", "query", "grep", "seek"], &[verb(VerbId::InboxSearch)]),
    (INBOX, &["accept", "deny", "block", "close", "allow"], &[verb(VerbId::InboxDecide)]),
    (INBOX, &["outsiders", "connections", "pending"], &[verb(VerbId::InboxRequests)]),
    (INBOX, &["poll", "feed", "follow"], &[verb(VerbId::InboxEvents), verb(VerbId::InboxWatch)]),
    (LETTER, &["add", "new", "send", "create", "report"], &[verb(VerbId::LetterWrite)]),
    (LETTER, &["ls"], &[verb(VerbId::LetterList)]),
    (LETTER, &["mailbox", "inbox"], &[verb(VerbId::LetterBox)]),
    (LETTER, &["sweep", "triage", "search"], &[verb(VerbId::LetterAll)]),
    (LETTER, &["deliver", "file"], &[verb(VerbId::LetterDistribute)]),
    (LETTER, &["answer", "close", "resolve", "reply"], &[verb(VerbId::LetterWrite)]),
    (LETTER, &["read", "get", "open", "view", "cat"], &[verb(VerbId::LetterShow)]),
    (SESSION, &["start", "new", "add", "join", "name"], &[verb(VerbId::SessionRegister)]),
    (SESSION, &["ls", "all", "show"], &[verb(VerbId::SessionList)]),
    (LIVE, &["tell", "say", "message", "write"], &[verb(VerbId::LiveSend)]),
    (LIVE, &["read", "receive", "get"], &[verb(VerbId::LivePoll)]),
    (LIVE, &["follow", "listen", "tail"], &[verb(VerbId::LiveWatch)]),
    (LIVE, &["list", "ls", "who"], &[verb(VerbId::LiveStatus)]),
    (CONFIG, &["ls", "all", "show"], &[verb(VerbId::ConfigList)]),
    (CONFIG, &["read", "print"], &[verb(VerbId::ConfigGet)]),
    (CONFIG, &["write", "change", "add", "put"], &[verb(VerbId::ConfigSet)]),
    (CONFIG, &["where", "file", "location"], &[verb(VerbId::ConfigPath)]),
    (MIGRATE, &["show", "preview", "status"], &[verb(VerbId::MigratePlan)]),
    (MIGRATE, &["run", "start", "go"], &[verb(VerbId::MigrateApply)]),
    (MIGRATE, &["undo", "revert", "back"], &[verb(VerbId::MigrateRollback)]),
];

/// Returns the commands that a caller probably meant by `given`, a name that `group` does not have, the likeliest first.
/// Each is its words without `brainstem`; the list is empty if no command comes near.
///
/// `group` holds the words before the name, `""` for a first word.
pub fn commands(group: &str, given: &str) -> Vec<String> {
    let given = given.to_lowercase();
    let mut rows = MEANINGS.iter().filter(|(of, _, _)| *of == group);
    let shown = |suggestions: &[Suggestion]| suggestions.iter().map(Suggestion::to_string).collect();
    if let Some((_, _, suggestions)) = rows.clone().find(|(_, words, _)| words.contains(&given.as_str())) {
        return shown(suggestions);
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
        .map_or_else(Vec::new, |(_, _, suggestions)| shown(suggestions))
}

/// Whether a word is the contrary of a command's name, as `unclaim` is of `claim`. A command that takes something back
/// must not be answered with the one that does it.
pub fn is_contrary(given: &str, name: &str) -> bool {
    ["un", "de", "dis"].iter().any(|not| given.strip_prefix(not) == Some(name))
}

/// Returns the verbs that a caller probably meant by a name that no verb has: `remember`, `mail_write`.
pub fn verbs(name: &str) -> Vec<&'static Entry> {
    let parts: Vec<&str> = name.split(['_', '-', '.', '/', ' ']).filter(|part| !part.is_empty()).collect();
    let telling: Vec<&str> = parts.iter().copied().filter(|part| !FILLER_WORDS.contains(part)).collect();
    // `memory` alone is a name to look for; in `memory_search` it says nothing.
    [parts, telling.clone(), telling.into_iter().rev().collect()]
        .iter()
        .filter_map(|parts| parts.split_last())
        .map(|(last, groups)| named(&groups.join(" "), last))
        .find(|entries| !entries.is_empty())
        .unwrap_or_default()
}

/// Words that say nothing in the name of a tool: `mcp__brainstem__seek`, `memory_search`, `memorize_claim`.
const FILLER_WORDS: &[&str] =
    &["brainstem", "mcp", "memory", "memories", "claim", "claims", "brain", "tool", "a", "the", "to"];

/// Returns the verb of this name in a group, or else those that were probably meant by it.
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
    let stops_daemon = |name: CommandName| name.words().join(" ") == command;
    [CommandName::Down, CommandName::ServiceRemove].into_iter().any(stops_daemon)
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
        check("", "share", &["init", "promote"]);
        check("", "sync", &["init", "resolve"]);
        check("", "undo", &["retract", "show", "memorize"]);
        check("", "restore", &["show", "memorize", "import"]);
        check("", "read", &["show", "mail read", "inbox list"]);
        check("", "log", &["list --since yesterday", "show", "audit"]);
        check("", "untag", &["edit --tags TAGS LABEL", "tags"]);
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
            for command in meant.iter().map(Suggestion::to_string) {
                assert!(find(&command), "{command}");
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

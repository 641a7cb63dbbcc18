//! Command lines that cannot be parsed, with a refusal like every other.

use brainstem_api::cli::Globals;
use brainstem_api::command_name::CommandName::{self, Verb};
use brainstem_api::{cli, likely_commands};
use brainstem_base::next::{Shell, TypedOption, VerbId};
use brainstem_base::{Advice, Fault, advice, codes, near_names};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// How to write a value that begins like an option. clap's own advice fits only a value without an option, and cuts the value.
const LEADING_HYPHEN: &str =
    "a value that begins with - is written --option='- VALUE', and one without an option comes after --";

/// The words as text. Refuses a word that is not UTF-8.
pub(crate) fn words(args: impl Iterator<Item = OsString>) -> Result<Vec<String>, Fault> {
    args.enumerate()
        .map(|(n, word)| {
            word.into_string().map_err(|word| {
                let shown = word.to_string_lossy().into_owned();
                Fault::new(
                    codes::INPUT_NOT_UTF8,
                    format!("word {n} of the command line is not UTF-8: {shown:?}"),
                )
                .fix("write it in UTF-8; a text in another encoding can come from a file once converted")
            })
        })
        .collect()
}

/// The global options of a line that cannot be parsed, as far as they can be read.
pub(crate) fn typed(words: &[String]) -> Vec<TypedOption> {
    let mut globals = Globals::default();
    let mut words = words.iter().skip(1).take_while(|word| *word != "--");
    // Behind the command, a tag may be one of a message.
    let mut is_before_command = true;
    while let Some(word) = words.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        is_before_command &= option.starts_with('-');
        if !["--as", "--root", "--home", "--session", "--mail-root", "--tag"].contains(&option) {
            continue;
        }
        let Some(value) = value.or_else(|| words.next().cloned()) else { break };
        match option {
            "--as" => globals.agent = Some(value),
            "--root" => globals.root = Some(value.into()),
            "--home" => globals.home = Some(value.into()),
            "--session" => globals.session = Some(value),
            "--mail-root" => globals.mail_root = Some(value.into()),
            _ if is_before_command => globals.tags.push(value),
            _ => {}
        }
    }
    globals.typed()
}

/// The message and the fix of an error of clap.
pub(crate) fn fault(error: &clap::Error) -> Fault {
    let rendered = error.render().to_string();
    if let Some(fault) = unknown_command(error, &rendered) {
        return fault;
    }
    let mut message = Vec::new();
    let mut hints: Vec<String> = Vec::new();
    let mut paragraphs = 0;
    for line in rendered.lines().map(str::trim) {
        if line.starts_with("tip: to pass") {
            hints.push(LEADING_HYPHEN.to_owned());
        } else if let Some(tip) = line.strip_prefix("tip:") {
            hints.push(tip.trim().to_owned());
        } else if let Some(usage) = line.strip_prefix("Usage:") {
            hints.push(format!("usage: {}", usage.trim()));
        } else if line.is_empty() {
            paragraphs += 1;
        } else if paragraphs == 0 {
            message.push(line.strip_prefix("error: ").unwrap_or(line));
        }
    }
    if let Some(fault) = unknown_option(error, &rendered, message.join(" ")) {
        return fault;
    }
    hints.splice(..0, word_hint(error, &rendered));
    hints.push("more with --help".to_owned());
    Fault::new(codes::INPUT_UNPARSABLE, message.join(" ")).fix(hints.join("; ")).rule("IF-4")
}

/// The refusal of a command that does not exist, with the commands that do what its name says.
///
/// clap's suggestions go by spelling alone, and answer `start` with `retract`.
fn unknown_command(error: &clap::Error, rendered: &str) -> Option<Fault> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let usage = rendered.lines().find_map(|line| line.trim().strip_prefix("Usage: brainstem"));
    let words = usage.unwrap_or_default().split_whitespace();
    let group: Vec<&str> = words.take_while(|word| !word.starts_with(['[', '<', '-'])).collect();
    let group = group.join(" ");
    let whole = format!("brainstem {group}").trim_end().to_owned();
    let shown: String = word.chars().take(80).collect();
    let commands = likely_commands::commands(&group, word);
    let mut fix = Advice::default();
    for (at, command) in commands.iter().enumerate() {
        let about = cli::about(command).map(|about| format!(" ({about})")).unwrap_or_default();
        let before = if at == 0 { "did you mean `" } else { " or `" };
        fix.push(advice![before.to_owned(), Shell::line(format!("brainstem {command}")), "`", about]);
    }
    if !fix.is_empty() {
        fix.push("? ");
    }
    if group.is_empty() && ["move", "mv"].contains(&word.as_str()) {
        fix.push("A repository that was moved keeps its memory: there is nothing to do. ");
    }
    if group == VerbId::LetterWrite.group() && commands.is_empty() {
        let words = VerbId::LetterWrite.words().join(" ");
        let write = format!("brainstem {words} --class CLASS --what TEXT");
        fix.push(advice!["`", Shell::line(write), "` writes one. "]);
    }
    fix.push(format!("{whole} --help lists the commands"));
    Some(
        Fault::new(codes::INPUT_UNPARSABLE, format!("`{whole}` has no command {shown:?}"))
            .fix(fix)
            .rule("IF-4"),
    )
}

/// The hint for a line that lacks a value or has a word too many.
struct WordHint {
    /// The commands that such lines begin with.
    at: &'static [CommandName],
    /// What is wrong with the line.
    fault: ErrorKind,
    /// The pieces of the hint.
    hint: &'static [&'static str],
}

const WORDS: &[WordHint] = &[
    WordHint {
        at: &[Verb(VerbId::Seek)],
        fault: ErrorKind::MissingRequiredArgument,
        hint: &[
            "`brainstem ",
            VerbId::List.id(),
            "` lists claims without a question, also with --tag, --agent, --since or --state",
        ],
    },
    WordHint {
        at: &[Verb(VerbId::MailReply)],
        fault: ErrorKind::MissingRequiredArgument,
        hint: &["name the message that you answer, as a list of your mail names it"],
    },
    WordHint {
        at: &[Verb(VerbId::LetterWrite)],
        fault: ErrorKind::MissingRequiredArgument,
        hint: &["--class is friction, bug, win, memory_misdelivery, triage, receipt or a word of your own"],
    },
    WordHint {
        at: &[Verb(VerbId::Tags)],
        fault: ErrorKind::UnknownArgument,
        hint: &["`brainstem ", VerbId::List.id(), " --tag TAG` lists the claims that carry a tag"],
    },
    WordHint {
        at: &[Verb(VerbId::Export)],
        fault: ErrorKind::UnknownArgument,
        hint: &["--out FILE says where it goes"],
    },
    WordHint {
        at: &[Verb(VerbId::MailSend)],
        fault: ErrorKind::UnknownArgument,
        hint: &[
            "--to NAME says who gets it, --type TYPE what kind of message it is, and --body TEXT what it says",
        ],
    },
    WordHint {
        at: &[Verb(VerbId::MailSend)],
        fault: ErrorKind::ValueValidation,
        hint: &["--to NAME says who gets it, and --body TEXT what it says"],
    },
    WordHint {
        at: &[
            Verb(VerbId::Show),
            Verb(VerbId::Retract),
            Verb(VerbId::Edit),
            Verb(VerbId::Forget),
            Verb(VerbId::Verify),
            Verb(VerbId::Promote),
        ],
        fault: ErrorKind::UnknownArgument,
        hint: &["a label of several words is quoted: \"Test port\""],
    },
];

/// Returns what helps with a line that lacks a value or has a word too many.
fn word_hint(error: &clap::Error, rendered: &str) -> Option<String> {
    let usage = rendered.lines().find_map(|line| line.trim().strip_prefix("Usage: brainstem"));
    let words = usage.unwrap_or_default().split_whitespace();
    let command: Vec<&str> = words.take_while(|word| !word.starts_with(['[', '<', '-'])).collect();
    let is_it =
        |row: &&WordHint| row.fault == error.kind() && row.at.iter().any(|at| at.is_called_by(&command));
    WORDS.iter().find(is_it).map(|row| row.hint.concat())
}

/// What people and models call an option, and its name.
struct OptionHint {
    /// The commands at which they try it; empty for all commands.
    at: &'static [CommandName],
    /// The names that they try.
    tried: &'static [&'static str],
    /// The pieces of the hint.
    hint: &'static [&'static str],
}

/// The hints; the first that fits counts.
const OPTIONS: &[OptionHint] = &[
    OptionHint {
        at: &[Verb(VerbId::LetterBox), Verb(VerbId::LetterList)],
        tried: &["medulla"],
        hint: &["the medulla's box is asked for with --brain medulla"],
    },
    OptionHint {
        at: &[CommandName::Up, CommandName::ServiceInstall],
        tried: &["port", "p", "host", "address", "listen"],
        hint: &["--bind ADDRESS:PORT says where it listens, for example --bind 127.0.0.1:8000"],
    },
    OptionHint {
        at: &[CommandName::Up],
        tried: &["daemon", "background", "d"],
        hint: &["--detach leaves it running in the background"],
    },
    OptionHint {
        at: &[Verb(VerbId::Memorize)],
        tried: &["content", "body", "message", "note", "description", "value", "m"],
        hint: &["--text TEXT is what the claim says"],
    },
    OptionHint {
        at: &[Verb(VerbId::Memorize)],
        tried: &["file", "from-file", "input", "path"],
        hint: &["--text-file FILE takes the text from a file"],
    },
    OptionHint {
        at: &[Verb(VerbId::LetterWrite)],
        tried: &["text", "body", "message", "content", "description"],
        hint: &["--what TEXT says what happened"],
    },
    OptionHint {
        at: &[Verb(VerbId::LetterWrite)],
        tried: &["file", "from-file", "input"],
        hint: &["--snippet-file FILE takes the snippet from a file; --what TEXT says what happened"],
    },
    OptionHint {
        at: &[Verb(VerbId::LetterWrite)],
        tried: &["project"],
        hint: &["--repo NAME is the project that it is about"],
    },
    OptionHint {
        at: &[Verb(VerbId::MailSend), Verb(VerbId::MailReply), Verb(VerbId::LiveSend)],
        tried: &["message", "text", "content", "msg", "b", "m"],
        hint: &["--body TEXT is what the message says"],
    },
    OptionHint {
        at: &[Verb(VerbId::MailSend), Verb(VerbId::MailReply), Verb(VerbId::LiveSend)],
        tried: &["file", "from-file", "input"],
        hint: &["--body-file FILE takes the text from a file"],
    },
    OptionHint {
        at: &[Verb(VerbId::MailSend), Verb(VerbId::LiveSend)],
        tried: &["title"],
        hint: &["--subject TEXT is what it is about, in one line"],
    },
    OptionHint {
        at: &[Verb(VerbId::MailSend)],
        tried: &["recipient", "target"],
        hint: &["--to NAME says who gets it"],
    },
    OptionHint {
        at: &[Verb(VerbId::LiveSend)],
        tried: &["to", "recipient"],
        hint: &["--target NAME says who gets it"],
    },
    OptionHint {
        at: &[
            Verb(VerbId::MailSend),
            Verb(VerbId::MailReply),
            Verb(VerbId::LiveSend),
            Verb(VerbId::MailList),
        ],
        tried: &["kind", "class"],
        hint: &["--type TYPE says what kind of message it is"],
    },
    OptionHint {
        at: &[Verb(VerbId::MailList)],
        tried: &["unread", "new"],
        hint: &["it lists what is unread without an option; --folder read lists what was read"],
    },
    OptionHint {
        at: &[Verb(VerbId::Seek)],
        tried: &["all-brains", "all", "global", "everywhere", "brains"],
        hint: &["--tier all-brains asks every brain of this home"],
    },
    OptionHint {
        at: &[Verb(VerbId::List)],
        tried: &["all-brains", "all", "everywhere", "brains"],
        hint: &[
            "it lists the project and the medulla; `brainstem ",
            VerbId::Seek.id(),
            " QUERY --tier all-brains` asks every brain of this home",
        ],
    },
    OptionHint {
        at: &[
            Verb(VerbId::Seek),
            Verb(VerbId::List),
            Verb(VerbId::Memorize),
            Verb(VerbId::Show),
            Verb(VerbId::Retract),
            Verb(VerbId::Learn),
            Verb(VerbId::Edit),
            Verb(VerbId::Forget),
        ],
        tried: &["medulla", "global"],
        hint: &["--tier medulla means the medulla"],
    },
    OptionHint {
        at: &[
            Verb(VerbId::Seek),
            Verb(VerbId::List),
            Verb(VerbId::MailList),
            Verb(VerbId::MailSearch),
            Verb(VerbId::LetterList),
        ],
        tried: &["max", "count", "top", "top-k", "n"],
        hint: &["--limit N says how many are shown"],
    },
    OptionHint {
        at: &[Verb(VerbId::Forget)],
        tried: &["force", "confirm", "sure"],
        hint: &["--yes forgets without asking"],
    },
    OptionHint {
        at: &[Verb(VerbId::Promote)],
        tried: &["to", "tier", "target", "medulla"],
        hint: &[
            "a promotion goes to the medulla without an option; --brain ROOT names the project that the claim is from",
        ],
    },
    OptionHint {
        at: &[Verb(VerbId::Retract), Verb(VerbId::Promote)],
        tried: &["why", "comment", "note", "message", "r", "m"],
        hint: &["--reason TEXT says why"],
    },
    OptionHint {
        at: &[Verb(VerbId::Export)],
        tried: &["output", "file", "to", "o"],
        hint: &["--out FILE says where it goes"],
    },
    OptionHint {
        at: &[Verb(VerbId::North), Verb(VerbId::Delegate)],
        tried: &["budget", "tokens", "max-tokens"],
        hint: &["--budget-tokens N says how long it may be"],
    },
    OptionHint {
        at: &[Verb(VerbId::Delegate)],
        tried: &["file", "from-file", "input"],
        hint: &["--task-file FILE takes the task from a file"],
    },
    OptionHint {
        at: &[Verb(VerbId::List)],
        tried: &["by", "author", "from", "user", "who"],
        hint: &["--agent NAME shows what that agent wrote"],
    },
    OptionHint {
        at: &[Verb(VerbId::Seek)],
        tried: &["author", "from", "user", "who"],
        hint: &["--agent NAME shows what that agent wrote"],
    },
    OptionHint {
        at: &[Verb(VerbId::Doctor)],
        tried: &["fix", "repair", "auto-fix"],
        hint: &["it changes nothing: each finding names what mends it; --sweep removes what nothing needs"],
    },
    OptionHint {
        at: &[],
        tried: &["agent", "agent-id", "author", "user", "by", "identity"],
        hint: &["--as AGENT says who calls"],
    },
    OptionHint {
        at: &[],
        tried: &["project", "cwd", "dir", "directory", "workspace", "repo", "repository"],
        hint: &["--root PATH says in which project the call is made"],
    },
];

/// The refusal of an option that a command does not have, with its name there.
///
/// clap's suggestions answer `--content` with `--confidence`, and its usage line repeats that.
fn unknown_option(error: &clap::Error, rendered: &str, message: String) -> Option<Fault> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let (is_option, word) = (given.starts_with('-'), given.trim_start_matches('-'));
    let word = word.split('=').next().unwrap_or(word);
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
        return None;
    }
    let mut root = cli::command();
    root.build();
    let usage = rendered.lines().find_map(|line| line.trim().strip_prefix("Usage: brainstem"))?;
    let mut at = &root;
    let mut words = Vec::new();
    for part in usage.split_whitespace() {
        let Some(command) = at.find_subcommand(part) else { break };
        (at, _) = (command, words.push(part));
    }
    let command = words.join(" ");
    let is_here = |at: &[CommandName]| at.is_empty() || at.iter().any(|command| command.is_called_by(&words));
    let meant = OPTIONS.iter().find(|row| is_here(row.at) && row.tried.contains(&word));
    let placed = || {
        let is_it = |place: &&clap::Arg| place.get_id().as_str().replace('_', "-") == word;
        let place = at.get_positionals().find(is_it)?;
        Some(format!("{} is written without an option", place.get_id().as_str().to_uppercase()))
    };
    let near = || {
        let longs = at.get_arguments().filter(|option| !option.is_hide_set()).filter_map(clap::Arg::get_long);
        let near = longs.filter_map(|long| Some((near_names::slips(word, long)?, long))).min();
        near.map(|(_, long)| format!("did you mean --{long}?"))
    };
    // A word too many is not an option, unless people try it as one there.
    if !is_option && meant.is_none_or(|row| row.at.is_empty()) {
        return None;
    }
    let version =
        || (words.is_empty() && word == "v").then(|| "--version says which version this is".to_owned());
    let hint = meant.map(|row| row.hint.concat()).or_else(version).or_else(placed).or_else(near);
    let usage = at.clone().bin_name(format!("brainstem {command}").trim_end()).render_usage().to_string();
    let usage = usage.split_whitespace().collect::<Vec<_>>().join(" ").replacen("Usage:", "usage:", 1);
    let hints: Vec<String> = hint.into_iter().chain([usage, "more with --help".to_owned()]).collect();
    Some(Fault::new(codes::INPUT_UNPARSABLE, message).fix(hints.join("; ")).rule("IF-4"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the fix of a command line that cannot be parsed.
    fn fix(line: &str) -> String {
        let error = cli::command().try_get_matches_from(line.split(' ')).expect_err("it cannot be parsed");
        fault(&error).fix.map(|fix| fix.to_string()).unwrap_or_default()
    }

    #[test] // spec: IF-4
    fn an_option_that_is_called_otherwise_is_named_as_it_is_called() {
        for (line, named) in [
            ("brainstem memorize X --text y --agent codex", "--as AGENT"),
            ("brainstem memorize X --content y", "--text TEXT"),
            ("brainstem memorize X --file f", "--text-file FILE"),
            ("brainstem forget X --force", "--yes"),
            ("brainstem promote X --to medulla --reason r", "goes to the medulla without an option"),
            ("brainstem mail send --to a --type task --message c", "--body TEXT"),
            ("brainstem mail list --unread", "lists what is unread without an option"),
            ("brainstem seek x --all-brains", "--tier all-brains"),
            ("brainstem list --all", "brainstem seek QUERY --tier all-brains"),
            ("brainstem seek x -n 3", "--limit N"),
            ("brainstem memorize x -m y", "--text TEXT"),
            ("brainstem retract x -r y", "--reason TEXT"),
            ("brainstem export -o f", "--out FILE"),
            ("brainstem up --background", "--detach"),
            ("brainstem letter write --class bug --text y", "--what TEXT"),
            ("brainstem north --task x", "TASK is written without an option"),
            ("brainstem show --label=x", "LABEL is written without an option"),
            ("brainstem memorize X --txt y", "did you mean --text?"),
            ("brainstem list --teir medulla", "did you mean --tier?"),
            ("brainstem up --port 1", "--bind ADDRESS:PORT"),
            ("brainstem list --by codex", "--agent NAME"),
            ("brainstem mail send --to a --type task --body b --repo ../web", "--root PATH"),
            ("brainstem doctor --fix", "each finding names what mends it"),
            ("brainstem -v", "--version"),
        ] {
            let fix = fix(line);
            assert!(fix.contains(named), "{line}: {fix}");
            assert!(!fix.contains("similar") && !fix.contains("begins with -"), "{line}: {fix}");
        }
        // A word that is near nothing is answered with the usage alone.
        assert!(
            fix("brainstem list --zzzzzz").starts_with("usage: brainstem list"),
            "{}",
            fix("brainstem list --zzzzzz")
        );
    }

    #[test] // spec: IF-4, IF-6
    fn a_line_that_lacks_a_word_or_has_one_too_many_is_answered_with_what_helps() {
        for (line, told) in [
            ("brainstem seek --tag testing", "`brainstem list` lists claims without a question"),
            ("brainstem show Test port", "a label of several words is quoted"),
            ("brainstem export cherry.jsonl", "--out FILE"),
            ("brainstem mail send codex hello", "--to NAME"),
            ("brainstem mail reply --body yes", "name the message that you answer"),
            ("brainstem letter write --what x", "--class is friction, bug, win"),
            ("brainstem letter broke", "brainstem letter write --class CLASS --what TEXT"),
            ("brainstem tags testing", "brainstem list --tag TAG"),
            ("brainstem move", "keeps its memory: there is nothing to do"),
        ] {
            assert!(fix(line).contains(told), "{line}: {}", fix(line));
        }
    }

    #[test] // spec: IF-4
    fn a_command_that_is_advised_repeats_the_options_that_were_typed() {
        let line = "brainstem --root /src/a --as=codex:w1 --session w1 --tag t mail lst --home /h --tag x";
        let error = cli::command().try_get_matches_from(line.split(' ')).expect_err("it cannot be parsed");
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let fix = fault(&error).fix.expect("a fix").line_with(&typed(&words));
        let told = "`brainstem --as codex:w1 --root /src/a --home /h --session w1 --tag t mail list`";
        assert!(fix.contains(told), "{fix}");
        let words = ["brainstem", "sek", "x", "--", "--as", "y"].map(str::to_owned);
        assert_eq!(typed(&words), [], "behind -- are no options");
        assert_eq!(typed(&["brainstem", "--as"].map(str::to_owned)), []);
    }

    #[test] // spec: IF-4
    fn every_option_that_is_named_is_one_of_the_command() {
        let mut root = cli::command();
        root.build();
        for row in OPTIONS {
            let every = row.at.is_empty();
            for command in row.at.iter().chain(every.then_some(&Verb(VerbId::Memorize))) {
                let at = command.words().iter().try_fold(&root, |at, word| at.find_subcommand(word));
                let at = at.unwrap_or_else(|| panic!("no command {command:?}"));
                let has = |name: &str| {
                    let mut names =
                        at.get_arguments().chain(root.get_arguments()).filter_map(clap::Arg::get_long);
                    names.any(|long| long == name)
                };
                for option in
                    row.hint.concat().split([' ', ',', ';']).filter_map(|word| word.strip_prefix("--"))
                {
                    assert!(has(option), "{command:?}: --{option}");
                }
                let own =
                    at.get_arguments().filter_map(clap::Arg::get_long).find(|long| row.tried.contains(long));
                assert!(every || own.is_none(), "{command:?} has --{own:?} itself");
            }
        }
    }
}

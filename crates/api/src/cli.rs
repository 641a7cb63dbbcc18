//! The whole command line: the verbs of the table, the options of all of them, and the commands that
//! are no verbs: doors (`mcp`, `completions`, the daemon), and the `tour`, which runs verbs in a home of its own.

mod complete;
mod daemon;
mod help;
mod options;

pub use complete::for_completions;
pub use daemon::{BIND, DaemonCommand, LogLevel, Up};
pub(crate) use help::first_words;
pub use options::ENVIRONMENT;
pub(crate) use options::GLOBAL_OPTIONS;

use self::options::CALLER_TAG;
use crate::command_name::CommandName;
use crate::{Entry, Toolset, table, terminal, verbs};
use brainstem_base::next::{TypedOption, VerbId, calls};
use brainstem_base::{Fault, advice, codes};
use brainstem_memory::schema;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::LazyLock;

/// The shells that `completions` knows.
pub const SHELLS: &[&str] = &["bash", "zsh", "fish"];

/// The commands that only hold others, each with what they are about.
const GROUPS: &[(&str, &str)] = &[
    (VerbId::AgentTopics.group(), "Give agents their inboxes, and see which have one"),
    (VerbId::BatteryAdd.group(), "Draft cases from letters about misdelivered memory, and run them"),
    (VerbId::ConfigList.group(), "Read and change the settings of this home and of a project"),
    (
        VerbId::InboxList.group(),
        "Your address in every project: what waits for you, and messages that wait until they are finished",
    ),
    (VerbId::LedgerTopics.group(), "Read and verify the log that the inboxes are kept on"),
    (VerbId::LetterWrite.group(), "Write and read letters: what went wrong, hurt or worked"),
    (VerbId::LiveSend.group(), "Reach sessions that are online, through a daemon"),
    (VerbId::MailSend.group(), "Send, read and take messages between sessions, which are files"),
    (VerbId::SessionList.group(), "Name your session, and see who else is here"),
    (
        VerbId::MigratePlan.group(),
        "Give the claims of projects that lie in the medulla to their own brains, and take that back",
    ),
];

/// What a group means without a further word: the look that a person takes most. None of them changes anything.
const FIRST_LOOKS: [VerbId; 5] =
    [VerbId::ConfigList, VerbId::InboxList, VerbId::LedgerTopics, VerbId::MailList, VerbId::SessionList];

/// When to write colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// On a terminal.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

impl Colour {
    /// Parses the value of `--color`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        match text {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "never" => Ok(Self::Never),
            _ => Err(Fault::new(codes::INPUT_BAD_VALUE, format!("{text:?} is no way to colour"))
                .fix("use --color auto, always or never")
                .field("color")
                .rule("IF-3")),
        }
    }
}

/// The options that may be before or after any command (IF-3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Globals {
    /// `--json`.
    pub json: bool,
    /// `--root`.
    pub root: Option<PathBuf>,
    /// `--as`.
    pub agent: Option<String>,
    /// `--session`.
    pub session: Option<String>,
    /// `--tag`, of the caller.
    pub tags: Vec<String>,
    /// `--mail-root`.
    pub mail_root: Option<PathBuf>,
    /// `--home`.
    pub home: Option<PathBuf>,
    /// `--color`, as written.
    pub color: Option<String>,
}

/// What a command line asks for.
pub enum RequestedCommand<'a> {
    /// A verb, with the matches that hold its fields.
    Verb(&'static Entry, &'a ArgMatches),
    /// Something about the daemon.
    Daemon(DaemonCommand),
    /// The MCP server, with the tool sets as written.
    Mcp(Vec<String>),
    /// A completion script for a shell, as written.
    Completions(String),
    /// Git asks for a claim to be merged: base, ours, theirs.
    MergeDriver(Vec<PathBuf>),
    /// A host calls one of its hooks: the words that name the event.
    Hook(Vec<String>),
    /// The tour, perhaps without pauses.
    Tour {
        /// Without pauses.
        fast: bool,
    },
}

/// The whole clap command.
pub fn command() -> Command {
    let mut root = Command::new("brainstem")
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(LONG_VERSION.as_str())
        .about("Memory shared by all your agents: plain files, one program, no server needed")
        .long_about(
            "Memory shared by all your agents: plain files, one program, no server needed.\n\n\
             Alone, it says where you are and what to do next. With --json, standard output is exactly one JSON \
             document: the result, or the error.",
        )
        .disable_help_subcommand(true)
        .max_term_width(100)
        .args(global_args());
    for entry in table() {
        if let [first, rest @ ..] = entry.spec().cli() {
            root = insert(root, first, rest, terminal::command(entry));
        }
    }
    for (entry, former) in renamed_commands() {
        // The help names the command that it is now.
        root = root.subcommand(terminal::command(entry).name(former).hide(true));
    }
    let whole = with_caller_tag(
        root.subcommand(tour())
            .subcommand(mcp())
            .subcommands(daemon::commands())
            .subcommand(hook())
            .subcommand(completions())
            .subcommand(merge_driver()),
    );
    help::with_help(whole)
}

/// What a command is for, in one line; `words` are those behind `brainstem`.
pub fn about(words: &str) -> Option<String> {
    let root = command();
    let mut words = words.split(' ').take_while(|word| !word.starts_with('-')).peekable();
    words.peek()?;
    let at = words.try_fold(&root, |at, word| at.find_subcommand(word))?;
    at.get_about().map(|about| about.to_string())
}

/// The versions of the program and of what it writes, as a document.
pub fn versions() -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "home_schema": schema::HOME,
        "claim_protocol": schema::CLAIM,
    })
}

static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}\nhome schema {}\nclaim protocol {}", schema::HOME, schema::CLAIM)
});

/// Returns the options of all commands, from any place on the line.
pub fn globals(matches: &ArgMatches) -> Globals {
    let tags = caller_tags(matches);
    let matches = deepest(matches);
    let text = |id| matches.get_one::<String>(id).cloned();
    Globals {
        session: text("session"),
        tags,
        mail_root: text("mail-root").map(PathBuf::from),
        json: matches.get_flag("json"),
        root: text("root").map(PathBuf::from),
        agent: text("as"),
        home: text("home").map(PathBuf::from),
        color: text("color"),
    }
}

impl Globals {
    /// Returns the options that name the caller, its place and the home, as they were typed.
    pub fn typed(&self) -> Vec<TypedOption> {
        const MAIL: &[&str] =
            &[VerbId::MailSend.group(), VerbId::SessionList.group(), VerbId::LiveSend.group()];
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let all = [
            ("--as", self.agent.clone(), &[][..]),
            ("--root", path(&self.root), &[]),
            ("--home", path(&self.home), &[]),
            ("--session", self.session.clone(), MAIL),
            ("--mail-root", path(&self.mail_root), MAIL),
        ];
        let tags = self.tags.iter().map(|tag| ("--tag", Some(tag.clone()), MAIL));
        all.into_iter()
            .chain(tags)
            .filter_map(|(option, value, groups)| Some(TypedOption { option, value: value?, groups }))
            .collect()
    }
}

/// Returns the verb or the door that the command line asks for.
pub fn requested(matches: &ArgMatches) -> Result<RequestedCommand<'_>, Fault> {
    let mut words = Vec::new();
    let mut at = matches;
    while let Some((word, inner)) = at.subcommand() {
        words.push(word);
        at = inner;
    }
    if let Some(command) = CommandName::no_verb(&words) {
        return requested_door(command, at).ok_or_else(|| no_command(&words));
    }
    match words.as_slice() {
        // Without a command it is `status`.
        [] => Ok(RequestedCommand::Verb(verbs::entry_of(VerbId::Status), at)),
        [former] if renamed(former).is_some() => renamed(former)
            .map(|entry| RequestedCommand::Verb(entry, at))
            .ok_or_else(|| no_command(&[former])),
        words => table()
            .iter()
            .find(|entry| entry.spec().cli() == words)
            .map(|entry| RequestedCommand::Verb(entry, at))
            .ok_or_else(|| no_command(words)),
    }
}

/// Returns what a command asks for that is no verb, with its options. `None` for a verb.
fn requested_door(command: CommandName, at: &ArgMatches) -> Option<RequestedCommand<'static>> {
    let texts = |id: &str| at.get_many::<String>(id).into_iter().flatten().cloned();
    Some(match command {
        CommandName::Mcp => RequestedCommand::Mcp(texts("toolsets").collect()),
        CommandName::MergeDriver => {
            RequestedCommand::MergeDriver(texts("files").map(PathBuf::from).collect())
        }
        CommandName::Hook => RequestedCommand::Hook(texts("event").collect()),
        CommandName::Tour => RequestedCommand::Tour { fast: at.get_flag("fast") },
        CommandName::Completions => {
            RequestedCommand::Completions(at.get_one("shell").cloned().unwrap_or_default())
        }
        CommandName::Verb(_) => return None,
        CommandName::Up
        | CommandName::Down
        | CommandName::Page
        | CommandName::ServiceInstall
        | CommandName::ServiceRemove => RequestedCommand::Daemon(daemon::requested(command, at)?),
    })
}

/// The commands that had another name before, with that name. They still work.
fn renamed_commands() -> impl Iterator<Item = (&'static Entry, &'static str)> {
    const FORMER: [&str; 3] = ["distribute", "sweep", "mailbox"];
    FORMER.into_iter().filter_map(|former| verbs::find(former).map(|entry| (entry, former)))
}

fn renamed(word: &str) -> Option<&'static Entry> {
    renamed_commands().find(|(_, former)| *former == word).map(|(entry, _)| entry)
}

/// What to say of a command line that has a command's name of before: the name of now.
pub fn renaming(matches: &ArgMatches) -> Option<String> {
    let former = matches.subcommand_name()?;
    let entry = renamed(former)?;
    Some(format!("`brainstem {former}` is now `brainstem {}`", entry.spec().cli().join(" ")))
}

fn no_command(words: &[&str]) -> Fault {
    Fault::new(codes::INPUT_UNKNOWN_VERB, format!("there is no command `{}`", words.join(" ")))
        .fix("brainstem --help lists the commands")
}

/// Where the first word of a command is, behind the global options.
fn first_word_at(words: &[String]) -> usize {
    let takes_value = |word: &str| {
        let of = |arg: &Arg| arg.get_long().is_some_and(|long| word.strip_prefix("--") == Some(long));
        global_args().iter().any(|arg| of(arg) && arg.get_action().takes_values())
    };
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-') && *word != "--") {
        at += if takes_value(word) { 2 } else { 1 };
    }
    at
}

/// `help VERB` as `VERB --help`, as many programs have it.
pub fn with_help_word(mut words: Vec<String>) -> Vec<String> {
    let at = first_word_at(&words);
    if words.get(at).is_some_and(|word| word == "help") {
        words.remove(at);
        words.push("--help".to_owned());
    }
    words
}

/// A group without a further word as the look that a person takes most there: `inbox` is `inbox list`. Options may follow.
pub fn with_first_look(mut words: Vec<String>) -> Vec<String> {
    let at = first_word_at(&words);
    let is_help = |word: &String| ["--help", "-h"].contains(&word.as_str());
    let is_bare = words.get(at + 1).is_none_or(|word| word.starts_with('-')) && !words.iter().any(is_help);
    let look = words.get(at).and_then(|group| FIRST_LOOKS.into_iter().find(|look| look.group() == group));
    if let (Some([_, rest @ ..]), true) = (look.map(VerbId::words), is_bare) {
        words.splice(at + 1..at + 1, rest.iter().map(|word| (*word).to_owned()));
    }
    words
}

/// Returns the tags that a caller gives itself, from any place on the line.
fn caller_tags(matches: &ArgMatches) -> Vec<String> {
    let here = matches.try_get_many::<String>(CALLER_TAG).ok().flatten();
    let mut tags: Vec<String> = here.into_iter().flatten().cloned().collect();
    if let Some((_, inner)) = matches.subcommand() {
        tags.extend(caller_tags(inner));
    }
    tags
}

/// The refusal of a session's tag at a verb in which no session plays a part and that is asked about tags of claims: the tag
/// would be ignored.
pub fn misplaced_tag(entry: &Entry, matches: &ArgMatches) -> Option<Fault> {
    let tags = caller_tags(matches);
    let tag = tags.first()?;
    let verb = entry.spec().verb;
    let call = match verb {
        VerbId::List | VerbId::Tags => calls::list_tag(tag.as_str()),
        VerbId::Seek => calls::seek_tag(calls::QUESTION, tag.as_str()),
        _ => return None,
    };
    let message = match verb {
        VerbId::Tags => {
            "`--tag` here is a tag that your session carries in mail, and `tags` has no use for it"
        }
        _ => {
            "`--tag` before the command is a tag that your session carries in mail, and this command has no use for it"
        }
    };
    let fix = advice!["for a tag of claims: ", call];
    Some(Fault::new(codes::INPUT_BAD_VALUE, message).fix(fix).field("tag").rule("IF-3"))
}

/// Adds `--tag` to every command that has no field of that name. Behind a verb that has one, `--tag` is the verb's
/// field, and the caller's tag must be before the verb.
fn with_caller_tag(command: Command) -> Command {
    let command = command.mut_subcommands(with_caller_tag);
    let is_tag = |arg: &Arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        arg.get_long() == Some("tag") || aliases.contains(&"tag")
    };
    if command.get_arguments().any(is_tag) {
        return command;
    }
    command.arg(
        Arg::new(CALLER_TAG)
            .long("tag")
            .value_name("TAG")
            .action(ArgAction::Append)
            .help_heading(GLOBAL_OPTIONS)
            .hide_short_help(true)
            .help("A tag your session carries in mail [default: $BRAINSTEM_TAGS]"),
    )
}

fn deepest(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, inner)| deepest(inner))
}

/// Puts a verb's command under its words, making the groups in between.
fn insert(parent: Command, first: &'static str, rest: &[&'static str], command: Command) -> Command {
    let [next, after @ ..] = rest else {
        return parent.subcommand(command);
    };
    if parent.find_subcommand(first).is_some() {
        return parent.mut_subcommand(first, |group| insert(group, next, after, command));
    }
    let about = GROUPS.iter().find(|(group, _)| *group == first).map(|(_, about)| *about);
    let group = Command::new(first).about(about.unwrap_or_default()).subcommand_required(true);
    parent.subcommand(insert(group, next, after, command))
}

fn global_args() -> [Arg; 7] {
    let option = |id: &'static str, value: &'static str| {
        // A command's own `-h` is about the command.
        let arg = Arg::new(id).long(id).global(true).value_name(value).overrides_with(id);
        arg.help_heading(GLOBAL_OPTIONS).hide_short_help(true)
    };
    [
        option("json", "").action(ArgAction::SetTrue).help("Print the result, or the error, as one JSON document (as JSON lines where a command's help says so)"),
        option("root", "PATH")
            .value_hint(ValueHint::DirPath)
            .help("Act as if called from this folder [default: $BRAINSTEM_WORKSPACE_ROOT, or the working directory]"),
        option("as", "AGENT").help(
            "Who is calling: host:role such as codex:maker, or human:name [default: $BRAINSTEM_AGENT, the settings, or your login]",
        ),
        option("session", "NAME").help("The name of your session in mail [default: $BRAINSTEM_SESSION]"),
        option("mail-root", "PATH")
            .value_hint(ValueHint::DirPath)
            .help("The folder that holds the boxes [default: $BRAINSTEM_MAIL_ROOT, or .mail of the project]"),
        option("home", "PATH")
            .value_hint(ValueHint::DirPath)
            .help("The home folder [default: $BRAINSTEM_HOME, or ~/.brainstem]"),
        option("color", "WHEN").help("auto, always or never [default: auto]"),
    ]
}

fn tour() -> Command {
    Command::new(CommandName::Tour.first_word())
        .about("See it working: a guided run in a throw-away home, with real output")
        .long_about(
            "See it working: a guided run in a throw-away home, with real output.\n\n\
             It makes a folder for temporary files with a home and two repositories, runs real commands there, and \
             removes it; nothing else is touched. On a terminal it waits for Enter between the steps, and q ends it.",
        )
        .arg(Arg::new("fast").long("fast").action(ArgAction::SetTrue).help("Do not wait between the steps"))
        .after_help("Examples:\n  brainstem tour\n  brainstem tour --fast\n  brainstem tour --json")
}

fn mcp() -> Command {
    Command::new(CommandName::Mcp.first_word())
        .about("Serve the verbs to an agent over MCP, on standard input and output")
        .long_about(
            "Serve the verbs to an agent over MCP, on standard input and output.\n\n\
             A host starts this; standard output carries the protocol alone, messages for people go to standard \
             error. It ends when standard input does, after the calls that are running.",
        )
        .arg(
            Arg::new("toolsets")
                .long("toolsets")
                .value_name("SETS")
                .action(ArgAction::Append)
                .help(format!(
                    "Offer these sets of tools, with commas between them: {} [default: the setting mcp.toolsets]",
                    Toolset::names()
                )),
        )
        .after_help("Examples:\n  brainstem mcp\n  brainstem mcp --toolsets default,upkeep\n  brainstem --as codex:maker mcp")
}

fn completions() -> Command {
    Command::new(CommandName::Completions.first_word())
        .about("Print a completion script for your shell")
        .arg(Arg::new("shell").value_name("SHELL").required(true).help("bash, zsh or fish"))
        .after_help(
            "Examples:\n  \
             mkdir -p ~/.local/share/bash-completion/completions\n  \
             brainstem completions bash > ~/.local/share/bash-completion/completions/brainstem\n  \
             mkdir -p ~/.zfunc  # with `fpath+=(~/.zfunc)` before compinit in ~/.zshrc\n  \
             brainstem completions zsh > ~/.zfunc/_brainstem\n  \
             mkdir -p ~/.config/fish/completions\n  \
             brainstem completions fish > ~/.config/fish/completions/brainstem.fish",
        )
}

/// Hosts call it; `init --host` writes the call into their files.
fn hook() -> Command {
    Command::new(CommandName::Hook.first_word())
        .about("Answer a hook of a host; `init --host` tells hosts to call this")
        .long_about(
            "Answer a hook of a host; `init --host` tells hosts to call this.\n\n\
             The host's own words come on standard input, and the answer goes out in the form that this host reads. At \
             the start of a session it is the beat, once; at the end of a turn a reminder, once, when delegations that \
             were given out since the session began are open. It never fails its host: it ends within seconds with \
             status 0, and where memory could not be read it says so by name.",
        )
        .arg(
            Arg::new("event")
                .value_name("EVENT")
                .num_args(0..)
                .allow_hyphen_values(true)
                .help("session-start, prompt or stop; anything else is not answered"),
        )
        .after_help("Examples:\n  brainstem hook session-start\n  brainstem hook stop")
}

/// Git alone calls it; `init` writes the call into git's settings.
fn merge_driver() -> Command {
    Command::new(CommandName::MergeDriver.first_word())
        .about("Merge one claim for git; `init` tells git to call this")
        .long_about(
            "Merge one claim for git; `init` tells git to call this.\n\n\
             The version that plainly follows the other is written over OURS. Where neither follows, both are \
             written into it between conflict markers, the exit status is 1, and `resolve` decides.",
        )
        .arg(
            Arg::new("files")
                .value_names(["BASE", "OURS", "THEIRS"])
                .num_args(3)
                .required(true)
                .value_hint(ValueHint::FilePath)
                .help("The common ancestor, our version and theirs, as git passes them"),
        )
        .after_help("Examples:\n  brainstem merge-driver base.light.md ours.light.md theirs.light.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> ArgMatches {
        let words = std::iter::once("brainstem").chain(words.iter().copied());
        command().try_get_matches_from(words).expect("a command line that parses")
    }

    #[test]
    fn the_tree_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_group_says_what_it_is_about() {
        for group in command().get_subcommands() {
            assert!(
                group.get_about().is_some_and(|about| !about.to_string().is_empty()),
                "{}",
                group.get_name()
            );
        }
    }

    #[test] // spec: INB-12
    fn a_group_alone_is_the_look_that_a_person_takes_most() {
        let read = |line: &str| with_first_look(line.split(' ').map(str::to_owned).collect()).join(" ");
        for (typed, meant) in [
            ("brainstem inbox", "brainstem inbox list"),
            ("brainstem --json inbox --all", "brainstem --json inbox list --all"),
            ("brainstem --root /x mail", "brainstem --root /x mail list"),
            ("brainstem ledger", "brainstem ledger topics"),
            ("brainstem inbox send --to x", "brainstem inbox send --to x"),
            ("brainstem inbox --help", "brainstem inbox --help"),
            ("brainstem letter", "brainstem letter"),
            ("brainstem", "brainstem"),
        ] {
            assert_eq!(read(typed), meant);
        }
    }

    #[test] // spec: IF-3
    fn global_options_stand_before_or_after_the_verb() {
        let expected = Globals { json: true, agent: Some("a:b".into()), ..Globals::default() };
        for words in [
            ["--json", "--as", "a:b", "whoami"],
            ["whoami", "--json", "--as", "a:b"],
            ["--as", "a:b", "whoami", "--json"],
        ] {
            assert_eq!(globals(&parsed(&words)), expected, "{words:?}");
        }
        assert_eq!(globals(&parsed(&["--as", "a:b", "--json"])), expected);
        assert_eq!(globals(&parsed(&["--as", "x", "whoami", "--as", "a:b", "--json", "--json"])), expected);
    }

    #[test] // spec: IF-1, IF-2
    fn words_find_their_verb() {
        let verb = |words: &[&str]| match requested(&parsed(words)) {
            Ok(RequestedCommand::Verb(entry, _)) => entry.spec().id(),
            _ => "no verb",
        };
        assert_eq!(verb(&[]), "status");
        assert_eq!(verb(&["status"]), "status");
        assert_eq!(verb(&["whoami"]), "whoami");
        assert_eq!(verb(&["mcp"]), "no verb");
    }

    #[test] // spec: IF-6
    fn help_is_a_word_too() {
        let turned = |words: &str| {
            let words = words.split(' ').map(str::to_owned).collect();
            with_help_word(words).join(" ")
        };
        assert_eq!(turned("brainstem help"), "brainstem --help");
        assert_eq!(
            turned("brainstem --json --as a:b help config set"),
            "brainstem --json --as a:b config set --help"
        );
        for same in ["brainstem seek help", "brainstem --as help seek x", "brainstem", "brainstem -- help"] {
            assert_eq!(turned(same), same);
        }
    }

    #[test]
    fn verbs_of_two_words_share_a_group() {
        let root = insert(Command::new("x"), "mail", &["send"], Command::new("send"));
        let root = insert(root, "mail", &["read"], Command::new("read"));
        for word in ["send", "read"] {
            let matches = root.clone().try_get_matches_from(["x", "mail", word]).expect("parses");
            assert_eq!(matches.subcommand().and_then(|(_, inner)| inner.subcommand_name()), Some(word));
        }
    }
}

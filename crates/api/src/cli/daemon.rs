//! The commands of the daemon: `up`, `down`, `page` and `service`.

use crate::command_name::CommandName;
use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueEnum};

/// The address on which the daemon listens by default.
pub const BIND: &str = "127.0.0.1:7733";

/// How to start a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Up {
    /// The address to listen on. `None` means the address of the daemon that this one replaces, or else [`BIND`].
    pub bind: Option<String>,
    /// Whether the caller allows an address that other machines reach.
    pub expose: bool,
    /// More host names that the daemon answers to.
    pub hosts: Vec<String>,
    /// Whether the command leaves the daemon running and returns.
    pub detach: bool,
    /// Whether to make a new token.
    pub new_token: bool,
    /// The sets of tools over MCP, as written.
    pub toolsets: Vec<String>,
    /// What the daemon writes into its log.
    pub log_level: LogLevel,
}

/// What the daemon writes into its log: each level and those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogLevel {
    /// What went wrong inside.
    Error,
    /// And what was refused at the gate, or put right.
    Warn,
    /// And each call of a verb.
    #[default]
    Info,
    /// And each request.
    Debug,
}

impl LogLevel {
    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}

impl ValueEnum for LogLevel {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Error, Self::Warn, Self::Info, Self::Debug]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.as_str()))
    }
}

/// What a command line asks of the daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DaemonCommand {
    /// Start it.
    Up(Up),
    /// Stop it.
    Down,
    /// Make a link for a browser.
    Page,
    /// Have the system start it at login, or take that back.
    Service {
        /// `false` takes it back.
        install: bool,
        /// Only show it.
        dry_run: bool,
        /// The address it is to listen on.
        bind: Option<String>,
    },
}

/// The commands.
pub(super) fn commands() -> [Command; 4] {
    [up(), down(), page(), service()]
}

/// Returns what a command asks of the daemon, with its options. `None` if it is no command of the daemon.
pub(super) fn requested(command: CommandName, at: &ArgMatches) -> Option<DaemonCommand> {
    let texts = |id: &str| at.get_many::<String>(id).into_iter().flatten().cloned().collect();
    match command {
        CommandName::Up => Some(DaemonCommand::Up(Up {
            bind: at.get_one::<String>("bind").cloned(),
            expose: at.get_flag("expose"),
            hosts: texts("allow-host"),
            detach: at.get_flag("detach"),
            new_token: at.get_flag("new-token"),
            toolsets: texts("toolsets"),
            log_level: at.get_one("log-level").copied().unwrap_or_default(),
        })),
        CommandName::Down => Some(DaemonCommand::Down),
        CommandName::Page => Some(DaemonCommand::Page),
        CommandName::ServiceInstall => {
            let bind = at.get_one::<String>("bind").cloned();
            Some(DaemonCommand::Service { install: true, dry_run: at.get_flag("dry-run"), bind })
        }
        CommandName::ServiceRemove => {
            Some(DaemonCommand::Service { install: false, dry_run: at.get_flag("dry-run"), bind: None })
        }
        CommandName::Verb(_)
        | CommandName::Tour
        | CommandName::Mcp
        | CommandName::Hook
        | CommandName::Completions
        | CommandName::MergeDriver => None,
    }
}

fn up() -> Command {
    Command::new(CommandName::Up.first_word())
        .about("Start the daemon: MCP over HTTP, REST, events and the page")
        .long_about(
            "Start the daemon: MCP over HTTP, REST, events and the page.\n\n\
             Memory needs no daemon; this adds a door for clients that speak HTTP. There is one for each home. It \
             answers this machine alone, and only callers that show the token in daemon/token of the home. It runs \
             until Ctrl-C or `down`, and finishes what is running then. With --detach it is left running, and the \
             command returns when it answers.",
        )
        .arg(
            Arg::new("bind")
                .long("bind")
                .value_name("ADDRESS")
                .help(format!("Listen here; port 0 takes any that is free [default: {BIND}, with --new-token where the daemon listens now]")),
        )
        .arg(Arg::new("expose").long("expose").action(ArgAction::SetTrue).help(
            "Allow an address that other machines reach: anyone who has the token may then do everything, unencrypted",
        ))
        .arg(
            Arg::new("allow-host")
                .long("allow-host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Answer to this host name or address too, as it stands in the URLs of callers, without a port; the loopback names and the address of --bind always are"),
        )
        .arg(Arg::new("detach").long("detach").action(ArgAction::SetTrue).help("Leave it running in the background"))
        .arg(Arg::new("new-token").long("new-token").action(ArgAction::SetTrue).help(
            "Make a new token, and stop the daemon that knows the old one: clients that have the old one are shut out, and so are browsers",
        ))
        .arg(
            Arg::new("toolsets")
                .long("toolsets")
                .value_name("SETS")
                .action(ArgAction::Append)
                .help("Offer these sets of tools over MCP, with commas between them [default: the setting mcp.toolsets]"),
        )
        .arg(
            Arg::new("log-level")
                .long("log-level")
                .value_name("LEVEL")
                .value_parser(clap::value_parser!(LogLevel))
                .default_value(LogLevel::default().as_str())
                .help("Write this into daemon/daemon.log, and what weighs more: warn has what was refused at the gate, info each call of a verb, debug each request"),
        )
        .after_help(
            "Examples:\n  brainstem up\n  brainstem up --detach\n  brainstem up --bind 127.0.0.1:0 --json\n  \
             brainstem up --detach --new-token\n  brainstem up --detach --log-level debug",
        )
}

fn down() -> Command {
    Command::new(CommandName::Down.first_word())
        .about("Stop the daemon, after the calls that are running")
        .after_help("Examples:\n  brainstem down\n  brainstem down --json")
}

fn page() -> Command {
    Command::new(CommandName::Page.first_word())
        .about("Make a link that lets your browser in, once")
        .long_about(
            "Make a link that lets your browser in, once.\n\n\
             The link is good for ten minutes and one use. The browser then has a cookie for this daemon, good for \
             looking; the token never leaves this machine's files.",
        )
        .after_help("Examples:\n  brainstem page\n  brainstem page --json")
}

fn service() -> Command {
    let dry_run = || {
        Arg::new("dry-run")
            .long("dry-run")
            .action(ArgAction::SetTrue)
            .help("Show what would be done, and do nothing")
    };
    Command::new(CommandName::ServiceInstall.first_word())
        .about("Have the system start the daemon when you log in")
        .subcommand_required(true)
        .subcommand(
            Command::new(CommandName::ServiceInstall.last_word())
                .about("Start the daemon at every login: a systemd user unit, or a launchd agent")
                .arg(dry_run())
                .arg(
                    Arg::new("bind")
                        .long("bind")
                        .value_name("ADDRESS")
                        .help(format!("Listen here, on this machine [default: {BIND}]")),
                )
                .after_help(
                    "Examples:\n  brainstem service install --dry-run\n  brainstem service install\n  \
                     brainstem service install --bind 127.0.0.1:7744",
                ),
        )
        .subcommand(
            Command::new(CommandName::ServiceRemove.last_word())
                .about("Take that back")
                .arg(dry_run())
                .after_help("Examples:\n  brainstem service remove"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-2, IF-11
    fn the_daemon_is_local_unless_the_caller_says_otherwise() {
        let matches = up().try_get_matches_from(["up"]).expect("parses");
        let Some(DaemonCommand::Up(plain)) = requested(CommandName::Up, &matches) else { panic!("up") };
        assert_eq!((plain.bind.as_deref(), plain.expose, plain.detach), (None, false, false));
        let words = ["up", "--bind", "0.0.0.0:1", "--expose", "--allow-host", "a", "--allow-host", "b"];
        let matches = up().try_get_matches_from(words).expect("parses");
        let Some(DaemonCommand::Up(open)) = requested(CommandName::Up, &matches) else { panic!("up") };
        assert_eq!((open.expose, open.hosts), (true, vec!["a".to_owned(), "b".to_owned()]));
    }
}

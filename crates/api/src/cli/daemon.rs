//! The commands of the daemon: `up`, `down`, `page` and `service`.

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueEnum};

/// Where the daemon listens unless told otherwise.
pub const BIND: &str = "127.0.0.1:7733";

/// How to start a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Up {
    /// Where to listen; absent means where the daemon listens that this one takes the place of, else [`BIND`].
    pub bind: Option<String>,
    /// Listening beyond this machine is meant.
    pub expose: bool,
    /// More names the daemon goes by.
    pub hosts: Vec<String>,
    /// Leave it running.
    pub detach: bool,
    /// With another token than before.
    pub new_token: bool,
    /// The sets of tools over MCP, as written.
    pub toolsets: Vec<String>,
    /// What is written into the log.
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
    /// Have the system start it at login, or no longer.
    Service {
        /// Or no longer.
        install: bool,
        /// Only show it.
        dry_run: bool,
        /// Where it is to listen.
        bind: Option<String>,
    },
}

/// The commands.
pub(super) fn commands() -> [Command; 4] {
    [up(), down(), page(), service()]
}

/// Which of them was asked for.
pub(super) fn asked(words: &[&str], at: &ArgMatches) -> Option<DaemonCommand> {
    let texts = |id: &str| at.get_many::<String>(id).into_iter().flatten().cloned().collect();
    match words {
        ["up"] => Some(DaemonCommand::Up(Up {
            bind: at.get_one::<String>("bind").cloned(),
            expose: at.get_flag("expose"),
            hosts: texts("allow-host"),
            detach: at.get_flag("detach"),
            new_token: at.get_flag("new-token"),
            toolsets: texts("toolsets"),
            log_level: at.get_one("log-level").copied().unwrap_or_default(),
        })),
        ["down"] => Some(DaemonCommand::Down),
        ["page"] => Some(DaemonCommand::Page),
        ["service", "install"] => {
            let bind = at.get_one::<String>("bind").cloned();
            Some(DaemonCommand::Service { install: true, dry_run: at.get_flag("dry-run"), bind })
        }
        ["service", "remove"] => {
            Some(DaemonCommand::Service { install: false, dry_run: at.get_flag("dry-run"), bind: None })
        }
        _ => None,
    }
}

fn up() -> Command {
    Command::new("up")
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
    Command::new("down")
        .about("Stop the daemon, after the calls that are running")
        .after_help("Examples:\n  brainstem down\n  brainstem down --json")
}

fn page() -> Command {
    Command::new("page")
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
    Command::new("service")
        .about("Have the system start the daemon when you log in")
        .subcommand_required(true)
        .subcommand(
            Command::new("install")
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
            Command::new("remove")
                .about("Take that back")
                .arg(dry_run())
                .after_help("Examples:\n  brainstem service remove"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-2, IF-11
    fn the_daemon_is_local_unless_somebody_means_otherwise() {
        let matches = up().try_get_matches_from(["up"]).expect("parses");
        let Some(DaemonCommand::Up(plain)) = asked(&["up"], &matches) else { panic!("up") };
        assert_eq!((plain.bind.as_deref(), plain.expose, plain.detach), (None, false, false));
        let words = ["up", "--bind", "0.0.0.0:1", "--expose", "--allow-host", "a", "--allow-host", "b"];
        let matches = up().try_get_matches_from(words).expect("parses");
        let Some(DaemonCommand::Up(open)) = asked(&["up"], &matches) else { panic!("up") };
        assert_eq!((open.expose, open.hosts), (true, vec!["a".to_owned(), "b".to_owned()]));
    }
}

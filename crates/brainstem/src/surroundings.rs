//! What the process knows about its caller. Nothing below the binary reads the environment.
#![allow(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment and the list of users"
)]

use brainstem_api::cli::Globals;
use brainstem_base::{Fault, codes};
use brainstem_hosts::Host;
use brainstem_hosts::host::HOST_VARIABLE;
use brainstem_memory::{Declared, RootHints};
use rustix::process::{Resource, getrlimit, setrlimit};
use std::env;
use std::path::PathBuf;

/// The home folder: `--home`, `BRAINSTEM_HOME`, or `~/.brainstem`.
pub(crate) fn home(globals: &Globals) -> Result<PathBuf, Fault> {
    let home = globals
        .home
        .clone()
        .or_else(|| path("BRAINSTEM_HOME"))
        .or_else(|| user_home().map(|home| home.join(".brainstem")))
        .ok_or_else(|| unusable("there is no home folder: HOME is not set"))?;
    std::path::absolute(&home)
        .map_err(|error| unusable(format!("the home {} is unusable: {error}", home.display())))
}

/// What gave the home: the option or the variable; `None` where it is the default one, named or not.
pub(crate) fn home_named_by(globals: &Globals) -> Option<&'static str> {
    let (by, named) = match (&globals.home, path("BRAINSTEM_HOME")) {
        (Some(named), _) => ("--home", named.clone()),
        (None, Some(named)) => ("BRAINSTEM_HOME", named),
        (None, None) => return None,
    };
    let default = user_home().map(|home| home.join(".brainstem"));
    (Some(named) != default).then_some(by)
}

/// The folder of the person.
pub(crate) fn user_home() -> Option<PathBuf> {
    path("HOME")
}

/// Says `off` where no command may start anything in the background.
pub(crate) const BACKGROUND: &str = "BRAINSTEM_BACKGROUND";

/// Whether a command may leave work to a process of its own.
pub(crate) fn background() -> bool {
    text(BACKGROUND).is_none_or(|word| word != "off")
}

/// Where the settings of the user's other programs lie.
pub(crate) fn config_folder() -> Option<PathBuf> {
    path("XDG_CONFIG_HOME").or_else(|| user_home().map(|home| home.join(".config")))
}

/// Stands in no folder of anybody's: a daemon keeps none from being removed, and none is its callers'.
pub(crate) fn stand_nowhere() {
    // Where that fails, it is still nobody's place.
    let _ = env::set_current_dir("/");
}

/// Lets this process have as many files and connections open as the system permits, up to what a daemon with all
/// its connections may need: what a login gets by default can be less. Answers how many that are.
pub(crate) fn allow_open_files() -> usize {
    const WANTED: u64 = 8192;
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(WANTED, |most| most.min(WANTED));
    if limit.current.is_some_and(|now| now < wanted) {
        limit.current = Some(wanted);
        // Where that fails it serves with fewer.
        let _ = setrlimit(Resource::Nofile, limit);
    }
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |now| usize::try_from(now).unwrap_or(usize::MAX))
}

/// The folder for what is needed for a moment.
pub(crate) fn temp_dir() -> PathBuf {
    env::temp_dir()
}

/// Who may be calling.
pub(crate) fn declared(globals: &Globals) -> Declared {
    Declared {
        flag: globals.agent.clone(),
        env: text("BRAINSTEM_AGENT"),
        host: text(HOST_VARIABLE).or_else(host_around),
        login: text("USER").or_else(|| text("LOGNAME")).or_else(login_of_process),
        session: globals.session.clone().or_else(|| text("BRAINSTEM_SESSION")),
        tags: if globals.tags.is_empty() {
            text("BRAINSTEM_TAGS").into_iter().collect()
        } else {
            globals.tags.clone()
        },
        mail_root: globals.mail_root.clone().or_else(|| path("BRAINSTEM_MAIL_ROOT")),
        ..Declared::default()
    }
}

/// The host in whose shell this process was started, where it says so: then an agent typed the command.
fn host_around() -> Option<String> {
    text("CLAUDECODE").map(|_| Host::ClaudeCode.as_str().to_owned())
}

/// The login name of the user whose process this is, as the system's list of users has it: containers often set no
/// variable.
fn login_of_process() -> Option<String> {
    let uid = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, id) = (fields.next()?, fields.nth(1)?);
        (id == uid && !name.is_empty()).then(|| name.to_owned())
    })
}

/// Where the caller may stand.
pub(crate) fn roots(globals: &Globals) -> RootHints {
    RootHints {
        explicit: globals.root.clone(),
        env: path("BRAINSTEM_WORKSPACE_ROOT").or_else(|| path("M1ND_WORKSPACE_ROOT")),
        cwd: env::current_dir().ok(),
    }
}

/// This program, for git to call.
pub(crate) fn program() -> Option<PathBuf> {
    env::current_exe().ok()
}

/// What a host says about itself.
pub(crate) fn host_variable(name: &str) -> Option<String> {
    brainstem_hosts::payload::VARIABLES.contains(&name).then(|| text(name)).flatten()
}

/// The editor the person has chosen.
pub(crate) fn editor() -> String {
    text("VISUAL").or_else(|| text("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// Where files that are soon gone lie.
pub(crate) fn temporary_folder() -> PathBuf {
    env::temp_dir()
}

/// A variable that is set and not empty.
fn path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// As [`path`]; bytes that are no UTF-8 are replaced, and the name rule then refuses them.
fn text(name: &str) -> Option<String> {
    path(name).map(|value| value.to_string_lossy().into_owned())
}

fn unusable(message: impl Into<String>) -> Fault {
    Fault::new(codes::HOME_UNUSABLE, message).fix("name a folder with --home or BRAINSTEM_HOME").field("home")
}

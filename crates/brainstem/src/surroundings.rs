//! What the process knows about its caller. Nothing below the binary reads the environment.
#![allow(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment and the list of users"
)]

use brainstem_api::cli::Globals;
use brainstem_base::next::TypedOption;
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

/// What named the home: the option or the variable; `None` for the default home, named or not.
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

/// The variable that is `off` if no command may start anything in the background.
pub(crate) const BACKGROUND: &str = "BRAINSTEM_BACKGROUND";

/// Whether a command may leave work to another process.
pub(crate) fn background() -> bool {
    text(BACKGROUND).is_none_or(|word| word != "off")
}

/// The folder of the settings of the user's other programs.
pub(crate) fn config_folder() -> Option<PathBuf> {
    path("XDG_CONFIG_HOME").or_else(|| user_home().map(|home| home.join(".config")))
}

/// Changes to the root folder: a daemon must not keep a folder from being removed, and its folder is not its callers'.
pub(crate) fn stand_nowhere() {
    // If this fails, the folder still does not count as a caller's.
    let _ = env::set_current_dir("/");
}

/// Raises this process's limit of open files as far as the system permits, up to what a daemon with all its connections needs:
/// the default of a login can be less. Returns the limit.
pub(crate) fn allow_open_files() -> usize {
    const WANTED: u64 = 8192;
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(WANTED, |most| most.min(WANTED));
    if limit.current.is_some_and(|now| now < wanted) {
        limit.current = Some(wanted);
        // If this fails, the daemon serves with fewer.
        let _ = setrlimit(Resource::Nofile, limit);
    }
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |now| usize::try_from(now).unwrap_or(usize::MAX))
}

/// The folder for temporary files.
pub(crate) fn temp_dir() -> PathBuf {
    env::temp_dir()
}

/// What the options and the environment declare about the caller.
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

/// The host that this process was started in, if a variable says so: then an agent typed the command.
fn host_around() -> Option<String> {
    text("CLAUDECODE").map(|_| Host::ClaudeCode.as_str().to_owned())
}

/// The login name of this process's user, from the system's list of users: containers often set no variable.
fn login_of_process() -> Option<String> {
    let uid = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, id) = (fields.next()?, fields.nth(1)?);
        (id == uid && !name.is_empty()).then(|| name.to_owned())
    })
}

/// The hints about the caller's place.
pub(crate) fn roots(globals: &Globals) -> RootHints {
    RootHints {
        explicit: globals.root.clone(),
        env: path("BRAINSTEM_WORKSPACE_ROOT").or_else(|| path("M1ND_WORKSPACE_ROOT")),
        cwd: env::current_dir().ok(),
    }
}

/// The path of this program, for git to call.
pub(crate) fn program() -> Option<PathBuf> {
    env::current_exe().ok()
}

/// A variable of a host.
pub(crate) fn host_variable(name: &str) -> Option<String> {
    brainstem_hosts::payload::VARIABLES.contains(&name).then(|| text(name)).flatten()
}

/// The editor that the person has chosen.
pub(crate) fn editor() -> String {
    text("VISUAL").or_else(|| text("EDITOR")).unwrap_or_else(|| "vi".to_owned())
}

/// The folder for files that are removed soon.
pub(crate) fn temporary_folder() -> PathBuf {
    env::temp_dir()
}

/// A variable that is set and not empty.
fn path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// As [`path`]. Bytes that are not UTF-8 are replaced, and the name rule then refuses them.
fn text(name: &str) -> Option<String> {
    path(name).map(|value| value.to_string_lossy().into_owned())
}

fn unusable(message: impl Into<String>) -> Fault {
    Fault::new(codes::HOME_UNUSABLE, message).fix("name a folder with --home or BRAINSTEM_HOME").field("home")
}

/// The options that a server repeats in the commands that it advises: the home, unless a command finds it without the
/// option. The other options are about one caller, and a server has several.
pub(crate) fn home_option(globals: &Globals) -> &'static [TypedOption] {
    let without = home(&Globals::default()).ok();
    let is_found = globals.home.is_some() && home(globals).ok() == without;
    let typed = globals.typed().into_iter().filter(|one| one.option == "--home" && !is_found);
    // It lives as long as the process, which serves once.
    Vec::leak(typed.collect())
}

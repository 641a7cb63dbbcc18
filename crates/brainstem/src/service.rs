//! `service install` and `service remove`: the system starts the daemon at every login.

use crate::output::Output;
use crate::{call, surroundings};
use brainstem_api::Effect;
use brainstem_api::cli::Globals;
use brainstem_api::wire::Exit;
use brainstem_base::disk::RealDisk;
use brainstem_base::{Disk as _, DiskFault, Fault, codes, hash};
use serde_json::json;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The line that marks a file as written by this program.
const OURS: &str = "Written by brainstem service install";
const UNIT_LEN_MAX: u64 = 64 * 1024;
/// How much of a command's own output is repeated, in characters.
const WHY_LEN_MAX: usize = 200;
/// How output lines begin that report what a command did, and not why it failed.
const DID: [&str; 2] = ["Created symlink", "Removed "];

/// A file for the system, and the commands to run after it is written or before it is removed.
#[derive(Debug, PartialEq, Eq)]
struct Unit {
    path: PathBuf,
    text: String,
    start: Vec<Vec<String>>,
    stop: Vec<Vec<String>>,
}

pub(crate) fn run(
    output: Output,
    globals: &Globals,
    install: bool,
    dry_run: bool,
    bind: Option<&str>,
) -> Result<Exit, Fault> {
    let bind = bind.map(local).transpose()?;
    if install {
        call::check_home(globals, Effect::Read, &call::context(globals)?.memory)?;
    }
    let failed =
        |why: String| Fault::new(codes::DAEMON_FAILED, why).fix("brainstem up --detach starts it by hand");
    let program = surroundings::program().ok_or_else(|| failed("this program cannot be found".to_owned()))?;
    let home = surroundings::home(globals)?;
    let user = surroundings::user_home().ok_or_else(|| failed("HOME is not set".to_owned()))?;
    let is_default = home == user.join(".brainstem");
    let name = if is_default {
        "brainstem".to_owned()
    } else {
        format!("brainstem-{}", hash::sha256_hex(home.as_os_str().as_encoded_bytes(), 8))
    };
    let unit = if cfg!(target_os = "macos") {
        launchd(&user, &name, &program, &home, bind)
    } else {
        let config = surroundings::config_folder().ok_or_else(|| failed("HOME is not set".to_owned()))?;
        systemd(&config, &name, &program, &home, bind)
    }
    .ok_or_else(|| failed("the path of this program or of the home has a line break in it".to_owned()))?;
    // Without a file of ours, there is no service to stop.
    let is_there = ours(&unit)?.is_some();
    let commands: &[Vec<String>] = match (install, is_there) {
        (true, _) => &unit.start,
        (false, true) => &unit.stop,
        (false, false) => &[],
    };
    let (mut ran, mut notes) = (Vec::new(), Vec::new());
    if !dry_run {
        if install {
            put(&unit)?;
        }
        for command in commands {
            let line = command.join(" ");
            match attempt(command) {
                Ok(()) => ran.push(line),
                Err(why) => notes.push(format!("`{line}` failed: {why}")),
            }
        }
        if !install {
            take_away(&unit)?;
        }
    }
    let is_done = notes.is_empty();
    if !is_done {
        notes.push(match install {
            true => {
                "the system does not start the daemon yet: run what failed yourself, or brainstem up --detach"
                    .to_owned()
            }
            false => "run what failed yourself, in a session of this user".to_owned(),
        });
    }
    let end = |shown: Exit| if is_done { shown } else { Exit::Refused };
    let shown: Vec<String> = commands.iter().map(|command| command.join(" ")).collect();
    if output.json {
        let told = json!({
            "file": unit.path, "text": unit.text, "commands": shown, "ran": ran, "notes": notes,
            "installed": install && !dry_run && is_done, "removed": !install && is_there && !dry_run, "dry_run": dry_run,
        });
        return Ok(end(output.document(&told)));
    }
    let file = unit.path.display();
    let mut text = match (install, dry_run) {
        (true, true) => format!("would write {file}:\n\n{}\n", unit.text),
        (true, false) => format!("written: {file}\n"),
        (false, _) if !is_there => format!("nothing is installed: there is no {file}\n"),
        (false, true) => format!("would remove {file}\n"),
        (false, false) => format!("removed: {file}\n"),
    };
    let (word, lines) = if dry_run { ("would run", &shown) } else { ("ran", &ran) };
    for line in lines {
        text.push_str(&format!("{word}: {line}\n"));
    }
    for note in &notes {
        text.push_str(&format!("note: {note}\n"));
    }
    Ok(end(output.text(&text)))
}

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// An address that only this machine reaches, with a fixed port. A daemon that other machines reach is never started at login.
fn local(bind: &str) -> Result<SocketAddr, Fault> {
    let address = bind.parse::<SocketAddr>().ok().filter(|at| at.ip().is_loopback() && at.port() != 0);
    address.ok_or_else(|| {
        let shown: String = bind.chars().take(80).collect();
        Fault::new(codes::INPUT_BAD_VALUE, format!("{shown:?} is not an address of this machine with a port"))
            .fix("give one like 127.0.0.1:7744; a daemon that other machines reach is started by hand, with `brainstem up --expose`")
            .field("bind")
            .rule("IF-11")
    })
}

fn systemd(config: &Path, name: &str, program: &Path, home: &Path, bind: Option<SocketAddr>) -> Option<Unit> {
    let unit = format!("{name}.service");
    let text = format!(
        "# {OURS}; `brainstem service remove` takes it away.\n\
         [Unit]\nDescription=Brainstem, memory shared by agents\n\n\
         [Service]\nExecStart={} --home {} up{}\nRestart=on-failure\nTimeoutStopSec=45\n\n\
         [Install]\nWantedBy=default.target\n",
        systemd_word(program)?,
        systemd_word(home)?,
        bind.map(|bind| format!(" --bind {bind}")).unwrap_or_default(),
    );
    Some(Unit {
        path: config.join("systemd/user").join(&unit),
        text,
        start: vec![
            words(&["systemctl", "--user", "daemon-reload"]),
            words(&["systemctl", "--user", "enable", "--now", &unit]),
        ],
        stop: vec![words(&["systemctl", "--user", "disable", "--now", &unit])],
    })
}

/// A path as one word of a systemd command.
fn systemd_word(path: &Path) -> Option<String> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control))?;
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    Some(format!("\"{escaped}\""))
}

fn launchd(user: &Path, name: &str, program: &Path, home: &Path, bind: Option<SocketAddr>) -> Option<Unit> {
    let label = format!("dev.brainstem.{name}");
    let path = user.join("Library/LaunchAgents").join(format!("{label}.plist"));
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {OURS}; `brainstem service remove` takes it away. -->\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\"><dict>\n  <key>Label</key><string>{label}</string>\n  <key>ProgramArguments</key><array>\
         <string>{}</string><string>--home</string><string>{}</string><string>up</string>{}</array>\n  \
         <key>RunAtLoad</key><true/>\n  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>\n</dict></plist>\n",
        xml(program)?,
        xml(home)?,
        bind.map(|bind| format!("<string>--bind</string><string>{bind}</string>")).unwrap_or_default(),
    );
    let file = path.to_str()?.to_owned();
    Some(Unit {
        start: vec![words(&["launchctl", "load", "-w", &file])],
        stop: vec![words(&["launchctl", "unload", "-w", &file])],
        path,
        text,
    })
}

fn xml(path: &Path) -> Option<String> {
    let text = path.to_str().filter(|text| !text.chars().any(char::is_control))?;
    Some(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

/// Writes the file. A file that another program wrote is left alone.
fn put(unit: &Unit) -> Result<(), Fault> {
    let failed = |error: brainstem_base::DiskError| {
        Fault::new(codes::DAEMON_FAILED, format!("cannot write `{}`: {error}", unit.path.display()))
            .fix("make its folder writable, or start the daemon with `brainstem up --detach`")
    };
    match ours(unit)? {
        Some(text) if text == unit.text => return Ok(()),
        Some(_) => RealDisk.unlink(&unit.path).map_err(failed)?,
        None => {}
    }
    let folder = unit.path.parent().unwrap_or(Path::new("/"));
    make_dirs(folder).map_err(failed)?;
    RealDisk
        .write_new(&unit.path, unit.text.as_bytes())
        .and_then(|()| RealDisk.sync_dir(folder))
        .map_err(failed)
}

fn make_dirs(folder: &Path) -> Result<(), brainstem_base::DiskError> {
    match RealDisk.make_dir(folder) {
        Err(error) if error.fault() == DiskFault::NotFound && folder.parent().is_some() => {
            make_dirs(folder.parent().unwrap_or(folder))?;
            RealDisk.make_dir(folder)
        }
        Err(error) if error.fault() == DiskFault::Exists => Ok(()),
        made => made,
    }
}

/// Removes the file, if it exists and is ours.
fn take_away(unit: &Unit) -> Result<(), Fault> {
    if ours(unit)?.is_none() {
        return Ok(());
    }
    RealDisk.unlink(&unit.path).map_err(|error| {
        Fault::new(codes::DAEMON_FAILED, format!("cannot remove `{}`: {error}", unit.path.display()))
            .fix("remove it by hand")
    })
}

/// The content of the file, if it is ours; `None` if there is none.
fn ours(unit: &Unit) -> Result<Option<String>, Fault> {
    let path = unit.path.display();
    match RealDisk.read(&unit.path, UNIT_LEN_MAX) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if text.contains(OURS) {
                return Ok(Some(text));
            }
            Err(Fault::new(
                codes::DAEMON_FAILED,
                format!("`{path}` was written by another program or a person, and is left as it is"),
            )
            .fix(format!("look at it, and move it away: {path}")))
        }
        Err(error) if error.fault() == DiskFault::NotFound => Ok(None),
        Err(error) => Err(Fault::new(codes::DAEMON_FAILED, format!("cannot read `{path}`: {error}"))
            .fix("make it readable, or move it away")),
    }
}

/// Runs a command. If it fails, returns the first line of its output that is about the failure.
fn attempt(command: &[String]) -> Result<(), String> {
    let [program, arguments @ ..] = command else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let done = command.output().map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    Err(why(&String::from_utf8_lossy(&done.stderr)).unwrap_or_else(|| done.status.to_string()))
}

fn why(said: &str) -> Option<String> {
    let is_why = |line: &&str| !line.is_empty() && !DID.iter().any(|did| line.starts_with(did));
    said.lines().map(str::trim).find(is_why).map(|line| line.chars().take(WHY_LEN_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-27
    fn paths_reach_the_system_as_they_are() {
        let odd = Path::new("/a b/%h/$x\"y");
        let unit = systemd(Path::new("/c"), "brainstem", odd, Path::new("/home/ana/.brainstem"), None)
            .expect("a unit");
        assert_eq!(unit.path, Path::new("/c/systemd/user/brainstem.service"));
        assert!(
            unit.text.contains("ExecStart=\"/a b/%%h/$$x\\\"y\" --home \"/home/ana/.brainstem\" up\n"),
            "{}",
            unit.text
        );
        assert_eq!(systemd(Path::new("/c"), "x", Path::new("/a\nExecStartPre=/evil"), odd, None), None);
        let agent =
            launchd(Path::new("/Users/ana"), "brainstem", Path::new("/a<b>&c"), odd, None).expect("an agent");
        assert!(
            agent.text.contains("<string>/a&lt;b&gt;&amp;c</string><string>--home</string>"),
            "{}",
            agent.text
        );
        assert_eq!(launchd(Path::new("/u"), "x", Path::new("/a\u{7}"), odd, None), None);
    }

    #[test] // spec: IF-11, IF-27
    fn the_address_reaches_the_unit_and_is_of_this_machine() {
        let (at, home) = (Path::new("/bin/brainstem"), Path::new("/h"));
        let bind = local("127.0.0.1:7744").expect("local");
        let unit = systemd(Path::new("/c"), "brainstem", at, home, Some(bind)).expect("a unit");
        assert!(unit.text.contains("--home \"/h\" up --bind 127.0.0.1:7744\n"), "{}", unit.text);
        let agent = launchd(Path::new("/u"), "brainstem", at, home, Some(bind)).expect("an agent");
        assert!(
            agent.text.contains(
                "<string>up</string><string>--bind</string><string>127.0.0.1:7744</string></array>"
            ),
            "{}",
            agent.text
        );
        assert_eq!(local("[::1]:7744").expect("local").to_string(), "[::1]:7744");
        for odd in ["0.0.0.0:7733", "192.168.0.7:7733", "127.0.0.1:0", "127.0.0.1", "localhost:1", "", "x\ny"]
        {
            assert_eq!(local(odd).map_err(|fault| fault.code), Err(codes::INPUT_BAD_VALUE), "{odd:?}");
        }
    }
}

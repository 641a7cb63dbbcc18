//! What a person reads of the commands of the daemon.

use super::Daemon;
use crate::program::finish;
use crate::seen::{Seen, assert_seen};
use brainstem_testkit::TestHome;
use std::path::Path;

#[test] // spec: IF-1, IF-2, IF-14
fn up_down_page_and_the_status_say_what_the_daemon_does() {
    let daemon = Daemon::start();
    let top = daemon.home.user_home().to_owned();
    let mut seen = Seen::of(&daemon.home);
    for words in [
        &["status"][..],
        &["up", "--bind", "127.0.0.1:0"],
        &["up", "--detach"],
        &["down"],
        &["down"],
        &["page"],
        &["status"],
    ] {
        let mut command = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        seen.add(words, &finish(command.args(words).current_dir(&top).env("USER", "ana"), b""));
    }
    seen.replace(&daemon.address, "[address]");
    seen.replace(&format!("process {}", daemon.pid), "process [pid]");
    assert_seen!(seen);
}

#[test] // spec: IF-2, IF-11
fn up_refuses_addresses_that_it_cannot_or_must_not_listen_on() {
    let home = TestHome::new();
    let mut seen = Seen::of(&home);
    for words in [
        &["up", "--bind", "0.0.0.0:0"][..],
        &["up", "--bind", "nonsense"],
        &["up", "--toolsets", "nonsense"],
        &["up", "--log-level", "loud"],
    ] {
        let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        seen.add(words, &finish(command.args(words).current_dir(home.user_home()), b""));
    }
    assert_seen!(seen);
}

/// The unit of systemd; a Mac has launchd.
#[cfg(target_os = "linux")]
#[test] // spec: IF-14
fn a_service_is_shown_before_it_is_installed_or_removed() {
    let home = TestHome::new();
    let mut seen = Seen::of(&home);
    for words in [&["service", "install", "--dry-run"][..], &["service", "remove", "--dry-run"]] {
        let mut command = home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
        seen.add(words, &finish(command.args(words).current_dir(home.user_home()), b""));
    }
    seen.replace(env!("CARGO_BIN_EXE_brainstem"), "[program]");
    assert_seen!(seen);
}

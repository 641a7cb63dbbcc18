//! What a command advises when the daemon answered for it.

use super::Daemon;
use crate::mcp as stdio;
use crate::program::finish;
use serde_json::json;
use std::fs;
use std::path::Path;

#[test] // spec: IF-4, IF-10, MAIL-17
fn a_refusal_of_the_daemon_repeats_the_options_of_the_command() {
    let daemon = Daemon::start();
    let cherry = daemon.home.cherry();
    let root = cherry.to_str().expect("text");
    fs::create_dir_all(cherry.join(".mail")).expect("a folder");
    fs::write(cherry.join(".mail/.gitignore"), "!*\n").expect("written");
    fs::write(cherry.join(".gitignore"), "!.mail/\n").expect("written");
    let options = ["--root", root, "--as", "a:x", "--session", "s1"];
    let call = ["live", "send", "--target", "w9", "--body", "x", "--json"];
    let elsewhere = daemon.home.user_home().to_owned();
    let refused = daemon.run(&elsewhere, &[&options[..], &call].concat()).json()["error"].take();
    assert_eq!(refused["code"], "store.private_exposed", "{refused}");
    assert_eq!(refused["rule"], "MAIL-1a", "{refused}");
    let told = format!("brainstem --as a:x --root {root} --session s1 mail init --private-mail");
    assert!(refused["fix"].as_str().is_some_and(|fix| fix.contains(&told)), "{refused}");
    assert_eq!(refused.get("fix_parts"), None, "the parts are for the program alone");
    // Typed as printed it helps.
    let private = [&options[..], &["mail", "init", "--private-mail"]].concat();
    assert_eq!(daemon.run(&elsewhere, &private).status, Some(0));
    assert_eq!(daemon.run(&elsewhere, &[&options[..], &call].concat()).status, Some(0));
}

#[test] // spec: IF-4, MAIL-3
fn the_note_of_a_live_message_over_stdio_names_the_agent_that_the_call_named() {
    let daemon = Daemon::start();
    let cherry = daemon.home.cherry();
    let fields = json!({"op": "send", "target": "nobody", "body": "b", "agent_id": "gemini:reviewer"});
    let asked = [stdio::initialize("2025-11-25"), stdio::initialized(), stdio::call(1, "live", fields)];
    let lines: String = asked.iter().map(|message| format!("{message}\n")).collect();
    let mut mcp = daemon.home.command(Path::new(env!("CARGO_BIN_EXE_brainstem")));
    mcp.args(["mcp", "--toolsets", "live,mail"]).current_dir(&cherry);
    let told = finish(&mut mcp, lines.as_bytes()).stdout;
    assert!(
        told.contains("op: archive") && told.contains("agent_id: gemini:reviewer takes it back"),
        "{told}"
    );
}

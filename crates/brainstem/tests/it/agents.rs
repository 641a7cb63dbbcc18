//! One agent has one name: the hook, the MCP server and the mail of a host that `init --host` connected.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads the files that a host would read"
)]

use crate::hosts::Person;
use crate::program::finish;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Command;

/// The MCP server as the file of a host starts it, with its arguments and its variables.
fn server(person: &Person, host: &str) -> Command {
    let (command, args, env) = match host {
        "claude-code" => {
            let file: Value = serde_json::from_str(&person.read(".mcp.json")).unwrap();
            let entry = file["mcpServers"]["brainstem"].clone();
            (entry["command"].clone(), entry["args"].clone(), entry["env"].clone())
        }
        _ => {
            let file = person.read(".codex/config.toml");
            let value = |key: &str| {
                let line = file.lines().find_map(|line| line.strip_prefix(&format!("{key} = "))).unwrap();
                serde_json::from_str::<Value>(&line.replace("{ ", "{\"").replace(" = ", "\": ")).unwrap()
            };
            (value("command"), value("args"), value("env"))
        }
    };
    let mut process = person.process(command.as_str().unwrap());
    process.args(args.as_array().unwrap().iter().map(|word| word.as_str().unwrap()));
    process.envs(env.as_object().unwrap().iter().map(|(name, value)| (name, value.as_str().unwrap())));
    process
}

/// What a client of that name gets for its calls, in their order.
fn calls(process: &mut Command, client: &str, calls: &[(&str, Value)]) -> Vec<Value> {
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}});
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let asked = calls.iter().enumerate().map(|(n, (name, arguments))| {
        json!({"jsonrpc": "2.0", "id": n + 1, "method": "tools/call", "params": {"name": name, "arguments": crate::mcp::with_document(name, arguments.clone())}})
    });
    let lines: String = [hello, begun].into_iter().chain(asked).map(|line| format!("{line}\n")).collect();
    let ran = finish(process, lines.as_bytes());
    let mut answers: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_i64());
    answers[1..].iter().map(|answer| answer["result"]["structuredContent"].clone()).collect()
}

#[test] // spec: IF-25a, IF-15, IF-16, MAIL-3
fn hook_server_and_mail_of_a_host_are_one_agent() {
    let person = Person::new();
    let connected: Value =
        serde_json::from_str(&person.ok(&["--json", "init", "--host", "claude-code,codex"])).unwrap();
    assert_eq!(
        connected["agents"],
        json!([{"host": "claude-code", "agent_id": "claude:maker"}, {"host": "codex", "agent_id": "codex:maker"}])
    );
    assert!(person.ok(&["init", "--host", "codex"]).contains("codex is codex:maker here"));
    let cherry = person.home.cherry().display().to_string();
    let hosts = [
        ("claude-code", "claude:maker", "claude.maker", ["claude", "claude-code", "claude:maker"]),
        ("codex", "codex:maker", "codex.maker", ["codex", "codex-mcp-client", "codex:maker"]),
    ];
    for (host, agent, mailbox, names) in hosts {
        for name in names {
            let sent: Value = serde_json::from_str(&person.ok(&[
                "--json",
                "--as",
                "human:ana",
                "mail",
                "send",
                "--to",
                name,
                "--type",
                "task",
                "--subject",
                name,
            ]))
            .unwrap();
            assert_eq!(sent["mailbox"], mailbox, "{name}");
        }
        // The hook speaks to the agent of its mail, and not to the person whose login it runs under.
        let payload = match host {
            "codex" => {
                json!({"session_id": host, "cwd": cherry, "hook_event_name": "SessionStart", "source": "startup",
                "model": "m", "permission_mode": "default"})
            }
            _ => {
                json!({"session_id": host, "cwd": cherry, "hook_event_name": "SessionStart", "source": "startup"})
            }
        };
        let told = person.hook("USER=ana brainstem hook session-start", &payload, &[]).stdout;
        assert!(told.contains(&format!("3 unread messages for {agent}")), "{told}");
        assert!(told.contains(&format!("brainstem --as {agent} mail list")), "{told}");
        // The server, by whatever name its client goes.
        for client in [names[1], "mcp"] {
            let answers =
                calls(&mut server(&person, host), client, &[("whoami", json!({})), ("mail_list", json!({}))]);
            let (who, listed) = (&answers[0], &answers[1]);
            assert_eq!(
                (&who["agent_id"], &who["slug"], &who["source"]),
                (&json!(agent), &json!(mailbox), &json!("host"))
            );
            assert!(who["aliases"].as_array().unwrap().contains(&json!(names[0])), "{who}");
            assert!(who["session"].as_str().unwrap().starts_with(&format!("{mailbox}-")), "{who}");
            assert_eq!((&listed["me"], listed["messages"].as_array().unwrap().len()), (&json!(mailbox), 3));
        }
        // The command that the hook names shows the same.
        let typed: Value =
            serde_json::from_str(&person.ok(&["--json", "--as", agent, "mail", "list"])).unwrap();
        assert_eq!(typed["messages"].as_array().unwrap().len(), 3);
    }
    // Another host that reads the same file is known by its own name.
    let answers = calls(&mut server(&person, "claude-code"), "Visual Studio Code", &[("whoami", json!({}))]);
    assert_eq!(answers[0]["agent_id"], "vscode:maker");
    // A command that an agent types in its host's shell is the agent's.
    let mut typed = person.process(env!("CARGO_BIN_EXE_brainstem"));
    let who = finish(typed.args(["--json", "whoami"]).env("CLAUDECODE", "1").env("USER", "ana"), b"").json();
    assert_eq!((&who["agent_id"], &who["source"]), (&json!("claude:maker"), &json!("host")));
    // Settings that say who sits at the terminal make no person of an agent.
    person.ok(&["config", "set", "agent", "human:ana"]);
    let answers = calls(&mut server(&person, "codex"), "codex-mcp-client", &[("whoami", json!({}))]);
    assert_eq!((&answers[0]["agent_id"], &answers[0]["kind"]), (&json!("codex:maker"), &json!("agent")));
}

#[test] // spec: IF-25a, MAIL-11
fn sessions_of_one_host_share_the_box_and_never_the_work() {
    let person = Person::new();
    person.ok(&["init", "--host", "codex"]);
    for n in 0..24 {
        person.ok(&[
            "--as",
            "human:ana",
            "mail",
            "send",
            "--to",
            "codex",
            "--type",
            "task",
            "--subject",
            &n.to_string(),
        ]);
    }
    let asked: Vec<(&str, Value)> =
        std::iter::once(("whoami", json!({}))).chain((0..8).map(|_| ("mail_claim", json!({})))).collect();
    let answers: Vec<Vec<Value>> = std::thread::scope(|scope| {
        let sessions: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| calls(&mut server(&person, "codex"), "codex-mcp-client", &asked)))
            .collect();
        sessions.into_iter().map(|session| session.join().unwrap()).collect()
    });
    let names: BTreeSet<&str> = answers.iter().map(|told| told[0]["session"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    let mut taken: Vec<(&str, &str)> = Vec::new();
    for told in &answers {
        for claim in &told[1..] {
            assert_eq!(claim["owner"], told[0]["session"], "{claim}");
            taken.push((claim["file"].as_str().unwrap(), claim["owner"].as_str().unwrap()));
        }
    }
    let files: BTreeSet<&str> = taken.iter().map(|(file, _)| *file).collect();
    assert_eq!((taken.len(), files.len()), (24, 24), "each once: {taken:?}");
}

#[test] // spec: MAIL-4, MAIL-11
fn a_client_that_hangs_up_is_gone_and_what_it_took_stays_leased() {
    let person = Person::new();
    person.ok(&["init", "--host", "codex"]);
    person.ok(&["--as", "human:ana", "mail", "send", "--to", "codex", "--type", "task", "--subject", "x"]);
    let asked = [
        ("mail_claim", json!({})),
        ("session_register", json!({"name": "w1", "tag": ["worker"]})),
        ("session_list", json!({})),
    ];
    let answers = calls(&mut server(&person, "codex"), "codex-mcp-client", &asked);
    let live = |list: &Value| -> Vec<bool> {
        let rows = list["sessions"].as_array().unwrap().iter();
        let agents = rows.filter(|row| row["agent_id"] == "codex:maker");
        agents.map(|row| row["live"].as_bool().unwrap()).collect()
    };
    assert!(live(&answers[2]).contains(&true), "{answers:?}");
    let list: Value = serde_json::from_str(&person.ok(&["--json", "session", "list"])).unwrap();
    assert_eq!(live(&list), [false, false], "the connection, and the name it registered: {list}");
    let held = ["--json", "--as", "codex:maker", "mail", "list", "--folder", "claimed"];
    let held: Value = serde_json::from_str(&person.ok(&held)).unwrap();
    assert_eq!(held["messages"][0]["owner"], answers[0]["owner"], "{held}");
    person.ok(&["--as", "codex:maker", "--session", "w1", "mail", "list"]);
    let list: Value = serde_json::from_str(&person.ok(&["--json", "session", "list"])).unwrap();
    let w1 = list["sessions"].as_array().unwrap().iter().find(|row| row["name"] == "w1").unwrap();
    assert_eq!(w1["live"], true, "a call makes it live again: {list}");
}

#[test] // spec: MAIL-4, MAIL-11, MAIL-12
fn over_mcp_a_session_has_a_name_of_its_own_and_keeps_what_is_its_own_under_another() {
    let person = Person::new();
    for host in ["codex", "claude-code"] {
        person.ok(&["init", "--host", host]);
    }
    person.ok(&["--as", "codex:maker", "--session", "w9", "mail", "list"]);
    let sent = ["--json", "--as", "human:ana", "mail", "send", "--to", "__broadcast", "--type", "status"];
    person.ok(&[&sent[..], &["--subject", "hello"]].concat());
    let asked = [
        ("session_register", json!({"name": "w9"})),
        ("session_register", json!({"name": "human.root"})),
        ("mail_list", json!({})),
        ("mail_read", json!({})),
        ("session_register", json!({"name": "zz"})),
        ("mail_list", json!({})),
        ("mail_send", json!({"to": "w9", "type": "status", "body": "x"})),
    ];
    let told = calls(&mut server(&person, "claude-code"), "claude-code", &asked);
    for refused in &told[..2] {
        assert_eq!(refused["error"]["code"], "mail.name_taken", "{refused}");
    }
    let subjects = |list: &Value| -> Vec<String> {
        let rows = list["messages"].as_array().unwrap().iter();
        rows.map(|row| row["subject"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((subjects(&told[2]), subjects(&told[5])), (vec!["hello".to_owned()], vec![]), "{told:?}");
    assert_eq!(told[6]["somebody_home"], true, "{told:?}");
    let other = calls(&mut server(&person, "claude-code"), "claude-code", &[("mail_list", json!({}))]);
    assert_eq!(subjects(&other[0]), ["hello"], "another session has not read it");
    person.ok(&["--as", "human:ana", "mail", "send", "--to", "codex", "--type", "handoff", "--body", "go"]);
    let file: Value =
        serde_json::from_str(&person.ok(&["--json", "--as", "codex:maker", "mail", "list"])).unwrap();
    let file = file["messages"].as_array().unwrap().iter().find(|row| row["type"] == "handoff").unwrap();
    let asked = [
        ("mail_claim", json!({"file": file["file"]})),
        ("session_register", json!({"name": "w3"})),
        ("mail_claim", json!({"file": file["file"]})),
        ("mail_mark_read", json!({"file": file["file"]})),
    ];
    let told = calls(&mut server(&person, "codex"), "codex-mcp-client", &asked);
    assert_eq!((&told[2]["renewed"], &told[2]["owner"]), (&json!(true), &json!("w3")), "{told:?}");
    assert_eq!(told[3]["folder"], "read", "{told:?}");
}

#[test] // spec: IF-25
fn whoami_shows_twenty_sessions_of_this_project_and_counts_the_rest() {
    let person = Person::new();
    for n in 0..23 {
        person.ok(&["--as", "codex:maker", "--session", &format!("s{n}"), "mail", "list"]);
    }
    let other = person.home.plum().display().to_string();
    person.ok(&["--as", "codex:maker", "--session", "there", "--root", &other, "mail", "list"]);
    let who = |words: &[&str]| -> Value {
        let words: Vec<&str> =
            ["--json", "--as", "codex:maker"].into_iter().chain(words.iter().copied()).collect();
        serde_json::from_str(&person.ok(&words)).unwrap()
    };
    let here = who(&["whoami"]);
    let names: Vec<&str> =
        here["sessions"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!((names.len(), &here["sessions_left_out"]), (20, &json!(3)));
    assert!(!names.contains(&"there"), "{names:?}");
    assert_eq!(names[0], "s22", "the last seen first");
    let everywhere = who(&["whoami", "--all-roots"]);
    assert_eq!(
        (everywhere["sessions"].as_array().unwrap().len(), &everywhere["sessions_left_out"]),
        (20, &json!(4))
    );
    assert_eq!(everywhere["sessions"][0]["name"], "there");
}

#[test] // spec: IF-25
fn an_mcp_client_without_a_name_is_no_person() {
    let person = Person::new();
    person.ok(&["bootstrap"]);
    let rule =
        |n: usize| json!({"label": format!("Releases {n}"), "text": "are cut on Fridays", "tier": "medulla"});
    for (n, name) in ["", "   ", "\u{200b}"].into_iter().enumerate() {
        let mut process = person.process(env!("CARGO_BIN_EXE_brainstem"));
        let got = calls(process.arg("mcp"), name, &[("whoami", json!({})), ("memorize", rule(n))]);
        assert_eq!(
            (&got[0]["agent_id"], &got[0]["source"]),
            (&json!("unknown"), &json!("nobody")),
            "{name:?}"
        );
        assert_eq!(got[1]["source_agent"], "unknown", "{name:?}: {}", got[1]);
    }
}

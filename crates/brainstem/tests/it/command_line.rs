//! Words, standard output, standard error and exit status.

#![allow(clippy::disallowed_methods, reason = "a test makes folders")]

use crate::program::{Place, finish};
use crate::seen::assert_seen;
use serde_json::json;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

#[test] // spec: IF-1
fn alone_it_says_where_you_are() {
    let place = Place::new();
    let ran = place.run([] as [&str; 0]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.contains("brainstem "), "{ran:?}");
    assert!(place.run(["--json"]).json()["next"].is_array());
    let named = place.run(["status"]);
    assert_eq!((named.status, named.stdout, named.stderr), (ran.status, ran.stdout, ran.stderr));
}

#[test] // spec: IF-3, IF-25
#[allow(clippy::disallowed_methods, reason = "a file of the system, not one of ours")]
fn the_caller_is_the_flag_before_the_environment_before_the_login() {
    let place = Place::new();
    let who = |words: &[&str], agent: Option<&str>| {
        let mut command = place.command();
        agent.map(|agent| command.env("BRAINSTEM_AGENT", agent));
        let answer = finish(command.args(words), b"").json();
        format!(
            "{} {}",
            answer["agent_id"].as_str().unwrap_or("nobody"),
            answer["source"].as_str().unwrap_or("")
        )
    };
    assert_eq!(who(&["whoami", "--json"], None), "human:ana login");
    assert_eq!(who(&["whoami", "--json"], Some("codex:maker")), "codex:maker environment");
    assert_eq!(who(&["whoami", "--json"], Some("")), "human:ana login");
    assert_eq!(who(&["--as", "a:b", "whoami", "--json"], Some("codex:maker")), "a:b flag");
    assert_eq!(who(&["whoami", "--as", "a:b", "--json"], None), "a:b flag");
    let mut nameless = place.command();
    let nobody =
        finish(nameless.env_remove("USER").env_remove("LOGNAME").args(["whoami", "--json"]), b"").json();
    // Without a variable, as in many containers, the system's list of users has the name, where it has the user.
    let uid = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let listed = users.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()));
    let listed = listed.and_then(|line| line.split(':').next());
    let expected = listed.map_or(("nobody".to_owned(), "unknown".to_owned()), |name| {
        ("login".to_owned(), format!("human:{name}"))
    });
    let told = |key: &str| nobody[key].as_str().unwrap_or_default().to_owned();
    assert_eq!((told("source"), told("agent_id")), expected);
}

#[test] // spec: IF-25a
fn every_name_of_a_hosts_agent_is_one_agent_in_memory_too() {
    let place = Place::new();
    let cherry = place.folder("cherry");
    let run = |words: &[&str]| finish(place.command().current_dir(&cherry).args(words), b"");
    assert_eq!(run(&["bootstrap"]).status, Some(0));
    for (name, label) in [("codex", "a"), ("codex:maker", "b"), ("codex-mcp-client", "c")] {
        let ran = run(&["memorize", label, "--text", "something", "--as", name]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
    }
    for name in ["codex", "codex:maker", "codex-mcp-client"] {
        let listed = run(&["list", "--agent", name, "--json"]).json();
        let authors: Vec<&str> = listed["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["source_agent"].as_str().unwrap())
            .collect();
        assert_eq!(authors, ["codex:maker"; 3], "{name}");
    }
}

#[test] // spec: MEM-1b, IF-1
fn a_brain_that_was_set_aside_is_told_on_every_surface_and_its_hints_work_as_they_stand() {
    let place = Place::new();
    let lime = place.folder("lime");
    let run = |words: &[&str]| finish(place.command().current_dir(&lime).args(words), b"");
    let ok = |words: &[&str]| {
        let ran = run(words);
        assert_eq!(ran.status, Some(0), "{words:?} {ran:?}");
        ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    ok(&["bootstrap"]);
    ok(&["memorize", "Peel", "--text", "thin"]);
    let brain = run(&["--json"]).json()["brain"].as_str().unwrap().to_owned();
    let aside = run(&["set-aside", &brain, "--json"]).json();
    let back = aside["next"].as_str().unwrap().to_owned();
    for words in [&[][..], &["seek", "peel"], &["list"], &["north"]] {
        let told = ok(words);
        assert!(told.contains("set aside") && told.contains(&back), "{words:?} {told}");
        assert!(!told.contains("none yet") && !told.contains("no brain yet"), "{words:?} {told}");
    }
    let hook = ok(&["hook", "session-start"]);
    assert!(
        hook.contains("on this machine: no brain in use (the one of this folder was set aside), "),
        "{hook}"
    );
    assert!(hook.contains(&format!("You are in {lime:?}, whose brain was set aside; ")), "{hook}");
    let brains = ok(&["brains"]);
    assert!(brains.contains(&back) && !brains.contains("No project has a brain"), "{brains}");
    assert_eq!(run(&["--json"]).json()["next"], json!(["brainstem --help"]), "it is no trouble");
    let refused = run(&["bootstrap", "--json"]).json();
    assert_eq!(refused["error"]["code"], "memory.set_aside");
    let fix = refused["error"]["fix"].as_str().unwrap();
    assert!(fix.contains(&back) && fix.ends_with("--anew"), "{fix}");

    let words = |call: &str| call.split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>();
    let call = |call: &str| ok(&words(call).iter().map(String::as_str).collect::<Vec<_>>());
    let anew = fix.rsplit(": ").next().unwrap();
    assert!(call(anew).contains("has a brain now"));
    let taken = run(&words(&back).iter().map(String::as_str).chain(["--json"]).collect::<Vec<_>>()).json();
    assert_eq!(taken["error"]["code"], "memory.has_brain");
    let first = taken["error"]["fix"].as_str().unwrap();
    call(first.split(": ").nth(1).unwrap().split(';').next().unwrap());
    assert!(call(&back).contains("taken up"));
    assert!(ok(&["seek", "peel"]).contains("thin"));
}

#[test] // spec: IF-4, MEM-30
fn what_was_deleted_is_called_deleted_and_a_blank_question_is_refused() {
    let place = Place::new();
    let cherry = place.folder("cherry");
    let run = |words: &[&str]| finish(place.command().current_dir(&cherry).args(words), b"");
    run(&["bootstrap"]);
    run(&["boot", "set", "test", "cargo test"]);
    let mut seen = place.seen();
    for words in [["boot", "get", "test"], ["boot", "delete", "test"]] {
        seen.add(&words, &run(&words));
    }
    assert_seen!(seen);
    for blank in ["", "  "] {
        let refused = run(&["seek", blank, "--json"]).json();
        assert_eq!(refused["error"]["code"], "input.missing", "{blank:?}");
    }
}

#[test] // spec: IF-4
fn a_refusal_is_exit_1_and_names_its_fix() {
    let place = Place::new();
    let mut seen = place.seen();
    place.see(&mut seen, &["whoami", "--as", "a b"]);
    assert_seen!(seen);
    let ran = place.run(["whoami", "--as", "a b", "--json"]);
    assert_eq!((ran.status, ran.code().as_str(), ran.stderr.as_str()), (Some(1), "identity.bad_agent", ""));
    assert_eq!(ran.json()["error"]["rule"], "IF-3");
    assert_eq!(ran.stdout.lines().count(), 1);
}

#[test] // spec: IF-4
fn a_line_that_cannot_be_parsed_is_exit_2() {
    let place = Place::new();
    for words in [
        ["--json", "whoami", "--nonsense"].as_slice(),
        &["--json", "whoamy"],
        &["whoami", "too", "many", "--json"],
        &["whoami", "--json", "--as"],
        &["completions", "--json"],
        &["letter", "--json"],
    ] {
        let ran = place.run(words);
        assert_eq!(
            (ran.status, ran.code().as_str(), ran.stderr.as_str()),
            (Some(2), "input.unparsable", ""),
            "{words:?}"
        );
        assert!(ran.json()["error"]["fix"].as_str().is_some_and(|fix| fix.contains("--help")), "{ran:?}");
    }
    let mut seen = place.seen();
    place.see(&mut seen, &["whoamy"]);
    place.see(&mut seen, &["letter"]);
    assert_seen!(seen);
    // Behind `--`, the word is no option, so the answer is for a person.
    assert_eq!(place.run(["whoami", "--", "--json"]).stdout, "");
}

#[test] // spec: IF-6
fn a_command_that_does_not_exist_leads_to_those_that_do_what_it_says() {
    let place = Place::new();
    let mut seen = place.seen();
    for words in
        [&["remember", "x"][..], &["start"], &["delete", "x"], &["mail", "nonsense"], &["mail", "delete"]]
    {
        place.see(&mut seen, words);
    }
    assert_seen!(seen);
}

#[test] // spec: IF-4
fn a_bad_value_is_exit_1_with_its_field() {
    let place = Place::new();
    for (words, field) in [
        (["--json", "--color", "pink", "whoami"].as_slice(), "color"),
        (&["--json", "completions", "tcsh"], "shell"),
        (&["--json", "mcp", "--toolsets", "memory,male"], "toolsets"),
    ] {
        let ran = place.run(words);
        assert_eq!((ran.status, ran.code().as_str()), (Some(1), "input.bad_value"), "{words:?}");
        assert_eq!(ran.json()["error"]["field"], field);
    }
}

#[test] // spec: IF-4
fn words_that_are_not_utf8_are_refused_with_a_code() {
    let place = Place::new();
    let word = std::ffi::OsStr::from_bytes(b"\xFF\xFE");
    let ran = place.run([std::ffi::OsStr::new("--json"), std::ffi::OsStr::new("whoami"), word]);
    assert_eq!((ran.status, ran.code().as_str()), (Some(2), "input.not_utf8"));
}

#[test]
fn without_any_home_it_says_so() {
    let place = Place::new();
    let ran = finish(place.command().env_remove("HOME").args(["whoami", "--json"]), b"");
    assert_eq!((ran.status, ran.code().as_str()), (Some(1), "home.unusable"));
    let named =
        || finish(place.command().env_remove("HOME").args(["whoami", "--json", "--home", "here"]), b"");
    assert_eq!(
        (named().status, named().code().as_str()),
        (Some(1), "home.unusable"),
        "there is no such folder"
    );
    std::fs::create_dir(place.home().with_file_name("here")).expect("a folder");
    assert_eq!(named().status, Some(0));
}

#[test] // spec: IF-3, MEM-17, MEM-23
fn a_root_or_a_home_that_does_not_exist_is_an_error_and_not_an_empty_store() {
    let place = Place::new();
    let typo = place.home().with_file_name("typo");
    let typo = typo.to_str().expect("text");
    for words in [&["list"][..], &["seek", "x"], &["north"], &["show", "x"], &["brains"], &["doctor"], &[]] {
        for option in ["--root", "--home"] {
            let ran = place.run([&[option, typo, "--json"], words].concat());
            let code = if option == "--root" { "memory.root_missing" } else { "home.unusable" };
            assert_eq!((ran.status, ran.code().as_str()), (Some(1), code), "{option} {words:?}");
            let error = &ran.json()["error"];
            assert!(error["message"].as_str().is_some_and(|told| told.contains(typo)), "{error}");
            assert!(error["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{error}");
        }
    }
    for (variable, code) in
        [("BRAINSTEM_WORKSPACE_ROOT", "memory.root_missing"), ("BRAINSTEM_HOME", "home.unusable")]
    {
        for named in [typo, "typo"] {
            let ran = finish(place.command().env(variable, named).args(["list", "--json"]), b"");
            assert_eq!((ran.status, ran.code().as_str()), (Some(1), code), "{variable}={named}");
            let error = &ran.json()["error"];
            assert!(error["message"].as_str().is_some_and(|told| told.contains(typo)), "{error}");
        }
    }
    assert!(!std::path::Path::new(typo).exists(), "looking makes nothing");
    let file = place.home().with_file_name("file");
    std::fs::write(&file, "not a folder").expect("a file");
    for words in [&["list"][..], &["memorize", "x", "--text", "y"], &["bootstrap"]] {
        let ran = place.run([&["--home", file.to_str().expect("text"), "--json"], words].concat());
        assert_eq!((ran.status, ran.code().as_str()), (Some(1), "home.unusable"), "{words:?}");
        assert!(
            ran.json()["error"]["message"].as_str().is_some_and(|told| told.contains("not a folder")),
            "{ran:?}"
        );
    }
    // A new home is made by what gives a project its brain.
    let cherry = place.home().with_file_name("cherry");
    std::fs::create_dir_all(cherry.join("deep")).expect("a folder");
    let ran = finish(place.command().current_dir(&cherry).args(["--home", typo, "bootstrap"]), b"");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(place.run(["--home", typo, "list"]).status, Some(0));
    let new = place.home().with_file_name("new");
    let named = |words: &[&str]| {
        finish(place.command().env("BRAINSTEM_HOME", &new).current_dir(&cherry).args(words), b"")
    };
    assert_eq!(named(&["status"]).status, Some(1), "it does not exist yet");
    assert_eq!(named(&["bootstrap"]).status, Some(0));
    assert_eq!(named(&["status"]).status, Some(0));
    // A brain whose folder is gone can still be named by it.
    let run = |words: &[&str]| finish(place.command().current_dir(&cherry).args(words), b"");
    assert_eq!(run(&["--home", typo, "memorize", "Kept", "--text", "all of it"]).status, Some(0));
    std::fs::remove_dir_all(&cherry).expect("removed");
    let ran = place.run(["--home", typo, "--root", cherry.to_str().expect("text"), "list"]);
    assert!(ran.status == Some(0) && ran.stdout.contains("all of it"), "{ran:?}");
}

#[test] // spec: IF-3, IF-16, MEM-23
fn servers_and_hooks_refuse_a_home_or_a_root_that_does_not_exist_as_every_verb_does() {
    let place = Place::new();
    let typo = place.home().with_file_name("typo");
    let hello = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    let [home, root] = ["BRAINSTEM_HOME", "BRAINSTEM_WORKSPACE_ROOT"];
    for named in [typo.as_path(), std::path::Path::new("typo")] {
        let run = |variable: &str, words: &[&str], input: &[u8]| {
            finish(place.command().env(variable, named).args(words), input)
        };
        for (variable, code) in [(home, "home.unusable"), (root, "memory.root_missing")] {
            let told = format!("{variable}={}", named.display());
            let mcp = run(variable, &["mcp"], hello);
            assert_eq!((mcp.status, mcp.stdout.as_str()), (Some(1), ""), "{told}: {mcp:?}");
            assert!(
                mcp.stderr.contains(code) && mcp.stderr.contains(typo.to_str().expect("text")),
                "{mcp:?}"
            );
            let hook = run(variable, &["hook", "session-start"], br#"{"session_id":"s"}"#);
            assert_eq!(hook.status, Some(0), "{told}: {hook:?}");
            assert!(hook.stdout.contains(&format!("gap {code}")), "{told}: {hook:?}");
        }
        let daemon = [
            &["up", "--bind", "127.0.0.1:0"][..],
            &["down"],
            &["page"],
            &["service", "install", "--dry-run"],
        ];
        for words in daemon {
            let ran = run(home, &[&["--json"], words].concat(), b"");
            assert_eq!((ran.status, ran.code().as_str()), (Some(1), "home.unusable"), "{words:?}: {ran:?}");
        }
    }
    assert!(!typo.exists(), "nothing was made");
    // The home that nobody has to name does not have to exist: the first write makes it.
    let default = place.home().with_file_name(".brainstem");
    let mut command = place.command();
    command.env("HOME", default.parent().expect("a folder")).env(home, &default);
    let mcp = finish(command.arg("mcp"), hello);
    assert!(mcp.status == Some(0) && mcp.stdout.contains("serverInfo"), "{mcp:?}");
    // An empty variable names nothing.
    let ran =
        finish(place.command().env(root, "").env("HOME", place.home()).env(home, "").args(["list"]), b"");
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

#[test] // spec: IF-3, IF-4
fn colours_appear_only_where_they_are_wanted() {
    let place = Place::new();
    assert!(!place.run(["whoami"]).stdout.contains('\x1b'));
    assert!(place.run(["whoami", "--color", "always"]).stdout.contains('\x1b'));
    assert!(place.run(["--color=always", "nonsense"]).stderr.contains('\x1b'));
    assert!(place.run(["--color=always", "--help"]).stdout.contains('\x1b'));
    assert!(!place.run(["--help"]).stdout.contains('\x1b'));
    let always = finish(place.command().env("NO_COLOR", "1").args(["whoami", "--color", "always"]), b"");
    assert!(always.stdout.contains('\x1b'), "a flag is stronger than the environment");
}

#[test] // spec: IF-6
fn help_is_enough_offline() {
    let place = Place::new();
    let help = place.run(["--help"]);
    assert_eq!((help.status, help.stderr.as_str()), (Some(0), ""));
    for part in [
        "whoami",
        "mcp",
        "completions",
        "--root",
        "--as",
        "--home",
        "BRAINSTEM_HOME",
        "Examples:",
        "Exit status:",
    ] {
        assert!(help.stdout.contains(part), "no {part} in {}", help.stdout);
    }
    let help = place.run(["whoami", "--help"]);
    for part in [
        "Show your identity here",
        "BRAINSTEM_AGENT",
        "Examples:",
        "brainstem whoami --as codex:maker --json",
    ] {
        assert!(help.stdout.contains(part), "no {part} in {}", help.stdout);
    }
    assert_eq!(place.run(["help", "whoami"]).stdout, help.stdout);
    assert_eq!(place.run(["help"]).stdout, place.run(["--help"]).stdout);
    let help = place.run(["whoami", "--help", "--json"]).json()["help"].clone();
    assert!(help.as_str().is_some_and(|help| help.starts_with("Show your identity here")), "{help}");
}

#[test] // spec: IF-27
fn the_version_tells_the_schemas_too() {
    let place = Place::new();
    let told = |words: &[&str]| place.run(words).stdout;
    let program = concat!("brainstem ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(told(&["-V"]), program);
    assert_eq!(told(&["--version"]), format!("{program}home schema 1\nclaim protocol L1GHT/1.0\n"));
    let document = place.run(["--version", "--json"]).json();
    let expected = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "home_schema": 1,
        "claim_protocol": "L1GHT/1.0",
    });
    assert_eq!(document, expected);
}

#[test] // spec: IF-6
fn completions_know_the_verbs() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = place.run(["completions", shell]);
        assert_eq!(ran.status, Some(0));
        assert!(ran.stdout.contains("whoami") && ran.stdout.contains("toolsets"), "{shell}");
    }
    let document = place.run(["completions", "fish", "--json"]).json();
    assert_eq!(document["shell"], json!("fish"));
}

#[test] // spec: IF-4
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = Place::new();
    let mut child = place
        .command()
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let out = child.wait_with_output().expect("the program ends");
    assert_eq!((out.status.code(), String::from_utf8_lossy(&out.stderr).as_ref()), (Some(0), ""));
}

#[test] // spec: IF-4, IF-6
#[allow(clippy::disallowed_methods, reason = "a device, not a file of ours")]
fn an_answer_that_cannot_be_written_is_refused_with_a_fix() {
    let place = Place::new();
    // A device that is always full; where there is none, there is nothing to try.
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let out = place.command().arg("whoami").stdout(full).stderr(Stdio::piped()).output().expect("it ends");
    let told = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        told.contains("  fix: make room or write elsewhere") && told.contains("[output.unwritable]"),
        "{told}"
    );
}

#[test] // spec: IF-4
fn a_value_that_begins_with_a_hyphen_is_refused_with_a_fix_that_holds() {
    let place = Place::new();
    let send = |subject: &[&str]| {
        let args = [&["mail", "send", "--to", "w1", "--type", "task", "--body", "x"], subject].concat();
        place.run(&args)
    };
    let mut seen = place.seen();
    seen.add(&["mail", "send", "…", "--subject", "- one"], &send(&["--subject", "- one"]));
    assert_seen!(seen);
    let parsed = send(&["--subject=- one"]);
    assert!(!parsed.stderr.contains("input.unparsable"), "{}", parsed.stderr);
}

#[test] // spec: IF-4
fn what_is_missing_is_named_as_the_command_line_has_it() {
    let place = Place::new();
    let mut seen = place.seen();
    place.see(&mut seen, &["debrief"]);
    assert_seen!(seen);
}

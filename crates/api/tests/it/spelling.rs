//! What to do next is spelled for the door it is told at: no tool or path is told as a command, no field as an option.

use crate::world::World;
use brainstem_api::{Offered, Via};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The texts of a source file, each with what stands before it, without those of its tests.
fn literals(source: &str) -> Vec<(String, String)> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let chars: Vec<char> = source.chars().collect();
    let (mut found, mut before, mut at) = (Vec::new(), String::new(), 0);
    while at < chars.len() {
        let next = chars.get(at + 1);
        match chars[at] {
            '/' if next == Some(&'/') => {
                while at < chars.len() && chars[at] != '\n' {
                    at += 1;
                }
            }
            '\'' if next == Some(&'"') => at += 3,
            '\'' if next == Some(&'\\') => at += 4,
            '"' => {
                let (mut text, mut end) = (String::new(), at + 1);
                while end < chars.len() && chars[end] != '"' {
                    if chars[end] != '\\' {
                        text.push(chars[end]);
                    } else if chars[end + 1] == '\n' {
                        // A line that goes on leaves out the blanks of the next.
                        while chars[end + 1].is_whitespace() {
                            end += 1;
                        }
                    } else {
                        end += 1;
                        text.push(if chars[end] == 'n' { '\n' } else { chars[end] });
                    }
                    end += 1;
                }
                found.push((before.clone(), text));
                at = end + 1;
                before.clear();
                continue;
            }
            other if !other.is_whitespace() => before.push(other),
            _ => {}
        }
        at += 1;
    }
    found
}

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|kind| kind == "rs")
            && !entry.to_string_lossy().contains("_tests")
        {
            found.push(entry);
        }
    }
}

/// The options and commands in a text that a door other than the command line would spell in another way.
fn unspelled(via: Via, text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split([' ', '`', '(', ')', ',', ';', '.', ':', '\n']).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_option =
            word.starts_with("--") && via.spell(&format!("give {word}")) != format!("give {word}");
        if is_option {
            found.push((*word).to_owned());
        }
        if *word == "brainstem" {
            let command = words[at..words.len().min(at + 3)].join(" ");
            if via.spell(&command) != command {
                found.push(command);
            }
        }
    }
    found
}

/// The commands in a text that stand between backticks without the name of the program: no door but MCP, and there
/// only where tool and command are one word, has them so.
fn bare(text: &str) -> Vec<String> {
    let commands: Vec<String> = brainstem_api::table()
        .iter()
        .map(brainstem_api::Entry::spec)
        // `status` is a field too.
        .filter(|spec| spec.doors.has_tool() && spec.id != "status")
        .flat_map(|spec| [spec.cli.join(" "), spec.id.to_owned()])
        .collect();
    let ticked = text.split('`').skip(1).step_by(2);
    let is_bare = |part: &&str| commands.iter().any(|command| part == command);
    ticked.filter(is_bare).map(str::to_owned).collect()
}

#[test] // spec: IF-4
fn a_command_without_its_program_is_found() {
    assert_eq!(bare("see `mail list` or `mail_list`, not `brainstem mail list`"), ["mail list", "mail_list"]);
    assert!(bare("give `subject` or `body`").is_empty());
}

#[test] // spec: IF-4
fn every_text_is_spelled_for_the_door_it_is_told_at() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let mut seen = 0;
    let mut wrong = Vec::new();
    for name in ["base", "claims", "hygiene", "letters", "mail", "vault", "index", "memory", "post", "api"] {
        let mut files = Vec::new();
        sources(&crates.join(name).join("src"), &mut files);
        for file in files {
            let source = std::fs::read_to_string(&file).expect("text");
            for (before, text) in literals(&source) {
                // Of the doors' own crate, what is shown on a terminal is for the command line.
                let is_told = name != "api" || before.ends_with(".fix(") || before.ends_with(".fix(format!(");
                if !is_told {
                    continue;
                }
                let bare = bare(&text);
                if !bare.is_empty() {
                    wrong.push(format!("{}: {bare:?} in {text:?}", file.display()));
                }
                if !(text.contains("--") || text.contains("brainstem ")) {
                    continue;
                }
                seen += 1;
                for via in [Via::Mcp(Offered::ALL), Via::Rest] {
                    let spelled = via.spell(&text);
                    // What a shell alone has keeps its options.
                    let is_shell = [
                        "brainstem init",
                        "brainstem index",
                        "brainstem up",
                        "brainstem mcp",
                        "brainstem mail prune",
                        "git ",
                        "sshpass",
                    ];
                    let left = unspelled(via, &spelled);
                    if !left.is_empty() && !is_shell.iter().any(|word| spelled.contains(word)) {
                        wrong.push(format!("{}: {left:?} in {spelled:?}", file.display()));
                    }
                }
            }
        }
    }
    assert!(seen > 60, "the sources were read: {seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test] // spec: IF-4
fn a_refusal_and_an_answer_are_spelled_by_their_door() {
    let world = World::new();
    let session = Some(std::sync::Arc::default());
    let ask =
        |session, verb: &str, arguments| world.ask_in("human:ana", "/src/cherry", session, verb, arguments);
    let refused =
        |session| ask(session, "memorize", json!({ "label": "a", "text": "b" })).expect_err("no brain");
    assert!(refused(None).fix.is_some_and(|fix| fix.contains("brainstem bootstrap /src/cherry")));
    let fix = refused(session.clone()).fix.expect("a fix");
    assert!(fix.contains("bootstrap with path: /src/cherry") && !fix.contains("brainstem"), "{fix}");
    let beat = ask(session, "north", json!({})).expect("a beat");
    let told = format!("{}{}{}", beat["reception"], beat["honest_gaps"], beat["next_moves"]);
    assert!(told.contains("bootstrap with path: /src/cherry"), "{told}");
    assert!(!told.contains("brainstem ") && !told.contains("--"), "{told}");
}

#[test] // spec: IF-4, MAIL-1a
fn without_a_root_each_door_names_what_it_has() {
    let world = World::new();
    let session = Some(std::sync::Arc::default());
    let ask = |session, verb: &str| {
        world.ask_in("human:ana", "", session, verb, json!({"label": "a", "text": "b"}))
    };
    let fix = ask(session.clone(), "memorize").expect_err("nowhere").fix.expect("a fix");
    assert!(
        !fix.contains("REST") && !fix.contains("both doors") && fix.contains("bootstrap with path"),
        "{fix}"
    );
    let fix = Via::Rest.spell(&ask(None, "memorize").expect_err("nowhere").fix.expect("a fix"));
    assert!(fix.contains("?brain= or the header Brainstem-Caller-Root"), "{fix}");
}

#[test] // spec: IF-1, MEM-27
fn a_project_without_a_brain_has_served_nothing() {
    let world = World::new();
    world.get("human:ana", "/src/cherry", "bootstrap", json!({}));
    for root in ["/src/cherry", "/src/plum", "/src/plum"] {
        world.get("human:ana", root, "north", json!({}));
    }
    let status = |root| world.get("human:ana", root, "status", json!({}));
    assert_eq!(status("/src/cherry")["memory_beats_served"], 1, "its own");
    for field in ["memory_beats_served", "calls", "sessions"] {
        assert!(status("/src/plum").get(field).is_none(), "{field} is of no brain of this project");
    }
}

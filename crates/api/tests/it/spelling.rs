//! What to do next is a value that each door renders: no text names a command or an option, and no answer names a tool
//! or a path as a command, or a field as an option.

use crate::world::World;
use brainstem_api::{Door, Offered, Toolset};
use brainstem_base::Fault;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

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

/// The first words of all commands, and all options.
static COMMAND_LINE: LazyLock<(BTreeSet<String>, BTreeSet<String>)> = LazyLock::new(|| {
    let root = brainstem_api::cli::command();
    let words = root.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let mut options = BTreeSet::new();
    let mut commands = vec![&root];
    while let Some(command) = commands.pop() {
        options.extend(command.get_arguments().filter_map(|arg| arg.get_long()).map(str::to_owned));
        commands.extend(command.get_subcommands());
    }
    (words, options)
});

/// The commands of this program and their options that a text names, as the command line has them.
fn commands_in(text: &str) -> Vec<String> {
    if !text.contains("--") && !text.contains("brainstem ") {
        return Vec::new();
    }
    let (commands, options) = &*COMMAND_LINE;
    let is_command = |word: &str| commands.contains(word);
    let words: Vec<&str> = text.split([' ', '`', '(', ')', ',', ';', '.', ':', '=', '\n']).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.strip_prefix("--").is_some_and(|option| options.contains(option)) {
            found.push((*word).to_owned());
        }
        if *word == "brainstem" && words.get(at + 1).is_some_and(|next| is_command(next)) {
            found.push(format!("brainstem {}", words[at + 1]));
        }
    }
    found
}

/// The commands in a text that stand between backticks without the name of the program: no door but MCP, and there
/// only where tool and command are one word, has them so.
fn bare(text: &str) -> Vec<String> {
    if !text.contains('`') {
        return Vec::new();
    }
    let commands: Vec<String> = brainstem_api::table()
        .iter()
        .map(brainstem_api::Entry::spec)
        // `status` is a field too.
        .filter(|spec| spec.doors.has_tool() && spec.id() != "status")
        .flat_map(|spec| [spec.cli().join(" "), spec.id().to_owned()])
        .collect();
    let ticked = text.split('`').skip(1).step_by(2);
    let is_bare = |part: &&str| commands.iter().any(|command| part == command);
    ticked.filter(is_bare).map(str::to_owned).collect()
}

#[test] // spec: IF-4
fn a_command_in_a_text_is_found() {
    assert_eq!(bare("see `mail list` or `mail_list`, not `brainstem mail list`"), ["mail list", "mail_list"]);
    assert!(bare("give `subject` or `body`").is_empty());
    assert_eq!(commands_in("run brainstem init --shared, then repeat"), ["brainstem init", "--shared"]);
    assert_eq!(commands_in("repeat with --tier medulla"), ["--tier"]);
    assert!(commands_in("git rm -r --cached .brainstem; run brainstem once").is_empty());
}

/// What the doors' own crates say of a command line on purpose: its parser, its help and reference, examples, and the
/// texts that only a client of MCP or a browser gets.
const OF_A_DOOR: [&str; 14] = [
    "api/src/cli",
    "api/src/terminal",
    "api/src/reference",
    "api/src/openapi",
    "api/src/field_kinds",
    "api/src/instructions",
    "server/src/http/page",
    "server/src/http/guard",
    "server/src/unknown",
    "server/src/fixture",
    "api/src/verbs_tests",
    "base/src/next",
    // The options of the commands that people mean by other words.
    "api/src/likely_commands",
    // Words that stand before a secret on any command line.
    "hygiene/src/context",
];

/// What to do next is an `Advice`, whose calls are values: no text of these crates names a command or an option.
#[test] // spec: IF-4
fn no_text_names_a_command_or_an_option_of_this_program() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let (mut seen, mut wrong) = (0, Vec::new());
    for name in [
        "base", "claims", "hygiene", "letters", "mail", "vault", "index", "caller", "memory", "post", "api",
        "server",
    ] {
        let mut files = Vec::new();
        sources(&crates.join(name).join("src"), &mut files);
        for file in files {
            let place = file.strip_prefix(crates).expect("below it").display().to_string();
            if OF_A_DOOR.iter().any(|own| place.starts_with(own)) {
                continue;
            }
            let source = std::fs::read_to_string(&file).expect("text");
            let mut is_example = false;
            for (before, text) in literals(&source) {
                // The examples of a verb are a list of command lines.
                is_example = before.ends_with("examples:&[") || is_example && before == ",";
                seen += 1;
                // A file that this program writes says which command wrote it.
                let is_own = is_example || text.starts_with("# Written by `brainstem");
                let mut found = if is_own { Vec::new() } else { commands_in(&text) };
                if !["api", "server"].contains(&name) {
                    found.extend(bare(&text));
                }
                if !found.is_empty() {
                    wrong.push(format!("{place}: {found:?} in {text:?}"));
                }
            }
        }
    }
    assert!(seen > 5000, "the sources were read: {seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every field that an advice names by itself is a field of some verb.
#[test] // spec: IF-4
fn every_field_of_an_advice_is_a_field_of_a_verb() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of all crates");
    let schemas = brainstem_api::table().iter().map(brainstem_api::Entry::input_schema);
    let fields: BTreeSet<String> = schemas
        .flat_map(|schema| schema["properties"].as_object().cloned().unwrap_or_default())
        .map(|(name, _)| name)
        .collect();
    let mut seen = 0;
    for name in ["claims", "letters", "mail", "vault", "memory", "post", "api", "server"] {
        let mut files = Vec::new();
        sources(&crates.join(name).join("src"), &mut files);
        for file in files {
            let source = std::fs::read_to_string(&file).expect("text");
            if !source.contains("base::next") && !source.contains("next::field(") {
                continue;
            }
            for (before, text) in literals(&source) {
                let is_field = before.ends_with("field(") && !before.ends_with(".field(");
                if is_field {
                    seen += 1;
                    assert!(fields.contains(&text), "{}: no verb has the field {text:?}", file.display());
                }
            }
        }
    }
    assert!(seen > 40, "the sources were read: {seen}");
}

/// The fix of a refusal, as a client of MCP with the default sets gets it.
fn over_mcp(fault: &Fault) -> String {
    Door::mcp(Offered::of(Toolset::DEFAULT)).render(fault.fix.as_ref().expect("a fix"))
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
    let fix = over_mcp(&refused(session.clone()));
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
    let fix = over_mcp(&ask(session.clone(), "memorize").expect_err("nowhere"));
    assert!(
        !fix.contains("REST") && !fix.contains("both doors") && fix.contains("bootstrap with path"),
        "{fix}"
    );
    let fix = Door::rest().render(&ask(None, "memorize").expect_err("nowhere").fix.expect("a fix"));
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

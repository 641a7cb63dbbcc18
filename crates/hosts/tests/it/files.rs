//! Every host's files as the host or its people write them.

use brainstem_hosts::part::WantedContent;
use brainstem_hosts::{Host, steps};
use std::collections::BTreeMap;

const SECTION: &str = "## Shared memory\n\nPull, not push.";

/// The files of a project, by path.
type Project = BTreeMap<&'static str, String>;

fn project(files: &[(&'static str, &str)]) -> Project {
    files.iter().map(|(file, text)| (*file, (*text).to_owned())).collect()
}

fn parts(host: Host, project: &Project) -> Vec<(&'static str, WantedContent)> {
    let look = |file: &str| project.get(file).cloned();
    host.wiring(SECTION, &look).parts.into_iter().map(|part| (part.file, part.content)).collect()
}

/// Puts a host in and takes it out, with what is remembered and without, and returns the files with it in.
fn check(host: Host, project: &Project) -> Project {
    let mut wired = project.clone();
    for (file, content) in parts(host, project) {
        let before = project.get(file).cloned().unwrap_or_default();
        let inserted = content.insert(&before).unwrap_or_else(|unfit| panic!("{file}: {unfit}"));
        assert!(inserted.exact && inserted.notes.is_empty(), "{file}: {inserted:?}");
        assert_eq!(steps::undo(&inserted.text, &inserted.steps), Some(before.clone()), "{file}");
        let again = content.insert(&inserted.text).unwrap();
        assert_eq!((&again.text, again.was_there), (&inserted.text, true), "{file}: twice is once");
        let removed = content.remove(&inserted.text, Some(&inserted.made), &[]).unwrap();
        assert!(removed.found && removed.notes.is_empty(), "{file}");
        assert_eq!(removed.text.unwrap_or_default(), before, "{file}: without the steps");
        assert!(content.is_in(&inserted.text) && !content.is_in(&before));
        wired.insert(file, inserted.text);
    }
    wired
}

const CLAUDE: &[(&str, &str)] = &[
    (".mcp.json", include_str!("../files/claude-mcp.json")),
    (".claude/settings.json", include_str!("../files/claude-settings.json")),
    ("CLAUDE.md", "# Cherry\n\nRun `make test`.\n"),
];

#[test] // spec: IF-15
fn claude_code_keeps_its_servers_and_hooks() {
    let wired = check(Host::ClaudeCode, &project(CLAUDE));
    let mcp: serde_json::Value = serde_json::from_str(&wired[".mcp.json"]).unwrap();
    assert_eq!(
        mcp["mcpServers"]["brainstem"],
        serde_json::json!({"type": "stdio", "command": "brainstem", "args": ["mcp"], "env": {"BRAINSTEM_HOST": "claude-code"}})
    );
    assert_eq!(mcp["mcpServers"]["postgres"]["command"], "npx");
    let settings = &wired[".claude/settings.json"];
    let parsed: serde_json::Value = serde_json::from_str(settings).unwrap();
    assert_eq!(parsed["hooks"]["SessionStart"].as_array().map(Vec::len), Some(2));
    assert_eq!(parsed["hooks"]["SessionStart"][1]["hooks"][0]["command"], "brainstem hook session-start");
    assert_eq!(parsed["hooks"]["Stop"][0]["hooks"][0]["timeout"], 10);
    // In the style of the file: the new group is indented like the old one.
    assert!(settings.contains("      },\n      {\n        \"matcher\": \"startup|resume"), "{settings}");
    assert!(wired["CLAUDE.md"].starts_with("# Cherry\n\nRun `make test`.\n\n<!-- brainstem:begin "));
}

#[test] // spec: IF-15
fn every_host_starts_from_nothing_too() {
    for host in Host::ALL {
        let wired = check(*host, &Project::new());
        for (file, text) in &wired {
            assert!(
                text.ends_with('\n') && !text.ends_with("\n\n") && !text.contains('\r'),
                "{file}: {text:?}"
            );
            if file.ends_with(".json") {
                assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{file}: {text}");
            }
        }
    }
}

#[test] // spec: IF-15
fn codex_keeps_its_tables_and_its_tabs() {
    let files = project(&[
        (".codex/config.toml", include_str!("../files/codex-config.toml")),
        (".codex/hooks.json", include_str!("../files/codex-hooks.json")),
    ]);
    let wired = check(Host::Codex, &files);
    assert!(wired[".codex/config.toml"].ends_with("tool_timeout_sec = 300\n"));
    let hooks = &wired[".codex/hooks.json"];
    let parsed: serde_json::Value = serde_json::from_str(hooks).unwrap();
    // The trust of this host goes by place: what was first stays first.
    assert_eq!(parsed["hooks"]["Stop"][0]["hooks"][0]["command"], "say done");
    assert!(hooks.contains("\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\""), "{hooks}");
}

#[test] // spec: IF-15
fn cursor_keeps_a_file_on_one_line_and_its_version() {
    let files = project(&[
        (".cursor/mcp.json", include_str!("../files/cursor-mcp.json")),
        (".cursor/hooks.json", include_str!("../files/cursor-hooks.json")),
    ]);
    let wired = check(Host::Cursor, &files);
    assert_eq!(
        wired[".cursor/mcp.json"],
        "{\"mcpServers\": {\"figma\": {\"url\": \"http://127.0.0.1:3845/mcp\"}, \"brainstem\": {\"type\": \"stdio\", \
         \"command\": \"brainstem\", \"args\": [\"mcp\"], \"env\": {\"BRAINSTEM_HOST\": \"cursor\"}}}}"
    );
    let fresh = check(Host::Cursor, &Project::new());
    assert!(fresh[".cursor/hooks.json"].starts_with("{\n  \"version\": 1,\n  \"hooks\": {\n"));
}

#[test] // spec: IF-15
fn gemini_keeps_comments_and_the_file_it_reads_is_found() {
    let files = project(&[(".gemini/settings.json", include_str!("../files/gemini-settings.json"))]);
    let wired = check(Host::Gemini, &files);
    let settings = &wired[".gemini/settings.json"];
    assert!(settings.contains("\"trust\": false }, // keep\n    \"brainstem\": {"), "{settings}");
    assert!(wired.contains_key("AGENTS.md"), "its settings name that file");
    assert!(check(Host::Gemini, &Project::new()).contains_key("GEMINI.md"));
}

#[test] // spec: IF-15
fn vscode_keeps_its_line_ends_and_commas() {
    // As on a system whose lines end otherwise; git would not keep a file like that.
    let text = include_str!("../files/vscode-mcp.json").replace('\n', "\r\n");
    let files = project(&[(".vscode/mcp.json", &text)]);
    let text = &check(Host::VsCode, &files)[".vscode/mcp.json"];
    assert!(!text.replace("\r\n", "").contains('\n'), "{text:?}");
    assert!(text.contains("    }, // remote\r\n    \"brainstem\": {\r\n      \"type\": \"stdio\""), "{text}");
    let end = "\"cwd\": \"${workspaceFolder}\",\r\n      \"env\": {\r\n        \"BRAINSTEM_HOST\": \"vscode\"\r\n      }\r\n    },\r\n  },\r\n}";
    assert!(text.contains(end), "{text}");
}

#[test] // spec: IF-15
fn opencode_gets_its_entry_only_where_the_file_shows_its_version() {
    let one = project(&[("opencode.json", include_str!("../files/opencode-1.jsonc"))]);
    assert!(
        check(Host::Opencode, &one)["opencode.json"]
            .contains("    \"brainstem\": {\n      \"type\": \"local\"")
    );
    let two = project(&[(".opencode/opencode.jsonc", include_str!("../files/opencode-2.jsonc"))]);
    assert!(
        check(Host::Opencode, &two)[".opencode/opencode.jsonc"]
            .contains("\"servers\": {\n      \"brainstem\"")
    );
    for unknown in [Project::new(), project(&[("opencode.json", "{\"mcp\": {}}")])] {
        let obstacle = Host::Opencode.obstacle(&|file: &str| unknown.get(file).cloned()).expect("in the way");
        // Each of the two entries of the fix, written as it stands there, is what the host is then given.
        let (before, one) = obstacle.fix.split_once(" Version 1: ").expect("the older form");
        let (_, two) = before.split_once(" Version 2: ").expect("the newer form");
        for entry in [one, two] {
            let mended = project(&[("opencode.json", entry)]);
            assert_eq!(Host::Opencode.obstacle(&|file: &str| mended.get(file).cloned()), None, "{entry}");
            let parts = parts(Host::Opencode, &mended);
            assert!(parts[0].1.insert(entry).expect("readable").was_there, "{entry}");
        }
    }
    for (host, there) in [(Host::Opencode, &one), (Host::Opencode, &two), (Host::Codex, &Project::new())] {
        assert_eq!(host.obstacle(&|file: &str| there.get(file).cloned()), None);
    }
}

#[test] // spec: IF-15
fn claude_reads_agents_md_only_through_an_import() {
    let imports = project(&[("CLAUDE.md", "@AGENTS.md\n"), ("AGENTS.md", "# Cherry\n")]);
    assert!(check(Host::ClaudeCode, &imports)["AGENTS.md"].contains("brainstem:begin"));
    let apart = project(&[("CLAUDE.md", "# Mine\n"), ("AGENTS.md", "# Cherry\n")]);
    let wired = check(Host::ClaudeCode, &apart);
    assert!(wired["CLAUDE.md"].contains("brainstem:begin") && wired["AGENTS.md"] == "# Cherry\n");
    let wiring = Host::ClaudeCode.wiring(SECTION, &|file: &str| apart.get(file).cloned());
    assert!(wiring.notes.iter().any(|note| note.contains("@AGENTS.md")));
}

#[test] // spec: IF-15
fn what_a_person_did_meanwhile_stays() {
    let project = project(CLAUDE);
    for (file, content) in
        parts(Host::ClaudeCode, &project).into_iter().filter(|(file, _)| file.ends_with("json"))
    {
        let inserted = content.insert(&project[file]).unwrap();
        // A person adds a key before and one behind ours.
        let with = |text: &str| {
            let text = text.replacen('{', "{\n  \"mine\": true,", 1);
            let end = text.trim_end().strip_suffix('}').unwrap().trim_end().to_owned();
            format!("{end},\n  \"later\": [1]\n}}\n")
        };
        let removed = content.remove(&with(&inserted.text), Some(&inserted.made), &[]).unwrap();
        assert_eq!(removed.text, Some(with(&project[file])), "{file}");
    }
}

#[test] // spec: IF-15
fn an_entry_that_is_not_as_we_wrote_it_is_the_persons_own() {
    let own = "{\"mcpServers\": {\"brainstem\": {\"command\": \"/opt/brainstem\", \"args\": [\"mcp\"]}}}";
    let hooked = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/brainstem hook stop\"}]}]}}";
    let found = parts(Host::ClaudeCode, &Project::new());
    for (content, text) in [(&found[0].1, own), (&found[1].1, hooked)] {
        let inserted = content.insert(text).unwrap();
        assert_eq!(inserted.notes.len(), 1, "{inserted:?}");
        assert!(!inserted.exact && inserted.text.contains("/opt/brainstem"));
        let removed = content.remove(text, None, &[]).unwrap();
        assert_eq!((removed.text.as_deref(), removed.found, removed.notes.len()), (Some(text), false, 1));
    }
    assert_eq!(found[0].1.insert(own).unwrap().text, own);
}

#[test] // spec: IF-15
fn what_does_not_parse_or_fit_is_refused() {
    let content = &parts(Host::ClaudeCode, &Project::new())[0].1;
    for text in
        ["{", "[]", "{ // note\n}", "{\"mcpServers\": null}", "{\"mcpServers\": [], }", "\u{0}", "\u{feff}{}"]
    {
        assert!(content.insert(text).is_err(), "{text:?}");
    }
    let hooks = &parts(Host::ClaudeCode, &Project::new())[1].1;
    assert!(hooks.insert("{\"hooks\": {\"Stop\": {}}}").is_err());
}

/// What the version before this one wrote: the same entries without the name of the host.
fn as_it_was_written_before(wired: &str) -> String {
    let line = wired.lines().find(|line| line.starts_with("env = ")).map(|line| format!("{line}\n"));
    let wired = line.map_or(wired.to_owned(), |line| wired.replace(&line, ""));
    ["env", "environment"].iter().fold(wired, |text, key| {
        let Some(start) = text.find(&format!("\"{key}\": {{")) else { return text };
        let end = start + text[start..].find('}').unwrap() + 1;
        let before = text[..start].trim_end().strip_suffix(',').unwrap();
        format!("{before}{}", &text[end..])
    })
}

#[test] // spec: IF-15, IF-25a
fn an_entry_that_the_version_before_wrote_is_renewed_and_taken_out() {
    let old = project(&[("opencode.json", include_str!("../files/opencode-1.jsonc"))]);
    for host in Host::ALL {
        let base = if *host == Host::Opencode { old.clone() } else { Project::new() };
        let wired = check(*host, &base);
        for (file, content) in parts(*host, &base) {
            let (now, before) = (&wired[file], as_it_was_written_before(&wired[file]));
            if *now == before {
                continue;
            }
            let renewed = content.insert(&before).unwrap();
            assert_eq!(&renewed.text, now, "{file}");
            assert!(renewed.notes.is_empty() && renewed.was_there && !renewed.exact, "{file}");
            let removed = content.remove(&before, None, &[]).unwrap();
            let left = removed.text.unwrap_or_default();
            assert_eq!(left, base.get(file).cloned().unwrap_or_default(), "{file}");
            // What a person changed in it is theirs, whichever version wrote it.
            let changed = before.replace("\"mcp\"]", "\"mcp\", \"--toolsets\", \"all\"]");
            let kept = content.insert(&changed).unwrap();
            assert!(kept.text == changed && kept.notes.len() == 1, "{file}: {kept:?}");
        }
    }
}

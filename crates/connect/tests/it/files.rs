//! Hosts are put into a project and taken out of it: on every kind of disk, and wherever power fails.

use crate::world::{CHERRY, MAKER, PERSON, Short as _, caller, clock, service, two_repositories};
use brainstem_base::Coded as _;
use brainstem_base::disk::{Disk as _, ObservedDisk, SimDisk, UnsyncedFate, verbs};
use brainstem_connect::{Connect, FileFate, HostsDone, HostsRequest};
use brainstem_hosts::Host;
use brainstem_memory::{Memory, MemoryError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const SETTINGS: &str = "{\n  \"permissions\": {\n    \"allow\": [\"Bash(make:*)\"]\n  }\n}\n";

fn request(hosts: &[Host]) -> HostsRequest {
    HostsRequest {
        hosts: hosts.to_vec(),
        section: "## Shared memory\n\nPull.".into(),
        ..HostsRequest::default()
    }
}

fn code(error: &MemoryError) -> &'static str {
    error.code().name()
}

fn init(memory: &Memory, hosts: &[Host]) -> Result<HostsDone, MemoryError> {
    Connect::new(memory).init_hosts(&caller(PERSON, CHERRY), &request(hosts))
}

fn eject(memory: &Memory, hosts: &[Host]) -> Result<HostsDone, MemoryError> {
    Connect::new(memory).eject_hosts(&caller(PERSON, CHERRY), &request(hosts))
}

/// A repository in which people have files of their own.
fn lived_in() -> SimDisk {
    let disk = two_repositories();
    for (file, text) in [
        (".claude/settings.json", SETTINGS),
        (".vscode/mcp.json", "// team\r\n{\r\n\t\"servers\": {}\r\n}"),
        (".codex/config.toml", "model = \"x\" # ours\n"),
        (".cursor/hooks.json", "{}"),
        ("AGENTS.md", "# Cherry\n\nBuild with make."),
        ("opencode.json", "{\"mcp\": {\"a\": {\"type\": \"local\", \"command\": [\"a\"]}}}\n"),
    ] {
        disk.write_raw(Path::new(CHERRY).join(file), text.as_bytes());
    }
    disk
}

/// The files of the project; what a power cut left under a temporary name is none.
fn project(disk: &SimDisk) -> BTreeMap<PathBuf, String> {
    let files = disk
        .dump()
        .into_iter()
        .filter(|(path, _)| path.starts_with(CHERRY) && !path.to_string_lossy().contains("/.tmp-"));
    files.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

/// What is left in the project under a temporary name.
fn leftovers(disk: &SimDisk) -> Vec<PathBuf> {
    let names = disk.dump().into_keys();
    names
        .filter(|path| path.starts_with(CHERRY) && path.to_string_lossy().contains("/.tmp-brainstem-"))
        .collect()
}

fn open(disk: &SimDisk) -> Memory {
    service(Arc::new(disk.clone()), &clock())
}

#[test] // spec: IF-15
fn in_and_out_again_leaves_every_byte_as_it_was() {
    for disk in [two_repositories(), lived_in()] {
        let before = project(&disk);
        let memory = open(&disk);
        let done = init(&memory, Host::ALL).unwrap();
        assert!(done.brain.is_some() && done.files.iter().all(|file| !file.diff.is_empty()));
        let wired = project(&disk);
        let again = init(&memory, Host::ALL).unwrap();
        assert!(again.files.iter().all(|file| file.fate == FileFate::Unchanged && file.diff.is_empty()));
        assert_eq!(project(&disk), wired, "twice is once");
        eject(&memory, Host::ALL).unwrap();
        assert_eq!(project(&disk), before);
        let folders = |name: &str| disk.stat(&Path::new(CHERRY).join(name)).is_ok();
        assert!(!folders(".github"), "folders that were made go too");
        assert_eq!(
            folders(".codex"),
            before.keys().any(|path| path.starts_with(Path::new(CHERRY).join(".codex")))
        );
        let nothing = eject(&memory, Host::ALL).unwrap();
        assert!(nothing.notes[0].contains("not connected here"), "{nothing:?}");
        assert!(nothing.files.iter().all(|file| file.fate == FileFate::Unchanged), "{nothing:?}");
    }
}

/// A project that the version before this one connected: its files, and how it would have taken them back.
fn connected_before() -> (SimDisk, BTreeMap<PathBuf, String>) {
    let disk = two_repositories();
    let before = project(&disk);
    let codex = "model = \"x\" # ours\n";
    let entry = "{\n  \"mcpServers\": {\n    \"brainstem\": {\n      \"type\": \"stdio\",\n      \"command\": \"brainstem\",\n      \
                 \"args\": [\"mcp\"]\n    }\n  }\n}\n";
    let table = "\n[mcp_servers.brainstem]\ncommand = \"brainstem\"\nargs = [\"mcp\"]\nenv_vars = [\"BRAINSTEM_HOME\", \
                 \"BRAINSTEM_AGENT\"]\nstartup_timeout_sec = 30\ntool_timeout_sec = 300\n";
    let print = |text: &str| brainstem_base::hash::sha256_hex(text.as_bytes(), 64);
    let record = serde_json::json!({
        "hosts": ["claude-code", "codex"],
        "files": {
            ".mcp.json": {"after": print(entry), "created": true, "exact": true,
                "steps": [{"at": 0, "text": entry}], "made": ["", "mcpServers"], "dirs": []},
            ".codex/config.toml": {"after": print(&format!("{codex}{table}")), "created": false, "exact": true,
                "steps": [{"at": codex.len(), "text": table}], "made": [], "dirs": []},
        }
    });
    disk.write_raw(format!("{CHERRY}/.mcp.json"), entry.as_bytes());
    disk.write_raw(format!("{CHERRY}/.codex/config.toml"), format!("{codex}{table}").as_bytes());
    let name = brainstem_vault::brain::fingerprint(Path::new(CHERRY));
    let home = open(&disk).home_path().to_owned();
    disk.write_raw(home.join(format!("local/hosts/{name}.json")), record.to_string().as_bytes());
    let mut bare = before;
    bare.insert(Path::new(CHERRY).join(".codex/config.toml"), codex.to_owned());
    (disk, bare)
}

#[test] // spec: IF-15, IF-25a
fn what_the_version_before_wrote_is_renewed_and_taken_back_byte_for_byte() {
    let hosts = [Host::ClaudeCode, Host::Codex];
    let (disk, bare) = connected_before();
    eject(&open(&disk), &hosts).unwrap();
    assert_eq!(project(&disk), bare, "as it was written");
    let (disk, bare) = connected_before();
    let memory = open(&disk);
    init(&memory, &hosts).unwrap();
    let files = project(&disk);
    let text = |file: &str| files[&Path::new(CHERRY).join(file)].clone();
    assert!(text(".mcp.json").contains("\"BRAINSTEM_HOST\": \"claude-code\""));
    assert!(text(".codex/config.toml").contains("env = { BRAINSTEM_HOST = \"codex\" }\n"));
    eject(&memory, &hosts).unwrap();
    assert_eq!(project(&disk), bare, "renewed, and then taken back");
}

#[test] // spec: IF-15
fn memory_stays_where_it_is() {
    let disk = lived_in();
    let memory = open(&disk);
    let maker = caller(MAKER, CHERRY);
    memory.begin(&maker).unwrap();
    memory.tell(&maker, "Retry policy", "three times").unwrap();
    init(&memory, &[Host::ClaudeCode]).unwrap();
    assert!(
        project(&disk).keys().all(|path| !path.to_string_lossy().contains(".brainstem")),
        "nothing to commit"
    );
    eject(&memory, &[Host::ClaudeCode]).unwrap();
    assert_eq!(memory.all(&maker).rows.len(), 1);
}

#[test] // spec: IF-15
fn a_dry_run_shows_the_difference_and_touches_nothing() {
    let disk = lived_in();
    let before = disk.dump();
    let memory = open(&disk);
    let dry = HostsRequest { dry_run: true, ..request(&[Host::ClaudeCode]) };
    let done = Connect::new(&memory).init_hosts(&caller(PERSON, CHERRY), &dry).unwrap();
    let settings = done.files.iter().find(|file| file.file == ".claude/settings.json").unwrap();
    assert!(settings.diff.contains("+      {\n") && settings.diff.contains("brainstem hook session-start"));
    assert_eq!(disk.dump(), before);
    init(&memory, &[Host::ClaudeCode]).unwrap();
    let wired = disk.dump();
    let out = Connect::new(&memory).eject_hosts(&caller(PERSON, CHERRY), &dry).unwrap();
    assert!(
        out.files
            .iter()
            .any(|file| file.fate == FileFate::Removed && file.diff.contains("-    \"brainstem\""))
    );
    assert_eq!(disk.dump(), wired);
}

#[test] // spec: IF-15
fn secrets_beside_a_change_are_not_shown() {
    let disk = two_repositories();
    let token = &format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let text = format!(
        "{{\n  \"mcpServers\": {{\n    \"hub\": {{ \"env\": {{ \"GITHUB_TOKEN\": \"{token}\" }} }}\n  }}\n}}\n"
    );
    disk.write_raw(format!("{CHERRY}/.mcp.json"), text.as_bytes());
    let memory = open(&disk);
    let done = init(&memory, &[Host::ClaudeCode]).unwrap();
    let mcp = done.files.iter().find(|file| file.file == ".mcp.json").unwrap();
    assert!(mcp.diff.contains("brainstem") && !mcp.diff.contains(token), "{}", mcp.diff);
    let kept: Vec<u8> =
        disk.dump().into_iter().filter(|(path, _)| !path.starts_with(CHERRY)).flat_map(|(_, b)| b).collect();
    assert!(!String::from_utf8_lossy(&kept).contains(token), "nor copied anywhere");
}

#[test] // spec: IF-15
fn what_people_did_since_stays() {
    let disk = lived_in();
    let memory = open(&disk);
    init(&memory, &[Host::ClaudeCode, Host::Codex]).unwrap();
    let edit = |file: &str, from: &str, to: &str| {
        let path = Path::new(CHERRY).join(file);
        let text = project(&disk)[&path].replace(from, to);
        disk.write_raw(path, text.as_bytes());
    };
    edit(".claude/settings.json", "Bash(make:*)", "Bash(just:*)");
    edit("AGENTS.md", "Build with make.", "Build with just.");
    edit(".codex/config.toml", "model = \"x\"", "model = \"y\"");
    assert!(init(&memory, &[Host::ClaudeCode]).unwrap().files.iter().all(|file| file.diff.is_empty()));
    eject(&memory, Host::ALL).unwrap();
    let left = project(&disk);
    let text = |file: &str| left[&Path::new(CHERRY).join(file)].as_str();
    assert_eq!(text(".claude/settings.json"), SETTINGS.replace("make", "just"));
    assert_eq!(text("AGENTS.md"), "# Cherry\n\nBuild with just.");
    assert_eq!(text(".codex/config.toml"), "model = \"y\" # ours\n");
    assert!(!left.contains_key(&Path::new(CHERRY).join(".mcp.json")));
}

#[test] // spec: IF-15
fn without_the_record_what_is_ours_is_found_by_what_it_says() {
    let disk = lived_in();
    let before = project(&disk);
    let memory = open(&disk);
    init(&memory, Host::ALL).unwrap();
    // Another machine: the files came with a clone.
    let records: Vec<_> =
        disk.dump().into_keys().filter(|path| path.to_string_lossy().contains("local/hosts")).collect();
    assert!(!records.is_empty());
    records.iter().for_each(|path| disk.unlink(path).unwrap());
    eject(&memory, Host::ALL).unwrap();
    let mut left = project(&disk);
    // What is empty and might have been ours goes with it; what says something stays.
    let emptied = |path: &PathBuf| path.ends_with(".cursor/hooks.json") || path.ends_with(".vscode/mcp.json");
    let vscode = left.remove(&Path::new(CHERRY).join(".vscode/mcp.json"));
    assert_eq!(vscode.as_deref(), Some("// team\r\n{}"), "somebody's comment is no reason to lose it");
    let expected: BTreeMap<_, _> = before.into_iter().filter(|(path, _)| !emptied(path)).collect();
    assert_eq!(left, expected);
}

#[test] // spec: IF-15
fn what_a_person_wrote_before_is_not_taken_out_though_it_says_the_same() {
    let written = two_repositories();
    init(&open(&written), &[Host::ClaudeCode]).unwrap();
    let entry = project(&written)[&Path::new(CHERRY).join(".mcp.json")].clone();
    let disk = two_repositories();
    let path = Path::new(CHERRY).join(".mcp.json");
    disk.write_raw(&path, entry.as_bytes());
    let before = project(&disk);
    let memory = open(&disk);
    let done = init(&memory, &[Host::ClaudeCode]).unwrap();
    let fate =
        |done: &HostsDone| done.files.iter().find(|file| file.file == ".mcp.json").map(|file| file.fate);
    assert_eq!(fate(&done), Some(FileFate::Unchanged));
    for _ in 0..2 {
        let done = eject(&memory, &[Host::ClaudeCode]).unwrap();
        assert!(done.notes.iter().any(|note| note.contains(".mcp.json stays as it is")), "{done:?}");
        assert_eq!(project(&disk), before, "the rest was ours and is gone");
    }
    // Once the person takes it out and it is written from here, it is ours.
    disk.unlink(&path).unwrap();
    init(&memory, &[Host::ClaudeCode]).unwrap();
    eject(&memory, &[Host::ClaudeCode]).unwrap();
    assert!(!project(&disk).contains_key(&path));
}

#[test] // spec: IF-15
fn a_section_stays_as_long_as_one_host_reads_it() {
    let disk = two_repositories();
    let memory = open(&disk);
    init(&memory, &[Host::Codex]).unwrap();
    disk.write_raw(Path::new(CHERRY).join("opencode.json"), b"{\"mcp\": {\"servers\": {}}}");
    init(&memory, &[Host::Cursor, Host::Opencode]).unwrap();
    let agents = || project(&disk).get(&Path::new(CHERRY).join("AGENTS.md")).cloned();
    let done = eject(&memory, &[Host::Codex]).unwrap();
    assert!(agents().is_some() && done.notes.iter().any(|note| note.contains("another host")), "{done:?}");
    eject(&memory, &[Host::Cursor]).unwrap();
    assert!(agents().is_some(), "opencode reads it too");
    eject(&memory, &[Host::Opencode]).unwrap();
    assert_eq!(agents(), None);
}

#[test] // spec: IF-15
fn a_host_that_cannot_be_connected_is_refused_by_name_and_left_out_of_all() {
    let disk = two_repositories();
    let memory = open(&disk);
    let before = disk.dump();
    for hosts in [&[Host::Opencode][..], &[Host::Codex, Host::Opencode]] {
        let error = init(&memory, hosts).unwrap_err();
        assert_eq!(code(&error), "host.version_unknown", "{error}");
        assert!(error.fix().is_some_and(|fix| fix.contains("\"servers\"")), "{error:?}");
        assert_eq!(disk.dump(), before, "no instructions to use tools that are not there");
    }
    let done = init(&memory, Host::ALL).unwrap();
    assert!(!done.hosts.contains(&Host::Opencode) && done.hosts.len() == Host::ALL.len() - 1, "{done:?}");
    assert!(done.notes.iter().any(|note| note.starts_with("opencode cannot be connected")), "{done:?}");
    disk.write_raw(Path::new(CHERRY).join("opencode.json"), b"{\"mcp\": {\"servers\": {}}}");
    assert_eq!(init(&memory, &[Host::Opencode]).unwrap().hosts, [Host::Opencode]);
}

#[test] // spec: IF-15
fn a_file_that_cannot_be_changed_safely_stops_everything_before_anything_is_written() {
    for (file, text, expected) in [
        (".mcp.json", &b"{ broken"[..], "host.file_unfit"),
        (".mcp.json", "\u{feff}{}".as_bytes(), "host.file_unfit"),
        (".claude/settings.json", b"{ /* note */ }", "host.file_unfit"),
        ("CLAUDE.md", b"\xff\xfe", "host.file_unfit"),
        (".mcp.json", b"{\"mcpServers\": []}", "host.file_unfit"),
    ] {
        let disk = two_repositories();
        disk.write_raw(Path::new(CHERRY).join(file), text);
        let before = disk.dump();
        let error = init(&open(&disk), &[Host::ClaudeCode]).unwrap_err();
        assert_eq!(code(&error), expected, "{file}: {error}");
        assert_eq!(disk.dump(), before, "{file}");
    }
}

#[test] // spec: IF-15
fn no_link_leads_out_of_the_project() {
    for (target, link) in [
        ("/home/ana/settings", format!("{CHERRY}/.claude")),
        ("/home/ana/notes.md", format!("{CHERRY}/CLAUDE.md")),
        ("/nowhere", format!("{CHERRY}/.mcp.json")),
    ] {
        let disk = two_repositories();
        disk.make_dirs("/home/ana/settings");
        disk.write_raw("/home/ana/notes.md", b"private\n");
        disk.make_link(target, &link);
        let before = disk.dump();
        let error = init(&open(&disk), &[Host::ClaudeCode]).unwrap_err();
        assert_eq!(code(&error), "host.file_outside", "{link}");
        assert_eq!(disk.dump(), before);
    }
    // Within the project a link is what it stands for: one file under two names.
    let disk = two_repositories();
    disk.write_raw(format!("{CHERRY}/AGENTS.md"), b"# Cherry\n");
    disk.make_link("AGENTS.md", format!("{CHERRY}/CLAUDE.md"));
    let memory = open(&disk);
    init(&memory, &[Host::ClaudeCode, Host::Codex]).unwrap();
    let text = project(&disk)[&Path::new(CHERRY).join("AGENTS.md")].clone();
    assert_eq!(text.matches("brainstem:begin").count(), 1);
    assert!(
        disk.stat(format!("{CHERRY}/CLAUDE.md").as_ref())
            .is_ok_and(|stat| stat.kind == brainstem_base::disk::FileKind::Link)
    );
    eject(&memory, Host::ALL).unwrap();
    assert_eq!(project(&disk)[&Path::new(CHERRY).join("AGENTS.md")], "# Cherry\n");
}

#[test] // spec: IF-15
fn a_file_that_a_host_rewrites_meanwhile_is_not_lost() {
    let disk = lived_in();
    let armed = Arc::new(AtomicBool::new(false));
    let path = Path::new(CHERRY).join(".claude/settings.json");
    let (inner, is_armed, at) = (disk.clone(), armed.clone(), path.clone());
    // The host saves its settings after they were read, before they are written.
    let observed = ObservedDisk::new(Arc::new(disk.clone()), move |step| {
        if step.verb == verbs::LINK
            && step.path.ends_with(".mcp.json")
            && is_armed.swap(false, Ordering::SeqCst)
        {
            inner.write_raw(&at, b"{\"theirs\": true}");
        }
    });
    let memory = service(Arc::new(observed), &clock());
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    armed.store(true, Ordering::SeqCst);
    let error = init(&memory, &[Host::ClaudeCode]).unwrap_err();
    assert_eq!(code(&error), "host.file_changed");
    assert_eq!(project(&disk)[&path], "{\"theirs\": true}");
    init(&memory, &[Host::ClaudeCode]).unwrap();
    assert!(project(&disk)[&path].contains("brainstem hook stop"));
    eject(&memory, &[Host::ClaudeCode]).unwrap();
    assert_eq!(project(&disk)[&path], "{\"theirs\": true}");
}

#[test] // spec: IF-15
fn power_that_fails_leaves_old_files_or_new_ones_and_the_repeat_completes() {
    let hosts = [Host::ClaudeCode, Host::Codex];
    let before = project(&lived_in());
    let prepared = lived_in();
    open(&prepared).begin(&caller(MAKER, CHERRY)).unwrap();
    let wired = prepared.reboot(UnsyncedFate::Kept);
    init(&open(&wired), &hosts).unwrap();
    let after = project(&wired);
    let whole = |disk: &SimDisk, steps: u64| {
        for (path, text) in project(disk) {
            let known = [before.get(&path), after.get(&path)];
            assert!(known.contains(&Some(&text)), "{} at step {steps}: {text:?}", path.display());
        }
    };
    let mut left = 0;
    for (start, end, act) in [
        (&prepared, &after, init as fn(&Memory, &[Host]) -> Result<HostsDone, MemoryError>),
        (&wired, &before, eject),
    ] {
        for steps in 0.. {
            let disk = start.reboot(UnsyncedFate::Kept);
            disk.lose_power_after(steps);
            let answered = act(&open(&disk), &hosts).is_ok();
            let lost_power = disk.lost_power();
            for fate in UnsyncedFate::all(steps) {
                let found = disk.reboot(fate);
                whole(&found, steps);
                if answered {
                    assert_eq!(&project(&found), end, "answered at step {steps}, {fate:?}");
                }
                left += leftovers(&found).len();
                act(&open(&found), &hosts).unwrap();
                assert_eq!(&project(&found), end, "repeated after step {steps}, {fate:?}");
                assert_eq!(leftovers(&found), [] as [PathBuf; 0], "after step {steps}, {fate:?}");
                eject(&open(&found), &hosts).unwrap();
                assert_eq!(project(&found), before, "taken out after step {steps}, {fate:?}");
            }
            if !lost_power {
                assert!(answered);
                break;
            }
        }
    }
    assert!(left > 0, "some cut leaves a temporary file behind");
}

#[test] // spec: IF-15
fn a_killed_run_leaves_nothing_that_eject_does_not_remove() {
    let disk = lived_in();
    let memory = open(&disk);
    init(&memory, &[Host::ClaudeCode]).unwrap();
    let own = Path::new(CHERRY).join(".tmp-brainstem-00");
    disk.write_raw(&own, b"# Cherry");
    disk.write_raw(Path::new(CHERRY).join(".tmp-other"), b"of another tool");
    eject(&memory, &[Host::ClaudeCode]).unwrap();
    assert_eq!(leftovers(&disk), [] as [PathBuf; 0]);
    assert!(disk.stat(&own.with_file_name(".tmp-other")).is_ok(), "what others wrote is theirs");
}

#[test] // spec: IF-15
fn what_was_written_before_a_file_that_cannot_be_is_named() {
    let disk = lived_in();
    let memory = open(&disk);
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    let before = project(&disk);
    let mut named = 0;
    for space in (0..20_000).step_by(100) {
        disk.set_space_left(Some(space));
        let Err(error) = init(&memory, &[Host::ClaudeCode]) else { break };
        disk.set_space_left(None);
        let new: Vec<_> =
            project(&disk).into_iter().filter(|(path, text)| before.get(path) != Some(text)).collect();
        for (path, _) in &new {
            let name = path.strip_prefix(CHERRY).unwrap().to_string_lossy().into_owned();
            let told = error.to_string();
            assert!(told.contains("written before that, and kept") && told.contains(&name), "{told}");
            assert!(!error.fix().unwrap_or_default().contains("--home"), "{:?}", error.fix());
            named += 1;
        }
        eject(&memory, &[Host::ClaudeCode]).unwrap();
    }
    assert!(named > 0, "some space is enough for the first file and not for the second");
}

#[test] // spec: IF-15
fn a_broken_file_of_a_host_that_was_never_connected_is_in_nobodys_way() {
    let disk = lived_in();
    let memory = open(&disk);
    init(&memory, &[Host::ClaudeCode]).unwrap();
    disk.write_raw(Path::new(CHERRY).join(".cursor/mcp.json"), b"\xff\xfe");
    disk.write_raw(Path::new(CHERRY).join(".vscode/mcp.json"), b"{ broken");
    let done = eject(&memory, Host::ALL).unwrap();
    assert!(done.notes.iter().any(|note| note.contains(".cursor/mcp.json")), "{:?}", done.notes);
    assert!(disk.stat(&Path::new(CHERRY).join(".mcp.json")).is_err(), "what was connected is out");
    // What was connected from here is not passed over.
    init(&memory, &[Host::ClaudeCode]).unwrap();
    disk.write_raw(Path::new(CHERRY).join(".mcp.json"), b"\xff\xfe");
    assert_eq!(code(&eject(&memory, Host::ALL).unwrap_err()), "host.file_unfit");
}

#[test] // spec: IF-15
fn a_full_or_read_only_disk_is_named_and_leaves_whole_files() {
    let disk = lived_in();
    let memory = open(&disk);
    memory.begin(&caller(MAKER, CHERRY)).unwrap();
    let before = project(&disk);
    for space in (0..3_000).step_by(250) {
        disk.set_space_left(Some(space));
        let error = init(&memory, &[Host::ClaudeCode]).unwrap_err();
        assert_eq!(code(&error), "store.no_space", "{error}");
        for (path, text) in project(&disk) {
            let is_new = || text.contains("brainstem");
            assert!(before.get(&path) == Some(&text) || is_new() && !text.is_empty(), "{}", path.display());
        }
        disk.set_space_left(None);
        eject(&memory, &[Host::ClaudeCode]).unwrap();
        assert_eq!(project(&disk), before, "after {space} bytes");
    }
    disk.set_read_only(true);
    assert_eq!(code(&init(&memory, &[Host::ClaudeCode]).unwrap_err()), "store.read_only");
}

#[test] // spec: IF-15
fn a_home_folder_is_no_place_for_files_of_hosts() {
    let disk = two_repositories();
    let before = disk.dump();
    let memory = open(&disk);
    for dry_run in [true, false] {
        let request = HostsRequest { dry_run, ..request(&[Host::ClaudeCode]) };
        let error = Connect::new(&memory).init_hosts(&caller(PERSON, "/home/ana"), &request).unwrap_err();
        assert_eq!(code(&error), "memory.not_a_project");
    }
    assert_eq!(disk.dump(), before);
}

#[test] // spec: IF-15
fn a_worktree_gets_files_of_its_own() {
    let disk = two_repositories();
    disk.write_raw(format!("{CHERRY}/.git/worktrees/fix/gitdir"), b"/src/fix/.git\n");
    disk.write_raw(format!("{CHERRY}/.git/worktrees/fix/commondir"), b"../..\n");
    disk.write_raw(format!("{CHERRY}/.git/worktrees/fix/HEAD"), b"ref: refs/heads/fix\n");
    disk.write_raw("/src/fix/.git", format!("gitdir: {CHERRY}/.git/worktrees/fix\n").as_bytes());
    disk.make_dirs("/src/fix/deep");
    let memory = open(&disk);
    let done = Connect::new(&memory)
        .init_hosts(&caller(PERSON, "/src/fix/deep"), &request(&[Host::ClaudeCode]))
        .unwrap();
    assert_eq!(done.root, Path::new("/src/fix"));
    assert_eq!(done.brain.unwrap().root, Path::new(CHERRY), "its memory is the repository's");
    assert!(disk.stat("/src/fix/.mcp.json".as_ref()).is_ok());
}

#[test] // spec: IF-15
fn a_part_of_a_file_that_was_there_before_is_not_taken_out() {
    let written = two_repositories();
    init(&open(&written), Host::ALL).unwrap();
    let whole = project(&written);
    let kept = [
        (Host::ClaudeCode, ".claude/settings.json", "Stop"),
        (Host::Codex, ".codex/hooks.json", "Stop"),
        (Host::Cursor, ".cursor/hooks.json", "stop"),
        (Host::Gemini, ".gemini/settings.json", "SessionStart"),
    ];
    for (host, file, event) in kept {
        let path = Path::new(CHERRY).join(file);
        let all: serde_json::Value = serde_json::from_str(&whole[&path]).unwrap();
        let hook = serde_json::json!({ event: all["hooks"][event].clone() });
        let mine = serde_json::to_string_pretty(&serde_json::json!({ "hooks": hook })).unwrap();
        let disk = two_repositories();
        disk.write_raw(&path, mine.as_bytes());
        let before = project(&disk);
        let memory = open(&disk);
        init(&memory, &[host]).unwrap();
        assert_ne!(project(&disk)[&path], mine, "{file}: the rest is put in");
        for _ in 0..2 {
            let done = eject(&memory, &[host]).unwrap();
            assert!(done.notes.iter().any(|note| note.starts_with(file)), "{file}: {:?}", done.notes);
            assert_eq!(project(&disk), before, "{file}: byte for byte as it was");
        }
        // Also where the person wrote something else into the file meanwhile.
        init(&memory, &[host]).unwrap();
        let grown = project(&disk)[&path].replacen('{', "{\n  \"theirs\": true,", 1);
        disk.write_raw(&path, grown.as_bytes());
        eject(&memory, &[host]).unwrap();
        let left: serde_json::Value = serde_json::from_str(&project(&disk)[&path]).unwrap();
        assert_eq!((&left["theirs"], &left["hooks"]), (&true.into(), &hook), "{file}: {left}");
    }
}

#[test] // spec: IF-15
fn a_record_that_cannot_be_read_stops_the_call_and_nothing_is_removed() {
    let written = two_repositories();
    init(&open(&written), &[Host::ClaudeCode]).unwrap();
    let path = Path::new(CHERRY).join(".mcp.json");
    let disk = two_repositories();
    disk.write_raw(&path, project(&written)[&path].as_bytes());
    let before = project(&disk);
    let memory = open(&disk);
    init(&memory, &[Host::ClaudeCode]).unwrap();
    let connected = project(&disk);
    let is_record = |path: &PathBuf| {
        path.to_string_lossy().contains("local/hosts") && path.extension().is_some_and(|end| end == "json")
    };
    let record = disk.dump().into_keys().find(is_record).unwrap();
    let text = disk.dump()[&record].clone();
    let check = |damage: &str| {
        for done in [eject(&memory, &[Host::ClaudeCode]), init(&memory, &[Host::ClaudeCode])] {
            let error = done.unwrap_err();
            assert_eq!(code(&error), "store.unreadable", "{damage}");
            assert!(error.fix().unwrap().contains(&record.display().to_string()), "{damage}: {error:?}");
        }
        assert_eq!(project(&disk), connected, "{damage}");
        assert!(Connect::new(&memory).has_hosts(Path::new(CHERRY)), "{damage}");
    };
    disk.fail_reads_of(&record, brainstem_base::DiskFault::Other);
    check("the disk fails");
    disk.mend_reads();
    disk.write_raw(&record, &text[..text.len() / 2]);
    check("it is torn");
    disk.write_raw(&record, &text);
    eject(&memory, &[Host::ClaudeCode]).unwrap();
    assert_eq!(project(&disk), before, "with the record what was there before is known");
}

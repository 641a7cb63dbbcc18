//! What the beat costs with letters and archived messages around it: the program itself, as a person runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const COUNTS: [usize; 4] = [0, 100, 10_000, 100_000];
const RUNS: usize = 21;

/// Prints what each verb takes, in ms, beside so many letters and archived messages.
pub fn measure(program: &Path) {
    println!("| letters and messages | north | brains | mailbox | mail list | mail thread |");
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    for count in COUNTS {
        let home = tempfile::tempdir().expect("a temporary folder");
        let project = home.path().join("cherry");
        fs::create_dir_all(project.join(".git")).expect("a folder");
        fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").expect("a repository");
        let command = |words: &[&str]| {
            let mut command = Command::new(program);
            command
                .env_clear()
                .env("HOME", home.path())
                .env("USER", "ana")
                .env("BRAINSTEM_BACKGROUND", "off");
            command.env("BRAINSTEM_SESSION", "w1").current_dir(&project).args(words);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let run = |words: &[&str]| assert!(command(words).status().expect("it runs").success(), "{words:?}");
        run(&["bootstrap"]);
        run(&["memorize", "Retry loop", "--text", "It is bounded."]);
        run(&["mail", "send", "--to", "w1", "--type", "task", "--body", "x"]);
        fill(home.path(), &project, count);
        run(&["distribute"]);
        // What changed a moment ago is not trusted to stay, so nothing is kept about it yet.
        std::thread::sleep(Duration::from_secs(3));
        let sent = fs::read_dir(project.join(".mail/w1")).expect("a box").flatten();
        let sent = sent
            .map(|entry| entry.file_name().into_string().expect("text"))
            .find(|name| name.ends_with(".md"));
        let sent = sent.expect("a message");
        let middle = |words: &[&str]| {
            // The first time is that of whoever finds it cold, and no habit.
            run(words);
            let mut times: Vec<f64> = (0..RUNS)
                .map(|_| {
                    let since = Instant::now();
                    run(words);
                    since.elapsed().as_secs_f64() * 1000.0
                })
                .collect();
            times.sort_by(f64::total_cmp);
            times[RUNS / 2]
        };
        let verbs: [&[&str]; 5] =
            [&["north", "retry"], &["brains"], &["mailbox"], &["mail", "list"], &["mail", "thread", &sent]];
        let told: Vec<String> = verbs.iter().map(|words| format!("{:.1}", middle(words))).collect();
        println!("| {count} | {} |", told.join(" | "));
    }
}

/// Letters of three kinds of homes, a third of them closed, and messages that were archived.
fn fill(home: &Path, project: &Path, count: usize) {
    let repos = ["cherry", "plum", "all"];
    let mut letters = String::new();
    for n in 0..count {
        letters.push_str(&format!(
            "{{\"ts\":\"2026-07-{:02}T{:02}:{:02}:00Z\",\"agent\":\"codex:maker\",\"class\":\"friction\",\"repo\":\"{}\",\
             \"what\":\"The index is rebuilt after every checkout, and number {n} says so.\",\"expected\":\"only what changed\"}}\n",
            n / 1440 % 28 + 1, n / 60 % 24, n % 60, repos[n % 3]
        ));
    }
    fs::create_dir_all(home.join("plum")).expect("a folder");
    fs::write(home.join(".brainstem/field-reports.jsonl"), letters).expect("the spool is written");
    let archive = project.join(".mail/w1/archive");
    fs::create_dir_all(&archive).expect("a folder");
    for n in 0..count {
        let name = format!(
            "20260128T15{:02}{:02}Z_orch~{:04}_status.md",
            n / 540_000,
            n / 9_000 % 60,
            n % 9_000 + 1
        );
        let text = "---\nfrom: orch\nto: w1\ntype: status\ntimestamp: 2026-01-28T15:30:00Z\n---\n\nDone.\n";
        fs::write(archive.join(name), text).expect("a message");
    }
}

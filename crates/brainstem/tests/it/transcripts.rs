//! The transcripts in the documents are real: each is played again and compared, word for word.
//!
//! Every ```` ```console ```` block of a document is one stretch of one session, in a home and two
//! repositories of its own; its fence is longer where an answer has fences itself. `BRAINSTEM_BLESS=1 cargo test -p brainstem transcripts` writes what the
//! program prints now into the documents.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads documents and makes folders"
)]

use brainstem_base::clock::SystemClock;
use brainstem_base::{Clock as _, Timestamp};
use brainstem_testkit::TestHome;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const DOCUMENTS: &[&str] = &[
    "README.md",
    "docs/guides/first-day.md",
    "docs/guides/sharing.md",
    "docs/guides/delegation.md",
    "docs/guides/mail.md",
    "docs/guides/inbox.md",
    "docs/guides/tiers.md",
    "docs/guides/backup.md",
    "docs/guides/moving-in.md",
    "docs/guides/letters.md",
    "docs/guides/tour.md",
    "docs/guides/hosts/README.md",
];

#[test] // spec: IF-1, IF-4, IF-17, IF-18, IF-20
fn the_transcripts_of_the_documents_are_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for document in DOCUMENTS {
        let path = root.join(document);
        let written = fs::read_to_string(&path).unwrap();
        let played = Session::new().play(&written);
        if std::env::var_os("BRAINSTEM_BLESS").is_some() {
            fs::write(&path, &played).unwrap();
            continue;
        }
        assert_eq!(written, played, "{document} shows something else; see the top of this file");
        assert!(written.contains("\n$ brainstem"), "{document} has a transcript");
    }
}

struct Session {
    home: TestHome,
    folder: PathBuf,
    stable: Stable,
}

impl Session {
    fn new() -> Self {
        let home = TestHome::new();
        let bin = home.user_home().join("bin");
        fs::create_dir(&bin).unwrap();
        fs::create_dir(home.user_home().join("tmp")).unwrap();
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_brainstem"), bin.join("brainstem")).unwrap();
        let top = fs::canonicalize(home.user_home()).unwrap();
        Self { folder: top.join("cherry"), stable: Stable::new(&top), home }
    }

    /// The document with every answer as it is now.
    fn play(&mut self, document: &str) -> String {
        let mut out = String::new();
        let mut inside: Option<&str> = None;
        for line in document.split_inclusive('\n') {
            let text = line.trim_end();
            match inside {
                None => inside = text.strip_suffix("console").filter(|fence| is_fence(fence)),
                Some(fence) if text == fence => inside = None,
                Some(fence) => {
                    if let Some(command) = text.strip_prefix("$ ") {
                        out.push_str(line);
                        let answer = self.run(command);
                        assert!(
                            answer.lines().all(|line| line != fence),
                            "`{command}` prints {fence}: lengthen it"
                        );
                        out.push_str(&answer);
                    }
                    continue;
                }
            }
            out.push_str(line);
        }
        out
    }

    fn run(&mut self, command: &str) -> String {
        if let Some(folder) = command.strip_prefix("cd ") {
            self.folder = fs::canonicalize(self.folder.join(folder)).unwrap();
            return String::new();
        }
        self.stable.typed.push_str(command);
        let path = std::env::var("PATH").unwrap();
        let bin = self.home.user_home().join("bin");
        // One terminal: what a line exports is there in the next.
        let kept = self.home.user_home().join("tmp/exported");
        let kept = kept.display();
        let line = format!("[ ! -f {kept} ] || . {kept}; {{ {command} ; }} 2>&1; export -p > {kept}");
        // The documents show the default home.
        let output = Command::new("sh")
            .args(["-c", &line])
            .env_clear()
            .env("HOME", self.home.user_home())
            .env("USER", "ana")
            .envs([("GIT_AUTHOR_NAME", "ana"), ("GIT_COMMITTER_NAME", "ana"), ("GIT_CONFIG_NOSYSTEM", "1")])
            .envs([("GIT_AUTHOR_EMAIL", "ana@example.org"), ("GIT_COMMITTER_EMAIL", "ana@example.org")])
            .env("TMPDIR", self.home.user_home().join("tmp"))
            .env("PATH", format!("{}:{path}", bin.display()))
            .current_dir(&self.folder)
            .output()
            .unwrap();
        self.stable.text(&String::from_utf8(output.stdout).unwrap())
    }
}

/// The names of messages without the number that tells those of one second apart: a slower run has no such.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split('~');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_number =
            part.len() > 4 && part.as_bytes()[..4].iter().all(u8::is_ascii_digit) && &part[4..5] == "_";
        if is_number {
            out.push_str(&part[4..]);
        } else {
            out.push('~');
            out.push_str(part);
        }
    }
    out
}

fn is_fence(text: &str) -> bool {
    text.len() >= 3 && text.bytes().all(|byte| byte == b'`')
}

/// The time that the documents show.
const NOW: &str = "2026-11-15T09:00:00.000Z";

/// Replaces what differs between two runs: the temporary folder, ids, fingerprints and times.
struct Stable {
    top: String,
    ids: BTreeMap<String, String>,
    /// The commands so far: a time that was typed is the same in every run.
    typed: String,
    begun: Timestamp,
}

impl Stable {
    fn new(top: &Path) -> Self {
        let (top, begun) = (top.display().to_string(), SystemClock.now());
        Self { top, ids: BTreeMap::new(), typed: String::new(), begun }
    }

    fn text(&mut self, text: &str) -> String {
        let text = text.replace(&self.top, "/home/ana");
        // Whether a file was written a moment ago depends on how fast the commands follow each other.
        let text = text.replace("  note: it may still be written: what you see need not be all of it\n", "");
        let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        let text = self.after(&text, '_', 20, is_hex, "delegation");
        let text = self.after(&text, '(', 8, is_hex, "mark");
        let text = self.after(&text, '@', 40, is_hex, "commit");
        let text = self.after(&text, '@', 8, is_hex, "id");
        let text = self.after(&text, '-', 12, is_hex, "fingerprint");
        let text = self.after(&text, ' ', 12, is_hex, "letter");
        let text = self.after(&text, '.', 13, |c| c.is_ascii_digit(), "time");
        let text = self.after(&text, ' ', 13, |c| c.is_ascii_digit(), "time");
        let text = self.after(&text, '@', 13, |c| c.is_ascii_digit(), "time");
        self.times(&without_numbers(&text))
    }

    /// Replaces each run of exactly `len` fitting characters after `mark` by one that counts up.
    fn after(
        &mut self,
        text: &str,
        mark: char,
        len: usize,
        fits: impl Fn(char) -> bool,
        what: &str,
    ) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(mark) {
            let (head, tail) = rest.split_at(at + 1);
            out.push_str(head);
            let run = tail.find(|c| !fits(c)).unwrap_or(tail.len());
            if run == len {
                let next = self.ids.values().filter(|id| id.len() == len).count() as u64 + 1;
                let made = match what {
                    "time" => format!("17947332{:05}", next * 1000),
                    _ => {
                        let drawn = next * 0x1234_5678_9abc;
                        format!("{:0len$x}", 16u64.checked_pow(len as u32).map_or(drawn, |max| drawn % max))
                    }
                };
                out.push_str(self.ids.entry(tail[..run].to_owned()).or_insert(made));
            } else {
                out.push_str(&tail[..run]);
            }
            rest = &tail[run..];
        }
        out + rest
    }

    /// Replaces RFC 3339 times, days and weeks, except those that were typed.
    fn times(&self, text: &str) -> String {
        const SHAPES: [(&str, &str); 5] = [
            ("dddd-dd-ddTdd:dd:dd.dddZ", NOW),
            ("dddd-dd-dd dd:dd UTC", "2026-11-15 09:00 UTC"),
            ("ddddddddTddddddZ", "20261115T090000Z"),
            ("dddd-dd-dd", "2026-11-15"),
            ("dddd-Wdd", "2026-W46"),
        ];
        let fits = |text: &str, shape: &str| {
            text.len() >= shape.len()
                && shape
                    .bytes()
                    .zip(text.bytes())
                    .all(|(s, t)| if s == b'd' { t.is_ascii_digit() } else { s == t })
        };
        let mut out = String::new();
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            if let Some((shape, stable)) = SHAPES.iter().find(|(shape, _)| fits(&text[at..], shape)) {
                let found = &text[at..at + shape.len()];
                match self.later(found) {
                    _ if self.typed.contains(found) => out.push_str(found),
                    Some(later) => out.push_str(&later),
                    None => out.push_str(stable),
                }
                at += shape.len();
            } else {
                out.push(c);
                at += c.len_utf8();
            }
        }
        out
    }

    /// A time that lies ahead, as far ahead of the time that the documents show; within five minutes it is now.
    fn later(&self, text: &str) -> Option<String> {
        const STEP_MS: i64 = 5 * 60 * 1000;
        // `2026-11-15 09:00 UTC` is written for people, to the minute.
        let minute = text.strip_suffix(" UTC").map(|minute| format!("{}:00Z", minute.replace(' ', "T")));
        let at = Timestamp::parse_rfc3339(minute.as_deref().unwrap_or(text))?;
        let ahead = (at.ms_since(self.begun) + STEP_MS / 2) / STEP_MS * STEP_MS;
        let shown = Timestamp::from_ms(Timestamp::parse_rfc3339(NOW).unwrap().ms() + ahead);
        let written = if minute.is_some() { shown.to_words() } else { shown.to_rfc3339() };
        (ahead > 0).then_some(written)
    }
}

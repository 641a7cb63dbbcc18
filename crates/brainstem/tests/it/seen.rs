//! What a person sees, as a snapshot: each command with its exit status and both outputs.
//!
//! A snapshot holds whole screens, so that a sentence is asserted in one place and a changed one is reviewed with `cargo
//! insta review`. What differs from run to run is put in brackets by a filter with a name.

use crate::program::Ran;
use brainstem_testkit::TestHome;
use std::fmt;
use std::path::Path;

/// Commands and what came of them, in their order.
pub(crate) struct Seen {
    top: String,
    text: String,
}

/// Puts a word in brackets for what differs from run to run.
struct Filter {
    name: &'static str,
    /// The length of what is to be replaced, where a text begins with it.
    len: fn(&str) -> Option<usize>,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

const FILTERS: &[Filter] = &[
    // 2026-11-17T10:00:00.123Z
    Filter { name: "[time]", len: |text| time(text) },
    // 20261117T100000Z, at the start of a message's file name
    Filter { name: "[stamp]", len: |text| fits(text, "dddddddd'Tdddddd'Z") },
    // 2026-11-17 10:00
    Filter { name: "[minute]", len: |text| fits(text, "dddd'-dd'-dd' dd':dd") },
    // 2026-11-17
    Filter { name: "[day]", len: |text| fits(text, "dddd'-dd'-dd") },
    // the fingerprint in cherry@1a2b3c4d
    Filter { name: "@[brain]", len: |text| fits(text, "'@xxxxxxxx") },
    // the folder of a brain, cherry-1a2b3c4d5e6f
    Filter { name: "-[brain]", len: |text| fits(text, "'-xxxxxxxxxxxx'/").map(|len| len - 1) },
    // the home in the name of a service, brainstem-1a2b3c4d.service
    Filter { name: "-[home]", len: |text| fits(text, "'-xxxxxxxx'.'s'e'r'v").map(|len| len - 5) },
    // the birth of a version in the name of its file, cache.1794940136510.light.md
    Filter { name: ".[birth]", len: |text| fits(text, "'.ddddddddddddd'.").map(|len| len - 1) },
    // the name of what was forgotten, forgotten-0123456789abcdef
    Filter { name: "-[id]", len: |text| fits(text, "'-xxxxxxxxxxxxxxxx") },
    // the number in the name of a message that is not the first of its second, 20261117T100000Z_w1~0001_task.md
    Filter { name: "", len: |text| fits(text, "'~dddd'_").map(|len| len - 1) },
    Filter { name: "[version]", len: |text| text.starts_with(VERSION).then_some(VERSION.len()) },
];

impl Seen {
    pub(crate) fn of(home: &TestHome) -> Self {
        Self::below(home.user_home())
    }

    /// For commands in folders below this one.
    pub(crate) fn below(top: &Path) -> Self {
        Self { top: top.display().to_string(), text: String::new() }
    }

    /// Adds a command that was run.
    pub(crate) fn add(&mut self, words: &[&str], ran: &Ran) {
        let quoted = |word: &&str| match word.is_empty() || word.contains([' ', '$', '\'', '"']) {
            true => format!("{word:?}"),
            false => (*word).to_owned(),
        };
        let words: Vec<String> = words.iter().map(quoted).collect();
        let status = ran.status.map_or_else(|| "killed".to_owned(), |status| status.to_string());
        self.text.push_str(&format!("$ brainstem {}\n[{status}]\n{}", words.join(" "), ran.stdout));
        for line in ran.stderr.lines() {
            self.text.push_str(&format!("2> {line}\n"));
        }
        self.text.push('\n');
    }
}

impl Seen {
    /// Adds a text that no person typed a command for, such as what a hook gives a model.
    pub(crate) fn add_text(&mut self, title: &str, text: &str) {
        self.text.push_str(&format!("# {title}\n{text}\n\n"));
    }

    /// Puts a name in brackets for a word that differs from run to run, such as a port.
    pub(crate) fn replace(&mut self, word: &str, name: &str) {
        self.text = self.text.replace(word, name);
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&filtered(&self.text.replace(&self.top, "[top]")))
    }
}

fn filtered(text: &str) -> String {
    let (mut rest, mut out) = (text, String::new());
    while let Some(first) = rest.chars().next() {
        let goes_on =
            first.is_ascii_digit() && out.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
        let found = FILTERS.iter().find_map(|filter| {
            let len = (filter.len)(rest).filter(|_| !goes_on)?;
            Some((filter.name, len))
        });
        let (shown, len) = found.map_or((None, first.len_utf8()), |(name, len)| (Some(name), len));
        match shown {
            Some(name) => out.push_str(name),
            None => out.push(first),
        }
        rest = &rest[len..];
    }
    out
}

/// The length of the form where a text begins so: `d` is a digit, `x` one of sixteen, and `'` stands before a sign that is meant.
fn fits(text: &str, form: &str) -> Option<usize> {
    let (mut form, mut len) = (form.bytes(), 0);
    while let Some(sign) = form.next() {
        let byte = *text.as_bytes().get(len)?;
        let is_fit = match sign {
            b'd' => byte.is_ascii_digit(),
            b'x' => byte.is_ascii_hexdigit(),
            _ => Some(byte) == form.next(),
        };
        if !is_fit {
            return None;
        }
        len += 1;
    }
    Some(len)
}

fn time(text: &str) -> Option<usize> {
    let seconds = fits(text, "dddd'-dd'-dd'Tdd':dd':dd")?;
    let parts = fits(&text[seconds..], "'.ddd").unwrap_or(0);
    Some(seconds + parts + fits(&text[seconds + parts..], "'Z")?)
}

/// Compares what was seen with the snapshot of the test.
macro_rules! assert_seen {
    ($seen:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($seen.to_string()) })
    };
}
pub(crate) use assert_seen;

#[test]
fn what_differs_from_run_to_run_is_in_brackets() {
    let text = "cherry@1a2b3c4d at 2026-11-17T10:00:00.123Z, 2026-11-17, 20261117T100000Z_w1~0001_task.md, 12026-11-17";
    assert_eq!(filtered(text), "cherry@[brain] at [time], [day], [stamp]_w1_task.md, 12026-11-17");
    assert_eq!(filtered("brains/cherry-0123456789ab/x is 10.20"), "brains/cherry-[brain]/x is 10.20");
    assert_eq!(filtered("brainstem-0123abcd.service"), "brainstem-[home].service");
    assert_eq!(filtered("cache.1794940136510.retracted.light.md"), "cache.[birth].retracted.light.md");
    assert_eq!(filtered("as forgotten-0123456789abcdef."), "as forgotten-[id].");
}

//! A letter's line in the form in which it is filed in the box of a project, which is committed: without paths of this
//! machine.
//!
//! Invariant: the result depends on the line alone, so that every machine gives the letter the same id. A filed line
//! stays as it is.

use crate::texts::texts;
use brainstem_claims::outside_paths::{committable_anywhere, committable_folder};
use serde_json::Value;

/// The fields that are prose. They belong to their writer, and stay.
const PROSE: [&str; 3] = ["what", "expected", "snippet"];

/// The line of a letter in the form in which it is filed in the box of a project; `None` if it is filed unchanged. Of a
/// path of this machine outside prose only the last name is left, as `outside://NAME`.
pub fn filed(line: &[u8]) -> Option<Vec<u8>> {
    if !may_hold_a_path(line) {
        return None;
    }
    let Ok(Value::Object(mut fields)) = serde_json::from_slice::<Value>(line) else { return None };
    let read = Value::Object(fields.clone()).to_string();
    // Of a repeated key only the last value is read, so the others are left out with their paths.
    let mut is_changed = texts(line).len() != texts(read.as_bytes()).len();
    for (name, value) in &mut fields {
        let fit: Fit = match name.as_str() {
            name if PROSE.contains(&name) => continue,
            "repo" | "brain" => {
                |text| committable_folder(text).or_else(|| committable_anywhere(text, &|_| true))
            }
            _ => fit_field,
        };
        is_changed |= change(value, fit);
    }
    let names = std::mem::take(&mut fields).into_iter().map(|(name, value)| match fit_field(&name) {
        Some(fitting) => {
            is_changed = true;
            (fitting, value)
        }
        None => (name, value),
    });
    fields = names.collect();
    is_changed.then(|| Value::Object(fields).to_string().into_bytes())
}

type Fit = fn(&str) -> Option<String>;

/// A text without paths. No list of folders tells a path from a route, so both count as paths; a call of this program
/// does not: `GET /api/show`.
fn fit_field(text: &str) -> Option<String> {
    committable_anywhere(text, &|folder| folder != "api")
}

/// Changes every text of a value, and returns whether one changed.
fn change(value: &mut Value, fit: Fit) -> bool {
    match value {
        Value::String(text) => match fit(text) {
            Some(fitting) => {
                *text = fitting;
                true
            }
            None => false,
        },
        Value::Array(items) => items.iter_mut().fold(false, |changed, item| change(item, fit) | changed),
        Value::Object(fields) => {
            let mut changed = false;
            let given = std::mem::take(fields);
            for (name, mut value) in given {
                changed |= change(&mut value, fit);
                let fitting = fit_field(&name);
                changed |= fitting.is_some();
                fields.insert(fitting.unwrap_or(name), value);
            }
            changed
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a line can contain an absolute path. A spool is long, and most lines have none.
fn may_hold_a_path(line: &[u8]) -> bool {
    let begins = |at: usize| {
        let before = at.checked_sub(1).map(|at| line[at]);
        !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    line.iter().enumerate().any(|(at, byte)| match byte {
        b'/' => begins(at),
        // A home, a drive, or an escape that may be either.
        b'~' | b'\\' => true,
        b':' => matches!(line.get(at + 1), Some(b'/')),
        // A separator of an address: `%2F`.
        b'%' => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<&str>) {
        let left = filed(line.as_bytes()).map(|line| String::from_utf8(line).expect("UTF-8"));
        assert_eq!(left.as_deref(), expected, "{line}");
        assert_eq!(left.and_then(|line| filed(line.as_bytes())), None, "twice is once: {line}");
    }

    #[test] // spec: LTR-2
    fn no_field_but_prose_keeps_a_path_of_this_machine() {
        for (given, expected) in [
            (r#"{"repo":"/srv/clients/p (worktree x)"}"#, r#"{"repo":"outside://p (worktree x)"}"#),
            (r#"{"repo":"file:///srv/p"}"#, r#"{"repo":"outside://p"}"#),
            // What is left of a name with a comma looks like a path, and is filed as it is.
            (r#"{"log":"/var/t,mp/a b/run.log"}"#, r#"{"log":"outside://t,mp/a b/run.log"}"#),
            (r#"{"repo":"~/clients/p/"}"#, r#"{"repo":"outside://p"}"#),
            (r#"{"repo":"/q"}"#, r#"{"repo":"outside://q"}"#),
            (r#"{"brain":" \"/srv/p\" "}"#, r#"{"brain":"outside://p"}"#),
            (r#"{"brain":"p, worktree of /x/y/p"}"#, r#"{"brain":"p, worktree of outside://p"}"#),
            (r#"{"repo":"\/home\/ana\/p"}"#, r#"{"repo":"outside://p"}"#),
            (r#"{"repo":"\u002fhome\u002fana\u002fp"}"#, r#"{"repo":"outside://p"}"#),
            (r#"{"repo":"C:\\Users\\ana\\p"}"#, r#"{"repo":"outside://p"}"#),
            (r#"{"repo":{"path":"/srv/p","n":1}}"#, r#"{"repo":{"path":"outside://p","n":1}}"#),
            (r#"{"tool":"/opt/x/bin/run --in /zz/y/f"}"#, r#"{"tool":"outside://run --in outside://f"}"#),
            (r#"{"agent":"x","cwd":"/srv/clients/p"}"#, r#"{"agent":"x","cwd":"outside://p"}"#),
            (
                r#"{"more":[{"/home/ana/k":["/home/ana/v"]}]}"#,
                r#"{"more":[{"outside://k":["outside://v"]}]}"#,
            ),
            (r#"{"tool":"/home/ana/x","tool":"ok"}"#, r#"{"tool":"ok"}"#),
            (
                r#"{"files":["/home/ana/y"],"more":{"a":"\u002fx/y","a":1}}"#,
                r#"{"files":["outside://y"],"more":{"a":1}}"#,
            ),
            (r#"{"file":"/wbtmp/proj/x"}"#, r#"{"file":"outside://x"}"#),
            (r#"{"file":"/é/proj/x"}"#, r#"{"file":"outside://x"}"#),
            (r#"{"file":"/./home/ana/x"}"#, r#"{"file":"outside://x"}"#),
            (
                r#"{"route":"/users/7/x","repo":"outside://p"}"#,
                r#"{"route":"outside://x","repo":"outside://p"}"#,
            ),
            (r#"{"tool":"/home/ana/client name/secret plan/x"}"#, r#"{"tool":"outside://x"}"#),
            (r#"{"tool":"/home/ana/the client name/x --all"}"#, r#"{"tool":"outside://x --all"}"#),
            (r#"{"tool":"run ~ana/dir/x ~/dir/y"}"#, r#"{"tool":"run outside://x outside://y"}"#),
            (r#"{"tool":"file:%2F%2F%2Fhome%2Fana%2Fdir"}"#, r#"{"tool":"outside://dir"}"#),
            (r#"{"tool":"outside:///home/ana/dir"}"#, r#"{"tool":"outside://dir"}"#),
            (r#"{"repo":"/srv/p","what":"see /srv/p/x"}"#, r#"{"repo":"outside://p","what":"see /srv/p/x"}"#),
        ] {
            check(given, Some(expected));
        }
        for given in [
            r#"{"repo":"cherry","what":"read /home/ana/x","expected":"/srv/x","snippet":"/srv/y"}"#,
            r#"{"repo":"src/cherry (worktree x)","brain":"cherry@0a1b2c3d","tool":"GET /api/mail/read"}"#,
            r#"{"repo":"git@example.org:ana/p.git","more":"https://example.org/home/ana/p"}"#,
            r#"{"more":"https://example.org/a%2Fb","tool":"~ 3 / 4 of 100%","repo":"outside://p"}"#,
            "no letter /home/ana/p",
            r#"["/home/ana/p"]"#,
        ] {
            check(given, None);
        }
    }
}

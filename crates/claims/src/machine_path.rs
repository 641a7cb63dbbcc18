//! Paths of one machine inside a text. They name a person and the folders of a disk, and no other machine has them, so
//! that nothing of the kind belongs into a file that is committed.

use std::ops::Range;
use std::path::{Component, Path};

/// Folders that hold the files of people.
const PEOPLE: [&str; 3] = ["home", "Users", "root"];

/// The most paths that are found in one text.
const FOUND_MAX: usize = 64;

/// Where a text names absolute paths of this machine: those below the folders that hold the files of people, those below
/// the first folder of `root`, which is the project's, and those with a drive in front. `file://` and `./` before a path
/// belong to it. An address such as `https://example.org/home/x` is none, and a route such as `/api/users` is none.
pub fn find(text: &str, root: &Path) -> Vec<Range<usize>> {
    let first = root.components().find_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    find_below(text, &|folder| Some(folder) == first)
}

/// As [`find`], with the paths below each first folder that `is_first` names in place of those below the project's.
pub fn find_below(text: &str, is_first: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(['/', ':']).map(|next| at + next) {
        at = next + 1;
        if found.len() == FOUND_MAX {
            break;
        }
        let Some(start) = absolute(text, next, is_first).and_then(|()| start_of(text, next)) else {
            continue;
        };
        let end = end_of(text, next);
        found.push(start..end);
        at = end.max(at);
    }
    found
}

/// Whether an absolute path of this machine can begin at this byte: at its first separator, or at the colon of a drive.
fn absolute(text: &str, at: usize, is_first: &dyn Fn(&str) -> bool) -> Option<()> {
    let rest = &text[at..];
    let is_path = match rest.as_bytes() {
        [b':', b'/' | b'\\', ..] => {
            let before = &text.as_bytes()[..at];
            matches!(before, [.., drive] if drive.is_ascii_alphabetic())
                && !matches!(before, [.., b, _] if b.is_ascii_alphanumeric())
                && is_folder_with_more(&rest[2..])
        }
        [b'/', ..] => {
            let mut parts = rest[1..].splitn(2, '/');
            let folder = parts.next().unwrap_or_default();
            let below = parts.next().unwrap_or_default();
            let is_known = !folder.is_empty() && (PEOPLE.contains(&folder) || is_first(folder));
            is_known && below.starts_with(|c: char| c.is_alphanumeric() || "._-~".contains(c))
        }
        _ => false,
    };
    is_path.then_some(())
}

/// Whether a text begins with the name of a folder and something below it. Behind a colon, `\d+\s` is more likely a pattern.
fn is_folder_with_more(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "._- ".contains(c);
    let below = text.trim_start_matches(is_name);
    below.len() < text.len()
        && below.starts_with(['/', '\\'])
        && below[1..].starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c))
}

/// Where a path begins whose first separator, or whose colon, is at this byte. `None` where it is the middle of a word.
fn start_of(text: &str, at: usize) -> Option<usize> {
    if text[at..].starts_with(':') {
        return Some(at - 1);
    }
    let before = text[..at].trim_end_matches('/');
    if before.len() < at {
        // Separators before a separator: `file:///home`, `.//home`, `//home`; those of an address are none.
        for prefix in ["file:", "."] {
            let start = before.len().checked_sub(prefix.len());
            let is_it =
                |start: &usize| before.get(*start..).is_some_and(|end| end.eq_ignore_ascii_case(prefix));
            if let Some(start) = start.filter(is_it) {
                return is_edge(&before[..start]).then_some(start);
            }
        }
        return (is_edge(before) && !before.ends_with(':')).then_some(before.len());
    }
    if before.len() >= 5
        && before.get(before.len() - 5..).is_some_and(|end| end.eq_ignore_ascii_case("file:"))
    {
        return Some(before.len() - 5);
    }
    is_edge(before).then_some(at)
}

/// Whether a path may begin behind this text.
fn is_edge(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || "._-~/\\".contains(c))
}

/// Where a path ends that begins before this byte.
fn end_of(text: &str, at: usize) -> usize {
    let is_end = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>|,;()[]{}“”‘’*".contains(c);
    let end = text[at..].find(is_end).map_or(text.len(), |len| at + len);
    at + text[at..end].trim_end_matches(['.', ':', '!', '?']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text, Path::new("/srv/cherry")).into_iter().map(|range| &text[range]).collect()
    }

    #[test] // spec: MEM-2
    fn paths_of_this_machine_are_found_wherever_they_stand() {
        for (text, path) in [
            ("see /home/ana/notes.md.", "/home/ana/notes.md"),
            ("(`/Users/ana/x`)", "/Users/ana/x"),
            (concat!("key=/", "root/.ssh/config"), concat!("/", "root/.ssh/config")),
            ("read file:///home/ana/x first", "file:///home/ana/x"),
            ("FILE:/home/ana/x", "FILE:/home/ana/x"),
            (".//home/ana/x", ".//home/ana/x"),
            ("//home/ana/x", "//home/ana/x"),
            (r"at C:\Users\ana\x.txt, line 3", r"C:\Users\ana\x.txt"),
            ("D:/ana/x", "D:/ana/x"),
            ("/srv/plum/src/x.rs:3", "/srv/plum/src/x.rs:3"),
        ] {
            assert_eq!(found(text), [path], "{text}");
        }
        assert_eq!(found("/home/ana/b and /home/ana/d"), ["/home/ana/b", "/home/ana/d"]);
    }

    #[test] // spec: MEM-2
    fn addresses_routes_and_paths_of_the_project_are_none() {
        for text in [
            "https://example.org/home/ana/x",
            "https://home/ana",
            "/api/users/7 and /etc/hosts",
            "src/home/ana.rs",
            "the page /home",
            "~/x and ../plum/x",
            "and/or 3/4, at 12:/ or http://x",
            "src//work.rs",
            r"a\b\c \n",
            r"the pattern \\d+\\w, a:\d+\s and \bword\b",
            "k:/v",
            "",
        ] {
            assert_eq!(found(text), [] as [&str; 0], "{text}");
        }
        assert_eq!(find("/srv/x", Path::new("/")), [] as [Range<usize>; 0]);
    }

    proptest::proptest! {
        #[test] // spec: MEM-2
        fn no_text_makes_it_panic(text in "[a-cé:/\\\\. \u{2028}]{0,24}|.{0,40}") {
            for range in find(&text, Path::new("/a/b")) {
                proptest::prop_assert!(!text[range].is_empty());
            }
        }
    }
}

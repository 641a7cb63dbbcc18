//! Paths of one machine inside a text. They name a person and the folders of a disk, and no other machine has them, so
//! they must not be in a file that is committed.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Component, Path};

/// Folders that hold the files of people.
const PEOPLE: [&str; 3] = ["home", "Users", "root"];

/// The most paths that are found in one text.
const FOUND_MAX: usize = 64;

/// Where a text names absolute paths of this machine: those below the folders that hold the files of people, those
/// below the first folder of `root`, which is the project's, and those with a drive in front. `file://` and `./` before
/// a path belong to it. An address such as `https://example.org/home/x` and a route such as `/api/users` do not count;
/// an address that a program of this machine opens, such as `vscode://file/home/ana/x`, counts as a whole.
pub fn find(text: &str, root: &Path) -> Vec<Range<usize>> {
    let first = root.components().find_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    find_below(text, &|folder| Some(folder) == first)
}

/// As [`find`], with the paths below each first folder that `is_first` accepts instead of those below the project's.
pub fn find_below(text: &str, is_first: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(['/', ':']).map(|next| at + next) {
        at = next + 1;
        if found.len() == FOUND_MAX {
            break;
        }
        if let Some((start, scheme)) = scheme_before(text, next) {
            let end = end_of(text, next);
            if !is_of_a_network(scheme)
                && opened(&decoded(&text[next + 3..end.max(next + 3)]), is_first).is_some()
            {
                found.push(start..end);
                at = end.max(at);
            }
            continue;
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

/// As [`find_below`], for a text that is not prose: paths below a person's home (`~/x`, `~ana/x`) count too, and a path
/// may contain blanks, as long as a word behind one has a separator in it.
pub fn find_all(text: &str, is_first: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let mut found = find_below(text, is_first);
    for (start, _) in text.match_indices('~').filter(|(at, _)| is_edge(&text[..*at])) {
        let user = text[start + 1..].trim_start_matches(|c: char| c.is_alphanumeric() || "._-".contains(c));
        if user.starts_with('/') && user.len() > 1 {
            found.push(start..end_of(text, start));
        }
    }
    found.sort_by_key(|range| range.start);
    let mut whole: Vec<Range<usize>> = Vec::new();
    for range in found {
        // A path inside another one is a part of it.
        if whole.last().is_none_or(|last| range.start >= last.end) {
            let end = end_with_blanks(text, range.end);
            whole.push(range.start..end);
        }
    }
    whole
}

/// The end of a path that continues behind blanks: the last following word with a separator in it, before an option,
/// another path or an address.
fn end_with_blanks(text: &str, end: usize) -> usize {
    let mut at = end;
    let mut last = end;
    while let Some(rest) = text[at..].strip_prefix(' ') {
        let word = end_of(text, at + 1).max(at + 1);
        let goes_on = !rest.starts_with(['-', '/', '~', ' ']) && !text[at + 1..word].contains("://");
        if word == at + 1 || !goes_on {
            break;
        }
        if text[at + 1..word].contains(['/', '\\']) {
            last = word;
        }
        at = word;
    }
    last
}

/// The path inside an address that [`find`] found and that a program of this machine opens: without the address around
/// it, and decoded. `None` for any other text.
pub fn opened_path<'t>(found: &'t str, root: &Path) -> Option<Cow<'t, str>> {
    let colon = found.find(':')?;
    let (0, scheme) = scheme_before(found, colon)? else { return None };
    if is_of_a_network(scheme) {
        return None;
    }
    let first = root.components().find_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let rest = decoded(&found[colon + 3..]);
    let at = opened(&rest, &|folder| Some(folder) == first)?;
    let end = rest[at..].find('&').map_or(rest.len(), |len| at + len);
    Some(match rest {
        Cow::Borrowed(rest) => Cow::Borrowed(&rest[at..end]),
        Cow::Owned(rest) => Cow::Owned(rest[at..end].to_owned()),
    })
}

/// The schemes of addresses that lead to another machine.
const NETWORK: [&str; 19] = [
    "http", "https", "ws", "wss", "ftp", "ftps", "sftp", "scp", "ssh", "git", "svn", "rsync", "s3", "gs",
    "smb", "nfs", "ldap", "ldaps", "imap",
];

fn is_of_a_network(scheme: &str) -> bool {
    // `git+ssh`, `svn+https`.
    let last = scheme.rsplit('+').next().unwrap_or(scheme);
    NETWORK.iter().any(|network| network.eq_ignore_ascii_case(last))
}

/// The scheme of an address whose colon is at this byte, and where it begins. `None` for `file:`: the path follows it.
fn scheme_before(text: &str, colon: usize) -> Option<(usize, &str)> {
    if !text[colon..].starts_with("://") {
        return None;
    }
    // The text behind `outside://` is one name; a path there is a path.
    if text[..colon].to_ascii_lowercase().ends_with("outside") {
        return None;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    let start = text[..colon].trim_end_matches(is_part).len();
    let scheme = &text[start..colon];
    let is_scheme = scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_scheme && !scheme.eq_ignore_ascii_case("file")).then_some((start, scheme))
}

/// Where a path of this machine begins behind the scheme of an address: `file/home/ana/x`, `open?file=/opt/x`.
fn opened(rest: &str, is_first: &dyn Fn(&str) -> bool) -> Option<usize> {
    let begins = |(at, c): (usize, char)| match c {
        '/' | ':' => absolute(rest, at, is_first).map(|()| if c == ':' { at - 1 } else { at }),
        _ => None,
    };
    let is_file = rest.starts_with("file/") && rest.len() > "file/".len();
    let named = || is_file.then_some("file".len()).or_else(|| rest.find("=/").map(|at| at + 1));
    rest.char_indices().find_map(begins).or_else(named)
}

/// A text with its escaped separators, drives and blanks decoded: those of an address (`%2F`) and those of JSON (`\/`).
pub fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') && !text.contains("\\/") {
        return Cow::Borrowed(text);
    }
    let escapes =
        [("%2F", "/"), ("%2f", "/"), ("%5C", "\\"), ("%5c", "\\"), ("%3A", ":"), ("%3a", ":"), ("%20", " ")];
    let text = escapes.iter().fold(text.to_owned(), |text, (escape, plain)| text.replace(escape, plain));
    let mut plain = String::with_capacity(text.len());
    for sign in text.chars() {
        if sign == '/' {
            // All of them at once: what is decoded is not decoded again.
            plain.truncate(plain.trim_end_matches('\\').len());
        }
        plain.push(sign);
    }
    Cow::Owned(plain)
}

/// Whether an absolute path of this machine can begin at this byte, which is its first separator, or the colon of a
/// drive.
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
            let mut below = &rest[1..];
            // `/./x` and `/y/../x` are `/x`.
            let left_again = |path: &str| {
                path.split_once('/').and_then(|(_, more)| Some(path.len() - more.strip_prefix("../")?.len()))
            };
            while let Some(len) = ["./", "../"]
                .iter()
                .find(|dots| below.starts_with(**dots))
                .map(|dots| dots.len())
                .or_else(|| left_again(below))
            {
                below = &below[len..];
            }
            let (folder, below) = first_part(below);
            let is_known = !folder.is_empty() && (PEOPLE.contains(&folder) || is_first(folder));
            (is_known || is_mounted_drive(folder, below))
                && below.starts_with(|c: char| c.is_alphanumeric() || "._-~".contains(c))
        }
        _ => false,
    };
    is_path.then_some(())
}

/// The first name of a path and the rest below it. Separators in a row are one.
fn first_part(path: &str) -> (&str, &str) {
    let (folder, below) = path.split_once('/').unwrap_or((path, ""));
    (folder, below.trim_start_matches('/'))
}

/// Whether a path leads to a drive of Windows as other systems mount it: `/mnt/c/x`, `/cygdrive/c/x`, `/c/Users/ana`.
fn is_mounted_drive(folder: &str, below: &str) -> bool {
    let is_drive = |name: &str| matches!(name.as_bytes(), [letter] if letter.is_ascii_alphabetic());
    match first_part(below) {
        (drive, below) if ["mnt", "cygdrive"].contains(&folder) => is_drive(drive) && !below.is_empty(),
        ("Users", below) => is_drive(folder) && !below.is_empty(),
        _ => false,
    }
}

/// Whether a text begins with the name of a folder and something below it. Behind a colon, `\d+\s` is more likely a pattern.
fn is_folder_with_more(text: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "._- ".contains(c);
    let below = text.trim_start_matches(is_name);
    below.len() < text.len()
        && below.starts_with(['/', '\\'])
        && below[1..].starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c))
}

/// Where a path begins whose first separator, or whose colon, is at this byte. `None` in the middle of a word.
fn start_of(text: &str, at: usize) -> Option<usize> {
    if text[at..].starts_with(':') {
        return Some(at - 1);
    }
    let before = text[..at].trim_end_matches('/');
    if before.len() < at {
        // Separators before a separator: `file:///home`, `.//home`, `//home`; those of an address do not count.
        for prefix in ["file:", "outside:", "."] {
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
    is_edge(before).then_some(at).or_else(|| file_address_with_host(before))
}

/// Where an address begins that ends this text and names a file of a host: `file://localhost`.
fn file_address_with_host(before: &str) -> Option<usize> {
    const SCHEME: &str = "file://";
    let address = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || ".-".contains(c));
    let start = address.len().checked_sub(SCHEME.len())?;
    let is_file = address.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(SCHEME));
    (is_file && is_edge(&before[..start])).then_some(start)
}

/// Whether a path may begin behind this text.
fn is_edge(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || "._-~/\\".contains(c))
}

/// The end of a path that begins before this byte.
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
            ("see outside:///home/ana/x", "outside:///home/ana/x"),
            ("outside://home/ana", "outside://home/ana"),
            ("/./home/ana/x", "/./home/ana/x"),
            ("/var/../home/ana", "/var/../home/ana"),
            ("see /home/ana/notes.md.", "/home/ana/notes.md"),
            ("(`/Users/ana/x`)", "/Users/ana/x"),
            (concat!("key=/", "root/.ssh/config"), concat!("/", "root/.ssh/config")),
            ("read file:///home/ana/x first", "file:///home/ana/x"),
            ("FILE:/home/ana/x", "FILE:/home/ana/x"),
            (".//home/ana/x", ".//home/ana/x"),
            ("//home/ana/x", "//home/ana/x"),
            ("//home//ana//x", "//home//ana//x"),
            ("see file://localhost/home/ana/x", "file://localhost/home/ana/x"),
            ("File://box-1.lan/srv/plum", "File://box-1.lan/srv/plum"),
            ("/mnt/c/Users/ana/x", "/mnt/c/Users/ana/x"),
            ("(/cygdrive/d/plum)", "/cygdrive/d/plum"),
            ("/c/Users/ana", "/c/Users/ana"),
            (r"at C:\Users\ana\x.txt, line 3", r"C:\Users\ana\x.txt"),
            ("D:/ana/x", "D:/ana/x"),
            ("/srv/plum/src/x.rs:3", "/srv/plum/src/x.rs:3"),
            ("open vscode://file/home/ana/x.rs:3, then", "vscode://file/home/ana/x.rs:3"),
            ("vscode-insiders://file/opt/plum/x.rs", "vscode-insiders://file/opt/plum/x.rs"),
            ("cursor://file/C:/Users/ana/x", "cursor://file/C:/Users/ana/x"),
            ("(idea://open?file=/opt/x.rs&line=3)", "idea://open?file=/opt/x.rs&line=3"),
            ("idea://open?file=%2Fhome%2Fana%2Fx", "idea://open?file=%2Fhome%2Fana%2Fx"),
            ("jetbrains://idea/navigate?path=/home/ana/x:3", "jetbrains://idea/navigate?path=/home/ana/x:3"),
            ("txmt://open?url=file:///home/ana/x", "txmt://open?url=file:///home/ana/x"),
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
            "git+ssh://example.org/home/ana/x.git and s3://bucket/home/ana/x",
            "vscode://settings/editor.fontSize",
            "outside://ana",
            "/api/users/7 and /etc/hosts",
            "src/home/ana.rs",
            "/mnt/data/x, /mnt/c and /c/users/7",
            "https://localhost/home/ana and profile://localhost",
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

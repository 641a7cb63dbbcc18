//! The rules of `.gitignore` files, as far as they decide whether a folder is kept out of git.

use crate::git_index::GitPlace;
use brainstem_base::Disk;
use brainstem_base::disk::FileKind;
use std::path::{Path, PathBuf};

/// The file with a folder's rules.
pub(crate) const IGNORE_FILE: &str = ".gitignore";
/// The largest such file that is read.
pub(crate) const IGNORE_LEN_MAX: u64 = 64 * 1024;

/// The content of a `.gitignore` without the byte order mark that some editors put at its start. Git skips it.
pub(crate) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// The rule in a line of a `.gitignore`: without the line ending and the blanks before it. A blank or a tab at its
/// start belongs to the rule.
pub(crate) fn rule_in(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let mut rule = line.strip_suffix(b"\r").unwrap_or(line);
    while let Some(shorter) = rule.strip_suffix(b" ") {
        rule = shorter;
    }
    rule
}

/// The first `.gitignore` above a folder with a rule that may take the folder back in, although git's `info/exclude` names it.
/// Its own `.gitignore` is left out: a rule in there wins over those above. `top` is the top of the repository.
pub(crate) fn taking_in(disk: &dyn Disk, top: &Path, folder: &Path) -> Option<PathBuf> {
    let name = folder.file_name()?.as_encoded_bytes();
    let above = folder.ancestors().skip(1).take_while(|dir| dir.starts_with(top));
    let wins = |dir: &Path| {
        let file = dir.join(IGNORE_FILE);
        match disk.stat(&file).map(|stat| stat.kind) {
            Ok(FileKind::File) => {}
            // Git follows no link here.
            Ok(_) => return false,
            Err(_) => return is_in_index_alone(disk, top, &file),
        }
        let Ok(text) = disk.read(&file, IGNORE_LEN_MAX) else { return true };
        let is_beside = folder.parent() == Some(dir);
        let mut lines = without_mark(&text).split(|byte| *byte == b'\n');
        lines.any(|line| may_take_in(rule_in(line), name, is_beside))
    };
    above.into_iter().find(|dir| wins(dir)).map(|dir| dir.join(IGNORE_FILE))
}

/// Whether a sparse checkout leaves this file out: git reads its rules from the index then. They are not read here, so any
/// rule may be among them.
fn is_in_index_alone(disk: &dyn Disk, top: &Path, file: &Path) -> bool {
    let Ok(below) = file.strip_prefix(top) else { return false };
    GitPlace::at_top(disk, top)
        .is_some_and(|place| place.leaves_out(disk, below.as_os_str().as_encoded_bytes()))
}

/// Whether a rule of a `.gitignore` may take a folder of this name in again. In doubt it may.
pub(crate) fn may_take_in(rule: &[u8], name: &[u8], is_beside: bool) -> bool {
    let Some(pattern) = rule.strip_prefix(b"!") else { return false };
    // A separator inside a class divides nothing; what such a pattern fits is in doubt.
    let classes = pattern.split(|byte| *byte == b'[').skip(1);
    if classes
        .into_iter()
        .any(|class| class.split(|byte| *byte == b']').next().unwrap_or(class).contains(&b'/'))
    {
        return true;
    }
    let parts: Vec<&[u8]> = pattern.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
    let Some((last, before)) = parts.split_last() else { return false };
    // Beside the folder, a path leads elsewhere unless it begins anywhere.
    let may_lead_here =
        !is_beside || before.iter().all(|part| part.len() > 1 && part.iter().all(|byte| *byte == b'*'));
    may_lead_here && is_like(last, name)
}

/// Whether a pattern of git fits a name, whatever the case of its letters. A class such as `[a-z]` fits every character.
///
/// The pattern may come from anyone. Only the last star that was met is tried again: what an earlier one would take, the
/// last one can take. So the steps are at most as many as the lengths of both multiplied.
fn is_like(pattern: &[u8], name: &[u8]) -> bool {
    is_like_by(pattern, name, u8::eq_ignore_ascii_case)
}

/// The same, with a rule for which characters are the same.
pub(crate) fn is_like_by(pattern: &[u8], name: &[u8], is_same: impl Fn(&u8, &u8) -> bool) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    // What follows the last star, and what of the name that star has not taken.
    let mut last_star: Option<(&[u8], &[u8])> = None;
    loop {
        let fitting = match (pattern, name) {
            ([], []) => return true,
            ([b'*', rest @ ..], _) => {
                last_star = Some((rest, name));
                Some((rest, name))
            }
            ([b'[', rest @ ..], [_, shorter @ ..]) => {
                // A `]` that comes first belongs to the class. A class of classes (`[[:alpha:]]`), a negated one and one with
                // an escape may end elsewhere than here: in doubt the pattern fits.
                match rest.iter().skip(1).position(|byte| *byte == b']') {
                    Some(end) if !rest[..=end].iter().any(|byte| b"[\\!^".contains(byte)) => {
                        Some((&rest[end + 2..], shorter))
                    }
                    Some(_) | None => return true,
                }
            }
            ([b'?', rest @ ..], [_, shorter @ ..]) => Some((rest, shorter)),
            ([b'\\', one, rest @ ..] | [one, rest @ ..], [first, shorter @ ..]) => {
                is_same(one, first).then_some((rest, shorter))
            }
            _ => None,
        };
        let again = || {
            let (after, untaken) = last_star?;
            Some((after, untaken.split_first()?.1))
        };
        match fitting {
            Some(rests) => (pattern, name) = rests,
            None => match again() {
                Some(rests) => {
                    last_star = Some(rests);
                    (pattern, name) = rests;
                }
                None => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;

    #[test] // spec: MAIL-1a
    fn a_rule_that_may_take_the_folder_in_again_is_known() {
        let may = |rule: &str, is_beside| may_take_in(rule.as_bytes(), b".mail", is_beside);
        for rule in [
            "!*",
            "!.mail",
            "!/.mail/",
            "!.m*",
            "!**/.mail",
            "!\\.mail",
            "![.]mail",
            "!.MAIL",
            "!**",
            "!?mail",
            "!.[[:alpha:]]ail/",
            "!.[!]x]ail",
            "![/.]mail",
            "!***/.mail",
            "![[:punct:]]mail",
            "!.[\\]m]ail",
        ] {
            assert!(may(rule, true), "{rule}");
        }
        for rule in [
            ".mail",
            "!important.log",
            "!src/**",
            "!docs/.mail",
            "!.mail.md",
            "#!*",
            "\\!*",
            "!",
            "!/",
            "![Dd]ocs",
        ] {
            assert!(!may(rule, true), "{rule}");
        }
        assert!(may("!pkg/.mail", false) && may("!pkg/**", false) && !may("!pkg/", false));
    }

    #[test] // spec: MAIL-1a, IF-14a
    fn a_rule_of_many_stars_is_read_at_once() {
        let stars = "*".repeat(300);
        let apart = "*a".repeat(300);
        let name = "a".repeat(255);
        for (pattern, fits) in [
            (format!("{stars}q"), false),
            (format!("{stars}a"), true),
            (format!("{apart}q"), false),
            (format!("{}q", "*a".repeat(100)), false),
            (format!("{}*", "*a".repeat(100)), true),
            (format!("{}[b", "*a".repeat(100)), true),
        ] {
            assert_eq!(is_like(pattern.as_bytes(), name.as_bytes()), fits, "{pattern}");
        }
        assert!(!may_take_in(format!("!{stars}q").as_bytes(), b".mail", true));
        assert!(may_take_in(format!("!{stars}l").as_bytes(), b".mail", true));
        assert!(is_like(b"*.m*a*l", b"..m.mail") && !is_like(b"*.m*a*l", b"..m.mai"));
    }

    /// An index of version 3 with these paths, each checked out or left out of a sparse checkout.
    fn sparse_index(entries: &[(&str, bool)]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x03".to_vec();
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        for (path, is_left_out) in entries {
            let start = bytes.len();
            bytes.extend([0; 60]);
            bytes.extend((0x4000 | u16::try_from(path.len()).unwrap()).to_be_bytes());
            bytes.extend(if *is_left_out { [0x40, 0] } else { [0x20, 0] });
            bytes.extend(path.bytes().chain([0]));
            while !(bytes.len() - start).is_multiple_of(8) {
                bytes.push(0);
            }
        }
        bytes
    }

    #[test] // spec: MAIL-1a, MEM-2
    fn a_file_that_a_sparse_checkout_leaves_out_may_have_any_rule() {
        let (top, folder) = (Path::new("/src/cherry"), Path::new("/src/cherry/pkg/.mail"));
        let check = |entries: &[(&str, bool)], there: &[&str]| {
            let disk = SimDisk::new();
            disk.make_dirs(folder);
            disk.write_raw("/src/cherry/.git/HEAD", b"ref: refs/heads/main\n");
            disk.write_raw("/src/cherry/.git/index", &sparse_index(entries));
            for path in there {
                disk.write_raw(top.join(path), b"*.log\n");
            }
            let file = taking_in(&disk, top, folder)?;
            Some(file.strip_prefix(top).unwrap().to_str().unwrap().to_owned())
        };
        let found = |file: &str| Some(file.to_owned());
        assert_eq!(check(&[(".gitignore", true), ("a", false)], &[]), found(".gitignore"));
        assert_eq!(check(&[("a", false), ("pkg/.gitignore", true)], &[]), found("pkg/.gitignore"));
        assert_eq!(check(&[("a", false), ("pkg/", true)], &[]), found("pkg/.gitignore"), "a sparse index");
        // Git reads the file that is there, and a deleted one has no rule.
        assert_eq!(check(&[(".gitignore", true)], &[".gitignore"]), None);
        assert_eq!(check(&[(".gitignore", false), ("pkg/.gitignore", false)], &[]), None);
        assert_eq!(check(&[(".gitattributes", true), ("q/.gitignore", true)], &[]), None);

        let disk = SimDisk::new();
        disk.make_dirs(folder);
        disk.write_raw("/src/cherry/.git/HEAD", b"ref: refs/heads/main\n");
        assert_eq!(taking_in(&disk, top, folder), None, "nothing was ever added");
        disk.write_raw("/src/cherry/.git/index", b"no index");
        assert!(taking_in(&disk, top, folder).is_some(), "in doubt");
    }
}

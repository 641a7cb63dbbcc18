//! Where a letter says it belongs: from what agents write into `repo` and `brain` to the places that are
//! worth looking at. Which folders there are, others look up.

use crate::{Letter, glob};

/// Words that stand for no project.
const NO_PROJECT: &[&str] = &["all", "none", "no repo", "*", MEDULLA];
/// What stands for the medulla, in a letter and as the target of an alias.
const MEDULLA: &str = "medulla";

/// What names mean on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The home folder of the person, for `~`.
    pub user_home: Option<String>,
    /// The folders of the person's own programs, absolute: what is said about them is about no project.
    pub owners: Vec<String>,
    /// Names and patterns, each with what it stands for: a folder, a name, or `medulla`.
    pub aliases: Vec<(String, String)>,
}

/// What a letter aims at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aim {
    /// At no project.
    NoProject,
    /// At one project.
    Project {
        /// As the letter spells it.
        spelled: String,
        /// Where to look, first come first served.
        tries: Vec<Try>,
    },
}

/// One way to find a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Try {
    /// A folder, absolute, without `..`.
    Path(String),
    /// A brain: its name and the last eight hex digits of its id.
    Brain {
        /// `name@id`.
        origin: String,
    },
    /// The last parts of a folder's path, or of a brain's name: `cherry`, `src/cherry`.
    Name(String),
}

impl Words {
    /// Where a letter may belong, first come first served: its `brain`, and what its `repo` names where that
    /// is no project. So the medulla never goes before a project.
    pub fn aims(&self, letter: &Letter) -> [Aim; 2] {
        let at = |field: &Option<String>| field.as_deref().map_or(Aim::NoProject, |text| self.aim_at(text));
        [at(&letter.brain), at(&letter.repo)]
    }

    /// The folders that the person gave names to, as absolute paths.
    pub fn chosen_folders(&self) -> impl Iterator<Item = String> {
        self.aliases.iter().filter_map(|(_, target)| self.absolute(target.trim().trim_end_matches('/')))
    }

    /// What one spelling of a project means.
    pub fn aim_at(&self, spelled: &str) -> Aim {
        let spelled = plain(spelled);
        if spelled.is_empty() || says_no_project(&spelled) {
            return Aim::NoProject;
        }
        if let Some(target) = self.alias(&spelled) {
            return self.target(spelled, &target);
        }
        if is_origin(&spelled) {
            return Aim::Project { spelled: spelled.clone(), tries: vec![Try::Brain { origin: spelled }] };
        }
        match self.absolute(&spelled) {
            Some(path) if self.is_owners(&path) => Aim::NoProject,
            Some(path) => {
                let base = path.rsplit('/').next().unwrap_or_default().to_owned();
                let mut tries = vec![Try::Path(path)];
                // A worktree that is gone keeps its name.
                if let Some(Aim::Project { tries: more, .. }) =
                    self.alias(&base).map(|target| self.target(base, &target))
                {
                    tries.extend(more);
                }
                Aim::Project { spelled, tries }
            }
            None => {
                let tries = name_in(&spelled).map(Try::Name).into_iter().collect();
                Aim::Project { spelled, tries }
            }
        }
    }

    /// What a name stands for: exactly, or by the first pattern that fits.
    fn alias(&self, name: &str) -> Option<String> {
        let exact = self.aliases.iter().find(|(alias, _)| alias == name);
        exact
            .or_else(|| self.aliases.iter().find(|(alias, _)| glob::fits(alias, name)))
            .map(|(_, target)| target.clone())
    }

    fn target(&self, spelled: String, target: &str) -> Aim {
        let target = target.trim().trim_end_matches('/');
        if target.eq_ignore_ascii_case(MEDULLA) {
            return Aim::NoProject;
        }
        let tries = match self.absolute(target) {
            Some(path) => vec![Try::Path(path)],
            None if is_origin(target) => vec![Try::Brain { origin: target.to_owned() }],
            None => name_in(target).map(Try::Name).into_iter().collect(),
        };
        Aim::Project { spelled, tries }
    }

    /// The absolute path that a spelling stands for; `None` for a name.
    fn absolute(&self, spelled: &str) -> Option<String> {
        if spelled.starts_with('/') {
            return Some(lexical(spelled));
        }
        let below = match spelled.strip_prefix('~')? {
            "" => "",
            rest => rest.strip_prefix('/')?,
        };
        Some(lexical(&format!("{}/{below}", self.user_home.as_deref()?)))
    }

    fn is_owners(&self, path: &str) -> bool {
        let below = |folder: &String| {
            path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        Some(path) == self.user_home.as_deref() || self.owners.iter().any(below)
    }
}

/// A spelling without remarks in parentheses, quotes, doubled spaces and a slash at its end.
fn plain(spelled: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for sign in spelled.chars() {
        match sign {
            '(' => depth += 1,
            ')' if depth > 0 => {
                depth -= 1;
                kept.push(' ');
            }
            _ if depth == 0 => kept.push(sign),
            _ => {}
        }
    }
    let words: Vec<&str> = kept.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()).collect();
    let text = words.join(" ");
    let text = text.trim_matches(['"', '\'', '`']);
    let cut = text.trim_end_matches('/');
    if cut.is_empty() && text.starts_with('/') { "/".into() } else { cut.to_owned() }
}

fn says_no_project(plain: &str) -> bool {
    NO_PROJECT.iter().any(|word| plain.eq_ignore_ascii_case(word))
}

/// Whether a text is `name@` and eight hex digits.
fn is_origin(text: &str) -> bool {
    text.rsplit_once('@').is_some_and(|(name, id)| {
        !name.is_empty() && id.len() == 8 && id.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

/// The name in a spelling that is no path of this machine: the last parts of a path, or of an address of git.
/// Nothing where it would climb.
fn name_in(spelled: &str) -> Option<String> {
    let is_address = spelled.contains("://") || spelled.contains('@') && spelled.contains(':');
    let rest = if is_address { spelled.rsplit(['/', ':']).next()? } else { spelled };
    let rest = rest.strip_suffix(".git").unwrap_or(rest).trim_start_matches("./");
    let parts: Vec<&str> = rest.split('/').collect();
    let fits = |part: &&str| !part.is_empty() && ![".", ".."].contains(part) && !part.contains('\0');
    (!parts.is_empty() && parts.iter().all(fits)).then(|| parts.join("/"))
}

/// An absolute path without `.`, `..` and doubled slashes, by its letters alone.
fn lexical(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;

//! Where a letter belongs: from the text of `repo` and `brain` to the places that are worth looking at. The caller
//! looks up which folders exist.

use crate::resolved_fields::{FolderMark, ResolvedValue};
use crate::{Letter, glob};

/// Words for no project.
const NO_PROJECT: &[&str] = &["all", "none", "no repo", "*", MEDULLA];
/// The word for the medulla, in a letter and as the target of an alias.
const MEDULLA: &str = "medulla";

/// What names mean on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalNames {
    /// The home folder of the person, for `~`.
    pub user_home: Option<String>,
    /// The folders of the person's own programs, absolute: a letter about them is about no project.
    pub owners: Vec<String>,
    /// Names and patterns, each with its meaning: a folder, a name, or `medulla`.
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
        /// Where to look, the first match counts.
        tries: Vec<ProjectClue>,
    },
    /// At the folder that is called exactly as the letter spells it, if there is one; otherwise at what the spelling
    /// means without remarks and blanks.
    Written {
        /// As the letter spells it.
        spelled: String,
        /// The folder of exactly this name.
        exact: ProjectClue,
        /// What is meant if no folder is called so.
        otherwise: Box<Aim>,
    },
}

/// One way to find a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectClue {
    /// A folder, absolute, without `..`.
    Path(String),
    /// A brain: its name and the last eight hex digits of its id.
    Brain {
        /// `name@id`.
        origin: String,
    },
    /// The last parts of a folder's path, or of a brain's name: `cherry`, `src/cherry`.
    Name(String),
    /// The last parts of a folder's path exactly: no brain's name, and no other case of its letters.
    Folder(String),
    /// The one folder that the writer was in or named, if it was this home's; of another home's letters, a folder of this
    /// name as in [`ProjectClue::Folder`].
    Marked {
        /// The last parts of its path when the letter was written.
        name: String,
        /// Which folder of that name.
        mark: FolderMark,
    },
}

impl LocalNames {
    /// Where a letter may belong, the first match counts: its `brain`, and its `repo` if that is not a project. So a
    /// project always comes before the medulla.
    pub fn aims(&self, letter: &Letter) -> [Aim; 2] {
        let at = |field: &Option<String>, exactly: Option<ResolvedValue>, mark: Option<FolderMark>| match (
            field.as_deref(),
            exactly,
        ) {
            (None, _) => Aim::NoProject,
            (Some(text), Some(exactly)) => self.aim_exactly(text, exactly, mark),
            (Some(text), None) => self.aim_at(text),
        };
        let exact = letter.exact;
        [
            at(&letter.brain, exact.brain, exact.mark_of_brain()),
            at(&letter.repo, exact.repo, exact.mark_of_repo()),
        ]
    }

    /// The folders that the person gave names to, as absolute paths.
    pub fn chosen_folders(&self) -> impl Iterator<Item = String> {
        self.aliases.iter().filter_map(|(_, target)| self.absolute(target.trim().trim_end_matches('/')))
    }

    /// What a name means that `letter write` resolved: that folder or that brain, and no other. Only a person's
    /// alias of this very name leads elsewhere, and only where the project is not found.
    fn aim_exactly(&self, spelled: &str, exactly: ResolvedValue, mark: Option<FolderMark>) -> Aim {
        let first = match exactly {
            ResolvedValue::Id => {
                Some(ProjectClue::Brain { origin: spelled.to_owned() }).filter(|_| is_origin(spelled))
            }
            ResolvedValue::Folder if spelled.starts_with('/') => {
                let path = lexical(spelled);
                if self.is_owners(&path) {
                    return Aim::NoProject;
                }
                Some(ProjectClue::Path(path))
            }
            ResolvedValue::Folder => folder_in(spelled).map(|name| match mark {
                Some(mark) => ProjectClue::Marked { name, mark },
                None => ProjectClue::Folder(name),
            }),
        };
        let mut tries: Vec<ProjectClue> = first.into_iter().collect();
        if let Some(Aim::Project { tries: more, .. }) = self.alias_as_written(spelled) {
            tries.extend(more);
        }
        Aim::Project { spelled: spelled.to_owned(), tries }
    }

    /// What one spelling of a project means. A folder that is called exactly so comes before the spelling without
    /// remarks, quotes and blanks.
    pub fn aim_at(&self, written: &str) -> Aim {
        if let Some(aim) = self.alias_as_written(written) {
            return aim;
        }
        let spelled = plain(written);
        let is_cut = spelled != written || name_in(&spelled).is_some_and(|name| name != spelled);
        let exact = is_cut.then(|| self.as_written(written, &spelled)).flatten();
        let aim = self.aim_at_plain(spelled);
        match exact {
            Some(exact) => Aim::Written { spelled: written.to_owned(), exact, otherwise: Box::new(aim) },
            None => aim,
        }
    }

    /// Whether a spelling names a folder by its path, whatever remarks it has.
    pub fn is_path(&self, written: &str) -> bool {
        self.absolute(written).is_some() || self.absolute(&plain(written)).is_some()
    }

    /// The folder that is called exactly as it is written, if the plain spelling names another one.
    fn as_written(&self, written: &str, plain: &str) -> Option<ProjectClue> {
        match self.absolute(written) {
            Some(path) if self.is_owners(&path) || self.absolute(plain).as_ref() == Some(&path) => None,
            Some(path) => Some(ProjectClue::Path(path)),
            None => folder_in(written).map(ProjectClue::Folder),
        }
    }

    /// What a spelling without remarks, quotes and blanks means.
    fn aim_at_plain(&self, spelled: String) -> Aim {
        if spelled.is_empty() || says_no_project(&spelled) {
            return Aim::NoProject;
        }
        if let Some(target) = self.alias(&spelled) {
            return self.target(spelled, &target);
        }
        if is_origin(&spelled) {
            return Aim::Project {
                spelled: spelled.clone(),
                tries: vec![ProjectClue::Brain { origin: spelled }],
            };
        }
        match self.absolute(&spelled) {
            Some(path) if self.is_owners(&path) => Aim::NoProject,
            Some(path) => {
                let base = path.rsplit('/').next().unwrap_or_default().to_owned();
                let mut tries = vec![ProjectClue::Path(path)];
                // A worktree that is gone keeps its name.
                if let Some(Aim::Project { tries: more, .. }) =
                    self.alias(&base).map(|target| self.target(base, &target))
                {
                    tries.extend(more);
                }
                Aim::Project { spelled, tries }
            }
            None => {
                let tries = name_in(&spelled).map(ProjectClue::Name).into_iter().collect();
                Aim::Project { spelled, tries }
            }
        }
    }

    /// The meaning of a person's alias of exactly this spelling.
    fn alias_as_written(&self, written: &str) -> Option<Aim> {
        let (_, target) = self.aliases.iter().find(|(alias, _)| alias == written)?;
        Some(self.target(written.to_owned(), target))
    }

    /// The meaning of a name: of exactly this alias, or of the first pattern that fits.
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
            Some(path) => vec![ProjectClue::Path(path)],
            None if is_origin(target) => vec![ProjectClue::Brain { origin: target.to_owned() }],
            None => name_in(target).map(ProjectClue::Name).into_iter().collect(),
        };
        Aim::Project { spelled, tries }
    }

    /// The absolute path of a spelling; `None` for a name.
    fn absolute(&self, spelled: &str) -> Option<String> {
        let spelled = of_file_address(spelled).unwrap_or(spelled);
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

/// The path in an address such as `file:///src/cherry`; `None` for any other spelling.
fn of_file_address(spelled: &str) -> Option<&str> {
    let (scheme, rest) = spelled.split_at_checked("file:".len())?;
    let rest = rest.strip_prefix("//localhost").or(rest.strip_prefix("//")).unwrap_or(rest);
    (scheme.eq_ignore_ascii_case("file:") && rest.starts_with('/')).then_some(rest)
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

/// The name in a spelling that is not a path of this machine: the last parts of a path, or of an address of git. `None`
/// if it contains `..`.
fn name_in(spelled: &str) -> Option<String> {
    let is_address = spelled.contains("://") || spelled.contains('@') && spelled.contains(':');
    let rest = if is_address { spelled.rsplit(['/', ':']).next()? } else { spelled };
    let rest = rest.strip_suffix(".git").unwrap_or(rest).trim_start_matches("./");
    folder_in(rest)
}

/// The last parts of a folder's path, exactly as they are written. `None` if they contain `..`.
fn folder_in(spelled: &str) -> Option<String> {
    let fits = |part: &str| !part.is_empty() && ![".", ".."].contains(&part) && !part.contains('\0');
    spelled.split('/').all(fits).then(|| spelled.to_owned())
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

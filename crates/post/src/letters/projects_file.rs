//! `<home>/projects.toml`, in which the person says what the names in letters mean here.

use super::error::LetterError;
use super::limits::SMALL_FILE_MAX;
use crate::Post;
use brainstem_base::DiskFault;
use brainstem_letters::address::LocalNames;
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item, Value};

/// The name of the file.
pub(crate) const FILE: &str = "projects.toml";
/// Homes of other programs that letters are taken over from. A path in one of them means no project.
const OTHER_HOMES: &[&str] = &[".brainstem", ".m1nd"];

/// The content of the file; the defaults if there is no file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectsFile {
    /// What each name means.
    pub(crate) words: LocalNames,
    /// Folders whose folders are projects.
    pub(crate) search: Vec<PathBuf>,
    /// Further spools, read at their own paths.
    pub(crate) spools: Vec<PathBuf>,
    /// Further tools of this system.
    pub(crate) own_tools: Vec<String>,
}

impl Post {
    /// Reads the file.
    pub(crate) fn projects_file(&self) -> Result<ProjectsFile, LetterError> {
        let home = self.memory().home_path();
        let user_home = self.memory().user_home();
        let text_of = |path: &Path| path.to_str().map(str::to_owned);
        let mut owners: Vec<String> = text_of(home).into_iter().collect();
        owners.extend(
            user_home.iter().flat_map(|user| OTHER_HOMES.iter().filter_map(|name| text_of(&user.join(name)))),
        );
        let words = LocalNames { user_home: user_home.and_then(text_of), owners, aliases: Vec::new() };
        let projects_file = ProjectsFile { words, ..ProjectsFile::default() };
        let path = home.join(FILE);
        let bytes = match self.disk().read(&path, SMALL_FILE_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(projects_file),
            Err(error) => return Err(broken(&path, None, &error.fault().to_string())),
        };
        let text = String::from_utf8(bytes).map_err(|_| broken(&path, None, "it is not valid UTF-8"))?;
        projects_file.with(&path, &text, user_home)
    }
}

impl ProjectsFile {
    fn with(mut self, path: &Path, text: &str, user_home: Option<&Path>) -> Result<Self, LetterError> {
        let line_of = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let document = Document::parse(text)
            .map_err(|error| broken(path, error.span().map(|span| line_of(span.start)), error.message()))?;
        for (key, item) in document.iter() {
            let line = item.span().map(|span| line_of(span.start));
            let fault = |why: &str| broken(path, line, why);
            match key {
                "search" => self.search = paths(item, user_home).ok_or_else(|| fault(PATHS))?,
                "spools" => self.spools = paths(item, user_home).ok_or_else(|| fault(PATHS))?,
                "own_tools" => {
                    self.own_tools = texts(item).ok_or_else(|| fault("it takes a list of names"))?
                }
                "aliases" => {
                    let table = item.as_table_like().ok_or_else(|| fault(ALIASES))?;
                    for (name, target) in table.iter() {
                        let target = target.as_str().filter(|text| !text.trim().is_empty());
                        let target = target.ok_or_else(|| fault(ALIASES))?;
                        self.words.aliases.push((name.to_owned(), target.to_owned()));
                    }
                }
                _ => return Err(fault("only aliases, search, spools and own_tools are known")),
            }
        }
        Ok(self)
    }
}

const PATHS: &str = "it takes a list of folders, absolute or from ~";
const ALIASES: &str = "aliases are lines like name = \"~/folder\"";

fn texts(item: &Item) -> Option<Vec<String>> {
    item.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

fn paths(item: &Item, user_home: Option<&Path>) -> Option<Vec<PathBuf>> {
    let path = |value: &Value| {
        let text = value.as_str()?;
        match text.strip_prefix("~/") {
            Some(below) => user_home.map(|home| home.join(below)),
            None => Some(PathBuf::from(text)).filter(|path| path.is_absolute()),
        }
    };
    item.as_array()?.iter().map(path).collect()
}

fn broken(path: &Path, line: Option<usize>, why: &str) -> LetterError {
    let why = brainstem_memory::without_secrets(why.trim()).to_string();
    LetterError::ProjectsBroken { path: path.to_owned(), line, why }
}

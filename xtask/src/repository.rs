//! The repository as the checks see it: its root and the text of its files.

use crate::process;
use anyhow::{Context, Result, anyhow};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files longer than this are not loaded, and tidy complains about them.
pub(crate) const FILE_LEN_MAX: u64 = 1024 * 1024;

/// Where the repository is.
pub(crate) struct Repository {
    root: PathBuf,
}

/// One file that is, or would be, committed.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// The path from the root, with `/` between its parts.
    pub(crate) path: String,
    /// Its size in bytes.
    pub(crate) len: u64,
    /// Its content, if that is text and not too long.
    pub(crate) text: Option<String>,
}

impl File {
    /// Its content, or nothing where that is no text.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or("")
    }

    /// Its lines with their numbers, counted from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text().lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// Whether it is Rust.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is data that tests read, which may hold anything.
    pub(crate) fn is_fixture(&self) -> bool {
        let in_folder = |name| self.path.split('/').any(|part| part == name);
        let in_golden = self.path.starts_with("tests/formats/") || self.path.contains("/tests/formats/");
        !self.is_rust() && (in_golden || in_folder("fixtures") || in_folder("corpus"))
    }

    #[cfg(test)]
    pub(crate) fn sample(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), len: text.len() as u64, text: Some(text.to_owned()) }
    }
}

impl Repository {
    /// Finds the root: the folder above this crate, as cargo tells it, or one above the working folder.
    pub(crate) fn find() -> Result<Self> {
        if let Some(manifest_dir) = std::env::var_os("CARGO_MANIFEST_DIR")
            && let Some(root) = Path::new(&manifest_dir).parent()
            && is_root(root)
        {
            return Ok(Self { root: root.to_owned() });
        }
        let here = std::env::current_dir().context("cannot tell the working folder")?;
        let root = here.ancestors().find(|folder| is_root(folder));
        let root = root.ok_or_else(|| anyhow!("run this inside the repository"))?;
        Ok(Self { root: root.to_owned() })
    }

    /// The root folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Every file that is committed or would be by `git add`, in the order of their paths.
    pub(crate) fn files(&self) -> Result<Vec<File>> {
        let mut paths = match self.paths_of_git() {
            Some(paths) => paths,
            // A source archive has no git; what is there is what was committed.
            None => self.paths_of_folder()?,
        };
        paths.sort();
        paths.dedup();
        paths.into_iter().filter_map(|path| self.load(path).transpose()).collect()
    }

    /// The folder that cargo builds into.
    pub(crate) fn target(&self) -> Result<PathBuf> {
        let metadata = self.metadata()?;
        let folder = metadata["target_directory"].as_str();
        Ok(PathBuf::from(folder.context("`cargo metadata` names no target folder")?))
    }

    /// What `cargo metadata` says about the workspace alone.
    pub(crate) fn metadata(&self) -> Result<serde_json::Value> {
        let args = ["metadata", "--format-version", "1", "--no-deps"];
        let bytes = process::output(&mut process::cargo(&self.root, &args))?;
        serde_json::from_slice(&bytes).context("`cargo metadata` did not answer with JSON")
    }

    fn paths_of_git(&self) -> Option<Vec<String>> {
        let mut command = Command::new("git");
        command
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(&self.root);
        let output = command.output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout);
        Some(text.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
    }

    fn paths_of_folder(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(self.root.join(&folder))? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                if !entry.file_type()?.is_dir() {
                    found.push(path);
                } else if name != ".git" && name != "target" {
                    folders.push(path);
                }
            }
        }
        Ok(found)
    }

    /// Loads one file; nothing if it is gone (deleted and not yet committed) or not a plain file.
    fn load(&self, path: String) -> Result<Option<File>> {
        let full = self.root.join(&path);
        let Ok(metadata) = std::fs::symlink_metadata(&full) else { return Ok(None) };
        if !metadata.is_file() {
            return Ok(None);
        }
        let len = metadata.len();
        let text = if len > FILE_LEN_MAX {
            None
        } else {
            let bytes = std::fs::read(&full).with_context(|| format!("cannot read `{path}`"))?;
            String::from_utf8(bytes).ok()
        };
        Ok(Some(File { path, len, text }))
    }
}

fn is_root(folder: &Path) -> bool {
    folder.join("xtask/Cargo.toml").is_file() && folder.join("crates").is_dir()
}

//! The person's own editor, on a file that nobody else can read.
#![allow(clippy::disallowed_methods, reason = "a file for an editor, of no store")]

use crate::surroundings;
use brainstem_api::Editor;
use brainstem_base::{Fault, codes};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How many names are tried for the file.
const NAMES_MAX: u32 = 1_000;

pub(crate) struct UserEditor {
    command: String,
    folder: PathBuf,
    /// Standard output is for one document; the editor writes elsewhere.
    aside: bool,
}

impl UserEditor {
    pub(crate) fn new(aside: bool) -> Self {
        Self { command: surroundings::editor(), folder: surroundings::temporary_folder(), aside }
    }

    /// Where the editor draws: the terminal itself when standard output is not for it.
    fn screen(&self) -> Stdio {
        if !self.aside {
            return Stdio::inherit();
        }
        OpenOptions::new().write(true).open("/dev/tty").map_or_else(|_| io::stderr().into(), Stdio::from)
    }

    /// A new file with the page, for its owner alone.
    fn file(&self, page: &str) -> io::Result<PathBuf> {
        let process = std::process::id();
        for n in 0..NAMES_MAX {
            let path = self.folder.join(format!("brainstem-edit-{process}-{n}.md"));
            match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Ok(mut file) => return file.write_all(page.as_bytes()).map(|()| path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Editor for UserEditor {
    fn edit(&self, label: &str, page: &str) -> Result<(String, PathBuf), Fault> {
        let failed =
            |message: String, fix: String| Fault::new(codes::EDIT_FAILED, message).fix(fix).rule("MEM-48");
        let path = self.file(page).map_err(|error| {
            let message = format!("cannot make a file to edit {label:?} in: {error}");
            failed(message, format!("make `{}` writable, or set TMPDIR", self.folder.display()))
        })?;
        let kept = || {
            if fs::read(&path).is_ok_and(|bytes| bytes == page.as_bytes()) {
                self.discard(&path);
                "nothing was changed; set VISUAL or EDITOR to an editor that works".to_owned()
            } else {
                format!("nothing was written; the file is `{}`", path.display())
            }
        };
        // As a shell reads it: the choice may carry options, such as `code --wait`.
        let status = Command::new("sh")
            .args(["-c", &format!("{} \"$1\"", self.command), "sh"])
            .arg(&path)
            .stdout(self.screen())
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => {
                return Err(failed(format!("the editor `{}` ended with {status}", self.command), kept()));
            }
            Err(error) => return Err(failed(format!("cannot start the editor: {error}"), kept())),
        }
        let bytes = fs::read(&path)
            .map_err(|error| failed(format!("cannot read what was edited: {error}"), kept()))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Fault::new(codes::INPUT_NOT_UTF8, "what was saved is not valid UTF-8").fix(kept())
        })?;
        Ok((text, path))
    }

    fn discard(&self, path: &Path) {
        // A leftover in the temporary folder is not worth a failure.
        let _ = fs::remove_file(path);
    }
}

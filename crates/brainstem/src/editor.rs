//! The person's own editor, on a file that no other user can read.
#![allow(clippy::disallowed_methods, reason = "a file for an editor, of no store")]

use crate::surroundings;
use brainstem_api::Editor;
use brainstem_base::next::shell_word;
use brainstem_base::{Fault, codes};
use std::fs::{self, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The editors that are known to draw on a terminal.
const ON_A_TERMINAL: &[&str] = &[
    "vi", "vim", "nvim", "view", "nano", "pico", "micro", "hx", "helix", "kak", "joe", "ne", "mcedit",
    "emacs",
];

/// How many names are tried for the file.
const NAMES_MAX: u32 = 1_000;

pub(crate) struct UserEditor {
    command: String,
    folder: PathBuf,
    /// Standard output is for one document, so the editor draws elsewhere.
    aside: bool,
}

impl UserEditor {
    pub(crate) fn new(aside: bool) -> Self {
        Self { command: surroundings::editor(), folder: surroundings::temporary_folder(), aside }
    }

    /// Whether there is a terminal for an editor to draw on and read from.
    fn has_terminal(&self) -> bool {
        let draws = if self.aside {
            OpenOptions::new().write(true).open("/dev/tty").is_ok()
        } else {
            io::stdout().is_terminal()
        };
        draws && io::stdin().is_terminal()
    }

    /// Returns the output that the editor draws on: the terminal itself if standard output is redirected.
    fn screen(&self) -> Stdio {
        if !self.aside {
            return Stdio::inherit();
        }
        OpenOptions::new().write(true).open("/dev/tty").map_or_else(|_| io::stderr().into(), Stdio::from)
    }

    /// A new file with the page, readable by its owner alone.
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

/// Whether a command is an editor that would fill a pipe with control codes and wait for keys that never come.
fn draws_on_a_terminal(command: &str) -> bool {
    let program = command.split_whitespace().next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    ON_A_TERMINAL.contains(&program)
}

impl Editor for UserEditor {
    fn edit(&self, label: &str, page: &str) -> Result<(String, PathBuf), Fault> {
        let failed =
            |message: String, fix: String| Fault::new(codes::EDIT_FAILED, message).fix(fix).rule("MEM-48");
        if draws_on_a_terminal(&self.command) && !self.has_terminal() {
            return Err(failed(
                format!("the editor `{}` needs a terminal, and there is none", self.command),
                format!(
                    "give the new text with `brainstem memorize {} --text-file FILE`, call edit in a terminal, or \
                     set VISUAL to an editor that needs none",
                    shell_word(label)
                ),
            ));
        }
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
        // Run by a shell: the setting may have options, such as `code --wait`.
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

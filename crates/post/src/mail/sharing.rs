//! Whether git may commit the messages of a mail root.

use super::desk::Desk;
use super::error::MailError;
use crate::Post;
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use brainstem_base::next::{Shell, calls};
use brainstem_base::{Advice, advice};
use brainstem_memory::Caller;
use brainstem_vault::StoreError;
use brainstem_vault::mail::{IgnoreRule, MailFault};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The largest file that is looked through before git may commit it.
const LOOKED_THROUGH_LEN_MAX: u64 = 16 * 1024 * 1024;
/// How often the mail is looked through again while messages move in it.
const LOOKS_MAX: usize = 3;

/// What git is to do with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailSharing {
    /// What it does already; a root that is made now is left alone by git.
    AsItIs,
    /// Git may commit them.
    Committed,
    /// Git leaves them alone.
    Private,
}

/// A mail root that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailReady {
    /// Its path.
    pub path: PathBuf,
    /// Git may commit it.
    pub committed: bool,
    /// What is left to do.
    pub notes: Vec<Advice>,
}

impl Post {
    /// Makes the mail root, and says whether git may commit it. Before what is there can be committed, all
    /// of it goes through the floor.
    pub fn init_mail(&self, caller: &Caller, sharing: MailSharing) -> Result<MailReady, MailError> {
        let desk = self.desk(caller)?;
        let mut kept_out = false;
        match sharing {
            MailSharing::AsItIs => kept_out = desk.root.ensure()?,
            // The note goes first: where the call is cut off after it, a `.gitignore` that is missing means private.
            MailSharing::Private => {
                desk.root.forget_committed().map_err(MailFault::from)?;
                desk.root.set_ignore(IgnoreRule::Everything).map_err(MailFault::from)?;
            }
            MailSharing::Committed => {
                self.check_committable(&desk)?;
                desk.root.set_ignore(IgnoreRule::Scaffold).map_err(MailFault::from)?;
                self.memory().home().ensure()?;
                desk.root.note_committed().map_err(MailFault::from)?;
                desk.root.let_in().map_err(MailFault::from)?;
            }
        }
        let committed = desk.root.is_shared();
        let tracked = if committed { 0 } else { desk.root.tracked().count() };
        let notes = (tracked > 0).then(|| {
            let messages = if tracked == 1 { "1 message".to_owned() } else { format!("{tracked} messages") };
            advice![
                "git tracks {messages} still: ",
                Shell::line("git rm -r --cached .mail"),
                " takes them out of git, and their files stay"
            ]
        });
        let kept_out = kept_out.then(|| {
            advice![
                "the repository lets git commit mail, and no person said so here: from now on this clone keeps the mail out of git \
                 (`.git/info/exclude`); `",
                calls::mail_init_commit(),
                "` shares it"
            ]
        });
        let notes = kept_out.into_iter().chain(notes).collect();
        Ok(MailReady { path: desk.root.path().to_owned(), committed, notes })
    }

    /// Refuses where a file below the mail root, or its name, must not be committed, or cannot be looked through. Every
    /// file counts, also one that is no message: git takes it as well.
    fn check_committable(&self, desk: &Desk<'_>) -> Result<(), MailError> {
        // A message may be moved while it is looked for; then everything is looked through again.
        for _ in 0..LOOKS_MAX {
            if self.look_through(desk)? == Looked::AtAll {
                return Ok(());
            }
        }
        Err(MailError::MailMoves)
    }

    fn look_through(&self, desk: &Desk<'_>) -> Result<Looked, MailError> {
        let floor = self.memory().floor();
        for (below, kind) in desk.root.everything_below().map_err(MailFault::from)? {
            let path = desk.root.path().join(&below);
            let shown = floor.mask(&path.display().to_string()).into_owned();
            let closed =
                |why: &str| MailError::NotLookedThrough { shown: shown.clone(), why: why.to_owned() };
            let refused = |fault, fix| MailError::NotCommittable { shown: shown.clone(), fault, fix };
            let name = below.file_name().and_then(OsStr::to_str);
            let name = name.ok_or_else(|| closed("its name is not UTF-8"))?;
            let rename = "give it another name or remove it, then repeat";
            floor.check_name("name", name).map_err(|fault| refused(fault, rename))?;
            match kind {
                FileKind::Dir => continue,
                FileKind::File => {}
                FileKind::Link | FileKind::Other => return Err(closed("it is no regular file")),
            }
            let bytes = match self.disk().read(&path, LOOKED_THROUGH_LEN_MAX) {
                Ok(bytes) => bytes,
                Err(error) => match error.fault() {
                    DiskFault::NotFound => return Ok(Looked::NotAtAll),
                    fault @ (DiskFault::TooLarge { .. } | DiskFault::NotAFile) => {
                        return Err(closed(&fault.to_string()));
                    }
                    _ => {
                        return Err(
                            MailFault::from(StoreError::disk("cannot look through the mail")(error)).into()
                        );
                    }
                },
            };
            let text = String::from_utf8(bytes).map_err(|_| closed("it is not UTF-8"))?;
            let take_out = "take that out of the file, or move the file out of the mail, then repeat";
            floor.check_whole("body", &text).map_err(|fault| refused(fault, take_out))?;
        }
        Ok(Looked::AtAll)
    }
}

/// Whether everything was looked at.
#[derive(PartialEq)]
enum Looked {
    AtAll,
    NotAtAll,
}

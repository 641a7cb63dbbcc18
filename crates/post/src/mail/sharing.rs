//! Whether git may commit the messages of a mail root.

use super::caller_mail::CallerMail;
use super::error::MailError;
use crate::Post;
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use brainstem_base::next::{Shell, calls};
use brainstem_base::{Advice, advice};
use brainstem_memory::Caller;
use brainstem_vault::StoreError;
use brainstem_vault::mail::{IgnoringRule, MailFault, MailRoot, MessageCount};
use std::ffi::OsStr;
use std::path::PathBuf;

/// The largest file that is checked before git may commit it.
const LOOKED_THROUGH_LEN_MAX: u64 = 16 * 1024 * 1024;
/// How often the mail is checked again while messages move in it.
const LOOKS_MAX: usize = 3;

/// What git is to do with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailSharing {
    /// No change; git ignores a root that is made now.
    AsItIs,
    /// Git may commit them.
    Committed,
    /// Git ignores them.
    Private,
}

/// A mail root that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailReady {
    /// Its path.
    pub path: PathBuf,
    /// Git may commit it.
    pub committed: bool,
    /// The messages that were there before git could commit them; `None` if git cannot, or could before.
    pub messages: Option<MessageCount>,
    /// What the person has left to do.
    pub notes: Vec<Advice>,
}

impl Post {
    /// Makes the mail root, and sets whether git may commit it. All existing mail must pass the floor before it
    /// can be committed.
    pub fn init_mail(&self, caller: &Caller, sharing: MailSharing) -> Result<MailReady, MailError> {
        let caller_mail = self.open_mail(caller)?;
        let mut kept_out = false;
        let was_committed = caller_mail.root.is_noted_committed();
        match sharing {
            MailSharing::AsItIs => kept_out = caller_mail.root.ensure()?,
            MailSharing::Private => caller_mail.root.make_private().map_err(MailFault::from)?,
            MailSharing::Committed => {
                self.check_committable(&caller_mail)?;
                self.memory().home().ensure()?;
                caller_mail.root.make_committed().map_err(|error| self.of_its_place(error))?;
            }
        }
        let is_shared = caller_mail.root.is_shared();
        let ignoring = self.ignoring_rule(&caller_mail.root);
        let committed = is_shared && ignoring.is_none();
        let tracked = if is_shared { 0 } else { caller_mail.root.tracked().count() };
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
        let ignored = ignoring.map(|ignoring| {
            let what = format!(
                "it is on record that git may commit the mail, and the rule `{}` in `{}` leaves it out: ",
                ignoring.rule,
                ignoring.file.display()
            );
            advice![what, ignored_fix(&ignoring)]
        });
        let messages = match sharing == MailSharing::Committed && committed && !was_committed {
            true => Some(caller_mail.root.count_messages().map_err(MailFault::from)?),
            false => None,
        };
        let opened = messages.filter(|messages| messages.all() > 0).map(|messages| {
            let (all, done) = (messages.all(), messages.read + messages.archived);
            let are = if all == 1 { "message that is" } else { "messages that are" };
            advice![
                "{all} {are} here already can be committed now, {done} of them read or archived, with senders and subjects: ",
                "move those that must stay private out of `.mail` before you commit, or take it back with ",
                calls::mail_init_private()
            ]
        });
        let notes = opened.into_iter().chain(kept_out).chain(ignored).chain(notes).collect();
        Ok(MailReady { path: caller_mail.root.path().to_owned(), committed, messages, notes })
    }

    /// The error of a change that is noted in the home as well: another mail root does not help a home that cannot be
    /// written.
    fn of_its_place(&self, error: StoreError) -> MailError {
        let home = self.memory().home().path();
        match &error {
            StoreError::Disk { source, .. } if source.path().starts_with(home) => error.into(),
            _ => MailFault::from(error).into(),
        }
    }

    /// Returns the rule of git that leaves out the messages of a mail root that a person lets git commit.
    pub(super) fn ignoring_rule(&self, root: &MailRoot) -> Option<IgnoringRule> {
        if !root.is_noted_committed() {
            return None;
        }
        root.ignoring_rule(self.memory().user_home())
    }

    /// Refuses if a file below the mail root, or its name, must not be committed or cannot be read. Checks every file, because
    /// git commits those that are not messages too.
    fn check_committable(&self, caller_mail: &CallerMail<'_>) -> Result<(), MailError> {
        // A message may move during the check; then all of them are checked again.
        for _ in 0..LOOKS_MAX {
            if self.look_through(caller_mail)? == CheckCoverage::Complete {
                return Ok(());
            }
        }
        Err(MailError::MailMoves)
    }

    fn look_through(&self, caller_mail: &CallerMail<'_>) -> Result<CheckCoverage, MailError> {
        let floor = self.memory().floor();
        for (below, kind) in caller_mail.root.everything_below().map_err(MailFault::from)? {
            let path = caller_mail.root.path().join(&below);
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
                    DiskFault::NotFound => return Ok(CheckCoverage::Incomplete),
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
        Ok(CheckCoverage::Complete)
    }
}

/// What a person does about a rule that leaves the mail out of git.
pub(super) fn ignored_fix(ignoring: &IgnoringRule) -> Advice {
    advice![
        "take the rule out of `",
        ignoring.file.display().to_string(),
        "`; then `",
        calls::mail_init(),
        "` says whether another one leaves it out"
    ]
}

/// Whether a check reached every file.
#[derive(PartialEq)]
enum CheckCoverage {
    Complete,
    Incomplete,
}

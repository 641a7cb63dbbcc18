//! Whether git may commit the messages of a mail root.

use super::desk::Desk;
use crate::Post;
use brainstem_base::{Fault, codes};
use brainstem_memory::Caller;
use brainstem_vault::mail::{Folder, Ignore, MailFault};
use std::path::PathBuf;

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
    pub notes: Vec<String>,
}

impl Post {
    /// Makes the mail root, and says whether git may commit it. Before what is there can be committed, all
    /// of it goes through the floor.
    pub fn init_mail(&self, caller: &Caller, sharing: MailSharing) -> Result<MailReady, Fault> {
        let desk = self.desk(caller)?;
        match sharing {
            MailSharing::AsItIs => desk.root.ensure(Ignore::Everything).map_err(MailFault::from)?,
            MailSharing::Private => {
                desk.root.set_ignore(Ignore::Everything).map_err(MailFault::from)?;
                self.forget_committed(&desk.root)?;
            }
            MailSharing::Committed => {
                self.check_committable(&desk)?;
                desk.root.set_ignore(Ignore::Scaffold).map_err(MailFault::from)?;
                self.note_committed(&desk.root);
            }
        }
        let committed = !desk.root.is_private();
        let tracked = if committed { 0 } else { desk.root.tracked().count() };
        let notes = (tracked > 0).then(|| {
            let messages = if tracked == 1 { "1 message".to_owned() } else { format!("{tracked} messages") };
            format!("git tracks {messages} still: git rm -r --cached .mail takes them out of git, and their files stay")
        });
        Ok(MailReady { path: desk.root.path().to_owned(), committed, notes: notes.into_iter().collect() })
    }

    /// Refuses where a message must not be committed, or cannot be looked through.
    fn check_committable(&self, desk: &Desk<'_>) -> Result<(), Fault> {
        let floor = self.memory().floor();
        for name in desk.root.boxes()? {
            let mailbox = desk.root.mailbox(&name)?;
            for folder in Folder::ALL {
                let mut found = Ok(());
                let listing = mailbox.list_if(*folder, &mut |file, message| {
                    let bad =
                        floor.check_whole("body", message.text()).map_err(Fault::from).map_err(|fault| {
                            Fault {
                                message: format!("{file} in {name} must not be committed: {}", fault.message),
                                fix: Some(
                                    "take the secret out of that message, or remove it, then repeat".into(),
                                ),
                                ..fault
                            }
                        });
                    found = std::mem::replace(&mut found, Ok(())).and(bad);
                    false
                })?;
                found?;
                if let Some(bad) = listing.unreadable.first() {
                    let told = format!("`{}` cannot be looked through: {}", bad.path.display(), bad.why);
                    return Err(Fault::new(codes::MAIL_UNREADABLE, told)
                        .fix("repair or remove that file, then repeat")
                        .rule("MAIL-1a"));
                }
            }
        }
        Ok(())
    }
}

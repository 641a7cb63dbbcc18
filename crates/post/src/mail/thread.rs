//! A conversation, across boxes and folders.

use super::error::MailError;
use super::list::Row;
use super::meant::ambiguous;
use crate::Post;
use brainstem_mail::limits::WORD_LEN_MAX;
use brainstem_mail::name::MailboxName;
use brainstem_mail::thread::{AmbiguousConversation, ThreadMember, conversation};
use brainstem_memory::Caller;
use brainstem_vault::mail::{MailFault, MailFolder, UnreadableMessage};
use std::borrow::Cow;
use std::collections::HashSet;

/// A message of a conversation.
#[derive(Clone, Debug)]
pub struct Spoken {
    /// What it says about itself, and where it lies.
    pub row: Row,
    /// What it says.
    pub body: String,
}

/// A conversation, oldest first.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The messages.
    pub messages: Vec<Spoken>,
    /// Files that are no messages, in any box that was looked at.
    pub unreadable: Vec<UnreadableMessage>,
    /// Boxes and folders that could not be looked at.
    pub gaps: Vec<String>,
}

impl Post {
    /// Shows a whole conversation, by its thread id, by any message of it, or by a part of such a message's name.
    pub fn thread(&self, caller: &Caller, thread: &str) -> Result<Conversation, MailError> {
        let desk = self.desk_to_read(caller)?;
        let thread = thread.trim();
        if thread.is_empty() || thread.len() > WORD_LEN_MAX {
            return Err(MailError::NoThread);
        }
        let mut links = self.mail_links(&desk.root);
        let (mut all, mut unreadable, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        for name in desk.root.boxes()? {
            let mailbox = match desk.root.mailbox(&name) {
                Ok(mailbox) => mailbox,
                Err(fault) => {
                    gaps.push(MailError::from(fault));
                    continue;
                }
            };
            let mut seen = HashSet::new();
            for folder in MailFolder::ALL {
                match links.look(&mailbox, *folder) {
                    Ok(looked) => {
                        unreadable.extend(looked.unreadable);
                        seen.extend(looked.links.iter().map(|(file, _)| file.clone()));
                        all.extend(
                            looked.links.into_iter().map(|(file, link)| (name.clone(), *folder, file, link)),
                        );
                    }
                    Err(error) => gaps.push(error.into()),
                }
            }
            // A message that came back to its box meanwhile was in no folder when that folder was looked at.
            for folder in [MailFolder::Unread, MailFolder::Held] {
                if let Ok(looked) = links.look(&mailbox, folder) {
                    let back = looked.links.into_iter().filter(|(file, _)| !seen.contains(file));
                    all.extend(back.map(|(file, link)| (name.clone(), folder, file, link)));
                }
            }
        }
        let (named, name) =
            match thread.split_once('/').map(|(named, name)| (MailboxName::parse(named), name)) {
                Some((Ok(named), name)) => (Some(named), name),
                Some((Err(_), _)) | None => (None, thread),
            };
        // No question is answered with a message whose name has the secret of the question: that would confirm a guess.
        desk.floor.check_secret("thread", name)?;
        named.as_ref().map_or(Ok(()), |named| desk.floor.check_name("thread", named.as_str()))?;
        let shown: Vec<Cow<'_, str>> =
            all.iter().map(|(_, _, file, _)| desk.floor.mask(file.as_str())).collect();
        let members: Vec<ThreadMember<'_>> = all
            .iter()
            .zip(&shown)
            .map(|((mailbox, _, file, link), shown)| ThreadMember {
                mailbox,
                file: file.as_str(),
                shown,
                link,
            })
            .collect();
        let found =
            conversation(name, named.as_ref(), &members).map_err(|AmbiguousConversation(several)| {
                let shown = |at: &usize| format!("{}/{}", members[*at].mailbox, members[*at].file);
                ambiguous(thread, several.iter().map(shown).collect()).of_field("thread")
            })?;
        let mut at = 0..;
        all.retain(|_| at.next().is_some_and(|at| found.contains(&at)));
        let (mut messages, mut paths) = (Vec::new(), HashSet::new());
        for (name, folder, file, _) in &all {
            let mailbox = desk.root.mailbox(name)?;
            let found = match mailbox.found_in(*folder, file) {
                Ok(Some(found)) => Ok(found),
                // It may have moved on to another folder.
                Ok(None) => mailbox.find(file).map(|(place, message)| mailbox.found(file, place, message)),
                Err(error) => Err(MailFault::from(error)),
            };
            match found {
                // One that moved on while the folders were looked at is among them twice.
                Ok((found, _)) if !paths.insert(found.place.path.clone()) => {}
                Ok((found, body)) => messages.push(Spoken { row: desk.row(&mailbox, found), body }),
                Err(fault) => gaps.push(fault.into()),
            }
        }
        let order = |spoken: &Spoken| (spoken.row.head.timestamp, spoken.row.file.clone());
        messages.sort_by_key(order);
        // A reply belongs to the conversation, so its asker finds it there.
        for row in messages.iter_mut().map(|spoken| &mut spoken.row).filter(|row| row.head.needs_response) {
            row.answered = all.iter().any(|(mailbox, folder, reply, link)| {
                desk.root.is_answer(desk.tracked(), (mailbox, *folder, reply, link), &row.file, &row.mailbox)
            });
        }
        links.keep();
        // It may lie where nobody can look.
        if messages.is_empty() && !gaps.is_empty() {
            return Err(gaps.swap_remove(0));
        }
        // A file that is named and is no readable message is there.
        let is_named = |bad: &&UnreadableMessage| {
            named.as_ref().is_none_or(|named| *named == bad.mailbox) && bad.file.contains(name)
        };
        if let Some(bad) = unreadable.iter().find(is_named).filter(|_| messages.is_empty()) {
            return Err(MailFault::Unreadable { file: bad.file.clone(), why: bad.why.clone() }.into());
        }
        if messages.is_empty() {
            return Err(MailError::NoConversation { given: thread.chars().take(80).collect() });
        }
        let gaps = gaps.iter().map(MailError::whole).collect();
        Ok(Conversation { messages, unreadable, gaps })
    }
}

//! A conversation, across boxes and folders.

use super::error::MailError;
use super::list::MessageRow;
use super::message_lookup::ambiguous;
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
pub struct ConversationMessage {
    /// Its head, and where it is.
    pub row: MessageRow,
    /// Its text.
    pub body: String,
}

/// A conversation, oldest first.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The messages.
    pub messages: Vec<ConversationMessage>,
    /// Files that are no messages, in any box that was looked at.
    pub unreadable: Vec<UnreadableMessage>,
    /// Boxes and folders that could not be looked at.
    pub gaps: Vec<String>,
}

impl Post {
    /// Returns a whole conversation, by its thread id, by any message of it, or by a part of such a message's name.
    pub fn thread(&self, caller: &Caller, thread: &str) -> Result<Conversation, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let thread = thread.trim();
        if thread.is_empty() || thread.len() > WORD_LEN_MAX {
            return Err(MailError::NoThread);
        }
        let mut links = self.mail_links(&caller_mail.root);
        let (mut all, mut unreadable, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        for name in caller_mail.root.boxes()? {
            let mailbox = match caller_mail.root.mailbox(&name) {
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
            // A message that was put back into its box meanwhile may have been missed in both folders.
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
        // A message whose name contains the secret of the question is not returned: that would confirm a guess.
        caller_mail.floor.check_secret("thread", name)?;
        named.as_ref().map_or(Ok(()), |named| caller_mail.floor.check_name("thread", named.as_str()))?;
        let shown: Vec<Cow<'_, str>> =
            all.iter().map(|(_, _, file, _)| caller_mail.floor.mask(file.as_str())).collect();
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
            let mailbox = caller_mail.root.mailbox(name)?;
            let found = match mailbox.found_in(*folder, file) {
                Ok(Some(found)) => Ok(found),
                // It may have moved to another folder.
                Ok(None) => mailbox.find(file).map(|(place, message)| mailbox.found(file, place, message)),
                Err(error) => Err(MailFault::from(error)),
            };
            match found {
                // A message that moved meanwhile is in the list twice.
                Ok((found, _)) if !paths.insert(found.place.path.clone()) => {}
                Ok((found, body)) => {
                    messages.push(ConversationMessage { row: caller_mail.row(&mailbox, found), body })
                }
                Err(fault) => gaps.push(fault.into()),
            }
        }
        let order = |spoken: &ConversationMessage| (spoken.row.head.timestamp, spoken.row.file.clone());
        messages.sort_by_key(order);
        // A reply is part of the conversation, so it is among these messages.
        for row in messages.iter_mut().map(|spoken| &mut spoken.row).filter(|row| row.head.needs_response) {
            row.answered = all.iter().any(|(mailbox, folder, reply, link)| {
                caller_mail.root.is_answer(
                    caller_mail.tracked(),
                    (mailbox, *folder, reply, link),
                    &row.file,
                    &row.mailbox,
                )
            });
        }
        links.keep();
        // The conversation may be in a box that cannot be looked into.
        if messages.is_empty() && !gaps.is_empty() {
            return Err(gaps.swap_remove(0));
        }
        // The named file exists, but is not a readable message.
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

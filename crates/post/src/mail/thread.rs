//! A conversation, across boxes and folders.

use super::list::Row;
use super::meant::ambiguous;
use crate::Post;
use brainstem_base::{Fault, codes};
use brainstem_mail::limits::WORD_LEN_MAX;
use brainstem_mail::name::MailboxName;
use brainstem_mail::thread::{Ambiguous, Member, conversation};
use brainstem_memory::Caller;
use brainstem_vault::mail::{Folder, Unreadable};
use std::borrow::Cow;

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
    pub unreadable: Vec<Unreadable>,
    /// Boxes and folders that could not be looked at.
    pub gaps: Vec<String>,
}

impl Post {
    /// Shows a whole conversation, by its thread id, by any message of it, or by a part of such a message's name.
    pub fn thread(&self, caller: &Caller, thread: &str) -> Result<Conversation, Fault> {
        let desk = self.desk(caller)?;
        let thread = thread.trim();
        if thread.is_empty() || thread.len() > WORD_LEN_MAX {
            return Err(Fault::new(codes::INPUT_BAD_VALUE, "`thread` is empty or longer than 200 bytes")
                .fix("give a thread id or the name of a message")
                .field("thread")
                .rule("MAIL-14"));
        }
        let mut links = self.memory().mail_links(&desk.root);
        let (mut all, mut unreadable, mut gaps) = (Vec::new(), Vec::new(), Vec::new());
        for name in desk.root.boxes()? {
            let mailbox = match desk.root.mailbox(&name) {
                Ok(mailbox) => mailbox,
                Err(fault) => {
                    gaps.push(Fault::from(fault));
                    continue;
                }
            };
            for folder in Folder::ALL {
                match links.look(&mailbox, *folder) {
                    Ok(looked) => {
                        unreadable.extend(looked.unreadable);
                        all.extend(
                            looked.links.into_iter().map(|(file, link)| (name.clone(), *folder, file, link)),
                        );
                    }
                    Err(error) => gaps.push(Fault::from(error)),
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
        let members: Vec<Member<'_>> = all
            .iter()
            .zip(&shown)
            .map(|((mailbox, _, file, link), shown)| Member { mailbox, file: file.as_str(), shown, link })
            .collect();
        let found = conversation(name, named.as_ref(), &members).map_err(|Ambiguous(several)| {
            let shown = |at: &usize| format!("{}/{}", members[*at].mailbox, members[*at].file);
            ambiguous(thread, several.iter().map(shown).collect()).field("thread")
        })?;
        let mut at = 0..;
        all.retain(|_| at.next().is_some_and(|at| found.contains(&at)));
        let mut rows = Vec::new();
        for (name, folder, file, _) in &all {
            let mailbox = desk.root.mailbox(name)?;
            let found = mailbox.found_in(*folder, file)?;
            rows.extend(found.map(|found| desk.row(&mailbox, found)));
        }
        rows.sort_by(|a, b| (a.head.timestamp, &a.file).cmp(&(b.head.timestamp, &b.file)));
        // A reply belongs to the conversation, so whoever asked finds it there.
        for row in rows.iter_mut().filter(|row| row.head.needs_response) {
            row.answered = all.iter().any(|(mailbox, folder, reply, link)| {
                desk.root.is_answer(desk.tracked(), (mailbox, *folder, reply, link), &row.file, &row.mailbox)
            });
        }
        links.keep();
        // It may lie where nobody can look.
        if let Some(gap) = gaps.first().filter(|_| rows.is_empty()) {
            return Err(gap.clone());
        }
        if rows.is_empty() {
            let shown: String = thread.chars().take(80).collect();
            let told = format!("no conversation is called {shown:?}, and no message has that in its name");
            return Err(Fault::new(codes::MAIL_NOT_FOUND, told)
                .fix("give the thread id or the file of a message that `brainstem mail list` shows")
                .field("thread")
                .rule("MAIL-14"));
        }
        let body = |row: &Row| {
            let file = brainstem_mail::FileName::parse(&row.file).ok()?;
            let (_, message) = desk.root.mailbox(&row.mailbox).ok()?.find(&file).ok()?;
            Some(message.body().to_owned())
        };
        // A message that was removed meanwhile is shown without its body.
        let messages =
            rows.into_iter().map(|row| Spoken { body: body(&row).unwrap_or_default(), row }).collect();
        let gaps = gaps.into_iter().map(|gap| gap.message).collect();
        Ok(Conversation { messages, unreadable, gaps })
    }
}

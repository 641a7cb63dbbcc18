//! A conversation, across boxes and folders.

use super::list::{Row, row};
use crate::Post;
use brainstem_base::{Fault, codes};
use brainstem_mail::limits::WORD_LEN_MAX;
use brainstem_mail::thread::members;
use brainstem_memory::Caller;
use brainstem_vault::mail::{Folder, Unreadable};

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
}

impl Post {
    /// Shows a whole conversation, by its thread id or by any message of it.
    pub fn thread(&self, caller: &Caller, thread: &str) -> Result<Conversation, Fault> {
        let desk = self.desk(caller)?;
        let thread = thread.trim();
        if thread.is_empty() || thread.len() > WORD_LEN_MAX {
            return Err(Fault::new(codes::INPUT_BAD_VALUE, "`thread` is empty or longer than 200 bytes")
                .fix("give a thread id or the name of a message")
                .field("thread")
                .rule("MAIL-14"));
        }
        let (mut rows, mut unreadable) = (Vec::new(), Vec::new());
        for name in desk.root.boxes()? {
            let mailbox = desk.root.mailbox(&name)?;
            for folder in Folder::ALL {
                let listing = mailbox.list(*folder)?;
                unreadable.extend(listing.unreadable);
                rows.extend(listing.found.into_iter().map(|found| row(&mailbox, found)));
            }
        }
        let files = members(thread, rows.iter().map(|row| (row.file.as_str(), &row.head)));
        rows.retain(|row| files.contains(&row.file));
        rows.sort_by(|a, b| (a.head.timestamp, &a.file).cmp(&(b.head.timestamp, &b.file)));
        if rows.is_empty() {
            let shown: String = thread.chars().take(80).collect();
            return Err(Fault::new(codes::MAIL_NOT_FOUND, format!("no message belongs to {shown:?}"))
                .fix("give the thread_id or the file of a message that `mail list` shows")
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
        Ok(Conversation { messages, unreadable })
    }
}

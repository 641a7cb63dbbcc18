//! Replying: to the sender of a message, to the author of an event, or to an accepted outsider on the topic of the connection.

use super::error::InboxError;
use super::send::{InboxSend, InboxSent, MessageVisibility};
use crate::Post;
use brainstem_inbox::connection::ConnectionState;
use brainstem_inbox::directory::TopicRole;
use brainstem_inbox::slug::SYSTEM;
use brainstem_inbox::{AgentSlug, EntityNote, Envelope, InboxRow, MessageContent};
use brainstem_ledger::{Append, Ledger as _, ReadFrom, Sequence};
use brainstem_memory::Caller;

impl Post {
    /// Answers a message of the caller's inbox. The reply is about the same thing, whichever project the caller is in.
    pub fn reply_inbox(
        &self,
        caller: &Caller,
        row: &InboxRow,
        content: MessageContent,
    ) -> Result<InboxSent, InboxError> {
        self.check_content(&content)?;
        let content = MessageContent { reference: row.content.reference.clone(), ..content };
        let to = match row.from == SYSTEM {
            true => self.author_of_event(row)?,
            false => match self.reply_to_outsider(row, &content)? {
                Some(sent) => return Ok(sent),
                None => row.from.clone(),
            },
        };
        self.send_about(caller, &InboxSend { to, content, key: None }, None, &[])
    }

    /// The author of an event, which reached its readers in the name of the program.
    fn author_of_event(&self, row: &InboxRow) -> Result<String, InboxError> {
        let before = Sequence::new(row.sequence.number() - 1);
        let from = before.map_or(ReadFrom::Start, ReadFrom::After);
        let event = self.ledger().read(row.topic, from, 1)?.messages.into_iter().next();
        let note = event.and_then(|event| EntityNote::from_bytes(&event.bytes).ok());
        Ok(note.ok_or(InboxError::NotFound { id: row.id })?.from.to_string())
    }

    /// Answers an outsider on the topic of the connection; `None` if the message is of no outsider.
    fn reply_to_outsider(
        &self,
        row: &InboxRow,
        content: &MessageContent,
    ) -> Result<Option<InboxSent>, InboxError> {
        let Some(opened) = self.open_inbox_to_read()? else { return Ok(None) };
        let Some(TopicRole::Connection(agent, account)) = opened.directory.role(row.topic).cloned() else {
            return Ok(None);
        };
        let state = match opened.directory.is_closed(row.topic) {
            true => ConnectionState::Closed,
            false => opened.directory.connection_now(&agent, account),
        };
        if state != ConnectionState::Accepted {
            return Err(InboxError::NotConnected { account, state });
        }
        // The connection is between the outsider and the agent that accepted it.
        let sender = opened.directory.agent(&agent).ok_or(InboxError::NotFound { id: row.id })?.clone();
        let bytes = Envelope::message_to_outsider(sender.operator(), content, self.clock().now());
        let receipt = opened.ledger.append(&Append {
            topic: row.topic,
            submitter: sender.account,
            key: None,
            bytes,
        })?;
        Ok(Some(InboxSent {
            from: sender.slug,
            readers: Vec::new(),
            to: Some(AgentSlug::parse(&account.to_string()).expect("digits and dots")),
            topic: receipt.topic,
            sequence: receipt.sequence,
            consensus: receipt.consensus,
            visible: MessageVisibility::NextCycle,
            is_repeat: receipt.is_repeat,
        }))
    }
}

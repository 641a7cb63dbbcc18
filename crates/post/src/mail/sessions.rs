//! The register of sessions, as people see it.

use super::desk::Desk;
use super::error::MailError;
use super::own_name::OwnName;
use crate::Post;
use brainstem_base::AgentId;
use brainstem_caller::addresses::{boxes_of_agent, has_address_of_another, is_of_caller};
use brainstem_mail::limits::SESSION_TAGS_MAX;
use brainstem_mail::name::{MailboxName, NameFault};
use brainstem_memory::Caller;
use brainstem_memory::identity::parse_tags;
use brainstem_vault::mail::{SessionRecord, UnreadableSession, sessions_of, unreadable_sessions};
use std::path::PathBuf;

/// A session on record.
#[derive(Clone, Debug)]
pub struct SessionRow {
    /// What is known.
    pub record: SessionRecord,
    /// It was here a moment ago.
    pub live: bool,
}

/// Whose sessions are meant: those at the mail root where the caller stands, or those at any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Where the caller stands.
    Here,
    /// At any mail root of this home.
    Everywhere,
}

/// The sessions of a mail root.
#[derive(Clone, Debug)]
pub struct Sessions {
    /// The mail root.
    pub root: PathBuf,
    /// The sessions: those that are here by name, then those that are gone, the last seen first.
    pub rows: Vec<SessionRow>,
    /// Sessions that the limit left out.
    pub left_out: usize,
    /// Sessions that are on record and whose records cannot be read.
    pub unreadable: Vec<UnreadableSession>,
}

impl Post {
    /// Registers the caller's session under a name: with exactly these tags, or where none are given with those that the
    /// call has and those on record.
    pub fn register_session(
        &self,
        caller: &Caller,
        name: Option<&str>,
        tags: Option<&[String]>,
    ) -> Result<(SessionRow, MailboxName, Vec<MailboxName>), MailError> {
        let named = |fault: NameFault, field: &'static str| MailError::from(fault).of_field(field);
        // Names become names of files, which no floor looks at again.
        let floor = self.memory().floor();
        floor.check("name", name.unwrap_or_default())?;
        floor.check_name("name", name.unwrap_or_default())?;
        tags.unwrap_or_default()
            .iter()
            .try_for_each(|tag| floor.check("tag", tag).and_then(|()| floor.check_name("tag", tag)))?;
        // A caller whose name another agent's session has by now must get here to give itself another one.
        let desk = self.open(caller)?;
        let is_renamed = name.is_some();
        let name = match name {
            None => desk.own.holder.clone(),
            Some(text) => MailboxName::parse(text).map_err(|fault| named(fault, "name"))?,
        };
        if name.is_broadcast() {
            return Err(named(NameFault::everybodys(&name), "name"));
        }
        let tags = match tags {
            Some(tags) => parse_tags(tags.iter().map(String::as_str)).map_err(|fault| named(fault, "tag"))?,
            None => desk.tags_kept(&name),
        };
        desk.check_speaks_for_itself(&name, "name")?;
        self.memory().home().ensure()?;
        let agent = caller.principal.agent.as_str();
        let is_its = |agent: &str| desk.is_its(agent, is_renamed);
        let check = |own, name, field| {
            let free = desk.check_free(own, &is_its).and_then(|()| desk.check_box_spelling(name));
            free.map_err(|error| error.of_field(field))
        };
        let is_free = || {
            check(OwnName::Session(&name), &name, "name")?;
            tags.iter().try_for_each(|tag| check(OwnName::Tag(tag), tag, "tag"))
        };
        let record = desk.sessions.register(&name, &tags, Some(agent), &is_free, desk.now)?;
        Ok((SessionRow { record, live: true }, name, tags))
    }

    /// The caller's own sessions at the mail root where it stands, or at any, the last seen first.
    pub fn sessions_of(&self, caller: &Caller, reach: Reach) -> Vec<SessionRow> {
        let (memory, now) = (self.memory(), self.clock().now());
        let own = boxes_of_agent(&caller.principal.agent);
        let is_its = |agent: &str| {
            AgentId::parse(agent).is_ok_and(|agent| own.contains(&MailboxName::of_agent(&agent)))
        };
        let records = match reach {
            Reach::Everywhere => {
                let mut records = sessions_of(self.disk(), memory.home().path(), &is_its, now);
                records.retain(|record| !has_address_of_another(record));
                records
            }
            Reach::Here => match self.mail_root(caller) {
                Some(root) => self.mail_sessions(&root).of_agent(&is_its, now),
                None => Vec::new(),
            },
        };
        records.into_iter().map(|record| SessionRow { live: record.is_live(now), record }).collect()
    }

    /// The sessions whose records cannot be read, so that each may be the caller's.
    pub fn unreadable_sessions(&self, caller: &Caller, reach: Reach) -> Vec<UnreadableSession> {
        let memory = self.memory();
        match reach {
            Reach::Everywhere => unreadable_sessions(self.disk(), memory.home().path()),
            Reach::Here => {
                self.mail_root(caller).map(|root| self.mail_sessions(&root).unreadable()).unwrap_or_default()
            }
        }
    }

    /// Notes that a session has come, where it stands at a mail root: an MCP client that says hello.
    pub fn arrive(&self, caller: &Caller) -> Result<(), MailError> {
        self.desk(caller).map(drop)
    }

    /// Notes that a connection has ended: an MCP client that hangs up. Its session has ended with it, unless another
    /// connection has the same name. What the session holds stays its own until the lease is over.
    pub fn depart(&self, caller: &Caller) -> Result<(), MailError> {
        let memory = self.memory();
        if let Some(root) = self.mail_root(caller).filter(|_| !memory.only_looks()) {
            let name = self.own_boxes(caller, &root).holder;
            let is_its = |agent: &str| is_of_caller(caller, agent);
            let connection = caller.principal.mail.connection_id.clone();
            let sessions = self.mail_sessions(&root).over_connection(connection);
            sessions.leave(&name, &is_its, self.clock().now())?;
        }
        Ok(())
    }

    /// Notes that a connection goes on under this name: under the name that it had until now it has ended.
    pub fn go_on_as(&self, caller: &Caller, name: &MailboxName) -> Result<(), MailError> {
        let Some(root) = self.mail_root(caller) else { return Ok(()) };
        if self.own_boxes(caller, &root).holder == *name { Ok(()) } else { self.depart(caller) }
    }

    /// Who is on record here: those that are here first, then whoever was seen last.
    pub fn sessions(&self, caller: &Caller, limit: usize) -> Result<Sessions, MailError> {
        let desk = self.desk_to_read(caller)?;
        desk.sessions.check_listed()?;
        let rows = desk.sessions.all(desk.now).into_iter();
        let mut rows: Vec<SessionRow> =
            rows.map(|record| SessionRow { live: record.is_live(desk.now), record }).collect();
        rows.sort_by_key(|row| (!row.live, if row.live { 0 } else { -row.record.last_seen }));
        let left_out = rows.len().saturating_sub(limit);
        rows.truncate(limit);
        let unreadable = desk.sessions.unreadable();
        Ok(Sessions { root: desk.root.path().to_owned(), rows, left_out, unreadable })
    }
}

impl Desk<'_> {
    /// The tags that a session of the caller keeps when it registers without any: those that the call has, and those of
    /// its record.
    fn tags_kept(&self, name: &MailboxName) -> Vec<MailboxName> {
        let own = self
            .sessions
            .find(name)
            .filter(|record| record.agent.as_deref().is_none_or(|agent| is_of_caller(self.caller(), agent)));
        let registered = own.map(|record| record.tags).unwrap_or_default();
        let registered = registered.iter().filter_map(|tag| MailboxName::parse(tag).ok());
        let mut kept: Vec<MailboxName> = Vec::new();
        for tag in self.caller().principal.mail.tags.iter().cloned().chain(registered) {
            if !kept.contains(&tag) && kept.len() < SESSION_TAGS_MAX {
                kept.push(tag);
            }
        }
        kept
    }
}

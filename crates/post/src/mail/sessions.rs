//! The register of sessions.

use super::caller_mail::CallerMail;
use super::error::MailError;
use super::own_name::OwnName;
use crate::Post;
use brainstem_base::AgentId;
use brainstem_caller::addresses::{boxes_of_agent, has_address_of_another, is_of_caller};
use brainstem_mail::limits::SESSION_TAGS_MAX;
use brainstem_mail::name::{MailboxName, NameFault};
use brainstem_memory::Caller;
use brainstem_memory::identity::parse_tags;
use brainstem_vault::StoreError;
use brainstem_vault::mail::{NotTouched, SessionRecord, UnreadableSession, sessions_of, unreadable_sessions};
use std::convert::Infallible;
use std::path::PathBuf;

/// A session on record.
#[derive(Clone, Debug)]
pub struct RegisteredSession {
    /// Its record.
    pub record: SessionRecord,
    /// It was seen a moment ago.
    pub live: bool,
}

/// Which sessions are meant: those at the caller's mail root, or those at any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionReach {
    /// At the caller's mail root.
    Here,
    /// At any mail root of this home.
    Everywhere,
}

/// The sessions of a mail root.
#[derive(Clone, Debug)]
pub struct SessionsAtRoot {
    /// The mail root.
    pub root: PathBuf,
    /// The sessions: live ones by name, then ended ones, the last seen first.
    pub rows: Vec<RegisteredSession>,
    /// Sessions that the limit left out.
    pub left_out: usize,
    /// Sessions whose records cannot be read.
    pub unreadable: Vec<UnreadableSession>,
}

impl Post {
    /// Registers the caller's session under a name and these tags. Without tags, it keeps those of the call and of its record.
    pub fn register_session(
        &self,
        caller: &Caller,
        name: Option<&str>,
        tags: Option<&[String]>,
    ) -> Result<(RegisteredSession, MailboxName, Vec<MailboxName>), MailError> {
        let named = |fault: NameFault, field: &'static str| MailError::from(fault).of_field(field);
        // Names become file names, which are not checked for secrets again.
        let floor = self.memory().floor();
        floor.check("name", name.unwrap_or_default())?;
        floor.check_name("name", name.unwrap_or_default())?;
        tags.unwrap_or_default()
            .iter()
            .try_for_each(|tag| floor.check("tag", tag).and_then(|()| floor.check_name("tag", tag)))?;
        // A caller whose name another agent's session has by now must be able to take another name.
        let caller_mail = self.open_mail_unrecorded(caller)?;
        let is_renamed = name.is_some();
        let name = match name {
            None => caller_mail.own.holder.clone(),
            Some(text) => MailboxName::parse(text).map_err(|fault| named(fault, "name"))?,
        };
        if name.is_broadcast() {
            return Err(named(NameFault::everybodys(&name), "name"));
        }
        let tags = match tags {
            Some(tags) => parse_tags(tags.iter().map(String::as_str)).map_err(|fault| named(fault, "tag"))?,
            None => caller_mail.tags_kept(&name),
        };
        caller_mail.check_speaks_for_itself(&name, "name")?;
        self.memory().home().ensure()?;
        let agent = caller.principal.agent.as_str();
        let is_its = |agent: &str| caller_mail.is_its(agent, is_renamed);
        let check = |own, name, field| {
            let free =
                caller_mail.check_free(own, &is_its).and_then(|()| caller_mail.check_box_spelling(name));
            free.map_err(|error| error.of_field(field))
        };
        let is_free = || {
            check(OwnName::Session(&name), &name, "name")?;
            tags.iter().try_for_each(|tag| check(OwnName::Tag(tag), tag, "tag"))
        };
        let record = caller_mail.sessions.register(&name, &tags, Some(agent), &is_free, caller_mail.now)?;
        Ok((RegisteredSession { record, live: true }, name, tags))
    }

    /// The caller's own sessions at its mail root, or at any, the last seen first.
    pub fn sessions_of(&self, caller: &Caller, reach: SessionReach) -> Vec<RegisteredSession> {
        let (memory, now) = (self.memory(), self.clock().now());
        let own = boxes_of_agent(&caller.principal.agent);
        let is_its = |agent: &str| {
            AgentId::parse(agent).is_ok_and(|agent| own.contains(&MailboxName::of_agent(&agent)))
        };
        let records = match reach {
            SessionReach::Everywhere => {
                let mut records = sessions_of(self.disk(), memory.home().path(), &is_its, now);
                records.retain(|record| !has_address_of_another(record));
                records
            }
            SessionReach::Here => match self.mail_root(caller) {
                Some(root) => self.mail_sessions(&root).of_agent(&is_its, now),
                None => Vec::new(),
            },
        };
        records.into_iter().map(|record| RegisteredSession { live: record.is_live(now), record }).collect()
    }

    /// Returns the record of the caller's session, which has an id from its first call on (INB-7a). A caller without a mail
    /// root, or with a name that is another agent's there, is on record at the home.
    pub(crate) fn own_session(&self, caller: &Caller) -> Result<SessionRecord, StoreError> {
        let at_root = self.open_mail(caller).ok().and_then(|caller_mail| caller_mail.record);
        if let Some(record) = at_root {
            return Ok(record);
        }
        let (home, now) = (self.memory().home(), self.clock().now());
        home.ensure()?;
        let root = self.mail_root_in(home.path());
        let (mail, agent) = (&caller.principal.mail, &caller.principal.agent);
        let sessions = self.mail_sessions(&root).over_connection(mail.connection_id.clone());
        let of_agent = MailboxName::of_agent(agent);
        let named = mail.session.as_ref().or(mail.connection.as_ref()).unwrap_or(&of_agent);
        let is_anothers =
            sessions.live_of_another(named, &|agent| is_of_caller(caller, agent), now).is_some();
        let name = if is_anothers { &of_agent } else { named };
        let check = || Ok::<(), Infallible>(());
        sessions.touch(name, &mail.tags, Some(agent.as_str()), &check, now).map_err(|error| match error {
            NotTouched::Store(error) => error,
            NotTouched::Refused(never) => match never {},
        })
    }

    /// The sessions whose records cannot be read. Each of them may be the caller's.
    pub fn unreadable_sessions(&self, caller: &Caller, reach: SessionReach) -> Vec<UnreadableSession> {
        let memory = self.memory();
        match reach {
            SessionReach::Everywhere => unreadable_sessions(self.disk(), memory.home().path()),
            SessionReach::Here => {
                self.mail_root(caller).map(|root| self.mail_sessions(&root).unreadable()).unwrap_or_default()
            }
        }
    }

    /// Records that a session has come online at the caller's mail root, when an MCP client initializes.
    pub fn arrive(&self, caller: &Caller) -> Result<(), MailError> {
        self.open_mail(caller).map(drop)
    }

    /// Records that a connection has ended, when an MCP client hangs up. Its session ends too, unless another connection has
    /// the same name. Messages that the session holds stay its own until their leases are over.
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

    /// Records that a connection goes on under this name, and that its session under the former name has ended.
    pub fn go_on_as(&self, caller: &Caller, name: &MailboxName) -> Result<(), MailError> {
        let Some(root) = self.mail_root(caller) else { return Ok(()) };
        if self.own_boxes(caller, &root).holder == *name { Ok(()) } else { self.depart(caller) }
    }

    /// The sessions on record at the caller's mail root: live ones first, then the last seen.
    pub fn sessions(&self, caller: &Caller, limit: usize) -> Result<SessionsAtRoot, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        caller_mail.sessions.check_listed()?;
        let rows = caller_mail.sessions.all(caller_mail.now).into_iter();
        let mut rows: Vec<RegisteredSession> =
            rows.map(|record| RegisteredSession { live: record.is_live(caller_mail.now), record }).collect();
        rows.sort_by_key(|row| (!row.live, if row.live { 0 } else { -row.record.last_seen }));
        let left_out = rows.len().saturating_sub(limit);
        rows.truncate(limit);
        let unreadable = caller_mail.sessions.unreadable();
        Ok(SessionsAtRoot { root: caller_mail.root.path().to_owned(), rows, left_out, unreadable })
    }
}

impl CallerMail<'_> {
    /// The tags of a session that registers without any: those of the call, and those of its record.
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

//! Whose mail is whose: the mail root of a caller, and the boxes that are its own.
//!
//! One place answers it for the beat, the status and every verb of mail, so that what is counted is what is
//! listed.

use crate::Post;
use brainstem_base::agent::AgentKind;
use brainstem_base::{AgentId, Timestamp, hash};
use brainstem_caller::addresses::{
    box_of_alias, boxes_of_agent, has_address_of_another, is_address, is_address_of_another,
    is_by_login_alone, is_name_of, is_of_another_person, is_of_caller,
};
use brainstem_caller::git_layout;
use brainstem_caller::person::TerminalPerson;
use brainstem_mail::name::MailboxName;
use brainstem_mail::resolve::KnownUnderName;
use brainstem_memory::{Caller, Memory, MemoryError};
use brainstem_vault::mail::{Links, MailRoot, SessionRecord, SessionRecords, UnreadableSession};
use std::path::Path;

/// The boxes that are a caller's own, and the names it goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnBoxes {
    /// What it signs with: the name that it gave its session, else its agent's.
    pub me: MailboxName,
    /// The name under which it holds what it takes, and is registered: its session or its connection, else its agent.
    pub holder: MailboxName,
    /// Its agent, under the first of its names: the one that runs its session, else its own.
    pub agent: MailboxName,
    /// The agent that runs the session which the caller names, where that is not the caller's own id.
    pub session_agent: Option<AgentId>,
    /// The names that the same connection had before. What is held under them is its own.
    pub earlier: Vec<MailboxName>,
    /// The names under which it has seen broadcasts.
    pub reader: Vec<MailboxName>,
    /// The names under which it is noted that it sees one: the holder's, and of a connection without a name its agent's,
    /// so that it is no news to a caller without a session. No other session looks there.
    pub noted_as: Vec<MailboxName>,
    /// Its own box, its agent's under each of its names, its tags', and that of broadcasts.
    pub boxes: Vec<MailboxName>,
    /// The caller's own record, where it cannot be read: the boxes of the tags in it are not among its boxes.
    pub unreadable: Option<UnreadableSession>,
}

impl OwnBoxes {
    /// What is missing among the boxes, in words.
    pub fn missing_in_words(&self) -> Option<String> {
        let unreadable = self.unreadable.as_ref()?;
        Some(format!("{}; mail to its tags is not counted or listed", unreadable.sentence()))
    }
}

/// Whose own box a name is, where no tag may have that name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BoxOfAnother {
    /// That of a live session, which another agent runs.
    Session(SessionRecord),
    /// That of a session whose record cannot be read, so that it may be another agent's.
    Unreadable(UnreadableSession),
    /// That of another agent, here or not.
    Agent,
    /// That of a person.
    Person,
}

/// The agent that runs the live session which a caller shares.
fn shared_agent(caller: &Caller, sessions: &SessionRecords, now: Timestamp) -> Option<String> {
    let name = caller.principal.mail.session.as_ref().filter(|_| is_by_login_alone(caller))?;
    sessions.find(name).filter(|record| record.is_live(now))?.agent
}

impl Post {
    /// The caller's mail root, there or not: the one it names, else its project's.
    pub fn mail_root(&self, caller: &Caller) -> Option<MailRoot> {
        self.named_mail_root(caller).or_else(|| Some(self.mail_root_in(&self.memory().project_root(caller)?)))
    }

    /// The caller's mail root. Refuses a project whose mail is not in its folder. A caller that names a mail root means that
    /// folder.
    pub(super) fn checked_mail_root(&self, caller: &Caller) -> Result<Option<MailRoot>, MemoryError> {
        match self.named_mail_root(caller) {
            Some(root) => Ok(Some(root)),
            None => Ok(self.memory().check_mail_ground(caller)?.map(|project| self.mail_root_in(&project))),
        }
    }

    /// The mail root that the caller names.
    fn named_mail_root(&self, caller: &Caller) -> Option<MailRoot> {
        let (memory, named) = (self.memory(), caller.principal.mail.root.as_ref()?);
        let (disk, ids, clock) = (memory.disk().clone(), memory.ids().clone(), memory.clock().clone());
        let from = caller.hints().cwd.as_ref().map_or_else(|| named.clone(), |cwd| cwd.join(named));
        let path = git_layout::canonical(self.disk(), &from);
        Some(MailRoot::at(disk, ids, clock, path).noting_below(memory.home().path()))
    }

    /// The mail root of a project.
    pub(super) fn mail_root_in(&self, project: &Path) -> MailRoot {
        let memory = self.memory();
        let (disk, ids, clock) = (memory.disk().clone(), memory.ids().clone(), memory.clock().clone());
        MailRoot::of_project(disk, ids, clock, project).noting_below(memory.home().path())
    }

    /// Whether a folder is the top of a repository that has no mail yet. A mail root there would be a folder of the
    /// project's own files, and its `.gitignore` the project's.
    pub(super) fn is_top_of_repository(&self, root: &MailRoot) -> bool {
        let is_there = |name: &str| self.disk().stat(&root.path().join(name)).is_ok();
        is_there(".git") && !is_there(".names")
    }

    /// Returns the register of the sessions that were seen at a mail root. A session under an address of another agent is not on record.
    pub(super) fn mail_sessions(&self, root: &MailRoot) -> SessionRecords {
        let (disk, ids) = (self.memory().disk().clone(), self.memory().ids().clone());
        let sessions = SessionRecords::new(disk, ids, self.memory().home().path(), root.path());
        sessions.without(has_address_of_another)
    }

    /// What is kept about how the messages of a mail root hang together.
    pub(super) fn mail_links(&self, root: &MailRoot) -> Links {
        let (disk, ids) = (self.memory().disk().clone(), self.memory().ids().clone());
        Links::new(disk, ids, self.memory().home().path(), root.path())
    }

    /// The boxes that are a caller's own.
    pub fn own_boxes(&self, caller: &Caller, root: &MailRoot) -> OwnBoxes {
        let agent = MailboxName::of_agent(&caller.principal.agent);
        let mail = &caller.principal.mail;
        let me = mail.session.clone().unwrap_or_else(|| agent.clone());
        let holder =
            mail.session.clone().or_else(|| mail.connection.clone()).unwrap_or_else(|| agent.clone());
        let (sessions, now) = (self.mail_sessions(root), self.clock().now());
        let (registered, unreadable) = match sessions.look(&holder) {
            Ok(record) => (record.map(|record| record.tags).unwrap_or_default(), None),
            Err(unreadable) => (Vec::new(), Some(unreadable)),
        };
        let registered = registered.iter().filter_map(|tag| MailboxName::parse(tag).ok());
        // A tag that is another agent's own name by now opens no box, whenever it was registered.
        let tags = mail.tags.iter().cloned().chain(registered);
        let tags = tags.filter(|tag| box_of_another(caller, &sessions, tag, now).is_none());
        // Mail to another name of the agent goes to its own box; a script or an older program may have written there.
        let mut aliases = boxes_of_agent(&caller.principal.agent);
        let is_human = caller.principal.kind == AgentKind::Human;
        let person = is_human.then(|| self.terminal_person(caller));
        let person = person.filter(|person| person.is_caller(&caller.principal));
        if let Some(person) = &person {
            let is_free = |name: &MailboxName| {
                sessions.readers_of_name(std::slice::from_ref(name), now).known == KnownUnderName::default()
                    && !is_address(name)
            };
            aliases.extend(person.boxes());
            aliases.extend(person.bare_names().into_iter().filter(is_free));
        }
        let there = if aliases.len() > 1 { root.boxes().unwrap_or_default() } else { Vec::new() };
        let aliases: Vec<MailboxName> = aliases.into_iter().filter(|name| there.contains(name)).collect();
        // What was sent to the name that the connection was given still reaches it under the name that it has now.
        let connection = mail.connection.clone();
        let is_shared = shared_agent(caller, &sessions, now).is_some();
        // Nor does the name of another agent's live session, whether a session or an agent has it as well.
        let is_certain = |agent: &str| is_of_caller(caller, agent);
        let is_taken = |name: &MailboxName| sessions.live_of_another(name, &is_certain, now).is_some();
        let is_its =
            |name: &MailboxName| is_shared || !is_address_of_another(caller, name) && !is_taken(name);
        let all = [me.clone(), agent.clone(), holder.clone()].into_iter().filter(is_its);
        let all = all.chain(connection).chain(aliases).chain(tags);
        let mut boxes: Vec<MailboxName> = Vec::new();
        for name in all.chain([MailboxName::broadcast()]) {
            if !boxes.contains(&name) {
                boxes.push(name);
            }
        }
        let mut earlier = self.earlier_names(caller, root, &holder);
        // What a person holds and has seen stays the person's under a new name. A session of the person holds its own.
        if let Some(person) = person.filter(|_| holder == agent) {
            earlier.extend(person.boxes().into_iter().filter(|name| *name != holder));
        }
        let shared = || AgentId::parse(&shared_agent(caller, &sessions, now)?).ok();
        let session_agent = mail.named_by.clone().or_else(shared);
        let session_agent = session_agent.filter(|agent| *agent != caller.principal.agent);
        let speaking = session_agent.as_ref().map_or_else(|| agent.clone(), MailboxName::of_agent);
        let speaking = box_of_alias(&speaking).unwrap_or(speaking);
        // Marks by the name alone are those of an earlier program, of agents and of connections.
        let names = || std::iter::once(&holder).chain(&earlier);
        let reader = names().map(|name| reader_of_agent(name, &speaking)).chain(names().cloned()).collect();
        let mut noted_as = match mail.session {
            Some(_) => vec![reader_of_agent(&holder, &speaking)],
            None => vec![holder.clone()],
        };
        if mail.session.is_none() && holder != agent {
            noted_as.push(agent);
        }
        OwnBoxes { me, holder, agent: speaking, session_agent, earlier, reader, noted_as, boxes, unreadable }
    }

    /// The person at the terminal of this home, by all names.
    pub(super) fn terminal_person(&self, caller: &Caller) -> TerminalPerson {
        terminal_person(self.memory(), caller)
    }

    /// The names that a caller's connection had before, without those that are in use now.
    fn earlier_names(&self, caller: &Caller, root: &MailRoot, holder: &MailboxName) -> Vec<MailboxName> {
        let mail = &caller.principal.mail;
        let (sessions, now) = (self.mail_sessions(root), self.clock().now());
        // A record that cannot be read may be of a session that is here.
        let is_free = |name: &&MailboxName| {
            sessions.look(name).is_ok_and(|record| !record.is_some_and(|record| record.is_live(now)))
        };
        let earlier = mail.connection.iter().chain(mail.earlier.iter().filter(is_free));
        earlier.filter(|name| *name != holder).cloned().collect()
    }
}

/// The person at the terminal of a home, by all names.
pub(super) fn terminal_person(memory: &Memory, caller: &Caller) -> TerminalPerson {
    let config = memory.config(caller.place());
    TerminalPerson::of(&config, caller.principal.mail.login.as_ref())
}

/// The name for the marks of a session that an agent runs. The name of an ended session may be another agent's
/// next, which has seen nothing.
fn reader_of_agent(session: &MailboxName, agent: &MailboxName) -> MailboxName {
    let both = format!("{session}@{agent}");
    let cut = || MailboxName::parse(&hash::sha256_hex(both.as_bytes(), 32)).expect("a hash is a name");
    MailboxName::parse(&both).unwrap_or_else(|_| cut())
}

/// Whose own box a name is, where that is not the caller's: a tag of that name would let the caller read and take
/// what is for another reader alone.
pub(super) fn box_of_another(
    caller: &Caller,
    sessions: &SessionRecords,
    name: &MailboxName,
    now: Timestamp,
) -> Option<BoxOfAnother> {
    let principal = &caller.principal;
    if is_of_another_person(caller, name) {
        return Some(BoxOfAnother::Person);
    }
    let shares = shared_agent(caller, sessions, now);
    let is_its = |agent: &str| is_of_caller(caller, agent) || shares.as_deref() == Some(agent);
    if let Some(record) = sessions.live_of_another(name, &is_its, now) {
        return Some(BoxOfAnother::Session(record));
    }
    if let Some(unreadable) = sessions.unreadable_record(name).filter(|_| !is_name_of(caller, name)) {
        return Some(BoxOfAnother::Unreadable(unreadable));
    }
    let shared = shares.as_deref().and_then(|agent| AgentId::parse(agent).ok());
    let own = [Some(&principal.agent), principal.mail.named_by.as_ref(), shared.as_ref()];
    if own.into_iter().flatten().any(|own| boxes_of_agent(own).contains(name)) {
        return None;
    }
    // An agent that no host runs is known from the register; a tag that many carry has no dot, and costs no look at
    // each of them.
    let is_on_record = || sessions.agent_box_of_another(name, &is_its, now).is_some();
    let is_agents = is_address(name) || name.as_str().contains('.') && is_on_record();
    is_agents.then_some(BoxOfAnother::Agent)
}

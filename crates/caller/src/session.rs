//! An MCP session: where it is bound, which brains it was served from, and under which names it called.

use crate::held_folder::HeldFolder;
use crate::identity::Principal;
use crate::place::{Caller, CallerPlace, Held};
use crate::route::RootHints;
use brainstem_base::{AgentId, Ids};
use brainstem_mail::limits::NAME_LEN_MAX;
use brainstem_mail::name::MailboxName;
use brainstem_vault::Brain;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

/// An MCP session: its binding, empty until a bootstrap or a handshake sets it, and the brains it was
/// counted in.
#[derive(Debug, Default)]
pub struct Session {
    root: Mutex<Option<PathBuf>>,
    /// The brains that it was served from, by the places it stood in.
    held: Mutex<HashMap<PathBuf, Brain>>,
    /// The projects without a brain that it stood in, by those places.
    folders: Mutex<HashMap<PathBuf, HeldFolder>>,
    counted: Mutex<HashSet<String>>,
    introduced: Mutex<Introduced>,
    /// What tells its connection from every other one.
    connection_id: OnceLock<String>,
    /// The name that it was given for each agent that called, by agent id.
    named: Mutex<BTreeMap<String, MailboxName>>,
    /// As whom and from where it called.
    callers: Mutex<Vec<Caller>>,
}

/// Of what a call is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstCall {
    /// Of its session.
    OfSession,
    /// Of its session at this place; it made others elsewhere.
    Here,
}

/// What calls of a session gave it: a name and tags for mail.
#[derive(Clone, Debug, Default)]
struct Introduced {
    /// Its name, and the agent that gave it.
    name: Option<(MailboxName, AgentId)>,
    /// The names that it was given before.
    earlier: Vec<MailboxName>,
    tags: Option<Vec<MailboxName>>,
}

/// For how many agents a session is given a name; those beyond go by their own.
const NAMED_MAX: usize = 64;
/// For how many places a session keeps the brain that it was served from.
const HELD_MAX: usize = 256;
/// How long the part of such a name is that tells sessions apart.
const SUFFIX_LEN: usize = 6;
/// How long the id of a connection is.
const CONNECTION_ID_LEN: usize = 16;

impl CallerPlace {
    /// Returns the place of one call. What it means is found out at the first question and kept for the others.
    pub fn of_call(hints: RootHints, session: Option<&Session>) -> Self {
        let root = session.and_then(Session::root);
        let held = session.and_then(|session| session.held(&hints));
        let folder = session.and_then(|session| session.held_folder(&hints));
        Self::bound(hints, root, held).in_folder(folder)
    }
}

impl Session {
    /// The root this session is bound to.
    pub fn root(&self) -> Option<PathBuf> {
        self.root.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Binds the session. What it was served from before counts no more.
    pub fn bind(&self, root: PathBuf) {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = Some(root);
        self.held.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The project without a brain that this session stood in where it stands.
    fn held_folder(&self, hints: &RootHints) -> Option<HeldFolder> {
        let (_, at) = hints.deciding(self.root().as_deref())?;
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).get(&at).cloned()
    }

    /// Keeps the project without a brain that it stands in, if it is the first there.
    pub(crate) fn hold_folder(&self, folder: HeldFolder) {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if folders.len() < HELD_MAX {
            folders.entry(folder.at.clone()).or_insert(folder);
        }
    }

    /// The brain that this session was served from where it stands.
    pub(crate) fn held(&self, hints: &RootHints) -> Option<Held> {
        let (_, at) = hints.deciding(self.root().as_deref())?;
        let brain = self.held.lock().unwrap_or_else(PoisonError::into_inner).get(&at).cloned()?;
        Some(Held { at, brain })
    }

    /// Keeps the brain that it was served from, if it is the first there.
    pub(crate) fn hold(&self, at: PathBuf, brain: &Brain) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() < HELD_MAX {
            held.entry(at).or_insert_with(|| brain.clone());
        }
    }

    /// Gives the session tags and perhaps a name, which hold for the calls that follow, whichever agent they name.
    /// Without a name it keeps the one that it was given.
    pub fn introduce(&self, name: Option<(MailboxName, AgentId)>, tags: Vec<MailboxName>) {
        let mut introduced = self.introduced.lock().unwrap_or_else(PoisonError::into_inner);
        introduced.tags = Some(tags);
        let Some(given) = name else { return };
        let before = introduced.name.replace(given.clone()).map(|(name, _)| name);
        introduced.earlier.extend(before);
        introduced.earlier.retain(|name| *name != given.0);
        if introduced.earlier.len() > NAMED_MAX {
            introduced.earlier.remove(0);
        }
    }

    /// Fills in what the session was introduced as. One that has no name of its own is given one at its first call, for
    /// each agent: two sessions of one agent must not hold one message (IF-25a).
    pub fn fill_in(&self, principal: &mut Principal, ids: &dyn Ids) {
        let mail = &mut principal.mail;
        let random = || brainstem_base::hash::sha256_hex(&ids.random(), CONNECTION_ID_LEN);
        mail.connection_id = Some(self.connection_id.get_or_init(random).clone());
        let introduced = self.introduced.lock().unwrap_or_else(PoisonError::into_inner).clone();
        mail.earlier = introduced.earlier;
        if let Some(tags) = introduced.tags {
            mail.tags = tags;
        }
        if let Some((name, named_by)) = introduced.name {
            // One that the process was started with is a name it had, too.
            mail.earlier.extend(mail.session.take().filter(|before| *before != name));
            (mail.session, mail.named_by) = (Some(name), Some(named_by));
            mail.connection = mail.connection.take().or_else(|| self.named_before(&principal.agent));
        } else if mail.session.is_none() && mail.connection.is_none() {
            mail.connection = self.name_for(&principal.agent, ids);
        }
    }

    /// The name that it was given for an agent, where it was given one.
    fn named_before(&self, agent: &AgentId) -> Option<MailboxName> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner).get(agent.as_str()).cloned()
    }

    fn name_for(&self, agent: &AgentId, ids: &dyn Ids) -> Option<MailboxName> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = named.get(agent.as_str()) {
            return Some(name.clone());
        }
        if named.len() >= NAMED_MAX {
            return None;
        }
        let mut base = MailboxName::of_agent(agent).to_string();
        base.truncate(NAME_LEN_MAX - SUFFIX_LEN - 1);
        let suffix = brainstem_base::hash::sha256_hex(&ids.random(), SUFFIX_LEN);
        let name = MailboxName::parse(&format!("{base}-{suffix}")).ok()?;
        named.insert(agent.to_string(), name.clone());
        Some(name)
    }

    /// Notes as whom and from where the session calls.
    pub fn note_caller(&self, caller: &Caller) {
        // A session leaves the mail root that it came to, whatever brain is there.
        let caller = caller.kept_by_session();
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() < NAMED_MAX && !callers.contains(&caller) {
            callers.push(caller);
        }
    }

    /// As whom and from where the session has called, each of them also under the name that it was introduced with.
    pub fn callers(&self) -> Vec<Caller> {
        let noted = self.callers.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let introduced = self.introduced.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some((name, named_by)) = introduced.name else { return noted };
        let named = noted.iter().cloned().map(|mut caller| {
            let mail = &mut caller.principal.mail;
            (mail.session, mail.named_by) = (Some(name.clone()), Some(named_by.clone()));
            caller
        });
        let named: Vec<Caller> = named.collect();
        noted.into_iter().chain(named).collect()
    }

    /// Notes a call at a place; `None` where the session made one there before.
    pub fn first_at(&self, place: &str) -> Option<FirstCall> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let first = if counted.is_empty() { FirstCall::OfSession } else { FirstCall::Here };
        counted.insert(place.to_owned()).then_some(first)
    }
}

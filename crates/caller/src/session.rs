//! An MCP session: its binding, the brains that it was served from, and the names that it used.

use crate::held_folder::HeldFolder;
use crate::identity::Principal;
use crate::place::{Caller, CallerPlace, ServedBrain};
use crate::route::RootHints;
use brainstem_base::{AgentId, Ids};
use brainstem_mail::limits::NAME_LEN_MAX;
use brainstem_mail::name::MailboxName;
use brainstem_vault::Brain;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

/// An MCP session: its binding, empty until a bootstrap or a handshake sets it, and the brains that it was counted in.
#[derive(Debug, Default)]
pub struct Session {
    root: Mutex<Option<PathBuf>>,
    /// The brains that it was served from, by place.
    served: Mutex<HashMap<PathBuf, Brain>>,
    /// The projects without a brain that it was in, by place.
    folders: Mutex<HashMap<PathBuf, HeldFolder>>,
    counted: Mutex<HashSet<String>>,
    introduced: Mutex<Introduced>,
    /// An id that distinguishes its connection from every other.
    connection_id: OnceLock<String>,
    /// The name that it was given for each agent that called, by agent id.
    named: Mutex<BTreeMap<String, MailboxName>>,
    /// The agents and places that it called as and from.
    callers: Mutex<Vec<Caller>>,
}

/// Which kind of first call this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstCall {
    /// The first call of its session.
    OfSession,
    /// The first call of its session at this place, after others elsewhere.
    Here,
}

/// The name and tags for mail that calls of a session gave it.
#[derive(Clone, Debug, Default)]
struct Introduced {
    /// Its name, and the agent that gave it.
    name: Option<(MailboxName, AgentId)>,
    /// Its earlier names.
    earlier: Vec<MailboxName>,
    tags: Option<Vec<MailboxName>>,
}

/// For how many agents a session is given a name; further agents use their own.
const NAMED_MAX: usize = 64;
/// For how many places a session keeps the brain that it was served from.
const HELD_MAX: usize = 256;
/// The length of the part of such a name that distinguishes sessions.
const SUFFIX_LEN: usize = 6;
/// The length of a connection's id.
const CONNECTION_ID_LEN: usize = 16;

impl CallerPlace {
    /// Returns the place of one call. Its meaning is found out at the first question and kept for the others.
    pub fn of_call(hints: RootHints, session: Option<&Session>) -> Self {
        let root = session.and_then(Session::root);
        let served = session.and_then(|session| session.served(&hints));
        let folder = session.and_then(|session| session.held_folder(&hints));
        Self::bound(hints, root, served).in_folder(folder)
    }
}

impl Session {
    /// The root that this session is bound to.
    pub fn root(&self) -> Option<PathBuf> {
        self.root.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Binds the session, and forgets the brains that it was served from before.
    pub fn bind(&self, root: PathBuf) {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = Some(root);
        self.served.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The project without a brain that this session was in at its present place.
    fn held_folder(&self, hints: &RootHints) -> Option<HeldFolder> {
        let (_, at) = hints.deciding(self.root().as_deref())?;
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).get(&at).cloned()
    }

    /// Keeps the project without a brain, if the session has none at that place yet.
    pub(crate) fn hold_folder(&self, folder: HeldFolder) {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if folders.len() < HELD_MAX {
            folders.entry(folder.at.clone()).or_insert(folder);
        }
    }

    /// The brain that this session was served from at its present place.
    pub(crate) fn served(&self, hints: &RootHints) -> Option<ServedBrain> {
        let (_, at) = hints.deciding(self.root().as_deref())?;
        let brain = self.served.lock().unwrap_or_else(PoisonError::into_inner).get(&at).cloned()?;
        Some(ServedBrain { at, brain })
    }

    /// Keeps the brain that it was served from, if the session has none at that place yet.
    pub(crate) fn hold(&self, at: PathBuf, brain: &Brain) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        if served.len() < HELD_MAX {
            served.entry(at).or_insert_with(|| brain.clone());
        }
    }

    /// Gives the session tags and, optionally, a name for all later calls, whichever agent they name. Without a name it keeps
    /// its present one.
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

    /// Fills in the session's name and tags. A session without a name is given one at its first call for each agent: two
    /// sessions of one agent must not hold the same message (IF-25a).
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
            // The name that the process was started with counts as an earlier one.
            mail.earlier.extend(mail.session.take().filter(|before| *before != name));
            (mail.session, mail.named_by) = (Some(name), Some(named_by));
            mail.connection = mail.connection.take().or_else(|| self.named_before(&principal.agent));
        } else if mail.session.is_none() && mail.connection.is_none() {
            mail.connection = self.name_for(&principal.agent, ids);
        }
    }

    /// The name that it was given for an agent before.
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

    /// Notes the agent and the place of a call.
    pub fn note_caller(&self, caller: &Caller) {
        // The session later leaves the mail root that it came to, whatever brain is there then.
        let caller = caller.kept_by_session();
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() < NAMED_MAX && !callers.contains(&caller) {
            callers.push(caller);
        }
    }

    /// The agents and places of the session's calls. Each is also listed under the name that the session was given.
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

    /// Notes a call at a place. `None` if the session called there before.
    pub fn first_at(&self, place: &str) -> Option<FirstCall> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let first = if counted.is_empty() { FirstCall::OfSession } else { FirstCall::Here };
        counted.insert(place.to_owned()).then_some(first)
    }
}

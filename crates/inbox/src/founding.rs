//! Making what the inbox needs on a ledger: the topics of a home, of an agent, of an entity. Each is made once; a repeat,
//! also of a try that was cut off anywhere, completes it and changes nothing else.

use crate::control::{
    AgentDefinition, ConnectionDecision, ControlRecord, DefinitionKind, EntityDefinition, HomeTopics,
};
use crate::cursor::MirrorCursor;
use crate::directory::{ControlReadError, InboxDirectory};
use crate::memo;
use crate::profile::{AiAgent, Hcs11Profile};
use crate::reference::{RefId, RefType};
use crate::slug::AgentSlug;
use brainstem_base::AgentId;
use brainstem_base::hash::sha256_hex;
use brainstem_ledger::{Append, AppendKey, Ledger, LedgerError, TopicId};
use std::collections::BTreeMap;

/// An agent or a person to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewAgent {
    /// Its plain slug. An id whose plain slug is another id's has a slug of its own.
    pub slug: AgentSlug,
    /// The name that people know it by.
    pub name: String,
    /// Its id in memory and mail.
    pub agent: Option<AgentId>,
    /// Agent or person.
    pub kind: DefinitionKind,
    /// What a program says about itself; `None` for a person.
    pub ai_agent: Option<AiAgent>,
}

impl NewAgent {
    /// The slug that it has, or gets, on a ledger.
    pub fn slug_in(&self, directory: &InboxDirectory) -> AgentSlug {
        self.agent.as_ref().map_or_else(|| self.slug.clone(), |agent| directory.slug_for(agent))
    }

    /// Whether a definition is of this agent.
    fn is_of(&self, definition: &AgentDefinition) -> bool {
        self.agent.is_none() || definition.agent.is_none() || definition.agent == self.agent
    }
}

/// An entity to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEntity {
    /// Its id.
    pub id: RefId,
    /// What it is.
    pub kind: RefType,
    /// Its title.
    pub title: String,
    /// The entity it belongs to.
    pub parent: Option<RefId>,
}

/// Whether something was made just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// It was made, or changed.
    Now,
    /// It was there.
    Before,
}

/// The ends that earlier readers saw. Founding reads the control topics as every reader does.
pub type SeenEnds = BTreeMap<TopicId, MirrorCursor>;

/// Makes the topics that a home has once.
pub fn found_home(
    ledger: &dyn Ledger,
    directory: &mut InboxDirectory,
    seen: &SeenEnds,
) -> Result<HomeTopics, ControlReadError> {
    directory.refresh(ledger, seen)?;
    if let Some(home) = directory.home() {
        return Ok(home);
    }
    let home = HomeTopics {
        accounts: ledger.create_topic(&memo::accounts())?.id,
        broadcast: ledger.create_topic(&memo::broadcast())?.id,
        connections: ledger.create_topic(&memo::connections())?.id,
    };
    let definitions = ledger.create_topic(&memo::definitions())?.id;
    append(ledger, definitions, "home", &ControlRecord::Home(home))?;
    directory.refresh(ledger, seen)?;
    Ok(directory.home().unwrap_or(home))
}

/// Makes an agent with its account, its topics and its profile, or publishes what changed of it.
pub fn found_agent(
    ledger: &dyn Ledger,
    directory: &mut InboxDirectory,
    seen: &SeenEnds,
    new: &NewAgent,
) -> Result<(AgentDefinition, Made), ControlReadError> {
    let home = found_home(ledger, directory, seen)?;
    loop {
        let slug = new.slug_in(directory);
        let definition = match directory.agent(&slug) {
            Some(known) => redefined(known, new),
            None => allot(ledger, home, &slug, new)?,
        };
        if directory.agent(&slug) == Some(&definition) {
            return Ok((definition, Made::Before));
        }
        let definitions = ledger.create_topic(&memo::definitions())?.id;
        // Two processes that publish the same slug at once use one key: the second finds the first one's definition.
        let key = key_of("agent", &format!("{slug}:{}", directory.revision(&slug) + 1));
        append(ledger, definitions, &key, &ControlRecord::Agent(Box::new(definition.clone())))?;
        directory.refresh(ledger, seen)?;
        match directory.agent(&slug) {
            // Another id took the slug in this moment; this one has a slug of its own.
            Some(found) if !new.is_of(found) => {}
            found => return Ok((found.cloned().unwrap_or(definition), Made::Now)),
        }
    }
}

fn redefined(known: &AgentDefinition, new: &NewAgent) -> AgentDefinition {
    // A person stays one: another spelling of its name does not say that it is.
    if known.kind == DefinitionKind::Person && new.kind == DefinitionKind::Agent {
        return known.clone();
    }
    let profile = Hcs11Profile {
        display_name: new.name.clone(),
        ai_agent: new.ai_agent.clone(),
        ..known.profile.clone()
    };
    let (name, agent) = (new.name.clone(), known.agent.clone().or(new.agent.clone()));
    AgentDefinition { name, agent, kind: new.kind, profile, ..known.clone() }
}

/// Allots an account and makes the three topics.
fn allot(
    ledger: &dyn Ledger,
    home: HomeTopics,
    slug: &AgentSlug,
    new: &NewAgent,
) -> Result<AgentDefinition, LedgerError> {
    let entry = ledger.append(&Append {
        topic: home.accounts,
        submitter: memo::system_account(),
        key: AppendKey::parse(&key_of("account", slug.as_str())).ok(),
        bytes: serde_json::json!({"type": "account", "slug": slug.as_str()}).to_string().into_bytes(),
    })?;
    let account = memo::account_of_entry(entry.sequence);
    let acks = ledger.create_topic(&memo::acks(slug, account))?.id;
    let inbound = ledger.create_topic(&memo::inbound(slug, account))?.id;
    let outbound = ledger.create_topic(&memo::outbound(slug, account))?.id;
    let profile = Hcs11Profile {
        display_name: new.name.clone(),
        uaid: Hcs11Profile::uaid_of(account, inbound),
        ai_agent: new.ai_agent.clone(),
        inbound,
        outbound,
    };
    Ok(AgentDefinition {
        slug: slug.clone(),
        name: new.name.clone(),
        agent: new.agent.clone(),
        kind: new.kind,
        account,
        inbound,
        outbound,
        acks,
        profile,
    })
}

/// Makes an entity with its topic. An entity that is there stays as it is.
pub fn found_entity(
    ledger: &dyn Ledger,
    directory: &mut InboxDirectory,
    seen: &SeenEnds,
    new: &NewEntity,
) -> Result<(EntityDefinition, Made), ControlReadError> {
    found_home(ledger, directory, seen)?;
    if let Some(known) = directory.entity(new.id.as_str()) {
        return Ok((known.clone(), Made::Before));
    }
    let topic = ledger.create_topic(&memo::entity(new.kind, &new.id))?.id;
    let NewEntity { id, kind, title, parent } = new.clone();
    let definition = EntityDefinition { id, kind, title, topic, parent };
    let definitions = ledger.create_topic(&memo::definitions())?.id;
    let key = key_of("entity", new.id.as_str());
    append(ledger, definitions, &key, &ControlRecord::Entity(definition.clone()))?;
    directory.refresh(ledger, seen)?;
    Ok((directory.entity(new.id.as_str()).cloned().unwrap_or(definition), Made::Now))
}

/// A key of any length as one that the ledger takes.
fn key_of(what: &str, name: &str) -> String {
    match name.len() <= 128 && !name.chars().any(char::is_control) {
        true => format!("{what}:{name}"),
        false => format!("{what}:{}", sha256_hex(name.as_bytes(), 32)),
    }
}

/// Appends a record of a control topic. If another process appended another record with this key first, that one counts.
fn append(ledger: &dyn Ledger, topic: TopicId, key: &str, record: &ControlRecord) -> Result<(), LedgerError> {
    let key = AppendKey::parse(key)?;
    let bytes = record.to_bytes();
    match ledger.append(&Append { topic, submitter: memo::system_account(), key: Some(key), bytes }) {
        Ok(_) | Err(LedgerError::KeyReused { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Appends a decision about an outsider to the home's private topic.
pub fn decide_connection(
    ledger: &dyn Ledger,
    home: HomeTopics,
    decision: &ConnectionDecision,
) -> Result<(), LedgerError> {
    let bytes = ControlRecord::Connection(decision.clone()).to_bytes();
    let append = Append { topic: home.connections, submitter: memo::system_account(), key: None, bytes };
    ledger.append(&append).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::clock::ManualClock;
    use brainstem_ledger::in_memory::InMemoryLedger;
    use brainstem_ledger::{
        ConsensusTime, Head, NewTopic, Page, ReadFrom, Receipt, Redact, Topic, TopicMessage,
    };
    use std::sync::{Arc, Mutex};

    fn new(agent: &str) -> NewAgent {
        let agent = AgentId::parse(agent).unwrap();
        let (slug, name) = (AgentSlug::of_agent(&agent), agent.to_string());
        NewAgent { slug, name, agent: Some(agent), kind: DefinitionKind::Agent, ai_agent: None }
    }

    /// A ledger on which another process makes an agent right before the next append.
    struct Overtaken {
        ledger: InMemoryLedger,
        first: Mutex<Option<NewAgent>>,
    }

    impl Ledger for Overtaken {
        fn append(&self, append: &Append) -> Result<Receipt, LedgerError> {
            let first = self.first.lock().unwrap().take();
            if let Some(first) = first {
                found_agent(&self.ledger, &mut InboxDirectory::default(), &SeenEnds::new(), &first).unwrap();
            }
            self.ledger.append(append)
        }
        fn create_topic(&self, new: &NewTopic) -> Result<Topic, LedgerError> {
            self.ledger.create_topic(new)
        }
        fn topic(&self, id: TopicId) -> Result<Option<Topic>, LedgerError> {
            self.ledger.topic(id)
        }
        fn topics(&self, after: Option<TopicId>, count_max: usize) -> Result<Vec<Topic>, LedgerError> {
            self.ledger.topics(after, count_max)
        }
        fn read(&self, topic: TopicId, from: ReadFrom, count_max: usize) -> Result<Page, LedgerError> {
            self.ledger.read(topic, from, count_max)
        }
        fn head(&self, topic: TopicId) -> Result<Head, LedgerError> {
            self.ledger.head(topic)
        }
        fn message_at(&self, time: ConsensusTime) -> Result<Option<TopicMessage>, LedgerError> {
            self.ledger.message_at(time)
        }
        fn redact(&self, redact: &Redact) -> Result<Receipt, LedgerError> {
            self.ledger.redact(redact)
        }
    }

    #[test] // spec: INB-1
    fn of_two_ids_that_take_one_slug_at_once_the_second_gets_its_own() {
        let ledger = InMemoryLedger::new(Arc::new(ManualClock::at(1)));
        let (seen, mut directory) = (SeenEnds::new(), InboxDirectory::default());
        found_home(&ledger, &mut directory, &seen).unwrap();
        let ledger = Overtaken { ledger, first: Mutex::new(Some(new("x:y.z"))) };
        let (second, _) = found_agent(&ledger, &mut directory, &seen, &new("x.y:z")).unwrap();
        let (first, made) = found_agent(&ledger, &mut directory, &seen, &new("x:y.z")).unwrap();
        assert_eq!((first.slug.as_str(), made), ("x.y.z", Made::Before));
        assert_eq!(second.agent.unwrap().as_str(), "x.y:z");
        assert_ne!(second.slug, first.slug);
        assert_ne!((second.inbound, second.account), (first.inbound, first.account));
    }
}

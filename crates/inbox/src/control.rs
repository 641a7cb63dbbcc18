//! The records of the control topics: which topics, agents and entities a home has, and which outsiders may speak.
//!
//! The program alone appends them. What a message means depends on those that were appended before it.

use crate::connection::ConnectionStep;
use crate::fields::{FieldFault, Fields, parse_object};
use crate::limits::TITLE_BYTES_MAX;
use crate::operator::OperatorId;
use crate::profile::Hcs11Profile;
use crate::reference::{RefId, RefType};
use crate::slug::AgentSlug;
use brainstem_base::AgentId;
use brainstem_ledger::{AccountId, Sequence, TopicId};
use serde_json::{Value, json};

/// A record of a control topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlRecord {
    /// The topics that a home has once.
    Home(HomeTopics),
    /// An agent or a person, first or changed.
    Agent(Box<AgentDefinition>),
    /// An entity.
    Entity(EntityDefinition),
    /// What an agent decided about an outsider.
    Connection(ConnectionDecision),
}

/// The topics that a home has once, besides the definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HomeTopics {
    /// Messages to every agent.
    pub broadcast: TopicId,
    /// Decisions about outsiders.
    pub connections: TopicId,
    /// The registry of accounts.
    pub accounts: TopicId,
}

/// What sort of principal a definition is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionKind {
    /// A program.
    Agent,
    /// A person.
    Person,
}

impl DefinitionKind {
    /// The word on the ledger.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Person => "person",
        }
    }
}

/// An agent or a person with its topics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentDefinition {
    /// Its slug.
    pub slug: AgentSlug,
    /// The name that people know it by.
    pub name: String,
    /// Its id in memory and mail; `None` for the owner of a home whose settings name none.
    pub agent: Option<AgentId>,
    /// Agent or person.
    pub kind: DefinitionKind,
    /// Its account.
    pub account: AccountId,
    /// The topic on which it gets messages.
    pub inbound: TopicId,
    /// The topic on which it speaks.
    pub outbound: TopicId,
    /// The private topic on which it acknowledges.
    pub acks: TopicId,
    /// What it says about itself.
    pub profile: Hcs11Profile,
}

impl AgentDefinition {
    /// How its messages name it.
    pub fn operator(&self) -> OperatorId {
        OperatorId { inbound: self.inbound, account: self.account }
    }

    /// Whether both have the same address: what a later definition must leave as it is.
    pub fn has_address_of(&self, other: &Self) -> bool {
        let address = |it: &Self| (it.slug.clone(), it.account, it.inbound, it.outbound, it.acks);
        address(self) == address(other)
    }
}

/// An entity with its topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityDefinition {
    /// Its id.
    pub id: RefId,
    /// What it is.
    pub kind: RefType,
    /// Its title.
    pub title: String,
    /// Its topic.
    pub topic: TopicId,
    /// The entity it belongs to.
    pub parent: Option<RefId>,
}

/// What an agent decided about an outsider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionDecision {
    /// The agent.
    pub agent: AgentSlug,
    /// The outsider.
    pub account: AccountId,
    /// Accept, deny, block or close.
    pub step: ConnectionStep,
    /// The connection's topic and the request that it answers; of an acceptance alone.
    pub topic: Option<(TopicId, Sequence)>,
}

impl ControlRecord {
    /// Writes the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        let record = match self {
            Self::Home(HomeTopics { broadcast, connections, accounts }) => {
                json!({"type": "home_definition", "home": {
                    "broadcast_topic_id": broadcast.to_string(), "connections_topic_id": connections.to_string(),
                    "accounts_topic_id": accounts.to_string(),
                }})
            }
            Self::Agent(agent) => json!({"type": "agent_definition", "agent": {
                "slug": agent.slug.as_str(), "name": agent.name,
                "agent_id": agent.agent.as_ref().map(AgentId::as_str), "kind": agent.kind.as_str(),
                "account_id": agent.account.to_string(), "inbound_topic_id": agent.inbound.to_string(),
                "outbound_topic_id": agent.outbound.to_string(), "acks_topic_id": agent.acks.to_string(),
                "hcs11_profile": agent.profile.to_json(),
            }}),
            Self::Entity(entity) => json!({"type": "entity_definition", "entity": {
                "entity_id": entity.id.as_str(), "entity_type": entity.kind.as_str(), "title": entity.title,
                "topic_id": entity.topic.to_string(), "parent": entity.parent.as_ref().map(RefId::as_str),
            }}),
            Self::Connection(decision) => json!({"type": "connection_decision", "connection": {
                "agent": decision.agent.as_str(), "account_id": decision.account.to_string(),
                "decision": decision.step.to_string(),
                "connection_topic_id": decision.topic.map(|(topic, _)| topic.to_string()),
                "connection_id": decision.topic.map(|(_, request)| request.number()),
            }}),
        };
        record.to_string().into_bytes()
    }

    /// Reads a record.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FieldFault> {
        let object = parse_object(bytes)?;
        let part = |field: &'static str| Fields::of(field, object.get(field).unwrap_or(&Value::Null));
        match Fields(&object).text("type")? {
            "home_definition" => home(part("home")?).map(Self::Home),
            "agent_definition" => agent(part("agent")?).map(|agent| Self::Agent(Box::new(agent))),
            "entity_definition" => entity(part("entity")?).map(Self::Entity),
            "connection_decision" => connection(part("connection")?).map(Self::Connection),
            _ => Err(FieldFault::new("type", "is no record of a control topic")),
        }
    }
}

fn home(fields: Fields<'_>) -> Result<HomeTopics, FieldFault> {
    Ok(HomeTopics {
        broadcast: fields.parsed("broadcast_topic_id", str::parse)?,
        connections: fields.parsed("connections_topic_id", str::parse)?,
        accounts: fields.parsed("accounts_topic_id", str::parse)?,
    })
}

fn title(fields: Fields<'_>, field: &'static str) -> Result<String, FieldFault> {
    let text = fields.text(field)?;
    match text.len() <= TITLE_BYTES_MAX {
        true => Ok(text.to_owned()),
        false => Err(FieldFault::new(field, "has more than 200 bytes")),
    }
}

fn agent(fields: Fields<'_>) -> Result<AgentDefinition, FieldFault> {
    let kind = match fields.text("kind")? {
        "agent" => DefinitionKind::Agent,
        "person" => DefinitionKind::Person,
        _ => return Err(FieldFault::new("kind", "is neither agent nor person")),
    };
    let profile =
        fields.get("hcs11_profile").ok_or_else(|| FieldFault::new("hcs11_profile", "is missing"))?;
    Ok(AgentDefinition {
        slug: fields.parsed("slug", AgentSlug::parse)?,
        name: title(fields, "name")?,
        agent: fields.optional_parsed("agent_id", AgentId::parse)?,
        kind,
        account: fields.parsed("account_id", str::parse)?,
        inbound: fields.parsed("inbound_topic_id", str::parse)?,
        outbound: fields.parsed("outbound_topic_id", str::parse)?,
        acks: fields.parsed("acks_topic_id", str::parse)?,
        profile: Hcs11Profile::from_json(profile)?,
    })
}

fn entity(fields: Fields<'_>) -> Result<EntityDefinition, FieldFault> {
    Ok(EntityDefinition {
        id: fields.parsed("entity_id", RefId::parse)?,
        kind: fields.parsed("entity_type", RefType::parse_entity)?,
        title: title(fields, "title")?,
        topic: fields.parsed("topic_id", str::parse)?,
        parent: fields.optional_parsed("parent", RefId::parse)?,
    })
}

fn connection(fields: Fields<'_>) -> Result<ConnectionDecision, FieldFault> {
    let step = match fields.text("decision")? {
        "accept" => ConnectionStep::Accept,
        "deny" => ConnectionStep::Deny,
        "block" => ConnectionStep::Block,
        "close" => ConnectionStep::Close,
        _ => return Err(FieldFault::new("decision", "is none of accept, deny, block and close")),
    };
    let topic = match step {
        ConnectionStep::Accept => {
            let request = Sequence::new(fields.number("connection_id")?);
            let request = request.ok_or_else(|| FieldFault::new("connection_id", "is zero"))?;
            Some((fields.parsed("connection_topic_id", str::parse)?, request))
        }
        ConnectionStep::Request | ConnectionStep::Deny | ConnectionStep::Block | ConnectionStep::Close => {
            None
        }
    };
    Ok(ConnectionDecision {
        agent: fields.parsed("agent", AgentSlug::parse)?,
        account: fields.parsed("account_id", str::parse)?,
        step,
        topic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: INB-1, INB-3, INB-5a
    fn every_record_is_read_as_it_was_written() {
        let topic = |num| TopicId::local(num).unwrap();
        let account = AccountId::local(9).unwrap();
        let slug = AgentSlug::parse("human").unwrap();
        let profile = Hcs11Profile {
            display_name: "Ana".into(),
            uaid: Hcs11Profile::uaid_of(account, topic(2)),
            ai_agent: None,
            inbound: topic(2),
            outbound: topic(3),
        };
        let agent = AgentDefinition {
            slug: slug.clone(),
            name: "Ana".into(),
            agent: Some(AgentId::parse("human:ana").unwrap()),
            kind: DefinitionKind::Person,
            account,
            inbound: topic(2),
            outbound: topic(3),
            acks: topic(4),
            profile,
        };
        let entity = EntityDefinition {
            id: RefId::parse("T-1").unwrap(),
            kind: RefType::Task,
            title: "Ship it".into(),
            topic: topic(5),
            parent: Some(RefId::parse("P-1").unwrap()),
        };
        let accepted = ConnectionDecision {
            agent: slug,
            account,
            step: ConnectionStep::Accept,
            topic: Some((topic(6), Sequence::FIRST)),
        };
        let blocked = ConnectionDecision { step: ConnectionStep::Block, topic: None, ..accepted.clone() };
        let home = HomeTopics { broadcast: topic(7), connections: topic(8), accounts: topic(1) };
        for record in [
            ControlRecord::Home(home),
            ControlRecord::Agent(Box::new(agent)),
            ControlRecord::Entity(entity),
            ControlRecord::Connection(accepted),
            ControlRecord::Connection(blocked),
        ] {
            assert_eq!(ControlRecord::from_bytes(&record.to_bytes()), Ok(record));
        }
    }
}

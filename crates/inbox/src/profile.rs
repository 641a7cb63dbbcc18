//! HCS-11 profiles: what an agent or a person says about itself in public.

use crate::fields::{FieldFault, Fields};
use crate::limits::CAPABILITIES_MAX;
use brainstem_ledger::{AccountId, TopicId};
use serde_json::{Value, json};

/// What an agent can do, as the standard numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Capability(u8);

/// A capability code that the standard does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no capability of HCS-11, whose codes are 0 to 18")]
pub struct CapabilityFault(pub u64);

/// The names of the codes, from 0 on.
const NAMES: [&str; 19] = [
    "text generation",
    "image generation",
    "audio generation",
    "video generation",
    "code generation",
    "language translation",
    "summarization and extraction",
    "knowledge retrieval and reasoning",
    "data integration and visualization",
    "market intelligence",
    "transaction analytics",
    "smart contract audit",
    "governance facilitation",
    "security monitoring",
    "compliance analysis",
    "fraud detection",
    "multi-agent coordination",
    "API integration",
    "workflow automation",
];

impl Capability {
    /// Generates code.
    pub const CODE_GENERATION: Self = Self(4);
    /// Coordinates agents.
    pub const MULTI_AGENT_COORDINATION: Self = Self(16);
    /// Automates workflows.
    pub const WORKFLOW_AUTOMATION: Self = Self(18);

    /// The capability of a code; refuses a code that the standard does not have.
    pub fn new(code: u64) -> Result<Self, CapabilityFault> {
        let known = u8::try_from(code).ok().filter(|code| usize::from(*code) < NAMES.len());
        known.map(Self).ok_or(CapabilityFault(code))
    }

    /// Its code.
    pub fn code(self) -> u8 {
        self.0
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0)]
    }

    /// What an agent of a role can do.
    pub fn of_role(role: Option<&str>) -> Vec<Self> {
        match role {
            Some("orchestrator") => vec![Self::MULTI_AGENT_COORDINATION, Self::WORKFLOW_AUTOMATION],
            Some("engine") => vec![Self::WORKFLOW_AUTOMATION],
            Some(_) | None => vec![Self::CODE_GENERATION],
        }
    }
}

/// A profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hcs11Profile {
    /// The name that others see.
    pub display_name: String,
    /// Its id across networks (HCS-14).
    pub uaid: String,
    /// What it can do; `None` for a person.
    pub ai_agent: Option<AiAgent>,
    /// The topic on which it gets messages.
    pub inbound: TopicId,
    /// The topic on which it speaks.
    pub outbound: TopicId,
}

/// What an agent that is a program says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AiAgent {
    /// Whether it acts on its own.
    pub is_autonomous: bool,
    /// Its model.
    pub model: String,
    /// What it can do.
    pub capabilities: Vec<Capability>,
}

/// The version of the standard that profiles are written in.
const VERSION: &str = "1.0";

impl Hcs11Profile {
    /// The id across networks of an account of this home.
    pub fn uaid_of(account: AccountId, inbound: TopicId) -> String {
        format!("uaid:did:brainstem:{account};uid={inbound}@{account};proto=hcs-10;nativeId={account}")
    }

    /// Writes the profile.
    pub fn to_json(&self) -> Value {
        let mut profile = json!({
            "version": VERSION,
            "type": u8::from(self.ai_agent.is_some()),
            "display_name": self.display_name,
            "uaid": self.uaid,
        });
        let fields = profile.as_object_mut().expect("it was made as an object");
        if let Some(AiAgent { is_autonomous, model, capabilities }) = &self.ai_agent {
            let codes: Vec<u8> = capabilities.iter().map(|capability| capability.code()).collect();
            let agent = json!({"type": u8::from(*is_autonomous), "model": model, "capabilities": codes});
            fields.insert("aiAgent".to_owned(), agent);
        }
        fields.insert("inboundTopicId".to_owned(), self.inbound.to_string().into());
        fields.insert("outboundTopicId".to_owned(), self.outbound.to_string().into());
        profile
    }

    /// Reads a profile, or says which field breaks which rule.
    pub fn from_json(value: &Value) -> Result<Self, FieldFault> {
        let fields = Fields::of("hcs11_profile", value)?;
        let ai_agent = match fields.number("type")? {
            0 => None,
            1 => Some(ai_agent(Fields::of("aiAgent", fields.0.get("aiAgent").unwrap_or(&Value::Null))?)?),
            _ => return Err(FieldFault::new("type", "is neither 0 (a person) nor 1 (an agent)")),
        };
        let uaid = fields.text("uaid")?;
        if !["uaid:did:", "uaid:aid:"].iter().any(|start| uaid.starts_with(start)) {
            return Err(FieldFault::new("uaid", "begins with neither uaid:did: nor uaid:aid:"));
        }
        fields.text("version")?;
        Ok(Self {
            display_name: fields.text("display_name")?.to_owned(),
            uaid: uaid.to_owned(),
            ai_agent,
            inbound: fields.parsed("inboundTopicId", str::parse)?,
            outbound: fields.parsed("outboundTopicId", str::parse)?,
        })
    }
}

fn ai_agent(fields: Fields<'_>) -> Result<AiAgent, FieldFault> {
    let refused = |error: CapabilityFault| FieldFault::new("capabilities", format!("is refused: {error}"));
    let codes = fields.get("capabilities").and_then(Value::as_array);
    let codes = codes.filter(|codes| codes.len() <= CAPABILITIES_MAX);
    let codes = codes.ok_or_else(|| FieldFault::new("capabilities", "is no short list of codes"))?;
    let code = |value: &Value| {
        let code =
            value.as_u64().ok_or_else(|| FieldFault::new("capabilities", "has a code that is no number"))?;
        Capability::new(code).map_err(refused)
    };
    Ok(AiAgent {
        is_autonomous: fields.number("type")? == 1,
        model: fields.text("model")?.to_owned(),
        capabilities: codes.iter().map(code).collect::<Result<_, _>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(num: u64) -> TopicId {
        TopicId::local(num).unwrap()
    }

    #[test] // spec: INB-3
    fn a_profile_is_the_documents_example_with_a_uaid() {
        let account = AccountId::local(9).unwrap();
        let capabilities = [4, 16, 18].map(|code| Capability::new(code).unwrap()).to_vec();
        let ai_agent = Some(AiAgent { is_autonomous: true, model: "m".into(), capabilities });
        let profile = Hcs11Profile {
            display_name: "Maker".into(),
            uaid: Hcs11Profile::uaid_of(account, topic(7)),
            ai_agent,
            inbound: topic(7),
            outbound: topic(8),
        };
        let written = profile.to_json();
        assert_eq!(
            written,
            json!({
                "version": "1.0", "type": 1, "display_name": "Maker",
                "uaid": "uaid:did:brainstem:0.0.9;uid=0.0.7@0.0.9;proto=hcs-10;nativeId=0.0.9",
                "aiAgent": {"type": 1, "model": "m", "capabilities": [4, 16, 18]},
                "inboundTopicId": "0.0.7", "outboundTopicId": "0.0.8",
            })
        );
        assert_eq!(Hcs11Profile::from_json(&written), Ok(profile.clone()));
        let person = Hcs11Profile { ai_agent: None, ..profile };
        assert_eq!(person.to_json()["type"], 0);
        assert!(person.to_json().get("aiAgent").is_none());
        assert_eq!(Hcs11Profile::from_json(&person.to_json()), Ok(person));
    }

    #[test] // spec: INB-3
    fn a_capability_that_the_standard_does_not_have_is_refused() {
        assert_eq!(Capability::new(18).map(Capability::name), Ok("workflow automation"));
        assert_eq!(Capability::new(19), Err(CapabilityFault(19)));
        let mut profile = json!({
            "version": "1.0", "type": 1, "display_name": "x", "uaid": "uaid:did:x",
            "aiAgent": {"type": 0, "model": "m", "capabilities": [4, 19]},
            "inboundTopicId": "0.0.7", "outboundTopicId": "0.0.8",
        });
        assert_eq!(Hcs11Profile::from_json(&profile).unwrap_err().field, "capabilities");
        profile["aiAgent"]["capabilities"] = json!([4]);
        profile.as_object_mut().unwrap().remove("uaid");
        assert_eq!(Hcs11Profile::from_json(&profile).unwrap_err().field, "uaid");
    }
}

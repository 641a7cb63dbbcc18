//! What a call said of its caller and its place, so that the calls that its refusal advises say it too.

use crate::caller::AGENT_ID;
use crate::schema::Object;
use crate::verb_directory::VerbDirectory;
use brainstem_base::next::VerbId;
use brainstem_claims::invisible_chars::is_invisible;
use brainstem_memory::without_secrets;
use serde_json::Value;

/// The field that names a box of mail.
const BOX: &str = "box";

/// What a call said of its caller and its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallerWords {
    agent_id: Option<String>,
    mail_box: Option<String>,
    brain: Option<String>,
}

impl CallerWords {
    /// What the fields of a call say.
    pub fn of(fields: &Object) -> Self {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        Self { agent_id: text(AGENT_ID), mail_box: text(BOX), brain: None }
    }

    /// The agent that the call names in its own field.
    pub(crate) fn agent_id(&self) -> Option<&str> {
        self.agent_id.as_deref()
    }

    /// The same call over REST, with this word as `?brain=`.
    pub fn in_brain(self, brain: Option<&str>) -> Self {
        Self { brain: brain.map(str::to_owned), ..self }
    }

    /// The same without the field that was refused: no advice is to repeat it.
    pub(crate) fn without(&self, refused: Option<&str>) -> Self {
        let kept = |name: &str, said: &Option<String>| said.clone().filter(|_| refused != Some(name));
        Self {
            agent_id: kept(AGENT_ID, &self.agent_id),
            mail_box: kept(BOX, &self.mail_box),
            brain: kept("brain", &self.brain),
        }
    }

    /// Whether an answer may show it: it holds no secret, and no character that a reader does not see.
    pub(crate) fn is_tellable(&self) -> bool {
        let is_tellable = |text: &String| *text == without_secrets(text) && !text.contains(is_invisible);
        [&self.agent_id, &self.mail_box, &self.brain].into_iter().flatten().all(is_tellable)
    }

    /// The fields of it that a call of a verb has.
    pub(crate) fn fields(&self, verb: VerbId, verbs: &dyn VerbDirectory) -> Vec<(&'static str, &str)> {
        let mail_box =
            self.mail_box.as_deref().filter(|_| verbs.has_field(verb, BOX)).map(|name| (BOX, name));
        self.agent_id.as_deref().map(|agent| (AGENT_ID, agent)).into_iter().chain(mail_box).collect()
    }

    /// The word of `?brain=`, for a verb of which that is no field.
    pub(crate) fn brain(&self, verb: VerbId, verbs: &dyn VerbDirectory) -> Option<&str> {
        self.brain.as_deref().filter(|_| !verbs.has_own_brain(verb))
    }
}

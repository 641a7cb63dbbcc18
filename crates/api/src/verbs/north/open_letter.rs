//! An open letter, as a beat carries it.

use crate::verbs::letter::UNRECORDED;
use schemars::JsonSchema;
use serde::Serialize;

/// An open letter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpenLetter {
    /// Its id.
    pub id: String,
    /// What sort of letter.
    pub class: Option<String>,
    /// Its author.
    pub agent: Option<String>,
    /// What happened: data, not instruction.
    pub what: Option<String>,
    /// wet_ink or in_flight.
    pub state: String,
    /// Only the repository says that it was written, and by which agent: this home has no record of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
}

impl OpenLetter {
    /// Returns the words beside its writer if this home has no record of the letter; else an empty text.
    pub(crate) fn source_mark(&self) -> String {
        if self.unrecorded { format!(" ({})", UNRECORDED) } else { String::new() }
    }
}

impl From<brainstem_post::letters::LetterView> for OpenLetter {
    fn from(row: brainstem_post::letters::LetterView) -> Self {
        let (state, unrecorded, letter) = (row.state.as_str().to_owned(), row.unrecorded, row.letter);
        let (class, agent, what) = (letter.class, letter.agent, letter.what);
        Self { id: letter.id.to_string(), class, agent, what, state, unrecorded }
    }
}

//! A dispute: an agent that used a claim of the medulla calls it wrong, and no agent that decides about doctrine has
//! judged it since. A fold over the verdicts upon one version, stored nowhere.

use brainstem_base::{AgentId, Timestamp};
use brainstem_caller::identity::is_same_agent;
use brainstem_claims::Verdict;
use brainstem_claims::fence::value;
use brainstem_claims::trust::Voice;
use std::collections::HashMap;

/// The longest note that is shown beside a claim, in characters.
const NOTE_CHARS_MAX: usize = 120;

/// Agents that call a live claim of the medulla wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dispute {
    /// The last word of each of them, oldest first.
    pub(crate) wrong: Vec<Voice>,
}

/// Returns the agents that dispute a version: those whose last word on it is `wrong`, unless an orchestrator or a
/// person said since that it holds.
pub(crate) fn upon(voices: &[Voice]) -> Option<Dispute> {
    let mut last: Vec<&Voice> = Vec::new();
    for voice in voices {
        last.retain(|before| !is_same_agent(&before.agent, &voice.agent));
        last.push(voice);
    }
    last.sort_by(|a, b| (a.at, &a.act).cmp(&(b.at, &b.act)));
    let decides =
        |voice: &&&Voice| AgentId::parse(&voice.agent).is_ok_and(|agent| agent.may_write_doctrine());
    let upheld: Option<Timestamp> = last
        .iter()
        .filter(decides)
        .filter(|voice| voice.verdict == Verdict::Correct)
        .map(|voice| voice.at)
        .max();
    let is_open = |voice: &&&Voice| voice.verdict == Verdict::Wrong && upheld.is_none_or(|at| voice.at > at);
    let wrong: Vec<Voice> = last.iter().filter(is_open).map(|voice| (*voice).clone()).collect();
    (!wrong.is_empty()).then_some(Dispute { wrong })
}

impl Dispute {
    /// Whether another agent than this one calls it wrong, too. An imported verdict is its
    /// importer's word, and no second voice.
    pub(crate) fn is_shared_by_another_than(&self, agent: &AgentId) -> bool {
        let is_another = |voice: &Voice| !is_same_agent(&voice.agent, agent.as_str());
        self.wrong.iter().any(|voice| is_another(voice) && voice.brought_by.is_none())
    }

    /// All of it in words, as a fact.
    pub(crate) fn words(&self) -> String {
        let who: Vec<String> = self.wrong.iter().map(|voice| value(&voice.agent)).collect();
        let note = self.wrong.iter().rev().find_map(|voice| voice.note.as_deref()).map(short);
        let note = note.map(|note| format!(": {note:?}")).unwrap_or_default();
        format!("disputed: {} found it wrong{note}", who.join(" and "))
    }
}

/// Returns the beginning of a note, cut to the length that a row shows.
pub(crate) fn short(note: &str) -> String {
    match note.char_indices().nth(NOTE_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &note[..at]),
        None => note.to_owned(),
    }
}

/// Returns the agents that call a version wrong, if all that judged it do so by now.
pub(crate) fn all_wrong(voices: &[Voice]) -> Option<Vec<String>> {
    let mut last: HashMap<&str, Verdict> = HashMap::new();
    for voice in voices {
        last.insert(&voice.agent, voice.verdict);
    }
    let mut agents: Vec<String> = last.keys().map(|agent| (*agent).to_owned()).collect();
    agents.sort_unstable();
    let is_wrong = !last.is_empty() && last.values().all(|verdict| *verdict == Verdict::Wrong);
    is_wrong.then_some(agents)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(agent: &str, at: i64, verdict: Verdict) -> Voice {
        Voice {
            agent: agent.into(),
            at: Timestamp::from_ms(at),
            act: format!("{agent}{at}"),
            verdict,
            note: Some(format!("note of {at}")),
            brought_by: None,
            is_foreign: false,
        }
    }

    #[test] // spec: MEM-34b
    fn a_claim_is_disputed_from_the_word_wrong_until_somebody_who_decides_upholds_it() {
        use Verdict::{Correct, Wrong};
        let who = |voices: &[Voice]| upon(voices).map(|found| found.words()).unwrap_or_default();
        assert_eq!(who(&[]), "");
        assert_eq!(who(&[voice("codex:maker", 1, Correct)]), "");
        assert_eq!(
            who(&[voice("codex:maker", 1, Wrong)]),
            "disputed: codex:maker found it wrong: \"note of 1\""
        );
        assert_eq!(
            who(&[voice("codex:maker", 1, Wrong), voice("codex:maker", 2, Correct)]),
            "",
            "it took that back"
        );
        let upheld = [voice("codex:maker", 1, Wrong), voice("human:ana", 2, Correct)];
        assert_eq!(who(&upheld), "", "a person upheld it");
        let by_a_maker = [voice("codex:maker", 1, Wrong), voice("claude:maker", 2, Correct)];
        assert!(!who(&by_a_maker).is_empty(), "a maker's word settles nothing");
        let anew = [voice("codex:maker", 3, Wrong), voice("human:ana", 2, Correct)];
        assert!(who(&anew).contains("codex:maker"), "said again since");
        let both = [voice("codex:maker", 1, Wrong), voice("claude:maker", 2, Wrong)];
        assert_eq!(who(&both), "disputed: codex:maker and claude:maker found it wrong: \"note of 2\"");
    }
}

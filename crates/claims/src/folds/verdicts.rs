//! What agents said about the versions of a store.

use super::names::NamesOnRecord;
use super::work;
use crate::act::{Act, Deed, VersionRef};
use crate::trust::Voice;
use crate::{ClaimSlug, Trust};
use brainstem_base::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;

/// The verdicts upon each version, under every name it had.
#[derive(Debug, Default)]
pub struct VersionVerdicts {
    /// By the key of each version ([`NamesOnRecord::key`]).
    heard: HashMap<VersionRef, HeardVerdicts>,
    names: Arc<NamesOnRecord>,
}

/// What was said of one version.
#[derive(Debug, Default)]
struct HeardVerdicts {
    voices: Vec<Voice>,
    trust: Option<Trust>,
}

impl VersionVerdicts {
    /// Folds acts, in whatever order a merge of two logs left them.
    pub fn of(acts: &[Act], names: &Arc<NamesOnRecord>) -> Self {
        let mut heard: HashMap<VersionRef, HeardVerdicts> = HashMap::new();
        for act in acts {
            let Some((version, voice)) = voice(act) else { continue };
            work::step();
            heard.entry(names.key(version).clone()).or_default().voices.push(voice);
        }
        for HeardVerdicts { voices, trust } in heard.values_mut() {
            voices.sort_by(|a, b| (a.at, &a.act).cmp(&(b.at, &b.act)));
            *trust = Trust::of(&*voices);
        }
        Self { heard, names: names.clone() }
    }

    fn heard(&self, id: &str, created: Option<Timestamp>) -> Option<&HeardVerdicts> {
        self.heard.get(self.names.key(&VersionRef::new(&ClaimSlug::parse(id)?, created)))
    }

    /// What was said of a version, oldest first.
    pub fn upon(&self, id: &str, created: Option<Timestamp>) -> &[Voice] {
        self.heard(id, created).map_or(&[], |heard| &heard.voices)
    }

    /// How far a version is trusted; `None` for one without a verdict.
    pub fn trust(&self, id: &str, created: Option<Timestamp>) -> Option<Trust> {
        self.heard(id, created)?.trust
    }

    /// Every version that was judged, under each of its names, with what was said of it.
    pub fn all(&self) -> impl Iterator<Item = (VersionRef, &[Voice])> {
        self.heard.iter().flat_map(|(version, heard)| {
            self.names.versions(version).map(|name| (name, heard.voices.as_slice()))
        })
    }
}

/// The verdict of an act, and its version; `None` for an unknown word, or an act without a time.
fn voice(act: &Act) -> Option<(&VersionRef, Voice)> {
    let Deed::Learn { upon, verdict, note } = act.deed() else { return None };
    let voice = Voice {
        agent: act.agent().to_owned(),
        at: act.time()?,
        act: act.id().to_string(),
        verdict: verdict.as_ref()?.verdict()?,
        note: note.clone(),
        brought_by: act.brought_by().map(str::to_owned),
        is_foreign: act.is_foreign(),
    };
    Some((upon.version()?, voice))
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::{renamed, version};
    use super::*;
    use crate::act::{Judgement, Mention};
    use brainstem_base::AgentId;

    fn judged(text: &str, agent: &str, at: i64, verdict: &str) -> Act {
        let (agent, at) = (AgentId::parse(agent).unwrap(), Timestamp::from_ms(at));
        let upon = Mention::said(version(text), &agent, at);
        Act::new(Deed::Learn { upon, verdict: Some(Judgement::read(verdict)), note: None }, &agent, at)
    }

    #[test] // spec: MEM-33, MEM-48
    fn a_verdict_is_upon_one_version_and_follows_it_to_its_new_name() {
        let acts = [
            judged("cache@5", "codex:maker", 6, "wrong"),
            renamed("cache@5", "store", 9),
            judged("store@5", "human:ana", 10, "wrong"),
            judged("cache@7", "human:ana", 8, "correct"),
            judged("odd", "human:ana", 8, "certainly"),
        ];
        let at = |ms| Some(Timestamp::from_ms(ms));
        for turn in 0..acts.len() {
            let mut acts = acts.to_vec();
            acts.rotate_left(turn);
            let voices = VersionVerdicts::of(&acts, &Arc::new(NamesOnRecord::of(&acts)));
            assert_eq!(voices.upon("store", at(5)).len(), 2);
            assert_eq!(voices.upon("cache", at(5)).len(), 2);
            assert_eq!(voices.trust("store", at(5)).unwrap().value(), 0.25);
            assert!(voices.trust("cache", at(7)).unwrap().value() > 0.6, "the next version is its own");
            assert_eq!(voices.trust("store", at(7)), None);
            assert_eq!(voices.trust("odd", None), None, "a word that is no verdict is none");
        }
    }
}

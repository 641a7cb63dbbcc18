//! The verdicts of a store, as its acts have them: who said what of which version.

use crate::delegation::audit::{self, DEBRIEF, DEBRIEFED, DELEGATE, Standing};
use crate::promotion::dispute::{self, Dispute};
use crate::promotion::propose::{PROPOSAL_ACTS, Proposed};
use crate::reading::row::Row;
use crate::reading::shared_rows::Promoted;
use crate::record::provenance::{Accounts, EXPLAINING, brought_by};
use crate::record::retracted_apart::Retractions;
use crate::service::Memory;
use brainstem_base::Timestamp;
use brainstem_base::disk::Print;
use brainstem_claims::lifecycle::Place;
use brainstem_claims::trust::Voice;
use brainstem_claims::{Trust, Verdict};
use brainstem_vault::came_back::Renames;
use brainstem_vault::rename::RENAME;
use brainstem_vault::store::RETRACT;
use brainstem_vault::{Act, Store, StoreError};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The act of judging a version.
pub(crate) const LEARN: &str = "learn";

/// What was said of the versions of one store, and which of them an act explains.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    by_slug: HashMap<String, Vec<Judged>>,
    accounts: Accounts,
    promotions: Vec<Promoted>,
    proposals: Vec<Proposed>,
    retractions: Retractions,
    renames: Renames,
    /// When those run out that were given out and not debriefed; those whose debrief was cut off never do.
    waiting: Vec<Option<Timestamp>>,
    /// The names that a version had beside each of its names.
    renamed: HashMap<(String, Option<i64>), Vec<String>>,
}

/// What was said of one version.
#[derive(Debug)]
struct Judged {
    created: Option<i64>,
    voices: Vec<Voice>,
    trust: Option<Trust>,
}

/// The verdicts of the stores this process asked, each with the prints of the logs they were read from.
pub(crate) type Read = Arc<Mutex<HashMap<PathBuf, (Prints, Arc<Verdicts>)>>>;

/// The print of a store's log, and that of the one under the home of a store in a repository.
type Prints = Vec<Option<Print>>;

impl Verdicts {
    /// What the acts say of live files that came back under an old name.
    pub(crate) fn renames(&self) -> &Renames {
        &self.renames
    }

    /// Every name that a version has or had, the one given first.
    pub(crate) fn names_of(&self, slug: &str, created: Option<i64>) -> Vec<String> {
        let mut names = vec![slug.to_owned()];
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            let beside = self.renamed.get(&(name, created)).into_iter().flatten();
            let new: Vec<String> = beside.filter(|name| !names.contains(name)).cloned().collect();
            names.extend(new);
            at += 1;
        }
        names
    }

    /// Folds acts, in whatever order a merge of two logs left them.
    pub(crate) fn of(acts: &[Act]) -> Self {
        let names = Names::of(acts);
        let mut verdicts = Self {
            accounts: Accounts::of(acts, &names),
            promotions: Promoted::all(acts),
            proposals: Proposed::all(acts),
            retractions: Retractions::of(acts, &names),
            renames: Renames::of(acts),
            waiting: waiting(acts),
            renamed: names.owned(),
            ..Self::default()
        };
        for act in acts.iter().filter(|act| act.act == LEARN) {
            let Some(voice) = voice(act) else { continue };
            let (slug, created) = version(&act.subject);
            for name in names.of_version(slug, created) {
                let judged = verdicts.by_slug.entry(name).or_default();
                match judged.iter_mut().find(|judged| judged.created == created) {
                    Some(judged) => judged.voices.push(voice.clone()),
                    None => judged.push(Judged { created, voices: vec![voice.clone()], trust: None }),
                }
            }
        }
        for judged in verdicts.by_slug.values_mut().flatten() {
            judged.voices.sort_by(|a, b| (a.at, &a.act).cmp(&(b.at, &b.act)));
            judged.trust = Trust::of(&judged.voices);
        }
        verdicts
    }

    fn judged(&self, id: &str, created: Option<Timestamp>) -> Option<&Judged> {
        let created = created.map(Timestamp::ms);
        self.by_slug.get(id)?.iter().find(|judged| judged.created == created)
    }

    /// Says of a row what the record says of its version: how far it is trusted, who disputes it, whether an act
    /// explains it, and who brought it in.
    pub(crate) fn mark(&self, place: Place, row: &mut Row) {
        row.trust = self.trust(&row.id, row.created);
        let imported = self.accounts.brought(&row.id, &row.claim);
        let brought: Vec<String> = row.brought.take().into_iter().chain(imported).collect();
        row.brought = (!brought.is_empty()).then(|| brought.join("; "));
        if place == Place::Medulla {
            row.disputed = dispute::upon(self.voices(&row.id, row.created)).map(|dispute| dispute.words());
            if !self.accounts.explain(&row.id, &row.claim) {
                row.unaccounted();
            }
        }
    }

    /// How far a version is trusted; `None` where nobody judged it.
    pub(crate) fn trust(&self, id: &str, created: Option<Timestamp>) -> Option<Trust> {
        self.judged(id, created)?.trust
    }

    /// Which versions an act explains.
    pub(crate) fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    /// What was promoted into this store.
    pub(crate) fn promotions(&self) -> &[Promoted] {
        &self.promotions
    }

    /// What was proposed in this store.
    pub(crate) fn proposals(&self) -> &[Proposed] {
        &self.proposals
    }

    /// What was retracted in this store.
    pub(crate) fn retractions(&self) -> &Retractions {
        &self.retractions
    }

    /// How many delegations wait for a debrief.
    pub(crate) fn open_delegations(&self, now: Timestamp) -> usize {
        self.waiting.iter().filter(|until| until.is_none_or(|until| now <= until)).count()
    }

    /// The ids of which somebody judged a version.
    pub(crate) fn judged_ids(&self) -> impl Iterator<Item = &str> {
        self.by_slug.keys().map(String::as_str)
    }

    /// The versions that are disputed, by their ids and births.
    pub(crate) fn disputed(&self) -> impl Iterator<Item = (&str, Option<i64>, Dispute)> {
        self.by_slug.iter().flat_map(|(id, judged)| {
            judged
                .iter()
                .filter_map(|judged| Some((id.as_str(), judged.created, dispute::upon(&judged.voices)?)))
        })
    }

    /// What was said of a version, oldest first.
    pub(crate) fn voices(&self, id: &str, created: Option<Timestamp>) -> &[Voice] {
        self.judged(id, created).map_or(&[], |judged| &judged.voices)
    }
}

fn waiting(acts: &[Act]) -> Vec<Option<Timestamp>> {
    // Which of them have run out is for who asks: this is kept until the log changes.
    let all = audit::fold(acts, Timestamp::from_ms(0)).into_iter();
    all.filter_map(|delegation| match delegation.standing {
        Standing::Open => Some(Some(delegation.expires_at)),
        Standing::Unfinished => Some(None),
        Standing::Expired | Standing::Closed => None,
    })
    .collect()
}

/// Which names a version had: a claim that is renamed stays the same version.
pub(crate) struct Names<'a>(HashMap<(&'a str, Option<i64>), Vec<&'a str>>);

impl<'a> Names<'a> {
    pub(crate) fn of(acts: &'a [Act]) -> Self {
        let mut beside: HashMap<_, Vec<&str>> = HashMap::new();
        for act in acts.iter().filter(|act| act.act == RENAME) {
            let (from, _) = version(&act.subject);
            let created = act.data["created"].as_i64();
            if let Some(to) = act.data["to_slug"].as_str() {
                beside.entry((from, created)).or_default().push(to);
                beside.entry((to, created)).or_default().push(from);
            }
        }
        Self(beside)
    }

    fn owned(&self) -> HashMap<(String, Option<i64>), Vec<String>> {
        let owned = |name: &&str| (*name).to_owned();
        self.0
            .iter()
            .map(|((slug, created), names)| ((owned(slug), *created), names.iter().map(owned).collect()))
            .collect()
    }

    pub(crate) fn of_version(&self, slug: &'a str, created: Option<i64>) -> HashSet<String> {
        let mut names = HashSet::from([slug.to_owned()]);
        let mut ahead = vec![slug];
        while let Some(name) = ahead.pop() {
            let beside = self.0.get(&(name, created)).into_iter().flatten();
            ahead.extend(beside.filter(|name| names.insert((**name).to_owned())).copied());
        }
        names
    }
}

/// The slug and the birth in the subject of an act: `<slug>[@<ms>[#n]] …`.
pub(crate) fn version(subject: &str) -> (&str, Option<i64>) {
    let word = subject.split(' ').next().unwrap_or(subject);
    match word.split_once('@') {
        Some((slug, ms)) => (slug, ms.split('#').next().and_then(|ms| ms.parse().ok())),
        None => (word, None),
    }
}

fn voice(act: &Act) -> Option<Voice> {
    Some(Voice {
        agent: act.agent.clone(),
        at: Timestamp::parse_rfc3339(&act.ts)?,
        act: act.id.clone(),
        verdict: Verdict::parse(act.data["verdict"].as_str()?)?,
        note: act.data["note"].as_str().map(str::to_owned),
        brought_by: brought_by(act).map(str::to_owned),
        is_foreign: act.is_foreign,
    })
}

impl Memory {
    /// The verdicts of a store. Its log is read again only when it has changed.
    pub(crate) fn verdicts(&self, store: &Store) -> Result<Arc<Verdicts>, StoreError> {
        let log = store.acts();
        // Looked at before it is read: what is appended meanwhile is read the next time.
        let prints: Prints = store.logs().iter().map(|log| log.print()).collect();
        let is_seen = prints.first().is_some_and(Option::is_some);
        let path = &store.paths().acts;
        if is_seen
            && let Some((read, verdicts)) = self.read().get(path)
            && *read == prints
        {
            return Ok(verdicts.clone());
        }
        let names: Vec<&str> = [LEARN, RENAME, RETRACT, DELEGATE, DEBRIEF, DEBRIEFED]
            .iter()
            .chain(EXPLAINING)
            .chain(PROPOSAL_ACTS)
            .copied()
            .collect();
        let verdicts = Arc::new(Verdicts::of(&log.named(&names)?));
        if is_seen {
            self.read().insert(path.clone(), (prints, verdicts.clone()));
        }
        Ok(verdicts)
    }

    fn read(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, (Prints, Arc<Verdicts>)>> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::AgentId;
    use serde_json::json;

    fn judged(slug: &str, agent: &str, at: i64, verdict: &str) -> Act {
        let agent = AgentId::parse(agent).unwrap();
        let subject = format!("{slug} by:{agent}:{at}");
        Act::once(LEARN, &subject, &agent, Timestamp::from_ms(at), json!({ "verdict": verdict }))
    }

    fn renamed(from: &str, to: &str, created: i64) -> Act {
        let agent = AgentId::parse("human:ana").unwrap();
        let data = json!({ "from": from, "to": to, "to_slug": to, "created": created });
        Act::once(RENAME, &format!("{from}@{created}"), &agent, Timestamp::from_ms(9), data)
    }

    #[test] // spec: MEM-33, MEM-48
    fn a_verdict_is_upon_one_version_and_follows_it_to_its_new_name() {
        let acts = [
            judged("cache@5", "codex:maker", 6, "wrong"),
            renamed("cache", "store", 5),
            judged("store@5", "human:ana", 10, "wrong"),
            judged("cache@7", "human:ana", 8, "correct"),
            judged("odd", "human:ana", 8, "certainly"),
        ];
        let at = |ms| Some(Timestamp::from_ms(ms));
        for turn in 0..acts.len() {
            let mut acts = acts.to_vec();
            acts.rotate_left(turn);
            let verdicts = Verdicts::of(&acts);
            assert_eq!(verdicts.voices("store", at(5)).len(), 2);
            assert_eq!(verdicts.voices("cache", at(5)).len(), 2);
            assert_eq!(verdicts.trust("store", at(5)).unwrap().value(), 0.25);
            assert!(verdicts.trust("cache", at(7)).unwrap().value() > 0.6, "the next version is its own");
            assert_eq!(verdicts.trust("store", at(7)), None);
            assert_eq!(verdicts.trust("odd", None), None, "a word nobody knows is no verdict");
        }
    }
}

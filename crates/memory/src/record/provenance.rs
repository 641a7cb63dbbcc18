//! Which acts there are around the medulla, and which of its live versions they explain.

use crate::error::MemoryError;
use crate::record::verdicts::{Names, version};
use crate::service::{Caller, Memory};
use crate::writing::memorize::Target;
use brainstem_base::{AgentId, Timestamp};
use brainstem_claims::fence::value;
use brainstem_claims::lifecycle::Place;
use brainstem_claims::merge::says_the_same;
use brainstem_claims::promotion::on;
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::Act;
use brainstem_vault::store::{Live, subject};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};

/// A claim was born in the medulla.
pub(crate) const DOCTRINE: &str = "doctrine";
/// A project's claim was copied into the medulla. The subject is the copy.
pub(crate) const PROMOTE: &str = "promote";
/// Somebody thinks that a project's claim is for every project. Recorded in the project.
pub(crate) const PROPOSE: &str = "propose";
/// Somebody who may promote decided against what was proposed. Recorded in the project.
pub(crate) const DECLINE: &str = "decline";
/// Who proposed it thinks so no longer. Recorded in the project.
pub(crate) const WITHDRAW: &str = "withdraw";
/// A copy left the medulla because something else took its place.
pub(crate) const DEMOTE: &str = "demote";
/// Somebody did what is by etiquette for others.
pub(crate) const VIOLATION: &str = "etiquette_violation";
/// A version was taken over from elsewhere. The act's agent is the importer.
pub(crate) const IMPORT: &str = "import";
/// The field of an imported act's data that names its importer and the time of the import.
const IMPORTED: &str = "imported";

/// The acts after which a version may be live in the medulla. A migration brings nothing into it: what came
/// back by a rollback is as well explained as it was before.
pub(crate) const EXPLAINING: &[&str] = &[DOCTRINE, PROMOTE, IMPORT, "affirm", "resolve"];
/// Those after which a version may say of itself that it was promoted: who brings a file in is on record for
/// that, and not for what its header says.
const PROMOTING: &[&str] = &[PROMOTE, "resolve"];

/// The act as it is recorded by an import: what it says, with its importer and the time.
pub(crate) fn imported(act: &Act, by: &AgentId, at: Timestamp) -> Act {
    let mut data = match act.data.clone() {
        Value::Object(fields) => fields,
        Value::Null => Map::new(),
        other => Map::from_iter([("value".to_owned(), other)]),
    };
    let mut mark = json!({ "by": by.as_str(), "at": at.to_rfc3339() });
    if let Some(before) = data.get(IMPORTED) {
        mark["before"] = before.clone();
    }
    data.insert(IMPORTED.to_owned(), mark);
    Act { data: Value::Object(data), ..act.clone() }
}

/// The importer of an act; `None` for an act of this home.
pub(crate) fn brought_by(act: &Act) -> Option<&str> {
    act.data[IMPORTED]["by"].as_str()
}

/// Whether what an act says of doctrine and of promotions counts. An imported act is its importer's word, and counts
/// where that agent may write doctrine itself.
pub(crate) fn counts(act: &Act) -> bool {
    match brought_by(act) {
        Some(by) => AgentId::parse(by).is_ok_and(|by| by.may_write_doctrine()),
        None => act.data[IMPORTED].is_null(),
    }
}

/// The versions of one store that an act explains.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    explained: HashSet<(String, Option<i64>)>,
    promoted: HashSet<(String, Option<i64>)>,
    /// The importers of versions, with the time of the import.
    brought: HashMap<(String, Option<i64>), (String, Option<Timestamp>)>,
}

impl Accounts {
    /// Folds acts; a version that was renamed is explained under its new name, too.
    pub(crate) fn of(acts: &[Act], names: &Names<'_>) -> Self {
        let versions = |kinds: &[&str]| {
            let explaining = acts.iter().filter(|act| kinds.contains(&act.act.as_str()) && counts(act));
            // A decision between two versions names both.
            let versions = explaining.flat_map(|act| act.subject.split(' ').map(version));
            let named = versions.flat_map(|(slug, created)| {
                names.of_version(slug, created).into_iter().map(move |name| (name, created))
            });
            named.collect()
        };
        let mut brought = HashMap::new();
        for act in acts.iter().filter(|act| act.act == IMPORT) {
            let (slug, created) = version(&act.subject);
            for name in names.of_version(slug, created) {
                let who = || (act.agent.clone(), Timestamp::parse_rfc3339(&act.ts));
                brought.entry((name, created)).or_insert_with(who);
            }
        }
        Self { explained: versions(EXPLAINING), promoted: versions(PROMOTING), brought }
    }

    /// The importer of a version, in words; `None` where its author imported it.
    pub(crate) fn brought(&self, id: &str, claim: &Claim) -> Option<String> {
        let (by, at) = self.brought.get(&(id.to_owned(), claim.created.map(Timestamp::ms)))?;
        let is_other = claim.source_agent.as_ref() != Some(by);
        is_other.then(|| format!("imported by {} {}", value(by), on(*at)))
    }

    /// Whether an act says that a version is a promoted copy.
    pub(crate) fn has_copy(&self, id: &str, created: Option<i64>) -> bool {
        self.promoted.contains(&(id.to_owned(), created))
    }

    /// Whether an act explains a version, and what its header says of a promotion.
    pub(crate) fn explain(&self, id: &str, claim: &Claim) -> bool {
        let versions = if claim.origin_claim.is_some() { &self.promoted } else { &self.explained };
        versions.contains(&(id.to_owned(), claim.created.map(Timestamp::ms)))
    }
}

impl Memory {
    /// Records how claims came into the medulla that lay there before this import and that no act explains. What the
    /// import itself brings is on record before it is taken.
    pub(crate) fn account_for(
        &self,
        caller: &Caller,
        target: &Target,
        brought: &[Claim],
    ) -> Result<(), MemoryError> {
        if target.place != Place::Medulla || brought.is_empty() {
            return Ok(());
        }
        let verdicts = self.verdicts(&target.store)?;
        let (agent, now) = (&caller.principal.agent, self.clock.now());
        let mut acts = Vec::new();
        for claim in brought {
            let Ok(label) = Label::parse(&claim.label) else { continue };
            let slug = ClaimSlug::of(&label);
            if let Live::Claim(live) = target.store.live(&slug)
                && says_the_same(&live, claim)
                && !verdicts.accounts().explain(slug.as_str(), &live)
            {
                let version = subject(&slug, &live);
                if !agent.may_write_doctrine() {
                    let data = json!({ "rule": "MEM-10" });
                    acts.push(Act::once(VIOLATION, &format!("{IMPORT} {version}"), agent, now, data));
                }
                // That it was promoted is believed where an act says so.
                acts.push(Act::once(IMPORT, &version, agent, now, json!({})));
            }
        }
        Ok(target.store.acts().record_all(&acts)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::AgentId;
    use brainstem_vault::rename::RENAME;

    #[test] // spec: MEM-35, MEM-3a
    fn a_version_is_explained_by_its_act_under_every_name_it_had() {
        let ana = AgentId::parse("human:ana").unwrap();
        let act = |act: &str, subject: &str, data| Act::once(act, subject, &ana, Timestamp::from_ms(9), data);
        let acts = [
            act(DOCTRINE, "cache@5", json!({})),
            act(RENAME, "cache@5", json!({ "to_slug": "store", "created": 5 })),
            act(PROMOTE, "retry@7", json!({})),
            act(IMPORT, "file@8", json!({})),
            act("resolve", "port@1 port@2", json!({})),
            act("learn", "queue@3 by:human:ana:4", json!({ "verdict": "correct" })),
        ];
        let accounts = Accounts::of(&acts, &Names::of(&acts));
        let claim = |created: &str, header: &str| {
            let text = format!(
                "---\nProtocol: L1GHT/1.0\nNode: x\nState: authored\n{created}{header}---\n\n# x\n\nText.\n"
            );
            Claim::parse(text.as_bytes()).unwrap()
        };
        let of = |ms: i64, header: &str| claim(&format!("Created: {ms}\n"), header);
        let is = |id: &str, ms| accounts.explain(id, &of(ms, ""));
        assert!(is("cache", 5) && is("store", 5) && is("retry", 7) && is("port", 1) && is("port", 2));
        assert!(!is("cache", 6) && !is("queue", 3) && !is("retry", 5), "another version, or a mere verdict");
        assert!(!accounts.explain("cache", &claim("", "")));
        let copy = "Origin-Claim: cherry@0a1b2c3d#x\n";
        let is_promoted = |id: &str, ms| accounts.explain(id, &of(ms, copy));
        assert!(is_promoted("retry", 7) && is_promoted("port", 1));
        assert!(!is_promoted("cache", 5) && !is_promoted("file", 8), "no act says that it was promoted");
        assert!(is("file", 8), "who brought it in is on record");
    }
}

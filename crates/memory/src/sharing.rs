//! What became of the copy that a witness names: still shared, or un-shared, when, by whom and why.

use crate::account::{DEMOTE, PROMOTE};
use crate::service::Memory;
use crate::verdicts::{Names, version};
use brainstem_base::Timestamp;
use brainstem_claims::promotion::{copy_named, on};
use brainstem_claims::{Claim, ClaimSlug};
use brainstem_vault::rename::RENAME;
use brainstem_vault::store::{Live, RETRACT};
use brainstem_vault::{Act, Store};

/// How a witness stands to its copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// The copy, as the witness names it.
    pub copy: String,
    /// When it was promoted.
    pub since: Timestamp,
    /// When it left the medulla; `None` while it is there.
    pub unshared: Option<Unshared>,
    /// It is the copy of a version before the one that is live.
    pub of_earlier: bool,
}

/// A copy is no longer in the medulla.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unshared {
    /// When; `None` where no act says it.
    pub at: Option<Timestamp>,
    /// Who took it out.
    pub by: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

impl Sharing {
    /// For people.
    pub fn sentence(&self) -> String {
        let Some(unshared) = &self.unshared else {
            let since = &on(Some(self.since))[3..];
            if self.of_earlier {
                return format!(
                    "an earlier version is shared with every project since {since}; promote again to share this one"
                );
            }
            return format!("shared with every project since {since}");
        };
        let Some(at) = unshared.at else {
            return format!("promoted {}, and not in the medulla of this home", on(Some(self.since)));
        };
        let by = unshared.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
        let reason = unshared.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        format!("un-shared {}{by}{reason}", on(Some(at)))
    }
}

impl Memory {
    /// What to know about a project's claim that was written while the medulla says something else under its label:
    /// what it said before, or what others say.
    pub(crate) fn said_otherwise(&self, origin: &str, slug: &ClaimSlug, new: &Claim) -> Option<String> {
        let Live::Claim(copy) = self.home.medulla().live(slug) else { return None };
        let is_its = copy.origin_claim.as_deref() == Some(format!("{origin}#{slug}").as_str());
        let says_it = (&copy.title, &copy.text) == (&new.title, &new.text);
        let told = match is_its {
            true => "a shared copy of what it said before is in the medulla: promote again to update it",
            false => {
                "the medulla says something else under this label: north shows both, show --tier medulla that one"
            }
        };
        (!says_it).then(|| told.to_owned())
    }

    /// What to know about a witness that is about to go while its copy stays.
    pub(crate) fn still_shared(&self, witness: &Claim) -> Option<String> {
        let sharing = self.sharing(witness)?;
        let told = "its copy in the medulla stays, and other projects are told of it: learn LABEL wrong --tier medulla takes it out";
        sharing.unshared.is_none().then(|| told.to_owned())
    }

    /// What became of the copy of a witness; `None` for a claim that was never promoted.
    pub(crate) fn sharing(&self, witness: &Claim) -> Option<Sharing> {
        let (slug, since) = copy_named(witness)?;
        let medulla = self.home.medulla();
        // A log that cannot be read says nothing about when and why.
        let acts = medulla.acts().named(&[RETRACT, DEMOTE, PROMOTE, RENAME]).unwrap_or_default();
        let names = Names::of(&acts).of_version(slug.as_str(), Some(since.ms()));
        let is_live = names.iter().any(|name| is_live_there(&medulla, name, since));
        let names: Vec<String> = names.into_iter().collect();
        let own = witness.origin_brain.as_deref();
        let unshared = (!is_live).then(|| unshared(&acts, &names, since, own));
        Some(Sharing { copy: witness.promoted_to.clone()?, since, unshared, of_earlier: false })
    }
}

fn is_live_there(medulla: &Store, name: &str, created: Timestamp) -> bool {
    ClaimSlug::parse(name).is_some_and(|slug| match medulla.live(&slug) {
        Live::Claim(copy) => copy.created == Some(created) && copy.origin_claim.is_some(),
        Live::Absent | Live::Unreadable(_) => false,
    })
}

fn unshared(acts: &[Act], names: &[String], since: Timestamp, own: Option<&str>) -> Unshared {
    let is_it = |text: &str| {
        let (slug, created) = version(text);
        created == Some(since.ms()) && names.iter().any(|name| name == slug)
    };
    let left = acts.iter().find(|act| match act.act.as_str() {
        RETRACT | DEMOTE => is_it(&act.subject),
        PROMOTE => act.data["replaces"].as_str().is_some_and(is_it),
        _ => false,
    });
    let reason = |act: &Act| match act.act.as_str() {
        PROMOTE => act.data["origin_claim"].as_str().map(|origin| {
            // Of this very brain, and the witness knows nothing of it: two clones have one id.
            let is_clone = origin.rsplit_once('#').is_some_and(|(brain, _)| Some(brain) == own);
            let clone = if is_clone { " from another clone of this project" } else { "" };
            format!("a promotion of {origin}{clone} took its place")
        }),
        _ => act.data["reason"].as_str().map(str::to_owned),
    };
    Unshared {
        at: left.and_then(|act| Timestamp::parse_rfc3339(&act.ts)),
        by: left.map(|act| act.agent.clone()),
        reason: left.and_then(reason),
    }
}

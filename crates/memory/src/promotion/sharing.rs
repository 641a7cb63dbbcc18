//! What became of the copy that a witness names: still shared, or un-shared, when, by whom and why.

use crate::record::provenance::{DEMOTE, PROMOTE};
use crate::record::verdicts::{Names, version};
use crate::service::Memory;
use brainstem_base::Timestamp;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_claims::promotion::{copy_named, on};
use brainstem_claims::{Claim, ClaimSlug, Label};
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
    /// Why nobody knows whether it is there: what lies under its name cannot be read.
    pub unread: Option<String>,
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

/// How a witness leaves its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// It stays in history.
    Retracted,
    /// Its text is deleted.
    Forgotten,
}

impl Sharing {
    /// Whether the copy is in the medulla.
    pub fn is_shared(&self) -> bool {
        self.unshared.is_none() && self.unread.is_none()
    }

    /// For people.
    pub fn sentence(&self) -> String {
        if let Some(why) = &self.unread {
            return format!(
                "promoted {}; its copy in the medulla cannot be read: {why}",
                on(Some(self.since))
            );
        }
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
            // Nothing but the stamp in its file says so, and that may have come with a repository.
            return format!(
                "its header says that it was promoted {}; no copy is in the medulla of this home",
                on(Some(self.since))
            );
        };
        let by = unshared.by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
        let reason = unshared.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        format!("un-shared {}{by}{reason}", on(Some(at)))
    }
}

impl Memory {
    /// What to know about a project's claim that was written while the medulla says something else under its label:
    /// what it said before, or what others say.
    pub(crate) fn said_otherwise(&self, origin: &str, slug: &ClaimSlug, new: &Claim) -> Option<Advice> {
        let Live::Claim(copy) = self.home.medulla().live(slug) else { return None };
        let is_its = copy.origin_claim.as_deref() == Some(format!("{origin}#{slug}").as_str());
        let says_it = (&copy.title, &copy.text) == (&new.title, &new.text);
        let told = match is_its {
            true => {
                "a shared copy of what it said before is in the medulla: promote again to update it".into()
            }
            false => advice![
                "the medulla says something else under this label: ",
                calls::north(),
                " shows both, ",
                calls::show_in(&new.label, "medulla"),
                " that one"
            ],
        };
        (!says_it).then_some(told)
    }

    /// What to know about a witness that is about to go while its copy stays, with the call that treats the copy alike.
    pub(crate) fn still_shared(&self, witness: &Claim, leaving: Leaving) -> Option<Advice> {
        let sharing = self.sharing(witness)?;
        if !sharing.is_shared() {
            return None;
        }
        let copy = self.copy_label(witness).unwrap_or_else(|| witness.label.clone());
        let call = match leaving {
            Leaving::Retracted => {
                advice![calls::learn_wrong(copy), " takes it out, and so does ", calls::consolidate_apply()]
            }
            Leaving::Forgotten => advice![calls::forget_for_good(copy, "medulla"), " deletes it for good"],
        };
        Some(advice!["its copy in the medulla stays, and every project still sees it: ", call])
    }

    /// The label that the live copy of a witness has in the medulla.
    fn copy_label(&self, witness: &Claim) -> Option<String> {
        let (slug, since) = copy_named(witness)?;
        let medulla = self.home.medulla();
        let acts = medulla.acts().named(&[RENAME]).unwrap_or_default();
        let names = Names::of(&acts).of_version(slug.as_str(), Some(since.ms()));
        let label = |name: &str| match medulla.live(&ClaimSlug::parse(name)?) {
            Live::Claim(copy) if copy.created == Some(since) => Some(copy.label),
            Live::Claim(_) | Live::Absent | Live::Unreadable(_) => None,
        };
        names.iter().find_map(|name| label(name))
    }

    /// What became of the copy of a witness; `None` for a claim that was never promoted.
    pub(crate) fn sharing(&self, witness: &Claim) -> Option<Sharing> {
        let (slug, since) = copy_named(witness)?;
        let medulla = self.home.medulla();
        // A log that cannot be read says nothing about when and why.
        let acts = medulla.acts().named(&[RETRACT, DEMOTE, PROMOTE, RENAME]).unwrap_or_default();
        let names = Names::of(&acts).of_version(slug.as_str(), Some(since.ms()));
        let names: Vec<String> = names.into_iter().collect();
        // Under its own name, what its own brain promoted and it knows nothing of came from a clone: two clones have
        // one id. Under a name that it has given away it was another claim.
        let slug = Label::parse(&witness.label).ok().map(|label| ClaimSlug::of(&label));
        let own = witness.origin_brain.as_deref().zip(slug).map(|(brain, slug)| format!("{brain}#{slug}"));
        let own = own.as_deref();
        let found = names.iter().map(|name| look(&medulla, name, since)).max().unwrap_or(Found::Absent);
        let left = unshared(&acts, &names, since, own);
        let (unshared, unread) = match found {
            Found::Live => (None, None),
            // What an act says is known, whatever lies there now.
            Found::Unreadable(why) if left.at.is_none() => (None, Some(why)),
            Found::Unreadable(_) | Found::Absent => (Some(left), None),
        };
        Some(Sharing { copy: witness.promoted_to.clone()?, since, unshared, unread, of_earlier: false })
    }
}

/// What a look for a copy under one of its names found, the surest last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Absent,
    Unreadable(String),
    Live,
}

fn look(medulla: &Store, name: &str, created: Timestamp) -> Found {
    let Some(slug) = ClaimSlug::parse(name) else { return Found::Absent };
    match medulla.live(&slug) {
        Live::Claim(copy) if copy.created == Some(created) && copy.origin_claim.is_some() => Found::Live,
        Live::Claim(_) | Live::Absent => Found::Absent,
        Live::Unreadable(bad) => Found::Unreadable(format!("`{}`: {}", bad.path.display(), bad.why)),
    }
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
            let clone = if Some(origin) == own { " from another clone of this project" } else { "" };
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

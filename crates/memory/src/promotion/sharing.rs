//! What became of the copy that a witness names: still shared, or un-shared, with the time, the agent and the reason.

use crate::service::Memory;
use brainstem_base::Timestamp;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_claims::act::{ClaimRef, DeedKind, VersionRef};
use brainstem_claims::folds::names::NamesOnRecord;
use brainstem_claims::folds::sharing::Unshared;
use brainstem_claims::promotion::{copy_named, on};
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::Store;
use brainstem_vault::store::LiveFile;

/// What became of the copy of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// The copy, as the witness names it.
    pub copy: String,
    /// When it was promoted.
    pub since: Timestamp,
    /// When it left the medulla; `None` while it is there.
    pub unshared: Option<Unshared>,
    /// Why it is not known whether it is there: the file of its name cannot be read.
    pub unread: Option<String>,
    /// It is the copy of a version before the one that is live.
    pub of_earlier: bool,
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
        let LiveFile::Claim(copy) = self.home.medulla().live(slug) else { return None };
        let is_its = copy.origin_claim.as_deref() == Some(ClaimRef::new(origin, slug).as_str());
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

    /// What to know about a witness that is retracted or called wrong while its copy stays, with the call that treats the copy alike.
    pub(crate) fn still_shared(&self, witness: &Claim) -> Option<Advice> {
        let sharing = self.sharing(witness)?;
        if !sharing.is_shared() {
            return None;
        }
        let copy = self.copy_label(witness).unwrap_or_else(|| witness.label.clone());
        Some(advice![
            "its copy in the medulla stays, and every project still sees it: ",
            calls::learn_wrong(copy),
            " takes it out, and so does ",
            calls::consolidate_apply()
        ])
    }

    /// The label that the live copy of a witness has in the medulla.
    fn copy_label(&self, witness: &Claim) -> Option<String> {
        let (slug, since) = copy_named(witness)?;
        let medulla = self.home.medulla();
        let acts = medulla.acts().of_kinds(&[DeedKind::Rename]).unwrap_or_default();
        let names = NamesOnRecord::of(&acts).of_version(&VersionRef::new(&slug, Some(since)));
        let label = |name: &ClaimSlug| match medulla.live(name) {
            LiveFile::Claim(copy) if copy.created == Some(since) => Some(copy.label),
            LiveFile::Claim(_) | LiveFile::Absent | LiveFile::Unreadable(_) => None,
        };
        names.iter().find_map(label)
    }

    /// What became of the copy of a witness; `None` for a claim that was never promoted.
    pub(crate) fn sharing(&self, witness: &Claim) -> Option<Sharing> {
        let (slug, since) = copy_named(witness)?;
        let medulla = self.home.medulla();
        // A log that cannot be read says nothing about when and why.
        let kinds = [DeedKind::Retract, DeedKind::Demote, DeedKind::Promote, DeedKind::Rename];
        let acts = medulla.acts().of_kinds(&kinds).unwrap_or_default();
        let copy = VersionRef::new(&slug, Some(since));
        let names = NamesOnRecord::of(&acts).of_version(&copy);
        // Under its own name, what its own brain promoted and it knows nothing of came from a clone: two clones have
        // one id. Under a name that it has given away it was another claim.
        let slug = Label::parse(&witness.label).ok().map(|label| ClaimSlug::of(&label));
        let own = witness.origin_brain.as_deref().zip(slug).map(|(brain, slug)| ClaimRef::new(brain, &slug));
        let found =
            names.iter().map(|name| look(&medulla, name, since)).max().unwrap_or(MedullaCopyState::Absent);
        let left = Unshared::of(&acts, &copy, own.as_ref());
        let (unshared, unread) = match found {
            MedullaCopyState::Live => (None, None),
            // The act decides, whatever is there now.
            MedullaCopyState::Unreadable(why) if left.at.is_none() => (None, Some(why)),
            MedullaCopyState::Unreadable(_) | MedullaCopyState::Absent => (Some(left), None),
        };
        Some(Sharing { copy: witness.promoted_to.clone()?, since, unshared, unread, of_earlier: false })
    }
}

/// What a look for a copy under one of its names found, the surest last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum MedullaCopyState {
    Absent,
    Unreadable(String),
    Live,
}

fn look(medulla: &Store, slug: &ClaimSlug, created: Timestamp) -> MedullaCopyState {
    match medulla.live(slug) {
        LiveFile::Claim(copy) if copy.created == Some(created) && copy.origin_claim.is_some() => {
            MedullaCopyState::Live
        }
        LiveFile::Claim(_) | LiveFile::Absent => MedullaCopyState::Absent,
        LiveFile::Unreadable(bad) => {
            MedullaCopyState::Unreadable(format!("`{}`: {}", bad.path.display(), bad.why))
        }
    }
}

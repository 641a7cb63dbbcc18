//! What a deed was done to, and the id of the act that follows from it.

use super::{ActId, Deed, Mention};
use crate::ClaimSlug;
use brainstem_base::Timestamp;

impl Deed {
    /// What it was done to, in the form of a log.
    pub fn subject(&self) -> String {
        match self {
            Self::Bootstrap { brain, .. } => brain.to_string(),
            Self::Affirm { upon, .. }
            | Self::Doctrine { upon, .. }
            | Self::Retract { upon, .. }
            | Self::Learn { upon, .. }
            | Self::Promote { upon, .. }
            | Self::Propose { upon, .. }
            | Self::Decline { upon, .. }
            | Self::Withdraw { upon, .. }
            | Self::Demote { upon, .. }
            | Self::Import { upon }
            | Self::Rename { upon, .. }
            | Self::Migrate { upon, .. }
            | Self::MigrateIn { upon, .. }
            | Self::MigrateBack { upon, .. }
            | Self::Violation { verb: None, upon, .. } => upon.to_string(),
            Self::Violation { verb: Some(verb), upon, .. } => format!("{verb} {upon}"),
            Self::Forget { tombstone, .. } => tombstone.as_str().to_owned(),
            Self::Resolve { upon, .. } => upon.iter().map(Mention::as_str).collect::<Vec<_>>().join(" "),
            Self::MigrateBegin { migration }
            | Self::MigrateEnd { migration, .. }
            | Self::MigrateRollback { migration, .. } => migration.to_string(),
            Self::SweepRoot { brain, by, .. } | Self::UnsweepRoot { brain, by, .. } => {
                format!("{brain} {by}")
            }
            Self::TakeUp { brain, at_ms, .. } | Self::SetAside { brain, at_ms, .. } => {
                format!("{brain}@{at_ms}")
            }
            Self::BootSet { key, set_ms } | Self::BootDelete { key, set_ms } => format!("{key}@{set_ms}"),
            Self::Delegate { id, .. } | Self::Debrief { id, .. } | Self::Debriefed { id, .. } => {
                id.to_string()
            }
            Self::Unknown { subject, .. } => subject.clone(),
        }
    }

    /// The id of the act that records it. Two clones may give one version two names, so the new slug is part of a
    /// renaming's id.
    pub fn id(&self) -> ActId {
        match self {
            Self::Rename { upon, to_slug: Some(to_slug), .. } => {
                ActId::of(self.name(), &format!("{upon}\n{to_slug}"))
            }
            other => ActId::of(other.name(), &other.subject()),
        }
    }

    /// The id of the act that records it once more, at another time.
    pub fn id_again(&self, at: Timestamp) -> ActId {
        ActId::of(self.name(), &format!("{}\n{}", self.subject(), at.ms()))
    }

    /// The one version that it was done to; `None` if it was done to something else, or to several versions.
    pub fn upon(&self) -> Option<&Mention> {
        match self {
            Self::Affirm { upon, .. }
            | Self::Doctrine { upon, .. }
            | Self::Retract { upon, .. }
            | Self::Learn { upon, .. }
            | Self::Promote { upon, .. }
            | Self::Propose { upon, .. }
            | Self::Decline { upon, .. }
            | Self::Withdraw { upon, .. }
            | Self::Demote { upon, .. }
            | Self::Import { upon }
            | Self::Rename { upon, .. }
            | Self::Migrate { upon, .. }
            | Self::MigrateIn { upon, .. }
            | Self::MigrateBack { upon, .. } => Some(upon),
            Self::Bootstrap { .. }
            | Self::Forget { .. }
            | Self::Resolve { .. }
            | Self::MigrateBegin { .. }
            | Self::MigrateEnd { .. }
            | Self::MigrateRollback { .. }
            | Self::SweepRoot { .. }
            | Self::UnsweepRoot { .. }
            | Self::TakeUp { .. }
            | Self::SetAside { .. }
            | Self::BootSet { .. }
            | Self::BootDelete { .. }
            | Self::Delegate { .. }
            | Self::Debrief { .. }
            | Self::Debriefed { .. }
            | Self::Violation { .. }
            | Self::Unknown { .. } => None,
        }
    }

    /// The slug of the claim that it was done to; `None` if it was done to something else. All versions of a decision
    /// have one slug.
    pub fn slug(&self) -> Option<&ClaimSlug> {
        match self {
            Self::Resolve { upon, .. } => upon.first()?.slug(),
            Self::Violation { upon, .. } => upon.slug(),
            other => other.upon()?.slug(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::{ActVerb, VersionRef};

    fn cache() -> VersionRef {
        VersionRef::parse("cache@5").unwrap()
    }

    #[test] // spec: MEM-3c
    fn a_deed_done_again_has_the_same_id_and_a_renaming_has_one_of_its_own() {
        let retract = Deed::retract(cache(), "it was wrong");
        assert_eq!(retract.id(), ActId::of("retract", "cache@5"));
        assert_eq!(retract.id(), Deed::retract(cache(), "for another reason").id());
        assert_eq!(retract.id_again(Timestamp::from_ms(9)), ActId::of("retract", "cache@5\n9"));
        let rename = |to_slug: Option<&str>| Deed::Rename {
            upon: Mention::returned(cache(), 1),
            from: None,
            to: None,
            to_slug: to_slug.and_then(ClaimSlug::parse),
            created: None,
        };
        assert_eq!(rename(Some("store")).id(), ActId::of("rename", "cache@5#1\nstore"));
        assert_eq!(rename(None).id(), ActId::of("rename", "cache@5#1"));
    }

    #[test] // spec: MEM-35
    fn a_breach_names_its_verb_before_what_it_was_done_to() {
        let breach = Deed::violation(ActVerb::Retract, cache(), "MEM-33");
        assert_eq!(breach.subject(), "retract cache@5");
        assert_eq!(breach.name(), "etiquette_violation");
        assert_eq!(breach.slug(), Some(&cache().slug));
    }
}

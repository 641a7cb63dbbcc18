//! Everything that can be on record as done.
//!
//! A field is `None` where the line does not have it: another program or an earlier version of this one wrote the line,
//! or `forget` took the words away.

use super::ActId;
use super::reference::{BrainId, ClaimRef, Mention, MigrationRef, TombstoneRef};
use crate::delegation::{DelegationId, Outcome};
use crate::lineage::Lineage;
use crate::{ClaimSlug, Verdict};
use brainstem_base::Timestamp;
use std::fmt;

/// What was done.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// A brain was made.
    Bootstrap {
        /// The brain.
        brain: BrainId,
        /// Its name.
        name: Option<String>,
    },
    /// A claim that was there already was said again.
    Affirm {
        /// The version that says it again.
        upon: Mention,
        /// The agent in whose name it was said, where that is another one.
        said_by: Option<String>,
    },
    /// A claim was born in the medulla.
    Doctrine {
        /// Its version.
        upon: Mention,
        /// The agent in whose name it was said, where that is another one.
        said_by: Option<String>,
    },
    /// A claim was taken back.
    Retract {
        /// The version that went.
        upon: Mention,
        /// Why.
        reason: Option<String>,
        /// The verb that took it out of the medulla, where it was another one than `retract`.
        by: Option<Verb>,
        /// What `consolidate` found it to be.
        kind: Option<String>,
        /// The copy under a new name that took its place.
        successor: Option<Mention>,
        /// The versions that went with it; `None` where an older program did not say.
        covers: Option<Lineage>,
    },
    /// A version was judged.
    Learn {
        /// The version, with the agent and the time of the verdict.
        upon: Mention,
        /// The verdict.
        verdict: Option<Judgement>,
        /// What the agent found.
        note: Option<String>,
    },
    /// A project's claim was copied into the medulla.
    Promote {
        /// The copy.
        upon: Mention,
        /// Its label.
        label: Option<String>,
        /// The project's claim.
        origin: Option<ClaimRef>,
        /// When that was born.
        origin_created: Option<Timestamp>,
        /// Why.
        reason: Option<String>,
        /// On what ground.
        ground: Option<String>,
        /// The medulla's version before.
        replaces: Option<Mention>,
    },
    /// An agent proposed that a project's claim is for every project. Recorded in the project.
    Propose {
        /// The version, with the agent and the time of the proposal.
        upon: Mention,
        /// Its label.
        label: Option<String>,
        /// Why.
        reason: Option<String>,
        /// On what ground.
        ground: Option<String>,
    },
    /// An agent that may promote decided against what was proposed. Recorded in the project.
    Decline {
        /// The version, with the agent and the time.
        upon: Mention,
        /// Its label.
        label: Option<String>,
        /// Why.
        reason: Option<String>,
    },
    /// An agent took its own proposal back. Recorded in the project.
    Withdraw {
        /// The version, with the agent and the time.
        upon: Mention,
        /// Its label.
        label: Option<String>,
        /// Why.
        reason: Option<String>,
    },
    /// A copy left the medulla because something else took its place.
    Demote {
        /// The copy.
        upon: Mention,
        /// Why.
        reason: Option<String>,
        /// The verb that did it.
        by: Option<Verb>,
        /// The version that took its place.
        successor: Option<Mention>,
    },
    /// A version was taken over from elsewhere, by the agent of the act.
    Import {
        /// The version.
        upon: Mention,
    },
    /// A claim got another label.
    Rename {
        /// The version that was live, under its old slug.
        upon: Mention,
        /// The old label.
        from: Option<String>,
        /// The new label.
        to: Option<String>,
        /// The new slug.
        to_slug: Option<ClaimSlug>,
        /// The birth of the version that was live.
        created: Option<Timestamp>,
    },
    /// A claim was deleted for good.
    Forget {
        /// What stands for it from then on.
        tombstone: TombstoneRef,
        /// How many versions went.
        versions: Option<u64>,
        /// The sha256 of each file that was deleted and held no secret.
        sha256: Vec<String>,
        /// The versions that went; `None` where an older program did not say.
        covers: Option<Lineage>,
        /// The versions that held a secret, each by its tombstone name and its birth.
        secret: Vec<String>,
    },
    /// A decision between versions of one label that grew apart.
    Resolve {
        /// The versions between which it was.
        upon: Vec<Mention>,
        /// What was taken: a side, or `text` for a version of its own.
        took: Option<String>,
        /// The first of the versions.
        ours: Option<Mention>,
        /// The second.
        theirs: Option<Mention>,
        /// All of them; `None` where an older program did not say.
        sides: Option<Vec<Mention>>,
    },
    /// A migration began.
    MigrateBegin {
        /// Which one.
        migration: MigrationRef,
    },
    /// A migration did all it could.
    MigrateEnd {
        /// Which one.
        migration: MigrationRef,
        /// What it counted.
        tally: Option<MigrationTally>,
    },
    /// A migration was undone.
    MigrateRollback {
        /// Which one.
        migration: MigrationRef,
        /// How many claims came back.
        claims: Option<u64>,
        /// How many stay where they went.
        stay: Option<u64>,
        /// How many brains came back.
        brains: Option<u64>,
    },
    /// A claim left its store for another one. Recorded in the store that it left.
    Migrate {
        /// The version, with the migration and a digest of its bytes.
        upon: Mention,
        /// The number of the migration; `None` where the claim was forgotten since.
        migration: Option<u64>,
        /// What it is since.
        moved_to: Option<ClaimRef>,
        /// The same, for people.
        reason: Option<String>,
        /// The fingerprint of the brain that it went to.
        to: Option<String>,
        /// The identity of that brain.
        to_brain: Option<BrainId>,
        /// The sha256 of the original.
        sha256: Option<String>,
        /// The sha256 of what was written there; `None` where the same lay there before.
        arrived: Option<String>,
        /// When it was born.
        created: Option<Timestamp>,
    },
    /// A claim came from another store. Recorded in the store that it went to.
    MigrateIn {
        /// The version, as in [`Migrate`](Self::Migrate).
        upon: Mention,
        /// The number of the migration; `None` where the claim was forgotten since.
        migration: Option<u64>,
        /// What it was before.
        moved_from: Option<ClaimRef>,
    },
    /// The move of a claim was undone. Recorded in both stores.
    MigrateBack {
        /// The version, as in [`Migrate`](Self::Migrate).
        upon: Mention,
        /// The number of the migration; `None` where the claim was forgotten since.
        migration: Option<u64>,
    },
    /// A migration set a brain aside whose root is gone.
    SweepRoot {
        /// The brain.
        brain: BrainId,
        /// The migration.
        by: MigrationRef,
        /// The number of the migration, once more.
        migration: Option<u64>,
        /// The brain's folder.
        folder: Option<String>,
        /// The name of that folder since.
        aside: Option<String>,
    },
    /// A brain that a migration had set aside is back because its root is.
    UnsweepRoot {
        /// The brain.
        brain: BrainId,
        /// The migration.
        by: MigrationRef,
        /// The number of the migration, once more.
        migration: Option<u64>,
        /// The brain's folder since.
        folder: Option<String>,
    },
    /// A folder became the root of a brain without one.
    TakeUp {
        /// The brain.
        brain: BrainId,
        /// When, in ms.
        at_ms: i64,
        /// What the brain is called: `<name>@<8 hex>`.
        called: Option<String>,
        /// Its folder.
        folder: Option<String>,
    },
    /// A brain was set aside because an agent said so.
    SetAside {
        /// The brain.
        brain: BrainId,
        /// When, in ms.
        at_ms: i64,
        /// What the brain is called: `<name>@<8 hex>`.
        called: Option<String>,
        /// Its folder.
        folder: Option<String>,
        /// The name of that folder since.
        aside: Option<String>,
        /// Why.
        reason: Option<String>,
    },
    /// A boot key got a value.
    BootSet {
        /// The key.
        key: String,
        /// When the value was set, in ms.
        set_ms: i64,
    },
    /// A boot key was deleted.
    BootDelete {
        /// The key.
        key: String,
        /// When the value that went had been set, in ms; 0 where it does not say so.
        set_ms: i64,
    },
    /// Work was given to another agent.
    Delegate {
        /// The delegation.
        id: DelegationId,
        /// When it runs out.
        expires_at: Option<Timestamp>,
        /// The rows that its packet carried.
        rows: RowCounts,
        /// How many claims were asked for by name.
        seeds: Option<u64>,
        /// How many rows did not fit.
        left_out: Option<u64>,
        /// The agent it was given to, where that was said.
        to: Option<String>,
    },
    /// How a delegation ended was decided. Recorded before its findings are remembered.
    Debrief {
        /// The delegation.
        id: DelegationId,
        /// How it went.
        outcome: Option<Outcome>,
        /// A digest of the report.
        report: Option<String>,
        /// The agent that did the work.
        child: Option<String>,
        /// The rows that its packet carried.
        rows: RowCounts,
        /// How many findings there were.
        findings: u64,
        /// What was done otherwise than asked.
        deviations: Vec<String>,
        /// The paths of the project that were touched.
        touched_paths: Vec<String>,
        /// How many others were.
        touched_outside: u64,
    },
    /// All findings of a delegation are remembered.
    Debriefed {
        /// The delegation.
        id: DelegationId,
        /// How many there are.
        memorized: Option<u64>,
    },
    /// An agent did what is by etiquette for others.
    Violation {
        /// The verb it was done with; `None` for `memorize`, which the line does not name.
        verb: Option<Verb>,
        /// What it was done to.
        upon: Mention,
        /// The rule that was passed over.
        rule: Option<String>,
        /// The label of what it was done to.
        label: Option<String>,
        /// The agent in whose name it was done, where that is another one.
        said_by: Option<String>,
    },
    /// Something that this program does not know: an act of a newer one, or one whose subject has another form.
    Unknown {
        /// What it is called.
        name: String,
        /// What it was done to.
        subject: String,
    },
}

/// The kinds of deeds, by which a log is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the deed of the same name")]
pub enum DeedKind {
    Bootstrap,
    Affirm,
    Doctrine,
    Retract,
    Learn,
    Promote,
    Propose,
    Decline,
    Withdraw,
    Demote,
    Import,
    Rename,
    Forget,
    Resolve,
    MigrateBegin,
    MigrateEnd,
    MigrateRollback,
    Migrate,
    MigrateIn,
    MigrateBack,
    SweepRoot,
    UnsweepRoot,
    TakeUp,
    SetAside,
    BootSet,
    BootDelete,
    Delegate,
    Debrief,
    Debriefed,
    Violation,
}

impl DeedKind {
    /// Every kind.
    pub const ALL: [Self; 30] = [
        Self::Bootstrap,
        Self::Affirm,
        Self::Doctrine,
        Self::Retract,
        Self::Learn,
        Self::Promote,
        Self::Propose,
        Self::Decline,
        Self::Withdraw,
        Self::Demote,
        Self::Import,
        Self::Rename,
        Self::Forget,
        Self::Resolve,
        Self::MigrateBegin,
        Self::MigrateEnd,
        Self::MigrateRollback,
        Self::Migrate,
        Self::MigrateIn,
        Self::MigrateBack,
        Self::SweepRoot,
        Self::UnsweepRoot,
        Self::TakeUp,
        Self::SetAside,
        Self::BootSet,
        Self::BootDelete,
        Self::Delegate,
        Self::Debrief,
        Self::Debriefed,
        Self::Violation,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bootstrap => "bootstrap",
            Self::Affirm => "affirm",
            Self::Doctrine => "doctrine",
            Self::Retract => "retract",
            Self::Learn => "learn",
            Self::Promote => "promote",
            Self::Propose => "propose",
            Self::Decline => "decline",
            Self::Withdraw => "withdraw",
            Self::Demote => "demote",
            Self::Import => "import",
            Self::Rename => "rename",
            Self::Forget => "forget",
            Self::Resolve => "resolve",
            Self::MigrateBegin => "migrate_begin",
            Self::MigrateEnd => "migrate_end",
            Self::MigrateRollback => "migrate_rollback",
            Self::Migrate => "migrate",
            Self::MigrateIn => "migrate_in",
            Self::MigrateBack => "migrate_back",
            Self::SweepRoot => "sweep_root",
            Self::UnsweepRoot => "unsweep_root",
            Self::TakeUp => "take_up",
            Self::SetAside => "set_aside",
            Self::BootSet => "boot_set",
            Self::BootDelete => "boot_delete",
            Self::Delegate => "delegate",
            Self::Debrief => "debrief",
            Self::Debriefed => "debriefed",
            Self::Violation => "etiquette_violation",
        }
    }

    /// Reads the word; `None` for one that this program does not know.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl Deed {
    /// Its kind; `None` for what this program does not know.
    pub fn kind(&self) -> Option<DeedKind> {
        Some(match self {
            Self::Bootstrap { .. } => DeedKind::Bootstrap,
            Self::Affirm { .. } => DeedKind::Affirm,
            Self::Doctrine { .. } => DeedKind::Doctrine,
            Self::Retract { .. } => DeedKind::Retract,
            Self::Learn { .. } => DeedKind::Learn,
            Self::Promote { .. } => DeedKind::Promote,
            Self::Propose { .. } => DeedKind::Propose,
            Self::Decline { .. } => DeedKind::Decline,
            Self::Withdraw { .. } => DeedKind::Withdraw,
            Self::Demote { .. } => DeedKind::Demote,
            Self::Import { .. } => DeedKind::Import,
            Self::Rename { .. } => DeedKind::Rename,
            Self::Forget { .. } => DeedKind::Forget,
            Self::Resolve { .. } => DeedKind::Resolve,
            Self::MigrateBegin { .. } => DeedKind::MigrateBegin,
            Self::MigrateEnd { .. } => DeedKind::MigrateEnd,
            Self::MigrateRollback { .. } => DeedKind::MigrateRollback,
            Self::Migrate { .. } => DeedKind::Migrate,
            Self::MigrateIn { .. } => DeedKind::MigrateIn,
            Self::MigrateBack { .. } => DeedKind::MigrateBack,
            Self::SweepRoot { .. } => DeedKind::SweepRoot,
            Self::UnsweepRoot { .. } => DeedKind::UnsweepRoot,
            Self::TakeUp { .. } => DeedKind::TakeUp,
            Self::SetAside { .. } => DeedKind::SetAside,
            Self::BootSet { .. } => DeedKind::BootSet,
            Self::BootDelete { .. } => DeedKind::BootDelete,
            Self::Delegate { .. } => DeedKind::Delegate,
            Self::Debrief { .. } => DeedKind::Debrief,
            Self::Debriefed { .. } => DeedKind::Debriefed,
            Self::Violation { .. } => DeedKind::Violation,
            Self::Unknown { .. } => return None,
        })
    }

    /// What it is called in a log.
    pub fn name(&self) -> &str {
        match self {
            Self::Unknown { name, .. } => name,
            known => known.kind().map_or("", DeedKind::as_str),
        }
    }

    /// What it was done to, as a log says it.
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

    /// The id of the act that records it. Two clones may give one version two names, so that the new slug tells two
    /// renamings apart.
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

    /// The one version that it was done to; `None` for what was done to something else, or to several.
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

    /// The reason that was given for it.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Retract { reason, .. }
            | Self::Promote { reason, .. }
            | Self::Propose { reason, .. }
            | Self::Decline { reason, .. }
            | Self::Withdraw { reason, .. }
            | Self::Demote { reason, .. }
            | Self::Migrate { reason, .. }
            | Self::SetAside { reason, .. } => reason.as_deref(),
            Self::Bootstrap { .. }
            | Self::Affirm { .. }
            | Self::Doctrine { .. }
            | Self::Learn { .. }
            | Self::Import { .. }
            | Self::Rename { .. }
            | Self::Forget { .. }
            | Self::Resolve { .. }
            | Self::MigrateBegin { .. }
            | Self::MigrateEnd { .. }
            | Self::MigrateRollback { .. }
            | Self::MigrateIn { .. }
            | Self::MigrateBack { .. }
            | Self::SweepRoot { .. }
            | Self::UnsweepRoot { .. }
            | Self::TakeUp { .. }
            | Self::BootSet { .. }
            | Self::BootDelete { .. }
            | Self::Delegate { .. }
            | Self::Debrief { .. }
            | Self::Debriefed { .. }
            | Self::Violation { .. }
            | Self::Unknown { .. } => None,
        }
    }

    /// A retraction for a reason, by the verb `retract`.
    pub fn retract(upon: impl Into<Mention>, reason: &str) -> Self {
        Self::Retract {
            upon: upon.into(),
            reason: Some(reason.to_owned()),
            by: None,
            kind: None,
            successor: None,
            covers: None,
        }
    }

    /// A breach of etiquette: what a verb did to something, against a rule.
    pub fn violation(verb: Verb, upon: impl Into<Mention>, rule: &str) -> Self {
        Self::Violation {
            verb: Some(verb),
            upon: upon.into(),
            rule: Some(rule.to_owned()),
            label: None,
            said_by: None,
        }
    }
}

/// The verb by which something was done, where an act names it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the verb of the same name")]
pub enum Verb {
    Consolidate,
    Decline,
    Forget,
    Import,
    Learn,
    Memorize,
    Migrate,
    Promote,
    Rename,
    Retract,
    /// A word that this program does not write there.
    Other(String),
}

impl Verb {
    const KNOWN: [Self; 10] = [
        Self::Consolidate,
        Self::Decline,
        Self::Forget,
        Self::Import,
        Self::Learn,
        Self::Memorize,
        Self::Migrate,
        Self::Promote,
        Self::Rename,
        Self::Retract,
    ];

    /// Reads any word.
    pub fn read(word: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|verb| verb.as_str() == word);
        known.unwrap_or_else(|| Self::Other(word.to_owned()))
    }

    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Consolidate => "consolidate",
            Self::Decline => "decline",
            Self::Forget => "forget",
            Self::Import => "import",
            Self::Learn => "learn",
            Self::Memorize => "memorize",
            Self::Migrate => "migrate",
            Self::Promote => "promote",
            Self::Rename => "rename",
            Self::Retract => "retract",
            Self::Other(word) => word,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The verdict of an act, or a word that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// A verdict.
    Known(Verdict),
    /// A word that this program does not know.
    Other(String),
}

impl Judgement {
    /// Reads any word.
    pub fn read(word: &str) -> Self {
        Verdict::parse(word).map_or_else(|| Self::Other(word.to_owned()), Self::Known)
    }

    /// The word on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(verdict) => verdict.as_str(),
            Self::Other(word) => word,
        }
    }

    /// The verdict; `None` for a word that is none.
    pub fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Known(verdict) => Some(*verdict),
            Self::Other(_) => None,
        }
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How many rows of each tier a packet carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Of the project.
    pub project: usize,
    /// Of the medulla.
    pub medulla: usize,
}

/// What a migration counted when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MigrationTally {
    /// Claims in the medulla before.
    pub before: u64,
    /// Claims in projects since.
    pub projects: u64,
    /// Claims in the medulla since.
    pub medulla: u64,
    /// Claims that were moved.
    pub moved: u64,
    /// Claims that are doctrine.
    pub doctrine: u64,
    /// Claims that wait for a decision.
    pub flagged: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::VersionRef;

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

    #[test] // spec: MEM-3c
    fn every_kind_is_read_from_its_word() {
        for kind in DeedKind::ALL {
            assert_eq!(DeedKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(DeedKind::parse("levitate"), None);
        let unknown = Deed::Unknown { name: "levitate".into(), subject: "cache@5".into() };
        assert_eq!(
            (unknown.name(), unknown.subject().as_str(), unknown.kind()),
            ("levitate", "cache@5", None)
        );
    }

    #[test] // spec: MEM-35
    fn a_breach_names_its_verb_before_what_it_was_done_to() {
        let breach = Deed::violation(Verb::Retract, cache(), "MEM-33");
        assert_eq!(breach.subject(), "retract cache@5");
        assert_eq!(breach.name(), "etiquette_violation");
    }
}

//! Everything that can be on record as done.
//!
//! A field is `None` if the line does not have it: another program or an earlier version of this one wrote the line, or
//! `forget` removed the words.

use super::counts::{MigrationTally, RowCounts};
use super::judgement::Judgement;
use super::reference::{BrainId, ClaimRef, Mention, MigrationRef, TombstoneRef};
use super::verb::ActVerb;
use crate::ClaimSlug;
use crate::delegation::{DelegationId, DelegationOutcome};
use crate::lineage::Lineage;
use brainstem_base::Timestamp;

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
        /// The agent in whose name it was said, if that is another one.
        said_by: Option<String>,
    },
    /// A claim was born in the medulla.
    Doctrine {
        /// Its version.
        upon: Mention,
        /// The agent in whose name it was said, if that is another one.
        said_by: Option<String>,
    },
    /// A claim was taken back.
    Retract {
        /// The version that went.
        upon: Mention,
        /// Why.
        reason: Option<String>,
        /// The verb that took it out of the medulla, if it was not `retract`.
        by: Option<ActVerb>,
        /// What `consolidate` found it to be.
        kind: Option<String>,
        /// The copy under a new name that took its place.
        successor: Option<Mention>,
        /// The versions that went with it; `None` if an older program did not record them.
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
        by: Option<ActVerb>,
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
        /// The name that replaces it from then on.
        tombstone: TombstoneRef,
        /// How many versions went.
        versions: Option<u64>,
        /// The sha256 of each file that was deleted and held no secret.
        sha256: Vec<String>,
        /// The versions that went, and those that their headers name; `None` if an older program did not record them. A
        /// committer can write a header, so these count only for the slugs of the claim.
        covers: Option<Lineage>,
        /// The versions that went, under whatever name they come back; `None` if an older program did not record them.
        gone: Option<Lineage>,
        /// The slugs that the claim had before, each by its tombstone name.
        names: Vec<String>,
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
        /// All of them; `None` if an older program did not record them.
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
        /// Its name since then.
        moved_to: Option<ClaimRef>,
        /// The same, for people.
        reason: Option<String>,
        /// The fingerprint of the brain that it went to.
        to: Option<String>,
        /// The identity of that brain.
        to_brain: Option<BrainId>,
        /// The sha256 of the original.
        sha256: Option<String>,
        /// The sha256 of the file that was written there; `None` if the same was there before.
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
        /// When the deleted value had been set, in ms; 0 if it does not say so.
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
        outcome: Option<DelegationOutcome>,
        /// A digest of the report.
        report: Option<String>,
        /// The agent that did the work.
        child: Option<String>,
        /// The rows that its packet carried.
        rows: RowCounts,
        /// How many findings there were.
        findings: u64,
        /// What was done differently from the task.
        deviations: Vec<String>,
        /// The paths of the project that were touched.
        touched_paths: Vec<String>,
        /// How many paths outside the project were touched.
        touched_outside: u64,
    },
    /// All findings of a delegation are remembered.
    Debriefed {
        /// The delegation.
        id: DelegationId,
        /// How many there are.
        memorized: Option<u64>,
    },
    /// An agent did something that etiquette leaves to others.
    Violation {
        /// The verb it was done with; `None` for `memorize`, which the line does not name.
        verb: Option<ActVerb>,
        /// What it was done to.
        upon: Mention,
        /// The rule that was broken.
        rule: Option<String>,
        /// The label of what it was done to.
        label: Option<String>,
        /// The agent in whose name it was done, where that is another one.
        said_by: Option<String>,
    },
    /// A deed that this program does not know: of a newer program, or with a subject of another form.
    Unknown {
        /// What it is called.
        name: String,
        /// What it was done to.
        subject: String,
    },
}

impl Deed {
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
    pub fn violation(verb: ActVerb, upon: impl Into<Mention>, rule: &str) -> Self {
        Self::Violation {
            verb: Some(verb),
            upon: upon.into(),
            rule: Some(rule.to_owned()),
            label: None,
            said_by: None,
        }
    }
}

//! `audit promotions`: what crossed into the medulla and out of it.

use crate::screen::{Look, bold, dim, styled, when};
use crate::verbs::row::{Gap, counted, gaps, present_gaps};
use crate::{Context, Screen};
use brainstem_base::next::{calls, field};
use brainstem_base::{Fault, Timestamp};
use brainstem_claims::ClaimSlug;
use brainstem_claims::act::Mention;
use brainstem_claims::fence::value;
use brainstem_claims::promotion::brain_name;
use brainstem_memory::{
    BrainScope, Crossing, CrossingKind, CrossingOutcome, PromotionsRequest, ground_words,
};
use schemars::JsonSchema;
use serde::Serialize;

/// What crossed into the medulla and out of it, and what is there without a record.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditPromotions {
    /// The person this home belongs to (setting `owner`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The acts, youngest first.
    pub entries: Vec<AuditEntry>,
    /// Entries that the limit left out.
    pub left_out: usize,
    /// Live claims of the medulla that no recorded act explains.
    pub unaccounted: Vec<UnaccountedRow>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One act.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// promotion, proposal, demotion, dispute or violation (of etiquette).
    pub act: String,
    /// When.
    pub acted_at: Option<String>,
    /// Its agent.
    pub agent: String,
    /// The version it was done to: slug@ms.
    pub version: String,
    /// Its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The project's claim: brain#slug.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin_claim: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The ground that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ground: Option<String>,
    /// The verb, of a demotion or a violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The medulla's version it took the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// The medulla's version that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// What became of it: shared, unreadable, replaced, unshared, open, promoted, declined, withdrawn, upheld, retracted,
    /// outdated or absent (its claim is not in this checkout).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<String>,
    /// Of a proposal that was declined or withdrawn: by which agent and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<String>,
    /// Of a violation: the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The agent that imported the record of it, where it was imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_by: Option<String>,
    /// Only the repository's log says so: it was not recorded here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
}

/// A claim of the medulla that no recorded act explains.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnaccountedRow {
    /// The name of its file, without the ending.
    pub id: String,
    /// The label.
    pub label: String,
    /// Its author, as its file has it.
    pub source_agent: Option<String>,
    /// When its file says it was born, in ms.
    pub created: Option<i64>,
    /// Its file.
    pub path: String,
}

pub(super) fn run(cx: &Context, brains: BrainScope, limit: usize) -> Result<AuditPromotions, Fault> {
    let found = cx.memory.promotions(&cx.reader()?, &PromotionsRequest { brains, limit })?;
    let unaccounted = |row: brainstem_memory::Row| UnaccountedRow {
        id: row.id,
        label: row.label,
        source_agent: row.source_agent,
        created: row.created.map(Timestamp::ms),
        path: row.path.display().to_string(),
    };
    Ok(AuditPromotions {
        owner: found.owner,
        entries: found.entries.into_iter().map(AuditEntry::from).collect(),
        left_out: found.left_out,
        unaccounted: found.unaccounted.into_iter().map(unaccounted).collect(),
        gaps: gaps(&found.gaps, cx.door),
    })
}

impl From<Crossing> for AuditEntry {
    fn from(entry: Crossing) -> Self {
        Self {
            act: entry.what.as_str().to_owned(),
            acted_at: entry.at.map(Timestamp::to_rfc3339),
            agent: entry.agent,
            version: entry.version,
            label: entry.label,
            origin_claim: entry.origin_claim,
            reason: entry.reason,
            ground: entry.ground,
            by: entry.by,
            replaces: entry.replaces,
            replaced_by: entry.replaced_by,
            standing: entry.standing.map(|standing| standing.as_str().to_owned()),
            settled: entry.settled,
            rule: entry.rule,
            imported_by: entry.brought_by,
            unrecorded: entry.is_foreign,
        }
    }
}

impl AuditEntry {
    fn present(&self, out: &mut Screen) {
        let look = match self.act.as_str() {
            act if [CrossingKind::Violation, CrossingKind::Dispute]
                .iter()
                .any(|kind| kind.as_str() == act) =>
            {
                Look::Warn
            }
            _ => Look::Good,
        };
        let version = Mention::read(&self.version);
        let slug = version.slug().map_or(self.version.as_str(), ClaimSlug::as_str);
        let name = self.label.as_deref().unwrap_or(slug);
        let standing =
            self.standing.as_deref().map(|standing| dim(format!("  {}", standing_words(standing))));
        let head = [styled(look, self.act.as_str()), " ".into(), bold(name)];
        out.flow(0, 2, head.into_iter().chain(standing));
        let when = self.acted_at.as_deref().map_or_else(|| "at an unknown time".to_owned(), when);
        let verb = self.by.as_ref().map(|verb| format!(" with {verb}")).unwrap_or_default();
        let from = self.origin_claim.as_deref().map(|from| format!(", from {}", brain_name(Some(from))));
        out.flow(2, 4, [dim(format!("{when} by {}{verb}{}", self.agent, from.unwrap_or_default()))]);
        let ground = self.ground.as_deref().map(|ground| format!(" ({})", ground_words(ground)));
        if let Some(reason) = &self.reason {
            out.flow(2, 4, [format!("{reason}{}", ground.unwrap_or_default()).as_str()]);
        }
        if let Some(settled) = &self.settled {
            out.flow(2, 4, [styled(Look::Warn, settled.as_str())]);
        }
        if self.unrecorded {
            out.flow(2, 4, [styled(Look::Warn, "only the repository's log says so")]);
        }
        if let Some(by) = &self.imported_by {
            let told = format!("this record was imported by {}, and is not of this home", value(by));
            out.flow(2, 4, [styled(Look::Warn, told)]);
        }
    }
}

/// What became of an act, for people.
fn standing_words(standing: &str) -> &str {
    match standing {
        "unshared" => "un-shared",
        "unreadable" => "its copy in the medulla cannot be read",
        "replaced" => "replaced by a later promotion",
        "open" => "waits",
        "retracted" => "void: the project took the claim back",
        "outdated" => "outdated: the project says something else by now",
        "absent" => "waits: its claim is not in this checkout",
        standing => standing,
    }
}

impl AuditPromotions {
    pub(super) fn present(&self, out: &mut Screen) {
        for entry in &self.entries {
            entry.present(out);
        }
        if self.entries.is_empty() && self.gaps.is_empty() {
            out.line(["No promotion, proposal or demotion is on record here."]);
        }
        if self.left_out > 0 {
            out.line([dim(format!("and {} more; {} shows them", self.left_out, field("limit")))]);
        }
        let open = |kind: CrossingKind| {
            let is_open =
                |entry: &&AuditEntry| entry.standing.as_deref() == Some(CrossingOutcome::Open.as_str());
            self.entries.iter().filter(is_open).filter(|entry| entry.act == kind.as_str()).count()
        };
        let disputed = open(CrossingKind::Dispute);
        if disputed > 0 {
            let owner = self.owner.as_deref().unwrap_or("a person");
            let waits = if disputed == 1 { "waits" } else { "wait" };
            out.blank();
            let told =
                format!("{} {waits} for {owner} or an orchestrator to decide:", counted(disputed, "dispute"));
            let call = out.command(&calls::learn_wrong(calls::LABEL));
            out.flow(0, 2, [format!("{told} {call} takes the claim out, correct upholds it.")]);
        }
        let open = open(CrossingKind::Proposal);
        if open > 0 {
            let owner = self.owner.as_deref().unwrap_or("a person");
            let waits = if open == 1 { "waits" } else { "wait" };
            out.blank();
            let told =
                format!("{} {waits} for {owner} or an orchestrator to decide:", counted(open, "proposal"));
            let call = out.command(&calls::promote(calls::LABEL, calls::WHY));
            let decline = field("decline").set();
            out.flow(0, 2, [format!("{told} {call} shares it, with {decline} it is turned down.")]);
        }
        if !self.unaccounted.is_empty() {
            out.heading("In the medulla without a record");
        }
        for row in &self.unaccounted {
            let who = row.source_agent.as_deref().unwrap_or("unknown");
            out.flow(0, 2, [bold(row.label.as_str()), dim(format!("  its file says by {who}"))]);
            out.line([dim(format!("  {}", row.path))]);
        }
        present_gaps(&self.gaps, out);
    }
}

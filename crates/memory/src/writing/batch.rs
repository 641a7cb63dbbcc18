//! `memorize` of many claims at once: line by line, each on its own.

use crate::error::MemoryError;
use crate::service::Memory;
use crate::writing::memorize::{Memorized, Remembered, Terms};
use crate::writing::memorize_request::MemorizeRequest;
use crate::writing::target::{Target, WriteTier};
use crate::{reading::evidence, writing::outside};
use brainstem_base::Advice;
use brainstem_base::{AgentId, Timestamp};
use brainstem_caller::Caller;
use brainstem_claims::evidence::Evidence;
use brainstem_claims::{Claim, ClaimDraft, ClaimSlug, Label};
use brainstem_vault::Store;
use std::collections::HashMap;

/// One claim of a batch.
#[derive(Debug)]
pub struct BatchLine {
    /// What to remember.
    pub request: Result<MemorizeRequest, RefusedRequest>,
    /// Its author; `None` means the caller.
    pub agent: Option<String>,
    /// When it was said; absent means now.
    pub created: Option<Timestamp>,
}

/// A request of which a word means nothing.
#[derive(Debug)]
pub struct RefusedRequest {
    /// The label.
    pub label: String,
    /// Why it is refused.
    pub why: MemoryError,
}

impl From<MemorizeRequest> for BatchLine {
    fn from(request: MemorizeRequest) -> Self {
        Self { request: Ok(request), agent: None, created: None }
    }
}

/// What became of one line.
#[derive(Debug)]
pub struct LineDone {
    /// The slug; `None` if the label is not valid.
    pub slug: Option<ClaimSlug>,
    /// What became of it.
    pub outcome: Outcome,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

/// What a line did.
#[derive(Debug)]
pub enum Outcome {
    /// The label was new.
    Born,
    /// It took the place of the version before.
    Superseded,
    /// The store said so already.
    Unchanged,
    /// Nothing was written.
    Refused(MemoryError),
}

impl Memory {
    /// Remembers many claims, each durably and for itself: one that is refused stops no other, and
    /// repeating a batch that was cut off goes on where it ended. The quota does not count these.
    ///
    /// After each one `progress` gets how many are done, and answers whether to go on; behind a no, nothing of the
    /// rest is done, and there are fewer outcomes than lines.
    pub fn memorize_batch(
        &self,
        caller: &Caller,
        tier: Option<WriteTier>,
        lines: Vec<Result<BatchLine, MemoryError>>,
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<LineDone>, MemoryError> {
        let target = self.target(caller, tier)?;
        let labels: Vec<Option<ClaimSlug>> = lines.iter().map(slug_of).collect();
        let said: Vec<Option<BatchVersion>> =
            lines.iter().map(|line| self.said_by(caller, &target, line.as_ref().ok()?)).collect();
        let mut places: HashMap<&ClaimSlug, Vec<usize>> = HashMap::new();
        for (at, slug) in labels.iter().enumerate() {
            if let Some(slug) = slug {
                places.entry(slug).or_default().push(at);
            }
        }
        let mut done = Vec::with_capacity(lines.len());
        for (at, line) in lines.into_iter().enumerate() {
            let slug = labels[at].clone();
            let later = slug.iter().flat_map(|slug| &places[slug]).filter(|place| **place > at);
            let later: Vec<&BatchVersion> = later.filter_map(|place| said[*place].as_ref()).collect();
            let is_behind = |live: &Claim| match (&slug, &said[at]) {
                (Some(slug), Some(own)) => is_behind(&target.store, slug, live, own, &later),
                _ => false,
            };
            let (outcome, notes) = match line {
                Ok(line) => self.remember_line(caller, &target, line, &is_behind),
                // A line that could not be read has its refusal in its place.
                Err(refusal) => (Outcome::Refused(refusal), Vec::new()),
            };
            done.push(LineDone { slug, outcome, notes });
            if !progress(done.len()) {
                break;
            }
        }
        Ok(done)
    }

    fn said_by(&self, caller: &Caller, target: &Target, line: &BatchLine) -> Option<BatchVersion> {
        let request = line.request.as_ref().ok()?;
        let mut draft = request.draft(&self.floor()).ok()?;
        let cwd = caller.hints().cwd.as_deref();
        let root = target.root.as_deref().map(|root| self.at(caller).checkout(root));
        let (mut found, _) =
            evidence::anchored(&*self.disk, &self.floor(), root.as_deref(), cwd, &request.evidence);
        outside::keep_out(target, &mut found, &mut Vec::new());
        draft.evidence = found.into_iter().map(without_hash).collect();
        Some(BatchVersion { draft: draft.normalise().ok()?, created: line.created })
    }

    fn remember_line(
        &self,
        caller: &Caller,
        target: &Target,
        line: BatchLine,
        is_behind: &dyn Fn(&Claim) -> bool,
    ) -> (Outcome, Vec<Advice>) {
        let created = line.created;
        let remember = || {
            let agent = match &line.agent {
                Some(agent) => {
                    self.floor().check_text("agent", agent)?;
                    AgentId::parse(agent.trim())?
                }
                None => caller.principal.agent.clone(),
            };
            if line.created.is_some_and(|created| created > self.clock.now()) {
                return Err(MemoryError::BadValue {
                    field: "created",
                    value: line.created.map(|created| created.to_rfc3339()).unwrap_or_default(),
                    what: "time of the past",
                    takes: "when it was said, not later than now".into(),
                    rule: "MEM-47",
                });
            }
            let request = line.request.map_err(|refused| refused.why)?;
            let draft = request.draft(&self.floor())?;
            let terms = Terms { born: line.created, is_behind: Some(is_behind), over: None };
            self.remember(caller, target, agent, &request, draft, &terms)
        };
        match remember() {
            Ok(Remembered::Now(mut done)) => {
                done.notes.extend(said_before(&done, created));
                let outcome = match (done.unchanged, done.history.is_some()) {
                    (true, _) => Outcome::Unchanged,
                    (false, true) => Outcome::Superseded,
                    (false, false) => Outcome::Born,
                };
                (outcome, done.notes)
            }
            Ok(Remembered::Known) => (Outcome::Unchanged, Vec::new()),
            Err(refusal) => (Outcome::Refused(refusal), Vec::new()),
        }
    }
}

/// Says that a line took the place of a version that was said after it, and that it is dated after that one.
fn said_before(done: &Memorized, created: Option<Timestamp>) -> Option<Advice> {
    let (said, dated) = (created?, done.claim.created?);
    // A birth that is not after its predecessor's is one millisecond later than that.
    let is_moved = !done.unchanged && done.history.is_some() && dated > said.next();
    is_moved.then(|| {
        let (said, dated) = (said.to_rfc3339(), dated.to_rfc3339());
        format!(
            "{:?} was said at {said}, before the version that was live: it took the place of that one and is dated after it, at {dated}. \
             If the version before holds, write it again; lines of one label are taken in the order of the batch, so put the oldest first",
            done.claim.label
        )
        .into()
    })
}

fn slug_of(line: &Result<BatchLine, MemoryError>) -> Option<ClaimSlug> {
    let label = match &line.as_ref().ok()?.request {
        Ok(request) => &request.label,
        Err(refused) => &refused.label,
    };
    Some(ClaimSlug::of(&Label::parse(label).ok()?))
}

/// What a line says, to know it again among the versions of a store.
struct BatchVersion {
    draft: ClaimDraft,
    created: Option<Timestamp>,
}

impl BatchVersion {
    /// Whether a version is this line's. Its evidence may have changed since, history stamps it
    /// outdated, and a birth that was not after its predecessor's was moved behind it.
    fn is_in(&self, slug: &ClaimSlug, version: &Claim, is_live: bool) -> bool {
        let is_moved = |created: Timestamp, stored: Timestamp| {
            let before = version.supersedes.as_deref().and_then(|before| before.strip_prefix(slug.as_str()));
            let before = before.and_then(|before| before.strip_prefix('@')?.parse().ok());
            stored > created && before.is_some_and(|ms| Timestamp::from_ms(ms).next() == stored)
        };
        let is_its_birth = self.created.is_none_or(|created| {
            version.created.is_some_and(|stored| stored == created || is_moved(created, stored))
        });
        let state = if is_live { version.state } else { Some(self.draft.state) };
        let evidence = version.evidence.iter().cloned().map(without_hash).collect();
        is_its_birth && self.draft.is_said_by(&Claim { state, evidence, ..version.clone() })
    }
}

/// Whether an earlier run got past a line: its version is in history, and what took its place since, up
/// to what is live, is what later lines say, in their order. Then nothing of the batch is missing there.
fn is_behind(
    store: &Store,
    slug: &ClaimSlug,
    live: &Claim,
    own: &BatchVersion,
    later: &[&BatchVersion],
) -> bool {
    let mut later = later.iter().rev();
    let mut version = live.clone();
    let mut is_live = true;
    while later.any(|line| line.is_in(slug, &version, is_live)) {
        let Some(before) = store.predecessor(slug, &version) else { return false };
        version = before;
        is_live = false;
        if own.is_in(slug, &version, is_live) {
            return true;
        }
    }
    false
}

fn without_hash(evidence: Evidence) -> Evidence {
    evidence.bare()
}

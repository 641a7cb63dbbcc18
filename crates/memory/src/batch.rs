//! `memorize` of many claims at once: line by line, each on its own.

use crate::memorize::{MemorizeRequest, Remembered, Terms, draft_of};
use crate::refusal::MemoryError;
use crate::service::{Caller, Memory};
use brainstem_base::{AgentId, Timestamp};
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::collections::HashMap;

/// One claim of a batch.
#[derive(Clone, Debug, Default)]
pub struct BatchLine {
    /// What to remember.
    pub request: MemorizeRequest,
    /// Who said it; absent means the caller.
    pub agent: Option<String>,
    /// When it was said; absent means now.
    pub created: Option<Timestamp>,
}

/// What became of one line.
#[derive(Debug)]
pub struct LineDone {
    /// The slug, where the label is one.
    pub slug: Option<ClaimSlug>,
    /// What became of it.
    pub outcome: Outcome,
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
    /// `progress` is told after each how many are done.
    pub fn memorize_batch(
        &self,
        caller: &Caller,
        tier: Option<&str>,
        lines: Vec<Result<BatchLine, MemoryError>>,
        progress: &dyn Fn(usize),
    ) -> Result<Vec<LineDone>, MemoryError> {
        let target = self.target(caller, tier, "tier a claim can be written to", "MEM-10")?;
        let labels: Vec<Option<ClaimSlug>> = lines.iter().map(slug_of).collect();
        let mut places: HashMap<&ClaimSlug, Vec<usize>> = HashMap::new();
        for (at, slug) in labels.iter().enumerate() {
            if let Some(slug) = slug {
                places.entry(slug).or_default().push(at);
            }
        }
        let mut done = Vec::with_capacity(lines.len());
        for (at, line) in lines.iter().enumerate() {
            let slug = labels[at].clone();
            let later = slug.iter().flat_map(|slug| &places[slug]).filter(|place| **place > at);
            let later: Vec<&BatchLine> = later.filter_map(|place| lines[*place].as_ref().ok()).collect();
            // What a later line says is live: an earlier run got that far, and goes back for nothing.
            let is_ahead = |live: &Claim| later.iter().any(|line| is_said_by(&line.request, live));
            let outcome = match line {
                Ok(line) => self.remember_line(caller, &target, line, &is_ahead),
                Err(_) => Outcome::Unchanged,
            };
            done.push(LineDone { slug, outcome });
            progress(done.len());
        }
        // What could not be read as a line is told in its place.
        for (done, line) in done.iter_mut().zip(lines) {
            if let Err(refusal) = line {
                done.outcome = Outcome::Refused(refusal);
            }
        }
        Ok(done)
    }

    fn remember_line(
        &self,
        caller: &Caller,
        target: &crate::memorize::Target,
        line: &BatchLine,
        is_ahead: &dyn Fn(&Claim) -> bool,
    ) -> Outcome {
        let remember = || {
            let agent = match &line.agent {
                Some(agent) => AgentId::parse(agent.trim())?,
                None => caller.principal.agent.clone(),
            };
            if line.created.is_some_and(|created| created > self.clock.now()) {
                return Err(MemoryError::BadValue {
                    field: "created",
                    value: line.created.map(|created| created.to_rfc3339()).unwrap_or_default(),
                    what: "time of the past",
                    takes: "when it was said, not later than now",
                    rule: "MEM-47",
                });
            }
            let terms = Terms { born: line.created, is_ahead: Some(is_ahead), over: None };
            self.remember(caller, target, agent, &line.request, &terms)
        };
        match remember() {
            Ok(Remembered::Now(done)) if done.unchanged => Outcome::Unchanged,
            Ok(Remembered::Now(done)) if done.history.is_some() => Outcome::Superseded,
            Ok(Remembered::Now(_)) => Outcome::Born,
            Ok(Remembered::Known) => Outcome::Unchanged,
            Err(refusal) => Outcome::Refused(refusal),
        }
    }
}

fn slug_of(line: &Result<BatchLine, MemoryError>) -> Option<ClaimSlug> {
    let label = Label::parse(&line.as_ref().ok()?.request.label).ok()?;
    Some(ClaimSlug::of(&label))
}

/// Whether a live claim says what a line asks for; its evidence may have changed since.
fn is_said_by(request: &MemorizeRequest, live: &Claim) -> bool {
    let draft = draft_of(request).ok().and_then(|draft| draft.normalise().ok());
    draft.is_some_and(|draft| draft.is_said_by(&Claim { evidence: Vec::new(), ..live.clone() }))
}

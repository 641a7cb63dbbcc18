//! `debrief`: what came of a delegation, and what its child found.
//!
//! First the decision is recorded, with a digest of the report; then each finding is remembered; then the
//! act that all of them are. A repeat completes a debrief that was cut off, the repeat of one that is done
//! says so, and another report for the same delegation is refused: a delegation ends once.

use crate::caller::follow::follow_store;
use crate::caller::secrets::Floor;
use crate::delegation::delegate::{log_name, plain};
use crate::delegation::error::DelegationError;
use crate::error::MemoryError;
use crate::limits::{
    DEVIATION_LEN_MAX, DEVIATIONS_MAX, FINDING_LEN_MAX, FINDINGS_MAX, SCOPE_LEN_MAX, TOUCHED_MAX,
};
use crate::reading::compose::shortened;
use crate::service::Memory;
use crate::writing::memorize::{Remembered, Terms};
use crate::writing::memorize_request::MemorizeRequest;
use crate::writing::target::Target;
use crate::{reading::evidence, writing::outside};
use brainstem_base::next::field;
use brainstem_base::{Advice, advice};
use brainstem_base::{AgentId, Coded as _, Fault, Timestamp, codes, hash};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_caller::identity::is_same_agent;
use brainstem_claims::act::{Act, Deed};
use brainstem_claims::delegation::{DelegationId, DelegationOutcome};
use brainstem_claims::evidence::Evidence;
use brainstem_claims::folds::delegations::{Debriefed, Delegation, DelegationState};
use brainstem_claims::unproven_header::is_person;
use brainstem_claims::{Claim, ClaimDraft, ClaimSlug, repo_dependence, report};
use brainstem_hosts::Host;
use brainstem_vault::{ActsLog, Brain, LiveFile};
use serde_json::json;
use std::cell::RefCell;

/// How much is shown of a line that was passed over.
const PASSED_OVER_LEN_MAX: usize = 80;
/// The tag of what a child found.
const TAG: &str = "finding";

/// What came of a delegation.
#[derive(Clone, Debug, Default)]
pub struct DebriefRequest {
    /// Its id; `None` if the report names it.
    pub delegation_id: Option<String>,
    /// How it ended; `None` if the report says it.
    pub outcome: Option<DelegationOutcome>,
    /// What the child found.
    pub findings: Vec<String>,
    /// What it did otherwise than asked.
    pub deviations: Vec<String>,
    /// What it touched.
    pub touched_paths: Vec<String>,
    /// The child's own report.
    pub report: Option<String>,
    /// The agent that did the work; `None` means the agent that the packet was for, or else the caller.
    pub child: Option<String>,
}

impl DebriefRequest {
    /// Returns the request with the outcome that this word names. For any other word, what is wrong with the texts, the report
    /// or the id is refused first, and then the word.
    pub fn with_outcome(self, floor: &Floor, word: Option<&str>) -> Result<Self, MemoryError> {
        let Some(word) = word else { return Ok(self) };
        match DelegationOutcome::parse(word) {
            Some(outcome) => Ok(Self { outcome: Some(outcome), ..self }),
            None => {
                self.check_before_outcome(floor, word)?;
                Err(bad_outcome(word, "success, failure or partial"))
            }
        }
    }

    /// Checks what comes before the outcome, the hygiene floor first. Returns the report, if there is one, and the
    /// delegation's id.
    fn check_before_outcome(
        &self,
        floor: &Floor,
        outcome: &str,
    ) -> Result<(Option<report::Report>, DelegationId), MemoryError> {
        let single = [
            ("delegation_id", self.delegation_id.as_deref()),
            ("outcome", Some(outcome)),
            ("report", self.report.as_deref()),
            ("child", self.child.as_deref()),
        ];
        for (field, value) in single {
            floor.check_text(field, value.unwrap_or_default())?;
        }
        for (field, values) in [
            ("findings", &self.findings),
            ("deviations", &self.deviations),
            ("touched_paths", &self.touched_paths),
        ] {
            values.iter().try_for_each(|value| floor.check_text(field, value))?;
            // A finding that is given and says nothing was meant to say something.
            if field == "findings" && values.iter().any(|value| value.trim().is_empty()) {
                return Err(MemoryError::BadValue {
                    field,
                    value: String::new(),
                    what: "finding",
                    takes: "findings that say something; leave an empty one out".into(),
                    rule: "MEM-41",
                });
            }
        }
        let report = self.report.as_deref().map(report::parse).transpose()?;
        let id = named_id(self, report.as_ref().map(|report| &report.id))?;
        Ok((report, id))
    }
}

/// What a debrief did.
#[derive(Clone, Debug)]
pub struct Debriefing {
    /// The delegation, as it is now.
    pub delegation: Delegation,
    /// What was remembered.
    pub memorized: Vec<MemorizedFinding>,
    /// It was done before, and nothing was changed.
    pub unchanged: bool,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
}

/// A finding that is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorizedFinding {
    /// Its label.
    pub label: String,
    /// Its slug.
    pub slug: ClaimSlug,
    /// It was remembered before.
    pub unchanged: bool,
}

/// A report that was read and checked.
struct CheckedReport {
    id: DelegationId,
    outcome: DelegationOutcome,
    findings: Vec<ReportFinding>,
    deviations: Vec<String>,
    touched: Vec<String>,
    child: Option<AgentId>,
    /// What of the text was no part of the report.
    passed_over: Option<String>,
}

struct ReportFinding {
    request: MemorizeRequest,
    draft: ClaimDraft,
}

/// What was decided, by this run or one before it.
struct Decided {
    delegation: Delegation,
    debrief: Debriefed,
    child: AgentId,
}

impl Memory {
    /// Records how a delegation ended and remembers its findings in the project, once.
    pub fn debrief(&self, caller: &Caller, request: &DebriefRequest) -> Result<Debriefing, MemoryError> {
        let report = check_report(&self.floor(), request)?;
        let mut spent = false;
        follow_store(caller, || {
            let target = self.target(caller, None)?;
            if !std::mem::replace(&mut spent, true) {
                self.check_write_quota(&caller.principal.agent)?;
            }
            self.debrief_in(caller, &target, &report)
        })
    }

    fn debrief_in(
        &self,
        caller: &Caller,
        target: &Target,
        report: &CheckedReport,
    ) -> Result<Debriefing, MemoryError> {
        let (inside, outside) = self.inside(caller, target, &report.touched);
        let decided = target.store.record_in_one_step(&log_name(&report.id), |log| {
            self.decide(caller, target, report, log, (&inside, outside))
        })?;
        let is_closed = decided.delegation.standing == DelegationState::Closed;
        self.finish(caller, target, report, decided, outside).map_err(|error| match is_closed {
            true => error,
            false => unfinished(&report.id, error),
        })
    }

    /// Remembers the findings of a delegation that is decided, then records that all of them are.
    fn finish(
        &self,
        caller: &Caller,
        target: &Target,
        report: &CheckedReport,
        Decided { delegation, debrief, child }: Decided,
        outside: usize,
    ) -> Result<Debriefing, MemoryError> {
        let unchanged = delegation.standing == DelegationState::Closed;
        let mut memorized = Vec::new();
        for ReportFinding { request, draft } in &report.findings {
            let slug = ClaimSlug::of(&draft.label);
            let new = !unchanged && {
                // Born when it was decided: a repeat writes the very same version. It writes none if history has it,
                // because another call superseded it or took it back in the meantime.
                let terms = Terms { born: Some(debrief.at), ..Terms::default() };
                let evidence = self.proof(caller, target, &slug, draft, debrief.at);
                let request = MemorizeRequest { evidence, ..request.clone() };
                let done = self.remember(caller, target, child.clone(), &request, draft.clone(), &terms)?;
                matches!(done, Remembered::Now(done) if !done.unchanged)
            };
            memorized.push(MemorizedFinding { label: draft.label.to_string(), slug, unchanged: !new });
        }
        // Recorded again even if it is on record: a killed run may have left it uncertain.
        let deed = Deed::Debriefed { id: report.id.clone(), memorized: Some(memorized.len() as u64) };
        let act = Act::new(deed, &caller.principal.agent, self.clock.now());
        target.store.record_in_one_step(&log_name(&report.id), |log| log.record(&act))?;
        let mut notes = caller.principal.notes();
        notes.extend(report.passed_over.clone().map(Advice::from));
        if outside > 0 {
            let paths = if outside == 1 { "1 path lies".into() } else { format!("{outside} paths lie") };
            notes.push(format!("{paths} outside the project's root: counted, not recorded").into());
        }
        let findings = report.findings.iter().map(|finding| finding.draft.text.as_str());
        let prose = findings.chain(report.deviations.iter().map(String::as_str));
        notes.extend(outside::paths_note(&target.store, prose));
        let delegation =
            Delegation { standing: DelegationState::Closed, debrief: Some(debrief), ..delegation };
        Ok(Debriefing { delegation, memorized, unchanged, notes })
    }

    /// The files of the project that a finding names. What a run before this one wrote stays as it was: its
    /// files may have changed since.
    fn proof(
        &self,
        caller: &Caller,
        target: &Target,
        slug: &ClaimSlug,
        draft: &ClaimDraft,
        born: Timestamp,
    ) -> Vec<String> {
        let before = RefCell::new(None);
        let is_it = |past: &Claim| {
            let is_it = past.text == draft.text && past.group == draft.group;
            if is_it {
                *before.borrow_mut() = Some(past.evidence.iter().map(ToString::to_string).collect());
            }
            is_it
        };
        let is_live = matches!(target.store.live(slug), LiveFile::Claim(live) if is_it(&live));
        if is_live || target.store.in_history(slug, Some(born), is_it) {
            return before.into_inner().unwrap_or_default();
        }
        let cwd = caller.hints().cwd.as_deref();
        let root = target.root.as_deref().map(|root| self.at(caller).checkout(root));
        let root = root.as_deref();
        let named = repo_dependence::paths(&draft.text).into_iter();
        let floor = self.floor();
        let is_there = |path: &str| evidence::is_there(&*self.disk, &floor, root, cwd, path);
        // A file that lacks the lines which the finding names is evidence as a whole.
        let place = |named: String| {
            let file = Evidence::parse(&named).path;
            [named, file].into_iter().find(|place| is_there(place))
        };
        named.filter_map(place).collect()
    }

    /// Decides how the delegation ended, unless that was decided before.
    fn decide(
        &self,
        caller: &Caller,
        target: &Target,
        report: &CheckedReport,
        log: &ActsLog,
        (inside, outside): (&[String], usize),
    ) -> Result<Decided, MemoryError> {
        if let Some(decided) = self.decided(caller, target, report)? {
            return Ok(decided);
        }
        let found = self.delegation(target, report)?;
        let child = self.child(caller, report, &found);
        let deed = Deed::Debrief {
            id: report.id.clone(),
            outcome: Some(report.outcome),
            report: Some(report.digest(&child)),
            child: Some(child.to_string()),
            rows: found.rows,
            findings: report.findings.len() as u64,
            deviations: report.deviations.clone(),
            touched_paths: inside.to_vec(),
            touched_outside: outside as u64,
        };
        log.record(&Act::new(deed, &caller.principal.agent, self.clock.now()))?;
        self.decided(caller, target, report)?.ok_or_else(|| DelegationError::NotInLog.into())
    }

    /// What a run before this one decided, if it decided by the same report.
    fn decided(
        &self,
        caller: &Caller,
        target: &Target,
        report: &CheckedReport,
    ) -> Result<Option<Decided>, MemoryError> {
        let found = self.find(target, &report.id)?;
        let Some(debrief) = found.debrief.clone() else { return Ok(None) };
        // The repeat may leave out what the first run said.
        let recorded = debrief.child.as_deref().and_then(|child| AgentId::parse(child).ok());
        let child = match &report.child {
            None => recorded,
            // An earlier program recorded whichever of an agent's names the caller used.
            Some(child) => {
                let is_same = |recorded: &AgentId| is_same_agent(recorded.as_str(), child.as_str());
                Some(recorded.filter(is_same).unwrap_or_else(|| child.clone()))
            }
        };
        let child = child.unwrap_or_else(|| self.child(caller, report, &found));
        if debrief.digest != report.digest(&child) {
            return Err(closed(&found, &debrief));
        }
        Ok(Some(Decided { delegation: found, debrief, child }))
    }

    /// The delegation, as long as it can be debriefed.
    fn delegation(&self, target: &Target, report: &CheckedReport) -> Result<Delegation, MemoryError> {
        let found = self.find(target, &report.id)?;
        match found.standing {
            DelegationState::Expired => Err(expired(&found)),
            DelegationState::Open | DelegationState::Unfinished | DelegationState::Closed => Ok(found),
        }
    }

    fn find(&self, target: &Target, id: &DelegationId) -> Result<Delegation, MemoryError> {
        let known = self.delegations_in(&target.store)?;
        known.into_iter().find(|known| known.id == *id).ok_or_else(|| self.not_given_here(target, id))
    }

    /// Returns the agent whose findings they are: the one in the report, or the one that the packet was for, or the
    /// caller itself. By a delegation that only the repository's log has, no caller speaks in a person's name.
    fn child(&self, caller: &Caller, report: &CheckedReport, found: &Delegation) -> AgentId {
        let may_speak = |to: &&str| !found.is_foreign || !is_person(to);
        let named = || {
            found.to.as_deref().filter(may_speak).and_then(|to| AgentId::parse(Host::agent_called(to)).ok())
        };
        report.child.clone().or_else(named).unwrap_or_else(|| caller.principal.agent.clone())
    }

    /// Returns the refusal of a delegation that this brain has not given out; it names the brain to go to.
    fn not_given_here(&self, target: &Target, id: &DelegationId) -> MemoryError {
        let has = |brain: &Brain| {
            let known = self.delegations_in(&self.store_of(brain)).unwrap_or_default();
            Some(&brain.root) != target.root.as_ref() && known.iter().any(|known| known.id == *id)
        };
        let roster = self.home.roster().map(|roster| roster.brains).unwrap_or_default();
        match roster.iter().find(|brain| has(brain)) {
            Some(brain) => {
                let (brain, root) = (brain.origin(), brain.root.clone());
                DelegationError::OtherBrain { id: id.clone(), brain, root, here: target.name() }.into()
            }
            None => DelegationError::Unknown { id: id.clone(), here: target.name() }.into(),
        }
    }

    /// Returns the touched paths inside the project, from its root, and how many are outside. A path of this machine
    /// is never recorded: the log may be committed.
    fn inside(&self, caller: &Caller, target: &Target, touched: &[String]) -> (Vec<String>, usize) {
        // Paths count from the caller's own checkout, which may be a linked worktree.
        let root = target.root.as_deref().map(|root| self.at(caller).checkout(root)).unwrap_or_default();
        let cwd = caller.hints().cwd.as_ref().map(|cwd| git_layout::canonical(&*self.disk, cwd));
        let base = cwd.filter(|cwd| cwd.starts_with(&root)).unwrap_or_else(|| root.clone());
        let relative = |path: &String| {
            let path = base.join(outside::meant_path(&root, path));
            let path = git_layout::canonical(&*self.disk, &plain(&path));
            let inside = path.strip_prefix(&root).ok()?.to_str()?.to_owned();
            (!inside.is_empty()).then_some(inside)
        };
        let mut inside: Vec<String> = touched.iter().filter_map(relative).collect();
        let outside = touched.len() - inside.len();
        inside.sort();
        inside.dedup();
        (inside, outside)
    }
}

impl CheckedReport {
    /// Returns a digest of all that the report says. The agent that hands it in is not in it.
    fn digest(&self, child: &AgentId) -> String {
        let findings: Vec<&str> = self.findings.iter().map(|finding| finding.draft.text.as_str()).collect();
        let said = json!([self.outcome.as_str(), child.as_str(), findings, self.deviations, self.touched]);
        hash::sha256_hex(said.to_string().as_bytes(), 32)
    }
}

/// Reads and checks a request, the hygiene floor first: a debrief with one bad field writes nothing.
fn check_report(floor: &Floor, request: &DebriefRequest) -> Result<CheckedReport, MemoryError> {
    let (report, id) = request.check_before_outcome(floor, "")?;
    let passed_over = report.as_ref().and_then(passed_over);
    let reported = report.as_ref().and_then(|report| report.outcome);
    let outcome = match request.outcome {
        Some(outcome) if reported.is_some_and(|reported| reported != outcome) => {
            return Err(bad_outcome(outcome.as_str(), "the outcome that the report says, or none"));
        }
        Some(outcome) => outcome,
        None => reported.ok_or(MemoryError::Missing {
            field: "outcome",
            give: "success, failure or partial".into(),
            rule: "MEM-41",
        })?,
    };
    let (mut found, mut deviated, mut touched) =
        report.map(|report| (report.findings, report.deviations, report.touched)).unwrap_or_default();
    found.extend(request.findings.iter().cloned());
    deviated.extend(request.deviations.iter().cloned());
    touched.extend(request.touched_paths.iter().cloned());
    let (found, deviations, touched) = (once(found), once(deviated), once(touched));
    within("findings", &found, FINDINGS_MAX, FINDING_LEN_MAX, "at most 200 findings of 32 KiB each")?;
    within(
        "deviations",
        &deviations,
        DEVIATIONS_MAX,
        DEVIATION_LEN_MAX,
        "at most 50 deviations of 2 KiB each",
    )?;
    within("touched_paths", &touched, TOUCHED_MAX, SCOPE_LEN_MAX, "at most 200 paths of 1 KiB each")?;
    let findings = found.into_iter().map(|text| finding(floor, &id, text)).collect::<Result<_, _>>()?;
    let child = request.child.as_deref().map(|child| AgentId::parse(Host::agent_called(child.trim())));
    let child = child.transpose()?;
    Ok(CheckedReport { id, outcome, findings, deviations, touched, child, passed_over })
}

fn bad_outcome(word: &str, takes: &str) -> MemoryError {
    MemoryError::BadValue {
        field: "outcome",
        value: word.chars().take(40).collect(),
        what: "outcome",
        takes: takes.into(),
        rule: "MEM-41",
    }
}

/// Says which lines of a text were no part of its report, with how each part begins.
fn passed_over(report: &report::Report) -> Option<String> {
    let part = |lines: &[String], place: &str| {
        let first = lines.first()?;
        let count = if lines.len() == 1 { "1 line".into() } else { format!("{} lines", lines.len()) };
        let shown = shortened(first, PASSED_OVER_LEN_MAX).unwrap_or_else(|| first.clone());
        Some(format!("{count} {place} the report ({shown:?})"))
    };
    let parts: Vec<String> =
        [part(&report.before, "before"), part(&report.behind, "behind")].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("passed over, and not remembered: {}", parts.join(", ")))
}

/// Returns the id of the request, which must be the report's if both name one.
fn named_id(request: &DebriefRequest, reported: Option<&DelegationId>) -> Result<DelegationId, MemoryError> {
    let Some(text) = &request.delegation_id else {
        return reported.cloned().ok_or(MemoryError::Missing {
            field: "delegation_id",
            give: advice![
                field("delegation_id"),
                ": the id of the delegation (dlg_…), or its report with ",
                field("report")
            ],
            rule: "MEM-41",
        });
    };
    let bad = |what, takes: Advice| MemoryError::BadValue {
        field: "delegation_id",
        value: text.chars().take(40).collect(),
        what,
        takes,
        rule: "MEM-41",
    };
    let id = DelegationId::parse(text.trim()).ok_or_else(|| {
        let takes = "dlg_ and 20 hex digits, as the packet has it; a report is given with ";
        bad("delegation's id", advice![takes, field("report")])
    })?;
    match reported {
        Some(reported) if *reported != id => {
            Err(bad("delegation of this report", "the id that the report starts with, or none".into()))
        }
        Some(_) | None => Ok(id),
    }
}

fn finding(floor: &Floor, id: &DelegationId, text: String) -> Result<ReportFinding, MemoryError> {
    let request = MemorizeRequest {
        label: id.label_of(&text).to_string(),
        text,
        tags: vec![TAG.into()],
        group: Some(id.to_string()),
        ..MemorizeRequest::default()
    };
    let draft = request.draft(floor)?.normalise()?;
    Ok(ReportFinding { request, draft })
}

/// The texts that say something, each once.
fn once(texts: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        let text = text.trim();
        if !text.is_empty() && !kept.iter().any(|kept| kept == text) {
            kept.push(text.to_owned());
        }
    }
    kept
}

fn within(
    field: &'static str,
    texts: &[String],
    count_max: usize,
    len_max: usize,
    takes: &'static str,
) -> Result<(), MemoryError> {
    if texts.len() <= count_max && texts.iter().all(|text| text.len() <= len_max) {
        return Ok(());
    }
    let (value, what) = match texts.iter().find(|text| text.len() > len_max) {
        Some(long) => {
            let start: String = long.chars().take(20).collect();
            (format!("{start}… ({} bytes)", long.len()), "entry of the length that is taken")
        }
        None => (format!("{} entries", texts.len()), "number of entries that is taken"),
    };
    Err(MemoryError::BadValue { field, value, what, takes: takes.into(), rule: "MEM-41" })
}

/// What is so when a finding could not be remembered after the decision was recorded. A store that moved is followed.
fn unfinished(id: &DelegationId, error: MemoryError) -> MemoryError {
    if error.code() == codes::STORE_MOVED {
        return error;
    }
    let fault = Fault::from(error);
    let message = format!(
        "the outcome of {id} is recorded, and not all of its findings are remembered: {}",
        fault.message
    );
    let fix = "remove the cause, then repeat this debrief with the same words: the repeat completes it, and another \
               report is refused";
    Fault { message, fix: Some(fix.into()), ..fault }.into()
}

fn expired(found: &Delegation) -> MemoryError {
    DelegationError::Expired { id: found.id.clone(), at: found.expires_at }.into()
}

fn closed(found: &Delegation, debrief: &Debriefed) -> MemoryError {
    let (id, by, at) = (found.id.clone(), debrief.by.clone(), debrief.at);
    match found.standing {
        DelegationState::Unfinished => DelegationError::Unfinished { id, by, at }.into(),
        DelegationState::Open | DelegationState::Expired | DelegationState::Closed => {
            DelegationError::Closed { id, by, at }.into()
        }
    }
}

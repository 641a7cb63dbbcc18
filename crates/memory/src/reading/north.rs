//! `north`: the beat an agent starts from.

use crate::brains::unserved::Orphan;
use crate::caller::location_notice::Reception;
use crate::caller::secrets;
use crate::error::MemoryError;
use crate::gap::{Gap, is_unseen};
use crate::promotion::propose;
use crate::reading::compose::{ComposedRows, FallbackRows, TaskBudget};
use crate::reading::conflicts::{ConflictPair, Conflicts, Touching};
use crate::reading::missing_from_checkout::REPOSITORY_CLAIMS;
use crate::reading::recall_store::RecallStore;
use crate::reading::row::{Row, Why};
use crate::reading::withheld::HELD_BACK;
use crate::service::Memory;
use brainstem_base::next::{NextCall, VerbId, calls};
use brainstem_base::{Advice, advice};
use brainstem_base::{AgentId, Timestamp};
use brainstem_caller::Caller;
use brainstem_caller::route::Route;
use brainstem_claims::{ClaimSlug, beat};
use std::path::PathBuf;

/// What the beat is for.
#[derive(Clone, Debug)]
pub struct NorthRequest {
    /// The task at hand; empty for none.
    pub task: String,
    /// The size of the beat. The door that hands it out measures it in its own form and cuts it; this service returns
    /// everything that could fit.
    pub budget_tokens: usize,
}

/// The beat of a caller: everything that could fit its budget.
#[derive(Clone, Debug)]
pub struct Beat {
    /// The task it was composed for.
    pub task: String,
    /// Which brain, and how far it can be trusted.
    pub binding: Binding,
    /// The project's rows, then the medulla's, each most useful first.
    pub memory: Vec<Row>,
    /// How many rows there would be without a limit: claims about the task, or all if none is about it.
    pub rows_total: usize,
    /// The boot keys of the two tiers.
    pub boot: Vec<crate::BootRow>,
    /// How many claims the stores hold that could be counted.
    pub memory_exists: usize,
    /// A store could not be counted: there may be more, even if none was counted.
    pub uncounted: bool,
    /// Claims of the two tiers that disagree, the most certain first: with a task, those that it touches.
    pub conflicts: Vec<ConflictPair>,
    /// How many there are of these.
    pub conflicts_total: usize,
    /// How many there are that the task does not touch.
    pub conflicts_elsewhere: usize,
    /// What could not be looked at, or was not found.
    pub gaps: Vec<Gap>,
    /// The caller's place, if it may be another one than the caller means.
    pub reception: Option<Reception>,
    /// What to do next.
    pub next_moves: Vec<Advice>,
    /// The stores that were read.
    pub sources: Vec<(&'static str, PathBuf)>,
    /// When it was composed.
    pub composed_at: Timestamp,
}

/// The route of the caller.
#[derive(Clone, Debug)]
pub struct Binding {
    /// `<name>@<8 hex>` of the brain.
    pub brain: Option<String>,
    /// The name of its folder under the home.
    pub fingerprint: Option<String>,
    /// Its root.
    pub root: Option<PathBuf>,
    /// How far the beat can be trusted to be whole.
    pub trust_mode: TrustMode,
}

/// How far a beat can be trusted to be whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustMode {
    /// Both stores were read.
    Full,
    /// The project has no brain yet.
    MedullaOnly,
    /// The caller is in no project.
    Unbound,
    /// A store could not be read.
    Degraded,
}

impl TrustMode {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::MedullaOnly => "medulla_only",
            Self::Unbound => "unbound",
            Self::Degraded => "degraded",
        }
    }
}

impl Memory {
    /// Composes the beat: exactly the caller's own store and the medulla are read.
    pub fn north(&self, caller: &Caller, request: &NorthRequest) -> Result<Beat, MemoryError> {
        let beat = self
            .at(caller)
            .read_whole(|beat: &mut Beat| &mut beat.gaps, |memory| memory.compose_beat(caller, request))?;
        self.count_beat(self.route(caller).brain(), beat.composed_at);
        Ok(beat)
    }

    fn compose_beat(&self, caller: &Caller, request: &NorthRequest) -> Result<Beat, MemoryError> {
        let route = self.route(caller);
        let now = self.clock.now();
        let wanted = TaskBudget {
            task: request.task.clone(),
            budget: request.budget_tokens * beat::BYTES_PER_TOKEN,
            fallback: FallbackRows::Worthiest,
        };
        let composed = self.compose(&route, &wanted, now);
        let (memory_exists, failed) = (composed.memory_exists(), composed.failed());
        let uncounted = composed.uncounted();
        let mut gaps: Vec<Gap> = composed.feeds().flat_map(|feed| feed.gaps.clone()).collect();
        let ComposedRows { project, medulla, memory, total, withheld: held } = composed;
        gaps.extend(held);
        let is_held = gaps.iter().any(|gap| gap.name == HELD_BACK);
        let unbound = self.unbound_gaps(caller, crate::Tier::Both);
        let orphan = self.orphan_at(caller, &route).filter(|orphan| orphan.is_recognised);
        // A file that cannot be read may be a claim, so that a count of zero does not prove an empty store. Nor does
        // it if the memory of a folder that is gone may be meant.
        let is_unseen = failed
            || orphan.is_some()
            || memory_exists == 0 && uncounted
            || gaps.iter().chain(&unbound).any(|gap| is_unseen(gap.name));
        gaps.extend(absence(&request.task, memory_exists, &memory, is_unseen, is_held, &route));
        gaps.extend(unbound);
        let is_repository_unread = gaps.iter().any(|gap| gap.name == REPOSITORY_CLAIMS);
        let is_about = memory.iter().any(|row| matches!(row.why, Why::Matched { .. }));
        let touching = if is_about { Touching::Rows } else { Touching::Anything };
        let conflicts = match &project {
            Some(project) => self.conflicts(project, &medulla, &memory, touching, wanted.budget),
            None => Conflicts::default(),
        };
        let waiting = match &project {
            Some(project) if !project.failed => {
                let born = |slug: &str| project.born(slug).map(Timestamp::from_ms);
                propose::waiting(&project.whose, project.verdicts(), medulla.verdicts(), born)
            }
            Some(_) | None => Vec::new(),
        };

        // A medulla that did not answer in time is not asked again.
        let booted = match (medulla.failed, route.brain()) {
            (false, _) => self.boot_list(caller, None, crate::Tier::Both)?,
            (true, Some(_)) => self.boot_list(caller, None, crate::Tier::Project)?,
            (true, None) => crate::Booted::default(),
        };
        // What is kept apart is named once.
        for gap in booted.gaps {
            if !gaps.contains(&gap) {
                gaps.push(gap);
            }
        }
        let trust_mode = match &*route {
            _ if failed => TrustMode::Degraded,
            Route::Broken { .. } => TrustMode::Degraded,
            Route::Bound { .. } => TrustMode::Full,
            Route::Replaced { .. } | Route::Brainless { .. } => TrustMode::MedullaOnly,
            Route::Unbound { .. } => TrustMode::Unbound,
        };
        let mut sources = Vec::new();
        if let Some(brain) = route.brain() {
            sources.push(("project", self.store_of(brain).paths().claims.clone()));
        }
        sources.push(("medulla", self.home.medulla().paths().claims.clone()));
        Ok(Beat {
            // What was asked with a secret in it is answered without.
            task: secrets::without_secrets(&request.task),
            conflicts: conflicts.pairs,
            conflicts_total: conflicts.total,
            conflicts_elsewhere: conflicts.elsewhere,
            reception: self.reception(caller, &route),
            next_moves: next_moves(
                &route,
                orphan.as_ref(),
                route.root().and_then(|root| self.lost_worktree_advice(root)),
                memory_exists == 0 && !is_unseen,
                is_repository_unread,
            )
            .into_iter()
            .chain(propose::waiting_line(&waiting, &caller.principal.agent))
            .chain(disputed_line(&medulla, &caller.principal.agent))
            .chain(route.brain().and_then(|brain| self.open_line(&self.store_of(brain))))
            .collect(),
            binding: Binding {
                brain: route.brain().map(|brain| brain.origin()),
                fingerprint: route.brain().map(|brain| brain.fingerprint.clone()),
                root: match &*route {
                    Route::Bound { brain, .. } => Some(brain.root.clone()),
                    Route::Broken { root, .. }
                    | Route::Replaced { root, .. }
                    | Route::Brainless { root, .. } => Some(root.clone()),
                    Route::Unbound { path } => path.clone(),
                },
                trust_mode,
            },
            memory,
            boot: booted.rows,
            rows_total: total,
            memory_exists,
            uncounted,
            gaps,
            sources,
            composed_at: now,
        })
    }
}

/// Says why a beat carries nothing about its task; over a store that is not empty it never says that there is no
/// memory. If claims may exist that could not be read, their gap says so.
fn absence(
    task: &str,
    memory_exists: usize,
    memory: &[Row],
    is_unseen: bool,
    is_held: bool,
    route: &Route,
) -> Option<Gap> {
    if memory_exists == 0 {
        let told = match route {
            Route::Unbound { .. } => {
                "No durable memory yet in the medulla; you are in no project, so no project's memory was read"
            }
            _ => "No durable memory yet",
        };
        return (!is_unseen).then(|| Gap::new("empty", told));
    }
    if memory.is_empty() && is_unseen {
        return None;
    }
    let matched = memory.iter().any(|row| matches!(row.why, Why::Matched { .. }));
    if matched || memory.is_empty() && is_held || task.trim().is_empty() {
        return None;
    }
    Some(Gap::new("no_match", "memory exists, not necessarily about your task: these claims are worth most"))
}

/// One line about a disputed claim of the medulla, for the orchestrators and persons that decide.
fn disputed_line(medulla: &RecallStore, reader: &AgentId) -> Option<Advice> {
    if !reader.may_write_doctrine() {
        return None;
    }
    let verdicts = medulla.verdicts();
    let open = verdicts.disputed().filter(|(version, _)| {
        let born = version.created.map(Timestamp::ms);
        born.is_some() && medulla.born(version.slug.as_str()) == born
    });
    let mut ids: Vec<ClaimSlug> = open.map(|(version, _)| version.slug).collect();
    ids.sort_unstable();
    let first = ids.first()?.as_str();
    let more = match ids.len() - 1 {
        0 => Advice::default(),
        more => advice!["; {more} more are disputed: ", calls::audit_promotions()],
    };
    Some(advice![
        calls::learn_wrong(first),
        ": the medulla's {first:?} is disputed; this takes it out, correct upholds it",
        more
    ])
}

fn next_moves(
    route: &Route,
    orphan: Option<&Orphan>,
    lost: Option<Advice>,
    is_empty: bool,
    is_repository_unread: bool,
) -> Vec<Advice> {
    let mut moves = Vec::new();
    if let Some(orphan) = orphan {
        let take_up = |(brain, call): (&str, NextCall)| {
            advice![call, ": take up the memory of ", brain, ", if this is that project"]
        };
        moves.extend(orphan.take_ups().into_iter().map(take_up));
        moves
            .push(advice![orphan.own_brain(), ": give this folder a brain of its own, if it is another one"]);
        return moves;
    }
    match route {
        // The gap says both ways; neither is the likely one.
        Route::Replaced { .. } => {}
        Route::Brainless { .. } | Route::Bound { .. } if is_repository_unread => {
            moves.push(advice![calls::init(), ": make the claims readable that lie in this repository"]);
        }
        Route::Brainless { .. } if lost.is_some() => moves.extend(lost),
        Route::Brainless { .. } => {
            moves.push(advice![calls::bootstrap(), ": give this project a brain, so that it can remember"]);
        }
        Route::Unbound { .. } => moves.push(advice![
            calls::bootstrap_at(calls::PATH),
            ": give the project at PATH a brain, so that it can remember"
        ]),
        Route::Broken { .. } => {
            moves.push(advice![calls::doctor(), ": see what is wrong with the brain of this project"])
        }
        Route::Bound { .. } if is_empty => {
            moves
                .push(advice![VerbId::Memorize, ": write down the first thing you learn, with its evidence"]);
        }
        Route::Bound { .. } => {
            moves.push(advice![VerbId::Memorize, ": write down what you learn, with its evidence"])
        }
    }
    moves
}

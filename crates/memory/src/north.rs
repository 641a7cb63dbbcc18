//! `north`: the beat an agent starts from.

use crate::compose::{Composed, Otherwise, Wanted};
use crate::conflicts::ConflictPair;
use crate::floor;
use crate::held::HELD_BACK;
use crate::mail::MailStanding;
use crate::propose;
use crate::recall::{Gap, is_unseen};
use crate::reception::Reception;
use crate::refusal::MemoryError;
use crate::route::Route;
use crate::row::{Row, Why};
use crate::service::{Caller, Memory};
use brainstem_base::Timestamp;
use brainstem_claims::beat;
use std::path::PathBuf;

/// What the beat is for.
#[derive(Clone, Debug)]
pub struct NorthRequest {
    /// The task at hand; empty for none.
    pub task: String,
    /// The size of the beat.
    pub budget_tokens: usize,
}

/// Where a caller starts from.
#[derive(Clone, Debug)]
pub struct Beat {
    /// The task it was composed for.
    pub task: String,
    /// Which brain, and how far it can be trusted.
    pub binding: Binding,
    /// The project's rows, then the medulla's, each most useful first.
    pub memory: Vec<Row>,
    /// Claims about the task that did not fit; where none is about it, all that are not shown.
    pub left_out: usize,
    /// The boot keys of the two tiers.
    pub boot: Vec<crate::BootRow>,
    /// How many claim files the stores hold that could be counted.
    pub memory_exists: usize,
    /// A store could not be counted: there may be more, also where none was counted.
    pub uncounted: bool,
    /// Claims of the two tiers that disagree.
    pub conflicts: Vec<ConflictPair>,
    /// What could not be looked at, or was not found.
    pub gaps: Vec<Gap>,
    /// Where the caller is, when that is not plainly where it means to be.
    pub reception: Option<Reception>,
    /// What waits in the caller's boxes, where its project has mail.
    pub mail: Option<MailStanding>,
    /// What to do next.
    pub next_moves: Vec<String>,
    /// The stores that were read.
    pub sources: Vec<(&'static str, PathBuf)>,
    /// When it was composed.
    pub composed_at: Timestamp,
}

/// Where the caller landed.
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
        let route = self.route(caller);
        let now = self.clock.now();
        let wanted = Wanted {
            task: request.task.clone(),
            budget: request.budget_tokens * beat::BYTES_PER_TOKEN,
            otherwise: Otherwise::Recent,
        };
        let composed = self.compose(&route, &wanted, now);
        let (memory_exists, failed) = (composed.memory_exists(), composed.failed());
        let uncounted = composed.uncounted();
        let mut gaps: Vec<Gap> = composed.feeds().flat_map(|feed| feed.gaps.clone()).collect();
        let Composed { project, medulla, memory, left_out, held } = composed;
        gaps.extend(held);
        let is_held = gaps.iter().any(|gap| gap.name == HELD_BACK);
        let unbound = self.unbound_gap(caller, crate::Tier::Both);
        let is_unseen = failed || gaps.iter().chain(&unbound).any(|gap| is_unseen(gap.name));
        gaps.extend(absence(&request.task, memory_exists, &memory, is_unseen, is_held));
        gaps.extend(unbound);
        let (conflicts, more) = match &project {
            Some(project) => self.conflicts(project, &medulla, &memory, wanted.text_len_max()),
            None => (Vec::new(), 0),
        };
        if more > 0 {
            let detail = format!("{more} more pairs of claims disagree between the project and the medulla");
            gaps.push(Gap::new("conflicts_left_out", detail));
        }

        let waiting = match &project {
            Some(project) if !project.failed => {
                let born = |slug: &str| project.born(slug);
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
        gaps.extend(booted.gaps);
        let trust_mode = match &route {
            _ if failed => TrustMode::Degraded,
            Route::Broken { .. } => TrustMode::Degraded,
            Route::Bound { .. } => TrustMode::Full,
            Route::Replaced { .. } | Route::Brainless { .. } => TrustMode::MedullaOnly,
            Route::Unbound { .. } => TrustMode::Unbound,
        };
        let (mail, mail_gap) = self.mail_standing(caller, now);
        gaps.extend(mail_gap);
        self.count_beat(route.brain(), now);
        let mut sources = Vec::new();
        if let Some(brain) = route.brain() {
            sources.push(("project", self.store_of(brain).paths().claims.clone()));
        }
        sources.push(("medulla", self.home.medulla().paths().claims.clone()));
        Ok(Beat {
            // What was asked with a secret in it is answered without.
            task: floor::without_secrets(&request.task),
            conflicts,
            reception: self.reception(caller, &route),
            next_moves: next_moves(&route, memory_exists == 0 && !is_unseen, left_out, mail)
                .into_iter()
                .chain(propose::waiting_line(&waiting, &caller.principal.agent))
                .chain(route.brain().and_then(|brain| self.open_line(&self.store_of(brain))))
                .collect(),
            mail,
            binding: Binding {
                brain: route.brain().map(|brain| brain.origin()),
                fingerprint: route.brain().map(|brain| brain.fingerprint.clone()),
                root: match &route {
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
            left_out,
            memory_exists,
            uncounted,
            gaps,
            sources,
            composed_at: now,
        })
    }
}

/// Says why a beat carries nothing about its task; over a store that is not empty it never says that
/// there is no memory. Where claims may exist that nobody could look at, their gap has said so.
fn absence(task: &str, memory_exists: usize, memory: &[Row], is_unseen: bool, is_held: bool) -> Option<Gap> {
    if memory_exists == 0 {
        return (!is_unseen).then(|| Gap::new("empty", "No durable memory yet"));
    }
    if memory.is_empty() && is_unseen {
        return None;
    }
    let matched = memory.iter().any(|row| matches!(row.why, Why::Matched { .. }));
    if matched || memory.is_empty() && is_held || task.trim().is_empty() {
        return None;
    }
    Some(Gap::new(
        "no_match",
        "memory exists, not necessarily about your task: these are the most recent claims",
    ))
}

fn next_moves(route: &Route, is_empty: bool, left_out: usize, mail: Option<MailStanding>) -> Vec<String> {
    let mut moves = Vec::new();
    if let Some(mail) = mail.filter(|mail| mail.unread > 0) {
        moves.push(format!("brainstem mail list: {}", mail.told()));
    }
    match route {
        // The gap says both ways; neither is the likely one.
        Route::Replaced { .. } => {}
        Route::Brainless { .. } | Route::Unbound { .. } => {
            moves.push("brainstem bootstrap: give this project a brain, so that it can remember".into());
        }
        Route::Broken { .. } => {
            moves.push("brainstem doctor: see what is wrong with the brain of this project".into())
        }
        Route::Bound { .. } if is_empty => {
            moves.push("brainstem memorize: write down the first thing you learn, with its evidence".into());
        }
        Route::Bound { .. } => {
            moves.push("brainstem memorize: write down what you learn, with its evidence".into())
        }
    }
    if left_out > 0 {
        let more =
            if left_out == 1 { "1 more claim was".into() } else { format!("{left_out} more claims were") };
        moves.push(format!("brainstem seek: {more} left out of this beat"));
    }
    moves
}

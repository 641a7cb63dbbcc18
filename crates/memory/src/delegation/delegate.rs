//! `delegate`: composes what a child is given to work with.

use crate::caller::follow::follow_store;
use crate::caller::secrets::Floor;
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::limits::{DELEGATION_LIST_MAX, EXPIRES_HOURS_DEFAULT, SCOPE_LEN_MAX, TASK_LEN_MAX};
use crate::reading::compose::{ComposedRows, FallbackRows, TaskBudget, cut};
use crate::reading::conflicts::{ConflictPair, Conflicts, Touching};
use crate::reading::evidence::EvidenceRoots;
use crate::reading::failed_reads::FailedReads;
use crate::reading::row::{Row, Why};
use crate::reading::withheld::{HELD_BACK, held_back};
use crate::service::Memory;
use brainstem_base::Advice;
use brainstem_base::advice;
use brainstem_base::{AgentId, Coded as _, Timestamp, codes};
use brainstem_caller::Caller;
use brainstem_caller::route::Hint;
use brainstem_caller::{Route, git_layout};
use brainstem_claims::act::{Act, Deed, RowCounts};
use brainstem_claims::delegation::DelegationId;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::{ClaimSlug, Label, beat};
use brainstem_hosts::Host;
use brainstem_vault::store::LiveFile;
use brainstem_vault::{Brain, Store};
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

const HOUR_MS: i64 = 3_600_000;

/// What is to be done, and with what.
#[derive(Clone, Debug, Default)]
pub struct DelegateRequest {
    /// The task.
    pub task: String,
    /// Where the child should work: paths, which also say what is about the task.
    pub scope: Vec<String>,
    /// Labels of claims that the child gets whatever the task says.
    pub seeds: Vec<String>,
    /// The agent that is to do it.
    pub to: Option<String>,
    /// After how many hours it runs out.
    pub expires_hours: Option<i64>,
    /// The size of what is recalled, in tokens.
    pub budget_tokens: usize,
}

/// What a child is given.
#[derive(Clone, Debug)]
pub struct Packet {
    /// How the delegation is known.
    pub id: DelegationId,
    /// The task.
    pub task: String,
    /// The agent that gives it.
    pub by: AgentId,
    /// The agent that the task is for.
    pub to: Option<AgentId>,
    /// The brain the child is to work with.
    pub brain: Brain,
    /// The home that has it.
    pub home: PathBuf,
    /// Where the child should work.
    pub scope: Vec<String>,
    /// The claims that were asked for by name.
    pub seeds: Vec<Seed>,
    /// What is remembered about the task: the seeds, the project's rows, the medulla's.
    pub memory: Vec<Row>,
    /// Claims of the two tiers that disagree and that the task touches, the most certain first.
    pub conflicts: Vec<ConflictPair>,
    /// How many there are of these.
    pub conflicts_total: usize,
    /// How many claims the stores hold that could be counted.
    pub memory_exists: usize,
    /// A store could not be counted: there may be more, even if none was counted.
    pub uncounted: bool,
    /// How many rows there would be without a limit, the seeds among them.
    pub rows_total: usize,
    /// What could not be looked at, or was not found.
    pub gaps: Vec<Gap>,
    /// Paths of the scope that do not exist, or are outside the project.
    pub notes: Vec<Advice>,
    /// The commit that the repository has checked out; `None` without a repository or a commit.
    pub commit: Option<String>,
    /// When it was composed.
    pub composed_at: Timestamp,
    /// When it runs out.
    pub expires_at: Timestamp,
}

impl Packet {
    /// How many claims of each tier it carries, as rows and as sides of what disagrees; one that is both counts once.
    pub fn rows(&self) -> RowCounts {
        let of = |tier: &str, side: &dyn Fn(&ConflictPair) -> String| {
            let rows = self.memory.iter().filter(|row| row.tier == tier).map(|row| row.label.clone());
            rows.chain(self.conflicts.iter().map(side)).collect::<HashSet<String>>().len()
        };
        let theirs = |pair: &ConflictPair| pair.medulla_label.clone().unwrap_or_else(|| pair.label.clone());
        RowCounts { project: of("project", &|pair| pair.label.clone()), medulla: of("medulla", &theirs) }
    }

    /// How many rows did not fit.
    pub fn left_out(&self) -> usize {
        self.rows_total.saturating_sub(self.memory.len())
    }
}

/// A claim that was asked for by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The name of its file, without the ending.
    pub id: String,
    /// Its label.
    pub label: String,
    /// `project` or `medulla`.
    pub tier: &'static str,
}

impl Memory {
    /// Composes the packet of a delegation and records that it was given out. Exactly the caller's own
    /// store and the medulla are read. `fit` cuts everything that could fit to what does, in the form in which the
    /// packet is handed out: what is recorded is what is carried.
    pub fn delegate(
        &self,
        caller: &Caller,
        request: &DelegateRequest,
        fit: &dyn Fn(Packet) -> Packet,
    ) -> Result<Packet, MemoryError> {
        let to = checked(&self.floor(), request)?;
        self.home.check_writable()?;
        let mut spent = false;
        follow_store(caller, || {
            let brain = self.bound(caller)?;
            if !std::mem::replace(&mut spent, true) {
                self.check_write_quota(&caller.principal.agent)?;
            }
            self.home.remember_root(&brain)?;
            self.store_of(&brain).check_not_exposed()?;
            let (memory, reads) = self.at(caller).noting_reads();
            memory.packet(caller, brain, request, to.clone(), &reads, fit).map_err(|error| {
                match error.code() {
                    // A seed whose file the disk did not give is there.
                    codes::CLAIM_NOT_FOUND => reads.claims().pop().map_or(error, MemoryError::Unreadable),
                    _ => error,
                }
            })
        })
    }

    fn packet(
        &self,
        caller: &Caller,
        brain: Brain,
        request: &DelegateRequest,
        to: Option<AgentId>,
        reads: &FailedReads,
        fit: &dyn Fn(Packet) -> Packet,
    ) -> Result<Packet, MemoryError> {
        let now = self.clock.now();
        let budget = request.budget_tokens * beat::BYTES_PER_TOKEN;
        let mut wanted = TaskBudget { task: request.task.clone(), budget, fallback: FallbackRows::Nothing };
        // A claim that names a path of the scope is about the task.
        for path in &request.scope {
            wanted.task.push('\n');
            wanted.task.push_str(path);
        }
        let (mut seeded, held_seeds) = self.seeded(&brain, &request.seeds, now)?;
        for row in &mut seeded {
            cut(row, budget);
        }
        let route = Route::Bound { brain: Box::new(brain.clone()), by: Hint::Explicit };
        let mut composed = self.compose(&route, &wanted, now);
        composed.medulla.tell_shared(&mut seeded);
        let is_seeded = |row: &Row| seeded.iter().any(|seed| (seed.tier, &seed.id) == (row.tier, &row.id));
        let found = composed.memory.len();
        composed.memory.retain(|row| !is_seeded(row));
        let rows_total = composed.total + seeded.len() - (found - composed.memory.len());
        let roots = EvidenceRoots::of(self);
        for feed in composed.feeds() {
            let tier = crate::reading::row::tier_of(feed.place);
            seeded.iter_mut().filter(|row| row.tier == tier).for_each(|row| {
                feed.mark(std::slice::from_mut(row));
                roots.mark(feed.root.as_deref(), row);
            });
        }
        let seeds =
            seeded.iter().map(|row| Seed { id: row.id.clone(), label: row.label.clone(), tier: row.tier });
        let seeds: Vec<Seed> = seeds.collect();
        let (memory_exists, failed) = (composed.memory_exists(), composed.failed());
        let uncounted = composed.uncounted();
        let mut gaps: Vec<Gap> = composed.feeds().flat_map(|feed| feed.gaps.clone()).collect();
        let ComposedRows { project, medulla, memory, withheld: held, .. } = composed;
        let held = held.into_iter().filter(|gap| !held_seeds.contains(gap)).collect::<Vec<_>>();
        gaps.extend(held_seeds.into_iter().chain(held));
        let memory: Vec<Row> = seeded.into_iter().chain(memory).collect();
        let is_held = gaps.iter().any(|gap| gap.name == HELD_BACK);
        if memory.is_empty() && !failed && !is_held {
            gaps.extend(match memory_exists {
                // A file that cannot be read may be a claim; its gap is named.
                0 if uncounted => None,
                0 => Some(Gap::new("empty", "No durable memory yet")),
                1 => Some(Gap::new("no_match", "1 claim exists; it was not found for this task")),
                count => {
                    Some(Gap::new("no_match", format!("{count} claims exist; none was found for this task")))
                }
            });
        }
        let conflicts = match &project {
            Some(project) => self.conflicts(project, &medulla, &memory, Touching::Rows, budget),
            None => Conflicts::default(),
        };
        gaps.extend(reads.unnamed_by(&gaps));
        let hours = request.expires_hours.unwrap_or(EXPIRES_HOURS_DEFAULT);
        let packet = Packet {
            id: DelegationId::new(self.ids.random()),
            task: request.task.trim().to_owned(),
            by: caller.principal.agent.clone(),
            to,
            home: self.home.path().to_owned(),
            scope: request.scope.clone(),
            seeds,
            memory,
            conflicts: conflicts.pairs,
            conflicts_total: conflicts.total,
            memory_exists,
            uncounted,
            rows_total,
            gaps,
            notes: self.scope_notes(caller, &brain, &request.scope),
            commit: git_layout::commit_of(&*self.disk, &brain.root),
            composed_at: now,
            expires_at: Timestamp::from_ms(now.ms().saturating_add(hours.saturating_mul(HOUR_MS))),
            brain,
        };
        let packet = fit(packet);
        self.give_out(&packet)?;
        Ok(packet)
    }

    /// Says which paths of a scope do not exist, or are outside the project: a child would look for them in vain, or
    /// find no memory about them. A pattern is left alone.
    fn scope_notes(&self, caller: &Caller, brain: &Brain, scope: &[String]) -> Vec<Advice> {
        let cwd = caller.hints().cwd.as_ref().map(|cwd| git_layout::canonical(&*self.disk, cwd));
        let base = cwd.filter(|cwd| cwd.starts_with(&brain.root)).unwrap_or_else(|| brain.root.clone());
        let note = |path: &String| {
            let bare = path.trim().split('#').next().unwrap_or_default();
            if bare.contains(['*', '?', '[', '{']) || bare.contains("://") {
                return None;
            }
            let place = |base: &Path| git_layout::canonical(&*self.disk, &plain(&base.join(bare)));
            let there = [base.as_path(), &brain.root].map(place);
            match there.iter().find(|place| self.disk.stat(place).is_ok()) {
                Some(place) if place.starts_with(&brain.root) => None,
                Some(_) => Some(advice![
                    "`{path}` of the scope lies outside ",
                    brain.origin(),
                    ": what other projects remember about it is not carried"
                ]),
                None => {
                    Some(advice!["`{path}` of the scope is not there; the packet names it as it was given"])
                }
            }
        };
        scope.iter().filter_map(note).collect()
    }

    /// Records the delegation: counts and ids, because the log may be committed.
    fn give_out(&self, packet: &Packet) -> Result<(), MemoryError> {
        let deed = Deed::Delegate {
            id: packet.id.clone(),
            expires_at: Some(packet.expires_at),
            rows: packet.rows(),
            seeds: Some(packet.seeds.len() as u64),
            left_out: Some(packet.left_out() as u64),
            to: packet.to.as_ref().map(ToString::to_string),
        };
        let act = Act::new(deed, &packet.by, packet.composed_at);
        let store = self.store_of(&packet.brain);
        store.record_in_one_step(&log_name(&packet.id), |log| Ok::<(), MemoryError>(log.record(&act)?))?;
        self.keep_task(&packet.id, &packet.task);
        Ok(())
    }

    /// The rows of claims that were asked for by name: the project's, or else the medulla's.
    /// One that carries a secret is held back like any other.
    fn seeded(
        &self,
        brain: &Brain,
        labels: &[String],
        now: Timestamp,
    ) -> Result<(Vec<Row>, Vec<Gap>), MemoryError> {
        let stores = [(self.store_of(brain), FilePlace::Project), (self.home.medulla(), FilePlace::Medulla)];
        let (mut rows, mut held): (Vec<Row>, Vec<Gap>) = (Vec::new(), Vec::new());
        for label in labels {
            let label = self.floor().label("seeds", label)?;
            let found =
                stores.iter().find_map(|(store, place)| Some((self.seed_in(store, &label)?, store, *place)));
            let Some((slug, store, place)) = found else {
                let place = format!("{} or the medulla", brain.origin());
                return Err(self.not_found(&stores[0].0, &label, &place));
            };
            let stored = store.stored(slug.as_str());
            let known =
                |row: &Row| row.id == slug.as_str() && row.tier == crate::reading::row::tier_of(place);
            if !rows.iter().any(known) {
                for stored in &stored {
                    let whose =
                        if place == FilePlace::Medulla { "the medulla".to_owned() } else { brain.origin() };
                    match held_back(&self.floor(), &whose, stored) {
                        Some(gap) if held.contains(&gap) => {}
                        Some(gap) => held.push(gap),
                        None => rows.push(Row::new(stored, place, now, Why::Asked)),
                    }
                }
            }
        }
        Ok((rows, held))
    }

    fn seed_in(&self, store: &Store, label: &Label) -> Option<ClaimSlug> {
        let slug = ClaimSlug::of(label);
        match store.live(&slug) {
            LiveFile::Claim(_) => self.slug_named(store, label, "").ok(),
            LiveFile::Absent | LiveFile::Unreadable(_) => None,
        }
    }
}

/// The name under which a store notes what becomes of a delegation.
pub(crate) fn log_name(id: &DelegationId) -> ClaimSlug {
    ClaimSlug::of(&Label::parse(id.as_str()).expect("an id is a short word"))
}

/// Checks every field, the hygiene floor first, and reads the child's id.
fn checked(floor: &Floor, request: &DelegateRequest) -> Result<Option<AgentId>, MemoryError> {
    floor.check_text("task", &request.task)?;
    for (field, values) in [("scope", &request.scope), ("seeds", &request.seeds)] {
        values.iter().try_for_each(|value| floor.check_text(field, value))?;
        if values.len() > DELEGATION_LIST_MAX {
            return Err(too_many(field, "at most 32 entries"));
        }
    }
    floor.check_text("to", request.to.as_deref().unwrap_or_default())?;
    if request.task.trim().is_empty() {
        return Err(MemoryError::Missing {
            field: "task",
            give: "what the child is to do".into(),
            rule: "MEM-39",
        });
    }
    if request.task.len() > TASK_LEN_MAX {
        return Err(too_many("task", "a task of at most 16 KiB; put the rest into a file and name it"));
    }
    let is_path = |path: &String| !path.trim().is_empty() && path.len() <= SCOPE_LEN_MAX;
    if !request.scope.iter().all(is_path) {
        return Err(too_many("scope", "paths of 1 to 1024 bytes"));
    }
    // One agent, one name: what the child writes is signed with the same id as everything else of that agent.
    Ok(request.to.as_deref().map(|to| AgentId::parse(Host::agent_called(to.trim()))).transpose()?)
}

fn too_many(field: &'static str, takes: &'static str) -> MemoryError {
    MemoryError::BadValue {
        field,
        value: "…".into(),
        what: "value within its limits",
        takes: takes.into(),
        rule: "MEM-39",
    }
}

/// Returns a path without `.` and `..`, as far as that can be done without the disk.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => plain.push(part),
        }
    }
    plain
}

//! The world of one case: a home and projects of its own, made under the real home and removed again.
//!
//! It starts with the claims of the two real stores, so that a case is tried beside the real claims. Their
//! files are linked, not copied: this program replaces a claim's file and never writes into it, so the real
//! ones stay as they are.

use super::battery_error::BatteryError;
use super::limits::CASE_WAIT;
use crate::Post;
use brainstem_base::disk::FileKind;
use brainstem_base::{AgentId, DiskFault};
use brainstem_claims::{ClaimSlug, Label};
use brainstem_letters::battery::{
    CaseDefinition, CasePlace, CaseQuestion, GivenClaim, MEDULLA, NOWHERE, PROJECT, SeenAnswer, SeenRow,
    judge,
};
use brainstem_memory::identity::IdentitySource;
use brainstem_memory::limits::BUDGET;
use brainstem_memory::{
    BootstrapRequest, Caller, CallerPlace, MemorizeRequest, Memory, NorthRequest, Principal, RootHints,
    WriteTier,
};
use brainstem_vault::scan::CLAIM_SUFFIX;
use brainstem_vault::{StoreError, durable};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The writer of a claim that names none.
const WRITER: &str = "codex:maker";
/// The writer of a claim of the medulla that names none.
const OWNER: &str = "human:owner";
/// The largest claim file that is copied where it cannot be linked.
const CLAIM_LEN_MAX: u64 = 1024 * 1024;

struct CaseWorld<'a> {
    post: &'a Post,
    top: PathBuf,
}

impl Post {
    /// Tries a case, and returns what was wrong.
    pub(crate) fn try_case(
        &self,
        root: Option<&Path>,
        case: &CaseDefinition,
    ) -> Result<Vec<String>, BatteryError> {
        let worlds = self.memory().home().worlds();
        let held = worlds.hold(CASE_WAIT)?;
        // Removes what a killed run left.
        held.clear()?;
        let world = CaseWorld { post: self, top: worlds.dir().join(self.ids().temp_suffix()) };
        let judged = world.make(root, case).and_then(|()| world.ask(case));
        // If this fails, the next run removes the rest.
        held.clear()?;
        judged
    }
}

impl CaseWorld<'_> {
    /// A new service over the world's files, as a process that has just started would have it.
    fn memory(&self) -> Memory {
        self.post.memory().beside(self.top.join("home"), self.top.clone())
    }

    fn make(&self, root: Option<&Path>, case: &CaseDefinition) -> Result<(), BatteryError> {
        let disk = self.post.disk();
        let spots = case.given.iter().map(|given| &given.store).chain(case.ask.iter().map(|ask| &ask.from));
        let spots: Vec<CasePlace<'_>> = spots.filter_map(|spot| CasePlace::parse(spot)).collect();
        let mut names: BTreeSet<&str> = spots.iter().map(|spot| spot.name).collect();
        names.extend([PROJECT, NOWHERE]);
        names.remove(MEDULLA);
        for name in &names {
            let dir = self.top.join(name);
            durable::make_dirs(disk, &dir)?;
            if *name != NOWHERE {
                let git = dir.join(".git");
                disk.make_dir(&git)
                    .and_then(|()| disk.write_new(&git.join("HEAD"), b"ref: refs/heads/main\n"))
                    .map_err(StoreError::disk("cannot make the world of a case"))?;
                let here = self.caller(OWNER, name)?;
                self.memory().bootstrap(&here, &BootstrapRequest::default())?;
            }
        }
        for spot in spots.iter().filter(|spot| !spot.below.is_empty()) {
            durable::make_dirs(disk, &self.top.join(spot.name).join(spot.below))?;
        }
        self.copy_stores(root)?;
        for given in &case.given {
            self.give(given)?;
        }
        Ok(())
    }

    /// The claims of the real stores.
    fn copy_stores(&self, root: Option<&Path>) -> Result<(), BatteryError> {
        let (real, ours) = (self.post.memory().home(), self.memory());
        ours.home().ensure()?;
        self.copy(&real.medulla().paths().claims, &ours.home().medulla().paths().claims)?;
        if let Some(brain) = root.and_then(|root| real.brain_at(root))
            && let Some(copy) = ours.home().brain_at(&self.top.join(PROJECT))
        {
            let (from, to) = (real.store_of(&brain), ours.home().store_of(&copy));
            self.copy(&from.paths().claims, &to.paths().claims)?;
        }
        Ok(())
    }

    fn copy(&self, from: &Path, to: &Path) -> Result<(), BatteryError> {
        let disk = self.post.disk();
        let entries = match disk.list(from) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(()),
            Err(error) => return Err(StoreError::disk("cannot copy a store for a case")(error).into()),
        };
        durable::make_dirs(disk, to)?;
        for entry in entries.into_iter().filter(|entry| entry.kind == FileKind::File) {
            let is_claim = entry.name.to_string_lossy().ends_with(CLAIM_SUFFIX);
            let (from, to) = (from.join(&entry.name), to.join(&entry.name));
            if !is_claim {
                continue;
            }
            let linked = disk.link(&from, &to);
            let copied = match linked {
                Err(error) if error.fault() == DiskFault::NotFound => Ok(()),
                // On another file system, or where links are not permitted.
                Err(_) => disk.read(&from, CLAIM_LEN_MAX).and_then(|bytes| disk.write_new(&to, &bytes)),
                Ok(()) => Ok(()),
            };
            copied.map_err(StoreError::disk("cannot copy a store for a case"))?;
        }
        Ok(())
    }

    /// Writes a claim of the case, in place of the claim with its label.
    fn give(&self, given: &GivenClaim) -> Result<(), BatteryError> {
        let spot = CasePlace::parse(&given.store).expect("checked when the case was read");
        let is_doctrine = spot.name == MEDULLA;
        let (who, place) = match is_doctrine {
            true => (OWNER, NOWHERE.to_owned()),
            false => (WRITER, given.store.clone()),
        };
        let caller = self.caller(given.by.as_deref().unwrap_or(who), &place)?;
        let memory = self.memory();
        let store = match memory.route(&caller).brain() {
            Some(brain) if !is_doctrine => memory.home().store_of(brain),
            Some(_) | None => memory.home().medulla(),
        };
        if let Ok(label) = Label::parse(&given.label) {
            let name = format!("{}{CLAIM_SUFFIX}", ClaimSlug::of(&label));
            // This removes the world's link alone; the real file stays.
            let _ = self.post.disk().unlink(&store.paths().claims.join(name));
        }
        let request = MemorizeRequest {
            label: given.label.clone(),
            text: given.text.clone(),
            tier: is_doctrine.then_some(WriteTier::Medulla),
            ..MemorizeRequest::default()
        };
        memory.memorize(&caller, &request)?;
        Ok(())
    }

    fn ask(&self, case: &CaseDefinition) -> Result<Vec<String>, BatteryError> {
        let mut wrong = Vec::new();
        for ask in &case.ask {
            wrong.extend(judge(ask, &self.seen(ask)?));
        }
        Ok(wrong)
    }

    fn seen(&self, ask: &CaseQuestion) -> Result<SeenAnswer, BatteryError> {
        let place = if ask.from == MEDULLA { NOWHERE } else { ask.from.as_str() };
        let caller = self.caller(WRITER, place)?;
        // A new service for each question: it knows only what the files say.
        let request = NorthRequest { task: ask.task.clone(), budget_tokens: *BUDGET.end() };
        let beat = self.memory().north(&caller, &request)?;
        let store_of = |origin: &str, tier: &str| match tier {
            MEDULLA => MEDULLA.to_owned(),
            _ => origin.rsplit_once('@').map_or(origin, |(name, _)| name).to_owned(),
        };
        let rows = beat.memory.iter().map(|row| SeenRow {
            label: row.label.clone(),
            text: row.text.clone(),
            by: row.source_agent.clone().unwrap_or_default(),
            store: store_of(row.origin_brain.as_deref().unwrap_or_default(), row.tier),
        });
        let lists =
            self.memory().brains(&caller)?.brains.into_iter().map(|row| row.brain.manifest.name.to_string());
        Ok(SeenAnswer {
            rows: rows.collect(),
            claims_absence: beat.gaps.iter().any(|gap| gap.name == "empty"),
            lists: lists.collect(),
        })
    }

    fn caller(&self, agent: &str, place: &str) -> Result<Caller, BatteryError> {
        let agent = AgentId::parse(agent)?;
        let principal = Principal {
            mail: Default::default(),
            kind: agent.kind(),
            source: IdentitySource::Argument,
            display_name: None,
            self_declared: true,
            unread: Vec::new(),
            agent,
        };
        let hints = RootHints { cwd: Some(self.top.join(place)), ..RootHints::default() };
        Ok(Caller::new(principal, CallerPlace::of_call(hints, None)))
    }
}

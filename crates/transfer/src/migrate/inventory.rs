//! What a migration finds: every claim of the mixed stores, each with its one destination.

use super::answer::{Ghost, MigrateRequest, MigrateRow, Migration, RowFate};
use super::numbers::{row, sha256};
use crate::limits::SIGNS_MAX;
use crate::service::Transfer;
use brainstem_base::disk::FileKind;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{DiskFault, Fault, codes};
use brainstem_claims::act::{Act, Deed, DeedKind, Mention};
use brainstem_claims::evidence::{Evidence, Freshness};
use brainstem_claims::lifecycle::MEDULLA;
use brainstem_claims::light::keys;
use brainstem_claims::triage::{self, ClaimDestination, TriageFacts, TriageProject, TriageResult};
use brainstem_claims::undecided_file::UndecidedSide;
use brainstem_claims::{Claim, ClaimSlug, Label, LightFile};
use brainstem_memory::store_work;
use brainstem_memory::{Gap, MemoryError, without_secrets};
use brainstem_vault::home::Roster;
use brainstem_vault::scan::{CLAIM_SUFFIX, StoredClaim};
use brainstem_vault::store::LiveFile;
use brainstem_vault::tombstones::Tombstones;
use brainstem_vault::{Brain, Store, StoreError, StorePlace};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// What a migration found.
#[derive(Default)]
pub(super) struct Inventory {
    pub(super) items: Vec<InventoryClaim>,
    pub(super) ghosts: Vec<(Ghost, Brain)>,
    gaps: Vec<Gap>,
}

/// One claim.
pub(super) struct InventoryClaim {
    pub(super) row: MigrateRow,
    /// Its file.
    pub(super) path: PathBuf,
    /// What it said when the inventory was taken; `None` where it is no readable claim.
    pub(super) claim: Option<Claim>,
    pub(super) source: InventoryStore,
    /// What it needs to go, where it goes.
    pub(super) leaving: Option<Ready>,
}

/// A claim that can go.
pub(super) struct Ready {
    pub(super) slug: ClaimSlug,
    pub(super) claim: Claim,
    pub(super) arriving: LightFile,
    pub(super) to: Brain,
    /// It arrived there before this run, as the log there says.
    pub(super) has_arrived: bool,
    /// The very same was there before any migration: undoing takes nothing away there.
    pub(super) was_there: bool,
}

/// A store that is sorted.
#[derive(Clone)]
pub(super) struct InventoryStore {
    pub(super) store: Store,
    pub(super) origin: String,
    pub(super) ghost: Option<Brain>,
}

/// Brains whose memory is kept, and whose root is gone or another folder now.
pub(crate) struct Rootless(Vec<Brain>);

/// What the decisions are made with.
struct MigrationContext<'a> {
    brains: Vec<Brain>,
    projects: Vec<TriageProject>,
    decided: BTreeMap<String, Option<usize>>,
    /// Names that rows of this inventory take.
    taken: HashSet<(usize, ClaimSlug)>,
    open: Option<u64>,
    ghosts: &'a [Brain],
    rootless: Rootless,
    /// What was forgotten in each brain, read once.
    forgotten: Vec<OnceCell<Tombstones>>,
}

impl Inventory {
    /// Returns the plan of a migration of what was found.
    pub(super) fn plan(&self) -> Migration {
        Migration {
            rows: self.items.iter().map(|item| item.row.clone()).collect(),
            ghosts: self.ghosts.iter().map(|(ghost, _)| ghost.clone()).collect(),
            gaps: self.gaps.clone(),
            ..Migration::default()
        }
    }
}

impl Transfer {
    /// Looks at the medulla and at every brain whose root is gone.
    pub(super) fn inventory(
        &self,
        request: &MigrateRequest,
        open: Option<u64>,
    ) -> Result<Inventory, MemoryError> {
        let mut found = Inventory::default();
        let roster = self.home().roster()?;
        for broken in &roster.broken {
            let detail = format!("`{}`: {}", broken.path.display(), broken.why);
            found.gaps.push(Gap::new("unreadable_brain", detail));
        }
        let (brains, ghosts, rootless) = self.parted(roster);
        let projects = projects_of(&brains);
        let decided = decisions(&request.decide, &projects)?;
        let forgotten = brains.iter().map(|_| OnceCell::new()).collect();
        let taken = HashSet::new();
        let mut desk =
            MigrationContext { brains, projects, decided, taken, open, ghosts: &ghosts, rootless, forgotten };
        // Claims that are gone are no empty medulla.
        self.home().check_medulla()?;
        let medulla = InventoryStore { store: self.home().medulla(), origin: MEDULLA.into(), ghost: None };
        self.sort_store(&medulla, &mut desk, &mut found)?;
        for ghost in &ghosts {
            let source = InventoryStore {
                store: self.store_of(ghost),
                origin: ghost.origin(),
                ghost: Some(ghost.clone()),
            };
            if ghost.place == StorePlace::Owner
                && let Err(error) = self.sort_store(&source, &mut desk, &mut found)
            {
                let detail = format!("the store of {}: {error}", source.origin);
                found.gaps.push(Gap::new("store_unreadable", detail));
                continue;
            }
            let told = self.ghost(ghost, &found);
            found.ghosts.push((told, ghost.clone()));
        }
        let named = |label: &String| {
            let is_it = |item: &InventoryClaim| item.row.label == *label || item.row.id == *label;
            found.items.iter().any(is_it)
        };
        // What a run before this one, or one that was killed, brought there is decided as it should be.
        let is_there = |label: &String, at: &Option<usize>| {
            let slug = Label::parse(label).ok().map(|label| ClaimSlug::of(&label));
            at.zip(slug).is_some_and(|(at, slug)| {
                matches!(self.store_of(&desk.brains[at]).live(&slug), LiveFile::Claim(_))
            })
        };
        let unknown = |(label, at): &(&String, &Option<usize>)| !named(label) && !is_there(label, at);
        if let Some((label, _)) = desk.decided.iter().find(unknown) {
            let message = format!("no claim that could move is called {label:?}");
            return Err(bad_decision(message, "see migrate plan for the labels"));
        }
        Ok(found)
    }

    /// The brains whose root is here, also as the projects that claims may belong to; and those whose root is not.
    pub(crate) fn living(&self) -> Result<(Vec<Brain>, Vec<TriageProject>, Rootless), MemoryError> {
        let (brains, _, rootless) = self.parted(self.home().roster()?);
        let projects = projects_of(&brains);
        Ok((brains, projects, rootless))
    }

    /// The brains whose root is here, those whose root is gone, and these with those whose root is another folder now.
    fn parted(&self, roster: Roster) -> (Vec<Brain>, Vec<Brain>, Rootless) {
        let (ghosts, brains): (Vec<Brain>, Vec<Brain>) =
            roster.brains.into_iter().partition(|brain| self.is_ghost(brain));
        let displaced = roster.displaced.into_iter().map(|displaced| displaced.brain);
        let rootless = Rootless(ghosts.iter().cloned().chain(displaced).collect());
        (brains, ghosts, rootless)
    }

    fn is_ghost(&self, brain: &Brain) -> bool {
        self.disk().stat(&brain.root).is_err_and(|error| error.fault() == DiskFault::NotFound)
    }

    fn sort_store(
        &self,
        source: &InventoryStore,
        desk: &mut MigrationContext<'_>,
        found: &mut Inventory,
    ) -> Result<(), MemoryError> {
        let scan = source.store.scan()?;
        let begun = self.begun(source, desk.open)?;
        for bad in scan.unreadable {
            let name = bad.path.file_name().map(|name| name.to_string_lossy().into_owned());
            let name = name.unwrap_or_default();
            let id = name.strip_suffix(CLAIM_SUFFIX).unwrap_or(&name).to_owned();
            let row = flagged(source, name, id, format!("it is no readable claim: {}", bad.why));
            let source = source.clone();
            found.items.push(InventoryClaim { row, path: bad.path, claim: None, source, leaving: None });
        }
        for stored in scan
            .claims
            .into_iter()
            .filter(|stored| stored.side.is_none_or(|side| side == UndecidedSide::OURS))
        {
            let (row, leaving) = self.sort_claim(source, &stored, &begun, desk);
            let (path, claim, source) = (stored.path, Some(stored.claim), source.clone());
            found.items.push(InventoryClaim { row, path, claim, source, leaving });
        }
        Ok(())
    }

    /// Where an apply that was cut off had begun to send claims: the subject of the row, and its act.
    fn begun(
        &self,
        source: &InventoryStore,
        open: Option<u64>,
    ) -> Result<HashMap<Mention, Act>, MemoryError> {
        if open.is_none() {
            return Ok(HashMap::new());
        }
        let acts = source.store.acts().of_kinds(&[DeedKind::Migrate])?.into_iter();
        let ours = |act: Act| match act.deed() {
            Deed::Migrate { upon, migration, .. } if *migration == open => Some((upon.clone(), act)),
            _ => None,
        };
        Ok(acts.filter_map(ours).collect())
    }

    fn sort_claim(
        &self,
        source: &InventoryStore,
        stored: &StoredClaim,
        begun: &HashMap<Mention, Act>,
        desk: &mut MigrationContext<'_>,
    ) -> (MigrateRow, Option<Ready>) {
        let claim = &stored.claim;
        let flag = |why: String| (flagged(source, claim.label.clone(), stored.id.clone(), why), None);
        if stored.side.is_some() {
            return flag(format!("two versions wait for a decision: {}", calls::resolve()));
        }
        let slug = match Label::parse(&claim.label).map(|label| ClaimSlug::of(&label)) {
            Ok(slug) if slug.as_str() == stored.id => slug,
            Ok(slug) => return flag(format!("its file should be called `{slug}{CLAIM_SUFFIX}`")),
            Err(fault) => return flag(fault.to_string()),
        };
        let begun = desk.open.and_then(|open| begun.get(&row(&slug, claim, open)));
        let sorted = match begun.and_then(|act| desk.begun_for(act)) {
            Some(at) => TriageResult {
                destination: ClaimDestination::Project(at),
                reason: "a migration that was cut off had begun to move it".into(),
            },
            None => self.sort(source, claim, &slug, desk),
        };
        let row = |fate, to: Option<&Brain>, reason| MigrateRow {
            label: claim.label.clone(),
            id: stored.id.clone(),
            from: source.origin.clone(),
            from_root: source.root(),
            to: to.map(Brain::origin),
            to_root: to.map(|brain| brain.root.clone()),
            fate,
            reason,
        };
        let at = match sorted.destination {
            ClaimDestination::Doctrine => return (row(RowFate::Doctrine, None, sorted.reason), None),
            ClaimDestination::Doubt => return flag(sorted.reason),
            ClaimDestination::Project(at) => at,
        };
        let brain = desk.brains[at].clone();
        let arriving = self.arriving(claim, &brain);
        let arrival =
            desk.open.map(|open| super::numbers::arrival(super::numbers::row(&slug, claim, open)).id());
        let there = self.store_of(&brain);
        let has_arrived = arrival.is_some_and(|id| there.acts().has(&id).unwrap_or(false));
        if !has_arrived && let Err(why) = self.obstacle(desk, at, &there, &slug, &arriving) {
            return flag(format!("{}; but {why}", sorted.reason));
        }
        if !desk.taken.insert((at, slug.clone())) {
            return flag(format!("{}; but another claim of that name goes there", sorted.reason));
        }
        let was_there = match begun {
            Some(act) => !matches!(act.deed(), Deed::Migrate { arrived: Some(_), .. }),
            None => self.is_there(&there.live_path(&slug)),
        };
        let row = row(RowFate::Moves, Some(&brain), sorted.reason);
        let ready = Ready { slug, claim: claim.clone(), arriving, to: brain, has_arrived, was_there };
        (row, Some(ready))
    }

    fn sort(
        &self,
        source: &InventoryStore,
        claim: &Claim,
        slug: &ClaimSlug,
        desk: &MigrationContext<'_>,
    ) -> TriageResult {
        let decided = desk.decided.get(claim.label.as_str()).or_else(|| desk.decided.get(slug.as_str()));
        if let Some(decided) = decided {
            let destination = decided.map_or(ClaimDestination::Doctrine, ClaimDestination::Project);
            return TriageResult { destination, reason: "you decided so".into() };
        }
        let Some(ghost) = &source.ghost else {
            let sorted = triage::sort(claim, &desk.projects, &self.pointed_to(claim, &desk.projects));
            let sorted = self.without_namesake(sorted, &desk.brains, &desk.rootless);
            return self.with_bootstrap(claim, sorted);
        };
        // What was private to one project is not guessed into another.
        let same = |brain: &&Brain| brain.manifest.id == ghost.manifest.id;
        let carriers: Vec<usize> = (0..desk.brains.len()).filter(|at| same(&&desk.brains[*at])).collect();
        let is_it = |at: &&usize| self.home().is_project_of(&desk.brains[**at].root, ghost);
        let living: Vec<usize> = carriers.iter().filter(is_it).copied().collect();
        match living.as_slice() {
            [at] if desk.ghosts.iter().filter(|brain| same(brain)).count() == 1 => TriageResult {
                destination: ClaimDestination::Project(*at),
                reason: format!("its brain lives on at `{}`", desk.brains[*at].root.display()),
            },
            _ => {
                let gone = format!("the root of its project, `{}`, is gone", ghost.root.display());
                let reason = match carriers.first().filter(|_| living.is_empty()) {
                    Some(at) => format!(
                        "{gone}; `{}` carries its id, and its commits, its origin and its files do not say that it \
                         is the same project",
                        desk.brains[*at].root.display()
                    ),
                    None => gone,
                };
                TriageResult { destination: ClaimDestination::Doubt, reason }
            }
        }
    }

    /// Leaves in doubt what would go to a project that has the id of one whose root is gone or another folder now, and
    /// is not recognised as that one.
    pub(crate) fn without_namesake(
        &self,
        sorted: TriageResult,
        brains: &[Brain],
        rootless: &Rootless,
    ) -> TriageResult {
        let ClaimDestination::Project(at) = sorted.destination else { return sorted };
        let brain = &brains[at];
        let is_namesake = |kept: &&Brain| {
            kept.manifest.id == brain.manifest.id && !self.home().is_project_of(&brain.root, kept)
        };
        let Some(kept) = rootless.0.iter().find(is_namesake) else { return sorted };
        let reason = format!(
            "{}; but `{}` only carries the id of the project that was at `{}`",
            sorted.reason,
            brain.root.display(),
            kept.root.display()
        );
        TriageResult { destination: ClaimDestination::Doubt, reason }
    }

    /// Says what would help a claim whose project is here and has no brain.
    fn with_bootstrap(&self, claim: &Claim, sorted: TriageResult) -> TriageResult {
        let root = claim.origin_brain.as_deref().map(Path::new).filter(|path| path.is_absolute());
        let is_here = |root: &&Path| self.disk().stat(root).is_ok_and(|stat| stat.kind == FileKind::Dir);
        match root.filter(is_here) {
            Some(root) if sorted.destination == ClaimDestination::Doubt => {
                let reason = format!("{}; {} gives it one", sorted.reason, calls::bootstrap_at(root));
                TriageResult { reason, ..sorted }
            }
            Some(_) | None => sorted,
        }
    }

    /// What is in the way of a claim.
    fn obstacle(
        &self,
        desk: &MigrationContext<'_>,
        at: usize,
        there: &Store,
        slug: &ClaimSlug,
        arriving: &LightFile,
    ) -> Result<(), String> {
        let origin = &desk.projects[at].origin;
        let claim = Claim::from(arriving.clone());
        self.floor().check_claim(&claim).map_err(|error| error.to_string())?;
        there.check_writable().map_err(|error| format!("{origin} cannot be written: {error}"))?;
        let unknown = |error: StoreError| format!("{origin} cannot be read: {error}");
        if there.is_taken(slug, arriving).map_err(unknown)? {
            return Err(format!("{origin} holds another claim of that name"));
        }
        let forgotten = desk.forgotten[at].get_or_init(|| there.tombstones());
        if there.was_taken_back(slug, &claim) || forgotten.cover(&claim) {
            return Err(format!("it was taken back or forgotten in {origin}"));
        }
        // `<slug>@<ms>` names one version of a store, and the acts upon it are upon no other.
        if there.in_history(slug, claim.created, |_| true) {
            return Err(format!("{origin} had a version of that name with the same birth"));
        }
        Ok(())
    }

    /// The file as it is written there. Birth, author and text stay. A path of this machine in the header or
    /// in evidence becomes what the project calls it; what is unknown is not filled in.
    pub(crate) fn arriving(&self, claim: &Claim, brain: &Brain) -> LightFile {
        let mut file = claim.file.clone();
        if claim.origin_brain.as_deref().is_some_and(|origin| origin != MEDULLA && !origin.contains('@')) {
            file.set(keys::ORIGIN_BRAIN, &brain.origin());
        }
        file.reanchor(|text| {
            let evidence = Evidence::parse(text);
            let path = self.full_path(&evidence.path)?;
            let relative = path.strip_prefix(&brain.root).ok()?.to_str().filter(|path| !path.is_empty())?;
            Some(Evidence { path: relative.to_owned(), ..evidence }.to_string())
        });
        store_work::fit_file(&self.store_of(brain), &file)
    }

    /// An absolute path, with `~` as the person's home.
    fn full_path(&self, text: &str) -> Option<PathBuf> {
        let path = match (text.strip_prefix("~/"), self.memory().user_home()) {
            (Some(rest), Some(home)) => home.join(rest),
            (Some(_), None) => return None,
            (None, _) => PathBuf::from(text),
        };
        let is_plain = !path.components().any(|part| matches!(part, std::path::Component::ParentDir));
        (path.is_absolute() && is_plain).then_some(path)
    }

    /// Which projects hold what a claim points to.
    pub(crate) fn pointed_to(&self, claim: &Claim, projects: &[TriageProject]) -> TriageFacts {
        let mut found = TriageFacts::default();
        let mut shared = Vec::new();
        for evidence in claim.evidence.iter().take(SIGNS_MAX).filter(|one| !one.path.contains("://")) {
            let holders = match self.full_path(&evidence.path) {
                Some(path) => triage::covering(&path, projects).into_iter().collect(),
                None => self.holders(evidence, projects),
            };
            let signs = holders.iter().map(|at| (*at, evidence.path.clone()));
            if holders.len() == 1 { found.evidence.extend(signs) } else { shared.extend(signs) }
        }
        // What several projects have says nothing, unless there is nothing else.
        if found.evidence.is_empty() {
            found.evidence = shared;
        }
        let title = claim.title.as_deref().unwrap_or_default();
        let paths = triage::paths_in(title).chain(triage::paths_in(&claim.text)).take(SIGNS_MAX);
        found.text = paths
            .filter_map(|path| Some((triage::covering(&self.full_path(path)?, projects)?, path.to_owned())))
            .collect();
        found
    }

    /// The projects in which a relative path is: those where it still says what it said, else all.
    fn holders(&self, evidence: &Evidence, projects: &[TriageProject]) -> Vec<usize> {
        let look = |project: &TriageProject| store_work::freshness(self.memory(), &project.root, evidence);
        let seen: Vec<Freshness> = projects.iter().map(look).collect();
        let with =
            |is_it: &dyn Fn(usize) -> bool| (0..projects.len()).filter(|at| is_it(*at)).collect::<Vec<_>>();
        let fresh = with(&|at| seen[at].holds());
        if !fresh.is_empty() {
            return fresh;
        }
        let is_plain = !Path::new(&evidence.path)
            .components()
            .any(|part| matches!(part, std::path::Component::ParentDir));
        with(&|at| is_plain && self.is_there(&projects[at].root.join(&evidence.path)))
    }

    fn is_there(&self, path: &Path) -> bool {
        self.disk().stat(path).is_ok()
    }

    /// What becomes of a brain whose root is gone.
    fn ghost(&self, ghost: &Brain, found: &Inventory) -> Ghost {
        let mine = |item: &&InventoryClaim| {
            item.source.origin == ghost.origin() && item.source.ghost.as_ref() == Some(ghost)
        };
        let stays = found.items.iter().filter(mine).filter(|item| item.leaving.is_none()).count();
        let reason = match ghost.place {
            StorePlace::Repo => Err("its claims travel with its repository, which is not here".to_owned()),
            StorePlace::Owner if stays > 0 => Err(format!("{stays} of its claims stay with it")),
            StorePlace::Owner if store_work::has_boot_keys(self.memory(), ghost) => {
                Err("it has boot keys".to_owned())
            }
            StorePlace::Owner => {
                Ok("nothing live is left in it; it is set aside, history and all".to_owned())
            }
        };
        Ghost {
            origin: ghost.origin(),
            root: ghost.root.clone(),
            folder: ghost.folder.clone(),
            swept: reason.is_ok(),
            reason: reason.unwrap_or_else(|why| why),
        }
    }
}

impl MigrationContext<'_> {
    /// The brain to which a migration that was cut off had begun to send a claim.
    fn begun_for(&self, act: &Act) -> Option<usize> {
        let Deed::Migrate { to, .. } = act.deed() else { return None };
        self.brains.iter().position(|brain| Some(&brain.fingerprint) == to.as_ref())
    }
}

fn projects_of(brains: &[Brain]) -> Vec<TriageProject> {
    let project = |brain: &Brain| TriageProject {
        origin: brain.origin(),
        name: brain.manifest.name.to_string(),
        root: brain.root.clone(),
    };
    brains.iter().map(project).collect()
}

impl InventoryStore {
    /// The root of its project; `None` for the medulla.
    fn root(&self) -> Option<PathBuf> {
        self.ghost.as_ref().map(|brain| brain.root.clone())
    }
}

fn flagged(source: &InventoryStore, label: String, id: String, reason: String) -> MigrateRow {
    MigrateRow {
        label,
        id,
        from: source.origin.clone(),
        from_root: source.root(),
        to: None,
        to_root: None,
        fate: RowFate::Flagged,
        reason,
    }
}

/// What a person decided: the label, and the place of the project, or nothing for what stays.
fn decisions(
    texts: &[String],
    projects: &[TriageProject],
) -> Result<BTreeMap<String, Option<usize>>, MemoryError> {
    let mut decided = BTreeMap::new();
    for text in texts {
        let (label, place) = text
            .rsplit_once('=')
            .map(|(label, place)| (label.trim(), place.trim()))
            .filter(|(label, place)| !label.is_empty() && !place.is_empty())
            .ok_or_else(|| bad_decision(format!("{text:?} decides nothing"), "write LABEL=BRAIN"))?;
        if decided.contains_key(label) {
            return Err(bad_decision(format!("{label:?} is decided twice"), "decide each label once"));
        }
        if place == MEDULLA {
            decided.insert(label.to_owned(), None);
            continue;
        }
        let is_it = |project: &&TriageProject| {
            project.origin == place || project.name == place || project.root == Path::new(place)
        };
        let meant: Vec<usize> =
            projects.iter().enumerate().filter(|(_, project)| is_it(project)).map(|(at, _)| at).collect();
        let [at] = meant.as_slice() else {
            let message = format!("{place:?} names {} brains whose root is here", meant.len());
            return Err(bad_decision(
                message,
                advice!["name one as ", calls::brains(), " does, by its root, or write medulla"],
            ));
        };
        decided.insert(label.to_owned(), Some(*at));
    }
    Ok(decided)
}

fn bad_decision(message: String, fix: impl Into<Advice>) -> MemoryError {
    let message = without_secrets(&message);
    Fault::new(codes::INPUT_BAD_VALUE, message).fix(fix).field("decide").rule("MEM-42").into()
}

/// The sha256 of what arrives.
pub(super) fn arriving_sha256(file: &LightFile) -> String {
    sha256(&Claim::from(file.clone()))
}

//! `doctor`: looks over the home, every brain and every store, and names what is wrong, each with the
//! one thing to do about it.
//!
//! It only looks. With [`Leftovers::Swept`] it removes the temporary files that interrupted
//! writes have left, when they hold nothing that is not elsewhere.

mod brains;
mod census;
mod damage;
mod examined_store;
mod finding;
mod forgotten_acts;
mod ground;
mod home_in_git;
mod leftovers;
mod mixed;
mod reach;
mod repository;
mod store;

pub use census::unfit;
pub use examined_store::StoreCount;
pub use finding::{Finding, Severity, Trouble};
pub use leftovers::Leftovers;
pub use mixed::{FindMixed, MisplacedClaim, MixedMedulla};
pub use reach::{Meant, OutOfReach, out_of_reach};

use crate::brains::scope::BrainScope;
use crate::error::MemoryError;
use crate::reading::failed_reads::FailedReads;
use crate::service::Memory;
use brainstem_base::next::calls;
use brainstem_base::{Coded as _, advice};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_claims::undecided_file::UndecidedSide;
use brainstem_vault::home::{AtRoot, BrokenFolder, Roster};
use brainstem_vault::{Brain, StoreError, StorePaths};
use examined_store::ExaminedStore;
use finding::Findings;
use std::path::{Path, PathBuf};

/// How to look.
#[derive(Clone, Copy, Debug)]
pub struct DoctorRequest {
    /// What becomes of the temporary files that interrupted writes have left.
    pub leftovers: Leftovers,
    /// Whose files are named; those of other projects' stores are counted.
    pub brains: BrainScope,
    /// Finds the claims of the medulla that belong to projects.
    pub find_mixed: FindMixed,
}

impl DoctorRequest {
    /// Only looks, and names the files of the caller's own project alone.
    pub fn new(find_mixed: FindMixed) -> Self {
        Self { leftovers: Leftovers::default(), brains: BrainScope::default(), find_mixed }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The home.
    pub home: PathBuf,
    /// What is wrong, worst first.
    pub findings: Vec<Finding>,
    /// The stores that were read.
    pub stores: Vec<StoreCount>,
    /// The files that were removed.
    pub swept: Vec<PathBuf>,
}

impl Diagnosis {
    /// How many findings have this weight.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.trouble.severity() == severity).count()
    }
}

impl Diagnosis {
    /// Adds what another service found, worst first as before. If it names a path that the census found unfit, its own
    /// words count.
    pub fn add(&mut self, found: Vec<Finding>) {
        let is_told = |path: &Path| found.iter().any(|finding| finding.place == path);
        self.findings.retain(|finding| !finding.trouble.is_of_the_census() || !is_told(&finding.place));
        self.findings.extend(found);
        self.findings.sort_by_key(|finding| (finding.trouble.severity(), finding.trouble));
    }
}

impl Memory {
    /// Looks over everything. After each store `progress` gets how many are done, of how many.
    pub fn doctor(
        &self,
        caller: &Caller,
        request: &DoctorRequest,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Diagnosis, MemoryError> {
        if request.leftovers == Leftovers::Swept {
            self.home.check_writable()?;
        }
        let (memory, reads) = self.at(caller).noting_reads();
        memory.diagnose(caller, request, &reads, progress)
    }

    fn diagnose(
        &self,
        caller: &Caller,
        request: &DoctorRequest,
        reads: &FailedReads,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Diagnosis, MemoryError> {
        let mut found = Findings::default();
        let mut diagnosis = Diagnosis {
            home: self.home.path().to_owned(),
            findings: Vec::new(),
            stores: Vec::new(),
            swept: Vec::new(),
        };
        self.examine_config(caller, &mut found);
        let root = self.project_of_caller(caller);
        self.examine_brainless(root.as_deref(), &mut found);
        if self.examine_home(&mut found) {
            self.examine_home_reach(&mut found);
            let here = root.and_then(|root| self.home.brain_at(&root));
            let brains = self.examine_brains(here.as_ref(), &mut found);
            self.examine_aside(caller, &mut found);
            let medulla = ExaminedStore {
                name: "medulla".into(),
                store: self.home.medulla(),
                is_medulla: true,
                root: None,
                beats: self.served(None).beats,
                is_gone: false,
                whole: true,
            };
            let names_all = request.brains == BrainScope::All;
            let is_here = |brain: &Brain| here.as_ref().is_some_and(|here| here.root == brain.root);
            let is_another =
                |root: &Path| here.as_ref().is_none_or(|here| here.root != root) && !self.home.is_gone(root);
            for brain in &brains {
                let before = found.len();
                self.examine_brain_reach(brain, &mut found);
                self.examine_owner_side(brain, &mut found);
                self.examine_manifest(brain, &mut found);
                self.examine_private(brain, &mut found);
                self.examine_ejected(brain, &mut found);
                self.examine_sparse(brain, &mut found);
                match self.home.is_gone(&brain.root) {
                    true => found.advise_elsewhere(before, &self.take_up_elsewhere(brain)),
                    false if is_another(&brain.root) => found.advise_at(&brain.root, before),
                    false => {}
                }
            }
            let examined_stores = brains.iter().map(|brain| ExaminedStore {
                name: brain.origin(),
                store: self.store_of(brain),
                is_medulla: false,
                root: Some(brain.root.clone()),
                beats: self.served(Some(brain)).beats,
                is_gone: self.disk.stat(&brain.root).is_err(),
                whole: names_all || is_here(brain),
            });
            let displaced = self.home.roster().map(|roster| roster.displaced).unwrap_or_default();
            let displaced = displaced.into_iter().map(|displaced| ExaminedStore {
                name: displaced.brain.origin(),
                store: self.home.displaced_store(&displaced),
                is_medulla: false,
                // What is there now is another project's.
                root: None,
                beats: self.served(Some(&displaced.brain)).beats,
                is_gone: true,
                whole: names_all,
            });
            let examined_stores: Vec<ExaminedStore> =
                std::iter::once(medulla).chain(examined_stores).chain(displaced).collect();
            let mut youngest = None;
            for (at, examined) in examined_stores.iter().enumerate() {
                let before = found.len();
                let (count, born) = self.examine_store(examined, request.find_mixed, &mut found);
                examine_failed_reads(examined, reads, &mut found);
                if let Some(root) = examined.root.as_deref().filter(|root| is_another(root)) {
                    found.advise_at(root, before);
                }
                let gone = brains
                    .iter()
                    .find(|brain| examined.is_gone && examined.root.as_ref() == Some(&brain.root));
                if let Some(brain) = gone {
                    found.advise_elsewhere(before, &self.take_up_elsewhere(brain));
                }
                progress(at + 1, examined_stores.len());
                diagnosis.stores.extend(count);
                if born.as_ref().map(|(at, _)| at) > youngest.as_ref().map(|(at, _)| at) {
                    youngest = born;
                }
            }
            self.examine_linked(here.as_ref(), &mut found);
            self.examine_clock(youngest, &mut found);
            let is_whole =
                |folder: &Path| names_all || here.as_ref().is_some_and(|here| here.folder == folder);
            self.examine_census(&brains, &is_whole, &mut found);
            diagnosis.swept =
                self.examine_leftovers(&brains, &examined_stores, request.leftovers, &mut found);
        }
        diagnosis.findings = found.sorted();
        Ok(diagnosis)
    }

    /// Returns the root of the project that a caller is in, found by reading alone: a diagnosis rebinds nothing. A linked
    /// worktree has the manifest of its repository checked out, and is no project of its own.
    fn project_of_caller(&self, caller: &Caller) -> Option<PathBuf> {
        let (_, path) = caller.place().deciding()?;
        let path = git_layout::canonical(&*self.disk, &path);
        git_layout::project_of(&self.home, &self.never, &path)
    }

    /// Names what git merged in the caller's own linked worktree and what waits there for a decision.
    fn examine_linked(&self, here: Option<&Brain>, found: &mut Findings) {
        let linked = here.and_then(|here| self.home.linked_store(here, &self.checkout(&here.root)));
        let Some(linked) = linked else { return };
        let Ok(scan) = linked.scan() else { return };
        let acts = linked.acts().read().map(|read| read.acts).unwrap_or_default();
        for stored in scan.claims.iter().filter(|stored| stored.side == Some(UndecidedSide::OURS)) {
            let (detail, fix) = store::undecided_words(stored, &scan, &acts);
            found.add(Trouble::MergeUndecided, &stored.path, detail, fix);
        }
    }

    /// Looks whether a sparse checkout leaves the memory of a brain out.
    fn examine_sparse(&self, brain: &Brain, found: &mut Findings) {
        if let AtRoot::Broken(folder) = self.home.look_at(&brain.root)
            && folder.is_not_checked_out()
        {
            found_not_checked_out(folder, found);
        }
    }

    /// Looks for claims in the repository of a caller whose project has no brain here.
    fn examine_brainless(&self, root: Option<&Path>, found: &mut Findings) {
        let Some(root) = root else { return };
        match self.home.look_at(root) {
            AtRoot::Brain(_) => {}
            // One that the home knows is examined with the other brains.
            AtRoot::Broken(folder) if folder.is_not_checked_out() => {
                let is_known = |roster: Roster| roster.brains.iter().any(|brain| brain.root == root);
                if !self.home.roster().is_ok_and(is_known) {
                    found_not_checked_out(folder, found);
                }
            }
            AtRoot::Nothing | AtRoot::Replaced(_) | AtRoot::Broken(_) => {
                self.examine_manifest_missing(root, found)
            }
        }
    }
}

/// Names memory that git has and the working tree does not.
fn found_not_checked_out(folder: BrokenFolder, found: &mut Findings) {
    let (place, detail) = (folder.path.clone(), folder.why.clone());
    let fix = StoreError::from(folder).fix().unwrap_or_default();
    found.add(Trouble::NotCheckedOut, place, detail, fix);
}

/// Names the claim files of a store that the disk did not give at some moment of the diagnosis, and that no finding names.
fn examine_failed_reads(examined: &ExaminedStore, reads: &FailedReads, found: &mut Findings) {
    let StorePaths { claims, history, kept, .. } = examined.store.paths();
    let is_inside = |path: &Path| {
        [Some(claims), Some(history), kept.as_ref()].into_iter().flatten().any(|dir| path.starts_with(dir))
    };
    let mut inside = Findings::default();
    for bad in reads.claims() {
        if is_inside(&bad.path) && !found.is_about(&bad.path, claims) {
            let detail = format!("{}: it was read at another moment of this diagnosis", bad.why);
            inside.add(
                Trouble::ClaimUnreadable,
                bad.path,
                detail,
                advice!["run ", calls::doctor(), " again"],
            );
        }
    }
    found.add_store(inside, claims, examined.whole);
}

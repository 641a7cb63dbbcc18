//! A mixed folder of another tool: each claim goes to the brain it belongs to, by the rules of a migration.

use super::answer::{Flagged, ImportRequest, Imported, NotTaken};
use super::folder::ImportStore;
use super::parcel::{At, ImportFile, MEND, Parcel};
use crate::service::Transfer;
use brainstem_base::advice;
use brainstem_base::codes;
use brainstem_base::next::calls;
use brainstem_caller::Caller;
use brainstem_claims::triage::{self, ClaimDestination, TriageProject, TriageResult};
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_memory::store_work::{self, Target};
use brainstem_memory::{Gap, MemoryError, WriteTier};
use brainstem_vault::history::parse_version_name;
use std::collections::{BTreeMap, HashMap};

impl Transfer {
    /// Gives every claim its store. What is in doubt stays in the medulla and is named; what was private to a project
    /// that is not here is not taken.
    pub(super) fn sorted(
        &self,
        caller: &Caller,
        request: &ImportRequest,
        shelves: Vec<(ImportStore, Parcel)>,
        imported: &mut Imported,
    ) -> Result<Vec<(Target, Parcel)>, MemoryError> {
        let (brains, projects, rootless) = self.living()?;
        // The medulla is the place after the last project.
        let mut parcels: BTreeMap<usize, Parcel> = BTreeMap::new();
        let (mut versions_left, mut acts_left) = (0, 0);
        for (shelf, parcel) in shelves {
            acts_left += parcel.acts.len();
            let mut places: HashMap<ClaimSlug, usize> = HashMap::new();
            let (live, past): (Vec<ImportFile>, Vec<ImportFile>) =
                parcel.items.into_iter().partition(|item| item.at == At::Live);
            for mut item in live {
                let Ok(claim) = Claim::parse(&item.bytes) else {
                    let why = "it is no readable claim".to_owned();
                    let (name, fix) = (item.name, Some(MEND.into()));
                    let (label, code) = (None, codes::CLAIM_UNREADABLE);
                    imported.not_taken.push(NotTaken { name, label, code, why, fix });
                    continue;
                };
                let sorted = self.shelved(&shelf, &claim, &projects);
                // A repository that only carries the id of a project gets nothing of it.
                let TriageResult { destination, reason } = self.without_namesake(sorted, &brains, &rootless);
                let at = match destination {
                    ClaimDestination::Project(at) => {
                        item.bytes = self.arriving(&claim, &brains[at]).render().into_bytes();
                        at
                    }
                    ClaimDestination::Doctrine => projects.len(),
                    // What was private to a project is not guessed into the medulla.
                    ClaimDestination::Doubt if shelf.root.is_some() => {
                        let (code, name) = (codes::IMPORT_UNSORTED, item.name);
                        let root = shelf.root.as_deref();
                        let fix =
                            root.map(|root| advice![calls::bootstrap_at(root), ", then repeat the import"]);
                        let label = Some(claim.label);
                        imported.not_taken.push(NotTaken { name, label, code, why: reason, fix });
                        continue;
                    }
                    // It was where all projects saw it, and stays there until it is decided.
                    ClaimDestination::Doubt => {
                        let label = claim.label.clone();
                        let fix = calls::migrate_decide(format!("{label}=BRAIN")).into();
                        imported.flagged.push(Flagged { label, why: reason, fix });
                        projects.len()
                    }
                };
                if let Ok(label) = Label::parse(&claim.label) {
                    places.insert(ClaimSlug::of(&label), at);
                }
                parcels.entry(at).or_default().items.push(item);
            }
            for item in past {
                let at = parse_version_name(&item.name).and_then(|(slug, _)| places.get(&slug));
                match at {
                    Some(at) => parcels.entry(*at).or_default().items.push(item),
                    None => versions_left += 1,
                }
            }
        }
        if versions_left > 0 {
            let detail = match versions_left {
                1 => "1 version of a claim that is not taken stays where it is".to_owned(),
                count => format!("{count} versions of claims that are not taken stay where they are"),
            };
            imported.gaps.push(Gap::new("versions_left", detail));
        }
        if acts_left > 0 {
            let detail = match acts_left {
                1 => "1 act of a mixed store belongs to no one brain and stays where it is".to_owned(),
                count => {
                    format!("{count} acts of a mixed store belong to no one brain and stay where they are")
                }
            };
            imported.gaps.push(Gap::new("acts_left", detail));
        }
        self.home().check_writable()?;
        let addressed = parcels.into_iter().map(|(at, parcel)| {
            let target = match brains.get(at) {
                Some(brain) => store_work::target_of(self.memory(), brain.clone()),
                None => self.import_target(caller, Some(WriteTier::Medulla), request.dry_run)?,
            };
            Ok((target, parcel))
        });
        addressed.collect()
    }

    fn shelved(&self, shelf: &ImportStore, claim: &Claim, projects: &[TriageProject]) -> TriageResult {
        let Some(root) = &shelf.root else {
            return triage::sort(claim, projects, &self.pointed_to(claim, projects));
        };
        match triage::covering(root, projects) {
            Some(at) => TriageResult {
                destination: ClaimDestination::Project(at),
                reason: format!("it lay in the store of {}", projects[at].origin),
            },
            None => TriageResult {
                destination: ClaimDestination::Doubt,
                reason: format!("it is of the project at `{}`, which has no brain here", root.display()),
            },
        }
    }
}

//! The versions that an export carries besides the files of a store in a repository: written here, and in no file of
//! the checkout or the history.

use crate::StoreError;
use crate::history::{ExitReason, version_name};
use crate::missing_from_checkout::{CopyLookup, CopyState};
use crate::scan::{CLAIM_SUFFIX, read_file};
use crate::store::Store;
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use brainstem_claims::merge::versions_in;
use brainstem_claims::{Claim, ClaimSlug};
use std::collections::HashSet;

/// A file in an export that the store does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedFile {
    /// Its name, which is free in its folder.
    pub name: String,
    /// How it left, for a version that belongs to history; `None` for one that belongs to the live claims.
    pub exit: Option<ExitReason>,
    /// What it says.
    pub bytes: Vec<u8>,
}

impl Store {
    /// The versions that were written here and are under the home alone. The youngest of a label without a live file is
    /// carried as the live one, every other as a version of history.
    pub fn carried(&self) -> Result<Vec<CarriedFile>, StoreError> {
        let mut carried = self.carried_from_owner()?;
        let mut names: HashSet<String> = carried.iter().map(|it| it.name.clone()).collect();
        let look = CopyLookup::at(self);
        for label in self.kept_labels()? {
            let slug = &label.slug;
            let copies = look.states(slug, self.copies_in(&label))?;
            let missing = copies.iter().rposition(|(_, state)| *state == CopyState::Missing);
            let live_name = format!("{slug}{CLAIM_SUFFIX}");
            let is_live = self.disk().stat(&self.live_path(slug)).is_ok() || names.contains(&live_name);
            for (at, (copy, state)) in copies.iter().enumerate() {
                let exit = match state {
                    CopyState::Missing if !is_live && Some(at) == missing => {
                        let bytes = copy.claim.file.render().into_bytes();
                        carried.push(CarriedFile { name: live_name.clone(), exit: None, bytes });
                        continue;
                    }
                    CopyState::Missing
                    | CopyState::Followed
                    | CopyState::Renamed
                    | CopyState::ForgottenElsewhere => ExitReason::Superseded,
                    CopyState::Retracted => ExitReason::Retracted,
                    CopyState::Live | CopyState::InHistory | CopyState::Forgotten => continue,
                };
                carried.push(self.as_version(slug, &copy.claim, exit, &mut names));
            }
        }
        Ok(carried)
    }

    /// The claims that an interrupted move into the repository left under the home, or that an eject put there before
    /// git brought the repository's store back.
    fn carried_from_owner(&self) -> Result<Vec<CarriedFile>, StoreError> {
        let owner = self.paths().placed.as_ref().and_then(|placed| placed.owner.as_ref());
        let Some(owner) = owner else { return Ok(Vec::new()) };
        let entries = match self.disk().list(owner) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::disk("cannot list the store")(error)),
        };
        let mut carried = Vec::new();
        let mut names = HashSet::new();
        let files = entries.into_iter().filter(|entry| entry.kind != FileKind::Dir);
        for name in files.filter_map(|entry| entry.name.into_string().ok()) {
            let Some(stem) = name.strip_suffix(CLAIM_SUFFIX).filter(|_| !name.starts_with('.')) else {
                continue;
            };
            let Ok(bytes) = read_file(self.disk(), &owner.join(&name)) else { continue };
            let live = self.paths().claims.join(&name);
            if self.disk().stat(&live).is_err() {
                carried.push(CarriedFile { name, exit: None, bytes });
                continue;
            }
            let (Some(slug), live) = (ClaimSlug::parse(stem), self.versions_at(&live)?) else { continue };
            let versions = versions_in(&bytes).unwrap_or_default().into_iter();
            for claim in versions.filter(|claim| !live.iter().any(|live| live.is_version(claim))) {
                carried.push(self.as_version(&slug, &claim, ExitReason::Superseded, &mut names));
            }
        }
        Ok(carried)
    }

    /// A version in the form of history, under a name that is free in history and among the carried files.
    fn as_version(
        &self,
        slug: &ClaimSlug,
        claim: &Claim,
        exit: ExitReason,
        names: &mut HashSet<String>,
    ) -> CarriedFile {
        let is_free = |name: &String| {
            !names.contains(name) && self.disk().stat(&self.paths().history.join(name)).is_err()
        };
        let mut candidates = (0..).map(|n| version_name(slug, claim.created, n, exit));
        let name = candidates.find(is_free).expect("the numbers do not end");
        names.insert(name.clone());
        let file = match exit {
            ExitReason::Superseded => claim.outdated(),
            ExitReason::Retracted | ExitReason::Moved => claim.file.clone(),
        };
        CarriedFile { name, exit: Some(exit), bytes: file.render().into_bytes() }
    }
}

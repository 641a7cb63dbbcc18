//! The claims of a store, file by file.

use super::Store;
use crate::StoreError;
use crate::history::VersionName;
use crate::scan::{self, CLAIM_SUFFIX, ClaimFileContent, StoredClaim};
use brainstem_base::DiskFault;
use brainstem_base::disk::FolderEntry;
use brainstem_claims::ClaimSlug;

impl Store {
    /// The claims in the file of this stem: one, or several that wait for a decision; empty if the file is missing or
    /// cannot be read.
    pub fn stored(&self, id: &str) -> Vec<StoredClaim> {
        let path = self.paths().claims.join(format!("{id}{CLAIM_SUFFIX}"));
        match scan::read_content(self.disk(), &path) {
            ClaimFileContent::Claim(claim) => {
                vec![StoredClaim { id: id.to_owned(), path, claim: *claim, side: None }]
            }
            ClaimFileContent::Sides(sides) => scan::stored_sides(id, &path, sides).collect(),
            ClaimFileContent::Unreadable(_) | ClaimFileContent::Unread(_) | ClaimFileContent::Nothing => {
                Vec::new()
            }
        }
    }

    /// The labels in the first claim files by name, at most `count` of them. No other file is read.
    pub fn first_labels(&self, count: usize) -> Result<Vec<String>, StoreError> {
        let files = scan::entries(self.disk(), &self.paths().claims)?.into_iter().take(count);
        let label =
            |entry: FolderEntry| match scan::read_content(self.disk(), &self.paths().claims.join(entry.name))
            {
                ClaimFileContent::Claim(claim) => Some(claim.label),
                ClaimFileContent::Sides(sides) => sides.into_iter().next().map(|claim| claim.label),
                ClaimFileContent::Unreadable(_) | ClaimFileContent::Unread(_) | ClaimFileContent::Nothing => {
                    None
                }
            };
        Ok(files.filter_map(label).collect())
    }

    /// The content of the file or folder of this name, which has a claim's name.
    pub fn held(&self, name: &str) -> ClaimFileContent {
        scan::read_content(self.disk(), &self.paths().claims.join(name))
    }

    /// The files of a slug's versions, readable or not, by name.
    pub(crate) fn version_names(&self, slug: &ClaimSlug) -> Result<Vec<String>, StoreError> {
        let entries = match self.disk.list(&self.paths.history) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot list the history")(error)),
        };
        let mut names: Vec<String> = entries
            .into_iter()
            .filter_map(|entry| entry.name.into_string().ok())
            .filter(|name| VersionName::parse(name).is_some_and(|version| version.slug == *slug))
            .collect();
        names.sort();
        Ok(names)
    }
}

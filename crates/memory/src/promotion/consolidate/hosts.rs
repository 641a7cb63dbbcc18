//! Files in which hosts keep doctrine of their own: what they say already needs no claim, only a pointer.

use super::candidate::{Candidate, CandidateKind};
use crate::gap::Gap;
use crate::limits::HOST_FILE_LEN_MAX;
use crate::service::Memory;
use brainstem_base::DiskFault;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_caller::Caller;
use brainstem_claims::repeats_host_doc::restated_at;
use brainstem_vault::scan::StoredClaim;
use std::path::PathBuf;

/// The names of those files, in a repository and in the home of a person.
const IN_REPOSITORY: &[&str] = &["CLAUDE.md", "AGENTS.md"];
const IN_HOME: &[&str] = &["CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md"];

impl Memory {
    /// Claims that such a file says already. What to do about them is for people.
    pub(super) fn restatements(
        &self,
        caller: &Caller,
        claims: &[StoredClaim],
        rows: &mut Vec<Candidate>,
        gaps: &mut Vec<Gap>,
    ) {
        for path in self.host_files(caller) {
            let text = match self.disk.read(&path, HOST_FILE_LEN_MAX) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                // A link is not followed: its target is not what the person wrote here.
                Err(error) if [DiskFault::NotFound, DiskFault::NotAFile].contains(&error.fault()) => continue,
                Err(error) => {
                    let detail = format!("`{}`: {}", path.display(), error.fault());
                    gaps.push(Gap::new("host_file_unreadable", detail));
                    continue;
                }
            };
            for stored in claims {
                if let Some(line) = restated_at(&stored.claim, &text) {
                    let place = format!("{}#L{line}", path.display());
                    let would = advice![
                        "let it be a pointer: ",
                        calls::memorize_doctrine(&stored.claim.label, format!("see {place}"))
                    ];
                    let reason = format!("`{place}` says it already");
                    rows.push(Candidate::new(CandidateKind::RestatesHost, stored, reason, would));
                }
            }
        }
    }

    fn host_files(&self, caller: &Caller) -> Vec<PathBuf> {
        let root = self.router.project_of(caller.place());
        let in_repository =
            root.into_iter().flat_map(|root| IN_REPOSITORY.iter().map(move |name| root.join(name)));
        let home = self.never.user_home.clone();
        let in_home = home.into_iter().flat_map(|home| IN_HOME.iter().map(move |name| home.join(name)));
        in_repository.chain(in_home).collect()
    }
}

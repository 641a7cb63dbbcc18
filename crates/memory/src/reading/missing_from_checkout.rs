//! What a reader of a repository's store should know besides: claims and versions that are in another place. What was
//! written here and is not in the checkout is looked for again only when something changed.

use crate::gap::Gap;
use crate::reading::missing_cache::{MissingWork, missing_among};
use crate::service::Memory;
use brainstem_base::disk::{FileKind, FolderEntry};
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{Coded as _, DiskFault};
use brainstem_claims::ClaimSlug;
use brainstem_claims::act::Act;
use brainstem_index::Snapshot;
use brainstem_vault::brain::MANIFEST;
use brainstem_vault::missing_from_checkout::Missing;
use brainstem_vault::repo;
use brainstem_vault::scan::CLAIM_SUFFIX;
use brainstem_vault::{Brain, BrainManifest, Store, StoreError, StorePlace};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The gap that names claims which are not in the checkout.
pub(crate) const ABSENT_HERE: &str = "absent_here";
/// The gap that names claims which are under the home while the store is in the repository.
pub(crate) const OWNER_SIDE: &str = "owner_side_claims";
/// The gap that names claims in a repository that belong to no brain here, because the manifest beside them is
/// missing.
pub(crate) const REPOSITORY_CLAIMS: &str = "repository_claims";
const MANIFEST_LEN_MAX: u64 = 64 * 1024;

/// How many labels a gap names.
const LABELS_NAMED_MAX: usize = 3;

/// What a reader of a repository's store should know.
#[derive(Default)]
pub(crate) struct RepositoryGaps {
    pub(crate) gaps: Vec<Gap>,
    /// The snapshot that was looked at is behind: git has put claims back since.
    pub(crate) is_behind: bool,
}

/// Claims in a repository that carries no manifest.
pub(crate) struct WithoutManifest {
    /// The folder in the repository.
    pub(crate) folder: PathBuf,
    /// How many, or why they cannot be counted.
    claims: Result<usize, String>,
}

impl WithoutManifest {
    /// What was found, as a sentence without its end.
    pub(crate) fn sentence(&self) -> String {
        let folder = self.folder.display();
        match &self.claims {
            Ok(1) => format!("1 claim lies in `{folder}` without the manifest {MANIFEST}"),
            Ok(count) => format!("{count} claims lie in `{folder}` without the manifest {MANIFEST}"),
            Err(why) => format!("claims may lie in `{folder}` without the manifest {MANIFEST} ({why})"),
        }
    }
}

impl Memory {
    /// What a reader of a repository's store should know: claims that are still under the home, and claims that were
    /// written here and are not in this checkout.
    pub(crate) fn repository_gaps(
        &self,
        brain: &Brain,
        store: &Store,
        snapshot: Option<&Arc<Snapshot>>,
    ) -> RepositoryGaps {
        if brain.place != StorePlace::Repo {
            let gaps = self.repository_claims_gap(&brain.root).into_iter().collect();
            return RepositoryGaps { gaps, is_behind: false };
        }
        let mut gaps = Vec::new();
        gaps.extend(store.check_not_exposed().err().map(|error| {
            let fix = error.fix().unwrap_or_default();
            Gap::new("private_exposed", advice!["{error}: ", fix])
        }));
        gaps.extend(self.owner_side_gap(brain));
        let missing = self.missing_in(store, snapshot);
        gaps.extend(missing.gaps);
        // The gap about claims under the home names what brings them here: no branch need have them.
        let is_told = gaps.iter().any(|gap| [ABSENT_HERE, OWNER_SIDE].contains(&gap.name));
        gaps.extend(self.manifest_gap(brain, is_told));
        RepositoryGaps { gaps, is_behind: missing.is_behind }
    }

    /// What to know about a claim that was written into a repository while others of its project are under the home: a
    /// checkout undid an `eject`, or another clone brought the memory. `None` if the home has none.
    pub(crate) fn beside_the_repository(&self, store: &Store, root: Option<&Path>) -> Option<Advice> {
        // Only a store in a repository has copies. They are under the home, in the folder that would hold its claims
        // there.
        let under_the_home = store.paths().kept.as_ref()?.parent()?;
        let is_claim = |entry: &FolderEntry| {
            let name = entry.name.as_encoded_bytes();
            entry.kind == FileKind::File && name.ends_with(CLAIM_SUFFIX.as_bytes()) && !name.starts_with(b".")
        };
        let left = self.disk.list(under_the_home).ok()?.iter().filter(|entry| is_claim(entry)).count();
        if left == 0 {
            return None;
        }
        let who = match self.home.is_out_of_git(root?) {
            true => "",
            false => ", where everybody who has a clone reads it",
        };
        Some(advice![
            "it lies in the repository{who}: ",
            owner_side(left, ""),
            ", and ",
            calls::eject(),
            " takes all of it under the home"
        ])
    }

    /// Says that claims of a repository's project are under the home, and names the first of them.
    fn owner_side_gap(&self, brain: &Brain) -> Option<Gap> {
        let owner = self.home.store_at(brain, StorePlace::Owner);
        let left = owner.count().ok().filter(|left| *left > 0)?;
        let mut labels = owner.first_labels(LABELS_NAMED_MAX).unwrap_or_default();
        labels.retain(|label| !self.floor().has_secret(label));
        let more = if left > labels.len() { ", …" } else { "" };
        let labels: Vec<String> = labels.iter().map(|label| format!("{label:?}")).collect();
        let named = if labels.is_empty() { String::new() } else { format!(" ({}{more})", labels.join(", ")) };
        Some(Gap::new(OWNER_SIDE, owner_side(left, &named)))
    }

    /// The claims in a repository that carries no manifest: a merge took the manifest away, or it was never committed.
    /// Returns `None` if there are none.
    pub(crate) fn without_manifest(&self, root: &Path) -> Option<WithoutManifest> {
        let folder = repo::folder(root);
        let is_missing = |path: &Path| {
            let found = self.disk.stat(path);
            found.is_err_and(|error| error.fault() == DiskFault::NotFound)
        };
        if folder == self.home.path() || is_missing(&folder) || !is_missing(&folder.join(MANIFEST)) {
            return None;
        }
        let claims = match self.home.claims_in(&folder) {
            Ok(0) | Err(StoreError::ClaimsGone { .. } | StoreError::NotAFolder { .. }) => return None,
            Ok(count) => Ok(count),
            Err(error) => Err(error.to_string()),
        };
        Some(WithoutManifest { folder, claims })
    }

    /// Says that the repository of a project has claims that are not shown, because their manifest is missing.
    pub(crate) fn repository_claims_gap(&self, root: &Path) -> Option<Gap> {
        let found = self.without_manifest(root)?;
        let detail = advice![
            found.sentence(),
            ": what lies there is not shown; ",
            calls::init_at(root),
            " makes it readable"
        ];
        Some(Gap::new(REPOSITORY_CLAIMS, detail))
    }

    /// Says that the manifest of a repository is missing or cannot be read, or that this checkout has none of its memory.
    fn manifest_gap(&self, brain: &Brain, is_told: bool) -> Option<Gap> {
        let folder = repo::folder(&brain.root);
        match self.disk.read(&folder.join(MANIFEST), MANIFEST_LEN_MAX) {
            Ok(bytes) if BrainManifest::parse(&bytes).is_some() => None,
            Ok(_) => {
                let detail = advice![
                    "`",
                    folder.join(MANIFEST).display().to_string(),
                    "` does not read as a manifest: other clones cannot read this memory; ",
                    calls::init(),
                    " writes it anew"
                ];
                Some(Gap::new("manifest_damaged", detail))
            }
            Err(error)
                if error.fault() == DiskFault::NotFound
                    && let Some(found) = self.without_manifest(&brain.root) =>
            {
                let call = calls::init_at(&brain.root);
                let then = match self.home.is_out_of_git(&brain.root) {
                    true => advice![call, " writes the manifest anew; it is private and stays out of git"],
                    false => advice![
                        "no other clone can read what lies there; ",
                        call,
                        " writes the manifest anew, then commit it"
                    ],
                };
                let detail = advice![found.sentence(), ": ", then];
                Some(Gap::new("manifest_missing", detail))
            }
            // A clone that was only read has no copies that could be named.
            Err(error)
                if error.fault() == DiskFault::NotFound
                    && !is_told
                    && self.disk.stat(&brain.root).is_ok() =>
            {
                let detail = "this checkout has none of the project's memory, which is kept in its repository: check out a \
                              branch that has .brainstem";
                Some(Gap::new(ABSENT_HERE, detail))
            }
            Err(_) => None,
        }
    }

    /// What was written into a store and is not in its checkout, or why that cannot be seen.
    pub(crate) fn missing_in(&self, store: &Store, snapshot: Option<&Arc<Snapshot>>) -> RepositoryGaps {
        let missing = match snapshot {
            Some(snapshot) => self.missing_cache.missing_work(&*self.disk, self.clock.now(), store, snapshot),
            None => store.kept_labels().and_then(|labels| missing_among(store, labels)).map(Arc::new),
        };
        match missing {
            Ok(missing) => RepositoryGaps { gaps: missing.gaps(), is_behind: missing.is_behind },
            Err(error) => {
                let unread = Gap::new("kept_unreadable", format!("{error} [{}]", error.code().name()));
                RepositoryGaps { gaps: vec![unread], is_behind: false }
            }
        }
    }

    /// Says that no claim of a store is live although history has versions that no act took away: files that were
    /// deleted are no empty store.
    pub(crate) fn gone_gap(&self, whose: &str, store: &Store, files: usize) -> Option<Gap> {
        // Of a repository's store the copies say what is absent.
        if files > 0 || store.paths().kept.is_some() {
            return None;
        }
        let gone = store.vanished().ok()?;
        let labels: Vec<_> =
            gone.iter().take(LABELS_NAMED_MAX).map(|label| format!("{:?}", label.as_str())).collect();
        let more = if gone.len() > labels.len() { ", …" } else { "" };
        let whose = if whose == "medulla" { "the medulla" } else { whose };
        let detail = format!(
            "no claim of {whose} is live, and history has versions of {} that nothing took back ({}{more}): their files were \
             deleted; restore `{}` from a backup, or memorize what still holds",
            counted(gone.len(), "claim"),
            labels.join(", "),
            store.paths().claims.display()
        );
        (!gone.is_empty()).then(|| Gap::new("claims_gone", detail))
    }
}

/// Says how many claims are under the home while the store is in the repository, and which are `named`.
fn owner_side(left: usize, named: &str) -> Advice {
    let claims = counted(left, "claim");
    advice![
        "{claims}{named} of this project still under the home and not shown here; ",
        calls::init(),
        " merges"
    ]
}

/// What a reader of one label should know that is missing of it.
pub(crate) fn missing_gaps(store: &Store, slug: &ClaimSlug) -> Result<Vec<Gap>, StoreError> {
    let labels = store.missing_of(slug)?.into_iter().collect();
    let forgotten = store.forgotten_elsewhere(slug)?.into_iter().map(|copy| copy.claim.label).collect();
    let unreadable = store.damaged_copies(slug)?.into_iter().map(|bad| bad.path).collect();
    Ok(MissingWork { labels, forgotten, unreadable, ..MissingWork::default() }.gaps())
}

impl MissingWork {
    fn gaps(&self) -> Vec<Gap> {
        let named = |wanted: &dyn Fn(&Missing) -> bool| {
            let labels: Vec<&str> = self
                .labels
                .iter()
                .filter(|missing| wanted(missing))
                .map(|missing| missing.youngest().label.as_str())
                .collect();
            let first: Vec<String> =
                labels.iter().take(LABELS_NAMED_MAX).map(|label| format!("{label:?}")).collect();
            let more = if labels.len() > first.len() { ", …" } else { "" };
            (labels.len(), format!("{}{more}", first.join(", ")))
        };
        let mut gaps = Vec::new();
        let (count, labels) = named(&|missing| !missing.is_live);
        if count > 0 {
            let detail = advice![
                counted(count, "claim"),
                " written here but not in this checkout ({labels}): on another branch, or cleaned away; ",
                calls::init(),
                " brings back what is gone"
            ];
            gaps.push(Gap::new("absent_here", detail));
        }
        let (count, labels) = named(&|missing| missing.is_live);
        if count > 0 {
            let has = if count == 1 { "has" } else { "have" };
            let detail = advice![
                counted(count, "claim"),
                " {has} a version that was written here and is not in this checkout ({labels}): git put another in \
                 its place; ",
                calls::show(calls::LABEL),
                " shows it, ",
                calls::resolve_take(calls::LABEL, calls::SIDE),
                " decides"
            ];
            gaps.push(Gap::new("version_absent", detail));
        }
        if !self.forgotten.is_empty() {
            let first: Vec<String> =
                self.forgotten.iter().take(LABELS_NAMED_MAX).map(|label| format!("{label:?}")).collect();
            let more = if self.forgotten.len() > first.len() { ", …" } else { "" };
            let claims = counted(self.forgotten.len(), "claim");
            let (were, first) = (if self.forgotten.len() == 1 { "was" } else { "were" }, first.join(", "));
            let detail = advice![
                "{claims} written here {were} forgotten in another clone, which only the repository's log says \
                 ({first}{more}): this home keeps its copy; ",
                calls::show(calls::LABEL),
                " shows it, ",
                calls::forget(calls::LABEL),
                " forgets it here too"
            ];
            gaps.push(Gap::new("forgotten_elsewhere", detail));
        }
        if !self.acts_away.is_empty() {
            let detail = advice![acts_away(&self.acts_away), "; ", calls::init(), " brings them back"];
            gaps.push(Gap::new("acts_absent", detail));
        }
        if let Some(first) = self.unreadable.first() {
            let copies = match self.unreadable.len() {
                1 => "1 copy".to_owned(),
                count => format!("{count} copies"),
            };
            let (first, more) = (first.display(), if self.unreadable.len() > 1 { ", …" } else { "" });
            let detail = advice![
                "{copies} of what was written here cannot be read (`{first}`{more}), so that nobody can say whether it \
                 is missing; ",
                calls::doctor(),
                " names them"
            ];
            gaps.push(Gap::new("kept_unreadable", detail));
        }
        if self.unlooked > 0 {
            let detail = advice![
                "of ",
                counted(self.unlooked, "claim"),
                " it was not looked whether a version that was written here is missing: ",
                calls::init(),
                " looks at all"
            ];
            gaps.push(Gap::new("version_absent", detail));
        }
        gaps
    }
}

/// Says which acts were recorded here and are not in the checkout.
pub(crate) fn acts_away(acts: &[Act]) -> String {
    let kinds: BTreeSet<&str> = acts.iter().map(|act| act.deed().name()).collect();
    let kinds: Vec<&str> = kinds.into_iter().collect();
    let are = if acts.len() == 1 { "is" } else { "are" };
    format!(
        "{} recorded here {are} not in this checkout's log and count all the same ({})",
        counted(acts.len(), "act"),
        kinds.join(", ")
    )
}

/// `1 claim`, `3 claims`.
fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

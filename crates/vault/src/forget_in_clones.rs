//! What other clones of a project under this home keep of a forgotten claim.
//!
//! Copies of exactly the forgotten versions go in the other clones too. A version that this clone did not hold stays,
//! and so does the file in the checkout of the other clone.

use crate::StoreError;
use crate::history;
use crate::layout::REPO_FOLDER;
use crate::scan::{self, CLAIM_SUFFIX, ClaimFileContent};
use crate::store::Store;
use crate::traces::{Traces, named_slug};
use crate::written_here::OtherClone;
use brainstem_base::DiskFault;
use brainstem_claims::lineage::relabelled;
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What became of a forgotten claim in another clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InClone {
    /// The root of its checkout.
    pub root: PathBuf,
    /// How many files went.
    pub gone: usize,
    /// How many versions stay that were written there, or that nothing says were forgotten.
    pub stay: usize,
    /// Whether a live file has the label there.
    pub is_live: bool,
    /// The names under which a forgotten version stays there, because that clone renamed the claim.
    pub renamed: BTreeSet<String>,
    /// Why its files could not be reached, if they could not.
    pub unreached: Option<String>,
}

impl Store {
    /// Deletes the copies of the forgotten versions that other clones of this project keep under the home, under the
    /// slugs of these labels. A version that a forgotten one was written over stays there: its headers may name
    /// versions that were written in that clone alone, and a committer can write such headers. Returns the clones that
    /// had something of the claim.
    pub fn forget_in_clones(&self, traces: &Traces, names: &[Label]) -> Vec<InClone> {
        let found = self.other_clones().into_iter().map(|other| in_clone(&other, names, traces));
        let has_some =
            |it: &InClone| it.gone + it.stay + it.renamed.len() > 0 || it.is_live || it.unreached.is_some();
        found.filter(has_some).collect()
    }
}

fn in_clone(OtherClone { store, root }: &OtherClone, names: &[Label], traces: &Traces) -> InClone {
    let renamed = BTreeSet::new();
    let mut found =
        InClone { root: root.clone(), gone: 0, stay: 0, is_live: false, renamed, unreached: None };
    let slugs: BTreeSet<ClaimSlug> = names.iter().map(ClaimSlug::of).collect();
    for slug in &slugs {
        // A claim of another label with this slug has no version of it.
        let may_be_its = |claim: &Claim| {
            Label::parse(&claim.label)
                .is_ok_and(|label| names.contains(&label) || ClaimSlug::of(&label) != *slug)
        };
        let name = format!("{slug}{CLAIM_SUFFIX}");
        let checkout = root.join(REPO_FOLDER).join("agent-memory").join(&name);
        let live = [checkout, store.paths().claims.join(&name)];
        found.is_live |= live.iter().any(|path| match scan::read_content(store.disk(), path) {
            ClaimFileContent::Claim(claim) => may_be_its(&claim),
            ClaimFileContent::Sides(sides) => sides.iter().any(may_be_its),
            ClaimFileContent::Unreadable(_) | ClaimFileContent::Unread(_) => true,
            ClaimFileContent::Nothing => false,
        });
        if let Err(error) = clear(store, slug, &may_be_its, traces, &mut found) {
            found.unreached = Some(error.to_string());
        }
    }
    let goes =
        |claim: &Claim| traces.has(claim) || names.iter().any(|name| traces.has(&relabelled(claim, name)));
    let checkout = root.join(REPO_FOLDER).join("agent-memory");
    for folder in [&checkout, &store.paths().claims, &store.paths().history] {
        match scan::scan(store.disk(), folder) {
            Ok(scan) => {
                let here = scan.claims.into_iter().filter(|stored| goes(&stored.claim));
                let named = here.filter_map(|stored| named_slug(&stored.path));
                found.renamed.extend(named.filter(|slug| !slugs.contains(slug)).map(|slug| slug.to_string()));
            }
            Err(error) => found.unreached = Some(error.to_string()),
        }
    }
    found
}

/// Deletes the forgotten versions of one slug, with its lock held.
fn clear(
    store: &Store,
    slug: &ClaimSlug,
    may_be_its: &dyn Fn(&Claim) -> bool,
    traces: &Traces,
    found: &mut InClone,
) -> Result<(), StoreError> {
    let (versions, unreadable) = history::versions(store.disk(), &store.paths().history, slug)?;
    let copies = store.kept_names(slug)?;
    if versions.is_empty() && unreadable.is_empty() && copies.is_empty() {
        return Ok(());
    }
    let _guard = store.lock(slug)?;
    found.stay += unreadable.len();
    let past = versions.into_iter().map(|version| (version.path, version.claim));
    let mut files: Vec<(PathBuf, Claim)> = past.collect();
    for copy in copies {
        match scan::read_content(store.disk(), &copy.path) {
            ClaimFileContent::Claim(claim) => files.push((copy.path, *claim)),
            ClaimFileContent::Nothing => {}
            ClaimFileContent::Sides(_) | ClaimFileContent::Unreadable(_) | ClaimFileContent::Unread(_) => {
                found.stay += 1
            }
        }
    }
    let fault = || StoreError::disk("cannot delete what another clone keeps of the claim");
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    for (path, claim) in files {
        if !traces.has(&claim) {
            found.stay += usize::from(may_be_its(&claim));
            continue;
        }
        match store.disk().unlink(&path) {
            Err(error) if error.fault() == DiskFault::NotFound => {}
            Err(error) => return Err(fault()(error)),
            Ok(()) => found.gone += 1,
        }
        folders.extend(path.parent().map(Path::to_owned));
    }
    folders.iter().try_for_each(|folder| store.disk().sync_dir(folder)).map_err(fault())
}

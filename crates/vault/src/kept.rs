//! Kept copies: of claims that lie in a repository, every version is also under the home.
//!
//! `git clean`, a checkout of another branch or a forced pull may take a live file away without a
//! word. A copy is no state of its own: it says nothing but that this version was once written here.

use crate::history::{Exit, version_name};
use crate::scan::{self, CLAIM_SUFFIX};
use crate::store::Store;
use crate::{StoreError, durable};
use brainstem_base::DiskFault;
use brainstem_claims::{Claim, ClaimSlug, LightFile};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A claim that was written here and is not in the checkout.
#[derive(Clone, Debug)]
pub struct Absent {
    /// Its slug.
    pub slug: ClaimSlug,
    /// Its youngest version.
    pub claim: Claim,
    /// Where the copy lies.
    pub path: PathBuf,
}

impl Store {
    /// Puts a version aside before it becomes live.
    pub(crate) fn keep_copy(&self, slug: &ClaimSlug, file: &LightFile) -> Result<(), StoreError> {
        let Some(dir) = &self.paths().kept else { return Ok(()) };
        let claim = Claim::from(file.clone());
        let path = dir.join(version_name(slug, claim.created, 0, Exit::Superseded));
        let bytes = file.render();
        let keep = || durable::create(self.disk(), self.ids(), &path, bytes.as_bytes());
        let kept = match keep() {
            Err(error) if error.fault() == DiskFault::NotFound => {
                durable::make_dirs(self.disk(), dir)?;
                keep()
            }
            kept => kept,
        };
        // A copy of the same stamp is of the same version.
        kept.map(|_| ()).map_err(StoreError::disk("cannot keep a copy of the claim"))
    }

    /// The claims that were written here, were neither superseded nor retracted, and are not live.
    pub fn absent(&self) -> Result<Vec<Absent>, StoreError> {
        let Some(dir) = &self.paths().kept else { return Ok(Vec::new()) };
        let entries = match self.disk().list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::disk("cannot list the kept copies")(error)),
        };
        let mut youngest = BTreeMap::<ClaimSlug, (i64, String)>::new();
        for name in entries.iter().filter_map(|entry| entry.name.to_str()) {
            let Some(stem) = name.strip_suffix(CLAIM_SUFFIX) else { continue };
            let Some((slug, ms)) = stem.split_once('.') else { continue };
            let (Some(slug), Ok(ms)) = (ClaimSlug::parse(slug), ms.parse::<i64>()) else { continue };
            let best = youngest.entry(slug).or_insert((i64::MIN, String::new()));
            if ms > best.0 {
                *best = (ms, name.to_owned());
            }
        }
        let mut absent = Vec::new();
        for (slug, (_, name)) in youngest {
            if self.disk().stat(&self.live_path(&slug)).is_ok() {
                continue;
            }
            let path = dir.join(name);
            let Some(Ok(claim)) = scan::read_claim(self.disk(), &path) else { continue };
            let left = [Exit::Superseded, Exit::Retracted].into_iter().any(|exit| {
                let name = version_name(&slug, claim.created, 0, exit);
                self.disk().stat(&self.paths().history.join(name)).is_ok()
            });
            if !left {
                absent.push(Absent { slug, claim, path });
            }
        }
        Ok(absent)
    }

    /// The birth stamps of the versions of a label that were kept.
    pub(crate) fn kept_stamps(&self, slug: &ClaimSlug) -> Vec<i64> {
        let entries =
            self.paths().kept.as_ref().and_then(|dir| self.disk().list(dir).ok()).unwrap_or_default();
        let stamp = |name: &str| {
            let (found, ms) = name.strip_suffix(CLAIM_SUFFIX)?.split_once('.')?;
            (found == slug.as_str()).then(|| ms.parse().ok()).flatten()
        };
        entries.iter().filter_map(|entry| stamp(entry.name.to_str()?)).collect()
    }

    /// The copies of one label.
    pub(crate) fn kept_copies(&self, slug: &ClaimSlug) -> Vec<PathBuf> {
        let Some(dir) = &self.paths().kept else { return Vec::new() };
        let stamps = self.kept_stamps(slug).into_iter();
        stamps.map(|ms| dir.join(format!("{slug}.{ms}{CLAIM_SUFFIX}"))).collect()
    }

    /// Drops the copies of a label that a claim no longer has.
    pub(crate) fn drop_kept(&self, slug: &ClaimSlug) -> Result<(), StoreError> {
        let Some(dir) = &self.paths().kept else { return Ok(()) };
        let fault = || StoreError::disk("cannot drop the kept copies");
        for copy in self.kept_copies(slug) {
            self.disk().unlink(&copy).map_err(fault())?;
        }
        match self.disk().sync_dir(dir) {
            Err(error) if error.fault() != DiskFault::NotFound => Err(fault()(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Makes an absent claim live again, as it was; a claim that is live by now stays.
    pub fn restore(&self, absent: &Absent) -> Result<(), StoreError> {
        let _guard = self.lock(&absent.slug)?;
        let bytes = absent.claim.file.render();
        durable::make_dirs(self.disk(), &self.paths().claims)?;
        durable::create(self.disk(), self.ids(), &self.live_path(&absent.slug), bytes.as_bytes())
            .map(|_| ())
            .map_err(StoreError::disk("cannot restore the claim"))
    }
}

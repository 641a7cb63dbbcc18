//! Kept copies: of claims that lie in a repository, every version is also under the home.
//!
//! `git clean`, a checkout of another branch or a forced pull may take a live file away without a
//! word. A copy is no state of its own: it says nothing but that this version was once written here.

use crate::acts::Act;
use crate::forget::Tombstones;
use crate::history::{Exit, version_name};
use crate::relocate;
use crate::rename::RENAME;
use crate::scan::{self, CLAIM_SUFFIX};
use crate::store::{Live, RETRACT, Store, subject};
use crate::{StoreError, durable};
use brainstem_base::DiskFault;
use brainstem_claims::light::keys;
use brainstem_claims::limits::CLAIM_LEN_READ_MAX;
use brainstem_claims::{Claim, ClaimSlug, LightFile};
use std::collections::HashSet;
use std::path::PathBuf;

/// The folder of the copies, beside the history.
pub(crate) const KEPT: &str = ".kept";

/// What acts, here or in another clone, say is not to be live: it was retracted, renamed or forgotten.
pub(crate) struct TakenAway {
    forgotten: Tombstones,
    retracted: HashSet<String>,
    renamed: Vec<String>,
}

impl TakenAway {
    fn by(acts: &[Act]) -> Self {
        let subjects = |wanted: &'static str| {
            acts.iter().filter(move |act| act.act == wanted).map(|act| act.subject.clone())
        };
        Self {
            forgotten: Tombstones::of(acts),
            retracted: subjects(RETRACT).collect(),
            renamed: subjects(RENAME).collect(),
        }
    }

    /// Whether a version is not to be live under this name.
    fn holds(&self, slug: &ClaimSlug, claim: &Claim) -> bool {
        let version = subject(slug, claim);
        self.forgotten.cover(claim)
            || self.retracted.contains(&version)
            || self.renamed.iter().any(|renamed| renamed.starts_with(&version))
    }
}

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
        let Some(dir) = self.kept_dir(slug) else { return Ok(()) };
        let ms = Claim::from(file.clone()).created.map_or(0, |created| created.ms());
        let path = dir.join(format!("{ms}{CLAIM_SUFFIX}"));
        let bytes = file.render();
        let keep = || durable::create(self.disk(), self.ids(), &path, bytes.as_bytes());
        let kept = match keep() {
            Err(error) if error.fault() == DiskFault::NotFound => {
                durable::make_dirs(self.disk(), &dir)?;
                keep()
            }
            kept => kept,
        };
        let fault = || StoreError::disk("cannot keep a copy of the claim");
        match kept.map_err(fault())? {
            durable::Named::New => Ok(()),
            // A copy of the same birth is of the same version; one that was promoted since is kept as such.
            durable::Named::Taken => {
                match (file.get(keys::PROMOTED_TO), scan::read_claim(self.disk(), &path)) {
                    (Some(to), Some(Ok(there))) if there.promoted_to.as_ref() != Some(&to) => {
                        durable::replace(self.disk(), self.ids(), &path, bytes.as_bytes()).map_err(fault())
                    }
                    (_, _) => Ok(()),
                }
            }
        }
    }

    /// Whether history has a version. One that was promoted is not the one that it was before, though both
    /// have the same birth.
    fn has_left(&self, slug: &ClaimSlug, claim: &Claim) -> bool {
        if claim.promoted_to.is_some() {
            return self.in_history(slug, claim.created, |past| past.promoted_to == claim.promoted_to);
        }
        Exit::ALL.into_iter().any(|exit| {
            let name = version_name(slug, claim.created, 0, exit);
            self.disk().stat(&self.paths().history.join(name)).is_ok()
        })
    }

    /// The same for a change that may be the repeat of one that was killed: folder and name are certain
    /// afterwards, whoever made them.
    pub(crate) fn keep_copy_again(&self, slug: &ClaimSlug, file: &LightFile) -> Result<(), StoreError> {
        let Some(dir) = self.kept_dir(slug) else { return Ok(()) };
        durable::make_dirs(self.disk(), &dir)?;
        self.keep_copy(slug, file)?;
        self.disk().sync_dir(&dir).map_err(StoreError::disk("cannot keep a copy of the claim"))
    }

    fn kept_dir(&self, slug: &ClaimSlug) -> Option<PathBuf> {
        self.paths().kept.as_ref().map(|kept| kept.join(slug.as_str()))
    }

    /// The claims that were written here, were neither superseded nor taken away, and are not live.
    pub fn absent(&self) -> Result<Vec<Absent>, StoreError> {
        self.absent_among(&self.kept_slugs()?)
    }

    /// The labels of which copies were kept.
    pub fn kept_slugs(&self) -> Result<Vec<ClaimSlug>, StoreError> {
        let Some(dir) = &self.paths().kept else { return Ok(Vec::new()) };
        let entries = match self.disk().list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::disk("cannot list the kept copies")(error)),
        };
        let mut slugs: Vec<ClaimSlug> =
            entries.iter().filter_map(|entry| ClaimSlug::parse(entry.name.to_str()?)).collect();
        slugs.sort();
        Ok(slugs)
    }

    /// Of these labels, the claims that were written here and are not live; of each its youngest version.
    pub fn absent_among(&self, slugs: &[ClaimSlug]) -> Result<Vec<Absent>, StoreError> {
        let mut taken_away = None;
        let mut absent = Vec::new();
        for slug in slugs.iter().filter(|slug| self.disk().stat(&self.live_path(slug)).is_err()) {
            let youngest = self.loose_copies(slug, &mut taken_away)?.pop();
            absent.extend(youngest.map(|(path, claim)| Absent { slug: slug.clone(), claim, path }));
        }
        Ok(absent)
    }

    /// The kept versions of a label that are in no history and that no act took away, oldest first. The
    /// acts are read for the first that needs them.
    pub(crate) fn loose_copies(
        &self,
        slug: &ClaimSlug,
        taken_away: &mut Option<TakenAway>,
    ) -> Result<Vec<(PathBuf, Claim)>, StoreError> {
        let mut loose = Vec::new();
        for path in self.kept_copies(slug) {
            let Some(Ok(claim)) = scan::read_claim(self.disk(), &path) else { continue };
            if !self.has_left(slug, &claim) {
                loose.push((path, claim));
            }
        }
        if !loose.is_empty() {
            let taken_away = match taken_away {
                Some(known) => known,
                None => taken_away.insert(TakenAway::by(&self.acts().read()?.acts)),
            };
            loose.retain(|(_, claim)| !taken_away.holds(slug, claim));
        }
        Ok(loose)
    }

    /// Brings over a claim that still lies under the home, after a move that was cut off.
    fn adopt(&self, slug: &ClaimSlug) -> Result<(), StoreError> {
        let owner = self.paths().placed.as_ref().and_then(|placed| placed.owner.clone());
        let Some(claims) = owner else { return Ok(()) };
        if self.disk().stat(&claims.join(format!("{slug}{CLAIM_SUFFIX}"))).is_err() {
            return Ok(());
        }
        durable::make_dirs(self.disk(), &self.paths().claims)?;
        let from = self.with_claims(claims);
        relocate::move_locked(&from, self, slug.as_str(), slug).map(|_| ())
    }

    /// Before a write: what git took away comes back into the story. The youngest such version is live
    /// again where nothing is, so that the new one is weighed against it; the others go to history.
    pub(crate) fn gather(&self, slug: &ClaimSlug) -> Result<(), StoreError> {
        if self.paths().kept.is_none() {
            return Ok(());
        }
        self.adopt(slug)?;
        let mut loose = self.loose_copies(slug, &mut None)?;
        match self.live(slug) {
            Live::Absent => {
                if let Some((_, claim)) = loose.pop() {
                    durable::make_dirs(self.disk(), &self.paths().claims)?;
                    let bytes = claim.file.render();
                    durable::create(self.disk(), self.ids(), &self.live_path(slug), bytes.as_bytes())
                        .map_err(StoreError::disk("cannot bring a claim back"))?;
                }
            }
            Live::Claim(live) => loose.retain(|(_, claim)| claim.created != live.created),
            Live::Unreadable(_) => return Ok(()),
        }
        for (_, claim) in loose {
            self.archive(slug, &claim, Exit::Superseded, claim.outdated().render().as_bytes())?;
        }
        Ok(())
    }

    /// The kept copies that a retraction from elsewhere took back: acts travel with the repository, and
    /// the version they speak of may lie here only as a copy.
    pub(crate) fn retracted_copies(&self, slug: &ClaimSlug) -> Vec<(PathBuf, Claim)> {
        let mut copies = Vec::new();
        for path in self.kept_copies(slug) {
            let Some(Ok(claim)) = scan::read_claim(self.disk(), &path) else { continue };
            if self.acts().has(&Act::id_of(RETRACT, &subject(slug, &claim))).unwrap_or(false) {
                copies.push((path, claim));
            }
        }
        copies
    }

    /// The birth stamps of the versions of a label that were kept.
    pub(crate) fn kept_stamps(&self, slug: &ClaimSlug) -> Vec<i64> {
        let entries = self.kept_dir(slug).and_then(|dir| self.disk().list(&dir).ok()).unwrap_or_default();
        let stamp = |name: &str| name.strip_suffix(CLAIM_SUFFIX)?.parse().ok();
        let mut stamps: Vec<i64> = entries.iter().filter_map(|entry| stamp(entry.name.to_str()?)).collect();
        stamps.sort_unstable();
        stamps
    }

    /// The copies of one label, oldest first.
    pub(crate) fn kept_copies(&self, slug: &ClaimSlug) -> Vec<PathBuf> {
        let Some(dir) = self.kept_dir(slug) else { return Vec::new() };
        self.kept_stamps(slug).into_iter().map(|ms| dir.join(format!("{ms}{CLAIM_SUFFIX}"))).collect()
    }

    /// Drops the copies of a label of which `is_it` holds. What a killed run has dropped is gone for certain
    /// afterwards, too.
    pub(crate) fn drop_kept_if(
        &self,
        slug: &ClaimSlug,
        is_it: impl Fn(&[u8]) -> bool,
    ) -> Result<(), StoreError> {
        let Some(dir) = self.kept_dir(slug) else { return Ok(()) };
        let fault = || StoreError::disk("cannot drop the kept copies");
        for copy in self.kept_copies(slug) {
            if self.disk().read(&copy, CLAIM_LEN_READ_MAX).is_ok_and(|bytes| is_it(&bytes)) {
                self.disk().unlink(&copy).map_err(fault())?;
            }
        }
        match self.disk().sync_dir(&dir) {
            Err(error) if error.fault() != DiskFault::NotFound => return Err(fault()(error)),
            Ok(()) | Err(_) => {}
        }
        // The folder stays while it holds something else.
        let _ = self.disk().remove_dir(&dir);
        Ok(())
    }

    /// Drops the copies of a label that a claim no longer has.
    pub(crate) fn drop_kept(&self, slug: &ClaimSlug) -> Result<(), StoreError> {
        let Some(dir) = self.kept_dir(slug) else { return Ok(()) };
        let fault = || StoreError::disk("cannot drop the kept copies");
        for copy in self.kept_copies(slug) {
            self.disk().unlink(&copy).map_err(fault())?;
        }
        // The folder stays while it holds something else.
        let _ = self.disk().remove_dir(&dir);
        match self.paths().kept.as_ref().map(|kept| self.disk().sync_dir(kept)) {
            Some(Err(error)) if error.fault() != DiskFault::NotFound => Err(fault()(error)),
            Some(_) | None => Ok(()),
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

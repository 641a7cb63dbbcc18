//! Files under a name that a claim had before it was renamed through this home: a renaming was killed, a file could not
//! be removed, or git or a backup brought the old file back.
//!
//! They belong to the claim under its new name. Every version of them is there too, so nothing is lost when they go.

use crate::StoreError;
use crate::history::VersionName;
use crate::kept_copies::{KeptName, names_below};
use crate::missing_from_checkout::CopyLookup;
use crate::piecewise;
use crate::scan;
use crate::store::{LiveFile, Store};
use brainstem_base::{DiskFault, Timestamp};
use brainstem_claims::folds::versions::WentWithClaim;
use brainstem_claims::lineage::relabelled;
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A file under an old name of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftBehind {
    /// The file.
    pub path: PathBuf,
    /// The slug that the claim had.
    pub from: ClaimSlug,
    /// The slug that it has.
    pub to: ClaimSlug,
}

impl Store {
    /// Files in history that a renaming left under the old name: the same bytes are under the new one. Also files that
    /// an interrupted renaming put under the new name before the claim got it: they belong to the claim under the old
    /// name. With a slug, only those under it, and those of the claim that has it.
    pub fn left_in_history(&self, of: Option<&ClaimSlug>) -> Result<Vec<LeftBehind>, StoreError> {
        let entries = match self.disk().list(&self.paths().history) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::disk("cannot list the history")(error)),
        };
        // A renaming changes the slug in a file's name and nothing else.
        let mut alike: HashMap<String, Vec<(ClaimSlug, i64)>> = HashMap::new();
        for name in entries.into_iter().filter_map(|entry| entry.name.into_string().ok()) {
            let Some(VersionName { slug, born_ms, .. }) = VersionName::parse(&name) else { continue };
            let rest = name[slug.as_str().len()..].to_owned();
            alike.entry(rest).or_default().push((slug, born_ms));
        }
        alike.retain(|_, slugs| {
            slugs.len() > 1 && of.is_none_or(|of| slugs.iter().any(|(slug, _)| slug == of))
        });
        if alike.is_empty() {
            return Ok(Vec::new());
        }
        let look = CopyLookup::at(self);
        let told = look.fates()?;
        let is_cut_off = self.is_cut_off();
        let mut left = Vec::new();
        for (rest, slugs) in alike {
            for (from, born_ms) in &slugs {
                let born = (*born_ms != 0).then(|| Timestamp::from_ms(*born_ms));
                let went = told.went_to(from, born);
                let is_to = |to: &ClaimSlug| {
                    went.as_ref().is_some_and(|(now, how)| now == to && *how == WentWithClaim::Yes)
                        || is_cut_off(from, to)
                };
                let is_ahead_of = |to: &ClaimSlug| {
                    !told.names_after(to).contains(from)
                        && !told.names_after(from).contains(to)
                        && !is_cut_off(to, from)
                        && self.disk().stat(&self.live_path(from)).is_err()
                        && self.is_labelled(&self.paths().history.join(format!("{from}{rest}")), to)
                };
                let file = |slug: &ClaimSlug| self.paths().history.join(format!("{slug}{rest}"));
                let path = file(from);
                let mut others = slugs.iter().map(|(slug, _)| slug).filter(|slug| *slug != from);
                let to = others.find(|to| {
                    piecewise::are_same(self.disk(), &path, &file(to)) && (is_to(to) || is_ahead_of(to))
                });
                left.extend(to.map(|to| LeftBehind { path, from: from.clone(), to: to.clone() }));
            }
        }
        Ok(sorted_of(of, left))
    }

    /// Whether a file holds a claim whose label has this slug.
    fn is_labelled(&self, path: &Path, slug: &ClaimSlug) -> bool {
        let Some(Ok(claim)) = scan::read_claim(self.disk(), path) else { return false };
        Label::parse(&claim.label).is_ok_and(|label| ClaimSlug::of(&label) == *slug)
    }

    /// Kept copies that a renaming left under the old name: the same bytes are under the new one. With a slug, only
    /// those under it, and those of the claim that has it.
    pub fn left_in_copies(&self, of: Option<&ClaimSlug>) -> Result<Vec<LeftBehind>, StoreError> {
        let Some(kept) = &self.paths().kept else { return Ok(Vec::new()) };
        let mut born: HashMap<i64, Vec<KeptName>> = HashMap::new();
        for name in names_below(self.disk(), kept)? {
            born.entry(name.born_ms).or_default().push(name);
        }
        born.retain(|_, names| {
            names.iter().any(|name| name.slug != names[0].slug)
                && of.is_none_or(|of| names.iter().any(|name| name.slug == *of))
        });
        if born.is_empty() {
            return Ok(Vec::new());
        }
        let look = CopyLookup::at(self);
        let told = look.fates()?;
        let is_cut_off = self.is_cut_off();
        let went = |from: &ClaimSlug, to: &ClaimSlug| {
            told.names_since(from, None::<Timestamp>).iter().any(|name| name.slug == *to)
        };
        // A copy has its label in it, so the same bytes are under two names only after a renaming. One of the two
        // stays, whatever the acts say.
        let is_from_to = |from: &ClaimSlug, to: &ClaimSlug| {
            is_cut_off(from, to) || !is_cut_off(to, from) && went(from, to) && !went(to, from)
        };
        let mut left = Vec::new();
        for names in born.into_values() {
            for KeptName { slug: from, path, .. } in &names {
                let is_new = |new: &&KeptName| {
                    new.slug != *from
                        && piecewise::are_same(self.disk(), path, &new.path)
                        && is_from_to(from, &new.slug)
                };
                let to = names.iter().find(is_new).map(|new| new.slug.clone());
                left.extend(to.map(|to| LeftBehind { path: path.clone(), from: from.clone(), to }));
            }
        }
        Ok(sorted_of(of, left))
    }

    /// Renamings of claims that were written here, interrupted while the claim is live under both names.
    pub(crate) fn cut_off_here(&self) -> Result<Vec<LeftBehind>, StoreError> {
        let mut here = Vec::new();
        for cut_off in self.cut_off_renames()? {
            // Any committer can write a file with the same words under another label. Copies and history belong to this
            // home.
            let is_ours = self.paths().kept.is_none()
                || !self.kept_copies(&cut_off.to)?.is_empty()
                || !self.version_names(&cut_off.to)?.is_empty();
            if is_ours {
                here.push(cut_off);
            }
        }
        Ok(here)
    }

    /// Returns whether the renaming of a claim from one slug to another was interrupted. Every live claim is read for the
    /// first question.
    fn is_cut_off(&self) -> impl Fn(&ClaimSlug, &ClaimSlug) -> bool {
        let cut_off = OnceCell::new();
        move |from, to| {
            let pairs = cut_off.get_or_init(|| self.cut_off_renames().unwrap_or_default());
            pairs.iter().any(|pair: &LeftBehind| (&pair.from, &pair.to) == (from, to))
        }
    }

    /// Live files under the old name of a claim that is live under a new name with the same words: its renaming was
    /// interrupted.
    pub fn cut_off_renames(&self) -> Result<Vec<LeftBehind>, StoreError> {
        let live = self.scan()?.claims;
        let live: Vec<_> = live.iter().filter(|stored| stored.side.is_none()).collect();
        let mut born: HashMap<Option<Timestamp>, Vec<_>> = HashMap::new();
        for stored in live.iter().filter(|stored| stored.claim.created.is_some()) {
            born.entry(stored.claim.created).or_default().push(*stored);
        }
        let mut left = Vec::new();
        for new in &live {
            let Ok(label) = Label::parse(&new.claim.label) else { continue };
            let twins = born.get(&new.claim.created).into_iter().flatten();
            for old in twins.filter(|old| old.id != new.id && new.claim.follows(&old.claim)) {
                let slugs = ClaimSlug::parse(&old.id).zip(ClaimSlug::parse(&new.id));
                let is_it = relabelled(&old.claim, &label).is_version(&new.claim);
                if let Some((from, to)) = slugs.filter(|_| is_it) {
                    left.push(LeftBehind { path: old.path.clone(), from, to });
                }
            }
        }
        Ok(left)
    }

    /// Live files under an earlier name of a claim, with a version which the claim has or had. Either a renaming was
    /// recorded here, or the claim was written here under its new name with the same words.
    pub(crate) fn left_live(&self, to: &ClaimSlug) -> Result<Vec<LeftBehind>, StoreError> {
        let look = CopyLookup::at(self);
        let told = look.fates()?;
        let mut left = Vec::new();
        for from in look.filed(told.names_before(to)) {
            let LiveFile::Claim(live) = self.live(&from) else { continue };
            if told.went(&from, &*live, to) == WentWithClaim::Yes && self.has_had(to, &live)? {
                left.push(LeftBehind { path: self.live_path(&from), from, to: to.clone() });
            }
        }
        for cut_off in self.cut_off_here()?.into_iter().filter(|cut_off| cut_off.to == *to) {
            if !left.iter().any(|left| left.path == cut_off.path) {
                left.push(cut_off);
            }
        }
        Ok(left)
    }

    /// The slugs that the live claim of a slug got by renamings which were recorded here, if it has or had the live
    /// version under them too.
    pub fn later_names(&self, slug: &ClaimSlug) -> Result<Vec<ClaimSlug>, StoreError> {
        let LiveFile::Claim(live) = self.live(slug) else { return Ok(Vec::new()) };
        let look = CopyLookup::at(self);
        let told = look.fates()?;
        match told.went_to(slug, &*live) {
            Some((to, WentWithClaim::Yes)) if self.has_had(&to, &live)? => Ok(vec![to]),
            _ => Ok(Vec::new()),
        }
    }

    /// Whether the claim that has a slug has this version or was written over it.
    pub fn has_had(&self, slug: &ClaimSlug, version: &Claim) -> Result<bool, StoreError> {
        let all = self.versions_of(slug)?;
        Ok(all.iter().any(|later| later.follows(version) || later.is_version_kept(version)))
    }

    /// The versions that are under a slug: live, in history, and those of which a copy was kept.
    pub(crate) fn versions_of(&self, slug: &ClaimSlug) -> Result<Vec<Claim>, StoreError> {
        let past = crate::history::versions(self.disk(), &self.paths().history, slug)?.0;
        let past = past.into_iter().map(|version| version.claim);
        let copies = self.kept_copies(slug)?.into_iter().map(|copy| copy.claim);
        Ok(self.live_versions(slug)?.into_iter().chain(past).chain(copies).collect())
    }
}

/// The files that concern this slug, by path; all of them without a slug.
fn sorted_of(of: Option<&ClaimSlug>, mut left: Vec<LeftBehind>) -> Vec<LeftBehind> {
    left.retain(|left| of.is_none_or(|of| [&left.from, &left.to].contains(&of)));
    left.sort_by(|a, b| a.path.cmp(&b.path));
    left
}

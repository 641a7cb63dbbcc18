//! The renamings on record, found by the slugs and labels they led from and to.
//!
//! A committer can write any number of them, in chains, stars and rings. Each walk here looks at one renaming at most
//! once, and finds those of one name without looking at the rest.

use super::work;
use crate::act::ActTime;
use crate::limits::HEARSAY_NAMES_MAX;
use crate::{ClaimSlug, Label};
use brainstem_base::Timestamp;
use std::collections::{HashMap, HashSet};

/// A claim got another slug.
#[derive(Debug)]
pub(super) struct RenamingAct {
    pub(super) from: ClaimSlug,
    /// The label that it had, if the act has it: another claim may have had one of the same slug before, and stays.
    pub(super) from_label: Option<Label>,
    /// The birth of the version that was live then.
    pub(super) last: Option<Timestamp>,
    pub(super) to: ClaimSlug,
    pub(super) to_label: Option<Label>,
    /// When.
    pub(super) at: ActTime,
    /// Only the repository's log has the act: another clone did it, and moved no file of this home.
    pub(super) is_foreign: bool,
}

/// The renamings of a store, oldest first.
#[derive(Debug, Default)]
pub(super) struct Renamings {
    all: Vec<RenamingAct>,
    /// The places of the renamings from each slug.
    from: HashMap<ClaimSlug, Vec<usize>>,
    /// The places of the renamings to each slug.
    to: HashMap<ClaimSlug, Vec<usize>>,
    /// The places of the renamings from each label, by its composed form.
    from_label: HashMap<String, Vec<usize>>,
    /// The labels that renamings took from the claims of each slug.
    labels_left: HashMap<ClaimSlug, LabelsLeft>,
}

/// The end of a renaming that a walk goes to.
#[derive(Clone, Copy)]
enum Walk {
    Before,
    After,
}

impl Renamings {
    /// These renamings. A merge of two logs has no order: they are put in that of their times, and those of one
    /// millisecond stay in the order of the log.
    pub(super) fn of(mut all: Vec<RenamingAct>) -> Self {
        all.sort_by(|a, b| a.at.cmp(&b.at));
        let mut renamings = Self::default();
        for (at, renaming) in all.iter().enumerate() {
            renamings.from.entry(renaming.from.clone()).or_default().push(at);
            renamings.to.entry(renaming.to.clone()).or_default().push(at);
            if let Some(label) = &renaming.from_label {
                renamings.from_label.entry(label.nfc()).or_default().push(at);
                let left = renamings.labels_left.entry(renaming.from.clone()).or_default();
                left.add(label, renaming.is_foreign);
            }
        }
        Self { all, ..renamings }
    }

    /// All of them, oldest first.
    pub(super) fn all(&self) -> &[RenamingAct] {
        &self.all
    }

    fn at<'a>(
        &'a self,
        places: Option<&'a Vec<usize>>,
    ) -> impl DoubleEndedIterator<Item = (usize, &'a RenamingAct)> {
        let places = places.map_or(&[][..], Vec::as_slice);
        places.iter().inspect(|_| work::step()).map(|at| (*at, &self.all[*at]))
    }

    /// The renamings to a slug, with their places, oldest first.
    pub(super) fn to(&self, slug: &ClaimSlug) -> impl DoubleEndedIterator<Item = (usize, &RenamingAct)> {
        self.at(self.to.get(slug))
    }

    /// The renamings from a slug at this place or a later one, oldest first.
    pub(super) fn from(
        &self,
        slug: &ClaimSlug,
        since: usize,
    ) -> impl DoubleEndedIterator<Item = (usize, &RenamingAct)> {
        let places = self.from.get(slug).map_or(&[][..], Vec::as_slice);
        let later = &places[places.partition_point(|at| *at < since)..];
        later.iter().inspect(|_| work::step()).map(|at| (*at, &self.all[*at]))
    }

    /// The place after the last renaming that moved a claim's files to this slug. A renaming through this home moves
    /// every file, so an earlier one says nothing about the files that are there now.
    pub(super) fn settled(&self, slug: &ClaimSlug) -> usize {
        let settled = self.to(slug).rfind(|(_, renaming)| !renaming.is_foreign);
        settled.map_or(0, |(at, _)| at + 1)
    }

    /// The labels of one slug that the claim of this label has or got by renaming; empty if that is unknown. Of those
    /// that only the repository's log tells, a bounded number.
    pub(super) fn spellings(&self, slug: &ClaimSlug, label: Option<&Label>) -> Vec<Label> {
        let mut labels: Vec<Label> = label.into_iter().cloned().collect();
        let mut seen: HashSet<String> = labels.iter().map(Label::nfc).collect();
        let (mut at, mut hearsay) = (0, 0);
        while let Some(label) = labels.get(at).map(Label::nfc) {
            at += 1;
            let own = self.at(self.from_label.get(&label)).filter(|(_, renaming)| !renaming.is_foreign);
            let others = self.at(self.from_label.get(&label)).filter(|(_, renaming)| renaming.is_foreign);
            for (_, renaming) in own.chain(others.take(HEARSAY_NAMES_MAX)) {
                let Some(to) = &renaming.to_label else { continue };
                hearsay += usize::from(renaming.is_foreign);
                if (!renaming.is_foreign || hearsay <= HEARSAY_NAMES_MAX) && seen.insert(to.nfc()) {
                    labels.push(to.clone());
                }
            }
        }
        labels.retain(|label| ClaimSlug::of(label) == *slug);
        labels
    }

    /// The slugs that a walk from this slug reaches, without this slug: nearest first.
    fn reached(&self, slug: &ClaimSlug, walk: Walk) -> Vec<ClaimSlug> {
        let mut seen = HashSet::from([slug]);
        let mut names: Vec<&ClaimSlug> = vec![slug];
        let mut at = 0;
        while let Some(name) = names.get(at) {
            at += 1;
            let places = match walk {
                Walk::Before => self.to.get(*name),
                Walk::After => self.from.get(*name),
            };
            for (_, renaming) in self.at(places) {
                let next = match walk {
                    Walk::Before => &renaming.from,
                    Walk::After => &renaming.to,
                };
                if seen.insert(next) {
                    names.push(next);
                }
            }
        }
        names[1..].iter().map(|name| (*name).clone()).collect()
    }

    /// The slugs of claims that later got this slug, perhaps through others.
    pub(super) fn names_before(&self, slug: &ClaimSlug) -> Vec<ClaimSlug> {
        self.reached(slug, Walk::Before)
    }

    /// The slugs that claims with this slug have got since, perhaps through others.
    pub(super) fn names_after(&self, slug: &ClaimSlug) -> Vec<ClaimSlug> {
        self.reached(slug, Walk::After)
    }

    /// The labels that claims of this slug had before. Those that this home recorded come first; of the labels that only
    /// the repository's log tells, there are at most [`HEARSAY_NAMES_MAX`]: every row of a listing is asked about them.
    pub(super) fn labels_before(&self, slug: &ClaimSlug) -> Vec<Label> {
        self.labels_by(slug, HEARSAY_NAMES_MAX)
    }

    /// The labels that claims of this slug had before, by renamings that this home recorded.
    pub(super) fn own_labels_before(&self, slug: &ClaimSlug) -> Vec<Label> {
        self.labels_by(slug, 0)
    }

    fn labels_by(&self, slug: &ClaimSlug, hearsay_max: usize) -> Vec<Label> {
        let (mut own, mut hearsay) = (Vec::new(), Vec::new());
        let (mut seen, mut walked) = (HashSet::from([slug]), HashSet::new());
        // The slugs that acts of this home led from are walked to the end before any other, also those that a committer
        // names too.
        let (mut near, mut far) = (vec![slug], Vec::new());
        let mut seen_near = HashSet::from([slug]);
        while let Some(name) = near.pop().or_else(|| far.pop()) {
            if !walked.insert(name) {
                continue;
            }
            if let Some(left) = self.labels_left.get(name).filter(|_| name != slug) {
                own.extend(left.own.iter().cloned());
                let room = hearsay_max - hearsay.len();
                hearsay.extend(left.hearsay.iter().take(room).cloned());
            }
            if hearsay.len() == hearsay_max {
                far.clear();
            }
            for (_, renaming) in self.at(self.to.get(name)) {
                let is_followed = !renaming.is_foreign || hearsay.len() < hearsay_max;
                let (ahead, seen) = match renaming.is_foreign {
                    true => (&mut far, &mut seen),
                    false => (&mut near, &mut seen_near),
                };
                if is_followed && seen.insert(&renaming.from) {
                    ahead.push(&renaming.from);
                }
            }
        }
        own.extend(hearsay);
        own
    }
}

impl Renamings {
    /// The labels that renamings within this slug took from its claims: those that this home recorded, and a bounded number
    /// of those that only the repository's log tells.
    pub(super) fn spelled_before(&self, slug: &ClaimSlug) -> Vec<Label> {
        let mut left = LabelsLeft::default();
        let anew = self.to(slug).filter(|(_, renaming)| renaming.from == *slug);
        for (_, renaming) in anew {
            renaming.from_label.iter().for_each(|label| left.add(label, renaming.is_foreign));
        }
        left.own.into_iter().chain(left.hearsay).collect()
    }
}

/// The labels that renamings took from the claims of one slug, each once.
#[derive(Debug, Default)]
struct LabelsLeft {
    own: Vec<Label>,
    /// Those that only the repository's log tells, a bounded number of them.
    hearsay: Vec<Label>,
    /// Those that were added, with whether only the repository's log tells them: a committer can name an own one first.
    seen: HashSet<(bool, String)>,
}

impl LabelsLeft {
    fn add(&mut self, label: &Label, is_foreign: bool) {
        let is_full = is_foreign && self.hearsay.len() == HEARSAY_NAMES_MAX;
        if !is_full && self.seen.insert((is_foreign, label.nfc())) {
            let labels = if is_foreign { &mut self.hearsay } else { &mut self.own };
            labels.push(label.clone());
        }
    }
}

//! What the acts of a store say about versions: which were taken back, forgotten, renamed or decided between.

use super::names::Relabelling;
use super::renamings::{RenamingAct, Renamings};
pub use super::tombstones::ForgottenWhere;
use super::tombstones::Tombstones;
use crate::act::{Act, ActTime, Deed, Mention, VersionRef};
use crate::lineage::{Lineage, relabelled};
use crate::{Claim, ClaimSlug, Label};
use brainstem_base::Timestamp;
use std::collections::{HashMap, HashSet};

/// What the acts of a store say about versions.
#[derive(Debug, Default)]
pub struct VersionFates {
    /// By acts that were recorded here.
    forgotten: Tombstones,
    /// By acts that only the repository's log has.
    forgotten_elsewhere: Tombstones,
    /// By the slug of the version that was taken back.
    retracted: HashMap<ClaimSlug, Vec<RetractionAct>>,
    renamed: Renamings,
    decided: HashSet<VersionRef>,
}

/// A claim was taken back.
#[derive(Debug)]
struct RetractionAct {
    version: VersionRef,
    /// The versions that went; `None` if an older program did not record them.
    covers: Option<Lineage>,
    /// When.
    at: ActTime,
    /// Only the repository's log has the act.
    is_foreign: bool,
}

/// What shows to which claim of a slug a version belongs.
pub struct OneVersion {
    born: Option<Timestamp>,
    /// Its label; `None` if only its file name was looked at.
    label: Option<Label>,
}

impl From<&Claim> for OneVersion {
    fn from(claim: &Claim) -> Self {
        Self { born: claim.created, label: Label::parse(&claim.label).ok() }
    }
}

impl From<Option<Timestamp>> for OneVersion {
    fn from(born: Option<Timestamp>) -> Self {
        Self { born, label: None }
    }
}

/// A slug that the claim of a version has, or got by renaming.
#[derive(Clone)]
pub struct NameSince {
    /// The slug.
    pub slug: ClaimSlug,
    /// Whether the version belongs to the claim that got it.
    pub born: BirthOrder,
    /// When the claim got it; `None` for the slug under which the version is.
    since: Option<ActTime>,
    /// When the claim left it for the next; `None` for the slug under which the version is, and for the last.
    until: Option<ActTime>,
}

impl NameSince {
    /// Whether the claim had this slug when an act of that time took something from it. For an act before that, in the
    /// same millisecond, or after the claim left the slug, only the versions count that it names exactly: the rest
    /// belonged to another claim.
    fn had_it(&self, at: &ActTime) -> bool {
        self.since.as_ref().is_none_or(|since| since < at)
            && self.until.as_ref().is_none_or(|until| at <= until)
    }

    /// Whether the claim still has this slug.
    pub fn is_last(&self) -> bool {
        self.until.is_none()
    }
}

impl VersionFates {
    /// What these acts say.
    pub fn of(acts: &[Act]) -> Self {
        let mut fates = Self {
            forgotten: Tombstones::of(acts.iter().filter(|act| !act.is_foreign())),
            forgotten_elsewhere: Tombstones::of(acts.iter().filter(|act| act.is_foreign())),
            ..Self::default()
        };
        let mut renamed = Vec::new();
        for act in acts {
            let (at, is_foreign) = (act.at().clone(), act.is_foreign());
            match act.deed() {
                Deed::Retract { upon, covers, .. } => {
                    let retraction = |version: &VersionRef| {
                        let (version, covers) = (version.clone(), covers.clone());
                        RetractionAct { version, covers, at, is_foreign }
                    };
                    if let Some(version) = upon.version() {
                        let of_slug = fates.retracted.entry(version.slug.clone()).or_default();
                        of_slug.push(retraction(version));
                    }
                }
                Deed::Rename { upon, to_slug: Some(to), .. } => {
                    let labels = Relabelling::by(act).into_iter();
                    let renaming = |(labels, from): (Relabelling<'_>, &ClaimSlug)| RenamingAct {
                        from: from.clone(),
                        from_label: labels.from,
                        last: labels.born,
                        to: to.clone(),
                        to_label: labels.to,
                        at,
                        is_foreign,
                    };
                    renamed.extend(labels.zip(upon.slug()).next().map(renaming));
                }
                Deed::Resolve { took, ours, theirs, sides, upon: _ } => {
                    let left = [("ours", ours), ("theirs", theirs)].into_iter();
                    // A version names itself what it follows, so the act is needed only for versions of older programs.
                    let left = left.filter(|(side, _)| sides.is_none() && took.as_deref() != Some(*side));
                    let named = left.filter_map(|(_, version)| version.as_ref().and_then(Mention::version));
                    fates.decided.extend(named.cloned());
                }
                // Tombstones have a fold of their own.
                Deed::Forget { .. } => {}
                Deed::Rename { to_slug: None, .. }
                | Deed::Bootstrap { .. }
                | Deed::Affirm { .. }
                | Deed::Doctrine { .. }
                | Deed::Learn { .. }
                | Deed::Promote { .. }
                | Deed::Propose { .. }
                | Deed::Decline { .. }
                | Deed::Withdraw { .. }
                | Deed::Demote { .. }
                | Deed::Import { .. }
                | Deed::MigrateBegin { .. }
                | Deed::MigrateEnd { .. }
                | Deed::MigrateRollback { .. }
                | Deed::Migrate { .. }
                | Deed::MigrateIn { .. }
                | Deed::MigrateBack { .. }
                | Deed::SweepRoot { .. }
                | Deed::UnsweepRoot { .. }
                | Deed::TakeUp { .. }
                | Deed::SetAside { .. }
                | Deed::BootSet { .. }
                | Deed::BootDelete { .. }
                | Deed::Delegate { .. }
                | Deed::Debrief { .. }
                | Deed::Debriefed { .. }
                | Deed::Violation { .. }
                | Deed::Unknown { .. } => {}
            }
        }
        fates.renamed = Renamings::of(renamed);
        fates
    }

    /// Whether a decision of an older program rejected a version.
    pub fn has_decided_against(&self, version: &VersionRef) -> bool {
        self.decided.contains(version)
    }

    /// The slugs that the claim of a version under a slug has had since, in order, and whether some of the acts are
    /// only in the repository's log.
    fn way(&self, slug: &ClaimSlug, version: &OneVersion) -> (Vec<NameSince>, bool) {
        let born = version.born.unwrap_or(Timestamp::MIN);
        // Most renamings have the very label that the claim got by the one before: the rest are looked up only then.
        let mut label = version.label.clone();
        let mut spellings: Option<Vec<Label>> = None;
        let mut last = NameSince { slug: slug.clone(), born: BirthOrder::Before, since: None, until: None };
        let (mut names, mut is_hearsay) = (Vec::new(), false);
        let mut since = self.renamed.settled(slug);
        loop {
            let mut later = self.renamed.from(&last.slug, since);
            let next = later.find(|(_, renaming)| {
                let is_of_another = |from: &Label| match &label {
                    None => false,
                    Some(label) if label == from => false,
                    Some(_) => {
                        let all = || self.renamed.spellings(&last.slug, label.as_ref());
                        let spellings = spellings.get_or_insert_with(all);
                        !spellings.is_empty() && !spellings.contains(from)
                    }
                };
                let is_later = renaming.last.is_some_and(|last_born| born > last_born);
                !is_later && !renaming.from_label.as_ref().is_some_and(is_of_another)
            });
            let Some((place, renaming)) = next else { break };
            drop(later);
            let RenamingAct { to, to_label, at, is_foreign, .. } = renaming;
            since = place + 1;
            (label, spellings) = (to_label.clone(), None);
            let until = (!names.is_empty()).then(|| at.clone());
            names.push(NameSince { until, ..last });
            last = NameSince {
                slug: to.clone(),
                born: BirthOrder::Before,
                since: Some(at.clone()),
                until: None,
            };
            is_hearsay |= *is_foreign;
        }
        names.push(last);
        (names, is_hearsay)
    }

    /// A slug, and every slug that a claim of it went to by renaming. A version that was born after a renaming may
    /// belong to another claim that got the slug since.
    pub fn names_since(&self, slug: &ClaimSlug, version: impl Into<OneVersion>) -> Vec<NameSince> {
        let version = version.into();
        let (mut names, _) = self.way(slug, &version);
        let spellings = self.renamed.spellings(slug, version.label.as_ref());
        let since = self.renamed.settled(slug);
        let mut known: HashSet<ClaimSlug> = names.iter().map(|name| name.slug.clone()).collect();
        let mut walked: HashSet<ClaimSlug> = HashSet::new();
        let mut at = 0;
        while let Some(name) = names.get(at).map(|name| name.slug.clone()) {
            at += 1;
            // A claim that got its old name back has it twice.
            if !walked.insert(name.clone()) {
                continue;
            }
            for (_, renaming) in self.renamed.from(&name, since) {
                let is_of_another = |from: &Label| !spellings.is_empty() && !spellings.contains(from);
                if name == *slug && renaming.from_label.as_ref().is_some_and(is_of_another) {
                    continue;
                }
                if known.insert(renaming.to.clone()) {
                    names.push(NameSince {
                        slug: renaming.to.clone(),
                        born: BirthOrder::After,
                        since: Some(renaming.at.clone()),
                        until: None,
                    });
                }
            }
        }
        names
    }

    /// The slug that the claim of a version under this slug has now, and whether the acts or only the repository's log say
    /// so; `None` if it still has this one.
    pub fn went_to(
        &self,
        from: &ClaimSlug,
        version: impl Into<OneVersion>,
    ) -> Option<(ClaimSlug, WentWithClaim)> {
        let (mut names, is_hearsay) = self.way(from, &version.into());
        let last = names.pop().filter(|last| last.slug != *from)?;
        let went = if is_hearsay { WentWithClaim::AsOnlyTheRepositorySays } else { WentWithClaim::Yes };
        Some((last.slug, went))
    }

    /// Whether the acts say that a version under one slug belongs to the claim that has another.
    pub fn went(&self, from: &ClaimSlug, version: impl Into<OneVersion>, to: &ClaimSlug) -> WentWithClaim {
        match self.way(from, &version.into()) {
            (names, _) if names.last().is_none_or(|last| last.slug != *to) => WentWithClaim::No,
            (_, true) => WentWithClaim::AsOnlyTheRepositorySays,
            (_, false) => WentWithClaim::Yes,
        }
    }

    /// Whether a renaming to this slug was recorded here.
    pub fn is_renamed_here(&self, to: &ClaimSlug) -> bool {
        self.renamed.to(to).any(|(_, renaming)| !renaming.is_foreign)
    }

    /// The slugs of claims that later got this slug, perhaps through others.
    pub fn names_before(&self, slug: &ClaimSlug) -> Vec<ClaimSlug> {
        self.renamed.names_before(slug)
    }

    /// The labels that claims of this slug had before: those that this home recorded, and a bounded number of those that
    /// only the repository's log tells.
    pub fn labels_before(&self, slug: &ClaimSlug) -> Vec<Label> {
        self.renamed.labels_before(slug)
    }

    /// The labels that claims of this slug had before, by renamings that this home recorded.
    pub fn own_labels_before(&self, slug: &ClaimSlug) -> Vec<Label> {
        self.renamed.own_labels_before(slug)
    }

    /// The labels that a claim of this slug had before it was spelled anew.
    pub fn spelled_before(&self, slug: &ClaimSlug) -> Vec<Label> {
        self.renamed.spelled_before(slug)
    }

    /// The slugs that claims were renamed from.
    pub fn names_left(&self) -> Vec<ClaimSlug> {
        let mut names: Vec<ClaimSlug> =
            self.renamed.all().iter().map(|renaming| renaming.from.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The slugs that claims with this slug have got since, perhaps through others.
    pub fn names_after(&self, slug: &ClaimSlug) -> Vec<ClaimSlug> {
        self.renamed.names_after(slug)
    }

    /// The slugs of claims that were renamed here before a version of this birth was renamed to this slug, from the
    /// name that the version had then: those claims had its name first.
    pub fn renamed_before(&self, slug: &ClaimSlug, born: Option<Timestamp>) -> Vec<ClaimSlug> {
        let is_last = |renaming: &RenamingAct| !renaming.is_foreign && renaming.last == born;
        let mut names = Vec::new();
        for (at, last) in self.renamed.to(slug).filter(|(_, renaming)| is_last(renaming)) {
            let from = &last.from;
            // A claim that was renamed to that name in between brought the name back.
            let mut brought = self.renamed.to(from).rev();
            let since = brought.find(|(before, renaming)| !renaming.is_foreign && *before < at);
            let earlier = self.renamed.from(from, since.map_or(0, |(before, _)| before + 1));
            let earlier = earlier.take_while(|(before, _)| *before < at);
            for (_, renaming) in earlier.filter(|(_, it)| !it.is_foreign && it.to != *slug) {
                let (way, _) = self.way(&renaming.to, &OneVersion::from(born));
                names.extend(way.last().map(|last| last.slug.clone()).filter(|last| last != slug));
            }
        }
        names
    }

    /// Whether a claim with these slugs was taken back.
    pub fn has_retracted(&self, names: &[NameSince], claim: &Claim) -> bool {
        let born = claim.created;
        let is_by = |name: &NameSince, RetractionAct { version, covers, at, is_foreign }: &RetractionAct| {
            let is_named = || covers.as_ref().is_some_and(|covers| covers.names(claim));
            match (name.born, covers) {
                // Under a slug that its claim got, another version may have this birth: a committer can write a
                // file and a renaming. Only the versions that the act names were taken back there.
                (BirthOrder::Before, Some(covers)) if name.had_it(at) && name.since.is_some() => {
                    covers.names_it_or_older(claim)
                }
                // Any committer can write into a repository's log, so only the versions that the act names were
                // taken back.
                (BirthOrder::Before, covers) if name.had_it(at) && *is_foreign => {
                    let is_named = covers.as_ref().is_some_and(|covers| covers.names_it_or_an_edit(claim));
                    is_named || version.created == born
                }
                (BirthOrder::Before, Some(covers)) if name.had_it(at) => {
                    covers.covers(claim) || version.created == born
                }
                // An older program does not name the versions: all that were born until then went with it.
                (BirthOrder::Before, None) if name.had_it(at) => {
                    born.unwrap_or(Timestamp::MIN) <= version.created.unwrap_or(Timestamp::MIN)
                }
                (BirthOrder::Before | BirthOrder::After, _) => is_named(),
            }
        };
        let of = |name: &NameSince| self.retracted.get(&name.slug).into_iter().flatten();
        names.iter().any(|name| of(name).any(|retraction| is_by(name, retraction)))
    }

    /// Whether a retraction is of exactly this version, and not of a later one that was written over it.
    pub fn is_retracted_itself(&self, names: &[NameSince], claim: &Claim) -> bool {
        let is_by = |name: &NameSince, of: &RetractionAct| of.version == VersionRef::of(&name.slug, claim);
        let of = |name: &NameSince| self.retracted.get(&name.slug).into_iter().flatten();
        names.iter().any(|name| of(name).any(|retraction| is_by(name, retraction)))
    }

    /// Whether this version was taken back under an earlier label of its claim: the same words and the same birth are
    /// the same version.
    pub fn was_retracted_before(&self, slug: &ClaimSlug, claim: &Claim) -> bool {
        if self.retracted.is_empty() {
            return false;
        }
        let labels = self.labels_before(slug).into_iter();
        let mut labels = labels.filter(|label| self.retracted.contains_key(&ClaimSlug::of(label)));
        labels.any(|label| {
            let label = &label;
            let earlier = relabelled(claim, label);
            let version = VersionRef::of(&ClaimSlug::of(label), &earlier);
            let is_by = |of: &RetractionAct| {
                of.version == version && of.covers.as_ref().is_some_and(|covers| covers.names(&earlier))
            };
            self.retracted.get(&version.slug).into_iter().flatten().any(is_by)
        })
    }

    /// Where a claim with these slugs was forgotten; `None` if it was not.
    pub fn has_forgotten(&self, names: &[NameSince], claim: &Claim) -> Option<ForgottenWhere> {
        let mut names = names.iter().filter(|name| name.born == BirthOrder::Before).map(|name| &name.slug);
        if names.clone().any(|slug| self.forgotten.have_deleted(slug, claim)) {
            Some(ForgottenWhere::Here)
        } else if names.any(|slug| self.forgotten_elsewhere.have_named(slug, claim)) {
            Some(ForgottenWhere::Elsewhere)
        } else {
            None
        }
    }
}

/// Whether a version went to another slug with its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WentWithClaim {
    /// It did, by acts that were recorded here.
    Yes,
    /// An act that only the repository's log has says so: the versions themselves must prove it.
    AsOnlyTheRepositorySays,
    /// It did not.
    No,
}

/// When a version was born, relative to the renaming of its slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BirthOrder {
    /// Before: it belongs to the claim that was renamed.
    Before,
    /// After: another clone may not have known of the renaming, or it belongs to another claim.
    After,
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::{act, renamed, version};
    use super::*;

    fn slug(text: &str) -> ClaimSlug {
        ClaimSlug::parse(text).unwrap()
    }

    fn claim(created: i64) -> Claim {
        let text = format!(
            "---\nProtocol: L1GHT/1.0\nNode: cache\nState: authored\nCreated: {created}\n---\n\nText.\n"
        );
        Claim::parse(text.as_bytes()).unwrap()
    }

    #[test] // spec: MEM-48, MEM-2
    fn a_version_went_with_the_later_of_two_claims_that_took_the_same_way() {
        let acts = [renamed("cache@10", "page", 100), renamed("cache@200", "page", 300)];
        let fates = VersionFates::of(&acts);
        let went = |born_ms: i64| {
            let names = fates.names_since(&slug("cache"), Some(Timestamp::from_ms(born_ms)));
            names.iter().any(|name| name.slug == slug("page") && name.born == BirthOrder::Before)
        };
        assert_eq!([5, 150, 250].map(went), [true, true, false]);
    }

    #[test] // spec: MEM-48
    fn a_version_goes_with_the_claim_whose_label_it_has() {
        // The labels "cache" and "cache!" have one slug; the second was spelled "Cache!" before.
        let relabelled = |from: &str, to: &str, to_slug: &str, at_ms| {
            let deed = Deed::Rename {
                upon: version("cache@10").into(),
                from: Some(from.into()),
                to: Some(to.into()),
                to_slug: Some(slug(to_slug)),
                created: Some(Timestamp::from_ms(10)),
            };
            act(at_ms, deed)
        };
        let mut acts =
            [relabelled("Cache!", "cache!", "cache", 50), relabelled("cache!", "Page", "page", 100)];
        acts[0].set_foreign();
        let fates = VersionFates::of(&acts);
        let said = |label: &str| {
            let text = format!(
                "---\nProtocol: L1GHT/1.0\nNode: {label}\nState: authored\nCreated: 5\n---\n\nText.\n"
            );
            Claim::parse(text.as_bytes()).unwrap()
        };
        let went = |label: &str| fates.went(&slug("cache"), &said(label), &slug("page"));
        assert_eq!(["cache!", "cache"].map(went), [WentWithClaim::Yes, WentWithClaim::No]);
        assert_eq!(went("Cache!"), WentWithClaim::AsOnlyTheRepositorySays);
        let names = |label: &str| fates.names_since(&slug("cache"), &said(label)).len();
        assert_eq!(["cache!", "Cache!", "cache"].map(names), [2, 3, 1], "a new spelling is a name too");
        // If only the file name is known, no label tells them apart.
        let of_file = fates.went(&slug("cache"), Some(Timestamp::from_ms(5)), &slug("page"));
        assert_eq!(of_file, WentWithClaim::AsOnlyTheRepositorySays);
    }

    #[test] // spec: MEM-12, MEM-3c
    fn a_retraction_of_an_older_program_takes_what_was_born_until_then_and_a_foreign_one_what_it_names() {
        let mut foreign = act(
            100,
            Deed::Retract {
                upon: version("cache@20").into(),
                reason: None,
                by: None,
                kind: None,
                successor: None,
                covers: None,
            },
        );
        let here = foreign.clone();
        foreign.set_foreign();
        for (act, expected) in [(here, [true, true, false]), (foreign, [false, true, false])] {
            let fates = VersionFates::of(&[act]);
            let is_gone = |born_ms| {
                let names = fates.names_since(&slug("cache"), Some(Timestamp::from_ms(born_ms)));
                fates.has_retracted(&names, &claim(born_ms))
            };
            assert_eq!([10, 20, 30].map(is_gone), expected);
            let is_it = |born_ms| {
                let names = fates.names_since(&slug("cache"), Some(Timestamp::from_ms(born_ms)));
                fates.is_retracted_itself(&names, &claim(born_ms))
            };
            assert_eq!([10, 20, 30].map(is_it), [false, true, false], "the very version");
        }
    }

    #[test] // spec: MEM-2, MEM-3c
    fn a_decision_of_an_older_program_is_against_the_side_that_it_did_not_take() {
        let resolved = |sides: Option<Vec<Mention>>| Deed::Resolve {
            upon: ["cache@1", "cache@2"].map(Mention::read).into(),
            took: Some("theirs".into()),
            ours: Some(Mention::read("cache@1")),
            theirs: Some(Mention::read("cache@2")),
            sides,
        };
        for (sides, expected) in [(None, [true, false]), (Some(Vec::new()), [false, false])] {
            let fates = VersionFates::of(&[act(9, resolved(sides))]);
            let against = ["cache@1", "cache@2"].map(|text| fates.has_decided_against(&version(text)));
            assert_eq!(against, expected);
        }
    }
}

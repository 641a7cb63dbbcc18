//! What the acts of a store say about versions: which were taken back, forgotten, renamed or decided between.

use crate::acts::Act;
use crate::missing::{COVERS, RESOLVE};
use crate::rename::RENAME;
use crate::store::RETRACT;
use crate::tombstones::{Reach, Tombstones};
use brainstem_base::Timestamp;
use brainstem_claims::lineage::Lineage;
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::collections::HashSet;

/// What the acts of a store say about versions.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// By acts that were recorded here.
    forgotten: Tombstones,
    /// By acts that only the repository's log has.
    forgotten_elsewhere: Tombstones,
    retracted: Vec<Retraction>,
    renamed: Vec<Renaming>,
    pub(crate) decided: HashSet<String>,
}

/// A claim was taken back.
#[derive(Debug)]
struct Retraction {
    slug: String,
    born_ms: Option<i64>,
    /// The versions that went; `None` where an older program did not say.
    covers: Option<Lineage>,
    /// When, as acts write the time.
    at: String,
    /// Only the repository's log has the act.
    is_foreign: bool,
}

/// A claim got another slug.
#[derive(Debug)]
struct Renaming {
    from: ClaimSlug,
    /// The label that it had, where the act says it: another claim may have had one of the same slug before, and stays.
    from_label: Option<Label>,
    /// The birth of the version that was live then.
    last_ms: Option<i64>,
    to: ClaimSlug,
    to_label: Option<Label>,
    /// When, as acts write the time.
    at: String,
    /// Only the repository's log has the act: another clone did it, and moved no file of this home.
    is_foreign: bool,
}

/// What tells to which claim of a slug a version belongs.
pub(crate) struct OneVersion {
    born: Option<Timestamp>,
    /// Its label; `None` where only its file name was looked at.
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
pub(crate) struct NameSince {
    pub(crate) slug: ClaimSlug,
    pub(crate) born: Born,
    /// When the claim got it; `None` for the slug under which the version lies.
    since: Option<String>,
    /// When the claim left it for the next; `None` for the slug under which the version lies, and for the last.
    until: Option<String>,
}

impl NameSince {
    /// Whether the claim had this slug when an act of that time took something from it. Of an act before that, or in the
    /// same millisecond, and of one after the claim left the slug, only what it names exactly counts: the rest was another
    /// claim's.
    fn had_it(&self, at: &str) -> bool {
        self.since.as_deref().is_none_or(|since| since < at)
            && self.until.as_deref().is_none_or(|until| at <= until)
    }

    /// Whether the claim has this slug still.
    pub(crate) fn is_last(&self) -> bool {
        self.until.is_none()
    }
}

impl Told {
    pub(crate) fn by(acts: &[Act]) -> Self {
        let of = |wanted: &'static str| acts.iter().filter(move |act| act.act == wanted);
        let retraction = |act: &Act| {
            let (slug, ms) = act.subject.rsplit_once('@').unwrap_or((&act.subject, ""));
            Retraction {
                slug: slug.to_owned(),
                born_ms: ms.parse().ok(),
                covers: act.data[COVERS].as_str().map(Lineage::parse),
                at: act.ts.clone(),
                is_foreign: act.is_foreign,
            }
        };
        let renaming = |act: &Act| {
            let from = act.subject.split('@').next().and_then(ClaimSlug::parse)?;
            let to = ClaimSlug::parse(act.data["to_slug"].as_str()?)?;
            let label = |key: &str| act.data[key].as_str().and_then(|text| Label::parse(text).ok());
            let (last_ms, at) = (act.data["created"].as_i64(), act.ts.clone());
            let (from_label, to_label) = (label("from"), label("to"));
            Some(Renaming { from, from_label, last_ms, to, to_label, at, is_foreign: act.is_foreign })
        };
        // Since a version says itself what it follows, the act is needed for those of older programs alone.
        let sides = |act: &Act| {
            let took = act.data["took"].as_str().unwrap_or_default();
            let is_old = act.data["sides"].is_null();
            let left = ["ours", "theirs"].into_iter().filter(|side| is_old && *side != took);
            left.filter_map(|side| act.data[side].as_str().map(str::to_owned)).collect::<Vec<_>>()
        };
        let mut renamed: Vec<Renaming> = of(RENAME).filter_map(renaming).collect();
        // A merge of two logs orders nothing. Acts of one millisecond stay as the log has them.
        renamed.sort_by(|a, b| a.at.cmp(&b.at));
        Self {
            forgotten: Tombstones::of(acts.iter().filter(|act| !act.is_foreign)),
            forgotten_elsewhere: Tombstones::of(acts.iter().filter(|act| act.is_foreign)),
            retracted: of(RETRACT).map(retraction).collect(),
            renamed,
            decided: of(RESOLVE).flat_map(sides).collect(),
        }
    }

    /// The renamings that came after the last one which brought a claim's files under this slug. A renaming through this
    /// home takes every file along, so that an earlier one says nothing about what lies there now.
    fn since_settled(&self, slug: &ClaimSlug) -> &[Renaming] {
        let settled = self.renamed.iter().rposition(|renaming| !renaming.is_foreign && renaming.to == *slug);
        &self.renamed[settled.map_or(0, |at| at + 1)..]
    }

    /// The slugs that the claim of a version which lies under a slug has had since, in order, and whether acts that only
    /// the repository's log has are among those that say so.
    fn way(&self, slug: &ClaimSlug, version: &OneVersion) -> (Vec<NameSince>, bool) {
        let born_ms = version.born.map_or(0, Timestamp::ms);
        let mut spellings = self.spellings(slug, version.label.as_ref());
        let mut last = NameSince { slug: slug.clone(), born: Born::Before, since: None, until: None };
        let (mut names, mut is_hearsay) = (Vec::new(), false);
        for renaming in self.since_settled(slug) {
            let Renaming { from, from_label, last_ms, to, to_label, at, is_foreign } = renaming;
            let is_of_another =
                from_label.as_ref().is_some_and(|from| !spellings.is_empty() && !spellings.contains(from));
            if *from != last.slug || last_ms.is_some_and(|last_ms| born_ms > last_ms) || is_of_another {
                continue;
            }
            spellings = self.spellings(to, to_label.as_ref());
            let until = (!names.is_empty()).then(|| at.clone());
            names.push(NameSince { until, ..last });
            last = NameSince { slug: to.clone(), born: Born::Before, since: Some(at.clone()), until: None };
            is_hearsay |= *is_foreign;
        }
        names.push(last);
        (names, is_hearsay)
    }

    /// The labels of one slug that the claim of this label has or got by renaming; none where that is not known.
    fn spellings(&self, slug: &ClaimSlug, label: Option<&Label>) -> Vec<Label> {
        let mut labels: Vec<Label> = label.into_iter().cloned().collect();
        let mut at = 0;
        while let Some(label) = labels.get(at).cloned() {
            at += 1;
            for renaming in
                self.renamed.iter().filter(|renaming| renaming.from_label.as_ref() == Some(&label))
            {
                labels.extend(renaming.to_label.clone().filter(|to| !labels.contains(to)));
            }
        }
        labels.retain(|label| ClaimSlug::of(label) == *slug);
        labels
    }

    /// A slug, and every slug that a claim of it went to by renaming: the version was born before that, or after, when it
    /// may be of another claim that got the slug since.
    pub(crate) fn names_since(&self, slug: &ClaimSlug, version: impl Into<OneVersion>) -> Vec<NameSince> {
        let version = version.into();
        let (mut names, _) = self.way(slug, &version);
        let spellings = self.spellings(slug, version.label.as_ref());
        let mut at = 0;
        while let Some(name) = names.get(at).map(|name| name.slug.clone()) {
            at += 1;
            for renaming in self.since_settled(slug).iter().filter(|renaming| renaming.from == name) {
                let is_of_another = |from: &Label| !spellings.is_empty() && !spellings.contains(from);
                if name == *slug && renaming.from_label.as_ref().is_some_and(is_of_another) {
                    continue;
                }
                if !names.iter().any(|known| known.slug == renaming.to) {
                    names.push(NameSince {
                        slug: renaming.to.clone(),
                        born: Born::After,
                        since: Some(renaming.at.clone()),
                        until: None,
                    });
                }
            }
        }
        names
    }

    /// Whether the acts say that a version which lies under one slug is of the claim that has another.
    pub(crate) fn went(&self, from: &ClaimSlug, version: impl Into<OneVersion>, to: &ClaimSlug) -> Went {
        match self.way(from, &version.into()) {
            (names, _) if names.last().is_none_or(|last| last.slug != *to) => Went::No,
            (_, true) => Went::AsOnlyTheRepositorySays,
            (_, false) => Went::Yes,
        }
    }

    /// The slugs that claims had which went, perhaps by others, to this slug.
    pub(crate) fn names_before(&self, slug: &ClaimSlug) -> Vec<ClaimSlug> {
        let mut names: Vec<ClaimSlug> = Vec::new();
        let mut wanted = vec![slug.clone()];
        while let Some(name) = wanted.pop() {
            for Renaming { from, to, .. } in &self.renamed {
                if *to == name && *from != *slug && !names.contains(from) {
                    names.push(from.clone());
                    wanted.push(from.clone());
                }
            }
        }
        names
    }

    /// The labels that claims of this slug had before.
    pub(crate) fn labels_before(&self, slug: &ClaimSlug) -> Vec<Label> {
        let names = self.names_before(slug);
        let is_its = |renaming: &&Renaming| names.contains(&renaming.from);
        self.renamed.iter().filter(is_its).filter_map(|renaming| renaming.from_label.clone()).collect()
    }

    /// The slugs that claims were renamed from.
    pub(crate) fn names_left(&self) -> Vec<ClaimSlug> {
        let mut names: Vec<ClaimSlug> = self.renamed.iter().map(|renaming| renaming.from.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The slugs that claims which had this slug have got since, perhaps by others.
    pub(crate) fn names_after(&self, slug: &ClaimSlug) -> Vec<ClaimSlug> {
        let mut names: Vec<ClaimSlug> = Vec::new();
        let mut wanted = vec![slug.clone()];
        while let Some(name) = wanted.pop() {
            for Renaming { from, to, .. } in &self.renamed {
                if *from == name && *to != *slug && !names.contains(to) {
                    names.push(to.clone());
                    wanted.push(to.clone());
                }
            }
        }
        names
    }

    /// The slugs that claims have which were renamed here, before a version of this birth was renamed to this slug, from the
    /// name that the version had then: those claims had its name first.
    pub(crate) fn renamed_before(&self, slug: &ClaimSlug, born: Option<Timestamp>) -> Vec<ClaimSlug> {
        let here: Vec<&Renaming> = self.renamed.iter().filter(|renaming| !renaming.is_foreign).collect();
        let born_ms = born.map(Timestamp::ms);
        let mut names = Vec::new();
        let is_last = |at: &usize| here[*at].to == *slug && here[*at].last_ms == born_ms;
        for at in (0..here.len()).filter(is_last) {
            let from = &here[at].from;
            // What was renamed to that name in between brought it back there.
            let earlier = here[..at].iter().rev().take_while(|renaming| renaming.to != *from);
            for renaming in earlier.filter(|renaming| renaming.from == *from && renaming.to != *slug) {
                let (way, _) = self.way(&renaming.to, &OneVersion::from(born));
                names.extend(way.last().map(|last| last.slug.clone()).filter(|last| last != slug));
            }
        }
        names
    }

    pub(crate) fn has_retracted(&self, names: &[NameSince], claim: &Claim) -> bool {
        let born = claim.created.map(Timestamp::ms);
        let is_by = |name: &NameSince, Retraction { slug, born_ms, covers, at, is_foreign }: &Retraction| {
            let is_named = || covers.as_ref().is_some_and(|covers| covers.names(claim));
            name.slug.as_str() == slug
                && match (name.born, covers) {
                    // Anybody can write into a repository's log, and took back no more than what it names.
                    (Born::Before, covers) if name.had_it(at) && *is_foreign => {
                        let is_named =
                            covers.as_ref().is_some_and(|covers| covers.names_it_or_an_edit(claim));
                        is_named || *born_ms == born
                    }
                    (Born::Before, Some(covers)) if name.had_it(at) => {
                        covers.covers(claim) || *born_ms == born
                    }
                    // An older program says no more: what was born until then went with it.
                    (Born::Before, None) if name.had_it(at) => born.unwrap_or(0) <= born_ms.unwrap_or(0),
                    (Born::Before | Born::After, _) => is_named(),
                }
        };
        names.iter().any(|name| self.retracted.iter().any(|retraction| is_by(name, retraction)))
    }

    /// Whether a retraction is of this very version, and not of a later one that was written over it.
    pub(crate) fn is_retracted_itself(&self, names: &[NameSince], claim: &Claim) -> bool {
        let born = claim.created.map(Timestamp::ms);
        let is_by = |name: &NameSince, of: &Retraction| name.slug.as_str() == of.slug && of.born_ms == born;
        names.iter().any(|name| self.retracted.iter().any(|retraction| is_by(name, retraction)))
    }

    pub(crate) fn has_forgotten(&self, names: &[NameSince], claim: &Claim) -> Option<Forgotten> {
        let is_in = |tombstones: &Tombstones, reach| {
            let is_by =
                |name: &NameSince| tombstones.cover_earlier(&name.slug, |at| name.had_it(at), claim, reach);
            names.iter().filter(|name| name.born == Born::Before).any(is_by)
        };
        if is_in(&self.forgotten, Reach::Lineage) {
            Some(Forgotten::Here)
        } else if is_in(&self.forgotten_elsewhere, Reach::Named) {
            Some(Forgotten::Elsewhere)
        } else {
            None
        }
    }
}

/// Whether a version went to another slug with its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Went {
    /// It did, by acts that were recorded here.
    Yes,
    /// An act that only the repository's log has says so: the versions themselves must bear it out.
    AsOnlyTheRepositorySays,
    /// It did not.
    No,
}

/// When a version was born, against the renaming of its slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Born {
    /// It is of the claim that was renamed.
    Before,
    /// Another clone may not have known of the renaming; or it is of another claim.
    After,
}

/// Where a version was forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forgotten {
    /// Through this home.
    Here,
    /// In another clone, as only the repository's log says.
    Elsewhere,
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::AgentId;
    use serde_json::json;

    #[test] // spec: MEM-48, MEM-2
    fn a_version_went_with_the_later_of_two_claims_that_took_the_same_way() {
        let slug = |text: &str| ClaimSlug::parse(text).unwrap();
        let agent = AgentId::parse("human:ana").unwrap();
        let renaming = |last_ms: i64, at_ms: i64| {
            let data = json!({ "to_slug": "page", "created": last_ms });
            Act::once(RENAME, &format!("cache@{last_ms}"), &agent, Timestamp::from_ms(at_ms), data)
        };
        let told = Told::by(&[renaming(10, 100), renaming(200, 300)]);
        let names = |born_ms| {
            let names = told.names_since(&slug("cache"), Some(Timestamp::from_ms(born_ms)));
            let is_before = |name: &NameSince| name.slug == slug("page") && name.born == Born::Before;
            names.iter().any(is_before)
        };
        assert_eq!([5, 150, 250].map(names), [true, true, false]);
    }
}

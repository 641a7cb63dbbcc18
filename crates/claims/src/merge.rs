//! Versions of one label that grew apart: when one plainly follows, and how all of them are kept when someone has to
//! decide.

use crate::light::keys;
use crate::lineage::{follow, follow_what, relabelled};
use crate::sides::{join, sides};
use crate::{Claim, Label};

/// What becomes of two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Ours stands.
    Ours,
    /// Theirs stands.
    Theirs,
    /// One version stands, with what the other side did to its header: another label, or the stamp of a promotion.
    Together(Vec<u8>),
    /// No version follows all others: this file holds them until someone decides.
    Apart(Vec<u8>),
}

/// Merges two files with their common ancestor, if there is one. Each may hold one version or several that wait for a
/// decision. The same on both machines, up to the order of what is kept.
///
/// A version goes only when the other side was made over exactly that version: it is in the ancestor, or in the lineage
/// of a version that stays. Versions are told apart by what they say; one birth stamp may stand for several.
pub fn merge(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Merged {
    if ours == theirs || base == Some(theirs) {
        return Merged::Ours;
    }
    if base == Some(ours) {
        return Merged::Theirs;
    }
    let (Some(mut mine), Some(mut other)) = (versions_in(ours), versions_in(theirs)) else {
        return Merged::Apart(join(&[ours, theirs]));
    };
    let mut before = base.and_then(versions_in).unwrap_or_default();
    if let Some(label) = new_label(&before, &mine, &other) {
        for versions in [&mut before, &mut mine, &mut other] {
            versions.iter_mut().filter(|version| version.label != label.as_str()).for_each(|version| {
                *version = relabelled(version, &label);
            });
        }
    }
    let heads = heads(&before, &mine, &other);
    match heads.as_slice() {
        [one] => {
            let bytes = one.file.render().into_bytes();
            if bytes == ours {
                Merged::Ours
            } else if bytes == theirs {
                Merged::Theirs
            } else {
                Merged::Together(bytes)
            }
        }
        heads => {
            let files: Vec<String> = heads.iter().map(|head| head.file.render()).collect();
            Merged::Apart(join(&files.iter().map(String::as_bytes).collect::<Vec<_>>()))
        }
    }
}

/// The versions in a file: one, or several that wait for a decision; `None` when it holds no claim.
pub fn versions_in(bytes: &[u8]) -> Option<Vec<Claim>> {
    Claim::parse(bytes).ok().map(|claim| vec![claim]).or_else(|| sides(bytes))
}

/// The label that all versions get, where exactly one side was renamed.
fn new_label(before: &[Claim], mine: &[Claim], other: &[Claim]) -> Option<Label> {
    let one_label = |versions: &[Claim]| {
        let first = versions.first()?.label.clone();
        versions.iter().all(|version| version.label == first).then_some(first)
    };
    let (before, mine, other) = (one_label(before)?, one_label(mine)?, one_label(other)?);
    let label = match (mine == before, other == before) {
        (false, true) => mine,
        (true, false) => other,
        (true, true) | (false, false) => return None,
    };
    Label::parse(&label).ok()
}

/// The versions of both sides that no other one stands for.
fn heads(before: &[Claim], mine: &[Claim], other: &[Claim]) -> Vec<Claim> {
    let is_in = |version: &Claim, all: &[Claim]| all.iter().any(|known| known.is_version(version));
    let mut all: Vec<Claim> = Vec::new();
    for version in mine.iter().chain(other) {
        match all.iter_mut().find(|known| known.is_version(version)) {
            Some(known) => *known = with_stamps_of(known, version),
            None => all.push(version.clone()),
        }
    }
    // What a side has no longer was decided there, unless the other side decided against what this one kept.
    let is_decided =
        |version: &Claim| is_in(version, before) && !(is_in(version, mine) && is_in(version, other));
    let decided_by = |kept: &[Claim]| all.iter().any(|version| is_decided(version) && is_in(version, kept));
    let decisions_cross = decided_by(mine) && decided_by(other);
    let goes = |at: usize, version: &Claim| {
        let is_followed = all
            .iter()
            .enumerate()
            .any(|(other, later)| other != at && later.follows(version) && !version.follows(later));
        is_followed || is_decided(version) && !decisions_cross
    };
    let goes: Vec<bool> = all.iter().enumerate().map(|(at, version)| goes(at, version)).collect();
    // Versions that all follow each other in a ring leave none to stand: then all of them wait.
    let goes = |at: usize| goes[at] && !goes.iter().all(|goes| *goes);
    let gone: Vec<&Claim> =
        all.iter().enumerate().filter(|(at, _)| goes(*at)).map(|(_, version)| version).collect();
    let mut heads: Vec<Claim> = Vec::new();
    for (_, version) in all.iter().enumerate().filter(|(at, _)| !goes(*at)) {
        let mut head = version.clone();
        // A version that was edited or renamed is still the one that was promoted.
        for past in gone.iter().filter(|past| past.created == version.created) {
            head = with_promotion_of(&head, past);
        }
        match heads.iter_mut().find(|known| is_said_twice(known, &head)) {
            Some(known) => *known = older_of(known, &head),
            None => heads.push(head),
        }
    }
    // One that stands alone was made over all that went, on one side or the other.
    if let [head] = heads.as_mut_slice()
        && gone.iter().any(|past| !head.follows(past))
    {
        let mut file = head.file.clone();
        follow(&mut file, &gone);
        *head = Claim::from(file);
    }
    heads
}

/// One version with the stamps of both its copies.
fn with_stamps_of(version: &Claim, other: &Claim) -> Claim {
    let mut file = with_promotion_of(version, other).file;
    if version.file.get(keys::FOLLOWS) != other.file.get(keys::FOLLOWS) {
        follow_what(&mut file, other);
    }
    Claim::from(file)
}

/// A version with the promotion that another copy of it knows of.
fn with_promotion_of(version: &Claim, other: &Claim) -> Claim {
    let mut file = version.file.clone();
    match (&version.promoted_to, &other.promoted_to) {
        // Both were promoted, each in a home of its own: the same one is kept on both machines.
        (Some(own), Some(copy)) if copy < own => file.set(keys::PROMOTED_TO, copy),
        (None, Some(copy)) => file.set(keys::PROMOTED_TO, copy),
        (Some(_), _) | (None, None) => {}
    }
    Claim::from(file)
}

/// Of two versions that say the same the older one, so that both machines keep the same file. It follows the other.
fn older_of(a: &Claim, b: &Claim) -> Claim {
    let key = |claim: &Claim| (claim.created, claim.unstamped().render());
    let (first, second) = if key(a) <= key(b) { (a, b) } else { (b, a) };
    let mut file = first.file.clone();
    follow(&mut file, &[second]);
    Claim::from(file)
}

/// Whether two births say the same to the last marker and unknown line. Two edits of one birth are never taken for one.
fn is_said_twice(a: &Claim, b: &Claim) -> bool {
    a.created != b.created
        && says_the_same(a, b)
        && a.file.body() == b.file.body()
        && a.file.unknown_lines().eq(b.file.unknown_lines())
}

/// Whether two versions say the same, with the same strength, by the same author.
pub fn says_the_same(a: &Claim, b: &Claim) -> bool {
    a.label == b.label
        && a.title == b.title
        && a.text == b.text
        && a.strength() == b.strength()
        && a.evidence == b.evidence
        && a.depends_on == b.depends_on
        && a.tags == b.tags
        && a.source_agent == b.source_agent
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;

//! Versions of one label that grew apart: when one plainly follows the others, and how all of them are kept when
//! a decision is due.

use crate::light::keys;
use crate::limits::CLAIM_LEN_READ_MAX;
use crate::lineage::{follow, follow_beyond, follow_only, follow_what, relabelled};
use crate::undecided_file::{is_readable, join, sides};
use crate::{Claim, Label};

/// The result of a merge of two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// Ours is the result.
    Ours,
    /// Theirs is the result.
    Theirs,
    /// One version is the result, with the other side's change of its header: another label, or the stamp of a
    /// promotion.
    Together(Vec<u8>),
    /// No version follows all others: this file holds them until it is decided.
    Apart(Vec<u8>),
    /// The merged file would be larger than this program reads: neither side changes.
    TooLarge,
}

/// Merges two files with their common ancestor, if there is one. Each may hold one version or several that wait for a
/// decision. Both machines get the same result, apart from the order of the versions.
///
/// A version goes only when the other side was made over exactly that version: it is in the ancestor, or in the lineage
/// of a version that stays. The content of versions distinguishes them; several may have one birth stamp.
///
/// If this program can read both files, it can read the result.
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
    let renames = match new_label(&before, &mine, &other) {
        Some(label) => renames([&before, &mine, &other], &label),
        None => Vec::new(),
    };
    for version in [&mut before, &mut mine, &mut other].into_iter().flatten() {
        *version = after_renames(version, &renames);
    }
    let mut heads = heads(&before, &mine, &other);
    for head in &mut heads {
        *head = after_renames(head, &renames);
    }
    match heads.as_slice() {
        [one] => {
            let bytes = one.file.render().into_bytes();
            if bytes == ours {
                Merged::Ours
            } else if bytes == theirs {
                Merged::Theirs
            } else if bytes.len() as u64 > CLAIM_LEN_READ_MAX {
                Merged::TooLarge
            } else {
                Merged::Together(bytes)
            }
        }
        heads => {
            let files: Vec<String> = heads.iter().map(|head| head.file.render()).collect();
            let all = join(&files.iter().map(String::as_bytes).collect::<Vec<_>>());
            if is_readable(files.len(), all.len()) { Merged::Apart(all) } else { Merged::TooLarge }
        }
    }
}

/// The versions in a file: one, or several that wait for a decision; `None` when it holds no claim.
pub fn versions_in(bytes: &[u8]) -> Option<Vec<Claim>> {
    Claim::parse(bytes).ok().map(|claim| vec![claim]).or_else(|| sides(bytes))
}

/// The label that all versions get, if exactly one side was renamed.
fn new_label(before: &[Claim], mine: &[Claim], other: &[Claim]) -> Option<Label> {
    let one_label = |versions: &[Claim]| {
        let first = versions.first()?.label.clone();
        versions.iter().all(|version| version.label == first).then_some(first)
    };
    // A decision may have put a claim of another label with the same slug in its place, which is not a renaming.
    let is_renamed = |versions: &[Claim]| {
        let is_from = |now: &Claim, was: &Claim| {
            now.follows(was)
                || now.created.is_some()
                    && (now.created, &now.source_agent) == (was.created, &was.source_agent)
        };
        versions.iter().all(|now| before.iter().any(|was| is_from(now, was)))
    };
    let (was, mine_is, other_is) = (one_label(before)?, one_label(mine)?, one_label(other)?);
    let label = match (mine_is == was, other_is == was) {
        (false, true) if is_renamed(mine) => mine_is,
        (true, false) if is_renamed(other) => other_is,
        _ => return None,
    };
    Label::parse(&label).ok()
}

/// The versions with another label, each with its form under this one.
fn renames(all: [&Vec<Claim>; 3], label: &Label) -> Vec<(Claim, Claim)> {
    let is_other = |version: &&Claim| version.label != label.as_str();
    let rename = |version: &Claim| (version.clone(), relabelled(version, label));
    all.into_iter().flatten().filter(is_other).map(rename).collect()
}

/// The version after these renames, each from the first version to the second: renamed if it is among them. A version
/// that was written over one of the two was written over both.
fn after_renames(version: &Claim, renames: &[(Claim, Claim)]) -> Claim {
    let own = renames.iter().find(|(old, _)| old == version);
    let mut file = own.map_or(version, |(_, new)| new).file.clone();
    for (old, new) in renames {
        if version.follows(old) || version.follows(new) {
            follow_only(&mut file, &[old, new]);
        }
    }
    Claim::from(file)
}

/// The versions of both sides that no other version replaces.
fn heads(before: &[Claim], mine: &[Claim], other: &[Claim]) -> Vec<Claim> {
    let is_in = |version: &Claim, all: &[Claim]| all.iter().any(|known| known.is_version(version));
    let mut all: Vec<Claim> = Vec::new();
    for version in mine.iter().chain(other) {
        match all.iter_mut().find(|known| known.is_version(version)) {
            Some(known) => *known = with_stamps_of(known, version),
            None => all.push(version.clone()),
        }
    }
    // A version that a side no longer has was rejected there, unless the other side rejected the one that this side
    // kept.
    let is_decided =
        |version: &Claim| is_in(version, before) && !(is_in(version, mine) && is_in(version, other));
    let decided_by = |kept: &[Claim]| all.iter().any(|version| is_decided(version) && is_in(version, kept));
    let decisions_cross = decided_by(mine) && decided_by(other);
    let is_dropped: Vec<bool> = all.iter().map(|version| is_decided(version) && !decisions_cross).collect();
    let is_over = written_over(&all);
    // Only a version that no side dropped replaces an earlier one. There is always one: if all were dropped, each side
    // would have dropped the one that the other kept, and then the decisions cross. The latest of these stay.
    let goes = |at: usize| {
        let is_followed_by = |later: usize| !is_dropped[later] && is_over[later][at] && !is_over[at][later];
        is_dropped[at] || (0..all.len()).any(is_followed_by)
    };
    let (gone, standing): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|at| goes(*at));
    let head = |at: usize| {
        let mut head = all[at].clone();
        for past in gone.iter().copied() {
            // A version that was edited or renamed is still the one that was promoted.
            if all[past].created == head.created {
                head = with_promotion_of(&head, &all[past]);
            }
            if is_over[at][past] {
                if !head.follows(&all[past]) {
                    follow_only(&mut head.file, &[&all[past]]);
                }
                // Since the head was written over it, a decision may have added to its lineage.
                follow_beyond(&mut head.file, &all[past], &all);
            }
        }
        head
    };
    let mut heads = said_once(&standing.into_iter().map(head).collect::<Vec<_>>());
    let gone: Vec<&Claim> = gone.into_iter().map(|at| &all[at]).collect();
    // A single remaining version was made over all that went, on one side or the other.
    if let [head] = heads.as_mut_slice()
        && gone.iter().any(|past| !head.follows(past))
    {
        let mut file = head.file.clone();
        follow(&mut file, &gone);
        *head = Claim::from(file);
    }
    heads
}

/// Which versions were written over which: `[later][earlier]` is true where `later` follows `earlier`, or follows one of
/// these that was written over it. Two versions that follow each other come from two decisions that differ: neither
/// counts as written over the other.
fn written_over(versions: &[Claim]) -> Vec<Vec<bool>> {
    let is_over = |later: &Claim, earlier: &Claim| later.follows(earlier) && !earlier.follows(later);
    let row = |later: &Claim| versions.iter().map(|earlier| is_over(later, earlier)).collect();
    let mut over: Vec<Vec<bool>> = versions.iter().map(row).collect();
    for between in 0..versions.len() {
        let earlier = over[between].clone();
        for row in over.iter_mut().filter(|row| row[between]) {
            row.iter_mut().zip(&earlier).for_each(|(is_over, is_earlier)| *is_over |= is_earlier);
        }
    }
    over
}

/// One version with the stamps of both its copies.
fn with_stamps_of(version: &Claim, other: &Claim) -> Claim {
    let mut file = with_promotion_of(version, other).file;
    if version.file.get(keys::FOLLOWS) != other.file.get(keys::FOLLOWS) {
        follow_what(&mut file, other);
    }
    Claim::from(file)
}

/// A version with the promotion in another copy of it.
fn with_promotion_of(version: &Claim, other: &Claim) -> Claim {
    let mut file = version.file.clone();
    match (&version.promoted_to, &other.promoted_to) {
        // Both were promoted, each in its own home: both machines keep the same one.
        (Some(own), Some(copy)) if copy < own => file.set(keys::PROMOTED_TO, copy),
        (None, Some(copy)) => file.set(keys::PROMOTED_TO, copy),
        (Some(_), _) | (None, None) => {}
    }
    Claim::from(file)
}

/// The versions without repeats: of several births with the same content, the oldest is kept.
fn said_once(versions: &[Claim]) -> Vec<Claim> {
    let mut once: Vec<Claim> = Vec::new();
    for version in versions {
        match once.iter_mut().find(|known| is_said_twice(known, version)) {
            Some(known) => *known = older_of(known, version),
            None => once.push(version.clone()),
        }
    }
    // A version that follows a repeat follows the kept one: decisions that differ stay open.
    let kept = once.clone();
    for (version, own) in once.iter_mut().zip(&kept) {
        for known in kept.iter().filter(|known| !known.is_version(own)) {
            if versions.iter().any(|repeat| is_said_twice(repeat, known) && own.follows(repeat)) {
                follow_only(&mut version.file, &[known]);
            }
        }
    }
    once
}

/// The older one of two versions with the same content, so that both machines keep the same file. It follows the other.
fn older_of(a: &Claim, b: &Claim) -> Claim {
    let key = |claim: &Claim| (claim.created, claim.unstamped().render());
    let (first, second) = if key(a) <= key(b) { (a, b) } else { (b, a) };
    let mut file = first.file.clone();
    follow(&mut file, &[second]);
    Claim::from(file)
}

/// Whether two births have the same content, to the last marker and unknown line. Two edits of one birth never count as
/// the same.
fn is_said_twice(a: &Claim, b: &Claim) -> bool {
    a.created != b.created
        && says_the_same(a, b)
        && a.file.body() == b.file.body()
        && a.file.unknown_lines().eq(b.file.unknown_lines())
}

/// Whether two versions have the same content, strength and author.
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

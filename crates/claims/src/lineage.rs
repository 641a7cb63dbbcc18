//! Which versions a claim was written over, identified by their content: several versions can have one birth stamp,
//! because an editor, a rename or another clone keeps it.

use crate::act::VersionRef;
use crate::light::keys;
use crate::limits::FOLLOWS_MAX;
use crate::{Claim, ClaimSlug, Label, LightFile};
use brainstem_base::{Timestamp, hash};
use std::fmt;

/// How many hex digits of the sha256 of a version are in its id.
const HASH_DIGITS: usize = 12;
/// The text in the place of a hash that is not known: the version is identified by its birth.
const NO_HASH: &str = "000000000000";

/// What identifies one version of a label: its birth, and the hash of its file without the stamps that make no version
/// (`Promoted-To`, `Follows`).
///
/// Written `<ms>-<12 hex>`. Without the hash, `<ms>` means every version born until then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionId {
    born_ms: i64,
    hash: Option<String>,
}

impl VersionId {
    /// The id of a version.
    pub fn of(claim: &Claim) -> Self {
        let hash = hash::sha256_hex(claim.unstamped().render().as_bytes(), HASH_DIGITS);
        Self { born_ms: born_ms(claim), hash: Some(hash) }
    }

    fn parse(text: &str) -> Option<Self> {
        let (ms, hash) = match text.split_once('-') {
            Some((ms, hash)) => (ms, Some(hash)),
            None => (text, None),
        };
        let is_hash = |hash: &str| hash.len() == HASH_DIGITS && hash.bytes().all(|b| b.is_ascii_hexdigit());
        let is_whole = hash.is_none_or(is_hash) && ms.bytes().all(|b| b.is_ascii_digit());
        let born_ms = ms.parse().ok().filter(|_| is_whole)?;
        Some(Self { born_ms, hash: hash.map(str::to_owned) })
    }
}

/// Versions that another one was written over: the youngest by their ids, and all older ones by one stamp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lineage(Vec<VersionId>);

impl Lineage {
    /// Reads the ids in a text; other words are skipped.
    pub fn parse(text: &str) -> Self {
        Self(text.split_ascii_whitespace().filter_map(VersionId::parse).collect())
    }

    /// A version, and the versions that it was written over.
    pub fn up_to(claim: &Claim) -> Self {
        let mut ids = vec![VersionId::of(claim)];
        ids.extend(claim.lineage().0);
        Self(ids)
    }

    /// This version alone.
    pub fn only(claim: &Claim) -> Self {
        Self(vec![VersionId::of(claim)])
    }

    /// The versions that it names by their ids, without the stamp that covers all older ones.
    pub fn by_id_alone(mut self) -> Self {
        self.0.retain(|id| id.hash.is_some());
        self
    }

    /// The same, with each version of these births named by its birth alone: the hash of a version that holds a secret
    /// would let a reader test guesses.
    #[must_use]
    pub fn bare_at(mut self, is_bare: impl Fn(i64) -> bool) -> Self {
        for id in self.0.iter_mut().filter(|id| id.hash.is_some() && is_bare(id.born_ms)) {
            id.hash = Some(NO_HASH.into());
        }
        self
    }

    /// Whether it names exactly this version.
    pub fn names(&self, claim: &Claim) -> bool {
        self.0.contains(&VersionId::of(claim))
    }

    /// Whether both name a version by its id that was born with this claim: the claim under an earlier label.
    pub fn shares_birth(&self, other: &Self, claim: &Claim) -> bool {
        let is_told = |id: &&VersionId| {
            id.born_ms == born_ms(claim) && id.hash.as_deref().is_some_and(|hash| hash != NO_HASH)
        };
        claim.created.is_some() && self.0.iter().filter(is_told).any(|id| other.0.contains(id))
    }

    /// Whether it names this version or an edit of it, or covers all versions of that age.
    pub fn covers(&self, claim: &Claim) -> bool {
        self.covers_older(claim) || self.names_it_or_an_edit(claim)
    }

    /// Whether it names exactly this version, or covers all versions of that age.
    pub fn names_it_or_older(&self, claim: &Claim) -> bool {
        self.covers_older(claim) || self.names(claim)
    }

    fn covers_older(&self, claim: &Claim) -> bool {
        let born = born_ms(claim);
        self.0.iter().any(|id| id.hash.is_none() && born <= id.born_ms)
    }

    /// Whether it includes a version that was born then.
    pub fn covers_birth(&self, born: Timestamp) -> bool {
        let is_it = |id: &VersionId| id.born_ms == born.ms() || id.hash.is_none() && born.ms() <= id.born_ms;
        self.0.iter().any(is_it)
    }

    /// Whether it names this version or an edit of it: its author has seen one of them.
    pub fn names_it_or_an_edit(&self, claim: &Claim) -> bool {
        let born = born_ms(claim);
        let is_edit = |id: &VersionId| id.born_ms == born && claim.created.is_some();
        self.0.iter().any(is_edit) || self.names(claim)
    }
}

impl fmt::Display for Lineage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&ids.join(" "))
    }
}

impl fmt::Display for VersionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hash {
            Some(hash) => write!(f, "{}-{hash}", self.born_ms),
            None => write!(f, "{}", self.born_ms),
        }
    }
}

fn born_ms(claim: &Claim) -> i64 {
    claim.created.map_or(0, Timestamp::ms)
}

impl Claim {
    /// The file without the stamps that make no version.
    pub fn unstamped(&self) -> LightFile {
        let mut file = self.file.clone();
        file.remove(keys::PROMOTED_TO);
        file.remove(keys::FOLLOWS);
        file
    }

    /// Whether both are one version: the same bytes, apart from the stamps that make no version.
    pub fn is_version(&self, other: &Self) -> bool {
        self.unstamped() == other.unstamped()
    }

    /// The same, if one of the two may be in history, which stamps a version outdated.
    pub fn is_version_kept(&self, other: &Self) -> bool {
        Self::from(self.outdated()).is_version(&Self::from(other.outdated()))
    }

    /// The versions that this one was written over, according to its header. A stamp that covers all older ones counts
    /// only until its own birth: no version was written over a later one, and a committer can write any stamp.
    pub fn lineage(&self) -> Lineage {
        let mut lineage = Lineage::parse(&self.file.get(keys::FOLLOWS).unwrap_or_default());
        lineage.0.retain(|id| id.hash.is_some() || id.born_ms <= born_ms(self));
        lineage
    }

    /// Whether this version says that it was written over exactly `earlier`, or over a version that was.
    pub fn follows(&self, earlier: &Self) -> bool {
        self.lineage().names(earlier)
    }

    /// Whether this version replaces `earlier`, so that `earlier` is not missed: it follows it or an edit of it, or
    /// `earlier` was born before everything that its header still names.
    ///
    /// A file of an older program has only the birth of the version before it: every version born until then counts as
    /// seen by its author.
    pub fn replaces(&self, earlier: &Self) -> bool {
        let lineage = self.lineage();
        match lineage.0.is_empty() {
            true => superseded_stamp(self).is_some_and(|stamp| born_ms(earlier) <= stamp),
            false => lineage.covers(earlier),
        }
    }
}

/// The birth stamp in `Supersedes`.
fn superseded_stamp(claim: &Claim) -> Option<i64> {
    let stamp = VersionRef::parse(claim.supersedes.as_deref()?)?.created?.ms();
    Some(stamp).filter(|stamp| *stamp <= born_ms(claim))
}

/// Writes into a file's header that it was written over these versions, and over all that they were written over. What
/// is there already stays. Only the youngest are named; older ones become one bare stamp.
pub fn follow(file: &mut LightFile, before: &[&Claim]) {
    let mut ids = Vec::new();
    for version in before {
        ids.push(VersionId::of(version));
        let lineage = version.lineage().0;
        if lineage.is_empty() {
            // An older program wrote it, with less information.
            ids.extend(superseded_stamp(version).map(|born_ms| VersionId { born_ms, hash: None }));
        }
        ids.extend(lineage);
    }
    add(file, ids);
}

/// Writes into a file's header the lineage of another copy of the same version.
pub(crate) fn follow_what(file: &mut LightFile, copy: &Claim) {
    add(file, copy.lineage().0);
}

/// Writes into a file's header that it was written over these versions, without their lineage.
pub(crate) fn follow_only(file: &mut LightFile, before: &[&Claim]) {
    add(file, before.iter().map(|version| VersionId::of(version)).collect());
}

/// Writes into a file's header the lineage of `past`, without the versions in `at_hand`.
pub(crate) fn follow_beyond(file: &mut LightFile, past: &Claim, at_hand: &[Claim]) {
    let mut ids = past.lineage().0;
    ids.retain(|id| !at_hand.iter().any(|version| VersionId::of(version) == *id));
    add(file, ids);
}

fn add(file: &mut LightFile, more: Vec<VersionId>) {
    let own = Claim::from(file.clone());
    let mut ids = own.lineage().0;
    ids.extend(more);
    let own = VersionId::of(&own);
    ids.retain(|id| *id != own);
    // At one birth, an id with a hash comes before a bare stamp.
    ids.sort_by(|a, b| (b.born_ms, &b.hash).cmp(&(a.born_ms, &a.hash)));
    ids.dedup();
    // One bare stamp covers everything that several would.
    let bare = ids.iter().filter(|id| id.hash.is_none()).map(|id| id.born_ms).max();
    ids.retain(|id| id.hash.is_some());
    let older = (ids.len() > FOLLOWS_MAX)
        .then(|| ids.split_off(FOLLOWS_MAX))
        .and_then(|cut| Some(cut.first()?.born_ms));
    let bare = bare.max(older);
    ids.extend(bare.map(|born_ms| VersionId { born_ms, hash: None }));
    if !ids.is_empty() {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        file.set(keys::FOLLOWS, &ids.join(" "));
    }
}

/// The version under another label: every line that names the claim changes, and it follows its earlier self.
pub fn relabelled(old: &Claim, label: &Label) -> Claim {
    let (from, to) = (Label::parse(&old.label).ok().map(|label| ClaimSlug::of(&label)), ClaimSlug::of(label));
    let mut file = old.file.clone();
    file.relabel(label.as_str());
    let before = old.supersedes.as_deref().zip(from.as_ref());
    let before = before.and_then(|(before, from)| before.strip_prefix(from.as_str()));
    if let Some(stamp) = before.filter(|stamp| stamp.is_empty() || stamp.starts_with('@')) {
        file.set(keys::SUPERSEDES, &format!("{to}{stamp}"));
    }
    follow(&mut file, &[old]);
    Claim::from(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::{author, draft};

    fn version(text: &str, created: i64, before: &[&Claim]) -> Claim {
        let supersedes = before.first().map(|before| format!("cache@{}", born_ms(before)));
        let mut file = draft("cache", text).file(&author(), Timestamp::from_ms(created), supersedes);
        follow(&mut file, before);
        Claim::from(file)
    }

    fn edited(claim: &Claim, from: &str, to: &str) -> Claim {
        Claim::parse(claim.file.render().replace(from, to).as_bytes()).expect("a claim")
    }

    #[test] // spec: MEM-5a
    fn a_version_names_what_it_was_written_over_by_what_that_said() {
        let one = version("one", 1, &[]);
        let two = version("two", 2, &[&one]);
        let three = version("three", 3, &[&two]);
        assert!(two.follows(&one) && three.follows(&two) && three.follows(&one));
        assert!(!one.follows(&two) && !one.follows(&one));
        for (from, to) in
            [("one", "one, corrected"), ("State: authored", "State: verified"), ("cache", "caches")]
        {
            let by_hand = edited(&one, from, to);
            assert_eq!(by_hand.created, one.created);
            assert!(!two.follows(&by_hand), "an edit of {from:?} is another version");
        }
        let by_hand = edited(&one, "one", "one, corrected");
        assert!(two.replaces(&by_hand) && version("three", 3, &[&by_hand]).replaces(&one));
        let mut promoted = one.file.clone();
        promoted.set(keys::PROMOTED_TO, "medulla@cache@9");
        assert!(two.follows(&Claim::from(promoted)), "a stamp makes no version");
    }

    #[test] // spec: MEM-5a
    fn a_header_names_a_bounded_number_of_versions_and_counts_older_ones_as_seen() {
        let mut versions = vec![version("0", 10, &[])];
        for n in 1..40 {
            versions.push(version(&n.to_string(), 10 + 2 * n, &[versions.last().expect("one")]));
        }
        let last = versions.last().expect("many");
        let line = last.file.get(keys::FOLLOWS).expect("a lineage");
        assert_eq!(line.split(' ').count(), FOLLOWS_MAX + 1, "{line}");
        assert!(versions[..39].iter().all(|earlier| last.replaces(earlier)));
        assert!(last.follows(&versions[38]) && !last.follows(&versions[3]));
        let apart = version("apart", 81, &[&versions[3]]);
        assert!(!last.replaces(&apart), "it was never seen");
    }

    #[test] // spec: MEM-5a
    fn files_of_an_older_program_count_by_their_stamps() {
        let old = |text: &str, created, before: Option<i64>| {
            let before = before.map(|ms| format!("cache@{ms}"));
            Claim::from(draft("cache", text).file(&author(), Timestamp::from_ms(created), before))
        };
        let (one, two) = (old("one", 1, None), old("two", 2, Some(1)));
        assert!(two.replaces(&one) && !two.follows(&one));
        let three = version("three", 3, &[&two]);
        assert!(three.follows(&two) && three.replaces(&one) && !three.follows(&one));
        let aside = old("aside", 5, None);
        assert!(!old("six", 6, Some(1)).replaces(&aside));
        assert!(!three.replaces(&aside));
    }

    #[test] // spec: MEM-5a, MEM-48
    fn a_claim_under_another_label_follows_what_it_was() {
        let one = version("one", 1, &[]);
        let two = version("two", 2, &[&one]);
        let renamed = relabelled(&two, &Label::parse("Page cache").expect("a label"));
        assert_eq!((renamed.label.as_str(), renamed.created), ("Page cache", two.created));
        assert_eq!(renamed.supersedes.as_deref(), Some("page-cache@1"));
        assert!(renamed.follows(&two) && renamed.follows(&one) && !renamed.is_version(&two));
    }

    #[test] // spec: MEM-5a, MEM-49
    fn a_stamp_after_its_own_birth_says_nothing() {
        let born = |ms: i64| version("text", ms, &[]);
        let earlier = born(7);
        for (key, value) in [(keys::FOLLOWS, "9999999999999"), (keys::SUPERSEDES, "cache@9999999999999")] {
            let mut forged = born(5).file;
            forged.set(key, value);
            assert!(!Claim::from(forged).replaces(&earlier), "{key}");
            let mut honest = born(9).file;
            honest.set(key, &value.replace("9999999999999", "8"));
            assert!(Claim::from(honest).replaces(&earlier), "{key}");
        }
    }
}

//! What was forgotten, as the acts tell: so that no clone, copy or backup brings it back unmarked.

use crate::StoreError;
use crate::acts::{Act, ActsLog};
use crate::forget::FORGET;
use crate::missing::COVERS;
use crate::store::Store;
use brainstem_base::{Timestamp, hash};
use brainstem_claims::lineage::Lineage;
use brainstem_claims::{Claim, ClaimSlug, Label, LightFile};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How a forgotten slug is named from then on.
pub fn tombstone_name(slug: &ClaimSlug) -> String {
    format!("forgotten-{}", hash::sha256_hex(slug.as_str().as_bytes(), 16))
}

/// The key of a tombstone's data under which stand the versions that held a secret.
pub(crate) const SECRET: &str = "secret";
/// The key under which stand the versions that went, each by its id: what no header alone names.
pub(crate) const GONE: &str = "gone";
/// The key under which stand the slugs that the claim had before, named as forgotten ones are.
pub(crate) const NAMES: &str = "names";

/// How a tombstone names a version that held a secret: by its slug, as a forgotten one is named, and its birth. A hash of
/// the file would let a reader try guesses.
pub(crate) fn secret_version(slug: &ClaimSlug, created: Option<Timestamp>) -> String {
    format!("{}@{}", tombstone_name(slug), born_ms(created))
}

/// A birth in ms; 0 stands for none.
pub(crate) fn born_ms(created: Option<Timestamp>) -> i64 {
    created.map_or(0, Timestamp::ms)
}

impl Store {
    /// What was forgotten here, or in another clone whose acts came along. A log that cannot be read says
    /// nothing about it.
    pub fn tombstones(&self) -> Tombstones {
        let read = |log: &ActsLog| log.read_only(FORGET).unwrap_or_default();
        Tombstones::of(&told_by(self.logs().iter().map(read).collect()))
    }

    /// The same, where each log could be read.
    pub fn all_tombstones(&self) -> Result<Tombstones, StoreError> {
        let read = |log: &ActsLog| log.read_only(FORGET);
        Ok(Tombstones::of(&told_by(self.logs().iter().map(read).collect::<Result<_, _>>()?)))
    }
}

/// The acts of a store's logs. Where there are two, what the first alone has came with the repository.
fn told_by(logs: Vec<Vec<Act>>) -> Vec<Act> {
    let mut logs = logs.into_iter();
    let (mut acts, here) = (logs.next().unwrap_or_default(), logs.next());
    if let Some(here) = here {
        let known: HashSet<String> = here.iter().map(|act| act.id.clone()).collect();
        acts.retain(|act| !known.contains(&act.id));
        acts.iter_mut().for_each(|act| act.is_foreign = true);
        acts.extend(here);
    }
    acts
}

/// What tombstones speak of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tombstones {
    /// The versions that held a secret, by slug and birth.
    secret: HashSet<String>,
    /// What was forgotten, by each slug that the claim had, as a forgotten slug is named.
    by_slug: HashMap<String, Vec<Arc<Tombstone>>>,
    /// What was forgotten through this home.
    here: Vec<Arc<Tombstone>>,
}

/// What one tombstone says of versions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tombstone {
    /// The sha256 of each file.
    hashes: HashSet<String>,
    /// The versions that went, and those that their headers name: a committer can write a header, so that these ids count
    /// for the slugs of the claim alone.
    covers: Lineage,
    /// The versions that went, under whatever name they come back.
    gone: Lineage,
    /// When, as acts write the time.
    at: String,
}

impl Tombstones {
    /// Those among these acts.
    pub fn of<'a>(acts: impl IntoIterator<Item = &'a Act>) -> Self {
        let mut all = Self::default();
        for act in acts.into_iter().filter(|act| act.act == FORGET) {
            let listed = |key: &str| {
                let listed = act.data[key].as_array().into_iter().flatten();
                listed.filter_map(|named| named.as_str().map(str::to_owned)).collect::<HashSet<String>>()
            };
            let lineage = |key: &str| Lineage::parse(act.data[key].as_str().unwrap_or_default());
            let (covers, gone) = (lineage(COVERS), lineage(GONE));
            let tombstone =
                Arc::new(Tombstone { hashes: listed("sha256"), covers, gone, at: act.ts.clone() });
            all.secret.extend(listed(SECRET));
            let own = act.subject.split('@').next().map(str::to_owned);
            for name in own.into_iter().chain(listed(NAMES)).collect::<HashSet<String>>() {
                all.by_slug.entry(name).or_default().push(tombstone.clone());
            }
            if !act.is_foreign {
                all.here.push(tombstone);
            }
        }
        all
    }

    /// Whether nothing was forgotten.
    pub fn is_empty(&self) -> bool {
        self.secret.is_empty() && self.by_slug.is_empty()
    }

    fn of_slug(&self, slug: &ClaimSlug) -> &[Arc<Tombstone>] {
        if self.by_slug.is_empty() {
            return &[];
        }
        self.by_slug.get(&tombstone_name(slug)).map_or(&[], Vec::as_slice)
    }

    /// Whether this very version was forgotten, live or from history, which stamps it outdated. Of a version that held a
    /// secret, an edit counts too. What was forgotten under another label is another claim, whatever its file said.
    pub fn cover(&self, claim: &Claim) -> bool {
        let slug = Label::parse(&claim.label).map(|label| ClaimSlug::of(&label));
        slug.is_ok_and(|slug| {
            self.has_file(self.of_slug(&slug), claim)
                || !self.secret.is_empty() && self.secret.contains(&secret_version(&slug, claim.created))
        })
    }

    fn has_file(&self, tombstones: &[Arc<Tombstone>], claim: &Claim) -> bool {
        let has = |file: &LightFile| {
            let hash = hash::sha256_hex(file.render().as_bytes(), 64);
            tombstones.iter().any(|tombstone| tombstone.hashes.contains(&hash))
        };
        !tombstones.is_empty() && (has(&claim.file) || has(&claim.outdated()))
    }

    /// The same, or it was forgotten under another name: a version went that this one is under an earlier or later label of
    /// its claim.
    pub fn cover_renamed(&self, claim: &Claim) -> bool {
        if self.is_empty() {
            return false;
        }
        let own = Lineage::up_to(claim);
        let slug = Label::parse(&claim.label).map(|label| ClaimSlug::of(&label));
        let of_slug = slug.as_ref().map_or(&[][..], |slug| self.of_slug(slug));
        self.cover(claim)
            || of_slug.iter().any(|tombstone| tombstone.covers.shares_birth(&own, claim))
            || self.here.iter().any(|tombstone| tombstone.gone.shares_birth(&own, claim))
    }

    /// Whether it was forgotten, or a version of this slug went that was written over this one. `had_it` says whether the claim had the
    /// slug at a time: what went from the slug at another was another claim's, unless it is named exactly.
    pub(crate) fn cover_earlier(
        &self,
        slug: &ClaimSlug,
        had_it: impl Fn(&str) -> bool,
        claim: &Claim,
        reach: Reach,
    ) -> bool {
        let is_by = |tombstone: &Arc<Tombstone>| {
            let Tombstone { covers, at, .. } = &**tombstone;
            let is_among = || match reach {
                Reach::Lineage => covers.covers(claim),
                Reach::Named => covers.names_it_or_an_edit(claim),
            };
            covers.names(claim) || had_it(at) && is_among()
        };
        let of_slug = self.of_slug(slug);
        self.cover(claim) || self.has_file(of_slug, claim) || of_slug.iter().any(is_by)
    }
}

/// How far a tombstone reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// To what it names, and to all that was written before that.
    Lineage,
    /// To what it names: anybody can write one into a repository's log, and a stamp would reach what they never saw.
    Named,
}

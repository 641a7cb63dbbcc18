//! What was forgotten, as the acts tell: so that no clone, copy or backup brings it back unmarked.

use crate::StoreError;
use crate::acts::Act;
use crate::forget::FORGET;
use crate::missing::COVERS;
use crate::store::Store;
use brainstem_base::{Timestamp, hash};
use brainstem_claims::lineage::Lineage;
use brainstem_claims::{Claim, ClaimSlug, Label, LightFile};
use std::collections::HashSet;

/// How a forgotten slug is named from then on.
pub fn tombstone_name(slug: &ClaimSlug) -> String {
    format!("forgotten-{}", hash::sha256_hex(slug.as_str().as_bytes(), 16))
}

/// The key of a tombstone's data under which stand the versions that held a secret.
pub(crate) const SECRET: &str = "secret";

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
        let acts = self.logs().into_iter().flat_map(|log| log.read_only(FORGET).unwrap_or_default());
        Tombstones::of(&acts.collect::<Vec<_>>())
    }

    /// The same, where each log could be read.
    pub fn all_tombstones(&self) -> Result<Tombstones, StoreError> {
        let mut acts = Vec::new();
        for log in self.logs() {
            acts.extend(log.read_only(FORGET)?);
        }
        Ok(Tombstones::of(&acts))
    }
}

/// What tombstones speak of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tombstones {
    /// The sha256 of each file.
    hashes: HashSet<String>,
    /// The versions that held a secret, by slug and birth.
    secret: HashSet<String>,
    covers: Vec<Covered>,
}

/// What one tombstone says of versions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Covered {
    /// How the slug is named since.
    name: String,
    /// The versions that went with it.
    versions: Lineage,
    /// When, as acts write the time.
    at: String,
}

impl Tombstones {
    /// Those among these acts.
    pub fn of<'a>(acts: impl IntoIterator<Item = &'a Act>) -> Self {
        let tombstones: Vec<&Act> = acts.into_iter().filter(|act| act.act == FORGET).collect();
        let listed = |key: &str| -> HashSet<String> {
            let listed = tombstones.iter().flat_map(|act| act.data[key].as_array().into_iter().flatten());
            listed.filter_map(|named| named.as_str().map(str::to_owned)).collect()
        };
        let covers = tombstones.iter().filter_map(|act| {
            let name = act.subject.split('@').next()?.to_owned();
            let versions = Lineage::parse(act.data[COVERS].as_str()?);
            Some(Covered { name, versions, at: act.ts.clone() })
        });
        Self { hashes: listed("sha256"), secret: listed(SECRET), covers: covers.collect() }
    }

    /// Whether nothing was forgotten.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty() && self.secret.is_empty() && self.covers.is_empty()
    }

    /// Whether this very version was forgotten, live or from history, which stamps it outdated. Of a version that held a
    /// secret, an edit counts too.
    pub fn cover(&self, claim: &Claim) -> bool {
        let has = |file: &LightFile| self.hashes.contains(&hash::sha256_hex(file.render().as_bytes(), 64));
        let is_secret = || {
            let slug = Label::parse(&claim.label).map(|label| ClaimSlug::of(&label));
            slug.is_ok_and(|slug| self.secret.contains(&secret_version(&slug, claim.created)))
        };
        !self.is_empty()
            && (has(&claim.file) || has(&claim.outdated()) || !self.secret.is_empty() && is_secret())
    }

    /// The same, or it was forgotten under another name: a version went that this one is under an earlier or later label of
    /// its claim.
    pub fn cover_renamed(&self, claim: &Claim) -> bool {
        let own = Lineage::up_to(claim);
        self.cover(claim) || self.covers.iter().any(|covered| covered.versions.shares_birth(&own, claim))
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
        let name = tombstone_name(slug);
        let is_by = |Covered { name: known, versions, at }: &Covered| {
            let is_among = || match reach {
                Reach::Lineage => versions.covers(claim),
                Reach::Named => versions.names_it_or_an_edit(claim),
            };
            *known == name && (versions.names(claim) || had_it(at) && is_among())
        };
        self.cover(claim) || self.covers.iter().any(is_by)
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

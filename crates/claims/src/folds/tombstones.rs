//! What was forgotten, as the acts tell: so that no clone, copy or backup brings it back unmarked.

use crate::act::{Act, ActTime, Deed, tombstone_name};
use crate::lineage::Lineage;
use crate::{Claim, ClaimSlug, Label, LightFile};
use brainstem_base::{Timestamp, hash};
use std::collections::HashSet;

/// How a tombstone names a version that held a secret: by its slug, as a forgotten one is named, and its birth. A hash of
/// the file would let a reader try guesses.
pub fn secret_version(slug: &ClaimSlug, created: Option<Timestamp>) -> String {
    format!("{}@{}", tombstone_name(slug), created.map_or(0, Timestamp::ms))
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
    /// When.
    at: ActTime,
}

impl Tombstones {
    /// Those among these acts.
    pub fn of<'a>(acts: impl IntoIterator<Item = &'a Act>) -> Self {
        let mut tombstones = Self::default();
        for act in acts {
            if let Deed::Forget { tombstone, sha256, covers, secret, versions: _ } = act.deed() {
                tombstones.hashes.extend(sha256.iter().cloned());
                tombstones.secret.extend(secret.iter().cloned());
                tombstones.covers.extend(covers.clone().map(|versions| Covered {
                    name: tombstone.name().to_owned(),
                    versions,
                    at: act.at().clone(),
                }));
            }
        }
        tombstones
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
    pub fn cover_earlier(
        &self,
        slug: &ClaimSlug,
        had_it: impl Fn(&ActTime) -> bool,
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
pub enum Reach {
    /// To what it names, and to all that was written before that.
    Lineage,
    /// To what it names: anybody can write one into a repository's log, and a stamp would reach what they never saw.
    Named,
}

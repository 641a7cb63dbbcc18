//! What was forgotten, as the acts tell: so that no clone, copy or backup brings it back unmarked.

use crate::act::{Act, ActTime, Deed, tombstone_name};
use crate::lineage::Lineage;
use crate::{Claim, ClaimSlug, Label, LightFile};
use brainstem_base::{Timestamp, hash};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How a tombstone names a version that held a secret: by its slug, as a forgotten one is named, and its birth. A hash of
/// the file would let a reader try guesses.
pub fn secret_version(slug: &ClaimSlug, created: Option<Timestamp>) -> String {
    format!("{}@{}", tombstone_name(slug), created.map_or(0, Timestamp::ms))
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
    /// When.
    at: ActTime,
}

impl Tombstones {
    /// Those among these acts.
    pub fn of<'a>(acts: impl IntoIterator<Item = &'a Act>) -> Self {
        let mut all = Self::default();
        for act in acts {
            let Deed::Forget { tombstone: own, sha256, covers, gone, names, secret, versions: _ } =
                act.deed()
            else {
                continue;
            };
            let tombstone = Arc::new(Tombstone {
                hashes: sha256.iter().cloned().collect(),
                covers: covers.clone().unwrap_or_default(),
                gone: gone.clone().unwrap_or_default(),
                at: act.at().clone(),
            });
            all.secret.extend(secret.iter().cloned());
            let names = names.iter().map(String::as_str).chain([own.name()]);
            for name in names.collect::<HashSet<&str>>() {
                all.by_slug.entry(name.to_owned()).or_default().push(tombstone.clone());
            }
            if !act.is_foreign() {
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
    pub fn cover_earlier(
        &self,
        slug: &ClaimSlug,
        had_it: impl Fn(&ActTime) -> bool,
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
pub enum Reach {
    /// To what it names, and to all that was written before that.
    Lineage,
    /// To what it names: any committer can write one into a repository's log, and a stamp would reach versions that the
    /// committer never saw.
    Named,
}

#[cfg(test)]
mod tests {
    use super::super::names::tests::act;
    use super::*;
    use crate::act::TombstoneRef;

    fn claim(label: &str, born_ms: i64, header: &str) -> Claim {
        let text = format!(
            "---\nProtocol: L1GHT/1.0\nNode: {label}\nState: authored\nCreated: {born_ms}\n{header}---\n\nText.\n"
        );
        Claim::parse(text.as_bytes()).unwrap()
    }

    fn slug(text: &str) -> ClaimSlug {
        ClaimSlug::parse(text).unwrap()
    }

    /// A tombstone of the slug `cache`, of the claim that had the slug `page` before.
    fn forgotten(of: &Claim, covers: Lineage, is_foreign: bool) -> Act {
        let hash = hash::sha256_hex(of.file.render().as_bytes(), 64);
        let mut forgotten = act(
            100,
            Deed::Forget {
                tombstone: TombstoneRef::new(&slug("cache"), [&hash]),
                versions: Some(1),
                sha256: vec![hash],
                covers: Some(covers),
                gone: Some(Lineage::only(of)),
                names: vec![tombstone_name(&slug("page"))],
                secret: vec![secret_version(&slug("key"), Some(Timestamp::from_ms(7)))],
            },
        );
        if is_foreign {
            forgotten.set_foreign();
        }
        forgotten
    }

    #[test] // spec: MEM-48
    fn a_file_is_covered_under_the_labels_that_its_claim_had_and_a_secret_one_by_its_birth() {
        let cache = claim("cache", 5, "");
        let tombstones = Tombstones::of(&[forgotten(&cache, Lineage::default(), false)]);
        assert!(!tombstones.is_empty() && Tombstones::default().is_empty());
        assert!(tombstones.cover(&cache));
        assert!(!tombstones.cover(&claim("cache", 6, "")) && !tombstones.cover(&claim("other", 5, "")));
        assert!(tombstones.cover(&claim("key", 7, "")) && !tombstones.cover(&claim("key", 8, "")));
        // The tombstone counts for the earlier slug, whose file has another label and other bytes.
        let had_it = |_: &ActTime| true;
        let is_by = |name: &str, claim| tombstones.cover_earlier(&slug(name), had_it, claim, Reach::Named);
        assert!(is_by("page", &cache) && !is_by("other", &claim("other", 5, "")));
    }

    #[test] // spec: MEM-48
    fn the_versions_that_went_are_known_under_every_name_and_what_headers_name_under_the_claims_own() {
        // The claim as it was under its later label, written over the version that went.
        let went = claim("cache", 5, "");
        let told = Lineage::up_to(&went);
        let header = format!("Follows: {told}\n");
        let elsewhere = claim("queue", 5, &header);
        let covered = |is_foreign: bool, gone: bool, claim: &Claim| {
            let mut act = forgotten(&went, told.clone(), is_foreign);
            if !gone {
                act = act.with_deed(|deed| {
                    if let Deed::Forget { gone, .. } = deed {
                        *gone = None;
                    }
                });
            }
            Tombstones::of(&[act]).cover_renamed(claim)
        };
        assert!(covered(false, true, &elsewhere), "forgotten through this home");
        assert!(!covered(true, true, &elsewhere), "a repository's log counts for the slugs of the claim");
        assert!(!covered(false, false, &elsewhere), "what a header names counts for the slugs of the claim");
        for label in ["cache", "page"] {
            let own = claim(label, 5, &header);
            assert!(covered(true, false, &own), "{label}");
        }
    }
}

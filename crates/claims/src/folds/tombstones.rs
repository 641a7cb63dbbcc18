//! What was forgotten according to the acts, so that no clone, copy or backup brings it back unmarked.

use crate::act::{Act, Deed, tombstone_name};
use crate::lineage::Lineage;
use crate::{Claim, ClaimSlug, Label, LightFile};
use brainstem_base::{Timestamp, hash};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How a tombstone names a version that held a secret: by the tombstone name of its slug, and its birth. A hash of the
/// file would let a reader test guesses.
pub fn secret_version(slug: &ClaimSlug, created: Option<Timestamp>) -> String {
    format!("{}@{}", tombstone_name(slug), created.map_or(0, Timestamp::ms))
}

/// The versions that tombstones are about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tombstones {
    /// The versions that held a secret, by slug and birth, and whether one was forgotten through this home.
    secret: HashMap<String, bool>,
    /// What was forgotten, by the tombstone name of each slug that the claim had.
    by_slug: HashMap<String, Vec<Arc<Tombstone>>>,
    /// What was forgotten through this home.
    here: Vec<Arc<Tombstone>>,
}

/// Where a version was forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgottenWhere {
    /// Through this home.
    Here,
    /// In another clone, according to the repository's log alone.
    Elsewhere,
}

/// Which tombstones count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// All of them.
    All,
    /// Those of this home.
    Here,
}

/// What one tombstone says about versions.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tombstone {
    /// The sha256 of each file.
    hashes: HashSet<String>,
    /// The versions that went, and those that their headers name: a committer can write a header, so these ids count
    /// only for the slugs of the claim.
    covers: Lineage,
    /// Only the repository's log has it.
    is_foreign: bool,
    /// The versions that went, under whatever name they come back; `None` if an older program did not record them.
    gone: Option<Lineage>,
}

impl Tombstone {
    /// The versions that went, if they are named by their ids.
    fn deleted(&self) -> &Lineage {
        self.gone.as_ref().unwrap_or(&self.covers)
    }
}

impl Tombstones {
    /// The tombstones among these acts.
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
                is_foreign: act.is_foreign(),
                gone: gone.clone(),
            });
            for version in secret {
                *all.secret.entry(version.clone()).or_default() |= !act.is_foreign();
            }
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

    fn of_slug(&self, slug: &ClaimSlug, counting: Counting) -> Vec<&Tombstone> {
        if self.by_slug.is_empty() {
            return Vec::new();
        }
        let all = self.by_slug.get(&tombstone_name(slug)).into_iter().flatten().map(Arc::as_ref);
        all.filter(|tombstone| counting == Counting::All || !tombstone.is_foreign).collect()
    }

    /// Whether exactly this version was forgotten, live or from history, which stamps it outdated. Of a version that
    /// held a secret, an edit counts too. A claim that was forgotten under another label is another claim, whatever its
    /// file said.
    pub fn cover(&self, claim: &Claim) -> bool {
        self.cover_by(claim, Counting::All)
    }

    fn cover_by(&self, claim: &Claim, counting: Counting) -> bool {
        let is_secret = |slug: &ClaimSlug| {
            let is_here = || self.secret.get(&secret_version(slug, claim.created)).copied();
            !self.secret.is_empty() && is_here().is_some_and(|is_here| is_here || counting == Counting::All)
        };
        slug_of(claim).is_some_and(|slug| has_file(&self.of_slug(&slug, counting), claim) || is_secret(&slug))
    }

    /// Where this version was forgotten, also under another name: this version is a forgotten one under an earlier or
    /// later label of its claim. `None` if it was not forgotten.
    pub fn forgotten(&self, claim: &Claim) -> Option<ForgottenWhere> {
        match self.cover_renamed(claim, Counting::All) {
            false => None,
            true if self.cover_renamed(claim, Counting::Here) => Some(ForgottenWhere::Here),
            true => Some(ForgottenWhere::Elsewhere),
        }
    }

    fn cover_renamed(&self, claim: &Claim, counting: Counting) -> bool {
        if self.is_empty() {
            return false;
        }
        let own = Lineage::up_to(claim);
        let is_it = |versions: &Lineage| versions.shares_birth(&own, claim);
        let of_slug = slug_of(claim).map(|slug| self.of_slug(&slug, counting)).unwrap_or_default();
        self.cover_by(claim, counting)
            || of_slug.iter().any(|tombstone| is_it(&tombstone.covers))
            || self.here.iter().filter_map(|tombstone| tombstone.gone.as_ref()).any(is_it)
    }

    /// Whether exactly this version was deleted from this slug. A version that the deleted ones were written over does
    /// not count, nor does an edit or another version of the same birth: a committer can write any header, and any
    /// birth.
    pub fn have_deleted(&self, slug: &ClaimSlug, claim: &Claim) -> bool {
        let of_slug = self.of_slug(slug, Counting::All);
        self.cover(claim)
            || has_file(&of_slug, claim)
            || of_slug.iter().any(|tombstone| tombstone.deleted().names(claim))
    }

    /// Whether a tombstone of this slug names exactly this version, as deleted or as one that a deleted version was written
    /// over.
    pub fn have_named(&self, slug: &ClaimSlug, claim: &Claim) -> bool {
        self.have_deleted(slug, claim)
            || self.of_slug(slug, Counting::All).iter().any(|tombstone| tombstone.covers.names(claim))
    }
}

/// Whether one of these tombstones has the file of this version, as it is or as history stamps it.
fn has_file(tombstones: &[&Tombstone], claim: &Claim) -> bool {
    let has = |file: &LightFile| {
        let hash = hash::sha256_hex(file.render().as_bytes(), 64);
        tombstones.iter().any(|tombstone| tombstone.hashes.contains(&hash))
    };
    !tombstones.is_empty() && (has(&claim.file) || has(&claim.outdated()))
}

fn slug_of(claim: &Claim) -> Option<ClaimSlug> {
    Label::parse(&claim.label).map(|label| ClaimSlug::of(&label)).ok()
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
        let is_by = |name: &str, claim| tombstones.have_deleted(&slug(name), claim);
        assert!(is_by("page", &cache) && !is_by("other", &claim("other", 5, "")));
    }

    #[test] // spec: MEM-2, MEM-48
    fn another_version_of_the_same_birth_is_not_deleted_and_one_that_a_header_names_is_only_named() {
        let went = claim("page", 5, "");
        let before = claim("page", 4, "");
        let covers = Lineage::parse(&format!("{} {} 3", Lineage::only(&went), Lineage::only(&before)));
        let tombstones = Tombstones::of(&[forgotten(&went, covers, false)]);
        let page = slug("page");
        assert!(tombstones.have_deleted(&page, &went));
        assert!(!tombstones.have_deleted(&page, &before) && tombstones.have_named(&page, &before));
        for other in [claim("page", 5, "Tags: edited\n"), claim("page", 3, "")] {
            assert!(!tombstones.have_deleted(&page, &other) && !tombstones.have_named(&page, &other));
        }
    }

    #[test] // spec: MEM-48
    fn the_versions_that_went_are_known_under_every_name_and_what_headers_name_under_the_claims_own() {
        // The claim as it was under its later label, written over the version that went.
        let went = claim("cache", 5, "");
        let told = Lineage::up_to(&went);
        let header = format!("Follows: {told}\n");
        let elsewhere = claim("queue", 5, &header);
        let forgotten_in = |is_foreign: bool, gone: bool, claim: &Claim| {
            let mut act = forgotten(&went, told.clone(), is_foreign);
            if !gone {
                act = act.with_deed(|deed| {
                    if let Deed::Forget { gone, .. } = deed {
                        *gone = None;
                    }
                });
            }
            Tombstones::of(&[act]).forgotten(claim)
        };
        let covered = |is_foreign, gone, claim: &Claim| forgotten_in(is_foreign, gone, claim).is_some();
        assert!(covered(false, true, &elsewhere), "forgotten through this home");
        assert!(!covered(true, true, &elsewhere), "a repository's log counts for the slugs of the claim");
        assert!(!covered(false, false, &elsewhere), "what a header names counts for the slugs of the claim");
        for label in ["cache", "page"] {
            let own = claim(label, 5, &header);
            assert_eq!(forgotten_in(true, false, &own), Some(ForgottenWhere::Elsewhere), "{label}");
            assert_eq!(forgotten_in(false, false, &own), Some(ForgottenWhere::Here), "{label}");
        }
    }
}

//! `brains`: every brain of the home, opened or not.

use crate::brains::brain_words::has_name;
use crate::brains::error::BrainError;
use crate::brains::unserved::SetAside;
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::service::Memory;
use crate::upkeep::counts::Served;
use brainstem_base::Coded as _;
use brainstem_base::near_names::is_typo;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_caller::Caller;
use brainstem_caller::route::Route;
use brainstem_vault::home::{MEDULLA_SOFT_CAP, Roster};
use brainstem_vault::{Brain, Store, StoreError};
use std::collections::BTreeSet;
use std::path::{Component, Path};

/// How many brains of one name are listed.
const NAMED_MAX: usize = 3;

/// Every brain, and the medulla.
#[derive(Clone, Debug)]
pub struct Brains {
    /// The brains, by folder name.
    pub brains: Vec<BrainRow>,
    /// The brains that were set aside.
    pub aside: Vec<SetAside>,
    /// Live claims in the medulla; `None` when it could not be counted.
    pub medulla_claims: Option<usize>,
    /// What was served this week without a brain, from the medulla alone.
    pub medulla_served: Served,
    /// The count the medulla warns from.
    pub soft_cap: usize,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// One brain.
#[derive(Clone, Debug)]
pub struct BrainRow {
    /// The brain.
    pub brain: Brain,
    /// Its live claims; `None` when its store could not be read.
    pub claims: Option<usize>,
    /// Whether it is the caller's own.
    pub here: bool,
    /// Whether its root is gone.
    pub missing: bool,
    /// Whether its root is another folder now, with another project in it.
    pub replaced: bool,
    /// What was served there this week.
    pub served: Served,
}

impl Memory {
    /// The brain of this home that a word names: its root, its fingerprint, `name@id`, its id, or its name if no other
    /// brain has that. Two clones of one brain have their roots and fingerprints to tell them apart.
    pub fn brain_named(&self, word: &str) -> Result<Brain, MemoryError> {
        let roster = self.home.roster()?;
        let path = Path::new(word);
        // A path with `..` names no root: where it leads depends on links, and a caller can write the path without it.
        let is_plain = path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
        let path = is_plain.then(|| brainstem_caller::git_layout::canonical(&*self.disk, path));
        let is_exact = |brain: &Brain| {
            Some(&brain.root) == path.as_ref()
                || [&brain.fingerprint, &brain.origin(), &brain.manifest.id.to_string()]
                    .contains(&&word.to_owned())
        };
        let has_exact = roster.brains.iter().any(is_exact)
            || roster.displaced.iter().any(|displaced| is_exact(&displaced.brain));
        let is_meant = |brain: &Brain| if has_exact { is_exact(brain) } else { has_name(brain, word) };
        let mut meant = roster.brains.iter().filter(|brain| is_meant(brain));
        let kept = roster.displaced.iter().find(|displaced| is_meant(&displaced.brain));
        match (meant.next(), meant.next()) {
            (Some(brain), None) if has_exact || kept.is_none() => Ok(brain.clone()),
            (None, _) if kept.is_some() => {
                let displaced = kept.expect("just seen");
                Err(self.replaced(&displaced.brain.root, std::slice::from_ref(displaced)))
            }
            (found, _) => {
                if found.is_none()
                    && let Some(aside) = self.aside_named(word)
                {
                    let brain = aside.brain.origin();
                    return Err(BrainError::SetAside { brain, back: aside.back }.into());
                }
                let shown = word.chars().take(80).collect();
                let displaced = roster.displaced.iter().map(|displaced| &displaced.brain);
                let all = || roster.brains.iter().chain(displaced.clone());
                let fix = match &path {
                    Some(path) => self.at_a_path(path),
                    None => which_root(all().filter(|brain| is_meant(brain)))
                        .or_else(|| did_you_mean(all(), word)),
                };
                Err(match found {
                    Some(_) => BrainError::Several { word: shown, fix }.into(),
                    None => BrainError::Unknown { word: shown, fix }.into(),
                })
            }
        }
    }

    /// Returns the refusal of a folder that is no brain's root.
    fn at_a_path(&self, path: &Path) -> Option<Advice> {
        match self.place_at(path) {
            Route::Bound { brain, .. } => {
                Some(format!("it lies in a project: give its root, `{}`", brain.root.display()).into())
            }
            Route::Brainless { root, .. } => Some(match self.lost_worktree_fix(&root) {
                Some(fix) => advice!["the project has no brain yet: ", fix],
                None => {
                    advice!["the project has no brain yet: call bootstrap once: ", calls::bootstrap_at(&root)]
                }
            }),
            Route::Replaced { root, before, .. } => Some(self.replacement(&root, &before).fix()),
            Route::Broken { .. } | Route::Unbound { .. } => None,
        }
    }

    /// Every brain of the home, and a gap for each that could not be read, or one for all of them if they could not be
    /// listed.
    pub(crate) fn roster_with_gaps(&self) -> (Roster, Vec<Gap>) {
        let (roster, unlisted) = match self.home.roster() {
            Ok(roster) => (roster, None),
            Err(error) => {
                let detail = format!("the brains of this home: {error} [{}]", error.code().name());
                (Roster::default(), Some(Gap::new("brains_unreadable", detail)))
            }
        };
        let broken = roster.broken.iter().map(|broken| {
            Gap::new("unreadable_brain", format!("`{}`: {}", broken.path.display(), broken.why))
        });
        let gaps = broken.chain(unlisted).collect();
        (roster, gaps)
    }

    /// How many claims of a store can be read. Files that are no readable claims do not count; a gap says how many there are.
    fn count_readable(&self, whose: &str, store: &Store, gaps: &mut Vec<Gap>) -> Result<usize, StoreError> {
        store.check_real_folders()?;
        let index = self.index.of(&store.paths().claims);
        let snapshot = index.refresh().map_err(StoreError::disk("cannot list the store"))?;
        let unreadable = snapshot.unreadable().len();
        gaps.extend(unreadable_claims(whose, unreadable));
        Ok(snapshot.files().saturating_sub(unreadable))
    }

    /// How many claims of a brain the home has as copies alone, because the repository that had them is gone. Every count of
    /// a brain's claims adds them.
    pub(crate) fn copies_of_gone(&self, brain: &Brain, store: &Store) -> Result<usize, StoreError> {
        match self.disk.stat(&brain.root).is_err() {
            true => Ok(store.labels_absent()?.len()),
            false => Ok(0),
        }
    }

    /// Lists every brain, with the claims that can be read.
    pub fn brains(&self, caller: &Caller) -> Result<Brains, MemoryError> {
        let (brains, elsewhere) = self.brains_apart(caller)?;
        let mut gaps = elsewhere;
        gaps.extend(brains.gaps);
        Ok(Brains { gaps, ..brains })
    }

    /// The same, with the gaps of brains other than the caller's kept apart: they name other projects. A caller
    /// without a brain may be in the project of one that cannot be read, so its answer names those.
    pub(crate) fn brains_apart(&self, caller: &Caller) -> Result<(Brains, Vec<Gap>), MemoryError> {
        let here = self.route(caller);
        let (mut roster, unlisted) = self.roster_with_gaps();
        let is_others = |gap: &Gap| here.brain().is_some() && gap.name == "unreadable_brain";
        let (mut elsewhere, mut gaps): (Vec<Gap>, Vec<Gap>) = unlisted.into_iter().partition(is_others);
        // A repository that came with its brain and was never written to has no folder here yet.
        if let Some(brain) = here.brain()
            && !roster.brains.iter().any(|known| known.root == brain.root)
        {
            roster.brains.push(brain.clone());
        }
        let mut rows = Vec::new();
        for brain in roster.brains {
            let store = self.store_of(&brain);
            let missing = self.disk.stat(&brain.root).is_err();
            let copies = self.copies_of_gone(&brain, &store);
            let here = here.brain().is_some_and(|here| here.root == brain.root);
            let gaps = if here { &mut gaps } else { &mut elsewhere };
            let claims = match self
                .count_readable(&brain.origin(), &store, gaps)
                .and_then(|count| Ok(count + copies?))
            {
                Ok(claims) => Some(claims),
                Err(error) => {
                    gaps.push(Gap::store(&brain.origin(), &error));
                    None
                }
            };
            let served = self.served(Some(&brain));
            rows.push(BrainRow { brain, claims, here, missing, replaced: false, served });
        }
        for displaced in roster.displaced {
            let claims = match self.home.displaced_claims(&displaced) {
                Ok(claims) => Some(claims),
                Err(error) => {
                    elsewhere.push(Gap::store(&displaced.brain.origin(), &error));
                    None
                }
            };
            let brain = Brain { place: displaced.lay_in, ..displaced.brain };
            let served = self.served(Some(&brain));
            rows.push(BrainRow { brain, claims, here: false, missing: false, replaced: true, served });
        }
        let medulla = self.home.medulla();
        let counted =
            self.home.check_medulla().and_then(|()| self.count_readable("the medulla", &medulla, &mut gaps));
        let medulla_claims = match counted {
            Ok(claims) => Some(claims),
            Err(error) => {
                gaps.push(Gap::new("medulla_unreadable", format!("{error} [{}]", error.code().name())));
                None
            }
        };
        let medulla_served = self.served(None);
        let brains = Brains {
            aside: self.aside(),
            brains: rows,
            medulla_claims,
            medulla_served,
            soft_cap: MEDULLA_SOFT_CAP,
            gaps,
        };
        Ok((brains, elsewhere))
    }
}

/// Says how many files of a store are no claims.
pub(crate) fn unreadable_claims(whose: &str, count: usize) -> Option<Gap> {
    let files = match count {
        0 => return None,
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let detail =
        advice!["{files} in {whose} that cannot be read as claims; ", calls::doctor(), " names them"];
    Some(Gap::new("unreadable_claims", detail))
}

/// Names the root of each clone, if brains that a word names have one name@id: only their roots tell them apart.
fn which_root<'a>(meant: impl Iterator<Item = &'a Brain>) -> Option<Advice> {
    let meant: Vec<&Brain> = meant.collect();
    have_one_origin(&meant).then(|| {
        let roots: Vec<String> = meant.iter().map(|brain| format!("`{}`", brain.root.display())).collect();
        format!("give the root of the clone that is meant: {}", roots.join(" or ")).into()
    })
}

/// Whether two of these brains have one name@id, as clones of one repository have.
pub(super) fn have_one_origin(brains: &[&Brain]) -> bool {
    let origins: BTreeSet<String> = brains.iter().map(|brain| brain.origin()).collect();
    origins.len() < brains.len()
}

/// Returns the question for brains of this name, or of one that is a slip away, for a caller that did not give an address of one.
pub(super) fn did_you_mean<'a>(brains: impl Iterator<Item = &'a Brain>, word: &str) -> Option<Advice> {
    let (called, near): (Vec<&Brain>, Vec<&Brain>) = brains
        .filter(|brain| is_typo(word, brain.manifest.name.as_str()))
        .partition(|brain| has_name(brain, word));
    let brains = if called.is_empty() { near } else { called };
    let mut origins: Vec<String> = brains.into_iter().map(Brain::origin).collect();
    origins.dedup();
    origins.truncate(NAMED_MAX);
    (!origins.is_empty()).then(|| format!("did you mean {}?", origins.join(" or ")).into())
}

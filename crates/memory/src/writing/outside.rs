//! The one gate of what gets into a store that is committed: every way in which a claim or the words of an act get there
//! comes through here, and the log of acts asks the same rules ([`brainstem_claims::outside_paths`]) for its lines.
//!
//! No path of a machine, and no name of another project's folder, gets into a file that travels: such evidence and
//! such header lines keep the last name alone, and a group, a tag or a label in `depends_on` is refused if it is a
//! path. Prose stays as it was written, and a note names the paths in it.

use crate::error::MemoryError;
use crate::service::Memory;
use crate::writing::target::Target;
use brainstem_base::{Advice, advice};
use brainstem_claims::act::{Act, VersionRef};
use brainstem_claims::decide::Decision;
use brainstem_claims::evidence::Evidence;
use brainstem_claims::light::keys;
use brainstem_claims::outside_paths::{self, OUTSIDE};
use brainstem_claims::{Claim, ClaimSlug, Label, LightFile};
use brainstem_vault::store::WriteFault;
use brainstem_vault::{Store, Wording, acts};
use std::path::{Path, PathBuf};

pub(crate) use brainstem_claims::outside_paths::meant_path;

/// How many paths, and how many labels, a note names.
const NAMED_MAX: usize = 3;

/// The file of a claim in the form that a store may have.
pub fn fit_file(store: &Store, file: &LightFile) -> LightFile {
    store.committed_root().map_or_else(|| file.clone(), |root| outside_paths::committable_file(root, file))
}

/// Says which paths of this machine prose names that its writer has just put into a store that is committed.
pub(crate) fn paths_note<'a>(store: &Store, texts: impl IntoIterator<Item = &'a str>) -> Option<Advice> {
    let paths = outside_paths::paths_in(store.committed_root()?, texts);
    (!paths.is_empty()).then(|| {
        let named = first_of(paths.iter().map(|path| format!("`{path}`")));
        advice![
            "the words name paths of this machine ({named}), and this project's memory is committed: if others should not \
             read them, write them from the project's root, or leave them out"
        ]
    })
}

/// Says of which claims lines were rewritten on their way into a store that is committed.
pub fn fitted_note(labels: &[String]) -> Option<String> {
    (!labels.is_empty()).then(|| {
        format!(
            "{} named places outside the project (evidence, tags, origins), which are kept as outside://NAME, so that no path \
             of this machine is committed",
            first_of(labels.iter().map(|label| format!("{label:?}")))
        )
    })
}

/// The first of some names, and whether there are more.
fn first_of(names: impl IntoIterator<Item = String>) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names.by_ref().take(NAMED_MAX).collect();
    format!("{}{}", first.join(", "), if names.next().is_some() { ", …" } else { "" })
}

/// The paths of this machine in the prose of claims and acts that come into a store which is committed, from elsewhere.
pub struct ProsePaths {
    root: Option<PathBuf>,
    labels: Vec<String>,
    acts: usize,
    paths: Vec<String>,
}

impl ProsePaths {
    /// For what comes into this store; nothing is noted if the store cannot be committed.
    pub fn into_store(store: &Store) -> Self {
        let root = store.committed_root().map(Path::to_owned);
        Self { root, labels: Vec::new(), acts: 0, paths: Vec::new() }
    }

    /// Looks at a claim that came.
    pub fn look_at(&mut self, claim: &Claim) {
        let prose = outside_paths::prose(claim);
        if self.found(prose.iter().map(String::as_str)) && !self.labels.contains(&claim.label) {
            self.labels.push(claim.label.clone());
        }
    }

    /// Looks at an act that came.
    pub fn look_at_act(&mut self, act: &Act) {
        let prose = acts::prose(act);
        self.acts += usize::from(self.found(prose.iter().map(String::as_str)));
    }

    fn found<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> bool {
        let Some(root) = &self.root else { return false };
        let paths = outside_paths::paths_in(root, texts);
        let new = paths.iter().filter(|path| !self.paths.iter().any(|known| known == *path));
        let new: Vec<String> = new.map(|path| (*path).to_owned()).collect();
        self.paths.extend(new);
        !paths.is_empty()
    }

    /// Names them; `None` if there are none.
    pub fn note(&self, whose: &str) -> Option<String> {
        let claims =
            (!self.labels.is_empty()).then(|| first_of(self.labels.iter().map(|label| format!("{label:?}"))));
        let acts = match self.acts {
            0 => None,
            1 => Some("1 act".to_owned()),
            count => Some(format!("{count} acts")),
        };
        let of = claims.into_iter().chain(acts).collect::<Vec<_>>().join(" and of ");
        let paths = first_of(self.paths.iter().map(|path| format!("`{path}`")));
        (!self.paths.is_empty()).then(|| {
            format!(
                "the words of {of} name paths of this machine ({paths}), and {whose} is committed: look at them before you commit"
            )
        })
    }
}

/// Brings the evidence of what is about to be written into the form its store may have, and says what it changed.
pub(crate) fn keep_out(target: &Target, evidence: &mut [Evidence], notes: &mut Vec<Advice>) {
    let Some(root) = target.store.committed_root() else { return };
    for one in evidence {
        let Some(fitting) = outside_paths::committable_evidence(root, one) else { continue };
        // What was said about it as it was given no longer holds.
        notes.retain(|note| !note.contains(&format!("`{}`", one.path)));
        if fitting.place().contains(OUTSIDE) {
            notes.push(format!(
                "evidence `{}` lies outside the project, whose memory is committed: kept as `{}`, without the path of this machine",
                one.place(),
                fitting.place()
            ).into());
        }
        *one = fitting;
    }
}

/// Says how the ground of a proposal is on record if it names a folder of this machine.
pub(crate) fn ground_note(store: &Store, ground: &str) -> Option<String> {
    let fitting = outside_paths::committable_ground(store.committed_root()?, ground)?;
    Some(format!(
        "`{ground}` names a folder outside the project, whose memory is committed: there it is `{fitting}`, without the path of \
         this machine"
    ))
}

impl Memory {
    /// Gives every live claim of a store whose lines name a place outside its project a version that may be committed, by
    /// the same author; the one before goes to history, which is under the home. Answers their labels.
    pub(crate) fn keep_paths_out(&self, store: &Store, root: &Path) -> Result<Vec<String>, MemoryError> {
        let mut labels = Vec::new();
        for stored in store.scan()?.claims {
            let slug = Label::parse(&stored.claim.label).map(|label| ClaimSlug::of(&label));
            let Some(slug) = slug.ok().filter(|slug| slug.as_str() == stored.id && stored.side.is_none())
            else {
                continue;
            };
            if outside_paths::committable_file(root, &stored.claim.file) == stored.claim.file {
                continue;
            }
            // A claim that went meanwhile needs nothing.
            let written = store.write_as(Wording::OfLive, &slug, |live| match live {
                Some(live) => Ok(without_paths(root, &slug, live)),
                None => Err(Went),
            });
            match written {
                Ok(_) => labels.push(stored.claim.label),
                Err(WriteFault::Refused(Went)) => {}
                Err(WriteFault::Unreadable(bad)) => return Err(MemoryError::Unreadable(bad)),
                Err(WriteFault::Store(error)) => return Err(error.into()),
            }
        }
        Ok(labels)
    }
}

/// The claim is not live any more.
struct Went;

fn without_paths(root: &Path, slug: &ClaimSlug, live: &Claim) -> Decision {
    let mut new = outside_paths::committable_file(root, &live.file);
    if new == live.file {
        return Decision::Unchanged;
    }
    if let Some(created) = live.created {
        new.set(keys::CREATED, &created.next().ms().to_string());
        new.set(keys::SUPERSEDES, &VersionRef::of(slug, live).to_string());
    }
    Decision::Supersede { outdated: live.outdated(), new }
}

//! Moving live claims between the home and a repository. Both stores share locks and history, so a
//! claim is moved under its own lock and nothing is ever only in one pair of hands.

use crate::history::ExitReason;
use crate::kept_copies::PutCopy;
use crate::scan::{CLAIM_SUFFIX, read_file};
use crate::store::{AllLocks, Store};
use crate::{StoreError, durable};
use brainstem_base::{DiskFault, hash};
use brainstem_claims::merge::{self, Merged, versions_in};
use brainstem_claims::{Claim, ClaimSlug, undecided_file};
use std::path::Path;

/// What moving one claim does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelocationStep {
    /// The file's stem.
    pub id: String,
    /// Its label.
    pub label: String,
    /// What happens to it.
    pub outcome: RelocationOutcome,
}

/// What happens to a claim that is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationOutcome {
    /// It goes over as it is.
    Moved,
    /// The other store already says the same, or a version that follows it; ours goes to history.
    Superseded,
    /// It follows the version in the other store, which goes to history.
    Supersedes,
    /// They grew apart: all are kept in one file until someone decides.
    Undecided,
    /// It is no readable claim, or more than one file can hold beside what is there, and stays where it is.
    Left,
}

impl RelocationOutcome {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Superseded => "superseded",
            Self::Supersedes => "supersedes",
            Self::Undecided => "undecided",
            Self::Left => "left",
        }
    }
}

/// Says what moving every claim of `from` into `to` would do.
pub fn plan(from: &Store, to: &Store) -> Result<Vec<RelocationStep>, StoreError> {
    let scan = from.scan()?;
    let mut moves = Vec::new();
    for stored in &scan.claims {
        let ours = match read_file(from.disk(), &stored.path) {
            Ok(ours) => ours,
            Err(error) if error.fault() == DiskFault::NotFound => continue,
            Err(error) => return Err(StoreError::disk("cannot read the claim")(error)),
        };
        let path = to.paths().claims.join(format!("{}{CLAIM_SUFFIX}", stored.id));
        let outcome = match read_file(to.disk(), &path) {
            Ok(there) => outcome(&there, &ours).0,
            Err(error) if error.fault() == DiskFault::NotFound => RelocationOutcome::Moved,
            // Nothing replaces what cannot be read.
            Err(_) => RelocationOutcome::Left,
        };
        let moving = RelocationStep { id: stored.id.clone(), label: stored.claim.label.clone(), outcome };
        // Both sides of an unfinished merge lie in one file.
        if !moves.contains(&moving) {
            moves.push(moving);
        }
    }
    moves.extend(scan.unreadable.iter().chain(&scan.folders).map(|bad| {
        let name = bad.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        RelocationStep { label: name.clone(), id: name, outcome: RelocationOutcome::Left }
    }));
    Ok(moves)
}

/// Moves every claim of `from` into `to`, with every lock held; repeated after a crash, it goes on.
pub fn run(from: &Store, to: &Store, held: &AllLocks) -> Result<Vec<RelocationStep>, StoreError> {
    run_planned(from, to, plan(from, to)?, held)
}

/// Does what [`plan`] said, with the locks held since before it was asked.
pub fn run_planned(
    from: &Store,
    to: &Store,
    planned: Vec<RelocationStep>,
    _held: &AllLocks,
) -> Result<Vec<RelocationStep>, StoreError> {
    to.prepare()?;
    let mut done = Vec::new();
    for moving in planned {
        let outcome = match moving.outcome {
            RelocationOutcome::Left => RelocationOutcome::Left,
            RelocationOutcome::Moved
            | RelocationOutcome::Superseded
            | RelocationOutcome::Supersedes
            | RelocationOutcome::Undecided => {
                // A file that was named by hand has no slug of its own.
                let slug = ClaimSlug::parse(&moving.id).unwrap_or_else(|| slug_for(&moving.id));
                move_locked(from, to, &moving.id, &slug)?
            }
        };
        done.push(RelocationStep { outcome, ..moving });
    }
    Ok(done)
}

/// Moves one claim with its lock held.
pub(crate) fn move_locked(
    from: &Store,
    to: &Store,
    id: &str,
    slug: &ClaimSlug,
) -> Result<RelocationOutcome, StoreError> {
    let fault = || StoreError::disk("cannot move the claim");
    let name = format!("{id}{CLAIM_SUFFIX}");
    let (source, target) = (from.paths().claims.join(&name), to.paths().claims.join(&name));
    let bytes = match read_file(from.disk(), &source) {
        Ok(bytes) => bytes,
        Err(error) if error.fault() == DiskFault::NotFound => return Ok(RelocationOutcome::Moved),
        Err(error) => return Err(fault()(error)),
    };
    // What was written through this home stays so, and what only a file of the repository says too.
    for claim in versions_in(&bytes).unwrap_or_default() {
        to.note_source(&claim, from.source_of(&claim)?)?;
    }
    let result = take_locked(to, &target, slug, &bytes)?;
    if result == RelocationOutcome::Left {
        return Ok(result);
    }
    from.disk().unlink(&source).and_then(|()| from.disk().sync_dir(&from.paths().claims)).map_err(fault())?;
    Ok(result)
}

/// Takes a file of claims in, whole, as a move from another store does: what lies under its name stays beside it, or goes
/// to history. Answers what happened.
pub fn take_in(to: &Store, slug: &ClaimSlug, bytes: &[u8]) -> Result<RelocationOutcome, StoreError> {
    to.prepare()?;
    let _guard = to.lock(slug)?;
    take_locked(to, &to.live_path(slug), slug, bytes)
}

/// Takes the youngest version that git took away home, with every lock held, where it would come back into the checkout by
/// itself. Nothing is put into the checkout. `file` is what the version says.
pub fn take_home(
    from: &Store,
    to: &Store,
    slug: &ClaimSlug,
    file: &[u8],
    _held: &AllLocks,
) -> Result<RelocationOutcome, StoreError> {
    for claim in versions_in(file).unwrap_or_default() {
        to.note_source(&claim, from.source_of(&claim)?)?;
    }
    to.prepare()?;
    take_locked(to, &to.live_path(slug), slug, file)
}

/// Says what [`take_in`] would do.
pub fn weigh(to: &Store, slug: &ClaimSlug, bytes: &[u8]) -> Result<RelocationOutcome, StoreError> {
    match read_file(to.disk(), &to.live_path(slug)) {
        Ok(there) => Ok(outcome(&there, bytes).0),
        Err(error) if error.fault() == DiskFault::NotFound => Ok(RelocationOutcome::Moved),
        Err(error) => Err(StoreError::disk("cannot read the claim")(error)),
    }
}

/// Makes what a file says live at `target`, with the label's lock held.
fn take_locked(
    to: &Store,
    target: &Path,
    slug: &ClaimSlug,
    bytes: &[u8],
) -> Result<RelocationOutcome, StoreError> {
    let fault = || StoreError::disk("cannot move the claim");
    let copies = versions_in(bytes).unwrap_or_default();
    let copies =
        copies.iter().map(|claim| to.stage_copy(slug, &claim.file)).collect::<Result<Vec<_>, _>>()?;
    let made = durable::create(to.disk(), to.ids(), target, bytes).map_err(fault())?;
    let result = match made {
        durable::NewName::New => RelocationOutcome::Moved,
        durable::NewName::Taken => {
            let there = read_file(to.disk(), target).map_err(fault())?;
            let (result, merged) = outcome(&there, bytes);
            if result == RelocationOutcome::Left {
                return Ok(result);
            }
            // Before either file goes: every version of the two that the file will not say.
            archive_others(to, slug, merged.as_deref().unwrap_or(&there), &[&there, bytes])?;
            if let Some(merged) = merged {
                durable::replace(to.disk(), to.ids(), target, &merged).map_err(fault())?;
            }
            result
        }
    };
    copies.into_iter().try_for_each(|copy| copy.put().map(PutCopy::confirm))?;
    Ok(result)
}

/// What moving `ours` to where `there` lies does, and what the file there says afterwards, where it changes.
fn outcome(there: &[u8], ours: &[u8]) -> (RelocationOutcome, Option<Vec<u8>>) {
    // An interrupted move of this very claim: all of it is there already.
    let has = |version: &Claim| {
        let sides = undecided_file::sides(there).unwrap_or_default();
        sides.iter().any(|side| side.is_version(version))
    };
    if versions_in(ours).is_some_and(|ours| ours.iter().all(has)) {
        return (RelocationOutcome::Superseded, None);
    }
    match merge::merge(None, there, ours) {
        Merged::Ours => (RelocationOutcome::Superseded, None),
        Merged::Theirs => (RelocationOutcome::Supersedes, Some(ours.to_vec())),
        Merged::Together(both) => {
            // One of the two stands, with what the other knew of its header.
            let is_ours = Claim::parse(&both)
                .is_ok_and(|both| Claim::parse(ours).is_ok_and(|ours| ours.is_version(&both)));
            (if is_ours { RelocationOutcome::Supersedes } else { RelocationOutcome::Superseded }, Some(both))
        }
        Merged::Apart(all) => (RelocationOutcome::Undecided, Some(all)),
        // Together they would be a file that nobody reads: both stay where they are.
        Merged::TooLarge => (RelocationOutcome::Left, None),
    }
}

/// Puts every version of these files into history that the file which stands afterwards does not hold. One that the file
/// holds without its promotion counts as another.
fn archive_others(store: &Store, slug: &ClaimSlug, stands: &[u8], files: &[&[u8]]) -> Result<(), StoreError> {
    let standing = versions_in(stands).unwrap_or_default();
    let stays = |claim: &Claim| {
        standing.iter().any(|other| {
            other.is_version(claim) && (claim.promoted_to.is_none() || other.promoted_to.is_some())
        })
    };
    let versions = files.iter().flat_map(|file| versions_in(file).unwrap_or_default());
    for claim in versions.filter(|claim| !stays(claim)) {
        store.archive(slug, &claim, ExitReason::Superseded, claim.outdated().render().as_bytes())?;
    }
    Ok(())
}

fn slug_for(id: &str) -> ClaimSlug {
    let stem = format!("hand-{}", hash::sha256_hex(id.as_bytes(), 8));
    ClaimSlug::parse(&stem).expect("letters, digits and a dash")
}

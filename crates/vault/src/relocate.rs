//! Moving live claims between the home and a repository. Both stores share locks and history, so a claim is moved under
//! its own lock and is always in at least one of them.

use crate::half_merged::made_whole;
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
    /// The other store has the same, or a version that follows it; ours goes to history.
    Superseded,
    /// It follows the version in the other store, which goes to history.
    Supersedes,
    /// They grew apart: all are kept in one file until it is decided.
    Undecided,
    /// It cannot be read as a claim, or it does not fit into one file with the other versions. It stays where it is.
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
            Ok(ours) => made_whole(from.disk(), &stored.path, ours),
            Err(error) if error.fault() == DiskFault::NotFound => continue,
            Err(error) => return Err(StoreError::disk("cannot read the claim")(error)),
        };
        let path = to.paths().claims.join(format!("{}{CLAIM_SUFFIX}", stored.id));
        let outcome = match read_file(to.disk(), &path) {
            Ok(there) => outcome(&made_whole(to.disk(), &path, there), &ours).0,
            Err(error) if error.fault() == DiskFault::NotFound => RelocationOutcome::Moved,
            // A file that cannot be read is never replaced.
            Err(_) => RelocationOutcome::Left,
        };
        let moving = RelocationStep { id: stored.id.clone(), label: stored.claim.label.clone(), outcome };
        // Both sides of an unfinished merge are in one file.
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

/// Moves every claim of `from` into `to`, with every lock held; a repeat after a crash continues.
pub fn run(from: &Store, to: &Store, held: &AllLocks) -> Result<Vec<RelocationStep>, StoreError> {
    run_planned(from, to, plan(from, to)?, held)
}

/// Does what [`plan`] said, with the locks held since before the plan was made.
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
    let read = match read_file(from.disk(), &source) {
        Ok(bytes) => bytes,
        Err(error) if error.fault() == DiskFault::NotFound => return Ok(RelocationOutcome::Moved),
        Err(error) => return Err(fault()(error)),
    };
    let bytes = made_whole(from.disk(), &source, read.clone());
    // A version that was written through this home keeps that record, and one that only a file of the repository has
    // keeps that too.
    for claim in versions_in(&bytes).unwrap_or_default() {
        to.note_source(&claim, from.source_of(&claim)?)?;
    }
    let result = take_locked(to, &target, slug, &bytes)?;
    if result == RelocationOutcome::Left {
        return Ok(result);
    }
    // Renamed and not unlinked: git or an editor may have put another version there since it was read.
    let aside = durable::temp_in(&from.paths().claims, from.ids());
    match from.disk().rename(&source, &aside) {
        Err(error) if error.fault() == DiskFault::NotFound => return Ok(result),
        renamed => renamed.map_err(fault())?,
    }
    let now = read_file(from.disk(), &aside).map_err(fault());
    let taken = now.and_then(|now| match now == read {
        true => Ok(result),
        false => {
            for claim in versions_in(&now).unwrap_or_default() {
                to.note_source(&claim, from.source_of(&claim)?)?;
            }
            take_locked(to, &target, slug, &now)
        }
    });
    match taken {
        Ok(RelocationOutcome::Left) | Err(_) => {
            from.disk().rename_new(&aside, &source).map_err(fault())?;
        }
        Ok(_) => from.disk().unlink(&aside).map_err(fault())?,
    }
    from.disk().sync_dir(&from.paths().claims).map_err(fault())?;
    taken
}

/// Takes a file of claims in, whole, as a move from another store does: what is under its name stays beside it, or goes
/// to history. Returns what happened.
pub fn take_in(to: &Store, slug: &ClaimSlug, bytes: &[u8]) -> Result<RelocationOutcome, StoreError> {
    to.prepare()?;
    let _guard = to.lock(slug)?;
    take_locked(to, &to.live_path(slug), slug, bytes)
}

/// Moves the youngest version that git took away into the home, with every lock held, if it would come back into the
/// checkout by itself. Nothing is put into the checkout. `file` is the version's text.
pub fn move_into_home(
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
pub fn preview_take_in(to: &Store, slug: &ClaimSlug, bytes: &[u8]) -> Result<RelocationOutcome, StoreError> {
    match read_file(to.disk(), &to.live_path(slug)) {
        Ok(there) => Ok(outcome(&made_whole(to.disk(), &to.live_path(slug), there), bytes).0),
        Err(error) if error.fault() == DiskFault::NotFound => Ok(RelocationOutcome::Moved),
        Err(error) => Err(StoreError::disk("cannot read the claim")(error)),
    }
}

/// Makes the content of a file live at `target`, with the label's lock held.
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
            let there = made_whole(to.disk(), target, read_file(to.disk(), target).map_err(fault())?);
            let (result, merged) = outcome(&there, bytes);
            if result == RelocationOutcome::Left {
                return Ok(result);
            }
            // Before either file goes: every version of the two that the new file will not have.
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

/// What moving `ours` to the place of `there` does, and the new content of the file there, if it changes.
fn outcome(there: &[u8], ours: &[u8]) -> (RelocationOutcome, Option<Vec<u8>>) {
    // Its versions cannot be had, and a file around its lines would hide ours too.
    if undecided_file::is_merged_by_lines(there) {
        return (RelocationOutcome::Left, None);
    }
    // An interrupted move of this claim: all of it is there already.
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
            // One of the two stays, with the other's additions to its header.
            let is_ours = Claim::parse(&both)
                .is_ok_and(|both| Claim::parse(ours).is_ok_and(|ours| ours.is_version(&both)));
            (if is_ours { RelocationOutcome::Supersedes } else { RelocationOutcome::Superseded }, Some(both))
        }
        Merged::Apart(all) => (RelocationOutcome::Undecided, Some(all)),
        // Together they would be larger than a file that can be read: both stay where they are.
        Merged::TooLarge => (RelocationOutcome::Left, None),
    }
}

/// Puts every version of these files into history that the remaining file does not hold. A version that the file holds
/// without its promotion counts as another one.
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

//! Several versions of one label, until it is decided: in one file after a merge, or one in the checkout and others
//! that git took away.

use crate::half_merged::waiting;
use crate::history::ExitReason;
use crate::kept_copies::KeptCopy;
use crate::one_claim::is_one_claim;
use crate::scan::{UnreadableClaim, read_file, read_sides};
use crate::store::{LiveFile, Store, WriteFault, WriteOutcome};
use crate::{HeaderSource, StoreError, durable};
use brainstem_base::{DiskFault, Timestamp};
use brainstem_claims::act::{Act, ActId, DeedKind, VersionRef, last_retraction};
use brainstem_claims::lineage::{follow, relabelled};
use brainstem_claims::undecided_file::{UndecidedSide, join};
use brainstem_claims::{Claim, ClaimSlug, Label, LightFile};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// One of the versions that wait for a decision.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its name among the versions.
    pub side: UndecidedSide,
    /// What it says.
    pub claim: Claim,
    /// Its copy under the home, if git took it away; `None` if it is in the checkout.
    pub copy: Option<KeptCopy>,
}

impl Store {
    /// The versions in a file that wait for a decision; `None` unless there are several.
    pub fn undecided(&self, slug: &ClaimSlug) -> Option<Vec<Claim>> {
        read_sides(self.disk(), &self.live_path(slug))
    }

    /// The versions between which a decision is due, those in the checkout first; empty if there is one version, or
    /// the file is not a claim. If the disk fails to read a copy, that is an error: it may be one of them.
    pub fn contenders(&self, slug: &ClaimSlug) -> Result<Vec<Contender>, StoreError> {
        let there = match self.live(slug) {
            LiveFile::Claim(claim) => vec![*claim],
            LiveFile::Absent => Vec::new(),
            LiveFile::Unreadable(_) => match self.undecided(slug) {
                Some(sides) => sides,
                None => return Ok(Vec::new()),
            },
        };
        let missing = self.missing_given(slug)?.into_iter().flat_map(|missing| missing.versions);
        let there = there.into_iter().map(|claim| (claim, None));
        let all = there.chain(missing.map(|copy| (copy.claim.clone(), Some(copy))));
        let sides = all.enumerate().filter_map(|(place, (claim, copy))| {
            Some(Contender { side: UndecidedSide::at(place)?, claim, copy })
        });
        let sides: Vec<Contender> = sides.collect();
        Ok(if sides.len() > 1 { sides } else { Vec::new() })
    }

    /// Replaces all waiting versions by the one that `choose` returns. The others go to history, and the chosen one
    /// follows them. `None` if nothing waits.
    pub fn decide<R>(
        &self,
        slug: &ClaimSlug,
        choose: impl Fn(&[Contender]) -> Result<LightFile, R>,
        acts: impl Fn(&[Contender], &Claim) -> Vec<Act>,
    ) -> Result<Option<WriteOutcome>, WriteFault<R>> {
        let _guard = self.lock(slug)?;
        let path = self.live_path(slug);
        let contenders = self.contenders(slug)?;
        if contenders.is_empty() {
            return match self.live(slug) {
                LiveFile::Unreadable(bad) => Err(WriteFault::Unreadable(bad)),
                LiveFile::Claim(_) | LiveFile::Absent => Ok(None),
            };
        }
        let mut new = choose(&contenders).map_err(WriteFault::Refused)?;
        if !contenders.iter().any(|side| side.claim.file == new) {
            new = self.with_unique_stamp(slug, new, None);
        }
        let chosen = named(slug, Claim::from(new), &contenders);
        let mut new = chosen.file.clone();
        let others: Vec<&Contender> =
            contenders.iter().filter(|side| !side.claim.is_version(&chosen)).collect();
        // A claim of another label with this slug goes to history too, as a claim of its own: the chosen one was not
        // written over it.
        let told = self.acts().read()?.acts;
        let before = others.iter().map(|side| &side.claim);
        let before: Vec<&Claim> = before.filter(|side| is_one_claim(side, &chosen, slug, &told)).collect();
        follow(&mut new, &before);
        let chosen = Claim::from(new.clone());
        // A side that is taken unchanged needs no line of its own, unless git put the version that this home wrote into
        // the file of another name. A side that got the name of another side keeps its birth and author, and what
        // proves them.
        if contenders.iter().any(|side| side.claim.is_version(&chosen)) {
            if let Some(written) = self.as_written_under_an_old_name(slug, &chosen)? {
                self.note_source(&chosen, self.source_of(&written)?)?;
            }
        } else {
            let is_from = |claim: &Claim| {
                (claim.created, &claim.source_agent) == (chosen.created, &chosen.source_agent)
            };
            let mut source = HeaderSource::ThisHome;
            for claim in contenders.iter().map(|side| &side.claim).filter(|claim| is_from(claim)) {
                if self.source_of(claim)? == HeaderSource::File {
                    source = HeaderSource::File;
                }
            }
            self.note_source(&chosen, source)?;
        }
        let fault = || StoreError::disk("cannot store the decision");
        let read = || match read_file(self.disk(), &path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(None),
            Err(error) => Err(fault()(error)),
        };
        let before = read()?;
        self.make_claims_folder()?;
        let copy = self.stage_copy(slug, &new)?;
        let staged = durable::StagedFile::new(self.disk(), self.ids(), &path, new.render().as_bytes())
            .map_err(fault())?;
        let mut undo =
            durable::Undo::of(self.disk(), self.ids(), &path, &self.paths().claims).map_err(fault())?;
        let mut archived = Vec::new();
        let mut is_placed = false;
        let decided = (|| {
            // The version in the checkout is replaced, so history gets it first. A version that git took away waits as
            // its copy under the home: if it were in history before the decision is durable, it would no longer wait
            // after an interruption.
            // In a linked worktree both sides are commits, and history is that of the main checkout.
            let replaced = others.iter().filter(|side| side.copy.is_none() && !self.is_linked());
            for side in replaced {
                let outdated = side.claim.outdated().render();
                archived.push(self.archive_new(
                    slug,
                    &side.claim,
                    ExitReason::Superseded,
                    outdated.as_bytes(),
                )?);
            }
            self.acts().record_for(&acts(&contenders, &chosen), || {
                // A person may have finished the merge by hand meanwhile: then that counts.
                if read()? != before {
                    let why = "another program changed it".to_owned();
                    return Err(WriteFault::Unreadable(UnreadableClaim { path: path.clone(), why }));
                }
                let placed = staged.put_undoable(&mut undo).map_err(fault()).and_then(|()| copy.put());
                match placed {
                    Ok(put_copy) => {
                        undo.confirm();
                        put_copy.confirm();
                        Ok(())
                    }
                    Err(error) => {
                        let undone = undo.take_back();
                        is_placed = undone.is_err();
                        Err(error.after_undo(undone).into())
                    }
                }
            })
        })();
        if let Err(error) = decided {
            // The waiting versions are back before history gives them up; otherwise history keeps the others.
            if is_placed {
                return Err(error);
            }
            for archived in archived {
                archived.take_back(self);
            }
            return Err(error);
        }
        let mut history = archived.into_iter().next_back().map(|archived| archived.path);
        for side in others {
            let Some(copy) = &side.copy else {
                self.drop_copy_of(slug, &side.claim);
                continue;
            };
            // It is decided. A copy that does not get into history stays: the chosen version follows it, and a claim of
            // another label still waits.
            let outdated = side.claim.outdated().render();
            if let Ok(put) = self.archive_new(slug, &side.claim, ExitReason::Superseded, outdated.as_bytes())
            {
                history = Some(put.path);
                self.drop_copy_of(slug, &side.claim);
                self.drop_copy_kept(&copy.path);
            }
        }
        Ok(Some(WriteOutcome { path, claim: chosen, history, unchanged: false, gathered: 0 }))
    }

    /// Whether a live claim is a version that history has: it came back by a pull or a checkout. A copy without a
    /// successor was left by an interrupted change.
    pub fn came_back_from_history(&self, slug: &ClaimSlug, live: &Claim) -> bool {
        let has = |exit| {
            let name = crate::history::version_name(slug, live.created, 0, exit);
            self.disk().stat(&self.paths().history.join(name)).is_ok()
        };
        if !has(ExitReason::Superseded) && !has(ExitReason::Retracted) {
            return false;
        }
        let Ok((versions, _)) = crate::history::versions(self.disk(), &self.paths().history, slug) else {
            return false;
        };
        // Another version may have the same birth: from an edit, or from another clone. A renaming moves history along
        // unchanged.
        let is_same =
            |past: &Claim| past.is_version_kept(live) || under_its_label(past, live).is_version_kept(live);
        let same: Vec<_> = versions.iter().filter(|past| is_same(&past.claim)).collect();
        if same.is_empty() {
            return false;
        }
        // A version that a stamp put into history was replaced by no other version, unless one says that it followed.
        if same.iter().all(|past| past.exit == ExitReason::Superseded && is_before_a_stamp(&past.claim, live))
        {
            let followed = VersionRef::of(slug, live).to_string();
            return versions.iter().any(|later| later.claim.supersedes.as_ref() == Some(&followed));
        }
        // A version that a decision rejected is in the chosen one's lineage, even if it was born after the chosen one.
        let given_up = live.lineage();
        // A later version of another label says nothing about this claim. The log is read for the first of those.
        let acts = OnceCell::new();
        let is_of_it = |claim: &Claim| {
            let acts = || acts.get_or_init(|| self.acts().of_kinds(&[DeedKind::Rename]).unwrap_or_default());
            claim.label == live.label || is_one_claim(claim, live, slug, acts())
        };
        let is_later = |claim: &Claim| {
            (claim.created > live.created || claim.follows(live))
                && !given_up.covers(claim)
                && is_of_it(claim)
        };
        let later_was_kept = || {
            let copies = self.kept_copies(slug).unwrap_or_default();
            copies.iter().any(|copy| is_later(&copy.claim))
        };
        // An `eject` moved the later one into the home, and git brought the repository's store back.
        let later_lies_at_home = || self.owner_versions(slug).unwrap_or_default().iter().any(is_later);
        // A retraction that was interrupted before it was recorded took nothing back.
        let was_retracted = || {
            let names = same.iter().filter_map(|past| Label::parse(&past.claim.label).ok());
            let mut slugs = std::iter::once(slug.clone()).chain(names.map(|label| ClaimSlug::of(&label)));
            slugs.any(|slug| {
                let act = ActId::of_retraction(&VersionRef::of(&slug, live));
                self.acts().has(&act).unwrap_or(false)
            })
        };
        later_was_kept()
            || later_lies_at_home()
            || versions.iter().any(|past| is_later(&past.claim))
            || same.iter().any(|past| past.exit == ExitReason::Retracted) && was_retracted()
    }

    /// Whether a version was retracted here, and written over here after git had brought it back: its writer knew of
    /// the retraction.
    pub fn rewrote_retracted(&self, slug: &ClaimSlug, born: Timestamp) -> bool {
        let has = |exit| {
            let name = crate::history::version_name(slug, Some(born), 0, exit);
            self.disk().stat(&self.paths().history.join(name)).is_ok()
        };
        has(ExitReason::Retracted) && has(ExitReason::Superseded)
    }

    /// The last retraction of a live claim that came back, where it was retracted here.
    pub fn retraction_of(&self, slug: &ClaimSlug, live: &Claim) -> Option<Act> {
        let name = crate::history::version_name(slug, live.created, 0, ExitReason::Retracted);
        let past = crate::scan::read_claim(self.disk(), &self.paths().history.join(name))?.ok()?;
        let acts = self.acts().of_kinds(&[DeedKind::Retract]).ok()?;
        // It may have had another label when it was retracted.
        let before = Label::parse(&past.label).map(|label| ClaimSlug::of(&label)).ok();
        let slugs = std::iter::once(slug).chain(&before);
        let versions: Vec<VersionRef> = slugs.map(|slug| VersionRef::of(slug, live)).collect();
        last_retraction(&acts, &versions).cloned()
    }
}

/// An undecided file from which one of its claims leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndecidedRest {
    /// The versions that leave.
    pub(crate) gone: Vec<Claim>,
    /// The versions that stay.
    pub(crate) stay: Vec<Claim>,
    /// The file as it was read.
    before: Vec<u8>,
}

impl UndecidedRest {
    /// The labels of the claims that stay.
    pub fn labels(&self) -> BTreeSet<&str> {
        self.stay.iter().map(|side| side.label.as_str()).collect()
    }

    /// The file without the claim that leaves.
    fn after(&self) -> Vec<u8> {
        let files: Vec<String> = self.stay.iter().map(|side| side.file.render()).collect();
        match files.as_slice() {
            [one] => one.clone().into_bytes(),
            several => join(&several.iter().map(String::as_bytes).collect::<Vec<_>>()),
        }
    }
}

impl Store {
    /// The versions in an undecided file, split by `goes`; `None` if no versions wait in it.
    pub(crate) fn rest(
        &self,
        slug: &ClaimSlug,
        goes: &dyn Fn(&Claim) -> bool,
    ) -> Result<Option<UndecidedRest>, StoreError> {
        let before = match read_file(self.disk(), &self.live_path(slug)) {
            Ok(before) => before,
            Err(error) => match error.fault() {
                DiskFault::NotFound | DiskFault::TooLarge { .. } | DiskFault::NotAFile => return Ok(None),
                _ => return Err(StoreError::disk("cannot read the versions that wait")(error)),
            },
        };
        let Some(sides) = waiting(self.disk(), &self.live_path(slug), &before) else { return Ok(None) };
        let (gone, stay) = sides.into_iter().partition(|side| goes(side));
        Ok(Some(UndecidedRest { gone, stay, before }))
    }

    /// Replaces an undecided file by the rest of it, and returns the temporary name of the old file. `None` if another
    /// program changed the file meanwhile. After an error the file is as it was, unless the error is left in place.
    pub(crate) fn put_rest(
        &self,
        slug: &ClaimSlug,
        rest: &UndecidedRest,
    ) -> Result<Option<PathBuf>, StoreError> {
        let fault = || StoreError::disk("cannot change the file of the versions that wait");
        let (disk, path) = (self.disk(), self.live_path(slug));
        let staged = durable::StagedFile::new(disk, self.ids(), &path, &rest.after()).map_err(fault())?;
        if read_file(disk, &path).map_err(fault())? != rest.before {
            return Ok(None);
        }
        let temp = durable::temp_in(&self.paths().claims, self.ids());
        disk.link(&path, &temp).map_err(fault())?;
        match staged.put() {
            Ok(()) => Ok(Some(temp)),
            Err(error) => {
                let undone = disk.rename(&temp, &path);
                // A rename between two names of one file changes nothing: then the second name is still there.
                let _ = disk.unlink(&temp);
                Err(fault()(error).after_undo(undone))
            }
        }
    }
}

/// The chosen version, under the label of its file: if one clone renamed a claim and another rewrote it, the versions
/// in one file have two labels.
fn named(slug: &ClaimSlug, chosen: Claim, contenders: &[Contender]) -> Claim {
    let is_here = |label: &Label| ClaimSlug::of(label) == *slug;
    let label = |claim: &Claim| Label::parse(&claim.label).ok().filter(is_here);
    match contenders.iter().find_map(|side| label(&side.claim)) {
        Some(here) if label(&chosen).is_none() => relabelled(&chosen, &here),
        Some(_) | None => chosen,
    }
}

/// Whether a version is the live claim before its last stamp.
fn is_before_a_stamp(past: &Claim, live: &Claim) -> bool {
    past.promoted_to != live.promoted_to
        && (past.is_version_kept(live) || under_its_label(past, live).is_version_kept(live))
}

/// A version from before its claim got the live one's label, rewritten as that renaming would.
fn under_its_label(past: &Claim, live: &Claim) -> Claim {
    Label::parse(&live.label).map_or_else(|_| past.clone(), |label| relabelled(past, &label))
}

//! A live file of what is imported in which several versions wait for a decision: it is taken whole.

use super::answer::{ImportRow, Imported};
use super::known::is_past;
use super::parcel::ImportFile;
use crate::service::Transfer;
use brainstem_base::next::calls;
use brainstem_base::{Fault, advice, codes};
use brainstem_claims::undecided_file::join;
use brainstem_claims::{Claim, ClaimSlug, LightFile};
use brainstem_memory::MemoryError;
use brainstem_memory::store_work::{self, Target};
use brainstem_vault::relocate::{self, RelocationOutcome};
use brainstem_vault::store::LiveFile;

impl Transfer {
    /// Takes the file in as it is. If another version is here, all that none of them was written over wait together.
    pub(super) fn take_undecided(
        &self,
        target: &Target,
        slug: &ClaimSlug,
        versions: &[Claim],
        imported: &mut Imported,
    ) -> Result<(), MemoryError> {
        let outcome = match self.fitting(target, slug, versions)? {
            None => RelocationOutcome::Superseded,
            Some(bytes) => {
                self.floor().check_adopted(self.disk(), &target.store, slug)?;
                for claim in versions {
                    let source = target.store.source_of_brought(claim)?;
                    target.store.note_source(&Claim::from(fitting_file(target, claim)), source)?;
                }
                relocate::take_in(&target.store, slug, &bytes)?
            }
        };
        check_taken(outcome)?;
        count(outcome, imported);
        Ok(())
    }

    /// Says what taking the file in would do.
    pub(super) fn weigh_undecided(
        &self,
        target: &Target,
        item: &ImportFile,
        slug: &ClaimSlug,
        versions: &[Claim],
        imported: &mut Imported,
    ) -> Result<(), MemoryError> {
        let outcome = match self.fitting(target, slug, versions)? {
            None => RelocationOutcome::Superseded,
            Some(bytes) => relocate::preview_take_in(&target.store, slug, &bytes)?,
        };
        check_taken(outcome)?;
        let (name, label, to) = (item.name.clone(), versions[0].label.clone(), target.origin.clone());
        let outcome = count(outcome, imported);
        imported.rows.push(ImportRow { name, label: Some(label), to, root: None, outcome });
        Ok(())
    }

    /// The file as it may be in this store; `None` if each of its versions was here and has left.
    fn fitting(
        &self,
        target: &Target,
        slug: &ClaimSlug,
        versions: &[Claim],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        let store = &target.store;
        if let LiveFile::Unreadable(bad) = store.live(slug)
            && store.undecided(slug).is_none()
        {
            return Err(MemoryError::Unreadable(bad));
        }
        let mut files = Vec::new();
        let mut are_past = true;
        for claim in versions {
            self.floor().check_claim(claim)?;
            let fitting = fitting_file(target, claim);
            are_past &= is_past(store, slug, &Claim::from(fitting.clone()))?;
            files.push(fitting.render());
        }
        Ok((!are_past).then(|| join(&files.iter().map(String::as_bytes).collect::<Vec<_>>())))
    }
}

/// The file of a version as it may be in the target's store.
fn fitting_file(target: &Target, claim: &Claim) -> LightFile {
    store_work::fit_file(&target.store, &claim.file)
}

/// Refuses a file that could not be taken beside what is here.
fn check_taken(outcome: RelocationOutcome) -> Result<(), MemoryError> {
    if outcome != RelocationOutcome::Left {
        return Ok(());
    }
    let message = "its versions and those that lie here are together more than one file can hold";
    let fix = advice![
        "decide between those that lie here: ",
        calls::resolve_take(calls::LABEL, calls::SIDE),
        "; then repeat the import"
    ];
    Err(Fault::new(codes::CLAIM_UNREADABLE, message).fix(fix).rule("MEM-49").into())
}

/// Counts a file that was taken, and answers the word for what became of it.
fn count(outcome: RelocationOutcome, imported: &mut Imported) -> &'static str {
    let (count, word) = match outcome {
        RelocationOutcome::Moved => (&mut imported.born, "born"),
        RelocationOutcome::Superseded | RelocationOutcome::Left => (&mut imported.unchanged, "unchanged"),
        RelocationOutcome::Supersedes | RelocationOutcome::Undecided => {
            (&mut imported.superseded, "superseded")
        }
    };
    *count += 1;
    word
}

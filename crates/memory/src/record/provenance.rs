//! Puts on record how those claims came into the medulla that were there before an import.

use crate::error::MemoryError;
use crate::service::Memory;
use crate::writing::target::Target;
use brainstem_caller::Caller;
use brainstem_claims::act::{Act, ActVerb, Deed, VersionRef};
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::merge::says_the_same;
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::store::LiveFile;

impl Memory {
    /// Records how those claims came into the medulla that were there before this import and that no act explains.
    /// What the import itself brings is on record before it is taken.
    pub(crate) fn account_for(
        &self,
        caller: &Caller,
        target: &Target,
        brought: &[Claim],
    ) -> Result<(), MemoryError> {
        if target.place != FilePlace::Medulla || brought.is_empty() {
            return Ok(());
        }
        let verdicts = self.verdicts(&target.store)?;
        let (agent, now) = (&caller.principal.agent, self.clock.now());
        let mut acts = Vec::new();
        for claim in brought {
            let Ok(label) = Label::parse(&claim.label) else { continue };
            let slug = ClaimSlug::of(&label);
            if let LiveFile::Claim(live) = target.store.live(&slug)
                && says_the_same(&live, claim)
                && !verdicts.accounts().explain(slug.as_str(), &live)
            {
                let version = VersionRef::of(&slug, &live);
                if !agent.may_write_doctrine() {
                    let breach = Deed::violation(ActVerb::Import, version.clone(), "MEM-10");
                    acts.push(Act::new(breach, agent, now));
                }
                // It counts as promoted only if an act says so.
                acts.push(Act::new(Deed::Import { upon: version.into() }, agent, now));
            }
        }
        Ok(target.store.acts().record_all(&acts)?)
    }
}

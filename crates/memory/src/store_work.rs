//! What a service above memory needs to read and write whole stores, as `brainstem-transfer` does: the store that a caller
//! writes to, the gate of what may be committed there, and what the record says of what is in it. The use cases of memory
//! are methods of [`Memory`]; nothing of this is one.

use crate::error::MemoryError;
use crate::reading::evidence::HASHED_LEN_MAX;
use crate::service::Memory;
use crate::writing::target::WriteTier;
use brainstem_base::Advice;
use brainstem_caller::Caller;
use brainstem_claims::Claim;
use brainstem_claims::act::{ActVerb, Mention};
use brainstem_claims::evidence::{Evidence, Freshness};
use brainstem_vault::boot::{BootFile, BootValue};
use brainstem_vault::home::Roster;
use brainstem_vault::tombstones::Tombstones;
use brainstem_vault::{Brain, Store};
use std::path::Path;
use std::sync::Arc;

pub use crate::caller::bound::path_of;
pub use crate::promotion::stamps::{Counted, stamps_in};
pub use crate::writing::boot::BootArrival;
pub use crate::writing::outside::{ProsePaths, fit_file, fitted_note};
pub use crate::writing::target::Target;

/// Returns the brain that the caller writes into, or the refusal with the call that fixes it.
pub fn bound(memory: &Memory, caller: &Caller) -> Result<Brain, MemoryError> {
    memory.bound(caller)
}

/// Returns the store that the caller writes to: its own brain's, or the medulla's if the request names it.
pub fn target(memory: &Memory, caller: &Caller, tier: Option<WriteTier>) -> Result<Target, MemoryError> {
    memory.target(caller, tier)
}

/// Returns the same store, only to look at: nothing is made or remembered.
pub fn target_seen(memory: &Memory, caller: &Caller, tier: Option<WriteTier>) -> Result<Target, MemoryError> {
    memory.target_seen(caller, tier)
}

/// Returns the store of a brain, which may be another one than the caller's.
pub fn target_of(memory: &Memory, brain: Brain) -> Target {
    memory.target_of(brain)
}

/// Returns the store of every brain of a roster: at its place, or what the home has of one whose root is another folder.
pub fn stores_in(memory: &Memory, roster: &Roster) -> Vec<(Brain, Store)> {
    memory.stores_in(roster)
}

/// Records that doctrine was changed by an agent that by etiquette leaves that to others. Returns the note for that agent.
pub fn record_breach(
    memory: &Memory,
    caller: &Caller,
    target: &Target,
    verb: ActVerb,
    upon: impl Into<Mention>,
) -> Result<Option<Advice>, MemoryError> {
    memory.breach(caller, target, verb, upon)
}

/// Records how those claims came into the medulla that were there before this import and that no act explains.
pub fn account_for(
    memory: &Memory,
    caller: &Caller,
    target: &Target,
    brought: &[Claim],
) -> Result<(), MemoryError> {
    memory.account_for(caller, target, brought)
}

/// Returns what was forgotten in a store.
pub fn tombstones(memory: &Memory, store: &Store) -> Arc<Tombstones> {
    memory.tombstones(store)
}

/// Returns whether a brain has boot keys of its own; one whose keys cannot be read may.
pub fn has_boot_keys(memory: &Memory, brain: &Brain) -> bool {
    memory.has_boot_keys(brain)
}

/// Returns the boot keys of a store, which are in the folder of its brain, or in the home for the medulla.
pub fn boot_file(memory: &Memory, folder: &Path, store: &Store) -> BootFile {
    memory.boot_file(folder.join("boot_memory_state.json"), store)
}

/// Takes in a boot key that was exported, with its agent and its time; in a dry run only says what would become of it.
pub fn take_in_boot_key(
    memory: &Memory,
    caller: &Caller,
    file: &BootFile,
    brought: (&str, &BootValue),
    dry_run: bool,
) -> Result<BootArrival, MemoryError> {
    memory.take_in_boot_key(caller, file, brought, dry_run)
}

/// Returns what became of evidence in the project with this root.
pub fn freshness(memory: &Memory, root: &Path, evidence: &Evidence) -> Freshness {
    memory.hashes.freshness(&*memory.disk, Some(root), evidence, HASHED_LEN_MAX)
}

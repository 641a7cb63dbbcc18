//! The boot keys of an export.

use super::answer::{Imported, NotTaken};
use crate::service::Transfer;
use brainstem_base::next::calls;
use brainstem_base::{Coded as _, advice, codes};
use brainstem_caller::Caller;
use brainstem_memory::store_work::{self, BootArrival, Target};
use brainstem_memory::{Gap, MemoryError, without_secrets};
use brainstem_vault::boot::BootValue;

impl Transfer {
    /// Takes in the boot keys that are not here. A key that is here with another value stays, and the answer names it.
    pub(super) fn take_boot_keys(
        &self,
        caller: &Caller,
        target: &Target,
        keys: &[(String, BootValue)],
        dry_run: bool,
        imported: &mut Imported,
    ) -> Result<(), MemoryError> {
        if keys.is_empty() {
            return Ok(());
        }
        let record = target.store.paths().placed.as_ref().map(|placed| placed.record.as_path());
        let folder = record.and_then(|record| record.parent()).unwrap_or(self.home().path());
        let file = store_work::boot_file(self.memory(), folder, &target.store);
        if !dry_run {
            target.store.prepare()?;
        }
        let mut differing = Vec::new();
        for (key, value) in keys {
            match store_work::take_in_boot_key(self.memory(), caller, &file, (key, value), dry_run) {
                Ok(BootArrival::New) => imported.boot_keys += 1,
                Ok(BootArrival::Known) => {}
                Ok(BootArrival::Differs) => differing.push(key.as_str()),
                Err(error)
                    if [codes::STORE_NO_SPACE, codes::STORE_READ_ONLY, codes::STORE_UNCONFIRMED]
                        .contains(&error.code()) =>
                {
                    return Err(error);
                }
                Err(error) => imported.not_taken.push(NotTaken {
                    name: without_secrets(&format!("boot key {key}")),
                    label: None,
                    code: error.code(),
                    why: error.to_string(),
                    fix: error.fix(),
                }),
            }
        }
        if let Some(first) = differing.first() {
            let (place, named) = (target.name(), without_secrets(&differing.join(", ")));
            let mut detail = advice![
                "boot keys of {place} have another value here than in the import, and stay as they are: {named}"
            ];
            if let Some(root) = &target.root {
                let set =
                    calls::boot_set(without_secrets(first), calls::VALUE).at(root.display().to_string());
                detail.push(advice!["; ", set, " sets one anew"]);
            }
            imported.gaps.push(Gap::new("boot_differs", detail));
        }
        Ok(())
    }
}

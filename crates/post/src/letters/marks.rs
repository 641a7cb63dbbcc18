//! What tells the folder of a project without a brain from every other folder of its name, in a letter: neither its name
//! nor its path does, because another project may have them later.

use crate::Post;
use brainstem_base::hash;
use brainstem_letters::resolved_fields::FolderMark;
use brainstem_vault::mail::folder_stamp_of;
use std::path::Path;

impl Post {
    /// The mark of the folder at a root. `None` where this home does not say when it was made, as before its first write.
    pub(crate) fn folder_mark(&self, root: &Path) -> Option<FolderMark> {
        let home = self.home_mark()?;
        let stamp = folder_stamp_of(self.disk(), root);
        // A file system that tells no number and birth leaves the path.
        let told = stamp.unwrap_or_else(|| format!("path {}", root.display()));
        let folder = hash::sha256_hex(format!("{home:08x} {told}").as_bytes(), 16);
        Some(FolderMark { home, folder: u64::from_str_radix(&folder, 16).ok()? })
    }

    /// What tells this home from another in a mark.
    pub(crate) fn home_mark(&self) -> Option<u32> {
        let created = self.memory().home().created()?;
        u32::from_str_radix(&hash::sha256_hex(format!("home {created}").as_bytes(), 8), 16).ok()
    }
}

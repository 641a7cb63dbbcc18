//! The mark that distinguishes the folder of a project without a brain from every other folder of its name. A letter needs it
//! because another project may have the same name and path later.

use crate::Post;
use brainstem_base::hash;
use brainstem_letters::resolved_fields::FolderMark;
use brainstem_vault::mail::folder_stamp_of;
use std::path::Path;

impl Post {
    /// The mark of the folder at a root. `None` if this home has no record of when it was made, as before its first write.
    pub(crate) fn folder_mark(&self, root: &Path) -> Option<FolderMark> {
        let home = self.home_mark()?;
        let stamp = folder_stamp_of(self.disk(), root);
        // If the file system has no number and birth time of a folder, the path alone counts.
        let identity = stamp.unwrap_or_else(|| format!("path {}", root.display()));
        let folder = hash::sha256_hex(format!("{home:08x} {identity}").as_bytes(), 16);
        Some(FolderMark { home, folder: u64::from_str_radix(&folder, 16).ok()? })
    }

    /// A number that distinguishes this home from another in a mark.
    pub(crate) fn home_mark(&self) -> Option<u32> {
        let created = self.memory().home().created()?;
        u32::from_str_radix(&hash::sha256_hex(format!("home {created}").as_bytes(), 8), 16).ok()
    }
}

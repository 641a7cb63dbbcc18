//! The project that a session is in while it waits.

use super::error::LiveError;
use crate::Post;
use brainstem_mail::live::Project;
use brainstem_memory::Caller;
use brainstem_vault::mail::MailRoot;

/// The project of a mail root, as it is on the disk now.
pub fn project_of_root(root: &MailRoot) -> Project {
    Project { root: root.path().display().to_string(), folder: root.folder_stamp() }
}

impl Post {
    /// The project that the caller is in now; `None` outside projects.
    pub fn live_project(&self, caller: &Caller) -> Option<Project> {
        self.mail_root(caller).map(|root| project_of_root(&root))
    }

    /// Refuses a caller that waits for news of a project, if another folder is at its path now.
    pub fn check_live_project(&self, caller: &Caller, begun_at: Option<&Project>) -> Result<(), LiveError> {
        match (begun_at, self.live_project(caller)) {
            (Some(_), Some(now)) => check_same_project(begun_at, &now),
            _ => Ok(()),
        }
    }
}

/// As [`Post::check_live_place`], for a project that was looked up.
pub(super) fn check_same_project(begun_at: Option<&Project>, now: &Project) -> Result<(), LiveError> {
    if begun_at.is_none_or(|begun_at| begun_at == now) {
        return Ok(());
    }
    Err(LiveError::OtherFolder { root: now.root.clone() })
}

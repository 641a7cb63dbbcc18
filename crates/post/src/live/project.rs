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

/// As [`Post::check_live_project`], for a project that was looked up.
pub(super) fn check_same_project(begun_at: Option<&Project>, now: &Project) -> Result<(), LiveError> {
    if begun_at.is_none_or(|begun_at| begun_at == now) {
        return Ok(());
    }
    let root = now.root.clone();
    // Where the file system tells no folders apart, only the paths are compared.
    let is_gone = now.folder.is_none() && begun_at.is_some_and(|begun_at| begun_at.folder.is_some());
    Err(if is_gone { LiveError::FolderGone { root } } else { LiveError::OtherFolder { root } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MAIL-17
    fn a_wait_says_whether_its_folder_is_another_one_or_gone() {
        let at =
            |folder: Option<&str>| Project { root: "/src/a/.mail".into(), folder: folder.map(str::to_owned) };
        let told = |begun: Option<&str>, now: Option<&str>| {
            check_same_project(Some(&at(begun)), &at(now)).err().map(|error| error.to_string())
        };
        assert_eq!(told(Some("1-2"), Some("1-2")), None);
        assert_eq!(told(None, None), None, "a file system that tells no folders apart");
        assert!(told(Some("1-2"), Some("1-3")).is_some_and(|told| told.starts_with("another folder is at")));
        assert!(told(Some("1-2"), None).is_some_and(|told| told.starts_with("nothing is at")));
        assert!(check_same_project(None, &at(None)).is_ok());
    }
}

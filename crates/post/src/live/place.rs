//! Which project a session stands in, for as long as it waits there.

use crate::Post;
use brainstem_base::next::VerbId;
use brainstem_base::{Fault, advice, codes};
use brainstem_mail::live::Project;
use brainstem_memory::Caller;
use brainstem_vault::mail::MailRoot;

/// The project of a mail root, as it is on the disk now.
pub fn place_of(root: &MailRoot) -> Project {
    Project { root: root.path().display().to_string(), folder: root.folder_stamp() }
}

impl Post {
    /// The project that a caller stands in now; `None` where it stands in none.
    pub fn live_place(&self, caller: &Caller) -> Option<Project> {
        self.memory().mail_root(caller).map(|root| place_of(&root))
    }

    /// Refuses a caller that waits for news of a project, if another folder is at its path now.
    pub fn check_live_place(&self, caller: &Caller, begun_at: Option<&Project>) -> Result<(), Fault> {
        match (begun_at, self.live_place(caller)) {
            (Some(_), Some(now)) => check_still(begun_at, &now),
            _ => Ok(()),
        }
    }
}

/// As [`Post::check_live_place`], for a project that was looked up.
pub(super) fn check_still(begun_at: Option<&Project>, now: &Project) -> Result<(), Fault> {
    if begun_at.is_none_or(|begun_at| begun_at == now) {
        return Ok(());
    }
    let message = format!(
        "the folder of `{}` is another one than when this began to wait: what is said there is of another project",
        now.root
    );
    let fix = advice!["wait anew in the folder of the project that you mean, with ", VerbId::LivePoll];
    Err(Fault::new(codes::MEMORY_ROOT_REPLACED, message).fix(fix).rule("MAIL-17"))
}

//! The words that an agent gave with a deed.

use super::Deed;

impl Deed {
    /// The reason that was given for it.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Retract { reason, .. }
            | Self::Promote { reason, .. }
            | Self::Propose { reason, .. }
            | Self::Decline { reason, .. }
            | Self::Withdraw { reason, .. }
            | Self::Demote { reason, .. }
            | Self::Migrate { reason, .. }
            | Self::SetAside { reason, .. } => reason.as_deref(),
            Self::Bootstrap { .. }
            | Self::Affirm { .. }
            | Self::Doctrine { .. }
            | Self::Learn { .. }
            | Self::Import { .. }
            | Self::Rename { .. }
            | Self::Forget { .. }
            | Self::Resolve { .. }
            | Self::MigrateBegin { .. }
            | Self::MigrateEnd { .. }
            | Self::MigrateRollback { .. }
            | Self::MigrateIn { .. }
            | Self::MigrateBack { .. }
            | Self::SweepRoot { .. }
            | Self::UnsweepRoot { .. }
            | Self::TakeUp { .. }
            | Self::BootSet { .. }
            | Self::BootDelete { .. }
            | Self::Delegate { .. }
            | Self::Debrief { .. }
            | Self::Debriefed { .. }
            | Self::Violation { .. }
            | Self::Unknown { .. } => None,
        }
    }
}

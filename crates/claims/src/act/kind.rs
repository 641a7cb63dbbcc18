//! The kinds of deeds, and the one word that a log has for each.

use super::Deed;

/// The kinds of deeds, by which a log is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the deed of the same name")]
pub enum DeedKind {
    Bootstrap,
    Affirm,
    Doctrine,
    Retract,
    Learn,
    Promote,
    Propose,
    Decline,
    Withdraw,
    Demote,
    Import,
    Rename,
    Forget,
    Resolve,
    MigrateBegin,
    MigrateEnd,
    MigrateRollback,
    Migrate,
    MigrateIn,
    MigrateBack,
    SweepRoot,
    UnsweepRoot,
    TakeUp,
    SetAside,
    BootSet,
    BootDelete,
    Delegate,
    Debrief,
    Debriefed,
    Violation,
}

impl DeedKind {
    /// Every kind.
    pub const ALL: [Self; 30] = [
        Self::Bootstrap,
        Self::Affirm,
        Self::Doctrine,
        Self::Retract,
        Self::Learn,
        Self::Promote,
        Self::Propose,
        Self::Decline,
        Self::Withdraw,
        Self::Demote,
        Self::Import,
        Self::Rename,
        Self::Forget,
        Self::Resolve,
        Self::MigrateBegin,
        Self::MigrateEnd,
        Self::MigrateRollback,
        Self::Migrate,
        Self::MigrateIn,
        Self::MigrateBack,
        Self::SweepRoot,
        Self::UnsweepRoot,
        Self::TakeUp,
        Self::SetAside,
        Self::BootSet,
        Self::BootDelete,
        Self::Delegate,
        Self::Debrief,
        Self::Debriefed,
        Self::Violation,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bootstrap => "bootstrap",
            Self::Affirm => "affirm",
            Self::Doctrine => "doctrine",
            Self::Retract => "retract",
            Self::Learn => "learn",
            Self::Promote => "promote",
            Self::Propose => "propose",
            Self::Decline => "decline",
            Self::Withdraw => "withdraw",
            Self::Demote => "demote",
            Self::Import => "import",
            Self::Rename => "rename",
            Self::Forget => "forget",
            Self::Resolve => "resolve",
            Self::MigrateBegin => "migrate_begin",
            Self::MigrateEnd => "migrate_end",
            Self::MigrateRollback => "migrate_rollback",
            Self::Migrate => "migrate",
            Self::MigrateIn => "migrate_in",
            Self::MigrateBack => "migrate_back",
            Self::SweepRoot => "sweep_root",
            Self::UnsweepRoot => "unsweep_root",
            Self::TakeUp => "take_up",
            Self::SetAside => "set_aside",
            Self::BootSet => "boot_set",
            Self::BootDelete => "boot_delete",
            Self::Delegate => "delegate",
            Self::Debrief => "debrief",
            Self::Debriefed => "debriefed",
            Self::Violation => "etiquette_violation",
        }
    }

    /// Reads the word; `None` for one that this program does not know.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl Deed {
    /// Its kind; `None` for a deed that this program does not know.
    pub fn kind(&self) -> Option<DeedKind> {
        Some(match self {
            Self::Bootstrap { .. } => DeedKind::Bootstrap,
            Self::Affirm { .. } => DeedKind::Affirm,
            Self::Doctrine { .. } => DeedKind::Doctrine,
            Self::Retract { .. } => DeedKind::Retract,
            Self::Learn { .. } => DeedKind::Learn,
            Self::Promote { .. } => DeedKind::Promote,
            Self::Propose { .. } => DeedKind::Propose,
            Self::Decline { .. } => DeedKind::Decline,
            Self::Withdraw { .. } => DeedKind::Withdraw,
            Self::Demote { .. } => DeedKind::Demote,
            Self::Import { .. } => DeedKind::Import,
            Self::Rename { .. } => DeedKind::Rename,
            Self::Forget { .. } => DeedKind::Forget,
            Self::Resolve { .. } => DeedKind::Resolve,
            Self::MigrateBegin { .. } => DeedKind::MigrateBegin,
            Self::MigrateEnd { .. } => DeedKind::MigrateEnd,
            Self::MigrateRollback { .. } => DeedKind::MigrateRollback,
            Self::Migrate { .. } => DeedKind::Migrate,
            Self::MigrateIn { .. } => DeedKind::MigrateIn,
            Self::MigrateBack { .. } => DeedKind::MigrateBack,
            Self::SweepRoot { .. } => DeedKind::SweepRoot,
            Self::UnsweepRoot { .. } => DeedKind::UnsweepRoot,
            Self::TakeUp { .. } => DeedKind::TakeUp,
            Self::SetAside { .. } => DeedKind::SetAside,
            Self::BootSet { .. } => DeedKind::BootSet,
            Self::BootDelete { .. } => DeedKind::BootDelete,
            Self::Delegate { .. } => DeedKind::Delegate,
            Self::Debrief { .. } => DeedKind::Debrief,
            Self::Debriefed { .. } => DeedKind::Debriefed,
            Self::Violation { .. } => DeedKind::Violation,
            Self::Unknown { .. } => return None,
        })
    }

    /// What it is called in a log.
    pub fn name(&self) -> &str {
        match self {
            Self::Unknown { name, .. } => name,
            known => known.kind().map_or("", DeedKind::as_str),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-3c
    fn every_kind_is_read_from_its_word() {
        for kind in DeedKind::ALL {
            assert_eq!(DeedKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(DeedKind::parse("levitate"), None);
        let unknown = Deed::Unknown { name: "levitate".into(), subject: "cache@5".into() };
        assert_eq!(
            (unknown.name(), unknown.subject().as_str(), unknown.kind()),
            ("levitate", "cache@5", None)
        );
    }
}

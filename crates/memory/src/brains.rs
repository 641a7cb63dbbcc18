//! Brains: how a project gets one, in which folder its memory is, which there are, and what is kept of those that were
//! replaced.

pub(crate) mod aside;
pub(crate) mod bootstrap;
pub(crate) mod brain_words;
pub(crate) mod committable_record;
pub(crate) mod deleted_clones;
pub(crate) mod eject;
pub(crate) mod error;
pub(crate) mod git_sharing;
pub(crate) mod init;
pub(crate) mod instances;
pub(crate) mod list;
pub(crate) mod orphans;
pub(crate) mod replaced;
pub(crate) mod repository;
pub(crate) mod scope;
pub(crate) mod set_aside;
pub(crate) mod take_up;
pub(crate) mod unserved;
pub(crate) mod without_a_folder;

//! What keeps a home in order: the doctor, indexes, counts, and what changed in the stores.

pub(crate) mod counts;
pub(crate) mod daemon;
pub(crate) mod doctor;
pub(crate) mod index;
pub(crate) mod status;
pub(crate) mod store_changes;

//! Claims that come from elsewhere or go there: export, import, and the move out of a mixed medulla.

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod migrate;

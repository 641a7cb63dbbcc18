//! The use cases of claims that come from elsewhere or go there: export, import, and the migration out of a mixed medulla.
//!
//! Which store a caller writes to and what may be there is for `brainstem-memory`
//! ([`brainstem_memory::store_work`]); this crate reads and writes stores as a whole.

mod limits;
mod service;

mod export;
mod import;
mod migrate;

pub use export::{
    ExportRequest, ExportScope, Exported, Format, MailLeftOut, SECRET_EXPORTED, UNREADABLE_LEDGER,
};
pub use import::{Flagged, ImportRequest, ImportRow, Imported, NotTaken};
pub use migrate::{Gates, Ghost, MigrateRequest, MigrateRow, Migration, RolledBack, RowFate, mixed_medulla};
pub use service::Transfer;

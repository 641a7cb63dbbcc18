//! The use cases of memory: who calls, which brain that means, and what is remembered, taken back,
//! shown, listed, found and carried into the beat.
//!
//! Every door calls these and decides nothing itself. Nothing here reads the environment or the
//! current folder: the door hands them in as [`Declared`] and [`RootHints`].

pub mod config;
pub mod identity;
pub mod limits;
pub mod schema;

pub mod route;
mod survey;

mod service;

mod bootstrap;
mod brains;
mod doctor;
mod evidence;
mod list;
mod memorize;
mod north;
mod recall;
mod refusal;
mod retract;
mod row;
mod seek;
mod settings;
mod show;
mod status;
mod words;

pub use bootstrap::{BootstrapRequest, Bootstrapped};
pub use brains::{BrainRow, Brains};
pub use doctor::{Diagnosis, DoctorRequest, Finding, Severity, StoreCount, Trouble};
pub use identity::{Declared, Principal};
pub use list::{ListRequest, Listed};
pub use memorize::{MemorizeRequest, Memorized};
pub use north::{Beat, Binding, ConflictPair, NorthRequest, TrustMode};
pub use recall::{Gap, Tier};
pub use refusal::MemoryError;
pub use retract::{RetractRequest, Retraction};
pub use route::{Hint, RootHints, Route};
pub use row::{Row, RowKind, Why};
pub use seek::{Group, SeekRequest, Sought};
pub use service::{Caller, Memory, Parts, Session};
pub use settings::{ConfigPaths, Origin, Setting};
pub use show::{ShowRequest, Shown, ShownVersion};
pub use status::Status;

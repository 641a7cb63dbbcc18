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

mod absent;
mod account;
mod batch;
mod boot;
mod bootstrap;
mod brains;
mod compose;
mod conflicts;
mod consolidate;
mod counts;
mod debrief;
mod delegate;
mod delegations;
mod doctor;
mod edit;
mod evidence;
mod export;
mod floor;
mod forget;
mod handshake;
mod hook;
mod hosts;
mod import;
mod index;
mod init;
mod learn;
mod list;
mod memorize;
mod migrate;
mod north;
mod promote;
mod promotions;
mod propose;
mod quota;
mod recall;
mod reception;
mod refusal;
mod rename;
mod resolve;
mod retract;
mod row;
mod seek;
mod settings;
mod sharing;
mod show;
mod status;
mod tombstones;
mod verdicts;
mod verify;
mod when;

pub use batch::{BatchLine, LineDone, Outcome};
pub use boot::{BootRow, Booted};
pub use bootstrap::{BootstrapRequest, Bootstrapped};
pub use brains::{BrainRow, Brains};
pub use conflicts::ConflictPair;
pub use consolidate::{Candidate, CandidateKind, ConsolidateRequest, Consolidated};
pub use counts::Served;
pub use debrief::{DebriefRequest, Debriefing, MemorizedFinding};
pub use delegate::{DelegateRequest, Packet, Seed};
pub use delegations::{Debriefed, Delegation, Delegations, Rows, Standing};
pub use doctor::{Diagnosis, DoctorRequest, Finding, Severity, StoreCount, Trouble};
pub use edit::{Editing, edited_text};
pub use export::{ExportRequest, ExportScope, Exported, Format};
pub use floor::{masked, unrepeated, without_secrets};
pub use forget::{ForgetRequest, Forgotten};
pub use handshake::{Handshake, HandshakeRequest, Landed};
pub use hook::Again;
pub use hosts::{FileFate, HostFile, HostsDone, HostsRequest};
pub use identity::{Declared, Principal};
pub use import::{ImportRequest, ImportRow, Imported, NotTaken};
pub use index::{IndexRequest, Indexed, IndexedStore};
pub use init::{EjectRequest, Ejected, InitRequest, Initialised};
pub use learn::{LearnRequest, Learned};
pub use list::{ListRequest, Listed};
pub use memorize::{MemorizeRequest, Memorized};
pub use migrate::{Gates, Ghost, MigrateRequest, MigrateRow, Migration, RolledBack, RowFate};
pub use north::{Beat, Binding, NorthRequest, TrustMode};
pub use promote::{PromoteRequest, Promoted};
pub use promotions::{Became, Crossing, CrossingKind, Promotions, PromotionsRequest};
pub use propose::Proposal;
pub use recall::{Gap, Tier};
pub use reception::{Choice, Reception};
pub use refusal::{Lost, MemoryError, shell_word};
pub use rename::{Relabelled, RenameRequest};
pub use resolve::{ResolveRequest, Resolved};
pub use retract::{RetractRequest, Retraction};
pub use route::{Hint, RootHints, Route};
pub use row::{Row, RowKind, Why};
pub use seek::{Group, Question, SeekRequest, Sought, parse_by};
pub use service::{Caller, Memory, Parts, Session};
pub use settings::{ConfigPaths, Origin, Setting};
pub use sharing::{Sharing, Unshared};
pub use show::{ShowRequest, Shown, ShownVersion};
pub use status::Status;
pub use verify::{Verified, VerifiedRow, VerifyRequest};
pub use when::{Filter, parse_time};

pub use brainstem_claims::evidence::Freshness;
pub use brainstem_claims::trust::{Trust, Verdict, Voice};
pub use brainstem_index::{BuiltIn, Meanings, WordsAlone};
pub use brainstem_recall::rank::{By, Parts as ScoreParts};

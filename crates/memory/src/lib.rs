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
mod births;
mod boot;
mod bootstrap;
mod brains;
mod caution;
mod compose;
mod conflicts;
mod consolidate;
mod counts;
mod daemon;
mod debrief;
mod delegate;
mod delegations;
mod dispute;
mod doctor;
mod edit;
mod evidence;
mod export;
mod facts;
mod failed_reads;
mod floor;
mod forget;
mod handshake;
mod held;
mod hook;
mod hosts;
mod import;
mod index;
mod init;
mod instances;
mod learn;
mod life;
mod lineage;
mod list;
mod mail;
mod memorize;
mod migrate;
mod news;
mod north;
mod outside;
mod project;
mod promote;
mod promotions;
mod propose;
mod quota;
mod recall;
mod reception;
mod refusal;
mod rename;
mod replaced;
mod resolve;
mod retract;
mod retracted_apart;
mod roots;
mod row;
mod seek;
mod settings;
mod sharing;
mod show;
mod stamps;
mod status;
mod time_ahead;
mod tombstones;
mod twins;
mod verdicts;
mod verify;
mod when;
mod worthiest;

pub use batch::{BatchLine, LineDone, Outcome};
pub use boot::{BootRow, Booted};
pub use bootstrap::{BootstrapRequest, Bootstrapped};
pub use brains::{BrainRow, Brains};
pub use compose::shortened;
pub use conflicts::ConflictPair;
pub use consolidate::{Candidate, CandidateKind, ConsolidateRequest, Consolidated};
pub use counts::Served;
pub use daemon::{DaemonFiles, DaemonRecord, DaemonSeen, Tenure, token_print};
pub use debrief::{DebriefRequest, Debriefing, MemorizedFinding};
pub use delegate::{DelegateRequest, Packet, Seed};
pub use delegations::{Debriefed, Delegation, Delegations, Rows, Standing};
pub use doctor::{
    Diagnosis, DoctorRequest, Finding, Meant, OutOfReach, Severity, StoreCount, Trouble, out_of_reach, unfit,
};
pub use edit::{Editing, edited_text};
pub use export::{ExportRequest, ExportScope, Exported, Format, SECRET_EXPORTED};
pub use facts::{Fact, FactKind};
pub use failed_reads::{FailedReads, NOT_READ, READ_ROUNDS};
pub use floor::{Floor, masked, without_secrets};
pub use forget::{ForgetRequest, Forgotten};
pub use handshake::{Handshake, HandshakeRequest, Landed};
pub use hook::Again;
pub use hosts::{FileFate, HostFile, HostsDone, HostsRequest};
pub use identity::{Correspondent, Declared, Principal, Source};
pub use import::{Flagged, ImportRequest, ImportRow, Imported, NotTaken};
pub use index::{IndexRequest, Indexed, IndexedStore};
pub use init::{EjectRequest, Ejected, InitRequest, Initialised};
pub use instances::{Instances, Standing as StoreStanding};
pub use learn::{LearnRequest, Learned};
pub use life::{Step, ground_words};
pub use list::{ListRequest, Listed};
pub use mail::{
    BoxOfAnother, MailStanding, OwnBoxes, box_of_alias, boxes_of_agent, is_name_of, is_of_another_person,
    is_of_caller,
};
pub use memorize::{MemorizeRequest, Memorized};
pub use migrate::{Gates, Ghost, MigrateRequest, MigrateRow, Migration, RolledBack, RowFate};
pub use news::{Happened, News, Newsroom};
pub use north::{Beat, Binding, NorthRequest, TrustMode};
pub use project::ProjectAt;
pub use promote::{PromoteRequest, Promoted};
pub use promotions::{Became, Crossing, CrossingKind, Promotions, PromotionsRequest};
pub use propose::{Proposal, Settled, Settling};
pub use recall::{Gap, Tier, is_unseen};
pub use reception::{Choice, Reception};
pub use refusal::{Lost, MemoryError, shell_word};
pub use rename::{Relabelled, RenameRequest};
pub use replaced::{Replacement, SetAside};
pub use resolve::{ResolveRequest, Resolved};
pub use retract::{RetractRequest, Retraction};
pub use route::{Hint, RootHints, Route};
pub use row::{Row, RowKind, Why};
pub use seek::{Group, Question, SeekRequest, Sought, parse_by};
pub use service::{Caller, Held, HomeState, Memory, Parts, Session};
pub use settings::{ConfigPaths, Origin, Setting};
pub use sharing::{Sharing, Unshared};
pub use show::{FoundIn, ShowRequest, Shown, ShownVersion};
pub use status::Status;
pub use time_ahead::TimeAhead;
pub use verify::{Verified, VerifiedRow, VerifyRequest};
pub use when::{Filter, parse_instant, parse_past};

pub use brainstem_claims::evidence::Freshness;
pub use brainstem_claims::trust::{Trust, Verdict, Voice};
pub use brainstem_index::{BuiltIn, Meanings, WordsAlone};
pub use brainstem_recall::rank::{By, Parts as ScoreParts};

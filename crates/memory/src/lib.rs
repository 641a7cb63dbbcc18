//! The use cases of memory: which agent calls, which brain that means, and what is remembered, taken back, shown,
//! listed, found and carried into the beat.
//!
//! Every door calls these and decides nothing itself. Nothing here reads the environment or the
//! current folder: the door hands them in as [`Declared`] and [`RootHints`].

pub mod limits;
pub mod schema;
pub mod store_work;

mod error;
mod gap;
mod kept;
mod service;

mod caller;

mod brains;
mod delegation;
mod promotion;
mod reading;
mod record;
mod upkeep;
mod writing;

pub use brainstem_caller::{Caller, CallerPlace, Session, config, identity, route};

pub use brainstem_caller::{Correspondent, Declared, Hint, IdentitySource, Principal, RootHints, Route};
pub use caller::handshake::{Handshake, HandshakeRequest, Landed};
pub use caller::location_notice::{Choice, Reception};
pub use caller::project::ProjectAt;
pub use caller::secrets::{Floor, masked, without_secrets};
pub use caller::settings::{ConfigPaths, Origin, Setting};

pub use brains::bootstrap::{BootstrapRequest, BrainWish, RootWish};
pub use brains::committable_record::CommittableRecord;
pub use brains::eject::{EjectRequest, Ejected};
pub use brains::git_sharing::GitWish;
pub use brains::init::{InitRequest, Initialised};
pub use brains::instances::{HomeInstances, StoreStanding};
pub use brains::list::{BrainRow, Brains};
pub use brains::repository::Moving;
pub use brains::scope::BrainScope;
pub use brains::take_up::Bootstrapped;
pub use brains::unserved::Orphan;
pub use brains::unserved::{Replacement, SetAside};

pub use writing::batch::{BatchLine, LineDone, Outcome, RefusedRequest};
pub use writing::boot::{BootRow, Booted};
pub use writing::edit::{Editing, edited_text};
pub use writing::forget::{Confirmation, ForgetRequest, Forgotten};
pub use writing::learn::{LearnRequest, Learned};
pub use writing::memorize::Memorized;
pub use writing::memorize_request::{DoctrineWeight, MemorizeRequest, MemorizeWords};
pub use writing::rename::{Relabelled, RenameRequest};
pub use writing::resolve::{ResolveRequest, Resolved};
pub use writing::retract::{RetractRequest, Retraction};
pub use writing::target::{TierUse, WriteTier};

pub use gap::{Gap, is_unseen};
pub use reading::compose::shortened;
pub use reading::conflicts::ConflictPair;
pub use reading::facts::{Fact, FactKind};
pub use reading::failed_reads::{FailedReads, NOT_READ, READ_ROUNDS};
pub use reading::filter::{Filter, parse_instant, parse_past};
pub use reading::list::{ListRequest, Listed};
pub use reading::north::{Beat, Binding, NorthRequest, TrustMode};
pub use reading::row::{Row, RowKind, Why};
pub use reading::seek::{Group, Question, SeekRequest, Sought, parse_by};
pub use reading::show::{FoundIn, ShowRequest, Shown, ShownVersion};
pub use reading::tags::{TagInUse, TagsInUse};
pub use reading::tier::Tier;
pub use reading::time_ahead::TimeAhead;
pub use reading::verify::{Verified, VerifiedRow, VerifyRequest};

pub use promotion::answer::{PromoteAs, PromoteRequest, Promoted};
pub use promotion::audit::{Promotions, PromotionsRequest};
pub use promotion::consolidate::{Candidate, CandidateKind, ConsolidateAs, ConsolidateRequest, Consolidated};
pub use promotion::propose::settled_sentence;
pub use promotion::sharing::Sharing;

pub use delegation::audit::Delegations;
pub use delegation::debrief::{DebriefRequest, Debriefing, MemorizedFinding};
pub use delegation::delegate::{DelegateRequest, Packet, Seed};

pub use brainstem_claims::folds::timeline::{TimelineStep, ground_words};

pub use upkeep::counts::Served;
pub use upkeep::doctor::{
    Diagnosis, DoctorRequest, FindMixed, Finding, Leftovers, Meant, MisplacedClaim, MixedMedulla, OutOfReach,
    Severity, StoreCount, Trouble, out_of_reach, unfit,
};
pub use upkeep::index::{IndexPace, IndexRequest, IndexStart, Indexed, IndexedStore};
pub use upkeep::status::Status;
pub use upkeep::store_changes::{Happened, News, NewsSubject, Newsroom};

pub use brainstem_caller::addresses::boxes_of_agent;

pub use brainstem_vault::daemon_files::{DaemonFiles, DaemonRecord, DaemonSeen, token_print};

pub use service::{HomeState, Memory, Parts};

pub use brains::error::BrainError;
pub use caller::error::CallerError;
pub use delegation::error::DelegationError;
pub use error::{Lost, MemoryError, Renamed};
pub use promotion::error::PromotionError;
pub use reading::error::ReadError;
pub use writing::error::WriteError;

pub use brainstem_claims::Confidence;
pub use brainstem_claims::act::{DeedKind, RowCounts};
pub use brainstem_claims::decide::Reaffirm;
pub use brainstem_claims::delegation::DelegationOutcome;
pub use brainstem_claims::evidence::Freshness;
pub use brainstem_claims::folds::crossings::{Crossing, CrossingKind, CrossingOutcome};
pub use brainstem_claims::folds::delegations::{Debriefed, Delegation, DelegationState};
pub use brainstem_claims::folds::proposals::{Proposal, SettledProposal, Settling};
pub use brainstem_claims::folds::sharing::Unshared;
pub use brainstem_claims::trust::{Trust, Verdict, Voice};
pub use brainstem_index::{BundledEmbedder, Embedder, NoEmbedder};
pub use brainstem_recall::rank::{RankBy, ScoreBreakdown};

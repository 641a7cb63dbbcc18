//! Why a use case of memory is refused.

use crate::brains::error::BrainError;
use crate::brains::unserved::{Orphan, Replacement};
use crate::caller::error::CallerError;
use crate::delegation::error::DelegationError;
use crate::promotion::error::PromotionError;
use crate::reading::error::ReadError;
use crate::writing::error::WriteError;
use brainstem_base::agent::AgentIdFault;
use brainstem_base::next::{self, AdvicePart, calls, field, shell_word};
use brainstem_base::{Advice, Fault, Refusal, advice, coded_by_refusal, codes};
use brainstem_caller::config::ConfigError;
use brainstem_caller::route::Route;
use brainstem_claims::decide;
use brainstem_claims::draft::ClaimDraftFault;
use brainstem_claims::label::LabelFault;
use brainstem_claims::report::ReportFault;
use brainstem_claims::strength::{ConfidenceFault, StateFault};
use brainstem_hygiene::HygieneFault;
use brainstem_mail::name::NameFault;
use brainstem_vault::error::STOPPED_HALF_WAY;
use brainstem_vault::scan::UnreadableClaim;
use brainstem_vault::store::WriteFault;
use brainstem_vault::{Brain, StoreError};
use std::convert::Infallible;
use std::path::PathBuf;

/// A caller whose place has no brain.
#[derive(Debug)]
pub struct Lost {
    /// Where it is.
    pub route: Route,
    /// A brain around the caller's folder, or the only one below it.
    pub near: Option<Brain>,
    /// The place it named is no folder that exists.
    pub missing: bool,
    /// A brain whose root is gone, and that may be the memory of this place.
    pub orphan: Option<Orphan>,
    /// What to do in a worktree that does not find its repository. `None` in every other folder.
    pub lost_worktree: Option<Advice>,
}

/// What became of a label that a rename took away.
#[derive(Debug)]
pub struct Renamed {
    /// The label of the claim now.
    pub to: String,
    /// The agent that renamed it.
    pub by: String,
    /// The day.
    pub day: String,
}

/// A refusal of a use case.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The caller's place has no brain.
    #[error("{}", brainless(.0))]
    Brainless(Box<Lost>),
    /// The memory that is kept for this path is not served there.
    #[error("{}", .0.sentence())]
    Replaced(Box<Replacement>),
    /// The folder can never be a project.
    #[error("`{}` can never be a project: it is {what}", path.display())]
    NeverAProject {
        /// The folder.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The folder does not exist.
    #[error("`{}` is not a folder that exists", .0.display())]
    RootMissing(PathBuf),
    /// No live claim has this label.
    #[error("{}", not_found(label, place, left.as_deref(), renamed.as_deref()))]
    NotFound {
        /// What was asked for.
        label: String,
        /// Where it was looked for.
        place: String,
        /// Labels that come near.
        near: Vec<String>,
        /// The medulla has a claim of that label, and was not asked.
        in_medulla: bool,
        /// What took a claim of that label away, if history has one.
        left: Option<String>,
        /// The rename that took the label away, if its claim is live under another one.
        renamed: Option<Box<Renamed>>,
    },
    /// The file is no readable claim.
    #[error("`{}` is not a readable claim ({}) and was left as it is", .0.path.display(), .0.why)]
    Unreadable(UnreadableClaim),
    /// The agent wrote too often.
    #[error("{agent} has asked for more than {limit} writes within this minute")]
    Quota {
        /// The agent.
        agent: String,
        /// How many are let through.
        limit: u64,
    },
    /// Nothing was live at that time.
    #[error("{label:?} was not live at {at}: {why}")]
    NotLiveAt {
        /// What was asked for.
        label: String,
        /// When.
        at: String,
        /// What was the matter.
        why: String,
    },
    /// A value outside what a field takes.
    #[error("{value:?} is not {}", with_article(what))]
    BadValue {
        /// The field.
        field: &'static str,
        /// What was given.
        value: String,
        /// What the field is.
        what: &'static str,
        /// What it takes.
        takes: Advice,
        /// The rule.
        rule: &'static str,
    },
    /// A required text is missing.
    #[error("`{field}` is missing")]
    Missing {
        /// The field.
        field: &'static str,
        /// What to give.
        give: Advice,
        /// The rule.
        rule: &'static str,
    },
    /// The disk stopped a call about many claims that had begun: what it did before stays, and the repeat completes it.
    #[error("{STOPPED_HALF_WAY} ({why})")]
    StoppedHalfWay {
        /// What the disk says.
        why: String,
        /// The disk has no space left.
        is_disk_full: bool,
    },
    /// A use case about brains refused.
    #[error(transparent)]
    Brain(Box<BrainError>),
    /// What a caller sets or says was refused.
    #[error(transparent)]
    Caller(Box<CallerError>),
    /// A use case about delegations refused.
    #[error(transparent)]
    Delegation(Box<DelegationError>),
    /// A promotion was refused.
    #[error(transparent)]
    Promotion(Box<PromotionError>),
    /// A use case that reads refused.
    #[error(transparent)]
    Read(Box<ReadError>),
    /// A use case that changes a claim or a boot key refused.
    #[error(transparent)]
    Write(Box<WriteError>),
    /// Another layer refused.
    #[error("{}", .0.message)]
    Other(Box<Fault>),
}

fn not_found(label: &str, place: &str, left: Option<&str>, renamed: Option<&Renamed>) -> String {
    match (renamed, left) {
        (Some(Renamed { to, by, day }), _) => {
            format!(
                "{label:?} was renamed to {to:?} by {by} on {day}, so nothing of that label is live in {place}"
            )
        }
        (None, Some(left)) => format!("{left}, so nothing of that label is live in {place}"),
        (None, None) => format!("no claim is called {label:?} in {place}"),
    }
}

/// `a tier`, `an outcome`.
fn with_article(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {what}")
}

fn brainless(lost: &Lost) -> String {
    match &lost.route {
        Route::Unbound { path: Some(path) } if lost.missing => {
            format!("`{}` is not a folder that exists", path.display())
        }
        Route::Brainless { root, .. } => format!("the project at `{}` has no brain yet", root.display()),
        Route::Unbound { path: Some(path) } => format!("`{}` is in no project with a brain", path.display()),
        Route::Unbound { path: None } => "the caller's place is not known".into(),
        Route::Broken { root, .. } => format!("the brain of `{}` cannot be read", root.display()),
        Route::Replaced { root, .. } => format!("the memory of `{}` is kept apart", root.display()),
        Route::Bound { .. } => "the caller is bound".into(),
    }
}

impl MemoryError {
    fn refusal(&self) -> Refusal {
        match self {
            Self::Brainless(lost) => {
                Refusal::new(codes::MEMORY_BRAINLESS_ROOT, way_to_a_brain(lost)).rule("MEM-15")
            }
            Self::Replaced(replacement) => {
                Refusal::new(replacement.code(), replacement.fix()).rule(replacement.rule())
            }
            Self::NeverAProject { .. } => Refusal::new(
                codes::MEMORY_NOT_A_PROJECT,
                advice!["choose the folder of one project: ", calls::bootstrap_at(calls::PATH)],
            )
            .field("path")
            .rule("MEM-17"),
            Self::RootMissing(_) => Refusal::new(codes::MEMORY_ROOT_MISSING, "give a folder that exists")
                .field("path")
                .rule("MEM-17"),
            Self::NotFound { label, place, near, in_medulla, left, renamed } => {
                let fix = match renamed {
                    Some(renamed) => format!("give its label now: {:?}", renamed.to).into(),
                    None if *in_medulla => advice![
                        "the medulla has one of that label: repeat with ",
                        field("tier").is("medulla")
                    ],
                    None if left.is_some() => {
                        let tier = (place == "the medulla").then_some("medulla");
                        advice![calls::show_in(label, tier), " tells what became of it"]
                    }
                    None if near.is_empty() => advice![
                        calls::seek(label),
                        " finds claims by what they say; ",
                        calls::list(),
                        " shows the labels that exist"
                    ],
                    None => {
                        let near: Vec<_> = near.iter().map(|label| format!("{label:?}")).collect();
                        format!("did you mean {}?", near.join(" or ")).into()
                    }
                };
                Refusal::new(codes::CLAIM_NOT_FOUND, fix).field("label")
            }
            Self::Unreadable(bad) => {
                let fix = match (bad.merge_anew(), bad.why.ends_with("conflict markers")) {
                    (Some(fix), _) => fix,
                    (None, true) => advice![
                        "decide between the versions: ",
                        calls::resolve(),
                        " lists them, ",
                        calls::resolve_take(calls::LABEL, calls::SIDE),
                        " decides"
                    ],
                    (None, false) => {
                        format!("open `{}`, repair it or move it aside, then repeat", bad.path.display())
                            .into()
                    }
                };
                Refusal::new(codes::CLAIM_UNREADABLE, fix).rule("MEM-6")
            }
            Self::Quota { .. } => Refusal::new(
                codes::MEMORY_QUOTA,
                "wait for the next minute, and look for a loop; many claims at once go into one batch",
            )
            .rule("MEM-50"),
            Self::NotLiveAt { .. } => {
                Refusal::new(codes::CLAIM_NOT_FOUND, "show it without a time to see every version")
                    .field("at")
                    .rule("MEM-48")
            }
            Self::BadValue { field, takes, rule, .. } => {
                Refusal::new(codes::INPUT_BAD_VALUE, advice!["give ", takes]).field(*field).rule(rule)
            }
            Self::Missing { field, give, rule } => {
                // Each door has its own name for the field.
                let names_it = give.parts().iter().any(|part| matches!(part, AdvicePart::Field(_)));
                let fix = match names_it {
                    true => advice!["give ", give],
                    false => advice!["give `", next::field(field), "`: ", give],
                };
                Refusal::new(codes::INPUT_MISSING, fix).field(*field).rule(rule)
            }
            Self::StoppedHalfWay { is_disk_full, .. } => {
                let see_to = match is_disk_full {
                    true => "free some space on that disk",
                    false => "see to what the disk says",
                };
                let fix = advice![see_to, ", then repeat the call, which completes it"];
                Refusal::new(codes::STORE_UNCONFIRMED, fix).rule("MEM-13b")
            }
            Self::Brain(error) => Refusal::of(&**error),
            Self::Caller(error) => Refusal::of(&**error),
            Self::Delegation(error) => Refusal::of(&**error),
            Self::Promotion(error) => Refusal::of(&**error),
            Self::Read(error) => Refusal::of(&**error),
            Self::Write(error) => Refusal::of(&**error),
            Self::Other(fault) => {
                let Fault { code, message: _, fix, field, rule } = &**fault;
                Refusal { code: *code, fix: fix.clone(), field: field.clone(), rule: *rule }
            }
        }
    }
}

coded_by_refusal!(MemoryError);

/// How a caller without a brain comes to one.
fn way_to_a_brain(lost: &Lost) -> Advice {
    if let Some(orphan) = &lost.orphan {
        return advice![orphan.sentence(), "; ", orphan.fix()];
    }
    // Plain `bootstrap` would be refused there.
    if let Some(fix) = &lost.lost_worktree {
        return fix.clone();
    }
    match &lost.route {
        Route::Brainless { root, .. } => advice!["call bootstrap once: ", calls::bootstrap_at(root)],
        // Over HTTP alone is a caller nowhere.
        Route::Unbound { path: None } => advice![
            "say where you stand with ",
            Advice::root(),
            " and the project's folder; one that has no brain yet gets it from ",
            calls::bootstrap_at(calls::PATH)
        ],
        Route::Unbound { .. } | Route::Broken { .. } | Route::Replaced { .. } | Route::Bound { .. } => {
            let near = lost.near.as_ref().map(|brain| {
                let root = shell_word(&brain.root.display().to_string());
                format!("; the nearest that has a brain is {root}")
            });
            advice![
                calls::bootstrap_at(calls::PATH),
                " gives the project at PATH a brain; one that has a brain is named with ",
                Advice::root(),
                near.unwrap_or_default()
            ]
        }
    }
}

macro_rules! family {
    ($($variant:ident($ty:ty)),* $(,)?) => {
        $(impl From<$ty> for MemoryError {
            fn from(error: $ty) -> Self {
                Self::$variant(Box::new(error))
            }
        })*
    };
}

family!(
    Brain(BrainError),
    Caller(CallerError),
    Delegation(DelegationError),
    Promotion(PromotionError),
    Read(ReadError),
    Write(WriteError),
);

macro_rules! other {
    ($($ty:ty),*) => {
        $(impl From<$ty> for MemoryError {
            fn from(error: $ty) -> Self {
                Self::Other(Box::new(error.into()))
            }
        })*
    };
}

other!(
    HygieneFault,
    NameFault,
    AgentIdFault,
    ConfigError,
    decide::DecisionRefusal,
    ClaimDraftFault,
    LabelFault,
    ReportFault,
    ConfidenceFault,
    StateFault,
    StoreError
);

impl From<WriteFault<MemoryError>> for MemoryError {
    fn from(fault: WriteFault<MemoryError>) -> Self {
        match fault {
            WriteFault::Refused(refusal) => refusal,
            WriteFault::Unreadable(bad) => Self::Unreadable(bad),
            WriteFault::Store(error) => error.into(),
        }
    }
}

impl From<WriteFault<Infallible>> for MemoryError {
    fn from(fault: WriteFault<Infallible>) -> Self {
        match fault {
            WriteFault::Refused(never) => match never {},
            WriteFault::Unreadable(bad) => Self::Unreadable(bad),
            WriteFault::Store(error) => error.into(),
        }
    }
}

impl MemoryError {
    /// The same error of a call about many claims that had begun: what it did before stays, and the repeat completes it.
    pub fn stopped_half_way(self) -> Self {
        let stops = [
            codes::STORE_NO_SPACE,
            codes::STORE_READ_ONLY,
            codes::STORE_FAILED,
            codes::STORE_UNREADABLE,
            codes::STORE_UNCONFIRMED,
        ];
        match self {
            Self::Other(fault)
                if stops.contains(&fault.code) && !fault.message.starts_with(STOPPED_HALF_WAY) =>
            {
                let is_disk_full = fault.code == codes::STORE_NO_SPACE;
                Self::StoppedHalfWay { why: fault.message, is_disk_full }
            }
            other => other,
        }
    }
}

impl From<Fault> for MemoryError {
    fn from(fault: Fault) -> Self {
        Self::Other(Box::new(fault))
    }
}

//! Why a use case that changes a claim or a boot key is refused.

use brainstem_base::next::{calls, field};
use brainstem_base::{Advice, Coded as _, Refusal, advice, coded_by_refusal, codes};
use brainstem_claims::{ClaimSlug, decide};

/// What a forget cannot delete.
pub(crate) const ELSEWHERE: &str = "git, backups, exports and other machines keep the copies they have";

/// A refusal of a use case that changes a claim or a boot key.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Only doctrine can be absolute.
    #[error("only doctrine can be absolute, and this claim is for your project")]
    AbsoluteInProject,
    /// The live version is not the one that the caller saw.
    #[error("{label:?} was changed by someone else meanwhile")]
    ChangedMeanwhile {
        /// The claim's label.
        label: String,
    },
    /// An editor gave back another heading.
    #[error("the heading is the label, and was changed")]
    HeadingChanged,
    /// An editor gave back a line that would be read as no text.
    #[error("a line of the text reads as a marker")]
    ReadsAsMarker,
    /// An editor gave back nothing.
    #[error("the file came back empty, so nothing was changed")]
    CameBackEmpty,
    /// The project lacks a claim that the medulla has.
    #[error("{not_found}")]
    InMedullaAlone {
        /// That no claim of the project has the label.
        not_found: String,
    },
    /// The claim was written here, and the checkout lacks it.
    #[error("{label:?} was written in {place} and is not in this checkout")]
    NotInCheckout {
        /// Its label.
        label: String,
        /// Where it was looked for.
        place: String,
        /// How it comes back.
        fix: Advice,
    },
    /// A decision is a version that waits, or a text of the caller's own.
    #[error("`take` and `text` were both given, and a decision has one of them")]
    TakeAndText,
    /// The claim has one version.
    #[error("nothing waits for a decision about {label:?}")]
    NothingWaits {
        /// Its label.
        label: String,
    },
    /// No version that waits has this name or author.
    #[error("{take:?} is none of the versions that wait")]
    NoSuchVersion {
        /// What was given, shortened.
        take: String,
        /// The names of the versions.
        versions: Vec<&'static str>,
    },
    /// Several versions that wait have this author.
    #[error("{take:?} wrote {} of the versions that wait", versions.len())]
    SeveralVersions {
        /// What was given, shortened.
        take: String,
        /// The names of the versions.
        versions: Vec<&'static str>,
        /// In what they differ.
        differences: Vec<String>,
    },
    /// The new label of a claim is another claim's.
    #[error("{taken}")]
    LabelTaken {
        /// Which label and slug is taken.
        taken: decide::DecisionRefusal,
        /// The label of the claim that has it.
        holder: String,
        /// The slug of that claim.
        slug: ClaimSlug,
    },
    /// No boot key has this name.
    #[error("no boot key of the {tier} is called {key:?}")]
    NoBootKey {
        /// The tier that was looked through.
        tier: &'static str,
        /// What was given.
        key: String,
        /// The other tier, if it has the key.
        elsewhere: Option<&'static str>,
    },
    /// Several claims have this id.
    #[error("{} claims have the id {id:?}: {}", labels.len(), labels.join(", "))]
    SeveralOfId {
        /// What was given.
        id: String,
        /// Their labels, quoted, without secrets.
        labels: Vec<String>,
    },
    /// A forget has to be confirmed.
    #[error("{}", forget_unconfirmed(label, place, *is_live, *version_count, also))]
    ForgetUnconfirmed {
        /// The claim's label.
        label: String,
        /// Where it would be deleted.
        place: String,
        /// A live claim would go.
        is_live: bool,
        /// How many versions of its history would go.
        version_count: usize,
        /// What else there is to know, each as a sentence without its end.
        also: Vec<String>,
    },
}

fn forget_unconfirmed(
    label: &str,
    place: &str,
    is_live: bool,
    version_count: usize,
    also: &[String],
) -> String {
    let live = if is_live { "the live claim" } else { "no live claim" };
    let versions = match version_count {
        1 => "1 version".to_owned(),
        count => format!("{count} versions"),
    };
    let message = format!(
        "this would delete {live} and {versions} of the history of {label:?} in {place} for good, and nothing could bring them back"
    );
    also.iter().fold(message, |message, also| format!("{message}; {also}"))
}

impl WriteError {
    fn refusal(&self) -> Refusal {
        let bad = |fix: Advice| Refusal::new(codes::INPUT_BAD_VALUE, fix);
        let not_found = |fix: Advice| Refusal::new(codes::CLAIM_NOT_FOUND, fix).field("label");
        match self {
            Self::AbsoluteInProject => bad(advice![
                "add ",
                field("tier").is("medulla"),
                " to write doctrine for every project, or leave `",
                field("doctrine"),
                "` out"
            ])
            .field("doctrine")
            .rule("MEM-29"),
            Self::ChangedMeanwhile { .. } => {
                Refusal::new(codes::CLAIM_CHANGED, "look at what it says now, then write again")
                    .field("label")
                    .rule("MEM-48")
            }
            Self::HeadingChanged => {
                bad("leave it as it was; rename changes a label".into()).field("text").rule("MEM-48")
            }
            Self::ReadsAsMarker => {
                bad("write a backslash before it, or use memorize to change confidence or evidence".into())
                    .field("text")
                    .rule("MEM-48")
            }
            Self::CameBackEmpty => {
                Refusal::new(codes::INPUT_MISSING, "to take a claim back use retract, to delete it forget")
                    .field("text")
            }
            Self::InMedullaAlone { .. } => {
                not_found("the medulla has it: repeat with tier medulla".into()).rule("MEM-33")
            }
            Self::NotInCheckout { fix, .. } => not_found(fix.clone()).rule("MEM-2"),
            Self::TakeAndText => bad(advice![
                "give `",
                field("take"),
                "` for a version that waits, or `",
                field("text"),
                "` for one of your own, and leave the other out"
            ])
            .field("take")
            .rule("MEM-49"),
            Self::NothingWaits { label } => not_found(advice![
                calls::resolve(),
                " lists what does; ",
                calls::show(label),
                " shows this claim"
            ])
            .rule("MEM-49"),
            Self::NoSuchVersion { versions, .. } => {
                let versions = versions.join(", ");
                bad(format!("give one of {versions}, or the agent id of the one version's author").into())
                    .field("take")
                    .rule("MEM-49")
            }
            Self::SeveralVersions { versions, differences, .. } => {
                let (versions, differences) = (versions.join(", "), differences.join(", "));
                bad(format!("give one of {versions}; they differ in {differences}").into())
                    .field("take")
                    .rule("MEM-49")
            }
            Self::LabelTaken { taken, holder, slug } => Refusal::new(
                taken.code(),
                advice![
                    "choose another label; {holder:?} is a claim of its own, which ",
                    calls::show(slug.as_str()),
                    " shows"
                ],
            )
            .field("to")
            .rule("MEM-8"),
            Self::NoBootKey { key, elsewhere, .. } => {
                let fix = match elsewhere {
                    Some(other) => {
                        advice!["that key is one of the {other}: ", calls::boot_delete(key, other)]
                    }
                    None => advice!["see `", calls::boot_list(), "` for the keys that exist"],
                };
                Refusal::new(codes::BOOT_NOT_FOUND, fix).field("key")
            }
            Self::SeveralOfId { .. } => bad(
                "give the label of the one that is meant; where a label is the id itself, rename the other claim first".into(),
            )
            .field("label")
            .rule("MEM-8"),
            Self::ForgetUnconfirmed { .. } => Refusal::new(
                codes::CLAIM_FORGET_UNCONFIRMED,
                advice![
                    "repeat with ",
                    field("confirm").set(),
                    " if that is meant; {ELSEWHERE}; retract keeps it in history instead"
                ],
            )
            .field("confirm")
            .rule("MEM-48"),
        }
    }
}

coded_by_refusal!(WriteError);

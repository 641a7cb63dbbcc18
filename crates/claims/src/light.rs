//! The bytes of a claim file: a header of `Key: value` lines between fences, then a Markdown body.
//!
//! A file is kept as it was found, line by line, so that stamping one header value changes that line and nothing else.
//! [`crate::claim`] reads what the lines mean.

mod body;
mod escape;
mod file;

pub(crate) use body::trim_blank_lines;
pub use body::{BodyMarker, ClaimBody, ClaimKind};
pub use escape::{escape, unescape};
pub use file::{LightFile, ParseFault, has_conflict_markers};

/// The keys this program knows, in the order it writes them.
pub mod keys {
    /// `L1GHT/1.0`.
    pub const PROTOCOL: &str = "Protocol";
    /// The label.
    pub const NODE: &str = "Node";
    /// authored, verified or outdated.
    pub const STATE: &str = "State";
    /// Birth stamp of this version, in ms.
    pub const CREATED: &str = "Created";
    /// The agent that wrote it.
    pub const SOURCE_AGENT: &str = "Source-Agent";
    /// The agent that put it on record, if that is not its author, or not the day of its birth.
    pub const RECORDED_BY: &str = "Recorded-By";
    /// When it was put on record, in ms.
    pub const RECORDED_AT: &str = "Recorded-At";
    /// The brain it was written in.
    pub const ORIGIN_BRAIN: &str = "Origin-Brain";
    /// Comma-separated.
    pub const TAGS: &str = "Tags";
    /// What was written together.
    pub const GROUP: &str = "Group";
    /// `absolute`, or absent.
    pub const DOCTRINE: &str = "Doctrine";
    /// `<slug>@<ms>` of the version before.
    pub const SUPERSEDES: &str = "Supersedes";
    /// The versions it was written over, as `<ms>-<12 hex>`, youngest first.
    pub const FOLLOWS: &str = "Follows";
    /// On a witness: the medulla copy.
    pub const PROMOTED_TO: &str = "Promoted-To";
    /// On a medulla copy: the witness.
    pub const ORIGIN_CLAIM: &str = "Origin-Claim";
    /// On a medulla copy: the witness's birth stamp.
    pub const ORIGIN_CREATED: &str = "Origin-Created";
    /// On a medulla copy: the agent that promoted it.
    pub const PROMOTED_BY: &str = "Promoted-By";
    /// On a medulla copy: why.
    pub const PROMOTION_REASON: &str = "Promotion-Reason";
    /// On a medulla copy: the ground it qualifies on.
    pub const PROMOTION_GROUND: &str = "Promotion-Ground";

    /// The order of writing.
    pub const ORDER: &[&str] = &[
        PROTOCOL,
        NODE,
        STATE,
        CREATED,
        SOURCE_AGENT,
        RECORDED_BY,
        RECORDED_AT,
        ORIGIN_BRAIN,
        TAGS,
        GROUP,
        DOCTRINE,
        SUPERSEDES,
        FOLLOWS,
        PROMOTED_TO,
        ORIGIN_CLAIM,
        ORIGIN_CREATED,
        PROMOTED_BY,
        PROMOTION_REASON,
        PROMOTION_GROUND,
    ];
}

/// The protocol line this program writes.
pub const PROTOCOL: &str = "L1GHT/1.0";

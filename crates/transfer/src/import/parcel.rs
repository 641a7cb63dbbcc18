//! What is imported, as it was read: the files and acts that go into one store.

use brainstem_claims::act::Act;
use brainstem_claims::merge::says_the_same;
use brainstem_claims::undecided_file::sides;
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_vault::boot::BootValue;
use brainstem_vault::history::{ExitReason, parse_version_name};
use brainstem_vault::scan::CLAIM_SUFFIX;

/// The largest export that is read.
pub(super) const EXPORT_LEN_MAX: u64 = 1024 * 1024 * 1024;

/// What to do about a file that is no claim.
pub(super) const MEND: &str = "mend the file, then repeat the import";

/// One file of what is imported.
pub(super) struct ImportFile {
    pub(super) name: String,
    pub(super) at: At,
    pub(super) bytes: Vec<u8>,
    /// It is kept, and is no version of its own: it differs from another file of its version by the stamp of a promotion,
    /// or from the live file of its version by what a decision made that one follow.
    pub(super) is_stamp: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Live,
    Past(ExitReason),
}

/// What goes into one store.
#[derive(Default)]
pub(super) struct Parcel {
    pub(super) items: Vec<ImportFile>,
    pub(super) acts: Vec<Act>,
    /// Boot keys, each with its value.
    pub(super) boot_keys: Vec<(String, BootValue)>,
    pub(super) rule: Rule,
    /// Whether the store is one of several clones of this home, so that its brain's name does not say which.
    pub(super) is_of_clone: bool,
}

/// What a live claim that is brought in does to another one that is live here. One that was born earlier goes into
/// history: in the place of the live one it would need a new birth, and an old word would pass for a new one. One that
/// was not born earlier supersedes a claim that is not stronger.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Rule {
    /// Without a birth it counts as later.
    #[default]
    Usual,
    /// Both are versions of one brain: without a birth it counts as earlier.
    OneBrain,
}

impl Rule {
    /// Whether the live claim stays, and the one that is brought in belongs into its history.
    pub(super) fn keeps(self, live: &Claim, given: &Claim) -> bool {
        let is_earlier = match self {
            Self::Usual => given.created.is_some() && live.created > given.created,
            Self::OneBrain => live.created > given.created,
        };
        is_earlier && live.label == given.label && !says_the_same(live, given) && !given.follows(live)
    }
}

/// The versions of an item that wait for a decision, and the name of their file; `None` for any other item.
pub(super) fn undecided(item: &ImportFile) -> Option<(ClaimSlug, Vec<Claim>)> {
    let versions = sides(&item.bytes).filter(|_| item.at == At::Live)?;
    let of_label = || Label::parse(&versions[0].label).ok().map(|label| ClaimSlug::of(&label));
    // The versions of one file may have two labels.
    let slug = item.name.strip_suffix(CLAIM_SUFFIX).and_then(ClaimSlug::parse).or_else(of_label)?;
    Some((slug, versions))
}

/// The versions of a file of an import, each with the name under which it goes into a store; nothing for what is no claim.
pub(super) fn named_versions(item: &ImportFile) -> Vec<(ClaimSlug, Claim)> {
    if let Some((slug, versions)) = undecided(item) {
        return versions.into_iter().map(|claim| (slug.clone(), claim)).collect();
    }
    let Ok(claim) = Claim::parse(&item.bytes) else { return Vec::new() };
    let of_label = || Label::parse(&claim.label).ok().map(|label| ClaimSlug::of(&label));
    let slug = match item.at {
        At::Past(_) => parse_version_name(&item.name).map(|(slug, _)| slug).or_else(of_label),
        At::Live => of_label(),
    };
    slug.map(|slug| (slug, claim)).into_iter().collect()
}

//! How acts and headers name versions, claims, brains and tombstones: each form is read and written only here.

use crate::{Claim, ClaimSlug};
use brainstem_base::{AgentId, Timestamp, hash};
use std::fmt;

/// One version of a claim: `<slug>@<ms>`, or `<slug>` for a version that does not say when it was born.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionRef {
    /// The slug that the claim had when the version was named.
    pub slug: ClaimSlug,
    /// When the version was born.
    pub created: Option<Timestamp>,
}

impl VersionRef {
    /// The version of this slug that was born then.
    pub fn new(slug: &ClaimSlug, created: Option<Timestamp>) -> Self {
        Self { slug: slug.clone(), created }
    }

    /// The version of a claim under a slug.
    pub fn of(slug: &ClaimSlug, claim: &Claim) -> Self {
        Self::new(slug, claim.created)
    }

    /// Reads the form that [`Display`](fmt::Display) writes; `None` for every other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (slug, created) = match text.split_once('@') {
            Some((slug, ms)) => (slug, Some(Timestamp::from_ms(ms.parse().ok()?))),
            None => (text, None),
        };
        Some(Self { slug: ClaimSlug::parse(slug)?, created }).filter(|read| read.to_string() == text)
    }

    /// The same version under another slug.
    #[must_use]
    pub fn under(&self, slug: &ClaimSlug) -> Self {
        Self::new(slug, self.created)
    }
}

impl fmt::Display for VersionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.created {
            Some(created) => write!(f, "{}@{}", self.slug, created.ms()),
            None => write!(f, "{}", self.slug),
        }
    }
}

/// A text that names a version and perhaps more: the subject of an act upon a version, or a field of an act.
///
/// Any text can be read, because other programs write logs too. It stays as it is, and may name no version. The first
/// word names the version, and `#<n>` behind it counts how often the version came back to a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mention {
    text: String,
    version: Option<VersionRef>,
}

impl Mention {
    /// Reads any text.
    pub fn read(text: &str) -> Self {
        let word = text.split(' ').next().unwrap_or(text);
        let version = word.split('#').next().and_then(VersionRef::parse);
        Self { text: text.to_owned(), version }
    }

    /// A mention of a version that came back to its name so many times before.
    pub fn returned(version: VersionRef, returns: usize) -> Self {
        let nth = if returns == 0 { String::new() } else { format!("#{returns}") };
        Self { text: format!("{version}{nth}"), version: Some(version) }
    }

    /// A mention of what an agent says about a version at a time. The second word makes each such act unique.
    pub fn said(version: VersionRef, by: &AgentId, at: Timestamp) -> Self {
        Self { text: format!("{version} by:{by}:{}", at.ms()), version: Some(version) }
    }

    /// A version that a migration moves. The digest names exactly its bytes: an edited file is another version.
    pub fn in_migration(version: VersionRef, number: u64, digest: &str) -> Self {
        Self { text: format!("{version} {}:{digest}", MigrationRef(number)), version: Some(version) }
    }

    /// The same words about this version, which has another name now.
    #[must_use]
    pub fn of_version(&self, version: VersionRef) -> Self {
        let rest = self.rest().map(|rest| format!(" {rest}")).unwrap_or_default();
        Self { text: format!("{version}{rest}"), version: Some(version) }
    }

    /// The text as it is.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The version that it names; `None` if it names none.
    pub fn version(&self) -> Option<&VersionRef> {
        self.version.as_ref()
    }

    /// The slug of the version that it names.
    pub fn slug(&self) -> Option<&ClaimSlug> {
        self.version.as_ref().map(|version| &version.slug)
    }

    /// The first word, whether it names a version or not.
    pub fn first_word(&self) -> &str {
        self.text.split(' ').next().unwrap_or(&self.text)
    }

    /// What is behind the first word.
    pub fn rest(&self) -> Option<&str> {
        self.text.split_once(' ').map(|(_, rest)| rest)
    }

    /// Whether it names this version and nothing more.
    pub fn is_just(&self, version: &VersionRef) -> bool {
        self.version.as_ref() == Some(version) && self.text == version.to_string()
    }

    /// Whether an agent said it about this version.
    pub fn is_said_of(&self, version: &VersionRef) -> bool {
        self.version.as_ref() == Some(version) && self.rest().is_some_and(|rest| rest.starts_with("by:"))
    }
}

impl From<VersionRef> for Mention {
    fn from(version: VersionRef) -> Self {
        Self { text: version.to_string(), version: Some(version) }
    }
}

impl fmt::Display for Mention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A claim of a brain: `<name>@<8 hex>#<slug>`, or `medulla#<slug>`. Any text can be read, and stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClaimRef(String);

impl ClaimRef {
    /// The claim of this slug in the brain that is called so.
    pub fn new(brain: &str, slug: &ClaimSlug) -> Self {
        Self(format!("{brain}#{slug}"))
    }

    /// Reads any text.
    pub fn read(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text as it is.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The brain and the slug; `None` unless the text names both.
    pub fn parts(&self) -> Option<(&str, ClaimSlug)> {
        let (brain, slug) = self.0.rsplit_once('#')?;
        Some((brain, ClaimSlug::parse(slug)?))
    }
}

impl fmt::Display for ClaimRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The identity of a brain, as its manifest has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BrainId(String);

impl BrainId {
    /// Takes an identity as it is written.
    pub fn new(id: impl fmt::Display) -> Self {
        Self(id.to_string())
    }

    /// The identity as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BrainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A migration, by its number: `migration:<n>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MigrationRef(pub u64);

impl MigrationRef {
    /// Reads the form that [`Display`](fmt::Display) writes; `None` for every other text.
    pub fn parse(text: &str) -> Option<Self> {
        let number = text.strip_prefix("migration:")?.parse().ok()?;
        Some(Self(number)).filter(|read| read.to_string() == text)
    }
}

impl fmt::Display for MigrationRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "migration:{}", self.0)
    }
}

/// The name of a forgotten slug from then on.
pub fn tombstone_name(slug: &ClaimSlug) -> String {
    format!("forgotten-{}", hash::sha256_hex(slug.as_str().as_bytes(), 16))
}

/// A tombstone: the name of the forgotten slug, `@`, and 16 hex digits over the hashes of what was deleted. Any text
/// can be read, and stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TombstoneRef(String);

impl TombstoneRef {
    /// The tombstone of a slug, with the hashes of the deleted files.
    pub fn new<'a>(slug: &ClaimSlug, deleted: impl IntoIterator<Item = &'a String>) -> Self {
        let all = deleted.into_iter().cloned().collect::<Vec<_>>().join("\n");
        Self(format!("{}@{}", tombstone_name(slug), hash::sha256_hex(all.as_bytes(), 16)))
    }

    /// Reads any text.
    pub fn read(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text as it is.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the forgotten slug.
    pub fn name(&self) -> &str {
        self.0.split('@').next().unwrap_or(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn version(text: &str) -> Option<(String, Option<i64>)> {
        VersionRef::parse(text).map(|read| (read.slug.to_string(), read.created.map(Timestamp::ms)))
    }

    #[test] // spec: MEM-3c
    fn a_version_is_read_in_the_one_form_it_is_written_in() {
        let known = |slug: &str, ms| Some((slug.to_owned(), ms));
        let table = [
            ("cache@5", known("cache", Some(5))),
            ("cache", known("cache", None)),
            ("forgotten-3369a9ba4560a48e@0", known("forgotten-3369a9ba4560a48e", Some(0))),
            ("", None),
            ("@5", None),
            ("cache@", None),
            ("cache@05", None),
            ("cache@-5", None),
            ("cache@5@6", None),
            ("cache@5#1", None),
            ("cache@99999999999999999", None),
            ("Cache@5", None),
            ("cache @5", None),
        ];
        for (text, expected) in table {
            assert_eq!(version(text), expected, "{text:?}");
        }
    }

    #[test] // spec: MEM-3c, MEM-48
    fn a_mention_keeps_its_text_and_names_the_version_of_its_first_word() {
        let slug = ClaimSlug::parse("cache").unwrap();
        let cache = VersionRef::new(&slug, Some(Timestamp::from_ms(5)));
        let ana = AgentId::parse("human:ana").unwrap();
        let said = Mention::said(cache.clone(), &ana, Timestamp::from_ms(9));
        assert_eq!(said.as_str(), "cache@5 by:human:ana:9");
        assert_eq!(Mention::returned(cache.clone(), 0).as_str(), "cache@5");
        assert_eq!(Mention::returned(cache.clone(), 2).as_str(), "cache@5#2");
        let moved = Mention::in_migration(cache.clone(), 3, "0a1b2c3d4e5f");
        assert_eq!(moved.as_str(), "cache@5 migration:3:0a1b2c3d4e5f");
        for mention in [said.clone(), Mention::returned(cache.clone(), 2), moved, cache.clone().into()] {
            assert_eq!(Mention::read(mention.as_str()), mention);
            assert_eq!(mention.version(), Some(&cache), "{mention}");
            assert_eq!(mention.is_just(&cache), mention.as_str() == "cache@5");
        }
        assert!(said.is_said_of(&cache) && !said.is_said_of(&cache.under(&ClaimSlug::parse("x").unwrap())));
        assert_eq!((said.first_word(), said.rest()), ("cache@5", Some("by:human:ana:9")));
        let store = cache.under(&ClaimSlug::parse("store").unwrap());
        assert_eq!(said.of_version(store.clone()), Mention::said(store.clone(), &ana, Timestamp::from_ms(9)));
        assert_eq!(Mention::from(cache).of_version(store).as_str(), "store@5");
        for odd in ["", "What?", "cache@x", " cache@5", "a@b@c d"] {
            assert_eq!((Mention::read(odd).as_str(), Mention::read(odd).version()), (odd, None));
        }
    }

    #[test] // spec: MEM-34
    fn a_claim_of_a_brain_is_read_from_behind() {
        let slug = ClaimSlug::parse("retry-policy").unwrap();
        let read = ClaimRef::new("cherry#2@0a1b2c3d", &slug);
        assert_eq!(read.as_str(), "cherry#2@0a1b2c3d#retry-policy");
        assert_eq!(read.parts(), Some(("cherry#2@0a1b2c3d", slug)));
        assert_eq!(ClaimRef::read("somewhere").parts(), None);
        assert_eq!(ClaimRef::read("cherry@0a1b2c3d#Not a slug").parts(), None);
    }

    #[test] // spec: MEM-42
    fn a_migration_is_named_by_its_number() {
        assert_eq!(MigrationRef::parse("migration:12"), Some(MigrationRef(12)));
        for odd in ["migration:", "migration:012", "migration:+1", "Migration:1", "12"] {
            assert_eq!(MigrationRef::parse(odd), None, "{odd:?}");
        }
    }

    proptest! {
        #[test] // spec: MEM-3c
        fn whatever_is_read_as_a_version_is_written_the_same(text in "[a-z0-9-]{0,6}@?-?[0-9]{0,15}#?[0-9]{0,2}") {
            if let Some(read) = VersionRef::parse(&text) {
                prop_assert_eq!(read.to_string(), text);
            }
        }

        #[test] // spec: MEM-3c
        fn whatever_is_mentioned_stays_as_it_is(text in ".{0,40}") {
            let mention = Mention::read(&text);
            prop_assert_eq!(mention.as_str(), text.as_str());
            if let Some(version) = mention.version() {
                prop_assert!(text.starts_with(&version.to_string()));
            }
        }
    }
}

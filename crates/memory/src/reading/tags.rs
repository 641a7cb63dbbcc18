//! `tags`: the tags in use, each with how many live claims carry it.

use crate::caller::secrets::without_secrets;
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::reading::filter::{Filter, folded_tag, is_same_tag};
use crate::reading::list::ListRequest;
use crate::reading::tier::Tier;
use crate::service::Memory;
use brainstem_base::Advice;
use brainstem_base::near_names::is_near;
use brainstem_caller::Caller;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

/// How many tags an answer names that may have been meant.
const NEAR_TAGS_MAX: usize = 3;

/// A tag that live claims carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagInUse {
    /// The tag.
    pub tag: String,
    /// How many live claims carry it.
    pub claims: usize,
    /// The tag that is used more and differs from this one by its case alone.
    pub twin_of: Option<String>,
}

/// The tags of the stores that were asked.
#[derive(Clone, Debug, Default)]
pub struct TagsInUse {
    /// The tags, most used first, then by name.
    pub tags: Vec<TagInUse>,
    /// How many claims the stores hold that could be counted.
    pub memory_exists: usize,
    /// A store could not be counted: there may be more claims.
    pub uncounted: bool,
    /// What could not be read; its tags are not counted.
    pub gaps: Vec<Gap>,
}

impl Memory {
    /// Returns the tags of the claims that [`list`](Memory::list) shows. A claim that is in both stores counts once.
    pub fn tags(&self, caller: &Caller, tier: Tier) -> Result<TagsInUse, MemoryError> {
        let every = ListRequest { tier, limit: usize::MAX, filter: Filter::default(), cursor: None };
        let listed = self.list_names(caller, &every)?;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for tag in listed.rows.into_iter().flat_map(|row| row.tags) {
            *counts.entry(tag).or_default() += 1;
        }
        let mut tags: Vec<TagInUse> =
            counts.into_iter().map(|(tag, claims)| TagInUse { tag, claims, twin_of: None }).collect();
        tags.sort_by_key(|tag| Reverse(tag.claims));
        let mut first: HashMap<String, String> = HashMap::new();
        for tag in &mut tags {
            match first.entry(folded_tag(&tag.tag)) {
                Entry::Occupied(twin) => tag.twin_of = Some(twin.get().clone()),
                Entry::Vacant(place) => drop(place.insert(tag.tag.clone())),
            }
        }
        let (memory_exists, uncounted) = (listed.memory_exists, listed.uncounted);
        Ok(TagsInUse { tags, memory_exists, uncounted, gaps: listed.gaps })
    }

    /// Returns the tags in use that a tag which no claim carries may be a slip of, the most used first.
    pub fn near_tags(&self, caller: &Caller, tier: Tier, tag: &str) -> Result<Vec<String>, MemoryError> {
        Ok(near_among(&self.tags(caller, tier)?.tags, tag))
    }

    /// Returns a note for each of these tags that no claim carries and that may be a slip of tags in use. Tags that could
    /// not be read are not in use.
    pub fn tag_slips(&self, caller: &Caller, tags: &[String]) -> Vec<Advice> {
        if tags.is_empty() {
            return Vec::new();
        }
        let used = self.tags(caller, Tier::Both).map(|used| used.tags).unwrap_or_default();
        let slips = tags.iter().map(|tag| (tag, near_among(&used, tag))).filter(|(_, near)| !near.is_empty());
        let note = |(tag, near): (&String, Vec<String>)| {
            let near: Vec<String> = near.iter().map(|tag| format!("{tag:?}")).collect();
            let tag = without_secrets(tag.trim_start_matches('#'));
            format!("no claim had the tag {tag:?} before: did you mean {}?", near.join(" or ")).into()
        };
        slips.map(note).collect()
    }
}

/// The tags in use that a tag which no claim carries may be a slip of.
fn near_among(used: &[TagInUse], tag: &str) -> Vec<String> {
    let tag = tag.trim().trim_start_matches('#');
    if used.iter().any(|used| is_same_tag(&used.tag, tag)) {
        return Vec::new();
    }
    let near = used.iter().map(|used| &used.tag).filter(|used| is_near(tag, used));
    near.take(NEAR_TAGS_MAX).cloned().collect()
}

//! `list`: every live claim, youngest first.

use crate::caller::secrets::Floor;
use crate::error::MemoryError;
use crate::gap::Gap;
use crate::limits::RETRIES;
use crate::reading::evidence::EvidenceRoots;
use crate::reading::feed::changed_meanwhile;
use crate::reading::filter::Filter;
use crate::reading::row::{Row, Why};
use crate::reading::shared_rows;
use crate::reading::tier::Tier;
use crate::reading::withheld::unnamed;
use crate::service::Memory;
use brainstem_base::{Timestamp, hash};
use brainstem_caller::Caller;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_vault::scan::{CLAIM_SUFFIX, StoredClaim};
use std::collections::HashSet;

/// What to list.
#[derive(Clone, Debug)]
pub struct ListRequest {
    /// Which stores; all brains at once cannot be listed.
    pub tier: Tier,
    /// How many rows, at most.
    pub limit: usize,
    /// Which of their claims.
    pub filter: Filter,
    /// Go on behind the row that an earlier answer ended with, as it said.
    pub cursor: Option<String>,
}

/// Whether the evidence of rows is compared with its files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListedEvidence {
    LookedAt,
    LeftAlone,
}

/// The claims of the stores that were asked.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    /// The rows, project first, each store youngest first.
    pub rows: Vec<Row>,
    /// How many readable claims the limit left out.
    pub left_out: usize,
    /// The cursor to go on from, if it left some out.
    pub cursor: Option<String>,
    /// How many claims the stores hold that could be counted.
    pub memory_exists: usize,
    /// A store could not be counted: there may be more, even if none was counted.
    pub uncounted: bool,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

impl Memory {
    /// Lists live claims, each with what became of its evidence.
    pub fn list(&self, caller: &Caller, request: &ListRequest) -> Result<Listed, MemoryError> {
        self.list_with(caller, request, ListedEvidence::LookedAt)
    }

    /// The same without a look at evidence, for a caller that reads every claim and shows a few.
    pub fn list_names(&self, caller: &Caller, request: &ListRequest) -> Result<Listed, MemoryError> {
        self.list_with(caller, request, ListedEvidence::LeftAlone)
    }

    fn list_with(
        &self,
        caller: &Caller,
        request: &ListRequest,
        evidence: ListedEvidence,
    ) -> Result<Listed, MemoryError> {
        if request.tier == Tier::AllBrains {
            return Err(MemoryError::BadValue {
                field: "tier",
                value: "all-brains".into(),
                what: "tier that can be listed",
                takes: "project or medulla; to look into every brain at once, ask seek with tier all-brains"
                    .into(),
                rule: "MEM-22",
            });
        }
        self.at(caller).read_whole(
            |listed: &mut Listed| &mut listed.gaps,
            |memory| {
                for _ in 1..RETRIES {
                    let (listed, changed) = memory.list_once(caller, request, evidence)?;
                    if changed.is_none() {
                        return Ok(listed);
                    }
                }
                let (mut listed, changed) = memory.list_once(caller, request, evidence)?;
                listed.gaps.extend(changed);
                Ok(listed)
            },
        )
    }

    /// The list, and a gap if claims went between the look at the stores and the reading of their files.
    fn list_once(
        &self,
        caller: &Caller,
        request: &ListRequest,
        evidence: ListedEvidence,
    ) -> Result<(Listed, Option<Gap>), MemoryError> {
        let after = request.cursor.as_deref().map(ListCursor::parse).transpose()?;
        let mut last = None;
        let mut changed = None;
        let mut listed = Listed::default();
        let (now, floor) = (self.clock.now(), self.floor());
        let feeds = self.feeds(caller, request.tier)?;
        let roots = EvidenceRoots::of(self);
        listed.memory_exists = feeds.iter().map(|feed| feed.memory_exists()).sum::<usize>()
            - shared_rows::count(&feeds.iter().collect::<Vec<_>>());
        listed.uncounted = feeds.iter().any(|feed| feed.is_uncounted());
        for feed in &feeds {
            // A store that could not be read has said so.
            let scan = if feed.failed { Default::default() } else { feed.store.scan()? };
            let bad = scan.unreadable.iter().chain(&scan.folders);
            let bad = bad.filter_map(|bad| bad.path.file_name()?.to_str()?.strip_suffix(CLAIM_SUFFIX));
            let ids: HashSet<&str> = scan.claims.iter().map(|stored| stored.id.as_str()).chain(bad).collect();
            if !feed.failed && feed.has_lost(&ids) {
                changed = Some(changed_meanwhile(feed.name()));
            }
            let mut claims = scan.claims;
            claims.retain(|stored| request.filter.passes(&stored.claim));
            // A copy whose witness is listed is named in the row of the witness.
            claims.retain(|stored| {
                !feed.accounts_for(stored) || !feeds.iter().any(|other| other.has_witness_of(&stored.claim))
            });
            let is_medulla = feed.place == FilePlace::Medulla;
            let mut claims: Vec<(ListCursor, StoredClaim)> = claims
                .into_iter()
                .map(|stored| (ListCursor::at(&floor, is_medulla, &stored), stored))
                .collect();
            claims.sort_by(|(a, x), (b, y)| a.order(b).then_with(|| x.id.cmp(&y.id)));
            number_alike(&mut claims);
            claims.retain(|(at, _)| after.as_ref().is_none_or(|after| after.is_before(at)));
            let room = request.limit.saturating_sub(listed.rows.len());
            listed.left_out += claims.len().saturating_sub(room);
            let shown = claims.iter().take(room);
            last = shown.clone().next_back().map(|(at, _)| at.clone()).or(last);
            let mut rows: Vec<Row> =
                shown.map(|(_, stored)| Row::new(stored, feed.place, now, Why::Asked)).collect();
            feed.mark(&mut rows);
            if evidence == ListedEvidence::LookedAt {
                rows.iter_mut().for_each(|row| roots.mark(feed.root.as_deref(), row));
            }
            for other in &feeds {
                other.tell_shared(&mut rows);
            }
            listed.rows.extend(rows.into_iter().map(|row| unnamed(&floor, row)));
        }
        listed.gaps.extend(feeds.into_iter().flat_map(|feed| feed.gaps));
        listed.gaps.extend(self.unbound_gaps(caller, request.tier));
        listed.cursor = last.filter(|_| listed.left_out > 0).map(|last| last.to_string());
        Ok((listed, changed))
    }
}

/// A place in a list: behind this claim. Claims that are born meanwhile are in front of it, and nothing moves.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ListCursor {
    is_medulla: bool,
    created: Option<Timestamp>,
    /// The label, masked: a cursor is shown.
    label: String,
    /// What tells it from others of one birth and label.
    name: String,
}

/// Gives places that are alike without their secrets a number, so that each claim has a place of its own.
fn number_alike(claims: &mut [(ListCursor, StoredClaim)]) {
    let (mut before, mut alike) = (None, 0);
    for (at, _) in claims {
        alike = if before.as_ref() == Some(at) { alike + 1 } else { 0 };
        before = Some(at.clone());
        if alike > 0 {
            at.name = format!("{}#{alike:09}", at.name);
        }
    }
}

/// What tells a claim from every other of its store: its file and, of an unfinished merge, which side it is.
fn name_of(stored: &StoredClaim) -> String {
    let side = stored.side.map(|side| side.as_str()).unwrap_or_default();
    format!("{}/{side}", stored.id)
}

impl ListCursor {
    fn at(floor: &Floor, is_medulla: bool, stored: &StoredClaim) -> Self {
        let claim = &stored.claim;
        let label = floor.mask(&claim.label).into_owned();
        // The name of the file spells a label that is a secret in another way, and a hash of it would let a reader try
        // guesses: the hash is of what is left of the claim without its secrets.
        let name = match label == claim.label {
            true => name_of(stored),
            false => {
                let left = claim.file.render().replace(&claim.label, &label);
                hash::sha256_hex(floor.mask(&left).as_bytes(), 16)
            }
        };
        Self { is_medulla, created: claim.created, label, name }
    }

    /// The order of a list: project first, each store youngest first.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        let order = self.is_medulla.cmp(&other.is_medulla).then_with(|| other.created.cmp(&self.created));
        order.then_with(|| self.label.cmp(&other.label)).then_with(|| self.name.cmp(&other.name))
    }

    /// Whether another place is behind this one.
    fn is_before(&self, other: &Self) -> bool {
        self.order(other).is_lt()
    }

    fn parse(text: &str) -> Result<Self, MemoryError> {
        let read = || -> Option<Self> {
            let mut parts = text.split('.');
            let (store, created) = (parts.next()?, parts.next()?);
            let (label, name) = (unhexed(parts.next()?)?, unhexed(parts.next()?)?);
            let created = match created {
                "" => None,
                ms => Some(Timestamp::from_ms(ms.parse().ok().filter(|ms: &i64| *ms >= 0)?)),
            };
            let is_medulla = matches!(store, "m").then_some(true).or((store == "p").then_some(false))?;
            parts.next().is_none().then_some(Self { is_medulla, created, label, name })
        };
        read().ok_or_else(|| MemoryError::BadValue {
            field: "cursor",
            value: text.chars().take(80).collect(),
            what: "place in a list",
            takes: "the cursor of an earlier answer, as it was".into(),
            rule: "IF-12",
        })
    }
}

/// The text that these digits spell.
fn unhexed(digits: &str) -> Option<String> {
    let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = is_hex.then(|| digits.as_bytes().chunks(2))?.map(byte).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}

impl std::fmt::Display for ListCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let store = if self.is_medulla { "m" } else { "p" };
        let created = self.created.map(|at| at.ms().to_string()).unwrap_or_default();
        let (label, name) = (hash::hex(self.label.as_bytes()), hash::hex(self.name.as_bytes()));
        write!(f, "{store}.{created}.{label}.{name}")
    }
}

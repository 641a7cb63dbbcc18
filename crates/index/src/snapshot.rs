//! One store as it was at one moment, ready for questions.

use crate::document::{document_of, hash_of};
use crate::embedder::QuantisedVector;
use brainstem_base::disk::{FileStamp, Mapped};
use brainstem_claims::Claim;
use brainstem_recall::document::{ClaimForm, ReadStamp};
use brainstem_recall::scope::{DeletedDocs, SplitGroups, StoreSegments};
use brainstem_recall::segment::{Builder, Layout, Segment, VectorKind};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

/// The segment that processes share.
pub(crate) struct SharedSegment {
    pub(crate) mapped: Box<dyn Mapped>,
    pub(crate) layout: Layout,
    /// The stamp of the file when it was mapped.
    pub(crate) file_stamp: FileStamp,
}

impl SharedSegment {
    pub(crate) fn segment(&self) -> Segment<'_> {
        Segment::new(self.mapped.bytes(), &self.layout)
    }
}

/// The segment of what changed since, which only this process has.
pub(crate) struct RecentSegment {
    bytes: Vec<u8>,
    layout: Layout,
}

impl RecentSegment {
    /// Builds the segment of what changed since; `None` if nothing did.
    pub(crate) fn of(builder: Builder, space: u64) -> Option<Self> {
        if builder.is_empty() {
            return None;
        }
        let bytes = builder.finish();
        let layout = Layout::check(&bytes, space).ok()?;
        Some(Self { bytes, layout })
    }

    pub(crate) fn segment(&self) -> Segment<'_> {
        Segment::new(&self.bytes, &self.layout)
    }
}

/// Better vectors for documents, each with the hash of its text.
pub(crate) type BetterVectors = HashMap<String, (u64, QuantisedVector)>;

/// One store as it was at one moment. Questions are asked through [`Snapshot::segments`].
pub struct Snapshot {
    pub(crate) shared: Option<Arc<SharedSegment>>,
    pub(crate) deleted: DeletedDocs,
    pub(crate) recent: Option<RecentSegment>,
    nothing_struck: DeletedDocs,
    split_groups: SplitGroups,
    pub(crate) files: usize,
    pub(crate) folders: BTreeSet<String>,
    unreadable: Vec<String>,
    undecided: Vec<String>,
    secret: Vec<String>,
    unencoded: OnceLock<usize>,
    /// Whether most of the store had to be read because there was no index of it.
    pub(crate) rebuilt: bool,
}

impl Snapshot {
    pub(crate) fn new(
        shared: Option<Arc<SharedSegment>>,
        deleted: DeletedDocs,
        recent: Option<RecentSegment>,
        files: usize,
        folders: BTreeSet<String>,
        rebuilt: bool,
    ) -> Self {
        let nothing_struck = DeletedDocs::default();
        let split_groups = match (&shared, &recent) {
            (Some(shared), Some(recent)) => {
                SplitGroups::between((shared.segment(), &deleted), (recent.segment(), &nothing_struck))
            }
            _ => SplitGroups::default(),
        };
        let mut snapshot = Self {
            shared,
            deleted,
            recent,
            nothing_struck,
            split_groups,
            files,
            folders,
            unreadable: Vec::new(),
            undecided: Vec::new(),
            secret: Vec::new(),
            unencoded: OnceLock::new(),
            rebuilt,
        };
        let of_form = |wanted: ClaimForm| -> Vec<String> {
            let parts = snapshot.parts().into_iter();
            parts
                .flat_map(|(segment, deleted)| keys_of(segment, deleted, wanted))
                .map(str::to_owned)
                .collect()
        };
        let (unreadable, undecided) = (of_form(ClaimForm::Unreadable), of_form(ClaimForm::Ours));
        let mut secret = of_form(ClaimForm::Secret);
        secret.sort();
        snapshot.unreadable = unreadable;
        snapshot.undecided = undecided;
        snapshot.secret = secret;
        snapshot
    }

    fn parts(&self) -> Vec<(Segment<'_>, &DeletedDocs)> {
        self.segments().parts.into_iter().flatten().collect()
    }

    /// The store, for a scope.
    pub fn segments(&self) -> StoreSegments<'_> {
        let shared = self.shared.as_ref().map(|shared| (shared.segment(), &self.deleted));
        let recent = self.recent.as_ref().map(|recent| (recent.segment(), &self.nothing_struck));
        StoreSegments { parts: [shared, recent], split_groups: &self.split_groups }
    }

    /// Whether the file that processes share is unchanged: everything read from it so far is valid.
    pub fn is_intact(&self) -> bool {
        self.shared.as_ref().is_none_or(|shared| shared.mapped.is_intact())
    }

    /// How many claim files the folder held, readable or not.
    pub fn files(&self) -> usize {
        self.files
    }

    /// The keys of files that could not be read as claims.
    pub fn unreadable(&self) -> &[String] {
        &self.unreadable
    }

    /// Names of folders that have a claim's name.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.folders.iter().map(String::as_str)
    }

    /// The keys of files that hold two versions which wait for a decision.
    pub fn undecided(&self) -> &[String] {
        &self.undecided
    }

    /// The keys of files that carry a secret, in order: no question finds them.
    pub fn secret(&self) -> &[String] {
        &self.secret
    }

    /// Whether there was no index to start from, so that the claims themselves were read.
    pub fn was_rebuilt(&self) -> bool {
        self.rebuilt
    }

    /// Whether a key is in the store.
    pub fn holds(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// When the claim under a key was born, in ms; 0 if its file does not say.
    pub fn born(&self, key: &str) -> Option<i64> {
        self.find(key).map(|(segment, doc)| segment.created(doc))
    }

    /// The keys of the store, in no particular order; twice where a file holds two versions.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let parts = self.parts().into_iter();
        parts.flat_map(|(segment, deleted)| {
            (0..segment.len()).filter(move |doc| !deleted.holds(*doc)).map(move |doc| segment.key(doc))
        })
    }

    /// Whether the ranked text under a key is still the text of this claim.
    pub fn is_about(&self, key: &str, claim: &Claim) -> bool {
        let text = document_of(key, ReadStamp::default(), ClaimForm::Claim, claim, &[]).meaning();
        self.find(key).is_some_and(|(segment, doc)| segment.meaning(doc) == hash_of(&text))
    }

    /// Where a key is.
    pub(crate) fn find(&self, key: &str) -> Option<(Segment<'_>, u32)> {
        if let Some(recent) = &self.recent
            && let Some(doc) = recent.segment().find(key)
        {
            return Some((recent.segment(), doc));
        }
        let segment = self.shared.as_ref()?.segment();
        let doc = segment.find(key).filter(|doc| !self.deleted.holds(*doc))?;
        Some((segment, doc))
    }

    /// The keys of the youngest claims, youngest first.
    pub fn youngest(&self, count: usize) -> Vec<String> {
        let mut all: Vec<(i64, &str)> = Vec::new();
        for (segment, deleted) in self.parts() {
            let readable = (0..segment.len()).filter(|doc| {
                !deleted.holds(*doc) && matches!(segment.form(*doc), ClaimForm::Claim | ClaimForm::Ours)
            });
            all.extend(readable.map(|doc| (segment.created(doc), segment.key(doc))));
        }
        let youngest_first = |a: &(i64, &str), b: &(i64, &str)| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1));
        if count < all.len() {
            all.select_nth_unstable_by(count, youngest_first);
            all.truncate(count);
        }
        all.sort_unstable_by(youngest_first);
        all.into_iter().map(|(_, key)| key.to_owned()).collect()
    }

    /// How many documents have no vector of the better kind.
    pub fn unencoded(&self) -> usize {
        *self.unencoded.get_or_init(|| {
            self.parts().into_iter().map(|(segment, deleted)| waiting(segment, deleted).count()).sum()
        })
    }

    /// The keys of documents that have no vector of the better kind, in no particular order.
    pub(crate) fn waiting(&self) -> Vec<String> {
        let keys = |(segment, deleted): (Segment<'_>, &DeletedDocs)| -> Vec<String> {
            waiting(segment, deleted).map(|doc| segment.key(doc).to_owned()).collect()
        };
        self.parts().into_iter().flat_map(keys).collect()
    }

    /// How many documents only this process has, or has deleted.
    pub(crate) fn unshared(&self) -> usize {
        self.recent.as_ref().map_or(0, |recent| recent.segment().len() as usize)
            + self.deleted.count() as usize
    }

    /// Everything in one segment, with the better vectors in it.
    pub(crate) fn merged(&self, space: u64, better: &BetterVectors) -> Vec<u8> {
        let mut builder = Builder::new(space);
        for (segment, deleted) in self.parts() {
            let numbers = builder.absorb(&segment, |doc| !deleted.holds(doc));
            for (doc, number) in (0..segment.len()).zip(numbers) {
                let Some((number, (meaning, vector))) = number.zip(better.get(segment.key(doc))) else {
                    continue;
                };
                if segment.meaning(doc) == *meaning {
                    builder.set_vector(number, VectorKind::Encoded, &vector.values, vector.scale);
                }
            }
        }
        builder.finish()
    }
}

fn keys_of<'a>(
    segment: Segment<'a>,
    deleted: &'a DeletedDocs,
    wanted: ClaimForm,
) -> impl Iterator<Item = &'a str> {
    let docs = (0..segment.len()).filter(move |doc| segment.form(*doc) == wanted && !deleted.holds(*doc));
    docs.map(move |doc| segment.key(doc))
}

fn waiting<'a>(segment: Segment<'a>, deleted: &'a DeletedDocs) -> impl Iterator<Item = u32> + 'a {
    // Two versions that wait for a decision will be one text after it.
    (0..segment.len()).filter(move |doc| {
        segment.vector_kind(*doc) == VectorKind::Static
            && segment.form(*doc) == ClaimForm::Claim
            && !deleted.holds(*doc)
    })
}

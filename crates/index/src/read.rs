//! Reading claim files into documents.

use crate::document::{created_ms, document_of, hash_of};
use crate::parts::IndexParts;
use crate::snapshot::Snapshot;
use brainstem_base::disk::FileStamp;
use brainstem_base::hash;
use brainstem_claims::Claim;
use brainstem_recall::document::{ClaimForm, Document, ReadStamp};
use brainstem_recall::segment::{Builder, DIMENSIONS, VectorKind};
use brainstem_vault::half_merged_file;
use brainstem_vault::scan::{self, CLAIM_SUFFIX, ClaimFileContent, UnreadableClaim};
use std::ffi::OsStr;
use std::path::Path;

/// A file that changed so shortly before it was read may change again within the same tick of its file system's clock:
/// it is read again until it is older.
const TICK_NS: i64 = 100_000_000;
/// The same for file systems that count in seconds.
const COARSE_TICK_NS: i64 = 2_100_000_000;

/// The key of a file with a claim's name: its stem. A name that is not valid text gets a key of its own.
pub(crate) fn key_of(name: &OsStr) -> String {
    let shown = name.to_string_lossy();
    let stem = shown.strip_suffix(CLAIM_SUFFIX).unwrap_or(&shown);
    match name.to_str() {
        Some(_) => stem.to_owned(),
        None => format!("{stem}-{}", hash::sha256_hex(name.as_encoded_bytes(), 8)),
    }
}

/// Whether a name is a claim's, valid text or not.
pub(crate) fn is_claim(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    bytes.ends_with(CLAIM_SUFFIX.as_bytes()) && !bytes.starts_with(b".")
}

/// The stamp by which a file that was read at `now_ns` is recognised later; without a time it matches no file.
pub(crate) fn stamp_of(file_stamp: FileStamp, now_ns: i64) -> ReadStamp {
    let is_coarse = file_stamp.changed_ns % 1_000_000_000 == 0;
    let tick = if is_coarse { COARSE_TICK_NS } else { TICK_NS };
    let settled = file_stamp.changed_ns.saturating_add(tick) < now_ns;
    ReadStamp {
        inode: file_stamp.inode,
        modified_ns: if settled { file_stamp.changed_ns } else { 0 },
        len: u32::try_from(file_stamp.len).unwrap_or(u32::MAX),
    }
}

/// Whether the file still has the stamp with which it was read.
pub(crate) fn is_same(stamp: ReadStamp, file_stamp: FileStamp) -> bool {
    stamp.modified_ns != 0
        && stamp.modified_ns == file_stamp.changed_ns
        && stamp.inode == file_stamp.inode
        && u64::from(stamp.len) == file_stamp.len
}

/// Reads one file and adds its claims. A file that is gone adds nothing, and the result says so. A file that the disk
/// failed to read counts as unreadable and is read again before the next answer: its stamp matches no file.
pub(crate) fn add(
    parts: &IndexParts,
    claims: &Path,
    name: &OsStr,
    file_stamp: FileStamp,
    before: &Snapshot,
    builder: &mut Builder,
) -> bool {
    let (path, key) = (claims.join(name), &*key_of(name));
    let now_ns = parts.clock.now().ms().saturating_mul(1_000_000);
    let stamp = stamp_of(file_stamp, now_ns);
    let read = match scan::read_content(&*parts.disk, &path) {
        // A read that failed for a moment may succeed now.
        ClaimFileContent::Unread(_) => scan::read_content(&*parts.disk, &path),
        held => held,
    };
    let held = match (read, name.to_str()) {
        (ClaimFileContent::Nothing, _) => return false,
        // Its id could not lead back to it.
        (_, None) => ClaimFileContent::Unreadable(UnreadableClaim { path, why: String::new() }),
        (held, Some(_)) => held,
    };
    let is_git_asked = matches!(held, ClaimFileContent::Sides(_) | ClaimFileContent::Unreadable(_))
        && half_merged_file::is_half_merged(&*parts.disk, &claims.join(name));
    // Git's index has its versions, and may change while the file does not.
    let stamp = if is_git_asked { ReadStamp::default() } else { stamp };
    match held {
        ClaimFileContent::Nothing => return false,
        ClaimFileContent::Claim(claim) if (parts.carries_secret)(&claim) => {
            add_wordless(key, stamp, ClaimForm::Secret, created_ms(&claim), builder);
        }
        ClaimFileContent::Claim(claim) => {
            add_claim(parts, key, stamp, ClaimForm::Claim, &claim, before, builder)
        }
        // One side with a secret keeps the whole file out: it is read as one file.
        ClaimFileContent::Sides(sides) if sides.iter().any(|side| (parts.carries_secret)(side)) => {
            let created = sides.first().map_or(0, created_ms);
            add_wordless(key, stamp, ClaimForm::Secret, created, builder);
        }
        ClaimFileContent::Sides(sides) => {
            let (ours, others) = sides.split_first().expect("an undecided file has sides");
            add_claim(parts, key, stamp, ClaimForm::Ours, ours, before, builder);
            add_claim(parts, key, stamp, ClaimForm::Theirs, &in_one(others), before, builder);
        }
        ClaimFileContent::Unreadable(_) => add_wordless(key, stamp, ClaimForm::Unreadable, 0, builder),
        ClaimFileContent::Unread(_) => {
            add_wordless(key, ReadStamp::default(), ClaimForm::Unreadable, 0, builder)
        }
    }
    true
}

/// Adds a file that is counted and never ranked: no question finds it by a word or a vector.
fn add_wordless(key: &str, stamp: ReadStamp, form: ClaimForm, created: i64, builder: &mut Builder) {
    let nothing = Document {
        key,
        stamp,
        form,
        created,
        author: "",
        group: None,
        label: "",
        title: "",
        text: "",
        tags: &[],
        paths: &[],
    };
    builder.add(&nothing, 0);
}

/// The two documents of an undecided file: the first version, and all others as one text.
fn in_one(sides: &[Claim]) -> Claim {
    let (first, more) = sides.split_first().expect("an undecided file has two sides");
    let mut all = first.clone();
    for side in more {
        all.text = format!("{}\n\n{}", all.text, side.text);
        all.tags.extend(side.tags.iter().cloned());
        all.evidence.extend(side.evidence.iter().cloned());
    }
    all
}

fn add_claim(
    parts: &IndexParts,
    key: &str,
    stamp: ReadStamp,
    form: ClaimForm,
    claim: &Claim,
    before: &Snapshot,
    builder: &mut Builder,
) {
    let paths: Vec<&str> = claim.evidence.iter().map(|evidence| evidence.path.as_str()).collect();
    let document = document_of(key, stamp, form, claim, &paths);
    let text = document.meaning();
    let meaning = hash_of(&text);
    let doc = builder.add(&document, meaning);
    // An unchanged text keeps its vector.
    if form == ClaimForm::Claim
        && let Some((segment, old)) = before.find(key)
        && segment.meaning(old) == meaning
        && segment.vector_kind(old) == VectorKind::Encoded
    {
        let mut values = [0_i8; DIMENSIONS];
        let bytes = segment.vector_bytes(old).iter();
        values.iter_mut().zip(bytes).for_each(|(to, from)| *to = from.cast_signed());
        builder.set_vector(doc, VectorKind::Encoded, &values, segment.scale(old));
        return;
    }
    if let Some(vector) = parts.embedder.embed_static(&text) {
        builder.set_vector(doc, VectorKind::Static, &vector.values, vector.scale);
    }
}

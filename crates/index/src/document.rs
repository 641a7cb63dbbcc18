//! A claim as a document of the index.

use brainstem_base::hash;
use brainstem_claims::Claim;
use brainstem_recall::document::{ClaimForm, Document, ReadStamp};

/// The document of a claim: what is indexed of it.
pub(crate) fn document_of<'a>(
    key: &'a str,
    stamp: ReadStamp,
    form: ClaimForm,
    claim: &'a Claim,
    paths: &'a [&'a str],
) -> Document<'a> {
    Document {
        key,
        stamp,
        form,
        created: created_ms(claim),
        author: claim.source_agent.as_deref().unwrap_or_default(),
        group: claim.group.as_deref().filter(|group| !group.is_empty()),
        label: &claim.label,
        title: claim.title.as_deref().unwrap_or_default(),
        text: &claim.text,
        tags: &claim.tags,
        paths,
    }
}

/// The hash of the text that a vector was made from.
pub(crate) fn hash_of(text: &str) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = hash::sha256(text.as_bytes());
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// When a claim was born, in ms; 0 if it does not say.
pub(crate) fn created_ms(claim: &Claim) -> i64 {
    claim.created.map_or(0, |created| created.ms())
}

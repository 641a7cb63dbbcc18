//! What holds for the readers of notes, receipts and redaction records whatever the bytes. The fuzz target uses this file too.

use brainstem_ledger::{Checkpoint, MessageProof, NoteVerifier, RedactionRecord, SignedNote};

/// Reads bytes as everything that they may be and checks what must hold of the reading. `false`: they are none of it.
pub(crate) fn check(bytes: &[u8]) -> bool {
    let mut is_read = false;
    if let Ok(note) = SignedNote::parse(bytes) {
        is_read = true;
        assert!(bytes.starts_with(note.unverified_text().as_bytes()));
        assert!(note.unverified_text().ends_with('\n') && !note.signers().is_empty());
        assert!(note.verify(&[]).is_err(), "a note that no known key signed says nothing");
        if let Some(checkpoint) = Checkpoint::parse(note.unverified_text()) {
            assert_eq!(Checkpoint::parse(&checkpoint.to_text()), Some(checkpoint));
        }
    }
    if let Ok(proof) = MessageProof::parse(bytes) {
        is_read = true;
        assert_eq!(proof.to_text().as_bytes(), bytes, "a receipt has one spelling");
        if let Ok(proved) = proof.check(None, None) {
            assert!(proof.check(Some(&proved.key), None).is_ok());
        }
    }
    if let Some(record) = RedactionRecord::parse(bytes) {
        is_read = true;
        assert_eq!(record.to_bytes(), bytes, "a record has one spelling");
    }
    if let Some(key) = std::str::from_utf8(bytes).ok().and_then(|text| NoteVerifier::parse(text).ok()) {
        is_read = true;
        assert_eq!(NoteVerifier::parse(&key.to_string()).as_ref(), Ok(&key));
    }
    is_read
}

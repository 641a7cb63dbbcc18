//! Verifying the ledger, by itself and against heads that were kept.

use super::error::LedgerUseError;
use crate::Post;
use brainstem_inbox::MirrorCursor;
use brainstem_inbox_sqlite::{LookDepth, MirrorLook};
use brainstem_ledger::limits::NOTE_BYTES_MAX;
use brainstem_ledger::{Checkpoint, Kept, NoteVerifier, Verification};
use brainstem_ledger_sqlite::{HeadFault, open_head};
use std::path::PathBuf;

/// What a verification holds the ledger to.
#[derive(Clone, Debug, Default)]
pub struct VerifyLedgerRequest {
    /// A file with a head that was kept elsewhere.
    pub against: Option<PathBuf>,
    /// The public key that signed it; default: this home's.
    pub key: Option<String>,
}

/// The verdicts, and what the ledger was held to.
#[derive(Clone, Debug)]
pub struct VerifiedLedger {
    /// The verdicts.
    pub found: Verification,
    /// How many messages the kept head is over, which the caller named.
    pub against: Option<u64>,
    /// How many messages the last head is over, which this home signed.
    pub last_head: Option<u64>,
    /// How many topics were held to what the inbox has seen of them; `None` if it has no mirror that can be read.
    pub seen: Option<usize>,
    /// What the ledger could not be held to, and why.
    pub notes: Vec<String>,
    /// Why the ledger could not be held to what the inbox has seen.
    pub unseen: Option<String>,
}

impl Post {
    /// Verifies every message of every topic, and holds the ledger to the last head of this home, to what the inbox has seen
    /// of each topic, and to the head that the caller names.
    pub fn verify_ledger(&self, request: &VerifyLedgerRequest) -> Result<VerifiedLedger, LedgerUseError> {
        if request.key.is_some() && request.against.is_none() {
            return Err(LedgerUseError::Together("`key` goes with `against`"));
        }
        let ledger = self.ledger_apart();
        let mut checkpoints: Vec<Checkpoint> = Vec::new();
        if let Some(path) = &request.against {
            let own = ledger.public_key().ok().flatten();
            let given = request.key.as_deref().map(parse_key).transpose()?;
            let keys: Vec<NoteVerifier> = given.map_or_else(|| own.into_iter().collect(), |key| vec![key]);
            let bytes = self.named_file("against", path, NOTE_BYTES_MAX)?;
            let kept = open_head(&bytes, &keys)
                .map_err(|fault| LedgerUseError::NoHead { path: path.clone(), fault })?;
            checkpoints.push(kept);
        }
        let against = checkpoints.first().map(|kept| kept.size);
        let mut notes = Vec::new();
        let last = match ledger.last_head() {
            Ok(last) => last.map(|last| last.checkpoint),
            Err(HeadFault::Ledger(error)) => return Err(error.into()),
            Err(fault) => {
                notes.push(format!("the ledger was not held to its last head: {}", whole(&fault)));
                None
            }
        };
        if last.is_none() && notes.is_empty() && ledger.public_key().ok().flatten().is_some() {
            let why = "the ledger was not held to its last head: `ledger.head` is missing, and `ledger.key`, which signed heads, is there";
            notes.push(why.to_owned());
        }
        let last_head = last.as_ref().map(|last| last.size);
        // A head of another home says nothing about this one's last.
        checkpoints.extend(last);
        // Read before the ledger, which is never behind its readers.
        let (look, unseen) = match self.look_at_mirror(LookDepth::Rows, 0) {
            Ok(look) => (look, None),
            Err(error) => {
                let why = format!("the ledger was not held to what the inbox has seen: {error}");
                (None, Some(why))
            }
        };
        let heads = look.iter().flat_map(MirrorLook::ends).map(MirrorCursor::head).collect();
        let found = ledger.verify(&Kept { heads, ..Kept::default() }, &checkpoints)?;
        let seen = look.map(|look| look.cursors.len());
        Ok(VerifiedLedger { found, against, last_head, seen, notes, unseen })
    }
}

/// A public key as a caller writes it.
pub(super) fn parse_key(text: &str) -> Result<NoteVerifier, LedgerUseError> {
    NoteVerifier::parse(text.trim()).map_err(|_| LedgerUseError::NoPublicKey)
}

/// The message of an error with those of its causes.
pub(super) fn whole(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message.push_str(": ");
        message.push_str(&cause.to_string());
        source = cause.source();
    }
    message
}

//! A receipt of one message as a file (C2SP tlog-proof): it proves offline that the message was in the log.
//!
//! Its extra data are the frame of the message and the public key of the log. Neither is trusted for being there: the
//! frame is hashed as the leaf that the path leads from, and the key counts only if its reader knows it.

use crate::checkpoint::{Checkpoint, may_have_key};
use crate::content_hash::ContentHash;
use crate::frame::Frame;
use crate::limits::PROOF_HASHES_MAX;
use crate::note::{NoteFault, NoteVerifier, SignedNote};
use crate::tree::{TreeHash, is_included};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

/// A receipt of one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageProof {
    /// The place of the message in the log, from 0 on.
    pub index: u64,
    /// What the log knows of the message.
    pub frame: Frame,
    /// The public key that the log says it has.
    pub public_key: [u8; 32],
    /// The proof that the frame is in the tree.
    pub path: Vec<TreeHash>,
    /// The checkpoint, as the log signed it.
    pub checkpoint: String,
}

/// Why a receipt proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofFault {
    /// It has not the form of a receipt.
    #[error("it is not a receipt of a message")]
    NotAProof,
    /// The checkpoint in it is not signed as it should be.
    #[error("the checkpoint in the receipt: {0}")]
    Note(#[from] NoteFault),
    /// The path does not lead from the message to the checkpoint.
    #[error("the message is not in the tree of the checkpoint: the receipt was changed")]
    NotIncluded,
    /// The bytes that were handed in are another message.
    #[error("the receipt is about a message that says something else")]
    OtherContent,
}

/// Which key a receipt was checked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofSigner {
    /// A key that the checker knew.
    Known,
    /// The key that the receipt itself names: it proves that nothing was changed since that key signed, and not whose key
    /// it is.
    Named,
}

/// What a receipt proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedMessage {
    /// The message.
    pub frame: Frame,
    /// Its place in the log, from 0 on.
    pub index: u64,
    /// The checkpoint at which it was in the log.
    pub checkpoint: Checkpoint,
    /// The key of the signature.
    pub key: NoteVerifier,
    /// How that key was known.
    pub signer: ProofSigner,
}

const FIRST_LINE: &str = "c2sp.org/tlog-proof@v1";

impl MessageProof {
    /// The receipt as a text.
    pub fn to_text(&self) -> String {
        let extra = BASE64.encode([&self.frame.to_bytes()[..], &self.public_key].concat());
        let mut text = format!("{FIRST_LINE}\nextra {extra}\nindex {}\n", self.index);
        for hash in &self.path {
            text.push_str(&format!("{hash}\n"));
        }
        text.push('\n');
        text.push_str(&self.checkpoint);
        text
    }

    /// Reads a receipt; refuses what has not its form.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProofFault> {
        std::str::from_utf8(bytes).ok().and_then(Self::try_parse).ok_or(ProofFault::NotAProof)
    }

    fn try_parse(text: &str) -> Option<Self> {
        let (proof, checkpoint) = text.split_once("\n\n")?;
        let mut lines = proof.split('\n');
        if lines.next() != Some(FIRST_LINE) {
            return None;
        }
        let extra = BASE64.decode(lines.next()?.strip_prefix("extra ")?).ok()?;
        let (frame, public_key) = extra.split_last_chunk::<32>()?;
        let number = lines.next()?.strip_prefix("index ")?;
        let index: u64 = number.parse().ok()?;
        let path: Option<Vec<_>> = lines.take(PROOF_HASHES_MAX + 1).map(TreeHash::from_base64).collect();
        let path = path.filter(|path| path.len() <= PROOF_HASHES_MAX && index.to_string() == number)?;
        Some(Self {
            index,
            frame: Frame::from_bytes(frame)?,
            public_key: *public_key,
            path,
            checkpoint: checkpoint.to_owned(),
        })
    }

    /// Checks the receipt, by itself or with the key that the log is known to have, and with the bytes of the message
    /// where the caller has them.
    pub fn check(
        &self,
        key: Option<&NoteVerifier>,
        message: Option<&[u8]>,
    ) -> Result<ProvedMessage, ProofFault> {
        let note = SignedNote::parse(self.checkpoint.as_bytes())?;
        let origin = Checkpoint::parse(note.unverified_text()).ok_or(ProofFault::NotAProof)?.origin;
        let (key, signer) = match key {
            Some(key) => (key.clone(), ProofSigner::Known),
            None => {
                let named = NoteVerifier::new(&origin, &self.public_key).ok();
                let named = named.filter(|_| may_have_key(&origin, &self.public_key));
                (named.ok_or(ProofFault::NotAProof)?, ProofSigner::Named)
            }
        };
        let text = note.verify(std::slice::from_ref(&key))?;
        let checkpoint = Checkpoint::parse(text).ok_or(ProofFault::NotAProof)?;
        let leaf = self.frame.leaf();
        if !is_included(leaf, self.index, checkpoint.size, &self.path, &checkpoint.root) {
            return Err(ProofFault::NotIncluded);
        }
        if message.is_some_and(|bytes| ContentHash::of(bytes) != self.frame.content) {
            return Err(ProofFault::OtherContent);
        }
        Ok(ProvedMessage { frame: self.frame, index: self.index, checkpoint, key, signer })
    }
}

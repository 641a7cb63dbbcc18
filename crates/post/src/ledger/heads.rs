//! Heads of the whole ledger, and receipts of messages.

use super::error::LedgerUseError;
use super::verifying::parse_key;
use crate::Post;
use crate::older_copy::check_seen;
use brainstem_ledger::limits::{MESSAGE_BYTES_MAX, NOTE_BYTES_MAX};
use brainstem_ledger::{MessageProof, ProvedMessage, Sequence, TopicId};
use brainstem_ledger_sqlite::SignedHead;
use std::path::{Path, PathBuf};

/// A head that was signed.
#[derive(Clone, Debug)]
pub struct SignedHeadFile {
    /// The head.
    pub head: SignedHead,
    /// The file that it was written to.
    pub path: Option<PathBuf>,
}

/// A receipt that was made.
#[derive(Clone, Debug)]
pub struct WrittenReceipt {
    /// The receipt.
    pub proof: MessageProof,
    /// The receipt as a text.
    pub text: String,
    /// The file that it was written to.
    pub path: Option<PathBuf>,
}

/// A receipt that holds.
#[derive(Clone, Debug)]
pub struct CheckedReceipt {
    /// What it proves.
    pub proved: ProvedMessage,
    /// Whether the bytes of a message were compared with it.
    pub is_content_checked: bool,
}

impl Post {
    /// Signs a head of the whole ledger, and writes it to a new file if one is named.
    pub fn ledger_head(&self, out: Option<&Path>) -> Result<SignedHeadFile, LedgerUseError> {
        self.check_free(out)?;
        self.memory().home().ensure()?;
        let ledger = self.ledger_apart_to_read()?;
        check_seen(&ledger, &self.ends_on_record())?;
        let head = ledger.sign_head(self.ids())?;
        out.map(|out| self.make_file(out, &head.note)).transpose()?;
        Ok(SignedHeadFile { head, path: out.map(Path::to_owned) })
    }

    /// Makes the receipt of a message, and writes it to a new file if one is named.
    pub fn ledger_receipt(
        &self,
        topic: TopicId,
        sequence: Sequence,
        out: Option<&Path>,
    ) -> Result<WrittenReceipt, LedgerUseError> {
        self.check_free(out)?;
        let ledger = self.ledger_apart_to_read()?;
        check_seen(&ledger, &self.ends_on_record())?;
        let proof = ledger.message_proof(topic, sequence, self.ids())?;
        let text = proof.to_text();
        out.map(|out| self.make_file(out, &text)).transpose()?;
        Ok(WrittenReceipt { proof, text, path: out.map(Path::to_owned) })
    }

    /// Checks a receipt: by itself, with the public key of its ledger, and with the message. It needs no ledger and no home.
    pub fn check_ledger_receipt(
        &self,
        file: &Path,
        key: Option<&str>,
        message: Option<&Path>,
    ) -> Result<CheckedReceipt, LedgerUseError> {
        let bytes = self.named_file("file", file, NOTE_BYTES_MAX)?;
        let key = key.map(parse_key).transpose()?;
        let content =
            message.map(|path| self.named_file("message_file", path, MESSAGE_BYTES_MAX)).transpose()?;
        let proved =
            MessageProof::parse(&bytes).and_then(|proof| proof.check(key.as_ref(), content.as_deref()));
        let proved = proved.map_err(|fault| LedgerUseError::NoProof { path: file.to_owned(), fault })?;
        Ok(CheckedReceipt { proved, is_content_checked: content.is_some() })
    }

    /// Refuses a file that exists before anything is signed for it.
    fn check_free(&self, out: Option<&Path>) -> Result<(), LedgerUseError> {
        match out {
            Some(path) if self.disk().stat(path).is_ok() => {
                Err(LedgerUseError::Taken { path: path.to_owned() })
            }
            _ => Ok(()),
        }
    }
}

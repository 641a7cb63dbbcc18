//! The home's own key, the heads that it signs, and the receipts of messages.
//!
//! Beside the file of the ledger are two small ones that go through the `Disk` port: `ledger.key`, the secret key, made once
//! and private from its first byte on, and `ledger.head`, the last head that was signed. The second is what tells a ledger
//! that was restored from an older copy, as long as it was not restored with it.

use crate::ledger::SqliteLedger;
use crate::scan::{changed_topics, wrong_end};
use brainstem_base::{Disk, DiskError, DiskFault, Ids};
use brainstem_ledger::limits::NOTE_BYTES_MAX;
use brainstem_ledger::{
    ChainFault, Checkpoint, Ledger as _, LedgerError, LogFault, MessageProof, NoteFault, NoteSigner,
    NoteVerifier, ReadFrom, Sequence, SignedNote, TopicId, checkpoint,
};
use std::path::PathBuf;

/// A head as it was signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedHead {
    /// The whole note, as it is kept elsewhere.
    pub note: String,
    /// What it says.
    pub checkpoint: Checkpoint,
    /// The key that signed it.
    pub key: NoteVerifier,
}

/// Why there is no head.
#[derive(Debug, thiserror::Error)]
pub enum HeadFault {
    /// The ledger refused or failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The log contradicts the last head that was signed, so no other is.
    #[error("the ledger contradicts its last head: {0}")]
    Contradicts(LogFault),
    /// The end that is kept of a topic is not its last message, so no head is signed.
    #[error("the recorded end of a topic is not its last message: {0}")]
    WrongEnd(ChainFault),
    /// The key or the last head cannot be read or written.
    #[error("`{}`", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the disk said.
        #[source]
        source: DiskError,
    },
    /// The key file has something else in it.
    #[error("`{}` is not a key of this program", .0.display())]
    NoKey(PathBuf),
    /// The key file is missing, and a head was signed with it.
    #[error("`{}` is missing, and it signed the last head", .0.display())]
    KeyMissing(PathBuf),
    /// The last head is not one that this home signed.
    #[error("`{}`: {fault}", path.display())]
    LastHead {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: NoteFault,
    },
}

impl SqliteLedger {
    /// The public key of this home; `None` if it has made none yet.
    pub fn public_key(&self) -> Result<Option<NoteVerifier>, HeadFault> {
        Ok(self.read_signer()?.map(|signer| signer.verifier()))
    }

    /// The last head that this home signed; `None` if it has signed none.
    pub fn last_head(&self) -> Result<Option<SignedHead>, HeadFault> {
        let path = self.beside("ledger.head");
        let bytes = match self.disk.read(&path, NOTE_BYTES_MAX as u64) {
            Ok(bytes) => bytes,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(None),
            Err(source) => return Err(HeadFault::File { path, source }),
        };
        let key = self.public_key()?.ok_or_else(|| HeadFault::KeyMissing(self.beside("ledger.key")))?;
        match open_head(&bytes, std::slice::from_ref(&key)) {
            Ok(checkpoint) => {
                let note = String::from_utf8_lossy(&bytes).into_owned();
                Ok(Some(SignedHead { note, checkpoint, key }))
            }
            Err(fault) => Err(HeadFault::LastHead { path, fault }),
        }
    }

    /// Signs a head of the whole ledger as it is now and keeps it as the last one. Refuses if the ledger contradicts the
    /// last one: a log signs no two heads of which the later does not continue the earlier.
    pub fn sign_head(&self, ids: &dyn Ids) -> Result<SignedHead, HeadFault> {
        if let Some(fault) = self.contradicts_last_head()? {
            return Err(HeadFault::Contradicts(fault));
        }
        self.check_ends()?;
        let signer = self.signer(ids)?;
        let head = self.tree_head()?;
        let key = signer.verifier();
        let origin = key.name().to_owned();
        let checkpoint = Checkpoint { origin, size: head.size, root: head.root, topics: head.topics };
        let note = signer.sign(&checkpoint.to_text());
        let path = self.beside("ledger.head");
        let kept = replace_private(&*self.disk, &path, note.as_bytes(), ids);
        kept.map_err(|source| HeadFault::File { path, source })?;
        Ok(SignedHead { note, checkpoint, key })
    }

    /// The receipt of a message, at a head that is signed now.
    pub fn message_proof(
        &self,
        topic: TopicId,
        sequence: Sequence,
        ids: &dyn Ids,
    ) -> Result<MessageProof, HeadFault> {
        // First, so that a message which does not exist makes no key.
        let from = Sequence::new(sequence.number() - 1).map_or(ReadFrom::Start, ReadFrom::After);
        let first = self.read(topic, from, 1)?.messages.into_iter().next();
        first.filter(|found| found.sequence == sequence).ok_or(LedgerError::NoMessage { topic, sequence })?;
        let head = self.sign_head(ids)?;
        let found = self.inclusion(topic, sequence, head.checkpoint.size)?;
        let found = found.ok_or(LedgerError::NoMessage { topic, sequence })?;
        let note = self.signer(ids)?.sign(&head.checkpoint.without_topics().to_text());
        Ok(MessageProof {
            index: found.index,
            frame: found.frame,
            public_key: *head.key.public(),
            path: found.path,
            checkpoint: note,
        })
    }

    /// What the ledger has or says otherwise than the last head that this home signed; `None` if it goes on from it.
    pub fn contradicts_last_head(&self) -> Result<Option<LogFault>, HeadFault> {
        let last = self.last_head()?;
        Ok(last.map(|last| self.contradiction(&last.checkpoint)).transpose()?.flatten())
    }

    /// What the ledger has or says otherwise than a checkpoint; `None` if it goes on from it.
    fn contradiction(&self, kept: &Checkpoint) -> Result<Option<LogFault>, LedgerError> {
        match self.root_at(kept.size)? {
            None => {
                let has = self.size()?;
                Ok(Some(LogFault::OlderCopy { has, kept: kept.size }))
            }
            Some(root) if root != kept.root => Ok(Some(LogFault::OtherTree { size: kept.size })),
            // The tree is over messages alone; the checkpoint says of each topic what it is and where it ends, too.
            Some(_) => {
                let found = self.read_with(|snapshot| {
                    let changed = self.reading(changed_topics(snapshot, std::slice::from_ref(kept)))?;
                    Ok(changed.into_iter().next())
                })?;
                Ok(found.flatten())
            }
        }
    }

    /// Refuses a ledger in which the end that is kept of a topic is not its last message: a head would say the wrong end.
    fn check_ends(&self) -> Result<(), HeadFault> {
        let wrong = self.read_with(|snapshot| self.reading(wrong_end(snapshot)))?.flatten();
        wrong.map_or(Ok(()), |fault| Err(HeadFault::WrongEnd(fault)))
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.file.with_file_name(name)
    }

    fn read_signer(&self) -> Result<Option<NoteSigner>, HeadFault> {
        const KEY_BYTES_MAX: u64 = 1_024;
        let path = self.beside("ledger.key");
        let bytes = match self.disk.read(&path, KEY_BYTES_MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(None),
            Err(source) => return Err(HeadFault::File { path, source }),
        };
        let text = std::str::from_utf8(&bytes).ok();
        let signer = text.and_then(|text| NoteSigner::parse(text.trim_end()).ok());
        signer.map(Some).ok_or(HeadFault::NoKey(path))
    }

    /// The key of this home, made if it is missing. Of several processes that make it at once, one succeeds and all use its key.
    fn signer(&self, ids: &dyn Ids) -> Result<NoteSigner, HeadFault> {
        if let Some(signer) = self.read_signer()? {
            return Ok(signer);
        }
        self.make_folder()?;
        let path = self.beside("ledger.key");
        let mut secret = [0; 32];
        for part in secret.chunks_mut(8) {
            part.copy_from_slice(&ids.random()[..part.len()]);
        }
        let signer = checkpoint::home_signer(&secret);
        let made = make_private(&*self.disk, &path, signer.to_secret_text().as_bytes(), ids);
        made.map_err(|source| HeadFault::File { path: path.clone(), source })?;
        self.read_signer()?.ok_or(HeadFault::NoKey(path))
    }
}

/// The checkpoint in a note, if one of these keys signed it.
pub fn open_head(note: &[u8], keys: &[NoteVerifier]) -> Result<Checkpoint, NoteFault> {
    let note = SignedNote::parse(note)?;
    Checkpoint::parse(note.verify(keys)?).ok_or(NoteFault::NotANote)
}

/// Puts a file into place that did not exist, whole and durable, or leaves the one that is there.
fn make_private(
    disk: &dyn Disk,
    path: &std::path::Path,
    bytes: &[u8],
    ids: &dyn Ids,
) -> Result<(), DiskError> {
    let temp = path.with_extension(format!("tmp-{}", ids.temp_suffix()));
    disk.write_private(&temp, bytes)?;
    let linked = disk.link(&temp, path);
    let _ = disk.unlink(&temp);
    match linked {
        Err(error) if error.fault() != DiskFault::Exists => Err(error),
        _ => disk.sync_dir(path.parent().unwrap_or(path)),
    }
}

/// Replaces a file in one step.
fn replace_private(
    disk: &dyn Disk,
    path: &std::path::Path,
    bytes: &[u8],
    ids: &dyn Ids,
) -> Result<(), DiskError> {
    let temp = path.with_extension(format!("tmp-{}", ids.temp_suffix()));
    disk.write_private(&temp, bytes)?;
    if let Err(error) = disk.rename(&temp, path) {
        let _ = disk.unlink(&temp);
        return Err(error);
    }
    disk.sync_dir(path.parent().unwrap_or(path))
}

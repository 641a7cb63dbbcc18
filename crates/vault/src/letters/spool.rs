//! The spool: where every letter is written first, and stays.

use super::{AppendCheck, LineFile, SPOOL};
use crate::{Home, StoreError};
use brainstem_letters::LetterId;
use brainstem_letters::lines::{LetterLines, Tail};
use std::collections::HashSet;
use std::path::Path;

/// The spool of a home. Any program may append a line; no program removes one.
#[derive(Clone)]
pub struct Spool(LineFile);

impl Home {
    /// The spool.
    pub fn spool(&self) -> Spool {
        Spool(self.line_file(self.path().join(SPOOL), "spool"))
    }

    pub(super) fn line_file(&self, path: std::path::PathBuf, lock: &str) -> LineFile {
        let lock = self.medulla().paths().locks.join(lock);
        LineFile { disk: self.disk().clone(), ids: self.ids().clone(), path, lock }
    }
}

impl Spool {
    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// What it holds.
    pub fn read(&self) -> Result<LetterLines, StoreError> {
        Ok(LetterLines::read(&self.0.read()?, Tail::Waits))
    }

    /// Appends a letter, without its newline, durably. The cost does not grow with the spool.
    pub fn append(&self, line: &[u8]) -> Result<LetterId, StoreError> {
        let id = LetterId::of_line(line);
        self.0.append(|_| (whole(line), id), AppendCheck::End)
    }

    /// Appends the lines that it does not have, and returns their ids.
    pub fn append_missing(&self, lines: &[&[u8]]) -> Result<Vec<LetterId>, StoreError> {
        self.0.append(|there| missing(there, Tail::Waits, lines.iter().copied()), AppendCheck::Whole)
    }
}

/// A line with its newline.
fn whole(line: &[u8]) -> Vec<u8> {
    [line, b"\n"].concat()
}

/// The lines that a file does not have, each once, and their ids.
pub(super) fn missing<'a>(
    there: &[u8],
    tail: Tail,
    lines: impl Iterator<Item = &'a [u8]>,
) -> (Vec<u8>, Vec<LetterId>) {
    let letters = LetterLines::read(there, tail).letters.into_iter().map(|letter| letter.letter);
    // A line that an older program filed with its paths is there already; two lines with different paths are two
    // letters.
    let mut known: HashSet<LetterId> =
        letters.flat_map(|letter| [Some(letter.id), letter.former]).flatten().collect();
    let (mut new, mut ids) = (Vec::new(), Vec::new());
    for line in lines {
        if known.insert(LetterId::of_bytes(line)) {
            new.extend(whole(line));
            ids.push(LetterId::of_line(line));
        }
    }
    (new, ids)
}

//! Import of another tool's old letters: they are copied into the spool as they are, and the answers that they
//! give in prose are recorded.

use super::distribute::Filing;
use super::error::LetterError;
use super::limits::IMPORT_LEN_MAX;
use crate::Post;
use brainstem_base::DiskFault;
use brainstem_letters::lines::{LetterLines, Tail};
use brainstem_letters::references::in_prose;
use brainstem_vault::StoreError;
use std::collections::HashSet;
use std::path::PathBuf;

/// What an import did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedLetters {
    /// Letters that were found.
    pub found: usize,
    /// Letters that the spool did not have.
    pub new: usize,
    /// Letters that answer others in prose, by the numbers of their old lines.
    pub references: usize,
    /// Lines that are not letters. They stay where they are.
    pub unreadable: usize,
}

impl Post {
    /// Imports the letters of these files. Does not change the files; a second import changes nothing.
    pub fn import_letters(&self, files: &[PathBuf], filing: Filing) -> Result<ImportedLetters, LetterError> {
        let mut done = ImportedLetters::default();
        let home = self.memory().home();
        let mut seen = HashSet::new();
        let known: HashSet<_> =
            home.spool().read()?.letters.into_iter().map(|letter| letter.letter.id).collect();
        for path in files {
            let bytes = match self.disk().read(path, IMPORT_LEN_MAX) {
                Ok(bytes) => bytes,
                Err(error) if error.fault() == DiskFault::NotFound => continue,
                Err(error) => return Err(StoreError::disk("cannot read the letters")(error).into()),
            };
            // A last line without a newline counts too: no program writes to an old file any more.
            let lines = LetterLines::read(&bytes, Tail::Counts);
            let references = in_prose(&lines);
            done.unreadable += lines.unreadable.len();
            for letter in &lines.letters {
                if seen.insert(letter.letter.id.clone()) {
                    done.found += 1;
                    done.new += usize::from(!known.contains(&letter.letter.id));
                }
            }
            done.references += references.len();
            if filing == Filing::Real && !lines.letters.is_empty() {
                home.ensure()?;
                // References first: if the import is cut off here, its repeat finds the letters missing and completes them.
                home.letter_references().append_missing(&references)?;
                let raw: Vec<&[u8]> = lines.letters.iter().map(|letter| letter.line.as_slice()).collect();
                home.spool().append_missing(&raw)?;
            }
        }
        Ok(done)
    }
}

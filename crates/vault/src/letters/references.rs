//! Which letters old letters answer in prose, resolved once when they were imported.

use super::{AppendCheck, LineFile};
use crate::{Home, StoreError};
use brainstem_letters::LetterId;
use brainstem_letters::fate::References;
use serde::{Deserialize, Serialize};

/// The name of the file, in the home.
const FILE: &str = "letter-references.jsonl";

/// One line: a letter, and the letters it answers.
#[derive(Serialize, Deserialize)]
struct ReferenceLine {
    letter: String,
    answers: Vec<String>,
}

/// The references of a home. They were made from line numbers, which have no meaning once lines are in another file.
/// The letters themselves are not changed.
#[derive(Clone)]
pub struct ReferenceLog(LineFile);

impl Home {
    /// The references.
    pub fn letter_references(&self) -> ReferenceLog {
        ReferenceLog(self.line_file(self.path().join(FILE), "spool"))
    }
}

impl ReferenceLog {
    /// Its path.
    pub fn path(&self) -> &std::path::Path {
        &self.0.path
    }

    /// The known references; lines that cannot be parsed are skipped.
    pub fn read(&self) -> Result<References, StoreError> {
        Ok(parse(&self.0.read()?))
    }

    /// Appends the references that are not known, durably, and returns how many.
    pub fn append_missing(&self, new: &[(LetterId, Vec<LetterId>)]) -> Result<usize, StoreError> {
        self.0.append(
            |there| {
                let known = parse(there);
                let is_new = |(id, answers): &&(LetterId, Vec<LetterId>)| {
                    known.get(id).is_none_or(|known| !answers.iter().all(|answer| known.contains(answer)))
                };
                let lines: Vec<Vec<u8>> =
                    new.iter().filter(is_new).map(|(id, answers)| line(id, answers)).collect();
                (lines.concat(), lines.len())
            },
            AppendCheck::Whole,
        )
    }
}

fn line(id: &LetterId, answers: &[LetterId]) -> Vec<u8> {
    let answers = answers.iter().map(ToString::to_string).collect();
    let mut line =
        serde_json::to_vec(&ReferenceLine { letter: id.to_string(), answers }).expect("plain data");
    line.push(b'\n');
    line
}

fn parse(bytes: &[u8]) -> References {
    let mut known = References::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<ReferenceLine>(line) else { continue };
        let Some(id) = LetterId::parse(&line.letter) else { continue };
        known.entry(id).or_default().extend(line.answers.iter().filter_map(|text| LetterId::parse(text)));
    }
    known
}

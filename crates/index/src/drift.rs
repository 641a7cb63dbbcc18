//! A check that changes nothing: whether the file that processes share is a valid index of its store.

use crate::StoreIndex;
use crate::publish::is_much;
use crate::read::{self, is_claim, key_of};
use brainstem_base::DiskFault;
use brainstem_base::disk::FileKind;
use brainstem_recall::document::ClaimForm;
use brainstem_recall::segment::{Layout, Segment};
use std::fmt;
use std::path::Path;

/// What is wrong with an index file. Recall is still right, and slower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drift {
    /// It cannot be read.
    Unreadable(DiskFault),
    /// It is damaged, of another version, of another model or of another store.
    Unusable(String),
    /// It is far behind the store.
    Behind {
        /// How many claims were changed, added or removed since.
        changed: usize,
        /// How many files the store holds.
        files: usize,
    },
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(fault) => write!(f, "it cannot be read: {fault}"),
            Self::Unusable(why) => f.write_str(why),
            Self::Behind { changed, files } => {
                write!(f, "{changed} claims changed since it was written, and the store holds {files}")
            }
        }
    }
}

impl StoreIndex {
    /// The file that processes share.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Looks at the file and at the names of the store, and changes nothing. Without a file nothing is wrong: the
    /// claims themselves are then read.
    pub fn drift(&self) -> Option<Drift> {
        let disk = &self.parts.disk;
        let mapped = match disk.map(&self.file) {
            Ok(mapped) => mapped,
            Err(error) if error.fault() == DiskFault::NotFound => return None,
            Err(error) => return Some(Drift::Unreadable(error.fault())),
        };
        let layout = match Layout::check(mapped.bytes(), self.space) {
            Ok(layout) => layout,
            // The folder of the claims is part of the space.
            Err(broken) => return Some(Drift::Unusable(format!("{broken}, or it is of another store"))),
        };
        let segment = Segment::new(mapped.bytes(), &layout);
        // Another check reports a store that cannot be listed.
        let listed = disk.stamps(&self.claims).unwrap_or_default().into_iter();
        let claims = listed.filter(|(entry, _)| entry.kind != FileKind::Dir && is_claim(&entry.name));
        let (mut files, mut same, mut changed) = (0, 0, 0);
        for (entry, file_stamp) in claims {
            files += 1;
            match segment.find(&key_of(&entry.name)) {
                Some(doc) if read::is_same(segment.stamp(doc), file_stamp) => {
                    same += 1 + usize::from(segment.form(doc) == ClaimForm::Ours);
                }
                Some(_) | None => changed += 1,
            }
        }
        changed += (segment.len() as usize).saturating_sub(same);
        is_much(changed, files).then_some(Drift::Behind { changed, files })
    }
}

//! The cached count of a project's open letters, so that a beat need not read every letter again.
//!
//! Derived state, below `local/` of the home. The cache is valid for exactly the files, names and folders that it was counted
//! from. If one of them is different, the letters are counted again; dropping the cache costs one count.

use super::known_projects::KnownProjects;
use super::projects_file::{FILE, ProjectsFile};
use super::view::LetterView;
use crate::Post;
use brainstem_base::{DiskFault, hash};
use brainstem_letters::{Fate, Letter, LetterId};
use brainstem_vault::durable;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Below this many bytes of letters, reading them is faster than using the cache.
const KEEP_LEN_MIN: u64 = 256 * 1024;
/// If letters name more folders than this, they are counted each time.
const FOLDERS_MAX: usize = 256;
/// A file that changed within this time may change again with the same stamp.
const FRESH_MS: i64 = 2_000;
const FILE_LEN_MAX: u64 = 1024 * 1024;

/// The open letters of a project, for its beat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenLetters {
    /// How many; `None` if they could not be counted.
    pub count: Option<usize>,
    /// Why they could not be counted.
    pub why: Option<String>,
    /// The newest few, each cut short.
    pub newest: Vec<LetterView>,
}

/// The file of a cached count, and a key of everything that it was counted from.
pub(super) struct OpenCacheEntry {
    path: PathBuf,
    key: String,
}

impl Post {
    /// The cache entry of a project's count for the files as they are now. `None` if a cache is of no use.
    pub(super) fn open_cache_entry(
        &self,
        root: Option<&Path>,
        projects_file: &ProjectsFile,
        known_projects: &KnownProjects<'_>,
    ) -> Option<OpenCacheEntry> {
        let home = self.memory().home();
        let own = home.letter_box(root);
        let mut files = vec![
            home.spool().path().to_owned(),
            home.letter_box(None).path().to_owned(),
            own.path().to_owned(),
            home.letter_references().path().to_owned(),
            home.path().join(FILE),
        ];
        files.extend(projects_file.spools.iter().cloned());
        let now = self.clock().now();
        let (mut prints, mut len) = (Vec::new(), 0);
        for path in files {
            let print = match self.disk().stamp(&path) {
                Ok(print) => Some(print),
                Err(error) if error.fault() == DiskFault::NotFound => None,
                Err(_) => return None,
            };
            let age_ms =
                print.map_or(i64::MAX, |print| (now.ms() - print.changed_ns / 1_000_000).saturating_abs());
            if age_ms < FRESH_MS {
                return None;
            }
            len += print.map_or(0, |print| print.len);
            prints.push((path, print));
        }
        let folder = own.path().parent().and_then(|dir| self.disk().stat(dir).ok()).map(|stat| stat.kind);
        // Raise this number when the same letters are counted differently than before.
        let made_from = (
            env!("CARGO_PKG_VERSION"),
            6,
            self.tools(),
            projects_file,
            known_projects.described(),
            folder,
            prints,
        );
        let of = hash::sha256_hex(own.path().as_os_str().as_encoded_bytes(), 16);
        (len >= KEEP_LEN_MIN).then(|| OpenCacheEntry {
            path: home.path().join("local/letters-open").join(format!("{of}.json")),
            key: hash::sha256_hex(format!("{made_from:?}").as_bytes(), 64),
        })
    }

    /// The cached count, if it is still valid.
    pub(super) fn cached_open(
        &self,
        cache_entry: &OpenCacheEntry,
        known_projects: &mut KnownProjects<'_>,
    ) -> Option<OpenLetters> {
        let bytes = self.disk().read(&cache_entry.path, FILE_LEN_MAX).ok()?;
        let kept: Value = serde_json::from_slice(&bytes).ok()?;
        if kept["key"] != cache_entry.key.as_str() {
            return None;
        }
        // Folders that letters name by path may have been made or removed since.
        let folders = kept["folders"].as_object()?;
        let holds = |(path, was): (&String, &Value)| {
            was.as_str() == Some(&known_projects.described_at(Path::new(path)))
        };
        if !folders.iter().all(holds) {
            return None;
        }
        let newest = kept["newest"].as_array()?.iter().map(row_of).collect::<Option<Vec<_>>>()?;
        let count = usize::try_from(kept["count"].as_u64()?).ok()?;
        Some(OpenLetters { count: Some(count), why: None, newest })
    }

    /// Caches a count. A failed write is ignored: the next call counts again.
    pub(super) fn cache_open(
        &self,
        cache_entry: &OpenCacheEntry,
        known_projects: &KnownProjects<'_>,
        open: &OpenLetters,
    ) {
        let folders = known_projects.looked_up();
        let Some(dir) = cache_entry.path.parent().filter(|_| folders.len() <= FOLDERS_MAX) else { return };
        let newest: Vec<Value> = open.newest.iter().map(value_of).collect();
        let kept =
            json!({ "key": cache_entry.key, "folders": folders, "count": open.count, "newest": newest });
        if durable::make_dirs(self.disk(), dir).is_ok() {
            let _ = durable::replace(self.disk(), self.ids(), &cache_entry.path, kept.to_string().as_bytes());
        }
    }
}

fn value_of(row: &LetterView) -> Value {
    let answered_by: Vec<&str> = row.answered_by.iter().map(LetterId::as_str).collect();
    json!({
        "id": row.letter.id.as_str(), "letter": row.letter.to_value(), "state": row.state.as_str(),
        "answered_by": answered_by, "boxes": row.boxes, "unrecorded": row.unrecorded,
    })
}

fn row_of(value: &Value) -> Option<LetterView> {
    let texts = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let letter = Letter::parse(value["letter"].to_string().as_bytes()).ok()?;
    let answered_by =
        texts(&value["answered_by"])?.iter().map(|text| LetterId::parse(text)).collect::<Option<_>>()?;
    Some(LetterView {
        letter: Letter { id: LetterId::parse(value["id"].as_str()?)?, former: None, ..letter },
        state: Fate::parse(value["state"].as_str()?)?,
        answered_by,
        unrecorded: value["unrecorded"].as_bool()?,
        boxes: texts(&value["boxes"])?,
    })
}

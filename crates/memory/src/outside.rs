//! Evidence that lies outside a project whose memory is committed. No path of a machine, and no name of another
//! project's folder, gets into a file that travels: such evidence keeps the name of its file alone.

use crate::memorize::Target;
use crate::refusal::MemoryError;
use crate::service::Memory;
use brainstem_claims::decide::Decision;
use brainstem_claims::evidence::Evidence;
use brainstem_claims::light::keys;
use brainstem_claims::{Claim, ClaimSlug, Label, LightFile};
use brainstem_vault::repo::Sharing;
use brainstem_vault::store::{WriteFault, subject};
use brainstem_vault::{Store, StorePlace, Wording};
use std::path::{Component, Path};

/// How evidence outside a project is written: as an address, which nobody looks for in the project.
const OUTSIDE: &str = "outside://";

/// Whether what is written into a store can be committed.
pub(crate) fn is_committed(store: &Store) -> bool {
    let placed = store.paths().placed.as_ref();
    placed.is_some_and(|placed| (placed.place, placed.sharing) == (StorePlace::Repo, Sharing::Committed))
}

/// Evidence as it may be committed; `None` where it may be as it is.
fn fit(root: &Path, evidence: &Evidence) -> Option<Evidence> {
    let path = Path::new(&evidence.path);
    let is_address =
        evidence.path.contains("://") && !evidence.path.to_ascii_lowercase().starts_with("file:");
    let is_drive =
        matches!(evidence.path.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    let leads_out = path.is_absolute()
        || is_drive
        || evidence.path.starts_with(['~', '\\'])
        || evidence.path.to_ascii_lowercase().starts_with("file:")
        || path.components().any(|part| part == Component::ParentDir);
    if is_address || !leads_out {
        return None;
    }
    // A file of the project that is not there yet, or no more.
    let is_plain = !path.components().any(|part| part == Component::ParentDir);
    let inside = path.strip_prefix(root).ok().filter(|_| is_plain).and_then(Path::to_str);
    let path = match inside.filter(|inside| !inside.is_empty()) {
        Some(inside) => inside.to_owned(),
        None => {
            let name = evidence.path.rsplit(['/', '\\']).find(|part| !["", "..", ".", "~"].contains(part));
            format!("{OUTSIDE}{}", name.unwrap_or("file"))
        }
    };
    Some(Evidence { path, ..evidence.clone() })
}

/// Brings the evidence of what is about to be written into the form its store may have, and says what it changed.
pub(crate) fn keep_out(target: &Target, evidence: &mut [Evidence], notes: &mut Vec<String>) {
    let Some(root) = target.root.as_deref().filter(|_| is_committed(&target.store)) else { return };
    for one in evidence {
        let Some(fitting) = fit(root, one) else { continue };
        // What was said about it as it was given no longer holds.
        notes.retain(|note| !note.contains(&format!("`{}`", one.path)));
        if fitting.path.starts_with(OUTSIDE) {
            notes.push(format!(
                "evidence `{}` lies outside the project, whose memory is committed: kept as `{}`, without the path of this machine",
                one.path, fitting.path
            ));
        }
        *one = fitting;
    }
}

/// A claim's file as it may be committed in a project.
pub(crate) fn fit_file(root: &Path, file: &LightFile) -> LightFile {
    let mut file = file.clone();
    file.reanchor(|text| fit(root, &Evidence::parse(text)).map(|fitting| fitting.to_string()));
    file
}

impl Memory {
    /// Gives every live claim of a store whose evidence lies outside its project a version that may be committed, by
    /// the same author; the one before goes to history, which is under the home. Answers their labels.
    pub(crate) fn keep_paths_out(&self, store: &Store, root: &Path) -> Result<Vec<String>, MemoryError> {
        let mut labels = Vec::new();
        for stored in store.scan()?.claims {
            let slug = Label::parse(&stored.claim.label).map(|label| ClaimSlug::of(&label));
            let Some(slug) = slug.ok().filter(|slug| slug.as_str() == stored.id && stored.side.is_none())
            else {
                continue;
            };
            if fit_file(root, &stored.claim.file) == stored.claim.file {
                continue;
            }
            // A claim that went meanwhile needs nothing.
            let written = store.write_as(Wording::OfLive, &slug, |live| match live {
                Some(live) => Ok(without_paths(root, &slug, live)),
                None => Err(Went),
            });
            match written {
                Ok(_) => labels.push(stored.claim.label),
                Err(WriteFault::Refused(Went)) => {}
                Err(WriteFault::Unreadable(bad)) => return Err(MemoryError::Unreadable(bad)),
                Err(WriteFault::Store(error)) => return Err(error.into()),
            }
        }
        Ok(labels)
    }
}

/// The claim is not live any more.
struct Went;

fn without_paths(root: &Path, slug: &ClaimSlug, live: &Claim) -> Decision {
    let mut new = fit_file(root, &live.file);
    if new == live.file {
        return Decision::Unchanged;
    }
    if let Some(created) = live.created {
        new.set(keys::CREATED, &created.next().ms().to_string());
        new.set(keys::SUPERSEDES, &subject(slug, live));
    }
    Decision::Supersede { outdated: live.outdated(), new }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-2
    fn no_path_of_a_machine_is_left_in_evidence() {
        let fitted = |text: &str| {
            fit(Path::new("/home/ana/src/cherry"), &Evidence::parse(text)).map(|e| e.to_string())
        };
        for (text, expected) in [
            ("/home/ana/out/f.txt#L3", "outside://f.txt#L3"),
            ("~/out/f.txt", "outside://f.txt"),
            ("../plum/src/x.rs#retry", "outside://x.rs#retry"),
            ("src/../../plum", "outside://plum"),
            ("file:///home/ana/f.txt", "outside://f.txt"),
            (r"C:\Users\ana\f.txt", "outside://f.txt"),
            ("/", "outside://file"),
            ("/home/ana/src/cherry/src/gone.rs", "src/gone.rs"),
            ("/home/ana/src/cherry/../plum/x", "outside://x"),
        ] {
            assert_eq!(fitted(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["src/x.rs#L1", "https://example.org/a/b", "outside://f.txt", "a..b/c", "notes on ~"] {
            assert_eq!(fitted(text), None, "{text}");
        }
    }
}

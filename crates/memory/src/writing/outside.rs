//! What lies outside a project whose memory is committed. No path of a machine, and no name of another project's folder,
//! gets into a file that travels: such evidence keeps the name of its file alone, and a group or a label that is a path is
//! refused. Prose stays as it was written, and a note names the paths in it.

use crate::error::MemoryError;
use crate::service::Memory;
use crate::writing::memorize::{MemorizeRequest, Target};
use brainstem_claims::act::VersionRef;
use brainstem_claims::decide::Decision;
use brainstem_claims::evidence::Evidence;
use brainstem_claims::light::keys;
use brainstem_claims::{Claim, ClaimSlug, Label, LightFile, machine_path};
use brainstem_vault::repo::Sharing;
use brainstem_vault::store::WriteFault;
use brainstem_vault::{Store, StorePlace, Wording};
use std::path::{Component, Path};

/// How evidence outside a project is written: as an address, which nobody looks for in the project.
const OUTSIDE: &str = "outside://";

/// How many paths a note names.
const NAMED_MAX: usize = 3;

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
    let anchor = evidence.anchor.as_deref().and_then(|anchor| without_machine(root, anchor));
    let path = match !is_address && leads_out {
        true => Some(fit_path(root, &evidence.path)),
        false => without_machine(root, &evidence.path),
    };
    if path.is_none() && anchor.is_none() {
        return None;
    }
    let (path, anchor) = (path.unwrap_or_else(|| evidence.path.clone()), anchor.or(evidence.anchor.clone()));
    Some(Evidence { path, anchor, ..evidence.clone() })
}

/// A path that leads out of the project, as it may be committed: from the root where it lies below it, otherwise its name.
fn fit_path(root: &Path, text: &str) -> String {
    let path = Path::new(text);
    // A file of the project that is not there yet, or no more.
    let is_plain = !path.components().any(|part| part == Component::ParentDir);
    let inside = path.strip_prefix(root).ok().filter(|_| is_plain).and_then(Path::to_str);
    match inside.filter(|inside| !inside.is_empty()) {
        Some(inside) => inside.to_owned(),
        None => {
            let name = text.rsplit(['/', '\\']).find(|part| !["", "..", ".", "~"].contains(part));
            format!("{OUTSIDE}{}", name.unwrap_or("file"))
        }
    }
}

/// A text with every path of this machine in it as it may be committed; `None` where it has none.
fn without_machine(root: &Path, text: &str) -> Option<String> {
    let found = machine_path::find(text, root);
    let mut fitting = text.to_owned();
    for range in found.iter().rev() {
        let path = fit_path(root, absolute(&text[range.clone()]));
        fitting.replace_range(range.clone(), &path);
    }
    (!found.is_empty()).then_some(fitting)
}

/// A path that [`machine_path::find`] found, without what stands before its root.
fn absolute(found: &str) -> &str {
    match found.find('/') {
        // One of several separators in a row is the root.
        Some(at) if found.get(1..2) != Some(":") => {
            let rest = &found[at..];
            &rest[rest.len() - rest.trim_start_matches('/').len() - 1..]
        }
        Some(_) | None => found,
    }
}

/// The path that a text means: the first path of this machine that it names, or all of it.
pub(crate) fn meant_path<'a>(root: &Path, text: &'a str) -> &'a str {
    let found = machine_path::find(text, root).into_iter().next();
    found.filter(|_| !Path::new(text).is_absolute()).map_or(text, |range| absolute(&text[range]))
}

/// Refuses a group, and a label that is rested on, which is a path of this machine: both are names.
pub(crate) fn check_names(target: &Target, request: &MemorizeRequest) -> Result<(), MemoryError> {
    let Some(root) = target.root.as_deref() else { return Ok(()) };
    let is_path = |text: &str| !machine_path::find(text, root).is_empty();
    let refuse = |field, value: &str, what, takes| {
        let value = value.chars().take(80).collect();
        Err(MemoryError::BadValue { field, value, what, takes, rule: "MEM-2" })
    };
    if let Some(group) = request.group.as_deref().filter(|group| is_path(group)) {
        let takes = "a name without the folders of this machine, because a claim's file can be committed";
        return refuse("group", group, "name of a group", takes);
    }
    if let Some(label) = request.depends_on.iter().find(|label| is_path(label)) {
        let takes = "labels of claims; a file that proves it goes into `evidence`";
        return refuse("depends_on", label, "label of a claim", takes);
    }
    Ok(())
}

/// Says which paths of this machine prose names that is about to be committed.
pub(crate) fn paths_note<'a>(
    store: &Store,
    root: Option<&Path>,
    texts: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let root = root.filter(|_| is_committed(store))?;
    let mut paths: Vec<&str> = Vec::new();
    for text in texts {
        let found = machine_path::find(text, root).into_iter().map(|range| absolute(&text[range]));
        found.for_each(|path| {
            if !paths.contains(&path) {
                paths.push(path)
            }
        });
    }
    let named: Vec<String> = paths.iter().take(NAMED_MAX).map(|path| format!("`{path}`")).collect();
    let more = if paths.len() > named.len() { ", …" } else { "" };
    (!paths.is_empty()).then(|| {
        format!(
            "the words name paths of this machine ({}{more}), and this project's memory is committed: if others should \
             not read them, write them from the project's root, or leave them out",
            named.join(", ")
        )
    })
}

/// Brings the evidence of what is about to be written into the form its store may have, and says what it changed.
pub(crate) fn keep_out(target: &Target, evidence: &mut [Evidence], notes: &mut Vec<String>) {
    let Some(root) = target.root.as_deref().filter(|_| is_committed(&target.store)) else { return };
    for one in evidence {
        let Some(fitting) = fit(root, one) else { continue };
        // What was said about it as it was given no longer holds.
        notes.retain(|note| !note.contains(&format!("`{}`", one.path)));
        if fitting.place().contains(OUTSIDE) {
            notes.push(format!(
                "evidence `{}` lies outside the project, whose memory is committed: kept as `{}`, without the path of this machine",
                one.place(),
                fitting.place()
            ));
        }
        *one = fitting;
    }
}

/// A claim's file as it may be committed in a project.
pub(crate) fn fit_file(root: &Path, file: &LightFile) -> LightFile {
    let mut file = file.clone();
    file.reanchor(|text| fit(root, &Evidence::parse(text)).map(|fitting| fitting.to_string()));
    if let Some(group) = file.get(keys::GROUP).and_then(|group| without_machine(root, &group)) {
        file.set(keys::GROUP, &group);
    }
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
        new.set(keys::SUPERSEDES, &VersionRef::of(slug, live).to_string());
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
            ("x.rs#/home/ana/plum", "x.rs#outside://plum"),
            ("x.rs#/home/ana/src/cherry/src/y.rs", "x.rs#src/y.rs"),
            (".//home/ana/plum/x.rs", "outside://x.rs"),
            (".//home/ana/src/cherry/src/gone.rs", "src/gone.rs"),
            ("see /home/ana/plum/x.rs, line 3", "see outside://x.rs, line 3"),
            (r"see C:\Users\ana\f.txt", "see outside://f.txt"),
        ] {
            assert_eq!(fitted(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "src/x.rs#L1",
            "https://example.org/a/b",
            "outside://f.txt",
            "a..b/c",
            "notes on ~",
            "src/x.rs#/api/users",
        ] {
            assert_eq!(fitted(text), None, "{text}");
        }
    }
}

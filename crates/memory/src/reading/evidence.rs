//! Evidence: as a caller gives it, brought into the form a claim keeps, and compared with what is there now.

use crate::caller::secrets::Floor;
use crate::reading::evidence_paths::EvidencePaths;
use crate::reading::row::Row;
use crate::service::Memory;
use brainstem_base::{Disk, hash};
use brainstem_caller::git_layout;
use brainstem_claims::Claim;
use brainstem_claims::evidence::{Anchor, Evidence, EvidenceHash, Freshness};
use brainstem_claims::promotion::Provenance;
use brainstem_claims::range::{self, AnchorFault};
use brainstem_vault::Brain;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The largest file whose hash is taken at birth.
pub(crate) const HASHED_LEN_MAX: u64 = 16 * 1024 * 1024;
/// The largest file that a recall reads to see whether it changed.
pub(crate) const HASHED_IN_RECALL_LEN_MAX: u64 = 1024 * 1024;

/// Makes paths relative to the project's root and takes the hash of what they name: of the lines or the symbol if one
/// is named, else of the file. Says what it could not find; that is kept as it was given, without a hash. So is what
/// carries a secret, whatever hash was given with it: the hash of a short text gives the text away.
pub(crate) fn anchored(
    disk: &dyn Disk,
    floor: &Floor,
    root: Option<&Path>,
    cwd: Option<&Path>,
    given: &[String],
) -> (Vec<Evidence>, Vec<String>) {
    let entries = given.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    let looked = entries.map(|text| looked_at(disk, floor, root, cwd, text));
    let (anchored, notes): (Vec<_>, Vec<_>) =
        looked.map(|(evidence, found)| (evidence, found.note())).unzip();
    (anchored, notes.into_iter().flatten().collect())
}

/// Whether evidence names something that is in the project.
pub(crate) fn is_there(
    disk: &dyn Disk,
    floor: &Floor,
    root: Option<&Path>,
    cwd: Option<&Path>,
    given: &str,
) -> bool {
    let (evidence, found) = looked_at(disk, floor, root, cwd, given);
    evidence.hash.is_some() || matches!(found, EvidenceCheck::Secret(_))
}

/// What one piece of evidence turned out to be.
enum EvidenceCheck {
    /// It has a hash, or nothing could be read to take one from.
    Taken,
    /// What it names is not there; the text says what is missing.
    Missing(String),
    /// What it names carries a secret: no hash is kept. The text is the place.
    Secret(String),
}

impl EvidenceCheck {
    fn note(self) -> Option<String> {
        match self {
            Self::Taken => None,
            Self::Missing(note) => Some(note),
            Self::Secret(place) => Some(format!(
                "evidence `{place}` carries a secret: no hash of it is kept, so it is not compared when it changes"
            )),
        }
    }
}

fn looked_at(
    disk: &dyn Disk,
    floor: &Floor,
    root: Option<&Path>,
    cwd: Option<&Path>,
    text: &str,
) -> (Evidence, EvidenceCheck) {
    let mut evidence = Evidence::parse(text);
    if evidence.path.contains("://") {
        return (evidence, EvidenceCheck::Taken);
    }
    let Some(root) = root else { return (evidence, EvidenceCheck::Taken) };
    let found = resolve(disk, root, cwd, &evidence.path).or_else(|| {
        let lines = evidence.with_lines_behind_a_colon()?;
        let found = resolve(disk, root, cwd, &lines.path)?;
        evidence = lines;
        Some(found)
    });
    let Some((path, relative)) = found else {
        let several = evidence.path.split(',').filter(|part| !part.trim().is_empty());
        let are_there = |part: &str| resolve(disk, root, cwd, part.trim()).is_some();
        // A path may hold a comma, so a list is not taken apart.
        let fix = match several.clone().count() > 1 && several.clone().all(are_there) {
            true => "; its parts are files: give each as evidence of its own",
            false => "",
        };
        let note = format!(
            "evidence `{}` was not found under the project's root; kept as given{fix}",
            evidence.path
        );
        return (evidence, EvidenceCheck::Missing(note));
    };
    evidence.path = relative;
    let Ok(bytes) = disk.read(&path, HASHED_LEN_MAX) else { return (evidence, EvidenceCheck::Taken) };
    let hash = hashed(&evidence, &bytes);
    if let (Err(absent), None) = (&hash, &evidence.hash) {
        let note = not_there(&evidence, absent);
        return (evidence, EvidenceCheck::Missing(note));
    }
    if carries_secret(floor, &evidence, &bytes) {
        evidence.hash = None;
        let place = evidence.place();
        return (evidence, EvidenceCheck::Secret(place));
    }
    evidence.hash = evidence.hash.or(hash.ok());
    (evidence, EvidenceCheck::Taken)
}

/// Whether what evidence names carries a secret or a part of one: a line of a private key is none by itself.
fn carries_secret(floor: &Floor, evidence: &Evidence, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // Of a file that is no text, the whole is hashed.
    let anchor = evidence.anchor.as_deref().filter(|_| std::str::from_utf8(bytes).is_ok());
    let lines = anchor.and_then(|anchor| range::lines_of(&text, &Anchor::parse(anchor)).ok());
    let Some(lines) = lines else { return floor.has_secret(&text) };
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let starts: Vec<usize> = starts.chain([text.len()]).collect();
    let start = |line: usize| starts.get(line).copied().unwrap_or(text.len());
    let named = start(lines.first - 1)..start(lines.last);
    let is_in = |span: &Range<usize>| span.start < named.end && named.start < span.end;
    floor.has_secret(&text[named.clone()]) || floor.secret_spans(&text).iter().any(is_in)
}

/// What a claim keeps of its evidence: the hash of what its anchor names, or of the whole file.
fn hashed(evidence: &Evidence, bytes: &[u8]) -> Result<EvidenceHash, AnchorFault> {
    if let (Some(anchor), Ok(text)) = (&evidence.anchor, std::str::from_utf8(bytes)) {
        let lines = range::lines_of(text, &Anchor::parse(anchor))?;
        if let Some(hash) = range::hash_of(text, lines) {
            return Ok(EvidenceHash::Range(hash));
        }
    }
    Ok(EvidenceHash::File(hash::sha256_hex(bytes, 64)))
}

fn not_there(evidence: &Evidence, absent: &AnchorFault) -> String {
    let (path, place) = (&evidence.path, evidence.place());
    let why = match absent {
        AnchorFault::Lines { count: 1 } => format!("`{path}` has 1 line"),
        AnchorFault::Lines { count } => format!("`{path}` has {count} lines"),
        AnchorFault::Symbol => {
            let anchor = evidence.anchor.as_deref().unwrap_or_default();
            format!("no definition of `{anchor}` was found in `{path}`")
        }
    };
    format!("evidence `{place}` is not there: {why}; kept as given")
}

/// Finds a file inside the root: its path starts at the root, or else at the caller's folder.
fn resolve(disk: &dyn Disk, root: &Path, cwd: Option<&Path>, text: &str) -> Option<(PathBuf, String)> {
    let path = Path::new(text);
    let bases = [Some(root), cwd];
    bases.into_iter().flatten().find_map(|base| {
        let found = disk.canonical(&base.join(path)).ok()?;
        let relative = found.strip_prefix(git_layout::canonical(disk, root)).ok()?;
        let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        let relative = relative.to_str().filter(|text| plain && !text.is_empty())?.to_owned();
        Some((found, relative))
    })
}

/// The roots for the evidence of claims: that of a project's claims in its root, that of a promoted copy in the root
/// of the project it came from. The brains are listed once, when the first copy asks.
pub(crate) struct EvidenceRoots<'a> {
    memory: &'a Memory,
    brains: OnceCell<Vec<Brain>>,
    paths: RefCell<HashMap<PathBuf, Option<Rc<EvidencePaths>>>>,
    /// The folders that the caller has of projects, by their roots.
    checkouts: RefCell<HashMap<PathBuf, PathBuf>>,
}

impl<'a> EvidenceRoots<'a> {
    pub(crate) fn of(memory: &'a Memory) -> Self {
        Self { memory, brains: OnceCell::new(), paths: RefCell::default(), checkouts: RefCell::default() }
    }

    /// What became of one piece of evidence of a claim, in the checkout that the caller has. `own` is the root of the store
    /// that has the claim; the medulla has none.
    pub(crate) fn freshness(
        &self,
        own: Option<&Path>,
        claim: &Claim,
        evidence: &Evidence,
        len_max: u64,
    ) -> Freshness {
        let root = own.map(|root| self.checkout(root)).or_else(|| self.origin(claim, evidence));
        let paths = root.and_then(|root| self.paths_under(root));
        self.memory.hashes.freshness_among(&*self.memory.disk, paths.as_deref(), evidence, len_max)
    }

    fn checkout(&self, root: &Path) -> PathBuf {
        if let Some(known) = self.checkouts.borrow().get(root) {
            return known.clone();
        }
        let checkout = self.memory.checkout(root);
        self.checkouts.borrow_mut().insert(root.to_owned(), checkout.clone());
        checkout
    }

    fn paths_under(&self, root: PathBuf) -> Option<Rc<EvidencePaths>> {
        if let Some(known) = self.paths.borrow().get(&root) {
            return known.clone();
        }
        let paths = EvidencePaths::under(&*self.memory.disk, &root).map(Rc::new);
        self.paths.borrow_mut().insert(root, paths.clone());
        paths
    }

    /// The root of the project that a copy came from, if its evidence names a path in it.
    fn origin(&self, claim: &Claim, evidence: &Evidence) -> Option<PathBuf> {
        let provenance = Provenance::of(claim)?;
        let (origin, _) = provenance.witness()?;
        let path = Path::new(&evidence.path);
        if !path.is_absolute() {
            return None;
        }
        let list = || self.memory.home.roster().map(|roster| roster.brains).unwrap_or_default();
        let brains = self.brains.get_or_init(list).iter();
        let mut its = brains.filter(|brain| brain.origin() == origin && path.starts_with(&brain.root));
        its.next().map(|brain| brain.root.clone())
    }

    /// Looks whether the evidence of a row about to be served still says what it said, and where. If no act accounts
    /// for its file, its header names no project to look into.
    pub(crate) fn mark(&self, own: Option<&Path>, row: &mut Row) {
        let found: Vec<(String, bool, Freshness)> = row
            .evidence
            .iter()
            .filter(|_| own.is_some() || !row.is_unaccounted)
            .map(|evidence| {
                let found = self.freshness(own, &row.claim, evidence, HASHED_IN_RECALL_LEN_MAX);
                (evidence.place(), evidence.hash.is_some(), found)
            })
            .collect();
        row.evidence_holds = found.iter().any(|(_, _, found)| found.holds());
        for (place, was_there, found) in found {
            match found {
                Freshness::Missing if !was_there => row.evidence_not_found.push(place),
                Freshness::Changed | Freshness::Missing => row.evidence_changed.push(place),
                Freshness::Moved(lines) => row.evidence_moved.push((place, lines.to_string())),
                Freshness::Fresh | Freshness::Unverifiable => {}
            }
        }
    }
}

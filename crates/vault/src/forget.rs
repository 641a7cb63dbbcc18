//! True deletion: the one change that leaves nothing but a tombstone.

use crate::StoreError;
use crate::acts::{ACTS, Act, ActsLog, Line, Rewritten};
use crate::durable::TEMP_PREFIX;
use crate::history::parse_version_name;
use crate::kept::KEPT;
use crate::scan::{CLAIM_SUFFIX, Unreadable};
use crate::store::{Live, RACES_MAX, Store, subject};
use brainstem_base::disk::{Entry, FileKind};
use brainstem_base::{DiskFault, Timestamp, hash};
use brainstem_claims::light::escape;
use brainstem_claims::limits::CLAIM_LEN_READ_MAX;
use brainstem_claims::{Claim, ClaimSlug, Label, LightFile, merge};
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The name of the act.
pub const FORGET: &str = "forget";

/// What is to be forgotten.
pub struct Forgetting<'a> {
    /// The slug it has.
    pub slug: &'a ClaimSlug,
    /// Whether a version of that slug is among it.
    pub is_it: &'a dyn Fn(&Claim) -> bool,
    /// Every label it ever had here.
    pub names: &'a [Label],
    /// Which acts are upon it.
    pub spans: &'a [Span],
    /// The slugs of claims that had one of the names before and have another now.
    pub later: &'a [ClaimSlug],
}

impl Forgetting<'_> {
    /// Whether a claim of this label and birth, wherever it lies, is the one that is forgotten. The labels
    /// it had before may have gone to others since.
    fn is_meant(&self, label: &Label, created: Option<Timestamp>) -> bool {
        let slug = ClaimSlug::of(label);
        let born = created.map(|created| created.to_rfc3339());
        let span = self.spans.iter().find(|span| span.slug == slug);
        let in_time = span.is_some_and(|span| {
            span.after.as_ref().is_none_or(|after| born.as_ref().is_some_and(|born| born > after))
                && span.until.as_ref().is_none_or(|until| born.as_ref().is_some_and(|born| born <= until))
        });
        in_time && self.names.contains(label)
    }
}

/// The acts upon a slug while it was the name of one claim. A claim that was renamed left its slug to
/// the next, and the acts upon that one are not its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The slug.
    pub slug: ClaimSlug,
    /// Later than this, as acts write the time.
    pub after: Option<String>,
    /// Not later than this.
    pub until: Option<String>,
}

impl Span {
    fn holds(&self, act: &Act) -> bool {
        self.after.as_ref().is_none_or(|after| act.ts > *after)
            && self.until.as_ref().is_none_or(|until| act.ts <= *until)
    }
}

/// What there is of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// The live file, if there is one.
    pub live: Option<PathBuf>,
    /// Its versions in history.
    pub history: Vec<PathBuf>,
    /// Files that hold it under a name of another claim or of none: copied or named by hand.
    pub strays: Vec<PathBuf>,
    /// What interrupted writes left of it, and the copies kept of what lies in a repository.
    pub leftovers: Vec<PathBuf>,
    /// How many recorded acts speak of it.
    pub acts: usize,
    /// The sha256 of each file, leftovers aside.
    pub sha256: BTreeSet<String>,
    /// Versions of other claims with the same slug, as acts name them.
    kept: HashSet<String>,
}

impl Traces {
    /// Whether there is nothing to forget.
    pub fn is_empty(&self) -> bool {
        self.files().next().is_none() && self.acts == 0
    }

    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.live.iter().chain(&self.history).chain(&self.strays).chain(&self.leftovers)
    }
}

/// The labels of the claims in one file, each with its birth.
type Labels = Vec<(Label, Option<Timestamp>)>;
/// A file, with what it holds.
type Held = (Labels, PathBuf);

/// How a forgotten slug is named from then on.
pub fn tombstone_name(slug: &ClaimSlug) -> String {
    format!("forgotten-{}", hash::sha256_hex(slug.as_str().as_bytes(), 16))
}

impl Store {
    /// What there is of a claim, without touching it.
    pub fn traces(&self, forgetting: &Forgetting<'_>) -> Result<Result<Traces, Unreadable>, StoreError> {
        let Forgetting { slug, is_it, names, .. } = forgetting;
        let mut traces = Traces::default();
        let digest = |path: &Path| self.disk.read(path, u64::MAX).map(|bytes| hash::sha256_hex(&bytes, 64));
        let path = self.live_path(slug);
        match self.live(slug) {
            Live::Claim(claim) if is_it(&claim) => traces.live = Some(path),
            Live::Claim(claim) => drop(traces.kept.insert(subject(slug, &claim))),
            Live::Absent => {}
            // Not readable as a claim, such as after a merge that was left unfinished, and yet this one.
            Live::Unreadable(_) if self.mentions(&path, names) => traces.live = Some(path),
            Live::Unreadable(bad) => return Ok(Err(bad)),
        }
        let mut unreadable = Vec::new();
        for name in self.version_names(slug)? {
            let path = self.paths.history.join(name);
            match crate::scan::read_claim(&*self.disk, &path) {
                Some(Ok(claim)) if is_it(&claim) => traces.history.push(path),
                Some(Ok(claim)) => drop(traces.kept.insert(subject(slug, &claim))),
                Some(Err(_)) => unreadable.push(path),
                None => {}
            }
        }
        let is_alone = traces.kept.is_empty();
        unreadable.retain(|path| is_alone || self.mentions(path, names));
        traces.history.append(&mut unreadable);
        traces.strays = self.strays(forgetting)?;
        for path in traces.live.iter().chain(&traces.history).chain(&traces.strays) {
            traces.sha256.extend(digest(path).ok());
        }
        let acts = self.paths.acts.parent().unwrap_or(&self.paths.acts);
        let owner = self.owner_claims().into_iter().flat_map(|claims| [Some(claims), claims.parent()]);
        let own = [Some(self.paths.claims.as_path()), Some(&self.paths.history), Some(acts)];
        for dir in own.into_iter().chain(owner).flatten().collect::<BTreeSet<_>>() {
            traces.leftovers.extend(self.leftovers_in(dir, names)?);
        }
        traces.leftovers.extend(self.copies(forgetting));
        let mut upon = HashSet::new();
        for log in self.logs() {
            let acts = log.read()?.acts.into_iter();
            let is_upon =
                |act: &Act| matches!(redacted(Line::Act(act), forgetting, &traces), Rewritten::To(_));
            upon.extend(acts.filter(is_upon).map(|act| act.id));
        }
        traces.acts = upon.len();
        Ok(Ok(traces))
    }

    /// What was forgotten here, or in another clone whose acts came along. A log that cannot be read says
    /// nothing about it.
    pub fn tombstones(&self) -> Tombstones {
        let acts = self.logs().into_iter().flat_map(|log| log.read_only(FORGET).unwrap_or_default());
        Tombstones::of(&acts.collect::<Vec<_>>())
    }

    /// Deletes a claim for good: the tombstone, then the files, then what the acts say about it.
    /// Cut off anywhere, the repeat completes it, with the one tombstone.
    ///
    /// `tombstone` makes the act from its subject and its data.
    pub fn forget(
        &self,
        forgetting: &Forgetting<'_>,
        tombstone: impl FnOnce(&str, serde_json::Value) -> Act,
    ) -> Result<Result<Traces, Unreadable>, StoreError> {
        // A file under another name is guarded by that name's lock.
        let mut slugs = vec![forgetting.slug.clone()];
        let mut tries = 0..RACES_MAX;
        let (_guards, traces) = loop {
            let guards = self.lock_each(&slugs)?;
            let traces = match self.traces(forgetting)? {
                Ok(traces) => traces,
                Err(bad) => return Ok(Err(bad)),
            };
            let before = slugs.len();
            slugs.extend(traces.strays.iter().filter_map(|path| named_slug(path)));
            slugs.sort();
            slugs.dedup();
            if slugs.len() == before {
                break (guards, traces);
            }
            if tries.next().is_none() {
                return Ok(Err(self.keeps_changing(forgetting.slug)));
            }
        };
        if traces.is_empty() {
            self.sync()?;
            return Ok(Ok(traces));
        }
        let name = tombstone_name(forgetting.slug);
        let covers = |act: &Act| {
            let listed = act.data["sha256"].as_array().into_iter().flatten();
            let listed: HashSet<&str> = listed.filter_map(|hash| hash.as_str()).collect();
            act.act == FORGET
                && act.subject.starts_with(&name)
                && traces.sha256.iter().all(|hash| listed.contains(hash.as_str()))
        };
        if !self.acts().read()?.acts.iter().any(covers) {
            let all = traces.sha256.iter().cloned().collect::<Vec<_>>().join("\n");
            let subject = format!("{name}@{}", hash::sha256_hex(all.as_bytes(), 16));
            let data = json!({ "versions": traces.sha256.len(), "sha256": traces.sha256 });
            self.acts().record(&tombstone(&subject, data))?;
        }
        if let [acts, before] = self.logs().as_slice() {
            // What git does to the one in the repository must not bring the claim back unmarked.
            let tombstones: Vec<Act> = acts.read_only(FORGET)?.into_iter().filter(covers).collect();
            before.record_all(&tombstones)?;
        }
        // A full disk refuses now, and not when the files are gone.
        let rooms = self.logs().iter().map(ActsLog::reserve_rewrite).collect::<Result<Vec<_>, _>>()?;
        let fault = || StoreError::disk("cannot delete the claim");
        for path in traces.files() {
            match self.disk.unlink(path) {
                Err(error) if error.fault() != DiskFault::NotFound => return Err(fault()(error)),
                Ok(()) | Err(_) => {}
            }
        }
        self.sync_traces(forgetting.slug, &traces)?;
        drop(rooms);
        for log in self.logs() {
            log.rewrite(|line| redacted(line, forgetting, &traces))?;
        }
        Ok(Ok(traces))
    }

    fn sync_traces(&self, slug: &ClaimSlug, traces: &Traces) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot delete the claim");
        let acts_dir = self.paths.acts.parent().unwrap_or(&self.paths.acts);
        let kept = self.copies_dir();
        let copies = traces.leftovers.iter().filter_map(|path| path.parent());
        let emptied = copies.filter(|dir| dir.starts_with(&kept)).map(Path::to_owned);
        for dir in emptied.chain([kept.join(slug.as_str())]).collect::<BTreeSet<_>>() {
            // A folder that still holds something else stays.
            let _ = self.disk.remove_dir(&dir);
        }
        let dirs = BTreeSet::from([self.paths.claims.as_path(), &self.paths.history, acts_dir, &kept]);
        for dir in dirs.into_iter().chain(self.owner_claims()) {
            match self.disk.sync_dir(dir) {
                Err(error) if error.fault() != DiskFault::NotFound => return Err(fault()(error)),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Where claims lay before they went into a repository.
    fn owner_claims(&self) -> Option<&Path> {
        self.paths.placed.as_ref()?.owner.as_deref()
    }

    /// The acts log, and the one that was used before the store went into a repository: a repeated move
    /// would bring over what that one says.
    pub fn logs(&self) -> Vec<ActsLog> {
        let before = self.owner_claims().and_then(Path::parent).map(|folder| folder.join(ACTS));
        std::iter::once(self.acts()).chain(before.map(|path| self.acts().at(path))).collect()
    }

    /// Files of the store that hold the claim under another name, whatever their ending. A version in the
    /// history of a claim that was renamed has its old label and is no such file.
    fn strays(&self, forgetting: &Forgetting<'_>) -> Result<Vec<PathBuf>, StoreError> {
        let held_in = |dir: &Path| -> Result<Vec<Held>, StoreError> {
            let files = self.plain_files(dir)?.into_iter();
            Ok(files.filter_map(|path| Some((self.labels_in(&path)?, path))).collect())
        };
        let is_meant = |labels: &Labels| labels.iter().all(|(label, born)| forgetting.is_meant(label, *born));
        let is_well_named = |(labels, path): &Held| {
            let slug = named_slug(path);
            labels.iter().any(|(label, _)| slug.as_ref() == Some(&ClaimSlug::of(label)))
        };
        let mut live = held_in(&self.paths.claims)?;
        let mut history = held_in(&self.paths.history)?;
        // A slug with a version of its own label is a claim's, and the rest of its history was renamed along.
        let well_named = live.iter().chain(&history).filter(|held| is_well_named(held));
        let lived: HashSet<ClaimSlug> = well_named.filter_map(|(_, path)| named_slug(path)).collect();
        let own = self.live_path(forgetting.slug);
        live.retain(|held| is_meant(&held.0) && held.1 != own && !is_well_named(held));
        history.retain(|(labels, path)| {
            let is_a_claims = |slug: ClaimSlug| {
                slug == *forgetting.slug || lived.contains(&slug) || forgetting.later.contains(&slug)
            };
            is_meant(labels) && !named_slug(path).is_some_and(is_a_claims)
        });
        let mut owner = self.owner_claims().map_or_else(|| Ok(Vec::new()), held_in)?;
        owner.retain(|(labels, _)| is_meant(labels));
        Ok(live.into_iter().chain(history).chain(owner).map(|(_, path)| path).collect())
    }

    /// Where copies of what lay in a repository are kept, also after it came back from there.
    fn copies_dir(&self) -> PathBuf {
        self.paths.kept.clone().unwrap_or_else(|| self.paths.history.with_file_name(KEPT))
    }

    /// Kept copies of the claim, under its own slug or another.
    fn copies(&self, forgetting: &Forgetting<'_>) -> Vec<PathBuf> {
        let kept = self.copies_dir();
        let dirs = self.disk.list(&kept).unwrap_or_default().into_iter().map(|entry| kept.join(entry.name));
        let copies = dirs.flat_map(|dir| self.plain_files(&dir).unwrap_or_default());
        let is_ours = |path: &PathBuf| {
            let dir = path.parent().and_then(Path::file_name).and_then(OsStr::to_str);
            if dir == Some(forgetting.slug.as_str()) {
                return match crate::scan::read_claim(&*self.disk, path) {
                    Some(Ok(claim)) => (forgetting.is_it)(&claim),
                    Some(Err(_)) => true,
                    None => false,
                };
            }
            let is_well_named = |label: &Label| dir == Some(ClaimSlug::of(label).as_str());
            let is_ours =
                |(label, born): &(Label, _)| forgetting.is_meant(label, *born) && !is_well_named(label);
            self.labels_in(path).is_some_and(|labels| labels.iter().all(is_ours))
        };
        copies.filter(is_ours).collect()
    }

    /// The files of a folder, without those of writes that are going on.
    fn plain_files(&self, dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
        let entries = match self.disk.list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::disk("cannot look for copies")(error)),
        };
        let is_file = |entry: &Entry| {
            entry.kind == FileKind::File && !entry.name.as_encoded_bytes().starts_with(TEMP_PREFIX.as_bytes())
        };
        let mut files: Vec<PathBuf> =
            entries.into_iter().filter(is_file).map(|entry| dir.join(entry.name)).collect();
        files.sort();
        Ok(files)
    }

    /// The labels of the claims in a file, one or both sides of a merge; `None` when it holds none.
    fn labels_in(&self, path: &Path) -> Option<Labels> {
        let bytes = self.disk.read(path, CLAIM_LEN_READ_MAX).ok()?;
        let claims = match Claim::parse(&bytes) {
            Ok(claim) => vec![claim],
            Err(_) => {
                let (ours, theirs) = merge::sides(&bytes)?;
                vec![ours, theirs]
            }
        };
        claims.into_iter().map(|claim| Some((Label::parse(&claim.label).ok()?, claim.created))).collect()
    }

    fn mentions(&self, path: &Path, names: &[Label]) -> bool {
        self.disk.read(path, u64::MAX).is_ok_and(|bytes| is_named_in(&bytes, names))
    }

    /// Temporary files that hold this claim or an act upon it. The label's lock is held, so none of
    /// them belongs to a write that is going on.
    fn leftovers_in(&self, dir: &Path, names: &[Label]) -> Result<Vec<PathBuf>, StoreError> {
        let entries = match self.disk.list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::disk("cannot look for leftovers")(error)),
        };
        let temps =
            entries.into_iter().filter(|e| e.name.as_encoded_bytes().starts_with(TEMP_PREFIX.as_bytes()));
        Ok(temps.map(|entry| dir.join(entry.name)).filter(|path| self.mentions(path, names)).collect())
    }
}

/// The files that tombstones speak of, by their hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tombstones(HashSet<String>);

impl Tombstones {
    /// Those among these acts.
    pub fn of(acts: &[Act]) -> Self {
        let hashes = acts.iter().filter(|act| act.act == FORGET);
        let hashes = hashes.flat_map(|act| act.data["sha256"].as_array().into_iter().flatten());
        Self(hashes.filter_map(|hash| hash.as_str().map(str::to_owned)).collect())
    }

    /// Whether nothing was forgotten.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this very version was forgotten, live or from history, which stamps it outdated.
    pub fn cover(&self, claim: &Claim) -> bool {
        let has = |file: &LightFile| self.0.contains(&hash::sha256_hex(file.render().as_bytes(), 64));
        !self.is_empty() && (has(&claim.file) || has(&claim.outdated()))
    }
}

/// The slug a file is named by: of a live claim, or of a version in history.
fn named_slug(path: &Path) -> Option<ClaimSlug> {
    let name = path.file_name()?.to_str()?;
    match parse_version_name(name) {
        Some((slug, _)) => Some(slug),
        None => ClaimSlug::parse(name.strip_suffix(CLAIM_SUFFIX)?),
    }
}

/// An act without what was forgotten: what was done, by whom and when stays; the slug becomes its
/// hash, and the data goes.
fn redacted(line: Line<'_>, forgetting: &Forgetting<'_>, traces: &Traces) -> Rewritten {
    let act = match line {
        Line::Act(act) => act,
        Line::Damaged(bytes) if is_named_in(bytes, forgetting.names) => return Rewritten::Gone,
        Line::Damaged(_) => return Rewritten::AsIs,
    };
    let mut found = false;
    let word = |word: &str| {
        let whose = forgetting.spans.iter().filter(|span| span.holds(act)).find_map(|span| {
            let rest = word.strip_prefix(span.slug.as_str())?;
            (rest.is_empty() || rest.starts_with('@')).then(|| (&span.slug, rest.to_owned()))
        });
        match whose {
            Some((slug, rest)) if !traces.kept.contains(word) => {
                found = true;
                format!("{}{rest}", tombstone_name(slug))
            }
            Some(_) | None => word.to_owned(),
        }
    };
    let words: Vec<String> = act.subject.split(' ').map(word).collect();
    if !found {
        return Rewritten::AsIs;
    }
    let subject = words.join(" ");
    let id = Act::id_of(&act.act, &subject);
    Rewritten::To(Act { id, subject, data: json!({}), ..act.clone() })
}

/// Whether bytes hold a claim of one of these labels, or part of one, or an act upon it.
fn is_named_in(bytes: &[u8], names: &[Label]) -> bool {
    let has = |needle: &str| bytes.windows(needle.len()).any(|window| window == needle.as_bytes());
    names.iter().any(|label| {
        let slug = ClaimSlug::of(label);
        let whole = [
            format!("\nNode: {}\n", escape(label.as_str())),
            format!("\nNode: {}\r\n", escape(label.as_str())),
        ];
        whole.iter().any(|line| has(line)) || has(&format!("\"{slug}@")) || has(&format!(" {slug}@"))
    })
}

//! True deletion: the one change that leaves nothing but a tombstone.

use crate::StoreError;
use crate::acts::{Act, Line, Rewritten};
use crate::durable::TEMP_PREFIX;
use crate::scan::Unreadable;
use crate::store::{Live, Store, subject};
use brainstem_base::{DiskFault, hash};
use brainstem_claims::light::escape;
use brainstem_claims::{Claim, ClaimSlug, Label};
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
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
        self.live.is_none() && self.history.is_empty() && self.leftovers.is_empty() && self.acts == 0
    }
}

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
        for path in traces.live.iter().chain(&traces.history) {
            traces.sha256.extend(digest(path).ok());
        }
        let acts = self.paths.acts.parent().unwrap_or(&self.paths.acts);
        for dir in BTreeSet::from([self.paths.claims.as_path(), &self.paths.history, acts]) {
            traces.leftovers.extend(self.leftovers_in(dir, names)?);
        }
        let copies = self.kept_copies(slug).into_iter().filter(|path| {
            match crate::scan::read_claim(&*self.disk, path) {
                Some(Ok(claim)) => is_it(&claim),
                Some(Err(_)) => true,
                None => false,
            }
        });
        traces.leftovers.extend(copies);
        let log = self.acts().read()?;
        let is_upon = |act: &&Act| matches!(redacted(Line::Act(act), forgetting, &traces), Rewritten::To(_));
        traces.acts = log.acts.iter().filter(is_upon).count();
        Ok(Ok(traces))
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
        let _guard = self.lock(forgetting.slug)?;
        let traces = match self.traces(forgetting)? {
            Ok(traces) => traces,
            Err(bad) => return Ok(Err(bad)),
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
        let fault = || StoreError::disk("cannot delete the claim");
        for path in traces.live.iter().chain(&traces.history).chain(&traces.leftovers) {
            match self.disk.unlink(path) {
                Err(error) if error.fault() != DiskFault::NotFound => return Err(fault()(error)),
                Ok(()) | Err(_) => {}
            }
        }
        self.sync_traces(forgetting.slug)?;
        self.acts().rewrite(|line| redacted(line, forgetting, &traces))?;
        Ok(Ok(traces))
    }

    fn sync_traces(&self, slug: &ClaimSlug) -> Result<(), StoreError> {
        let fault = || StoreError::disk("cannot delete the claim");
        let acts_dir = self.paths.acts.parent().unwrap_or(&self.paths.acts);
        let kept = self.paths.kept.as_deref();
        if let Some(kept) = kept {
            let _ = self.disk.remove_dir(&kept.join(slug.as_str()));
        }
        let dirs = BTreeSet::from([self.paths.claims.as_path(), &self.paths.history, acts_dir]);
        for dir in dirs.into_iter().chain(kept) {
            match self.disk.sync_dir(dir) {
                Err(error) if error.fault() != DiskFault::NotFound => return Err(fault()(error)),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
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

//! What is left of a claim, wherever it is: what `forget` deletes.

use crate::StoreError;
use crate::acts::{ActsLog, LogLine, Rewritten};
use crate::durable::TEMP_PREFIX;
use crate::half_merged::made_whole;
use crate::history::{ExitReason, VersionName};
use crate::kept_copies::{self, KeptName};
use crate::layout::{ACTS, KEPT};
use crate::left_behind::LeftBehind;
use crate::mentions::needles;
use crate::missing_from_checkout::CopyLookup;
use crate::scan::{self, CLAIM_SUFFIX, UnreadableClaim};
use crate::store::{LiveFile, Store};
use crate::undecided::UndecidedRest;
use crate::version_owner::{OfAnother, OfOthers};
use brainstem_base::disk::{FileKind, FolderEntry};
use brainstem_base::{DiskFault, Timestamp, hash};
use brainstem_claims::act::{Act, ActTime, VersionRef, tombstone_name};
use brainstem_claims::folds::tombstones::secret_version;
use brainstem_claims::lineage::{Lineage, relabelled};
use brainstem_claims::merge::versions_in;
use brainstem_claims::{Claim, ClaimSlug, Label};
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What is to be forgotten.
pub struct Forgetting<'a> {
    /// The slug it has.
    pub slug: &'a ClaimSlug,
    /// Whether a version of that slug belongs to it.
    pub is_it: &'a dyn Fn(&Claim) -> bool,
    /// Every label it ever had here.
    pub names: &'a [Label],
    /// Which acts are upon it.
    pub spans: &'a [SlugSpan],
    /// The slugs of claims that had one of the names before and have another now.
    pub later: &'a [ClaimSlug],
    /// The labels that it had before, by renamings that were recorded here.
    pub earlier: &'a [Label],
    /// The renamings that names and slugs were read from. If others are on record once the locks are held, the deletion
    /// is decided again.
    pub renames: &'a [Act],
    /// Whether the bytes of a file hold a secret. The hash of such a file would let a reader test guesses, so neither
    /// the answer nor the log has it.
    pub holds_secret: &'a dyn Fn(&[u8]) -> bool,
}

impl Forgetting<'_> {
    /// Whether a claim of this label and birth, wherever it is, is the forgotten one. Its earlier labels may belong to
    /// other claims by now.
    fn is_meant(&self, label: &Label, created: Option<Timestamp>) -> bool {
        let slug = ClaimSlug::of(label);
        let born = created.map(ActTime::from);
        let span = self.spans.iter().find(|span| span.slug == slug);
        let in_time = span.is_some_and(|span| {
            span.after.as_ref().is_none_or(|after| born.as_ref().is_some_and(|born| born > after))
                && span.until.as_ref().is_none_or(|until| born.as_ref().is_some_and(|born| born <= until))
        });
        in_time && self.names.contains(label)
    }
}

/// The acts upon a slug while it was the name of one claim. After a renaming the next claim of that slug has acts of
/// its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlugSpan {
    /// The slug.
    pub slug: ClaimSlug,
    /// Later than this.
    pub after: Option<ActTime>,
    /// Not later than this.
    pub until: Option<ActTime>,
}

impl SlugSpan {
    fn holds(&self, act: &Act) -> bool {
        self.after.as_ref().is_none_or(|after| act.at() > after)
            && self.until.as_ref().is_none_or(|until| act.at() <= until)
    }
}

/// What there is of a claim.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// The live file, if there is one.
    pub live: Option<PathBuf>,
    /// What stays in the live file, if claims of other labels wait in it for a decision.
    pub rest: Option<UndecidedRest>,
    /// Its versions in history.
    pub history: Vec<PathBuf>,
    /// Files that hold it under the name of another claim, or of none: copied or named by hand.
    pub strays: Vec<PathBuf>,
    /// How many more versions are shown and go, of which only a copy is kept: it is among the leftovers.
    pub copies: usize,
    /// What interrupted writes left of it, and the kept copies of a claim in a repository.
    pub leftovers: Vec<PathBuf>,
    /// How many recorded acts are about it.
    pub acts: usize,
    /// The sha256 of each file, except leftovers, files that are too large to be claims and those that hold a secret.
    pub sha256: BTreeSet<String>,
    /// Versions that are shown with it and stay, because they belong, or may belong, to another claim.
    pub left: Vec<OfAnother>,
    /// Files under the home with a version of it that stay because a claim of another label waits in the same file.
    pub beside_others: Vec<PathBuf>,
    /// The versions in files that hold a secret, in the form of a tombstone: slug and birth.
    pub secret: BTreeSet<String>,
    /// The versions that its versions were written over, for the clones that hold copies of them.
    covers: Vec<Lineage>,
    /// The versions themselves, to recognise one that comes back under another name.
    gone: Vec<Lineage>,
    /// The slugs of the labels that its versions have.
    pub(crate) slugs: BTreeSet<ClaimSlug>,
    /// The content of the versions that go.
    contents: HashSet<String>,
    /// The births of its versions that hold a secret, in ms.
    secret_born: HashSet<i64>,
    /// Versions of other claims with the same slug, as acts name them.
    pub(crate) others: HashSet<String>,
    /// The births of its versions, in ms.
    born: HashSet<i64>,
    /// The births of versions of the claims that have one of its names since.
    others_born: HashSet<i64>,
}

impl Traces {
    /// How many versions go that are no longer live.
    pub fn versions(&self) -> usize {
        self.history.len() + self.copies
    }

    /// Whether there is nothing to forget.
    pub fn is_empty(&self) -> bool {
        self.files().next().is_none() && self.acts == 0
    }

    /// Whether nothing but what interrupted writes left is there.
    pub fn is_leftovers_alone(&self) -> bool {
        let files = self.live.iter().chain(&self.history).chain(&self.strays);
        files.count() + self.copies + self.acts == 0
    }

    /// Whether the stamp behind a slug belongs to another claim that had the slug, or that has one which this claim
    /// had.
    fn is_of_another(&self, stamp: &str) -> bool {
        let digits: String = stamp.chars().skip(1).take_while(char::is_ascii_digit).collect();
        let ms: Option<i64> = digits.parse().ok();
        ms.is_some_and(|ms| self.others_born.contains(&ms) && !self.born.contains(&ms))
    }

    /// Notes a version that goes.
    fn note(&mut self, forgetting: &Forgetting<'_>, claim: &Claim, exit: ExitReason) {
        self.born.extend(claim.created.map(Timestamp::ms));
        self.contents.insert(claim.content_hash());
        if (forgetting.holds_secret)(claim.file.render().as_bytes()) {
            self.secret_born.insert(claim.created.map_or(0, Timestamp::ms));
        }
        self.slugs.extend(Label::parse(&claim.label).map(|label| ClaimSlug::of(&label)));
        // History stamps a superseded version, so its own id differs from the one that others know.
        match exit {
            ExitReason::Superseded => self.covers.push(claim.lineage()),
            ExitReason::Retracted | ExitReason::Moved => {
                self.covers.push(Lineage::up_to(claim));
                self.gone.push(Lineage::only(claim));
                // The version under each label that it had, too.
                let earlier = forgetting.earlier.iter().map(|label| relabelled(claim, label));
                self.gone.extend(earlier.map(|earlier| Lineage::only(&earlier)));
            }
        }
    }

    /// Whether exactly this version is among those that go: the same words, birth and author.
    pub(crate) fn has(&self, claim: &Claim) -> bool {
        self.contents.contains(&claim.content_hash())
    }

    /// The versions that its versions were written over, in the form of a tombstone.
    pub(crate) fn covers(&self) -> Lineage {
        self.without_secret_hashes(&self.covers)
    }

    /// The versions that went, in the form of a tombstone.
    pub(crate) fn gone(&self) -> Lineage {
        self.without_secret_hashes(&self.gone)
    }

    /// Returns these versions as one lineage, those that carried a secret by their birth alone.
    fn without_secret_hashes(&self, versions: &[Lineage]) -> Lineage {
        let all = versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        Lineage::parse(&all).bare_at(|born| self.secret_born.contains(&born))
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.live.iter().chain(&self.history).chain(&self.strays).chain(&self.leftovers)
    }
}

/// The labels of the claims in one file, each with its birth.
type Labels = Vec<(Label, Option<Timestamp>)>;
/// A file, with what it holds.
type LabelledFile = (Labels, PathBuf);

impl Store {
    /// The traces of a claim. Changes nothing.
    pub fn traces(&self, forgetting: &Forgetting<'_>) -> Result<Result<Traces, UnreadableClaim>, StoreError> {
        let Forgetting { slug, is_it, names, .. } = forgetting;
        let mut traces = Traces::default();
        let path = self.live_path(slug);
        match self.live(slug) {
            LiveFile::Claim(claim) if is_it(&claim) => {
                traces.note(forgetting, &claim, ExitReason::Retracted);
                traces.live = Some(path);
            }
            LiveFile::Claim(claim) => drop(traces.others.insert(VersionRef::of(slug, &claim).to_string())),
            LiveFile::Absent => {}
            LiveFile::Unreadable(bad) => match self.rest(slug, is_it)? {
                // Every waiting version of it goes, and other clones may hold each of them. A claim of another label
                // that waits in the same file stays.
                Some(rest) => {
                    rest.gone.iter().for_each(|side| traces.note(forgetting, side, ExitReason::Retracted));
                    traces.others.extend(rest.stay.iter().map(|side| VersionRef::of(slug, side).to_string()));
                    traces.live = (!rest.gone.is_empty()).then(|| path.clone());
                    traces.rest = Some(rest).filter(|rest| !rest.gone.is_empty() && !rest.stay.is_empty());
                }
                // It cannot be read as a claim, and still is this one.
                None if self.mentions(&path, names) => traces.live = Some(path),
                None => return Ok(Err(bad)),
            },
        }
        let of_others = self.not_its_own(slug)?;
        let left = self.left_in_history(Some(slug))?;
        let cut_off = self.cut_off_here()?;
        // A renaming that was interrupted before it was on record: the claim lives under both names, and goes from
        // both.
        let ahead: Vec<&ClaimSlug> =
            cut_off.iter().filter(|pair| pair.from == **slug).map(|pair| &pair.to).collect();
        let (left_here, left_elsewhere): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|left| left.from == **slug);
        let is_left =
            |path: &Path| left_here.iter().any(|left| left.path == path && !ahead.contains(&&left.to));
        let mut unreadable = Vec::new();
        for name in self.version_names(slug)? {
            let path = self.paths.history.join(name);
            let exit =
                path.file_name().and_then(OsStr::to_str).and_then(VersionName::parse).map(|name| name.exit);
            match crate::scan::read_claim(&*self.disk, &path) {
                Some(Ok(claim)) if of_others.has(&path) || is_left(&path) => {
                    traces.others.insert(VersionRef::of(slug, &claim).to_string());
                }
                Some(Ok(claim)) if is_it(&claim) => {
                    traces.note(forgetting, &claim, exit.unwrap_or(ExitReason::Superseded));
                    traces.history.push(path);
                }
                Some(Ok(claim)) => drop(traces.others.insert(VersionRef::of(slug, &claim).to_string())),
                Some(Err(_)) => unreadable.push(path),
                None => {}
            }
        }
        let is_alone = traces.others.is_empty();
        unreadable.retain(|path| is_alone || self.mentions(path, names));
        traces.history.append(&mut unreadable);
        (traces.strays, traces.others_born) = self.strays(forgetting)?;
        for left in self.left_live(slug)? {
            let mut versions = self.versions_at(&left.path)?;
            let is_cut_off = cut_off.iter().any(|pair| pair.path == left.path);
            let of_others = self.renamed_away(&left.from, &CopyLookup::at(self))?.without(slug);
            for copy in self.kept_copies(&left.from)? {
                if is_cut_off && !of_others.has(&copy.path)
                    || versions.iter().any(|live| live.is_version(&copy.claim))
                    || self.has_had(slug, &copy.claim)?
                {
                    versions.push(copy.claim);
                    traces.leftovers.push(copy.path);
                }
            }
            versions.iter().for_each(|version| traces.note(forgetting, version, ExitReason::Retracted));
            if !traces.strays.contains(&left.path) {
                traces.strays.push(left.path);
            }
        }
        for to in &ahead {
            let path = self.live_path(to);
            self.versions_at(&path)?
                .iter()
                .for_each(|version| traces.note(forgetting, version, ExitReason::Retracted));
            traces.strays.push(path);
            let names = self.version_names(to)?.into_iter();
            traces.leftovers.extend(names.map(|name| self.paths.history.join(name)));
            traces.leftovers.extend(self.kept_names(to)?.into_iter().map(|name| name.path));
        }
        traces.left = of_others.all().cloned().collect();
        traces.others_born.extend(traces.left.iter().filter_map(|other| other.born.map(Timestamp::ms)));
        for side in traces.rest.iter().flat_map(|rest| &rest.gone) {
            let bytes = side.file.render();
            match (forgetting.holds_secret)(bytes.as_bytes()) {
                true => drop(traces.secret.insert(secret_version(slug, side.created))),
                false => drop(traces.sha256.insert(hash::sha256_hex(bytes.as_bytes(), 64))),
            }
        }
        let live = traces.live.iter().filter(|_| traces.rest.is_none());
        for path in live.chain(&traces.history).chain(&traces.strays) {
            let bytes = match scan::read_file(&*self.disk, path) {
                Ok(bytes) => bytes,
                // Without it, the tombstone would not mark the claim when git brings it back.
                Err(error) if matches!(error.fault(), DiskFault::Other | DiskFault::Busy) => {
                    return Err(StoreError::disk("cannot read what is to be forgotten")(error));
                }
                // A larger file is not a claim, and cannot come back as one.
                Err(_) => continue,
            };
            if (forgetting.holds_secret)(&bytes) {
                // A file that cannot be read as a claim cannot come back as one.
                let labels = self.labels_in(path).into_iter().flatten();
                traces
                    .secret
                    .extend(labels.map(|(label, born)| secret_version(&ClaimSlug::of(&label), born)));
            } else {
                traces.sha256.insert(hash::sha256_hex(&bytes, 64));
            }
        }
        let acts = self.paths.acts.parent().unwrap_or(&self.paths.acts);
        let owner = self.owner_claims().into_iter().flat_map(|claims| [Some(claims), claims.parent()]);
        let own = [Some(self.paths.claims.as_path()), Some(&self.paths.history), Some(acts)];
        for dir in own.into_iter().chain(owner).flatten().collect::<BTreeSet<_>>() {
            let left = self.leftovers_in(dir, names, &traces)?;
            traces.leftovers.extend(left);
        }
        let left = self.leftovers_in(&self.copies_dir(), names, &traces)?;
        traces.leftovers.extend(left);
        // Every version that is shown with it goes, also under a name that it had before another clone renamed it.
        let elsewhere = self.versions_elsewhere(slug, &CopyLookup::at(self))?.into_iter();
        for version in elsewhere.filter(|version| is_it(&version.claim)) {
            if of_others.has(&version.path) {
                continue;
            }
            if version.path.starts_with(&self.paths.history) && !traces.history.contains(&version.path) {
                traces.note(forgetting, &version.claim, version.exit);
                traces.history.push(version.path);
            }
        }
        // A second name of a version goes with the first, and does not count as a version.
        for LeftBehind { path, .. } in left_elsewhere {
            traces.history.retain(|known| *known != path);
            traces.strays.retain(|known| *known != path);
            traces.leftovers.push(path);
        }
        let (copies_here, copies_elsewhere): (Vec<_>, Vec<_>) =
            self.left_in_copies(Some(slug))?.into_iter().partition(|left| left.from == **slug);
        traces.leftovers.extend(copies_elsewhere.into_iter().map(|left| left.path));
        let is_left =
            |path: &PathBuf| copies_here.iter().any(|left| left.path == *path && !ahead.contains(&&left.to));
        for copy in self.copies(forgetting, &of_others, is_alone)?.into_iter().filter(|copy| !is_left(copy)) {
            if let Some(Ok(claim)) = crate::scan::read_claim(&*self.disk, &copy) {
                traces.note(forgetting, &claim, ExitReason::Retracted);
            }
            if !traces.leftovers.contains(&copy) {
                traces.leftovers.push(copy);
            }
        }
        let past = self.history(slug)?.0;
        // Every version that is shown with it goes: a file under the home may be older than the renaming of another
        // claim of this label.
        for version in past.iter().filter(|version| is_it(&version.claim) && !of_others.has(&version.path)) {
            if traces.files().any(|path| *path == version.path) {
                continue;
            }
            if self.versions_at(&version.path)?.iter().all(is_it) {
                traces.note(forgetting, &version.claim, ExitReason::Retracted);
                traces.leftovers.push(version.path.clone());
            } else {
                traces.beside_others.push(version.path.clone());
            }
        }
        traces.copies = past.iter().filter(|version| traces.leftovers.contains(&version.path)).count();
        // Acts upon a version that stays under an earlier slug of the claim do not belong to it.
        for span in forgetting.spans.iter().filter(|span| span.slug != **slug) {
            let stays = self.staying_under(&span.slug, &traces)?;
            traces.others.extend(stays.iter().map(|claim| VersionRef::of(&span.slug, claim).to_string()));
        }
        let mut upon = HashSet::new();
        for log in self.logs() {
            let acts = log.read()?.acts.into_iter();
            let is_upon =
                |act: &Act| matches!(redacted(LogLine::Act(act), forgetting, &traces), Rewritten::Upon(..));
            upon.extend(acts.filter(is_upon).map(|act| act.id().clone()));
        }
        traces.acts = upon.len();
        Ok(Ok(traces))
    }

    /// Where the claims were before they went into a repository.
    pub(crate) fn owner_claims(&self) -> Option<&Path> {
        self.paths.placed.as_ref()?.owner.as_deref()
    }

    /// The acts log, and the one that was used before the store went into a repository: a repeated move would bring its
    /// acts over.
    pub fn logs(&self) -> Vec<ActsLog> {
        let before = self.owner_claims().and_then(Path::parent).map(|folder| folder.join(ACTS));
        std::iter::once(self.acts()).chain(before.map(|path| self.acts().at(path))).collect()
    }

    /// The versions under a slug that are not among the traces of a claim.
    fn staying_under(&self, slug: &ClaimSlug, traces: &Traces) -> Result<Vec<Claim>, StoreError> {
        let history = self.version_names(slug)?.into_iter().map(|name| self.paths.history.join(name));
        let kept = self.kept_names(slug)?.into_iter().map(|name| name.path);
        let files = std::iter::once(self.live_path(slug)).chain(history).chain(kept);
        let mut versions = Vec::new();
        for path in files.filter(|path| traces.files().all(|gone| gone != path)) {
            versions.extend(self.versions_at(&path)?);
        }
        Ok(versions)
    }

    /// Files of the store that hold the claim under another name, whatever their ending, and the births of versions of
    /// the claims that have or had one of its names. A version in the history of a renamed claim has its old label and
    /// does not count.
    fn strays(&self, forgetting: &Forgetting<'_>) -> Result<(Vec<PathBuf>, HashSet<i64>), StoreError> {
        let held_in = |dir: &Path| -> Result<Vec<LabelledFile>, StoreError> {
            let files = self.plain_files(dir)?.into_iter();
            Ok(files.filter_map(|path| Some((self.labels_in(&path)?, path))).collect())
        };
        let is_meant = |labels: &Labels| labels.iter().all(|(label, born)| forgetting.is_meant(label, *born));
        let is_well_named = |(labels, path): &LabelledFile| {
            let slug = named_slug(path);
            labels.iter().any(|(label, _)| slug.as_ref() == Some(&ClaimSlug::of(label)))
        };
        let mut live = held_in(&self.paths.claims)?;
        let mut history = held_in(&self.paths.history)?;
        // A slug with a version of its own label belongs to a claim, and the rest of its history was renamed along.
        let well_named = live.iter().chain(&history).filter(|held| is_well_named(held));
        let lived: HashSet<ClaimSlug> = well_named.filter_map(|(_, path)| named_slug(path)).collect();
        let own = self.live_path(forgetting.slug);
        let is_stray = |held: &LabelledFile| is_meant(&held.0) && held.1 != own && !is_well_named(held);
        let is_past_stray = |(labels, path): &LabelledFile| {
            let is_a_claims = |slug: ClaimSlug| {
                slug == *forgetting.slug || lived.contains(&slug) || forgetting.later.contains(&slug)
            };
            is_meant(labels) && !named_slug(path).is_some_and(is_a_claims)
        };
        let is_related = |slug: &ClaimSlug| {
            *slug != *forgetting.slug
                && (forgetting.later.contains(slug) || forgetting.spans.iter().any(|span| span.slug == *slug))
        };
        let others =
            live.iter().filter(|held| !is_stray(held)).chain(history.iter().filter(|it| !is_past_stray(it)));
        let others = others.filter(|(_, path)| named_slug(path).is_some_and(|slug| is_related(&slug)));
        let born = others
            .flat_map(|(labels, _)| labels.iter().filter_map(|(_, born)| born.map(Timestamp::ms)))
            .collect();
        live.retain(is_stray);
        history.retain(is_past_stray);
        let mut owner = self.owner_claims().map_or_else(|| Ok(Vec::new()), held_in)?;
        owner.retain(|(labels, _)| is_meant(labels));
        Ok((live.into_iter().chain(history).chain(owner).map(|(_, path)| path).collect(), born))
    }

    /// Where copies of claims in a repository are kept, also after the store came back from there.
    pub(crate) fn copies_dir(&self) -> PathBuf {
        self.paths.kept.clone().unwrap_or_else(|| self.paths.history.with_file_name(KEPT))
    }

    /// Kept copies of the claim, under its own slug, under an earlier one, or under another by mistake.
    fn copies(
        &self,
        forgetting: &Forgetting<'_>,
        of_others: &OfOthers,
        is_alone: bool,
    ) -> Result<Vec<PathBuf>, StoreError> {
        let elsewhere = self.versions_elsewhere(forgetting.slug, &CopyLookup::at(self))?.into_iter();
        let shown: Vec<PathBuf> = elsewhere
            .filter(|version| (forgetting.is_it)(&version.claim))
            .map(|version| version.path)
            .collect();
        let is_ours = |name: &KeptName| {
            // Under its new name it belongs to another claim.
            if of_others.has(&name.path) {
                return false;
            }
            if name.slug == *forgetting.slug {
                return match crate::scan::read_claim(&*self.disk, &name.path) {
                    Some(Ok(claim)) => (forgetting.is_it)(&claim),
                    // It is damaged, and another claim may have had this slug too.
                    Some(Err(_)) => is_alone || self.mentions(&name.path, forgetting.names),
                    None => false,
                };
            }
            let is_well_named = |label: &Label| name.slug == ClaimSlug::of(label);
            let is_ours =
                |(label, born): &(Label, _)| forgetting.is_meant(label, *born) && !is_well_named(label);
            shown.contains(&name.path)
                || self.labels_in(&name.path).is_some_and(|labels| labels.iter().all(is_ours))
        };
        let names = kept_copies::names_below(&*self.disk, &self.copies_dir())?.into_iter();
        Ok(names.filter(is_ours).map(|name| name.path).collect())
    }

    /// The files of a folder, without those of running writes.
    fn plain_files(&self, dir: &Path) -> Result<Vec<PathBuf>, StoreError> {
        let entries = match self.disk.list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::disk("cannot look for copies")(error)),
        };
        let is_file = |entry: &FolderEntry| {
            entry.kind == FileKind::File && !entry.name.as_encoded_bytes().starts_with(TEMP_PREFIX.as_bytes())
        };
        let mut files: Vec<PathBuf> =
            entries.into_iter().filter(is_file).map(|entry| dir.join(entry.name)).collect();
        files.sort();
        Ok(files)
    }

    /// The labels of the claims in a file, also of all that wait for a decision; `None` if it holds no claim.
    fn labels_in(&self, path: &Path) -> Option<Labels> {
        let bytes = scan::read_file(&*self.disk, path).ok()?;
        versions_in(&made_whole(&*self.disk, path, bytes))?
            .into_iter()
            .map(|claim| Some((Label::parse(&claim.label).ok()?, claim.created)))
            .collect()
    }

    /// Temporary files that hold this claim, a version of it under the label that an interrupted renaming was to give it, or
    /// an act upon it. The label's lock is held, so none of them belongs to a running write.
    fn leftovers_in(&self, dir: &Path, names: &[Label], traces: &Traces) -> Result<Vec<PathBuf>, StoreError> {
        let entries = match self.disk.list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::disk("cannot look for leftovers")(error)),
        };
        let temps =
            entries.into_iter().filter(|e| e.name.as_encoded_bytes().starts_with(TEMP_PREFIX.as_bytes()));
        let mut left = Vec::new();
        for path in temps.map(|entry| dir.join(entry.name)) {
            let goes = |version: &Claim| names.iter().any(|name| traces.has(&relabelled(version, name)));
            if self.mentions(&path, names) || self.versions_at(&path)?.iter().any(goes) {
                left.push(path);
            }
        }
        Ok(left)
    }
}

/// The slug in the name of a file: of a live claim, or of a version in history.
pub(crate) fn named_slug(path: &Path) -> Option<ClaimSlug> {
    let name = path.file_name()?.to_str()?;
    match VersionName::parse(name) {
        Some(version) => Some(version.slug),
        None => ClaimSlug::parse(name.strip_suffix(CLAIM_SUFFIX)?),
    }
}

/// An act without the forgotten words: the deed, the agent and the time stay; the slug becomes its hash, and the data
/// goes. Every word of a subject is checked as text, because an act that this program does not know can name the claim
/// too.
pub(crate) fn redacted<'a>(line: LogLine<'a>, forgetting: &Forgetting<'_>, traces: &Traces) -> Rewritten<'a> {
    let act = match line {
        LogLine::Act(act) => act,
        LogLine::Damaged(bytes) if is_named_in(bytes, forgetting.names) => return Rewritten::Gone,
        LogLine::Damaged(_) => return Rewritten::AsIs,
    };
    let mut found = false;
    let word = |word: &str| {
        let whose = forgetting.spans.iter().filter(|span| span.holds(act)).find_map(|span| {
            let rest = word.strip_prefix(span.slug.as_str())?;
            (rest.is_empty() || rest.starts_with('@')).then(|| (&span.slug, rest.to_owned()))
        });
        match whose {
            Some((slug, rest)) if !traces.others.contains(word) && !traces.is_of_another(&rest) => {
                found = true;
                format!("{}{rest}", tombstone_name(slug))
            }
            Some(_) | None => word.to_owned(),
        }
    };
    let subject = act.deed().subject();
    let words: Vec<String> = subject.split(' ').map(word).collect();
    if !found {
        return Rewritten::AsIs;
    }
    Rewritten::Upon(act, words.join(" "))
}

fn is_named_in(bytes: &[u8], names: &[Label]) -> bool {
    needles(names).iter().any(|needle| bytes.windows(needle.len()).any(|window| window == needle.as_slice()))
}

//! `resolve`: decides between versions of one label that grew apart.

use crate::error::MemoryError;
use crate::gap::Gap;
use crate::limits::UNREADABLE_NAMED_MAX;
use crate::reading::evidence::EvidenceRoots;
use crate::reading::row::{Row, Why};
use crate::reading::several_claims::{labels_of, several_claims};
use crate::service::Memory;
use crate::writing::error::WriteError;
use crate::writing::outside;
use crate::writing::target::WriteTier;
use brainstem_base::next::{Shell, VerbId, field};
use brainstem_base::{Advice, advice};
use brainstem_base::{Fault, Timestamp};
use brainstem_caller::Caller;
use brainstem_caller::git_layout;
use brainstem_claims::act::{Act, Deed, Mention, VersionRef};
use brainstem_claims::decide::born_after;
use brainstem_claims::lifecycle::FilePlace;
use brainstem_claims::undecided_file::UndecidedSide;
use brainstem_claims::{Author, Claim, ClaimDraft, ClaimSlug, Label, LightFile};
use brainstem_vault::kept_copies::KeptLabel;
use brainstem_vault::one_claim::is_one_claim;
use brainstem_vault::scan::{StoreScan, StoredClaim, UnreadableClaim};
use brainstem_vault::store::{LiveFile, WriteOutcome};
use brainstem_vault::undecided::Contender;
use brainstem_vault::{Store, StoreError};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

/// What to decide.
#[derive(Clone, Debug, Default)]
pub struct ResolveRequest {
    /// The label; absent lists what waits.
    pub label: Option<String>,
    /// `ours`, `theirs`, `third`, …, or the author's id.
    pub take: Option<String>,
    /// A text of your own in the place of all of them.
    pub text: Option<String>,
    /// `medulla`, or the caller's own brain.
    pub tier: Option<WriteTier>,
}

/// What was decided, and what still waits.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The claim that is live now.
    pub claim: Option<Claim>,
    /// Its file.
    pub path: Option<PathBuf>,
    /// All versions of every label that waits.
    pub waiting: Vec<Row>,
    /// What the caller should know besides.
    pub notes: Vec<Advice>,
    /// Claim files that cannot be read: versions in them may wait.
    pub gaps: Vec<Gap>,
}

impl Memory {
    /// Lists what waits, or decides one label: the version that is taken becomes live as it is, but for the header line
    /// that says what it follows, and the others go to history.
    pub fn resolve(&self, caller: &Caller, request: &ResolveRequest) -> Result<Resolved, MemoryError> {
        let (memory, reads) = self.at(caller).noting_reads();
        let mut resolved = memory.resolve_once(caller, request)?;
        let unread = reads.unnamed([]);
        // What the disk did not give is named once.
        resolved.gaps.retain(|gap| !unread.iter().any(|unread| unread.detail == gap.detail));
        let unread = unread.into_iter();
        resolved.notes.extend(unread.map(|gap| advice![gap.detail, ": more may wait for a decision"]));
        Ok(resolved)
    }

    fn resolve_once(&self, caller: &Caller, request: &ResolveRequest) -> Result<Resolved, MemoryError> {
        let (own, place, author) = self.deciding_store(caller, request.tier)?;
        let mut store = own.clone();
        let linked = self.linked_store(caller).filter(|_| place == FilePlace::Project);
        let mut resolved =
            Resolved { claim: None, path: None, waiting: Vec::new(), notes: Vec::new(), gaps: Vec::new() };
        if let Some(label) = &request.label {
            self.floor().check_text("label", label)?;
            let label = self.floor().label("label", label)?;
            self.floor().check_text("text", request.text.as_deref().unwrap_or_default())?;
            self.home.check_writable()?;
            if let Some(brain) = self.route(caller).brain().filter(|_| place == FilePlace::Project) {
                self.home.remember_root(brain)?;
            }
            let slug = ClaimSlug::of(&label);
            // What git merged in the caller's own worktree is decided there.
            if let Some(linked) = &linked
                && !linked.contenders(&slug)?.is_empty()
            {
                store = linked.clone();
            }
            let acts = store.acts().read()?.acts;
            let before = store.contenders(&slug)?;
            let written = match (request.take.as_deref(), request.text.as_deref()) {
                (Some(take), None) => self.take(&store, &slug, &author, take)?,
                (None, Some(text)) => self.replace_all(&store, &label, &author, text)?,
                (Some(_), Some(_)) => return Err(WriteError::TakeAndText.into()),
                // A label that no claim has is said before what is missing for a decision.
                (None, None) if !self.may_wait(&store, place, &slug) => None,
                (None, None) => {
                    return Err(MemoryError::Missing {
                        field: "take",
                        give: advice![
                            "ours or theirs as `",
                            field("take"),
                            "`, or a version of your own as `",
                            field("text"),
                            "`"
                        ],
                        rule: "MEM-49",
                    });
                }
            };
            let Some(written) = written else {
                let is_id = store.is_id(&label)?;
                return Err(match store.live(&slug) {
                    LiveFile::Claim(claim) if is_id || label.is_read_as(&claim.label) => {
                        WriteError::NothingWaits { label: claim.label }.into()
                    }
                    LiveFile::Claim(_) | LiveFile::Absent | LiveFile::Unreadable(_) => {
                        self.not_found(&store, &label, "what waits for a decision")
                    }
                });
            };
            resolved.notes.extend(outside::paths_note(&store, request.text.as_deref()));
            if store.paths().kept.is_some() || store.is_linked() {
                let next = if self.is_rebasing(caller) { "git rebase --continue" } else { "git commit" };
                resolved
                    .notes
                    .push(advice!["tell git: ", Shell::line(format!("git add .brainstem && {next}"))]);
            }
            let is_other = |side: &&Claim| !is_one_claim(side, &written.claim, &slug, &acts);
            let others = labels_of(before.iter().map(|side| &side.claim).filter(is_other));
            resolved.notes.extend((!others.is_empty()).then(|| {
                let others = others.join(", ");
                advice![
                    "{others} is another claim, which is live no longer: its history has it under its own label; ",
                    VerbId::Memorize,
                    " under a label that differs in letters or digits keeps both"
                ]
            }));
            resolved.path = Some(written.path);
            resolved.claim = Some(written.claim);
        }
        match self.waiting_beside(&own, linked.as_ref(), place) {
            Ok(UndecidedInStore { mut rows, unreadable }) => {
                if let Some(brain) = self.route(caller).brain().filter(|_| place == FilePlace::Project) {
                    let roots = EvidenceRoots::of(self);
                    rows.iter_mut().for_each(|row| roots.mark(Some(&brain.root), row));
                }
                resolved.notes.extend(alike(&rows).into_iter().map(Advice::from));
                resolved.notes.extend(self.several_claims(&store, &rows));
                resolved.waiting = rows;
                resolved.gaps = unreadable_gaps(&unreadable);
            }
            // It is decided: what cannot be read afterwards does not make that a refusal.
            Err(error) if resolved.claim.is_some() => {
                let told =
                    format!("what else waits for a decision could not be read: {}", Fault::from(error));
                resolved.notes.push(told.into());
            }
            Err(error) => return Err(error),
        }
        let unread = Gap::written_here("this store", &store).filter(|_| !resolved.waiting.is_empty());
        resolved.notes.extend(unread.map(|gap| gap.detail));
        if !resolved.waiting.is_empty() && self.is_rebasing(caller) {
            resolved.notes.push(advice![
                "a rebase is running: git calls the branch it goes onto ours, and your own work theirs; ",
                field("take"),
                " with the author's id is plainer"
            ]);
        }
        Ok(resolved)
    }

    /// Whether git is in the middle of a rebase in the caller's repository.
    fn is_rebasing(&self, caller: &Caller) -> bool {
        let route = self.route(caller);
        let git_dir =
            route.brain().and_then(|brain| git_layout::git_dir(&*self.disk, &self.checkout(&brain.root)));
        let is_there = |git_dir: &std::path::Path, name| self.disk.stat(&git_dir.join(name)).is_ok();
        git_dir.is_some_and(|dir| is_there(&dir, "rebase-merge") || is_there(&dir, "rebase-apply"))
    }

    /// The memory of the caller's project as the caller's own linked worktree has it checked out; `None` for a caller in the
    /// main checkout.
    fn linked_store(&self, caller: &Caller) -> Option<Store> {
        let route = self.route(caller);
        let brain = route.brain()?;
        self.home.linked_store(brain, &self.checkout(&brain.root))
    }

    /// What waits in a store, and in the linked worktree of the caller.
    fn waiting_beside(
        &self,
        store: &Store,
        linked: Option<&Store>,
        place: FilePlace,
    ) -> Result<UndecidedInStore, MemoryError> {
        let mut waiting = self.waiting(store, place)?;
        if let Some(linked) = linked {
            let there = self.waiting(linked, place)?;
            waiting.rows.extend(there.rows);
            waiting.unreadable.extend(there.unreadable);
        }
        Ok(waiting)
    }

    fn deciding_store(
        &self,
        caller: &Caller,
        tier: Option<WriteTier>,
    ) -> Result<(Store, FilePlace, Author), MemoryError> {
        let target = self.target_seen(caller, tier)?;
        let agent = caller.principal.agent.clone();
        let author = Author { agent, origin_brain: target.origin, recorded: None };
        Ok((target.store, target.place, author))
    }

    /// Takes the side of this name, or the one that this agent wrote, if it wrote just one.
    fn take(
        &self,
        store: &Store,
        slug: &ClaimSlug,
        author: &Author,
        take: &str,
    ) -> Result<Option<WriteOutcome>, MemoryError> {
        let side_of = |sides: &[Contender]| {
            let mut by_author = sides.iter().filter(|side| side.claim.source_agent.as_deref() == Some(take));
            match (UndecidedSide::parse(take), by_author.next(), by_author.next()) {
                (Some(named), ..) => sides.iter().find(|side| side.side == named).cloned(),
                (None, Some(only), None) => Some(only.clone()),
                (None, ..) => None,
            }
        };
        let choose = |sides: &[Contender]| {
            let side = side_of(sides).ok_or_else(|| {
                let names = |sides: &[&Contender]| sides.iter().map(|side| side.side.as_str()).collect();
                let take_short = take.chars().take(40).collect();
                let is_by = |side: &&Contender| side.claim.source_agent.as_deref() == Some(take);
                let by_author: Vec<&Contender> = sides.iter().filter(is_by).collect();
                if by_author.len() > 1 {
                    let claims: Vec<&Claim> = by_author.iter().map(|side| &side.claim).collect();
                    WriteError::SeveralVersions {
                        take: take_short,
                        versions: names(&by_author),
                        differences: differences(&claims),
                    }
                } else {
                    let versions = names(&sides.iter().collect::<Vec<_>>());
                    WriteError::NoSuchVersion { take: take_short, versions }
                }
            })?;
            if let Some(copy) = &side.copy {
                self.floor().check_committable(&copy.path, &side.claim)?;
            }
            Ok::<LightFile, MemoryError>(side.claim.file)
        };
        let acts = |sides: &[Contender], _: &Claim| {
            let took = side_of(sides).map_or(take, |side| side.side.as_str());
            self.acts_of(slug, author, took, sides)
        };
        Ok(store.decide(slug, choose, acts)?)
    }

    fn replace_all(
        &self,
        store: &Store,
        label: &Label,
        author: &Author,
        text: &str,
    ) -> Result<Option<WriteOutcome>, MemoryError> {
        let (now, slug) = (self.clock.now(), &ClaimSlug::of(label));
        let choose = |all: &[Contender]| {
            let sides = all;
            // If claims of several labels wait, the text is for the one that the caller named.
            let named: Vec<&Claim> =
                sides.iter().map(|side| &side.claim).filter(|side| label.is_read_as(&side.label)).collect();
            let sides: Vec<&Claim> =
                if named.is_empty() { sides.iter().map(|side| &side.claim).collect() } else { named };
            let strongest = sides
                .iter()
                .copied()
                .reduce(|best, claim| if claim.strength() > best.strength() { claim } else { best });
            let strongest = strongest.expect("a decision is between versions");
            let draft = ClaimDraft {
                label: Label::parse(&strongest.label)?,
                title: strongest.title.clone(),
                text: text.to_owned(),
                state: strongest.strength().state,
                confidence: strongest.confidence,
                kind: strongest.kind.unwrap_or(brainstem_claims::light::ClaimKind::Entity),
                evidence: strongest.evidence.clone(),
                depends_on: strongest.depends_on.clone(),
                tags: strongest.tags.clone(),
                group: strongest.group.clone(),
                absolute: strongest.absolute,
            };
            let created = born_after(now, all.iter().map(|side| side.claim.created));
            let before = VersionRef::of(slug, strongest).to_string();
            Ok::<_, MemoryError>(draft.normalise()?.file(author, created, Some(before)))
        };
        Ok(store.decide(slug, choose, |sides, _| self.acts_of(slug, author, "text", sides))?)
    }

    fn acts_of(&self, slug: &ClaimSlug, author: &Author, took: &str, sides: &[Contender]) -> Vec<Act> {
        let versions: Vec<Mention> =
            sides.iter().map(|side| VersionRef::of(slug, &side.claim).into()).collect();
        let deed = Deed::Resolve {
            took: Some(took.to_owned()),
            ours: versions.first().cloned(),
            theirs: versions.get(1).cloned(),
            sides: Some(versions.clone()),
            upon: versions,
        };
        vec![Act::new(deed, &author.agent, self.clock.now())]
    }

    /// Whether versions of a claim wait for a decision, as far as that can be read.
    fn may_wait(&self, store: &Store, place: FilePlace, slug: &ClaimSlug) -> bool {
        let waits = |waiting: UndecidedInStore| waiting.rows.iter().any(|row| row.id == slug.as_str());
        self.waiting(store, place).map_or(true, waits)
    }

    /// All versions of every label that waits: in one file after a merge, or one in the checkout and others that git took
    /// away. And what cannot be read, in which others may wait.
    fn waiting(&self, store: &Store, place: FilePlace) -> Result<UndecidedInStore, MemoryError> {
        let now = self.clock.now();
        let mut scan = store.scan()?;
        let mut unreadable = std::mem::take(&mut scan.unreadable);
        unreadable.append(&mut scan.folders);
        let missing = store.missing_among(&doubtful(store, &scan)?)?;
        let mut rows = Vec::new();
        for stored in scan.claims.iter().filter(|stored| stored.side.is_some()) {
            if !missing.iter().any(|missing| missing.slug.as_str() == stored.id) {
                rows.push(Row::new(stored, place, now, Why::Asked));
            }
        }
        for missing in missing {
            for side in store.contenders(&missing.slug)? {
                let path = side
                    .copy
                    .as_ref()
                    .map_or_else(|| store.live_path(&missing.slug), |copy| copy.path.clone());
                let is_missing = side.copy.is_some();
                let id = missing.slug.to_string();
                let stored = StoredClaim { id, path, claim: side.claim, side: Some(side.side) };
                rows.push(Row { missing: is_missing, ..Row::new(&stored, place, now, Why::Asked) });
            }
        }
        let written_here = store.written_here();
        let verdicts = self.verdicts(store)?;
        rows.iter_mut().for_each(|row: &mut Row| {
            row.mark_unrecorded_renamed(&written_here, verdicts.renames(), store);
        });
        Ok(UndecidedInStore { rows, unreadable })
    }
}

/// What waits in a store.
struct UndecidedInStore {
    rows: Vec<Row>,
    unreadable: Vec<UnreadableClaim>,
}

/// Names the files that cannot be read, as far as they are named one by one.
fn unreadable_gaps(files: &[UnreadableClaim]) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = files.iter().take(UNREADABLE_NAMED_MAX).map(Gap::unreadable).collect();
    let more = files.len() - gaps.len();
    if more > 0 {
        gaps.push(Gap::new("unreadable_claim", format!("and {more} more files")));
    }
    gaps
}

impl Memory {
    /// Says of the files in which claims of several labels wait that none of them is a version of another.
    fn several_claims(&self, store: &Store, waiting: &[Row]) -> Vec<Advice> {
        let acts = store.acts().read().map(|read| read.acts).unwrap_or_default();
        let mut by_id: BTreeMap<&str, Vec<&Claim>> = BTreeMap::new();
        // What is not in this checkout comes first: `rename` needs a claim that is.
        for row in waiting.iter().filter(|row| row.missing).chain(waiting.iter().filter(|row| !row.missing)) {
            by_id.entry(&row.id).or_default().push(&row.claim);
        }
        by_id.into_iter().filter_map(|(id, claims)| several_claims(id, &claims, &acts)).collect()
    }
}

/// The labels of which a version may be missing: those whose copies are not plainly of what is live.
pub(crate) fn doubtful(store: &Store, scan: &StoreScan) -> Result<Vec<KeptLabel>, StoreError> {
    let born: HashMap<&str, i64> = scan
        .claims
        .iter()
        .filter(|stored| stored.side.is_none())
        .map(|stored| (stored.id.as_str(), stored.claim.created.map_or(0, Timestamp::ms)))
        .collect();
    let mut labels = store.kept_labels()?;
    labels.retain(|label| !label.is_only(born.get(label.slug.as_str()).copied()));
    Ok(labels)
}

/// What tells versions of one label apart: `text`, and the names of header lines.
fn differences(versions: &[&Claim]) -> Vec<String> {
    let mut lines: BTreeMap<String, BTreeSet<Option<String>>> = BTreeMap::new();
    let headers: Vec<BTreeMap<String, String>> = versions.iter().map(|claim| header_of(claim)).collect();
    for key in headers.iter().flat_map(BTreeMap::keys) {
        lines
            .entry(key.clone())
            .or_insert_with(|| headers.iter().map(|header| header.get(key).cloned()).collect());
    }
    let texts: BTreeSet<&str> = versions.iter().map(|claim| claim.text.as_str()).collect();
    let text = (texts.len() > 1).then(|| "text".to_owned());
    let differing = lines.into_iter().filter(|(_, said)| said.len() > 1).map(|(key, _)| format!("`{key}`"));
    text.into_iter().chain(differing).collect()
}

/// The lines of a claim's header, by their keys.
fn header_of(claim: &Claim) -> BTreeMap<String, String> {
    let text = claim.file.render();
    let lines = text.lines().skip(1).take_while(|line| *line != "---");
    let pairs = lines.filter_map(|line| line.split_once(':'));
    pairs.map(|(key, said)| (key.trim().to_owned(), said.trim().to_owned())).collect()
}

/// Says of the labels whose versions all have one text what they differ in.
fn alike(waiting: &[Row]) -> Vec<String> {
    let mut by_id: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in waiting {
        by_id.entry(&row.id).or_default().push(row);
    }
    let told = |rows: Vec<&Row>| {
        let claims: Vec<&Claim> = rows.iter().map(|row| &*row.claim).collect();
        let differing = differences(&claims);
        let is_alike = rows.len() > 1 && !differing.iter().any(|what| what == "text");
        let label = rows.first().map(|row| row.label.clone()).unwrap_or_default();
        is_alike.then(|| {
            format!(
                "the versions of {label:?} have one text, and differ in {}: any of them can be taken",
                differing.join(", ")
            )
        })
    };
    by_id.into_values().filter_map(told).collect()
}

//! One random run: what is done, what was acknowledged, and what must be there afterwards.

use crate::person::{Person, git};
use brainstem_base::Coded as _;
use brainstem_base::clock::ManualClock;
use brainstem_memory::{
    Confirmation, EjectRequest, ForgetRequest, InitRequest, MemorizeRequest, MemoryError, PromoteRequest,
    RenameRequest, ResolveRequest, RetractRequest, Shown,
};
use brainstem_testkit::Chance;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// The labels of a run.
const LABELS: [&str; 7] =
    ["Alpha one", "Beta two", "Gamma three", "Delta four", "Omega five", TWINS[0], TWINS[1]];
/// Two labels with one slug.
const TWINS: [&str; 2] = ["Sigma six", "sigma/six!"];
/// The gaps that name what is missing.
const MISSING: [&str; 2] = ["version_absent", "absent_here"];
const NAMES: [&str; 3] = ["ana", "ben", "cleo"];
const STEPS: u64 = 60;
/// 2026-07-04, as everywhere in the tests.
const START: i64 = 1_783_209_431_408;

/// What git is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manners {
    /// Commits, pulls, pushes, merges and rebases: no work is thrown away.
    Gentle,
    /// Resets, forced pushes, checkouts, stashes and cleans besides.
    Rough,
}

/// What runs did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    acknowledged: u64,
    edits: u64,
    conflicts: u64,
    refused: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.acknowledged += other.acknowledged;
        self.edits += other.edits;
        self.conflicts += other.conflicts;
        self.refused += other.refused;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { acknowledged, edits, conflicts, refused } = self;
        write!(
            f,
            "{acknowledged} versions acknowledged, {edits} edits, {conflicts} conflicts, {refused} refused, 0 lost"
        )
    }
}

/// A version that `memorize` or `resolve` acknowledged to a person.
#[derive(Clone, Debug)]
struct Acknowledged {
    by: usize,
    text: String,
}

pub(crate) struct Run {
    seed: u64,
    manners: Manners,
    chance: Chance,
    people: Vec<Person>,
    clock: Arc<ManualClock>,
    told: Vec<Acknowledged>,
    /// Texts that somebody wrote with an editor and committed.
    edits: BTreeSet<String>,
    /// Texts that a person wrote with an editor and has not committed yet.
    uncommitted: Vec<BTreeSet<String>>,
    /// What an editor replaced, by what it wrote.
    replaced: BTreeMap<String, String>,
    /// Texts that are gone because somebody said so.
    forgotten: BTreeSet<String>,
    /// The labels that claims were renamed from.
    left: Vec<&'static str>,
    trace: Vec<String>,
    tally: Tally,
    dir: Option<TempDir>,
}

impl Drop for Run {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("BRAINSTEM_GIT_SEED={} ({:?}):\n{}", self.seed, self.manners, self.trace.join("\n"));
            // To be looked at afterwards.
            if std::env::var_os("BRAINSTEM_GIT_KEEP").is_some()
                && let Some(dir) = self.dir.take()
            {
                eprintln!("kept in {}", dir.keep().display());
            }
        }
    }
}

impl Run {
    pub(crate) fn new(seed: u64, manners: Manners) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let top = std::fs::canonicalize(dir.path()).expect("a folder");
        let remote = top.join("remote.git");
        let bare = |words: &[&str]| git(&top, &top, "ana").args(words).status().expect("git runs").success();
        assert!(bare(&["init", "-q", "--bare", "-b", "main", "remote.git"]));
        let clock = Arc::new(ManualClock::at(START));
        let people: Vec<Person> = NAMES.iter().map(|name| Person::new(&top, name, &remote, &clock)).collect();
        let part = if manners == Manners::Rough { 1 } else { 2 };
        let mut run = Self {
            seed,
            manners,
            chance: Chance::new(seed, part),
            people,
            clock,
            told: Vec::new(),
            edits: BTreeSet::new(),
            uncommitted: vec![BTreeSet::new(); NAMES.len()],
            replaced: BTreeMap::new(),
            forgotten: BTreeSet::new(),
            left: Vec::new(),
            trace: Vec::new(),
            tally: Tally::default(),
            dir: Some(dir),
        };
        run.begin();
        run
    }

    /// One claim is shared, so that there is a common ancestor.
    fn begin(&mut self) {
        let first = &self.people[0];
        assert!(first.git(&["checkout", "-q", "-B", "main"]));
        std::fs::write(first.clone.join("README.md"), "cherry\n").expect("a file");
        self.init(0);
        self.memorize(0, LABELS[0]);
        self.memorize(0, LABELS[1]);
        let first = &self.people[0];
        assert!(first.git(&["add", "-A"]) && first.git(&["commit", "-q", "-m", "first"]));
        assert!(first.git(&["push", "-q", "-u", "origin", "main"]));
        for at in 1..self.people.len() {
            assert!(self.people[at].git(&["pull", "-q", "origin", "main"]));
            assert!(self.people[at].git(&["branch", "-q", "--set-upstream-to=origin/main"]));
            self.init(at);
        }
    }

    pub(crate) fn make(mut self) -> Tally {
        let mut last = 0;
        for step in 0..STEPS {
            let at = self.chance.below(self.people.len() as u64) as usize;
            if self.chance.once_in(4) {
                self.people[at].start_anew();
            }
            // One person may write twice within a millisecond; two people hardly ever do.
            self.clock.advance(
                self.chance.below(3) as i64 * 500 + i64::from(at != std::mem::replace(&mut last, at)),
            );
            self.step(at);
            if step % 10 == 9 {
                self.look(at);
            }
        }
        for at in 0..self.people.len() {
            self.look(at);
        }
        if self.manners == Manners::Gentle {
            self.agree();
        }
        for at in 0..self.people.len() {
            self.init(at);
            self.look(at);
        }
        if self.manners == Manners::Gentle {
            self.look_for_edits();
        }
        self.tally.acknowledged = self.told.len() as u64;
        self.tally.edits = self.edits.len() as u64;
        std::mem::take(&mut self.tally)
    }

    fn label(&mut self) -> &'static str {
        LABELS[self.chance.below(LABELS.len() as u64) as usize]
    }

    fn note(&mut self, at: usize, what: &str) {
        self.trace.push(format!("{} {what}", self.people[at].name));
    }

    fn step(&mut self, at: usize) {
        let label = self.label();
        match self.chance.below(100) {
            0..=11 => self.memorize(at, label),
            12..=15 => self.twins(at),
            16..=21 => self.memorize_anew(at, label),
            22..=27 => self.edit(at),
            28..=33 => {
                let to = self.label();
                self.rename(at, label, to);
            }
            34..=36 => self.promote(at, label),
            37..=40 => self.retract(at, label),
            41 => self.forget(at, label),
            42..=47 => self.resolve(at),
            48..=55 => self.commit(at),
            56..=65 => self.pull(at),
            66..=80 => {
                self.commit(at);
                self.pull(at);
                self.commit(at);
                self.git(at, &["push", "-q"]);
            }
            81..=82 => self.init(at),
            83 => {
                self.eject(at);
                // A clone whose git was told nothing merges claims as text: that is rough.
                if self.manners == Manners::Gentle {
                    self.init(at);
                }
            }
            _ if self.manners == Manners::Gentle => self.pull(at),
            84..=85 => drop(self.git(at, &["checkout", "-q", "--", "."])),
            86..=87 => drop(self.git(at, &["reset", "-q", "--hard", "HEAD~1"])),
            88..=89 => {
                self.git(at, &["fetch", "-q"]);
                self.git(at, &["reset", "-q", "--hard", "origin/main"]);
            }
            90..=91 => drop(self.git(at, &["push", "-q", "--force"])),
            92..=93 => drop(self.git(at, &["stash", "-q", "-u"])),
            94 => drop(self.git(at, &["stash", "pop", "-q"])),
            95 => drop(self.git(at, &["stash", "drop", "-q"])),
            96 => drop(self.git(at, &["clean", "-q", "-fdx"])),
            // The store that git brings back lies beside what the home took, undecided or not.
            97 => {
                self.eject(at);
                self.git(at, &["fetch", "-q"]);
                self.git(at, &["reset", "-q", "--hard", "origin/main"]);
                self.eject(at);
            }
            98 => drop(self.git(at, &["checkout", "-q", "-f", "HEAD~1"])),
            _ => drop(self.git(at, &["checkout", "-q", "-f", "main"])),
        }
    }

    /// Runs git, and returns whether it did what it was asked for.
    fn git(&mut self, at: usize, words: &[&str]) -> bool {
        let done = self.people[at].git(words);
        self.note(at, &format!("git {} -> {done}", words.join(" ")));
        done
    }

    /// Finishes what git is in the middle of, undecided files and all.
    fn commit(&mut self, at: usize) {
        self.git(at, &["add", "-A"]);
        let edits = std::mem::take(&mut self.uncommitted[at]);
        // What goes into a merge need not be kept: a later rebase drops the merge with all that is in it.
        if !self.people[at].clone.join(".git/MERGE_HEAD").exists() {
            self.edits.extend(edits);
        }
        if self.is_rebasing(at) {
            let goes_on = self.git(at, &["rebase", "--continue"]);
            // A file in the way stopped the rebase before it picked anything: git wants a commit of it first.
            if !goes_on && self.is_rebasing(at) && self.people[at].git_says(&["ls-files", "-u"]).is_empty() {
                self.git(at, &["commit", "-q", "-m", "more"]);
            }
        } else {
            self.git(at, &["commit", "-q", "-m", "more"]);
        }
    }

    fn is_rebasing(&self, at: usize) -> bool {
        let git_dir = self.people[at].clone.join(".git");
        ["rebase-merge", "rebase-apply"].iter().any(|name| git_dir.join(name).exists())
    }

    fn pull(&mut self, at: usize) {
        if self.chance.once_in(2) {
            self.commit(at);
        }
        let how = match self.chance.below(4) {
            0 => &["pull", "-q", "--rebase"][..],
            1 => &["pull", "-q", "--ff-only"],
            _ => &["pull", "-q", "--no-rebase", "--no-edit"],
        };
        self.git(at, how);
        let unmerged = self.people[at].git_says(&["ls-files", "-u"]);
        self.tally.conflicts += u64::from(!unmerged.is_empty());
        if !unmerged.is_empty() && self.manners == Manners::Rough && self.chance.once_in(4) {
            self.git(at, &["merge", "--abort"]);
            self.git(at, &["rebase", "--abort"]);
        }
    }

    /// Whether a verb did it; what it may be refused for is named, and nothing else.
    fn was_done<T>(&mut self, at: usize, what: &str, done: Result<T, MemoryError>) -> Option<T> {
        match done {
            Ok(done) => {
                self.note(at, what);
                Some(done)
            }
            Err(error) => {
                let code = error.code().name();
                self.note(at, &format!("{what}: {code}: {error}"));
                let expected = [
                    // A conflict of git inside another one, which lies under the home since an `eject`.
                    "claim.conflict_markers",
                    "claim.not_found",
                    "claim.unreadable",
                    "claim.slug_taken",
                    "claim.would_downgrade",
                    "memory.brainless_root",
                    "promote.unchanged",
                    "store.moved",
                ];
                assert!(expected.contains(&code), "{what}: {error} [{code}]");
                self.tally.refused += 1;
                None
            }
        }
    }

    fn memorize(&mut self, at: usize, label: &str) {
        let text = format!(
            "text {} by {} about {label}, so long that git sees a rename",
            self.told.len(),
            NAMES[at]
        );
        let person = &self.people[at];
        let request =
            MemorizeRequest { label: label.into(), text: text.clone(), ..MemorizeRequest::default() };
        let done = person.memory.memorize(&person.caller, &request);
        if self.was_done(at, &format!("memorize {label:?} {text:?}"), done).is_some() {
            self.told.push(Acknowledged { by: at, text });
        }
    }

    /// Writes under a label that a claim was renamed from, perhaps in another clone; and forgets what has the label now, at
    /// times.
    fn memorize_anew(&mut self, at: usize, label: &'static str) {
        let label = match self.left.len() as u64 {
            0 => label,
            count => self.left[self.chance.below(count) as usize],
        };
        self.memorize(at, label);
        if self.chance.once_in(4) {
            self.forget(at, label);
        }
    }

    /// Two people write labels that share a slug; and one of them forgets or renames one of the two, at times.
    fn twins(&mut self, at: usize) {
        let other = (at + 1) % self.people.len();
        self.memorize(at, TWINS[0]);
        self.memorize(other, TWINS[1]);
        let twin = TWINS[self.chance.below(2) as usize];
        match self.chance.below(6) {
            0 => self.forget(at, twin),
            1 | 2 => {
                let to = self.label();
                self.rename(at, twin, to);
            }
            _ => {}
        }
    }

    /// Changes the text of a claim as an editor does.
    fn edit(&mut self, at: usize) {
        let files = self.people[at].files();
        let claims: Vec<_> = files.into_iter().filter(|(_, text)| text.starts_with("---\n")).collect();
        if claims.is_empty() {
            return;
        }
        let (path, before) = &claims[self.chance.below(claims.len() as u64) as usize];
        let Some(line) = before.lines().find(|line| line.starts_with("text ") || line.starts_with("edit "))
        else {
            return;
        };
        let text = format!(
            "edit {} by {}, so long that git sees a rename of this file",
            self.trace.len(),
            NAMES[at]
        );
        std::fs::write(path, before.replace(line, &text)).expect("a file");
        self.note(
            at,
            &format!("edit {} {line:?} -> {text:?}", path.file_name().expect("a name").to_string_lossy()),
        );
        // What an editor wrote and an editor replaced need not be kept.
        self.edits.remove(line);
        for texts in &mut self.uncommitted {
            texts.remove(line);
        }
        self.replaced.insert(text.clone(), line.to_owned());
        self.uncommitted[at].insert(text);
    }

    fn rename(&mut self, at: usize, label: &'static str, to: &str) {
        let person = &self.people[at];
        let request = RenameRequest { label: label.into(), to: to.into(), tier: None };
        let done = person.memory.rename(&person.caller, &request);
        if self.was_done(at, &format!("rename {label:?} {to:?}"), done).is_some() && label != to {
            self.left.push(label);
        }
    }

    fn promote(&mut self, at: usize, label: &str) {
        let person = &self.people[at];
        let request =
            PromoteRequest { label: label.into(), reason: "for all".into(), ..PromoteRequest::default() };
        let done = person.memory.promote(&person.caller, &request);
        self.was_done(at, &format!("promote {label:?}"), done);
    }

    fn retract(&mut self, at: usize, label: &str) {
        let person = &self.people[at];
        let request = RetractRequest { label: label.into(), reason: "it was wrong".into(), tier: None };
        let done = person.memory.retract(&person.caller, &request);
        self.was_done(at, &format!("retract {label:?}"), done);
    }

    fn forget(&mut self, at: usize, label: &str) {
        let person = &self.people[at];
        // What its answer speaks of is what is shown; other clones keep what they have.
        let shown = person.show(label);
        let others: BTreeSet<String> = LABELS
            .iter()
            .filter(|other| **other != label)
            .filter_map(|other| person.show(other))
            .flat_map(texts_of)
            .collect();
        let request = ForgetRequest { label: label.into(), tier: None, confirmation: Confirmation::Given };
        let done = person.memory.forget(&person.caller, &request);
        if self.was_done(at, &format!("forget {label:?}"), done).is_some() {
            let person = &self.people[at];
            let left = person.texts(&LABELS);
            let lost: Vec<&String> = others.difference(&left).collect();
            assert!(lost.is_empty(), "{} forgot {label:?}, and other claims lost {lost:?}", person.name);
            // What is shown with another claim too is not gone by this.
            for text in shown.into_iter().flat_map(texts_of).filter(|text| !others.contains(text)) {
                // What it said before somebody edited it is forgotten with it.
                let mut text = Some(text);
                while let Some(gone) = text {
                    text = self.replaced.get(&gone).cloned();
                    if !others.contains(&gone) {
                        self.forgotten.insert(gone);
                    }
                }
            }
        }
    }

    fn resolve(&mut self, at: usize) {
        let person = &self.people[at];
        let Ok(waiting) = person.memory.resolve(&person.caller, &ResolveRequest::default()) else { return };
        if waiting.waiting.is_empty() {
            return;
        }
        let row = &waiting.waiting[self.chance.below(waiting.waiting.len() as u64) as usize];
        // By its id: the versions of one file may have two labels.
        let label = Some(row.id.clone());
        let text = format!("text {} by {}, which decides and is long enough", self.told.len(), NAMES[at]);
        let is_own = self.chance.once_in(3);
        let request = match is_own {
            true => ResolveRequest { label, text: Some(text.clone()), ..ResolveRequest::default() },
            false => ResolveRequest { label, take: row.side.map(str::to_owned), ..ResolveRequest::default() },
        };
        let done = person.memory.resolve(&person.caller, &request);
        if self
            .was_done(at, &format!("resolve {:?} {:?} {:?}", row.id, request.take, request.text), done)
            .is_some()
            && is_own
        {
            self.told.push(Acknowledged { by: at, text });
        }
    }

    fn init(&mut self, at: usize) {
        let program = Some(PathBuf::from(env!("CARGO_BIN_EXE_brainstem")));
        let person = &self.people[at];
        let done = person.memory.init(&person.caller, &InitRequest { program, ..InitRequest::default() });
        let told =
            done.as_ref().map(|done| format!("{:?} {:?}", done.moves, done.restored)).unwrap_or_default();
        self.was_done(at, &format!("init {told}"), done);
    }

    fn eject(&mut self, at: usize) {
        let person = &self.people[at];
        let done = person.memory.eject(&person.caller, &EjectRequest::default());
        let told =
            done.as_ref().map(|done| format!("{:?} {:?}", done.moves, done.restored)).unwrap_or_default();
        self.was_done(at, &format!("eject {told}"), done);
    }

    /// Every version that this person was told is remembered is shown.
    fn look(&self, at: usize) {
        let person = &self.people[at];
        let shown = person.texts(&LABELS);
        for told in self.told.iter().filter(|told| told.by == at && !self.forgotten.contains(&told.text)) {
            assert!(shown.contains(&told.text), "{} lost {:?}; it shows {shown:#?}", person.name, told.text);
        }
        // What is missing is named in recall too.
        let gaps: Vec<&str> = person.list().1.iter().map(|gap| gap.name).collect();
        for label in LABELS {
            let is_missing =
                person.show(label).is_some_and(|shown| shown.history.iter().any(|it| it.missing));
            let is_named = ["version_absent", "absent_here", "owner_side_claims", "forgotten_elsewhere"]
                .iter()
                .any(|gap| gaps.contains(gap));
            assert!(
                !is_missing || is_named,
                "{} is not told that {label:?} misses a version: {gaps:?}",
                person.name
            );
        }
    }

    /// What somebody wrote with an editor is shown somewhere, or lies in a file that git left for somebody to look at.
    fn look_for_edits(&self) {
        let mut known: BTreeSet<String> = BTreeSet::new();
        for person in &self.people {
            known.extend(person.texts(&LABELS));
            for (_, text) in person.files() {
                known.extend(text.lines().map(str::to_owned));
            }
        }
        for edit in self.edits.difference(&self.forgotten) {
            assert!(known.contains(edit), "{edit:?} is lost; known is {known:#?}");
        }
    }

    /// Everybody commits, pulls, decides and pushes until nothing changes: then all have the same claims, and nobody is
    /// told of a version that is missing.
    fn agree(&mut self) {
        for round in 0.. {
            assert!(round < 12, "the clones do not agree");
            for at in 0..self.people.len() {
                self.init(at);
                self.commit(at);
                for _ in 0..100 {
                    if !self.is_rebasing(at) {
                        break;
                    }
                    self.commit(at);
                }
                self.git(at, &["pull", "-q", "--no-rebase", "--no-edit"]);
                for _ in 0..100 {
                    if self.waiting(at).is_empty() {
                        break;
                    }
                    self.resolve(at);
                }
                self.commit(at);
                self.git(at, &["push", "-q"]);
            }
            let trees: BTreeSet<Vec<(PathBuf, String)>> =
                self.people.iter().map(|person| without_folder(&person.clone, person.files())).collect();
            // Two claims with one file name are one file to git: a renaming of the one takes the other away, and `init` brings
            // it back.
            let is_twin_gone = self.people.iter().any(|person| {
                let mut gone = person.list().1.into_iter().filter(|gap| MISSING.contains(&gap.name));
                gone.any(|gap| TWINS.iter().any(|twin| gap.detail.contains(twin)))
            });
            let is_decided = (0..self.people.len()).all(|at| self.waiting(at).is_empty());
            if trees.len() == 1 && is_decided && !is_twin_gone {
                break;
            }
        }
        for person in &self.people {
            let gaps = person.list().1;
            let told: Vec<_> = gaps.iter().filter(|gap| MISSING.contains(&gap.name)).collect();
            assert!(told.is_empty(), "{} hears what is not so: {told:?}", person.name);
        }
    }

    fn waiting(&self, at: usize) -> Vec<String> {
        let person = &self.people[at];
        let waiting = person.memory.resolve(&person.caller, &ResolveRequest::default());
        waiting.map(|done| done.waiting.into_iter().map(|row| row.id).collect()).unwrap_or_default()
    }
}

/// The texts of a claim: what is live or waits for a decision, and its history.
fn texts_of(shown: Shown) -> Vec<String> {
    let rows = shown.claim.into_iter().chain(shown.sides).map(|row| row.text);
    rows.chain(shown.history.into_iter().map(|version| version.text)).collect()
}

fn without_folder(root: &Path, files: Vec<(PathBuf, String)>) -> Vec<(PathBuf, String)> {
    let strip = |path: PathBuf| path.strip_prefix(root).map(Path::to_owned).unwrap_or(path);
    files.into_iter().map(|(path, text)| (strip(path), text)).collect()
}

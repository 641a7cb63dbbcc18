//! The batteries of projects and of the medulla: stored cases, and running them.

use super::battery_error::BatteryError;
use super::error::LetterError;
use super::gathered::LetterReach;
use super::limits::{CASES_MAX, SMALL_FILE_MAX};
use crate::Post;
use brainstem_base::agent::AgentKind;
use brainstem_base::{DiskFault, Fault};
use brainstem_letters::LetterId;
use brainstem_letters::battery::{CaseDefinition, CaseFault, drafted};
use brainstem_memory::{Caller, Floor};
use brainstem_vault::durable::{self, NewName};
use brainstem_vault::{StoreError, repo};
use std::path::{Path, PathBuf};

/// The home's list of what people said through it: on each line the id of a brain, or the fingerprint of a root without one,
/// and the digest of the person's words. A line without the first part counts for no project.
const WORDS: &str = "battery-words.txt";
const WORDS_LEN_MAX: u64 = 16 * 1024 * 1024;
/// The folder of a battery, in `.brainstem` of a repository and in the home.
const FOLDER: &str = "battery";

/// The cases of one project, or of the medulla.
pub(crate) struct Battery<'a> {
    post: &'a Post,
    pub(crate) dir: PathBuf,
    /// The project whose cases these are, as the list of people's words names it; `None` for the medulla.
    project: Option<String>,
}

/// Whether a case counts, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CaseStatus {
    /// It accounts for its letter.
    Counts,
    /// No run has seen it fail, and no person says why it cannot.
    Draft,
    /// Only the repository says that a person said so.
    Unrecorded,
}

/// A case that was drafted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedCase {
    /// Its file.
    pub path: PathBuf,
    /// The letter it was made from.
    pub letter: LetterId,
    /// Its kind.
    pub kind: String,
    /// It accounts for no letter yet.
    pub is_draft: bool,
    /// The project whose battery it is in; `None` is the medulla.
    pub root: Option<PathBuf>,
}

/// What a run found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatteryReport {
    /// Each case, in the order of the files.
    pub cases: Vec<CaseRun>,
}

/// One case that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseRun {
    /// Its file.
    pub path: PathBuf,
    /// The project that it belongs to; `None` is the medulla.
    pub root: Option<PathBuf>,
    /// Its kind, where it could be read.
    pub kind: Option<String>,
    /// It accounts for no letter: no run saw it fail before, and neither did this one.
    pub is_draft: bool,
    /// Only the repository says that a person explained why it cannot fail: this home has no record of that person's words.
    pub is_unrecorded: bool,
    /// What was wrong; empty when it held.
    pub failures: Vec<String>,
}

impl BatteryReport {
    /// How many failed.
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|case| !case.failures.is_empty()).count()
    }

    /// The number of drafts in which nothing was wrong. Such a result says little.
    pub fn drafts(&self) -> usize {
        self.cases.iter().filter(|case| case.failures.is_empty() && case.is_draft).count()
    }
}

impl<'a> Battery<'a> {
    pub(crate) fn of(post: &'a Post, root: Option<&Path>) -> Self {
        let dir = root.map_or_else(|| post.memory().home_path().to_owned(), repo::folder);
        let project = root.map(|root| match post.memory().home().brain_at(root) {
            Some(brain) => brain.manifest.id.to_string(),
            None => brainstem_vault::brain::fingerprint(root),
        });
        Self { post, dir: dir.join(FOLDER), project }
    }

    /// Whether a case counts. A person's words in a repository count only if they were said through this home: anyone that can
    /// write to the repository can put such words into it.
    pub(crate) fn status(&self, case: &CaseDefinition) -> CaseStatus {
        if self.word_of(case).is_some_and(|word| !self.post.is_word_of_this_home(&word)) {
            CaseStatus::Unrecorded
        } else if case.is_draft() {
            CaseStatus::Draft
        } else {
            CaseStatus::Counts
        }
    }

    /// The line of the home's list about the person's words that a case in a repository rests on. Words about one project do
    /// not count in another.
    fn word_of(&self, case: &CaseDefinition) -> Option<String> {
        let (project, word) = (self.project.as_deref()?, case.word_it_rests_on()?);
        Some(format!("{project} {word}"))
    }

    /// The cases, by file name. A file that has the name of a case and is not one, and a battery that cannot be read, are in
    /// the list with the fault: a case that was not run must not look like one that held.
    pub(crate) fn cases(&self) -> Vec<(PathBuf, Result<CaseDefinition, CaseFault>)> {
        let unread = |fault: DiskFault| Err(CaseFault(format!("it cannot be read: {fault}")));
        let entries = match self.post.disk().list(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Vec::new(),
            Err(error) => return vec![(self.dir.clone(), unread(error.fault()))],
        };
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| self.dir.join(entry.name)).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        let count = paths.len();
        paths.truncate(CASES_MAX);
        let read = |path: &PathBuf| match self.post.disk().read(path, SMALL_FILE_MAX) {
            Ok(bytes) => CaseDefinition::parse(&bytes),
            Err(error) => unread(error.fault()),
        };
        let mut cases: Vec<_> = paths.into_iter().map(|path| (path.clone(), read(&path))).collect();
        if count > CASES_MAX {
            let fault = format!("it has {count} cases, and the first {CASES_MAX} by name are run");
            cases.push((self.dir.clone(), Err(CaseFault(fault))));
        }
        cases
    }

    /// Adds a case. An existing case of that name stays as it is.
    fn add(&self, path: &Path, case: &CaseDefinition) -> Result<(), BatteryError> {
        let bytes = checked(&self.post.memory().floor(), case)?;
        durable::make_dirs(self.post.disk(), &self.dir)?;
        let made = durable::create(self.post.disk(), self.post.ids(), path, &bytes)
            .map_err(StoreError::disk("cannot write the case"))?;
        match made {
            NewName::New => Ok(()),
            NewName::Taken => Err(BatteryError::CaseTaken(path.to_owned())),
        }
    }

    /// Replaces the case that was read from this path.
    fn put(&self, path: &Path, case: &CaseDefinition) -> Result<(), BatteryError> {
        let bytes = checked(&self.post.memory().floor(), case)?;
        durable::replace_like(self.post.disk(), self.post.ids(), path, &bytes)
            .map_err(StoreError::disk("cannot write the case"))?;
        Ok(())
    }

    /// The case at a path, if there is one.
    fn at(&self, path: &Path) -> Result<Option<CaseDefinition>, BatteryError> {
        let unreadable = |why: String| BatteryError::CaseUnreadable { path: path.to_owned(), why };
        match self.post.disk().read(path, SMALL_FILE_MAX) {
            Ok(bytes) => {
                CaseDefinition::parse(&bytes).map(Some).map_err(|fault| unreadable(fault.to_string()))
            }
            Err(error) if error.fault() == DiskFault::NotFound => Ok(None),
            Err(error) => Err(unreadable(error.fault().to_string())),
        }
    }
}

/// A case as bytes that may be committed: a battery is committed with its project.
fn checked(floor: &Floor, case: &CaseDefinition) -> Result<Vec<u8>, BatteryError> {
    let bytes = case.render();
    floor.check("letter", &String::from_utf8_lossy(&bytes))?;
    Ok(bytes)
}

/// Checks the reason why a case cannot be seen to fail, and returns it. Only a person can give one, on one line or several.
fn check_reason<'a>(caller: &Caller, why: &'a str) -> Result<&'a str, BatteryError> {
    let why = why.trim();
    if caller.principal.kind != AgentKind::Human {
        return Err(BatteryError::NotAPerson);
    }
    if why.is_empty() {
        return Err(BatteryError::NoReason);
    }
    Ok(why)
}

impl Post {
    /// Whether a person said these words through this home. If the list cannot be read, the answer is no.
    fn is_word_of_this_home(&self, word: &str) -> bool {
        let list = self.disk().read(&self.memory().home_path().join(WORDS), WORDS_LEN_MAX);
        list.is_ok_and(|list| list.split(|byte| *byte == b'\n').any(|line| line == word.as_bytes()))
    }

    /// Records, durably, the person's words that a case rests on. Call it before the case is written: a line about a case that
    /// was then refused counts for no other.
    fn note_word(&self, word: Option<String>) -> Result<(), BatteryError> {
        let Some(word) = word.filter(|word| !self.is_word_of_this_home(word)) else { return Ok(()) };
        let fault = || StoreError::disk("cannot record who said that the case cannot fail");
        let home = self.memory().home_path();
        // The newline before it keeps a line that a crash tore apart from this one.
        self.disk().append(&home.join(WORDS), format!("\n{word}\n").as_bytes()).map_err(fault())?;
        Ok(self.disk().sync_dir(home).map_err(fault())?)
    }

    /// Drafts a case from a letter, in the battery of the project that the letter belongs to, or in the medulla's. If a person
    /// gives the reason why it cannot be seen to fail, the existing or new case counts.
    pub fn draft_case(
        &self,
        caller: &Caller,
        id: &str,
        cannot_fail: Option<&str>,
    ) -> Result<AddedCase, LetterError> {
        let why = cannot_fail.map(|why| check_reason(caller, why)).transpose()?;
        let mut gathered = self.gather_letters(Some(caller), LetterReach::Everything)?;
        let id = gathered.find(id)?;
        let boxes = gathered.boxes_of(&id);
        let filed = boxes.iter().find_map(|root| root.as_ref()).cloned();
        let in_medulla = boxes.iter().any(|root| root.is_none());
        let meant = || {
            let ends = gathered.destinations(super::gathered::FloorCheck::Skipped).into_iter();
            let mut ends = ends.filter(|(of, ..)| *of == id);
            ends.find_map(|(_, end, _)| end.boxed().flatten().map(Path::to_owned))
        };
        let root = if in_medulla { filed } else { filed.or_else(meant) };
        let letter = &gathered.get(&id).expect("it was found").with_line.letter;
        let case = drafted(letter).map_err(|why| BatteryError::NoCase { id: id.clone(), why })?;
        self.memory().home().ensure()?;
        if let Some(root) = &root {
            repo::check_folder(self.disk(), &repo::folder(root))?;
            self.memory().home().ready_repo_folder(root)?;
        }
        let battery = Battery::of(self, root.as_deref());
        repo::check_folder(self.disk(), &battery.dir)?;
        let named = |id: &LetterId| battery.dir.join(format!("{}-{id}.json", case.kind));
        // An older program named the case of a letter that holds a secret by the hash of its whole line.
        let older = gathered.former(&id).map(named).filter(|path| self.disk().stat(path).is_ok());
        let path = older.unwrap_or_else(|| named(&id));
        let case = match why {
            None => {
                battery.add(&path, &case)?;
                case
            }
            Some(why) => {
                let there = battery.at(&path)?;
                let is_new = there.is_none();
                let case =
                    there.unwrap_or(case).vouched_for(&caller.principal.agent, self.clock().now(), why);
                self.note_word(battery.word_of(&case))?;
                if is_new {
                    battery.add(&path, &case)?
                } else {
                    battery.put(&path, &case)?
                }
                case
            }
        };
        Ok(AddedCase { path, letter: id, is_draft: case.is_draft(), kind: case.kind, root })
    }

    /// Runs every case of the caller's project and of the medulla. Each case runs in a world of its own that
    /// starts with the claims of the two stores.
    pub fn run_battery(
        &self,
        caller: &Caller,
        progress: &dyn Fn(usize, usize),
    ) -> Result<BatteryReport, LetterError> {
        let own = self.own_root(caller)?;
        let mut cases = Vec::new();
        for root in own.map(Some).into_iter().chain([None]) {
            let battery = Battery::of(self, root.as_deref());
            cases.extend(battery.cases().into_iter().map(|(path, case)| (root.clone(), path, case)));
        }
        let total = cases.len();
        let mut run = BatteryReport::default();
        if total > 0 {
            self.memory().home().ensure()?;
        }
        for (root, path, case) in cases {
            run.cases.push(self.run_case(root, path, case));
            progress(run.cases.len(), total);
        }
        Ok(run)
    }

    /// Runs one case. A case that cannot be tried has failed; the others still run.
    fn run_case(
        &self,
        root: Option<PathBuf>,
        path: PathBuf,
        case: Result<CaseDefinition, CaseFault>,
    ) -> CaseRun {
        let case = match case {
            Ok(case) => case,
            Err(fault) => {
                return CaseRun {
                    path,
                    root,
                    kind: None,
                    is_draft: false,
                    is_unrecorded: false,
                    failures: vec![fault.to_string()],
                };
            }
        };
        let standing = Battery::of(self, root.as_deref()).status(&case);
        let (kind, mut is_draft) = (Some(case.kind.clone()), standing != CaseStatus::Counts);
        let failures = match self.try_case(root.as_deref(), &case) {
            Ok(mut failures) => {
                if is_draft && !failures.is_empty() {
                    let failed = case.failed_at(self.clock().now());
                    match Battery::of(self, root.as_deref()).put(&path, &failed) {
                        Ok(()) => is_draft = false,
                        Err(error) => {
                            let why = Fault::from(error).message;
                            failures.push(format!("its failure could not be recorded: {why}"));
                        }
                    }
                }
                failures
            }
            Err(error) => vec![format!("it could not be tried: {}", Fault::from(error).message)],
        };
        let is_unrecorded = is_draft && standing == CaseStatus::Unrecorded;
        CaseRun { path, root, kind, is_draft, is_unrecorded, failures }
    }
}

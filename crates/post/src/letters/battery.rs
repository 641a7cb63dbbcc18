//! The batteries of projects and of the medulla: stored cases, and running them.

use super::desk::Reach;
use super::limits::{CASES_MAX, SMALL_FILE_MAX};
use crate::Post;
use brainstem_base::{Coded as _, DiskFault, Fault, codes};
use brainstem_letters::LetterId;
use brainstem_letters::battery::{Case, CaseFault, drafted};
use brainstem_memory::Caller;
use brainstem_vault::durable::{self, Named};
use brainstem_vault::{StoreError, repo};
use std::path::{Path, PathBuf};

/// The folder of a battery, in `.brainstem` of a repository and in the home.
const FOLDER: &str = "battery";

/// The cases of one project, or of the medulla.
pub(crate) struct Battery<'a> {
    post: &'a Post,
    pub(crate) dir: PathBuf,
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
}

/// What a run found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatteryRun {
    /// Each case, in the order of the files.
    pub cases: Vec<CaseRun>,
}

/// One case that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseRun {
    /// Its file.
    pub path: PathBuf,
    /// The project it is of; none is the medulla.
    pub root: Option<PathBuf>,
    /// Its kind, where it could be read.
    pub kind: Option<String>,
    /// What was wrong; empty when it held.
    pub failures: Vec<String>,
}

impl BatteryRun {
    /// How many failed.
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|case| !case.failures.is_empty()).count()
    }
}

impl<'a> Battery<'a> {
    pub(crate) fn of(post: &'a Post, root: Option<&Path>) -> Self {
        let dir = root.map_or_else(|| post.memory().home_path().to_owned(), repo::folder);
        Self { post, dir: dir.join(FOLDER) }
    }

    /// The cases, by file name; what is none and has the name of one is told, and so is a battery that cannot be
    /// read: a case that is not run must not look like one that held.
    pub(crate) fn cases(&self) -> Vec<(PathBuf, Result<Case, CaseFault>)> {
        let unread = |fault: DiskFault| Err(CaseFault(format!("it cannot be read: {fault}")));
        let entries = match self.post.disk().list(&self.dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => return Vec::new(),
            Err(error) => return vec![(self.dir.clone(), unread(error.fault()))],
        };
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| self.dir.join(entry.name)).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        paths.truncate(CASES_MAX);
        let read = |path: &PathBuf| match self.post.disk().read(path, SMALL_FILE_MAX) {
            Ok(bytes) => Case::parse(&bytes),
            Err(error) => unread(error.fault()),
        };
        paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
    }

    /// Puts a case there; one that has the name already stays as it is.
    fn add(&self, name: &str, case: &Case) -> Result<PathBuf, Fault> {
        let path = self.dir.join(format!("{name}.json"));
        let bytes = case.render();
        // A battery is committed with its project.
        if let Err(fault) = self.post.memory().floor().check("letter", &String::from_utf8_lossy(&bytes)) {
            return Err(Fault { fix: fault.fix(), ..Fault::from(fault) });
        }
        durable::make_dirs(self.post.disk(), &self.dir)?;
        let made = durable::create(self.post.disk(), self.post.ids(), &path, &bytes)
            .map_err(StoreError::disk("cannot write the case"))?;
        match made {
            Named::New => Ok(path),
            Named::Taken => {
                let message = format!("`{}` is there already", path.display());
                let fix = "edit that file, or remove it and repeat";
                Err(Fault::new(codes::BATTERY_TAKEN, message).fix(fix).rule("LTR-17"))
            }
        }
    }
}

impl Post {
    /// Drafts a case from a letter, in the battery of the project it belongs to, or in the medulla's.
    pub fn draft_case(&self, caller: &Caller, id: &str) -> Result<AddedCase, Fault> {
        let mut desk = self.letter_desk(Some(caller), Reach::Everything)?;
        let id = desk.find(id)?;
        let boxes = desk.boxes_of(&id);
        let filed = boxes.iter().find_map(|root| root.as_ref()).cloned();
        let in_medulla = boxes.iter().any(|root| root.is_none());
        let meant = || {
            let ends = desk.ends(super::desk::Ask::Place).into_iter();
            let mut ends = ends.filter(|(of, ..)| *of == id);
            ends.find_map(|(_, end, _)| end.boxed().flatten().map(Path::to_owned))
        };
        let root = if in_medulla { filed } else { filed.or_else(meant) };
        let letter = &desk.held(&id).expect("it was found").lettered.letter;
        let case = drafted(letter).map_err(|error| {
            Fault::new(codes::LETTER_NO_CASE, format!("letter {id} makes no case: {error}"))
                .fix(
                    "choose a letter of class memory_misdelivery: brainstem sweep --class memory_misdelivery",
                )
                .field("from_letter")
                .rule("LTR-17")
        })?;
        self.memory().home().ensure()?;
        if let Some(root) = &root {
            repo::check_folder(self.disk(), &repo::folder(root))?;
            self.memory().home().ready_repo_folder(root)?;
        }
        let path = Battery::of(self, root.as_deref()).add(&format!("{}-{id}", case.kind), &case)?;
        Ok(AddedCase { path, letter: id, kind: case.kind })
    }

    /// Runs every case of the caller's project and of the medulla, each in a world of its own that starts with
    /// what the two stores hold.
    pub fn run_battery(&self, caller: &Caller, progress: &dyn Fn(usize, usize)) -> Result<BatteryRun, Fault> {
        let own = self.own_root(caller);
        let mut cases = Vec::new();
        for root in own.map(Some).into_iter().chain([None]) {
            let battery = Battery::of(self, root.as_deref());
            cases.extend(battery.cases().into_iter().map(|(path, case)| (root.clone(), path, case)));
        }
        let total = cases.len();
        let mut run = BatteryRun::default();
        if total > 0 {
            self.memory().home().ensure()?;
            self.clear_old_worlds();
        }
        for (root, path, case) in cases {
            let (kind, failures) = match case {
                Err(fault) => (None, vec![fault.to_string()]),
                Ok(case) => {
                    let failures = self.try_case(root.as_deref(), &case)?;
                    (Some(case.kind), failures)
                }
            };
            run.cases.push(CaseRun { path, root, kind, failures });
            progress(run.cases.len(), total);
        }
        Ok(run)
    }
}

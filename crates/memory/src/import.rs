//! `import`: takes in what an export holds, or the claim files of a folder. Copies only: what is
//! imported from is never changed, births and authors stay, and a second import changes nothing.

use crate::export::{FORMAT, MEDULLA, VERSION};
use crate::floor::{self, without_secrets};
use crate::limits::BRAINS_NAMED_MAX;
use crate::memorize::Target;
use crate::recall::Gap;
use crate::refusal::{MemoryError, shell_word};
use crate::service::{Caller, Memory};
use brainstem_base::disk::FileKind;
use brainstem_base::{Coded as _, DiskFault, ErrorCode, Fault, codes};
use brainstem_claims::lifecycle::Place;
use brainstem_claims::limits::CLAIM_LEN_READ_MAX;
use brainstem_claims::merge::says_the_same;
use brainstem_claims::{Claim, ClaimSlug, Label, decide};
use brainstem_vault::history::{Exit, parse_version_name};
use brainstem_vault::scan::CLAIM_SUFFIX;
use brainstem_vault::store::{Kept, Live, RETRACT, WriteFault, subject};
use brainstem_vault::{Act, Store, StoreError};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// The largest export that is read.
const EXPORT_LEN_MAX: u64 = 1024 * 1024 * 1024;

/// What to import.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// A file made by export, or a folder with claim files.
    pub path: PathBuf,
    /// Of an export of several brains: the one that goes into the caller's own.
    pub from: Option<String>,
    /// `medulla` for a folder whose claims are doctrine; absent means the caller's own brain.
    pub tier: Option<String>,
}

/// What an import did.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Claims whose label was new.
    pub born: usize,
    /// Claims that took the place of another.
    pub superseded: usize,
    /// Claims that were there already.
    pub unchanged: usize,
    /// Versions that history did not have.
    pub versions: usize,
    /// Acts that were not on record.
    pub acts: usize,
    /// What was not taken, each with why.
    pub not_taken: Vec<NotTaken>,
    /// What the caller should know besides.
    pub gaps: Vec<Gap>,
}

/// Something that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTaken {
    /// Its file, or its line.
    pub name: String,
    /// The code of the refusal.
    pub code: ErrorCode,
    /// Why.
    pub why: String,
}

/// One file of what is imported.
struct Item {
    name: String,
    at: At,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Live,
    Past(Exit),
}

/// What goes into one store.
#[derive(Default)]
struct Parcel {
    items: Vec<Item>,
    acts: Vec<Act>,
}

impl Memory {
    /// Imports. The label's usual rule decides between what is there and what comes.
    pub fn import(
        &self,
        caller: &Caller,
        request: &ImportRequest,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Imported, MemoryError> {
        let path = match &caller.hints.cwd {
            Some(cwd) => cwd.join(&request.path),
            None => request.path.clone(),
        };
        let mut imported = Imported::default();
        let kind =
            self.disk.canonical(&path).and_then(|path| self.disk.stat(&path).map(|stat| (path, stat.kind)));
        let parcels = match kind {
            Ok((path, FileKind::Dir)) => {
                let target = self.target(caller, request.tier.as_deref(), "tier to import into", "MEM-42")?;
                vec![(target, self.read_folder(&path, &mut imported)?)]
            }
            Ok((path, FileKind::File)) => self.read_export(caller, request, &path, &mut imported)?,
            Ok(_) | Err(_) => {
                let message = format!("`{}` is no file and no folder that can be read", path.display());
                let fault = Fault::new(codes::INPUT_UNREADABLE, message);
                return Err(fault
                    .fix("name a file made by export, or a folder with *.light.md files")
                    .field("path")
                    .into());
            }
        };
        let total: usize = parcels.iter().map(|(_, parcel)| parcel.items.len()).sum();
        let mut done = 0;
        for (target, parcel) in parcels {
            let store = &target.store;
            // History first, so that a version is known before its successor is live.
            let (live, mut past): (Vec<Item>, Vec<Item>) =
                parcel.items.into_iter().partition(|item| item.at == At::Live);
            // A version that was superseded while it was exported is in both places; here it is live.
            let outdated =
                |item: &Item| Claim::parse(&item.bytes).ok().map(|claim| claim.outdated().render());
            let still_live: HashSet<String> = live.iter().filter_map(outdated).collect();
            past.retain(|item| outdated(item).is_none_or(|text| !still_live.contains(&text)));
            for item in past.into_iter().chain(live) {
                if let Err(error) = self.take_item(store, &item, &mut imported) {
                    // Nothing more can be taken: the repeat goes on from here.
                    if [codes::STORE_NO_SPACE, codes::STORE_READ_ONLY].contains(&error.code()) {
                        return Err(error);
                    }
                    imported.not_taken.push(NotTaken {
                        name: item.name,
                        code: error.code(),
                        why: error.to_string(),
                    });
                }
                done += 1;
                progress(done, total);
            }
            self.take_acts(store, &parcel.acts, &mut imported)?;
        }
        Ok(imported)
    }

    fn take_item(&self, store: &Store, item: &Item, imported: &mut Imported) -> Result<(), MemoryError> {
        let claim = Claim::parse(&item.bytes).map_err(|fault| {
            Fault::new(codes::CLAIM_UNREADABLE, format!("it is no readable claim: {fault}")).rule("MEM-6")
        })?;
        floor::claim(&claim)?;
        match item.at {
            At::Past(exit) => {
                let slug = parse_version_name(&item.name).map(|(slug, _)| slug);
                let slug = slug.map_or_else(|| Label::parse(&claim.label).map(|l| ClaimSlug::of(&l)), Ok)?;
                match store.keep_version(&slug, &claim, exit)? {
                    Kept::New => imported.versions += 1,
                    Kept::Known | Kept::IsLive => {}
                }
            }
            At::Live => self.take_live(store, &claim, imported)?,
        }
        Ok(())
    }

    fn take_live(&self, store: &Store, claim: &Claim, imported: &mut Imported) -> Result<(), MemoryError> {
        let slug = ClaimSlug::of(&Label::parse(&claim.label)?);
        if self.is_past(store, &slug, claim)? {
            imported.unchanged += 1;
            return Ok(());
        }
        floor::adopted(&*self.disk, store, &slug)?;
        let written =
            store.write(&slug, |live| decide::take_in(live, claim, &slug).map_err(MemoryError::from));
        match written {
            Ok(written) if written.unchanged => imported.unchanged += 1,
            Ok(written) if written.history.is_some() => imported.superseded += 1,
            Ok(_) => imported.born += 1,
            Err(WriteFault::Refused(refusal)) => return Err(refusal),
            Err(WriteFault::Unreadable(bad)) => return Err(MemoryError::Unreadable(bad)),
            Err(WriteFault::Store(error)) => return Err(error.into()),
        }
        Ok(())
    }

    /// Whether this version was here before and was superseded or taken back: then it stays so.
    fn is_past(&self, store: &Store, slug: &ClaimSlug, claim: &Claim) -> Result<bool, MemoryError> {
        let (versions, _) = store.history(slug)?;
        let live = match store.live(slug) {
            Live::Claim(live) => Some(live),
            Live::Absent | Live::Unreadable(_) => None,
        };
        if live.is_some_and(|live| says_the_same(&live, claim)) {
            return Ok(false);
        }
        Ok(versions.iter().any(|version| {
            let past = Claim { state: claim.state, ..version.claim.clone() };
            says_the_same(&past, claim) && past.created >= claim.created
        }))
    }

    /// Records what is not on record; an act that would take back what is live here is left out.
    fn take_acts(&self, store: &Store, acts: &[Act], imported: &mut Imported) -> Result<(), MemoryError> {
        if acts.is_empty() {
            return Ok(());
        }
        let is_live = |act: &&Act| {
            let slug = act.subject.split_once('@').and_then(|(slug, _)| ClaimSlug::parse(slug));
            act.act == RETRACT
                && slug.is_some_and(|slug| match store.live(&slug) {
                    Live::Claim(live) => subject(&slug, &live) == act.subject,
                    Live::Absent | Live::Unreadable(_) => false,
                })
        };
        let known: Vec<String> = store.acts().read()?.acts.into_iter().map(|act| act.id).collect();
        let mut new: Vec<Act> = Vec::new();
        for act in acts.iter().filter(|act| !known.contains(&act.id) && !is_live(act)) {
            // What others wrote into a record is looked at like what they wrote into a claim.
            let line = serde_json::to_string(act).expect("an act is plain data");
            match floor::text("act", &line) {
                Ok(()) => new.push(act.clone()),
                Err(error) => {
                    let fault = Fault::from(error);
                    let name = without_secrets(&format!("act `{}` upon {}", act.act, act.subject));
                    imported.not_taken.push(NotTaken { name, code: fault.code, why: fault.message });
                }
            }
        }
        if !new.is_empty() {
            store.prepare()?;
            store.acts().record_all(&new)?;
        }
        imported.acts += new.len();
        Ok(())
    }

    /// The claim files of a folder: a store, or the folder of a brain that holds one.
    fn read_folder(&self, dir: &Path, imported: &mut Imported) -> Result<Parcel, MemoryError> {
        if self.disk.stat(&dir.join("project-brains")).is_ok() {
            let message = format!("`{}` is a whole home, not the memory of one project", dir.display());
            let fix = "name one of its folders (agent-memory, or one below project-brains), or use it as it is with --home";
            return Err(Fault::new(codes::INPUT_BAD_VALUE, message)
                .fix(fix)
                .field("path")
                .rule("MEM-42")
                .into());
        }
        let inner = dir.join("agent-memory");
        let claims = if self.disk.stat(&inner).is_ok() { inner } else { dir.to_owned() };
        let mut parcel = Parcel::default();
        for (name, bytes) in self.files_in(&claims, imported)? {
            parcel.items.push(Item { name, at: At::Live, bytes });
        }
        for (name, bytes) in self.files_in(&claims.join(".history"), imported)? {
            if let Some((_, exit)) = parse_version_name(&name) {
                parcel.items.push(Item { name, at: At::Past(exit), bytes });
            }
        }
        let log = dir.join("acts.jsonl");
        if claims != dir
            && let Ok(bytes) = self.disk.read(&log, EXPORT_LEN_MAX)
        {
            let lines = bytes.split(|b| *b == b'\n');
            parcel.acts = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
        }
        if parcel.items.is_empty() {
            imported.gaps.push(Gap::new("empty", format!("`{}` holds no *.light.md files", dir.display())));
        }
        Ok(parcel)
    }

    fn files_in(&self, dir: &Path, imported: &mut Imported) -> Result<Vec<(String, Vec<u8>)>, MemoryError> {
        let entries = match self.disk.list(dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(error) => return Err(StoreError::disk("cannot list what is to be imported")(error).into()),
        };
        let mut names: Vec<String> = entries
            .into_iter()
            .filter(|entry| entry.kind != FileKind::Dir)
            .map(|entry| entry.name.to_string_lossy().into_owned())
            .filter(|name| name.ends_with(CLAIM_SUFFIX) && !name.starts_with('.'))
            .collect();
        names.sort();
        let mut files = Vec::new();
        for name in names {
            match self.disk.read(&dir.join(&name), CLAIM_LEN_READ_MAX) {
                Ok(bytes) => files.push((name, bytes)),
                Err(error) => {
                    let why = error.fault().to_string();
                    imported.not_taken.push(NotTaken { name, code: codes::CLAIM_UNREADABLE, why });
                }
            }
        }
        Ok(files)
    }

    /// The lines of an export, by the store they go into.
    fn read_export(
        &self,
        caller: &Caller,
        request: &ImportRequest,
        path: &Path,
        imported: &mut Imported,
    ) -> Result<Vec<(Target, Parcel)>, MemoryError> {
        let bytes = self
            .disk
            .read(path, EXPORT_LEN_MAX)
            .map_err(|error| StoreError::disk("cannot read the export")(error))?;
        let mut parcels: BTreeMap<String, Parcel> = BTreeMap::new();
        let mut ids: BTreeMap<String, String> = BTreeMap::new();
        for (at, raw) in bytes.split(|b| *b == b'\n').enumerate() {
            if raw.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let line: Value = serde_json::from_slice(raw).unwrap_or_default();
            let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            if at == 0 {
                check_first(&line, path)?;
                continue;
            }
            let taken = match word("type").as_str() {
                "brain" => {
                    ids.insert(word("brain"), word("id"));
                    parcels.entry(word("brain")).or_default();
                    true
                }
                "gap" => {
                    imported.gaps.push(Gap::new("not_exported", word("detail")));
                    true
                }
                "claim" => {
                    let place = match word("place").as_str() {
                        "live" => Some(At::Live),
                        "superseded" => Some(At::Past(Exit::Superseded)),
                        "retracted" => Some(At::Past(Exit::Retracted)),
                        "moved" => Some(At::Past(Exit::Moved)),
                        _ => None,
                    };
                    let item = place.zip(line["file"].as_str());
                    let item = item.map(|(at, file)| Item { name: word("name"), at, bytes: file.into() });
                    let has = item.is_some();
                    parcels.entry(word("brain")).or_default().items.extend(item);
                    has
                }
                "act" => {
                    let act = serde_json::from_value::<Act>(line["act"].clone()).ok();
                    let has = act.is_some();
                    parcels.entry(word("brain")).or_default().acts.extend(act);
                    has
                }
                _ => false,
            };
            if !taken {
                let (name, why) = (format!("line {}", at + 1), "it is no line of an export".to_owned());
                imported.not_taken.push(NotTaken { name, code: codes::INPUT_BAD_VALUE, why });
            }
        }
        self.addressed(caller, request, parcels, &ids, imported)
    }

    /// Decides which store each brain of an export goes into: the medulla into the medulla, the only
    /// brain into the caller's own, one of several into the brain of the same id. Several brains of which
    /// none is here are refused: nobody but the caller can say which of them is meant.
    fn addressed(
        &self,
        caller: &Caller,
        request: &ImportRequest,
        parcels: BTreeMap<String, Parcel>,
        ids: &BTreeMap<String, String>,
        imported: &mut Imported,
    ) -> Result<Vec<(Target, Parcel)>, MemoryError> {
        let what = "tier to import into";
        let projects = parcels.keys().filter(|name| *name != MEDULLA).count();
        if let Some(from) = &request.from
            && !parcels.contains_key(from)
        {
            let message = format!("the export holds no brain {from:?}");
            return Err(chosen(&message, parcels.keys()));
        }
        if request.from.is_none() && projects > 1 {
            let here: HashSet<String> =
                self.home.roster()?.brains.iter().map(|brain| brain.manifest.id.to_string()).collect();
            if !ids.values().any(|id| here.contains(id)) {
                let message = format!("the export holds {projects} brains, and none of them is of this home");
                return Err(chosen(&message, parcels.keys()));
            }
        }
        let mut addressed = Vec::new();
        for (name, parcel) in parcels {
            let target = if name == MEDULLA {
                if request.from.as_ref().is_some_and(|from| *from != name) {
                    continue;
                }
                self.target(caller, Some(MEDULLA), what, "MEM-42")?
            } else if request.from.as_ref() == Some(&name) || request.from.is_none() && projects == 1 {
                self.target(caller, request.tier.as_deref(), what, "MEM-42")?
            } else if request.from.is_some() {
                continue;
            } else {
                let roster = self.home.roster()?.brains;
                let id = ids.get(&name).map(String::as_str).unwrap_or_default();
                let Some(brain) = roster.into_iter().find(|brain| brain.manifest.id.to_string() == id) else {
                    let detail = format!(
                        "{name} is no brain of this home: in the project it belongs to, bootstrap, then import with --from {name}"
                    );
                    imported.gaps.push(Gap::new("no_such_brain", detail));
                    continue;
                };
                self.home.check_writable()?;
                let (store, origin) = (self.store_of(&brain), brain.origin());
                Target { store, origin, place: Place::Project, root: Some(brain.root) }
            };
            addressed.push((target, parcel));
        }
        Ok(addressed)
    }
}

/// The refusal that asks for one of the brains of an export.
fn chosen<'a>(message: &str, brains: impl Iterator<Item = &'a String>) -> MemoryError {
    // The names came with the file.
    let name = |name: &String| shell_word(&without_secrets(&name.escape_debug().to_string()));
    let mut brains: Vec<String> = brains.map(|brain| format!("--from {}", name(brain))).collect();
    let more = brains.len().saturating_sub(BRAINS_NAMED_MAX);
    brains.truncate(BRAINS_NAMED_MAX);
    if more > 0 {
        brains.push(format!("one of {more} more"));
    }
    let fix = format!("stand in the project it is for, and choose: {}", brains.join(", "));
    Fault::new(codes::INPUT_BAD_VALUE, message.to_owned()).fix(fix).field("from").rule("MEM-47").into()
}

fn check_first(line: &Value, path: &Path) -> Result<(), MemoryError> {
    let version = line["version"].as_u64();
    if line["format"] == FORMAT && version.is_some_and(|version| version <= VERSION) {
        return Ok(());
    }
    let fault = if line["format"] == FORMAT {
        Fault::new(codes::INPUT_BAD_VALUE, format!("`{}` was exported by a newer program", path.display()))
            .fix("upgrade brainstem, then repeat")
    } else {
        Fault::new(codes::INPUT_BAD_VALUE, format!("`{}` was not made by export", path.display()))
            .fix("many claims as JSON lines go into memorize --batch; a folder is imported by its name")
    };
    Err(fault.field("path").rule("MEM-47").into())
}

//! Reading an export: its lines, by the store they go into.

use super::{At, EXPORT_LEN_MAX, ImportRequest, Imported, Item, NotTaken, Parcel};
use crate::export::{FORMAT, MEDULLA, VERSION};
use crate::floor::without_secrets;
use crate::limits::BRAINS_NAMED_MAX;
use crate::memorize::Target;
use crate::recall::Gap;
use crate::refusal::{MemoryError, shell_word};
use crate::service::{Caller, Memory};
use brainstem_base::{Fault, codes};
use brainstem_vault::history::Exit;
use brainstem_vault::{Act, StoreError};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

impl Memory {
    /// The lines of an export, by the store they go into.
    pub(super) fn read_export(
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
                imported.not_taken.push(NotTaken {
                    name,
                    code: codes::INPUT_BAD_VALUE,
                    why,
                    fix: Some("mend the line, then repeat the import".to_owned()),
                });
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
                self.import_target(caller, Some(MEDULLA), request.dry_run)?
            } else if request.from.as_ref() == Some(&name) || request.from.is_none() && projects == 1 {
                self.import_target(caller, request.tier.as_deref(), request.dry_run)?
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
                self.target_of(brain)
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
            .fix("many claims as JSON lines go into memorize as `batch`; a folder is imported by its name")
    };
    Err(fault.field("path").rule("MEM-47").into())
}

//! Reading an export: its lines, by the store they go into.

use super::address::Sender;
use super::answer::{ImportRequest, Imported, NotTaken};
use super::parcel::{At, EXPORT_LEN_MAX, ImportFile, Parcel};
use crate::export::{FORMAT, VERSION};
use crate::service::Transfer;
use brainstem_base::advice;
use brainstem_base::next::{VerbId, field};
use brainstem_base::{Fault, codes};
use brainstem_caller::Caller;
use brainstem_memory::store_work::Target;
use brainstem_memory::{Gap, MemoryError};
use brainstem_vault::StoreError;
use brainstem_vault::acts::codec;
use brainstem_vault::boot::BootValue;
use brainstem_vault::history::ExitReason;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

impl Transfer {
    /// The lines of an export, by the store they go into.
    pub(super) fn read_export(
        &self,
        caller: &Caller,
        request: &ImportRequest,
        path: &Path,
        imported: &mut Imported,
    ) -> Result<Vec<(Target, Parcel)>, MemoryError> {
        let bytes = self
            .disk()
            .read(path, EXPORT_LEN_MAX)
            .map_err(|error| StoreError::disk("cannot read the export")(error))?;
        let mut parcels: BTreeMap<Sender, Parcel> = BTreeMap::new();
        let mut ids: BTreeMap<String, String> = BTreeMap::new();
        let (mut read, mut expected) = (0, None);
        for (at, raw) in bytes.split(|b| *b == b'\n').enumerate() {
            if raw.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let line: Value = serde_json::from_slice(raw).unwrap_or_default();
            let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            let sender = || Sender { brain: word("brain"), root: line["root"].as_str().map(str::to_owned) };
            read += 1;
            if read == 1 {
                check_first(&line, path)?;
                expected = line["lines"].as_u64();
                continue;
            }
            let taken = match word("type").as_str() {
                "brain" => {
                    ids.insert(word("brain"), word("id"));
                    parcels.entry(sender()).or_default();
                    true
                }
                "gap" => {
                    imported.gaps.push(Gap::new("not_exported", word("detail")));
                    true
                }
                "claim" => {
                    let place = match word("place").as_str() {
                        "live" => Some(At::Live),
                        "superseded" => Some(At::Past(ExitReason::Superseded)),
                        "retracted" => Some(At::Past(ExitReason::Retracted)),
                        "moved" => Some(At::Past(ExitReason::Moved)),
                        _ => None,
                    };
                    let item = place.zip(line["file"].as_str());
                    let item = item.map(|(at, file)| ImportFile {
                        name: word("name"),
                        at,
                        bytes: file.into(),
                        is_stamp: false,
                    });
                    let has = item.is_some();
                    parcels.entry(sender()).or_default().items.extend(item);
                    has
                }
                "act" => {
                    let act = codec::read_value(&line["act"]);
                    let has = act.is_some();
                    parcels.entry(sender()).or_default().acts.extend(act);
                    has
                }
                "boot" => {
                    let value = line["value"].as_str().map(|value| BootValue {
                        value: value.to_owned(),
                        source_agent: line["source_agent"].as_str().map(str::to_owned),
                        updated: line["updated"].as_i64(),
                        imported_by: None,
                    });
                    let has = value.is_some();
                    let key = value.map(|value| (word("key"), value));
                    parcels.entry(sender()).or_default().boot_keys.extend(key);
                    has
                }
                _ => false,
            };
            if !taken {
                let (name, why) = (format!("line {}", at + 1), "it is no line of an export".to_owned());
                imported.not_taken.push(NotTaken {
                    label: None,
                    name,
                    code: codes::INPUT_BAD_VALUE,
                    why,
                    fix: Some("mend the line, then repeat the import".into()),
                });
            }
        }
        if read == 0 {
            check_first(&Value::Null, path)?;
        }
        // An export of an older program does not say how many lines it has.
        if let Some(expected) = expected.filter(|expected| read < *expected) {
            let detail = format!(
                "the file has {read} of the {expected} lines that were exported, so it was cut: what is in it is taken; export \
                 again, or copy the file anew, then repeat"
            );
            imported.gaps.push(Gap::new("export_cut", detail));
        }
        self.addressed(caller, request, parcels, &ids, imported)
    }
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
        Fault::new(codes::INPUT_BAD_VALUE, format!("`{}` was not made by export", path.display())).fix(
            advice![
                "many claims as JSON lines go into ",
                VerbId::Memorize,
                " as `",
                field("batch"),
                "`; a folder is imported by its name"
            ],
        )
    };
    Err(fault.field("path").rule("MEM-47").into())
}

//! An export as JSON lines.

use super::exported_store::{ExportedStore, unreadable_in};
use super::gaps::{as_it_is, left_out, read_badly};
use super::request::Exported;
use crate::service::Transfer;
use brainstem_base::DiskFault;
use brainstem_memory::{FailedReads, Gap, MemoryError, store_work};
use brainstem_vault::acts::codec;
use brainstem_vault::boot::BootValue;
use brainstem_vault::carried_files::CarriedFile;
use brainstem_vault::history::{ExitReason, parse_version_name};
use brainstem_vault::scan::read_file;
use serde_json::{Value, json};
use std::path::Path;

/// The format of the first line, and what may change with it.
pub(crate) const FORMAT: &str = "brainstem-export";
pub(crate) const VERSION: u64 = 1;

impl Transfer {
    /// Returns the lines of an export, and counts what they carry.
    pub(super) fn lines(
        &self,
        sources: &[ExportedStore],
        exported: &mut Exported,
        reads: &FailedReads,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Vec<Value>, MemoryError> {
        let at = self.clock().now().to_rfc3339();
        let mut lines =
            vec![json!({ "type": "export", "format": FORMAT, "version": VERSION, "exported_at": at })];
        for (at, ExportedStore { name, brain, store }) in sources.iter().enumerate() {
            let first_of_source = lines.len();
            if let Some(brain) = brain {
                let manifest = &brain.manifest;
                lines.push(json!({
                    "type": "brain", "brain": name, "id": manifest.id.to_string(),
                    "name": manifest.name, "created": manifest.created,
                }));
            }
            // Before the files: what comes back into the checkout meanwhile is in one of them at least.
            let carried = store.carried()?;
            let bad = unreadable_in(store)?;
            let mut claims = 0;
            let mut claim = |dir: &Path, file: String, place: &str| -> Result<bool, MemoryError> {
                let bytes = match read_file(self.disk(), &dir.join(&file)) {
                    Ok(bytes) => bytes,
                    Err(error) if error.fault() == DiskFault::NotFound => return Ok(false),
                    Err(error) => {
                        exported.gaps.push(left_out(name, &file, &error.fault().to_string()));
                        return Ok(false);
                    }
                };
                let Ok(text) = String::from_utf8(bytes) else {
                    exported.gaps.push(left_out(name, &file, "it is not valid UTF-8"));
                    return Ok(false);
                };
                lines.push(
                    json!({ "type": "claim", "brain": name, "place": place, "name": file, "file": text }),
                );
                Ok(true)
            };
            let mut unreadable = Vec::new();
            for file in self.names_in(&store.paths().claims)? {
                let why = bad.get(&file);
                match (claim(&store.paths().claims, file.clone(), "live")?, why) {
                    (true, Some(why)) => unreadable.push(as_it_is(name, &file, why)),
                    (true, None) => claims += 1,
                    (false, _) => {}
                }
            }
            for file in self.names_in(&store.paths().history)? {
                let Some((_, exit)) = parse_version_name(&file) else { continue };
                exported.versions += usize::from(claim(&store.paths().history, file, place_word(exit))?);
            }
            exported.claims += claims;
            exported.versions = exported.versions.saturating_sub(self.stamp_count(store)?);
            exported.gaps.extend(unreadable);
            for CarriedFile { name: file, exit, bytes } in carried {
                let Ok(text) = String::from_utf8(bytes) else {
                    exported.gaps.push(left_out(name, &file, "it is not valid UTF-8"));
                    continue;
                };
                let place = exit.map_or("live", place_word);
                lines.push(
                    json!({ "type": "claim", "brain": name, "place": place, "name": file, "file": text }),
                );
                match exit {
                    None => exported.claims += 1,
                    Some(_) => exported.versions += 1,
                }
            }
            let read = store.acts().read()?;
            if read.damaged_lines > 0 {
                let detail = format!("{} lines of the acts of {name} are no acts", read.damaged_lines);
                exported.gaps.push(Gap::new("damaged_acts", detail));
            }
            exported.acts += read.acts.len();
            for act in read.acts {
                lines.push(json!({ "type": "act", "brain": name, "act": codec::value(&act) }));
            }
            let folder = brain.as_ref().map_or(self.home().path(), |brain| &brain.folder);
            match store_work::boot_file(self.memory(), folder, store).read() {
                Ok(keys) => lines.extend(keys.into_iter().map(|(key, value)| boot_line(name, &key, &value))),
                Err(_) => {
                    let detail = format!("the boot keys of {name} cannot be read and are not in the export");
                    exported.gaps.push(Gap::new("boot_left_out", detail));
                }
            }
            // The clones of one repository have one brain, and each has memory of its own.
            if let Some(brain) = brain {
                for line in &mut lines[first_of_source..] {
                    line["root"] = brain.fingerprint.clone().into();
                }
            }
            progress(at + 1, sources.len());
        }
        exported.gaps.extend(read_badly(reads, &exported.gaps));
        // A reader of the lines alone sees it too.
        let told = exported.gaps.iter();
        lines.extend(
            told.map(|gap| json!({ "type": "gap", "name": gap.name, "detail": gap.detail.to_string() })),
        );
        // A file that was cut at the end of a line says so by this number.
        lines[0]["lines"] = lines.len().into();
        Ok(lines)
    }
}

/// The place of a version of history, as an export names it.
fn place_word(exit: ExitReason) -> &'static str {
    match exit {
        ExitReason::Superseded => "superseded",
        ExitReason::Retracted => "retracted",
        ExitReason::Moved => "moved",
    }
}

/// The line of one boot key.
fn boot_line(brain: &str, key: &str, boot: &BootValue) -> Value {
    let BootValue { value, source_agent, updated, imported_by: _ } = boot;
    let mut line = json!({ "type": "boot", "brain": brain, "key": key, "value": value });
    if let Some(agent) = source_agent {
        line["source_agent"] = agent.clone().into();
    }
    if let Some(updated) = updated {
        line["updated"] = (*updated).into();
    }
    line
}

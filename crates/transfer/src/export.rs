//! `export`: everything there is of a brain, of the medulla or of the whole home, in a form that
//! needs no program of ours: JSON lines, or a plain copy of the folders.

mod copied_folders;
mod exported_store;
mod gaps;
mod ledger_copy;
mod lines;
mod mail_left_out;
mod new_name;
mod outside_stores;
mod request;
mod secrets;

pub(crate) use exported_store::MEDULLA;
pub use ledger_copy::UNREADABLE_LEDGER;
pub(crate) use lines::{FORMAT, VERSION};
pub use request::{ExportRequest, ExportScope, Exported, Format, MailLeftOut};
pub use secrets::SECRET_EXPORTED;

use crate::service::Transfer;
use brainstem_base::advice;
use brainstem_base::next::{Shell, field, shell_word};
use brainstem_caller::{Caller, git_layout};
use brainstem_memory::{FailedReads, Gap, MemoryError};
use brainstem_vault::memory_ignored::committable_in;
use gaps::read_badly;
use std::path::Path;

impl Transfer {
    /// Exports. Live claims are read before history: a version that is superseded meanwhile is in one
    /// of them at least. After each store `progress` gets how many are done, of how many.
    pub fn export(
        &self,
        caller: &Caller,
        request: &ExportRequest,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Exported, MemoryError> {
        request.out.as_ref().map_or(Ok(()), |out| self.floor().check_path("out", out))?;
        let (memory, reads) = self.memory().noting_reads();
        Self::new(&memory).export_noted(caller, request, &reads, progress)
    }

    fn export_noted(
        &self,
        caller: &Caller,
        request: &ExportRequest,
        reads: &FailedReads,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Exported, MemoryError> {
        let (sources, gaps) = self.sources(caller, request.scope)?;
        let mut exported = Exported { gaps, stores: sources.len(), ..Exported::default() };
        let (mail_left_out, uncounted) = self.mail_left_out(&sources);
        exported.mail_left_out = mail_left_out;
        exported.gaps.extend(uncounted);
        let is_whole = (request.scope, request.format) == (ExportScope::All, Format::Folder);
        let beside = if is_whole { self.beside_the_stores(&sources)? } else { Vec::new() };
        if request.scope == ExportScope::All && !is_whole {
            // A copy of the home has them; lines have the brains that are served.
            exported.gaps.extend(self.home().all_set_aside().iter().map(|brain| {
                let origin = brain.origin();
                let detail = advice![
                    "the brain {origin} was set aside and is not in this export: the same with ",
                    field("format").is("dir"),
                    " has it as it is"
                ];
                Gap::new("set_aside", detail)
            }));
        }
        exported.gaps.extend(self.secrets_exported(&sources, &beside)?);
        let out = request.out.as_ref().map(|out| self.place_of(caller, out)).transpose()?;
        match (request.format, out) {
            (Format::JsonLines, out) => {
                let lines = self.lines(&sources, &mut exported, reads, progress)?;
                match out {
                    None => exported.lines = Some(lines),
                    Some(out) => {
                        let mut bytes = Vec::new();
                        for line in &lines {
                            serde_json::to_writer(&mut bytes, line).expect("plain data");
                            bytes.push(b'\n');
                        }
                        self.put_new(&out, &bytes)?;
                        exported.path = Some(out);
                    }
                }
            }
            (Format::Folder, Some(out)) => {
                self.copy_out((request.scope, &beside), &sources, &out, &mut exported, progress)?;
                exported.gaps.extend(read_badly(reads, &exported.gaps));
                exported.path = Some(out);
            }
            (Format::Folder, None) => {
                return Err(MemoryError::Missing {
                    field: "out",
                    give: advice!["the folder to make as `", field("out"), "`"],
                    rule: "MEM-47",
                });
            }
        }
        exported.gaps.extend(exported.path.as_deref().and_then(|out| self.in_git(out, request.format)));
        Ok(exported)
    }

    /// Says of an export in a working tree that git can commit it. It is not refused: a person may keep a backup in a
    /// repository of its own.
    fn in_git(&self, out: &Path, format: Format) -> Option<Gap> {
        let file = match format {
            Format::JsonLines => out.to_owned(),
            Format::Folder => out.join("agent-memory"),
        };
        let top = committable_in(self.disk(), &file, self.memory().user_home())?;
        let rule = out.strip_prefix(&top).ok().map(|below| shell_word(&format!("/{}", below.display())))?;
        let git_dir = git_layout::git_dir(self.disk(), &top)?;
        let exclude = git_layout::common_dir(self.disk(), &git_dir).join("info/exclude");
        let exclude = shell_word(&exclude.display().to_string());
        let detail = advice![
            "`",
            out.display().to_string(),
            "` holds private memory and lies in the repository `",
            top.display().to_string(),
            "`, where git can commit it: move it, or give another `",
            field("out"),
            "`; ",
            Shell::line(format!("echo {rule} >> {exclude}")),
            " keeps it out of this clone's commits"
        ];
        Some(Gap::new("export_in_git", detail))
    }
}

//! `eject`: a project's memory moves back under the home.

use super::host_files::{self, HostChange, HostDirection};
use super::moves::{Moved, moves, present_moves};
use crate::screen::{Look, bold, dim, name, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_memory::{EjectRequest, Moving};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Take this project's memory out of its repository, back under the home; or with --host, disconnect a host.
///
/// Undoes exactly what `init` did. Claims and history are kept, and what git took away comes home too; letters and settings beside
/// them in the repository stay there, and git keeps what was committed.
///
/// With --host it moves no memory: it takes out of the project's files what `init --host` wrote, and
/// leaves what people changed there since.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Eject {
    /// The project's folder; default: where you are.
    pub path: Option<String>,
    /// Disconnect a host: claude-code, codex, cursor, gemini, vscode, antigravity, opencode or all.
    #[arg(long, value_name = "HOST", num_args = 0..=1, default_missing_value = "")]
    #[serde(default)]
    pub host: Vec<String>,
    /// Say what would happen, and change nothing.
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

/// What was taken out of the repository.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EjectAnswer {
    /// The project's root.
    pub root: String,
    /// Its brain: name@id; null where a host was disconnected from a project without one.
    pub brain: Option<String>,
    /// Nothing was changed.
    pub dry_run: bool,
    /// The home was its place already; with hosts, nothing of theirs was there.
    pub existed: bool,
    /// What happens to each claim that was in the repository.
    pub moves: Vec<Moved>,
    /// Labels that were written here, were not in this checkout, and came home too.
    pub restored: Vec<String>,
    /// The hosts that were disconnected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Their files in the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<HostChange>,
    /// What you should know besides.
    pub notes: Vec<String>,
}

impl Verb for Eject {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        doors: Doors::CommandLine { why: "where a project keeps its memory is a decision for people" },
        effect: Effect::Destructive,
        title: "Take memory out of the repository, or disconnect a host",
        when_to_use: "Only when a person wants to undo init.",
        examples: &["brainstem eject", "brainstem eject --dry-run", "brainstem eject --host claude-code"],
        ..VerbSpec::of(VerbId::Eject)
    };
    type Output = EjectAnswer;

    fn run(self, cx: &Context) -> Result<EjectAnswer, Fault> {
        if !self.host.is_empty() {
            return self.disconnect(cx);
        }
        let request =
            EjectRequest { path: self.path.map(PathBuf::from), moving: Moving::of_flag(self.dry_run) };
        let caller = cx.caller()?;
        let mut done = cx.memory.eject(&caller, &request)?;
        done.notes.extend(caller.principal.notes());
        Ok(EjectAnswer {
            root: done.root.display().to_string(),
            brain: Some(done.brain.origin()),
            dry_run: self.dry_run,
            existed: done.existed,
            moves: moves(done.moves),
            restored: done.restored,
            hosts: Vec::new(),
            files: Vec::new(),
            notes: cx.door.render_all(&done.notes),
        })
    }
}

impl Eject {
    fn disconnect(self, cx: &Context) -> Result<EjectAnswer, Fault> {
        let done = host_files::run(HostDirection::Out, &self.host, self.path, self.dry_run, cx)?;
        Ok(EjectAnswer {
            root: done.root,
            brain: done.brain,
            dry_run: self.dry_run,
            existed: done.files.iter().all(|file| file.diff.is_empty()),
            moves: Vec::new(),
            restored: Vec::new(),
            hosts: done.hosts,
            files: done.files,
            notes: done.notes,
        })
    }
}

impl Present for EjectAnswer {
    fn present(&self, out: &mut Screen) {
        if !self.hosts.is_empty() {
            host_files::present(&self.root, self.brain.as_deref(), &self.files, self.dry_run, out);
            out.notes(&self.notes);
            return;
        }
        let what = match (self.dry_run, self.existed) {
            (true, false) => "would keep its memory under the home",
            (_, true) => "keeps its memory under the home already",
            (false, false) => "keeps its memory under the home now",
        };
        out.flow(0, 2, [name(self.root.as_str()), " ".into(), styled(Look::Good, what)]);
        present_moves(&self.moves, self.dry_run, out);
        for label in &self.restored {
            out.flow(2, 4, [bold(label.as_str()), dim("  comes home: it was not in this checkout")]);
        }
        out.notes(&self.notes);
    }
}

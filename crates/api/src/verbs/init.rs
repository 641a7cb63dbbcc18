//! `init`: a project's memory moves into its repository.

use super::host_files::{self, HostAgent, HostChange, HostDirection};
use super::moves::{Moved, moves, present_moves};
use crate::screen::{Look, bold, dim, name, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::advice;
use brainstem_base::next::VerbId;
use brainstem_base::next::calls;
use brainstem_base::{Fault, codes};
use brainstem_memory::{CommittableRecord, GitWish, InitRequest, Moving};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Keep this project's memory in its repository, so that it travels with git; or with --host, connect a host.
///
/// Claims move to `.brainstem/agent-memory/` in the repository; history stays under the home, where
/// no checkout reaches it. Commit the folder, and a clone elsewhere remembers at once. Repeating it
/// merges what is still under the home, and brings back claims that a clean or a checkout took away.
///
/// With --private git sees nothing of it. That is on record in the home: a private project stays private, whatever git
/// cleans away, until --shared is given.
///
/// With --host it moves no memory. It gives the project a brain under the home where it has none, and
/// writes what that host needs into the project's files: the MCP server, hooks where the host has them,
/// and a section in AGENTS.md, CLAUDE.md or GEMINI.md. What was there stays byte for byte, and `eject --host` takes it
/// back; --dry-run shows the difference and writes nothing.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Init {
    /// The project's folder; default: where you are.
    pub path: Option<String>,
    /// Connect a host: claude-code, codex, cursor, gemini, vscode, antigravity, opencode or all.
    #[arg(long, value_name = "HOST", num_args = 0..=1, default_missing_value = "")]
    #[serde(default)]
    pub host: Vec<String>,
    /// Keep all of it out of git.
    #[arg(long)]
    #[serde(default)]
    pub private: bool,
    /// Let the memory of a private project be committed from now on; says what that is.
    #[arg(long)]
    #[serde(default)]
    pub shared: bool,
    /// Say what would happen, and change nothing.
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

/// What was brought into the repository.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitAnswer {
    /// The project's root.
    pub root: String,
    /// Its brain: name@id; null when a dry run would make it.
    pub brain: Option<String>,
    /// Nothing was changed.
    pub dry_run: bool,
    /// The repository was its place already; with hosts, their files were as they should be.
    pub existed: bool,
    /// What happens to each claim that was under the home.
    pub moves: Vec<Moved>,
    /// Labels that were written here, were not in this checkout, and came back.
    pub restored: Vec<String>,
    /// The record of acts that git can commit from now on; absent if it could before, or never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordCommitted>,
    /// The hosts that were connected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// The agent's id in each of them: hook, MCP server and mail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<HostAgent>,
    /// Their files in the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<HostChange>,
    /// What you should know besides.
    pub notes: Vec<String>,
}

/// The record of acts that git can commit from now on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordCommitted {
    /// How many acts.
    pub acts: usize,
    /// The reasons and notes in them, which were written while memory was private.
    pub reasons_and_notes: Vec<String>,
    /// Claims in the record that are not live: taken back, renamed or forgotten.
    pub claims_not_live: Vec<String>,
}

impl From<CommittableRecord> for RecordCommitted {
    fn from(record: CommittableRecord) -> Self {
        Self { acts: record.acts, reasons_and_notes: record.words, claims_not_live: record.not_live }
    }
}

impl Verb for Init {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        doors: Doors::CommandLine { why: "where a project keeps its memory is a decision for people" },
        effect: Effect::Write,
        title: "Keep memory in the repository, or connect a host",
        when_to_use: "Only when a person wants this project's memory to travel with its git repository, or a host to be connected.",
        examples: &[
            "brainstem init",
            "brainstem init --host claude-code",
            "brainstem init --host all --dry-run",
            "brainstem init --dry-run",
            "brainstem init --private",
        ],
        ..VerbSpec::of(VerbId::Init)
    };
    type Output = InitAnswer;

    fn run(self, cx: &Context) -> Result<InitAnswer, Fault> {
        if !self.host.is_empty() {
            return self.connect(cx);
        }
        let caller = cx.caller()?;
        let path = self.path.map(PathBuf::from);
        let git = GitWish::of_flags(self.private, self.shared).or_else(|both| {
            cx.memory.check_init_place(&caller, path.as_deref())?;
            Err(both)
        })?;
        let request =
            InitRequest { path, git, moving: Moving::of_flag(self.dry_run), program: cx.program.clone() };
        let mut done = cx.memory.init(&caller, &request)?;
        done.notes.extend(caller.principal.notes());
        Ok(InitAnswer {
            root: done.root.display().to_string(),
            brain: done.brain.map(|brain| brain.origin()),
            dry_run: self.dry_run,
            existed: done.existed,
            moves: moves(done.moves),
            restored: done.restored,
            record: done.record.map(RecordCommitted::from),
            hosts: Vec::new(),
            agents: Vec::new(),
            files: Vec::new(),
            notes: cx.door.render_all(&done.notes),
        })
    }
}

impl Init {
    fn connect(self, cx: &Context) -> Result<InitAnswer, Fault> {
        if self.private || self.shared {
            let (field, call) = match self.private {
                true => ("private", calls::init_private()),
                false => ("shared", calls::init_shared()),
            };
            let told = format!("`{field}` is about memory in the repository, and `host` moves none");
            let fix = advice!["give one of the two; ", call, " is a call of its own"];
            return Err(Fault::new(codes::INPUT_BAD_VALUE, told).fix(fix).field(field).rule("IF-15"));
        }
        let done = host_files::run(HostDirection::In, &self.host, self.path, self.dry_run, cx)?;
        Ok(InitAnswer {
            root: done.root,
            brain: done.brain,
            dry_run: self.dry_run,
            existed: done.files.iter().all(|file| file.diff.is_empty()),
            moves: Vec::new(),
            restored: Vec::new(),
            record: None,
            agents: host_files::agents(&done.hosts),
            hosts: done.hosts,
            files: done.files,
            notes: done.notes,
        })
    }
}

impl Present for InitAnswer {
    fn present(&self, out: &mut Screen) {
        if !self.hosts.is_empty() {
            host_files::present(&self.root, self.brain.as_deref(), &self.files, self.dry_run, out);
            for HostAgent { host, agent_id } in &self.agents {
                let is = format!(" is {agent_id} here, in memory and in mail");
                out.flow(0, 2, [bold(host.as_str()), is.into()]);
            }
            out.notes(&self.notes);
            return;
        }
        let what = match (self.dry_run, self.existed) {
            (true, false) => "would keep its memory in the repository",
            (_, true) => "keeps its memory in the repository already",
            (false, false) => "keeps its memory in the repository now",
        };
        out.flow(0, 2, [name(self.root.as_str()), " ".into(), styled(Look::Good, what)]);
        present_moves(&self.moves, self.dry_run, out);
        for label in &self.restored {
            out.flow(2, 4, [bold(label.as_str()), dim("  comes back: it was not in this checkout")]);
        }
        out.notes(&self.notes);
    }
}

//! `export`: everything there is, for a backup or another machine.

use super::row::{Gap, counted, gaps, present_gaps};
use crate::field_kinds;
use crate::screen::{Look, bold, styled};
use crate::{Carries, Context, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::advice;
use brainstem_base::next::VerbId;
use brainstem_base::next::field;
use brainstem_base::{Fault, codes};
use brainstem_transfer::{ExportRequest, ExportScope, Format, SECRET_EXPORTED};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Write out your project's memory, or all of it: claims, history and acts.
///
/// JSON lines go to standard output, with --json and without, or into a new file with `--out`.
/// `--format dir` makes a plain copy of the folders instead. Nothing is replaced, and what is written
/// can be read by you alone. `--all` means every project's memory, wherever you are. Nothing is masked: a
/// secret that was written into a file is in the export as it is, and the answer says so.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct Export {
    /// Every brain of this home, and the medulla; default: your project alone.
    #[arg(long)]
    #[serde(default)]
    pub all: bool,
    /// medulla for the medulla alone.
    #[arg(long, conflicts_with = "all")]
    #[schemars(extend("x-takes" = field_kinds::tier()))]
    pub tier: Option<String>,
    /// jsonl (default) or dir.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::one_of(&["jsonl", "dir"])))]
    pub format: Option<String>,
    /// The file or folder to make.
    #[arg(long, value_name = "FILE")]
    #[schemars(extend("x-takes" = field_kinds::path()))]
    pub out: Option<String>,
}

/// One tier or all of them; a folder needs a place to be written to.
fn together() -> Value {
    json!({ "allOf": [
        { "anyOf": [{ "properties": { "all": { "const": false } } }, { "properties": { "tier": false } }] },
        { "anyOf": [{ "properties": { "format": { "const": "jsonl" } } }, { "required": ["out"] }] },
    ] })
}

/// What was written out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportAnswer {
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The lines themselves, where no file was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<Value>>,
    /// Stores.
    pub stores: usize,
    /// Live claims.
    pub claims: usize,
    /// Versions of history.
    pub versions: usize,
    /// Recorded acts.
    pub acts: usize,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

impl Job for Export {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        idempotent: false,
        title: "Export memory",
        when_to_use: "For a backup or a move; give `out`.",
        examples: &[
            "brainstem export --out ~/cherry.jsonl",
            "brainstem export --all --out everything.jsonl",
            "brainstem export --all --format dir --out home-copy",
        ],
        ..VerbSpec::of(VerbId::Export)
    };
    const CARRIES: Carries = Carries::Bytes;
    type Output = ExportAnswer;

    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<ExportAnswer, Fault> {
        let bad = |field: &'static str, fix: &str| {
            Fault::new(codes::INPUT_BAD_VALUE, format!("`{field}` does not fit"))
                .fix(fix)
                .field(field)
                .rule("MEM-47")
        };
        let scope = match (self.all, self.tier.as_deref()) {
            (true, None) => ExportScope::All,
            (false, None | Some("project")) => ExportScope::Project,
            (false, Some("medulla")) => ExportScope::Medulla,
            (_, Some(_)) => return Err(bad("tier", "give project, medulla, or `all` without a tier")),
        };
        let format = match self.format.as_deref() {
            None | Some("jsonl") => Format::JsonLines,
            Some("dir") => Format::Folder,
            Some(_) => return Err(bad("format", "give jsonl or dir")),
        };
        // The other doors have no standard output, and `-` as the name of a file is certainly a mistake.
        if self.out.as_deref() == Some("-") && !cx.has_shell() {
            return Err(bad("out", "leave `out` out to get the lines in the answer, or name a file to make"));
        }
        let out = self.out.filter(|out| out != "-").map(|out| cx.path("out", &out)).transpose()?;
        let request = ExportRequest { scope, format, out };
        let told = |done, total| steps.report(done, total);
        let done = cx.transfer().export(&cx.caller()?, &request, &told)?;
        // An export is not masked, so its lines are no answer for a model if one of them has a secret.
        let is_secret = done.gaps.iter().any(|gap| gap.name == SECRET_EXPORTED);
        if is_secret && done.lines.is_some() && !cx.has_shell() {
            return Err(Fault::new(
                codes::HYGIENE_SECRET,
                "the lines of this export carry a secret, and no answer shows one",
            )
            .fix(advice![
                "give `",
                field("out"),
                "`: the file gets every byte as it is, and you alone can read it"
            ])
            .field("out")
            .rule("MEM-14"));
        }
        Ok(ExportAnswer {
            path: done.path.map(|path| path.display().to_string()),
            lines: done.lines,
            stores: done.stores,
            claims: done.claims,
            versions: done.versions,
            acts: done.acts,
            gaps: gaps(&done.gaps, cx.door),
        })
    }
}

impl Present for ExportAnswer {
    fn present(&self, out: &mut Screen) {
        if let Some(path) = &self.path {
            out.flow(0, 2, [styled(Look::Good, "exported to"), " ".into(), bold(path.as_str())]);
        }
        let (stores, claims) = (counted(self.stores, "store"), counted(self.claims, "claim"));
        let (versions, acts) = (counted(self.versions, "version"), counted(self.acts, "act"));
        out.line([format!("  {stores}: {claims}, {versions} of history, {acts}")]);
        present_gaps(&self.gaps, out);
    }

    fn lines(&self) -> Option<Vec<Value>> {
        self.lines.clone()
    }
}

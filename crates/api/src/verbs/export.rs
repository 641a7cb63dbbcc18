//! `export`: everything there is, for a backup or another machine.

use super::row::{Gap, counted, gaps, present_gaps};
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Carries, Context, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::advice;
use brainstem_base::next::VerbId;
use brainstem_base::next::{calls, field};
use brainstem_base::{Fault, codes};
use brainstem_memory::Gap as MemoryGap;
use brainstem_transfer::{
    ExportRequest, ExportScope, Format, MailLeftOut, SECRET_EXPORTED, UNREADABLE_LEDGER,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Write out your project's memory, or all of it: claims, history and acts.
///
/// JSON lines go to standard output, with --json and without, or into a new file with `--out`.
/// `--format dir` makes a plain copy of the folders instead. Nothing is replaced, and what is written
/// can be read by you alone. `--all` means every project's memory, wherever you are. Nothing is masked: a
/// secret that was written into a file is in the export as it is, and the answer says so.
///
/// Mail is in no export: the `.mail` of each project has it, and the answer counts it. The inbox, its ledger, settings,
/// letters and battery cases are in `--all --format dir` alone.
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
    /// Mail of these projects, which is not in the export: copy each folder too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mail_left_out: Vec<MailStays>,
    /// What of the home is not in the export besides: `inbox`, `settings`, `letters`, `battery`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_included: Vec<String>,
    /// What could not be read.
    pub gaps: Vec<Gap>,
}

/// The mail of a project that stays where it is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MailStays {
    /// The project's brain: name@id.
    pub brain: String,
    /// The folder of its boxes.
    pub path: String,
    /// Messages in it, read and archived ones included.
    pub messages: usize,
    /// Those of them that are unread.
    pub unread: usize,
}

/// What only a copy of the whole home has.
const OF_WHOLE_HOME: [&str; 4] = ["inbox", "settings", "letters", "battery"];

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
        let mut found = done.gaps;
        if matches!(scope, ExportScope::All)
            && matches!(format, Format::Folder)
            && let Err(lost) = cx.post().ledger_to_read()
            && !found.iter().any(|gap| gap.name == UNREADABLE_LEDGER)
        {
            found
                .push(MemoryGap::new(UNREADABLE_LEDGER, format!("no whole ledger is in the export: {lost}")));
        }
        Ok(ExportAnswer {
            path: done.path.map(|path| path.display().to_string()),
            lines: done.lines,
            stores: done.stores,
            claims: done.claims,
            versions: done.versions,
            acts: done.acts,
            mail_left_out: done.mail_left_out.into_iter().map(MailStays::from).collect(),
            not_included: match (scope, format) {
                (ExportScope::All, Format::Folder) => Vec::new(),
                _ => OF_WHOLE_HOME.map(str::to_owned).to_vec(),
            },
            gaps: gaps(&found, cx.door),
        })
    }
}

impl From<MailLeftOut> for MailStays {
    fn from(left: MailLeftOut) -> Self {
        let (messages, unread) = (left.messages.all(), left.messages.unread);
        Self { brain: left.brain, path: left.path.display().to_string(), messages, unread }
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
        for MailStays { brain, path, messages, unread } in &self.mail_left_out {
            let (messages, stay) =
                (counted(*messages, "message"), if *messages == 1 { "stays" } else { "stay" });
            let told =
                format!("{messages} of {brain}, {unread} unread, {stay} in {path}: copy that folder too");
            out.flow(2, 4, [styled(Look::Warn, "not in it: "), told.into()]);
        }
        if !self.not_included.is_empty() {
            let named = self.not_included.join(", ");
            let whole = out.command(&calls::export_home(calls::PATH));
            out.flow(2, 4, [dim(format!("nor are {named}: {whole} has them"))]);
        }
        present_gaps(&self.gaps, out);
    }

    fn lines(&self) -> Option<Vec<Value>> {
        self.lines.clone()
    }
}

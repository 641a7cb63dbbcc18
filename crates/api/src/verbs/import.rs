//! `import`: takes in an export, or the claim files of a folder.

use super::row::{Gap, counted, gaps, present_gaps, unread_gaps};
use crate::Door;
use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::wire::Exit;
use crate::{Context, Effect, Job, Present, Screen, Steps, Toolset, VerbSpec};
use brainstem_base::next::{VerbId, calls};
use brainstem_base::{Fault, codes};
use brainstem_post::letters::Filing;
use brainstem_transfer::ImportRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// Take in an export, or a folder of claim files such as another tool's store.
///
/// Copies only: dates and authors stay, and what is imported from is not changed. Where a label is
/// there already, an older claim goes into its history, and a younger one follows the rule of memorize.
/// What is refused or cannot be read is named. A second
/// import changes nothing, so an interrupted one is repeated. Field reports go into the spool as they are;
/// `letter distribute` files them, and answers like "resolves L27" count as answers to those lines.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Import {
    /// A file made by export, field-reports.jsonl, or a folder with *.light.md files (.m1nd, ~/.m1nd).
    #[schemars(extend("x-takes" = field_kinds::path()))]
    pub path: String,
    /// Of an export of several brains: the one (name@id, or its name if no other has it) that goes into your project.
    #[arg(long, value_name = "BRAIN")]
    pub from: Option<String>,
    /// medulla for a folder of doctrine; default: your project.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier()))]
    pub tier: Option<String>,
    /// Of a mixed folder: each claim to the brain it belongs to.
    #[arg(long)]
    #[serde(default)]
    pub sort: bool,
    /// Say what would be taken, and change nothing.
    #[arg(long)]
    #[serde(default)]
    pub dry_run: bool,
}

/// What was taken in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportAnswer {
    /// Claims whose label was new.
    pub born: usize,
    /// Claims that took the place of another, which is in history.
    pub superseded: usize,
    /// Claims that were there already.
    pub unchanged: usize,
    /// Versions that history did not have.
    pub versions: usize,
    /// Acts that were not on record.
    pub acts: usize,
    /// Boot keys that were not here.
    #[serde(skip_serializing_if = "is_zero")]
    pub boot_keys: usize,
    /// What was not taken.
    pub not_taken: Vec<NotTaken>,
    /// Claims that were taken into the medulla because nothing says where they belong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flagged: Vec<FlaggedClaim>,
    /// Letters (field reports) that were found.
    pub letters: usize,
    /// Those that the spool did not have.
    pub letters_new: usize,
    /// Letters that answer others in prose.
    pub letter_references: usize,
    /// Whether this is what would happen.
    pub dry_run: bool,
    /// For a dry run: what would become of each file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<ImportRow>,
    /// What you should know besides.
    pub gaps: Vec<Gap>,
}

/// What would become of one file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportRow {
    /// Its file or line.
    pub name: String,
    /// Its label.
    pub label: Option<String>,
    /// The store it goes to.
    pub to: String,
    /// The folder of that store's project, where several clones here have one brain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// born, superseded, unchanged or version.
    pub outcome: String,
}

/// Something that was not taken.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotTaken {
    /// Its file or line.
    pub name: String,
    /// Its label, where it is a readable claim of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The code of the refusal.
    pub code: String,
    /// Why.
    pub why: String,
    /// What takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Job for Import {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        effect: Effect::Write,
        title: "Import memory",
        when_to_use: "To take in an export or another tool's claim files.",
        examples: &[
            "brainstem import ~/cherry.jsonl",
            "brainstem import .m1nd --dry-run",
            "brainstem import ~/.m1nd --sort",
            "brainstem import ~/.m1nd/field-reports.jsonl",
        ],
        ..VerbSpec::of(VerbId::Import)
    };
    type Output = ImportAnswer;

    fn work(self, cx: &Context, steps: Steps<'_>) -> Result<ImportAnswer, Fault> {
        let request = ImportRequest {
            path: cx.path("path", &self.path)?,
            from: self.from,
            tier: self.tier,
            sort: self.sort,
            dry_run: self.dry_run,
        };
        let caller = cx.caller()?;
        let far = Cell::new((0, 0));
        let progress = |done, total| {
            far.set((done, total));
            steps.report(done, total);
            steps.goes_on()
        };
        let mut done = cx.transfer().import(&caller, &request, &progress).map_err(|error| {
            let fault = Fault::from(error);
            // Only the process that was stopped may undo its import.
            if fault.code == codes::INPUT_CANCELLED { steps.stopped(far.get().0, far.get().1) } else { fault }
        })?;
        let filing = if self.dry_run { Filing::DryRun } else { Filing::Real };
        let letters = cx.post().import_letters(&done.letter_files, filing)?;
        if letters.unreadable > 0 {
            let lines = counted(letters.unreadable, "line");
            let detail = format!("{lines} of the field reports are no letters, and were not taken");
            done.gaps.push(brainstem_memory::Gap::new("letters_unreadable", detail));
        }
        done.gaps.extend(unread_gaps(&caller));
        let named = |item: brainstem_transfer::NotTaken| NotTaken {
            name: item.name,
            label: item.label,
            code: item.code.name().to_owned(),
            why: item.why,
            fix: item.fix.as_ref().map(|fix| cx.door.render(fix)),
        };
        let row = |row: brainstem_transfer::ImportRow| ImportRow {
            name: row.name,
            label: row.label,
            to: row.to,
            root: row.root.map(|root| root.display().to_string()),
            outcome: row.outcome.to_owned(),
        };
        Ok(ImportAnswer {
            letters: letters.found,
            letters_new: letters.new,
            letter_references: letters.references,
            dry_run: self.dry_run,
            rows: done.rows.into_iter().map(row).collect(),
            born: done.born,
            superseded: done.superseded,
            unchanged: done.unchanged,
            versions: done.versions,
            acts: done.acts,
            boot_keys: done.boot_keys,
            not_taken: done.not_taken.into_iter().map(named).collect(),
            flagged: done
                .flagged
                .into_iter()
                .map(|flagged| FlaggedClaim::for_door(flagged, cx.door))
                .collect(),
            gaps: gaps(&done.gaps, cx.door),
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A claim that was taken into the medulla because nothing says where it belongs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FlaggedClaim {
    /// Its label.
    pub label: String,
    /// Why that is not known.
    pub why: String,
    /// What gives it its place.
    pub fix: String,
}

impl FlaggedClaim {
    fn for_door(flagged: brainstem_transfer::Flagged, door: Door) -> Self {
        let brainstem_transfer::Flagged { label, why, fix } = flagged;
        Self { label, why, fix: door.render(&fix) }
    }
}

impl Present for ImportAnswer {
    fn present(&self, out: &mut Screen) {
        let Self { born, superseded, unchanged, .. } = self;
        let (versions, acts) = (counted(self.versions, "version"), counted(self.acts, "act"));
        let boot_keys = match self.boot_keys {
            0 => String::new(),
            count => format!(", {}", counted(count, "boot key")),
        };
        let what = format!(
            "{born} born, {superseded} superseded, {unchanged} unchanged; {versions} of history, {acts}{boot_keys}"
        );
        for row in &self.rows {
            let label = row.label.as_deref().unwrap_or(row.name.as_str());
            let outcome = match row.outcome.as_str() {
                "version" => "an earlier version, into the history",
                outcome => outcome,
            };
            let at = row.root.as_ref().map(|root| format!(" at {root}")).unwrap_or_default();
            out.flow(2, 4, [bold(label), dim(format!("  {outcome} in {}{at}", row.to))]);
        }
        let head = if self.dry_run { "would import: " } else { "imported: " };
        out.flow(0, 2, [styled(Look::Good, head), what.into()]);
        if self.letters > 0 {
            let letters = counted(self.letters, "letter");
            let referring = match self.letter_references {
                0 => String::new(),
                count => format!(", {count} of them answer others in prose"),
            };
            let call = out.command(&calls::letter_distribute());
            let told = format!("{letters}, {} new{referring}; {call} files them", self.letters_new);
            out.flow(2, 4, [told]);
        }
        for (at, item) in self.not_taken.iter().enumerate() {
            let code = dim(format!(" [{}]", item.code));
            let name = item.label.as_deref().unwrap_or(&item.name);
            out.flow(2, 4, [styled(Look::Warn, name), format!(": {}", item.why).into(), code]);
            // The call that takes several of them is written once, behind the last of them.
            let next = self.not_taken.get(at + 1).and_then(|next| next.fix.as_ref());
            if let Some(fix) = item.fix.as_ref().filter(|fix| next != Some(fix)) {
                out.flow(4, 6, [dim("fix: "), fix.as_str().into()]);
            }
        }
        for claim in &self.flagged {
            let told = format!("  stays in the medulla: {}", claim.why);
            out.flow(2, 4, [bold(claim.label.as_str()), styled(Look::Warn, told)]);
            out.flow(4, 6, [dim("fix: "), claim.fix.as_str().into()]);
        }
        present_gaps(&self.gaps, out);
    }

    /// What was not taken ends like a refusal, so that a script notices.
    fn exit(&self) -> Exit {
        if self.not_taken.is_empty() { Exit::Done } else { Exit::Refused }
    }
}

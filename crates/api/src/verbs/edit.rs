//! `edit`: a claim in the caller's own editor.

use super::memorize::Remembered;
use crate::field_kinds;
use crate::screen::{Look, bold, styled};
use crate::{Context, Doors, Effect, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Advice;
use brainstem_base::next::VerbId;
use brainstem_base::{Fault, codes};
use brainstem_memory::{Caller, Memorized, TierUse, WriteTier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Open a claim's text in your editor ($VISUAL, $EDITOR, or vi), and write what you save.
///
/// The result is a version by you, with the same state, confidence and evidence; the hashes of the
/// evidence are taken anew. If it cannot be written, what you typed is kept in a file that is named,
/// unless it carries a secret. With `--tags` the tags are changed and nothing else.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct Edit {
    /// The claim's label, or the id of a row.
    #[schemars(extend("x-takes" = field_kinds::label()))]
    pub label: String,
    /// medulla for doctrine; default: your project.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier()))]
    pub tier: Option<String>,
    /// The tags that it has from now on; the text stays, and no editor opens. An empty word takes all of them away.
    #[arg(long, value_name = "TAGS", visible_alias = "tag")]
    #[serde(default)]
    #[schemars(extend("x-takes" = field_kinds::list(32)))]
    pub tags: Vec<String>,
}

/// What the editing did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EditAnswer {
    /// The claim's label.
    pub label: String,
    /// Nothing was changed, so nothing was written.
    pub unchanged: bool,
    /// The version that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Remembered>,
}

impl Verb for Edit {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Upkeep,
        doors: Doors::CommandLine { why: "it opens an editor on the caller's terminal; agents use memorize" },
        effect: Effect::Write,
        idempotent: false,
        title: "Edit a claim",
        when_to_use: "When a person wants to change a text by hand.",
        examples: &["brainstem edit \"retry policy\"", "brainstem edit \"retry policy\" --tags net,http"],
        ..VerbSpec::of(VerbId::Edit)
    };
    type Output = EditAnswer;

    fn run(self, cx: &Context) -> Result<EditAnswer, Fault> {
        if !self.tags.is_empty() {
            return self.retag(cx);
        }
        let Some(editor) = &cx.offers.editor else {
            return Err(Fault::new(codes::EDIT_FAILED, "there is no editor here")
                .fix("use the command line, or memorize the new text under the same label"));
        };
        let caller = cx.caller()?;
        let tier = WriteTier::parse(TierUse::Edit, self.tier.as_deref())?;
        let editing = cx.memory.begin_edit(&caller, &self.label, tier)?;
        let label = editing.label().to_owned();
        let (page, path) = editor.edit(&label, &editing.page)?;
        let done = cx.memory.finish_edit(&caller, &editing, &page).map_err(|error| {
            let fault = Fault::from(error);
            // No secret is left behind in a temporary folder.
            if fault.code == codes::HYGIENE_SECRET {
                editor.discard(&path);
                return fault;
            }
            let kept = Advice::from(format!("what you wrote is kept in `{}`", path.display()));
            let fix = Advice::joined(fault.fix.clone().into_iter().chain([kept]), "; ");
            fault.fix(fix)
        })?;
        editor.discard(&path);
        Ok(EditAnswer::of(label, done, &caller, cx))
    }
}

impl Edit {
    /// Changes the tags alone.
    fn retag(self, cx: &Context) -> Result<EditAnswer, Fault> {
        let caller = cx.caller()?;
        let tier = WriteTier::parse(TierUse::Edit, self.tier.as_deref())?;
        let editing = cx.memory.begin_edit(&caller, &self.label, tier)?;
        let tags = self.tags.iter().flat_map(|tags| tags.split(',')).map(str::trim);
        let tags: Vec<String> = tags.filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
        let slips = cx.memory.tag_slips(&caller, &tags);
        let done = cx.memory.retag(&caller, &editing, tags)?;
        let done = done.map(|mut done| {
            done.notes.extend(slips);
            done
        });
        Ok(EditAnswer::of(editing.label().to_owned(), done, &caller, cx))
    }
}

impl EditAnswer {
    fn of(label: String, done: Option<Memorized>, caller: &Caller, cx: &Context) -> Self {
        let version = done.map(|mut done| {
            done.notes.extend(caller.principal.notes());
            Remembered::for_door(done, cx.door)
        });
        Self { label, unchanged: version.is_none(), version }
    }
}

impl Present for EditAnswer {
    fn present(&self, out: &mut Screen) {
        match &self.version {
            Some(version) => version.present(out),
            None => out.flow(0, 2, [styled(Look::Good, "unchanged"), " ".into(), bold(self.label.as_str())]),
        }
    }
}

//! `letter write`: report what went wrong, hurt or worked.

use crate::field_kinds;
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, Effect, LongText, Present, Screen, Toolset, Verb, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::letters::LetterDraft;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Write a letter: what went wrong, hurt or worked, for those that mend it.
///
/// It is appended to the spool of this home, and `letter distribute` files it in the box of the project it is
/// about: the one you are in, unless --repo or --brain names another (--repo all: none). Classes are an open
/// set; memory that went to the wrong place is class memory_misdelivery, with a --kind of leak, false_absence,
/// wrong_store_write, misattribution or vanished. A triage or a receipt closes the letters it --answers.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct LetterWrite {
    /// friction, bug, win, memory_misdelivery, triage, receipt, …
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::pattern("^[A-Za-z0-9_-]{1,64}$")))]
    pub class: String,
    /// What happened.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::text()))]
    pub what: String,
    /// leak, false_absence, wrong_store_write, misattribution, vanished.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::short_line()))]
    pub kind: Option<String>,
    /// Default: yours; all: none.
    #[arg(long)]
    pub repo: Option<String>,
    /// The brain it is about: name@id, a root, or medulla.
    #[arg(long)]
    #[schemars(extend("x-rare" = true))]
    pub brain: Option<String>,
    /// The tool it is about.
    #[arg(long)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::short_line()))]
    pub tool: Option<String>,
    /// What you expected.
    #[arg(long)]
    #[schemars(extend("x-plain" = true))]
    pub expected: Option<String>,
    /// What you saw, word for word.
    #[arg(long)]
    #[schemars(extend("x-rare" = true, "x-plain" = true))]
    pub snippet: Option<String>,
    /// confirmed, dismissed, duplicate.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::one_of(&["confirmed", "dismissed", "duplicate"])))]
    pub verdict: Option<String>,
    /// Ids it answers.
    #[arg(long, value_name = "ID")]
    #[serde(default)]
    #[schemars(extend("x-plain" = true, "x-takes" = field_kinds::list_of(200, field_kinds::pattern("^[0-9a-f]{12}$"))))]
    pub answers: Vec<String>,
}

/// What can have happened to memory that went to the wrong place (LTR-15).
const MISDELIVERIES: [&str; 5] = ["leak", "false_absence", "wrong_store_write", "misattribution", "vanished"];

/// What each class of letter needs.
fn together() -> Value {
    let answers = json!({ "required": ["answers"], "properties": { "answers": { "minItems": 1 } } });
    let is = |class: &str| json!({ "properties": { "class": { "const": class } } });
    json!({ "allOf": [
        { "if": { "required": ["verdict"] }, "then": is("triage") },
        { "if": { "anyOf": [is("triage"), is("receipt")] }, "then": answers },
        { "if": is("memory_misdelivery"), "then": { "required": ["kind"], "properties": { "kind": field_kinds::one_of(&MISDELIVERIES) } } },
    ] })
}

/// What was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LetterWriteAnswer {
    /// Its id.
    pub id: String,
    /// The project it names; null for none.
    pub repo: Option<String>,
    /// The brain it names; null for none.
    pub brain: Option<String>,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Verb for LetterWrite {
    const SPEC: VerbSpec = VerbSpec {
        toolset: Toolset::Mail,
        effect: Effect::Write,
        idempotent: false,
        title: "Write a letter",
        when_to_use: "To report what confused, failed or helped, or to answer letters.",
        long_text: &[LongText { field: "snippet", file: "snippet-file" }],
        examples: &[
            "brainstem letter write --class friction --what \"the index was rebuilt twice\" --tool index",
            "brainstem letter write --class memory_misdelivery --kind false_absence --what \"north said there is nothing\"",
            "brainstem letter write --class triage --answers 0123456789ab --verdict confirmed --what \"seen here too\"",
        ],
        ..VerbSpec::of(VerbId::LetterWrite)
    };
    type Output = LetterWriteAnswer;

    fn run(self, cx: &Context) -> Result<LetterWriteAnswer, Fault> {
        let place = |field, text: Option<String>| text.map(|text| cx.letter_place(field, &text)).transpose();
        let draft = LetterDraft {
            class: self.class,
            kind: self.kind,
            repo: place("repo", self.repo)?,
            brain: place("brain", self.brain)?,
            tool: self.tool,
            what: self.what,
            expected: self.expected,
            snippet: self.snippet,
            verdict: self.verdict,
            answers: self.answers,
            ..LetterDraft::default()
        };
        let caller = cx.caller()?;
        let written = cx.post().write_letter(&caller, draft)?;
        let notes = cx.door.render_all(written.notes.iter().chain(&caller.principal.notes()));
        Ok(LetterWriteAnswer { id: written.id.to_string(), repo: written.repo, brain: written.brain, notes })
    }
}

impl Present for LetterWriteAnswer {
    fn present(&self, out: &mut Screen) {
        let about = match (&self.repo, &self.brain) {
            (Some(repo), _) => format!("  about {repo}"),
            (None, Some(brain)) => format!("  about {brain}"),
            (None, None) => "  about no project".into(),
        };
        out.flow(0, 2, [styled(Look::Good, "written"), " ".into(), bold(self.id.as_str()), dim(about)]);
        out.notes(&self.notes);
    }
}

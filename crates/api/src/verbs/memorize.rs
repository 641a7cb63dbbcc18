//! `memorize`: remembers a claim.

use super::memorize_batch::{self, BatchAnswer};
use crate::Door;
use crate::field_kinds;
use crate::schema::Object;
use crate::screen::{Look, bold, dim, styled};
use crate::wire::Exit;
use crate::{Context, Effect, JsonLines, LongText, Present, Screen, TextOrNumber, Verb, VerbSpec};
use brainstem_base::advice;
use brainstem_base::next::VerbId;
use brainstem_base::next::field;
use brainstem_base::{Fault, codes};
use brainstem_memory::{MemorizeRequest, MemorizeWords, Memorized, Reaffirm, TierUse, WriteTier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Remember one finding under a label.
///
/// The same label again supersedes: the version before is kept in history. A weaker claim (by
/// state, then by confidence) never replaces a stronger one; retract that one first. Each version is
/// stated whole: what you leave out, the new version does not have.
///
/// `--batch FILE` takes many claims, one JSON object on each line: label, title, text, agent, created
/// (ms or RFC 3339, of the past), tags, group, confidence, state, kind, evidence, depends_on, doctrine.
/// Where `agent` or `created` is given, the claim says besides which agent put it on record, and when. Each
/// line is written for itself and answered with {line, slug, outcome, code}; one that is refused stops
/// no other, and repeating a batch changes nothing that is there already.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
#[schemars(extend("x-together" = together()))]
pub struct Memorize {
    /// A short name; the same label is the same claim.
    #[arg(required_unless_present = "batch")]
    #[schemars(extend("x-needed" = true, "x-takes" = field_kinds::label()))]
    pub label: Option<String>,
    /// One line on what it is about.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::at_most(1024)))]
    pub title: Option<String>,
    /// What you learned, as Markdown.
    #[arg(long)]
    #[schemars(extend("x-needed" = true))]
    pub text: Option<String>,
    /// 0 to 1, or high (0.9), medium (0.6, the default), low (0.3).
    #[arg(long)]
    #[schemars(extend("x-takes" = confidence()))]
    pub confidence: Option<TextOrNumber>,
    /// authored (default), verified (you checked it) or outdated.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::claim_state(), "x-tool-note" = "Default: authored. verified: you checked it."))]
    pub state: Option<String>,
    /// entity (default), state or event.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::one_of(&["entity", "state", "event"]), "x-tool-note" = "Default: entity."))]
    pub kind: Option<String>,
    /// Where to check it: path, path#L3-L9 or path#symbol.
    #[arg(long, value_name = "PATH")]
    #[serde(default)]
    #[schemars(extend("x-takes" = field_kinds::list(64)))]
    pub evidence: Vec<String>,
    /// Labels it rests on.
    #[arg(long, value_name = "LABEL")]
    #[serde(default)]
    #[schemars(extend("x-takes" = field_kinds::list(64)))]
    pub depends_on: Vec<String>,
    /// Words to find it by.
    #[arg(long, value_name = "TAGS", visible_alias = "tag")]
    #[serde(default)]
    #[schemars(extend("x-takes" = field_kinds::list_of(32, field_kinds::pattern(TAG))))]
    pub tags: Vec<String>,
    /// What it is written together with, such as a session.
    #[arg(long)]
    #[schemars(extend("x-rare" = true))]
    pub group: Option<String>,
    /// medulla: doctrine for every project (orchestrators, people); default: project.
    #[arg(long)]
    #[schemars(extend("x-takes" = field_kinds::tier(), "x-tool-note" = "medulla: doctrine for every project. Default: project."))]
    pub tier: Option<String>,
    /// absolute: doctrine that no repository's own rule outweighs.
    #[arg(long, value_name = "WORD")]
    #[schemars(extend("x-rare" = true, "x-takes" = field_kinds::one_of(&["absolute"])))]
    pub doctrine: Option<String>,
    /// Affirm the claim with a fresh date even if nothing changed.
    #[arg(long)]
    #[serde(default)]
    #[schemars(extend("x-rare" = true))]
    pub reaffirm: bool,
    /// Many claims instead of one: objects with these fields, and agent and created (past).
    #[arg(long, conflicts_with_all = ["label", "text"])]
    #[schemars(extend("x-rare" = true))]
    pub batch: Option<JsonLines>,
}

/// A word to find a claim by.
const TAG: &str = "^[^,\\s\\u0000-\\u001f\\u007f-\\u009f]{1,64}$";

fn confidence() -> Value {
    let words = ["high", "medium", "low"];
    json!({ "anyOf": [{ "type": "number", "minimum": 0, "maximum": 1 }, { "enum": words }] })
}

/// One claim, or a batch with a tier for all of it and no field of one claim.
fn together() -> Value {
    let of_one = [
        "label",
        "title",
        "text",
        "confidence",
        "state",
        "kind",
        "evidence",
        "depends_on",
        "tags",
        "group",
        "reaffirm",
    ];
    let alone: Object = of_one.iter().map(|field| ((*field).to_owned(), false.into())).collect();
    json!({ "oneOf": [
        {
            "required": ["label", "text"],
            "properties": { "batch": false, "text": field_kinds::not_blank() },
            "if": { "required": ["doctrine"] },
            "then": { "required": ["tier"], "properties": { "tier": { "const": "medulla" } } },
        },
        { "required": ["batch"], "properties": alone },
    ] })
}

/// What was remembered: one claim, or many.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MemorizeAnswer {
    /// Of one claim.
    #[serde(flatten)]
    pub one: Option<Remembered>,
    /// Of a batch.
    #[serde(flatten)]
    pub batch: Option<BatchAnswer>,
}

/// What was remembered.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Remembered {
    /// The claim's slug.
    pub slug: String,
    /// Its label.
    pub label: String,
    /// Its file.
    pub path: String,
    /// project or medulla.
    pub tier: String,
    /// project_private, doctrine, promoted or unknown.
    pub lifecycle: String,
    /// The brain it was written in.
    pub origin_brain: Option<String>,
    /// The author of this version.
    pub source_agent: Option<String>,
    /// When this version was born, in ms.
    pub created: Option<i64>,
    /// A version before it went to history.
    pub superseded: bool,
    /// The file of that version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// Nothing was written: the live claim said the same.
    pub unchanged: bool,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Verb for Memorize {
    const SPEC: VerbSpec = VerbSpec {
        effect: Effect::Write,
        title: "Remember a finding",
        when_to_use: "Writes to the shared memory: when you learned something that will matter again: one finding, one label, with evidence and an honest confidence. Same label again supersedes; weaker is refused.",
        long_text: &[
            LongText { field: "text", file: "text-file" },
            LongText { field: "batch", file: "batch" },
        ],
        examples: &[
            "brainstem memorize \"retry policy\" --text \"Three times, then give up.\" --evidence src/retry.rs",
            "brainstem memorize \"release steps\" --text-file notes.md --confidence high",
            "git log -1 --format=%B | brainstem memorize \"last decision\" -",
            "brainstem memorize --batch claims.jsonl",
        ],
        ..VerbSpec::of(VerbId::Memorize)
    };
    type Output = MemorizeAnswer;

    fn run(self, cx: &Context) -> Result<MemorizeAnswer, Fault> {
        if let Some(batch) = self.batch {
            let beside = [
                // A client that checks its calls by the list of tools cannot leave it out.
                ("label", self.label.as_deref().is_some_and(|label| !label.trim().is_empty())),
                ("title", self.title.is_some()),
                ("text", self.text.is_some()),
                ("confidence", self.confidence.is_some()),
                ("state", self.state.is_some()),
                ("kind", self.kind.is_some()),
                ("evidence", !self.evidence.is_empty()),
                ("depends_on", !self.depends_on.is_empty()),
                ("tags", !self.tags.is_empty()),
                ("group", self.group.is_some()),
                ("reaffirm", self.reaffirm),
            ];
            if let Some((field, _)) = beside.into_iter().find(|(_, is_given)| *is_given) {
                let message = format!("`batch` cannot be combined with `{field}`");
                return Err(Fault::new(codes::INPUT_BAD_VALUE, message)
                    .fix(format!("give `{field}` in each of its objects"))
                    .field("batch"));
            }
            let batch = Some(memorize_batch::run(batch, self.tier.as_deref(), cx)?);
            return Ok(MemorizeAnswer { one: None, batch });
        }
        let request = MemorizeRequest {
            label: self.label.ok_or_else(|| {
                Fault::new(codes::INPUT_MISSING, "the field `label` is missing")
                    .fix(advice!["give `", field("label"), "`: a short name for the finding"])
                    .field("label")
            })?,
            title: self.title,
            text: self.text.unwrap_or_default(),
            evidence: self.evidence,
            depends_on: self.depends_on,
            tags: self.tags.iter().flat_map(|tags| tags.split(',')).map(str::to_owned).collect(),
            group: self.group,
            tier: tier_of(cx, self.tier.as_deref())?,
            reaffirm: if self.reaffirm { Reaffirm::Always } else { Reaffirm::WhenStale },
            ..MemorizeRequest::default()
        };
        let words = MemorizeWords {
            confidence: self.confidence.map(|confidence| confidence.0),
            state: self.state,
            kind: self.kind,
            doctrine: self.doctrine,
        };
        let caller = cx.caller()?;
        let request = request.with_words(&cx.memory.floor(), &words)?;
        // Before the write, which puts the tags into use.
        let slips = cx.memory.tag_slips(&caller, &request.tags);
        let mut done = cx.memory.memorize(&caller, &request)?;
        done.notes.extend(slips);
        done.notes.extend(caller.principal.notes());
        Ok(MemorizeAnswer { one: Some(Remembered::for_door(done, cx.door)), batch: None })
    }
}

/// The tier that a claim is written to. A word that carries a secret is refused as one.
fn tier_of(cx: &Context, text: Option<&str>) -> Result<Option<WriteTier>, Fault> {
    cx.memory.floor().check("tier", text.unwrap_or_default())?;
    Ok(WriteTier::parse(TierUse::Memorize, text)?)
}

impl Remembered {
    pub(crate) fn for_door(done: Memorized, door: Door) -> Self {
        Self {
            slug: done.slug.to_string(),
            label: done.claim.label,
            path: done.path.display().to_string(),
            tier: done.tier.to_owned(),
            lifecycle: done.lifecycle.as_str().to_owned(),
            origin_brain: done.claim.origin_brain,
            source_agent: done.claim.source_agent,
            created: done.claim.created.map(|created| created.ms()),
            superseded: done.history.is_some(),
            history: done.history.map(|path| path.display().to_string()),
            unchanged: done.unchanged,
            notes: door.render_all(&done.notes),
        }
    }
}

impl Present for MemorizeAnswer {
    fn present(&self, out: &mut Screen) {
        if let Some(one) = &self.one {
            one.present(out);
        }
        if let Some(batch) = &self.batch {
            batch.present(out);
        }
    }

    /// A batch with refused lines ends like a refusal, so that a script notices.
    fn exit(&self) -> Exit {
        let refused = self.batch.as_ref().is_some_and(|batch| batch.summary.refused > 0);
        if refused { Exit::Refused } else { Exit::Done }
    }
}

impl Present for Remembered {
    fn present(&self, out: &mut Screen) {
        let what = match (self.unchanged, self.superseded) {
            (true, _) => "unchanged",
            (false, true) => "superseded",
            (false, false) => "remembered",
        };
        let whose = self.origin_brain.as_deref().unwrap_or("unknown");
        let author = self.source_agent.as_deref().unwrap_or("unknown");
        let place = format!("  in {whose} by {author}");
        out.flow(0, 2, [styled(Look::Good, what), " ".into(), bold(self.label.as_str()), dim(place)]);
        out.line([dim(format!("  {}", self.path))]);
        if let Some(history) = &self.history {
            out.line([dim(format!("  before: {history}"))]);
        }
        out.notes(&self.notes);
    }
}

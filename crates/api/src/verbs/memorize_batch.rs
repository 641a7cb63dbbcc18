//! The batch of `memorize`: many claims, each for itself.

use super::row::counted;
use crate::arguments::fit;
use crate::given_texts::GivenTexts;
use crate::schema::{self, Object};
use crate::screen::{Look, bold, dim, styled};
use crate::{Context, JsonLines, Present, Screen, Stop, TextOrNumber};
use brainstem_base::next::calls;
use brainstem_base::{Coded as _, Fault, Timestamp, codes};
use brainstem_memory::{
    self as memory, MemorizeRequest, MemorizeWords, MemoryError, Outcome, RefusedRequest, TierUse, WriteTier,
    parse_instant,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::LazyLock;

/// The fields of one line.
#[derive(Debug, Deserialize, JsonSchema)]
struct Fields {
    label: String,
    title: Option<String>,
    #[serde(default)]
    text: String,
    agent: Option<String>,
    created: Option<TextOrNumber>,
    #[serde(default)]
    tags: Vec<String>,
    group: Option<String>,
    confidence: Option<TextOrNumber>,
    state: Option<String>,
    kind: Option<String>,
    #[serde(default)]
    evidence: Vec<String>,
    #[serde(default)]
    depends_on: Vec<String>,
    doctrine: Option<String>,
}

/// What became of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchAnswer {
    /// What became of each line.
    pub lines: Vec<BatchLine>,
    /// How many of each.
    pub summary: BatchSummary,
    /// What you should know besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What became of one line.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BatchLine {
    /// Its number, from 1.
    pub line: usize,
    /// The claim's slug, where the line has a label.
    pub slug: Option<String>,
    /// born, superseded, unchanged or refused.
    pub outcome: String,
    /// The code of the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What you should know of it besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How many lines ended how.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct BatchSummary {
    /// The label was new.
    pub born: usize,
    /// The version before went to history.
    pub superseded: usize,
    /// It was said already.
    pub unchanged: usize,
    /// Nothing was written.
    pub refused: usize,
    /// Not looked at, because the call had its time; they are the last ones, and in no line of the answer.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_done: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Runs a batch.
pub(crate) fn run(batch: JsonLines, tier: Option<&str>, cx: &Context) -> Result<BatchAnswer, Fault> {
    cx.check_batch(batch.len())?;
    let mut numbers = Vec::new();
    let mut lines = Vec::new();
    let floor = cx.memory.floor();
    for (number, object) in batch.documents() {
        numbers.push(number);
        lines.push(object.and_then(|object| read(&floor, object)).map_err(MemoryError::from));
    }
    let total = lines.len();
    let caller = cx.caller()?;
    let tier = WriteTier::parse(TierUse::Memorize, tier)?;
    let steps = cx.steps();
    let goes_on = |done| {
        steps.report(done, total);
        steps.goes_on()
    };
    let done = cx.memory.memorize_batch(&caller, tier, lines, &goes_on)?;
    let not_done = total - done.len();
    // A caller that still waits gets one answer for each line; after the time is up no caller waits.
    if not_done > 0 && steps.stop() != Some(Stop::TimeUp) {
        return Err(steps.stopped(done.len(), total));
    }
    let mut summary = BatchSummary::default();
    let row = |(line, done): (usize, memory::LineDone)| {
        let (outcome, count, refusal) = match done.outcome {
            Outcome::Born => ("born", &mut summary.born, None),
            Outcome::Superseded => ("superseded", &mut summary.superseded, None),
            Outcome::Unchanged => ("unchanged", &mut summary.unchanged, None),
            Outcome::Refused(refusal) => ("refused", &mut summary.refused, Some(refusal)),
        };
        *count += 1;
        let slug = done.slug.map(|slug| slug.to_string());
        let code = refusal.as_ref().map(|refusal| refusal.code().name().to_owned());
        let message = refusal.map(|refusal| refusal.to_string());
        BatchLine {
            line,
            slug,
            outcome: outcome.to_owned(),
            code,
            message,
            notes: cx.door.render_all(&done.notes),
        }
    };
    let lines: Vec<BatchLine> = numbers.into_iter().zip(done).map(row).collect();
    let mut notes = cx.door.render_all(&caller.principal.notes());
    if not_done > 0 {
        let last = lines.last().map_or(0, |line| line.line);
        notes.push(format!(
            "the call had its time after line {last}: the {} behind it were not looked at; send them again",
            counted(not_done, "line")
        ));
    }
    summary.not_done = not_done;
    Ok(BatchAnswer { lines, summary, notes })
}

static SCHEMA: LazyLock<Object> = LazyLock::new(schema::raw_input::<Fields>);

/// Reads a line; a refusal repeats no secret of it.
fn read(floor: &memory::Floor, object: Object) -> Result<memory::BatchLine, Fault> {
    let given = GivenTexts::of_document(&object);
    let line = parse(object).map_err(|fault| given.unrepeated(fault, floor))?;
    let label = line.request.label.clone();
    Ok(memory::BatchLine {
        agent: line.agent,
        created: line.created,
        request: line.request.with_words(floor, &line.words).map_err(|why| RefusedRequest { label, why }),
    })
}

/// A line whose words are still to be read.
struct Line {
    agent: Option<String>,
    created: Option<Timestamp>,
    request: MemorizeRequest,
    words: MemorizeWords,
}

fn parse(mut object: Object) -> Result<Line, Fault> {
    for list in ["tags", "evidence", "depends_on"] {
        if let Some(Value::String(text)) = object.get(list)
            && !text.trim_start().starts_with('[')
        {
            object.insert(list.into(), Value::Array(vec![text.clone().into()]));
        }
    }
    let fields: Fields = serde_json::from_value(Value::Object(fit(object, &SCHEMA)?))
        .map_err(|error| Fault::new(codes::INPUT_BAD_VALUE, error.to_string()))?;
    let created = fields.created.map(|created| parse_instant("created", &created.0));
    Ok(Line {
        agent: fields.agent,
        created: created.transpose()?,
        request: MemorizeRequest {
            label: fields.label,
            title: fields.title,
            text: fields.text,
            evidence: fields.evidence,
            depends_on: fields.depends_on,
            tags: fields.tags.iter().flat_map(|tags| tags.split(',')).map(str::to_owned).collect(),
            group: fields.group,
            ..MemorizeRequest::default()
        },
        words: MemorizeWords {
            confidence: fields.confidence.map(|confidence| confidence.0),
            state: fields.state,
            kind: fields.kind,
            doctrine: fields.doctrine,
        },
    })
}

/// How many refused lines a terminal shows.
const SHOWN_MAX: usize = 20;

impl Present for BatchAnswer {
    fn present(&self, out: &mut Screen) {
        let BatchSummary { born, superseded, unchanged, refused, not_done: _ } = self.summary;
        out.flow(
            0,
            2,
            [
                bold(counted(self.lines.len(), "line")),
                format!(": {born} born, {superseded} superseded, {unchanged} unchanged, {refused} refused")
                    .into(),
            ],
        );
        let told = self.lines.iter().filter(|line| line.code.is_some());
        for line in told.take(SHOWN_MAX) {
            let code = line.code.as_deref().unwrap_or_default();
            let why = line.message.as_deref().unwrap_or_default();
            out.flow(
                2,
                4,
                [
                    styled(Look::Warn, format!("line {}", line.line)),
                    format!(": {why} ").into(),
                    dim(format!("[{code}]")),
                ],
            );
        }
        let json = calls::json();
        let json = json.as_str();
        let noted: Vec<&BatchLine> = self.lines.iter().filter(|line| !line.notes.is_empty()).collect();
        for line in noted.iter().take(SHOWN_MAX) {
            let told = format!("line {}: {}", line.line, line.notes.join("; "));
            out.note(2, 4, told);
        }
        if noted.len() > SHOWN_MAX {
            out.line([dim(format!("  and {} more notes; {json} has them all", noted.len() - SHOWN_MAX))]);
        }
        if refused > SHOWN_MAX {
            out.line([dim(format!("  and {} more; {json} has them all", refused - SHOWN_MAX))]);
        }
        out.notes(&self.notes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test] // spec: MEM-47
    fn a_line_is_read_as_people_write_it() {
        let read = |value: Value| {
            let Value::Object(object) = value else { panic!("an object") };
            parse(object).map_err(|fault| fault.code.name())
        };
        let line = read(json!({
            "label": "x", "text": "y", "created": 5, "tags": "a, b", "evidence": ["p"], "confidence": "high"
        }))
        .expect("a line");
        assert_eq!(line.created.map(|at| at.ms()), Some(5));
        assert_eq!(line.request.tags, ["a", " b"]);
        assert_eq!((line.request.evidence.len(), line.words.confidence.as_deref()), (1, Some("high")));
        let at = |created: Value| {
            read(json!({"label": "x", "created": created})).map(|line| line.created.map(|at| at.ms()))
        };
        assert_eq!(at(json!("1970-01-01T00:00:01Z")), Ok(Some(1_000)));
        assert_eq!(at(json!("1783209431408")), Ok(Some(1_783_209_431_408)));
        assert_eq!(at(json!("7d")), Err("input.bad_value"));
        assert_eq!(read(json!({"label": "x", "id": 7})).map(|_| ()), Err("input.bad_value"));
        assert_eq!(read(json!({"text": "y"})).map(|_| ()), Err("input.missing"));
        assert_eq!(read(json!({"label": "x", "text": 5})).map(|_| ()), Err("input.bad_value"));
    }
}

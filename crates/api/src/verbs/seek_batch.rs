//! The batch of `seek`: many questions, each with its ranked ids.

use super::row::{Gap, gaps};
use crate::arguments::fit;
use crate::given_texts::GivenTexts;
use crate::refusal::error_document_after;
use crate::schema::{self, Object};
use crate::{Context, JsonLines, Stop, within};
use brainstem_base::{Fault, codes};
use brainstem_memory::{Filter, Question, RankBy, Tier, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::LazyLock;

/// The fields of one line.
#[derive(Debug, Deserialize, JsonSchema)]
struct Fields {
    query: String,
    tier: Option<String>,
    limit: Option<i64>,
}

/// What was found for many questions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeekBatchAnswer {
    /// One for each question, in their order.
    pub results: Vec<Ranked>,
}

/// What was found for one question.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ranked {
    /// The question's own id, or the number of its line.
    pub qid: Value,
    /// The ids of the claims, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranked: Option<Vec<String>>,
    /// What could not be looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
    /// Why the question was refused: code, message, fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}

impl SeekBatchAnswer {
    /// The lines that the command line prints.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.results.iter().map(|result| serde_json::to_value(result).expect("plain data")).collect()
    }
}

static SCHEMA: LazyLock<Object> = LazyLock::new(schema::raw_input::<Fields>);

/// Runs a batch; `tier` and `limit` hold for each line that has none of its own.
pub(crate) fn run(
    batch: JsonLines,
    tier: Option<String>,
    limit: Option<i64>,
    by: RankBy,
    filter: &Filter,
    cx: &Context,
) -> Result<SeekBatchAnswer, Fault> {
    cx.check_batch(batch.len())?;
    let mut asked = Vec::new();
    let mut questions = Vec::new();
    for (number, object) in batch.documents() {
        let mut qid = Value::from(number);
        let mut given = GivenTexts::default();
        let question = object.and_then(|mut object| {
            given = GivenTexts::of_document(&object);
            qid = object.shift_remove("qid").unwrap_or(qid.take());
            object.retain(|key, _| ["query", "tier", "limit"].contains(&key.as_str()));
            let fields: Fields = serde_json::from_value(Value::Object(fit(object, &SCHEMA)?))
                .map_err(|error| Fault::new(codes::INPUT_BAD_VALUE, error.to_string()))?;
            Ok(Question {
                query: fields.query,
                tier: Tier::parse(fields.tier.as_deref().or(tier.as_deref()))?,
                limit: within("limit", fields.limit.or(limit), limits::SEEK_ROWS_DEFAULT, limits::SEEK_ROWS)?,
                by,
            })
        });
        let question = question.map_err(|fault| given.unrepeated(fault, &cx.memory.floor()));
        asked.push((qid, question.map(|question| questions.push(question))));
    }
    let steps = cx.steps();
    let told = |done, total| steps.report(done, total);
    let goes_on = || steps.goes_on();
    let (ranked, found_gaps) = cx.memory.seek_many(&cx.caller()?, &questions, filter, &told, &goes_on)?;
    let (done, total) = (ranked.len(), questions.len());
    if done < total && steps.stop() != Some(Stop::TimeUp) {
        return Err(steps.stopped(done, total));
    }
    let mut ranked = ranked.into_iter();
    let result = |(qid, asked): (Value, Result<(), Fault>)| match asked.map(|()| ranked.next()) {
        Ok(Some(ids)) => Ranked { qid, ranked: Some(ids), gaps: gaps(&found_gaps, cx.door), error: None },
        // The call had its time before it came to this one.
        Ok(None) => {
            let error = Some(
                error_document_after(&steps.stopped(done, total), cx.door, &cx.offers.said)["error"].take(),
            );
            Ranked { qid, ranked: None, gaps: Vec::new(), error }
        }
        Err(fault) => {
            let error = Some(error_document_after(&fault, cx.door, &cx.offers.said)["error"].take());
            Ranked { qid, ranked: None, gaps: Vec::new(), error }
        }
    };
    Ok(SeekBatchAnswer { results: asked.into_iter().map(result).collect() })
}

//! The topics of the ledger in the form of a mirror node's REST (LED-2a), so that a client that knows only that form reads them.
//!
//! A daemon hands in a path below `/api/v1/topics` and its query; the answer is a status and a document. Errors have that form
//! too: `{"_status":{"messages":[…]}}`.

use brainstem_base::Fault;
use brainstem_ledger::{
    ConsensusTime, Ledger, LedgerError, ReadFrom, Sequence, TopicId, TopicMessage, base64_of,
};
use brainstem_memory::Memory;
use brainstem_post::Post;
use serde_json::{Value, json};

/// Where these paths begin.
pub const PREFIX: &str = "/api/v1/topics/";

/// An answer: the status, and the document.
pub type MirrorAnswer = (u16, Value);

/// How many messages a page has unless the client says otherwise, and at most.
const LIMIT_DEFAULT: usize = 25;
const LIMIT_MAX: usize = 100;
const RUNNING_HASH_VERSION: u64 = brainstem_ledger::running_hash::RUNNING_HASH_VERSION;

/// Answers a GET of a path below [`PREFIX`]. `query` is `None` if it could not be decoded.
pub fn answer(
    memory: &Memory,
    path: &str,
    query: Option<&[(String, String)]>,
) -> Result<MirrorAnswer, Fault> {
    let ledger = Post::new(memory).ledger_to_read().map_err(brainstem_post::ledger::LedgerUseError::from)?;
    answer_from(&*ledger, path, query)
}

fn answer_from(
    ledger: &dyn Ledger,
    path: &str,
    query: Option<&[(String, String)]>,
) -> Result<MirrorAnswer, Fault> {
    let rest = path.strip_prefix(PREFIX).unwrap_or_default();
    let parts: Vec<&str> = rest.trim_end_matches('/').split('/').collect();
    let answered = match parts.as_slice() {
        _ if query.is_none() => Err(Problem::bad("query")),
        ["messages", time] => by_time(ledger, time),
        [id] => topic(ledger, id),
        [id, "messages"] => page(ledger, id, query.unwrap_or_default()),
        [id, "messages", number] => by_number(ledger, id, number),
        _ => Err(Problem::not_found("Not found")),
    };
    match answered {
        Ok(document) => Ok((200, document)),
        Err(Problem::Told(status, message)) => {
            Ok((status, json!({ "_status": { "messages": [{ "message": message }] } })))
        }
        Err(Problem::Ledger(error)) => Err(brainstem_post::ledger::LedgerUseError::from(error).into()),
    }
}

/// What is wrong with a request, or with the ledger.
enum Problem {
    Told(u16, String),
    Ledger(LedgerError),
}

impl Problem {
    fn bad(field: &str) -> Self {
        Self::Told(400, format!("Invalid parameter: {field}"))
    }

    fn not_found(message: impl Into<String>) -> Self {
        Self::Told(404, message.into())
    }
}

impl From<LedgerError> for Problem {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::NoTopic(id) => Self::not_found(format!("No such topic id - {}", id.num())),
            other => Self::Ledger(other),
        }
    }
}

/// A topic id: `0.0.7`, `0.7` or `7`, as mirror nodes take it.
fn topic_id(text: &str) -> Result<TopicId, Problem> {
    let whole = match text.split('.').count() {
        1 => format!("0.0.{text}"),
        2 => format!("0.{text}"),
        _ => text.to_owned(),
    };
    whole.parse().map_err(|_| Problem::bad("topicId"))
}

fn topic(ledger: &dyn Ledger, id: &str) -> Result<Value, Problem> {
    let id = topic_id(id)?;
    let topic = ledger.topic(id)?.ok_or(LedgerError::NoTopic(id))?;
    let created = topic.created.to_string();
    Ok(json!({
        "admin_key": null,
        "auto_renew_account": null,
        "auto_renew_period": null,
        "created_timestamp": created,
        "deleted": false,
        "memo": topic.memo,
        // A submit key is a public key; an account that may append has none here.
        "submit_key": null,
        "timestamp": { "from": created, "to": null },
        "topic_id": id.to_string(),
    }))
}

fn by_number(ledger: &dyn Ledger, id: &str, number: &str) -> Result<Value, Problem> {
    let id = topic_id(id)?;
    let number = number.parse().ok().and_then(Sequence::new).ok_or_else(|| Problem::bad("sequencenumber"))?;
    let from = Sequence::new(number.number() - 1).map_or(ReadFrom::Start, ReadFrom::After);
    let found = ledger.read(id, from, 1)?.messages.into_iter().find(|message| message.sequence == number);
    found.map(|message| document(&message, Encoding::Base64)).ok_or_else(|| Problem::not_found("Not found"))
}

fn by_time(ledger: &dyn Ledger, time: &str) -> Result<Value, Problem> {
    let time = parse_time(time).ok_or_else(|| Problem::bad("timestamp"))?;
    let found = ledger.message_at(time)?;
    found.map(|message| document(&message, Encoding::Base64)).ok_or_else(|| Problem::not_found("Not found"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Base64,
    Utf8,
}

fn document(message: &TopicMessage, encoding: Encoding) -> Value {
    let content = match encoding {
        Encoding::Base64 => base64_of(&message.bytes),
        Encoding::Utf8 => String::from_utf8_lossy(&message.bytes).into_owned(),
    };
    json!({
        "chunk_info": null,
        "consensus_timestamp": message.consensus.to_string(),
        "message": content,
        "payer_account_id": message.submitter.to_string(),
        "running_hash": base64_of(message.running_hash.as_bytes()),
        "running_hash_version": RUNNING_HASH_VERSION,
        "sequence_number": message.sequence.number(),
        "topic_id": message.topic.to_string(),
    })
}

/// Seconds, with up to nine digits of nanoseconds.
fn parse_time(text: &str) -> Option<ConsensusTime> {
    let (seconds, nanos) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(seconds) || !is_number(nanos) || nanos.len() > 9 {
        return None;
    }
    ConsensusTime::new(seconds.parse().ok()?, format!("{nanos:0<9}").parse().ok()?).ok()
}

/// How a filter compares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Eq,
    Gt,
    Gte,
    Lt,
    Lte,
    Ne,
}

impl Operator {
    fn split(text: &str) -> Option<(Self, &str)> {
        let Some((word, value)) = text.split_once(':') else { return Some((Self::Eq, text)) };
        let operator = match word {
            "eq" => Self::Eq,
            "gt" => Self::Gt,
            "gte" => Self::Gte,
            "lt" => Self::Lt,
            "lte" => Self::Lte,
            "ne" => Self::Ne,
            _ => return None,
        };
        Some((operator, value))
    }

    fn holds<T: Ord>(self, value: &T, bound: &T) -> bool {
        match self {
            Self::Eq => value == bound,
            Self::Gt => value > bound,
            Self::Gte => value >= bound,
            Self::Lt => value < bound,
            Self::Lte => value <= bound,
            Self::Ne => value != bound,
        }
    }
}

/// What a client asks of the messages of a topic.
struct PageQuery {
    limit: usize,
    is_descending: bool,
    encoding: Encoding,
    numbers: Vec<(Operator, u64)>,
    times: Vec<(Operator, ConsensusTime)>,
}

impl PageQuery {
    fn parse(query: &[(String, String)]) -> Result<Self, Problem> {
        let mut parsed = Self {
            limit: LIMIT_DEFAULT,
            is_descending: false,
            encoding: Encoding::Base64,
            numbers: Vec::new(),
            times: Vec::new(),
        };
        for (name, value) in query {
            let bad = || Problem::bad(name);
            match name.as_str() {
                "limit" => {
                    let limit = value.parse::<usize>().ok().filter(|limit| *limit > 0).ok_or_else(bad)?;
                    parsed.limit = limit.min(LIMIT_MAX);
                }
                "order" => {
                    parsed.is_descending = match value.as_str() {
                        "asc" => false,
                        "desc" => true,
                        _ => return Err(bad()),
                    };
                }
                "encoding" => {
                    parsed.encoding = match value.as_str() {
                        "base64" => Encoding::Base64,
                        "utf-8" | "utf8" => Encoding::Utf8,
                        _ => return Err(bad()),
                    };
                }
                "sequencenumber" => {
                    let (operator, number) = Operator::split(value).ok_or_else(bad)?;
                    parsed.numbers.push((operator, number.parse().map_err(|_| bad())?));
                }
                "timestamp" => {
                    let (operator, time) = Operator::split(value).ok_or_else(bad)?;
                    parsed.times.push((operator, parse_time(time).ok_or_else(bad)?));
                }
                _ => return Err(Problem::Told(400, format!("Unknown query parameter: {name}"))),
            }
        }
        Ok(parsed)
    }

    fn takes(&self, message: &TopicMessage) -> bool {
        let number = message.sequence.number();
        self.numbers.iter().all(|(operator, bound)| operator.holds(&number, bound))
            && self.times.iter().all(|(operator, bound)| operator.holds(&message.consensus, bound))
    }

    /// The numbers that a page can be among, both included; narrowed by what is asked about numbers.
    fn bounds(&self, last: u64) -> (u64, u64) {
        let (mut low, mut high) = (1, last);
        for (operator, bound) in &self.numbers {
            match operator {
                Operator::Eq => (low, high) = (low.max(*bound), high.min(*bound)),
                Operator::Gt => low = low.max(bound.saturating_add(1)),
                Operator::Gte => low = low.max(*bound),
                Operator::Lt => high = high.min(bound.saturating_sub(1)),
                Operator::Lte => high = high.min(*bound),
                Operator::Ne => {}
            }
        }
        (low, high)
    }
}

fn page(ledger: &dyn Ledger, id: &str, query: &[(String, String)]) -> Result<Value, Problem> {
    let id = topic_id(id)?;
    let asked = PageQuery::parse(query)?;
    let last = ledger.head(id)?.sequence.map_or(0, Sequence::number);
    let (mut low, mut high) = asked.bounds(last);
    // Times increase with numbers, so that the bound of a time is the bound of a number.
    for (operator, time) in &asked.times {
        let first = ledger.read(id, ReadFrom::Time(*time), 1)?.messages.into_iter().next();
        let is_there = first.as_ref().is_some_and(|message| message.consensus == *time);
        let first = first.map_or(last + 1, |message| message.sequence.number());
        match operator {
            Operator::Eq => (low, high) = (low.max(first), high.min(first)),
            Operator::Gt | Operator::Gte => low = low.max(first),
            Operator::Lt => high = high.min(first - 1),
            Operator::Lte => high = high.min(if is_there { first } else { first - 1 }),
            Operator::Ne => {}
        }
    }
    let (found, has_more) = match asked.is_descending {
        false => ascending(ledger, id, &asked, low, high)?,
        true => descending(ledger, id, &asked, low, high)?,
    };
    let next = found.last().filter(|_| has_more).map(|message| next_link(id, query, &asked, message));
    let messages: Vec<Value> = found.iter().map(|message| document(message, asked.encoding)).collect();
    Ok(json!({ "links": { "next": next }, "messages": messages }))
}

/// Messages that are asked for, from `low` to `high`; and whether there are more.
fn ascending(
    ledger: &dyn Ledger,
    id: TopicId,
    asked: &PageQuery,
    low: u64,
    high: u64,
) -> Result<(Vec<TopicMessage>, bool), Problem> {
    let (mut found, mut at) = (Vec::new(), low);
    while at <= high {
        let from = Sequence::new(at - 1).map_or(ReadFrom::Start, ReadFrom::After);
        let read = ledger.read(id, from, asked.limit + 1)?.messages;
        let Some(last) = read.last() else { break };
        at = last.sequence.number() + 1;
        let fits = |message: &TopicMessage| message.sequence.number() <= high && asked.takes(message);
        for message in read.into_iter().filter(fits) {
            if found.len() == asked.limit {
                return Ok((found, true));
            }
            found.push(message);
        }
    }
    Ok((found, false))
}

fn descending(
    ledger: &dyn Ledger,
    id: TopicId,
    asked: &PageQuery,
    low: u64,
    high: u64,
) -> Result<(Vec<TopicMessage>, bool), Problem> {
    let (mut found, mut end) = (Vec::new(), high);
    while end >= low && end > 0 {
        let count = (asked.limit as u64 + 1).min(end - low + 1);
        let start = end - count + 1;
        let from = Sequence::new(start - 1).map_or(ReadFrom::Start, ReadFrom::After);
        let read = ledger.read(id, from, usize::try_from(count).unwrap_or(LIMIT_MAX))?.messages;
        let fits = |message: &TopicMessage| message.sequence.number() <= end && asked.takes(message);
        for message in read.into_iter().filter(fits).collect::<Vec<_>>().into_iter().rev() {
            if found.len() == asked.limit {
                return Ok((found, true));
            }
            found.push(message);
        }
        end = start - 1;
    }
    Ok((found, false))
}

/// The path of the next page: the same question, behind the last message of this one.
fn next_link(id: TopicId, query: &[(String, String)], asked: &PageQuery, last: &TopicMessage) -> String {
    let onward = if asked.is_descending { "lt" } else { "gt" };
    let superseded =
        if asked.is_descending { [Operator::Lt, Operator::Lte] } else { [Operator::Gt, Operator::Gte] };
    let mut fields: Vec<String> = vec![format!("limit={}", asked.limit)];
    if asked.is_descending {
        fields.push("order=desc".to_owned());
    }
    for (name, value) in query {
        let is_kept = match name.as_str() {
            "limit" | "order" => false,
            "sequencenumber" => {
                Operator::split(value).is_some_and(|(operator, _)| !superseded.contains(&operator))
            }
            _ => true,
        };
        if is_kept {
            fields.push(format!("{name}={value}"));
        }
    }
    fields.push(format!("sequencenumber={onward}:{}", last.sequence));
    format!("{PREFIX}{id}/messages?{}", fields.join("&"))
}

#[cfg(test)]
#[path = "mirror_node_tests.rs"]
mod tests;

//! The deterministic compaction of a log: old messages of a thread become one summary, made by cutting and nothing else.
//!
//! The same messages give the same summary with the same id on every device. Nothing is taken away: the messages stay, and a
//! reader skips them because a summary covers them.

use crate::canonical::HashInput;
use crate::canonical_json::{CanonicalFault, CanonicalJson};
use crate::entity::WriteStamp;
use crate::ids::{AgentMessageId, AgentPayloadId, ThreadId};
use crate::link::AgentLink;
use crate::log::{LogView, link_of};
use crate::memory::{newest_within, tokens};
use crate::message::{
    AgentMessage, AgentMessageMetadata, AgentMessagePayload, JSON_CONTENT_TYPE, SummarySpan,
};
use crate::state::MessagePointer;
use crate::vocabulary::{AgentMessageKind, LinkRelation};
use serde_json::json;

/// The version of the cutting, which is a part of the id of every summary: another one makes other summaries.
pub const EXTRACTOR_VERSION: &str = "truncate.1";

/// When a thread is compacted, and how long a summary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionBounds {
    /// How many messages no summary covers at most.
    pub raw_count_max: usize,
    /// How many tokens they take at most.
    pub raw_tokens_max: u64,
    /// How many tokens a summary takes at most.
    pub summary_tokens_max: u32,
}

/// What a compaction adds to the log. It is written in one transaction, and the pointer is moved in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSummary {
    /// The summary.
    pub message: AgentMessage,
    /// Its text.
    pub payload: AgentMessagePayload,
    /// The edges to its first and its last message and to its text.
    pub links: Vec<AgentLink>,
    /// Where the newest summary is now.
    pub latest_summary: MessagePointer,
}

/// About how many tokens a model needs for a text.
pub fn approximate_tokens(text: &str) -> u32 {
    u32::try_from(text.len().div_ceil(BYTES_PER_TOKEN)).unwrap_or(u32::MAX)
}

const BYTES_PER_TOKEN: usize = 4;

/// Plans the compaction of a thread: its oldest messages become a summary, so that half of what may stay uncovered stays.
/// `None` if nothing is to be done.
///
/// `text_of` returns what a message says. `stamp` is of the device that compacts.
pub fn plan_compaction(
    log: &LogView<'_>,
    thread: &ThreadId,
    bounds: CompactionBounds,
    stamp: WriteStamp,
    text_of: impl Fn(&AgentMessage) -> String,
) -> Result<Option<PlannedSummary>, CanonicalFault> {
    let raw = log.uncovered(thread);
    if raw.len() <= bounds.raw_count_max && tokens(&raw) <= bounds.raw_tokens_max {
        return Ok(None);
    }
    // Down to the half, so that the next few messages do not make a summary each.
    let kept = newest_within(&raw, bounds.raw_count_max / 2, bounds.raw_tokens_max / 2);
    let old = &raw[..raw.len() - kept.len()];
    // Messages that another device wrote beside these have a summary of their own, later.
    let Some(end) = old.last() else { return Ok(None) };
    let members: Vec<_> =
        old.iter().filter(|message| message.id == end.id || log.is_ancestor(&message.id, &end.id)).collect();
    let start = members.first().unwrap_or(&end);

    let id = summary_id(thread, &start.id, &end.id);
    let text = cut_to_fit(&members, bounds.summary_tokens_max, text_of);
    let payload = AgentMessagePayload {
        id: AgentPayloadId::from(HashInput::new("agent-summary-payload.1").text(id.as_str()).digest()),
        agent: thread.agent().clone(),
        created_at: end.created_at,
        content: CanonicalJson::of(&json!({ "messages": members.len(), "text": text }))?,
        content_type: JSON_CONTENT_TYPE.to_owned(),
        stamp: stamp.clone(),
    };
    let message = AgentMessage {
        id,
        thread: thread.clone(),
        kind: AgentMessageKind::Summary,
        created_at: end.created_at,
        prev: None,
        payload: Some(payload.id.clone()),
        trigger_source_id: None,
        summary: Some(SummarySpan { start: start.id.clone(), end: end.id.clone(), depth: 0 }),
        tokens_approx: approximate_tokens(&text),
        metadata: AgentMessageMetadata {
            prompt_id: Some("extractor".to_owned()),
            prompt_version: Some(EXTRACTOR_VERSION.to_owned()),
            ..AgentMessageMetadata::default()
        },
        stamp,
    };
    let link = |relation, to: &str| link_of(&message, relation, message.id.as_str(), to);
    let links = vec![
        link(LinkRelation::SummaryStart, start.id.as_str()),
        link(LinkRelation::SummaryEnd, end.id.as_str()),
        link(LinkRelation::MessagePayload, payload.id.as_str()),
    ];
    Ok(Some(PlannedSummary { latest_summary: message.pointer(), payload, links, message }))
}

/// The id of a summary: it follows from its span and from how it is made (D-11).
pub fn summary_id(thread: &ThreadId, start: &AgentMessageId, end: &AgentMessageId) -> AgentMessageId {
    let input = HashInput::new("agent-summary.1").text(&thread.to_string()).text(start.as_str());
    input.text(end.as_str()).text(EXTRACTOR_VERSION).digest().into()
}

/// A line for each message, each cut to its share of the room. What the bound has no line for is counted in the last line.
fn cut_to_fit(
    members: &[&&AgentMessage],
    tokens_max: u32,
    text_of: impl Fn(&AgentMessage) -> String,
) -> String {
    let bytes_max = usize::try_from(tokens_max).unwrap_or(usize::MAX).saturating_mul(BYTES_PER_TOKEN);
    let line_max = (bytes_max / members.len().max(1)).max(LINE_BYTES_MIN);
    let mut text = String::new();
    for (at, message) in members.iter().enumerate() {
        let says = text_of(message).split_whitespace().collect::<Vec<_>>().join(" ");
        // One byte of a line is its end.
        let line = cut(&format!("{}: {says}", message.kind), line_max - 1);
        let more = format!("({} more)", members.len() - at);
        let room = bytes_max.saturating_sub(text.len() + line.len() + 1);
        let is_last = at + 1 == members.len();
        // The count of the rest must fit behind this line, unless this is the last one.
        if text.len() + line.len() > bytes_max || !is_last && room < more.len() {
            text.push_str(&cut(&more, bytes_max.saturating_sub(text.len())));
            break;
        }
        text.push_str(&line);
        if !is_last {
            text.push('\n');
        }
    }
    text
}

/// The shortest line that says anything.
const LINE_BYTES_MIN: usize = 40;

/// The beginning of a text, up to a character that still fits; with a mark if it was cut and the mark fits.
fn cut(text: &str, bytes_max: usize) -> String {
    const MARK: &str = "…";
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let Some(room) = bytes_max.checked_sub(MARK.len()) else { return String::new() };
    let end = (0..=room).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}{MARK}", &text[..end])
}

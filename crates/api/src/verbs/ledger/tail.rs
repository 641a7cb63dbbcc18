//! `ledger tail`.

use super::cursor;
use super::message::LedgerMessage;
use crate::feed::{Begin, Cursor, Feed, FeedPage, Patience, WaitsOn};
use crate::field_kinds;
use crate::{Context, Doors, Present, Screen, Toolset, VerbSpec};
use brainstem_base::Fault;
use brainstem_base::next::VerbId;
use brainstem_post::ledger::{TopicCursor, TopicPlace, parse_topic};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the command sleeps between two looks.
const PAUSE: Duration = Duration::from_millis(100);
const PAGE: usize = 200;

/// Show the messages of a topic as they come, until you end it.
///
/// It begins with what comes from now on, or behind `--after`. Each look begins at the last message that was shown, and ends with
/// a refusal if the topic was cut or rewritten since. With `--json`, one document a line and message.
#[derive(Debug, clap::Args, Deserialize, JsonSchema)]
pub struct LedgerTail {
    /// The topic, such as 0.0.1001.
    #[schemars(extend("x-takes" = field_kinds::ledger_id()))]
    pub topic: String,
    /// Begin behind this message: its number, or the cursor of an answer.
    #[arg(long, value_name = "CURSOR")]
    #[schemars(extend("x-takes" = cursor()))]
    pub after: Option<String>,
    #[arg(skip)]
    #[serde(skip)]
    shown: Shown,
}

/// The last message that was shown, once the first page was asked for.
#[derive(Debug, Default)]
struct Shown(Mutex<Option<TopicPlace>>);

/// Messages that came.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerTailAnswer {
    /// The messages, in their order.
    pub messages: Vec<LedgerMessage>,
}

impl LedgerTail {
    fn next(&self, cx: &Context) -> Result<FeedPage<LedgerTailAnswer>, Fault> {
        let post = cx.post();
        let topic = parse_topic(&self.topic)?;
        let mut shown = self.shown.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = match (*shown, self.after.as_deref()) {
            (Some(place), _) => place,
            (None, Some(cursor)) => TopicPlace::After(TopicCursor::parse(cursor)?),
            (None, None) => {
                let head = post.ledger_topic(topic)?.head;
                head.sequence.map_or(TopicPlace::Start, |sequence| {
                    TopicPlace::After(TopicCursor { sequence, running_hash: Some(head.running_hash) })
                })
            }
        };
        let page = post.ledger_messages(topic, place, PAGE)?;
        *shown = Some(page.cursor.map_or(place, TopicPlace::After));
        let last = page.messages.last().map_or(0, |message| message.sequence.number());
        Ok(FeedPage {
            waits_on: page.messages.is_empty().then_some(WaitsOn::OtherProcess),
            answer: LedgerTailAnswer {
                messages: page.messages.into_iter().map(LedgerMessage::from).collect(),
            },
            next: Cursor(last),
            notes: Vec::new(),
        })
    }
}

impl Feed for LedgerTail {
    const SPEC: VerbSpec = VerbSpec {
        doors: Doors::CommandLine {
            why: "through the other doors a caller asks ledger show again with its cursor",
        },
        toolset: Toolset::Ledger,
        title: "Follow a topic",
        when_to_use: "To watch a topic.",
        examples: &["brainstem ledger tail 0.0.1001", "brainstem ledger tail 0.0.1001 --after 57 --json"],
        ..VerbSpec::of(VerbId::LedgerTail)
    };
    type Output = LedgerTailAnswer;

    fn begin(&self) -> Result<Begin, Fault> {
        Ok(Begin { after: Cursor(0), patience: Patience::Follow })
    }

    fn page(&self, cx: &Context, _: Cursor) -> Result<FeedPage<LedgerTailAnswer>, Fault> {
        self.next(cx)
    }

    fn page_of_other_process(
        &self,
        cx: &Context,
        _: Cursor,
        at_most: Duration,
    ) -> Result<FeedPage<LedgerTailAnswer>, Fault> {
        let until = Instant::now() + at_most;
        loop {
            let page = self.next(cx)?;
            if page.waits_on.is_none() || Instant::now() >= until {
                return Ok(page);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Present for LedgerTailAnswer {
    fn present(&self, out: &mut Screen) {
        for message in &self.messages {
            message.present(out);
        }
    }

    fn lines(&self) -> Option<Vec<Value>> {
        let line = |message| serde_json::to_value(message).unwrap_or_default();
        Some(self.messages.iter().map(line).collect())
    }
}

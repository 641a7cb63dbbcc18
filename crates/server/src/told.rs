//! What a verb answered, as the text that goes out: whose memory it was stands in it, it is written once, and
//! only so much of it is held at a time.

use crate::limits::{ANSWER_LIGHT_LEN, ANSWER_WAIT, ANSWERS_LEN_MAX};
use brainstem_api::openapi::{BRAIN, SERVED_BRAIN};
use brainstem_api::{Context, Effect, Entry, Object, table};
use brainstem_base::{Fault, codes};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The verbs whose answers have the field already.
static SAY_IT_THEMSELVES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let has_it = |entry: &&Entry| {
        let schema = entry.output_schema();
        schema.get("properties").is_some_and(|fields| fields.get(SERVED_BRAIN).is_some())
    };
    table().iter().filter(has_it).map(|entry| entry.spec().id).collect()
});

/// The answer of a verb.
#[derive(Debug)]
pub(crate) struct Told {
    /// A JSON object.
    pub(crate) text: String,
    /// Its place on the tray; `None` where it is light, or where there is no tray.
    pub(crate) held: Option<Held>,
}

/// A place on the tray, given back when it is dropped.
pub(crate) type Held = OwnedSemaphorePermit;

/// The room for answers that wait to be read: one that does not fit waits, and its call with it.
#[derive(Debug)]
pub(crate) struct Tray {
    room: Arc<Semaphore>,
    was_used: AtomicBool,
}

impl Tray {
    pub(crate) fn new() -> Self {
        Self { room: Arc::new(Semaphore::new(ANSWERS_LEN_MAX >> 10)), was_used: AtomicBool::new(false) }
    }

    /// Waits for a place; on a thread that may block.
    fn hold(&self, len: usize) -> Result<Option<Held>, Fault> {
        if len <= ANSWER_LIGHT_LEN {
            return Ok(None);
        }
        self.was_used.store(true, Ordering::Relaxed);
        let share = u32::try_from(len.min(ANSWERS_LEN_MAX) >> 10).unwrap_or(u32::MAX);
        let place = tokio::time::timeout(ANSWER_WAIT, self.room.clone().acquire_many_owned(share));
        match Handle::current().block_on(place) {
            Ok(Ok(held)) => Ok(Some(held)),
            Ok(Err(_)) | Err(_) => Err(Fault::new(
                codes::DAEMON_BUSY,
                "too many long answers wait to be read; this one was thrown away",
            )
            .fix("ask for less at a time, with `limit` and `cursor`, or try again in a moment")
            .rule("IF-14")),
        }
    }

    /// Whether something heavy lay here since the last time, and nothing does now.
    pub(crate) fn was_emptied(&self) -> bool {
        self.room.available_permits() == ANSWERS_LEN_MAX >> 10 && self.was_used.swap(false, Ordering::Relaxed)
    }
}

/// Runs a verb and writes its answer. `copies` says how often the door will hold the text until it is out.
pub(crate) fn tell(
    entry: &Entry,
    arguments: Object,
    cx: &Context,
    tray: Option<&Tray>,
    copies: usize,
) -> Result<Told, Fault> {
    // To other verbs a field of that name is what they speak of, not whose memory they change.
    let named = arguments.get(BRAIN).filter(|_| entry.spec().id == "promote");
    let named = named.and_then(Value::as_str).map(str::to_owned);
    // What the text was written from is gone before anybody waits.
    let mut text = entry.call(arguments, cx).and_then(|answer| answer.text())?;
    if !SAY_IT_THEMSELVES.contains(entry.spec().id) {
        add_brain(&mut text, entry, named.as_deref(), cx);
    }
    text.shrink_to_fit();
    let held = tray.map_or(Ok(None), |tray| tray.hold(text.len().saturating_mul(copies)));
    // What a verb has changed is told, however long that takes to say.
    match held {
        Ok(held) => Ok(Told { text, held }),
        Err(_) if entry.spec().effect != Effect::Read => Ok(Told { text, held: None }),
        Err(fault) => Err(fault),
    }
}

/// Says which brain was served: the one that the verb itself named or made, or else the caller's.
fn add_brain(text: &mut String, entry: &Entry, named: Option<&str>, cx: &Context) {
    let own = || {
        let caller = cx.reader().ok()?;
        cx.memory.route(&caller).brain().map(|brain| brain.origin())
    };
    let made = |text: &str| {
        let answer: Value = serde_json::from_str(text).ok()?;
        answer["brain"].as_str().map(str::to_owned)
    };
    let brain = match named {
        _ if entry.spec().id == "bootstrap" => made(text),
        Some(word) if word.contains('@') && !word.contains('/') => Some(word.to_owned()),
        Some(word) => cx.brain_at(word).map(|brain| brain.origin()),
        None => own(),
    };
    // An answer is an object on the wire, and this is its last field.
    if text.pop() == Some('}') {
        let comma = if text.ends_with('{') { "" } else { "," };
        text.push_str(&format!("{comma}\"{SERVED_BRAIN}\":{}}}", Value::from(brain)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::body;
    use http_body_util::BodyExt as _;

    #[test] // spec: IF-14
    fn only_so_much_of_all_answers_is_held_and_it_is_held_until_it_is_out() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let tray = Arc::new(Tray::new());
            let hold = |len: usize| {
                let tray = tray.clone();
                tokio::task::spawn_blocking(move || tray.hold(len))
            };
            let held = async |len: usize| hold(len).await.expect("no panic").expect("there is room");
            assert!(held(ANSWER_LIGHT_LEN).await.is_none(), "what is light is not counted");
            assert!(!tray.was_emptied());
            let first = held(ANSWERS_LEN_MAX / 2).await;
            let body = body::held("x".repeat(100), first);
            let second = held(ANSWERS_LEN_MAX / 2).await.expect("a place");
            let mut third = hold(ANSWERS_LEN_MAX * 4);
            drop(second);
            // The bytes are on their way: hyper has taken them from the body, and writes them.
            let bytes = body.collect().await.expect("whole").to_bytes();
            assert_eq!(bytes.len(), 100);
            let waits = tokio::time::timeout(std::time::Duration::from_millis(50), &mut third).await;
            assert!(waits.is_err(), "the longest answer needs all of the room");
            assert!(!tray.was_emptied());
            drop(bytes);
            drop(third.await.expect("no panic").expect("there is room now"));
            assert!(tray.was_emptied() && !tray.was_emptied(), "told once");
        });
    }
}

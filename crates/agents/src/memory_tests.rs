use super::*;
use crate::compaction::{CompactionBounds, approximate_tokens, plan_compaction};
use crate::log::tests::{Device, thread};
use crate::message::SummarySpan;
use proptest::prelude::*;

const BOUNDS: CompactionBounds =
    CompactionBounds { raw_count_max: 8, raw_tokens_max: 1_000, summary_tokens_max: 50 };

/// Compacts as long as there is something to compact; returns the texts of the summaries.
fn compact(device: &mut Device, in_thread: &ThreadId) -> Vec<String> {
    let mut texts = Vec::new();
    loop {
        let stamp = device.stamp();
        let log = LogView::of(&device.messages);
        let text_of = |message: &AgentMessage| format!("said {}\nat length", message.id);
        let planned = plan_compaction(&log, in_thread, BOUNDS, stamp, text_of).expect("canonical");
        let Some(planned) = planned else { return texts };
        assert_eq!(planned.message.check(), Ok(()));
        assert_eq!(planned.payload.check(), Ok(()));
        texts.push(planned.payload.content.to_value()["text"].as_str().expect("a text").to_owned());
        device.messages.push(planned.message);
    }
}

fn ids(messages: &[AgentMessageId]) -> Vec<&str> {
    messages.iter().map(AgentMessageId::as_str).collect()
}

#[test] // spec: D-03, D-04
fn a_run_gets_the_newest_of_its_thread_then_summaries_of_earlier_threads_within_the_bounds() {
    let mut device = Device::new("a");
    let (old, now) = (thread("old"), thread("now"));
    for _ in 0..10 {
        device.append(&old, 10);
    }
    compact(&mut device, &old);
    for _ in 0..6 {
        device.append(&now, 10);
    }
    let log = LogView::of(&device.messages);
    let summary: Vec<_> = log.summaries().collect();
    assert_eq!(summary.len(), 1);
    let bounds = MemoryBounds { hot_count_max: 4, hot_tokens_max: 1_000, context_tokens_max: 1_000 };
    let memory = assemble(&log, &now, bounds);
    // Two clocks of the old thread were used for looking whether there is something to compact.
    assert_eq!(ids(&memory.hot), ["a15", "a16", "a17", "a18"]);
    assert_eq!(memory.warm, [summary[0].id.clone()]);
    assert_eq!((memory.left_out_messages, memory.left_out_summaries), (2, 0));
    // By tokens: two messages, and no room for the summary.
    let narrow = assemble(&log, &now, MemoryBounds { hot_tokens_max: 29, context_tokens_max: 29, ..bounds });
    assert_eq!((ids(&narrow.hot), narrow.warm.len(), narrow.left_out_summaries), (vec!["a17", "a18"], 0, 1));
}

#[test] // spec: D-05
fn a_compaction_takes_the_oldest_messages_and_leaves_them_where_they_are() {
    let mut device = Device::new("a");
    let t = thread("t");
    for _ in 0..8 {
        device.append(&t, 1);
    }
    assert!(compact(&mut device, &t).is_empty(), "what is within the bounds stays");
    device.append(&t, 1);
    let before = device.messages.clone();
    let texts = compact(&mut device, &t);
    assert_eq!(device.messages[..before.len()], before);
    let log = LogView::of(&device.messages);
    let raw: Vec<_> = log.uncovered(&t).iter().map(|message| message.id.to_string()).collect();
    assert_eq!(raw, ["a6", "a7", "a8", "a10"]);
    let summary = log.summaries().next().expect("one");
    let span = SummarySpan { start: "a1".parse().unwrap(), end: "a5".parse().unwrap(), depth: 0 };
    assert_eq!(summary.summary, Some(span));
    assert_eq!(log.latest_summary(), Some(summary.pointer()));
    let lines: Vec<_> = (1..=5).map(|n| format!("observation: said a{n} at length")).collect();
    assert_eq!(texts, [lines.join("\n")]);
}

#[test]
fn two_devices_make_the_same_summary_of_the_same_messages() {
    let (mut a, mut b) = (Device::new("a"), Device::new("b"));
    for _ in 0..9 {
        a.append(&thread("t"), 1);
    }
    b.learn(&a);
    let texts = (compact(&mut a, &thread("t")), compact(&mut b, &thread("t")));
    assert_eq!(texts.0, texts.1);
    let summary = |device: &Device| LogView::of(&device.messages).latest_summary().expect("one").message;
    assert_eq!(summary(&a), summary(&b));
    // Both of them in one log are one summary.
    a.learn(&b);
    assert_eq!(LogView::of(&a.messages).summaries().count(), 1);
}

#[test]
fn a_message_that_arrives_late_is_covered_by_no_summary_that_has_not_seen_it() {
    let (mut a, mut b) = (Device::new("a"), Device::new("b"));
    a.append(&thread("t"), 1);
    b.learn(&a);
    b.append(&thread("t"), 1);
    for _ in 0..9 {
        a.append(&thread("t"), 1);
    }
    compact(&mut a, &thread("t"));
    a.learn(&b);
    let log = LogView::of(&a.messages);
    assert!(log.uncovered(&thread("t")).iter().any(|message| message.id.as_str() == "b1"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_context_is_bounded_however_long_the_log_is(
        sizes in prop::collection::vec((0_usize..2, 0_u32..40), 0..120),
        hot_count_max in 0_usize..9,
        hot_tokens_max in 0_u64..200,
        context_tokens_max in 0_u64..300,
    ) {
        let threads = [thread("s"), thread("t")];
        let mut device = Device::new("a");
        for (at, tokens) in sizes {
            device.append(&threads[at], tokens);
            for text in compact(&mut device, &threads[at]) {
                prop_assert!(approximate_tokens(&text) <= BOUNDS.summary_tokens_max, "{}", text);
            }
        }
        let log = LogView::of(&device.messages);
        let memory = assemble(&log, &threads[0], MemoryBounds { hot_count_max, hot_tokens_max, context_tokens_max });
        prop_assert!(memory.hot.len() <= hot_count_max && memory.tokens <= context_tokens_max);
        prop_assert!(log.uncovered(&threads[0]).len() <= BOUNDS.raw_count_max);
        let size = |id: &AgentMessageId| u64::from(log.get(id).expect("of the log").tokens_approx);
        prop_assert!(memory.hot.iter().map(size).sum::<u64>() <= hot_tokens_max);
        prop_assert_eq!(memory.hot.iter().chain(&memory.warm).map(size).sum::<u64>(), memory.tokens);
        // Nothing is lost: what is not handed over is covered or counted.
        prop_assert_eq!(memory.hot.len() + memory.left_out_messages, log.uncovered(&threads[0]).len());
        prop_assert_eq!(memory.warm.len() + memory.left_out_summaries, log.summaries().count());
    }
}

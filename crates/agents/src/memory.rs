//! What of its log an agent is handed for a run: recent messages as they are, older ones as summaries, all of it bounded.

use crate::ids::{AgentMessageId, ThreadId};
use crate::log::LogView;
use crate::message::AgentMessage;
use std::collections::BTreeSet;

/// How much an agent is handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBounds {
    /// How many recent messages at most.
    pub hot_count_max: usize,
    /// How many tokens of recent messages at most.
    pub hot_tokens_max: u64,
    /// How many tokens in all at most.
    pub context_tokens_max: u64,
}

/// What an agent is handed of its log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AssembledMemory {
    /// Summaries of earlier threads and then of this one, oldest first in each.
    pub warm: Vec<AgentMessageId>,
    /// The newest messages of the thread, oldest first, without a gap.
    pub hot: Vec<AgentMessageId>,
    /// How many tokens they take.
    pub tokens: u64,
    /// How many messages of the thread no summary covers and found no room.
    pub left_out_messages: usize,
    /// How many summaries found no room.
    pub left_out_summaries: usize,
}

/// Assembles what an agent is handed for a run in a thread: first the newest messages of the thread, then its summaries, then
/// those of earlier threads, newest first, until the next one does not fit.
pub fn assemble(log: &LogView<'_>, thread: &ThreadId, bounds: MemoryBounds) -> AssembledMemory {
    let raw = log.uncovered(thread);
    let hot_tokens_max = bounds.hot_tokens_max.min(bounds.context_tokens_max);
    let hot = newest_within(&raw, bounds.hot_count_max, hot_tokens_max);
    let mut memory = AssembledMemory {
        hot: hot.iter().map(|message| message.id.clone()).collect(),
        tokens: tokens(hot),
        left_out_messages: raw.len() - hot.len(),
        ..AssembledMemory::default()
    };
    let (own, others): (Vec<_>, Vec<_>) = log.summaries().partition(|summary| summary.thread == *thread);
    let mut taken = BTreeSet::new();
    for summary in own.iter().rev().chain(others.iter().rev()) {
        let with_it = memory.tokens + u64::from(summary.tokens_approx);
        if with_it > bounds.context_tokens_max {
            break;
        }
        memory.tokens = with_it;
        taken.insert(&summary.id);
    }
    memory.left_out_summaries = own.len() + others.len() - taken.len();
    let in_order = others.iter().chain(&own).filter(|summary| taken.contains(&summary.id));
    memory.warm = in_order.map(|summary| summary.id.clone()).collect();
    memory
}

/// The longest end of the messages that is within both bounds.
pub(crate) fn newest_within<'m, 'a>(
    messages: &'m [&'a AgentMessage],
    count_max: usize,
    tokens_max: u64,
) -> &'m [&'a AgentMessage] {
    let mut sum = 0;
    let fits = |message: &&&AgentMessage| {
        sum += u64::from(message.tokens_approx);
        sum <= tokens_max
    };
    let count = messages.iter().rev().take(count_max).take_while(fits).count();
    &messages[messages.len() - count..]
}

/// How many tokens messages take.
pub(crate) fn tokens(messages: &[&AgentMessage]) -> u64 {
    messages.iter().map(|message| u64::from(message.tokens_approx)).sum()
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;

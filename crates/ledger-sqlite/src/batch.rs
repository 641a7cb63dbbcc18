//! Senders that wait at the same time share one transaction.
//!
//! A sender puts its append into the queue and asks for the writer. The one that gets it takes everything that waits,
//! commits it as one transaction, and hands each sender its answer; a sender that gets the writer later finds its answer
//! there already. So one sender alone pays one sync, without another thread in between, and a crowd shares it.

use crate::limits::BATCH_APPENDS_MAX;
use brainstem_ledger::{Append, LedgerError, Receipt};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Answer = Result<Receipt, LedgerError>;

/// One append that waits.
pub(crate) struct Waiting {
    pub(crate) append: Append,
    answer: Mutex<Option<Answer>>,
}

impl Waiting {
    /// Hands the sender its answer.
    pub(crate) fn answer(&self, answer: Answer) {
        *held(&self.answer) = Some(answer);
    }
}

/// The appends of one process, and the writer that takes them.
pub(crate) struct Batches<W> {
    waiting: Mutex<VecDeque<Arc<Waiting>>>,
    writer: Mutex<W>,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<W> Batches<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { waiting: Mutex::default(), writer: Mutex::new(writer) }
    }

    /// The writer, for what is not an append.
    pub(crate) fn writer(&self) -> MutexGuard<'_, W> {
        held(&self.writer)
    }

    /// Appends together with all that wait. `commit` writes one batch and answers each of it.
    pub(crate) fn append(&self, append: Append, commit: impl Fn(&mut W, &[Arc<Waiting>])) -> Answer {
        let own = Arc::new(Waiting { append, answer: Mutex::default() });
        held(&self.waiting).push_back(Arc::clone(&own));
        loop {
            let mut writer = held(&self.writer);
            if let Some(answer) = held(&own.answer).take() {
                return answer;
            }
            let batch: Vec<Arc<Waiting>> = {
                let mut waiting = held(&self.waiting);
                let count = waiting.len().min(BATCH_APPENDS_MAX);
                waiting.drain(..count).collect()
            };
            commit(&mut writer, &batch);
        }
    }
}

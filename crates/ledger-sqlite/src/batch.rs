//! Senders that wait at the same time share one transaction.
//!
//! A sender puts its append into the line. If no sender leads, it leads: it takes everything that waits, commits it as one
//! transaction, and hands each sender its answer; then the first that has come meanwhile leads. So one sender alone pays one
//! sync, without another thread in between, and a crowd shares it. A sender is woken by its own answer and never waits for the
//! writer, or each would wake only to wait again, and the next batch would begin before the others have come.

use crate::limits::BATCH_APPENDS_MAX;
use brainstem_ledger::{Append, LedgerError, Receipt};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

type Answer = Result<Receipt, LedgerError>;

/// One append that waits.
pub(crate) struct Waiting {
    pub(crate) append: Append,
    turn: Mutex<SenderTurn>,
    woken: Condvar,
}

/// What a sender does next.
enum SenderTurn {
    /// It waits.
    Wait,
    /// It commits what waits.
    Lead,
    /// It goes on with its answer.
    Answered(Answer),
}

impl Waiting {
    /// Hands the sender its answer.
    pub(crate) fn answer(&self, answer: Answer) {
        self.wake(SenderTurn::Answered(answer));
    }

    fn wake(&self, turn: SenderTurn) {
        *held(&self.turn) = turn;
        self.woken.notify_one();
    }

    /// Waits for an answer; `None` if this sender is to lead.
    fn wait(&self) -> Option<Answer> {
        let mut turn = held(&self.turn);
        loop {
            match std::mem::replace(&mut *turn, SenderTurn::Wait) {
                SenderTurn::Wait => {
                    turn = self.woken.wait(turn).unwrap_or_else(PoisonError::into_inner);
                }
                SenderTurn::Lead => return None,
                SenderTurn::Answered(answer) => return Some(answer),
            }
        }
    }
}

/// The appends of one process, and the writer that takes them.
pub(crate) struct Batches<W> {
    line: Mutex<Line>,
    writer: Mutex<W>,
}

#[derive(Default)]
struct Line {
    waiting: VecDeque<Arc<Waiting>>,
    is_led: bool,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<W> Batches<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { line: Mutex::default(), writer: Mutex::new(writer) }
    }

    /// The writer, for what is not an append.
    pub(crate) fn writer(&self) -> MutexGuard<'_, W> {
        held(&self.writer)
    }

    /// The writer, if no caller uses it at this moment.
    pub(crate) fn idle_writer(&self) -> Option<MutexGuard<'_, W>> {
        self.writer.try_lock().ok()
    }

    /// Appends together with all that wait. `commit` writes one batch and answers each of it.
    pub(crate) fn append(&self, append: Append, commit: impl Fn(&mut W, &[Arc<Waiting>])) -> Answer {
        let own = Arc::new(Waiting { append, turn: Mutex::new(SenderTurn::Wait), woken: Condvar::new() });
        let leads = {
            let mut line = held(&self.line);
            line.waiting.push_back(Arc::clone(&own));
            !std::mem::replace(&mut line.is_led, true)
        };
        if !leads && let Some(answer) = own.wait() {
            return answer;
        }
        {
            let _lead = Lead(&self.line);
            let mut writer = held(&self.writer);
            // Those that the last batch answered may be about to send again.
            std::thread::yield_now();
            let batch: Vec<Arc<Waiting>> = {
                let waiting = &mut held(&self.line).waiting;
                let count = waiting.len().min(BATCH_APPENDS_MAX);
                waiting.drain(..count).collect()
            };
            commit(&mut writer, &batch);
        }
        own.wait().expect("a leader is the first of its own batch")
    }
}

/// Leading; when it ends, however it ends, the next sender leads.
struct Lead<'a>(&'a Mutex<Line>);

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        let mut line = held(self.0);
        match line.waiting.front() {
            Some(next) => next.wake(SenderTurn::Lead),
            None => line.is_led = false,
        }
    }
}

//! The statements that the tests of a thread ran.

use std::cell::RefCell;
use std::collections::BTreeSet;

thread_local! {
    static SEEN: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// Notes a statement.
pub(crate) fn note(sql: &str) {
    SEEN.with_borrow_mut(|seen| seen.insert(sql.to_owned()));
}

/// The statements so far.
pub(crate) fn all() -> BTreeSet<String> {
    SEEN.with_borrow(Clone::clone)
}

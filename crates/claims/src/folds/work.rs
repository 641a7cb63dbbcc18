//! Counts the steps of walks over the record. A committer can write any number of acts, so the tests hold each walk to a
//! number of steps that grows with the acts and no faster.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts one step. Outside the tests it does nothing.
pub(crate) fn step() {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

/// The steps that a call takes.
#[cfg(test)]
pub(crate) fn steps_of(call: impl FnOnce()) -> usize {
    STEPS.with(|steps| steps.set(0));
    call();
    STEPS.with(|steps| steps.get())
}

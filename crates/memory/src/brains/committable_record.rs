//! What the record of acts brings into a repository: labels, reasons and notes that were written while memory was private.

use crate::brains::git_sharing::LABELS_NAMED_MAX;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_claims::act::Act;
use brainstem_vault::acts;
use std::collections::BTreeSet;

/// The record of acts that git can commit from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittableRecord {
    /// How many acts.
    pub acts: usize,
    /// The reasons and notes in them, each once.
    pub words: Vec<String>,
    /// Claims that are in the record and are not live: they were taken back, renamed or forgotten.
    pub not_live: Vec<String>,
}

impl CommittableRecord {
    /// Returns the record of some acts beside the claims that are live. `None` if there are no acts.
    pub(crate) fn of(acts: &[Act], live: &BTreeSet<String>) -> Option<Self> {
        let words: BTreeSet<String> =
            acts.iter().flat_map(acts::prose).filter(|text| !text.is_empty()).collect();
        let subjects = acts.iter().filter_map(|act| act.deed().slug()).map(ToString::to_string);
        let not_live: BTreeSet<String> = subjects.filter(|slug| !live.contains(slug)).collect();
        let (words, not_live) = (words.into_iter().collect(), not_live.into_iter().collect());
        (!acts.is_empty()).then_some(Self { acts: acts.len(), words, not_live })
    }

    /// The record in words, with the ways to leave it out or to clean it. `None` if it says nothing that the claims do not say.
    pub(crate) fn note(&self) -> Option<Advice> {
        if self.words.is_empty() && self.not_live.is_empty() {
            return None;
        }
        let plural =
            |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        let shown = |texts: &[String]| {
            let more = if texts.len() > LABELS_NAMED_MAX { ", …" } else { "" };
            let named: Vec<String> =
                texts.iter().take(LABELS_NAMED_MAX).map(|text| format!("{text:?}")).collect();
            format!("{}{more}", named.join(", "))
        };
        let mut told = format!(
            "git can commit the record of {} too (`.brainstem/acts.jsonl`)",
            plural(self.acts, "act")
        );
        match self.words.len() {
            0 => {}
            1 => told.push_str(&format!(
                ", with 1 reason or note that was written before: {}",
                shown(&self.words)
            )),
            count => told.push_str(&format!(
                ", with {count} reasons and notes that were written before: {}",
                shown(&self.words)
            )),
        }
        if !self.not_live.is_empty() {
            let count = plural(self.not_live.len(), "claim");
            told.push_str(&format!(
                "; it names {count} that you took back or renamed: {}",
                shown(&self.not_live)
            ));
        }
        Some(advice![
            told,
            "; ",
            calls::forget(calls::LABEL),
            " takes a claim and its words out of the record, and ",
            calls::init_private(),
            " keeps all of it out of git"
        ])
    }
}

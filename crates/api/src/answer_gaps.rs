//! Reading whole: what the disk does not give while a verb reads is a gap in its answer.
//!
//! Every verb that only reads passes here, on every door, and so does what resources, prompts and hooks are made of.

use crate::verbs::Gap;
use crate::{Context, Door};
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{Fault, codes};
use brainstem_memory::{self as memory, FailedReads, READ_ROUNDS};
use std::sync::Arc;

/// The place in an answer that names what could not be read.
pub enum AnswerGaps<'a> {
    /// In lists of gaps; what is missing is missing in each.
    Lists(Vec<&'a mut Vec<Gap>>),
    /// In a list of gaps that no door has spelled yet.
    Plain(&'a mut Vec<memory::Gap>),
    /// In a list of texts.
    Texts(&'a mut Vec<String>),
    /// Nowhere: an answer that would lack something is refused.
    Nowhere,
}

impl<'a> AnswerGaps<'a> {
    /// One list of gaps.
    pub fn list(gaps: &'a mut Vec<Gap>) -> Self {
        Self::Lists(vec![gaps])
    }

    fn named(&self) -> Vec<(String, String)> {
        let pair = |name: &str, detail: String| (name.to_owned(), detail);
        match self {
            Self::Lists(lists) => {
                let gaps = lists.iter().flat_map(|gaps| gaps.iter());
                gaps.map(|gap| pair(&gap.name, gap.detail.clone())).collect()
            }
            Self::Plain(gaps) => gaps.iter().map(|gap| pair(gap.name, gap.detail.to_string())).collect(),
            Self::Texts(texts) => texts.iter().map(|text| pair("", text.clone())).collect(),
            Self::Nowhere => Vec::new(),
        }
    }

    fn add(self, missing: Vec<memory::Gap>, door: Door) -> Result<(), Fault> {
        match self {
            Self::Lists(lists) => {
                for gaps in lists {
                    gaps.extend(missing.iter().map(|gap| Gap::for_door(gap, door)));
                }
            }
            Self::Plain(gaps) => gaps.extend(missing),
            Self::Texts(texts) => texts.extend(missing.iter().map(|gap| door.render(&gap.detail))),
            Self::Nowhere => {
                if let Some(gap) = missing.into_iter().next() {
                    return Err(Fault::new(codes::STORE_FAILED, door.render(&gap.detail))
                        .fix(advice![
                            "make it readable for you, then repeat the call; ",
                            calls::doctor(),
                            " says what is wrong"
                        ])
                        .rule("MEM-23"));
                }
            }
        }
        Ok(())
    }
}

/// Returns an answer in which everything that could not be read is a gap. It asks again while something cannot be read
/// that no gap names; after the last attempt the rest is added to the gaps, or to the refusal.
pub(crate) fn read_with_gaps<T>(
    cx: &Context,
    gaps: impl Fn(&mut T) -> AnswerGaps<'_>,
    ask: impl Fn(&Context) -> Result<T, Fault>,
) -> Result<T, Fault> {
    for round in 1.. {
        let (memory, reads) = cx.memory.noting_reads();
        let noting = Context { memory: Arc::new(memory), ..cx.clone() };
        let is_last = round == READ_ROUNDS;
        if round > 1 {
            cx.look_again();
        }
        match ask(&noting) {
            Ok(mut answer) => {
                let list = gaps(&mut answer);
                let named = list.named();
                let missing = reads.unnamed(named.iter().map(|(name, detail)| (&**name, &**detail)));
                if missing.is_empty() || is_last {
                    list.add(missing, cx.door)?;
                    return Ok(answer);
                }
            }
            Err(_) if !is_last && !reads.is_none() => {}
            Err(fault) => return Err(refused(fault, &reads)),
        }
    }
    unreachable!("the last round answers")
}

/// A refusal that says what could not be read: what it calls absent may be there.
fn refused(mut fault: Fault, reads: &FailedReads) -> Fault {
    if let Some(gap) = reads.unnamed([("", fault.message.as_str())]).into_iter().next() {
        fault.message = format!("{}; not everything could be read: {}", fault.message, gap.detail);
    }
    fault
}

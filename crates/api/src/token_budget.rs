//! Fits what a model is handed into its budget (MEM-28): everything is counted, in the form in which it is sent.
//!
//! What a thing takes is measured by rendering it, so that no form has to be described twice. What fits is decided by
//! [`beat::fill`]; here the things are sized, cut and put together, and the whole is measured once more.

use crate::beat_parts::BeatParts;
use crate::verbs::{BootRow, Conflict, Gap, OpenLetter, Row};
use brainstem_claims::beat::{self, BeatPart, BeatSection, PartOutcome, TEXT_LEN_MIN};
use brainstem_memory::shortened;
use std::collections::BTreeMap;

/// How much there is of what may not be carried whole.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) rows: usize,
    pub(crate) conflicts: usize,
    pub(crate) conflicts_elsewhere: usize,
    /// The first so many rows were asked for by name and are carried in any case, as short as need be.
    pub(crate) seeds: usize,
}

/// Something that is handed to a model.
pub(crate) trait Carrier {
    /// What of it may be cut.
    fn parts(&mut self) -> &mut BeatParts;

    /// Its size in the form in which it is sent, in bytes.
    fn len(&self) -> usize;

    /// Says what was left out, and how to get it.
    fn tell_left_out(&mut self, budget_tokens: usize);
}

/// How much of a gap's detail stays in any case.
const DETAIL_LEN_MIN: usize = 60;
/// How much of a boot key's value stays in any case.
const VALUE_LEN_MIN: usize = 60;

/// Cuts what a carrier holds to so many tokens. If not even the least of it fits, the carrier holds the least, and a
/// gap that says so.
pub(crate) fn fit<C: Carrier>(carrier: &mut C, totals: Totals, budget_tokens: usize) {
    let budget = budget_tokens * beat::BYTES_PER_TOKEN;
    let items = Items::take_from(carrier.parts());
    // Measured as if everything were left out: the notes about what is left out never take more room than that.
    items.put_back(carrier.parts(), &[], totals);
    carrier.tell_left_out(budget_tokens);
    let base = carrier.len();
    let sizes = items.sizes(carrier, base, budget);
    let overheads: Vec<usize> = items.0.iter().zip(&sizes).map(|(item, part)| item.overhead(part)).collect();
    let put = |carrier: &mut C, shown: &[ShownLength]| {
        items.put_back(carrier.parts(), &items.cuts(shown, &overheads), totals);
        carrier.tell_left_out(budget_tokens);
        carrier.len()
    };
    let planned = |room: usize| {
        let carried = beat::fill(&sizes, room);
        let shown = sizes.iter().zip(&carried).map(|(part, carried)| ShownLength::of(*part, *carried));
        let mut shown: Vec<ShownLength> = shown.collect();
        items.keep_the_least(&mut shown, totals);
        shown
    };
    // Sizes were taken one by one; together things take less, because they share headings and the like. What that
    // leaves is given out again.
    let mut room = budget.saturating_sub(base);
    let mut shown = planned(room);
    let mut len = put(carrier, &shown);
    for _ in 0..ROUNDS_MAX {
        let left = budget.saturating_sub(len);
        if left * 32 < budget || shown.iter().all(|shown| *shown == ShownLength::Whole) {
            break;
        }
        // All of what is left, or else half of it.
        let next = [left, left / 2].into_iter().find_map(|more| {
            let next = planned(room + more);
            let next_len = put(carrier, &next);
            (next_len <= budget).then_some((next, next_len, more))
        });
        let Some((next, next_len, more)) = next else { break };
        room += more;
        (shown, len) = (next, next_len);
    }
    len = put(carrier, &shown);
    while len > budget && items.give_way(&mut shown, &sizes, len - budget, totals) {
        len = put(carrier, &shown);
    }
    if len > budget {
        let needed = (len + TOLD_LEN).div_ceil(beat::BYTES_PER_TOKEN);
        let told =
            format!("the least that can be told takes {needed} tokens, and {budget_tokens} were asked for");
        carrier.parts().honest_gaps.push(Gap { name: OVER_BUDGET.to_owned(), detail: told });
    }
}

/// How often what is left is given out again.
const ROUNDS_MAX: usize = 6;

/// The gap of a budget that is too small for the least answer.
pub(crate) const OVER_BUDGET: &str = "over_budget";
/// What the gap that says so takes.
const TOLD_LEN: usize = 120;

/// What becomes of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShownLength {
    Whole,
    /// In so many bytes of its form.
    Within(usize),
    Not,
}

impl ShownLength {
    fn of(part: BeatPart, carried: PartOutcome) -> Self {
        match carried {
            PartOutcome::Whole => Self::Whole,
            PartOutcome::Cut(len) => Self::Within(len.max(part.least)),
            PartOutcome::LeftOut => Self::Not,
        }
    }
}

/// One thing that may be cut.
enum CuttablePart {
    Row(Box<Row>),
    Boot(BootRow),
    Conflict(Box<Conflict>),
    Letter(OpenLetter),
    /// The gaps of one name: a few words of them stay in any case.
    AnswerGaps(Vec<Gap>),
}

/// How long the texts of a thing may be; nothing means that it is left out.
type TextLen = Option<usize>;

struct Items(Vec<CuttablePart>);

impl Items {
    /// Takes everything out of the parts.
    fn take_from(parts: &mut BeatParts) -> Self {
        let mut groups: Vec<Vec<Gap>> = Vec::new();
        for gap in std::mem::take(&mut parts.honest_gaps) {
            match groups.iter_mut().find(|group| group[0].name == gap.name) {
                Some(group) => group.push(gap),
                None => groups.push(vec![gap]),
            }
        }
        let gaps = groups.into_iter().map(CuttablePart::AnswerGaps);
        let boot = std::mem::take(&mut parts.boot).into_iter().map(CuttablePart::Boot);
        let conflicts = std::mem::take(&mut parts.conflicts)
            .into_iter()
            .map(|pair| CuttablePart::Conflict(Box::new(pair)));
        let letters = std::mem::take(&mut parts.letters).into_iter().map(CuttablePart::Letter);
        let rows = std::mem::take(&mut parts.memory).into_iter().map(|row| CuttablePart::Row(Box::new(row)));
        Self(gaps.chain(boot).chain(conflicts).chain(letters).chain(rows).collect())
    }

    /// Fills the parts anew: each thing as long as it may be. Without lengths everything is left out.
    fn put_back(&self, parts: &mut BeatParts, lens: &[TextLen], totals: Totals) {
        let mut filled = BeatParts {
            reception: parts.reception.take(),
            moves: std::mem::take(&mut parts.moves),
            ..BeatParts::default()
        };
        let mut boot = 0;
        for (at, item) in self.0.iter().enumerate() {
            boot += usize::from(matches!(item, CuttablePart::Boot(_)));
            item.put_into(&mut filled, lens.get(at).copied().flatten());
        }
        filled.left_out = totals.rows.saturating_sub(filled.memory.len());
        filled.cut.boot = boot - filled.boot.len();
        filled.cut.conflicts = totals.conflicts.saturating_sub(filled.conflicts.len());
        filled.cut.conflicts_elsewhere = totals.conflicts_elsewhere;
        *parts = filled;
    }

    /// Returns the size of each thing in the form of its carrier. Things behind more than could ever fit are not
    /// measured.
    fn sizes<C: Carrier>(&self, carrier: &mut C, base: usize, budget: usize) -> Vec<BeatPart> {
        let mut used: BTreeMap<BeatSection, usize> = BTreeMap::new();
        let size = |item: &CuttablePart| {
            let section = item.section();
            let used = used.entry(section).or_default();
            if *used > budget {
                return BeatPart { section, whole: budget + 1, least: budget + 1 };
            }
            let part = item.size(carrier, base);
            *used += part.least;
            part
        };
        self.0.iter().map(size).collect()
    }

    /// A beat over a store that is not empty carries something, and a claim that was asked for by name is carried.
    fn keep_the_least(&self, shown: &mut [ShownLength], totals: Totals) {
        let rows = || self.0.iter().enumerate().filter(|(_, item)| matches!(item, CuttablePart::Row(_)));
        let is_shown = |shown: &[ShownLength]| rows().any(|(at, _)| shown[at] != ShownLength::Not);
        let least = if is_shown(shown) { totals.seeds } else { totals.seeds.max(1) };
        for (at, _) in rows().take(least) {
            if shown[at] == ShownLength::Not {
                shown[at] = ShownLength::Within(0);
            }
        }
    }

    /// Makes something smaller, the last of the least important first; whether there was anything.
    fn give_way(
        &self,
        shown: &mut [ShownLength],
        sizes: &[BeatPart],
        too_much: usize,
        totals: Totals,
    ) -> bool {
        let order = [
            BeatSection::Letter,
            BeatSection::Gap,
            BeatSection::Medulla,
            BeatSection::Project,
            BeatSection::Boot,
            BeatSection::Disagreement,
        ];
        let first_rows: Vec<usize> = (0..self.0.len())
            .filter(|at| matches!(self.0[*at], CuttablePart::Row(_)))
            .take(totals.seeds.max(1))
            .collect();
        for section in order {
            let of_section = |at: &usize| sizes[*at].section == section && shown[*at] != ShownLength::Not;
            let Some(at) = (0..self.0.len()).rev().find(of_section) else { continue };
            let len = match shown[at] {
                ShownLength::Whole => sizes[at].whole,
                ShownLength::Within(len) => len.max(sizes[at].least),
                ShownLength::Not => continue,
            };
            let shorter = len.saturating_sub(too_much);
            if shorter >= sizes[at].least && shorter < len {
                shown[at] = ShownLength::Within(shorter);
                return true;
            }
            if !first_rows.contains(&at) {
                shown[at] = ShownLength::Not;
                return true;
            }
        }
        // What is left are rows that are carried in any case, each as short as it may be.
        let still = first_rows.iter().rev().find(|at| shown[**at] != ShownLength::Within(0));
        still.map(|at| shown[*at] = ShownLength::Within(0)).is_some()
    }

    fn cuts(&self, shown: &[ShownLength], overheads: &[usize]) -> Vec<TextLen> {
        let len = |((item, shown), overhead): ((&CuttablePart, &ShownLength), &usize)| match shown {
            ShownLength::Whole => Some(usize::MAX),
            ShownLength::Within(len) => Some(item.text_len(len.saturating_sub(*overhead))),
            ShownLength::Not => None,
        };
        self.0.iter().zip(shown).zip(overheads).map(len).collect()
    }
}

impl CuttablePart {
    fn section(&self) -> BeatSection {
        match self {
            Self::Row(row) if row.tier == "medulla" => BeatSection::Medulla,
            Self::Row(_) => BeatSection::Project,
            Self::Boot(_) => BeatSection::Boot,
            Self::Conflict(_) => BeatSection::Disagreement,
            Self::Letter(_) => BeatSection::Letter,
            Self::AnswerGaps(_) => BeatSection::Gap,
        }
    }

    /// The shortest that its texts may be.
    fn text_len_min(&self) -> usize {
        match self {
            Self::Row(_) | Self::Conflict(_) | Self::Letter(_) => TEXT_LEN_MIN,
            Self::Boot(_) => VALUE_LEN_MIN,
            Self::AnswerGaps(_) => DETAIL_LEN_MIN,
        }
    }

    fn text_len(&self, wanted: usize) -> usize {
        wanted.max(self.text_len_min())
    }

    /// How long its texts are.
    fn texts(&self) -> usize {
        match self {
            Self::Row(row) => row.text.len(),
            Self::Boot(row) => row.value.len(),
            Self::Conflict(pair) => pair.project.len() + pair.medulla.len(),
            Self::Letter(letter) => letter.what.as_ref().map_or(0, String::len),
            Self::AnswerGaps(gaps) => gaps.iter().map(|gap| gap.detail.len()).sum(),
        }
    }

    /// What it takes beside its texts.
    fn overhead(&self, part: &BeatPart) -> usize {
        part.whole.saturating_sub(self.texts())
    }

    /// What it takes in the form of its carrier, whole and at least.
    fn size<C: Carrier>(&self, carrier: &mut C, base: usize) -> BeatPart {
        let section = self.section();
        let whole = self.measured(carrier, usize::MAX, base);
        let least = match whole {
            // Of a gap a few words stay in any case.
            0 => 0,
            whole => self.measured(carrier, self.text_len_min(), base).clamp(1, whole),
        };
        BeatPart { section, whole, least }
    }

    fn measured<C: Carrier>(&self, carrier: &mut C, text_len: usize, base: usize) -> usize {
        let parts = carrier.parts();
        let (before, cut) = (self.count_in(parts), parts.cut);
        let short = self.take_short(parts);
        self.put_into(parts, Some(text_len));
        let len = carrier.len().saturating_sub(base);
        self.take_out(carrier.parts(), before, short);
        carrier.parts().cut = cut;
        len
    }

    fn count_in(&self, parts: &BeatParts) -> usize {
        match self {
            Self::Row(_) => parts.memory.len(),
            Self::Boot(_) => parts.boot.len(),
            Self::Conflict(_) => parts.conflicts.len(),
            Self::Letter(_) => parts.letters.len(),
            Self::AnswerGaps(_) => parts.honest_gaps.len(),
        }
    }

    /// Takes out the short form of a gap, whose whole detail is shown instead.
    fn take_short(&self, parts: &mut BeatParts) -> Option<(usize, Gap)> {
        let Self::AnswerGaps(gaps) = self else { return None };
        let at = parts.honest_gaps.iter().position(|gap| gap.name == gaps[0].name)?;
        Some((at, parts.honest_gaps.remove(at)))
    }

    fn take_out(&self, parts: &mut BeatParts, before: usize, short: Option<(usize, Gap)>) {
        match self {
            Self::Row(_) => parts.memory.truncate(before),
            Self::Boot(_) => parts.boot.truncate(before),
            Self::Conflict(_) => parts.conflicts.truncate(before),
            Self::Letter(_) => parts.letters.truncate(before),
            Self::AnswerGaps(_) => {
                parts.honest_gaps.truncate(before - usize::from(short.is_some()));
                if let Some((at, gap)) = short {
                    parts.honest_gaps.insert(at, gap);
                }
            }
        }
    }

    /// Puts it into the parts with texts of at most so many bytes; without a length it is left out, but for a few words
    /// of a gap.
    fn put_into(&self, parts: &mut BeatParts, len: TextLen) {
        match (self, len) {
            (Self::Row(row), Some(len)) => {
                let mut row = (**row).clone();
                if let Some(short) = shortened(&row.text, len) {
                    (row.text, row.cut) = (short, true);
                }
                parts.memory.push(row);
            }
            (Self::Boot(row), Some(len)) => {
                let mut row = row.clone();
                if let Some(short) = shortened(&row.value, len) {
                    (row.value, row.cut) = (short, true);
                }
                parts.boot.push(row);
            }
            (Self::Conflict(pair), Some(len)) => {
                let mut pair = (**pair).clone();
                // What the shorter side leaves is the longer one's.
                let rest = |other: &str| len - other.len().min(len / 2);
                let lens = [rest(&pair.medulla), rest(&pair.project)];
                for (text, len) in [&mut pair.project, &mut pair.medulla].into_iter().zip(lens) {
                    if let Some(short) = shortened(text, len) {
                        (*text, pair.cut) = (short, true);
                    }
                }
                parts.conflicts.push(pair);
            }
            (Self::Letter(letter), Some(len)) => {
                let mut letter = letter.clone();
                if let Some(short) = letter.what.as_deref().and_then(|what| shortened(what, len)) {
                    letter.what = Some(short);
                }
                parts.letters.push(letter);
            }
            (Self::AnswerGaps(gaps), Some(usize::MAX)) => parts.honest_gaps.extend(gaps.iter().cloned()),
            (Self::AnswerGaps(gaps), len) => {
                let (gap, is_cut) = few_words(gaps, len.unwrap_or(0));
                parts.cut.gaps += usize::from(is_cut);
                parts.honest_gaps.push(gap);
            }
            (Self::Row(_) | Self::Boot(_) | Self::Conflict(_) | Self::Letter(_), None) => {}
        }
    }
}

/// The gaps of one name as one: the first of them in so many bytes, and how many more there are.
fn few_words(gaps: &[Gap], len: usize) -> (Gap, bool) {
    let first = &gaps[0];
    let short = shortened(&first.detail, len.max(DETAIL_LEN_MIN));
    let is_cut = short.is_some() || gaps.len() > 1;
    let mut detail = short.unwrap_or_else(|| first.detail.clone());
    let more: usize = gaps[1..].iter().map(counted_in).sum();
    if more > 0 {
        detail.push_str(&format!(" (and {more} more)"));
    }
    (Gap { name: first.name.clone(), detail }, is_cut)
}

/// Returns how many things a gap counts: one, or the number in a gap such as "and 25 more files".
fn counted_in(gap: &Gap) -> usize {
    let counted = gap.detail.strip_prefix("and ").and_then(|rest| rest.split_once(" more "));
    counted.and_then(|(count, _)| count.parse().ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-28
    fn gaps_that_are_cut_to_one_count_what_each_of_them_counts() {
        let gap = |detail: &str| Gap { name: "unreadable_claim".into(), detail: detail.into() };
        let gaps = [gap("`a`: torn"), gap("`b`: torn"), gap("and 25 more files of plum"), gap("and so on")];
        assert_eq!(few_words(&gaps, usize::MAX).0.detail, "`a`: torn (and 27 more)");
        assert_eq!(few_words(&gaps[..1], usize::MAX).0.detail, "`a`: torn");
    }
}

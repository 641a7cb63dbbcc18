//! Composing the beat: what fits into a budget, and what is cut to fit.
//!
//! Each part has a size in the form in which it is handed out. This module decides by sizes alone; what the parts are,
//! and how they look, is up to the caller.

/// A token counts as this many bytes.
pub const BYTES_PER_TOKEN: usize = 4;
/// A text of which less is left, in bytes, is no longer worth its place.
pub const TEXT_LEN_MIN: usize = 120;

/// The sections of a beat, in the order in which room is given to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BeatSection {
    /// Stores that could not be read, in full: their names are carried in any case.
    Gap,
    /// Small values that are in every beat.
    Boot,
    /// Disagreements.
    Disagreement,
    /// The newest open letters.
    Letter,
    /// Claims of the project, the most useful first.
    Project,
    /// Claims of the medulla, the most useful first.
    Medulla,
}

impl BeatSection {
    const ALL: [Self; 6] =
        [Self::Gap, Self::Boot, Self::Disagreement, Self::Letter, Self::Project, Self::Medulla];

    /// What a section may take before the others got their share of the room. A quarter is reserved for the medulla
    /// while it has claims to fill it, so that a busy project does not crowd doctrine out.
    fn share(self, room: usize) -> usize {
        match self {
            Self::Gap => room / 8,
            Self::Boot | Self::Disagreement => room / 6,
            Self::Letter => room / 16,
            Self::Project | Self::Medulla => room,
        }
    }

    /// What one part of a section may take before the others got their share.
    fn share_of_one(self, room: usize) -> usize {
        match self {
            Self::Gap | Self::Boot | Self::Letter => room / 24,
            Self::Disagreement => room / 12,
            Self::Project | Self::Medulla => room / 6,
        }
    }
}

/// One part that may be carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeatPart {
    /// Its section. The parts of one section are in order.
    pub section: BeatSection,
    /// Its size.
    pub whole: usize,
    /// Its size when it is cut as short as possible; the same as `whole` if it cannot be cut.
    pub least: usize,
}

/// What happens to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartOutcome {
    /// It is carried whole.
    Whole,
    /// It is cut to at most so many bytes.
    Cut(usize),
    /// It is left out.
    LeftOut,
}

/// Gives parts their room: first every section its share, each part at most what one may take. Then the rest goes to
/// parts that were cut or left out, claims first. Within a section no part is carried before the one in front of it.
///
/// Together they take at most `room`.
pub fn fill(parts: &[BeatPart], room: usize) -> Vec<PartOutcome> {
    let mut plan = Plan { parts, given: vec![0; parts.len()], left: room };
    let of = |section: BeatSection| parts.iter().filter(move |part| part.section == section);
    let kept: usize = of(BeatSection::Medulla).map(|part| part.whole).sum::<usize>().min(room / 4);
    for section in BeatSection::ALL {
        let share = match section {
            BeatSection::Project => plan.left.saturating_sub(kept),
            section => section.share(room),
        };
        plan.fill_section(section, share, section.share_of_one(room));
    }
    let claims_first = [
        BeatSection::Project,
        BeatSection::Medulla,
        BeatSection::Disagreement,
        BeatSection::Boot,
        BeatSection::Gap,
        BeatSection::Letter,
    ];
    for section in claims_first {
        plan.extend_section(section);
    }
    for section in claims_first {
        plan.fill_section(section, usize::MAX, usize::MAX);
    }
    plan.carried()
}

struct Plan<'a> {
    parts: &'a [BeatPart],
    /// The bytes that each part has.
    given: Vec<usize>,
    left: usize,
}

impl Plan<'_> {
    /// Gives the parts of a section room, starting with the first that has none, until one does not fit.
    fn fill_section(&mut self, section: BeatSection, share: usize, share_of_one: usize) {
        let mut left = share.min(self.left);
        for at in 0..self.parts.len() {
            let BeatPart { section: own, whole, least } = self.parts[at];
            if own != section || self.given[at] > 0 || whole == 0 {
                continue;
            }
            let wanted = whole.min(share_of_one.max(least)).min(left);
            if wanted < least.max(1) {
                return;
            }
            self.given[at] = wanted;
            left -= wanted;
            self.left -= wanted;
        }
    }

    /// Lets parts that were cut grow, starting with the first.
    fn extend_section(&mut self, section: BeatSection) {
        for at in 0..self.parts.len() {
            let BeatPart { section: own, whole, .. } = self.parts[at];
            if own == section && (1..whole).contains(&self.given[at]) {
                let more = (whole - self.given[at]).min(self.left);
                self.given[at] += more;
                self.left -= more;
            }
        }
    }

    fn carried(&self) -> Vec<PartOutcome> {
        let carried = |(part, given): (&BeatPart, &usize)| match *given {
            given if given >= part.whole => PartOutcome::Whole,
            0 => PartOutcome::LeftOut,
            given => PartOutcome::Cut(given),
        };
        self.parts.iter().zip(&self.given).map(carried).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(section: BeatSection, sizes: &[usize]) -> Vec<BeatPart> {
        sizes.iter().map(|whole| BeatPart { section, whole: *whole, least: (*whole).min(20) }).collect()
    }

    fn counts(parts: &[BeatPart], room: usize) -> Vec<(BeatSection, usize, usize)> {
        let carried = fill(parts, room);
        BeatSection::ALL
            .into_iter()
            .filter(|section| parts.iter().any(|part| part.section == *section))
            .map(|section| {
                let of = parts.iter().zip(&carried).filter(|(part, _)| part.section == section);
                let whole = of.clone().filter(|(_, carried)| **carried == PartOutcome::Whole).count();
                let cut = of.filter(|(_, carried)| matches!(carried, PartOutcome::Cut(_))).count();
                (section, whole, cut)
            })
            .collect()
    }

    #[test] // spec: MEM-28
    fn doctrine_is_not_crowded_out_and_what_one_leaves_is_the_others() {
        use BeatSection::{Medulla, Project};
        let check = |project: &[usize], medulla: &[usize], room, expected: (usize, usize)| {
            let all = [parts(Project, project), parts(Medulla, medulla)].concat();
            let carried = fill(&all, room);
            let of = |section| {
                let own = all.iter().zip(&carried).filter(|(part, _)| part.section == section);
                own.filter(|(_, carried)| **carried != PartOutcome::LeftOut).count()
            };
            assert_eq!((of(Project), of(Medulla)), expected, "{project:?} {medulla:?} {room}");
        };
        check(&[10, 10, 10], &[], 25, (2, 0));
        check(&[10; 10], &[10; 10], 100, (7, 3));
        check(&[10; 10], &[5], 100, (9, 1));
        check(&[10], &[10; 10], 100, (1, 9));
        check(&[], &[], 100, (0, 0));
    }

    #[test] // spec: MEM-28
    fn no_section_takes_the_room_of_all_and_a_long_claim_is_cut_before_others_go() {
        use BeatSection::{Boot, Disagreement, Gap, Project};
        let all = [
            parts(Gap, &[100; 10]),
            parts(Boot, &[200; 40]),
            parts(Disagreement, &[300; 60]),
            parts(Project, &[2_000, 100, 100, 100]),
        ]
        .concat();
        let found = counts(&all, 4_000);
        let project = found.iter().find(|(section, ..)| *section == Project).expect("the project");
        assert_eq!(project.1 + project.2, 4, "every claim is there: {found:?}");
        for (section, whole, cut) in &found {
            assert!(whole + cut > 0, "{section:?} is there: {found:?}");
        }
    }

    #[test] // spec: MEM-28
    fn what_is_left_makes_a_cut_claim_whole_again() {
        let all = parts(BeatSection::Project, &[900, 50]);
        assert_eq!(fill(&all, 1_000), [PartOutcome::Whole, PartOutcome::Whole]);
        assert_eq!(fill(&all, 500), [PartOutcome::Cut(450), PartOutcome::Whole]);
        assert_eq!(
            fill(&all, 15),
            [PartOutcome::LeftOut, PartOutcome::LeftOut],
            "less than a claim cut as short as it may be"
        );
    }

    fn any_parts() -> impl Strategy<Value = Vec<BeatPart>> {
        let sizes = || proptest::collection::vec(1..3_000usize, 0..12);
        (sizes(), sizes(), sizes(), sizes(), sizes(), sizes()).prop_map(|(a, b, c, d, e, f)| {
            BeatSection::ALL
                .into_iter()
                .zip([a, b, c, d, e, f])
                .flat_map(|(section, sizes)| parts(section, &sizes))
                .collect()
        })
    }

    proptest! {
        #[test] // spec: MEM-28
        fn the_room_is_kept_filled_and_the_order_is_kept(all in any_parts(), room in 0..20_000usize) {
            let carried = fill(&all, room);
            let size = |(part, carried): (&BeatPart, &PartOutcome)| match carried {
                PartOutcome::Whole => part.whole,
                PartOutcome::Cut(len) => *len,
                PartOutcome::LeftOut => 0,
            };
            let used: usize = all.iter().zip(&carried).map(size).sum();
            prop_assert!(used <= room, "{used} of {room}");
            for section in BeatSection::ALL {
                let own: Vec<_> = all.iter().zip(&carried).filter(|(part, _)| part.section == section).collect();
                let first_out = own.iter().position(|(_, carried)| **carried == PartOutcome::LeftOut);
                if let Some(first) = first_out {
                    prop_assert!(own[first..].iter().all(|(_, carried)| **carried == PartOutcome::LeftOut), "{section:?}");
                    prop_assert!(room - used < own[first].0.least, "room for one more of {section:?}");
                }
                for (part, carried) in own {
                    if let PartOutcome::Cut(len) = carried {
                        prop_assert!((part.least..part.whole).contains(len));
                        prop_assert!(room == used, "a part is cut while there is room");
                    }
                }
            }
        }
    }
}

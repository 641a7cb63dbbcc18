//! Composing the beat: what fits into a budget, and what is cut to fit.
//!
//! Each thing that may be carried has a size in the form that is handed out. This decides about sizes alone; what the
//! things are, and how they look, is for others.

/// A token counts as this many bytes.
pub const BYTES_PER_TOKEN: usize = 4;

/// The sections of a beat, in the order in which room is given to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// What could not be looked at, in full: its name is carried in any case.
    Gap,
    /// Small values that ride every beat.
    Boot,
    /// What disagrees.
    Disagreement,
    /// The newest open letters.
    Letter,
    /// Claims of the project, the most useful first.
    Project,
    /// Claims of the medulla, the most useful first.
    Medulla,
}

impl Section {
    const ALL: [Self; 6] =
        [Self::Gap, Self::Boot, Self::Disagreement, Self::Letter, Self::Project, Self::Medulla];

    /// What a section may take before the others had their part, as a share of the room. A quarter is kept for the
    /// medulla while it has claims to fill it, so that doctrine is not crowded out by a busy project.
    fn share(self, room: usize) -> usize {
        match self {
            Self::Gap => room / 8,
            Self::Boot | Self::Disagreement => room / 6,
            Self::Letter => room / 16,
            Self::Project | Self::Medulla => room,
        }
    }

    /// What one thing of a section may take before the others had their part.
    fn share_of_one(self, room: usize) -> usize {
        match self {
            Self::Gap | Self::Boot | Self::Letter => room / 24,
            Self::Disagreement => room / 12,
            Self::Project | Self::Medulla => room / 6,
        }
    }
}

/// One thing that may be carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it belongs. The parts of one section stand in their order.
    pub section: Section,
    /// Its size.
    pub whole: usize,
    /// Its size when it is cut as short as it may be; the same as `whole` where it cannot be cut.
    pub least: usize,
}

/// What becomes of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// It is carried whole.
    Whole,
    /// It is cut to at most so many bytes.
    Cut(usize),
    /// It is left out.
    LeftOut,
}

/// Gives parts their room: first every section its share, each part no more than one may take, then what is left to
/// whatever was cut or left out, claims first. Within a section no part is carried before the one in front of it.
///
/// Together they take at most `room`.
pub fn fill(parts: &[Part], room: usize) -> Vec<Carried> {
    let mut plan = Plan { parts, given: vec![0; parts.len()], left: room };
    let of = |section: Section| parts.iter().filter(move |part| part.section == section);
    let kept: usize = of(Section::Medulla).map(|part| part.whole).sum::<usize>().min(room / 4);
    for section in Section::ALL {
        let share = match section {
            Section::Project => plan.left.saturating_sub(kept),
            section => section.share(room),
        };
        plan.fill_section(section, share, section.share_of_one(room));
    }
    let claims_first = [
        Section::Project,
        Section::Medulla,
        Section::Disagreement,
        Section::Boot,
        Section::Gap,
        Section::Letter,
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
    parts: &'a [Part],
    /// The bytes that each part has.
    given: Vec<usize>,
    left: usize,
}

impl Plan<'_> {
    /// Gives the parts of a section room from the first that has none on, until one does not fit.
    fn fill_section(&mut self, section: Section, share: usize, share_of_one: usize) {
        let mut left = share.min(self.left);
        for at in 0..self.parts.len() {
            let Part { section: own, whole, least } = self.parts[at];
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

    /// Lets parts that were cut grow, from the first on.
    fn extend_section(&mut self, section: Section) {
        for at in 0..self.parts.len() {
            let Part { section: own, whole, .. } = self.parts[at];
            if own == section && (1..whole).contains(&self.given[at]) {
                let more = (whole - self.given[at]).min(self.left);
                self.given[at] += more;
                self.left -= more;
            }
        }
    }

    fn carried(&self) -> Vec<Carried> {
        let carried = |(part, given): (&Part, &usize)| match *given {
            given if given >= part.whole => Carried::Whole,
            0 => Carried::LeftOut,
            given => Carried::Cut(given),
        };
        self.parts.iter().zip(&self.given).map(carried).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(section: Section, sizes: &[usize]) -> Vec<Part> {
        sizes.iter().map(|whole| Part { section, whole: *whole, least: (*whole).min(20) }).collect()
    }

    fn counts(parts: &[Part], room: usize) -> Vec<(Section, usize, usize)> {
        let carried = fill(parts, room);
        Section::ALL
            .into_iter()
            .filter(|section| parts.iter().any(|part| part.section == *section))
            .map(|section| {
                let of = parts.iter().zip(&carried).filter(|(part, _)| part.section == section);
                let whole = of.clone().filter(|(_, carried)| **carried == Carried::Whole).count();
                let cut = of.filter(|(_, carried)| matches!(carried, Carried::Cut(_))).count();
                (section, whole, cut)
            })
            .collect()
    }

    #[test] // spec: MEM-28
    fn doctrine_is_not_crowded_out_and_what_one_leaves_is_the_others() {
        use Section::{Medulla, Project};
        let check = |project: &[usize], medulla: &[usize], room, expected: (usize, usize)| {
            let all = [parts(Project, project), parts(Medulla, medulla)].concat();
            let carried = fill(&all, room);
            let of = |section| {
                let own = all.iter().zip(&carried).filter(|(part, _)| part.section == section);
                own.filter(|(_, carried)| **carried != Carried::LeftOut).count()
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
        use Section::{Boot, Disagreement, Gap, Project};
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
        let all = parts(Section::Project, &[900, 50]);
        assert_eq!(fill(&all, 1_000), [Carried::Whole, Carried::Whole]);
        assert_eq!(fill(&all, 500), [Carried::Cut(450), Carried::Whole]);
        assert_eq!(
            fill(&all, 15),
            [Carried::LeftOut, Carried::LeftOut],
            "less than a claim cut as short as it may be"
        );
    }

    fn any_parts() -> impl Strategy<Value = Vec<Part>> {
        let sizes = || proptest::collection::vec(1..3_000usize, 0..12);
        (sizes(), sizes(), sizes(), sizes(), sizes(), sizes()).prop_map(|(a, b, c, d, e, f)| {
            Section::ALL
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
            let size = |(part, carried): (&Part, &Carried)| match carried {
                Carried::Whole => part.whole,
                Carried::Cut(len) => *len,
                Carried::LeftOut => 0,
            };
            let used: usize = all.iter().zip(&carried).map(size).sum();
            prop_assert!(used <= room, "{used} of {room}");
            for section in Section::ALL {
                let own: Vec<_> = all.iter().zip(&carried).filter(|(part, _)| part.section == section).collect();
                let first_out = own.iter().position(|(_, carried)| **carried == Carried::LeftOut);
                if let Some(first) = first_out {
                    prop_assert!(own[first..].iter().all(|(_, carried)| **carried == Carried::LeftOut), "{section:?}");
                    prop_assert!(room - used < own[first].0.least, "room for one more of {section:?}");
                }
                for (part, carried) in own {
                    if let Carried::Cut(len) = carried {
                        prop_assert!((part.least..part.whole).contains(len));
                        prop_assert!(room == used, "a part is cut while there is room");
                    }
                }
            }
        }
    }
}

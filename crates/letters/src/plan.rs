//! The plan of a distribution: each letter has exactly one destination.

use crate::LetterId;
use crate::address::{Aim, LocalNames, ProjectClue};
use crate::lines::LetterWithLine;
use crate::resolved_fields::ResolvedFields;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The result of a search for a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The root of the project.
    Here(PathBuf),
    /// This machine has nothing of that name.
    NotHere,
    /// Several projects have that name.
    Several(Vec<PathBuf>),
    /// A folder that is never a project.
    NoProject,
    /// A folder that is not a project yet: in no repository, without a brain, and not named by the person.
    Plain(PathBuf),
}

/// The destination of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LetterDestination {
    /// In the box of the project at this root.
    Project(PathBuf),
    /// In the medulla's box.
    Medulla,
    /// In the spool, until its project is here.
    Pending {
        /// The project, as the letter spells it.
        spelled: String,
        /// The projects that share the name, if that is the reason.
        several: Vec<PathBuf>,
        /// The folder that is there and is not a project, if that is the reason.
        plain: Option<PathBuf>,
    },
    /// In the spool alone: the secrets check refused it.
    Refused {
        /// The rule that refused it.
        rule: &'static str,
    },
}

impl LetterDestination {
    /// The project of the box, or `None` inside for the medulla's; `None` if it is filed nowhere.
    pub fn boxed(&self) -> Option<Option<&Path>> {
        match self {
            Self::Project(root) => Some(Some(root)),
            Self::Medulla => Some(None),
            Self::Pending { .. } | Self::Refused { .. } => None,
        }
    }
}

/// The plan for one letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned<'a> {
    /// The letter.
    pub letter: &'a LetterWithLine,
    /// Where it ends.
    pub destination: LetterDestination,
    /// It is there already.
    pub held: bool,
}

/// What the plan needs to know about the machine.
pub trait World {
    /// Looks for a project.
    fn resolve(&mut self, wanted: &ProjectClue) -> Resolution;
    /// Whether the box of a project, or the medulla's, holds a letter.
    fn holds(&mut self, root: Option<&Path>, id: &LetterId) -> bool;
    /// A project whose box holds a letter, if there is one.
    fn holder(&mut self, id: &LetterId) -> Option<PathBuf>;
    /// The rule that keeps a line out of every file that can be committed.
    fn refuses(&mut self, line: &[u8]) -> Option<&'static str>;
}

/// Plans the destination of each letter. A letter that a box has already is not planned again.
pub fn plan<'a>(
    letters: impl IntoIterator<Item = &'a LetterWithLine>,
    words: &LocalNames,
    world: &mut dyn World,
) -> Vec<Planned<'a>> {
    let mut planned = Vec::new();
    // Few projects are spelled in few ways, over and over.
    let mut known: HashMap<(&Option<String>, &Option<String>, ResolvedFields), LetterDestination> =
        HashMap::new();
    for letter in letters {
        let spelled = (&letter.letter.brain, &letter.letter.repo, letter.letter.exact);
        let leads = known.entry(spelled).or_insert_with(|| destination(&words.aims(&letter.letter), world));
        let mut destination = leads.clone();
        if let LetterDestination::Pending { several, .. } = &destination
            && let Some(first) = several.first()
            && several.iter().all(|root| world.holds(Some(root), &letter.letter.id))
        {
            // Whichever of them is meant, the letter is there: a clone brought its box along.
            destination = LetterDestination::Project(first.clone());
        }
        if matches!(destination, LetterDestination::Pending { .. })
            && letter.letter.exact.at.is_some()
            && let Some(root) = world.holder(&letter.letter.id)
        {
            // It was filed while its folder was here, and the box came along to where it is read now.
            destination = LetterDestination::Project(root);
        }
        let held = destination.boxed().is_some_and(|root| world.holds(root, &letter.letter.id));
        if !held && let Some(rule) = world.refuses(&letter.line) {
            destination = LetterDestination::Refused { rule };
        }
        planned.push(Planned { letter, destination, held });
    }
    planned
}

/// Where aims lead: the first that is a project, here or not. A letter that names a project never ends in the medulla's
/// box. Of several clones of one brain, the one that the letter names as its repo counts.
pub fn destination(aims: &[Aim], world: &mut dyn World) -> LetterDestination {
    let mut found = LetterDestination::Medulla;
    for end in aims.iter().map(|aim| lead(aim, world)) {
        match (&found, &end) {
            (LetterDestination::Medulla, _) => found = end,
            (LetterDestination::Pending { several, .. }, LetterDestination::Project(root))
                if several.contains(root) =>
            {
                found = end;
            }
            _ => {}
        }
    }
    found
}

fn lead(aim: &Aim, world: &mut dyn World) -> LetterDestination {
    let (spelled, tries) = match aim {
        Aim::NoProject => return LetterDestination::Medulla,
        Aim::Project { spelled, tries } => (spelled, tries),
        Aim::Written { spelled, exact, otherwise } => {
            let pending =
                |several, plain| LetterDestination::Pending { spelled: spelled.clone(), several, plain };
            return match world.resolve(exact) {
                Resolution::Here(root) => LetterDestination::Project(root),
                Resolution::Several(roots) => pending(roots, None),
                Resolution::Plain(folder) => pending(Vec::new(), Some(folder)),
                Resolution::NotHere | Resolution::NoProject => lead(otherwise, world),
            };
        }
    };
    let mut never = !tries.is_empty();
    let (mut several, mut plain) = (Vec::new(), None);
    for one in tries {
        match world.resolve(one) {
            Resolution::Here(root) => return LetterDestination::Project(root),
            Resolution::Several(roots) => several = roots,
            Resolution::Plain(folder) => plain = Some(folder),
            Resolution::NotHere => {}
            Resolution::NoProject => continue,
        }
        never = false;
    }
    if never {
        LetterDestination::Medulla
    } else {
        LetterDestination::Pending { spelled: spelled.clone(), several, plain }
    }
}

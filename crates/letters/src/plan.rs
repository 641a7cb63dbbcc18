//! The plan of a distribution: for each letter exactly one end.

use crate::LetterId;
use crate::address::{Aim, Try, Words};
use crate::exact::Exact;
use crate::lines::Lettered;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What was found of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The root of the project.
    Here(PathBuf),
    /// Nothing of that name is on this machine.
    NotHere,
    /// Several projects have that name.
    Several(Vec<PathBuf>),
    /// A folder that is never a project.
    NoProject,
    /// A folder that is no project yet: in no repository, without a brain, and not named by the person.
    Plain(PathBuf),
}

/// Where a letter ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// In the box of the project at this root.
    Project(PathBuf),
    /// In the medulla's box.
    Medulla,
    /// In the spool, until its project is here.
    Pending {
        /// The project, as the letter spells it.
        spelled: String,
        /// The projects that share the name, where that is why.
        several: Vec<PathBuf>,
        /// The folder that is there and is no project, where that is why.
        plain: Option<PathBuf>,
    },
    /// In the spool alone: the floor caught it.
    Refused {
        /// The rule that did.
        rule: &'static str,
    },
}

impl Destination {
    /// The project whose box is meant, or none for the medulla's; nothing for what is filed nowhere.
    pub fn boxed(&self) -> Option<Option<&Path>> {
        match self {
            Self::Project(root) => Some(Some(root)),
            Self::Medulla => Some(None),
            Self::Pending { .. } | Self::Refused { .. } => None,
        }
    }
}

/// What becomes of one letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned<'a> {
    /// The letter.
    pub letter: &'a Lettered,
    /// Where it ends.
    pub destination: Destination,
    /// It lies there already.
    pub held: bool,
}

/// What the plan asks the world.
pub trait World {
    /// Looks for a project.
    fn resolve(&mut self, wanted: &Try) -> Resolution;
    /// Whether the box of a project, or the medulla's, holds a letter.
    fn holds(&mut self, root: Option<&Path>, id: &LetterId) -> bool;
    /// A project whose box holds a letter, if there is one.
    fn holder(&mut self, id: &LetterId) -> Option<PathBuf>;
    /// The rule that keeps a line out of every file that can be committed.
    fn refuses(&mut self, line: &[u8]) -> Option<&'static str>;
}

/// Plans where each letter ends. What a box holds already is not looked at again.
pub fn plan<'a>(
    letters: impl IntoIterator<Item = &'a Lettered>,
    words: &Words,
    world: &mut dyn World,
) -> Vec<Planned<'a>> {
    let mut planned = Vec::new();
    // Few projects are spelled in few ways, over and over.
    let mut known: HashMap<(&Option<String>, &Option<String>, Exact), Destination> = HashMap::new();
    for letter in letters {
        let spelled = (&letter.letter.brain, &letter.letter.repo, letter.letter.exact);
        let leads = known.entry(spelled).or_insert_with(|| destination(&words.aims(&letter.letter), world));
        let mut destination = leads.clone();
        if let Destination::Pending { several, .. } = &destination
            && let Some(first) = several.first()
            && several.iter().all(|root| world.holds(Some(root), &letter.letter.id))
        {
            // Whichever of them is meant, the letter lies there: a clone brought its box along.
            destination = Destination::Project(first.clone());
        }
        if matches!(destination, Destination::Pending { .. })
            && letter.letter.exact.at.is_some()
            && let Some(root) = world.holder(&letter.letter.id)
        {
            // It was filed while its folder was here, and the box came along to where it is read now.
            destination = Destination::Project(root);
        }
        let held = destination.boxed().is_some_and(|root| world.holds(root, &letter.letter.id));
        if !held && let Some(rule) = world.refuses(&letter.line) {
            destination = Destination::Refused { rule };
        }
        planned.push(Planned { letter, destination, held });
    }
    planned
}

/// Where aims lead: the first that is a project, here or not. A letter that names a project never ends in the
/// medulla's box. Of several clones of one brain, the one that the letter names as its repo is meant.
pub fn destination(aims: &[Aim], world: &mut dyn World) -> Destination {
    let mut found = Destination::Medulla;
    for end in aims.iter().map(|aim| lead(aim, world)) {
        match (&found, &end) {
            (Destination::Medulla, _) => found = end,
            (Destination::Pending { several, .. }, Destination::Project(root)) if several.contains(root) => {
                found = end;
            }
            _ => {}
        }
    }
    found
}

fn lead(aim: &Aim, world: &mut dyn World) -> Destination {
    let (spelled, tries) = match aim {
        Aim::NoProject => return Destination::Medulla,
        Aim::Project { spelled, tries } => (spelled, tries),
        Aim::Written { spelled, exact, otherwise } => {
            let pending = |several, plain| Destination::Pending { spelled: spelled.clone(), several, plain };
            return match world.resolve(exact) {
                Resolution::Here(root) => Destination::Project(root),
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
            Resolution::Here(root) => return Destination::Project(root),
            Resolution::Several(roots) => several = roots,
            Resolution::Plain(folder) => plain = Some(folder),
            Resolution::NotHere => {}
            Resolution::NoProject => continue,
        }
        never = false;
    }
    if never {
        Destination::Medulla
    } else {
        Destination::Pending { spelled: spelled.clone(), several, plain }
    }
}

//! All letters within reach, gathered for one call.

use super::error::LetterError;
use super::floor;
use super::places::Places;
use super::projects::Projects;
use super::unreachable::Unreachable;
use crate::Post;
use brainstem_base::{DiskFault, Fault};
use brainstem_letters::address::ProjectClue;
use brainstem_letters::fate::{Graph, References};
use brainstem_letters::filed_line::filed;
use brainstem_letters::lines::{LetterLines, LetterWithLine, Tail, UnreadableLine};
use brainstem_letters::plan::{self, LetterDestination, Resolution, World};
use brainstem_letters::{Fate, Letter, LetterId};
use brainstem_memory::{Caller, Floor};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// How far to look.
#[derive(Clone, Copy)]
pub(crate) enum Reach<'a> {
    /// The spools, the medulla's box, and the box of this project.
    Near(Option<&'a Path>),
    /// The spools, and every box that is known.
    Everything,
}

/// What one call works with.
pub(crate) struct Desk<'a> {
    pub(crate) projects: Projects,
    pub(crate) places: Places<'a>,
    pub(crate) letters: Vec<Held>,
    at: HashMap<LetterId, usize>,
    /// By the hash of the whole line, which is never shown.
    by_line: HashMap<LetterId, usize>,
    known_as: KnownAs,
    /// The hashes of whole lines that hold a path of this machine, with the ids that their letters are known by. Unlike those of
    /// secrets, these find their letters.
    renamed: HashMap<LetterId, LetterId>,
    /// The letters of each box that was read; none stands for the medulla's.
    pub(crate) boxes: HashMap<Option<PathBuf>, HashSet<LetterId>>,
    pub(crate) bad_lines: Vec<(PathBuf, UnreadableLine)>,
    /// Files whose last line waits for its newline.
    pub(crate) waiting: Vec<PathBuf>,
    pub(crate) unreachable: Vec<Unreachable>,
    /// How many of these are spools; they stand first.
    lost_spools: usize,
    references: References,
    tools: Vec<String>,
    pub(crate) floor: Floor,
}

/// The letters that hold a secret: the hash of each whole line, which older programs showed as its id, and the id it is
/// known by since.
#[derive(Default)]
struct KnownAs {
    ids: HashMap<LetterId, LetterId>,
    /// How many letters have the same left of them without their secrets.
    counts: HashMap<String, usize>,
}

/// The rule that keeps a line in the spool which answers a letter by the hash of a line that holds a secret.
pub(crate) const FORMER_ID: &str = "former_letter_id";

/// A letter, and where it lies.
pub(crate) struct Held {
    pub(crate) lettered: LetterWithLine,
    pub(crate) in_spool: bool,
}

/// Whether the floor is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// It is: what must not be committed is refused.
    Floor,
    /// It is not: the place is wanted alone.
    Place,
}

impl Post {
    /// Gathers letters. What cannot be read is named.
    pub(crate) fn letter_desk(
        &self,
        caller: Option<&Caller>,
        reach: Reach<'_>,
    ) -> Result<Desk<'_>, LetterError> {
        let projects = self.projects()?;
        let places = Places::new(self, &projects, caller)?;
        let home = self.memory().home();
        let tools = self.tools().iter().chain(&projects.own_tools).cloned().collect();
        let mut desk = Desk {
            places,
            letters: Vec::new(),
            at: HashMap::new(),
            by_line: HashMap::new(),
            known_as: KnownAs::default(),
            renamed: HashMap::new(),
            boxes: HashMap::new(),
            bad_lines: Vec::new(),
            waiting: Vec::new(),
            unreachable: Vec::new(),
            lost_spools: 0,
            references: home.letter_references().read()?,
            tools,
            projects,
            floor: self.memory().floor(),
        };
        let spool = home.spool();
        desk.take_spool(spool.path().to_owned(), spool.read().map_err(told));
        for path in desk.projects.spools.clone() {
            let read = match self.disk().read(&path, super::limits::IMPORT_LEN_MAX) {
                Ok(bytes) => Ok(LetterLines::read(&bytes, Tail::Waits)),
                Err(error) if error.fault() == DiskFault::NotFound => Err("there is no such file".to_owned()),
                Err(error) => Err(told(brainstem_vault::StoreError::disk("cannot read the letters")(error))),
            };
            desk.take_spool(path, read);
        }
        let mut boxes: Vec<Option<PathBuf>> = vec![None];
        match reach {
            Reach::Near(root) => boxes.extend(root.map(|root| Some(root.to_owned()))),
            Reach::Everything => {
                // A brain whose folder is gone may have had a box: it is named, not passed over.
                let gone = desk.places.brains.iter().map(|brain| brain.root.clone());
                let all: BTreeSet<PathBuf> = desk.places.roots().into_iter().chain(gone).collect();
                boxes.extend(all.into_iter().map(Some));
            }
        }
        for root in boxes {
            desk.take_box(self, root);
        }
        if matches!(reach, Reach::Everything) {
            // A letter may name a folder that nobody was seen in yet.
            let ends: BTreeSet<PathBuf> = desk
                .ends(Ask::Place)
                .into_iter()
                .filter_map(|(_, end, _)| end.boxed()?.map(Path::to_owned))
                .collect();
            let is_tried = |root: &PathBuf| {
                let path = self.memory().home().letter_box(Some(root)).path().to_owned();
                desk.boxes.contains_key(&Some(root.clone()))
                    || desk.unreachable.iter().any(|lost| lost.path == path)
            };
            let new: Vec<PathBuf> = ends.into_iter().filter(|root| !is_tried(root)).collect();
            for root in new {
                desk.take_box(self, Some(root));
            }
        }
        desk.know_answers();
        Ok(desk)
    }
}

impl<'a> Desk<'a> {
    fn take_spool(&mut self, path: PathBuf, read: Result<LetterLines, String>) {
        match read {
            Ok(lines) => {
                if lines.waiting {
                    self.waiting.push(path.clone());
                }
                self.take(&path, lines, None);
            }
            Err(why) => {
                self.lost_spools += 1;
                self.unreachable.push(Unreachable { path, why });
            }
        }
    }

    /// Why nobody can say what a box has: it, or a spool that may hold letters for it, cannot be read.
    pub(crate) fn lost(&self, box_path: &Path) -> Option<&Unreachable> {
        let (spools, boxes) = self.unreachable.split_at(self.lost_spools);
        boxes.iter().find(|lost| lost.path == box_path).or(spools.first())
    }

    /// What cannot be read and may hold letters of a box with these letters: a spool, and where the box has letters every
    /// box that may hold an answer to one of them. A project that is gone may have had a box where a letter names it.
    pub(crate) fn lost_to(&self, ids: &HashSet<LetterId>) -> Vec<Unreachable> {
        let (spools, boxes) = self.unreachable.split_at(self.lost_spools);
        let boxes = boxes.iter().filter(|lost| !ids.is_empty() && self.may_have_letters(lost));
        spools.iter().chain(boxes).cloned().collect()
    }

    fn may_have_letters(&self, lost: &Unreachable) -> bool {
        let Some(brain) = self.places.gone_at(&lost.path) else { return true };
        let origin = brain.origin();
        let of_brain = |name: &String| *name == origin || *name == brain.manifest.name.as_str();
        let of_folder = |repo: &String| Path::new(repo.trim()).file_name() == brain.root.file_name();
        let names = |letter: &Letter| {
            letter.brain.as_ref().is_some_and(of_brain) || letter.repo.as_ref().is_some_and(of_folder)
        };
        self.letters.iter().any(|held| names(&held.lettered.letter))
    }

    fn take_box(&mut self, post: &Post, root: Option<PathBuf>) {
        let letter_box = post.memory().home().letter_box(root.as_deref());
        match letter_box.read() {
            Ok(lines) => self.take(letter_box.path(), lines, Some(root)),
            Err(error) => {
                let why = told(error);
                self.unreachable.push(Unreachable { path: letter_box.path().to_owned(), why });
            }
        }
    }

    fn take(&mut self, path: &Path, lines: LetterLines, of_box: Option<Option<PathBuf>>) {
        self.bad_lines.extend(lines.unreadable.into_iter().map(|line| (path.to_owned(), line)));
        let in_spool = of_box.is_none();
        let mut ids = HashSet::new();
        for mut lettered in lines.letters {
            let of_line = lettered.letter.of_whole_line().clone();
            if let Some(at) =
                self.by_line.get(&of_line).copied().or_else(|| self.filed_at(&lettered.letter, in_spool))
            {
                let held = &mut self.letters[at];
                held.in_spool |= in_spool;
                ids.insert(held.lettered.letter.id.clone());
                continue;
            }
            if let Some(left) = floor::left_of(&self.floor, &lettered.line) {
                lettered.letter.id = self.known_as.name(of_line.clone(), left);
            } else if lettered.letter.former.is_some() {
                self.renamed.insert(of_line.clone(), lettered.letter.id.clone());
            }
            let at = self.letters.len();
            ids.insert(lettered.letter.id.clone());
            self.by_line.insert(of_line, at);
            self.at.entry(lettered.letter.id.clone()).or_insert(at);
            self.letters.push(Held { lettered, in_spool });
        }
        if let Some(root) = of_box {
            self.boxes.insert(root, ids);
        }
    }

    /// The letter that a line was filed of, or that was filed of it: one of the two holds no path of this machine. Two lines of
    /// spools with different paths are two letters, though they are filed alike.
    fn filed_at(&self, letter: &Letter, in_spool: bool) -> Option<usize> {
        let at = *self.at.get(&letter.id)?;
        let known = &self.letters[at].lettered.letter;
        let is_one = !in_spool || letter.former.is_none() || known.former.is_none();
        is_one.then_some(at)
    }

    /// Reads answers by the ids that letters are known by. Older receipts name a letter by the hash of its whole line; an id
    /// that no letter had when the answer was written is a guess at such a hash, and finds none.
    fn know_answers(&mut self) {
        let Self { known_as, renamed, letters, references, .. } = self;
        if known_as.ids.is_empty() && renamed.is_empty() {
            return;
        }
        for letter in letters.iter_mut().map(|held| &mut held.lettered.letter) {
            let of_secret = |id: &LetterId| known_as.ids.get(id).filter(|_| !letter.unknown_answers);
            for answer in &mut letter.answers {
                let now = LetterId::parse(answer).and_then(|id| of_secret(&id).or_else(|| renamed.get(&id)));
                if let Some(id) = now {
                    *answer = id.to_string();
                }
            }
        }
        let current =
            |id: LetterId| known_as.ids.get(&id).or_else(|| renamed.get(&id)).cloned().unwrap_or(id);
        *references = std::mem::take(references)
            .into_iter()
            .map(|(id, answers)| (current(id), answers.into_iter().map(current).collect()))
            .collect();
    }

    /// The id that a letter is known by, where this is the hash of its whole line; any other id as it is.
    pub(crate) fn current(&self, id: LetterId) -> LetterId {
        self.known_as.ids.get(&id).or_else(|| self.renamed.get(&id)).cloned().unwrap_or(id)
    }

    /// The hash of the whole line of a letter that is known by another id.
    pub(crate) fn former(&self, id: &LetterId) -> Option<&LetterId> {
        let all = self.known_as.ids.iter().chain(&self.renamed);
        all.into_iter().find(|(_, known)| *known == id).map(|(former, _)| former)
    }

    /// The answers among all letters.
    pub(crate) fn graph(&self) -> Graph<'_> {
        Graph::new(self.letters.iter().map(|held| &held.lettered.letter), &self.references)
            .knowing_own(|id| self.is_of_this_home(id))
    }

    /// Whether a letter was written through this home, or lies in it: no pull reaches the spools and the medulla's box.
    pub(crate) fn is_of_this_home(&self, id: &LetterId) -> bool {
        self.held(id).is_some_and(|held| held.in_spool)
            || self.boxes.get(&None).is_some_and(|ids| ids.contains(id))
    }

    /// What became of a letter.
    pub(crate) fn fate(&self, graph: &Graph<'_>, letter: &Letter) -> Fate {
        graph.fate(letter, &|tool| is_own(tool, &self.tools))
    }

    /// The answers that old letters have in prose.
    pub(crate) fn referred(&self, id: &LetterId) -> &[LetterId] {
        self.references.get(id).map_or(&[], Vec::as_slice)
    }

    /// A letter that was gathered.
    pub(crate) fn held(&self, id: &LetterId) -> Option<&Held> {
        self.at.get(self.renamed.get(id).unwrap_or(id)).map(|at| &self.letters[*at])
    }

    /// The line of a letter.
    pub(crate) fn line(&self, id: &LetterId) -> Option<&[u8]> {
        self.held(id).map(|held| held.lettered.line.as_slice())
    }

    /// The boxes that hold a letter; none stands for the medulla's.
    pub(crate) fn boxes_of(&self, id: &LetterId) -> Vec<&Option<PathBuf>> {
        let mut boxes: Vec<_> =
            self.boxes.iter().filter(|(_, ids)| ids.contains(id)).map(|(root, _)| root).collect();
        boxes.sort();
        boxes
    }

    /// Where each letter of the spools ends, and whether it lies there already.
    pub(crate) fn ends(&mut self, ask: Ask) -> Vec<(LetterId, LetterDestination, bool)> {
        let spooled = self.letters.iter().filter(|held| held.in_spool).map(|held| &held.lettered);
        let mut world = DeskWorld {
            places: &mut self.places,
            boxes: &self.boxes,
            ask,
            floor: &self.floor,
            known_as: &self.known_as,
        };
        let planned = plan::plan(spooled, &self.projects.words, &mut world);
        let ends = planned.into_iter().map(|one| (one.letter.letter.id.clone(), one.destination, one.held));
        // Lines of which the same is filed in the same box are one letter there.
        let mut known: HashSet<(LetterId, Option<Option<PathBuf>>)> = HashSet::new();
        ends.filter(|(id, end, _)| {
            let to = end.boxed().map(|root| root.map(Path::to_owned));
            to.is_none() || known.insert((id.clone(), to))
        })
        .collect()
    }

    /// Letters with their fates, each once by its id, newest first; those without a time come last.
    pub(crate) fn fated<'d>(
        &'d self,
        graph: &Graph<'_>,
        wanted: impl Fn(&LetterId) -> bool,
    ) -> Vec<(&'d Letter, Fate)> {
        let letters = self.letters.iter().map(|held| &held.lettered.letter);
        let mut letters: Vec<&Letter> = letters.filter(|letter| wanted(&letter.id)).collect();
        letters.sort_by_cached_key(|letter| (std::cmp::Reverse(letter.at()), &letter.id));
        letters.dedup_by(|one, other| one.id == other.id);
        letters.into_iter().map(|letter| (letter, self.fate(graph, letter))).collect()
    }

    /// The letters of each box, with those that the spools have for it.
    pub(crate) fn meant_for_boxes(&mut self) -> HashMap<Option<PathBuf>, HashSet<LetterId>> {
        let ends = self.ends(Ask::Place);
        let mut boxes = self.boxes.clone();
        for (id, end, _) in ends {
            if let Some(root) = end.boxed() {
                boxes.entry(root.map(Path::to_owned)).or_default().insert(id);
            }
        }
        boxes
    }

    /// The letters of one box, with those that the spools have for it.
    pub(crate) fn of_box(&mut self, root: Option<&Path>) -> HashSet<LetterId> {
        self.meant_for_boxes().remove(&root.map(Path::to_owned)).unwrap_or_default()
    }
}

struct DeskWorld<'b, 'a> {
    places: &'b mut Places<'a>,
    boxes: &'b HashMap<Option<PathBuf>, HashSet<LetterId>>,
    ask: Ask,
    floor: &'b Floor,
    known_as: &'b KnownAs,
}

impl KnownAs {
    /// The id of a letter that holds a secret, from what is left of its line.
    fn name(&mut self, of_line: LetterId, left: String) -> LetterId {
        let count = self.counts.entry(left.clone()).or_default();
        *count += 1;
        let id = LetterId::of_masked(&left, *count);
        self.ids.insert(of_line, id.clone());
        id
    }

    /// Whether a line answers a letter by the hash of a line that holds a secret.
    fn is_answered_in(&self, line: &[u8]) -> bool {
        let counts = |letter: Letter| {
            !letter.unknown_answers && letter.answered().any(|id| self.ids.contains_key(&id))
        };
        !self.ids.is_empty() && Letter::parse(line).is_ok_and(counts)
    }
}

impl World for DeskWorld<'_, '_> {
    fn resolve(&mut self, wanted: &ProjectClue) -> Resolution {
        self.places.resolve(wanted)
    }

    fn holds(&mut self, root: Option<&Path>, id: &LetterId) -> bool {
        self.boxes.get(&root.map(Path::to_owned)).is_some_and(|ids| ids.contains(id))
    }

    fn holder(&mut self, id: &LetterId) -> Option<PathBuf> {
        let mut roots: Vec<&PathBuf> = self
            .boxes
            .iter()
            .filter(|(_, ids)| ids.contains(id))
            .filter_map(|(root, _)| root.as_ref())
            .collect();
        roots.sort();
        roots.first().map(|root| (*root).clone())
    }

    fn refuses(&mut self, line: &[u8]) -> Option<&'static str> {
        match self.ask {
            Ask::Floor => {
                let caught = |line: &[u8]| floor::caught(self.floor, line).map(|kind| kind.id);
                let caught = caught(line).or_else(|| filed(line).and_then(|filed| caught(&filed)));
                caught.or_else(|| self.known_as.is_answered_in(line).then_some(FORMER_ID))
            }
            Ask::Place => None,
        }
    }
}

/// Whether a tool is this system's: named so, or one of its tools.
fn is_own(tool: &str, tools: &[String]) -> bool {
    let tool = tool.trim().to_lowercase();
    let is_system = |part: &str| ["brainstem", "m1nd"].contains(&part);
    let first = tool.split_whitespace().next().unwrap_or_default();
    tool.split(|sign: char| !sign.is_alphanumeric()).any(is_system)
        || tools.iter().any(|own| [first, tool.as_str()].contains(&own.as_str()))
}

/// What is wrong with a file, with its causes.
fn told(error: brainstem_vault::StoreError) -> String {
    Fault::from(error).message
}

#[cfg(test)]
mod tests {
    use super::is_own;

    #[test] // spec: LTR-10
    fn a_tool_is_own_by_its_name_or_by_the_name_of_this_system() {
        let tools = ["seek".to_owned(), "mail_send".to_owned()];
        for own in
            ["seek", "Seek --tier medulla", "brainstem", "mcp__brainstem__north", "m1nd.seek", "mail_send"]
        {
            assert!(is_own(own, &tools), "{own}");
        }
        for other in ["context7", "seeker", "grep seek", "brainstems"] {
            assert!(!is_own(other, &tools), "{other}");
        }
    }
}

//! All letters within reach, gathered for one call.

use super::error::LetterError;
use super::floor;
use super::known_projects::KnownProjects;
use super::projects_file::ProjectsFile;
use super::unreachable::UnreachableFile;
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

/// Which boxes a call reads.
#[derive(Clone, Copy)]
pub(crate) enum LetterReach<'a> {
    /// The spools, the medulla's box, and the box of this project.
    Near(Option<&'a Path>),
    /// The spools, and every box that is known.
    Everything,
}

/// The letters that one call works with.
pub(crate) struct GatheredLetters<'a> {
    pub(crate) projects_file: ProjectsFile,
    pub(crate) known_projects: KnownProjects<'a>,
    pub(crate) letters: Vec<GatheredLetter>,
    at: HashMap<LetterId, usize>,
    /// The place of a letter by the hash of its whole line. That hash is never shown.
    by_line: HashMap<LetterId, usize>,
    secret_ids: SecretLetterIds,
    /// The hashes of whole lines that hold a path of this machine, each with the id of its letter. An answer may name a letter
    /// by such a hash, unlike by the hash of a line that holds a secret.
    path_ids: HashMap<LetterId, LetterId>,
    /// The letters of each box that was read; `None` is the medulla's box.
    pub(crate) boxes: HashMap<Option<PathBuf>, HashSet<LetterId>>,
    pub(crate) bad_lines: Vec<(PathBuf, UnreadableLine)>,
    /// Files whose last line has no newline yet.
    pub(crate) waiting: Vec<PathBuf>,
    pub(crate) unreachable: Vec<UnreachableFile>,
    /// The number of spools in `unreachable`; they come first.
    unreachable_spools: usize,
    references: References,
    tools: Vec<String>,
    pub(crate) floor: Floor,
}

/// The letters that hold a secret: the hash of each whole line, which older programs showed as the id, and the id that the
/// letter has now.
#[derive(Default)]
struct SecretLetterIds {
    ids: HashMap<LetterId, LetterId>,
    /// How many letters have the same text once their secrets are taken out.
    counts: HashMap<String, usize>,
}

/// The rule that keeps a line in the spool because it answers a letter by the hash of a line that holds a secret.
pub(crate) const FORMER_ID: &str = "former_letter_id";

/// A letter with its line, and whether a spool has it.
pub(crate) struct GatheredLetter {
    pub(crate) with_line: LetterWithLine,
    pub(crate) in_spool: bool,
}

/// Whether the floor is asked about each line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FloorCheck {
    /// A line that must not be committed is refused.
    Applied,
    /// Only the destination is wanted.
    Skipped,
}

impl Post {
    /// Gathers letters. Files that cannot be read are listed in `unreachable`.
    pub(crate) fn gather_letters(
        &self,
        caller: Option<&Caller>,
        reach: LetterReach<'_>,
    ) -> Result<GatheredLetters<'_>, LetterError> {
        let projects_file = self.projects_file()?;
        let known_projects = KnownProjects::new(self, &projects_file, caller)?;
        let home = self.memory().home();
        let tools = self.tools().iter().chain(&projects_file.own_tools).cloned().collect();
        let mut gathered = GatheredLetters {
            known_projects,
            letters: Vec::new(),
            at: HashMap::new(),
            by_line: HashMap::new(),
            secret_ids: SecretLetterIds::default(),
            path_ids: HashMap::new(),
            boxes: HashMap::new(),
            bad_lines: Vec::new(),
            waiting: Vec::new(),
            unreachable: Vec::new(),
            unreachable_spools: 0,
            references: home.letter_references().read()?,
            tools,
            projects_file,
            floor: self.memory().floor(),
        };
        let spool = home.spool();
        gathered.take_spool(spool.path().to_owned(), spool.read().map_err(with_causes));
        for path in gathered.projects_file.spools.clone() {
            let read = match self.disk().read(&path, super::limits::IMPORT_LEN_MAX) {
                Ok(bytes) => Ok(LetterLines::read(&bytes, Tail::Waits)),
                Err(error) if error.fault() == DiskFault::NotFound => Err("there is no such file".to_owned()),
                Err(error) => {
                    Err(with_causes(brainstem_vault::StoreError::disk("cannot read the letters")(error)))
                }
            };
            gathered.take_spool(path, read);
        }
        let mut boxes: Vec<Option<PathBuf>> = vec![None];
        match reach {
            LetterReach::Near(root) => boxes.extend(root.map(|root| Some(root.to_owned()))),
            LetterReach::Everything => {
                // A brain whose folder is gone may have had a box, so that box is listed as unreachable.
                let gone = gathered.known_projects.brains.iter().map(|brain| brain.root.clone());
                let all: BTreeSet<PathBuf> =
                    gathered.known_projects.roots().into_iter().chain(gone).collect();
                boxes.extend(all.into_iter().map(Some));
            }
        }
        for root in boxes {
            gathered.take_box(self, root);
        }
        if matches!(reach, LetterReach::Everything) {
            // A letter may name a folder that no caller was seen in yet.
            let ends: BTreeSet<PathBuf> = gathered
                .destinations(FloorCheck::Skipped)
                .into_iter()
                .filter_map(|(_, end, _)| end.boxed()?.map(Path::to_owned))
                .collect();
            let is_tried = |root: &PathBuf| {
                let path = self.memory().home().letter_box(Some(root)).path().to_owned();
                gathered.boxes.contains_key(&Some(root.clone()))
                    || gathered.unreachable.iter().any(|lost| lost.path == path)
            };
            let new: Vec<PathBuf> = ends.into_iter().filter(|root| !is_tried(root)).collect();
            for root in new {
                gathered.take_box(self, Some(root));
            }
        }
        gathered.use_current_ids();
        Ok(gathered)
    }
}

impl<'a> GatheredLetters<'a> {
    fn take_spool(&mut self, path: PathBuf, read: Result<LetterLines, String>) {
        match read {
            Ok(lines) => {
                if lines.waiting {
                    self.waiting.push(path.clone());
                }
                self.take(&path, lines, None);
            }
            Err(why) => {
                self.unreachable_spools += 1;
                self.unreachable.push(UnreachableFile { path, why });
            }
        }
    }

    /// The file that keeps the content of a box from being known: the box itself, or a spool that may hold
    /// letters for it. `None` if all of them were read.
    pub(crate) fn unreachable_for(&self, box_path: &Path) -> Option<&UnreachableFile> {
        let (spools, boxes) = self.unreachable.split_at(self.unreachable_spools);
        boxes.iter().find(|lost| lost.path == box_path).or(spools.first())
    }

    /// The files that could not be read and may hold letters of a box with these letters: every spool and, if the box has
    /// letters, every box that may hold an answer to one. A box of a project that is gone counts only if a letter names that
    /// project.
    pub(crate) fn unreachable_for_letters(&self, ids: &HashSet<LetterId>) -> Vec<UnreachableFile> {
        let (spools, boxes) = self.unreachable.split_at(self.unreachable_spools);
        let boxes = boxes.iter().filter(|lost| !ids.is_empty() && self.may_have_letters(lost));
        spools.iter().chain(boxes).cloned().collect()
    }

    fn may_have_letters(&self, lost: &UnreachableFile) -> bool {
        let Some(brain) = self.known_projects.gone_brain_of(&lost.path) else { return true };
        let origin = brain.origin();
        let of_brain = |name: &String| *name == origin || *name == brain.manifest.name.as_str();
        let of_folder = |repo: &String| Path::new(repo.trim()).file_name() == brain.root.file_name();
        let names = |letter: &Letter| {
            letter.brain.as_ref().is_some_and(of_brain) || letter.repo.as_ref().is_some_and(of_folder)
        };
        self.letters.iter().any(|held| names(&held.with_line.letter))
    }

    fn take_box(&mut self, post: &Post, root: Option<PathBuf>) {
        let letter_box = post.memory().home().letter_box(root.as_deref());
        match letter_box.read() {
            Ok(lines) => self.take(letter_box.path(), lines, Some(root)),
            Err(error) => {
                let why = with_causes(error);
                self.unreachable.push(UnreachableFile { path: letter_box.path().to_owned(), why });
            }
        }
    }

    fn take(&mut self, path: &Path, lines: LetterLines, of_box: Option<Option<PathBuf>>) {
        self.bad_lines.extend(lines.unreadable.into_iter().map(|line| (path.to_owned(), line)));
        let in_spool = of_box.is_none();
        let mut ids = HashSet::new();
        for mut with_line in lines.letters {
            let of_line = with_line.letter.of_whole_line().clone();
            if let Some(at) =
                self.by_line.get(&of_line).copied().or_else(|| self.filed_at(&with_line.letter, in_spool))
            {
                let held = &mut self.letters[at];
                held.in_spool |= in_spool;
                ids.insert(held.with_line.letter.id.clone());
                continue;
            }
            if let Some(left) = floor::without_secrets(&self.floor, &with_line.line) {
                with_line.letter.id = self.secret_ids.name(of_line.clone(), left);
            } else if with_line.letter.former.is_some() {
                self.path_ids.insert(of_line.clone(), with_line.letter.id.clone());
            }
            let at = self.letters.len();
            ids.insert(with_line.letter.id.clone());
            self.by_line.insert(of_line, at);
            self.at.entry(with_line.letter.id.clone()).or_insert(at);
            self.letters.push(GatheredLetter { with_line, in_spool });
        }
        if let Some(root) = of_box {
            self.boxes.insert(root, ids);
        }
    }

    /// The place of the letter that this line was filed from, or that was filed from this line: one of the two has no path of
    /// this machine. Two lines of spools with different paths are two letters, even if their filed lines are equal.
    fn filed_at(&self, letter: &Letter, in_spool: bool) -> Option<usize> {
        let at = *self.at.get(&letter.id)?;
        let known = &self.letters[at].with_line.letter;
        let is_one = !in_spool || letter.former.is_none() || known.former.is_none();
        is_one.then_some(at)
    }

    /// Replaces the former ids in answers by the ids that the letters have now. Older receipts name a letter by the hash of its
    /// whole line. If an answer was marked unknown when it was written, such a hash of a secret is a guess, and is left as it
    /// is.
    fn use_current_ids(&mut self) {
        let Self { secret_ids, path_ids, letters, references, .. } = self;
        if secret_ids.ids.is_empty() && path_ids.is_empty() {
            return;
        }
        for letter in letters.iter_mut().map(|held| &mut held.with_line.letter) {
            let of_secret = |id: &LetterId| secret_ids.ids.get(id).filter(|_| !letter.unknown_answers);
            for answer in &mut letter.answers {
                let now = LetterId::parse(answer).and_then(|id| of_secret(&id).or_else(|| path_ids.get(&id)));
                if let Some(id) = now {
                    *answer = id.to_string();
                }
            }
        }
        let current =
            |id: LetterId| secret_ids.ids.get(&id).or_else(|| path_ids.get(&id)).cloned().unwrap_or(id);
        *references = std::mem::take(references)
            .into_iter()
            .map(|(id, answers)| (current(id), answers.into_iter().map(current).collect()))
            .collect();
    }

    /// The id that a letter has now, if this is the hash of its whole line; any other id unchanged.
    pub(crate) fn current(&self, id: LetterId) -> LetterId {
        self.secret_ids.ids.get(&id).or_else(|| self.path_ids.get(&id)).cloned().unwrap_or(id)
    }

    /// The hash of the whole line of a letter that has another id now.
    pub(crate) fn former(&self, id: &LetterId) -> Option<&LetterId> {
        let all = self.secret_ids.ids.iter().chain(&self.path_ids);
        all.into_iter().find(|(_, known)| *known == id).map(|(former, _)| former)
    }

    /// The answers among all letters.
    pub(crate) fn graph(&self) -> Graph<'_> {
        Graph::new(self.letters.iter().map(|held| &held.with_line.letter), &self.references)
            .knowing_own(|id| self.is_of_this_home(id))
    }

    /// Whether a letter was written through this home, or is in it: no pull reaches the spools and the medulla's box.
    pub(crate) fn is_of_this_home(&self, id: &LetterId) -> bool {
        self.get(id).is_some_and(|held| held.in_spool)
            || self.boxes.get(&None).is_some_and(|ids| ids.contains(id))
    }

    /// The fate of a letter.
    pub(crate) fn fate(&self, graph: &Graph<'_>, letter: &Letter) -> Fate {
        graph.fate(letter, &|tool| is_own(tool, &self.tools))
    }

    /// The letters that an old letter answers in prose.
    pub(crate) fn referred(&self, id: &LetterId) -> &[LetterId] {
        self.references.get(id).map_or(&[], Vec::as_slice)
    }

    /// A letter that was gathered.
    pub(crate) fn get(&self, id: &LetterId) -> Option<&GatheredLetter> {
        self.at.get(self.path_ids.get(id).unwrap_or(id)).map(|at| &self.letters[*at])
    }

    /// The line of a letter.
    pub(crate) fn line(&self, id: &LetterId) -> Option<&[u8]> {
        self.get(id).map(|held| held.with_line.line.as_slice())
    }

    /// The boxes that hold a letter; `None` is the medulla's box.
    pub(crate) fn boxes_of(&self, id: &LetterId) -> Vec<&Option<PathBuf>> {
        let mut boxes: Vec<_> =
            self.boxes.iter().filter(|(_, ids)| ids.contains(id)).map(|(root, _)| root).collect();
        boxes.sort();
        boxes
    }

    /// The destination of each letter of the spools, and whether it is there already.
    pub(crate) fn destinations(&mut self, ask: FloorCheck) -> Vec<(LetterId, LetterDestination, bool)> {
        let spooled = self.letters.iter().filter(|held| held.in_spool).map(|held| &held.with_line);
        let mut world = DeskWorld {
            known_projects: &mut self.known_projects,
            boxes: &self.boxes,
            ask,
            floor: &self.floor,
            secret_ids: &self.secret_ids,
        };
        let planned = plan::plan(spooled, &self.projects_file.words, &mut world);
        let ends = planned.into_iter().map(|one| (one.letter.letter.id.clone(), one.destination, one.held));
        // Lines that become the same filed line in the same box are one letter there.
        let mut known: HashSet<(LetterId, Option<Option<PathBuf>>)> = HashSet::new();
        ends.filter(|(id, end, _)| {
            let to = end.boxed().map(|root| root.map(Path::to_owned));
            to.is_none() || known.insert((id.clone(), to))
        })
        .collect()
    }

    /// Letters with their fates, each once by its id, newest first; those without a time come last.
    pub(crate) fn with_fates<'d>(
        &'d self,
        graph: &Graph<'_>,
        wanted: impl Fn(&LetterId) -> bool,
    ) -> Vec<(&'d Letter, Fate)> {
        let letters = self.letters.iter().map(|held| &held.with_line.letter);
        let mut letters: Vec<&Letter> = letters.filter(|letter| wanted(&letter.id)).collect();
        letters.sort_by_cached_key(|letter| (std::cmp::Reverse(letter.at()), &letter.id));
        letters.dedup_by(|one, other| one.id == other.id);
        letters.into_iter().map(|letter| (letter, self.fate(graph, letter))).collect()
    }

    /// The letters of each box, with those in the spools that belong in it.
    pub(crate) fn meant_for_boxes(&mut self) -> HashMap<Option<PathBuf>, HashSet<LetterId>> {
        let ends = self.destinations(FloorCheck::Skipped);
        let mut boxes = self.boxes.clone();
        for (id, end, _) in ends {
            if let Some(root) = end.boxed() {
                boxes.entry(root.map(Path::to_owned)).or_default().insert(id);
            }
        }
        boxes
    }

    /// The letters of one box, with those in the spools that belong in it.
    pub(crate) fn of_box(&mut self, root: Option<&Path>) -> HashSet<LetterId> {
        self.meant_for_boxes().remove(&root.map(Path::to_owned)).unwrap_or_default()
    }
}

struct DeskWorld<'b, 'a> {
    known_projects: &'b mut KnownProjects<'a>,
    boxes: &'b HashMap<Option<PathBuf>, HashSet<LetterId>>,
    ask: FloorCheck,
    floor: &'b Floor,
    secret_ids: &'b SecretLetterIds,
}

impl SecretLetterIds {
    /// Returns an id for a letter that holds a secret, made from its line without the secrets.
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
        self.known_projects.resolve(wanted)
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
            FloorCheck::Applied => {
                let forbidden_by = |line: &[u8]| floor::forbidden_by(self.floor, line).map(|kind| kind.id);
                let forbidden_by =
                    forbidden_by(line).or_else(|| filed(line).and_then(|filed| forbidden_by(&filed)));
                forbidden_by.or_else(|| self.secret_ids.is_answered_in(line).then_some(FORMER_ID))
            }
            FloorCheck::Skipped => None,
        }
    }
}

/// Whether a tool belongs to this system: by its name, or because it is in the list.
fn is_own(tool: &str, tools: &[String]) -> bool {
    let tool = tool.trim().to_lowercase();
    let is_system = |part: &str| ["brainstem", "m1nd"].contains(&part);
    let first = tool.split_whitespace().next().unwrap_or_default();
    tool.split(|sign: char| !sign.is_alphanumeric()).any(is_system)
        || tools.iter().any(|own| [first, tool.as_str()].contains(&own.as_str()))
}

/// The message of an error with its causes.
fn with_causes(error: brainstem_vault::StoreError) -> String {
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

//! `distribute` files each letter of the spool in the box where it belongs. A second run changes nothing.

use super::error::LetterError;
use super::floor;
use super::gathered::{FloorCheck, GatheredLetters, LetterReach};
use super::unreachable::UnreachableFile;
use crate::Post;
use brainstem_base::Fault;
use brainstem_letters::LetterId;
use brainstem_letters::filed_line::filed;
use brainstem_letters::plan::LetterDestination;
use brainstem_memory::Caller;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// What a distribution did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Each letter that was not in its box before, with what became of it, in the order of the spool.
    pub letters: Vec<DistributedLetter>,
    /// How many were in their boxes before.
    pub unchanged: usize,
    /// Boxes that could not be read or written; their letters stay in the spool.
    pub unreachable: Vec<UnreachableFile>,
    /// Boxes that this run made in repositories and that git sees: the next commit may publish them.
    pub exposed: Vec<PathBuf>,
    /// Lines that are no letters.
    pub unreadable: usize,
    /// Files whose last line has no newline yet.
    pub waiting: usize,
}

/// What became of one letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistributedLetter {
    /// The letter.
    pub id: LetterId,
    /// What became of it.
    pub end: LetterEnd,
}

/// What becomes of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LetterEnd {
    /// It is filed in this box.
    Filed(PathBuf),
    /// It waits for its project.
    Pending {
        /// As the letter spells it.
        spelled: String,
        /// The projects that share the name, if that is the reason.
        several: Vec<PathBuf>,
        /// The folder that exists and is not a project, if that is the reason.
        plain: Option<PathBuf>,
    },
    /// It stays in the spool alone.
    Refused {
        /// The rule that caught it.
        rule: &'static str,
    },
    /// Its box could not be written.
    Failed(PathBuf),
}

/// Whether letters are filed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filing {
    /// Nothing is written: the answer says what a real run would do.
    DryRun,
    /// Missing letters are written to their boxes and to the spool.
    Real,
}

impl Distribution {
    /// How many letters this predicate holds for.
    pub fn count(&self, is: impl Fn(&LetterEnd) -> bool) -> usize {
        self.letters.iter().filter(|letter| is(&letter.end)).count()
    }

    fn fail(&mut self, numbers: &[usize], path: &Path) {
        for at in numbers {
            self.letters[*at].end = LetterEnd::Failed(path.to_owned());
        }
    }
}

impl Post {
    /// Plans where every letter of the spools belongs. Unless it is a dry run, files the letters that their boxes lack.
    pub fn distribute(
        &self,
        caller: &Caller,
        filing: Filing,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Distribution, LetterError> {
        let home = self.memory().home();
        if filing == Filing::Real {
            home.ensure()?;
        }
        let mut gathered = self.gather_letters(Some(caller), LetterReach::Everything)?;
        let spool = home.spool();
        if let Some(lost) = gathered.unreachable.iter().find(|lost| lost.path == spool.path()) {
            // A distribution that could not read the spool filed nothing, so it is an error.
            let (path, why) = (lost.path.clone(), lost.why.clone());
            return Err(LetterError::SpoolUnreadable { path, why });
        }
        let ends = gathered.destinations(FloorCheck::Applied);
        let mut done = Distribution {
            unreadable: gathered.bad_lines.len(),
            waiting: gathered.waiting.len(),
            unreachable: std::mem::take(&mut gathered.unreachable),
            ..Distribution::default()
        };
        let mut boxes: BTreeMap<Option<PathBuf>, Vec<usize>> = BTreeMap::new();
        for (id, destination, held) in ends {
            if held {
                done.unchanged += 1;
                continue;
            }
            let end = match destination {
                LetterDestination::Pending { spelled, several, plain } => {
                    LetterEnd::Pending { spelled: floor::spelled(&gathered.floor, &spelled), several, plain }
                }
                LetterDestination::Refused { rule } => LetterEnd::Refused { rule },
                LetterDestination::Project(root) => {
                    boxes.entry(Some(root.clone())).or_default().push(done.letters.len());
                    LetterEnd::Filed(home.letter_box(Some(&root)).path().to_owned())
                }
                LetterDestination::Medulla => {
                    boxes.entry(None).or_default().push(done.letters.len());
                    LetterEnd::Filed(home.letter_box(None).path().to_owned())
                }
            };
            done.letters.push(DistributedLetter { id, end });
        }
        let (total, mut there) = (boxes.len(), HashSet::new());
        for (at, (root, numbers)) in boxes.into_iter().enumerate() {
            if filing == Filing::DryRun {
                // A dry run promises no write that is known to fail.
                let path = home.letter_box(root.as_deref()).path().to_owned();
                if done.unreachable.iter().any(|known| known.path == path) {
                    done.fail(&numbers, &path);
                }
                continue;
            }
            let new = self.fill(&gathered, root, &numbers, &mut done);
            there
                .extend(numbers.iter().map(|at| done.letters[*at].id.clone()).filter(|id| !new.contains(id)));
            progress(at + 1, total);
        }
        // Letters that another run filed meanwhile do not count as filed by this one.
        let before = done.letters.len();
        done.letters
            .retain(|letter| !matches!(letter.end, LetterEnd::Filed(_)) || !there.contains(&letter.id));
        done.unchanged += before - done.letters.len();
        Ok(done)
    }

    /// Files letters in one box, and returns those that the box did not have. A box that cannot be written does
    /// not stop the others.
    fn fill(
        &self,
        gathered: &GatheredLetters<'_>,
        root: Option<PathBuf>,
        numbers: &[usize],
        done: &mut Distribution,
    ) -> HashSet<LetterId> {
        let letter_box = self.memory().home().letter_box(root.as_deref());
        let ids: Vec<LetterId> = numbers.iter().map(|at| done.letters[*at].id.clone()).collect();
        // A box in a project may be committed, so it gets no path of this machine. The medulla's box is never committed.
        let fit = |line: &[u8]| root.as_ref().and_then(|_| filed(line)).unwrap_or_else(|| line.to_vec());
        let lines: Vec<Vec<u8>> = ids.iter().filter_map(|id| gathered.line(id)).map(fit).collect();
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        if let Some(root) = root.as_deref().filter(|root| !gathered.known_projects.has_brain(root)) {
            self.memory().note_root(root);
        }
        let is_new = !letter_box.exists();
        match letter_box.file(&lines) {
            Ok(new) => {
                let is_seen = |root: &Path| {
                    self.disk().stat(&root.join(".git")).is_ok() && !self.memory().home().is_out_of_git(root)
                };
                if is_new && root.as_deref().is_some_and(is_seen) {
                    done.exposed.push(letter_box.path().to_owned());
                }
                new.into_iter().collect()
            }
            Err(error) => {
                let why = Fault::from(error).message;
                let path = letter_box.path().to_owned();
                done.fail(numbers, &path);
                if !done.unreachable.iter().any(|known| known.path == path) {
                    done.unreachable.push(UnreachableFile { path, why });
                }
                HashSet::new()
            }
        }
    }
}

//! `distribute`: each letter of the spool into the box where it belongs. A second run changes nothing.

use super::desk::{Ask, Desk, Reach};
use super::error::LetterError;
use super::floor;
use super::unreachable::Unreachable;
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
pub struct Distributed {
    /// What became of each letter that does not lie in its box already, in the order of the spool.
    pub letters: Vec<Ended>,
    /// How many lay in their boxes already.
    pub unchanged: usize,
    /// Boxes that could not be read or written; their letters stay in the spool.
    pub unreachable: Vec<Unreachable>,
    /// Boxes that this run made in repositories and that git sees: the next commit may publish them.
    pub exposed: Vec<PathBuf>,
    /// Lines that are no letters.
    pub unreadable: usize,
    /// Last lines that wait for their newline.
    pub waiting: usize,
}

/// What became of one letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The letter.
    pub id: LetterId,
    /// What became of it.
    pub end: End,
}

/// What becomes of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It is filed in this box.
    Filed(PathBuf),
    /// It waits for its project.
    Pending {
        /// As the letter spells it.
        spelled: String,
        /// The projects that share the name, where that is why.
        several: Vec<PathBuf>,
        /// The folder that is there and is no project, where that is why.
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
    /// Nothing is written: the answer says what would be.
    DryRun,
    /// What is missing in a box or in the spool is written there.
    Real,
}

impl Distributed {
    /// How many letters ended like this.
    pub fn count(&self, is: impl Fn(&End) -> bool) -> usize {
        self.letters.iter().filter(|letter| is(&letter.end)).count()
    }

    fn fail(&mut self, numbers: &[usize], path: &Path) {
        for at in numbers {
            self.letters[*at].end = End::Failed(path.to_owned());
        }
    }
}

impl Post {
    /// Plans where every letter of the spools belongs and, unless it is a dry run, files those that their
    /// boxes lack.
    pub fn distribute(
        &self,
        caller: &Caller,
        filing: Filing,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Distributed, LetterError> {
        let home = self.memory().home();
        if filing == Filing::Real {
            home.ensure()?;
        }
        let mut desk = self.letter_desk(Some(caller), Reach::Everything)?;
        let spool = home.spool();
        if let Some(lost) = desk.unreachable.iter().find(|lost| lost.path == spool.path()) {
            // Nothing was filed, and that is no success.
            let (path, why) = (lost.path.clone(), lost.why.clone());
            return Err(LetterError::SpoolUnreadable { path, why });
        }
        let ends = desk.ends(Ask::Floor);
        let mut done = Distributed {
            unreadable: desk.bad_lines.len(),
            waiting: desk.waiting.len(),
            unreachable: std::mem::take(&mut desk.unreachable),
            ..Distributed::default()
        };
        let mut boxes: BTreeMap<Option<PathBuf>, Vec<usize>> = BTreeMap::new();
        for (id, destination, held) in ends {
            if held {
                done.unchanged += 1;
                continue;
            }
            let end = match destination {
                LetterDestination::Pending { spelled, several, plain } => {
                    End::Pending { spelled: floor::spelled(&desk.floor, &spelled), several, plain }
                }
                LetterDestination::Refused { rule } => End::Refused { rule },
                LetterDestination::Project(root) => {
                    boxes.entry(Some(root.clone())).or_default().push(done.letters.len());
                    End::Filed(home.letter_box(Some(&root)).path().to_owned())
                }
                LetterDestination::Medulla => {
                    boxes.entry(None).or_default().push(done.letters.len());
                    End::Filed(home.letter_box(None).path().to_owned())
                }
            };
            done.letters.push(Ended { id, end });
        }
        let (total, mut there) = (boxes.len(), HashSet::new());
        for (at, (root, numbers)) in boxes.into_iter().enumerate() {
            if filing == Filing::DryRun {
                // What is known to fail is not promised.
                let path = home.letter_box(root.as_deref()).path().to_owned();
                if done.unreachable.iter().any(|known| known.path == path) {
                    done.fail(&numbers, &path);
                }
                continue;
            }
            let new = self.fill(&desk, root, &numbers, &mut done);
            there
                .extend(numbers.iter().map(|at| done.letters[*at].id.clone()).filter(|id| !new.contains(id)));
            progress(at + 1, total);
        }
        // What another run filed meanwhile was not filed by this one.
        let before = done.letters.len();
        done.letters.retain(|letter| !matches!(letter.end, End::Filed(_)) || !there.contains(&letter.id));
        done.unchanged += before - done.letters.len();
        Ok(done)
    }

    /// Files letters in one box, and says which it did not have. One that cannot be written stops no other.
    fn fill(
        &self,
        desk: &Desk<'_>,
        root: Option<PathBuf>,
        numbers: &[usize],
        done: &mut Distributed,
    ) -> HashSet<LetterId> {
        let letter_box = self.memory().home().letter_box(root.as_deref());
        let ids: Vec<LetterId> = numbers.iter().map(|at| done.letters[*at].id.clone()).collect();
        // No path of this machine gets into a file that is committed; the medulla's box is no such file.
        let fit = |line: &[u8]| root.as_ref().and_then(|_| filed(line)).unwrap_or_else(|| line.to_vec());
        let lines: Vec<Vec<u8>> = ids.iter().filter_map(|id| desk.line(id)).map(fit).collect();
        let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        if let Some(root) = root.as_deref().filter(|root| !desk.places.has_brain(root)) {
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
                    done.unreachable.push(Unreachable { path, why });
                }
                HashSet::new()
            }
        }
    }
}

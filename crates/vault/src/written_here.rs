//! Which versions were written through this home, of those whose headers name a person or say that they were verified.
//!
//! A file in a repository says what its last committer wrote into it. The list of this module lies in the home, where no
//! pull reaches it: one line a version, `here <sha256> <state>` for one that was written through this home, and
//! `file <sha256> <state>` for one of which only its file says so and that came into the home's own stores since. The
//! last line about a version counts. A version without a line was written here, unless it lies in a repository. All
//! stores of the home share the list: a version that one clone wrote is known in the others.

use crate::acts::Room;
use crate::home::BRAINS;
use crate::store::Store;
use crate::{StoreError, durable};
use brainstem_base::DiskFault;
use brainstem_claims::{Claim, LightFile, State};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The name of the list, in the home.
pub const WRITTEN_HERE: &str = "written-here.txt";
/// The longest list this program loads.
const LIST_LEN_MAX: u64 = 64 * 1024 * 1024;

/// What bears out the header of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It was written through this home.
    ThisHome,
    /// Its file alone: this home has no record of it.
    File,
}

impl Source {
    fn word(self) -> &'static str {
        match self {
            Self::ThisHome => "here",
            Self::File => "file",
        }
    }
}

/// What bears out the header of a version that is about to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// The caller, who says it now, through this home.
    Callers,
    /// It repeats the live version, with what that one says of its author.
    OfLive,
    /// It repeats a version of another store.
    Of(Source),
}

/// The list, as it was read.
#[derive(Clone, Debug, Default)]
pub struct WrittenHere {
    /// By content: what bears it out, and the state that it had.
    lines: HashMap<String, (Source, String)>,
    is_in_repo: bool,
}

impl WrittenHere {
    /// What bears out the header of a live version.
    pub fn source_of(&self, claim: &Claim) -> Source {
        if !claim.speaks_with_weight() {
            return Source::ThisHome;
        }
        match self.lines.get(&claim.content_hash()) {
            Some((Source::ThisHome, state)) if *state != state_of(claim) => Source::File,
            Some((source, _)) => *source,
            None => self.without_a_line(),
        }
    }

    /// The same of a version in history, whose own state is not known any more.
    pub fn source_of_past(&self, claim: &Claim) -> Source {
        match self.lines.get(&claim.content_hash()) {
            _ if claim.person().is_none() => Source::ThisHome,
            Some((source, _)) => *source,
            None => self.without_a_line(),
        }
    }

    fn without_a_line(&self) -> Source {
        if self.is_in_repo { Source::File } else { Source::ThisHome }
    }
}

fn state_of(claim: &Claim) -> &'static str {
    claim.state.map_or("unknown", State::as_str)
}

impl Store {
    /// Which of its versions were written through this home. A list that cannot be read says nothing.
    pub fn written_here(&self) -> WrittenHere {
        let bytes = self.disk().read(&self.written_here_path(), LIST_LEN_MAX).unwrap_or_default();
        let mut lines = HashMap::new();
        for line in String::from_utf8_lossy(&bytes).lines() {
            let mut words = line.split(' ');
            let source = match words.next() {
                Some("here") => Source::ThisHome,
                Some("file") => Source::File,
                Some(_) | None => continue,
            };
            if let (Some(hash), Some(state)) = (words.next(), words.next()) {
                lines.insert(hash.to_owned(), (source, state.to_owned()));
            }
        }
        WrittenHere { lines, is_in_repo: self.paths().kept.is_some() }
    }

    /// What bears out the header of a live version.
    pub fn source_of(&self, claim: &Claim) -> Source {
        match claim.speaks_with_weight() {
            true => self.written_here().source_of(claim),
            false => Source::ThisHome,
        }
    }

    /// Records what bears out the header of a version, durably. To be called before the version is live: a line about a
    /// version that was then refused says nothing about any other.
    pub fn note_source(&self, claim: &Claim, source: Source) -> Result<(), StoreError> {
        if self.source_of(claim) == source {
            return Ok(());
        }
        let fault = || StoreError::disk("cannot record who wrote the claim");
        let path = self.written_here_path();
        let folder = path.parent().expect("the list lies in a folder");
        durable::make_dirs(self.disk(), folder)?;
        // A line is one append, so that writers need no lock.
        let is_torn = match self.disk().read_end(&path, 1) {
            Ok(last) => last.last().is_some_and(|last| *last != b'\n'),
            Err(error) if error.fault() == DiskFault::NotFound => false,
            Err(error) => return Err(fault()(error)),
        };
        let start = if is_torn { "\n" } else { "" };
        let line = format!("{start}{} {} {}\n", source.word(), claim.content_hash(), state_of(claim));
        // An append to a full disk leaves a part of the line; a new file is whole or not there.
        drop(Room::in_folder(&self.disk, self.ids(), folder, line.len())?);
        self.disk().append(&path, line.as_bytes()).map_err(fault())?;
        self.disk().sync_dir(folder).map_err(fault())
    }

    /// Records what bears out the header of a version that is about to take the place of `before`.
    pub(crate) fn note_wording(
        &self,
        wording: Wording,
        before: Option<&Claim>,
        new: &LightFile,
    ) -> Result<(), StoreError> {
        let source = match (wording, before) {
            (Wording::Of(source), _) => source,
            (Wording::OfLive, Some(before)) => self.source_of(before),
            (Wording::Callers, _) | (Wording::OfLive, None) => Source::ThisHome,
        };
        self.note_source(&Claim::from(new.clone()), source)
    }

    fn written_here_path(&self) -> PathBuf {
        // The history of the medulla is two folders below the home, and that of a brain four.
        let above: Vec<&Path> = self.paths().history.ancestors().collect();
        let is_a_brains = above.get(3).is_some_and(|dir| dir.ends_with(BRAINS));
        let home = above.get(if is_a_brains { 4 } else { 2 }).or(above.last());
        home.expect("a path is its own ancestor").join(WRITTEN_HERE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StorePaths;
    use brainstem_base::Disk as _;
    use brainstem_base::disk::SimDisk;
    use brainstem_base::ids::CountingIds;
    use std::sync::Arc;

    const LIST: &str = "/home/ana/.brainstem/written-here.txt";

    /// The store of a brain: in its repository, or under the home.
    fn store(disk: &SimDisk, is_in_repo: bool) -> Store {
        let owner = Path::new("/home/ana/.brainstem/project-brains/cherry-1/agent-memory");
        let paths = StorePaths {
            claims: if is_in_repo { "/src/cherry/.brainstem/agent-memory".into() } else { owner.to_owned() },
            history: owner.join(".history"),
            locks: owner.join(".locks"),
            acts: owner.with_file_name("acts.jsonl"),
            kept: is_in_repo.then(|| owner.join(".kept")),
            placed: None,
        };
        Store::new(Arc::new(disk.clone()), Arc::new(CountingIds::from(1)), paths)
    }

    fn claim(agent: &str, state: &str) -> Claim {
        let file = format!(
            "---\nProtocol: L1GHT/1.0\nNode: Cache\nState: {state}\nCreated: 5\nSource-Agent: {agent}\n---\n\n# Cache\n\nsixty days\n"
        );
        Claim::parse(file.as_bytes()).unwrap()
    }

    #[test] // spec: MEM-10a
    fn a_persons_version_in_a_repository_needs_a_line_and_one_under_the_home_does_not() {
        let disk = SimDisk::new();
        let (repo, home) = (store(&disk, true), store(&disk, false));
        let (own, agents) = (claim("human:ana", "authored"), claim("codex:maker", "authored"));
        assert_eq!([repo.source_of(&own), home.source_of(&own)], [Source::File, Source::ThisHome]);
        assert_eq!(repo.source_of(&agents), Source::ThisHome, "an agent's word has no weight to prove");
        home.note_source(&own, Source::ThisHome).unwrap();
        assert!(disk.read(Path::new(LIST), 1_000).is_err(), "nothing is written down that is so anyway");
        repo.note_source(&own, Source::ThisHome).unwrap();
        assert_eq!(repo.source_of(&own), Source::ThisHome);
        assert_eq!(repo.source_of(&claim("human:ana", "verified")), Source::File, "another state");
        assert_eq!(repo.source_of(&claim("human:ben", "authored")), Source::File, "another author");
        assert_eq!(repo.written_here().source_of_past(&Claim::from(own.outdated())), Source::ThisHome);
        home.note_source(&own, Source::File).unwrap();
        assert_eq!(home.source_of(&own), Source::File, "the last line counts");
    }

    #[test] // spec: MEM-10a, MEM-13
    fn a_line_that_a_crash_tore_hurts_no_other() {
        let disk = SimDisk::new();
        let repo = store(&disk, true);
        repo.note_source(&claim("human:ana", "authored"), Source::ThisHome).unwrap();
        disk.append(Path::new(LIST), b"here 0123").unwrap();
        repo.note_source(&claim("human:ben", "authored"), Source::ThisHome).unwrap();
        let sources = ["human:ana", "human:ben"].map(|agent| repo.source_of(&claim(agent, "authored")));
        assert_eq!(sources, [Source::ThisHome; 2]);
    }
}

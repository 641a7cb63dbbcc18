//! Which versions were written through this home, of those whose headers name a person or say that they were verified.
//!
//! A file in a repository says what its last committer wrote into it. The list of this module lies in the home, where no
//! pull reaches it: one line a version and state, `here <sha256> <state>` for a version that was written through this
//! home, and `file <sha256> <state>` for one that only its file bears out and that came into the home's own folders: with
//! an import, an `eject`, or into history. The last line about a version in a state counts. A version without a line was
//! written here by an older program, unless it lies in a repository. All stores of the home share the list: a version
//! that one clone wrote is known in the others.

use crate::acts::Room;
use crate::home::BRAINS;
use crate::store::Store;
use crate::{StoreError, durable, history};
use brainstem_base::{DiskError, DiskFault};
use brainstem_claims::{Claim, LightFile, State};
use std::collections::{HashMap, HashSet};
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
    /// It repeats a version of another store, or of an import.
    Of(Source),
}

/// The list, as it was read.
#[derive(Clone, Debug, Default)]
pub struct WrittenHere {
    /// By content, then by state: what bears the version out.
    lines: HashMap<String, HashMap<String, Source>>,
    is_in_repo: bool,
    /// The list is there and could not be read: nothing says which versions were written through this home.
    is_unread: bool,
}

impl WrittenHere {
    /// Reads the lines about the versions whose sha256 `is_wanted`. A line that is not whole is passed over.
    fn parse(bytes: &[u8], is_in_repo: bool, is_wanted: impl Fn(&str) -> bool) -> Self {
        let mut lines: HashMap<String, HashMap<String, Source>> = HashMap::new();
        for line in String::from_utf8_lossy(bytes).lines() {
            let mut words = line.split(' ');
            let source = match words.next() {
                Some("here") => Source::ThisHome,
                Some("file") => Source::File,
                Some(_) | None => continue,
            };
            if let (Some(hash), Some(state)) = (words.next(), words.next())
                && is_wanted(hash)
            {
                lines.entry(hash.to_owned()).or_default().insert(state.to_owned(), source);
            }
        }
        Self { lines, is_in_repo, is_unread: false }
    }

    /// Whether the list could not be read, so that no version counts as written through this home.
    pub fn is_unread(&self) -> bool {
        self.is_unread
    }

    /// What bears out the header of a live version.
    pub fn source_of(&self, claim: &Claim) -> Source {
        if !claim.speaks_with_weight() {
            return Source::ThisHome;
        }
        match self.line_of(claim) {
            Some(source) => source,
            None if self.has_line(claim, Source::File) => Source::File,
            None => self.without_a_line(),
        }
    }

    /// The same of a version in history, whose own state is not known any more.
    pub fn source_of_past(&self, claim: &Claim) -> Source {
        match claim.person() {
            None => Source::ThisHome,
            Some(_) if self.has_line(claim, Source::ThisHome) => Source::ThisHome,
            Some(_) if self.has_line(claim, Source::File) => Source::File,
            Some(_) => self.without_a_line(),
        }
    }

    /// The line about this version in this state.
    fn line_of(&self, claim: &Claim) -> Option<Source> {
        self.lines.get(&claim.content_hash())?.get(state_of(claim)).copied()
    }

    /// Whether a line says this of the version, in any state.
    fn has_line(&self, claim: &Claim, source: Source) -> bool {
        let lines = self.lines.get(&claim.content_hash());
        lines.is_some_and(|lines| lines.values().any(|said| *said == source))
    }

    fn without_a_line(&self) -> Source {
        if self.is_in_repo || self.is_unread { Source::File } else { Source::ThisHome }
    }
}

fn state_of(claim: &Claim) -> &'static str {
    claim.state.map_or("unknown", State::as_str)
}

impl Store {
    /// Which of its versions were written through this home, for a reader. A list that cannot be read bears out no
    /// version; [`Store::check_written_here`] says why it cannot be read.
    pub fn written_here(&self) -> WrittenHere {
        match self.read_list() {
            Ok(bytes) => WrittenHere::parse(&bytes, self.is_in_repo(), |_| true),
            Err(_) => WrittenHere { is_unread: true, ..WrittenHere::default() },
        }
    }

    /// Whether the list can be read, without reading all of it.
    pub fn check_written_here(&self) -> Result<(), StoreError> {
        let path = self.written_here_path();
        let unread = StoreError::disk("cannot read which claims were written here");
        match self.disk().read_end(&path, 1).and_then(|_| self.disk().stat(&path)) {
            Ok(found) if found.len > LIST_LEN_MAX => {
                let fault = DiskFault::TooLarge { len: found.len };
                Err(unread(DiskError::new("read", &path, fault)))
            }
            Ok(_) => Ok(()),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(()),
            Err(error) => Err(unread(error)),
        }
    }

    /// What bears out the header of a live version, for a writer that carries it along. A list that cannot be read is an
    /// error: the writer would record a guess.
    pub fn source_of(&self, claim: &Claim) -> Result<Source, StoreError> {
        match claim.speaks_with_weight() {
            true => Ok(self.lines_about(std::slice::from_ref(claim))?.source_of(claim)),
            false => Ok(Source::ThisHome),
        }
    }

    /// What bears out the header of a version that an import brings: its file, unless this home has recorded that it
    /// wrote this very version.
    pub fn source_of_brought(&self, claim: &Claim) -> Result<Source, StoreError> {
        if !claim.speaks_with_weight() {
            return Ok(Source::ThisHome);
        }
        let lines = self.lines_about(std::slice::from_ref(claim))?;
        Ok(lines.line_of(claim).unwrap_or(Source::File))
    }

    /// Records what bears out the header of a version, durably, as another version or another store has it. A version of
    /// which the list says that its file alone bears it out stays so. To be called before the version is live: a line
    /// about a version that was then refused says nothing about any other.
    pub fn note_source(&self, claim: &Claim, source: Source) -> Result<(), StoreError> {
        if !claim.speaks_with_weight() {
            return Ok(());
        }
        let lines = self.lines_about(std::slice::from_ref(claim))?;
        let is_settled = source == Source::ThisHome && lines.has_line(claim, Source::File);
        if is_settled || lines.line_of(claim) == Some(source) {
            return Ok(());
        }
        self.append_lines(std::slice::from_ref(claim), source)
    }

    /// Records that the author of a version says it now, through this home, whatever the list said of it before.
    pub fn note_own_word(&self, claim: &Claim) -> Result<(), StoreError> {
        let claims = std::slice::from_ref(claim);
        if !claim.speaks_with_weight() || self.lines_about(claims)?.line_of(claim) == Some(Source::ThisHome) {
            return Ok(());
        }
        self.append_lines(claims, Source::ThisHome)
    }

    /// Records what bears out versions that are in history, or on their way into it: those of which the list says nothing.
    pub fn note_past(&self, versions: &[Claim], source: Source) -> Result<(), StoreError> {
        let mut versions: Vec<Claim> =
            versions.iter().filter(|claim| claim.person().is_some()).cloned().collect();
        if versions.is_empty() {
            return Ok(());
        }
        let lines = self.lines_about(&versions)?;
        versions.retain(|claim| !lines.lines.contains_key(&claim.content_hash()));
        self.append_lines(&versions, source)
    }

    /// Records what bears out each version in history before the claims of this store move: in a repository a version
    /// without a line counts for less than under the home.
    pub fn note_history(&self) -> Result<(), StoreError> {
        let source = if self.is_in_repo() { Source::File } else { Source::ThisHome };
        self.note_past(&history::all(self.disk(), &self.paths().history)?, source)
    }

    /// The lines about these versions.
    fn lines_about(&self, claims: &[Claim]) -> Result<WrittenHere, StoreError> {
        let hashes: HashSet<String> = claims.iter().map(Claim::content_hash).collect();
        let bytes = self.read_list()?;
        Ok(WrittenHere::parse(&bytes, self.is_in_repo(), |hash| hashes.contains(hash)))
    }

    /// The bytes of the list; a list that is not there is empty.
    fn read_list(&self) -> Result<Vec<u8>, StoreError> {
        match self.disk().read(&self.written_here_path(), LIST_LEN_MAX) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::disk("cannot read which claims were written here")(error)),
        }
    }

    fn append_lines(&self, claims: &[Claim], source: Source) -> Result<(), StoreError> {
        if claims.is_empty() {
            return Ok(());
        }
        let fault = || StoreError::disk("cannot record who wrote the claim");
        let path = self.written_here_path();
        let folder = path.parent().expect("the list lies in a folder");
        durable::make_dirs(self.disk(), folder)?;
        // The lines are one append, so that writers need no lock.
        let is_torn = match self.disk().read_end(&path, 1) {
            Ok(last) => last.last().is_some_and(|last| *last != b'\n'),
            Err(error) if error.fault() == DiskFault::NotFound => false,
            Err(error) => return Err(fault()(error)),
        };
        let mut lines = String::from(if is_torn { "\n" } else { "" });
        for claim in claims {
            lines += &format!("{} {} {}\n", source.word(), claim.content_hash(), state_of(claim));
        }
        // An append to a full disk leaves a part of the lines; a new file is whole or not there.
        drop(Room::in_folder(&self.disk, self.ids(), folder, lines.len())?);
        self.disk().append(&path, lines.as_bytes()).map_err(fault())?;
        self.disk().sync_dir(folder).map_err(fault())
    }

    /// Records what bears out the header of a version that is about to take the place of `before`.
    pub(crate) fn note_wording(
        &self,
        wording: Wording,
        before: Option<&Claim>,
        new: &LightFile,
    ) -> Result<(), StoreError> {
        let new = Claim::from(new.clone());
        match (wording, before) {
            (Wording::Of(source), _) => self.note_source(&new, source),
            (Wording::OfLive, Some(before)) => self.note_source(&new, self.source_of(before)?),
            (Wording::Callers, _) | (Wording::OfLive, None) => self.note_own_word(&new),
        }
    }

    /// Whether its live claims lie in a repository.
    fn is_in_repo(&self) -> bool {
        self.paths().kept.is_some()
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
        let source = |store: &Store, claim: &Claim| store.source_of(claim).unwrap();
        assert_eq!([source(&repo, &own), source(&home, &own)], [Source::File, Source::ThisHome]);
        assert_eq!(source(&repo, &agents), Source::ThisHome, "an agent's word has no weight to prove");
        home.note_own_word(&agents).unwrap();
        assert!(disk.read(Path::new(LIST), 1_000).is_err(), "nothing is written down of it");
        home.note_own_word(&own).unwrap();
        assert_eq!(
            source(&repo, &own),
            Source::ThisHome,
            "it was written before it went into the repository"
        );
        let listed = disk.read(Path::new(LIST), 1_000).unwrap();
        repo.note_own_word(&own).unwrap();
        repo.note_source(&own, Source::ThisHome).unwrap();
        assert_eq!(disk.read(Path::new(LIST), 1_000).unwrap(), listed, "once");
        assert_eq!(source(&repo, &claim("human:ana", "verified")), Source::File, "another state");
        assert_eq!(source(&repo, &claim("human:ben", "authored")), Source::File, "another author");
        assert_eq!(repo.written_here().source_of_past(&Claim::from(own.outdated())), Source::ThisHome);
        home.note_source(&own, Source::File).unwrap();
        assert_eq!(source(&home, &own), Source::File, "the last line counts");
    }

    #[test] // spec: MEM-10a
    fn only_the_authors_own_word_takes_the_mark_away() {
        let disk = SimDisk::new();
        let (repo, home) = (store(&disk, true), store(&disk, false));
        let planted = claim("human:ana", "authored");
        assert_eq!(home.source_of_brought(&planted).unwrap(), Source::File, "an import proves nothing");
        home.note_source(&planted, Source::File).unwrap();
        for store in [&repo, &home] {
            store.note_source(&planted, Source::ThisHome).unwrap();
            store.note_past(std::slice::from_ref(&planted), Source::ThisHome).unwrap();
            assert_eq!(store.source_of(&planted).unwrap(), Source::File);
        }
        assert_eq!(home.source_of(&claim("human:ana", "verified")).unwrap(), Source::File, "in any state");
        home.note_own_word(&planted).unwrap();
        assert_eq!(repo.source_of(&planted).unwrap(), Source::ThisHome);
        assert_eq!(home.source_of_brought(&planted).unwrap(), Source::ThisHome, "this home wrote it");
        // An import of her version that another hand called verified changes nothing about what she wrote.
        let raised = claim("human:ana", "verified");
        home.note_source(&raised, home.source_of_brought(&raised).unwrap()).unwrap();
        let sources = [&planted, &raised].map(|claim| repo.source_of(claim).unwrap());
        assert_eq!(sources, [Source::ThisHome, Source::File]);
    }

    #[test] // spec: MEM-10a
    fn a_list_that_cannot_be_read_refuses_the_record_and_is_no_empty_list() {
        let disk = SimDisk::new();
        disk.make_dirs(LIST);
        let (repo, own) = (store(&disk, true), claim("human:ana", "authored"));
        assert!(repo.source_of(&own).is_err());
        for store in [&repo, &store(&disk, false)] {
            assert!(store.check_written_here().is_err());
            let list = store.written_here();
            assert!(list.is_unread(), "a reader can say so");
            assert_eq!([list.source_of(&own), list.source_of_past(&own)], [Source::File; 2]);
        }
        assert!(repo.source_of_brought(&own).is_err());
        assert!(repo.note_source(&own, Source::File).is_err());
        assert!(repo.note_past(std::slice::from_ref(&own), Source::File).is_err());
        let agents = claim("codex:maker", "authored");
        assert_eq!(repo.source_of(&agents).unwrap(), Source::ThisHome, "it needs no record");
        repo.note_past(std::slice::from_ref(&agents), Source::File).unwrap();
        repo.note_own_word(&agents).unwrap();
    }

    #[test] // spec: MEM-10a, MEM-13
    fn a_line_that_a_crash_tore_hurts_no_other() {
        let disk = SimDisk::new();
        let repo = store(&disk, true);
        repo.note_source(&claim("human:ana", "authored"), Source::ThisHome).unwrap();
        disk.append(Path::new(LIST), b"here 0123").unwrap();
        repo.note_source(&claim("human:ben", "authored"), Source::ThisHome).unwrap();
        let sources =
            ["human:ana", "human:ben"].map(|agent| repo.source_of(&claim(agent, "authored")).unwrap());
        assert_eq!(sources, [Source::ThisHome; 2]);
    }
}

//! Which versions were written through this home, and for which brain, of those whose headers name a person or say that they
//! were verified.
//!
//! A file in a repository says what its last committer wrote into it. The list of this module is in the home, where no
//! pull reaches it: one line a version, state and brain, `here <sha256> <state> <brain>` for a version that was written
//! through this home, and `file <sha256> <state> <brain>` for one that only its file proves and that came into the
//! home's own folders: with an import, an `eject`, or into history. The last line about a version in a state counts. A
//! version without a line was written here by an older program, unless it is in a repository.
//!
//! A line speaks of one brain: a claim of another project that was copied into this one's repository was not written
//! here. `<brain>` is the brain's id and the name of its folder under the home, or `medulla`. The id alone proves
//! nothing, because it is committed; so a line of another folder counts where that folder is of the same project
//! (`written_here/clones.rs`). A line without a brain, of an older program, counts for the brain that holds a copy of
//! the version.

mod clones;
mod lines;

pub(crate) use clones::OtherClone;

use crate::acts::ReservedRoom;
use crate::header_source::{HeaderSource, Wording};
use crate::store::Store;
use crate::{StoreError, durable, history};
use brainstem_base::{DiskError, DiskFault};
use brainstem_claims::{Claim, LightFile};
use clones::Clones;
use lines::{LineBrain, LineOrigin, VersionLine, VersionLines, state_of};
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// The name of the list, in the home.
pub const WRITTEN_HERE: &str = "written-here.txt";
/// The longest list this program loads.
const LIST_LEN_MAX: u64 = 64 * 1024 * 1024;

/// Whether a line is one that this program, or an earlier one, writes into the list.
pub(crate) fn is_line(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let is_version = |hash: &str, state: &str| {
        hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) && !state.is_empty()
    };
    match words[..] {
        ["here" | "file", hash, state] | ["here" | "file", hash, state, "medulla"] => is_version(hash, state),
        ["here" | "file", hash, state, id, _] => is_version(hash, state) && uuid::Uuid::parse_str(id).is_ok(),
        _ => false,
    }
}

/// The list, as it was read for one store.
#[derive(Clone)]
pub struct WrittenHere {
    lines: VersionLines,
    is_in_repo: bool,
    /// The list could not be read: it is unknown which versions were written through this home.
    is_unread: bool,
    /// The other folders of the same project, and the copies of this one.
    clones: Clones,
}

impl WrittenHere {
    /// Whether the list could not be read, so that no version counts as written through this home.
    pub fn is_unread(&self) -> bool {
        self.is_unread
    }

    /// What proves the header of a live version.
    pub fn source_of(&self, claim: &Claim) -> HeaderSource {
        if !claim.claims_authority() {
            return HeaderSource::ThisHome;
        }
        let lines = self.lines.about(claim);
        match last(lines, |line| line.by.is_own_or_old() && line.is_in_state(claim)) {
            Some(
                VersionLine { by: LineOrigin::Own, source, .. }
                | VersionLine { source: source @ HeaderSource::File, .. },
            ) => *source,
            Some(_) if self.is_borne_out_by_copies(claim) => HeaderSource::ThisHome,
            Some(_) | None if self.did_a_clone_write(lines, |line| line.is_in_state(claim)) => {
                HeaderSource::ThisHome
            }
            Some(_) | None if has_own(lines, HeaderSource::File) => HeaderSource::File,
            Some(_) | None => self.without_a_line(),
        }
    }

    /// Whether the list says that a version in a repository was written through this home.
    pub fn says_so(&self, claim: &Claim) -> bool {
        self.is_in_repo && self.source_of(claim) == HeaderSource::ThisHome
    }

    /// Whether the list says that a version in the history of a repository was written through this home.
    pub fn says_so_of_past(&self, claim: &Claim) -> bool {
        self.is_in_repo && self.source_of_past(claim) == HeaderSource::ThisHome
    }

    /// The same for a version in history, whose own state is no longer known.
    pub fn source_of_past(&self, claim: &Claim) -> HeaderSource {
        if claim.person().is_none() {
            return HeaderSource::ThisHome;
        }
        let lines = self.lines.about(claim);
        let has = |by: LineOrigin, source: HeaderSource| {
            lines.iter().any(|line| line.by == by && line.source == source)
        };
        if has(LineOrigin::Own, HeaderSource::ThisHome) {
            return HeaderSource::ThisHome;
        }
        if has(LineOrigin::Own, HeaderSource::File) {
            return HeaderSource::File;
        }
        // An older program kept its copy in this history.
        if has(LineOrigin::Old, HeaderSource::ThisHome) || self.did_a_clone_write(lines, |_| true) {
            return HeaderSource::ThisHome;
        }
        if has(LineOrigin::Old, HeaderSource::File) { HeaderSource::File } else { self.without_a_line() }
    }

    /// Whether the list says what proves a version on its way into history.
    fn is_past_settled(&self, claim: &Claim) -> bool {
        let lines = self.lines.about(claim);
        let is_told = |line: &VersionLine| match (line.by, line.source) {
            (LineOrigin::Own, _) | (LineOrigin::Old, HeaderSource::File) => true,
            (LineOrigin::Old, HeaderSource::ThisHome) => self.is_borne_out_by_copies(claim),
            (LineOrigin::Clone(_) | LineOrigin::Other, _) => false,
        };
        lines.iter().any(is_told) || self.did_a_clone_write(lines, |_| true)
    }

    /// Whether a line without a brain counts here: under the home always, and in a repository for a brain that holds a
    /// copy.
    fn is_borne_out_by_copies(&self, claim: &Claim) -> bool {
        !self.is_in_repo || self.clones.hold_copy(claim)
    }

    /// Whether another folder of the same project wrote the version of these lines: according to the last of its lines
    /// that `is_asked` accepts.
    fn did_a_clone_write(&self, lines: &[VersionLine], is_asked: impl Fn(&VersionLine) -> bool) -> bool {
        if !self.is_in_repo {
            return false;
        }
        let folders: HashSet<usize> = lines.iter().filter_map(|line| line.by.clone_folder()).collect();
        folders.into_iter().any(|folder| {
            let by = LineOrigin::Clone(folder);
            last(lines, |line| line.by == by && is_asked(line))
                .is_some_and(|line| line.source == HeaderSource::ThisHome)
                && self.clones.is_clone(self.lines.folder(folder))
        })
    }

    fn without_a_line(&self) -> HeaderSource {
        if self.is_in_repo || self.is_unread { HeaderSource::File } else { HeaderSource::ThisHome }
    }
}

impl fmt::Debug for WrittenHere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WrittenHere").field("lines", &self.lines).finish_non_exhaustive()
    }
}

/// The last of these lines.
fn last(lines: &[VersionLine], is_it: impl Fn(&VersionLine) -> bool) -> Option<&VersionLine> {
    lines.iter().rev().find(|line| is_it(line))
}

/// Whether a line about this brain, or one of an older program, says this in any state.
fn has_own(lines: &[VersionLine], source: HeaderSource) -> bool {
    lines.iter().any(|line| line.by.is_own_or_old() && line.source == source)
}

impl Store {
    /// Which of its versions were written through this home, for a reader. If the list cannot be read, no version
    /// counts; [`Store::check_written_here`] says why it cannot be read.
    pub fn written_here(&self) -> WrittenHere {
        let read = self.read_list();
        let is_unread = read.is_err();
        let lines =
            VersionLines::parse(&read.unwrap_or_default(), &self.writer(), |_, by| by != LineOrigin::Other);
        self.list_of(lines, is_unread)
    }

    /// Checks that the list can be read, without reading all of it.
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

    /// What proves the header of a live version, for a writer that repeats it. If the list cannot be read, that is an
    /// error: the writer would record a guess.
    pub fn source_of(&self, claim: &Claim) -> Result<HeaderSource, StoreError> {
        match claim.claims_authority() {
            true => Ok(self.lines_about(std::slice::from_ref(claim))?.source_of(claim)),
            false => Ok(HeaderSource::ThisHome),
        }
    }

    /// What proves the header of a version that an import brings: its file, unless this home has recorded that it wrote
    /// exactly this version, for any brain.
    pub fn source_of_brought(&self, claim: &Claim) -> Result<HeaderSource, StoreError> {
        if !claim.claims_authority() {
            return Ok(HeaderSource::ThisHome);
        }
        let list = self.lines_about(std::slice::from_ref(claim))?;
        let lines = list.lines.about(claim);
        let own = last(lines, |line| line.by.is_own_or_old() && line.is_in_state(claim));
        // The caller imports it explicitly, whichever brain it was written for.
        let is_written =
            || lines.iter().any(|line| line.is_in_state(claim) && line.source == HeaderSource::ThisHome);
        Ok(match own {
            Some(line) => line.source,
            None if is_written() => HeaderSource::ThisHome,
            None => HeaderSource::File,
        })
    }

    /// The same for a version of history, whose own state is no longer known.
    pub fn source_of_brought_past(&self, claim: &Claim) -> Result<HeaderSource, StoreError> {
        let list = self.lines_about(std::slice::from_ref(claim))?;
        let lines = list.lines.about(claim);
        let own = |source| lines.iter().any(|line| line.by.is_own_or_old() && line.source == source);
        let is_written = || lines.iter().any(|line| line.source == HeaderSource::ThisHome);
        Ok(match own(HeaderSource::ThisHome) || !own(HeaderSource::File) && is_written() {
            true => HeaderSource::ThisHome,
            false => HeaderSource::File,
        })
    }

    /// Records durably what proves the header of a version, taken over from another version or another store. If the
    /// list says that only its file proves it, that stays. To be called before the version is live: a line about a
    /// version that is then refused does no harm.
    pub fn note_source(&self, claim: &Claim, source: HeaderSource) -> Result<(), StoreError> {
        if !claim.claims_authority() {
            return Ok(());
        }
        let list = self.lines_about(std::slice::from_ref(claim))?;
        let lines = list.lines.about(claim);
        let is_settled = source == HeaderSource::ThisHome && has_own(lines, HeaderSource::File);
        if is_settled || is_noted(lines, claim, source) {
            return Ok(());
        }
        self.append_lines(std::slice::from_ref(claim), source)
    }

    /// Records that the author of a version says it now, through this home, whatever the list said before.
    pub fn note_own_word(&self, claim: &Claim) -> Result<(), StoreError> {
        let claims = std::slice::from_ref(claim);
        if !claim.claims_authority()
            || is_noted(self.lines_about(claims)?.lines.about(claim), claim, HeaderSource::ThisHome)
        {
            return Ok(());
        }
        self.append_lines(claims, HeaderSource::ThisHome)
    }

    /// Records what proves versions in history, or on their way into it, if the list has no line about them.
    pub fn note_past(&self, versions: &[Claim], source: HeaderSource) -> Result<(), StoreError> {
        let mut versions: Vec<Claim> =
            versions.iter().filter(|claim| claim.person().is_some()).cloned().collect();
        if versions.is_empty() {
            return Ok(());
        }
        let list = self.lines_about(&versions)?;
        versions.retain(|claim| !list.is_past_settled(claim));
        self.append_lines(&versions, source)
    }

    /// Records what proves each version in history before the claims of this store move: in a repository a version
    /// without a line counts less than under the home.
    pub fn note_history(&self) -> Result<(), StoreError> {
        let source = if self.is_in_repo() { HeaderSource::File } else { HeaderSource::ThisHome };
        self.note_past(&history::all(self.disk(), &self.paths().history)?, source)
    }

    /// The lines about these versions.
    fn lines_about(&self, claims: &[Claim]) -> Result<WrittenHere, StoreError> {
        let hashes: HashSet<String> = claims.iter().map(Claim::content_hash).collect();
        let lines = VersionLines::parse(&self.read_list()?, &self.writer(), |hash, _| hashes.contains(hash));
        Ok(self.list_of(lines, false))
    }

    fn list_of(&self, lines: VersionLines, is_unread: bool) -> WrittenHere {
        let clones = Clones::of(self.clone());
        WrittenHere { lines, is_in_repo: self.is_in_repo(), is_unread, clones }
    }

    /// The bytes of the list; empty if it is missing.
    fn read_list(&self) -> Result<Vec<u8>, StoreError> {
        match self.disk().read(&self.written_here_path(), LIST_LEN_MAX) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::disk("cannot read which claims were written here")(error)),
        }
    }

    fn append_lines(&self, claims: &[Claim], source: HeaderSource) -> Result<(), StoreError> {
        if claims.is_empty() {
            return Ok(());
        }
        let fault = || StoreError::disk("cannot record the writer of the claim");
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
        let writer = self.writer();
        for claim in claims {
            let (hash, state) = (claim.content_hash(), state_of(claim));
            lines += &format!("{} {hash} {state} {writer}\n", source.word());
        }
        // An append to a full disk leaves a part of the lines; a new file is whole or missing.
        drop(ReservedRoom::in_folder(&self.disk, self.ids(), folder, lines.len())?);
        self.disk().append(&path, lines.as_bytes()).map_err(fault())?;
        self.disk().sync_dir(folder).map_err(fault())
    }

    /// Records what proves the header of a version that is about to replace `before`.
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

    /// Whether its live claims are in a repository.
    fn is_in_repo(&self) -> bool {
        self.paths().kept.is_some()
    }

    fn written_here_path(&self) -> PathBuf {
        // The history of the medulla is two folders below the home, and that of a brain four.
        let above: Vec<&Path> = self.paths().history.ancestors().collect();
        let home = above.get(if self.brain_folder().is_some() { 4 } else { 2 }).or(above.last());
        home.expect("a path is its own ancestor").join(WRITTEN_HERE)
    }

    /// The brain that its lines are about.
    fn writer(&self) -> LineBrain {
        match self.brain_folder().and_then(Path::file_name) {
            Some(name) => LineBrain::brain(self.brain_id(), &name.to_string_lossy()),
            None => LineBrain::Medulla,
        }
    }
}

/// Whether the last line about this brain says this about a version in its state.
fn is_noted(lines: &[VersionLine], claim: &Claim, source: HeaderSource) -> bool {
    let is_of_it = |line: &VersionLine| line.by.is_own_or_old() && line.is_in_state(claim);
    // A line of an older program that proves a version is written anew, with the brain.
    last(lines, is_of_it).is_some_and(|line| {
        line.source == source && (line.by == LineOrigin::Own || source == HeaderSource::File)
    })
}

#[cfg(test)]
#[path = "written_here_tests.rs"]
mod tests;

//! Compares a folder with marks: whether it is the project that they were taken of.

use super::candidate_folder::CandidateFolder;
use super::{FILES_MIN, FileMark, Marks, TrackedMark};
use crate::git::Repository;
use brainstem_base::disk::{FileKind, Stat};
use brainstem_base::hash::git_object;
use std::path::{Component, Path};

/// The largest tracked file whose content is compared.
const COMPARED_LEN_MAX: u64 = 4 * 1024 * 1024;
const NS_PER_S: i128 = 1_000_000_000;

impl CandidateFolder<'_> {
    /// Whether the marks say that this folder, which is another one than before, is the same project. A folder that was
    /// cloned from another address is another project, whatever commits the two share.
    pub(crate) fn is_marked(&self, marks: &Marks) -> bool {
        self.origin(marks) != CloneOrigin::Other
            && (self.has_commit(marks)
                || self.has_origin(marks)
                || self.has_files(marks)
                    && self.has_content(marks) != Some(false)
                    && !self.has_other_commits(marks))
    }

    /// Whether a folder that carries the brain's id is still another project: it was cloned from another address and
    /// has no commit that was seen after the first. All projects that began with one template may carry one id.
    pub(crate) fn is_cloned_elsewhere(&self, marks: &Marks) -> bool {
        let later = marks.commits.get(1..).unwrap_or_default();
        self.origin(marks) == CloneOrigin::Other
            && !self.own_repository().is_some_and(|own| later.iter().any(|commit| own.has(commit)))
    }

    /// Whether this folder, which carries the id of a brain, is of the same project as the folder that the marks were
    /// taken of: it was cloned from the same address, or has one of the commits. The first commit may be a template's,
    /// so a folder that was cloned from another address must have a later one. Without a commit and an address it
    /// counts as the same project.
    pub(crate) fn shares_history(&self, marks: &Marks) -> bool {
        let has_any =
            |commits: &[String]| self.own_repository().is_some_and(|own| commits.iter().any(|c| own.has(c)));
        match self.origin(marks) {
            CloneOrigin::Same => true,
            CloneOrigin::Other => has_any(marks.commits.get(1..).unwrap_or_default()),
            CloneOrigin::Untold if marks.commits.is_empty() => marks.origin.is_none(),
            CloneOrigin::Untold => has_any(&marks.commits),
        }
    }

    /// Whether the repository of a folder that has the path, the device, the number and the birth that were remembered
    /// is still of another project: volumes that were made from one image can be mounted at one path, one after the
    /// other, and get one device number. All marks must say so: it has a history, and none of the remembered commits,
    /// origins and files. A history that cannot be read does not count.
    pub(crate) fn is_another_history(&self, marks: &Marks) -> bool {
        self.has_other_commits(marks) && self.origin(marks) != CloneOrigin::Same && !self.has_files(marks)
    }

    /// Whether the repository has a history, and none of the remembered commits is in it.
    fn has_other_commits(&self, marks: &Marks) -> bool {
        // Called in every call: without a commit to compare, nothing is read.
        if marks.commits.is_empty() {
            return false;
        }
        let Some(repository) = self.own_repository() else { return false };
        let Some(head) = repository.head().filter(|head| !marks.commits.contains(head)) else { return false };
        !marks.commits.iter().any(|commit| repository.has(commit)) && repository.has(&head)
    }

    /// Whether no mark contradicts a folder with the number and birth of the remembered one. If a commit or an origin
    /// is remembered, the repository here must have it. Otherwise the folder must be `near`: at its path, or on its
    /// device.
    pub(crate) fn agrees(&self, marks: &Marks, near: bool) -> bool {
        let is_in_git = !marks.commits.is_empty() || marks.origin.is_some();
        match (self.origin(marks), self.repository()) {
            (CloneOrigin::Other, _) => false,
            (CloneOrigin::Same, _) => true,
            (CloneOrigin::Untold, _) if !is_in_git => near,
            (CloneOrigin::Untold, Some((repository, _))) => {
                asked(&marks.commits).iter().any(|commit| repository.has(commit))
            }
            // A folder that was taken out of its repository.
            (CloneOrigin::Untold, None) => near && self.has_files(marks),
        }
    }

    fn origin(&self, marks: &Marks) -> CloneOrigin {
        let here = self.repository().map(|(repository, _)| repository.origins()).unwrap_or_default();
        match &marks.origin {
            Some(origin) if here.contains(origin) => CloneOrigin::Same,
            Some(_) if !here.is_empty() => CloneOrigin::Other,
            Some(_) | None => CloneOrigin::Untold,
        }
    }

    /// Whether a remembered commit is here. The first commit alone may be that of a template that many projects began
    /// with: if later ones are known, one of those must be here, and if an origin is known, that too.
    fn has_commit(&self, marks: &Marks) -> bool {
        let is_told =
            marks.commits.len() > 1 || marks.origin.is_none() || self.origin(marks) == CloneOrigin::Same;
        is_told
            && self.is_same_part(marks)
            && self
                .own_repository()
                .is_some_and(|repository| asked(&marks.commits).iter().any(|commit| repository.has(commit)))
    }

    /// Whether the remembered origin is here: a clone without its history has no commit to compare.
    fn has_origin(&self, marks: &Marks) -> bool {
        self.own_repository().is_some_and(|repository| repository.is_shallow())
            && self.origin(marks) == CloneOrigin::Same
            && self.is_same_part(marks)
    }

    /// Whether the folder is the part of its repository that the marks are of: the top, or a folder with the tracked files
    /// that are remembered. Marks of an older program say nothing about it.
    fn is_same_part(&self, marks: &Marks) -> bool {
        let Some(was_inside) = &marks.inside else { return true };
        let is_top = self.repository().is_some_and(|(_, inside)| inside.as_os_str().is_empty());
        if is_top || was_inside.is_empty() {
            return is_top && was_inside.is_empty();
        }
        self.has_content(marks) == Some(true)
    }

    /// Whether at least half of the tracked files that are remembered are in the folder with their content; `None` if none
    /// is remembered. The files themselves are read: git's index still lists those of a deleted folder, until git
    /// is changed.
    fn has_content(&self, marks: &Marks) -> Option<bool> {
        if marks.tracked.is_empty() {
            return None;
        }
        let same = marks.tracked.iter().filter(|mark| self.has_object(mark)).count();
        Some(same > 0 && same * 2 >= marks.tracked.len())
    }

    /// Whether the bytes of a tracked file are in the folder, under its path. Git may have written the ends of lines as
    /// Windows does.
    fn has_object(&self, mark: &TrackedMark) -> bool {
        let path = self.root.join(&mark.path);
        let is_comparable = |stat: Stat| stat.kind == FileKind::File && stat.len <= COMPARED_LEN_MAX;
        if !is_below(&mark.path) || !self.disk.stat(&path).is_ok_and(is_comparable) {
            return false;
        }
        let Ok(bytes) = self.disk.read_others(&path, COMPARED_LEN_MAX) else { return false };
        let is_it = |bytes: &[u8]| git_object(bytes, mark.object.len()) == mark.object;
        is_it(&bytes) || bytes.contains(&b'\r') && is_it(&with_plain_ends(&bytes))
    }

    /// The repository whose top the folder is, or that tracks files in it.
    fn own_repository(&self) -> Option<Repository<'_>> {
        let (repository, inside) = self.repository()?;
        let is_top = inside.as_os_str().is_empty();
        (is_top || repository.tracks_below(&inside)).then_some(repository)
    }

    fn has_files(&self, marks: &Marks) -> bool {
        let is_same = |mark: &&FileMark| {
            let stat = self.disk.stat(&self.root.join(&mark.path)).ok();
            let stat = stat
                .filter(|stat| is_below(&mark.path) && stat.kind == FileKind::File && stat.len == mark.len);
            let then: Option<i128> = mark.modified_ns.parse().ok();
            stat.zip(then).is_some_and(|(stat, then)| is_same_time(then, stat.modified_ns))
                && (mark.content.is_none() || self.content_hash(&mark.path) == mark.content)
        };
        let same = marks.files.iter().filter(is_same).count();
        same >= FILES_MIN && same * 2 >= marks.files.len()
    }
}

/// The comparison of two addresses that a repository was cloned from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CloneOrigin {
    /// It is the remembered one.
    Same,
    /// It is another one.
    Other,
    /// None is remembered, or none is here.
    Untold,
}

/// The commits of which one must be here: the later ones if there are any.
fn asked(commits: &[String]) -> &[String] {
    match commits {
        [_, later @ ..] if !later.is_empty() => later,
        all => all,
    }
}

/// Whether a remembered path stays below the folder that it is joined to.
fn is_below(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The bytes with each `\r\n` as `\n`.
fn with_plain_ends(bytes: &[u8]) -> Vec<u8> {
    let is_before_end = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
    (0..bytes.len()).filter(|at| !is_before_end(*at)).map(|at| bytes[at]).collect()
}

/// Whether the date of a file is the remembered one. Some archives keep whole seconds only.
fn is_same_time(then_ns: i128, now_ns: i128) -> bool {
    then_ns == now_ns || now_ns % NS_PER_S == 0 && then_ns.div_euclid(NS_PER_S) == now_ns / NS_PER_S
}

#[cfg(test)]
#[path = "recognising_tests.rs"]
mod tests;

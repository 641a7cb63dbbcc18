//! Everything that this program keeps, looked at path by path: what is a link, a folder for a file, too large, closed to this
//! user or no longer what it was written as. The table is `vault/src/census.rs`.

use super::finding::{Finding, Findings, Trouble, word};
use super::reach::permitting;
use crate::limits::FINDINGS_NAMED_MAX;
use crate::service::Memory;
use brainstem_base::advice;
use brainstem_base::next::{Shell, calls};
use brainstem_base::{Disk, DiskFault};
use brainstem_vault::census::{self, CensusEntry, LossWhenUnfit, PathFault, UnfitPath};
use brainstem_vault::{Brain, StorePlace, repo};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

impl Memory {
    /// Walks the census of the home, of every brain's folder and of the repositories that carry their memory.
    pub(super) fn examine_census(
        &self,
        brains: &[Brain],
        whole: &dyn Fn(&Path) -> bool,
        found: &mut Findings,
    ) {
        let home = self.home.path();
        found.add_unnamed(unfit(&*self.disk, home, census::HOME));
        let all = home.join("project-brains");
        let folders = self.disk.list(&all).unwrap_or_default().into_iter();
        let mut folders: Vec<_> = folders.map(|entry| all.join(entry.name)).collect();
        folders.sort();
        for folder in folders {
            // A file beside the claims names no claim; the copies of versions do.
            let (claims, other): (Vec<_>, Vec<_>) = unfit(&*self.disk, &folder, census::BRAIN)
                .into_iter()
                .partition(|finding| finding.place.extension().is_some_and(|it| it == "md"));
            found.add_unnamed(other);
            let mut inside = Findings::default();
            inside.extend(claims.into_iter().filter(|finding| !found.is_at(&finding.place)));
            found.add_store(inside, &folder.join("agent-memory"), whole(&folder));
        }
        for brain in brains.iter().filter(|brain| brain.place == StorePlace::Repo) {
            let is_named = whole(&brain.folder);
            let found_there = unfit(&*self.disk, &repo::folder(&brain.root), census::REPOSITORY);
            // The claims of the store were named by the code that read them.
            let is_claim = |finding: &Finding| finding.place.extension().is_some_and(|it| it == "md");
            found.add_unnamed(
                found_there.into_iter().filter(|finding| is_named || !is_claim(finding)).collect(),
            );
        }
    }
}

/// The findings about everything below a folder that is not what the census says: of one kind as many as a person reads, and
/// how many more there are. The caller leaves out those whose place another finding names.
pub fn unfit(disk: &dyn Disk, base: &Path, kinds: &'static [CensusEntry]) -> Vec<Finding> {
    let mut named: BTreeMap<Trouble, Vec<Finding>> = BTreeMap::new();
    let mut more: BTreeMap<Trouble, usize> = BTreeMap::new();
    for unfit in census::find_unfit(disk, base, kinds) {
        let aside = free_name(disk, base, kinds, &unfit.path);
        let finding = unfit_finding(disk, unfit, &aside);
        let alike = named.entry(finding.trouble).or_default();
        match alike.len() < FINDINGS_NAMED_MAX {
            true => alike.push(finding),
            false => *more.entry(finding.trouble).or_default() += 1,
        }
    }
    let more = more.into_iter().map(|(trouble, count)| Finding {
        trouble,
        place: base.to_owned(),
        detail: format!("{count} more below it are like those that are named"),
        fix: advice!["mend those that are named, then run ", calls::doctor(), " again"],
    });
    named.into_values().flatten().chain(more).collect()
}

/// A name beside a path that nothing has, so that what is moved there takes the place of nothing. The census has no entry
/// for it either: what was moved aside is no finding any more.
fn free_name(disk: &dyn Disk, base: &Path, kinds: &'static [CensusEntry], path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // A place of the census that takes any name takes none that begins with a dot.
    let names = |number: usize| {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        ["", "."].map(|dot| path.with_file_name(format!("{dot}{name}.aside{number}")))
    };
    let is_free = |path: &PathBuf| {
        path.strip_prefix(base).is_ok_and(|below| census::kind_of(kinds, below).is_none())
            && disk.stat(path).is_err_and(|error| error.fault() == DiskFault::NotFound)
    };
    let [_, last] = names(100);
    (1..100).flat_map(names).find(is_free).unwrap_or(last)
}

fn unfit_finding(disk: &dyn Disk, unfit: UnfitPath, aside: &Path) -> Finding {
    let UnfitPath { path, kind, fault } = unfit;
    let shown = word(&path);
    let then = (kind.then)();
    let then = if then.is_empty() { then } else { advice!["; then ", then] };
    let aside = advice![Shell::line(format!("mv {shown} {}", word(aside))), then];
    let is_folder = matches!(kind.is, census::ExpectedKind::Folder);
    let (detail, fix) = match fault {
        PathFault::Link => {
            let meant = if is_folder { "folder" } else { "file" };
            (format!("it is a symbolic link, which is not followed: a real {meant} belongs there"), aside)
        }
        PathFault::FolderForFile => ("it is a folder, and a file belongs there".to_owned(), aside),
        PathFault::FileForFolder => ("it is a file, and a folder belongs there".to_owned(), aside),
        PathFault::Neither => {
            let meant = if is_folder { "folder" } else { "file" };
            (format!("it is a pipe, a socket or a device, and a {meant} belongs there"), aside)
        }
        PathFault::TooLarge(len, len_max) => (
            format!("it has {len} bytes, and no more than {len_max} are read: what it says is not known"),
            aside,
        ),
        PathFault::Unreadable(fault) => {
            let (verb, bits) = if is_folder { ("list", "u+rwx") } else { ("read", "u+rw") };
            (
                format!("this user cannot {verb} it ({fault})"),
                Shell::line(permitting(disk, &path, bits)).into(),
            )
        }
        PathFault::Unwritable => (
            "this user cannot write to the folder: writes are refused".to_owned(),
            Shell::line(permitting(disk, &path, "u+rwx")).into(),
        ),
        PathFault::Garbled(meant) => (format!("it is not {meant}: what it says is not known"), aside),
        PathFault::GarbledLines(count, meant) => (
            format!("{count} of its lines have no effect: each must be {meant}"),
            advice!["open {shown} and mend or remove the lines that are not {meant}"],
        ),
    };
    let trouble = match (kind.weight, &fault) {
        (LossWhenUnfit::Local, _) => Trouble::LocalUnusable,
        (LossWhenUnfit::Ground, PathFault::GarbledLines(..)) => Trouble::FileDamaged,
        (LossWhenUnfit::Ground, PathFault::Garbled(_)) => Trouble::FileDamaged,
        (LossWhenUnfit::Ground, _) => Trouble::FileUnusable,
    };
    Finding { trouble, place: path, detail, fix }
}

impl Findings {
    /// Adds those findings whose place no other one names.
    fn add_unnamed(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            if !self.is_named_by_another(&finding) {
                self.extend([finding]);
            }
        }
    }

    /// Whether another finding names the path, or its folder together with the name of the damaged file.
    fn is_named_by_another(&self, finding: &Finding) -> bool {
        let (folder, name) =
            (finding.place.parent(), finding.place.file_name().and_then(|name| name.to_str()));
        let names_it = |folder: &Path, name: &str| {
            self.iter().any(|other| other.place == folder && other.detail.contains(name))
        };
        self.is_at(&finding.place)
            || finding.trouble == Trouble::FileDamaged
                && folder.zip(name).is_some_and(|(folder, name)| names_it(folder, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;

    #[test] // spec: MEM-43, IF-4
    fn what_is_moved_aside_as_the_fix_says_is_no_finding_any_more() {
        let (disk, base) = (SimDisk::new(), Path::new("/base"));
        for kinds in [census::HOME, census::BRAIN, census::REPOSITORY, census::MAIL] {
            for kind in kinds {
                let below = kind.place.replace('*', "x");
                let aside = free_name(&disk, base, kinds, &base.join(&below));
                let below_aside = aside.strip_prefix(base).expect("it is beside it");
                assert!(census::kind_of(kinds, below_aside).is_none(), "{below} -> {aside:?}");
            }
        }
    }
}

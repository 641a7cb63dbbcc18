//! The files that a repository keeps for its brain, and the rules in them for git.

pub use crate::sharing::{Exposed, GitSharing};

use crate::git_index::GitPlace;
use crate::git_rules;
use crate::layout::{BOX, MANIFEST, REPO_FOLDER};
use crate::real_folder::real_folder;
use crate::{StoreError, durable};
use brainstem_base::disk::FileKind;
use brainstem_base::{Disk, DiskFault, Ids};
use std::path::{Path, PathBuf};

/// The name of the merge driver in git's settings.
pub const DRIVER: &str = "brainstem-claim";
const GIT_CONFIG_MAX: u64 = 1024 * 1024;

/// Union for the logs, our own driver for claims; bytes are never converted.
const ATTRIBUTES: &str = "\
# Written by `brainstem init`; `brainstem eject` removes it.
acts.jsonl merge=union -text
inbox.jsonl merge=union -text
agent-memory/*.light.md merge=brainstem-claim -text
";
/// Only what a killed write may leave behind stays out of git.
const IGNORE: &str = "\
# Written by `brainstem init`; `brainstem eject` removes it.
.tmp-*
config.local.toml
";
/// Everything stays out of git.
const IGNORE_ALL: &str = "\
# Written by `brainstem init --private`; `brainstem eject` removes it.
*
";

/// The folder in a repository.
pub fn folder(root: &Path) -> PathBuf {
    root.join(REPO_FOLDER)
}

/// Refuses a folder of the repository's memory that is a link, or not a folder.
pub fn check_folder(disk: &dyn Disk, dir: &Path) -> Result<(), StoreError> {
    real_folder(disk, dir)
}

/// The folder of the claims beside them.
const CLAIMS: &str = "agent-memory";
/// The settings of one machine, which git never commits.
const LOCAL_CONFIG: &str = "config.local.toml";
/// The file that says what git ignores.
const GITIGNORE: &str = ".gitignore";

/// The files beside the claims, each with its content: the one that says what git ignores comes first.
pub fn files(sharing: GitSharing) -> [(&'static str, &'static str); 2] {
    let ignore = match sharing {
        GitSharing::Committed => IGNORE,
        GitSharing::Private | GitSharing::Unread => IGNORE_ALL,
    };
    [(GITIGNORE, ignore), (".gitattributes", ATTRIBUTES)]
}

/// How git can commit what is in the folder of a private project; `None` if it cannot.
pub fn exposed(disk: &dyn Disk, folder: &Path) -> Option<Exposed> {
    if !tracked(disk, folder).is_empty() {
        return Some(Exposed::Tracked);
    }
    (!keeps_all_out(disk, folder)).then_some(Exposed::NotIgnored)
}

/// Whether the file beside the claims keeps everything out of git.
pub fn keeps_all_out(disk: &dyn Disk, folder: &Path) -> bool {
    disk.read(&folder.join(GITIGNORE), GIT_CONFIG_MAX).is_ok_and(|there| leaves_all_out(&there))
}

/// Refuses a write into that folder while git can commit what is there. If only the file that keeps it out is missing,
/// the write itself restores it.
pub(crate) fn check_not_exposed(disk: &dyn Disk, folder: &Path) -> Result<(), StoreError> {
    match exposed(disk, folder) {
        Some(exposed) if exposed == Exposed::Tracked || !comes_back(disk, folder) => {
            Err(StoreError::PrivateExposed { folder: folder.display().to_string(), exposed })
        }
        Some(_) | None => Ok(()),
    }
}

/// Whether [`keep_out_of_git`] writes the file that keeps everything out.
fn comes_back(disk: &dyn Disk, folder: &Path) -> bool {
    match disk.read(&folder.join(GITIGNORE), GIT_CONFIG_MAX) {
        Ok(there) => there == IGNORE.as_bytes(),
        Err(error) => error.fault() == DiskFault::NotFound,
    }
}

/// The paths that git tracks in the folder, relative to it, in any repository around it. An index that cannot be read
/// counts as empty.
fn tracked(disk: &dyn Disk, folder: &Path) -> Vec<Vec<u8>> {
    let places = GitPlace::around(disk, folder);
    places
        .iter()
        .filter_map(|place| place.tracked(disk).ok())
        .flat_map(|listed| listed.paths.into_iter().chain(listed.unlisted))
        .collect()
}

/// Whether a file of this name in the folder came with the repository: git tracks it.
pub(crate) fn is_tracked(disk: &dyn Disk, folder: &Path, name: &str) -> bool {
    tracked(disk, folder).iter().any(|path| path == name.as_bytes())
}

/// Whether the patterns of a `.gitignore` keep out everything beside it: in git the last matching pattern wins.
fn leaves_all_out(gitignore: &[u8]) -> bool {
    let lines = gitignore.split(|byte| *byte == b'\n');
    let mut patterns = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    patterns.next_back() == Some(b"*")
}

/// Whether the file beside the claims keeps everything out of git, as `init --private` wrote it. A file that git tracks
/// belongs to another clone: in this one the memory is shared.
pub fn is_kept_out(disk: &dyn Disk, folder: &Path) -> Result<bool, StoreError> {
    match disk.read(&folder.join(GITIGNORE), GIT_CONFIG_MAX) {
        Ok(there) => Ok(there == IGNORE_ALL.as_bytes() && !is_tracked(disk, folder, GITIGNORE)),
        // Another kind of file under that name was not written by this program.
        Err(error) if matches!(error.fault(), DiskFault::NotFound | DiskFault::NotAFile) => Ok(false),
        Err(error) => Err(StoreError::disk("cannot read what keeps the memory out of git")(error)),
    }
}

/// Whether that folder has anything under the name `.gitignore`.
pub(crate) fn has_gitignore(disk: &dyn Disk, folder: &Path) -> bool {
    disk.stat(&folder.join(GITIGNORE)).is_ok()
}

/// Makes the folder of a private project if it is missing, and the file that keeps it out of git before anything else
/// is in it. A file that a person wrote stays, and so does one that git tracks: a commit of it would reach every clone.
pub(crate) fn keep_out_of_git(disk: &dyn Disk, ids: &dyn Ids, folder: &Path) -> Result<(), StoreError> {
    real_folder(disk, folder)?;
    let path = folder.join(GITIGNORE);
    if !comes_back(disk, folder) || is_tracked(disk, folder, GITIGNORE) {
        return Ok(());
    }
    match folder.parent() {
        Some(root) => durable::make_dirs_below(disk, root, folder)?,
        None => durable::make_dirs(disk, folder)?,
    }
    durable::replace(disk, ids, &path, IGNORE_ALL.as_bytes())
        .map_err(StoreError::disk("cannot write into the repository"))
}

/// Writes the files beside the claims. Files that a person changed stay, and are returned; in a private project the one
/// that keeps everything out of git gets a last line that does so.
pub fn write_files(
    disk: &dyn Disk,
    ids: &dyn Ids,
    root: &Path,
    sharing: GitSharing,
) -> Result<Vec<PathBuf>, StoreError> {
    let dir = folder(root);
    make_folder(disk, root, &dir, sharing)?;
    let mut kept = Vec::new();
    for (name, content) in files(sharing) {
        let path = dir.join(name);
        let there = disk.read(&path, GIT_CONFIG_MAX).ok();
        let ours = there.as_deref().is_none_or(|there| is_ours(name, there));
        let must_leave_out = name == GITIGNORE && sharing == GitSharing::Private;
        if must_leave_out && is_tracked(disk, &dir, name) {
            // If it were changed and committed, it would make the memory of every clone private.
            continue;
        }
        let content = match there.as_deref() {
            Some(there) if !ours && must_leave_out && !leaves_all_out(there) => [there, b"\n*\n"].concat(),
            Some(_) if !ours => {
                kept.push(path);
                continue;
            }
            Some(_) | None => content.into(),
        };
        if there.as_ref() != Some(&content) {
            durable::replace(disk, ids, &path, &content)
                .map_err(StoreError::disk("cannot write into the repository"))?;
        }
    }
    make_folder(disk, root, &dir.join(CLAIMS), sharing)?;
    Ok(kept)
}

/// Makes a folder in the repository at `root`, and not the repository itself. Other users of the checkout may enter it as the
/// umask says; one of a private project is its owner's alone.
pub(crate) fn make_folder(
    disk: &dyn Disk,
    root: &Path,
    dir: &Path,
    sharing: GitSharing,
) -> Result<(), StoreError> {
    match sharing {
        GitSharing::Committed => durable::make_shared_dirs_below(disk, root, dir),
        GitSharing::Private | GitSharing::Unread => durable::make_dirs_below(disk, root, dir),
    }
}

/// Gives the folder in a repository, and each folder in it, the permissions of the folder at `model`: those of the home for
/// a project that becomes private, and those of the checkout for one that becomes shared.
pub(crate) fn set_permissions(disk: &dyn Disk, root: &Path, model: &Path) -> Result<(), StoreError> {
    let dir = folder(root);
    let fault = || StoreError::disk("cannot change the permissions of the memory in the repository");
    let entries = disk.list(&dir).map_err(fault())?;
    let below = entries.iter().filter(|entry| entry.kind == FileKind::Dir).map(|entry| dir.join(&entry.name));
    for dir in below.chain([dir.clone()]) {
        disk.set_permissions_like(&dir, model).map_err(fault())?;
    }
    Ok(())
}

/// Writes the files beside the claims that are missing; existing ones stay as they are.
pub(crate) fn write_missing(
    disk: &dyn Disk,
    ids: &dyn Ids,
    root: &Path,
    sharing: GitSharing,
) -> Result<(), StoreError> {
    for (name, content) in files(sharing) {
        let path = folder(root).join(name);
        if disk.stat(&path).is_err() {
            durable::create(disk, ids, &path, content.as_bytes())
                .map_err(StoreError::disk("cannot write into the repository"))?;
        }
    }
    Ok(())
}

fn is_ours(name: &str, bytes: &[u8]) -> bool {
    [GitSharing::Committed, GitSharing::Private]
        .into_iter()
        .flat_map(files)
        .any(|(known, content)| known == name && content.as_bytes() == bytes)
}

/// Whether an entry of the repository's folder moves with the memory.
pub fn moves_with_memory(name: &str) -> bool {
    [CLAIMS, "acts.jsonl", MANIFEST].contains(&name)
}

/// Whether an entry of the repository's folder is a file for git.
pub fn is_for_git(name: &str) -> bool {
    files(GitSharing::Committed).iter().any(|(known, _)| *known == name)
}

/// Whether [`remove_files`] removes this file for git: not if a person changed it, and not while something stays in the
/// folder that it keeps out of git, or letters that it has rules about.
pub fn is_removed(disk: &dyn Disk, root: &Path, name: &str) -> bool {
    let dir = folder(root);
    let Ok(there) = disk.read(&dir.join(name), GIT_CONFIG_MAX) else { return false };
    let has = |name: &str| disk.stat(&dir.join(name)).is_ok();
    let is_needed = match name == GITIGNORE {
        true if leaves_all_out(&there) => stays_in(disk, &dir),
        true => has(BOX) || has(LOCAL_CONFIG),
        false => has(BOX),
    };
    !is_needed && is_ours(name, &there)
}

/// Whether a file of another program, letters or settings stay in the repository's folder when its memory leaves it. A
/// folder that cannot be listed has some.
fn stays_in(disk: &dyn Disk, dir: &Path) -> bool {
    let claims = dir.join(CLAIMS);
    let stays = |dir: &Path, leaves: &dyn Fn(&str) -> bool| match disk.list(dir) {
        Ok(entries) => entries.iter().any(|entry| {
            let name = entry.name.to_string_lossy();
            !leaves(&name) && !is_leftover(&name)
        }),
        Err(error) => error.fault() != DiskFault::NotFound,
    };
    stays(dir, &|name| moves_with_memory(name) || is_for_git(name))
        || stays(&claims, &|name| name.ends_with(".light.md"))
}

/// Whether a file of this name was left behind by a killed write.
pub fn is_leftover(name: &str) -> bool {
    name.starts_with(durable::TEMP_PREFIX)
}

/// Removes what [`write_files`] and the manifest added, what killed writes left behind, and then empty folders. The
/// caller holds every lock of the store, so no living write has a temporary file there. If letters or other files
/// stay, the rules for git about them stay too: private words must not become ones that can be committed.
pub fn remove_files(disk: &dyn Disk, root: &Path) -> Result<(), StoreError> {
    let dir = folder(root);
    let fault = || StoreError::disk("cannot clear the repository");
    for dir in [dir.join(CLAIMS), dir.clone()] {
        let entries = match disk.list(&dir) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => continue,
            Err(error) => return Err(fault()(error)),
        };
        for entry in entries.iter().filter(|entry| is_leftover(&entry.name.to_string_lossy())) {
            disk.unlink(&dir.join(&entry.name)).map_err(fault())?;
        }
    }
    for (name, _) in files(GitSharing::Committed) {
        if is_removed(disk, root, name) {
            disk.unlink(&dir.join(name)).map_err(fault())?;
        }
    }
    for dir in [dir.join(CLAIMS), dir] {
        // A folder that still holds another program's files stays.
        let _ = disk.remove_dir(&dir);
    }
    match disk.sync_dir(root) {
        Err(error) if error.fault() != DiskFault::NotFound => Err(fault()(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes the manifest: from then on the folder is not a brain.
pub fn remove_manifest(disk: &dyn Disk, root: &Path) -> Result<(), StoreError> {
    let dir = folder(root);
    match disk.unlink(&dir.join(MANIFEST)).and_then(|()| disk.sync_dir(&dir)) {
        Err(error) if error.fault() != DiskFault::NotFound => {
            Err(StoreError::disk("cannot clear the repository")(error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The attributes of this clone alone, beside the driver: another clone may remove the file that is committed.
const INFO_ATTRIBUTES: &str = "\
# Written by `brainstem init`; `brainstem eject` removes it.
.brainstem/acts.jsonl merge=union -text
.brainstem/inbox.jsonl merge=union -text
.brainstem/agent-memory/*.light.md merge=brainstem-claim -text
";

/// Sets in one clone how git merges the files of memory, whatever is committed.
pub fn set_attributes(disk: &dyn Disk, ids: &dyn Ids, git_dir: &Path) -> Result<(), StoreError> {
    let dir = git_dir.join("info");
    durable::make_shared_dirs_below(disk, git_dir, &dir)?;
    let path = dir.join("attributes");
    let before = attributes_of(disk, &path)?;
    if before.contains(INFO_ATTRIBUTES) {
        return Ok(());
    }
    let end = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    durable::replace(disk, ids, &path, format!("{before}{end}{INFO_ATTRIBUTES}").as_bytes())
        .map_err(StoreError::disk("cannot change the attributes of git"))
}

/// Takes that back.
pub fn unset_attributes(disk: &dyn Disk, ids: &dyn Ids, git_dir: &Path) -> Result<(), StoreError> {
    let path = git_dir.join("info/attributes");
    let before = attributes_of(disk, &path)?;
    let after = before.replace(INFO_ATTRIBUTES, "");
    if after == before {
        return Ok(());
    }
    let done = match after.is_empty() {
        true => disk.unlink(&path).and_then(|()| disk.sync_dir(&git_dir.join("info"))),
        false => durable::replace(disk, ids, &path, after.as_bytes()),
    };
    done.map_err(StoreError::disk("cannot change the attributes of git"))
}

/// What keeps the memory of one clone out of git where the files beside it are tracked: those stay as they are, because a
/// commit of them would reach every clone.
const INFO_EXCLUDE: &str = "\
# brainstem: the memory of this clone is private.
/.brainstem/
";

/// Lets this clone exclude the folder of memory from git. What git tracks there is tracked until git is changed, and
/// is left out from then on.
pub fn set_exclude(disk: &dyn Disk, ids: &dyn Ids, git_dir: &Path) -> Result<(), StoreError> {
    let dir = git_dir.join("info");
    durable::make_shared_dirs_below(disk, git_dir, &dir)?;
    let path = dir.join("exclude");
    let before = exclude_of(disk, &path)?;
    if before.ends_with(INFO_EXCLUDE.as_bytes()) {
        return Ok(());
    }
    // The last rule that fits wins.
    let before = cut_out(&before, INFO_EXCLUDE.as_bytes());
    let end: &[u8] = if before.is_empty() || before.ends_with(b"\n") { b"" } else { b"\n" };
    durable::replace(disk, ids, &path, &[&before, end, INFO_EXCLUDE.as_bytes()].concat())
        .map_err(StoreError::disk("cannot keep the memory out of git"))
}

/// The `.gitignore` above the folder of memory whose rules win over what this clone excludes; `None` if none does.
pub fn overruled_exclude(disk: &dyn Disk, root: &Path) -> Option<PathBuf> {
    let folder = folder(root);
    let top = GitPlace::tops_around(disk, &folder).into_iter().next()?;
    git_rules::taking_in(disk, &top, &folder)
}

/// Takes that back; the lines of a person stay.
pub fn unset_exclude(disk: &dyn Disk, ids: &dyn Ids, git_dir: &Path) -> Result<(), StoreError> {
    let path = git_dir.join("info/exclude");
    let before = exclude_of(disk, &path)?;
    let after = cut_out(&before, INFO_EXCLUDE.as_bytes());
    if after == before {
        return Ok(());
    }
    durable::replace(disk, ids, &path, &after).map_err(StoreError::disk("cannot tell git about the memory"))
}

/// The bytes without the first place where `what` is.
fn cut_out(bytes: &[u8], what: &[u8]) -> Vec<u8> {
    match bytes.windows(what.len()).position(|window| window == what) {
        Some(at) => [&bytes[..at], &bytes[at + what.len()..]].concat(),
        None => bytes.to_vec(),
    }
}

fn exclude_of(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>, StoreError> {
    match disk.read(path, GIT_CONFIG_MAX) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.fault() == DiskFault::NotFound => Ok(Vec::new()),
        Err(error) => Err(StoreError::disk("cannot read what git excludes")(error)),
    }
}

fn attributes_of(disk: &dyn Disk, path: &Path) -> Result<String, StoreError> {
    match disk.read(path, GIT_CONFIG_MAX) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.fault() == DiskFault::NotFound => Ok(String::new()),
        Err(error) => Err(StoreError::disk("cannot read the attributes of git")(error)),
    }
}

/// Sets in one git folder how claims are merged; returns false if it was set already.
///
/// `driver` is the shell command git runs. The file is replaced the way git does it itself: written as `config.lock`,
/// which no other program can take meanwhile, then renamed.
pub fn set_driver(disk: &dyn Disk, git_dir: &Path, driver: &str) -> Result<bool, StoreError> {
    change_config(disk, git_dir, |lines| {
        let mut lines = without_driver(lines);
        lines.push(format!("[merge \"{DRIVER}\"]"));
        lines.push("\tname = Brainstem claims".into());
        lines.push(format!("\tdriver = \"{}\"", driver.replace('\\', "\\\\").replace('"', "\\\"")));
        lines
    })
}

/// Removes that setting; returns false if it was not there.
pub fn unset_driver(disk: &dyn Disk, git_dir: &Path) -> Result<bool, StoreError> {
    change_config(disk, git_dir, without_driver)
}

fn without_driver(lines: Vec<String>) -> Vec<String> {
    let mut ours = false;
    let mut kept = Vec::new();
    for line in lines {
        if line.trim_start().starts_with('[') {
            ours = line.trim() == format!("[merge \"{DRIVER}\"]");
        }
        if !ours {
            kept.push(line);
        }
    }
    kept
}

fn change_config(
    disk: &dyn Disk,
    git_dir: &Path,
    change: impl FnOnce(Vec<String>) -> Vec<String>,
) -> Result<bool, StoreError> {
    let fault = || StoreError::disk("cannot change the settings of git");
    let path = git_dir.join("config");
    let before = disk.read(&path, GIT_CONFIG_MAX).map_err(fault())?;
    let Ok(text) = String::from_utf8(before) else { return Ok(false) };
    let mut after = change(text.lines().map(str::to_owned).collect()).join("\n");
    after.push('\n');
    if after == text {
        return Ok(false);
    }
    let lock = git_dir.join("config.lock");
    disk.write_new(&lock, after.as_bytes()).map_err(fault())?;
    if let Err(error) = disk.rename(&lock, &path) {
        let _ = disk.unlink(&lock);
        return Err(fault()(error));
    }
    disk.sync_dir(git_dir).map_err(fault())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::disk::SimDisk;

    #[test] // spec: MEM-49
    fn the_settings_of_git_get_one_section_and_lose_exactly_that() {
        let disk = SimDisk::new();
        let before = "[core]\n\tbare = false\n[merge \"other\"]\n\tdriver = x\n";
        disk.write_raw(Path::new("/r/.git/config"), before.as_bytes());
        let git = Path::new("/r/.git");
        let text =
            || String::from_utf8(disk.read(&git.join("config"), 1024).expect("a file")).expect("UTF-8");
        assert!(set_driver(&disk, git, "a \"b\" \\c").expect("a working disk"));
        assert!(!set_driver(&disk, git, "a \"b\" \\c").expect("a working disk"), "twice is once");
        assert!(text().starts_with(before), "{}", text());
        assert!(text().ends_with("driver = \"a \\\"b\\\" \\\\c\"\n"), "{}", text());
        assert!(unset_driver(&disk, git).expect("a working disk"));
        assert_eq!(text(), before);
        assert!(!unset_driver(&disk, git).expect("a working disk"));
    }

    #[test] // spec: MEM-49
    fn the_attributes_of_a_clone_get_our_lines_and_lose_exactly_those() {
        let (disk, ids) = (SimDisk::new(), brainstem_base::ids::CountingIds::from(1));
        let git = Path::new("/r/.git");
        let path = git.join("info/attributes");
        disk.make_dirs(git);
        set_attributes(&disk, &ids, git).expect("a working disk");
        assert_eq!(disk.read(&path, 1024).expect("a file"), INFO_ATTRIBUTES.as_bytes());
        unset_attributes(&disk, &ids, git).expect("a working disk");
        assert!(disk.stat(&path).is_err(), "there was none before");
        disk.write_raw(&path, b"*.png binary");
        for _ in 0..2 {
            set_attributes(&disk, &ids, git).expect("a working disk");
        }
        let text = format!("*.png binary\n{INFO_ATTRIBUTES}");
        assert_eq!(disk.read(&path, 1024).expect("a file"), text.as_bytes(), "twice is once");
        unset_attributes(&disk, &ids, git).expect("a working disk");
        assert_eq!(disk.read(&path, 1024).expect("a file"), b"*.png binary\n");
    }

    #[test] // spec: MEM-2
    fn what_a_private_folder_keeps_out_of_git_stays_out_of_it() {
        let ids = brainstem_base::ids::CountingIds::from(1);
        let root = Path::new("/r");
        for (left, kept) in [
            (&[".brainstem/agent-memory/.tmp-1", ".brainstem/.tmp-2"][..], &[][..]),
            (&[".brainstem/notes.txt"], &[".brainstem/.gitignore", ".brainstem/notes.txt"]),
            (
                &[".brainstem/agent-memory/notes.txt", ".brainstem/agent-memory/.tmp-1"],
                &[".brainstem/.gitignore", ".brainstem/agent-memory/notes.txt"],
            ),
        ] {
            let disk = SimDisk::new();
            disk.make_dirs(root);
            write_files(&disk, &ids, root, GitSharing::Private).expect("a working disk");
            for path in left {
                disk.write_raw(root.join(path), b"private words");
            }
            remove_files(&disk, root).expect("a working disk");
            let kept: Vec<PathBuf> = kept.iter().map(|path| root.join(path)).collect();
            assert_eq!(disk.dump().into_keys().collect::<Vec<_>>(), kept, "{left:?}");
        }
        let disk = SimDisk::new();
        disk.make_dirs(root);
        write_files(&disk, &ids, root, GitSharing::Committed).expect("a working disk");
        disk.write_raw(Path::new("/r/.brainstem/config.local.toml"), b"");
        remove_files(&disk, root).expect("a working disk");
        let kept = ["/r/.brainstem/.gitignore", "/r/.brainstem/config.local.toml"].map(PathBuf::from);
        assert_eq!(disk.dump().into_keys().collect::<Vec<_>>(), kept, "the settings of this machine");
    }

    #[test] // spec: MEM-2
    fn a_file_that_somebody_changed_stays() {
        let disk = SimDisk::new();
        let ids = brainstem_base::ids::CountingIds::from(1);
        let root = Path::new("/r");
        disk.write_raw(Path::new("/r/.brainstem/.gitignore"), b"mine\n");
        let kept = write_files(&disk, &ids, root, GitSharing::Committed).expect("a working disk");
        assert_eq!(kept, [Path::new("/r/.brainstem/.gitignore")]);
        remove_files(&disk, root).expect("a working disk");
        assert_eq!(disk.dump().into_keys().collect::<Vec<_>>(), [Path::new("/r/.brainstem/.gitignore")]);
    }
}

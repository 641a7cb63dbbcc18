//! Finding out which messages of a mail root git tracks: its indexes, and the notes in the home.

use super::folder::MailFolder;
use super::mailbox::Mailbox;
use super::root::MailRoot;
use super::tracked::{IndexRead, TrackedMessages, joined};
use super::tracked_notes::NotedMessages;
use crate::git_index::GitPlace;
use brainstem_base::disk::FileStamp;
use brainstem_base::hash;
use brainstem_mail::FileName;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

/// The folder of the notes, below the home.
const NOTES: &str = "mail-tracked";

impl MailRoot {
    /// The messages that git tracks now, and those that it tracked according to the notes. An index is read again when
    /// it has changed.
    pub fn tracked(&self) -> Arc<TrackedMessages> {
        let mut seen = self.seen.0.lock().unwrap_or_else(PoisonError::into_inner);
        let file_stamps = |files: &[PathBuf]| -> Vec<FileStamp> {
            files.iter().map(|path| self.disk.stamp(path).unwrap_or_default()).collect()
        };
        let Some(inner) = self.inner_repositories() else {
            return Arc::new(TrackedMessages::unknown());
        };
        let (notes, tops) = (self.notes(), GitPlace::tops_around(&*self.disk, self.path()));
        if let Some(read) = seen.as_ref()
            && (&read.outer, &read.inner) == (&tops, &inner)
            && notes.iter().all(|path| read.files.contains(path))
            && file_stamps(&read.files) == read.file_stamps
        {
            return read.tracked.clone();
        }
        let outer = GitPlace::around(&*self.disk, self.path());
        let places: Vec<(String, Option<GitPlace>)> = inner
            .iter()
            .map(|below| (below.clone(), GitPlace::at_top(&*self.disk, &self.path().join(below))))
            .collect();
        let indexes = outer.iter().chain(places.iter().filter_map(|(_, place)| place.as_ref()));
        let files: Vec<PathBuf> =
            indexes.flat_map(|place| place.indexes.clone()).chain(notes.clone()).collect();
        // The stamps come first: an index that changes while it is read is read again.
        let file_stamps = file_stamps(&files);
        let tracked = Arc::new(self.gathered(&outer, &places, &notes));
        *seen = Some(IndexRead { outer: tops, inner, files, file_stamps, tracked: tracked.clone() });
        tracked
    }

    /// The files of the notes: one by the path of the mail root, and one by the folder that is there now, if the file
    /// system can tell folders apart. Empty without a home.
    pub(super) fn notes(&self) -> Vec<PathBuf> {
        let Some(home) = &self.home else { return Vec::new() };
        let identity = self.disk.stat(self.path()).ok().and_then(|stat| stat.identity);
        let of_folder =
            identity.map(|identity| format!("{}-{}", identity.inode, identity.born_ns).into_bytes());
        let of_path = self.path().as_os_str().as_encoded_bytes().to_vec();
        let keys = [Some(of_path), of_folder].into_iter().flatten();
        keys.map(|key| home.join(NOTES).join(hash::sha256_hex(&key, 16))).collect()
    }

    /// The folders of the mail root at which a repository begins: the root itself, boxes, and folders of boxes; `None`
    /// if the root cannot be listed.
    fn inner_repositories(&self) -> Option<Vec<String>> {
        let boxes = self.boxes().ok()?;
        let of_boxes = boxes.iter().flat_map(|name| {
            MailFolder::ALL.iter().map(move |folder| match folder.dir_name() {
                Some(dir) => format!("{name}/{dir}"),
                None => name.to_string(),
            })
        });
        let begins = |below: &String| self.disk.stat(&self.path().join(below).join(".git")).is_ok();
        Some(std::iter::once(String::new()).chain(of_boxes).filter(begins).collect())
    }

    fn gathered(
        &self,
        outer: &[GitPlace],
        inner: &[(String, Option<GitPlace>)],
        notes: &[PathBuf],
    ) -> TrackedMessages {
        let mut tracked = TrackedMessages::nothing_yet(self.disk.clone(), self.path().to_owned());
        let mut submodules: Vec<String> = Vec::new();
        let mut enclosing: Vec<usize> = Vec::new();
        let around = outer.iter().map(|place| (String::new(), Some(place)));
        let all = around.chain(inner.iter().map(|(below, place)| (below.clone(), place.as_ref())));
        for (below, place) in all {
            match place.map(|place| place.tracked(&*self.disk)) {
                Some(Ok(listed)) => {
                    tracked.add(&below, &listed);
                    for folder in &listed.unlisted {
                        tracked.add_unknown(&joined(&below, &String::from_utf8_lossy(folder)));
                    }
                    let paths = listed.submodules.iter().map(|path| String::from_utf8_lossy(path));
                    submodules.extend(paths.map(|path| joined(&below, &path)));
                    enclosing.extend(listed.enclosing);
                }
                Some(Err(_)) | None => tracked.add_unknown(&below),
            }
        }
        for below in submodules.iter().filter(|below| may_hold_messages(below)) {
            let place = inner.iter().find(|(at, _)| at == below).and_then(|(_, place)| place.as_ref());
            let is_readable = place.is_some_and(|place| place.has_index(&*self.disk));
            if !is_readable {
                tracked.add_unknown(below);
            }
        }
        // The repository around a submodule tracks no file inside it: the submodule's own index says which are tracked.
        let of_root = inner.iter().find(|(below, _)| below.is_empty()).and_then(|(_, place)| place.as_ref());
        let within = |len: usize| outer.iter().filter(move |place| place.is_within(len)).chain(of_root);
        if !enclosing.into_iter().all(|len| within(len).any(|place| place.has_index(&*self.disk))) {
            tracked.add_unknown("");
        }
        match NotedMessages::read(&*self.disk, notes) {
            Ok(noted) => tracked.noted = noted,
            Err(_) => tracked.add_unknown(""),
        }
        tracked
    }
}

impl Mailbox<'_> {
    /// Whether git tracks a message of this box, in the folder in which it is now.
    pub fn is_tracked(&self, tracked: &TrackedMessages, file: &FileName) -> bool {
        if !tracked.may_have(&self.name, file) {
            return false;
        }
        let mut places =
            MailFolder::ALL.iter().filter_map(|folder| self.place_in(*folder, file).ok().flatten());
        // A message that is gone was among the unread.
        let path = places.next().map_or_else(|| self.dir.join(file.as_str()), |place| place.path);
        tracked.has(&self.name, file, &path)
    }
}

/// Whether messages can be in a submodule that begins at this path of a mail root.
fn may_hold_messages(below: &str) -> bool {
    match below.split_once('/') {
        None => true,
        Some((_, rest)) => MailFolder::ALL.iter().any(|folder| folder.dir_name() == Some(rest)),
    }
}

//! Folders, files and links, each as programs see it and as it survives a power cut.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use super::super::{DiskFault, FileKind};

/// The number of a file, folder or link. Never used twice.
pub(super) type Ino = u64;

pub(super) const ROOT: Ino = 1;

/// How many links a path may lead through, as on Linux.
const LINKS_MAX: usize = 40;

#[derive(Clone, Debug)]
pub(super) struct SimTree {
    pub(super) nodes: BTreeMap<Ino, SimNode>,
    /// Renames from one folder to another, in order: both folders have their own half of each.
    pub(super) moves: Vec<CrossFolderRename>,
    ino_last: Ino,
    op_last: u64,
}

#[derive(Clone, Debug)]
pub(super) struct SimNode {
    pub(super) body: NodeBody,
    pub(super) born_ns: i128,
    pub(super) modified_ns: i128,
}

#[derive(Clone, Debug)]
pub(super) enum NodeBody {
    File(SimContent),
    Dir(SimFolder),
    Link(PathBuf),
}

/// The bytes of a file. They are only ever appended to, so the durable part is a prefix.
#[derive(Clone, Debug, Default)]
pub(super) struct SimContent {
    pub(super) bytes: Vec<u8>,
    pub(super) synced_len: usize,
}

pub(super) type NameMap = BTreeMap<OsString, Ino>;

/// The names in a folder: `durable` with all of `pending` applied gives `names`.
#[derive(Clone, Debug, Default)]
pub(super) struct SimFolder {
    pub(super) names: NameMap,
    pub(super) durable: NameMap,
    pub(super) pending: Vec<NameOp>,
}

/// Changes of names that survive together or not at all.
#[derive(Clone, Debug)]
pub(super) struct NameOp {
    pub(super) id: u64,
    pub(super) changes: Vec<(OsString, Option<Ino>)>,
}

/// A rename across folders. The operation has the same id in both.
#[derive(Clone, Debug)]
pub(super) struct CrossFolderRename {
    pub(super) ino: Ino,
    pub(super) op: u64,
    pub(super) from: (Ino, OsString),
    pub(super) to: (Ino, OsString),
}

/// Where a path leads: the folders on the way, the last name, and the node that has it.
#[derive(Debug)]
pub(super) struct PathLookup {
    way: Vec<(Ino, OsString)>,
    pub(super) name: OsString,
    pub(super) found: Option<Ino>,
}

impl PathLookup {
    /// The folder that has, or would have, the name.
    pub(super) fn dir(&self) -> Ino {
        self.way.last().map_or(ROOT, |(ino, _)| *ino)
    }

    /// Whether a folder is on the way.
    pub(super) fn is_below(&self, dir: Ino) -> bool {
        self.way.iter().any(|(ino, _)| *ino == dir)
    }

    /// The absolute path, without links.
    pub(super) fn path(&self) -> PathBuf {
        let folders = self.way.iter().map(|(_, name)| name.as_os_str());
        Path::new("/")
            .join(folders.chain([self.name.as_os_str()]).filter(|n| !n.is_empty()).collect::<PathBuf>())
    }
}

impl Default for SimTree {
    fn default() -> Self {
        let root = SimNode { body: NodeBody::Dir(SimFolder::default()), born_ns: 0, modified_ns: 0 };
        Self { nodes: BTreeMap::from([(ROOT, root)]), moves: Vec::new(), ino_last: ROOT, op_last: 0 }
    }
}

impl SimNode {
    pub(super) fn kind(&self) -> FileKind {
        match self.body {
            NodeBody::File(_) => FileKind::File,
            NodeBody::Dir(_) => FileKind::Dir,
            NodeBody::Link(_) => FileKind::Link,
        }
    }
}

impl SimTree {
    /// Walks a path, through links on the way but not through one at its end.
    pub(super) fn walk(&self, path: &Path) -> Result<PathLookup, DiskFault> {
        self.walk_through(path, LastLink::Stays)
    }

    /// Walks a path through every link.
    pub(super) fn walk_to_the_end(&self, path: &Path) -> Result<PathLookup, DiskFault> {
        self.walk_through(path, LastLink::Followed)
    }

    fn walk_through(&self, path: &Path, last_link: LastLink) -> Result<PathLookup, DiskFault> {
        if path.as_os_str().is_empty() {
            return Err(DiskFault::NotFound);
        }
        let mut way = vec![(ROOT, OsString::new())];
        let mut ahead: Vec<PathPart> = parts(path).rev().collect();
        let mut links_count = 0;
        while let Some(part) = ahead.pop() {
            let name = match part {
                PathPart::Root => {
                    way.truncate(1);
                    continue;
                }
                PathPart::Up => {
                    way.truncate((way.len() - 1).max(1));
                    continue;
                }
                PathPart::Name(name) => name,
            };
            let dir = way.last().map_or(ROOT, |(ino, _)| *ino);
            let is_last = ahead.is_empty();
            let Some(ino) = self.folder(dir).and_then(|folder| folder.names.get(&name)).copied() else {
                return if is_last {
                    Ok(PathLookup { way, name, found: None })
                } else {
                    Err(DiskFault::NotFound)
                };
            };
            match &self.node(ino).body {
                NodeBody::Link(target) if !is_last || last_link == LastLink::Followed => {
                    links_count += 1;
                    if links_count > LINKS_MAX {
                        return Err(DiskFault::NotAFile);
                    }
                    ahead.extend(parts(target).rev());
                }
                _ if is_last => return Ok(PathLookup { way, name, found: Some(ino) }),
                NodeBody::Dir(_) => way.push((ino, name)),
                NodeBody::File(_) | NodeBody::Link(_) => return Err(DiskFault::NotFound),
            }
        }
        // The path ended in the root or in `..`, or in a link to them.
        let (ino, name) = way.pop().unwrap_or((ROOT, OsString::new()));
        Ok(PathLookup { way, name, found: Some(ino) })
    }

    /// The node at a path.
    pub(super) fn find(&self, path: &Path) -> Result<Ino, DiskFault> {
        self.walk(path)?.found.ok_or(DiskFault::NotFound)
    }

    /// The folder of that number, if it is one.
    pub(super) fn folder(&self, ino: Ino) -> Option<&SimFolder> {
        match &self.node(ino).body {
            NodeBody::Dir(folder) => Some(folder),
            NodeBody::File(_) | NodeBody::Link(_) => None,
        }
    }

    /// Whether programs see any name of this node.
    pub(super) fn has_name(&self, ino: Ino) -> bool {
        self.nodes.keys().filter_map(|dir| self.folder(*dir)).any(|dir| dir.names.values().any(|n| *n == ino))
    }

    pub(super) fn node(&self, ino: Ino) -> &SimNode {
        self.nodes.get(&ino).expect("a name stands for something")
    }

    pub(super) fn node_mut(&mut self, ino: Ino) -> &mut SimNode {
        self.nodes.get_mut(&ino).expect("a name stands for something")
    }

    /// Adds a new node that has no name yet.
    pub(super) fn add(&mut self, body: NodeBody, now: i128) -> Ino {
        self.ino_last += 1;
        self.nodes.insert(self.ino_last, SimNode { body, born_ns: now, modified_ns: now });
        self.ino_last
    }

    /// Gives, moves or removes names in one folder; not durable yet.
    pub(super) fn rename_in(&mut self, dir: Ino, changes: Vec<(OsString, Option<Ino>)>, now: i128) {
        self.op_last += 1;
        self.apply(dir, self.op_last, changes, now);
    }

    /// Moves a name from one folder to another; not durable yet in either.
    pub(super) fn rename_across(&mut self, ino: Ino, from: (Ino, OsString), to: (Ino, OsString), now: i128) {
        self.op_last += 1;
        let op = self.op_last;
        self.apply(to.0, op, vec![(to.1.clone(), Some(ino))], now);
        self.apply(from.0, op, vec![(from.1.clone(), None)], now);
        self.moves.push(CrossFolderRename { ino, op, from, to });
    }

    /// Gives or confirms a name that is durable at once, whatever was pending for it.
    pub(super) fn name_durably(&mut self, dir: Ino, name: &OsStr, ino: Ino, now: i128) {
        let has_it = self.folder(dir).is_some_and(|folder| folder.names.get(name) == Some(&ino));
        let modified_ns = if has_it { self.node(dir).modified_ns } else { now };
        let folder = self.folder_mut(dir, modified_ns);
        for op in &mut folder.pending {
            op.changes.retain(|(changed, _)| changed != name);
        }
        folder.names.insert(name.to_owned(), ino);
        folder.durable.insert(name.to_owned(), ino);
    }

    /// Makes the names in a folder durable.
    pub(super) fn sync_names(&mut self, dir: Ino) {
        if let NodeBody::Dir(folder) = &mut self.node_mut(dir).body {
            folder.durable = folder.names.clone();
            folder.pending.clear();
        }
    }

    /// Every regular file by its path.
    pub(super) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![(PathBuf::from("/"), ROOT)];
        while let Some((path, ino)) = folders.pop() {
            for (name, ino) in self.folder(ino).iter().flat_map(|folder| &folder.names) {
                match &self.node(*ino).body {
                    NodeBody::File(content) => drop(files.insert(path.join(name), content.bytes.clone())),
                    NodeBody::Dir(_) => folders.push((path.join(name), *ino)),
                    NodeBody::Link(_) => {}
                }
            }
        }
        files
    }

    fn apply(&mut self, dir: Ino, id: u64, changes: Vec<(OsString, Option<Ino>)>, now: i128) {
        let folder = self.folder_mut(dir, now);
        change(&mut folder.names, &changes);
        folder.pending.push(NameOp { id, changes });
    }

    fn folder_mut(&mut self, dir: Ino, now: i128) -> &mut SimFolder {
        let node = self.node_mut(dir);
        node.modified_ns = now;
        match &mut node.body {
            NodeBody::Dir(folder) => folder,
            NodeBody::File(_) | NodeBody::Link(_) => unreachable!("names are in folders"),
        }
    }
}

/// Applies changes to names.
pub(super) fn change(names: &mut NameMap, changes: &[(OsString, Option<Ino>)]) {
    for (name, ino) in changes {
        match ino {
            Some(ino) => drop(names.insert(name.clone(), *ino)),
            None => drop(names.remove(name)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LastLink {
    Followed,
    Stays,
}

enum PathPart {
    Root,
    Up,
    Name(OsString),
}

/// The parts of a path. The current folder is always the root.
fn parts(path: &Path) -> impl DoubleEndedIterator<Item = PathPart> {
    path.components().filter_map(|component| match component {
        Component::RootDir => Some(PathPart::Root),
        Component::ParentDir => Some(PathPart::Up),
        Component::Normal(name) => Some(PathPart::Name(name.to_owned())),
        Component::CurDir | Component::Prefix(_) => None,
    })
}

//! News: what any program changed in the stores of a home.
//!
//! The folders are watched if the system can do that, and now and then they are looked over in full all the same: a
//! watch may miss things, and an editor, git or another program writes without asking. Nothing here is kept. Something
//! that happened and was undone between two looks is no news; a claim that changed twice is news once.

use crate::service::Memory;
use brainstem_base::disk::{Changes, FileKind, FileStamp, Watch};
use brainstem_base::{Disk, DiskFault};
use brainstem_claims::act::Act;
use brainstem_vault::Store;
use brainstem_vault::history::parse_version_name;
use brainstem_vault::scan::{self, CLAIM_SUFFIX, ClaimFileContent};
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    /// `<name>@<8 hex>` of the brain, or `medulla`.
    pub store: String,
    /// The brain's fingerprint; `None` is the medulla.
    pub fingerprint: Option<String>,
    /// What it was.
    pub what: Happened,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// A live claim came or changed.
    Written {
        /// Its slug.
        slug: String,
        /// Its label; `None` when the file is no readable claim.
        label: Option<String>,
        /// Its author.
        source_agent: Option<String>,
        /// When this version was born, in ms.
        created: Option<i64>,
    },
    /// A live claim went: retracted, renamed, moved, forgotten, or taken away by git.
    Gone {
        /// Its slug.
        slug: String,
    },
    /// An act was recorded.
    Acted(Box<Act>),
}

/// A claim that news were about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NewsSubject {
    /// The brain's fingerprint; `None` is the medulla.
    pub fingerprint: Option<String>,
    /// The claim's slug.
    pub slug: String,
}

/// A watcher of the stores, with what it saw last.
#[derive(Default)]
pub struct Newsroom {
    desks: HashMap<String, WatchedStore>,
    begun: bool,
}

/// One store.
struct WatchedStore {
    origin: String,
    fingerprint: Option<String>,
    store: Store,
    seen: HashMap<OsString, FileStamp>,
    watch: Option<Box<dyn Watch>>,
    acts_len: u64,
    /// The last look found a change.
    is_changed: bool,
}

impl Newsroom {
    /// Looks for what happened since the last look. The first look finds nothing. A `thorough` one goes by no
    /// watch.
    pub fn look(&mut self, memory: &Memory, thorough: bool) -> Vec<News> {
        let mut news = Vec::new();
        if thorough || !self.begun {
            self.survey(memory, &mut news);
        }
        for desk in self.desks.values_mut() {
            desk.look(&*memory.disk, thorough, &mut news);
        }
        self.begun = true;
        news
    }

    /// Returns those of these claims of which their store has no version left, live or in history: they were forgotten, or
    /// have another name. Only stores in which the last look found a change are asked. A store that cannot be read has all of them.
    pub fn without_version<'a>(
        &self,
        memory: &Memory,
        asked: impl IntoIterator<Item = &'a NewsSubject>,
    ) -> HashSet<NewsSubject> {
        let mut by_store: HashMap<&str, Vec<&NewsSubject>> = HashMap::new();
        for subject in asked {
            by_store.entry(subject.fingerprint.as_deref().unwrap_or_default()).or_default().push(subject);
        }
        let mut gone = HashSet::new();
        for (key, mut subjects) in by_store {
            let Some(desk) = self.desks.get(key).filter(|desk| desk.is_changed) else { continue };
            subjects.retain(|subject| !desk.is_live(&subject.slug));
            if !subjects.is_empty()
                && let Some(known) = desk.slugs_in_history(&*memory.disk)
            {
                subjects.retain(|subject| !known.contains(&subject.slug));
                gone.extend(subjects.into_iter().cloned());
            }
        }
        gone
    }

    /// Brings the list of stores up to date. A brain that is new to a running newsroom has news; one whose
    /// store moved has none for that.
    fn survey(&mut self, memory: &Memory, news: &mut Vec<News>) {
        let Ok(roster) = memory.home.roster() else { return };
        let brains = roster
            .brains
            .iter()
            .map(|brain| (brain.origin(), Some(brain.fingerprint.clone()), memory.store_of(brain)));
        let medulla = [("medulla".to_owned(), None, memory.home.medulla())];
        let mut here = HashSet::new();
        for (origin, fingerprint, store) in brains.chain(medulla) {
            let key = fingerprint.clone().unwrap_or_default();
            here.insert(key.clone());
            let known = self.desks.get(&key);
            if known.is_some_and(|desk| desk.store.paths() == store.paths()) {
                continue;
            }
            let is_news = self.begun && known.is_none();
            let mut desk = WatchedStore {
                origin,
                fingerprint,
                store,
                seen: HashMap::new(),
                watch: None,
                acts_len: 0,
                is_changed: false,
            };
            let mut found = Vec::new();
            desk.look(&*memory.disk, true, &mut found);
            if is_news {
                news.append(&mut found);
            }
            self.desks.insert(key, desk);
        }
        self.desks.retain(|key, _| here.contains(key));
    }
}

impl WatchedStore {
    fn look(&mut self, disk: &dyn Disk, thorough: bool, news: &mut Vec<News>) {
        let folder = self.store.paths().claims.clone();
        let changes = match &mut self.watch {
            Some(watch) => watch.changes(),
            None => Changes::Unknown,
        };
        if changes == Changes::Unknown {
            // Watched first, so that nothing falls between the two.
            self.watch = disk.watch(&folder);
        }
        let (news_before, acts_before) = (news.len(), self.acts_len);
        match changes {
            Changes::Names(names) if !thorough => {
                for name in names {
                    let print = match disk.stamp(&folder.join(&name)) {
                        Ok(print) => Some(print),
                        Err(error) if error.fault() == DiskFault::NotFound => None,
                        Err(_) => continue,
                    };
                    self.compare(disk, &folder, name, print, news);
                }
            }
            Changes::Names(_) | Changes::Unknown => self.compare_all(disk, &folder, news),
        }
        self.read_acts(news);
        // `forget` takes words out of the log, which may be shorter then.
        self.is_changed = news.len() > news_before || self.acts_len != acts_before;
    }

    fn is_live(&self, slug: &str) -> bool {
        self.seen.contains_key(OsStr::new(&format!("{slug}{CLAIM_SUFFIX}")))
    }

    /// The slugs of which history has a version; `None` if it cannot be read.
    fn slugs_in_history(&self, disk: &dyn Disk) -> Option<HashSet<String>> {
        let entries = match disk.list(&self.store.paths().history) {
            Ok(entries) => entries,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            Err(_) => return None,
        };
        let versions = entries.iter().filter_map(|entry| parse_version_name(entry.name.to_str()?));
        Some(versions.map(|(slug, _)| slug.to_string()).collect())
    }

    fn compare_all(&mut self, disk: &dyn Disk, folder: &Path, news: &mut Vec<News>) {
        let found = match disk.stamps(folder) {
            Ok(found) => found,
            Err(error) if error.fault() == DiskFault::NotFound => Vec::new(),
            // A folder that cannot be read now tells nothing about its claims.
            Err(_) => return,
        };
        let files = found.into_iter().filter(|(entry, _)| entry.kind == FileKind::File);
        let found: HashMap<OsString, FileStamp> = files.map(|(entry, print)| (entry.name, print)).collect();
        let gone: Vec<OsString> =
            self.seen.keys().filter(|name| !found.contains_key(*name)).cloned().collect();
        for name in gone {
            self.compare(disk, folder, name, None, news);
        }
        for (name, print) in found {
            self.compare(disk, folder, name, Some(print), news);
        }
    }

    fn compare(
        &mut self,
        disk: &dyn Disk,
        folder: &Path,
        name: OsString,
        print: Option<FileStamp>,
        news: &mut Vec<News>,
    ) {
        let Some(slug) = slug(&name) else { return };
        let what = match print {
            Some(print) if self.seen.get(&name) == Some(&print) => return,
            Some(print) => {
                let held = scan::read_content(disk, &folder.join(&name));
                self.seen.insert(name, print);
                let claim = match &held {
                    ClaimFileContent::Claim(claim) => Some(&**claim),
                    ClaimFileContent::Sides(sides) => sides.first(),
                    ClaimFileContent::Unreadable(_) | ClaimFileContent::Unread(_) => None,
                    // It went meanwhile, and the next look says so.
                    ClaimFileContent::Nothing => return,
                };
                Happened::Written {
                    slug,
                    label: claim.map(|claim| claim.label.clone()),
                    source_agent: claim.and_then(|claim| claim.source_agent.clone()),
                    created: claim.and_then(|claim| claim.created).map(|at| at.ms()),
                }
            }
            None if self.seen.remove(&name).is_some() => Happened::Gone { slug },
            None => return,
        };
        news.push(self.item(what));
    }

    fn read_acts(&mut self, news: &mut Vec<News>) {
        let acts = self.store.acts();
        let len = acts.stamp().map_or(0, |print| print.len);
        let known = std::mem::replace(&mut self.acts_len, len);
        if len > known {
            let read = acts.last(len - known);
            news.extend(read.into_iter().map(|act| self.item(Happened::Acted(Box::new(act)))));
        }
    }

    fn item(&self, what: Happened) -> News {
        News { store: self.origin.clone(), fingerprint: self.fingerprint.clone(), what }
    }
}

fn slug(name: &OsStr) -> Option<String> {
    name.to_str()?.strip_suffix(CLAIM_SUFFIX).map(str::to_owned)
}

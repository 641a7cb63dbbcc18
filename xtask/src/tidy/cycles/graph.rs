//! Which file of a crate needs which: the paths of its code, each followed to the file that defines what it names, and the
//! methods that it calls on `self`, each in the file of its `impl` block.

use super::source::{self, Body, ImportKind, Path, Scope};
use crate::repository::File;
use std::collections::{BTreeMap, BTreeSet};

/// The files of one crate that its root reaches without tests, and what they need of each other.
#[derive(Debug)]
pub(super) struct Graph {
    /// Their paths below the folder of the root: `store/write.rs`.
    pub(super) files: Vec<String>,
    /// For each file, the files it needs, and the first line that says so.
    pub(super) needs: Vec<BTreeMap<usize, usize>>,
}

impl Graph {
    /// Reads the crate whose root is `root`, one of `files`.
    pub(super) fn read(files: &[File], root: &str) -> Self {
        let (folder, name) = root.rsplit_once('/').unwrap_or(("", root));
        let prefix = format!("{folder}/");
        let texts: BTreeMap<&str, &str> =
            files.iter().filter_map(|file| Some((file.path.strip_prefix(&prefix)?, file.text()))).collect();
        let mut modules = Modules { texts, files: Vec::new(), known: Vec::new(), by_path: BTreeMap::new() };
        modules.load(Vec::new(), name.to_owned(), String::new());
        let needs = modules.needs();
        Self { files: modules.files, needs }
    }
}

/// A module's names from the root of the crate on.
type ModulePath = Vec<String>;

struct Modules<'a> {
    texts: BTreeMap<&'a str, &'a str>,
    files: Vec<String>,
    known: Vec<Module>,
    by_path: BTreeMap<ModulePath, usize>,
}

struct Module {
    path: ModulePath,
    file: usize,
    scope: Scope,
}

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Module(usize),
    /// An item that this module defines.
    Item(usize),
}

impl<'a> Modules<'a> {
    /// Reads the module `path` from `file`; the files of its children are in `folder`.
    fn load(&mut self, path: ModulePath, file: String, folder: String) {
        let Some(text) = self.texts.get(file.as_str()) else { return };
        if file.ends_with("tests.rs") || self.files.contains(&file) {
            return;
        }
        let scope = source::read(text);
        self.files.push(file);
        self.add(path, self.files.len() - 1, scope, &folder);
    }

    fn add(&mut self, path: ModulePath, file: usize, mut scope: Scope, folder: &str) {
        let children = std::mem::take(&mut scope.children);
        self.by_path.insert(path.clone(), self.known.len());
        self.known.push(Module { path: path.clone(), file, scope });
        for child in children {
            let mut child_path = path.clone();
            child_path.push(child.name.clone());
            let child_folder = format!("{folder}{}/", child.name);
            match child.body {
                Body::Here(scope) => self.add(child_path, file, scope, &child_folder),
                Body::File(Some(named)) => {
                    // The compiler looks for its children beside it.
                    let beside =
                        named.rsplit_once('/').map_or(String::new(), |(below, _)| format!("{below}/"));
                    self.load(child_path, format!("{folder}{named}"), format!("{folder}{beside}"));
                }
                Body::File(None) => {
                    let beside = format!("{folder}{}.rs", child.name);
                    let inside = format!("{child_folder}mod.rs");
                    let found = if self.texts.contains_key(beside.as_str()) { beside } else { inside };
                    self.load(child_path, found, child_folder);
                }
            }
        }
    }

    fn needs(&self) -> Vec<BTreeMap<usize, usize>> {
        let mut needs = vec![BTreeMap::new(); self.files.len()];
        self.add_calls(&mut needs);
        for (at, module) in self.known.iter().enumerate() {
            let mut add = |meanings: Vec<Meaning>, line: usize| {
                for meaning in meanings {
                    // A module alone is only the beginning of a path: what is used of it has a path of its own.
                    let Meaning::Item(definer) = meaning else { continue };
                    let needed = self.known[definer].file;
                    if needed != module.file {
                        let first: &mut usize = needs[module.file].entry(needed).or_insert(line);
                        *first = line.min(*first);
                    }
                }
            };
            for import in &module.scope.imports {
                if let ImportKind::Name(_) = import.kind {
                    add(self.follow(at, &import.path, &mut BTreeSet::new()), import.path.line);
                }
            }
            for path in &module.scope.paths {
                add(self.follow(at, path, &mut BTreeSet::new()), path.line);
            }
            for (word, line) in &module.scope.words {
                add(self.look_up(at, word, &mut BTreeSet::new()), *line);
            }
        }
        needs
    }

    /// Adds the calls of methods. Where several blocks have one of the name, nothing tells which is meant.
    fn add_calls(&self, needs: &mut [BTreeMap<usize, usize>]) {
        let mut owners: BTreeMap<(usize, &str, &str), BTreeSet<usize>> = BTreeMap::new();
        let mut calls = Vec::new();
        for (at, module) in self.known.iter().enumerate() {
            for block in &module.scope.impls {
                let Some(name) = block.of.parts.last().map(String::as_str) else { continue };
                for meaning in self.follow(at, &block.of, &mut BTreeSet::new()) {
                    let Meaning::Item(definer) = meaning else { continue };
                    for method in &block.methods {
                        owners.entry((definer, name, method)).or_default().insert(module.file);
                    }
                    calls.extend(block.calls.iter().map(|call| (module.file, definer, name, call)));
                }
            }
        }
        for (file, definer, name, (method, line)) in calls {
            let owner = owners.get(&(definer, name, method)).filter(|files| files.len() == 1);
            if let Some(needed) = owner.and_then(|files| files.first())
                && *needed != file
            {
                let first = needs[file].entry(*needed).or_insert(*line);
                *first = (*line).min(*first);
            }
        }
    }

    /// What a path in the module `from` means; nothing if it leads out of the crate.
    ///
    /// One name may be a module and a function as well, so there may be two answers. `seen` are the names that are
    /// being followed already.
    fn follow(&self, from: usize, path: &Path, seen: &mut BTreeSet<(usize, String)>) -> Vec<Meaning> {
        let mut here = Vec::new();
        for (at, part) in path.parts.iter().enumerate() {
            let module = here.iter().find_map(|meaning| match meaning {
                Meaning::Module(module) => Some(*module),
                Meaning::Item(_) => None,
            });
            here = match (at, part.as_str(), module) {
                (0, "crate", _) => vec![Meaning::Module(0)],
                (0, "self", _) => vec![Meaning::Module(from)],
                (0, "super", _) => self.parent(from),
                (0, name, _) => self.look_up(from, name, seen),
                (_, "super", Some(module)) => self.parent(module),
                (_, name, Some(module)) => self.look_up(module, name, seen),
                // A variant or a function of a type is where the type is.
                (_, _, None) => return here,
            };
        }
        here
    }

    fn parent(&self, module: usize) -> Vec<Meaning> {
        let path = &self.known[module].path;
        let parent = path.split_last().and_then(|(_, parent)| self.by_path.get(parent));
        parent.map(|parent| Meaning::Module(*parent)).into_iter().collect()
    }

    /// What a name means in a module: its own item or child, or what it imports.
    fn look_up(&self, module: usize, name: &str, seen: &mut BTreeSet<(usize, String)>) -> Vec<Meaning> {
        let Module { path, scope, .. } = &self.known[module];
        let mut found = Vec::new();
        if scope.items.contains(name) {
            found.push(Meaning::Item(module));
        }
        let mut child = path.clone();
        child.push(name.to_owned());
        found.extend(self.by_path.get(&child).map(|child| Meaning::Module(*child)));
        if !seen.insert((module, name.to_owned())) {
            return found;
        }
        for import in &scope.imports {
            if let ImportKind::Name(known) | ImportKind::Reexport(known) = &import.kind
                && known == name
            {
                found.extend(self.follow(module, &import.path, seen));
            }
        }
        if found.is_empty() {
            for glob in scope.imports.iter().filter(|import| import.kind == ImportKind::Glob) {
                for meaning in self.follow(module, &glob.path, seen) {
                    if let Meaning::Module(source) = meaning {
                        found.extend(self.look_up(source, name, seen));
                    }
                }
            }
        }
        seen.remove(&(module, name.to_owned()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the edges of a crate of these files, as `file:line > file`.
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let files: Vec<File> =
            files.iter().map(|(path, text)| File::sample(&format!("crates/x/src/{path}"), text)).collect();
        let graph = Graph::read(&files, "crates/x/src/lib.rs");
        let mut edges = Vec::new();
        for (file, needs) in graph.files.iter().zip(&graph.needs) {
            edges.extend(
                needs.iter().map(|(needed, line)| format!("{file}:{line} > {}", graph.files[*needed])),
            );
        }
        assert_eq!(edges, expected);
    }

    #[test]
    fn a_path_needs_the_file_that_defines_what_it_names() {
        check(
            &[
                ("lib.rs", "mod a;\nmod b;\npub use a::A;"),
                ("a.rs", "pub struct A;"),
                ("b.rs", "use crate::A;\nfn f() { crate::a::g() }"),
            ],
            &["b.rs:1 > a.rs"],
        );
        // The function is nowhere: a path that leads to nothing is no edge.
        check(
            &[("lib.rs", "mod a;\nmod b;"), ("a.rs", ""), ("b.rs", "use crate::a;\nfn f() { a::g() }")],
            &[],
        );
    }

    #[test]
    fn a_module_is_needed_for_what_is_used_of_it() {
        check(
            &[
                ("lib.rs", "mod a;\nmod b;"),
                ("a.rs", "mod c;\npub use c::f;\npub fn g() {}"),
                ("a/c.rs", "pub fn f() {}"),
                ("b.rs", "use crate::a;\nfn h() { a::f() }"),
            ],
            &["b.rs:2 > a/c.rs"],
        );
    }

    #[test]
    fn a_child_that_needs_its_parent_and_is_needed_by_it() {
        let child = ("a/c.rs", "use super::A;\npub struct C(A);");
        let lib = ("lib.rs", "mod a;");
        check(&[lib, ("a.rs", "mod c;\npub use c::C;\npub struct A;"), child], &["a/c.rs:1 > a.rs"]);
        check(
            &[lib, ("a.rs", "mod c;\npub use c::C;\npub struct A;\nfn f(c: C) {}"), child],
            &["a.rs:4 > a/c.rs", "a/c.rs:1 > a.rs"],
        );
    }

    #[test]
    fn a_module_and_a_function_may_have_one_name() {
        check(
            &[
                ("lib.rs", "mod a;\nmod b;\npub use a::a;"),
                ("a.rs", "pub fn a() {}\npub fn z() {}"),
                ("b.rs", "use crate::a;\nfn f() { a::z() }"),
            ],
            &["b.rs:1 > a.rs"],
        );
    }

    #[test]
    fn a_method_that_is_called_on_self_is_needed_from_its_block() {
        check(
            &[
                ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;"),
                (
                    "a.rs",
                    "pub struct A;\nimpl A { fn one(&self) { self.two(); self.here(); } fn here(&self) {} }",
                ),
                (
                    "b.rs",
                    "use crate::A;\nimpl A { fn two(&self) {} }\nimpl Clone for A { fn clone(&self) { self.three() } }",
                ),
                ("c.rs", "use crate::A;\nimpl A { fn three(&self) {} }\nfn f(a: &A) { a.two() }"),
            ],
            &["a.rs:2 > b.rs", "b.rs:1 > a.rs", "b.rs:3 > c.rs", "c.rs:1 > a.rs"],
        );
    }

    #[test]
    fn a_glob_needs_what_is_used_through_it() {
        check(
            &[
                ("lib.rs", "mod a;\nmod b;\nmod c;"),
                ("a.rs", "pub use crate::c::*;\npub struct A;"),
                ("b.rs", "use crate::a::*;\nfn f(c: C) {}"),
                ("c.rs", "pub struct C;"),
            ],
            &["b.rs:2 > c.rs"],
        );
    }

    #[test]
    fn tests_and_other_crates_are_left_out() {
        check(
            &[
                ("lib.rs", "mod a;\nmod b;\n#[cfg(test)]\nmod c;"),
                (
                    "a.rs",
                    "use serde::b::B;\nuse super::b as other;\n#[cfg(test)]\nmod tests { use crate::b::B; }",
                ),
                ("b.rs", "pub struct B;\nmod b_tests;"),
                ("b/b_tests.rs", "use crate::a::A;"),
                ("c.rs", "use crate::a::A;"),
            ],
            &[],
        );
    }

    #[test]
    fn a_module_in_a_file_is_a_part_of_the_file() {
        check(
            &[
                ("lib.rs", "mod a;\nmod b;"),
                ("a.rs", "pub mod inner { use super::super::b::B;\npub struct I; }\nfn f(i: inner::I) {}"),
                ("b.rs", "pub struct B;\nfn f(i: super::a::inner::I) {}"),
            ],
            &["a.rs:1 > b.rs", "b.rs:2 > a.rs"],
        );
    }
}

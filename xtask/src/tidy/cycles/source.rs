//! What one source file says about names: the modules in it, and for each what it defines, imports and uses.
//!
//! Code for tests alone is left out: what follows `#[cfg(test)]` is skipped.

use super::tokens::{Kind, Token, tokens};
use std::collections::BTreeSet;

/// The names of one module: those of a file, or of a `mod name { … }` in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Scope {
    /// What it defines, without its modules.
    pub(super) items: BTreeSet<String>,
    /// The modules that it declares.
    pub(super) children: Vec<Child>,
    pub(super) imports: Vec<Import>,
    /// The paths of two parts and more in its code.
    pub(super) paths: Vec<Path>,
    /// The single names in its code that may be an item's: a type, a constant, a call.
    pub(super) words: BTreeSet<(String, usize)>,
    pub(super) impls: Vec<Impl>,
}

/// An `impl` block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Impl {
    /// The type that it is for.
    pub(super) of: Path,
    /// The functions in it; none where it implements a trait.
    pub(super) methods: BTreeSet<String>,
    /// The functions that it calls on `self` or by `Self::`, each with the line of the call.
    pub(super) calls: Vec<(String, usize)>,
    is_of_trait: bool,
}

/// A module that another one declares.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) name: String,
    pub(super) body: Body,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// `mod name { … }`
    Here(Scope),
    /// `mod name;`, with the file that `#[path = "…"]` names, if it does.
    File(Option<String>),
}

/// One name that a `use` brings in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) path: Path,
    pub(super) kind: ImportKind,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ImportKind {
    /// `use path;` or `use path as name;`
    Name(String),
    /// `pub use path;`: a name for others, which this module itself may leave unused.
    Reexport(String),
    /// `use path::*;`
    Glob,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) parts: Vec<String>,
    pub(super) line: usize,
}

/// Reads the text of a file.
pub(super) fn read(text: &str) -> Scope {
    let tokens = tokens(text);
    let mut scope = Scope::default();
    Reader { tokens: &tokens, at: 0, is_in_impl: false }.read_module(&mut scope);
    scope
}

/// Keywords that come before the name of what they define.
const DEFINING: &[&str] = &["fn", "struct", "enum", "union", "trait", "type", "const", "static"];

/// Keywords that may come behind `const`, before another one that defines.
const BEFORE_FN: &[&str] = &["fn", "unsafe", "async", "extern"];

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    /// What is read is in the last `impl` block of the module.
    is_in_impl: bool,
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> Option<&'a Token<'a>> {
        self.tokens.get(self.at + ahead)
    }

    fn is_sign(&self, ahead: usize, sign: &str) -> bool {
        self.peek(ahead).is_some_and(|token| token.is_sign(sign))
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        self.peek(ahead).is_some_and(|token| token.is_word(word))
    }

    fn word(&self, ahead: usize) -> Option<&'a str> {
        self.peek(ahead).filter(|token| token.kind == Kind::Word).map(|token| token.text)
    }

    /// Reads up to the `}` that ends the module, or to the end of the file.
    fn read_module(&mut self, scope: &mut Scope) {
        let mut depth = 0_usize;
        let mut is_public = false;
        let mut is_impl_next = false;
        let mut file = None;
        while let Some(token) = self.peek(0) {
            if token.is_sign("#") {
                match self.attribute() {
                    Attribute::Tests => self.skip_item(),
                    Attribute::File(path) => file = Some(path),
                    Attribute::Other => {}
                }
                continue;
            }
            if token.is_word("pub") {
                is_public = true;
                self.at += 1;
                if self.is_sign(0, "(") {
                    self.skip_group();
                }
                continue;
            }
            let was_public = std::mem::take(&mut is_public);
            match (token.kind, token.text) {
                (Kind::Word, "use") => self.read_use(scope, was_public),
                (Kind::Word, "mod") if self.word(1).is_some() => self.read_child(scope, file.take()),
                (Kind::Word, "impl") if depth == 0 => {
                    scope.impls.extend(self.impl_header());
                    is_impl_next = true;
                    self.at += 1;
                }
                (Kind::Word, _) => self.read_word(scope, depth),
                (Kind::Sign, "{" | "(" | "[") => {
                    if depth == 0 && token.text == "{" {
                        self.is_in_impl = std::mem::take(&mut is_impl_next);
                    }
                    depth += 1;
                    self.at += 1;
                }
                (Kind::Sign, "}" | ")" | "]") => {
                    self.at += 1;
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                    self.is_in_impl &= depth > 0;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Looks at the words between `impl` and `{`.
    fn impl_header(&self) -> Option<Impl> {
        let line = self.peek(0)?.line;
        let (mut parts, mut is_of_trait, mut angle_count) = (Vec::new(), false, 0_usize);
        let mut header = self.tokens.get(self.at + 1..)?.iter().peekable();
        while let Some(token) = header.next() {
            match (token.kind, token.text) {
                (Kind::Sign, "{" | ";") | (Kind::Word, "where") => break,
                // The arrow of a function's type closes nothing.
                (Kind::Sign, "-") => _ = header.next_if(|next| next.is_sign(">")),
                (Kind::Sign, "<") => angle_count += 1,
                (Kind::Sign, ">") => angle_count = angle_count.saturating_sub(1),
                (Kind::Word, "for") if angle_count == 0 => {
                    parts.clear();
                    is_of_trait = true;
                }
                (Kind::Word, word) if angle_count == 0 => parts.push(word.to_owned()),
                _ => {}
            }
        }
        let of = Path { parts, line };
        Some(Impl { of, methods: BTreeSet::new(), calls: Vec::new(), is_of_trait })
    }

    /// The block that is being read.
    fn block<'s>(&self, scope: &'s mut Scope) -> Option<&'s mut Impl> {
        scope.impls.last_mut().filter(|_| self.is_in_impl)
    }

    /// Takes `#[…]` or `#![…]`.
    fn attribute(&mut self) -> Attribute {
        self.at += 1;
        if self.is_sign(0, "!") {
            self.at += 1;
        }
        let begin = self.at;
        self.skip_group();
        let inside = self.tokens.get(begin + 1..self.at).unwrap_or(&[]);
        let texts: Vec<&str> = inside.iter().map(|token| token.text).collect();
        match texts.as_slice() {
            ["cfg", "(", "test", ..] | ["cfg", "(", "all", "(", "test", ..] => Attribute::Tests,
            ["path", "=", path, ..] => Attribute::File((*path).to_owned()),
            _ => Attribute::Other,
        }
    }

    /// Goes behind the bracket that closes the one here.
    fn skip_group(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek(0) {
            self.at += 1;
            match (token.kind, token.text) {
                (Kind::Sign, "{" | "(" | "[") => depth += 1,
                (Kind::Sign, "}" | ")" | "]") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Goes behind the item, field, variant or statement that begins here.
    fn skip_item(&mut self) {
        let mut is_item = false;
        while let Some(token) = self.peek(0) {
            match (token.kind, token.text) {
                (Kind::Word, "use") => {
                    while self.peek(0).is_some_and(|token| !token.is_sign(";")) {
                        self.at += 1;
                    }
                    continue;
                }
                (Kind::Word, "impl" | "mod") => is_item = true,
                (Kind::Word, word) => is_item |= DEFINING.contains(&word),
                (Kind::Sign, "{") => return self.skip_group(),
                (Kind::Sign, "(" | "[") => {
                    self.skip_group();
                    continue;
                }
                (Kind::Sign, "}") => return,
                (Kind::Sign, ",") if is_item => {}
                (Kind::Sign, ";" | ",") => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn read_child(&mut self, scope: &mut Scope, file: Option<String>) {
        let name = self.word(1).unwrap_or("").to_owned();
        self.at += 2;
        let is_here = self.is_sign(0, "{");
        self.at += 1;
        let body = if is_here {
            let mut inner = Scope::default();
            self.read_module(&mut inner);
            Body::Here(inner)
        } else {
            Body::File(file)
        };
        scope.children.push(Child { name, body });
    }

    fn read_use(&mut self, scope: &mut Scope, is_public: bool) {
        self.at += 1;
        // `use<'a>` in a type says which lifetimes it holds.
        if !self.is_sign(0, "<") {
            self.read_tree(scope, is_public, &[]);
        }
    }

    /// Reads one branch of a `use`, below `prefix`.
    fn read_tree(&mut self, scope: &mut Scope, is_public: bool, prefix: &[String]) {
        let mut parts = prefix.to_vec();
        while let Some(token) = self.peek(0) {
            let line = token.line;
            match (token.kind, token.text) {
                (Kind::Sign, "::") if parts.is_empty() => {
                    // A path from the list of crates.
                    parts.push("::".to_owned());
                    self.at += 1;
                }
                (Kind::Sign, "::") => self.at += 1,
                (Kind::Sign, "*") => {
                    self.at += 1;
                    scope.imports.push(Import { path: Path { parts, line }, kind: ImportKind::Glob });
                    return;
                }
                (Kind::Sign, "{") => {
                    self.at += 1;
                    while self.peek(0).is_some() && !self.is_sign(0, "}") {
                        self.read_tree(scope, is_public, &parts);
                        if self.is_sign(0, ",") {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    return;
                }
                (Kind::Word, word) => {
                    self.at += 1;
                    if word != "self" || parts.is_empty() {
                        parts.push(word.to_owned());
                    }
                    if self.is_sign(0, "::") {
                        continue;
                    }
                    let mut name = parts.last().cloned().unwrap_or_default();
                    if self.is_word(0, "as") {
                        name = self.word(1).unwrap_or("_").to_owned();
                        self.at += 2;
                    }
                    let kind = if is_public { ImportKind::Reexport(name) } else { ImportKind::Name(name) };
                    scope.imports.push(Import { path: Path { parts, line }, kind });
                    return;
                }
                _ => return self.at += 1,
            }
        }
    }

    /// Reads a name in code: what it defines, or the path that it begins.
    fn read_word(&mut self, scope: &mut Scope, depth: usize) {
        let Some(token) = self.peek(0) else { return };
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let is_macro = token.text == "macro_rules" && self.is_sign(1, "!");
        if DEFINING.contains(&token.text) || is_macro {
            self.at += if is_macro || self.is_word(1, "mut") { 2 } else { 1 };
            if let Some(name) = self.word(0).filter(|name| !BEFORE_FN.contains(name)) {
                if depth == 0 {
                    scope.items.insert(name.to_owned());
                } else if let Some(block) = self.block(scope)
                    && depth == 1
                    && !block.is_of_trait
                {
                    block.methods.insert(name.to_owned());
                }
                self.at += 1;
            }
            return;
        }
        if token.is_word("self")
            && self.is_sign(1, ".")
            && (self.is_sign(3, "(") || self.is_sign(3, "::"))
            && let Some(method) = self.word(2)
            && let Some(block) = self.block(scope)
        {
            block.calls.push((method.to_owned(), token.line));
        }
        let is_member = before.is_some_and(|before| before.is_sign("."));
        let mut parts = vec![token.text.to_owned()];
        self.at += 1;
        while self.is_sign(0, "::")
            && let Some(part) = self.word(1)
        {
            parts.push(part.to_owned());
            self.at += 2;
        }
        if is_member || before.is_some_and(|before| before.is_sign("::")) {
            return;
        }
        if let [first, method] = parts.as_slice()
            && first == "Self"
            && let Some(block) = self.block(scope)
        {
            block.calls.push((method.clone(), token.line));
        }
        if parts.len() > 1 {
            scope.paths.push(Path { parts, line: token.line });
        } else if token.text.starts_with(char::is_uppercase) || self.is_sign(0, "(") || self.is_sign(0, "!") {
            scope.words.insert((token.text.to_owned(), token.line));
        }
    }
}

enum Attribute {
    /// What follows is compiled for tests alone.
    Tests,
    /// The file of the module that follows.
    File(String),
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(text: &str) -> Vec<String> {
        let name = |kind: ImportKind| match kind {
            ImportKind::Name(name) => name,
            ImportKind::Reexport(name) => format!("pub {name}"),
            ImportKind::Glob => "*".to_owned(),
        };
        read(text)
            .imports
            .into_iter()
            .map(|i| format!("{} = {}", name(i.kind), i.path.parts.join("::")))
            .collect()
    }

    fn paths(text: &str) -> Vec<String> {
        read(text).paths.iter().map(|path| path.parts.join("::")).collect()
    }

    #[test]
    fn a_use_is_one_import_for_each_name() {
        assert_eq!(
            imports("use crate::{a::{self, B as C}, d::*};\npub(crate) use super::e::F;\nuse ::std::fs;"),
            ["a = crate::a", "C = crate::a::B", "* = crate::d", "pub F = super::e::F", "fs = ::::std::fs"],
        );
        assert_eq!(imports("fn f() { use self::x::y; }"), ["y = self::x::y"]);
        assert_eq!(imports("fn f(x: &X) -> impl Sized + use<'_> { x }"), [""; 0]);
    }

    #[test]
    fn a_module_defines_what_stands_in_no_bracket() {
        let scope = read(
            "pub struct A { b: B }\nimpl A { const C: u8 = 1; fn d() {} }\npub const fn e() { fn f() {} }\n\
             static mut G: u8 = 0;\nmacro_rules! h { () => {} }\npub(crate) unsafe trait I {}",
        );
        assert_eq!(scope.items.iter().map(String::as_str).collect::<Vec<_>>(), ["A", "G", "I", "e", "h"]);
    }

    #[test]
    fn paths_in_code_are_read_and_members_are_not() {
        assert_eq!(
            paths("fn f() -> crate::a::B { c::d(); self.e::<crate::g::H>().i; <X>::j(); Vec::<u8>::new() }"),
            ["crate::a::B", "c::d", "crate::g::H"],
        );
        assert_eq!(paths("// crate::a::B\nconst C: &str = \"crate::d::E\";"), [""; 0]);
    }

    #[test]
    fn a_block_has_its_functions_and_the_calls_of_its_own_type() {
        let scope = read(
            "fn free() -> impl Iterator { other.f() }\nimpl<F: Fn(u8) -> u8> a::B<F> {\n\
             fn c(&self) { self.d(self.e); self\n.f::<u8>(); Self::g() }\n}\n\
             impl<'a> Display for H<'a> where H<'a>: Copy { fn fmt(&self) { self.i() } }\nfn j() { k.l() }",
        );
        let said: Vec<String> = scope.impls[1..]
            .iter()
            .map(|block| {
                let calls: Vec<String> =
                    block.calls.iter().map(|(name, line)| format!("{name}@{line}")).collect();
                format!("{}: {:?} {calls:?}", block.of.parts.join("::"), block.methods)
            })
            .collect();
        assert_eq!(said, ["a::B: {\"c\"} [\"d@3\", \"f@3\", \"g@4\"]", "H: {} [\"i@6\"]"]);
    }

    #[test]
    fn what_is_for_tests_is_left_out() {
        let scope = read(
            "#[cfg(test)]\nmod tests { use super::*; }\n#[cfg(test)]\n#[path = \"t.rs\"]\nmod more;\n\
             #[cfg(test)]\npub fn f(a: crate::x::A, b: B<C, D>) -> [u8; 2] { crate::y::z() }\n\
             #[cfg(test)]\nuse crate::{q, r};\nstruct S { #[cfg(test)] t: crate::u::V, w: crate::w::W }\n\
             #[cfg(not(test))]\nmod kept;",
        );
        assert_eq!(scope.imports, []);
        assert_eq!(scope.children, [Child { name: "kept".to_owned(), body: Body::File(None) }]);
        assert_eq!(scope.paths.iter().map(|path| path.parts.join("::")).collect::<Vec<_>>(), ["crate::w::W"]);
    }

    #[test]
    fn modules_are_read_with_the_file_they_name() {
        let scope = read(
            "mod a;\n#[path = \"other.rs\"]\npub mod b;\nmod c { pub use crate::a::X; fn f() {} }\nmod d;",
        );
        let files: Vec<(&str, Option<&str>)> = scope
            .children
            .iter()
            .filter_map(|child| match &child.body {
                Body::File(file) => Some((child.name.as_str(), file.as_deref())),
                Body::Here(_) => None,
            })
            .collect();
        assert_eq!(files, [("a", None), ("b", Some("other.rs")), ("d", None)]);
        let Body::Here(inner) = &scope.children[2].body else { panic!("`c` is here") };
        assert_eq!((inner.imports.len(), inner.items.len()), (1, 1));
    }
}

//! Lines of a file as evidence: the text of a range, where a symbol is defined, and where a range went when the file
//! changed.
//!
//! The definition of a symbol is found by the words before its name, and its end by indentation. That works for most
//! languages as people write them, without a parser.

pub use crate::lines::LineRange;

use crate::evidence::{Anchor, Freshness, RangeHash};
use brainstem_base::hash::sha256_hex;

/// Why an anchor names nothing in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnchorFault {
    /// The file has fewer lines.
    Lines {
        /// How many it has.
        count: usize,
    },
    /// Nothing in the file defines the symbol.
    Symbol,
}

/// The lines that an anchor names.
pub fn lines_of(text: &str, anchor: &Anchor) -> Result<LineRange, AnchorFault> {
    let file = FileLines::of(text);
    match anchor {
        Anchor::Lines(lines) if lines.last <= file.0.len() => Ok(*lines),
        Anchor::Lines(_) => Err(AnchorFault::Lines { count: file.0.len() }),
        Anchor::Symbol(name) => file.definition(name).ok_or(AnchorFault::Symbol),
    }
}

/// The hash of some lines of a file, in the form of a claim's evidence.
pub fn hash_of(text: &str, lines: LineRange) -> Option<RangeHash> {
    let text = FileLines::of(text).text(lines)?;
    Some(RangeHash { sha256: sha256_hex(text.as_bytes(), 64), len: text.len() })
}

/// What became of lines that were hashed when a claim was written. The lines of a symbol are where the symbol is;
/// others are searched where they were, and then by their content, the nearest first.
pub fn follow(text: &str, anchor: &Anchor, before: &RangeHash) -> Freshness {
    let file = FileLines::of(text);
    let is_same = |lines: LineRange| file.text(lines).is_some_and(|now| is_hash_of(before, &now));
    match anchor {
        Anchor::Symbol(name) => match file.definition(name) {
            Some(lines) if is_same(lines) => Freshness::Fresh,
            Some(_) => Freshness::Changed,
            None => Freshness::Missing,
        },
        Anchor::Lines(lines) if is_same(*lines) => Freshness::Fresh,
        Anchor::Lines(lines) => file.find(*lines, before),
    }
}

/// How many bytes may be hashed to find lines that moved. Every file that people write takes far less; a file of many
/// equal lines cannot be searched.
const HASHED_LEN_MAX: usize = 8 * 1024 * 1024;
/// Lines with fewer characters, blanks not counted, such as `}`, are everywhere: finding them proves nothing.
const DISTINCT_CHARS_MIN: usize = 4;

fn is_hash_of(before: &RangeHash, text: &str) -> bool {
    text.len() == before.len && sha256_hex(text.as_bytes(), 64) == before.sha256
}

/// The lines of a file, without their ends.
struct FileLines<'a>(Vec<&'a str>);

impl<'a> FileLines<'a> {
    fn of(text: &'a str) -> Self {
        Self(text.lines().collect())
    }

    fn text(&self, lines: LineRange) -> Option<String> {
        Some(self.0.get(lines.first - 1..lines.last)?.join("\n"))
    }

    /// Searches lines by their content, the nearest to their old place first.
    fn find(&self, from: LineRange, before: &RangeHash) -> Freshness {
        let count = from.count();
        let Some(last_start) = self.0.len().checked_sub(count) else { return Freshness::Changed };
        // The length up to each line, so that only windows of the right length are hashed.
        let mut ends = vec![0];
        for line in &self.0 {
            ends.push(ends[ends.len() - 1] + line.len());
        }
        let len = |start: usize| ends[start + count] - ends[start] + count - 1;
        let mut starts: Vec<usize> = (0..=last_start).filter(|start| len(*start) == before.len).collect();
        starts.sort_by_key(|start| start.abs_diff(from.first - 1));
        let mut hashed = 0;
        for start in starts {
            hashed += before.len;
            if hashed > HASHED_LEN_MAX {
                return Freshness::Unverifiable;
            }
            let lines = LineRange { first: start + 1, last: start + count };
            let text = self.text(lines).unwrap_or_default();
            let is_told_apart = text.chars().filter(|c| !c.is_whitespace()).count() >= DISTINCT_CHARS_MIN;
            if is_told_apart && is_hash_of(before, &text) {
                return Freshness::Moved(lines);
            }
        }
        Freshness::Changed
    }

    /// Where a symbol is defined, and where its definition ends. For `Type::name` and `Type.name`, the name inside the
    /// type comes first.
    fn definition(&self, name: &str) -> Option<LineRange> {
        let name = name.trim();
        let (outer, own) = match name.rsplit_once("::").or_else(|| name.rsplit_once('.')) {
            Some((outer, own)) if !outer.is_empty() && !own.is_empty() => (Some(outer), own),
            Some(_) | None => (None, name),
        };
        let all = 0..self.0.len();
        if let Some(outer) = outer {
            let types = all.clone().filter(|at| defines(self.0[*at], last_part(outer)).is_some());
            let inside = types.flat_map(|at| at + 1..self.block_end(at) + 1).collect::<Vec<_>>();
            if let Some(found) = self.defined_among(inside.into_iter(), own) {
                return Some(found);
            }
        }
        self.defined_among(all.clone(), own).or_else(|| self.heading(own))
    }

    /// The most certain definition among some lines, the first of equals.
    fn defined_among(&self, lines: impl Iterator<Item = usize>, name: &str) -> Option<LineRange> {
        let found = lines.filter_map(|at| Some((defines(self.0[at], name)?, at)));
        let (_, at) = found.min()?;
        Some(LineRange { first: at + 1, last: self.block_end(at) + 1 })
    }

    /// A heading of Markdown, by its words or by its name in links.
    fn heading(&self, name: &str) -> Option<LineRange> {
        let level = |line: &str| line.bytes().take_while(|b| *b == b'#').count();
        let is_heading = |line: &str| (1..=6).contains(&level(line)) && line[level(line)..].starts_with(' ');
        let link = |text: &str| {
            let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.collect::<String>().to_lowercase().replace(' ', "-")
        };
        let is_it = |line: &&str| is_heading(line) && link(&line[level(line)..]) == link(name);
        let first = self.0.iter().position(is_it)?;
        let ends = |line: &&str| is_heading(line) && level(line) <= level(self.0[first]);
        let rest = self.0[first + 1..].iter().position(ends).unwrap_or(self.0.len() - first - 1);
        Some(self.trimmed(first, first + rest))
    }

    /// The last line of the block that begins here: everything below it that is indented further, and the line that
    /// closes it.
    fn block_end(&self, at: usize) -> usize {
        let indent = indent_of(self.0[at]);
        let (mut last, mut is_open) = (at, opens(self.0[at]));
        for (below, line) in self.0.iter().enumerate().skip(at + 1) {
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            let closes = text.starts_with(['}', ')', ']']) || text == "end";
            let begins = text.starts_with('{') && last == at;
            match indent_of(line) {
                deeper if deeper > indent => {}
                same if same == indent && (closes || begins) => is_open = opens(line),
                _ => break,
            }
            last = below;
            if closes && indent_of(line) == indent && !is_open {
                break;
            }
        }
        last
    }

    /// Lines without the blank ones at their end; both counted from 0.
    fn trimmed(&self, first: usize, last: usize) -> LineRange {
        let filled = (first..=last).rev().find(|at| !self.0[*at].trim().is_empty());
        LineRange { first: first + 1, last: filled.unwrap_or(first) + 1 }
    }
}

fn indent_of(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// Whether a bracket is left open at the end of a line.
fn opens(line: &str) -> bool {
    line.trim_end().ends_with(['{', '(', '[', ':', ',', '='])
}

fn last_part(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name).rsplit('.').next().unwrap_or(name)
}

/// The words behind which a name is defined.
const KEYWORDS: &[&str] = &[
    "fn",
    "def",
    "class",
    "struct",
    "enum",
    "union",
    "trait",
    "interface",
    "type",
    "func",
    "function",
    "fun",
    "const",
    "static",
    "let",
    "var",
    "val",
    "mod",
    "module",
    "namespace",
    "impl",
    "object",
    "record",
    "protocol",
    "extension",
    "macro",
    "macro_rules!",
    "define",
    "#define",
    "sub",
    "proc",
    "procedure",
    "table",
    "view",
    "package",
    "component",
    "resource",
    "defmodule",
    "defp",
    "defmacro",
    "typedef",
    "alias",
    "export",
];

/// How certainly a line defines a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sureness {
    /// A word of [`KEYWORDS`] is before it.
    Keyword,
    /// It is a key or a variable that is given a value, or a target with a colon.
    Assigned,
    /// A type is before it and parameters are behind it.
    Typed,
}

fn defines(line: &str, name: &str) -> Option<Sureness> {
    let text = line.trim();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    for (at, _) in text.match_indices(name) {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        if before.ends_with(is_part) || after.starts_with(is_part) {
            continue;
        }
        if is_comment(before) {
            return None;
        }
        if is_behind_keyword(before) {
            return Some(Sureness::Keyword);
        }
        let (quoted, rest) =
            (before.trim_matches(['"', '\'']), after.trim_start_matches(['"', '\'']).trim_start());
        let is_given = rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>")
            || rest.starts_with(':') && !rest.starts_with("::")
            || rest.starts_with("() {")
            || rest.starts_with("(){");
        if quoted.trim().is_empty() && is_given {
            return Some(Sureness::Assigned);
        }
        if rest.starts_with('(') && is_type(before) && !text.ends_with(';') {
            return Some(Sureness::Typed);
        }
    }
    None
}

fn is_comment(before: &str) -> bool {
    ["//", "/*", "* ", "# ", "--", ";;", "<!--"].iter().any(|mark| before.starts_with(mark))
}

/// Whether the last word before a name makes it a definition; in Go a receiver may be between, elsewhere type
/// parameters.
fn is_behind_keyword(before: &str) -> bool {
    let before = match before.trim_end().strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
        Some((rest, _)) if rest.trim_end().ends_with("func") => rest,
        Some(_) | None => before,
    };
    let before = match before.trim_end().strip_suffix('>').and_then(|rest| rest.split_once('<')) {
        Some((rest, _)) if rest.trim_end().ends_with("impl") => rest,
        Some(_) | None => before,
    };
    let words: Vec<&str> = before.trim_end_matches(['*', '&', '"', '\'', ' ']).split_whitespace().collect();
    let last = words.last().copied().unwrap_or_default();
    KEYWORDS.contains(&last.to_lowercase().as_str()) || last == "mut" && words.contains(&"let")
}

/// Whether the text before a name reads as its type, as in C and its relatives: `static int `, `public List<String> `.
fn is_type(before: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || "_<>[],:*&. ".contains(c);
    let first = before.split_whitespace().next().unwrap_or_default();
    let is_statement =
        ["return", "else", "throw", "new", "await", "yield", "if", "while", "for"].contains(&first);
    before.ends_with([' ', '*', '&']) && before.chars().all(is_word) && !is_statement && !first.is_empty()
}

#[cfg(test)]
#[path = "range_tests.rs"]
mod tests;

//! Evidence: where a claim can be checked.

use crate::lines::LineRange;
use std::fmt;

/// `path[#Lx-Ly | #symbol] [sha256:… | range-sha256:…:<bytes>]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The path, relative to the project's root where it is inside it.
    pub path: String,
    /// A line range or a symbol.
    pub anchor: Option<String>,
    /// What was hashed when the claim was written, and its hash.
    pub hash: Option<EvidenceHash>,
}

/// What was hashed when a claim was written, and its hash in hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvidenceHash {
    /// The whole file.
    File(String),
    /// The lines that the anchor names.
    Range(RangeHash),
}

/// The hash of some lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeHash {
    /// The hash of the lines, in hex; each without its line end, with a line feed between two.
    pub sha256: String,
    /// How many bytes that is: used to find the lines elsewhere in the file.
    pub len: usize,
}

/// What an anchor names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// `L6`, `L6-L20`.
    Lines(LineRange),
    /// Anything else: the name of something that the file defines.
    Symbol(String),
}

/// What became of a piece of evidence since the claim was written, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// Its content is the same.
    Fresh,
    /// Its content is the same, at other lines.
    Moved(LineRange),
    /// There is nothing to compare with, or it is outside the folders that this program reads.
    Unverifiable,
    /// Its content has changed.
    Changed,
    /// The file, the line or the symbol is gone.
    Missing,
}

impl Freshness {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Moved(_) => "moved",
            Self::Unverifiable => "unverifiable",
            Self::Changed => "evidence_changed",
            Self::Missing => "evidence_missing",
        }
    }

    /// Whether the claim must be looked at again.
    pub fn is_broken(self) -> bool {
        matches!(self, Self::Changed | Self::Missing)
    }

    /// Whether its content is the same, wherever it is.
    pub fn holds(self) -> bool {
        matches!(self, Self::Fresh | Self::Moved(_))
    }
}

impl Anchor {
    /// Reads an anchor; a text that names no lines names a symbol.
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix(['L', 'l']).and_then(LineRange::parse) {
            Some(lines) => Self::Lines(lines),
            None => Self::Symbol(text.trim_end_matches("()").to_owned()),
        }
    }
}

impl Evidence {
    /// The path with its anchor, without the hash.
    pub fn place(&self) -> String {
        match &self.anchor {
            Some(anchor) => format!("{}#{anchor}", self.path),
            None => self.path.clone(),
        }
    }

    /// Reads an entry; every text is a valid one.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let (rest, hash) = match text.rsplit_once(char::is_whitespace) {
            Some((rest, last)) if EvidenceHash::parse(last).is_some() => {
                (rest.trim_end(), EvidenceHash::parse(last))
            }
            Some(_) | None => (text, None),
        };
        let (path, anchor) = match rest.rsplit_once('#') {
            Some((path, anchor)) if !path.is_empty() && !anchor.is_empty() => (path, Some(anchor.to_owned())),
            Some(_) | None => (rest, None),
        };
        Self { path: path.to_owned(), anchor, hash }
    }

    /// The entry for a path with lines behind a colon: `src/a.rs:6`, `src/a.rs:6-20`, `src/a.rs:6:12` (a line and a
    /// column). A file may have such a name, so the entry itself is tried first.
    pub fn with_lines_behind_a_colon(&self) -> Option<Self> {
        if self.anchor.is_some() {
            return None;
        }
        let (path, last) = self.path.rsplit_once(':')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let (path, lines) = match path.rsplit_once(':') {
            Some((before, line)) if is_number(line) && is_number(last) => (before, line),
            Some(_) | None => (path, last),
        };
        let lines = LineRange::parse(lines).filter(|_| !path.is_empty())?;
        Some(Self { path: path.to_owned(), anchor: Some(lines.to_string()), hash: self.hash.clone() })
    }

    /// The same without its hash.
    pub fn bare(self) -> Self {
        Self { hash: None, ..self }
    }
}

impl EvidenceHash {
    fn parse(word: &str) -> Option<Self> {
        if let Some(digits) = word.strip_prefix("sha256:") {
            return hex(digits).map(Self::File);
        }
        let (digits, len) = word.strip_prefix("range-sha256:")?.split_once(':')?;
        Some(Self::Range(RangeHash { sha256: hex(digits)?, len: len.parse().ok()? }))
    }
}

fn hex(digits: &str) -> Option<String> {
    let whole = digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    whole.then(|| digits.to_ascii_lowercase())
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place())?;
        match &self.hash {
            Some(EvidenceHash::File(sha256)) => write!(f, " sha256:{sha256}"),
            Some(EvidenceHash::Range(RangeHash { sha256, len })) => write!(f, " range-sha256:{sha256}:{len}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-5
    fn evidence_is_a_path_with_an_anchor_and_a_hash() {
        let hash = "a".repeat(64);
        let whole = format!("src/my file.rs#L3-L9 sha256:{hash}");
        let parsed = Evidence::parse(&whole);
        assert_eq!(
            (parsed.path.as_str(), parsed.place().as_str()),
            ("src/my file.rs", "src/my file.rs#L3-L9")
        );
        assert_eq!(
            parsed.hash,
            Some(EvidenceHash::File(hash.clone())),
            "as written before ranges had hashes"
        );
        assert_eq!(parsed.to_string(), whole);
        let range = format!("src/my file.rs#L3-L9 range-sha256:{hash}:120");
        let parsed = Evidence::parse(&range);
        assert_eq!(parsed.hash, Some(EvidenceHash::Range(RangeHash { sha256: hash, len: 120 })));
        assert_eq!(parsed.to_string(), range);
        assert_eq!(Evidence::parse("src/lib.rs#parse").anchor.as_deref(), Some("parse"));
        assert_eq!(Evidence::parse("a b sha256:zz").path, "a b sha256:zz");
    }

    #[test] // spec: MEM-32
    fn an_anchor_is_lines_or_a_symbol() {
        let lines = |first, last| Anchor::Lines(LineRange { first, last });
        let table = [
            ("L6", lines(6, 6)),
            ("L6-L20", lines(6, 20)),
            ("L6-20", lines(6, 20)),
            ("parse", Anchor::Symbol("parse".into())),
            ("parse()", Anchor::Symbol("parse".into())),
            ("L", Anchor::Symbol("L".into())),
            ("L0", Anchor::Symbol("L0".into())),
            ("L9-L3", Anchor::Symbol("L9-L3".into())),
            ("Lexer", Anchor::Symbol("Lexer".into())),
        ];
        for (text, expected) in table {
            assert_eq!(Anchor::parse(text), expected, "{text}");
        }
    }

    #[test] // spec: MEM-32
    fn lines_stand_behind_a_colon_too() {
        let read = |text: &str| Evidence::parse(text).with_lines_behind_a_colon().map(|found| found.place());
        assert_eq!(read("app/main.py:6").as_deref(), Some("app/main.py#L6"));
        assert_eq!(read("app/main.py:6-20").as_deref(), Some("app/main.py#L6-L20"));
        assert_eq!(read("app/main.py:6:12").as_deref(), Some("app/main.py#L6"));
        for other in ["app/main.py", "app/main.py:x", "app/main.py#L6", ":6", "a:", "https://x.org/a"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}

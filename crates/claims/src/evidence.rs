//! Evidence: where a claim can be checked.

use std::fmt;

/// `path[#Lx-Ly | #symbol] [sha256:…]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The path, relative to the project's root where it lies inside it.
    pub path: String,
    /// A line range or a symbol.
    pub anchor: Option<String>,
    /// The hash of the whole file when the claim was written, in hex.
    pub sha256: Option<String>,
}

/// What became of a piece of evidence since the claim was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Freshness {
    /// The file says what it said.
    Fresh,
    /// There is nothing to compare with, or it lies where this program does not look.
    Unverifiable,
    /// The file says something else now.
    Changed,
    /// The file is gone.
    Missing,
}

impl Freshness {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Unverifiable => "unverifiable",
            Self::Changed => "evidence_changed",
            Self::Missing => "evidence_missing",
        }
    }

    /// Whether the claim must be looked at again.
    pub fn is_broken(self) -> bool {
        matches!(self, Self::Changed | Self::Missing)
    }
}

impl Evidence {
    /// Reads an entry; every text is one.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let (rest, sha256) = match text.rsplit_once(char::is_whitespace) {
            Some((rest, last)) if hash_of(last).is_some() => (rest.trim_end(), hash_of(last)),
            Some(_) | None => (text, None),
        };
        let (path, anchor) = match rest.rsplit_once('#') {
            Some((path, anchor)) if !path.is_empty() && !anchor.is_empty() => (path, Some(anchor.to_owned())),
            Some(_) | None => (rest, None),
        };
        Self { path: path.to_owned(), anchor, sha256 }
    }
}

fn hash_of(word: &str) -> Option<String> {
    let digits = word.strip_prefix("sha256:")?;
    let whole = digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    whole.then(|| digits.to_ascii_lowercase())
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        if let Some(anchor) = &self.anchor {
            write!(f, "#{anchor}")?;
        }
        if let Some(sha256) = &self.sha256 {
            write!(f, " sha256:{sha256}")?;
        }
        Ok(())
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
        assert_eq!(parsed.path, "src/my file.rs");
        assert_eq!(parsed.anchor.as_deref(), Some("L3-L9"));
        assert_eq!(parsed.sha256.as_deref(), Some(hash.as_str()));
        assert_eq!(parsed.to_string(), whole);
        assert_eq!(Evidence::parse("src/lib.rs#parse").anchor.as_deref(), Some("parse"));
        assert_eq!(Evidence::parse("a b sha256:zz").path, "a b sha256:zz");
    }
}

//! The body: `# label`, `## title`, prose, and marker lines.

use super::escape::{escape, unescape};

/// The content of a body, without its layout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimBody {
    /// The text of the `## ` line, if there is one.
    pub title: Option<String>,
    /// The prose, without blank lines at its two ends.
    pub text: String,
    /// The marker lines, in order.
    pub markers: Vec<BodyMarker>,
}

/// A marker line such as `[𝔻 confidence: 0.9]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyMarker {
    /// `[⍂ entity: …]`, `[⍐ state: …]` or `[⍌ event: …]`.
    Kind(ClaimKind, String),
    /// `[𝔻 confidence: …]`.
    Confidence(String),
    /// `[𝔻 ambiguity: …]`.
    Ambiguity(String),
    /// `[𝔻 evidence: …]`.
    Evidence(String),
    /// `[⟁ depends_on: …]`.
    DependsOn(String),
}

/// What sort of thing a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// A thing.
    Entity,
    /// The state of a thing.
    State,
    /// Something that happened.
    Event,
}

impl ClaimKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Entity, Self::State, Self::Event];

    /// The word in the marker and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::State => "state",
            Self::Event => "event",
        }
    }

    /// Parses the word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

const HEADS: [&str; 7] = [
    "[⍂ entity: ",
    "[⍐ state: ",
    "[⍌ event: ",
    "[𝔻 confidence: ",
    "[𝔻 ambiguity: ",
    "[𝔻 evidence: ",
    "[⟁ depends_on: ",
];

impl BodyMarker {
    /// Reads a line that is exactly one marker.
    pub fn parse(line: &str) -> Option<Self> {
        let (head, value) = HEADS
            .iter()
            .enumerate()
            .find_map(|(head, text)| Some((head, line.strip_prefix(text)?.strip_suffix(']')?)))?;
        let value = unescape(value.trim_matches([' ', '\t']));
        Some(match head {
            0 => Self::Kind(ClaimKind::Entity, value),
            1 => Self::Kind(ClaimKind::State, value),
            2 => Self::Kind(ClaimKind::Event, value),
            3 => Self::Confidence(value),
            4 => Self::Ambiguity(value),
            5 => Self::Evidence(value),
            _ => Self::DependsOn(value),
        })
    }

    /// The line this marker is written as.
    pub fn line(&self) -> String {
        let (head, value) = match self {
            Self::Kind(ClaimKind::Entity, value) => (0, value),
            Self::Kind(ClaimKind::State, value) => (1, value),
            Self::Kind(ClaimKind::Event, value) => (2, value),
            Self::Confidence(value) => (3, value),
            Self::Ambiguity(value) => (4, value),
            Self::Evidence(value) => (5, value),
            Self::DependsOn(value) => (6, value),
        };
        format!("{}{}]", HEADS[head], escape(value))
    }
}

impl ClaimBody {
    /// Reads a body. Every text is a valid one; a line that is not a heading or a marker is prose.
    pub fn parse(lines: &[&str]) -> Self {
        let mut lines = skip_blank(lines);
        if lines.first().is_some_and(|line| line.starts_with("# ")) {
            lines = skip_blank(&lines[1..]);
        }
        let mut body = Self::default();
        if let Some(title) = lines.first().and_then(|line| line.strip_prefix("## ")) {
            body.title = Some(unescape(title.trim_matches([' ', '\t'])));
            lines = skip_blank(&lines[1..]);
        }
        let mut prose = Vec::new();
        for line in lines {
            match BodyMarker::parse(line) {
                Some(marker) => body.markers.push(marker),
                None => prose.push(unprotect(line, prose.is_empty())),
            }
        }
        body.text = trim_blank_lines(&prose.join("\n")).to_owned();
        body
    }

    /// Writes a body below its label.
    pub fn render(&self, label: &str) -> String {
        let mut out = format!("\n# {}\n", escape(label));
        if let Some(title) = &self.title {
            out.push_str(&format!("\n## {}\n", escape(title)));
        }
        let text = trim_blank_lines(&self.text);
        if !text.is_empty() {
            out.push('\n');
            for (at, line) in text.split('\n').enumerate() {
                if looks_special(line, at == 0) {
                    out.push('\\');
                }
                out.push_str(line);
                out.push('\n');
            }
        }
        if !self.markers.is_empty() {
            out.push('\n');
            for marker in &self.markers {
                out.push_str(&marker.line());
                out.push('\n');
            }
        }
        out
    }
}

/// Drops blank lines at both ends of a text; everything else stays, indentation included.
pub(crate) fn trim_blank_lines(text: &str) -> &str {
    let mut text = text;
    while let Some((first, rest)) = text.split_once('\n') {
        if !first.trim().is_empty() {
            break;
        }
        text = rest;
    }
    while let Some((rest, last)) = text.rsplit_once('\n') {
        if !last.trim().is_empty() {
            break;
        }
        text = rest;
    }
    if text.trim().is_empty() { "" } else { text }
}

fn skip_blank<'a, 'b>(lines: &'a [&'b str]) -> &'a [&'b str] {
    let blank = lines.iter().take_while(|line| line.trim().is_empty()).count();
    &lines[blank..]
}

/// Whether a line of prose would be read as something else, however many backslashes protect it. On the first line a
/// heading counts too: it would be read as the label or the title.
fn looks_special(line: &str, first: bool) -> bool {
    let bare = line.trim_start_matches('\\');
    BodyMarker::parse(bare).is_some() || (first && (bare.starts_with("# ") || bare.starts_with("## ")))
}

fn unprotect(line: &str, first: bool) -> &str {
    match line.strip_prefix('\\') {
        Some(bare) if looks_special(bare, first) => bare,
        Some(_) | None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test] // spec: MEM-5
    fn only_exact_markers_are_markers() {
        let body = ClaimBody::parse(&lines(
            "\n# Cache\n## How it expires\n\nSee [the link](x.md).\n [𝔻 confidence: 0.1]\n[𝔻 confidence: 0.9] \n[𝔻 confidence: 0.8]\n[⟁ depends_on: a ] b]\n",
        ));
        assert_eq!(body.title.as_deref(), Some("How it expires"));
        assert_eq!(body.text, "See [the link](x.md).\n [𝔻 confidence: 0.1]\n[𝔻 confidence: 0.9] ");
        assert_eq!(
            body.markers,
            [BodyMarker::Confidence("0.8".into()), BodyMarker::DependsOn("a ] b".into())]
        );
    }

    #[test] // spec: MEM-5, MEM-7
    fn prose_that_looks_like_a_marker_stays_prose() {
        let text = "## not a title\n[𝔻 confidence: 1]\n\\[⍂ entity: x]\n\\\\plain";
        let body = ClaimBody { text: text.into(), ..ClaimBody::default() };
        let written = body.render("l");
        assert!(written.contains("\n\\[𝔻 confidence: 1]\n"), "{written}");
        assert_eq!(ClaimBody::parse(&lines(&written)), body);
    }

    fn prose() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<String>(),
            Just("\n".to_owned()),
            Just("\\".to_owned()),
            Just("# a".to_owned()),
            Just("## b".to_owned()),
            Just("---\n".to_owned()),
            Just("[𝔻 evidence: src/x.rs]".to_owned()),
            Just("[⍂ entity: y]".to_owned()),
            Just("\r\n".to_owned()),
        ];
        proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test] // spec: MEM-5, MEM-7
        fn every_body_reads_back_as_it_was_written(
            title in proptest::option::of(any::<String>()),
            text in prose(),
            values in proptest::collection::vec(any::<String>(), 0..4),
        ) {
            let body = ClaimBody {
                title,
                text: trim_blank_lines(&text).to_owned(),
                markers: values.into_iter().map(BodyMarker::Evidence).collect(),
            };
            let written = body.render("any label");
            let read: Vec<&str> = written.split('\n').collect();
            prop_assert_eq!(ClaimBody::parse(&read), body);
        }
    }
}

//! A claim file, line by line: parsed without losing a byte, stamped without touching the rest.

use super::escape::{escape, unescape};
use super::{BodyMarker, ClaimBody, keys};
use std::fmt;

/// A claim file as its lines. [`LightFile::render`] gives back the bytes it was parsed from.
///
/// Invariant: there is a header with a `Protocol` of this family and a `Node`, and no key this
/// program knows is in it twice.
#[derive(Clone, PartialEq, Eq)]
pub struct LightFile {
    open: String,
    header: Vec<HeaderLine>,
    close: String,
    body: String,
}

/// One line between the fences, with its line end.
#[derive(Clone, PartialEq, Eq)]
struct HeaderLine {
    raw: String,
    key_len: usize,
}

/// Why bytes cannot be read as a claim. The file is reported with this and left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseFault {
    /// Not valid UTF-8.
    #[error("it is not valid UTF-8")]
    NotUtf8,
    /// No `---` in the first line.
    #[error("it does not start with a `---` line")]
    NoHeader,
    /// The second `---` is missing.
    #[error("its header is not closed by a `---` line")]
    HeaderNotClosed,
    /// Neither `Protocol: L1GHT/1…` nor a `Node`.
    #[error("its header has no `{0}` line of this protocol")]
    NotAClaim(&'static str),
    /// A known key twice.
    #[error("its header says `{0}` twice")]
    KeyTwice(String),
    /// A merge was left unfinished.
    #[error("it holds git conflict markers")]
    ConflictMarkers,
}

impl LightFile {
    /// Parses the bytes of a file.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseFault> {
        let text = std::str::from_utf8(bytes).map_err(|_| ParseFault::NotUtf8)?;
        if has_conflict_markers(text) {
            return Err(ParseFault::ConflictMarkers);
        }
        let mut rest = text;
        let open = take_line(&mut rest);
        if !is_fence(open.strip_prefix('\u{feff}').unwrap_or(open)) {
            return Err(ParseFault::NoHeader);
        }
        let mut header = Vec::new();
        let close = loop {
            if rest.is_empty() {
                return Err(ParseFault::HeaderNotClosed);
            }
            let line = take_line(&mut rest);
            if is_fence(line) {
                break line;
            }
            header.push(HeaderLine::new(line));
        };
        let file = Self { open: open.to_owned(), header, close: close.to_owned(), body: rest.to_owned() };
        file.check()?;
        Ok(file)
    }

    /// A new file. Every value is escaped here; absent ones are left out.
    pub fn new(values: &[(&'static str, Option<String>)], label: &str, body: &ClaimBody) -> Self {
        let mut file = Self {
            open: "---\n".into(),
            header: Vec::new(),
            close: "---\n".into(),
            body: body.render(label),
        };
        for (key, value) in values {
            if let Some(value) = value {
                file.set(key, value);
            }
        }
        file
    }

    fn check(&self) -> Result<(), ParseFault> {
        for (at, line) in self.header.iter().enumerate() {
            let key = line.key();
            if keys::ORDER.contains(&key) && self.header[..at].iter().any(|before| before.key() == key) {
                return Err(ParseFault::KeyTwice(key.to_owned()));
            }
        }
        // 1 and 1.x; 10 is another family.
        let is_family = |value: String| {
            value.strip_prefix("L1GHT/1").is_some_and(|minor| minor.is_empty() || minor.starts_with('.'))
        };
        if !self.get(keys::PROTOCOL).is_some_and(is_family) {
            return Err(ParseFault::NotAClaim(keys::PROTOCOL));
        }
        match self.get(keys::NODE) {
            Some(label) if !label.trim().is_empty() => Ok(()),
            Some(_) | None => Err(ParseFault::NotAClaim(keys::NODE)),
        }
    }

    /// The value of a key, unescaped.
    pub fn get(&self, key: &str) -> Option<String> {
        self.header.iter().find(|line| line.key() == key).map(HeaderLine::value)
    }

    /// The raw lines of keys this program does not know, without line ends.
    pub fn unknown_lines(&self) -> impl Iterator<Item = &str> {
        self.header.iter().filter(|line| !keys::ORDER.contains(&line.key())).map(HeaderLine::text)
    }

    /// Sets one value: in place if the key is there, otherwise where the order of keys puts it.
    pub fn set(&mut self, key: &'static str, value: &str) {
        let end = if self.open.ends_with("\r\n") { "\r\n" } else { "\n" };
        let line = HeaderLine::new(&format!("{key}: {}{end}", escape(value)));
        if let Some(found) = self.header.iter_mut().find(|line| line.key() == key) {
            *found = line;
            return;
        }
        let rank = |key: &str| keys::ORDER.iter().position(|known| *known == key);
        let mine = rank(key);
        let at = self
            .header
            .iter()
            .rposition(|line| rank(line.key()).is_some_and(|theirs| Some(theirs) < mine))
            .map_or(0, |before| before + 1);
        self.header.insert(at, line);
    }

    /// Rewrites the values of the header for which `change` returns a new one, by their key. A line without a key is a
    /// value of the key `""`. Every other byte stays.
    pub fn change_values(&mut self, change: impl Fn(&str, &str) -> Option<String>) {
        for line in &mut self.header {
            let text = line.text();
            let end = &line.raw[text.len()..];
            let raw = match line.key() {
                "" => change("", text).map(|value| format!("{value}{end}")),
                key => change(key, &line.value()).map(|value| format!("{key}: {}{end}", escape(&value))),
            };
            if let Some(raw) = raw {
                *line = HeaderLine::new(&raw);
            }
        }
    }

    /// Removes a key from the header; every other byte stays.
    ///
    /// `Protocol` and `Node` make a file a claim, and are never removed.
    pub fn remove(&mut self, key: &'static str) {
        assert!(key != keys::PROTOCOL && key != keys::NODE, "a claim keeps its protocol and its label");
        self.header.retain(|line| line.key() != key);
    }

    /// Rewrites the markers for which `change` returns a new one. Every other byte stays, also prose that looks like a
    /// marker.
    pub fn change_markers(&mut self, change: impl Fn(&BodyMarker) -> Option<BodyMarker>) {
        let mut body = String::with_capacity(self.body.len());
        for line in self.body.split_inclusive('\n') {
            let text = line.trim_end_matches(['\r', '\n']);
            match BodyMarker::parse(text).as_ref().and_then(&change) {
                Some(marker) => {
                    body.push_str(&marker.line());
                    body.push_str(&line[text.len()..]);
                }
                None => body.push_str(line),
            }
        }
        self.body = body;
    }

    /// Gives the claim another label: in the header, in the heading, and in the marker that names it.
    /// Every other byte stays.
    pub fn relabel(&mut self, label: &str) {
        let Some(before) = self.get(keys::NODE) else { return };
        self.set(keys::NODE, label);
        let mut body = String::with_capacity(self.body.len());
        let mut headed = false;
        for line in self.body.split_inclusive('\n') {
            let text = line.trim_end_matches(['\r', '\n']);
            let first = !headed && !text.trim().is_empty();
            headed |= first;
            let heading = text.strip_prefix("# ").filter(|_| first).map(|text| unescape(text.trim()));
            let renamed = match (heading, BodyMarker::parse(text)) {
                (Some(heading), _) if heading == before => Some(format!("# {}", escape(label))),
                (_, Some(BodyMarker::Kind(kind, value))) if value == before => {
                    Some(BodyMarker::Kind(kind, label.to_owned()).line())
                }
                (_, _) => None,
            };
            body.push_str(renamed.as_deref().unwrap_or(text));
            body.push_str(&line[text.len()..]);
        }
        self.body = body;
    }

    /// Gives pieces of evidence another path, if `anchor` returns one. Every other byte stays.
    pub fn reanchor(&mut self, anchor: impl Fn(&str) -> Option<String>) {
        let mut body = String::with_capacity(self.body.len());
        for line in self.body.split_inclusive('\n') {
            let text = line.trim_end_matches(['\r', '\n']);
            let anchored = match BodyMarker::parse(text) {
                Some(BodyMarker::Evidence(value)) => {
                    anchor(&value).map(|value| BodyMarker::Evidence(value).line())
                }
                Some(_) | None => None,
            };
            body.push_str(anchored.as_deref().unwrap_or(text));
            body.push_str(&line[text.len()..]);
        }
        self.body = body;
    }

    /// The parsed body.
    pub fn body(&self) -> ClaimBody {
        let crlf = self.open.ends_with("\r\n");
        let strip = |line| if crlf { str::strip_suffix(line, '\r').unwrap_or(line) } else { line };
        let lines: Vec<&str> = self.body.split('\n').map(strip).collect();
        ClaimBody::parse(&lines)
    }

    /// The bytes of the file.
    pub fn render(&self) -> String {
        let mut text = self.open.clone();
        for line in &self.header {
            text.push_str(&line.raw);
        }
        text.push_str(&self.close);
        text.push_str(&self.body);
        text
    }
}

impl HeaderLine {
    fn new(raw: &str) -> Self {
        let text = raw.trim_end_matches(['\r', '\n']);
        let key_len = text.find(':').filter(|len| is_key(&text[..*len])).unwrap_or(0);
        Self { raw: raw.to_owned(), key_len }
    }

    fn text(&self) -> &str {
        self.raw.trim_end_matches(['\r', '\n'])
    }

    /// The key, or an empty text for a line of another shape.
    fn key(&self) -> &str {
        &self.raw[..self.key_len]
    }

    fn value(&self) -> String {
        unescape(self.text()[self.key_len + 1..].trim_matches([' ', '\t']))
    }
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn take_line<'a>(rest: &mut &'a str) -> &'a str {
    let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
    let (line, after) = rest.split_at(end);
    *rest = after;
    line
}

fn is_fence(line: &str) -> bool {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line) == "---"
}

/// Whether a text holds the two outer lines of an unfinished git merge.
pub fn has_conflict_markers(text: &str) -> bool {
    let mut ours = false;
    for line in text.split('\n') {
        ours |= line.starts_with("<<<<<<< ");
        if ours && line.starts_with(">>>>>>> ") {
            return true;
        }
    }
    false
}

impl fmt::Debug for LightFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LightFile({:?})", self.render())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SAMPLE: &str = "---\nProtocol: L1GHT/1.0\nNode: Cache\nX-Tool: kept  \nState: authored\n\nnot a pair\n---\n\n# Cache\n";

    #[test] // spec: MEM-6
    fn stamping_changes_one_line_and_keeps_every_other_byte() {
        let mut file = LightFile::parse(SAMPLE.as_bytes()).expect("a claim");
        assert_eq!(file.render(), SAMPLE);
        file.set(keys::STATE, "outdated");
        assert_eq!(file.render(), SAMPLE.replace("State: authored", "State: outdated"));
        file.set(keys::CREATED, "5");
        assert_eq!(
            file.render(),
            SAMPLE.replace("State: authored\n", "State: outdated\nCreated: 5\n"),
            "a new key goes where the order puts it"
        );
        assert_eq!(file.unknown_lines().collect::<Vec<_>>(), ["X-Tool: kept  ", "", "not a pair"]);
    }

    #[test] // spec: MEM-34
    fn markers_change_alone_and_keys_go_without_a_trace() {
        let text = "---\r\nProtocol: L1GHT/1.0\r\nNode: Cache\r\nSupersedes: cache@1\r\nX: y\r\n---\r\n\r\n# Cache\r\n\r\n\\[𝔻 evidence: prose]\r\n [𝔻 evidence: prose]\n[𝔻 evidence: a.rs]\r\n[⟁ depends_on: a.rs]";
        let mut file = LightFile::parse(text.as_bytes()).expect("a claim");
        file.change_markers(|marker| match marker {
            BodyMarker::Evidence(path) => Some(BodyMarker::Evidence(format!("/src/{path}"))),
            _ => None,
        });
        let moved = text.replace("\n[𝔻 evidence: a.rs]", "\n[𝔻 evidence: /src/a.rs]");
        assert_eq!(file.render(), moved);
        file.remove(keys::SUPERSEDES);
        file.remove(keys::SUPERSEDES);
        assert_eq!(file.render(), moved.replace("Supersedes: cache@1\r\n", ""));
    }

    #[test] // spec: MEM-48
    fn a_new_label_changes_the_lines_that_name_the_claim_and_no_other() {
        let text = "---\r\nProtocol: L1GHT/1.0\r\nNode: Cache\r\nX: Cache\r\n---\r\n\r\n# Cache\r\n\r\nCache\n# Cache\r\n[⍂ entity: Cache]\r\n[⟁ depends_on: Cache]\r\n";
        let mut file = LightFile::parse(text.as_bytes()).expect("a claim");
        file.relabel("Page\ncache");
        let expected = text
            .replacen("Node: Cache", "Node: Page\\ncache", 1)
            .replacen("\r\n\r\n# Cache", "\r\n\r\n# Page\\ncache", 1)
            .replace("entity: Cache", "entity: Page\\ncache");
        assert_eq!(file.render(), expected);
        file.relabel("Cache");
        assert_eq!(file.render(), text);
    }

    #[test] // spec: MEM-42
    fn another_path_of_evidence_changes_its_line_and_no_other() {
        let text = "---\nProtocol: L1GHT/1.0\nNode: x\n---\n\n/a/b\r\n[𝔻 evidence: /a/b#L1]\r\n[𝔻 evidence: c]\n[𝔻 evidence: /a/b#L1] ";
        let mut file = LightFile::parse(text.as_bytes()).expect("a claim");
        file.reanchor(|value| value.strip_prefix("/a/").map(str::to_owned));
        assert_eq!(file.render(), text.replacen("evidence: /a/b", "evidence: b", 1));
    }

    #[test] // spec: MEM-6
    fn windows_line_ends_are_read_and_kept() {
        let crlf = SAMPLE.replace('\n', "\r\n") + "\r\n## T\r\n\r\nprose\r\n[𝔻 confidence: 0.9]\r\n";
        let mut file = LightFile::parse(crlf.as_bytes()).expect("a claim");
        assert_eq!(file.get(keys::NODE).as_deref(), Some("Cache"));
        let body = file.body();
        assert_eq!((body.title.as_deref(), body.text.as_str(), body.markers.len()), (Some("T"), "prose", 1));
        file.set(keys::STATE, "outdated");
        assert_eq!(file.render(), crlf.replace("authored", "outdated"));
    }

    #[test] // spec: MEM-6
    fn what_is_not_a_claim_is_named() {
        let fault = |text: &str| LightFile::parse(text.as_bytes()).expect_err("not a claim");
        assert_eq!(fault(""), ParseFault::NoHeader);
        assert_eq!(fault("hello"), ParseFault::NoHeader);
        assert_eq!(fault("---\nNode: x\n"), ParseFault::HeaderNotClosed);
        assert_eq!(fault("---\nNode: x\n---\n"), ParseFault::NotAClaim("Protocol"));
        assert_eq!(fault("---\nProtocol: L1GHT/2.0\nNode: x\n---\n"), ParseFault::NotAClaim("Protocol"));
        assert_eq!(fault("---\nProtocol: L1GHT/1.0\n---\n"), ParseFault::NotAClaim("Node"));
        assert_eq!(
            fault("---\nProtocol: L1GHT/1.0\nNode: x\nNode: y\n---\n"),
            ParseFault::KeyTwice("Node".into())
        );
        assert_eq!(LightFile::parse(b"---\n\xff"), Err(ParseFault::NotUtf8));
        let torn = format!("{SAMPLE}<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n");
        assert_eq!(fault(&torn), ParseFault::ConflictMarkers);
        assert!(LightFile::parse(b"---\nProtocol: L1GHT/1.0\nNode: x\n---").is_ok(), "a body may be missing");
    }

    proptest! {
        #[test] // spec: MEM-7
        fn no_value_forges_a_line(values in proptest::collection::vec(any::<String>(), 4)) {
            let made = LightFile::new(
                &[
                    (keys::PROTOCOL, Some("L1GHT/1.0".into())),
                    (keys::NODE, Some(format!("n{}", values[0]))),
                    (keys::SOURCE_AGENT, Some(values[1].clone())),
                    (keys::GROUP, Some(values[2].clone())),
                ],
                &values[0],
                &ClaimBody { title: Some(values[3].clone()), ..ClaimBody::default() },
            );
            let read = LightFile::parse(made.render().as_bytes()).expect("what we write, we read");
            prop_assert_eq!(read.header.len(), 4);
            prop_assert_eq!(read.get(keys::NODE), Some(format!("n{}", values[0])));
            prop_assert_eq!(read.get(keys::SOURCE_AGENT), Some(values[1].clone()));
            prop_assert_eq!(read.get(keys::GROUP), Some(values[2].clone()));
            prop_assert_eq!(read.body().title, Some(values[3].clone()));
        }

        #[test] // spec: MEM-6
        fn whatever_parses_renders_to_the_same_bytes(
            lines in proptest::collection::vec("[A-Za-z-]{0,8}:? ?.{0,12}\r?", 0..8),
            body in any::<String>(),
        ) {
            let text = format!("---\nProtocol: L1GHT/1.0\nNode: x\n{}\n---\n{body}", lines.join("\n"));
            if let Ok(file) = LightFile::parse(text.as_bytes()) {
                prop_assert_eq!(file.render(), text);
            }
        }
    }
}

//! Reads JSON, with comments where the host allows them, and notes where everything is.

use super::Dialect;
use crate::steps::BOM;
use serde_json::Value;
use std::ops::Range;

/// How deep a file may be nested.
const DEPTH_MAX: usize = 64;

/// A file of JSON.
#[derive(Debug)]
pub(crate) struct JsonDocument {
    /// The value, or nothing in a file that is empty or holds comments alone.
    pub(crate) root: Option<Node>,
}

/// A value and where it is.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: NodeKind,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Object(List<Member>),
    Array(List<Node>),
    Scalar(Value),
}

/// The items of an object or an array.
#[derive(Debug)]
pub(crate) struct List<T> {
    pub(crate) items: Vec<T>,
    /// The place of the comma after each item that has one.
    pub(crate) commas: Vec<usize>,
    /// Whether there is a comment between the brackets, outside the items.
    pub(crate) has_comments: bool,
}

#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) key: String,
    /// From the key to the end of the value.
    pub(crate) span: Range<usize>,
    pub(crate) value: Node,
}

/// Where and why a text is not JSON.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) line: usize,
    pub(crate) what: &'static str,
}

impl Node {
    /// The member of that name; of several the last, as every host takes it.
    pub(crate) fn get(&self, key: &str) -> Option<&Member> {
        match &self.kind {
            NodeKind::Object(list) => list.items.iter().rev().find(|member| member.key == key),
            NodeKind::Array(_) | NodeKind::Scalar(_) => None,
        }
    }

    /// What is under a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key).map(|member| &member.value))
    }

    /// The value, without its place.
    pub(crate) fn value(&self) -> Value {
        match &self.kind {
            NodeKind::Scalar(value) => value.clone(),
            NodeKind::Array(list) => list.items.iter().map(Node::value).collect(),
            NodeKind::Object(list) => {
                list.items.iter().map(|member| (member.key.clone(), member.value.value())).collect()
            }
        }
    }
}

/// Reads a text.
pub(crate) fn read(text: &str, dialect: Dialect) -> Result<JsonDocument, Broken> {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut reader = Reader { text, at: start, dialect };
    reader.blanks()?;
    if reader.at == text.len() {
        return Ok(JsonDocument { root: None });
    }
    let root = reader.node(0)?;
    reader.blanks()?;
    if reader.at < text.len() {
        return Err(reader.broken("there is something after the end"));
    }
    Ok(JsonDocument { root: Some(root) })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
}

impl Reader<'_> {
    fn broken(&self, what: &'static str) -> Broken {
        Broken { line: self.text[..self.at].matches('\n').count() + 1, what }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips blanks and comments; whether there was a comment.
    fn blanks(&mut self) -> Result<bool, Broken> {
        let mut commented = false;
        loop {
            match self.byte() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => {
                    self.comment()?;
                    commented = true;
                }
                _ => return Ok(commented),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Broken> {
        if self.dialect == Dialect::Strict {
            return Err(self.broken("this host reads no comments"));
        }
        let rest = &self.text[self.at..];
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2).ok_or_else(|| self.broken("a comment does not end"))?
        } else {
            return Err(self.broken("a lone slash"));
        };
        self.at += len;
        Ok(())
    }

    fn node(&mut self, depth: usize) -> Result<Node, Broken> {
        if depth > DEPTH_MAX {
            return Err(self.broken("it is nested too deep"));
        }
        let start = self.at;
        let kind = match self.byte() {
            Some(b'{') => NodeKind::Object(self.list(b'}', |reader| reader.member(depth))?),
            Some(b'[') => NodeKind::Array(self.list(b']', |reader| reader.node(depth + 1))?),
            Some(b'"') => NodeKind::Scalar(Value::String(self.string()?)),
            _ => NodeKind::Scalar(self.word()?),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn member(&mut self, depth: usize) -> Result<Member, Broken> {
        let start = self.at;
        if self.byte() != Some(b'"') {
            return Err(self.broken("a key in quotes is missing"));
        }
        let key = self.string()?;
        self.blanks()?;
        if self.byte() != Some(b':') {
            return Err(self.broken("a colon is missing"));
        }
        self.at += 1;
        self.blanks()?;
        let value = self.node(depth + 1)?;
        Ok(Member { key, span: start..self.at, value })
    }

    fn list<T>(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<T, Broken>,
    ) -> Result<List<T>, Broken> {
        let mut list = List { items: Vec::new(), commas: Vec::new(), has_comments: false };
        self.at += 1;
        loop {
            list.has_comments |= self.blanks()?;
            if self.byte() == Some(close) {
                if self.dialect == Dialect::Strict
                    && list.commas.len() == list.items.len()
                    && !list.items.is_empty()
                {
                    return Err(self.broken("there is a comma before the end"));
                }
                self.at += 1;
                return Ok(list);
            }
            if list.commas.len() < list.items.len() {
                return Err(self.broken("a comma is missing"));
            }
            list.items.push(item(self)?);
            list.has_comments |= self.blanks()?;
            if self.byte() == Some(b',') {
                list.commas.push(self.at);
                self.at += 1;
            } else if self.byte() != Some(close) {
                return Err(self.broken("a comma or the end is missing"));
            }
        }
    }

    fn string(&mut self) -> Result<String, Broken> {
        let start = self.at;
        let mut escaped = false;
        for (n, b) in self.text.as_bytes()[start + 1..].iter().enumerate() {
            match b {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    let end = start + 1 + n + 1;
                    let text = serde_json::from_str(&self.text[start..end])
                        .map_err(|_| self.broken("a text is not JSON"))?;
                    self.at = end;
                    return Ok(text);
                }
                b'\n' => break,
                _ => {}
            }
        }
        Err(self.broken("a text does not end"))
    }

    fn word(&mut self) -> Result<Value, Broken> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let value =
            serde_json::from_str(&rest[..len]).map_err(|_| self.broken("a value is missing or unknown"))?;
        self.at += len;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &str, dialect: Dialect) -> Result<Option<Value>, Broken> {
        Ok(read(text, dialect)?.root.map(|root| root.value()))
    }

    #[test] // spec: IF-15
    fn both_dialects_read_what_their_hosts_read() {
        let plain = r#"{"a": [1, -2.5e3, true, null, "x\"\u00e9\\"], "b": {}, "a": 2}"#;
        assert_eq!(value(plain, Dialect::Strict), Ok(Some(serde_json::from_str(plain).unwrap())));
        let commented = "\u{feff}// top\n{ /* in */ \"a\": [1, /* two */ 2,], // end\n}\n// after";
        assert_eq!(value(commented, Dialect::Comments), Ok(Some(json!({"a": [1, 2]}))));
        assert_eq!(value(" \n", Dialect::Strict), Ok(None));
        assert_eq!(value("// only\n", Dialect::Comments), Ok(None));
    }

    #[test] // spec: IF-15
    fn what_a_host_would_drop_is_refused_with_its_line() {
        let broken = |text, dialect| value(text, dialect).map_err(|broken| (broken.line, broken.what));
        assert_eq!(broken("{\n\"a\": 1,\n}", Dialect::Strict), Err((3, "there is a comma before the end")));
        assert_eq!(broken("{ // x\n}", Dialect::Strict), Err((1, "this host reads no comments")));
        for text in
            ["{", "{]", "[1 2]", "{\"a\" 1}", "{a: 1}", "\"", "1 2", "{\"a\": }", "[,]", "/", "/* x", "nul"]
        {
            assert!(value(text, Dialect::Comments).is_err(), "{text}");
        }
        let deep = "[".repeat(10_000);
        assert!(value(&deep, Dialect::Strict).is_err(), "and no stack is lost");
    }
}

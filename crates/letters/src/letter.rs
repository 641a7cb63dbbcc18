//! One letter, as its line tells it.

use crate::LetterId;
use crate::limits::LINE_LEN_MAX;
use brainstem_base::Timestamp;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// A letter. Fields that it does not carry are absent; one that is no text is shown as its JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Derived from its line.
    pub id: LetterId,
    /// When, as written.
    pub ts: Option<String>,
    /// Who.
    pub agent: Option<String>,
    /// What sort of letter: an open set.
    pub class: Option<String>,
    /// Of a misdelivery: which.
    pub kind: Option<String>,
    /// The project it is about, as its writer spells it.
    pub repo: Option<String>,
    /// The brain it is about.
    pub brain: Option<String>,
    /// The tool it is about.
    pub tool: Option<String>,
    /// What happened.
    pub what: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
    /// What was seen, word for word.
    pub snippet: Option<String>,
    /// Of a triage: what it says of the letters it answers.
    pub verdict: Option<String>,
    /// The letters it answers, as written.
    pub answers: Vec<String>,
}

/// Why a line is no letter. It repeats nothing of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// Nobody writes letters that long.
    #[error("it has {len} bytes, and a letter at most {LINE_LEN_MAX}")]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
    /// It is no text.
    #[error("it is not valid UTF-8")]
    NotUtf8,
    /// It is no JSON, or nested too deeply.
    #[error("it is no JSON")]
    NotJson,
    /// It is JSON of another shape.
    #[error("it is no JSON object")]
    NotAnObject,
}

impl Letter {
    /// Reads a line, without its newline.
    pub fn parse(line: &[u8]) -> Result<Self, LineFault> {
        if line.len() > LINE_LEN_MAX {
            return Err(LineFault::TooLong { len: line.len() });
        }
        let text = std::str::from_utf8(line).map_err(|_| LineFault::NotUtf8)?;
        let fields = match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return Err(LineFault::NotAnObject),
            Err(_) => return Err(LineFault::NotJson),
        };
        let of = |name: &str| text_of(&fields, name);
        Ok(Self {
            id: LetterId::of_line(line),
            ts: of("ts"),
            agent: of("agent"),
            class: of("class"),
            kind: of("kind"),
            repo: of("repo"),
            brain: of("brain"),
            tool: of("tool"),
            what: of("what"),
            expected: of("expected"),
            snippet: of("snippet"),
            verdict: of("verdict"),
            answers: match fields.get("answers") {
                Some(Value::Array(ids)) => ids.iter().filter_map(shown).collect(),
                Some(one) => shown(one).into_iter().collect(),
                None => Vec::new(),
            },
        })
    }

    /// When it was written, where its `ts` is a time: RFC 3339, or milliseconds since the epoch.
    pub fn at(&self) -> Option<Timestamp> {
        let text = self.ts.as_deref()?;
        let ms = || text.parse::<i64>().ok().filter(|ms| *ms >= 0).map(Timestamp::from_ms);
        Timestamp::parse_rfc3339(text).or_else(ms)
    }

    /// Whether it has this class.
    pub fn is_class(&self, class: &str) -> bool {
        self.class.as_deref() == Some(class)
    }

    /// The letters it answers, as far as they are ids.
    pub fn answered(&self) -> impl Iterator<Item = LetterId> + '_ {
        self.answers.iter().filter_map(|text| LetterId::parse(text))
    }
}

fn text_of(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name).and_then(shown)
}

/// A value as a text; nothing for none and for blank.
fn shown(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Every text of a line, names of fields included, as they read without their escapes; a field that stands
/// there twice counts twice. For the hygiene floor.
pub fn texts(line: &[u8]) -> Vec<String> {
    let mut reader = serde_json::Deserializer::from_slice(line);
    let mut found = Vec::new();
    // What cannot be read to its end is no letter, and goes nowhere.
    let _ = reader.deserialize_any(Collect(&mut found));
    found
}

struct Collect<'a>(&'a mut Vec<String>);

impl<'de> serde::de::DeserializeSeed<'de> for Collect<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Collect<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.push(text.to_owned());
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Collect(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_key_seed(Collect(self.0))?.is_some() {
            fields.next_value_seed(Collect(self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: LTR-2
    fn a_letter_is_any_json_object_and_keeps_what_it_says() {
        let letter =
            Letter::parse(br#"{"ts":"2026-07-04T23:55:00Z","class":"bug","what":"x","more":{"a":[1]}}"#);
        let letter = letter.expect("a letter");
        assert_eq!((letter.class.as_deref(), letter.what.as_deref()), (Some("bug"), Some("x")));
        assert_eq!(letter.at().map(Timestamp::ms), Some(1_783_209_300_000));
        assert_eq!((letter.repo, letter.answers), (None, Vec::new()));
    }

    #[test] // spec: LTR-2
    fn fields_of_another_type_are_shown_as_they_are() {
        let line = br#"{"ts":1783209300000,"what":{"a":1},"repo":null,"brain":" ","answers":"ABCDEF012345"}"#;
        let letter = Letter::parse(line).expect("a letter");
        assert_eq!(letter.what.as_deref(), Some(r#"{"a":1}"#));
        assert_eq!((letter.repo.as_deref(), letter.brain.as_deref()), (None, None));
        assert_eq!(letter.at().map(Timestamp::ms), Some(1_783_209_300_000));
        assert_eq!(letter.answered().map(|id| id.to_string()).collect::<Vec<_>>(), ["abcdef012345"]);
        let letter = Letter::parse(br#"{"answers":[7,null,"no id",["x"]]}"#).expect("a letter");
        assert_eq!((letter.answers.len(), letter.answered().count()), (3, 0));
    }

    #[test] // spec: LTR-2
    fn what_is_no_letter_is_told_without_repeating_it() {
        let check = |line: &[u8], fault| assert_eq!(Letter::parse(line), Err(fault));
        check(b"resolved, see above", LineFault::NotJson);
        check(b"[1]", LineFault::NotAnObject);
        check(b"\xff{}", LineFault::NotUtf8);
        check(b"{\"a\":1", LineFault::NotJson);
        check(format!("{{\"a\":{}{}}}", "[".repeat(200), "]".repeat(200)).as_bytes(), LineFault::NotJson);
        let long = format!("{{\"what\":\"{}\"}}", "x".repeat(LINE_LEN_MAX));
        check(long.as_bytes(), LineFault::TooLong { len: long.len() });
    }

    #[test] // spec: LTR-8
    fn every_text_of_a_line_is_seen_without_its_escapes() {
        let line = br#"{"what":"a\u0062c","what":"two\nlines","x":[{"deep":"d"},1,true,null,2.5,-3]}"#;
        assert_eq!(texts(line), ["what", "abc", "what", "two\nlines", "x", "deep", "d"]);
    }
}

//! One letter, as its line has it.

use crate::LetterId;
use crate::limits::LINE_LEN_MAX;
use crate::resolved_fields::{EXACT, ResolvedFields};
use crate::texts::Collect;
use brainstem_base::Timestamp;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A letter. Missing fields are `None`; a field that is not a text is shown as its JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Derived from its line.
    pub id: LetterId,
    /// The hash of its whole line, if its id is the hash of the filed line, which has no path of this machine.
    pub former: Option<LetterId>,
    /// When, as written.
    pub ts: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// What sort of letter: an open set.
    pub class: Option<String>,
    /// Of a misdelivery: which.
    pub kind: Option<String>,
    /// The project it is about, as its writer spells it.
    pub repo: Option<String>,
    /// The brain it is about.
    pub brain: Option<String>,
    /// Which of the two its writer resolved.
    pub exact: ResolvedFields,
    /// The tool it is about.
    pub tool: Option<String>,
    /// What happened.
    pub what: Option<String>,
    /// What was expected.
    pub expected: Option<String>,
    /// What was seen, word for word.
    pub snippet: Option<String>,
    /// Of a triage: its verdict on the letters it answers.
    pub verdict: Option<String>,
    /// The letters it answers, as written.
    pub answers: Vec<String>,
    /// When it was written, no letter within reach had one of the ids that it answers.
    pub unknown_answers: bool,
}

/// Why a line cannot be read as a letter. It repeats nothing of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    /// It is too long.
    #[error("it has {len} bytes, and a letter at most {LINE_LEN_MAX}")]
    TooLong {
        /// Its length in bytes.
        len: usize,
    },
    /// It is not text.
    #[error("it is not valid UTF-8")]
    NotUtf8,
    /// It is not JSON, or nested too deeply.
    #[error("it is not JSON, or is nested too deeply")]
    NotJson,
    /// It is JSON of another shape.
    #[error("it is no JSON object")]
    NotAnObject,
    /// A part of it is not a letter, and the letter behind that part counts.
    #[error("another program left it without its end, and the letter that was written behind it counts")]
    BeforeALetter,
}

impl Letter {
    /// Reads a line, without its newline.
    pub fn parse(line: &[u8]) -> Result<Self, LineFault> {
        if line.len() > LINE_LEN_MAX {
            return Err(LineFault::TooLong { len: line.len() });
        }
        let text = std::str::from_utf8(line).map_err(|_| LineFault::NotUtf8)?;
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = reader.deserialize_any(LetterFields).and_then(|read| reader.end().map(|()| read));
        let mut letter = read.map_err(|_| LineFault::NotJson)?.ok_or(LineFault::NotAnObject)?;
        letter.id = LetterId::of_line(line);
        letter.former = Some(LetterId::of_bytes(line)).filter(|former| *former != letter.id);
        Ok(letter)
    }

    /// The hash of its whole line.
    pub fn of_whole_line(&self) -> &LetterId {
        self.former.as_ref().unwrap_or(&self.id)
    }

    /// A letter without content.
    fn blank() -> Self {
        Self {
            id: LetterId::of_bytes(b""),
            former: None,
            ts: None,
            agent: None,
            class: None,
            kind: None,
            repo: None,
            brain: None,
            exact: ResolvedFields::default(),
            tool: None,
            what: None,
            expected: None,
            snippet: None,
            verdict: None,
            answers: Vec::new(),
            unknown_answers: false,
        }
    }

    /// The text field of a name; `None` if letters have no such field.
    fn text_mut(&mut self, name: &str) -> Option<&mut Option<String>> {
        Some(match name {
            "ts" => &mut self.ts,
            "agent" => &mut self.agent,
            "class" => &mut self.class,
            "kind" => &mut self.kind,
            "repo" => &mut self.repo,
            "brain" => &mut self.brain,
            "tool" => &mut self.tool,
            "what" => &mut self.what,
            "expected" => &mut self.expected,
            "snippet" => &mut self.snippet,
            "verdict" => &mut self.verdict,
            _ => return None,
        })
    }

    /// Its known fields as one JSON object.
    pub fn to_value(&self) -> Value {
        let mut letter = self.clone();
        let texts = TEXTS.iter().map(|name| {
            let text = letter.text_mut(name).expect("it is one").take();
            ((*name).to_owned(), text.map_or(Value::Null, Value::String))
        });
        let mut fields: serde_json::Map<String, Value> = texts.collect();
        fields.insert("answers".to_owned(), self.answers.clone().into());
        Value::Object(fields)
    }

    /// The same with every text changed by `change`.
    pub fn with_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        for name in TEXTS {
            let text = self.text_mut(name).expect("it is one");
            *text = text.as_deref().map(&change);
        }
        for answer in &mut self.answers {
            *answer = change(answer);
        }
        self
    }

    /// When it was written, if its `ts` is a time: RFC 3339, or milliseconds since the epoch.
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

/// The field that says that no letter within reach had one of the ids in `answers` when they were written.
pub(crate) const UNKNOWN_ANSWERS: &str = "unknown_answers";

/// The fields that are texts.
const TEXTS: [&str; 11] =
    ["ts", "agent", "class", "kind", "repo", "brain", "tool", "what", "expected", "snippet", "verdict"];

/// A value as a text; `None` for null and blank text.
fn shown(value: Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text,
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Reads the fields of a letter, without its id; nothing from JSON that is not an object. A spool is long, so unknown
/// fields are skipped and not kept; if they are nested too deeply, the line is still refused.
struct LetterFields;

impl<'de> Visitor<'de> for LetterFields {
    type Value = Option<Letter>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Option<Letter>, A::Error> {
        let mut letter = Letter::blank();
        let mut passed_over = Vec::new();
        while let Some(name) = fields.next_key::<Cow<'de, str>>()? {
            if let Some(text) = letter.text_mut(&name) {
                *text = shown(fields.next_value()?);
            } else if name == "answers" {
                letter.answers = match fields.next_value()? {
                    Value::Array(ids) => ids.into_iter().filter_map(shown).collect(),
                    one => shown(one).into_iter().collect(),
                };
            } else if name == EXACT {
                letter.exact = ResolvedFields::read(&fields.next_value()?);
            } else if name == UNKNOWN_ANSWERS {
                letter.unknown_answers = fields.next_value::<Value>()? == Value::Bool(true);
            } else {
                fields.next_value_seed(Collect(&mut passed_over))?;
                passed_over.clear();
            }
        }
        Ok(Some(letter))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<Letter>, A::Error> {
        let mut passed_over = Vec::new();
        while items.next_element_seed(Collect(&mut passed_over))?.is_some() {}
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Option<Letter>, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Option<Letter>, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Option<Letter>, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Option<Letter>, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Option<Letter>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<Letter>, E> {
        Ok(None)
    }
}

/// The JSON of a line with each text that `is_secret` accepts, names of fields included, replaced by one mark. For the
/// id of a line with a secret; empty if the line is not JSON.
pub fn left_without(line: &[u8], is_secret: &dyn Fn(&str) -> bool) -> String {
    serde_json::from_slice(line).map_or_else(|_| String::new(), |value| without(value, is_secret).to_string())
}

fn without(value: Value, is_secret: &dyn Fn(&str) -> bool) -> Value {
    const MARK: &str = "masked";
    let text = |text: String| if is_secret(&text) { MARK.to_owned() } else { text };
    match value {
        Value::String(said) => Value::String(text(said)),
        Value::Array(items) => items.into_iter().map(|item| without(item, is_secret)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (text(name), without(value, is_secret))).collect()
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::texts;

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
    fn of_a_field_that_stands_there_twice_the_last_counts() {
        let letter = Letter::parse(
            br#"{"what":"a","answers":["x"],"more":[{"what":"no"}],"what":"b","answers":null}"#,
        );
        let letter = letter.expect("a letter");
        assert_eq!((letter.what.as_deref(), letter.answers.len()), (Some("b"), 0));
        let masked = letter.with_texts(|text| format!("<{text}>"));
        assert_eq!((masked.what.as_deref(), masked.agent), (Some("<b>"), None));
    }

    #[test] // spec: LTR-2
    fn what_is_no_letter_is_told_without_repeating_it() {
        let check = |line: &[u8], fault| assert_eq!(Letter::parse(line), Err(fault));
        check(b"resolved, see above", LineFault::NotJson);
        check(b"[1]", LineFault::NotAnObject);
        for other in [&b"null"[..], b"1", b"-1", b"1.5", b"true", b"\"x\"", b"[]"] {
            check(other, LineFault::NotAnObject);
        }
        for torn in
            [&b"{} {}"[..], b"{\"a\":1", b"{\"a\":}", b"{\"what\":\"\0\"}", b"{\"more\":\"\xc3\x28\"}"]
        {
            assert!(Letter::parse(torn).is_err());
        }
        // Deep nesting is refused in unknown fields too: the secrets check could not read to their end.
        for open in ["[", "{\"a\":"] {
            let deep = format!(
                "{{\"more\":{}1{},\"what\":\"x\"}}",
                open.repeat(300),
                if open == "[" { "]" } else { "}" }.repeat(300)
            );
            check(deep.as_bytes(), LineFault::NotJson);
        }
        check("[".repeat(200_000).as_bytes(), LineFault::NotJson);
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

    #[test] // spec: LTR-3
    fn what_is_left_of_a_line_is_the_same_whatever_the_secret_was() {
        let left = |secret: &str| {
            let line = format!(r#"{{"what":"a {secret}","x":[{{"{secret}":1}},true,null],"ts":"7"}}"#);
            left_without(line.as_bytes(), &|text| text.contains("5ecret"))
        };
        assert_eq!(left("5ecret-1"), left("5ecret-2"));
        assert!(!left("5ecret-1").contains("5ecret"), "{}", left("5ecret-1"));
        assert_ne!(left("5ecret-1"), left("plain"));
        assert_eq!(left_without(b"no json 5ecret", &|_| true), "");
    }
}

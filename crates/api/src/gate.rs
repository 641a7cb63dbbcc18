//! The gate: what an answer says passes here before any door sees it, and no secret passes.
//!
//! Files are written by people, by git and by other programs, past the floor of writes. Whatever verb reads them, its
//! answer is masked at this one place: as JSON string by string while it is written, on a terminal text by text. What
//! is no answer of a verb (resources, prompts, hooks) passes as text.
//!
//! `export` alone carries bytes as they are.

use crate::answer::{Answer, no_json};
use crate::bounded_text;
use crate::wire::{Exit, escaped};
use crate::{Context, Present, Screen};
use brainstem_base::Fault;
use brainstem_claims::invisible_chars::visible;
use brainstem_memory::Floor;
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use std::io::{self, Write};

/// An answer behind the gate.
pub(crate) struct Gated<T> {
    pub(crate) answer: T,
    pub(crate) floor: Floor,
    pub(crate) after_shown: AfterShown<T>,
}

/// [`Verb::after_shown`](crate::Verb::after_shown) of the verb that gave an answer.
pub(crate) type AfterShown<T> = fn(&T, &Context) -> Result<(), Fault>;

impl<T: Serialize + Present + Send> Answer for Gated<T> {
    fn json(&self) -> Result<Value, Fault> {
        let mut value = serde_json::to_value(&self.answer).map_err(|error| no_json(&error))?;
        mask_value(&mut value, &self.floor);
        Ok(value)
    }

    fn text(&self, len_max: usize) -> Result<String, Fault> {
        bounded_text::written(len_max, |text| {
            let formatter = MaskFormatter { floor: &self.floor, string: None, inner: CompactFormatter };
            self.answer.serialize(&mut serde_json::Serializer::with_formatter(text, formatter))
        })
    }

    fn present(&self, out: &mut Screen) {
        out.gated(&self.floor, |out| Present::present(&self.answer, out));
    }

    fn page(&self) -> Option<String> {
        Some(visible(&self.floor.mask(&Present::page(&self.answer)?)))
    }

    fn after_shown(&self, cx: &Context) -> Result<(), Fault> {
        (self.after_shown)(&self.answer, cx)
    }

    fn exit(&self) -> Exit {
        Present::exit(&self.answer)
    }

    fn lines(&self) -> Option<Vec<Value>> {
        let mut lines = Present::lines(&self.answer)?;
        lines.iter_mut().for_each(|line| mask_value(line, &self.floor));
        Some(lines)
    }
}

/// An answer that carries bytes as they are: an export.
pub(crate) struct AnswerWithBytes<T> {
    pub(crate) answer: T,
    pub(crate) after_shown: AfterShown<T>,
}

impl<T: Serialize + Present + Send> Answer for AnswerWithBytes<T> {
    fn json(&self) -> Result<Value, Fault> {
        serde_json::to_value(&self.answer).map_err(|error| no_json(&error))
    }

    fn text(&self, len_max: usize) -> Result<String, Fault> {
        bounded_text::written(len_max, |text| serde_json::to_writer(text, &self.answer))
    }

    fn present(&self, out: &mut Screen) {
        Present::present(&self.answer, out);
    }

    fn page(&self) -> Option<String> {
        Present::page(&self.answer)
    }

    fn after_shown(&self, cx: &Context) -> Result<(), Fault> {
        (self.after_shown)(&self.answer, cx)
    }

    fn exit(&self) -> Exit {
        Present::exit(&self.answer)
    }

    fn lines(&self) -> Option<Vec<Value>> {
        Present::lines(&self.answer)
    }
}

/// Masks every text of a document, names of fields included.
pub fn mask_value(value: &mut Value, floor: &Floor) {
    match value {
        Value::String(text) => {
            if let std::borrow::Cow::Owned(masked) = floor.mask(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask_value(item, floor)),
        Value::Object(fields) => {
            let is_secret = |name: &String| matches!(floor.mask(name), std::borrow::Cow::Owned(_));
            if fields.keys().any(is_secret) {
                let named = std::mem::take(fields).into_iter();
                *fields = named.map(|(name, value)| (floor.mask(&name).into_owned(), value)).collect();
            }
            fields.values_mut().for_each(|value| mask_value(value, floor));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A document as text, with every text in it masked and nothing hidden in it.
pub fn masked_document(mut document: Value, floor: &Floor) -> String {
    mask_value(&mut document, floor);
    escaped(&document.to_string())
}

/// Writes JSON, and masks each string when it is whole.
struct MaskFormatter<'f> {
    floor: &'f Floor,
    string: Option<String>,
    inner: CompactFormatter,
}

/// A number or a truth value; as the name of a field it is written inside a string.
macro_rules! plain {
    ($($method:ident: $value:ty),*) => {$(
        fn $method<W: ?Sized + Write>(&mut self, writer: &mut W, value: $value) -> io::Result<()> {
            let Some(string) = &mut self.string else { return self.inner.$method(writer, value) };
            let mut text = Vec::new();
            self.inner.$method(&mut text, value)?;
            string.push_str(&String::from_utf8_lossy(&text));
            Ok(())
        }
    )*};
}

impl Formatter for MaskFormatter<'_> {
    plain!(write_bool: bool, write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128);
    plain!(write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128);
    plain!(write_f32: f32, write_f64: f64);

    fn begin_string<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.string = Some(String::new());
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        match &mut self.string {
            Some(string) => {
                string.push_str(fragment);
                Ok(())
            }
            None => self.inner.write_string_fragment(writer, fragment),
        }
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        let Some(string) = &mut self.string else { return self.inner.write_char_escape(writer, escape) };
        string.push(match escape {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(byte),
        });
        Ok(())
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let string = self.string.take().unwrap_or_default();
        serde_json::to_writer(writer, &*self.floor.mask(&string)).map_err(io::Error::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brainstem_base::clock::SystemClock;
    use brainstem_base::disk::{RealDisk, SimDisk};
    use brainstem_base::ids::SystemIds;
    use brainstem_memory::{Memory, NoEmbedder, Parts};
    use serde_json::json;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn floor(disk: Arc<dyn brainstem_base::Disk>) -> Floor {
        let parts = Parts {
            disk,
            clock: Arc::new(SystemClock),
            ids: Arc::new(SystemIds),
            home: "/no-such-home".into(),
            user_home: None,
            meanings: Arc::new(NoEmbedder),
        };
        Memory::new(parts).floor()
    }

    fn token() -> String {
        ["gh", "p_", "q7Zt1LmXw9Kd3VbN5rPc8Ys2HfJg4TaUe6Ro"].concat()
    }

    /// Everything that JSON can say, with a secret in names and values.
    #[derive(Serialize)]
    struct Everything {
        text: String,
        by_number: BTreeMap<i64, bool>,
        by_truth: BTreeMap<bool, f64>,
        nested: Value,
    }

    impl Present for Everything {
        fn present(&self, out: &mut Screen) {
            out.line([self.text.as_str()]);
            out.wrap(2, &self.text);
        }
    }

    fn everything() -> Everything {
        let odd = "\"\\/\u{8}\u{c}\n\r\t\u{1}\u{7f}\u{2028}é";
        Everything {
            text: format!("{odd} use {} for it", token()),
            by_number: [(-1, true), (7, false)].into(),
            by_truth: [(true, 1.0)].into(),
            nested: json!({ token(): [null, 1.5, -3, u64::MAX, "", token()], "plain": { "a": odd } }),
        }
    }

    #[test] // spec: MEM-14a
    fn an_answer_is_masked_alike_as_a_document_and_as_text() {
        let gated =
            Gated { answer: everything(), floor: floor(Arc::new(RealDisk)), after_shown: |_, _| Ok(()) };
        let (document, text) = (gated.json().expect("JSON"), gated.text(usize::MAX).expect("JSON"));
        assert_eq!(text, document.to_string());
        assert_eq!(text.matches("[secret]").count(), 3, "{text}");
        assert!(!text.contains(&token()[4..]));
        let plain = serde_json::to_string(&everything()).expect("JSON");
        assert_eq!(text, plain.replace(&token(), "[secret]"), "nothing else is changed");
        let mut page = Screen::plain();
        gated.present(&mut page);
        assert_eq!(page.as_str().matches("[secret]").count(), 2, "{}", page.as_str());
    }

    #[test] // spec: MEM-14a, IF-14
    fn the_own_token_is_masked_in_small_and_capital_letters_and_a_like_hash_is_not() {
        let disk = SimDisk::new();
        let own = "0123456789abcdef".repeat(4);
        disk.write_raw("/no-such-home/daemon/token", own.as_bytes());
        let floor = floor(Arc::new(disk));
        let hash = "fedcba9876543210".repeat(4);
        let text = format!("{own} {} {hash}", own.to_uppercase());
        assert_eq!(floor.mask(&text), format!("[secret] [secret] {hash}"));
    }
}

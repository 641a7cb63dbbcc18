//! JSON in one spelling: RFC 8785.
//!
//! Equal values have equal bytes: no white space, keys sorted by their UTF-16 units, one spelling for each number and each
//! text. The RFC takes every number for a double; a whole number that a double would change is refused here, so that two
//! different values never get one spelling.

use crate::limits::JSON_DEPTH_MAX;
use serde_json::{Map, Number, Value};
use std::fmt;

/// A JSON value as RFC 8785 spells it.
///
/// Invariant: parsing the text and spelling it again gives the same text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalJson(String);

/// Why a value has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalFault {
    /// A double cannot hold it, so that another program would read another number.
    #[error("the number {0} changes when a double holds it; write it as a text")]
    InexactNumber(String),
    /// It is nested too deep to be read back.
    #[error("it is nested deeper than {JSON_DEPTH_MAX} levels")]
    TooDeep,
}

impl CanonicalJson {
    /// Spells a value.
    pub fn of(value: &Value) -> Result<Self, CanonicalFault> {
        let mut text = String::new();
        write_value(&mut text, value, 0)?;
        Ok(Self(text))
    }

    /// The value.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).expect("a canonical spelling is JSON that can be read back")
    }

    /// The spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CanonicalJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn write_value(text: &mut String, value: &Value, depth: usize) -> Result<(), CanonicalFault> {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(is) => text.push_str(if *is { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&spelled_number(number)?),
        Value::String(string) => write_string(text, string),
        Value::Array(_) | Value::Object(_) if depth == JSON_DEPTH_MAX => return Err(CanonicalFault::TooDeep),
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write_value(text, item, depth + 1)?;
            }
            text.push(']');
        }
        Value::Object(fields) => write_object(text, fields, depth)?,
    }
    Ok(())
}

fn write_object(text: &mut String, fields: &Map<String, Value>, depth: usize) -> Result<(), CanonicalFault> {
    let mut sorted: Vec<_> = fields.iter().collect();
    // Not the order of UTF-8: a character beyond U+FFFF comes before U+E000 here.
    sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    text.push('{');
    for (at, (key, value)) in sorted.into_iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        write_string(text, key);
        text.push(':');
        write_value(text, value, depth + 1)?;
    }
    text.push('}');
    Ok(())
}

/// Appends a text with the escapes that RFC 8785 asks for and no others.
fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            c if c < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
}

fn spelled_number(number: &Number) -> Result<String, CanonicalFault> {
    let inexact = || CanonicalFault::InexactNumber(number.to_string());
    let spelled = spelled_double(number.as_f64().filter(|double| double.is_finite()).ok_or_else(inexact)?);
    let is_exact = number.is_f64() || spelled == number.to_string();
    if is_exact { Ok(spelled) } else { Err(inexact()) }
}

/// The digits of a double as ECMAScript prints them: the fewest that are read back as the same double.
fn spelled_double(double: f64) -> String {
    if double == 0.0 {
        // Minus zero too.
        return "0".to_owned();
    }
    let (digits, exponent) = fewest_digits(double.abs());
    let sign = if double < 0.0 { "-" } else { "" };
    let count = i32::try_from(digits.len()).expect("a double has at most 17 digits");
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    // How many digits are before the point.
    let point = exponent + 1;
    match point {
        _ if count <= point && point <= 21 => format!("{sign}{digits}{}", zeros(point - count)),
        1..=21 => {
            let (whole, rest) = digits.split_at(usize::try_from(point).expect("it is positive"));
            format!("{sign}{whole}.{rest}")
        }
        -5..=0 => format!("{sign}0.{}{digits}", zeros(-point)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            let plus = if exponent < 0 { "" } else { "+" };
            format!("{sign}{first}{dot}{rest}e{plus}{exponent}")
        }
    }
}

/// The digits of a positive double, and the exponent of ten of the first of them.
///
/// Of several texts with that many digits ECMAScript takes the nearest and, of two that are equally near, the even one. The
/// standard library takes any of them, so the double is rounded to that many digits; beside a power of two that may be
/// another double, and then the first one holds.
fn fewest_digits(double: f64) -> (String, i32) {
    let shortest = format!("{double:e}");
    let behind_point = shortest.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count() - 1;
    let nearest = format!("{double:.behind_point$e}");
    let scientific = if nearest.parse() == Ok(double) { nearest } else { shortest };
    let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` writes an exponent");
    let digits = mantissa.chars().filter(|c| *c != '.').collect();
    (digits, exponent.parse().expect("an exponent of a double is a small number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test] // spec: Z-20
    fn numbers_are_spelled_as_the_published_samples() {
        let samples: Value =
            serde_json::from_str(include_str!("../tests/vectors/rfc8785.json")).expect("JSON");
        for sample in samples["doubles"].as_array().expect("a list") {
            let bits = u64::from_str_radix(sample["ieee754"].as_str().expect("hex"), 16).expect("hex");
            assert_eq!(spelled_double(f64::from_bits(bits)), sample["canonical"], "{sample}");
        }
        for sample in samples["values"].as_array().expect("a list") {
            let value: Value = serde_json::from_str(sample["json"].as_str().expect("text")).expect("JSON");
            assert_eq!(CanonicalJson::of(&value).expect("canonical").as_str(), sample["canonical"]);
        }
    }

    #[test]
    fn a_whole_number_that_a_double_changes_is_refused() {
        let spelled = |value: &Value| CanonicalJson::of(value).map(|json| json.to_string());
        for exact in [0, 1, 9_007_199_254_740_991_u64, 9_007_199_254_740_992, 10_000_000_000_000_000_000] {
            assert_eq!(spelled(&json!(exact)), Ok(exact.to_string()));
        }
        assert_eq!(spelled(&json!(-9_007_199_254_740_991_i64)), Ok("-9007199254740991".to_owned()));
        for inexact in [9_007_199_254_740_993_u64, u64::MAX] {
            let fault = CanonicalFault::InexactNumber(inexact.to_string());
            assert_eq!(spelled(&json!({ "n": [inexact] })), Err(fault));
        }
    }

    #[test]
    fn a_value_that_could_not_be_read_back_is_refused() {
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        let deepest = CanonicalJson::of(&nested(JSON_DEPTH_MAX)).expect("canonical");
        assert!(serde_json::from_str::<Value>(deepest.as_str()).is_ok());
        let deeper = nested(JSON_DEPTH_MAX + 1);
        assert_eq!(CanonicalJson::of(&deeper), Err(CanonicalFault::TooDeep));
        assert!(serde_json::from_str::<Value>(&deeper.to_string()).is_err());
    }

    proptest! {
        #[test]
        fn a_double_is_read_back_as_it_was(double in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
            let spelled = spelled_double(double);
            prop_assert_eq!(spelled.parse::<f64>().expect("a number").to_bits(), double.to_bits());
            let read: Value = serde_json::from_str(&spelled).expect("JSON");
            prop_assert_eq!(CanonicalJson::of(&read).map(|json| json.to_string()), Ok(spelled));
        }

        #[test]
        fn a_text_is_read_back_as_it_was(text: String) {
            let spelled = CanonicalJson::of(&json!(text)).expect("canonical");
            prop_assert_eq!(serde_json::from_str::<String>(spelled.as_str()).expect("JSON"), text);
        }
    }
}

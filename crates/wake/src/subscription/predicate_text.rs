//! The text in which a person types a predicate.
//!
//! ```text
//! categoryId == gym and (priority >= 2 or labels contains urgent)
//! linkedTo(task, task-7) and not status in (done, "on hold")
//! dueDate < 2026-11-18
//! ```
//!
//! `not` binds before `and`, `and` before `or`. A value without quotes is a number, `true`, `false`, a time or a day if it
//! looks like one, and a text otherwise.

use super::predicate::{Comparison, Literal, Predicate};
use crate::limits::{PREDICATE_DEPTH_MAX, PREDICATE_LEN_MAX};
use brainstem_base::Timestamp;

/// Why a text is not a predicate: where, what, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {position}: {what}; {fix}")]
pub struct PredicateFault {
    /// The character, from 1.
    pub position: usize,
    /// What is wrong there.
    pub what: String,
    /// What to write instead.
    pub fix: &'static str,
}

const FIELD_FIX: &str = "write a field and a comparison, as in categoryId == gym";
const COMPARISON_FIX: &str = "write ==, !=, <, <=, >, >=, contains or in behind a field";
const VALUE_FIX: &str = "write a word, a number, a time, true, false or a text in double quotes";

impl Predicate {
    /// Parses the text of a predicate.
    pub fn parse(text: &str) -> Result<Self, PredicateFault> {
        if text.len() > PREDICATE_LEN_MAX {
            let what = format!("a predicate has at most {PREDICATE_LEN_MAX} bytes");
            return Err(PredicateFault { position: PREDICATE_LEN_MAX, what, fix: "write a shorter one" });
        }
        let mut reader = PredicateReader { text, at: 0, depth: 0 };
        let predicate = reader.any()?;
        match reader.peek() {
            None => Ok(predicate),
            Some(')') => Err(reader.fault("this parenthesis closes nothing", "take it away")),
            Some(_) => Err(reader.fault("something follows the predicate", "join predicates with and, or")),
        }
    }
}

struct PredicateReader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> PredicateReader<'a> {
    fn any(&mut self) -> Result<Predicate, PredicateFault> {
        self.joined("or", Predicate::Any, Self::all)
    }

    fn all(&mut self) -> Result<Predicate, PredicateFault> {
        self.joined("and", Predicate::All, Self::one)
    }

    fn joined(
        &mut self,
        word: &str,
        join: fn(Vec<Predicate>) -> Predicate,
        part: fn(&mut Self) -> Result<Predicate, PredicateFault>,
    ) -> Result<Predicate, PredicateFault> {
        let first = part(self)?;
        let mut parts = vec![first];
        while self.take_word(word) {
            parts.push(part(self)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { join(parts) })
    }

    fn one(&mut self) -> Result<Predicate, PredicateFault> {
        self.depth += 1;
        if self.depth > PREDICATE_DEPTH_MAX {
            return Err(self.fault("the parentheses are too deep", "write it with fewer of them"));
        }
        let one = if self.take_word("not") {
            Predicate::Not(Box::new(self.one()?))
        } else if self.take("(") {
            let inner = self.any()?;
            self.expect(")", "a parenthesis is not closed", "close it with )")?;
            inner
        } else if self.take_word("linkedTo") {
            self.linked_to()?
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(one)
    }

    fn linked_to(&mut self) -> Result<Predicate, PredicateFault> {
        const FIX: &str = "write linkedTo(TYPE, ID), as in linkedTo(task, task-7)";
        self.expect("(", "linkedTo needs a type and an id", FIX)?;
        let kind = self.text_value(FIX)?;
        self.expect(",", "linkedTo needs a type and an id", FIX)?;
        let id = self.text_value(FIX)?;
        self.expect(")", "linkedTo takes a type and an id", FIX)?;
        Ok(Predicate::LinkedTo { kind, id })
    }

    fn comparison(&mut self) -> Result<Predicate, PredicateFault> {
        self.skip_space();
        let rest = &self.text[self.at..];
        let is_field = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let len = rest.find(|c| !is_field(c)).unwrap_or(rest.len());
        let field = &rest[..len];
        if field.is_empty() || field.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(match self.peek() {
                None => self.fault("the predicate ends here", FIELD_FIX),
                Some(found) => self.fault(&format!("{found:?} begins no field"), FIELD_FIX),
            });
        }
        self.at += len;
        if self.take_word("in") {
            return self.values().map(|values| Predicate::In { field: field.to_owned(), values });
        }
        let Some(comparison) = Comparison::ALL.into_iter().find(|known| match known {
            Comparison::Contains => self.take_word(known.as_str()),
            Comparison::Equal
            | Comparison::NotEqual
            | Comparison::Less
            | Comparison::LessOrEqual
            | Comparison::Greater
            | Comparison::GreaterOrEqual => self.take(known.as_str()),
        }) else {
            return Err(match self.peek() {
                Some('=') => self.fault("= does not compare", "write =="),
                Some(_) | None => self.fault(&format!("no comparison follows {field}"), COMPARISON_FIX),
            });
        };
        self.skip_space();
        let value_at = self.at;
        let value = self.value()?;
        let has_order = match value {
            Literal::Number(_) | Literal::Time(_) => true,
            Literal::Text(_) | Literal::Flag(_) => false,
        };
        if comparison.is_order() && !has_order {
            self.at = value_at;
            return Err(self.fault("only numbers and times have an order", "write == or contains for a text"));
        }
        if comparison == Comparison::Contains && !matches!(value, Literal::Text(_)) {
            self.at = value_at;
            return Err(self.fault("contains looks for a text", "put it in double quotes"));
        }
        Ok(Predicate::Compare { field: field.to_owned(), comparison, value })
    }

    fn values(&mut self) -> Result<Vec<Literal>, PredicateFault> {
        const FIX: &str = "write in (one, two)";
        self.expect("(", "in needs its values in parentheses", FIX)?;
        let mut values = vec![self.value()?];
        while self.take(",") {
            values.push(self.value()?);
        }
        self.expect(")", "the values of in are not closed", FIX)?;
        Ok(values)
    }

    fn text_value(&mut self, fix: &'static str) -> Result<String, PredicateFault> {
        self.skip_space();
        if self.peek() == Some('"') {
            return self.quoted();
        }
        match self.bare() {
            "" => Err(self.fault("a type or an id is missing", fix)),
            word => Ok(word.to_owned()),
        }
    }

    fn value(&mut self) -> Result<Literal, PredicateFault> {
        self.skip_space();
        if self.peek() == Some('"') {
            return self.quoted().map(Literal::Text);
        }
        let word = self.bare();
        let time = || Timestamp::parse_rfc3339(word).or_else(|| Timestamp::parse_day(word));
        match word {
            "" => Err(self.fault("a value is missing", VALUE_FIX)),
            "true" => Ok(Literal::Flag(true)),
            "false" => Ok(Literal::Flag(false)),
            word if looks_like_a_number(word) => {
                Ok(Literal::Number(word.parse().expect("digits and a point")))
            }
            word => Ok(time().map_or_else(|| Literal::Text(word.to_owned()), Literal::Time)),
        }
    }

    /// The word here: everything up to a space, a comma, a parenthesis or a quote.
    fn bare(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"' | '=' | '<' | '>' | '!');
        let word = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn quoted(&mut self) -> Result<String, PredicateFault> {
        let (mut text, mut is_escaped) = (String::new(), false);
        for (offset, c) in self.text[self.at..].char_indices().skip(1) {
            match c {
                '"' if !is_escaped => {
                    self.at += offset + 1;
                    return Ok(text);
                }
                '\\' if !is_escaped => is_escaped = true,
                c => {
                    text.push(c);
                    is_escaped = false;
                }
            }
        }
        Err(self.fault("a text in quotes does not end", "close it with \""))
    }

    /// Takes a word of the grammar, if it is here and is a whole word.
    fn take_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let Some(rest) = self.text[self.at..].strip_prefix(word) else { return false };
        let is_whole = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.');
        // A field may have the name of a word: `not == 1` compares it.
        let compares = rest.trim_start().starts_with(['=', '!', '<', '>']);
        if is_whole && !compares {
            self.at += word.len();
        }
        is_whole && !compares
    }

    fn take(&mut self, sign: &str) -> bool {
        self.skip_space();
        let is_here = self.text[self.at..].starts_with(sign);
        if is_here {
            self.at += sign.len();
        }
        is_here
    }

    fn expect(&mut self, sign: &str, what: &str, fix: &'static str) -> Result<(), PredicateFault> {
        if self.take(sign) { Ok(()) } else { Err(self.fault(what, fix)) }
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.text[self.at..].chars().next()
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// A fault at the place that was reached.
    fn fault(&self, what: &str, fix: &'static str) -> PredicateFault {
        let position = self.text[..self.at].chars().count() + 1;
        PredicateFault { position, what: what.to_owned(), fix }
    }
}

/// Digits, with a sign and a fraction if it has them. An exponent or `inf` is a text.
fn looks_like_a_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    // More digits than a double can hold would be another number.
    let are_digits = |text: &str| (1..=15).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    are_digits(whole) && are_digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_bind_in_their_order() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Predicate::parse(text).expect(text).to_string(), expected);
        };
        check("a == 1 or b == 2 and not c == x", "a == 1 or (b == 2 and not (c == \"x\"))");
        check("(a==1 or b==2)and c!=true", "(a == 1 or b == 2) and c != true");
        check("linkedTo( task , \"task 7\" )", "linkedTo(\"task\", \"task 7\")");
        check("status in (done, \"on hold\",3)", "status in (\"done\", \"on hold\", 3)");
        check("note == \"say \\\"hi\\\" \\\\\"", "note == \"say \\\"hi\\\" \\\\\"");
        check("due < 2026-11-18 and id == 2026-11", "due < 2026-11-18T00:00:00.000Z and id == \"2026-11\"");
        check(
            "order.by == 1 and notes == x and android == y",
            "order.by == 1 and notes == \"x\" and android == \"y\"",
        );
        check("in == 1 and not == 2", "in == 1 and not == 2");
    }

    #[test]
    fn an_error_names_the_place_and_what_to_write() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Predicate::parse(text).expect_err(text).to_string(), expected);
        };
        check(
            "",
            "at character 1: the predicate ends here; write a field and a comparison, as in categoryId == gym",
        );
        check("categoryId = gym", "at character 12: = does not compare; write ==");
        check(
            "categoryId gym",
            "at character 12: no comparison follows categoryId; write ==, !=, <, <=, >, >=, contains or in behind a field",
        );
        check(
            "größe == 3",
            "at character 3: no comparison follows gr; write ==, !=, <, <=, >, >=, contains or in behind a field",
        );
        check(
            "a == 1 && b == 2",
            "at character 8: something follows the predicate; join predicates with and, or",
        );
        check(
            "a == 1 and",
            "at character 11: the predicate ends here; write a field and a comparison, as in categoryId == gym",
        );
        check("(a == 1", "at character 8: a parenthesis is not closed; close it with )");
        check("a == 1)", "at character 7: this parenthesis closes nothing; take it away");
        check(
            "title > abc",
            "at character 9: only numbers and times have an order; write == or contains for a text",
        );
        check("tags contains 3", "at character 15: contains looks for a text; put it in double quotes");
        check("title == \"abc", "at character 10: a text in quotes does not end; close it with \"");
        check(
            "linkedTo(task)",
            "at character 14: linkedTo needs a type and an id; write linkedTo(TYPE, ID), as in linkedTo(task, task-7)",
        );
        check(
            "a ==",
            "at character 5: a value is missing; write a word, a number, a time, true, false or a text in double quotes",
        );
        check("a in done", "at character 6: in needs its values in parentheses; write in (one, two)");
    }

    #[test]
    fn length_and_depth_have_an_end() {
        let deep = format!("{}a == 1{}", "(".repeat(PREDICATE_DEPTH_MAX), ")".repeat(PREDICATE_DEPTH_MAX));
        assert_eq!(
            Predicate::parse(&deep).map_err(|fault| fault.what),
            Err("the parentheses are too deep".into())
        );
        assert!(Predicate::parse(&deep[1..deep.len() - 1]).is_ok());
        assert!(Predicate::parse(&format!("{}a == 1", "not ".repeat(PREDICATE_DEPTH_MAX))).is_err());
        assert!(Predicate::parse(&format!("a == {}", "x".repeat(PREDICATE_LEN_MAX))).is_err());
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "[a(){}\"\\\\=<>! ,.0-9ä-]{0,40}|\\PC{0,40}") {
            if let Err(fault) = Predicate::parse(&text) {
                prop_assert!(fault.position >= 1 && fault.position <= text.chars().count() + 1);
            }
        }

        #[test]
        fn what_was_parsed_is_written_so_that_it_parses_to_the_same(predicate in any_predicate()) {
            let text = predicate.to_string();
            prop_assert_eq!(Predicate::parse(&text), Ok(predicate), "{}", text);
        }
    }

    fn any_literal() -> impl Strategy<Value = Literal> {
        prop_oneof![
            "[a-z\" \\\\0-9-]{0,6}".prop_map(Literal::Text),
            (-99_i32..99).prop_map(|number| Literal::Number(f64::from(number) / 4.0)),
            any::<bool>().prop_map(Literal::Flag),
            (0_i64..4_000_000_000_000).prop_map(|ms| Literal::Time(Timestamp::from_ms(ms))),
        ]
    }

    fn any_predicate() -> impl Strategy<Value = Predicate> {
        let field = "(in|not|and|or|linkedTo|contains|[a-c]{1,3}(\\.[a-c])?)";
        let compare =
            (field, 0_usize..7, any_literal()).prop_filter_map("no such comparison", |(field, at, value)| {
                let comparison = Comparison::ALL[at];
                let fits = match value {
                    Literal::Number(_) | Literal::Time(_) => comparison != Comparison::Contains,
                    Literal::Text(_) => !comparison.is_order(),
                    Literal::Flag(_) => !comparison.is_order() && comparison != Comparison::Contains,
                };
                // In `not contains x` the field is `contains`, and no comparison follows it.
                let is_word =
                    comparison == Comparison::Contains && matches!(field.as_str(), "not" | "linkedTo");
                (fits && !is_word).then_some(Predicate::Compare { field, comparison, value })
            });
        let values = proptest::collection::vec(any_literal(), 1..4);
        let leaf = prop_oneof![
            compare,
            ("[a-c]{1,3}", values).prop_map(|(field, values)| Predicate::In { field, values }),
            ("[a-z \"]{0,4}", "[a-z ,)]{0,4}").prop_map(|(kind, id)| Predicate::LinkedTo { kind, id }),
        ];
        leaf.prop_recursive(4, 24, 3, |inner| {
            let parts = proptest::collection::vec(inner.clone(), 2..4);
            prop_oneof![
                inner.prop_map(|inner| Predicate::Not(Box::new(inner))),
                parts.clone().prop_map(Predicate::All),
                parts.prop_map(Predicate::Any),
            ]
        })
    }
}

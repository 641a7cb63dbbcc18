//! Predicates over a changed entity: comparisons of its fields, and whether it is linked to another.

use super::entity::{EntitySnapshot, FieldValue};
use brainstem_base::Timestamp;
use std::fmt;

/// What has to hold for the changed entity.
///
/// A comparison with a field that the entity does not have, or that has another type, does not hold; so its `!=` does.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// A field compares with a value.
    Compare {
        /// The field.
        field: String,
        /// How.
        comparison: Comparison,
        /// With what.
        value: Literal,
    },
    /// A field has one of these values.
    In {
        /// The field.
        field: String,
        /// The values.
        values: Vec<Literal>,
    },
    /// The entity is linked to another.
    LinkedTo {
        /// The type of the other.
        kind: String,
        /// The id of the other.
        id: String,
    },
    /// It does not hold.
    Not(Box<Predicate>),
    /// All of them hold.
    All(Vec<Predicate>),
    /// One of them holds.
    Any(Vec<Predicate>),
}

/// How a field compares with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `contains`: a text has a part, or a list has an item.
    Contains,
}

impl Comparison {
    /// Every comparison. One that another begins with comes behind it, so that the first that fits is the right one.
    pub(super) const ALL: [Self; 7] = [
        Self::Equal,
        Self::NotEqual,
        Self::LessOrEqual,
        Self::Less,
        Self::GreaterOrEqual,
        Self::Greater,
        Self::Contains,
    ];

    /// The sign that is typed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Contains => "contains",
        }
    }

    /// Whether it needs values that have an order: numbers and times.
    pub(super) fn is_order(self) -> bool {
        match self {
            Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual => true,
            Self::Equal | Self::NotEqual | Self::Contains => false,
        }
    }
}

/// A value that a predicate names.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A text.
    Text(String),
    /// A number that is finite.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A time, or the first instant of a day in UTC.
    Time(Timestamp),
}

impl Predicate {
    /// Whether it holds for an entity.
    pub fn holds(&self, entity: &EntitySnapshot) -> bool {
        match self {
            Self::Compare { field, comparison, value } => {
                let field = entity.fields.get(field);
                match comparison {
                    Comparison::NotEqual => !field.is_some_and(|field| value.equals(field)),
                    Comparison::Equal => field.is_some_and(|field| value.equals(field)),
                    Comparison::Contains => field.is_some_and(|field| value.is_in(field)),
                    Comparison::Less
                    | Comparison::LessOrEqual
                    | Comparison::Greater
                    | Comparison::GreaterOrEqual => {
                        let order = field.and_then(|field| value.order_of(field));
                        order.is_some_and(|order| match comparison {
                            Comparison::Less => order.is_lt(),
                            Comparison::LessOrEqual => order.is_le(),
                            Comparison::Greater => order.is_gt(),
                            Comparison::GreaterOrEqual => order.is_ge(),
                            Comparison::Equal | Comparison::NotEqual | Comparison::Contains => false,
                        })
                    }
                }
            }
            Self::In { field, values } => {
                let field = entity.fields.get(field);
                field.is_some_and(|field| values.iter().any(|value| value.equals(field)))
            }
            Self::LinkedTo { kind, id } => entity.links.iter().any(|link| link.0 == *kind && link.1 == *id),
            Self::Not(inner) => !inner.holds(entity),
            Self::All(parts) => parts.iter().all(|part| part.holds(entity)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(entity)),
        }
    }

    /// A field and the text that it must have, if the predicate cannot hold otherwise. The index hashes by it.
    pub(super) fn required_text(&self) -> Option<(&str, &str)> {
        match self {
            Self::Compare { field, comparison: Comparison::Equal, value: Literal::Text(text) } => {
                Some((field, text))
            }
            Self::All(parts) => parts.iter().find_map(Self::required_text),
            Self::Compare { .. } | Self::In { .. } | Self::LinkedTo { .. } | Self::Not(_) | Self::Any(_) => {
                None
            }
        }
    }
}

impl Literal {
    fn equals(&self, field: &FieldValue) -> bool {
        match (self, field) {
            (Self::Text(value), FieldValue::Text(text)) => value == text,
            (Self::Flag(value), FieldValue::Flag(flag)) => value == flag,
            (Self::Number(_), FieldValue::Number(_)) | (Self::Time(_), FieldValue::Text(_)) => {
                self.order_of(field).is_some_and(std::cmp::Ordering::is_eq)
            }
            (
                Self::Text(_) | Self::Flag(_) | Self::Number(_) | Self::Time(_),
                FieldValue::Text(_) | FieldValue::Flag(_) | FieldValue::Number(_) | FieldValue::Texts(_),
            ) => false,
        }
    }

    /// How the field compares with this value; `None` if the two have no order.
    fn order_of(&self, field: &FieldValue) -> Option<std::cmp::Ordering> {
        match (self, field) {
            (Self::Number(value), FieldValue::Number(number)) => number.partial_cmp(value),
            (Self::Time(value), FieldValue::Text(text)) => {
                let time = Timestamp::parse_rfc3339(text).or_else(|| Timestamp::parse_day(text))?;
                Some(time.cmp(value))
            }
            (
                Self::Text(_) | Self::Flag(_) | Self::Number(_) | Self::Time(_),
                FieldValue::Text(_) | FieldValue::Flag(_) | FieldValue::Number(_) | FieldValue::Texts(_),
            ) => None,
        }
    }

    fn is_in(&self, field: &FieldValue) -> bool {
        match (self, field) {
            (Self::Text(value), FieldValue::Text(text)) => text.contains(value),
            (Self::Text(value), FieldValue::Texts(texts)) => texts.contains(value),
            (
                Self::Text(_) | Self::Flag(_) | Self::Number(_) | Self::Time(_),
                FieldValue::Text(_) | FieldValue::Flag(_) | FieldValue::Number(_) | FieldValue::Texts(_),
            ) => false,
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |f: &mut fmt::Formatter<'_>, parts: &[Self], word: &str| {
            for (at, part) in parts.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { word })?;
                match part {
                    Self::All(_) | Self::Any(_) => write!(f, "({part})")?,
                    Self::Compare { .. } | Self::In { .. } | Self::LinkedTo { .. } | Self::Not(_) => {
                        write!(f, "{part}")?;
                    }
                }
            }
            Ok(())
        };
        match self {
            Self::Compare { field, comparison, value } => {
                write!(f, "{field} {} {value}", comparison.as_str())
            }
            Self::In { field, values } => {
                write!(f, "{field} in (")?;
                for (at, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Self::LinkedTo { kind, id } => {
                write!(f, "linkedTo({}, {})", Literal::Text(kind.clone()), Literal::Text(id.clone()))
            }
            Self::Not(inner) => write!(f, "not ({inner})"),
            Self::All(parts) => joined(f, parts, " and "),
            Self::Any(parts) => joined(f, parts, " or "),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Always in quotes: without them a text may look like a number, a time or a word of the grammar.
            Self::Text(text) => write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
            Self::Number(number) => write!(f, "{number}"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Time(time) => write!(f, "{time}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> EntitySnapshot {
        EntitySnapshot::default()
            .with_text("categoryId", "gym")
            .with_text("dueDate", "2026-11-18T07:00:00+01:00")
            .with("priority", FieldValue::Number(2.0))
            .with("isDone", FieldValue::Flag(false))
            .with("labels", FieldValue::Texts(vec!["urgent".into(), "legs".into()]))
            .with_link("task", "task-7")
    }

    fn check(text: &str, expected: bool) {
        let predicate = Predicate::parse(text).expect(text);
        assert_eq!(predicate.holds(&task()), expected, "{text}");
    }

    #[test] // spec: B-41, E-48a, T-01
    fn fields_are_compared_by_their_types() {
        check("categoryId == gym", true);
        check("categoryId == \"gym\" and not isDone == true", true);
        check("categoryId == pool", false);
        check("categoryId != pool", true);
        check("priority >= 2 and priority < 3", true);
        check("priority > 2 or priority <= 1.5", false);
        check("isDone == false", true);
        check("dueDate < 2026-11-19", true);
        check("dueDate == 2026-11-18T06:00:00Z", true);
        check("dueDate >= 2026-11-19T00:00:00Z", false);
        check("labels contains legs", true);
        check("labels contains leg", false);
        check("categoryId contains gy", true);
        check("categoryId in (pool, gym)", true);
        check("priority in (1, 3)", false);
    }

    #[test] // spec: B-41, E-48a
    fn a_link_is_tested_by_type_and_id() {
        check("linkedTo(task, task-7)", true);
        check("linkedTo(task, task-8)", false);
        check("linkedTo(project, task-7)", false);
    }

    #[test]
    fn what_an_entity_does_not_have_or_has_of_another_type_compares_with_nothing() {
        for text in
            ["mood == good", "mood < 3", "mood contains x", "mood in (a)", "priority == \"2\"", "isDone == 0"]
        {
            check(text, false);
        }
        check("mood != good", true);
        check("not mood == good", true);
        check("priority != \"2\"", true);
    }
}

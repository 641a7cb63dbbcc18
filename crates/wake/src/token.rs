//! Typed tokens: how a batch says what changed, and how a subscription says what it waits for.
//!
//! A token's class is part of its type. No code guesses a class from the look of a text; [`legacy`] is the one form in
//! which a text carries its class, for hooks and scripts.

pub mod legacy;

use crate::limits::{TOKEN_NAMESPACE_LEN_MAX, TOKEN_VALUE_LEN_MAX};
use std::fmt;

/// What a token names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenClass {
    /// A kind of thing: `TASK`, `MAIL`.
    SemanticKey,
    /// A value of a kind's own division, in a namespace: `running` of `workoutType`.
    SubtypeToken,
    /// One entity, by its id.
    EntityId,
}

impl TokenClass {
    /// Every class.
    pub const ALL: [Self; 3] = [Self::SemanticKey, Self::SubtypeToken, Self::EntityId];

    /// The word on the wire and in rows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SemanticKey => "semanticKey",
            Self::SubtypeToken => "subtypeToken",
            Self::EntityId => "entityId",
        }
    }

    /// Reads the word of the wire.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == word)
    }
}

/// One thing that a batch says has changed, or that a subscription waits for.
///
/// Invariant: a namespace is there if and only if the class is [`TokenClass::SubtypeToken`], and it has no `|` and no `:`. So
/// [`Token::key`] is different for every token.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token {
    class: TokenClass,
    namespace: Option<Box<str>>,
    value: Box<str>,
}

/// Why a token was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// A subtype says nothing without its namespace.
    #[error("a subtypeToken needs a namespace, and {value:?} has none")]
    NamespaceMissing {
        /// The value that came without it.
        value: String,
    },
    /// The other classes have one namespace each: their class.
    #[error("a {} has no namespace, and {value:?} came with {namespace:?}", class.as_str())]
    NamespaceUnexpected {
        /// The class.
        class: TokenClass,
        /// The namespace.
        namespace: String,
        /// The value.
        value: String,
    },
    /// A namespace that is empty, too long, or has a character that separates.
    #[error("{namespace:?} is not a namespace: it has 1 to {TOKEN_NAMESPACE_LEN_MAX} of A-Z a-z 0-9 _ . -")]
    Namespace {
        /// The namespace.
        namespace: String,
    },
    /// A value that is empty, too long, or has a control character.
    #[error(
        "a token's value has 1 to {TOKEN_VALUE_LEN_MAX} bytes and no control characters, and {value:?} does not"
    )]
    Value {
        /// The value, cut to the length that a token may have.
        value: String,
    },
}

impl Token {
    /// Makes a token from its three parts, as rows and the wire have them.
    pub fn new(class: TokenClass, namespace: Option<&str>, value: &str) -> Result<Self, TokenFault> {
        let namespace = match (class, namespace) {
            (TokenClass::SubtypeToken, None) => {
                return Err(TokenFault::NamespaceMissing { value: shortened(value) });
            }
            (TokenClass::SubtypeToken, Some(namespace)) if is_namespace(namespace) => Some(namespace.into()),
            (TokenClass::SubtypeToken, Some(namespace)) => {
                return Err(TokenFault::Namespace { namespace: shortened(namespace) });
            }
            (TokenClass::SemanticKey | TokenClass::EntityId, None) => None,
            (TokenClass::SemanticKey | TokenClass::EntityId, Some(namespace)) => {
                let (namespace, value) = (shortened(namespace), shortened(value));
                return Err(TokenFault::NamespaceUnexpected { class, namespace, value });
            }
        };
        let is_value =
            (1..=TOKEN_VALUE_LEN_MAX).contains(&value.len()) && !value.chars().any(char::is_control);
        if !is_value {
            return Err(TokenFault::Value { value: shortened(value) });
        }
        Ok(Self { class, namespace, value: value.into() })
    }

    /// A kind of thing.
    pub fn semantic(key: &str) -> Result<Self, TokenFault> {
        Self::new(TokenClass::SemanticKey, None, key)
    }

    /// A value in a namespace.
    pub fn subtype(namespace: &str, value: &str) -> Result<Self, TokenFault> {
        Self::new(TokenClass::SubtypeToken, Some(namespace), value)
    }

    /// One entity.
    pub fn entity(id: &str) -> Result<Self, TokenFault> {
        Self::new(TokenClass::EntityId, None, id)
    }

    /// What it names.
    pub fn class(&self) -> TokenClass {
        self.class
    }

    /// The namespace of a subtype; `None` for the other classes.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The key, the subtype or the id.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Its canonical identity, `{tokenClass}|{tokenNamespace or -}|{tokenValue}`.
    pub fn key(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}|{}|{}", self.class.as_str(), self.namespace().unwrap_or("-"), self.value)
    }
}

/// The kinds of things that this program itself reports. Others may be added by what posts them.
pub mod semantic {
    /// A task.
    pub const TASK: &str = "TASK";
    /// A workout.
    pub const WORKOUT: &str = "WORKOUT";
    /// The plan of a day.
    pub const DAY_PLAN: &str = "DAY_PLAN";
    /// A rating.
    pub const RATING: &str = "RATING";
    /// What a model answered.
    pub const AI_RESPONSE: &str = "AI_RESPONSE";
    /// A message of mail.
    pub const MAIL: &str = "MAIL";
    /// A message of the inbox.
    pub const INBOX: &str = "INBOX";
    /// A claim.
    pub const CLAIM: &str = "CLAIM";
    /// A letter.
    pub const LETTER: &str = "LETTER";
    /// An agent was made, edited, paused or destroyed; comes with the agent's id.
    pub const AGENT_CHANGED: &str = "agentChangedNotification";
    /// An agent's state was saved; comes with the ids of agent and state.
    pub const AGENT_STATE_CHANGED: &str = "agentStateChangedNotification";
    /// A message was appended to an agent's log; comes with the ids of agent and message.
    pub const AGENT_MESSAGE_APPENDED: &str = "agentMessageAppendedNotification";
}

fn is_namespace(text: &str) -> bool {
    (1..=TOKEN_NAMESPACE_LEN_MAX).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
        // In a token's key `-` means that there is none.
        && text != "-"
}

/// A text that an error repeats, without the rest of one that is too long.
fn shortened(text: &str) -> String {
    text.chars().take(TOKEN_VALUE_LEN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test] // spec: B-10, B-12, B-15, B-17, T-02
    fn a_token_of_each_class_has_its_canonical_key() {
        let check = |token: Result<Token, TokenFault>, key: &str| {
            let token = token.expect("a token");
            assert_eq!(token.key(), key);
            assert_eq!(Token::new(token.class(), token.namespace(), token.value()), Ok(token));
        };
        check(Token::semantic(semantic::TASK), "semanticKey|-|TASK");
        check(Token::semantic(semantic::MAIL), "semanticKey|-|MAIL");
        check(Token::subtype("workoutType", "running"), "subtypeToken|workoutType|running");
        check(Token::entity("task-7"), "entityId|-|task-7");
        for class in TokenClass::ALL {
            assert_eq!(TokenClass::parse(class.as_str()), Some(class));
        }
        assert_eq!(TokenClass::parse("key"), None);
    }

    #[test] // spec: B-11, T-04
    fn a_namespace_is_needed_by_subtypes_and_refused_by_the_other_classes() {
        let missing = Token::new(TokenClass::SubtypeToken, None, "running");
        assert_eq!(missing, Err(TokenFault::NamespaceMissing { value: "running".into() }));
        for class in [TokenClass::SemanticKey, TokenClass::EntityId] {
            let (namespace, value) = ("workoutType".to_owned(), "running".to_owned());
            let refused = Token::new(class, Some(&namespace), &value);
            assert_eq!(refused, Err(TokenFault::NamespaceUnexpected { class, namespace, value }));
        }
        for bad in ["", "-", "a|b", "a:b", "a b", &"n".repeat(TOKEN_NAMESPACE_LEN_MAX + 1)] {
            let refused = Token::subtype(bad, "running");
            assert_eq!(refused, Err(TokenFault::Namespace { namespace: bad.to_owned() }));
        }
    }

    #[test]
    fn a_value_has_a_length_and_no_control_characters() {
        for bad in ["", "a\nb", &"v".repeat(TOKEN_VALUE_LEN_MAX + 1)] {
            assert!(matches!(Token::entity(bad), Err(TokenFault::Value { .. })), "{bad:?}");
        }
        assert!(Token::entity(&"v".repeat(TOKEN_VALUE_LEN_MAX)).is_ok());
    }

    proptest! {
        #[test] // spec: B-12
        fn no_two_tokens_have_one_key(
            a in any_token(), b in any_token(),
        ) {
            prop_assert_eq!(a == b, a.key() == b.key());
        }
    }

    /// Tokens of few characters, so that two of them are often nearly the same.
    fn any_token() -> impl Strategy<Value = Token> {
        ("[-|:a]{1,4}", "[-._a]{1,3}", 0_usize..3).prop_filter_map("no token", |(value, namespace, class)| {
            let class = TokenClass::ALL[class];
            let namespace = (class == TokenClass::SubtypeToken).then_some(namespace);
            Token::new(class, namespace.as_deref(), &value).ok()
        })
    }
}

//! The one-line form of a token, in which hooks and scripts post what changed: `k:TASK`, `id:task-7`,
//! `sub:workoutType:running`. Nothing else is read, and no text is given a class that it does not name.

use super::{Token, TokenClass, TokenFault};

/// Why a line is not a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LegacyFault {
    /// It begins with none of the three prefixes.
    #[error("{text:?} says no class: write k:KEY, id:ENTITY or sub:NAMESPACE:VALUE")]
    Prefix {
        /// The text.
        text: String,
    },
    /// A `sub:` without a second colon.
    #[error("{text:?} names no namespace: write sub:NAMESPACE:VALUE")]
    Subtype {
        /// The text.
        text: String,
    },
    /// The parts break a rule of tokens.
    #[error(transparent)]
    Token(#[from] TokenFault),
}

/// Reads one token.
pub fn parse(text: &str) -> Result<Token, LegacyFault> {
    let Some((prefix, rest)) = text.split_once(':') else {
        return Err(LegacyFault::Prefix { text: text.to_owned() });
    };
    let token = match prefix {
        "k" => Token::new(TokenClass::SemanticKey, None, rest),
        "id" => Token::new(TokenClass::EntityId, None, rest),
        "sub" => {
            let Some((namespace, value)) = rest.split_once(':') else {
                return Err(LegacyFault::Subtype { text: text.to_owned() });
            };
            Token::new(TokenClass::SubtypeToken, Some(namespace), value)
        }
        _ => return Err(LegacyFault::Prefix { text: text.to_owned() }),
    };
    Ok(token?)
}

/// Writes a token in the form that [`parse`] reads.
pub fn line(token: &Token) -> String {
    match (token.class(), token.namespace()) {
        (TokenClass::SemanticKey, _) => format!("k:{}", token.value()),
        (TokenClass::EntityId, _) => format!("id:{}", token.value()),
        (TokenClass::SubtypeToken, namespace) => {
            format!("sub:{}:{}", namespace.unwrap_or_default(), token.value())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: B-14, Z-32, T-08
    fn the_three_prefixes_are_read_and_written() {
        for (text, key) in [
            ("k:TASK", "semanticKey|-|TASK"),
            ("id:task:7", "entityId|-|task:7"),
            ("sub:workoutType:running:fast", "subtypeToken|workoutType|running:fast"),
        ] {
            let token = parse(text).expect(text);
            assert_eq!((token.key().as_str(), line(&token).as_str()), (key, text));
        }
    }

    #[test] // spec: B-13, B-14, B-30, T-08
    fn anything_else_is_refused_and_never_given_a_class() {
        let prefix = |text: &str| Err(LegacyFault::Prefix { text: text.to_owned() });
        for text in ["TASK", "task-7", "", "K:TASK", "key:TASK", "ID:7", " k:TASK", "subtype:a:b"] {
            assert_eq!(parse(text), prefix(text), "{text:?}");
        }
        assert_eq!(parse("sub:running"), Err(LegacyFault::Subtype { text: "sub:running".into() }));
        for text in ["k:", "id:", "sub::running", "sub:workoutType:", "k:a\u{7}"] {
            assert!(matches!(parse(text), Err(LegacyFault::Token(_))), "{text:?}");
        }
    }
}

//! Refusals, as every door shows them: a code for programs, a fix for people.

use crate::{Advice, ErrorCode};
use std::fmt;

/// An error that knows its public code and what the caller can do about it.
pub trait Coded: std::error::Error {
    /// The registered, permanent code.
    fn code(&self) -> ErrorCode;

    /// What the caller can do now, as an instruction.
    fn fix(&self) -> Option<Advice> {
        None
    }

    /// The field of the request that the refusal is about.
    fn field(&self) -> Option<String> {
        None
    }

    /// The spec id of the rule that refuses.
    fn rule(&self) -> Option<&'static str> {
        None
    }
}

/// A refusal ready to be shown: `{"error":{code, message, fix, field, rule}}` on every door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The registered code.
    pub code: ErrorCode,
    /// What happened, with its causes.
    pub message: String,
    /// What to do now.
    pub fix: Option<Advice>,
    /// The field of the request that the refusal is about.
    pub field: Option<String>,
    /// The spec id of the rule that refuses.
    pub rule: Option<&'static str>,
}

impl Fault {
    /// A fault with a code and a message alone.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), fix: None, field: None, rule: None }
    }

    /// Says what the caller can do.
    pub fn fix(mut self, fix: impl Into<Advice>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// Names the field that the refusal is about.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Names the rule of the spec.
    pub fn rule(mut self, rule: &'static str) -> Self {
        self.rule = Some(rule);
        self
    }
}

impl<E: Coded> From<E> for Fault {
    /// Joins the message and its causes: `cannot store …: no space left on device`.
    fn from(error: E) -> Self {
        let message = message_with_causes(&error);
        Self { code: error.code(), message, fix: error.fix(), field: error.field(), rule: error.rule() }
    }
}

/// The message of an error with those of its causes, as a [`Fault`] has it.
pub fn message_with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message.push_str(": ");
        message.push_str(&cause.to_string());
        source = cause.source();
    }
    message
}

/// What a refusal has beside its message: an enum of errors gives one for each of its variants, in one `match`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The registered code.
    pub code: ErrorCode,
    /// What to do now.
    pub fix: Option<Advice>,
    /// The field of the request that is to blame.
    pub field: Option<String>,
    /// The spec id of the rule that refuses.
    pub rule: Option<&'static str>,
}

impl Refusal {
    /// A refusal with a code and a fix.
    pub fn new(code: ErrorCode, fix: impl Into<Advice>) -> Self {
        Self { code, fix: Some(fix.into()), field: None, rule: None }
    }

    /// A refusal as an error of another layer has it.
    pub fn of(error: &impl Coded) -> Self {
        Self { code: error.code(), fix: error.fix(), field: error.field(), rule: error.rule() }
    }

    /// Names the field that is to blame.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Names the rule of the spec.
    pub fn rule(mut self, rule: &'static str) -> Self {
        self.rule = Some(rule);
        self
    }
}

/// Implements [`Coded`] for enums of errors that have a method `refusal(&self) -> Refusal`.
#[macro_export]
macro_rules! coded_by_refusal {
    ($($error:ty),* $(,)?) => {
        $(impl $crate::Coded for $error {
            fn code(&self) -> $crate::ErrorCode {
                self.refusal().code
            }
            fn fix(&self) -> Option<$crate::Advice> {
                self.refusal().fix
            }
            fn field(&self) -> Option<String> {
                self.refusal().field
            }
            fn rule(&self) -> Option<&'static str> {
                self.refusal().rule
            }
        })*
    };
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

//! What was found: a kind and a position, never the text.

use std::fmt;
use std::ops::Range;

/// The text that replaces a secret.
pub const MASK: &str = "[secret]";

/// A kind of text that is refused.
#[derive(Debug, PartialEq, Eq)]
pub struct SecretKind {
    /// The rule's permanent name, such as `github_token`.
    pub id: &'static str,
    /// What people call it, such as `GitHub token`.
    pub name: &'static str,
    /// The group it belongs to.
    pub family: Family,
    /// What to do about it, as an instruction.
    pub advice: &'static str,
}

/// A group of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Private keys of any format.
    PrivateKey,
    /// Clouds and what they host.
    Cloud,
    /// Source hosting, registries, build services.
    Forge,
    /// Model providers.
    Model,
    /// Chat, mail and payment services.
    Service,
    /// Monitoring and infrastructure tools.
    Operations,
    /// A value that its surroundings mark as a secret: an assignment, a header, an address.
    Context,
    /// Lines of an unfinished merge.
    Merge,
}

impl Family {
    /// Whether the kinds of this family are recognised by their own shape, without surroundings.
    pub fn is_shape(self) -> bool {
        match self {
            Self::PrivateKey | Self::Cloud | Self::Forge | Self::Model | Self::Service | Self::Operations => {
                true
            }
            Self::Context | Self::Merge => false,
        }
    }
}

/// One thing that must not be written.
///
/// Invariant: it holds no byte of the text that was inspected, so it can be logged and shown.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretFinding {
    /// What it is.
    pub kind: &'static SecretKind,
    /// Which bytes of the inspected text it covers.
    pub span: Range<usize>,
}

impl fmt::Display for SecretFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}) at byte {}", self.kind.name, self.kind.id, self.span.start)
    }
}

impl fmt::Debug for SecretFinding {
    /// The length of a password is information about it, so the end of the span is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Finding({} at byte {})", self.kind.id, self.span.start)
    }
}

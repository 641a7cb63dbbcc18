//! Where a vector came from.

/// Where a vector came from. Both kinds are in one space; the better one follows when there is time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VectorKind {
    /// There is none: it is found by its words alone.
    None,
    /// From the table of tokens, at once.
    Static,
    /// From the encoder.
    Encoded,
}

impl VectorKind {
    pub(super) fn of_byte(byte: u8) -> Self {
        match byte {
            1 => Self::Static,
            2 => Self::Encoded,
            _ => Self::None,
        }
    }
}

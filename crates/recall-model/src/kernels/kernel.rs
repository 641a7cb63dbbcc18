//! What every path can do, and what is compiled for it.

use crate::vector::DIMENSIONS;
use crate::weights::Matrix;

/// A vector's worth of bytes.
pub(crate) type KernelRow = [i8; DIMENSIONS];

/// The operations that each path implements.
pub(crate) trait Kernel: Copy {
    /// The type of a quantised activation; its value always fits into a byte, and is never -128.
    type Activation: Activation;

    /// Multiplies each token's activations with a matrix: `out[token][row]` becomes their dot product.
    ///
    /// As many tokens as `out` has room for are taken from the front of `activations`.
    fn multiply(self, activations: &[Self::Activation], matrix: &Matrix, out: &mut [i32]);

    /// The dot product of a query with each row.
    fn dots(self, query: &KernelRow, rows: &[KernelRow], out: &mut [i32]);

    /// Runs a task, compiled with the instructions of this path.
    fn run<T: Task>(self, task: T) -> T::Output;
}

/// Work that is compiled once for each path. Its `run` must be inlined, and so must what it calls.
pub(crate) trait Task {
    /// Its result.
    type Output;

    /// Does it.
    fn run<K: Kernel>(self, kernel: K) -> Self::Output;
}

/// A type for activations.
pub(crate) trait Activation: Copy + Default + From<i8> + Into<i16> {
    /// The room that a thread keeps for them.
    fn room(room: &mut ActivationRoom) -> &mut Vec<Self>;
}

/// Room for activations of each type.
#[derive(Default)]
pub(crate) struct ActivationRoom {
    bytes: Vec<i8>,
    words: Vec<i16>,
}

impl ActivationRoom {
    /// No room yet.
    pub(crate) const EMPTY: Self = Self { bytes: Vec::new(), words: Vec::new() };
}

impl Activation for i8 {
    fn room(room: &mut ActivationRoom) -> &mut Vec<Self> {
        &mut room.bytes
    }
}

impl Activation for i16 {
    fn room(room: &mut ActivationRoom) -> &mut Vec<Self> {
        &mut room.words
    }
}

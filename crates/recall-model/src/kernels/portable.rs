//! Plain Rust, for processors without a path of their own, and the measure for the others.

use super::kernel::{Kernel, KernelRow, Task};
use crate::weights::{INNER, Matrix, TILE_COLUMNS, TILE_ROWS};

/// Any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Kernel for Portable {
    type Activation = i16;

    fn multiply(self, activations: &[i16], matrix: &Matrix, out: &mut [i32]) {
        let mut room = [0; TILE_ROWS * INNER];
        let wide = &mut room[..TILE_ROWS * matrix.columns];
        let tiles = matrix.tiles.chunks_exact(TILE_ROWS * matrix.columns);
        for (index, tile) in tiles.enumerate() {
            for (wide, &byte) in wide.iter_mut().zip(tile) {
                *wide = i16::from(byte as i8);
            }
            let tokens = activations.chunks_exact(matrix.columns);
            for (token, out) in tokens.zip(out.chunks_exact_mut(matrix.rows)) {
                out[index * TILE_ROWS..][..TILE_ROWS].copy_from_slice(&multiply_tile(wide, token));
            }
        }
    }

    fn dots(self, query: &KernelRow, rows: &[KernelRow], out: &mut [i32]) {
        let query = query.map(i16::from);
        for (row, out) in rows.iter().zip(out) {
            let mut sum = 0;
            for (a, b) in query.iter().zip(row) {
                sum += i32::from(*a) * i32::from(i16::from(*b));
            }
            *out = sum;
        }
    }

    #[inline(always)]
    fn run<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// The products of one token with the rows of a tile.
///
/// Two neighbouring columns are multiplied and added at a time, which compilers know as one instruction.
fn multiply_tile(tile: &[i16], token: &[i16]) -> [i32; TILE_ROWS] {
    let mut sums = [[0; PAIRS]; TILE_ROWS * TILE_COLUMNS / WORDS];
    let blocks = tile.as_chunks::<{ TILE_ROWS * TILE_COLUMNS }>().0;
    for (block, columns) in blocks.iter().zip(token.as_chunks::<TILE_COLUMNS>().0) {
        let [a, b, c, d] = *columns;
        let columns: [i16; WORDS] = [a, b, c, d, a, b, c, d];
        for (weights, sums) in block.as_chunks::<WORDS>().0.iter().zip(&mut sums) {
            for pair in 0..PAIRS {
                let left = i32::from(weights[2 * pair]) * i32::from(columns[2 * pair]);
                let right = i32::from(weights[2 * pair + 1]) * i32::from(columns[2 * pair + 1]);
                sums[pair] += left + right;
            }
        }
    }
    let pairs = sums.as_flattened();
    std::array::from_fn(|row| pairs[2 * row] + pairs[2 * row + 1])
}

/// Words, and pairs of them, in the registers that every processor has.
const WORDS: usize = 8;
const PAIRS: usize = WORDS / 2;

//! Plain Rust, for processors without a path of their own, and the measure for the others.

use super::{Kernel, Row, Task};
use crate::weights::{Matrix, TILE_COLUMNS, TILE_ROWS};

/// Any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Kernel for Portable {
    type Activation = i16;

    fn multiply(self, activations: &[i16], matrix: &Matrix, out: &mut [i32]) {
        let tiles = matrix.tiles.chunks_exact(TILE_ROWS * matrix.columns);
        for (index, tile) in tiles.enumerate() {
            let blocks = tile.as_chunks::<{ TILE_ROWS * TILE_COLUMNS }>().0;
            let tokens = activations.chunks_exact(matrix.columns);
            for (token, out) in tokens.zip(out.chunks_exact_mut(matrix.rows)) {
                let mut sums = [0; TILE_ROWS];
                for (block, columns) in blocks.iter().zip(token.as_chunks::<TILE_COLUMNS>().0) {
                    for (row, sum) in sums.iter_mut().enumerate() {
                        for column in 0..TILE_COLUMNS {
                            let weight = i32::from(block[row * TILE_COLUMNS + column] as i8);
                            *sum += weight * i32::from(columns[column]);
                        }
                    }
                }
                out[index * TILE_ROWS..][..TILE_ROWS].copy_from_slice(&sums);
            }
        }
    }

    fn dots(self, query: &Row, rows: &[Row], out: &mut [i32]) {
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

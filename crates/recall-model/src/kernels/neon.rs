//! The path of 64-bit ARM processors, all of which have NEON.
//!
//! As on other processors, sums stay in registers while a kernel walks along the columns, four at a time. The tests of
//! all paths run this one wherever they are built for ARM.
#![allow(unsafe_code)]

use super::kernel::{Kernel, KernelRow, Task};
use crate::weights::{Matrix, TILE_COLUMNS, TILE_ROWS};
use std::arch::aarch64::{
    int32x4_t, vaddq_s32, vaddvq_s32, vdup_n_s32, vdupq_n_s32, vget_low_s8, vld1q_s8, vmull_high_s8,
    vmull_s8, vpadalq_s16, vpaddq_s32, vreinterpret_s8_s32, vreinterpretq_s8_s32, vst1q_s32,
};

/// Bytes in one tile for each four columns.
const BLOCK: usize = TILE_ROWS * TILE_COLUMNS;
/// Registers that hold the sums of one token: two sums for each row.
const SUMS: usize = TILE_ROWS / 2;

/// Proof that the processor has NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

impl Neon {
    /// The proof; `None` if the processor has no NEON.
    pub(crate) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

impl Kernel for Neon {
    type Activation = i8;

    fn multiply(self, activations: &[i8], matrix: &Matrix, out: &mut [i32]) {
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { multiply(activations, matrix, out) }
    }

    fn dots(self, query: &KernelRow, rows: &[KernelRow], out: &mut [i32]) {
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { dots(query, rows, out) }
    }

    fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "neon")]
        fn run<T: Task>(task: T, kernel: Neon) -> T::Output {
            task.run(kernel)
        }
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { run(task, self) }
    }
}

#[target_feature(enable = "neon")]
fn multiply(activations: &[i8], matrix: &Matrix, out: &mut [i32]) {
    let columns = matrix.columns;
    for (index, tile) in matrix.tiles.chunks_exact(TILE_ROWS * columns).enumerate() {
        let tokens = activations.chunks(2 * columns);
        for (pair, out) in tokens.zip(out.chunks_mut(2 * matrix.rows)) {
            let (first, second) = out.split_at_mut(matrix.rows);
            let first = &mut first[index * TILE_ROWS..][..TILE_ROWS];
            match second.get_mut(index * TILE_ROWS..(index + 1) * TILE_ROWS) {
                Some(second) if pair.len() == 2 * columns => {
                    let (a, b) = pair.split_at(columns);
                    multiply_tile([a, b], tile, [first, second]);
                }
                _ => multiply_tile([&pair[..columns]], tile, [first]),
            }
        }
    }
}

/// A tile against `N` tokens.
#[target_feature(enable = "neon")]
fn multiply_tile<const N: usize>(tokens: [&[i8]; N], tile: &[u8], out: [&mut [i32]; N]) {
    let mut sums: [[int32x4_t; SUMS]; N] = [[vdupq_n_s32(0); SUMS]; N];
    for (index, block) in tile.as_chunks::<BLOCK>().0.iter().enumerate() {
        let fours = tokens.map(|token| {
            let four = token[index * TILE_COLUMNS..].first_chunk().expect("a token has four for each block");
            i32::from_le_bytes(four.map(|activation: i8| activation as u8))
        });
        for (part, bytes) in block.as_chunks::<16>().0.iter().enumerate() {
            // SAFETY: a chunk is sixteen bytes.
            let weights = unsafe { vld1q_s8(bytes.as_ptr().cast()) };
            for (sums, four) in sums.iter_mut().zip(fours) {
                // A product of two bytes fits into sixteen bits, and two of them are added with more room.
                let low = vmull_s8(vget_low_s8(weights), vreinterpret_s8_s32(vdup_n_s32(four)));
                let high = vmull_high_s8(weights, vreinterpretq_s8_s32(vdupq_n_s32(four)));
                sums[2 * part] = vpadalq_s16(sums[2 * part], low);
                sums[2 * part + 1] = vpadalq_s16(sums[2 * part + 1], high);
            }
        }
    }
    for (sums, out) in sums.iter().zip(out) {
        for (pair, out) in sums.as_chunks::<2>().0.iter().zip(out.as_chunks_mut::<4>().0) {
            // SAFETY: a chunk is four numbers.
            unsafe { vst1q_s32(out.as_mut_ptr(), vpaddq_s32(pair[0], pair[1])) };
        }
    }
}

#[target_feature(enable = "neon")]
fn dots(query: &KernelRow, rows: &[KernelRow], out: &mut [i32]) {
    for (row, out) in rows.iter().zip(out) {
        let mut sums = [vdupq_n_s32(0); 2];
        for (a, b) in row.as_chunks::<16>().0.iter().zip(query.as_chunks::<16>().0) {
            // SAFETY: both chunks are sixteen bytes.
            let (a, b) = unsafe { (vld1q_s8(a.as_ptr()), vld1q_s8(b.as_ptr())) };
            sums[0] = vpadalq_s16(sums[0], vmull_s8(vget_low_s8(a), vget_low_s8(b)));
            sums[1] = vpadalq_s16(sums[1], vmull_high_s8(a, b));
        }
        *out = vaddvq_s32(vaddq_s32(sums[0], sums[1]));
    }
}

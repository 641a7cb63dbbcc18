//! The arithmetic in whole numbers, once for each kind of processor.
//!
//! A path is a kind of processor, and its value is the proof that this processor is of that kind. So code that uses its
//! instructions is safe to call. All paths give the same numbers.

mod kernel;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use kernel::{Activation, ActivationRoom, Kernel, KernelRow, Task};
use portable::Portable;

/// A way to compute on this processor.
///
/// Every path gives the same vectors; they differ in time alone.
#[derive(Clone, Copy, Debug)]
pub struct KernelPath(PathKind);

#[derive(Clone, Copy, Debug)]
enum PathKind {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(x86::AvxVnni),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
}

impl KernelPath {
    /// The fastest path of this processor.
    pub fn best() -> Self {
        Self::found().next().expect("the portable path is always there")
    }

    /// Every path that this processor has, the fastest first.
    pub fn all() -> Vec<Self> {
        Self::found().collect()
    }

    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self.0 {
            PathKind::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            PathKind::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            PathKind::AvxVnni(_) => "avx-vnni",
            #[cfg(target_arch = "x86_64")]
            PathKind::Avx512(_) => "avx512-vnni",
            #[cfg(target_arch = "aarch64")]
            PathKind::Neon(_) => "neon",
        }
    }

    /// Whether it was written for this kind of processor.
    pub fn is_fast(self) -> bool {
        !matches!(self.0, PathKind::Portable(_))
    }

    #[cfg(target_arch = "x86_64")]
    fn found() -> impl Iterator<Item = Self> {
        let fast = [
            x86::Avx512::detect().map(PathKind::Avx512),
            x86::AvxVnni::detect().map(PathKind::AvxVnni),
            x86::Avx2::detect().map(PathKind::Avx2),
        ];
        fast.into_iter().flatten().chain([PathKind::Portable(Portable)]).map(Self)
    }

    #[cfg(target_arch = "aarch64")]
    fn found() -> impl Iterator<Item = Self> {
        let fast = neon::Neon::detect().map(PathKind::Neon);
        fast.into_iter().chain([PathKind::Portable(Portable)]).map(Self)
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn found() -> impl Iterator<Item = Self> {
        [PathKind::Portable(Portable)].into_iter().map(Self)
    }

    /// Runs a task, compiled for this path.
    pub(crate) fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            PathKind::Portable(kernel) => kernel.run(task),
            #[cfg(target_arch = "x86_64")]
            PathKind::Avx2(kernel) => kernel.run(task),
            #[cfg(target_arch = "x86_64")]
            PathKind::AvxVnni(kernel) => kernel.run(task),
            #[cfg(target_arch = "x86_64")]
            PathKind::Avx512(kernel) => kernel.run(task),
            #[cfg(target_arch = "aarch64")]
            PathKind::Neon(kernel) => kernel.run(task),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::{Matrix, TILE_COLUMNS, TILE_ROWS, Weights};

    /// Numbers that look random and are the same every time.
    pub(crate) fn numbers(mut seed: u32) -> impl FnMut() -> i8 {
        move || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8 as i8
        }
    }

    struct Multiply<'a> {
        activations: &'a [i8],
        matrix: &'a Matrix,
    }

    impl Task for Multiply<'_> {
        type Output = Vec<i32>;

        fn run<K: Kernel>(self, kernel: K) -> Vec<i32> {
            let activations: Vec<K::Activation> = self.activations.iter().map(|&a| a.into()).collect();
            let mut out = vec![-1; self.activations.len() / self.matrix.columns * self.matrix.rows];
            kernel.multiply(&activations, self.matrix, &mut out);
            out
        }
    }

    fn multiplied_one_by_one(activations: &[i8], matrix: &Matrix) -> Vec<i32> {
        let value = |row: usize, column: usize| {
            let tile = row / TILE_ROWS * TILE_ROWS * matrix.columns;
            let block = column / TILE_COLUMNS * TILE_ROWS * TILE_COLUMNS;
            let within = row % TILE_ROWS * TILE_COLUMNS + column % TILE_COLUMNS;
            i32::from(matrix.tiles[tile + block + within] as i8)
        };
        let tokens = activations.chunks_exact(matrix.columns);
        tokens
            .flat_map(|token| {
                (0..matrix.rows).map(move |row| {
                    (0..).zip(token).map(|(column, &a)| value(row, column) * i32::from(a)).sum()
                })
            })
            .collect()
    }

    #[test]
    fn every_path_multiplies_exactly() {
        let weights = Weights::new();
        for matrix in [&weights.widen, &weights.layers[1].down.matrix, &weights.out.matrix] {
            for token_count in [1, 2, 3, 4, 5, 7, 11, 12, 13, 25, 41] {
                let mut number = numbers(token_count as u32);
                let activations: Vec<i8> =
                    (0..token_count * matrix.columns).map(|_| number().max(-127)).collect();
                let expected = multiplied_one_by_one(&activations, matrix);
                for path in KernelPath::all() {
                    let got = path.run(Multiply { activations: &activations, matrix });
                    assert!(got == expected, "{}, {token_count} tokens", path.name());
                }
            }
        }
    }

    #[test]
    fn every_path_multiplies_the_extremes_exactly() {
        let weights = Weights::new();
        let matrix = &weights.layers[0].down.matrix;
        for extreme in [-127, 127] {
            let activations = vec![extreme; 6 * matrix.columns];
            let expected = multiplied_one_by_one(&activations, matrix);
            for path in KernelPath::all() {
                let got = path.run(Multiply { activations: &activations, matrix });
                assert!(got == expected, "{}, {extreme}", path.name());
            }
        }
    }
}

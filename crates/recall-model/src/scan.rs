//! Comparing one vector with many, in bytes.

use crate::kernels::{Kernel, KernelPath, KernelRow, Task};
use crate::vector::{DIMENSIONS, Quantised};

/// The dot product of two vectors in bytes.
pub fn dot(a: &[i8; DIMENSIONS], b: &[i8; DIMENSIONS]) -> i32 {
    let mut out = [0];
    run(KernelPath::best(), a, std::slice::from_ref(b), &mut out);
    out[0]
}

/// The dot product of a query with each row of a flat array, in place of what `out` held.
///
/// The bytes may be any, also -128. Bytes beyond the last whole row are left out.
///
/// ```
/// let query = [1; 256];
/// let rows = [[2; 256], [-128; 256]].concat();
/// let mut out = Vec::new();
/// brainstem_recall_model::dots(&query, &rows, &mut out);
/// assert_eq!(out, [512, -32768]);
/// ```
pub fn dots(query: &[i8; DIMENSIONS], rows: &[i8], out: &mut Vec<i32>) {
    KernelPath::best().dots(query, rows, out);
}

impl KernelPath {
    /// [`dots`] on this path.
    pub fn dots(self, query: &[i8; DIMENSIONS], rows: &[i8], out: &mut Vec<i32>) {
        let rows = rows.as_chunks::<DIMENSIONS>().0;
        out.clear();
        out.resize(rows.len(), 0);
        run(self, query, rows, out);
    }
}

impl Quantised {
    /// The dot product of two vectors.
    pub fn dot(&self, other: &Self) -> f32 {
        dot(&self.values, &other.values) as f32 * self.scale * other.scale
    }
}

fn run(path: KernelPath, query: &KernelRow, rows: &[KernelRow], out: &mut [i32]) {
    path.run(Dots { query, rows, out });
}

struct Dots<'a> {
    query: &'a KernelRow,
    rows: &'a [KernelRow],
    out: &'a mut [i32],
}

impl Task for Dots<'_> {
    type Output = ();

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) {
        kernel.dots(self.query, self.rows, self.out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    fn one_by_one(query: &[i8], rows: &[i8]) -> Vec<i32> {
        let product = |(a, b): (&i8, &i8)| i32::from(*a) * i32::from(*b);
        rows.chunks_exact(DIMENSIONS).map(|row| query.iter().zip(row).map(product).sum()).collect()
    }

    fn check(query: &[i8; DIMENSIONS], rows: &[i8]) {
        let mut out = vec![7; 3];
        for path in KernelPath::all() {
            path.dots(query, rows, &mut out);
            assert_eq!(out, one_by_one(query, rows), "{}", path.name());
        }
    }

    #[test]
    fn every_path_is_exact_at_the_extremes() {
        let extremes = [i8::MIN, -127, -1, 0, 1, i8::MAX];
        for query in extremes {
            let rows: Vec<i8> = extremes.iter().flat_map(|&value| [value; DIMENSIONS]).collect();
            check(&[query; DIMENSIONS], &rows);
        }
        let alternating: [i8; DIMENSIONS] =
            std::array::from_fn(|index| if index % 2 == 0 { i8::MIN } else { i8::MAX });
        check(&alternating, &alternating.repeat(3));
    }

    #[test]
    fn a_part_of_a_row_is_left_out() {
        check(&[3; DIMENSIONS], &[5; DIMENSIONS + 100]);
        check(&[3; DIMENSIONS], &[5; 100]);
        check(&[3; DIMENSIONS], &[]);
    }

    proptest! {
        #[test]
        fn every_path_is_exact(bytes in proptest::collection::vec(any::<i8>(), DIMENSIONS..10 * DIMENSIONS)) {
            let query = bytes.first_chunk().unwrap();
            check(query, &bytes);
            prop_assert_eq!(dot(query, query), one_by_one(query, query)[0]);
        }
    }
}

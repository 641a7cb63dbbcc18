//! A text as a direction in 256 dimensions, in floats or, to be kept and compared, in bytes.

use crate::maths::{LANES, quantise, sum};

/// The dimensions of a vector.
pub const DIMENSIONS: usize = 256;

/// A text as a vector of length 1, or of zeros for a text without a known piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector([f32; DIMENSIONS]);

/// A vector in bytes: each number is its byte times the scale.
///
/// No byte is -128, and at least one of a vector that is not all zeros is 127 or -127.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// The bytes.
    pub values: [i8; DIMENSIONS],
    /// What one of them is worth.
    pub scale: f32,
}

impl Vector {
    /// Takes the direction of some numbers, and brings it to length 1.
    #[inline(always)]
    pub(crate) fn towards(mut numbers: [f32; DIMENSIONS]) -> Self {
        let length = squares(&numbers).sqrt();
        let factor = if length > 1e-12 { 1.0 / length } else { 0.0 };
        for number in &mut numbers {
            *number *= factor;
        }
        Self(numbers)
    }

    /// The numbers.
    pub fn as_array(&self) -> &[f32; DIMENSIONS] {
        &self.0
    }

    /// How much two vectors point the same way: 1 for the same direction, 0 for unrelated texts.
    pub fn dot(&self, other: &Self) -> f32 {
        products(&self.0, &other.0)
    }

    /// The vector in bytes, a quarter of the size.
    pub fn quantised(&self) -> Quantised {
        let mut values = [0; DIMENSIONS];
        let scale = quantise(&self.0, &mut values);
        Quantised { values, scale }
    }
}

#[inline(always)]
fn squares(numbers: &[f32; DIMENSIONS]) -> f32 {
    products(numbers, numbers)
}

#[inline(always)]
fn products(a: &[f32; DIMENSIONS], b: &[f32; DIMENSIONS]) -> f32 {
    let mut sums = [0.0; LANES];
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sum(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_keep_the_direction() {
        let vector = Vector::towards(std::array::from_fn(|index| (index as f32 * 0.7).sin()));
        assert!((vector.dot(&vector) - 1.0).abs() < 1e-6);
        let bytes = vector.quantised();
        assert!((bytes.dot(&bytes) - 1.0).abs() < 0.01);
        assert_eq!(bytes.values.iter().map(|value| value.unsigned_abs()).max(), Some(127));
    }

    #[test]
    fn nothing_has_no_direction() {
        let nothing = Vector::towards([0.0; DIMENSIONS]);
        assert_eq!(nothing.as_array(), &[0.0; DIMENSIONS]);
        assert_eq!(nothing.quantised(), Quantised { values: [0; DIMENSIONS], scale: 0.0 });
    }
}

//! The arithmetic in floats: plain code in lanes, which the compiler turns into the instructions that a path allows.
//!
//! Every sum has a fixed order and nothing is fused, so that each path gives the same bits. All of it is inlined, for
//! only then is it compiled for the path that calls it.

use crate::weights::{Floats, Norm, WIDTH};

/// Numbers worked on side by side.
pub(crate) const LANES: usize = 16;

/// Adds the lanes up, pair by pair.
#[inline(always)]
pub(crate) fn sum(mut lanes: [f32; LANES]) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// The largest lane.
#[inline(always)]
pub(crate) fn largest(lanes: [f32; LANES]) -> f32 {
    let mut largest = lanes[0];
    for lane in lanes {
        largest = if lane > largest { lane } else { largest };
    }
    largest
}

/// Rounds to the nearest whole number, ties to even; for less than 2²² either side of zero.
#[inline(always)]
pub(crate) fn round(x: f32) -> i32 {
    // Beside this number floats are one apart, so the addition rounds, and the low bits hold the result.
    const SHIFT: f32 = 12_582_912.0;
    (x + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i32
}

/// `e` to the power of `x`, to about six digits; 0 far below zero.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let whole = round(x * std::f32::consts::LOG2_E);
    // ln 2 in two parts, so that little is lost in the difference.
    let part = x - whole as f32 * 0.693_359_4 - whole as f32 * -2.121_944_4e-4;
    let mut series = 1.987_569_2e-4;
    for factor in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5, 1.0, 1.0] {
        series = series * part + factor;
    }
    series * f32::from_bits(((whole + 127) as u32) << 23)
}

/// The smooth gate of BERT: `x` times the share of a normal distribution below `x`.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    // erf by Abramowitz and Stegun 7.1.26: off by no more than 1.5e-7.
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut series = 1.061_405_4;
    for factor in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6, 0.0] {
        series = series * t + factor;
    }
    let tail = 0.5 * series * exp(-z * z);
    x * if x < 0.0 { tail } else { 1.0 - tail }
}

/// Brings a row to mean 0 and variance 1, then to the layer's gain and bias.
#[inline(always)]
pub(crate) fn normalise(row: &mut [f32; WIDTH], norm: &Norm) {
    let mut sums = [0.0; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            sums[lane] += chunk[lane];
        }
    }
    let mean = sum(sums) / WIDTH as f32;
    let mut squares = [0.0; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            let off = chunk[lane] - mean;
            squares[lane] += off * off;
        }
    }
    let factor = 1.0 / (sum(squares) / WIDTH as f32 + 1e-12).sqrt();
    for (index, chunk) in row.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let gains: [f32; LANES] = norm.gains.run(index * LANES);
        let biases: [f32; LANES] = norm.biases.run(index * LANES);
        for lane in 0..LANES {
            chunk[lane] = (chunk[lane] - mean) * factor * gains[lane] + biases[lane];
        }
    }
}

/// Turns scores into shares of 1; numbers beyond `count` get 0. The length is a multiple of [`LANES`].
#[inline(always)]
pub(crate) fn softmax(scores: &mut [f32], count: usize) {
    for score in &mut scores[count..] {
        *score = f32::NEG_INFINITY;
    }
    let chunks = scores.as_chunks_mut::<LANES>().0;
    let mut tops = [f32::NEG_INFINITY; LANES];
    for chunk in &*chunks {
        for lane in 0..LANES {
            tops[lane] = if chunk[lane] > tops[lane] { chunk[lane] } else { tops[lane] };
        }
    }
    let top = largest(tops);
    let mut sums = [0.0; LANES];
    for chunk in &mut *chunks {
        for lane in 0..LANES {
            chunk[lane] = exp(chunk[lane] - top);
            sums[lane] += chunk[lane];
        }
    }
    let factor = 1.0 / sum(sums);
    for chunk in chunks {
        for share in chunk {
            *share *= factor;
        }
    }
    for share in &mut scores[count..] {
        *share = 0.0;
    }
}

/// Writes a row as whole numbers from -127 to 127, and returns what one of them is worth. The length is a multiple of
/// [`LANES`].
#[inline(always)]
pub(crate) fn quantise<A: From<i8>>(row: &[f32], out: &mut [A]) -> f32 {
    let chunks = row.as_chunks::<LANES>().0;
    let mut tops = [0.0f32; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            let size = chunk[lane].abs();
            tops[lane] = if size > tops[lane] { size } else { tops[lane] };
        }
    }
    let top = largest(tops);
    // A row of zeros, or of less than a float can divide by, stays zeros.
    let factor = if top > 1e-30 { 127.0 / top } else { 0.0 };
    for (chunk, out) in chunks.iter().zip(out.as_chunks_mut::<LANES>().0) {
        for lane in 0..LANES {
            out[lane] = A::from(round(chunk[lane] * factor) as i8);
        }
    }
    top / 127.0
}

/// Turns whole products into floats: each times the scale of its row and of its activations, plus a bias.
#[inline(always)]
pub(crate) fn scaled(
    products: &[i32; LANES],
    scale: f32,
    scales: Floats,
    biases: Option<Floats>,
    at: usize,
) -> [f32; LANES] {
    let scales: [f32; LANES] = scales.run(at);
    let biases: [f32; LANES] = biases.map_or([0.0; LANES], |biases| biases.run(at));
    std::array::from_fn(|lane| products[lane] as f32 * scales[lane] * scale + biases[lane])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_over_its_range() {
        for step in -8700..=8700 {
            let x = step as f32 / 100.0;
            let (is, should) = (f64::from(exp(x)), f64::from(x).exp());
            assert!((is - should).abs() <= should * 1e-6, "{x}: {is} for {should}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
    }

    #[test]
    fn gelu_meets_known_values_and_its_limits() {
        let known = [
            (0.0, 0.0),
            (1.0, 0.841_344_7),
            (-1.0, -0.158_655_3),
            (2.0, 1.954_499_7),
            (-3.0, -0.004_049_69),
            (20.0, 20.0),
            (-20.0, 0.0),
        ];
        for (x, expected) in known {
            assert!((gelu(x) - expected).abs() < 1e-6, "gelu({x}) is {}", gelu(x));
        }
    }

    #[test]
    fn round_goes_to_the_nearest_and_to_even_on_ties() {
        let cases = [(0.5, 0), (1.5, 2), (-0.5, 0), (-1.5, -2), (126.6, 127), (-127.0, -127), (0.49, 0)];
        for (x, expected) in cases {
            assert_eq!(round(x), expected, "{x}");
        }
    }

    #[test]
    fn softmax_shares_one_among_those_that_count() {
        let mut scores = [1.0; 2 * LANES];
        scores[0] = 1.0 + std::f32::consts::LN_2;
        softmax(&mut scores, 3);
        for (score, expected) in scores.iter().zip([0.5, 0.25, 0.25, 0.0, 0.0]) {
            assert!((score - expected).abs() < 1e-6, "{scores:?}");
        }
    }

    #[test]
    fn quantising_fills_the_range_and_keeps_zeros() {
        let mut row = [0.0; LANES];
        let mut out = [9i8; LANES];
        assert_eq!((quantise(&row, &mut out), out), (0.0, [0; LANES]));
        (row[1], row[2]) = (-2.54, 1.27);
        assert_eq!(quantise(&row, &mut out), 0.02);
        assert_eq!(out[..4], [0, -127, 64, 0]);
    }
}

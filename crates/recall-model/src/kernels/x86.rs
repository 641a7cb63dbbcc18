//! The paths of x86-64 processors: AVX2, AVX-VNNI, and AVX-512 with VNNI.
//!
//! A kernel keeps the sums of several tokens and rows in registers while it walks along the columns, four at a time. A
//! register of weights has four columns of 4, 8 or 16 rows; four activations of a token are repeated across another.
//! VNNI multiplies unsigned with signed bytes, so the weights are read as 128 more than they are, and 128 times the sum
//! of the activations is taken away again.
#![allow(unsafe_code)]

use super::kernel::{Kernel, KernelRow, Task};
use crate::weights::{Matrix, TILE_COLUMNS, TILE_ROWS};
use std::arch::x86_64::{
    __m256i, __m512i, _MM_HINT_T0, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_prefetch, _mm256_add_epi32,
    _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_dpbusd_avx_epi32, _mm256_extracti128_si256,
    _mm256_hadd_epi32, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi8,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_storeu_si256, _mm256_xor_si256,
    _mm512_add_epi32, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_reduce_add_epi32, _mm512_set1_epi8,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512, _mm512_xor_si512,
};

/// Bytes in one tile for each four columns.
const BLOCK: usize = TILE_ROWS * TILE_COLUMNS;
/// What the sign bit of each byte is flipped with, which adds 128.
const FLIP: i8 = i8::MIN;

/// Proof that the processor has AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(());

/// Proof that the processor has AVX2 and AVX-VNNI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AvxVnni(());

/// Proof that the processor has AVX-512 F, BW, DQ, VL and VNNI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(());

impl Avx2 {
    /// The proof; `None` if the processor lacks the features.
    pub(crate) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

impl AvxVnni {
    /// The proof; `None` if the processor lacks the features.
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni")).then_some(Self(()))
    }
}

impl Avx512 {
    /// The proof; `None` if the processor lacks the features.
    pub(crate) fn detect() -> Option<Self> {
        let all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        all.then_some(Self(()))
    }
}

impl Kernel for Avx2 {
    type Activation = i16;

    fn multiply(self, activations: &[i16], matrix: &Matrix, out: &mut [i32]) {
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { multiply_avx2(activations, matrix, out) }
    }

    fn dots(self, query: &KernelRow, rows: &[KernelRow], out: &mut [i32]) {
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { dots_avx2(query, rows, out) }
    }

    fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2")]
        fn run<T: Task>(task: T, kernel: Avx2) -> T::Output {
            task.run(kernel)
        }
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { run(task, self) }
    }
}

impl Kernel for AvxVnni {
    type Activation = i8;

    fn multiply(self, activations: &[i8], matrix: &Matrix, out: &mut [i32]) {
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { multiply_avx_vnni(activations, matrix, out) }
    }

    fn dots(self, query: &KernelRow, rows: &[KernelRow], out: &mut [i32]) {
        // Memory is the limit here, so the simpler instructions lose nothing.
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { dots_avx2(query, rows, out) }
    }

    fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,avxvnni")]
        fn run<T: Task>(task: T, kernel: AvxVnni) -> T::Output {
            task.run(kernel)
        }
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { run(task, self) }
    }
}

impl Kernel for Avx512 {
    type Activation = i8;

    fn multiply(self, activations: &[i8], matrix: &Matrix, out: &mut [i32]) {
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { multiply_avx512(activations, matrix, out) }
    }

    fn dots(self, query: &KernelRow, rows: &[KernelRow], out: &mut [i32]) {
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { dots_avx512(query, rows, out) }
    }

    fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
        fn run<T: Task>(task: T, kernel: Avx512) -> T::Output {
            task.run(kernel)
        }
        // SAFETY: `self` is the proof that the processor has the features.
        unsafe { run(task, self) }
    }
}

/// One stretch of work: some tokens against a group of rows.
struct ProductPart<'a, A> {
    /// The activations of the tokens, one after the other.
    activations: &'a [A],
    /// The weights of the rows, in whole tiles.
    tiles: &'a [u8],
    columns: usize,
    /// The distance between the products of one token and of the next.
    stride: usize,
    /// What each sum starts with, for each token; empty for 0.
    starts: &'a [i32],
}

/// How a product is cut into parts.
struct ProductCut {
    /// Rows of a part.
    rows: usize,
    /// The most tokens of a part.
    tokens: usize,
}

/// Cuts a product into parts, checks all lengths, and has each part done; its out begins at its first token and row.
#[inline(always)]
fn parts<A: Copy>(
    activations: &[A],
    starts: &[i32],
    matrix: &Matrix,
    out: &mut [i32],
    cut: ProductCut,
    mut work: impl FnMut(ProductPart<'_, A>, &mut [i32]),
) {
    let ProductCut { rows, tokens: most } = cut;
    let token_count = out.len() / matrix.rows;
    assert!(matrix.rows.is_multiple_of(rows) && matrix.columns.is_multiple_of(TILE_COLUMNS));
    assert!(matrix.tiles.len() == matrix.rows * matrix.columns);
    assert!(activations.len() >= token_count * matrix.columns);
    let pieces = token_count.div_ceil(most);
    for row in (0..matrix.rows).step_by(rows) {
        let tiles = &matrix.tiles[row * matrix.columns..][..rows * matrix.columns];
        for piece in 0..pieces {
            // Pieces of equal size: thirteen tokens are seven and six, not twelve and one.
            let (from, to) = (piece * token_count / pieces, (piece + 1) * token_count / pieces);
            let part = ProductPart {
                activations: &activations[from * matrix.columns..to * matrix.columns],
                tiles,
                columns: matrix.columns,
                stride: matrix.rows,
                starts: starts.get(from..to).unwrap_or(&[]),
            };
            work(part, &mut out[from * matrix.rows + row..][..(to - from - 1) * matrix.rows + rows]);
        }
    }
}

/// Does a part with the function whose constant parameter is the number of its tokens.
macro_rules! by_token_count {
    ($function:ident($part:expr, $out:expr) for [$($n:literal)*]) => {
        match $part.activations.len() / $part.columns {
            // SAFETY: the caller has the same features, and the part has as many tokens.
            $($n => unsafe { $function::<$n>(&$part, $out) },)*
            _ => unreachable!("no part has more tokens"),
        }
    };
}

#[target_feature(enable = "avx2")]
fn multiply_avx2(activations: &[i16], matrix: &Matrix, out: &mut [i32]) {
    let cut = ProductCut { rows: TILE_ROWS, tokens: 4 };
    parts(activations, &[], matrix, out, cut, |part, out| {
        by_token_count!(part_avx2(part, out) for [1 2 3 4]);
    });
}

/// A tile, sixteen rows, against `N` tokens, one half of the rows after the other.
///
/// # Safety
///
/// The part has `N` tokens and one tile, and the out is its own.
#[target_feature(enable = "avx2")]
unsafe fn part_avx2<const N: usize>(part: &ProductPart<'_, i16>, out: &mut [i32]) {
    for half in 0..2 {
        // SAFETY: as the caller promises.
        unsafe { half_avx2::<N>(part, half, out.as_mut_ptr()) };
    }
}

/// Half a tile, eight rows, against `N` tokens.
///
/// # Safety
///
/// The part has `N` tokens and one tile, `half` is 0 or 1, and `out` is the part's own.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn half_avx2<const N: usize>(part: &ProductPart<'_, i16>, half: usize, out: *mut i32) {
    let mut sums = [[_mm256_setzero_si256(); 2]; N];
    let mut weights = part.tiles.as_ptr().wrapping_add(half * BLOCK / 2);
    for column in (0..part.columns).step_by(TILE_COLUMNS) {
        // SAFETY: a tile has a block of 64 bytes for each four columns, and 32 of them belong to this half.
        let (low, high) = unsafe {
            let low = _mm_loadu_si128(weights.cast());
            let high = _mm_loadu_si128(weights.add(16).cast());
            (_mm256_cvtepi8_epi16(low), _mm256_cvtepi8_epi16(high))
        };
        for (token, sums) in sums.iter_mut().enumerate() {
            // SAFETY: each of the `N` tokens has `columns` activations, of which four are read.
            let four = unsafe {
                let at = part.activations.as_ptr().add(token * part.columns + column);
                _mm256_set1_epi64x(at.cast::<i64>().read_unaligned())
            };
            sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(low, four));
            sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(high, four));
        }
        weights = weights.wrapping_add(BLOCK);
    }
    for (token, [low, high]) in sums.into_iter().enumerate() {
        // Two sums of each row are side by side; adding them leaves rows 0 1 4 5 2 3 6 7.
        let rows = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(low, high));
        // SAFETY: the out of each token has room for the sixteen rows of the tile.
        unsafe { _mm256_storeu_si256(out.add(token * part.stride + half * 8).cast(), rows) };
    }
}

/// 128 times the sum of each token's activations, taken away in advance.
#[inline(always)]
fn corrections(activations: &[i8], columns: usize, out: &mut [i32]) {
    for (token, out) in activations.chunks_exact(columns).zip(out) {
        let mut sum = 0;
        for &activation in token {
            sum += i32::from(activation);
        }
        *out = -128 * sum;
    }
}

/// The most tokens of one call: those that have a position, and a second row for the first.
const TOKEN_COUNT_MAX: usize = crate::weights::POSITION_COUNT + 1;

#[target_feature(enable = "avx2,avxvnni")]
fn multiply_avx_vnni(activations: &[i8], matrix: &Matrix, out: &mut [i32]) {
    let mut starts = [0; TOKEN_COUNT_MAX];
    corrections(activations, matrix.columns, &mut starts);
    let cut = ProductCut { rows: TILE_ROWS, tokens: 6 };
    parts(activations, &starts, matrix, out, cut, |part, out| {
        by_token_count!(part_avx_vnni(part, out) for [1 2 3 4 5 6]);
    });
}

/// A tile, sixteen rows, against `N` tokens.
///
/// # Safety
///
/// The part has `N` tokens and one tile, and the out is its own.
#[target_feature(enable = "avx2,avxvnni")]
#[inline]
unsafe fn part_avx_vnni<const N: usize>(part: &ProductPart<'_, i8>, out: &mut [i32]) {
    let out = out.as_mut_ptr();
    let mut sums: [[__m256i; 2]; N] = [[_mm256_setzero_si256(); 2]; N];
    for (sums, start) in sums.iter_mut().zip(part.starts) {
        *sums = [_mm256_set1_epi32(*start); 2];
    }
    let flip = _mm256_set1_epi8(FLIP);
    let mut weights = part.tiles.as_ptr();
    for column in (0..part.columns).step_by(TILE_COLUMNS) {
        // SAFETY: a tile has a block of 64 bytes for each four columns.
        let (low, high) = unsafe {
            let low = _mm256_loadu_si256(weights.cast());
            let high = _mm256_loadu_si256(weights.add(32).cast());
            (_mm256_xor_si256(low, flip), _mm256_xor_si256(high, flip))
        };
        for (token, sums) in sums.iter_mut().enumerate() {
            // SAFETY: each of the `N` tokens has `columns` activations, of which four are read.
            let four = unsafe {
                let at = part.activations.as_ptr().add(token * part.columns + column);
                _mm256_set1_epi32(at.cast::<i32>().read_unaligned())
            };
            sums[0] = _mm256_dpbusd_avx_epi32(sums[0], low, four);
            sums[1] = _mm256_dpbusd_avx_epi32(sums[1], high, four);
        }
        weights = weights.wrapping_add(BLOCK);
    }
    for (token, [low, high]) in sums.into_iter().enumerate() {
        // SAFETY: the out of each token has room for the sixteen rows of the tile.
        unsafe {
            let out = out.add(token * part.stride);
            _mm256_storeu_si256(out.cast(), low);
            _mm256_storeu_si256(out.add(8).cast(), high);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn multiply_avx512(activations: &[i8], matrix: &Matrix, out: &mut [i32]) {
    let mut starts = [0; TOKEN_COUNT_MAX];
    corrections(activations, matrix.columns, &mut starts);
    let cut = ProductCut { rows: 2 * TILE_ROWS, tokens: 12 };
    parts(activations, &starts, matrix, out, cut, |part, out| {
        by_token_count!(part_avx512(part, out) for [1 2 3 4 5 6 7 8 9 10 11 12]);
    });
}

/// Two tiles, thirty-two rows, against `N` tokens.
///
/// # Safety
///
/// The part has `N` tokens and two tiles, and the out is its own.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
#[inline]
unsafe fn part_avx512<const N: usize>(part: &ProductPart<'_, i8>, out: &mut [i32]) {
    let out = out.as_mut_ptr();
    let mut sums: [[__m512i; 2]; N] = [[_mm512_setzero_si512(); 2]; N];
    for (sums, start) in sums.iter_mut().zip(part.starts) {
        *sums = [_mm512_set1_epi32(*start); 2];
    }
    let flip = _mm512_set1_epi8(FLIP);
    let mut weights = part.tiles.as_ptr();
    let tile_len = TILE_ROWS * part.columns;
    for column in (0..part.columns).step_by(TILE_COLUMNS) {
        // SAFETY: each of the two tiles has a block of 64 bytes for each four columns.
        let (first, second) = unsafe {
            let first = _mm512_loadu_si512(weights.cast());
            let second = _mm512_loadu_si512(weights.add(tile_len).cast());
            (_mm512_xor_si512(first, flip), _mm512_xor_si512(second, flip))
        };
        for (token, sums) in sums.iter_mut().enumerate() {
            // SAFETY: each of the `N` tokens has `columns` activations, of which four are read.
            let four = unsafe {
                let at = part.activations.as_ptr().add(token * part.columns + column);
                _mm512_set1_epi32(at.cast::<i32>().read_unaligned())
            };
            sums[0] = _mm512_dpbusd_epi32(sums[0], first, four);
            sums[1] = _mm512_dpbusd_epi32(sums[1], second, four);
        }
        weights = weights.wrapping_add(BLOCK);
    }
    for (token, [first, second]) in sums.into_iter().enumerate() {
        // SAFETY: the out of each token has room for the thirty-two rows of the tiles.
        unsafe {
            let out = out.add(token * part.stride);
            _mm512_storeu_si512(out.cast(), first);
            _mm512_storeu_si512(out.add(TILE_ROWS).cast(), second);
        }
    }
}

/// Asks for the bytes that come some rows later, which memory delivers meanwhile.
#[inline(always)]
fn prefetch(row: &KernelRow) {
    const AHEAD: usize = 12;
    for line in (0..row.len()).step_by(64) {
        let at = row.as_ptr().wrapping_add(AHEAD * row.len() + line);
        // SAFETY: a prefetch reads nothing and may name any address, also one beyond the last row.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
    }
}

#[target_feature(enable = "avx2")]
fn dots_avx2(query: &KernelRow, rows: &[KernelRow], out: &mut [i32]) {
    let mut wide = [_mm256_setzero_si256(); 16];
    for (wide, bytes) in wide.iter_mut().zip(query.as_chunks::<16>().0) {
        // SAFETY: a chunk is sixteen bytes.
        *wide = _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) });
    }
    for (row, out) in rows.iter().zip(out) {
        let mut sums = [_mm256_setzero_si256(); 4];
        prefetch(row);
        for (index, (bytes, query)) in row.as_chunks::<16>().0.iter().zip(&wide).enumerate() {
            // SAFETY: a chunk is sixteen bytes.
            let bytes = _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) });
            sums[index % 4] = _mm256_add_epi32(sums[index % 4], _mm256_madd_epi16(bytes, *query));
        }
        let sum = _mm256_add_epi32(_mm256_add_epi32(sums[0], sums[1]), _mm256_add_epi32(sums[2], sums[3]));
        let pairs = _mm256_hadd_epi32(sum, sum);
        let fours = _mm256_hadd_epi32(pairs, pairs);
        let (low, high) = (_mm256_castsi256_si128(fours), _mm256_extracti128_si256::<1>(fours));
        *out = _mm_cvtsi128_si32(low) + _mm_cvtsi128_si32(high);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
fn dots_avx512(query: &KernelRow, rows: &[KernelRow], out: &mut [i32]) {
    let mut correction = [0];
    corrections(query, query.len(), &mut correction);
    let mut whole = [_mm512_setzero_si512(); 4];
    for (whole, bytes) in whole.iter_mut().zip(query.as_chunks::<64>().0) {
        // SAFETY: a chunk is sixty-four bytes.
        *whole = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    }
    let flip = _mm512_set1_epi8(FLIP);
    for (row, out) in rows.iter().zip(out) {
        let mut sums = [_mm512_setzero_si512(); 2];
        prefetch(row);
        for (index, (bytes, query)) in row.as_chunks::<64>().0.iter().zip(&whole).enumerate() {
            // SAFETY: a chunk is sixty-four bytes.
            let bytes = _mm512_xor_si512(unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }, flip);
            sums[index % 2] = _mm512_dpbusd_epi32(sums[index % 2], bytes, *query);
        }
        let both = _mm512_add_epi32(sums[0], sums[1]);
        *out = _mm512_reduce_add_epi32(both) + correction[0];
    }
}

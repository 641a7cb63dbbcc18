//! The encoder's weights as they are in the program: read where they are, never copied.
//!
//! The build script wrote them in two files, all bytes and all floats, in the order of the format that
//! `tools/train/README.md` describes.

/// The width of the encoder's layers.
pub(crate) const WIDTH: usize = 384;
/// The width between the two halves of a feed-forward step.
pub(crate) const INNER: usize = 1536;
/// The number of attention heads.
pub(crate) const HEAD_COUNT: usize = 12;
/// The width of a piece's embedding.
pub(crate) const EMBEDDING: usize = 128;
/// The dimensions of a vector.
pub(crate) const OUT: usize = 256;
/// The most pieces that have a position, with those that open and close a text.
pub(crate) const POSITION_COUNT: usize = 258;
const LAYER_COUNT: usize = 3;

/// Rows in one tile of a matrix.
pub(crate) const TILE_ROWS: usize = 16;
/// Columns that are together within a tile.
pub(crate) const TILE_COLUMNS: usize = 4;

static BYTES: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/encoder.bytes")));
static FLOATS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/encoder.floats"));

/// Tiles are whole cache lines.
#[repr(C, align(64))]
struct Aligned<B: ?Sized>(B);

/// Floats as bytes, for they need not be aligned.
#[derive(Clone, Copy)]
pub(crate) struct Floats(&'static [[u8; 4]]);

impl Floats {
    /// Takes little-endian floats.
    pub(crate) fn new(bytes: &'static [u8]) -> Self {
        Self(bytes.as_chunks().0)
    }

    /// The float at a place.
    #[inline(always)]
    pub(crate) fn at(self, index: usize) -> f32 {
        f32::from_le_bytes(self.0[index])
    }

    /// A run of `N` floats.
    #[inline(always)]
    pub(crate) fn run<const N: usize>(self, start: usize) -> [f32; N] {
        let run: &[[u8; 4]; N] = self.0[start..].first_chunk().expect("the run lies within");
        run.map(f32::from_le_bytes)
    }
}

/// A matrix that is read row by row; a value is its byte times the scale of its row.
pub(crate) struct Rows {
    pub(crate) scales: Floats,
    bytes: &'static [u8],
    columns: usize,
}

impl Rows {
    /// The bytes of one row.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> &'static [u8] {
        &self.bytes[row * self.columns..][..self.columns]
    }
}

/// A matrix that is multiplied, in tiles; a value is its byte times the scale of its row.
pub(crate) struct Matrix {
    pub(crate) scales: Floats,
    pub(crate) tiles: &'static [u8],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// A matrix and what is added to the product.
pub(crate) struct Linear {
    pub(crate) matrix: Matrix,
    pub(crate) biases: Floats,
}

/// The gain and the bias of a normalisation.
pub(crate) struct Norm {
    pub(crate) gains: Floats,
    pub(crate) biases: Floats,
}

/// One layer.
pub(crate) struct Layer {
    pub(crate) queries: Linear,
    pub(crate) keys: Linear,
    pub(crate) values: Linear,
    pub(crate) attended: Linear,
    pub(crate) attended_norm: Norm,
    pub(crate) up: Linear,
    pub(crate) down: Linear,
    pub(crate) norm: Norm,
}

/// The whole encoder.
pub(crate) struct Weights {
    pub(crate) embeddings: Rows,
    pub(crate) widen: Matrix,
    pub(crate) positions: Rows,
    pub(crate) norm: Norm,
    pub(crate) layers: [Layer; LAYER_COUNT],
    pub(crate) out: Linear,
}

impl Weights {
    /// Finds the parts; nothing is read yet.
    pub(crate) fn new() -> Self {
        let mut reader = WeightsReader { bytes: &BYTES.0, floats: FLOATS };
        Self {
            embeddings: reader.rows(crate::vocabulary::PIECE_COUNT, EMBEDDING),
            widen: reader.matrix(WIDTH, EMBEDDING),
            positions: reader.rows(POSITION_COUNT, WIDTH),
            norm: reader.norm(),
            layers: std::array::from_fn(|_| Layer {
                queries: reader.linear(WIDTH, WIDTH),
                keys: reader.linear(WIDTH, WIDTH),
                values: reader.linear(WIDTH, WIDTH),
                attended: reader.linear(WIDTH, WIDTH),
                attended_norm: reader.norm(),
                up: reader.linear(INNER, WIDTH),
                down: reader.linear(WIDTH, INNER),
                norm: reader.norm(),
            }),
            out: reader.linear(OUT, WIDTH),
        }
    }
}

/// Walks through both files; the build script has checked that they hold what is asked for.
struct WeightsReader {
    bytes: &'static [u8],
    floats: &'static [u8],
}

impl WeightsReader {
    fn bytes(&mut self, count: usize) -> &'static [u8] {
        let (taken, rest) = self.bytes.split_at(count);
        self.bytes = rest;
        taken
    }

    fn floats(&mut self, count: usize) -> Floats {
        let (taken, rest) = self.floats.split_at(4 * count);
        self.floats = rest;
        Floats::new(taken)
    }

    fn rows(&mut self, rows: usize, columns: usize) -> Rows {
        Rows { scales: self.floats(rows), bytes: self.bytes(rows * columns), columns }
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Matrix {
        Matrix { scales: self.floats(rows), tiles: self.bytes(rows * columns), rows, columns }
    }

    fn linear(&mut self, rows: usize, columns: usize) -> Linear {
        Linear { matrix: self.matrix(rows, columns), biases: self.floats(rows) }
    }

    fn norm(&mut self) -> Norm {
        Norm { gains: self.floats(WIDTH), biases: self.floats(WIDTH) }
    }
}

//! The encoder: three layers of attention over the pieces of a text, in bytes where it matters for speed.
//!
//! Before each product with a matrix the activations of a token are quantised to bytes with a scale of their own, and
//! products are summed as whole numbers. Everything between is in floats (`maths`).

use crate::embedder::Embed;
use crate::identifiers::Split;
use crate::kernels::{Activation, ActivationRoom, Kernel, KernelPath, Task};
use crate::maths::{LANES, gelu, normalise, quantise, scaled, softmax};
use crate::pieces::pieces;
use crate::vector::{DIMENSIONS, Vector};
use crate::vocabulary::{CLOSING, OPENING};
use crate::weights::{EMBEDDING, Floats, HEAD_COUNT, INNER, Layer, Linear, OUT, WIDTH, Weights};
use std::cell::Cell;

/// The width of one attention head.
const HEAD: usize = WIDTH / HEAD_COUNT;
/// Tokens that go through a feed-forward step together, so that what is between its halves stays in cache.
const BLOCK: usize = 48;

/// The encoder.
pub struct Encoder {
    weights: Weights,
    path: KernelPath,
}

impl Encoder {
    /// The encoder in the program, on the fastest path of this processor; nothing is read yet.
    pub fn new() -> Self {
        Self::on(KernelPath::best())
    }

    /// The encoder on a path of one's choice.
    pub fn on(path: KernelPath) -> Self {
        Self { weights: Weights::new(), path }
    }

    /// Whether it runs on a path written for this processor. If it does not, a query takes many milliseconds, and
    /// [`PieceTable`](crate::PieceTable) is the better default.
    pub fn is_fast(&self) -> bool {
        self.path.is_fast()
    }

    /// The vector of a text's pieces, which need not be marked as open and closed.
    pub(crate) fn encode(&self, pieces: &[u16]) -> Vector {
        let ids = [&[OPENING], pieces, &[CLOSING]].concat();
        let mut room = ROOM.take();
        let vector = self.path.run(Forward { weights: &self.weights, ids: &ids, room: &mut room });
        ROOM.set(room);
        vector
    }
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Embed for Encoder {
    fn id(&self) -> &str {
        "t3-256-8369f0c3/encoder"
    }

    fn document(&self, text: &str) -> Vector {
        self.encode(&pieces(Split::new(text)))
    }

    fn query(&self, text: &str) -> Vector {
        self.encode(&pieces(Split::new(text)))
    }
}

thread_local! {
    static ROOM: Cell<Scratch> = const { Cell::new(Scratch::EMPTY) };
}

/// Buffers, kept by each thread. Their content between two texts has no meaning.
#[derive(Default)]
struct Scratch {
    activations: ActivationRoom,
    floats: Floating,
}

#[derive(Default)]
struct Floating {
    /// The state of each token.
    states: Vec<[f32; WIDTH]>,
    /// The scale of each token's activations.
    scales: Vec<f32>,
    /// Queries, and then what was attended to.
    queries: Vec<[f32; WIDTH]>,
    /// Keys, with the tokens of one dimension side by side.
    keys: Vec<f32>,
    values: Vec<[f32; WIDTH]>,
    /// How much a token attends to each.
    shares: Vec<f32>,
    /// Products with a matrix.
    products: Vec<i32>,
}

impl Scratch {
    const EMPTY: Self = Self {
        activations: ActivationRoom::EMPTY,
        floats: Floating {
            states: Vec::new(),
            scales: Vec::new(),
            queries: Vec::new(),
            keys: Vec::new(),
            values: Vec::new(),
            shares: Vec::new(),
            products: Vec::new(),
        },
    };
}

/// One text on its way through the encoder.
struct Forward<'a> {
    weights: &'a Weights,
    ids: &'a [u16],
    room: &'a mut Scratch,
}

impl Task for Forward<'_> {
    type Output = Vector;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> Vector {
        let Self { weights, ids, room } = self;
        let count = ids.len();
        let activations = K::Activation::room(&mut room.activations);
        let most = ((count + 1) * WIDTH).max(count.min(BLOCK) * (WIDTH + INNER));
        activations.resize(most.max(activations.len()), K::Activation::default());
        let room = &mut room.floats;
        room.states.resize(count, [0.0; WIDTH]);
        room.queries.resize(count, [0.0; WIDTH]);
        room.values.resize(count, [0.0; WIDTH]);
        room.scales.resize(count + 1, 0.0);
        room.shares.resize(count.next_multiple_of(LANES), 0.0);
        room.keys.clear();
        room.keys.resize(WIDTH * count.next_multiple_of(LANES), 0.0);
        room.products.resize(((count + 1) * WIDTH).max(count.min(BLOCK) * INNER), 0);

        embed(kernel, weights, ids, activations, room);
        for layer in &weights.layers {
            attend(kernel, layer, activations, room);
            feed_forward(kernel, layer, activations, room);
        }
        project(kernel, &weights.out, activations, room)
    }
}

/// Each piece gets its embedding, widened, and its position.
#[inline(always)]
fn embed<K: Kernel>(
    kernel: K,
    weights: &Weights,
    ids: &[u16],
    activations: &mut [K::Activation],
    room: &mut Floating,
) {
    let activations = &mut activations[..ids.len() * EMBEDDING];
    for (&id, out) in ids.iter().zip(activations.as_chunks_mut::<EMBEDDING>().0) {
        for (out, &byte) in out.iter_mut().zip(weights.embeddings.row(usize::from(id))) {
            *out = K::Activation::from(byte as i8);
        }
    }
    let products = &mut room.products[..ids.len() * WIDTH];
    kernel.multiply(activations, &weights.widen, products);
    let rows = products.as_chunks::<WIDTH>().0;
    for (position, (state, products)) in room.states.iter_mut().zip(rows).enumerate() {
        let scale = weights.embeddings.scales.at(usize::from(ids[position]));
        let bytes = weights.positions.row(position).as_chunks::<LANES>().0;
        let position_scale = weights.positions.scales.at(position);
        each_run(state, products, scale, weights.widen.scales, None, |index, old, new| {
            for lane in 0..LANES {
                old[lane] = new[lane] + f32::from(bytes[index][lane] as i8) * position_scale;
            }
        });
        normalise(state, &weights.norm);
    }
}

/// Every token looks at all tokens and takes a weighted sum of their values.
#[inline(always)]
fn attend<K: Kernel>(kernel: K, layer: &Layer, activations: &mut [K::Activation], room: &mut Floating) {
    let count = room.states.len();
    let padded = count.next_multiple_of(LANES);
    let with_fine = (count + 1) * WIDTH;
    let inputs = &mut activations[..with_fine];
    let products = &mut room.products[..with_fine];
    quantise_rows(&room.states, inputs, &mut room.scales);
    room.scales[count] = quantise_rest(&room.states[0], inputs, room.scales[0]);

    kernel.multiply(inputs, &layer.keys.matrix, products);
    write_rows(&mut room.queries, products, &room.scales, &layer.keys);
    for (token, keys) in room.queries.iter().enumerate() {
        for (dimension, &key) in keys.iter().enumerate() {
            room.keys[dimension * padded + token] = key;
        }
    }
    kernel.multiply(inputs, &layer.queries.matrix, products);
    write_rows(&mut room.queries, products, &room.scales, &layer.queries);
    kernel.multiply(inputs, &layer.values.matrix, products);
    write_rows(&mut room.values, products, &room.scales, &layer.values);

    for head in 0..HEAD_COUNT {
        let keys = &room.keys[head * HEAD * padded..][..HEAD * padded];
        for query in &mut room.queries {
            let query: &mut [f32; HEAD] =
                query[head * HEAD..].first_chunk_mut().expect("a head lies within the width");
            attend_head(query, keys, &room.values, head, &mut room.shares);
        }
    }

    let activations = &mut activations[..count * WIDTH];
    let products = &mut room.products[..count * WIDTH];
    quantise_rows(&room.queries, activations, &mut room.scales);
    kernel.multiply(activations, &layer.attended.matrix, products);
    add_rows(&mut room.states, products, &room.scales, &layer.attended);
    for state in &mut room.states {
        normalise(state, &layer.attended_norm);
    }
}

/// Replaces one token's query, in one head, by the values that it attends to.
#[inline(always)]
fn attend_head(
    query: &mut [f32; HEAD],
    keys: &[f32],
    values: &[[f32; WIDTH]],
    head: usize,
    shares: &mut [f32],
) {
    const SCALE: f32 = 0.176_776_7; // 1 / sqrt(HEAD)
    let padded = shares.len();
    for (index, shares) in shares.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut scores = [0.0; LANES];
        for (dimension, query) in query.iter().enumerate() {
            let keys: &[f32; LANES] = keys[dimension * padded + index * LANES..]
                .first_chunk()
                .expect("keys are padded to whole runs");
            for lane in 0..LANES {
                scores[lane] += query * keys[lane];
            }
        }
        *shares = scores.map(|score| score * SCALE);
    }
    softmax(shares, values.len());
    let mut attended = [0.0; HEAD];
    for (share, values) in shares.iter().zip(values) {
        let values: &[f32; HEAD] = values[head * HEAD..].first_chunk().expect("a head lies within the width");
        for dimension in 0..HEAD {
            attended[dimension] += share * values[dimension];
        }
    }
    *query = attended;
}

/// Each token by itself: widened, gated, narrowed again.
#[inline(always)]
fn feed_forward<K: Kernel>(kernel: K, layer: &Layer, activations: &mut [K::Activation], room: &mut Floating) {
    for block in room.states.chunks_mut(BLOCK) {
        let count = block.len();
        let (narrow, wide) = activations.split_at_mut(count * WIDTH);
        let wide = &mut wide[..count * INNER];
        let scales = &mut room.scales[..count];

        quantise_rows(block, narrow, scales);
        let products = &mut room.products[..count * INNER];
        kernel.multiply(narrow, &layer.up.matrix, products);
        let rows = products.as_chunks::<INNER>().0.iter().zip(wide.as_chunks_mut::<INNER>().0);
        for ((products, out), scale) in rows.zip(&mut *scales) {
            let mut gated = [0.0; INNER];
            let up = &layer.up;
            each_run(&mut gated, products, *scale, up.matrix.scales, Some(up.biases), |_, gated, new| {
                for lane in 0..LANES {
                    gated[lane] = gelu(new[lane]);
                }
            });
            *scale = quantise(&gated, out);
        }

        let products = &mut room.products[..count * WIDTH];
        kernel.multiply(wide, &layer.down.matrix, products);
        add_rows(block, products, scales, &layer.down);
        for state in block {
            normalise(state, &layer.norm);
        }
    }
}

/// The mean of all tokens, as a vector.
#[inline(always)]
fn project<K: Kernel>(
    kernel: K,
    out: &Linear,
    activations: &mut [K::Activation],
    room: &mut Floating,
) -> Vector {
    let mut mean = [0.0; WIDTH];
    for state in &room.states {
        for (mean, value) in mean.iter_mut().zip(state) {
            *mean += value;
        }
    }
    // This one product decides the vector, so it gets a second row of bytes as well.
    let activations = &mut activations[..2 * WIDTH];
    let coarse = quantise(&mean, &mut activations[..WIDTH]);
    let fine = quantise_rest(&mean, activations, coarse);
    let mut products = [0; 2 * OUT];
    kernel.multiply(activations, &out.matrix, &mut products);

    let count = room.states.len() as f32;
    let (coarse_products, fine_products) = products.split_at(OUT);
    let mut numbers = [0.0; DIMENSIONS];
    for (row, number) in numbers.iter_mut().enumerate() {
        let sum = coarse_products[row] as f32 * coarse + fine_products[row] as f32 * fine;
        *number = sum / count * out.matrix.scales.at(row) + out.biases.at(row);
    }
    Vector::towards(numbers)
}

/// Quantises each row; afterwards `scales` says what each is worth.
#[inline(always)]
fn quantise_rows<A: Activation>(rows: &[[f32; WIDTH]], out: &mut [A], scales: &mut [f32]) {
    for ((row, out), scale) in rows.iter().zip(out.as_chunks_mut::<WIDTH>().0).zip(scales) {
        *scale = quantise(row, out);
    }
}

/// Quantises, into the last row of `out`, the error of the first row against `row`; returns its scale.
///
/// One number of the opening token is twenty times as large as all others, which leaves them a few steps of their
/// bytes. All tokens look at that one, so it gets a second row.
#[inline(always)]
fn quantise_rest<A: Activation>(row: &[f32; WIDTH], out: &mut [A], scale: f32) -> f32 {
    let mut rest = *row;
    for (rest, &byte) in rest.iter_mut().zip(&*out) {
        *rest -= f32::from(byte.into()) * scale;
    }
    let last = out.len() - WIDTH;
    quantise(&rest, &mut out[last..])
}

/// Puts the results of a linear step into each row. The last row of products is added to the first row.
#[inline(always)]
fn write_rows(rows: &mut [[f32; WIDTH]], products: &[i32], scales: &[f32], linear: &Linear) {
    let products = products.as_chunks::<WIDTH>().0;
    for ((row, products), &scale) in rows.iter_mut().zip(products).zip(scales) {
        each_run(row, products, scale, linear.matrix.scales, Some(linear.biases), |_, old, new| *old = new);
    }
    let last = rows.len();
    each_run(&mut rows[0], &products[last], scales[last], linear.matrix.scales, None, |_, old, new| {
        for lane in 0..LANES {
            old[lane] += new[lane];
        }
    });
}

/// Adds the results of a linear step to each row.
#[inline(always)]
fn add_rows(rows: &mut [[f32; WIDTH]], products: &[i32], scales: &[f32], linear: &Linear) {
    for ((row, products), &scale) in rows.iter_mut().zip(products.as_chunks::<WIDTH>().0).zip(scales) {
        each_run(row, products, scale, linear.matrix.scales, Some(linear.biases), |_, old, new| {
            for lane in 0..LANES {
                old[lane] += new[lane];
            }
        });
    }
}

/// Calls `put` with each run of a row and of the floats of its products.
#[inline(always)]
fn each_run<const N: usize>(
    row: &mut [f32; N],
    products: &[i32; N],
    scale: f32,
    scales: Floats,
    biases: Option<Floats>,
    mut put: impl FnMut(usize, &mut [f32; LANES], [f32; LANES]),
) {
    let runs = row.as_chunks_mut::<LANES>().0.iter_mut().zip(products.as_chunks::<LANES>().0);
    for (index, (run, products)) in runs.enumerate() {
        put(index, run, scaled(products, scale, scales, biases, index * LANES));
    }
}

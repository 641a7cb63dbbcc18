//! Lays the encoder's weights out for the kernels, so that a process has nothing to rearrange when it starts.
//!
//! `weights/encoder-t3-i8.bin` is read as its format describes it and written as two files: all bytes, and all floats,
//! each in the order of the format. The bytes of a matrix that is multiplied with activations are cut into tiles: 16
//! rows, of which four neighbouring columns lie together. In one register, then, lie the same four columns of several
//! rows, and no kernel adds across lanes. `src/weights.rs` reads what is written here.
#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads and writes files, and is told where by cargo"
)]

use std::path::Path;

const WEIGHTS: &str = "weights/encoder-t3-i8.bin";
const MAGIC: &[u8; 8] = b"MOONENC1";
/// vocabulary, embedding, width, heads, feed-forward, layers, out, positions
const SHAPE: [u32; 8] = [30_522, 128, 384, 12, 1536, 3, 256, 258];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={WEIGHTS}");
    let file = std::fs::read(WEIGHTS).expect("the weights are part of the repository");
    let [vocabulary, embedding, width, _, inner, layers, out, positions] = SHAPE.map(|size| size as usize);

    let mut layout = Layout { rest: &file, bytes: Vec::new(), floats: Vec::new() };
    assert_eq!(layout.take(MAGIC.len()), MAGIC, "{WEIGHTS}: another format");
    for size in SHAPE {
        assert_eq!(layout.take(4), size.to_le_bytes(), "{WEIGHTS}: another shape");
    }
    layout.rows(vocabulary, embedding);
    layout.tiles(width, embedding);
    layout.rows(positions, width);
    layout.floats(2 * width);
    for _ in 0..layers {
        for _ in ["q", "k", "v", "o"] {
            layout.tiles(width, width);
            layout.floats(width);
        }
        layout.floats(2 * width);
        layout.tiles(inner, width);
        layout.floats(inner);
        layout.tiles(width, inner);
        layout.floats(width);
        layout.floats(2 * width);
    }
    layout.tiles(out, width);
    layout.floats(out);
    assert!(layout.rest.is_empty(), "{WEIGHTS}: more than the format says");

    let folder = std::env::var_os("OUT_DIR").expect("cargo says where");
    let write = |name: &str, content: &[u8]| {
        std::fs::write(Path::new(&folder).join(name), content).expect("the build folder can be written");
    };
    write("encoder.bytes", &layout.bytes);
    write("encoder.floats", &layout.floats);
}

struct Layout<'a> {
    rest: &'a [u8],
    bytes: Vec<u8>,
    floats: Vec<u8>,
}

impl<'a> Layout<'a> {
    fn take(&mut self, len: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at_checked(len).expect("the weights are whole");
        self.rest = rest;
        taken
    }

    fn floats(&mut self, count: usize) {
        let taken = self.take(4 * count);
        self.floats.extend_from_slice(taken);
    }

    /// A matrix that is read row by row.
    fn rows(&mut self, rows: usize, columns: usize) {
        self.floats(rows);
        let taken = self.take(rows * columns);
        self.bytes.extend_from_slice(taken);
    }

    /// A matrix that is multiplied.
    fn tiles(&mut self, rows: usize, columns: usize) {
        self.floats(rows);
        let taken = self.take(rows * columns);
        for tile in taken.chunks_exact(16 * columns) {
            for column in (0..columns).step_by(4) {
                for row in tile.chunks_exact(columns) {
                    self.bytes.extend_from_slice(&row[column..column + 4]);
                }
            }
        }
    }
}

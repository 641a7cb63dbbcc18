//! Unpacks what git compressed (zlib). The bytes are from files that others wrote, so nothing in them makes the output larger than
//! the caller allows.

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

/// The bytes that were compressed; `None` if these are not whole zlib data, or would give more than `len_max` bytes. What is behind
/// the compressed data is left alone.
pub(super) fn inflate(data: &[u8], len_max: usize) -> Option<Vec<u8>> {
    decompress_to_vec_zlib_with_limit(data, len_max).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compressed by zlib with a table of codes of its own: 60 lines.
    const LINES: &str = "\
        78da75d5494a44411045d1b9abc80538c8e8b2594e618305a5052ad4f645326278c7ffc28743f2e276fd7a6bbddddfdba5bd\
        dc2ed7cfe7f6b8fe7eb4c7fdfbf5a7f5a7dbfff72d9b0a39c5b245859e62c6a4c24e31e6a0c24f113ba8882cc4a918a77033\
        2ae6292c948a750a9d42c53e856c34954495cea8a9aa882aa9ba1d552559d7405649d7b9d0551276768495941d8ab292b4e1\
        482b69eb036d25716d21ae26ae6ec4d5c2157eb2a92b86ba9aba81b89ab87b22ae26eeda88ab89bb04713571a721ae26ee08\
        c4d5c48d89b896b8be10d712d73be25ae29af22024ae3aea5aeaca405d2b5dc4b5c4455a4bdaad486babfe82b496b47320ad\
        f7da40a475a911445ad75a41a475ab19e4b1f5da41a4f5a821445b1fb584a8eba92b82ba9eba86b89eb83b10377a2d21e286\
        d412226ed421eb881b75c91471a34e99f3298b5a42c48d7ab80b71a3ae5947dca873a6a81bfbe90f020d8b72";

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hex")).collect()
    }

    fn lines() -> Vec<u8> {
        let line = |n: usize| format!("line {} of a claim, with words {n}\n", n * 7919 % 1000);
        (0..60).map(line).collect::<String>().into_bytes()
    }

    #[test] // spec: MEM-49
    fn each_kind_of_block_is_unpacked_and_nothing_larger_than_the_limit() {
        assert_eq!(
            inflate(&bytes("78dacb48cdc9c9d751c840a200442806d5"), 100),
            Some(b"hello, hello, hello".to_vec())
        );
        assert_eq!(inflate(&bytes("7801010500faff68656c6c6f062c0215"), 100), Some(b"hello".to_vec()));
        let packed = bytes(LINES);
        assert_eq!(inflate(&packed, 10_000), Some(lines()));
        assert_eq!(inflate(&packed, lines().len()), Some(lines()), "exactly the limit");
        assert_eq!(inflate(&packed, lines().len() - 1), None);
        let behind = [&packed[..], b"the next object"].concat();
        assert_eq!(inflate(&behind, 10_000), Some(lines()), "an object of a pack has others behind it");
        let mut harmed = packed.clone();
        *harmed.last_mut().expect("it has bytes") ^= 1;
        assert_eq!(inflate(&harmed, 10_000), None, "the sum at the end is of other bytes");
        for end in 0..packed.len() {
            assert_eq!(inflate(&packed[..end], 10_000), None, "cut at {end}");
        }
    }

    proptest! {
        #[test] // spec: MEM-49
        fn no_bytes_make_it_panic(at in 0..344_usize, byte: u8, other in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut packed = bytes(LINES);
            packed[at] = byte;
            let _ = inflate(&packed, 10_000);
            let _ = inflate(&[&[0x78, 0x9c][..], &other].concat(), 10_000);
        }
    }
}

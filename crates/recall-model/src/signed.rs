//! Bytes of a file as signed numbers.

/// The same bytes, signed.
pub fn signed(bytes: &[u8]) -> &[i8] {
    // SAFETY: both types have one byte, every value of one is a value of the other, and the length and
    // the lifetime stay what they were.
    #[expect(unsafe_code, reason = "there is no safe way to read a slice with the other sign")]
    unsafe {
        std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn the_sign_alone_changes() {
        assert_eq!(signed(&[0, 1, 127, 128, 255]), [0, 1, 127, -128, -1]);
        assert_eq!(signed(&[]), [0_i8; 0]);
    }
}

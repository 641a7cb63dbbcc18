//! Base64, one level deep and only as much as a check needs.

/// Decodes either alphabet up to the first byte that is in neither; a tail of less than a byte is dropped.
pub(crate) fn base64(text: &[u8], len_max: usize) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(len_max.min(text.len()));
    let (mut bits, mut bit_count) = (0u32, 0);
    for byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            decoded.push((bits >> bit_count) as u8);
            if decoded.len() == len_max {
                break;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_and_cut_off_tails_decode() {
        assert_eq!(base64(b"dXNlcjpwYXNz", 64), b"user:pass");
        assert_eq!(base64(b"dXNlcjpwYXNzMQ==", 64), b"user:pass1");
        assert_eq!(base64(b"-_-_", 64), base64(b"+/+/", 64));
        assert_eq!(base64(b"dXNlcjpwYXNz", 4), b"user");
        assert_eq!(base64(b"", 4), b"");
    }
}

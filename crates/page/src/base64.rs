//! Base64 (RFC 4648, section 4), for arrays of numbers, and in tests for hashes.
//!
//! Invariant: the text has a length that is a multiple of four.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |place: usize| u32::from(chunk.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// Returns whole numbers as text: 16 bits each, the lower byte first.
pub(super) fn base64_of_u16(numbers: &[u16]) -> String {
    base64(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn bytes_are_written_as_the_standard_says() {
        let vectors = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, text) in vectors.iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..length]), *text);
        }
        assert_eq!(base64_of_u16(&[1, 0xfffe]), "AQD+/w==");
    }
}

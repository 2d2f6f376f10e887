//! Fingerprints of bytes, for noticing that a class changed and for finding stored rows.
//!
//! FNV-1a with 128 bits: a dozen lines, the same on every machine and in every version. It does not withstand
//! an attacker who constructs two classes with equal fingerprints, who would gain nothing by it.

use std::fmt;

/// Fingerprint of a sequence of byte strings; order and boundaries count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest(u128);

impl Digest {
    /// Returns the fingerprint of the empty sequence.
    pub fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// Appends a byte string.
    pub fn add(&mut self, part: &[u8]) {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let length = (part.len() as u64).to_le_bytes();
        for &byte in part.iter().chain(&length) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// Returns the fingerprint of one byte string as a 64-bit key for an index.
    pub(crate) fn short(part: &[u8]) -> i64 {
        let mut digest = Self::new();
        digest.add(part);
        ((digest.0 >> 64) as u64 ^ digest.0 as u64).cast_signed()
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&str]) -> String {
        let mut digest = Digest::new();
        parts.iter().for_each(|part| digest.add(part.as_bytes()));
        digest.to_string()
    }

    /// Later versions must recognize the campaigns of this one.
    #[test]
    fn fingerprints_never_change() {
        assert_eq!(of(&[]), "6c62272e07bb014262b821756295c58d");
        assert_eq!(of(&["a"]), "19c3dbf8e5061a5c61631051cd9ca0c5");
    }

    #[test]
    fn parts_count() {
        let all = [of(&["ab"]), of(&["a", "b"]), of(&["b", "a"]), of(&["ab", ""]), of(&["", "ab"])];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{one}");
        }
    }
}

//! Fingerprints: equal bytes have equal ones, and different bytes by all likelihood different ones.
//!
//! FNV-1a with 128 bits: a dozen lines, the same on every machine and in every version. It tells that a class changed; it does
//! not withstand somebody who wants two classes to look alike, from which nobody would gain anything.

use std::fmt;

/// A fingerprint of all bytes that were added, in their order and parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest(u128);

impl Digest {
    /// Of nothing.
    pub fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// Adds a part. Two parts are not the same as one of both.
    pub fn add(&mut self, part: &[u8]) {
        const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
        let length = (part.len() as u64).to_le_bytes();
        for &byte in part.iter().chain(&length) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// The fingerprint of one part in the size that a database looks up fast.
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

    /// Campaigns of today must be recognized by every later version.
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

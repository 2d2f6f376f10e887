//! Digests of what an object leads to: two numbers in place of a graph of objects.

/// Digest of a value and of everything that is reachable from it, within bounds that the subject sets.
///
/// Equal values have equal digests, in every run and in every machine: a digest depends neither on addresses
/// nor on identity hash codes. Different values may have equal digests, because a subject does not look at
/// everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest {
    /// Changes with every number, text and class that was looked at.
    pub exact: u64,
    /// Changes only with classes, with what is null or empty, and with whether numbers are negative, zero,
    /// one or more.
    pub coarse: u64,
}

impl Digest {
    /// The digest of several values in this order.
    pub fn combined(digests: &[Self]) -> Self {
        digests.iter().fold(Self { exact: digests.len() as u64, coarse: 0 }, |all, one| all.then(*one))
    }

    /// The digest of this value followed by another one.
    pub fn then(self, next: Self) -> Self {
        Self { exact: mix(self.exact, next.exact), coarse: mix(self.coarse, next.coarse) }
    }
}

/// Mixes two numbers so that their order matters: the finalizer of SplitMix64.
fn mix(first: u64, second: u64) -> u64 {
    let mut mixed = first.rotate_left(23).wrapping_add(second).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_number_matter() {
        let [one, two] = [1, 2].map(|exact| Digest { exact, coarse: 7 });
        let combined = [&[one, two][..], &[two, one], &[one], &[], &[one, two, two]].map(Digest::combined);
        for (at, digest) in combined.iter().enumerate() {
            assert!(!combined[..at].iter().any(|other| other.exact == digest.exact), "{combined:?}");
        }
        assert_eq!(combined[0].coarse, combined[1].coarse);
    }
}

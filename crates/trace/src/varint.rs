//! Numbers as few bytes: seven bits to a byte, the lowest first, the high bit set on all but the last byte
//! (LEB128).

/// Appends `number` to `bytes`.
#[inline]
pub fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes the next number off the front of `bytes`.
///
/// Returns none, and leaves `bytes` as they were, when they are empty, end inside a number, or exceed 64
/// bits.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        let group = u64::from(byte & 0x7f);
        // The tenth byte has room for one bit.
        if index > 9 || (index == 9 && group > 1) {
            return None;
        }
        number |= group << (7 * index);
        if byte < 0x80 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

/// Folds the sign into the lowest bit, so that numbers near zero stay short on both sides of it.
#[inline]
pub fn fold_sign(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Undoes [`fold_sign`].
#[inline]
pub fn unfold_sign(folded: u64) -> i64 {
    (folded >> 1) as i64 ^ -((folded & 1) as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(prop_oneof![0u64..300, any::<u64>()], 0..20)) {
            let mut bytes = Vec::new();
            for &number in &numbers {
                put(&mut bytes, number);
            }
            let mut rest = bytes.as_slice();
            let back: Vec<u64> = std::iter::from_fn(|| take(&mut rest)).collect();
            prop_assert_eq!(back, numbers);
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn signs_come_back(number: i64) {
            prop_assert_eq!(unfold_sign(fold_sign(number)), number);
        }

        /// A number that was cut off is noticed, and nothing is taken.
        #[test]
        fn a_cut_number_is_none(number: u64) {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            bytes.pop();
            let mut rest = bytes.as_slice();
            prop_assert_eq!(take(&mut rest), None);
            prop_assert_eq!(rest, bytes.as_slice());
        }
    }

    #[test]
    fn small_numbers_are_short() {
        let length = |number| {
            let mut bytes = Vec::new();
            put(&mut bytes, number);
            bytes.len()
        };
        assert_eq!([0, 127, 128, u64::MAX].map(length), [1, 1, 2, 10]);
        assert_eq!([0, -1, 1, -2].map(fold_sign), [0, 1, 2, 3]);
    }

    #[test]
    fn more_than_64_bits_are_none() {
        assert_eq!(take(&mut [0xff; 12].as_slice()), None, "it never ends");
        assert_eq!(take(&mut [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2].as_slice()), None);
        assert_eq!(
            take(&mut [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1].as_slice()),
            Some(1 << 63)
        );
    }
}

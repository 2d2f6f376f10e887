//! Changed bytes of a value.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// Bytes that parsers stumble over.
const ODD: [&[u8]; 9] = [b"%n%s", b"\0", b"\xff", b"../", b" ", b"\t", b"-", b"\x80\x81", b"''"];

/// Longest value that repeating makes.
const LONGEST: usize = 4096;

/// Returns a changed copy of `value`. Line ends stay out, because they would make two messages of one.
pub(crate) fn mutate(value: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = value.to_vec();
    for _ in 0..rng.random_range(1..=3) {
        let at = rng.random_range(0..=bytes.len());
        match rng.random_range(0..6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes.insert(at, rng.random()),
            2 if at < bytes.len() => {
                let end = rng.random_range(at + 1..=bytes.len());
                bytes.drain(at..end);
            }
            3 if at < bytes.len() => {
                let end = rng.random_range(at + 1..=bytes.len());
                let part = bytes[at..end].to_vec();
                let times = *[2usize, 16, 128, 1024].choose(rng).expect("the list is not empty");
                let times = times.min((LONGEST.saturating_sub(bytes.len())) / part.len());
                let repeated = part.repeat(times);
                bytes.splice(at..at, repeated);
            }
            4 => {
                let odd = ODD.choose(rng).expect("the list is not empty");
                bytes.splice(at..at, odd.iter().copied());
            }
            _ if at < bytes.len() => bytes[at] = rng.random(),
            _ => bytes.push(rng.random()),
        }
    }
    bytes.retain(|byte| !matches!(byte, b'\r' | b'\n'));
    bytes
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    #[test]
    fn changed_values_are_bounded_and_stay_in_their_line() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut changed = 0;
        for _ in 0..2000 {
            let value = mutate(b"readme.txt", &mut rng);
            assert!(value.len() <= 3 * LONGEST && !value.contains(&b'\n') && !value.contains(&b'\r'));
            changed += usize::from(value != b"readme.txt");
        }
        assert!(changed > 1900, "{changed}");
    }
}

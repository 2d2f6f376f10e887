//! A table from the bytes of a word to its number, for formats where most of the time goes into knowing words
//! again.
//!
//! The table is an open-addressing one whose entries hold the first sixteen bytes of the word: nearly every
//! word of a log is recognized by comparing two machine words, without following a pointer. It holds a
//! bounded number of words; what does not fit is looked up the slow way each time.

/// A word cut out of a line, with what the table needs to find it: its first bytes, zero padded, and a hash
/// of all.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// The end of the word.
    pub(crate) end: usize,
    start: [u64; 2],
    hash: u64,
}

/// Every byte of a machine word set to one, for arithmetic on eight bytes at once.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The top bit of each byte.
const TOPS: u64 = 0x8080_8080_8080_8080;
/// Bytes below this one, the space and the control characters, separate words.
const FIRST_PRINTABLE: u8 = 0x21;
/// An odd number with well-mixed bits: 2^64 divided by the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Tells whether a byte separates words: white space, and control characters such as the zeros a crash leaves
/// in a file.
#[inline]
pub(crate) fn separates(byte: u8) -> bool {
    byte < FIRST_PRINTABLE
}

/// Finds the end of the word that begins at `from`, eight bytes at a time.
#[inline]
pub(crate) fn cut(bytes: &[u8], from: usize) -> Cut {
    let mut start = [0; 2];
    let mut hash = 0u64;
    let mut at = from;
    loop {
        let eight = eight_bytes(bytes, at);
        // The lowest set bit marks the first byte below FIRST_PRINTABLE; borrows can only spoil the bits
        // above it.
        let marks = eight.wrapping_sub(ONES * u64::from(FIRST_PRINTABLE)) & !eight & TOPS;
        let count = (marks.trailing_zeros() / 8) as usize;
        let word = if count == 8 { eight } else { eight & ((1 << (8 * count)) - 1) };
        match at - from {
            0 => start[0] = word,
            8 => start[1] = word,
            _ => {}
        }
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(MIX);
        at += count;
        if count < 8 {
            return Cut { end: at, start, hash };
        }
    }
}

/// The eight bytes from `at` on, with zeros, which separate words, beyond the end.
#[inline]
fn eight_bytes(bytes: &[u8], at: usize) -> u64 {
    let rest = &bytes[at..];
    match rest.first_chunk::<8>() {
        Some(eight) => u64::from_le_bytes(*eight),
        None => {
            let mut padded = [0; 8];
            padded[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(padded)
        }
    }
}

/// The most words that the table holds.
const MOST: usize = 64 * 1024;

/// The table.
pub(crate) struct Spellings {
    entries: Vec<Entry>,
    /// The shift that makes an index of a hash.
    shift: u32,
    used: usize,
    /// The words longer than what an entry holds.
    long: Vec<Box<[u8]>>,
}

#[derive(Clone, Copy)]
struct Entry {
    start: [u64; 2],
    hash: u64,
    /// The length of the word; zero marks a free entry, for no word is empty.
    len: u32,
    number: u32,
    long: u32,
}

const FREE: Entry = Entry { start: [0; 2], hash: 0, len: 0, number: 0, long: 0 };

impl Spellings {
    pub(crate) fn new() -> Self {
        Self::with_bits(8)
    }

    fn with_bits(bits: u32) -> Self {
        Self { entries: vec![FREE; 1 << bits], shift: 64 - bits, used: 0, long: Vec::new() }
    }

    /// The number of `word`, which `cut` cut.
    #[inline]
    pub(crate) fn get(&self, word: &[u8], cut: &Cut) -> Option<u32> {
        let mask = self.entries.len() - 1;
        let mut at = (cut.hash >> self.shift) as usize & mask;
        loop {
            let entry = &self.entries[at];
            if entry.len as usize == word.len() && entry.start == cut.start {
                if word.len() <= 16 || (entry.hash == cut.hash && *self.long[entry.long as usize] == *word) {
                    return Some(entry.number);
                }
            } else if entry.len == 0 {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    /// Remembers the number of `word`, unless the table is full or the word absurdly long.
    pub(crate) fn insert(&mut self, word: &[u8], cut: &Cut, number: u32) {
        // A quarter of a megabyte of distinct long words at a time is plenty.
        const LONGEST: usize = 256;
        if word.is_empty() || word.len() > LONGEST || self.used >= MOST {
            return;
        }
        if self.used * 2 >= self.entries.len() {
            let mut larger = Self::with_bits(64 - self.shift + 1);
            for entry in self.entries.iter().filter(|entry| entry.len > 0) {
                larger.place(*entry);
            }
            larger.long = std::mem::take(&mut self.long);
            *self = larger;
        }
        let long = self.long.len() as u32;
        if word.len() > 16 {
            self.long.push(word.into());
        }
        self.place(Entry { start: cut.start, hash: cut.hash, len: word.len() as u32, number, long });
    }

    fn place(&mut self, entry: Entry) {
        let mask = self.entries.len() - 1;
        let mut at = (entry.hash >> self.shift) as usize & mask;
        while self.entries[at].len > 0 {
            at = (at + 1) & mask;
        }
        self.entries[at] = entry;
        self.used += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Words end where the plain definition says they do.
        #[test]
        fn cuts_agree_with_the_byte_loop(bytes in prop::collection::vec(prop_oneof![0u8..=255, 30u8..36, 120u8..140], 1..60)) {
            for from in 0..bytes.len() {
                let plain = from + bytes[from..].iter().take_while(|&&byte| !separates(byte)).count();
                prop_assert_eq!(cut(&bytes, from).end, plain);
            }
        }

        /// The table agrees with an ordinary map.
        #[test]
        fn table_agrees_with_a_map(words in prop::collection::vec("[ab]{1,12}|[ab]{15,20}", 1..900)) {
            let (mut table, mut map) = (Spellings::new(), BTreeMap::new());
            for (number, word) in (0..).zip(&words) {
                let cut = cut(word.as_bytes(), 0);
                prop_assert_eq!(table.get(word.as_bytes(), &cut), map.get(word).copied());
                map.entry(word.clone()).or_insert_with(|| {
                    table.insert(word.as_bytes(), &cut, number);
                    number
                });
            }
            for (word, &number) in &map {
                prop_assert_eq!(table.get(word.as_bytes(), &cut(word.as_bytes(), 0)), Some(number));
            }
        }
    }
}

//! The never-properties as bit matrices, and rows of bits to hold sets of letters per state.

use std::collections::BTreeSet;

use adit_logic::{Property, Template};

/// Sets of letters, one per row, all of the same width.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    stride: usize,
    bits: Vec<u64>,
}

impl Rows {
    /// `rows` empty sets over `letters` letters.
    pub(super) fn new(rows: usize, letters: usize) -> Self {
        let stride = letters.div_ceil(64).max(1);
        Self { stride, bits: vec![0; rows * stride] }
    }

    /// Appends an empty set.
    pub(super) fn push(&mut self) {
        self.bits.resize(self.bits.len() + self.stride, 0);
    }

    /// Appends a copy of `set`.
    pub(super) fn push_row(&mut self, set: &[u64]) {
        self.bits.extend_from_slice(set);
    }

    pub(super) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.stride..(row + 1) * self.stride]
    }

    pub(super) fn contains(&self, row: usize, letter: u32) -> bool {
        self.row(row)[letter as usize / 64] & (1 << (letter % 64)) != 0
    }

    /// Makes a set empty.
    pub(super) fn clear(&mut self, row: usize) {
        self.bits[row * self.stride..(row + 1) * self.stride].fill(0);
    }

    /// Adds `letter` and says whether it is new.
    pub(super) fn insert(&mut self, row: usize, letter: u32) -> bool {
        let word = &mut self.bits[row * self.stride + letter as usize / 64];
        let before = *word;
        *word |= 1 << (letter % 64);
        *word != before
    }

    /// Adds all of `set` and says whether anything of it is new.
    pub(super) fn union(&mut self, row: usize, set: &[u64]) -> bool {
        let mut grew = false;
        for (word, &more) in self.bits[row * self.stride..].iter_mut().zip(set) {
            grew |= more & !*word != 0;
            *word |= more;
        }
        grew
    }

    /// Adds all of the set in row `from` to the one in row `to`, and says whether anything of it is new.
    pub(super) fn union_row(&mut self, to: usize, from: usize) -> bool {
        let mut grew = false;
        for at in 0..self.stride {
            let more = self.bits[from * self.stride + at];
            let word = &mut self.bits[to * self.stride + at];
            grew |= more & !*word != 0;
            *word |= more;
        }
        grew
    }
}

/// Returns whether two sets share a letter.
pub(super) fn overlap(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// The letters of a set, in order.
pub(super) fn letters(set: &[u64]) -> impl Iterator<Item = u32> {
    set.iter().enumerate().flat_map(|(at, &word)| letters_of_word(word).map(move |bit| at as u32 * 64 + bit))
}

/// The properties that DICE-Miner obeys, NF and NIF, by letter and in both directions.
pub(super) struct Rules {
    /// `never_after[x]` holds every `y` with NF(x, y).
    pub(super) never_after: Rows,
    /// `never_before[y]` holds every `x` with NF(x, y).
    pub(super) never_before: Rows,
    /// `never_next[x]` holds every `y` with NIF(x, y).
    pub(super) never_next: Rows,
    /// `never_last[y]` holds every `x` with NIF(x, y).
    pub(super) never_last: Rows,
}

impl Rules {
    /// Takes the NF and NIF properties whose events are in `alphabet`, which is sorted.
    ///
    /// Side-effect-free events are `commuting` when they are self-loops: a state that allows `p` and `q`
    /// allows them in either order and any number of times. So a property between two such events counts only
    /// when neither may follow the other, and never for an event with itself; otherwise some traces could not
    /// be accepted without breaking a property that they obey.
    pub(super) fn new<L: Ord>(properties: &[Property<L>], commuting: &BTreeSet<L>, alphabet: &[L]) -> Self {
        let empty = || Rows::new(alphabet.len(), alphabet.len());
        let mut stated = empty();
        let pairs: Vec<(bool, u32, u32)> = properties
            .iter()
            .filter_map(|property| {
                let ever = match property.template {
                    Template::NeverFollowed => true,
                    Template::NeverImmediatelyFollowed => false,
                    _ => return None,
                };
                let letter = |label| alphabet.binary_search(label).ok().map(|at| at as u32);
                Some((ever, letter(&property.a)?, letter(&property.b)?))
            })
            .collect();
        for &(ever, a, b) in &pairs {
            if !ever {
                stated.insert(a as usize, b);
            }
        }
        let commutes = |letter: u32| commuting.contains(&alphabet[letter as usize]);
        let mut rules =
            Self { never_after: empty(), never_before: empty(), never_next: empty(), never_last: empty() };
        for (ever, a, b) in pairs {
            if commutes(a) && commutes(b) && (a == b || !stated.contains(b as usize, a)) {
                continue;
            }
            let (forward, backward) = if ever {
                (&mut rules.never_after, &mut rules.never_before)
            } else {
                (&mut rules.never_next, &mut rules.never_last)
            };
            forward.insert(a as usize, b);
            backward.insert(b as usize, a);
        }
        rules
    }

    /// For each set of `before`, everything that NF forbids after one of its letters.
    pub(super) fn banned_later(&self, before: &Rows) -> Rows {
        banned(&self.never_after, before)
    }

    /// For each set of `last`, everything that NIF forbids right after one of its letters.
    pub(super) fn banned_next(&self, last: &Rows) -> Rows {
        banned(&self.never_next, last)
    }

    /// Returns whether joining two states lets some `y` come after some `x` although NF(x, y), which neither
    /// state did alone.
    pub(super) fn break_later(&self, one: Side<'_>, other: Side<'_>) -> bool {
        breaks(&self.never_before, one, other) || breaks(&self.never_before, other, one)
    }

    /// Returns whether joining two states lets some `y` come right after some `x` although NIF(x, y), which
    /// neither state did alone.
    pub(super) fn break_next(&self, one: Side<'_>, other: Side<'_>) -> bool {
        breaks(&self.never_last, one, other) || breaks(&self.never_last, other, one)
    }
}

/// The letters that come before a state, those that come after it, and those that must not because of the
/// former.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) before: &'a [u64],
    pub(super) after: &'a [u64],
    pub(super) banned: &'a [u64],
}

/// Returns whether a letter that comes before the first state only and one that comes after the second only
/// are a forbidden pair.
///
/// If either letter belongs to both states, the pair was there before they were joined: a trace had forced
/// it. The banned letters are known in advance, so most pairs of states are judged by a few machine words.
fn breaks(never: &Rows, one: Side<'_>, other: Side<'_>) -> bool {
    one.banned.iter().zip(other.after).zip(one.after).enumerate().any(|(at, ((banned, after), own))| {
        letters_of_word(banned & after & !own).any(|bit| {
            let forbidden_before = never.row(at * 64 + bit as usize);
            let only_here = one.before.iter().zip(other.before).map(|(one, other)| one & !other);
            forbidden_before.iter().zip(only_here).any(|(never, only)| never & only != 0)
        })
    })
}

fn banned(never: &Rows, sets: &Rows) -> Rows {
    let mut banned = Rows { stride: sets.stride, bits: vec![0; sets.bits.len()] };
    for row in 0..sets.bits.len() / sets.stride {
        for letter in letters(sets.row(row)) {
            banned.union(row, never.row(letter as usize));
        }
    }
    banned
}

fn letters_of_word(word: u64) -> impl Iterator<Item = u32> {
    std::iter::successors((word != 0).then_some(word), |word| {
        Some(word & (word - 1)).filter(|&word| word != 0)
    })
    .map(u64::trailing_zeros)
}

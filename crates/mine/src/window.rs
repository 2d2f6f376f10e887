//! The events "immediately" before and after an event when those without side effects do not count.
//!
//! Paper: `dice`, section 3.2, the purity-aware AIF, NIF and AIP.
//! Deviation: none here; what NIF means is settled in `properties.rs`.
//! Cost: for each event, the number of distinct letters since the last event with a side effect.
//!
//! The events since the last impure one, itself included, are the *window*: all of them are immediate
//! predecessors of the event that comes now, and it is an immediate successor of all of them. Going forward
//! is enough for both directions, so a run of pure events may be longer than memory.

use adit_trace::Letter;

use crate::matrix::Matrix;

/// The distinct letters of the window and how often each occurred in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Window {
    /// Set, and all else empty, when the window is a single event. Without pure events it always is.
    single: Option<Letter>,
    letters: Vec<Letter>,
    /// Occurrences in the window, beside `letters`.
    open: Vec<u64>,
    /// For a letter of the window: what `open` was at its last occurrence as a successor. Those occurrences
    /// have had it as a successor and must not be counted again when it comes once more.
    met: Vec<Vec<u64>>,
    /// The place of a letter in `letters`, or [`ABSENT`].
    slot: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl Window {
    /// Makes room for letters below `letters`.
    pub(crate) fn grow(&mut self, letters: usize) {
        self.slot.resize(letters.max(self.slot.len()), ABSENT);
    }

    /// A word ends: nothing is before the next event.
    pub(crate) fn clear(&mut self) {
        self.single = None;
        for (&letter, met) in self.letters.iter().zip(&mut self.met) {
            self.slot[letter as usize] = ABSENT;
            met.clear();
        }
        self.letters.clear();
        self.open.clear();
    }

    /// Counts `weight` times the neighbors of the `word`'s next letters: in `next` those occurrences (column)
    /// that a letter (row) follows, in `previous` those occurrences (row) that a letter (column) precedes.
    pub(crate) fn pass(
        &mut self,
        word: &[Letter],
        pure: &[bool],
        weight: u64,
        next: &mut Matrix,
        previous: &mut Matrix,
    ) {
        for &letter in word {
            if let Some(before) = self.single {
                if !pure[letter as usize] {
                    next.add(letter, before, weight);
                    previous.add(letter, before, weight);
                    self.single = Some(letter);
                    continue;
                }
                self.single = None;
                self.enter(before);
            } else if self.letters.is_empty() {
                self.single = Some(letter);
                continue;
            }
            for &earlier in &self.letters {
                previous.add(letter, earlier, weight);
            }
            let slot = self.slot[letter as usize];
            if !pure[letter as usize] {
                // An impure letter closes the window. If it is also the one that opened it, it has met
                // nothing.
                for (&earlier, &open) in self.letters.iter().zip(&self.open) {
                    next.add(letter, earlier, open * weight);
                }
                self.clear();
                self.single = Some(letter);
            } else if slot == ABSENT {
                for (&earlier, &open) in self.letters.iter().zip(&self.open) {
                    next.add(letter, earlier, open * weight);
                }
                let slot = self.enter(letter);
                // Its own occurrence, entered last, has not met itself.
                self.met[slot].extend_from_slice(&self.open[..slot]);
            } else {
                let met = &mut self.met[slot as usize];
                met.resize(self.open.len(), 0);
                for ((&earlier, &open), met) in self.letters.iter().zip(&self.open).zip(met) {
                    next.add(letter, earlier, (open - *met) * weight);
                    *met = open;
                }
                self.open[slot as usize] += 1;
            }
        }
    }

    fn enter(&mut self, letter: Letter) -> usize {
        let slot = self.letters.len();
        self.slot[letter as usize] = slot as u32;
        self.letters.push(letter);
        self.open.push(1);
        if self.met.len() == slot {
            self.met.push(Vec::new());
        }
        slot
    }
}

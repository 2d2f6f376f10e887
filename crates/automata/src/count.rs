//! Exact counts of the words of each length that a deterministic automaton accepts, without sampling.
//!
//! Cost: `O(length · transitions)` additions of numbers that grow by `log2(letters)` bits a step; numbers are
//! arrays of machine words as wide as the length at hand needs, since an allocation per number would cost ten
//! times more.

use num_bigint::BigUint;

use crate::graph::{Fsa, State};

impl<L> Fsa<L> {
    /// The number of accepted words of each length from 0 to `max_length`.
    ///
    /// # Panics
    /// Panics if the automaton is nondeterministic: paths would be counted, not words.
    pub fn count_words(&self, max_length: usize) -> Vec<BigUint> {
        assert!(self.is_deterministic(), "only a deterministic automaton has one path a word");
        let Some(&start) = self.initial().first() else { return vec![BigUint::ZERO; max_length + 1] };
        let mut count = Count { fsa: self, start, max_length, counts: Vec::with_capacity(max_length + 1) };
        // The first column: how many words of length 0 can be read from each state and accepted.
        let accepted: Vec<[u64; 1]> =
            self.states().map(|state| [u64::from(self.is_accepting(state))]).collect();
        count.counts.push(number(&accepted[start]));
        let accepted = widen(&count.with_width(accepted));
        let accepted = widen(&count.with_width::<2>(accepted));
        let accepted = widen(&count.with_width::<3>(accepted));
        let accepted = widen(&count.with_width::<4>(accepted));
        count.with_any_width(accepted);
        count.counts
    }
}

struct Count<'a, L> {
    fsa: &'a Fsa<L>,
    start: State,
    max_length: usize,
    /// The answers so far, by length.
    counts: Vec<BigUint>,
}

impl<L> Count<'_, L> {
    /// The number of machine words that the largest possible count of this length needs.
    fn limbs(&self, length: usize) -> usize {
        let bits_a_letter = (self.fsa.alphabet().len().max(1) as f64).log2();
        // One bit more than the largest possible count needs, and one for the rounding of the logarithm.
        ((length as f64 * bits_a_letter + 2.0) / 64.0).ceil().max(1.0) as usize
    }

    /// Goes on while counts fit into `N` machine words. A fixed width lets the compiler keep a sum in
    /// registers, which makes the difference between memory speed and a third of it.
    fn with_width<const N: usize>(&mut self, mut suffixes: Vec<[u64; N]>) -> Vec<[u64; N]> {
        let mut next = suffixes.clone();
        while self.counts.len() <= self.max_length && self.limbs(self.counts.len()) <= N {
            for (state, sum) in next.iter_mut().enumerate() {
                let mut total = [0; N];
                for step in self.fsa.steps(state) {
                    add(&mut total, &suffixes[step.to as usize]);
                }
                *sum = total;
            }
            std::mem::swap(&mut suffixes, &mut next);
            self.counts.push(number(&suffixes[self.start]));
        }
        suffixes
    }

    /// The same for counts of any width.
    fn with_any_width(&mut self, suffixes: Vec<[u64; 5]>) {
        let limbs = self.limbs(self.max_length).max(5);
        let mut suffixes: Vec<Vec<u64>> = suffixes
            .iter()
            .map(|number| number.iter().copied().chain(std::iter::repeat_n(0, limbs - 5)).collect())
            .collect();
        let mut next = suffixes.clone();
        while self.counts.len() <= self.max_length {
            let limbs = self.limbs(self.counts.len());
            for (state, sum) in next.iter_mut().enumerate() {
                sum.fill(0);
                for step in self.fsa.steps(state) {
                    add(&mut sum[..limbs], &suffixes[step.to as usize][..limbs]);
                }
            }
            std::mem::swap(&mut suffixes, &mut next);
            self.counts.push(number(&suffixes[self.start]));
        }
    }
}

/// Adds `number` to `sum`, least significant word first. The sum fits: its width was chosen for the largest
/// count.
#[inline]
fn add(sum: &mut [u64], number: &[u64]) {
    let mut carry = false;
    for (sum, &number) in sum.iter_mut().zip(number) {
        let (partial, over) = sum.overflowing_add(number);
        let (total, over_again) = partial.overflowing_add(u64::from(carry));
        *sum = total;
        carry = over | over_again;
    }
    debug_assert!(!carry, "counts never outgrow their width");
}

fn widen<const N: usize, const M: usize>(numbers: &[[u64; N]]) -> Vec<[u64; M]> {
    let widened = |number: &[u64; N]| {
        let mut wide = [0; M];
        wide[..N].copy_from_slice(number);
        wide
    };
    numbers.iter().map(widened).collect()
}

fn number(limbs: &[u64]) -> BigUint {
    BigUint::from_bytes_le(&limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proptest::prelude::*;

    use crate::testing::{fsas, words_up_to};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn counting_agrees_with_listing(fsa in fsas(5)) {
            let counts = fsa.determinize(1000).unwrap().count_words(5);
            for (length, count) in counts.iter().enumerate() {
                let listed = words_up_to(5).iter().filter(|word| word.len() == length && fsa.accepts(word)).count();
                prop_assert_eq!(count, &BigUint::from(listed));
            }
        }
    }

    #[test]
    fn counts_are_exact_far_beyond_machine_words() {
        let mut builder = crate::Builder::new();
        builder.state(true);
        builder.initial(0);
        for label in 0..30 {
            builder.edge(0, label, 0);
        }
        let counts = builder.build().count_words(150);
        for (length, count) in counts.iter().enumerate() {
            assert_eq!(*count, BigUint::from(30u32).pow(length as u32));
        }
    }
}

//! Prefix trees: one state per distinct prefix of the given words.
//!
//! Cost: `O(total length · log alphabet)` to number the labels plus one sort of the words.

use crate::graph::{Fsa, Modality, Step};

impl<L: Ord + Clone> Fsa<L> {
    /// The prefix tree of `words`: it accepts them and nothing else, and its root is state 0.
    ///
    /// States are numbered breadth first with labels in order, so the numbers do not depend on the order of
    /// `words`.
    pub fn prefix_tree<'a>(words: impl IntoIterator<Item = &'a [L]>) -> Self
    where
        L: 'a,
    {
        let words: Vec<&[L]> = words.into_iter().collect();
        let mut alphabet: Vec<&L> = words.iter().flat_map(|word| word.iter()).collect();
        // Sorting references to every event would be slower than the tree itself; most logs repeat a few
        // labels.
        alphabet = dedup_by_chunks(alphabet);
        let mut words: Vec<Vec<u32>> = words
            .into_iter()
            .map(|word| {
                let letter =
                    |label: &L| alphabet.binary_search(&label).expect("the alphabet holds every label");
                word.iter().map(|label| letter(label) as u32).collect()
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        let alphabet = alphabet.into_iter().cloned().collect();

        // Level by level: a state is a range of sorted words that share a prefix of the level's length.
        let mut accepting = Vec::new();
        let mut first = vec![0u32];
        let mut steps = Vec::new();
        let mut level = vec![(0, words.len())];
        let mut depth = 0;
        let mut states = 1u32;
        while !level.is_empty() {
            let mut next = Vec::new();
            for (mut from, to) in level {
                // The word that ends here sorts before all its continuations.
                let ends = from < to && words[from].len() == depth;
                accepting.push(ends);
                from += usize::from(ends);
                while from < to {
                    let letter = words[from][depth];
                    let len = words[from..to].partition_point(|word| word[depth] == letter);
                    steps.push(Step { letter, to: states, modality: Modality::Required });
                    states += 1;
                    next.push((from, from + len));
                    from += len;
                }
                first.push(steps.len() as u32);
            }
            level = next;
            depth += 1;
        }
        Fsa::from_parts(alphabet, vec![0], accepting, first, steps)
    }
}

/// The distinct labels of `labels`, sorted, with one small sort per chunk instead of a huge one.
fn dedup_by_chunks<L: Ord>(labels: Vec<&L>) -> Vec<&L> {
    let mut distinct: Vec<&L> = Vec::new();
    for chunk in labels.chunks(4096) {
        distinct.extend(chunk);
        distinct.sort_unstable();
        distinct.dedup();
    }
    distinct
}

#[cfg(test)]
mod tests {
    use crate::Fsa;

    #[test]
    fn a_tree_accepts_its_words_only() {
        let words: Vec<Vec<char>> =
            ["ab", "abc", "b", ""].iter().map(|word| word.chars().collect()).collect();
        let tree = Fsa::prefix_tree(words.iter().map(Vec::as_slice));
        assert_eq!(tree.len(), 5);
        assert!(tree.is_deterministic());
        for word in ["ab", "abc", "b", ""] {
            assert!(tree.accepts(&word.chars().collect::<Vec<_>>()), "{word}");
        }
        for word in ["a", "abcd", "ba", "c"] {
            assert!(!tree.accepts(&word.chars().collect::<Vec<_>>()), "{word}");
        }
    }

    #[test]
    fn no_words_give_a_tree_that_rejects_everything() {
        let tree = Fsa::<char>::prefix_tree([]);
        assert_eq!(tree.len(), 1);
        assert!(!tree.accepts(&[]));
    }
}

//! The smallest deterministic automaton of a language.
//!
//! Paper: [valmari12], minimization of automata with partial transition functions by splitting a partition of
//! the states and one of the transitions in turn.
//! Deviation: none in the algorithm; states that are unreachable or cannot reach acceptance are dropped
//! first.
//! Cost: `O(transitions · log states)`.

use crate::determinize::TooLarge;
use crate::graph::{Fsa, State, Step};

impl<L: Ord + Clone> Fsa<L> {
    /// The minimal deterministic automaton of the same language, without a sink state, numbered breadth
    /// first. The alphabet stays. Fails when determinizing needs more than `limit` states.
    pub fn minimize(&self, limit: usize) -> Result<Self, TooLarge> {
        let trimmed = self.trim();
        let fsa = if trimmed.is_deterministic() { trimmed } else { trimmed.determinize(limit)? };
        Ok(fsa.quotient(&equivalent_states(&fsa)).breadth_first())
    }

    /// The same language without useless states: those that cannot be reached, or cannot reach acceptance.
    ///
    /// The empty language keeps one state to start in.
    pub fn trim(&self) -> Self {
        let mut backward = vec![Vec::new(); self.len()];
        for state in self.states() {
            for step in self.steps(state) {
                backward[step.to as usize].push(state);
            }
        }
        let reached = flood(self.len(), self.initial().iter().copied(), |state, visit| {
            self.steps(state).iter().for_each(|step| visit(step.to as State));
        });
        let useful =
            flood(self.len(), self.states().filter(|&state| self.is_accepting(state)), |state, visit| {
                backward[state].iter().for_each(|&from| visit(from));
            });
        let keep: Vec<bool> = self.states().map(|state| reached[state] && useful[state]).collect();
        if !keep.contains(&true) {
            return Self::from_parts(self.alphabet().to_vec(), vec![0], vec![false], vec![0, 0], Vec::new());
        }
        self.restrict(&keep)
    }

    /// The same graph with states renumbered in the order of a breadth-first search; unreachable ones are
    /// dropped.
    pub fn breadth_first(&self) -> Self {
        let mut number = vec![u32::MAX; self.len()];
        let mut order: Vec<State> = Vec::new();
        for &state in self.initial() {
            number[state] = order.len() as u32;
            order.push(state);
        }
        let mut at = 0;
        while at < order.len() {
            for step in self.steps(order[at]) {
                if number[step.to as usize] == u32::MAX {
                    number[step.to as usize] = order.len() as u32;
                    order.push(step.to as State);
                }
            }
            at += 1;
        }
        self.renumber(&order, &number)
    }
}

/// Marks those of `len` states that a search from `from` visits; `next` names the neighbors.
fn flood(
    len: usize,
    from: impl Iterator<Item = State>,
    next: impl Fn(State, &mut dyn FnMut(State)),
) -> Vec<bool> {
    let mut seen = vec![false; len];
    let mut stack: Vec<State> = from.collect();
    stack.iter().for_each(|&state| seen[state] = true);
    while let Some(state) = stack.pop() {
        next(state, &mut |to| {
            if !seen[to] {
                seen[to] = true;
                stack.push(to);
            }
        });
    }
    seen
}

/// For each state of the trimmed deterministic `fsa`, the number of its class of language equivalence.
fn equivalent_states<L>(fsa: &Fsa<L>) -> Vec<usize> {
    let edges: Vec<(State, Step)> =
        fsa.states().flat_map(|from| fsa.steps(from).iter().map(move |&step| (from, step))).collect();
    let mut blocks = Partition::new(fsa.len());
    for state in fsa.states().filter(|&state| fsa.is_accepting(state)) {
        blocks.mark(state);
    }
    blocks.split();

    // Transitions start out in one set per letter (and modality, so that minimizing keeps it).
    let mut cords = Partition::new(edges.len());
    let key = |edge: usize| (edges[edge].1.letter, edges[edge].1.modality);
    cords.sort_by_key(key);

    // `into[state]` lists the edges that lead to it.
    let mut into = vec![Vec::new(); fsa.len()];
    for (edge, (_, step)) in edges.iter().enumerate() {
        into[step.to as usize].push(edge);
    }

    // Block 0 never has to be used as a splitter: the others tell all there is to tell.
    let mut block = 1;
    let mut cord = 0;
    while cord < cords.sets() {
        for at in cords.range(cord) {
            blocks.mark(edges[cords.element(at)].0);
        }
        blocks.split();
        cord += 1;
        while block < blocks.sets() {
            for at in blocks.range(block) {
                for &edge in &into[blocks.element(at)] {
                    cords.mark(edge);
                }
            }
            cords.split();
            block += 1;
        }
    }
    fsa.states().map(|state| blocks.set_of(state)).collect()
}

/// A partition of `0..n` whose sets can be split by marking elements; the smaller part becomes the new set.
struct Partition {
    elements: Vec<usize>,
    location: Vec<usize>,
    set_of: Vec<usize>,
    first: Vec<usize>,
    past: Vec<usize>,
    marked: Vec<usize>,
    touched: Vec<usize>,
}

impl Partition {
    fn new(len: usize) -> Self {
        Self {
            elements: (0..len).collect(),
            location: (0..len).collect(),
            set_of: vec![0; len],
            first: if len == 0 { vec![] } else { vec![0] },
            past: if len == 0 { vec![] } else { vec![len] },
            marked: if len == 0 { vec![] } else { vec![0] },
            touched: Vec::new(),
        }
    }

    /// Splits the only set into one set per key.
    fn sort_by_key<K: Ord + Copy>(&mut self, key: impl Fn(usize) -> K) {
        if self.elements.is_empty() {
            return;
        }
        self.elements.sort_by_key(|&element| key(element));
        (self.first, self.past, self.marked) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..self.elements.len() {
            let element = self.elements[at];
            if at == 0 || key(element) != key(self.elements[at - 1]) {
                if at > 0 {
                    self.past.push(at);
                }
                self.first.push(at);
                self.marked.push(0);
            }
            self.location[element] = at;
            self.set_of[element] = self.first.len() - 1;
        }
        self.past.push(self.elements.len());
    }

    fn sets(&self) -> usize {
        self.first.len()
    }

    fn range(&self, set: usize) -> std::ops::Range<usize> {
        self.first[set]..self.past[set]
    }

    fn element(&self, at: usize) -> usize {
        self.elements[at]
    }

    fn set_of(&self, element: usize) -> usize {
        self.set_of[element]
    }

    fn mark(&mut self, element: usize) {
        let set = self.set_of[element];
        let (from, to) = (self.location[element], self.first[set] + self.marked[set]);
        if from < to {
            return;
        }
        self.elements.swap(from, to);
        self.location[self.elements[from]] = from;
        self.location[element] = to;
        if self.marked[set] == 0 {
            self.touched.push(set);
        }
        self.marked[set] += 1;
    }

    /// Splits every set that has both marked and unmarked elements, and forgets the marks.
    fn split(&mut self) {
        for set in std::mem::take(&mut self.touched) {
            let middle = self.first[set] + self.marked[set];
            let marked = std::mem::take(&mut self.marked[set]);
            if middle == self.past[set] {
                continue;
            }
            let fresh = self.first.len();
            if marked <= self.past[set] - middle {
                self.first.push(self.first[set]);
                self.past.push(middle);
                self.first[set] = middle;
            } else {
                self.first.push(middle);
                self.past.push(self.past[set]);
                self.past[set] = middle;
            }
            self.marked.push(0);
            for at in self.first[fresh]..self.past[fresh] {
                self.set_of[self.elements[at]] = fresh;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Modality;
    use crate::testing::{fsas, words_up_to};

    /// Moore's algorithm, as plainly as it can be written: refine by acceptance, then by successors, to a
    /// fixpoint.
    fn moore(fsa: &Fsa<char>) -> usize {
        let mut class: Vec<usize> = fsa.states().map(|state| usize::from(fsa.is_accepting(state))).collect();
        loop {
            let mut seen = std::collections::BTreeMap::new();
            let next: Vec<usize> = fsa
                .states()
                .map(|state| {
                    let key: (usize, Vec<_>) = (
                        class[state],
                        fsa.steps(state).iter().map(|step| (step.letter, class[step.to as usize])).collect(),
                    );
                    let fresh = seen.len();
                    *seen.entry(key).or_insert(fresh)
                })
                .collect();
            if seen.len() == class.iter().collect::<std::collections::BTreeSet<_>>().len() {
                return seen.len();
            }
            class = next;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn minimal_means_same_words_and_as_few_states_as_moore_finds(fsa in fsas(6)) {
            let minimal = fsa.minimize(1000).unwrap();
            prop_assert!(minimal.is_deterministic());
            for word in words_up_to(4) {
                prop_assert_eq!(fsa.accepts(&word), minimal.accepts(&word), "{:?}", word);
            }
            prop_assert_eq!(minimal.len(), moore(&fsa.determinize(1000).unwrap().trim()));
            prop_assert_eq!(&minimal.minimize(1000).unwrap(), &minimal);
        }
    }

    #[test]
    fn modality_survives() {
        let mut builder = crate::Builder::new();
        let (one, two, three) = (builder.state(true), builder.state(true), builder.state(true));
        builder.initial(one);
        builder.edge(one, 'a', two);
        builder.modal_edge(one, 'b', three, Modality::Maybe);
        builder.edge(two, 'a', two);
        builder.edge(three, 'a', three);
        let minimal = builder.build().minimize(10).unwrap();
        assert_eq!(minimal.len(), 2);
        let shown: Vec<_> = minimal.all_edges().map(|edge| (*edge.label, edge.modality)).collect();
        assert_eq!(shown, [('a', Modality::Required), ('b', Modality::Maybe), ('a', Modality::Required)]);
    }
}

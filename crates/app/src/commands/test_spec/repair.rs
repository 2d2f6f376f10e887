//! Repairing a model: the least relaxation that allows what a refuted constraint forbids.
//!
//! A constraint “a before b” is refuted by calls of `a` that came after the next `b`. So a repaired model
//! also reads every word of the model in which one `a` is put off until after the next `b`, and nothing else.

use adit_automata::{Builder, Fsa};

/// Returns the model that also reads words in which a call of `first` comes after the next `second`.
pub(super) fn relaxed(model: &Fsa<String>, first: &str, second: &str) -> Fsa<String> {
    let Some((a, b)) = model.letter(&first.to_owned()).zip(model.letter(&second.to_owned())) else {
        return model.clone();
    };
    let count = model.len();
    let mut builder = Builder::new();
    // The states; then the same while a call waits; then those where it is made at once.
    for state in model.states() {
        builder.state(model.is_accepting(state));
    }
    for _ in 0..2 * count {
        builder.state(false);
    }
    let (waiting, due) = (|state: usize| count + state, |state: usize| 2 * count + state);
    model.initial().iter().for_each(|&state| builder.initial(state));
    let label = |letter: u32| model.alphabet()[letter as usize].clone();
    for state in model.states() {
        builder.edge(due(state), first.to_owned(), state);
        for step in model.steps(state) {
            let (letter, to) = (step.letter, step.to as usize);
            builder.edge(state, label(letter), to);
            match letter {
                // The call is put off: the object goes on as if it had been made.
                letter if letter == a => {
                    for next in model.steps(to) {
                        let after = next.to as usize;
                        match next.letter {
                            letter if letter == a => {}
                            letter if letter == b => builder.edge(state, second.to_owned(), due(after)),
                            letter => builder.edge(state, label(letter), waiting(after)),
                        }
                    }
                }
                letter if letter == b => builder.edge(waiting(state), second.to_owned(), due(to)),
                letter => builder.edge(waiting(state), label(letter), waiting(to)),
            }
        }
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(edges: &[(usize, &str, usize)], accepting: &[usize], states: usize) -> Fsa<String> {
        let mut builder = Builder::new();
        for state in 0..states {
            builder.state(accepting.contains(&state));
        }
        builder.initial(0);
        for &(from, label, to) in edges {
            builder.edge(from, label.to_owned(), to);
        }
        builder.build()
    }

    #[test]
    fn only_the_refuted_order_is_relaxed() {
        let strict = model(&[(0, "a", 1), (1, "m", 2), (2, "b", 3), (3, "close", 4)], &[4], 5);
        let relaxed = relaxed(&strict, "a", "b");
        let reads = |word: &str| {
            let word: Vec<String> = word.split(' ').map(str::to_owned).collect();
            relaxed.accepts(&word)
        };
        assert!(reads("a m b close") && reads("m b a close"));
        for other in
            ["m b close", "b m a close", "m a b close", "a b m close", "m b close a", "a m a b close"]
        {
            assert!(!reads(other), "{other}");
        }
    }
}

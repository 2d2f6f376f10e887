//! Extension of a model by words that happened and that it rejects: its search was cut short, or earlier
//! rounds saw more.
//!
//! An object that did what none of its possible states allows was in a state that the model does not have. So
//! the event before leads to the place for what was not explored: it was seen, and nothing is claimed about
//! what can follow. An event that its state was never seen to allow or to refuse leads there itself. In a
//! state that refuses it, it would be a promise to all objects in that state. Exploration does better,
//! because it tries what is enabled afterwards; this is for words that there was no time to explore.

use adit_automata::{Fsa, Modality, Reader, State};
use adit_trace::Label;

/// Adds the transitions that `words` need, marked as maybe there, and counts the words that needed some.
pub(super) fn allow_words(model: Fsa<String>, words: &[Vec<String>]) -> (Fsa<String>, usize) {
    let mut model = model;
    let mut admitted = 0;
    for word in words {
        let mut reader = Reader::new(&model);
        let letters = || word.iter().map(|label| model.letter(label));
        let Some(at) = leaves(&mut reader, &model, letters()) else { continue };
        let untried = reader.states().iter().copied().find(|&state| !is_settled(&model, state, &word[at]));
        let missing = match (untried, at.checked_sub(1)) {
            (Some(state), _) => Some((state, at)),
            (None, Some(before)) => {
                reader.read(letters().take(before));
                let is_able = |state: State| model.edges(state).any(|edge| *edge.label == word[before]);
                let able = reader.states().iter().copied().find(|&state| is_able(state));
                able.map(|state| (state, before))
            }
            (None, None) => reader.states().first().map(|&state| (state, at)),
        };
        let Some((from, at)) = missing else { continue };
        admitted += 1;
        let mut builder = model.to_builder();
        let place = model.not_explored().unwrap_or_else(|| builder.not_explored());
        builder.modal_edge(from, word[at].clone(), place, Modality::Maybe);
        model = builder.build();
    }
    (model, admitted)
}

/// Tells whether the model knows what the method of this event does in a state: it refuses the method there,
/// or has another event of it.
fn is_settled(model: &Fsa<String>, state: State, event: &str) -> bool {
    let method = Label::parse(event).method();
    let is_same = |label: &String| Label::parse(label).method() == method;
    model.refusals(state).iter().any(is_same) || model.edges(state).any(|edge| is_same(edge.label))
}

/// The position in the word where the model cannot follow it; nothing if it can, or if the word goes on where
/// nothing was explored. The reader has read what is before it.
pub(super) fn leaves(
    reader: &mut Reader<'_, String>,
    model: &Fsa<String>,
    word: impl ExactSizeIterator<Item = Option<u32>>,
) -> Option<usize> {
    let length = word.len();
    let at = reader.read(word);
    let place = model.not_explored();
    let is_left = at < length && !reader.states().iter().any(|&state| Some(state) == place);
    is_left.then_some(at)
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;
    use expect_test::{Expect, expect};

    use super::*;

    fn word(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn check(edges: &[(usize, &str, usize)], words: &[&str], expected: Expect) {
        check_refusing(edges, &[], words, expected);
    }

    fn check_refusing(
        edges: &[(usize, &str, usize)],
        refusals: &[(usize, &str)],
        words: &[&str],
        expected: Expect,
    ) {
        let mut builder = Builder::new();
        let states = edges.iter().map(|(from, _, to)| from.max(to) + 1).max().unwrap_or(1);
        for state in 0..states {
            builder.state(state > 0);
            let refused = refusals.iter().filter(|(at, _)| *at == state);
            builder.refusals(state, refused.map(|(_, label)| (*label).to_owned()).collect());
        }
        builder.initial(0);
        for (from, label, to) in edges {
            builder.edge(*from, (*label).to_owned(), *to);
        }
        let words: Vec<_> = words.iter().map(|text| word(text)).collect();
        let (model, admitted) = allow_words(builder.build(), &words);
        let (same, more) = allow_words(model.clone(), &words);
        assert_eq!((same.transitions(), more), (model.transitions(), 0), "all words are allowed now");
        let place = model.not_explored();
        let told: String = model
            .all_edges()
            .map(|edge| {
                let to = if Some(edge.to) == place { "?".to_owned() } else { edge.to.to_string() };
                format!("{} -{}-> {to}\n", edge.from, edge.label)
            })
            .collect();
        expected.assert_eq(&format!("{admitted} admitted\n{told}"));
    }

    #[test]
    fn an_event_that_was_not_explored_leads_to_no_state() {
        let stack =
            [(0, "Stack", 1), (1, "push", 2), (2, "push", 2), (2, "pop", 1), (2, "pop", 2), (1, "clear", 1)];
        check(
            &stack,
            &["Stack push pop push"],
            expect![[r#"
                0 admitted
                0 -Stack-> 1
                1 -clear-> 1
                1 -push-> 2
                2 -pop-> 1
                2 -pop-> 2
                2 -push-> 2
            "#]],
        );
        check(
            &stack,
            &["Stack push clear", "Stack push clear push peek"],
            expect![[r#"
                1 admitted
                0 -Stack-> 1
                1 -clear-> 1
                1 -push-> 2
                2 -clear-> ?
                2 -pop-> 1
                2 -pop-> 2
                2 -push-> 2
            "#]],
        );
    }

    /// A stack that was emptied by a call nobody followed is not an empty stack that can be popped.
    #[test]
    fn a_state_keeps_what_it_refuses() {
        let stack = [(0, "Stack", 1), (1, "push", 2), (2, "push", 2), (2, "pop", 1), (2, "clear", 1)];
        check_refusing(
            &stack,
            &[(1, "pop!EmptyStackException")],
            &["Stack push push pop pop", "Stack push push pop isEmpty:TRUE"],
            expect![[r#"
                1 admitted
                0 -Stack-> 1
                1 -push-> 2
                2 -clear-> 1
                2 -pop-> 1
                2 -pop-> ?
                2 -push-> 2
            "#]],
        );
    }

    /// Of the states that an object may be in, one is to blame that can take the last step.
    #[test]
    fn an_event_is_added_only_where_it_is_possible() {
        check_refusing(
            &[(0, "Bag", 1), (0, "Bag", 2), (1, "size", 1), (2, "size", 2), (2, "drop:TRUE", 1)],
            &[(1, "drop!EmptyBagException")],
            &["Bag size drop:TRUE drop:TRUE"],
            expect![[r#"
                1 admitted
                0 -Bag-> 1
                0 -Bag-> 2
                1 -size-> 1
                2 -drop:TRUE-> 1
                2 -drop:TRUE-> ?
                2 -size-> 2
            "#]],
        );
    }

    #[test]
    fn a_new_object_may_be_one_that_was_not_explored() {
        check(
            &[(0, "Stack", 1), (1, "empty:TRUE", 1), (1, "push", 2), (2, "empty:FALSE", 2)],
            &["Stack empty:FALSE"],
            expect![[r#"
                1 admitted
                0 -Stack-> 1
                0 -Stack-> ?
                1 -empty:TRUE-> 1
                1 -push-> 2
                2 -empty:FALSE-> 2
            "#]],
        );
    }

    #[test]
    fn a_model_of_nothing_says_that_nothing_was_explored() {
        check(
            &[],
            &["Stack push push"],
            expect![[r#"
                1 admitted
                0 -Stack-> ?
            "#]],
        );
    }
}

//! Extension of a model by words that happened and that it rejects: its search was cut short, or earlier
//! rounds saw more.
//!
//! The event at which a word leaves the model leads to the place for what was not explored: it was seen, and
//! nothing is claimed about what can follow. Exploration does better, because it tries what is enabled
//! afterwards; this is for words that there was no time to explore.

use adit_automata::{Fsa, Modality, Reader, State};
use adit_trace::Label;

/// Adds the transitions that `words` need, marked as maybe there, and counts the words that needed some.
pub(super) fn allow_words(model: Fsa<String>, words: &[Vec<String>]) -> (Fsa<String>, usize) {
    let mut model = model;
    let mut admitted = 0;
    for word in words {
        let mut reader = Reader::new(&model);
        let Some((from, at)) = leaves(&mut reader, &model, word.iter().map(|label| model.letter(label)))
        else {
            continue;
        };
        admitted += 1;
        let label = &word[at];
        let mut builder = model.to_builder();
        let place = model.not_explored().unwrap_or_else(|| builder.not_explored());
        builder.modal_edge(from, label.clone(), place, Modality::Maybe);
        let method = Label::parse(label).method();
        let refused = model.refusals(from).iter().filter(|refused| Label::parse(refused).method() != method);
        builder.refusals(from, refused.cloned().collect());
        model = builder.build();
    }
    (model, admitted)
}

/// The state and the position in the word where the model cannot follow it; nothing if it can, or if the word
/// goes on where nothing was explored.
pub(super) fn leaves(
    reader: &mut Reader<'_, String>,
    model: &Fsa<String>,
    word: impl ExactSizeIterator<Item = Option<u32>>,
) -> Option<(State, usize)> {
    let length = word.len();
    let at = reader.read(word);
    let place = model.not_explored();
    if at == length || reader.states().iter().any(|&state| Some(state) == place) {
        return None;
    }
    reader.states().first().map(|&state| (state, at))
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
        let mut builder = Builder::new();
        let states = edges.iter().map(|(from, _, to)| from.max(to) + 1).max().unwrap_or(1);
        for state in 0..states {
            builder.state(state > 0);
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

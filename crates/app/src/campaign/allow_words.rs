//! Extension of a model by words that happened and that it rejects: its search was cut short, or earlier
//! rounds saw more.
//!
//! At the event at which a word leaves the model, a transition is added to the state from which most of the
//! rest of the word can happen; among those, to the one where the event leads most often. No state is added.
//! Exploration does better, because it tries what is enabled afterwards; this is for words that there was no
//! time to explore.

use adit_automata::{Fsa, Modality, Reader};
use adit_trace::Label;

/// Adds the transitions that `words` need, marked as maybe there, and counts the words that needed some.
pub(super) fn allow_words(model: Fsa<String>, words: &[Vec<String>]) -> (Fsa<String>, usize) {
    let mut model = model;
    let mut admitted = 0;
    for word in words {
        if model.reads(word) {
            continue;
        }
        admitted += 1;
        // Each turn makes one event more possible.
        while let Some((from, at)) = leaves(&model, word) {
            let label = &word[at];
            let rest = &word[at + 1..];
            let mut best: Option<((usize, usize, bool), usize)> = None;
            for to in model.states() {
                let leading = model.all_edges().filter(|edge| edge.to == to && edge.label == label).count();
                // An object does not come to be twice.
                let score = (reach(&model, to, rest), leading, !model.initial().contains(&to));
                if best.is_none_or(|(known, _)| score > known) {
                    best = Some((score, to));
                }
            }
            let Some((_, to)) = best else { return (model, admitted) };
            let mut builder = model.to_builder();
            builder.modal_edge(from, label.clone(), to, Modality::Maybe);
            let method = Label::parse(label).method();
            let refused =
                model.refusals(from).iter().filter(|refused| Label::parse(refused).method() != method);
            builder.refusals(from, refused.cloned().collect());
            if at + 1 == word.len() {
                builder.accepting(to, true);
            }
            model = builder.build();
        }
    }
    (model, admitted)
}

/// The state and the position in the word where the model cannot follow it; nothing if it can.
fn leaves(model: &Fsa<String>, word: &[String]) -> Option<(usize, usize)> {
    let mut reader = Reader::new(model);
    let at = reader.read(word.iter().map(|label| model.letter(label)));
    if at == word.len() { None } else { reader.states().first().map(|&state| (state, at)) }
}

/// Number of events of the word that can happen from a state on.
fn reach(model: &Fsa<String>, from: usize, word: &[String]) -> usize {
    Reader::new(model).read_from(&[from], word.iter().map(|label| model.letter(label)))
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
        for word in &words {
            assert!(model.reads(word), "{word:?}");
        }
        let told: String =
            model.all_edges().map(|edge| format!("{} -{}-> {}\n", edge.from, edge.label, edge.to)).collect();
        expected.assert_eq(&format!("{admitted} admitted\n{told}"));
    }

    #[test]
    fn an_event_leads_where_it_leads_elsewhere() {
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
            2 admitted
            0 -Stack-> 1
            1 -clear-> 1
            1 -push-> 2
            2 -clear-> 1
            2 -peek-> 1
            2 -pop-> 1
            2 -pop-> 2
            2 -push-> 2
        "#]],
        );
    }

    #[test]
    fn a_model_of_nothing_allows_what_was_seen() {
        check(
            &[],
            &["Stack push push"],
            expect![[r#"
            1 admitted
            0 -Stack-> 0
            0 -push-> 0
        "#]],
        );
    }
}

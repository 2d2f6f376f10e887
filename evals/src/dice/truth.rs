//! The judges: the published truth of a class, and a corrected one where the class contradicts it (see
//! `truths/README.md`).

use std::collections::BTreeSet;

use adit_automata::{Builder, Fsa, compare, format};
use miette::{Result, miette};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Those that had to be corrected.
const CORRECTED: &[(&str, &str)] = &[
    ("numberformatstringtokenizer", include_str!("../../truths/numberformatstringtokenizer.fsm.txt")),
    ("signature", include_str!("../../truths/signature.fsm.txt")),
    ("socket", include_str!("../../truths/socket.fsm.txt")),
    ("zipoutputstream", include_str!("../../truths/zipoutputstream.fsm.txt")),
];

/// The corrected truth of a class, named as the data files are, or nothing where the published one stands.
pub(crate) fn corrected(class: &str) -> Result<Option<Fsa<String>>> {
    let text = CORRECTED.iter().find(|(name, _)| *name == class);
    text.map(|(name, text)| Ok(format::read(text.as_bytes(), &format!("{name}.fsm.txt"), None)?)).transpose()
}

/// A model measured against a truth.
pub(crate) struct Judged {
    /// Precision, recall and F.
    pub(crate) score: [f64; 3],
    /// Events that the model knows and the truth does not; they were left out.
    pub(crate) left_out: Vec<String>,
    /// Events that the truth knows and the model does not.
    pub(crate) missing: Vec<String>,
}

/// The papers' measure: so many walks each way, at most twice as long as the truth has transitions.
///
/// As in [dice, section 4.1.1], events that the truth does not know are left out.
pub(crate) fn judge(model: &Fsa<String>, truth: &Fsa<String>, walks: usize, seed: u64) -> Judged {
    let [known, seen] = [truth, model]
        .map(|fsa| fsa.all_edges().map(|edge| edge.label.clone()).collect::<BTreeSet<String>>());
    let restricted = restricted(model, &known);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let score = compare::sampled(&restricted, truth, walks, 2 * truth.transitions(), &mut rng);
    Judged {
        score: [score.precision, score.recall, score.f()],
        left_out: seen.difference(&known).cloned().collect(),
        missing: known.difference(&seen).cloned().collect(),
    }
}

fn restricted(model: &Fsa<String>, known: &BTreeSet<String>) -> Fsa<String> {
    let mut builder = Builder::new();
    for state in model.states() {
        builder.state(model.is_accepting(state));
    }
    model.initial().iter().for_each(|&state| builder.initial(state));
    for edge in model.all_edges().filter(|edge| known.contains(edge.label)) {
        builder.edge(edge.from, edge.label.clone(), edge.to);
    }
    builder.build()
}

/// Number of states of the smallest deterministic automaton of the truth.
pub(crate) fn smallest(truth: &Fsa<String>) -> Result<usize> {
    /// The truths have a handful of states.
    const LIMIT: usize = 10_000;
    let smallest = truth.trim().minimize(LIMIT);
    smallest.map(|fsa| fsa.len()).map_err(|_| miette!("the truth is too nondeterministic"))
}

#[cfg(test)]
mod tests {
    use adit_trace::Label;

    use super::*;

    fn truth(class: &str) -> Fsa<String> {
        corrected(class).unwrap().unwrap()
    }

    fn check(class: &str, right: &[&str], wrong: &[&str]) {
        let truth = truth(class);
        let accepts = |word: &&&str| {
            let word: Vec<String> = word.split(' ').map(str::to_owned).collect();
            truth.accepts(&word)
        };
        assert_eq!(right.iter().find(|word| !accepts(word)), None, "possible in {class}");
        assert_eq!(wrong.iter().find(accepts), None, "impossible in {class}");
    }

    #[test]
    fn what_the_read_me_says_of_each_correction() {
        check("signature", &["Signature initVerify verify:TRUE update verify:FALSE"], &["Signature update"]);
        check(
            "socket",
            &[
                "Socket close isBound:FALSE close",
                "Socket connect close isBound:TRUE",
                "Socket getInputStream",
            ],
            &[
                "Socket close isBound:TRUE isBound:FALSE",
                "Socket close connect",
                "Socket isConnected:FALSE getInputStream",
                "Socket getOutputStream connect",
            ],
        );
        check(
            "zipoutputstream",
            &["ZipOutputStream write", "ZipOutputStream putNextEntry write", "ZipOutputStream close close"],
            &["ZipOutputStream close write", "ZipOutputStream close closeEntry"],
        );
    }

    /// Xalan's tokenizer, imitated on formats of items `a` and separators `-`: all it can say in `length`
    /// calls.
    fn said_by_tokenizers(length: usize) -> BTreeSet<Vec<String>> {
        let mut words = BTreeSet::new();
        for size in 0..=length {
            for bits in 0..1_u32 << size {
                let format: Vec<bool> = (0..size).map(|at| bits >> at & 1 == 1).collect();
                tell(&format, length, vec!["NumberFormatStringTokenizer".to_owned()], &mut words);
            }
        }
        words
    }

    /// `true` stands for a letter. `left` is what has not been read.
    fn tell(left: &[bool], length: usize, word: Vec<String>, words: &mut BTreeSet<Vec<String>>) {
        let mut event = |label: Label<'_>, left: &[bool]| {
            let mut longer = word.clone();
            longer.push(label.to_string());
            if word.len() <= length {
                tell(left, length, longer, words);
            }
        };
        event(Label::answered("hasMoreTokens", !left.is_empty()), left);
        event(Label::answered("isLetterOrDigitAhead", left.contains(&true)), left);
        if let Some(&letter) = left.first() {
            event(Label::answered("nextIsSep", !letter), left);
            let token = if letter { left.iter().take_while(|&&letter| letter).count() } else { 1 };
            event(Label::call("nextToken"), &left[token..]);
        }
        words.insert(word);
    }

    #[test]
    fn the_corrected_tokenizer_says_what_tokenizers_say_and_nothing_else() {
        // A token takes at most two letters of a format (one that is followed by the other kind), and a call
        // more shows the rest; so formats a little longer than the words show every word.
        const LENGTH: usize = 4;
        let truth = truth("numberformatstringtokenizer");
        let said: BTreeSet<Vec<String>> =
            said_by_tokenizers(LENGTH + 2).into_iter().filter(|word| word.len() <= LENGTH + 1).collect();
        let mut all = vec![vec!["NumberFormatStringTokenizer".to_owned()]];
        let mut accepted = BTreeSet::new();
        while let Some(word) = all.pop() {
            if !truth.accepts(&word) {
                continue;
            }
            if word.len() <= LENGTH {
                all.extend(
                    truth.alphabet().iter().map(|label| [&word[..], std::slice::from_ref(label)].concat()),
                );
            }
            accepted.insert(word);
        }
        assert_eq!(accepted, said);
    }

    #[test]
    fn events_that_the_truth_does_not_know_are_left_out_and_told() {
        let truth = truth("signature");
        let mut builder = truth.to_builder();
        builder.edge(0, "getInstance".to_owned(), 0);
        let judged = judge(&builder.build(), &truth, 200, 1);
        assert_eq!(judged.score, [1.0; 3]);
        assert_eq!((judged.left_out, judged.missing), (vec!["getInstance".to_owned()], vec![]));
        let nothing = judge(&Builder::new().build(), &truth, 200, 1);
        assert_eq!((nothing.score[1], nothing.missing.len()), (0.0, truth.alphabet().len()));
    }

    #[test]
    fn sizes_of_the_smallest_automata() {
        // By hand: the subsets of states that can be told apart. An open and a closed entry allow the same
        // calls.
        let sizes = CORRECTED.iter().map(|(class, _)| smallest(&truth(class)).unwrap());
        assert_eq!(sizes.collect::<Vec<_>>(), [11, 3, 7, 3]);
    }
}

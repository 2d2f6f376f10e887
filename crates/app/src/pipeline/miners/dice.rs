//! Infers the model from traces, as DICE does (`adit_infer::dice_miner`).

use adit_automata::{Builder, Follower, Fsa, Traversed};
use adit_infer::dice_miner;
use adit_trace::{Letter, Stop};
use miette::Report;

use super::{Evidence, Make, MinedModel, Miner, More, Round};
use crate::campaign::RetentionPolicy;

pub(super) const MINER: Miner = Miner {
    name: "dice",
    aliases: &[],
    about: "Traces, as in DICE: merge states unless that violates a surviving property",
    retention: RetentionPolicy::Refutations,
    resolves_doubt: false,
    needs_solver: false,
    make: Make::FromEvidence(infer),
};

fn infer(round: &mut Round<'_>, evidence: &Evidence) -> Result<MinedModel, Report> {
    let mut words: Vec<Vec<Letter>> = Vec::new();
    round.each_word(|word| words.push(word.to_vec()))?;
    let constraints = round.request.model.constraints.into();
    let alphabet = round.calls.reader.alphabet();
    let model = dice_miner(&words, &evidence.properties, &round.pure, constraints);
    let model = with_evidence(&model, &words).map(|&letter| alphabet.name(letter).to_owned());
    Ok(MinedModel::inferred(model, Stop::Done, More::default()))
}

/// The model without transitions that no word takes. The algorithm follows a prefix into all states to which
/// it can have led and adds the next event there, also where the rest of the word cannot follow: such a
/// transition has nothing to show for it.
fn with_evidence(model: &Fsa<Letter>, words: &[Vec<Letter>]) -> Fsa<Letter> {
    let mut is_taken = vec![false; model.transitions()];
    let mut follower = Follower::new(model);
    for word in words {
        follower.follow(word.iter().map(|letter| model.letter(letter)));
        for &Traversed { transition, .. } in follower.traversed() {
            is_taken[transition] = true;
        }
    }
    let mut kept = Builder::new();
    for state in model.states() {
        kept.state(model.is_accepting(state));
    }
    model.initial().iter().for_each(|&state| kept.initial(state));
    for (edge, _) in model.all_edges().zip(&is_taken).filter(|(_, is_taken)| **is_taken) {
        kept.edge(edge.from, *edge.label, edge.to);
    }
    kept.build().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_that_no_word_takes_are_left_out() {
        // After 0 and 1 a word is in state 2 or 3. Only 3 goes on with 3, so nobody was in 2 when 2 happened.
        let mut model = Builder::new();
        for _ in 0..4 {
            model.state(true);
        }
        model.initial(0);
        for (from, letter, to) in [(0, 0, 1), (1, 1, 2), (1, 1, 3), (2, 2, 2), (3, 2, 3), (3, 3, 3)] {
            model.edge(from, letter, to);
        }
        let model = model.build();
        let words = [vec![0, 1, 2, 3], vec![0, 1]];
        let kept = with_evidence(&model, &words);
        assert_eq!(kept.transitions(), model.transitions() - 1);
        assert!(words.iter().all(|word| kept.accepts(word)));
    }
}

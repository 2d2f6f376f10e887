//! The choice of the model that a round ends with: its own or that of an earlier round. Either way it allows
//! every word that was stored.

use adit_attack::validate::Rate;
use adit_automata::{Fsa, Reader, State};
use adit_store::RoundId;
use adit_trace::Script;
use miette::Report;

use super::allow_words::{allow_words, leaves};
use super::recorder::Recorder;
use super::{EarlierModel, labels};
use crate::witnesses::Witnesses;

/// Share of realized walks by which a new model may fall behind the old one before the old one is better.
const REALIZED_TOLERANCE: f64 = 0.02;

/// A model that a round may end with, and the evidence for it.
pub(crate) struct ModelCandidate {
    pub(crate) model: Fsa<String>,
    /// The search for it ended with nothing left to try.
    pub(crate) complete: bool,
    /// Share of its walks that could be realized, if it was measured.
    pub(crate) realized: Option<f64>,
    /// The same as numbers of walks, if this round measured it.
    pub(crate) walks: Option<Rate>,
    /// Number of situations in which all calls were tried.
    pub(crate) explored: u64,
    /// Tests that show what the model allows and refuses.
    pub(crate) tests: Vec<Script>,
    /// Tests for single transitions and refusals, by their positions in `tests`.
    pub(crate) witnesses: Witnesses,
}

/// A finer model than the chosen one, for readers who want to see more: the chosen one is a quotient of it.
pub(crate) struct DetailedModel {
    pub(crate) model: Fsa<String>,
    /// Walks of it that could be realized, if it was measured.
    pub(crate) walks: Option<Rate>,
    /// For each of its states, the state of the chosen model that it is a part of; none for what was not
    /// explored, and for a state that the chosen model left out because a larger one does all that it does.
    pub(crate) coarse: Vec<Option<State>>,
}

impl DetailedModel {
    /// Tells whether a model is a quotient of this one: every transition and every initial state of this one
    /// is one of its own, as far as its states are parts of that model's.
    pub(crate) fn refines(&self, model: &Fsa<String>) -> bool {
        let Self { model: fine, coarse, .. } = self;
        let to = |state: State| coarse.get(state).copied().flatten();
        let has = |from: State, label: &String, to: State| {
            model.edges(from).any(|edge| edge.label == label && edge.to == to)
        };
        coarse.len() == fine.len()
            && coarse.iter().flatten().all(|&state| state < model.len())
            && fine.initial().iter().all(|&state| to(state).is_none_or(|to| model.initial().contains(&to)))
            && fine.all_edges().all(|edge| match (to(edge.from), to(edge.to)) {
                (Some(from), Some(to)) => has(from, edge.label, to),
                _ => true,
            })
    }
}

/// The model that a round ends with.
pub(crate) struct ChosenModel {
    pub(crate) model: Fsa<String>,
    pub(crate) complete: bool,
    pub(crate) realized: Option<f64>,
    pub(crate) walks: Option<Rate>,
    pub(crate) explored: u64,
    /// Reason for the choice, for people.
    pub(crate) why: String,
    /// It is this round's own.
    pub(crate) own: bool,
    /// The round that made it.
    pub(crate) made: RoundId,
    /// Number of words that all rounds stored.
    pub(crate) words: usize,
    /// Number of words that the model allows only because they happened: there was no time to explore them.
    pub(crate) admitted: usize,
}

impl Recorder<'_> {
    /// Chooses the model that the round ends with: `own`, unless the last round's is better. Returns it with
    /// the tests that show what it allows. It is extended to allow every stored word, except those that only
    /// the user's tests show: nobody saw where these lead.
    pub(crate) fn choose_model(
        &mut self,
        own: ModelCandidate,
    ) -> Result<(ChosenModel, Vec<Script>, Witnesses), Report> {
        self.write()?;
        let round = self.campaign.round;
        let earlier = match self.campaign.history.model.take() {
            Some(earlier) => {
                let rejects = self.rejects([&earlier.candidate.model, &own.model])?;
                is_better(&earlier.candidate, &own, rejects).then_some(earlier)
            }
            None => None,
        };
        let (candidate, made, why) = match earlier {
            Some(EarlierModel { candidate, made }) => {
                let why = format!("kept from round {}, which did better than round {}", made.0, round.0);
                (candidate, made, why)
            }
            None => (own, round, format!("made by round {}", round.0)),
        };
        let ModelCandidate { model, complete, realized, walks, explored, tests, witnesses } = candidate;
        // A model without transitions knows nothing to which a word could be added.
        let (model, admitted) = if model.transitions() > 0 { self.allowing(model)? } else { (model, 0) };
        let words = self.seen.len();
        let own = made == round;
        let chosen =
            ChosenModel { model, complete, realized, walks, explored, why, own, made, words, admitted };
        Ok((chosen, tests, witnesses))
    }

    /// Counts the stored words that each of two models rejects, except those that only the user's tests show.
    fn rejects(&self, models: [&Fsa<String>; 2]) -> Result<[usize; 2], Report> {
        let letters = |model: &Fsa<String>| model.letters(self.campaign.reader.alphabet().names());
        let mut readers = models.map(|model| (Reader::indexed(model), letters(model)));
        let mut rejects = [0; 2];
        self.campaign.each_word(|word, _| {
            for ((reader, letters), rejects) in readers.iter_mut().zip(&mut rejects) {
                let reads = reader.reads(word.iter().map(|&letter| letters[letter as usize]));
                *rejects += usize::from(!reads && !self.given.contains(word));
            }
        })?;
        Ok(rejects)
    }

    /// Extends a model until it allows all stored words, and counts those that needed it.
    fn allowing(&self, model: Fsa<String>) -> Result<(Fsa<String>, usize), Report> {
        /// Words that are allowed at a time. There may be a million that need the same transition.
        const PART: usize = 1000;
        let reader = self.campaign.reader;
        let (mut model, mut admitted) = (model, 0);
        loop {
            let letters = model.letters(reader.alphabet().names());
            let mut walk = Reader::indexed(&model);
            let mut part: Vec<Vec<String>> = Vec::new();
            self.campaign.each_word(|word, _| {
                let word_letters = word.iter().map(|&letter| letters[letter as usize]);
                let mut rejects = || leaves(&mut walk, &model, word_letters.clone()).is_some();
                if part.len() < PART && rejects() && !self.given.contains(word) {
                    part.push(labels(reader, word).into_iter().map(str::to_owned).collect());
                }
            })?;
            if part.is_empty() {
                return Ok((model, admitted));
            }
            let before = model.transitions();
            let (more, count) = allow_words(model, &part);
            (model, admitted) = (more, admitted + count);
            // A model without an initial state can allow no word.
            if model.transitions() == before {
                return Ok((model, admitted));
            }
        }
    }
}
/// Decides whether the last round's model is better: it saw more, or clearly more of it is real, and it does
/// not reject more of what happened. `rejects` counts the words that the old and the new one reject.
fn is_better(old: &ModelCandidate, new: &ModelCandidate, [old_rejects, new_rejects]: [usize; 2]) -> bool {
    match (old.complete, new.complete) {
        (true, true) => {
            let realized = old.realized.zip(new.realized);
            realized.is_some_and(|(old, new)| old > new + REALIZED_TOLERANCE) && old_rejects <= new_rejects
        }
        (true, false) => true,
        (false, true) => false,
        (false, false) => (old_rejects, new.explored) < (new_rejects, old.explored),
    }
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;

    /// Decides between two models. Known of each: complete, realized, explored, and how many words it
    /// rejects.
    fn keeps_old(old: (bool, Option<f64>, u64, usize), new: (bool, Option<f64>, u64, usize)) -> bool {
        let candidate = |(complete, realized, explored, _)| ModelCandidate {
            model: Builder::new().build(),
            complete,
            realized,
            walks: None,
            explored,
            tests: Vec::new(),
            witnesses: Witnesses::default(),
        };
        is_better(&candidate(old), &candidate(new), [old.3, new.3])
    }

    #[test]
    fn a_finer_model_has_no_transition_of_its_own() {
        let model = |states: usize, edges: &[(usize, &str, usize)]| {
            let mut builder = Builder::new();
            (0..states).for_each(|_| _ = builder.state(true));
            builder.initial(0);
            edges.iter().for_each(|(from, label, to)| builder.edge(*from, (*label).to_owned(), *to));
            builder.build()
        };
        let stack =
            model(3, &[(0, "Stack", 1), (1, "push", 2), (2, "push", 2), (2, "pop", 2), (2, "pop", 1)]);
        let fine =
            [(0, "Stack", 1), (1, "push", 2), (2, "push", 3), (3, "push", 3), (3, "pop", 2), (2, "pop", 1)];
        let detailed = |edges, coarse: &[State]| DetailedModel {
            model: model(4, edges),
            walks: None,
            coarse: coarse.iter().copied().map(Some).collect(),
        };
        assert!(detailed(&fine, &[0, 1, 2, 2]).refines(&stack));
        assert!(!detailed(&fine, &[0, 1, 1, 2]).refines(&stack), "`push` does not stay in 1");
        assert!(!detailed(&fine, &[1, 1, 2, 2]).refines(&stack), "1 is not initial");
        assert!(!detailed(&fine, &[0, 1, 2]).refines(&stack), "a state without a counterpart");
        assert!(!detailed(&fine, &[0, 1, 2, 9]).refines(&stack), "there is no state 9");
    }

    #[test]
    fn a_model_is_replaced_by_one_that_is_no_worse() {
        // A round that was cut short does not replace a complete model.
        assert!(keeps_old((true, Some(0.9), 100, 2), (false, None, 500, 0)));
        assert!(!keeps_old((false, None, 500, 0), (true, Some(0.9), 100, 0)));
        // Of two complete ones the new one knows more, unless much less of it is real.
        assert!(!keeps_old((true, Some(0.9), 100, 0), (true, Some(0.89), 90, 0)));
        assert!(keeps_old((true, Some(0.9), 100, 0), (true, Some(0.8), 90, 0)));
        assert!(!keeps_old((true, Some(0.9), 100, 1), (true, Some(0.8), 90, 0)));
        // Of two that were cut short, the one that was explored further.
        assert!(keeps_old((false, None, 100, 0), (false, None, 90, 0)));
        assert!(!keeps_old((false, None, 90, 0), (false, None, 100, 0)));
        assert!(keeps_old((false, None, 90, 0), (false, None, 100, 3)));
    }
}

//! The model that a round ends with: its own or that of an earlier round, and in either case one that allows what happened.

use adit_attack::explore::Explored;
use adit_automata::{Fsa, Reader};
use adit_store::RoundId;
use adit_trace::Script;
use miette::Report;

use super::admit::admit;
use super::kept::{Kept, each_word};
use super::{OldModel, names};
use crate::witnesses::Witnesses;

/// How much less of a new model may be real before the old one is the better.
const WORSE: f64 = 0.02;

/// The model that a round made.
pub(crate) struct Made {
    model: Fsa<String>,
    /// Nothing was left to try.
    complete: bool,
    /// The share of its walks that can happen, if that was measured.
    realized: Option<f64>,
    /// In how many situations it was tried what is possible.
    explored: u64,
}

impl Made {
    /// A model, and how it was come by; one inferred from traces is always complete.
    pub(crate) fn new(model: Fsa<String>, explored: Option<&Explored>) -> Self {
        Self {
            // A round whose time was over before it began has nothing left to try, and is not done.
            complete: explored.is_none_or(|explored| explored.stop.is_done()) && model.transitions() > 0,
            realized: explored.and_then(|explored| explored.realized),
            explored: explored.map_or(0, |explored| explored.situations as u64),
            model,
        }
    }
}

/// The model that a round ends with.
pub(crate) struct Settled {
    pub(crate) model: Fsa<String>,
    /// Why it is this one.
    pub(crate) why: String,
    /// It is the one that this round made.
    pub(crate) own: bool,
    pub(crate) complete: bool,
    pub(crate) realized: Option<f64>,
    pub(crate) explored: u64,
    /// How many words were kept in all rounds.
    pub(crate) words: usize,
    /// How many words there was no time to explore, and which are allowed only because they happened.
    pub(crate) admitted: usize,
    /// The round that made it.
    pub(crate) made: RoundId,
    /// Tests that take its transitions and what they show, if it is not this round's.
    pub(crate) tests: Option<(Vec<Script>, Witnesses)>,
}

impl Kept<'_> {
    /// The model that the round ends with: the one that it made, unless the last round's is better. Either way it allows every
    /// word that was ever kept, but for those that only the user's tests show: where they lead was not seen.
    pub(crate) fn settle(&mut self, made: Made) -> Result<Settled, Report> {
        self.write()?;
        let round = self.campaign.round.0;
        let old = match self.campaign.before.model.take() {
            Some(old) => {
                let [rejects, rejects_now] = self.rejects([&old.model, &made.model])?;
                is_better(&old, rejects, &made, rejects_now).then_some(old)
            }
            None => None,
        };
        let mut settled = match old {
            Some(OldModel { model, round: made, complete, realized, explored, tests, witnesses }) => {
                let why = format!("kept from round {}, which did better than round {round}", made.0);
                let tests = Some((tests, witnesses));
                Settled {
                    model,
                    why,
                    own: false,
                    complete,
                    realized,
                    explored,
                    words: 0,
                    admitted: 0,
                    made,
                    tests,
                }
            }
            None => {
                let Made { model, complete, realized, explored } = made;
                let why = format!("made by round {round}");
                Settled {
                    model,
                    why,
                    own: true,
                    complete,
                    realized,
                    explored,
                    made: self.campaign.round,
                    tests: None,
                    words: 0,
                    admitted: 0,
                }
            }
        };
        settled.words = self.words.len();
        // To a model of nothing, what was seen would add a guess and no more.
        if settled.model.transitions() > 0 {
            (settled.model, settled.admitted) = self.admitted(settled.model)?;
        }
        Ok(settled)
    }

    /// How many words each of two models does not allow, but for those that only the user's tests show.
    fn rejects(&self, models: [&Fsa<String>; 2]) -> Result<[usize; 2], Report> {
        let letters = |model: &Fsa<String>| model.letters(self.ear.alphabet().names());
        let mut readers = models.map(|model| (Reader::indexed(model), letters(model)));
        let mut rejects = [0; 2];
        each_word(&self.campaign, self.ear, |word, _| {
            for ((reader, letters), rejects) in readers.iter_mut().zip(&mut rejects) {
                let reads = reader.reads(word.iter().map(|&letter| letters[letter as usize]));
                *rejects += usize::from(!reads && !self.given.contains(word));
            }
        })?;
        Ok(rejects)
    }

    /// The model with what it needs to allow these words too, and how many there are.
    fn admitted(&self, model: Fsa<String>) -> Result<(Fsa<String>, usize), Report> {
        /// So many words are let in at a time. There may be a million that want the same.
        const PART: usize = 1000;
        let (mut model, mut admitted) = (model, 0);
        loop {
            let letters = model.letters(self.ear.alphabet().names());
            let mut reader = Reader::indexed(&model);
            let mut part = Vec::new();
            each_word(&self.campaign, self.ear, |word, _| {
                if part.len() < PART
                    && !reader.reads(word.iter().map(|&letter| letters[letter as usize]))
                    && !self.given.contains(word)
                {
                    part.push(names(self.ear, word).into_iter().map(str::to_owned).collect::<Vec<_>>());
                }
            })?;
            if part.is_empty() {
                return Ok((model, admitted));
            }
            let before = model.transitions();
            let (more, count) = admit(model, &part);
            (model, admitted) = (more, admitted + count);
            // A model without a beginning can be given no word.
            if model.transitions() == before {
                return Ok((model, admitted));
            }
        }
    }
}

/// Whether the last round's model is to be preferred: it saw more, or clearly more of it is real, and it does not reject more of
/// what happened.
fn is_better(old: &OldModel, old_rejects: usize, made: &Made, rejects: usize) -> bool {
    match (old.complete, made.complete) {
        (true, true) => {
            let less_real = old.realized.zip(made.realized).is_some_and(|(old, new)| old > new + WORSE);
            less_real && old_rejects <= rejects
        }
        (true, false) => true,
        (false, true) => false,
        (false, false) => (old_rejects, made.explored) < (rejects, old.explored),
    }
}

#[cfg(test)]
mod tests {
    use adit_automata::Builder;

    use super::*;

    /// Whether an old model is kept: what is known of it and of the new one is whether it is complete, how much is real, how
    /// far it was explored, and how many words it rejects.
    fn kept(old: (bool, Option<f64>, u64, usize), new: (bool, Option<f64>, u64, usize)) -> bool {
        let model = || Builder::new().build();
        let (complete, realized, explored, rejects) = old;
        let (round, tests, witnesses) = (RoundId(1), Vec::new(), Witnesses::default());
        let old = OldModel { model: model(), round, complete, realized, explored, tests, witnesses };
        let made = Made { model: model(), complete: new.0, realized: new.1, explored: new.2 };
        is_better(&old, rejects, &made, new.3)
    }

    #[test]
    fn a_model_is_replaced_by_one_that_is_no_worse() {
        // A round that was broken off does not replace a whole one.
        assert!(kept((true, Some(0.9), 100, 2), (false, None, 500, 0)));
        assert!(!kept((false, None, 500, 0), (true, Some(0.9), 100, 0)));
        // Of two whole ones the new one knows more, unless much less of it is real.
        assert!(!kept((true, Some(0.9), 100, 0), (true, Some(0.89), 90, 0)));
        assert!(kept((true, Some(0.9), 100, 0), (true, Some(0.8), 90, 0)));
        assert!(!kept((true, Some(0.9), 100, 1), (true, Some(0.8), 90, 0)));
        // Of two that were broken off, the one that went further.
        assert!(kept((false, None, 100, 0), (false, None, 90, 0)));
        assert!(!kept((false, None, 90, 0), (false, None, 100, 0)));
        assert!(kept((false, None, 90, 0), (false, None, 100, 3)));
    }
}

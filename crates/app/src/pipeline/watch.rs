//! Step 1: watch the class. Tests of earlier rounds are repeated, random ones are run, and experiments show
//! which calls have no side effect.

use std::collections::BTreeSet;

use adit_attack::purity::{Difference, PurityOptions, Verdict, purity};
use adit_trace::{Pace, Phase, Progress, Stop, pure_by_name};
use miette::Report;

use super::Round;
use crate::campaign::RetentionPolicy;

/// Pairs of runs, with and without a call of it, that tell whether a method has a side effect.
const PURITY_TRIES: usize = 60;

/// Pairs of runs that are enough to believe that it has none.
const ENOUGH_TRIES: usize = 8;

impl Round<'_> {
    pub(super) fn watch(&mut self) -> Result<(), Report> {
        self.pace.begin();
        self.replay()?;
        // At least the first scripts are run, however small the budget.
        let _ = self.pace.go_on(&Progress::new(Phase::Watch, 0));
        self.run_random(self.request.initial_tests, 0, RetentionPolicy::WordsWithTests)?;
        self.hardly_watched = matches!(self.pace.over(), Some(Stop::Budget(_)));
        self.pace.note(&Progress::new(Phase::Watch, 0));
        self.learn_purity()
    }

    /// Repeats the tests of earlier rounds.
    fn replay(&mut self) -> Result<(), Report> {
        /// Tests that are run at a time; then the clock is checked.
        const PART: usize = 500;
        let tests = self.workers.recorder.take_earlier_tests();
        for part in tests.chunks(PART) {
            // A budget that is used up here loses nothing: the words are stored.
            if self.pace.go_on(&Progress::new(Phase::Replay, 0)).is_break() {
                break;
            }
            self.run_and_learn(part, RetentionPolicy::WordsWithTests)?;
        }
        self.earlier_tests = tests;
        Ok(())
    }

    /// Learns by experiment which events never make a difference, and which make one in fields only. A label
    /// that two methods share is pure if both are.
    fn learn_purity(&mut self) -> Result<(), Report> {
        let miner = self.request.model.miner;
        let (vocabulary, reader) = (self.calls.vocabulary, self.calls.reader);
        let options = PurityOptions { tries: PURITY_TRIES, calls: 8 };
        let mut subject = self.workers.keeping(miner.retention);
        let generator = &mut *self.calls.generator;
        let verdicts =
            purity(&mut subject, vocabulary, generator, options, &mut self.rng, &mut self.pace)?.verdicts;
        let (mut pure, mut doubtful, mut impure) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        impure.extend(vocabulary.starts.iter().flat_map(|start| reader.letters_of(start)).copied());
        for method in &vocabulary.methods {
            let harmless = match verdicts.get(&**method) {
                Some(Verdict::Unrefuted { tries }) => *tries >= ENOUGH_TRIES,
                // A field changed, and no call was seen to notice: a cache, a setting that nothing reads, or
                // an effect that shows rarely. Exploration finds out which; inference from traces cannot, and
                // goes by the name as the paper does.
                Some(Verdict::Changes { what: Difference::Field { .. }, .. }) => {
                    doubtful.extend(reader.letters_of(method));
                    miner.resolves_doubt || pure_by_name(method.event_name())
                }
                Some(Verdict::Changes { .. }) | None => false,
            };
            let side = if harmless { &mut pure } else { &mut impure };
            side.extend(reader.letters_of(method));
        }
        self.pure = pure.difference(&impure).copied().collect();
        self.doubtful = doubtful;
        Ok(())
    }
}

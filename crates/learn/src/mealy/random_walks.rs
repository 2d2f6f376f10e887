//! Random words: no promise, at a price that its user sets.

use rand::{Rng, RngExt};

use super::equivalence::{Checked, Equivalence, first_difference};
use super::{Ended, InputWord, Mealy, MealyTeacher, OutputSymbol};

/// A check by random words.
#[derive(Clone, Debug)]
pub struct RandomWalks<R> {
    words: usize,
    lengths: (usize, usize),
    batch: usize,
    rng: R,
    asked: usize,
}

impl<R: Rng> RandomWalks<R> {
    /// A check by `words` random words of `lengths.0` to `lengths.1` inputs for every conjecture, `batch` at
    /// a time. All lengths and all words of a length are equally likely.
    pub fn new(words: usize, lengths: (usize, usize), batch: usize, rng: R) -> Self {
        assert!(0 < lengths.0 && lengths.0 <= lengths.1, "a range of lengths from one on");
        Self { words, lengths, batch, rng, asked: 0 }
    }
}

impl<R: Rng> Equivalence for RandomWalks<R> {
    fn counterexample(
        &mut self,
        hypothesis: &Mealy,
        teacher: &mut dyn MealyTeacher<Output = OutputSymbol>,
    ) -> Result<Option<InputWord>, Ended> {
        self.asked = 0;
        let Self { words, lengths: (least, most), batch, rng, asked } = self;
        let mut walks = (0..*words).map(|_| -> InputWord {
            let length = rng.random_range(*least..=*most);
            (0..length).map(|_| rng.random_range(0..hypothesis.inputs())).collect()
        });
        first_difference(&mut walks, *batch, asked, hypothesis, teacher)
    }

    fn checked(&self) -> Checked {
        Checked::Sampled { words: self.asked, lengths: self.lengths }
    }
}

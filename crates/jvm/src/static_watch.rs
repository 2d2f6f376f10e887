//! Detects static state that leaks from script to script.
//!
//! Scripts of one worker share the static fields of the classes. A few scripts are run again, once in a
//! worker that has run hundreds of others, and several times with classes that are loaded for that script
//! alone. If the latter always agree and the former differs, the class remembers what earlier scripts did,
//! and from then on each script has classes of its own.
//!
//! Cost: one more virtual machine, and some seventy scripts in it, for each examination.

use adit_trace::{End, Run, Script, StepResult};

/// Numbers of scripts after which it is examined. State may need some time to build up.
const DUE: [usize; 2] = [400, 6000];

/// Number of scripts that are run again.
const SAMPLE: usize = 24;

/// One of so many scripts is taken, so that they are spread over all that were run before the first look.
const STEP: usize = 16;

/// A script of fewer statements shows too little.
const SHORTEST: usize = 3;

/// Number of runs with fresh classes that must agree.
pub(crate) const FRESH_RUNS: usize = 3;

/// The scripts that were run, and those to run again.
#[derive(Default)]
pub(crate) struct StaticWatch {
    run: usize,
    examined: usize,
    sample: Vec<Script>,
}

impl StaticWatch {
    /// Takes note of scripts that were run, and tells whether it is time to look.
    pub(crate) fn add(&mut self, batch: &[Script], runs: &[Run]) -> bool {
        for (script, run) in batch.iter().zip(runs) {
            self.run += 1;
            let is_taken = self.run.is_multiple_of(STEP) && script.statements.len() >= SHORTEST;
            if is_taken && run.end == End::Complete {
                if self.sample.len() == SAMPLE {
                    self.sample.remove(0);
                }
                self.sample.push(script.clone());
            }
        }
        let is_due = DUE.get(self.examined).is_some_and(|due| self.run >= *due);
        self.examined += usize::from(is_due);
        is_due && !self.sample.is_empty()
    }

    /// The scripts to run again.
    pub(crate) fn sample(&self) -> &[Script] {
        &self.sample
    }

    /// True if no further examination will come.
    pub(crate) fn is_over(&self) -> bool {
        self.examined == DUE.len()
    }
}

/// Tells by the runs of the same scripts in a used worker, and by those with fresh classes, whether a script
/// sees what others did.
pub(crate) fn leaks(used: &[Run], fresh: &[Vec<Run>]) -> bool {
    used.iter().enumerate().any(|(at, used)| {
        let mut again = fresh.iter().map(|runs| runs.get(at));
        let Some(Some(first)) = again.next() else { return false };
        let agree = again.all(|run| run.is_some_and(|run| are_equal(run, first)));
        agree && !are_equal(used, first)
    })
}

/// Tells whether two complete runs had the same outcomes. A run that was cut off shows nothing.
fn are_equal(one: &Run, other: &Run) -> bool {
    fn results(run: &Run) -> impl Iterator<Item = &StepResult> {
        run.steps.iter().map(|step| &step.result)
    }
    one.end != End::Complete || other.end != End::Complete || results(one).eq(results(other))
}

#[cfg(test)]
mod tests {
    use adit_trace::{Step, Value};

    use super::*;

    fn run(value: i64) -> Run {
        let result = StepResult::Returned(Value::Int(value));
        let steps = vec![Step::new(result)];
        Run { steps, end: End::Complete, leaked: false, passed: None }
    }

    #[test]
    fn only_what_is_repeatable_counts() {
        let fresh = |values: [i64; 3]| values.map(|value| vec![run(1), run(value)]).to_vec();
        assert!(!leaks(&[run(1), run(5)], &fresh([5, 5, 5])));
        assert!(leaks(&[run(1), run(6)], &fresh([5, 5, 5])));
        assert!(!leaks(&[run(1), run(6)], &fresh([5, 7, 5])), "it differs by itself");
        let cut = Run { end: End::TimedOut, ..run(6) };
        assert!(!leaks(&[run(1), cut], &fresh([5, 5, 5])));
    }
}

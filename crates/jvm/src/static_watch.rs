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
    let are_complete = one.end == End::Complete && other.end == End::Complete;
    let is_same = |(one, other)| is_same_result(one, other);
    !are_complete || one.steps.len() == other.steps.len() && results(one).zip(results(other)).all(is_same)
}

/// Tells whether two results are the same but for what each machine names in its own way: classes that were
/// made at run time are numbered, and messages name classes and addresses.
fn is_same_result(one: &StepResult, other: &StepResult) -> bool {
    match (one, other) {
        (StepResult::Object { class, first }, StepResult::Object { class: as_class, first: at }) => {
            first == at && lasting(class) == lasting(as_class)
        }
        (StepResult::Threw { class, .. }, StepResult::Threw { class: as_class, .. })
        | (StepResult::Unresolved { class, .. }, StepResult::Unresolved { class: as_class, .. }) => {
            lasting(class) == lasting(as_class)
        }
        _ => one == other,
    }
}

/// The part of a class name that is the same in every machine.
fn lasting(class: &str) -> &str {
    let numbered = ["$$Lambda", "$Proxy", "/0x"].iter().filter_map(|mark| class.find(mark)).min();
    &class[..numbered.unwrap_or(class.len())]
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
        let made = |class: &str| Run {
            steps: vec![Step::new(StepResult::Object { class: class.into(), first: 0 })],
            ..run(0)
        };
        let numbered = [made("A$$Lambda$2/0x00007ff8")];
        assert!(!leaks(&numbered, &[vec![made("A$$Lambda$3/0x00007f2b")]]), "the machine numbers classes");
        assert!(leaks(&numbered, &[vec![made("B$$Lambda$3/0x00007f2b")]]));
        let cut = Run { end: End::TimedOut, ..run(6) };
        assert!(!leaks(&[run(1), cut], &fresh([5, 5, 5])));
    }
}

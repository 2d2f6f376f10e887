//! Observational purity by experiment: a method is pure if calling it makes no difference to what follows.
//!
//! A random script is run as it is and with one more call in the middle. If later calls then return something
//! else, or leave other fields in their objects, the method changes something. A difference between two runs
//! of the same script proves nothing, so such an experiment does not count.
//!
//! Paper: none; the idea of observational purity is old, and trying it is cheap when a call takes a
//! microsecond.
//! Cost: three scripts for each experiment and method; a method that changes an outcome is tried no more.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use adit_trace::{
    Author, Callable, End, Pace, Phase, Progress, Run, Script, Step, StepResult, Stop, Subject, Value,
    Vocabulary,
};
use rand::{Rng, RngExt};

use adit_trace::edit::{calls_of_interest, cut, renumbered};

/// Effort of the experiments.
#[derive(Clone, Copy, Debug)]
pub struct PurityOptions {
    /// Experiments for each method.
    pub tries: usize,
    /// Most calls in a script, before and after the method in question together.
    pub calls: usize,
}

/// Verdict of the experiments about a method.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A call made a difference.
    Changes {
        /// Script with the call in it, up to where the difference shows.
        witness: Script,
        /// Statement of the witness that is the call.
        call: usize,
        /// Difference that it made.
        what: Difference,
    },
    /// No call made a difference.
    Unrefuted {
        /// Number of experiments in which the call returned and the rest could be compared.
        tries: usize,
    },
}

/// A difference that a call made.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// The last statement of the witness ended differently, which any user of the class can notice.
    Outcome {
        /// Its result without the call.
        without: StepResult,
        /// Its result with the call.
        with: StepResult,
    },
    /// A field has another value after the last statement of the witness, and nothing else showed: perhaps a
    /// cache.
    Field {
        /// The field.
        name: String,
        /// Its value without the call.
        without: Value,
        /// Its value with the call.
        with: Value,
    },
}

/// Verdicts about all methods of an API.
#[derive(Clone, Debug)]
pub struct Purities {
    /// The verdict about each method.
    pub verdicts: BTreeMap<Callable, Verdict>,
    /// Reason why no more was tried.
    pub stop: Stop,
}

/// One experiment.
struct Try {
    method: usize,
    call: usize,
    with: Script,
}

/// Finds out for each method of the API whether calling it makes a difference to what is observed afterwards.
///
/// Fields are compared when the subject gives snapshots. A method that never returned is unrefuted with no
/// tries.
pub fn purity<S: Subject>(
    subject: &mut S,
    vocabulary: &Vocabulary,
    author: &mut impl Author,
    options: PurityOptions,
    rng: &mut impl Rng,
    pace: &mut dyn Pace,
) -> Result<Purities, S::Error> {
    let mut verdicts = vec![Verdict::Unrefuted { tries: 0 }; vocabulary.methods.len()];
    let (mut stop, mut tests) = (Stop::Done, 0);
    for _ in 0..options.tries {
        if let ControlFlow::Break(reason) = pace.go_on(&Progress::new(Phase::Purity, tests)) {
            stop = reason;
            break;
        }
        let (mut tries, mut batch) = (Vec::new(), Vec::new());
        for (method, verdict) in verdicts.iter().enumerate() {
            if matches!(verdict, Verdict::Changes { what: Difference::Outcome { .. }, .. }) {
                continue;
            }
            if let Some((with, without, call)) = experiment(vocabulary, author, method, options, rng) {
                batch.extend([without.clone(), without, with.clone()]);
                tries.push(Try { method, call, with });
            }
        }
        if batch.is_empty() {
            continue;
        }
        let runs = subject.run(&batch)?;
        tests += runs.iter().filter(|run| run.was_run()).count() as u64;
        for (attempt, (scripts, runs)) in tries.into_iter().zip(batch.chunks(3).zip(runs.chunks(3))) {
            if let [first, second, with] = runs {
                author.observe(&scripts[0], first);
                judge(&mut verdicts[attempt.method], &attempt, first, second, with);
            }
        }
    }
    let callables = vocabulary.methods.iter().map(|method| (**method).clone());
    Ok(Purities { verdicts: callables.zip(verdicts).collect(), stop })
}

/// Makes a random script with the call and without it.
fn experiment(
    vocabulary: &Vocabulary,
    author: &mut impl Author,
    method: usize,
    options: PurityOptions,
    rng: &mut impl Rng,
) -> Option<(Script, Script, usize)> {
    let calls = rng.random_range(2..=options.calls.max(2));
    let script = author.script(rng, calls);
    let object = *calls_of_interest(&script, vocabulary).first()?;
    // Something must come after the call, or nothing would show.
    if object + 1 >= script.statements.len() {
        return None;
    }
    let at = rng.random_range(object + 1..script.statements.len());
    with_and_without(author, &script, at, object, &vocabulary.methods[method], rng)
}

/// Two scripts that differ in one call: the script with the method called on the object before statement
/// `at`, and the script without it; and the place of the call. Both make the values that the call needs.
fn with_and_without(
    author: &impl Author,
    script: &Script,
    at: usize,
    object: usize,
    method: &Arc<Callable>,
    rng: &mut impl Rng,
) -> Option<(Script, Script, usize)> {
    let mut with = author.extend(&cut(script, at), object, method, rng)?;
    let call = with.statements.len() - 1;
    let mut without = cut(&with, call);
    // What comes after the call moves by what was inserted, and uses nothing of it.
    let moved = |by: usize| move |old: usize| if old < at { old } else { old + by };
    for statement in &script.statements[at..] {
        with.statements.push(renumbered(statement, &moved(call + 1 - at)));
        without.statements.push(renumbered(statement, &moved(call - at)));
    }
    Some((with, without, call))
}

fn judge(verdict: &mut Verdict, attempt: &Try, first: &Run, second: &Run, with: &Run) {
    let complete = [first, second, with].iter().all(|run| run.end == End::Complete);
    let length = attempt.with.statements.len();
    let whole = with.steps.len() == length && [first, second].iter().all(|run| run.steps.len() + 1 == length);
    // A call that threw may have changed nothing only because it threw.
    let returned = |step: &Step| matches!(step.result, StepResult::Returned(_) | StepResult::Object { .. });
    let was_called = with.steps.get(attempt.call).is_some_and(returned);
    if !complete || !whole || !was_called {
        return;
    }
    let repeatable = first.steps.iter().zip(&second.steps).all(|(a, b)| difference(a, b).is_none());
    // What came before the call can only differ by chance, too.
    let before = with.steps[..attempt.call].iter().zip(&first.steps).all(|(a, b)| difference(b, a).is_none());
    if !repeatable || !before {
        return;
    }
    if let Verdict::Unrefuted { tries } = verdict {
        *tries += 1;
    }
    let after = with.steps[attempt.call + 1..].iter().zip(&first.steps[attempt.call..]);
    let found: Vec<(usize, Difference)> = after
        .enumerate()
        .filter_map(|(place, (with, without))| Some((place, difference(without, with)?)))
        .collect();
    // A difference that anybody can notice is worth more than one inside.
    let is_outcome = |found: &&(usize, Difference)| matches!(found.1, Difference::Outcome { .. });
    if let Some((place, what)) = found.iter().find(is_outcome).or(found.first()) {
        let witness = cut(&attempt.with, attempt.call + place + 2);
        let better = match verdict {
            Verdict::Unrefuted { .. } => true,
            Verdict::Changes { what: Difference::Field { .. }, .. } => {
                matches!(what, Difference::Outcome { .. })
            }
            Verdict::Changes { .. } => false,
        };
        if better {
            *verdict = Verdict::Changes { witness, call: attempt.call, what: what.clone() };
        }
    }
}

/// Difference between two steps, apart from the identity of objects and the messages of exceptions.
fn difference(without: &Step, with: &Step) -> Option<Difference> {
    let same = match (&without.result, &with.result) {
        (StepResult::Returned(a), StepResult::Returned(b)) => same_value(a, b),
        (StepResult::Object { class: a, .. }, StepResult::Object { class: b, .. })
        | (StepResult::Threw { class: a, .. }, StepResult::Threw { class: b, .. })
        | (StepResult::Unresolved { class: a, .. }, StepResult::Unresolved { class: b, .. }) => a == b,
        (StepResult::Skipped(a), StepResult::Skipped(b)) => a == b,
        _ => false,
    };
    if !same {
        return Some(Difference::Outcome { without: without.result.clone(), with: with.result.clone() });
    }
    let (before, after) = (without.fields.as_ref()?, with.fields.as_ref()?);
    let mut pairs = before.names().iter().zip(before.values().zip(after.values()));
    let (name, (without, with)) = pairs.find(|(_, (a, b))| !same_value(a, b))?;
    Some(Difference::Field { name: name.clone(), without: without.clone(), with: with.clone() })
}

/// Equality that treats NaN as equal to itself.
fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        _ => a == b,
    }
}

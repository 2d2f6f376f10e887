//! A first call after which the second one is of no use any more, as `read` after `close`.
//!
//! Some classes refuse such a call with an exception, and then only the opposite order works. Others answer
//! for ever that there is nothing left. That answer depends on the order, but nobody closes a stream in order
//! to read -1 from it, so it is no reason to demand `close` before `read`. A first call spoils the second if,
//! once it was made, the second gives one and the same answer whatever is called in between, and several
//! answers on objects on which it was never made. So `clear` does not spoil `size`, because `add` may follow.
//!
//! Paper: none; the label of such orders is `spoils` in `evals/spec-testing`.
//! Cost: two scripts for each of [`TRIES`].

use adit_trace::{End, Script, StepResult, Value};
use rand::{Rng, RngExt};

use super::OrderQuestion;
use crate::guard::Guarded;
use crate::moves::{Move, Situation};
use crate::probe::Prober;
use crate::survey::Surveyed;

/// Objects on which both are tried.
const TRIES: usize = 40;

/// Most other calls between the first and the second.
const BETWEEN: usize = 3;

/// Fewest answers after the first call that must be the same.
const FEWEST: usize = 8;

/// Returns the answer that the second call always gives after the first, if the first spoils it.
pub(super) fn answer<S: Guarded>(
    prober: &mut Prober<'_, S>,
    surveyed: &Surveyed,
    question: &OrderQuestion,
    [first, second]: [&[&Move]; 2],
    rng: &mut impl Rng,
) -> Result<Option<StepResult>, S::Error> {
    let is_first = |one: &Move| question.first.callables.contains(one.callable());
    let untouched: Vec<&Situation> = surveyed
        .situations
        .iter()
        .filter(|one| {
            let mut statements = one.script.statements.iter();
            !statements.any(|statement| question.first.callables.contains(&statement.callable))
        })
        .collect();
    let others: Vec<&Move> =
        surveyed.candidates.iter().filter(|one| !is_first(one) && prober.is_worth(one)).collect();
    if untouched.is_empty() || others.is_empty() {
        return Ok(None);
    }
    let mut scripts: Vec<Script> = Vec::new();
    for _ in 0..TRIES {
        let situation = untouched[rng.random_range(0..untouched.len())];
        let [a, b] = [first, second].map(|moves| moves[rng.random_range(0..moves.len())]);
        let between: Vec<&Move> =
            (0..rng.random_range(0..=BETWEEN)).map(|_| others[rng.random_range(0..others.len())]).collect();
        let after = |start: Situation| {
            let end = between.iter().fold(start, |at, one| one.behind(&at));
            b.behind(&end).script
        };
        scripts.push(after(a.behind(situation)));
        scripts.push(after(situation.clone()));
    }
    let runs = prober.run(&scripts)?;
    let (mut spoiled, mut plain): (Vec<&StepResult>, Vec<&StepResult>) = (Vec::new(), Vec::new());
    for (number, run) in runs.iter().enumerate().filter(|(_, run)| run.end == End::Complete) {
        let last = run.steps.last().map(|step| &step.result);
        if let Some(result @ StepResult::Returned(value)) = last
            && *value != Value::Void
        {
            if number.is_multiple_of(2) { &mut spoiled } else { &mut plain }.push(result);
        }
    }
    let varies = |results: &[&StepResult]| results.windows(2).any(|two| two[0] != two[1]);
    let same = spoiled.len() >= FEWEST && !varies(&spoiled);
    Ok(spoiled.first().filter(|_| same && varies(&plain)).map(|&answer| answer.clone()))
}

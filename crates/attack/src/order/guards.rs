//! A first call that is the test of whether the second one may be made, as `hasNext` is of `next`.
//!
//! Paper: none. TEMARI labels an order true if it is “sometimes necessary for program correctness”
//! [temari, section III-A]: a caller that asks too late has made a call that throws.
//! Cost: none; it reads the experiments of both orders.

use std::collections::BTreeMap;

use adit_trace::{Run, StepResult, Value};

use super::{Exchange, threw};
use crate::moves::Situation;

/// Fewest experiments with either answer: two may agree by chance.
const FEWEST: u32 = 3;

/// Reads the answer of the first call in the demanded order, and whether the second one threw.
pub(super) fn told(exchange: &Exchange, in_order: &Run) -> Option<(bool, bool)> {
    let [first, second] = exchange.calls.map(|at| in_order.steps.get(at));
    let (first, second) = (first?, second?);
    let made = matches!(second.result, StepResult::Returned(_) | StepResult::Object { .. }) || threw(second);
    match first.result {
        StepResult::Returned(Value::Bool(answer)) if made => Some((answer, threw(second))),
        _ => None,
    }
}

/// Experiments by the answer of the first call.
#[derive(Default)]
pub(super) struct Guard {
    /// For each answer, the numbers of second calls that returned and that threw.
    all: [[u32; 2]; 2],
    /// The same for each way to make the object.
    starts: BTreeMap<String, [[u32; 2]; 2]>,
}

impl Guard {
    /// Adds what one experiment told.
    pub(super) fn see(&mut self, situation: &Situation, told: Option<(bool, bool)>) {
        let Some((answer, threw)) = told else { return };
        let start = format!("{:?}", &situation.script.statements[..=situation.object]);
        let of_start = self.starts.entry(start).or_default();
        for table in [&mut self.all, of_start] {
            table[usize::from(answer)][usize::from(threw)] += 1;
        }
    }

    /// Returns the number of experiments in which the second call threw as the first one said, and the answer
    /// that said so. With this answer, the second call always throws. The answer must change in the life of
    /// an object: otherwise it tells what the object was made of, and no caller waits for it.
    pub(super) fn answer(&self) -> (u32, Option<bool>) {
        let tells = |table: &[[u32; 2]; 2], refusal: bool, fewest: u32| {
            let [returned, threw] = table[usize::from(refusal)];
            let [works, _] = table[usize::from(!refusal)];
            returned == 0 && threw >= fewest && works >= fewest
        };
        let found = [false, true].into_iter().find(|&refusal| {
            tells(&self.all, refusal, FEWEST) && self.starts.values().any(|table| tells(table, refusal, 1))
        });
        (found.map_or(0, |refusal| self.all[usize::from(refusal)][1]), found)
    }
}

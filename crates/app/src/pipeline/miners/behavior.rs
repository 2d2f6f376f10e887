//! Records the fields of objects and the answers of their inspectors while the class runs, and makes an
//! object behavior model of them: ADABU (`adit_infer`).
//!
//! An inspector is a method without parameters that returns something and has no side effect, as far as
//! experiments show. It is called after every call of a script (`inspect.rs`), so that its answer is a part
//! of the object's state like a field. Fields and answers that make no difference to what can be called are
//! left out in the end, and named.

use std::collections::BTreeSet;
use std::sync::Arc;

use adit_automata::Fsa;
use adit_infer::{BehaviorModel, Reduced};
use adit_trace::{CallKind, Callable, Labels, Letter, Outcome, Run, Script, Stop, Subject as _, ValueKind};
use miette::Report;

use self::inspect::Inspection;
use super::{Evidence, Make, MinedModel, Miner, More, Round};
use crate::campaign::RetentionPolicy;

mod inspect;

pub(super) const MINER: Miner = Miner {
    name: "adabu",
    aliases: &[],
    about: "Runs with states: signs, null-ness and truths of fields, and of what inspectors answer",
    retention: RetentionPolicy::NewPairs,
    resolves_doubt: false,
    needs_solver: false,
    make: Make::FromEvidence(|round, _: &Evidence| mined(round)),
};

/// Random tests whose states are recorded.
const RECORDED: usize = 10_000;

/// Random tests that are run at a time; then the clock is checked.
const BATCH: usize = 100;

/// Most inspectors that are called. Each makes a script as much longer as it has calls.
const INSPECTORS: usize = 8;

/// Tests of the campaign that are added in one turn, and the number of turns.
const TESTS: usize = 200;
const TURNS: usize = 10;

fn mined(round: &mut Round<'_>) -> Result<MinedModel, Report> {
    round.pace.explore_until_the_end();
    let mut inspection = Inspection::new(round.inspectors(), round.calls.vocabulary.clone());
    let first = round.random_scripts(BATCH, 1);
    let runs = round.run_inspected(&inspection, &first)?;
    inspection.keep_constants(&first, &runs);
    let mut behavior = BehaviorModel::with_enumerated(inspection.constants());
    let mut left = RECORDED;
    while left > 0 && round.pace.over().is_none() {
        let count = BATCH.min(left);
        left -= count;
        let scripts = round.random_scripts(count, 1);
        round.run_and_learn(&scripts, MINER.retention)?;
        round.record_behavior(&mut behavior, &inspection, &scripts)?;
    }
    let kept: Vec<Script> = round.tests.tests().iter().map(|(script, _)| script.clone()).collect();
    round.record_behavior(&mut behavior, &inspection, &kept)?;
    let mut tried = BTreeSet::new();
    for _ in 0..TURNS {
        let model = behavior.protocol();
        let mut tests = round.workers.recorder.tests_rejected_by(&model, TESTS)?;
        tests.retain(|script| tried.insert(script.to_json()));
        if tests.is_empty() || round.pace.over().is_some() {
            break;
        }
        round.record_behavior(&mut behavior, &inspection, &tests)?;
    }
    let Reduced { model: behavior, dropped, .. } = behavior.without_irrelevant_fields();
    if !dropped.is_empty() {
        let named = dropped.join(", ");
        round.progress.remark(&format!("note: not needed to tell states apart: {named}"));
    }
    let model: Fsa<String> = behavior.protocol();
    let stop = round.pace.over().unwrap_or(Stop::Done);
    Ok(MinedModel::inferred(model, stop, More::default()))
}

impl Round<'_> {
    /// The methods that tell something about an object and change nothing: those with few answers first.
    fn inspectors(&self) -> Vec<Arc<Callable>> {
        let asks = |method: &Arc<Callable>| {
            let told = !matches!(method.answer, ValueKind::Nothing | ValueKind::Float | ValueKind::Text);
            let letters = self.calls.reader.letters_of(method);
            let is_pure = |letter: &Letter| self.pure.contains(letter);
            let is_object_method = matches!(method.name.as_str(), "hashCode" | "getClass");
            method.kind == CallKind::Method
                && method.parameters.is_empty()
                && told
                && !is_object_method
                && !letters.is_empty()
                && letters.iter().all(is_pure)
        };
        let methods = self.calls.vocabulary.methods.iter();
        let mut inspectors: Vec<Arc<Callable>> = methods.filter(|method| asks(method)).cloned().collect();
        inspectors.sort_by_key(|method| match method.answer {
            ValueKind::Bool => 0,
            ValueKind::Object => 1,
            _ => 2,
        });
        inspectors.truncate(INSPECTORS);
        inspectors
    }

    /// Runs scripts with inspectors. The inserted calls are no news for the campaign.
    fn run_inspected(&mut self, inspection: &Inspection, scripts: &[Script]) -> Result<Vec<Run>, Report> {
        let inspected: Vec<Script> = scripts.iter().map(|script| inspection.inspected(script).0).collect();
        self.workers.keeping(RetentionPolicy::Refutations).run(&inspected)
    }

    /// Runs scripts with inspectors, and adds what objects did up to their first exception, and how that call
    /// ended.
    fn record_behavior(
        &mut self,
        behavior: &mut BehaviorModel,
        inspection: &Inspection,
        scripts: &[Script],
    ) -> Result<(), Report> {
        for scripts in scripts.chunks(BATCH) {
            let runs = self.run_inspected(inspection, scripts)?;
            let reader = self.calls.reader;
            for (script, run) in scripts.iter().zip(&runs) {
                let run = inspection.read(script, run);
                let lives = run.lives(script, reader.names());
                for trace in reader.read(script, &run) {
                    let Some(life) = lives.iter().find(|life| life.object == trace.object) else { continue };
                    let name = |&letter: &Letter| reader.alphabet().name(letter);
                    let labels = life.events.iter().map(|event| Labels::Outcome.of(event));
                    if trace.word.is_empty() || !labels.take(trace.word.len()).eq(trace.word.iter().map(name))
                    {
                        continue;
                    }
                    let next = life.events.get(trace.word.len());
                    let threw = next.is_some_and(|event| matches!(event.outcome, Outcome::Threw(_)));
                    let events = &life.events[..trace.word.len() + usize::from(threw)];
                    behavior.add(events, &|event| match event.outcome {
                        Outcome::Threw(_) => event.method.clone(),
                        _ => Labels::Outcome.of(event),
                    });
                }
            }
        }
        Ok(())
    }
}

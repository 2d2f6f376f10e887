//! Inference from traces with states: SEKT, CONTRACTOR++, TEMI and ADABU.

use std::ops::ControlFlow;

use adit_automata::Fsa;
use adit_infer::{BehaviorModel, Horizon, Scope, StateLimit, pessimistic};
use adit_logic::contract::Contracts;
use adit_smt::{Counters, Missing, Solver};
use adit_trace::{Event, EventSink, Labels, Letter, Words};
use miette::Report;
use serde_json::{Value, json};

use crate::commands::traces;
use crate::errors::bad_input;
use crate::flags::infer::{DEFAULT_K, MAX_STATES};
use crate::flags::{Algorithm, InferFlags};
use crate::from_states::{FromStates, Solved, infer_from_states, solver};
use crate::stderr::tell;

/// Traces with the state after each call.
pub(super) struct Stateful {
    /// Events of each trace, each trace once per occurrence in the files.
    traces: Vec<Vec<Event>>,
    /// The same traces as words.
    pub(super) words: Words,
    labels: Labels,
    open: Vec<Event>,
    weight: u64,
}

/// A model, and what to say about it.
pub(super) struct Inferred {
    pub(super) model: Fsa<Letter>,
    /// Parts of the JSON summary.
    pub(super) summary: Value,
}

impl Stateful {
    /// Reads all traces, and fails if none of them has states.
    pub(super) fn read(flags: &InferFlags, quiet: bool) -> Result<Self, Report> {
        let mut stateful = Self {
            traces: Vec::new(),
            words: Words::new(),
            labels: flags.traces.labels.into(),
            open: Vec::new(),
            weight: 1,
        };
        traces::events(&flags.traces, flags.state.class.as_deref(), quiet, &mut stateful)?;
        if !stateful.traces.iter().flatten().any(|event| event.state.is_some()) {
            return Err(bad_input(
                format!(
                    "--algorithm {} needs the state of the object, which these traces do not have",
                    name(flags)
                ),
                "record them with `adit observe CLASS --states -o traces.jsonl`, or with Daikon's Chicory (.dtrace)",
            ));
        }
        Ok(stateful)
    }

    /// Infers a model with the algorithm that the flags name.
    pub(super) fn infer(&self, flags: &InferFlags, quiet: bool) -> Result<Inferred, Report> {
        if flags.algorithm.algorithm == Algorithm::Adabu {
            return Ok(self.behavior());
        }
        let algorithm = match flags.algorithm.algorithm {
            Algorithm::Sekt => FromStates::Sekt(Horizon(flags.algorithm.k.unwrap_or(DEFAULT_K))),
            Algorithm::Contractor => FromStates::Contractor,
            _ => FromStates::Temi,
        };
        let user = format!("--algorithm {}", name(flags));
        let mut solver = match algorithm {
            FromStates::Sekt(_) => None,
            _ => Some(solver(flags.state.solver.as_deref(), &user, None)?),
        };
        let mut none = Missing;
        let asked: &mut dyn Solver = match &mut solver {
            Some(solver) => solver,
            None => &mut none,
        };
        let limit = StateLimit(flags.state.max_states.unwrap_or(MAX_STATES));
        let alphabet = &self.words.alphabet;
        let found = infer_from_states(
            &self.traces,
            self.labels,
            alphabet,
            algorithm,
            limit,
            &Contracts::clone,
            asked,
        )?;
        let mut summary = json!({"clauses": found.contracts.clauses(), "predicates": found.predicates});
        let Some(solved) = found.solved else {
            return Ok(Inferred { model: found.model, summary });
        };
        if !quiet {
            remark(&solved, limit);
        }
        let scope = match solved.scope {
            Scope::Satisfiable => "satisfiable",
            Scope::Observed => "observed",
        };
        summary["scope"] = scope.into();
        summary["undecided"] = solved.undecided.questions.into();
        summary["unforeseen"] = solved.unforeseen.into();
        summary["solver"] = solver.map(|solver| as_json(solver.counters())).into();
        let model = if flags.state.pessimistic { pessimistic(&found.model) } else { found.model };
        Ok(Inferred { model, summary })
    }
}

impl Stateful {
    /// The object behavior model of all traces.
    fn behavior(&self) -> Inferred {
        let mut model = BehaviorModel::new();
        for trace in &self.traces {
            // States before calls are those after the last ones, so that the model accepts the trace.
            let plain = |event: &Event| Event { details: None, ..event.clone() };
            let trace: Vec<Event> = trace.iter().map(plain).collect();
            model.add(&trace, &|event| self.labels.of(event));
        }
        let letter = |label: &String| self.words.alphabet.get(label).expect("the traces have the label");
        let summary = json!({"abstract_states": model.states().len()});
        Inferred { model: model.automaton().map(letter), summary }
    }
}

impl EventSink for Stateful {
    fn begin(&mut self, _: Option<&str>, weight: u64) -> ControlFlow<()> {
        self.weight = weight;
        ControlFlow::Continue(())
    }

    fn event(&mut self, event: &Event) -> ControlFlow<()> {
        self.open.push(event.clone());
        ControlFlow::Continue(())
    }

    fn end(&mut self) -> ControlFlow<()> {
        let trace = std::mem::take(&mut self.open);
        let labels: Vec<String> = trace.iter().map(|event| self.labels.of(event)).collect();
        self.words.add(labels.iter().map(String::as_str), self.weight);
        self.traces.push(trace);
        ControlFlow::Continue(())
    }
}

/// Reports what the model lacks or has too much.
fn remark(found: &Solved, StateLimit(limit): StateLimit) {
    if found.scope == Scope::Observed {
        tell(&format!(
            "the conditions allow more than {limit} states; the model has those that traces were in (--max-states)"
        ));
    }
    if let Some(lack) = found.unanswered() {
        tell(&lack);
    }
    if found.unforeseen > 0 {
        tell(&format!(
            "{} calls contradict the conditions found for their method; the model has them all the same",
            found.unforeseen
        ));
    }
}

fn as_json(counters: Counters) -> Value {
    json!({
        "asked": counters.asked,
        "by_simplification": counters.by_simplification,
        "by_cache": counters.by_cache,
        "by_solver": counters.by_solver,
        "unknown": counters.unknown,
        "solver_calls": counters.solver_calls,
    })
}

fn name(flags: &InferFlags) -> &'static str {
    flags.algorithm.algorithm.name()
}

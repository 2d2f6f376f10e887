//! Inference from traces with states: SEKT, CONTRACTOR++ and TEMI.

use std::ops::ControlFlow;
use std::time::Duration;

use adit_automata::Fsa;
use adit_infer::{
    Abstraction, Claims, FromInvariants, Horizon, Scope, StateLimit, Visit, contractor, pessimistic, sekt,
    temi,
};
use adit_logic::contract::{Contracts, Valuation};
use adit_mine::{InvariantQuery, Scope as ClaimScope, ValueTypes, contracts_of};
use adit_smt::{COMMANDS, Counters, Frugal, Patience, Process};
use adit_trace::{Event, EventSink, Labels, Letter, Words};
use miette::Report;
use serde_json::{Value, json};

use crate::commands::traces;
use crate::errors::bad_input;
use crate::flags::infer::{DEFAULT_K, MAX_STATES};
use crate::flags::{Algorithm, InferFlags};
use crate::install_hints::{self, Thing, on_path};
use crate::stderr::tell;

/// Time that the solver gets for one question. Those about fields take milliseconds.
const PATIENCE: Patience = Patience(Duration::from_secs(10));

/// Confidence that a claim needs before it becomes a part of a contract; Daikon's own.
const CONFIDENCE: f64 = 0.99;

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
        let contracts = self.contracts()?;
        let letter = |label: &str| self.words.alphabet.get(label);
        let claims = Claims {
            fields: &contracts.fields,
            object: &contracts.object,
            calls: contracts
                .calls
                .iter()
                .filter_map(|(label, contract)| Some((letter(label)?, contract)))
                .collect(),
        };
        let mut abstraction = Abstraction::of_claims(&claims);
        let visits: Vec<Vec<Visit<Letter>>> =
            self.traces.iter().map(|trace| self.visits(trace, &mut abstraction)).collect();
        let clauses = contracts.calls.values().map(|contract| contract.pre.len() + contract.post.len());
        let clauses = contracts.object.len() + clauses.sum::<usize>();
        if flags.algorithm.algorithm == Algorithm::Sekt {
            let model = sekt(&visits, &abstraction, Horizon(flags.algorithm.k.unwrap_or(DEFAULT_K)));
            let summary = json!({"clauses": clauses, "predicates": abstraction.predicates().len()});
            return Ok(Inferred { model, summary });
        }
        let mut solver = Frugal::new(solver(flags)?);
        let limit = StateLimit(flags.state.max_states.unwrap_or(MAX_STATES));
        let found = match flags.algorithm.algorithm {
            Algorithm::Contractor => contractor(&claims, &visits, &abstraction, limit, &mut solver),
            _ => temi(&claims, &visits, &abstraction, limit, &mut solver),
        };
        if !quiet {
            remark(&found, limit);
        }
        let counters = solver.counters();
        let summary = json!({
            "clauses": clauses,
            "predicates": abstraction.predicates().len(),
            "scope": match found.scope { Scope::Satisfiable => "satisfiable", Scope::Observed => "observed" },
            "undecided": found.undecided.questions,
            "unforeseen": found.unforeseen,
            "solver": as_json(counters),
        });
        let model = if flags.state.pessimistic { pessimistic(&found.model) } else { found.model };
        Ok(Inferred { model, summary })
    }

    fn contracts(&self) -> Result<Contracts, Report> {
        let types = ValueTypes { int: true, bool: true, null: true, text: false, float: false };
        let scope = ClaimScope { depth: 1, types, elements: false };
        let query = InvariantQuery {
            labels: self.labels,
            min_confidence: CONFIDENCE,
            min_support: 1,
            keep_implied: false,
        };
        Ok(contracts_of(self.traces.iter().map(Vec::as_slice), scope, &query)?)
    }

    fn visits(&self, trace: &[Event], abstraction: &mut Abstraction) -> Vec<Visit<Letter>> {
        trace
            .iter()
            .map(|event| {
                let values = event.state.as_ref().map(Valuation::of_state).unwrap_or_default();
                let label = self.labels.of(event);
                let letter = self.words.alphabet.get(&label).expect("every label was added with its trace");
                (letter, abstraction.observe(&values))
            })
            .collect()
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

/// The solver that the flags name, or the best one on PATH.
fn solver(flags: &InferFlags) -> Result<Process, Report> {
    let program = match &flags.state.solver {
        Some(program) if !program.is_file() => {
            return Err(bad_input(
                format!("--solver: there is no program `{}`", program.display()),
                "give the path of z3 or cvc5, or omit --solver to search PATH",
            ));
        }
        Some(program) => program.clone(),
        None => COMMANDS.into_iter().find_map(on_path).ok_or_else(|| {
            bad_input(
                format!("--algorithm {} needs a solver, but neither z3 nor cvc5 is on PATH", name(flags)),
                format!(
                    "{}, or name one with --solver; --algorithm sekt needs none",
                    install_hints::install(Thing::Solver)
                ),
            )
        })?,
    };
    Ok(Process::new(program, PATIENCE))
}

/// Reports what the model lacks or has too much.
fn remark(found: &FromInvariants<Letter>, StateLimit(limit): StateLimit) {
    if found.scope == Scope::Observed {
        tell(&format!(
            "the conditions allow more than {limit} states; the model has those that traces were in (--max-states)"
        ));
    }
    if let Some(reason) = &found.undecided.reason {
        let questions = found.undecided.questions;
        tell(&format!("{questions} questions had no answer, so transitions may be missing: {reason}"));
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

//! Models from traces with the state of the object after each call: SEKT, CONTRACTOR++ and TEMI, for
//! `adit infer` and `adit mine`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use adit_automata::Fsa;
use adit_infer::{
    Abstraction, Claims, FromInvariants, Horizon, Scope, StateLimit, Undecided, Visit, contractor, sekt, temi,
};
use adit_logic::contract::{Contracts, Valuation};
use adit_mine::{InvariantQuery, Scope as ClaimScope, ValueTypes, contracts_of};
use adit_smt::{COMMANDS, Frugal, Solver};
use adit_trace::{Alphabet, Event, Labels, Letter};
use miette::Report;

use crate::errors::bad_input;
use crate::install_hints::{self, Thing, on_path};
use crate::output::counted;
use crate::solver::BoundedSolver;

/// Time that the solver gets for one question. Those about fields take milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);

/// Questions after which a solver that hangs, dies or prints nonsense is asked no more.
const MOST_FAILURES: usize = 3;

/// Confidence that a claim needs before it becomes a part of a contract; Daikon's own.
const CONFIDENCE: f64 = 0.99;

/// An algorithm that uses the states in traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromStates {
    /// k-tail that never merges two states in which the object differs.
    Sekt(Horizon),
    /// States are sets of enabled calls.
    Contractor,
    /// States are combinations of clauses, refined by the traces.
    Temi,
}

/// A model, and how far it can be trusted.
pub(crate) struct StateModel {
    pub(crate) model: Fsa<Letter>,
    /// The clauses that it was made from.
    pub(crate) contracts: Contracts,
    /// Number of predicates that tell states apart.
    pub(crate) predicates: usize,
    /// Knowledge of an algorithm that asks a solver.
    pub(crate) solved: Option<Solved>,
}

/// The answers of a solver, and what traces said against them.
pub(crate) struct Solved {
    pub(crate) scope: Scope,
    pub(crate) undecided: Undecided,
    pub(crate) unforeseen: u64,
    /// For each trace, what holds after each call, as a place in `situations`.
    pub(crate) paths: Vec<Vec<usize>>,
    /// Condition of each abstract state, in words.
    pub(crate) situations: Vec<Vec<String>>,
}

impl Solved {
    /// Says what the model may lack because the solver had no answer, if it may lack something.
    pub(crate) fn unanswered(&self) -> Option<String> {
        let reason = self.undecided.reason.as_ref()?;
        let questions = counted(self.undecided.questions, "question");
        Some(format!("{questions} to the solver had no answer, so transitions may be missing: {reason}"))
    }
}

/// Infers a model from contracts, as `choose` leaves them. Labels of the traces that `alphabet` does not have
/// are left out.
pub(crate) fn infer_from_states(
    traces: &[Vec<Event>],
    labels: Labels,
    alphabet: &Alphabet,
    algorithm: FromStates,
    limit: StateLimit,
    choose: &dyn Fn(&Contracts) -> Contracts,
    solver: &mut dyn Solver,
) -> Result<StateModel, Report> {
    let scope = ClaimScope { depth: 1, types: ValueTypes::PAPER, elements: false };
    let query = InvariantQuery { labels, min_confidence: CONFIDENCE, min_support: 1, keep_implied: false };
    let contracts = contracts_of(traces.iter().map(Vec::as_slice), scope, &query)?.about_states();
    let chosen = choose(&contracts);
    let calls = chosen.calls.iter();
    let claims = Claims {
        fields: &chosen.fields,
        object: &chosen.object,
        calls: calls.filter_map(|(label, contract)| Some((alphabet.get(label)?, contract))).collect(),
    };
    let mut abstraction = Abstraction::of_claims(&claims);
    let visits: Vec<Vec<Visit<Letter>>> = traces
        .iter()
        .map(|trace| {
            let known = trace.iter().filter_map(|event| Some((alphabet.get(&labels.of(event))?, event)));
            let visit = |(letter, event): (Letter, &Event)| {
                let values = event.state.as_ref().map(Valuation::of_state).unwrap_or_default();
                (letter, abstraction.observe(&values))
            };
            known.map(visit).collect()
        })
        .collect();
    let predicates = abstraction.predicates().len();
    let found = match algorithm {
        FromStates::Sekt(k) => {
            let model = sekt(&visits, &abstraction, k);
            return Ok(StateModel { model, contracts, predicates, solved: None });
        }
        FromStates::Contractor => contractor(&claims, &visits, &abstraction, limit, solver),
        FromStates::Temi => temi(&claims, &visits, &abstraction, limit, solver),
    };
    let FromInvariants { model, scope, undecided, unforeseen, paths, situations } = found;
    let solved = Some(Solved { scope, undecided, unforeseen, paths, situations });
    Ok(StateModel { model, contracts, predicates, solved })
}

/// The solver with this path, or the best one on PATH, which answers until `deadline`. `user` is what needs
/// it, for the message.
pub(crate) fn solver(
    path: Option<&Path>,
    user: &str,
    deadline: Option<Instant>,
) -> Result<Frugal<BoundedSolver>, Report> {
    let program: PathBuf = match path {
        Some(program) if !program.is_file() => {
            return Err(bad_input(
                format!("--solver: there is no program `{}`", program.display()),
                "give the path of z3 or cvc5, or omit --solver to search PATH",
            ));
        }
        Some(program) => program.to_path_buf(),
        None => COMMANDS.into_iter().find_map(on_path).ok_or_else(|| {
            let other = user.replace("contractor", "sekt").replace("temi", "sekt");
            let install = install_hints::install(Thing::Solver);
            let named = if user.starts_with("--algorithm") { ", or name one with --solver" } else { "" };
            bad_input(
                format!("{user} needs a solver, but neither z3 nor cvc5 is on PATH"),
                format!("{install}{named}; {other} needs none"),
            )
        })?,
    };
    let bounded = BoundedSolver::of_program(program, PATIENCE).failing(MOST_FAILURES).until(deadline);
    Ok(Frugal::new(bounded))
}

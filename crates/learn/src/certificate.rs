//! Certificates: an invariant for each state of an interface, and the obligations that make it a proof.
//!
//! Paper: none; `xpsyco` checks interfaces up to a depth.
//! If every obligation holds, the interface is safe, permissive and tight at every depth: by induction on the
//! length of a sequence of calls, the fields satisfy the invariant of the state that the sequence leads to,
//! so each call within a guard has the outcome that the interface says. The checker knows nothing about how
//! invariants are found; it needs the summaries, the interface and a solver.
//! Cost: one question for each live state, symbol and path, and a few for each method.

use std::collections::BTreeMap;

use adit_smt::{Answer, Arena, Expr, Solver, Var, script};

use crate::component::Component;
use crate::lts::{Lts, WordOutcome};
use crate::symbolic::Guarded;

/// Invariants of the states of an interface, with the result of checking them.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// For each state of the automaton a condition on fields that holds whenever the object is in that state;
    /// false for error and unknown.
    pub invariants: Vec<Expr>,
    /// A condition on fields that is taken for granted before each call; true if nothing is.
    pub assumption: Expr,
    /// Everything that has to hold.
    pub obligations: Vec<Obligation>,
}

/// Something that has to hold: the constraints contradict each other.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The statement in words.
    pub says: String,
    /// Constraints that cannot all be true if the statement holds.
    pub refutes: Vec<Expr>,
    /// The state of the interface and the symbol, if the statement is about a call.
    pub about: Option<(usize, usize)>,
    /// The result of checking it.
    pub status: Status,
}

/// Result of checking an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not checked yet.
    Open,
    /// It holds.
    Discharged,
    /// It does not hold, for instance for these values.
    Failed(adit_smt::Model),
    /// The solver gave no answer, for this reason.
    Unknown(String),
}

impl Certificate {
    /// True if every obligation holds.
    pub fn is_discharged(&self) -> bool {
        !self.obligations.is_empty()
            && self.obligations.iter().all(|obligation| obligation.status == Status::Discharged)
    }

    /// Number of obligations that hold.
    pub fn discharged(&self) -> usize {
        self.obligations.iter().filter(|obligation| obligation.status == Status::Discharged).count()
    }

    /// The obligations as one script in SMT-LIB 2. A solver confirms the certificate by printing `unsat` for
    /// each of them and nothing else.
    pub fn to_smt_lib(&self, arena: &Arena) -> String {
        let mut text = String::from(
            "; Every answer must be `unsat`: then the interface is safe, permissive and tight at every depth.\n",
        );
        for (at, obligation) in self.obligations.iter().enumerate() {
            if at > 0 {
                text.push_str("(reset)\n");
            }
            text.push_str(&format!("; {}: {}\n", at + 1, obligation.says));
            text.push_str(&script(arena, &obligation.refutes));
        }
        text
    }
}

/// All obligations for `invariants`, none of them checked.
///
/// They say: summaries and guards cover all values, guards exclude each other, the invariant of the initial
/// state holds initially, and every call preserves invariants and has the outcome that the interface says.
pub fn obligations(
    component: &mut Component,
    symbols: &[Guarded],
    lts: &Lts,
    invariants: &[Expr],
    assumption: Expr,
) -> Vec<Obligation> {
    let mut all = Vec::new();
    let mut add = |says: String, refutes: Vec<Expr>, about: Option<(usize, usize)>| {
        all.push(Obligation { says, refutes, about, status: Status::Open });
    };
    let arena = &mut component.arena;
    for (index, method) in component.methods.iter().enumerate() {
        let conditions: Vec<Expr> = method.paths.iter().map(|path| path.condition).collect();
        let refutes = vec![arena.or(&conditions)].into_iter().map(|any| arena.not(any)).collect();
        add(format!("the paths of `{}` cover all values", method.name), refutes, None);
        let guards: Vec<Expr> =
            symbols.iter().filter(|symbol| symbol.method == index).map(|symbol| symbol.guard).collect();
        let any = arena.or(&guards);
        add(format!("the guards of `{}` cover all arguments", method.name), vec![arena.not(any)], None);
        for (at, &guard) in guards.iter().enumerate() {
            for &other in &guards[..at] {
                add(format!("guards of `{}` exclude each other", method.name), vec![guard, other], None);
            }
        }
    }
    let initial: BTreeMap<Var, Expr> =
        component.fields.iter().map(|field| (field.var, arena.value(field.initial))).collect();
    let holds = arena.substitute(invariants[0], &initial);
    add("the invariant of the initial state holds initially".to_owned(), vec![arena.not(holds)], None);
    for state in (0..lts.len()).filter(|&state| lts.outcome(state) == WordOutcome::Ok) {
        for (symbol, guarded) in symbols.iter().enumerate() {
            let target = lts.step(state, symbol);
            for path in &component.methods[guarded.method].paths {
                let mut refutes = vec![assumption, invariants[state], guarded.guard, path.condition];
                let name = &component.methods[guarded.method].name;
                let says = if path.end.outcome() != lts.outcome(target) {
                    format!("in state {state}, `{name}` {} has no other outcome", symbol_number(symbol))
                } else if path.end.outcome() == WordOutcome::Ok {
                    let by: BTreeMap<Var, Expr> = path
                        .updates
                        .iter()
                        .map(|&(field, value)| (component.fields[field].var, value))
                        .collect();
                    let kept = arena.substitute(invariants[target], &by);
                    refutes.push(arena.not(kept));
                    format!("from state {state}, `{name}` {} leads to state {target}", symbol_number(symbol))
                } else {
                    continue;
                };
                add(says, refutes, Some((state, symbol)));
            }
        }
    }
    all
}

fn symbol_number(symbol: usize) -> String {
    format!("(symbol {symbol})")
}

/// Checks every obligation that is open.
pub fn check(arena: &mut Arena, obligations: &mut [Obligation], solver: &mut dyn Solver) {
    for obligation in obligations.iter_mut().filter(|obligation| obligation.status == Status::Open) {
        obligation.status = match solver.check(arena, &obligation.refutes) {
            Answer::Unsat => Status::Discharged,
            Answer::Sat(model) => Status::Failed(model),
            Answer::Unknown(reason) => Status::Unknown(reason.to_string()),
        };
    }
}

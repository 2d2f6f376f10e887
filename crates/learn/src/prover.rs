//! The prover: invariants for a conjectured interface by predicate abstraction, or a counterexample.
//!
//! Paper: none; predicate abstraction with predicates closed under weakest preconditions.
//! Each symbol is run with its representative, which leaves conditions on fields only. Their atoms, and the
//! atoms of what must hold before a call so that an atom holds after it, are the predicates. If there is no
//! end of them because of a counter, its values are told apart instead. Exploring concrete states, one for
//! each valuation of the predicates, finds the valuations that meet in each state of the conjecture; they are
//! its invariant. An outcome that is not the conjecture's is a real counterexample. The obligations of
//! `certificate.rs` then say that the other states and arguments behave alike. Where one fails, its arguments
//! become another instance of the symbol, and everything is repeated.
//! Cost: linear in the number of reachable valuations times symbols; predicates and rounds are limited.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use adit_smt::{Expr, Model, Node, Sort, Value, Var};

use crate::certificate::{Certificate, Obligation, Status, check, obligations};
use crate::compiled::CompiledFormulas;
use crate::component::{Kind, number, value};
use crate::lts::{Lts, WordOutcome};
use crate::refinement::atoms;
use crate::symbolic::{Analysis, ConcreteCall, Guarded};

/// Most predicates: beyond, some field is a counter, and predicates about it never end.
const MOST_PREDICATES: usize = 64;

/// Most reachable valuations. Beyond, the state is most probably unbounded.
const MOST_VALUATIONS: usize = 5_000;

/// Most rounds in which failed obligations add arguments.
const ROUNDS: usize = 40;

/// Most values of a field that are told apart from the beginning, and most states that are looked at to count
/// them. Constants make for easier questions than predicates.
const FEW_VALUES: usize = 32;
const FEW_STATES: usize = 2_000;

/// Points at which predicates are evaluated before a solver is asked if two of them are equivalent.
const SAMPLES: usize = 24;

/// Result of a proof attempt.
pub(crate) enum Proof {
    /// Calls whose outcome is not the conjecture's.
    Counterexample(Vec<ConcreteCall>),
    /// Invariants; the proof is complete if all obligations are discharged.
    Certificate(Certificate),
}

/// Proves that `lts` over `symbols` is the interface of the component, or finds out where it is wrong.
pub(crate) fn prove(
    analysis: &mut Analysis<'_>,
    symbols: &[Guarded],
    lts: &Lts,
    keep_going: &mut dyn FnMut() -> bool,
) -> Proof {
    let nothing = analysis.component.arena.bool(true);
    let first = Prover::new(analysis, symbols, lts, nothing, keep_going).run();
    match first {
        Proof::Certificate(certificate) if !certificate.is_discharged() => {
            // Counters that could wrap around are the usual obstacle; without that, the proof may go through.
            let Some(assumption) = no_overflow(analysis) else { return Proof::Certificate(certificate) };
            match Prover::new(analysis, symbols, lts, assumption, keep_going).run() {
                Proof::Certificate(assumed) if !assumed.is_discharged() => Proof::Certificate(certificate),
                better => better,
            }
        }
        other => other,
    }
}

/// The assumption that no counter leaves the range from zero to its maximum.
fn no_overflow(analysis: &mut Analysis<'_>) -> Option<Expr> {
    let mut counters: BTreeMap<usize, i128> = BTreeMap::new();
    for path in analysis.component.methods.iter().flat_map(|method| &method.paths) {
        for &(field, update) in &path.updates {
            if let Node::Sum { constant, terms } = analysis.component.arena.node(update)
                && let [(1, term)] = terms[..]
                && *analysis.component.arena.node(term) == Node::Var(analysis.component.fields[field].var)
            {
                let most = counters.entry(field).or_default();
                *most = (*most).max(*constant);
            }
        }
    }
    let mut limits = Vec::new();
    for (field, step) in counters {
        let var = analysis.component.fields[field].var;
        let arena = &mut analysis.component.arena;
        let counter = arena.var_expr(var);
        let Sort::Bits(width) = arena.sort(counter) else { continue };
        let largest = (1i128 << (width - 1)) - 1 - step;
        let (zero, largest) = (arena.bits(width, 0), arena.bits(width, i64::try_from(largest).ok()?));
        limits.extend([arena.ge(counter, zero), arena.le(counter, largest)]);
    }
    (!limits.is_empty()).then(|| analysis.component.arena.and(&limits))
}

/// A symbol with concrete arguments.
#[derive(Clone)]
struct Instance {
    symbol: usize,
    call: ConcreteCall,
    paths: Vec<InstancePath>,
}

/// A path of an instance: its condition and new values, over fields only.
#[derive(Clone)]
struct InstancePath {
    condition: Expr,
    updates: BTreeMap<Var, Expr>,
    ends_well: bool,
    /// Number of predicates whose weakest precondition was looked at.
    seen: usize,
}

/// Knowledge about a state: the truth of each predicate, and the values of fields that are told apart.
type Valuation = (Vec<bool>, Vec<i64>);

/// A reachable pair of a state of the conjecture and concrete values, and how it was reached.
struct Place {
    state: usize,
    fields: Vec<i64>,
    valuation: Valuation,
    from: Option<(usize, usize)>,
}

struct Prover<'p, 'a> {
    analysis: &'p mut Analysis<'a>,
    symbols: &'p [Guarded],
    lts: &'p Lts,
    assumption: Expr,
    predicates: Vec<Expr>,
    /// Atoms that are predicates, or equivalent to one or to the negation of one.
    known: HashSet<Expr>,
    samples: Vec<Model>,
    signatures: HashMap<Vec<bool>, Vec<usize>>,
    instances: Vec<Instance>,
    keep_going: &'p mut dyn FnMut() -> bool,
    /// Fields whose values are told apart, because predicates about them never end.
    explicit: BTreeSet<usize>,
}

impl<'p, 'a> Prover<'p, 'a> {
    fn new(
        analysis: &'p mut Analysis<'a>,
        symbols: &'p [Guarded],
        lts: &'p Lts,
        assumption: Expr,
        keep_going: &'p mut dyn FnMut() -> bool,
    ) -> Self {
        let mut prover = Self {
            analysis,
            symbols,
            lts,
            assumption,
            predicates: Vec::new(),
            known: HashSet::new(),
            samples: Vec::new(),
            signatures: HashMap::new(),
            instances: Vec::new(),
            keep_going,
            explicit: BTreeSet::new(),
        };
        prover.take_samples();
        for (symbol, guarded) in symbols.iter().enumerate() {
            prover.instantiate(symbol, guarded.representative.clone());
        }
        prover.explicit = prover.fields_with_few_values();
        prover
    }

    fn run(mut self) -> Proof {
        let mut best: Option<Certificate> = None;
        for _ in 0..ROUNDS {
            if !self.close_or_tell_apart() || !self.is_finite() {
                break;
            }
            let places = match self.explore() {
                Ok(places) => places,
                Err(calls) => return Proof::Counterexample(calls),
            };
            let mut certificate = self.certificate(&places);
            let arena = &mut self.analysis.component.arena;
            check(arena, &mut certificate.obligations, &mut *self.analysis.solver);
            self.analysis.work.questions += certificate.obligations.len() as u64;
            let done = certificate.is_discharged();
            let more = match self.learn_from(&certificate, &places) {
                Ok(more) => more,
                Err(calls) => return Proof::Counterexample(calls),
            };
            let better = best.as_ref().is_none_or(|best| certificate.discharged() >= best.discharged());
            if better || done {
                best = Some(certificate);
            }
            if done || !more || !(self.keep_going)() {
                break;
            }
        }
        Proof::Certificate(best.unwrap_or_else(|| self.hopeless()))
    }

    /// Fields that no parameter enters and that have few values, as far as representatives show.
    fn fields_with_few_values(&mut self) -> BTreeSet<usize> {
        let component = &self.analysis.component;
        let is_field = |var: &Var| component.fields.iter().position(|field| field.var == *var);
        // A field is affected if a parameter or an affected field flows into it.
        let mut affected: BTreeSet<usize> = BTreeSet::new();
        loop {
            let before = affected.len();
            for path in component.methods.iter().flat_map(|method| &method.paths) {
                for &(field, update) in &path.updates {
                    let sources = component.arena.variables(update).iter();
                    let enters = |var: &Var| is_field(var).is_none_or(|field| affected.contains(&field));
                    if sources.clone().any(enters) {
                        affected.insert(field);
                    }
                }
            }
            if affected.len() == before {
                break;
            }
        }
        let start = component.initial();
        let mut values: Vec<BTreeSet<i64>> = start.iter().map(|&value| BTreeSet::from([value])).collect();
        let mut seen: HashSet<Vec<i64>> = HashSet::from([start.clone()]);
        let mut queue = VecDeque::from([start]);
        while let Some(fields) = queue.pop_front().filter(|_| seen.len() < FEW_STATES) {
            for Instance { call, .. } in &self.instances {
                let mut next = fields.clone();
                self.analysis.work.calls += 1;
                let (_, outcome) = self.analysis.compiled.take(call.method, &call.arguments, &mut next);
                if outcome == WordOutcome::Ok && seen.insert(next.clone()) {
                    values.iter_mut().zip(&next).for_each(|(values, &value)| {
                        values.insert(value);
                    });
                    queue.push_back(next);
                }
            }
        }
        let fields = &self.analysis.component.fields;
        (0..fields.len())
            .filter(|field| !affected.contains(field) && values[*field].len() <= FEW_VALUES)
            .filter(|&field| fields[field].kind != Kind::Boolean)
            .collect()
    }

    /// A certificate that says which obligations there would be, if there were invariants.
    fn hopeless(&mut self) -> Certificate {
        let always = self.analysis.component.arena.bool(true);
        let invariants = vec![always; self.lts.len()];
        let mut obligations =
            obligations(&mut self.analysis.component, self.symbols, self.lts, &invariants, always);
        for obligation in &mut obligations {
            obligation.status = Status::Unknown("no finite set of predicates was found".to_owned());
        }
        Certificate { invariants, assumption: always, obligations }
    }

    /// Adds arguments for a symbol. False if they are there already.
    fn instantiate(&mut self, symbol: usize, arguments: Vec<i64>) -> bool {
        let method = self.symbols[symbol].method;
        let call = ConcreteCall { method, arguments };
        if self.instances.iter().any(|instance| instance.symbol == symbol && instance.call == call) {
            return false;
        }
        let constants = self.analysis.constants(&call);
        let component = &mut self.analysis.component;
        let by: BTreeMap<Var, Expr> = component.methods[method]
            .parameters
            .iter()
            .map(|parameter| parameter.var)
            .zip(constants)
            .collect();
        let mut paths: Vec<InstancePath> = component.methods[method]
            .paths
            .iter()
            .map(|path| InstancePath {
                condition: component.arena.substitute(path.condition, &by),
                updates: path
                    .updates
                    .iter()
                    .map(|&(field, update)| {
                        (component.fields[field].var, component.arena.substitute(update, &by))
                    })
                    .collect(),
                ends_well: path.end.outcome() == WordOutcome::Ok,
                seen: 0,
            })
            .collect();
        paths.retain(|path| component.arena.as_bool(path.condition) != Some(false));
        self.instances.push(Instance { symbol, call, paths });
        true
    }

    /// Collects predicates, and gives up on fields about which there are too many. False if that does not
    /// help.
    fn close_or_tell_apart(&mut self) -> bool {
        while !self.close() {
            if !(self.keep_going)() {
                return false;
            }
            let fields = &self.analysis.component.fields;
            let arena = &self.analysis.component.arena;
            let mentions = |field: usize| {
                let var = fields[field].var;
                self.predicates.iter().filter(|&&predicate| arena.variables(predicate).contains(&var)).count()
            };
            let counter = (0..fields.len())
                .filter(|field| !self.explicit.contains(field))
                .max_by_key(|&field| mentions(field))
                .filter(|&field| mentions(field) > 0);
            let Some(counter) = counter else { return false };
            self.explicit.insert(counter);
            self.predicates.clear();
            self.known.clear();
            self.signatures.clear();
            self.instances.iter_mut().flat_map(|instance| &mut instance.paths).for_each(|path| path.seen = 0);
        }
        true
    }

    /// Collects predicates until weakest preconditions need no new ones. False if there are too many.
    fn close(&mut self) -> bool {
        for at in 0..self.instances.len() {
            let conditions: Vec<Expr> = self.instances[at].paths.iter().map(|path| path.condition).collect();
            conditions.into_iter().for_each(|condition| self.admit(condition));
        }
        loop {
            let mut changed = false;
            for at in 0..self.instances.len() {
                for path in 0..self.instances[at].paths.len() {
                    let InstancePath { updates, ends_well, seen, .. } =
                        self.instances[at].paths[path].clone();
                    // What an error leaves behind does not matter.
                    for predicate in (seen..self.predicates.len()).filter(|_| ends_well) {
                        let arena = &mut self.analysis.component.arena;
                        let weakest = arena.substitute(self.predicates[predicate], &updates);
                        self.admit(weakest);
                        changed = true;
                        if self.predicates.len() > MOST_PREDICATES || !(self.keep_going)() {
                            return false;
                        }
                        self.instances[at].paths[path].seen = predicate + 1;
                    }
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// Makes the atoms of a formula predicates, unless an equivalent one is known.
    fn admit(&mut self, formula: Expr) {
        for atom in atoms(&self.analysis.component.arena, formula) {
            let variables = self.analysis.component.arena.variables(atom);
            let told = |&field: &usize| variables.contains(&self.analysis.component.fields[field].var);
            if self.known.contains(&atom) || self.explicit.iter().any(told) {
                continue;
            }
            self.known.insert(atom);
            let signature: Vec<bool> = self.samples.iter().map(|sample| self.truth(atom, sample)).collect();
            let opposite: Vec<bool> = signature.iter().map(|truth| !truth).collect();
            let alike: Vec<(usize, bool)> = [(&signature, true), (&opposite, false)]
                .into_iter()
                .flat_map(|(signature, same)| {
                    self.signatures.get(signature).into_iter().flatten().map(move |&other| (other, same))
                })
                .collect();
            if !alike.into_iter().any(|(other, same)| self.equivalent(atom, self.predicates[other], same)) {
                self.signatures.entry(signature).or_default().push(self.predicates.len());
                self.predicates.push(atom);
            }
        }
    }

    /// True if two atoms always have the same truth, or the opposite one, as long as the assumption holds.
    fn equivalent(&mut self, one: Expr, other: Expr, same: bool) -> bool {
        let arena = &mut self.analysis.component.arena;
        if arena.variables(one) != arena.variables(other) {
            return false;
        }
        let other = if same { other } else { arena.not(other) };
        let (not_one, not_other) = (arena.not(one), arena.not(other));
        self.analysis.refuted(&[self.assumption, one, not_other])
            && self.analysis.refuted(&[self.assumption, not_one, other])
    }

    fn truth(&self, formula: Expr, sample: &Model) -> bool {
        self.analysis.component.arena.evaluate(formula, sample) == Ok(Value::Bool(true))
    }

    /// Values of fields that tell predicates apart: simple ones, and such as look random.
    fn take_samples(&mut self) {
        let arena = &self.analysis.component.arena;
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        for sample in 0..SAMPLES {
            let mut model = Model::default();
            for field in &self.analysis.component.fields {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let number = match sample {
                    0 => 0,
                    1 => 1,
                    2 => -1,
                    _ if sample % 2 == 0 => (seed >> 60) as i64,
                    _ => (seed >> 20) as i64,
                };
                model.set(field.var, value(field.kind.sort(), number));
            }
            // Under an assumption, other values say nothing.
            if arena.evaluate(self.assumption, &model) == Ok(Value::Bool(true)) {
                self.samples.push(model);
            }
        }
    }

    /// Knowledge about concrete values of fields.
    fn abstraction(&self, predicates: &CompiledFormulas, fields: &[i64]) -> Valuation {
        (predicates.truth(fields).collect(), self.explicit.iter().map(|&field| fields[field]).collect())
    }

    fn predicates(&self) -> CompiledFormulas {
        CompiledFormulas::new(&self.analysis.component, &self.predicates)
    }

    /// True if the component reaches finitely many valuations, whatever the conjecture says. Where it does
    /// not, a counterexample would be followed by another one for ever.
    fn is_finite(&mut self) -> bool {
        if self.explicit.is_empty() {
            return true;
        }
        let predicates = self.predicates();
        let start = self.analysis.component.initial();
        let mut seen: HashSet<Valuation> = HashSet::from([self.abstraction(&predicates, &start)]);
        let mut open = vec![start];
        while let Some(fields) = open.pop() {
            for instance in 0..self.instances.len() {
                let mut next = fields.clone();
                let ConcreteCall { method, arguments } = &self.instances[instance].call;
                self.analysis.work.calls += 1;
                if self.analysis.compiled.take(*method, arguments, &mut next).1 == WordOutcome::Ok
                    && seen.insert(self.abstraction(&predicates, &next))
                {
                    open.push(next);
                }
            }
            if seen.len() > MOST_VALUATIONS {
                return false;
            }
        }
        true
    }

    /// All reachable places, or the calls of a counterexample.
    fn explore(&mut self) -> Result<Vec<Place>, Vec<ConcreteCall>> {
        let predicates = self.predicates();
        let fields = self.analysis.component.initial();
        let valuation = self.abstraction(&predicates, &fields);
        let mut seen: HashSet<(usize, Valuation)> = HashSet::from([(0, valuation.clone())]);
        let mut places = vec![Place { state: 0, fields, valuation, from: None }];
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            for instance in 0..self.instances.len() {
                let Instance { symbol, call, .. } = &self.instances[instance];
                let target = self.lts.step(places[at].state, *symbol);
                let mut fields = places[at].fields.clone();
                self.analysis.work.calls += 1;
                let (_, outcome) = self.analysis.compiled.take(call.method, &call.arguments, &mut fields);
                if outcome != self.lts.outcome(target) {
                    let mut calls = self.calls(&places, at);
                    calls.push(self.instances[instance].call.clone());
                    return Err(calls);
                }
                let valuation = self.abstraction(&predicates, &fields);
                if outcome == WordOutcome::Ok && seen.insert((target, valuation.clone())) {
                    queue.push_back(places.len());
                    places.push(Place { state: target, fields, valuation, from: Some((at, instance)) });
                }
            }
        }
        Ok(places)
    }

    /// The calls that lead to a place.
    fn calls(&self, places: &[Place], mut at: usize) -> Vec<ConcreteCall> {
        let mut calls = Vec::new();
        while let Some((before, instance)) = places[at].from {
            calls.push(self.instances[instance].call.clone());
            at = before;
        }
        calls.reverse();
        calls
    }

    /// Invariants from the valuations that meet in each state, with their obligations.
    fn certificate(&mut self, places: &[Place]) -> Certificate {
        let mut met: Vec<BTreeSet<&Valuation>> = vec![BTreeSet::new(); self.lts.len()];
        for place in places {
            met[place.state].insert(&place.valuation);
        }
        let fields = &self.analysis.component.fields;
        let arena = &mut self.analysis.component.arena;
        let invariants: Vec<Expr> = met
            .into_iter()
            .map(|valuations| {
                let cubes: Vec<Expr> = valuations
                    .into_iter()
                    .map(|(truths, values)| {
                        let mut literals: Vec<Expr> = self
                            .predicates
                            .iter()
                            .zip(truths)
                            .map(|(&predicate, &truth)| if truth { predicate } else { arena.not(predicate) })
                            .collect();
                        for (&field, &number) in self.explicit.iter().zip(values) {
                            let field = &fields[field];
                            let constant = arena.value(value(field.kind.sort(), number));
                            let variable = arena.var_expr(field.var);
                            literals.push(arena.eq(variable, constant));
                        }
                        arena.and(&literals)
                    })
                    .collect();
                arena.or(&cubes)
            })
            .collect();
        let obligations =
            obligations(&mut self.analysis.component, self.symbols, self.lts, &invariants, self.assumption);
        Certificate { invariants, assumption: self.assumption, obligations }
    }

    /// Looks at the arguments for which obligations fail: where they contradict the conjecture at a reachable
    /// place, they are a counterexample; otherwise they are added. False if that brings nothing new.
    fn learn_from(&mut self, certificate: &Certificate, places: &[Place]) -> Result<bool, Vec<ConcreteCall>> {
        let mut new = false;
        for Obligation { about, status, .. } in &certificate.obligations {
            let (Some((state, symbol)), Status::Failed(model)) = (*about, status) else { continue };
            let Guarded { method, guard, .. } = self.symbols[symbol];
            let parameters = &self.analysis.component.methods[method].parameters;
            let arguments: Vec<i64> =
                parameters.iter().map(|parameter| model.get(parameter.var).map_or(0, number)).collect();
            // A variable that the solver left out may have any value, but zero need not satisfy the guard.
            if !self.analysis.admits(method, guard, &arguments) {
                continue;
            }
            let expected = self.lts.outcome(self.lts.step(state, symbol));
            new |= self.instantiate(symbol, arguments.clone());
            for at in (0..places.len()).filter(|&at| places[at].state == state) {
                let mut fields = places[at].fields.clone();
                self.analysis.work.calls += 1;
                if self.analysis.compiled.take(method, &arguments, &mut fields).1 != expected {
                    let mut calls = self.calls(places, at);
                    calls.push(ConcreteCall { method, arguments });
                    return Err(calls);
                }
            }
        }
        Ok(new)
    }
}

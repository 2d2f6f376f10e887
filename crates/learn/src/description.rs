//! Interfaces for readers: states with names, transitions with guards, and a contract in sentences.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa, Modality};
use adit_smt::Expr;

use crate::component::{End, Role};
use crate::guards::{readable, separation};
use crate::lts::WordOutcome;
use crate::symbolic::{Analysis, ConcreteCall};
use crate::x_psyco::Interface;

/// An interface in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Full name of the class.
    pub class: String,
    /// Its states.
    pub states: Vec<DescribedState>,
    /// Every method from every live state, joined where guards lead to the same state.
    pub moves: Vec<Move>,
    /// Methods and constructors: name, parameters, role.
    pub methods: Vec<DescribedMethod>,
}

/// A state of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedState {
    /// WordOutcome of the words that lead here.
    pub outcome: WordOutcome,
    /// A condition on fields that tells the state from the others, if one is known.
    pub condition: Option<String>,
}

/// A method of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedMethod {
    /// Its name, with parameter types if it is overloaded.
    pub name: String,
    /// Names of its parameters.
    pub parameters: Vec<String>,
    /// The way in which it is called.
    pub role: Role,
}

impl DescribedMethod {
    /// The method as in a call: `connect(snk, connected)`.
    pub fn as_call(&self) -> String {
        let name = self.name.split('(').next().unwrap_or(&self.name);
        // A string has variables for its length and content, too.
        let own: Vec<&str> =
            self.parameters.iter().map(String::as_str).filter(|name| !name.contains('.')).collect();
        format!("{name}({})", own.join(", "))
    }
}

/// Calls of a method within a guard, and the state to which they lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The state before the calls.
    pub from: usize,
    /// The method.
    pub method: usize,
    /// The condition on arguments, `true` if all are meant.
    pub guard: String,
    /// The same for computing.
    pub condition: Expr,
    /// The state after the calls.
    pub to: usize,
    /// Exceptions or reasons, if the calls do not succeed.
    pub why: BTreeSet<String>,
}

/// Puts an interface into words.
pub fn describe(analysis: &mut Analysis<'_>, interface: &Interface) -> Description {
    let lts = &interface.lts;
    let access = lts.access();
    let mut moves = Vec::new();
    let mut texts: BTreeMap<(usize, Vec<usize>), (String, Expr)> = BTreeMap::new();
    for from in (0..lts.len()).filter(|&state| lts.outcome(state) == WordOutcome::Ok) {
        for method in 0..analysis.component.methods.len() {
            let mut targets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for (symbol, guarded) in interface.symbols.iter().enumerate() {
                if guarded.method == method {
                    targets.entry(lts.step(from, symbol)).or_default().push(symbol);
                }
            }
            for (to, symbols) in targets {
                let (guard, condition) = texts
                    .entry((method, symbols.clone()))
                    .or_insert_with(|| {
                        let guards: Vec<Expr> =
                            symbols.iter().map(|&symbol| interface.symbols[symbol].guard).collect();
                        let any = analysis.component.arena.or(&guards);
                        (readable(analysis, method, any), any)
                    })
                    .clone();
                let word = access[from].as_deref().unwrap_or_default();
                let why = symbols.iter().filter_map(|&symbol| reason(analysis, interface, word, symbol));
                let why = why.collect();
                moves.push(Move { from, method, guard, condition, to, why });
            }
        }
    }
    let methods = analysis
        .component
        .methods
        .iter()
        .map(|method| DescribedMethod {
            name: method.name.clone(),
            parameters: method.parameters.iter().map(|parameter| parameter.name.clone()).collect(),
            role: method.role,
        })
        .collect();
    let states = states(analysis, interface);
    Description { class: analysis.component.class.clone(), states, moves, methods }
}

/// The reason why a call after `word` does not succeed.
fn reason(
    analysis: &mut Analysis<'_>,
    interface: &Interface,
    word: &[usize],
    symbol: usize,
) -> Option<String> {
    let calls: Vec<ConcreteCall> = word
        .iter()
        .chain([&symbol])
        .map(|&symbol| {
            let guarded = &interface.symbols[symbol];
            ConcreteCall { method: guarded.method, arguments: guarded.representative.clone() }
        })
        .collect();
    let (_, paths) = analysis.execute(&calls);
    let last = (paths.len() == calls.len()).then(|| paths[paths.len() - 1])?;
    match &analysis.component.methods[interface.symbols[symbol].method].paths[last].end {
        End::Ok => None,
        End::Error(reason) | End::Unknown(reason) => Some(reason.clone()),
    }
}

/// States with conditions that tell them apart, if a certificate has invariants.
fn states(analysis: &mut Analysis<'_>, interface: &Interface) -> Vec<DescribedState> {
    let lts = &interface.lts;
    let exists = analysis.component.fields[analysis.component.exists()].var;
    let known = interface.certificate.as_ref().filter(|certificate| certificate.is_discharged());
    let invariants: Option<Vec<Expr>> = known.map(|certificate| {
        let arena = &mut analysis.component.arena;
        let by = BTreeMap::from([(exists, arena.bool(true))]);
        certificate.invariants.iter().map(|&invariant| arena.substitute(invariant, &by)).collect()
    });
    (0..lts.len())
        .map(|state| {
            let outcome = lts.outcome(state);
            let condition =
                invariants.as_ref().filter(|_| outcome == WordOutcome::Ok).and_then(|invariants| {
                    let others: Vec<Expr> = (0..lts.len())
                        .filter(|&other| other != state)
                        .map(|other| invariants[other])
                        .collect();
                    let off = analysis.component.arena.or(&others);
                    let text = separation(analysis, invariants[state], off)?;
                    (text != "false" && text != "true").then_some(text)
                });
            DescribedState { outcome, condition }
        })
        .collect()
}

impl Description {
    /// The number of states that calls can be made in.
    pub fn live(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.states.len()).filter(|&state| self.states[state].outcome == WordOutcome::Ok)
    }

    /// True if there are methods that need an object, and nothing is known to create one. Such a description
    /// says nothing about them.
    pub fn lacks_objects(&self) -> bool {
        self.methods.iter().any(|method| method.role == Role::Instance) && self.live().all(|state| state == 0)
    }

    /// True if a guard compares the length of an argument. Lengths have 16 bits here.
    pub fn compares_lengths(&self) -> bool {
        self.moves.iter().any(|step| step.guard.contains(".length"))
    }

    /// Name of a state for readers.
    pub fn name(&self, state: usize) -> String {
        let constructed = self.methods.iter().any(|method| method.role == Role::Constructor);
        match (&self.states[state], state) {
            (DescribedState { outcome: WordOutcome::Error, .. }, _) => "error".to_owned(),
            (DescribedState { outcome: WordOutcome::Unknown, .. }, _) => "unknown".to_owned(),
            (_, 0) if constructed => "no object".to_owned(),
            // A number for how objects refer to each other tells a reader nothing.
            (DescribedState { condition: Some(condition), .. }, _)
                if condition.len() <= 60 && !condition.contains("shape of") =>
            {
                condition.clone()
            }
            _ => format!("state {state}"),
        }
    }

    /// The automaton of legal calls, with guards. Calls that are refused are notes of their state; calls
    /// whose outcome is unknown lead to the place that was not explored.
    pub fn to_model(&self) -> Fsa<String> {
        let mut builder: Builder<String> = Builder::new();
        let mut number = BTreeMap::new();
        for state in self.live() {
            let new = builder.state(true);
            number.insert(state, new);
            builder.name(new, self.name(state));
            if let Some(condition) = &self.states[state].condition {
                builder.predicates(new, vec![condition.clone()]);
            }
        }
        builder.initial(0);
        let mut not_explored = None;
        let mut refused: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for step in &self.moves {
            let label = self.methods[step.method].name.clone();
            builder.label(label.clone());
            let from = number[&step.from];
            match self.states[step.to].outcome {
                WordOutcome::Error => refused.entry(from).or_default().push(if step.guard == "true" {
                    label
                } else {
                    format!("{label} if {}", step.guard)
                }),
                outcome => {
                    let to = match outcome {
                        WordOutcome::Ok => number[&step.to],
                        _ => *not_explored.get_or_insert_with(|| builder.not_explored()),
                    };
                    let modality =
                        if outcome == WordOutcome::Ok { Modality::Required } else { Modality::Maybe };
                    builder.modal_edge(from, label.clone(), to, modality);
                    if step.guard != "true" {
                        builder.guard(from, label, to, step.guard.clone());
                    }
                }
            }
        }
        for (state, refused) in refused {
            builder.refusals(state, refused);
        }
        builder.build()
    }

    /// A sentence for each method: when it may be called.
    pub fn contract(&self) -> Vec<(usize, String)> {
        (0..self.methods.len()).map(|method| (method, self.sentence(method))).collect()
    }

    /// The calls that the contract says nothing beyond, in a sentence: their outcome, or the state after
    /// them, is unknown. Nothing if there are none.
    pub fn caveat(&self) -> Option<String> {
        let unknown = self.moves.iter().filter(|step| self.states[step.to].outcome == WordOutcome::Unknown);
        let methods: BTreeSet<usize> = unknown.map(|step| step.method).collect();
        let calls: Vec<String> =
            methods.iter().map(|&method| format!("`{}`", self.methods[method].as_call())).collect();
        let which = if calls.len() == 1 { "a call" } else { "calls" };
        (!calls.is_empty()).then(|| {
            format!(
                "What may follow {which} of {} with unknown outcome is not known, and these sentences leave it \
                 out.",
                listed(&calls)
            )
        })
    }

    fn sentence(&self, method: usize) -> String {
        let described = &self.methods[method];
        let call = format!("`{}`", described.as_call());
        let of =
            |state: usize| self.moves.iter().filter(move |step| step.method == method && step.from == state);
        // Constructors are judged where there is no object, methods where there is one.
        let places: Vec<usize> = match described.role {
            Role::Constructor => vec![0],
            Role::Static => self.live().collect(),
            Role::Instance => self.live().filter(|&state| state != 0).collect(),
        };
        if places.is_empty() {
            return format!("{call} needs an object, and no constructor is known to create one.");
        }
        let outcomes = |state: usize, outcome: WordOutcome| {
            of(state).filter(move |step| self.states[step.to].outcome == outcome)
        };
        let unknown: BTreeSet<&String> = places
            .iter()
            .flat_map(|&state| outcomes(state, WordOutcome::Unknown))
            .flat_map(|step| &step.why)
            .collect();
        let doubt = match unknown.into_iter().next() {
            Some(reason) => format!(" In some cases its outcome is unknown: {reason}."),
            None => String::new(),
        };
        let (open, closed): (Vec<usize>, Vec<usize>) =
            places.iter().partition(|&&state| outcomes(state, WordOutcome::Ok).next().is_some());
        if open.is_empty() {
            // Objects beyond a call whose outcome is unknown may allow it.
            return match self.caveat() {
                None => format!("{call} always fails."),
                Some(_) => format!("{call} is never known to succeed.{doubt}"),
            };
        }
        let mut guards: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for &state in &open {
            let mut parts: Vec<&str> =
                outcomes(state, WordOutcome::Ok).map(|step| step.guard.as_str()).collect();
            parts.sort_unstable();
            // If nothing is refused here, the parts cover all arguments.
            let all = of(state).all(|step| self.states[step.to].outcome == WordOutcome::Ok);
            let guard = if all { "true".to_owned() } else { parts.join("` or `") };
            guards.entry(guard).or_default().push(state);
        }
        let refused: BTreeSet<&str> = open
            .iter()
            .flat_map(|&state| outcomes(state, WordOutcome::Error))
            .map(|step| step.guard.as_str())
            .collect();
        let with = match guards.len() {
            1 => match guards.keys().next().map(String::as_str) {
                Some("true") | None => String::new(),
                // One refusal reads better than several conditions.
                Some(guard) if guard.contains('`') && refused.len() == 1 && doubt.is_empty() => {
                    format!(" unless `{}`", refused.first().copied().unwrap_or_default())
                }
                Some(guard) => format!(" with `{guard}`"),
            },
            _ => {
                let cases: Vec<String> = guards
                    .iter()
                    .map(|(guard, states)| {
                        let names: Vec<String> =
                            states.iter().take(3).map(|&state| format!("“{}”", self.name(state))).collect();
                        let more = if states.len() > 3 { " and others" } else { "" };
                        let condition =
                            if guard == "true" { "any arguments".to_owned() } else { format!("`{guard}`") };
                        format!("{condition} in {}{more}", names.join(", "))
                    })
                    .collect();
                format!(", depending on the state: {}", cases.join("; "))
            }
        };
        let when = if closed.is_empty() { String::new() } else { self.when(method, &open, &closed) };
        match (when.is_empty(), with.is_empty(), described.role) {
            (true, true, Role::Constructor) if described.parameters.is_empty() => {
                format!("{call} creates an object.{doubt}")
            }
            (true, true, Role::Constructor) => {
                format!("{call} creates an object with any arguments.{doubt}")
            }
            (true, false, Role::Constructor) => {
                let only = if with.starts_with(" with") { " only" } else { "" };
                format!("{call} creates an object{only}{with}.{doubt}")
            }
            (true, true, _) => format!("{call} may be called at any time.{doubt}"),
            (true, false, _) => format!("{call} may be called at any time{with}.{doubt}"),
            (false, _, _) => format!("{call} may be called{when}{with}.{doubt}"),
        }
    }

    /// The calls that lead into the states `open`, and out of them, in words.
    fn when(&self, method: usize, open: &[usize], closed: &[usize]) -> String {
        let crossing = |from: &[usize], to: &[usize]| -> Vec<String> {
            let mut found: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
            for step in &self.moves {
                if from.contains(&step.from) && to.contains(&step.to) {
                    found.entry(step.method).or_default().insert(&step.guard);
                }
            }
            let said = |(called, guards): (usize, BTreeSet<&str>)| {
                let call = self.methods[called].as_call();
                // Where every legal call crosses, its guard says nothing that its own sentence does not say.
                let always = self.moves.iter().all(|step| {
                    step.method != called
                        || !from.contains(&step.from)
                        || to.contains(&step.to)
                        || self.states[step.to].outcome == WordOutcome::Error
                });
                let guards: Vec<&str> = guards.into_iter().collect();
                if guards.contains(&"true") || (always && (guards.len() > 1 || called == method)) {
                    format!("`{call}`")
                } else {
                    format!("`{call}` with `{}`", guards.join("` or `"))
                }
            };
            found.into_iter().map(said).collect()
        };
        let itself = |calls: &[String]| {
            let own = format!("`{}`", self.methods[method].as_call());
            !calls.is_empty() && calls.iter().all(|call| call.starts_with(&own))
        };
        let (in_, out) = (crossing(closed, open), crossing(open, closed));
        let born_open = self.moves.iter().any(|step| step.from == 0 && open.contains(&step.to));
        let mut said = match (born_open, in_.is_empty()) {
            (false, _) if !in_.is_empty() => format!(" only after {}", listed(&in_)),
            (false, _) => String::new(),
            (true, _) => " on a new object".to_owned(),
        };
        if born_open && !out.is_empty() {
            said = if itself(&out) { " once".to_owned() } else { format!(" until {}", listed(&out)) };
            if !in_.is_empty() {
                said += &format!(", and again after {}", listed(&in_));
            }
        } else if born_open && !in_.is_empty() {
            let from_start = self.moves.iter().filter(|step| step.from == 0 && open.contains(&step.to));
            let makers: BTreeSet<String> = from_start
                .map(|step| {
                    let call = self.methods[step.method].as_call();
                    if step.guard == "true" {
                        format!("`{call}`")
                    } else {
                        format!("`{call}` with `{}`", step.guard)
                    }
                })
                .collect();
            let makers: Vec<String> = makers.into_iter().collect();
            said = format!(" only after {}", listed(&[makers, in_].concat()));
        } else if itself(&out) {
            said += ", and once each time";
        } else if !born_open && !out.is_empty() {
            said += &format!(", and no longer after {}", listed(&out));
        }
        said
    }
}

/// At most four things, in a sentence.
fn listed(things: &[String]) -> String {
    const MOST: usize = 4;
    match things {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        _ if things.len() > MOST => {
            format!("{} or one of {} other calls", things[..MOST].join(", "), things.len() - MOST)
        }
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

//! ADABU: states are what an object's fields look like from afar, and calls lead from one to another.
//!
//! Paper: `tautoko`, section 2 (object behavior models, and their conversion to typestates).
//! Deviation: a field is abstracted to its sign, truth, null-ness or emptiness, because the paper leaves the
//! abstraction to earlier work; fields that the caller knows to hold one of a few constants keep them.
//! Results of inspectors are part of a state where the caller records them like fields, as `adit mine` does.
//! [`BehaviorModel::without_irrelevant_fields`], [`BehaviorModel::with_merged_futures`] and
//! [`BehaviorModel::protocol`] are our own.
//! Cost: linear in the events, times the logarithm of the number of states.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa};
use adit_trace::{Event, Label, Outcome, State, Value, observed_calls};

/// A value, seen from afar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shade {
    /// Null, or no value at all.
    Null,
    /// A text without characters.
    Empty,
    /// Any other text or object.
    Something,
    /// False.
    False,
    /// True.
    True,
    /// A number below zero.
    Negative,
    /// Zero, or an empty collection or array.
    Zero,
    /// A number above zero, or a collection or array with elements.
    Positive,
    /// No number.
    NotANumber,
    /// Exactly this number, in a field that holds one of a few.
    Is(i64),
    /// Exactly this constant, likewise.
    Constant(String),
}

impl Shade {
    /// Abstracts a value.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Void | Value::Null => Self::Null,
            Value::Bool(false) => Self::False,
            Value::Bool(true) => Self::True,
            Value::Int(0) => Self::Zero,
            Value::Int(number) => {
                if *number < 0 {
                    Self::Negative
                } else {
                    Self::Positive
                }
            }
            Value::Float(number) if *number < 0.0 => Self::Negative,
            Value::Float(number) if *number > 0.0 => Self::Positive,
            Value::Float(number) if number.is_nan() => Self::NotANumber,
            Value::Float(_) => Self::Zero,
            Value::Text(text) if text.is_empty() || text == "array of 0" => Self::Empty,
            Value::Text(_) => Self::Something,
        }
    }

    fn condition(&self, field: &str) -> String {
        match self {
            Self::Null => format!("{field} == null"),
            Self::Empty => format!("{field} is empty"),
            Self::Something => format!("{field} != null"),
            Self::False => format!("!{field}"),
            Self::True => field.to_owned(),
            Self::Negative => format!("{field} < 0"),
            Self::Zero => format!("{field} == 0"),
            Self::Positive => format!("{field} > 0"),
            Self::NotANumber => format!("{field} is NaN"),
            Self::Is(number) => format!("{field} == {number}"),
            Self::Constant(name) => format!("{field} == {name}"),
        }
    }
}

/// Tells whether a part of a state is the answer of an inspector, and not a field.
fn is_answer(field: &str) -> bool {
    field.ends_with("()")
}

/// The abstract state of an object. Answers of inspectors are named like calls: `isEmpty()`.
pub type Shades = BTreeMap<String, Shade>;

/// A call between two states of a [`BehaviorModel`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BehaviorCall {
    /// State before; none for what creates the object.
    pub from: Option<usize>,
    /// The label without an exception.
    pub label: String,
    /// The class of the exception.
    pub threw: Option<String>,
    /// State after.
    pub to: usize,
}

/// An object behavior model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BehaviorModel {
    states: Vec<Shades>,
    numbers: BTreeMap<Shades, usize>,
    calls: BTreeSet<BehaviorCall>,
    /// Fields that hold one of a few constants.
    enumerated: BTreeSet<String>,
}

/// A model without fields that make no difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The smaller model.
    pub model: BehaviorModel,
    /// The fields.
    pub dropped: Vec<String>,
    /// For each state of the larger model, its state in the smaller one.
    pub numbers: Vec<usize>,
}

/// A model in which states with the same future are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The smaller model.
    pub model: BehaviorModel,
    /// For each state of the larger model, its state in the smaller one.
    pub numbers: Vec<usize>,
}

/// The number of states for exceptions in a typestate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceptional {
    /// One, called `ex`, as in the paper.
    One,
    /// One for each class of exceptions.
    PerClass,
}

impl BehaviorModel {
    /// Makes a model without states.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a model without states that tells the constants of these fields apart.
    pub fn with_enumerated(enumerated: BTreeSet<String>) -> Self {
        Self { enumerated, ..Self::default() }
    }

    /// Adds the events of an object. Returns the calls that they are, in order. `label` must not tell
    /// exceptions.
    pub fn add(&mut self, trace: &[Event], label: &dyn Fn(&Event) -> String) -> Vec<BehaviorCall> {
        let mut last = None;
        let mut path = Vec::with_capacity(trace.len());
        for call in observed_calls(trace) {
            let from = match call.before {
                Some(before) if last.is_some() => Some(self.number(before)),
                _ => last,
            };
            let to = match &call.event.state {
                Some(state) => self.number(state),
                // Nothing was read, as after a constructor that threw.
                None => from.unwrap_or_else(|| self.number(&State::new())),
            };
            let threw = match &call.event.outcome {
                Outcome::Threw(class) => Some(class.clone()),
                _ => None,
            };
            let call = BehaviorCall { from, label: label(call.event), threw, to };
            self.calls.insert(call.clone());
            path.push(call);
            last = Some(to);
        }
        path
    }

    fn number(&mut self, state: &State) -> usize {
        let shade = |field: &String, value: &Value| match value {
            Value::Int(number) if self.enumerated.contains(field) => Shade::Is(*number),
            Value::Text(name) if self.enumerated.contains(field) => Shade::Constant(name.clone()),
            value => Shade::of(value),
        };
        let shades: Shades =
            state.iter().map(|(field, value)| (field.clone(), shade(field, value))).collect();
        self.number_of(shades)
    }

    fn number_of(&mut self, shades: Shades) -> usize {
        let fresh = self.states.len();
        let number = *self.numbers.entry(shades.clone()).or_insert(fresh);
        if number == fresh {
            self.states.push(shades);
        }
        number
    }

    /// The states, by their numbers.
    pub fn states(&self) -> &[Shades] {
        &self.states
    }

    /// Names of the states: their fields, seen from afar, without those that are the same in all of them.
    pub fn state_names(&self) -> Vec<String> {
        let differs = |field: &str| {
            let mut shades = self.states.iter().map(|shades| shades.get(field));
            let first = shades.next();
            shades.any(|shade| Some(shade) != first)
        };
        let fields: BTreeSet<&String> = self.states.iter().flat_map(BTreeMap::keys).collect();
        let told: BTreeSet<&String> = fields.into_iter().filter(|field| differs(field)).collect();
        let name = |shades: &Shades| {
            let conditions: Vec<String> = shades
                .iter()
                .filter(|(field, _)| told.contains(field))
                .map(|(field, shade)| shade.condition(field))
                .collect();
            if conditions.is_empty() { "any".to_owned() } else { conditions.join(", ") }
        };
        // Merged states may share all their conditions with others.
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        let unique = |name: String| {
            let times = times.entry(name.clone()).or_default();
            *times += 1;
            if *times == 1 { name } else { format!("{name} ({times})") }
        };
        self.states.iter().map(name).map(unique).collect()
    }

    /// The calls.
    pub fn calls(&self) -> impl Iterator<Item = &BehaviorCall> {
        self.calls.iter()
    }

    /// Number of calls that throw.
    pub fn exceptional(&self) -> usize {
        self.calls.iter().filter(|call| call.threw.is_some()).count()
    }

    /// The model as an automaton. Exceptions are on transitions, as far as labels tell them, and lead to the
    /// state after the call.
    pub fn automaton(&self) -> Fsa<String> {
        let mut builder = Builder::new();
        let start = builder.state(true);
        builder.initial(start);
        builder.name(start, "start".to_owned());
        for (shades, name) in self.states.iter().zip(self.state_names()) {
            let state = builder.state(true);
            builder.name(state, name);
            let conditions = shades.iter().map(|(field, shade)| shade.condition(field)).collect();
            builder.predicates(state, conditions);
        }
        for call in &self.calls {
            builder.edge(call.from.map_or(start, |from| from + 1), call.label.clone(), call.to + 1);
        }
        builder.build()
    }

    /// The model as what an object does up to its first exception. A state refuses the calls that always
    /// threw there; one that sometimes did needs a condition that the fields do not tell, and is possible.
    pub fn protocol(&self) -> Fsa<String> {
        let returned: BTreeSet<(Option<usize>, &str)> = self
            .calls
            .iter()
            .filter(|call| call.threw.is_none())
            .map(|call| (call.from, call.label.as_str()))
            .collect();
        // A boolean answer is part of a label, but an exception is the method's.
        let method = |label: &str| Label::parse(label).method().to_owned();
        let answered: BTreeSet<(Option<usize>, String)> =
            returned.iter().map(|(from, label)| (*from, method(label))).collect();
        let mut builder = Builder::new();
        // Nothing is possible before there is an object, so nobody can stop there.
        let start = builder.state(false);
        builder.initial(start);
        for shades in &self.states {
            let state = builder.state(true);
            let condition = |(field, shade): (&String, &Shade)| {
                if is_answer(field) {
                    shade.condition(field)
                } else {
                    shade.condition(&format!("this.{field}"))
                }
            };
            builder.predicates(state, shades.iter().map(condition).collect());
        }
        let mut refusals: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for call in &self.calls {
            let from = call.from.map_or(start, |from| from + 1);
            match &call.threw {
                None => builder.edge(from, call.label.clone(), call.to + 1),
                Some(class) if !answered.contains(&(call.from, method(&call.label))) => {
                    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
                    refusals.entry(from).or_default().insert(format!("{}!{simple}", call.label));
                }
                Some(_) => {}
            }
        }
        refusals.retain(|state, _| *state != start);
        for (state, refused) in refusals {
            builder.refusals(state, refused.into_iter().collect());
        }
        builder.build().trim()
    }

    /// Converts the model to a typestate: a state `start`, a state for each abstract state, and `ex` for
    /// calls that throw, whose labels tell the exception behind `!`.
    pub fn typestate(&self, exceptional: Exceptional) -> Fsa<String> {
        let mut builder = Builder::new();
        let start = builder.state(true);
        builder.initial(start);
        builder.name(start, "start".to_owned());
        let numbers: Vec<usize> = self
            .states
            .iter()
            .zip(self.state_names())
            .map(|(shades, name)| {
                let state = builder.state(true);
                builder.name(state, name);
                let conditions = shades.iter().map(|(field, shade)| shade.condition(field)).collect();
                builder.predicates(state, conditions);
                state
            })
            .collect();
        let mut thrown: BTreeMap<String, usize> = BTreeMap::new();
        for BehaviorCall { from, label, threw, to } in &self.calls {
            let from = from.map_or(start, |from| numbers[from]);
            let Some(class) = threw else {
                builder.edge(from, label.clone(), numbers[*to]);
                continue;
            };
            let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
            let name = match exceptional {
                Exceptional::One => "ex".to_owned(),
                Exceptional::PerClass => format!("ex {simple}"),
            };
            let state = *thrown.entry(name.clone()).or_insert_with(|| {
                let state = builder.state(true);
                builder.name(state, name);
                state
            });
            builder.edge(from, format!("{label}!{simple}"), state);
        }
        builder.build()
    }

    /// Drops fields that make no difference to what can be called, and says which.
    ///
    /// A field is dropped if no two states that differ only in it end a call differently: where a call has
    /// several ends, one of them must be the same, because rare ones are not seen everywhere. All these pairs
    /// together must have at least half of the calls of either in common: without that, agreement would be an
    /// accident of what was seen. Fields that change nothing about the states go as well.
    pub fn without_irrelevant_fields(&self) -> Reduced {
        let mut model = self.clone();
        let mut numbers: Vec<usize> = (0..self.states.len()).collect();
        let fields: BTreeSet<String> = self.states.iter().flat_map(|shades| shades.keys().cloned()).collect();
        // What an inspector answers says more to a reader than a field, so it is dropped later.
        let (answers, fields): (Vec<String>, Vec<String>) =
            fields.into_iter().partition(|field| is_answer(field));
        let mut dropped = Vec::new();
        for field in fields.into_iter().chain(answers) {
            let class = model.classes_without(&field);
            if model.agrees(&class) {
                let (smaller, of) = model.without(&field);
                model = smaller;
                numbers.iter_mut().for_each(|number| *number = of[*number]);
                dropped.push(field);
            }
        }
        Reduced { model, dropped, numbers }
    }

    /// Merges states from which the same calls were observed, each with the same ends: the same exceptions,
    /// and states that are merged, too. A merged state has the conditions that its parts share.
    pub fn with_merged_futures(&self) -> Merged {
        let numbers = self.futures();
        let mut model = Self::with_enumerated(self.enumerated.clone());
        for (state, shades) in self.states.iter().enumerate() {
            match model.states.get_mut(numbers[state]) {
                Some(shared) => shared.retain(|field, shade| shades.get(field) == Some(shade)),
                None => model.states.push(shades.clone()),
            }
        }
        for (number, shades) in model.states.iter().enumerate() {
            model.numbers.entry(shades.clone()).or_insert(number);
        }
        for call in &self.calls {
            let from = call.from.map(|from| numbers[from]);
            model.calls.insert(BehaviorCall { from, to: numbers[call.to], ..call.clone() });
        }
        Merged { model, numbers }
    }

    /// For each state, the number of its future, by refining a partition; a new number is one more than the
    /// largest before it.
    fn futures(&self) -> Vec<usize> {
        let mut future = vec![0; self.states.len()];
        let mut count = 1;
        loop {
            let mut ends: Vec<BTreeSet<(&str, Result<usize, &str>)>> =
                vec![BTreeSet::new(); self.states.len()];
            for call in &self.calls {
                let Some(from) = call.from else { continue };
                let end = call.threw.as_deref().map_or(Ok(future[call.to]), Err);
                ends[from].insert((&call.label, end));
            }
            let mut seen = BTreeMap::new();
            let next: Vec<usize> = (future.iter().zip(ends))
                .map(|(old, ends)| {
                    let fresh = seen.len();
                    *seen.entry((*old, ends)).or_insert(fresh)
                })
                .collect();
            if seen.len() <= count {
                return next;
            }
            count = seen.len();
            future = next;
        }
    }

    /// The number of each state if a field is not looked at.
    fn classes_without(&self, field: &str) -> Vec<usize> {
        let mut numbers: BTreeMap<Shades, usize> = BTreeMap::new();
        let class = |shades: &Shades| {
            let mut shades = shades.clone();
            shades.remove(field);
            let fresh = numbers.len();
            *numbers.entry(shades).or_insert(fresh)
        };
        self.states.iter().map(class).collect()
    }

    /// Returns true if states of one class do the same, as far as was seen.
    fn agrees(&self, class: &[usize]) -> bool {
        // The ends of one method's calls: the answer and the class that each leads to, or the exception,
        // which no label tells.
        type Ends<'a> = BTreeSet<Result<(&'a str, usize), &'a str>>;
        let mut ends: Vec<BTreeMap<String, Ends<'_>>> = vec![BTreeMap::new(); self.states.len()];
        for call in &self.calls {
            let Some(from) = call.from else { continue };
            let end = call.threw.as_deref().map_or(Ok((call.label.as_str(), class[call.to])), Err);
            let method = Label::parse(&call.label).method().to_owned();
            ends[from].entry(method).or_default().insert(end);
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (state, class) in class.iter().enumerate() {
            members.entry(*class).or_default().push(state);
        }
        let (mut in_common, mut in_either) = (0, 0);
        for members in members.values() {
            for (place, &one) in members.iter().enumerate() {
                for &other in &members[place + 1..] {
                    let (one, other) = (&ends[one], &ends[other]);
                    let both = one.keys().filter(|method| other.contains_key(*method)).count();
                    in_common += both;
                    in_either += one.len() + other.len() - both;
                    let same = |method: &String| {
                        other.get(method).is_none_or(|ends| !ends.is_disjoint(&one[method]))
                    };
                    if !one.keys().all(same) {
                        return false;
                    }
                }
            }
        }
        2 * in_common >= in_either
    }

    /// The model without a field, and the new number of each state.
    fn without(&self, field: &str) -> (Self, Vec<usize>) {
        let mut model = Self::with_enumerated(self.enumerated.clone());
        let strip = |shades: &Shades| {
            let mut shades = shades.clone();
            shades.remove(field);
            shades
        };
        let numbers: Vec<usize> = self.states.iter().map(|shades| model.number_of(strip(shades))).collect();
        for call in &self.calls {
            let from = call.from.map(|from| numbers[from]);
            model.calls.insert(BehaviorCall { from, to: numbers[call.to], ..call.clone() });
        }
        (model, numbers)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn event(method: &str, outcome: Outcome, fields: &[(&str, Value)]) -> Event {
        let state = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Event { outcome, state: Some(state), ..Event::call(method) }
    }

    fn ok(method: &str, fields: &[(&str, Value)]) -> Event {
        event(method, Outcome::Returned(Value::Void), fields)
    }

    fn name(event: &Event) -> String {
        event.method.clone()
    }

    fn check(model: &Fsa<String>, expected: &Expect) {
        let said = |state: usize| model.name(state).unwrap_or("?").to_owned();
        let lines: String = model
            .all_edges()
            .map(|edge| format!("{} -{}-> {}\n", said(edge.from), edge.label, said(edge.to)))
            .collect();
        expected.assert_eq(&lines);
    }

    /// Figure 3 of the paper, and the typestate of Figure 2 that is made of it.
    #[test]
    fn the_protocol_of_the_paper() {
        let socket = |is_there: bool| {
            [("socket", if is_there { Value::Text("java.net.Socket".into()) } else { Value::Null })]
        };
        let threw = Outcome::Threw("java.lang.NullPointerException".into());
        let mut model = BehaviorModel::new();
        let path = model.add(
            &[
                ok("SMTPProtocol", &socket(false)),
                ok("openPort", &socket(true)),
                ok("quit", &socket(false)),
                event("quit", threw, &socket(false)),
            ],
            &name,
        );
        assert_eq!(path.iter().map(|call| call.to).collect::<Vec<_>>(), [0, 1, 0, 0]);
        assert_eq!((model.states().len(), model.exceptional()), (2, 1));
        let typestate = model.typestate(Exceptional::One);
        assert_eq!(typestate.predicates(1), ["socket == null"]);
        check(
            &typestate,
            &expect![[r#"
            start -SMTPProtocol-> socket == null
            socket == null -openPort-> socket != null
            socket == null -quit!NullPointerException-> ex
            socket != null -quit-> socket == null
        "#]],
        );
        assert_eq!(model.typestate(Exceptional::PerClass).name(3), Some("ex NullPointerException"));
        let protocol = model.protocol();
        assert_eq!(protocol.refusals(1), ["quit!NullPointerException"]);
        assert_eq!((protocol.len(), protocol.transitions()), (3, 3));
    }

    /// The zip case of section 4.3: a comment doubles the states, and matters to no call.
    #[test]
    fn a_field_that_matters_to_no_call_is_dropped() {
        let state = |open: bool, comment: bool| {
            let comment = if comment { Value::Text("c".into()) } else { Value::Null };
            [("open", Value::Bool(open)), ("comment", comment)]
        };
        let threw = || Outcome::Threw("java.io.IOException".into());
        let mut model = BehaviorModel::new();
        for with in [false, true] {
            model.add(
                &[
                    ok("Zip", &state(true, with)),
                    ok("write", &state(true, with)),
                    ok("close", &state(false, with)),
                    event("write", threw(), &state(false, with)),
                ],
                &name,
            );
        }
        assert_eq!(model.states().len(), 4);
        let Reduced { model: small, dropped, numbers } = model.without_irrelevant_fields();
        assert_eq!((small.states().len(), dropped), (2, vec!["comment".to_owned()]));
        assert_eq!(numbers, [0, 1, 0, 1]);
        check(
            &small.typestate(Exceptional::One),
            &expect![[r#"
            start -Zip-> open
            open -close-> !open
            open -write-> open
            !open -write!IOException-> ex
        "#]],
        );
        // Seen with too little in common, the same states stay apart.
        let mut sparse = BehaviorModel::new();
        sparse.add(&[ok("Zip", &state(true, false)), ok("write", &state(true, false))], &name);
        sparse.add(&[ok("Zip", &state(true, true)), ok("close", &state(false, true))], &name);
        assert!(!sparse.without_irrelevant_fields().dropped.contains(&"comment".to_owned()));
    }

    /// Two fields that matter only together: neither can be dropped, and the states that they make are few.
    #[test]
    fn states_with_the_same_future_are_merged() {
        let state = |done: bool, closed: bool| [("closed", Value::Bool(closed)), ("done", Value::Bool(done))];
        let threw = || Outcome::Threw("java.io.IOException".into());
        let mut model = BehaviorModel::new();
        for (done, closed) in [(true, false), (false, true), (true, true)] {
            let over = state(done, closed);
            model.add(
                &[
                    ok("Zip", &state(false, false)),
                    ok("write", &state(false, false)),
                    ok("end", &over),
                    event("write", threw(), &over),
                    event("end", threw(), &over),
                ],
                &name,
            );
        }
        assert!(model.without_irrelevant_fields().dropped.is_empty());
        let Merged { model: small, numbers } = model.with_merged_futures();
        assert_eq!(numbers, [0, 1, 1, 1]);
        check(
            &small.typestate(Exceptional::One),
            &expect![[r#"
                start -Zip-> !closed, !done
                !closed, !done -end-> any
                !closed, !done -write-> !closed, !done
                any -end!IOException-> ex
                any -write!IOException-> ex
            "#]],
        );
        // A state from which another call was tried has another future, as far as anybody knows.
        model.add(
            &[ok("Zip", &state(false, false)), ok("end", &state(true, true)), ok("name", &state(true, true))],
            &name,
        );
        assert_eq!(model.with_merged_futures().numbers, [0, 1, 1, 2]);
    }

    /// A method that answers in one state and throws in another tells them apart, and so do its two answers.
    #[test]
    fn answers_and_exceptions_of_a_method_are_compared() {
        let state = |checked: bool| [("checked", Value::Bool(checked))];
        let answered = |method: &str, answer: bool, checked: bool| {
            event(method, Outcome::Returned(Value::Bool(answer)), &state(checked))
        };
        let label = |event: &Event| adit_trace::Labels::Outcome.of(event);
        let threw = || Outcome::Threw("a.LoginException".into());
        for end in [event("commit", threw(), &state(false)), answered("commit", false, false)] {
            let mut model = BehaviorModel::new();
            model.add(&[ok("Login", &state(false)), end], &label);
            model.add(&[ok("Login", &state(true)), answered("commit", true, true)], &label);
            assert_eq!(model.without_irrelevant_fields().dropped, Vec::<String>::new());
        }
    }

    #[test]
    fn constants_are_told_apart_where_the_caller_says_so() {
        let state = |number: i64| [("state", Value::Int(number))];
        let trace = [ok("Signature", &state(0)), ok("initSign", &state(2)), ok("initVerify", &state(3))];
        let mut plain = BehaviorModel::new();
        plain.add(&trace, &name);
        assert_eq!(plain.state_names(), ["state == 0", "state > 0"]);
        let mut exact = BehaviorModel::with_enumerated(["state".to_owned()].into());
        exact.add(&trace, &name);
        assert_eq!(exact.state_names(), ["state == 0", "state == 2", "state == 3"]);
        let status = |name: &str| [("status()", Value::Text(name.to_owned()))];
        let mut named = BehaviorModel::with_enumerated(["status()".to_owned()].into());
        named.add(&[ok("Order", &status("NEW")), ok("pay", &status("PAID"))], &name);
        assert_eq!(named.state_names(), ["status() == NEW", "status() == PAID"]);
    }

    /// The definition of section 2, written down again without any bookkeeping.
    fn naive(traces: &[Vec<Event>]) -> BTreeSet<(Option<Shades>, String, Option<Shades>)> {
        let mut edges = BTreeSet::new();
        for trace in traces {
            for (place, event) in trace.iter().enumerate() {
                let shades = |event: &Event| {
                    let state = event.state.clone().unwrap();
                    state.iter().map(|(name, value)| (name.clone(), Shade::of(value))).collect::<Shades>()
                };
                let before = (place > 0).then(|| shades(&trace[place - 1]));
                let after = (!matches!(event.outcome, Outcome::Threw(_))).then(|| shades(event));
                edges.insert((before, event.method.clone(), after));
            }
        }
        edges
    }

    proptest! {
        #[test]
        fn the_naive_definition_agrees(
            calls in prop::collection::vec(prop::collection::vec((0_u8..3, -1_i64..2, any::<bool>()), 1..6), 1..5),
        ) {
            let traces: Vec<Vec<Event>> = calls
                .iter()
                .map(|trace| {
                    trace
                        .iter()
                        .map(|(method, field, threw)| {
                            let outcome = if *threw { Outcome::Threw("E".into()) } else { Outcome::Returned(Value::Void) };
                            event(["a", "b", "c"][usize::from(*method)], outcome, &[("f", Value::Int(*field))])
                        })
                        .collect()
                })
                .collect();
            let mut model = BehaviorModel::new();
            traces.iter().for_each(|trace| { model.add(trace, &name); });
            let edges: BTreeSet<_> = model
                .calls()
                .map(|call| {
                    let shades = |state: usize| model.states()[state].clone();
                    (call.from.map(shades), call.label.clone(), call.threw.is_none().then(|| shades(call.to)))
                })
                .collect();
            prop_assert_eq!(edges, naive(&traces));
            let words: Vec<Vec<String>> = traces.iter().map(|trace| trace.iter().map(name).collect()).collect();
            prop_assert_eq!(crate::first_rejected(&model.automaton(), &words), None);
            // Merging by futures keeps what every state does.
            let Merged { model: merged, numbers } = model.with_merged_futures();
            let does = |model: &BehaviorModel, state: usize| -> BTreeSet<(String, Option<String>)> {
                let from = model.calls().filter(|call| call.from == Some(state));
                from.map(|call| (call.label.clone(), call.threw.clone())).collect()
            };
            for (state, merged_into) in numbers.into_iter().enumerate() {
                prop_assert_eq!(does(&model, state), does(&merged, merged_into));
            }
            prop_assert_eq!(crate::first_rejected(&merged.automaton(), &words), None);
            // Dropping fields keeps every label, and never makes a call that always threw succeed.
            let small = model.without_irrelevant_fields().model;
            prop_assert!(small.states().len() <= model.states().len());
            prop_assert_eq!(
                small.calls().map(|call| &call.label).collect::<BTreeSet<_>>(),
                model.calls().map(|call| &call.label).collect::<BTreeSet<_>>()
            );
        }
    }
}

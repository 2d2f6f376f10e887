//! A typestate: a mined model, prepared for following objects through client code.
//!
//! A state answers a call in one of three ways. It *allows* the call: there are transitions for it, and none
//! of them is a guess. It *refuses* the call: the model says that it throws. Or it does *not know*: nothing
//! was observed, or what was observed depends on the arguments, or leads to a part that was not explored.
//! Only refusals are evidence against a client, and an object of which a state does not know is followed no
//! longer.

use std::sync::Arc;

use adit_automata::format::{Call, CallEnd, Spelling};
use adit_automata::{Fsa, Modality, State};
use adit_bytecode::{Class, Flags, Instruction, Kind, MemberRef, Method, Signature, Type};
use rustc_hash::FxHashMap;

use crate::limits::MOST_STATES;

/// A set of states, one bit each.
pub(crate) type States = u128;

/// Exceptions that usually blame an argument or the data, and not the order of calls. From a method with
/// parameters, they are no evidence.
const BLAMES_ARGUMENTS: [&str; 16] = [
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "ArrayStoreException",
    "ClassCastException",
    "DateTimeException",
    "IllegalArgumentException",
    "IndexOutOfBoundsException",
    "InputMismatchException",
    "InvalidKeyException",
    "InvalidAlgorithmParameterException",
    "NegativeArraySizeException",
    "NullPointerException",
    "NumberFormatException",
    "PatternSyntaxException",
    "StringIndexOutOfBoundsException",
    "ZipException",
];

/// Exceptions that say that an operation is not there at all, or that somebody else interfered: no evidence
/// from any method.
const NO_EVIDENCE: [&str; 5] = [
    "UnsupportedOperationException",
    "ConcurrentModificationException",
    "OutOfMemoryError",
    "StackOverflowError",
    "InterruptedException",
];

/// The objects that a typestate applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverScope {
    /// Objects that are exactly of the class: created as such, or of a class without subclasses.
    Exact,
    /// Everything that is used through the class or interface, whose contract the typestate is.
    Contract,
}

/// Facts about a class that its model does not have.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// For each method of the alphabet as labels spell it (`next()`), the methods with name and descriptor
    /// that it stands for. Empty if unknown: then names and parameter types decide.
    pub methods: Vec<MethodFacts>,
    /// Methods that return a new object in its first state, as `java/util/Collection.iterator()`. The part
    /// before the last dot is a class, or a package that ends in `/*`. Without parentheses, every overload
    /// does.
    pub creators: Vec<String>,
    /// The class has no subclasses.
    pub is_final: bool,
    /// The model was made with arguments that are always right, so that no refusal blames an argument.
    pub right_arguments: bool,
}

/// Facts about one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodFacts {
    /// The method as labels spell it, without the outcome.
    pub label: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// It returns its receiver.
    pub fluent: bool,
    /// The exceptions that it declares, by their simple names.
    pub declares: Vec<String>,
}

/// Failure to use a model as a typestate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypestateError {
    /// The model has more states than sets of states can hold.
    TooManyStates(usize),
    /// No state of the model refuses a call.
    NothingRefused,
    /// No transition from an initial state constructs an object.
    NoConstructor,
    /// The model names methods that the class does not have.
    OtherVersion(Vec<String>),
}

/// A typestate of a class.
#[derive(Debug)]
pub struct Typestate {
    /// Internal name of the class.
    pub class: Arc<str>,
    pub(crate) scope: ReceiverScope,
    is_final: bool,
    pub(crate) creators: Vec<Creator>,
    /// Every state that an object may be in when nothing is known about it.
    pub(crate) all: States,
    /// The states of an object that was just created.
    pub(crate) created: States,
    pub(crate) calls: Vec<CallSpec>,
    /// The call of a method, by name and descriptor; filled for methods whose facts are known.
    exact: FxHashMap<(Arc<str>, Arc<str>), usize>,
    /// Calls by name, for methods whose facts are not known.
    by_name: FxHashMap<String, Vec<usize>>,
    reactions: Vec<Vec<Reaction>>,
    names: Vec<String>,
}

/// A method that creates objects in their first state.
#[derive(Clone, Debug)]
pub(crate) struct Creator {
    class: String,
    is_package: bool,
    name: String,
    /// Parameter types as labels spell them; `None` for every overload.
    parameters: Option<String>,
}

/// A method of the alphabet.
#[derive(Clone, Debug)]
pub(crate) struct CallSpec {
    /// As labels spell it.
    pub(crate) label: String,
    name: String,
    parameters: Option<String>,
    has_parameters: bool,
    pub(crate) fluent: bool,
    pub(crate) declares: Vec<String>,
}

/// The answer of a state to a call.
#[derive(Clone, Debug, Default)]
struct Reaction {
    returned: States,
    answered: [States; 2],
    refusal: Option<String>,
    unknown: bool,
}

/// The answer of a set of states to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The states that refuse it.
    pub(crate) refused: States,
    /// The first exception of a refusal.
    pub(crate) exception: Option<String>,
    /// States after it returned anything but a known boolean.
    pub(crate) returned: States,
    /// States after it returned true.
    pub(crate) on_true: States,
    /// States after it returned false.
    pub(crate) on_false: States,
    /// Some state does not know.
    pub(crate) unknown: bool,
}

impl Typestate {
    /// Prepares a model of the class with this internal name.
    pub fn new(
        class: &str,
        model: &Fsa<String>,
        spelling: &Spelling,
        scope: ReceiverScope,
        facts: &Facts,
    ) -> Result<Typestate, TypestateError> {
        if model.len() > MOST_STATES {
            return Err(TypestateError::TooManyStates(model.len()));
        }
        let simple = class.rsplit(['/', '$']).next().unwrap_or(class);
        let mut typestate = Typestate {
            class: class.into(),
            scope,
            is_final: facts.is_final,
            creators: facts.creators.iter().filter_map(|text| Creator::parse(text)).collect(),
            all: 0,
            created: 0,
            calls: Vec::new(),
            exact: FxHashMap::default(),
            by_name: FxHashMap::default(),
            reactions: Vec::new(),
            names: model
                .states()
                .map(|state| model.name(state).map_or_else(|| state.to_string(), str::to_owned))
                .collect(),
        };
        let unexplored = model.not_explored();
        let ends = ends_of_exceptions(model, &|label| (spelling.call)(label));
        let is_start = |state: State| model.initial().contains(&state);
        let parse = |label| (spelling.call)(label);
        // Objects come into being on the transitions that leave an initial state to which nothing leads back.
        for edge in model.initial().iter().flat_map(|&state| model.edges(state)) {
            let creates = parse(edge.label).is_some_and(|call| call.method == simple)
                || model.all_edges().all(|other| other.to != edge.from);
            if creates && Some(edge.to) != unexplored && ends & (1 << edge.to) == 0 {
                typestate.created |= 1 << edge.to;
            }
        }
        if typestate.created == 0 {
            return Err(TypestateError::NoConstructor);
        }
        typestate.all = reachable(model, typestate.created, unexplored) & !ends;
        typestate.find_calls(model, &parse, facts, is_start);
        typestate.reactions = vec![Vec::new(); model.len()];
        let mut succeeds = vec![false; typestate.calls.len()];
        for state in model.states().filter(|&state| !is_start(state)) {
            let reactions = typestate.react(model, state, &parse, unexplored, ends);
            for (at, reaction) in reactions.iter().enumerate() {
                succeeds[at] |= (reaction.returned | reaction.answered[0] | reaction.answered[1]) != 0;
            }
            typestate.reactions[state] = reactions;
        }
        typestate.weigh_refusals(&succeeds, facts.right_arguments);
        let refuses = typestate.reactions.iter().flatten().any(|reaction| reaction.refusal.is_some());
        if !refuses {
            return Err(TypestateError::NothingRefused);
        }
        Ok(typestate)
    }

    /// Collects the methods of the alphabet and of the refusals.
    fn find_calls<'m>(
        &mut self,
        model: &'m Fsa<String>,
        parse: &impl Fn(&'m str) -> Option<Call<'m>>,
        facts: &Facts,
        is_start: impl Fn(State) -> bool,
    ) {
        let inner = model.all_edges().filter(|edge| !is_start(edge.from)).map(|edge| edge.label.as_str());
        let refused = model.states().flat_map(|state| model.refusals(state)).map(String::as_str);
        let mut seen = FxHashMap::default();
        for call in inner.chain(refused).filter_map(parse) {
            seen.entry(spelled(&call)).or_insert(call);
        }
        let mut seen: Vec<(String, Call<'_>)> = seen.into_iter().collect();
        seen.sort_by(|one, other| one.0.cmp(&other.0));
        for (label, call) in seen {
            let at = self.calls.len();
            let mut known = facts.methods.iter().filter(|method| method.label == label).peekable();
            let facts_known = known.peek().is_some();
            let mut spec = CallSpec {
                label: label.clone(),
                name: call.method.to_owned(),
                parameters: call.parameters.map(str::to_owned),
                has_parameters: call.parameters.is_none_or(|parameters| !parameters.is_empty()),
                fluent: false,
                declares: Vec::new(),
            };
            if facts_known {
                spec.has_parameters = false;
            }
            for method in known {
                spec.has_parameters |= !method.descriptor.starts_with("()");
                spec.fluent |= method.fluent;
                spec.declares.clone_from(&method.declares);
                self.exact.insert((method.name.as_str().into(), method.descriptor.as_str().into()), at);
            }
            if !facts_known {
                self.by_name.entry(spec.name.clone()).or_default().push(at);
            }
            self.calls.push(spec);
        }
    }

    /// The answers of one state to all calls.
    fn react<'m>(
        &self,
        model: &'m Fsa<String>,
        state: State,
        parse: &impl Fn(&'m str) -> Option<Call<'m>>,
        unexplored: Option<State>,
        ends: States,
    ) -> Vec<Reaction> {
        let mut reactions = vec![Reaction::default(); self.calls.len()];
        let at = |call: &Call<'_>| {
            let label = spelled(call);
            self.calls.binary_search_by(|known| known.label.cmp(&label)).ok()
        };
        for edge in model.edges(state) {
            let Some(call) = parse(edge.label) else { continue };
            let Some(at) = at(&call) else { continue };
            let reaction = &mut reactions[at];
            if edge.modality == Modality::Maybe || Some(edge.to) == unexplored {
                reaction.unknown = true;
                continue;
            }
            let to = 1 << edge.to;
            match call.end {
                CallEnd::Threw(exception) if ends & to != 0 => {
                    reaction.refusal.get_or_insert_with(|| exception.to_owned());
                }
                CallEnd::Any => reaction.returned |= to,
                CallEnd::Returned(answer) => reaction.answered[usize::from(answer)] |= to,
                // A call that throws and changes the object is not a refusal, and no return either.
                CallEnd::Threw(_) => reaction.unknown = true,
            }
        }
        for call in model.refusals(state).iter().filter_map(|label| parse(label)) {
            let (Some(at), CallEnd::Threw(exception)) = (at(&call), call.end) else { continue };
            let refusal = &mut reactions[at].refusal;
            *refusal = Some(match refusal.take() {
                Some(known) if !alternatives(&known).any(|one| one == exception) => {
                    format!("{known}{OR}{exception}")
                }
                _ => exception.to_owned(),
            });
        }
        for reaction in &mut reactions {
            let allowed = (reaction.returned | reaction.answered[0] | reaction.answered[1]) != 0;
            if allowed || reaction.unknown {
                reaction.refusal = None;
            } else if reaction.refusal.is_none() {
                reaction.unknown = true;
            }
        }
        reactions
    }

    /// Keeps the refusals that are evidence, and turns the others into ignorance.
    fn weigh_refusals(&mut self, succeeds: &[bool], right_arguments: bool) {
        let has_parameters: Vec<bool> = self.calls.iter().map(|call| call.has_parameters).collect();
        for reaction in &mut self.reactions {
            for (at, reaction) in reaction.iter_mut().enumerate() {
                let Some(exception) = &reaction.refusal else { continue };
                let is_one_of =
                    |names: &[&str]| alternatives(exception).any(|one| names.contains(&simple_name(one)));
                let blames = has_parameters[at] && !right_arguments && is_one_of(&BLAMES_ARGUMENTS);
                // A call that fails everywhere was perhaps never made with the right arguments.
                if blames || is_one_of(&NO_EVIDENCE) || !succeeds[at] {
                    reaction.refusal = None;
                    reaction.unknown = true;
                }
            }
        }
    }

    /// The call of the method with this name and descriptor, if it is in the alphabet.
    pub(crate) fn call(&self, name: &str, descriptor: &str) -> Option<usize> {
        // Maps with borrowed pairs as keys need owned ones; names are short.
        if let Some(&at) = self.exact.get(&(Arc::from(name), Arc::from(descriptor))) {
            return Some(at);
        }
        self.call_by_name(name, &parameter_names(descriptor)?)
    }

    /// The call of a method whose facts are not known, by its name and its parameter types.
    pub(crate) fn call_by_name(&self, name: &str, parameters: &str) -> Option<usize> {
        let candidates = self.by_name.get(name)?;
        let fits = |at: &&usize| self.calls[**at].parameters.as_deref() == Some(parameters);
        let bare = |at: &&usize| self.calls[**at].parameters.is_none();
        candidates.iter().find(fits).or_else(|| candidates.iter().find(bare)).copied()
    }

    /// The calls of methods whose facts are known, by name and descriptor.
    pub(crate) fn exact_calls(&self) -> impl Iterator<Item = ((&str, &str), usize)> {
        self.exact.iter().map(|((name, descriptor), call)| ((&**name, &**descriptor), *call))
    }

    /// The names of the methods of the alphabet.
    pub(crate) fn method_names(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().map(|call| call.name.as_str())
    }

    /// Returns true if the call is a question that the state answers: it changes nothing, and its answer is
    /// true in some states and false in others. Asked again, it gives the same answer.
    pub(crate) fn is_answered_by_state(&self, call: usize) -> bool {
        let mut seen = [false; 2];
        members(self.all).all(|state| {
            let Some(reaction) = self.reactions[state].get(call) else { return false };
            let [no, yes] = reaction.answered;
            seen[0] |= no != 0;
            seen[1] |= yes != 0;
            reaction.returned == 0 && (no | yes) & !(1 << state) == 0
        }) && seen == [true; 2]
    }

    /// The exception with which a state refuses a call.
    pub(crate) fn refusal(&self, state: usize, call: usize) -> Option<&str> {
        self.reactions.get(state)?.get(call)?.refusal.as_deref()
    }

    /// Returns true if the typestate applies to objects of exactly its class.
    pub fn is_of_exact_class(&self) -> bool {
        self.scope == ReceiverScope::Exact
    }

    /// Returns true if the typestate applies to objects of this class, with dots, which is the class of the
    /// typestate or one below it.
    pub fn applies_to(&self, class: &str) -> bool {
        self.scope == ReceiverScope::Contract || self.class.replace('/', ".") == class
    }

    /// Returns true if the static method or the method of that class creates objects in their first state.
    pub(crate) fn creates(&self, member: &MemberRef) -> bool {
        self.creators.iter().any(|creator| creator.is(member))
    }

    /// The answer of the states to a call.
    pub(crate) fn answer(&self, states: States, call: usize) -> Answer {
        let mut answer =
            Answer { refused: 0, exception: None, returned: 0, on_true: 0, on_false: 0, unknown: false };
        for state in members(states) {
            let Some(reaction) = self.reactions[state].get(call) else {
                answer.unknown = true;
                continue;
            };
            answer.unknown |= reaction.unknown;
            answer.returned |= reaction.returned;
            answer.on_false |= reaction.answered[0];
            answer.on_true |= reaction.answered[1];
            if let Some(exception) = &reaction.refusal {
                answer.refused |= 1 << state;
                answer.exception.get_or_insert_with(|| exception.clone());
            }
        }
        answer
    }

    /// Returns true if a call that succeeds in these states may change the state of the object.
    pub(crate) fn tells(&self, states: States, call: usize) -> bool {
        members(states).any(|state| {
            self.reactions[state].get(call).is_some_and(|reaction| {
                let after = reaction.returned | reaction.answered[0] | reaction.answered[1];
                after & !(1 << state) != 0
            })
        })
    }

    /// Returns true if the typestate surely holds of an object that others created.
    pub(crate) fn holds_of_all(&self) -> bool {
        self.is_final || self.scope == ReceiverScope::Contract
    }

    /// Names of the states, separated by commas.
    pub(crate) fn state_names(&self, states: States) -> String {
        let names: Vec<&str> = members(states).map(|state| self.names[state].as_str()).collect();
        names.join(", ")
    }

    /// The class as people write it.
    pub fn dotted_class(&self) -> String {
        self.class.replace(['/', '$'], ".")
    }

    /// Name of the class without its package.
    pub(crate) fn simple_class(&self) -> &str {
        self.class.rsplit(['/', '$']).next().unwrap_or(&self.class)
    }

    /// The rules of which one event is the reason: after it, whatever came before, the call throws.
    pub fn rules(&self) -> Vec<String> {
        let class = self.simple_class();
        let mut rules = Vec::new();
        // The states after each event, from anywhere.
        let mut after: Vec<(String, States)> = vec![(format!("on a new {class}"), self.created)];
        for (at, call) in self.calls.iter().enumerate() {
            let answer = self.answer(self.all, at);
            if answer.unknown {
                continue;
            }
            let name = plain(&call.label);
            let ends = [
                (format!("after `{name}`"), answer.returned),
                (format!("after `{name}` returned false"), answer.on_false),
                (format!("after `{name}` returned true"), answer.on_true),
            ];
            after.extend(ends.into_iter().filter(|(_, states)| *states != 0));
        }
        for (at, call) in self.calls.iter().enumerate() {
            for (when, states) in &after {
                let answer = self.answer(*states, at);
                if !answer.unknown && answer.refused == *states {
                    let exception = answer.exception.unwrap_or_default();
                    rules.push(format!("`{class}.{}` {when} throws {exception}", plain(&call.label)));
                }
            }
        }
        rules.sort();
        rules.dedup();
        rules
    }

    /// All refusals that count as evidence, as pairs of a state's number and a label such as
    /// `next!IllegalStateException`.
    pub fn refusals(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for state in members(self.all) {
            for (at, reaction) in self.reactions[state].iter().enumerate() {
                if let Some(exception) = &reaction.refusal {
                    found.push((state, format!("{}!{exception}", self.calls[at].label)));
                }
            }
        }
        found
    }
}

impl Creator {
    fn parse(text: &str) -> Option<Creator> {
        let (text, parameters) = match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            Some((text, parameters)) => (text, Some(parameters.to_owned())),
            None => (text, None),
        };
        let (class, name) = text.rsplit_once('.')?;
        let package = class.strip_suffix('*');
        Some(Creator {
            class: package.unwrap_or(class).to_owned(),
            is_package: package.is_some(),
            name: name.to_owned(),
            parameters,
        })
    }

    fn is(&self, member: &MemberRef) -> bool {
        let class = &*member.class;
        let fits = if self.is_package { class.starts_with(&self.class) } else { class == self.class };
        fits && *self.name == *member.name
            && (self.parameters.is_none() || self.parameters == parameter_names(&member.descriptor))
    }
}

/// Finds what a model of a class does not say: the descriptors of its methods, and which return their
/// receiver.
///
/// `above` are the class and its supertypes, nearest first, as far as they are known. Returns the methods of
/// the model that the class does not have, if there are any.
pub fn facts_of(
    model: &Fsa<String>,
    spelling: &Spelling,
    above: &[Arc<Class>],
) -> Result<Vec<MethodFacts>, Vec<String>> {
    let Some(class) = above.first() else { return Ok(Vec::new()) };
    let simple = class.name.rsplit(['/', '$']).next().unwrap_or(&class.name);
    let mut found: Vec<MethodFacts> = Vec::new();
    let mut missing = Vec::new();
    let labels = model.alphabet().iter().chain(model.states().flat_map(|state| model.refusals(state)));
    let mut done = Vec::new();
    for call in labels.filter_map(|label| (spelling.call)(label)) {
        let label = spelled(&call);
        if call.method == simple || done.contains(&label) {
            continue;
        }
        done.push(label.clone());
        let named = |method: &&Method| {
            *method.name == *call.method && !method.is_static() && !method.flags.has(Flags::BRIDGE)
        };
        let fits = |method: &&Method| match call.parameters {
            Some(parameters) => parameter_names(&method.descriptor).as_deref() == Some(parameters),
            None => true,
        };
        let before = found.len();
        for method in above.iter().flat_map(|class| &class.methods).filter(named).filter(fits) {
            let parameters = method.descriptor.split(')').next();
            let overrides = |known: &MethodFacts| known.descriptor.split(')').next() == parameters;
            if found[before..].iter().any(overrides) {
                continue;
            }
            found.push(MethodFacts {
                label: label.clone(),
                name: method.name.to_string(),
                descriptor: method.descriptor.to_string(),
                fluent: returns_receiver(method),
                declares: method
                    .exceptions
                    .iter()
                    .map(|name| name.rsplit(['/', '$']).next().unwrap_or(name).to_owned())
                    .collect(),
            });
        }
        // A label without parameter types that fits several overloads stands for the one that was called, and
        // nobody knows which.
        if call.parameters.is_none() && found.len() > before + 1 {
            found.truncate(before);
            continue;
        }
        if found.len() == before && !is_creator_label(model, spelling, &call) {
            missing.push(label);
        }
    }
    if missing.is_empty() { Ok(found) } else { Err(missing) }
}

/// Returns true if the label of the call occurs only where objects come into being.
fn is_creator_label(model: &Fsa<String>, spelling: &Spelling, call: &Call<'_>) -> bool {
    let of_call = |label: &str| (spelling.call)(label).is_some_and(|other| other.method == call.method);
    model.all_edges().filter(|edge| of_call(edge.label)).all(|edge| model.initial().contains(&edge.from))
}

/// Returns true if every return of the method pushes the receiver just before.
fn returns_receiver(method: &Method) -> bool {
    let Some(code) = &method.code else { return false };
    let mut returns = 0;
    for pair in code.instructions.windows(2) {
        if matches!(pair[1].1, Instruction::Return(Some(Kind::Reference))) {
            returns += 1;
            if !matches!(pair[0].1, Instruction::Load(Kind::Reference, 0)) {
                return false;
            }
        }
    }
    let kept = |(_, instruction): &(u32, Instruction)| !matches!(instruction, Instruction::Store(_, 0));
    returns > 0 && code.instructions.iter().all(kept)
}

/// The method of a label, without the outcome.
fn spelled(call: &Call<'_>) -> String {
    match call.parameters {
        Some(parameters) => format!("{}({parameters})", call.method),
        None => call.method.to_owned(),
    }
}

/// A method of a label without its parameter types, unless there are some.
pub(crate) fn plain(label: &str) -> &str {
    label.strip_suffix("()").unwrap_or(label)
}

/// The parameter types as labels spell them: `int,String`.
pub(crate) fn parameter_names(descriptor: &str) -> Option<String> {
    let signature = Signature::parse(descriptor)?;
    let names: Vec<String> = signature.parameters.iter().map(type_name).collect();
    Some(names.join(","))
}

pub(crate) fn type_name(one: &Type) -> String {
    match one {
        Type::Boolean => "boolean".to_owned(),
        Type::Byte => "byte".to_owned(),
        Type::Char => "char".to_owned(),
        Type::Short => "short".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Long => "long".to_owned(),
        Type::Float => "float".to_owned(),
        Type::Double => "double".to_owned(),
        Type::Class(name) => name.rsplit(['/', '$']).next().unwrap_or(name).to_owned(),
        Type::Array(element) => format!("{}[]", type_name(element)),
    }
}

/// The states of a set.
pub(crate) fn members(states: States) -> impl Iterator<Item = usize> {
    let mut left = states;
    std::iter::from_fn(move || {
        let next = left.trailing_zeros() as usize;
        (left != 0).then(|| {
            left &= left - 1;
            next
        })
    })
}

/// Stands between the exceptions of a call that different objects of one state refuse differently.
const OR: &str = " or ";

/// The exceptions of a refusal.
pub(crate) fn alternatives(exception: &str) -> impl Iterator<Item = &str> {
    exception.split(OR)
}

/// The name of a class without its package.
pub(crate) fn simple_name(class: &str) -> &str {
    class.rsplit(['.', '/', '$']).next().unwrap_or(class)
}

/// The states that only stand for exceptions, as `ex` in an enriched typestate: calls that throw lead there,
/// and nothing leads on.
fn ends_of_exceptions<'m>(model: &'m Fsa<String>, parse: &impl Fn(&'m str) -> Option<Call<'m>>) -> States {
    let threw = |label| parse(label).is_some_and(|call| matches!(call.end, CallEnd::Threw(_)));
    let mut ends = 0;
    for edge in model.all_edges() {
        ends |= 1 << edge.to;
    }
    for edge in model.all_edges() {
        ends &= !(1 << edge.from);
        if !threw(edge.label) {
            ends &= !(1 << edge.to);
        }
    }
    ends
}

/// The states that are reachable from these, without the place that was not explored.
fn reachable(model: &Fsa<String>, from: States, unexplored: Option<State>) -> States {
    let mut found = from;
    let mut open: Vec<State> = members(from).collect();
    while let Some(state) = open.pop() {
        for edge in model.edges(state).filter(|edge| Some(edge.to) != unexplored) {
            if found & (1 << edge.to) == 0 {
                found |= 1 << edge.to;
                open.push(edge.to);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn creates(creator: &str, class: &str, name: &str, descriptor: &str) -> bool {
        let member = MemberRef {
            class: class.into(),
            name: name.into(),
            descriptor: descriptor.into(),
            in_interface: false,
        };
        Creator::parse(creator).is_some_and(|creator| creator.is(&member))
    }

    #[test]
    fn creators_are_told_apart_by_their_parameters() {
        let (list, none) = ("java/util/ArrayList", "()Ljava/util/ListIterator;");
        assert!(creates("java/util/*.listIterator()", list, "listIterator", none));
        // `listIterator(5)` begins in the middle.
        assert!(!creates("java/util/*.listIterator()", list, "listIterator", "(I)Ljava/util/ListIterator;"));
        assert!(!creates("java/util/*.listIterator()", "com/acme/List", "listIterator", none));
        let (store, name) = ("java/security/KeyStore", "getInstance");
        let one = "java/security/KeyStore.getInstance(String)";
        assert!(creates(one, store, name, "(Ljava/lang/String;)Ljava/security/KeyStore;"));
        assert!(!creates(one, store, name, "(Ljava/io/File;[C)Ljava/security/KeyStore;"));
        assert!(creates("javax/crypto/Mac.getInstance", "javax/crypto/Mac", name, "(I)Ljavax/crypto/Mac;"));
    }
}

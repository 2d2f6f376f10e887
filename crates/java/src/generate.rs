//! Random scripts: an object of the class, calls on it, and arguments that are fresh, or seen before, or
//! returned before.
//!
//! Later scripts use the results of earlier runs: ways to make objects that never work are taken rarely, and
//! strings and numbers that the class gives are handed to it again.
//!
//! Paper: none; random testing with feedback, as many tools do it.
//! Cost: about a microsecond for a script of ten calls, most of it for the memory of its statements.

use std::collections::BTreeMap;
use std::sync::Arc;

use adit_bytecode::Type;
use adit_trace::{
    Argument, Author, CallKind, Callable, End, Run, Script, SlowCalls, Statement, StepResult, Value,
    ValueKind,
};
use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;

use crate::dear::DearCalls;
use crate::given::way_to;
use crate::guards::Guards;
use crate::passed::PassedValues;
use crate::pool::Source;
use crate::proven::Proven;
use crate::recent::Recent;
use crate::source::Facts;
use crate::supply::{append, takes_contents};
use crate::weights::Weights;
use crate::{Api, Operation, Recipe, Supply, TextKinds};

/// Options of the generator.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// Probability that an argument is something that the script already has, if anything fits.
    pub reuse: f64,
    /// Probability that a script has a second object of the class.
    pub second_object: f64,
    /// Mutation and crossover give no script with more statements than this, unless they were given one.
    pub longest: usize,
}

/// Makes scripts that call a class at random, the same ones for the same seed and the same observations.
#[derive(Clone, Debug)]
pub struct Generator {
    pub(crate) options: GeneratorOptions,
    pub(crate) calls: Vec<Known>,
    /// The place of a callable in `calls`: by its address, which is fast and usual, and by its value.
    by_address: FxHashMap<usize, usize>,
    by_callable: BTreeMap<Callable, usize>,
    pub(crate) starts: Vec<usize>,
    start_weights: Weights,
    pub(crate) methods: Vec<usize>,
    pub(crate) sources: Vec<Source>,
    /// For each pair of types, by number: a value of the first can stand for one of the second.
    fits: Vec<Vec<bool>>,
    /// The number of the class under test among the types.
    class: usize,
    pub(crate) types: Vec<Type>,
    /// For types by number, what objects of the class gave, for calls that rarely return.
    pub(crate) given: BTreeMap<usize, Recent<Recipe, MOST_GIVEN>>,
    /// The number of the type of texts, if anything takes one.
    pub(crate) texts_source: Option<usize>,
    supply: Supply,
    pub(crate) texts: TextKinds,
    /// Calls of makers that hang or take long.
    pub(crate) dear: DearCalls,
    /// What the subject tells of calls that take long.
    pub(crate) slow_calls: SlowCalls,
}

/// A callable, with its types by number.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) callable: Arc<Callable>,
    pub(crate) receiver: Option<usize>,
    pub(crate) parameters: Vec<usize>,
    pub(crate) result: Option<usize>,
    /// For each parameter, the values that code elsewhere passes; empty if there are none at all.
    pub(crate) passed: Vec<PassedValues>,
    /// For each parameter, the values that its code compares with; empty if there are none at all.
    guards: Vec<Guards>,
    /// Arguments with which it returned, if it rarely does.
    pub(crate) proven: Proven,
    seen: Seen,
    /// Numbers of calls that returned and that did not.
    pub(crate) good: u32,
    pub(crate) bad: u32,
    /// Number of calls that hung or killed their machine.
    pub(crate) hung: u32,
    /// It hangs too often to be called.
    given_up: bool,
    /// The exceptions that it threw before it ever returned: class, first message, number.
    pub(crate) failures: Vec<(Arc<str>, Option<Box<str>>, u32)>,
    /// The kinds of texts that it was called with before it ever returned.
    pub(crate) texts: TextKinds,
}

/// The classes of the objects that a callable gave.
#[derive(Clone, Debug)]
enum Seen {
    None,
    /// Always this one, and the number of the type that the descriptor promises.
    One(Arc<str>, usize),
    Many,
}

/// A script while it is made, with what its statements give.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) statements: Vec<Statement>,
    /// The type of each statement's value, by number.
    pub(crate) given: Vec<Option<usize>>,
    /// The statements that gave objects of the class.
    pub(crate) objects: Vec<usize>,
    /// The plain arguments so far: their types, and where they stand.
    used: Vec<(usize, usize, usize)>,
}

/// Number of failures without a success after which a call is not expected to work.
pub(crate) const HOPELESS: u32 = 8;

/// Probability that a text that something is made from is another than that of its recipe.
const OTHER_TEXT: f64 = 0.35;

/// Probability that a call that rarely returns gets what another object of the class gave.
const GIVEN: f64 = 0.4;

/// Probability that a call that rarely returns gets what other code passes for all of its parameters.
const FAITHFUL: f64 = 0.3;

/// So many of these are kept for a type.
const MOST_GIVEN: usize = 4;

/// Number of times that another method is drawn instead of one that was given up.
const SECOND_THOUGHTS: usize = 3;

/// Probability that the next call is on the first object when there are two.
const FIRST_OBJECT: f64 = 0.7;

impl Generator {
    /// A generator of scripts for this API, with values from this supply.
    pub fn new(api: &Api, supply: Supply, options: GeneratorOptions) -> Generator {
        let mut types = Types::default();
        let class = types.number(&Type::Class(api.internal_name().into()));
        let mut calls = Vec::new();
        for operation in api.starts.iter().chain(&api.methods).chain(supply.operations()) {
            let mut known = types.known(operation);
            if let Some(passed) = supply.passed(&operation.callable) {
                let is_start = calls.len() < api.starts.len();
                let values = passed.iter().map(|recipes| PassedValues::new(recipes.clone(), is_start));
                known.passed = values.collect();
            }
            if let Some(guards) = supply.guards(&operation.callable) {
                known.guards = guards.iter().cloned().map(Guards::new).collect();
            }
            calls.push(known);
        }
        let mut by_callable = BTreeMap::new();
        let mut by_address = FxHashMap::default();
        for (at, known) in calls.iter().enumerate() {
            by_callable.entry((*known.callable).clone()).or_insert(at);
            by_address.insert(address(&known.callable), at);
        }
        let starts: Vec<usize> = (0..api.starts.len()).collect();
        let methods = (api.starts.len()..api.starts.len() + api.methods.len()).collect();
        let sources = types.all.iter().map(|wanted| Source::new(supply.recipes(wanted).to_vec())).collect();
        let row = |given| types.all.iter().map(|wanted| supply.fits(given, wanted)).collect();
        let fits = types.all.iter().map(row).collect();
        let start_weights = Weights::default();
        let is_string = |wanted: &Type| *wanted == Type::Class("java/lang/String".into());
        let texts_source = types.all.iter().position(is_string);
        let mut made = Generator {
            options,
            calls,
            by_address,
            by_callable,
            starts,
            start_weights,
            methods,
            sources,
            fits,
            class,
            types: types.all,
            given: BTreeMap::new(),
            texts_source,
            supply,
            texts: TextKinds::default(),
            dear: DearCalls::default(),
            slow_calls: SlowCalls::default(),
        };
        made.weigh();
        made
    }

    /// Adds statements that make an object of the class, and says whether it did.
    pub(crate) fn start(&self, draft: &mut Draft, rng: &mut impl Rng) -> bool {
        let start = self.starts[self.start_weights.draw(rng)];
        let receiver = match self.calls[start].receiver {
            Some(wanted) => self.made(draft, wanted, rng),
            None => None,
        };
        self.add(draft, start, receiver, rng)
    }

    /// A receiver for a start that is called on something else; nothing when only null was found.
    fn made(&self, draft: &mut Draft, wanted: usize, rng: &mut impl Rng) -> Option<usize> {
        // Null is rare among the recipes.
        for _ in 0..8 {
            if let Argument::Earlier(at) = self.fresh(draft, wanted, rng)? {
                return Some(at);
            }
        }
        None
    }

    /// Adds a call of some method on the object, and says whether it did.
    pub(crate) fn call(&self, draft: &mut Draft, object: Option<usize>, rng: &mut impl Rng) -> bool {
        if object.is_none() || self.methods.is_empty() {
            return false;
        }
        let mut draw = || self.methods[rng.random_range(0..self.methods.len())];
        let mut method = draw();
        for _ in 0..SECOND_THOUGHTS {
            if !self.calls[method].given_up {
                break;
            }
            method = draw();
        }
        self.add(draft, method, object, rng)
    }

    /// Adds a call with arguments of its own. Without the receiver or a value that it needs, the call is not
    /// added, and the answer is no.
    pub(crate) fn add(
        &self,
        draft: &mut Draft,
        call: usize,
        receiver: Option<usize>,
        rng: &mut impl Rng,
    ) -> bool {
        let known = &self.calls[call];
        if known.receiver.is_some() != receiver.is_some() {
            return false;
        }
        if known.is_hard()
            && let Some((statements, args)) = known.proven.draw(draft.statements.len(), rng)
        {
            for statement in statements {
                draft.given.push(self.known(&statement.callable).and_then(|known| known.result));
                draft.statements.push(statement);
            }
            self.push(draft, call, receiver, args);
            return true;
        }
        let mut args = Vec::with_capacity(known.parameters.len());
        let is_faithful = known.is_hard() && rng.random_bool(FAITHFUL);
        for place in 0..known.parameters.len() {
            // What other code passes often works only together.
            let passed = known.passed.get(place).filter(|_| is_faithful);
            if let Some(recipe) = passed.and_then(|passed| passed.draw_one(rng)) {
                args.push(self.placed(draft, recipe, rng));
                continue;
            }
            let Some(argument) = self.argument(draft, call, place, receiver, rng) else { return false };
            args.push(argument);
        }
        self.fit_ranges(known, &mut args, rng);
        self.push(draft, call, receiver, args);
        true
    }

    /// Adds a statement.
    pub(crate) fn push(&self, draft: &mut Draft, call: usize, receiver: Option<usize>, args: Vec<Argument>) {
        let known = &self.calls[call];
        let at = draft.statements.len();
        for (place, (argument, &wanted)) in args.iter().zip(&known.parameters).enumerate() {
            if matches!(argument, Argument::Int(_) | Argument::Text(_) | Argument::Float(_)) {
                draft.used.push((wanted, at, place));
            }
        }
        draft.statements.push(Statement { callable: known.callable.clone(), receiver, args });
        draft.given.push(known.result);
        let gives_object = match known.callable.kind {
            CallKind::Constructor | CallKind::Function => true,
            CallKind::Method | CallKind::Constant => call < self.starts.len(),
        };
        if gives_object && known.result.is_some_and(|given| self.fits[given][self.class]) {
            draft.objects.push(at);
        }
    }

    /// A value for a parameter of a call: one that the script has, one that code elsewhere passes, one that
    /// the call's own code compares with, or a fresh one, for which statements may be added; nothing if there
    /// is none.
    pub(crate) fn argument(
        &self,
        draft: &mut Draft,
        call: usize,
        place: usize,
        receiver: Option<usize>,
        rng: &mut impl Rng,
    ) -> Option<Argument> {
        let known = &self.calls[call];
        let wanted = known.parameters[place];
        let passed = known.passed.get(place);
        // A start with a value from anywhere makes no object at all.
        if call < self.starts.len()
            && let Some(recipe) = passed.and_then(|passed| passed.draw(rng))
        {
            return Some(self.placed(draft, recipe, rng));
        }
        if rng.random_bool(self.options.reuse.clamp(0.0, 1.0))
            && let Some(known) = self.known_value(draft, wanted, receiver, rng)
        {
            return Some(known);
        }
        if let Some(recipe) = passed.and_then(|passed| passed.draw(rng)) {
            return Some(self.placed(draft, recipe, rng));
        }
        if known.is_hard()
            && let Some(given) = self.given.get(&wanted).and_then(|given| given.draw(GIVEN, rng))
        {
            return Some(self.placed(draft, given, rng));
        }
        if let Some(value) = known.guards.get(place).and_then(|guards| guards.draw(rng)) {
            return Some(value.clone());
        }
        self.fresh(draft, wanted, rng)
    }

    /// Something that the script already has: the value of a statement, or a plain argument of an earlier
    /// call.
    fn known_value(
        &self,
        draft: &Draft,
        wanted: usize,
        receiver: Option<usize>,
        rng: &mut impl Rng,
    ) -> Option<Argument> {
        let anything = matches!(&self.types[wanted], Type::Class(name) if &**name == "java/lang/Object");
        let fits = |(at, given): (usize, &Option<usize>)| {
            // An object that is handed to itself, or holds what looks into it, is a curiosity and often an
            // endless recursion. What is known to be no more than an object was put in by the script, and may
            // go in again.
            let view = draft.statements[at].receiver.is_some() && *given != Some(wanted);
            let own = Some(at) == receiver || anything && (draft.objects.contains(&at) || view);
            let fits = !own && given.is_some_and(|given| self.fits[given][wanted]);
            fits.then_some(at)
        };
        let values = || draft.given.iter().enumerate().filter_map(fits);
        let used = || draft.used.iter().filter(|(of, ..)| *of == wanted);
        let (values_count, used_count) = (values().count(), used().count());
        if values_count + used_count == 0 {
            return None;
        }
        let chosen = rng.random_range(0..values_count + used_count);
        if let Some(at) = values().nth(chosen) {
            return Some(Argument::Earlier(at));
        }
        let &(_, at, place) = used().nth(chosen - values_count)?;
        Some(draft.statements[at].args[place].clone())
    }

    fn fresh(&self, draft: &mut Draft, wanted: usize, rng: &mut impl Rng) -> Option<Argument> {
        let source = &self.sources[wanted];
        if let Some(learned) = source.learned(rng) {
            return Some(learned);
        }
        let recipe = source.recipes.get(source.weights.draw(rng))?;
        if recipe.statements.is_empty() {
            return Some(source.joined(&recipe.value, rng).unwrap_or_else(|| recipe.value.clone()));
        }
        Some(self.placed(draft, recipe, rng))
    }

    /// Adds the statements of a recipe, and returns its value.
    fn placed(&self, draft: &mut Draft, recipe: &Recipe, rng: &mut impl Rng) -> Argument {
        let first = draft.statements.len();
        let value = append(&mut draft.statements, recipe);
        for at in first..draft.statements.len() {
            self.vary_texts(&mut draft.statements, first, at, rng);
        }
        for at in draft.given.len()..draft.statements.len() {
            let given = self.known(&draft.statements[at].callable).and_then(|known| known.result);
            let is_shared = draft.statements[at].callable.kind == CallKind::Constant;
            if !is_shared && given.is_some_and(|given| self.fits[given][self.class]) {
                draft.objects.push(at);
            }
            draft.given.push(given);
        }
        value
    }

    /// Sometimes gives other texts to a statement of a recipe, which begins at `first`: those that code
    /// elsewhere passes there, or else any, also as bytes, because whatever reads knows only some kinds.
    fn vary_texts(&self, statements: &mut [Statement], first: usize, at: usize, rng: &mut impl Rng) {
        let (before, rest) = statements.split_at_mut(first);
        let statement = &mut rest[at - first];
        let Some(known) = self.known(&statement.callable) else { return };
        let used = before.iter().flat_map(|earlier| &earlier.args).filter_map(|argument| match argument {
            Argument::Text(text) => Some(text.as_str()),
            _ => None,
        });
        for (place, argument) in statement.args.iter_mut().enumerate() {
            let passed = known.passed.get(place).filter(|passed| passed.has_texts());
            match (&*argument, passed) {
                // Where a name is taken, any other text is as good as none.
                (Argument::Text(_), Some(passed))
                    if !takes_contents(&statement.callable) || !rng.random_bool(OTHER_TEXT) =>
                {
                    if let Some(other) = passed.text_like(used.clone(), rng) {
                        *argument = other.clone();
                    }
                }
                (Argument::Text(_), _) if rng.random_bool(OTHER_TEXT) => {
                    if let Some(text) = self.sources[known.parameters[place]].text(rng) {
                        *argument = Argument::Text(text);
                    }
                }
                // Beside a name that code passes, bytes are a key or a block, and of a certain length.
                (Argument::Array(_), None)
                    if known.passed.is_empty()
                        && self.types[known.parameters[place]] == Type::Array(Box::new(Type::Byte))
                        && rng.random_bool(OTHER_TEXT) =>
                {
                    let text = self.texts_source.and_then(|texts| self.sources[texts].text(rng));
                    if let Some(text) = text {
                        *argument =
                            Argument::Array(text.bytes().map(|one| Argument::Int(one.into())).collect());
                    }
                }
                _ => {}
            }
        }
    }

    /// Facts about classes that are needed to write the scripts as Java.
    pub fn facts(&self) -> &Facts {
        self.supply.facts()
    }

    /// Statements as they are, with what is known of their values.
    pub(crate) fn draft(&self, statements: &[Statement]) -> Draft {
        let given = |statement: &Statement| self.known(&statement.callable).and_then(|known| known.result);
        Draft {
            given: statements.iter().map(given).collect(),
            statements: statements.to_vec(),
            ..Draft::default()
        }
    }

    /// The known callable that equals this one, whoever made it.
    pub(crate) fn known(&self, callable: &Arc<Callable>) -> Option<&Known> {
        self.place(callable).map(|at| &self.calls[at])
    }

    /// The place of a callable among those that are known.
    pub(crate) fn place(&self, callable: &Arc<Callable>) -> Option<usize> {
        let by_address = self.by_address.get(&address(callable)).copied();
        // The address may have belonged to another callable before.
        let by_address = by_address.filter(|&at| Arc::ptr_eq(&self.calls[at].callable, callable));
        by_address.or_else(|| self.by_callable.get(&**callable).copied())
    }

    /// Tells whether a value of one type can stand for another.
    pub(crate) fn fit(&self, given: usize, wanted: usize) -> bool {
        self.fits[given][wanted]
    }

    /// Tells whether the callable at this place is a method of the class.
    pub(crate) fn is_method(&self, at: usize) -> bool {
        self.methods.first().is_some_and(|first| (*first..first + self.methods.len()).contains(&at))
    }

    /// Tells whether the callable at this place makes objects of the class.
    pub(crate) fn is_start(&self, at: usize) -> bool {
        at < self.starts.len()
    }

    /// The number of starts and methods, which come first among the calls; makers of values follow.
    pub(crate) fn own_calls(&self) -> usize {
        self.starts.len() + self.methods.len()
    }

    /// Keeps the way to a result that a call which rarely returns may need.
    fn keep_given(&mut self, script: &Script, run: &Run, statement: usize, at: usize) {
        let Some(given) = self.calls[at].result.filter(|&given| given != self.class) else { return };
        let wants = |&at: &usize| self.calls[at].is_hard() && self.calls[at].parameters.contains(&given);
        if self.types[given].is_reference()
            && self.methods.iter().any(wants)
            && let Some(way) = way_to(script, run, statement)
        {
            self.given.entry(given).or_default().add(way);
        }
    }

    /// No longer gives these numbers: running out of memory costs a machine, and the next size that large
    /// does it again.
    fn avoid(&mut self, numbers: &[i64]) {
        if numbers.is_empty() {
            return;
        }
        let avoided = |value: &Argument| matches!(value, Argument::Int(number) if numbers.contains(number));
        for source in &mut self.sources {
            source.avoid(avoided);
        }
        for passed in self.calls.iter_mut().flat_map(|known| &mut known.passed) {
            passed.avoid(avoided);
        }
        for guards in self.calls.iter_mut().flat_map(|known| &mut known.guards) {
            guards.avoid(avoided);
        }
        self.weigh();
    }

    /// Takes note of the class of an object. As long as a callable always gives the same class, its values
    /// are used wherever that class fits, not only where its descriptor says so.
    fn see(&mut self, at: usize, class: &Arc<str>) {
        let known = &self.calls[at];
        match (&known.seen, known.result) {
            (Seen::None, Some(promised)) => {
                let narrow = self.narrowed(promised, class);
                self.calls[at].seen = Seen::One(class.clone(), promised);
                self.calls[at].result = Some(narrow);
            }
            (Seen::One(one, promised), _) if one != class => {
                let promised = *promised;
                self.calls[at].seen = Seen::Many;
                self.calls[at].result = Some(promised);
            }
            _ => {}
        }
    }

    /// The number of a type for objects of the class where `promised` is known of them anyway.
    fn narrowed(&mut self, promised: usize, class: &str) -> usize {
        let gains = |wanted: usize| {
            !self.fits[promised][wanted] && self.supply.fits_class(class, &self.types[wanted])
        };
        // Most callables promise what they give, or nothing that anybody wants.
        if !(0..self.types.len()).any(gains) {
            return promised;
        }
        let narrow = Type::Class(class.replace('.', "/").into());
        if let Some(known) = self.types.iter().position(|known| *known == narrow) {
            // What was promised must stay true.
            let keeps = (0..self.types.len()).all(|at| self.fits[known][at] || !self.fits[promised][at]);
            return if keeps { known } else { promised };
        }
        let row = (0..self.types.len()).map(|wanted| self.fits[promised][wanted] || gains(wanted));
        let mut row: Vec<bool> = row.collect();
        row.push(true);
        // Nothing but itself is known to stand for the new type.
        self.fits.iter_mut().for_each(|row| row.push(false));
        self.fits.push(row);
        self.sources.push(Source::default());
        self.types.push(narrow);
        self.types.len() - 1
    }

    pub(crate) fn weigh(&mut self) {
        let (calls, dear) = (&self.calls, &self.dear);
        let worth = |at: usize| if calls[at].is_hopeless() { 1 } else { 16 };
        self.start_weights = Weights::new(self.starts.iter().map(|&start| worth(start)));
        let by_address = &self.by_address;
        let is_hopeless = |statement: &Statement| {
            let known = by_address.get(&address(&statement.callable)).map(|&at| &calls[at]);
            known.is_some_and(|known| known.is_hopeless() || known.is_hopeless_with(&statement.args))
        };
        for source in &mut self.sources {
            let weight = |recipe: &Recipe| {
                let mut calls = recipe.statements.iter();
                let worth = match () {
                    () if calls.clone().any(|call| dear.contains(call)) => 0,
                    () if calls.any(is_hopeless) => 1,
                    () => 16,
                };
                recipe.weight * worth
            };
            // A stub that is kept in reserve is due when nothing else makes a value.
            let is_good = |recipe: &Recipe| recipe.value != Argument::Null && weight(recipe) >= 16;
            let reserve = if source.recipes.iter().any(is_good) { 0 } else { 32 };
            let weight = |recipe: &Recipe| if recipe.is_reserve() { reserve } else { weight(recipe) };
            source.weights = Weights::new(source.recipes.iter().map(weight));
        }
        self.calls.iter_mut().flat_map(|known| &mut known.passed).for_each(PassedValues::weigh);
    }

    /// Takes note of how a call with values that code elsewhere passes ended, and says whether one of them
    /// became hopeless or is so no more.
    fn judge(&mut self, at: usize, script: &Script, args: &[Argument], is_good: bool) -> bool {
        let passed = self.calls[at].passed.iter_mut().zip(args);
        passed.fold(false, |changed, (passed, argument)| passed.judge(script, argument, is_good) || changed)
    }
}

impl Author for Generator {
    fn script(&mut self, rng: &mut impl Rng, calls: usize) -> Script {
        let mut draft = Draft::default();
        self.start(&mut draft, rng);
        let second = calls > 0 && rng.random_bool(self.options.second_object.clamp(0.0, 1.0));
        let second_at = if second { rng.random_range(0..calls) } else { usize::MAX };
        for call in 0..calls {
            if call == second_at {
                self.start(&mut draft, rng);
            }
            let object = draft.object(rng);
            self.call(&mut draft, object, rng);
        }
        Script { statements: draft.statements }
    }

    fn mutate(&self, script: &Script, rng: &mut impl Rng) -> Script {
        self.mutated(script, rng)
    }

    fn revalue(&self, script: &Script, rng: &mut impl Rng) -> Script {
        self.revalued(script, rng)
    }

    fn cross(&self, head: &Script, tail: &Script, rng: &mut impl Rng) -> Script {
        self.crossed(head, tail, rng)
    }

    fn extend(&self, script: &Script, on: usize, call: &Arc<Callable>, rng: &mut impl Rng) -> Option<Script> {
        self.extended(script, on, call, rng)
    }

    /// Learns which ways to make objects work, which strings and numbers the class returns, and of which
    /// classes the objects are that it returns.
    fn observe(&mut self, script: &Script, run: &Run) {
        let mut changed = false;
        self.avoid_slow_calls();
        for (number, (statement, step)) in script.statements.iter().zip(&run.steps).enumerate() {
            let mut kinds = TextKinds::default();
            for argument in &statement.args {
                if let Argument::Text(text) = argument {
                    kinds.add(TextKinds::of(text));
                }
            }
            self.texts.add(kinds);
            let Some(at) = self.place(&statement.callable) else { continue };
            self.calls[at].texts.add(kinds);
            let is_good = returned(&step.result);
            if let Some(is_good) = is_good
                && !self.calls[at].passed.is_empty()
            {
                changed |= self.judge(at, script, &statement.args, is_good);
            }
            if is_good == Some(true) && self.calls[at].is_hard() && !statement.args.is_empty() {
                let of_class =
                    |one: &Statement| self.place(&one.callable).is_none_or(|at| at < self.own_calls());
                if let Some(proven) = Proven::arguments(script, statement, of_class) {
                    self.calls[at].proven.add(proven);
                }
            }
            if is_good == Some(true) && self.is_method(at) {
                self.keep_given(script, run, number, at);
            }
            let is_maker = at >= self.own_calls();
            let known = &mut self.calls[at];
            match &step.result {
                StepResult::Object { class, .. } => {
                    known.good = known.good.saturating_add(1);
                    self.see(at, class);
                }
                // A maker that gives no object made nothing.
                StepResult::Returned(Value::Null)
                    if is_maker && known.callable.answer == ValueKind::Object =>
                {
                    known.bad = known.bad.saturating_add(1);
                    changed |= known.bad == HOPELESS && known.good == 0;
                }
                StepResult::Returned(value) => {
                    known.good = known.good.saturating_add(1);
                    if let Some(given) = known.result {
                        self.sources[given].learn(value);
                    }
                }
                StepResult::Threw { class, message, .. } | StepResult::Unresolved { class, message } => {
                    known.bad = known.bad.saturating_add(1);
                    known.note_failure(class, message.as_deref());
                    changed |= known.bad == HOPELESS && known.good == 0;
                    if let StepResult::Threw { exhausted: true, .. } = step.result {
                        self.avoid(&script.large_numbers().collect::<Vec<_>>());
                    }
                }
                StepResult::Skipped(_) => {}
            }
            // A start that works after all is worth its place again.
            changed |= known_is_back(&self.calls[at]);
        }
        if let End::TimedOut | End::Looped | End::Blocked | End::Died { .. } = run.end
            && let Some(culprit) = script.statements.get(run.steps.len())
            && let Some(at) = self.place(&culprit.callable)
        {
            self.calls[at].hung += 1;
            // A maker that hangs does so for what its object was made with; other values may do.
            self.avoid_making(script, run.steps.len());
        }
        if changed {
            self.weigh();
        }
    }

    fn give_up(&mut self, callable: &Arc<Callable>) {
        if let Some(at) = self.place(callable) {
            self.calls[at].given_up = true;
        }
    }
}

/// Tells whether a call returned or threw; nothing if it was not made.
fn returned(result: &StepResult) -> Option<bool> {
    match result {
        StepResult::Object { .. } | StepResult::Returned(_) => Some(true),
        StepResult::Threw { .. } | StepResult::Unresolved { .. } => Some(false),
        StepResult::Skipped(_) => None,
    }
}

impl Known {
    fn is_hopeless(&self) -> bool {
        self.bad >= HOPELESS && self.good == 0
    }

    /// Tells whether it rarely returns, so that arguments with which it did are worth keeping.
    fn is_hard(&self) -> bool {
        self.bad >= HOPELESS && self.bad / 3 > self.good
    }

    /// Tells whether a call with one of these plain values never works.
    fn is_hopeless_with(&self, args: &[Argument]) -> bool {
        self.passed.iter().zip(args).any(|(passed, argument)| passed.is_hopeless(argument))
    }
}

/// Tells whether a callable that was given up has worked for the first time.
fn known_is_back(known: &Known) -> bool {
    known.good == 1 && known.bad >= HOPELESS
}

fn address(callable: &Arc<Callable>) -> usize {
    Arc::as_ptr(callable).addr()
}

impl Draft {
    /// An object to call: mostly the first.
    pub(crate) fn object(&self, rng: &mut impl Rng) -> Option<usize> {
        match self.objects.as_slice() {
            [] => None,
            [only] => Some(*only),
            [first, rest @ ..] => Some(if rng.random_bool(FIRST_OBJECT) {
                *first
            } else {
                rest[rng.random_range(0..rest.len())]
            }),
        }
    }
}

/// Numbers for types.
#[derive(Default)]
struct Types {
    all: Vec<Type>,
    numbers: BTreeMap<Type, usize>,
}

impl Types {
    fn number(&mut self, wanted: &Type) -> usize {
        if let Some(&known) = self.numbers.get(wanted) {
            return known;
        }
        self.numbers.insert(wanted.clone(), self.all.len());
        self.all.push(wanted.clone());
        self.all.len() - 1
    }

    fn known(&mut self, operation: &Operation) -> Known {
        Known {
            callable: operation.callable.clone(),
            receiver: operation.receiver.as_ref().map(|wanted| self.number(wanted)),
            parameters: operation.parameters.iter().map(|wanted| self.number(wanted)).collect(),
            result: operation.result.as_ref().map(|given| self.number(given)),
            passed: Vec::new(),
            guards: Vec::new(),
            proven: Proven::default(),
            seen: Seen::None,
            good: 0,
            bad: 0,
            hung: 0,
            given_up: false,
            failures: Vec::new(),
            texts: TextKinds::default(),
        }
    }
}

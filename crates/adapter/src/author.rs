//! Random scripts over what an adapter offers: an object, calls on it, and arguments that are offered,
//! boundary values, seen before, or returned before.
//!
//! The author learns from runs: calls that rarely return are made with arguments that worked, values that the
//! subject gives are passed to it again, and starts that never work are taken rarely.
//!
//! Paper: none; random testing with feedback, as for Java classes.
//! Cost: linear in the length of the script.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_trace::edit::named;
use adit_trace::{
    Argument, Author, CallKind, Callable, End, Run, Script, Statement, StepResult, Value, ValueKind,
    Vocabulary,
};
use rand::{Rng, RngExt};

use crate::description::{AdapterParameter, Described, ParameterKind};
use crate::values::{Pooled, pool};

/// Choices of the author.
#[derive(Clone, Debug)]
pub struct AuthorOptions {
    /// Probability that an argument is something that the script already has, if anything fits.
    pub reuse: f64,
    /// Probability that a script has a second object.
    pub second_object: f64,
    /// Mutation and crossover give no script with more statements than this, unless they were given one.
    pub longest: usize,
}

/// Writes scripts for an adapter.
#[derive(Clone, Debug)]
pub struct AdapterAuthor {
    options: AuthorOptions,
    class: Arc<str>,
    /// A reset makes the only object, so a script has one start.
    one_object: bool,
    starts: Vec<Known>,
    methods: Vec<Known>,
    /// Texts and numbers that the subject returned.
    given: BTreeMap<ValueKind, Vec<Argument>>,
}

/// A call, and what is known about it.
#[derive(Clone, Debug)]
struct Known {
    callable: Arc<Callable>,
    parameters: Vec<Parameter>,
    /// Classes of objects that it returned.
    gave: BTreeSet<Arc<str>>,
    /// Arguments with which it returned.
    proven: Vec<Vec<Drawn>>,
    good: u32,
    bad: u32,
    given_up: bool,
    /// The failure that was seen before it ever returned: class, message and number.
    failures: BTreeMap<Arc<str>, (Option<String>, u32)>,
}

#[derive(Clone, Debug)]
struct Parameter {
    offered: AdapterParameter,
    pool: Vec<Pooled>,
    kind: ValueKind,
}

/// An argument that can be placed in any script.
type Drawn = Pooled;

/// A call that was made and never returned.
#[derive(Clone, Copy, Debug)]
pub struct Unreturned<'a> {
    /// The call.
    pub callable: &'a Arc<Callable>,
    /// Number of calls.
    pub times: u32,
    /// Class of the most frequent failure.
    pub exception: Option<&'a str>,
    /// Its message.
    pub message: Option<&'a str>,
}

/// Tuples of arguments that are kept for a call.
const PROVEN: usize = 12;

/// Values that are kept of each kind.
const GIVEN: usize = 12;

/// Probability that a call that rarely returns gets arguments with which it returned.
const TRUSTED: f64 = 0.6;

/// Probability that a value is one that the subject gave, if there is any.
const RETURNED: f64 = 0.15;

/// Probability that another number or text is the old one, altered.
const ALTERED: f64 = 0.5;

/// Probability that the next call is on the first object when there are two.
const FIRST_OBJECT: f64 = 0.7;

impl Known {
    fn new(callable: &Arc<Callable>, described: &Described) -> Self {
        let offered = described.call(&callable.name);
        let parameters = offered.map_or(&[][..], |offered| &offered.parameters);
        let parameter = |offered: &AdapterParameter| Parameter {
            pool: pool(offered, described),
            kind: crate::values::value_kind(offered.kind),
            offered: offered.clone(),
        };
        Self {
            callable: callable.clone(),
            parameters: parameters.iter().map(parameter).collect(),
            gave: BTreeSet::new(),
            proven: Vec::new(),
            good: 0,
            bad: 0,
            given_up: false,
            failures: BTreeMap::new(),
        }
    }

    /// Tells whether it fails more often than it returns. Of a start less is enough: a script without an
    /// object shows nothing.
    fn is_hard(&self) -> bool {
        self.bad > if self.callable.kind == CallKind::Constructor { self.good / 8 } else { self.good }
    }

    /// Tells whether it never worked, so often that it hardly will.
    fn is_hopeless(&self) -> bool {
        self.good == 0 && self.bad >= 8
    }
}

/// A script while it is written.
#[derive(Default)]
struct Draft {
    statements: Vec<Statement>,
    /// Statements that gave objects under test.
    objects: Vec<usize>,
}

impl AdapterAuthor {
    /// An author for the calls of this vocabulary.
    pub fn new(described: &Described, vocabulary: &Vocabulary, options: AuthorOptions) -> Self {
        let known = |calls: &[Arc<Callable>]| calls.iter().map(|one| Known::new(one, described)).collect();
        Self {
            options,
            class: vocabulary.class.clone(),
            one_object: described.starts.is_empty(),
            starts: known(&vocabulary.starts),
            methods: known(&vocabulary.methods),
            given: BTreeMap::new(),
        }
    }

    /// Calls that were made and never returned.
    pub fn never_returned(&self) -> impl Iterator<Item = Unreturned<'_>> {
        let never = self.starts.iter().chain(&self.methods).filter(|known| known.good == 0 && known.bad > 0);
        never.map(|known| {
            let worst = known.failures.iter().max_by_key(|(_, (_, times))| *times);
            Unreturned {
                callable: &known.callable,
                times: known.bad,
                exception: worst.map(|(class, _)| &**class),
                message: worst.and_then(|(_, (message, _))| message.as_deref()),
            }
        })
    }

    fn known(&self, callable: &Callable) -> Option<&Known> {
        let all = if callable.kind == CallKind::Constructor { &self.starts } else { &self.methods };
        all.iter().find(|known| *known.callable == *callable)
    }

    /// Adds a start, and says whether it did.
    fn start(&self, draft: &mut Draft, rng: &mut impl Rng) -> bool {
        if self.one_object && !draft.objects.is_empty() {
            return false;
        }
        for _ in 0..4 {
            let known = &self.starts[rng.random_range(0..self.starts.len())];
            // A start that never worked is still tried now and then: with other values it may.
            if known.given_up || known.is_hopeless() && self.starts.len() > 1 && !rng.random_bool(0.1) {
                continue;
            }
            if self.add(draft, known, None, rng) {
                return true;
            }
        }
        self.starts.iter().any(|known| self.add(draft, known, None, rng))
    }

    /// Adds a call of some method on some object, and says whether it did.
    fn call(&self, draft: &mut Draft, rng: &mut impl Rng) -> bool {
        let Some(object) = some_object(draft, rng) else { return false };
        if self.methods.is_empty() {
            return false;
        }
        let mut known = &self.methods[rng.random_range(0..self.methods.len())];
        for _ in 0..3 {
            if !known.given_up && !known.is_hopeless() {
                break;
            }
            known = &self.methods[rng.random_range(0..self.methods.len())];
        }
        self.add(draft, known, Some(object), rng)
    }

    /// Adds a call with arguments of its own. Without a value that it needs, nothing is added.
    fn add(&self, draft: &mut Draft, known: &Known, receiver: Option<usize>, rng: &mut impl Rng) -> bool {
        let before = draft.statements.len();
        let mut args = Vec::with_capacity(known.parameters.len());
        if known.is_hard() && !known.proven.is_empty() && rng.random_bool(TRUSTED) {
            let proven = &known.proven[rng.random_range(0..known.proven.len())];
            args.extend(proven.iter().map(|value| place(draft, value)));
        } else {
            for parameter in &known.parameters {
                match self.argument(draft, parameter, receiver, rng) {
                    Some(argument) => args.push(argument),
                    None => {
                        draft.statements.truncate(before);
                        draft.objects.retain(|&object| object < before);
                        return false;
                    }
                }
            }
        }
        self.push(draft, &known.callable, receiver, args);
        true
    }

    fn push(
        &self,
        draft: &mut Draft,
        callable: &Arc<Callable>,
        receiver: Option<usize>,
        args: Vec<Argument>,
    ) {
        if callable.kind == CallKind::Constructor {
            draft.objects.push(draft.statements.len());
        }
        draft.statements.push(Statement { callable: callable.clone(), receiver, args });
    }

    /// A value for a parameter: one that the script has, one that the subject gave, or one of the pool.
    fn argument(
        &self,
        draft: &mut Draft,
        parameter: &Parameter,
        receiver: Option<usize>,
        rng: &mut impl Rng,
    ) -> Option<Argument> {
        let kind = parameter.offered.kind;
        let wants_object = kind == ParameterKind::Object;
        if (wants_object || rng.random_bool(self.options.reuse.clamp(0.0, 1.0)))
            && let Some(known) = self.known_value(draft, parameter, receiver, rng)
        {
            return Some(known);
        }
        if wants_object && parameter.pool.is_empty() {
            // The class itself is the one that adit knows how to make.
            let of = &parameter.offered.of;
            if of.is_empty() || of.iter().any(|class| **class == *self.class) {
                let at = self.start(draft, rng).then(|| draft.statements.len() - 1)?;
                return Some(Argument::Earlier(at));
            }
            return None;
        }
        if !parameter.offered.only
            && let Some(given) = self.given.get(&parameter.kind).filter(|given| !given.is_empty())
            && rng.random_bool(RETURNED)
        {
            return Some(given[rng.random_range(0..given.len())].clone());
        }
        let values = &parameter.pool;
        if values.is_empty() {
            return None;
        }
        // The lower of two numbers: early values are the more usual ones.
        let (one, other) = (rng.random_range(0..values.len()), rng.random_range(0..values.len()));
        Some(place(draft, &values[if rng.random_bool(0.5) { one.min(other) } else { one }]))
    }

    /// Something that the script already has: the result of an earlier call, or a plain argument of one.
    fn known_value(
        &self,
        draft: &Draft,
        parameter: &Parameter,
        receiver: Option<usize>,
        rng: &mut impl Rng,
    ) -> Option<Argument> {
        let AdapterParameter { kind, of, only, .. } = &parameter.offered;
        let fits = |at: usize| {
            let statement = &draft.statements[at];
            if Some(at) == receiver || statement.callable.kind == CallKind::Constant {
                return false;
            }
            let Some(known) = self.known(&statement.callable) else { return false };
            match kind {
                ParameterKind::Object | ParameterKind::Any => {
                    let is_start = statement.callable.kind == CallKind::Constructor;
                    let own = |class: &String| **class == *self.class;
                    // An object under test that is passed somewhere no longer counts.
                    let start =
                        is_start && *kind == ParameterKind::Object && (of.is_empty() || of.iter().any(own));
                    start
                        || !is_start
                            && known
                                .gave
                                .iter()
                                .any(|gave| of.is_empty() || of.iter().any(|class| **class == **gave))
                }
                _ => {
                    !only
                        && known.callable.kind == CallKind::Method
                        && known.callable.answer == parameter.kind
                        && matches!(parameter.kind, ValueKind::Int | ValueKind::Text | ValueKind::Float)
                }
            }
        };
        let mut all: Vec<Argument> =
            (0..draft.statements.len()).filter(|&at| fits(at)).map(Argument::Earlier).collect();
        for statement in &draft.statements {
            let Some(known) = self.known(&statement.callable) else { continue };
            for (other, argument) in known.parameters.iter().zip(&statement.args) {
                let plain = matches!(argument, Argument::Int(_) | Argument::Text(_) | Argument::Float(_));
                let allowed = !only || parameter.pool.contains(&Pooled::Plain(argument.clone()));
                if plain && other.kind == parameter.kind && other.offered.kind == *kind && allowed {
                    all.push(argument.clone());
                }
            }
        }
        (!all.is_empty()).then(|| all.swap_remove(rng.random_range(0..all.len())))
    }

    /// Writes a script anew, statement by statement. `change` names an argument that gets another value.
    fn copy(&self, rewrite: &mut Rewrite<'_>, at: usize, change: Option<usize>, rng: &mut impl Rng) {
        let statement = &rewrite.script.statements[at];
        // Values are placed where they are used.
        if statement.callable.kind == CallKind::Constant {
            return;
        }
        let Some(known) = self.known(&statement.callable) else { return };
        if self.one_object && statement.callable.kind == CallKind::Constructor {
            // Both scripts are about the same object.
            if let Some(&object) = rewrite.draft.objects.first() {
                rewrite.places[at] = Some(object);
                return;
            }
        }
        let receiver = match statement.receiver {
            None => None,
            Some(old) => match rewrite.places[old].or_else(|| some_object(&rewrite.draft, rng)) {
                Some(receiver) => Some(receiver),
                None => return,
            },
        };
        let mut args = Vec::with_capacity(statement.args.len());
        for (place, argument) in statement.args.iter().enumerate() {
            let kept = if change == Some(place) { None } else { rewrite.carried(argument) };
            let parameter = known.parameters.get(place);
            let other = match (kept, parameter) {
                (Some(kept), _) => Some(kept),
                (None, None) => None,
                (None, Some(parameter)) => altered(argument, parameter, rng)
                    .or_else(|| self.argument(&mut rewrite.draft, parameter, receiver, rng)),
            };
            let Some(argument) = other else { return };
            args.push(argument);
        }
        rewrite.places[at] = Some(rewrite.draft.statements.len());
        self.push(&mut rewrite.draft, &statement.callable, receiver, args);
    }

    fn mutate_once(&self, script: &Script, rng: &mut impl Rng) -> Script {
        let [remove, change, insert] = [(); 3].map(|()| rng.random_range(0..3) == 0);
        let each = 1.0 / script.statements.len().max(1) as f64;
        let mut rewrite = Rewrite::of(script);
        let mut inserts = Vec::new();
        while insert && inserts.len() < 8 && rng.random_bool(0.5) {
            inserts.push(rng.random_range(0..=script.statements.len()));
        }
        for at in 0..=script.statements.len() {
            for _ in inserts.iter().filter(|&&place| place == at) {
                if rewrite.draft.statements.len() < self.options.longest {
                    self.call(&mut rewrite.draft, rng);
                }
            }
            if at == script.statements.len() || remove && rng.random_bool(each) {
                continue;
            }
            let args = script.statements[at].args.len();
            let changed = change && args > 0 && rng.random_bool(each);
            let place = changed.then(|| rng.random_range(0..args));
            self.copy(&mut rewrite, at, place, rng);
        }
        if rewrite.draft.objects.is_empty() {
            return script.clone();
        }
        Script { statements: rewrite.draft.statements }
    }

    fn learn(&mut self, callable: &Callable, result: &StepResult, args: Option<Vec<Drawn>>) {
        let all = if callable.kind == CallKind::Constructor { &mut self.starts } else { &mut self.methods };
        let Some(known) = all.iter_mut().find(|known| *known.callable == *callable) else { return };
        match result {
            StepResult::Returned(_) | StepResult::Object { .. } => {
                known.good = known.good.saturating_add(1);
                if let Some(args) = args.filter(|args| !known.proven.contains(args)) {
                    if known.proven.len() < PROVEN {
                        known.proven.push(args);
                    } else {
                        // The oldest stay: they worked in the most usual situations.
                        known.proven[PROVEN / 2 + known.good as usize % (PROVEN / 2)] = args;
                    }
                }
                if let StepResult::Object { class, .. } = result {
                    known.gave.insert(class.clone());
                }
            }
            StepResult::Threw { class, message, .. } => {
                known.bad = known.bad.saturating_add(1);
                if known.good == 0 {
                    let failure = known.failures.entry(class.clone()).or_insert_with(|| (message.clone(), 0));
                    failure.1 += 1;
                }
            }
            StepResult::Unresolved { .. } | StepResult::Skipped(_) => {}
        }
        let StepResult::Returned(value) = result else { return };
        let (kind, argument) = match value {
            Value::Int(number) => (ValueKind::Int, Argument::Int(*number)),
            Value::Text(text) if text.len() <= 64 && known.callable.answer == ValueKind::Text => {
                (ValueKind::Text, Argument::Text(text.clone()))
            }
            _ => return,
        };
        let given = self.given.entry(kind).or_default();
        if given.len() < GIVEN && !given.contains(&argument) {
            given.push(argument);
        }
    }
}

impl Author for AdapterAuthor {
    fn script(&mut self, rng: &mut impl Rng, calls: usize) -> Script {
        let mut draft = Draft::default();
        self.start(&mut draft, rng);
        let second =
            rng.random_bool(self.options.second_object.clamp(0.0, 1.0)).then(|| rng.random_range(0..=calls));
        for at in 0..calls {
            if second == Some(at) {
                self.start(&mut draft, rng);
            }
            self.call(&mut draft, rng);
        }
        Script { statements: draft.statements }
    }

    fn mutate(&self, script: &Script, rng: &mut impl Rng) -> Script {
        for _ in 0..8 {
            let changed = self.mutate_once(script, rng);
            if changed != *script && !changed.statements.is_empty() {
                return changed;
            }
        }
        script.clone()
    }

    fn revalue(&self, script: &Script, rng: &mut impl Rng) -> Script {
        let places: Vec<(usize, usize)> = script
            .statements
            .iter()
            .enumerate()
            .flat_map(|(at, statement)| (0..statement.args.len()).map(move |place| (at, place)))
            .collect();
        if places.is_empty() {
            return script.clone();
        }
        let mut changes = vec![places[rng.random_range(0..places.len())]];
        while rng.random_bool(0.5) && changes.len() < places.len() {
            changes.push(places[rng.random_range(0..places.len())]);
        }
        let mut rewrite = Rewrite::of(script);
        for at in 0..script.statements.len() {
            let change = changes.iter().find(|(changed, _)| *changed == at).map(|(_, place)| *place);
            self.copy(&mut rewrite, at, change, rng);
        }
        Script { statements: rewrite.draft.statements }
    }

    fn cross(&self, head: &Script, tail: &Script, rng: &mut impl Rng) -> Script {
        // Both are cut at the same share of their lengths, so that lengths do not drift.
        let share: f64 = rng.random();
        let cut = |script: &Script| (script.statements.len() as f64 * share) as usize;
        let mut rewrite = Rewrite::of(head);
        for at in 0..cut(head).max(1).min(head.statements.len()) {
            self.copy(&mut rewrite, at, None, rng);
        }
        let mut rewrite =
            Rewrite { script: tail, places: vec![None; tail.statements.len()], draft: rewrite.draft };
        for at in cut(tail)..tail.statements.len() {
            if rewrite.draft.statements.len() >= self.options.longest.max(head.statements.len()) {
                break;
            }
            self.copy(&mut rewrite, at, None, rng);
        }
        if rewrite.draft.objects.is_empty() {
            return head.clone();
        }
        Script { statements: rewrite.draft.statements }
    }

    fn extend(&self, script: &Script, on: usize, call: &Arc<Callable>, rng: &mut impl Rng) -> Option<Script> {
        let is_start = |at: &usize| script.statements[*at].callable.kind == CallKind::Constructor;
        let objects = (0..script.statements.len()).filter(is_start).collect();
        let mut draft = Draft { statements: script.statements.clone(), objects };
        let known = self.known(call)?;
        self.add(&mut draft, known, Some(on), rng).then_some(Script { statements: draft.statements })
    }

    fn observe(&mut self, script: &Script, run: &Run) {
        for (statement, step) in script.statements.iter().zip(&run.steps) {
            if statement.callable.kind != CallKind::Constant {
                let args = statement.args.iter().map(|argument| drawn(script, argument)).collect();
                self.learn(&statement.callable, &step.result, args);
            }
        }
        if let (End::TimedOut | End::Died { .. }, Some(culprit)) =
            (&run.end, script.statements.get(run.steps.len()))
        {
            let all = self.starts.iter_mut().chain(&mut self.methods);
            all.filter(|known| known.callable == culprit.callable).for_each(|known| known.bad += 1);
        }
    }

    fn give_up(&mut self, callable: &Arc<Callable>) {
        let all = self.starts.iter_mut().chain(&mut self.methods);
        all.filter(|known| known.callable == *callable).for_each(|known| known.given_up = true);
    }
}

/// A script that is written anew.
struct Rewrite<'s> {
    script: &'s Script,
    /// New places of its statements.
    places: Vec<Option<usize>>,
    draft: Draft,
}

impl<'s> Rewrite<'s> {
    fn of(script: &'s Script) -> Self {
        Self { script, places: vec![None; script.statements.len()], draft: Draft::default() }
    }

    /// The same argument in the new script, if what it names is there.
    fn carried(&mut self, argument: &Argument) -> Option<Argument> {
        if let Argument::Earlier(at) = argument {
            let old = self.script.statements.get(*at)?;
            if old.callable.kind == CallKind::Constant {
                return Some(place(&mut self.draft, &Pooled::Constant(old.callable.clone())));
            }
            return self.places[*at].map(Argument::Earlier);
        }
        let mut names_statements = false;
        named(argument, &mut |_| names_statements = true);
        (!names_statements).then(|| argument.clone())
    }
}

/// Some object of a script, most often the first.
fn some_object(draft: &Draft, rng: &mut impl Rng) -> Option<usize> {
    match draft.objects.as_slice() {
        [] => None,
        [one] => Some(*one),
        [first, rest @ ..] => {
            Some(if rng.random_bool(FIRST_OBJECT) { *first } else { rest[rng.random_range(0..rest.len())] })
        }
    }
}

/// Puts a value into a script.
fn place(draft: &mut Draft, value: &Pooled) -> Argument {
    match value {
        Pooled::Plain(argument) => argument.clone(),
        Pooled::Constant(callable) => {
            draft.statements.push(Statement { callable: callable.clone(), receiver: None, args: Vec::new() });
            Argument::Earlier(draft.statements.len() - 1)
        }
    }
}

/// An argument that could be placed in any script; nothing if it names a call.
fn drawn(script: &Script, argument: &Argument) -> Option<Drawn> {
    if let Argument::Earlier(at) = argument {
        let constant = &script.statements.get(*at)?.callable;
        return (constant.kind == CallKind::Constant).then(|| Pooled::Constant(constant.clone()));
    }
    let mut names_statements = false;
    named(argument, &mut |_| names_statements = true);
    (!names_statements).then(|| Pooled::Plain(argument.clone()))
}

/// A value near an old one, for parameters that take any.
fn altered(old: &Argument, parameter: &Parameter, rng: &mut impl Rng) -> Option<Argument> {
    if parameter.offered.only || !rng.random_bool(ALTERED) {
        return None;
    }
    match old {
        Argument::Int(number) => {
            Some(Argument::Int(number.saturating_add(if rng.random_bool(0.5) { 1 } else { -1 })))
        }
        Argument::Text(text) if text.len() < 64 => {
            let mut characters: Vec<char> = text.chars().collect();
            let at = rng.random_range(0..=characters.len());
            if at < characters.len() && rng.random_bool(0.5) {
                characters.remove(at);
            } else {
                characters.insert(at, char::from(b'a' + rng.random_range(0..3_u8)));
            }
            Some(Argument::Text(characters.into_iter().collect()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use adit_trace::edit::needs;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;
    use serde_json::{Value as Json, json};

    use super::*;

    fn author() -> (AdapterAuthor, Vocabulary) {
        let description = json!({
            "protocol": 1, "name": "a.Store",
            "starts": [{ "name": "Store", "parameters": [{ "kind": "bytes", "optional": true }] }],
            "operations": [
                { "name": "put", "parameters": [{ "kind": "text" }, { "kind": "int", "values": [77] }] },
                { "name": "merge", "parameters": [{ "kind": "object", "of": ["a.Store"] }] },
                { "name": "mode", "parameters": [{ "kind": "choice", "values": ["r", { "$choice": "W" }], "only": true }] },
                { "name": "use", "parameters": [{ "kind": "object", "of": ["a.Cursor"] }] },
                { "name": "cursor", "answer": "object" },
            ],
        });
        let Json::Object(description) = description else { unreachable!("an object was written") };
        let described = crate::description::read(description).unwrap();
        let vocabulary = crate::subject::vocabulary(&described);
        let options = AuthorOptions { reuse: 0.3, second_object: 0.2, longest: 40 };
        (AdapterAuthor::new(&described, &vocabulary, options), vocabulary)
    }

    /// Fails unless every statement uses earlier ones only, with as many arguments as parameters.
    fn check(script: &Script) {
        for (at, statement) in script.statements.iter().enumerate() {
            needs(statement, &mut |needed| assert!(needed < at, "{script:?}"));
            assert_eq!(statement.args.len(), statement.callable.parameters.len(), "{script:?}");
            let is_method = statement.callable.kind == CallKind::Method;
            assert_eq!(statement.receiver.is_some(), is_method, "{script:?}");
            if statement.callable.name == "mode" {
                let is_offered = match &statement.args[0] {
                    Argument::Text(text) => text == "r",
                    Argument::Earlier(at) => script.statements[*at].callable.name == "W",
                    _ => false,
                };
                assert!(is_offered, "{script:?}");
            }
        }
    }

    #[test]
    fn scripts_are_valid_whatever_is_done_to_them() {
        let (mut author, vocabulary) = author();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut scripts: Vec<Script> = (0..50).map(|_| author.script(&mut rng, 8)).collect();
        for round in 0..400 {
            let (one, other) =
                (scripts[rng.random_range(0..scripts.len())].clone(), &scripts[round % scripts.len()]);
            let method = &vocabulary.methods[round % vocabulary.methods.len()];
            let on = one.statements.iter().position(|one| one.callable.kind == CallKind::Constructor);
            let made = match round % 4 {
                0 => author.mutate(&one, &mut rng),
                1 => author.revalue(&one, &mut rng),
                2 => author.cross(&one, other, &mut rng),
                _ => author.extend(&one, on.unwrap(), method, &mut rng).unwrap_or_else(|| one.clone()),
            };
            check(&made);
            scripts.push(made);
        }
        let called: BTreeSet<&str> = scripts
            .iter()
            .flat_map(|script| &script.statements)
            .map(|statement| statement.callable.name.as_str())
            .collect();
        for name in ["Store", "put", "merge", "mode", "cursor"] {
            assert!(called.contains(name), "{name} is never called: {called:?}");
        }
        // Nothing gives a cursor before one was seen.
        assert!(!called.contains("use"));
    }

    #[test]
    fn a_subject_without_starts_has_one_object() {
        let description = json!({
            "protocol": 1, "name": "Door",
            "operations": [{ "name": "open" }, { "name": "join", "parameters": [{ "kind": "object" }] }],
        });
        let Json::Object(description) = description else { unreachable!("an object was written") };
        let described = crate::description::read(description).unwrap();
        let vocabulary = crate::subject::vocabulary(&described);
        let options = AuthorOptions { reuse: 0.3, second_object: 1.0, longest: 40 };
        let mut author = AdapterAuthor::new(&described, &vocabulary, options);
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let scripts: Vec<Script> = (0..40).map(|_| author.script(&mut rng, 6)).collect();
        let crossed = (1..40).map(|at| author.cross(&scripts[at - 1], &scripts[at], &mut rng));
        for script in crossed.collect::<Vec<_>>().iter().chain(&scripts) {
            check(script);
            let starts = script.statements.iter().filter(|one| one.callable.kind == CallKind::Constructor);
            assert_eq!(starts.count(), 1, "{script:?}");
        }
    }

    #[test]
    fn objects_that_a_call_gave_are_passed_to_others() {
        let (mut author, vocabulary) = author();
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let cursor = vocabulary.methods.iter().find(|method| method.name == "cursor").unwrap();
        author.learn(cursor, &StepResult::Object { class: "a.Cursor".into(), first: 1 }, None);
        let scripts: Vec<Script> = (0..100).map(|_| author.script(&mut rng, 10)).collect();
        scripts.iter().for_each(check);
        assert!(scripts.iter().flat_map(|one| &one.statements).any(|one| one.callable.name == "use"));
    }

    #[test]
    fn arguments_that_worked_are_used_again() {
        let (mut author, vocabulary) = author();
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let put = vocabulary.methods.iter().find(|method| method.name == "put").unwrap();
        let secret = Pooled::Plain(Argument::Text("secret".to_owned()));
        (0..9).for_each(|_| author.learn(put, &StepResult::threw("E"), None));
        author.learn(
            put,
            &StepResult::Returned(Value::Void),
            Some(vec![secret.clone(), Pooled::Plain(Argument::Int(4))]),
        );
        let scripts: Vec<Script> = (0..100).map(|_| author.script(&mut rng, 10)).collect();
        let is_secret = |one: &&Statement| one.args.first() == Some(&Argument::Text("secret".to_owned()));
        assert!(scripts.iter().flat_map(|one| &one.statements).filter(is_secret).count() > 30);
        let never: Vec<&str> = author.never_returned().map(|never| never.callable.name.as_str()).collect();
        assert!(never.is_empty(), "{never:?}");
    }
}

//! Moves: calls with their arguments, cut out of the script that they were made for, so that they can be made
//! in any situation.
//!
//! Probing every method with every argument of a pool shows which events a situation enables. The pool is
//! chosen once: many candidates are probed in many situations, and those are kept that together show every
//! event that any of them showed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_trace::edit::{needs, renumbered};
use adit_trace::{Argument, CallKind, Callable, Letter, Script, Statement, ValueKind};

use crate::probe::ShapeHash;
use crate::ties::Ties;

/// A call on the object under test, or its construction, with the statements that its arguments need.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    /// The last statement is the call itself. Numbers count from the first; the object is [`OBJECT`].
    statements: Vec<Statement>,
}

/// Number that stands for the object in a move. No script is that long.
const OBJECT: usize = usize::MAX;

/// A script, and the object in it that is observed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Situation {
    pub(crate) script: Script,
    /// The statement that gave the object.
    pub(crate) object: usize,
}

impl Situation {
    /// The situations after each of these statements of a script.
    pub(crate) fn along(script: &Script, object: usize, statements: &[usize]) -> Vec<Self> {
        let after = |&at: &usize| {
            let script = Script { statements: script.statements[..=at].to_vec() };
            Self { script, object }
        };
        statements.iter().map(after).collect()
    }

    /// Number of calls on the object.
    pub(crate) fn calls(&self) -> usize {
        self.script.statements.iter().filter(|one| one.receiver == Some(self.object)).count()
    }

    /// The calls that made the object and what it was made of.
    pub(crate) fn made_by(&self) -> Vec<&Arc<Callable>> {
        let parts = closure(&self.script, self.object, self.object);
        parts.iter().chain([&self.object]).map(|&at| &self.script.statements[at].callable).collect()
    }

    /// Tells whether a call of its script passes one of these numbers.
    pub(crate) fn passes(&self, numbers: &BTreeSet<i64>) -> bool {
        passes(&self.script.statements, numbers)
    }

    /// The same situation behind the whole of another script.
    fn behind_script(&self, before: &Script) -> Self {
        let base = before.statements.len();
        let own = self.script.statements.iter().map(|one| renumbered(one, &|from| from + base));
        let statements = before.statements.iter().cloned().chain(own).collect();
        Self { script: Script { statements }, object: self.object + base }
    }
}

fn passes(statements: &[Statement], numbers: &BTreeSet<i64>) -> bool {
    let mut args = statements.iter().flat_map(|statement| &statement.args);
    args.any(|argument| matches!(argument, Argument::Int(number) if numbers.contains(number)))
}

impl Move {
    /// Cuts statement `at` out of a script, as a move on the object of statement `object`. Returns nothing if
    /// an argument was made together with the object or returned by a call on it, because it would mean
    /// something else in another situation. Nor if the object was passed on for an argument: a task that
    /// runs this one changes it, and no event of this one says so.
    pub(crate) fn cut_out(script: &Script, at: usize, object: usize) -> Option<Self> {
        let mut wanted = closure(script, at, object);
        if at != object {
            let making = closure(script, object, object);
            // A constant is the same wherever it is read.
            let called =
                |statement: usize| script.statements.iter().any(|one| one.receiver == Some(statement));
            let is_constant = |statement: usize| {
                script.statements[statement].callable.kind == CallKind::Constant && !called(statement)
            };
            let tied = |&statement: &usize| {
                (making.contains(&statement) && !is_constant(statement))
                    || references(&script.statements[statement]).contains(&object)
            };
            if wanted.iter().any(tied) {
                return None;
            }
        }
        wanted.insert(at);
        let places: BTreeMap<usize, usize> =
            wanted.iter().enumerate().map(|(to, &from)| (from, to)).collect();
        let renumber = |from: usize| places.get(&from).copied().unwrap_or(OBJECT);
        let statements =
            wanted.iter().map(|&statement| renumbered(&script.statements[statement], &renumber)).collect();
        Some(Self { statements })
    }

    /// Method or constructor that is called.
    pub(crate) fn callable(&self) -> &Arc<Callable> {
        &self.statements.last().expect("a move ends with its call").callable
    }

    /// Tells whether it passes one of these numbers.
    pub(crate) fn passes(&self, numbers: &BTreeSet<i64>) -> bool {
        passes(&self.statements, numbers)
    }

    /// The same call with the plain values that another call passes for parameters of the same kinds.
    pub(crate) fn with_values_of(&self, other: &Self) -> Self {
        let given = |one: &Self| -> Vec<(ValueKind, Argument)> {
            let call = one.statements.last().expect("a move ends with its call");
            call.callable.parameters.iter().copied().zip(call.args.iter().cloned()).collect()
        };
        let mut values = given(other);
        values.retain(|(_, value)| is_plain(value));
        let mut same = self.clone();
        let call = same.statements.last_mut().expect("a move ends with its call");
        for ((kind, own), place) in given(self).into_iter().zip(&mut call.args) {
            let fits = values.iter().position(|(other, _)| *other == kind).filter(|_| is_plain(&own));
            if let Some(at) = fits {
                *place = values.remove(at).1;
            }
        }
        same
    }

    /// Kinds of its arguments.
    fn kind(&self) -> String {
        self.statements.iter().flat_map(|statement| &statement.args).map(kind_of).collect()
    }

    /// Tells whether it passes an array.
    pub(crate) fn passes_array(&self) -> bool {
        let args = self.statements.iter().flat_map(|statement| &statement.args);
        args.into_iter().any(|argument| matches!(argument, Argument::Array(_)))
    }

    /// Number of statements that it adds.
    pub(crate) fn len(&self) -> usize {
        self.statements.len()
    }

    /// The situation after the move; the call is the last statement of the script.
    pub(crate) fn behind(&self, situation: &Situation) -> Situation {
        let base = situation.script.statements.len();
        let renumber = |from: usize| if from == OBJECT { situation.object } else { from + base };
        let mut statements = Vec::with_capacity(base + self.statements.len());
        statements.extend_from_slice(&situation.script.statements);
        statements.extend(self.statements.iter().map(|statement| renumbered(statement, &renumber)));
        Situation { script: Script { statements }, object: situation.object }
    }

    /// The same with another text in the statements that make its arguments; nothing if they have none.
    fn behind_with_text(&self, situation: &Situation, text: &str) -> Option<Situation> {
        let (_, making) = self.statements.split_last()?;
        let is_text = |argument: &Argument| matches!(argument, Argument::Text(_));
        let at = making.iter().position(|statement| statement.args.iter().any(is_text))?;
        let mut changed = self.behind(situation);
        let statement = changed.script.statements.get_mut(situation.script.statements.len() + at)?;
        *statement.args.iter_mut().find(|argument| is_text(argument))? = Argument::Text(text.to_owned());
        Some(changed)
    }

    /// The same with these values in the array that its arguments are made of, such as the elements of a
    /// collection; nothing if there is no array of such values.
    fn behind_holding(&self, situation: &Situation, held: &[Argument]) -> Option<Situation> {
        let is_object = |value: &Argument| matches!(value, Argument::Text(_) | Argument::Earlier(_));
        let is_array = |argument: &Argument| match argument {
            Argument::Array(elements) => {
                elements.iter().any(is_object) || (!elements.is_empty() && !held.iter().any(is_object))
            }
            _ => false,
        };
        let (_, making) = self.statements.split_last()?;
        let at = making.iter().position(|statement| statement.args.iter().any(is_array))?;
        let mut changed = self.behind(situation);
        let statement = changed.script.statements.get_mut(situation.script.statements.len() + at)?;
        *statement.args.iter_mut().find(|argument| is_array(argument))? = Argument::Array(held.to_vec());
        Some(changed)
    }

    /// The same with an array of this length in the place of a shorter one; nothing if none is passed.
    fn behind_with_length(&self, situation: &Situation, length: i64) -> Option<Situation> {
        /// Longer arrays slow everything down that follows.
        const LONGEST: usize = 1024;
        let length = usize::try_from(length).ok().filter(|length| *length <= LONGEST)?;
        let mut changed = self.behind(situation);
        let elements = changed.script.statements.last_mut()?.args.iter_mut().find_map(|one| match one {
            Argument::Array(elements) if (1..length).contains(&elements.len()) => Some(elements),
            _ => None,
        })?;
        let element = elements.first()?.clone();
        elements.resize(length, element);
        Some(changed)
    }

    /// The same with another value for one parameter; the value may mention statements of the situation.
    fn behind_with(&self, situation: &Situation, parameter: usize, value: &Argument) -> Situation {
        let mut changed = self.behind(situation);
        if let Some(call) = changed.script.statements.last_mut() {
            call.args[parameter] = value.clone();
        }
        changed
    }

    /// The same with what was passed together to an earlier call, parameter by parameter. What a function
    /// gave counts as passed.
    fn behind_together(&self, situation: &Situation, passed: &[Argument]) -> Situation {
        let mut changed = self.behind(situation);
        if let Some(call) = changed.script.statements.last_mut() {
            for (argument, passed) in call.args.iter_mut().zip(passed) {
                *argument = match passed {
                    Argument::Function(result) => (**result).clone(),
                    other => other.clone(),
                };
            }
        }
        changed
    }

    /// The situation after a move that makes an object.
    pub(crate) fn start(&self) -> Situation {
        Situation {
            script: Script { statements: self.statements.clone() },
            object: self.statements.len() - 1,
        }
    }
}

/// Kind of an argument: null, empty, negative and so on.
pub(crate) fn kind_of(argument: &Argument) -> &'static str {
    match argument {
        Argument::Null => "null ",
        Argument::Bool(true) => "yes ",
        Argument::Bool(false) => "no ",
        Argument::Int(..=-1) => "negative ",
        Argument::Int(0) => "zero ",
        Argument::Int(1..=10) => "small ",
        Argument::Int(_) => "large ",
        Argument::Float(value) if *value > 0.0 => "positive ",
        Argument::Float(_) => "broken ",
        Argument::Text(text) if text.is_empty() => "nothing ",
        Argument::Text(text) if text.starts_with(['{', '[', '<']) => "nested ",
        Argument::Text(text) if text.trim_end().contains('\n') => "lines ",
        Argument::Text(text) if text.starts_with(|first: char| first.is_ascii_digit()) => "digits ",
        Argument::Text(text) if text.chars().all(char::is_alphanumeric) => "word ",
        Argument::Text(text) if text.chars().any(char::is_alphanumeric) => "words ",
        Argument::Text(_) => "marks ",
        Argument::Array(elements) if elements.is_empty() => "none ",
        Argument::Array(_) => "some ",
        Argument::Earlier(_) => "made ",
        Argument::Function(_) => "function ",
        Argument::Class(_) => "class ",
    }
}

/// Values of a situation that are passed in each call. More would make probing too slow; the last values are
/// most likely still held by the object.
pub(crate) const MOST_VALUES: usize = 4;

/// Enough for all that most objects hold.
pub(crate) const MOST_HELD: usize = 60;

/// All situations after one more call: every move, and the first move of each method again with other values.
/// Values that the situation already has matter because calls are often about what an object holds, which no
/// fixed pool can know. A new value matters because it can still be added where all values of a fixed pool
/// are used up. A collection of what the object holds is neither: without it, `removeAll` would seem to
/// depend on which values happen to be in the pool. Values that were passed together are passed together
/// again, as a key with its value. A call that is tied to the object is also given what the object returned.
/// Of the values of the situation, the last `most_values` are passed, and null.
pub(crate) fn all_behind<'a>(
    moves: impl Iterator<Item = &'a Move>,
    situation: &Situation,
    ties: &Ties,
    most_values: usize,
) -> Vec<Situation> {
    /// Calls with several arguments, the last first, whose arguments are passed again.
    const MOST_TOGETHER: usize = 2;
    let all_used = values_of(&situation.script, MOST_HELD);
    // What is left in a collection may well be its only null.
    let used: Vec<Argument> = { all_used.iter().enumerate() }
        .filter(|(at, value)| *at < most_values || **value == Argument::Null)
        .map(|(_, value)| value.clone())
        .collect();
    let with_null: Vec<Argument> = all_used.iter().cloned().chain([Argument::Null]).collect();
    let new_text = ('a'..='z')
        .map(|name| name.to_string())
        .find(|name| !mentions(&situation.script, &Argument::Text(name.clone())));
    let new_number = (0..100).map(Argument::Int).find(|number| !mentions(&situation.script, number));
    // A key and its value mean something together, whether the object was given them or what it was made of.
    let calls = situation.script.statements.iter().rev().filter(|one| one.args.len() > 1);
    let (on_object, beside): (Vec<&Statement>, Vec<&Statement>) =
        calls.partition(|one| one.receiver == Some(situation.object));
    let mut together: Vec<&[Argument]> = Vec::new();
    for some in [on_object, beside] {
        together.extend(some.into_iter().map(|one| one.args.as_slice()).take(MOST_TOGETHER));
    }
    together.dedup();
    let moves: Vec<&Move> = moves.collect();
    // A parameter for which nobody has a text or a number takes objects of some other type.
    let mut plain: BTreeSet<(&Arc<Callable>, usize)> = BTreeSet::new();
    for one in &moves {
        let args = one.statements.last().into_iter().flat_map(|call| call.args.iter().enumerate());
        let is_plain = |argument: &Argument| matches!(argument, Argument::Text(_) | Argument::Int(_));
        plain.extend(args.filter(|(_, value)| is_plain(value)).map(|(at, _)| (one.callable(), at)));
    }
    let (mut behind, mut met, mut held) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for one in moves {
        behind.push(one.behind(situation));
        if !used.is_empty() && !held.contains(one.callable()) {
            let lists = [&used[..1], &all_used[..], &with_null[..]];
            let some: Vec<Situation> =
                lists.into_iter().filter_map(|list| one.behind_holding(situation, list)).collect();
            if !some.is_empty() {
                held.insert(one.callable());
                behind.extend(some);
            }
        }
        if !met.insert(one.callable()) {
            continue;
        }
        for (parameter, kind) in one.callable().parameters.iter().enumerate() {
            let mut with = |value: &Argument| behind.push(one.behind_with(situation, parameter, value));
            match kind {
                ValueKind::Nothing | ValueKind::Bool | ValueKind::Float => {}
                ValueKind::Object if !plain.contains(&(one.callable(), parameter)) => {
                    let made = used.iter().filter(|value| matches!(value, Argument::Earlier(_)));
                    made.for_each(&mut with);
                }
                ValueKind::Text | ValueKind::Object => {
                    used.iter().for_each(&mut with);
                    new_text.iter().for_each(|text| with(&Argument::Text(text.clone())));
                }
                ValueKind::Int => {
                    used.iter().filter(|value| matches!(value, Argument::Int(_))).for_each(&mut with);
                    new_number.iter().for_each(&mut with);
                }
            }
        }
        if one.callable().parameters.len() > 1 {
            behind.extend(together.iter().map(|passed| one.behind_together(situation, passed)));
        }
        for (parameter, value) in ties.values(one.callable(), &situation.script, situation.object) {
            behind.push(one.behind_with(situation, parameter, &value));
        }
        let held_text = used.iter().find_map(|value| match value {
            Argument::Text(text) => Some(text),
            _ => None,
        });
        let texts = new_text.iter().chain(held_text);
        behind.extend(texts.filter_map(|text| one.behind_with_text(situation, text)));
    }
    behind
}

/// The situations after one more call that is given `value`: in the place of each parameter that may take it,
/// in a collection, and behind `question`, which is what the object was asked to get it. A key and its value
/// mean something together.
pub(crate) fn behind_given(
    one: &Move,
    situation: &Situation,
    value: &Argument,
    question: &[Argument],
) -> Vec<Situation> {
    let takes = |kind: &ValueKind| match value {
        Argument::Int(_) => *kind == ValueKind::Int,
        Argument::Text(_) => matches!(kind, ValueKind::Text | ValueKind::Object),
        _ => *kind == ValueKind::Object,
    };
    let parameters = &one.callable().parameters;
    let fitting = parameters.iter().enumerate().filter(|(_, kind)| takes(kind));
    let mut behind: Vec<Situation> =
        fitting.map(|(parameter, _)| one.behind_with(situation, parameter, value)).collect();
    behind.extend(one.behind_holding(situation, std::slice::from_ref(value)));
    if !question.is_empty() && question.len() < parameters.len() {
        let together: Vec<Argument> = question.iter().chain([value]).cloned().collect();
        behind.push(one.behind_together(situation, &together));
    }
    if let Argument::Int(length) = value {
        behind.extend(one.behind_with_length(situation, *length));
    }
    behind
}

/// The situations after one more call that is given a twin of the object, which copies of the same calls
/// made.
pub(crate) fn behind_given_twin(one: &Move, situation: &Situation) -> Vec<Situation> {
    let beside = situation.behind_script(&situation.script);
    behind_given(one, &beside, &Argument::Earlier(situation.object), &[])
}

/// The same with the answer to the last call of `asked`, which is the situation after a question, put to a
/// twin of the object.
pub(crate) fn behind_asking_twin(one: &Move, situation: &Situation, asked: &Situation) -> Vec<Situation> {
    let beside = situation.behind_script(&asked.script);
    behind_given(one, &beside, &Argument::Earlier(asked.script.statements.len() - 1), &[])
}

/// Tells whether a call was given this value.
pub(crate) fn mentions(script: &Script, value: &Argument) -> bool {
    fn inside(argument: &Argument, value: &Argument) -> bool {
        match argument {
            Argument::Array(elements) => elements.iter().any(|element| inside(element, value)),
            other => other == value,
        }
    }
    script.statements.iter().flat_map(|statement| &statement.args).any(|argument| inside(argument, value))
}

/// Values that were given to calls of a script, the last ones first, and at most so many.
fn values_of(script: &Script, most: usize) -> Vec<Argument> {
    fn collect(argument: &Argument, most: usize, found: &mut Vec<Argument>) {
        match argument {
            Argument::Array(elements) => elements.iter().for_each(|element| collect(element, most, found)),
            // What a function gives may end up in the object.
            Argument::Function(result) => collect(result, most, found),
            Argument::Bool(_) => {}
            value if found.len() < most && !found.contains(value) => found.push(value.clone()),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for statement in script.statements.iter().rev() {
        statement.args.iter().for_each(|argument| collect(argument, most, &mut found));
    }
    found
}

/// Situations in which a candidate was probed, with the event that it gave and the shape of the object
/// afterwards.
pub(crate) type Coverage = BTreeSet<(u32, Letter, ShapeHash)>;

/// Chooses moves that together show everything that was seen, where `seen[m]` is the coverage of candidate
/// `m`. Keeps at most `most` for each callable: those that add most first and, of equally good ones, the
/// shorter.
pub(crate) fn choose(candidates: Vec<Move>, seen: &[Coverage], most: usize) -> Vec<Move> {
    let mut of: BTreeMap<Arc<Callable>, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        of.entry(candidate.callable().clone()).or_default().push(index);
    }
    let mut kept = BTreeSet::new();
    for mut indexes in of.into_values() {
        indexes.sort_by_key(|&index| (candidates[index].len(), index));
        let mut shown = Coverage::new();
        for _ in 0..most {
            let gain = |index: usize| seen[index].difference(&shown).count();
            // The first of the best, so that the shortest wins.
            let Some(best) = indexes
                .iter()
                .copied()
                .filter(|index| !kept.contains(index))
                .max_by_key(|&index| (gain(index), usize::MAX - index))
            else {
                break;
            };
            if gain(best) == 0 && !shown.is_empty() {
                break;
            }
            shown.extend(&seen[best]);
            kept.insert(best);
        }
    }
    candidates.into_iter().enumerate().filter(|(index, _)| kept.contains(index)).map(|(_, one)| one).collect()
}

/// Keeps at most `most` moves of each callable, taken in turn from each kind of arguments. Among thirty
/// ordinary texts, the one null would hardly ever be met.
pub(crate) fn some_of_each_kind(moves: Vec<Move>, most: usize) -> Vec<Move> {
    // A move's turn is how many of its kind came before it.
    let mut met: BTreeMap<(Arc<Callable>, String), usize> = BTreeMap::new();
    let turns: Vec<usize> = moves
        .iter()
        .map(|one| {
            let turn = met.entry((one.callable().clone(), one.kind())).or_default();
            *turn += 1;
            *turn
        })
        .collect();
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by_key(|&index| (turns[index], index));
    let mut counts: BTreeMap<&Arc<Callable>, usize> = BTreeMap::new();
    let mut kept = BTreeSet::new();
    for index in order {
        let count = counts.entry(moves[index].callable()).or_default();
        if *count < most {
            *count += 1;
            kept.insert(index);
        }
    }
    moves.iter().enumerate().filter(|(index, _)| kept.contains(index)).map(|(_, one)| one.clone()).collect()
}

/// Tells whether a value is a number, a text or the like, and no object.
fn is_plain(value: &Argument) -> bool {
    matches!(value, Argument::Bool(_) | Argument::Int(_) | Argument::Float(_) | Argument::Text(_))
}

/// Statements that `statement` needs, without the object and those that only the object needs.
fn closure(script: &Script, at: usize, object: usize) -> BTreeSet<usize> {
    let mut wanted = BTreeSet::new();
    let mut open = references(&script.statements[at]);
    while let Some(next) = open.pop() {
        if next != object && wanted.insert(next) {
            open.extend(references(&script.statements[next]));
            // A value is what the calls on it made of it.
            let calls = script.statements[..at].iter().enumerate();
            open.extend(calls.filter(|(_, one)| one.receiver == Some(next)).map(|(at, _)| at));
        }
    }
    wanted
}

fn references(statement: &Statement) -> Vec<usize> {
    let mut found = Vec::new();
    needs(statement, &mut |needed| found.push(needed));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(kind: CallKind, name: &str, receiver: Option<usize>, args: Vec<Argument>) -> Statement {
        let parameters = args.iter().map(|_| ValueKind::Object).collect();
        let callable = Callable { parameters, ..Callable::new(kind, "Bag", name) };
        Statement { callable: Arc::new(callable), receiver, args }
    }

    fn text(text: &str) -> Argument {
        Argument::Text(text.to_owned())
    }

    /// Whether a bag holds all elements of a list depends on the bag, and not on the lists of the pool.
    #[test]
    fn collections_are_also_made_of_what_the_object_holds() {
        let list = statement(CallKind::Function, "list", None, vec![Argument::Array(vec![text("x")])]);
        let add_all = statement(CallKind::Method, "addAll", Some(OBJECT), vec![Argument::Earlier(0)]);
        let pool = [Move { statements: vec![list, add_all] }];
        let held = |calls: Vec<Statement>| {
            let mut statements = vec![statement(CallKind::Constructor, "Bag", None, Vec::new())];
            statements.extend(calls);
            let situation = Situation { script: Script { statements }, object: 0 };
            let behind = all_behind(pool.iter(), &situation, &Ties::default(), MOST_VALUES);
            let mut lists: Vec<Vec<Argument>> = Vec::new();
            for one in behind {
                for argument in one.script.statements.iter().rev().take(2).flat_map(|one| &one.args) {
                    if let Argument::Array(elements) = argument
                        && !lists.contains(elements)
                    {
                        lists.push(elements.clone());
                    }
                }
            }
            lists
        };
        let give = |result| Argument::Function(Box::new(result));
        let add = |value| statement(CallKind::Method, "add", Some(0), vec![value]);
        assert_eq!(held(Vec::new()), [vec![text("x")]]);
        assert_eq!(
            held(vec![add(text("a")), add(give(text("b")))]),
            [
                vec![text("x")],
                vec![text("b")],
                vec![text("b"), text("a")],
                vec![text("b"), text("a"), Argument::Null]
            ]
        );
    }

    #[test]
    fn what_was_passed_together_is_passed_together_again() {
        let remove = statement(CallKind::Method, "remove", Some(OBJECT), vec![text("x"), text("y")]);
        let put = statement(CallKind::Method, "put", Some(0), vec![text("key"), text("value")]);
        let new = statement(CallKind::Constructor, "Map", None, Vec::new());
        let situation = Situation { script: Script { statements: vec![new, put] }, object: 0 };
        let behind =
            all_behind([Move { statements: vec![remove] }].iter(), &situation, &Ties::default(), MOST_VALUES);
        let removed: Vec<&[Argument]> = behind.iter().map(|one| &*one.script.statements[2].args).collect();
        assert!(removed.contains(&&[text("key"), text("value")][..]), "{removed:?}");
    }

    /// A map that was made of another one holds what the other one was given.
    #[test]
    fn what_an_argument_was_made_of_is_passed_together_too() {
        let remove = statement(CallKind::Method, "remove", Some(OBJECT), vec![text("x"), text("y")]);
        let made = statement(CallKind::Function, "singletonMap", None, vec![text("key"), text("value")]);
        let new = statement(CallKind::Constructor, "Map", None, vec![Argument::Earlier(0)]);
        let situation = Situation { script: Script { statements: vec![made, new] }, object: 1 };
        let behind =
            all_behind([Move { statements: vec![remove] }].iter(), &situation, &Ties::default(), MOST_VALUES);
        let removed: Vec<&[Argument]> = behind.iter().map(|one| &*one.script.statements[2].args).collect();
        assert!(removed.contains(&&[text("key"), text("value")][..]), "{removed:?}");
    }

    /// A list of a few texts and a null may be left with the null.
    #[test]
    fn a_null_is_passed_again_however_many_values_came_later() {
        let add = |value| statement(CallKind::Method, "add", Some(0), vec![value]);
        let mut statements =
            vec![statement(CallKind::Constructor, "Bag", None, Vec::new()), add(Argument::Null)];
        statements.extend(["a", "b", "c", "d", "e"].map(|value| add(text(value))));
        let situation = Situation { script: Script { statements }, object: 0 };
        let has =
            Move { statements: vec![statement(CallKind::Method, "has", Some(OBJECT), vec![text("x")])] };
        let passed = |most_values| -> Vec<Argument> {
            let behind = all_behind([has.clone()].iter(), &situation, &Ties::default(), most_values);
            behind.iter().filter_map(|one| one.script.statements.last()?.args.first().cloned()).collect()
        };
        let few = passed(2);
        assert!(
            few.contains(&Argument::Null) && few.contains(&text("e")) && !few.contains(&text("a")),
            "{few:?}"
        );
        assert!(passed(MOST_HELD).contains(&text("a")));
    }

    /// A value that calls made what it is brings them along; what happens to it later does not count.
    #[test]
    fn a_move_has_the_calls_on_its_values() {
        let statements = vec![
            statement(CallKind::Constructor, "Bag", None, Vec::new()),
            statement(CallKind::Constructor, "List", None, Vec::new()),
            statement(CallKind::Method, "add", Some(1), vec![text("a")]),
            statement(CallKind::Method, "addAll", Some(0), vec![Argument::Earlier(1)]),
            statement(CallKind::Method, "clear", Some(1), Vec::new()),
        ];
        let one =
            Move::cut_out(&Script { statements }, 3, 0).expect("the list has nothing to do with the bag");
        let names: Vec<&str> = one.statements.iter().map(|one| one.callable.name.as_str()).collect();
        assert_eq!(names, ["List", "add", "addAll"]);
        assert_eq!(one.statements[1].receiver, Some(0));
        assert_eq!(one.statements[2].receiver, Some(OBJECT));
    }

    /// What another task does with this one is no event of this one.
    #[test]
    fn no_move_passes_the_object_on_for_an_argument() {
        let statements = vec![
            statement(CallKind::Constructor, "Task", None, Vec::new()),
            statement(CallKind::Constructor, "Task", None, vec![Argument::Earlier(0)]),
            statement(CallKind::Method, "run", Some(1), Vec::new()),
            statement(CallKind::Method, "cancel", Some(0), vec![Argument::Earlier(2)]),
            statement(CallKind::Method, "equals", Some(0), vec![Argument::Earlier(0)]),
        ];
        let script = Script { statements };
        assert_eq!(Move::cut_out(&script, 3, 0), None);
        assert!(Move::cut_out(&script, 4, 0).is_some());
    }

    /// A constant with which an object was made is a value like any other, unless calls change it.
    #[test]
    fn a_move_has_constants_that_its_object_was_made_with() {
        let with = |on_constant: Vec<Statement>| {
            let mut statements = vec![
                statement(CallKind::Constant, "FAST", None, Vec::new()),
                statement(CallKind::Constructor, "Engine", None, vec![Argument::Earlier(0)]),
                statement(CallKind::Method, "shift", Some(1), vec![Argument::Earlier(0)]),
            ];
            statements.extend(on_constant);
            Move::cut_out(&Script { statements }, 2, 1)
        };
        let kinds = |one: Move| one.statements.iter().map(|one| one.callable.kind).collect::<Vec<_>>();
        assert_eq!(with(Vec::new()).map(kinds), Some(vec![CallKind::Constant, CallKind::Method]));
        assert_eq!(with(vec![statement(CallKind::Method, "tune", Some(0), Vec::new())]), None);
    }

    #[test]
    fn an_array_becomes_as_long_as_the_object_says() {
        let short = Argument::Array(vec![text("x"), text("y")]);
        let copy =
            Move { statements: vec![statement(CallKind::Method, "copyInto", Some(OBJECT), vec![short])] };
        let new = statement(CallKind::Constructor, "Bag", None, Vec::new());
        let situation = Situation { script: Script { statements: vec![new] }, object: 0 };
        let lengths = |length: i64| -> Vec<usize> {
            let behind = behind_given(&copy, &situation, &Argument::Int(length), &[]);
            let args = behind.iter().flat_map(|one| &one.script.statements[1].args);
            let length = |argument: &Argument| match argument {
                Argument::Array(elements) => Some(elements.len()),
                _ => None,
            };
            args.filter_map(length).collect()
        };
        assert_eq!(lengths(50), [50]);
        assert!(lengths(1).is_empty() && lengths(-1).is_empty() && lengths(1 << 40).is_empty());
    }

    /// The twin comes first, so that the last calls of the script are those of the object itself.
    #[test]
    fn a_twin_is_made_by_copies_of_the_same_calls() {
        let statements = vec![
            statement(CallKind::Constructor, "Bag", None, Vec::new()),
            statement(CallKind::Method, "add", Some(0), vec![text("a")]),
        ];
        let situation = Situation { script: Script { statements }, object: 0 };
        let retain = statement(CallKind::Method, "retainAll", Some(OBJECT), vec![Argument::Null]);
        let behind = behind_given_twin(&Move { statements: vec![retain] }, &situation);
        let [one] = &behind[..] else { panic!("{behind:?}") };
        let receivers: Vec<Option<usize>> = one.script.statements.iter().map(|one| one.receiver).collect();
        assert_eq!((one.object, receivers), (2, vec![None, Some(0), None, Some(2), Some(2)]));
        assert_eq!(one.script.statements[4].args, [Argument::Earlier(0)]);
    }
}

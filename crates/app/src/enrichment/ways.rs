//! Ways to call a method: sources of the arguments of an added call.
//!
//! Best is what the suite itself passes to the method. A method that the suite never calls gets values that
//! other calls of the same test passed or returned, plain made-up values, and generated ones.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use adit_bytecode::Type;
use adit_jvm::record::intervene::{BenchLife, Capture, Origin};
use adit_trace::{Argument, CallKind, Callable, Outcome, Statement, Value};

use super::{Callee, GeneratedCall, Recipe};

/// Most ways with values of other calls for one method, and with arrays as long as others.
const LENT_WAYS: usize = 3;
const LENGTHS: usize = 4;

/// The longest array that is written out.
const LONGEST_ARRAY: usize = 4_096;

/// A source of arguments. The number tells ways with the same source apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WayKind {
    /// Values that the same test passed to the method before.
    Captured,
    /// Plain values that any test passed to the method.
    Passed,
    /// Values that the same test passed to other methods, or got from them.
    Lent(usize),
    /// Plain values, with arrays as long as those that any test passed or got.
    AsLong(usize),
    /// Plain values without a source.
    MadeUp,
    /// Values of the generator of `adit mine`.
    Generated(usize),
}

impl WayKind {
    /// Tells whether the suite does not pass these arguments to the method.
    pub(super) fn is_made_up(self) -> bool {
        !matches!(self, Self::Captured | Self::Passed)
    }
}

/// A way to call a method.
pub(super) struct Way {
    pub(super) kind: WayKind,
    pub(super) arguments: Vec<Argument>,
    pub(super) captures: Vec<Capture>,
    pub(super) made: Vec<Statement>,
}

impl Way {
    fn plain(kind: WayKind, arguments: Vec<Argument>) -> Self {
        Self { kind, arguments, captures: Vec::new(), made: Vec::new() }
    }
}

/// A value that a test passed to a call of the class, or got from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// Name of the call's method, without parameters.
    pub(super) name: String,
    pub(super) of: Type,
    pub(super) capture: Capture,
}

/// All ways to call a method where a recipe leads.
pub(super) fn ways(callee: &Callee, callees: &[Callee], lives: &[BenchLife], recipe: &Recipe) -> Vec<Way> {
    let count = callee.parameters.len();
    if count == 0 {
        return vec![Way::plain(WayKind::Passed, Vec::new())];
    }
    let mut ways = Vec::new();
    let is_before = |sequence: u64| recipe.sequence.is_none_or(|last| sequence <= last);
    let earlier = lives.iter().filter(|life| life.test == recipe.test).find_map(|life| {
        life.life.events.iter().zip(&life.marks).find_map(|(event, mark)| match mark.origin {
            Origin::Own { ordinal }
                if event.method == callee.event
                    && !matches!(event.outcome, Outcome::Threw(_))
                    && is_before(mark.sequence) =>
            {
                Some((life.object, ordinal))
            }
            _ => None,
        })
    });
    if let Some((object, ordinal)) = earlier {
        let capture = |argument| Capture { object, ordinal, argument: Some(argument) };
        ways.push(Way {
            kind: WayKind::Captured,
            arguments: (0..count).map(Argument::Earlier).collect(),
            captures: (0..count).map(capture).collect(),
            made: Vec::new(),
        });
    }
    let passed = lives.iter().flat_map(|life| &life.life.events).find_map(|event| {
        (event.method == callee.event
            && event.args.len() == count
            && !matches!(event.outcome, Outcome::Threw(_)))
        .then(|| {
            let values = event.args.iter().zip(&callee.parameters);
            values.map(|(value, of)| plain(value, of)).collect::<Option<Vec<_>>>()
        })
        .flatten()
    });
    ways.extend(passed.map(|arguments| Way::plain(WayKind::Passed, arguments)));
    if !is_called(callee, lives) {
        let mut known = Vec::new();
        for life in lives.iter().filter(|life| life.test == recipe.test) {
            let before = (0..).zip(&life.marks).filter(|(_, mark)| is_before(mark.sequence));
            known.extend(before.flat_map(|(place, _)| sources(life, place, callees)));
        }
        ways.extend(lent(callee, &known));
        ways.extend(as_long(callee, &lengths(callees, lives)));
    }
    ways.extend(
        made_up_arguments(&callee.parameters).map(|arguments| Way::plain(WayKind::MadeUp, arguments)),
    );
    ways.extend(callee.generated.iter().enumerate().map(|(place, GeneratedCall { arguments, made })| Way {
        made: made.clone(),
        ..Way::plain(WayKind::Generated(place), arguments.clone())
    }));
    ways
}

/// Tells whether the suite calls the method.
pub(super) fn is_called(callee: &Callee, lives: &[BenchLife]) -> bool {
    lives.iter().flat_map(|life| &life.life.events).any(|event| event.method == callee.event)
}

/// Objects that a call of an object got or returned, if it is one of the test's own.
pub(super) fn sources(life: &BenchLife, place: usize, callees: &[Callee]) -> Vec<Source> {
    let event = &life.life.events[place];
    let Origin::Own { ordinal } = life.marks[place].origin else { return Vec::new() };
    let Outcome::Returned(value) = &event.outcome else { return Vec::new() };
    let Some(callee) = callees.iter().find(|callee| callee.event == event.method) else { return Vec::new() };
    let source = |of: &Type, argument| Source {
        name: callee.name().to_owned(),
        of: of.clone(),
        capture: Capture { object: life.object, ordinal, argument },
    };
    let passed = callee.parameters.iter().enumerate().filter(|(_, of)| of.is_reference());
    let result = callee.result.iter().filter(|of| of.is_reference() && *value != Value::Null);
    passed.map(|(place, of)| source(of, Some(place))).chain(result.map(|of| source(of, None))).collect()
}

/// Ways to call a method with values of other calls. Those of its overloads come first; numbers behind an
/// array are a range of it.
pub(super) fn lent(callee: &Callee, sources: &[Source]) -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::new();
    for number in 0..LENT_WAYS {
        let way = lent_way(callee, sources, number);
        ways.extend(way.filter(|way| ways.iter().all(|known| known.captures != way.captures)));
    }
    ways
}

fn lent_way(callee: &Callee, sources: &[Source], number: usize) -> Option<Way> {
    let mut captures = Vec::new();
    let mut arguments = Vec::new();
    for of in &callee.parameters {
        let mut fitting: Vec<&Source> =
            sources.iter().filter(|source| of.is_reference() && source.of == *of).collect();
        fitting.sort_by_key(|source| source.name != callee.name());
        match fitting.get(number).or(fitting.last()) {
            Some(source) => {
                arguments.push(Argument::Earlier(captures.len()));
                captures.push(source.capture.clone());
            }
            None => arguments.push(made_up(of)?),
        }
    }
    if captures.is_empty() {
        return None;
    }
    let mut made = Vec::new();
    for place in ranges(&callee.parameters) {
        arguments[place + 1] = Argument::Int(0);
        if matches!(arguments[place], Argument::Earlier(_)) {
            let length = captures.len() + made.len();
            made.push(length_of(arguments[place].clone()));
            arguments[place + 2] = Argument::Earlier(length);
        }
    }
    Some(Way { kind: WayKind::Lent(number), arguments, captures, made })
}

/// Lengths of arrays of numbers that the suite passed to calls of the class, or got from them, with the names
/// of the methods and the types.
fn lengths(callees: &[Callee], lives: &[BenchLife]) -> BTreeSet<(String, Type, usize)> {
    let mut found = BTreeSet::new();
    for event in lives.iter().flat_map(|life| &life.life.events) {
        let Outcome::Returned(result) = &event.outcome else { continue };
        let Some(callee) = callees.iter().find(|callee| callee.event == event.method) else { continue };
        let passed = event.args.iter().zip(&callee.parameters);
        for (value, of) in passed.chain(callee.result.iter().map(|of| (result, of))) {
            if let (Value::Text(text), Type::Array(element)) = (value, of)
                && !element.is_reference()
                && let Some(length) = text.strip_prefix("array of ").and_then(|length| length.parse().ok())
            {
                found.insert((callee.name().to_owned(), of.clone(), length));
            }
        }
    }
    found
}

/// Ways to call a method with plain values, and with arrays of these lengths: what fits is often as long as
/// what another method takes. Those of overloads come first, and long ones before short ones.
fn as_long(callee: &Callee, lengths: &BTreeSet<(String, Type, usize)>) -> Vec<Way> {
    let is_wanted = |of: &Type| callee.parameters.contains(of);
    let mut fitting: Vec<&(String, Type, usize)> =
        lengths.iter().filter(|(_, of, length)| is_wanted(of) && *length <= LONGEST_ARRAY).collect();
    fitting.sort_by_key(|(name, _, length)| (name != callee.name(), Reverse(*length)));
    let mut chosen: Vec<usize> = Vec::new();
    for (_, _, length) in fitting {
        if chosen.len() < LENGTHS && !chosen.contains(length) {
            chosen.push(*length);
        }
    }
    let way = |length: usize| {
        let mut arguments = made_up_arguments(&callee.parameters)?;
        for (argument, of) in arguments.iter_mut().zip(&callee.parameters) {
            if let (Argument::Array(elements), Type::Array(element)) = (argument, of)
                && !element.is_reference()
            {
                *elements = vec![made_up(element)?; length];
            }
        }
        for place in ranges(&callee.parameters) {
            arguments[place + 2] = Argument::Int(length as i64);
        }
        Some(Way::plain(WayKind::AsLong(length), arguments))
    };
    chosen.into_iter().filter_map(way).collect()
}

/// A call that gives the length of an array.
fn length_of(array: Argument) -> Statement {
    let callable = Callable {
        signature: "(Ljava/lang/Object;)I".to_owned(),
        ..Callable::new(CallKind::Function, "java.lang.reflect.Array", "getLength")
    };
    Statement { callable: Arc::new(callable), receiver: None, args: vec![array] }
}

/// A recorded value as an argument, if it is plain data of the parameter's type.
fn plain(value: &Value, of: &Type) -> Option<Argument> {
    Some(match (value, of) {
        (Value::Bool(value), Type::Boolean) => Argument::Bool(*value),
        (Value::Int(value), Type::Byte | Type::Short | Type::Char | Type::Int | Type::Long) => {
            Argument::Int(*value)
        }
        (Value::Float(value), Type::Float | Type::Double) => Argument::Float(*value),
        (Value::Text(text), Type::Class(class)) if &**class == "java/lang/String" => {
            Argument::Text(text.clone())
        }
        _ => return None,
    })
}

/// Harmless values of all types, if there are any. Two numbers behind an array are a range of it.
fn made_up_arguments(parameters: &[Type]) -> Option<Vec<Argument>> {
    let mut arguments: Vec<Argument> = parameters.iter().map(made_up).collect::<Option<_>>()?;
    for place in ranges(parameters) {
        arguments[place + 1] = Argument::Int(0);
    }
    Some(arguments)
}

/// Places of arrays that two numbers follow.
fn ranges(parameters: &[Type]) -> impl Iterator<Item = usize> {
    let is_range = |(_, window): &(usize, &[Type])| matches!(window, [Type::Array(_), Type::Int, Type::Int]);
    parameters.windows(3).enumerate().filter(is_range).map(|(place, _)| place)
}

/// A harmless value of a type. Null is none: it is refused for its own sake.
fn made_up(of: &Type) -> Option<Argument> {
    Some(match of {
        Type::Boolean => Argument::Bool(true),
        Type::Byte | Type::Short | Type::Char | Type::Int | Type::Long => Argument::Int(1),
        Type::Float | Type::Double => Argument::Float(1.0),
        Type::Array(element) => Argument::Array(vec![made_up(element)?]),
        Type::Class(class) => match &**class {
            "java/lang/String" | "java/lang/CharSequence" | "java/lang/Object" => {
                Argument::Text("a".to_owned())
            }
            _ => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes() -> Type {
        Type::Array(Box::new(Type::Byte))
    }

    fn source(name: &str, of: Type, ordinal: u64, argument: Option<usize>) -> Source {
        Source { name: name.to_owned(), of, capture: Capture { object: 0, ordinal, argument } }
    }

    fn callee(event: &str, parameters: Vec<Type>) -> Callee {
        Callee { event: event.to_owned(), number: 0, parameters, result: None, generated: Vec::new() }
    }

    #[test]
    fn values_of_overloads_come_first_and_numbers_are_a_range() {
        let callee = callee("sign(byte[],int,int)", vec![bytes(), Type::Int, Type::Int]);
        let sources = [source("update", bytes(), 1, Some(0)), source("sign", bytes(), 2, None)];
        let ways = lent(&callee, &sources);
        let ordinals: Vec<u64> = ways.iter().map(|way| way.captures[0].ordinal).collect();
        assert_eq!(ordinals, [2, 1]);
        let first = &ways[0];
        assert_eq!(first.arguments, [Argument::Earlier(0), Argument::Int(0), Argument::Earlier(1)]);
        assert_eq!((first.made.len(), &*first.made[0].callable.name), (1, "getLength"));
        assert_eq!(first.made[0].args, [Argument::Earlier(0)]);
    }

    #[test]
    fn arrays_are_as_long_as_others() {
        let callee = callee("sign(byte[],int,int)", vec![bytes(), Type::Int, Type::Int]);
        let seen = |name: &str, of: Type, length: usize| (name.to_owned(), of, length);
        let ints = Type::Array(Box::new(Type::Int));
        let lengths = [
            seen("update", bytes(), 2),
            seen("verify", bytes(), 128),
            seen("sign", bytes(), 64),
            seen("update", ints, 7),
            seen("read", bytes(), 100_000),
        ];
        let ways = as_long(&callee, &lengths.into());
        let shown: Vec<(WayKind, &Argument)> = ways.iter().map(|way| (way.kind, &way.arguments[2])).collect();
        let expected = [64, 128, 2].map(|length| (WayKind::AsLong(length), Argument::Int(length as i64)));
        assert_eq!(shown, expected.each_ref().map(|(kind, length)| (*kind, length)));
        assert!(matches!(&ways[0].arguments[0], Argument::Array(elements) if elements.len() == 64));
    }

    #[test]
    fn nothing_is_lent_without_a_value_for_every_parameter() {
        let address = || Type::Class("java/net/SocketAddress".into());
        let only = callee("connect(SocketAddress)", vec![address()]);
        let other =
            callee("use(Thread,SocketAddress)", vec![Type::Class("java/lang/Thread".into()), address()]);
        let sources = [source("connect", address(), 1, Some(0))];
        assert_eq!(lent(&only, &sources).len(), 1);
        assert!(lent(&other, &sources).is_empty() && lent(&only, &[]).is_empty());
        assert!(lent(&callee("wait(int)", vec![Type::Int]), &sources).is_empty(), "nothing is lent");
    }
}

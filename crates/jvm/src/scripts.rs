//! Scripts as bytes, on their way from the coordinator to a worker.
//!
//! Names travel once: a callable is sent before its first use and is a number afterwards. A script stays
//! bytes in the worker until its statements are run, so that nothing is built only to be read once.

use std::sync::Arc;

use adit_trace::{Argument, CallKind, Callable, Depth, Script};
use rustc_hash::FxHashMap;

use crate::wire::{Garbled, Put, Take};

/// The numbers under which one worker knows callables. The coordinator has one for each worker.
#[derive(Default)]
pub(crate) struct Dictionary {
    numbers: FxHashMap<Arc<Callable>, u64>,
    callables: Vec<Arc<Callable>>,
}

impl Dictionary {
    /// The callable with this number.
    pub(crate) fn callable(&self, number: usize) -> Option<&Arc<Callable>> {
        self.callables.get(number)
    }

    /// A batch as bytes: the depth of its snapshots, the callables that the worker does not know yet, then
    /// the scripts.
    pub(crate) fn batch<'a>(
        &mut self,
        depth: Depth,
        scripts: impl ExactSizeIterator<Item = &'a Script>,
    ) -> Vec<u8> {
        // Scripts share callables, so that most are known by their address. Addresses are only good for this
        // call: afterwards the caller may free a callable, and another may take its place.
        let mut by_address: FxHashMap<*const Callable, u64> = FxHashMap::default();
        let mut fresh: Vec<&Arc<Callable>> = Vec::new();
        let mut body = Vec::new();
        body.number(scripts.len() as u64);
        let mut one = Vec::new();
        for script in scripts {
            one.clear();
            one.number(script.statements.len() as u64);
            for statement in &script.statements {
                let number = *by_address.entry(Arc::as_ptr(&statement.callable)).or_insert_with(|| {
                    let next = self.numbers.len() as u64;
                    *self.numbers.entry(statement.callable.clone()).or_insert_with(|| {
                        fresh.push(&statement.callable);
                        next
                    })
                });
                one.number(number);
                one.number(statement.receiver.map_or(0, |receiver| receiver as u64 + 1));
                one.number(statement.args.len() as u64);
                statement.args.iter().for_each(|arg| put_argument(&mut one, arg));
            }
            body.number(one.len() as u64);
            body.bytes(&one);
        }
        self.callables.extend(fresh.iter().map(|callable| (*callable).clone()));
        let mut bytes = Vec::with_capacity(body.len() + 64 * fresh.len() + 8);
        bytes.byte(depth as u8);
        bytes.number(fresh.len() as u64);
        for callable in fresh {
            bytes.byte(callable.kind as u8);
            bytes.text(&callable.owner);
            bytes.text(&callable.name);
            bytes.text(&callable.signature);
        }
        bytes.bytes(&body);
        bytes
    }
}

pub(crate) fn put_argument(bytes: &mut Vec<u8>, argument: &Argument) {
    match argument {
        Argument::Null => bytes.byte(0),
        Argument::Bool(value) => bytes.byte(1 + u8::from(*value)),
        Argument::Int(value) => {
            bytes.byte(3);
            bytes.signed(*value);
        }
        Argument::Float(value) => {
            bytes.byte(4);
            bytes.float(*value);
        }
        Argument::Text(value) => {
            bytes.byte(5);
            bytes.text(value);
        }
        Argument::Earlier(statement) => {
            bytes.byte(6);
            bytes.number(*statement as u64);
        }
        // What is nested has its length before it, so that it can be passed over.
        Argument::Array(elements) => {
            bytes.byte(7);
            let mut inner = Vec::new();
            inner.number(elements.len() as u64);
            elements.iter().for_each(|element| put_argument(&mut inner, element));
            bytes.number(inner.len() as u64);
            bytes.bytes(&inner);
        }
        Argument::Function(result) => {
            bytes.byte(8);
            let mut inner = Vec::new();
            put_argument(&mut inner, result);
            bytes.number(inner.len() as u64);
            bytes.bytes(&inner);
        }
        Argument::Class(name) => {
            bytes.byte(9);
            bytes.text(name);
        }
    }
}

/// Maximal nesting of arguments. Nobody writes ten levels by hand.
pub(crate) const DEEPEST: usize = 64;

/// No fewer bytes than an argument takes, or nothing if it is nested deeper than [`DEEPEST`] allows.
pub(crate) fn most_bytes(argument: &Argument, depth: usize) -> Option<usize> {
    // A number takes at most ten bytes.
    Some(match argument {
        _ if depth > DEEPEST => return None,
        Argument::Text(text) | Argument::Class(text) => 11 + text.len(),
        Argument::Array(elements) => elements
            .iter()
            .try_fold(21_usize, |sum, element| Some(sum.saturating_add(most_bytes(element, depth + 1)?)))?,
        Argument::Function(result) => 11 + most_bytes(result, depth + 1)?,
        _ => 11,
    })
}

/// An argument as the worker reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Passed<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'a str),
    Earlier(usize),
    /// Number of elements that follow.
    Array(usize, &'a [u8]),
    /// The result, which is still to be taken.
    Function(&'a [u8]),
    Class(&'a str),
}

pub(crate) fn take_argument<'a>(take: &mut Take<'a>) -> Result<Passed<'a>, Garbled> {
    Ok(match take.byte()? {
        0 => Passed::Null,
        flag @ (1 | 2) => Passed::Bool(flag == 2),
        3 => Passed::Int(take.signed()?),
        4 => Passed::Float(take.float()?),
        5 => Passed::Text(take.text()?),
        6 => Passed::Earlier(take.size()?),
        7 => {
            let length = take.size()?;
            let mut inner = Take(take.bytes(length)?);
            Passed::Array(inner.count()?, inner.0)
        }
        8 => {
            let length = take.size()?;
            Passed::Function(take.bytes(length)?)
        }
        9 => Passed::Class(take.text()?),
        _ => return Err(Garbled),
    })
}

/// A callable as the worker looks it up, in the terms of class files.
#[derive(Debug, PartialEq)]
pub(crate) struct Member {
    pub(crate) kind: CallKind,
    /// The class with dots, `java.util.Map$Entry`.
    pub(crate) class: String,
    /// The name of the method or field; a constructor is found without one.
    pub(crate) name: String,
    /// `(ILjava/lang/Object;)Z` for a method; a constructor's result is `V`, and a field has only a type.
    pub(crate) descriptor: String,
}

/// The depth of the snapshots of a batch.
pub(crate) fn take_depth(take: &mut Take<'_>) -> Result<Depth, Garbled> {
    Ok(match take.byte()? {
        0 => Depth::Fields,
        1 => Depth::ReachableAtEnd,
        2 => Depth::Reachable,
        _ => return Err(Garbled),
    })
}

pub(crate) fn take_member(take: &mut Take<'_>) -> Result<Member, Garbled> {
    let kind = match take.byte()? {
        0 => CallKind::Constructor,
        1 => CallKind::Function,
        2 => CallKind::Method,
        3 => CallKind::Constant,
        _ => return Err(Garbled),
    };
    let mut text = || Ok(take.text()?.to_owned());
    Ok(Member { kind, class: text()?, name: text()?, descriptor: text()? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_callable_is_sent_once() {
        let callable = || Callable { signature: "()V".into(), ..Callable::new(CallKind::Function, "C", "m") };
        let script = |callable: Callable| Script {
            statements: vec![adit_trace::Statement {
                callable: Arc::new(callable),
                receiver: None,
                args: vec![],
            }],
        };
        let mut dictionary = Dictionary::default();
        let first = dictionary.batch(Depth::Reachable, [script(callable()), script(callable())].iter());
        let mut take = Take(&first);
        assert_eq!(take_depth(&mut take), Ok(Depth::Reachable));
        let (class, name, descriptor) = ("C".into(), "m".into(), "()V".into());
        let member = Member { kind: CallKind::Function, class, name, descriptor };
        assert_eq!((take.count(), take_member(&mut take)), (Ok(1), Ok(member)));
        let second = dictionary.batch(Depth::Fields, [script(callable())].iter());
        assert_eq!(
            second,
            [0, 0, 1, 4, 1, 0, 0, 0],
            "only fields; no callable; one script of four bytes that calls number 0"
        );
    }

    fn arguments() -> impl Strategy<Value = Argument> {
        let leaf = prop_oneof![
            Just(Argument::Null),
            any::<bool>().prop_map(Argument::Bool),
            any::<i64>().prop_map(Argument::Int),
            (-1e9..1e9).prop_map(Argument::Float),
            any::<String>().prop_map(Argument::Text),
            any::<usize>().prop_map(Argument::Earlier),
            any::<String>().prop_map(Argument::Class),
        ];
        leaf.prop_recursive(4, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Argument::Array),
                inner.prop_map(|result| Argument::Function(Box::new(result))),
            ]
        })
    }

    /// The argument that a worker would see.
    fn rebuilt(take: &mut Take<'_>) -> Argument {
        match take_argument(take).unwrap() {
            Passed::Null => Argument::Null,
            Passed::Bool(value) => Argument::Bool(value),
            Passed::Int(value) => Argument::Int(value),
            Passed::Float(value) => Argument::Float(value),
            Passed::Text(value) => Argument::Text(value.to_owned()),
            Passed::Earlier(value) => Argument::Earlier(value),
            Passed::Class(value) => Argument::Class(value.to_owned()),
            Passed::Function(inner) => Argument::Function(Box::new(rebuilt(&mut Take(inner)))),
            Passed::Array(count, inner) => {
                let mut inner = Take(inner);
                let elements = (0..count).map(|_| rebuilt(&mut inner)).collect();
                assert!(inner.is_empty());
                Argument::Array(elements)
            }
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let nested = |depth| (0..depth).fold(Argument::Null, |inner, _| Argument::Array(vec![inner]));
        assert!(most_bytes(&nested(DEEPEST), 0).is_some());
        assert_eq!(most_bytes(&nested(DEEPEST + 1), 0), None);
        let function = (0..1000).fold(Argument::Null, |inner, _| Argument::Function(Box::new(inner)));
        assert_eq!(most_bytes(&function, 0), None);
    }

    proptest! {
        /// Decoding returns what was encoded, at any depth, and the size is at most the estimate.
        #[test]
        fn arguments_arrive(argument in arguments()) {
            let mut bytes = Vec::new();
            put_argument(&mut bytes, &argument);
            prop_assert!(bytes.len() <= most_bytes(&argument, 0).unwrap());
            let mut take = Take(&bytes);
            prop_assert_eq!(rebuilt(&mut take), argument);
            prop_assert!(take.is_empty());
        }
    }
}

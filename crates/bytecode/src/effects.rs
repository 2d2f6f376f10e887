//! Read and write effects of methods, including everything they call.
//!
//! Each reference in a method has one of five *origins*: the receiver, something reachable from the receiver,
//! an argument (or something reachable from one), something from elsewhere (statics, unknown results), or an
//! object created during the call. Abstract interpretation over origins tells which fields a method touches;
//! calls are replaced by the summaries of their targets, and the analysis repeats until it reaches a
//! fixpoint. Writing to an object created during the call is no effect: nobody else can have seen it.
//!
//! All objects that a method creates share one origin: once something old is stored into any of them,
//! whatever is loaded from any of them may be old. So a method that builds a string, even for an exception,
//! often seems to write elsewhere.
//!
//! The result is an over-approximation: a method may read and write less than reported, never more, unless
//! there are [`Doubt`]s, which name the calls that could not be analyzed. Static initializers are not
//! counted, because they run once, at an unspecified time. Classes that exist only at run time, such as
//! proxies, are not known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::abstraction::{self, Callees, Origins, Summary};
use crate::known;
use crate::pool::MemberRef;
use crate::program::{MethodId, Program};

/// Effects of a method on objects that it did not create itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// Places it may read, assuming that doubtful calls do nothing.
    pub reads: BTreeSet<Place>,
    /// Places it may write, assuming that doubtful calls do nothing.
    pub writes: BTreeSet<Place>,
    /// Calls that could not be analyzed. With any doubt, the method may do anything.
    pub doubts: BTreeSet<Doubt>,
}

impl Effects {
    /// Returns true if calls with these effects may change places: neither writes what the other reads or
    /// writes, and nothing is in doubt. An exception ends the sequence of calls, so only outcomes and
    /// fields count.
    ///
    /// Holders are not compared, because two of them may be the same object.
    pub fn independent(&self, other: &Effects) -> bool {
        let apart = |writes: &BTreeSet<Place>, touched: &BTreeSet<Place>| {
            !writes.iter().any(|one| touched.iter().any(|two| one.what.overlaps(&two.what)))
        };
        self.doubts.is_empty()
            && other.doubts.is_empty()
            && apart(&self.writes, &other.writes)
            && apart(&self.writes, &other.reads)
            && apart(&other.writes, &self.reads)
    }
}

impl What {
    /// Returns true if the two may be the same place of one object.
    pub(crate) fn overlaps(&self, other: &What) -> bool {
        match (self, other) {
            (What::AllFields, What::Field { .. }) | (What::Field { .. }, What::AllFields) => true,
            (one, other) => one == other,
        }
    }
}

/// A field or the elements of an array, and their holder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The holder, as seen from the method.
    pub holder: Holder,
    /// The field or elements.
    pub what: What,
}

/// The object that has a field, as seen from the method. Two of these may be the same object, as in
/// `a.equals(a)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// The receiver itself.
    This,
    /// Something reachable from the receiver.
    Inside,
    /// An argument, or something reachable from one.
    Argument,
    /// Some other object.
    Elsewhere,
    /// A class: the field is static.
    Static,
}

/// A field or the elements of an array, without the holder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A field.
    Field {
        /// The class that declares it, in internal form.
        class: Arc<str>,
        /// Its name.
        name: Arc<str>,
    },
    /// Elements of an array.
    Elements,
    /// All fields, as `Object.clone` reads them.
    AllFields,
}

/// A reason for which the effects are incomplete.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// A native method without a known summary.
    Native(MethodId),
    /// A method that is not part of the program.
    Unresolved(MemberRef),
    /// A method that a lambda may implement.
    Lambda(MemberRef),
    /// A method with more implementations than the limit.
    ManyTargets(MemberRef, usize),
    /// A call linked by an unknown bootstrap method.
    Dynamic(MemberRef),
    /// More methods are reached than the limit.
    TooLarge,
    /// Code that no compiler has produced since Java 6, or that does not verify.
    Odd(MethodId),
}

/// Limits of the analysis.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most methods that one [`Analysis`] analyzes.
    pub methods: usize,
    /// The most implementations of one called method that it analyzes.
    pub targets: usize,
}

/// Effects of the methods of a program, each computed once.
pub struct Analysis<'p> {
    program: &'p Program<'p>,
    /// Methods assumed to write nothing.
    assumed_pure: BTreeSet<MethodId>,
    limits: Limits,
    numbers: BTreeMap<MethodId, usize>,
    methods: Vec<Entry>,
}

struct Entry {
    id: MethodId,
    summary: Summary,
    /// Methods to analyze again when this summary grows.
    callers: BTreeSet<usize>,
}

impl<'p> Analysis<'p> {
    /// Creates an analysis. The methods in `assumed_pure` are not analyzed but assumed to write nothing.
    pub fn new(program: &'p Program<'p>, assumed_pure: BTreeSet<MethodId>, limits: Limits) -> Analysis<'p> {
        Analysis { program, assumed_pure, limits, numbers: BTreeMap::new(), methods: Vec::new() }
    }

    /// Returns the effects of a method, or `None` if the program has no such method with a body.
    pub fn effects(&mut self, method: &MethodId) -> Option<Effects> {
        let found = self.program.outline(&method.class)?.method(&method.name, &method.descriptor)?;
        if found.flags.has(crate::Flags::ABSTRACT) {
            return None;
        }
        let mut open = BTreeSet::new();
        let number = self.number(method, &mut open)?;
        // Newest first, so most callees are done before their callers.
        while let Some(next) = open.pop_last() {
            let id = self.methods[next].id.clone();
            let summary = self.summarize(&id, next, &mut open);
            let entry = &mut self.methods[next];
            if entry.summary != summary {
                entry.summary = summary;
                open.extend(&entry.callers);
            }
        }
        let summary = &self.methods[number].summary;
        Some(Effects {
            reads: summary.reads.clone(),
            writes: summary.writes.clone(),
            doubts: summary.doubts.clone(),
        })
    }

    /// Returns the number of a method. New methods are added to the open ones.
    fn number(&mut self, id: &MethodId, open: &mut BTreeSet<usize>) -> Option<usize> {
        if let Some(&number) = self.numbers.get(id) {
            return Some(number);
        }
        if self.methods.len() >= self.limits.methods {
            return None;
        }
        let number = self.methods.len();
        self.numbers.insert(id.clone(), number);
        self.methods.push(Entry { id: id.clone(), summary: Summary::default(), callers: BTreeSet::new() });
        open.insert(number);
        Some(number)
    }

    fn summarize(&mut self, id: &MethodId, number: usize, open: &mut BTreeSet<usize>) -> Summary {
        if self.assumed_pure.contains(id) {
            return Summary::harmless(Origins::ALL);
        }
        if let Some(known) = known::summary(id) {
            return known;
        }
        let class = self.program.class(&id.class);
        let Some(method) = class.as_ref().and_then(|class| class.method(&id.name, &id.descriptor)) else {
            return Summary::doubtful(Doubt::Odd(id.clone()));
        };
        if method.code.is_none() {
            return Summary::doubtful(Doubt::Native(id.clone()));
        }
        let (program, most_targets) = (self.program, self.limits.targets);
        let known = self.methods[number].summary.clone();
        let mut callees = CalleesOf { analysis: self, caller: number, open };
        abstraction::interpret(program, id, method, known, most_targets, &mut callees)
    }
}

/// The analysis, as the interpretation of one method sees it.
struct CalleesOf<'a, 'p> {
    analysis: &'a mut Analysis<'p>,
    caller: usize,
    open: &'a mut BTreeSet<usize>,
}

impl Callees for CalleesOf<'_, '_> {
    fn summary(&mut self, method: &MethodId) -> Summary {
        match self.analysis.number(method, self.open) {
            Some(callee) => {
                let entry = &mut self.analysis.methods[callee];
                entry.callers.insert(self.caller);
                entry.summary.clone()
            }
            None => Summary::doubtful(Doubt::TooLarge),
        }
    }

    fn is_assumed_pure(&self, method: &MethodId) -> bool {
        self.analysis.assumed_pure.contains(method)
    }
}

/// As in `this java.util.HashMap.size`, `argument []` or `static java.lang.System.out`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let holder = match self.holder {
            Holder::This => "this",
            Holder::Inside => "inside",
            Holder::Argument => "argument",
            Holder::Elsewhere => "elsewhere",
            Holder::Static => "static",
        };
        match &self.what {
            What::Field { class, name } => write!(f, "{holder} {}.{name}", class.replace('/', ".")),
            What::Elements => write!(f, "{holder} []"),
            What::AllFields => write!(f, "{holder} *"),
        }
    }
}

/// Part of a sentence: `calls …, which …`.
impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dotted = |member: &MemberRef| format!("{}.{}", member.class.replace('/', "."), member.name);
        match self {
            Doubt::Native(id) => write!(f, "reaches {id}, which is native"),
            Doubt::Unresolved(member) => {
                write!(f, "calls {}, which is not on the class path", dotted(member))
            }
            Doubt::Lambda(member) => write!(f, "calls {}, which may be a lambda", dotted(member)),
            Doubt::ManyTargets(member, count) => {
                write!(f, "calls {}, which {count} classes implement", dotted(member))
            }
            Doubt::Dynamic(member) => write!(f, "has a call that {} links", dotted(member)),
            Doubt::TooLarge => write!(f, "reaches more methods than the limit"),
            Doubt::Odd(id) => write!(f, "reaches {id}, whose code is odd"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(reads: &[What], writes: &[What]) -> Effects {
        let places = |all: &[What]| {
            all.iter().map(|what| Place { holder: Holder::This, what: what.clone() }).collect()
        };
        Effects { reads: places(reads), writes: places(writes), doubts: BTreeSet::new() }
    }

    #[test]
    fn independence_needs_writes_apart_from_everything() {
        let field = |name: &str| What::Field { class: "C".into(), name: name.into() };
        let (reads, writes) = (effects(&[field("a")], &[]), effects(&[], &[field("a")]));
        let other = effects(&[field("b")], &[field("b")]);
        assert!(reads.independent(&reads) && reads.independent(&other) && writes.independent(&other));
        assert!(!reads.independent(&writes) && !writes.independent(&reads) && !writes.independent(&writes));
        let clone = effects(&[What::AllFields], &[]);
        assert!(clone.independent(&reads) && !clone.independent(&writes));
        let elements = effects(&[], &[What::Elements]);
        assert!(elements.independent(&writes) && !elements.independent(&elements));
        let doubtful = Effects { doubts: [Doubt::TooLarge].into(), ..reads.clone() };
        assert!(!doubtful.independent(&other) && !other.independent(&doubtful));
    }
}

//! Which fields a method may read and write, through everything that it calls.
//!
//! Each reference in a method is one of five *origins*: the receiver, something inside the receiver, an argument (or something
//! inside one), something from elsewhere (statics, unknown results), or something that was made during the call. One
//! pass over a method with these instead of values says which places it touches; calls are replaced by what is known of
//! their targets, and everything is repeated until nothing new is learned. What was made during the call is no effect
//! of it, however much it is written: nobody can have seen it before.
//!
//! Everything that a method makes is one lump: once something old is stored into anything new, whatever is found inside
//! anything new may be old. So a method that builds a text, be it for an exception, often seems to write elsewhere.
//!
//! The answer errs on one side only: a method may read and write less than is said, never more, unless there are
//! [`Doubt`]s, which say what could not be looked into. Static initializers are not counted, since they run once and
//! whenever. Classes that exist only while a program runs, such as proxies, are not known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::abstraction::{self, Callees, Origins, Summary};
use crate::known;
use crate::pool::MemberRef;
use crate::program::{MethodId, Program};

/// What a method may do to what it did not make itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// What it may read, if what is doubtful does nothing.
    pub reads: BTreeSet<Place>,
    /// What it may write, if what is doubtful does nothing.
    pub writes: BTreeSet<Place>,
    /// What could not be looked into. With any doubt, the method may do anything.
    pub doubts: BTreeSet<Doubt>,
}

/// A field or the elements of an array, and whose they are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Whose it is.
    pub holder: Holder,
    /// What it is.
    pub what: What,
}

/// Whose a field is, as seen from the method. Two of these may be the same object, as in `a.equals(a)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// The receiver itself.
    This,
    /// Something that the receiver leads to.
    Inside,
    /// An argument, or something that an argument leads to.
    Argument,
    /// Some other object.
    Elsewhere,
    /// A class: the field is static.
    Static,
}

/// What is read or written.
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

/// Something that could not be looked into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    /// A native method, of which nothing is known.
    Native(MethodId),
    /// A method that is not part of the program.
    Unresolved(MemberRef),
    /// A method that a lambda may stand for.
    Lambda(MemberRef),
    /// A method with more implementations than were allowed.
    ManyTargets(MemberRef, usize),
    /// A call that some bootstrap method links.
    Dynamic(MemberRef),
    /// More methods are reached than were allowed.
    TooLarge,
    /// Code that no compiler has written since Java 6, or that does not verify.
    Odd(MethodId),
}

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most methods that are looked into for one [`Analysis`].
    pub methods: usize,
    /// The most implementations of one called method that are looked into.
    pub targets: usize,
}

/// The effects of the methods of a program, each found once.
pub struct Analysis<'p> {
    program: &'p Program<'p>,
    /// Methods that are taken to have no effect.
    assumed_pure: BTreeSet<MethodId>,
    limits: Limits,
    numbers: BTreeMap<MethodId, usize>,
    methods: Vec<Entry>,
}

struct Entry {
    id: MethodId,
    summary: Summary,
    /// The methods to look at again when this one turns out to do more.
    callers: BTreeSet<usize>,
}

impl<'p> Analysis<'p> {
    /// Nothing is looked into yet. What is in `assumed_pure` never will be: it is believed to write nothing.
    pub fn new(program: &'p Program<'p>, assumed_pure: BTreeSet<MethodId>, limits: Limits) -> Analysis<'p> {
        Analysis { program, assumed_pure, limits, numbers: BTreeMap::new(), methods: Vec::new() }
    }

    /// The effects of a method; nothing if the program has no such method with a body.
    pub fn effects(&mut self, method: &MethodId) -> Option<Effects> {
        let found = self.program.outline(&method.class)?.method(&method.name, &method.descriptor)?;
        if found.flags.has(crate::Flags::ABSTRACT) {
            return None;
        }
        let mut open = BTreeSet::new();
        let number = self.number(method, &mut open)?;
        // The newest first, so that callees are mostly done before their callers.
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

    /// The number of a method; new ones are put on the list of what is to be done.
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
        let mut callees = From { analysis: self, caller: number, open };
        abstraction::interpret(program, id, method, known, most_targets, &mut callees)
    }
}

/// The analysis, as the interpretation of one method sees it.
struct From<'a, 'p> {
    analysis: &'a mut Analysis<'p>,
    caller: usize,
    open: &'a mut BTreeSet<usize>,
}

impl Callees for From<'_, '_> {
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

/// As in `this java.util.HashMap.size`, `an argument's elements` or `static java.lang.System.out`.
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

/// As a part of a sentence: `calls …, which …`.
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

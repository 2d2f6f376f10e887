//! Whether a method only looks: it writes to nothing that existed before it was called.

use std::collections::BTreeSet;
use std::fmt;

use adit_trace::pure_by_name;

use crate::effects::{Analysis, Doubt, Place};
use crate::program::{MethodId, Program};

/// An answer about one method, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purity {
    /// It writes nothing that existed before.
    Pure(Evidence),
    /// It may write these places. Whether it ever does, bytecode alone cannot say.
    Writes(BTreeSet<Place>),
    /// Nothing that was seen writes anything, but these things could not be looked into.
    Unknown(BTreeSet<Doubt>),
    /// The program has no such method, or it is abstract.
    NoBody,
}

/// Why a method is believed to be pure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// All code that it can reach was looked at.
    Bytecode,
    /// The user said so: the method is listed, or has one of the annotations that count.
    Annotation,
    /// It is called as methods are that only look, such as `isEmpty`, and the code does not say otherwise.
    Name,
}

/// What the user said about purity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotations {
    /// Methods that are pure, whatever their code does. What overrides them is believed to be pure as well.
    pub methods: BTreeSet<MethodId>,
    /// Names of Java annotations that make a method pure, with dots: `org.checkerframework.dataflow.qual.Pure`.
    pub types: BTreeSet<String>,
}

/// Whether a name counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// A method that nothing else is known of is pure if its name says so.
    Believe,
    /// A name proves nothing.
    Ignore,
}

/// Answers about a method. What the user said comes first, then what code shows, then the name.
///
/// A write that the code shows beats a name but not the user, who may know that it cannot be noticed. To have calls of the
/// listed methods believed as well, hand the same list to [`Analysis::new`].
pub fn purity(
    program: &Program<'_>,
    analysis: &mut Analysis<'_>,
    method: &MethodId,
    annotations: &Annotations,
    names: Names,
) -> Purity {
    if annotations.methods.contains(method) || has_annotation(program, method, &annotations.types) {
        return Purity::Pure(Evidence::Annotation);
    }
    let by_code = match analysis.effects(method) {
        None => Purity::NoBody,
        Some(effects) if !effects.writes.is_empty() => Purity::Writes(effects.writes),
        Some(effects) if !effects.doubts.is_empty() => Purity::Unknown(effects.doubts),
        Some(_) => Purity::Pure(Evidence::Bytecode),
    };
    match by_code {
        Purity::Unknown(_) | Purity::NoBody if names == Names::Believe && pure_by_name(&method.name) => {
            Purity::Pure(Evidence::Name)
        }
        by_code => by_code,
    }
}

fn has_annotation(program: &Program<'_>, method: &MethodId, types: &BTreeSet<String>) -> bool {
    let class = program.outline(&method.class);
    let found = class.and_then(|class| class.method(&method.name, &method.descriptor));
    found.is_some_and(|found| {
        let names =
            found.annotations.iter().filter_map(|descriptor| descriptor.strip_prefix('L')?.strip_suffix(';'));
        names.map(|name| name.replace('/', ".")).any(|name| types.contains(&name))
    })
}

/// A sentence for reports, without the method.
impl fmt::Display for Purity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn some<T: fmt::Display>(items: &BTreeSet<T>) -> String {
            const MOST: usize = 3;
            let mut said: Vec<String> = items.iter().take(MOST).map(T::to_string).collect();
            if items.len() > MOST {
                said.push(format!("{} more", items.len() - MOST));
            }
            said.join(", ")
        }
        match self {
            Purity::Pure(Evidence::Bytecode) => {
                f.write_str("pure: all code that it reaches writes nothing old")
            }
            Purity::Pure(Evidence::Annotation) => f.write_str("pure: the user says so"),
            Purity::Pure(Evidence::Name) => f.write_str("pure by its name"),
            Purity::Writes(places) => write!(f, "may write {}", some(places)),
            Purity::Unknown(doubts) => write!(f, "unknown: {}", some(doubts)),
            Purity::NoBody => f.write_str("unknown: it has no body"),
        }
    }
}

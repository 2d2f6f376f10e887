//! Names that tell the overloads of a method apart: `nextToken()` and `nextToken(String)`.

use std::collections::{BTreeMap, BTreeSet};

use crate::Type;

/// The naming of methods that share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overloads {
    /// A method with several overloads is named with its parameter types, any other by its name alone.
    Apart,
    /// Every method is named by its name alone, as the papers do.
    Merged,
}

impl Overloads {
    /// All namings.
    pub const ALL: [Self; 2] = [Self::Apart, Self::Merged];

    /// Stable name, which users type and campaigns hold.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apart => "overload",
            Self::Merged => "name",
        }
    }
}

/// A method to be named.
#[derive(Clone, Copy, Debug)]
pub struct Overload<'a> {
    /// The method's name.
    pub name: &'a str,
    /// The types of its parameters.
    pub parameters: &'a [Type],
    /// Counts among the overloads of its name. One that does not count leaves the name alone to those that
    /// do.
    pub counts: bool,
}

/// Returns names for `methods`, in their order: the name alone where only one overload counts, else with the
/// simple names of the parameter types, and with whole names where two overloads would still read alike.
pub fn names(methods: &[Overload<'_>]) -> Vec<String> {
    let mut all: BTreeMap<&str, BTreeSet<&[Type]>> = BTreeMap::new();
    let mut counting = all.clone();
    for method in methods {
        all.entry(method.name).or_default().insert(method.parameters);
        if method.counts {
            counting.entry(method.name).or_default().insert(method.parameters);
        }
    }
    let name = |method: &Overload<'_>| {
        let overloads = &all[method.name];
        let alone = counting.get(method.name).unwrap_or(overloads);
        if alone.len() == 1 && alone.contains(method.parameters) {
            return method.name.to_owned();
        }
        let short = listed(method, simple);
        let alike = overloads
            .iter()
            .filter(|&&parameters| listed(&Overload { parameters, ..*method }, simple) == short)
            .count();
        if alike > 1 { signature(method.name, method.parameters) } else { short }
    };
    methods.iter().map(name).collect()
}

/// The name with the whole names of the parameter types, which no two methods of a class share:
/// `nextToken(java.lang.String)`.
pub fn signature(name: &str, parameters: &[Type]) -> String {
    listed(&Overload { name, parameters, counts: true }, Type::to_string)
}

// Without spaces, because words of traces are separated by them.
fn listed(method: &Overload<'_>, spell: impl Fn(&Type) -> String) -> String {
    let types: Vec<String> = method.parameters.iter().map(spell).collect();
    format!("{}({})", method.name, types.join(","))
}

/// A type without its package and the classes around it.
fn simple(parameter: &Type) -> String {
    match parameter {
        Type::Class(name) => {
            let name = name.rsplit('/').next().unwrap_or(name);
            // The number of a local class says nothing by itself.
            let inner = name.rsplit('$').next().filter(|inner| inner.starts_with(char::is_alphabetic));
            inner.unwrap_or(name).to_owned()
        }
        Type::Array(element) => format!("{}[]", simple(element)),
        primitive => primitive.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;

    fn check(methods: &[(&str, &str, bool)], expected: &[&str]) {
        let parameters: Vec<Vec<Type>> = methods
            .iter()
            .map(|(_, descriptor, _)| Signature::parse(descriptor).unwrap().parameters)
            .collect();
        let overloads: Vec<Overload<'_>> = methods
            .iter()
            .zip(&parameters)
            .map(|(&(name, _, counts), parameters)| Overload { name, parameters, counts })
            .collect();
        assert_eq!(names(&overloads), expected);
    }

    #[test]
    fn only_overloads_have_their_types() {
        check(
            &[
                ("nextToken", "()Ljava/lang/String;", true),
                ("nextToken", "(Ljava/lang/String;)Ljava/lang/String;", true),
                ("countTokens", "()I", true),
            ],
            &["nextToken()", "nextToken(String)", "countTokens"],
        );
        check(
            &[("read", "([BII)I", true), ("read", "()I", true), ("put", "(Ljava/util/Map$Entry;)V", true)],
            &["read(byte[],int,int)", "read()", "put"],
        );
    }

    #[test]
    fn the_same_parameters_are_the_same_overload() {
        check(
            &[("clone", "()Ljava/lang/Object;", true), ("clone", "()La/Stack;", true)],
            &["clone", "clone"],
        );
    }

    #[test]
    fn types_that_read_alike_have_their_packages() {
        check(
            &[
                ("f", "(La/X;)V", true),
                ("f", "([Lb/X;)V", true),
                ("f", "(Lb/Y$X;I)V", true),
                ("f", "(Lb/X;)V", true),
            ],
            &["f(a.X)", "f(X[])", "f(X,int)", "f(b.X)"],
        );
        check(&[("g", "(La/B$1;)V", true), ("g", "()V", true)], &["g(B$1)", "g()"]);
    }

    #[test]
    fn what_does_not_count_leaves_the_name_to_the_others() {
        check(&[("add", "(I)V", true), ("add", "(J)V", false)], &["add", "add(long)"]);
        check(&[("add", "(I)V", false), ("add", "(J)V", false)], &["add(int)", "add(long)"]);
        check(&[("add", "(I)V", false)], &["add"]);
    }
}

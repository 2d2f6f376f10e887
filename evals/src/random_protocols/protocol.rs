//! Description of a generated class, and its language by an exact construction.
//!
//! Every part of a description is finite: methods split their arguments into classes of values that behave
//! alike, and a table says for each state, each zone of the counter and each class of values what the call
//! does. `java.rs` writes the description as Java. This file runs it, so that the truth never comes from a
//! search: a word is in the language if *some* choice of arguments makes the calls return in that order,
//! which is the subset construction over configurations.

use std::collections::{BTreeMap, BTreeSet};

use adit_automata::{Builder, Fsa};

use super::kind::Kind;

/// A class to generate.
#[derive(Clone, Debug)]
pub(crate) struct Protocol {
    /// Simple name of the class.
    pub(crate) name: String,
    pub(crate) kinds: BTreeSet<Kind>,
    /// Number of control states. State numbers are below it.
    pub(crate) states: usize,
    pub(crate) storage: Storage,
    pub(crate) counter: Option<Counter>,
    /// Refused calls throw the class's own checked exception instead of `IllegalStateException`.
    pub(crate) own_exception: bool,
    pub(crate) constructors: Vec<Constructor>,
    pub(crate) methods: Vec<Method>,
}

/// The fields in which the Java class stores its control state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    Int,
    Enum,
    Text,
    Booleans,
    /// The size of a list is the state.
    Collection,
    /// An `int` in an object in an object.
    Hidden,
    /// An enum holds `state / n`, a hidden `int` the rest.
    Split(usize),
}

/// A count beside the control state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    pub(crate) storage: CounterStorage,
    pub(crate) capacity: Option<u32>,
}

/// The fields in which the Java class stores its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CounterStorage {
    Int,
    /// The size of a list.
    Collection,
    /// An `int` in an object in an object.
    Hidden,
}

/// A public constructor.
#[derive(Clone, Debug)]
pub(crate) struct Constructor {
    pub(crate) argument: Option<Argument>,
    /// For each class of values the first state; `None` is refused.
    pub(crate) starts: Vec<Option<usize>>,
}

/// A public method.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) argument: Option<Argument>,
    /// Has a second parameter that does not matter.
    pub(crate) note: bool,
    pub(crate) returns: Returns,
    pub(crate) body: Body,
}

/// The result of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    Nothing,
    /// A boolean, which is part of the label.
    Answer,
    /// An `int` that depends on the control state, or the count.
    Number,
    /// The enum that stores the state.
    Phase,
}

/// The effect of a method.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// The effect in each control state, zone of the counter, and class of values, in this order.
    Table(Vec<Vec<Vec<Cell>>>),
    /// A setter or getter that touches nothing else.
    Setting(Setting),
}

/// Setters and getters of fields on which nothing else depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    SetTitle,
    GetTitle,
    SetLimit,
    GetLimit,
    SetVerbose,
    /// Its answer is part of the label, so the flag is part of the language.
    IsVerbose,
}

/// The effect of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// It throws because of the state.
    Refused,
    /// It throws `IllegalArgumentException`, in every state.
    BadValue,
    Returns {
        to: usize,
        change: Change,
        answer: bool,
    },
}

/// The effect of a call on the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Keep,
    Up,
    Down,
    Clear,
}

/// A parameter whose values fall into classes that behave alike.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// As Java writes it.
    pub(crate) java_type: &'static str,
    pub(crate) name: &'static str,
    /// A value belongs to the first class whose condition it meets; the last has none.
    pub(crate) classes: Vec<Values>,
    /// `null` can be passed, and is refused.
    pub(crate) nullable: bool,
}

/// A class of values.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// Java condition.
    pub(crate) condition: String,
    /// Java expressions for some of the values, those at the boundaries among them.
    #[cfg_attr(not(test), expect(dead_code, reason = "scripts that compare Java and description use them"))]
    pub(crate) samples: Vec<String>,
}

/// Spelling of the labels of overloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overloads {
    /// With parameter types.
    Apart,
    /// As versions before overloads were told apart wrote them.
    Merged,
}

/// The zones of a counter: nothing, something, everything that fits.
pub(crate) const ZONES: usize = 3;

/// Everything that decides what an object does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Configuration {
    pub(crate) state: usize,
    pub(crate) count: u32,
    pub(crate) verbose: bool,
}

/// The end of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Threw,
    Returned { answer: Option<bool>, to: Configuration },
}

impl Protocol {
    /// The zone of a count: 0 nothing, 1 something, 2 full.
    pub(crate) fn zone(&self, count: u32) -> usize {
        match self.counter {
            None => 0,
            Some(_) if count == 0 => 0,
            Some(counter) if counter.capacity == Some(count) => 2,
            Some(_) => 1,
        }
    }

    /// Tells whether the class counts so far that its language is compared by sampling.
    pub(crate) fn counts(&self) -> bool {
        /// A counter up to this is a few more states.
        const FEW: u32 = 3;
        self.counter.is_some_and(|counter| counter.capacity.is_none_or(|capacity| capacity > FEW))
    }

    /// The configuration of a new object, if the constructor accepts this class of values.
    pub(crate) fn constructed(&self, constructor: usize, values: usize) -> Option<Configuration> {
        let state = self.constructors[constructor].starts[values]?;
        Some(Configuration { state, count: 0, verbose: false })
    }

    /// Calls a method with a value of a class.
    pub(crate) fn call(&self, at: Configuration, method: &Method, values: usize) -> Outcome {
        match &method.body {
            Body::Setting(Setting::SetVerbose) => {
                Outcome::Returned { answer: None, to: Configuration { verbose: values == 0, ..at } }
            }
            Body::Setting(Setting::IsVerbose) => Outcome::Returned { answer: Some(at.verbose), to: at },
            Body::Setting(_) => Outcome::Returned { answer: None, to: at },
            Body::Table(table) => match table[at.state][self.zone(at.count)][values] {
                Cell::Refused | Cell::BadValue => Outcome::Threw,
                Cell::Returns { to, change, answer } => Outcome::Returned {
                    answer: (method.returns == Returns::Answer).then_some(answer),
                    to: Configuration { state: to, count: change.applied(at.count), ..at },
                },
            },
        }
    }

    /// The label of a call that returned.
    pub(crate) fn label(&self, method: &Method, answer: Option<bool>, overloads: Overloads) -> String {
        let mut label = method.name.clone();
        let homonyms = self.methods.iter().filter(|other| other.name == method.name).count();
        if overloads == Overloads::Apart && homonyms > 1 {
            let types: Vec<&str> = method.parameter_types().map(simple).collect();
            label += &format!("({})", types.join(","));
        }
        match answer {
            None => label,
            Some(true) => label + ":TRUE",
            Some(false) => label + ":FALSE",
        }
    }

    /// The configurations in which an object can be after its construction.
    pub(crate) fn starts(&self) -> BTreeSet<Configuration> {
        let ways = self.constructors.iter().enumerate();
        ways.flat_map(|(at, constructor)| {
            (0..constructor.starts.len()).filter_map(move |values| self.constructed(at, values))
        })
        .collect()
    }

    /// All that can happen next, by label: the subset construction, one step at a time.
    pub(crate) fn successors(
        &self,
        from: &BTreeSet<Configuration>,
        overloads: Overloads,
    ) -> BTreeMap<String, BTreeSet<Configuration>> {
        let mut next: BTreeMap<String, BTreeSet<Configuration>> = BTreeMap::new();
        for &at in from {
            for method in &self.methods {
                for values in 0..method.classes() {
                    if let Outcome::Returned { answer, to } = self.call(at, method, values) {
                        next.entry(self.label(method, answer, overloads)).or_default().insert(to);
                    }
                }
            }
        }
        next
    }

    /// The automaton of all words whose counts stay at or below `most`: the whole language if the class
    /// counts no further. Its first state is the one before construction; every other state accepts.
    pub(crate) fn truth(&self, overloads: Overloads, most: u32) -> Fsa<String> {
        let mut builder = Builder::new();
        let before = builder.state(false);
        builder.initial(before);
        let mut numbers: BTreeMap<Configuration, usize> = BTreeMap::new();
        let mut open: Vec<Configuration> = Vec::new();
        for start in self.starts() {
            let to = *numbers.entry(start).or_insert_with(|| {
                open.push(start);
                builder.state(true)
            });
            builder.edge(before, self.name.clone(), to);
        }
        while let Some(at) = open.pop() {
            for (label, targets) in self.successors(&BTreeSet::from([at]), overloads) {
                for target in targets.into_iter().filter(|target| target.count <= most) {
                    let to = *numbers.entry(target).or_insert_with(|| {
                        open.push(target);
                        builder.state(true)
                    });
                    builder.edge(numbers[&at], label.clone(), to);
                }
            }
        }
        builder.build()
    }
}

impl Method {
    /// Number of classes of values of the argument; one without an argument.
    pub(crate) fn classes(&self) -> usize {
        self.argument.as_ref().map_or(1, |argument| argument.classes.len())
    }

    /// The types of all parameters, as Java writes them.
    pub(crate) fn parameter_types(&self) -> impl Iterator<Item = &'static str> {
        self.argument.iter().map(|argument| argument.java_type).chain(self.note.then_some("String"))
    }
}

impl Change {
    /// The count after the call. The tables never go below zero, nor above the capacity.
    fn applied(self, count: u32) -> u32 {
        match self {
            Self::Keep => count,
            Self::Up => count + 1,
            Self::Down => count - 1,
            Self::Clear => 0,
        }
    }
}

/// A type without type arguments.
fn simple(java_type: &str) -> &str {
    java_type.split_once('<').map_or(java_type, |(raw, _)| raw)
}

#[cfg(test)]
mod tests {
    use super::super::draw::draw;
    use super::*;

    /// Tries all choices of arguments, one after the other, as the definition of the language says.
    fn realizable(protocol: &Protocol, at: Configuration, word: &[String]) -> bool {
        let Some((label, rest)) = word.split_first() else { return true };
        protocol.methods.iter().any(|method| {
            (0..method.classes()).any(|values| match protocol.call(at, method, values) {
                Outcome::Threw => false,
                Outcome::Returned { answer, to } => {
                    protocol.label(method, answer, Overloads::Apart) == *label
                        && realizable(protocol, to, rest)
                }
            })
        })
    }

    #[test]
    fn the_truth_accepts_what_some_arguments_realize() {
        let mut accepted = 0;
        for seed in 0..20 {
            let protocol = draw(seed, &Kind::all());
            let truth = protocol.truth(Overloads::Apart, 5);
            let labels: Vec<&String> =
                truth.alphabet().iter().filter(|label| **label != protocol.name).collect();
            // Every word of up to three calls; counts stay at or below the cut.
            let mut words: Vec<Vec<String>> = vec![Vec::new()];
            for _ in 0..3 {
                let longer = words.iter().flat_map(|word| {
                    labels.iter().map(|&label| word.iter().cloned().chain([label.clone()]).collect())
                });
                let longer: Vec<Vec<String>> = longer.collect();
                for word in &longer {
                    let expected = protocol.starts().iter().any(|&start| realizable(&protocol, start, word));
                    let whole: Vec<String> =
                        [protocol.name.clone()].into_iter().chain(word.clone()).collect();
                    assert_eq!(truth.accepts(&whole), expected, "seed {seed}: {word:?}");
                    accepted += usize::from(expected);
                }
                // Words that are impossible stay so when they go on.
                words = longer
                    .into_iter()
                    .filter(|word| protocol.starts().iter().any(|&start| realizable(&protocol, start, word)))
                    .collect();
            }
        }
        assert!(accepted > 500, "only {accepted} words are possible");
    }
}

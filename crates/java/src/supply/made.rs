//! Values that calls make: the cheapest makers of each kind, with different arguments.
//!
//! Paper: none; the search is in `makers.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_bytecode::{Flags, Type};
use adit_trace::{Argument, CallKind, Callable, Statement};

use super::functions::STUB;
use super::{DEEPEST, MOST_STATEMENTS, Recipe, RecipeBuilder, append, is_text};
use crate::Operation;
use crate::makers::{Makers, Member};

/// The kinds of makers. A type gets recipes of every kind, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MakerKind {
    /// Reads a constant.
    Constant,
    /// Makes an object from nothing.
    FromNothing,
    /// A static method that makes an object from content: texts, collections, filled objects.
    FactoryFromContent,
    /// A constructor, or a method of another object, that makes an object from content.
    FromContent,
    /// Makes an object around other objects.
    AroundObjects,
    /// A method that gives an object of another one, without more.
    FromObject,
    /// Makes an object from numbers, which are often sizes.
    FromNumbers,
    /// Makes an object from an array, which is the only way to get something that holds many.
    FromArray,
}

impl MakerKind {
    /// The most makers of this kind that are used for one type.
    fn most_makers(self) -> usize {
        match self {
            Self::Constant => 8,
            Self::FromNothing | Self::FactoryFromContent | Self::FromContent => 3,
            // The nearest are often getters of something that nobody has set.
            Self::FromObject => 5,
            Self::AroundObjects | Self::FromArray => 2,
            Self::FromNumbers => 1,
        }
    }

    /// The number of recipes with different values for each maker.
    fn variants(self) -> usize {
        match self {
            Self::Constant | Self::FromNothing => 1,
            Self::AroundObjects | Self::FromObject | Self::FromNumbers => 2,
            Self::FactoryFromContent | Self::FromContent => CONTENTS.len(),
            Self::FromArray => ARRAYS.len(),
        }
    }
}

/// The texts that things are made from, for each variant: of one word, of lines, of words, and of nothing.
pub(super) const CONTENTS: [&str; 4] = ["a", "one\ntwo\nthree\n", "a b c", ""];

/// The lengths of the arrays of bytes that things are made from, for each variant. Keys and blocks have 16 or
/// 32; `None` is the text of three lines, which is for what reads.
const BYTES: [Option<usize>; 5] = [Some(2), Some(16), None, Some(0), Some(32)];

/// The same beside a name that other code passes, which says how long they must be.
const NAMED_BYTES: [usize; 6] = [16, 32, 8, 16, 24, 2];

/// The lengths of the arrays that things are made from, for each variant. The first is filled, since what is
/// made from nothing is empty already; the long one is for what can be emptied step by step.
const ARRAYS: [usize; 4] = [2, 0, 3, 6];

/// The number of recipes with different values for a maker that takes texts that other code passes: such
/// texts are names, and what is made by one of them behaves unlike the others.
const VARIANTS_OF_CONSTANTS: usize = 6;

/// So many kinds of a type are looked at, and so many makers are taken for each that is hard to get.
const MOST_KINDS: usize = 12;
const MAKERS_OF_KIND: usize = 4;

/// So many ways to make the object whose method is called are tried.
const RECEIVERS: usize = 3;

/// The cost of an empty array. There always is one, but an object made from it is hardly ever what was meant.
const EMPTY_ARRAY: u32 = 30;

impl<'a> RecipeBuilder<'a> {
    /// Recipes that call makers, some of each kind.
    pub(super) fn made(&mut self, name: &str) -> Vec<Recipe> {
        let candidates = self.makers().candidates(name);
        let Some(&(cheapest, _)) = candidates.first() else { return Vec::new() };
        let tested = Type::Class(self.api.internal_name().into());
        let is_enum = self.program.outline(name).is_some_and(|class| class.flags.has(Flags::ENUM));
        let mut kept: BTreeMap<MakerKind, Vec<usize>> = BTreeMap::new();
        let mut seen: BTreeSet<(MakerKind, &str, &str)> = BTreeSet::new();
        let dearest = 2 * cheapest + 30;
        let mut candidates: Vec<(u32, usize)> =
            candidates.into_iter().filter(|&(cost, _)| cost <= dearest).collect();
        candidates.extend(self.of_dear_kinds(name, dearest));
        for &(_, at) in &candidates {
            let maker = self.makers().maker(at);
            let operation = maker.operation();
            let kind = self.kind(&operation);
            // An object of the class under test that all scripts share would tell one what happened in
            // another, and of an enum there are no objects but its constants.
            let is_tested = operation.result.as_ref() == Some(&tested);
            let is_constant = kind == MakerKind::Constant;
            if (is_constant && is_tested) || (!is_constant && is_enum) {
                continue;
            }
            let name = match maker.member {
                Member::Method(method) => &*method.name,
                Member::Field(field) => &*field.name,
            };
            // One maker of each name is enough, of constructors one for each class.
            let of_kind = kept.entry(kind).or_default();
            if of_kind.len() < kind.most_makers() && seen.insert((kind, &*maker.class.name, name)) {
                of_kind.push(at);
            }
        }
        let mut all = Vec::new();
        for (kind, makers) in &kept {
            let variants =
                |at| (0..kind.variants().max(VARIANTS_OF_CONSTANTS)).map(move |variant| (at, variant));
            for (&at, variant) in makers.iter().flat_map(variants) {
                let mut recipe = Recipe { statements: Vec::new(), value: Argument::Null, weight: 2 };
                if let Some(last) = self.make(at, variant, &mut recipe.statements) {
                    recipe.value = Argument::Earlier(last);
                    let is_usual = variant < kind.variants();
                    if (is_usual || self.is_of_constants(&recipe)) && !all.contains(&recipe) {
                        all.push(recipe);
                    }
                }
            }
        }
        all
    }

    /// Makers of the kinds of a type that all cost more than this: a private key is hard to get, but no other
    /// key stands for one.
    fn of_dear_kinds(&self, name: &str, dearest: u32) -> Vec<(u32, usize)> {
        let is_kind = |below: &&Arc<str>| {
            let class = self.program.outline(below);
            class.is_some_and(|class| {
                class.is_interface() && class.interfaces.iter().any(|above| **above == *name)
            })
        };
        let below = self.program.subtypes(name);
        let mut found = Vec::new();
        for kind in below.iter().filter(is_kind).take(MOST_KINDS) {
            let makers = self.makers().candidates(kind);
            if makers.first().is_some_and(|&(cost, _)| cost > dearest) {
                found.extend(makers.into_iter().take(MAKERS_OF_KIND));
            }
        }
        found
    }

    /// Tells whether a call of the recipe takes a text or a result that other code passes.
    fn is_of_constants(&self, recipe: &Recipe) -> bool {
        let is_known = |recipe: &Recipe| matches!(recipe.value, Argument::Text(_) | Argument::Earlier(_));
        let mut passed = recipe.statements.iter().filter_map(|one| self.passed.get(&*one.callable));
        passed.any(|passed| passed.iter().flatten().any(is_known))
    }

    fn kind(&self, operation: &Operation) -> MakerKind {
        let parameters = &operation.parameters;
        match operation.callable.kind {
            CallKind::Constant => MakerKind::Constant,
            _ if parameters.is_empty() && operation.receiver.is_none() => MakerKind::FromNothing,
            CallKind::Function | CallKind::Constructor
                if parameters.iter().any(|wanted| self.is_row(wanted)) =>
            {
                MakerKind::FromArray
            }
            CallKind::Function if parameters.iter().any(|wanted| self.is_content(wanted)) => {
                MakerKind::FactoryFromContent
            }
            _ if parameters.iter().any(|wanted| self.is_content(wanted)) => MakerKind::FromContent,
            _ if parameters.iter().any(Type::is_reference) => MakerKind::AroundObjects,
            CallKind::Method if parameters.is_empty() => MakerKind::FromObject,
            _ => MakerKind::FromNumbers,
        }
    }

    /// Tells whether a type is an array of plain objects, as a list of contents is.
    fn is_row(&self, wanted: &Type) -> bool {
        matches!(wanted, Type::Array(element) if element.is_reference() && !self.values.of(element).is_empty())
    }

    /// Tells whether an object that is made from such a value holds something of it.
    fn is_content(&self, wanted: &Type) -> bool {
        match wanted {
            Type::Array(_) => true,
            Type::Class(name) if &**name == "java/lang/Class" => false,
            Type::Class(name) => !self.values.of(wanted).is_empty() || self.filled(name).is_some(),
            _ => false,
        }
    }

    /// The cheapest way to make an object of the class that holds plain values.
    fn filled(&self, name: &Arc<str>) -> Option<usize> {
        if let Some(known) = self.filled.borrow().get(name) {
            return *known;
        }
        let is_plain = |wanted: &Type| !self.values.of(innermost(wanted)).is_empty();
        let makers = self.makers();
        let candidates = makers.candidates(name);
        // Where there are constants, they are what is meant to be used.
        let has_constants =
            candidates.first().is_some_and(|&(_, at)| matches!(makers.maker(at).member, Member::Field(_)));
        let ways = candidates.into_iter().map(|(_, at)| at).filter(|_| !has_constants);
        let found = { ways }.find(|&at| {
            let operation = makers.maker(at).operation();
            operation.receiver.is_none()
                && operation.parameters.iter().all(is_plain)
                && operation.parameters.iter().any(Type::is_reference)
        });
        self.filled.borrow_mut().insert(name.clone(), found);
        found
    }

    pub(super) fn makers(&self) -> &Makers<'a> {
        self.makers.get_or_init(|| {
            let plain = |wanted: &Type| match wanted {
                // That of none; with elements it costs what they do.
                Type::Array(_) => Some(EMPTY_ARRAY),
                Type::Class(name) if self.values.of(wanted).is_empty() => {
                    let is_function = self.program.functional_method(name).is_some();
                    if is_function { Some(8) } else { self.stub(name).map(|_| STUB) }
                }
                Type::Class(_) => Some(2),
                _ => Some(1),
            };
            Makers::new(self.program, self.api, self.fixtures, plain)
        })
    }

    /// Adds the statements that a maker needs and its own, which is the last. Different variants take
    /// different values.
    pub(super) fn make(
        &mut self,
        at: usize,
        variant: usize,
        statements: &mut Vec<Statement>,
    ) -> Option<usize> {
        // Each maker in progress will add its statement, too.
        if self.making.contains(&at) || statements.len() + self.making.len() >= MOST_STATEMENTS {
            return None;
        }
        if !self.operations.contains_key(&at) {
            let operation = self.makers().maker(at).operation();
            self.operations.insert(at, operation);
        }
        let operation = self.operations[&at].clone();
        self.making.push(at);
        let made = self.call(&operation, None, variant, statements);
        self.making.pop();
        made
    }

    /// The same for an operation that may be no maker.
    pub(super) fn make_by(
        &mut self,
        operation: &Operation,
        variant: usize,
        statements: &mut Vec<Statement>,
    ) -> Option<usize> {
        // A number beyond those of the makers, so that they do not meet.
        let known = self.operations.iter().find(|(_, known)| known.callable == operation.callable);
        let (at, operation) = match known {
            Some((&at, known)) => (at, known.clone()),
            None => (usize::MAX - self.operations.len(), operation.clone()),
        };
        if self.making.contains(&at) || statements.len() + self.making.len() >= MOST_STATEMENTS {
            return None;
        }
        self.operations.insert(at, operation.clone());
        self.making.push(at);
        // The cheapest object is often one that has nothing yet: a server that listens nowhere.
        let receiver = match &operation.receiver {
            Some(Type::Class(name)) => {
                let ways = self.makers().candidates(name);
                let way = ways.get(variant % ways.len().clamp(1, RECEIVERS)).map(|&(_, way)| way);
                let before = statements.len();
                let made = way.and_then(|way| self.make(way, variant, statements));
                if made.is_none() {
                    statements.truncate(before);
                }
                made
            }
            _ => None,
        };
        let made = self.call(&operation, receiver, variant, statements);
        self.making.pop();
        made
    }

    /// Adds a call with its parts.
    fn call(
        &mut self,
        operation: &Operation,
        made: Option<usize>,
        variant: usize,
        statements: &mut Vec<Statement>,
    ) -> Option<usize> {
        let (receiver, args) = self.parts(operation, made, variant, statements)?;
        if statements.len() >= MOST_STATEMENTS {
            return None;
        }
        debug_assert_eq!(receiver.is_some(), operation.callable.kind == CallKind::Method);
        statements.push(Statement { callable: operation.callable.clone(), receiver, args });
        Some(statements.len() - 1)
    }

    /// The receiver, if it is not made yet, and the arguments of a maker.
    fn parts(
        &mut self,
        operation: &Operation,
        made: Option<usize>,
        variant: usize,
        statements: &mut Vec<Statement>,
    ) -> Option<(Option<usize>, Vec<Argument>)> {
        let receiver = match &operation.receiver {
            Some(_) if made.is_some() => made,
            Some(wanted) => match self.part(wanted, variant, statements)? {
                Argument::Earlier(at) => Some(at),
                // A plain value is no receiver that a script can name.
                _ => return None,
            },
            None => None,
        };
        let mut args = Vec::new();
        let passed = self.passed(operation);
        let is_named = passed.iter().flatten().any(|recipe| matches!(recipe.value, Argument::Text(_)));
        for (place, parameter) in operation.parameters.iter().enumerate() {
            // The names that other code passes are known to work there. Of numbers, the usual are as good.
            let is_name = |recipe: &&Recipe| {
                matches!(recipe.value, Argument::Text(_) | Argument::Class(_) | Argument::Earlier(_))
            };
            let known: Vec<&Recipe> = passed.get(place).into_iter().flatten().filter(is_name).collect();
            // A number that an object has matters where it is asked for, and any other does elsewhere. Bytes
            // must have many lengths. What a constructor takes alone may be contents, and not a name.
            let is_due = match parameter {
                Type::Int => variant % 2 == 1,
                Type::Array(_) => false,
                _ => !takes_contents(&operation.callable) || variant < known.len(),
            };
            if !known.is_empty() && is_due {
                let recipe = known[(variant / (1 + usize::from(*parameter == Type::Int))) % known.len()];
                if statements.len() + recipe.statements.len() + self.making.len() <= MOST_STATEMENTS {
                    args.push(append(statements, recipe));
                    continue;
                }
            }
            if is_named && *parameter == Type::Array(Box::new(Type::Byte)) {
                args.push(bytes(Some(NAMED_BYTES[variant % NAMED_BYTES.len()])));
                continue;
            }
            // Later variants take different values for parameters of one type.
            let variant = variant + place * variant.min(1);
            args.push(if is_text(parameter) {
                Argument::Text(CONTENTS[variant % CONTENTS.len()].to_owned())
            } else {
                self.part(parameter, variant, statements)?
            });
        }
        Some((receiver, args))
    }

    /// A value for a parameter of a maker: plain if there is one, else made in the cheapest way.
    pub(super) fn part(
        &mut self,
        wanted: &Type,
        variant: usize,
        statements: &mut Vec<Statement>,
    ) -> Option<Argument> {
        if let Type::Array(element) = wanted
            && **element == Type::Byte
        {
            return Some(bytes(BYTES[variant % BYTES.len()]));
        }
        if let Type::Array(element) = wanted {
            // Arrays in what arrays hold are left empty at some point, or there would be too many ways to
            // fill them.
            let length = if self.making.len() > DEEPEST { 0 } else { ARRAYS[variant % ARRAYS.len()] };
            let before = statements.len();
            let values = (0..length).map(|place| self.part(element, variant + place, statements));
            let values: Option<Vec<Argument>> = values.collect();
            // Of what cannot be made, there is still the array of none.
            if values.is_none() {
                statements.truncate(before);
            }
            return Some(Argument::Array(values.unwrap_or_default()));
        }
        let values = self.values.of(wanted);
        let common: Vec<&Argument> =
            values.iter().filter(|(_, weight)| *weight > 1).map(|(value, _)| value).collect();
        if !common.is_empty() {
            // Text that holds something comes first, for the same reason.
            let skip = usize::from(*common[0] == Argument::Text(String::new()));
            // Of many values, neighbors are too similar.
            let stride = if common.len() > 10 { 3 } else { 1 };
            return Some(common[(variant * stride + skip) % common.len()].clone());
        }
        if let Some((value, _)) = values.get(variant % values.len().max(1)) {
            return Some(value.clone());
        }
        let Type::Class(name) = wanted else { return None };
        // Every other variant holds something, where that is possible.
        let filled = if variant.is_multiple_of(2) { self.filled(name) } else { None };
        if let Some(way) = filled.or_else(|| self.makers().best(wanted)) {
            return self.make(way, variant, statements).map(Argument::Earlier);
        }
        if let Some(function) = self.functions(name).first() {
            return Some(append(statements, function));
        }
        let stub = self.stub(name)?;
        self.place_stub(name, &stub, variant, statements)
    }
}

/// Tells whether a text that the callable takes may be contents: what a static factory takes is a name, and
/// so is what a constructor takes beside other things.
pub(crate) fn takes_contents(callable: &Callable) -> bool {
    callable.kind == CallKind::Constructor && callable.parameters.len() == 1
}

/// An array of so many bytes, or a text as bytes.
pub(super) fn bytes(length: Option<usize>) -> Argument {
    let number = |byte: &u8| Argument::Int(i64::from(*byte));
    Argument::Array(match length {
        Some(length) => (1..=length as i64).map(Argument::Int).collect(),
        None => CONTENTS[1].as_bytes().iter().map(number).collect(),
    })
}

/// The type of what is in an array, in arrays in it, and so on; other types as they are.
fn innermost(wanted: &Type) -> &Type {
    match wanted {
        Type::Array(element) => innermost(element),
        other => other,
    }
}

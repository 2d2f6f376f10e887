//! The sources of values, type by type.
//!
//! Plain values need no call. Everything else is made: by the user's fixtures if they give it, else by the
//! cheapest constructors, static methods, constants and methods of the class path; where an interface has a
//! single method, by a function; and where nothing else makes one, by a class written for it. Several recipes are kept for each type, some of which fill what they make,
//! because an empty list and a full one behave differently.
//!
//! Paper: none; the search is in `makers.rs`.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_bytecode::{
    Class, Flags, GenericType, Program, Stub, Type, generic_method, method_variables, type_variables,
};
use adit_trace::{Argument, CallKind, Callable, Statement};

use crate::api::{is_callable, is_fixture, is_public, member_name};
use crate::guards::guards;
use crate::makers::{Makers, Member, is_open, package};
use crate::sites::{SiteConstant, SiteValue};
use crate::source::Facts;
use crate::stubs::{self, throwing};
use crate::values::{Values, Weighted};
use crate::{Api, ApiError, Operation, Sites};
use adit_trace::edit::{renumber, renumbered};

/// A way to get a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Calls to make first. They know each other by their places in this list.
    pub statements: Vec<Statement>,
    /// The value; [`Argument::Earlier`] means a place in `statements`.
    pub value: Argument,
    /// Its weight when a recipe of the type is drawn.
    pub weight: u32,
}

impl Recipe {
    /// A value that needs no call.
    fn plain(value: Argument, weight: u32) -> Recipe {
        Recipe { statements: Vec::new(), value, weight }
    }
}

/// For each type that an API needs, the ways to get values.
#[derive(Clone, Debug)]
pub struct Supply {
    recipes: BTreeMap<Type, Vec<Recipe>>,
    /// For each type that occurs, needed or given, the types that its values can stand for.
    stands_for: BTreeMap<Type, BTreeSet<Type>>,
    /// For each class below a needed one, by its name with dots, the needed types that its objects can stand
    /// for.
    below: BTreeMap<String, BTreeSet<Type>>,
    /// The callables of the recipes' statements, with their types.
    operations: BTreeMap<Callable, Operation>,
    /// For each callable, the values that code elsewhere passes for each of its parameters.
    passed: BTreeMap<Callable, Arc<Passed>>,
    /// For each callable, the values that its code compares each of its parameters with.
    guards: BTreeMap<Callable, Vec<Weighted>>,
    facts: Facts,
}

/// For each parameter of a callable, the values that code elsewhere passes.
pub(crate) type Passed = Vec<Vec<Recipe>>;

impl Supply {
    /// Looks for values of all types that calling the API needs.
    pub fn new(program: &Program<'_>, sites: &Sites<'_>, api: &Api) -> Result<Supply, ApiError> {
        // A class of fixtures may lie outside the program, whose names were listed before it was compiled.
        let fixtures: Vec<Class> =
            api.fixtures.iter().map(|name| program.path().class(name)).collect::<Result<_, _>>()?;
        let mut builder = RecipeBuilder {
            program,
            sites,
            api,
            fixtures: &fixtures,
            values: Values::new(program, api),
            makers: OnceCell::new(),
            operations: BTreeMap::new(),
            filled: RefCell::default(),
            making: Vec::new(),
            giving: Vec::new(),
            passed: BTreeMap::new(),
        };
        for operation in api.starts.iter().chain(&api.methods) {
            builder.passed(operation);
        }
        let needs = api.needs();
        let mut recipes: BTreeMap<Type, Vec<Recipe>> =
            needs.iter().map(|wanted| (wanted.clone(), builder.recipes(wanted, 0))).collect();
        // What the recipes call can be called with other plain values, too.
        for wanted in builder.operations.values().flat_map(|operation| &operation.parameters) {
            if !recipes.contains_key(wanted) {
                recipes.insert(wanted.clone(), builder.plain(wanted));
            }
        }
        let passed = builder.passed;
        let operations =
            builder.operations.into_values().map(|made| ((*made.callable).clone(), made)).collect();
        let mut supply = Supply {
            recipes,
            stands_for: BTreeMap::new(),
            below: BTreeMap::new(),
            operations,
            passed,
            guards: BTreeMap::new(),
            facts: Facts::default(),
        };
        for operation in api.starts.iter().chain(&api.methods) {
            let found = guards(program, operation);
            if !found.is_empty() {
                supply.guards.insert((*operation.callable).clone(), found);
            }
        }
        supply.relate(program, api, &needs);
        let all = api.starts.iter().chain(&api.methods).chain(supply.operations.values());
        supply.facts = Facts::of(program, all);
        Ok(supply)
    }

    /// The ways to get a value of the type; none if it is not needed, or if there is no way.
    pub fn recipes(&self, wanted: &Type) -> &[Recipe] {
        self.recipes.get(wanted).map_or(&[], Vec::as_slice)
    }

    /// Tells whether a value of one type can stand where one of the other is wanted.
    pub fn fits(&self, given: &Type, wanted: &Type) -> bool {
        given == wanted || self.stands_for.get(given).is_some_and(|all| all.contains(wanted))
    }

    /// Tells whether an object of exactly this class, named with dots, can stand where the type is wanted.
    pub fn fits_class(&self, class: &str, wanted: &Type) -> bool {
        self.below.get(class).is_some_and(|all| all.contains(wanted))
    }

    /// Facts about classes that are needed to write scripts for the API as Java.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The callables of the recipes' statements, with their types.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.operations.values()
    }

    /// For each parameter of a callable, the values that code elsewhere passes; nothing if there are none.
    pub(crate) fn passed(&self, callable: &Callable) -> Option<&Passed> {
        self.passed.get(callable).map(|passed| &**passed)
    }

    /// For each parameter of a callable, the values that its code compares it with; nothing if there are none.
    pub(crate) fn guards(&self, callable: &Callable) -> Option<&[Weighted]> {
        self.guards.get(callable).map(Vec::as_slice)
    }

    fn relate(&mut self, program: &Program<'_>, api: &Api, needs: &BTreeSet<Type>) {
        let all = api.starts.iter().chain(&api.methods).chain(self.operations.values());
        let given: BTreeSet<Type> = all.filter_map(|operation| operation.result.clone()).collect();
        let mut wanted = needs.clone();
        for operation in self.operations.values() {
            wanted.extend(operation.receiver.iter().chain(&operation.parameters).cloned());
        }
        wanted.insert(Type::Class(api.internal_name().into()));
        for wanted in &wanted {
            let Type::Class(name) = wanted else { continue };
            // Everything is below `Object`, and would only take space here.
            if &**name != "java/lang/Object" {
                for below in program.subtypes(name).iter().chain([name]) {
                    self.below.entry(below.replace('/', ".")).or_default().insert(wanted.clone());
                }
            }
        }
        for given in given {
            let stands = wanted.iter().filter(|wanted| stands_for(program, &given, wanted)).cloned();
            self.stands_for.insert(given.clone(), stands.collect());
        }
    }
}

fn stands_for(program: &Program<'_>, given: &Type, wanted: &Type) -> bool {
    match (given, wanted) {
        (Type::Class(given), Type::Class(wanted)) => program.is_subtype(given, wanted),
        (Type::Array(_), Type::Class(wanted)) => {
            matches!(&**wanted, "java/lang/Object" | "java/lang/Cloneable" | "java/io/Serializable")
        }
        (Type::Array(given), Type::Array(wanted)) if given.is_reference() => {
            stands_for(program, given, wanted)
        }
        _ => given == wanted,
    }
}

/// Makes the recipes for the types that an API needs.
struct RecipeBuilder<'a> {
    program: &'a Program<'a>,
    sites: &'a Sites<'a>,
    api: &'a Api,
    fixtures: &'a [Class],
    values: Values,
    /// Only when a type needs it is the whole class path gone through.
    makers: OnceCell<Makers<'a>>,
    /// By the number of the maker, so that all recipes share what they call.
    operations: BTreeMap<usize, Operation>,
    filled: RefCell<BTreeMap<Arc<str>, Option<usize>>>,
    /// The makers whose parts are being made. What needs itself, if only in an array, would never be done.
    making: Vec<usize>,
    /// The interfaces and abstract classes whose results are being made, for the same reason.
    giving: Vec<String>,
    /// The values that code elsewhere passes to the callables that were asked about.
    passed: BTreeMap<Callable, Arc<Passed>>,
}

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
const CONTENTS: [&str; 4] = ["a", "one\ntwo\nthree\n", "a b c", ""];

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

/// The number of different results of functions whose type says what they return.
const GENERIC_RESULTS: usize = 4;

/// The number of recipes with different results for a stub.
const STUBS: usize = 3;

/// The cost of a stub: dearer than anything that exists.
const STUB: u32 = 200;

/// A recipe with more calls is more about its parts than about the class under test.
const MOST_STATEMENTS: usize = 8;

/// Arrays of arrays beyond this are left empty.
const DEEPEST: usize = 3;

/// The cost of an empty array. There always is one, but an object made from it is hardly ever what was meant.
const EMPTY_ARRAY: u32 = 30;

impl<'a> RecipeBuilder<'a> {
    fn recipes(&mut self, wanted: &Type, depth: usize) -> Vec<Recipe> {
        let plain = self.plain(wanted);
        let mut all = self.given_by_fixtures(wanted, plain.iter().map(|recipe| recipe.weight).sum());
        if all.is_empty() || !plain.is_empty() {
            all.extend(plain);
        }
        match wanted {
            _ if !all.is_empty() => {}
            Type::Array(element) => all = self.arrays(element, depth),
            Type::Class(name) => {
                all = self.functions(name);
                all.extend(self.made(name));
                if all.is_empty() {
                    all = self.stubs(name);
                } else {
                    all.extend(self.failing_function(name));
                }
                if !all.is_empty() {
                    let total: u32 = all.iter().map(|recipe| recipe.weight).sum();
                    let weight = (total / 16).max(1);
                    all.push(Recipe { statements: Vec::new(), value: Argument::Null, weight });
                }
            }
            _ => {}
        }
        all
    }

    fn plain(&self, wanted: &Type) -> Vec<Recipe> {
        let plain = |(value, weight)| Recipe { statements: Vec::new(), value, weight };
        self.values.of(wanted).into_iter().map(plain).collect()
    }

    /// Recipes from the user's fixtures. For a type with plain values, a fixture must return that very type;
    /// then it is used as often as all plain values together.
    fn given_by_fixtures(&mut self, wanted: &Type, plain: u32) -> Vec<Recipe> {
        let mut found = Vec::new();
        for class in self.fixtures {
            for method in class.methods.iter().filter(|method| is_fixture(method)) {
                let Some(result) = method.signature().result else { continue };
                if result == *wanted || (plain == 0 && stands_for(self.program, &result, wanted)) {
                    found.push(Operation::of_method(class, method, &class.name));
                }
            }
        }
        let weight = (plain / found.len().max(1) as u32).max(4);
        found
            .into_iter()
            .map(|operation| {
                let statement =
                    Statement { callable: operation.callable.clone(), receiver: None, args: Vec::new() };
                self.add_operation(operation);
                Recipe { statements: vec![statement], value: Argument::Earlier(0), weight }
            })
            .collect()
    }

    fn arrays(&mut self, element: &Type, depth: usize) -> Vec<Recipe> {
        let nothing = Recipe { statements: Vec::new(), value: Argument::Array(Vec::new()), weight: 2 };
        let mut all = vec![nothing];
        let elements = if depth < DEEPEST { self.recipes(element, depth + 1) } else { Vec::new() };
        // Each array takes the elements on from where the last one ended, so that they differ.
        let mut next = elements.iter().filter(|recipe| recipe.value != Argument::Null).cycle();
        for (length, weight) in [(1, 2), (2, 2), (3, 2), (3, 2), (8, 1)] {
            let mut array = Recipe { statements: Vec::new(), value: Argument::Null, weight };
            let mut values = Vec::new();
            for element in next.by_ref().take(length) {
                values.push(append(&mut array.statements, element));
            }
            if values.len() == length && array.statements.len() <= MOST_STATEMENTS {
                array.value = Argument::Array(values);
                all.push(array);
            }
        }
        if *element == Type::Byte {
            let more = [Some(16), Some(32), None].map(bytes);
            all.extend(more.map(|value| Recipe { statements: Vec::new(), value, weight: 1 }));
        }
        all.push(Recipe { statements: Vec::new(), value: Argument::Null, weight: 1 });
        all
    }

    fn functions(&mut self, name: &str) -> Vec<Recipe> {
        let Some(method) = self.program.functional_method(name) else { return Vec::new() };
        let nothing = || vec![function(Recipe::plain(Argument::Null, 3))];
        let Some(result) = method.signature().result else { return nothing() };
        let values: Vec<Argument> = self.values.of(&result).into_iter().map(|(value, _)| value).collect();
        if !values.is_empty() {
            return few(values).into_iter().map(|value| function(Recipe::plain(value, 3))).collect();
        }
        let mut all = nothing();
        if let Some(made) = self.guarded(name, |builder| builder.made_result(&result, 0)) {
            all.insert(0, function(Recipe { weight: 3, ..made }));
        }
        all
    }

    /// A made value for the result of a function or of a stub's method.
    fn made_result(&mut self, result: &Type, variant: usize) -> Option<Recipe> {
        let mut statements = Vec::new();
        let value = self.part(result, variant, &mut statements)?;
        matches!(value, Argument::Earlier(_)).then_some(Recipe { statements, value, weight: 1 })
    }

    /// Calls `make` unless the results of this very type are being made already, or of too many others.
    fn guarded<T>(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.giving.len() >= DEEPEST || self.giving.iter().any(|open| open == name) {
            return None;
        }
        self.giving.push(name.to_owned());
        let made = make(self);
        self.giving.pop();
        made
    }

    /// A function that throws. One that answers a question is not asked for it: what compares or tests and
    /// throws is of little use to anyone.
    fn failing_function(&mut self, name: &str) -> Option<Recipe> {
        let result = self.program.functional_method(name)?.signature().result;
        if result.as_ref().is_some_and(|result| !result.is_reference()) {
            return None;
        }
        let stub = throwing(&self.stub(name)?);
        let mut statements = Vec::new();
        self.place_stub(name, &stub, 0, &mut statements).map(|value| Recipe { statements, value, weight: 1 })
    }

    /// The stub of an interface or of an abstract class, if one can be written.
    fn stub(&self, name: &str) -> Option<Stub> {
        let class = self.program.outline(name)?;
        let near = package(name) == package(&self.api.internal_name());
        let is_usable =
            (is_public(self.program, class) || (self.api.non_public && near)) && (is_open(name) || near);
        is_usable.then(|| stubs::stub(self.program, class))?
    }

    /// Recipes of stubs, whose methods return different values or throw.
    fn stubs(&mut self, name: &str) -> Vec<Recipe> {
        let Some(stub) = self.stub(name) else { return Vec::new() };
        let throwing = throwing(&stub);
        let kinds = (0..STUBS).map(|variant| (&stub, variant, 2)).chain([(&throwing, 0, 1)]);
        let mut all = Vec::new();
        for (stub, variant, weight) in kinds {
            let mut statements = Vec::new();
            if let Some(value) = self.place_stub(name, stub, variant, &mut statements) {
                let recipe = Recipe { statements, value, weight };
                if !all.contains(&recipe) {
                    all.push(recipe);
                }
            }
        }
        all
    }

    /// Adds the statements that make a stub.
    fn place_stub(
        &mut self,
        name: &str,
        stub: &Stub,
        variant: usize,
        statements: &mut Vec<Statement>,
    ) -> Option<Argument> {
        let operation = stubs::operation(name, stub);
        let parameters = operation.parameters.len();
        let results = stub.methods.iter().filter(|method| method.result().is_some()).count();
        let mut made = statements.clone();
        let args = self.guarded(name, |builder| {
            let mut args = Vec::new();
            for parameter in &operation.parameters[..parameters - results] {
                args.push(builder.part(parameter, variant, &mut made)?);
            }
            for result in &operation.parameters[parameters - results..] {
                args.push(builder.answer(result, variant, &mut made));
            }
            Some(args)
        })?;
        if made.len() >= MOST_STATEMENTS {
            return None;
        }
        *statements = made;
        statements.push(Statement { callable: operation.callable.clone(), receiver: None, args });
        if !self.operations.values().any(|known| known.callable == operation.callable) {
            self.add_operation(operation);
        }
        Some(Argument::Earlier(statements.len() - 1))
    }

    /// The result of a stub's method. Minus one says "no more" to whoever reads.
    fn answer(&mut self, result: &Type, variant: usize, statements: &mut Vec<Statement>) -> Argument {
        match result {
            Type::Boolean => Argument::Bool(variant % 2 == 1),
            Type::Byte | Type::Short | Type::Char | Type::Int | Type::Long => {
                Argument::Int([-1, 0, 1][variant % 3])
            }
            _ if is_text(result) => Argument::Text(CONTENTS[variant % CONTENTS.len()].to_owned()),
            _ => {
                let before = statements.len();
                let made = self.part(result, variant, statements);
                if made.is_none() {
                    statements.truncate(before);
                }
                made.filter(|made| !matches!(made, Argument::Function(_))).unwrap_or(Argument::Null)
            }
        }
    }

    /// Recipes that call makers, some of each kind.
    fn made(&mut self, name: &str) -> Vec<Recipe> {
        let candidates = self.makers().candidates(name);
        let Some(&(cheapest, _)) = candidates.first() else { return Vec::new() };
        let tested = Type::Class(self.api.internal_name().into());
        let is_enum = self.program.outline(name).is_some_and(|class| class.flags.has(Flags::ENUM));
        let mut kept: BTreeMap<MakerKind, Vec<usize>> = BTreeMap::new();
        let mut seen: BTreeSet<(MakerKind, &str, &str)> = BTreeSet::new();
        for &(_, at) in candidates.iter().filter(|&&(cost, _)| cost <= 2 * cheapest + 30) {
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

    /// For each parameter of the operation, the values that code elsewhere passes, the most frequent first.
    fn passed(&mut self, operation: &Operation) -> Arc<Passed> {
        if let Some(known) = self.passed.get(&*operation.callable) {
            return known.clone();
        }
        let callable = &operation.callable;
        let own = callable.owner.replace('.', "/");
        let mut classes = vec![own.clone()];
        if callable.kind == CallKind::Method {
            let above = self.program.supertypes(&own).into_iter().map(|class| class.name.to_string());
            classes.extend(above.filter(|name| *name != own && name != "java/lang/Object"));
        }
        // A boolean has no values beyond the usual two, and of what takes any object they are few on purpose.
        // To make a value, texts matter; other values are found without looking into code.
        let is_part = !self.making.is_empty();
        let is_askable = |wanted: &Type| match wanted {
            Type::Boolean => false,
            Type::Class(name) => &**name != "java/lang/Object" && (!is_part || is_text(wanted)),
            _ => !is_part,
        };
        let constants = if operation.parameters.iter().any(is_askable) {
            let (name, descriptor) = (member_name(callable), &callable.signature);
            self.sites.constants(&classes, name, descriptor, &operation.parameters)
        } else {
            Vec::new()
        };
        let mut passed = Passed::new();
        for (constants, wanted) in constants.iter().zip(&operation.parameters) {
            let recipes = constants.iter().filter_map(|constant| self.constant(constant, wanted));
            passed.push(recipes.collect());
        }
        if !is_part {
            passed.resize_with(operation.parameters.len(), Vec::new);
            for (place, recipes) in self.generic_functions(operation) {
                passed[place].extend(recipes);
            }
        }
        // Null alone says little: whatever else is passed may just not be a constant.
        if passed.iter().all(Vec::is_empty) {
            passed.clear();
        }
        let passed = Arc::new(passed);
        self.passed.insert((**callable).clone(), passed.clone());
        passed
    }

    /// For the parameters that take functions, functions that return what the generic type of the parameter
    /// says, if it names a class.
    fn generic_functions(&mut self, operation: &Operation) -> Vec<(usize, Vec<Recipe>)> {
        let callable = &operation.callable;
        let owner = callable.owner.replace('.', "/");
        let method = self.program.resolve(&owner, member_name(callable), &callable.signature);
        let signature = method.and_then(|(_, method)| method.generic_signature.as_deref());
        let Some((parameters, _)) = signature.and_then(generic_method) else { return Vec::new() };
        let variables = signature.and_then(method_variables).unwrap_or_default();
        // The compiler may have added parameters that the generic signature lacks.
        if parameters.len() != operation.parameters.len() {
            return Vec::new();
        }
        let results: Vec<(usize, Type)> = parameters
            .iter()
            .enumerate()
            .filter_map(|(place, parameter)| {
                Some((place, result_of_function(self.program, parameter, &variables)?))
            })
            .collect();
        let mut found = Vec::new();
        for (place, result) in results {
            let given = self.recipes(&result, 0).into_iter();
            let given =
                given.filter(|recipe| !matches!(recipe.value, Argument::Function(_) | Argument::Null));
            found.push((place, given.take(GENERIC_RESULTS).map(function).collect()));
        }
        found
    }

    /// A constant of other code as a recipe, if it may be used here.
    fn constant(&mut self, constant: &SiteConstant, wanted: &Type) -> Option<Recipe> {
        // What is frequent comes more often, but not so often that the rest never comes.
        let mut weight = 2 + constant.count.ilog2();
        let mut statements = Vec::new();
        let value = match &constant.value {
            SiteValue::Text(text) => Argument::Text(text.clone()),
            SiteValue::Int(value) => Argument::Int(*value),
            SiteValue::Float(bits) => Argument::Float(f64::from_bits(*bits)),
            SiteValue::Class(name) => {
                let class = self.program.outline(name)?;
                is_public(self.program, class).then(|| Argument::Class(class.dotted_name()))?
            }
            // Other values are often no constants, so that the count says little.
            SiteValue::Null => {
                weight = 1;
                Argument::Null
            }
            SiteValue::Field(class, name, descriptor) => {
                let class = self.program.outline(class)?;
                let near = package(&class.name) == package(&self.api.internal_name());
                let field = class.field(name).filter(|field| *field.descriptor == **descriptor)?;
                let fits = stands_for(self.program, &Type::parse(descriptor)?, wanted);
                let is_usable = is_callable(field.flags, false)
                    && field.flags.has(Flags::STATIC | Flags::FINAL)
                    && is_public(self.program, class)
                    && (is_open(&class.name) || near);
                // An object of the class under test that all scripts share would tell one what happened in
                // another.
                if !fits || !is_usable || *wanted == Type::Class(self.api.internal_name().into()) {
                    return None;
                }
                let operation = Operation::of_field(class, &field.name, &field.descriptor);
                let callable = operation.callable.clone();
                statements.push(Statement { callable, receiver: None, args: Vec::new() });
                let known = self.operations.values().any(|known| known.callable == operation.callable);
                if !known {
                    self.add_operation(operation);
                }
                Argument::Earlier(0)
            }
        };
        Some(Recipe { statements, value, weight })
    }

    /// Adds an operation that is no maker.
    fn add_operation(&mut self, operation: Operation) {
        // Numbers beyond those of the makers, so that they do not meet.
        let number = usize::MAX - self.operations.len();
        self.operations.insert(number, operation);
    }

    /// Tells whether a call of the recipe takes a text that other code passes.
    fn is_of_constants(&self, recipe: &Recipe) -> bool {
        let is_text = |recipe: &Recipe| matches!(recipe.value, Argument::Text(_));
        let mut passed = recipe.statements.iter().filter_map(|one| self.passed.get(&*one.callable));
        passed.any(|passed| passed.iter().flatten().any(is_text))
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

    fn makers(&self) -> &Makers<'a> {
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
    fn make(&mut self, at: usize, variant: usize, statements: &mut Vec<Statement>) -> Option<usize> {
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
        let parts = self.parts(&operation, variant, statements);
        self.making.pop();
        let (receiver, args) = parts?;
        if statements.len() >= MOST_STATEMENTS {
            return None;
        }
        debug_assert_eq!(receiver.is_some(), operation.callable.kind == CallKind::Method);
        statements.push(Statement { callable: operation.callable, receiver, args });
        Some(statements.len() - 1)
    }

    /// The receiver and the arguments of a maker.
    fn parts(
        &mut self,
        operation: &Operation,
        variant: usize,
        statements: &mut Vec<Statement>,
    ) -> Option<(Option<usize>, Vec<Argument>)> {
        let receiver = match &operation.receiver {
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
            if !known.is_empty() {
                args.push(append(statements, known[variant % known.len()]));
                continue;
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
    fn part(&mut self, wanted: &Type, variant: usize, statements: &mut Vec<Statement>) -> Option<Argument> {
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

/// A function that returns the value of a recipe.
fn function(result: Recipe) -> Recipe {
    Recipe { value: Argument::Function(Box::new(result.value)), ..result }
}

/// The class that a function of this generic type returns; nothing if it is no function, or returns anything.
fn result_of_function(
    program: &Program<'_>,
    generic: &GenericType,
    variables: &[(&str, GenericType)],
) -> Option<Type> {
    let GenericType::Class(name, arguments) = generic else { return None };
    let method = program.functional_method(name)?;
    let (_, result) = generic_method(method.generic_signature.as_deref()?)?;
    let GenericType::Variable(variable) = result else { return None };
    let class = program.outline(name)?.generic_signature.as_deref()?;
    let place = type_variables(class)?.iter().position(|name| **name == *variable)?;
    let mut result = arguments.get(place)?.as_ref()?;
    if let GenericType::Variable(variable) = result {
        result = variables.iter().find(|(name, _)| **name == **variable).map(|(_, bound)| bound)?;
    }
    match result {
        GenericType::Class(name, _) if &**name != "java/lang/Object" => Some(Type::Class(name.clone())),
        _ => None,
    }
}

/// The results of functions: the first values, and minus one if there is such a number, which says "less" to
/// whoever compares and "no more" to whoever reads; a source that never ends makes its readers hang.
fn few(values: Vec<Argument>) -> Vec<Argument> {
    const FIRST: usize = 2;
    let (first, rest) = values.split_at(values.len().min(FIRST));
    let last = rest.iter().find(|value| **value == Argument::Int(-1)).or(rest.first());
    first.iter().chain(last).cloned().collect()
}

fn is_text(wanted: &Type) -> bool {
    matches!(wanted, Type::Class(name) if matches!(&**name, "java/lang/String" | "java/lang/CharSequence"))
}

/// An array of so many bytes, or a text as bytes.
fn bytes(length: Option<usize>) -> Argument {
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

/// Adds the statements of a recipe to others and returns its value as it is called there.
pub(crate) fn append(statements: &mut Vec<Statement>, recipe: &Recipe) -> Argument {
    let base = statements.len();
    let number = |at: usize| at + base;
    statements.extend(recipe.statements.iter().map(|statement| renumbered(statement, &number)));
    renumber(&recipe.value, &number)
}

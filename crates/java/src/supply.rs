//! The sources of values, type by type.
//!
//! Plain values need no call. Everything else is made: by the user's fixtures if they give it, else by the
//! cheapest constructors, static methods, constants and methods of the class path; where an interface has a
//! single method, by a function; and where nothing else makes one, by a class written for it. Several recipes
//! are kept for each type, some of which fill what they make, because an empty list and a full one behave
//! differently. `made` has what calls make, `functions` what is written, and `passed` what code elsewhere
//! passes.
//!
//! Paper: none; the search is in `makers.rs`.

mod functions;
mod made;
mod passed;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use adit_bytecode::{Class, Program, Type};
use adit_trace::{Argument, Callable, Statement};

use self::made::bytes;
pub(crate) use self::made::takes_contents;
use crate::api::is_fixture;
use crate::guards::guards;
use crate::makers::Makers;
use crate::source::Facts;
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
    /// Its weight when a recipe of the type is drawn; zero if it is for the case that no other works.
    pub weight: u32,
}

impl Recipe {
    /// A value that needs no call.
    fn plain(value: Argument, weight: u32) -> Recipe {
        Recipe { statements: Vec::new(), value, weight }
    }

    /// Tells whether it is only for the case that nothing else makes a value.
    pub(crate) fn is_reserve(&self) -> bool {
        self.weight == 0 && !self.statements.is_empty()
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

    /// For each parameter of a callable, the values that its code compares it with; nothing if there are
    /// none.
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

/// A recipe with more calls is more about its parts than about the class under test.
const MOST_STATEMENTS: usize = 8;

/// Arrays of arrays beyond this are left empty.
const DEEPEST: usize = 3;

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
                let is_function = !all.is_empty();
                all.extend(self.made(name));
                if all.is_empty() {
                    all = self.stubs(name);
                } else {
                    all.extend(self.failing_function(name));
                    // What needs a file, a provider or a screen may never work, whatever it declares.
                    if !is_function {
                        let stubs = self.stubs(name).into_iter();
                        all.extend(stubs.map(|stub| Recipe { weight: 0, ..stub }));
                    }
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
        let some = || elements.iter().filter(|recipe| recipe.value != Argument::Null);
        let mut next = some().cycle();
        // Long ones have elements of one kind, which can be compared and sorted, and which take no
        // statements. The longest is longer than most things that are copied into an array.
        let kind = |recipe: &Recipe| std::mem::discriminant(&recipe.value);
        let plain = || some().filter(|recipe| recipe.statements.is_empty());
        let first = plain().next().map(kind);
        let mut alike = plain().filter(|recipe| Some(kind(recipe)) == first).cycle();
        for (length, weight) in [(1, 2), (2, 2), (3, 2), (3, 2), (8, 1), (40, 1)] {
            let mut array = Recipe { statements: Vec::new(), value: Argument::Null, weight };
            let mut values = Vec::new();
            for _ in 0..length {
                let long = if length < 8 { None } else { alike.next() };
                let element = long.or_else(|| next.next());
                values.extend(element.map(|element| append(&mut array.statements, element)));
            }
            if values.len() == length && array.statements.len() <= MOST_STATEMENTS {
                array.value = Argument::Array(values);
                all.push(array);
            }
        }
        if *element == Type::Byte {
            let more = [Some(16), Some(32), Some(80), None].map(bytes);
            all.extend(more.map(|value| Recipe { statements: Vec::new(), value, weight: 1 }));
        }
        all.push(Recipe { statements: Vec::new(), value: Argument::Null, weight: 1 });
        all
    }

    /// Adds an operation that is no maker.
    fn add_operation(&mut self, operation: Operation) {
        // Numbers beyond those of the makers, so that they do not meet.
        let number = usize::MAX - self.operations.len();
        self.operations.insert(number, operation);
    }
}

fn is_text(wanted: &Type) -> bool {
    matches!(wanted, Type::Class(name) if matches!(&**name, "java/lang/String" | "java/lang/CharSequence"))
}

/// Adds the statements of a recipe to others and returns its value as it is called there.
pub(crate) fn append(statements: &mut Vec<Statement>, recipe: &Recipe) -> Argument {
    let base = statements.len();
    let number = |at: usize| at + base;
    statements.extend(recipe.statements.iter().map(|statement| renumbered(statement, &number)));
    renumber(&recipe.value, &number)
}

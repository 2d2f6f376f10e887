//! Functions and stubs: objects whose methods return what they are told, or throw.
//!
//! Paper: none; mock objects, as test libraries have them.

use adit_bytecode::{GenericType, Program, Stub, Type, generic_method, method_variables, type_variables};
use adit_trace::{Argument, Statement};

use super::made::CONTENTS;
use super::{DEEPEST, MOST_STATEMENTS, Recipe, RecipeBuilder, is_text};
use crate::Operation;
use crate::api::{is_public, member_name};
use crate::makers::{is_open, package};
use crate::stubs::{self, throwing};

/// The number of different results of functions whose type says what they return.
const GENERIC_RESULTS: usize = 4;

/// The number of recipes with different results for a stub.
const STUBS: usize = 3;

/// The cost of a stub: dearer than anything that exists.
pub(super) const STUB: u32 = 200;

impl RecipeBuilder<'_> {
    pub(super) fn functions(&mut self, name: &str) -> Vec<Recipe> {
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
    pub(super) fn made_result(&mut self, result: &Type, variant: usize) -> Option<Recipe> {
        let mut statements = Vec::new();
        let value = self.part(result, variant, &mut statements)?;
        matches!(value, Argument::Earlier(_)).then_some(Recipe { statements, value, weight: 1 })
    }

    /// Calls `make` unless the results of this very type are being made already, or of too many others.
    pub(super) fn guarded<T>(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
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
    pub(super) fn failing_function(&mut self, name: &str) -> Option<Recipe> {
        let result = self.program.functional_method(name)?.signature().result;
        if result.as_ref().is_some_and(|result| !result.is_reference()) {
            return None;
        }
        let stub = throwing(&self.stub(name)?);
        let mut statements = Vec::new();
        self.place_stub(name, &stub, 0, &mut statements).map(|value| Recipe { statements, value, weight: 1 })
    }

    /// The stub of an interface or of an abstract class, if one can be written.
    pub(super) fn stub(&self, name: &str) -> Option<Stub> {
        let class = self.program.outline(name)?;
        let near = package(name) == package(&self.api.internal_name());
        let is_usable =
            (is_public(self.program, class) || (self.api.non_public && near)) && (is_open(name) || near);
        is_usable.then(|| stubs::stub(self.program, class))?
    }

    /// Recipes of stubs, whose methods return different values or throw.
    pub(super) fn stubs(&mut self, name: &str) -> Vec<Recipe> {
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
    pub(super) fn place_stub(
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
    pub(super) fn answer(
        &mut self,
        result: &Type,
        variant: usize,
        statements: &mut Vec<Statement>,
    ) -> Argument {
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

    /// For the parameters that take functions, functions that return what the generic type of the parameter
    /// says, if it names a class.
    pub(super) fn generic_functions(&mut self, operation: &Operation) -> Vec<(usize, Vec<Recipe>)> {
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
}

/// A function that returns the value of a recipe.
fn function(result: Recipe) -> Recipe {
    Recipe { value: Argument::Function(Box::new(result.value)), ..result }
}

/// The class, or the array of objects, that a function of this generic type returns; nothing if it is no
/// function, or returns anything.
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
    let bound = |generic: &GenericType| match generic {
        GenericType::Variable(variable) => {
            variables.iter().find(|(name, _)| **name == **variable).map(|(_, bound)| bound.clone())
        }
        other => Some(other.clone()),
    };
    match bound(arguments.get(place)?.as_ref()?)? {
        GenericType::Class(name, _) if &*name != "java/lang/Object" => Some(Type::Class(name)),
        // A worker makes an array of objects where it only knows that an object is wanted.
        GenericType::Array(element) => match bound(&element)? {
            GenericType::Class(name, _) if &*name == "java/lang/Object" => {
                Some(Type::Array(Box::new(Type::Class(name))))
            }
            _ => None,
        },
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

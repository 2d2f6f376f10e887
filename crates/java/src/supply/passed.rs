//! Values that code elsewhere passes, as recipes.
//!
//! Paper: none; a choice of values by experience.

use std::sync::Arc;

use adit_bytecode::{Flags, Type};
use adit_trace::{Argument, CallKind, Statement};

use super::{Passed, Recipe, RecipeBuilder, is_text, stands_for};
use crate::Operation;
use crate::api::{is_callable, is_public, member_name};
use crate::makers::{is_open, package};
use crate::sites::{SiteConstant, SiteValue};

/// The number of recipes with different values for a method whose results other code passes.
const VARIANTS_OF_RESULTS: usize = 3;

impl RecipeBuilder<'_> {
    /// For each parameter of the operation, the values that code elsewhere passes, the most frequent first.
    pub(super) fn passed(&mut self, operation: &Operation) -> Arc<Passed> {
        if let Some(known) = self.passed.get(&*operation.callable) {
            return known.clone();
        }
        // What is passed may be the result of what is asked about, which is then found to take nothing.
        self.passed.insert((*operation.callable).clone(), Arc::default());
        let callable = &operation.callable;
        let own = callable.owner.replace('.', "/");
        let mut classes = vec![own.clone()];
        if callable.kind == CallKind::Method {
            let above = self.program.supertypes(&own).into_iter().map(|class| class.name.to_string());
            classes.extend(above.filter(|name| *name != own && name != "java/lang/Object"));
        }
        // A boolean has no values beyond the usual two, and of what takes any object they are few on purpose.
        // To make a value, texts matter, and numbers beside them or beside objects; other values are found
        // without looking into code.
        let is_part = !self.making.is_empty();
        let is_mixed = operation.parameters.iter().any(Type::is_reference);
        let is_askable = |wanted: &Type| match wanted {
            Type::Boolean => false,
            Type::Int => !is_part || is_mixed,
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
            let mut recipes = Vec::new();
            for constant in constants {
                match &constant.value {
                    SiteValue::Result(class, name, descriptor) => {
                        // A copy of what the object has itself is no source.
                        if *class != own || is_text(wanted) {
                            recipes.extend(self.results([class, name, descriptor], wanted));
                        }
                    }
                    _ => recipes.extend(self.constant(constant, wanted)),
                }
            }
            passed.push(recipes);
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

    /// Recipes that call a method whose results other code passes, if it may be called here.
    fn results(&mut self, [class, name, descriptor]: [&str; 3], wanted: &Type) -> Vec<Recipe> {
        let Some(class) = self.program.outline(class) else { return Vec::new() };
        let tested = self.api.internal_name();
        let Some(method) = class.method(name, descriptor) else { return Vec::new() };
        let is_usable = is_callable(method.flags, false)
            && is_public(self.program, class)
            && is_open(&class.name)
            && !(method.is_constructor() && class.flags.has(Flags::ABSTRACT));
        let operation = Operation::of_method(class, method, &class.name);
        let fits = operation.result.as_ref().is_some_and(|given| stands_for(self.program, given, wanted));
        // What its own objects give, and numbers without an object that has them, are found otherwise. A text
        // that an object has is hardly ever meant for others, but one that a class has is a default.
        let is_far = match wanted {
            Type::Int => *class.name != *tested && operation.receiver.is_some(),
            _ if is_text(wanted) => operation.receiver.is_none() && operation.parameters.is_empty(),
            _ => *class.name != *tested,
        };
        if !is_usable || !fits || !is_far {
            return Vec::new();
        }
        let mut found: Vec<Recipe> = Vec::new();
        for variant in 0..VARIANTS_OF_RESULTS {
            let mut statements = Vec::new();
            if let Some(at) = self.make_by(&operation, variant, &mut statements) {
                let recipe = Recipe { statements, value: Argument::Earlier(at), weight: 2 };
                if !found.contains(&recipe) {
                    found.push(recipe);
                }
            }
        }
        found
    }

    /// A constant of other code as a recipe, if it may be used here.
    pub(super) fn constant(&mut self, constant: &SiteConstant, wanted: &Type) -> Option<Recipe> {
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
            SiteValue::Result(..) => return None,
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
}

//! Contracts as formulas that a solver understands.
//!
//! Paper: none; `krka` gives its invariants to Yices without saying how.
//!
//! A field has two variables: one for its value before a call and one for its value after it. Whole numbers
//! are mathematical integers, because contracts are about values that were recorded and not about overflow.
//! References, strings and floating-point numbers are integers too, one for each constant that a claim names;
//! zero is null, and nothing but equality is said about them.

use std::collections::BTreeMap;

use adit_logic::contract::{Clause, Constant, Dialect, Moment, Relation, Type, Variable};
use adit_smt::{Answer, Arena, Expr, Model, Solver, Sort};

/// The moment that a clause speaks of when it says nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// The beginning of a call.
    Before,
    /// Its end.
    After,
}

/// The formulas of one class.
pub(crate) struct Formulas<'a> {
    arena: Arena,
    fields: &'a BTreeMap<Variable, Type>,
    codes: BTreeMap<Constant, i128>,
    /// Sizes, which are never negative, by the variable.
    sizes: BTreeMap<adit_smt::Var, Expr>,
}

/// The kinds of values that claims tell apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Bool,
    /// Whatever has no order: a number stands for each constant.
    Code,
}

impl<'a> Formulas<'a> {
    pub(crate) fn new(fields: &'a BTreeMap<Variable, Type>) -> Self {
        Self { arena: Arena::new(), fields, codes: BTreeMap::new(), sizes: BTreeMap::new() }
    }

    pub(crate) fn arena(&mut self) -> &mut Arena {
        &mut self.arena
    }

    /// The conjunction of clauses.
    pub(crate) fn all<'c>(&mut self, clauses: impl IntoIterator<Item = &'c Clause>, at: At) -> Expr {
        let clauses: Vec<Expr> = clauses.into_iter().map(|clause| self.clause(clause, at)).collect();
        self.arena.and(&clauses)
    }

    /// A clause as a formula.
    pub(crate) fn clause(&mut self, clause: &Clause, at: At) -> Expr {
        match clause {
            Clause::OneOf(variable, values) => {
                let choices: Vec<Expr> = values.iter().map(|value| self.is(variable, value, at)).collect();
                self.arena.or(&choices)
            }
            Clause::NonNull(variable) => {
                let (variable, null) = (self.variable(variable, Kind::Code, at), self.arena.int(0));
                self.arena.ne(variable, null)
            }
            Clause::Compare { left, relation, right, offset } => {
                let left = self.variable(left, Kind::Int, at);
                let offset = self.arena.int(i128::from(*offset));
                let right = match right {
                    Some(right) => {
                        let right = self.variable(right, Kind::Int, at);
                        self.arena.add(right, offset)
                    }
                    None => offset,
                };
                match relation {
                    Relation::Equal => self.arena.eq(left, right),
                    Relation::NotEqual => self.arena.ne(left, right),
                    Relation::AtMost => self.arena.le(left, right),
                    Relation::AtLeast => self.arena.ge(left, right),
                }
            }
            Clause::Same(one, another) => {
                let kind = self.kind(one).or_else(|| self.kind(another)).unwrap_or(Kind::Code);
                let (one, another) = (self.variable(one, kind, at), self.variable(another, kind, at));
                self.arena.eq(one, another)
            }
            Clause::Implies(condition, conclusion) => {
                let (condition, conclusion) = (self.clause(condition, at), self.clause(conclusion, at));
                self.arena.implies(condition, conclusion)
            }
            Clause::Iff(one, another) => {
                let (one, another) = (self.clause(one, at), self.clause(another, at));
                self.arena.eq(one, another)
            }
        }
    }

    /// Says if `constraints` can hold together.
    pub(crate) fn check(&mut self, solver: &mut dyn Solver, constraints: &[Expr]) -> Answer {
        let mut all = constraints.to_vec();
        for &constraint in constraints {
            all.extend(self.arena.variables(constraint).iter().filter_map(|var| self.sizes.get(var)));
        }
        solver.check(&mut self.arena, &all)
    }

    /// The truth of each of `formulas` under an assignment, in which any value will do for what is missing.
    pub(crate) fn truths(&self, formulas: &[Expr], model: &Model) -> Option<Vec<bool>> {
        let mut model = model.clone();
        for &formula in formulas {
            for &var in self.arena.variables(formula) {
                if model.get(var).is_none() {
                    let any = match self.arena.var_sort(var) {
                        Sort::Bool => adit_smt::Value::Bool(false),
                        _ => adit_smt::Value::Int(0),
                    };
                    model.set(var, any);
                }
            }
        }
        formulas.iter().map(|&formula| self.arena.evaluate(formula, &model).ok()?.as_bool()).collect()
    }

    /// `variable == value`.
    fn is(&mut self, variable: &Variable, value: &Constant, at: At) -> Expr {
        let mixed = self.kind(variable) == Some(Kind::Code);
        match value {
            Constant::Int(number) if !mixed => {
                let (variable, number) =
                    (self.variable(variable, Kind::Int, at), self.arena.int(i128::from(*number)));
                self.arena.eq(variable, number)
            }
            Constant::Bool(value) if !mixed => {
                let variable = self.variable(variable, Kind::Bool, at);
                if *value { variable } else { self.arena.not(variable) }
            }
            // An object without an identity is only known not to be null.
            Constant::Object(None) => {
                let (variable, null) = (self.variable(variable, Kind::Code, at), self.arena.int(0));
                self.arena.ne(variable, null)
            }
            _ => {
                let code = match value {
                    Constant::Null => 0,
                    _ => {
                        let fresh = self.codes.len() as i128 + 1;
                        *self.codes.entry(value.clone()).or_insert(fresh)
                    }
                };
                let (variable, code) = (self.variable(variable, Kind::Code, at), self.arena.int(code));
                self.arena.eq(variable, code)
            }
        }
    }

    /// The kind of a field's values, if its type is known.
    fn kind(&self, variable: &Variable) -> Option<Kind> {
        let now = Variable { moment: Moment::Now, ..variable.clone() };
        Some(match self.fields.get(&now)? {
            Type::Int => Kind::Int,
            Type::Bool => Kind::Bool,
            Type::Float | Type::Text | Type::Reference | Type::Mixed => Kind::Code,
        })
    }

    fn variable(&mut self, variable: &Variable, kind: Kind, at: At) -> Expr {
        let before = variable.is_field() && (at == At::Before || variable.moment == Moment::Before);
        let moment = if before { Moment::Before } else { Moment::Now };
        let text = Dialect::Plain.variable(&Variable { moment, ..variable.clone() });
        let (name, sort) = match kind {
            Kind::Int => (text, Sort::Int),
            Kind::Bool => (text, Sort::Bool),
            // A claim may compare a variable with numbers where another one asks if it is null.
            Kind::Code => (format!("{text} as an object"), Sort::Int),
        };
        let expr = self.arena.var(&name, sort);
        if variable.is_size() && kind == Kind::Int {
            let zero = self.arena.int(0);
            let natural = self.arena.ge(expr, zero);
            self.sizes.insert(self.arena.variables(expr)[0], natural);
        }
        expr
    }
}

#[cfg(test)]
mod tests {
    use adit_smt::{Frugal, Missing};

    use super::*;

    #[test]
    fn clauses_mean_what_they_say() {
        let fields = BTreeMap::from([
            (Variable::field("open"), Type::Bool),
            (Variable::field("name"), Type::Text),
            (Variable::field("any"), Type::Mixed),
        ]);
        let mut formulas = Formulas::new(&fields);
        let (open, name, any) = (Variable::field("open"), Variable::field("name"), Variable::field("any"));
        let mut show = |clause: Clause| {
            let formula = formulas.clause(&clause, At::After);
            formulas.arena().show(formula).to_string()
        };
        assert_eq!(show(Clause::is(open.clone(), Constant::Bool(false))), "!this.open");
        assert_eq!(show(Clause::Same(open.clone(), open.clone().before())), "this.open == orig(this.open)");
        assert_eq!(show(Clause::NonNull(name.clone())), "this.name as an object != 0");
        assert_eq!(show(Clause::is(name.clone(), Constant::Null)), "this.name as an object == 0");
        assert_eq!(show(Clause::is(name, Constant::Text("a".into()))), "this.name as an object == 1");
        assert_eq!(show(Clause::is(any.clone(), Constant::Int(7))), "this.any as an object == 2");
        assert_eq!(show(Clause::is(any, Constant::Bool(true))), "this.any as an object == 3");
        let count = Variable::field("count");
        let grown = Clause::compare(count.clone(), Relation::Equal, count.before(), 1);
        assert_eq!(show(grown), "this.count == orig(this.count) + 1");
    }

    #[test]
    fn sizes_are_not_negative() {
        let fields = BTreeMap::new();
        let mut formulas = Formulas::new(&fields);
        let size = Variable::field_size("elements");
        let negative = formulas.clause(&Clause::bound(size, Relation::AtMost, -1), At::Before);
        let answer = formulas.check(&mut Frugal::new(Missing), &[negative]);
        assert_eq!(answer.is_sat(), Some(false));
    }
}

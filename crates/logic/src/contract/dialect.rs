//! The texts of claims: for people, as Daikon prints them, and as JML.

use std::fmt;

use adit_trace::write::quoted;

use super::{Clause, Constant, Moment, Part, Relation, Variable, VariablePlace};

/// A notation for claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// For people: `this.topOfStack == orig(this.topOfStack) + 1`.
    Plain,
    /// Daikon's own: `this.topOfStack - orig(this.topOfStack) - 1 == 0`.
    Daikon,
    /// The Java Modeling Language: `this.topOfStack == \old(this.topOfStack) + 1`.
    Jml,
}

impl Dialect {
    /// The text of a claim.
    pub fn clause(self, clause: &Clause) -> String {
        match clause {
            Clause::OneOf(variable, values) => self.one_of(variable, values),
            Clause::NonNull(variable) => format!("{} != null", self.variable(variable)),
            Clause::Compare { left, relation, right: Some(right), offset } => {
                self.comparison(left, *relation, right, *offset)
            }
            Clause::Compare { left, relation, right: None, offset } => {
                format!("{} {} {offset}", self.variable(left), sign(*relation))
            }
            Clause::Same(one, another) => {
                let (one, another) = (self.variable(one), self.variable(another));
                match self {
                    Self::Plain | Self::Daikon => format!("{one} == {another}"),
                    Self::Jml => format!("java.util.Objects.equals({one}, {another})"),
                }
            }
            Clause::Implies(condition, conclusion) => {
                format!("({}) ==> ({})", self.clause(condition), self.clause(conclusion))
            }
            Clause::Iff(one, another) => {
                format!("({}) <==> ({})", self.clause(one), self.clause(another))
            }
        }
    }

    /// The text of a variable.
    pub fn variable(self, variable: &Variable) -> String {
        let place = match &variable.place {
            VariablePlace::Field(path) => format!("this.{path}"),
            VariablePlace::Parameter(name) => name.to_string(),
            VariablePlace::Return if self == Self::Jml => "\\result".to_owned(),
            VariablePlace::Return => "return".to_owned(),
        };
        let text = match (self, variable.part) {
            (_, Part::Whole) => place,
            (Self::Plain, Part::Length | Part::Size) => format!("size({place})"),
            (Self::Daikon, Part::Length | Part::Size) => format!("size({place}[..])"),
            (Self::Jml, Part::Length) => format!("{place}.length"),
            (Self::Jml, Part::Size) => format!("{place}.size()"),
            (Self::Plain | Self::Daikon, Part::Elements) => format!("{place}[..]"),
            (Self::Jml, Part::Elements) => format!("java.util.Arrays.toString({place})"),
        };
        match (self, variable.moment) {
            (_, Moment::Now) => text,
            (Self::Jml, Moment::Before) => format!("\\old({text})"),
            (_, Moment::Before) => format!("orig({text})"),
        }
    }

    /// The text of a value.
    pub fn constant(self, value: &Constant) -> String {
        match value {
            Constant::Null => "null".to_owned(),
            Constant::Bool(value) => value.to_string(),
            Constant::Int(value) => value.to_string(),
            Constant::Float(value) if value.is_nan() && self == Self::Jml => "Double.NaN".to_owned(),
            Constant::Float(value) if value.is_nan() => "NaN".to_owned(),
            Constant::Float(value) if value.is_infinite() => {
                let sign = if *value < 0.0 { "-" } else { "" };
                let class = if self == Self::Jml { "Double.POSITIVE_INFINITY" } else { "Infinity" };
                format!("{sign}{class}")
            }
            Constant::Float(value) => format!("{value:?}"),
            Constant::Text(text) => quoted(text),
            Constant::Object(Some(identity)) => identity.to_string(),
            Constant::Object(None) => "an object".to_owned(),
        }
    }

    fn one_of(self, variable: &Variable, values: &[Constant]) -> String {
        let name = self.variable(variable);
        let is = |value: &Constant| match (self, value) {
            (Self::Jml, Constant::Text(_)) => format!("{}.equals({name})", self.constant(value)),
            _ => format!("{name} == {}", self.constant(value)),
        };
        match (self, values) {
            (_, [value]) => is(value),
            (Self::Jml, _) => values.iter().map(is).collect::<Vec<_>>().join(" || "),
            (Self::Plain, _) => format!("{name} in {{{}}}", self.listed(values)),
            (Self::Daikon, _) => format!("{name} one of {{ {} }}", self.listed(values)),
        }
    }

    fn listed(self, values: &[Constant]) -> String {
        values.iter().map(|value| self.constant(value)).collect::<Vec<_>>().join(", ")
    }

    /// `left relation right + offset`. A last index reads better than a size, `<` better than `<= … - 1`.
    fn comparison(self, left: &Variable, relation: Relation, right: &Variable, offset: i64) -> String {
        let (one, another) = (self.variable(left), self.variable(right));
        let usual = if right.is_size() && offset < 0 { -1 } else { 0 };
        if self == Self::Daikon && relation == Relation::Equal && offset != usual {
            let (sign, size) =
                if offset < 0 { ('+', offset.unsigned_abs()) } else { ('-', offset.unsigned_abs()) };
            return format!("{one} - {another} {sign} {size} == 0");
        }
        let (sign, offset) = match relation {
            Relation::AtMost if offset == usual - 1 => ("<", usual),
            Relation::AtLeast if offset == usual + 1 => (">", usual),
            relation => (sign(relation), offset),
        };
        let plus = match (self, offset) {
            (_, 0) => String::new(),
            (Self::Daikon, -1) if right.is_size() => "-1".to_owned(),
            (_, 1..) => format!(" + {offset}"),
            (_, _) => format!(" - {}", offset.unsigned_abs()),
        };
        format!("{one} {sign} {another}{plus}")
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Dialect::Plain.clause(self))
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Dialect::Plain.variable(self))
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Dialect::Plain.constant(self))
    }
}

fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "==",
        Relation::NotEqual => "!=",
        Relation::AtMost => "<=",
        Relation::AtLeast => ">=",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(clauses: &[Clause], expected: Expect) {
        let mut text = String::new();
        for clause in clauses {
            for dialect in [Dialect::Plain, Dialect::Daikon, Dialect::Jml] {
                text += &dialect.clause(clause);
                text.push('\n');
            }
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn comparisons() {
        let top = || Variable::field("topOfStack");
        let size = || Variable::field_size("theArray");
        let capacity = Variable::parameter("capacity");
        check(
            &[
                Clause::bound(top(), Relation::AtLeast, -1),
                Clause::compare(top(), Relation::AtMost, size(), -1),
                Clause::compare(top(), Relation::AtMost, size(), -2),
                Clause::compare(top(), Relation::Equal, size(), -1),
                Clause::compare(top(), Relation::Equal, top().before(), 1),
                Clause::compare(size(), Relation::Equal, size().before(), 0),
                Clause::compare(top(), Relation::AtMost, capacity.clone(), -1),
                Clause::compare(top(), Relation::AtLeast, capacity.clone(), 1),
                Clause::compare(top(), Relation::NotEqual, capacity, -7),
            ],
            expect![[r#"
                this.topOfStack >= -1
                this.topOfStack >= -1
                this.topOfStack >= -1
                this.topOfStack <= size(this.theArray) - 1
                this.topOfStack <= size(this.theArray[..])-1
                this.topOfStack <= this.theArray.length - 1
                this.topOfStack < size(this.theArray) - 1
                this.topOfStack < size(this.theArray[..])-1
                this.topOfStack < this.theArray.length - 1
                this.topOfStack == size(this.theArray) - 1
                this.topOfStack == size(this.theArray[..])-1
                this.topOfStack == this.theArray.length - 1
                this.topOfStack == orig(this.topOfStack) + 1
                this.topOfStack - orig(this.topOfStack) - 1 == 0
                this.topOfStack == \old(this.topOfStack) + 1
                size(this.theArray) == orig(size(this.theArray))
                size(this.theArray[..]) == orig(size(this.theArray[..]))
                this.theArray.length == \old(this.theArray.length)
                this.topOfStack < capacity
                this.topOfStack < capacity
                this.topOfStack < capacity
                this.topOfStack > capacity
                this.topOfStack > capacity
                this.topOfStack > capacity
                this.topOfStack != capacity - 7
                this.topOfStack != capacity - 7
                this.topOfStack != capacity - 7
            "#]],
        );
    }

    #[test]
    fn values_and_implications() {
        let answer = |value| Clause::is(Variable::result(), Constant::Bool(value));
        let list = Variable { part: Part::Size, ..Variable::field("list") };
        check(
            &[
                answer(true),
                Clause::NonNull(Variable::field("list")),
                Clause::is(Variable::result(), Constant::Null),
                Clause::OneOf(Variable::field("port"), vec![Constant::Int(21), Constant::Int(22)]),
                Clause::OneOf(
                    Variable::field("name"),
                    vec![Constant::Text("a\n\"b\"".into()), Constant::Text("c".into())],
                ),
                Clause::Implies(
                    Box::new(answer(false)),
                    Box::new(Clause::compare(list.clone(), Relation::Equal, list.before(), 0)),
                ),
                Clause::Iff(
                    Box::new(answer(true)),
                    Box::new(Clause::is(Variable::field("closed"), Constant::Bool(true))),
                ),
                Clause::Same(Variable::result(), Variable::field("first").before()),
            ],
            expect![[r#"
                return == true
                return == true
                \result == true
                this.list != null
                this.list != null
                this.list != null
                return == null
                return == null
                \result == null
                this.port in {21, 22}
                this.port one of { 21, 22 }
                this.port == 21 || this.port == 22
                this.name in {"a\n\"b\"", "c"}
                this.name one of { "a\n\"b\"", "c" }
                "a\n\"b\"".equals(this.name) || "c".equals(this.name)
                (return == false) ==> (size(this.list) == orig(size(this.list)))
                (return == false) ==> (size(this.list[..]) == orig(size(this.list[..])))
                (\result == false) ==> (this.list.size() == \old(this.list.size()))
                (return == true) <==> (this.closed == true)
                (return == true) <==> (this.closed == true)
                (\result == true) <==> (this.closed == true)
                return == orig(this.first)
                return == orig(this.first)
                java.util.Objects.equals(\result, \old(this.first))
            "#]],
        );
    }
}

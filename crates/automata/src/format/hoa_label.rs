//! Labels of HOA: Boolean expressions over atomic propositions, read as sets of events.
//!
//! An event is the valuation in which just its own proposition is true, and the valuation in which none is
//! true stands for the time after the last event. So a proposition is a set of one, and negation, conjunction
//! and disjunction are complement, intersection and union.
//!
//! Cost: near-linear for what tools write. Sets are finite or cofinite, so that neither `0&!1&!2…` nor its
//! complement is ever spelled out, and shared until changed. A budget ends what is built to be slow.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::error::FormatError;
use super::scan::Scanner;

/// The item of a [`Letters`] for the valuation in which no proposition is true.
const NOTHING: u32 = u32::MAX;

/// A set of events, and perhaps of the time after the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Letters {
    /// The set is everything but `items`.
    all_but: bool,
    items: BTreeSet<u32>,
}

impl Letters {
    fn one(item: u32) -> Self {
        Self { all_but: false, items: BTreeSet::from([item]) }
    }

    fn everything() -> Self {
        Self { all_but: true, items: BTreeSet::new() }
    }

    fn contains(&self, item: u32) -> bool {
        self.items.contains(&item) != self.all_but
    }

    /// Returns whether the time after the last event is in the set.
    pub(super) fn has_nothing(&self) -> bool {
        self.contains(NOTHING)
    }

    /// The largest proposition that the set mentions.
    pub(super) fn largest(&self) -> Option<u32> {
        self.items.iter().rev().copied().find(|&item| item != NOTHING)
    }

    /// The number of the first `count` events that are in the set.
    pub(super) fn len(&self, count: u32) -> usize {
        let mentioned = self.items.range(..count).count();
        if self.all_but { count as usize - mentioned } else { mentioned }
    }

    /// Those of `count` events that are in the set.
    pub(super) fn events(&self, count: u32) -> impl Iterator<Item = u32> {
        let (few, many) = if self.all_but {
            (None, Some(0..count))
        } else {
            (Some(self.items.range(..count).copied()), None)
        };
        few.into_iter().flatten().chain(many.into_iter().flatten()).filter(|&item| self.contains(item))
    }
}

/// Reads labels, and remembers the aliases.
#[derive(Default)]
pub(super) struct Labels<'a> {
    aliases: BTreeMap<&'a str, Rc<Letters>>,
    spent: usize,
}

/// The most copying and merging of sets that the labels of a file may cost: about a second's worth.
const BUDGET: usize = 50_000_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Open,
    Or,
    And,
    Not,
}

impl<'a> Labels<'a> {
    /// Reads `@name expression` and remembers it.
    pub(super) fn alias(&mut self, scanner: &mut Scanner<'a>) -> Result<(), FormatError> {
        scanner.expect("@", "before the name of an alias")?;
        let Some((name, span)) = scanner.take_while(is_alias) else {
            return Err(scanner.unexpected("the name of an alias"));
        };
        let letters = self.expression(scanner)?;
        if self.aliases.insert(name, letters).is_some() {
            let problem = format!("the alias @{name} is defined twice");
            return Err(scanner.file.error(span, problem, "keep one of the definitions"));
        }
        Ok(())
    }

    /// Reads an expression as far as it goes.
    ///
    /// Two stacks instead of recursion, because a file may nest a million parentheses.
    pub(super) fn expression(&mut self, scanner: &mut Scanner<'a>) -> Result<Rc<Letters>, FormatError> {
        let start = scanner.at();
        let mut values: Vec<Rc<Letters>> = Vec::new();
        let mut operators: Vec<Operator> = Vec::new();
        let mut open = 0;
        loop {
            // Before an operand.
            if scanner.eat("!") {
                operators.push(Operator::Not);
                continue;
            }
            if scanner.eat("(") {
                operators.push(Operator::Open);
                open += 1;
                continue;
            }
            values.push(self.operand(scanner)?);
            // After an operand.
            loop {
                scanner.skip();
                let next = match scanner.peek() {
                    Some('&') => Operator::And,
                    Some('|') => Operator::Or,
                    Some(')') if open > 0 => Operator::Open,
                    _ => {
                        while let Some(operator) = operators.pop() {
                            if operator == Operator::Open {
                                return Err(scanner.unexpected("`)`"));
                            }
                            self.apply(operator, &mut values);
                        }
                        if self.spent > BUDGET {
                            let help =
                                "write the letters of this transition out instead of combining large aliases";
                            let span = start..scanner.at();
                            return Err(scanner.file.error(
                                span,
                                "the labels of this file take too long to read",
                                help,
                            ));
                        }
                        return Ok(values
                            .pop()
                            .expect("an operand was pushed and operators take two and give one"));
                    }
                };
                scanner.bump();
                while let Some(&top) = operators.last() {
                    let binds = top != Operator::Open && (next == Operator::Open || top as u8 >= next as u8);
                    if !binds {
                        break;
                    }
                    operators.pop();
                    self.apply(top, &mut values);
                }
                if next != Operator::Open {
                    operators.push(next);
                    break;
                }
                operators.pop();
                open -= 1;
            }
        }
    }

    fn operand(&mut self, scanner: &mut Scanner<'a>) -> Result<Rc<Letters>, FormatError> {
        scanner.skip();
        match scanner.peek() {
            Some('0'..='9') => {
                let (number, span) = scanner.expect_number("a proposition")?;
                match u32::try_from(number) {
                    Ok(number) if number != NOTHING => Ok(Rc::new(Letters::one(number))),
                    _ => Err(scanner.file.error(
                        span,
                        "there is no such proposition",
                        "propositions count from 0",
                    )),
                }
            }
            Some('@') => {
                scanner.bump();
                let Some((name, span)) = scanner.take_while(is_alias) else {
                    return Err(scanner.unexpected("the name of an alias"));
                };
                let problem = || {
                    let near = super::did_you_mean(name, self.aliases.keys().copied());
                    let help = "define it in the header, before it is used: `Alias: @name expression`";
                    scanner.file.error(span, format!("the alias @{name} is not defined{near}"), help)
                };
                self.aliases.get(name).cloned().ok_or_else(problem)
            }
            Some('t') => {
                scanner.bump();
                Ok(Rc::new(Letters::everything()))
            }
            Some('f') => {
                scanner.bump();
                Ok(Rc::new(Letters { all_but: false, items: BTreeSet::new() }))
            }
            _ => Err(scanner.unexpected("a proposition's number, an alias, `t` or `f`")),
        }
    }

    fn apply(&mut self, operator: Operator, values: &mut Vec<Rc<Letters>>) {
        let Some(mut right) = values.pop() else { return };
        let flip = |set: &mut Rc<Letters>, spent: &mut usize| {
            *spent += if Rc::strong_count(set) > 1 { set.items.len() } else { 1 };
            let set = Rc::make_mut(set);
            set.all_but = !set.all_but;
        };
        if operator != Operator::Not {
            let Some(mut left) = values.pop() else { return };
            // a | b is !(!a & !b).
            if operator == Operator::Or {
                flip(&mut left, &mut self.spent);
                flip(&mut right, &mut self.spent);
            }
            right = self.intersect(left, right);
        }
        if operator != Operator::And {
            flip(&mut right, &mut self.spent);
        }
        values.push(right);
    }

    /// The events in both sets, made by changing the one that is cheaper to change.
    fn intersect(&mut self, left: Rc<Letters>, right: Rc<Letters>) -> Rc<Letters> {
        let (small, large) =
            if left.items.len() <= right.items.len() { (left, right) } else { (right, left) };
        self.spent += small.items.len() + 1;
        let shared = if Rc::strong_count(&large) > 1 { large.items.len() } else { 0 };
        match (small.all_but, large.all_but) {
            (false, _) => {
                let items = small.items.iter().copied().filter(|&item| large.contains(item)).collect();
                Rc::new(Letters { all_but: false, items })
            }
            (true, false) => {
                self.spent += shared;
                let mut result = large;
                let changed = Rc::make_mut(&mut result);
                for item in &small.items {
                    changed.items.remove(item);
                }
                result
            }
            (true, true) => {
                self.spent += shared;
                let mut result = large;
                Rc::make_mut(&mut result).items.extend(&small.items);
                result
            }
        }
    }
}

fn is_alias(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::super::Spelling;
    use super::super::scan::{Comments, File};
    use super::*;
    use proptest::prelude::*;

    fn letters(text: &str) -> Result<Rc<Letters>, FormatError> {
        let file = File { name: "x", text, spelling: Spelling::PLAIN };
        Labels::default().expression(&mut Scanner::new(file, Comments::NONE))
    }

    #[derive(Clone, Debug)]
    enum Tree {
        Leaf(u32),
        True,
        False,
        Not(Box<Tree>),
        And(Box<Tree>, Box<Tree>),
        Or(Box<Tree>, Box<Tree>),
    }

    impl Tree {
        fn holds(&self, event: u32) -> bool {
            match self {
                Tree::Leaf(own) => *own == event,
                Tree::True => true,
                Tree::False => false,
                Tree::Not(inner) => !inner.holds(event),
                Tree::And(a, b) => a.holds(event) && b.holds(event),
                Tree::Or(a, b) => a.holds(event) || b.holds(event),
            }
        }

        /// With as few parentheses as precedence allows; `level` is how tightly the surroundings bind.
        fn show(&self, level: u8) -> String {
            let (own, text) = match self {
                Tree::Leaf(own) => (3, own.to_string()),
                Tree::True => (3, "t".into()),
                Tree::False => (3, "f".into()),
                Tree::Not(inner) => (2, format!("!{}", inner.show(2))),
                Tree::And(a, b) => (1, format!("{} & {}", a.show(1), b.show(1))),
                Tree::Or(a, b) => (0, format!("{}|{}", a.show(0), b.show(0))),
            };
            if own < level { format!("({text})") } else { text }
        }
    }

    fn trees() -> impl Strategy<Value = Tree> {
        let leaf =
            prop_oneof![4 => (0..4u32).prop_map(Tree::Leaf), 1 => Just(Tree::True), 1 => Just(Tree::False)];
        leaf.prop_recursive(5, 24, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|a| Tree::Not(a.into())),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| Tree::And(a.into(), b.into())),
                (inner.clone(), inner).prop_map(|(a, b)| Tree::Or(a.into(), b.into())),
            ]
        })
    }

    proptest! {
        /// Sets agree with trying every valuation.
        #[test]
        fn expressions_are_sets(tree in trees()) {
            let set = letters(&tree.show(0)).unwrap();
            let expected: Vec<u32> = (0..4).filter(|&event| tree.holds(event)).collect();
            prop_assert_eq!(set.events(4).collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(set.len(4), expected.len());
            prop_assert_eq!(set.has_nothing(), tree.holds(NOTHING));
        }
    }

    #[test]
    fn deep_nesting_is_no_danger() {
        let depth = 200_000;
        let nested = format!("{}0{}", "!(".repeat(depth), ")".repeat(depth));
        assert_eq!(*letters(&nested).unwrap(), Letters::one(0));
        assert!(letters(&"(".repeat(depth)).is_err());
    }
}

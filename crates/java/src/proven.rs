//! Arguments with which a call returned that rarely does: a key that fits, a text that parses.
//!
//! Paper: none; random testing with feedback, for calls whose arguments are hard to find.

use std::collections::BTreeSet;

use adit_trace::edit::{needs, renumber, renumbered};
use adit_trace::{Argument, Script, Statement};
use rand::Rng;

use crate::recent::Recent;

/// So many lists of arguments are kept for a call.
const MOST: usize = 8;

/// Probability that one of them is taken.
const TAKEN: f64 = 0.5;

/// Longer ways to make the arguments of one call are not kept.
const LONGEST: usize = 10;

/// Statements that make values, by their places from zero, and arguments that name them.
pub(crate) type Arguments = (Vec<Statement>, Vec<Argument>);

/// Lists of arguments with which a call returned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proven {
    kept: Recent<Arguments, MOST>,
}

impl Proven {
    /// The arguments of a statement with all that they need; nothing if they need an object of the class
    /// under test, whose state would come with it.
    pub(crate) fn arguments(
        script: &Script,
        statement: &Statement,
        is_of_class: impl Fn(&Statement) -> bool,
    ) -> Option<Arguments> {
        let mut open = Vec::new();
        let alone = Statement { receiver: None, ..statement.clone() };
        needs(&alone, &mut |needed| open.push(needed));
        let mut places = BTreeSet::new();
        while let Some(at) = open.pop() {
            let needed = script.statements.get(at).filter(|needed| !is_of_class(needed))?;
            if places.insert(at) {
                needs(needed, &mut |needed| open.push(needed));
            }
            if places.len() > LONGEST {
                return None;
            }
        }
        let place = |old: usize| places.range(..old).count();
        let statements = places.iter().map(|&at| renumbered(&script.statements[at], &place)).collect();
        Some((statements, statement.args.iter().map(|argument| renumber(argument, &place)).collect()))
    }

    /// Keeps arguments.
    pub(crate) fn add(&mut self, arguments: Arguments) {
        self.kept.add(arguments);
    }

    /// Drops arguments whose statements the predicate is false for.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&[Statement]) -> bool) {
        self.kept.retain(|(statements, _)| is_kept(statements));
    }

    /// Sometimes arguments that were kept, numbered for a script that has `base` statements.
    pub(crate) fn draw(&self, base: usize, rng: &mut impl Rng) -> Option<Arguments> {
        let (statements, args) = self.kept.draw(TAKEN, rng)?;
        let place = |at: usize| at + base;
        let statements = statements.iter().map(|statement| renumbered(statement, &place)).collect();
        Some((statements, args.iter().map(|argument| renumber(argument, &place)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use adit_trace::{CallKind, Callable};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    fn statement(name: &str, receiver: Option<usize>, args: Vec<Argument>) -> Statement {
        let kind = if receiver.is_some() { CallKind::Method } else { CallKind::Function };
        Statement { callable: Arc::new(Callable::new(kind, "a.B", name)), receiver, args }
    }

    #[test]
    fn arguments_are_kept_with_what_they_need_and_nothing_else() {
        let script = Script {
            statements: vec![
                statement("object", None, vec![]),
                statement("unused", None, vec![]),
                statement("maker", None, vec![Argument::Text("EC".into())]),
                statement("pair", Some(2), vec![]),
                statement("sign", Some(0), vec![Argument::Earlier(3), Argument::Int(1)]),
                statement("sign", Some(0), vec![Argument::Earlier(0), Argument::Int(1)]),
            ],
        };
        let is_object = |statement: &Statement| statement.callable.name == "object";
        let kept = Proven::arguments(&script, &script.statements[4], is_object).unwrap();
        assert_eq!(kept.0.iter().map(|one| &*one.callable.name).collect::<Vec<_>>(), ["maker", "pair"]);
        assert_eq!((kept.0[1].receiver, &kept.1[0]), (Some(0), &Argument::Earlier(1)));
        assert_eq!(Proven::arguments(&script, &script.statements[5], is_object), None);
        let mut proven = Proven::default();
        proven.add(kept);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let drawn: Vec<Arguments> = (0..100).filter_map(|_| proven.draw(7, &mut rng)).collect();
        assert!((30..70).contains(&drawn.len()), "{}", drawn.len());
        assert_eq!((drawn[0].0[1].receiver, &drawn[0].1[0]), (Some(7), &Argument::Earlier(8)));
    }
}

//! An author of scripts for any vocabulary, which knows kinds of values and no types.

use std::collections::BTreeSet;
use std::sync::Arc;

use adit_trace::{Argument, Author, CallKind, Callable, Run, Script, Statement, ValueKind, Vocabulary, edit};
use rand::{Rng, RngExt};

/// Writes scripts with values from small pools, and stops calling what hangs.
#[derive(Clone, Debug)]
pub(crate) struct RandomAuthor {
    vocabulary: Vocabulary,
    /// The values of whole-number parameters.
    numbers: Vec<i64>,
    given_up: BTreeSet<Arc<Callable>>,
}

/// Mutation and crossover make no script longer than this.
const LONGEST: usize = 40;

impl RandomAuthor {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let numbers = vec![-1, 0, 1, 2, 3, 10];
        Self { vocabulary: vocabulary.clone(), numbers, given_up: BTreeSet::new() }
    }

    /// The author with other values for whole-number parameters.
    pub(crate) fn with_numbers(self, numbers: &[i64]) -> Self {
        Self { numbers: numbers.to_vec(), ..self }
    }

    fn start(&self, script: &mut Script, rng: &mut impl Rng) {
        let callable = pick(&self.vocabulary.starts, rng).clone();
        let args = self.arguments(script, &callable, rng);
        script.statements.push(Statement { callable, receiver: None, args });
    }

    /// Adds a call of some method on some object of the script.
    fn call(&self, script: &mut Script, rng: &mut impl Rng) {
        let objects = self.objects(script);
        if !objects.is_empty() {
            let (object, method) = (*pick(&objects, rng), pick(&self.vocabulary.methods, rng));
            if !self.given_up.contains(method) {
                self.call_on(script, object, method, rng);
            }
        }
    }

    fn call_on(&self, script: &mut Script, object: usize, method: &Arc<Callable>, rng: &mut impl Rng) {
        let args = self.arguments(script, method, rng);
        script.statements.push(Statement { callable: method.clone(), receiver: Some(object), args });
    }

    /// The statements that make an object.
    fn objects(&self, script: &Script) -> Vec<usize> {
        let all = script.statements.iter().enumerate();
        all.filter(|(_, one)| self.vocabulary.starts.contains(&one.callable)).map(|(at, _)| at).collect()
    }

    fn arguments(&self, script: &Script, callable: &Callable, rng: &mut impl Rng) -> Vec<Argument> {
        let objects = self.objects(script);
        callable.parameters.iter().map(|&kind| self.argument(kind, &objects, rng)).collect()
    }

    fn argument(&self, kind: ValueKind, objects: &[usize], rng: &mut impl Rng) -> Argument {
        let text = |rng: &mut _| Argument::Text((*pick(&["", "a", "b", "some words"], rng)).to_owned());
        match kind {
            ValueKind::Nothing => Argument::Null,
            ValueKind::Bool => Argument::Bool(rng.random()),
            ValueKind::Int => Argument::Int(*pick(&self.numbers, rng)),
            ValueKind::Float => Argument::Float(*pick(&[-1.0, 0.0, 0.5], rng)),
            ValueKind::Text => text(rng),
            ValueKind::Object => match rng.random_range(0..4) {
                0 => Argument::Null,
                1 if !objects.is_empty() => Argument::Earlier(*pick(objects, rng)),
                2 => Argument::Int(*pick(&[0, 1, 5], rng)),
                _ => text(rng),
            },
        }
    }
}

fn pick<'a, T>(all: &'a [T], rng: &mut impl Rng) -> &'a T {
    &all[rng.random_range(0..all.len())]
}

impl Author for RandomAuthor {
    fn script(&mut self, rng: &mut impl Rng, calls: usize) -> Script {
        let mut script = Script { statements: Vec::new() };
        self.start(&mut script, rng);
        if rng.random_bool(0.2) {
            self.start(&mut script, rng);
        }
        for _ in 0..calls {
            self.call(&mut script, rng);
        }
        script
    }

    fn mutate(&self, script: &Script, rng: &mut impl Rng) -> Script {
        let at = rng.random_range(0..script.statements.len());
        let changed = match rng.random_range(0..3) {
            0 => edit::remove(script, at),
            1 if script.statements.len() < LONGEST => {
                let mut changed = edit::cut(script, at + 1);
                self.call(&mut changed, rng);
                let added = changed.statements.len() - at - 1;
                let moved = |old: usize| if old <= at { old } else { old + added };
                let rest = script.statements[at + 1..].iter();
                changed.statements.extend(rest.map(|one| edit::renumbered(one, &moved)));
                changed
            }
            _ => {
                let mut changed = script.clone();
                let args = self.arguments(&edit::cut(script, at), &script.statements[at].callable, rng);
                changed.statements[at].args = args;
                changed
            }
        };
        if self.objects(&changed).is_empty() { script.clone() } else { changed }
    }

    fn revalue(&self, script: &Script, rng: &mut impl Rng) -> Script {
        let (at, mut changed) = (rng.random_range(0..script.statements.len()), script.clone());
        let args = self.arguments(&edit::cut(script, at), &script.statements[at].callable, rng);
        changed.statements[at].args = args;
        changed
    }

    /// Calls the methods of the second half of `tail` on an object of the first half of `head`.
    fn cross(&self, head: &Script, tail: &Script, rng: &mut impl Rng) -> Script {
        let mut crossed = edit::cut(head, (head.statements.len() / 2).max(1));
        let Some(&object) = self.objects(&crossed).first() else { return head.clone() };
        for one in &tail.statements[tail.statements.len() / 2..] {
            if one.callable.kind == CallKind::Method && crossed.statements.len() < LONGEST {
                self.call_on(&mut crossed, object, &one.callable, rng);
            }
        }
        crossed
    }

    fn extend(&self, script: &Script, on: usize, call: &Arc<Callable>, rng: &mut impl Rng) -> Option<Script> {
        let mut extended = script.clone();
        self.call_on(&mut extended, on, call, rng);
        Some(extended)
    }

    fn observe(&mut self, _: &Script, _: &Run) {}

    fn give_up(&mut self, callable: &Arc<Callable>) {
        self.given_up.insert(callable.clone());
    }
}

//! Random components against an independent construction of their interfaces: every argument that matters is
//! a letter, every reachable valuation of fields is a state, and the minimal automaton is read off.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use adit_learn::compiled::{Compiled, CompiledGuard};
use adit_learn::symbolic::{Analysis, Guarded};
use adit_learn::x_psyco::{Execution, Interface, Matching, Options, x_psyco};
use adit_learn::{Component, Execute, Kind, Lts, WordOutcome};
use common::{random, random_with, solver};

/// The minimal automaton over all concrete calls that matter, by explicit exploration.
fn quotient(component: &Component) -> (Vec<(usize, Vec<i64>)>, Lts) {
    let mut letters = Vec::new();
    for (method, declared) in component.methods.iter().enumerate() {
        let mut tuples: Vec<Vec<i64>> = vec![Vec::new()];
        for parameter in &declared.parameters {
            let values = if parameter.kind == Kind::Boolean { 0..=1 } else { -1..=4 };
            tuples = tuples
                .into_iter()
                .flat_map(|tuple| values.clone().map(move |value| [&tuple[..], &[value]].concat()))
                .collect();
        }
        letters.extend(tuples.into_iter().map(|tuple| (method, tuple)));
    }
    let mut compiled = Compiled::new(component);
    let mut states = vec![component.initial()];
    let mut number: BTreeMap<Vec<i64>, usize> = BTreeMap::from([(states[0].clone(), 0)]);
    let mut targets: Vec<Vec<Result<usize, WordOutcome>>> = Vec::new();
    let mut at = 0;
    while at < states.len() {
        let mut row = Vec::new();
        for (method, arguments) in &letters {
            let mut fields = states[at].clone();
            row.push(match compiled.call(*method, arguments, &mut fields) {
                WordOutcome::Ok => Ok(*number.entry(fields.clone()).or_insert_with(|| {
                    states.push(fields);
                    states.len() - 1
                })),
                outcome => Err(outcome),
            });
        }
        targets.push(row);
        at += 1;
    }
    let live = states.len();
    let mut outcomes = vec![WordOutcome::Ok; live];
    outcomes.extend([WordOutcome::Error, WordOutcome::Unknown]);
    let mut targets: Vec<Vec<usize>> = targets
        .into_iter()
        .map(|row| {
            let target = |to: Result<usize, WordOutcome>| to.unwrap_or_else(|end| live + end as usize - 1);
            row.into_iter().map(target).collect()
        })
        .collect();
    targets.extend([Vec::new(), Vec::new()]);
    let lts = Lts::new(letters.len(), outcomes, targets).minimize();
    (letters, lts)
}

/// The interface over letters instead of symbols.
fn over_letters(component: &Component, interface: &Interface, letters: &[(usize, Vec<i64>)]) -> Lts {
    let symbol = |(method, arguments): &(usize, Vec<i64>)| {
        let admits = |symbol: &Guarded| {
            symbol.method == *method && CompiledGuard::new(component, *method, symbol.guard).admits(arguments)
        };
        interface.symbols.iter().position(admits).unwrap()
    };
    let symbols: Vec<usize> = letters.iter().map(symbol).collect();
    let lts = &interface.lts;
    let states = 0..lts.len();
    Lts::new(
        letters.len(),
        states.clone().map(|state| lts.outcome(state)).collect(),
        states.map(|state| symbols.iter().map(|&symbol| lts.step(state, symbol)).collect()).collect(),
    )
}

fn learn(component: Component) -> Option<(Interface, Component)> {
    let mut solver = solver()?;
    let mut analysis = Analysis::new(component.slice(), &mut solver);
    let options = Options {
        partial_order: true,
        matching: Matching::Symbolic,
        execution: Execution::Hybrid,
        depth: Some(1),
        symbols: 200,
        nodes: 100_000,
        certify: true,
    };
    let interface = x_psyco(&mut analysis, options, &mut || true);
    Some((interface, analysis.component))
}

#[test]
fn learned_interfaces_are_the_quotients() {
    for seed in 0..60 {
        let Some((interface, component)) = learn(random(seed)) else { return };
        let (letters, expected) = quotient(&random(seed));
        let learned = over_letters(&component, &interface, &letters);
        assert!(interface.complete, "seed {seed}: {:?}", interface.stop);
        assert_eq!(learned.difference(&expected), None, "seed {seed}");
        assert_eq!(interface.lts.len(), expected.len(), "seed {seed}: minimal");
        // Letters that no state tells apart share a symbol, and others do not.
        let mut columns: BTreeSet<(usize, Vec<usize>)> = BTreeSet::new();
        for (letter, (method, _)) in letters.iter().enumerate() {
            let column = (0..expected.len()).map(|state| expected.step(state, letter)).collect();
            columns.insert((*method, column));
        }
        assert_eq!(interface.symbols.len(), columns.len(), "seed {seed}: the coarsest alphabet");
    }
}

/// A mutant with another automaton has another interface; one with the same automaton is equivalent.
#[test]
fn mutants_are_noticed() {
    let mut mutants = 0;
    let mut different = 0;
    'seeds: for seed in 0.. {
        let (letters, original) = quotient(&random(seed));
        for mutated in 0..4 {
            if mutants == 200 {
                break 'seeds;
            }
            let (_, mutant) = quotient(&random_with(seed, Some(mutated)));
            let Some((interface, component)) = learn(random_with(seed, Some(mutated))) else { return };
            let learned = over_letters(&component, &interface, &letters);
            mutants += 1;
            different += usize::from(mutant.difference(&original).is_some());
            assert_eq!(learned.difference(&original), mutant.difference(&original), "seed {seed}, {mutated}");
        }
    }
    assert!(different > 100, "{different} of {mutants} mutants differ");
}

//! Checking every property of a model: six templates, all pairs of labels.

use std::collections::BTreeSet;

use adit_automata::{Builder, Fsa};
use adit_logic::{Checker, Formula, Language, Limit, Property, Template, Verdict};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// A model of `states` states over 30 labels, `degree` transitions from each, all states accepting. The
/// numbers come from a small generator with a fixed seed.
fn model(states: usize, degree: usize) -> Fsa<String> {
    let mut numbers = 0x5eed_u64;
    let mut below = |bound: usize| {
        numbers = numbers.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (numbers >> 33) as usize % bound
    };
    let mut builder = Builder::new();
    for _ in 0..states {
        builder.state(true);
    }
    builder.initial(0);
    for from in 0..states {
        // A chain reaches every state.
        builder.edge(from, label(from % 30), (from + 1) % states);
        for _ in 1..degree {
            builder.edge(from, label(below(30)), below(states));
        }
    }
    builder.build()
}

fn label(number: usize) -> String {
    format!("call{number:02}")
}

#[divan::bench(args = [2, 6, 30], sample_count = 5, sample_size = 1)]
fn all_properties_of_250_states(bencher: Bencher<'_, '_>, degree: usize) {
    let model = model(250, degree);
    let pure: BTreeSet<String> = (0..5).map(label).collect();
    bencher.bench(|| {
        let mut checker = Checker::new(&model, Language::Accepted, Limit(1_000_000));
        let mut holding = 0;
        for template in Template::ALL {
            for a in model.alphabet() {
                for b in model.alphabet() {
                    let property = Property { template, a: a.clone(), b: b.clone() };
                    holding += usize::from(checker.check_property(&property, &pure) == Verdict::Holds);
                }
            }
        }
        holding
    });
}

/// The worst case for the search: formulas that hold, so that every pair is visited.
#[divan::bench(args = [6, 30], sample_count = 5, sample_size = 1)]
fn holding_formulas_of_250_states(bencher: Bencher<'_, '_>, degree: usize) {
    let model = model(250, degree);
    let formula = |number: usize| format!("F {0} | G(!{0} | X G !{0})", label(number));
    let formulas: Vec<_> =
        (0..900).map(|at| Formula::parse(&formula(at % 30)).expect("well formed")).collect();
    let checker = Checker::new(&model, Language::Accepted, Limit(1_000_000));
    bencher.bench(|| {
        formulas.iter().filter(|formula| checker.check(black_box(formula)) == Verdict::Holds).count()
    });
}

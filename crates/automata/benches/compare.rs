//! The exact measure of a model's precision and recall, beside random walks for an estimate.
//!
//! `cargo bench -p adit-automata --bench compare`; results with date and machine in `docs/perf/`.

use adit_automata::{Builder, Fsa, compare};
use divan::Bencher;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn main() {
    divan::main();
}

/// A complete deterministic automaton with random targets: the worst case, since no two of its states are
/// alike and the product of two such automata has all pairs of states.
fn random_dfa(states: usize, letters: u32, seed: u64) -> Fsa<u32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut builder = Builder::new();
    for _ in 0..states {
        builder.state(rng.random_bool(0.5));
    }
    builder.initial(0);
    for state in 0..states {
        for letter in 0..letters {
            builder.edge(state, letter, rng.random_range(0..states));
        }
    }
    builder.build()
}

#[divan::bench(args = [50, 250], sample_count = 5)]
fn exact_to_length_50(bencher: Bencher<'_, '_>, states: usize) {
    let (model, truth) = (random_dfa(states, 30, 1), random_dfa(states, 30, 2));
    bencher.bench(|| compare::exact(&model, &truth, 50, 1_000_000));
}

/// The baseline: the papers' 1,000 walks each way, once.
#[divan::bench(args = [50, 250], sample_count = 20)]
fn sampled_1000_walks(bencher: Bencher<'_, '_>, states: usize) {
    let (model, truth) = (random_dfa(states, 30, 1), random_dfa(states, 30, 2));
    bencher.bench(|| compare::sampled(&model, &truth, 1000, 50, &mut ChaCha8Rng::seed_from_u64(3)));
}

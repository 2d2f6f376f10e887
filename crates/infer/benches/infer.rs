//! Inference on traces of a looping protocol, beside building the prefix tree alone.
//!
//! `cargo bench -p adit-infer --bench infer`; results with date and machine in `docs/perf/`.

use std::collections::BTreeSet;

use adit_automata::Fsa;
use adit_infer::{Constraints, Horizon, dice_miner, ktail};
use adit_logic::{Property, Template};
use divan::Bencher;
use divan::counter::ItemsCount;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn main() {
    divan::main();
}

const OPEN: u32 = 0;
const READ: u32 = 1;
const HAS_MORE: u32 = 2;
const HAS_NO_MORE: u32 = 3;
const CLOSE: u32 = 4;

/// Traces of opening, asking, reading and closing, so that merging has real work to do.
fn looping(traces: usize) -> Vec<Vec<u32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut trace = || {
        let mut trace = vec![OPEN];
        for _ in 0..rng.random_range(0..12) {
            trace.push(if rng.random_bool(0.5) { HAS_MORE } else { READ });
        }
        trace.extend([HAS_NO_MORE, CLOSE]);
        trace
    };
    (0..traces).map(|_| trace()).collect()
}

fn events(traces: &[Vec<u32>]) -> ItemsCount {
    ItemsCount::new(traces.iter().map(Vec::len).sum::<usize>())
}

/// The baseline: what every miner starts from.
#[divan::bench(args = [1_000, 20_000])]
fn prefix_tree(bencher: Bencher<'_, '_>, traces: usize) {
    let input = looping(traces);
    bencher.counter(events(&input)).bench(|| Fsa::prefix_tree(input.iter().map(Vec::as_slice)));
}

#[divan::bench(args = [1_000, 20_000], consts = [1, 2, 4])]
fn k_tail<const K: usize>(bencher: Bencher<'_, '_>, traces: usize) {
    let input = looping(traces);
    bencher.counter(events(&input)).bench(|| ktail(&input, Horizon(K)));
}

#[divan::bench(args = [1_000, 20_000])]
fn dice(bencher: Bencher<'_, '_>, traces: usize) {
    let input = looping(traces);
    let never = |template, a, b| Property { template, a, b };
    let properties = [
        never(Template::NeverFollowed, OPEN, OPEN),
        never(Template::NeverFollowed, CLOSE, READ),
        never(Template::NeverFollowed, HAS_NO_MORE, READ),
        never(Template::NeverImmediatelyFollowed, HAS_NO_MORE, HAS_MORE),
        never(Template::NeverImmediatelyFollowed, HAS_MORE, HAS_NO_MORE),
        never(Template::NeverImmediatelyFollowed, HAS_MORE, CLOSE),
    ];
    let pure = BTreeSet::from([HAS_MORE, HAS_NO_MORE]);
    let constraints = Constraints { pure_as_loops: true, compatible_states: true };
    bencher.counter(events(&input)).bench(|| dice_miner(&input, &properties, &pure, constraints));
}

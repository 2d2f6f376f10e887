//! Figures 14 and 15: what becomes of the models if clauses are missing, or if the filters or the method
//! distinction are switched off.

use std::collections::BTreeMap;

use adit_infer::{Claims, StateLimit, contractor, pessimistic, temi};
use adit_logic::contract::{Clause, Contract, Contracts};
use adit_mine::{Scope as ClaimScope, ValueTypes};
use adit_trace::Labels;
use miette::Result;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::prepared::Prepared;
use super::published::{Class, Printed};
use super::{Flags, PAPER, as_printed, contracts, mean, percent, sampled, shares, solver};

/// Prints Figure 14: 10 % and 20 % of the clauses removed.
pub(super) fn figure_14(classes: &[(&Class, Prepared)], flags: &Flags) -> Result<()> {
    const METHODS: [&str; 3] = ["TEMI optimistic", "TEMI pessimistic", "CONTRACTOR++"];
    println!("Figure 14: 10 % and 20 % of the clauses removed, {} times; then as printed.\n", flags.removals);
    let columns: Vec<String> =
        [10, 20].iter().flat_map(|share| METHODS.map(|method| format!("{method}, {share} %"))).collect();
    println!("| class | {} |\n|---|{}", columns.join(" | "), "---|".repeat(columns.len()));
    let mut all: [Vec<([f64; 2], Printed)>; 6] = Default::default();
    for (class, prepared) in classes {
        let Some(truth) = &prepared.corrected else { continue };
        let contracts = contracts(prepared, PAPER, prepared.labels, flags.min_confidence)?.about_states();
        let mut cells = Vec::new();
        for (at, share) in [0.1, 0.2].into_iter().enumerate() {
            let mut scores: [Vec<[f64; 2]>; 3] = Default::default();
            for removal in 0..flags.removals {
                let mut rng = ChaCha8Rng::seed_from_u64(removal);
                let left = without(&contracts, share, &mut rng);
                let claims = Claims::of(&left);
                let (abstraction, visits) = prepared.seen_through(&claims);
                let limit = StateLimit(flags.max_states);
                let mut solver = solver(flags);
                let optimistic = temi(&claims, &visits, &abstraction, limit, &mut solver).model;
                let enabled = contractor(&claims, &visits, &abstraction, limit, &mut solver).model;
                // One draw of walks is enough, because clauses are removed many times.
                let once = Flags { seeds: 1, ..flags.clone() };
                for (scores, model) in
                    scores.iter_mut().zip([&optimistic, &pessimistic(&optimistic), &enabled])
                {
                    scores.push(sampled(model, truth, &once));
                }
            }
            for (method, scores) in scores.into_iter().enumerate() {
                let (ours, printed) = (mean(scores.into_iter()), class.figure_14[at][method]);
                cells.push(format!("{}; {}", percent(ours), as_printed(printed)));
                all[3 * at + method].push((ours, printed));
            }
        }
        println!("| {} | {} |", class.name, cells.join(" | "));
    }
    print_means(&all);
    Ok(())
}

/// Prints Figure 15: CONTRACTOR++ without filters, and without method distinction.
pub(super) fn figure_15(classes: &[(&Class, Prepared)], flags: &Flags) -> Result<()> {
    println!(
        "Figure 15: CONTRACTOR++ with filters and method distinction, without the one, without the other.\n"
    );
    println!("| class | CONTRACTOR++ | no invariant filtering | no method distinction |\n|---|---|---|---|");
    let mut all: [Vec<([f64; 2], Printed)>; 3] = Default::default();
    for (class, prepared) in classes {
        let Some(truth) = &prepared.corrected else { continue };
        let unfiltered = ClaimScope { depth: 2, types: ValueTypes::ALL, elements: true };
        let variants = [
            contracts(prepared, PAPER, prepared.labels, flags.min_confidence)?.about_states(),
            contracts(prepared, unfiltered, prepared.labels, flags.min_confidence)?,
            undistinguished(prepared, flags)?,
        ];
        let printed = [class.figure_13[6], class.figure_15[0], class.figure_15[1]];
        let mut cells = Vec::new();
        for (at, (contracts, printed)) in variants.iter().zip(printed).enumerate() {
            let claims = Claims::of(contracts);
            let (abstraction, visits) = prepared.seen_through(&claims);
            let limit = StateLimit(flags.max_states);
            let model = contractor(&claims, &visits, &abstraction, limit, &mut solver(flags)).model;
            let ours = sampled(&model, truth, flags);
            cells.push(format!("{}; {}; {} states", percent(ours), as_printed(printed), model.len()));
            all[at].push((ours, printed));
        }
        println!("| {} | {} |", class.name, cells.join(" | "));
    }
    print_means(&all);
    Ok(())
}

/// Prints the means over the classes; those of the paper over the classes for which it has a number.
fn print_means(columns: &[Vec<([f64; 2], Printed)>]) {
    let cells: Vec<String> = columns
        .iter()
        .map(|column| {
            let comparable = column.iter().filter(|(_, printed)| printed.is_some());
            let ours = mean(comparable.clone().map(|(ours, _)| *ours));
            let theirs = mean(comparable.filter_map(|(_, printed)| shares(*printed)));
            format!("**{}**; {}", percent(ours), percent(theirs))
        })
        .collect();
    println!("| **mean of those with both** | {} |\n", cells.join(" | "));
}

/// The contracts without a share of their clauses.
fn without(contracts: &Contracts, share: f64, rng: &mut ChaCha8Rng) -> Contracts {
    let mut left = |clauses: &[Clause]| -> Vec<Clause> {
        clauses.iter().filter(|_| !rng.random_bool(share)).cloned().collect()
    };
    let object = left(&contracts.object);
    let calls = contracts
        .calls
        .iter()
        .map(|(label, contract)| {
            let (pre, post) = (left(&contract.pre), left(&contract.post));
            (label.clone(), Contract { pre, post, ..contract.clone() })
        })
        .collect();
    Contracts { object, calls, ..contracts.clone() }
}

/// Contracts in which all labels of a method have the same one.
fn undistinguished(prepared: &Prepared, flags: &Flags) -> Result<Contracts> {
    let contracts = contracts(prepared, PAPER, Labels::Method, flags.min_confidence)?.about_states();
    let mut calls = BTreeMap::new();
    for event in prepared.traces.iter().flatten() {
        let label = prepared.labels.of(event);
        if !calls.contains_key(&label)
            && let Some(contract) = contracts.calls.get(&Labels::Method.of(event))
        {
            calls.insert(label, contract.clone());
        }
    }
    Ok(Contracts { calls, ..contracts })
}

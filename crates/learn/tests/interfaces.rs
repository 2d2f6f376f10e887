//! Interfaces of components with known answers, in every mode.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod common;

use adit_learn::Component;
use adit_learn::certificate::{Status, check, obligations};
use adit_learn::symbolic::Analysis;
use adit_learn::x_psyco::{Execution, Interface, Matching, Options, Stop, x_psyco};
use common::{accelerometer, alternating_bit, counter, lock, signature, solver, stream};

/// X-PSYCO without its optimizations, to a depth.
fn plain(depth: usize) -> Options {
    Options {
        partial_order: false,
        matching: Matching::Off,
        execution: Execution::Hybrid,
        depth: Some(depth),
        symbols: 100,
        nodes: 1_000_000,
        certify: false,
    }
}

fn proof() -> Options {
    Options { partial_order: true, matching: Matching::Symbolic, certify: true, ..plain(2) }
}

/// Learns the interface; the component as it was analyzed comes back with it.
fn learn(component: Component, options: Options) -> Option<(Interface, Component)> {
    let mut solver = solver()?;
    let mut analysis = Analysis::new(component.slice(), &mut solver);
    let interface = x_psyco(&mut analysis, options, &mut || true);
    Some((interface, analysis.component))
}

#[track_caller]
fn sizes(component: Component, options: Options, symbols: usize, states: usize) {
    let Some((interface, _)) = learn(component, options) else { return };
    assert_eq!((interface.symbols.len(), interface.lts.len()), (symbols, states), "{:?}", interface.stop);
}

#[test]
fn sizes_are_the_papers_in_every_mode() {
    for (partial_order, matching) in [
        (false, Matching::Off),
        (true, Matching::Off),
        (false, Matching::Concrete),
        (true, Matching::Concrete),
        (true, Matching::Symbolic),
    ] {
        for execution in [Execution::Hybrid, Execution::Symbolic] {
            let options = Options { partial_order, matching, execution, ..plain(4) };
            sizes(stream(), options, 6, 4);
            sizes(signature(), options, 6, 5);
            sizes(accelerometer(), Options { depth: Some(3), ..options }, 12, 8);
            sizes(alternating_bit(false), Options { depth: Some(5), ..options }, 6, 6);
        }
    }
}

#[test]
fn matching_exhausts_what_parameters_do_not_enter() {
    let options = Options { matching: Matching::Concrete, depth: None, ..plain(0) };
    let Some((interface, _)) = learn(signature(), options) else { return };
    assert_eq!((interface.stop, interface.complete), (Stop::Exhausted, true));
    let options = Options { matching: Matching::Symbolic, depth: None, ..plain(0) };
    let Some((interface, _)) = learn(stream(), options) else { return };
    assert_eq!((interface.stop, interface.complete), (Stop::Exhausted, true));
}

#[track_caller]
fn proved(component: Component, symbols: usize, states: usize) {
    let Some((interface, mut component)) = learn(component, proof()) else { return };
    assert_eq!((interface.symbols.len(), interface.lts.len()), (symbols, states));
    let certificate = interface.certificate.as_ref().unwrap();
    let open: Vec<_> =
        certificate.obligations.iter().filter(|obligation| obligation.status != Status::Discharged).collect();
    assert!(open.is_empty(), "{open:#?}");
    assert!(interface.complete);
    assert_eq!(component.arena.as_bool(certificate.assumption), Some(true));
    // The checker alone, with another solver process, comes to the same result.
    let always = component.arena.bool(true);
    let mut again =
        obligations(&mut component, &interface.symbols, &interface.lts, &certificate.invariants, always);
    check(&mut component.arena, &mut again, &mut solver().unwrap());
    assert!(again.iter().all(|obligation| obligation.status == Status::Discharged));
    // And it notices a wrong invariant.
    let wrong = vec![always; interface.lts.len()];
    let mut again = obligations(&mut component, &interface.symbols, &interface.lts, &wrong, always);
    check(&mut component.arena, &mut again, &mut solver().unwrap());
    assert!(again.iter().any(|obligation| matches!(obligation.status, Status::Failed(_))));
}

#[test]
fn small_components_are_proved_for_every_depth() {
    proved(stream(), 6, 4);
    proved(signature(), 6, 5);
    proved(accelerometer(), 12, 8);
    proved(alternating_bit(false), 6, 6);
    proved(counter(Some(12)), 3, 15);
}

#[test]
fn an_overflow_is_an_assumption() {
    let Some((interface, component)) = learn(alternating_bit(true), proof()) else { return };
    let certificate = interface.certificate.unwrap();
    let assumption = component.arena.show(certificate.assumption).to_string();
    assert_eq!(assumption, "expect >= 0 && expect < 2147483647");
    assert!(certificate.is_discharged() && !interface.complete);
    assert_eq!((interface.symbols.len(), interface.lts.len()), (7, 6));
}

#[test]
fn mixed_parameters_are_reported_and_unknown() {
    let Some((interface, _)) = learn(lock(), proof()) else { return };
    assert_eq!(interface.mixed.len(), 1, "{:?}", interface.mixed);
    assert_eq!((interface.symbols.len(), interface.lts.len()), (4, 5));
    assert!(interface.complete);
}

#[test]
fn an_unbounded_counter_is_never_complete() {
    let Some((interface, _)) = learn(counter(None), proof()) else { return };
    assert!(!interface.complete);
    assert_eq!(interface.k_max, 2);
}

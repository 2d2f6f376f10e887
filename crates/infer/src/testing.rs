//! The stack of the paper: its contracts (Figure 1 and section 2.3) and traces like those of Figure 3.
//!
//! Paper: none; input for the tests of `krka`.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use adit_logic::contract::{Clause, Constant, Contract, Contracts, Relation, Type, Valuation, Variable};
use adit_smt::{COMMANDS, Frugal, Patience, Process};

use crate::abstraction::{Abstraction, Claims, Visit};

fn top() -> Variable {
    Variable::field("topOfStack")
}

fn size() -> Variable {
    Variable::field_size("theArray")
}

/// `P_2`: the stack is not empty.
fn not_empty() -> Clause {
    Clause::bound(top(), Relation::AtLeast, 0)
}

/// `P_3`: the stack is not full.
fn not_full() -> Clause {
    Clause::compare(top(), Relation::AtMost, size(), -2)
}

/// Contracts of a stack in an array, as Daikon finds them from enough runs, for labels with results.
pub(crate) fn stack_contracts() -> Contracts {
    let empty = Clause::bound(top(), Relation::Equal, -1);
    let full = Clause::compare(top(), Relation::Equal, size(), -1);
    let same_size = Clause::compare(size(), Relation::Equal, size().before(), 0);
    let same_top = Clause::compare(top(), Relation::Equal, top().before(), 0);
    let moved = |by| Clause::compare(top(), Relation::Equal, top().before(), by);
    let unchanged = |pre: &[Clause]| {
        let post = [pre, &[same_size.clone(), same_top.clone()]].concat();
        Contract { pre: pre.to_vec(), post, ..Contract::default() }
    };
    let with = |pre: &[Clause], post: &[Clause]| {
        let post = [post, std::slice::from_ref(&same_size)].concat();
        Contract { pre: pre.to_vec(), post, ..Contract::default() }
    };
    let calls = BTreeMap::from([
        ("StackAr", Contract { creates: true, post: vec![empty.clone()], ..Contract::default() }),
        ("push", with(&[not_full()], &[moved(1), not_empty()])),
        ("topAndPop", with(&[not_empty()], &[moved(-1)])),
        ("topAndPop:null", unchanged(std::slice::from_ref(&empty))),
        ("top", unchanged(&[not_empty()])),
        ("top:null", unchanged(std::slice::from_ref(&empty))),
        ("makeEmpty", with(&[], std::slice::from_ref(&empty))),
        ("isEmpty:TRUE", unchanged(std::slice::from_ref(&empty))),
        ("isEmpty:FALSE", unchanged(&[not_empty()])),
        ("isFull:TRUE", unchanged(std::slice::from_ref(&full))),
        ("isFull:FALSE", unchanged(&[not_full()])),
    ]);
    Contracts {
        class: Some("DataStructures.StackAr".to_owned()),
        fields: BTreeMap::from([(top(), Type::Int), (size(), Type::Int)]),
        fixed: BTreeSet::from([size()]),
        object: vec![
            Clause::bound(top(), Relation::AtLeast, -1),
            Clause::compare(top(), Relation::AtMost, size(), -1),
        ],
        calls: calls.into_iter().map(|(label, contract)| (label.to_owned(), contract)).collect(),
    }
}

/// The claims of [`stack_contracts`] for traces whose labels are texts.
pub(crate) fn stack_claims(contracts: &Contracts) -> Claims<'_, &str> {
    Claims {
        fields: &contracts.fields,
        object: &contracts.object,
        calls: contracts.calls.iter().map(|(label, contract)| (label.as_str(), contract)).collect(),
    }
}

/// The predicates of section 2.3 that differ between states: not empty, and not full.
pub(crate) fn stack_abstraction() -> Abstraction {
    Abstraction::new(vec![not_empty(), not_full()])
}

/// A trace of calls on a real stack of this capacity, with the values of its fields.
pub(crate) fn stack_trace(
    abstraction: &mut Abstraction,
    capacity: i64,
    calls: &[&'static str],
) -> Vec<Visit<&'static str>> {
    let mut at = -1;
    let mut trace = Vec::new();
    for call in ["StackAr"].iter().chain(calls) {
        match *call {
            "push" => at += 1,
            "topAndPop" => at -= 1,
            "makeEmpty" => at = -1,
            _ => {}
        }
        let values = Valuation::from_iter([(top(), Constant::Int(at)), (size(), Constant::Int(capacity))]);
        trace.push((*call, abstraction.observe(&values)));
    }
    trace
}

/// Five traces with what the text says about those of Figure 3, which the text itself does not show: Trace 1
/// is on a stack without capacity and starts like Trace 4, Trace 2 fills a stack of capacity one, Trace 3
/// takes one of several elements from a full stack, and `top` always comes right after `isEmpty`.
pub(crate) fn figure_3(abstraction: &mut Abstraction) -> Vec<Vec<Visit<&'static str>>> {
    let traces: [(i64, &[&'static str]); 5] = [
        (
            0,
            &[
                "isEmpty:TRUE",
                "top:null",
                "topAndPop:null",
                "isFull:TRUE",
                "makeEmpty",
                "isEmpty:TRUE",
                "top:null",
                "isFull:TRUE",
            ],
        ),
        (
            1,
            &[
                "isFull:FALSE",
                "isEmpty:TRUE",
                "push",
                "isFull:TRUE",
                "topAndPop",
                "isFull:FALSE",
                "isEmpty:TRUE",
                "top:null",
                "push",
                "isEmpty:FALSE",
                "top",
                "makeEmpty",
            ],
        ),
        (
            3,
            &[
                "push",
                "isFull:FALSE",
                "push",
                "isEmpty:FALSE",
                "top",
                "push",
                "isFull:TRUE",
                "topAndPop",
                "isFull:FALSE",
                "topAndPop",
                "topAndPop",
                "isEmpty:TRUE",
            ],
        ),
        (5, &["isEmpty:TRUE", "top:null", "topAndPop:null", "isFull:FALSE", "push", "isEmpty:FALSE", "top"]),
        (2, &["push", "push", "isFull:TRUE", "makeEmpty", "isFull:FALSE", "push", "topAndPop"]),
    ];
    traces.into_iter().map(|(capacity, calls)| stack_trace(abstraction, capacity, calls)).collect()
}

/// A solver of this machine, or nothing and a line that says so.
pub(crate) fn a_solver(test: &str) -> Option<Frugal<Process>> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = COMMANDS.into_iter().find_map(|name| {
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
    });
    if found.is_none() {
        not_run(test);
    }
    found.map(|program| Frugal::new(Process::new(program, Patience(Duration::from_secs(20)))))
}

fn not_run(test: &str) {
    eprintln!("NOT RUN: {test} needs z3 or cvc5 on PATH");
}

//! The searches on two worlds in which nothing is Java: bounded stacks, and random automata.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod asking;
mod author;
mod automaton_world;
mod dice_tester;
mod explore;
mod finer_model;
mod little_time;
mod options;
mod order;
mod purity;
mod random_automata;
mod stack_world;
mod validate;

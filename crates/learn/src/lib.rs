//! Active learning: automata from questions that a teacher answers, and interfaces of components whose
//! transitions carry guards.
//!
//! [`lstar`] learns any automaton with three outcomes from any [`Teacher`]; [`oracle`] wraps teachers with a
//! cache and with counters.

pub mod lstar;
mod lts;
pub mod oracle;

pub use lstar::{Answer, Teacher, learn};
pub use lts::{Lts, Outcome, Symbol};

//! Active learning: automata from questions that a teacher answers, and interfaces of components whose
//! transitions carry guards.
//!
//! [`lstar`] learns any automaton with three outcomes from any [`Teacher`]; [`oracle`] wraps teachers with a
//! cache and with counters. [`x_psyco`] learns the interface of a [`Component`], which is given by symbolic
//! summaries of its methods, and [`certificate`] proves it for sequences of every length. [`mealy`] learns
//! machines with outputs from systems that can only be asked from outside.

pub mod certificate;
pub mod compiled;
mod component;
mod concolic_teacher;
pub mod description;
pub mod guards;
pub mod lstar;
mod lts;
pub mod mealy;
pub mod oracle;
mod prover;
mod refinement;
pub mod regions;
pub mod symbolic;
pub mod x_psyco;

pub use component::{Component, End, Execute, Field, Kind, Method, Parameter, Path, Role, number, value};
pub use lstar::{Answer, Teacher, learn};
pub use lts::{Lts, Symbol, WordOutcome};

//! Java bytecode executed with symbols.
//!
//! One interpreter runs methods over two domains: concrete values alone, and concrete values with a symbolic
//! shadow, from which the condition of the path that was taken can be read.

mod arithmetic;
mod arrays;
mod compile;
mod domain;
mod explore;
mod inputs;
mod limits;
mod link;
mod machine;
mod models;
mod operations;
mod platform;
mod shape;
mod state;
mod summarize;
mod symbolic;
mod unknown;

pub use domain::{Concrete, Domain, Word};
pub use limits::Limits;
pub use link::{ClassId, Linker, MethodNumber, Slot, TypeNumber};
pub use machine::{Completion, Machine, Run};
pub use state::{ObjectKind, ObjectNumber, State};
pub use summarize::{NoComponent, summarize};
pub use symbolic::{Shadow, Symbolic};
pub use unknown::Unknown;

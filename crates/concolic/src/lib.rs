//! Java bytecode executed with symbols: what the methods of a component do, for all arguments.
//!
//! One interpreter ([`Machine`]) runs methods over two domains: concrete values alone ([`Concrete`]), and
//! concrete values with a symbolic shadow ([`Symbolic`]), from which the condition of the path that was
//! taken can be read. [`summarize`] explores all paths of all public methods of a class and gives the
//! symbolic summaries that `adit_learn` learns interfaces from; [`Interpreted`] executes the same methods
//! concretely.
//!
//! | part | file |
//! |---|---|
//! | classes, linked on demand | `link.rs`, `compile.rs` |
//! | instructions | `machine.rs`, `numbers.rs`, `objects.rs`, `arrays.rs`, `arithmetic.rs` |
//! | what the platform does and bytecode does not show | `models.rs`, `platform.rs`, `raw_memory.rs` |
//! | states and their shapes | `state.rs`, `shape.rs` |
//! | paths, summaries | `explore.rs`, `inputs.rs`, `summarize.rs` |
//! | one call of a recorded script, for all arguments | `replay.rs` |
//! | every limit, with its reason | `limits.rs` |
//!
//! Anything that cannot be followed is [`Unknown`], with the reason: native methods, objects from outside
//! beyond their identity (and the length and equality of strings), decisions on floating-point numbers that
//! depend on inputs, `invokedynamic` other than concatenation, limits.
//!
//! Assumed are: one thread; assertions are on; strings and arrays from outside have at most 65,535
//! characters or elements.

mod arithmetic;
mod arrays;
mod compile;
mod domain;
mod execute;
mod explore;
mod inputs;
mod limits;
mod link;
mod machine;
mod models;
mod numbers;
mod objects;
mod operations;
mod platform;
mod raw_memory;
mod replay;
mod shape;
mod state;
mod summarize;
mod symbolic;
mod unknown;

pub use domain::{Concrete, Domain, Word};
pub use execute::Interpreted;
pub use limits::InterpreterLimits;
pub use link::{ClassId, Linker, MethodNumber, Slot, TypeNumber};
pub use machine::{Completion, Machine, Run};
pub use replay::{CallEnd, CallPath, OpenCall, ReplayedObjects, Replayer};
pub use state::{MachineState, ObjectKind, ObjectNumber};
pub use summarize::{NoComponent, summarize, summarize_and_interpret};
pub use symbolic::{Shadow, Symbolic};
pub use unknown::Unknown;

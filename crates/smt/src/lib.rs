//! Formulas over booleans, mathematical integers and Java's numbers, and solvers that decide them.
//!
//! An [`Arena`] holds expressions, each once, simplified when they are built. A [`Solver`] says if
//! constraints can hold together: [`Process`] asks Z3 or cvc5, [`Frugal`] answers what it can without asking.
//!
//! ```
//! use adit_smt::{Arena, Sort};
//!
//! let mut arena = Arena::new();
//! let size = arena.var("size", Sort::Int);
//! let zero = arena.int(0);
//! let empty = arena.eq(size, zero);
//! let negative = arena.lt(size, zero);
//! let both = arena.and(&[empty, negative]);
//! assert_eq!(arena.show(empty).to_string(), "size == 0");
//! assert_eq!(arena.as_bool(both), Some(false));
//! ```

mod arena;
mod bits;
mod booleans;
mod bounds;
mod compare;
mod eliminate;
mod evaluate;
mod frugal;
mod process;
mod show;
mod smtlib;
mod solver;
mod substitute;
mod sums;
#[cfg(test)]
mod testing;
mod value;

pub use arena::{Arena, Expr, Node, Var};
pub use bits::{Binary, Resize};
pub use evaluate::Incomputable;
pub use frugal::{Counters, Frugal};
pub use process::{COMMANDS, Patience, Process};
pub use show::Show;
pub use smtlib::script;
pub use solver::{Answer, Missing, Model, Reason, Solver};
pub use value::{Sort, Value};

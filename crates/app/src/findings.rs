//! Findings: behavior of a class that its author probably did not want, seen while a model was mined.
//!
//! * A call threw and changed the object all the same.
//! * A method that only asks, by its name, changes what others answer.
//! * `equals` breaks its contract: it throws, denies that an object equals itself, or equals null.
//! * The same calls had another result when they were made again in a new machine.
//!
//! `thrown.rs` notes candidates of the first kind while the search runs, `experiments.rs` shows by running
//! them what users of the class would notice, and `tests.rs` writes a JUnit test for each. Nothing is
//! reported that was not seen again.

pub(crate) mod experiments;
pub(crate) mod tests;
pub(crate) mod thrown;

pub(crate) use experiments::Experiments;
pub(crate) use thrown::ThrownChanges;

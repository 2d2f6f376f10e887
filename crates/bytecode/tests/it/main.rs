//! Tests against real classes: those of a JDK and those that its compiler makes of the sources in
//! `tests/java`.
//!
//! Without a JDK they say so and pass; everything that can be tested without one is tested beside the code.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod corpus;
mod effects;
mod hierarchy;
mod jdk;
mod jdk_home;
mod mutated;
mod reading;
mod running;
mod sharing;
mod verifier;

//! Tests against a real JVM, and on the components of `subjects/interfaces`.
//!
//! Without a JDK they say so and pass; what needs none is tested beside the code.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod differential;
mod generated;
mod hostile;
mod independence;
mod jdk;
#[path = "../../../bytecode/tests/it/jdk_home.rs"]
mod jdk_home;
mod learning;
mod random_components;
mod replay;

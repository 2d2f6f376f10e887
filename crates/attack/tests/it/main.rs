//! The crate on small classes that are committed in compiled form, with a subject that needs no virtual machine; and, where
//! a JDK is found, on its classes and with its compiler.
//!
//! The sources lie in `tests/java`; `javac -g:none --release 8 -d ../classes small/*.java` there compiles them anew.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod api;
mod classes;
mod dice_tester;
mod explore;
mod fake;
mod generate;
mod java;
mod jdk;
mod purity;
mod supply;
mod valid;
mod validate;

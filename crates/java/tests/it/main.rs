//! The crate on small classes that are committed in compiled form; and, where a JDK is found, on its classes
//! and with its compiler.
//!
//! The sources lie in `tests/java`; `javac -g:none --release 8 -d ../classes small/*.java` there compiles
//! them anew.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod api;
mod classes;
mod generate;
mod jdk;
#[path = "../../../bytecode/tests/it/jdk_home.rs"]
mod jdk_home;
mod sites;
mod source;
mod supply;
mod valid;

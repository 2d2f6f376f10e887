//! The verifier on small clients that are compiled by the JDK of the machine.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod clients;
mod differential;
mod java;

//! Servers as subjects: sessions over sockets as an alphabet file describes them, and a fuzzer with a model.
//!
//! [`alphabet`] says what labels mean on the wire, [`server`] starts a fresh server for each session and
//! [`session`] runs a script of labels against it. [`campaign`] is the fuzzer: it walks to rare states of a
//! model ([`guide`]), goes on along and beside it ([`generate`]), and keeps what showed something new.

pub mod adapter;
pub mod alphabet;
pub mod campaign;
pub mod findings;
mod framing;
pub mod generate;
pub mod guide;
mod idle;
mod mutate;
pub mod runner;
pub mod script;
pub mod server;
pub mod session;

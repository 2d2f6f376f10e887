//! The `adit` binary: mines specifications from traces, and records traces of Java classes.
//!
//! `flags` parses the command line and `commands` runs it. Only this crate prints, opens files and reads the
//! environment.

use std::process::ExitCode;

mod adapter;
mod budget;
mod campaign;
mod commands;
mod enrichment;
mod errors;
mod findings;
mod flags;
mod from_states;
mod input;
mod install_hints;
mod interrupt;
mod java;
mod models;
mod output;
mod pace;
mod pipeline;
mod progress;
mod report;
mod request;
mod results;
mod servers;
mod shell;
mod shipped;
mod solver;
mod state_facts;
mod stderr;
mod timeline;
mod under_test;
mod witnesses;

fn main() -> ExitCode {
    // A worker must have one thread when it enters its sandbox, so this comes before anything else.
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(first) if first == java::environment::WORKER => return adit_jvm::worker::main(arguments),
        Some(first) if first == adapter::LAUNCHER => return adit_jvm::launch::main(arguments),
        _ => {}
    }
    errors::install_panic_message();
    interrupt::install();
    let cli = match flags::parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    errors::exit_code(commands::run(cli))
}

//! The `adit` binary: mines specifications from traces, and records traces of Java classes.
//!
//! `flags` is what was typed, `commands` what it means. Only this crate prints, opens files and reads the environment.

use std::process::ExitCode;

mod campaign;
mod commands;
mod drive;
mod errors;
mod fixtures;
mod flags;
mod input;
mod interrupt;
mod machine;
mod mentions;
mod models;
mod output;
mod pipeline;
mod progress;
mod project;
mod recording;
mod remedies;
mod report;
mod timeline;
mod traces;
mod user_tests;
mod witnesses;

fn main() -> ExitCode {
    // A worker must have one thread when it shuts itself in, so this comes before anything else.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == machine::WORKER) {
        return adit_jvm::worker::main(arguments);
    }
    errors::install_panic_message();
    interrupt::install();
    let cli = match flags::parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    errors::exit_code(commands::run(cli))
}

//! The `adit` binary: mines specifications from traces.
//!
//! `flags` is what was typed, `commands` what it means. Only this crate prints, opens files and reads the environment.

use std::process::ExitCode;

mod commands;
mod errors;
mod flags;
mod input;
mod models;
mod output;
mod progress;
mod traces;

fn main() -> ExitCode {
    errors::install_panic_message();
    output::clean_up_on_interrupt();
    let cli = match flags::parse() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    errors::exit_code(commands::run(cli))
}

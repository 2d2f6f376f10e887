//! What each command means. One file per command; this one finds it.

use miette::Report;

use crate::errors::Ending;
use crate::flags::{Cli, Command};

mod check;
mod compare;
mod convert;
mod doctor;
mod infer;
mod observe;
mod properties;

/// Does what was asked.
pub(crate) fn run(cli: Cli) -> Result<Ending, Report> {
    let quiet = cli.quiet;
    match cli.command {
        Command::Observe(flags) => observe::run(&flags, quiet),
        Command::Properties(flags) => properties::run(&flags, quiet),
        Command::Infer(flags) => infer::run(&flags, quiet),
        Command::Check(flags) => check::run(&flags, quiet),
        Command::Compare(flags) => compare::run(&flags, quiet),
        Command::Convert(flags) => convert::run(&flags, quiet),
        Command::Doctor(flags) => doctor::run(&flags),
    }
}

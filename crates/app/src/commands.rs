//! The commands, one file each; this file dispatches to them.

use miette::Report;

use crate::errors::Ending;
use crate::flags::{Cli, Command};

mod check;
mod ci;
mod compare;
mod completions;
mod convert;
mod difference;
mod doctor;
mod enrich;
mod explain;
mod fuzz;
mod infer;
mod interface;
mod invariants;
mod learn;
mod man;
mod mine;
mod monitor;
mod name;
mod observe;
mod partial;
mod properties;
mod report;
mod requests;
mod serve;
mod show;
mod states;
mod status;
mod tables;
mod test_spec;
mod traces;
mod validate;
mod verify;

/// Runs the command.
pub(crate) fn run(cli: Cli) -> Result<Ending, Report> {
    let quiet = cli.quiet;
    match cli.command {
        Command::Mine(flags) => mine::run(&flags, quiet),
        Command::Status(flags) => status::run(&flags),
        Command::Observe(flags) => observe::run(&flags, quiet),
        Command::Enrich(flags) => enrich::run(&flags, quiet),
        Command::Properties(flags) => properties::run(&flags, quiet),
        Command::Invariants(flags) => invariants::run(&flags, quiet),
        Command::Infer(flags) => infer::run(&flags, quiet),
        Command::Interface(flags) => interface::run(&flags, quiet),
        Command::Learn(flags) => learn::run(&flags, quiet),
        Command::Check(flags) => check::run(&flags, quiet),
        Command::Compare(flags) => compare::run(&flags, quiet),
        Command::Validate(flags) => validate::run(&flags, quiet),
        Command::TestSpec(flags) => test_spec::run(&flags, quiet),
        Command::Verify(flags) => verify::run(&flags, quiet),
        Command::Monitor(flags) => monitor::run(&flags, quiet),
        Command::Fuzz(flags) => fuzz::run(&flags, quiet),
        Command::Serve(flags) => serve::run(&flags),
        Command::Convert(flags) => convert::run(&flags, quiet),
        Command::Show(flags) => show::run(&flags, quiet),
        Command::Explain(flags) => explain::run(&flags),
        Command::Name(flags) => name::run(&flags, quiet),
        Command::Report(flags) => report::run(&flags, quiet),
        Command::Ci(flags) => ci::run(&flags, quiet),
        Command::Doctor(flags) => doctor::run(&flags),
        Command::Completions(flags) => completions::run(&flags),
        Command::Man(flags) => man::run(&flags, quiet),
    }
}

//! `adit completions`: shell completion scripts.

use clap::CommandFactory;
use miette::Report;

use crate::errors::Ending;
use crate::flags::{Cli, CompletionsFlags};
use crate::output::print;

pub(super) fn run(flags: &CompletionsFlags) -> Result<Ending, Report> {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut Cli::command(), "adit", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Clean)
}

//! `adit completions`: shell completion scripts.

use clap::CommandFactory;
use miette::Report;
use serde_json::json;

use crate::errors::Ending;
use crate::flags::{Cli, CompletionsFlags};
use crate::output::{print, print_json};

pub(super) fn run(flags: &CompletionsFlags) -> Result<Ending, Report> {
    let mut script = Vec::new();
    clap_complete::generate(flags.shell, &mut Cli::command(), "adit", &mut script);
    let script = String::from_utf8_lossy(&script);
    if flags.json {
        print_json(&json!({ "shell": flags.shell.to_string(), "script": script }))?;
    } else {
        print(&script)?;
    }
    Ok(Ending::Clean)
}

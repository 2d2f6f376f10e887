//! `adit man`: a manual page for adit, and one for each command.

use std::fs;

use clap::CommandFactory;
use clap_mangen::Man;
use miette::Report;
use serde_json::json;

use crate::errors::{Ending, bad_input};
use crate::flags::{Cli, ManFlags};
use crate::output::{Target, print_json, write_failed};
use crate::stderr::tell;

pub(super) fn run(flags: &ManFlags, quiet: bool) -> Result<Ending, Report> {
    let folder = &flags.folder;
    fs::create_dir_all(folder).map_err(|error| {
        bad_input(
            format!("cannot create the folder {}: {error}", folder.display()),
            "name another; does a file of that name exist, and may you write there?",
        )
    })?;
    let mut adit = Cli::command().disable_help_subcommand(true);
    // Only now do the commands know that they are called `adit mine` and so on.
    adit.build();
    let commands: Vec<clap::Command> = adit.get_subcommands().cloned().collect();
    let mut pages = Vec::new();
    for command in commands.into_iter().chain([adit]) {
        let page = Man::new(command);
        let target = Target::File(folder.join(page.get_filename()));
        target.write(|out| page.render(out).map_err(write_failed))?;
        pages.push(page.get_filename());
    }
    if !quiet {
        tell(&format!("{} pages written to {}", pages.len(), folder.display()));
    }
    if flags.json {
        print_json(&json!({ "folder": folder, "pages": pages }))?;
    }
    Ok(Ending::Clean)
}

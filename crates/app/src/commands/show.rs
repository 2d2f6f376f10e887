//! `adit show`: a model, drawn in the terminal.

use miette::Report;

use crate::errors::Ending;
use crate::flags::ShowFlags;
use crate::output::{print, tell};
use crate::report::picture::Choice;
use crate::report::{load_model, terminal};

pub(super) fn run(flags: &ShowFlags, quiet: bool) -> Result<Ending, Report> {
    let (model, pure) = load_model(&flags.model)?;
    let choice = Choice { pure: !flags.hide_pure, failures: false };
    let drawn = if flags.list { None } else { terminal::boxes(&model, &pure, choice) };
    match drawn {
        Some(text) => print(&text)?,
        None => {
            print(&terminal::list(&model))?;
            if !flags.list && !quiet {
                tell("too large to draw here, so the calls are listed; `adit report` draws it in a browser");
            }
        }
    }
    Ok(Ending::Clean)
}

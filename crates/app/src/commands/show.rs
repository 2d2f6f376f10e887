//! `adit show`: draws a model in the terminal.

use adit_automata::format::Format;
use adit_picture::Choice;
use miette::Report;

use crate::errors::Ending;
use crate::flags::ShowFlags;
use crate::models;
use crate::output::{Target, print};
use crate::report::{NO_DETAIL, boxes, load_detail, load_model, terminal};
use crate::results::{self, Run};
use crate::stderr::tell;

pub(super) fn run(flags: &ShowFlags, quiet: bool) -> Result<Ending, Report> {
    let detail = if flags.detail { load_detail(&flags.model)? } else { None };
    if flags.detail && detail.is_none() && !quiet {
        tell(NO_DETAIL);
    }
    let (model, pure) = detail.map_or_else(|| load_model(&flags.model), Ok)?;
    if flags.json {
        models::write(&model, &Target::Stdout, Format::Json, &models::title_of(&flags.model), quiet)?;
        return Ok(Ending::Clean);
    }
    // A round knows of calls that the model does not show: some hang or block, some never succeeded.
    let run: Option<Run> = results::read(&flags.model).unwrap_or_default();
    let blocked = match &run {
        Some(run) if !flags.detail => &run.summary.model.blocked[..],
        _ => &[],
    };
    let choice = Choice { pure: !flags.hide_pure, failures: false };
    if flags.all {
        print(&terminal::list(&model, blocked))?;
        return Ok(Ending::Clean);
    }
    let never: Vec<String> = run.iter().flat_map(|run| run.summary.gaps.not_made.never_worked()).collect();
    if run.as_ref().is_none_or(|run| run.summary.model.no_protocol)
        && let Some(text) = terminal::no_protocol(&model, None, &never, &[])
    {
        print(&text)?;
    }
    match boxes::boxes(&model, &pure, choice) {
        Some(text) if !terminal::is_long(&model) && blocked.is_empty() => print(&text)?,
        _ => {
            print(&terminal::told(&model, blocked, terminal::room_beside([])))?;
            let told = if terminal::is_long(&model) {
                "too large to draw: `adit show --all` lists every call, and `adit report` draws it in a browser"
            } else {
                "too large to draw, so the calls are listed; `adit report` draws it in a browser"
            };
            if !quiet {
                tell(told);
            }
        }
    }
    Ok(Ending::Clean)
}

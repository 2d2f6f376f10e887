//! `adit report`: writes a page that explains a model or compares two.

use std::path::{Path, PathBuf};

use adit_automata::TooLarge;
use miette::Report;
use serde_json::{Value, json};

use crate::errors::{Ending, bad_input, no_answer};
use crate::flags::ReportFlags;
use crate::output::{Target, print_json};
use crate::report::index::{INDEX, campaigns_below, index};
use crate::report::{self, NAME, NO_DETAIL, Versus};
use crate::results::ResultFile;
use crate::results::every_class::EveryClass;
use crate::stderr::tell;

pub(super) fn run(flags: &ReportFlags, quiet: bool) -> Result<Ending, Report> {
    let campaigns = campaigns_below(&flags.one);
    // `adit mine --all` may have found no model at all, and the page then says why.
    let every_class = flags.one.join(<EveryClass as ResultFile>::NAME).exists();
    if flags.two.is_none() && (!campaigns.is_empty() || every_class) {
        return write_index(flags, &campaigns, quiet);
    }
    let place = flags.output.clone().unwrap_or_else(|| default_place(flags));
    let target = Target::new(Some(&place));
    target.check()?;
    if flags.json && target == Target::Stdout {
        return Err(bad_input(
            "the page and the summary cannot both go to standard output",
            "name a file for the page with -o",
        ));
    }
    let mut one = report::load(&flags.one)?;
    one.opens_with_detail = flags.detail;
    if flags.detail && one.detail.is_none() && !quiet {
        tell(NO_DETAIL);
    }
    let mut notes = one.notes.clone();
    let mut differences = Value::Null;
    let (text, found) = match &flags.two {
        None => (report::html(&one), Ok(Ending::Clean)),
        Some(place) => {
            if *place == flags.one {
                return Err(bad_input(
                    format!("{} cannot be compared with itself", place.display()),
                    "name two folders or models",
                ));
            }
            let two = report::load(place)?;
            notes.extend(two.notes.iter().cloned());
            let found = Versus::new(&one, &two);
            let text = report::versus(&one, &two, [&flags.one, place], &found);
            if let Ok(found) = &found {
                differences = found.as_json();
            }
            let ending = match found {
                Ok(found) if found.same() => Ok(Ending::Clean),
                Ok(_) => Ok(Ending::Found),
                Err(TooLarge(states)) => Err(no_answer(
                    format!("the differences are unknown: the comparison needs more than {states} states"),
                    "the page shows both pictures; models with less nondeterminism can be compared",
                )),
            };
            (text, ending)
        }
    };
    report::put(&target, &text)?;
    if !quiet {
        notes.iter().for_each(|note| tell(&format!("note: {note}")));
    }
    if let (Target::File(path), false) = (&target, quiet) {
        tell(&format!("written to {}", path.display()));
    }
    if flags.json {
        print_json(&json!({ "written": place, "differences": differences, "notes": notes }))?;
    }
    found
}

/// Writes a page with links to the reports of all campaigns in a folder.
fn write_index(flags: &ReportFlags, campaigns: &[PathBuf], quiet: bool) -> Result<Ending, Report> {
    let place = flags.output.clone().unwrap_or_else(|| flags.one.join(INDEX));
    let target = Target::new(Some(&place));
    target.check()?;
    report::put(&target, &index(&flags.one, campaigns)?)?;
    if let (Target::File(path), false) = (&target, quiet) {
        tell(&format!("written to {}", path.display()));
    }
    if flags.json {
        print_json(&json!({ "written": place, "differences": null, "notes": [] }))?;
    }
    Ok(Ending::Clean)
}

/// Returns the default path: inside the named folder, or in the current folder for a model file or two
/// models.
fn default_place(flags: &ReportFlags) -> PathBuf {
    if flags.two.is_none() && flags.one.is_dir() { flags.one.join(NAME) } else { Path::new(NAME).to_owned() }
}

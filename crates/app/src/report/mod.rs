//! The report: a model, why it is believed, and how it was found, as one HTML file that needs nothing else.
//!
//! `page.rs` is what there is to tell, `load.rs` fills it from a folder, `evidence.rs` finds out who took which transition,
//! `claims.rs` says many properties in few sentences, `picture.rs` draws, `html.rs` puts everything into one file, `versus.rs` does so for two models side by side, and
//! `terminal.rs` draws where there is no browser.

use std::path::Path;

use adit_attack::Api;
use adit_trace::{Labels, Run, Script};
use miette::Report;
use serde_json::{Value, json};

use crate::output::{Target, write_failed};
use crate::witnesses::Witnesses;

mod claims;
pub(crate) mod evidence;
mod html;
mod load;
pub(crate) mod page;
pub(crate) mod picture;
mod provenance;
pub(crate) mod terminal;
mod trust;
mod versus;

pub(crate) use html::html;
pub(crate) use load::{load, load_model};
pub(crate) use versus::{Versus, versus};

/// What a page is called in its folder.
pub(crate) const NAME: &str = "report.html";

/// Writes `report.html` into a folder that has everything else, and before that `tests.json`: what each test does to its
/// objects, which no Java file says in the model's words, and which transition it is there for.
pub(crate) fn finish(
    folder: &Path,
    api: &Api,
    tests: &[(Script, Run)],
    witnesses: &Witnesses,
) -> Result<(), Report> {
    let told = tests.iter().enumerate().map(|(number, (script, run))| {
        let words: Vec<Vec<String>> = run
            .lives(script)
            .iter()
            .filter(|life| {
                let start = &script.statements[life.object].callable;
                api.starts.iter().any(|known| known.callable == *start)
            })
            .map(|life| life.events.iter().map(|event| Labels::Exception.of(event)).collect())
            .collect();
        json!({"name": test_name(number), "words": words})
    });
    let mut told = json!({"tests": told.collect::<Vec<Value>>()});
    // Tests are named by their numbers.
    told["witnesses"] = witnesses.as_json();
    put(&Target::File(folder.join(load::TESTS)), &format!("{told}\n"))?;
    put(&Target::File(folder.join(NAME)), &html(&load(folder)?))
}

/// What the test with this number is called.
pub(crate) fn test_name(number: usize) -> String {
    format!("script{number}")
}

/// Writes a text, or the bytes of a picture.
pub(crate) fn put(target: &Target, content: &(impl AsRef<[u8]> + ?Sized)) -> Result<(), Report> {
    target.write(|out| out.write_all(content.as_ref()).map_err(write_failed))
}
